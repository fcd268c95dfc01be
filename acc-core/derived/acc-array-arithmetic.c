/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-math.h"
#include "acc-core/array/acc-array-build-private.h"

/* Arithmetic and comparisons of two arrays, element by element. */

#define BINARY(name, function)                                   \
  static AccExpr *                                               \
  name##_elements (AccExpr *x, AccExpr *y, gpointer user_data)   \
  {                                                              \
    return function (x, y);                                      \
  }

static AccExpr *
divide_elements (AccExpr *x,
                 AccExpr *y)
{
  AccElementType *type = acc_expr_get_element_type (x);
  gboolean is_float = type != NULL && !acc_element_type_is_tuple (type) && acc_element_kind_is_float (acc_element_type_get_leaf (type, 0));

  return is_float ? acc_expr_fdiv (x, y) : acc_expr_quot (x, y);
}

BINARY (sub, acc_expr_sub)
BINARY (div, divide_elements)
BINARY (pow, acc_expr_pow)
BINARY (lt, acc_expr_lt)
BINARY (le, acc_expr_le)
BINARY (gt, acc_expr_gt)
BINARY (ge, acc_expr_ge)
BINARY (eq, acc_expr_eq)
BINARY (ne, acc_expr_ne)

/**
 * acc_array_add:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Adds two arrays element by element.
 *
 * Integers wrap. Works over the extents that both arrays have: the smaller extent in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types, or that are not numbers, are %ACC_ERROR_TYPE,
 * different ranks are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_add (xs, ys); // → [9, 3, 6]
 * ```
 *
 * Returns: (transfer full): sums, of the element type; integers wrap
 */
AccArray *
acc_array_add (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("add");
  return acc_array_zip_with (self, other, acc_array_add_elements, NULL);
}

/**
 * acc_array_sub:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Subtracts @other from @self element by element.
 *
 * Behaves otherwise as [method@Array.add].
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_sub (xs, ys); // → [5, -7, 0]
 * ```
 *
 * Returns: (transfer full): differences, of the element type; integers wrap
 */
AccArray *
acc_array_sub (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("sub");
  return acc_array_zip_with (self, other, sub_elements, NULL);
}

/**
 * acc_array_mul:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Multiplies two arrays element by element.
 *
 * Behaves otherwise as [method@Array.add].
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_mul (xs, ys); // → [14, -10, 9]
 * ```
 *
 * Returns: (transfer full): products, of the element type; integers wrap
 */
AccArray *
acc_array_mul (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("mul");
  return acc_array_zip_with (self, other, acc_array_mul_elements, NULL);
}

/**
 * acc_array_div:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Divides @self by @other element by element.
 *
 * Quotients of floats are exactly rounded, quotients of integers are truncated toward 0. Division of an integer by 0 is
 * %ACC_ERROR_ARITHMETIC when run, and so is division of the smallest signed integer by -1. Behaves otherwise as [method@Array.add].
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_div (xs, ys); // → [3, 0, 1]
 * ```
 *
 * Returns: (transfer full): quotients, of the element type
 */
AccArray *
acc_array_div (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("div");
  return acc_array_zip_with (self, other, div_elements, NULL);
}

/**
 * acc_array_pow:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Raises @self to the power @other element by element.
 *
 * Takes floats only. Works over the extents that both arrays have: the smaller extent in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types, or that are not floats, are %ACC_ERROR_TYPE,
 * different ranks are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [2.0, 9.0], ys = [10.0, 0.5]
 * g_autoptr(AccArray) result = acc_array_pow (xs, ys); // → [1024, 3]
 * ```
 *
 * Returns: (transfer full): powers, of the element type
 */
AccArray *
acc_array_pow (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("pow");
  return acc_array_zip_with (self, other, pow_elements, NULL);
}

/**
 * acc_array_min:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Returns the element-wise minimum of two arrays.
 *
 * Where one of two elements is NaN, the result is the other (IEEE minNum); tuples are compared lexicographically. Works over the extents
 * that both arrays have: the smaller extent in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types are %ACC_ERROR_TYPE, different ranks are
 * %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_min (xs, ys); // → [2, -2, 3]
 * ```
 *
 * Returns: (transfer full): minima, of the element type
 */
AccArray *
acc_array_min (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("min");
  return acc_array_zip_with (self, other, acc_array_min_elements, NULL);
}

/**
 * acc_array_max:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Returns the element-wise maximum of two arrays.
 *
 * NaN is ignored (IEEE maxNum). Behaves otherwise as [method@Array.min].
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_max (xs, ys); // → [7, 5, 3]
 * ```
 *
 * Returns: (transfer full): maxima, of the element type
 */
AccArray *
acc_array_max (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("max");
  return acc_array_zip_with (self, other, acc_array_max_elements, NULL);
}

/**
 * acc_array_lt:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Tests, element by element, whether @self is less than @other.
 *
 * Tuples are compared lexicographically. A comparison with NaN is false. Works over the extents that both arrays have: the smaller extent
 * in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types are %ACC_ERROR_TYPE, and so are complex numbers,
 * which have no order; different ranks are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_lt (xs, ys); // → [false, true, false]
 * ```
 *
 * Returns: (transfer full): an array of b1
 */
AccArray *
acc_array_lt (AccArray *self,
              AccArray *other)
{
  ACC_ARRAY_NAMED ("lt");
  return acc_array_zip_with (self, other, lt_elements, NULL);
}

/**
 * acc_array_le:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Tests, element by element, whether @self is at most @other.
 *
 * Behaves otherwise as [method@Array.lt].
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_le (xs, ys); // → [false, true, true]
 * ```
 *
 * Returns: (transfer full): an array of b1
 */
AccArray *
acc_array_le (AccArray *self,
              AccArray *other)
{
  ACC_ARRAY_NAMED ("le");
  return acc_array_zip_with (self, other, le_elements, NULL);
}

/**
 * acc_array_gt:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Tests, element by element, whether @self is greater than @other.
 *
 * Behaves otherwise as [method@Array.lt].
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_gt (xs, ys); // → [true, false, false]
 * ```
 *
 * Returns: (transfer full): an array of b1
 */
AccArray *
acc_array_gt (AccArray *self,
              AccArray *other)
{
  ACC_ARRAY_NAMED ("gt");
  return acc_array_zip_with (self, other, gt_elements, NULL);
}

/**
 * acc_array_ge:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Tests, element by element, whether @self is at least @other.
 *
 * Behaves otherwise as [method@Array.lt].
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_ge (xs, ys); // → [true, false, true]
 * ```
 *
 * Returns: (transfer full): an array of b1
 */
AccArray *
acc_array_ge (AccArray *self,
              AccArray *other)
{
  ACC_ARRAY_NAMED ("ge");
  return acc_array_zip_with (self, other, ge_elements, NULL);
}

/**
 * acc_array_eq:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Tests, element by element, whether @self equals @other.
 *
 * Tuples are compared as wholes. A comparison with NaN is false. Works over the extents that both arrays have: the smaller extent in every
 * dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types are %ACC_ERROR_TYPE, different ranks are
 * %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_eq (xs, ys); // → [false, false, true]
 * ```
 *
 * Returns: (transfer full): an array of b1
 */
AccArray *
acc_array_eq (AccArray *self,
              AccArray *other)
{
  ACC_ARRAY_NAMED ("eq");
  return acc_array_zip_with (self, other, eq_elements, NULL);
}

/**
 * acc_array_ne:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Tests, element by element, whether @self differs from @other.
 *
 * A comparison with NaN is true. Behaves otherwise as [method@Array.eq].
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_ne (xs, ys); // → [true, true, false]
 * ```
 *
 * Returns: (transfer full): an array of b1
 */
AccArray *
acc_array_ne (AccArray *self,
              AccArray *other)
{
  ACC_ARRAY_NAMED ("ne");
  return acc_array_zip_with (self, other, ne_elements, NULL);
}
