/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-private.h"

/* Remembers which subgraph has to be computed when some nodes of a program are evaluated, and from what. To find that takes a walk over the
 * program; it depends only on what was computed before, and in which order. A state, which is a number, stands for that. At a state that
 * was reached before, the subgraph is looked up. Any thread. */
typedef struct _AccSubgraphCache AccSubgraphCache;

/* The state in which only parameters and captures are bound, and the one of runs that came to more states than are remembered. */
#define ACC_GRAPH_STATE_FIRST   0u
#define ACC_GRAPH_STATE_UNKNOWN G_MAXUINT

typedef struct {
  GPtrArray *wanted;   /* AccArray: to be computed */
  GPtrArray *bound;    /* AccArray: what they are computed from */
  GPtrArray *uses;     /* AccArray: data among the targets */
  GArray    *spent;    /* gboolean per bound: nothing that comes later reads it */
  guint      state;    /* after it was computed */
} AccSubgraph;

void               acc_subgraph_clear      (AccSubgraph *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccSubgraph, acc_subgraph_clear)

AccSubgraphCache  *acc_subgraph_cache_new  (void);
void               acc_subgraph_cache_free (AccSubgraphCache *self);
/* Returns the state after @node was bound without a subgraph. */
guint              acc_subgraph_cache_step (AccSubgraphCache *self, guint state, AccArray *node);
/* Returns NULL if it is not known; else it lives as long as @self. @keep: as in acc-graph-run.c. */
const AccSubgraph *acc_subgraph_cache_find (AccSubgraphCache *self, guint state, GPtrArray *targets, gboolean keep);
/* Keeps the lists of @subgraph, whose state is ignored, and returns the state after it. */
guint              acc_subgraph_cache_add  (AccSubgraphCache *self, guint state, GPtrArray *targets, gboolean keep,
                                            const AccSubgraph *subgraph);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccSubgraphCache, acc_subgraph_cache_free)
