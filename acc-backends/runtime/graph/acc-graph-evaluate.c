/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-graph-evaluate.h"

#include "acc-backends/fuse/acc-function-facts.h"
#include "acc-backends/runtime/run/acc-run.h"

/* From so many operations per element on it is better to keep an array than to compute it again. */
#define EXPENSIVE 50

AccArray *
acc_graph_scope_look_up (AccGraphScope *scope,
                         AccArray      *node)
{
  for (; scope != NULL; scope = scope->parent)
    {
      AccArray *value = g_hash_table_lookup (scope->values, node);

      if (value != NULL)
        return value;
    }

  return NULL;
}

/* Takes over @value. */
static void
bind (AccGraphScope *scope,
      AccArray      *node,
      AccArray      *value)
{
  g_hash_table_replace (scope->values, node, value);
}

void
acc_graph_scope_init (AccGraphScope  *scope,
                      AccGraphScope  *parent,
                      AccGraph       *graph,
                      AccArray      **arguments)
{
  scope->parent = parent;
  scope->loops = scope->dropped = NULL;
  scope->values = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  for (guint i = 0; i < graph->n_params; i++)
    bind (scope, graph->params[i], g_object_ref (arguments[i]));
}

void
acc_graph_scope_clear (AccGraphScope *scope)
{
  g_hash_table_unref (scope->values);
  g_clear_pointer (&scope->loops, g_hash_table_unref);
  g_clear_pointer (&scope->dropped, g_hash_table_unref);
}

typedef struct {
  AccArray *node;
  guint     next;
} Frame;

/* The nodes that @targets are computed from, inputs first; @bound gets those that stand for something already. */
GPtrArray *
acc_graph_scope_list_unbound (AccGraphScope  *scope,
                              AccArray      **targets,
                              guint           n_targets,
                              GPtrArray      *bound)
{
  GPtrArray *nodes = g_ptr_array_new ();
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));

  for (guint i = 0; i < n_targets; i++)
    {
      AccArray *dependence = targets[i];

      for (;;)
        {
          if (dependence != NULL && g_hash_table_add (seen, dependence))
            {
              if (acc_graph_scope_look_up (scope, dependence) != NULL)
                g_ptr_array_add (bound, dependence);
              else
                g_array_append_vals (stack, &(Frame) { dependence, 0 }, 1);
            }
          if (stack->len == 0)
            break;

          {
            Frame *top = &g_array_index (stack, Frame, stack->len - 1);

            dependence = acc_array_nth_dependence (top->node, top->next++);
            if (dependence == NULL)
              {
                g_ptr_array_add (nodes, top->node);
                g_array_set_size (stack, stack->len - 1);
              }
          }
        }
    }

  return nodes;
}

/* What may be computed by an operation of its own is kept as a whole: that reads other arrays than what it is composed of. */
static gboolean
is_expensive (AccArray *node)
{
  if (acc_operation_has_fact (node->op, ACC_FACT_ANCHORS) || node->op == ACC_OP_COMPUTE || node->direct != NULL)
    return TRUE;

  return node->n_functions > 0 && node->functions[0] != NULL && acc_function_get_cost (node->functions[0]) > EXPENSIVE;
}

static gboolean
has_had_value (AccGraphScope *scope,
               AccArray      *node)
{
  return g_hash_table_contains (scope->values, node) || (scope->dropped != NULL && g_hash_table_contains (scope->dropped, node));
}

/* Whether there are users besides those in @now; with @scope, besides those that have a value there, or had one, as well: these read no
 * more. */
static gboolean
is_wanted_later (AccGraphEval  *run,
                 AccArray      *node,
                 GHashTable    *now,
                 AccGraphScope *scope)
{
  GPtrArray *users = acc_graph_get_users (run->graph, node);

  if (acc_graph_is_result (run->graph, node))
    return TRUE;

  for (guint i = 0; users != NULL && i < users->len; i++)
    {
      AccArray *user = g_ptr_array_index (users, i);

      if (!g_hash_table_contains (now, user) && (scope == NULL || !has_had_value (scope, user)))
        return TRUE;
    }

  return FALSE;
}

static gboolean
depends_on_any (AccArray   *node,
                GHashTable *set)
{
  AccArray *dependence;

  for (guint i = 0; (dependence = acc_array_nth_dependence (node, i)) != NULL; i++)
    if (g_hash_table_contains (set, dependence))
      return TRUE;

  return FALSE;
}

/* Dependences of @node that have memory in any case become targets, rather than their inputs. */
static void
keep_stored (AccArray   *node,
             GHashTable *expensive,
             GPtrArray  *targets)
{
  AccArray *dependence;

  for (guint i = 0; (dependence = acc_array_nth_dependence (node, i)) != NULL; i++)
    if ((dependence->op == ACC_OP_COMPUTE || acc_operation_has_fact (dependence->op, ACC_FACT_STORES)) &&
        g_hash_table_remove (expensive, dependence))
      g_ptr_array_add (targets, dependence);
}

/* Adds to @targets, whose set is @is_target, intermediates that are needed again later and are expensive, by themselves or by unstored
 * dependences. */
static void
add_shared (AccGraphEval *run,
            GPtrArray    *nodes,
            GPtrArray    *targets,
            GHashTable   *is_target)
{
  g_autoptr(GHashTable) now = g_hash_table_new (NULL, NULL);
  g_autoptr(GHashTable) expensive = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < nodes->len; i++)
    g_hash_table_add (now, g_ptr_array_index (nodes, i));

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);
      gboolean is_later, costs_much;

      if (g_hash_table_contains (is_target, node))
        continue;
      is_later = is_wanted_later (run, node, now, NULL);
      costs_much = is_expensive (node);
      if (is_later && !costs_much)
        keep_stored (node, expensive, targets);
      if (!costs_much && !depends_on_any (node, expensive))
        continue;
      if (is_later)
        g_ptr_array_add (targets, node);
      else
        g_hash_table_add (expensive, node);
    }
}

/* What nothing reads any more. */
static void
drop (AccGraphScope *scope,
      AccArray      *node)
{
  if (scope->dropped == NULL)
    scope->dropped = g_hash_table_new (NULL, NULL);
  g_hash_table_add (scope->dropped, node);
  g_hash_table_remove (scope->values, node);
}

/* Which of @bound nothing reads any more once @nodes are computed and those in @is_target are bound. What is not kept is computed again
 * where it is wanted later, from what it is made of. */
static void
find_spent (AccGraphEval *run,
            GPtrArray    *nodes,
            GHashTable   *is_target,
            GPtrArray    *bound,
            GArray       *spent)
{
  g_autoptr(GHashTable) now = g_hash_table_new (NULL, NULL), later = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < nodes->len; i++)
    g_hash_table_add (now, g_ptr_array_index (nodes, i));

  for (guint i = nodes->len; i-- > 0;)
    {
      AccArray *node = g_ptr_array_index (nodes, i), *dependence;

      if (g_hash_table_contains (is_target, node) || !(g_hash_table_contains (later, node) || is_wanted_later (run, node, now, run->scope)))
        continue;
      for (guint k = 0; (dependence = acc_array_nth_dependence (node, k)) != NULL; k++)
        g_hash_table_add (later, dependence);
    }

  for (guint i = 0; i < bound->len; i++)
    {
      AccArray *array = g_ptr_array_index (bound, i);
      gboolean is_spent = !run->takes_offers && g_hash_table_lookup (run->scope->values, array) != NULL
                          && !g_hash_table_contains (later, array) && !is_wanted_later (run, array, now, run->scope);

      g_array_append_val (spent, is_spent);
    }
}

typedef struct {
  AccGraphScope *scope;
  AccSubgraph   *subgraph;
} DirectReads;

static gboolean
bind_if_known (AccArray *array,
               gpointer  data)
{
  const DirectReads *self = data;
  gboolean is_known = acc_graph_scope_look_up (self->scope, array) != NULL, spent = FALSE;

  if (is_known)
    {
      g_ptr_array_add (self->subgraph->bound, array);
      g_array_append_val (self->subgraph->spent, spent);
    }

  return is_known;
}

static void
bind_direct_reads (AccGraphEval *run,
                   GPtrArray    *nodes,
                   AccSubgraph  *subgraph)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  GPtrArray *parts[] = { nodes, subgraph->bound };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    for (guint k = 0; k < parts[i]->len; k++)
      g_hash_table_add (seen, g_ptr_array_index (parts[i], k));
  acc_graph_find_direct_reads (nodes, seen, bind_if_known, &(DirectReads) { run->scope, subgraph });
}

/* What was computed by other means than by acc_graph_eval_compute(). Takes over @value. */
void
acc_graph_eval_bind (AccGraphEval *run,
                     AccArray     *node,
                     AccArray     *value)
{
  bind (run->scope, node, value);
  run->state = acc_subgraph_cache_step (run->graph->subgraphs, run->state, node);
}

/* Finds what is to be computed for @targets, by a walk over the program. @subgraph gets arrays of its own. */
static void
find_subgraph (AccGraphEval *run,
               GPtrArray    *targets,
               gboolean      keep,
               AccSubgraph  *subgraph)
{
  g_autoptr(GHashTable) is_target = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) nodes = NULL;

  *subgraph = (AccSubgraph) { g_ptr_array_new (), g_ptr_array_new (), g_ptr_array_new (), g_array_new (FALSE, FALSE, sizeof (gboolean)) };
  for (guint i = 0; i < targets->len; i++)
    {
      AccArray *target = g_ptr_array_index (targets, i);

      if (acc_graph_scope_look_up (run->scope, target) != NULL || !g_hash_table_add (is_target, target))
        continue;
      g_ptr_array_add (target->op == ACC_OP_USE ? subgraph->uses : subgraph->wanted, target);
    }
  if (subgraph->wanted->len == 0)
    return;

  nodes = acc_graph_scope_list_unbound (run->scope, (AccArray **) subgraph->wanted->pdata, subgraph->wanted->len, subgraph->bound);
  if (keep)
    add_shared (run, nodes, subgraph->wanted, is_target);
  for (guint i = 0; i < subgraph->wanted->len; i++)
    g_hash_table_add (is_target, g_ptr_array_index (subgraph->wanted, i));
  find_spent (run, nodes, is_target, subgraph->bound, subgraph->spent);
  bind_direct_reads (run, nodes, subgraph);
}

/* Whether all that the subgraph reads is bound now, too: what surrounds a body may differ from run to run. */
static gboolean
fits (AccGraphEval      *run,
      const AccSubgraph *known,
      GPtrArray         *targets)
{
  for (guint i = 0; i < targets->len; i++)
    {
      AccArray *target = g_ptr_array_index (targets, i);

      if (!g_ptr_array_find (known->wanted, target, NULL) && !g_ptr_array_find (known->uses, target, NULL)
          && acc_graph_scope_look_up (run->scope, target) == NULL)
        return FALSE;
    }
  for (guint i = 0; i < known->bound->len; i++)
    if (acc_graph_scope_look_up (run->scope, g_ptr_array_index (known->bound, i)) == NULL)
      return FALSE;

  return TRUE;
}

static gboolean
compute_subgraph (AccGraphEval       *run,
                  const AccSubgraph  *subgraph,
                  GError            **error)
{
  g_autofree AccArray **values = g_new (AccArray *, subgraph->bound->len + 1), **results = g_new0 (AccArray *, subgraph->wanted->len + 1);
  const gboolean *spent = (const gboolean *) subgraph->spent->data;
  g_autoptr(AccPrepared) prepared = NULL;

  for (guint i = 0; i < subgraph->uses->len; i++)
    bind (run->scope, g_ptr_array_index (subgraph->uses, i), g_object_ref (g_ptr_array_index (subgraph->uses, i)));
  if (subgraph->wanted->len == 0)
    return TRUE;

  for (guint i = 0; i < subgraph->bound->len; i++)
    values[i] = acc_graph_scope_look_up (run->scope, g_ptr_array_index (subgraph->bound, i));
  prepared = acc_schedule_cache_get (run->graph->schedules, run->graph->host, (AccArray **) subgraph->wanted->pdata, subgraph->wanted->len,
                                     (AccArray **) subgraph->bound->pdata, values, spent, subgraph->bound->len, FALSE, run->cancellable,
                                     error);
  if (prepared == NULL || !acc_run_whole (run->graph->host, prepared, values, spent, results, run->cancellable, error))
    return FALSE;
  for (guint i = 0; i < subgraph->bound->len; i++)
    if (spent[i])
      drop (run->scope, g_ptr_array_index (subgraph->bound, i));
  for (guint i = 0; i < subgraph->wanted->len; i++)
    bind (run->scope, g_ptr_array_index (subgraph->wanted, i), results[i]);

  return TRUE;
}

/* Computes and binds all of @targets; @keep: and what later parts of the program share with them. */
gboolean
acc_graph_eval_compute (AccGraphEval  *run,
                        GPtrArray     *targets,
                        gboolean       keep,
                        GError       **error)
{
  const AccSubgraph *known = acc_subgraph_cache_find (run->graph->subgraphs, run->state, targets, keep);
  g_auto(AccSubgraph) found = { NULL };
  gboolean ok;

  if (known == NULL || !fits (run, known, targets))
    {
      find_subgraph (run, targets, keep, &found);
      found.state = known == NULL
                    ? acc_subgraph_cache_add (run->graph->subgraphs, run->state, targets, keep, &found) : ACC_GRAPH_STATE_UNKNOWN;
      known = &found;
    }

  ok = compute_subgraph (run, known, error);
  run->state = known->state;

  return ok;
}

/* What @node cannot do without. */
gboolean
acc_graph_eval_compute_for (AccGraphEval  *run,
                            AccArray      *node,
                            GPtrArray     *targets,
                            GError       **error)
{
  GError *local = NULL;

  if (acc_graph_eval_compute (run, targets, TRUE, &local))
    return TRUE;

  if (g_error_matches (local, ACC_ERROR, ACC_ERROR_STREAM))
    {
      g_autofree char *what = acc_array_describe (node);

      g_prefix_error (&local, "%s: ", what);
    }
  g_propagate_error (error, local);

  return FALSE;
}
