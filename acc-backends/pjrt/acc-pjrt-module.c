/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pjrt-backend.h"

#include "acc-module-abi.h"

ACC_DEFINE_BACKEND_MODULE_ABI

GType
acc_backend_module_get_type (void)
{
  return ACC_TYPE_PJRT_BACKEND;
}
