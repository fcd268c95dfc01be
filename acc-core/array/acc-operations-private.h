/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-array.h"

G_BEGIN_DECLS

gboolean acc_operation_from_name (const char *name, AccOperation *operation);

G_END_DECLS
