/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-blocks-private.h"
#include "acc-external-elements-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-values-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-core/expr/acc-expr-math.h"
#include "acc-core/expr/acc-function-private.h"
#include "acc-error.h"
#include "acc-seq/stream/acc-memory-source-private.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <string.h>

/* Elements of a store in any order, for devices: a processor reads a store where it is, but a device would get all of it. The device
 * computes where each element is, and the host brings the elements. */

/* Elements that are brought at once. */
#define PIECE 4096

/* The indices that acc_array_gather() reads at; NULL: it is not one, or what it reads is not stored. */
static AccArray *
get_indices (AccArray *node)
{
  AccExpr *body = node->op == ACC_OP_MAP ? node->functions[0]->body : NULL;

  return body != NULL && body->kind == ACC_EXPR_LINEAR_INDEX && body->args[0] == node->functions[0]->params[0]
         && acc_store_holds (body->array) ? node->inputs[0] : NULL;
}

static AccArray *
get_table (AccArray *node)
{
  return node->op == ACC_OP_MAP ? node->functions[0]->body->array : node->inputs[0];
}

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

static AccArray **
take_gather (AccArray *node, guint *n_inputs)
{
  *n_inputs = 1;
  if (node->shape == NULL || node->rank == 0 || acc_shape_get_size (node->shape) == 0 || acc_external_needs_arrays (node))
    return NULL;

  return get_indices (node) != NULL || changes_rows (node) ? node->inputs : NULL;
}

static guint64
measure_whole (AccArray *node)
{
  return acc_bytes_multiply (acc_external_get_bytes (get_table (node)), 2);
}

static guint64
measure_least (AccArray *node)
{
  return acc_bytes_add (acc_external_measure_rows (node->inputs[0]), acc_bytes_multiply (acc_element_type_get_size (node->type), PIECE));
}

static void
count_passes (AccBackend *backend, AccArray *node, guint *n_written, guint *n_read)
{
  *n_written = *n_read = node->op == ACC_OP_RESHAPE ? 0 : 1;
}

/* --- where elements are */

/* In row-major order; -1: outside. */
static AccExpr *
find_place (AccExpr *index, gpointer data)
{
  AccArray *node = data, *table = node->inputs[0];
  guint rank;
  const gint64 *extents = acc_shape_get_extents (table->shape, &rank);
  g_autoptr(AccExpr) read = acc_expr_ref_sink (acc_function_apply (node->functions[0], &index)),
    is_inside = acc_expr_ref_sink (acc_expr_new_bool (TRUE));
  g_autofree AccExpr **items = g_new0 (AccExpr *, rank + 1);

  for (guint d = 0; d < rank; d++)
    {
      AccExpr *item = rank == 1 ? read : acc_expr_item (read, d), *both;

      both = acc_expr_land (acc_expr_ge (item, acc_array_number (0)), acc_expr_lt (item, acc_array_number (extents[d])));
      both = acc_expr_ref_sink (acc_expr_land (is_inside, both));
      acc_expr_unref (is_inside);
      is_inside = both;
      items[d] = acc_array_number (extents[d]);
    }

  return acc_expr_cond (is_inside, acc_expr_to_linear (acc_array_join_items (items, rank), read), acc_array_number (-1));
}

/* --- the walk */

typedef struct {
  AccArray  *table;
  AccStore  *to;
  AccBuffer **piece;
  gint64     n_done;
} Gather;

#define BRING(type) \
  for (gint64 i = 0; i < n; i++) \
    ((type *) to)[i] = ((const type *) from)[places[i]]

static void
bring (gpointer to, gconstpointer from, const gint64 *places, gint64 n, gsize width)
{
  switch (width)
    {
    case 1:
      BRING (guint8);
      break;
    case 2:
      BRING (guint16);
      break;
    case 4:
      BRING (guint32);
      break;
    case 8:
      BRING (guint64);
      break;
    default:
      for (gint64 i = 0; i < n; i++)
        memcpy ((guint8 *) to + (gsize) i * width, (const guint8 *) from + (gsize) places[i] * width, width);
    }
}

static gboolean
check_places (const Gather *self, const gint64 *places, gint64 n, GError **error)
{
  gint64 size = acc_shape_get_size (self->table->shape);

  for (gint64 i = 0; i < n; i++)
    if (places[i] < 0 || places[i] >= size)
      {
        g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS, "the index of element %" G_GINT64_FORMAT " is outside of %" G_GINT64_FORMAT
                     " elements", self->n_done + i, size);
        return FALSE;
      }

  return TRUE;
}

static gboolean
add_places (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Gather *self = data;
  AccElementType *type = self->table->type;
  const gint64 *places = (const gint64 *) (guintptr) acc_chunk_get_address (chunk, 0);
  gint64 all = acc_chunk_get_n_rows (chunk) * acc_chunk_get_row_elements (chunk), n;

  for (gint64 at = 0; at < all; at += n, self->n_done += n)
    {
      n = MIN (all - at, PIECE);
      if (g_cancellable_set_error_if_cancelled (cancellable, error) || !check_places (self, places + at, n, error))
        return FALSE;
      for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
        bring (self->piece[i]->data, acc_array_get_buffers (self->table)[i]->data, places + at, n,
               acc_element_type_get_buffer_size (type, i));
      if (!acc_store_write_from (self->to, self->n_done, n, self->piece, 0, error))
        return FALSE;
    }

  return TRUE;
}

static const AccExternalWalk over_places = { "places", add_places, NULL };

static AccArray *
gather (const AccExternalTask *task, AccArray *table, AccArray *places, GError **error)
{
  AccArray *node = task->node;
  g_autoptr(AccStore) to = NULL;
  AccBuffer **piece;
  gboolean done;

  if (!acc_external_fetch (table, error))
    return NULL;
  to = acc_external_new_store (task, node->type, node->shape, "a store", error);
  if (to == NULL)
    return NULL;
  piece = acc_buffers_allocate (node->type, PIECE, acc_backend_get_host_budget (task->backend), "elements of a store", error);
  if (piece == NULL)
    return NULL;

  done = acc_external_walk (task, places, &over_places, &(Gather) { table, to, piece, 0 }, error);
  acc_buffers_free (piece);

  return done ? acc_store_dup_array (to, error) : NULL;
}

static AccArray *
new_rows (AccArray *array)
{
  g_autoptr(AccMemorySource) source = acc_memory_source_new (array);

  return acc_array_new_from_rows (ACC_SOURCE (source));
}

static AccArray *
compute_gather (const AccExternalTask *task, GError **error)
{
  AccArray *node = task->node, *indices = get_indices (node);
  g_auto(AccBlocks) from = { NULL, };
  g_autoptr(AccArray) table = NULL, places = NULL, by_index = NULL, result = NULL;

  if (!acc_blocks_init_for (&from, task, get_table (node), 1, error))
    return NULL;
  table = from.array != NULL ? g_object_ref (from.array) : acc_blocks_dup_array (&from, error);
  if (table == NULL)
    return NULL;

  if (node->op == ACC_OP_RESHAPE)
    result = acc_array_see_as (table, node->shape);
  else if (indices != NULL)
    result = gather (task, table, indices, error);
  else
    {
      by_index = acc_array_generate (node->shape, find_place, node);
      places = acc_external_new_vector (by_index, FALSE);
      result = gather (task, table, places, error);
    }

  return result != NULL ? new_rows (result) : NULL;
}

const AccExternal acc_external_gather = {
  .way = "the host brings elements from where the device finds them",
  .on_devices = TRUE,
  .takes = take_gather,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .count_passes = count_passes,
  .compute = compute_gather,
};
