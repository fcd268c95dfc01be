/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-walk-private.h"
#include "acc-pack-sink-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-scan-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-plan-private.h"

/* What a filter keeps goes into a growing store as it comes, in one walk: how much it is need not be known before. */

#define LEAST_WRITE 256

static AccArray **
take_pack (AccArray *node, guint *n_inputs)
{
  *n_inputs = node->n_inputs;

  return acc_array_is_filter (node) ? node->inputs : NULL;
}

/* All elements may be kept; and their places. */
static guint64
measure_whole (AccArray *node)
{
  guint64 bytes = acc_external_get_bytes (node->inputs[0]), n = acc_external_get_size (node->inputs[0]);

  return bytes != G_MAXUINT64 ? acc_bytes_add (bytes, acc_bytes_multiply (n, 2 * sizeof (gint64))) : bytes;
}

static guint64
measure_least (AccArray *node)
{
  return acc_bytes_add (acc_external_measure_rows (node), acc_bytes_multiply (acc_element_type_get_size (node->type), 2 * LEAST_WRITE));
}

static AccArray *
compute_pack (const AccExternalTask *task, GError **error)
{
  AccArray *elements = task->node->inputs[0];
  g_autoptr(AccStore) store = acc_external_new_growing_store (task, elements->type, acc_shape_get_size (elements->shape), "a store", error);
  g_autoptr(AccSink) sink = store != NULL ? acc_store_new_sink (store) : NULL, pack = NULL;
  g_autoptr(AccArray) rows = sink != NULL ? acc_pack_split (task->backend, task->node, sink, 1, &pack) : NULL;

  return rows != NULL && acc_evaluate_write_with_chunk_rows (task->backend, rows, pack, task->chunk_rows, NULL, task->cancellable, error)
         ? acc_store_dup_array (store, error) : NULL;
}

const AccExternal acc_external_pack = {
  .way = "what is kept goes into a growing store",
  .leaves_store = TRUE,
  .takes = take_pack,
  .skips = 1 << 1,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .n_written = 1,
  .n_read = 1,
  .compute = compute_pack,
};
