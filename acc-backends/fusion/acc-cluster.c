/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cluster.h"

#include "acc-core/acc-backend-private.h"
#include "acc-function-facts.h"

#include <string.h>

/* Operations that computing a value again may cost before it is stored instead. */
#define RECOMPUTE_LIMIT 24
/* What a scalar loop should not do for every element: beyond it a parallel step of its own is better. */
#define SERIAL_LIMIT    8
#define MAX_DEPTH       128
#define MAX_NODES       512
#define MAX_COST        1024
#define MAX_STENCILS    16
#define MAX_ROOT_LEAVES 8

typedef struct {
  AccFusionGraph *graph;
  GPtrArray      *clusters;   /* in the order in which they are made: consumers first */
  gboolean        fuse;
} Cutter;

/* What a node asks of its inputs. */
typedef struct {
  int       cluster;
  AccAccess access;
  double    visits;
  guint     depth;
} Demand;

static void
cluster_free (gpointer data)
{
  AccCluster *cluster = data;

  g_array_unref (cluster->roots);
  g_ptr_array_unref (cluster->anchors);
  g_hash_table_unref (cluster->reads);
  g_free (cluster->extents);
  g_free (cluster);
}

static AccFusionNode *
get_input (Cutter        *self,
           AccFusionNode *node,
           guint          i)
{
  return acc_fusion_graph_get (self->graph, node->array->inputs[i]);
}

static AccCluster *
get_cluster (Cutter *self,
             int     cluster)
{
  return cluster >= 0 ? g_ptr_array_index (self->clusters, cluster) : NULL;
}

static gboolean
same_extents (AccFusionNode *a,
              AccFusionNode *b)
{
  return a->rank == b->rank && (a->rank == 0 || memcmp (a->extents, b->extents, a->rank * sizeof (gint64)) == 0);
}

AccFusionNode *
acc_fusion_graph_strip (AccFusionGraph *graph,
                        AccFusionNode  *node)
{
  while (node->bound < 0 && (node->array->op == ACC_OP_RESHAPE || node->array->op == ACC_OP_COMPUTE))
    node = acc_fusion_graph_get (graph, node->array->inputs[0]);

  return node;
}

static int
add_cluster (Cutter        *self,
             AccFusionNode *root)
{
  AccCluster *cluster = g_new0 (AccCluster, 1);

  cluster->kind = ACC_CLUSTER_MAP;
  cluster->roots = g_array_new (FALSE, TRUE, sizeof (AccRoot));
  g_array_append_vals (cluster->roots, &(AccRoot) { root, 0 }, 1);
  cluster->anchors = g_ptr_array_new ();
  cluster->rank = root->rank;
  cluster->extents = g_memdup2 (root->extents, MAX (root->rank, 1) * sizeof (gint64));
  cluster->reads = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (self->clusters, cluster);

  return self->clusters->len - 1;
}

static void
ask (AccFusionNode *node,
     Demand         demand)
{
  if (acc_fusion_node_is_given (node))
    return;

  node->depth = MAX (node->depth, demand.depth);
  if (node->cluster == ACC_CLUSTER_NONE)
    {
      node->cluster = demand.cluster;
      node->access = demand.access;
      node->visits = demand.visits;
      return;
    }

  /* Read at one index by one cluster however often: computed once. */
  if (node->cluster >= 0 && node->cluster == demand.cluster && node->access == demand.access &&
      demand.access != ACC_ACCESS_OTHER)
    {
      node->visits = MAX (node->visits, demand.visits);
      return;
    }

  node->visits += demand.visits;
  if (node->cluster != demand.cluster)
    node->cluster = ACC_CLUSTER_MANY;
  if (node->access != demand.access)
    node->access = ACC_ACCESS_OTHER;
}

static void
ask_inputs (Cutter        *self,
            AccFusionNode *node,
            Demand         demand)
{
  for (guint i = 0; i < node->array->n_inputs; i++)
    {
      AccFusionNode *input = get_input (self, node, i);
      Demand wish = demand;

      switch ((int) node->array->op)
        {
        case ACC_OP_SLICE:
        case ACC_OP_BACKPERMUTE:
        case ACC_OP_REPLICATE:
          wish.access = ACC_ACCESS_OTHER;
          if (input->size > 0)
            wish.visits *= (double) node->size / input->size;
          break;
        case ACC_OP_STENCIL:
        case ACC_OP_STENCIL2:
          if (acc_fusion_node_count_taps (node, i) > 1)
            {
              wish.access = ACC_ACCESS_OTHER;
              wish.visits *= acc_fusion_node_count_taps (node, i);
            }
          else if (!same_extents (node, input))
            wish.access = ACC_ACCESS_OTHER;
          break;
        case ACC_OP_FOLD:
        case ACC_OP_FOLD1:
        case ACC_OP_FOLD_ALL:
        case ACC_OP_FOLD1_ALL:
          wish.access = acc_fusion_graph_get_fold_form (self->graph, node) == ACC_FOLD_SHORT
                          ? ACC_ACCESS_OTHER : ACC_ACCESS_SOURCE;
          break;
        case ACC_OP_SCANL1:
          wish.access = ACC_ACCESS_SOURCE;
          wish.visits = RECOMPUTE_LIMIT / SERIAL_LIMIT + 1;
          break;
        case ACC_OP_PERMUTE:
          if (i != 1)
            {
              wish.access = ACC_ACCESS_SOURCE;
              wish.visits = RECOMPUTE_LIMIT / SERIAL_LIMIT + 1;
            }
          break;
        case ACC_OP_SORT:
          wish.access = ACC_ACCESS_SOURCE;
          wish.visits = 2;
          break;
        default:
          if (!same_extents (node, input))
            wish.access = ACC_ACCESS_OTHER;
          break;
        }

      ask (input, wish);
    }
}

static gboolean
try_join (Cutter        *self,
          int            number,
          AccFusionNode *node)
{
  AccCluster *cluster = get_cluster (self, number);
  AccFusionNode *input = get_input (self, node, 0);

  switch ((int) node->array->op)
    {
    case ACC_OP_STENCIL:
    case ACC_OP_STENCIL2:
      if (cluster->kind != ACC_CLUSTER_MAP || cluster->anchors->len >= MAX_STENCILS)
        return FALSE;
      break;

    case ACC_OP_FOLD:
    case ACC_OP_FOLD1:
    case ACC_OP_FOLD_ALL:
    case ACC_OP_FOLD1_ALL:
      {
        AccClusterKind kind = acc_fusion_graph_get_fold_form (self->graph, node) == ACC_FOLD_FULL
                                ? ACC_CLUSTER_FOLD_ALL : ACC_CLUSTER_FOLD;

        if (cluster->kind == kind && !same_extents (cluster->consumed, input))
          return FALSE;
        if (cluster->kind != kind && (cluster->kind != ACC_CLUSTER_MAP || cluster->anchors->len > 0))
          return FALSE;
        cluster->kind = kind;
        break;
      }

    case ACC_OP_SCANL1:
      if (cluster->kind != ACC_CLUSTER_MAP || cluster->anchors->len > 0 || cluster->cost > SERIAL_LIMIT)
        return FALSE;
      cluster->kind = ACC_CLUSTER_SCAN;
      break;

    case ACC_OP_PERMUTE:
    case ACC_OP_SORT:
      if (cluster->n_nodes > 0)
        return FALSE;
      cluster->kind = node->array->op == ACC_OP_SORT ? ACC_CLUSTER_SORT : ACC_CLUSTER_PERMUTE;
      break;

    default:
      return FALSE;
    }

  g_ptr_array_add (cluster->anchors, node);
  if (cluster->consumed == NULL)
    cluster->consumed = input;

  return TRUE;
}

/* Complete only when all of its input was seen. */
static gboolean
is_stored (AccFusionNode *node)
{
  return node->array->op == ACC_OP_PERMUTE || node->array->op == ACC_OP_SORT;
}

static gboolean
is_anchor (Cutter        *self,
           AccFusionNode *node)
{
  AccOperation op = node->array->op;

  return op == ACC_OP_STENCIL || op == ACC_OP_STENCIL2 || op == ACC_OP_SCANL1 || is_stored (node) ||
         (acc_fusion_node_is_fold (node) && acc_fusion_graph_get_fold_form (self->graph, node) != ACC_FOLD_SHORT);
}

static gboolean
is_cheap_again (AccFusionNode *node,
                double         visits,
                double         cost)
{
  return visits < 1.01 || (!node->absorbs && (visits - 1) * cost <= RECOMPUTE_LIMIT);
}

/* Whether all parts would be stored, each by a step of its own: then they are better stored together. */
static gboolean
has_dear_inputs (Cutter        *self,
                 AccFusionNode *node)
{
  for (guint i = 0; i < node->array->n_inputs; i++)
    {
      AccFusionNode *input = get_input (self, node, i);

      if (acc_fusion_node_is_given (input) || input->forced || is_cheap_again (input, node->visits, input->cost))
        return FALSE;
    }

  return TRUE;
}

static gboolean
is_worth_inlining (Cutter        *self,
                   AccFusionNode *node)
{
  AccCluster *cluster = get_cluster (self, node->cluster);

  if (node->depth >= MAX_DEPTH)
    return FALSE;
  if (cluster != NULL && (cluster->n_nodes >= MAX_NODES || cluster->cost + node->own_cost > MAX_COST))
    return FALSE;

  switch ((int) node->array->op)
    {
    case ACC_OP_RESHAPE:
    case ACC_OP_COMPUTE:
    case ACC_OP_UNZIP:
      return TRUE;
    case ACC_OP_SLICE:
    case ACC_OP_REPLICATE:
      return self->fuse;
    case ACC_OP_ZIP:
      return self->fuse && !has_dear_inputs (self, node);
    case ACC_OP_BACKPERMUTE:
      return self->fuse && is_cheap_again (node, node->visits, node->own_cost);
    default:
      return self->fuse && is_cheap_again (node, node->visits, node->cost);
    }
}

/* Inlined where it is read more than once, an element-wise node would leave what it is computed from behind as a value. */
static void
find_absorbing (Cutter *self)
{
  for (guint i = 0; i < self->graph->nodes->len; i++)
    {
      AccFusionNode *node = g_ptr_array_index (self->graph->nodes, i);

      for (guint k = 0; !acc_fusion_node_is_given (node) && k < node->array->n_inputs; k++)
        get_input (self, node, k)->n_uses++;
    }

  for (guint i = 0; i < self->graph->nodes->len; i++)
    {
      AccFusionNode *node = g_ptr_array_index (self->graph->nodes, i);
      AccOperation op = node->array->op;

      if (acc_fusion_node_is_given (node) ||
          !(op == ACC_OP_MAP || op == ACC_OP_IMAP || op == ACC_OP_ZIP_WITH || op == ACC_OP_ZIP_WITH3))
        continue;
      for (guint k = 0; k < node->array->n_inputs; k++)
        {
          AccFusionNode *input = get_input (self, node, k);

          node->absorbs |= !acc_fusion_node_is_given (input) && !input->forced && input->n_uses == 1 && same_extents (input, node) &&
                           (input->absorbs || (is_anchor (self, input) && !is_stored (input)));
        }
    }
}

static gboolean
inline_node (Cutter        *self,
             AccFusionNode *node)
{
  AccCluster *cluster = get_cluster (self, node->cluster);

  if (node->forced)
    return FALSE;
  if (!is_anchor (self, node))
    return is_worth_inlining (self, node);

  return self->fuse && cluster != NULL && node->access == ACC_ACCESS_SPACE && node->depth < MAX_DEPTH &&
         !is_stored (node) && cluster->n_nodes < MAX_NODES &&
         cluster->cost + node->own_cost <= MAX_COST && try_join (self, node->cluster, node);
}

/* Calls @each for what has, or must have, memory for the elements that the node's scalar functions read. */
static void
visit_references (Cutter        *self,
                  AccFusionNode *node,
                  void         (*each) (AccFusionNode *reference, gpointer user_data),
                  gpointer       user_data)
{
  g_autoptr (GHashTable) reads = NULL;
  GHashTableIter iter;
  gpointer array;

  if (node->array->references->len == 0)
    return;

  reads = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < node->array->n_functions; i++)
    if (node->array->functions[i] != NULL)
      acc_function_collect_reads (node->array->functions[i], reads);
  for (guint i = 0; i < 2; i++)
    if (node->array->boundaries[i] != NULL && node->array->boundaries[i]->function != NULL)
      acc_function_collect_reads (node->array->boundaries[i]->function, reads);

  g_hash_table_iter_init (&iter, reads);
  while (g_hash_table_iter_next (&iter, &array, NULL))
    {
      AccFusionNode *reference = acc_fusion_graph_get (self->graph, array);

      while (acc_fusion_node_is_view (reference))
        reference = get_input (self, reference, 0);
      each (reference, user_data);
    }
}

static void
force (AccFusionNode *reference,
       gpointer       user_data)
{
  reference->forced = TRUE;
}

static void
decide (Cutter        *self,
        AccFusionNode *node)
{
  Demand demand;

  if (acc_fusion_node_is_given (node) || (!node->forced && node->cluster == ACC_CLUSTER_NONE))
    return;

  visit_references (self, node, force, NULL);
  if (node->array->op == ACC_OP_COMPUTE)
    acc_fusion_graph_strip (self->graph, node)->forced = TRUE;

  if (inline_node (self, node))
    {
      demand = (Demand) { node->cluster, node->access, node->visits, node->depth + 1 };
    }
  else
    {
      int number = add_cluster (self, node);

      node->is_value = TRUE;
      if (is_anchor (self, node))
        try_join (self, number, node);
      demand = (Demand) { number, ACC_ACCESS_SPACE, 1, 1 };
    }

  if (demand.cluster >= 0)
    {
      AccCluster *cluster = get_cluster (self, demand.cluster);

      cluster->n_nodes++;
      cluster->cost += node->own_cost;
    }
  ask_inputs (self, node, demand);
}

/* --- what clusters read, and in which order they run */

static void
add_read (AccFusionNode *reference,
          gpointer       user_data)
{
  AccCluster *cluster = user_data;

  g_hash_table_add (cluster->reads, reference);
}

static void
collect_reads (Cutter     *self,
               AccCluster *cluster)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  AccRoot *root = &g_array_index (cluster->roots, AccRoot, 0);

  g_ptr_array_add (stack, root->node);
  while (stack->len > 0)
    {
      AccFusionNode *node = g_ptr_array_steal_index (stack, stack->len - 1);

      visit_references (self, node, add_read, cluster);
      for (guint i = 0; i < node->array->n_inputs; i++)
        {
          AccFusionNode *input = get_input (self, node, i);

          if (!g_hash_table_add (seen, input))
            continue;
          if (input->is_value)
            g_hash_table_add (cluster->reads, input);
          else
            g_ptr_array_add (stack, input);
        }
    }

  GHashTableIter iter;
  gpointer read;

  g_hash_table_iter_init (&iter, cluster->reads);
  while (g_hash_table_iter_next (&iter, &read, NULL))
    cluster->from_source |= ((AccFusionNode *) read)->from_source;
}

static void
find_levels (Cutter *self)
{
  g_autoptr (GHashTable) producers = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < self->clusters->len; i++)
    {
      AccCluster *cluster = g_ptr_array_index (self->clusters, i);
      AccRoot *root = &g_array_index (cluster->roots, AccRoot, 0);

      collect_reads (self, cluster);
      g_hash_table_insert (producers, root->node, cluster);
    }

  for (guint i = 0; i < self->clusters->len; i++)
    {
      AccCluster *cluster = g_ptr_array_index (self->clusters, i);
      GHashTableIter iter;
      gpointer read;

      cluster->level = 0;
      g_hash_table_iter_init (&iter, cluster->reads);
      while (g_hash_table_iter_next (&iter, &read, NULL))
        {
          AccCluster *producer = g_hash_table_lookup (producers, read);

          if (producer != NULL)
            cluster->level = MAX (cluster->level, producer->level + 1);
        }
    }
}

static int
compare_position (gconstpointer a,
                  gconstpointer b)
{
  const AccCluster *x = *(AccCluster *const *) a, *y = *(AccCluster *const *) b;
  const AccRoot *rx = &g_array_index (x->roots, AccRoot, 0), *ry = &g_array_index (y->roots, AccRoot, 0);

  return rx->node->position < ry->node->position ? -1 : 1;
}

static int
compare_level (gconstpointer a,
               gconstpointer b)
{
  const AccCluster *x = *(AccCluster *const *) a, *y = *(AccCluster *const *) b;

  return x->level != y->level ? (x->level < y->level ? -1 : 1) : compare_position (a, b);
}

/* --- several roots in one step: clusters of one level do not depend on each other */

static guint
count_root_leaves (AccCluster *cluster)
{
  guint n = 0;

  for (guint i = 0; i < cluster->roots->len; i++)
    n += acc_element_type_get_n_leaves (g_array_index (cluster->roots, AccRoot, i).node->array->type);

  return n;
}

static gboolean
shares_a_read (AccCluster *a,
               AccCluster *b)
{
  GHashTableIter iter;
  gpointer read;

  if (g_hash_table_size (a->reads) == 0 && g_hash_table_size (b->reads) == 0)
    return TRUE;

  g_hash_table_iter_init (&iter, a->reads);
  while (g_hash_table_iter_next (&iter, &read, NULL))
    if (g_hash_table_contains (b->reads, read))
      return TRUE;

  return FALSE;
}

static gboolean
can_merge (AccCluster *a,
           AccCluster *b)
{
  return a->kind == b->kind && (a->kind == ACC_CLUSTER_MAP || a->kind == ACC_CLUSTER_FOLD || a->kind == ACC_CLUSTER_FOLD_ALL) &&
         a->level == b->level && a->rank == b->rank && a->from_source == b->from_source &&
         (a->rank == 0 || memcmp (a->extents, b->extents, a->rank * sizeof (gint64)) == 0) &&
         (a->kind == ACC_CLUSTER_MAP || same_extents (a->consumed, b->consumed)) &&
         a->cost + b->cost <= MAX_COST / 2 && a->n_nodes + b->n_nodes <= MAX_NODES / 8 &&
         a->anchors->len + b->anchors->len <= MAX_STENCILS &&
         count_root_leaves (a) + count_root_leaves (b) <= MAX_ROOT_LEAVES && shares_a_read (a, b);
}

static void
merge (AccCluster *a,
       AccCluster *b)
{
  GHashTableIter iter;
  gpointer read;

  g_array_append_vals (a->roots, b->roots->data, b->roots->len);
  for (guint i = 0; i < b->anchors->len; i++)
    if (!g_ptr_array_find (a->anchors, g_ptr_array_index (b->anchors, i), NULL))
      g_ptr_array_add (a->anchors, g_ptr_array_index (b->anchors, i));
  g_hash_table_iter_init (&iter, b->reads);
  while (g_hash_table_iter_next (&iter, &read, NULL))
    g_hash_table_add (a->reads, read);
  a->cost += b->cost;
  a->n_nodes += b->n_nodes;
}

static void
merge_neighbours (Cutter *self)
{
  guint kept = 0;

  for (guint i = 0; i < self->clusters->len; i++)
    {
      AccCluster *cluster = g_ptr_array_index (self->clusters, i);
      AccCluster *partner = NULL;

      for (guint j = 1; j <= 8 && j <= kept && partner == NULL; j++)
        {
          AccCluster *other = self->clusters->pdata[kept - j];

          if (can_merge (other, cluster))
            partner = other;
        }
      if (partner != NULL)
        {
          merge (partner, cluster);
          cluster_free (cluster);
        }
      else
        {
          self->clusters->pdata[kept++] = cluster;
        }
    }

  /* The rest has moved down or is freed. */
  g_ptr_array_set_free_func (self->clusters, NULL);
  g_ptr_array_set_size (self->clusters, kept);
  g_ptr_array_set_free_func (self->clusters, cluster_free);
}

GPtrArray *
acc_fusion_graph_cut (AccFusionGraph *graph,
                      AccFusionNode **results,
                      guint           n_results)
{
  Cutter self = { graph, g_ptr_array_new_with_free_func (cluster_free), !(acc_disable_get_flags () & ACC_DISABLE_FUSION) };

  for (guint i = 0; i < n_results; i++)
    results[i]->forced = TRUE;

  find_absorbing (&self);
  for (guint i = graph->nodes->len; i-- > 0; )
    decide (&self, g_ptr_array_index (graph->nodes, i));

  g_ptr_array_sort (self.clusters, compare_position);
  find_levels (&self);
  g_ptr_array_sort (self.clusters, compare_level);
  if (self.fuse)
    merge_neighbours (&self);

  return self.clusters;
}
