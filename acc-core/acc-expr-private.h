/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-error.h"
#include "acc-expr.h"
#include "acc-function-private.h"
#include "acc-primitives-private.h"

G_BEGIN_DECLS

typedef enum {
  ACC_EXPR_LITERAL,       /* scalar constant */
  ACC_EXPR_VARIABLE,      /* parameter of an AccFunction; its identity is its address */
  ACC_EXPR_PRIMITIVE,     /* args[0..arity) */
  ACC_EXPR_CAST,          /* args[0], numeric conversion to type: saturating, NaN to 0, narrowing wraps */
  ACC_EXPR_BITCAST,       /* args[0], same bits as another scalar type of equal size */
  ACC_EXPR_TUPLE,         /* args[0..n): a tuple, or a complex number or vector where that is its type */
  ACC_EXPR_ITEM,          /* args[0] such a thing, item */
  ACC_EXPR_COND,          /* args: condition, then, otherwise; only the taken side is evaluated */
  ACC_EXPR_WHILE,         /* args[0] initial; functions[0] predicate, functions[1] step, both of one parameter */
  ACC_EXPR_INDEX,         /* array at args[0]: i64 for rank 1, else a tuple of rank i64s ("()" for rank 0) */
  ACC_EXPR_LINEAR_INDEX,  /* array at row-major args[0], an i64 */
  ACC_EXPR_EXTENT,        /* i64: extent of array in dimension item */
  ACC_EXPR_ERROR,         /* carries error; every expression on it does too */
} AccExprKind;

typedef union {
  gint64  i;              /* signed kinds; bool as 0 or 1 */
  guint64 u;              /* unsigned kinds */
  double  f;              /* f16, f32, f64: already rounded to the kind */
} AccScalar;

/* Immutable once built. Sharing is by object identity: an expression reached twice is evaluated once. */
struct _AccExpr {
  gatomicrefcount  ref_count;
  gint             floating;   /* atomic */
  AccExprKind      kind : 8;
  guint            weak : 1;   /* an untyped literal, or a tuple or choice of such: adapts to its partner; type is its default (i8, f8) */
  guint            reads : 1;  /* it, or something below it, reads an array or asks for its extent */
  AccPrimitive     primitive;
  AccElementType  *type;       /* NULL for ACC_EXPR_ERROR */
  guint            item;
  AccScalar        value;      /* literal */
  AccArray        *array;      /* owned: index, linear index, extent */
  AccFunction     *functions[2];
  GError          *error;
  AccExpr         *origin;     /* owned: given to the constructor, no part of the expression, but perhaps still in the caller's hands */
  guint            n_args;
  AccExpr         *args[];     /* owned */
};

/* Constructors below return floating references, check types and never fail: a mistake gives ACC_EXPR_ERROR. */
ACC_MODULE_API
AccExpr  *acc_expr_new_variable      (AccElementType *type);
ACC_MODULE_API
AccExpr  *acc_expr_new_literal       (AccElementType *type, AccScalar value);
ACC_MODULE_API
AccExpr  *acc_expr_new_primitive     (AccPrimitive primitive, AccExpr **args);
/* A complex number or vector of @type, of as many items as that has. */
ACC_MODULE_API
AccExpr  *acc_expr_new_pack          (AccElementType *type, AccExpr **items);
ACC_MODULE_API
AccExpr  *acc_expr_new_while         (AccExpr *initial, AccFunction *predicate, AccFunction *step);
ACC_MODULE_API
AccExpr  *acc_expr_new_error         (GError *error /* (transfer full) */);
ACC_MODULE_API
AccExpr  *acc_expr_new_error_literal (AccError code, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Takes what @call, of a callback, gives, as g_variant_take_ref does; NULL gives ACC_ERROR_CALLBACK. Owned, not floating. What
 * the callback drops, its result included, lives until then. */
#define acc_expr_take_result(call)   (acc_expr_enter_callback (), acc_expr_leave_callback (call))
ACC_MODULE_API
void      acc_expr_enter_callback    (void);
ACC_MODULE_API
AccExpr  *acc_expr_leave_callback    (AccExpr *result);
/* @expr, or, where @expr is weak (also inside tuples), the same value as a strong literal of @type. Floating or borrowed. */
ACC_MODULE_API
AccExpr  *acc_expr_settle            (AccExpr *expr, AccElementType *type /* nullable: the default */);
/* The first error in @expr, or NULL. */
ACC_MODULE_API
const GError *acc_expr_get_error     (AccExpr *expr);
/* Index type of arrays of @rank: i64 for 1, else a tuple of i64. */
ACC_MODULE_API
AccElementType *acc_index_type       (guint rank);

G_END_DECLS
