/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-skeletons.h"

#define ACC_PRODUCT_MAX_LEAVES 2

/* Shared by the skeletons of matrix products: a step whose anchor is @outer products of m × k and k × n. */
typedef struct {
  AccStep       *step;
  AccFusionNode *node, *left, *right;
  guint          n_leaves;        /* 2: complex numbers */
  AccElementKind kind;            /* of sums */
  gsize          size;            /* of a leaf of them */
  gint64         m, n, k, outer;
} AccProduct;

/* FALSE: there is nothing to compute. */
gboolean  acc_product_init      (AccProduct *self, AccStep *step);
/* The index of a matrix of @node, of the @outer-th where there are several. */
AccIndex *acc_product_get_index (AccProduct *self, AccLower *l, AccFusionNode *node, KValue outer, KValue row, KValue column);
/* sum = sum + x y, by leaves */
void      acc_product_add       (AccProduct *self, AccLower *l, const KValue *x, const KValue *y, KValue *sum);
/* Stores what is made of an element of the result. */
void      acc_product_store     (AccProduct *self, AccLower *l, KValue outer, KValue row, KValue column, const KValue *sum);

/* By groups of threads. */
void      acc_skeleton_matmul_simt (AccProduct *product);
