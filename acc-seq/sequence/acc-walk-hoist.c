/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"
#include "acc-seq/sequence/producers/acc-sequence-windows-private.h"

/* What functions of elements compute of other arrays alone is computed once, before the walk, unless it is as cheap to compute again. */

/* Windows of an array are read from it where it takes one part in so many of a memory limit. */
#define MOST_OF_LIMIT 4

/* Of what is not worked out yet the inputs: what that makes of itself is as cheap to compute again, unless it says otherwise. */
static AccArray *
nth_dependence (AccArray *array,
                guint     n)
{
  return array->offer != NULL && array->offer->prepares ? acc_array_nth_dependence (array, n) : acc_array_nth_known_dependence (array, n);
}

/* The nodes that depend on the function's parameters. */
static GHashTable *
find_dependent (AccSequenceFunction *function,
                GPtrArray           *nodes)
{
  GHashTable *dependent = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < function->n_parameters; i++)
    g_hash_table_add (dependent, function->parameters[i]);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i), *dependence;

      for (guint j = 0; (dependence = nth_dependence (node, j)) != NULL; j++)
        if (g_hash_table_contains (dependent, dependence))
          g_hash_table_add (dependent, node);
    }

  return dependent;
}

/* Whether it is worth memory: it reads a source, runs a loop, or has an operation that makes a kernel of its own. */
static gboolean
is_costly (AccArray *array)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (&array, 1);
  gboolean costly = FALSE;

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      if (node->op == ACC_OP_PARAMETER)
        return FALSE;
      costly = costly || node->op == ACC_OP_SOURCE || node->op == ACC_OP_DEFERRED
               || acc_operation_get_family (node->op) == ACC_FAMILY_FLOW || acc_operation_has_fact (node->op, ACC_FACT_ANCHORS);
    }

  return costly;
}

static void
add_costly (GPtrArray *found,
            AccArray  *array)
{
  if (!g_ptr_array_find (found, array, NULL) && is_costly (array))
    g_ptr_array_add (found, array);
}

/* The arrays that dependent nodes read and that do not depend on elements. */
static void
find_closed (AccSequenceFunction *function,
             GPtrArray           *found)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_by (function->results, function->n_results, nth_dependence);
  g_autoptr(GHashTable) dependent = find_dependent (function, nodes);

  for (guint i = 0; i < function->n_results; i++)
    if (!g_hash_table_contains (dependent, function->results[i]))
      add_costly (found, function->results[i]);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i), *dependence;

      if (!g_hash_table_contains (dependent, node))
        continue;
      for (guint j = 0; (dependence = nth_dependence (node, j)) != NULL; j++)
        if (!g_hash_table_contains (dependent, dependence))
          add_costly (found, dependence);
    }
}

/* Computes what of @functions does not depend on elements; @replaced gets it. */
static gboolean
compute_closed (AccWalk    *self,
                GPtrArray  *functions,
                GHashTable *replaced,
                GError    **error)
{
  g_autoptr(GPtrArray) found = g_ptr_array_new ();
  g_autoptr(GPtrArray) values = NULL;

  for (guint i = 0; i < functions->len; i++)
    find_closed (g_ptr_array_index (functions, i), found);
  if (found->len == 0)
    return TRUE;

  values = acc_backend_run_many (self->backend, (AccArray **) found->pdata, found->len, self->cancellable, error);
  if (values == NULL)
    return FALSE;
  for (guint i = 0; i < found->len; i++)
    g_hash_table_insert (replaced, g_ptr_array_index (found, i), g_object_ref (g_ptr_array_index (values, i)));

  return TRUE;
}

AccSequenceFunction *
acc_walk_close_function (AccWalk             *self,
                         AccSequenceFunction *function,
                         GError             **error)
{
  g_autoptr(GPtrArray) functions = g_ptr_array_new ();
  g_autoptr(GHashTable) replaced = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);

  g_ptr_array_add (functions, function);

  return compute_closed (self, functions, replaced, error) ? acc_sequence_function_copy (function, replaced) : NULL;
}

/* Whether what reads @array may have all of it in the memory of the backend. */
static gboolean
has_room (AccWalk  *self,
          AccArray *array)
{
  guint64 limit = acc_budget_get_limit (acc_backend_get_budget (self->backend));

  return limit == 0 || (acc_walk_is_on_processors (self) && acc_array_is_manifest (array))
         || (guint64) acc_walk_count_bytes (array->shape, array->type) <= limit / MOST_OF_LIMIT;
}

gboolean
acc_walk_is_map (AccWalk     *self,
                 AccSequence *sequence)
{
  if (sequence->kind != ACC_SEQUENCE_KIND_PRODUCER || sequence->function == NULL)
    return sequence->kind == ACC_SEQUENCE_KIND_MAP;

  return has_room (self, sequence->producer != NULL ? acc_sequence_windows_get_array (sequence->producer) : sequence->array);
}

/* Whether the walk calls its function: windows that are read have one, too. */
static gboolean
calls (AccWalk     *self,
       AccSequence *sequence)
{
  return sequence->function != NULL && (sequence->kind != ACC_SEQUENCE_KIND_PRODUCER || acc_walk_is_map (self, sequence));
}

gboolean
acc_walk_hoist (AccWalk *self,
                GError **error)
{
  g_autoptr(GPtrArray) functions = g_ptr_array_new ();
  g_autoptr(GHashTable) replaced = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);

  for (guint i = 0; i < self->sequences->len; i++)
    {
      AccSequence *sequence = g_ptr_array_index (self->sequences, i);

      if (calls (self, sequence))
        g_ptr_array_add (functions, sequence->function);
    }
  if (!compute_closed (self, functions, replaced, error))
    return FALSE;

  for (guint i = 0; i < self->sequences->len && g_hash_table_size (replaced) > 0; i++)
    {
      AccSequence *sequence = g_ptr_array_index (self->sequences, i);

      if (calls (self, sequence))
        g_hash_table_insert (self->functions, sequence, acc_sequence_function_copy (sequence->function, replaced));
    }

  return TRUE;
}
