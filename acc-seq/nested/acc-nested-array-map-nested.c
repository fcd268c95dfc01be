/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/expr/acc-numbering-private.h"
#include "acc-core/expr/acc-trace-private.h"

/* Functions of elements that are nested arrays themselves. */

/* What @function gives for an element of @parameters. Where this thread traces, it is asked for, as acc_call_array_func() does. */
static AccNestedArray *
call (AccNestedArrayFunc function,
      GObject           *element,
      GPtrArray         *parameters,
      AccArray         **number,
      gpointer           user_data)
{
  g_autoptr(GPtrArray) results = NULL;

  if (!acc_trace_asks (G_CALLBACK (function)))
    {
      G_GNUC_UNUSED g_auto(AccNumbering) numbering = acc_numbering_begin (*number);

      return function (ACC_NESTED_ARRAY (element), user_data);
    }

  results = acc_nested_array_ask (G_CALLBACK (function), user_data, &element, 1, parameters, number);

  return results != NULL && results->len == 1 && ACC_IS_NESTED_ARRAY (g_ptr_array_index (results, 0))
         ? g_object_ref (g_ptr_array_index (results, 0)) : NULL;
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
  g_autoptr(GPtrArray) parameters = NULL, results = NULL;
  g_autoptr(GObject) element = NULL;
  g_autoptr(AccNestedArray) result = NULL, counted = NULL;
  g_autoptr(AccArray) number = NULL, index = NULL;
  AccArray *values = acc_nested_array_get_values (self);
  guint rank = acc_nested_array_get_rank (self), depth = acc_nested_array_get_depth (self);

  if (values->error != NULL)
    return g_object_ref (self);
  if (depth == 1)
    return refuse (operation, values, ACC_ERROR_SHAPE, "elements are arrays");
  if (function == NULL)
    return refuse (operation, values, ACC_ERROR_CALLBACK, "no function was given");

  parameters = g_ptr_array_new_with_free_func (g_object_unref);
  element = acc_nested_array_new_element (values->type, rank, NULL, depth - 1, parameters);
  number = acc_nested_array_new_number (parameters->len);
  result = call (function, element, parameters, &number, user_data);
  if (result == NULL)
    return refuse (operation, values, ACC_ERROR_CALLBACK, "its function returned nothing");
  if (acc_nested_array_get_values (result)->error != NULL)
    return g_steal_pointer (&result);

  index = acc_nested_array_new_numbers (acc_nested_array_count_elements (self));
  counted = acc_nested_array_new_for_lifted (
    acc_lifted_new_regular (first != NULL ? acc_array_map (index, number_from, first) : g_object_ref (index)),
    g_object_ref (acc_nested_array_get_outer_count (self)));
  g_ptr_array_add (parameters, g_object_ref (number));
  results = g_ptr_array_new_with_free_func (g_object_unref);
  acc_nested_array_list_results (result, results);

  return acc_nested_array_apply_elements ((AccNestedArray *[]) { self, counted }, 2, (AccArray **) parameters->pdata,
                                          (AccArray **) results->pdata, acc_nested_array_get_rank (result),
                                          acc_nested_array_get_depth (result),
                                          ACC_APPLY_IN_LOOPS | (first != NULL ? ACC_APPLY_IN_STEPS | ACC_APPLY_VARIES : 0));
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
