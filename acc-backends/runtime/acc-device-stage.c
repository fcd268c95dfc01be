/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device-stage.h"

#include "acc-core/acc-parallel-private.h"

#include <string.h>

/* A ring of pinned blocks per direction. The host's processors each copy into a block of their own, or out of it, while the
 * device moves others: one processor alone is far slower than the bus, and to wake them for every block takes as long as the
 * block does. Part i of a transfer is the (i / N_BLOCKS)-th turn of block i % N_BLOCKS. */

#define N_BLOCKS    16
#define BLOCK_BYTES ((gsize) 2 << 20)
#define FROM_BYTES  ((gsize) 1 << 20)
#define SPINS       1000

typedef struct {
  guint8 *data;
  guint64 point;   /* of the queue: where its last turn ends */
  gsize   turns;   /* atomic: how many were given to the queue, in this transfer */
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

gboolean
acc_device_stage_wants (AccDevice *device,
                        gsize      size)
{
  return !device->unified && size >= FROM_BYTES;
}

/* --- a transfer */

typedef struct {
  AccDeviceStage *stage;
  AccDeviceHeap  *heap;
  AccDeviceBlock *memory;
  guint8         *to;       /* of a download; else NULL */
  const guint8   *from;     /* of an upload */
  gsize           size;
  gsize           n_parts;
  gsize           next;     /* atomic: first part that nobody has taken */
  gboolean        failed;   /* atomic */
  GError         *error;    /* of the first that failed; with .lock */
  GMutex          lock;
} Transfer;

static void
fail (Transfer *self,
      GError   *error)
{
  g_mutex_lock (&self->lock);
  if (self->error == NULL)
    self->error = error;
  else
    g_error_free (error);
  g_mutex_unlock (&self->lock);
  g_atomic_int_set (&self->failed, TRUE);
}

static gsize
get_part (Transfer *self,
          gsize     i,
          gsize    *offset)
{
  *offset = i * BLOCK_BYTES;

  return MIN (self->size - *offset, BLOCK_BYTES);
}

/* Gives part @i to the queue. */
static gboolean
issue (Transfer  *self,
       gsize      i,
       GError   **error)
{
  StageBlock *block = &self->stage->blocks[i % N_BLOCKS];
  AccQueue queue = self->stage->queue;
  gsize offset, n = get_part (self, i, &offset);

  if (!(self->to != NULL ? acc_device_heap_download (self->heap, queue, block->data, self->memory, offset, n, error)
                         : acc_device_heap_upload (self->heap, queue, self->memory, offset, block->data, n, error))
      || !acc_device_heap_mark (self->heap, queue, &block->point, error))
    return FALSE;
  __atomic_store_n (&block->turns, i / N_BLOCKS + 1, __ATOMIC_RELEASE);

  return TRUE;
}

/* Until the queue has done as many turns of the block, which somebody else gives to it. */
static gboolean
await (Transfer    *self,
       StageBlock  *block,
       gsize        turns,
       GError     **error)
{
  for (guint spins = 0; __atomic_load_n (&block->turns, __ATOMIC_ACQUIRE) < turns; spins++)
    {
      if (g_atomic_int_get (&self->failed))
        return FALSE;
      if (spins >= SPINS)
        g_thread_yield ();
    }

  return turns == 0 || acc_device_heap_block (self->heap, self->stage->queue, block->point, error);
}

static gboolean
do_part (Transfer  *self,
         gsize      i,
         GError   **error)
{
  StageBlock *block = &self->stage->blocks[i % N_BLOCKS];
  gsize offset, n = get_part (self, i, &offset), turn = i / N_BLOCKS;

  if (self->to == NULL)
    {
      if (!await (self, block, turn, error))
        return FALSE;
      memcpy (block->data, self->from + offset, n);

      return issue (self, i, error);
    }

  if (!await (self, block, turn + 1, error))
    return FALSE;
  memcpy (self->to + offset, block->data, n);

  return i + N_BLOCKS >= self->n_parts || issue (self, i + N_BLOCKS, error);
}

static void
do_parts (gpointer data)
{
  Transfer *self = data;
  gsize i;

  while (!g_atomic_int_get (&self->failed) && (i = __atomic_fetch_add (&self->next, 1, __ATOMIC_RELAXED)) < self->n_parts)
    {
      GError *error = NULL;

      if (!do_part (self, i, &error) && error != NULL)
        fail (self, error);
    }
}

/* With the stage's lock and blocks. What is on its way from the host is in blocks that nobody else uses before it is done. */
static gboolean
transfer (Transfer  *self,
          GError   **error)
{
  AccDeviceStage *stage = self->stage;
  GError *problem = NULL;

  self->n_parts = (self->size + BLOCK_BYTES - 1) / BLOCK_BYTES;
  g_mutex_init (&self->lock);

  for (guint i = 0; i < N_BLOCKS; i++)
    {
      if (stage->blocks[i].point != 0 && !acc_device_heap_block (self->heap, stage->queue, stage->blocks[i].point, &problem))
        break;
      stage->blocks[i].point = 0;
      stage->blocks[i].turns = 0;
    }
  for (gsize i = 0; self->to != NULL && i < MIN (N_BLOCKS, self->n_parts) && problem == NULL; i++)
    issue (self, i, &problem);

  if (problem == NULL)
    acc_parallel_run (self->n_parts, do_parts, self);
  else
    self->error = problem;
  g_mutex_clear (&self->lock);
  if (self->error == NULL)
    return TRUE;

  g_propagate_error (error, self->error);

  return FALSE;
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
  Transfer upload = { .stage = self, .heap = heap, .memory = to, .from = from, .size = size };

  if (!make_blocks (self, acc_device_heap_get_device (heap)))
    return acc_device_heap_upload (heap, self->queue, to, 0, from, size, error);

  return transfer (&upload, error);
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
  Transfer download = { .stage = self, .heap = heap, .memory = from, .to = to, .size = size };
  guint64 point;

  if (make_blocks (self, acc_device_heap_get_device (heap)))
    return transfer (&download, error);

  return acc_device_heap_download (heap, self->queue, to, from, 0, size, error)
         && acc_device_heap_mark (heap, self->queue, &point, error)
         && acc_device_heap_block (heap, self->queue, point, error);
}
