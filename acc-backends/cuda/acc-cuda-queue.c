/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cuda-private.h"

/* Events of points go back to a pool; those that tell times do not. */

/* With the lock and the context. */
static CuEvent
take_event (AccCudaDevice  *self,
            gboolean        timed,
            GError        **error)
{
  CuEvent event = NULL;

  if (!timed && self->events->len > 0)
    return g_ptr_array_steal_index_fast (self->events, self->events->len - 1);

  return acc_cuda_check (self, self->cuda->cuEventCreate (&event, timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING), "making an event",
                         error)
         ? event : NULL;
}

void
acc_cuda_note_launch (AccCudaDevice *self)
{
  if (!self->parent.is_timed || self->span_begin != NULL || self->spans->len > 4096)
    return;

  self->span_begin = take_event (self, TRUE, NULL);
  if (self->span_begin != NULL)
    self->cuda->cuEventRecord (self->span_begin, self->streams[ACC_QUEUE_COMPUTE]);
}

/* With the lock and the context. */
static void
end_span (AccCudaDevice *self)
{
  AccCudaSpan span = { self->span_begin, NULL };

  if (self->span_begin == NULL)
    return;

  self->span_begin = NULL;
  span.end = take_event (self, TRUE, NULL);
  if (span.end == NULL)
    {
      self->cuda->cuEventDestroy_v2 (span.begin);
      return;
    }
  self->cuda->cuEventRecord (span.end, self->streams[ACC_QUEUE_COMPUTE]);
  g_array_append_val (self->spans, span);
}

/* --- points */

static gboolean
enter (AccEventDevice  *device,
       GError         **error)
{
  return acc_cuda_enter ((AccCudaDevice *) device, error);
}

static void
leave (AccEventDevice *device)
{
  acc_cuda_leave ((AccCudaDevice *) device);
}

static gboolean
check (AccEventDevice  *device,
       int              code,
       const char      *doing,
       GError         **error)
{
  return acc_cuda_check ((AccCudaDevice *) device, -code, doing, error);
}

static void
release (AccEventDevice *device,
         gpointer        event)
{
  g_ptr_array_add (((AccCudaDevice *) device)->events, event);
}

static gpointer
record (AccEventDevice  *device,
        AccQueue         queue,
        GError         **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;
  CuEvent event;

  if (queue == ACC_QUEUE_COMPUTE)
    end_span (self);
  event = take_event (self, FALSE, error);
  if (event == NULL || acc_cuda_check (self, self->cuda->cuEventRecord (event, self->streams[queue]), "marking a queue", error))
    return event;

  release (device, event);

  return NULL;
}

static int
ask (AccEventDevice *device,
     gpointer        event)
{
  CuResult result = ((AccCudaDevice *) device)->cuda->cuEventQuery (event);

  return result == CU_NOT_READY ? 1 : -result;
}

static int
await (AccEventDevice *device,
       gpointer        event)
{
  return -((AccCudaDevice *) device)->cuda->cuEventSynchronize (event);
}

static int
order (AccEventDevice *device,
       AccQueue        queue,
       gpointer        event)
{
  AccCudaDevice *self = (AccCudaDevice *) device;

  return -self->cuda->cuStreamWaitEvent (self->streams[queue], event, 0);
}

const AccEventClass acc_cuda_events = {
  .enter = enter,
  .leave = leave,
  .check = check,
  .record = record,
  .release = release,
  .ask = ask,
  .await = await,
  .order = order,
};

gboolean
acc_cuda_get_busy (AccDevice *device,
                   guint64   *busy,
                   guint64   *passed)
{
  AccCudaDevice *self = (AccCudaDevice *) device;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->parent.lock);
  double milliseconds = 0;
  guint kept = 0;

  *passed = acc_event_device_restart (&self->parent);
  *busy = 0;
  if (!acc_cuda_enter (self, NULL))
    return FALSE;

  for (guint i = 0; i < self->spans->len; i++)
    {
      AccCudaSpan span = g_array_index (self->spans, AccCudaSpan, i);
      float took = 0;

      if (self->cuda->cuEventQuery (span.end) != CU_SUCCESS)
        {
          g_array_index (self->spans, AccCudaSpan, kept++) = span;
          continue;
        }
      if (self->cuda->cuEventElapsedTime (&took, span.begin, span.end) == CU_SUCCESS)
        milliseconds += took;
      self->cuda->cuEventDestroy_v2 (span.begin);
      self->cuda->cuEventDestroy_v2 (span.end);
    }
  g_array_set_size (self->spans, kept);
  acc_cuda_leave (self);
  *busy = (guint64) (milliseconds * 1e6);

  return TRUE;
}

void
acc_cuda_free_queues (AccCudaDevice *self)
{
  acc_event_device_drop_points (&self->parent);
  for (guint i = 0; i < ACC_N_QUEUES; i++)
    if (self->streams[i] != NULL)
      self->cuda->cuStreamDestroy_v2 (self->streams[i]);
  for (guint i = 0; i < self->spans->len; i++)
    {
      self->cuda->cuEventDestroy_v2 (g_array_index (self->spans, AccCudaSpan, i).begin);
      self->cuda->cuEventDestroy_v2 (g_array_index (self->spans, AccCudaSpan, i).end);
    }
  if (self->span_begin != NULL)
    self->cuda->cuEventDestroy_v2 (self->span_begin);
  for (guint i = 0; i < self->events->len; i++)
    self->cuda->cuEventDestroy_v2 (g_ptr_array_index (self->events, i));
}
