/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-fusion-cost.h"

double
acc_fusion_cost_again (AccFusionNode *node,
                       double         visits,
                       double         cost)
{
  return (visits - 1) * cost * MAX (acc_element_type_get_widest (node->array->type), 4) / 4;
}

double
acc_fusion_cost_store (AccFusionNode *node)
{
  double n = MAX (node->size, 1), size = acc_element_type_get_size (node->array->type);
  gboolean is_cached = node->from_source || (node->is_read_near && !node->is_read_far) || n * size <= ACC_COST_CACHED_BYTES;

  return size * (is_cached ? ACC_COST_CACHED_BYTE : ACC_COST_MEMORY_BYTE) + MIN (ACC_COST_STEP / n, ACC_COST_STEP_MOST);
}
