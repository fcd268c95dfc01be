/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-program.h"
#include "acc-subgraph-cache.h"
#include "acc-graph-control.h"
#include "acc-backends/runtime/run/acc-schedule-cache.h"

/* A program analysed for running: what its schedule would take from outside, and whether one schedule is enough. Conds, while_loops,
 * foreign operations, and extents that are read from computed data are evaluated first; the rest is scheduled with their results bound. Any
 * thread. */
typedef struct _AccGraph AccGraph;

struct _AccGraph {
  AccHost          *host;        /* borrowed, as is the program */
  AccProgram       *program;
  AccArray        **results;
  guint             n_results;
  AccArray        **params;
  guint             n_params;
  gboolean          is_body;     /* of a loop, or a fallback: its captures are bound, too */

  gboolean          has_sources;
  gboolean          is_simple;   /* one schedule, with .bound */
  GHashTable       *result_set;  /* AccArray: the results */
  GHashTable       *offers;      /* AccArray: nodes that a foreign operation could give, from what is in reach; NULL: none */
  GPtrArray        *bound;       /* AccArray: parameters and captures in reach of the results */
  int              *positions;   /* per bound: the parameter's, -1 for a capture */
  gboolean         *are_params;  /* per bound */

  AccScheduleCache *schedules;
  AccSubgraphCache *subgraphs;

  GMutex            lock;
  GHashTable       *users;       /* AccArray → GPtrArray of AccArray: made when first needed */
  GHashTable       *inner_users; /* the same, of the graphs behind offers */
  GHashTable       *bodies;      /* AccProgram → AccGraph */
  AccControlPoints *control_points; /* made when first needed */
};

AccGraph   *acc_graph_new       (AccHost *host, AccProgram *program, gboolean is_body);
void        acc_graph_free      (AccGraph *self);
/* The body of a loop, or a fallback, in the program. Owned by @self. */
AccGraph   *acc_graph_get_body  (AccGraph *self, AccProgram *program);
/* The nodes of the program that take @array as input or reference; may be NULL. */
GPtrArray  *acc_graph_get_users (AccGraph *self, AccArray *array);
/* The control points of the program. Owned by @self. */
const AccControlPoints *acc_graph_get_control_points (AccGraph *self);
gboolean    acc_graph_is_result (AccGraph *self, AccArray *array);
/* Whether @array stands for something already, so that what it is made of is not read. */
typedef gboolean (*AccGraphIsBoundFunc) (AccArray *array, gpointer data);

/* Calls @is_bound for what operations that @nodes may be computed by read besides what they are composed of. @seen has all of @nodes and
 * what is bound for them already. */
void        acc_graph_find_direct_reads (GPtrArray *nodes, GHashTable *seen, AccGraphIsBoundFunc is_bound, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccGraph, acc_graph_free)
