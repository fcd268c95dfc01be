/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-expr-private.h"

G_BEGIN_DECLS

/* What the constructors of expressions share. */

/* A floating node with room for @n_args arguments. */
AccExpr  *_acc_expr_alloc       (AccExprKind kind, AccElementType *type, guint n_args);
/* Sinks @args; returns NULL when all are sound, else a floating error: then the references are dropped again. */
AccExpr  *_acc_expr_adopt       (AccExpr **args, guint n_args);
void      _acc_expr_drop        (AccExpr **args, guint n_args);
/* Replaces @*slot, which is owned, by its settled form. FALSE where that is an error. */
gboolean  _acc_expr_settle_slot (AccExpr **slot, AccElementType *type);
/* Drops @args and returns @slot's error as a floating expression. */
AccExpr  *_acc_expr_fail        (AccExpr *error_expr, AccExpr **args, guint n_args);
/* Returns a constructor's result that is an old expression: @expr is owned, @*owner is dropped; floating where nobody else
 * owns it. */
AccExpr  *_acc_expr_float       (AccExpr *expr, AccExpr **owner);
gboolean  _acc_expr_is_error    (AccExpr *expr);
double    _acc_round_to_kind    (AccElementKind kind, double value);
/* Makes an i64 of an integer expression; owned slot. */
gboolean  _acc_expr_to_index    (AccExpr **slot);

G_END_DECLS
