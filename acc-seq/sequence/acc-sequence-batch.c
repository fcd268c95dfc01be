/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/expr/acc-numbering-private.h"

/* Functions of as many elements as a walk has at a time, with a state that goes from one to the next. */

static char *
make_signature (AccElementType *type,
                guint           rank)
{
  GString *text = g_string_new (acc_element_type_get_code (type));

  g_string_append_c (text, '[');
  for (guint i = 0; i < rank; i++)
    g_string_append (text, i > 0 ? ",:" : ":");
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

AccArray *
acc_sequence_check_state (const char *operation,
                          AccArray   *state,
                          AccArray   *next)
{
  if (next->error != NULL)
    return g_object_ref (next);
  if (next->type == state->type && next->rank == state->rank)
    return NULL;

  return acc_sequence_new_mistake (operation, next->type != state->type ? ACC_ERROR_TYPE : ACC_ERROR_SHAPE,
                                   "its function gives %s of rank %u from a state of %s of rank %u",
                                   acc_element_type_get_code (next->type), next->rank, acc_element_type_get_code (state->type),
                                   state->rank);
}

/**
 * acc_sequence_map_batch:
 * @self: a sequence of elements that have the same extents
 * @state: the state before the first element, an array
 * @function: (scope call) (closure user_data): takes a state, and some consecutive elements as an array with one more outermost dimension;
 *   gives the next state and what becomes of these elements, an array whose outermost dimension has as many new elements
 * @user_data: data for @function
 *
 * Maps as many elements as are computed together, with a state that goes on to the next ones: a prefix sum over all, a filter that needs
 * what was before. How many elements come together is not told, and may differ from run to run: a function for which that shows in the
 * result is a mistake. Where the elements of a batch should be of a certain number, use [method@Sequence.batch] and [method@Sequence.scan].
 *
 * Elements of different extents have no array that holds several of them: [method@Sequence.map_batch_nested] is for these, or pad them in a
 * [method@Sequence.map], take their values one by one with [method@Sequence.expand], or go element by element with [method@Sequence.scan].
 *
 * Takes as long as @function does. Walks fail with %ACC_ERROR_SHAPE, which names the element, where extents differ, however they are cut.
 * The result carries %ACC_ERROR_CALLBACK where
 * @function does not give two arrays, %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where the first is not of the type and rank of @state, and
 * %ACC_ERROR_SHAPE where the second has rank 0.
 *
 * Returns: (transfer full): the new elements
 */
AccSequence *
acc_sequence_map_batch (AccSequence  *self,
                        AccArray     *state,
                        AccArraysFunc function,
                        gpointer      user_data)
{
  g_autoptr(AccSequence) result = NULL;
  g_autoptr(AccArray) next = NULL, batch = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *first = NULL, *second = NULL;
  G_GNUC_UNUSED g_auto(AccNumbering) none = { NULL };
  AccArray *refused;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (state), NULL);

  result = acc_sequence_refuse_nested ("sequence_map_batch", self, "map_batch_nested is for these");
  if (result != NULL)
    return g_steal_pointer (&result);
  result = acc_sequence_alloc (ACC_SEQUENCE_KIND_MAP_BATCH, &self, 1);
  if (result->mistake != NULL)
    return g_steal_pointer (&result);
  if (state->error != NULL)
    return acc_sequence_new_error (g_object_ref (state));

  first = make_signature (state->type, state->rank);
  second = make_signature (self->type, self->rank + 1);
  none = acc_numbering_begin (NULL);
  result->program = acc_program_new_many ((const char *[]) { first, second, NULL }, function, user_data);
  if (!acc_program_check (result->program, &error))
    return acc_sequence_refuse ("sequence_map_batch", (AccError) error->code, "%s", error->message);
  if (acc_program_get_n_results (result->program) != 2)
    return acc_sequence_refuse ("sequence_map_batch", ACC_ERROR_CALLBACK, "its function gives %u arrays in place of 2",
                                acc_program_get_n_results (result->program));

  next = g_object_ref (acc_program_get_result (result->program, 0));
  batch = g_object_ref (acc_program_get_result (result->program, 1));
  refused = acc_sequence_check_state ("sequence_map_batch", state, next);
  if (refused != NULL)
    return acc_sequence_new_error (refused);
  if (batch->rank == 0)
    return acc_sequence_refuse ("sequence_map_batch", ACC_ERROR_SHAPE, "its function gives an array of rank 0, which has no elements");

  result->array = g_object_ref (state);
  result->type = batch->type;
  result->rank = batch->rank - 1;

  return g_steal_pointer (&result);
}

/**
 * acc_sequence_fold_batch:
 * @self: a sequence of elements that have the same extents
 * @state: the state before the first element, an array
 * @function: (scope call) (closure user_data): takes a state, and some consecutive elements as an array with one more outermost dimension,
 *   and gives the next state
 * @user_data: data for @function
 *
 * Folds as many elements as are computed together into a state: a histogram of all, a table of sums by key. How many elements come together
 * is not told, and may differ from run to run: a function for which that shows in the result is a mistake.
 *
 * Takes as long as @function does. A run fails with %ACC_ERROR_SHAPE, as a walk over [method@Sequence.map_batch] does, where extents
 * differ: [method@Sequence.fold_batch_nested] is for such elements. The result carries the error of what @function returns,
 * %ACC_ERROR_CALLBACK where that is %NULL, and %ACC_ERROR_TYPE or
 * %ACC_ERROR_SHAPE where it is not of the type and rank of @state.
 *
 * Returns: (transfer full): the last state
 */
AccArray *
acc_sequence_fold_batch (AccSequence *self,
                         AccArray    *state,
                         AccArrayFunc function,
                         gpointer     user_data)
{
  g_autoptr(AccSequence) states = NULL, refused = NULL;
  AccArray *mistake = NULL;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (state), NULL);

  if (self->mistake != NULL || state->error != NULL)
    return g_object_ref (self->mistake != NULL ? self->mistake : state);
  refused = acc_sequence_refuse_nested ("sequence_fold_batch", self, "fold_batch_nested is for these");
  if (refused != NULL)
    return g_object_ref (refused->mistake);

  states = acc_sequence_alloc (ACC_SEQUENCE_KIND_FOLD_BATCH, &self, 1);
  states->function = acc_sequence_function_trace ("sequence_fold_batch", (AccElementType *[]) { state->type, self->type },
                                                  (guint[]) { state->rank, self->rank + 1 }, (AccShape *[]) { NULL, NULL }, 2, function,
                                                  user_data, FALSE, &mistake);
  if (states->function == NULL)
    return mistake;
  mistake = acc_sequence_check_state ("sequence_fold_batch", state, states->function->result);
  if (mistake != NULL)
    return mistake;

  states->array = g_object_ref (state);
  states->type = state->type;
  states->rank = state->rank;

  return acc_sequence_last (states, state);
}
