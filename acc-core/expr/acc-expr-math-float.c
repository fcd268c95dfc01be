/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Primitives of floats. */

#include "acc-expr-build-private.h"

/**
 * acc_expr_fdiv:
 * @a: a float, a complex number, or a vector of floats
 * @b: one of the same type
 *
 * Divides two floating-point numbers, as IEEE 754 has it.
 *
 * The quotient of complex numbers is scaled, so that no step overflows. Operands of other types, integers among them, or of two
 * different types, give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 7.0, b = 2.0
 * AccExpr *result = acc_expr_fdiv (a, b); // → 3.5
 * ```
 *
 * Returns: (transfer none): the quotient, of the type of @a
 */
AccExpr *
acc_expr_fdiv (AccExpr *a,
               AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_FDIV, a, b);
}

/**
 * acc_expr_pow:
 * @a: a float, a complex number, or a vector of floats: the base
 * @b: one of the same type: the exponent
 *
 * Raises a floating-point number to a power.
 *
 * Special cases are those of C99. The power of complex numbers is exp (b log a); it is 1 for an exponent of 0, and 0 for 0 to a power with
 * a real part above 0. acc_expr_int_pow() has an integer exponent.
 *
 * ```c
 * // a = 2.0, b = 0.5
 * AccExpr *result = acc_expr_pow (a, b); // → 1.41421
 * ```
 *
 * Returns: (transfer none): @a to the power of @b
 */
AccExpr *
acc_expr_pow (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_POW, a, b);
}

/**
 * acc_expr_logbase:
 * @a: a float, a complex number, or a vector of floats: the base
 * @b: one of the same type
 *
 * Computes the logarithm of @b to the base @a.
 *
 * ```c
 * // a = 2.0, b = 8.0
 * AccExpr *result = acc_expr_logbase (a, b); // → 3
 * ```
 *
 * Returns: (transfer none): the logarithm, of the type of @a
 */
AccExpr *
acc_expr_logbase (AccExpr *a,
                  AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_LOGBASE, a, b);
}

/**
 * acc_expr_atan2:
 * @a: a float or a vector of floats: the ordinate
 * @b: one of the same type: the abscissa
 *
 * Computes the angle of the point (@b, @a) to the positive x axis, from -π to π radians.
 *
 * Special cases are those of C99.
 *
 * ```c
 * // a = 1.0, b = -1.0
 * AccExpr *result = acc_expr_atan2 (a, b); // → 2.35619
 * ```
 *
 * Returns: (transfer none): the angle, of the type of @a
 */
AccExpr *
acc_expr_atan2 (AccExpr *a,
                AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_ATAN2, a, b);
}

/**
 * acc_expr_recip:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the reciprocal, 1 / @a.
 *
 * ```c
 * // a = 4.0
 * AccExpr *result = acc_expr_recip (a); // → 0.25
 * ```
 *
 * Returns: (transfer none): the reciprocal, of the type of @a
 */
AccExpr *
acc_expr_recip (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_RECIP, a);
}

/**
 * acc_expr_sin:
 * @a: an angle in radians: a float, a complex number, or a vector of floats
 *
 * Computes the sine of an angle in radians.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_sin (a); // → 0.841471
 * ```
 *
 * Returns: (transfer none): the sine, of the type of @a
 */
AccExpr *
acc_expr_sin (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_SIN, a);
}

/**
 * acc_expr_cos:
 * @a: an angle in radians: a float, a complex number, or a vector of floats
 *
 * Computes the cosine of an angle in radians.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_cos (a); // → 0.540302
 * ```
 *
 * Returns: (transfer none): the cosine, of the type of @a
 */
AccExpr *
acc_expr_cos (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_COS, a);
}

/**
 * acc_expr_tan:
 * @a: an angle in radians: a float, a complex number, or a vector of floats
 *
 * Computes the tangent of an angle in radians.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_tan (a); // → 1.55741
 * ```
 *
 * Returns: (transfer none): the tangent, of the type of @a
 */
AccExpr *
acc_expr_tan (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_TAN, a);
}

/**
 * acc_expr_asin:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the inverse sine in radians.
 *
 * The result is NaN for floats outside [-1, 1].
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_asin (a); // → 1.5708
 * ```
 *
 * Returns: (transfer none): the inverse sine, of the type of @a
 */
AccExpr *
acc_expr_asin (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ASIN, a);
}

/**
 * acc_expr_acos:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the inverse cosine in radians.
 *
 * The result is NaN for floats outside [-1, 1].
 *
 * ```c
 * // a = 0.0
 * AccExpr *result = acc_expr_acos (a); // → 1.5708
 * ```
 *
 * Returns: (transfer none): the inverse cosine, of the type of @a
 */
AccExpr *
acc_expr_acos (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ACOS, a);
}

/**
 * acc_expr_atan:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the inverse tangent in radians.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_atan (a); // → 0.785398
 * ```
 *
 * Returns: (transfer none): the inverse tangent, of the type of @a
 */
AccExpr *
acc_expr_atan (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ATAN, a);
}

/**
 * acc_expr_sinh:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the hyperbolic sine.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_sinh (a); // → 1.1752
 * ```
 *
 * Returns: (transfer none): the hyperbolic sine, of the type of @a
 */
AccExpr *
acc_expr_sinh (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_SINH, a);
}

/**
 * acc_expr_cosh:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the hyperbolic cosine.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_cosh (a); // → 1.54308
 * ```
 *
 * Returns: (transfer none): the hyperbolic cosine, of the type of @a
 */
AccExpr *
acc_expr_cosh (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_COSH, a);
}

/**
 * acc_expr_tanh:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the hyperbolic tangent.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_tanh (a); // → 0.761594
 * ```
 *
 * Returns: (transfer none): the hyperbolic tangent, of the type of @a
 */
AccExpr *
acc_expr_tanh (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_TANH, a);
}

/**
 * acc_expr_asinh:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the inverse hyperbolic sine.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_asinh (a); // → 0.881374
 * ```
 *
 * Returns: (transfer none): the inverse hyperbolic sine, of the type of @a
 */
AccExpr *
acc_expr_asinh (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ASINH, a);
}

/**
 * acc_expr_acosh:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the inverse hyperbolic cosine.
 *
 * The result is NaN for floats below 1.
 *
 * ```c
 * // a = 2.0
 * AccExpr *result = acc_expr_acosh (a); // → 1.31696
 * ```
 *
 * Returns: (transfer none): the inverse hyperbolic cosine, of the type of @a
 */
AccExpr *
acc_expr_acosh (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ACOSH, a);
}

/**
 * acc_expr_atanh:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the inverse hyperbolic tangent.
 *
 * The result is NaN for floats outside [-1, 1].
 *
 * ```c
 * // a = 0.5
 * AccExpr *result = acc_expr_atanh (a); // → 0.549306
 * ```
 *
 * Returns: (transfer none): the inverse hyperbolic tangent, of the type of @a
 */
AccExpr *
acc_expr_atanh (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ATANH, a);
}

/**
 * acc_expr_exp:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the exponential, e to the power of @a.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_exp (a); // → 2.71828
 * ```
 *
 * Returns: (transfer none): the exponential, of the type of @a
 */
AccExpr *
acc_expr_exp (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_EXP, a);
}

/**
 * acc_expr_expm1:
 * @a: a float, or a vector of floats
 *
 * Computes the exponential less one, e to the power of @a minus 1.
 *
 * It is accurate for numbers near 0, too, whose exponential is rounded to 1.
 *
 * ```c
 * // a = 1e-10
 * AccExpr *result = acc_expr_expm1 (a); // → 1e-10
 * ```
 *
 * Returns: (transfer none): the exponential less one, of the type of @a
 */
AccExpr *
acc_expr_expm1 (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_EXPM1, a);
}

/**
 * acc_expr_sqrt:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the square root.
 *
 * Roots of floats are correctly rounded; that of a float below 0 is NaN. The root of a complex number is the one whose real part is not
 * below 0.
 *
 * ```c
 * // a = 2.25
 * AccExpr *result = acc_expr_sqrt (a); // → 1.5
 * ```
 *
 * Returns: (transfer none): the square root, of the type of @a
 */
AccExpr *
acc_expr_sqrt (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_SQRT, a);
}

/**
 * acc_expr_log:
 * @a: a float, a complex number, or a vector of floats
 *
 * Computes the natural logarithm.
 *
 * That of a float is minus infinity at 0, and NaN below. That of a complex number is log |a| + i phase, with the phase from -π to π.
 *
 * ```c
 * // a = 10.0
 * AccExpr *result = acc_expr_log (a); // → 2.30259
 * ```
 *
 * Returns: (transfer none): the logarithm, of the type of @a
 */
AccExpr *
acc_expr_log (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_LOG, a);
}

/**
 * acc_expr_log1p:
 * @a: a float, or a vector of floats
 *
 * Computes the natural logarithm of one more than a number.
 *
 * It is accurate for numbers near 0, too; it is minus infinity at -1, and NaN below.
 *
 * ```c
 * // a = 1e-10
 * AccExpr *result = acc_expr_log1p (a); // → 1e-10
 * ```
 *
 * Returns: (transfer none): the logarithm, of the type of @a
 */
AccExpr *
acc_expr_log1p (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_LOG1P, a);
}

/**
 * acc_expr_truncate:
 * @a: a float or a vector of floats
 *
 * Rounds a float towards 0 to an integral value.
 *
 * ```c
 * // a = -2.5
 * AccExpr *result = acc_expr_truncate (a); // → -2
 * ```
 *
 * Returns: (transfer none): the rounded value, of the type of @a
 */
AccExpr *
acc_expr_truncate (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_TRUNCATE, a);
}

/**
 * acc_expr_round:
 * @a: a float or a vector of floats
 *
 * Rounds a float to the nearest integral value, ties to even.
 *
 * ```c
 * // a = 2.5
 * AccExpr *result = acc_expr_round (a); // → 2
 * ```
 *
 * Returns: (transfer none): the rounded value, of the type of @a
 */
AccExpr *
acc_expr_round (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ROUND, a);
}

/**
 * acc_expr_floor:
 * @a: a float or a vector of floats
 *
 * Rounds a float down to an integral value.
 *
 * ```c
 * // a = -2.5
 * AccExpr *result = acc_expr_floor (a); // → -3
 * ```
 *
 * Returns: (transfer none): the rounded value, of the type of @a
 */
AccExpr *
acc_expr_floor (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_FLOOR, a);
}

/**
 * acc_expr_ceiling:
 * @a: a float or a vector of floats
 *
 * Rounds a float up to an integral value.
 *
 * ```c
 * // a = -2.5
 * AccExpr *result = acc_expr_ceiling (a); // → -2
 * ```
 *
 * Returns: (transfer none): the rounded value, of the type of @a
 */
AccExpr *
acc_expr_ceiling (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_CEILING, a);
}
