/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-opencl-private.h"

static cl_int
get_status (AccOpenclDevice *self,
            cl_event         event)
{
  cl_int status = CL_QUEUED;
  cl_int code = self->cl->clGetEventInfo (event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);

  return code == CL_SUCCESS ? status : code;
}

/* With the lock. */
static void
forget_reached (AccOpenclDevice *self,
                AccOpenclQueue  *queue)
{
  AccOpenclPoint *point;

  while ((point = g_queue_peek_head (&queue->points)) != NULL && get_status (self, point->event) == CL_COMPLETE)
    {
      queue->reached = point->number;
      self->cl->clReleaseEvent (point->event);
      g_free (g_queue_pop_head (&queue->points));
    }
}

/* With the lock: the event of the first point from @number on, retained; NULL: it was reached. */
static cl_event
find_event (AccOpenclDevice *self,
            AccOpenclQueue  *queue,
            guint64          number)
{
  for (GList *link = queue->points.head; link != NULL && number > queue->reached; link = link->next)
    {
      AccOpenclPoint *point = link->data;

      if (point->number >= number)
        {
          self->cl->clRetainEvent (point->event);
          return point->event;
        }
    }

  return NULL;
}

gboolean
acc_opencl_mark (AccDevice  *device,
                 AccQueue    queue,
                 guint64    *point,
                 GError    **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  AccOpenclQueue *q = &self->queues[queue];
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  AccOpenclPoint *made;
  cl_event event = NULL;

  if (!acc_opencl_is_there (self, error))
    return FALSE;

  forget_reached (self, q);
  if (!acc_opencl_check (self, self->cl->clEnqueueMarkerWithWaitList (q->queue, 0, NULL, &event), "marking a queue", error))
    return FALSE;
  if (!acc_opencl_check (self, self->cl->clFlush (q->queue), "starting a queue", error))
    {
      self->cl->clReleaseEvent (event);
      return FALSE;
    }

  made = g_new (AccOpenclPoint, 1);
  *made = (AccOpenclPoint) { ++q->marked, event };
  *point = made->number;
  g_queue_push_tail (&q->points, made);

  return TRUE;
}

gboolean
acc_opencl_wait (AccDevice  *device,
                 AccQueue    queue,
                 AccQueue    other,
                 guint64     point,
                 GError    **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  cl_event event;
  gboolean ok;

  if (!acc_opencl_is_there (self, error))
    return FALSE;
  event = queue != other ? find_event (self, &self->queues[other], point) : NULL;
  if (event == NULL)
    return TRUE;

  ok = acc_opencl_check (self, self->cl->clEnqueueBarrierWithWaitList (self->queues[queue].queue, 1, &event, NULL), "ordering queues", error);
  self->cl->clReleaseEvent (event);

  return ok;
}

gboolean
acc_opencl_is_reached (AccDevice *device,
                       AccQueue   queue,
                       guint64    point)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  AccOpenclQueue *q = &self->queues[queue];
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (point > q->reached)
    forget_reached (self, q);

  return point <= q->reached;
}

static gboolean
poll_event (AccOpenclDevice  *self,
            cl_event          event,
            double            seconds,
            GError          **error)
{
  gint64 begin = g_get_monotonic_time ();
  gulong pause = 20;

  for (;;)
    {
      cl_int status = get_status (self, event);

      if (status <= CL_COMPLETE)
        return acc_opencl_check (self, status, "waiting", error);
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
acc_opencl_block (AccDevice  *device,
                  AccQueue    queue,
                  guint64     point,
                  double      seconds,
                  GError    **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  cl_event event;
  gboolean ok;

  g_mutex_lock (&self->lock);
  event = find_event (self, &self->queues[queue], point);
  g_mutex_unlock (&self->lock);

  if (!acc_opencl_is_there (self, error))
    ok = FALSE;
  else if (event == NULL)
    ok = TRUE;
  else if (seconds > 0)
    ok = poll_event (self, event, seconds, error);
  else
    ok = acc_opencl_check (self, self->cl->clWaitForEvents (1, &event), "waiting", error);
  if (event != NULL)
    self->cl->clReleaseEvent (event);

  return ok;
}

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
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gint64 now = g_get_monotonic_time ();
  guint kept = 0;

  *passed = self->asked > 0 ? (guint64) (now - self->asked) * 1000 : 0;
  *busy = 0;
  self->asked = now;
  self->timed = TRUE;
  if (!acc_opencl_is_there (self, NULL))
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
  for (guint i = 0; i < ACC_N_QUEUES; i++)
    {
      AccOpenclQueue *q = &self->queues[i];
      AccOpenclPoint *point;

      /* A queue that hangs is left to the process's end. */
      if (q->queue != NULL && !g_atomic_int_get (&self->lost))
        self->cl->clFinish (q->queue);
      while ((point = g_queue_pop_head (&q->points)) != NULL)
        {
          self->cl->clReleaseEvent (point->event);
          g_free (point);
        }
      if (q->queue != NULL && !g_atomic_int_get (&self->lost))
        self->cl->clReleaseCommandQueue (q->queue);
    }
}
