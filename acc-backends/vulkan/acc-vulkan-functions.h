/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <glib.h>

/* The functions that are used, all found at run time. */

#define ACC_VULKAN_INSTANCE_FUNCTIONS(F) \
  F (DestroyInstance) \
  F (EnumeratePhysicalDevices) \
  F (EnumerateDeviceExtensionProperties) \
  F (GetPhysicalDeviceProperties) \
  F (GetPhysicalDeviceProperties2) \
  F (GetPhysicalDeviceFeatures2) \
  F (GetPhysicalDeviceMemoryProperties) \
  F (GetPhysicalDeviceQueueFamilyProperties) \
  F (CreateDevice) \
  F (GetDeviceProcAddr)

#define ACC_VULKAN_DEVICE_FUNCTIONS(F) \
  F (AllocateCommandBuffers) \
  F (AllocateDescriptorSets) \
  F (AllocateMemory) \
  F (BeginCommandBuffer) \
  F (BindBufferMemory) \
  F (CmdBindDescriptorSets) \
  F (CmdBindPipeline) \
  F (CmdCopyBuffer) \
  F (CmdDispatch) \
  F (CmdFillBuffer) \
  F (CmdPipelineBarrier) \
  F (CmdPushConstants) \
  F (CmdResetQueryPool) \
  F (CmdWriteTimestamp) \
  F (CreateBuffer) \
  F (CreateCommandPool) \
  F (CreateComputePipelines) \
  F (CreateDescriptorPool) \
  F (CreateDescriptorSetLayout) \
  F (CreateFence) \
  F (CreatePipelineCache) \
  F (CreatePipelineLayout) \
  F (CreateQueryPool) \
  F (CreateSemaphore) \
  F (CreateShaderModule) \
  F (DestroyBuffer) \
  F (DestroyCommandPool) \
  F (DestroyDescriptorPool) \
  F (DestroyDescriptorSetLayout) \
  F (DestroyDevice) \
  F (DestroyFence) \
  F (DestroyPipeline) \
  F (DestroyPipelineCache) \
  F (DestroyPipelineLayout) \
  F (DestroyQueryPool) \
  F (DestroySemaphore) \
  F (DestroyShaderModule) \
  F (DeviceWaitIdle) \
  F (EndCommandBuffer) \
  F (FreeMemory) \
  F (GetBufferMemoryRequirements) \
  F (GetDeviceQueue) \
  F (GetFenceStatus) \
  F (GetPipelineCacheData) \
  F (GetQueryPoolResults) \
  F (MapMemory) \
  F (QueueBindSparse) \
  F (QueueSubmit) \
  F (ResetCommandPool) \
  F (ResetDescriptorPool) \
  F (ResetFences) \
  F (UpdateDescriptorSets) \
  F (WaitForFences)

/* Under this name, or with KHR behind it; missing where the device lacks the feature. */
#define ACC_VULKAN_OPTIONAL_FUNCTIONS(F) \
  F (GetBufferDeviceAddress) \
  F (GetMemoryHostPointerPropertiesEXT) \
  F (GetSemaphoreCounterValue) \
  F (WaitSemaphores)

#define ACC_VULKAN_MEMBER(name) PFN_vk##name name;

typedef struct {
  ACC_VULKAN_INSTANCE_FUNCTIONS (ACC_VULKAN_MEMBER)
} AccVulkanInstanceFunctions;

typedef struct {
  ACC_VULKAN_DEVICE_FUNCTIONS (ACC_VULKAN_MEMBER)
  ACC_VULKAN_OPTIONAL_FUNCTIONS (ACC_VULKAN_MEMBER)
} AccVulkanFunctions;
