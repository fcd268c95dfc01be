/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-private.h"

G_BEGIN_DECLS

/* Operations of names that acc knows, which libraries have: products and transforms. */

/* Fewer operations than these are not worth what a routine costs: nothing is fused across it. */
#define ACC_FOREIGN_WORTH 4096
/* Nor are matrices with a shorter side: what they are read for is less than reading them. */
#define ACC_FOREIGN_SHORTEST_SIDE 16

const char *acc_foreign_get_transform_name (guint n_dimensions, guint n_after, gboolean forward);

/* What does not fit, where the node says one of those names: inputs, or type, rank and extents of the result. NULL: all fits, as any does
 * under other names. @extents: of the inputs and then of the node, NULL for what is not known. */
const char *acc_foreign_check_signature    (AccArray *node, const gint64 *const *extents);
/* With the extents that are known before a run. */
const char *acc_foreign_check_static       (AccArray *node);

/* Says that @self, which nobody else has yet, is what a foreign operation of that name gives for @inputs, from which it is computed.
 * It remains what it is, and fuses and streams: only a backend that has the operation, and all elements at once, takes that. */
void        acc_array_offer    (AccArray *self, const char *name, AccArray **inputs, guint n_inputs);
/* A node with an offer that is the last of what @make gives: an @op of that type and shape, without an error. Nobody calls @make where what
 * is offered is taken. */
typedef AccArray *(*AccExpansionFunc) (gpointer data);
AccArray   *acc_array_new_offer (AccOperation op, AccElementType *type, AccShape *shape, const char *name, AccArray **inputs, guint n_inputs,
                                 AccExpansionFunc make, gpointer data, GDestroyNotify free_data);

G_END_DECLS
