/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"
#include "acc-external-parts-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-parallel-private.h"
#include "acc-core/data/acc-chunk-private.h"

#include <string.h>

/* Of each run a block is in memory, and the keys of its elements. */

#define GOOD_BLOCK  (64 * 1024)
#define LEAST_FAN   32
#define LEAST_BLOCK 8

struct _AccMerge
{
  AccSorter *sorter;
  AccStore  *store;
  AccParts   parts;      /* a run for each; .elements are block after block */
  gint64     block;      /* elements */
  struct {
    gint64 begin, end;   /* of the store: not read yet */
    gint64 n_read;       /* just now */
  }     *left;           /* of each run */
  guint *wanted, n_wanted, next_wanted;   /* blocks that are read; the last one is atomic */
  GError *failure;       /* atomic */
  gint64 next, n_ready;
};

/* Memory for an element of a block, of all that a merge takes. */
static guint64
measure_element (AccElementType *type, AccElementType *key_type)
{
  return ((guint64) acc_element_type_get_size (type) + acc_element_type_get_size (key_type)) * 8 / 5 + 1;
}

guint
acc_merge_get_fan_in (AccElementType *type, AccElementType *key_type, guint n_runs, guint64 bytes)
{
  guint64 size = MAX ((guint64) acc_element_type_get_size (type), 1), element = measure_element (type, key_type);
  guint64 good = bytes / element / MAX (GOOD_BLOCK / size, 1), most = bytes / element / LEAST_BLOCK;

  return (guint) MIN (n_runs, MAX (good, CLAMP (most, 2, LEAST_FAN)));
}

AccMerge *
acc_merge_new (AccSorter *sorter, const AccRuns *runs, guint first, guint n_runs, guint64 bytes, GError **error)
{
  g_autoptr(AccMerge) self = g_new0 (AccMerge, 1);

  self->sorter = acc_sorter_ref (sorter);
  self->store = runs->store;
  if (!acc_parts_init (&self->parts, sorter, n_runs, bytes, error))
    return NULL;

  self->left = g_malloc0_n (n_runs + 1, sizeof *self->left);
  self->wanted = g_new0 (guint, n_runs + 1);
  self->block = self->parts.sizes.n_elements / MAX (n_runs, 1);
  self->parts.n_runs = n_runs;
  for (guint i = 0; i < n_runs; i++)
    {
      self->left[i].begin = first + i > 0 ? g_array_index (runs->ends, gint64, first + i - 1) : 0;
      self->left[i].end = g_array_index (runs->ends, gint64, first + i);
    }

  return g_steal_pointer (&self);
}

void
acc_merge_free (AccMerge *self)
{
  acc_parts_clear (&self->parts);
  acc_sorter_unref (self->sorter);
  g_free (self->left);
  g_free (self->wanted);
  g_free (self);
}

/* Block @number is read full again; what comes then is read by the disk meanwhile. */
static gboolean
fill_block (AccMerge *self, guint number, GError **error)
{
  AccPartsRun *run = &self->parts.runs[number];
  gint64 origin = self->block * number, begin = self->left[number].begin, n = MIN (self->block - run->n, self->left[number].end - begin);

  acc_external_copy (self->sorter->type, self->parts.elements, origin, self->parts.elements, run->at, run->n);
  acc_external_copy (self->sorter->key_type, self->parts.keys, origin, self->parts.keys, run->at, run->n);
  run->at = origin;
  if (!acc_store_read_to (self->store, begin, n, self->parts.elements, origin + run->n, error))
    return FALSE;
  self->left[number].begin = begin += n;
  self->left[number].n_read = n;
  acc_store_expect (self->store, begin, MIN (self->block, self->left[number].end - begin));

  return TRUE;
}

static void
fill_blocks (gpointer data)
{
  AccMerge *self = data;
  guint i;

  while ((i = __atomic_fetch_add (&self->next_wanted, 1, __ATOMIC_RELAXED)) < self->n_wanted)
    {
      GError *error = NULL;

      if (!fill_block (self, self->wanted[i], &error) && !g_atomic_pointer_compare_and_exchange (&self->failure, NULL, error))
        g_error_free (error);
    }
}

static gboolean
get_keys (AccMerge *self, guint number, GCancellable *cancellable, GError **error)
{
  AccPartsRun *run = &self->parts.runs[number];
  gint64 n = self->left[number].n_read;

  if (!acc_sorter_get_keys (self->sorter, self->parts.elements, self->parts.keys, run->at + run->n, n, cancellable, error))
    return FALSE;
  run->n += n;
  run->has_more = self->left[number].begin < self->left[number].end;

  return TRUE;
}

/* Blocks of which little is left are filled. */
static gboolean
make_ready (AccMerge *self, GCancellable *cancellable, GError **error)
{
  gint64 few = CLAMP (acc_parts_count_wanted (&self->parts), self->block / 8, self->block / 2);

  self->n_ready = self->next = 0;
  self->n_wanted = self->next_wanted = 0;
  for (guint i = 0; i < self->parts.n_runs; i++)
    if (self->left[i].begin < self->left[i].end && self->parts.runs[i].n <= few)
      self->wanted[self->n_wanted++] = i;
  if (self->n_wanted > 0)
    acc_parallel_run (self->n_wanted, fill_blocks, self);
  if (self->failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->failure));
      return FALSE;
    }
  for (guint i = 0; i < self->n_wanted; i++)
    if (!get_keys (self, self->wanted[i], cancellable, error))
      return FALSE;
  self->n_ready = acc_parts_next (&self->parts);

  return TRUE;
}

gint64
acc_merge_next (AccMerge *self, gint64 most, gpointer *addresses, GCancellable *cancellable, GError **error)
{
  gint64 n;

  if (g_cancellable_set_error_if_cancelled (cancellable, error)
      || (self->next == self->n_ready && !make_ready (self, cancellable, error)))
    return -1;

  n = MIN (most, self->n_ready - self->next);
  for (guint i = 0; i < self->sorter->n_buffers && n > 0; i++)
    addresses[i] = (guint8 *) self->parts.ready[i]->data
                   + (gsize) self->next * acc_element_type_get_buffer_size (self->sorter->type, i);
  self->next += n;

  return n;
}

void
acc_runs_clear (AccRuns *self)
{
  g_clear_pointer (&self->store, acc_store_unref);
  g_clear_pointer (&self->ends, g_array_unref);
}

/* --- a source */

#define ACC_TYPE_MERGE_SOURCE (acc_merge_source_get_type ())
G_DECLARE_FINAL_TYPE (AccMergeSource, acc_merge_source, ACC, MERGE_SOURCE, AccSource)

struct _AccMergeSource
{
  AccSource  parent_instance;

  AccSorter *sorter;
  AccRuns    runs;
  guint64    bytes;
  AccMerge  *merge;
};

G_DEFINE_FINAL_TYPE (AccMergeSource, acc_merge_source, ACC_TYPE_SOURCE)

static void
acc_merge_source_finish (AccSource *source)
{
  AccMergeSource *self = ACC_MERGE_SOURCE (source);

  g_clear_pointer (&self->merge, acc_merge_free);
  acc_sorter_hold (self->sorter, self->bytes);
}

static gboolean
acc_merge_source_start (AccSource *source, GCancellable *cancellable, GError **error)
{
  AccMergeSource *self = ACC_MERGE_SOURCE (source);

  acc_merge_source_finish (source);
  self->merge = acc_merge_new (self->sorter, &self->runs, 0, self->runs.ends->len, self->bytes, error);

  return self->merge != NULL;
}

static gboolean
acc_merge_source_read (AccSource *source, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccMergeSource *self = ACC_MERGE_SOURCE (source);
  AccElementType *type = self->sorter->type;
  g_autofree gpointer *addresses = g_new0 (gpointer, self->sorter->n_buffers + 1);
  gint64 n_rows = acc_chunk_get_n_rows (chunk), n;

  for (gint64 row = 0; row < n_rows; row += n)
    {
      n = acc_merge_next (self->merge, n_rows - row, addresses, cancellable, error);
      if (n <= 0)
        return FALSE;
      for (guint i = 0; i < self->sorter->n_buffers; i++)
        {
          gsize width = acc_element_type_get_buffer_size (type, i);

          memcpy ((guint8 *) (guintptr) acc_chunk_get_address (chunk, i) + (gsize) row * width, addresses[i], (gsize) n * width);
        }
    }

  return TRUE;
}

static void
acc_merge_source_finalize (GObject *object)
{
  AccMergeSource *self = ACC_MERGE_SOURCE (object);

  g_clear_pointer (&self->merge, acc_merge_free);
  g_clear_pointer (&self->sorter, acc_sorter_unref);
  acc_runs_clear (&self->runs);

  G_OBJECT_CLASS (acc_merge_source_parent_class)->finalize (object);
}

static void
acc_merge_source_class_init (AccMergeSourceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_merge_source_finalize;
  ACC_SOURCE_CLASS (klass)->start = acc_merge_source_start;
  ACC_SOURCE_CLASS (klass)->read = acc_merge_source_read;
  ACC_SOURCE_CLASS (klass)->finish = acc_merge_source_finish;
}

static void
acc_merge_source_init (AccMergeSource *self)
{
}

AccArray *
acc_merge_new_array (AccSorter *sorter, AccRuns *runs, const char *name)
{
  gint64 n = runs->ends->len > 0 ? g_array_index (runs->ends, gint64, runs->ends->len - 1) : 0;
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccMergeSource) self = g_object_new (ACC_TYPE_MERGE_SOURCE, "name", name, NULL);

  acc_source_set_layout (ACC_SOURCE (self), sorter->type, shape);
  self->sorter = acc_sorter_ref (sorter);
  self->runs = *runs;
  *runs = (AccRuns) { NULL, NULL };
  self->bytes = sorter->held;

  return acc_array_new_from_rows (ACC_SOURCE (self));
}
