/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-expr-pack-private.h"

/* The owned parts of a complex number. */
typedef struct {
  AccExpr *re;
  AccExpr *im;
} AccExprParts;

AccExprParts  _acc_expr_get_parts         (AccExpr *z);
void          _acc_expr_parts_clear       (AccExprParts *parts);
/* Of f8, or complex numbers of it. */
gboolean      _acc_expr_is_double         (AccExpr *x);
/* @build with halves made floats before and back after: what overflows or rounds there does not here. */
AccExpr      *_acc_expr_build_wide        (AccExpr **args, guint n, AccExprBuild build);
/* √(@x² + @y²) without overflow, of two scalars. */
AccExpr      *_acc_expr_hypot             (AccExpr *x, AccExpr *y);
/* Products and quotients of c8 and c16. */
AccExpr      *_acc_expr_complex_mul       (AccExpr **args);
AccExpr      *_acc_expr_complex_div       (AccExpr **args);
/* The elementary functions (acc-expr-complex-math.c); NULL: it is none. */
AccExprBuild  _acc_expr_get_complex_function (AccPrimitive primitive);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccExprParts, _acc_expr_parts_clear)

/* For formulas. */
#define OWN(expr)          acc_expr_ref_sink (expr)
#define NUM(value)         acc_expr_new_float (value)
#define ADD(a, b)          acc_expr_add (a, b)
#define SUB(a, b)          acc_expr_sub (a, b)
#define MUL(a, b)          acc_expr_mul (a, b)
#define DIV(a, b)          acc_expr_fdiv (a, b)
#define NEG(a)             acc_expr_neg (a)
#define EITHER(a, b)       acc_expr_bor (a, b)
#define BOTH(a, b)         acc_expr_band (a, b)
#define CHOOSE(c, a, b)    acc_expr_cond (c, a, b)
