/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Primitives of numbers and bits, comparisons, and classes of floats. */

#include "acc-expr-build-private.h"

/**
 * acc_expr_add:
 * @a: a number, a complex number, or a vector of numbers
 * @b: one of the same type
 *
 * Adds two numbers; integers wrap.
 *
 * ```c
 * // a = 7, b = 2
 * AccExpr *result = acc_expr_add (a, b); // → 9
 * ```
 *
 * Returns: (transfer none): the sum, of the type of @a
 */
AccExpr *
acc_expr_add (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_ADD, a, b);
}

/**
 * acc_expr_sub:
 * @a: a number, a complex number, or a vector of numbers
 * @b: one of the same type
 *
 * Subtracts the second number from the first: @a - @b; integers wrap.
 *
 * ```c
 * // a = 7, b = 2
 * AccExpr *result = acc_expr_sub (a, b); // → 5
 * ```
 *
 * Returns: (transfer none): the difference, of the type of @a
 */
AccExpr *
acc_expr_sub (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_SUB, a, b);
}

/**
 * acc_expr_mul:
 * @a: a number, a complex number, or a vector of numbers
 * @b: one of the same type
 *
 * Multiplies two numbers; integers wrap.
 *
 * ```c
 * // a = 7, b = 2
 * AccExpr *result = acc_expr_mul (a, b); // → 14
 * ```
 *
 * Returns: (transfer none): the product, of the type of @a
 */
AccExpr *
acc_expr_mul (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_MUL, a, b);
}

/**
 * acc_expr_quot:
 * @a: an integer or a vector of integers
 * @b: one of the same type
 *
 * Divides two integers and rounds the quotient towards zero.
 *
 * Division by zero fails with %ACC_ERROR_ARITHMETIC when it runs, and gives 0 where checks are off; so does the least value divided by -1,
 * which gives the dividend where checks are off.
 *
 * ```c
 * // a = -7, b = 2
 * AccExpr *result = acc_expr_quot (a, b); // → -3
 * ```
 *
 * Returns: (transfer none): the quotient, of the type of @a
 */
AccExpr *
acc_expr_quot (AccExpr *a,
               AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_QUOT, a, b);
}

/**
 * acc_expr_rem:
 * @a: an integer or a vector of integers
 * @b: one of the same type
 *
 * Computes the remainder of acc_expr_quot(), with the sign of the dividend.
 *
 * The remainder of the least value and -1 is 0. Division by zero fails with %ACC_ERROR_ARITHMETIC when it runs, and gives 0 where checks
 * are off.
 *
 * ```c
 * // a = -7, b = 2
 * AccExpr *result = acc_expr_rem (a, b); // → -1
 * ```
 *
 * Returns: (transfer none): the remainder, of the type of @a
 */
AccExpr *
acc_expr_rem (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_REM, a, b);
}

/**
 * acc_expr_div:
 * @a: an integer or a vector of integers
 * @b: one of the same type
 *
 * Divides two integers and rounds the quotient down.
 *
 * Errors are those of acc_expr_quot().
 *
 * ```c
 * // a = -7, b = 2
 * AccExpr *result = acc_expr_div (a, b); // → -4
 * ```
 *
 * Returns: (transfer none): the quotient, of the type of @a
 */
AccExpr *
acc_expr_div (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_DIV, a, b);
}

/**
 * acc_expr_mod:
 * @a: an integer or a vector of integers
 * @b: one of the same type
 *
 * Computes the remainder of acc_expr_div(), with the sign of the divisor.
 *
 * The remainder of the least value and -1 is 0. Errors are those of acc_expr_rem().
 *
 * ```c
 * // a = -7, b = 2
 * AccExpr *result = acc_expr_mod (a, b); // → 1
 * ```
 *
 * Returns: (transfer none): the remainder, of the type of @a
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
 * Tells whether one value is less than another, @a < @b.
 *
 * Tuples and vectors are compared lexicographically. Any comparison with NaN but acc_expr_ne() is false. Complex numbers, which have
 * no order, and operands of two different types give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 1, b = 2
 * AccExpr *result = acc_expr_lt (a, b); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true where @a < @b
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
 * Tells whether one value is greater than another, @a > @b.
 *
 * Behaves otherwise as acc_expr_lt().
 *
 * ```c
 * // a = 1, b = 2
 * AccExpr *result = acc_expr_gt (a, b); // → false
 * ```
 *
 * Returns: (transfer none): a b1, true where @a > @b
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
 * Tells whether one value is less than or equal to another, @a <= @b.
 *
 * Behaves otherwise as acc_expr_lt().
 *
 * ```c
 * // a = 2, b = 2
 * AccExpr *result = acc_expr_le (a, b); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true where @a <= @b
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
 * Tells whether one value is greater than or equal to another, @a >= @b.
 *
 * Behaves otherwise as acc_expr_lt().
 *
 * ```c
 * // a = 1, b = 2
 * AccExpr *result = acc_expr_ge (a, b); // → false
 * ```
 *
 * Returns: (transfer none): a b1, true where @a >= @b
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
 * Tells whether two values are equal.
 *
 * Tuples and vectors are compared as wholes. Any comparison with NaN but acc_expr_ne() is false.
 *
 * ```c
 * // a = 2, b = 2
 * AccExpr *result = acc_expr_eq (a, b); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true where @a = @b
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
 * Tells whether two values differ.
 *
 * A comparison with NaN is true. Behaves otherwise as acc_expr_eq().
 *
 * ```c
 * // a = 2, b = 2
 * AccExpr *result = acc_expr_ne (a, b); // → false
 * ```
 *
 * Returns: (transfer none): a b1, true where @a and @b differ
 */
AccExpr *
acc_expr_ne (AccExpr *a,
             AccExpr *b)
{
  return _acc_expr_compare (ACC_PRIM_NE, a, b);
}

/**
 * acc_expr_is_nan:
 * @a: a float, a complex number, or a vector of floats
 *
 * Tells whether a value is NaN; for a complex number, whether one of its parts is.
 *
 * ```c
 * // a = nan of f8
 * AccExpr *result = acc_expr_is_nan (a); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true for NaN; for a vector, a vector of b1
 */
AccExpr *
acc_expr_is_nan (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_IS_NAN, a);
}

/**
 * acc_expr_is_inf:
 * @a: a float, a complex number, or a vector of floats
 *
 * Tells whether a value is infinite; for a complex number, whether one of its parts is.
 *
 * ```c
 * // a = inf of f8
 * AccExpr *result = acc_expr_is_inf (a); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true for infinities; for a vector, a vector of b1
 */
AccExpr *
acc_expr_is_inf (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_IS_INF, a);
}

/**
 * acc_expr_min:
 * @a: a scalar, a tuple or a vector
 * @b: one of the same type
 *
 * Returns the smaller of two values.
 *
 * Where one is NaN, the result is the other (IEEE minNum). Tuples and vectors are in lexicographic order. Complex numbers, which have
 * no order, and operands of two different types give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 1.0, b = nan of f8
 * AccExpr *result = acc_expr_min (a, b); // → 1
 * ```
 *
 * Returns: (transfer none): @a or @b
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
 * Returns the larger of two values.
 *
 * Where one is NaN, the result is the other (IEEE maxNum). Tuples and vectors are in lexicographic order. Complex numbers, which have
 * no order, and operands of two different types give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 1.0, b = 2.0
 * AccExpr *result = acc_expr_max (a, b); // → 2
 * ```
 *
 * Returns: (transfer none): @a or @b
 */
AccExpr *
acc_expr_max (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_choose (ACC_PRIM_MAX, a, b);
}

/**
 * acc_expr_neg:
 * @a: a number, a complex number, or a vector of numbers
 *
 * Negates a number; integers wrap.
 *
 * ```c
 * // a = 3
 * AccExpr *result = acc_expr_neg (a); // → -3
 * ```
 *
 * Returns: (transfer none): the negative, of the type of @a
 */
AccExpr *
acc_expr_neg (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_NEG, a);
}

/**
 * acc_expr_abs:
 * @a: a number, a complex number, or a vector of numbers
 *
 * Computes the absolute value of a number.
 *
 * That of the least integer is itself. That of a complex number is a complex number without an imaginary part; acc_expr_magnitude() gives a
 * float.
 *
 * ```c
 * // a = -3
 * AccExpr *result = acc_expr_abs (a); // → 3
 * ```
 *
 * Returns: (transfer none): the absolute value, of the type of @a
 */
AccExpr *
acc_expr_abs (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_ABS, a);
}

/**
 * acc_expr_signum:
 * @a: a number, a complex number, or a vector of numbers
 *
 * Returns the sign of a number: -1, 0 or 1.
 *
 * Floats keep NaN and signed zero. The sign of a complex number is that of magnitude 1 in its direction, or 0.
 *
 * ```c
 * // a = -2.5
 * AccExpr *result = acc_expr_signum (a); // → -1
 * ```
 *
 * Returns: (transfer none): the sign, of the type of @a
 */
AccExpr *
acc_expr_signum (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_SIGNUM, a);
}
