/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-private.h"
#include "acc-walk-part-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-core/expr/acc-numbering-private.h"
#include "acc-core/expr/acc-trace-private.h"

/* Functions of as many elements as a walk has at a time, or of a certain number of them, which come as a nested array: a program of the
 * arrays that it consists of. */

#define MAP_BATCHES "sequence_map_batches"

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

/* Regular where elements are known to be, else irregular. */
static AccNestedArray *
add_elements (AccSequence *self,
              GPtrArray   *parameters)
{
  g_autofree gint64 *declared = g_new (gint64, self->rank + 1);
  AccArray *all;

  if (self->rank > 0 && self->shape == NULL)
    return ACC_NESTED_ARRAY (acc_nested_array_new_element (self->type, self->rank, NULL, self->depth, parameters));

  declared[0] = -1;
  for (guint i = 0; i < self->rank; i++)
    declared[i + 1] = acc_shape_get_extent (self->shape, i);
  all = acc_array_new_parameter (self->type, self->rank + 1, declared, parameters->len);
  g_ptr_array_add (parameters, all);

  return acc_nested_array_new_from_regular (all);
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
  g_autoptr(GObject) before = NULL;
  g_autoptr(AccNestedArray) elements = NULL;

  self->parameters = g_ptr_array_new_with_free_func (g_object_unref);
  before = acc_nested_array_new_element (state->type, state->rank, NULL, 0, self->parameters);
  elements = add_elements (sequence, self->parameters);
  if (!acc_trace_asks (G_CALLBACK (function)))
    {
      self->results = function (ACC_ARRAY (before), elements, user_data);
      if (self->results != NULL)
        g_ptr_array_set_free_func (self->results, g_object_unref);
      return;
    }

  self->results = acc_nested_array_ask (G_CALLBACK (function), user_data, (GObject *[]) { before, G_OBJECT (elements) }, 2,
                                        self->parameters, NULL);
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

  return acc_sequence_check_state (operation, state, g_ptr_array_index (results, 0));
}

/* What @made, which is not taken over, has as elements: numbers of inner levels are vectors. */
static AccNestedArray *
count_made (AccNestedArray *made)
{
  g_autoptr(AccNestedArray) vectors = acc_nested_array_dup_vectors (made);

  return acc_walk_dup_counted (vectors);
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
  g_autoptr(GPtrArray) results = g_ptr_array_new ();
  AccArray *mistake = NULL;
  g_auto(Traced) traced = { NULL };
  g_autoptr(GError) error = NULL;

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

  g_ptr_array_add (results, g_ptr_array_index (traced.results, 0));
  if (maps)
    {
      result->made = count_made (g_ptr_array_index (traced.results, 1));
      g_ptr_array_extend_and_steal (results, acc_walk_part_list_arrays (result->made));
    }
  result->program = acc_program_new_for_nodes ((AccArray **) traced.parameters->pdata, traced.parameters->len, (AccArray **) results->pdata,
                                               results->len);
  if (!acc_program_check (result->program, &error))
    return acc_sequence_refuse (operation, (AccError) error->code, "%s", error->message);

  result->nests = TRUE;
  result->array = g_object_ref (state);
  result->type = maps ? acc_nested_array_get_element_type (result->made) : state->type;
  result->rank = maps ? acc_nested_array_get_rank (result->made) : state->rank;
  result->depth = maps ? acc_nested_array_get_depth (result->made) : 1;

  return g_steal_pointer (&result);
}

/* --- a certain number at a time */

typedef struct {
  gint64             size;
  AccNestedArrayFunc function;
  gpointer           user_data;
} Batches;

/* Whose first element each batch begins with, and behind the last batch all. */
typedef struct {
  gint64   size;
  AccExpr *count;
} Begins;

static AccExpr *
begin_of (AccExpr *k,
          gpointer data)
{
  Begins *self = data;

  return acc_expr_min (acc_expr_mul (k, acc_array_number (self->size)), self->count);
}

AccNestedArray *
acc_sequence_group_elements (AccNestedArray *elements,
                             gint64          size)
{
  g_autoptr(AccExpr) count = acc_expr_ref_sink (acc_nested_array_count_elements (elements));
  Begins of = { size, count };
  AccExpr *whole = acc_expr_quot (count, acc_array_number (size)), *rest = acc_expr_rem (count, acc_array_number (size));
  AccExpr *n = acc_expr_add (whole, acc_expr_cond (acc_expr_gt (rest, acc_array_number (0)), acc_array_number (2), acc_array_number (1)));

  return acc_nested_array_new_for_groups (g_object_ref (elements), acc_array_generate_expr (n, begin_of, &of));
}

static AccExpr *
add_batches (AccExpr *before,
             gpointer begins)
{
  return acc_expr_add (before, acc_expr_sub (acc_expr_extent (begins, 0), acc_array_number (1)));
}

/* What the function makes of each batch, one after the other. @state: how many batches came before, which random arrays follow from. */
static GPtrArray *
map_batches (AccArray       *state,
             AccNestedArray *elements,
             gpointer        data)
{
  Batches *self = data;
  GPtrArray *results = g_ptr_array_new ();
  g_autoptr(AccNestedArray) batches = acc_sequence_group_elements (elements, self->size), made = NULL;

  made = acc_nested_array_apply_nested (MAP_BATCHES, batches, state, self->function, self->user_data);
  g_ptr_array_add (results, acc_array_map (state, add_batches, acc_nested_array_get_groups (batches)));
  if (acc_nested_array_get_inner (made) != NULL)
    {
      g_ptr_array_add (results, acc_nested_array_flatten_level (made, 0));
    }
  else
    {
      g_autoptr(AccArray) flat = acc_nested_array_flatten (made);

      g_ptr_array_add (results, acc_nested_array_new_from_regular (flat));
    }

  return results;
}

/**
 * acc_sequence_map_batches:
 * @self: a sequence, whose elements may have different extents
 * @count: how many elements come together, at least 1
 * @function: (scope call) (closure user_data): takes that many consecutive elements, the last ones perhaps fewer, as a nested array; gives
 *   a nested array of as many elements as it likes, which take their place
 * @user_data: data for @function
 *
 * Applies a function of nested arrays to every @count consecutive elements: each is normalised by those beside it, the best of a
 * group stay, neighbours are joined. @function is called once, with a nested array that stands for the elements, as that of
 * [method@NestedArray.map_nested] is, and many batches are computed together. Elements of different extents need not be padded.
 * [method@Sequence.batch] makes arrays of elements that have the same.
 *
 * Random arrays that @function makes are each batch's own, by its number.
 *
 * Takes as long as the operations do on all elements. The result carries the error of what @function returns, %ACC_ERROR_CALLBACK where
 * that is %NULL, and %ACC_ERROR_SHAPE where @count is less than 1. Walks fail with what @function fails with, and
 * name the elements.
 *
 * Returns: (transfer full): the new elements
 */
AccSequence *
acc_sequence_map_batches (AccSequence       *self,
                          gint64             count,
                          AccNestedArrayFunc function,
                          gpointer           user_data)
{
  Batches batches = { count, function, user_data };
  g_autoptr(AccArray) none = acc_array_unit (acc_array_number (0));
  AccSequence *result;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  if (self->mistake == NULL && count < 1)
    return acc_sequence_refuse (MAP_BATCHES, ACC_ERROR_SHAPE, "%" G_GINT64_FORMAT " elements are no batch", count);

  result = new_batches (MAP_BATCHES, ACC_SEQUENCE_KIND_MAP_BATCH, self, none, map_batches, &batches);
  result->number = count;

  return result;
}

/* --- as many as come together */

/**
 * acc_sequence_map_batch_nested:
 * @self: a sequence, whose elements may have different extents
 * @state: the state before the first element, an array
 * @function: (scope call) (closure user_data): takes a state, and some consecutive elements as a nested array; gives the next state, an
 *   array, and behind it what becomes of these elements, a nested array of as many elements as it likes
 * @user_data: data for @function
 *
 * Maps as many elements as are computed together, as [method@Sequence.map_batch] does, where elements have different extents: texts whose
 * places in the whole are wanted, rows of a table by their keys. How many elements come together is not told, and may differ from run to
 * run: a function for which that shows in the result is a mistake.
 *
 * Takes as long as @function does. The result carries %ACC_ERROR_CALLBACK where @function does not give an array and a nested array, and
 * %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where the array is not of the type and rank of @state. Walks
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
