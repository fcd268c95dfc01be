/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"
#include "acc-external-read-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-values-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"
#include "acc-seq/stream/acc-plan-private.h"

/* Elements of a store in any order, for devices: a processor reads a store where it is, but a device would get all of it. The device
 * computes where each element is, and the host brings the elements. */

/* Elements that are brought at once. */
#define PIECE 1024

/* Made of stores, and of no rows that are still to be read. */
static gboolean
is_stored (AccArray *array)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (&array, 1);
  gboolean found = FALSE;

  for (guint i = 0; i < nodes->len; i++)
    {
      if (((AccArray *) g_ptr_array_index (nodes, i))->op == ACC_OP_SOURCE)
        return FALSE;
      found |= acc_store_holds (g_ptr_array_index (nodes, i));
    }

  return found;
}

static gboolean
changes_rows (AccArray *node)
{
  gint64 above, below;

  return (node->op == ACC_OP_BACKPERMUTE || node->op == ACC_OP_RESHAPE) && node->inputs[0]->shape != NULL
         && acc_array_find_row_halo (node, 0, acc_shape_get_extents (node->shape, NULL),
                                     acc_shape_get_extents (node->inputs[0]->shape, NULL), &above, &below) != NULL
         && is_stored (node->inputs[0]);
}

/* Which arrays elements come from, in order; NULL: @node is none of these. */
static GPtrArray *
list_tables (AccArray *node)
{
  GPtrArray *tables = acc_external_find_choice (node);
  AccExternalRead read;

  if (tables != NULL)
    return tables;
  if (node->op != ACC_OP_RESHAPE && !acc_external_find_read (node, &read))
    return NULL;
  tables = g_ptr_array_new ();
  g_ptr_array_add (tables, node->op == ACC_OP_RESHAPE ? node->inputs[0] : read.array);

  return tables;
}

/* All in memory or in stores, of which there is one. */
static gboolean
are_stored (GPtrArray *tables)
{
  gboolean found = FALSE;

  for (guint i = 0; i < tables->len; i++)
    {
      if (!acc_array_is_manifest (g_ptr_array_index (tables, i)))
        return FALSE;
      found |= acc_store_holds (g_ptr_array_index (tables, i));
    }

  return found;
}

static AccArray **
take_bring (AccArray *node, guint *n_inputs)
{
  g_autoptr(GPtrArray) tables = NULL;

  *n_inputs = node->n_inputs;
  if (node->shape == NULL || node->rank == 0 || acc_shape_get_size (node->shape) == 0)
    return NULL;
  tables = list_tables (node);
  if (tables == NULL)
    return NULL;
  if (node->op == ACC_OP_RESHAPE || node->op == ACC_OP_BACKPERMUTE ? !changes_rows (node) : !are_stored (tables))
    return NULL;

  return acc_external_get_read_inputs (node, n_inputs);
}

static guint64
measure_whole (AccArray *node)
{
  g_autoptr(GPtrArray) tables = list_tables (node);
  guint64 bytes = 0;

  for (guint i = 0; i < tables->len; i++)
    bytes = acc_bytes_add (bytes, acc_external_get_bytes (g_ptr_array_index (tables, i)));

  return acc_bytes_multiply (bytes, 2);
}

static guint64
measure_least (AccArray *node)
{
  guint64 rows = node->n_inputs > 0 ? acc_external_measure_rows (node->inputs[0]) : 0;

  return acc_bytes_add (rows, acc_bytes_multiply (acc_element_type_get_size (node->type), PIECE));
}

static void
count_passes (AccBackend *backend, AccArray *node, guint *n_written, guint *n_read)
{
  *n_written = *n_read = node->op == ACC_OP_RESHAPE ? 0 : 1;
}

/* --- the walk */

typedef struct {
  GPtrArray  *tables;
  AccStore   *to;
  AccBuffer **piece;
  gint64      n_done;
} Bring;

/* The table that @place is in, which begins at *@begin. */
static AccArray *
find_table (Bring *self, gint64 place, gint64 *begin, gint64 *end)
{
  AccArray *table = g_ptr_array_index (self->tables, 0);

  *begin = 0;
  *end = acc_shape_get_size (table->shape);
  for (guint i = 1; place >= *end && i < self->tables->len; i++)
    {
      table = g_ptr_array_index (self->tables, i);
      *begin = *end;
      *end += acc_shape_get_size (table->shape);
    }

  return table;
}

/* Copies @n elements into the piece. Neighbours are in the same table, mostly. */
static void
copy_elements (Bring *self, const gint64 *places, gint64 n)
{
  gint64 own[PIECE], begin, end, m;

  for (gint64 at = 0; at < n; at += m)
    {
      AccArray *table = find_table (self, places[at], &begin, &end);

      for (m = 0; at + m < n && places[at + m] >= begin && places[at + m] < end; m++)
        own[m] = places[at + m] - begin;
      acc_external_copy_places (table->type, self->piece, at, acc_array_get_buffers (table), own, m);
    }
}

static gboolean
add_places (gpointer data, const gint64 *places, gint64 n, GError **error)
{
  Bring *self = data;
  gint64 m;

  for (gint64 at = 0; at < n; at += m, self->n_done += m)
    {
      m = MIN (n - at, PIECE);
      copy_elements (self, places + at, m);
      if (!acc_store_write_from (self->to, self->n_done, m, self->piece, 0, error))
        return FALSE;
    }

  return TRUE;
}

static AccArray *
bring (const AccExternalTask *task, GPtrArray *tables, GError **error)
{
  AccArray *node = task->node;
  AccExternalRead read = { NULL, NULL, TRUE, 0 };
  g_autoptr(AccExpr) position = NULL;
  g_autoptr(AccStore) to = NULL;
  Bring self = { tables, NULL, NULL, 0 };
  gboolean done;

  for (guint i = 0; i < tables->len; i++)
    {
      AccArray *table = g_ptr_array_index (tables, i);

      if (!acc_external_fetch (table, error))
        return NULL;
      read.n_positions += acc_shape_get_size (table->shape);
    }
  if (!acc_external_find_read (node, &read))
    read.index = position = acc_expr_ref_sink (acc_external_new_position (node));
  self.to = to = acc_external_new_store (task, node->type, node->shape, "a store", error);
  if (to == NULL)
    return NULL;
  self.piece = acc_buffers_allocate (node->type, PIECE, acc_backend_get_host_budget (task->backend), "elements of a store", error);
  if (self.piece == NULL)
    return NULL;

  done = acc_external_walk_places (task, &read, "places", add_places, &self, error);
  acc_buffers_free (self.piece);

  return done ? acc_store_dup_array (to, error) : NULL;
}

static AccArray *
compute_bring (const AccExternalTask *task, GError **error)
{
  AccArray *node = task->node, *table;
  g_autoptr(GPtrArray) tables = list_tables (node), kept = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) result = NULL;

  for (guint i = 0; i < tables->len; i++)
    {
      table = acc_external_keep (task, g_ptr_array_index (tables, i), "blocks", error);
      if (table == NULL)
        return NULL;
      g_ptr_array_add (kept, table);
    }

  result = node->op == ACC_OP_RESHAPE ? acc_array_see_as (g_ptr_array_index (kept, 0), node->shape) : bring (task, kept, error);

  return result != NULL ? acc_memory_source_new_rows (result) : NULL;
}

const AccExternal acc_external_bring = {
  .way = "the host brings elements from where the device finds them",
  .on_devices = TRUE,
  .reads_references = TRUE,
  .takes = take_bring,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .count_passes = count_passes,
  .compute = compute_bring,
};

/* --- what functions of elements read in any way */

/* What is not one of the elements, but made of them. */
static AccArray **
take_by_host (AccArray *node, guint *n_inputs)
{
  gboolean found = FALSE;

  *n_inputs = 0;
  if (node->shape == NULL || acc_shape_get_size (node->shape) == 0 || node->direct != NULL || node->offer != NULL)
    return NULL;
  for (guint i = 0; i < node->references->len && !found; i++)
    found = acc_array_is_manifest (g_ptr_array_index (node->references, i))
            && acc_array_reads_elements (node, g_ptr_array_index (node->references, i));

  return found ? acc_external_get_read_inputs (node, n_inputs) : NULL;
}

static guint64
measure_references (AccArray *node)
{
  guint64 bytes = 0;

  for (guint i = 0; i < node->references->len; i++)
    {
      AccArray *array = g_ptr_array_index (node->references, i);

      if (acc_array_is_manifest (array) && acc_array_reads_elements (node, array))
        bytes = acc_bytes_add (bytes, acc_external_get_bytes (array));
    }

  return acc_bytes_multiply (bytes, 2);
}

static AccArray *
compute_by_host (const AccExternalTask *task, GError **error)
{
  AccArray *node = task->node;
  AccBackend *host = acc_backend_get_host (task->backend, error);
  g_autoptr(AccStore) store = host != NULL ? acc_external_new_store (task, node->type, node->shape, "a store", error) : NULL;
  g_autoptr(AccSink) sink = store != NULL ? acc_store_new_sink (store) : NULL;
  g_autoptr(AccArray) result = NULL;

  if (sink != NULL && acc_evaluate_write_with_chunk_rows (host, node, sink, 0, NULL, task->cancellable, error))
    result = acc_store_dup_array (store, error);

  return result == NULL || node->rank == 0 ? g_steal_pointer (&result) : acc_memory_source_new_rows (result);
}

static gboolean
leaves_store (AccBackend *backend, AccArray *node)
{
  return node->rank == 0;
}

const AccExternal acc_external_by_host = {
  .way = "the host computes what reads more than the device has room for, where that is",
  .on_devices = TRUE,
  .reads_references = TRUE,
  .takes = take_by_host,
  .leaves = leaves_store,
  .measure_whole = measure_references,
  .measure_least = measure_least,
  .n_written = 1,
  .n_read = 1,
  .compute = compute_by_host,
};
