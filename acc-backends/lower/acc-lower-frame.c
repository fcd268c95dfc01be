/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower-expr.h"

/* What the variables of a function stand for. */

AccFrame *
low_frame_new (AccLower      *l,
               AccFusionNode *node)
{
  AccFrame *frame = low_alloc (l, sizeof (AccFrame));

  frame->node = node;
  frame->origin = acc_fusion_get_origin (l->fusion, node->array);

  return frame;
}

AccMemo *
low_expr_memo (AccLower *l,
               AccFrame *frame,
               AccExpr  *expr)
{
  return low_memo (l, frame, expr, NULL, 0, acc_element_type_get_n_leaves (expr->type));
}

void
low_bind_values (AccLower     *l,
                 AccFrame     *frame,
                 AccExpr      *variable,
                 const KValue *leaves)
{
  AccMemo *memo = low_expr_memo (l, frame, variable);

  for (guint i = 0; i < acc_element_type_get_n_leaves (variable->type); i++)
    low_keep (l, &memo->leaves[i], leaves[i]);
}

void
low_bind_element (AccLower       *l,
                  AccFrame       *frame,
                  AccExpr        *variable,
                  AccFusionNode  *node,
                  const AccIndex *ix)
{
  low_expr_memo (l, frame, variable)->binding = (AccBinding) { .kind = ACC_BOUND_ELEMENT, .node = node, .ix = ix };
}

void
low_bind_index (AccLower       *l,
                AccFrame       *frame,
                AccExpr        *variable,
                const AccIndex *ix,
                const gint64   *extents)
{
  low_expr_memo (l, frame, variable)->binding = (AccBinding) { .kind = ACC_BOUND_INDEX, .ix = ix, .extents = extents };
}

void
low_bind_taps (AccLower       *l,
               AccFrame       *frame,
               AccExpr        *variable,
               AccFusionNode  *stencil,
               guint           input,
               const AccIndex *ix)
{
  low_expr_memo (l, frame, variable)->binding = (AccBinding) { .kind = ACC_BOUND_TAPS, .node = stencil, .input = input, .ix = ix };
}

KValue *
low_expr_slot (AccLower  *l,
               AccFrame  *frame,
               AccExpr  **expr,
               guint     *leaf)
{
  *expr = acc_expr_resolve_leaf (*expr, leaf);

  return &low_expr_memo (l, frame, *expr)->leaves[*leaf];
}

const AccBinding *
low_expr_binding (AccLower *l,
                  AccFrame *frame,
                  AccExpr  *variable)
{
  return &low_expr_memo (l, frame, variable)->binding;
}
