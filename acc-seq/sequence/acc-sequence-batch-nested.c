/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-private.h"
#include "acc-walk-part-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-core/expr/acc-numbering-private.h"
#include "acc-core/expr/acc-trace-private.h"

/* Functions of as many elements as a walk has at a time, which come as a nested array: a program of the arrays that it consists of. */

/* What a function gave: an array, and perhaps a nested one. */
typedef struct {
  GPtrArray *parameters; /* owned: the state, and what @elements consists of */
  GPtrArray *results;    /* owned; NULL: none */
} Traced;

static void
traced_clear (Traced *self)
{
  g_clear_pointer (&self->parameters, g_ptr_array_unref);
  g_clear_pointer (&self->results, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Traced, traced_clear)

static AccArray *
add_parameter (GPtrArray      *parameters,
               AccElementType *type,
               guint           rank,
               const gint64   *declared)
{
  AccArray *parameter = acc_array_new_parameter (type, rank, declared, parameters->len);

  g_ptr_array_add (parameters, parameter);

  return g_object_ref (parameter);
}

/* Regular where elements are known to be, else irregular. */
static AccNestedArray *
add_elements (AccSequence *self,
              GPtrArray   *parameters)
{
  g_autofree gint64 *declared = g_new (gint64, self->rank + 1);
  AccArray *values, *offsets, *extents;
  AccNesting *nesting;

  if (self->rank == 0 || self->shape != NULL)
    {
      g_autoptr(AccArray) all = NULL;

      declared[0] = -1;
      for (guint i = 0; i < self->rank; i++)
        declared[i + 1] = acc_shape_get_extent (self->shape, i);
      all = add_parameter (parameters, self->type, self->rank + 1, declared);

      return acc_nested_array_new_from_regular (all);
    }

  values = add_parameter (parameters, self->type, 1, NULL);
  offsets = add_parameter (parameters, acc_element_type_new (ACC_KIND_I64), 1, NULL);
  extents = self->rank > 1 ? add_parameter (parameters, acc_index_type (self->rank), 1, NULL) : NULL;
  nesting = acc_nesting_new (self->rank, offsets, extents);

  return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, values), acc_nesting_dup_lengths (nesting));
}

/* What @function gives; where this thread traces, it is asked for, with the state, the elements, and what these consist of. */
static void
trace (Traced            *self,
       AccSequence       *sequence,
       AccArray          *state,
       AccNestedBatchFunc function,
       gpointer           user_data)
{
  G_GNUC_UNUSED g_auto(AccNumbering) none = acc_numbering_begin (NULL);
  g_autoptr(AccArray) before = NULL;
  g_autoptr(AccNestedArray) elements = NULL;
  g_autoptr(GPtrArray) asked = NULL;

  self->parameters = g_ptr_array_new_with_free_func (g_object_unref);
  before = add_parameter (self->parameters, state->type, state->rank, NULL);
  elements = add_elements (sequence, self->parameters);
  if (!acc_trace_asks (G_CALLBACK (function)))
    {
      self->results = function (before, elements, user_data);
      if (self->results != NULL)
        g_ptr_array_set_free_func (self->results, g_object_unref);
      return;
    }

  asked = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (asked, g_object_ref (before));
  g_ptr_array_add (asked, g_object_ref (elements));
  for (guint i = 1; i < self->parameters->len; i++)
    g_ptr_array_add (asked, g_object_ref (g_ptr_array_index (self->parameters, i)));
  self->results = acc_trace_ask_arrays (G_CALLBACK (function), user_data, asked, NULL);
  if (self->results == NULL)
    return;

  g_ptr_array_set_free_func (self->results, g_object_unref);
  g_ptr_array_remove_index (asked, 1);
  g_ptr_array_unref (self->parameters);
  self->parameters = g_steal_pointer (&asked);
}

/* NULL, or an owned array with the mistake. */
static AccArray *
check_results (const char *operation,
               Traced     *traced,
               AccArray   *state,
               guint       n)
{
  GPtrArray *results = traced->results;
  AccNestedArray *made = n > 1 && results != NULL && results->len > 1 ? g_ptr_array_index (results, 1) : NULL;
  AccArray *values;

  if (results == NULL || results->len != n || !ACC_IS_ARRAY (g_ptr_array_index (results, 0)))
    return acc_sequence_new_mistake (operation, ACC_ERROR_CALLBACK, "its function returned %s in place of a state%s",
                                     results == NULL || results->len == 0 ? "nothing" : "something else",
                                     n > 1 ? " and a nested array" : "");
  if (n == 1)
    return acc_sequence_check_state (operation, state, g_ptr_array_index (results, 0));
  if (!ACC_IS_NESTED_ARRAY (made))
    return acc_sequence_new_mistake (operation, ACC_ERROR_CALLBACK, "its function gives no nested array behind the state");

  values = acc_nested_array_get_values (made);
  if (values->error != NULL)
    return g_object_ref (values);
  if (acc_nested_array_get_inner (made) != NULL)
    return acc_sequence_new_mistake (operation, ACC_ERROR_SHAPE,
                                     "its function gives a nested array of %u levels, and elements of sequences are arrays",
                                     acc_nested_array_get_depth (made));

  return acc_sequence_check_state (operation, state, g_ptr_array_index (results, 0));
}

/* A sequence whose program gives the next state and what @made consists of. */
static AccSequence *
new_batches (const char        *operation,
             AccSequenceKind    kind,
             AccSequence       *self,
             AccArray          *state,
             AccNestedBatchFunc function,
             gpointer           user_data)
{
  g_autoptr(AccSequence) result = acc_sequence_alloc (kind, &self, 1);
  gboolean maps = kind == ACC_SEQUENCE_KIND_MAP_BATCH;
  AccArray *mistake = NULL, *results[4];
  g_auto(Traced) traced = { NULL };
  g_autoptr(GError) error = NULL;
  guint n = 1;

  if (result->mistake != NULL)
    return g_steal_pointer (&result);
  if (state->error != NULL)
    return acc_sequence_new_error (g_object_ref (state));
  if (function == NULL)
    return acc_sequence_refuse (operation, ACC_ERROR_CALLBACK, "no function was given");

  trace (&traced, self, state, function, user_data);
  mistake = check_results (operation, &traced, state, maps ? 2 : 1);
  if (mistake != NULL)
    return acc_sequence_new_error (mistake);

  results[0] = g_ptr_array_index (traced.results, 0);
  if (maps)
    {
      result->made = acc_walk_dup_counted (g_ptr_array_index (traced.results, 1));
      n += acc_lifted_list_arrays (acc_nested_array_get_lifted (result->made), results + 1);
    }
  result->program = acc_program_new_for_nodes ((AccArray **) traced.parameters->pdata, traced.parameters->len, results, n);
  if (!acc_program_check (result->program, &error))
    return acc_sequence_refuse (operation, (AccError) error->code, "%s", error->message);

  result->nests = TRUE;
  result->array = g_object_ref (state);
  result->type = maps ? acc_nested_array_get_element_type (result->made) : state->type;
  result->rank = maps ? acc_nested_array_get_rank (result->made) : state->rank;

  return g_steal_pointer (&result);
}

/**
 * acc_sequence_map_batch_nested:
 * @self: a sequence, whose elements may have different extents
 * @state: the state before the first element, an array
 * @function: (scope call) (closure user_data): takes a state, and some consecutive elements as a nested array; gives the next state, an
 *   array, and behind it what becomes of these elements, a nested array of one level, of as many elements as it likes
 * @user_data: data for @function
 *
 * Maps as many elements as are computed together, as [method@Sequence.map_batch] does, where elements have different extents: texts whose
 * places in the whole are wanted, rows of a table by their keys. How many elements come together is not told, and may differ from run to
 * run: a function for which that shows in the result is a mistake.
 *
 * Takes as long as @function does. The result carries %ACC_ERROR_CALLBACK where @function does not give an array and a nested array, and
 * %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where the array is not of the type and rank of @state, or the nested array has several levels. Walks
 * fail with what @function fails with, and name the elements.
 *
 * Returns: (transfer full): the new elements
 */
AccSequence *
acc_sequence_map_batch_nested (AccSequence       *self,
                               AccArray          *state,
                               AccNestedBatchFunc function,
                               gpointer           user_data)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (state), NULL);

  return new_batches ("sequence_map_batch_nested", ACC_SEQUENCE_KIND_MAP_BATCH, self, state, function, user_data);
}

/**
 * acc_sequence_fold_batch_nested:
 * @self: a sequence, whose elements may have different extents
 * @state: the state before the first element, an array
 * @function: (scope call) (closure user_data): takes a state, and some consecutive elements as a nested array, and gives the next state
 *   alone
 * @user_data: data for @function
 *
 * Folds as many elements as are computed together into a state, as [method@Sequence.fold_batch] does, where elements have different
 * extents: a histogram of all values, a table of the longest. How many elements come together is not told, and may differ from run to run:
 * a function for which that shows in the result is a mistake.
 *
 * Takes as long as @function does. The result carries %ACC_ERROR_CALLBACK where @function does not give one array, and %ACC_ERROR_TYPE or
 * %ACC_ERROR_SHAPE where it is not of the type and rank of @state. Runs fail with what @function fails with, and name the elements.
 *
 * Returns: (transfer full): the last state
 */
AccArray *
acc_sequence_fold_batch_nested (AccSequence       *self,
                                AccArray          *state,
                                AccNestedBatchFunc function,
                                gpointer           user_data)
{
  g_autoptr(AccSequence) states = NULL;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (state), NULL);

  states = new_batches ("sequence_fold_batch_nested", ACC_SEQUENCE_KIND_FOLD_BATCH, self, state, function, user_data);

  return states->mistake != NULL ? g_object_ref (states->mistake) : acc_sequence_last (states, state);
}
