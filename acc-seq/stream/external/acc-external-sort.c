/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-parts-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <string.h>

/* Sorts of a vector: runs as long as memory allows are sorted as they come and go into a store; sources read them merged. The backend
 * computes keys; the rest is for processors, whose work the disk hides: one run is written while the next one is read and sorted. */

/* What a sort takes of the memory limit besides elements. */
#define LEAST_BYTES (32 * 1024)
/* Of memory: more gains nothing. */
#define MOST_MERGE  (G_GUINT64_CONSTANT (256) << 20)
#define MOST_STREAM (G_GUINT64_CONSTANT (64) << 20)
#define GOOD_BLOCK  (G_GUINT64_CONSTANT (5) << 20)
/* Of each of two runs: less is sorted before the disk has anything to do meanwhile. */
#define LEAST_SLOT  (G_GUINT64_CONSTANT (1) << 20)
#define MOST_SLOTS  2
/* Elements that are sorted as soon as they are there. */
#define GOOD_BATCH  (256 * 1024)

/* --- the walk */

typedef struct {
  AccParts parts;          /* .elements: a run */
  gint64   n, n_sorted;    /* that came; of them in parts that are sorted */
} Slot;

typedef struct {
  AccExternalTask task;
  AccSorter *sorter;
  AccRuns    runs;
  Slot       slots[MOST_SLOTS];
  guint      n_slots, filled;    /* which one is filled */
  gint64     batch;
  GThread   *thread;             /* writes another one; what it uses nobody else does until then: */
  Slot      *written;
  gint64     n_written;
} Sort;

static gboolean
write_slot (Sort *self, Slot *slot, GError **error)
{
  gint64 n;

  while ((n = acc_parts_next (&slot->parts)) > 0)
    {
      if (g_cancellable_set_error_if_cancelled (self->task.cancellable, error)
          || !acc_store_write_from (self->runs.store, self->n_written, n, slot->parts.ready, 0, error))
        return FALSE;
      self->n_written += n;
    }
  g_array_append_val (self->runs.ends, self->n_written);
  slot->n = slot->n_sorted = slot->parts.n_runs = 0;

  return TRUE;
}

static gpointer
write_in_thread (gpointer data)
{
  Sort *self = data;
  GError *error = NULL;

  write_slot (self, self->written, &error);

  return error;
}

static gboolean
join_thread (Sort *self, GError **error)
{
  GError *failure = self->thread != NULL ? g_thread_join (g_steal_pointer (&self->thread)) : NULL;

  if (failure == NULL)
    return TRUE;

  g_propagate_error (error, failure);

  return FALSE;
}

static gboolean
sort_batch (Sort *self, GCancellable *cancellable, GError **error)
{
  Slot *slot = &self->slots[self->filled];
  AccParts *parts = &slot->parts;

  if (!acc_sorter_get_keys (self->sorter, parts->elements, parts->keys, slot->n_sorted, slot->n - slot->n_sorted, cancellable, error))
    return FALSE;
  acc_parts_sort (parts, slot->n);
  slot->n_sorted = slot->n;

  return TRUE;
}

/* Sorts what is left of the run, which is written while the next one comes, if there is room for that. */
static gboolean
end_run (Sort *self, GCancellable *cancellable, GError **error)
{
  Slot *slot = &self->slots[self->filled];

  if (!sort_batch (self, cancellable, error) || !join_thread (self, error))
    return FALSE;

  self->written = slot;
  self->filled = (self->filled + 1) % self->n_slots;
  if (self->n_slots == 1)
    return write_slot (self, slot, error);
  self->thread = g_thread_try_new ("acc-runs", write_in_thread, self, error);

  return self->thread != NULL;
}

static gboolean
add_rows (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Sort *self = data;
  gint64 n_rows = acc_chunk_get_n_rows (chunk), n;

  for (gint64 row = 0; row < n_rows; row += n)
    {
      Slot *slot = &self->slots[self->filled];

      n = MIN (n_rows - row, MIN (slot->parts.sizes.n_elements, slot->n_sorted + self->batch) - slot->n);
      for (guint i = 0; i < self->sorter->n_buffers; i++)
        {
          gsize width = acc_element_type_get_buffer_size (self->sorter->type, i);

          memcpy ((guint8 *) slot->parts.elements[i]->data + (gsize) slot->n * width,
                  (const guint8 *) (guintptr) acc_chunk_get_address (chunk, i) + (gsize) row * width, (gsize) n * width);
        }
      slot->n += n;
      if (slot->n == slot->parts.sizes.n_elements ? !end_run (self, cancellable, error)
                                                  : slot->n == slot->n_sorted + self->batch && !sort_batch (self, cancellable, error))
        return FALSE;
    }

  return TRUE;
}

/* What is held for them goes with them; what is held for a merge comes later. */
static void
clear_slots (Sort *self)
{
  if (self->n_slots == 0)
    return;

  join_thread (self, NULL);
  for (; self->n_slots > 0; self->n_slots--)
    acc_parts_clear (&self->slots[self->n_slots - 1].parts);
  acc_sorter_hold (self->sorter, 0);
}

static gboolean
end_rows (gpointer data, GCancellable *cancellable, GError **error)
{
  Sort *self = data;
  gboolean done = (self->slots[self->filled].n == 0 || end_run (self, cancellable, error)) && join_thread (self, error);

  clear_slots (self);

  return done;
}

static const AccExternalWalk into_runs = { "runs", add_rows, end_rows };

/* --- sizes */

static AccArray **
take_sort (AccArray *node, guint *n_inputs)
{
  *n_inputs = 1;

  return node->op == ACC_OP_SORT && node->rank == 1 ? node->inputs : NULL;
}

/* The result, as much again, and what is counted. */
static guint64
measure_whole (AccArray *node)
{
  guint64 bytes = acc_external_get_bytes (node);

  return bytes != G_MAXUINT64 ? acc_bytes_add (acc_bytes_multiply (bytes, 2), bytes / 4) : bytes;
}

/* It passes between the result and as much again, elements with their keys. */
static guint64
measure_apart (AccArray *node)
{
  return acc_bytes_add (measure_whole (node), acc_bytes_multiply (acc_external_get_size (node),
                                                                  acc_element_type_get_size (node->type)
                                                                  + acc_element_type_get_size (acc_sorter_get_key_type (node))));
}

static guint64
measure_least (AccArray *node)
{
  return acc_bytes_add (acc_bytes_add (LEAST_BYTES, acc_external_measure_rows (node->inputs[0])),
                        acc_parts_measure_least (node->type, acc_sorter_get_key_type (node)));
}

/* What runs are read and sorted in; the rest is for what comes by rows. */
static guint64
get_run_bytes (AccArray *node, guint64 room)
{
  guint64 rows = MAX (MIN (room / 4, MOST_STREAM), acc_external_measure_rows (node->inputs[0]));

  return room > rows ? room - rows : 0;
}

static guint
count_slots (guint64 run_bytes)
{
  return (guint) CLAMP (run_bytes / LEAST_SLOT, 1, MOST_SLOTS);
}

static guint64
get_merge_bytes (guint64 room, guint n_runs)
{
  return MIN (room / 2, MAX (MOST_MERGE, acc_bytes_multiply (GOOD_BLOCK, n_runs)));
}

/* At most. */
static guint64
count_runs (AccArray *node, guint64 room)
{
  AccPartsSizes sizes;
  guint64 bytes = get_run_bytes (node, room);

  acc_parts_choose (&sizes, node->type, acc_sorter_get_key_type (node), 0, bytes / count_slots (bytes));

  return acc_external_get_size (node) / (guint64) sizes.n_elements + 1;
}

/* Of what merges them. */
static guint64
measure_held (AccBackend *backend, AccArray *node)
{
  guint64 room = acc_external_get_room (backend);

  return get_merge_bytes (room, (guint) MIN (count_runs (node, room), G_MAXINT));
}

static void
count_passes (AccBackend *backend, AccArray *node, guint *n_written, guint *n_read)
{
  AccElementType *key_type = acc_sorter_get_key_type (node);
  guint64 room = acc_external_get_room (backend), n_runs = count_runs (node, room);
  guint levels = 1, fan_in;

  while ((fan_in = acc_merge_get_fan_in (node->type, key_type, (guint) MIN (n_runs, G_MAXINT), get_merge_bytes (room, (guint) n_runs)))
         < n_runs)
    {
      n_runs = (n_runs + fan_in - 1) / fan_in;
      levels++;
    }
  *n_written = *n_read = levels;
}

/* --- the sort */

static AccStore *
new_store (const AccExternalTask *task, GError **error)
{
  return acc_external_new_growing_store (task, task->node->type, acc_shape_get_size (task->node->shape), "runs", error);
}

static gboolean
merge_into (AccSorter *sorter, const AccRuns *runs, guint first, guint n_runs, guint64 bytes, AccRuns *merged, gint64 *at,
            GCancellable *cancellable, GError **error)
{
  g_autoptr(AccMerge) merge = acc_merge_new (sorter, runs, first, n_runs, bytes, error);
  g_autofree gpointer *addresses = g_new0 (gpointer, sorter->n_buffers + 1);
  gint64 n = 0;

  while (merge != NULL && (n = acc_merge_next (merge, G_MAXINT64, addresses, cancellable, error)) > 0)
    {
      if (!acc_store_write (merged->store, *at, n, addresses, error))
        return FALSE;
      *at += n;
    }
  g_array_append_val (merged->ends, *at);

  return merge != NULL && n == 0;
}

/* Merges as many runs at once as memory allows, until a source can read all that are left. */
static gboolean
merge_levels (const AccExternalTask *task, AccSorter *sorter, AccRuns *runs, GError **error)
{
  guint64 room = acc_external_get_room (task->backend);
  guint fan_in;

  while ((fan_in = acc_merge_get_fan_in (sorter->type, sorter->key_type, runs->ends->len, get_merge_bytes (room, runs->ends->len)))
         < runs->ends->len)
    {
      g_auto(AccRuns) merged = { new_store (task, error), g_array_new (FALSE, FALSE, sizeof (gint64)) };
      gint64 at = 0;

      for (guint first = 0; merged.store != NULL && first < runs->ends->len; first += fan_in)
        if (!merge_into (sorter, runs, first, MIN (fan_in, runs->ends->len - first), get_merge_bytes (room, fan_in), &merged, &at,
                         task->cancellable, error))
          return FALSE;
      if (merged.store == NULL)
        return FALSE;

      acc_sorter_hold (sorter, 0);
      acc_runs_clear (runs);
      *runs = merged;
      merged = (AccRuns) { NULL, NULL };
    }

  return TRUE;
}

static AccArray *
dup_read (AccBackend *backend, AccArray *node)
{
  return g_object_ref (node->inputs[0]);
}

static void
clear_sort (gpointer data)
{
  Sort *self = data;

  clear_slots (self);
  acc_runs_clear (&self->runs);
  g_clear_pointer (&self->sorter, acc_sorter_unref);
  g_free (self);
}

static gboolean
begin_slots (Sort *self, GError **error)
{
  guint64 bytes = get_run_bytes (self->task.node, acc_external_get_room (self->task.backend));
  const AccPartsSizes *sizes = &self->slots[0].parts.sizes;
  guint n_slots = count_slots (bytes);

  for (; self->n_slots < n_slots; self->n_slots++)
    if (!acc_parts_init (&self->slots[self->n_slots].parts, self->sorter, 0, bytes / n_slots, error))
      return FALSE;
  acc_sorter_hold (self->sorter, n_slots * sizes->rest);
  self->batch = acc_ceil_div (MIN (sizes->n_elements, GOOD_BATCH), sizes->part) * sizes->part;

  return TRUE;
}

static gpointer
begin_sort (const AccExternalTask *task, GError **error)
{
  Sort *self = g_new0 (Sort, 1);

  self->task = *task;
  self->sorter = acc_sorter_new (task->backend, task->node, task->cancellable, error);
  if (self->sorter != NULL)
    self->runs = (AccRuns) { new_store (task, error), g_array_new (FALSE, FALSE, sizeof (gint64)) };
  if (self->runs.store != NULL && begin_slots (self, error))
    return self;
  clear_sort (self);

  return NULL;
}

static AccArray *
end_sort (gpointer data, GError **error)
{
  Sort *self = data;
  const AccExternalTask *task = &self->task;

  if (!merge_levels (task, self->sorter, &self->runs, error))
    return NULL;
  if (self->runs.ends->len <= 1)
    {
      acc_store_close (self->runs.store, acc_shape_get_size (task->node->shape));
      return acc_store_dup_array (self->runs.store, error);
    }
  acc_sorter_hold (self->sorter, get_merge_bytes (acc_external_get_room (task->backend), self->runs.ends->len));

  return acc_merge_new_array (self->sorter, &self->runs, "sorted runs");
}

const AccExternal acc_external_sort = {
  .way = "sorted runs that are merged",
  .nanoseconds = 22,
  .takes = take_sort,
  .measure_whole = measure_whole,
  .measure_apart = measure_apart,
  .measure_least = measure_least,
  .measure_held = measure_held,
  .count_passes = count_passes,
  .dup_read = dup_read,
  .walk = &into_runs,
  .begin = begin_sort,
  .end = end_sort,
  .clear = clear_sort,
};
