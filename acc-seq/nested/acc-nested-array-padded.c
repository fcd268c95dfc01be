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
  GPtrArray *lengths;   /* i8: how many of each dimension an element keeps, the outermost first; all of those behind */
  AccLifted *rows;      /* regular: the padded ones */
  AccLifted *kept;      /* the places in their outermost dimension; NULL: the first */
} Unpadding;

static AccExpr *
unpadded_extents (AccLift *lift,
                  AccExpr *k,
                  gpointer data)
{
  Unpadding *self = data;
  guint rank = self->rows->rank;
  g_autofree AccExpr **items = g_new (AccExpr *, rank);

  for (guint d = 0; d < rank; d++)
    items[d] = d < self->lengths->len ? acc_expr_linear_index (g_ptr_array_index (self->lengths, d), k)
                                      : acc_lifted_extent (self->rows, k, d);
  if (self->kept != NULL)
    items[0] = acc_lifted_extent (self->kept, k, 0);

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

/* Masks of all dimensions: what is kept of an element are the first of each. */

static AccExpr *
corner_of_place (AccExpr *index,
                 AccExpr *kept,
                 gpointer data)
{
  guint rank = GPOINTER_TO_UINT (data);
  g_autoptr(AccExpr) own = acc_expr_ref_sink (kept);
  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);

  for (guint d = 0; d < rank; d++)
    items[d] = acc_expr_cond (own, acc_expr_add (acc_lift_index_item (index, rank, d), acc_array_number (1)), acc_array_number (0));
  items[rank] = acc_expr_cond (own, acc_array_number (1), acc_array_number (0));

  return acc_expr_tuple (items, rank + 1);
}

static AccExpr *
join_corners (AccExpr *x,
              AccExpr *y,
              gpointer data)
{
  guint rank = GPOINTER_TO_UINT (data);
  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);

  for (guint d = 0; d < rank; d++)
    items[d] = acc_expr_max (acc_expr_item (x, d), acc_expr_item (y, d));
  items[rank] = acc_expr_add (acc_expr_item (x, rank), acc_expr_item (y, rank));

  return acc_expr_tuple (items, rank + 1);
}

/* The extents of the smallest box that has all places that @arrays[0], a mask, keeps; and how many there are. */
static AccArray *
find_box (AccArray **arrays,
          guint      n_arrays,
          gpointer   data)
{
  guint rank = arrays[0]->rank;
  g_autoptr(AccArray) corners = acc_array_imap (arrays[0], corner_of_place, GUINT_TO_POINTER (rank));
  g_autofree AccExpr **zeros = g_new (AccExpr *, rank + 1);

  for (guint d = 0; d <= rank; d++)
    zeros[d] = acc_array_number (0);

  return acc_array_fold_all (corners, acc_expr_tuple (zeros, rank + 1), join_corners, GUINT_TO_POINTER (rank));
}

static AccExpr *
is_full (AccLift *lift,
         AccExpr *k,
         gpointer boxes)
{
  guint rank = acc_element_type_get_n_items (((AccArray *) boxes)->type) - 1;
  g_autoptr(AccExpr) box = acc_expr_ref_sink (acc_expr_linear_index (boxes, k));
  AccExpr *size = acc_expr_item (box, 0);

  for (guint d = 1; d < rank; d++)
    size = acc_expr_mul (size, acc_expr_item (box, d));

  return acc_expr_eq (size, acc_expr_item (box, rank));
}

/* Lengths by @mask, of the rank of @padded, which it returns, with an error where an element keeps something else. */
static AccArray *
measure_mask (AccLift   *lift,
              AccArray  *padded,
              AccArray  *mask,
              Unpadding *self)
{
  g_autoptr(AccNestedArray) masks = acc_nested_array_new_from_regular (mask), boxes = acc_nested_array_map (masks, find_box, NULL);
  g_autoptr(AccArray) flat = acc_array_flatten (padded), checked = NULL;
  g_autofree AccExpr **extents = acc_array_list_extents (padded);
  AccArray *box = acc_nested_array_get_values (boxes);

  for (guint d = 0; d + 1 < padded->rank; d++)
    g_ptr_array_add (self->lengths, acc_array_unzip (box, d));
  checked = acc_lift_demand (lift, flat, is_full, box, mask,
                             "element " ACC_REFUSED_NUMBER " keeps others than the first of each dimension");

  return acc_array_reshape_expr (checked, acc_array_join_items (extents, padded->rank));
}

/* --- what is kept */

static AccExpr *
nothing_at (AccExpr *index,
            gpointer data)
{
  return acc_expr_new_bool (FALSE);
}

/* What is kept, as far as its type says: "lengths", "extents", "a mask"; NULL with an error at @node for any other. */
static const char *
name_kept (AccArray *node,
           AccArray *padded,
           AccArray *kept)
{
  gboolean is_tuple = acc_element_type_is_tuple (kept->type);

  if (padded->rank < 2)
    acc_array_fail (node, ACC_ERROR_SHAPE, "an array of rank %u has no dimension of elements and one of values", padded->rank);
  else if (is_tuple && acc_element_type_get_n_items (kept->type) + 1 != padded->rank)
    acc_array_fail (node, ACC_ERROR_SHAPE, "extents of rank %u for elements of rank %u", acc_element_type_get_n_items (kept->type),
                    padded->rank - 1);
  else if (acc_nested_array_are_integers (kept->type))
    return is_tuple ? "extents" : "lengths";
  else if (!is_tuple && acc_element_type_get_kind (kept->type) == ACC_KIND_BOOL)
    return "a mask";
  else
    acc_array_fail (node, ACC_ERROR_TYPE, "what is kept is said by integers, tuples of them, or b1, not %s",
                    acc_element_type_get_code (kept->type));

  return NULL;
}

/* @kept with the outermost extents of @padded, or an error, now or in a run; NULL: what is wrong with it, at @node. */
static AccArray *
match_kept (AccArray *node,
            AccArray *padded,
            AccArray *kept)
{
  const char *name = name_kept (node, padded, kept);
  g_autofree AccExpr **extents = NULL;
  g_autoptr(AccArray) like = NULL;
  guint rank = 1;

  if (name == NULL)
    return NULL;

  if (acc_element_type_is_scalar (kept->type) && acc_element_type_get_kind (kept->type) == ACC_KIND_BOOL)
    rank = kept->rank == padded->rank ? kept->rank : 2;
  extents = g_new (AccExpr *, rank);
  for (guint d = 0; d < rank; d++)
    extents[d] = acc_expr_extent (padded, d);
  like = acc_array_generate_expr (acc_array_join_items (extents, rank), nothing_at, NULL);
  if (!acc_array_check_extents (node, name, like, kept))
    return NULL;

  return acc_array_match_extents (like, kept);
}

/* Lengths that @kept, a vector of integers or of tuples of them, says. */
static void
list_lengths (Unpadding *self,
              AccArray  *padded,
              AccArray  *kept)
{
  guint n = acc_element_type_is_tuple (kept->type) ? acc_element_type_get_n_items (kept->type) : 0;

  if (n == 0)
    g_ptr_array_add (self->lengths, acc_nested_array_check_lengths (kept, padded, 1));
  for (guint d = 0; d < n; d++)
    {
      g_autoptr(AccArray) lengths = acc_array_unzip (kept, d);

      g_ptr_array_add (self->lengths, acc_nested_array_check_lengths (lengths, padded, d + 1));
    }
}

/**
 * acc_nested_array_new_from_padded:
 * @padded: an array of rank 2 or more: elements along the outermost dimension
 * @kept: a vector of integers: how many of the first values each element keeps; or of tuples of integers: the extents that each keeps; or a
 *   mask of b1
 *
 * Creates a nested array of what is not padding. It is the other direction of [method@NestedArray.to_padded].
 *
 * Integers are of the first dimension of elements: where these have more, whole rows are kept. A mask of rank 2 is of that dimension, too,
 * and may have holes. One of the rank of @padded, as [method@NestedArray.to_padded] gives, is of all dimensions: of each the first are
 * kept.
 *
 * Takes time linear in the number of values. A run fails with %ACC_ERROR_BOUNDS where a length is negative or more than there are, or
 * where the extents of @kept turn out to be others, and with %ACC_ERROR_SHAPE where a mask of all dimensions keeps no such part of an
 * element. The result carries %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where the arrays are not what is said above.
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
  g_autoptr(AccArray) matched = NULL, values = NULL;
  g_autoptr(AccNestedArray) mask = NULL, places = NULL;
  g_autoptr(GPtrArray) lengths = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccLifted) rows = NULL;
  g_autoptr(AccNesting) nesting = NULL;
  g_autoptr(AccLift) lift = NULL;
  Unpadding self = { lengths };

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
  values = matched->rank > 2 ? measure_mask (lift, padded, matched, &self) : g_object_ref (padded);
  self.rows = rows = acc_lifted_new_regular (g_object_ref (values));
  if (matched->rank == 1)
    list_lengths (&self, padded, matched);
  else if (matched->rank == 2)
    {
      mask = acc_nested_array_new_from_regular (matched);
      places = acc_nested_array_map (mask, keep_places, NULL);
      self.kept = acc_nested_array_get_lifted (places);
    }
  nesting = acc_lift_new_nesting (lift, rows->rank, unpadded_extents, &self);

  return acc_nested_array_new_for_lifted (acc_lift_make (lift, nesting, unpadded_element, &self), g_object_ref (matched));
}
