/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cluster-private.h"

#include "acc-fusion-cost.h"

#include <string.h>

void
acc_cluster_free (AccCluster *self)
{
  g_array_unref (self->roots);
  g_ptr_array_unref (self->anchors);
  g_ptr_array_unref (self->reads);
  g_free (self);
}

gboolean
acc_cluster_has_anchor (AccCluster    *self,
                        AccFusionNode *node)
{
  return g_ptr_array_find (self->anchors, node, NULL);
}

gboolean
acc_cluster_stores_beside (AccCluster *self)
{
  for (guint i = 0; i < self->roots->len; i++)
    if (g_array_index (self->roots, AccRoot, i).beside)
      return TRUE;

  return FALSE;
}

gboolean
acc_cluster_reads (AccCluster    *self,
                   AccFusionNode *value)
{
  guint begin = 0, end = self->reads->len;

  while (begin < end)
    {
      guint middle = begin + (end - begin) / 2;

      if (((AccFusionNode *) g_ptr_array_index (self->reads, middle))->position < value->position)
        begin = middle + 1;
      else
        end = middle;
    }

  return begin < self->reads->len && g_ptr_array_index (self->reads, begin) == value;
}

int
acc_cutter_find (AccCutter *self,
                 int        cluster)
{
  while (cluster >= 0 && g_array_index (self->owners, int, cluster) != cluster)
    cluster = g_array_index (self->owners, int, cluster);

  return cluster;
}

AccCluster *
acc_cutter_get (AccCutter *self,
                int        cluster)
{
  return cluster >= 0 ? g_ptr_array_index (self->clusters, acc_cutter_find (self, cluster)) : NULL;
}

gboolean
acc_fusion_node_has_extents_of (AccFusionNode *a,
                                AccFusionNode *b)
{
  return a->rank == b->rank && (a->rank == 0 || memcmp (a->extents, b->extents, a->rank * sizeof (gint64)) == 0);
}

AccFusionNode *
acc_fusion_graph_strip (AccFusionGraph *graph,
                        AccFusionNode  *node)
{
  while (node->bound < 0 && (node->array->op == ACC_OP_RESHAPE || node->array->op == ACC_OP_COMPUTE))
    node = node->inputs[0];

  return node;
}

static int
add_cluster (AccCutter     *self,
             AccFusionNode *root)
{
  AccCluster *cluster = g_new0 (AccCluster, 1);
  int number;

  cluster->kind = ACC_CLUSTER_MAP;
  cluster->roots = g_array_new (FALSE, TRUE, sizeof (AccRoot));
  g_array_append_vals (cluster->roots, &(AccRoot) { root, 0 }, 1);
  cluster->anchors = g_ptr_array_new ();
  cluster->rank = root->rank;
  cluster->extents = root->extents;
  cluster->reads = g_ptr_array_new ();
  g_ptr_array_add (self->clusters, cluster);
  number = (int) self->clusters->len - 1;
  g_array_append_val (self->owners, number);

  return number;
}

/* Whether the cluster writes parts of @node, each once, and does nothing else. */
static gboolean
takes_parts (AccCutter     *self,
             AccCluster    *cluster,
             AccFusionNode *node)
{
  if (cluster->kind != ACC_CLUSTER_MAP || cluster->n_nodes > cluster->roots->len)
    return FALSE;

  for (guint i = 0; i < cluster->roots->len; i++)
    {
      AccFusionNode *part = g_array_index (cluster->roots, AccRoot, i).node;

      if (part->array->op != ACC_OP_UNZIP || part->inputs[0] != node)
        return FALSE;
      for (guint k = 0; k < i; k++)
        if (acc_array_get_item (g_array_index (cluster->roots, AccRoot, k).node->array) == acc_array_get_item (part->array))
          return FALSE;
    }

  return TRUE;
}

gboolean
acc_cutter_can_join (AccCutter      *self,
                     AccCluster     *cluster,
                     AccFusionNode  *node,
                     AccClusterKind *kind)
{
  gboolean is_free = cluster->kind == ACC_CLUSTER_MAP && cluster->anchors->len == 0 && cluster->offsets == NULL;

  *kind = cluster->kind;
  switch (acc_operation_get_family (node->array->op))
    {
    case ACC_FAMILY_STENCIL:
      return cluster->kind == ACC_CLUSTER_MAP && cluster->anchors->len < ACC_CLUSTER_MAX_STENCILS && cluster->offsets == NULL;

    case ACC_FAMILY_FOLD:
      *kind = acc_fusion_graph_get_fold_form (self->graph, node) == ACC_FOLD_FULL ? ACC_CLUSTER_FOLD_ALL
              : node->folds_columns ? ACC_CLUSTER_FOLD_COLUMNS : ACC_CLUSTER_FOLD;

      return cluster->kind == *kind ? acc_fusion_node_has_extents_of (cluster->consumed, node->inputs[0]) : is_free;

    case ACC_FAMILY_FOLD_SEG:
      *kind = ACC_CLUSTER_FOLD_SEG;

      return is_free;

    case ACC_FAMILY_MATMUL:
      *kind = ACC_CLUSTER_MATMUL;

      return is_free;

    case ACC_FAMILY_FFT:
      *kind = ACC_CLUSTER_FFT;

      return is_free && cluster->cost <= ACC_CLUSTER_MAX_TRANSFORMED_COST;

    case ACC_FAMILY_SCAN:
      *kind = ACC_CLUSTER_SCAN;

      return is_free && cluster->cost <= ACC_CLUSTER_MAX_SERIAL_COST;

    case ACC_FAMILY_SCAN_SEG:
      *kind = ACC_CLUSTER_SCAN_SEG;

      return is_free && cluster->cost <= ACC_CLUSTER_MAX_SERIAL_COST;

    case ACC_FAMILY_PERMUTE:
      *kind = ACC_CLUSTER_PERMUTE;

      return cluster->n_nodes == 0;

    case ACC_FAMILY_SORT:
      *kind = ACC_CLUSTER_SORT;

      return cluster->n_nodes == 0 || takes_parts (self, cluster, node);

    case ACC_FAMILY_LEAF:
    case ACC_FAMILY_FLOW:
    case ACC_FAMILY_ELEMENTS:
    case ACC_FAMILY_ZIP:
    case ACC_FAMILY_VIEW:
    case ACC_FAMILY_GATHER:
      return FALSE;
    }

  return FALSE;
}

static gboolean
try_join (AccCutter     *self,
          int            number,
          AccFusionNode *node)
{
  AccCluster *cluster = acc_cutter_get (self, number);
  AccFusionNode *input = node->inputs[0];
  AccClusterKind kind;

  if (!acc_cutter_can_join (self, cluster, node, &kind))
    return FALSE;

  cluster->kind = kind;
  g_ptr_array_add (cluster->anchors, node);
  if (cluster->consumed == NULL)
    cluster->consumed = input;

  return TRUE;
}

/* By itself, or in parts, each of which is a value. */
static gboolean
is_stored (AccFusionNode *node)
{
  return acc_operation_has_fact (node->array->op, ACC_FACT_STORES);
}

gboolean
acc_cutter_is_anchor (AccCutter     *self,
                      AccFusionNode *node)
{
  return acc_operation_has_fact (node->array->op, ACC_FACT_ANCHORS) &&
         !(acc_fusion_node_is_fold (node) && acc_fusion_graph_get_fold_form (self->graph, node) == ACC_FOLD_SHORT);
}

static gboolean
is_cheap_again (AccFusionNode *node,
                double         visits,
                double         cost)
{
  return visits < 1.01 || (!node->absorbs && acc_fusion_cost_again (node, visits, cost) <= acc_fusion_cost_store (node));
}

/* Whether all parts would be stored, each by a step of its own: then they are better stored together. */
static gboolean
has_expensive_inputs (AccCutter     *self,
                      AccFusionNode *node)
{
  for (guint i = 0; i < node->array->n_inputs; i++)
    {
      AccFusionNode *input = node->inputs[i];

      if (acc_fusion_node_is_given (input) || input->forced || is_cheap_again (input, node->visits, input->cost))
        return FALSE;
    }

  return TRUE;
}

static gboolean
is_worth_inlining (AccCutter     *self,
                   AccFusionNode *node)
{
  AccCluster *cluster = acc_cutter_get (self, node->cluster);

  if (node->depth >= ACC_CLUSTER_MAX_DEPTH)
    return FALSE;
  if (cluster != NULL && (cluster->n_nodes >= ACC_CLUSTER_MAX_NODES || cluster->cost + node->own_cost > ACC_CLUSTER_MAX_COST))
    return FALSE;

  if (acc_operation_get_family (node->array->op) == ACC_FAMILY_VIEW)
    return TRUE;
  if (!self->fuse)
    return FALSE;
  if (node->array->op == ACC_OP_SLICE || node->array->op == ACC_OP_REPLICATE)
    return TRUE;
  if (node->array->op == ACC_OP_ZIP)
    return !has_expensive_inputs (self, node);

  return is_cheap_again (node, node->visits, node->array->op == ACC_OP_BACKPERMUTE ? node->own_cost : node->cost);
}

/* An element-wise node that is inlined where it is read more than once would leave its input behind as a value. */
static void
find_absorbing (AccCutter *self)
{
  for (guint i = 0; i < self->graph->nodes->len; i++)
    {
      AccFusionNode *node = g_ptr_array_index (self->graph->nodes, i);

      for (guint k = 0; !acc_fusion_node_is_given (node) && k < node->array->n_inputs; k++)
        node->inputs[k]->n_uses++;
    }

  for (guint i = 0; i < self->graph->nodes->len; i++)
    {
      AccFusionNode *node = g_ptr_array_index (self->graph->nodes, i);

      if (acc_fusion_node_is_given (node) || acc_operation_get_family (node->array->op) != ACC_FAMILY_ELEMENTS)
        continue;
      for (guint k = 0; k < node->array->n_inputs; k++)
        {
          AccFusionNode *input = node->inputs[k];

          node->absorbs |= !acc_fusion_node_is_given (input) && !input->forced && input->n_uses == 1 &&
                           acc_fusion_node_has_extents_of (input, node) &&
                           (input->absorbs || (acc_cutter_is_anchor (self, input) && !is_stored (input)));
        }
    }
}

gboolean
acc_fusion_node_packs (AccFusionNode *permute)
{
  AccElementType *type = permute->array->type;

  return acc_array_get_permute (permute->array)->fills && acc_element_type_get_n_buffers (type) == acc_element_type_get_n_leaves (type);
}

/* A scan that says where elements go, as in a filter: one thread goes over both in order. */
static gboolean
join_permute (AccCutter     *self,
              AccCluster    *cluster,
              AccFusionNode *node)
{
  if (self->graph->for_groups || cluster->kind != ACC_CLUSTER_PERMUTE || cluster->anchors->len > 1 || node->rank != 1 ||
      !acc_fusion_node_has_extents_of (cluster->consumed, node) ||
      cluster->cost > (acc_fusion_node_packs (g_ptr_array_index (cluster->anchors, 0)) ? ACC_CLUSTER_MAX_LANES_COST
                                                                                       : ACC_CLUSTER_MAX_SERIAL_COST))
    return FALSE;

  g_ptr_array_add (cluster->anchors, node);

  return TRUE;
}

/* A stencil of which much is never read, as behind a backpermute that takes every other element, is computed where it is read, neighbour by
 * neighbour. A whole one is better computed along its rows. */
static gboolean
is_read_in_part (AccFusionNode *node)
{
  return acc_operation_get_family (node->array->op) == ACC_FAMILY_STENCIL && node->access == ACC_ACCESS_OTHER &&
         node->visits <= ACC_CLUSTER_MAX_PART && !node->from_source;
}

static gboolean
inline_node (AccCutter     *self,
             AccFusionNode *node)
{
  AccCluster *cluster = acc_cutter_get (self, node->cluster);

  if (node->array->op == ACC_OP_SEG_NUMBERS)
    return acc_cutter_inline_numbers (self, node) && !node->forced;
  if (node->forced)
    return FALSE;
  if (!acc_cutter_is_anchor (self, node))
    return is_worth_inlining (self, node);

  if (is_read_in_part (node) && cluster != NULL && cluster->kind == ACC_CLUSTER_MAP)
    return is_worth_inlining (self, node);

  if (node->array->op == ACC_OP_SCANL1 && node->access == ACC_ACCESS_SOURCE)
    return self->fuse && cluster != NULL && join_permute (self, cluster, node);

  return self->fuse && cluster != NULL && node->access == ACC_ACCESS_SPACE && node->depth < ACC_CLUSTER_MAX_DEPTH &&
         node->array->op != ACC_OP_PERMUTE && cluster->n_nodes < ACC_CLUSTER_MAX_NODES &&
         cluster->cost + node->own_cost <= ACC_CLUSTER_MAX_COST && try_join (self, node->cluster, node);
}

/* Whether readers of @node by index read its input instead. Not if the node is a result, which has memory of its own, or is the only part
 * of its input that anything reads. */
static gboolean
shows_other (AccCutter     *self,
             AccFusionNode *node)
{
  AccFusionNode *input;

  if (!acc_fusion_node_is_view (node) || node->forced)
    return FALSE;

  input = node->inputs[0];

  return node->array->op != ACC_OP_UNZIP || acc_fusion_node_is_given (input) || input->forced || input->n_uses > 1;
}

static void
visit_reads (AccCutter   *self,
             AccFunction *function,
             void       (*each) (AccFusionNode *reference, gpointer user_data),
             gpointer     user_data)
{
  for (guint i = 0; i < function->arrays->len; i++)
    if (acc_function_forms_reads (self->graph->forms, function, i))
      {
        AccFusionNode *reference = acc_fusion_graph_get (self->graph, g_ptr_array_index (function->arrays, i));

        while (shows_other (self, reference))
          reference = reference->inputs[0];
        each (reference, user_data);
      }
}

void
acc_cutter_visit_references (AccCutter     *self,
                             AccFusionNode *node,
                             void         (*each) (AccFusionNode *reference, gpointer user_data),
                             gpointer       user_data)
{
  AccFunction *function;

  for (guint i = 0; node->array->references->len > 0 && (function = acc_array_nth_function (node->array, i)) != NULL; i++)
    visit_reads (self, function, each, user_data);
}

static void
set_alone (AccFusionNode *node,
           AccStored      stored)
{
  node->forced = node->alone = TRUE;
  node->stored = stored;
}

static void
force (AccFusionNode *reference,
       gpointer       user_data)
{
  if (!acc_fusion_node_is_given (reference))
    set_alone (reference, ACC_STORED_INDEXED);
}

static AccStored
explain (AccCutter     *self,
         AccFusionNode *node)
{
  AccCluster *cluster = acc_cutter_get (self, node->cluster);

  if (node->forced)
    return node->stored;
  if (!self->fuse)
    return ACC_STORED_UNFUSED;
  if (is_stored (node))
    return ACC_STORED_COMPLETE;
  if (node->depth >= ACC_CLUSTER_MAX_DEPTH ||
      (cluster != NULL && (cluster->n_nodes >= ACC_CLUSTER_MAX_NODES || cluster->cost + node->own_cost > ACC_CLUSTER_MAX_COST)))
    return ACC_STORED_LIMIT;
  if (!acc_cutter_is_anchor (self, node))
    return ACC_STORED_DEAR;
  if (node->access == ACC_ACCESS_SPACE)
    return cluster == NULL ? ACC_STORED_SEVERAL : ACC_STORED_OCCUPIED;

  return node->access == ACC_ACCESS_SOURCE ? ACC_STORED_OCCUPIED : ACC_STORED_ORDER;
}

/* Materialises the node, in a step of its own, or in one that reads it as it is computed, and passes the demands on to its inputs. */
static AccDemand
store (AccCutter     *self,
       AccFusionNode *node)
{
  AccReader host = { -1, ACC_ACCESS_SPACE, 1 };

  node->stored = explain (self, node);
  node->is_value = TRUE;
  if (self->fuse && node->array->op != ACC_OP_SEG_NUMBERS && acc_cutter_find_host (self, node, &host))
    {
      const AccRoot root = { .node = node, .beside = host.access == ACC_ACCESS_SOURCE };

      g_array_append_vals (acc_cutter_get (self, host.cluster)->roots, &root, 1);
    }
  else
    {
      host.cluster = add_cluster (self, node);
    }
  if (acc_cutter_is_anchor (self, node))
    try_join (self, host.cluster, node);
  node->home = acc_cutter_get (self, host.cluster);
  if (node->array->op == ACC_OP_SEG_NUMBERS)
    node->home->offsets = node->inputs[0];

  return (AccDemand) { host.cluster, host.access, 1, 1 };
}

static void
ask_for (AccCutter     *self,
         AccFusionNode *node,
         AccDemand      demand)
{
  AccCluster *cluster = acc_cutter_get (self, demand.cluster);

  if (cluster != NULL)
    {
      cluster->n_nodes++;
      cluster->cost += node->own_cost;
    }
  acc_cutter_ask_inputs (self, node, demand);
}

/* Whether the node would be inlined if all who read it were one cluster. */
static gboolean
may_be_one (AccCutter     *self,
            AccFusionNode *node)
{
  double most = 0;

  if (!self->fuse || node->forced || node->array->op == ACC_OP_PERMUTE || node->array->op == ACC_OP_SEG_NUMBERS
      || node->is_read_widely || node->n_readers < 2
      || node->access == ACC_ACCESS_OTHER)
    return FALSE;

  for (guint i = 0; i < node->n_readers; i++)
    most = MAX (most, node->readers[i].visits);

  return acc_cutter_is_anchor (self, node) ? node->access == ACC_ACCESS_SPACE : is_cheap_again (node, most, node->cost);
}

/* Makes one of all who read the node, and inlines it there, where that can be. */
static gboolean
inline_into_one (AccCutter     *self,
                 AccFusionNode *node)
{
  if (!may_be_one (self, node) || !acc_cutter_merge_readers (self, node))
    return FALSE;

  acc_cutter_gather (self, node);

  return inline_node (self, node);
}

static void
decide (AccCutter     *self,
        AccFusionNode *node)
{
  if (acc_fusion_node_is_given (node) && node->segments == NULL)
    return;
  acc_cutter_gather (self, node);
  if (acc_fusion_node_is_given (node))
    {
      acc_cutter_inline_numbers (self, node);
      return;
    }
  if (!node->forced && node->cluster == ACC_CLUSTER_NONE)
    return;

  acc_cutter_visit_references (self, node, force, NULL);
  if (node->array->op == ACC_OP_COMPUTE)
    {
      AccFusionNode *below = acc_fusion_graph_strip (self->graph, node);

      if (!acc_fusion_node_is_given (below))
        set_alone (below, ACC_STORED_ASKED);
    }

  if (inline_node (self, node) || inline_into_one (self, node))
    {
      if (node->is_read_widely)
        ask_for (self, node, (AccDemand) { ACC_CLUSTER_MANY, node->access, node->visits, node->depth + 1 });
      for (guint i = 0; i < node->n_readers && !node->is_read_widely; i++)
        ask_for (self, node, (AccDemand) { node->readers[i].cluster, node->readers[i].access, node->readers[i].visits, node->depth + 1 });
    }
  else
    {
      ask_for (self, node, store (self, node));
      for (guint i = 0; i < node->n_readers && node->segments != NULL; i++)
        if (acc_cutter_walks (self, node, &node->readers[i]))
          ask_for (self, node, (AccDemand) { node->readers[i].cluster, node->readers[i].access, node->readers[i].visits, node->depth + 1 });
    }
}

GPtrArray *
acc_fusion_graph_cut (AccFusionGraph *graph,
                      AccFusionNode **results,
                      guint           n_results)
{
  AccCutter self = { graph, g_ptr_array_new_with_free_func ((GDestroyNotify) acc_cluster_free), g_array_new (FALSE, FALSE, sizeof (int)),
                     !(acc_disable_get_flags () & ACC_DISABLE_FUSION) };

  for (guint i = 0; i < n_results; i++)
    if (!acc_fusion_node_is_given (results[i]))
      {
        results[i]->forced = TRUE;
        results[i]->stored = ACC_STORED_RESULT;
      }

  find_absorbing (&self);
  for (guint i = graph->nodes->len; i-- > 0; )
    decide (&self, g_ptr_array_index (graph->nodes, i));

  acc_cutter_order (&self);
  if (self.fuse && !(acc_disable_get_flags () & ACC_DISABLE_MERGE))
    acc_cutter_merge_neighbours (&self);
  g_array_unref (self.owners);

  return self.clusters;
}
