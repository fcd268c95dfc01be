/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-fusion-graph.h"

/* A cluster is what one step computes. Its space is the index space of its roots; nodes that are not values are inlined. */

typedef enum {
  ACC_CLUSTER_MAP,        /* element-wise; stencils are anchors of it, too */
  ACC_CLUSTER_FOLD,       /* rows of the consumed array, each into one element of the space */
  ACC_CLUSTER_FOLD_COLUMNS, /* the same, whose elements come row by row of a source */
  ACC_CLUSTER_FOLD_ALL,   /* all of the consumed array into one element; the space has rank 0 */
  ACC_CLUSTER_FOLD_SEG,   /* segments of rows of the consumed array, each into one element of the space */
  ACC_CLUSTER_MATMUL,     /* products of matrices, which are the space */
  ACC_CLUSTER_FFT,        /* transforms along a dimension of the space */
  ACC_CLUSTER_SCAN_SEG,   /* segments of rows */
  ACC_CLUSTER_SCAN,
  ACC_CLUSTER_PERMUTE,
  ACC_CLUSTER_SORT,       /* rows of the consumed array, which is as large as the space */
} AccClusterKind;

typedef struct {
  AccFusionNode *node;
  guint          value;   /* number in the schedule */
  gboolean       beside;  /* what is consumed, whose extents it has: stored on the way, by folds on the CPU */
} AccRoot;

struct _AccCluster {
  AccClusterKind kind;
  GArray        *roots;        /* AccRoot, at least one, which is beside nothing; those are of equal extents */
  GPtrArray     *anchors;      /* AccFusionNode: inlined stencils, long and full folds, scans */
  guint          rank;
  const gint64  *extents;      /* of its roots */
  AccFusionNode *offsets;      /* of the segments by which the space, or what a fold of segments consumes, is walked; NULL: by none. Then
                                * numbers of segments are known there */
  AccFusionNode *consumed;     /* by folds, scans, permutes and sorts: the input whose index space they walk */
  GPtrArray     *reads;        /* AccFusionNode: values that it reads, each once, in their order */
  gboolean       from_source;
  double         cost;
  guint          n_nodes;
  guint          level;
  gboolean       has_level;
};

/* Whether the space is walked as the node's elements lie. Stencils of which little is read are none. */
gboolean   acc_cluster_has_anchor (AccCluster *self, AccFusionNode *node);

gboolean   acc_cluster_reads      (AccCluster *self, AccFusionNode *value);

/* Whether a fold also stores arrays of the extents of its input. */
gboolean   acc_cluster_stores_beside (AccCluster *self);

/* Decides which nodes are values, and returns the clusters that compute them, inputs first. @results: nodes that must be values, without
 * reshapes. */
GPtrArray *acc_fusion_graph_cut (AccFusionGraph *graph, AccFusionNode **results, guint n_results);

/* The node behind reshapes: the first that is none. */
AccFusionNode *acc_fusion_graph_strip (AccFusionGraph *graph, AccFusionNode *node);
