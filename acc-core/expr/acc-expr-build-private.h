/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-expr-private.h"

/* What the constructors of expressions share. */

/* A floating node with room for @n_args arguments. */
AccExpr  *_acc_expr_alloc       (AccExprKind kind, AccElementType *type, guint n_args);
/* Ends the making of a node, when its arguments, functions and array are set. Returns it. */
AccExpr  *_acc_expr_seal        (AccExpr *self);
/* Sinks @args; returns NULL when all are sound, else a floating error that keeps them. @what: the operation, for messages. */
AccExpr  *_acc_expr_adopt       (const char *what, AccExpr **args, guint n_args);
void      _acc_expr_drop        (AccExpr **args, guint n_args);
/* Ends a constructor whose floating @result need not contain all of @args, which are owned and may be NULL: those without other owners live
 * as long as the result, so that callers may pass a floating expression several times. */
AccExpr  *_acc_expr_keep        (AccExpr *result, AccExpr **args, guint n_args);
/* Resolves the type of the owned @*slot. FALSE if that is an error. */
gboolean  _acc_expr_resolve_slot (AccExpr **slot, AccElementType *type);

/* A walk that copies expressions, arguments first, each once. */
typedef struct _AccExprCopier AccExprCopier;

struct _AccExprCopier {
  GHashTable    *copies;       /* AccExpr to AccExpr, owned: what was copied, and what stands for variables */
  gboolean       reads_only;   /* what reads no array stays as it is */
  AccExpr     *(*copy)          (AccExprCopier *self, AccExpr *expr);   /* owned; its arguments have been copied */
  AccFunction *(*copy_function) (AccExprCopier *self, AccFunction *function);
};

/* The copy of @body, borrowed. Iterative but for functions within. */
AccExpr  *_acc_expr_copier_run  (AccExprCopier *self, AccExpr *body);
/* For .copy: the same expression with the copies of its arguments and functions, of @array where it reads one. */
AccExpr  *_acc_expr_copier_same (AccExprCopier *self, AccExpr *expr, AccArray *array);

/* For .copy_function: the same function of the copy of its body. */
AccFunction *_acc_expr_copier_function (AccExprCopier *self, AccFunction *function);

/* A new expression takes over what stays alive with it, but is no part of it. */
void      _acc_expr_remember    (AccExpr *made, AccExpr **exprs, guint n);
/* A floating expression with the error of @error_expr that keeps @args. */
AccExpr  *_acc_expr_fail        (AccExpr *error_expr, AccExpr **args, guint n_args);
/* A constructor's result that is an old expression: takes over a reference and makes it the floating one. */
AccExpr  *_acc_expr_float       (AccExpr *expr);
gboolean  _acc_expr_is_error    (AccExpr *expr);
/* That of its type, for messages. */
const char *_acc_expr_code (AccExpr *expr);
double    _acc_round_to_kind    (AccElementKind kind, double value);
/* Of so many bytes: 1, 2, 4 or 8. */
AccElementType *_acc_unsigned_type (gsize size);
/* Literals of @type, with %ACC_ERROR_TYPE where the value does not fit; integers do not fit b1. */
/* Of integers; FALSE for other kinds. */
gboolean  _acc_integer_bounds       (AccElementKind kind, gint64 *least, guint64 *most);
AccExpr  *_acc_expr_integer_literal (AccElementType *type, gint64 value);
AccExpr  *_acc_expr_float_literal   (AccElementType *type, double value);
/* Unifies the types of two owned operands if untyped literals allow it. @floats: f8 if both are untyped. Operands without a common type
 * keep theirs, or get an error in their slot. */
void      _acc_expr_unify       (AccExpr **a, AccExpr **b, gboolean floats);
/* The same for the sides of a choice, which stays untyped if both are untyped scalars. */
void      _acc_expr_unify_sides (AccExpr **a, AccExpr **b);
/* How many untyped literals there are in an expression; kept in item by weak tuples and choices. */
guint     _acc_expr_get_weight  (AccExpr *expr);
/* Makes an i64 of an integer expression, or an index of @rank dimensions of an index of integers; owned slot. */
gboolean  _acc_expr_to_index    (AccExpr **slot);
gboolean  _acc_expr_to_multi_index (AccExpr **slot, guint rank);

/* acc_expr_cond() under the name of an operation that is made of it. */
AccExpr  *_acc_expr_cond        (const char *name, AccExpr *condition, AccExpr *then, AccExpr *otherwise);

/* Primitives of scalars; comparisons, MIN and MAX of tuples by lexicographic order, too. */
AccExpr  *_acc_expr_unary       (AccPrimitive primitive, AccExpr *a);
AccExpr  *_acc_expr_binary      (AccPrimitive primitive, AccExpr *a, AccExpr *b);
AccExpr  *_acc_expr_compare     (AccPrimitive primitive, AccExpr *a, AccExpr *b);
AccExpr  *_acc_expr_choose      (AccPrimitive primitive, AccExpr *a, AccExpr *b);
