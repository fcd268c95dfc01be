/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-cluster.h"

/* Limits of one kernel. */
#define ACC_CLUSTER_MAX_NODES       512
#define ACC_CLUSTER_MAX_COST        1024
#define ACC_CLUSTER_MAX_DEPTH       128
/* Operations per element beyond which a parallel step of its own is better than a scalar loop. */
#define ACC_CLUSTER_MAX_SERIAL_COST 8
/* The same for lanes, of which one waits for the other. */
#define ACC_CLUSTER_MAX_LANES_COST  32
/* Nor what is written out for every element of a transform that a thread holds. */
#define ACC_CLUSTER_MAX_TRANSFORMED_COST 48
/* The element of a fold is written several times, and what takes long anyway gains little from fewer bytes. */
#define ACC_CLUSTER_MAX_BESIDE_COST 256
/* Of maps that read nothing and are one kernel */
#define ACC_CLUSTER_MAX_UNREAD_COST 64
#define ACC_CLUSTER_MAX_STENCILS    16
/* Elements of a stencil, of all, that are computed in another order than along its rows. */
#define ACC_CLUSTER_MAX_PART        0.5
#define ACC_CLUSTER_MAX_ROOT_LEAVES 8

typedef struct {
  AccFusionGraph *graph;
  GPtrArray      *clusters;   /* AccCluster in the order in which they are made, consumers first; NULL: it is another one's part now */
  GArray         *owners;     /* int, per cluster: whose part it is, or its own number */
  gboolean        fuse;
} AccCutter;

/* What cluster number @cluster became part of. */
int            acc_cutter_find         (AccCutter *self, int cluster);
AccCluster    *acc_cutter_get          (AccCutter *self, int cluster);
gboolean       acc_fusion_node_has_extents_of (AccFusionNode *a, AccFusionNode *b);
/* Whether a permute is a filter whose elements processors write in lanes. */
gboolean       acc_fusion_node_packs   (AccFusionNode *permute);
/* Calls @each for what has, or must have, memory for the elements that the node's scalar functions read. */
void           acc_cutter_visit_references (AccCutter *self, AccFusionNode *node,
                                            void (*each) (AccFusionNode *reference, gpointer user_data), gpointer user_data);
/* Stencils, scans, permutes, sorts, and folds that are no loop per element: what decides how a step runs. */
gboolean       acc_cutter_is_anchor    (AccCutter *self, AccFusionNode *node);
/* Whether an anchor can become the cluster's, which is of kind @kind then. */
gboolean       acc_cutter_can_join     (AccCutter *self, AccCluster *cluster, AccFusionNode *node, AccClusterKind *kind);
void           acc_cluster_free        (AccCluster *self);

/* --- acc-cluster-demand.c */

/* What a node asks of its inputs. */
typedef struct {
  int       cluster;
  AccAccess access;
  double    visits;
  guint     depth;
} AccDemand;

void           acc_cutter_ask_inputs    (AccCutter *self, AccFusionNode *node, AccDemand demand);
/* Joins the demands of all readers of the node; some may be one cluster by now. */
void           acc_cutter_gather        (AccCutter *self, AccFusionNode *node);
/* Whether who reads the numbers of segments walks along these. */
gboolean       acc_cutter_walks         (AccCutter *self, AccFusionNode *numbers, const AccReader *reader);
/* Whether @cluster reads numbers of others than the element that it is at, too, which it cannot know. */
gboolean       acc_cutter_reads_elsewhere (AccCutter *self, AccFusionNode *numbers, AccCluster *cluster);
/* Makes all walk along segments that can, where they read the numbers of these. Whether all do, so that numbers need no memory. */
gboolean       acc_cutter_inline_numbers (AccCutter *self, AccFusionNode *node);

/* --- acc-cluster-merge.c */

/* Makes one cluster of all that read the node, if all of them read it at one index and may be one cluster. */
gboolean       acc_cutter_merge_readers (AccCutter *self, AccFusionNode *node);
/* A cluster that reads the node at its own index, or at that of what it consumes, and can store it as well. */
gboolean       acc_cutter_find_host     (AccCutter *self, AccFusionNode *node, AccReader *host);
/* After all nodes are decided: what clusters read, and clusters in the order in which they run. */
void           acc_cutter_order         (AccCutter *self);
/* Makes one cluster of neighbours in that order that may be one. */
void           acc_cutter_merge_neighbours (AccCutter *self);
