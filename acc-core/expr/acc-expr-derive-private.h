/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-expr-build-private.h"

/* Scalar functions made of primitives. */

/* From owned operands that have types to a floating result. */
typedef AccExpr *(*AccExprBuild) (AccExpr **args);

/* Calls @build with @n <= 2 operands that are sound and have types, and drops them. @alike: both get one type. */
AccExpr  *_acc_expr_derive     (const char *name, AccExpr *a, AccExpr *b, guint n, gboolean alike, AccExprBuild build);
/* "name takes what, not …" */
AccExpr  *_acc_expr_needs      (const char *name, const char *what, AccExpr *given);
gboolean  _acc_expr_is_integer (AccExpr *expr);
gboolean  _acc_expr_is_float   (AccExpr *expr);
gboolean  _acc_expr_is_bool    (AccExpr *expr);

typedef struct {
  AccElementType *bits;      /* unsigned integer of the same size */
  int             mantissa;  /* stored bits */
  int             bias;
} AccFloatFormat;

AccFloatFormat _acc_float_get_format (AccExpr *a);
/* The bit of the sign, an integer of that size. */
AccExpr       *_acc_float_sign_mask  (AccFloatFormat f);

/* A public function whose body sees its operands as a and b. */
#define DERIVED1(name, ...) \
  static AccExpr *build_##name (AccExpr **args) { AccExpr *a = args[0]; __VA_ARGS__ } \
  AccExpr *acc_expr_##name (AccExpr *a) { return _acc_expr_derive (#name, a, NULL, 1, FALSE, build_##name); }
#define DERIVED2(name, alike, ...) \
  static AccExpr *build_##name (AccExpr **args) { AccExpr *a = args[0], *b = args[1]; __VA_ARGS__ } \
  AccExpr *acc_expr_##name (AccExpr *a, AccExpr *b) { return _acc_expr_derive (#name, a, b, 2, alike, build_##name); }

/* The same of operands that @is holds for, such as those that @what says. */
#define DERIVED1_OF(is, what, name, ...) \
  DERIVED1 (name, if (!is (a)) return _acc_expr_needs (#name, what, a); __VA_ARGS__)
#define DERIVED2_OF(is, what, name, ...) \
  DERIVED2 (name, TRUE, if (!is (a)) return _acc_expr_needs (#name, what, a); __VA_ARGS__)

#define INT(value) acc_expr_new_int (value)
