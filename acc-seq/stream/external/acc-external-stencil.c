/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-values-private.h"
#include "acc-core/array/acc-boundary-private.h"
#include "acc-error.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-plan-private.h"
#include "acc-seq/stream/acc-stages-private.h"

/* Stencils over rows that are too wide for memory, and those of devices whose first rows have the last ones as neighbours: by blocks. The
 * elements around a block are copied with it, from where the boundary finds them. */

/* Rows that a run by rows has at once at least. */
#define ROWS 4
#define LEAST_BYTES (128 * 1024)
/* A block is there on the host and on a device, and is copied in between. */
#define COPIES 3
/* Elements of the last dimension lie together: it is cut when others are this many times as thin. */
#define THINNER 64

static AccArray **
take_stencil (AccArray *node, guint *n_inputs)
{
  *n_inputs = node->n_inputs;
  if ((node->op != ACC_OP_STENCIL && node->op != ACC_OP_STENCIL2) || node->direct != NULL || node->shape == NULL
      || acc_external_needs_arrays (node))
    return NULL;

  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i]->rank < 2 || node->inputs[i]->shape == NULL || acc_shape_get_size (node->inputs[i]->shape) == 0)
      return NULL;

  return node->inputs;
}

/* --- blocks */

static gint64
count_elements (const gint64 *block, const gint64 *sizes, guint rank)
{
  guint64 n = 1;

  for (guint d = 0; d < rank; d++)
    n = acc_bytes_multiply (n, (guint64) block[d] + (guint64) (sizes != NULL ? sizes[d] - 1 : 0));

  return (gint64) MIN (n, G_MAXINT64);
}

/* With what is around it. */
static guint64
measure_block (AccArray *node, const gint64 *block)
{
  guint64 bytes = acc_bytes_multiply ((guint64) count_elements (block, NULL, node->rank), acc_element_type_get_size (node->type));

  for (guint i = 0; i < node->n_inputs; i++)
    bytes = acc_bytes_add (bytes, acc_bytes_multiply ((guint64) count_elements (block, acc_array_get_stencil (node)->sizes[i], node->rank),
                                                      acc_element_type_get_size (node->inputs[i]->type)));

  return acc_bytes_multiply (bytes, COPIES);
}

static gint64
get_thickness (AccArray *node, const gint64 *block, guint d)
{
  gint64 size = 1;

  for (guint i = 0; i < node->n_inputs; i++)
    size = MAX (size, acc_array_get_stencil (node)->sizes[i][d]);

  return block[d] * (d + 1 < node->rank ? THINNER : 1) / size;
}

/* Halves it across where the least is read twice then. FALSE: it is one element. */
static gboolean
cut_block (AccArray *node, gint64 *block)
{
  guint most = node->rank;

  for (guint d = 0; d < node->rank; d++)
    if (block[d] > 1 && (most == node->rank || get_thickness (node, block, d) > get_thickness (node, block, most)))
      most = d;
  if (most == node->rank)
    return FALSE;
  block[most] = (block[most] + 1) / 2;

  return TRUE;
}

/* --- what plans ask */

/* Inputs are stored one after the other. */
static guint64
measure_least (AccArray *node)
{
  g_autofree gint64 *block = g_new (gint64, node->rank);
  guint64 rows = 0;

  for (guint d = 0; d < node->rank; d++)
    block[d] = 1;
  for (guint i = 0; i < node->n_inputs; i++)
    rows = MAX (rows, acc_external_measure_rows (node->inputs[i]));

  return acc_bytes_add (acc_bytes_add (LEAST_BYTES, rows), measure_block (node, block));
}

/* What stencils keep, this one and those that it reads: a window, which is copied when the rows in it are others. */
static guint64
measure_windows (AccArray *node)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (&node, 1);
  guint64 bytes = 0;

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *other = g_ptr_array_index (nodes, i);
      gboolean is_stencil = other->op == ACC_OP_STENCIL || other->op == ACC_OP_STENCIL2;

      for (guint k = 0; is_stencil && k < other->n_inputs; k++)
        bytes = acc_bytes_add (bytes, acc_bytes_multiply (acc_external_measure_row (other->inputs[k]),
                                                          2 * (guint64) acc_array_get_stencil (other)->sizes[k][0]));
    }

  return bytes;
}

/* Rows that take less than the algorithm go as rows. */
static guint64
measure_whole (AccArray *node)
{
  guint64 bytes = measure_windows (node);

  for (guint i = 0; i < node->n_inputs; i++)
    bytes = acc_bytes_add (bytes, acc_bytes_multiply (acc_external_measure_row (node->inputs[i]), ROWS));

  return bytes > measure_least (node) ? bytes : 0;
}

/* Whether the first rows have the last ones as neighbours. */
static gboolean
wraps_rows (AccArray *node, guint input)
{
  const AccStencilPayload *stencil = acc_array_get_stencil (node);

  return stencil->boundaries[input]->kind == ACC_BOUNDARY_WRAP && stencil->sizes[input][0] > 1;
}

/* No part of the input will do for rows of a device then. */
static guint64
measure_apart (AccArray *node)
{
  guint64 whole = measure_whole (node), wrapped = 0;

  for (guint i = 0; i < node->n_inputs; i++)
    if (wraps_rows (node, i))
      wrapped = acc_bytes_add (wrapped, acc_external_get_bytes (node->inputs[i]));
  if (wrapped > 0)
    wrapped = acc_bytes_add (wrapped, acc_bytes_add (measure_windows (node), LEAST_BYTES));

  return MAX (whole, wrapped);
}

/* --- an element of a block */

typedef struct {
  AccArray      *node;
  AccArray      *around[2];    /* the block of each input, with what is around it */
  AccArray      *first;        /* the index of its first element; NULL: nobody asks */
} Block;

typedef struct {
  const Block  *block;
  guint         input;
  AccExpr      *index;         /* in the block */
  gint64       *offsets;       /* from there to the neighbour, in .around */
} Around;

/* Of the array, where @i is an index of the block. */
static AccExpr *
find_index (const Around *self, guint d)
{
  const gint64 *sizes = acc_array_get_stencil (self->block->node)->sizes[self->input];
  AccExpr *first = acc_expr_index (self->block->first, acc_array_number (d));

  return acc_expr_add (acc_expr_add (acc_expr_item (self->index, d), first), acc_array_number (self->offsets[d] - sizes[d] / 2));
}

static AccExpr *
read_neighbour (const Around *self)
{
  AccArray *array = self->block->node->inputs[self->input], *around = self->block->around[self->input];
  const gint64 *extents = acc_shape_get_extents (array->shape, NULL);
  AccFunction *function = acc_array_get_stencil (self->block->node)->boundaries[self->input]->function;
  g_autofree AccExpr **items = g_new0 (AccExpr *, array->rank);
  g_autoptr(GPtrArray) own = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_expr_unref);
  g_autoptr(AccExpr) is_inside = acc_expr_ref_sink (acc_expr_new_bool (TRUE)), place = NULL;
  AccExpr *element;

  for (guint d = 0; d < array->rank; d++)
    items[d] = acc_expr_add (acc_expr_item (self->index, d), acc_array_number (self->offsets[d]));
  element = acc_expr_index (around, acc_expr_tuple (items, array->rank));
  if (function == NULL)
    return element;

  for (guint d = 0; d < array->rank; d++)
    {
      AccExpr *i = acc_expr_ref_sink (find_index (self, d)), *both;

      g_ptr_array_add (own, i);
      both = acc_expr_land (acc_expr_ge (i, acc_array_number (0)), acc_expr_lt (i, acc_array_number (extents[d])));
      both = acc_expr_ref_sink (acc_expr_land (is_inside, both));
      acc_expr_unref (is_inside);
      is_inside = both;
    }
  place = acc_expr_ref_sink (acc_expr_tuple ((AccExpr **) own->pdata, array->rank));

  return acc_expr_cond (is_inside, element, acc_function_apply (function, &place));
}

static AccExpr *
read_around (const Around *self, guint d)
{
  const AccArray *node = self->block->node;
  gint64 size = d < node->rank ? acc_array_get_stencil ((AccArray *) node)->sizes[self->input][d] : 0;
  g_autofree AccExpr **items = NULL;

  if (d == node->rank)
    return read_neighbour (self);

  items = g_new0 (AccExpr *, (gsize) size);
  for (gint64 i = 0; i < size; i++)
    {
      self->offsets[d] = i;
      items[i] = read_around (self, d + 1);
    }

  return acc_expr_tuple (items, (guint) size);
}

static AccExpr *
compute_element (AccExpr *index, gpointer data)
{
  const Block *block = data;
  g_autoptr(AccExpr) first = NULL, second = NULL;
  g_autofree gint64 *offsets = g_new0 (gint64, block->node->rank);

  for (guint i = 0; i < block->node->n_inputs; i++)
    *(i == 0 ? &first : &second) = acc_expr_ref_sink (read_around (&(Around) { block, i, index, offsets }, 0));

  return acc_function_apply (block->node->functions[0], (AccExpr *[]) { first, second });
}

/* --- copies */

/* The next index of those below @extents, the last dimension first. FALSE: there is none. */
static gboolean
move_on (gint64 *index, const gint64 *extents, guint rank)
{
  for (guint d = rank; d-- > 0; index[d] = 0)
    if (++index[d] < extents[d])
      return TRUE;

  return FALSE;
}

/* Where dimension @d of what is around the block is found in the input. */
static gint64
find_place (AccArray *node, guint input, const gint64 *first, guint d, gint64 i)
{
  const AccStencilPayload *stencil = acc_array_get_stencil (node);

  return acc_boundary_fold_inside (stencil->boundaries[input]->kind, first[d] + i - stencil->sizes[input][d] / 2,
                                   acc_shape_get_extent (node->inputs[input]->shape, d));
}

/* @stored: the input, in a store or in memory, on the host. */
static AccArray *
copy_around (const AccExternalTask *task, guint input, AccArray *stored, const gint64 *first, const gint64 *block, GError **error)
{
  AccArray *node = task->node;
  guint rank = node->rank, last = rank - 1;
  const gint64 *sizes = acc_array_get_stencil (node)->sizes[input], *extents = acc_shape_get_extents (stored->shape, NULL);
  g_autofree gint64 *whole = g_new (gint64, rank), *index = g_new0 (gint64, rank), *columns = NULL;
  g_autofree AccBuffer **buffers = acc_buffers_allocate (stored->type, count_elements (block, sizes, rank),
                                                         acc_backend_get_host_budget (task->backend), "a block", error);
  g_autoptr(AccShape) shape = NULL;
  gint64 at = 0;

  if (buffers == NULL)
    return NULL;
  for (guint d = 0; d < rank; d++)
    whole[d] = block[d] + sizes[d] - 1;
  columns = g_new (gint64, (gsize) whole[last]);
  for (gint64 i = 0; i < whole[last]; i++)
    columns[i] = find_place (node, input, first, last, i);

  do
    {
      gint64 row = 0;

      for (guint d = 0; d < last; d++)
        row = row * extents[d] + find_place (node, input, first, d, index[d]);
      for (gint64 i = 0, n; i < whole[last]; i += n, at += n)
        {
          for (n = 1; i + n < whole[last] && columns[i + n] == columns[i] + n; n++)
            ;
          acc_external_copy (stored->type, buffers, at, acc_array_get_buffers (stored), row * extents[last] + columns[i], n);
        }
    }
  while (move_on (index, whole, last));
  shape = acc_shape_new (whole, rank);

  return acc_array_new_manifest (stored->type, shape, buffers);
}

static gboolean
write_block (AccStore *to, AccArray *node, AccArray *result, const gint64 *first, const gint64 *block, GError **error)
{
  const gint64 *extents = acc_shape_get_extents (node->shape, NULL);
  g_autofree gint64 *index = g_new0 (gint64, node->rank);
  guint outer = node->rank - 1;
  gint64 run = block[outer], inner = extents[outer], at = 0;

  if (!acc_external_fetch (result, error))
    return FALSE;
  /* What lies behind one another is written at once. */
  for (; outer > 0 && inner == run; run *= block[outer], inner *= extents[outer])
    outer--;

  do
    {
      gint64 place = 0;

      for (guint d = 0; d < node->rank; d++)
        place = place * extents[d] + first[d] + (d < outer ? index[d] : 0);
      if (!acc_store_write_from (to, place, run, acc_array_get_buffers (result), at, error))
        return FALSE;
      at += run;
    }
  while (move_on (index, block, outer));

  return TRUE;
}

/* --- all blocks */

typedef struct {
  const AccExternalTask *task;
  AccArray *stored[2];
  AccStore *to;
  gboolean  asks;       /* a boundary does, where it is */
} Work;

static AccArray *
new_index (const gint64 *index, guint rank)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (rank);
  g_autoptr(GBytes) bytes = g_bytes_new (index, rank * sizeof *index);

  return acc_array_use_buffers (acc_element_type_new (ACC_KIND_I64), shape, &bytes, 1);
}

static gboolean
compute_block (const Work *self, const gint64 *first, const gint64 *extents, GError **error)
{
  const AccExternalTask *task = self->task;
  AccArray *node = task->node;
  g_autoptr(AccShape) shape = acc_shape_new (extents, node->rank);
  g_autoptr(AccArray) one = NULL, two = NULL, index = self->asks ? new_index (first, node->rank) : NULL, built = NULL;
  g_autoptr(GPtrArray) results = NULL;
  Block block;

  one = copy_around (task, 0, self->stored[0], first, extents, error);
  if (one == NULL)
    return FALSE;
  if (node->n_inputs > 1 && (two = copy_around (task, 1, self->stored[1], first, extents, error)) == NULL)
    return FALSE;
  block = (Block) { node, { one, two }, index };
  built = acc_array_generate (shape, compute_element, &block);
  results = acc_evaluate_with_chunk_rows (task->backend, &built, 1, 0, task->cancellable, error);

  return results != NULL && write_block (self->to, node, g_ptr_array_index (results, 0), first, extents, error);
}

/* All are of the same extents, so that they are one program: the last ones begin earlier. */
static gboolean
compute_blocks (const Work *self, const gint64 *block, GError **error)
{
  AccArray *node = self->task->node;
  const gint64 *extents = acc_shape_get_extents (node->shape, NULL);
  g_autofree gint64 *index = g_new0 (gint64, node->rank), *counts = g_new (gint64, node->rank), *first = g_new (gint64, node->rank);

  for (guint d = 0; d < node->rank; d++)
    counts[d] = (extents[d] - 1) / block[d] + 1;
  do
    {
      for (guint d = 0; d < node->rank; d++)
        first[d] = MIN (index[d] * block[d], extents[d] - block[d]);
      if (g_cancellable_set_error_if_cancelled (self->task->cancellable, error) || !compute_block (self, first, block, error))
        return FALSE;
    }
  while (move_on (index, counts, node->rank));

  return TRUE;
}

/* As large as memory allows. */
static gboolean
compute_all (const Work *self, GError **error)
{
  AccArray *node = self->task->node;
  g_autofree gint64 *block = g_memdup2 (acc_shape_get_extents (node->shape, NULL), node->rank * sizeof (gint64));
  guint64 room = acc_external_get_room (self->task->backend);
  GError *local = NULL;

  while (measure_block (node, block) > room && cut_block (node, block))
    ;
  while (!compute_blocks (self, block, &local))
    {
      if (!g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) || !cut_block (node, block))
        {
          g_propagate_error (error, local);
          return FALSE;
        }
      g_clear_error (&local);
    }

  return TRUE;
}

static AccArray *
compute_stencil (const AccExternalTask *task, GError **error)
{
  AccArray *node = task->node;
  g_autoptr(GPtrArray) inputs = acc_stages_run (task->backend, node->inputs, node->n_inputs, ACC_STAGES_SOURCES, 0, NULL,
                                                task->cancellable, error);
  g_autoptr(GPtrArray) stored = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccStore) to = NULL;
  Work self = { .task = task };

  for (guint i = 0; inputs != NULL && i < node->n_inputs; i++)
    {
      self.stored[i] = acc_external_keep (task, g_ptr_array_index (inputs, i), "what a stencil reads", error);
      if (self.stored[i] == NULL)
        return NULL;
      g_ptr_array_add (stored, self.stored[i]);
      if (!acc_external_fetch (self.stored[i], error))
        return NULL;
      self.asks |= acc_array_get_stencil (node)->boundaries[i]->function != NULL;
    }
  if (inputs == NULL)
    return NULL;
  g_clear_pointer (&inputs, g_ptr_array_unref);
  self.to = to = acc_external_new_store (task, node->type, node->shape, "a store", error);

  return to != NULL && compute_all (&self, error) ? acc_store_dup_array (to, error) : NULL;
}

const AccExternal acc_external_stencil = {
  .way = "blocks with what is around them",
  .leaves_store = TRUE,
  .takes = take_stencil,
  .measure_whole = measure_whole,
  .measure_apart = measure_apart,
  .measure_least = measure_least,
  .n_written = 2,
  .n_read = 2,
  .compute = compute_stencil,
};
