/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-vulkan-functions.h"

/* The process's one instance, which is never given back: made when first asked for. */
typedef struct {
  AccVulkanInstanceFunctions vk;
  VkInstance        instance;
  guint32           version;     /* the least of what the loader offers and what is used here */
  VkPhysicalDevice *devices;     /* discrete, integrated, virtual, other, of the processor: in the loader's order among each */
  guint             n_devices;
} AccVulkanInstance;

/* ACC_ERROR_UNSUPPORTED, with the reason, where there is no Vulkan or no device. Any thread. */
const AccVulkanInstance *_acc_vulkan_get_instance (GError **error);
