/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-private.h"

#include <math.h>

/* Queues of the runtime on queues of the device, which several may share. Commands are gathered in batches; a batch is
 * submitted when somebody asks for a point behind it, or when it has grown. A point is the number of a batch.
 *
 * With timeline semaphores each queue counts its batches. Without, there is one queue of the device for all, whose batches
 * run in the order in which they were submitted, and fences tell the host: a batch that is to wait for another queue's need
 * only come after it. */

#define MAX_COMMANDS 48
#define MAX_POLL      5000   /* microseconds */
#define MAX_BUSY_POLL 200    /* of them: without letting others run */

static AccVulkanBatch *
new_batch (AccVulkanQueue *queue,
           GError        **error)
{
  AccVulkanDevice *self = queue->device;
  const VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
    .queueFamilyIndex = queue->submitter->family,
  };
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  const VkQueryPoolCreateInfo times = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = VK_QUERY_TYPE_TIMESTAMP,
    .queryCount = 2,
  };
  AccVulkanBatch *batch = g_new0 (AccVulkanBatch, 1);

  VkResult result = self->vk.CreateCommandPool (self->device, &pool, NULL, &batch->pool);
  if (result == VK_SUCCESS)
    {
      const VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = batch->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
      };
      result = self->vk.AllocateCommandBuffers (self->device, &buffer, &batch->commands);
    }
  if (result == VK_SUCCESS && !self->has_timelines)
    result = self->vk.CreateFence (self->device, &fence, NULL, &batch->fence);
  if (result == VK_SUCCESS && queue->is_timed)
    result = self->vk.CreateQueryPool (self->device, &times, NULL, &batch->times);
  g_queue_push_head (&queue->idle, batch);
  return _acc_vulkan_check (self, result, "making a command buffer", error) ? g_queue_pop_head (&queue->idle) : NULL;
}

static void
free_batch (AccVulkanQueue *queue,
            AccVulkanBatch *batch)
{
  AccVulkanDevice *self = queue->device;

  self->vk.DestroyCommandPool (self->device, batch->pool, NULL);
  self->vk.DestroyFence (self->device, batch->fence, NULL);
  self->vk.DestroyDescriptorPool (self->device, batch->descriptors, NULL);
  self->vk.DestroyQueryPool (self->device, batch->times, NULL);
  if (batch->words != NULL)
    _acc_vulkan_piece_free (self, batch->words);
  g_free (batch);
}

/* Batches of a queue run one after another: a batch begins when the one before has ended, whatever its first stamp says. */
static void
note_times (AccVulkanQueue *queue,
            AccVulkanBatch *batch)
{
  AccVulkanDevice *self = queue->device;
  guint64 times[2];

  if (self->vk.GetQueryPoolResults (self->device, batch->times, 0, 2, sizeof times, times, sizeof times[0], VK_QUERY_RESULT_64_BIT)
      != VK_SUCCESS)
    return;
  /* The clock has .time_bits bits, and may come round. */
  guint64 mask = self->time_bits < 64 ? (G_GUINT64_CONSTANT (1) << self->time_bits) - 1 : G_MAXUINT64;
  guint64 begin = queue->has_last_time && ((times[0] - queue->last_time) & mask) > mask / 2 ? queue->last_time : times[0];
  guint64 length = (times[1] - begin) & mask;
  if (length > mask / 2)
    return;
  queue->busy_time += length;
  queue->passed_time += queue->has_last_time ? (times[1] - queue->last_time) & mask : length;
  queue->last_time = times[1];
  queue->has_last_time = TRUE;
}

/* Which batches are done, with the lock. */
static void
retire (AccVulkanQueue *queue)
{
  AccVulkanDevice *self = queue->device;
  AccVulkanBatch *batch;

  if (self->has_timelines)
    {
      guint64 value;
      VkResult result = self->vk.GetSemaphoreCounterValue (self->device, queue->timeline, &value);
      if (result == VK_SUCCESS)
        queue->reached = MAX (queue->reached, MIN (value, queue->submitted));
      else
        _acc_vulkan_check (self, result, "asking for progress", NULL);
    }

  while ((batch = g_queue_peek_head (&queue->busy)) != NULL)
    {
      if (!self->has_timelines && batch->value > queue->reached)
        {
          VkResult result = self->vk.GetFenceStatus (self->device, batch->fence);
          if (result == VK_SUCCESS)
            queue->reached = batch->value;
          else if (result != VK_NOT_READY)
            _acc_vulkan_check (self, result, "asking for progress", NULL);
        }
      if (batch->value > queue->reached || batch->n_waiters > 0)
        return;
      g_queue_pop_head (&queue->busy);
      if (queue->is_timed)
        note_times (queue, batch);
      g_queue_push_tail (&queue->idle, batch);
    }
}

static VkPipelineStageFlags
get_stages (AccVulkanQueue *queue)
{
  return queue->submitter->family == queue->device->submitters[0].family
         ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT
         : VK_PIPELINE_STAGE_TRANSFER_BIT;
}

static void
put_barrier (AccVulkanQueue *queue,
             AccVulkanBatch *batch,
             gboolean        for_host)
{
  VkPipelineStageFlags stages = get_stages (queue);
  gboolean has_shaders = (stages & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT) != 0;
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | (has_shaders ? VK_ACCESS_SHADER_WRITE_BIT : 0),
    .dstAccessMask = for_host ? VK_ACCESS_HOST_READ_BIT
                              : VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT
                                | (has_shaders ? VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT : 0),
  };
  queue->device->vk.CmdPipelineBarrier (batch->commands, stages, for_host ? VK_PIPELINE_STAGE_HOST_BIT : stages, 0,
                                        1, &barrier, 0, NULL, 0, NULL);
}

static gboolean
open_batch (AccVulkanQueue *queue,
            GError        **error)
{
  AccVulkanDevice *self = queue->device;
  const VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };

  retire (queue);
  AccVulkanBatch *batch = g_queue_pop_head (&queue->idle);
  if (batch == NULL)
    {
      batch = new_batch (queue, error);
      if (batch == NULL)
        return FALSE;
    }

  batch->n_commands = 0;
  batch->words_used = 0;
  VkResult result = self->vk.ResetCommandPool (self->device, batch->pool, 0);
  if (result == VK_SUCCESS && batch->fence != VK_NULL_HANDLE)
    result = self->vk.ResetFences (self->device, 1, &batch->fence);
  if (result == VK_SUCCESS && batch->descriptors != VK_NULL_HANDLE)
    result = self->vk.ResetDescriptorPool (self->device, batch->descriptors, 0);
  if (result == VK_SUCCESS)
    result = self->vk.BeginCommandBuffer (batch->commands, &begin);
  if (!_acc_vulkan_check (self, result, "beginning a command buffer", error))
    {
      g_queue_push_head (&queue->idle, batch);
      return FALSE;
    }
  if (queue->is_timed)
    {
      self->vk.CmdResetQueryPool (batch->commands, batch->times, 0, 2);
      self->vk.CmdWriteTimestamp (batch->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, batch->times, 0);
    }
  queue->open = batch;
  return TRUE;
}

AccVulkanBatch *
_acc_vulkan_queue_record (AccVulkanQueue *queue,
                          GError        **error)
{
  if (!_acc_vulkan_is_there (queue->device, error))
    return NULL;
  if (queue->open != NULL && queue->open->n_commands >= MAX_COMMANDS && !_acc_vulkan_queue_submit (queue, error))
    return NULL;
  if (queue->open == NULL && !open_batch (queue, error))
    return NULL;
  put_barrier (queue, queue->open, FALSE);
  queue->open->n_commands++;
  return queue->open;
}

gboolean
_acc_vulkan_queue_submit (AccVulkanQueue *queue,
                          GError        **error)
{
  AccVulkanDevice *self = queue->device;
  VkSemaphore semaphores[ACC_N_QUEUES];
  VkPipelineStageFlags stages[ACC_N_QUEUES];
  guint64 values[ACC_N_QUEUES];
  guint n_waits = 0;

  for (guint i = 0; i < ACC_N_QUEUES; i++)
    if (queue->waits[i] > 0)
      {
        semaphores[n_waits] = self->queues[i].timeline;
        stages[n_waits] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        values[n_waits++] = queue->waits[i];
        queue->waits[i] = 0;
      }
  if (!_acc_vulkan_is_there (self, error))
    return FALSE;
  if (queue->open == NULL && (n_waits == 0 || !open_batch (queue, error)))
    return n_waits == 0;

  AccVulkanBatch *batch = g_steal_pointer (&queue->open);
  put_barrier (queue, batch, TRUE);
  if (queue->is_timed)
    self->vk.CmdWriteTimestamp (batch->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, batch->times, 1);
  batch->value = ++queue->submitted;

  const VkTimelineSemaphoreSubmitInfo counts = {
    .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
    .waitSemaphoreValueCount = n_waits,
    .pWaitSemaphoreValues = values,
    .signalSemaphoreValueCount = 1,
    .pSignalSemaphoreValues = &batch->value,
  };
  const VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .pNext = self->has_timelines ? &counts : NULL,
    .waitSemaphoreCount = self->has_timelines ? n_waits : 0,
    .pWaitSemaphores = semaphores,
    .pWaitDstStageMask = stages,
    .commandBufferCount = 1,
    .pCommandBuffers = &batch->commands,
    .signalSemaphoreCount = self->has_timelines ? 1 : 0,
    .pSignalSemaphores = &queue->timeline,
  };
  VkResult result = self->vk.EndCommandBuffer (batch->commands);
  if (result == VK_SUCCESS)
    {
      g_mutex_lock (&queue->submitter->lock);
      result = self->vk.QueueSubmit (queue->submitter->queue, 1, &info, batch->fence);
      g_mutex_unlock (&queue->submitter->lock);
    }
  if (result != VK_SUCCESS)
    {
      /* Commands that others recorded are lost with it: none of them may go on as if they had run. */
      g_queue_push_tail (&queue->idle, batch);
      queue->submitted--;
      _acc_vulkan_lose (self, FALSE, "Vulkan: work could not be submitted");
      return _acc_vulkan_check (self, VK_ERROR_DEVICE_LOST, "submitting", error);
    }
  g_queue_push_tail (&queue->busy, batch);
  return TRUE;
}

gboolean
_acc_vulkan_queue_is_idle (AccVulkanQueue *queue)
{
  if (queue->open != NULL)
    return FALSE;
  retire (queue);
  if (queue->reached < queue->submitted)
    return FALSE;
  for (guint i = 0; i < ACC_N_QUEUES; i++)
    if (queue->waits[i] > 0)
      return FALSE;
  return TRUE;
}

/* Whether it is reached soon: to sleep and be woken takes longer than many a kernel. */
static gboolean
poll_for_value (AccVulkanQueue *queue,
                guint64         value,
                guint64         nanoseconds)
{
  AccVulkanDevice *self = queue->device;
  gint64 begin = g_get_monotonic_time (), now = begin;
  guint64 reached = 0;

  /* A device that is made of this machine's processors needs them itself. */
  if (self->type == VK_PHYSICAL_DEVICE_TYPE_CPU)
    return FALSE;
  for (;;)
    {
      if (self->vk.GetSemaphoreCounterValue (self->device, queue->timeline, &reached) != VK_SUCCESS)
        return FALSE;
      now = g_get_monotonic_time () - begin;
      if (reached >= value || now >= MAX_POLL || (guint64) now >= nanoseconds / 1000)
        break;
      if (now >= MAX_BUSY_POLL)
        g_thread_yield ();
    }

  return reached >= value;
}

/* VK_TIMEOUT when it takes longer. */
static VkResult
wait_for_value (AccVulkanQueue *queue,
                guint64         value,
                guint64         nanoseconds)
{
  AccVulkanDevice *self = queue->device;

  if (self->has_timelines)
    {
      const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &queue->timeline,
        .pValues = &value,
      };
      return poll_for_value (queue, value, nanoseconds) ? VK_SUCCESS : self->vk.WaitSemaphores (self->device, &info, nanoseconds);
    }

  AccVulkanBatch *batch = NULL;
  g_mutex_lock (&queue->lock);
  for (GList *l = queue->busy.head; l != NULL && batch == NULL; l = l->next)
    if (((AccVulkanBatch *) l->data)->value >= value)
      batch = l->data;
  if (batch != NULL)
    batch->n_waiters++;
  g_mutex_unlock (&queue->lock);
  if (batch == NULL)
    return VK_SUCCESS;

  VkResult result = self->vk.WaitForFences (self->device, 1, &batch->fence, VK_TRUE, nanoseconds);
  g_mutex_lock (&queue->lock);
  batch->n_waiters--;
  g_mutex_unlock (&queue->lock);
  return result;
}

gboolean
_acc_vulkan_queue_block (AccVulkanQueue *queue,
                         guint64         value,
                         double          seconds,
                         GError        **error)
{
  AccVulkanDevice *self = queue->device;

  if (!_acc_vulkan_is_there (self, error))
    return FALSE;
  g_mutex_lock (&queue->lock);
  retire (queue);
  gboolean is_reached = value <= queue->reached;
  g_mutex_unlock (&queue->lock);
  if (is_reached)
    return _acc_vulkan_is_there (self, error);

  guint64 limit = seconds > 0 && seconds < 1e9 ? (guint64) ceil (seconds * 1e9) : G_MAXUINT64;
  VkResult result = wait_for_value (queue, value, limit);
  if (result == VK_TIMEOUT)
    {
      g_autofree char *reason = g_strdup_printf ("Vulkan: %s did not finish within %g s", self->parent.description, seconds);
      _acc_vulkan_lose (self, TRUE, reason);
      return _acc_vulkan_is_there (self, error);
    }
  return _acc_vulkan_check (self, result, "waiting", error);
}

gboolean
_acc_vulkan_mark (AccDevice *device,
                  AccQueue   queue,
                  guint64   *point,
                  GError   **error)
{
  AccVulkanQueue *q = &((AccVulkanDevice *) device)->queues[queue];
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&q->lock);

  if (!_acc_vulkan_queue_submit (q, error))
    return FALSE;
  *point = q->submitted;
  return TRUE;
}

gboolean
_acc_vulkan_wait (AccDevice *device,
                  AccQueue   queue,
                  AccQueue   other,
                  guint64    point,
                  GError   **error)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;
  AccVulkanQueue *q = &self->queues[queue];

  if (queue == other || _acc_vulkan_is_reached (device, other, point))
    return _acc_vulkan_is_there (self, error);

  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&q->lock);
  /* What was recorded before need not wait. */
  if (q->open != NULL && !_acc_vulkan_queue_submit (q, error))
    return FALSE;
  q->waits[other] = MAX (q->waits[other], point);
  return TRUE;
}

gboolean
_acc_vulkan_is_reached (AccDevice *device,
                        AccQueue   queue,
                        guint64    point)
{
  AccVulkanQueue *q = &((AccVulkanDevice *) device)->queues[queue];
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&q->lock);

  if (point > q->reached)
    retire (q);
  return point <= q->reached;
}

gboolean
_acc_vulkan_block (AccDevice *device,
                   AccQueue   queue,
                   guint64    point,
                   double     seconds,
                   GError   **error)
{
  return _acc_vulkan_queue_block (&((AccVulkanDevice *) device)->queues[queue], point, seconds, error);
}

gboolean
_acc_vulkan_get_busy (AccDevice *device,
                      guint64   *busy,
                      guint64   *passed)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;
  AccVulkanQueue *q = &self->queues[ACC_QUEUE_COMPUTE];

  if (!q->is_timed)
    return FALSE;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&q->lock);
  retire (q);
  *busy = q->busy_time * (double) self->limits.timestampPeriod;
  *passed = q->passed_time * (double) self->limits.timestampPeriod;
  q->busy_time = q->passed_time = 0;
  return TRUE;
}

gboolean
_acc_vulkan_queue_init (AccVulkanQueue     *queue,
                        AccVulkanDevice    *device,
                        AccVulkanSubmitter *submitter,
                        gboolean            is_timed,
                        GError            **error)
{
  const VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
  };
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type };

  queue->device = device;
  queue->submitter = submitter;
  queue->is_timed = is_timed;
  g_mutex_init (&queue->lock);
  g_mutex_init (&queue->stage_lock);
  g_queue_init (&queue->busy);
  g_queue_init (&queue->idle);
  return !device->has_timelines
         || _acc_vulkan_check (device, device->vk.CreateSemaphore (device->device, &info, NULL, &queue->timeline), "making a semaphore",
                               error);
}

/* The device does nothing any more. */
void
_acc_vulkan_queue_clear (AccVulkanQueue *queue)
{
  AccVulkanDevice *self = queue->device;
  AccVulkanBatch *batch;

  if (self == NULL)
    return;
  if (queue->open != NULL)
    free_batch (queue, queue->open);
  while ((batch = g_queue_pop_head (&queue->busy)) != NULL)
    free_batch (queue, batch);
  while ((batch = g_queue_pop_head (&queue->idle)) != NULL)
    free_batch (queue, batch);
  for (guint i = 0; i < ACC_VULKAN_N_STAGES; i++)
    if (queue->stages[i] != NULL)
      _acc_vulkan_piece_free (self, queue->stages[i]);
  self->vk.DestroySemaphore (self->device, queue->timeline, NULL);
  g_mutex_clear (&queue->stage_lock);
  g_mutex_clear (&queue->lock);
}
