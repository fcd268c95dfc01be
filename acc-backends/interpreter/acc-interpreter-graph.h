/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-interpreter-step.h"

/* Evaluates whole nodes on demand: a node is computed when its elements are first needed, once, and freed after its last use. Only the
 * taken side of a cond is computed; the extent of an array does not need its elements. */
typedef struct _InterpGraph InterpGraph;

/* Compiles every function within reach of @program, and of the programs of its loops. */
GHashTable  *interp_compile_functions (AccProgram *program, GError **error);

/* @parent: the graph that has the nodes that the body of a loop captures; nullable. */
InterpGraph *interp_graph_new         (InterpContext *context, InterpGraph *parent);
void         interp_graph_free        (InterpGraph *self);
/* Before interp_graph_prepare(): the node's value comes from outside; @value may be given by a later call. */
void         interp_graph_bind        (InterpGraph *self, AccArray *node, InterpValue *value);
/* Counts uses: from now on a value is forgotten after its last use, but the roots' are kept. Before it all are kept. */
void         interp_graph_prepare     (InterpGraph *self, AccArray **roots, guint n_roots);
/* Borrowed. */
InterpValue *interp_graph_demand         (InterpGraph *self, AccArray *node, GError **error);
gint64      *interp_graph_demand_extents (InterpGraph *self, AccArray *node, GError **error);
GHashTable  *interp_graph_get_tapes      (InterpGraph *self);
/* What the functions of steps read, from here. */
InterpResolver interp_graph_get_resolver (InterpGraph *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpGraph, interp_graph_free)
