/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-private.h"

AccArray *
acc_array_copy_with_inputs (AccArray *self, AccArray **inputs)
{
  AccArray *copy = g_object_new (ACC_TYPE_ARRAY, NULL);

  g_return_val_if_fail (self->error == NULL && self->buffers == NULL, copy);

  copy->op = self->op;
  copy->type = self->type;
  copy->rank = self->rank;
  copy->shape = self->shape != NULL ? acc_shape_ref (self->shape) : NULL;
  copy->label = g_strdup (self->label);

  copy->n_inputs = self->n_inputs;
  copy->inputs = g_new0 (AccArray *, self->n_inputs + 1);
  for (guint i = 0; i < self->n_inputs; i++)
    copy->inputs[i] = g_object_ref (inputs[i]);

  copy->n_functions = self->n_functions;
  for (guint i = 0; i < 2; i++)
    {
      copy->functions[i] = self->functions[i] != NULL ? acc_function_ref (self->functions[i]) : NULL;
      copy->boundaries[i] = self->boundaries[i] != NULL ? acc_boundary_ref (self->boundaries[i]) : NULL;
      copy->programs[i] = self->programs[i] != NULL ? g_object_ref (self->programs[i]) : NULL;
      copy->sizes[i] = g_memdup2 (self->sizes[i], self->rank * sizeof (gint64));
    }

  copy->extents = self->extents != NULL ? acc_function_ref (self->extents) : NULL;
  g_clear_pointer (&copy->references, g_ptr_array_unref);
  copy->references = g_ptr_array_ref (self->references);
  copy->source = self->source != NULL ? g_object_ref (self->source) : NULL;
  copy->parameter = self->parameter;
  copy->declared = g_memdup2 (self->declared, self->rank * sizeof (gint64));
  copy->item = self->item;
  copy->foreign_name = self->op == ACC_OP_FOREIGN ? g_strdup (self->foreign_name) : NULL;
  copy->specification = g_memdup2 (self->specification, self->n_specification * sizeof (gint64));
  copy->n_specification = self->n_specification;

  return copy;
}
