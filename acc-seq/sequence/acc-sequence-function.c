/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-private.h"
#include "acc-walk-part-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-core/expr/acc-numbering-private.h"
#include "acc-core/expr/acc-trace-private.h"

/* Functions of elements, traced once. */

AccSequenceFunction *
acc_sequence_function_ref (AccSequenceFunction *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
acc_sequence_function_unref (AccSequenceFunction *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  for (guint i = 0; i < self->n_parameters; i++)
    g_object_unref (self->parameters[i]);
  g_free (self->parameters);
  for (guint i = 0; i < self->n_results; i++)
    g_object_unref (self->results[i]);
  g_free (self->results);
  g_free (self);
}

static AccSequenceFunction *
function_new (guint n_inputs,
              guint n_parameters,
              guint n_results)
{
  AccSequenceFunction *self = g_new0 (AccSequenceFunction, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->n_inputs = n_inputs;
  self->n_parameters = n_parameters;
  self->parameters = g_new0 (AccArray *, n_parameters + 1);
  self->n_results = n_results;
  self->results = g_new0 (AccArray *, n_results + 1);

  return self;
}

/* What the functions of a trace read. */
static GPtrArray *
make_parameters (AccElementType **types,
                 const guint     *ranks,
                 AccShape       **shapes,
                 guint            n)
{
  GPtrArray *parameters = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (parameters, acc_array_new_parameter (types[i], ranks[i],
                                                          shapes[i] != NULL ? acc_shape_get_extents (shapes[i], NULL) : NULL, i));

  return parameters;
}

/* Of @results of @parameters, which stand for @n_inputs elements, and, where it is not NULL, *@number, which it takes where it is needed;
 * NULL with @error. */
static AccSequenceFunction *
function_new_traced (const char *operation,
                     guint       n_inputs,
                     GPtrArray  *parameters,
                     AccArray  **number,
                     GPtrArray  *results,
                     AccArray  **error)
{
  AccSequenceFunction *self;
  gboolean numbered = FALSE;

  if (results == NULL || results->len == 0)
    {
      *error = acc_sequence_new_mistake (operation, ACC_ERROR_CALLBACK, "its function returned nothing");
      return NULL;
    }
  for (guint i = 0; i < results->len; i++)
    {
      AccArray *result = g_ptr_array_index (results, i);

      if (result->error != NULL)
        {
          *error = g_object_ref (result);
          return NULL;
        }
      numbered = numbered || (number != NULL && acc_array_depends_on (result, *number));
    }

  self = function_new (n_inputs + numbered, parameters->len + numbered, results->len);
  for (guint i = 0; i < parameters->len; i++)
    {
      AccArray *parameter = g_object_ref (g_ptr_array_index (parameters, i));

      self->parameters[i] = parameter;
      self->varies |= parameter->rank > 0 && parameter->shape == NULL;
    }
  if (numbered)
    self->parameters[parameters->len] = g_steal_pointer (number);
  for (guint i = 0; i < results->len; i++)
    self->results[i] = g_object_ref (g_ptr_array_index (results, i));
  self->result = self->results[0];
  self->rank = self->result->rank;

  return self;
}

AccSequenceFunction *
acc_sequence_function_trace (const char      *operation,
                             AccElementType **types,
                             const guint     *ranks,
                             AccShape       **shapes,
                             guint            n,
                             AccArrayFunc     function,
                             gpointer         user_data,
                             gboolean         numbered,
                             AccArray       **error)
{
  /* A sequence is no function of the elements around it. */
  G_GNUC_UNUSED g_auto(AccNumbering) none = acc_numbering_begin (NULL);
  g_autoptr(GPtrArray) parameters = make_parameters (types, ranks, shapes, n), results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) number = numbered ? acc_nested_array_new_number (n) : NULL;
  AccArray *result;

  if (function == NULL)
    {
      *error = acc_sequence_new_mistake (operation, ACC_ERROR_CALLBACK, "no function was given");
      return NULL;
    }

  result = acc_call_array_func (function, parameters, numbered ? &number : NULL, user_data);
  if (result != NULL)
    g_ptr_array_add (results, result);

  return function_new_traced (operation, n, parameters, numbered ? &number : NULL, results, error);
}

AccSequenceFunction *
acc_sequence_function_trace_many (const char      *operation,
                                  AccElementType **types,
                                  const guint     *ranks,
                                  AccShape       **shapes,
                                  guint            n,
                                  AccArraysFunc    function,
                                  gpointer         user_data,
                                  AccArray       **error)
{
  G_GNUC_UNUSED g_auto(AccNumbering) none = acc_numbering_begin (NULL);
  g_autoptr(GPtrArray) parameters = make_parameters (types, ranks, shapes, n), results = NULL;
  g_autoptr(AccArray) number = acc_nested_array_new_number (n);

  if (function == NULL)
    {
      *error = acc_sequence_new_mistake (operation, ACC_ERROR_CALLBACK, "no function was given");
      return NULL;
    }
  results = acc_call_arrays_func (function, parameters, &number, user_data);

  return function_new_traced (operation, n, parameters, &number, results, error);
}

/* What @function gives for @elements, or @several, of which one is NULL; owned, of owned objects. NULL: nothing. */
static GPtrArray *
call_elements (AccElementFunc  function,
               AccElementsFunc several,
               GPtrArray      *elements,
               GPtrArray      *parameters,
               AccArray      **number,
               gpointer        user_data)
{
  GCallback callback = function != NULL ? G_CALLBACK (function) : G_CALLBACK (several);
  GPtrArray *results;

  if (acc_trace_asks (callback))
    {
      results = acc_nested_array_ask (callback, user_data, (GObject **) elements->pdata, elements->len, parameters, number);
    }
  else
    {
      G_GNUC_UNUSED g_auto(AccNumbering) numbering = acc_numbering_begin (*number);
      GObject *made = function != NULL ? function ((GObject **) elements->pdata, elements->len, user_data) : NULL;

      results = function != NULL ? g_ptr_array_new () : several ((GObject **) elements->pdata, elements->len, user_data);
      if (made != NULL)
        g_ptr_array_add (results, made);
    }
  if (results != NULL)
    g_ptr_array_set_free_func (results, g_object_unref);

  return results;
}

GObject *
acc_sequence_join_numbers (GObject *made)
{
  AccNestedArray *nested = ACC_IS_NESTED_ARRAY (made) ? ACC_NESTED_ARRAY (made) : NULL;

  if (nested == NULL)
    return g_object_ref (made);
  if (acc_nested_array_get_values (nested)->error != NULL)
    return g_object_ref (G_OBJECT (acc_nested_array_get_values (nested)));
  if (acc_nested_array_get_rank (nested) == 0 && acc_nested_array_get_inner (nested) == NULL)
    return G_OBJECT (acc_nested_array_flatten (nested));

  return G_OBJECT (acc_nested_array_dup_vectors (nested));
}

/* Those of @made, in the form of elements; NULL: @error. */
static GPtrArray *
check_elements (const char *operation,
                GPtrArray  *made,
                AccArray  **error)
{
  g_autoptr(GPtrArray) checked = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; made != NULL && i < made->len; i++)
    {
      GObject *one = g_ptr_array_index (made, i);

      if (!ACC_IS_ARRAY (one) && !ACC_IS_NESTED_ARRAY (one))
        {
          *error = acc_sequence_new_mistake (operation, ACC_ERROR_CALLBACK, "its function gives neither an array nor a nested array");
          return NULL;
        }
      g_ptr_array_add (checked, acc_sequence_join_numbers (one));
    }

  return g_steal_pointer (&checked);
}

AccSequenceFunction *
acc_sequence_function_trace_elements (const char    *operation,
                                      AccSequence  **inputs,
                                      guint          n_inputs,
                                      AccElementFunc function,
                                      gpointer       user_data,
                                      AccArray     **error)
{
  G_GNUC_UNUSED g_auto(AccNumbering) none = acc_numbering_begin (NULL);
  g_autoptr(GPtrArray) parameters = g_ptr_array_new_with_free_func (g_object_unref), elements = NULL, results = NULL, all = NULL,
                       made = NULL;
  g_autoptr(AccArray) number = NULL;
  AccNestedArray *nested;
  AccSequenceFunction *self;

  if (function == NULL)
    {
      *error = acc_sequence_new_mistake (operation, ACC_ERROR_CALLBACK, "no function was given");
      return NULL;
    }

  elements = g_ptr_array_new_with_free_func (g_object_unref);
  results = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_inputs; i++)
    g_ptr_array_add (elements, acc_nested_array_new_element (inputs[i]->type, inputs[i]->rank, inputs[i]->shape, inputs[i]->depth - 1,
                                                             parameters));
  number = acc_nested_array_new_number (parameters->len);
  all = call_elements (function, NULL, elements, parameters, &number, user_data);
  made = check_elements (operation, all, error);
  if (made == NULL)
    return NULL;
  nested = made->len > 0 && ACC_IS_NESTED_ARRAY (g_ptr_array_index (made, 0)) ? g_ptr_array_index (made, 0) : NULL;
  if (nested != NULL)
    acc_nested_array_list_results (nested, results);
  else if (made->len > 0)
    g_ptr_array_add (results, g_object_ref (g_ptr_array_index (made, 0)));

  self = function_new_traced (operation, n_inputs, parameters, &number, results, error);
  if (self == NULL)
    return NULL;
  self->nests = self->n_parameters > self->n_inputs || nested != NULL;
  self->rank = nested != NULL ? acc_nested_array_get_rank (nested) : self->result->rank;
  self->depth = nested != NULL ? acc_nested_array_get_depth (nested) : 0;

  return self;
}

/* Adds what @element consists of to @parts, which owns it: of a nested array what an irregular one does. */
static void
add_parts (GPtrArray *parts,
           GObject   *element)
{
  g_autoptr(AccNestedArray) loose = ACC_IS_NESTED_ARRAY (element) ? acc_walk_dup_loose (ACC_NESTED_ARRAY (element)) : NULL;
  g_autoptr(GPtrArray) arrays = loose != NULL ? acc_walk_part_list_arrays (loose) : NULL;

  if (arrays != NULL)
    g_ptr_array_extend (parts, arrays, (GCopyFunc) (GCallback) g_object_ref, NULL);
  else
    g_ptr_array_add (parts, g_object_ref (element));
}

GPtrArray *
acc_sequence_list_parts (GPtrArray *elements)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < elements->len; i++)
    add_parts (parts, g_ptr_array_index (elements, i));

  return parts;
}

/* What stands for @state, of extents that may change. */
static GObject *
new_state (GObject   *state,
           GPtrArray *parameters)
{
  AccNestedArray *nested = ACC_IS_NESTED_ARRAY (state) ? ACC_NESTED_ARRAY (state) : NULL;

  if (nested == NULL)
    return acc_nested_array_new_element (ACC_ARRAY (state)->type, ACC_ARRAY (state)->rank, NULL, 0, parameters);

  return acc_nested_array_new_element (acc_nested_array_get_element_type (nested), acc_nested_array_get_rank (nested), NULL,
                                       acc_nested_array_get_depth (nested), parameters);
}

AccSequenceFunction *
acc_sequence_function_trace_states (const char     *operation,
                                    GPtrArray      *states,
                                    AccSequence    *input,
                                    AccElementFunc  function,
                                    AccElementsFunc several,
                                    gpointer        user_data,
                                    GPtrArray     **made,
                                    AccArray      **error)
{
  G_GNUC_UNUSED g_auto(AccNumbering) none = acc_numbering_begin (NULL);
  g_autoptr(GPtrArray) parameters = g_ptr_array_new_with_free_func (g_object_unref), elements = NULL, results = NULL, all = NULL;
  g_autoptr(AccArray) number = NULL;
  guint n_parameters;

  *made = NULL;
  if (function == NULL && several == NULL)
    {
      *error = acc_sequence_new_mistake (operation, ACC_ERROR_CALLBACK, "no function was given");
      return NULL;
    }

  elements = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < states->len; i++)
    g_ptr_array_add (elements, new_state (g_ptr_array_index (states, i), parameters));
  g_ptr_array_add (elements, acc_nested_array_new_element (input->type, input->rank, input->shape, input->depth - 1, parameters));
  n_parameters = parameters->len;
  number = acc_nested_array_new_number (n_parameters);
  all = call_elements (function, several, elements, parameters, &number, user_data);
  *made = check_elements (operation, all, error);
  if (*made == NULL)
    return NULL;
  results = acc_sequence_list_parts (*made);

  return function_new_traced (operation, n_parameters, parameters, &number, results, error);
}

AccSequenceFunction *
acc_sequence_function_copy (AccSequenceFunction *self,
                            GHashTable          *replaced)
{
  AccSequenceFunction *copy;
  gboolean changed = FALSE;

  acc_array_replace_all (self->results, self->n_results, replaced);
  for (guint i = 0; i < self->n_results; i++)
    changed = changed || g_hash_table_contains (replaced, self->results[i]);
  if (!changed)
    return acc_sequence_function_ref (self);

  copy = function_new (self->n_inputs, self->n_parameters, self->n_results);
  for (guint i = 0; i < self->n_parameters; i++)
    copy->parameters[i] = g_object_ref (self->parameters[i]);
  for (guint i = 0; i < self->n_results; i++)
    {
      AccArray *result = g_hash_table_lookup (replaced, self->results[i]);

      copy->results[i] = g_object_ref (result != NULL ? result : self->results[i]);
    }
  copy->result = copy->results[0];
  copy->nests = self->nests;
  copy->rank = self->rank;
  copy->depth = self->depth;
  copy->varies = self->varies;

  return copy;
}

AccNestedArray *
acc_sequence_function_apply (AccSequenceFunction *self,
                             AccNestedArray     **inputs,
                             AccApplyFlags        flags)
{
  if (self->varies)
    flags |= ACC_APPLY_VARIES;
  if (self->nests)
    return acc_nested_array_apply_elements (inputs, self->n_inputs, self->parameters, self->results, self->rank, self->depth,
                                            ACC_APPLY_IN_STEPS | flags);

  return acc_nested_array_apply (inputs, self->n_parameters, self->parameters, NULL, self->result, ACC_APPLY_IN_STEPS | flags);
}
