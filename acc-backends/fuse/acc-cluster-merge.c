/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cluster-private.h"

#include <string.h>

#include "acc-function-facts.h"

/* The number of nodes that a search for a dependence visits before it gives up, so that all searches together take linear time. */
#define MAX_SEARCH 256

/* --- what clusters read, and in which order they run */

static void
add_read (AccFusionNode *value,
          gpointer       user_data)
{
  AccCluster *cluster = user_data;

  if (value->read_by != cluster)
    g_ptr_array_add (cluster->reads, value);
  value->read_by = cluster;
}

static int
compare_values (gconstpointer a,
                gconstpointer b)
{
  const AccFusionNode *x = *(AccFusionNode *const *) a, *y = *(AccFusionNode *const *) b;

  return x->position < y->position ? -1 : x->position > y->position;
}

static void
collect_reads (AccCutter  *self,
               AccCluster *cluster,
               GPtrArray  *stack)
{
  for (guint i = 0; i < cluster->roots->len; i++)
    g_ptr_array_add (stack, g_array_index (cluster->roots, AccRoot, i).node);
  while (stack->len > 0)
    {
      AccFusionNode *node = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      acc_cutter_visit_references (self, node, add_read, cluster);
      for (guint i = 0; i < node->array->n_inputs; i++)
        {
          AccFusionNode *input = node->inputs[i];

          /* Numbers are known to who walks along segments: those of the element that it is at. */
          if (input->is_value && input->segments != NULL && input->segments == cluster->offsets && input->home != cluster)
            {
              if (acc_cutter_reads_elsewhere (self, input, cluster))
                add_read (input, cluster);
              input = input->segments;
            }
          if (input->seen_by == cluster)
            continue;
          input->seen_by = cluster;
          if (input->is_value && input->home != cluster)
            add_read (input, cluster);
          else if (!input->is_value)
            g_ptr_array_add (stack, input);
        }
    }

  if (cluster->reads->len > 1)
    g_ptr_array_sort (cluster->reads, compare_values);
  for (guint i = 0; i < cluster->reads->len; i++)
    cluster->from_source |= ((AccFusionNode *) g_ptr_array_index (cluster->reads, i))->from_source;
}

static void
add_read_level (AccCluster *cluster,
                GPtrArray  *stack)
{
  guint level = 0;

  for (guint i = 0; i < cluster->reads->len; i++)
    {
      AccCluster *producer = ((AccFusionNode *) g_ptr_array_index (cluster->reads, i))->home;

      if (producer == NULL)
        continue;
      if (!producer->has_level)
        g_ptr_array_add (stack, producer);
      level = MAX (level, producer->level + 1);
    }

  if (g_ptr_array_index (stack, stack->len - 1) == cluster)
    {
      cluster->level = level;
      cluster->has_level = TRUE;
      g_ptr_array_set_size (stack, stack->len - 1);
    }
}

/* A cluster of several roots may read nodes that come later than the first of them, so the order of nodes is not one of clusters. */
static void
find_levels (AccCutter *self)
{
  g_autoptr(GPtrArray) stack = g_ptr_array_new ();

  for (guint i = 0; i < self->clusters->len; i++)
    collect_reads (self, g_ptr_array_index (self->clusters, i), stack);

  for (guint i = 0; i < self->clusters->len; i++)
    {
      g_ptr_array_add (stack, g_ptr_array_index (self->clusters, i));
      while (stack->len > 0)
        {
          AccCluster *cluster = g_ptr_array_index (stack, stack->len - 1);

          if (cluster->has_level)
            g_ptr_array_set_size (stack, stack->len - 1);
          else
            add_read_level (cluster, stack);
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

void
acc_cutter_order (AccCutter *self)
{
  guint kept = 0;

  for (guint i = 0; i < self->clusters->len; i++)
    if (self->clusters->pdata[i] != NULL)
      self->clusters->pdata[kept++] = self->clusters->pdata[i];
  g_ptr_array_set_free_func (self->clusters, NULL);
  g_ptr_array_set_size (self->clusters, kept);
  g_ptr_array_set_free_func (self->clusters, (GDestroyNotify) acc_cluster_free);

  find_levels (self);
  g_ptr_array_sort (self->clusters, compare_level);
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
is_commutative (AccCluster *fold)
{
  for (guint i = 0; i < fold->anchors->len; i++)
    if (!acc_function_is_commutative (((AccFusionNode *) g_ptr_array_index (fold->anchors, i))->array->functions[0]))
      return FALSE;

  return TRUE;
}

/* Whether a fold can store arrays of the extents of its input. Lanes are neighbours only where order does not matter, and rows cannot
 * stream then: where several stencils could stream, that is worth more. */
static gboolean
can_store_beside (AccCutter  *self,
                  AccCluster *cluster)
{
  return (cluster->kind == ACC_CLUSTER_FOLD || cluster->kind == ACC_CLUSTER_FOLD_ALL) && !self->graph->for_groups &&
         !self->graph->has_sources && self->graph->n_stencils <= 1 && is_commutative (cluster);
}

/* Whether @map can be computed beside what @fold consumes. */
static gboolean
can_be_beside (AccCutter  *self,
               AccCluster *fold,
               AccCluster *map)
{
  return map->kind == ACC_CLUSTER_MAP && map->anchors->len == 0 && map->offsets == NULL && can_store_beside (self, fold) &&
         acc_fusion_node_has_extents_of (g_array_index (map->roots, AccRoot, 0).node, fold->consumed) &&
         fold->cost + map->cost <= ACC_CLUSTER_MAX_BESIDE_COST && fold->n_nodes + map->n_nodes <= ACC_CLUSTER_MAX_NODES / 8 &&
         count_root_leaves (fold) + count_root_leaves (map) <= ACC_CLUSTER_MAX_ROOT_LEAVES;
}

/* Or reads nothing, and does little: what is saved then is a launch, and long kernels take long to compile. */
static gboolean
shares_a_read (AccCluster *a,
               AccCluster *b)
{
  for (guint i = 0, k = 0; i < a->reads->len && k < b->reads->len;)
    {
      AccFusionNode *x = g_ptr_array_index (a->reads, i), *y = g_ptr_array_index (b->reads, k);

      if (x == y)
        return TRUE;
      if (x->position < y->position)
        i++;
      else
        k++;
    }

  return a->reads->len == 0 && b->reads->len == 0 && a->cost + b->cost <= ACC_CLUSTER_MAX_UNREAD_COST;
}

/* Of clusters that do not depend on each other. */
static gboolean
can_merge (AccCluster *a,
           AccCluster *b)
{
  return a->kind == b->kind && (a->kind == ACC_CLUSTER_MAP || a->kind == ACC_CLUSTER_FOLD || a->kind == ACC_CLUSTER_FOLD_COLUMNS
                                || a->kind == ACC_CLUSTER_FOLD_ALL) &&
         a->rank == b->rank && a->offsets == b->offsets &&
         (a->rank == 0 || memcmp (a->extents, b->extents, a->rank * sizeof (gint64)) == 0) &&
         (a->kind == ACC_CLUSTER_MAP || acc_fusion_node_has_extents_of (a->consumed, b->consumed)) &&
         (!(acc_cluster_stores_beside (a) || acc_cluster_stores_beside (b)) || is_commutative (a) == is_commutative (b)) &&
         a->cost + b->cost <= ACC_CLUSTER_MAX_COST / 2. && a->n_nodes + b->n_nodes <= ACC_CLUSTER_MAX_NODES / 8 &&
         a->anchors->len + b->anchors->len <= ACC_CLUSTER_MAX_STENCILS &&
         count_root_leaves (a) + count_root_leaves (b) <= ACC_CLUSTER_MAX_ROOT_LEAVES;
}

static void
add_reads (AccCluster *self,
           GPtrArray  *reads)
{
  guint kept = 0;

  if (reads->len == 0)
    return;

  g_ptr_array_extend (self->reads, reads, NULL, NULL);
  g_ptr_array_sort (self->reads, compare_values);
  for (guint i = 0; i < self->reads->len; i++)
    if (kept == 0 || self->reads->pdata[kept - 1] != self->reads->pdata[i])
      self->reads->pdata[kept++] = self->reads->pdata[i];
  g_ptr_array_set_size (self->reads, kept);
}

/* @beside: what @a consumes */
static void
merge (AccCluster *a,
       AccCluster *b,
       gboolean    beside)
{
  for (guint i = 0; i < b->roots->len; i++)
    {
      AccRoot root = g_array_index (b->roots, AccRoot, i);

      root.beside |= beside;
      root.node->home = a;
      g_array_append_val (a->roots, root);
    }
  for (guint i = 0; i < b->anchors->len; i++)
    if (!g_ptr_array_find (a->anchors, g_ptr_array_index (b->anchors, i), NULL))
      g_ptr_array_add (a->anchors, g_ptr_array_index (b->anchors, i));
  add_reads (a, b->reads);
  a->cost += b->cost;
  a->n_nodes += b->n_nodes;
}

/* Of clusters that know their levels and what they read. */
static gboolean
should_merge (AccCutter  *self,
              AccCluster *a,
              AccCluster *b)
{
  return a->level == b->level && a->from_source == b->from_source && shares_a_read (a, b) &&
         (can_merge (a, b) || can_be_beside (self, a, b) || can_be_beside (self, b, a));
}

void
acc_cutter_merge_neighbours (AccCutter *self)
{
  guint kept = 0;

  for (guint i = 0; i < self->clusters->len; i++)
    {
      AccCluster *cluster = g_ptr_array_index (self->clusters, i);
      guint partner = kept;

      for (guint j = 1; j <= 8 && j <= kept && partner == kept; j++)
        if (should_merge (self, self->clusters->pdata[kept - j], cluster))
          partner = kept - j;
      if (partner < kept)
        {
          AccCluster *other = self->clusters->pdata[partner];

          if (other->kind == cluster->kind)
            {
              merge (other, cluster, FALSE);
              acc_cluster_free (cluster);
            }
          else if (other->kind == ACC_CLUSTER_MAP)
            {
              merge (cluster, other, TRUE);
              acc_cluster_free (other);
              self->clusters->pdata[partner] = cluster;
            }
          else
            {
              merge (other, cluster, TRUE);
              acc_cluster_free (cluster);
            }
        }
      else
        {
          self->clusters->pdata[kept++] = cluster;
        }
    }

  /* The rest has moved down or is freed. */
  g_ptr_array_set_free_func (self->clusters, NULL);
  g_ptr_array_set_size (self->clusters, kept);
  g_ptr_array_set_free_func (self->clusters, (GDestroyNotify) acc_cluster_free);
}

/* --- and of those of which some nodes are not decided on */

/* Whether rows of what the cluster computes depend on rows of a source. */
static gboolean
is_from_source (AccCutter  *self,
                AccCluster *cluster)
{
  if (cluster->consumed != NULL && cluster->consumed->from_source)
    return TRUE;
  for (guint i = 0; i < cluster->roots->len; i++)
    if (g_array_index (cluster->roots, AccRoot, i).node->from_source)
      return TRUE;

  return FALSE;
}

typedef struct {
  AccCluster *to;
  guint       first;      /* position of the first node that is decided on: none before it leads to one */
  GHashTable *seen;
  GPtrArray  *stack;
  gboolean    found;
} Search;

static void
search_on (AccFusionNode *node,
           gpointer       user_data)
{
  Search *search = user_data;

  search->found |= node->is_value && node->home == search->to;
  if (!search->found && node->position >= search->first && !acc_fusion_node_is_given (node) && g_hash_table_add (search->seen, node))
    g_ptr_array_add (search->stack, node);
}

static void
search_on_roots (AccCluster *cluster,
                 Search     *search)
{
  for (guint i = 0; i < cluster->roots->len; i++)
    search_on (g_array_index (cluster->roots, AccRoot, i).node, search);
}

/* Whether @from needs a value that @to computes, given that the nodes after @node are decided. TRUE also where the search would take
 * long. */
static gboolean
depends (AccCutter     *self,
         AccFusionNode *node,
         AccCluster    *from,
         AccCluster    *to)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) stack = g_ptr_array_new ();
  Search search = { to, node->position + 1, seen, stack, FALSE };

  search_on_roots (from, &search);

  while (stack->len > 0 && !search.found)
    {
      AccFusionNode *next = g_ptr_array_steal_index (stack, stack->len - 1);

      if (g_hash_table_size (seen) > MAX_SEARCH)
        return TRUE;
      acc_cutter_visit_references (self, next, search_on, &search);
      for (guint i = 0; i < next->array->n_inputs && !search.found; i++)
        search_on (next->inputs[i], &search);
      /* Its step computes the others, too, and must have what they need. */
      if (next->home != NULL)
        search_on_roots (next->home, &search);
    }

  return search.found;
}

static gboolean
can_join_all (AccCutter     *self,
              AccFusionNode *node)
{
  AccClusterKind kind;

  for (guint i = 0; i < node->n_readers && acc_cutter_is_anchor (self, node); i++)
    if (!acc_cutter_can_join (self, acc_cutter_get (self, node->readers[i].cluster), node, &kind))
      return FALSE;

  return TRUE;
}

gboolean
acc_cutter_merge_readers (AccCutter     *self,
                          AccFusionNode *node)
{
  for (guint i = 0; i < node->n_readers; i++)
    for (guint k = 0; k <= i; k++)
      {
        AccCluster *a = acc_cutter_get (self, node->readers[i].cluster), *b = acc_cutter_get (self, node->readers[k].cluster);

        if (a == NULL || b == NULL || (k < i && a == b))
          return FALSE;
        if (a != b && (!can_merge (a, b) || is_from_source (self, a) != is_from_source (self, b) || depends (self, node, a, b) ||
                       depends (self, node, b, a)))
          return FALSE;
      }
  if (!can_join_all (self, node))
    return FALSE;

  for (guint i = 1; i < node->n_readers; i++)
    {
      AccCluster *first = acc_cutter_get (self, node->readers[0].cluster), *other = acc_cutter_get (self, node->readers[i].cluster);

      /* What one of them holds grows with each. */
      if (!can_merge (first, other))
        break;
      merge (first, other, FALSE);
      acc_cluster_free (other);
      self->clusters->pdata[node->readers[i].cluster] = NULL;
      g_array_index (self->owners, int, node->readers[i].cluster) = node->readers[0].cluster;
    }

  return TRUE;
}

static gboolean
can_host (AccCutter     *self,
          AccFusionNode *node,
          AccReader     *reader)
{
  AccCluster *cluster = acc_cutter_get (self, reader->cluster);
  gboolean is_anchor = acc_cutter_is_anchor (self, node);
  AccClusterKind kind;

  if (cluster == NULL || reader->access == ACC_ACCESS_OTHER || cluster->kind == ACC_CLUSTER_PERMUTE || cluster->kind == ACC_CLUSTER_SORT)
    return FALSE;
  if (reader->access == ACC_ACCESS_SOURCE &&
      (is_anchor || cluster->cost + node->cost > ACC_CLUSTER_MAX_BESIDE_COST || !can_store_beside (self, cluster)))
    return FALSE;
  /* A step of its own would take in what it is computed from. */
  if (node->absorbs && (cluster->kind != ACC_CLUSTER_MAP || cluster->anchors->len > 0))
    return FALSE;
  if (cluster->cost + node->own_cost > ACC_CLUSTER_MAX_COST / 2. || cluster->n_nodes >= ACC_CLUSTER_MAX_NODES / 8 ||
      count_root_leaves (cluster) + acc_element_type_get_n_leaves (node->array->type) > ACC_CLUSTER_MAX_ROOT_LEAVES)
    return FALSE;
  if (is_anchor && !acc_cutter_can_join (self, cluster, node, &kind))
    return FALSE;
  if ((cluster->kind == ACC_CLUSTER_SCAN || cluster->kind == ACC_CLUSTER_SCAN_SEG)
      && cluster->cost + node->own_cost > ACC_CLUSTER_MAX_SERIAL_COST)
    return FALSE;
  if (is_from_source (self, cluster) != node->from_source)
    return FALSE;

  for (guint i = 0; i < node->n_readers; i++)
    {
      AccCluster *other = acc_cutter_get (self, node->readers[i].cluster);

      if (other == NULL || (other == cluster && node->readers[i].access != reader->access))
        return FALSE;
      if (other != cluster && depends (self, node, cluster, other))
        return FALSE;
    }

  return TRUE;
}

gboolean
acc_cutter_find_host (AccCutter     *self,
                      AccFusionNode *node,
                      AccReader     *host)
{
  if (node->alone || node->is_read_widely || acc_operation_has_fact (node->array->op, ACC_FACT_STORES))
    return FALSE;

  for (guint i = 0; i < node->n_readers; i++)
    if (can_host (self, node, &node->readers[i]))
      {
        *host = node->readers[i];
        return TRUE;
      }

  return FALSE;
}
