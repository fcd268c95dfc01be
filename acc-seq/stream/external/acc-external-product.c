/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-blocks-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/derived/acc-array-products.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-plan-private.h"

/* Products of matrices by blocks: some rows of the left one by some columns of the right one, all of their depth, so that sums are those of
 * the whole product. Blocks of columns are kept while all rows pass. */

/* Of memory: columns, beside which they are packed; rows and the block of the result have the rest. */
#define COLUMNS_PART 4

typedef struct {
  const AccExternalTask *task;
  AccBlocks *left, *right, *to;
  AccArray  *columns;
  gint64     first, n;        /* of the columns */
  gint64     depth;
} Work;

static AccArray **
take_product (AccArray *node, guint *n_inputs)
{
  AccArray *direct = node->direct;

  *n_inputs = 2;
  if (direct == NULL || direct->op != ACC_OP_MATMUL || direct->inputs[1]->rank != 2 || node->shape == NULL
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
  return acc_shape_get_extent (node->direct->inputs[1]->shape, 0);
}

static guint64
measure_least (AccArray *node)
{
  guint64 rows = acc_bytes_add (acc_external_measure_rows (node->direct->inputs[0]), acc_external_measure_rows (node->direct->inputs[1]));

  return acc_bytes_add (rows, acc_bytes_multiply ((guint64) get_depth (node), 16 * acc_element_type_get_size (node->type)));
}

static gint64
choose_columns (AccBackend *backend, AccArray *node)
{
  guint64 column = acc_bytes_multiply ((guint64) get_depth (node), COLUMNS_PART * acc_element_type_get_size (node->type));

  return acc_blocks_choose (backend, column, acc_shape_get_extent (node->direct->inputs[1]->shape, 1));
}

static void
count_passes (AccBackend *backend, AccArray *node, guint *n_written, guint *n_read)
{
  gint64 n = acc_shape_get_extent (node->direct->inputs[1]->shape, 1), columns = MAX (choose_columns (backend, node), 1);

  *n_written = 2;
  *n_read = 1 + (guint) ((n + columns - 1) / columns);
}

static gboolean
multiply_rows (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  Work *self = data;
  g_autoptr(AccArray) rows = acc_blocks_read (self->left, first, n, 0, self->depth, (gint64[]) { n, self->depth }, 2, error);
  g_autoptr(AccArray) product = NULL;
  g_autoptr(GPtrArray) results = NULL;

  if (rows == NULL)
    return FALSE;
  product = acc_array_matmul (rows, self->columns);
  results = acc_evaluate_with_chunk_rows (self->task->backend, &product, 1, 0, cancellable, error);

  return results != NULL && acc_blocks_write (self->to, first, n, self->first, self->n, g_ptr_array_index (results, 0), error);
}

static gboolean
multiply_columns (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  Work *self = data;
  gsize size = acc_element_type_get_size (self->left->type);
  gboolean done;

  self->first = first;
  self->n = n;
  self->columns = acc_blocks_read (self->right, 0, self->depth, first, n, (gint64[]) { self->depth, n }, 2, error);
  if (self->columns == NULL)
    return FALSE;

  done = acc_blocks_each (self->left->n_rows,
                          acc_blocks_choose (self->task->backend, (guint64) (self->depth + 2 * n) * size * 2, self->left->n_rows),
                          multiply_rows, self, cancellable, error);
  g_clear_object (&self->columns);

  return done;
}

static AccArray *
compute_product (const AccExternalTask *task, GError **error)
{
  AccArray **inputs = task->node->direct->inputs;
  gint64 depth = get_depth (task->node), n = acc_shape_get_extent (inputs[1]->shape, 1);
  g_auto(AccBlocks) left = { NULL, }, right = { NULL, }, to = { NULL, };
  Work self = { task, &left, &right, &to, NULL, 0, 0, depth };

  if (!acc_blocks_init_for (&left, task, inputs[0], depth, error) || !acc_blocks_init_for (&right, task, inputs[1], n, error)
      || !acc_blocks_init (&to, task, task->node->type, task->node->shape, n, error))
    return NULL;

  return acc_blocks_each (n, choose_columns (task->backend, task->node), multiply_columns, &self, task->cancellable, error)
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
