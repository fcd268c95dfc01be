/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-private.h"

#include <string.h>

/* What a device can do, and the logical device with that switched on. */

typedef struct {
  VkPhysicalDeviceFeatures2                      core;
  VkPhysicalDevice16BitStorageFeatures           storage_16;
  VkPhysicalDevice8BitStorageFeatures            storage_8;
  VkPhysicalDeviceShaderFloat16Int8Features      small;
  VkPhysicalDeviceShaderAtomicInt64Features      atomic_64;
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT   atomic_float;
  VkPhysicalDeviceSubgroupSizeControlFeatures    subgroup_size;
  VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures subgroup_types;
  VkPhysicalDeviceBufferDeviceAddressFeatures    addresses;
  VkPhysicalDeviceTimelineSemaphoreFeatures      timelines;
  VkPhysicalDeviceVulkanMemoryModelFeatures      memory_model;
} Features;

typedef struct {
  VkPhysicalDeviceProperties2                    core;
  VkPhysicalDeviceMaintenance3Properties         maintenance_3;
  VkPhysicalDeviceSubgroupProperties             subgroup;
  VkPhysicalDeviceIDProperties                   ids;
  VkPhysicalDeviceDriverProperties               driver;
  VkPhysicalDeviceFloatControlsProperties        floats;
  VkPhysicalDeviceSubgroupSizeControlProperties  subgroup_size;
  VkPhysicalDeviceMaintenance4Properties         maintenance_4;
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host_memory;
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV   nvidia;
  VkPhysicalDeviceShaderCorePropertiesAMD        amd;
} Properties;

typedef struct {
  AccVulkanDevice       *self;
  guint32                version;
  VkExtensionProperties *offered;
  guint32                n_offered;
  GPtrArray             *enabled;
} Extensions;

/* Whether the device has what @extension brings, be it as part of version @core of Vulkan (0: of none yet). */
static gboolean
take_extension (Extensions *extensions,
                const char *extension,
                guint32     core)
{
  if (core != 0 && extensions->version >= core)
    return TRUE;
  for (guint i = 0; i < extensions->n_offered; i++)
    if (strcmp (extensions->offered[i].extensionName, extension) == 0)
      {
        g_ptr_array_add (extensions->enabled, (gpointer) extension);
        return TRUE;
      }
  return FALSE;
}

static void
chain (gpointer        root,
       gpointer        item,
       VkStructureType type)
{
  VkBaseOutStructure *first = root, *added = item;

  added->sType = type;
  added->pNext = first->pNext;
  first->pNext = added;
}

#define CHAIN(root, member, name, since, type) \
  G_STMT_START { \
    if (take_extension (extensions, name, since)) \
      chain (&(root)->core, &(root)->member, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type); \
  } G_STMT_END

static void
query (Extensions *extensions,
       Features   *features,
       Properties *properties)
{
  AccVulkanDevice *self = extensions->self;

  *features = (Features) { .core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 };
  chain (&features->core, &features->storage_16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
  CHAIN (features, storage_8, VK_KHR_8BIT_STORAGE_EXTENSION_NAME, VK_API_VERSION_1_2, 8BIT_STORAGE_FEATURES);
  CHAIN (features, small, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, VK_API_VERSION_1_2, SHADER_FLOAT16_INT8_FEATURES);
  CHAIN (features, atomic_64, VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME, VK_API_VERSION_1_2, SHADER_ATOMIC_INT64_FEATURES);
  CHAIN (features, atomic_float, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, 0, SHADER_ATOMIC_FLOAT_FEATURES_EXT);
  CHAIN (features, subgroup_types, VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME, VK_API_VERSION_1_2,
         SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES);
  CHAIN (features, memory_model, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME, VK_API_VERSION_1_2, VULKAN_MEMORY_MODEL_FEATURES);
  if ((self->disable & ACC_VULKAN_DISABLE_ADDRESSES) == 0)
    CHAIN (features, addresses, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME, VK_API_VERSION_1_2, BUFFER_DEVICE_ADDRESS_FEATURES);
  if ((self->disable & ACC_VULKAN_DISABLE_TIMELINES) == 0)
    CHAIN (features, timelines, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, VK_API_VERSION_1_2, TIMELINE_SEMAPHORE_FEATURES);

  *properties = (Properties) { .core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 };
  chain (&properties->core, &properties->maintenance_3, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  chain (&properties->core, &properties->subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  chain (&properties->core, &properties->ids, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
  CHAIN (properties, driver, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME, VK_API_VERSION_1_2, DRIVER_PROPERTIES);
  CHAIN (properties, floats, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME, VK_API_VERSION_1_2, FLOAT_CONTROLS_PROPERTIES);
  CHAIN (properties, maintenance_4, VK_KHR_MAINTENANCE_4_EXTENSION_NAME, VK_API_VERSION_1_3, MAINTENANCE_4_PROPERTIES);
  CHAIN (properties, host_memory, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, 0, EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
  CHAIN (properties, nvidia, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME, 0, SHADER_SM_BUILTINS_PROPERTIES_NV);
  CHAIN (properties, amd, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME, 0, SHADER_CORE_PROPERTIES_AMD);
  if (take_extension (extensions, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, VK_API_VERSION_1_3))
    {
      chain (&features->core, &features->subgroup_size, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
      chain (&properties->core, &properties->subgroup_size, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
    }

  self->instance->GetPhysicalDeviceFeatures2 (self->physical, &features->core);
  self->instance->GetPhysicalDeviceProperties2 (self->physical, &properties->core);
}

/* Nothing is switched on that is not used: some of it costs. */
static void
trim_features (Features *features)
{
  VkPhysicalDeviceFeatures *core = &features->core.features;

  *core = (VkPhysicalDeviceFeatures) {
    .shaderFloat64 = core->shaderFloat64,
    .shaderInt64 = core->shaderInt64,
    .shaderInt16 = core->shaderInt16,
    .sparseBinding = core->sparseBinding,
  };
  features->storage_16.storagePushConstant16 = features->storage_16.storageInputOutput16 = VK_FALSE;
  features->storage_8.storagePushConstant8 = VK_FALSE;
  features->addresses.bufferDeviceAddressCaptureReplay = features->addresses.bufferDeviceAddressMultiDevice = VK_FALSE;
  features->atomic_float.sparseImageFloat32Atomics = features->atomic_float.sparseImageFloat32AtomicAdd = VK_FALSE;
  features->atomic_float.shaderImageFloat32Atomics = features->atomic_float.shaderImageFloat32AtomicAdd = VK_FALSE;
}

static void
choose_subgroups (AccVulkanDevice  *self,
                  const Features   *features,
                  const Properties *properties)
{
  AccTarget *target = &self->parent.target;
  const VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT
                                        | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT;
  guint size = properties->subgroup.subgroupSize;

  target->subgroup_size = 1;
  if ((self->disable & ACC_VULKAN_DISABLE_SUBGROUPS) != 0 || size < 2 || (size & (size - 1)) != 0
      || (properties->subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0
      || (properties->subgroup.supportedOperations & needed) != needed)
    return;

  self->dialect.has_subgroups = TRUE;
  self->dialect.has_ballots = target->has_ballots
    = size <= 32 && (properties->subgroup.supportedOperations & VK_SUBGROUP_FEATURE_BALLOT_BIT) != 0;
  target->subgroup_size = size;
  if (features->subgroup_size.subgroupSizeControl && features->subgroup_size.computeFullSubgroups
      && (properties->subgroup_size.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0
      && size >= properties->subgroup_size.minSubgroupSize && size <= properties->subgroup_size.maxSubgroupSize)
    {
      self->sets_subgroup_size = TRUE;
      self->required_subgroup_size = size;
      target->max_group_size = MIN (target->max_group_size, size * properties->subgroup_size.maxComputeWorkgroupSubgroups);
    }
}

static guint
count_groups (AccVulkanDevice  *self,
              const Properties *properties)
{
  guint n = 0;

  if (properties->nvidia.shaderSMCount > 0)
    n = properties->nvidia.shaderSMCount;
  else if (properties->amd.shaderEngineCount > 0)
    n = properties->amd.shaderEngineCount * properties->amd.shaderArraysPerEngineCount * properties->amd.computeUnitsPerShaderArray;
  else if (self->type == VK_PHYSICAL_DEVICE_TYPE_CPU)
    return 4 * g_get_num_processors ();
  return MAX (n, 16) * 8;
}

static guint
round_down (guint n)
{
  guint power = 1;
  while (power <= n / 2)
    power *= 2;
  return power;
}

static void
choose_target (AccVulkanDevice  *self,
               const Features   *features,
               const Properties *properties)
{
  AccTarget *target = &self->parent.target;
  AccCDialect *dialect = &self->dialect;
  const VkPhysicalDeviceFeatures *core = &features->core.features;
  guint kinds = 1u << ACC_KIND_I32 | 1u << ACC_KIND_U32 | 1u << ACC_KIND_I64 | 1u << ACC_KIND_U64 | 1u << ACC_KIND_F32;

  if (features->storage_8.storageBuffer8BitAccess && features->small.shaderInt8)
    kinds |= 1u << ACC_KIND_BOOL | 1u << ACC_KIND_I8 | 1u << ACC_KIND_U8;
  if (features->storage_16.storageBuffer16BitAccess && core->shaderInt16)
    kinds |= 1u << ACC_KIND_I16 | 1u << ACC_KIND_U16 | 1u << ACC_KIND_F16;
  if (core->shaderFloat64)
    kinds |= 1u << ACC_KIND_F64;

  *target = (AccTarget) {
    .model = ACC_MODEL_SIMT,
    .max_group_size = MIN (1024, round_down (MIN (self->limits.maxComputeWorkGroupInvocations, self->limits.maxComputeWorkGroupSize[0]))),
    .shared_bytes = self->limits.maxComputeSharedMemorySize,
    .merges_loads = self->type != VK_PHYSICAL_DEVICE_TYPE_CPU,
    .few = self->type != VK_PHYSICAL_DEVICE_TYPE_CPU ? 1 << 19 : 0,
    /* Code of its drivers takes more registers than CUDA's, and no limit can be given. */
    .max_held = 24,
    .table_bytes = 16384,
    .max_iterations = properties->driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE ? 65535 : 0,
    .has_fast_exp = self->type != VK_PHYSICAL_DEVICE_TYPE_CPU,
    .has_atomic_64 = features->atomic_64.shaderBufferInt64Atomics && features->atomic_64.shaderSharedInt64Atomics,
    /* Vulkan does not promise it, but what runs there is what CUDA promises it for. */
    .has_progress = properties->driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY && (self->disable & ACC_VULKAN_DISABLE_PROGRESS) == 0,
    .has_estimates = properties->driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY,
    .has_atomic_add_f32 = features->atomic_float.shaderBufferFloat32AtomicAdd && features->atomic_float.shaderSharedFloat32AtomicAdd,
    .has_atomic_add_f64 = core->shaderFloat64 && features->atomic_float.shaderBufferFloat64AtomicAdd
                          && features->atomic_float.shaderSharedFloat64AtomicAdd,
    .kinds = kinds,
  };
  *dialect = (AccCDialect) {
    .push_bytes = (self->disable & ACC_VULKAN_DISABLE_PUSH) != 0 ? 0 : self->limits.maxPushConstantsSize,
    .has_addresses = self->has_addresses,
    .has_half = features->small.shaderFloat16 && features->storage_16.storageBuffer16BitAccess,
    .has_atomic_64 = target->has_atomic_64,
    .has_atomic_add_f32 = target->has_atomic_add_f32,
    .has_atomic_add_f64 = target->has_atomic_add_f64,
    /* What gallivm knows of division by 0. */
    .guards_zeros = properties->driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE,
    .leaves_loops = target->max_iterations > 0,
    .misrounds_doubles = properties->driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE,
    /* Of (i / 12, i % 12 / 2, i % 2) for i of 64 bits every second was wrong. */
    .misdivides_words = properties->driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY,
    .keeps_nans = properties->floats.shaderSignedZeroInfNanPreserveFloat32
                  && (!core->shaderFloat64 || properties->floats.shaderSignedZeroInfNanPreserveFloat64),
    .keeps_denormals = properties->floats.shaderDenormPreserveFloat32
                       && properties->floats.denormBehaviorIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE,
  };
  self->parent.may_fail = dialect->leaves_loops;
  self->may_keep_denormals = !dialect->keeps_denormals && properties->driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
  choose_subgroups (self, features, properties);
  target->group_size = MIN (self->type == VK_PHYSICAL_DEVICE_TYPE_CPU ? 64 : 256, target->max_group_size);
  target->n_groups = count_groups (self, properties);
}

/* --- queues */

static guint
find_family (const VkQueueFamilyProperties *families,
             guint                          n,
             VkQueueFlags                   with,
             VkQueueFlags                   without)
{
  for (guint i = 0; i < n; i++)
    if (families[i].queueCount > 0 && (families[i].queueFlags & with) == with && (families[i].queueFlags & without) == 0)
      return i;
  return G_MAXUINT;
}

/* Three queues: compute, and two for transfers, of a family for them if there is one, but for downloads that a kernel may do. Fewer, where
 * there are not as many. */
static gboolean
choose_queues (AccVulkanDevice *self,
               GError         **error)
{
  guint32 n = 0;
  self->instance->GetPhysicalDeviceQueueFamilyProperties (self->physical, &n, NULL);
  g_autofree VkQueueFamilyProperties *families = g_new0 (VkQueueFamilyProperties, MAX (n, 1));
  self->instance->GetPhysicalDeviceQueueFamilyProperties (self->physical, &n, families);

  guint compute = find_family (families, n, VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT);
  if (compute == G_MAXUINT)
    compute = find_family (families, n, VK_QUEUE_COMPUTE_BIT, 0);
  if (compute == G_MAXUINT)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Vulkan: %s has no queue for compute", self->parent.description);
      return FALSE;
    }
  guint transfer = find_family (families, n, VK_QUEUE_TRANSFER_BIT, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
  self->time_bits = families[compute].timestampValidBits;
  self->has_sparse = self->has_sparse && (families[compute].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT) != 0;

  self->submitters[0].family = compute;
  self->n_submitters = 1;
  self->families[0] = compute;
  self->n_families = 1;
  if (!self->has_timelines || (self->disable & ACC_VULKAN_DISABLE_QUEUES) != 0)
    return TRUE;
  if (transfer != G_MAXUINT)
    {
      self->families[self->n_families++] = transfer;
      gboolean has_download_kernel = self->has_download_kernel && families[compute].queueCount > 1;
      for (guint i = 0; i < MIN (has_download_kernel ? 1 : 2, families[transfer].queueCount); i++)
        self->submitters[self->n_submitters++].family = transfer;
      if (has_download_kernel)
        self->submitters[self->n_submitters++].family = compute;
    }
  else
    {
      for (guint i = 1; i < MIN (3, families[compute].queueCount); i++)
        self->submitters[self->n_submitters++].family = compute;
    }
  return TRUE;
}

static gboolean
create_device (AccVulkanDevice *self,
               Features        *features,
               GPtrArray       *extensions,
               GError         **error)
{
  const float priorities[ACC_N_QUEUES] = { 1, 1, 1 };
  VkDeviceQueueCreateInfo queues[2] = { 0 };
  for (guint i = 0; i < self->n_families; i++)
    {
      queues[i] = (VkDeviceQueueCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = self->families[i],
        .pQueuePriorities = priorities,
      };
      for (guint k = 0; k < self->n_submitters; k++)
        queues[i].queueCount += self->submitters[k].family == self->families[i];
    }
  const VkDeviceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .pNext = &features->core,
    .queueCreateInfoCount = self->n_families,
    .pQueueCreateInfos = queues,
    .enabledExtensionCount = extensions->len,
    .ppEnabledExtensionNames = (const char *const *) extensions->pdata,
  };
  if (!_acc_vulkan_check (self, self->instance->CreateDevice (self->physical, &info, NULL, &self->device), "opening the device", error))
    return FALSE;

#define LOAD(name) self->vk.name = (PFN_vk##name) self->instance->GetDeviceProcAddr (self->device, "vk" #name);
#define LOAD_OPTIONAL(name) \
  self->vk.name = (PFN_vk##name) self->instance->GetDeviceProcAddr (self->device, "vk" #name "KHR"); \
  if (self->vk.name == NULL) \
    LOAD (name)
  ACC_VULKAN_DEVICE_FUNCTIONS (LOAD)
  ACC_VULKAN_OPTIONAL_FUNCTIONS (LOAD_OPTIONAL)
#undef LOAD
#undef LOAD_OPTIONAL

  for (guint i = 0; i < self->n_submitters; i++)
    {
      guint index = 0;
      for (guint k = 0; k < i; k++)
        index += self->submitters[k].family == self->submitters[i].family;
      g_mutex_init (&self->submitters[i].lock);
      self->vk.GetDeviceQueue (self->device, self->submitters[i].family, index, &self->submitters[i].queue);
    }
  return TRUE;
}

static void
describe (AccVulkanDevice  *self,
          guint32           version,
          const Properties *properties)
{
  const VkPhysicalDeviceProperties *core = &properties->core.properties;
  GString *id = g_string_new (NULL);

  self->parent.description = g_strdup_printf ("%s, Vulkan %u.%u%s%s", core->deviceName, VK_API_VERSION_MAJOR (version),
                                              VK_API_VERSION_MINOR (version), properties->driver.driverInfo[0] != '\0' ? ", " : "",
                                              properties->driver.driverInfo);
  g_string_printf (id, "vulkan %s %x:%x:%x ", self->parent.description, core->vendorID, core->deviceID, core->driverVersion);
  for (guint i = 0; i < VK_UUID_SIZE; i++)
    g_string_append_printf (id, "%02x", core->pipelineCacheUUID[i]);
  self->parent.id = g_string_free (id, FALSE);
}

static void
measure_memory (AccVulkanDevice  *self,
                const Properties *properties)
{
  const VkMemoryPropertyFlags shared = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
                                       | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

  self->instance->GetPhysicalDeviceMemoryProperties (self->physical, &self->memories);
  for (guint i = 0; i < self->memories.memoryHeapCount; i++)
    if ((self->memories.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
      self->parent.memory = MAX (self->parent.memory, self->memories.memoryHeaps[i].size);
  if ((self->type == VK_PHYSICAL_DEVICE_TYPE_CPU || self->type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU)
      && (self->disable & ACC_VULKAN_DISABLE_UNIFIED) == 0)
    for (guint i = 0; i < self->memories.memoryTypeCount; i++)
      self->parent.unified |= (self->memories.memoryTypes[i].propertyFlags & shared) == shared;

  self->import_alignment = self->parent.unified ? properties->host_memory.minImportedHostPointerAlignment : 0;
  self->max_allocation = MAX (properties->maintenance_3.maxMemoryAllocationSize, (gsize) 1 << 30);
  self->max_buffer_size = properties->maintenance_4.maxBufferSize > 0 ? properties->maintenance_4.maxBufferSize : G_MAXSIZE;
  self->has_sparse = self->has_sparse && !self->parent.unified && self->has_addresses;
}

gboolean
_acc_vulkan_make_device (AccVulkanDevice         *self,
                         const AccVulkanInstance *instance,
                         GError                 **error)
{
  g_autofree VkExtensionProperties *offered = NULL;
  g_autoptr(GPtrArray) enabled = g_ptr_array_new ();
  Extensions extensions = { .self = self, .enabled = enabled };
  VkPhysicalDeviceProperties core;
  Features features;
  Properties properties;

  self->instance = &instance->vk;
  self->instance->GetPhysicalDeviceProperties (self->physical, &core);
  extensions.version = MIN (instance->version, core.apiVersion);
  if ((self->disable & ACC_VULKAN_DISABLE_VERSIONS) != 0)
    extensions.version = MIN (extensions.version, VK_API_VERSION_1_1);
  self->type = core.deviceType;
  self->limits = core.limits;
  if (extensions.version < VK_API_VERSION_1_1)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Vulkan: %s offers 1.0 only, 1.1 is needed", core.deviceName);
      return FALSE;
    }
  if (self->instance->EnumerateDeviceExtensionProperties (self->physical, NULL, &extensions.n_offered, NULL) == VK_SUCCESS)
    {
      offered = g_new0 (VkExtensionProperties, MAX (extensions.n_offered, 1));
      if (self->instance->EnumerateDeviceExtensionProperties (self->physical, NULL, &extensions.n_offered, offered) < 0)
        extensions.n_offered = 0;
      extensions.offered = offered;
    }

  query (&extensions, &features, &properties);
  describe (self, extensions.version, &properties);
  if (!features.core.features.shaderInt64)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Vulkan: %s has no 64-bit integers (shaderInt64), which indices need",
                   core.deviceName);
      return FALSE;
    }
  trim_features (&features);
  self->has_addresses = features.addresses.bufferDeviceAddress;
  self->has_timelines = features.timelines.timelineSemaphore;
  self->has_sparse = features.core.features.sparseBinding;
  self->has_download_kernel = self->has_addresses && ((self->disable & ACC_VULKAN_DISABLE_COMMANDS) != 0
                                                      || properties.driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY);
  measure_memory (self, &properties);
  if (!choose_queues (self, error))
    return FALSE;
  choose_target (self, &features, &properties);

  gsize largest = self->has_sparse ? self->max_buffer_size : MIN (self->max_buffer_size, self->max_allocation);
  self->parent.max_buffer = self->has_addresses ? largest : MIN (largest, self->limits.maxStorageBufferRange);
  return create_device (self, &features, enabled, error);
}
