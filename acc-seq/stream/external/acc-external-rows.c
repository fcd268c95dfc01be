/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-blocks-private.h"
#include "acc-external-elements-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-foreign-known-private.h"
#include "acc-core/derived/acc-array-rearrange.h"
#include "acc-core/derived/fft/acc-array-fft-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <math.h>

/* Sorts of rows, and transforms: by blocks of rows. A transform of several dimensions is one of each after the other, the outer ones by
 * blocks of columns, which are turned to be rows where few fit. One of a long vector goes in four steps (D. H. Bailey, 1990): of x[c + n2
 * r] the columns, which are turned, and then the rows, which are written as columns: y[r + n1 c]. */

/* Arrays as large as the block that are there at once while it is computed: it, its result, and what is between. */
#define PARTS      6
/* What the sort of a vector, and what comes by rows, take besides elements. */
#define LEAST_SORT (32 * 1024)
#define LEAST_ROWS (32 * 1024)
/* What a convolution with a chirp takes besides, how often it writes and reads as many elements, and of how many it may be. */
#define LEAST_CHIRP (32 * 1024)
#define CHIRP_PASSES 20
#define MOST_CHIRP  (G_GINT64_CONSTANT (1) << 31)
/* Bytes of what is read and written at once, where it is not worth to turn all: a page. */
#define LEAST_RUN  4096

typedef struct {
  const AccExternalTask *task;
  const AccForeignTransform *transform;  /* NULL: a sort */
  gboolean   forward;
  guint      n_dimensions, n_after;      /* of the transform that a block needs */
  gint64     n;                          /* extent that the work goes along, where blocks are columns */
  gint64     inner_rank;
  const gint64 *inner;                   /* extents of a row */
  gint64     row;                        /* first, where blocks are columns */
  AccBlocks *from, *to;
} Work;

static const AccForeignTransform *
find_transform (AccArray *node)
{
  return node->offer != NULL ? acc_foreign_find_transform (node->offer->name) : NULL;
}

/* Of the matrix that a vector is transformed as: the divisor next to its root, from below. */
static gint64
find_rows (gint64 n)
{
  gint64 divisor = (gint64) sqrt ((double) n);

  while (divisor > 1 && n % divisor != 0)
    divisor--;

  return divisor;
}

static AccArray **
take_rows (AccArray *node, guint *n_inputs)
{
  *n_inputs = 1;
  if (node->op == ACC_OP_SORT && node->rank > 1)
    return node->inputs;
  if (find_transform (node) != NULL && node->shape != NULL)
    return acc_foreign_get_inputs (node, n_inputs);

  return NULL;
}

/* Bytes that @n elements take while they are computed. */
static guint64
measure_block (AccArray *node, gint64 n)
{
  return acc_bytes_multiply ((guint64) n, PARTS * acc_element_type_get_size (node->type));
}

/* What is there at once of the vector of @n elements that is transformed by four steps: a row. */
static guint64
measure_steps (AccArray *node, gint64 n)
{
  return measure_block (node, n / MAX (find_rows (n), 1));
}

/* The same of one that is convolved with a chirp. */
static guint64
measure_chirp (AccArray *node, gint64 n)
{
  return n < MOST_CHIRP ? acc_bytes_add (LEAST_CHIRP, measure_steps (node, acc_fft_find_size (2 * MAX (n, 1) - 1))) : G_MAXUINT64;
}

static guint64
measure_vector (AccArray *node, gint64 n)
{
  return MIN (measure_steps (node, n), measure_chirp (node, n));
}

/* What a transform of @n elements takes where they are turned to be a row, which is computed as a vector if it must. */
static guint64
measure_along (AccArray *node, gint64 n)
{
  return MIN (measure_block (node, n), acc_bytes_add (LEAST_ROWS, measure_vector (node, n)));
}

/* What is computed at once at least: a column, and a row, or what a row needs that is computed as a vector. */
static guint64
measure_unit (AccArray *node)
{
  const AccForeignTransform *transform = find_transform (node);
  guint rank, n_after = transform != NULL ? transform->n_after : 0;
  const gint64 *extents = acc_shape_get_extents (node->shape, &rank);
  gint64 row = extents[rank - 1];
  guint64 bytes;

  if (n_after > 0)
    return measure_along (node, extents[rank - 2]);

  bytes = transform != NULL ? measure_vector (node, row)
                            : LEAST_SORT + (guint64) acc_element_type_get_size (node->type) * 256;
  if (rank > 1)
    bytes = MIN (acc_bytes_add (bytes, LEAST_ROWS), measure_block (node, row));
  for (guint i = 1; transform != NULL && i < transform->n_dimensions; i++)
    bytes = MAX (bytes, measure_along (node, extents[rank - 1 - i]));

  return bytes;
}

/* The only row comes from a source, and goes to a sink, besides. */
static guint64
measure_whole (AccArray *node)
{
  guint64 bytes = acc_external_get_bytes (node), row = acc_external_measure_row (node);

  if (bytes == G_MAXUINT64)
    return bytes;

  return acc_bytes_add (acc_bytes_multiply (bytes, 3), node->op == ACC_OP_SORT && row == bytes ? row / 2 + LEAST_ROWS : 0);
}

/* A sort passes between buffers of elements with their keys, which digits are counted for beside. */
static guint64
measure_apart (AccArray *node)
{
  guint64 bytes = measure_whole (node), size = acc_external_get_bytes (node);

  if (node->op != ACC_OP_SORT || size == G_MAXUINT64)
    return bytes;

  bytes = acc_bytes_add (bytes, acc_bytes_add (size, size / 4));

  return acc_bytes_add (bytes, acc_bytes_multiply (acc_external_get_size (node),
                                                   acc_element_type_get_size (node->functions[0]->body->type)));
}

static guint64
measure_least (AccArray *node)
{
  guint n;

  return acc_bytes_add (measure_unit (node), acc_external_measure_rows (take_rows (node, &n)[0]));
}

/* Whether a vector is convolved with a chirp: its steps have rows that do not fit, and are longer. */
static gboolean
is_chirp (AccBackend *backend, AccArray *node, gint64 n)
{
  guint64 steps = measure_steps (node, n);

  return steps > acc_external_get_room (backend) && steps > measure_chirp (node, n);
}

/* --- passes that there are */

static gint64
multiply (const gint64 *extents, guint begin, guint end)
{
  gint64 n = 1;

  for (guint i = begin; i < end; i++)
    n *= extents[i];

  return n;
}

/* Columns that are computed at once. */
static gint64
choose_columns (AccBackend *backend, AccElementType *type, gint64 n, gint64 n_columns)
{
  return acc_blocks_choose (backend, acc_bytes_multiply ((guint64) n, PARTS * acc_element_type_get_size (type)), n_columns);
}

/* Whether not even one column fits, or so few that pieces of them are not worth a page. */
static gboolean
turns_columns (AccBackend *backend, AccElementType *type, gint64 n, gint64 n_columns)
{
  gint64 width = choose_columns (backend, type, n, n_columns);
  guint64 bytes = acc_bytes_multiply ((guint64) n, PARTS * acc_element_type_get_size (type));

  return bytes > acc_external_get_room (backend) || (width < n_columns && (guint64) width * acc_element_type_get_size (type) < LEAST_RUN);
}

static void
count_passes (AccBackend *backend, AccArray *node, guint *n_written, guint *n_read)
{
  const AccForeignTransform *transform = find_transform (node);
  guint rank, n = transform != NULL ? transform->n_dimensions : 1;
  const gint64 *extents = acc_shape_get_extents (node->shape, &rank);

  if (rank == 1 && is_chirp (backend, node, extents[0]))
    {
      *n_written = *n_read = CHIRP_PASSES;
      return;
    }
  *n_written = 1 + (rank == 1 ? 2 : n);
  for (guint i = 0; transform != NULL && rank > 1 && i < n; i++)
    {
      guint d = rank - 1 - transform->n_after - i;

      if (d < rank - 1 && turns_columns (backend, node->type, extents[d], multiply (extents, d + 1, rank)))
        *n_written += 2;
    }
  *n_read = *n_written;
}

/* --- a block */

static AccArray *
build (const Work *self, AccArray *block)
{
  AccArray *node = self->task->node, *sorted;

  if (self->n_dimensions > 0)
    return acc_fft_transform_array (block, self->n_dimensions, self->n_after, self->forward, TRUE);

  sorted = acc_array_begin (ACC_OP_SORT, &block, 1);
  acc_array_take_function (sorted, 0, acc_external_dup_function (node));

  return acc_array_complete (sorted);
}

static AccArray *
compute (const Work *self, AccArray *block, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccArray) built = build (self, block);
  g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (self->task->backend, &built, 1, 0, cancellable, error);

  return results != NULL ? g_object_ref (g_ptr_array_index (results, 0)) : NULL;
}

static gboolean
compute_rows (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  const Work *self = data;
  g_autofree gint64 *extents = g_new0 (gint64, self->inner_rank + 1);
  g_autoptr(AccArray) block = NULL, result = NULL;

  extents[0] = n;
  for (guint i = 0; i < self->inner_rank; i++)
    extents[i + 1] = self->inner[i];
  block = acc_blocks_read (self->from, first, n, 0, self->from->n_columns, extents, (guint) self->inner_rank + 1, error);
  if (block != NULL)
    result = compute (self, block, cancellable, error);

  return result != NULL && acc_blocks_write (self->to, first, n, 0, self->to->n_columns, result, error);
}

static gboolean
compute_columns (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  const Work *self = data;
  g_autoptr(AccArray) block = acc_blocks_read (self->from, self->row, self->n, first, n, (gint64[]) { 1, self->n, n }, 3, error);
  g_autoptr(AccArray) result = block != NULL ? compute (self, block, cancellable, error) : NULL;

  return result != NULL && acc_blocks_write (self->to, self->row, self->n, first, n, result, error);
}

/* Turns element [r, c] of columns by the r c-th root of 1. */
static gboolean
turn_columns (const Work *self, AccArray *block, gint64 first, gint64 n, GError **error)
{
  gint64 all = self->n * self->from->n_columns;
  gboolean is_wide = acc_element_type_get_leaf (block->type, 0) == ACC_KIND_F64;
  guint8 *data = acc_buffer_map (acc_array_get_buffers (block)[0], error);

  if (data == NULL)
    return FALSE;

  for (gint64 r = 0; r < self->n; r++)
    for (gint64 c = 0; c < n; c++)
      {
        /* Both are below the root of what 64 bits hold, or nearly: the product is less than the vector is long. */
        double angle = 2 * G_PI * (double) (r * (first + c)) / (double) all, sine, cosine;
        double *wide = (double *) (gpointer) data + 2 * (r * n + c);
        float *narrow = (float *) (gpointer) data + 2 * (r * n + c);
        double re = is_wide ? wide[0] : narrow[0], im = is_wide ? wide[1] : narrow[1];

        sincos (self->forward ? -angle : angle, &sine, &cosine);
        if (is_wide)
          wide[0] = re * cosine - im * sine, wide[1] = re * sine + im * cosine;
        else
          narrow[0] = (float) (re * cosine - im * sine), narrow[1] = (float) (re * sine + im * cosine);
      }

  return TRUE;
}

static gboolean
compute_turned_columns (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  const Work *self = data;
  g_autoptr(AccArray) block = acc_blocks_read (self->from, 0, self->n, first, n, (gint64[]) { 1, self->n, n }, 3, error);
  g_autoptr(AccArray) result = block != NULL ? compute (self, block, cancellable, error) : NULL;

  return result != NULL && turn_columns (self, result, first, n, error) && acc_blocks_write (self->to, 0, self->n, first, n, result, error);
}

static gboolean
compute_rows_across (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  const Work *self = data;
  gint64 extents[] = { n, self->from->n_columns };
  g_autoptr(AccArray) block = acc_blocks_read (self->from, first, n, 0, extents[1], extents, 2, error), built = NULL, across = NULL;
  g_autoptr(GPtrArray) results = NULL;

  if (block == NULL)
    return FALSE;

  built = build (self, block);
  across = acc_array_transpose (built);
  results = acc_evaluate_with_chunk_rows (self->task->backend, &across, 1, 0, cancellable, error);

  return results != NULL && acc_blocks_write (self->to, 0, extents[1], first, n, g_ptr_array_index (results, 0), error);
}

/* --- passes */

/* A row that does not fit is computed as any vector that does not: it has an external algorithm of its own. */
static gboolean
run_each_row (Work *self, gint64 n_rows, gint64 n, GError **error)
{
  g_autoptr(AccArray) all = acc_blocks_dup_array (self->from, error);

  if (all == NULL || !acc_external_fetch (all, error))
    return FALSE;

  for (gint64 r = 0; r < n_rows; r++)
    {
      g_autoptr(AccArray) view = acc_external_new_view (all->type, acc_array_get_buffers (all), r * n, n),
        vector = acc_memory_source_new_rows (view), built = build (self, vector);

      if (!acc_external_fill_part (self->task, built, self->to->store, r * n, error))
        return FALSE;
    }

  return TRUE;
}

/* Dimensions from @first on of all rows before it. */
static gboolean
run_rows (Work *self, AccShape *shape, guint first, GError **error)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);
  gint64 n_rows = multiply (extents, 0, first), row = multiply (extents, first, rank);
  guint64 bytes = acc_bytes_multiply ((guint64) row, PARTS * acc_element_type_get_size (self->from->type));

  self->inner = extents + first;
  self->inner_rank = rank - first;
  self->from->n_rows = self->to->n_rows = n_rows;
  self->from->n_columns = self->to->n_columns = row;
  if (self->inner_rank == 1 && bytes > acc_external_get_room (self->task->backend))
    return run_each_row (self, n_rows, row, error);

  return acc_blocks_each (n_rows, acc_blocks_choose (self->task->backend, bytes, n_rows), compute_rows, self, self->task->cancellable,
                          error);
}

/* Along dimension @first, by blocks of what is after it. */
static gboolean
run_columns (Work *self, AccShape *shape, guint first, GError **error)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);
  gint64 n_columns = multiply (extents, first + 1, rank), outer = multiply (extents, 0, first);

  self->n = extents[first];
  self->n_dimensions = self->n_after = 1;
  self->from->n_rows = self->to->n_rows = outer * self->n;
  self->from->n_columns = self->to->n_columns = n_columns;

  for (gint64 o = 0; o < outer; o++)
    {
      self->row = o * self->n;
      if (!acc_blocks_each (n_columns, choose_columns (self->task->backend, self->from->type, self->n, n_columns), compute_columns, self,
                            self->task->cancellable, error))
        return FALSE;
    }

  return TRUE;
}

/* The same, of columns that are turned to be rows, and back. What is in @from goes, and the result is there. */
static gboolean
run_columns_as_rows (Work *self, AccBlocks *from, AccShape *shape, guint first, GError **error)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);
  gint64 n = extents[first], n_columns = multiply (extents, first + 1, rank), outer = multiply (extents, 0, first);
  g_autoptr(AccShape) turned = acc_shape_new ((gint64[]) { outer, n_columns, n }, 3);
  g_autoptr(AccArray) array = acc_blocks_dup_array (from, error), rows = NULL, result = NULL;
  g_auto(AccBlocks) source = { NULL, }, to = { NULL, };

  if (array != NULL)
    rows = acc_tiles_turn (self->task, array, &(AccTurnExtents) { outer, n, n_columns, 1 }, turned, error);
  g_clear_object (&array);
  acc_blocks_clear (from);
  if (rows == NULL || !acc_blocks_init_for (&source, self->task, rows, 1, error)
      || !acc_blocks_init (&to, self->task, rows->type, turned, 1, error))
    return FALSE;
  g_clear_object (&rows);

  self->from = &source;
  self->to = &to;
  if (!run_rows (self, turned, 2, error))
    return FALSE;
  acc_blocks_clear (&source);
  array = acc_blocks_dup_array (&to, error);
  acc_blocks_clear (&to);
  if (array != NULL)
    result = acc_tiles_turn (self->task, array, &(AccTurnExtents) { outer, n_columns, n, 1 }, shape, error);

  return result != NULL && acc_blocks_init_for (from, self->task, result, 1, error);
}

/* One dimension after the other, each from a store into the next. Takes over what is in @from. */
static AccArray *
transform_in_turn (Work *self, AccBlocks *from, guint n_dimensions, guint last, GError **error)
{
  AccArray *node = self->task->node;
  guint rank;
  const gint64 *extents = acc_shape_get_extents (node->shape, &rank);
  gboolean is_row = self->transform->n_after == 0;

  for (guint i = 0; i < n_dimensions; i++)
    {
      g_auto(AccBlocks) to = { NULL, };
      gboolean is_rows = i == 0 && is_row;

      if (!is_rows && turns_columns (self->task->backend, node->type, extents[last - i], multiply (extents, last - i + 1, rank)))
        {
          self->n_dimensions = 1;
          self->n_after = 0;
          if (!run_columns_as_rows (self, from, node->shape, last - i, error))
            return NULL;
          continue;
        }
      if (!acc_blocks_init (&to, self->task, node->type, node->shape, 1, error))
        return NULL;
      self->from = from;
      self->to = &to;
      self->n_dimensions = 1;
      self->n_after = 0;
      if (!(is_rows ? run_rows (self, node->shape, last, error) : run_columns (self, node->shape, last - i, error)))
        return NULL;

      acc_blocks_clear (from);
      *from = to;
      to = (AccBlocks) { NULL, };
    }

  return acc_blocks_dup_array (from, error);
}

AccArray *
acc_rows_transform_vector (const AccExternalTask *task, AccBlocks *from, gint64 all, gboolean forward, GError **error)
{
  AccElementType *type = from->type;
  gint64 n = find_rows (all), n_columns = all / n;
  guint64 element = PARTS * acc_element_type_get_size (type);
  g_autoptr(AccShape) shape = acc_shape_new_vector (all);
  g_auto(AccBlocks) between = { NULL, }, to = { NULL, };
  Work self = { .task = task, .forward = forward, .n_dimensions = 1, .n_after = 1, .n = n, .from = from, .to = &between };

  if (!acc_blocks_init (&between, task, type, shape, n_columns, error))
    return NULL;
  from->n_rows = n;
  from->n_columns = n_columns;
  if (!acc_blocks_each (n_columns, acc_blocks_choose (task->backend, acc_bytes_multiply ((guint64) n, element), n_columns),
                        compute_turned_columns, &self, task->cancellable, error))
    return NULL;
  acc_blocks_clear (from);

  if (!acc_blocks_init (&to, task, type, shape, n, error))
    return NULL;
  self.from = &between;
  self.to = &to;
  self.n_after = 0;

  return acc_blocks_each (n, acc_blocks_choose (task->backend, acc_bytes_multiply ((guint64) n_columns, element), n),
                          compute_rows_across, &self, task->cancellable, error)
         ? acc_blocks_dup_array (&to, error) : NULL;
}

/* By steps where their rows fit, or need no more than those of a convolution. */
static AccArray *
transform_vector (const Work *self, AccBlocks *from, GError **error)
{
  AccArray *node = self->task->node;
  gint64 n = acc_shape_get_size (node->shape);
  g_autoptr(AccArray) vector = NULL;

  if (!is_chirp (self->task->backend, node, n))
    return acc_rows_transform_vector (self->task, from, n, self->forward, error);
  vector = acc_blocks_dup_array (from, error);

  return vector != NULL ? acc_chirp_transform (self->task, vector, self->forward, error) : NULL;
}

static AccArray *
compute_node (const AccExternalTask *task, GError **error)
{
  AccArray *node = task->node;
  guint n, rank;
  AccArray *input = take_rows (node, &n)[0];
  const gint64 *extents = acc_shape_get_extents (node->shape, &rank);
  g_auto(AccBlocks) from = { NULL, }, to = { NULL, };
  Work self = { .task = task, .transform = find_transform (node) };
  guint inner = 1;
  guint64 row_bytes;

  if (self.transform != NULL)
    {
      self.forward = self.transform->forward;
      self.n_dimensions = self.transform->n_dimensions;
      self.n_after = self.transform->n_after;
      inner = self.n_dimensions + self.n_after;
    }
  if (!acc_blocks_init_for (&from, task, input, 1, error))
    return NULL;
  if (rank == 1)
    return transform_vector (&self, &from, error);

  row_bytes = acc_bytes_multiply ((guint64) multiply (extents, rank - inner, rank), PARTS * acc_element_type_get_size (node->type));
  if (inner > 1 && (rank == inner || row_bytes > acc_external_get_room (task->backend)))
    return transform_in_turn (&self, &from, self.n_dimensions, rank - 1 - self.n_after, error);

  if (!acc_blocks_init (&to, task, node->type, node->shape, 1, error))
    return NULL;
  self.from = &from;
  self.to = &to;

  return run_rows (&self, node->shape, rank - inner, error) ? acc_blocks_dup_array (&to, error) : NULL;
}

const AccExternal acc_external_rows = {
  .way = "blocks of rows or columns",
  .leaves_store = TRUE,
  .takes = take_rows,
  .measure_whole = measure_whole,
  .measure_apart = measure_apart,
  .measure_least = measure_least,
  .count_passes = count_passes,
  .compute = compute_node,
};
