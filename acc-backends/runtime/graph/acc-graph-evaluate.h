/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-graph.h"

/* Computing some arrays of a program ahead of the rest. */

/* The values of nodes, in a program and, through parents, in those around it. */
typedef struct _AccGraphScope AccGraphScope;

struct _AccGraphScope
{
  AccGraphScope *parent;
  GHashTable    *values;   /* AccArray → AccArray, manifest, owned */
  GHashTable    *loops;    /* while_loop of several arrays → GPtrArray of the last states, or NULL */
  GHashTable    *dropped;  /* AccArray that had a value, which nothing reads any more; or NULL */
};

typedef struct {
  AccGraph      *graph;
  AccGraphScope *scope;
  GCancellable  *cancellable;
  gboolean       takes_offers;   /* all elements are there at once, and the backend has some of the operations */
  guint          state;          /* what has been computed so far, for the subgraph cache */
} AccGraphEval;

void       acc_graph_scope_init         (AccGraphScope *scope, AccGraphScope *parent, AccGraph *graph, AccArray **arguments);
void       acc_graph_scope_clear        (AccGraphScope *scope);
/* What the node stands for, manifest: borrowed; NULL: nothing yet. */
AccArray  *acc_graph_scope_look_up      (AccGraphScope *scope, AccArray *node);
/* The nodes that @targets are computed from, inputs first; @bound gets those that stand for something already. */
GPtrArray *acc_graph_scope_list_unbound (AccGraphScope *scope, AccArray **targets, guint n_targets, GPtrArray *bound);

/* Computes and binds all of @targets; @keep: and what later parts of the program share with them. */
gboolean   acc_graph_eval_compute       (AccGraphEval *run, GPtrArray *targets, gboolean keep, GError **error);
/* The same of what @node cannot do without. */
gboolean   acc_graph_eval_compute_for   (AccGraphEval *run, AccArray *node, GPtrArray *targets, GError **error);
/* What was computed by other means. Takes over @value. */
void       acc_graph_eval_bind          (AccGraphEval *run, AccArray *node, AccArray *value);
