/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-skeletons.h"

#define ACC_TRANSPOSED_MAX 4

/* Finds what an element-wise step reads along another dimension than it writes: backpermutes of values, whose neighbours along the last
 * dimension but one of the step are neighbours in memory. */
typedef struct {
  AccFusionNode *nodes[ACC_TRANSPOSED_MAX];
  guint          n_nodes;
} AccTransposed;

/* Whether that is what @node is, but for maps of it. */
gboolean acc_transposed_reads_across (AccFusionNode *node);
void    acc_transposed_find         (AccTransposed *self, AccStep *step, const AccSpace *space);
guint   acc_transposed_count_leaves (const AccTransposed *self, guint node);
/* Of an element of all nodes; the largest of a leaf. */
gsize   acc_transposed_get_bytes    (const AccTransposed *self, guint *widest);
/* Reads leaf @leaf of node @node at @ix, from memory. */
KValue  acc_transposed_read         (const AccTransposed *self, AccLower *l, guint node, AccIndex *ix, guint leaf);
