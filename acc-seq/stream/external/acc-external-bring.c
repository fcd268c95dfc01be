/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"
#include "acc-external-read-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-values-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"
#include "acc-seq/stream/acc-plan-private.h"

/* Elements of a store in any order, for devices: a processor reads a store where it is, but a device would get all of it. The device
 * computes where each element is, and the host brings the elements. */

/* Elements that are brought at once. */
#define PIECE 4096

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

static AccArray *
get_table (AccArray *node)
{
  AccExternalRead read;

  return node->op != ACC_OP_RESHAPE && acc_external_find_read (node, &read) ? read.array : node->inputs[0];
}

static AccArray **
take_bring (AccArray *node, guint *n_inputs)
{
  AccExternalRead read;

  *n_inputs = node->n_inputs;
  if (node->shape == NULL || node->rank == 0 || acc_shape_get_size (node->shape) == 0)
    return NULL;
  if (node->op != ACC_OP_RESHAPE && !acc_external_find_read (node, &read))
    return NULL;
  if (node->op == ACC_OP_RESHAPE || node->op == ACC_OP_BACKPERMUTE ? !changes_rows (node) : !acc_store_holds (read.array))
    return NULL;

  return acc_external_get_read_inputs (node, n_inputs);
}

static guint64
measure_whole (AccArray *node)
{
  return acc_bytes_multiply (acc_external_get_bytes (get_table (node)), 2);
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
  AccArray  *table;
  AccStore  *to;
  AccBuffer **piece;
  gint64     n_done;
} Bring;

static gboolean
add_places (gpointer data, const gint64 *places, gint64 n, GError **error)
{
  Bring *self = data;
  gint64 m;

  for (gint64 at = 0; at < n; at += m, self->n_done += m)
    {
      m = MIN (n - at, PIECE);
      acc_external_copy_places (self->table->type, self->piece, 0, acc_array_get_buffers (self->table), places + at, m);
      if (!acc_store_write_from (self->to, self->n_done, m, self->piece, 0, error))
        return FALSE;
    }

  return TRUE;
}

static AccArray *
bring (const AccExternalTask *task, AccArray *table, GError **error)
{
  AccArray *node = task->node;
  g_autoptr(AccStore) to = NULL;
  AccExternalRead read;
  Bring self = { table, NULL, NULL, 0 };
  gboolean done;

  acc_external_find_read (node, &read);
  if (!acc_external_fetch (table, error))
    return NULL;
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
  AccArray *node = task->node;
  g_autoptr(AccArray) table = acc_external_keep (task, get_table (node), "blocks", error), result = NULL;

  if (table == NULL)
    return NULL;

  result = node->op == ACC_OP_RESHAPE ? acc_array_see_as (table, node->shape) : bring (task, table, error);

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
