/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-native-backend.h"

GType
acc_backend_module_get_type (void)
{
  return ACC_TYPE_NATIVE_BACKEND;
}
