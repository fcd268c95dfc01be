/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device-stage.h"

#include "acc-core/backend/acc-backend-private.h"

#include <string.h>

/* The device copy of a buffer. It stays with the buffer when its block is taken away. All fields change with the heap's lock held. */
typedef struct {
  AccBufferCopy   base;
  AccDeviceHeap  *heap;
  AccBuffer      *buffer;    /* that it belongs to */
  AccDeviceBlock *block;     /* NULL: not on the device */
  guint           pins;
  gboolean        is_busy;   /* one thread brings the bytes here, or to the host, without the lock */
  gboolean        is_listed; /* among the heap's resident */
  GList           link;
} Copy;

static gboolean copy_fetch (AccBufferCopy *base, AccBuffer *buffer, GError **error);
static gboolean copy_peek  (AccBufferCopy *base, AccBuffer *buffer, gsize offset, gsize size, gpointer data, GError **error);
static void     copy_free  (AccBufferCopy *base);

static const AccBufferCopyClass copy_class = { copy_fetch, copy_free, copy_peek };

static void
trace (const char *event,
       gsize       size,
       const char *what)
{
  if (acc_debug_get_flags () & ACC_DEBUG_TRANSFERS)
    g_message ("device: %s %" G_GSIZE_FORMAT " bytes, %s", event, size, what);
}

static Copy *
copy_new (AccDeviceHeap *heap)
{
  Copy *self = g_new0 (Copy, 1);

  self->base.klass = &copy_class;
  self->base.owner = heap;
  self->heap = acc_device_heap_ref (heap);
  self->link.data = self;

  return self;
}

/* Whether the host reads the block's own memory, or would. */
static gboolean
is_shared (Copy *self)
{
  return self->block != NULL && !self->block->is_imported && self->heap->device->unified && self->block->memory.host != NULL
         && (self->buffer->data == NULL || self->buffer->data == self->block->memory.host);
}

/* --- with the lock */

static void
list (Copy *self)
{
  if (!self->is_listed && self->pins == 0 && self->block != NULL && self->block->is_counted)
    {
      g_queue_push_head_link (&self->heap->resident, &self->link);
      self->is_listed = TRUE;
    }
}

static void
unlist (Copy *self)
{
  if (self->is_listed)
    g_queue_unlink (&self->heap->resident, &self->link);
  self->is_listed = FALSE;
}

static void
wait_until_idle (Copy *self)
{
  while (self->is_busy)
    pthread_cond_wait (&self->heap->changed, &self->heap->mutex);
}

static void
set_busy (Copy     *self,
          gboolean  is_busy)
{
  self->is_busy = is_busy;
  if (!is_busy)
    pthread_cond_broadcast (&self->heap->changed);
}

static void
give_up_block (Copy *self)
{
  acc_device_heap_put_away (self->heap, g_steal_pointer (&self->block));
}

/* A device block cannot be evicted if the host has no room for it: that is an error of its own, and nothing is lost. */
static gboolean
move_out (Copy    *self,
          GError **error)
{
  AccDeviceHeap *heap = self->heap;
  AccDeviceBlock *block = self->block;
  GError *problem = NULL;
  AccBuffer *host;
  AccDeviceMark mark = { 0, 0 };
  gboolean ok;

  host = acc_pool_allocate (heap->fetched, self->buffer->size, block->what, error);
  if (host == NULL)
    return FALSE;

  trace ("move out", self->buffer->size, block->what);
  ok = acc_device_heap_order (heap, ACC_QUEUE_DOWNLOAD, block, error);
  if (ok)
    {
      ok = (self->buffer->size == 0
            || heap->device->klass->download (heap->device, ACC_QUEUE_DOWNLOAD, host->data, &block->memory, 0, self->buffer->size,
                                              &problem))
           && heap->device->klass->mark (heap->device, ACC_QUEUE_DOWNLOAD, &mark.point, &problem)
           && heap->device->klass->block (heap->device, ACC_QUEUE_DOWNLOAD, mark.point, heap->timeout, &problem);
      if (!ok)
        {
          acc_device_heap_note_error (heap, problem);
          g_propagate_error (error, problem);
        }
    }
  if (ok)
    acc_buffer_set_host (self->buffer, host->data, (GDestroyNotify) acc_buffer_unref, host);
  else if (!heap->lost)
    acc_buffer_unref (host);
  else
    acc_device_abandon (host);

  return ok;
}

gboolean
acc_device_heap_evict (AccDeviceHeap  *self,
                       guint64        *freed,
                       GError        **error)
{
  Copy *copy = g_queue_peek_tail (&self->resident);
  AccDeviceBlock *block;

  if (copy == NULL)
    return FALSE;

  block = copy->block;
  *freed = block->counted;
  unlist (copy);
  if (is_shared (copy))
    {
      if (!acc_budget_reserve (self->host_budget, block->counted, block->what, error))
        {
          list (copy);
          return FALSE;
        }
      trace ("count as the host's", block->counted, block->what);
      block->is_moved = TRUE;
      acc_budget_release (self->budget, block->counted, block->what);
      block->is_counted = FALSE;
      return TRUE;
    }

  if (copy->buffer->data == NULL && copy->buffer->size > 0)
    {
      if (self->lost || !move_out (copy, error))
        {
          list (copy);
          return FALSE;
        }
    }
  else
    trace ("drop", block->counted, block->what);
  *freed = 0;
  give_up_block (copy);

  return TRUE;
}

void
acc_device_heap_drop_clean (AccDeviceHeap *self)
{
  GList *next;

  for (GList *link = self->resident.head; link != NULL; link = next)
    {
      Copy *copy = link->data;

      next = link->next;
      if (copy->buffer->data == NULL || is_shared (copy))
        continue;
      unlist (copy);
      give_up_block (copy);
    }
}

/* --- without the lock */

static void
copy_free (AccBufferCopy *base)
{
  Copy *self = (Copy *) base;
  AccDeviceHeap *heap = self->heap;

  acc_device_heap_lock (heap);
  unlist (self);
  if (self->block != NULL)
    give_up_block (self);
  acc_device_heap_unlock (heap);
  g_free (self);
  acc_device_heap_unref (heap);
}

static AccBuffer *
download (Copy       *self,
          gsize       offset,
          gsize       size,
          GError    **error)
{
  AccDeviceHeap *heap = self->heap;
  AccBuffer *host;
  gboolean done;
  guint64 point;

  acc_device_heap_lock (heap);
  host = acc_pool_allocate (heap->fetched, size, self->block->what, error);
  acc_device_heap_unlock (heap);
  if (host == NULL)
    return NULL;

  trace ("fetch", size, self->block->what);
  if (offset == 0 && acc_device_stage_wants (heap->device, size))
    done = acc_device_stage_download (heap->stages[1], heap, host->data, self->block, size, error);
  else
    done = acc_device_heap_download (heap, ACC_QUEUE_DOWNLOAD, host->data, self->block, offset, size, error)
           && acc_device_heap_mark (heap, ACC_QUEUE_DOWNLOAD, &point, error)
           && acc_device_heap_block (heap, ACC_QUEUE_DOWNLOAD, point, error);
  if (done)
    return host;

  /* Without pinned memory the device may write there yet. */
  if (!heap->lost)
    acc_buffer_unref (host);
  else
    acc_device_abandon (host);

  return NULL;
}

/* Brings all bytes to the host, where they stay, or copies @size from @offset on to @data. */
static gboolean
bring (Copy       *self,
       AccBuffer  *buffer,
       gsize       offset,
       gsize       size,
       gpointer    data,
       GError    **error)
{
  AccDeviceHeap *heap = self->heap;
  AccBuffer *host = NULL;

  set_busy (self, TRUE);
  self->pins++;
  unlist (self);
  acc_device_heap_unlock (heap);

  host = download (self, offset, size, error);
  if (host != NULL && data != NULL)
    {
      memcpy (data, host->data, size);
      acc_buffer_unref (host);
    }
  else if (host != NULL)
    {
      acc_buffer_set_host (buffer, host->data, (GDestroyNotify) acc_buffer_unref, host);
    }

  acc_device_heap_lock (heap);
  set_busy (self, FALSE);
  self->pins--;
  list (self);
  if (heap->closed && self->pins == 0 && host != NULL && data == NULL)
    {
      unlist (self);
      give_up_block (self);
    }

  return host != NULL;
}

static gboolean
copy_peek (AccBufferCopy  *base,
           AccBuffer      *buffer,
           gsize           offset,
           gsize           size,
           gpointer        data,
           GError        **error)
{
  Copy *self = (Copy *) base;
  AccDeviceHeap *heap = self->heap;
  gboolean ok = TRUE;

  acc_device_heap_lock (heap);
  wait_until_idle (self);
  if (buffer->data == NULL)
    ok = acc_device_heap_check (heap, error);
  if (ok && buffer->data == NULL && is_shared (self))
    {
      ok = acc_device_heap_wait_until_idle (heap, self->block, error);
      if (ok)
        memcpy (data, (const guint8 *) self->block->memory.host + offset, size);
    }
  else if (ok && buffer->data == NULL)
    {
      ok = bring (self, buffer, offset, size, data, error);
    }
  else if (ok)
    {
      memcpy (data, (const guint8 *) buffer->data + offset, size);
    }
  acc_device_heap_unlock (heap);

  return ok;
}

static gboolean
copy_fetch (AccBufferCopy  *base,
            AccBuffer      *buffer,
            GError        **error)
{
  Copy *self = (Copy *) base;
  AccDeviceHeap *heap = self->heap;
  gboolean ok = TRUE;

  acc_device_heap_lock (heap);
  wait_until_idle (self);
  if (buffer->data == NULL)
    ok = acc_device_heap_check (heap, error);
  if (ok && buffer->data == NULL && is_shared (self))
    {
      ok = acc_device_heap_wait_until_idle (heap, self->block, error);
      if (ok)
        acc_buffer_set_host (buffer, self->block->memory.host, NULL, NULL);
    }
  else if (ok && buffer->data == NULL)
    {
      ok = bring (self, buffer, 0, buffer->size, NULL, error);
    }
  acc_device_heap_unlock (heap);

  return ok;
}

/* --- for users of the device */

static Copy *
get_copy (AccDeviceHeap *self,
          AccBuffer     *buffer)
{
  AccBufferCopy *copy = acc_buffer_get_copy (buffer, self);

  if (copy == NULL)
    {
      Copy *made = copy_new (self);

      made->buffer = buffer;
      copy = acc_buffer_add_copy (buffer, &made->base);
    }

  return (Copy *) copy;
}

static AccDeviceBlock *
upload (AccDeviceHeap  *self,
        AccBuffer      *buffer,
        const char     *what,
        GError        **error)
{
  gpointer data = acc_buffer_map (buffer, error);
  AccQueue queue = buffer->size <= ACC_SMALL_TRANSFER ? ACC_QUEUE_COMPUTE : ACC_QUEUE_UPLOAD;
  g_autoptr(AccDeviceBlock) block = NULL;

  if (data == NULL)
    return NULL;

  block = acc_device_heap_import (self, data, buffer->size, what);
  if (block != NULL)
    return g_steal_pointer (&block);

  block = acc_device_heap_allocate (self, buffer->size, queue, what, error);
  if (block == NULL)
    return NULL;

  trace ("upload", buffer->size, what);
  if (acc_device_stage_wants (self->device, buffer->size)
      ? !acc_device_stage_upload (self->stages[0], self, block, data, buffer->size, error)
      : !acc_device_heap_upload (self, queue, block, 0, data, buffer->size, error))
    return NULL;

  return g_steal_pointer (&block);
}

AccDeviceBlock *
acc_device_heap_pin (AccDeviceHeap  *self,
                     AccBuffer      *buffer,
                     const char     *what,
                     GError        **error)
{
  Copy *copy = get_copy (self, buffer);
  AccDeviceBlock *block;
  gboolean ok = TRUE;

  if (what == NULL)
    what = "buffer";

  acc_device_heap_lock (self);
  wait_until_idle (copy);
  copy->pins++;
  unlist (copy);
  if (copy->block != NULL && copy->block->is_counted)
    {
      block = copy->block;
      acc_device_heap_unlock (self);
      return block;
    }

  set_busy (copy, TRUE);
  block = copy->block;
  acc_device_heap_unlock (self);

  if (block == NULL)
    ok = (block = upload (self, buffer, what, error)) != NULL;
  else
    ok = acc_budget_reserve (self->budget, block->counted, block->what, error);

  acc_device_heap_lock (self);
  set_busy (copy, FALSE);
  if (ok)
    {
      copy->block = block;
      block->is_counted = TRUE;
      if (block->is_moved)
        acc_budget_release (self->host_budget, block->counted, block->what);
      block->is_moved = FALSE;
    }
  else
    copy->pins--;
  acc_device_heap_unlock (self);

  return ok ? block : NULL;
}

void
acc_device_heap_unpin (AccDeviceHeap *self,
                       AccBuffer     *buffer)
{
  Copy *copy = (Copy *) acc_buffer_get_copy (buffer, self);

  g_return_if_fail (copy != NULL && copy->pins > 0);

  acc_device_heap_lock (self);
  copy->pins--;
  list (copy);
  acc_device_heap_unlock (self);
}

void
acc_device_heap_send_ahead (AccDeviceHeap *self,
                            AccBuffer     *buffer)
{
  /* What is small goes in the order of kernels. */
  if (!self->device->unified && buffer->size > ACC_SMALL_TRANSFER && acc_device_heap_pin (self, buffer, "read ahead", NULL) != NULL)
    acc_device_heap_unpin (self, buffer);
}

void
acc_device_heap_unpin_filled (AccDeviceHeap *self,
                              AccBuffer     *buffer,
                              gconstpointer  data)
{
  Copy *copy = (Copy *) acc_buffer_get_copy (buffer, self);

  acc_device_heap_lock (self);
  wait_until_idle (copy);
  if (data != NULL && buffer->data == NULL)
    {
      gpointer bytes = g_aligned_alloc (1, buffer->size, 64);

      acc_buffer_set_host (buffer, memcpy (bytes, data, buffer->size), g_aligned_free, bytes);
    }
  copy->pins--;
  list (copy);
  acc_device_heap_unlock (self);
}

AccBuffer *
acc_device_heap_new_buffer (AccDeviceHeap  *self,
                            gsize           size,
                            gboolean        exact,
                            const char     *what,
                            GError        **error)
{
  AccDeviceBlock *block = (exact ? acc_device_heap_allocate_exact : acc_device_heap_allocate) (self, size, ACC_QUEUE_COMPUTE, what, error);
  Copy *copy;

  if (block == NULL)
    return NULL;

  copy = copy_new (self);
  copy->block = block;
  copy->pins = 1;
  copy->buffer = acc_buffer_new_remote (size, &copy->base);

  return copy->buffer;
}
