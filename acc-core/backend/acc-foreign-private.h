/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-private.h"
#include "acc-foreign.h"
#include "acc-module-foreign.h"

/* What a backend has in place of fallbacks, by name. Any thread. */
typedef struct _AccForeignTable AccForeignTable;

AccForeignTable *acc_foreign_table_new      (void);
void             acc_foreign_table_free     (AccForeignTable *self);
AccForeignTable *acc_backend_get_foreigners (AccBackend *self);
/* Whether it has functions of the application's. */
gboolean         acc_backend_has_own_foreign (AccBackend *self);
