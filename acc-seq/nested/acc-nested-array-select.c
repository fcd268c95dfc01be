/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-expand.h"
#include "acc-core/derived/acc-array-rearrange.h"

/* Some of the elements, in another order, and those of two one after the other. */

static AccExpr *
number_from (AccExpr *k,
             gpointer begin)
{
  return acc_expr_add (k, acc_array_number (*(gint64 *) begin));
}

static AccExpr *
number_from_end (AccExpr *k,
                 gpointer self)
{
  return acc_expr_sub (acc_expr_sub (acc_nested_array_count_elements (self), acc_array_number (1)), k);
}

/**
 * acc_nested_array_take:
 * @self: a nested array
 * @count: how many elements
 *
 * Returns the first elements, all where there are fewer. Takes time linear in the number of values of the result.
 *
 * Returns: (transfer full): at most @count elements
 */
AccNestedArray *
acc_nested_array_take (AccNestedArray *self,
                       gint64          count)
{
  return acc_nested_array_slice (self, 0, count);
}

/**
 * acc_nested_array_drop:
 * @self: a nested array
 * @count: how many elements
 *
 * Returns all elements but the first ones. Takes time linear in the number of values of the result.
 *
 * Returns: (transfer full): the elements that are left
 */
AccNestedArray *
acc_nested_array_drop (AccNestedArray *self,
                       gint64          count)
{
  return acc_nested_array_slice (self, count, G_MAXINT64);
}

/**
 * acc_nested_array_slice:
 * @self: a nested array
 * @start: the number of the first element
 * @count: how many elements
 *
 * Returns consecutive elements, those of them that there are. Takes time linear in the number of values of the result.
 *
 * Returns: (transfer full): at most @count elements
 */
AccNestedArray *
acc_nested_array_slice (AccNestedArray *self,
                        gint64          start,
                        gint64          count)
{
  gint64 begin = MAX (start, 0);
  g_autoptr(AccArray) numbers = NULL;
  AccExpr *left;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  left = acc_expr_sub (acc_nested_array_count_elements (self), acc_array_number (begin));
  numbers = acc_array_generate_expr (acc_expr_max (acc_expr_min (left, acc_array_number (count)), acc_array_number (0)), number_from,
                                     &begin);

  return acc_nested_array_choose (self, numbers);
}

/**
 * acc_nested_array_reverse:
 * @self: a nested array
 *
 * Returns the elements in the other order; each stays as it is. Takes time linear in the number of values.
 *
 * Returns: (transfer full): as many elements
 */
AccNestedArray *
acc_nested_array_reverse (AccNestedArray *self)
{
  g_autoptr(AccArray) numbers = NULL;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  numbers = acc_array_generate_expr (acc_nested_array_count_elements (self), number_from_end, self);

  return acc_nested_array_choose (self, numbers);
}

static AccExpr *
number_of_copy (AccExpr *k,
                gpointer count)
{
  return acc_expr_quot (k, acc_array_number (*(gint64 *) count));
}

/* As many as nobody can have, where the product is too large for an i8. */
static AccExpr *
count_copies (AccNestedArray *self,
              gint64          times)
{
  g_autoptr(AccExpr) count = acc_expr_ref_sink (acc_nested_array_count_elements (self));
  AccExpr *fits = acc_expr_le (count, acc_array_number (G_MAXINT64 / MAX (times, 1)));

  return acc_expr_cond (fits, acc_expr_mul (count, acc_array_number (times)), acc_array_number (G_MAXINT64));
}

/**
 * acc_nested_array_replicate:
 * @self: a nested array
 * @count: how many times; less than 0 counts as 0
 *
 * Returns each element several times, one after the other. Takes time linear in the number of values of the result.
 *
 * ```c
 * // rows = [[1, 2], [], [3]]
 * g_autoptr(AccNestedArray) twice = acc_nested_array_replicate (rows, 2); // [[1, 2], [1, 2], [], [], [3], [3]]
 * ```
 *
 * Returns: (transfer full): @count times as many elements
 */
AccNestedArray *
acc_nested_array_replicate (AccNestedArray *self,
                            gint64          count)
{
  gint64 times = MAX (count, 0);
  g_autoptr(AccArray) numbers = NULL;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  ACC_ARRAY_NAMED ("nested_array_replicate");
  numbers = acc_array_generate_expr (count_copies (self, times), number_of_copy, &times);

  return acc_nested_array_choose (self, numbers);
}

/* Whether all elements of both are known to have the same extents. */
static gboolean
are_alike (AccNestedArray *self,
           AccNestedArray *other)
{
  AccLifted *a = acc_nested_array_get_lifted (self), *b = acc_nested_array_get_lifted (other);

  if (a->form != ACC_LIFTED_REGULAR || b->form != ACC_LIFTED_REGULAR || a->values->shape == NULL || b->values->shape == NULL)
    return FALSE;
  for (guint i = 1; i <= a->rank; i++)
    if (acc_shape_get_extent (a->values->shape, i) != acc_shape_get_extent (b->values->shape, i))
      return FALSE;

  return TRUE;
}

/**
 * acc_nested_array_concat:
 * @self: a nested array
 * @other: a nested array of the same element type, rank and depth
 *
 * Returns the elements of both, one after the other. Takes time linear in the number of values.
 *
 * The result carries %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where types, ranks or depths differ.
 *
 * Returns: (transfer full): as many elements as both have
 */
AccNestedArray *
acc_nested_array_concat (AccNestedArray *self,
                         AccNestedArray *other)
{
  AccArray *first, *second;
  g_autoptr(AccArray) values = NULL, own_values = NULL, others = NULL, extents = NULL;
  guint rank;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (other), NULL);

  ACC_ARRAY_NAMED ("nested_array_concat");
  first = acc_nested_array_get_values (self);
  second = acc_nested_array_get_values (other);
  rank = acc_nested_array_get_rank (self);
  if (first->error != NULL || second->error != NULL || first->type != second->type || rank != acc_nested_array_get_rank (other)
      || acc_nested_array_get_depth (self) != acc_nested_array_get_depth (other))
    return acc_nested_array_refuse (first->error != NULL ? first : second, first->type != second->type ? ACC_ERROR_TYPE : ACC_ERROR_SHAPE,
                                    "elements have other types, ranks or depths");
  if (acc_nested_array_get_inner (self) != NULL)
    {
      g_autoptr(AccNestedArray) inner = acc_nested_array_concat (acc_nested_array_get_inner (self), acc_nested_array_get_inner (other));

      extents = acc_array_concat (acc_nested_array_get_lengths (self), acc_nested_array_get_lengths (other));
      return acc_nested_array_nest (inner, extents);
    }

  if (are_alike (self, other))
    {
      values = acc_array_concat_on (first, second, 0);
      return acc_nested_array_new_from_regular (values);
    }

  own_values = acc_nested_array_flatten (self);
  others = acc_nested_array_flatten (other);
  values = acc_array_concat (own_values, others);
  if (rank == 0)
    return acc_nested_array_new_from_regular (values);
  extents = acc_array_concat (acc_nested_array_get_extents (self), acc_nested_array_get_extents (other));

  return rank == 1 ? acc_nested_array_new_from_lengths (values, extents) : acc_nested_array_new_from_extents (values, extents);
}

/* --- pairs within elements */

typedef struct {
  AccArray *first, *second;
} Both;

static AccExpr *
pair_at (AccExpr *index,
         gpointer data)
{
  Both *both = data;

  return acc_expr_tuple2 (acc_expr_linear_index (both->first, acc_expr_item (index, 0)),
                          acc_expr_linear_index (both->second, acc_expr_item (index, 1)));
}

static AccArray *
pair_elements (AccArray **arrays,
               guint      n_arrays,
               gpointer   data)
{
  g_autoptr(AccArray) first = acc_array_flatten (arrays[0]), second = acc_array_flatten (arrays[1]), pairs = NULL;
  Both both = { first, second };

  pairs = acc_array_generate_expr (acc_expr_tuple2 (acc_expr_extent (first, 0), acc_expr_extent (second, 0)), pair_at, &both);

  return acc_array_flatten (pairs);
}

/**
 * acc_nested_array_cartesian:
 * @self: a nested array
 * @other: a nested array with as many elements
 *
 * Pairs each value of an element with each value of the element of @other with the same number. The first value changes slowest.
 *
 * Takes time linear in the number of pairs.
 *
 * Returns: (transfer full): vectors of pairs
 */
AccNestedArray *
acc_nested_array_cartesian (AccNestedArray *self,
                            AccNestedArray *other)
{
  ACC_ARRAY_NAMED ("nested_array_cartesian");

  return acc_nested_array_zip_with (self, other, pair_elements, NULL);
}

static AccExpr *
count_after (AccExpr *k,
             gpointer data)
{
  AccArray *values = data;

  return acc_expr_sub (acc_expr_sub (acc_expr_extent (values, 0), acc_array_number (1)), k);
}

static AccExpr *
pair_with_later (AccExpr *k,
                 AccExpr *j,
                 gpointer data)
{
  AccArray *values = data;

  return acc_expr_tuple2 (acc_expr_linear_index (values, k),
                          acc_expr_linear_index (values, acc_expr_add (acc_expr_add (k, acc_array_number (1)), j)));
}

static AccArray *
combine_element (AccArray **arrays,
                 guint      n_arrays,
                 gpointer   data)
{
  g_autoptr(AccArray) flat = acc_array_flatten (arrays[0]), numbers = acc_nested_array_new_numbers (acc_expr_extent (flat, 0));

  return acc_array_expand (numbers, count_after, flat, pair_with_later, flat);
}

/**
 * acc_nested_array_combinations:
 * @self: a nested array
 *
 * Pairs each value of an element with each one behind it in the same element.
 *
 * Takes time linear in the number of pairs.
 *
 * Returns: (transfer full): vectors of n (n - 1) / 2 pairs for elements of n values
 */
AccNestedArray *
acc_nested_array_combinations (AccNestedArray *self)
{
  ACC_ARRAY_NAMED ("nested_array_combinations");

  return acc_nested_array_map (self, combine_element, NULL);
}
