/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-filter.h"

/* One array of all elements, with values that are not theirs, and back. */

typedef struct {
  AccLifted *lifted;
  AccExpr   *fill;      /* NULL: tells what is inside */
} Padding;

static AccExpr *
larger_extents (AccExpr *x,
                AccExpr *y,
                gpointer data)
{
  guint rank = GPOINTER_TO_UINT (data);
  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);

  for (guint i = 0; i < rank; i++)
    items[i] = acc_expr_max (acc_lift_index_item (x, rank, i), acc_lift_index_item (y, rank, i));

  return acc_array_join_items (items, rank);
}

static AccExpr *
padded_element (AccExpr *index,
                gpointer data)
{
  Padding *self = data;
  guint rank = self->lifted->rank;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_lift_outer_index (index, rank)),
    inner = acc_expr_ref_sink (acc_lift_inner_index (index, rank));
  AccExpr *inside = acc_lift_is_inside (inner, acc_lifted_extents (self->lifted, k), rank);

  return self->fill == NULL ? inside : acc_expr_cond (inside, acc_lifted_read (self->lifted, k, inner), self->fill);
}

/**
 * acc_nested_array_to_padded:
 * @self: a nested array
 * @fill: the value behind the ends of elements, of the element type; an untyped literal takes that type
 * @mask: (out) (optional) (transfer full): where to put which values are those of elements: b1, of the extents of the result
 *
 * Returns all elements in one array with one more outermost dimension, each as large as the largest extents in every dimension. Of several
 * levels these are the innermost elements.
 *
 * Takes time linear in the number of values of the result.
 *
 * Returns: (transfer full): an array
 */
AccArray *
acc_nested_array_to_padded (AccNestedArray *self,
                            AccExpr        *fill,
                            AccArray      **mask)
{
  g_autoptr(AccExpr) own_fill = NULL, shape = NULL;
  g_autoptr(AccArray) largest = NULL;
  g_autofree AccExpr **zeros = NULL;
  Padding padding = { 0 };
  guint rank;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);
  g_return_val_if_fail (fill != NULL, NULL);

  ACC_ARRAY_NAMED ("nested_array_to_padded");
  rank = acc_nested_array_get_rank (self);
  own_fill = acc_expr_ref_sink (fill);
  zeros = g_new (AccExpr *, rank + 1);
  for (guint i = 0; i < rank; i++)
    zeros[i] = acc_array_number (0);
  largest = acc_array_fold_all (acc_nested_array_get_extents (self), acc_array_join_items (zeros, rank), larger_extents,
                                GUINT_TO_POINTER (rank));
  shape = acc_expr_ref_sink (acc_lift_join_index (acc_expr_extent (acc_nested_array_get_count (self), 0), acc_expr_the (largest), rank));

  padding = (Padding) { acc_nested_array_get_lifted (self), NULL };
  if (mask != NULL)
    *mask = acc_array_generate_expr (shape, padded_element, &padding);
  padding.fill = own_fill;

  return acc_array_generate_expr (shape, padded_element, &padding);
}

/* --- and back */

typedef struct {
  AccArray  *lengths;
  AccLifted *rows;      /* regular: the padded ones */
  AccLifted *kept;      /* the places in them; NULL: the first */
} Unpadding;

static AccExpr *
unpadded_extents (AccLift *lift,
                  AccExpr *k,
                  gpointer data)
{
  Unpadding *self = data;
  guint rank = self->rows->rank;
  g_autofree AccExpr **items = g_new (AccExpr *, rank);

  items[0] = self->kept != NULL ? acc_lifted_extent (self->kept, k, 0) : acc_expr_linear_index (self->lengths, k);
  for (guint d = 1; d < rank; d++)
    items[d] = acc_lifted_extent (self->rows, k, d);

  return acc_array_join_items (items, rank);
}

static AccExpr *
unpadded_element (AccLift *lift,
                  AccExpr *k,
                  AccExpr *index,
                  gpointer data)
{
  Unpadding *self = data;
  guint rank = self->rows->rank;
  g_autofree AccExpr **items = NULL;

  if (self->kept == NULL)
    return acc_lifted_read (self->rows, k, index);

  items = g_new (AccExpr *, rank);
  items[0] = acc_lifted_read (self->kept, k, acc_lift_index_item (index, rank, 0));
  for (guint d = 1; d < rank; d++)
    items[d] = acc_lift_index_item (index, rank, d);

  return acc_lifted_read (self->rows, k, acc_array_join_items (items, rank));
}

static AccArray *
keep_places (AccArray **arrays,
             guint      n_arrays,
             gpointer   data)
{
  g_autoptr(AccArray) places = acc_nested_array_new_numbers (acc_expr_extent (arrays[0], 0));

  return acc_array_compact (places, arrays[0], NULL);
}

static AccExpr *
nothing_at (AccExpr *index,
            gpointer data)
{
  return acc_expr_new_bool (FALSE);
}

/* @kept with the outermost extents of @padded, or an error, now or in a run; NULL: what is wrong with it, at @node. */
static AccArray *
match_kept (AccArray *node,
            AccArray *padded,
            AccArray *kept)
{
  AccElementKind kind = acc_element_type_get_kind (kept->type);
  AccExpr *extents[2];
  g_autoptr(AccArray) like = NULL;
  guint rank = kind == ACC_KIND_BOOL ? 2 : 1;

  if (padded->rank < 2)
    acc_array_fail (node, ACC_ERROR_SHAPE, "an array of rank %u has no dimension of elements and one of values", padded->rank);
  else if (kind != ACC_KIND_BOOL && !acc_element_kind_is_integer (kind))
    acc_array_fail (node, ACC_ERROR_TYPE, "what is kept is said by integers or b1, not %s", acc_element_type_get_code (kept->type));
  if (node->error != NULL)
    return NULL;

  for (guint d = 0; d < rank; d++)
    extents[d] = acc_expr_extent (padded, d);
  like = acc_array_generate_expr (acc_array_join_items (extents, rank), nothing_at, NULL);
  if (!acc_array_check_extents (node, rank == 2 ? "a mask" : "lengths", like, kept))
    return NULL;

  return acc_array_match_extents (like, kept);
}

/**
 * acc_nested_array_new_from_padded:
 * @padded: an array of rank 2 or more: elements along the outermost dimension
 * @kept: a vector of integers: how many of the first values each element keeps; or a matrix of b1, the mask: whether to keep each
 *
 * Creates a nested array of what is not padding. Values are those of the second dimension, rows or pictures where there are more. It is
 * the other direction of [method@NestedArray.to_padded].
 *
 * Takes time linear in the number of values. A run fails with %ACC_ERROR_BOUNDS where a length is negative or more than there are, or
 * where the extents of @kept turn out to be others. The result carries %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where the arrays are not what is
 * said above.
 *
 * ```c
 * // padded = [[1, 2, 0], [3, 0, 0]], lengths = [2, 1]
 * g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_padded (padded, lengths); // [[1, 2], [3]]
 * ```
 *
 * Returns: (transfer full): as many elements as the outermost dimension of @padded has
 */
AccNestedArray *
acc_nested_array_new_from_padded (AccArray *padded,
                                  AccArray *kept)
{
  AccArray *node;
  g_autoptr(AccArray) matched = NULL, lengths = NULL;
  g_autoptr(AccNestedArray) mask = NULL, places = NULL;
  g_autoptr(AccLifted) rows = NULL;
  g_autoptr(AccNesting) nesting = NULL;
  g_autoptr(AccLift) lift = NULL;
  Unpadding self = { NULL };

  g_return_val_if_fail (ACC_IS_ARRAY (padded), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (kept), NULL);

  ACC_ARRAY_NAMED ("nested_array_new_from_padded");
  node = acc_array_begin (ACC_OP_COMPUTE, (AccArray *[]) { padded, kept }, 2);
  if (node->error == NULL)
    matched = match_kept (node, padded, kept);
  if (matched == NULL)
    return acc_nested_array_new_error (acc_array_complete (node));
  g_object_unref (node);

  lift = acc_lift_new (matched);
  self.rows = rows = acc_lifted_new_regular (g_object_ref (padded));
  if (matched->rank == 1)
    self.lengths = lengths = acc_nested_array_check_lengths (matched, padded, 1);
  else
    {
      mask = acc_nested_array_new_from_regular (matched);
      places = acc_nested_array_map (mask, keep_places, NULL);
      self.kept = acc_nested_array_get_lifted (places);
    }
  nesting = acc_lift_new_nesting (lift, rows->rank, unpadded_extents, &self);

  return acc_nested_array_new_for_lifted (acc_lift_make (lift, nesting, unpadded_element, &self), g_object_ref (matched));
}
