/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-expr-derive-private.h"
#include "acc-expr.h"

#define WHAT "a ratio: a pair of integers of one type"

static gboolean
is_ratio (AccExpr *expr)
{
  AccElementType *item;

  if (expr->type == NULL || !acc_element_type_is_tuple (expr->type) || acc_element_type_get_n_items (expr->type) != 2)
    return FALSE;
  item = acc_element_type_get_item (expr->type, 0);
  return item == acc_element_type_get_item (expr->type, 1) && acc_element_type_is_scalar (item)
         && acc_element_kind_is_integer (acc_element_type_get_kind (item));
}

/**
 * acc_expr_ratio:
 * @a: an integer: the numerator
 * @b: one of the same type: the denominator
 *
 * Creates the ratio of two integers, in lowest terms.
 *
 * Both are divided by their greatest common divisor, and the numerator has the sign. Equal ratios are equal pairs, but pairs are not
 * in the order of ratios. Arithmetic is that of integers: the sum of p and q has each numerator times the other's denominator, above
 * the product of both denominators. A part wraps where it is the magnitude of the least integer.
 *
 * A denominator of 0 fails with %ACC_ERROR_ARITHMETIC when it runs, and gives (0, 0) where checks are off.
 *
 * ```c
 * // a = 6, b = -8
 * AccExpr *result = acc_expr_ratio (a, b); // → (-3, 4)
 * ```
 *
 * Returns: (transfer none): a pair of the type of @a: numerator and denominator
 */
DERIVED2_OF (_acc_expr_is_integer, "integers", ratio,
  /* With 0 below the line, dividing by 0 fails. */
  AccExpr *common = acc_expr_cond (acc_expr_eq (b, INT (0)), acc_expr_new_zero (a->type), acc_expr_gcd (a, b));
  g_autoptr(AccExpr) divisor = acc_expr_ref_sink (common);
  g_autoptr(AccExpr) above = acc_expr_ref_sink (acc_expr_quot (a, divisor));
  g_autoptr(AccExpr) below = acc_expr_ref_sink (acc_expr_quot (b, divisor));

  if (!acc_element_kind_is_signed (acc_element_type_get_kind (a->type)))
    return acc_expr_tuple2 (above, below);
  return acc_expr_cond (acc_expr_lt (below, INT (0)), acc_expr_tuple2 (acc_expr_neg (above), acc_expr_neg (below)),
                        acc_expr_tuple2 (above, below));
)

/**
 * acc_expr_numerator:
 * @a: a ratio, as acc_expr_ratio() returns it
 *
 * Returns the numerator of a ratio.
 *
 * ```c
 * // a = (-3, 4) of (i8,i8)
 * AccExpr *result = acc_expr_numerator (a); // → -3
 * ```
 *
 * Returns: (transfer none): the numerator
 */
DERIVED1 (numerator, return is_ratio (a) ? acc_expr_item (a, 0) : _acc_expr_needs ("numerator", WHAT, a); )

/**
 * acc_expr_denominator:
 * @a: a ratio, as acc_expr_ratio() returns it
 *
 * Returns the denominator of a ratio.
 *
 * ```c
 * // a = (-3, 4) of (i8,i8)
 * AccExpr *result = acc_expr_denominator (a); // → 4
 * ```
 *
 * Returns: (transfer none): the denominator
 */
DERIVED1 (denominator, return is_ratio (a) ? acc_expr_item (a, 1) : _acc_expr_needs ("denominator", WHAT, a); )

/**
 * acc_expr_to_ratio:
 * @a: an integer or a float
 *
 * Converts a number to a ratio, exactly where its parts fit i8.
 *
 * Denominators of floats are powers of two, of 2^62 at most: numbers that would need a larger one are rounded to a multiple of 2^-62, ties
 * to even. Numbers of magnitude 2^63 and beyond give the greatest and the least i8, and NaN gives 0, as in acc_expr_cast().
 *
 * ```c
 * // a = -0.375
 * AccExpr *result = acc_expr_to_ratio (a); // → (-3, 8)
 * ```
 *
 * Returns: (transfer none): a pair of i8: numerator and denominator
 */
DERIVED1 (to_ratio,
  AccElementType *i8 = acc_index_type (1);

  if (_acc_expr_is_integer (a))
    return acc_expr_tuple2 (acc_expr_cast (a, i8), acc_expr_new_typed_int (i8, 1));
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("to_ratio", "an integer or a float", a);

  /* What is not finite has a large exponent: nothing stands below the line. */
  AccExpr *digits = acc_expr_neg (acc_expr_item (acc_expr_decode_float (a), 1));
  g_autoptr(AccExpr) shift = acc_expr_ref_sink (acc_expr_max (acc_expr_min (digits, INT (62)), INT (0)));
  AccExpr *above = acc_expr_cast (acc_expr_round (acc_expr_scale_float (shift, a)), i8);

  return acc_expr_ratio (above, acc_expr_shl (acc_expr_new_typed_int (i8, 1), shift));
)
