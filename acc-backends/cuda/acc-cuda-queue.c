/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cuda-private.h"

/* Points are events. Those that were reached go back to a pool; one that somebody waits for goes back when he is done. */

/* With the lock and the context. */
static CuEvent
take_event (AccCudaDevice  *self,
            gboolean        timed,
            GError        **error)
{
  CuEvent event = NULL;

  if (!timed && self->events->len > 0)
    return g_ptr_array_steal_index_fast (self->events, self->events->len - 1);

  return acc_cuda_check (self, self->cuda->cuEventCreate (&event, timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING), "making an event", error)
         ? event : NULL;
}

/* With the lock. */
static void
point_unref (AccCudaDevice *self,
             AccCudaPoint  *point)
{
  if (!g_atomic_ref_count_dec (&point->ref_count))
    return;

  g_ptr_array_add (self->events, point->event);
  g_free (point);
}

/* With the lock and the context. */
static void
forget_reached (AccCudaDevice *self,
                AccCudaQueue  *queue)
{
  AccCudaPoint *point;

  while ((point = g_queue_peek_head (&queue->points)) != NULL && self->cuda->cuEventQuery (point->event) == CU_SUCCESS)
    {
      queue->reached = point->number;
      point_unref (self, g_queue_pop_head (&queue->points));
    }
}

/* With the lock: the first point from @number on; NULL: it was reached. */
static AccCudaPoint *
find_point (AccCudaQueue *queue,
            guint64       number)
{
  for (GList *link = queue->points.head; link != NULL && number > queue->reached; link = link->next)
    if (((AccCudaPoint *) link->data)->number >= number)
      return link->data;

  return NULL;
}

void
acc_cuda_note_launch (AccCudaDevice *self)
{
  if (!self->timed || self->span_begin != NULL || self->spans->len > 4096)
    return;

  self->span_begin = take_event (self, TRUE, NULL);
  if (self->span_begin != NULL)
    self->cuda->cuEventRecord (self->span_begin, self->queues[ACC_QUEUE_COMPUTE].stream);
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
  self->cuda->cuEventRecord (span.end, self->queues[ACC_QUEUE_COMPUTE].stream);
  g_array_append_val (self->spans, span);
}

gboolean
acc_cuda_mark (AccDevice  *device,
               AccQueue    queue,
               guint64    *point,
               GError    **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;
  AccCudaQueue *q = &self->queues[queue];
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  AccCudaPoint *made;
  gboolean ok = FALSE;

  if (!acc_cuda_enter (self, error))
    return FALSE;

  if (queue == ACC_QUEUE_COMPUTE)
    end_span (self);
  forget_reached (self, q);
  made = g_new0 (AccCudaPoint, 1);
  g_atomic_ref_count_init (&made->ref_count);
  made->event = take_event (self, FALSE, error);
  if (made->event != NULL && acc_cuda_check (self, self->cuda->cuEventRecord (made->event, q->stream), "marking a queue", error))
    {
      made->number = *point = ++q->marked;
      g_queue_push_tail (&q->points, made);
      ok = TRUE;
    }
  else
    {
      if (made->event != NULL)
        g_ptr_array_add (self->events, made->event);
      g_free (made);
    }
  acc_cuda_leave (self);

  return ok;
}

gboolean
acc_cuda_wait (AccDevice  *device,
               AccQueue    queue,
               AccQueue    other,
               guint64     point,
               GError    **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  AccCudaPoint *found = find_point (&self->queues[other], point);
  gboolean ok;

  if (found == NULL || queue == other)
    return TRUE;
  if (!acc_cuda_enter (self, error))
    return FALSE;

  ok = acc_cuda_check (self, self->cuda->cuStreamWaitEvent (self->queues[queue].stream, found->event, 0), "ordering queues", error);
  acc_cuda_leave (self);

  return ok;
}

gboolean
acc_cuda_is_reached (AccDevice *device,
                     AccQueue   queue,
                     guint64    point)
{
  AccCudaDevice *self = (AccCudaDevice *) device;
  AccCudaQueue *q = &self->queues[queue];
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (point <= q->reached)
    return TRUE;
  if (!acc_cuda_enter (self, NULL))
    return FALSE;

  forget_reached (self, q);
  acc_cuda_leave (self);

  return point <= q->reached;
}

static gboolean
poll_event (AccCudaDevice  *self,
            CuEvent         event,
            double          seconds,
            GError        **error)
{
  gint64 begin = g_get_monotonic_time ();
  gulong pause = 20;

  for (;;)
    {
      CuResult result = self->cuda->cuEventQuery (event);

      if (result != CU_NOT_READY)
        return acc_cuda_check (self, result, "waiting", error);
      if (g_get_monotonic_time () - begin > seconds * G_USEC_PER_SEC)
        break;
      g_usleep (pause);
      pause = MIN (pause * 2, 2000);
    }

  g_atomic_int_set (&self->lost, TRUE);
  g_set_error (error, ACC_ERROR, ACC_ERROR_DEVICE_LOST, "%s did not finish within %g s", self->parent.description, seconds);

  return FALSE;
}

gboolean
acc_cuda_block (AccDevice  *device,
                AccQueue    queue,
                guint64     point,
                double      seconds,
                GError    **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;
  AccCudaQueue *q = &self->queues[queue];
  AccCudaPoint *found;
  gboolean ok;

  g_mutex_lock (&self->lock);
  found = find_point (q, point);
  if (found != NULL)
    g_atomic_ref_count_inc (&found->ref_count);
  g_mutex_unlock (&self->lock);
  if (found == NULL)
    {
      if (!g_atomic_int_get (&self->lost))
        return TRUE;
      g_set_error (error, ACC_ERROR, ACC_ERROR_DEVICE_LOST, "%s was lost", self->parent.description);
      return FALSE;
    }

  ok = acc_cuda_enter (self, error);
  if (ok)
    {
      ok = seconds > 0 ? poll_event (self, found->event, seconds, error)
                       : acc_cuda_check (self, self->cuda->cuEventSynchronize (found->event), "waiting", error);
      acc_cuda_leave (self);
    }

  g_mutex_lock (&self->lock);
  point_unref (self, found);
  g_mutex_unlock (&self->lock);

  return ok;
}

gboolean
acc_cuda_get_busy (AccDevice *device,
                   guint64   *busy,
                   guint64   *passed)
{
  AccCudaDevice *self = (AccCudaDevice *) device;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gint64 now = g_get_monotonic_time ();
  double milliseconds = 0;
  guint kept = 0;

  *passed = self->asked > 0 ? (guint64) (now - self->asked) * 1000 : 0;
  *busy = 0;
  self->asked = now;
  self->timed = TRUE;
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
  for (guint i = 0; i < ACC_N_QUEUES; i++)
    {
      AccCudaPoint *point;

      while ((point = g_queue_pop_head (&self->queues[i].points)) != NULL)
        point_unref (self, point);
      if (self->queues[i].stream != NULL)
        self->cuda->cuStreamDestroy_v2 (self->queues[i].stream);
    }
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
