/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-blocks-private.h"
#include "acc-external-elements-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-core/base/acc-element-type-private.h"
#include "acc-core/derived/acc-array-math.h"
#include "acc-core/derived/acc-array-products.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <math.h>
#include <string.h>

/* Products of matrices of which not even a row of the whole depth fits: a block of the result stays in memory, and the depth passes by
 * pieces, whose products are added to it. */

/* Of memory: a block of the result and as many again while it is added to; the rest but for as much is for pieces. */
#define RESULT_PART  4
#define RESULT_TIMES 3
/* A piece of the right one is packed, and both are copied. */
#define LEFT_TIMES   2
#define RIGHT_TIMES  3
/* A piece, and what is counted of its buffers. */
#define LEAST_BYTES  (64 * 1024)

typedef struct {
  const AccExternalTask *task;
  AccExecutable *executable;
  AccBlocks *left, *right, *to;
  gint64     height, width, piece;          /* of a block of the result, and how deep at once */
  gint64     row, n_rows, column, n_columns;
  AccArray  *sum;
} Work;

guint64
acc_product_measure_deep (AccArray *node)
{
  return LEAST_BYTES
         + (guint64) acc_element_type_get_size (acc_element_type_get_sum_type (node->type)) * (RESULT_TIMES + LEFT_TIMES + RIGHT_TIMES);
}

static void
choose_sizes (Work *self)
{
  guint64 size = acc_element_type_get_size (acc_element_type_get_sum_type (self->to->type)),
    room = acc_external_get_room (self->task->backend);
  gint64 elements = (gint64) MIN (room / size, G_MAXINT64 / 2), block = MAX (elements / (RESULT_PART * RESULT_TIMES), 1);
  gint64 side = MAX ((gint64) sqrt ((double) block), 1);

  self->width = CLAMP (side, 1, MAX (self->to->n_columns, 1));
  self->height = CLAMP (block / self->width, 1, MAX (self->to->n_rows, 1));
  self->width = CLAMP (block / self->height, 1, MAX (self->to->n_columns, 1));
  self->piece = CLAMP (elements / 2 / (LEFT_TIMES * self->height + RIGHT_TIMES * self->width), 1, MAX (self->left->n_columns, 1));
}

void
acc_product_count_deep (AccBackend *backend, AccArray *node, guint *n_written, guint *n_read)
{
  AccArray **inputs = node->direct->inputs;
  guint rank = inputs[1]->rank;
  gint64 depth = acc_shape_get_extent (inputs[1]->shape, rank - 2), n_columns = acc_shape_get_extent (inputs[1]->shape, rank - 1);
  AccBlocks left = { .n_columns = depth },
    to = { .type = node->type, .n_columns = n_columns, .n_rows = acc_shape_get_size (node->shape) / MAX (n_columns, 1) };
  Work self = { &(AccExternalTask) { .backend = backend }, NULL, &left, NULL, &to, };

  choose_sizes (&self);
  *n_written = 3;
  *n_read = 1 + (guint) MIN (MAX (acc_ceil_div (to.n_columns, self.width), acc_ceil_div (to.n_rows, self.height)), G_MAXINT32);
}

/* --- a block of the result */

/* Of the sums so far, and a piece of each matrix. */
static AccArray *
add_product (AccArray **matrices, guint n_matrices, gpointer type)
{
  g_autoptr(AccArray) left = acc_array_cast (matrices[1], type), right = acc_array_cast (matrices[2], type),
    product = acc_array_matmul (left, right);

  return acc_array_add (matrices[0], product);
}

static AccExecutable *
compile (const AccExternalTask *task, GError **error)
{
  AccElementType *type = acc_element_type_get_sum_type (task->node->type);
  g_autofree char *sums = g_strdup_printf ("%s[:,:]", acc_element_type_get_code (type)),
    *matrix = g_strdup_printf ("%s[:,:]", acc_element_type_get_code (task->node->type));
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { sums, matrix, matrix, NULL }, add_product, type);

  return acc_backend_compile (task->backend, program, task->cancellable, error);
}

static AccArray *
new_sum (const Work *self, GError **error)
{
  AccElementType *type = acc_element_type_get_sum_type (self->to->type);
  gint64 n = self->n_rows * self->n_columns;
  g_autoptr(AccShape) shape = acc_shape_new_matrix (self->n_rows, self->n_columns);
  g_autofree AccBuffer **buffers = acc_buffers_allocate (type, n, acc_backend_get_host_budget (self->task->backend), "sums", error);

  if (buffers == NULL)
    return NULL;
  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    memset (buffers[i]->data, 0, (gsize) n * acc_element_type_get_buffer_size (type, i));

  return acc_array_new_manifest (type, shape, buffers);
}

static gboolean
add_piece (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  Work *self = data;
  g_autoptr(AccArray) left = NULL, right = NULL;
  g_autoptr(GPtrArray) results = NULL;

  left = acc_blocks_read (self->left, self->row, self->n_rows, first, n, (gint64[]) { self->n_rows, n }, 2, error);
  if (left != NULL)
    right = acc_blocks_read (self->right, first, n, self->column, self->n_columns, (gint64[]) { n, self->n_columns }, 2, error);
  if (right != NULL)
    results = acc_executable_run_whole (self->executable, (AccArray *[]) { self->sum, left, right }, 3, cancellable, error);
  if (results == NULL)
    return FALSE;
  g_set_object (&self->sum, g_ptr_array_index (results, 0));

  return TRUE;
}

static gboolean
multiply_block (Work *self, GError **error)
{
  GCancellable *cancellable = self->task->cancellable;
  g_autoptr(AccArray) narrow = NULL;
  g_autoptr(GPtrArray) results = NULL;

  g_clear_object (&self->sum);
  self->sum = new_sum (self, error);
  if (self->sum == NULL || !acc_blocks_each (self->left->n_columns, self->piece, add_piece, self, cancellable, error))
    return FALSE;

  narrow = acc_array_cast (self->sum, self->to->type);
  results = acc_evaluate_with_chunk_rows (self->task->backend, &narrow, 1, 0, cancellable, error);

  return results != NULL && acc_blocks_write (self->to, self->row, self->n_rows, self->column, self->n_columns,
                                              g_ptr_array_index (results, 0), error);
}

gboolean
acc_product_multiply_deep (const AccExternalTask *task, AccBlocks *left, AccBlocks *right, AccBlocks *to, GError **error)
{
  g_autoptr(AccExecutable) executable = compile (task, error);
  Work self = { .task = task, .left = left, .right = right, .to = to, .executable = executable };
  gboolean done = executable != NULL;

  choose_sizes (&self);
  for (self.row = 0; done && self.row < to->n_rows; self.row += self.n_rows)
    {
      self.n_rows = MIN (self.height, to->n_rows - self.row);
      for (self.column = 0; done && self.column < to->n_columns; self.column += self.n_columns)
        {
          self.n_columns = MIN (self.width, to->n_columns - self.column);
          done = multiply_block (&self, error);
        }
    }
  g_clear_object (&self.sum);

  return done;
}
