/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scalar functions made of primitives: the same on every backend. */

#include "acc-error.h"
#include "acc-expr-pack-private.h"

AccExpr *
_acc_expr_derive (const char   *name,
                  AccExpr      *a,
                  AccExpr      *b,
                  guint         n,
                  gboolean      alike,
                  AccExprBuild  build)
{
  AccExpr *args[] = { a, b };
  AccExpr *result = _acc_expr_adopt (name, args, n);

  if (result != NULL)
    return result;

  if (alike && n == 2)
    _acc_expr_unify (&args[0], &args[1], FALSE);
  for (guint i = 0; i < n; i++)
    if (!_acc_expr_resolve_slot (&args[i], NULL))
      return _acc_expr_fail (args[i], args, n);

  if (alike && n == 2 && args[0]->type != args[1]->type)
    result = acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: %s and %s differ; convert one with cast", name,
                                         acc_element_type_get_code (args[0]->type), acc_element_type_get_code (args[1]->type));
  else
    result = build (args);
  return _acc_expr_keep (result, args, n);
}

AccExpr *
_acc_expr_needs (const char *name,
                 const char *what,
                 AccExpr    *given)
{
  return acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s takes %s, not %s", name, what, acc_element_type_get_code (given->type));
}

gboolean
_acc_expr_is_integer (AccExpr *expr)
{
  return acc_element_kind_is_integer (acc_element_type_get_kind (expr->type));
}

gboolean
_acc_expr_is_float (AccExpr *expr)
{
  return acc_element_kind_is_float (acc_element_type_get_kind (expr->type));
}

gboolean
_acc_expr_is_bool (AccExpr *expr)
{
  return acc_element_type_get_kind (expr->type) == ACC_KIND_BOOL;
}

static AccExpr *
one_of (AccExpr *like)
{
  return acc_expr_new_typed_int (like->type, 1);
}

static AccExpr *
zero_of (AccExpr *like)
{
  return acc_expr_new_typed_int (like->type, 0);
}

/* --- logic */

/**
 * acc_expr_land:
 * @a: a b1
 * @b: a b1
 *
 * Computes the logical and of two truth values.
 *
 * Both sides are evaluated; acc_expr_and_then() evaluates the second one only where it is needed. Other operands give an expression
 * with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = true, b = false
 * AccExpr *result = acc_expr_land (a, b); // → false
 * ```
 *
 * Returns: (transfer none): a b1, true where both are true
 */
DERIVED2_OF (_acc_expr_is_bool, "b1", land,
  return acc_expr_band (a, b);
)

/**
 * acc_expr_lor:
 * @a: a b1
 * @b: a b1
 *
 * Computes the logical or of two truth values.
 *
 * Both sides are evaluated; acc_expr_or_else() evaluates the second one only where it is needed. Other operands give an expression
 * with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = true, b = false
 * AccExpr *result = acc_expr_lor (a, b); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true where one is true
 */
DERIVED2_OF (_acc_expr_is_bool, "b1", lor,
  return acc_expr_bor (a, b);
)

/**
 * acc_expr_lnot:
 * @a: a b1
 *
 * Computes the logical not of a truth value.
 *
 * Another operand gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = true
 * AccExpr *result = acc_expr_lnot (a); // → false
 * ```
 *
 * Returns: (transfer none): a b1, true where @a is false
 */
DERIVED1_OF (_acc_expr_is_bool, "b1", lnot,
  return acc_expr_bnot (a);
)

/* --- integers */

/**
 * acc_expr_succ:
 * @a: a number, a complex number, or a vector of numbers
 *
 * Computes the successor of a number, @a + 1; integers wrap.
 *
 * ```c
 * // a = 255 of u1
 * AccExpr *result = acc_expr_succ (a); // → 0
 * ```
 *
 * Returns: (transfer none): @a + 1, of the type of @a
 */
DERIVED1 (succ, return acc_expr_add (a, INT (1)); )

/**
 * acc_expr_pred:
 * @a: a number, a complex number, or a vector of numbers
 *
 * Computes the predecessor of a number, @a - 1; integers wrap.
 *
 * ```c
 * // a = 3
 * AccExpr *result = acc_expr_pred (a); // → 2
 * ```
 *
 * Returns: (transfer none): @a - 1, of the type of @a
 */
DERIVED1 (pred, return acc_expr_sub (a, INT (1)); )

/**
 * acc_expr_subtract:
 * @a: a number, a complex number, or a vector of numbers
 * @b: one of the same type
 *
 * Subtracts the first number from the second: @b - @a.
 *
 * Integers wrap, as in acc_expr_sub(), whose operands are the other way round.
 *
 * ```c
 * // a = 2, b = 7
 * AccExpr *result = acc_expr_subtract (a, b); // → 5
 * ```
 *
 * Returns: (transfer none): @b - @a
 */
DERIVED2 (subtract, TRUE, return acc_expr_sub (b, a); )

/**
 * acc_expr_quot_rem:
 * @a: an integer
 * @b: one of the same type
 *
 * Computes acc_expr_quot() and acc_expr_rem() at once: (-3, -1) for -7 and 2.
 *
 * Operands other than two integers of one type give an expression with %ACC_ERROR_TYPE; division by zero is an error as in
 * acc_expr_quot().
 *
 * ```c
 * // a = -7, b = 2
 * AccExpr *result = acc_expr_quot_rem (a, b); // → (-3, -1)
 * ```
 *
 * Returns: (transfer none): a pair of the type of @a: quotient and remainder
 */
DERIVED2_OF (_acc_expr_is_integer, "integers", quot_rem,
  return acc_expr_tuple2 (acc_expr_quot (a, b), acc_expr_rem (a, b));
)

/**
 * acc_expr_div_mod:
 * @a: an integer
 * @b: one of the same type
 *
 * Computes acc_expr_div() and acc_expr_mod() at once: (-4, 1) for -7 and 2.
 *
 * Operands other than two integers of one type give an expression with %ACC_ERROR_TYPE; division by zero is an error as in
 * acc_expr_quot().
 *
 * ```c
 * // a = -7, b = 2
 * AccExpr *result = acc_expr_div_mod (a, b); // → (-4, 1)
 * ```
 *
 * Returns: (transfer none): a pair of the type of @a: quotient and remainder
 */
DERIVED2_OF (_acc_expr_is_integer, "integers", div_mod,
  return acc_expr_tuple2 (acc_expr_div (a, b), acc_expr_mod (a, b));
)

/**
 * acc_expr_even:
 * @a: an integer
 *
 * Tells whether an integer is even.
 *
 * A float gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = -4
 * AccExpr *result = acc_expr_even (a); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true where it is even
 */
DERIVED1 (even, return acc_expr_eq (acc_expr_band (a, INT (1)), INT (0)); )

/**
 * acc_expr_odd:
 * @a: an integer
 *
 * Tells whether an integer is odd.
 *
 * A float gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = -4
 * AccExpr *result = acc_expr_odd (a); // → false
 * ```
 *
 * Returns: (transfer none): a b1, true where it is odd
 */
DERIVED1 (odd, return acc_expr_ne (acc_expr_band (a, INT (1)), INT (0)); )

static AccExpr *
euclid (AccExpr *state,
        gpointer data)
{
  g_autoptr(AccExpr) x = acc_expr_ref_sink (acc_expr_item (state, 0));
  g_autoptr(AccExpr) y = acc_expr_ref_sink (acc_expr_item (state, 1));

  return acc_expr_tuple2 (acc_expr_ne (y, INT (0)), acc_expr_tuple2 (y, acc_expr_rem (x, y)));
}

/**
 * acc_expr_gcd:
 * @a: an integer
 * @b: an integer of the same type
 *
 * Computes the greatest common divisor of two integers by Euclid's algorithm.
 *
 * The divisor is not negative; that of 0 and 0 is 0. It wraps where it is the magnitude of the least integer. Takes O(log min (a, b))
 * steps.
 *
 * ```c
 * // a = 12, b = -18
 * AccExpr *result = acc_expr_gcd (a, b); // → 6
 * ```
 *
 * Returns: (transfer none): the divisor, of the type of @a
 */
DERIVED2_OF (_acc_expr_is_integer, "integers", gcd,
  /* Magnitudes first: the least integer is never divided by -1. They leave the least integer, and so negative rests. */
  return acc_expr_abs (acc_expr_item (acc_expr_while (acc_expr_tuple2 (acc_expr_abs (a), acc_expr_abs (b)), euclid, NULL), 0));
)

/**
 * acc_expr_lcm:
 * @a: an integer
 * @b: an integer of the same type
 *
 * Computes the least common multiple of two integers.
 *
 * The multiple is not negative, and 0 where one of them is 0. It wraps where it does not fit. Takes O(log min (a, b)) steps, as
 * acc_expr_gcd().
 *
 * ```c
 * // a = 4, b = 6
 * AccExpr *result = acc_expr_lcm (a, b); // → 12
 * ```
 *
 * Returns: (transfer none): the multiple, of the type of @a
 */
DERIVED2_OF (_acc_expr_is_integer, "integers", lcm,
  AccExpr *none = acc_expr_bor (acc_expr_eq (a, INT (0)), acc_expr_eq (b, INT (0)));
  return acc_expr_cond (none, zero_of (a), acc_expr_abs (acc_expr_mul (acc_expr_quot (a, acc_expr_gcd (a, b)), b)));
)

/* The state is (result, base, exponent). */
static AccExpr *
square_and_multiply (AccExpr *state,
                     gpointer data)
{
  g_autoptr(AccExpr) result = acc_expr_ref_sink (acc_expr_item (state, 0));
  g_autoptr(AccExpr) base = acc_expr_ref_sink (acc_expr_item (state, 1));
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_item (state, 2));
  AccExpr *next = acc_expr_cond (acc_expr_odd (k), acc_expr_mul (result, base), result);

  return acc_expr_tuple2 (acc_expr_ne (k, INT (0)),
                          acc_expr_tuple3 (next, acc_expr_mul (base, base), acc_expr_shr (k, INT (1))));
}

/* @base to the power of unsigned @k */
static AccExpr *
power (AccExpr *base,
       AccExpr *k)
{
  return acc_expr_item (acc_expr_while (acc_expr_tuple3 (one_of (base), base, k), square_and_multiply, NULL), 0);
}

/* The power may be out of range while its reciprocal is not: then that is a product of two, each of about half the exponent. */
static AccExpr *
float_power (AccExpr *base,
             AccExpr *k,
             AccExpr *negative)
{
  g_autoptr(AccExpr) half = acc_expr_ref_sink (power (base, acc_expr_shr (k, INT (1))));
  g_autoptr(AccExpr) rest = acc_expr_ref_sink (acc_expr_cond (acc_expr_odd (k), acc_expr_mul (half, base), half));
  g_autoptr(AccExpr) positive = acc_expr_ref_sink (acc_expr_mul (half, rest));
  AccExpr *in_two = acc_expr_mul (acc_expr_recip (half), acc_expr_recip (rest)), *reciprocal = in_two;

  if (_acc_expr_is_float (base))
    reciprocal = acc_expr_cond (acc_expr_bor (acc_expr_is_inf (positive), acc_expr_is_denormalized (positive)), in_two,
                                acc_expr_recip (positive));

  return acc_expr_cond (negative, reciprocal, positive);
}

/* An integer to a negative power: 1 and -1 have reciprocals. */
static AccExpr *
small_power (AccExpr *base,
             AccExpr *k)
{
  AccExpr *result = zero_of (base);

  if (acc_element_kind_is_signed (acc_element_type_get_kind (base->type)))
    result = acc_expr_cond (acc_expr_eq (base, INT (-1)), acc_expr_cond (acc_expr_odd (k), acc_expr_neg (one_of (base)), one_of (base)),
                            result);
  return acc_expr_cond (acc_expr_eq (base, INT (1)), one_of (base), result);
}

/**
 * acc_expr_int_pow:
 * @a: a number or a complex number: the base
 * @b: an integer: the exponent
 *
 * Raises a number to an integer power by repeated squaring.
 *
 * Integers wrap, and the power 0 is 1. With a negative exponent, floats and complex numbers give the reciprocal of the positive power,
 * which is subnormal where that is out of range; integers give 1 for 1, ±1 for -1, and 0 otherwise. Takes O(log |b|) steps.
 *
 * ```c
 * // a = 3, b = 4
 * AccExpr *result = acc_expr_int_pow (a, b); // → 81
 * ```
 *
 * Returns: (transfer none): the power, of the type of @a
 */
DERIVED2 (int_pow, FALSE,
  if (!_acc_expr_is_integer (b))
    return _acc_expr_needs ("int_pow", "an integer exponent", b);
  if (!_acc_expr_is_integer (a) && !_acc_expr_is_float (a) && !_acc_expr_is_complex (a))
    return _acc_expr_needs ("int_pow", "a number", a);

  AccElementType *u64 = acc_element_type_new (ACC_KIND_U64);
  if (!acc_element_kind_is_signed (acc_element_type_get_kind (b->type)))
    return power (a, acc_expr_cast (b, u64));

  /* The magnitude of the least i8 fits u8. */
  AccExpr *k = acc_expr_cast (acc_expr_abs (acc_expr_cast (b, acc_index_type (1))), u64);
  AccExpr *negative = acc_expr_lt (b, INT (0));
  if (_acc_expr_is_integer (a))
    return acc_expr_cond (negative, small_power (a, b), power (a, k));

  return float_power (a, k, negative);
)

/**
 * acc_expr_compare:
 * @a: a scalar, a tuple or a vector
 * @b: one of the same type
 *
 * Compares two values.
 *
 * Tuples and vectors are compared lexicographically. Complex numbers have no order: they, and operands of two different types, give an
 * expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 1, b = 2
 * AccExpr *result = acc_expr_compare (a, b); // → -1
 * ```
 *
 * Returns: (transfer none): an i1: -1, 0 or 1 as @a is less than, equal to or greater than @b; 0 where it is none of these, as for NaN
 */
DERIVED2 (compare, TRUE,
  AccElementType *i1 = acc_element_type_new (ACC_KIND_I8);
  return acc_expr_cond (acc_expr_lt (a, b), acc_expr_new_typed_int (i1, -1),
                        acc_expr_cond (acc_expr_gt (a, b), acc_expr_new_typed_int (i1, 1), acc_expr_new_typed_int (i1, 0)));
)
