/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-interpreter-graph.h"

/* How a node takes part in a run by rows. */
typedef enum {
  INTERP_ROWS_FREE,      /* depends on no source, or on completed reductions only: by rows or whole, as it is wanted */
  INTERP_ROWS_SOURCE,
  INTERP_ROWS_STREAMED,  /* by rows, in step with what it reads */
  INTERP_ROWS_REDUCED,   /* reads rows in order; complete after the last */
} InterpRowsClass;

typedef struct {
  AccArray       *node;       /* borrowed */
  InterpRowsClass class;
  gboolean        looked_at;  /* not what only sides of conds need that are not taken */
  AccArray       *taken;      /* cond: the side, where that is known */
  gboolean        late;       /* FREE: reads a reduction */
  GError         *error;      /* why it cannot be computed; raised when it is read */
  gboolean        want_rows, want_whole;
  gboolean        by_rows;    /* FREE and wanted: decided */
  gint64         *extents;
  AccShape       *shape;      /* of a result: those extents */
  gboolean        in_step[3]; /* per input: read by rows; else whole */
  gint64          above[3], below[3];
  gint64          picked;     /* slice of one outermost index: which; else -1 */
  int             value;      /* among the run's values, or -1 */
  InterpValue    *elements;   /* of SOURCE, of what is computed by rows, of REDUCED */
} InterpRowsNode;

typedef struct {
  GPtrArray      *nodes;      /* AccArray: inputs first */
  GHashTable     *numbers;    /* AccArray to its position + 1 */
  InterpRowsNode *infos;      /* parallel to nodes */
  gboolean        reduces_free; /* reductions of what could be whole, too, read rows */
} InterpRowsPlan;

InterpRowsPlan *interp_rows_plan_new  (InterpGraph *graph, AccArray **results, guint n_results, gboolean reduces_free, GError **error);
void            interp_rows_plan_free (InterpRowsPlan *self);
InterpRowsNode *interp_rows_plan_get  (InterpRowsPlan *self, AccArray *node);
/* Input @input is read row by row, with the halo given; else whole. */
gboolean        interp_rows_node_reads_by_rows (const InterpRowsNode *self, guint input);
/* It has a step of its own that writes rows. */
gboolean        interp_rows_node_is_stepped (const InterpRowsNode *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpRowsPlan, interp_rows_plan_free)
