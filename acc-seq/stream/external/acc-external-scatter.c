/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"
#include "acc-external-lists-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-evaluate.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <math.h>
#include <string.h>

/* Permutes into what is larger than memory: elements go with their targets, as they come, to lists, one for each part of the result that
 * fits in memory, and then part after part is computed by the backend, in the order in which they came. */

#define LEAST_BLOCK 4
#define LEAST_TURN  64
#define LEAST_BYTES (64 * 1024)

typedef struct {
  AccExternalTask  task;
  AccElementType  *type, *item_type; /* of elements; of a target in its part, and an element */
  guint            n_buffers;
  guint64          size, item_size;
  gint64           n_elements, part; /* of the result; of a part of it */
  guint            n_parts;
  gint64           block, turn;      /* items: of a list that are written at once, that the backend gets at once */
  AccExternalLists lists;            /* of each part */
  AccExecutable   *permute;
  gboolean         is_masked;        /* whether targets say if there is one */
  guint            rank;             /* of the result */
  const gint64    *extents;
  gpointer        *from;             /* of the rows under way: a buffer each */
} Scatter;

/* --- the walk */

/* Which element of the result target @i is, -1: none. */
static gboolean
find_target (Scatter *self, gint64 i, gint64 *target, GError **error)
{
  *target = -1;
  if (self->is_masked && ((const guint8 *) self->from[0])[i] == 0)
    return TRUE;

  return acc_external_locate (self->from + (self->is_masked ? 1 : 0), i, self->extents, self->rank, target, error);
}

/* Rows are targets and elements. */
static gboolean
add_rows (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Scatter *self = data;
  guint n_target = self->rank + (self->is_masked ? 1 : 0);
  gint64 n = acc_chunk_get_n_rows (chunk) * acc_chunk_get_row_elements (chunk);

  for (guint i = 0; i < n_target + self->n_buffers; i++)
    self->from[i] = (gpointer) (guintptr) acc_chunk_get_address (chunk, i);

  for (gint64 i = 0; i < n; i++)
    {
      AccBuffer **blocks;
      gint64 target, at;
      guint part;

      if (!find_target (self, i, &target, error))
        return FALSE;
      if (target < 0)
        continue;

      part = (guint) (target / self->part);
      at = acc_external_lists_add (&self->lists, part, error);
      if (at < 0)
        return FALSE;
      blocks = self->lists.blocks;
      ((gint64 *) blocks[0]->data)[at] = target - part * self->part;
      for (guint k = 0; k < self->n_buffers; k++)
        {
          gsize width = acc_element_type_get_buffer_size (self->type, k);

          memcpy ((guint8 *) blocks[k + 1]->data + (gsize) at * width,
                  (const guint8 *) self->from[n_target + k] + (gsize) i * width, width);
        }
    }

  return TRUE;
}

static gboolean
finish_lists (gpointer data, GCancellable *cancellable, GError **error)
{
  return acc_external_lists_finish (&((Scatter *) data)->lists, error);
}

static const AccExternalWalk into_lists = { "parts of the result", add_rows, finish_lists };

/* --- parts of the result */

static AccArray *
build_permute (AccArray **vectors, guint n_vectors, gpointer data)
{
  AccArray *node = acc_array_begin (ACC_OP_PERMUTE, vectors, n_vectors);

  acc_array_take_function (node, 0, acc_function_ref (data));

  return acc_array_complete (node);
}

static AccExecutable *
compile (const AccExternalTask *task, GError **error)
{
  g_autofree char *vector = g_strdup_printf ("%s[:]", acc_element_type_get_code (task->node->type));
  g_autoptr(AccFunction) function = acc_external_dup_function (task->node);
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { vector, vector, "i8[:]", NULL }, build_permute, function);

  return acc_backend_compile (task->backend, program, task->cancellable, error);
}

/* @defaults: manifest, or one value everywhere. */
static AccArray *
get_defaults (Scatter *self, AccArray *defaults, gint64 first, gint64 n, GError **error)
{
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(AccArray) part = NULL;

  if (acc_array_is_manifest (defaults))
    return acc_external_fetch (defaults, error) ? acc_external_new_view (self->type, acc_array_get_buffers (defaults), first, n) : NULL;

  shape = acc_shape_new_vector (n);
  part = acc_array_begin (ACC_OP_FILL, NULL, 0);
  acc_array_set_extents (part, shape);
  acc_array_take_function (part, 0, acc_function_ref (defaults->functions[0]));
  acc_array_complete (part);

  return acc_backend_run (self->task.backend, part, self->task.cancellable, error);
}

/* What is computed comes by rows, in order, and is stored. */
static AccArray *
prepare_defaults (Scatter *self, GError **error)
{
  AccArray *defaults = self->task.node->inputs[1];

  return defaults->op == ACC_OP_FILL ? g_object_ref (defaults) : acc_external_keep (&self->task, defaults, "defaults", error);
}

/* Combines items [0, n) of @items with @part, which it takes over. Where the backend has no memory for so many at once, fewer. */
static AccArray *
combine (Scatter *self, AccArray *part, AccBuffer **items, gint64 n, GError **error)
{
  gint64 m;

  for (gint64 first = 0; first < n; first += m)
    {
      g_autoptr(AccArray) targets = NULL, values = NULL;
      g_autoptr(GPtrArray) results = NULL;
      GError *local = NULL;

      m = MIN (self->turn, n - first);
      targets = acc_external_new_view (acc_element_type_new (ACC_KIND_I64), items, first, m);
      values = acc_external_new_view (self->type, items + 1, first, m);
      results = acc_executable_run_whole (self->permute, (AccArray *[]) { values, part, targets }, 3, self->task.cancellable, &local);
      if (results != NULL)
        {
          g_object_unref (part);
          part = g_object_ref (g_ptr_array_index (results, 0));
        }
      else if (g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) && m > LEAST_TURN)
        {
          g_error_free (local);
          self->turn = MAX (m / 2, LEAST_TURN);
          m = 0;
        }
      else
        {
          g_propagate_error (error, local);
          g_object_unref (part);
          return NULL;
        }
    }

  return part;
}

/* Items of a list, from block to block, as many at a time as there is room for. */
static AccArray *
compute_part (Scatter *self, guint number, AccArray *part, AccBuffer **room, gint64 capacity, GError **error)
{
  guint n_blocks = self->lists.begins[number]->len;
  gint64 n = 0, in_block;

  for (guint i = 0; i < n_blocks && part != NULL; i++)
    {
      if (!acc_external_lists_read (&self->lists, number, i, room, n, &in_block, error))
        {
          g_object_unref (part);
          return NULL;
        }
      n += in_block;
      if (n + self->block > capacity || i + 1 == n_blocks)
        {
          part = combine (self, part, room, n, error);
          n = 0;
        }
    }

  return part;
}

static gboolean
write_part (Scatter *self, AccStore *result, AccArray *part, gint64 first, gint64 n, GError **error)
{
  return acc_external_fetch (part, error) && acc_store_write_from (result, first, n, acc_array_get_buffers (part), 0, error);
}

static gboolean
write_parts (Scatter *self, AccStore *result, GError **error)
{
  gint64 capacity = MAX (self->turn, self->block);
  g_autoptr(AccArray) defaults = prepare_defaults (self, error);
  AccBuffer **room = defaults != NULL ? acc_buffers_allocate (self->item_type, capacity,
                                                              acc_backend_get_host_budget (self->task.backend), "what is scattered",
                                                              error) : NULL;
  gboolean done = room != NULL;

  for (guint i = 0; i < self->n_parts && done; i++)
    {
      gint64 first = self->part * i, n = MIN (self->part, self->n_elements - first);
      g_autoptr(AccArray) part = get_defaults (self, defaults, first, n, error);

      if (part != NULL)
        part = compute_part (self, i, part, room, capacity, error);
      done = part != NULL && !g_cancellable_set_error_if_cancelled (self->task.cancellable, error)
             && write_part (self, result, part, first, n, error);
    }
  acc_buffers_free (room);

  return done;
}

/* --- the algorithm */

static AccArray **
take_scatter (AccArray *node, guint *n_inputs)
{
  *n_inputs = node->n_inputs;

  return node->op == ACC_OP_PERMUTE && node->rank > 0 && node->shape != NULL ? node->inputs : NULL;
}

static guint64
measure_whole (AccArray *node)
{
  return acc_bytes_multiply (acc_external_get_bytes (node), 2);
}

/* A block for each part has to fit, and there are as many parts as do not fit. */
static guint64
measure_least (AccArray *node)
{
  double bytes = (double) acc_external_get_bytes (node), item = (double) acc_element_type_get_size (node->type) + sizeof (gint64);

  return acc_bytes_add (acc_external_measure_rows (node), LEAST_BYTES + (guint64) (sqrt (bytes * item * 2 * 8 * LEAST_BLOCK)));
}

static void
choose_sizes (Scatter *self)
{
  guint64 room = acc_external_get_room (self->task.backend), rows = acc_external_measure_rows (self->task.node),
    left = room > rows ? room - rows : 0;

  self->part = (gint64) CLAMP (room / 8 / self->size, 1, (guint64) self->n_elements);
  self->n_parts = (guint) MIN (acc_ceil_div (self->n_elements, self->part), G_MAXINT32);
  self->part = acc_ceil_div (self->n_elements, self->n_parts);
  self->block = (gint64) MAX (MIN (left / 2, room / 8 * self->n_parts) / self->n_parts / self->item_size, 1);
  self->turn = (gint64) MAX (room / 8 / self->item_size, LEAST_TURN);
}

/* Targets beside elements. */
static AccArray *
dup_read (AccBackend *backend, AccArray *node)
{
  return acc_array_zip (node->inputs[2], node->inputs[0]);
}

static void
clear (gpointer data)
{
  Scatter *self = data;

  acc_external_lists_clear (&self->lists);
  g_clear_object (&self->permute);
  g_free (self->from);
  g_free (self);
}

static gpointer
begin (const AccExternalTask *task, GError **error)
{
  Scatter *self = g_new0 (Scatter, 1);
  AccArray *node = task->node;

  self->task = *task;
  self->type = node->type;
  self->item_type = acc_element_type_new_tuple ((AccElementType *[]) { acc_element_type_new (ACC_KIND_I64), node->type }, 2);
  self->n_buffers = acc_element_type_get_n_buffers (node->type);
  self->size = MAX ((guint64) acc_element_type_get_size (node->type), 1);
  self->item_size = sizeof (gint64) + acc_element_type_get_size (node->type);
  self->n_elements = acc_shape_get_size (node->shape);
  self->is_masked = acc_array_is_optional (node->inputs[2]->type);
  self->extents = acc_shape_get_extents (node->shape, &self->rank);
  self->from = g_new0 (gpointer, self->rank + self->n_buffers + 2);
  choose_sizes (self);
  self->permute = compile (task, error);
  if (self->permute != NULL
      && acc_external_lists_init (&self->lists, task, self->item_type, self->n_parts, self->block,
                                  acc_shape_get_size (node->inputs[0]->shape), error))
    return self;
  clear (self);

  return NULL;
}

static AccArray *
end (gpointer data, GError **error)
{
  Scatter *self = data;
  g_autoptr(AccStore) result = acc_external_new_store (&self->task, self->type, self->task.node->shape, "a store", error);

  return result != NULL && write_parts (self, result, error) ? acc_store_dup_array (result, error) : NULL;
}

const AccExternal acc_external_scatter = {
  .way = "elements go to lists of parts of the result, which are computed in turn",
  .leaves_store = TRUE,
  .takes = take_scatter,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .n_written = 2,
  .n_read = 1,
  .dup_read = dup_read,
  .walk = &into_lists,
  .begin = begin,
  .end = end,
  .clear = clear,
};
