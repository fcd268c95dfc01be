/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-transposed.h"

#include "acc-backends/fuse/acc-function-facts.h"

/* Whether neighbours of the input are neighbours along the last dimension but one. */
static gboolean
is_across (AccFusionNode *node,
           AccFusionNode *input)
{
  AccFunction *function = node->array->functions[0];
  guint leaf = input->rank - 1;
  AccExpr *expr;

  if (node->rank < 2 || input->rank < 2 || acc_element_type_get_n_leaves (function->body->type) != input->rank)
    return FALSE;
  for (guint d = 0; d + 1 < input->rank; d++)
    {
      guint other = d;

      /* Affine in itself alone: the other dimensions do not change along a row of threads. */
      if (acc_expr_resolve_leaf (function->body, &other) != function->params[0] || other == node->rank - 2)
        return FALSE;
    }
  expr = acc_expr_resolve_leaf (function->body, &leaf);

  return expr == function->params[0] && leaf == node->rank - 2;
}

gboolean
acc_transposed_reads_across (AccFusionNode *node)
{
  while (!node->is_value && (node->array->op == ACC_OP_MAP || node->array->op == ACC_OP_IMAP))
    node = node->inputs[0];

  return !node->is_value && node->array->op == ACC_OP_BACKPERMUTE && is_across (node, node->inputs[0]);
}

static void
collect (AccTransposed *self,
         AccFusionNode *node,
         guint          rank)
{
  AccArray *array = node->array;

  if (array->op == ACC_OP_BACKPERMUTE)
    {
      AccFusionNode *input = node->inputs[0];
      gboolean known = FALSE;

      for (guint i = 0; i < self->n_nodes; i++)
        known |= self->nodes[i] == node;
      if (!known && self->n_nodes < ACC_TRANSPOSED_MAX && input->is_value && node->rank == rank && is_across (node, input))
        self->nodes[self->n_nodes++] = node;
      return;
    }

  for (guint i = 0; i < array->n_inputs; i++)
    {
      AccFusionNode *input = node->inputs[i];

      if (!input->is_value && input->access == ACC_ACCESS_SPACE)
        collect (self, input, rank);
    }
}

void
acc_transposed_find (AccTransposed  *self,
                     AccStep        *step,
                     const AccSpace *space)
{
  GArray *roots = step->cluster->roots;

  self->n_nodes = 0;
  for (guint i = 0; i < roots->len; i++)
    collect (self, g_array_index (roots, AccRoot, i).node, space->rank);
}

guint
acc_transposed_count_leaves (const AccTransposed *self,
                             guint                node)
{
  return acc_element_type_get_n_leaves (self->nodes[node]->array->type);
}

gsize
acc_transposed_get_bytes (const AccTransposed *self,
                          guint               *widest)
{
  gsize bytes = 0;

  *widest = 1;
  for (guint i = 0; i < self->n_nodes; i++)
    for (guint leaf = 0; leaf < acc_transposed_count_leaves (self, i); leaf++)
      {
        guint size = acc_element_kind_get_size (acc_element_type_get_leaf (self->nodes[i]->array->type, leaf));

        *widest = MAX (*widest, size);
        bytes += size;
      }

  return bytes;
}

KValue
acc_transposed_read (const AccTransposed *self,
                     AccLower            *l,
                     guint                node,
                     AccIndex            *ix,
                     guint                leaf)
{
  return self->nodes[node]->is_value ? low_compute (l, self->nodes[node], ix, leaf) : low_read (l, self->nodes[node], ix, leaf);
}
