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
 * Remainder of acc_expr_quot(), with the sign of the dividend. Errors as there; 0 where checks are off.
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
 * Remainder of acc_expr_div(), with the sign of the divisor. Errors as for acc_expr_quot().
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
 * acc_expr_band:
 * @a: an operand
 * @b: an operand
 *
 * Bitwise and; of b1: both, both sides evaluated.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_band (AccExpr *a,
               AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_BAND, a, b);
}

/**
 * acc_expr_bor:
 * @a: an operand
 * @b: an operand
 *
 * Bitwise or; of b1: either, both sides evaluated.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_bor (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_BOR, a, b);
}

/**
 * acc_expr_bxor:
 * @a: an operand
 * @b: an operand
 *
 * Bitwise exclusive or.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_bxor (AccExpr *a,
               AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_BXOR, a, b);
}

/**
 * acc_expr_shl:
 * @a: an operand
 * @b: an operand
 *
 * Bits shifted left by @b, any integer; to the right where it is negative; 0 beyond the width.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_shl (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_SHL, a, b);
}

/**
 * acc_expr_shr:
 * @a: an operand
 * @b: an operand
 *
 * Bits shifted right by @b, signed values keeping their sign; to the left where it is negative; 0 or sign bits beyond
 * the width.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_shr (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_SHR, a, b);
}

/**
 * acc_expr_rotl:
 * @a: an operand
 * @b: an operand
 *
 * Bits rotated left by @b modulo the width.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_rotl (AccExpr *a,
               AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_ROTL, a, b);
}

/**
 * acc_expr_rotr:
 * @a: an operand
 * @b: an operand
 *
 * Bits rotated right by @b modulo the width.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_rotr (AccExpr *a,
               AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_ROTR, a, b);
}

/**
 * acc_expr_lt:
 * @a: a scalar, a tuple or a vector
 * @b: one of the same type
 *
 * Whether @a < @b. Tuples and vectors are compared lexicographically; complex numbers have no order:
 * %ACC_ERROR_TYPE. Any comparison with NaN but acc_expr_ne() is false.
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
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_signum (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_SIGNUM, a);
}

/**
 * acc_expr_bnot:
 * @a: an operand
 *
 * Bitwise complement; of b1: not.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_bnot (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_BNOT, a);
}

/**
 * acc_expr_popcount:
 * @a: an operand
 *
 * Number of bits that are set, an i8.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_popcount (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_POPCOUNT, a);
}

/**
 * acc_expr_clz:
 * @a: an operand
 *
 * Number of zero bits before the first that is set, an i8; the width for 0.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_clz (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_CLZ, a);
}

/**
 * acc_expr_ctz:
 * @a: an operand
 *
 * Number of zero bits after the last that is set, an i8; the width for 0.
 *
 * Returns: (transfer none): the result
 */
AccExpr *
acc_expr_ctz (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_CTZ, a);
}
