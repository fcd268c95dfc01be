/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower.h"

#include <string.h>

/* Lowers an element of a fold: one loop, or none where there are few. */

static AccIndex *
index_of_fold (AccLower       *l,
               AccFusionNode  *node,
               const AccIndex *ix,
               KValue          k)
{
  AccFusionNode *input = node->inputs[0];
  AccIndex *to;

  if (node->rank + 1 == input->rank && node->rank > 0)
    {
      int *map = low_alloc (l, input->rank * sizeof (int));
      KValue *fixed = low_alloc (l, input->rank * sizeof (KValue));

      for (guint d = 0; d < node->rank; d++)
        map[d] = d;
      map[node->rank] = -1;
      fixed[node->rank] = k;
      return low_index_remap (l, ix, node->extents, map, fixed, input->extents, input->rank);
    }

  to = low_index_new (l, input->rank);
  if (input->rank > 0)
    to->at[input->rank - 1] = k;
  to->row_error = ix->row_error;
  low_index_lose_rows (l, to, node, "reads all rows at once");

  return to;
}

static void
fold_step (AccLower       *l,
           AccFusionNode  *node,
           const AccIndex *ix,
           KValue          k,
           KValue         *sum)
{
  AccFusionNode *input = node->inputs[0];
  AccIndex *at = index_of_fold (l, node, ix, k);
  guint n = acc_element_type_get_n_leaves (node->array->type);
  KValue *element = low_alloc (l, MAX (n, 1) * sizeof (KValue));

  for (guint i = 0; i < n; i++)
    element[i] = low_read (l, input, at, i);
  if (n > 0 && sum[0].id == 0)
    memcpy (sum, element, n * sizeof (KValue));
  else
    low_apply2 (l, node, node->array->functions[0], sum, element, sum);
}

void
low_read_fold (AccLower       *l,
               AccFusionNode  *node,
               const AccIndex *ix,
               KValue         *leaves)
{
  AccFusionNode *input = node->inputs[0];
  gint64 n = node->rank + 1 == input->rank ? input->extents[node->rank] : input->size;
  guint n_leaves = acc_element_type_get_n_leaves (node->array->type);
  KValue *sum = low_alloc (l, MAX (n_leaves, 1) * sizeof (KValue)), *seed = NULL;
  gint64 first = 0;

  if (node->rank == 0)
    n = input->size;
  if (node->array->n_functions > 1 && node->array->functions[1] != NULL)
    {
      seed = low_alloc (l, MAX (n_leaves, 1) * sizeof (KValue));
      low_apply0 (l, node, node->array->functions[1], seed);
    }
  /* Processors put the initial value in front in the end, as they do for long rows. */
  if (seed != NULL && (n == 0 || l->fusion->graph->for_groups))
    memcpy (sum, g_steal_pointer (&seed), n_leaves * sizeof (KValue));
  else
    fold_step (l, node, ix, low_const (l, first++), sum);

  if (n <= 16)
    {
      for (gint64 k = first; k < n; k++)
        fold_step (l, node, ix, low_const (l, k), sum);
    }
  else
    {
      KVar *vars = low_alloc (l, MAX (n_leaves, 1) * sizeof (KVar));

      for (guint i = 0; i < n_leaves; i++)
        vars[i] = kb_var (l->b, sum[i]);
      low_for (l, k, low_const (l, first), low_number (l, n))
        {
          low_within (l, k, first, n - 1);
          for (guint i = 0; i < n_leaves; i++)
            sum[i] = kb_get (l->b, vars[i]);
          fold_step (l, node, ix, k, sum);
          for (guint i = 0; i < n_leaves; i++)
            kb_set (l->b, vars[i], sum[i]);
        }
      for (guint i = 0; i < n_leaves; i++)
        sum[i] = kb_get (l->b, vars[i]);
    }
  if (seed != NULL)
    low_apply2 (l, node, node->array->functions[0], seed, sum, sum);

  for (guint i = 0; i < n_leaves; i++)
    low_keep (l, &leaves[i], sum[i]);
}
