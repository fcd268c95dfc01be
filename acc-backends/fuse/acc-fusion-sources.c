/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-fusion-graph.h"

#include "acc-core/array/acc-module-turn.h"

/* Which nodes depend on rows of sources, and along which of their dimensions. */

static AccRowsAlong
get_rows (guint    input,
          gpointer data)
{
  AccFusionNode *node = ((AccFusionNode *) data)->inputs[input];

  return node->is_turned ? ACC_ROWS_LAST : node->from_source ? ACC_ROWS_FIRST : ACC_ROWS_NONE;
}

void
acc_fusion_graph_find_sources (AccFusionGraph *self,
                               AccFusionNode  *node)
{
  AccArray *array = node->array;
  gboolean reads = FALSE;

  if (array->op == ACC_OP_SOURCE && node->bound < 0)
    node->from_source = self->has_sources = TRUE;
  if (acc_fusion_node_is_given (node))
    return;

  for (guint i = 0; i < array->n_inputs; i++)
    node->from_source |= node->inputs[i]->from_source;
  for (guint i = 0; i < array->references->len; i++)
    if (acc_fusion_graph_get (self, g_ptr_array_index (array->references, i))->from_source)
      reads |= acc_array_reads_elements (array, g_ptr_array_index (array->references, i));
  node->is_turned = node->from_source && !reads && acc_array_is_turned (array, get_rows, node);
  node->from_source |= reads;
  node->folds_columns = self->by_rows && !self->for_groups && acc_fusion_node_is_fold (node) && node->size > 0
                        && acc_fusion_graph_get_fold_form (self, node) == ACC_FOLD_LONG && node->inputs[0]->is_turned;

  /* Complete only after the last row; then it is like any table. */
  if ((array->op == ACC_OP_PERMUTE && node->inputs[0]->size > 0) || node->folds_columns ||
      (acc_fusion_node_is_fold (node) && acc_fusion_graph_get_fold_form (self, node) == ACC_FOLD_FULL))
    node->from_source = FALSE;
}
