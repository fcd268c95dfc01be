/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-tensorflow-engine.h"

#include "acc-backends/xla/acc-xla-backend.h"

#include "acc-module-abi.h"

ACC_DEFINE_BACKEND_MODULE_ABI

GType
acc_backend_module_get_type (void)
{
  return acc_xla_backend_register ("AccTensorflow", "tensorflow", acc_tensorflow_engine_open);
}
