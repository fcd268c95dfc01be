/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cluster-private.h"

#include "acc-fusion-cost.h"

/* How often, and at which index, clusters read a node. */

/* Read at one index by one cluster however often, an element is computed once. */
static void
add_visits (AccReader *reader,
            double     visits)
{
  reader->visits = reader->access == ACC_ACCESS_OTHER ? reader->visits + visits : MAX (reader->visits, visits);
}

static void
ask (AccCutter     *self,
     AccFusionNode *node,
     AccDemand      demand)
{
  int cluster = acc_cutter_find (self, demand.cluster);

  if (acc_fusion_node_is_given (node) && node->segments == NULL)
    return;

  node->depth = MAX (node->depth, demand.depth);
  for (guint i = 0; i < node->n_readers; i++)
    if (acc_cutter_find (self, node->readers[i].cluster) == cluster && node->readers[i].access == demand.access && cluster >= 0)
      {
        add_visits (&node->readers[i], demand.visits);
        return;
      }

  if (node->n_readers < ACC_MAX_READERS)
    {
      node->readers[node->n_readers++] = (AccReader) { cluster, demand.access, demand.visits };
    }
  else
    {
      node->is_read_widely = TRUE;
      node->visits += demand.visits;
    }
}

void
acc_cutter_gather (AccCutter     *self,
                   AccFusionNode *node)
{
  guint n = node->n_readers;

  node->n_readers = 0;
  for (guint i = 0; i < n; i++)
    {
      AccReader reader = node->readers[i];
      guint k = 0;

      reader.cluster = acc_cutter_find (self, reader.cluster);
      while (k < node->n_readers
             && !(node->readers[k].cluster == reader.cluster && node->readers[k].access == reader.access && reader.cluster >= 0))
        k++;
      if (k < node->n_readers)
        add_visits (&node->readers[k], reader.visits);
      else
        node->readers[node->n_readers++] = reader;
    }

  if (n == 0)
    return;
  if (!node->is_read_widely)
    node->visits = 0;
  node->cluster = node->is_read_widely ? ACC_CLUSTER_MANY : node->readers[0].cluster;
  node->access = node->is_read_widely ? ACC_ACCESS_OTHER : node->readers[0].access;
  for (guint i = 0; i < node->n_readers; i++)
    {
      node->visits += node->readers[i].visits;
      if (node->cluster != node->readers[i].cluster)
        node->cluster = ACC_CLUSTER_MANY;
      if (node->access != node->readers[i].access)
        node->access = ACC_ACCESS_OTHER;
    }
}

static gboolean
has_neighbours (AccFusionNode *stencil,
                guint          input)
{
  for (guint d = 0; d < stencil->rank; d++)
    if (acc_array_get_stencil (stencil->array)->sizes[input][d] > 1)
      return TRUE;

  return FALSE;
}

/* Whether bands of @from would keep @n_rows and a strip in a cache. */
static gboolean
fits_band (AccCutter           *self,
           const AccFusionNode *from,
           gint64               n_rows)
{
  return !self->graph->for_groups && from->rank > 1 && from->extents[0] >= ACC_COST_BAND_ROWS &&
         (n_rows + ACC_COST_BAND_STRIP) * (from->size / from->extents[0]) * (gint64) acc_element_type_get_size (from->array->type)
         <= ACC_COST_BAND_BYTES;
}

/* Whether @node, and what it is inlined in, reads rows of an input that bands would keep in a cache. */
static gboolean
reads_near (AccCutter     *self,
            AccFusionNode *node,
            guint          input)
{
  const AccFusionNode *from = node->inputs[input];
  AccOperation op = node->array->op;
  AccOperationFamily family = acc_operation_get_family (op);

  if (family == ACC_FAMILY_STENCIL)
    {
      const AccStencilPayload *stencil = acc_array_get_stencil (node->array);

      return (stencil->boundaries[input]->kind != ACC_BOUNDARY_WRAP || stencil->sizes[input][0] == 1) &&
             fits_band (self, from, stencil->sizes[input][0]);
    }
  if (family == ACC_FAMILY_FOLD)
    return !acc_operation_has_fact (op, ACC_FACT_FOLDS_ALL) && fits_band (self, from, 1) &&
           acc_fusion_graph_get_fold_form (self->graph, node) == ACC_FOLD_LONG;
  if (family == ACC_FAMILY_MATMUL)
    return input == 0 && from->rank == node->rank && fits_band (self, from, ACC_PRODUCT_LEAST_ROWS);

  return (family == ACC_FAMILY_ELEMENTS || family == ACC_FAMILY_ZIP || op == ACC_OP_UNZIP) && node->is_read_near && !node->is_read_far;
}

/* Some operations hide behind what the loop waits for anyway. */
static double
count_serial_visits (AccFusionNode *node)
{
  return node->cost <= ACC_CLUSTER_MAX_SERIAL_COST ? 1 : ACC_COST_SERIAL;
}

/* What lanes of processors do side by side hides nowhere, and needs not. */
static double
count_lane_visits (AccCutter     *self,
                   AccFusionNode *node)
{
  return !self->graph->for_groups && node->cost <= ACC_CLUSTER_MAX_LANES_COST ? 1 : count_serial_visits (node);
}

/* A thread has all the elements that it transforms written out one after the other. */
static double
count_transform_visits (AccFusionNode *node)
{
  return node->cost <= ACC_CLUSTER_MAX_TRANSFORMED_COST ? 1 : ACC_COST_SERIAL;
}

void
acc_cutter_ask_inputs (AccCutter     *self,
                       AccFusionNode *node,
                       AccDemand      demand)
{
  for (guint i = 0; i < node->array->n_inputs; i++)
    {
      AccFusionNode *input = node->inputs[i];
      AccDemand wish = demand;

      /* Only how many elements there are is asked. */
      if (node->array->op == ACC_OP_SEG_NUMBERS && i > 0)
        continue;

      switch (acc_operation_get_family (node->array->op))
        {
        case ACC_FAMILY_GATHER:
          wish.access = ACC_ACCESS_OTHER;
          if (node->array->op == ACC_OP_SEG_NUMBERS)
            wish.visits = 2;
          else if (input->size > 0)
            wish.visits *= (double) node->size / input->size;
          break;
        case ACC_FAMILY_STENCIL:
          if (has_neighbours (node, i))
            {
              wish.access = ACC_ACCESS_OTHER;
              wish.visits *= acc_fusion_graph_find_taps (self->graph, node, i).n;
            }
          else if (!acc_fusion_node_has_extents_of (node, input))
            wish.access = ACC_ACCESS_OTHER;
          break;
        case ACC_FAMILY_FOLD:
          wish.access = acc_fusion_graph_get_fold_form (self->graph, node) == ACC_FOLD_SHORT
                          ? ACC_ACCESS_OTHER : ACC_ACCESS_SOURCE;
          break;
        case ACC_FAMILY_FOLD_SEG:
          wish.access = i == 0 ? ACC_ACCESS_SOURCE : ACC_ACCESS_OTHER;
          wish.visits = i == 0 ? 1 : 2;
          break;
        case ACC_FAMILY_MATMUL:
          wish.access = ACC_ACCESS_OTHER;
          wish.visits = acc_fusion_graph_count_product_reads (self->graph, node, i);
          break;
        case ACC_FAMILY_FFT:
          wish.access = ACC_ACCESS_OTHER;
          wish.visits = i == 0 ? count_transform_visits (input) : input->size + 1.;
          break;
        case ACC_FAMILY_SCAN:
          wish.access = ACC_ACCESS_SOURCE;
          wish.visits = count_lane_visits (self, input);
          break;
        case ACC_FAMILY_SCAN_SEG:
          wish.access = i == 0 ? ACC_ACCESS_SOURCE : ACC_ACCESS_OTHER;
          wish.visits = i == 0 ? count_lane_visits (self, input) : 2;
          break;
        case ACC_FAMILY_PERMUTE:
          if (i != 1)
            {
              wish.access = ACC_ACCESS_SOURCE;
              wish.visits = acc_fusion_node_packs (node) ? count_lane_visits (self, input) : count_serial_visits (input);
            }
          break;
        case ACC_FAMILY_SORT:
          wish.access = i == 0 ? ACC_ACCESS_SOURCE : ACC_ACCESS_OTHER;
          wish.visits = 2;
          break;
        case ACC_FAMILY_LEAF:
        case ACC_FAMILY_FLOW:
        case ACC_FAMILY_ELEMENTS:
        case ACC_FAMILY_ZIP:
        case ACC_FAMILY_VIEW:
          if (!acc_fusion_node_has_extents_of (node, input))
            wish.access = ACC_ACCESS_OTHER;
          break;
        }

      if (reads_near (self, node, i))
        input->is_read_near = TRUE;
      else
        input->is_read_far = TRUE;
      ask (self, input, wish);
    }
}

/* Whether who reads the numbers of segments can walk along these. */
static gboolean
can_walk (AccCutter       *self,
          AccFusionNode   *numbers,
          const AccReader *reader)
{
  AccFusionNode *offsets = numbers->segments;
  AccCluster *cluster = acc_cutter_get (self, reader->cluster);

  if (cluster == NULL || (cluster->offsets != NULL && cluster->offsets != offsets))
    return FALSE;
  if (cluster->kind == ACC_CLUSTER_MAP)
    return reader->access == ACC_ACCESS_SPACE && cluster->anchors->len == 0 && cluster->rank == 1;

  return cluster->kind == ACC_CLUSTER_FOLD_SEG && reader->access == ACC_ACCESS_SOURCE
         && ((AccFusionNode *) g_ptr_array_index (cluster->anchors, 0))->inputs[1] == offsets;
}

gboolean
acc_cutter_inline_numbers (AccCutter     *self,
                           AccFusionNode *node)
{
  gboolean all = self->fuse && !node->is_read_widely;

  for (guint i = 0; self->fuse && i < node->n_readers; i++)
    if (can_walk (self, node, &node->readers[i]))
      acc_cutter_get (self, node->readers[i].cluster)->offsets = node->segments;
    else
      all = FALSE;

  return all;
}

gboolean
acc_cutter_walks (AccCutter       *self,
                  AccFusionNode   *numbers,
                  const AccReader *reader)
{
  AccCluster *cluster = acc_cutter_get (self, reader->cluster);

  return cluster != NULL && cluster->offsets == numbers->segments && can_walk (self, numbers, reader);
}

gboolean
acc_cutter_reads_elsewhere (AccCutter     *self,
                            AccFusionNode *numbers,
                            AccCluster    *cluster)
{
  for (guint i = 0; i < numbers->n_readers; i++)
    if (acc_cutter_get (self, numbers->readers[i].cluster) == cluster && !acc_cutter_walks (self, numbers, &numbers->readers[i]))
      return TRUE;

  return numbers->is_read_widely;
}
