/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-error.h"
#include "acc-expr.h"
#include "acc-function-private.h"
#include "acc-primitives-private.h"

/* Constructors below return floating references, check types and never fail: a mistake gives ACC_EXPR_ERROR. */
AccExpr  *acc_expr_new_variable      (AccElementType *type);
AccExpr  *acc_expr_new_literal       (AccElementType *type, AccScalar value);
AccExpr  *acc_expr_new_primitive     (AccPrimitive primitive, AccExpr **args);
/* A complex number or vector of @type, of as many items as that has. */
AccExpr  *acc_expr_new_pack          (AccElementType *type, AccExpr **items);
AccExpr  *acc_expr_new_while         (AccExpr *initial, AccFunction *predicate, AccFunction *step);
AccExpr  *acc_expr_new_error         (GError *error /* (transfer full) */);
AccExpr  *acc_expr_new_error_literal (AccError code, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Takes the result of @call, a callback, as g_variant_take_ref does; NULL gives ACC_ERROR_CALLBACK. Owned, not floating. What the callback
 * unrefs, its result included, lives until then. */
#define acc_expr_take_result(call)   (acc_expr_enter_callback (), acc_expr_leave_callback (call))
void      acc_expr_enter_callback    (void);
AccExpr  *acc_expr_leave_callback    (AccExpr *result);
/* Resolves weak literals, also inside tuples: returns @expr itself, or the same value as a strong literal of @type. Floating or
 * borrowed. */
AccExpr  *acc_expr_resolve           (AccExpr *expr, AccElementType *type /* nullable: the default */);
/* The first error in @expr, or NULL. */
const GError *acc_expr_get_error     (AccExpr *expr);
/* Index type of arrays of @rank: i64 for 1, else a tuple of i64. */
AccElementType *acc_index_type       (guint rank);
