/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-array.h"
#include "acc-error.h"
#include "acc-core/data/acc-buffer-private.h"
#include "acc-core/base/acc-element-type-private.h"
#include "acc-core/expr/acc-expr-private.h"
#include "acc-module-program.h"

gboolean    acc_operation_from_name      (const char *name, AccOperation *operation);
/* "map", or what it was made for: "take" */
const char *acc_array_get_operation_name (AccArray *self);
AccArray   *acc_array_new_parameter  (AccElementType *type, guint rank, const gint64 *declared, guint position);

/* The array whose rows @source reads, without its last operations: its rank may be 0, and it may be the transpose. */
AccArray *acc_array_new_from_rows  (AccSource *source);

/* An array that @deferred, an AccDeferred, computes before programs run; @shape: NULL where only that tells it. */
AccArray *acc_array_new_deferred   (gpointer deferred, AccElementType *type, guint rank, AccShape *shape);

void      acc_offer_free           (AccOffer *self);

/* Copies an operation onto other arrays of the same types and shapes. Not for use nodes. The copy has no offer and no direct operation. */
AccArray *acc_array_copy_with_inputs (AccArray *self, AccArray **inputs);
/* A boundary with the function that acc_function_copy_replaced() gives. */
AccBoundary *acc_boundary_copy_replaced (AccBoundary *self, GHashTable *replaced, GHashTable *copies);
/* Copies an operation with its inputs and references replaced by those of @replaced (AccArray to AccArray, owned, of the same types and
 * ranks); NULL if nothing is replaced. Copies of nodes in its programs are added to @replaced. */
AccArray *acc_array_copy_replaced (AccArray *self, GHashTable *replaced);
/* The same where the arrays have the same extents, too: the copy keeps its offer and its direct operation. */
AccArray *acc_array_copy_same (AccArray *self, GHashTable *replaced);
/* The same where nothing is replaced, too: the copy has no part of it but what is not in @replaced. Owned. @exprs, nullable: AccExpr in
 * place of others in its first function. */
AccArray *acc_array_copy_anew (AccArray *self, GHashTable *replaced, GHashTable *exprs);
/* Adds to @replaced the copies of all nodes that @roots need and that are not in it, and of @roots, where something is replaced. */
void      acc_array_replace_all   (AccArray **roots, guint n_roots, GHashTable *replaced);

/* All nodes that @roots are made of by @nth, those that others are made of first, each once. Iterative. Owned. */
GPtrArray *acc_array_sort_by       (AccArray **roots, guint n_roots, AccArray *(*nth) (AccArray *array, guint n));

/* Whether a source has to be read for it, by loop bodies too. */
gboolean   acc_array_reads_source  (AccArray *array);
