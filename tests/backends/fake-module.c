/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake-device.h"

#include "acc-backends/runtime/graph/acc-device-backend.h"
#include "acc-module-abi.h"

ACC_DEFINE_BACKEND_MODULE_ABI

/* The fake device as a module, for tests that know backends by name. */

GType
acc_backend_module_get_type (void)
{
  fake.max_delay = 20;

  return acc_device_backend_register ("AccFake", "fake", fake_device_open, fake_device_list);
}
