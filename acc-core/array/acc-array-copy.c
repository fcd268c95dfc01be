/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-foreign-known-private.h"

AccArray *
acc_array_copy_with_inputs (AccArray *self, AccArray **inputs)
{
  const AccPayloadClass *payload = acc_operation_get_class (self->op)->payload;
  AccArray *copy = g_object_new (ACC_TYPE_ARRAY, NULL);

  g_return_val_if_fail (self->error == NULL && self->op != ACC_OP_USE, copy);

  acc_array_work_out (self);
  copy->op = self->op;
  copy->made_by = self->made_by != NULL ? g_ref_string_acquire (self->made_by) : NULL;
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
    copy->functions[i] = self->functions[i] != NULL ? acc_function_ref (self->functions[i]) : NULL;

  copy->extents = self->extents != NULL ? acc_function_ref (self->extents) : NULL;
  g_clear_pointer (&copy->references, g_ptr_array_unref);
  copy->references = g_ptr_array_ref (self->references);
  if (payload != NULL)
    copy->payload = g_memdup2 (self->payload, payload->size);
  if (payload != NULL && payload->copy != NULL)
    payload->copy (copy, self);

  return copy;
}

static gboolean
refers (AccArray   *self,
        GHashTable *replaced)
{
  for (guint i = 0; i < self->references->len; i++)
    if (g_hash_table_contains (replaced, g_ptr_array_index (self->references, i)))
      return TRUE;

  return FALSE;
}

static void
replace_function (AccFunction **function,
                  GHashTable   *replaced,
                  GHashTable   *copies)
{
  AccFunction *before = *function;

  if (before == NULL)
    return;
  *function = acc_function_copy_replaced (before, replaced, copies);
  acc_function_unref (before);
}

static void
replace_references (AccArray   *self,
                    GHashTable *replaced)
{
  const AccPayloadClass *payload = acc_operation_get_class (self->op)->payload;
  g_autoptr(GHashTable) copies = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) acc_expr_unref);

  replace_function (&self->extents, replaced, copies);
  for (guint i = 0; i < 2; i++)
    replace_function (&self->functions[i], replaced, copies);
  if (payload != NULL && payload->replace != NULL)
    payload->replace (self, replaced, copies);

  g_clear_pointer (&self->references, g_ptr_array_unref);
  self->references = g_ptr_array_new_with_free_func (g_object_unref);
  acc_array_collect_references (self);
}

AccArray *
acc_array_copy_replaced (AccArray   *self,
                         GHashTable *replaced)
{
  g_autofree AccArray **inputs = NULL;
  gboolean reads, changed;
  AccArray *copy;

  acc_array_work_out (self);
  inputs = g_new (AccArray *, self->n_inputs + 1);
  changed = reads = refers (self, replaced);
  for (guint i = 0; i < self->n_inputs; i++)
    {
      AccArray *other = g_hash_table_lookup (replaced, self->inputs[i]);

      inputs[i] = other != NULL ? other : self->inputs[i];
      changed |= other != NULL;
    }
  if (!changed)
    return NULL;

  copy = acc_array_copy_with_inputs (self, inputs);
  if (reads)
    replace_references (copy, replaced);

  return copy;
}

static AccArray *
look_up (GHashTable *replaced,
         AccArray   *node)
{
  AccArray *other = g_hash_table_lookup (replaced, node);

  return other != NULL ? other : node;
}

/* Nodes that only these are computed from are copied now. */
static void
replace_alternatives (AccArray   *copy,
                      AccArray   *self,
                      GHashTable *replaced)
{
  AccOffer *offer = self->offer;

  if (offer != NULL)
    {
      g_autofree AccArray **inputs = g_new (AccArray *, offer->n_inputs + 1);

      acc_array_replace_all (offer->inputs, offer->n_inputs, replaced);
      for (guint i = 0; i < offer->n_inputs; i++)
        inputs[i] = look_up (replaced, offer->inputs[i]);
      acc_array_offer (copy, offer->name, inputs, offer->n_inputs);
    }
  if (self->direct != NULL)
    {
      acc_array_replace_all (&self->direct, 1, replaced);
      copy->direct = g_object_ref (look_up (replaced, self->direct));
    }
}

static void
keep_alternatives (AccArray   *copy,
                   AccArray   *self,
                   GHashTable *replaced)
{
  replace_alternatives (copy, self, replaced);
  if (self->op == ACC_OP_PERMUTE)
    acc_array_get_permute (copy)->fills = acc_array_get_permute (self)->fills;
}

static gboolean
are_replaced (AccArray   **arrays,
              guint        n_arrays,
              GHashTable  *replaced)
{
  for (guint i = 0; i < n_arrays; i++)
    if (g_hash_table_contains (replaced, arrays[i]))
      return TRUE;

  return FALSE;
}

/* What only they read may be replaced. */
static gboolean
has_other_alternatives (AccArray   *self,
                        GHashTable *replaced)
{
  return (self->direct != NULL && are_replaced (self->direct->inputs, self->direct->n_inputs, replaced))
         || (self->offer != NULL && are_replaced (self->offer->inputs, self->offer->n_inputs, replaced));
}

AccArray *
acc_array_copy_same (AccArray   *self,
                     GHashTable *replaced)
{
  AccArray *copy = acc_array_copy_replaced (self, replaced);

  if (copy == NULL && self->error == NULL && self->op != ACC_OP_USE && has_other_alternatives (self, replaced))
    copy = acc_array_copy_with_inputs (self, self->inputs);
  if (copy != NULL)
    keep_alternatives (copy, self, replaced);

  return copy;
}

/* NULL: it is worked out. */
static AccArray *
copy_offer (AccArray   *self,
            GHashTable *replaced)
{
  g_autofree AccArray **inputs = g_new (AccArray *, self->offer->n_inputs + 1);

  for (guint i = 0; i < self->offer->n_inputs; i++)
    inputs[i] = look_up (replaced, self->offer->inputs[i]);

  return acc_array_copy_offer (self, inputs);
}

AccArray *
acc_array_copy_anew (AccArray   *self,
                     GHashTable *replaced,
                     GHashTable *exprs)
{
  g_autofree AccArray **inputs = NULL;
  AccArray *copy = self->offer != NULL ? copy_offer (self, replaced) : NULL;

  if (copy != NULL)
    return copy;

  inputs = g_new (AccArray *, self->n_inputs + 1);
  for (guint i = 0; i < self->n_inputs; i++)
    inputs[i] = look_up (replaced, self->inputs[i]);
  copy = acc_array_copy_with_inputs (self, inputs);
  if (exprs != NULL)
    {
      acc_function_unref (copy->functions[0]);
      copy->functions[0] = acc_function_copy_exchanged (self->functions[0], exprs);
    }
  replace_references (copy, replaced);
  keep_alternatives (copy, self, replaced);

  return copy;
}

void
acc_array_replace_all (AccArray  **roots,
                       guint       n_roots,
                       GHashTable *replaced)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (roots, n_roots);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);
      AccArray *other = g_hash_table_contains (replaced, node) ? NULL : acc_array_copy_replaced (node, replaced);

      if (other != NULL)
        g_hash_table_insert (replaced, node, other);
    }
}
