/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-skeletons.h"

/* What all families share. */

AccLaunch
acc_skeleton_launch (const AccSpace *space,
                     double          cost)
{
  return (AccLaunch) {
    .outer = space->outer,
    .inner = space->inner,
    .rows = space->first_inner > 0 ? ACC_SPACE_OUTER_ROWS : ACC_SPACE_INNER_ROWS,
    .units_per_row = space->units_per_row,
    .cost = cost,
  };
}

const char *
acc_skeleton_get_name (AccStep *step)
{
  AccCluster *cluster = step->cluster;
  AccFusionNode *node = cluster->anchors->len > 0 ? g_ptr_array_index (cluster->anchors, 0)
                                                  : g_array_index (cluster->roots, AccRoot, 0).node;

  return acc_operation_get_info (node->array->op)->name;
}

gboolean
acc_skeleton_has_leaves (AccStep *step)
{
  GArray *roots = step->cluster->roots;

  for (guint i = 0; i < roots->len; i++)
    if (acc_element_type_get_n_leaves (g_array_index (roots, AccRoot, i).node->array->type) > 0)
      return TRUE;

  return FALSE;
}

double
acc_skeleton_get_cost (AccStep *step)
{
  return 0.1 * (step->cluster->cost + 2);
}

#define MAX_AHEAD_COST 32   /* operations of an element that finds loaded indices: prefetching does them once more */

/* Whether functions of @node, or of its inlined inputs, read arrays: loaded indices come from there. */
static gboolean
reads_arrays (const AccFusionNode *node,
              guint                depth)
{
  if (node->array->references->len > 0)
    return TRUE;
  for (guint i = 0; i < node->array->n_inputs && depth > 0; i++)
    if (!node->inputs[i]->is_value && reads_arrays (node->inputs[i], depth - 1))
      return TRUE;

  return FALSE;
}

gboolean
acc_skeleton_prefetches (AccStep *step,
                         gint64   least)
{
  AccCluster *cluster = step->cluster;
  gboolean far = FALSE;

  for (guint i = 0; i < cluster->reads->len; i++)
    far |= low_has_bytes (g_ptr_array_index (cluster->reads, i), least);
  if (!far || cluster->cost > MAX_AHEAD_COST)
    return FALSE;

  for (guint i = 0; i < cluster->roots->len; i++)
    if (reads_arrays (g_array_index (cluster->roots, AccRoot, i).node, 8))
      return TRUE;

  return FALSE;
}
