/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-subgraph-cache.h"

#include <string.h>

/* Runs that decide otherwise each time, as many choices in a row may, would add states without end. */
#define MAX_ENTRIES 1024

/* Ways from a state to the next. */
typedef enum {
  WAY_STEP,
  WAY_TARGETS,
  WAY_TARGETS_KEPT,
} Way;

typedef struct {
  guint      state;
  Way        way;
  guint      n;
  gpointer  *nodes;
} Key;

typedef struct {
  Key         key;
  AccSubgraph subgraph;
} Entry;

struct _AccSubgraphCache {
  GMutex      lock;
  GHashTable *entries;    /* Entry, by its key */
};

static guint
hash_key (gconstpointer data)
{
  const Key *key = data;
  guint hash = key->state * 31 + key->way;

  for (guint i = 0; i < key->n; i++)
    hash = hash * 33 + g_direct_hash (key->nodes[i]);

  return hash;
}

static gboolean
equal_keys (gconstpointer a,
            gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->state == y->state && x->way == y->way && x->n == y->n && memcmp (x->nodes, y->nodes, x->n * sizeof *x->nodes) == 0;
}

void
acc_subgraph_clear (AccSubgraph *self)
{
  g_clear_pointer (&self->wanted, g_ptr_array_unref);
  g_clear_pointer (&self->bound, g_ptr_array_unref);
  g_clear_pointer (&self->uses, g_ptr_array_unref);
  g_clear_pointer (&self->spent, g_array_unref);
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  acc_subgraph_clear (&entry->subgraph);
  g_free (entry->key.nodes);
  g_free (entry);
}

AccSubgraphCache *
acc_subgraph_cache_new (void)
{
  AccSubgraphCache *self = g_new0 (AccSubgraphCache, 1);

  g_mutex_init (&self->lock);
  self->entries = g_hash_table_new_full (hash_key, equal_keys, NULL, entry_free);

  return self;
}

void
acc_subgraph_cache_free (AccSubgraphCache *self)
{
  g_hash_table_unref (self->entries);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Returns the state after the entry. Each entry has a state of its own; an equal one that is there already is kept. */
static guint
add (AccSubgraphCache  *self,
     const Key         *key,
     const AccSubgraph *subgraph)
{
  Entry *entry;

  if (key->state == ACC_GRAPH_STATE_UNKNOWN)
    return ACC_GRAPH_STATE_UNKNOWN;

  g_mutex_lock (&self->lock);
  entry = g_hash_table_lookup (self->entries, key);
  if (entry == NULL && g_hash_table_size (self->entries) < MAX_ENTRIES)
    {
      entry = g_new0 (Entry, 1);
      entry->key = *key;
      entry->key.nodes = g_memdup2 (key->nodes, key->n * sizeof *key->nodes);
      if (subgraph != NULL)
        {
          entry->subgraph.wanted = g_ptr_array_ref (subgraph->wanted);
          entry->subgraph.bound = g_ptr_array_ref (subgraph->bound);
          entry->subgraph.uses = g_ptr_array_ref (subgraph->uses);
          entry->subgraph.spent = g_array_ref (subgraph->spent);
        }
      entry->subgraph.state = ACC_GRAPH_STATE_FIRST + 1 + g_hash_table_size (self->entries);
      g_hash_table_insert (self->entries, &entry->key, entry);
    }
  g_mutex_unlock (&self->lock);

  return entry != NULL ? entry->subgraph.state : ACC_GRAPH_STATE_UNKNOWN;
}

guint
acc_subgraph_cache_step (AccSubgraphCache *self,
                         guint             state,
                         AccArray         *node)
{
  return add (self, &(Key) { state, WAY_STEP, 1, (gpointer[]) { node } }, NULL);
}

static Key
get_key (guint      state,
         GPtrArray *targets,
         gboolean   keep)
{
  return (Key) { state, keep ? WAY_TARGETS_KEPT : WAY_TARGETS, targets->len, targets->pdata };
}

const AccSubgraph *
acc_subgraph_cache_find (AccSubgraphCache *self,
                         guint             state,
                         GPtrArray        *targets,
                         gboolean          keep)
{
  Key key = get_key (state, targets, keep);
  Entry *entry;

  g_mutex_lock (&self->lock);
  entry = g_hash_table_lookup (self->entries, &key);
  g_mutex_unlock (&self->lock);

  return entry != NULL ? &entry->subgraph : NULL;
}

guint
acc_subgraph_cache_add (AccSubgraphCache  *self,
                        guint              state,
                        GPtrArray         *targets,
                        gboolean           keep,
                        const AccSubgraph *subgraph)
{
  Key key = get_key (state, targets, keep);

  return add (self, &key, subgraph);
}
