/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-private.h"

G_BEGIN_DECLS

/* Nodes of a program before which a run has to stop: those that something must be known for before the rest can be planned. What lies
 * between them is left out, so that a run, or each turn of a loop, need not walk over all of the program again. Immutable. */
typedef struct _AccGraphStop AccGraphStop;

struct _AccGraphStop {
  AccArray     *node;       /* borrowed */
  guint         number;
  GPtrArray    *before;     /* AccGraphStop: nearest ones that the node depends on; of a cond: that its condition does */
  AccGraphStop *sides[2];   /* of a cond: nearest one of what it is where the condition holds, and where not; NULL: none */
  GPtrArray    *offered;    /* AccGraphStop: nearest ones of what a backend may compute the node from; NULL: it is not offered */
  GPtrArray    *extents;    /* AccArray: whose elements decide the node's extents; NULL: none */
};

typedef struct {
  GPtrArray *all;           /* AccGraphStop, by number; those behind which several others are, too, though nothing is to be known for them */
  GPtrArray *first;         /* AccGraphStop: nearest ones of the results */
} AccGraphStops;

/* @boundary: nodes that are bound when a run begins. @offers: those that a backend could have operations for; NULL: none. Linear. */
AccGraphStops *acc_graph_stops_new  (AccArray **results, guint n_results, GHashTable *boundary, GHashTable *offers);
void           acc_graph_stops_free (AccGraphStops *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccGraphStops, acc_graph_stops_free)

G_END_DECLS
