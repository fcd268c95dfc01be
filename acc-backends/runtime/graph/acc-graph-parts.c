/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-graph-parts.h"

#include <string.h>

/* Runs that decide otherwise each time, as many choices in a row may, would find new states for ever. */
#define MAX_PARTS 1024

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
  Key          key;
  AccGraphPart part;
} Entry;

struct _AccGraphParts {
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
acc_graph_part_clear (AccGraphPart *self)
{
  g_clear_pointer (&self->wanted, g_ptr_array_unref);
  g_clear_pointer (&self->bound, g_ptr_array_unref);
  g_clear_pointer (&self->uses, g_ptr_array_unref);
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  acc_graph_part_clear (&entry->part);
  g_free (entry->key.nodes);
  g_free (entry);
}

AccGraphParts *
acc_graph_parts_new (void)
{
  AccGraphParts *self = g_new0 (AccGraphParts, 1);

  g_mutex_init (&self->lock);
  self->entries = g_hash_table_new_full (hash_key, equal_keys, NULL, entry_free);

  return self;
}

void
acc_graph_parts_free (AccGraphParts *self)
{
  g_hash_table_unref (self->entries);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* The state behind the entry: that of the first who added it. Each has a state of its own, as long as there are not too many. */
static guint
add (AccGraphParts      *self,
     const Key          *key,
     const AccGraphPart *part)
{
  Entry *entry;

  if (key->state == ACC_GRAPH_STATE_UNKNOWN)
    return ACC_GRAPH_STATE_UNKNOWN;

  g_mutex_lock (&self->lock);
  entry = g_hash_table_lookup (self->entries, key);
  if (entry == NULL && g_hash_table_size (self->entries) < MAX_PARTS)
    {
      entry = g_new0 (Entry, 1);
      entry->key = *key;
      entry->key.nodes = g_memdup2 (key->nodes, key->n * sizeof *key->nodes);
      if (part != NULL)
        {
          entry->part.wanted = g_ptr_array_ref (part->wanted);
          entry->part.bound = g_ptr_array_ref (part->bound);
          entry->part.uses = g_ptr_array_ref (part->uses);
        }
      entry->part.state = ACC_GRAPH_STATE_FIRST + 1 + g_hash_table_size (self->entries);
      g_hash_table_insert (self->entries, &entry->key, entry);
    }
  g_mutex_unlock (&self->lock);

  return entry != NULL ? entry->part.state : ACC_GRAPH_STATE_UNKNOWN;
}

guint
acc_graph_parts_step (AccGraphParts *self,
                      guint          state,
                      AccArray      *node)
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

const AccGraphPart *
acc_graph_parts_find (AccGraphParts *self,
                      guint          state,
                      GPtrArray     *targets,
                      gboolean       keep)
{
  Key key = get_key (state, targets, keep);
  Entry *entry;

  g_mutex_lock (&self->lock);
  entry = g_hash_table_lookup (self->entries, &key);
  g_mutex_unlock (&self->lock);

  return entry != NULL ? &entry->part : NULL;
}

guint
acc_graph_parts_add (AccGraphParts      *self,
                     guint               state,
                     GPtrArray          *targets,
                     gboolean            keep,
                     const AccGraphPart *part)
{
  Key key = get_key (state, targets, keep);

  return add (self, &key, part);
}
