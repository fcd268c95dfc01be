/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-opencl-private.h"

/* Command queues of an OpenCL device: launches, copies, and points, which are events. */

static cl_int
get_status (AccOpenclDevice *self,
            cl_event         event)
{
  cl_int status = CL_QUEUED;
  cl_int code = self->cl->clGetEventInfo (event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);

  return code == CL_SUCCESS ? status : code;
}

/* --- points */

static gboolean
check (AccEventDevice  *device,
       int              code,
       const char      *doing,
       GError         **error)
{
  return acc_opencl_check ((AccOpenclDevice *) device, code, doing, error);
}

static void
release (AccEventDevice *device,
         gpointer        event)
{
  ((AccOpenclDevice *) device)->cl->clReleaseEvent (event);
}

static gpointer
record (AccEventDevice  *device,
        AccQueue         queue,
        GError         **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  cl_event event = NULL;

  if (!acc_opencl_check (self, self->cl->clEnqueueMarkerWithWaitList (self->queues[queue], 0, NULL, &event), "marking a queue", error))
    return NULL;
  if (acc_opencl_check (self, self->cl->clFlush (self->queues[queue]), "starting a queue", error))
    return event;

  release (device, event);

  return NULL;
}

static int
ask (AccEventDevice *device,
     gpointer        event)
{
  return get_status ((AccOpenclDevice *) device, event);
}

static int
await (AccEventDevice *device,
       gpointer        event)
{
  cl_event events[] = { event };

  return ((AccOpenclDevice *) device)->cl->clWaitForEvents (1, events);
}

static int
order (AccEventDevice *device,
       AccQueue        queue,
       gpointer        event)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  cl_event events[] = { event };

  return self->cl->clEnqueueBarrierWithWaitList (self->queues[queue], 1, events, NULL);
}

const AccEventClass acc_opencl_events = {
  .check = check,
  .record = record,
  .release = release,
  .ask = ask,
  .await = await,
  .order = order,
};

/* --- times */

/* Of an event that has come to pass; 0 where the device cannot tell. */
static guint64
get_length (AccOpenclDevice *self,
            cl_event         event)
{
  cl_ulong begin = 0, end = 0;

  if (self->cl->clGetEventProfilingInfo (event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL) != CL_SUCCESS
      || self->cl->clGetEventProfilingInfo (event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) != CL_SUCCESS)
    return 0;

  return end > begin ? end - begin : 0;
}

gboolean
acc_opencl_get_busy (AccDevice *device,
                     guint64   *busy,
                     guint64   *passed)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->parent.lock);
  guint kept = 0;

  *passed = acc_event_device_restart (&self->parent);
  *busy = 0;
  if (!acc_event_device_is_there (&self->parent, NULL))
    return FALSE;

  for (guint i = 0; i < self->runs->len; i++)
    {
      cl_event event = g_ptr_array_index (self->runs, i);

      if (get_status (self, event) > CL_COMPLETE)
        {
          g_ptr_array_index (self->runs, kept++) = event;
          continue;
        }
      *busy += get_length (self, event);
      self->cl->clReleaseEvent (event);
    }
  g_ptr_array_set_size (self->runs, kept);

  return TRUE;
}

void
acc_opencl_free_queues (AccOpenclDevice *self)
{
  for (guint i = 0; i < self->runs->len; i++)
    self->cl->clReleaseEvent (g_ptr_array_index (self->runs, i));
  g_ptr_array_set_size (self->runs, 0);
  acc_event_device_drop_points (&self->parent);
  /* A queue that hangs is left to the process's end. */
  for (guint i = 0; i < ACC_N_QUEUES && !g_atomic_int_get (&self->parent.lost); i++)
    if (self->queues[i] != NULL)
      {
        self->cl->clFinish (self->queues[i]);
        self->cl->clReleaseCommandQueue (self->queues[i]);
      }
}
