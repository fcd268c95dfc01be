/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-private.h"

/* States that go from one element to the next. */

/**
 * acc_sequence_scan:
 * @self: a sequence
 * @state: the state before the first element, an array
 * @function: (scope call) (closure user_data): takes a state and an element, and gives the next state, of the type and rank of @state
 * @user_data: data for @function
 *
 * Returns the states that a function goes through: for each element that which follows it. The function need not be associative, and is
 * applied to one element after the other: a running mean, a filter over time, a game that goes on. The extents of states may change.
 * Random arrays that @function makes are each element's own, as those of [method@Sequence.map] are.
 *
 * Takes as long as @function does, as often as there are elements. The result carries the error of what @function returns,
 * %ACC_ERROR_CALLBACK where that is %NULL, and %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where it is not of the type and rank of @state.
 *
 * Returns: (transfer full): as many states as there are elements
 */
AccSequence *
acc_sequence_scan (AccSequence *self,
                   AccArray    *state,
                   AccArrayFunc function,
                   gpointer     user_data)
{
  g_autoptr(AccSequence) result = NULL;
  AccElementType *types[2];
  AccShape *shapes[2] = { NULL, NULL };
  guint ranks[2];
  AccArray *mistake = NULL;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (state), NULL);

  result = acc_sequence_refuse_nested ("sequence_scan", self, "scan_nested is for these");
  if (result != NULL)
    return g_steal_pointer (&result);
  result = acc_sequence_alloc (ACC_SEQUENCE_KIND_SCAN, &self, 1);
  if (result->mistake != NULL)
    return g_steal_pointer (&result);
  if (state->error != NULL)
    return acc_sequence_new_error (g_object_ref (state));

  types[0] = state->type;
  ranks[0] = state->rank;
  types[1] = self->type;
  ranks[1] = self->rank;
  shapes[1] = self->shape;
  result->function = acc_sequence_function_trace ("sequence_scan", types, ranks, shapes, 2, function, user_data, TRUE,
                                                  &mistake);
  if (result->function == NULL)
    return acc_sequence_new_error (mistake);
  mistake = acc_sequence_check_state ("sequence_scan", state, result->function->result);
  if (mistake != NULL)
    return acc_sequence_new_error (mistake);

  result->array = g_object_ref (state);
  result->type = state->type;
  result->rank = state->rank;
  result->length = self->length;
  result->endless = self->endless;

  return g_steal_pointer (&result);
}

static AccSequence *
check_states (AccSequence *self,
              AccArray   **states,
              guint        n_states)
{
  if (self->mistake != NULL)
    return acc_sequence_new_error (g_object_ref (self->mistake));
  if (self->depth > 1)
    return acc_sequence_refuse_nested ("sequence_scan_many", self, "scan_many_nested is for these");
  if (n_states == 0)
    return acc_sequence_refuse ("sequence_scan_many", ACC_ERROR_SHAPE, "there are no states");
  for (guint i = 0; i < n_states; i++)
    if (states[i]->error != NULL)
      return acc_sequence_new_error (g_object_ref (states[i]));

  return NULL;
}

/**
 * acc_sequence_scan_many:
 * @self: a sequence
 * @states: (array length=n_states): the states before the first element, arrays of any types and ranks
 * @n_states: how many there are, at least 1
 * @function: (scope call) (closure user_data): takes the states and an element; gives the next states, each of the type and rank of that
 *   before, and a new element, of any type and rank
 * @user_data: data for @function
 *
 * Maps one element after the other with several states, which go from each to the next: an optimiser with its moments, a filter that
 * adapts, a table and a counter. The extents of states may change. In everything else it is as [method@Sequence.scan].
 *
 * Takes as long as @function does, as often as there are elements. The result carries the error of what @function returns,
 * %ACC_ERROR_CALLBACK where that is not one array more than there are states, and %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where a next state
 * is not of the type and rank of that before.
 *
 * Returns: (transfer full): as many new elements as there are elements
 */
AccSequence *
acc_sequence_scan_many (AccSequence  *self,
                        AccArray    **states,
                        guint         n_states,
                        AccArraysFunc function,
                        gpointer      user_data)
{
  g_autoptr(AccSequence) result = NULL;
  g_autofree AccElementType **types = g_new0 (AccElementType *, n_states + 1);
  g_autofree AccShape **shapes = g_new0 (AccShape *, n_states + 1);
  g_autofree guint *ranks = g_new0 (guint, n_states + 1);
  AccArray *mistake = NULL, *element;
  AccSequence *refused;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (states != NULL || n_states == 0, NULL);

  refused = check_states (self, states, n_states);
  if (refused != NULL)
    return refused;

  for (guint i = 0; i < n_states; i++)
    {
      types[i] = states[i]->type;
      ranks[i] = states[i]->rank;
    }
  types[n_states] = self->type;
  ranks[n_states] = self->rank;
  shapes[n_states] = self->shape;

  result = acc_sequence_alloc (ACC_SEQUENCE_KIND_SCAN, &self, 1);
  result->function = acc_sequence_function_trace_many ("sequence_scan_many", types, ranks, shapes, n_states + 1, function, user_data,
                                                       &mistake);
  if (result->function == NULL)
    return acc_sequence_new_error (mistake);
  if (result->function->n_results != n_states + 1)
    return acc_sequence_refuse ("sequence_scan_many", ACC_ERROR_CALLBACK, "its function gives %u arrays in place of %u",
                                result->function->n_results, n_states + 1);

  result->states = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_states; i++)
    {
      mistake = acc_sequence_check_state ("sequence_scan_many", states[i], result->function->results[i]);
      if (mistake != NULL)
        return acc_sequence_new_error (mistake);
      g_ptr_array_add (result->states, g_object_ref (states[i]));
    }
  element = result->function->results[n_states];
  result->type = element->type;
  result->rank = element->rank;
  result->shape = element->shape != NULL ? acc_shape_ref (element->shape) : NULL;
  result->length = self->length;
  result->endless = self->endless;

  return g_steal_pointer (&result);
}

/* --- states and elements that may be nested arrays */

/* NULL, or an owned array with the mistake. */
static AccArray *
check_next (const char *operation,
            GObject    *state,
            GObject    *next)
{
  AccNestedArray *from = ACC_IS_NESTED_ARRAY (state) ? ACC_NESTED_ARRAY (state) : NULL;
  AccNestedArray *to = ACC_IS_NESTED_ARRAY (next) ? ACC_NESTED_ARRAY (next) : NULL;
  guint depth = from != NULL ? acc_nested_array_get_depth (from) : 0, next_depth = to != NULL ? acc_nested_array_get_depth (to) : 0;

  if (depth != next_depth)
    return acc_sequence_new_mistake (operation, ACC_ERROR_SHAPE, "its function gives %u levels from a state of %u", next_depth, depth);
  if (to == NULL)
    return acc_sequence_check_state (operation, ACC_ARRAY (state), ACC_ARRAY (next));
  if (acc_nested_array_get_rank (from) != acc_nested_array_get_rank (to))
    return acc_sequence_new_mistake (operation, ACC_ERROR_SHAPE, "its function gives a nested array of rank %u from a state of rank %u",
                                     acc_nested_array_get_rank (to), acc_nested_array_get_rank (from));

  return acc_nested_array_get_element_type (from) == acc_nested_array_get_element_type (to) ? NULL
         : acc_sequence_new_mistake (operation, ACC_ERROR_TYPE, "its function gives %s from a state of %s",
                                     acc_element_type_get_code (acc_nested_array_get_element_type (to)),
                                     acc_element_type_get_code (acc_nested_array_get_element_type (from)));
}

/* What is scanned is the last of @made. */
static AccSequence *
new_scan (AccSequence         *input,
          AccSequenceFunction *function,
          GPtrArray           *states,
          GPtrArray           *made)
{
  AccSequence *self = acc_sequence_alloc (ACC_SEQUENCE_KIND_SCAN, &input, 1);
  GObject *last = g_ptr_array_index (made, made->len - 1);
  AccNestedArray *nested = ACC_IS_NESTED_ARRAY (last) ? ACC_NESTED_ARRAY (last) : NULL;

  self->function = acc_sequence_function_ref (function);
  self->states = acc_sequence_list_parts (states);
  self->type = nested != NULL ? acc_nested_array_get_element_type (nested) : ACC_ARRAY (last)->type;
  self->rank = nested != NULL ? acc_nested_array_get_rank (nested) : ACC_ARRAY (last)->rank;
  self->depth = nested != NULL ? acc_nested_array_get_depth (nested) + 1 : 1;
  self->length = input->length;
  self->endless = input->endless;

  return self;
}

/* Of @function, which gives the next state, or @several, which gives the next ones and a new element. */
static AccSequence *
scan_nested (const char     *operation,
             AccSequence    *self,
             GObject       **states,
             guint           n_states,
             AccElementFunc  function,
             AccElementsFunc several,
             gpointer        user_data)
{
  g_autoptr(GPtrArray) first = g_ptr_array_new_with_free_func (g_object_unref), made = NULL;
  g_autoptr(AccSequenceFunction) traced = NULL;
  guint n_results = function != NULL ? n_states : n_states + 1;
  AccArray *mistake = NULL;

  if (self->mistake != NULL)
    return acc_sequence_new_error (g_object_ref (self->mistake));
  if (n_states == 0)
    return acc_sequence_refuse (operation, ACC_ERROR_SHAPE, "there are no states");
  for (guint i = 0; i < n_states; i++)
    {
      GObject *state = acc_sequence_join_numbers (states[i]);

      if (ACC_IS_ARRAY (state) && ACC_ARRAY (state)->error != NULL)
        return acc_sequence_new_error (ACC_ARRAY (state));
      g_ptr_array_add (first, state);
    }

  traced = acc_sequence_function_trace_states (operation, first, self, function, several, user_data, &made, &mistake);
  if (traced == NULL)
    return acc_sequence_new_error (mistake);
  if (made->len != n_results)
    return acc_sequence_refuse (operation, ACC_ERROR_CALLBACK, "its function gives %u arrays in place of %u", made->len, n_results);
  for (guint i = 0; i < n_states && mistake == NULL; i++)
    mistake = check_next (operation, g_ptr_array_index (first, i), g_ptr_array_index (made, i));

  return mistake != NULL ? acc_sequence_new_error (mistake) : new_scan (self, traced, first, made);
}

/**
 * acc_sequence_scan_nested:
 * @self: a sequence
 * @state: the state before the first element, an [class@Array] or an [class@NestedArray]
 * @function: (scope call) (closure user_data): takes a state and an element, arrays or nested arrays, and gives the next state, which is
 *   what @state is, with as many levels, and of its type and rank
 * @user_data: data for @function
 *
 * Returns the states that a function goes through, as [method@Sequence.scan] does, where states or elements are nested arrays: a table of
 * lists that each document adds to, the tracks that are still followed. How many elements states have, and their extents, may change.
 * Numbers in the innermost level of states are vectors with one level less. Random arrays that @function makes are each element's own.
 * [method@Sequence.last_nested] of the result is what a loop over the elements ends with.
 *
 * Takes as long as @function does, as often as there are elements. The result carries the error of what @function returns,
 * %ACC_ERROR_CALLBACK where that is %NULL or something else, and %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where it is not as @state is.
 *
 * Returns: (transfer full): as many states as there are elements
 */
AccSequence *
acc_sequence_scan_nested (AccSequence   *self,
                          GObject       *state,
                          AccElementFunc function,
                          gpointer       user_data)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (state) || ACC_IS_NESTED_ARRAY (state), NULL);

  return scan_nested ("sequence_scan_nested", self, &state, 1, function, NULL, user_data);
}

/**
 * acc_sequence_scan_many_nested:
 * @self: a sequence
 * @states: (array length=n_states): the states before the first element, each an [class@Array] or an [class@NestedArray]
 * @n_states: how many there are, at least 1
 * @function: (scope call) (closure user_data): takes the states and an element, arrays or nested arrays; gives the next states, each as
 *   that before, and a new element, an array or a nested array
 * @user_data: data for @function
 *
 * Maps one element after the other with several states, as [method@Sequence.scan_many] does, where states, elements or new elements are
 * nested arrays. In everything else it is as [method@Sequence.scan_nested].
 *
 * Takes as long as @function does, as often as there are elements. The result carries the error of what @function returns,
 * %ACC_ERROR_CALLBACK where that is not one more than there are states, and %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where a next state is not
 * as that before.
 *
 * Returns: (transfer full): as many new elements as there are elements
 */
AccSequence *
acc_sequence_scan_many_nested (AccSequence    *self,
                               GObject       **states,
                               guint           n_states,
                               AccElementsFunc function,
                               gpointer        user_data)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (states != NULL || n_states == 0, NULL);
  for (guint i = 0; i < n_states; i++)
    g_return_val_if_fail (ACC_IS_ARRAY (states[i]) || ACC_IS_NESTED_ARRAY (states[i]), NULL);

  return scan_nested ("sequence_scan_many_nested", self, states, n_states, NULL, function, user_data);
}
