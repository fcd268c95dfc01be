/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-event-device.h"

/* µs between questions of whether an event has come to pass. */
#define SHORTEST_PAUSE 20
#define LONGEST_PAUSE  2000

/* A point of a queue that may not be reached yet. Reference counted: those who wait hold a reference. */
typedef struct {
  gatomicrefcount ref_count;
  guint64         number;
  gpointer        event;
} Point;

gpointer
acc_event_device_new (const AccDeviceClass *klass,
                      const AccEventClass  *events,
                      gsize                 size)
{
  AccEventDevice *self = g_malloc0 (size);

  self->parent.klass = klass;
  self->events = events;
  g_mutex_init (&self->lock);
  for (guint i = 0; i < ACC_N_QUEUES; i++)
    g_queue_init (&self->points[i].points);

  return self;
}

void
acc_event_device_free (AccEventDevice *self)
{
  g_mutex_clear (&self->lock);
  g_free (self->parent.description);
  g_free (self->parent.id);
  g_free (self);
}

gboolean
acc_event_device_is_there (AccEventDevice  *self,
                           GError         **error)
{
  if (!g_atomic_int_get (&self->lost))
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_DEVICE_LOST, "%s was lost", self->parent.description);

  return FALSE;
}

static gboolean
enter (AccEventDevice  *self,
       GError         **error)
{
  return acc_event_device_is_there (self, error) && (self->events->enter == NULL || self->events->enter (self, error));
}

static void
leave (AccEventDevice *self)
{
  if (self->events->leave != NULL)
    self->events->leave (self);
}

guint64
acc_event_device_restart (AccEventDevice *self)
{
  gint64 now = g_get_monotonic_time ();
  guint64 passed = self->asked > 0 ? (guint64) (now - self->asked) * 1000 : 0;

  self->asked = now;
  self->is_timed = TRUE;

  return passed;
}

/* --- points, with the lock */

static void
point_unref (AccEventDevice *self,
             Point          *point)
{
  if (!g_atomic_ref_count_dec (&point->ref_count))
    return;

  self->events->release (self, point->event);
  g_free (point);
}

void
acc_event_device_drop_points (AccEventDevice *self)
{
  for (guint i = 0; i < ACC_N_QUEUES; i++)
    while (!g_queue_is_empty (&self->points[i].points))
      point_unref (self, g_queue_pop_head (&self->points[i].points));
}

/* Entered. */
static void
forget_reached (AccEventDevice *self,
                AccEventPoints *points)
{
  Point *point;

  while ((point = g_queue_peek_head (&points->points)) != NULL && self->events->ask (self, point->event) == 0)
    {
      points->reached = point->number;
      point_unref (self, g_queue_pop_head (&points->points));
    }
}

/* The first one from @number on; NULL: it was reached. */
static Point *
find_point (AccEventPoints *points,
            guint64         number)
{
  for (GList *link = points->points.head; link != NULL && number > points->reached; link = link->next)
    if (((Point *) link->data)->number >= number)
      return link->data;

  return NULL;
}

/* --- what the class has */

gboolean
acc_event_device_mark (AccDevice  *device,
                       AccQueue    queue,
                       guint64    *point,
                       GError    **error)
{
  AccEventDevice *self = (AccEventDevice *) device;
  AccEventPoints *points = &self->points[queue];
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gpointer event;
  Point *made;

  if (!enter (self, error))
    return FALSE;

  forget_reached (self, points);
  event = self->events->record (self, queue, error);
  leave (self);
  if (event == NULL)
    return FALSE;

  made = g_new (Point, 1);
  *made = (Point) { .number = ++points->marked, .event = event };
  g_atomic_ref_count_init (&made->ref_count);
  g_queue_push_tail (&points->points, made);
  *point = made->number;

  return TRUE;
}

gboolean
acc_event_device_wait (AccDevice  *device,
                       AccQueue    queue,
                       AccQueue    other,
                       guint64     point,
                       GError    **error)
{
  AccEventDevice *self = (AccEventDevice *) device;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  Point *found = queue != other ? find_point (&self->points[other], point) : NULL;
  gboolean ok;

  if (found == NULL)
    return acc_event_device_is_there (self, error);
  if (!enter (self, error))
    return FALSE;

  ok = self->events->check (self, self->events->order (self, queue, found->event), "ordering queues", error);
  leave (self);

  return ok;
}

gboolean
acc_event_device_is_reached (AccDevice *device,
                             AccQueue   queue,
                             guint64    point)
{
  AccEventDevice *self = (AccEventDevice *) device;
  AccEventPoints *points = &self->points[queue];
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (point > points->reached && enter (self, NULL))
    {
      forget_reached (self, points);
      leave (self);
    }

  return point <= points->reached;
}

static gboolean
poll (AccEventDevice  *self,
      gpointer         event,
      double           seconds,
      GError         **error)
{
  gint64 begin = g_get_monotonic_time ();

  for (gulong pause = SHORTEST_PAUSE;; pause = MIN (pause * 2, LONGEST_PAUSE))
    {
      int code = self->events->ask (self, event);

      if (code <= 0)
        return self->events->check (self, code, "waiting", error);
      if (g_get_monotonic_time () - begin > seconds * G_USEC_PER_SEC)
        break;
      g_usleep (pause);
    }

  g_atomic_int_set (&self->lost, TRUE);
  g_set_error (error, ACC_ERROR, ACC_ERROR_DEVICE_LOST, "%s did not finish within %g s", self->parent.description, seconds);

  return FALSE;
}

gboolean
acc_event_device_block (AccDevice  *device,
                        AccQueue    queue,
                        guint64     point,
                        double      seconds,
                        GError    **error)
{
  AccEventDevice *self = (AccEventDevice *) device;
  Point *found;
  gboolean ok;

  g_mutex_lock (&self->lock);
  found = find_point (&self->points[queue], point);
  if (found != NULL)
    g_atomic_ref_count_inc (&found->ref_count);
  g_mutex_unlock (&self->lock);
  if (found == NULL)
    return acc_event_device_is_there (self, error);

  ok = enter (self, error);
  if (ok)
    {
      ok = seconds > 0 ? poll (self, found->event, seconds, error)
                       : self->events->check (self, self->events->await (self, found->event), "waiting", error);
      leave (self);
    }

  g_mutex_lock (&self->lock);
  point_unref (self, found);
  g_mutex_unlock (&self->lock);

  return ok;
}
