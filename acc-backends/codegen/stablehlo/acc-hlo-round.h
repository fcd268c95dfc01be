/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-hlo-array.h"

/* Leading extents that are rounded up in the text, so that one module serves many lengths: the true ones come with the call. While a module
 * is written, .extents and .size of such nodes are the rounded ones. What is in the rows behind the true ones has no meaning, and must
 * neither fail nor go into others. */

typedef struct {
  gint64      n;          /* the true one */
  AccHloValue value;      /* a scalar i64 */
} AccHloLength;

/* Rounds up powers of two, of large numbers quarters of them. 0 stays what it is. */
gint64              acc_hlo_round_up      (gint64 n);
/* Rounds the leading extents of those of @changing (AccFusionNode) up that may be; @header gets the argument that tells the true ones. */
void                acc_hlo_round_nodes   (AccHlo *self, GHashTable *changing, GString *header);
/* The nodes are as they were before. */
void                acc_hlo_restore_nodes (AccHlo *self);
/* NULL: the node's extents are the true ones. */
const AccHloLength *acc_hlo_get_length    (AccHlo *self, const AccFusionNode *node);
gint64              acc_hlo_true_extent   (AccHlo *self, const AccFusionNode *node, guint dimension);
/* The true number of elements of a node that is rounded. */
AccHloLength        acc_hlo_count_elements (AccHlo *self, const AccFusionNode *node);
/* Which elements of @shape are in rows of @node; NULL: all. */
AccHloValue         acc_hlo_mask_rows     (AccHlo *self, const AccFusionNode *node, AccHloShape shape);
/* The same of a vector of all elements of a node that is rounded, in row-major order. */
AccHloValue         acc_hlo_mask_elements (AccHlo *self, const AccFusionNode *node);
/* Whether an operation can be written where extents of the node and of its inputs are rounded as they are now. */
gboolean            acc_hlo_takes_rounded (AccHlo *self, AccFusionNode *node);
/* Calls @write with the true extents of @node and its inputs, and rounds the results. */
void                acc_hlo_write_exactly (AccHlo *self, AccFusionNode *node, AccHloWrite write, AccHloValue *results);
