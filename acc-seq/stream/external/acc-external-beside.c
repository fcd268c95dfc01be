/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kept-sink-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-plan-private.h"
#include "acc-seq/stream/acc-stages-private.h"
#include "acc-seq/stream/acc-write-private.h"

/* What walks take along: reductions of the sources that they read, which would need a walk of their own. */

/* What is larger takes room that stores may need. */
#define SMALL_BYTES (64 * 1024)

gboolean
acc_external_reads_all (AccArray *array, AccArray *other)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (&array, 1), others = acc_array_sort_known_nodes (&other, 1);
  gboolean found = FALSE;

  for (guint i = 0; i < others->len; i++)
    if (((AccArray *) g_ptr_array_index (others, i))->op == ACC_OP_SOURCE)
      {
        found = TRUE;
        if (!g_ptr_array_find (nodes, g_ptr_array_index (others, i), NULL))
          return FALSE;
      }

  return found;
}

/* Those of which the walk reads all sources, behind @arrays, with a sink each. */
static void
list_beside (const AccExternalTask *task, GPtrArray *arrays, GPtrArray *sinks)
{
  guint n = arrays->len;

  for (guint i = 0; i < task->beside->wanted->len; i++)
    {
      AccArray *wanted = g_ptr_array_index (task->beside->wanted, i);
      gboolean reads = FALSE;

      for (guint k = 0; k < n && !reads; k++)
        reads = acc_external_reads_all (g_ptr_array_index (arrays, k), wanted);
      if (!reads)
        continue;
      g_ptr_array_add (arrays, wanted);
      g_ptr_array_add (sinks, acc_kept_sink_new (task->backend));
    }
}

/* From number @first on. */
static void
keep (const AccExternalTask *task, GPtrArray *arrays, GPtrArray *sinks, guint first)
{
  for (guint i = first; i < arrays->len; i++)
    {
      g_hash_table_insert (task->beside->values, g_ptr_array_index (arrays, i), acc_kept_sink_dup_array (g_ptr_array_index (sinks, i)));
      g_ptr_array_remove (task->beside->wanted, g_ptr_array_index (arrays, i));
    }
}

gboolean
acc_external_write (const AccExternalTask *task, GPtrArray *arrays, GPtrArray *sinks, GError **error)
{
  guint n = arrays->len;
  gboolean done;

  if (task->beside != NULL && task->beside->wanted != NULL)
    list_beside (task, arrays, sinks);
  if (arrays->len > n
      && !acc_write_fits (task->backend, (AccArray **) arrays->pdata, (AccSink **) sinks->pdata, arrays->len, task->chunk_rows))
    {
      g_ptr_array_set_size (arrays, (gint) n);
      g_ptr_array_set_size (sinks, (gint) n);
    }

  done = acc_evaluate_write_many (task->backend, (AccArray **) arrays->pdata, arrays->len, (AccSink **) sinks->pdata, sinks->len,
                                  task->chunk_rows, NULL, task->cancellable, error);
  if (done)
    keep (task, arrays, sinks, n);

  return done;
}

/* --- which ones */

/* Whether the walk for a store reads all sources of @array. */
static gboolean
is_read (const AccStageStore *store, AccArray *array)
{
  guint n_inputs = 1;
  AccArray *node = store->store, **inputs = &node;

  if (store->stage > 0 || (store->external == NULL && !store->has_rows))
    return FALSE;
  if (store->external != NULL)
    inputs = store->external->takes (node, &n_inputs);
  for (guint i = 0; i < n_inputs; i++)
    if (acc_external_reads_all (inputs[i], array))
      return TRUE;

  return FALSE;
}

/* A small reduction of sources that needs no store. */
static gboolean
is_reduction (AccBackend *backend, AccArray *array)
{
  AccDependence dependence;
  g_autoptr(GArray) stores = NULL;

  if (acc_array_is_manifest (array) || array->shape == NULL || acc_external_get_bytes (array) > SMALL_BYTES)
    return FALSE;
  stores = acc_stages_find_stores (backend, &array, 1, ACC_STAGES_READS, &dependence);

  return stores->len == 0 && dependence == ACC_DEPENDS_ON_REDUCTIONS;
}

static void
add (GPtrArray *found, AccBackend *backend, AccArray *array, GArray *stores)
{
  gboolean reads = FALSE;

  for (guint i = 0; i < stores->len && !reads; i++)
    reads = is_read (&g_array_index (stores, AccStageStore, i), array);
  if (reads && !g_ptr_array_find (found, array, NULL) && is_reduction (backend, array))
    g_ptr_array_add (found, array);
}

GPtrArray *
acc_stages_find_beside (AccBackend *backend, AccArray **arrays, guint n_arrays, AccStagesMode mode, GArray *stores)
{
  GPtrArray *found = g_ptr_array_new ();
  g_autoptr(GArray) reductions = NULL;

  if (mode != ACC_STAGES_READS)
    return found;

  for (guint i = 0; i < n_arrays; i++)
    add (found, backend, arrays[i], stores);
  reductions = acc_stages_find_stores (backend, arrays, n_arrays, ACC_STAGES_REDUCTIONS, NULL);
  for (guint i = 0; i < reductions->len; i++)
    {
      const AccStageStore *store = &g_array_index (reductions, AccStageStore, i);

      if (store->stage == 0 && !store->has_rows && store->external == NULL)
        add (found, backend, store->store, stores);
    }

  return found;
}
