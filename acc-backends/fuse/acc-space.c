/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-space.h"

#include "acc-function-facts.h"

#include <string.h>

/* Which dimensions of the space make up a node's dimension: lo to hi, merged; lo < 0: unknown. One that continues is merged into the next
 * one. */
typedef struct {
  int      lo, hi;
  gboolean continues;
} Origin;

typedef struct {
  AccFusionNode *node;
  Origin        *origins;
  gboolean       root;
} Visit;

typedef struct {
  AccFusionGraph *graph;
  AccCluster     *cluster;
  AccSpace       *space;
  GArray         *stack;      /* Visit */
  GHashTable     *seen;       /* AccFusionNode → GPtrArray of origins */
  gboolean        stencils;
} Walk;

gint64
acc_extents_multiply (const gint64 *extents,
                      guint         begin,
                      guint         end)
{
  gint64 product = 1;

  for (guint d = begin; d < end; d++)
    product *= extents[d];

  return product;
}

void
acc_extents_match (const gint64 *from,
                   guint         from_rank,
                   const gint64 *to,
                   guint         to_rank,
                   void        (*group) (guint from_begin, guint from_end, guint to_begin, guint to_end, gpointer user_data),
                   gpointer      user_data)
{
  guint i = 0, k = 0;

  while (i < from_rank && k < to_rank)
    {
      guint i0 = i, k0 = k;
      gint64 a = from[i++], b = to[k++];

      while (a != b)
        if (a < b)
          a *= from[i++];
        else
          b *= to[k++];
      /* Trailing ones belong to the last group. */
      if (k == to_rank)
        i = from_rank;
      if (i == from_rank)
        k = to_rank;
      group (i0, i, k0, k, user_data);
    }
  if (i < from_rank || k < to_rank)
    group (i, from_rank, k, to_rank, user_data);
}

static void
split (AccSpace *space,
       int       d)
{
  if (d >= 0 && d + 1 < (int) space->rank)
    space->merged[d] = FALSE;
}

/* The elements that the node's dimensions up to @i, which others continue into, count. */
static gint64
count_dimension (const gint64 *extents,
                 const Origin *origins,
                 guint         i)
{
  gint64 n = extents[i];

  while (i > 0 && origins[i - 1].continues)
    n *= extents[--i];

  return n;
}

static void
check_neighbours (Walk   *self,
                  Visit  *visit)
{
  AccSpace *space = self->space;
  guint rank = visit->node->rank;

  for (int d = 0; d + 1 < (int) space->rank; d++)
    {
      int ends = -1, starts = -1;
      gboolean within = FALSE;

      if (!space->merged[d])
        continue;
      for (guint i = 0; i < rank; i++)
        {
          const Origin *origin = &visit->origins[i];

          if (origin->continues || origin->lo < 0)
            continue;
          if (origin->hi == d)
            ends = i;
          if (origin->lo == d + 1)
            starts = i;
          within |= origin->lo <= d && origin->hi > d;
        }
      if (within || (ends < 0 && starts < 0))
        continue;
      if (ends >= 0 && starts >= 0)
        {
          int next = ends + 1;

          while (next < (int) rank && visit->origins[next].continues)
            next++;
          if (next == starts &&
              count_dimension (visit->node->extents, visit->origins, starts) ==
                acc_extents_multiply (space->extents, visit->origins[starts].lo, visit->origins[starts].hi + 1))
            continue;
        }
      split (space, d);
    }
}

/* The index is taken apart here. */
static void
need_components (Walk  *self,
                 Visit *visit)
{
  for (guint i = 0; i < visit->node->rank; i++)
    if (!visit->origins[i].continues && visit->origins[i].lo >= 0)
      {
        split (self->space, visit->origins[i].lo - 1);
        split (self->space, visit->origins[i].hi);
      }
}

static void
push (Walk          *self,
      AccFusionNode *node,
      Origin        *origins,
      gboolean       root)
{
  GPtrArray *known = g_hash_table_lookup (self->seen, node);

  if (known == NULL)
    {
      known = g_ptr_array_new_with_free_func (g_free);
      g_hash_table_insert (self->seen, node, known);
    }
  for (guint i = 0; i < known->len; i++)
    if (memcmp (g_ptr_array_index (known, i), origins, node->rank * sizeof (Origin)) == 0)
      {
        g_free (origins);
        return;
      }
  if (known->len >= 4)
    {
      for (guint d = 0; d < self->space->rank; d++)
        split (self->space, d);
      g_free (origins);
      return;
    }
  g_ptr_array_add (known, origins);
  g_array_append_vals (self->stack, &(Visit) { node, origins, root }, 1);
}

typedef struct {
  const Origin *from;
  Origin       *to;
} Reshaping;

static void
reshape_group (guint    from_begin,
               guint    from_end,
               guint    to_begin,
               guint    to_end,
               gpointer user_data)
{
  Reshaping *reshaping = user_data;
  Origin whole = { -1, -1, FALSE };
  gboolean known = from_begin < from_end;

  for (guint i = from_begin; i < from_end; i++)
    {
      const Origin *origin = &reshaping->from[i];

      if (origin->continues)
        continue;
      known &= origin->lo >= 0 && (whole.hi < 0 || whole.hi + 1 == origin->lo);
      if (whole.hi < 0)
        whole.lo = origin->lo;
      whole.hi = origin->hi;
    }
  if (!known)
    whole.lo = whole.hi = -1;
  for (guint i = to_begin; i < to_end; i++)
    {
      reshaping->to[i] = whole;
      reshaping->to[i].continues = i + 1 < to_end;
    }
}

static Origin *
get_input_origins (Walk          *self,
                   Visit         *visit,
                   AccFusionNode *input)
{
  AccArray *array = visit->node->array;
  Origin *origins = g_new0 (Origin, input->rank + 1);
  guint kept = 0;

  for (guint i = 0; i < input->rank; i++)
    origins[i].lo = origins[i].hi = -1;

  if (array->op == ACC_OP_SLICE)
    {
      for (guint i = 0; i < input->rank; i++)
        if (acc_array_get_selection (array)->entries[i] == ACC_ALL)
          origins[i] = visit->origins[kept++];
    }
  else if (array->op == ACC_OP_REPLICATE)
    {
      for (guint i = 0; i < visit->node->rank; i++)
        if (acc_array_get_selection (array)->entries[i] == ACC_ALL)
          origins[kept++] = visit->origins[i];
    }
  else if (array->op == ACC_OP_RESHAPE)
    {
      if (visit->node->size > 0)
        acc_extents_match (visit->node->extents, visit->node->rank, input->extents, input->rank, reshape_group,
                           &(Reshaping) { visit->origins, origins });
    }
  else if (acc_operation_get_family (array->op) != ACC_FAMILY_GATHER && !acc_operation_has_fact (array->op, ACC_FACT_FOLDS_ALL))
    {
      for (guint i = 0; i < MIN (visit->node->rank, input->rank); i++)
        origins[i] = visit->origins[i];
    }

  return origins;
}

static gboolean
takes_index_apart (AccArray *array)
{
  if (acc_operation_get_family (array->op) == ACC_FAMILY_GATHER)
    return array->op != ACC_OP_SLICE && array->op != ACC_OP_REPLICATE;

  return acc_operation_has_fact (array->op, ACC_FACT_TAKES_INDEX) && acc_function_uses_param (array->functions[0], 0);
}

static gboolean
is_stopped_at (Walk  *self,
               Visit *visit)
{
  AccOperation op = visit->node->array->op;

  if (visit->node->is_value && !visit->root)
    return TRUE;
  if (acc_fusion_node_is_fold (visit->node))
    return acc_fusion_graph_get_fold_form (self->graph, visit->node) != ACC_FOLD_SHORT;

  return acc_operation_has_fact (op, ACC_FACT_ANCHORS) && acc_operation_get_family (op) != ACC_FAMILY_STENCIL;
}

static void
walk (Walk *self)
{
  while (self->stack->len > 0)
    {
      Visit visit = g_array_index (self->stack, Visit, self->stack->len - 1);
      AccArray *array = visit.node->array;
      gboolean is_stencil = acc_operation_get_family (array->op) == ACC_FAMILY_STENCIL;

      g_array_set_size (self->stack, self->stack->len - 1);
      check_neighbours (self, &visit);
      if (is_stopped_at (self, &visit))
        continue;
      if (takes_index_apart (array))
        need_components (self, &visit);
      if (is_stencil && !acc_cluster_has_anchor (self->cluster, visit.node))
        {
          need_components (self, &visit);
        }
      else if (is_stencil)
        {
          self->stencils = TRUE;
          for (guint i = 0; i < array->n_inputs; i++)
            for (guint d = 1; d < self->space->rank; d++)
              if (acc_array_get_stencil (array)->sizes[i][d] > 1)
                split (self->space, d - 1);
        }
      for (guint i = 0; i < array->n_inputs; i++)
        {
          AccFusionNode *input = visit.node->inputs[i];

          push (self, input, get_input_origins (self, &visit, input), FALSE);
        }
    }
}

static Walk *
walk_new (AccFusionGraph *graph,
          AccCluster     *cluster,
          const gint64   *extents,
          guint           rank)
{
  Walk *self = g_new0 (Walk, 1);

  self->graph = graph;
  self->cluster = cluster;
  self->space = g_new0 (AccSpace, 1);
  self->space->rank = rank;
  self->space->short_inner = 1;
  self->space->extents = g_memdup2 (extents, MAX (rank, 1) * sizeof (gint64));
  self->space->merged = g_new0 (gboolean, rank + 1);
  for (guint d = 0; d + 1 < rank; d++)
    self->space->merged[d] = TRUE;
  self->stack = g_array_new (FALSE, FALSE, sizeof (Visit));
  self->seen = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);

  return self;
}

static void
start (Walk          *self,
       AccFusionNode *node,
       gboolean       root)
{
  Origin *origins = g_new0 (Origin, node->rank + 1);

  for (guint i = 0; i < node->rank; i++)
    origins[i] = (Origin) { i, i, FALSE };
  push (self, node, origins, root);
}

static AccSpace *
finish (Walk *self)
{
  AccSpace *space = self->space;

  space->first_inner = space->rank > 0 ? space->rank - 1 : 0;
  while (space->first_inner > 0 && space->merged[space->first_inner - 1])
    space->first_inner--;

  space->outer = acc_extents_multiply (space->extents, 0, space->first_inner);
  space->inner = acc_extents_multiply (space->extents, space->first_inner, space->rank);
  space->n_rows = space->rank > 0 ? space->extents[0] : 1;
  space->units_per_row = space->rank > 0
                         ? acc_extents_multiply (space->extents, 1, space->first_inner > 0 ? space->first_inner : space->rank) : 1;

  g_array_unref (self->stack);
  g_hash_table_unref (self->seen);
  g_free (self);

  return space;
}

AccSpace *
acc_space_new_for_roots (AccFusionGraph *graph,
                         AccCluster     *cluster)
{
  Walk *self = walk_new (graph, cluster, cluster->extents, cluster->rank);
  AccSpace *space = self->space;

  for (guint i = 0; i < cluster->roots->len; i++)
    {
      AccRoot *root = &g_array_index (cluster->roots, AccRoot, i);

      if (!root->beside)
        start (self, root->node, TRUE);
    }
  walk (self);

  /* A stencil reaches over the head of the inner run only. */
  if (self->stencils)
    {
      guint first = space->rank - 1;

      while (first > 0 && space->merged[first - 1])
        first--;
      for (guint a = 0; a < cluster->anchors->len; a++)
        {
          AccFusionNode *anchor = g_ptr_array_index (cluster->anchors, a);

          for (guint i = 0; i < anchor->array->n_inputs; i++)
            for (guint d = 0; d < first; d++)
              if (acc_array_get_stencil (anchor->array)->sizes[i][d] > 1)
                split (space, d);
        }
    }
  else if (space->rank > 1 && space->extents[space->rank - 1] <= 16)
    {
      /* Too short for a loop of its own: taking the index apart costs less. */
      if (!space->merged[space->rank - 2])
        space->short_inner = MAX (space->extents[space->rank - 1], 1);
      space->merged[space->rank - 2] = TRUE;
    }

  return finish (self);
}

AccSpace *
acc_space_new_for_consumed (AccFusionGraph *graph,
                            AccCluster     *cluster,
                            gboolean        rows)
{
  AccFusionNode *consumed = cluster->consumed;
  Walk *self = walk_new (graph, cluster, consumed->extents, consumed->rank);

  if (rows && consumed->rank > 1)
    split (self->space, consumed->rank - 2);
  for (guint i = 0; i < cluster->anchors->len; i++)
    {
      AccFusionNode *anchor = g_ptr_array_index (cluster->anchors, i);

      for (guint k = 0; k < anchor->array->n_inputs; k++)
        if (k != 1 || !(anchor->array->op == ACC_OP_PERMUTE || acc_fusion_node_is_segmented (anchor)))
          start (self, anchor->inputs[k], FALSE);
    }
  for (guint i = 0; i < cluster->roots->len; i++)
    if (g_array_index (cluster->roots, AccRoot, i).beside)
      start (self, g_array_index (cluster->roots, AccRoot, i).node, TRUE);
  walk (self);
  if (!rows && consumed->rank > 1 && consumed->extents[consumed->rank - 1] <= 16)
    self->space->merged[consumed->rank - 2] = TRUE;

  return finish (self);
}

void
acc_space_free (AccSpace *self)
{
  g_free (self->extents);
  g_free (self->merged);
  g_free (self);
}
