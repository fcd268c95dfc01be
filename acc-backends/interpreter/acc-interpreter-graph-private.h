/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-interpreter-graph.h"

typedef struct {
  AccArray    *node;       /* borrowed */
  guint        uses;
  gint64      *extents;    /* owned; NULL while unknown */
  InterpValue *value;      /* owned; NULL before it is computed and after its last use */
  gboolean     external;   /* bound from outside, or captured from the parent */
  gboolean     counted;    /* its own uses of others are counted */
  gboolean     finished;   /* ... and given back */
  guint        given_back; /* of them, the first ones that were given back before that */
  AccArray    *taken;      /* cond: the side */
  GPtrArray   *results;    /* while_loop: InterpValue, all last states, for as long as .value is there */
} InterpState;

struct _InterpGraph {
  InterpContext       *context;
  InterpGraph         *parent;
  GHashTable          *states;   /* AccArray to InterpState */
  gboolean             counting;
};

InterpState *interp_graph_get_state (InterpGraph *self, AccArray *node);
/* Drops a use of @state; a value without further uses is freed, and so are its own inputs. */
void         interp_graph_release   (InterpGraph *self, InterpState *state);
/* Computes the elements of a node, of which all is there that it needs. */
gboolean     interp_graph_compute   (InterpGraph *self, InterpState *state, GError **error);
