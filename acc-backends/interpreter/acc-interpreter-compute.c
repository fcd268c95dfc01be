/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-graph-private.h"

#include "acc-core/backend/acc-foreign-private.h"

#include "acc-error.h"

/* Elements of a node whose inputs are computed. */

static void
set_value (InterpState *state,
           InterpValue *value)
{
  g_clear_pointer (&state->value, interp_value_unref);
  state->value = interp_value_ref (value);
  if (state->extents == NULL)
    state->extents = g_memdup2 (value->extents, MAX (value->rank, 1) * sizeof (gint64));
}

static gboolean
same_extents (const InterpValue *a,
              const InterpValue *b)
{
  for (guint i = 0; i < a->rank; i++)
    if (a->extents[i] != b->extents[i])
      return FALSE;
  return TRUE;
}

/* What needs no memory of its own. */
static gboolean
try_share (InterpGraph *self,
           InterpState *state,
           InterpValue *value)
{
  AccArray *node = state->node;
  guint buffer = 0;

  if (node->op == ACC_OP_RESHAPE || node->op == ACC_OP_COMPUTE)
    {
      interp_value_share (value, 0, interp_graph_get_state (self, node->inputs[0])->value, 0, value->n_buffers);
      return TRUE;
    }
  if (node->op == ACC_OP_UNZIP)
    {
      interp_value_share (value, 0, interp_graph_get_state (self, node->inputs[0])->value,
                          acc_element_type_get_first_buffer (node->inputs[0]->type, acc_array_get_item (node)), value->n_buffers);
      return TRUE;
    }
  if (node->op == ACC_OP_ZIP)
    {
      for (guint i = 0; i < node->n_inputs; i++)
        if (!same_extents (value, interp_graph_get_state (self, node->inputs[i])->value))
          return FALSE;
      for (guint i = 0; i < node->n_inputs; i++)
        {
          InterpValue *source = interp_graph_get_state (self, node->inputs[i])->value;

          interp_value_share (value, buffer, source, 0, source->n_buffers);
          buffer += source->n_buffers;
        }
      return TRUE;
    }
  return FALSE;
}

static gboolean
compute_step (InterpGraph *self,
              InterpState *state,
              GError     **error)
{
  AccArray *node = state->node;
  InterpResolver resolver = interp_graph_get_resolver (self);
  g_autoptr(InterpValue) value = interp_value_new (node->type, node->rank, state->extents);
  g_autoptr(InterpStep) step = NULL;
  g_autofree InterpValue **inputs = NULL;
  g_autofree char *what = NULL;

  if (try_share (self, state, value))
    {
      set_value (state, value);
      return TRUE;
    }

  what = acc_array_describe (node);
  if (!interp_value_allocate (value, self->context->backend, what, error))
    return FALSE;

  inputs = g_new0 (InterpValue *, MAX (node->n_inputs, 1));
  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = interp_graph_get_state (self, node->inputs[i])->value;
  step = interp_step_new (self->context, node, node->op, value, inputs, node->n_inputs, &resolver, error);
  if (step == NULL || !interp_step_run (step, 0, step->n_rows, error))
    return FALSE;
  set_value (state, value);
  return TRUE;
}

/* The results of @program for @arguments, as many as it has parameters. */
static GPtrArray *
run_body (InterpGraph  *self,
          AccProgram   *program,
          GPtrArray    *arguments,
          GError      **error)
{
  g_autoptr(InterpGraph) body = interp_graph_new (self->context, self);
  g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_value_unref);
  GPtrArray *captures = acc_program_get_captures (program);
  AccArray **parameters, **results;
  guint n;

  for (guint i = 0; i < captures->len; i++)
    interp_graph_bind (body, g_ptr_array_index (captures, i), NULL);
  parameters = acc_program_get_parameter_nodes (program, &n);
  for (guint i = 0; i < n; i++)
    interp_graph_bind (body, parameters[i], g_ptr_array_index (arguments, i));
  results = acc_program_get_result_nodes (program, &n);
  interp_graph_prepare (body, results, n);
  for (guint i = 0; i < n; i++)
    {
      InterpValue *value = interp_graph_demand (body, results[i], error);

      if (value == NULL)
        return NULL;
      g_ptr_array_add (values, interp_value_ref (value));
    }
  return g_steal_pointer (&values);
}

/* The first state of the loop, which the graph holds no longer than that of any other iteration. */
static GPtrArray *
take_initial (InterpGraph *self,
              InterpState *state)
{
  GPtrArray *values = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_value_unref);
  AccArray *node = state->node;

  for (guint i = 0; i < node->n_inputs; i++)
    g_ptr_array_add (values, interp_value_ref (interp_graph_get_state (self, node->inputs[i])->value));
  for (guint i = 0; i < node->n_inputs && self->counting; i++)
    {
      state->given_back = i + 1;
      interp_graph_release (self, interp_graph_get_state (self, node->inputs[i]));
    }
  return values;
}

static gboolean
compute_while (InterpGraph *self,
               InterpState *state,
               GError     **error)
{
  AccArray *node = state->node;
  g_autoptr(GPtrArray) values = take_initial (self, state);

  while (TRUE)
    {
      g_autoptr(GPtrArray) answer = NULL;
      GPtrArray *next;
      InterpValue *condition;
      AccScalar again;

      if (g_cancellable_set_error_if_cancelled (self->context->cancellable, error))
        return FALSE;
      answer = run_body (self, acc_array_get_programs (node)[0], values, error);
      if (answer == NULL)
        return FALSE;
      condition = g_ptr_array_index (answer, 0);
      interp_value_load (condition, 0, 0, &again);
      if (!again.u)
        break;
      next = run_body (self, acc_array_get_programs (node)[1], values, error);
      if (next == NULL)
        return FALSE;
      g_ptr_array_unref (values);
      values = next;
    }
  set_value (state, g_ptr_array_index (values, 0));
  if (node->n_inputs > 1)
    {
      g_clear_pointer (&state->results, g_ptr_array_unref);
      state->results = g_steal_pointer (&values);
    }
  return TRUE;
}

/* What the backend has in place of the fallback. */
static InterpValue *
call_foreign (InterpGraph  *self,
              AccForeign   *foreign,
              AccArray     *node,
              GPtrArray    *values,
              GError      **error)
{
  g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) result = NULL;

  for (guint i = 0; i < values->len; i++)
    g_ptr_array_add (inputs, interp_value_to_array (g_ptr_array_index (values, i)));
  result = acc_foreign_call (foreign, node, (AccArray **) inputs->pdata, self->context->cancellable, error);
  return result != NULL ? interp_value_new_manifest (result, error) : NULL;
}

static gboolean
compute_foreign (InterpGraph *self,
                 InterpState *state,
                 GError     **error)
{
  AccArray *node = state->node;
  g_autoptr(AccForeign) foreign = acc_foreign_find (self->context->backend, node);
  g_autoptr(GPtrArray) values = g_ptr_array_new ();
  g_autoptr(GPtrArray) results = NULL;
  g_autoptr(InterpValue) value = NULL;
  g_autofree const gint64 **extents = g_new0 (const gint64 *, node->n_inputs + 1);

  extents[node->n_inputs] = node->shape != NULL ? acc_shape_get_extents (node->shape, NULL) : NULL;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      InterpValue *input = interp_graph_get_state (self, node->inputs[i])->value;

      extents[i] = input->extents;
      if (!acc_foreign_check (node, i, input->extents, error))
        return FALSE;
      g_ptr_array_add (values, input);
    }
  if (foreign != NULL && !acc_foreign_is_launch (foreign) && acc_foreign_fits (foreign, node, extents))
    value = call_foreign (self, foreign, node, values, error);
  else if ((results = run_body (self, acc_array_get_programs (node)[0], values, error)) != NULL)
    value = interp_value_ref (g_ptr_array_index (results, 0));
  if (value == NULL)
    return FALSE;
  set_value (state, value);
  return TRUE;
}

static gboolean
fail (AccArray    *node,
      const char  *reason,
      GError     **error)
{
  g_autofree char *where = acc_array_describe (node);

  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: %s", where, reason);
  return FALSE;
}

gboolean
interp_graph_compute (InterpGraph *self,
                      InterpState *state,
                      GError     **error)
{
  AccArray *node = state->node;

  if (state->external && self->parent != NULL)
    {
      InterpValue *value = interp_graph_demand (self->parent, node, error);

      if (value == NULL)
        return FALSE;
      set_value (state, value);
      return TRUE;
    }

  if (node->op == ACC_OP_USE)
    {
      g_autoptr(InterpValue) value = interp_value_new_manifest (node, error);

      if (value == NULL)
        return FALSE;
      set_value (state, value);
      return TRUE;
    }
  if (node->op == ACC_OP_SOURCE)
    return fail (node, "a source can be read by rows only, not by a run on whole arrays", error);
  if (node->op == ACC_OP_PARAMETER)
    return fail (node, "no value is given for this parameter", error);
  if (node->op == ACC_OP_WHILE_LOOP)
    return compute_while (self, state, error);
  if (node->op == ACC_OP_FOREIGN)
    return compute_foreign (self, state, error);
  if (acc_operation_get_family (node->op) != ACC_FAMILY_FLOW)
    return compute_step (self, state, error);

  if (node->op == ACC_OP_COND)
    set_value (state, interp_graph_get_state (self, state->taken)->value);
  else
    set_value (state, g_ptr_array_index (interp_graph_get_state (self, node->inputs[0])->results, acc_array_get_item (node)));
  return TRUE;
}
