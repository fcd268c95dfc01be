/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-blocks-private.h"
#include "acc-external-elements-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-core/derived/acc-array-products.h"
#include "acc-error.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <string.h>

/* Products of matrices by blocks: some rows of the left one by some columns of the right one, all of their depth where that fits, so that
 * sums are those of the whole product. Blocks of rows are kept while all columns pass, and written as whole rows. The right one is stored
 * by bands of rows, in which the columns of each block are together: so blocks of columns are read by large pieces. */

/* Of memory: a block of columns, beside which it is packed; rows and their block of the result have the rest, but for a band before. */
#define COLUMNS_PART 8
/* Of memory: a row of the result, or more, for which whole rows are not kept. */
#define ROW_PART     16

typedef struct {
  const AccExternalTask *task;
  AccExecutable         *multiply; /* matrices, whole: a run by rows would add products in another way */
  AccBlocks             *left, *right, *to;
  AccArray              *rows; /* of the left one */
  AccBuffer            **whole; /* their rows of the result; NULL: blocks are written one by one */
  AccBuffer            **band;
  gint64                 depth, n_columns, width, height; /* of a block of columns, and of a band; 0: there are no bands */
  gint64                 done; /* rows in bands */
} Work;

static AccArray **
take_product (AccArray *node, guint *n_inputs)
{
  AccArray *direct = node->direct;

  *n_inputs = 2;
  if (direct == NULL || direct->op != ACC_OP_MATMUL || node->shape == NULL
      || direct->inputs[0]->shape == NULL || direct->inputs[1]->shape == NULL)
    return NULL;

  return direct->inputs;
}

static guint64
measure_whole (AccArray *node)
{
  guint n;
  AccArray **inputs = take_product (node, &n);

  /* The right one is packed. */
  return acc_bytes_add (acc_external_get_bytes (node), acc_bytes_add (acc_external_get_bytes (inputs[0]),
                                                                      acc_bytes_multiply (acc_external_get_bytes (inputs[1]), 2)));
}

static gint64
get_depth (AccArray *node)
{
  AccArray *right = node->direct->inputs[1];

  return acc_shape_get_extent (right->shape, right->rank - 2);
}

static gint64
get_columns (AccArray *node)
{
  AccArray *right = node->direct->inputs[1];

  return acc_shape_get_extent (right->shape, right->rank - 1);
}

static guint64
measure_rows (AccArray *node)
{
  return acc_bytes_add (acc_external_measure_rows (node->direct->inputs[0]), acc_external_measure_rows (node->direct->inputs[1]));
}

/* What rows and columns of the whole depth take. */
static guint64
measure_depth (AccArray *node)
{
  return acc_bytes_multiply ((guint64) get_depth (node), 16 * acc_element_type_get_size (node->type));
}

static guint64
measure_least (AccArray *node)
{
  return acc_bytes_add (measure_rows (node), MIN (measure_depth (node), acc_product_measure_deep (node)));
}

static gboolean
is_deep (AccBackend *backend, AccArray *node)
{
  return measure_depth (node) > acc_external_get_room (backend);
}

static gint64
choose_columns (AccBackend *backend, AccArray *node)
{
  guint64 column = acc_bytes_multiply ((guint64) get_depth (node), COLUMNS_PART * acc_element_type_get_size (node->type));

  return acc_blocks_choose (backend, column, get_columns (node));
}

/* Whether whole rows of the result are kept. */
static gboolean
keeps_rows (AccBackend *backend, AccArray *node)
{
  guint64 row = acc_bytes_multiply ((guint64) get_columns (node), acc_element_type_get_size (node->type));

  return acc_bytes_multiply (row, ROW_PART) <= acc_external_get_room (backend);
}

/* Of the left one; blocks of columns and what is packed take a quarter of the memory. */
static gint64
choose_rows (AccBackend *backend, AccArray *node, gint64 width)
{
  guint64 elements = (guint64) get_depth (node) + 2 * (guint64) width + (keeps_rows (backend, node) ? (guint64) get_columns (node) : 0);
  AccShape *shape = node->direct->inputs[0]->shape;
  gint64 most = acc_shape_get_size (shape) / MAX (get_depth (node), 1);

  return acc_blocks_choose (backend, acc_bytes_multiply (elements, 2 * acc_element_type_get_size (node->type)), most);
}

static void
count_passes (AccBackend *backend, AccArray *node, guint *n_written, guint *n_read)
{
  gint64 n = acc_shape_get_size (node->direct->inputs[0]->shape) / MAX (get_depth (node), 1);
  gint64 rows = MAX (choose_rows (backend, node, choose_columns (backend, node)), 1);

  if (is_deep (backend, node))
    {
      acc_product_count_deep (backend, node, n_written, n_read);
      return;
    }
  *n_written = 3;
  *n_read = 2 + (guint) MIN (acc_ceil_div (n, rows), G_MAXINT32);
}

/* --- bands of the right one */

static gboolean
add_rows (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Work *self = data;
  gint64 n = acc_chunk_get_n_rows (chunk);

  for (gint64 row = 0; row < n; row++)
    {
      gint64 first = self->done / self->height * self->height, height = MIN (self->height, self->depth - first), at = self->done - first;

      for (guint i = 0; i < self->right->n_buffers; i++)
        {
          gsize size = acc_element_type_get_buffer_size (self->right->type, i);
          const guint8 *from = (const guint8 *) (guintptr) acc_chunk_get_address (chunk, i) + (gsize) (row * self->n_columns) * size;

          for (gint64 column = 0, width; column < self->n_columns; column += width)
            {
              width = MIN (self->width, self->n_columns - column);
              memcpy ((guint8 *) self->band[i]->data + (gsize) (column * height + at * width) * size, from + (gsize) column * size,
                      (gsize) width * size);
            }
        }
      self->done++;
      if (at + 1 == height
          && !acc_store_write_from (self->right->store, first * self->n_columns, height * self->n_columns, self->band, 0, error))
        return FALSE;
    }

  return TRUE;
}

static const AccExternalWalk into_bands = { "bands", add_rows, NULL };

static gboolean
write_bands (Work *self, AccArray *array, GError **error)
{
  AccBackend *backend = self->task->backend;
  gboolean done;

  if (!acc_blocks_init (self->right, self->task, array->type, array->shape, self->n_columns, error))
    return FALSE;

  self->height = acc_blocks_choose (backend, acc_bytes_multiply ((guint64) self->n_columns, 8 * acc_element_type_get_size (array->type)),
                                    self->depth);
  self->band = acc_buffers_allocate (array->type, self->height * self->n_columns, acc_backend_get_host_budget (backend), "a band", error);
  done = self->band != NULL && acc_external_walk (self->task, array, &into_bands, self, error);
  g_clear_pointer (&self->band, acc_buffers_free);

  return done;
}

/* What is in memory stays there; where there is none for a band, rows are stored as they are. */
static gboolean
begin_right (Work *self, AccArray *array, GError **error)
{
  GError *local = NULL;

  if ((!acc_array_is_manifest (array) || acc_store_holds (array)) && self->n_columns > 0
      && keeps_rows (self->task->backend, self->task->node))
    {
      if (write_bands (self, array, &local))
        return TRUE;
      if (!g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) || self->done > 0)
        {
          g_propagate_error (error, local);
          return FALSE;
        }
      g_error_free (local);
      acc_blocks_clear (self->right);
      self->height = 0;
    }

  return acc_blocks_init_for (self->right, self->task, array, self->n_columns, error);
}

static AccArray *
read_columns (Work *self, gint64 column, gint64 width, GError **error)
{
  const gint64 extents[] = { self->depth, width };
  g_autoptr(AccShape) shape = NULL;
  g_autofree AccBuffer **buffers = NULL;

  if (self->height == 0)
    return acc_blocks_read (self->right, 0, self->depth, column, width, extents, 2, error);

  buffers = acc_buffers_allocate (self->right->type, self->depth * width, acc_backend_get_host_budget (self->task->backend), "a block",
                                  error);
  if (buffers == NULL)
    return NULL;
  for (gint64 first = 0, height; first < self->depth; first += height)
    {
      height = MIN (self->height, self->depth - first);
      if (!acc_store_read_to (self->right->store, first * self->n_columns + column * height, height * width, buffers, first * width, error))
        {
          acc_buffers_free (g_steal_pointer (&buffers));
          return NULL;
        }
      if (column + width < self->n_columns)
        acc_store_expect (self->right->store, first * self->n_columns + (column + width) * height,
                          height * MIN (self->width, self->n_columns - column - width));
    }
  shape = acc_shape_new (extents, 2);

  return acc_array_new_manifest (self->right->type, shape, buffers);
}

/* --- the product */

static gboolean
keep_block (Work *self, AccArray *block, gint64 n, gint64 column, gint64 width, GError **error)
{
  if (!acc_external_fetch (block, error))
    return FALSE;
  for (gint64 row = 0; row < n; row++)
    acc_external_copy (self->to->type, self->whole, row * self->n_columns + column, acc_array_get_buffers (block), row * width, width);

  return TRUE;
}

static AccArray *
build_product (AccArray **factors, guint n_factors, gpointer data)
{
  return acc_array_matmul (factors[0], factors[1]);
}

static AccExecutable *
compile_product (const AccExternalTask *task, GError **error)
{
  g_autofree char *matrix = g_strdup_printf ("%s[:,:]", acc_element_type_get_code (task->node->type));
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { matrix, matrix, NULL }, build_product, NULL);

  return acc_backend_compile (task->backend, program, task->cancellable, error);
}

/* Where a single row is too much, it goes by rows of its own. */
static GPtrArray *
multiply (Work *self, gint64 n, AccArray *columns, GCancellable *cancellable, GError **error)
{
  GError *local = NULL;
  GPtrArray *results = acc_executable_run_whole (self->multiply, (AccArray *[]) { self->rows, columns }, 2, cancellable, &local);
  g_autoptr(AccArray) product = NULL;

  if (results != NULL && !acc_external_fetch (g_ptr_array_index (results, 0), error))
    g_clear_pointer (&results, g_ptr_array_unref);
  if (results != NULL || local == NULL)
    return results;
  if (n > 1 || !g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    {
      g_propagate_error (error, local);
      return NULL;
    }
  g_error_free (local);
  product = acc_array_matmul (self->rows, columns);

  return acc_evaluate_with_chunk_rows (self->task->backend, &product, 1, 0, cancellable, error);
}

static gboolean
multiply_columns (Work *self, gint64 first, gint64 n, GCancellable *cancellable, GError **error)
{
  for (gint64 column = 0, width; column < self->n_columns; column += width)
    {
      g_autoptr(AccArray) columns = NULL;
      g_autoptr(GPtrArray) results = NULL;
      AccArray *block;

      width = MIN (self->width, self->n_columns - column);
      columns = read_columns (self, column, width, error);
      results = columns != NULL ? multiply (self, n, columns, cancellable, error) : NULL;
      if (results == NULL)
        return FALSE;
      block = g_ptr_array_index (results, 0);
      if (!(self->whole != NULL ? keep_block (self, block, n, column, width, error)
                                : acc_blocks_write (self->to, first, n, column, width, block, error)))
        return FALSE;
    }

  return self->whole == NULL || acc_store_write_from (self->to->store, first * self->n_columns, n * self->n_columns, self->whole, 0, error);
}

static gboolean
multiply_rows (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  Work *self = data;
  gboolean keeps = keeps_rows (self->task->backend, self->task->node), done;

  self->rows = acc_blocks_read (self->left, first, n, 0, self->depth, (gint64[]) { n, self->depth }, 2, error);
  if (self->rows != NULL && keeps)
    self->whole = acc_buffers_allocate (self->to->type, n * self->n_columns, acc_backend_get_host_budget (self->task->backend), "rows",
                                        error);
  done = self->rows != NULL && (!keeps || self->whole != NULL) && multiply_columns (self, first, n, cancellable, error);
  g_clear_object (&self->rows);
  g_clear_pointer (&self->whole, acc_buffers_free);

  return done;
}

/* --- several products */

/* Number @i of an array of matrices, or its only one. */
static AccArray *
select_matrix (AccArray *array, gint64 i)
{
  const gint64 *extents = acc_shape_get_extents (array->shape, NULL) + array->rank - 2;

  return acc_external_new_part (array, array->rank > 2 ? i * extents[0] * extents[1] : 0, extents, 2);
}

/* One after the other, as that of two matrices. */
static AccArray *
compute_each (const AccExternalTask *task, GError **error)
{
  AccArray *node = task->node;
  const gint64 *extents = acc_shape_get_extents (node->shape, NULL) + node->rank - 2;
  gint64 one = extents[0] * extents[1], n = one > 0 ? acc_shape_get_size (node->shape) / one : 0;
  g_autoptr(AccArray) left = acc_external_keep (task, node->direct->inputs[0], "matrices", error),
    right = left != NULL ? acc_external_keep (task, node->direct->inputs[1], "matrices", error) : NULL;
  g_autoptr(AccStore) to = right != NULL ? acc_external_new_store (task, node->type, node->shape, "products", error) : NULL;

  for (gint64 i = 0; to != NULL && i < n; i++)
    {
      g_autoptr(AccArray) x = select_matrix (left, i), y = select_matrix (right, i), product = acc_array_matmul (x, y);

      if (!acc_external_fill_part (task, product, to, i * one, error))
        return NULL;
    }

  return to != NULL ? acc_store_dup_array (to, error) : NULL;
}

static AccArray *
compute_product (const AccExternalTask *task, GError **error)
{
  AccArray **inputs = task->node->direct->inputs;
  gint64 depth = get_depth (task->node), n = get_columns (task->node);
  g_auto(AccBlocks) left = { NULL, }, right = { NULL, }, to = { NULL, };
  g_autoptr(AccExecutable) multiply = NULL;
  Work self = { .task = task, .left = &left, .right = &right, .to = &to, .depth = depth, .n_columns = n };

  if (inputs[1]->rank > 2)
    return compute_each (task, error);
  if (is_deep (task->backend, task->node))
    return acc_blocks_init_for (&left, task, inputs[0], depth, error) && acc_blocks_init_for (&right, task, inputs[1], n, error)
           && acc_blocks_init (&to, task, task->node->type, task->node->shape, n, error)
           && acc_product_multiply_deep (task, &left, &right, &to, error)
           ? acc_blocks_dup_array (&to, error) : NULL;

  self.width = choose_columns (task->backend, task->node);
  multiply = self.multiply = compile_product (task, error);
  if (multiply == NULL || !acc_blocks_init_for (&left, task, inputs[0], depth, error) || !begin_right (&self, inputs[1], error)
      || !acc_blocks_init (&to, task, task->node->type, task->node->shape, n, error))
    return NULL;

  return acc_blocks_each (left.n_rows, choose_rows (task->backend, task->node, self.width), multiply_rows, &self, task->cancellable, error)
         ? acc_blocks_dup_array (&to, error) : NULL;
}

const AccExternal acc_external_product = {
  .way = "blocks of rows by blocks of columns",
  .leaves_store = TRUE,
  .takes = take_product,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .count_passes = count_passes,
  .compute = compute_product,
};
