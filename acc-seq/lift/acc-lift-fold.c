/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-fold-segments.h"
#include "acc-core/derived/acc-array-scan.h"
#include "acc-core/derived/acc-array-segments-private.h"

/* Folds, scans and sorts along rows. Rows of irregular elements are segments of the flat values. A function that depends on the element
 * gets its number with the values that it combines, which are all of one element. */

typedef struct {
  AccLiftCall  call;
  AccFunction *initial;
} Fold;

/* The initial value is of the element, too: (there is something, number, value). */
static AccExpr *
combine_if_there (AccExpr *x,
                  AccExpr *y,
                  gpointer data)
{
  Fold *self = data;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_item (y, 1));
  AccExpr *both = acc_lift_apply (self->call.lift, self->call.function, k, (AccExpr *[]) { acc_expr_item (x, 2), acc_expr_item (y, 2) });

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
nothing (AccElementType *type)
{
  return acc_expr_tuple3 (acc_expr_new_bool (FALSE), acc_array_number (0), acc_expr_new_zero (type));
}

static AccExpr *
begin_with_initial (AccExpr *k,
                    AccExpr *folded,
                    gpointer data)
{
  Fold *self = data;
  g_autoptr(AccExpr) initial = acc_expr_ref_sink (acc_lift_apply (self->call.lift, self->initial, k, NULL));

  return acc_expr_cond (acc_expr_item (folded, 0),
                        acc_lift_apply (self->call.lift, self->call.function, k, (AccExpr *[]) { initial, acc_expr_item (folded, 2) }),
                        initial);
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

/* Where the elements of @input without their innermost dimension are, of which each has one row; NULL: those are numbers. */
static AccNesting *
find_outer (AccLift   *self,
            AccLifted *input)
{
  return input->rank == 1 ? NULL : acc_lift_new_nesting (self, input->rank - 1, outer_extents, input);
}

/* Where the rows of @input are. */
static AccNesting *
find_rows (AccLifted  *input,
           AccNesting *outer)
{
  g_autoptr(AccArray) lengths = NULL;

  if (outer == NULL)
    return acc_nesting_ref (input->nesting);

  lengths = acc_array_map (acc_nesting_get_numbers (outer), row_length, input);

  return acc_nesting_new (1, acc_array_scanl (lengths, acc_array_number (0), acc_array_add_elements, NULL), NULL);
}

/* --- regular elements beside which others are irregular */

/* Segments of one form group floats as segments of the other: those of a sequence must not show which elements came together. Shorter rows
 * of elements of at most so many bytes go in order in either. */
#define SHORTEST_ROW 8
#define WIDEST_SHORT 8

/* Whether rows of regular @input are gone over as segments are. */
static gboolean
needs_segments (AccLift   *self,
                AccLifted *input)
{
  AccArray *values = input->values;
  AccShape *shape = values->shape;

  return self->varies && input->form == ACC_LIFTED_REGULAR && !acc_element_type_is_exact (values->type)
         && (shape == NULL || acc_shape_get_extent (shape, values->rank - 1) >= SHORTEST_ROW
             || acc_element_type_get_widest (values->type) > WIDEST_SHORT);
}

/* --- folds */

/* Along rows, which are segments where @rows says, or where each of @values is one: they fit, and nobody asks that once more. @initial may
 * be NULL: then none is empty. */
static AccArray *
fold (AccArray    *values,
      AccExpr     *initial,
      AccNesting  *rows,
      gboolean     by_segments,
      AccExprFunc2 combine,
      Fold        *data)
{
  if (rows != NULL || by_segments)
    {
      g_autoptr(AccExpr) owned = initial != NULL ? acc_expr_ref_sink (initial) : NULL;
      g_autoptr(AccArray) offsets = rows != NULL ? g_object_ref (rows->offsets) : acc_lift_offsets_of_row (values), each = NULL;
      AccSegments segments = { .array = values, .offsets = offsets, .initial = owned, .combine = combine, .data = data };

      each = acc_array_keep_commutes (acc_segments_fold (&segments, FALSE), data->call.function);

      return rows != NULL ? g_steal_pointer (&each) : acc_array_reshape_expr (each, acc_lift_extents_of_rows (values));
    }

  return acc_array_keep_commutes (initial != NULL ? acc_array_fold (values, initial, combine, data)
                                                  : acc_array_fold1 (values, combine, data), data->call.function);
}

/* One value for each row, or what begin_with_initial() makes that of. */
static AccArray *
fold_rows (Fold       *self,
           AccLifted  *input,
           AccNesting *rows,
           gboolean    depends)
{
  AccElementType *type = input->values->type;
  gboolean by_segments = needs_segments (self->call.lift, input);
  g_autoptr(AccArray) numbered = NULL, folded = NULL;

  if (!depends)
    return fold (input->values, self->initial != NULL ? acc_lift_apply (self->call.lift, self->initial, NULL, NULL) : NULL, rows,
                 by_segments, acc_lift_combine, self);

  numbered = acc_lift_zip_numbers (input, self->initial != NULL ? there_is : acc_lift_number_with, NULL);
  if (self->initial != NULL)
    return fold (numbered, nothing (type), rows, by_segments, combine_if_there, self);
  folded = fold (numbered, NULL, rows, by_segments, acc_lift_combine_numbered, self);

  return acc_array_unzip (folded, 1);
}

static AccExpr *
has_values (AccLift *self,
            AccExpr *k,
            gpointer data)
{
  AccArray *node = data;
  AccLifted *input = acc_lift_get_input (self, node, 0);
  gboolean all = acc_operation_has_fact (node->op, ACC_FACT_FOLDS_ALL);

  return acc_expr_gt (all ? acc_lifted_size (input, k) : acc_lifted_extent (input, k, input->rank - 1), acc_array_number (0));
}

/* @input, which it drops, with an error where there is nothing to fold. */
static AccLifted *
demand_values (AccLift   *self,
               AccArray  *node,
               AccLifted *input)
{
  g_autoptr(AccLifted) owned = input;
  g_autoptr(AccArray) flat = input->form == ACC_LIFTED_REGULAR ? acc_array_flatten (input->values) : g_object_ref (input->values);
  g_autoptr(AccArray) values = acc_lift_demand (self, flat, has_values, node, node,
                                                "element " ACC_REFUSED_NUMBER " has nothing to fold, and no initial value is given");
  g_autofree AccExpr **extents = NULL;

  if (input->form == ACC_LIFTED_IRREGULAR)
    return acc_lifted_new_irregular (acc_nesting_ref (input->nesting), g_steal_pointer (&values));

  extents = acc_array_list_extents (input->values);
  return acc_lifted_new_regular (acc_array_reshape_expr (values, acc_array_join_items (extents, input->values->rank)));
}

AccLifted *
acc_lift_fold (AccLift  *self,
               AccArray *node)
{
  gboolean all = acc_operation_has_fact (node->op, ACC_FACT_FOLDS_ALL);
  gboolean depends = acc_lift_depends (self, node->functions[0]) || acc_lift_depends (self, node->functions[1]);
  Fold state = { { self, node->functions[0] }, node->functions[1] };
  g_autoptr(AccLifted) input = acc_lift_to_regular (self, acc_lift_get_input (self, node, 0)), result = NULL;
  g_autoptr(AccNesting) outer = NULL, rows = NULL;

  if (state.initial == NULL && input->values->shape == NULL && needs_segments (self, input))
    input = demand_values (self, node, g_steal_pointer (&input));
  if (input->form == ACC_LIFTED_IRREGULAR)
    {
      if (state.initial == NULL)
        input = demand_values (self, node, g_steal_pointer (&input));
      outer = all ? NULL : find_outer (self, input);
      rows = find_rows (input, outer);
    }
  else if (all)
    {
      g_autoptr(AccLifted) matrices = g_steal_pointer (&input);

      input = acc_lifted_new_regular (acc_array_reshape_expr (matrices->values,
                                                              acc_expr_tuple2 (acc_lift_count (self), acc_lifted_size (matrices, NULL))));
    }

  result = outer == NULL ? acc_lifted_new_regular (fold_rows (&state, input, rows, depends))
                         : acc_lifted_new_irregular (acc_nesting_ref (outer), fold_rows (&state, input, rows, depends));
  if (!depends || state.initial == NULL)
    return g_steal_pointer (&result);

  {
    AccArray *begun = acc_lift_zip_numbers (result, begin_with_initial, &state);

    return outer == NULL ? acc_lifted_new_regular (begun) : acc_lifted_new_irregular (acc_nesting_ref (outer), begun);
  }
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
  AccLiftCall call = { self, node->functions[0] };
  AccExprFunc2 combine = depends ? acc_lift_combine_numbered : acc_lift_combine;
  g_autoptr(AccLifted) input = acc_lift_to_regular (self, acc_lift_get_input (self, node, 0));
  g_autoptr(AccNesting) outer = NULL, rows = NULL;
  g_autoptr(AccArray) numbered = depends ? acc_lift_zip_numbers (input, acc_lift_number_with, NULL) : g_object_ref (input->values);
  g_autoptr(AccArray) scanned = NULL;
  AccArray *values;

  if (input->form == ACC_LIFTED_REGULAR && needs_segments (self, input))
    {
      g_autoptr(AccArray) offsets = acc_lift_offsets_of_row (numbered);

      scanned = acc_segments_scan (&(AccSegments) { .array = numbered, .offsets = offsets, .combine = combine, .data = &call }, FALSE,
                                   ACC_SEED_NONE);
    }
  else if (input->form == ACC_LIFTED_REGULAR)
    {
      scanned = acc_array_scanl1 (numbered, combine, &call);
    }
  else
    {
      outer = find_outer (self, input);
      rows = find_rows (input, outer);
      scanned = acc_segments_scan (&(AccSegments) { .array = numbered, .offsets = rows->offsets, .combine = combine, .data = &call }, FALSE,
                                   ACC_SEED_NONE);
    }
  values = depends ? acc_array_unzip (scanned, 1) : g_object_ref (scanned);

  return input->form == ACC_LIFTED_REGULAR ? acc_lifted_new_regular (values)
                                           : acc_lifted_new_irregular (acc_nesting_ref (input->nesting), values);
}

/* --- sorts: by key, then by row */

/* Of a value with the number of its element. */
static AccExpr *
key_of_numbered (AccExpr *x,
                 gpointer data)
{
  AccLiftCall *self = data;
  AccExpr *value = acc_expr_item (x, 1);

  return acc_lift_apply (self->lift, self->function, acc_expr_item (x, 0), &value);
}

/* The value is one with the number of its element if keys depend on that. */
static AccExpr *
key_of_value (AccExpr *value,
              gpointer data)
{
  AccLiftCall *self = data;

  return acc_lift_depends (self->lift, self->function) ? key_of_numbered (value, data)
                                                       : acc_lift_apply (self->lift, self->function, NULL, &value);
}

/* Of (number of the row, value). */
static AccExpr *
key_in_row (AccExpr *x,
            gpointer data)
{
  g_autoptr(AccExpr) value = acc_expr_ref_sink (acc_expr_item (x, 1));

  return key_of_value (value, data);
}

static AccExpr *
key_of_row (AccExpr *x,
            gpointer data)
{
  return acc_expr_item (x, 0);
}

static AccExpr *
with_narrow_row (AccExpr *row,
                 AccExpr *x,
                 gpointer type)
{
  return acc_expr_tuple2 (acc_expr_cast (row, type), x);
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

/* One operation for backends that have it. */
static AccArray *
sort_directly (AccNesting  *rows,
               AccArray    *values,
               AccLiftCall *call)
{
  AccArray *node = acc_array_begin (ACC_OP_SORT_SEG, (AccArray *[]) { values, rows->offsets }, 2);

  acc_array_call1 (node, 0, key_of_value, call);

  return acc_array_complete (node);
}

/* Along rows, whose numbers are of @kind. */
static AccArray *
sort_rows (AccNesting    *rows,
           AccArray      *values,
           AccElementKind kind,
           AccLiftCall   *call)
{
  g_autoptr(AccArray) numbers = acc_segments_number (rows->offsets, acc_nesting_total (rows));
  g_autoptr(AccArray) with_rows = acc_array_zip_with (numbers, values, with_narrow_row, acc_element_type_new (kind));
  g_autoptr(AccArray) by_key = sort (with_rows, key_in_row, call), sorted = sort (by_key, key_of_row, NULL);

  AccArray *result = acc_array_unzip (sorted, 1);

  if (result->error == NULL)
    result->direct = sort_directly (rows, values, call);

  return result;
}

typedef struct {
  AccNesting *rows;
  gint64      most;
} Count;

static AccExpr *
is_at_most (AccExpr *nothing,
            gpointer data)
{
  Count *self = data;

  return acc_expr_le (acc_nesting_count (self->rows), acc_array_number (self->most));
}

static const AccElementKind row_kinds[] = { ACC_KIND_U64, ACC_KIND_U32, ACC_KIND_U16, ACC_KIND_U8 };

/* How many rows have numbers of the kind. */
static gint64
count_numbers (AccElementKind kind)
{
  return kind == ACC_KIND_U64 ? G_MAXINT64 : (gint64) 1 << 8 * acc_element_kind_get_size (kind);
}

/* By the narrowest numbers that there are enough of: each byte is a pass. Where it is not known how many rows there are, a run chooses. */
static AccArray *
sort_by_narrow_rows (AccNesting  *rows,
                     AccArray    *values,
                     AccLiftCall *call)
{
  g_autoptr(AccShape) scalar = acc_shape_new (NULL, 0);
  AccShape *shape = acc_array_get_shape (rows->offsets);
  AccArray *sorted = NULL;
  guint narrowest = G_N_ELEMENTS (row_kinds) - 1;

  while (shape != NULL && acc_shape_get_extent (shape, 0) - 1 > count_numbers (row_kinds[narrowest]))
    narrowest--;
  if (shape != NULL)
    return sort_rows (rows, values, row_kinds[narrowest], call);

  sorted = sort_rows (rows, values, row_kinds[0], call);
  for (guint i = 1; i < G_N_ELEMENTS (row_kinds); i++)
    {
      Count count = { rows, count_numbers (row_kinds[i]) };
      g_autoptr(AccArray) fits = acc_array_generate (scalar, is_at_most, &count), wider = sorted;
      g_autoptr(AccArray) narrower = sort_rows (rows, values, row_kinds[i], call);

      sorted = acc_array_cond (fits, narrower, wider);
    }

  return sorted;
}

AccLifted *
acc_lift_sort (AccLift  *self,
               AccArray *node)
{
  AccLiftCall call = { self, node->functions[0] };
  g_autoptr(AccLifted) input = acc_lift_to_regular (self, acc_lift_get_input (self, node, 0));
  gboolean depends = acc_lift_depends (self, node->functions[0]);
  g_autoptr(AccNesting) outer = NULL, rows = NULL;
  g_autoptr(AccArray) numbered = NULL, sorted = NULL;

  if (input->form == ACC_LIFTED_REGULAR && !depends)
    return acc_lifted_new_regular (acc_lift_take_over (node, &input->values));

  numbered = depends ? acc_lift_zip_numbers (input, acc_lift_number_with, NULL) : g_object_ref (input->values);
  if (input->form == ACC_LIFTED_REGULAR)
    {
      sorted = sort (numbered, key_of_numbered, &call);
      return acc_lifted_new_regular (acc_array_unzip (sorted, 1));
    }

  outer = find_outer (self, input);
  rows = find_rows (input, outer);
  sorted = sort_by_narrow_rows (rows, numbered, &call);

  return acc_lifted_new_irregular (acc_nesting_ref (input->nesting), depends ? acc_array_unzip (sorted, 1) : g_object_ref (sorted));
}
