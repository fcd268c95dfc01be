/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-private.h"

/* Device memory in pieces of large blocks: a driver has few allocations to give (4096 on some) and takes long over each. Each
 * block has one buffer over all of it. Large pieces have a block to themselves. */

#define ALIGNMENT  256
#define PAGE       4096
#define BLOCK_SIZE ((gsize) 64 << 20)

typedef struct {
  gsize offset, size;
} Range;

typedef struct {
  guintptr        begin;
  gsize           size;
  AccVulkanPiece *piece;
} Pinned;

static const VkMemoryPropertyFlags wishes[ACC_VULKAN_N_MEMORIES][2] = {
  [ACC_VULKAN_MEMORY_DEVICE] = { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0 },
  [ACC_VULKAN_MEMORY_HOST]   = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                                 | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                 VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT },
  [ACC_VULKAN_MEMORY_WORDS]  = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                                 | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                 VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT },
};

#define UNIFIED_FLAGS (VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT \
                       | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT)

static gboolean
find_type (AccVulkanDevice      *self,
           guint32               allowed,
           VkMemoryPropertyFlags flags,
           guint32              *type)
{
  for (guint32 i = 0; i < self->memories.memoryTypeCount; i++)
    if ((allowed & (1u << i)) != 0 && (self->memories.memoryTypes[i].propertyFlags & flags) == flags)
      {
        *type = i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
choose_type (AccVulkanDevice *self,
             AccVulkanMemory  what,
             guint32          allowed,
             guint32         *type)
{
  if (what == ACC_VULKAN_MEMORY_DEVICE && self->parent.unified && find_type (self, allowed, UNIFIED_FLAGS, type))
    return TRUE;
  return find_type (self, allowed, wishes[what][0], type) || find_type (self, allowed, wishes[what][1], type);
}

static void
free_block (AccVulkanDevice *self,
            AccVulkanBlock  *block)
{
  if (block->buffer != VK_NULL_HANDLE)
    self->vk.DestroyBuffer (self->device, block->buffer, NULL);
  for (guint i = 0; i < block->memories->len; i++)
    self->vk.FreeMemory (self->device, g_array_index (block->memories, VkDeviceMemory, i), NULL);
  g_array_unref (block->memories);
  g_clear_pointer (&block->free, g_array_unref);
  g_free (block);
}

static gboolean
allocate_memory (AccVulkanDevice *self,
                 AccVulkanBlock  *block,
                 gsize            size,
                 guint32          type,
                 GError         **error)
{
  const VkMemoryAllocateFlagsInfo flags = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  const VkMemoryAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .pNext = self->has_addresses ? &flags : NULL,
    .allocationSize = size,
    .memoryTypeIndex = type,
  };
  VkDeviceMemory memory;

  if (size > self->memories.memoryHeaps[self->memories.memoryTypes[type].heapIndex].size)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "Vulkan: %" G_GSIZE_FORMAT " bytes are more than the device's memory", size);
      return FALSE;
    }
  if (!_acc_vulkan_check (self, self->vk.AllocateMemory (self->device, &info, NULL, &memory), "allocating memory", error))
    return FALSE;
  g_array_append_val (block->memories, memory);
  return TRUE;
}

/* A buffer larger than one allocation may be: several of them in a row. */
static gboolean
bind_sparse (AccVulkanDevice            *self,
             AccVulkanBlock             *block,
             const VkMemoryRequirements *needs,
             guint32                     type,
             GError                    **error)
{
  gsize part = self->max_allocation / needs->alignment * needs->alignment;
  gsize size = (needs->size + needs->alignment - 1) / needs->alignment * needs->alignment;
  g_autoptr(GArray) binds = g_array_new (FALSE, TRUE, sizeof (VkSparseMemoryBind));
  AccVulkanSubmitter *submitter = &self->submitters[0];

  for (gsize offset = 0; offset < size; offset += part)
    {
      VkSparseMemoryBind bind = { .resourceOffset = offset, .size = MIN (part, size - offset) };
      if (!allocate_memory (self, block, bind.size, type, error))
        return FALSE;
      bind.memory = g_array_index (block->memories, VkDeviceMemory, block->memories->len - 1);
      g_array_append_val (binds, bind);
    }

  const VkSparseBufferMemoryBindInfo buffer = {
    .buffer = block->buffer,
    .bindCount = binds->len,
    .pBinds = (VkSparseMemoryBind *) binds->data,
  };
  const VkBindSparseInfo info = { .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .bufferBindCount = 1, .pBufferBinds = &buffer };
  const VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkFence fence;
  if (!_acc_vulkan_check (self, self->vk.CreateFence (self->device, &fence_info, NULL, &fence), "making a fence", error))
    return FALSE;
  g_mutex_lock (&submitter->lock);
  VkResult result = self->vk.QueueBindSparse (submitter->queue, 1, &info, fence);
  g_mutex_unlock (&submitter->lock);
  if (result == VK_SUCCESS)
    result = self->vk.WaitForFences (self->device, 1, &fence, VK_TRUE, G_MAXUINT64);
  self->vk.DestroyFence (self->device, fence, NULL);
  return _acc_vulkan_check (self, result, "binding memory", error);
}

static AccVulkanBlock *
new_buffer (AccVulkanDevice    *self,
            AccVulkanMemory     what,
            gsize               size,
            VkBufferCreateFlags flags,
            gconstpointer       more,
            GError            **error)
{
  AccVulkanBlock *block = g_new0 (AccVulkanBlock, 1);
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .pNext = more,
    .flags = flags,
    .size = size,
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
             | (self->has_addresses ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0),
    .sharingMode = self->n_families > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
    .queueFamilyIndexCount = self->n_families > 1 ? self->n_families : 0,
    .pQueueFamilyIndices = self->families,
  };

  block->what = what;
  block->size = size;
  block->memories = g_array_new (FALSE, FALSE, sizeof (VkDeviceMemory));
  if (size > self->max_buffer_size)
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Vulkan: %" G_GSIZE_FORMAT " bytes are more than this device's buffers can have",
                 size);
  else if (_acc_vulkan_check (self, self->vk.CreateBuffer (self->device, &info, NULL, &block->buffer), "making a buffer", error))
    return block;
  free_block (self, block);
  return NULL;
}

static void
find_address (AccVulkanDevice *self,
              AccVulkanBlock  *block)
{
  const VkBufferDeviceAddressInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = block->buffer };

  if (self->has_addresses)
    block->address = self->vk.GetBufferDeviceAddress (self->device, &info);
}

/* Memory for the buffer, and where the host sees it. */
static gboolean
fill_block (AccVulkanDevice *self,
            AccVulkanBlock  *block,
            gboolean         sparse,
            GError         **error)
{
  VkMemoryRequirements needs;
  guint32 type;
  gpointer host;

  self->vk.GetBufferMemoryRequirements (self->device, block->buffer, &needs);
  if (!choose_type (self, block->what, needs.memoryTypeBits, &type))
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Vulkan: the device has no memory of a kind that is needed");
      return FALSE;
    }
  if (sparse)
    return bind_sparse (self, block, &needs, type, error);
  if (!allocate_memory (self, block, needs.size, type, error))
    return FALSE;
  VkDeviceMemory memory = g_array_index (block->memories, VkDeviceMemory, 0);
  if (!_acc_vulkan_check (self, self->vk.BindBufferMemory (self->device, block->buffer, memory, 0), "binding memory", error))
    return FALSE;
  if (block->what == ACC_VULKAN_MEMORY_DEVICE
      && (!self->parent.unified || (self->memories.memoryTypes[type].propertyFlags & UNIFIED_FLAGS) != UNIFIED_FLAGS))
    return TRUE;
  if (!_acc_vulkan_check (self, self->vk.MapMemory (self->device, memory, 0, VK_WHOLE_SIZE, 0, &host), "mapping memory", error))
    return FALSE;
  block->host = host;
  return TRUE;
}

static AccVulkanBlock *
new_block (AccVulkanDevice *self,
           AccVulkanMemory  what,
           gsize            size,
           GError         **error)
{
  gboolean sparse = what == ACC_VULKAN_MEMORY_DEVICE && self->has_sparse && size > self->max_allocation;
  AccVulkanBlock *block = new_buffer (self, what, size, sparse ? VK_BUFFER_CREATE_SPARSE_BINDING_BIT : 0, NULL, error);

  if (block == NULL)
    return NULL;
  if (!fill_block (self, block, sparse, error))
    {
      free_block (self, block);
      return NULL;
    }
  find_address (self, block);
  return block;
}

static gboolean
take_range (AccVulkanBlock *block,
            gsize           size,
            gsize          *offset)
{
  for (guint i = 0; i < block->free->len; i++)
    {
      Range *range = &g_array_index (block->free, Range, i);
      if (range->size < size)
        continue;
      *offset = range->offset;
      range->offset += size;
      range->size -= size;
      if (range->size == 0)
        g_array_remove_index (block->free, i);
      return TRUE;
    }
  return FALSE;
}

static void
give_range (AccVulkanBlock *block,
            gsize           offset,
            gsize           size)
{
  guint i = 0;
  while (i < block->free->len && g_array_index (block->free, Range, i).offset < offset)
    i++;

  Range *before = i > 0 ? &g_array_index (block->free, Range, i - 1) : NULL;
  Range *after = i < block->free->len ? &g_array_index (block->free, Range, i) : NULL;
  gboolean joins_before = before != NULL && before->offset + before->size == offset;
  gboolean joins_after = after != NULL && offset + size == after->offset;

  if (joins_before)
    {
      before->size += size + (joins_after ? after->size : 0);
      if (joins_after)
        g_array_remove_index (block->free, i);
    }
  else if (joins_after)
    {
      after->offset = offset;
      after->size += size;
    }
  else
    {
      const Range range = { offset, size };
      g_array_insert_val (block->free, i, range);
    }
}

AccVulkanPiece *
_acc_vulkan_piece_new (AccVulkanDevice *self,
                       AccVulkanMemory  what,
                       gsize            size,
                       GError         **error)
{
  gsize align = what == ACC_VULKAN_MEMORY_HOST ? PAGE : ALIGNMENT;
  g_autoptr(GMutexLocker) locker = NULL;
  g_autofree AccVulkanPiece *piece = g_new0 (AccVulkanPiece, 1);

  if (size > G_MAXSIZE - PAGE)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "Vulkan: an allocation is too large");
      return NULL;
    }
  piece->size = (MAX (size, 1) + align - 1) / align * align;

  if (piece->size > BLOCK_SIZE / 4)
    {
      piece->block = new_block (self, what, piece->size, error);
      return piece->block != NULL ? g_steal_pointer (&piece) : NULL;
    }

  locker = g_mutex_locker_new (&self->heap.lock);
  GPtrArray *blocks = self->heap.blocks[what];
  for (guint i = 0; i < blocks->len; i++)
    if (take_range (blocks->pdata[i], piece->size, &piece->offset))
      {
        piece->block = blocks->pdata[i];
        return g_steal_pointer (&piece);
      }

  gsize block_size = what == ACC_VULKAN_MEMORY_WORDS ? BLOCK_SIZE / 16 : BLOCK_SIZE;
  g_autoptr(GError) large_error = NULL;
  AccVulkanBlock *block = new_block (self, what, MAX (block_size, piece->size), &large_error);
  if (block == NULL && g_error_matches (large_error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    {
      piece->block = new_block (self, what, piece->size, error);
      return piece->block != NULL ? g_steal_pointer (&piece) : NULL;
    }
  if (block == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&large_error));
      return NULL;
    }
  const Range all = { 0, block->size };
  block->free = g_array_new (FALSE, FALSE, sizeof (Range));
  g_array_append_val (block->free, all);
  g_ptr_array_add (blocks, block);
  take_range (block, piece->size, &piece->offset);
  piece->block = block;
  return g_steal_pointer (&piece);
}

void
_acc_vulkan_piece_free (AccVulkanDevice *self,
                        AccVulkanPiece  *piece)
{
  AccVulkanBlock *block = piece->block;

  if (block->free == NULL)
    {
      free_block (self, block);
    }
  else
    {
      GPtrArray *blocks = self->heap.blocks[block->what];
      g_mutex_lock (&self->heap.lock);
      give_range (block, piece->offset, piece->size);
      /* One empty block stays for what comes next. */
      gboolean is_empty = g_array_index (block->free, Range, 0).size == block->size;
      if (is_empty && blocks->len > 1)
        {
          g_ptr_array_remove_fast (blocks, block);
          free_block (self, block);
        }
      g_mutex_unlock (&self->heap.lock);
    }
  g_free (piece);
}

void
_acc_vulkan_heap_init (AccVulkanDevice *self)
{
  g_mutex_init (&self->heap.lock);
  for (guint i = 0; i < ACC_VULKAN_N_MEMORIES; i++)
    self->heap.blocks[i] = g_ptr_array_new ();
  self->heap.pinned = g_array_new (FALSE, FALSE, sizeof (Pinned));
}

void
_acc_vulkan_heap_clear (AccVulkanDevice *self)
{
  for (guint i = 0; i < ACC_VULKAN_N_MEMORIES; i++)
    {
      for (guint k = 0; k < self->heap.blocks[i]->len; k++)
        free_block (self, self->heap.blocks[i]->pdata[k]);
      g_ptr_array_unref (self->heap.blocks[i]);
    }
  g_array_unref (self->heap.pinned);
  g_mutex_clear (&self->heap.lock);
}

gboolean
_acc_vulkan_allocate (AccDevice       *device,
                      gsize            size,
                      AccDeviceMemory *memory,
                      GError         **error)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;

  if (!_acc_vulkan_is_there (self, error))
    return FALSE;
  if (!self->has_addresses && size > self->limits.maxStorageBufferRange)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED,
                   "Vulkan: an array of %" G_GSIZE_FORMAT " bytes: kernels of this device reach %u bytes, as it has no buffer addresses",
                   size, self->limits.maxStorageBufferRange);
      return FALSE;
    }
  AccVulkanPiece *piece = _acc_vulkan_piece_new (self, ACC_VULKAN_MEMORY_DEVICE, size, error);
  if (piece == NULL)
    return FALSE;
  memory->handle = piece;
  memory->address = self->has_addresses ? piece->block->address + piece->offset : 0;
  memory->size = size;
  memory->host = _acc_vulkan_piece_host (piece);
  return TRUE;
}

void
_acc_vulkan_release (AccDevice       *device,
                     AccDeviceMemory *memory)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;

  if (!self->is_hung)
    _acc_vulkan_piece_free (self, memory->handle);
  *memory = (AccDeviceMemory) { 0 };
}

/* The pages around the memory are what the device sees. */
static AccVulkanBlock *
import_pages (AccVulkanDevice *self,
              gpointer         pages,
              gsize            size)
{
  const VkExternalMemoryHandleTypeFlagBits handle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  const VkExternalMemoryBufferCreateInfo external = {
    .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
    .handleTypes = handle,
  };
  VkMemoryHostPointerPropertiesEXT properties = { .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT };
  const VkImportMemoryHostPointerInfoEXT import = {
    .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
    .handleType = handle,
    .pHostPointer = pages,
  };
  const VkMemoryAllocateFlagsInfo flags = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .pNext = &import,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  VkMemoryAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .pNext = self->has_addresses ? (gconstpointer) &flags : (gconstpointer) &import,
    .allocationSize = size,
  };
  VkMemoryRequirements needs;
  VkDeviceMemory memory;

  if (self->vk.GetMemoryHostPointerPropertiesEXT (self->device, handle, pages, &properties) != VK_SUCCESS)
    return NULL;
  AccVulkanBlock *block = new_buffer (self, ACC_VULKAN_MEMORY_DEVICE, size, 0, &external, NULL);
  if (block == NULL)
    return NULL;
  self->vk.GetBufferMemoryRequirements (self->device, block->buffer, &needs);
  if (needs.size > size || !find_type (self, needs.memoryTypeBits & properties.memoryTypeBits, 0, &info.memoryTypeIndex)
      || self->vk.AllocateMemory (self->device, &info, NULL, &memory) != VK_SUCCESS)
    {
      free_block (self, block);
      return NULL;
    }
  g_array_append_val (block->memories, memory);
  if (self->vk.BindBufferMemory (self->device, block->buffer, memory, 0) != VK_SUCCESS)
    {
      free_block (self, block);
      return NULL;
    }
  block->host = pages;
  find_address (self, block);
  return block;
}

gboolean
_acc_vulkan_import (AccDevice       *device,
                    gpointer         host,
                    gsize            size,
                    AccDeviceMemory *memory)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;
  gsize align = self->import_alignment;
  gsize before = align > 0 ? (guintptr) host % align : 0;

  if (align == 0 || size == 0 || size > self->max_buffer_size - 2 * align || !_acc_vulkan_is_there (self, NULL)
      || before % MAX (self->limits.minStorageBufferOffsetAlignment, 16) != 0
      || (!self->has_addresses && size > self->limits.maxStorageBufferRange))
    return FALSE;

  AccVulkanBlock *block = import_pages (self, (guint8 *) host - before, (before + size + align - 1) / align * align);
  if (block == NULL)
    return FALSE;
  AccVulkanPiece *piece = g_new0 (AccVulkanPiece, 1);
  *piece = (AccVulkanPiece) { block, before, size };
  *memory = (AccDeviceMemory) {
    .handle = piece,
    .address = self->has_addresses ? block->address + before : 0,
    .size = size,
    .host = host,
  };
  return TRUE;
}

/* --- pinned host memory */

/* The last that begins at or before @address; -1: none. */
static int
find_pinned (AccVulkanDevice *self,
             guintptr         address)
{
  int low = 0, high = self->heap.pinned->len;
  while (low < high)
    {
      int middle = (low + high) / 2;
      if (g_array_index (self->heap.pinned, Pinned, middle).begin <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low - 1;
}

gpointer
_acc_vulkan_allocate_host (AccDevice *device,
                           gsize      size,
                           GError   **error)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;

  if (!_acc_vulkan_is_there (self, error))
    return NULL;
  /* Nothing says that mapped memory begins on a page. */
  if (size > G_MAXSIZE - 2 * PAGE)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "Vulkan: an allocation is too large");
      return NULL;
    }
  AccVulkanPiece *piece = _acc_vulkan_piece_new (self, ACC_VULKAN_MEMORY_HOST, MAX (size, 1) + PAGE, error);
  if (piece == NULL)
    return NULL;

  guintptr begin = ((guintptr) _acc_vulkan_piece_host (piece) + PAGE - 1) / PAGE * PAGE;
  const Pinned pinned = { begin, size, piece };
  g_mutex_lock (&self->heap.lock);
  g_array_insert_val (self->heap.pinned, find_pinned (self, begin) + 1, pinned);
  g_mutex_unlock (&self->heap.lock);
  return (gpointer) begin;
}

void
_acc_vulkan_release_host (AccDevice *device,
                          gpointer   host,
                          gsize      size)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;
  AccVulkanPiece *piece = NULL;

  g_mutex_lock (&self->heap.lock);
  int i = find_pinned (self, (guintptr) host);
  if (i >= 0 && g_array_index (self->heap.pinned, Pinned, i).begin == (guintptr) host)
    {
      piece = g_array_index (self->heap.pinned, Pinned, i).piece;
      g_array_remove_index (self->heap.pinned, i);
    }
  g_mutex_unlock (&self->heap.lock);
  g_return_if_fail (piece != NULL);
  if (!self->is_hung)
    _acc_vulkan_piece_free (self, piece);
}

AccVulkanPiece *
_acc_vulkan_find_pinned (AccVulkanDevice *self,
                         gconstpointer    host,
                         gsize            size,
                         gsize           *offset)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->heap.lock);
  int i = find_pinned (self, (guintptr) host);
  if (i < 0)
    return NULL;
  const Pinned *pinned = &g_array_index (self->heap.pinned, Pinned, i);
  gsize skip = (guintptr) host - pinned->begin;
  if (skip > pinned->size || size > pinned->size - skip)
    return NULL;
  *offset = pinned->piece->offset + ((guintptr) host - (guintptr) _acc_vulkan_piece_host (pinned->piece));
  return pinned->piece;
}
