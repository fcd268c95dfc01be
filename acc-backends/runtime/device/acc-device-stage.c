/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device-stage.h"

#include "acc-core/base/acc-parallel-private.h"

#include <string.h>

/* A ring of pinned blocks per direction. Only the caller talks to the device, and moves part i of a transfer through block i % N_BLOCKS, as
 * its round i / N_BLOCKS; helpers copy between the blocks and the memory of the host meanwhile, since one processor alone is far slower
 * than the bus. They are woken once and then spin: to wake them for every part, or to let them wait for locks, takes as long as the part
 * does. */

#define N_BLOCKS    16
#define BLOCK_BYTES ((gsize) 2 << 20)
#define FROM_BYTES  ((gsize) 1 << 20)
#define MAX_HELPERS 8
#define SPINS       2000

typedef struct {
  guint8 *data;
  guint64 point;    /* of the queue: where its last turn ends */
  gsize   copied;   /* atomic: turns that the host has copied, in this transfer */
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
  guint8         *to;          /* of a download; else NULL */
  const guint8   *from;        /* of an upload */
  gsize           size;
  gsize           n_parts;
  gsize           open;        /* atomic: parts before this one may be copied by the host */
  gsize           next;        /* atomic: the first part that no helper copies yet */
  gint            n_helpers;   /* atomic */
  gboolean        over;        /* atomic */
  GThread        *caller;
  GError         *error;
} Transfer;

static StageBlock *
get_block (Transfer *self,
           gsize     i)
{
  return &self->stage->blocks[i % N_BLOCKS];
}

static gsize
get_part (Transfer *self,
          gsize     i,
          gsize    *offset)
{
  *offset = i * BLOCK_BYTES;

  return MIN (self->size - *offset, BLOCK_BYTES);
}

static gboolean
is_copied (Transfer *self,
           gsize     i)
{
  return __atomic_load_n (&get_block (self, i)->copied, __ATOMIC_ACQUIRE) > i / N_BLOCKS;
}

static gboolean
is_reached (Transfer *self,
            gsize     i)
{
  AccDevice *device = acc_device_heap_get_device (self->heap);

  return device->klass->is_reached (device, self->stage->queue, get_block (self, i)->point);
}

/* Copies a part that is open, if there is one. */
static gboolean
copy_one (Transfer *self)
{
  gsize i = __atomic_load_n (&self->next, __ATOMIC_RELAXED), offset, n;
  StageBlock *block;

  do
    if (i >= __atomic_load_n (&self->open, __ATOMIC_ACQUIRE))
      return FALSE;
  while (!__atomic_compare_exchange_n (&self->next, &i, i + 1, FALSE, __ATOMIC_RELAXED, __ATOMIC_RELAXED));

  block = get_block (self, i);
  n = get_part (self, i, &offset);
  if (self->to != NULL)
    memcpy (self->to + offset, block->data, n);
  else
    memcpy (block->data, self->from + offset, n);
  __atomic_store_n (&block->copied, i / N_BLOCKS + 1, __ATOMIC_RELEASE);

  return TRUE;
}

static void
pause_after (guint *spins)
{
  if (++*spins > SPINS)
    g_thread_yield ();
}

static void
help (Transfer *self)
{
  guint spins = 0;

  g_atomic_int_inc (&self->n_helpers);
  while (!g_atomic_int_get (&self->over) && __atomic_load_n (&self->next, __ATOMIC_RELAXED) < self->n_parts)
    if (copy_one (self))
      spins = 0;
    else
      pause_after (&spins);
  g_atomic_int_add (&self->n_helpers, -1);
}

/* Gives part @i to the queue. */
static gboolean
issue (Transfer *self,
       gsize     i)
{
  StageBlock *block = get_block (self, i);
  AccQueue queue = self->stage->queue;
  gsize offset, n = get_part (self, i, &offset);

  return (self->to != NULL ? acc_device_heap_download (self->heap, queue, block->data, self->memory, offset, n, &self->error)
                           : acc_device_heap_upload (self->heap, queue, self->memory, offset, block->data, n, &self->error))
         && acc_device_heap_mark (self->heap, queue, &block->point, &self->error);
}

/* Called when there is nothing to give to the queue: helps to copy if no helper does, and lets the host wait while all blocks are with the
 * device, which finishes part @oldest next. */
static gboolean
idle (Transfer *self,
      gboolean  all_with_device,
      gsize     oldest,
      guint    *spins)
{
  if (all_with_device)
    return acc_device_heap_block (self->heap, self->stage->queue, get_block (self, oldest)->point, &self->error);
  if (g_atomic_int_get (&self->n_helpers) > 0 || !copy_one (self))
    pause_after (spins);

  return TRUE;
}

static gboolean
pump_up (Transfer *self)
{
  gsize open = MIN (N_BLOCKS, self->n_parts), issued = 0;
  guint spins = 0;

  __atomic_store_n (&self->open, open, __ATOMIC_RELEASE);
  while (issued < self->n_parts)
    {
      gsize before = open + issued;

      for (; issued < open && is_copied (self, issued); issued++)
        if (!issue (self, issued))
          return FALSE;
      while (open < self->n_parts && open < issued + N_BLOCKS && is_reached (self, open - N_BLOCKS))
        __atomic_store_n (&self->open, ++open, __ATOMIC_RELEASE);
      if (open + issued > before)
        spins = 0;
      else if (!idle (self, issued == open, open - N_BLOCKS, &spins))
        return FALSE;
    }

  return TRUE;
}

static gboolean
pump_down (Transfer *self)
{
  gsize open = 0, issued = 0, copied = 0;
  guint spins = 0;

  while (copied < self->n_parts)
    {
      gsize before = open + issued + copied;

      for (; issued < MIN (copied + N_BLOCKS, self->n_parts); issued++)
        if (!issue (self, issued))
          return FALSE;
      while (open < issued && is_reached (self, open))
        __atomic_store_n (&self->open, ++open, __ATOMIC_RELEASE);
      while (copied < open && is_copied (self, copied))
        copied++;
      if (open + issued + copied > before)
        spins = 0;
      else if (!idle (self, copied == open, open, &spins))
        return FALSE;
    }

  return TRUE;
}

static void
work (gpointer data)
{
  Transfer *self = data;

  if (g_thread_self () != self->caller)
    {
      help (self);
      return;
    }
  if (self->to != NULL)
    pump_down (self);
  else
    pump_up (self);
  g_atomic_int_set (&self->over, TRUE);
}

/* With the stage's lock and blocks. */
static gboolean
transfer (Transfer  *self,
          GError   **error)
{
  AccDeviceStage *stage = self->stage;

  self->n_parts = (self->size + BLOCK_BYTES - 1) / BLOCK_BYTES;
  self->caller = g_thread_self ();
  for (guint i = 0; i < N_BLOCKS && self->error == NULL; i++)
    {
      StageBlock *block = &stage->blocks[i];

      if (block->point == 0 || acc_device_heap_block (self->heap, stage->queue, block->point, &self->error))
        block->point = block->copied = 0;
    }
  if (self->error == NULL)
    acc_parallel_run (MIN (self->n_parts, MAX_HELPERS) + 1, work, self);
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
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
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
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  Transfer download = { .stage = self, .heap = heap, .memory = from, .to = to, .size = size };
  guint64 point;

  if (make_blocks (self, acc_device_heap_get_device (heap)))
    return transfer (&download, error);

  return acc_device_heap_download (heap, self->queue, to, from, 0, size, error)
         && acc_device_heap_mark (heap, self->queue, &point, error)
         && acc_device_heap_block (heap, self->queue, point, error);
}
