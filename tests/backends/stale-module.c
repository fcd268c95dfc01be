/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A module that was built for another acc, ABI; or for one that did not say which. Nothing else of it may be called. */

#include "acc-core/backend/acc-module-backend.h"

#ifdef ABI
const char *
acc_backend_module_get_abi (void)
{
  return ABI;
}
#endif

GType
acc_backend_module_get_type (void)
{
  g_error ("a stale module is used");
}
