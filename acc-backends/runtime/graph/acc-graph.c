/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-graph.h"

#include "acc-backends/fuse/acc-function-facts.h"

/* Extents that a program is run with, before the oldest schedule goes: those of a loop may change with each iteration. */
#define MAX_SCHEDULES 256

static void
add_bound (AccGraph   *self,
           GHashTable *boundary,
           AccArray   *array)
{
  int position = GPOINTER_TO_INT (g_hash_table_lookup (boundary, array));

  self->positions = g_renew (int, self->positions, self->bound->len + 1);
  self->positions[self->bound->len] = position;
  self->are_params = g_renew (gboolean, self->are_params, self->bound->len + 1);
  self->are_params[self->bound->len] = position >= 0;
  g_ptr_array_add (self->bound, array);
}

static gboolean
needs_more (GHashTable *boundary,
            AccArray   *array)
{
  g_autoptr(GPtrArray) reads = acc_array_list_extent_reads (array, boundary);

  return acc_operation_get_family (array->op) == ACC_FAMILY_FLOW || reads != NULL;
}

static GHashTable *
make_boundary (AccGraph *self)
{
  GHashTable *boundary = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < self->n_params; i++)
    g_hash_table_insert (boundary, self->params[i], GINT_TO_POINTER ((int) i));

  if (self->is_body)
    {
      GPtrArray *captures = acc_program_get_captures (self->program);

      for (guint i = 0; i < captures->len; i++)
        if (((AccArray *) g_ptr_array_index (captures, i))->op != ACC_OP_USE)
          g_hash_table_insert (boundary, g_ptr_array_index (captures, i), GINT_TO_POINTER (-1));
    }

  return boundary;
}

/* Offers whose inputs are part of the graph, which a text need not respect. */
static void
take_offers (AccGraph   *self,
             GPtrArray  *nodes,
             GHashTable *seen)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);
      gboolean is_sound = TRUE;

      for (guint k = 0; k < node->offer->n_inputs; k++)
        is_sound &= g_hash_table_contains (seen, node->offer->inputs[k]);
      if (!is_sound)
        continue;
      if (self->offers == NULL)
        self->offers = g_hash_table_new (NULL, NULL);
      g_hash_table_add (self->offers, node);
    }
}

static void
push_unseen (GPtrArray  *stack,
             GHashTable *seen,
             AccArray   *array)
{
  AccArray *dependence;

  for (guint i = 0; (dependence = acc_array_nth_known_dependence (array, i)) != NULL; i++)
    if (g_hash_table_add (seen, dependence))
      g_ptr_array_add (stack, dependence);
}

void
acc_graph_find_direct_reads (GPtrArray           *nodes,
                             GHashTable          *seen,
                             AccGraphIsBoundFunc  is_bound,
                             gpointer             data)
{
  g_autoptr(GPtrArray) stack = g_ptr_array_new ();

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      if (node->direct != NULL)
        push_unseen (stack, seen, node->direct);
      while (stack->len > 0)
        {
          AccArray *array = g_ptr_array_steal_index (stack, stack->len - 1);

          if (is_bound (array, data))
            continue;
          push_unseen (stack, seen, array);
          if (array->direct != NULL)
            push_unseen (stack, seen, array->direct);
        }
    }
}

typedef struct {
  AccGraph   *graph;
  GHashTable *boundary;
} Boundary;

static gboolean
bind_if_in_boundary (AccArray *array,
                     gpointer  data)
{
  const Boundary *self = data;
  gboolean is_in = g_hash_table_contains (self->boundary, array);

  if (is_in)
    add_bound (self->graph, self->boundary, array);

  return is_in;
}

static void
look_over (AccGraph *self)
{
  g_autoptr(GHashTable) boundary = make_boundary (self);
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) stack = g_ptr_array_new (), nodes = g_ptr_array_new ();
  g_autoptr(GPtrArray) offers = g_ptr_array_new ();

  self->is_simple = TRUE;
  self->result_set = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < self->n_results; i++)
    {
      g_hash_table_add (self->result_set, self->results[i]);
      if (g_hash_table_add (seen, self->results[i]))
        g_ptr_array_add (stack, self->results[i]);
    }

  while (stack->len > 0)
    {
      AccArray *array = g_ptr_array_steal_index (stack, stack->len - 1);

      if (bind_if_in_boundary (array, &(Boundary) { self, boundary }))
        continue;
      g_ptr_array_add (nodes, array);
      self->has_sources |= array->op == ACC_OP_SOURCE;
      if (needs_more (boundary, array))
        self->is_simple = FALSE;
      if (array->offer != NULL)
        g_ptr_array_add (offers, array);
      push_unseen (stack, seen, array);
    }
  take_offers (self, offers, seen);
  acc_graph_find_direct_reads (nodes, seen, bind_if_in_boundary, &(Boundary) { self, boundary });
}

AccGraph *
acc_graph_new (AccHost    *host,
               AccProgram *program,
               gboolean    is_body)
{
  AccGraph *self = g_new0 (AccGraph, 1);

  self->host = host;
  self->program = program;
  self->is_body = is_body;
  self->results = acc_program_get_result_nodes (program, &self->n_results);
  self->params = acc_program_get_parameter_nodes (program, &self->n_params);
  self->bound = g_ptr_array_new ();
  self->schedules = acc_schedule_cache_new (MAX_SCHEDULES);
  self->subgraphs = acc_subgraph_cache_new ();
  g_mutex_init (&self->lock);
  look_over (self);

  return self;
}

void
acc_graph_free (AccGraph *self)
{
  g_clear_pointer (&self->users, g_hash_table_unref);
  g_clear_pointer (&self->inner_users, g_hash_table_unref);
  g_clear_pointer (&self->control_points, acc_control_points_free);
  g_clear_pointer (&self->bodies, g_hash_table_unref);
  g_clear_pointer (&self->offers, g_hash_table_unref);
  g_hash_table_unref (self->result_set);
  g_mutex_clear (&self->lock);
  acc_schedule_cache_free (self->schedules);
  acc_subgraph_cache_free (self->subgraphs);
  g_ptr_array_unref (self->bound);
  g_free (self->positions);
  g_free (self->are_params);
  g_free (self);
}

AccGraph *
acc_graph_get_body (AccGraph   *self,
                    AccProgram *program)
{
  AccGraph *body;

  g_mutex_lock (&self->lock);
  if (self->bodies == NULL)
    self->bodies = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) acc_graph_free);
  body = g_hash_table_lookup (self->bodies, program);
  if (body == NULL)
    {
      body = acc_graph_new (self->host, program, TRUE);
      g_hash_table_insert (self->bodies, program, body);
    }
  g_mutex_unlock (&self->lock);

  return body;
}

static GHashTable *
list_users (AccGraph *self,
            gboolean  expands)
{
  GHashTable *users = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  g_autoptr(GPtrArray) nodes = (expands ? acc_array_sort_nodes : acc_array_sort_known_nodes) (self->results, self->n_results);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);
      AccArray *dependence;

      for (guint j = 0; (dependence = acc_array_nth_known_dependence (node, j)) != NULL; j++)
        {
          GPtrArray *list = g_hash_table_lookup (users, dependence);

          if (list == NULL)
            {
              list = g_ptr_array_new ();
              g_hash_table_insert (users, dependence, list);
            }
          g_ptr_array_add (list, node);
        }
    }

  return users;
}

GPtrArray *
acc_graph_get_users (AccGraph *self,
                     AccArray *array)
{
  GPtrArray *users;

  g_mutex_lock (&self->lock);
  if (self->users == NULL)
    self->users = list_users (self, FALSE);
  users = g_hash_table_lookup (self->users, array);
  if (users == NULL && !acc_graph_is_result (self, array))
    {
      if (self->inner_users == NULL)
        self->inner_users = list_users (self, TRUE);
      users = g_hash_table_lookup (self->inner_users, array);
    }
  g_mutex_unlock (&self->lock);

  return users;
}

const AccControlPoints *
acc_graph_get_control_points (AccGraph *self)
{
  g_mutex_lock (&self->lock);
  if (self->control_points == NULL)
    {
      g_autoptr(GHashTable) boundary = make_boundary (self);

      self->control_points = acc_control_points_new (self->results, self->n_results, boundary, self->offers);
    }
  g_mutex_unlock (&self->lock);

  return self->control_points;
}

gboolean
acc_graph_is_result (AccGraph *self,
                     AccArray *array)
{
  return g_hash_table_contains (self->result_set, array);
}
