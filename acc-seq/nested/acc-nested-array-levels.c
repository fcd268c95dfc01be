/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-build-private.h"

/* Nested arrays of nested arrays. */

static AccExpr *
value_at (AccExpr *place,
          gpointer array)
{
  return acc_expr_linear_index (array, place);
}

AccArray *
acc_nested_array_read_places (AccArray *array,
                              AccArray *places)
{
  return acc_array_map (places, value_at, array);
}

/* --- levels */

typedef struct {
  AccNestedArray **arrays;
  guint            n;
  AccArray        *numbers;
} Matching;

/* How many there are in the element that ends at offset @k of @array; in front of the first one there are none. */
static AccExpr *
count_before (AccNestedArray *array,
              AccExpr        *before,
              AccExpr        *k)
{
  AccArray *groups = acc_nested_array_get_groups (array);

  return acc_expr_sub (acc_expr_linear_index (groups, k), acc_expr_linear_index (groups, before));
}

static AccExpr *
matched_offset (AccExpr *k,
                gpointer data)
{
  Matching *self = data;
  g_autoptr(AccExpr) before = acc_expr_ref_sink (acc_expr_max (acc_expr_sub (k, acc_array_number (1)), acc_array_number (0)));
  g_autoptr(AccExpr) own = acc_expr_ref_sink (count_before (self->arrays[0], before, k));
  AccExpr *same = acc_expr_eq (own, count_before (self->arrays[1], before, k));

  for (guint i = 2; i < self->n; i++)
    same = acc_expr_land (same, acc_expr_eq (own, count_before (self->arrays[i], before, k)));

  return acc_expr_cond (same, acc_expr_linear_index (acc_nested_array_get_groups (self->arrays[0]), k),
                        acc_expr_linear_index (self->numbers, before));
}

/* The offsets that all of @arrays have, which is found when they are read. */
static AccArray *
match_groups (AccNestedArray **arrays,
              guint            n_arrays)
{
  static const char label[] = "element " ACC_REFUSED_NUMBER " has more elements in one nested array than in another";
  AccArray *own = acc_nested_array_get_groups (arrays[0]), *matched;
  g_autoptr(AccArray) numbers = NULL, count = acc_nested_array_match_all (arrays, n_arrays, acc_nested_array_get_outer_count);
  Matching matching = { arrays, n_arrays };
  gboolean same = TRUE;

  for (guint i = 1; i < n_arrays; i++)
    same = same && acc_nested_array_get_groups (arrays[i]) == own;
  if (same)
    return g_object_ref (own);

  matching.numbers = numbers = acc_nested_array_new_numbers (acc_array_number (0));
  acc_array_set_label (numbers, label);
  matched = acc_array_generate_expr (acc_expr_add (acc_expr_extent (count, 0), acc_array_number (1)), matched_offset, &matching);
  acc_array_set_label (matched, label);

  return matched;
}

AccNestedArray *
acc_nested_array_regroup (AccNestedArray  *self,
                          AccNestedArray **models,
                          guint            n_models)
{
  g_autofree AccNestedArray **inner = NULL;
  AccLifted *lifted = acc_nested_array_get_lifted (self);
  AccArray *groups;

  if (acc_nested_array_get_inner (models[0]) == NULL || lifted->values->error != NULL)
    return self;

  inner = g_new (AccNestedArray *, n_models);
  for (guint i = 0; i < n_models; i++)
    inner[i] = acc_nested_array_get_inner (models[i]);
  groups = match_groups (models, n_models);

  if (lifted->rank == 0 && acc_nested_array_get_inner (inner[0]) == NULL)
    {
      g_autoptr(AccNestedArray) numbers = self;
      AccNesting *nesting = acc_nesting_new (1, groups, NULL);

      return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, acc_nested_array_flatten (numbers)),
                                              acc_nesting_dup_lengths (nesting));
    }

  return acc_nested_array_new_for_groups (acc_nested_array_regroup (self, inner, n_models), groups);
}

static AccExpr *
end_after (AccExpr *end,
           gpointer numbers)
{
  g_autoptr(AccExpr) own = acc_expr_ref_sink (end);
  AccExpr *last = acc_expr_linear_index (numbers, acc_expr_sub (own, acc_array_number (1)));

  return acc_expr_cond (acc_expr_gt (own, acc_array_number (0)), acc_expr_add (last, acc_array_number (1)), own);
}

/**
 * acc_nested_array_nest:
 * @self: a nested array
 * @lengths: a vector of integers: how many elements each group has
 *
 * Groups consecutive elements: each group becomes one element, a nested array itself.
 *
 * Takes time linear in the number of groups; values stay where they are. A run fails with %ACC_ERROR_BOUNDS where a length is negative
 * or lengths have more than there are elements, with %ACC_ERROR_SHAPE where they have fewer. The result carries %ACC_ERROR_TYPE or
 * %ACC_ERROR_SHAPE where @lengths is no vector of integers.
 *
 * ```c
 * // rows = [[1, 2], [3], [], [4]], lengths = [2, 0, 2]
 * g_autoptr(AccNestedArray) groups = acc_nested_array_nest (rows, lengths); // [[[1, 2], [3]], [], [[], [4]]]
 * ```
 *
 * Returns: (transfer full): as many elements as there are lengths, with one more level
 */
AccNestedArray *
acc_nested_array_nest (AccNestedArray *self,
                       AccArray       *lengths)
{
  g_autoptr(AccArray) numbers = NULL;
  g_autoptr(AccNestedArray) grouped = NULL;
  AccLifted *lifted;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (lengths), NULL);

  ACC_ARRAY_NAMED ("nested_array_nest");
  if (acc_nested_array_get_values (self)->error != NULL)
    return g_object_ref (self);

  numbers = acc_nested_array_new_numbers (acc_nested_array_count_elements (self));
  grouped = acc_nested_array_new_from_lengths (numbers, lengths);
  lifted = acc_nested_array_get_lifted (grouped);
  if (lifted->values->error != NULL)
    return g_steal_pointer (&grouped);

  /* Read through the numbers, which are as many as all lengths together or an error. */
  return acc_nested_array_new_for_groups (g_object_ref (self), acc_array_map (lifted->nesting->offsets, end_after, lifted->values));
}

/**
 * acc_nested_array_flatten_level:
 * @self: a nested array of two levels or more
 * @level: the level, 0 for the outermost
 *
 * Removes a level: elements of @level are joined into one. On level 0 the result has the elements of all elements, on the last level
 * each element becomes a vector of the values that are in it.
 *
 * Takes time linear in the number of elements of that level; values stay where they are. The result carries %ACC_ERROR_SHAPE where
 * there is no such level, or only one: [method@NestedArray.flatten] gives all values.
 *
 * ```c
 * // groups = [[[1, 2], [3]], [], [[], [4]]]
 * g_autoptr(AccNestedArray) rows = acc_nested_array_flatten_level (groups, 0); // [[1, 2], [3], [], [4]]
 * g_autoptr(AccNestedArray) joined = acc_nested_array_flatten_level (groups, 1); // [[1, 2, 3], [], [4]]
 * ```
 *
 * Returns: (transfer full): a nested array of one level less
 */
AccNestedArray *
acc_nested_array_flatten_level (AccNestedArray *self,
                                guint           level)
{
  AccNestedArray *inner, *innermost;
  AccNesting *nesting;
  AccArray *groups;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  ACC_ARRAY_NAMED ("nested_array_flatten_level");
  inner = acc_nested_array_get_inner (self);
  if (inner == NULL || level >= acc_nested_array_get_depth (self))
    return acc_nested_array_refuse (acc_nested_array_get_values (self), ACC_ERROR_SHAPE,
                                    inner == NULL ? "it has one level, which flatten removes" : "there is no such level");
  if (level == 0)
    return g_object_ref (inner);
  if (level > 1)
    return acc_nested_array_new_for_groups (acc_nested_array_flatten_level (inner, level - 1),
                                            g_object_ref (acc_nested_array_get_groups (self)));

  groups = acc_nested_array_read_places (acc_nested_array_get_offsets (inner), acc_nested_array_get_groups (self));
  innermost = acc_nested_array_get_inner (inner);
  if (innermost != NULL)
    return acc_nested_array_new_for_groups (g_object_ref (innermost), groups);

  nesting = acc_nesting_new (1, groups, NULL);

  return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, acc_nested_array_flatten (inner)),
                                          acc_nesting_dup_lengths (nesting));
}

typedef struct {
  AccArray *groups;
  AccExpr  *index;
} Within;

static AccExpr *
number_within (AccExpr *k,
               gpointer data)
{
  Within *self = data;

  return acc_expr_add (acc_expr_linear_index (self->groups, self->index), k);
}

/**
 * acc_nested_array_dup_nested:
 * @self: a nested array of two levels or more
 * @index: the number of an element, from 0
 *
 * Returns one element as a nested array.
 *
 * Takes time linear in the number of its values. A number outside is %ACC_ERROR_BOUNDS when it is run. The result carries
 * %ACC_ERROR_SHAPE where elements are arrays: [method@NestedArray.dup_element] gives them.
 *
 * Returns: (transfer full): a nested array of one level less
 */
AccNestedArray *
acc_nested_array_dup_nested (AccNestedArray *self,
                             gint64          index)
{
  Within within = { NULL };
  g_autoptr(AccExpr) number = NULL;
  g_autoptr(AccArray) numbers = NULL;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  ACC_ARRAY_NAMED ("nested_array_dup_nested");
  if (acc_nested_array_get_inner (self) == NULL)
    return acc_nested_array_refuse (acc_nested_array_get_values (self), ACC_ERROR_SHAPE, "its elements are arrays");

  number = acc_expr_ref_sink (acc_nested_array_check_number (self, acc_array_number (index)));
  within = (Within) { acc_nested_array_get_groups (self), number };
  numbers = acc_array_generate_expr (acc_expr_sub (acc_expr_linear_index (within.groups, acc_expr_add (number, acc_array_number (1))),
                                                   acc_expr_linear_index (within.groups, number)),
                                     number_within, &within);
  acc_array_set_label (numbers, ACC_NESTED_ARRAY_NO_ELEMENT);

  return acc_nested_array_choose (acc_nested_array_get_inner (self), numbers);
}
