/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-private.h"
#include "acc-foreign.h"

G_BEGIN_DECLS

/* What a backend has in place of fallbacks, by name. Any thread. */
typedef struct _AccForeignTable AccForeignTable;
typedef struct _AccForeign AccForeign;

AccForeignTable *acc_foreign_table_new      (void);
void             acc_foreign_table_free     (AccForeignTable *self);
AccForeignTable *acc_backend_get_foreigners (AccBackend *self);

/* What @backend has for a foreign node; NULL: its fallback is to be run. Owned. */
ACC_MODULE_API
AccForeign *acc_foreign_find   (AccBackend *backend, AccArray *node);
ACC_MODULE_API
void        acc_foreign_unref  (AccForeign *self);
/* Calls it with manifest arrays; the result is manifest, and what the node promises. Owned. */
ACC_MODULE_API
AccArray   *acc_foreign_call   (AccForeign *self, AccArray *node, AccArray **inputs, GError **error);
/* Whether the extents of input @input are those that the fallback declares. */
ACC_MODULE_API
gboolean    acc_foreign_check  (AccArray *node, guint input, const gint64 *extents, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccForeign, acc_foreign_unref)

G_END_DECLS
