/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-private.h"

#include <string.h>

static gboolean
make_descriptor_pool (AccVulkanDevice *self,
                      AccVulkanBatch  *batch,
                      GError         **error)
{
  const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, ACC_VULKAN_BATCH_DESCRIPTORS };
  const VkDescriptorPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = ACC_VULKAN_BATCH_SETS,
    .poolSizeCount = 1,
    .pPoolSizes = &size,
  };
  return _acc_vulkan_check (self, self->vk.CreateDescriptorPool (self->device, &info, NULL, &batch->descriptors), "making descriptors",
                            error);
}

/* Binds what the kernel uses; VK_ERROR_OUT_OF_POOL_MEMORY: the batch has no more room. */
static VkResult
bind_buffers (AccVulkanDevice              *self,
              AccVulkanBatch               *batch,
              AccDeviceKernel              *kernel,
              const VkDescriptorBufferInfo *buffers)
{
  const VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = batch->descriptors,
    .descriptorSetCount = 1,
    .pSetLayouts = &kernel->set_layout,
  };
  VkDescriptorSet set;
  VkResult result = self->vk.AllocateDescriptorSets (self->device, &info, &set);
  if (result != VK_SUCCESS)
    return result == VK_ERROR_FRAGMENTED_POOL ? VK_ERROR_OUT_OF_POOL_MEMORY : result;

  g_autofree VkWriteDescriptorSet *writes = g_new0 (VkWriteDescriptorSet, kernel->n_bindings);
  for (guint i = 0; i < kernel->n_bindings; i++)
    writes[i] = (VkWriteDescriptorSet) {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set,
      .dstBinding = i,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      .pBufferInfo = &buffers[i],
    };
  self->vk.UpdateDescriptorSets (self->device, kernel->n_bindings, writes, 0, NULL);
  self->vk.CmdBindDescriptorSets (batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1, &set, 0, NULL);
  return VK_SUCCESS;
}

gboolean
_acc_vulkan_dispatch (AccVulkanQueue         *queue,
                      AccDeviceKernel        *kernel,
                      VkDescriptorBufferInfo *buffers,
                      const guint64          *words,
                      guint32                 n_x,
                      guint32                 n_y,
                      GError                **error)
{
  AccVulkanDevice *self = queue->device;
  gsize n_bytes = kernel->n_words * sizeof (guint64);
  gboolean in_memory = n_bytes > 0 && !kernel->pushes;
  AccVulkanBatch *batch = _acc_vulkan_queue_record (queue, error);
  guint64 address = 0;

  if (batch == NULL)
    return FALSE;
  if (in_memory && batch->words_used + n_bytes > ACC_VULKAN_BATCH_WORDS)
    {
      if (!_acc_vulkan_queue_submit (queue, error) || (batch = _acc_vulkan_queue_record (queue, error)) == NULL)
        return FALSE;
    }
  if (in_memory)
    {
      if (batch->words == NULL)
        batch->words = _acc_vulkan_piece_new (self, ACC_VULKAN_MEMORY_WORDS, ACC_VULKAN_BATCH_WORDS, error);
      if (batch->words == NULL)
        return FALSE;
      gsize offset = batch->words->offset + batch->words_used;
      memcpy (batch->words->block->host + offset, words, n_bytes);
      address = batch->words->block->address + offset;
      if (kernel->n_bindings > 0)
        buffers[kernel->n_bindings - 1] = (VkDescriptorBufferInfo) { batch->words->block->buffer, offset, n_bytes };
      batch->words_used += (n_bytes + 255) / 256 * 256;
    }

  if (kernel->n_bindings > 0)
    {
      if (batch->descriptors == VK_NULL_HANDLE && !make_descriptor_pool (self, batch, error))
        return FALSE;
      VkResult result = bind_buffers (self, batch, kernel, buffers);
      if (result == VK_ERROR_OUT_OF_POOL_MEMORY && batch->n_commands > 1)
        return _acc_vulkan_queue_submit (queue, error) && _acc_vulkan_dispatch (queue, kernel, buffers, words, n_x, n_y, error);
      if (!_acc_vulkan_check (self, result, "binding arrays", error))
        return FALSE;
    }
  self->vk.CmdBindPipeline (batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
  if (kernel->pushes && n_bytes > 0)
    self->vk.CmdPushConstants (batch->commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, n_bytes, words);
  else if (in_memory && kernel->has_addresses)
    self->vk.CmdPushConstants (batch->commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof address, &address);
  self->vk.CmdDispatch (batch->commands, n_x, n_y, 1);
  return TRUE;
}

static void
fill_slots (AccDeviceKernel        *kernel,
            const AccDeviceSlot    *slots,
            const AccDeviceMemory  *failure,
            guint64                *words,
            VkDescriptorBufferInfo *buffers)
{
  guint n = 0;

  for (guint i = 0; i < kernel->n_slots; i++)
    {
      const AccDeviceMemory *memory = slots[i].memory;
      if (memory == NULL)
        {
          words[i] = slots[i].bits;
          continue;
        }
      const AccVulkanPiece *piece = memory->handle;
      words[i] = kernel->has_addresses ? memory->address + (guint64) slots[i].offset
                                       : (guint64) (slots[i].offset / (gint64) acc_element_kind_get_size (kernel->kinds[i]));
      buffers[n++] = (VkDescriptorBufferInfo) { piece->block->buffer, piece->offset, piece->size };
    }
  if (kernel->has_addresses)
    {
      words[kernel->n_slots + ACC_GROUPS_WORDS] = failure->address;
    }
  else
    {
      const AccVulkanPiece *piece = failure->handle;
      buffers[n] = (VkDescriptorBufferInfo) { piece->block->buffer, piece->offset, piece->size };
    }
}

gboolean
_acc_vulkan_needs_general (AccDevice           *device,
                           AccDeviceKernel     *kernel,
                           const AccDeviceSlot *slots,
                           guint                n_slots,
                           const AccGroups     *groups)
{
  return !acc_device_is_small_launch (slots, kernel->kinds, n_slots, groups);
}

gboolean
_acc_vulkan_launch (AccDevice             *device,
                    AccDeviceKernel       *kernel,
                    const AccDeviceSlot   *slots,
                    guint                  n_slots,
                    const AccGroups       *groups,
                    const AccDeviceMemory *failure,
                    GError               **error)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;
  AccVulkanQueue *queue = &self->queues[ACC_QUEUE_COMPUTE];
  const gint64 most[2] = { self->limits.maxComputeWorkGroupCount[1], self->limits.maxComputeWorkGroupCount[0] };
  g_autofree guint64 *words = g_new0 (guint64, kernel->n_slots + ACC_GROUPS_WORDS + 1);
  g_autofree VkDescriptorBufferInfo *buffers = g_new0 (VkDescriptorBufferInfo, kernel->n_buffers + 2);
  AccGroupsPart part;

  g_return_val_if_fail (n_slots == kernel->n_slots, FALSE);
  if (groups->begin[0] >= groups->end[0] || groups->begin[1] >= groups->end[1])
    return _acc_vulkan_is_there (self, error);

  fill_slots (kernel, slots, failure, words, buffers);
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&queue->lock);
  acc_groups_begin_parts (groups, most, &part);
  while (acc_groups_next_part (&part))
    {
      memcpy (words + kernel->n_slots, part.words, sizeof part.words);
      if (!_acc_vulkan_dispatch (queue, kernel, buffers, words, (guint32) part.count[1], (guint32) part.count[0], error))
        return FALSE;
    }
  return TRUE;
}

gboolean
_acc_vulkan_run_shader (AccVulkanDevice *self,
                        const char      *source,
                        const char      *name,
                        guint            threads,
                        guint            n_groups,
                        gpointer         data,
                        gsize            size,
                        GError         **error)
{
  AccVulkanQueue *queue = &self->queues[ACC_QUEUE_COMPUTE];
  AccDeviceKernel *kernel = _acc_vulkan_kernel_new_of_source (self, source, name, threads, 1, 0, error);
  AccDeviceMemory memory = { 0 };
  gboolean ok = FALSE;

  if (kernel == NULL)
    return FALSE;
  if (_acc_vulkan_allocate (&self->parent, size, &memory, error)
      && _acc_vulkan_upload (&self->parent, ACC_QUEUE_COMPUTE, &memory, 0, data, size, error))
    {
      const AccVulkanPiece *piece = memory.handle;
      VkDescriptorBufferInfo buffer = { piece->block->buffer, piece->offset, piece->size };
      g_mutex_lock (&queue->lock);
      ok = _acc_vulkan_dispatch (queue, kernel, &buffer, NULL, n_groups, 1, error);
      g_mutex_unlock (&queue->lock);
      ok = ok && _acc_vulkan_download (&self->parent, ACC_QUEUE_COMPUTE, data, &memory, 0, size, error);
    }
  if (memory.handle != NULL)
    _acc_vulkan_release (&self->parent, &memory);
  _acc_vulkan_kernel_free (self, kernel);
  return ok;
}
