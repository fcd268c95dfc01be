/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-array.h"
#include "acc-error.h"
#include "acc-core/data/acc-buffer-private.h"
#include "acc-core/base/acc-element-type-private.h"
#include "acc-core/expr/acc-expr-private.h"
#include "acc-module-program.h"

G_BEGIN_DECLS

gboolean    acc_operation_from_name      (const char *name, AccOperation *operation);
/* "map", or what it was made for: "take" */
const char *acc_array_get_operation_name (AccArray *self);
AccArray *acc_array_new_parameter  (AccElementType *type, guint rank, const gint64 *declared, guint position);

/* The array whose rows @source reads, without its last steps: its rank may be 0, and it the transpose. */
AccArray *acc_array_new_from_rows  (AccSource *source);

void      acc_offer_free           (AccOffer *self);

/* The same operation, on other arrays of the same types and shapes. Not of a use node. What was offered is not any more, and there is no
 * direct operation. */
AccArray *acc_array_copy_with_inputs (AccArray *self, AccArray **inputs);
/* A boundary with the function that acc_function_copy_replaced() gives. */
AccBoundary *acc_boundary_copy_replaced (AccBoundary *self, GHashTable *replaced, GHashTable *copies);
/* The same operation, on what @replaced (AccArray to AccArray, owned, of the same types and ranks) has for its inputs and for whatever
 * else it reads; NULL where that has nothing for it. Copies of what the programs of nodes are made of are added to @replaced. */
AccArray *acc_array_copy_replaced (AccArray *self, GHashTable *replaced);

/* Whether a source has to be read for it, by loop bodies too. */
gboolean   acc_array_reads_source  (AccArray *array);

G_END_DECLS
