/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-product.h"

/* Sums of f2 are kept in f4; those of small integers, which wrap, in what devices have registers for. */
static AccElementKind
get_kind_of_sums (AccProduct     *self,
                  AccElementKind  kind)
{
  if (kind == ACC_KIND_F16 && self->n_leaves == 1)
    return ACC_KIND_F32;
  if (acc_skeleton_is_simt (self->step) && !acc_element_kind_is_float (kind) && acc_element_kind_get_size (kind) < 4)
    return ACC_KIND_U32;

  return kind;
}

gboolean
acc_product_init (AccProduct *self,
                  AccStep    *step)
{
  AccFusionNode *node = g_ptr_array_index (step->cluster->anchors, 0);
  AccElementType *type = node->array->type;

  step->n_rows = node->extents[0];
  if (node->size == 0 || !acc_skeleton_has_leaves (step))
    return FALSE;

  *self = (AccProduct) {
    .step = step, .node = node, .left = node->inputs[0],
    .right = node->inputs[1], .n_leaves = acc_element_type_get_n_leaves (type),
  };
  self->kind = get_kind_of_sums (self, acc_element_type_get_leaf (type, 0));
  self->size = acc_element_kind_get_size (self->kind);
  self->m = node->extents[node->rank - 2];
  self->n = node->extents[node->rank - 1];
  self->k = self->left->extents[self->left->rank - 1];
  self->outer = node->size / (self->m * self->n);

  return TRUE;
}

AccIndex *
acc_product_get_index (AccProduct    *self,
                       AccLower      *l,
                       AccFusionNode *node,
                       KValue         outer,
                       KValue         row,
                       KValue         column)
{
  AccIndex *ix = low_index_new (l, node->rank);

  if (node->rank > 2)
    ix->at[node->rank - 3] = outer;
  ix->at[node->rank - 2] = low_within (l, row, 0, MAX (node->extents[node->rank - 2], 1) - 1);
  ix->at[node->rank - 1] = low_within (l, column, 0, MAX (node->extents[node->rank - 1], 1) - 1);
  /* A row of the result is made of one row of the left factor. */
  if (node == self->right || node->rank != self->node->rank)
    low_index_lose_rows (l, ix, self->node, "needs all of its rows");

  return ix;
}

static KValue
multiply_add (AccProduct *self,
              AccLower   *l,
              KValue      x,
              KValue      y,
              KValue      sum)
{
  gboolean fused = l->fusion->target->has_fma && (self->kind == ACC_KIND_F32 || self->kind == ACC_KIND_F64);

  return fused ? kb_fma (l->b, x, y, sum) : kb_add (l->b, sum, kb_mul (l->b, x, y));
}

void
acc_product_add (AccProduct   *self,
                 AccLower     *l,
                 const KValue *x,
                 const KValue *y,
                 KValue       *sum)
{
  sum[0] = multiply_add (self, l, x[0], y[0], sum[0]);
  if (self->n_leaves == 1)
    return;
  sum[0] = multiply_add (self, l, kb_prim (l->b, ACC_PRIM_NEG, x[1]), y[1], sum[0]);
  sum[1] = multiply_add (self, l, x[0], y[1], sum[1]);
  sum[1] = multiply_add (self, l, x[1], y[0], sum[1]);
}

void
acc_product_store (AccProduct   *self,
                   AccLower     *l,
                   KValue        outer,
                   KValue        row,
                   KValue        column,
                   const KValue *sum)
{
  AccIndex *ix = acc_product_get_index (self, l, self->node, outer, row, column);
  KValue *known = low_alloc (l, ACC_PRODUCT_MAX_LEAVES * sizeof (KValue));

  for (guint leaf = 0; leaf < self->n_leaves; leaf++)
    known[leaf] = low_cast (l, acc_element_type_get_leaf (self->node->array->type, leaf), sum[leaf]);
  low_know (l, self->node, ix, known);
  low_store_roots (l, ix);
}
