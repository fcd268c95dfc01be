/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-cluster.h"
#include "acc-backends/schedule/acc-schedule.h"
#include "acc-space.h"

/* A schedule under construction. */
typedef struct {
  const AccTarget *target;
  AccFusionGraph *graph;
  GPtrArray      *clusters;
  GArray         *values;        /* AccScheduleValue */
  GPtrArray      *value_nodes;   /* AccFusionNode of each */
  GArray         *steps;         /* AccScheduleStep */
  GPtrArray      *origins;       /* AccArray, borrowed */
  GHashTable     *origin_numbers;
  guint           first_origin;  /* the number that kernels know as 0 */
} AccFusion;

/* Rows of a value that a step reads. */
typedef struct {
  guint   value;
  gint64  above, below;
  char   *row_error;             /* NULL: above and below hold */
} AccStepRead;

/* A step under construction. */
typedef struct {
  AccFusion  *fusion;
  AccCluster *cluster;
  GArray     *reads;             /* AccStepRead */
  GArray     *scratch;           /* AccScratch */
  GArray     *launches;          /* AccLaunch */
  gint64      n_rows;
  gint64      quantum;
  gboolean    reduces;
  gboolean    combine_per_band;
  gint64      round_rows;
  gboolean    once;                  /* what it stores is large, and not read again soon */
  GError     *error;             /* of a kernel: kinds that the target lacks, or a bug of a skeleton */
} AccStep;

/* Number of the value that holds @node, a value; made on first use. */
guint acc_fusion_get_value   (AccFusion *self, AccFusionNode *node);
/* What kernels of the step that is built call @array. */
guint acc_fusion_get_origin  (AccFusion *self, AccArray *array);
AccScheduleValue *acc_fusion_peek_value (AccFusion *self, guint value);

/* Scratch of @n elements of @kind; its number in the step. */
guint acc_step_add_scratch   (AccStep *self, AccElementKind kind, gint64 n);
/* @n elements for each row of the step's rounds, and @n_more. */
guint acc_step_add_round_scratch (AccStep *self, AccElementKind kind, gint64 n, gint64 n_more);
/* Adds scratch of @n elements for each of @n_tiles while it runs. A tile's elements begin at kb_tile () * @n; where there are fewer workers
 * than tiles that is a worker's number. */
guint acc_step_add_tile_scratch (AccStep *self, AccElementKind kind, gint64 n, gint64 n_tiles);
/* Launch number @launch once more. */
void  acc_step_repeat_launch (AccStep *self, guint launch);
