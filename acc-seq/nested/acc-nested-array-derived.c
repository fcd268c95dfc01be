/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-cumulative.h"
#include "acc-core/derived/acc-array-math.h"
#include "acc-core/derived/acc-array-runs.h"
#include "acc-core/derived/acc-array-sort.h"
#include "acc-core/derived/acc-array-statistics.h"

/* Ready-made functions of each element. */

/* @function: AccArray *(*) (AccArray *array) */
static AccArray *
call_with_element (AccArray **arrays,
                   guint      n_arrays,
                   gpointer   function)
{
  AccArray *(*called) (AccArray *array) = function;

  return called (arrays[0]);
}

/* A number for each element: the values of regular ones. */
static AccArray *
reduce_by (const char       *operation,
           AccNestedArray   *self,
           AccArrayFunc      function,
           gpointer          data)
{
  ACC_ARRAY_NAMED (operation);
  g_autoptr(AccNestedArray) mapped = NULL;
  g_autoptr(AccLifted) regular = NULL;
  g_autoptr(AccLift) lift = NULL;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  mapped = acc_nested_array_map (self, function, data);
  if (acc_nested_array_get_values (mapped)->error != NULL)
    return g_object_ref (acc_nested_array_get_values (mapped));
  lift = acc_lift_new (acc_nested_array_get_count (self));
  regular = acc_lift_to_regular (lift, acc_nested_array_get_lifted (mapped));

  return g_object_ref (regular->values);
}

static AccArray *
reduce (const char     *operation,
        AccNestedArray *self,
        AccArray     *(*function) (AccArray *array))
{
  return reduce_by (operation, self, call_with_element, function);
}

/**
 * acc_nested_array_sum:
 * @self: a nested array of numbers
 *
 * Sums the values of each element. Takes time linear in the number of values.
 *
 * Returns: (transfer full): a vector with a sum for each element; 0 for an empty one
 */
AccArray *
acc_nested_array_sum (AccNestedArray *self)
{
  return reduce ("nested_array_sum", self, acc_array_sum_all);
}

/**
 * acc_nested_array_product:
 * @self: a nested array of numbers
 *
 * Multiplies the values of each element. Takes time linear in the number of values.
 *
 * Returns: (transfer full): a vector with a product for each element; 1 for an empty one
 */
AccArray *
acc_nested_array_product (AccNestedArray *self)
{
  return reduce ("nested_array_product", self, acc_array_product_all);
}

/**
 * acc_nested_array_minimum:
 * @self: a nested array of scalars or tuples of them
 *
 * Finds the least value of each element. Takes time linear in the number of values. A run fails where an element is empty.
 *
 * Returns: (transfer full): a vector with a value for each element
 */
AccArray *
acc_nested_array_minimum (AccNestedArray *self)
{
  return reduce ("nested_array_minimum", self, acc_array_minimum_all);
}

/**
 * acc_nested_array_maximum:
 * @self: a nested array of scalars or tuples of them
 *
 * Finds the largest value of each element. Takes time linear in the number of values. A run fails where an element is empty.
 *
 * Returns: (transfer full): a vector with a value for each element
 */
AccArray *
acc_nested_array_maximum (AccNestedArray *self)
{
  return reduce ("nested_array_maximum", self, acc_array_maximum_all);
}

/**
 * acc_nested_array_mean:
 * @self: a nested array of numbers
 *
 * Computes the mean of each element. Takes time linear in the number of values.
 *
 * Returns: (transfer full): a vector with a mean for each element; NaN for an empty one
 */
AccArray *
acc_nested_array_mean (AccNestedArray *self)
{
  return reduce ("nested_array_mean", self, acc_array_mean_all);
}

static AccArray *
variance_of_element (AccArray **arrays,
                     guint      n_arrays,
                     gpointer   ddof)
{
  return acc_array_variance_all (arrays[0], GPOINTER_TO_UINT (ddof));
}

/**
 * acc_nested_array_variance:
 * @self: a nested array of numbers
 * @ddof: by how much less than the number of values the squares are divided: 0 for all values there are, 1 for a sample
 *
 * Computes the variance of each element. Takes time linear in the number of values.
 *
 * Returns: (transfer full): a vector with a variance for each element, as floats; not finite for one of @ddof values or fewer
 */
AccArray *
acc_nested_array_variance (AccNestedArray *self,
                           guint           ddof)
{
  return reduce_by ("nested_array_variance", self, variance_of_element, GUINT_TO_POINTER (ddof));
}

static AccArray *
deviation_of_element (AccArray **arrays,
                      guint      n_arrays,
                      gpointer   ddof)
{
  return acc_array_standard_deviation_all (arrays[0], GPOINTER_TO_UINT (ddof));
}

/**
 * acc_nested_array_standard_deviation:
 * @self: a nested array of numbers
 * @ddof: as acc_nested_array_variance() takes it
 *
 * Computes the standard deviation of each element, the square root of its variance. Takes time linear in the number of values.
 *
 * Returns: (transfer full): a vector with a deviation for each element, as floats; not finite for one of @ddof values or fewer
 */
AccArray *
acc_nested_array_standard_deviation (AccNestedArray *self,
                                     guint           ddof)
{
  return reduce_by ("nested_array_standard_deviation", self, deviation_of_element, GUINT_TO_POINTER (ddof));
}

/**
 * acc_nested_array_all_true:
 * @self: a nested array of truth values
 *
 * Tells of each element whether all of its values are true. Takes time linear in the number of values.
 *
 * Returns: (transfer full): a vector of b1; true for an empty element
 */
AccArray *
acc_nested_array_all_true (AccNestedArray *self)
{
  return reduce ("nested_array_all_true", self, acc_array_all_true);
}

/**
 * acc_nested_array_any_true:
 * @self: a nested array of truth values
 *
 * Tells of each element whether one of its values is true. Takes time linear in the number of values.
 *
 * Returns: (transfer full): a vector of b1; false for an empty element
 */
AccArray *
acc_nested_array_any_true (AccNestedArray *self)
{
  return reduce ("nested_array_any_true", self, acc_array_any_true);
}

/**
 * acc_nested_array_count_nonzero:
 * @self: a nested array of numbers or truth values
 *
 * Counts the values of each element that are not 0. Takes time linear in the number of values.
 *
 * Returns: (transfer full): a vector of i8; 0 for an empty element
 */
AccArray *
acc_nested_array_count_nonzero (AccNestedArray *self)
{
  return reduce ("nested_array_count_nonzero", self, acc_array_count_nonzero_all);
}

/**
 * acc_nested_array_argmin:
 * @self: a nested array
 *
 * Finds where the least value of each element is, in row-major order; the first of equal ones. Takes time linear in the number of values.
 * A run fails where an element is empty.
 *
 * Returns: (transfer full): a vector of i8
 */
AccArray *
acc_nested_array_argmin (AccNestedArray *self)
{
  return reduce ("nested_array_argmin", self, acc_array_argmin_all);
}

/**
 * acc_nested_array_argmax:
 * @self: a nested array
 *
 * Finds where the largest value of each element is, in row-major order; the first of equal ones. Takes time linear in the number of values.
 * A run fails where an element is empty.
 *
 * Returns: (transfer full): a vector of i8
 */
AccArray *
acc_nested_array_argmax (AccNestedArray *self)
{
  return reduce ("nested_array_argmax", self, acc_array_argmax_all);
}

/**
 * acc_nested_array_cumsum:
 * @self: a nested array of numbers, of rank 1 or more
 *
 * Computes partial sums along the rows of each element. Takes time linear in the number of values.
 *
 * Returns: (transfer full): elements of the same extents
 */
AccNestedArray *
acc_nested_array_cumsum (AccNestedArray *self)
{
  ACC_ARRAY_NAMED ("nested_array_cumsum");

  return acc_nested_array_map (self, call_with_element, acc_array_cumsum);
}

static AccArray *
sort_element (AccArray **arrays,
              guint      n_arrays,
              gpointer   descending)
{
  return acc_array_sort (arrays[0], GPOINTER_TO_INT (descending));
}

/**
 * acc_nested_array_sort:
 * @self: a nested array of rank 1 or more
 * @descending: whether the largest come first
 *
 * Sorts the rows of each element, stably. Takes as long as sorts of all values by key, on devices by row, too.
 *
 * Returns: (transfer full): elements of the same extents
 */
AccNestedArray *
acc_nested_array_sort (AccNestedArray *self,
                       gboolean        descending)
{
  ACC_ARRAY_NAMED ("nested_array_sort");

  return acc_nested_array_map (self, sort_element, GINT_TO_POINTER (descending));
}

static AccArray *
order_of_element (AccArray **arrays,
                  guint      n_arrays,
                  gpointer   descending)
{
  return acc_array_argsort (arrays[0], GPOINTER_TO_INT (descending));
}

/**
 * acc_nested_array_argsort:
 * @self: a nested array of rank 1 or more
 * @descending: whether the largest come first
 *
 * Finds the order in which the rows of each element are sorted: at each place that of the value which comes there. Equal values stay in
 * their order. Takes as long as acc_nested_array_sort() does.
 *
 * ```c
 * // rows = [[3, 1, 2], [], [5, 4]]
 * g_autoptr(AccNestedArray) order = acc_nested_array_argsort (rows, FALSE); // [[1, 2, 0], [], [1, 0]]
 * ```
 *
 * Returns: (transfer full): elements of i8 of the same extents
 */
AccNestedArray *
acc_nested_array_argsort (AccNestedArray *self,
                          gboolean        descending)
{
  ACC_ARRAY_NAMED ("nested_array_argsort");

  return acc_nested_array_map (self, order_of_element, GINT_TO_POINTER (descending));
}

static AccArray *
cast_element (AccArray **arrays,
              guint      n_arrays,
              gpointer   type)
{
  return acc_array_cast (arrays[0], type);
}

/**
 * acc_nested_array_cast:
 * @self: a nested array of scalars
 * @type: a scalar type: that of the values of the result
 *
 * Converts every value to another type, as acc_array_cast() does. Takes time linear in the number of values.
 *
 * Returns: (transfer full): elements of the same extents
 */
AccNestedArray *
acc_nested_array_cast (AccNestedArray *self,
                       AccElementType *type)
{
  ACC_ARRAY_NAMED ("nested_array_cast");

  return acc_nested_array_map (self, cast_element, type);
}

static AccArray *
distinct_of_element (AccArray **arrays,
                     guint      n_arrays,
                     gpointer   data)
{
  return acc_array_unique (arrays[0], NULL);
}

/**
 * acc_nested_array_unique:
 * @self: a nested array of vectors
 *
 * Finds the distinct values of each element, ascending. Takes as long as sorts of all values by key, on devices by element, too.
 *
 * Returns: (transfer full): vectors of as many values as there are different ones
 */
AccNestedArray *
acc_nested_array_unique (AccNestedArray *self)
{
  ACC_ARRAY_NAMED ("nested_array_unique");

  return acc_nested_array_map (self, distinct_of_element, NULL);
}
