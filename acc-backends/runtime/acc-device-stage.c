/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device-stage.h"

#include "acc-core/acc-parallel-copy-private.h"

/* A ring of pinned blocks per direction. The host's processors copy together into one block, or out of it, while the device
 * moves others: one processor alone is far slower than the bus. */

#define N_BLOCKS    4
#define BLOCK_BYTES ((gsize) 8 << 20)
#define FROM_BYTES  ((gsize) 1 << 20)

typedef struct {
  guint8 *data;
  guint64 point;   /* of the queue: from then on it is free */
  gsize   size;    /* what is on its way */
} StageBlock;

struct _AccDeviceStage {
  GMutex     lock;    /* one transfer at a time */
  AccQueue   queue;
  gboolean   is_refused;
  StageBlock blocks[N_BLOCKS];
};

AccDeviceStage *
acc_device_stage_new (AccQueue queue)
{
  AccDeviceStage *self = g_new0 (AccDeviceStage, 1);

  g_mutex_init (&self->lock);
  self->queue = queue;

  return self;
}

void
acc_device_stage_free (AccDeviceStage *self,
                       AccDevice      *device)
{
  for (guint i = 0; i < N_BLOCKS; i++)
    if (self->blocks[i].data != NULL && device != NULL)
      device->klass->release_host (device, self->blocks[i].data, BLOCK_BYTES);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* With the lock. FALSE: pinned memory is not to be had; then transfers go as they can. */
static gboolean
make_blocks (AccDeviceStage *self,
             AccDevice      *device)
{
  for (guint i = 0; i < N_BLOCKS && !self->is_refused; i++)
    if (self->blocks[i].data == NULL)
      {
        self->blocks[i].data = device->klass->allocate_host (device, BLOCK_BYTES, NULL);
        self->is_refused = self->blocks[i].data == NULL;
      }

  return !self->is_refused;
}

static gboolean
take (AccDeviceStage  *self,
      AccDeviceHeap   *heap,
      StageBlock      *block,
      GError         **error)
{
  if (block->point == 0)
    return TRUE;
  if (!acc_device_heap_block (heap, self->queue, block->point, error))
    return FALSE;

  block->point = 0;

  return TRUE;
}

gboolean
acc_device_stage_wants (AccDevice *device,
                        gsize      size)
{
  return !device->unified && size >= FROM_BYTES;
}

gboolean
acc_device_stage_upload (AccDeviceStage  *self,
                         AccDeviceHeap   *heap,
                         AccDeviceBlock  *to,
                         gconstpointer    from,
                         gsize            size,
                         GError         **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (!make_blocks (self, acc_device_heap_get_device (heap)))
    return acc_device_heap_upload (heap, self->queue, to, 0, from, size, error);

  for (gsize offset = 0, i = 0; offset < size; offset += BLOCK_BYTES, i++)
    {
      StageBlock *block = &self->blocks[i % N_BLOCKS];
      gsize n = MIN (size - offset, BLOCK_BYTES);

      if (!take (self, heap, block, error))
        return FALSE;
      acc_parallel_copy (block->data, (const guint8 *) from + offset, n);
      if (!acc_device_heap_upload (heap, self->queue, to, offset, block->data, n, error)
          || !acc_device_heap_mark (heap, self->queue, &block->point, error))
        return FALSE;
    }

  return TRUE;
}

gboolean
acc_device_stage_download (AccDeviceStage  *self,
                           AccDeviceHeap   *heap,
                           gpointer         to,
                           AccDeviceBlock  *from,
                           gsize            size,
                           GError         **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gsize asked = 0;

  if (!make_blocks (self, acc_device_heap_get_device (heap)))
    {
      guint64 point;

      return acc_device_heap_download (heap, self->queue, to, from, 0, size, error)
             && acc_device_heap_mark (heap, self->queue, &point, error)
             && acc_device_heap_block (heap, self->queue, point, error);
    }

  for (gsize offset = 0; offset < size; offset += BLOCK_BYTES)
    {
      StageBlock *block = &self->blocks[offset / BLOCK_BYTES % N_BLOCKS];

      for (; asked < size && asked < offset + N_BLOCKS * BLOCK_BYTES; asked += BLOCK_BYTES)
        {
          StageBlock *next = &self->blocks[asked / BLOCK_BYTES % N_BLOCKS];

          if (!take (self, heap, next, error)
              || !acc_device_heap_download (heap, self->queue, next->data, from, asked, MIN (size - asked, BLOCK_BYTES), error)
              || !acc_device_heap_mark (heap, self->queue, &next->point, error))
            return FALSE;
        }
      if (!take (self, heap, block, error))
        return FALSE;
      acc_parallel_copy ((guint8 *) to + offset, block->data, MIN (size - offset, BLOCK_BYTES));
    }

  return TRUE;
}
