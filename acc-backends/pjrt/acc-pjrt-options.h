/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-pjrt-plugin.h"

/* A client of the plugin of this process, told what ACC_PJRT_OPTIONS says ("name=value,name=value"), and to take memory of a device as it
 * is needed, not most of it at once, where it knows of that. ACC_ERROR_UNSUPPORTED. */
PjrtClient *acc_pjrt_create_client (const PjrtApi **api, const char **path, GError **error);
