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

/* Fewer operations than these are not worth what a routine costs: nothing is fused across it. */
#define ACC_FOREIGN_WORTH 4096
/* Nor are matrices with a shorter side: what they are read for is less than reading them. */
#define ACC_FOREIGN_SHORTEST_SIDE 16

/* Whether the function is for such inputs: of the nodes only type and rank are asked. */
typedef gboolean (*AccForeignFits) (AccArray **inputs, const gint64 *const *extents, guint n_inputs, gpointer user_data);

/* The names that acc itself has: products of matrices, and transforms along @n_dimensions dimensions, with @n_after after them. */
#define ACC_FOREIGN_PRODUCT "acc-matmul"

typedef struct {
  const char *name;
  guint       n_dimensions, n_after;
  gboolean    forward;
} AccForeignTransform;

/* NULL after the last. */
ACC_MODULE_API
const AccForeignTransform *acc_foreign_nth_transform (guint n);
const char *acc_foreign_get_transform_name (guint n_dimensions, guint n_after, gboolean forward);
/* Whether it is f4, f8, c8 or c16, which are all that libraries compute with. */
ACC_MODULE_API
gboolean    acc_foreign_type_is_float      (AccElementType *type, gboolean *is_complex, gboolean *is_wide);

/* What does not fit, where the node says one of those names: inputs, or type, rank and extents of the result. NULL: all fits, as any does
 * under other names. @extents: of the inputs and then of the node, NULL for what is not known. */
ACC_MODULE_API
const char *acc_foreign_check_signature    (AccArray *node, const gint64 *const *extents);
/* With the extents that are known before a run. */
const char *acc_foreign_check_static       (AccArray *node);

/* Says that @self, which nobody else has yet, is what a foreign operation of that name gives for @inputs, from which it is computed.
 * It remains what it is, and fuses and streams: only a backend that has the operation, and all elements at once, takes that. */
void        acc_array_offer    (AccArray *self, const char *name, AccArray **inputs, guint n_inputs);

/* What @backend has for a foreign node, or for one with an offer; NULL: nothing. Owned. */
ACC_MODULE_API
AccForeign *acc_foreign_find   (AccBackend *backend, AccArray *node);
ACC_MODULE_API
void        acc_foreign_unref  (AccForeign *self);
/* What it is called with: the node's inputs, or what it offers. */
ACC_MODULE_API
AccArray  **acc_foreign_get_inputs (AccArray *node, guint *n_inputs);
/* @extents: of the inputs and then of the node, NULL where that is not known. */
ACC_MODULE_API
gboolean    acc_foreign_fits   (AccForeign *self, AccArray *node, const gint64 *const *extents);
/* Calls it with manifest arrays; the result is manifest, and what the node promises. Owned. */
ACC_MODULE_API
AccArray   *acc_foreign_call   (AccForeign *self, AccArray *node, AccArray **inputs, GError **error);
/* Whether the extents of input @input are those that the fallback declares. */
ACC_MODULE_API
gboolean    acc_foreign_check  (AccArray *node, guint input, const gint64 *extents, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccForeign, acc_foreign_unref)

G_END_DECLS
