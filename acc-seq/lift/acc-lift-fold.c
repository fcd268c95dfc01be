/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-fold-segments.h"
#include "acc-core/derived/acc-array-scan.h"
#include "acc-core/derived/acc-array-scan-segments.h"

/* Folds, scans and sorts along rows. Rows of irregular elements are segments of the flat values. A function that depends on the element
 * gets its number with the values that it combines, which are all of one element. */

typedef struct {
  AccLift     *lift;
  AccFunction *function, *initial;
  guint        rank;
} Call;

static AccExpr *
apply2 (AccExpr *x,
        AccExpr *y,
        gpointer data)
{
  Call *self = data;

  return acc_lift_apply (self->lift, self->function, NULL, (AccExpr *[]) { x, y });
}

/* Of numbers of elements and values. */
static AccExpr *
apply2_numbered (AccExpr *x,
                 AccExpr *y,
                 gpointer data)
{
  Call *self = data;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_item (x, 0));

  return acc_expr_tuple2 (k, acc_lift_apply (self->lift, self->function, k, (AccExpr *[]) { acc_expr_item (x, 1), acc_expr_item (y, 1) }));
}

/* The initial value is of the element, too: (there is something, number, value). */
static AccExpr *
apply2_if_there (AccExpr *x,
                 AccExpr *y,
                 gpointer data)
{
  Call *self = data;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_item (y, 1));
  AccExpr *both = acc_lift_apply (self->lift, self->function, k, (AccExpr *[]) { acc_expr_item (x, 2), acc_expr_item (y, 2) });

  return acc_expr_cond (acc_expr_item (x, 0), acc_expr_cond (acc_expr_item (y, 0), acc_expr_tuple3 (acc_expr_new_bool (TRUE), k, both), x),
                        y);
}

static AccExpr *
there_is (AccExpr *k,
          AccExpr *x,
          gpointer data)
{
  return acc_expr_tuple3 (acc_expr_new_bool (TRUE), k, x);
}

static AccExpr *
number_with (AccExpr *k,
             AccExpr *x,
             gpointer data)
{
  return acc_expr_tuple2 (k, x);
}

static AccExpr *
begin_with_initial (Call    *self,
                    AccExpr *k,
                    AccExpr *folded)
{
  g_autoptr(AccExpr) initial = acc_expr_ref_sink (acc_lift_apply (self->lift, self->initial, k, NULL));

  return acc_expr_cond (acc_expr_item (folded, 0),
                        acc_lift_apply (self->lift, self->function, k, (AccExpr *[]) { initial, acc_expr_item (folded, 2) }), initial);
}

static AccExpr *
begin_regular (AccExpr *index,
               AccExpr *folded,
               gpointer data)
{
  Call *self = data;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (self->rank == 0 ? index : acc_expr_item (index, 0));

  return begin_with_initial (self, k, folded);
}

static AccExpr *
begin_flat (AccExpr *folded,
            AccExpr *k,
            gpointer data)
{
  return begin_with_initial (data, k, folded);
}

/* --- rows of irregular elements */

static AccExpr *
outer_extents (AccLift *self,
               AccExpr *k,
               gpointer data)
{
  AccLifted *input = data;
  g_autofree AccExpr **items = g_new (AccExpr *, input->rank);

  for (guint i = 0; i + 1 < input->rank; i++)
    items[i] = acc_lifted_extent (input, k, i);

  return acc_array_join_items (items, input->rank - 1);
}

static AccExpr *
row_length (AccExpr *k,
            gpointer data)
{
  AccLifted *input = data;

  return acc_lifted_extent (input, k, input->rank - 1);
}

/* Where rows are: the elements of @input themselves for rank 1, else rows of elements that lie as @outer says. */
static AccArray *
find_rows (AccLift    *self,
           AccLifted  *input,
           AccNesting *outer)
{
  g_autoptr(AccArray) lengths = NULL;

  if (input->rank == 1)
    return g_object_ref (input->nesting->offsets);

  lengths = acc_array_map (acc_nesting_get_numbers (outer), row_length, input);

  return acc_array_scanl (lengths, acc_array_number (0), acc_array_add_elements, NULL);
}

static AccExpr *
own_length (AccExpr *row,
            gpointer data)
{
  AccArray *offsets = data;

  return acc_expr_sub (acc_expr_linear_index (offsets, acc_expr_add (row, acc_array_number (1))), acc_expr_linear_index (offsets, row));
}

static AccArray *
get_lengths (AccArray *offsets)
{
  return acc_array_generate_expr (acc_expr_sub (acc_expr_extent (offsets, 0), acc_array_number (1)), own_length, offsets);
}

/* What the values of @input are with the number of their element. */
static AccArray *
add_numbers (AccLift     *self,
             AccLifted   *input,
             AccExprFunc2 function)
{
  return acc_array_zip_with (acc_nesting_get_numbers (input->nesting), input->values, function, NULL);
}

typedef struct {
  AccExprFunc2 function;
  guint        rank;
} Numbering;

static AccExpr *
number_regular (AccExpr *index,
                AccExpr *x,
                gpointer data)
{
  Numbering *self = data;

  return self->function (self->rank == 0 ? index : acc_expr_item (index, 0), x, NULL);
}

static AccArray *
add_outer_index (AccLifted   *input,
                 AccExprFunc2 function)
{
  Numbering numbering = { function, input->rank };

  return acc_array_imap (input->values, number_regular, &numbering);
}

/* --- folds */

static AccExpr *
nothing (AccElementType *type)
{
  return acc_expr_tuple3 (acc_expr_new_bool (FALSE), acc_array_number (0), acc_expr_new_zero (type));
}

/* Along rows, or over all of each element. */
static AccLifted *
fold_regular (AccLift   *self,
              AccArray  *node,
              AccLifted *input,
              gboolean   depends)
{
  gboolean seeded = node->functions[1] != NULL;
  Call call = { self, node->functions[0], node->functions[1], node->rank };
  g_autoptr(AccArray) numbered = NULL, folded = NULL;

  if (!depends)
    return acc_lifted_new_regular (seeded
                                   ? acc_array_fold (input->values, acc_lift_apply (self, node->functions[1], NULL, NULL), apply2, &call)
                                          : acc_array_fold1 (input->values, apply2, &call));

  numbered = add_outer_index (input, seeded ? there_is : number_with);
  if (!seeded)
    {
      folded = acc_array_fold1 (numbered, apply2_numbered, &call);
      return acc_lifted_new_regular (acc_array_unzip (folded, 1));
    }
  folded = acc_array_fold (numbered, nothing (node->type), apply2_if_there, &call);

  return acc_lifted_new_regular (acc_array_imap (folded, begin_regular, &call));
}

static AccArray *
fold_rows (AccLift   *self,
           AccArray  *node,
           AccLifted *input,
           AccArray  *rows,
           gboolean   depends)
{
  gboolean seeded = node->functions[1] != NULL;
  Call call = { self, node->functions[0], node->functions[1], node->rank };
  g_autoptr(AccArray) numbered = NULL, folded = NULL;

  if (!depends)
    return seeded ? acc_array_fold_seg_offsets (input->values, acc_lift_apply (self, node->functions[1], NULL, NULL), rows, apply2, &call)
                  : acc_array_fold1_seg_offsets (input->values, rows, apply2, &call);

  numbered = add_numbers (self, input, seeded ? there_is : number_with);
  if (seeded)
    return acc_array_fold_seg_offsets (numbered, nothing (node->type), rows, apply2_if_there, &call);
  folded = acc_array_fold1_seg_offsets (numbered, rows, apply2_numbered, &call);

  return acc_array_unzip (folded, 1);
}

/* Rows that are @input's elements give one value each, others those of elements of one dimension less. */
static AccLifted *
fold_irregular (AccLift   *self,
                AccArray  *node,
                AccLifted *input,
                gboolean   depends)
{
  gboolean all = acc_operation_has_fact (node->op, ACC_FACT_FOLDS_ALL), needs_initial = depends && node->functions[1] != NULL;
  Call call = { self, node->functions[0], node->functions[1], 0 };
  g_autoptr(AccNesting) outer = all || input->rank == 1 ? NULL : acc_lift_new_nesting (self, input->rank - 1, outer_extents, input);
  g_autoptr(AccArray) rows = outer == NULL ? g_object_ref (input->nesting->offsets) : find_rows (self, input, outer);
  AccArray *folded = fold_rows (self, node, input, rows, depends);

  if (needs_initial)
    {
      g_autoptr(AccArray) begun = folded;

      folded = outer == NULL ? acc_array_imap (begun, begin_regular, &call)
                             : acc_array_zip_with (begun, acc_nesting_get_numbers (outer), begin_flat, &call);
    }

  return outer == NULL ? acc_lifted_new_regular (folded) : acc_lifted_new_irregular (g_steal_pointer (&outer), folded);
}

AccLifted *
acc_lift_fold (AccLift  *self,
               AccArray *node)
{
  gboolean all = acc_operation_has_fact (node->op, ACC_FACT_FOLDS_ALL);
  gboolean depends = acc_lift_depends (self, node->functions[0]) || acc_lift_depends (self, node->functions[1]);
  g_autoptr(AccLifted) input = acc_lift_to_regular (self, acc_lift_get_input (self, node, 0)), vectors = NULL;

  if (input->form == ACC_LIFTED_IRREGULAR)
    return fold_irregular (self, node, input, depends);
  if (!all)
    return fold_regular (self, node, input, depends);

  vectors = acc_lifted_new_regular (acc_array_reshape_expr (input->values,
                                                            acc_expr_tuple2 (acc_lift_count (self), acc_lifted_size (input, NULL))));

  return fold_regular (self, node, vectors, depends);
}

/* Made only beside what it is composed of, which is lifted. */
AccLifted *
acc_lift_direct (AccLift  *self,
                 AccArray *node)
{
  g_return_val_if_reached (acc_lift_leaf (self, node));
}

/* --- scans */

AccLifted *
acc_lift_scan (AccLift  *self,
               AccArray *node)
{
  gboolean depends = acc_lift_depends (self, node->functions[0]);
  Call call = { self, node->functions[0], NULL, node->rank };
  AccExprFunc2 apply = depends ? apply2_numbered : apply2;
  g_autoptr(AccLifted) input = acc_lift_to_regular (self, acc_lift_get_input (self, node, 0));
  g_autoptr(AccNesting) outer = NULL;
  g_autoptr(AccArray) numbered = NULL, rows = NULL, lengths = NULL, scanned = NULL;
  AccArray *values;

  if (input->form == ACC_LIFTED_REGULAR)
    {
      numbered = depends ? add_outer_index (input, number_with) : g_object_ref (input->values);
      scanned = acc_array_scanl1 (numbered, apply, &call);
    }
  else
    {
      outer = input->rank == 1 ? NULL : acc_lift_new_nesting (self, input->rank - 1, outer_extents, input);
      rows = find_rows (self, input, outer);
      lengths = get_lengths (rows);
      numbered = depends ? add_numbers (self, input, number_with) : g_object_ref (input->values);
      scanned = acc_array_scanl1_seg (numbered, lengths, apply, &call);
    }
  values = depends ? acc_array_unzip (scanned, 1) : g_object_ref (scanned);

  return input->form == ACC_LIFTED_REGULAR
         ? acc_lifted_new_regular (values) : acc_lifted_new_irregular (acc_nesting_ref (input->nesting), values);
}

/* --- sorts: by key, then by row */

static AccExpr *
key_of_numbered (AccExpr *x,
                 gpointer data)
{
  Call *self = data;
  AccExpr *value = acc_expr_item (x, 1);

  return acc_lift_apply (self->lift, self->function, acc_expr_item (x, 0), &value);
}

static AccExpr *
key_of_row (AccExpr *x,
            gpointer data)
{
  return acc_expr_cast (acc_expr_item (x, 0), acc_element_type_new (ACC_KIND_U64));
}

static AccExpr *
key_of_pair (AccExpr *x,
             gpointer data)
{
  Call *self = data;
  g_autoptr(AccExpr) pair = acc_expr_ref_sink (acc_expr_item (x, 1));
  AccExpr *value = acc_expr_item (pair, 1);

  return acc_lift_apply (self->lift, self->function, acc_expr_item (pair, 0), &value);
}

static AccArray *
sort (AccArray    *array,
      AccExprFunc  key,
      gpointer     data)
{
  AccArray *node = acc_array_begin (ACC_OP_SORT, &array, 1);

  acc_array_call1 (node, 0, key, data);

  return acc_array_complete (node);
}

static AccArray *
number_rows (AccLift    *self,
             AccLifted  *input)
{
  g_autoptr(AccNesting) outer = NULL, rows = NULL;

  if (input->rank == 1)
    return g_object_ref (acc_nesting_get_numbers (input->nesting));

  outer = acc_lift_new_nesting (self, input->rank - 1, outer_extents, input);
  rows = acc_nesting_new (1, find_rows (self, input, outer), NULL);

  return g_object_ref (acc_nesting_get_numbers (rows));
}

AccLifted *
acc_lift_sort (AccLift  *self,
               AccArray *node)
{
  Call call = { self, node->functions[0], NULL, node->rank };
  g_autoptr(AccLifted) input = acc_lift_to_regular (self, acc_lift_get_input (self, node, 0));
  g_autoptr(AccArray) numbered = NULL, numbers = NULL, with_rows = NULL, by_key = NULL, sorted = NULL, pairs = NULL;

  if (input->form == ACC_LIFTED_REGULAR && !acc_lift_depends (self, node->functions[0]))
    {
      AccArray *made = acc_array_begin (ACC_OP_SORT, &input->values, 1);

      if (made->error == NULL)
        acc_array_take_function (made, 0, acc_function_ref (node->functions[0]));
      return acc_lifted_new_regular (acc_array_complete (made));
    }
  if (input->form == ACC_LIFTED_REGULAR)
    {
      numbered = add_outer_index (input, number_with);
      sorted = sort (numbered, key_of_numbered, &call);
      return acc_lifted_new_regular (acc_array_unzip (sorted, 1));
    }

  numbered = add_numbers (self, input, number_with);
  numbers = number_rows (self, input);
  with_rows = acc_array_zip (numbers, numbered);
  by_key = sort (with_rows, key_of_pair, &call);
  sorted = sort (by_key, key_of_row, NULL);
  pairs = acc_array_unzip (sorted, 1);

  return acc_lifted_new_irregular (acc_nesting_ref (input->nesting), acc_array_unzip (pairs, 1));
}
