/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-private.h"
#include "acc-backends/ir/acc-kernel-private.h"

#include <string.h>

/* Code is SPIR-V, with what the driver made of it behind it where that can be kept. */
typedef struct {
  char    magic[8];
  guint32 n_code, n_cache;   /* bytes */
} Header;

#define MAGIC       "accvk2\n"
#define SPIRV_MAGIC 0x07230203u

void
_acc_vulkan_kernel_free (AccVulkanDevice *self,
                         AccDeviceKernel *kernel)
{
  self->vk.DestroyPipeline (self->device, kernel->pipeline, NULL);
  self->vk.DestroyPipelineLayout (self->device, kernel->layout, NULL);
  self->vk.DestroyDescriptorSetLayout (self->device, kernel->set_layout, NULL);
  g_free (kernel->kinds);
  g_free (kernel->name);
  g_free (kernel);
}

static gboolean
make_layout (AccVulkanDevice *self,
             AccDeviceKernel *kernel,
             GError         **error)
{
  g_autofree VkDescriptorSetLayoutBinding *bindings = g_new0 (VkDescriptorSetLayoutBinding, MAX (kernel->n_bindings, 1));
  for (guint i = 0; i < kernel->n_bindings; i++)
    bindings[i] = (VkDescriptorSetLayoutBinding) {
      .binding = i,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      .descriptorCount = 1,
      .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
    };
  const VkDescriptorSetLayoutCreateInfo set = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = kernel->n_bindings,
    .pBindings = bindings,
  };
  const VkPushConstantRange push = {
    .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
    .size = kernel->pushes ? kernel->n_words * sizeof (guint64) : kernel->has_addresses ? sizeof (guint64) : 0,
  };
  VkPipelineLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = kernel->n_bindings > 0 ? 1 : 0,
    .pSetLayouts = &kernel->set_layout,
    .pushConstantRangeCount = push.size > 0 ? 1 : 0,
    .pPushConstantRanges = &push,
  };

  if (kernel->n_bindings
      > MIN (self->limits.maxPerStageDescriptorStorageBuffers,
             MIN (self->limits.maxDescriptorSetStorageBuffers, ACC_VULKAN_BATCH_DESCRIPTORS))
      || (!kernel->pushes && kernel->n_words * sizeof (guint64) > ACC_VULKAN_BATCH_WORDS))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Vulkan: %s: a kernel of %u arrays: more than this device can bind",
                   kernel->name, kernel->n_buffers);
      return FALSE;
    }
  if (kernel->n_bindings > 0
      && !_acc_vulkan_check (self, self->vk.CreateDescriptorSetLayout (self->device, &set, NULL, &kernel->set_layout), "making a layout",
                             error))
    return FALSE;
  return _acc_vulkan_check (self, self->vk.CreatePipelineLayout (self->device, &info, NULL, &kernel->layout), "making a layout", error);
}

static GBytes *
make_code (AccKernel         *kernel,
           const AccCDialect *dialect,
           gboolean           quick,
           GError           **error)
{
  gint64 start = g_get_monotonic_time ();
  g_autofree char *source = acc_emit_glsl (kernel, dialect, quick, error);
  GBytes *code;

  if (source == NULL)
    return NULL;
  _acc_kernel_dump_source (kernel, quick ? "quick.glsl" : "glsl", source);
  code = _acc_vulkan_compile_glsl (source, acc_kernel_get_name (kernel), error);
  acc_device_tell_emitted (kernel, start);
  return code;
}

/* @code: SPIR-V */
static gboolean
make_pipeline (AccVulkanDevice *self,
               AccDeviceKernel *kernel,
               GBytes          *code,
               VkPipelineCache  cache,
               GError         **error)
{
  const VkShaderModuleCreateInfo module_info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    .codeSize = g_bytes_get_size (code),
    .pCode = g_bytes_get_data (code, NULL),
  };
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroups = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
    .requiredSubgroupSize = self->required_subgroup_size,
  };
  VkShaderModule module;
  if (!_acc_vulkan_check (self, self->vk.CreateShaderModule (self->device, &module_info, NULL, &module), "making a shader", error))
    return FALSE;

  gboolean sets_size = self->sets_subgroup_size && kernel->group_size % self->required_subgroup_size == 0;
  const VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .pNext = sets_size ? &subgroups : NULL,
      .flags = sets_size ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
      .module = module,
      .pName = "main",
    },
    .layout = kernel->layout,
  };
  VkResult result = self->vk.CreateComputePipelines (self->device, cache, 1, &info, NULL, &kernel->pipeline);
  self->vk.DestroyShaderModule (self->device, module, NULL);
  if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST || result == VK_ERROR_OUT_OF_DEVICE_MEMORY
      || result == VK_ERROR_OUT_OF_HOST_MEMORY)
    return _acc_vulkan_check (self, result, kernel->name, error);
  g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Vulkan: %s: the driver does not take the shader (%d)", kernel->name, result);
  return FALSE;
}

AccDeviceKernel *
_acc_vulkan_kernel_new_of_source (AccVulkanDevice *self,
                                  const char      *source,
                                  const char      *name,
                                  guint            threads,
                                  guint            n_bindings,
                                  guint            n_words,
                                  GError         **error)
{
  g_autoptr(GBytes) code = _acc_vulkan_compile_glsl (source, name, error);
  if (code == NULL)
    return NULL;

  AccDeviceKernel *kernel = g_new0 (AccDeviceKernel, 1);
  kernel->name = g_strdup (name);
  kernel->group_size = threads;
  kernel->n_buffers = kernel->n_bindings = n_bindings;
  kernel->n_words = n_words;
  kernel->pushes = TRUE;
  if (make_layout (self, kernel, error) && make_pipeline (self, kernel, code, VK_NULL_HANDLE, error))
    return kernel;
  _acc_vulkan_kernel_free (self, kernel);
  return NULL;
}

static gboolean
check_kernel (AccVulkanDevice *self,
              AccKernel       *kernel,
              GError         **error)
{
  guint threads = acc_kernel_get_group_size (kernel);
  gsize shared = 0;

  for (guint i = 0; i < kernel->shared->len; i++)
    {
      const AccKernelParam *array = &g_array_index (kernel->shared, AccKernelParam, i);
      shared += array->n_elements * acc_element_kind_get_size (array->kind);
    }
  if (threads == 0 || threads > self->parent.target.max_group_size || shared > self->limits.maxComputeSharedMemorySize)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED,
                   "Vulkan: %s: groups of %u threads with %" G_GSIZE_FORMAT " bytes: more than this device has",
                   acc_kernel_get_name (kernel), threads, shared);
      return FALSE;
    }
  return TRUE;
}

static AccDeviceKernel *
make_kernel (AccVulkanDevice *self,
             AccKernel       *kernel,
             GBytes          *code,
             VkPipelineCache  cache,
             GError         **error)
{
  AccDeviceKernel *made = g_new0 (AccDeviceKernel, 1);

  made->group_size = acc_kernel_get_group_size (kernel);
  made->name = g_strdup (acc_kernel_get_name (kernel));
  made->n_slots = kernel->params->len;
  made->kinds = g_new0 (guint8, MAX (made->n_slots, 1));
  made->has_addresses = self->has_addresses;
  for (guint i = 0; i < made->n_slots; i++)
    {
      const AccKernelParam *param = acc_kernel_param (kernel, i);
      made->kinds[i] = param->kind;
      made->n_buffers += param->is_buffer;
    }
  made->n_words = acc_emit_glsl_count_bytes (kernel) / sizeof (guint64);
  made->pushes = made->n_words * sizeof (guint64) <= self->dialect.push_bytes;
  made->n_bindings = self->has_addresses ? 0 : made->n_buffers + 1 + (made->pushes ? 0 : 1);
  if (!make_layout (self, made, error)
      || !make_pipeline (self, made, code, cache, error))
    {
      _acc_vulkan_kernel_free (self, made);
      return NULL;
    }
  return made;
}

static VkPipelineCache
make_cache (AccVulkanDevice *self,
            gconstpointer    data,
            gsize            size)
{
  const VkPipelineCacheCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
    .initialDataSize = size,
    .pInitialData = data,
  };
  VkPipelineCache cache;
  return self->vk.CreatePipelineCache (self->device, &info, NULL, &cache) == VK_SUCCESS ? cache : VK_NULL_HANDLE;
}

/* What the driver makes of the shader, behind @blob; nothing where it keeps nothing. */
static gboolean
append_cache (AccVulkanDevice *self,
              AccKernel       *kernel,
              GBytes          *code,
              GByteArray      *blob,
              GError         **error)
{
  gsize size = 0;
  VkPipelineCache cache = make_cache (self, NULL, 0);
  if (cache == VK_NULL_HANDLE)
    return TRUE;

  AccDeviceKernel *made = make_kernel (self, kernel, code, cache, error);
  if (made != NULL && self->vk.GetPipelineCacheData (self->device, cache, &size, NULL) == VK_SUCCESS && size > 0)
    {
      g_autofree gpointer data = g_malloc (size);
      if (self->vk.GetPipelineCacheData (self->device, cache, &size, data) == VK_SUCCESS)
        g_byte_array_append (blob, data, size);
    }
  self->vk.DestroyPipelineCache (self->device, cache, NULL);
  if (made == NULL)
    return FALSE;
  _acc_vulkan_kernel_free (self, made);
  return TRUE;
}

GBytes *
_acc_vulkan_compile (AccDevice *device,
                     AccKernel *kernel,
                     gboolean   general,
                     GError   **error)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;
  g_autoptr(GByteArray) blob = g_byte_array_new ();
  g_autoptr(GBytes) code = NULL;
  Header header = { MAGIC };

  if (!_acc_vulkan_is_there (self, error) || !check_kernel (self, kernel, error)
      || (code = make_code (kernel, &self->dialect, !general, error)) == NULL)
    return NULL;

  header.n_code = g_bytes_get_size (code);
  g_byte_array_append (blob, (const guint8 *) &header, sizeof header);
  g_byte_array_append (blob, g_bytes_get_data (code, NULL), header.n_code);
  /* A device of the processor keeps nothing, and would do all the work twice. */
  if (self->type != VK_PHYSICAL_DEVICE_TYPE_CPU && !append_cache (self, kernel, code, blob, error))
    return NULL;
  header.n_cache = blob->len - sizeof header - header.n_code;
  memcpy (blob->data, &header, sizeof header);
  return g_byte_array_free_to_bytes (g_steal_pointer (&blob));
}

AccDeviceKernel *
_acc_vulkan_load (AccDevice *device,
                  AccKernel *kernel,
                  GBytes    *code,
                  GError   **error)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;
  gsize size;
  const guint8 *data = g_bytes_get_data (code, &size);
  Header header;
  guint32 first;

  if (!_acc_vulkan_is_there (self, error) || !check_kernel (self, kernel, error))
    return NULL;
  if (size >= sizeof header + sizeof first)
    {
      memcpy (&header, data, sizeof header);
      memcpy (&first, data + sizeof header, sizeof first);
    }
  if (size < sizeof header + sizeof first || memcmp (header.magic, MAGIC, sizeof header.magic) != 0 || first != SPIRV_MAGIC
      || header.n_code % 4 != 0 || (gsize) header.n_code + header.n_cache != size - sizeof header)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Vulkan: %s: not the code of a kernel", acc_kernel_get_name (kernel));
      return NULL;
    }

  data += sizeof header;
  g_autoptr(GBytes) spirv = g_bytes_new (data, header.n_code);
  VkPipelineCache cache = header.n_cache > 0 ? make_cache (self, data + header.n_code, header.n_cache) : VK_NULL_HANDLE;
  AccDeviceKernel *made = make_kernel (self, kernel, spirv, cache, error);
  self->vk.DestroyPipelineCache (self->device, cache, NULL);
  return made;
}

void
_acc_vulkan_unload (AccDevice       *device,
                    AccDeviceKernel *kernel)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;

  if (!self->is_hung)
    _acc_vulkan_kernel_free (self, kernel);
}
