/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-hlo-text.h"

/* Scalar functions of all elements of a shape at once. */

/* Values of a parameter: one for each leaf, NULL where the function does not use it. */
typedef AccHloValue *AccHloParam;

/* @mask: the elements that are asked for, NULL: all. Where others would fail they do not. @results: one for each leaf. */
void     acc_hlo_apply        (AccHlo *self, AccFunction *function, const AccHloParam *params, AccHloShape shape, AccHloValue mask,
                               AccHloValue *results);
/* Sets those leaves of parameter @param that the function uses. */
void     acc_hlo_mark_used    (AccFunction *function, guint param, gboolean *used);
/* Whether floats are made of an integer that is computed, and that compilers may know. */
gboolean acc_hlo_casts_computed (AccExpr *cast);
/* Whether it may be a region of a reduction, which sees nothing from outside and cannot fail. */
gboolean acc_hlo_is_plain     (AccHlo *self, AccFunction *function);
/* The same where it is one: @params and @results are scalars. */
void     acc_hlo_apply_plain  (AccHlo *self, AccFunction *function, const AccHloParam *params, AccHloValue *results);
/* A primitive in a region, of scalars. */
AccHloValue acc_hlo_primitive_plain (AccHlo *self, AccPrimitive primitive, AccHloValue x, AccHloValue y, AccElementKind kind);
/* What changes no other operand of it; of floats that are compared, NaN does not. */
AccScalar acc_hlo_get_neutral (AccPrimitive primitive, AccElementKind kind);
/* The value of a function without parameters. */
void     acc_hlo_apply_closed (AccHlo *self, AccFunction *function, AccHloShape shape, AccHloValue *results);
