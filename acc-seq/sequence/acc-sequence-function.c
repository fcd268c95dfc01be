/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-core/expr/acc-numbering-private.h"

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
  g_clear_object (&self->result);
  g_free (self);
}

static AccSequenceFunction *
function_new (guint n_parameters)
{
  AccSequenceFunction *self = g_new0 (AccSequenceFunction, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->n_parameters = n_parameters;
  self->parameters = g_new0 (AccArray *, n_parameters + 1);

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
  g_autoptr(GPtrArray) parameters = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) number = numbered ? acc_nested_array_new_number (n) : NULL;
  AccSequenceFunction *self;

  if (function == NULL)
    {
      *error = acc_sequence_new_mistake (operation, ACC_ERROR_CALLBACK, "no function was given");
      return NULL;
    }

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (parameters, acc_array_new_parameter (types[i], ranks[i],
                                                          shapes[i] != NULL ? acc_shape_get_extents (shapes[i], NULL) : NULL, i));

  self = function_new (n + 1);
  self->result = acc_call_array_func (function, parameters, numbered ? &number : NULL, user_data);
  self->n_parameters = n;
  for (guint i = 0; i < n; i++)
    {
      self->parameters[i] = g_object_ref (g_ptr_array_index (parameters, i));
      self->varies |= ranks[i] > 0 && shapes[i] == NULL;
    }
  if (numbered && self->result != NULL && self->result->error == NULL && acc_array_depends_on (self->result, number))
    self->parameters[self->n_parameters++] = g_steal_pointer (&number);
  if (self->result == NULL)
    *error = acc_sequence_new_mistake (operation, ACC_ERROR_CALLBACK, "its function returned nothing");
  else if (self->result->error != NULL)
    *error = g_object_ref (self->result);
  else
    return self;

  acc_sequence_function_unref (self);

  return NULL;
}

AccSequenceFunction *
acc_sequence_function_copy (AccSequenceFunction *self,
                            GHashTable          *replaced)
{
  AccSequenceFunction *copy;
  AccArray *result;

  acc_array_replace_all (&self->result, 1, replaced);
  result = g_hash_table_lookup (replaced, self->result);
  if (result == NULL)
    return acc_sequence_function_ref (self);

  copy = function_new (self->n_parameters);
  for (guint i = 0; i < self->n_parameters; i++)
    copy->parameters[i] = g_object_ref (self->parameters[i]);
  copy->result = g_object_ref (result);
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

  return acc_nested_array_apply (inputs, self->n_parameters, self->parameters, NULL, self->result, ACC_APPLY_IN_STEPS | flags);
}
