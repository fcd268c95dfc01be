/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-device.h"
#include "acc-backends/runtime/graph/acc-device-backend.h"

#include "acc-module-abi.h"

ACC_DEFINE_BACKEND_MODULE_ABI

GType
acc_backend_module_get_type (void)
{
  return acc_device_backend_register ("AccVulkan", "vulkan", acc_vulkan_device_open, acc_vulkan_list_devices);
}
