/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-math.h"
#include "acc-core/array/acc-array-build-private.h"

/* Folds of rows and of whole arrays by one operator. */

static AccExpr *
land_elements (AccExpr  *x,
               AccExpr  *y,
               gpointer  user_data)
{
  return acc_expr_land (x, y);
}

static AccExpr *
lor_elements (AccExpr  *x,
              AccExpr  *y,
              gpointer  user_data)
{
  return acc_expr_lor (x, y);
}

static gboolean
is_of_flags (AccArray *array)
{
  return ACC_IS_ARRAY (array) && array->error == NULL && acc_element_type_get_kind (array->type) == ACC_KIND_BOOL;
}

static AccArray *
refuse_flags (AccArray *array)
{
  AccArray *node = acc_array_begin (ACC_OP_COMPUTE, &array, 1);

  acc_array_fail (node, ACC_ERROR_TYPE, "adds numbers, not b1: count_nonzero counts what is true");

  return acc_array_complete (node);
}

/**
 * acc_array_sum:
 * @self: an array of rank 1 or more
 *
 * Sums each row along the innermost dimension.
 *
 * An empty row gives 0. Integers wrap; floats may differ in the last bits from those of a plain loop. Takes time linear in the size of
 * @self. Elements that are not numbers are %ACC_ERROR_TYPE, an array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_sum (xs); // → [8, 15]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_sum (AccArray *self)
{
  ACC_ARRAY_NAMED ("sum");
  if (is_of_flags (self))
    return refuse_flags (self);
  return acc_array_fold (self, acc_expr_new_int (0), acc_array_add_elements, NULL);
}

/**
 * acc_array_product:
 * @self: an array of rank 1 or more
 *
 * Multiplies the elements of each row along the innermost dimension.
 *
 * An empty row gives 1. Integers wrap. Takes time linear in the size of @self. Elements that are not numbers are %ACC_ERROR_TYPE, an array
 * of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_product (xs); // → [12, 45]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_product (AccArray *self)
{
  ACC_ARRAY_NAMED ("product");
  return acc_array_fold (self, acc_expr_new_int (1), acc_array_mul_elements, NULL);
}

/**
 * acc_array_minimum:
 * @self: an array of rank 1 or more
 *
 * Returns the smallest element of each row along the innermost dimension.
 *
 * An empty row is %ACC_ERROR_SHAPE. NaN is ignored: it is the result only where all elements are NaN. Takes time linear in the size of
 * @self. An array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_minimum (xs); // → [1, 1]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_minimum (AccArray *self)
{
  ACC_ARRAY_NAMED ("minimum");
  return acc_array_fold1 (self, acc_array_min_elements, NULL);
}

/**
 * acc_array_maximum:
 * @self: an array of rank 1 or more
 *
 * Returns the largest element of each row along the innermost dimension.
 *
 * An empty row is %ACC_ERROR_SHAPE. NaN is ignored: it is the result only where all elements are NaN. Takes time linear in the size of
 * @self. An array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_maximum (xs); // → [4, 9]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_maximum (AccArray *self)
{
  ACC_ARRAY_NAMED ("maximum");
  return acc_array_fold1 (self, acc_array_max_elements, NULL);
}

/**
 * acc_array_all:
 * @self: an array of b1 of rank 1 or more
 *
 * Tests whether all elements of each row along the innermost dimension are true.
 *
 * An empty row gives true. Takes time linear in the size of @self. Elements that are not b1 are %ACC_ERROR_TYPE, an array of rank 0 is
 * %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[true, true], [false, true], [false, false]]
 * g_autoptr(AccArray) result = acc_array_all (xs); // → [true, false, false]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("all");
  return acc_array_fold (self, acc_expr_new_bool (TRUE), land_elements, NULL);
}

/**
 * acc_array_any:
 * @self: an array of b1 of rank 1 or more
 *
 * Tests whether any element of each row along the innermost dimension is true.
 *
 * An empty row gives false. Takes time linear in the size of @self. Elements that are not b1 are %ACC_ERROR_TYPE, an array of rank 0 is
 * %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[true, true], [false, true], [false, false]]
 * g_autoptr(AccArray) result = acc_array_any (xs); // → [true, true, false]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_any (AccArray *self)
{
  ACC_ARRAY_NAMED ("any");
  return acc_array_fold (self, acc_expr_new_bool (FALSE), lor_elements, NULL);
}

/**
 * acc_array_sum_all:
 * @self: an array
 *
 * Sums all elements of an array.
 *
 * An empty array gives 0. Integers wrap; floats may differ in the last bits from those of a plain loop. Takes time linear in the size of
 * @self. Elements that are not numbers are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_sum_all (xs); // → 23
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_sum_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("sum_all");
  if (is_of_flags (self))
    return refuse_flags (self);
  return acc_array_fold_all (self, acc_expr_new_int (0), acc_array_add_elements, NULL);
}

/**
 * acc_array_product_all:
 * @self: an array
 *
 * Multiplies all elements of an array.
 *
 * An empty array gives 1. Integers wrap. Takes time linear in the size of @self. Elements that are not numbers are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_product_all (xs); // → 540
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_product_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("product_all");
  return acc_array_fold_all (self, acc_expr_new_int (1), acc_array_mul_elements, NULL);
}

/**
 * acc_array_minimum_all:
 * @self: an array
 *
 * Returns the smallest element of an array.
 *
 * An empty array is %ACC_ERROR_SHAPE. NaN is ignored: it is the result only where all elements are NaN. Takes time linear in the size of
 * @self.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_minimum_all (xs); // → 1
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_minimum_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("minimum_all");
  return acc_array_fold1_all (self, acc_array_min_elements, NULL);
}

/**
 * acc_array_maximum_all:
 * @self: an array
 *
 * Returns the largest element of an array.
 *
 * An empty array is %ACC_ERROR_SHAPE. NaN is ignored: it is the result only where all elements are NaN. Takes time linear in the size of
 * @self.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_maximum_all (xs); // → 9
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_maximum_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("maximum_all");
  return acc_array_fold1_all (self, acc_array_max_elements, NULL);
}

/**
 * acc_array_all_true:
 * @self: an array of b1
 *
 * Tests whether all elements of an array are true.
 *
 * An empty array gives true. Takes time linear in the size of @self. Elements that are not b1 are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[true, true], [false, true], [false, false]]
 * g_autoptr(AccArray) result = acc_array_all_true (xs); // → false
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_all_true (AccArray *self)
{
  ACC_ARRAY_NAMED ("all_true");
  return acc_array_fold_all (self, acc_expr_new_bool (TRUE), land_elements, NULL);
}

/**
 * acc_array_any_true:
 * @self: an array of b1
 *
 * Tests whether any element of an array is true.
 *
 * An empty array gives false. Takes time linear in the size of @self. Elements that are not b1 are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[true, true], [false, true], [false, false]]
 * g_autoptr(AccArray) result = acc_array_any_true (xs); // → true
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_any_true (AccArray *self)
{
  ACC_ARRAY_NAMED ("any_true");
  return acc_array_fold_all (self, acc_expr_new_bool (FALSE), lor_elements, NULL);
}
