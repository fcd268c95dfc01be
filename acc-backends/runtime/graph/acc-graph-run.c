/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-graph-run.h"

#include "acc-graph-evaluate.h"
#include "acc-backends/fuse/acc-fusion-graph.h"
#include "acc-backends/runtime/run/acc-foreign-run.h"
#include "acc-backends/runtime/run/acc-run.h"

static gboolean run_graph (AccGraph *graph, AccGraphScope *parent, AccArray **arguments, gboolean are_spent, AccArray **results,
                           GCancellable *cancellable, GError **error);

static gboolean
evaluate_one (AccGraphEval  *run,
              AccArray      *node,
              AccArray      *target,
              AccArray     **value,
              GError       **error)
{
  g_autoptr(GPtrArray) targets = g_ptr_array_new ();

  g_ptr_array_add (targets, target);
  if (!acc_graph_eval_compute_for (run, node, targets, error))
    return FALSE;
  *value = acc_graph_scope_look_up (run->scope, target);

  return TRUE;
}

static gboolean
read_flag (AccArray  *array,
           gboolean  *flag,
           GError   **error)
{
  const guint8 *data = acc_buffer_map (acc_array_get_buffers (array)[0], error);

  if (data == NULL)
    return FALSE;
  *flag = *data != 0;

  return TRUE;
}

static gboolean
choose_branch (AccGraphEval  *run,
               AccArray      *cond,
               AccArray     **branch,
               GError       **error)
{
  AccArray *condition;
  gboolean flag;

  if (!evaluate_one (run, cond, cond->inputs[0], &condition, error) || !read_flag (condition, &flag, error))
    return FALSE;
  *branch = cond->inputs[flag ? 1 : 2];

  return TRUE;
}

static gboolean
finish_cond (AccGraphEval  *run,
             AccArray      *cond,
             AccArray      *branch,
             GError       **error)
{
  AccArray *value;

  if (!evaluate_one (run, cond, branch, &value, error))
    return FALSE;
  acc_graph_eval_bind (run, cond, g_object_ref (value));

  return TRUE;
}

/* A state that the step took over is NULL. */
static void
free_state (gpointer state)
{
  g_clear_object ((GObject **) &state);
}

/* The initial states; not held for the time of the loop where only the loop wants them. */
static GPtrArray *
take_states (AccGraphEval *run,
             AccArray     *loop)
{
  GPtrArray *states = g_ptr_array_new_with_free_func (free_state);

  for (guint i = 0; i < loop->n_inputs; i++)
    g_ptr_array_add (states, g_object_ref (acc_graph_scope_look_up (run->scope, loop->inputs[i])));

  for (guint i = 0; i < loop->n_inputs; i++)
    {
      GPtrArray *users = acc_graph_get_users (run->graph, loop->inputs[i]);

      if (users != NULL && users->len == 1 && !acc_graph_is_result (run->graph, loop->inputs[i]))
        g_hash_table_remove (run->scope->values, loop->inputs[i]);
    }

  return states;
}

static gboolean
run_loop (AccGraphEval  *run,
          AccArray      *loop,
          GError       **error)
{
  AccGraph *condition = acc_graph_get_body (run->graph, acc_array_get_programs (loop)[0]);
  AccGraph *step = acc_graph_get_body (run->graph, acc_array_get_programs (loop)[1]);
  g_autoptr(GPtrArray) targets = g_ptr_array_new ();
  g_autoptr(GPtrArray) states = NULL;
  g_autofree AccArray **next = g_new (AccArray *, loop->n_inputs);

  for (guint i = 0; i < loop->n_inputs; i++)
    g_ptr_array_add (targets, loop->inputs[i]);
  for (guint i = 0; i < loop->references->len; i++)
    g_ptr_array_add (targets, g_ptr_array_index (loop->references, i));
  if (!acc_graph_eval_compute_for (run, loop, targets, error))
    return FALSE;

  states = take_states (run, loop);
  for (;;)
    {
      g_autoptr(AccArray) flag = NULL;
      AccArray **state = (AccArray **) states->pdata;
      gboolean go_on;

      if (!run_graph (condition, run->scope, state, FALSE, &flag, run->cancellable, error) || !read_flag (flag, &go_on, error))
        return FALSE;
      if (!go_on)
        break;
      if (!run_graph (step, run->scope, state, TRUE, next, run->cancellable, error))
        return FALSE;
      for (guint i = 0; i < loop->n_inputs; i++)
        {
          g_clear_object (&state[i]);
          state[i] = next[i];
        }
    }

  acc_graph_eval_bind (run, loop, g_object_ref (g_ptr_array_index (states, 0)));
  if (loop->n_inputs > 1)
    {
      if (run->scope->loops == NULL)
        run->scope->loops = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
      g_hash_table_insert (run->scope->loops, loop, g_steal_pointer (&states));
    }

  return TRUE;
}

/* Its loop has run, in this scope or in one around it. */
static gboolean
finish_loop_result (AccGraphEval *run,
                    AccArray     *node)
{
  for (AccGraphScope *scope = run->scope; scope != NULL; scope = scope->parent)
    {
      GPtrArray *states = scope->loops != NULL ? g_hash_table_lookup (scope->loops, node->inputs[0]) : NULL;

      if (states == NULL)
        continue;
      acc_graph_eval_bind (run, node, g_object_ref (g_ptr_array_index (states, acc_array_get_item (node))));
      return TRUE;
    }

  g_return_val_if_reached (FALSE);
}

/* The extents of nodes, of which some may not be computed yet; NULL where they are not known. The vector is owned, what it points to lives
 * as long as @graph and what is bound. */
static const gint64 **
list_extents (AccGraphEval    *run,
              AccArray       **nodes,
              guint            n_nodes,
              AccFusionGraph **graph)
{
  g_autofree const gint64 **extents = g_new0 (const gint64 *, n_nodes + 1);
  g_autoptr(GPtrArray) bound = g_ptr_array_new (), values = g_ptr_array_new (), unbound = NULL;
  gboolean is_known = TRUE;

  for (guint i = 0; i < n_nodes; i++)
    {
      AccArray *value = acc_graph_scope_look_up (run->scope, nodes[i]);
      AccShape *shape = value != NULL ? value->shape : nodes[i]->shape;

      extents[i] = shape != NULL ? acc_shape_get_extents (shape, NULL) : NULL;
      is_known &= shape != NULL;
    }
  if (is_known)
    return g_steal_pointer (&extents);

  unbound = acc_graph_scope_list_unbound (run->scope, nodes, n_nodes, bound);
  for (guint i = 0; i < bound->len; i++)
    g_ptr_array_add (values, acc_graph_scope_look_up (run->scope, g_ptr_array_index (bound, i)));
  *graph = acc_fusion_graph_new (acc_host_get_target (run->graph->host), NULL, nodes, n_nodes, (AccArray **) bound->pdata,
                                 (AccArray **) values->pdata, bound->len, NULL);
  for (guint i = 0; i < n_nodes && *graph != NULL; i++)
    extents[i] = acc_fusion_graph_get (*graph, nodes[i])->extents;

  return *graph != NULL ? g_steal_pointer (&extents) : NULL;
}

/* The backend's function for the node, its inputs and its result; NULL: none. */
static AccForeign *
find_foreign (AccGraphEval *run,
              AccArray     *node)
{
  g_autoptr(AccForeign) foreign = acc_foreign_find (run->graph->host->backend, node);
  g_autoptr(AccFusionGraph) graph = NULL;
  g_autoptr(GPtrArray) nodes = NULL;
  g_autofree const gint64 **extents = NULL;
  AccArray **inputs;
  guint n;

  if (foreign == NULL || !acc_foreign_can_run (run->graph->host, foreign))
    return NULL;

  /* The extents of a foreign node itself are for it to decide, as far as they are not known. */
  inputs = acc_foreign_get_inputs (node, &n);
  nodes = g_ptr_array_sized_new (n + 1);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (nodes, inputs[i]);
  if (node->op != ACC_OP_FOREIGN)
    g_ptr_array_add (nodes, node);
  extents = list_extents (run, (AccArray **) nodes->pdata, nodes->len, &graph);
  if (extents != NULL && node->op == ACC_OP_FOREIGN && node->shape != NULL)
    extents[n] = acc_shape_get_extents (node->shape, NULL);

  return extents != NULL && acc_foreign_fits (foreign, node, extents) ? g_steal_pointer (&foreign) : NULL;
}

/* @foreign NULL: the fallback, which may read captures besides. */
static gboolean
call (AccGraphEval  *run,
      AccArray      *node,
      AccForeign    *foreign,
      GError       **error)
{
  guint n;
  AccArray **nodes = acc_foreign_get_inputs (node, &n);
  g_autoptr(GPtrArray) targets = g_ptr_array_new ();
  g_autofree AccArray **inputs = g_new (AccArray *, MAX (n, 1));
  AccArray *result = NULL;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (targets, nodes[i]);
  for (guint i = 0; i < node->references->len && foreign == NULL; i++)
    g_ptr_array_add (targets, g_ptr_array_index (node->references, i));
  if (!acc_graph_eval_compute_for (run, node, targets, error))
    return FALSE;

  for (guint i = 0; i < n; i++)
    {
      inputs[i] = acc_graph_scope_look_up (run->scope, nodes[i]);
      if (node->op == ACC_OP_FOREIGN && !acc_foreign_check (node, i, acc_shape_get_extents (inputs[i]->shape, NULL), error))
        return FALSE;
    }

  if (foreign != NULL)
    result = acc_foreign_run (run->graph->host, foreign, node, inputs, run->cancellable, error);
  else if (!run_graph (acc_graph_get_body (run->graph, acc_array_get_programs (node)[0]), run->scope, inputs, FALSE, &result,
                       run->cancellable, error))
    result = NULL;
  if (result == NULL)
    return FALSE;
  acc_graph_eval_bind (run, node, result);

  return TRUE;
}

/* Runs the backend's function for it, or its fallback. */
static gboolean
run_foreign (AccGraphEval  *run,
             AccArray      *node,
             GError       **error)
{
  g_autoptr(AccForeign) foreign = find_foreign (run, node);

  return call (run, node, foreign, error);
}

static gboolean
is_offered (AccGraphEval *run,
            AccArray     *node)
{
  return run->takes_offers && node->offer != NULL && g_hash_table_contains (run->graph->offers, node);
}

static gboolean
take_offer (AccGraphEval  *run,
            AccArray      *node,
            GError       **error)
{
  g_autoptr(AccForeign) foreign = find_foreign (run, node);

  return foreign == NULL || call (run, node, foreign, error);
}

/* Whether the backend has any of the operations; where extents are known before anything runs, for inputs such as these. */
static gboolean
has_takers (AccGraphEval *run)
{
  GHashTableIter iter;
  gpointer node;

  g_hash_table_iter_init (&iter, run->graph->offers);
  while (g_hash_table_iter_next (&iter, &node, NULL))
    {
      g_autoptr(AccForeign) foreign = run->graph->is_simple ? find_foreign (run, node) : acc_foreign_find (run->graph->host->backend, node);

      if (foreign != NULL)
        return TRUE;
    }

  return FALSE;
}

typedef struct {
  const AccControlPoint *point;
  guint                  next;
  AccArray              *branch;   /* cond: the one taken */
} Visit;

/* Evaluates a node after all of its dependences. */
static gboolean
finish (AccGraphEval  *run,
        const Visit   *visit,
        GError       **error)
{
  AccArray *node = visit->point->node;

  if (is_offered (run, node) && acc_graph_scope_look_up (run->scope, node) != NULL)
    return TRUE;

  if (node->op == ACC_OP_COND)
    return finish_cond (run, node, visit->branch, error);
  if (node->op == ACC_OP_WHILE_LOOP)
    return run_loop (run, node, error);
  if (node->op == ACC_OP_LOOP_RESULT)
    return finish_loop_result (run, node);
  if (node->op == ACC_OP_FOREIGN)
    return run_foreign (run, node, error);

  return visit->point->extents == NULL || acc_graph_eval_compute_for (run, node, visit->point->extents, error);
}

/* Which one to resolve before the one that is visited; NULL: none any more. */
static gboolean
next_before (AccGraphEval           *run,
             Visit                  *visit,
             const AccControlPoint **before,
             GError                **error)
{
  const AccControlPoint *point = visit->point;
  guint n = visit->next++;

  *before = NULL;
  if (is_offered (run, point->node))
    {
      if (n < point->offered->len)
        {
          *before = g_ptr_array_index (point->offered, n);
          return TRUE;
        }
      if (n == point->offered->len && !take_offer (run, point->node, error))
        return FALSE;
      if (acc_graph_scope_look_up (run->scope, point->node) != NULL)
        return TRUE;
      n -= point->offered->len;
    }

  if (n < point->before->len)
    {
      *before = g_ptr_array_index (point->before, n);
    }
  else if (n == point->before->len && point->node->op == ACC_OP_COND)
    {
      if (!choose_branch (run, point->node, &visit->branch, error))
        return FALSE;
      *before = point->sides[visit->branch == point->node->inputs[1] ? 0 : 1];
    }

  return TRUE;
}

/* Evaluates what must be known before the rest can be scheduled: the taken sides of conds, loops, foreign operations,
 * arrays that extents are read from. Without recursion but for programs in programs. */
static gboolean
resolve (AccGraphEval  *run,
         GError       **error)
{
  const AccControlPoints *points = acc_graph_get_control_points (run->graph);
  g_autofree guint8 *seen = g_new0 (guint8, MAX (points->all->len, 1));
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Visit));

  for (guint i = 0; i < points->first->len; i++)
    {
      const AccControlPoint *before = g_ptr_array_index (points->first, i);

      for (;;)
        {
          Visit top;

          if (before != NULL && !seen[before->number] && acc_graph_scope_look_up (run->scope, before->node) == NULL)
            {
              seen[before->number] = TRUE;
              g_array_append_vals (stack, &(Visit) { before, 0, NULL }, 1);
            }
          if (stack->len == 0)
            break;

          top = g_array_index (stack, Visit, stack->len - 1);
          if (!next_before (run, &top, &before, error))
            return FALSE;
          g_array_index (stack, Visit, stack->len - 1) = top;
          if (before == NULL)
            {
              if (!finish (run, &top, error))
                return FALSE;
              g_array_set_size (stack, stack->len - 1);
            }
        }
    }

  return TRUE;
}

static gboolean
run_simple (AccGraph       *graph,
            AccGraphScope  *parent,
            AccArray      **arguments,
            gboolean        are_spent,
            AccArray      **results,
            GCancellable   *cancellable,
            GError        **error)
{
  AccArray *few[32];
  g_autofree AccArray **many = NULL;
  guint n = graph->bound->len;
  AccArray **values = n <= G_N_ELEMENTS (few) ? few : (many = g_new (AccArray *, n));
  const gboolean *spent = are_spent ? graph->are_params : NULL;
  g_autoptr(AccPrepared) prepared = NULL;

  for (guint i = 0; i < n; i++)
    values[i] = graph->are_params[i] ? arguments[graph->positions[i]]
                                     : acc_graph_scope_look_up (parent, g_ptr_array_index (graph->bound, i));

  prepared = acc_schedule_cache_get (graph->schedules, graph->host, graph->results, graph->n_results,
                                     (AccArray **) graph->bound->pdata, values, spent, n, FALSE, cancellable, error);

  return prepared != NULL && acc_run_whole (graph->host, prepared, values, spent, results, cancellable, error);
}

/* @are_spent: the caller has no more use for the arguments, of which some may be NULL afterwards. */
static gboolean
run_graph (AccGraph       *graph,
           AccGraphScope  *parent,
           AccArray      **arguments,
           gboolean        are_spent,
           AccArray      **results,
           GCancellable   *cancellable,
           GError        **error)
{
  g_autoptr(GPtrArray) targets = NULL;
  AccGraphScope scope;
  AccGraphEval run = { graph, &scope, cancellable, FALSE, ACC_GRAPH_STATE_FIRST };
  gboolean ok;

  if (graph->is_simple && graph->offers == NULL)
    return run_simple (graph, parent, arguments, are_spent, results, cancellable, error);

  acc_graph_scope_init (&scope, parent, graph, arguments);
  run.takes_offers = graph->offers != NULL && has_takers (&run);
  if (graph->is_simple && !run.takes_offers)
    {
      acc_graph_scope_clear (&scope);
      return run_simple (graph, parent, arguments, are_spent, results, cancellable, error);
    }
  for (guint i = 0; i < graph->n_params && are_spent; i++)
    g_clear_object (&arguments[i]);

  targets = g_ptr_array_new ();
  for (guint i = 0; i < graph->n_results; i++)
    g_ptr_array_add (targets, graph->results[i]);

  ok = resolve (&run, error) && acc_graph_eval_compute (&run, targets, FALSE, error);
  for (guint i = 0; i < graph->n_results && ok; i++)
    results[i] = g_object_ref (acc_graph_scope_look_up (&scope, graph->results[i]));
  acc_graph_scope_clear (&scope);

  return ok;
}

GPtrArray *
acc_graph_run (AccGraph      *self,
               AccArray     **arguments,
               GCancellable  *cancellable,
               GError       **error)
{
  g_autoptr(GPtrArray) results = g_ptr_array_new_full (self->n_results, g_object_unref);
  gboolean ok;

  g_ptr_array_set_size (results, (int) self->n_results);
  acc_workers_begin_run (self->host->workers);
  ok = run_graph (self, NULL, arguments, FALSE, (AccArray **) results->pdata, cancellable, error);
  acc_workers_end_run (self->host->workers);
  if (!ok)
    {
      g_ptr_array_set_free_func (results, NULL);
      return NULL;
    }

  return g_steal_pointer (&results);
}

AccPrepared *
acc_graph_prepare (AccGraph      *self,
                   AccArray     **arguments,
                   gboolean       by_rows,
                   GPtrArray    **values,
                   GCancellable  *cancellable,
                   GError       **error)
{
  AccGraphScope scope;
  AccGraphEval run = { self, &scope, cancellable, FALSE, ACC_GRAPH_STATE_FIRST };
  g_autoptr(GPtrArray) bound = g_ptr_array_new ();
  g_autoptr(GPtrArray) nodes = NULL;
  g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func (g_object_unref);
  AccPrepared *prepared = NULL;

  acc_graph_scope_init (&scope, NULL, self, arguments);
  if (self->is_simple || resolve (&run, error))
    {
      nodes = acc_graph_scope_list_unbound (&scope, self->results, self->n_results, bound);
      for (guint i = 0; i < bound->len; i++)
        g_ptr_array_add (found, g_object_ref (acc_graph_scope_look_up (&scope, g_ptr_array_index (bound, i))));
      prepared = acc_schedule_cache_get (self->schedules, self->host, self->results, self->n_results,
                                         (AccArray **) bound->pdata, (AccArray **) found->pdata, NULL, bound->len, by_rows,
                                         cancellable, error);
    }
  if (prepared != NULL)
    *values = g_steal_pointer (&found);
  acc_graph_scope_clear (&scope);

  return prepared;
}
