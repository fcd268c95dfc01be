/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-interpreter-frame.h"

/* One node of the graph, computed from the values that it reads: all at once, or some rows after others. */

typedef struct {
  /* What the node's functions read; a whole value, or NULL with @error set */
  InterpValue  *(*get_value)   (AccArray *array, gpointer user_data, GError **error);
  gint64       *(*get_extents) (AccArray *array, gpointer user_data, GError **error);
  gpointer        user_data;
} InterpResolver;

/* What all steps of a run share. Borrowed. */
typedef struct {
  AccBackend   *backend;
  GHashTable   *tapes;        /* AccFunction to InterpTape */
  gboolean      checks;
  GCancellable *cancellable;
} InterpContext;

typedef struct _InterpStep InterpStep;

struct _InterpStep {
  InterpContext *context;
  AccArray      *node;          /* borrowed */
  AccOperation   op;            /* the node's, or ACC_OP_COMPUTE: a copy of its input */
  InterpValue   *result;        /* owned */
  guint          n_inputs;
  InterpValue  **inputs;        /* owned */
  InterpFrame   *frames[2];     /* of the node's functions; NULL where there are none */
  gboolean     (*run)           (InterpStep *self, gint64 begin, gint64 end, GError **error);

  gint64         n_rows;        /* of the index space */
  guint          rank;          /* likewise */
  gint64        *extents;

  gboolean       reduces;       /* rows must come in order, once */
  gint64         next;
  gboolean       started;       /* there is a value in carry */
  AccScalar     *carry;      /* fold, scan */
  AccScalar     *closed;     /* fill's value, fold's seed */

  /* stencils, per input */
  InterpFrame   *boundary[2];
  AccScalar     *constant[2];
  guint          n_cells[2];
  gint64        *cells[2];      /* offsets, rank entries per cell */
};

InterpStep *interp_step_new  (InterpContext *context, AccArray *node, AccOperation op, InterpValue *result,
                              InterpValue **inputs, guint n_inputs, const InterpResolver *resolver, GError **error);
void        interp_step_free (InterpStep *self);
/* Rows [begin, end) of the index space. */
gboolean    interp_step_run  (InterpStep *self, gint64 begin, gint64 end, GError **error);
/* The values of a function without parameters. */
gboolean    interp_evaluate_closed (InterpContext *context, AccArray *origin, AccFunction *function,
                                    const InterpResolver *resolver, AccScalar *values, GError **error);
InterpFrame *interp_frame_bind (InterpContext *context, AccArray *origin, AccFunction *function,
                                const InterpResolver *resolver, GError **error);

/* --- for the families of steps */

/* Elements [begin, end) of the innermost dimension at index[0 .. rank - 2]; rank 0: one element. */
typedef gboolean (*InterpRunFunc) (InterpStep *self, gint64 *index, gint64 begin, gint64 end, GError **error);
gboolean interp_step_each_run (InterpStep *self, gint64 begin, gint64 end, InterpRunFunc function, GError **error);
/* That a read or write of [first, end) stays in the value's window. */
gboolean interp_step_check_window (InterpStep *self, InterpValue *value, gint64 first, gint64 end, GError **error);

gboolean interp_step_prepare_reduce  (InterpStep *self, const InterpResolver *resolver, GError **error);
gboolean interp_step_prepare_permute (InterpStep *self, GError **error);
gboolean interp_step_prepare_sort    (InterpStep *self, GError **error);
gboolean interp_step_prepare_stencil (InterpStep *self, const InterpResolver *resolver, GError **error);
void     interp_step_prepare_copy    (InterpStep *self);

static inline void
interp_frame_load (InterpFrame       *frame,
                   guint              parameter,
                   const InterpValue *value,
                   gint64             linear)
{
  guint first = frame->tape->param_first[parameter];

  for (guint leaf = 0; leaf < value->n_leaves; leaf++)
    if (frame->tape->param_used[first + leaf])
      interp_value_load (value, leaf, linear, &frame->registers[first + leaf]);
}

static inline void
interp_frame_set_index (InterpFrame  *frame,
                        guint         parameter,
                        const gint64 *index,
                        guint         rank)
{
  guint first = frame->tape->param_first[parameter];

  for (guint i = 0; i < rank; i++)
    frame->registers[first + i].i = index[i];
}

static inline void
interp_frame_store (const InterpFrame *frame,
                    InterpValue       *value,
                    gint64             linear)
{
  for (guint leaf = 0; leaf < value->n_leaves; leaf++)
    interp_value_store (value, leaf, linear, frame->registers[frame->tape->results[leaf]]);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpStep, interp_step_free)
