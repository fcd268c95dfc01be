/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Primitives of floats. */

#include "acc-expr-build-private.h"

/**
 * acc_expr_fdiv:
 * @a: an operand
 * @b: an operand
 *
 * Floating-point quotient, IEEE; of complex numbers scaled, so that no step overflows.
 *
 * ```c
 * // a = 7.0, b = 2.0
 * AccExpr *result = acc_expr_fdiv (a, b); // → 3.5
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_fdiv (AccExpr *a,
               AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_FDIV, a, b);
}

/**
 * acc_expr_pow:
 * @a: an operand
 * @b: an operand
 *
 * @a to the power of @b, with the special cases of C99; of complex numbers exp (b log a), 1 for an exponent of 0, and 0 for
 * 0 to a power with a real part above 0. See also acc_expr_int_pow().
 *
 * ```c
 * // a = 2.0, b = 0.5
 * AccExpr *result = acc_expr_pow (a, b); // → 1.41421
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_pow (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_POW, a, b);
}

/**
 * acc_expr_logbase:
 * @a: an operand
 * @b: an operand
 *
 * Logarithm of @b to the base @a.
 *
 * ```c
 * // a = 2.0, b = 8.0
 * AccExpr *result = acc_expr_logbase (a, b); // → 3
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_logbase (AccExpr *a,
                  AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_LOGBASE, a, b);
}

/**
 * acc_expr_atan2:
 * @a: an operand
 * @b: an operand
 *
 * Angle of the point (@b, @a), from -π to π, with the special cases of C99.
 *
 * ```c
 * // a = 1.0, b = -1.0
 * AccExpr *result = acc_expr_atan2 (a, b); // → 2.35619
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_atan2 (AccExpr *a,
                AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_ATAN2, a, b);
}

/**
 * acc_expr_recip:
 * @a: an operand
 *
 * 1 / @a.
 *
 * ```c
 * // a = 4.0
 * AccExpr *result = acc_expr_recip (a); // → 0.25
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_recip (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_RECIP, a);
}

/**
 * acc_expr_sin:
 * @a: an operand
 *
 * Sine, of radians.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_sin (a); // → 0.841471
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_sin (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_SIN, a);
}

/**
 * acc_expr_cos:
 * @a: an operand
 *
 * Cosine, of radians.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_cos (a); // → 0.540302
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_cos (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_COS, a);
}

/**
 * acc_expr_tan:
 * @a: an operand
 *
 * Tangent, of radians.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_tan (a); // → 1.55741
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_tan (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_TAN, a);
}

/**
 * acc_expr_asin:
 * @a: an operand
 *
 * Inverse sine, in radians; NaN outside [-1, 1].
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_asin (a); // → 1.5708
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_asin (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ASIN, a);
}

/**
 * acc_expr_acos:
 * @a: an operand
 *
 * Inverse cosine, in radians; NaN outside [-1, 1].
 *
 * ```c
 * // a = 0.0
 * AccExpr *result = acc_expr_acos (a); // → 1.5708
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_acos (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ACOS, a);
}

/**
 * acc_expr_atan:
 * @a: an operand
 *
 * Inverse tangent, in radians.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_atan (a); // → 0.785398
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_atan (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ATAN, a);
}

/**
 * acc_expr_sinh:
 * @a: an operand
 *
 * Hyperbolic sine.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_sinh (a); // → 1.1752
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_sinh (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_SINH, a);
}

/**
 * acc_expr_cosh:
 * @a: an operand
 *
 * Hyperbolic cosine.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_cosh (a); // → 1.54308
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_cosh (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_COSH, a);
}

/**
 * acc_expr_tanh:
 * @a: an operand
 *
 * Hyperbolic tangent.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_tanh (a); // → 0.761594
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_tanh (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_TANH, a);
}

/**
 * acc_expr_asinh:
 * @a: an operand
 *
 * Inverse hyperbolic sine.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_asinh (a); // → 0.881374
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_asinh (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ASINH, a);
}

/**
 * acc_expr_acosh:
 * @a: an operand
 *
 * Inverse hyperbolic cosine; NaN below 1.
 *
 * ```c
 * // a = 2.0
 * AccExpr *result = acc_expr_acosh (a); // → 1.31696
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_acosh (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ACOSH, a);
}

/**
 * acc_expr_atanh:
 * @a: an operand
 *
 * Inverse hyperbolic tangent; NaN outside [-1, 1].
 *
 * ```c
 * // a = 0.5
 * AccExpr *result = acc_expr_atanh (a); // → 0.549306
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_atanh (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ATANH, a);
}

/**
 * acc_expr_exp:
 * @a: an operand
 *
 * e to the power of @a.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_exp (a); // → 2.71828
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_exp (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_EXP, a);
}

/**
 * acc_expr_sqrt:
 * @a: an operand
 *
 * Square root, correctly rounded; NaN below 0. Of complex numbers the one with a real part not below 0.
 *
 * ```c
 * // a = 2.25
 * AccExpr *result = acc_expr_sqrt (a); // → 1.5
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_sqrt (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_SQRT, a);
}

/**
 * acc_expr_log:
 * @a: an operand
 *
 * Natural logarithm; minus infinity at 0, NaN below. Of complex numbers log |a| + i phase, the phase from -π to π.
 *
 * ```c
 * // a = 10.0
 * AccExpr *result = acc_expr_log (a); // → 2.30259
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_log (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_LOG, a);
}

/**
 * acc_expr_truncate:
 * @a: an operand
 *
 * The nearest integer towards 0, as a float.
 *
 * ```c
 * // a = -2.5
 * AccExpr *result = acc_expr_truncate (a); // → -2
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_truncate (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_TRUNCATE, a);
}

/**
 * acc_expr_round:
 * @a: an operand
 *
 * The nearest integer, as a float; ties to even.
 *
 * ```c
 * // a = 2.5
 * AccExpr *result = acc_expr_round (a); // → 2
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_round (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ROUND, a);
}

/**
 * acc_expr_floor:
 * @a: an operand
 *
 * The greatest integer not above, as a float.
 *
 * ```c
 * // a = -2.5
 * AccExpr *result = acc_expr_floor (a); // → -3
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_floor (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_FLOOR, a);
}

/**
 * acc_expr_ceiling:
 * @a: an operand
 *
 * The least integer not below, as a float.
 *
 * ```c
 * // a = -2.5
 * AccExpr *result = acc_expr_ceiling (a); // → -2
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_ceiling (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_CEILING, a);
}

/**
 * acc_expr_is_nan:
 * @a: an operand
 *
 * Whether it is NaN, a b1.
 *
 * ```c
 * // a = nan of f8
 * AccExpr *result = acc_expr_is_nan (a); // → true
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_is_nan (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_IS_NAN, a);
}

/**
 * acc_expr_is_inf:
 * @a: an operand
 *
 * Whether it is infinite, a b1.
 *
 * ```c
 * // a = inf of f8
 * AccExpr *result = acc_expr_is_inf (a); // → true
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_is_inf (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_IS_INF, a);
}
