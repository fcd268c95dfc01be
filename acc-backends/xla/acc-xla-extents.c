/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-xla-extents.h"

#include "acc-backends/fuse/acc-function-facts.h"

/* Changes of an extent after which it is said to change. */
#define MOST_CHANGES 2

/* ACC_XLA_ROUND */
typedef enum {
  ROUND_CHANGING,
  ROUND_NEVER,
  ROUND_ALWAYS,
} Round;

/* Of an array, which keeps it. Any thread; both are atomic. */
typedef struct {
  gint64 last;
  int    n_changes;
} Seen;

static Round
get_round (void)
{
  const char *value = secure_getenv ("ACC_XLA_ROUND");

  return g_strcmp0 (value, "never") == 0 ? ROUND_NEVER : g_strcmp0 (value, "always") == 0 ? ROUND_ALWAYS : ROUND_CHANGING;
}

static Seen *
get_seen (AccArray *array,
          gint64    extent)
{
  GQuark quark = g_quark_from_static_string ("acc-xla-extents");
  Seen *seen = g_object_get_qdata (G_OBJECT (array), quark);

  if (seen != NULL)
    return seen;

  seen = g_new0 (Seen, 1);
  seen->last = extent;
  if (g_object_replace_qdata (G_OBJECT (array), quark, NULL, seen, g_free, NULL))
    return seen;
  g_free (seen);

  return g_object_get_qdata (G_OBJECT (array), quark);
}

/* Whether its extents are read from elements that are computed, or asked of arrays in @changing. */
static gboolean
follows_from_data (AccFusionGraph *graph,
                   AccFusionNode  *node,
                   GHashTable     *changing)
{
  g_autoptr(GPtrArray) reads = NULL;

  for (guint i = 0; node->array->extents != NULL && i < node->array->extents->arrays->len; i++)
    {
      AccArray *array = g_ptr_array_index (node->array->extents->arrays, i);
      AccFusionNode *other = acc_fusion_graph_get (graph, array);

      if (other != NULL && g_hash_table_contains (changing, other))
        return TRUE;
    }

  reads = acc_array_list_extent_reads (node->array, NULL);

  return reads != NULL;
}

/* What is not told by extents of its own has those of its inputs. */
static gboolean
follows_from_inputs (AccFusionNode *node,
                     GHashTable    *changing)
{
  if (node->array->extents != NULL || node->array->shape != NULL)
    return FALSE;

  for (guint i = 0; i < node->array->n_inputs; i++)
    if (node->inputs[i] != NULL && g_hash_table_contains (changing, node->inputs[i]))
      return TRUE;

  return FALSE;
}

static gboolean
has_changed (AccFusionNode *node,
             gboolean       changes)
{
  Seen *seen = get_seen (node->array, node->extents[0]);

  if (__atomic_exchange_n (&seen->last, node->extents[0], __ATOMIC_RELAXED) != node->extents[0])
    g_atomic_int_inc (&seen->n_changes);
  if (changes)
    g_atomic_int_set (&seen->n_changes, MOST_CHANGES);

  return g_atomic_int_get (&seen->n_changes) >= MOST_CHANGES;
}

GHashTable *
acc_xla_extents_find (AccFusionGraph *graph)
{
  GHashTable *changing = g_hash_table_new (NULL, NULL);
  Round round = get_round ();

  for (guint i = 0; i < graph->nodes->len && round != ROUND_NEVER; i++)
    {
      AccFusionNode *node = g_ptr_array_index (graph->nodes, i);
      gboolean is_given = acc_fusion_node_is_given (node), changes = round == ROUND_ALWAYS;

      if (node->rank == 0)
        continue;
      if (!is_given)
        changes = changes || follows_from_data (graph, node, changing) || follows_from_inputs (node, changing);
      if (has_changed (node, changes))
        g_hash_table_add (changing, node);
    }

  return changing;
}
