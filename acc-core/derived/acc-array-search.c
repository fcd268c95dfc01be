/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-search.h"

#include "acc-array-sort-private.h"
#include "acc-error.h"

/* A binary search for each value: a loop of a scalar function, which fuses with whatever reads or computes the values. */

typedef struct {
  AccArray *sorted;
  gboolean  right;
  AccExpr  *key;        /* of the value */
} Search;

/* @state: the first place that is possible, and the last */
static AccExpr *
halve (AccExpr *state,
       gpointer data)
{
  const Search *search = data;
  g_autoptr(AccExpr) low = acc_expr_ref_sink (acc_expr_item (state, 0)), high = acc_expr_ref_sink (acc_expr_item (state, 1));
  g_autoptr(AccExpr) middle = acc_expr_ref_sink (acc_expr_add (low, acc_expr_shr (acc_expr_sub (high, low), acc_array_number (1))));
  AccExpr *there = acc_sort_order_key (acc_expr_linear_index (search->sorted, middle), FALSE);
  g_autoptr(AccExpr) is_behind = acc_expr_ref_sink (search->right ? acc_expr_le (there, search->key) : acc_expr_lt (there, search->key));
  AccExpr *first = acc_expr_cond (is_behind, acc_expr_add (middle, acc_array_number (1)), low);

  return acc_expr_tuple2 (acc_expr_lt (low, high), acc_expr_tuple2 (first, acc_expr_cond (is_behind, high, middle)));
}

static AccExpr *
find_place (AccExpr *value,
            gpointer data)
{
  const Search *given = data;
  g_autoptr(AccExpr) key = acc_expr_ref_sink (acc_sort_order_key (value, FALSE));
  Search search = { given->sorted, given->right, key };

  return acc_expr_item (acc_expr_while (acc_expr_tuple2 (acc_array_number (0), acc_expr_extent (given->sorted, 0)), halve, &search), 0);
}

/**
 * acc_array_searchsorted:
 * @self: a vector of scalars in ascending order, as [method@Array.sort] gives it
 * @values: an array of the same element type, of any rank
 * @right: whether a value goes behind elements that are equal to it, and not in front of them
 *
 * Returns, for each value, the index at which it would be inserted into a sorted vector, so that this stays sorted.
 *
 * The order is that of [method@Array.sort]: NaN comes last and equals NaN, and -0.0 equals 0.0. Where @self is not sorted, the result is
 * some index from 0 to its extent.
 *
 * Takes time linear in the number of values, times the logarithm of the extent of @self. The result carries %ACC_ERROR_SHAPE where @self
 * has another rank than 1, %ACC_ERROR_TYPE where it is of tuples or @values has another element type.
 *
 * ```c
 * // xs = [10, 20, 20, 30], ys = [[5, 20], [25, 99]]
 * g_autoptr(AccArray) result = acc_array_searchsorted (xs, ys, FALSE); // → [[0, 1], [3, 4]]
 * ```
 *
 * Returns: (transfer full): an array of i8 of the extents of @values
 */
AccArray *
acc_array_searchsorted (AccArray *self,
                        AccArray *values,
                        gboolean  right)
{
  ACC_ARRAY_NAMED ("searchsorted");
  AccArray *node = acc_array_begin (ACC_OP_MAP, (AccArray *[]) { self, values }, 2);

  if (node->error == NULL && self->rank != 1)
    acc_array_fail (node, ACC_ERROR_SHAPE, "searchsorted: an array of rank %u is no vector", self->rank);
  if (node->error == NULL && !acc_element_type_is_scalar (self->type))
    acc_array_fail (node, ACC_ERROR_TYPE, "searchsorted: elements are scalars, not %s", acc_element_type_get_code (self->type));
  if (node->error == NULL && values->type != self->type)
    acc_array_fail (node, ACC_ERROR_TYPE, "searchsorted: the values are %s where the elements are %s",
                    acc_element_type_get_code (values->type), acc_element_type_get_code (self->type));
  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  return acc_array_map (values, find_place, &(Search) { self, right, NULL });
}
