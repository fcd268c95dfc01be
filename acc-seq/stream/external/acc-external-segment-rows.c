/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-blocks-private.h"
#include "acc-external-elements-private.h"
#include "acc-external-segments-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-values-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-evaluate.h"
#include "acc-seq/stream/acc-plan-private.h"

/* Folds and scans of the same segments of each row of floats: rows come in order, and the backend computes as many at once as it has memory
 * for, whole, so that they are grouped as in memory. A run by rows would have them in other groups. Where a device has no room for a row
 * that comes beside one that is computed, rows are stored first. */

/* What takes memory besides rows that are there: what the backend makes of them. */
#define PARTS 2
#define LEAST_PARTS 2
/* Of a row, and what it becomes: what the backend needs besides, for its pieces. */
#define SCRATCH_PART 8

typedef struct {
  const AccExternalTask *task;
  AccArray      *direct;       /* borrowed */
  AccExecutable *segments;
  AccArray      *lengths;      /* owned; manifest, i8 */
  AccStore      *result;
  AccBlocks     *stored;
  AccBuffer    **rows;         /* of the chunk under way: views */
  gint64         first, n_elements, n_results;   /* innermost row that the chunk begins with; of such a row */
  guint64        held;
} Rows;

/* --- rows */

/* Those of the chunk from row @at of it on; memory that is held is let go meanwhile. */
static gboolean
run_rows (gint64 at, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  Rows *self = data;
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { n, self->n_elements }, 2);
  g_autoptr(AccArray) view = acc_external_new_view (self->direct->inputs[0]->type, self->rows, at * self->n_elements, n * self->n_elements);
  g_autoptr(AccArray) rows = acc_array_see_as (view, shape);
  g_autoptr(GPtrArray) results = NULL;
  guint64 held = self->held;
  AccArray *result;

  acc_external_hold_runs (self->task->backend, &self->held, 0);
  results = acc_executable_run_whole (self->segments, (AccArray *[]) { rows, self->lengths }, 2, cancellable, error);
  acc_external_hold_runs (self->task->backend, &self->held, held);
  if (results == NULL)
    return FALSE;
  result = g_ptr_array_index (results, 0);

  return acc_external_fetch (result, error)
         && acc_store_write_from (self->result, (self->first + at) * self->n_results, n * self->n_results, acc_array_get_buffers (result),
                                  0, error);
}

static gboolean
add_rows (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Rows *self = data;
  AccElementType *type = self->direct->inputs[0]->type;
  guint n_buffers = acc_element_type_get_n_buffers (type);
  gint64 in_row = acc_chunk_get_row_elements (chunk) / self->n_elements, n_rows = acc_chunk_get_n_rows (chunk) * in_row;
  gboolean done;

  self->first = acc_chunk_get_first_row (chunk) * in_row;
  self->rows = g_new0 (AccBuffer *, n_buffers + 1);
  for (guint i = 0; i < n_buffers; i++)
    self->rows[i] = acc_buffer_new ((gpointer) (guintptr) acc_chunk_get_address (chunk, i), acc_chunk_get_size (chunk, i), NULL, NULL);
  done = acc_blocks_each (n_rows, n_rows, run_rows, self, cancellable, error);
  acc_buffers_free (g_steal_pointer (&self->rows));

  return done;
}

static const AccExternalWalk by_rows = { "segments", add_rows, NULL };

/* Those of a block that is stored. */
static gboolean
run_block (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  Rows *self = data;
  g_autoptr(AccArray) block = acc_blocks_read (self->stored, first, n, 0, self->n_elements, (gint64[]) { n, self->n_elements }, 2, error);
  gboolean done;

  if (block == NULL)
    return FALSE;
  self->first = first;
  self->rows = acc_array_get_buffers (block);
  done = run_rows (0, n, self, cancellable, error);
  self->rows = NULL;

  return done;
}

/* --- the algorithm */

static gboolean
keeps_groups (AccArray *node)
{
  return node->rank >= 2 && acc_external_is_of_segments (node->direct) && !acc_element_type_is_exact (node->type);
}

static AccArray **
take_rows (AccArray *node, guint *n_inputs)
{
  *n_inputs = 2;
  if (!keeps_groups (node) || node->direct->inputs[0]->shape == NULL || acc_shape_get_size (node->direct->inputs[0]->shape) == 0
      || node->direct->inputs[1]->shape == NULL || node->shape == NULL)
    return NULL;

  return node->direct->inputs;
}

static guint64
measure_whole (AccArray *node)
{
  guint64 bytes = acc_bytes_multiply (acc_external_get_bytes (node->direct->inputs[0]), 4);

  return acc_bytes_add (bytes, acc_bytes_multiply (acc_external_get_bytes (node), 2));
}

static guint64
measure_least (AccArray *node)
{
  AccArray *input = node->direct->inputs[0];
  guint64 n_rows = MAX ((guint64) acc_shape_get_extent (input->shape, 0), 1),
    n = (guint64) acc_shape_get_extent (input->shape, node->rank - 1);
  guint64 row = acc_bytes_add (acc_external_get_bytes (input) / n_rows, acc_bytes_multiply (n, acc_element_type_get_size (node->type)));

  return acc_bytes_add (acc_external_measure_rows (input), acc_bytes_multiply (row, LEAST_PARTS));
}

/* Of a row of segments. */
static guint64
measure_run (AccArray *node)
{
  AccArray *input = node->direct->inputs[0];
  guint64 bytes = acc_bytes_add (
    acc_bytes_multiply ((guint64) acc_shape_get_extent (input->shape, node->rank - 1), acc_element_type_get_size (input->type)),
    acc_bytes_multiply ((guint64) acc_shape_get_extent (node->shape, node->rank - 1), acc_element_type_get_size (node->type)));

  return acc_bytes_add (bytes, bytes / SCRATCH_PART);
}

static gboolean
stores_rows (AccBackend *backend, AccArray *node)
{
  guint64 walk = acc_external_measure_walk (backend, node->direct->inputs[0]);

  return acc_backend_is_apart (backend) && acc_bytes_add (walk, measure_run (node)) > acc_external_get_room (backend);
}

static void
count_passes (AccBackend *backend, AccArray *node, guint *n_written, guint *n_read)
{
  gboolean twice = stores_rows (backend, node);

  *n_written = 1 + twice;
  *n_read = twice;
}

static AccExpr *
length_of (AccExpr *index, gpointer offsets)
{
  return acc_expr_sub (acc_expr_linear_index (offsets, acc_expr_add (index, acc_array_number (1))), acc_expr_linear_index (offsets, index));
}

/* Of all segments, which are the same in each row. */
static AccArray *
compute_lengths (Rows *self, GError **error)
{
  AccArray *offsets = self->direct->inputs[1];
  g_autoptr(AccArray) lengths = acc_array_generate_expr (acc_array_number (acc_shape_get_size (offsets->shape) - 1), length_of, offsets);

  return acc_backend_run (self->task->backend, lengths, self->task->cancellable, error);
}

static gboolean
compute_stored (Rows *self, GError **error)
{
  const AccExternalTask *task = self->task;
  g_auto(AccBlocks) stored = { NULL, };
  gint64 n;

  if (!acc_blocks_init_for (&stored, task, self->direct->inputs[0], self->n_elements, error))
    return FALSE;
  self->stored = &stored;
  n = acc_blocks_choose (task->backend, acc_bytes_multiply (measure_run (task->node), PARTS), stored.n_rows);

  return acc_blocks_each (stored.n_rows, n, run_block, self, task->cancellable, error);
}

static gboolean
compute_all (Rows *self, GError **error)
{
  const AccExternalTask *task = self->task;
  guint64 room = acc_external_get_room (task->backend), walk = acc_external_measure_walk (task->backend, self->direct->inputs[0]);

  self->segments = acc_external_compile_segments (self->task, acc_external_build_segments, error);
  self->lengths = self->segments != NULL ? compute_lengths (self, error) : NULL;
  self->result = self->lengths != NULL ? acc_external_new_store (task, task->node->type, task->node->shape, "a store", error) : NULL;
  if (self->result == NULL)
    return FALSE;
  if (stores_rows (task->backend, task->node))
    return compute_stored (self, error);
  if (room != G_MAXUINT64)
    acc_external_hold_runs (task->backend, &self->held, MIN (room / PARTS, room > walk ? room - walk : 0));

  return acc_external_walk (task, self->direct->inputs[0], &by_rows, self, error);
}

static AccArray *
compute_rows (const AccExternalTask *task, GError **error)
{
  AccArray *node = task->node, *direct = node->direct;
  Rows self = { .task = task, .direct = direct,
                .n_elements = acc_shape_get_extent (direct->inputs[0]->shape, node->rank - 1),
                .n_results = acc_shape_get_extent (node->shape, node->rank - 1) };
  AccArray *result = NULL;

  if (compute_all (&self, error))
    result = acc_store_dup_array (self.result, error);

  acc_external_hold_runs (task->backend, &self.held, 0);
  g_clear_object (&self.segments);
  g_clear_object (&self.lengths);
  g_clear_pointer (&self.result, acc_store_unref);

  return result;
}

const AccExternal acc_external_segment_rows = {
  .way = "segments of each row, as many rows at once as fit",
  .takes = take_rows,
  .keeps_groups = keeps_groups,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .count_passes = count_passes,
  .compute = compute_rows,
};
