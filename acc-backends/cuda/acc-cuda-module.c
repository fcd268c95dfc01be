/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cuda-device.h"

#include "acc-backends/runtime/graph/acc-device-backend.h"

#include "acc-module-abi.h"

ACC_DEFINE_BACKEND_MODULE_ABI

GType
acc_backend_module_get_type (void)
{
  return acc_device_backend_register ("AccCuda", "cuda", acc_cuda_device_open, acc_cuda_list_devices);
}
