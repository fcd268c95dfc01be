/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-graph.h"

#include "acc-core/backend/acc-foreign-private.h"

#include "acc-error.h"

typedef struct {
  AccArray    *node;       /* borrowed */
  guint        uses;
  gint64      *extents;    /* owned; NULL while unknown */
  InterpValue *value;      /* owned; NULL before it is computed and after its last use */
  gboolean     external;   /* bound from outside, or captured from the parent */
  gboolean     counted;    /* its own uses of others are counted */
  gboolean     finished;   /* ... and given back */
  guint        given_back; /* of them, the first ones that were given back before that */
  AccArray    *taken;      /* cond: the side */
  GPtrArray   *results;    /* while_loop: InterpValue, all last states, for as long as .value is there */
} State;

struct _InterpGraph {
  InterpContext       *context;
  InterpGraph         *parent;
  GHashTable          *states;   /* AccArray to State */
  gboolean             counting;
};

typedef struct {
  State   *state;
  gboolean data;                 /* its elements, not only its extents */
} Demand;

/* Gives up its elements. */
static void
forget (State *state)
{
  g_clear_pointer (&state->value, interp_value_unref);
  g_clear_pointer (&state->results, g_ptr_array_unref);
}

static void
free_state (gpointer data)
{
  State *state = data;

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

static State *
get_state (InterpGraph *self,
           AccArray    *node)
{
  State *state = g_hash_table_lookup (self->states, node);

  if (state == NULL)
    {
      state = g_new0 (State, 1);
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
  State *state = get_state (self, node);

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
  State *known;
  AccArray *edge;

  self->counting = TRUE;
  for (guint i = 0; i < n_roots; i++)
    {
      get_state (self, roots[i])->uses++;
      g_ptr_array_add (pending, get_state (self, roots[i]));
    }
  while (pending->len > 0)
    {
      State *state = g_ptr_array_steal_index_fast (pending, pending->len - 1);

      if (state->counted || state->external)
        continue;
      state->counted = TRUE;
      state->finished = state->value != NULL;
      for (guint i = 0; !state->finished && (edge = acc_array_nth_dependence (state->node, i)) != NULL; i++)
        {
          State *other = get_state (self, edge);

          other->uses++;
          g_ptr_array_add (pending, other);
        }
    }

  g_hash_table_iter_init (&iter, self->states);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &known))
    if (known->uses == 0 && !known->external)
      forget (known);
}

/* Drops a use of @state; a value without further uses is freed, and so are its own inputs. */
static void
release (InterpGraph *self,
         State       *state)
{
  g_autoptr(GPtrArray) pending = NULL;
  AccArray *edge;

  if (!self->counting)
    return;
  pending = g_ptr_array_new ();
  g_ptr_array_add (pending, state);
  while (pending->len > 0)
    {
      State *top = g_ptr_array_steal_index_fast (pending, pending->len - 1);

      g_assert (top->uses > 0);
      if (--top->uses > 0)
        continue;
      forget (top);
      if (top->finished || top->external || !top->counted)
        continue;
      top->finished = TRUE;
      for (guint i = top->given_back; (edge = acc_array_nth_dependence (top->node, i)) != NULL; i++)
        g_ptr_array_add (pending, get_state (self, edge));
    }
}

/* Its value is computed: it needs its inputs no longer. */
static void
finish (InterpGraph *self,
        State       *state)
{
  AccArray *edge;

  if (!self->counting || state->finished || state->external)
    return;
  state->finished = TRUE;
  for (guint i = state->given_back; (edge = acc_array_nth_dependence (state->node, i)) != NULL; i++)
    release (self, get_state (self, edge));
}

/* --- what a node needs */

static void
require (InterpGraph *self,
         GArray      *demands,
         AccArray    *node,
         gboolean     data)
{
  Demand demand = { .state = get_state (self, node), .data = data };

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
        State       *state)
{
  InterpValue *condition = get_state (self, state->node->inputs[0])->value;
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
               State       *state)
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
              State       *state)
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
infer (InterpGraph  *self,
       State        *state,
       GError      **error)
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
      State *taken = get_state (self, state->taken);

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

/* --- elements */

static void
set_value (State       *state,
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
           State       *state,
           InterpValue *value)
{
  AccArray *node = state->node;
  guint buffer = 0;

  if (node->op == ACC_OP_RESHAPE || node->op == ACC_OP_COMPUTE)
    {
      interp_value_share (value, 0, get_state (self, node->inputs[0])->value, 0, value->n_buffers);
      return TRUE;
    }
  if (node->op == ACC_OP_UNZIP)
    {
      interp_value_share (value, 0, get_state (self, node->inputs[0])->value,
                          acc_element_type_get_first_buffer (node->inputs[0]->type, acc_array_get_item (node)), value->n_buffers);
      return TRUE;
    }
  if (node->op == ACC_OP_ZIP)
    {
      for (guint i = 0; i < node->n_inputs; i++)
        if (!same_extents (value, get_state (self, node->inputs[i])->value))
          return FALSE;
      for (guint i = 0; i < node->n_inputs; i++)
        {
          InterpValue *source = get_state (self, node->inputs[i])->value;

          interp_value_share (value, buffer, source, 0, source->n_buffers);
          buffer += source->n_buffers;
        }
      return TRUE;
    }
  return FALSE;
}

static gboolean
compute_step (InterpGraph  *self,
              State        *state,
              GError      **error)
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
    inputs[i] = get_state (self, node->inputs[i])->value;
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
              State       *state)
{
  GPtrArray *values = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_value_unref);
  AccArray *node = state->node;

  for (guint i = 0; i < node->n_inputs; i++)
    g_ptr_array_add (values, interp_value_ref (get_state (self, node->inputs[i])->value));
  for (guint i = 0; i < node->n_inputs && self->counting; i++)
    {
      state->given_back = i + 1;
      release (self, get_state (self, node->inputs[i]));
    }
  return values;
}

static gboolean
compute_while (InterpGraph  *self,
               State        *state,
               GError      **error)
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
compute_foreign (InterpGraph  *self,
                 State        *state,
                 GError      **error)
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
      InterpValue *input = get_state (self, node->inputs[i])->value;

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

static gboolean
compute (InterpGraph  *self,
         State        *state,
         GError      **error)
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
    set_value (state, get_state (self, state->taken)->value);
  else
    set_value (state, g_ptr_array_index (get_state (self, node->inputs[0])->results, acc_array_get_item (node)));
  return TRUE;
}

/* --- */

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
      if (!(top.data ? compute (self, top.state, error) : infer (self, top.state, error)))
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
  return satisfy (self, node, TRUE, error) ? get_state (self, node)->value : NULL;
}

gint64 *
interp_graph_demand_extents (InterpGraph  *self,
                             AccArray     *node,
                             GError      **error)
{
  return satisfy (self, node, FALSE, error) ? get_state (self, node)->extents : NULL;
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
