/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-cluster.h"

/* An index space as a kernel walks it: neighbouring dimensions that every access takes in one piece are merged. Dimensions from first_inner
 * on are one run of inner elements; those before are outer units. */
typedef struct {
  guint     rank;
  gint64   *extents;
  gboolean *merged;        /* merged[d]: d and d + 1 are counted together */
  guint     first_inner;
  gint64    outer, inner;
  gint64    short_inner;   /* extent of the last dimension if it is too short for a loop: it is merged with the one before, and split
                            * again; else 1 */
  gint64    n_rows;        /* extent of dimension 0; 1 for rank 0 */
  gint64    units_per_row; /* outer units, or inner elements where first_inner is 0 */
} AccSpace;

/* The space of the cluster's roots. */
AccSpace *acc_space_new_for_roots    (AccFusionGraph *graph, AccCluster *cluster);
/* The space of what its anchors (or its permute) consume. @rows: keep the last dimension apart, and all of it inner. */
AccSpace *acc_space_new_for_consumed (AccFusionGraph *graph, AccCluster *cluster, gboolean rows);
void      acc_space_free             (AccSpace *self);
/* Elements of the dimensions [begin, end). */
gint64    acc_extents_multiply       (const gint64 *extents, guint begin, guint end);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccSpace, acc_space_free)

/* Calls @group for the smallest groups of neighbouring dimensions of both shapes that have as many elements. Both have equal
 * sizes, not 0. */
void      acc_extents_match (const gint64 *from, guint from_rank, const gint64 *to, guint to_rank,
                             void (*group) (guint from_begin, guint from_end, guint to_begin, guint to_end, gpointer user_data),
                             gpointer user_data);
