/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-graph-private.h"

typedef struct {
  InterpState *state;
  gboolean     data;             /* its elements, not only its extents */
} Demand;

/* Gives up its elements. */
static void
forget (InterpState *state)
{
  g_clear_pointer (&state->value, interp_value_unref);
  g_clear_pointer (&state->results, g_ptr_array_unref);
}

static void
free_state (gpointer data)
{
  InterpState *state = data;

  g_free (state->extents);
  forget (state);
  g_free (state);
}

InterpGraph *
interp_graph_new (InterpContext *context,
                  InterpGraph   *parent)
{
  InterpGraph *self = g_new0 (InterpGraph, 1);

  self->context = context;
  self->parent = parent;
  self->states = g_hash_table_new_full (NULL, NULL, NULL, free_state);
  return self;
}

void
interp_graph_free (InterpGraph *self)
{
  g_hash_table_unref (self->states);
  g_free (self);
}

InterpState *
interp_graph_get_state (InterpGraph *self,
                        AccArray    *node)
{
  InterpState *state = g_hash_table_lookup (self->states, node);

  if (state == NULL)
    {
      state = g_new0 (InterpState, 1);
      state->node = node;
      g_hash_table_insert (self->states, node, state);
    }
  return state;
}

void
interp_graph_bind (InterpGraph *self,
                   AccArray    *node,
                   InterpValue *value)
{
  InterpState *state = interp_graph_get_state (self, node);

  state->external = TRUE;
  if (value == NULL)
    return;
  g_clear_pointer (&state->value, interp_value_unref);
  g_free (state->extents);
  state->value = interp_value_ref (value);
  state->extents = g_memdup2 (value->extents, MAX (value->rank, 1) * sizeof (gint64));
}

/* --- counting uses */

void
interp_graph_prepare (InterpGraph  *self,
                      AccArray    **roots,
                      guint         n_roots)
{
  g_autoptr(GPtrArray) pending = g_ptr_array_new ();
  GHashTableIter iter;
  InterpState *known;
  AccArray *edge;

  self->counting = TRUE;
  for (guint i = 0; i < n_roots; i++)
    {
      interp_graph_get_state (self, roots[i])->uses++;
      g_ptr_array_add (pending, interp_graph_get_state (self, roots[i]));
    }
  while (pending->len > 0)
    {
      InterpState *state = g_ptr_array_steal_index_fast (pending, pending->len - 1);

      if (state->counted || state->external)
        continue;
      state->counted = TRUE;
      state->finished = state->value != NULL;
      for (guint i = 0; !state->finished && (edge = acc_array_nth_dependence (state->node, i)) != NULL; i++)
        {
          InterpState *other = interp_graph_get_state (self, edge);

          other->uses++;
          g_ptr_array_add (pending, other);
        }
    }

  g_hash_table_iter_init (&iter, self->states);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &known))
    if (known->uses == 0 && !known->external)
      forget (known);
}

void
interp_graph_release (InterpGraph *self,
                      InterpState *state)
{
  g_autoptr(GPtrArray) pending = NULL;
  AccArray *edge;

  if (!self->counting)
    return;
  pending = g_ptr_array_new ();
  g_ptr_array_add (pending, state);
  while (pending->len > 0)
    {
      InterpState *top = g_ptr_array_steal_index_fast (pending, pending->len - 1);

      g_assert (top->uses > 0);
      if (--top->uses > 0)
        continue;
      forget (top);
      if (top->finished || top->external || !top->counted)
        continue;
      top->finished = TRUE;
      for (guint i = top->given_back; (edge = acc_array_nth_dependence (top->node, i)) != NULL; i++)
        g_ptr_array_add (pending, interp_graph_get_state (self, edge));
    }
}

/* Its value is computed: it needs its inputs no longer. */
static void
finish (InterpGraph *self,
        InterpState *state)
{
  AccArray *edge;

  if (!self->counting || state->finished || state->external)
    return;
  state->finished = TRUE;
  for (guint i = state->given_back; (edge = acc_array_nth_dependence (state->node, i)) != NULL; i++)
    interp_graph_release (self, interp_graph_get_state (self, edge));
}

/* --- what a node needs */

static void
require (InterpGraph *self,
         GArray      *demands,
         AccArray    *node,
         gboolean     data)
{
  Demand demand = { .state = interp_graph_get_state (self, node), .data = data };

  if (demand.state->value == NULL && (data || demand.state->extents == NULL))
    g_array_append_val (demands, demand);
}

static void
require_function (InterpGraph *self,
                  GArray      *demands,
                  AccFunction *function)
{
  InterpTape *tape;

  if (function == NULL)
    return;
  tape = g_hash_table_lookup (self->context->tapes, function);
  for (guint i = 0; i < function->arrays->len; i++)
    require (self, demands, g_ptr_array_index (function->arrays, i), tape->reads_data[i]);
}

static gboolean
decide (InterpGraph *self,
        InterpState *state)
{
  InterpValue *condition = interp_graph_get_state (self, state->node->inputs[0])->value;
  AccScalar value;

  if (state->taken != NULL)
    return TRUE;
  if (condition == NULL)
    return FALSE;
  interp_value_load (condition, 0, 0, &value);
  state->taken = state->node->inputs[value.u ? 1 : 2];
  return TRUE;
}

static void
require_shape (InterpGraph *self,
               GArray      *demands,
               InterpState *state)
{
  AccArray *node = state->node;

  if (node->op == ACC_OP_COND)
    {
      if (decide (self, state))
        require (self, demands, state->taken, FALSE);
      else
        require (self, demands, node->inputs[0], TRUE);
      return;
    }
  if (acc_operation_get_family (node->op) == ACC_FAMILY_FLOW)
    {
      require (self, demands, node, TRUE);
      return;
    }
  for (guint i = 0; i < node->n_inputs; i++)
    require (self, demands, node->inputs[i], FALSE);
  require_function (self, demands, node->extents);
}

static void
require_data (InterpGraph *self,
              GArray      *demands,
              InterpState *state)
{
  AccArray *node = state->node;
  AccFunction *function;

  if (node->op == ACC_OP_COND)
    {
      if (decide (self, state))
        require (self, demands, state->taken, TRUE);
      else
        require (self, demands, node->inputs[0], TRUE);
      return;
    }
  if (acc_operation_get_family (node->op) == ACC_FAMILY_FLOW)
    {
      for (guint i = 0; i < node->n_inputs; i++)
        require (self, demands, node->inputs[i], TRUE);
      return;
    }
  require (self, demands, node, FALSE);
  for (guint i = 0; i < node->n_inputs; i++)
    require (self, demands, node->inputs[i], TRUE);
  for (guint i = 0; (function = acc_array_nth_function (node, i)) != NULL; i++)
    require_function (self, demands, function);
}

/* --- extents */

static InterpValue *
resolve_value (AccArray  *array,
               gpointer   user_data,
               GError   **error)
{
  return interp_graph_demand (user_data, array, error);
}

static gint64 *
resolve_extents (AccArray  *array,
                 gpointer   user_data,
                 GError   **error)
{
  return interp_graph_demand_extents (user_data, array, error);
}

InterpResolver
interp_graph_get_resolver (InterpGraph *self)
{
  return (InterpResolver) { .get_value = resolve_value, .get_extents = resolve_extents, .user_data = self };
}

GHashTable *
interp_graph_get_tapes (InterpGraph *self)
{
  return self->context->tapes;
}

typedef struct {
  InterpGraph *graph;
  AccArray    *node;
} ShapeRequest;

static const gint64 *
shape_get_extents (AccArray  *array,
                   gpointer   user_data,
                   GError   **error)
{
  ShapeRequest *request = user_data;

  return interp_graph_demand_extents (request->graph, array, error);
}

static gboolean
shape_evaluate (AccFunction  *function,
                gint64       *values,
                gpointer      user_data,
                GError      **error)
{
  ShapeRequest *request = user_data;
  InterpResolver resolver = interp_graph_get_resolver (request->graph);
  guint n = acc_element_type_get_n_leaves (function->body->type);
  g_autofree AccScalar *scalars = g_new0 (AccScalar, MAX (n, 1));

  if (!interp_evaluate_closed (request->graph->context, request->node, function, &resolver, scalars, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    values[i] = scalars[i].i;
  return TRUE;
}

static gboolean
infer (InterpGraph *self,
       InterpState *state,
       GError     **error)
{
  AccArray *node = state->node;
  g_autofree gint64 *extents = g_new0 (gint64, MAX (node->rank, 1));
  ShapeRequest request = { .graph = self, .node = node };
  AccShapeContext context = { .get_extents = shape_get_extents, .evaluate = shape_evaluate, .user_data = &request };

  if (state->external && self->parent != NULL)
    {
      gint64 *known = interp_graph_demand_extents (self->parent, node, error);

      if (known == NULL)
        return FALSE;
      for (guint i = 0; i < node->rank; i++)
        extents[i] = known[i];
    }
  else if (node->shape != NULL)
    {
      for (guint i = 0; i < node->rank; i++)
        extents[i] = acc_shape_get_extent (node->shape, i);
    }
  else if (node->op == ACC_OP_COND)
    {
      InterpState *taken = interp_graph_get_state (self, state->taken);

      for (guint i = 0; i < node->rank; i++)
        extents[i] = taken->extents[i];
    }
  else if (!acc_array_infer_extents (node, &context, extents, error))
    {
      return FALSE;
    }
  for (guint i = 0; i < node->rank; i++)
    extents[i] = MAX (extents[i], 0);
  state->extents = g_steal_pointer (&extents);
  return TRUE;
}

/* --- demands */

static gboolean
satisfy (InterpGraph  *self,
         AccArray     *node,
         gboolean      data,
         GError      **error)
{
  g_autoptr(GArray) demands = g_array_new (FALSE, FALSE, sizeof (Demand));

  require (self, demands, node, data);
  while (demands->len > 0)
    {
      Demand top = g_array_index (demands, Demand, demands->len - 1);
      guint before = demands->len;

      if (top.state->value != NULL || (!top.data && top.state->extents != NULL))
        {
          g_array_set_size (demands, before - 1);
          continue;
        }
      if (top.state->node->error != NULL)
        {
          g_propagate_error (error, acc_array_dup_error (top.state->node));
          return FALSE;
        }
      if (!top.state->external)
        {
          if (top.data)
            require_data (self, demands, top.state);
          else if (top.state->node->shape == NULL)
            require_shape (self, demands, top.state);
          if (demands->len > before)
            continue;
        }
      if (!(top.data ? interp_graph_compute (self, top.state, error) : infer (self, top.state, error)))
        return FALSE;
      if (top.data)
        finish (self, top.state);
      g_array_set_size (demands, before - 1);
    }
  return TRUE;
}

InterpValue *
interp_graph_demand (InterpGraph  *self,
                     AccArray     *node,
                     GError      **error)
{
  return satisfy (self, node, TRUE, error) ? interp_graph_get_state (self, node)->value : NULL;
}

gint64 *
interp_graph_demand_extents (InterpGraph  *self,
                             AccArray     *node,
                             GError      **error)
{
  return satisfy (self, node, FALSE, error) ? interp_graph_get_state (self, node)->extents : NULL;
}

/* --- compiling */

static gboolean
compile_function (GHashTable   *tapes,
                  AccArray     *node,
                  AccFunction  *function,
                  GError      **error)
{
  InterpTape *tape;

  if (function == NULL || g_hash_table_contains (tapes, function))
    return TRUE;
  tape = interp_tape_new (function, error);
  if (tape == NULL)
    {
      g_autofree char *where = acc_array_describe (node);

      g_prefix_error (error, "%s: ", where);
      return FALSE;
    }
  g_hash_table_insert (tapes, function, tape);
  return TRUE;
}

/* Programs hold one another, perhaps many times: each is compiled once. */
static gboolean
compile_program (GHashTable  *tapes,
                 GHashTable  *seen,
                 AccProgram  *program,
                 GError     **error)
{
  guint n_results;
  AccArray **results = acc_program_get_result_nodes (program, &n_results);
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (results, n_results);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);
      AccProgram **programs;
      AccFunction *function;

      if (node->error != NULL)
        {
          g_propagate_error (error, acc_array_dup_error (node));
          return FALSE;
        }
      if (!compile_function (tapes, node, node->extents, error))
        return FALSE;
      for (guint k = 0; (function = acc_array_nth_function (node, k)) != NULL; k++)
        if (!compile_function (tapes, node, function, error))
          return FALSE;
      programs = acc_array_get_programs (node);
      for (guint k = 0; programs != NULL && k < 2 && programs[k] != NULL; k++)
        if (g_hash_table_add (seen, programs[k]) && !compile_program (tapes, seen, programs[k], error))
          return FALSE;
    }
  return TRUE;
}

GHashTable *
interp_compile_functions (AccProgram  *program,
                          GError     **error)
{
  g_autoptr(GHashTable) tapes = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) interp_tape_free);
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);

  if (!compile_program (tapes, seen, program, error))
    return NULL;
  return g_steal_pointer (&tapes);
}
