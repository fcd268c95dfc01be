/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device-stage.h"

#include "acc-core/backend/acc-backend-private.h"

#define POOLED_FROM (64 * 1024)
#define PINNED      "pinned memory"

static void
trace (const char *event,
       gsize       size,
       const char *what)
{
  if (acc_debug_get_flags () & ACC_DEBUG_MEMORY)
    g_message ("device: %s %" G_GSIZE_FORMAT " bytes, %s", event, size, what);
}

/* --- size classes */

/* 0: too much. */
static gsize
round_size (gsize size)
{
  return size > G_MAXINT64 / 2 ? 0 : MAX ((size + ACC_SMALLEST_BLOCK - 1) / ACC_SMALLEST_BLOCK * ACC_SMALLEST_BLOCK, ACC_SMALLEST_BLOCK);
}

/* A block that may stand in for a smaller one. */
static gsize
get_largest (gsize    size,
             gboolean is_tight)
{
  return is_tight ? size : MAX (size + size / 8, 4096);
}

int
acc_device_heap_compare_sizes (gconstpointer a,
                               gconstpointer b,
                               gpointer      user_data)
{
  return (gsize) a < (gsize) b ? -1 : (gsize) a > (gsize) b;
}

/* --- idle blocks; all with the lock */

static GQueue *
get_shelf (AccDeviceHeap *self,
           guint          kind,
           gsize          size,
           gboolean       make)
{
  GQueue *shelf = g_tree_lookup (self->shelves[kind], (gpointer) size);

  if (shelf == NULL && make)
    {
      shelf = g_queue_new ();
      g_tree_insert (self->shelves[kind], (gpointer) size, shelf);
    }

  return shelf;
}

static void
take_away (AccDeviceHeap  *self,
           AccDeviceBlock *block)
{
  guint kind = block->is_host ? ACC_BLOCK_HOST : ACC_BLOCK_DEVICE;
  GQueue *shelf = get_shelf (self, kind, block->memory.size, FALSE);

  g_queue_unlink (shelf, &block->shelf_link);
  if (shelf->length == 0)
    g_tree_remove (self->shelves[kind], (gpointer) block->memory.size);
  g_queue_unlink (&self->idle, &block->idle_link);
  self->idle_bytes -= block->memory.size;
}

/* Memory of a lost device is not given back: its driver may wait for ever for a kernel that hangs. */
static gsize
destroy (AccDeviceHeap  *self,
         AccDeviceBlock *block)
{
  gsize counted = block->is_counted ? block->counted : 0;
  gboolean is_idle = acc_device_heap_wait_until_idle (self, block, NULL) && !self->lost;

  trace ("free", block->counted, block->what);
  if (is_idle && block->is_host)
    self->device->klass->release_host (self->device, block->memory.host, block->memory.size);
  else if (is_idle)
    self->device->klass->release (self->device, &block->memory);
  if (block->is_counted)
    acc_budget_release (self->budget, block->counted, block->what);
  if (block->is_moved)
    acc_budget_release (self->host_budget, block->counted, block->what);
  if (block->is_host)
    acc_budget_release (self->host_budget, block->counted, PINNED);
  g_clear_pointer (&block->what, g_free);
  if (is_idle)
    g_free (block);
  else
    acc_device_abandon (block);
  if (--self->n_blocks == 0 && self->closed)
    acc_device_heap_free_device (self);

  return counted;
}

/* An uncounted or a foreign block is of no use to others: it goes. */
void
acc_device_heap_put_away (AccDeviceHeap  *self,
                          AccDeviceBlock *block)
{
  if (self->closed || self->lost || block->is_imported || !block->is_counted)
    {
      destroy (self, block);
      return;
    }

  g_queue_push_head_link (get_shelf (self, block->is_host ? ACC_BLOCK_HOST : ACC_BLOCK_DEVICE, block->memory.size, TRUE),
                          &block->shelf_link);
  g_queue_push_head_link (&self->idle, &block->idle_link);
  self->idle_bytes += block->memory.size;
}

gsize
acc_device_heap_destroy_oldest (AccDeviceHeap *self)
{
  AccDeviceBlock *block = g_queue_peek_tail (&self->idle);

  take_away (self, block);

  return destroy (self, block);
}

static gboolean
has_room (AccDeviceHeap *self,
          gsize          size)
{
  guint64 limit = acc_budget_get_limit (self->budget);
  guint64 used = acc_budget_get_used (self->budget);

  return limit == 0 || (used <= limit && size <= limit - used);
}

/* The tightest that fits. The queue that used a block last finds it ready: the latest. Others rather have one that has been idle
 * for long. */
static AccDeviceBlock *
find_idle (AccDeviceHeap *self,
           guint          kind,
           gsize          size,
           gboolean       exact,
           AccQueue       queue)
{
  GTreeNode *node = g_tree_lower_bound (self->shelves[kind], (gpointer) size);
  AccDeviceBlock *block;
  GQueue *shelf;

  if (node == NULL
      || (gsize) g_tree_node_key (node) > get_largest (size, exact || !has_room (self, acc_budget_get_limit (self->budget) / 8)))
    return NULL;

  shelf = g_tree_node_value (node);
  block = queue == ACC_QUEUE_COMPUTE ? g_queue_peek_head (shelf) : g_queue_peek_tail (shelf);
  take_away (self, block);

  return block;
}

guint64
acc_device_heap_reclaim (guint64  wanted,
                         gpointer user_data)
{
  AccDeviceHeap *self = user_data;
  guint64 freed = 0;

  acc_device_heap_lock (self);
  while (freed < wanted)
    {
      guint64 evicted = 0;

      if (self->idle.length > 0)
        freed += acc_device_heap_destroy_oldest (self);
      else if (acc_device_heap_evict (self, &evicted, NULL))
        freed += evicted;
      else
        break;
    }
  acc_device_heap_unlock (self);

  return freed;
}

/* Makes room for a block, at best by a block that fits; whether that is all that can be done. */
static AccDeviceBlock *
find_or_make_room (AccDeviceHeap *self,
                   guint          kind,
                   gsize          size,
                   gboolean       exact,
                   AccQueue       queue)
{
  AccDeviceBlock *block;

  acc_device_heap_lock (self);
  while ((block = find_idle (self, kind, size, exact, queue)) == NULL && !has_room (self, size))
    {
      guint64 freed;

      if (acc_budget_get_limit (self->budget) < size)
        break;
      if (self->idle.length > 0)
        acc_device_heap_destroy_oldest (self);
      else if (!acc_device_heap_evict (self, &freed, NULL))
        break;
    }
  acc_device_heap_unlock (self);

  return block;
}

/* --- blocks */

static AccDeviceBlock *
recycle (AccDeviceHeap   *self,
         AccDeviceBlock  *block,
         const char      *what,
         GError         **error)
{
  acc_budget_release (self->budget, block->counted, block->what);
  block->is_counted = FALSE;
  if (!acc_budget_reserve (self->budget, block->counted, what, error))
    {
      acc_device_heap_lock (self);
      destroy (self, block);
      acc_device_heap_unlock (self);
      return NULL;
    }
  block->is_counted = TRUE;
  if (strcmp (block->what, what) != 0)
    {
      g_free (block->what);
      block->what = g_strdup (what);
    }
  trace ("recycle", block->counted, what);

  return block;
}

static gboolean
ask_device (AccDeviceHeap    *self,
            guint             kind,
            gsize             size,
            AccDeviceMemory  *memory,
            GError          **error)
{
  if (kind == ACC_BLOCK_DEVICE)
    {
      if (!self->device->klass->allocate (self->device, size, memory, error))
        return FALSE;
      memory->size = size;
    }
  else
    *memory = (AccDeviceMemory) { .size = size, .host = self->device->klass->allocate_host (self->device, size, error) };

  return kind == ACC_BLOCK_DEVICE || memory->host != NULL;
}

/* The device may have less than the limit says: what can be spared is given back to it. */
gboolean
acc_device_heap_ask (AccDeviceHeap    *self,
                     guint             kind,
                     gsize             size,
                     AccDeviceMemory  *memory,
                     GError          **error)
{
  for (;;)
    {
      g_autoptr(GError) problem = NULL;
      gboolean more;

      if (ask_device (self, kind, size, memory, &problem))
        return TRUE;

      acc_device_heap_note_error (self, problem);
      if (!g_error_matches (problem, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }

      acc_device_heap_lock (self);
      more = self->idle.length > 0;
      while (self->idle.length > 0)
        acc_device_heap_destroy_oldest (self);
      while (!more && self->resident.length > 0)
        {
          guint64 freed;

          if (!acc_device_heap_evict (self, &freed, NULL))
            break;
          more = self->idle.length > 0;
        }
      while (self->idle.length > 0)
        acc_device_heap_destroy_oldest (self);
      acc_device_heap_unlock (self);

      if (!more)
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }
    }
}

static AccDeviceBlock *
wrap (AccDeviceHeap         *self,
      const AccDeviceMemory *memory,
      gsize                  counted,
      const char            *what)
{
  AccDeviceBlock *block = g_new0 (AccDeviceBlock, 1);

  block->memory = *memory;
  block->heap = self;
  block->counted = counted;
  block->is_counted = TRUE;
  block->what = g_strdup (what);
  block->shelf_link.data = block->idle_link.data = block;

  return block;
}

guint64
acc_device_heap_reclaim_pinned (guint64  wanted,
                                gpointer user_data)
{
  AccDeviceHeap *self = user_data;
  guint64 freed = 0;

  acc_device_heap_lock (self);
  for (GList *link = self->idle.tail, *before; link != NULL && freed < wanted; link = before)
    {
      AccDeviceBlock *block = link->data;

      before = link->prev;
      if (!block->is_host)
        continue;
      take_away (self, block);
      freed += destroy (self, block);
    }
  acc_device_heap_unlock (self);

  return freed;
}

static gboolean
reserve_pinned (AccDeviceHeap  *self,
                gsize           size,
                const char     *what,
                GError        **error)
{
  if (acc_budget_reserve (self->host_budget, size, PINNED, NULL))
    return TRUE;

  /* To say who wants it. */
  if (!acc_budget_reserve (self->host_budget, size, what, error))
    return FALSE;
  acc_budget_release (self->host_budget, size, what);

  return acc_budget_reserve (self->host_budget, size, PINNED, error);
}

static AccDeviceBlock *
make (AccDeviceHeap  *self,
      guint           kind,
      gsize           size,
      const char     *what,
      GError        **error)
{
  gsize rounded = round_size (size);
  AccDeviceMemory memory = { 0 };
  AccDeviceBlock *block;

  if (kind == ACC_BLOCK_DEVICE && self->device->max_buffer > 0 && rounded > MAX (self->device->max_buffer, ACC_SMALLEST_BLOCK))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s needs %" G_GSIZE_FORMAT " bytes in one piece; %s allows %"
                   G_GSIZE_FORMAT, what, size, self->device->description, self->device->max_buffer);
      return NULL;
    }
  if (!acc_budget_reserve (self->budget, rounded, what, error))
    return NULL;
  if (kind == ACC_BLOCK_HOST && !reserve_pinned (self, rounded, what, error))
    {
      acc_budget_release (self->budget, rounded, what);
      return NULL;
    }

  acc_device_heap_lock (self);
  self->n_blocks++;
  acc_device_heap_unlock (self);
  if (!acc_device_heap_ask (self, kind, rounded, &memory, error))
    {
      g_prefix_error (error, "%s needs %" G_GSIZE_FORMAT " bytes: ", what, size);
      acc_device_heap_lock (self);
      self->n_blocks--;
      acc_device_heap_unlock (self);
      acc_budget_release (self->budget, rounded, what);
      if (kind == ACC_BLOCK_HOST)
        acc_budget_release (self->host_budget, rounded, PINNED);
      return NULL;
    }

  block = wrap (self, &memory, rounded, what);
  block->is_host = kind == ACC_BLOCK_HOST;
  trace (kind == ACC_BLOCK_HOST ? "pin" : "allocate", rounded, what);

  return block;
}

static AccDeviceBlock *
allocate (AccDeviceHeap  *self,
          guint           kind,
          gsize           size,
          gboolean        exact,
          AccQueue        queue,
          const char     *what,
          GError        **error)
{
  AccDeviceBlock *block;

  if (what == NULL)
    what = "buffer";
  if (!acc_device_heap_check (self, error))
    return NULL;
  if (round_size (size) == 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s needs %" G_GSIZE_FORMAT " bytes: more than any memory has", what, size);
      return NULL;
    }

  block = find_or_make_room (self, kind, round_size (size), exact, queue);

  return block != NULL ? recycle (self, block, what, error) : make (self, kind, size, what, error);
}

AccDeviceBlock *
acc_device_heap_allocate (AccDeviceHeap  *self,
                          gsize           size,
                          AccQueue        queue,
                          const char     *what,
                          GError        **error)
{
  return allocate (self, ACC_BLOCK_DEVICE, size, FALSE, queue, what, error);
}

AccDeviceBlock *
acc_device_heap_allocate_exact (AccDeviceHeap  *self,
                                gsize           size,
                                AccQueue        queue,
                                const char     *what,
                                GError        **error)
{
  return allocate (self, ACC_BLOCK_DEVICE, size, TRUE, queue, what, error);
}

AccDeviceBlock *
acc_device_heap_import (AccDeviceHeap *self,
                        gpointer       host,
                        gsize          size,
                        const char    *what)
{
  AccDeviceMemory memory = { NULL, };
  AccDeviceBlock *block;

  if (!self->device->unified || self->device->klass->import == NULL || size < POOLED_FROM
      || !acc_budget_reserve (self->budget, size, what, NULL))
    return NULL;
  if (!self->device->klass->import (self->device, host, size, &memory))
    {
      acc_budget_release (self->budget, size, what);
      return NULL;
    }

  block = wrap (self, &memory, size, what);
  block->is_imported = TRUE;
  trace ("import", size, what);
  acc_device_heap_lock (self);
  self->n_blocks++;
  acc_device_heap_unlock (self);

  return block;
}

void
acc_device_block_free (AccDeviceBlock *block)
{
  AccDeviceHeap *self = block->heap;

  acc_device_heap_lock (self);
  acc_device_heap_put_away (self, block);
  acc_device_heap_unlock (self);
}

/* --- memory of the host */

static void
give_back_host (gpointer user_data)
{
  AccDeviceBlock *block = user_data;
  g_autoptr(AccDeviceHeap) self = block->heap;

  acc_device_block_free (block);
}

AccBuffer *
acc_device_heap_allocate_host (AccDeviceHeap  *self,
                               gsize           size,
                               const char     *what,
                               GError        **error)
{
  AccDeviceBlock *block;

  /* Shared memory belongs to the device to begin with. */
  if (self->device->unified && size > 0)
    {
      AccBuffer *buffer = acc_device_heap_new_buffer (self, size, TRUE, what, error);

      if (buffer != NULL)
        {
          acc_device_heap_unpin (self, buffer);
          if (acc_buffer_map (buffer, error) == NULL)
            g_clear_pointer (&buffer, acc_buffer_unref);
        }
      return buffer;
    }
  if (size < POOLED_FROM)
    return acc_buffer_allocate (size, self->host_budget, what, error);

  block = allocate (self, ACC_BLOCK_HOST, size, TRUE, ACC_QUEUE_COMPUTE, what, error);
  if (block == NULL)
    return NULL;
  acc_device_heap_ref (self);

  return acc_buffer_new (block->memory.host, size, give_back_host, block);
}
