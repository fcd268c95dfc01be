/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-opencl-device.h"

#include "acc-backends/runtime/graph/acc-device-backend.h"

#include "acc-module-abi.h"

ACC_DEFINE_BACKEND_MODULE_ABI

GType
acc_backend_module_get_type (void)
{
  return acc_device_backend_register ("AccOpencl", "opencl", acc_opencl_device_open, acc_opencl_list_devices);
}
