/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-scan.h"
#include "acc-core/expr/acc-numbering-private.h"
#include "acc-core/expr/acc-trace-private.h"

/* Functions of elements that are nested arrays themselves: each of the arrays that an element consists of is a part of one of all
 * elements. */

/* An array of which each outermost element has a part. */
typedef struct {
  AccArray *array;      /* owned */
  AccArray *bounds;     /* owned i8: where each part begins, and where the last ends */
  gboolean  offsets;    /* one more than that, and from 0 in each part */
} Table;

static void
table_free (gpointer data)
{
  Table *self = data;

  g_object_unref (self->array);
  g_object_unref (self->bounds);
  g_free (self);
}

static void
add_table (GPtrArray *tables,
           AccArray  *array,
           AccArray  *bounds,
           gboolean   offsets)
{
  Table *table = g_new (Table, 1);

  *table = (Table) { g_object_ref (array), g_object_ref (bounds), offsets };
  g_ptr_array_add (tables, table);
}

/* Of the levels from the outermost one on, of what says where the innermost elements are, and last of the values. */
static GPtrArray *
list_tables (AccNestedArray *self)
{
  GPtrArray *tables = g_ptr_array_new_with_free_func (table_free);
  g_autoptr(AccArray) bounds = g_object_ref (acc_nested_array_get_groups (self));
  g_autoptr(AccLift) lift = acc_lift_new (acc_nested_array_get_count (self));
  g_autoptr(AccLifted) lifted = acc_lift_to_irregular (lift, acc_nested_array_get_lifted (self));
  AccNestedArray *level = acc_nested_array_get_inner (self);
  AccArray *next;

  for (; acc_nested_array_get_inner (level) != NULL; level = acc_nested_array_get_inner (level))
    {
      add_table (tables, acc_nested_array_get_groups (level), bounds, TRUE);
      next = acc_nested_array_read_places (acc_nested_array_get_groups (level), bounds);
      g_set_object (&bounds, next);
      g_object_unref (next);
    }
  if (lifted->rank > 1)
    add_table (tables, lifted->nesting->extents, bounds, FALSE);
  if (lifted->rank > 0)
    {
      add_table (tables, lifted->nesting->offsets, bounds, TRUE);
      next = acc_nested_array_read_places (lifted->nesting->offsets, bounds);
      g_set_object (&bounds, next);
      g_object_unref (next);
    }
  add_table (tables, lifted->values, bounds, FALSE);

  return tables;
}

/* An element of parameters for all @tables. */
static AccNestedArray *
make_element (GPtrArray *parameters,
              guint      rank)
{
  guint n = parameters->len, used = MIN (rank, 2) + 1;
  AccArray *values = g_object_ref (g_ptr_array_index (parameters, n - 1));
  AccNestedArray *element;
  AccNesting *nesting;

  if (rank == 0)
    element = acc_nested_array_new_for_lifted (acc_lifted_new_regular (values), g_object_ref (values));
  else
    {
      nesting = acc_nesting_new (rank, g_object_ref (g_ptr_array_index (parameters, n - 2)),
                                 rank > 1 ? g_object_ref (g_ptr_array_index (parameters, n - 3)) : NULL);
      element = acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, values), acc_nesting_dup_lengths (nesting));
    }
  for (guint i = n - used; i-- > 0;)
    element = acc_nested_array_new_for_groups (element, g_object_ref (g_ptr_array_index (parameters, i)));

  return element;
}

/* --- parts of offsets */

static AccExpr *
length_of_part (AccLift *lift,
                AccExpr *k,
                gpointer data)
{
  Table *self = data;
  g_autoptr(AccExpr) own = acc_expr_ref_sink (k);
  AccExpr *end = acc_expr_linear_index (self->bounds, acc_expr_add (own, acc_array_number (1)));

  return acc_expr_add (acc_expr_sub (end, acc_expr_linear_index (self->bounds, own)), acc_array_number (1));
}

static AccExpr *
offset_in_part (AccLift *lift,
                AccExpr *k,
                AccExpr *index,
                gpointer data)
{
  Table *self = data;
  g_autoptr(AccExpr) begin = acc_expr_ref_sink (acc_expr_linear_index (self->bounds, k));
  AccExpr *own = acc_expr_linear_index (self->array, acc_expr_add (begin, index));

  return acc_expr_sub (own, acc_expr_linear_index (self->array, begin));
}

static AccLifted *
lift_table (AccLift *lift,
            Table   *table)
{
  g_autoptr(AccNesting) nesting = NULL;

  if (!table->offsets)
    return acc_lifted_new_irregular (acc_nesting_new (1, g_object_ref (table->bounds), NULL), g_object_ref (table->array));

  nesting = acc_lift_new_nesting (lift, 1, length_of_part, table);

  return acc_lift_make (lift, nesting, offset_in_part, table);
}

/* --- results */

/* The vector @array, which depends on the element, of all elements one after the other. */
static AccLifted *
lift_vector (AccLift  *lift,
             AccArray *array)
{
  return acc_lift_to_irregular (lift, acc_lift_array (lift, array));
}

static AccExpr *
product_of (AccExpr *extents,
            gpointer data)
{
  return acc_lift_product (extents, GPOINTER_TO_UINT (data));
}

static AccArray *
sum_lengths (AccArray *lengths)
{
  return acc_array_scanl (lengths, acc_array_number (0), acc_array_add_elements, NULL);
}

/* The innermost elements of all, and in @groups how many each element of the level above has. */
static AccNestedArray *
lift_innermost (AccLift         *lift,
                AccNestedArray  *result,
                AccArray       **groups)
{
  guint rank = acc_nested_array_get_rank (result);
  g_autoptr(AccArray) flat = acc_nested_array_flatten (result), lengths = NULL;
  g_autoptr(AccLifted) values = lift_vector (lift, flat), extents = NULL;
  AccNesting *nesting;

  if (rank == 0)
    {
      *groups = g_object_ref (values->nesting->offsets);
      return acc_nested_array_new_for_lifted (acc_lifted_new_regular (g_object_ref (values->values)), g_object_ref (values->values));
    }

  extents = lift_vector (lift, acc_nested_array_get_extents (result));
  lengths = rank == 1 ? g_object_ref (extents->values) : acc_array_map (extents->values, product_of, GUINT_TO_POINTER (rank));
  nesting = acc_nesting_new (rank, sum_lengths (lengths), rank > 1 ? g_object_ref (extents->values) : NULL);
  *groups = g_object_ref (extents->nesting->offsets);

  return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, g_object_ref (values->values)), g_steal_pointer (&lengths));
}

/* All elements of @result, and in @groups how many each has. */
static AccNestedArray *
lift_result (AccLift         *lift,
             AccNestedArray  *result,
             AccArray       **groups)
{
  AccNestedArray *inner = acc_nested_array_get_inner (result), *made;
  g_autoptr(AccLifted) lengths = NULL;
  g_autoptr(AccArray) unused = NULL;

  if (inner == NULL)
    return lift_innermost (lift, result, groups);

  made = lift_result (lift, inner, &unused);
  lengths = lift_vector (lift, acc_nested_array_get_lengths (result));
  *groups = g_object_ref (lengths->nesting->offsets);

  return acc_nested_array_new_for_groups (made, sum_lengths (lengths->values));
}

/* What @function gives for an element of @parameters. Where this thread traces, it is asked for, as acc_call_array_func() does. */
static AccNestedArray *
call (AccNestedArrayFunc function,
      GPtrArray         *parameters,
      guint              rank,
      AccArray         **number,
      gpointer           user_data)
{
  g_autoptr(AccNestedArray) element = make_element (parameters, rank);
  g_autoptr(GPtrArray) asked = NULL, results = NULL;

  if (!acc_trace_asks (G_CALLBACK (function)))
    {
      G_GNUC_UNUSED g_auto(AccNumbering) numbering = acc_numbering_begin (*number);

      return function (element, user_data);
    }

  asked = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (asked, g_object_ref (element));
  for (guint i = 0; i < parameters->len; i++)
    g_ptr_array_add (asked, g_object_ref (g_ptr_array_index (parameters, i)));
  results = acc_trace_ask_arrays (G_CALLBACK (function), user_data, asked, number);
  if (results == NULL)
    return NULL;

  g_ptr_array_set_free_func (results, g_object_unref);
  g_ptr_array_set_size (parameters, 0);
  for (guint i = 1; i < asked->len; i++)
    g_ptr_array_add (parameters, g_object_ref (g_ptr_array_index (asked, i)));

  return results->len == 1 && ACC_IS_NESTED_ARRAY (g_ptr_array_index (results, 0)) ? g_object_ref (g_ptr_array_index (results, 0)) : NULL;
}

static AccNestedArray *
refuse (const char *operation,
        AccArray   *values,
        AccError    code,
        const char *problem)
{
  ACC_ARRAY_NAMED (operation);

  return acc_nested_array_refuse (values, code, problem);
}

/* What random arrays of an element follow from: its number, from *@first on. */
static AccExpr *
number_from (AccExpr *k,
             gpointer first)
{
  return acc_expr_add (k, acc_expr_linear_index (first, acc_array_number (0)));
}

AccNestedArray *
acc_nested_array_apply_nested (const char        *operation,
                               AccNestedArray    *self,
                               AccArray          *first,
                               AccNestedArrayFunc function,
                               gpointer           user_data)
{
  g_autoptr(GPtrArray) tables = NULL, parameters = NULL;
  g_autoptr(AccNestedArray) result = NULL, made = NULL;
  g_autoptr(AccArray) groups = NULL, number = NULL;
  g_autoptr(AccLift) lift = NULL;
  AccNesting *nesting;
  AccArray *values = acc_nested_array_get_values (self);

  if (values->error != NULL)
    return g_object_ref (self);
  if (acc_nested_array_get_inner (self) == NULL)
    return refuse (operation, values, ACC_ERROR_SHAPE, "elements are arrays");
  if (function == NULL)
    return refuse (operation, values, ACC_ERROR_CALLBACK, "no function was given");

  tables = list_tables (self);
  parameters = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < tables->len; i++)
    g_ptr_array_add (parameters, acc_array_new_parameter (((Table *) g_ptr_array_index (tables, i))->array->type, 1, NULL, i));
  number = acc_nested_array_new_number (tables->len);
  result = call (function, parameters, acc_nested_array_get_rank (self), &number, user_data);
  if (result == NULL)
    return refuse (operation, values, ACC_ERROR_CALLBACK, "its function returned nothing");
  if (acc_nested_array_get_values (result)->error != NULL)
    return g_steal_pointer (&result);

  lift = acc_lift_new (acc_nested_array_get_lengths (self));
  lift->in_steps = lift->varies = first != NULL;
  for (guint i = 0; i < tables->len; i++)
    acc_lift_bind (lift, g_ptr_array_index (parameters, i), lift_table (lift, g_ptr_array_index (tables, i)));
  acc_lift_bind (lift, number,
                 acc_lifted_new_regular (first != NULL ? acc_array_map (lift->index, number_from, first) : g_object_ref (lift->index)));
  made = lift_result (lift, result, &groups);
  if (acc_nested_array_get_inner (made) != NULL || acc_nested_array_get_rank (made) > 0)
    return acc_nested_array_new_for_groups (g_steal_pointer (&made), g_steal_pointer (&groups));

  nesting = acc_nesting_new (1, g_steal_pointer (&groups), NULL);

  return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, g_object_ref (acc_nested_array_get_values (made))),
                                          acc_nesting_dup_lengths (nesting));
}

/**
 * acc_nested_array_map_nested:
 * @self: a nested array of two levels or more
 * @function: (scope call) (closure user_data): takes an element, a nested array, and gives a nested array
 * @user_data: data for @function
 *
 * Applies a function of nested arrays to every element. @function is called once, with a nested array that stands for the elements, which
 * may choose, group or map what is in it; what it does becomes operations on all elements at once.
 *
 * Random arrays that @function makes are each element's own, as [func@NestedArray.zip_with_many] says.
 *
 * Takes as long as the operations do on all values together. The result carries the error of what @function returns, %ACC_ERROR_CALLBACK
 * where that is %NULL, and %ACC_ERROR_SHAPE where elements are arrays: [method@NestedArray.map] is for these.
 *
 * ```c
 * static AccNestedArray *turn (AccNestedArray *rows, gpointer data) { return acc_nested_array_reverse (rows); }
 *
 * // groups = [[[1, 2], [3]], [], [[], [4]]]
 * g_autoptr(AccNestedArray) turned = acc_nested_array_map_nested (groups, turn, NULL); // [[[3], [1, 2]], [], [[4], []]]
 * ```
 *
 * Returns: (transfer full): as many elements; where @function gives elements of rank 0 in one level, these are vectors
 */
AccNestedArray *
acc_nested_array_map_nested (AccNestedArray    *self,
                             AccNestedArrayFunc function,
                             gpointer           user_data)
{
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  return acc_nested_array_apply_nested ("nested_array_map_nested", self, NULL, function, user_data);
}
