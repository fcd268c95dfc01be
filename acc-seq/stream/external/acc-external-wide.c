/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-scan.h"
#include "acc-core/expr/acc-function-private.h"
#include "acc-evaluate.h"
#include "acc-seq/stream/acc-plan-private.h"
#include "acc-seq/stream/acc-stages-private.h"

/* Folds and scans along rows that are too wide for memory: as many rows of the innermost dimension as fit, or one after the other as a
 * vector. */

/* Rows that a run by rows has at once at least. */
#define ROWS 4
#define LEAST_BYTES (128 * 1024)

static AccArray **
take_wide (AccArray *node, guint *n_inputs)
{
  gboolean is_one = node->op == ACC_OP_FOLD || node->op == ACC_OP_FOLD1 || node->op == ACC_OP_SCANL1 || node->op == ACC_OP_FOLD_ALL
                    || node->op == ACC_OP_FOLD1_ALL;

  *n_inputs = 1;
  if (!is_one || node->direct != NULL || node->shape == NULL || acc_external_needs_arrays (node) || node->inputs[0]->rank < 2
      || node->inputs[0]->shape == NULL || acc_shape_get_size (node->inputs[0]->shape) == 0)
    return NULL;

  return node->inputs;
}

static guint64
measure_least (AccArray *node)
{
  return acc_bytes_add (LEAST_BYTES, acc_external_measure_rows (node->inputs[0]));
}

/* Rows that take less than the algorithm go as rows. */
static guint64
measure_whole (AccArray *node)
{
  guint64 bytes = acc_bytes_multiply (acc_external_measure_row (node->inputs[0]), ROWS);

  return bytes > measure_least (node) ? bytes : 0;
}

/* --- folds and scans */

static AccArray *
build (AccArray *node, AccArray *input)
{
  AccFunction *function = node->functions[0];
  gboolean all = input->rank == 1;
  AccExpr *initial = node->functions[1] != NULL ? acc_function_apply (node->functions[1], NULL) : NULL;
  AccArray *folded;

  if (node->op == ACC_OP_SCANL1)
    return acc_array_scanl1 (input, acc_external_apply, function);

  if (initial == NULL)
    folded = all ? acc_array_fold1_all (input, acc_external_apply, function) : acc_array_fold1 (input, acc_external_apply, function);
  else
    folded = all ? acc_array_fold_all (input, initial, acc_external_apply, function)
                 : acc_array_fold (input, initial, acc_external_apply, function);

  return acc_array_keep_commutes (folded, function);
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

  return compute_rows (task, g_ptr_array_index (inputs, 0), to, error) ? acc_store_dup_array (to, error) : NULL;
}

const AccExternal acc_external_wide = {
  .way = "rows do not fit: elements one by one",
  .leaves_store = TRUE,
  .takes = take_wide,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .n_written = 1,
  .n_read = 1,
  .compute = compute_wide,
};
