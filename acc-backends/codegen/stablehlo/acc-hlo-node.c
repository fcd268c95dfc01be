/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-array.h"

#include "acc-hlo-expr.h"
#include "acc-hlo-round.h"

/* Which operation is written by what, and what is computed element by element. */

/* --- element by element */

static void
write_elements (AccHlo        *self,
                AccFusionNode *node,
                AccHloValue   *results)
{
  AccHloShape shape = acc_hlo_shape_of (node);
  AccHloParam params[4] = { NULL };
  guint n = 0;

  if (acc_operation_has_fact (node->array->op, ACC_FACT_TAKES_INDEX))
    params[n++] = acc_hlo_index_of (self, shape);
  for (guint i = 0; i < node->array->n_inputs; i++)
    params[n++] = acc_hlo_crop_input (self, node, i, shape);
  acc_hlo_apply (self, node->array->functions[0], params, shape, acc_hlo_mask_rows (self, node, shape), results);
  for (guint i = 0; i < n; i++)
    g_free (params[i]);
}

static void
write_fill (AccHlo        *self,
            AccFusionNode *node,
            AccHloValue   *results)
{
  acc_hlo_apply_closed (self, node->array->functions[0], acc_hlo_shape_of (node), results);
}

/* --- all operations */

static const struct {
  AccHloWrite  write;
  const char  *refusal;
  gboolean     if_empty;   /* it may fail though it has no elements */
} rows[] = {
  [ACC_OP_USE] = { NULL, "elements in memory are arguments" },
  [ACC_OP_SOURCE] = { NULL, "a source is read by rows" },
  [ACC_OP_PARAMETER] = { NULL, "no value is given for this parameter" },
  [ACC_OP_DEFERRED] = { NULL, "it is computed before the program" },
  [ACC_OP_GENERATE] = { write_elements },
  [ACC_OP_FILL] = { write_fill },
  [ACC_OP_COND] = { NULL, "control flow of arrays is run around modules" },
  [ACC_OP_WHILE_LOOP] = { NULL, "control flow of arrays is run around modules" },
  [ACC_OP_LOOP_RESULT] = { NULL, "control flow of arrays is run around modules" },
  [ACC_OP_FOREIGN] = { NULL, "control flow of arrays is run around modules" },
  [ACC_OP_COMPUTE] = { acc_hlo_write_view },
  [ACC_OP_MAP] = { write_elements },
  [ACC_OP_IMAP] = { write_elements },
  [ACC_OP_ZIP_WITH] = { write_elements },
  [ACC_OP_ZIP_WITH3] = { write_elements },
  [ACC_OP_ZIP] = { acc_hlo_write_zip },
  [ACC_OP_UNZIP] = { acc_hlo_write_view },
  [ACC_OP_RESHAPE] = { acc_hlo_write_view },
  [ACC_OP_REPLICATE] = { acc_hlo_write_replicate },
  [ACC_OP_SLICE] = { acc_hlo_write_slice },
  [ACC_OP_PERMUTE] = { acc_hlo_write_permute, NULL, TRUE },
  [ACC_OP_BACKPERMUTE] = { acc_hlo_write_backpermute },
  [ACC_OP_FOLD] = { acc_hlo_write_fold },
  [ACC_OP_FOLD1] = { acc_hlo_write_fold },
  [ACC_OP_FOLD_ALL] = { acc_hlo_write_fold },
  [ACC_OP_FOLD1_ALL] = { acc_hlo_write_fold },
  [ACC_OP_FOLD_SEG] = { acc_hlo_write_fold_segments },
  [ACC_OP_FOLD1_SEG] = { acc_hlo_write_fold_segments },
  [ACC_OP_SEG_NUMBERS] = { NULL, "segments are composed of other operations" },
  [ACC_OP_MATMUL] = { acc_hlo_write_product },
  [ACC_OP_FFT] = { acc_hlo_write_transform },
  [ACC_OP_SCANL1] = { acc_hlo_write_scan },
  [ACC_OP_SCANL1_SEG] = { acc_hlo_write_scan_segments },
  [ACC_OP_SORT] = { acc_hlo_write_sort },
  [ACC_OP_STENCIL] = { acc_hlo_write_stencil },
  [ACC_OP_STENCIL2] = { acc_hlo_write_stencil },
};

G_STATIC_ASSERT (G_N_ELEMENTS (rows) == ACC_N_OPERATIONS);

void
acc_hlo_write_node (AccHlo        *self,
                    AccFusionNode *node)
{
  guint n = acc_hlo_count_leaves (node);
  AccHloValue *results = g_new0 (AccHloValue, n + 1);

  self->origin = node->array;
  if (rows[node->array->op].write == NULL)
    {
      acc_hlo_refuse (self, "%s", rows[node->array->op].refusal);
    }
  else if (node->size == 0 && !rows[node->array->op].if_empty)
    {
      for (guint i = 0; i < n; i++)
        results[i] = acc_hlo_integer (self, acc_hlo_shape_of (node), acc_hlo_leaf (node, i), 0);
    }
  else if (!acc_hlo_takes_rounded (self, node))
    {
      acc_hlo_write_exactly (self, node, rows[node->array->op].write, results);
    }
  else
    {
      rows[node->array->op].write (self, node, results);
    }
  g_hash_table_insert (self->values, node, results);
}
