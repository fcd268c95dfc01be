/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Primitives of numbers and bits, and comparisons. */

#include "acc-expr-build-private.h"

/**
 * acc_expr_add:
 * @a: an operand
 * @b: an operand
 *
 * The sum; integers wrap.
 *
 * ```c
 * // a = 7, b = 2
 * AccExpr *result = acc_expr_add (a, b); // → 9
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_add (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_ADD, a, b);
}

/**
 * acc_expr_sub:
 * @a: an operand
 * @b: an operand
 *
 * The difference; integers wrap.
 *
 * ```c
 * // a = 7, b = 2
 * AccExpr *result = acc_expr_sub (a, b); // → 5
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_sub (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_SUB, a, b);
}

/**
 * acc_expr_mul:
 * @a: an operand
 * @b: an operand
 *
 * The product; integers wrap.
 *
 * ```c
 * // a = 7, b = 2
 * AccExpr *result = acc_expr_mul (a, b); // → 14
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_mul (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_MUL, a, b);
}

/**
 * acc_expr_quot:
 * @a: an operand
 * @b: an operand
 *
 * Integer quotient, rounded towards zero. Division by zero is %ACC_ERROR_ARITHMETIC when it is run, 0 where checks are
 * off; the least value by -1 likewise, the dividend where checks are off.
 *
 * ```c
 * // a = -7, b = 2
 * AccExpr *result = acc_expr_quot (a, b); // → -3
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_quot (AccExpr *a,
               AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_QUOT, a, b);
}

/**
 * acc_expr_rem:
 * @a: an operand
 * @b: an operand
 *
 * Remainder of acc_expr_quot(), with the sign of the dividend; 0 of the least value by -1. Division by zero is
 * %ACC_ERROR_ARITHMETIC when it is run, 0 where checks are off.
 *
 * ```c
 * // a = -7, b = 2
 * AccExpr *result = acc_expr_rem (a, b); // → -1
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_rem (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_REM, a, b);
}

/**
 * acc_expr_div:
 * @a: an operand
 * @b: an operand
 *
 * Integer quotient, rounded down. Errors as for acc_expr_quot().
 *
 * ```c
 * // a = -7, b = 2
 * AccExpr *result = acc_expr_div (a, b); // → -4
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_div (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_DIV, a, b);
}

/**
 * acc_expr_mod:
 * @a: an operand
 * @b: an operand
 *
 * Remainder of acc_expr_div(), with the sign of the divisor; 0 of the least value by -1. Errors as for acc_expr_rem().
 *
 * ```c
 * // a = -7, b = 2
 * AccExpr *result = acc_expr_mod (a, b); // → 1
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_mod (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_MOD, a, b);
}

/**
 * acc_expr_lt:
 * @a: a scalar, a tuple or a vector
 * @b: one of the same type
 *
 * Whether @a < @b. Tuples and vectors are compared lexicographically; complex numbers have no order:
 * %ACC_ERROR_TYPE. Any comparison with NaN but acc_expr_ne() is false.
 *
 * ```c
 * // a = 1, b = 2
 * AccExpr *result = acc_expr_lt (a, b); // → true
 * ```
 *
 * Returns: (transfer none): a b1
 */
AccExpr *
acc_expr_lt (AccExpr *a,
             AccExpr *b)
{
  return _acc_expr_compare (ACC_PRIM_LT, a, b);
}

/**
 * acc_expr_gt:
 * @a: a scalar, a tuple or a vector
 * @b: one of the same type
 *
 * Whether @a > @b. Tuples and vectors are compared lexicographically; complex numbers have no order:
 * %ACC_ERROR_TYPE. Any comparison with NaN but acc_expr_ne() is false.
 *
 * ```c
 * // a = 1, b = 2
 * AccExpr *result = acc_expr_gt (a, b); // → false
 * ```
 *
 * Returns: (transfer none): a b1
 */
AccExpr *
acc_expr_gt (AccExpr *a,
             AccExpr *b)
{
  return _acc_expr_compare (ACC_PRIM_GT, a, b);
}

/**
 * acc_expr_le:
 * @a: a scalar, a tuple or a vector
 * @b: one of the same type
 *
 * Whether @a <= @b. Tuples and vectors are compared lexicographically; complex numbers have no order:
 * %ACC_ERROR_TYPE. Any comparison with NaN but acc_expr_ne() is false.
 *
 * ```c
 * // a = 2, b = 2
 * AccExpr *result = acc_expr_le (a, b); // → true
 * ```
 *
 * Returns: (transfer none): a b1
 */
AccExpr *
acc_expr_le (AccExpr *a,
             AccExpr *b)
{
  return _acc_expr_compare (ACC_PRIM_LE, a, b);
}

/**
 * acc_expr_ge:
 * @a: a scalar, a tuple or a vector
 * @b: one of the same type
 *
 * Whether @a >= @b. Tuples and vectors are compared lexicographically; complex numbers have no order:
 * %ACC_ERROR_TYPE. Any comparison with NaN but acc_expr_ne() is false.
 *
 * ```c
 * // a = 1, b = 2
 * AccExpr *result = acc_expr_ge (a, b); // → false
 * ```
 *
 * Returns: (transfer none): a b1
 */
AccExpr *
acc_expr_ge (AccExpr *a,
             AccExpr *b)
{
  return _acc_expr_compare (ACC_PRIM_GE, a, b);
}

/**
 * acc_expr_eq:
 * @a: a scalar, a complex number, a tuple or a vector
 * @b: one of the same type
 *
 * Whether @a = @b. Tuples and vectors are compared as wholes; any comparison with NaN but acc_expr_ne() is false.
 *
 * ```c
 * // a = 2, b = 2
 * AccExpr *result = acc_expr_eq (a, b); // → true
 * ```
 *
 * Returns: (transfer none): a b1
 */
AccExpr *
acc_expr_eq (AccExpr *a,
             AccExpr *b)
{
  return _acc_expr_compare (ACC_PRIM_EQ, a, b);
}

/**
 * acc_expr_ne:
 * @a: a scalar, a complex number, a tuple or a vector
 * @b: one of the same type
 *
 * Whether @a and @b differ. Tuples and vectors are compared as wholes; any comparison with NaN but acc_expr_ne() is false.
 *
 * ```c
 * // a = 2, b = 2
 * AccExpr *result = acc_expr_ne (a, b); // → false
 * ```
 *
 * Returns: (transfer none): a b1
 */
AccExpr *
acc_expr_ne (AccExpr *a,
             AccExpr *b)
{
  return _acc_expr_compare (ACC_PRIM_NE, a, b);
}

/**
 * acc_expr_min:
 * @a: a scalar, a tuple or a vector
 * @b: one of the same type
 *
 * The smaller of two. Where one is NaN, the other (IEEE minNum); tuples and vectors by lexicographic order.
 *
 * ```c
 * // a = 1.0, b = nan of f8
 * AccExpr *result = acc_expr_min (a, b); // → 1
 * ```
 *
 * Returns: (transfer none): one of the two
 */
AccExpr *
acc_expr_min (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_choose (ACC_PRIM_MIN, a, b);
}

/**
 * acc_expr_max:
 * @a: a scalar, a tuple or a vector
 * @b: one of the same type
 *
 * The larger of two. Where one is NaN, the other (IEEE maxNum); tuples and vectors by lexicographic order.
 *
 * ```c
 * // a = 1.0, b = 2.0
 * AccExpr *result = acc_expr_max (a, b); // → 2
 * ```
 *
 * Returns: (transfer none): one of the two
 */
AccExpr *
acc_expr_max (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_choose (ACC_PRIM_MAX, a, b);
}

/**
 * acc_expr_neg:
 * @a: an operand
 *
 * The negative; integers wrap.
 *
 * ```c
 * // a = 3
 * AccExpr *result = acc_expr_neg (a); // → -3
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_neg (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_NEG, a);
}

/**
 * acc_expr_abs:
 * @a: an operand
 *
 * The magnitude; of the least integer: itself; of complex numbers as a complex number, without imaginary part.
 *
 * ```c
 * // a = -3
 * AccExpr *result = acc_expr_abs (a); // → 3
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_abs (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ABS, a);
}

/**
 * acc_expr_signum:
 * @a: an operand
 *
 * -1, 0 or 1 by sign; floats keep NaN and signed zero. Of a complex number that of magnitude 1 in its direction, or 0.
 *
 * ```c
 * // a = -2.5
 * AccExpr *result = acc_expr_signum (a); // → -1
 * ```
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_signum (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_SIGNUM, a);
}
