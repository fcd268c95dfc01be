/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/expr/acc-expr-math.h"
#include "acc-core/derived/acc-array-scan.h"
#include "acc-core/expr/acc-function-private.h"
#include "acc-evaluate.h"
#include "acc-seq/stream/acc-plan-private.h"
#include "acc-seq/stream/acc-stages-private.h"

/* What goes along rows that are too wide for memory. Folds and scans: as many rows of the innermost dimension as fit, or one after the
 * other as a vector. Stencils: each element reads its neighbours from a store. */

/* Rows that a run by rows has at once at least. */
#define ROWS 4
#define LEAST_BYTES (128 * 1024)

static gboolean
is_stencil (AccArray *node)
{
  return node->op == ACC_OP_STENCIL || node->op == ACC_OP_STENCIL2;
}

static AccArray **
take_wide (AccArray *node, guint *n_inputs)
{
  gboolean is_one = node->op == ACC_OP_FOLD || node->op == ACC_OP_FOLD1 || node->op == ACC_OP_SCANL1 || node->op == ACC_OP_FOLD_ALL
                    || node->op == ACC_OP_FOLD1_ALL || is_stencil (node);

  *n_inputs = node->n_inputs;
  if (!is_one || node->direct != NULL || node->shape == NULL || acc_external_needs_arrays (node))
    return NULL;

  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i]->rank < 2 || node->inputs[i]->shape == NULL || acc_shape_get_size (node->inputs[i]->shape) == 0)
      return NULL;

  return node->inputs;
}

static guint64
measure_least (AccArray *node)
{
  guint64 bytes = LEAST_BYTES;

  for (guint i = 0; i < node->n_inputs; i++)
    bytes = acc_bytes_add (bytes, acc_external_measure_rows (node->inputs[i]));

  return bytes;
}

/* Stencils read elements by index. */
static guint64
measure_device (AccArray *node)
{
  guint64 bytes = 0;

  for (guint i = 0; is_stencil (node) && i < node->n_inputs; i++)
    bytes = acc_bytes_add (bytes, acc_external_get_bytes (node->inputs[i]));

  return bytes;
}

static guint64
measure_row (AccArray *array)
{
  gint64 rows = array->rank > 0 && array->shape != NULL ? acc_shape_get_extent (array->shape, 0) : 0;

  return rows > 0 ? acc_external_get_bytes (array) / (guint64) rows : 0;
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

      for (guint k = 0; is_stencil (other) && k < other->n_inputs; k++)
        bytes = acc_bytes_add (bytes, acc_bytes_multiply (measure_row (other->inputs[k]),
                                                          2 * (guint64) acc_array_get_stencil (other)->sizes[k][0]));
    }

  return bytes;
}

/* Rows that take less than the algorithm go as rows. */
static guint64
measure_whole (AccArray *node)
{
  guint64 bytes = is_stencil (node) ? measure_windows (node) : 0;

  for (guint i = 0; i < node->n_inputs; i++)
    bytes = acc_bytes_add (bytes, acc_bytes_multiply (measure_row (node->inputs[i]), ROWS));

  return bytes > measure_least (node) ? bytes : 0;
}

/* --- stencils */

typedef struct {
  AccArray     *node, *array;
  AccBoundary  *boundary;
  const gint64 *sizes, *extents;
  AccExpr      *index;         /* of the element */
  gint64       *offsets;
} Around;

/* Where index @i of @n is found inside. */
static AccExpr *
fold_inside (AccBoundaryKind kind, AccExpr *i, gint64 n)
{
  g_autoptr(AccExpr) within = NULL;

  if ((kind != ACC_BOUNDARY_WRAP && kind != ACC_BOUNDARY_MIRROR) || n == 1)
    return acc_expr_max (acc_expr_min (i, acc_array_number (n - 1)), acc_array_number (0));
  if (kind == ACC_BOUNDARY_WRAP)
    return acc_expr_mod (i, acc_array_number (n));
  within = acc_expr_ref_sink (acc_expr_mod (i, acc_array_number (2 * n - 2)));

  return acc_expr_min (within, acc_expr_sub (acc_array_number (2 * n - 2), within));
}

static AccExpr *
read_neighbour (Around *self)
{
  guint rank = self->array->rank;
  g_autofree AccExpr **inside = g_new0 (AccExpr *, rank);
  g_autoptr(GPtrArray) own = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_expr_unref);
  g_autoptr(AccExpr) is_inside = acc_expr_ref_sink (acc_expr_new_bool (TRUE)), place = NULL;
  AccFunction *function = self->boundary->function;
  AccExpr *element;

  for (guint d = 0; d < rank; d++)
    {
      AccExpr *i = acc_expr_ref_sink (acc_expr_add (acc_expr_item (self->index, d), acc_array_number (self->offsets[d]))), *both;

      g_ptr_array_add (own, i);
      both = acc_expr_land (acc_expr_ge (i, acc_array_number (0)), acc_expr_lt (i, acc_array_number (self->extents[d])));
      both = acc_expr_ref_sink (acc_expr_land (is_inside, both));
      acc_expr_unref (is_inside);
      is_inside = both;
      inside[d] = fold_inside (self->boundary->kind, i, self->extents[d]);
    }
  element = acc_expr_index (self->array, acc_expr_tuple (inside, rank));
  if (function == NULL)
    return element;

  place = acc_expr_ref_sink (acc_expr_tuple ((AccExpr **) own->pdata, rank));

  return acc_expr_cond (is_inside, element, acc_function_apply (function, &place));
}

static AccExpr *
read_around (Around *self, guint d)
{
  g_autofree AccExpr **items = NULL;

  if (d == self->array->rank)
    return read_neighbour (self);

  items = g_new0 (AccExpr *, (gsize) self->sizes[d]);
  for (gint64 i = 0; i < self->sizes[d]; i++)
    {
      self->offsets[d] = i - self->sizes[d] / 2;
      items[i] = read_around (self, d + 1);
    }

  return acc_expr_tuple (items, (guint) self->sizes[d]);
}

static AccExpr *
compute_element (AccExpr *index, gpointer data)
{
  AccArray *node = data;
  g_autoptr(AccExpr) first = NULL, second = NULL;
  g_autofree gint64 *offsets = g_new0 (gint64, node->rank);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      Around around = { node, node->inputs[i], acc_array_get_stencil (node)->boundaries[i], acc_array_get_stencil (node)->sizes[i],
                        acc_shape_get_extents (node->inputs[i]->shape, NULL), index, offsets };

      *(i == 0 ? &first : &second) = acc_expr_ref_sink (read_around (&around, 0));
    }

  return acc_function_apply (node->functions[0], (AccExpr *[]) { first, second });
}

/* --- folds and scans */

static AccArray *
build (AccArray *node, AccArray *input)
{
  AccFunction *function = node->functions[0];
  gboolean all = input->rank == 1;
  AccExpr *initial;

  if (node->op == ACC_OP_SCANL1)
    return acc_array_scanl1 (input, acc_external_apply, function);
  if (node->op == ACC_OP_FOLD1 || node->op == ACC_OP_FOLD1_ALL)
    return all ? acc_array_fold1_all (input, acc_external_apply, function) : acc_array_fold1 (input, acc_external_apply, function);

  initial = acc_function_apply (node->functions[1], NULL);

  return all ? acc_array_fold_all (input, initial, acc_external_apply, function)
             : acc_array_fold (input, initial, acc_external_apply, function);
}

/* Whether some rows of the innermost dimension fit at once. */
static gboolean
fits (const AccExternalTask *task, AccArray *input)
{
  guint64 size = acc_element_type_get_size (input->type) + acc_element_type_get_size (task->node->type);
  guint64 bytes = acc_bytes_multiply (acc_bytes_multiply ((guint64) acc_shape_get_extent (input->shape, input->rank - 1), size), ROWS);

  return acc_bytes_add (bytes, measure_least (task->node)) <= acc_external_get_room (task->backend);
}

/* Row after row, as vectors: parts of it come by rows, and floats are grouped as in the row. */
static gboolean
compute_each (const AccExternalTask *task, AccArray *input, AccStore *to, GError **error)
{
  AccArray *node = task->node;
  gint64 n = acc_shape_get_extent (input->shape, input->rank - 1), n_rows = acc_shape_get_size (input->shape) / n;

  for (gint64 row = 0; row < n_rows; row++)
    {
      g_autoptr(AccArray) vector = acc_external_new_part (input, row * n, &n, 1), built = build (node, vector);

      if (!acc_external_fill_part (task, built, to, node->op == ACC_OP_SCANL1 ? row * n : row, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
compute_rows (const AccExternalTask *task, AccArray *input, AccStore *to, GError **error)
{
  gint64 n = acc_shape_get_extent (input->shape, input->rank - 1), extents[] = { acc_shape_get_size (input->shape) / n, n };
  g_autoptr(AccArray) matrix = NULL, built = NULL;

  if (!fits (task, input))
    return compute_each (task, input, to, error);
  matrix = acc_external_new_part (input, 0, extents, 2);
  built = build (task->node, matrix);

  return acc_external_fill_part (task, built, to, 0, error);
}

/* --- the algorithm */

static AccArray *
compute_wide (const AccExternalTask *task, GError **error)
{
  AccArray *node = task->node;
  g_autoptr(GPtrArray) inputs = acc_stages_run (task->backend, node->inputs, 1, ACC_STAGES_SOURCES, 0, NULL, task->cancellable, error);
  g_autoptr(AccStore) to = NULL;
  gboolean done;

  if (inputs == NULL)
    return NULL;
  if (node->rank == 0)
    {
      g_autoptr(AccArray) vector = acc_external_new_vector (g_ptr_array_index (inputs, 0), TRUE), built = build (node, vector);

      return acc_backend_run (task->backend, built, task->cancellable, error);
    }
  to = acc_external_new_store (task, node->type, node->shape, "a store", error);
  if (to == NULL)
    return NULL;
  if (is_stencil (node))
    {
      g_autoptr(AccArray) built = acc_array_generate (node->shape, compute_element, node);

      done = acc_external_fill_store (task, built, to, error);
    }
  else
    {
      done = compute_rows (task, g_ptr_array_index (inputs, 0), to, error);
    }

  return done ? acc_store_dup_array (to, error) : NULL;
}

const AccExternal acc_external_wide = {
  .way = "rows do not fit: elements one by one",
  .leaves_store = TRUE,
  .takes = take_wide,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .measure_device = measure_device,
  .n_written = 1,
  .n_read = 1,
  .compute = compute_wide,
};
