/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-sorter-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/data/acc-chunk-private.h"

#include <string.h>

/* Runs are merged by the backend's own sort. Of each run a block is in memory; all elements that come before the last one of the block that
 * ends first are together the next part of the result, and a stable sort of them, run by run, is what a merge gives. */

#define GOOD_BLOCK  (64 * 1024)
#define LEAST_FAN   32
#define LEAST_BLOCK 8
#define MOST_PROBES 32

typedef struct {
  gint64 begin, end;     /* of the store: not read yet */
  gint64 at, n;          /* of the block: elements that are left */
  gint64 taken;          /* that go into the next part */
} Run;

struct _AccMerge
{
  AccSorter  *sorter;
  AccStore   *store;
  guint       n_runs;
  Run        *runs;
  gint64      block;     /* elements */
  gint64      usable;    /* of a block at once; less where the backend has no memory for more */
  AccBuffer **blocks;    /* block after block */
  AccBuffer **part;      /* what is sorted, and probes for keys */
  guint       n_probes;  /* keys of each run that are looked up at once */
  guint64    *keys;
  AccArray   *sorted;    /* nullable */
  AccBuffer **ready;     /* borrowed: the next elements of the result */
  gint64      next, n_ready;
  guint64     bytes;
};

/* Memory for an element of a block: the block, the part, and what a sort takes. */
static guint64
measure_element (AccElementType *type)
{
  return MAX ((guint64) acc_element_type_get_size (type), 1) * 9 / 2 + 1;
}

guint
acc_merge_get_fan_in (AccElementType *type, guint n_runs, guint64 bytes)
{
  guint64 size = MAX ((guint64) acc_element_type_get_size (type), 1), element = measure_element (type);
  guint64 good = bytes / element / MAX (GOOD_BLOCK / size, 1), most = bytes / element / LEAST_BLOCK;

  return (guint) MIN (n_runs, MAX (good, CLAMP (most, 2, LEAST_FAN)));
}

AccMerge *
acc_merge_new (AccSorter *sorter, const AccRuns *runs, guint first, guint n_runs, guint64 bytes, GError **error)
{
  g_autoptr(AccMerge) self = g_new0 (AccMerge, 1);
  gint64 longest = 0;

  self->sorter = acc_sorter_ref (sorter);
  self->store = runs->store;
  self->n_runs = n_runs;
  self->runs = g_new0 (Run, n_runs + 1);
  self->bytes = bytes;
  for (guint i = 0; i < n_runs; i++)
    {
      self->runs[i].begin = first + i > 0 ? g_array_index (runs->ends, gint64, first + i - 1) : 0;
      self->runs[i].end = g_array_index (runs->ends, gint64, first + i);
      longest = MAX (longest, self->runs[i].end - self->runs[i].begin);
    }
  self->block = CLAMP ((gint64) (bytes / measure_element (sorter->type) / MAX (n_runs, 1)), 1, MAX (longest, 1));
  self->usable = self->block;
  self->n_probes = (guint) MIN (self->block, MOST_PROBES);
  self->keys = g_new0 (guint64, (gsize) n_runs * self->n_probes + 1);

  acc_sorter_hold (sorter, 0);
  self->blocks = acc_sorter_allocate (sorter, self->block * n_runs, error);
  self->part = self->blocks != NULL ? acc_sorter_allocate (sorter, self->block * n_runs, error) : NULL;
  if (self->part == NULL)
    return NULL;
  acc_sorter_hold (sorter, bytes / 2);

  return g_steal_pointer (&self);
}

void
acc_merge_free (AccMerge *self)
{
  g_clear_object (&self->sorted);
  acc_buffers_free (self->blocks);
  acc_buffers_free (self->part);
  acc_sorter_unref (self->sorter);
  g_free (self->runs);
  g_free (self->keys);
  g_free (self);
}

/* Blocks of which half is gone are read full again; what comes then is read by the disk while these are sorted. */
static gboolean
fill_blocks (AccMerge *self, GError **error)
{
  g_autofree gpointer *to = g_new0 (gpointer, self->sorter->n_buffers + 1);

  for (guint i = 0; i < self->n_runs; i++)
    {
      Run *run = &self->runs[i];
      gint64 origin = self->block * i, n;

      if (run->begin == run->end || run->n > self->block / 2)
        continue;
      acc_sorter_copy (self->sorter, self->blocks, origin, self->blocks, origin + run->at, run->n);
      run->at = 0;
      n = MIN (self->block - run->n, run->end - run->begin);
      for (guint k = 0; k < self->sorter->n_buffers; k++)
        to[k] = (guint8 *) self->blocks[k]->data
                + (gsize) (origin + run->n) * acc_element_type_get_buffer_size (self->sorter->type, k);
      if (!acc_store_read (self->store, run->begin, n, to, error))
        return FALSE;
      run->begin += n;
      run->n += n;
      acc_store_expect (self->store, run->begin, MIN (self->block, run->end - run->begin));
    }

  return TRUE;
}

/* Looks up the keys of @n elements of each run. Entry i * n + k of @places says which element of run i is its k-th one, counted from the
 * first that is left in the run's block; the same entry of .keys gets its key. A run of which nothing is left has none: its entries do not
 * matter. */
static gboolean
look_up_keys (AccMerge *self, const gint64 *places, guint n, GCancellable *cancellable, GError **error)
{
  gint64 n_keys = 0;

  for (guint i = 0; i < self->n_runs; i++)
    for (guint k = 0; k < n && self->runs[i].n > 0; k++)
      acc_sorter_copy (self->sorter, self->part, n_keys++, self->blocks, self->block * i + self->runs[i].at + places[i * n + k], 1);
  if (!acc_sorter_get_keys (self->sorter, self->part, n_keys, self->keys, cancellable, error))
    return FALSE;

  for (guint i = self->n_runs; i > 0; i--)
    if (self->runs[i - 1].n > 0)
      memmove (&self->keys[(i - 1) * n], &self->keys[n_keys -= n], n * sizeof (guint64));

  return TRUE;
}

static gint64
count_usable (AccMerge *self, guint run)
{
  return MIN (self->runs[run].n, self->usable);
}

/* Places that divide [low, high) of each run; those of runs that are found already do not matter. */
static gboolean
choose_places (AccMerge *self, const gint64 *low, const gint64 *high, gint64 *places)
{
  gboolean searches = FALSE;

  for (guint i = 0; i < self->n_runs; i++)
    for (guint k = 0; k < self->n_probes; k++)
      {
        gint64 step = (gint64) ((guint64) (high[i] - low[i]) * (k + 1) / (self->n_probes + 1));

        places[i * self->n_probes + k] = low[i] < high[i] ? low[i] + step : 0;
        searches |= low[i] < high[i];
      }

  return searches;
}

/* Looks up where in each run the part ends: before elements that come after @last of run @first_run, which is one of the part. */
static gboolean
search_ends (AccMerge *self, guint64 last, guint first_run, GCancellable *cancellable, GError **error)
{
  guint n = self->n_probes;
  g_autofree gint64 *low = g_new0 (gint64, self->n_runs), *high = g_new0 (gint64, self->n_runs),
    *places = g_new0 (gint64, (gsize) self->n_runs * n);

  for (guint i = 0; i < self->n_runs; i++)
    high[i] = count_usable (self, i);
  low[first_run] = high[first_run];

  while (choose_places (self, low, high, places))
    {
      if (!look_up_keys (self, places, n, cancellable, error))
        return FALSE;
      for (guint i = 0; i < self->n_runs; i++)
        for (guint k = 0; k < n && low[i] < high[i]; k++)
          {
            guint64 key = self->keys[i * n + k];
            gint64 place = places[i * n + k];

            if (key < last || (key == last && i <= first_run))
              low[i] = MAX (low[i], place + 1);
            else
              high[i] = MIN (high[i], place);
          }
    }

  for (guint i = 0; i < self->n_runs; i++)
    self->runs[i].taken = low[i];

  return TRUE;
}

/* Says of each run how many elements the next part has. */
static gboolean
cut (AccMerge *self, GCancellable *cancellable, GError **error)
{
  g_autofree gint64 *places = g_new0 (gint64, self->n_runs);
  guint first_run = G_MAXUINT;
  gboolean has_more = FALSE;

  for (guint i = 0; i < self->n_runs; i++)
    {
      self->runs[i].taken = count_usable (self, i);
      places[i] = MAX (self->runs[i].taken - 1, 0);
      has_more |= self->runs[i].n > self->runs[i].taken || self->runs[i].begin < self->runs[i].end;
    }
  if (!has_more)
    return TRUE;
  if (!look_up_keys (self, places, 1, cancellable, error))
    return FALSE;

  for (guint i = 0; i < self->n_runs; i++)
    if ((self->runs[i].n > self->runs[i].taken || self->runs[i].begin < self->runs[i].end)
        && (first_run == G_MAXUINT || self->keys[i] < self->keys[first_run]))
      first_run = i;

  return search_ends (self, self->keys[first_run], first_run, cancellable, error);
}

/* Sorts what cut() says; where the backend has no memory for it, less next time. */
static gboolean
sort_part (AccMerge *self, GCancellable *cancellable, GError **error)
{
  gint64 n = 0;
  guint n_from = 0;

  for (guint i = 0; i < self->n_runs; i++)
    {
      acc_sorter_copy (self->sorter, self->part, n, self->blocks, self->block * i + self->runs[i].at, self->runs[i].taken);
      n += self->runs[i].taken;
      n_from += self->runs[i].taken > 0;
    }

  if (n_from > 1)
    {
      self->sorted = acc_sorter_sort (self->sorter, self->part, 0, n, cancellable, error);
      if (self->sorted == NULL)
        return FALSE;
    }
  self->ready = self->sorted != NULL ? acc_array_get_buffers (self->sorted) : self->part;
  self->next = 0;
  self->n_ready = n;
  for (guint i = 0; i < self->n_runs; i++)
    {
      self->runs[i].at += self->runs[i].taken;
      self->runs[i].n -= self->runs[i].taken;
    }

  return TRUE;
}

static gboolean
make_ready (AccMerge *self, GCancellable *cancellable, GError **error)
{
  g_clear_object (&self->sorted);
  self->n_ready = self->next = 0;
  acc_sorter_hold (self->sorter, self->bytes / 2);
  if (!fill_blocks (self, error))
    return FALSE;

  for (;;)
    {
      GError *local = NULL;

      if (cut (self, cancellable, &local) && sort_part (self, cancellable, &local))
        return TRUE;
      if (!g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) || self->usable == 1)
        {
          g_propagate_error (error, local);
          return FALSE;
        }
      g_error_free (local);
      self->usable = MAX (self->usable / 2, 1);
      self->n_probes = MAX (self->n_probes / 2, 1);
    }
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
    addresses[i] = (guint8 *) self->ready[i]->data
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
