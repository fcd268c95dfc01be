/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-expr-derive-private.h"

/* Expressions of complex numbers and vectors: TUPLE nodes of their types, whose items are scalars. */

gboolean      _acc_expr_is_packed         (AccExpr *expr);
gboolean      _acc_expr_is_complex        (AccExpr *expr);
/* What makes @primitive of complex numbers, or of vectors; NULL: nothing does. */
AccExprBuild  _acc_expr_get_complex_build (AccPrimitive primitive);
AccExprBuild  _acc_expr_get_vector_build  (AccPrimitive primitive);

/* From one scalar of each packed argument, or the argument itself, to a floating scalar. */
typedef AccExpr *(*AccExprItem) (AccExpr **args, gpointer data);

/* @function on every scalar: a value like @type, of what the results are. Floating. */
AccExpr      *_acc_expr_map_items         (AccElementType *type, AccExpr **args, guint n_args, AccExprItem function, gpointer data);
/* A vector of one value, or a real number among the complex ones. @item is of the type of their items. Floating. */
AccExpr      *_acc_expr_fill_pack         (AccElementType *type, AccExpr *item);
/* Untyped: of owned untyped scalars, which it drops. */
AccExpr      *_acc_expr_new_weak_pack     (AccElementKind kind, AccExpr **items, guint n);
