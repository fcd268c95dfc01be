/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-private.h"

#include <string.h>

/* Copies between the memories. Host addresses that are not pinned go by way of a few stages per queue. */

static void
record_copy (AccVulkanDevice     *self,
             AccVulkanBatch      *batch,
             const AccVulkanCopy *copy)
{
  const VkBufferCopy region = {
    .srcOffset = copy->from->offset + copy->from_offset,
    .dstOffset = copy->to->offset + copy->to_offset,
    .size = copy->size,
  };
  self->vk.CmdCopyBuffer (batch->commands, copy->from->block->buffer, copy->to->block->buffer, 1, &region);
}

gboolean
_acc_vulkan_record_copy (AccVulkanQueue      *queue,
                         const AccVulkanCopy *copy,
                         GError             **error)
{
  AccVulkanBatch *batch = _acc_vulkan_queue_record (queue, error);
  if (batch == NULL)
    return FALSE;
  record_copy (queue->device, batch, copy);
  return TRUE;
}

static gboolean
enqueue_copy (AccVulkanQueue      *queue,
              const AccVulkanCopy *copy,
              GError             **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&queue->lock);
  return _acc_vulkan_record_copy (queue, copy, error);
}

/* Enqueues the copy, and submits it: what the stage waits for when it is used next. */
static gboolean
enqueue_stage (AccVulkanQueue      *queue,
               guint                stage,
               const AccVulkanCopy *copy,
               GError             **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&queue->lock);
  if (!_acc_vulkan_record_copy (queue, copy, error) || !_acc_vulkan_queue_submit (queue, error))
    return FALSE;
  queue->stage_values[stage] = queue->submitted;
  return TRUE;
}

/* The next stage, when it is free; with the stage lock. */
static gboolean
take_stage (AccVulkanQueue *queue,
            guint          *stage,
            GError        **error)
{
  *stage = queue->next_stage;
  queue->next_stage = (queue->next_stage + 1) % ACC_VULKAN_N_STAGES;
  if (queue->stages[*stage] == NULL)
    queue->stages[*stage] = _acc_vulkan_piece_new (queue->device, ACC_VULKAN_MEMORY_HOST, ACC_VULKAN_STAGE_SIZE, error);
  return queue->stages[*stage] != NULL && _acc_vulkan_queue_block (queue, queue->stage_values[*stage], queue->device->timeout, error);
}

/* Where the host sees the device's memory and nothing is left to wait for, the host copies. */
static gboolean
is_idle (AccVulkanQueue *queue)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&queue->lock);
  return _acc_vulkan_queue_is_idle (queue);
}

gboolean
_acc_vulkan_upload (AccDevice             *device,
                    AccQueue               queue,
                    const AccDeviceMemory *to,
                    gsize                  offset,
                    gconstpointer          from,
                    gsize                  size,
                    GError               **error)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;
  AccVulkanQueue *q = &self->queues[queue];
  gsize begin;

  if (!_acc_vulkan_is_there (self, error))
    return FALSE;
  AccVulkanPiece *pinned = _acc_vulkan_find_pinned (self, from, size, &begin);
  if (pinned != NULL)
    return enqueue_copy (q, &(AccVulkanCopy) { to->handle, offset, pinned, begin - pinned->offset, size }, error);
  if (to->host != NULL && is_idle (q))
    {
      memcpy ((guint8 *) to->host + offset, from, size);
      return TRUE;
    }

  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&q->stage_lock);
  for (gsize done = 0; done < size; done += ACC_VULKAN_STAGE_SIZE)
    {
      gsize part = MIN (size - done, ACC_VULKAN_STAGE_SIZE);
      guint stage;
      if (!take_stage (q, &stage, error))
        return FALSE;
      memcpy (_acc_vulkan_piece_host (q->stages[stage]), (const guint8 *) from + done, part);
      if (!enqueue_stage (q, stage, &(AccVulkanCopy) { to->handle, offset + done, q->stages[stage], 0, part }, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
download_direct (AccVulkanQueue        *queue,
                 gpointer               to,
                 const AccDeviceMemory *from,
                 gsize                  offset,
                 gsize                  size,
                 GError               **error)
{
  guint64 value;

  g_mutex_lock (&queue->lock);
  gboolean submitted = _acc_vulkan_queue_submit (queue, error);
  value = queue->submitted;
  g_mutex_unlock (&queue->lock);
  if (!submitted || !_acc_vulkan_queue_block (queue, value, queue->device->timeout, error))
    return FALSE;
  memcpy (to, (const guint8 *) from->host + offset, size);
  return TRUE;
}

gboolean
_acc_vulkan_download (AccDevice             *device,
                      AccQueue               queue,
                      gpointer               to,
                      const AccDeviceMemory *from,
                      gsize                  offset,
                      gsize                  size,
                      GError               **error)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;
  AccVulkanQueue *q = &self->queues[queue];
  guint stages[ACC_VULKAN_N_STAGES];
  gsize begin;

  if (!_acc_vulkan_is_there (self, error))
    return FALSE;
  AccVulkanPiece *pinned = _acc_vulkan_find_pinned (self, to, size, &begin);
  if (pinned != NULL)
    {
      const AccVulkanCopy copy = { pinned, begin - pinned->offset, from->handle, offset, size };
      AccDeviceKernel *kernel = _acc_vulkan_download_choose (q, &copy);
      return kernel != NULL ? _acc_vulkan_download_enqueue (q, kernel, &copy, error) : enqueue_copy (q, &copy, error);
    }
  if (from->host != NULL)
    return download_direct (q, to, from, offset, size, error);

  /* Part n is fetched while parts n + 1 to n + 3 are on their way. */
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&q->stage_lock);
  gsize n_parts = (size - 1) / ACC_VULKAN_STAGE_SIZE + 1;
  for (gsize i = 0; i < n_parts + ACC_VULKAN_N_STAGES - 1; i++)
    {
      if (i < n_parts)
        {
          guint *stage = &stages[i % ACC_VULKAN_N_STAGES];
          gsize done = i * ACC_VULKAN_STAGE_SIZE;
          gsize part = MIN (size - done, ACC_VULKAN_STAGE_SIZE);
          if (!take_stage (q, stage, error)
              || !enqueue_stage (q, *stage, &(AccVulkanCopy) { q->stages[*stage], 0, from->handle, offset + done, part }, error))
            return FALSE;
        }
      if (i >= ACC_VULKAN_N_STAGES - 1)
        {
          gsize done = (i - (ACC_VULKAN_N_STAGES - 1)) * ACC_VULKAN_STAGE_SIZE;
          guint stage = stages[(i - (ACC_VULKAN_N_STAGES - 1)) % ACC_VULKAN_N_STAGES];
          if (!_acc_vulkan_queue_block (q, q->stage_values[stage], self->timeout, error))
            return FALSE;
          memcpy ((guint8 *) to + done, _acc_vulkan_piece_host (q->stages[stage]), MIN (size - done, ACC_VULKAN_STAGE_SIZE));
        }
    }
  return TRUE;
}

gboolean
_acc_vulkan_copy (AccDevice             *device,
                  AccQueue               queue,
                  const AccDeviceMemory *to,
                  gsize                  to_offset,
                  const AccDeviceMemory *from,
                  gsize                  from_offset,
                  gsize                  size,
                  GError               **error)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;

  return enqueue_copy (&self->queues[queue], &(AccVulkanCopy) { to->handle, to_offset, from->handle, from_offset, size }, error);
}

gboolean
_acc_vulkan_clear (AccDevice             *device,
                   AccQueue               queue,
                   const AccDeviceMemory *memory,
                   gsize                  offset,
                   gsize                  size,
                   GError               **error)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;
  AccVulkanQueue *q = &self->queues[queue];
  AccVulkanPiece *piece = memory->handle;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&q->lock);
  AccVulkanBatch *batch = _acc_vulkan_queue_record (q, error);
  if (batch == NULL)
    return FALSE;
  /* Fills go by words; what is left at both ends is copied. */
  gsize head = MIN ((4 - offset % 4) % 4, size);
  gsize tail = (size - head) % 4;
  if (head > 0)
    record_copy (self, batch, &(AccVulkanCopy) { piece, offset, self->zeros, 0, head });
  if (size - head - tail > 0)
    self->vk.CmdFillBuffer (batch->commands, piece->block->buffer, piece->offset + offset + head, size - head - tail, 0);
  if (tail > 0)
    record_copy (self, batch, &(AccVulkanCopy) { piece, offset + size - tail, self->zeros, 0, tail });
  return TRUE;
}
