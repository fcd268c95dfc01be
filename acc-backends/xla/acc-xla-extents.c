/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-xla-extents.h"

#include "acc-backends/runtime/graph/acc-graph.h"

/* Changes of an extent after which it is said to change. */
#define MOST_CHANGES 2

/* Arrays that are known, before all are forgotten. */
#define MOST_ARRAYS  65536

/* ACC_XLA_ROUND */
typedef enum {
  ROUND_CHANGING,
  ROUND_NEVER,
  ROUND_ALWAYS,
} Round;

/* Arrays are known by their addresses, which others may have later: those have extents rounded up that need not. */
typedef struct {
  gint64 last;
  guint  n_changes;
} Seen;

struct _AccXlaExtents {
  Round       round;
  GMutex      lock;
  GHashTable *seen;       /* AccArray to Seen */
};

static Round
get_round (void)
{
  const char *value = secure_getenv ("ACC_XLA_ROUND");

  return g_strcmp0 (value, "never") == 0 ? ROUND_NEVER : g_strcmp0 (value, "always") == 0 ? ROUND_ALWAYS : ROUND_CHANGING;
}

AccXlaExtents *
acc_xla_extents_new (void)
{
  AccXlaExtents *self = g_new0 (AccXlaExtents, 1);

  self->round = get_round ();
  g_mutex_init (&self->lock);
  self->seen = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  return self;
}

void
acc_xla_extents_free (AccXlaExtents *self)
{
  g_hash_table_unref (self->seen);
  g_mutex_clear (&self->lock);
  g_free (self);
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

  reads = acc_graph_list_extent_reads (node->array, NULL);

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

/* With the lock. */
static gboolean
has_changed (AccXlaExtents *self,
             AccFusionNode *node,
             gboolean       changes)
{
  Seen *seen = g_hash_table_lookup (self->seen, node->array);

  if (seen == NULL)
    {
      if (g_hash_table_size (self->seen) >= MOST_ARRAYS)
        g_hash_table_remove_all (self->seen);
      seen = g_new0 (Seen, 1);
      seen->last = node->extents[0];
      g_hash_table_insert (self->seen, node->array, seen);
    }
  if (seen->last != node->extents[0])
    seen->n_changes++;
  if (changes)
    seen->n_changes = MOST_CHANGES;
  seen->last = node->extents[0];

  return seen->n_changes >= MOST_CHANGES;
}

GHashTable *
acc_xla_extents_find (AccXlaExtents  *self,
                      AccFusionGraph *graph)
{
  GHashTable *changing = g_hash_table_new (NULL, NULL);
  g_autoptr(GMutexLocker) locker = NULL;

  if (self->round == ROUND_NEVER)
    return changing;

  locker = g_mutex_locker_new (&self->lock);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      AccFusionNode *node = g_ptr_array_index (graph->nodes, i);
      gboolean is_given = acc_fusion_node_is_given (node), changes = self->round == ROUND_ALWAYS;

      if (node->rank == 0)
        continue;
      if (!is_given)
        changes = changes || follows_from_data (graph, node, changing) || follows_from_inputs (node, changing);
      if (has_changed (self, node, changes))
        g_hash_table_add (changing, node);
    }

  return changing;
}
