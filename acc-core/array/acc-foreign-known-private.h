/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-private.h"

/* Foreign operations that acc itself names and libraries have: products and transforms. */

/* Below so many operations a library routine does not pay: nothing is fused across it. */
#define ACC_FOREIGN_WORTH 4096
/* Nor are matrices with a shorter side, whose reading takes longer than the routine saves. */
#define ACC_FOREIGN_SHORTEST_SIDE 16

/* In front of the name of a transform: the same, of extents that a run tells, by a loop. Of elements of many extents it is made of
 * other operations, whatever it falls back to. */
#define ACC_FOREIGN_ANY "acc-any:"
/* The same, of extents that are known, for which no backend's routine is taken. */
#define ACC_FOREIGN_OWN "acc-own:"

const char *acc_foreign_get_transform_name (guint n_dimensions, guint n_after, gboolean forward);
/* NULL: it is another operation. */
const AccForeignTransform *acc_foreign_find_transform (const char *name);

/* Checks the inputs, and the type, rank and extents of the result, of a node with one of those names. Returns NULL if all fits, as it does
 * for other names. @extents: of the inputs and then of the node, NULL for unknown ones. */
const char *acc_foreign_check_signature    (AccArray *node, const gint64 *const *extents);
/* With the extents that are known before a run. */
const char *acc_foreign_check_static       (AccArray *node);

/* Marks @self, a new node, as offered: a foreign operation of that name gives it from @inputs. The node itself stays what it is, and fuses
 * and streams; only a backend that has the operation, and all elements at once, takes the offer. */
void        acc_array_offer    (AccArray *self, const char *name, AccArray **inputs, guint n_inputs);
/* Returns a node with an offer whose graph @make builds of the inputs: an @op of that type and shape, without an error. @make is not called
 * if the offer is taken. @data does not depend on what the inputs hold, and neither it nor the name tells more than the other. */
typedef AccArray *(*AccExpansionFunc) (AccArray **inputs, gpointer data);
AccArray   *acc_array_new_offer (AccOperation op, AccElementType *type, AccShape *shape, const char *name, AccArray **inputs,
                                 guint n_inputs, AccExpansionFunc make, gpointer data, GDestroyNotify free_data);
/* Copies such a node onto other inputs of the same types and shapes. NULL: its graph is built. */
AccArray   *acc_array_copy_offer (AccArray *self, AccArray **inputs);
