/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-function-forms.h"
#include "acc-backends/schedule/acc-schedule.h"

/* The graph of one schedule: every node under the results, down to bound nodes, with its extents. */

typedef struct _AccFusionNode  AccFusionNode;
typedef struct _AccFusionGraph AccFusionGraph;
typedef struct _AccCluster     AccCluster;

/* At which index a cluster reads a node. */
typedef enum {
  ACC_ACCESS_OTHER,      /* any */
  ACC_ACCESS_SPACE,      /* the cluster's own */
  ACC_ACCESS_SOURCE,     /* that of what the cluster's fold, scan or permute consumes */
} AccAccess;

/* How a fold is done. */
typedef enum {
  ACC_FOLD_SHORT,        /* a loop per element of the result, like any producer */
  ACC_FOLD_LONG,         /* lanes along each row */
  ACC_FOLD_FULL,         /* everything to one element, tile by tile */
} AccFoldForm;

#define ACC_CLUSTER_NONE -1
#define ACC_CLUSTER_MANY -2

#define ACC_MAX_READERS 4

/* How one cluster reads a node. */
typedef struct {
  int       cluster;     /* or ACC_CLUSTER_MANY */
  AccAccess access;
  double    visits;      /* times that one element would be computed for it */
} AccReader;

struct _AccFusionNode {
  AccArray       *array;        /* borrowed */
  guint           position;     /* in topological order */
  guint           rank;
  gint64         *extents;
  AccFusionNode **inputs;       /* of .array; NULL where the graph ends before them */
  gint64          size;
  int             bound;        /* argument number, or -1 */

  gboolean        is_value;     /* has memory: given, or decided */
  gboolean        forced;       /* has memory whatever it costs */
  gboolean        alone;        /* and must be there before those who read it */
  AccStored       stored;
  AccFusionNode  *segments;     /* offsets, where the node is the numbers of their segments: who walks along these needs no numbers */
  AccCluster     *home;         /* computes it, where it has memory */
  gboolean        absorbs;      /* as a value it takes the stencil or fold in that it is computed from */
  guint           n_uses;       /* by inputs of others */
  gboolean        from_source;  /* rows of it depend on rows of a source */
  gboolean        is_turned;    /* they do along its last dimension */
  gboolean        folds_columns; /* a fold of such, which takes rows as they come */
  double          own_cost;     /* operations per element, without those of inlined producers */
  double          cost;         /* with them */
  int             value;        /* number in the schedule once it is known there, -1 before */

  /* The demands of consumers, gathered before the node is decided: consumers come first. */
  guint           n_readers;
  AccReader       readers[ACC_MAX_READERS];
  gboolean        is_read_widely;   /* by more */
  gboolean        is_read_near;     /* by stencils that see few of its rows at a time */
  gboolean        is_read_far;      /* by others */

  /* While it is looked for what clusters read: the last that came by it, and the last that reads it. */
  AccCluster     *seen_by;
  AccCluster     *read_by;

  /* The same, all together */
  int             cluster;      /* the one that reads it, or ACC_CLUSTER_* */
  AccAccess       access;
  double          visits;       /* times that one element would be computed if it were not stored */
  guint           depth;        /* of inlining */
};

struct _AccFusionGraph {
  GPtrArray  *nodes;            /* AccFusionNode, inputs first */
  GHashTable *table;            /* AccArray → AccFusionNode */
  AccFunctionForms *forms;      /* of their functions */
  GArray     *data_extents;     /* AccDataExtents */
  GHashTable *asked_extents;    /* AccArray → gint64 per dimension: of those not bound that the data's extents were found with */
  GHashTable *reached;          /* AccArray: what operations in place of compositions may read */
  gboolean    has_sources;
  guint       n_stencils;
  gboolean    for_groups;       /* of threads, which share rows that a lane would go along alone */
  gboolean    by_rows;          /* as AccTarget has it */
  gboolean    for_modules;      /* products, transforms and folds of segments alone, of those */
  gboolean    narrow_modules;   /* as AccTarget has it */
};

/* @forms: nullable; those that functions of the same program were given before. */
AccFusionGraph *acc_fusion_graph_new  (const AccTarget *target, AccFunctionForms *forms, AccArray **results, guint n_results,
                                       AccArray **bound, AccArray **values, guint n_bound, GError **error);
void            acc_fusion_graph_free (AccFusionGraph *self);
AccFusionNode  *acc_fusion_graph_get  (AccFusionGraph *self, AccArray *array);
/* Whether the node's data is given: a bound one, use, source. */
gboolean        acc_fusion_node_is_given (AccFusionNode *node);
gboolean        acc_fusion_node_is_fold  (AccFusionNode *node);
/* Whether it is a fold of segments. */
gboolean        acc_fusion_node_is_segmented (AccFusionNode *node);
/* Whether it shows the memory of its input, or part of it, and has none of its own. */
gboolean        acc_fusion_node_is_view  (AccFusionNode *node);
AccFoldForm     acc_fusion_graph_get_fold_form (AccFusionGraph *self, AccFusionNode *node);
/* How the node depends on sources, once its inputs are known to. */
void            acc_fusion_graph_find_sources (AccFusionGraph *self, AccFusionNode *node);
/* Lanes that fold elements of @type side by side: of the type only, so that results are the same everywhere. */
guint           acc_fold_get_lanes       (AccElementType *type);
/* Blocks of rows of a product, if they have no fewer rows, nor more. */
#define ACC_PRODUCT_BLOCKS_WANTED 32
#define ACC_PRODUCT_LEAST_ROWS    48
#define ACC_PRODUCT_MOST_ROWS     96
/* Groups of threads that a processor of a device is counted for in AccTarget.n_groups. */
#define ACC_PRODUCT_GROUPS_PER_PROCESSOR 8
/* How often an element of factor @input of a product is read. */
double          acc_fusion_graph_count_product_reads (AccFusionGraph *self, AccFusionNode *node, guint input);
/* Parts that the columns of a product are cut into, each of which reads all of the left factor. */
gint64          acc_fusion_node_count_parts (AccFusionNode *node);
/* Neighbours per input of a stencil, of those that its function reads. */
AccTaps         acc_fusion_graph_find_taps (AccFusionGraph *self, AccFusionNode *node, guint input);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccFusionGraph, acc_fusion_graph_free)
