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
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_is_inf (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_IS_INF, a);
}
