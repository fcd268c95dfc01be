/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-expr-either.h"

#include "acc-expr-sum-private.h"

#define IS_EITHER(a) _acc_type_is_either ((a)->type)
#define WHAT "one value or another: (u1, …, …)"

gboolean
_acc_type_is_either (AccElementType *type)
{
  return _acc_type_is_sum (type, 2);
}

/**
 * acc_element_type_new_either:
 * @left: the type of the left value
 * @right: the type of the right value
 *
 * Returns the type of a value that is either of one type or of another, with a tag: `(u1,f4,i8)` for "f4" and "i8".
 *
 * Values of the type are ordered: left ones come first.
 *
 * Returns: (transfer full) (nullable): the type; %NULL where acc_element_type_new_tuple() returns %NULL
 */
AccElementType *
acc_element_type_new_either (AccElementType *left,
                             AccElementType *right)
{
  AccElementType *values[] = { left, right };

  g_return_val_if_fail (left != NULL && right != NULL, NULL);

  return _acc_type_new_sum (values, 2);
}

static AccExpr *
one_side (const char     *name,
          guint           tag,
          AccExpr        *value,
          AccElementType *other)
{
  AccExpr *args[] = { value };
  AccExpr *result = _acc_expr_adopt (name, args, 1);

  if (result != NULL)
    return result;

  AccExpr *zero = acc_expr_new_zero (other);
  result = tag == 0 ? acc_expr_tuple3 (_acc_expr_tag (0), args[0], zero) : acc_expr_tuple3 (_acc_expr_tag (1), zero, args[0]);
  return _acc_expr_keep (result, args, 1);
}

/**
 * acc_expr_left:
 * @value: a scalar or a tuple
 * @right: the type of the right value that is not there
 *
 * Creates an either value that holds the left value.
 *
 * ```c
 * // x = 5
 * AccExpr *result = acc_expr_left (x, acc_element_type_new (ACC_KIND_F64)); // → (0, 5, 0)
 * ```
 *
 * Returns: (transfer none): a tuple of the tag 0, @value and a zero of @right; a literal without a type stays without one
 */
AccExpr *
acc_expr_left (AccExpr        *value,
               AccElementType *right)
{
  return one_side ("left", 0, value, right);
}

/**
 * acc_expr_right:
 * @value: a scalar or a tuple
 * @left: the type of the left value that is not there
 *
 * Creates an either value that holds the right value.
 *
 * ```c
 * // x = 0.5
 * AccExpr *result = acc_expr_right (x, acc_element_type_new (ACC_KIND_I64)); // → (1, 0, 0.5)
 * ```
 *
 * Returns: (transfer none): a tuple of the tag 1, a zero of @left and @value; a literal without a type stays without one
 */
AccExpr *
acc_expr_right (AccExpr        *value,
                AccElementType *left)
{
  return one_side ("right", 1, value, left);
}

/**
 * acc_expr_is_left:
 * @a: an either value, of a type as acc_element_type_new_either() returns it
 *
 * Tells whether an either value holds the left value.
 *
 * ```c
 * // a = (0, 5, 0.0) of (u1,i8,f8)
 * AccExpr *result = acc_expr_is_left (a); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true where it holds the left value
 */
DERIVED1_OF (IS_EITHER, WHAT, is_left,
  return _acc_expr_is_first (a);
)

/**
 * acc_expr_is_right:
 * @a: an either value, of a type as acc_element_type_new_either() returns it
 *
 * Tells whether an either value holds the right value.
 *
 * ```c
 * // a = (0, 5, 0.0) of (u1,i8,f8)
 * AccExpr *result = acc_expr_is_right (a); // → false
 * ```
 *
 * Returns: (transfer none): a b1, true where it holds the right value
 */
DERIVED1_OF (IS_EITHER, WHAT, is_right,
  return acc_expr_lnot (_acc_expr_is_first (a));
)

/**
 * acc_expr_from_left:
 * @a: an either value, of a type as acc_element_type_new_either() returns it
 *
 * Returns the left value of an either value.
 *
 * ```c
 * // a = (0, 5, 0.0) of (u1,i8,f8)
 * AccExpr *result = acc_expr_from_left (a); // → 5
 * ```
 *
 * Returns: (transfer none): the left value; zero where @a holds the right one
 */
DERIVED1_OF (IS_EITHER, WHAT, from_left,
  return acc_expr_item (a, 1);
)

/**
 * acc_expr_from_right:
 * @a: an either value, of a type as acc_element_type_new_either() returns it
 *
 * Returns the right value of an either value.
 *
 * ```c
 * // a = (1, 0, 0.5) of (u1,i8,f8)
 * AccExpr *result = acc_expr_from_right (a); // → 0.5
 * ```
 *
 * Returns: (transfer none): the right value; zero where @a holds the left one
 */
DERIVED1_OF (IS_EITHER, WHAT, from_right,
  return acc_expr_item (a, 2);
)

/**
 * acc_expr_either:
 * @a: an either value, of a type as acc_element_type_new_either() returns it
 * @of_left: the result where @a holds the left value, computed from acc_expr_from_left()
 * @of_right: the result where @a holds the right value, computed from acc_expr_from_right()
 *
 * Chooses one of two results by which value an either value holds.
 *
 * Only the result that is chosen is evaluated. Where @a is not an either value, or the two results differ in type, the expression
 * carries %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = (0, 5, 0.0) of (u1,i8,f8)
 * AccExpr *size = acc_expr_either (a, acc_expr_from_left (a), acc_expr_cast (acc_expr_from_right (a), acc_element_type_new (ACC_KIND_I64))); // → 5
 * ```
 *
 * Returns: (transfer none): @of_left or @of_right
 */
AccExpr *
acc_expr_either (AccExpr *a,
                 AccExpr *of_left,
                 AccExpr *of_right)
{
  AccExpr *args[] = { a, of_left, of_right };
  AccExpr *result = _acc_expr_adopt ("either", args, 3);

  if (result != NULL)
    return result;

  if (_acc_type_is_either (args[0]->type))
    result = _acc_expr_cond ("either", _acc_expr_is_first (args[0]), args[1], args[2]);
  else
    result = _acc_expr_needs ("either", WHAT, args[0]);
  return _acc_expr_keep (result, args, 3);
}
