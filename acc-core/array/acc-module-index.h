/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"
#include "acc-module-expr.h"

G_BEGIN_DECLS

/* What functions of an index make of it. Included by acc-module.h. */

/* .step · (item .dimension of a parameter) + .offset; a number where .step is 0. */
typedef struct {
  guint  dimension;
  gint64 step, offset;
} AccAffine;

/* Tells extent @dimension of @array; FALSE: it is not known. */
typedef gboolean (*AccExtentFunc) (AccArray *array, guint dimension, gint64 *extent, gpointer data);

/* Follows items of tuples that are made in place: the expression, not an item of a tuple nor (where its leaf is known) a
 * tuple, whose leaf *leaf is leaf *leaf of @expr. */
ACC_MODULE_API
AccExpr *acc_expr_resolve_leaf (AccExpr *expr, guint *leaf);
/* Tells what leaf @leaf of @expr is of @parameter, an index. @get_extent: NULL where no extent is known. FALSE: nothing of the kind, or it
 * is not seen. Looks at 200 nodes at most. */
ACC_MODULE_API
gboolean acc_expr_find_affine  (AccExpr *expr, guint leaf, AccExpr *parameter, AccExtentFunc get_extent, gpointer data, AccAffine *affine);
/* Whether item 0 of what an index function gives is item @dimension of its parameter and *@shift, which is less than any array is long. */
ACC_MODULE_API
gboolean acc_function_find_row_shift (AccFunction *function, guint dimension, gint64 *shift);

G_END_DECLS
