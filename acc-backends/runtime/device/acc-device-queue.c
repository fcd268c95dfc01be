/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device-heap-private.h"

/* Orders the queues. A use of a block gets its number after it was enqueued, so that a mark taken with the lock held is behind every use
 * that has a number by then. */

static void
note_use (AccDeviceHeap  *self,
          AccQueue        queue,
          AccDeviceBlock *block)
{
  block->used[queue] = self->queues[queue].used;
}

gboolean
acc_device_heap_note_error (AccDeviceHeap *self,
                            const GError  *error)
{
  if (error != NULL && error->domain == ACC_ERROR && error->code == ACC_ERROR_DEVICE_LOST)
    __atomic_store_n (&self->lost, TRUE, __ATOMIC_RELEASE);

  return FALSE;
}

/* Hands on an error of the device, having looked at it. */
static gboolean
done (AccDeviceHeap *self,
      gboolean       ok,
      GError        *problem,
      GError       **error)
{
  if (ok)
    return TRUE;

  acc_device_heap_note_error (self, problem);
  g_propagate_error (error, problem);

  return FALSE;
}

gboolean
acc_device_heap_check (AccDeviceHeap  *self,
                       GError        **error)
{
  if (!__atomic_load_n (&self->lost, __ATOMIC_ACQUIRE))
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_DEVICE_LOST, "the device was lost by what ran on it before: %s",
               self->device != NULL ? self->device->description : "it is gone");

  return FALSE;
}

/* With the lock. */
static gboolean
mark (AccDeviceHeap  *self,
      AccQueue        queue,
      AccDeviceMark  *mark,
      GError        **error)
{
  AccDeviceQueue *q = &self->queues[queue];
  GError *problem = NULL;

  mark->number = q->used;
  if (!self->device->klass->mark (self->device, queue, &mark->point, &problem))
    return done (self, FALSE, problem, error);

  if (q->n_marks == ACC_MAX_MARKS)
    memmove (q->marks, q->marks + 1, --q->n_marks * sizeof q->marks[0]);
  q->marks[q->n_marks++] = *mark;

  return TRUE;
}

/* With the lock: a mark behind use number @number; .number is 0 where it is done already. */
static gboolean
find_mark (AccDeviceHeap  *self,
           AccQueue        queue,
           guint64         number,
           AccDeviceMark  *found,
           GError        **error)
{
  AccDeviceQueue *q = &self->queues[queue];
  guint i = 0;

  found->number = 0;
  if (number <= q->reached)
    return TRUE;

  while (i < q->n_marks && q->marks[i].number < number)
    i++;
  if (i == q->n_marks)
    return mark (self, queue, found, error);

  if (self->device->klass->is_reached (self->device, queue, q->marks[i].point))
    {
      q->reached = MAX (q->reached, q->marks[i].number);
      q->n_marks -= i + 1;
      memmove (q->marks, q->marks + i + 1, q->n_marks * sizeof q->marks[0]);
    }
  else
    *found = q->marks[i];

  return TRUE;
}

gboolean
acc_device_heap_order (AccDeviceHeap   *self,
                       AccQueue         queue,
                       AccDeviceBlock  *block,
                       GError         **error)
{
  for (guint other = 0; other < ACC_N_QUEUES; other++)
    if (other != queue && block->used[other] > self->queues[queue].behind[other])
      {
        GError *problem = NULL;
        AccDeviceMark found;

        if (!find_mark (self, other, block->used[other], &found, error))
          return FALSE;
        if (found.number == 0)
          continue;
        if (!self->device->klass->wait (self->device, queue, other, found.point, &problem))
          return done (self, FALSE, problem, error);
        self->queues[queue].behind[other] = found.number;
      }

  return TRUE;
}

gboolean
acc_device_heap_wait_until_idle (AccDeviceHeap   *self,
                                 AccDeviceBlock  *block,
                                 GError         **error)
{
  for (guint queue = 0; queue < ACC_N_QUEUES; queue++)
    if (block->used[queue] > self->queues[queue].reached)
      {
        GError *problem = NULL;
        AccDeviceMark found;

        if (!find_mark (self, queue, block->used[queue], &found, error))
          return FALSE;
        if (found.number == 0)
          continue;
        if (!self->device->klass->block (self->device, queue, found.point, self->timeout, &problem))
          return done (self, FALSE, problem, error);
        self->queues[queue].reached = MAX (self->queues[queue].reached, found.number);
      }

  return TRUE;
}

gboolean
acc_device_heap_begin (AccDeviceHeap   *self,
                       AccQueue         queue,
                       AccDeviceBlock **blocks,
                       guint            n_blocks,
                       GError         **error)
{
  gboolean ok = acc_device_heap_check (self, error);

  acc_device_heap_lock (self);
  for (guint i = 0; i < n_blocks && ok; i++)
    if (blocks[i] != NULL)
      ok = acc_device_heap_order (self, queue, blocks[i], error);
  acc_device_heap_unlock (self);

  return ok;
}

void
acc_device_heap_end (AccDeviceHeap   *self,
                     AccQueue         queue,
                     AccDeviceBlock **blocks,
                     guint            n_blocks)
{
  acc_device_heap_lock (self);
  self->queues[queue].used++;
  for (guint i = 0; i < n_blocks; i++)
    if (blocks[i] != NULL)
      note_use (self, queue, blocks[i]);
  acc_device_heap_unlock (self);
}

gboolean
acc_device_heap_upload (AccDeviceHeap   *self,
                        AccQueue         queue,
                        AccDeviceBlock  *to,
                        gsize            offset,
                        gconstpointer    from,
                        gsize            size,
                        GError         **error)
{
  GError *problem = NULL;
  gboolean ok;

  if (size == 0)
    return TRUE;
  if (!acc_device_heap_begin (self, queue, &to, 1, error))
    return FALSE;

  ok = self->device->klass->upload (self->device, queue, &to->memory, offset, from, size, &problem);
  acc_device_heap_end (self, queue, &to, 1);

  return done (self, ok, problem, error);
}

gboolean
acc_device_heap_download (AccDeviceHeap   *self,
                          AccQueue         queue,
                          gpointer         to,
                          AccDeviceBlock  *from,
                          gsize            offset,
                          gsize            size,
                          GError         **error)
{
  GError *problem = NULL;
  gboolean ok;

  if (size == 0)
    return TRUE;
  if (!acc_device_heap_begin (self, queue, &from, 1, error))
    return FALSE;

  ok = self->device->klass->download (self->device, queue, to, &from->memory, offset, size, &problem);
  acc_device_heap_end (self, queue, &from, 1);

  return done (self, ok, problem, error);
}

gboolean
acc_device_heap_copy (AccDeviceHeap   *self,
                      AccQueue         queue,
                      AccDeviceBlock  *to,
                      gsize            to_offset,
                      AccDeviceBlock  *from,
                      gsize            from_offset,
                      gsize            size,
                      GError         **error)
{
  AccDeviceBlock *both[] = { to, from };
  GError *problem = NULL;
  gboolean ok;

  if (size == 0)
    return TRUE;
  if (!acc_device_heap_begin (self, queue, both, 2, error))
    return FALSE;

  ok = self->device->klass->copy (self->device, queue, &to->memory, to_offset, &from->memory, from_offset, size, &problem);
  acc_device_heap_end (self, queue, both, 2);

  return done (self, ok, problem, error);
}

gboolean
acc_device_heap_mark (AccDeviceHeap  *self,
                      AccQueue        queue,
                      guint64        *point,
                      GError        **error)
{
  AccDeviceMark made = { 0, 0 };
  gboolean ok = acc_device_heap_check (self, error);

  acc_device_heap_lock (self);
  ok = ok && mark (self, queue, &made, error);
  acc_device_heap_unlock (self);
  *point = made.point;

  return ok;
}

/* Without the lock; what is done by then is known to later searches. */
gboolean
acc_device_heap_block (AccDeviceHeap  *self,
                       AccQueue        queue,
                       guint64         point,
                       GError        **error)
{
  AccDeviceQueue *q = &self->queues[queue];
  GError *problem = NULL;

  if (!acc_device_heap_check (self, error))
    return FALSE;

  if (!self->device->klass->block (self->device, queue, point, self->timeout, &problem))
    return done (self, FALSE, problem, error);

  acc_device_heap_lock (self);
  for (guint i = 0; i < q->n_marks; i++)
    if (q->marks[i].point <= point)
      q->reached = MAX (q->reached, q->marks[i].number);
  acc_device_heap_unlock (self);

  return TRUE;
}

void
acc_device_heap_drain (AccDeviceHeap *self)
{
  for (guint queue = 0; queue < ACC_N_QUEUES; queue++)
    {
      guint64 point;

      if (!acc_device_heap_mark (self, queue, &point, NULL) || !acc_device_heap_block (self, queue, point, NULL))
        return;
    }
}
