/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-interpreter-tape.h"
#include "acc-interpreter-value.h"

/* What one thread needs to run a tape, element after element. */
typedef struct {
  const InterpTape *tape;
  AccArray         *origin;       /* borrowed: whose function it is, for messages */
  AccScalar        *registers;
  guint8           *flags;
  guint32          *stack;
  InterpValue     **arrays;       /* borrowed, parallel to the function's arrays; NULL where only extents are read */
  gint64          **extents;      /* borrowed, likewise */
  gboolean          checks;
  guint             ticks;
  GCancellable    **cancellable;  /* where the run keeps it; borrowed */
} InterpFrame;

InterpFrame *interp_frame_new  (const InterpTape *tape, AccArray *origin, gboolean checks, GCancellable **cancellable);
void         interp_frame_free (InterpFrame *self);
/* Computes the results from the parameters' registers. */
gboolean     interp_frame_run  (InterpFrame *self, GError **error);

/* "generate “x”: index [5,2] is outside [4,3]" and the like; ACC_ERROR_BOUNDS */
void         interp_set_bounds_error (GError **error, AccArray *origin, AccArray *array, const gint64 *index, const gint64 *extents,
                                      guint rank);

/* A scalar as an index, whatever integer kind it has: unsigned beyond the largest i64 stays outside every array. */
static inline gint64
interp_scalar_to_index (AccScalar      value,
                        AccElementKind kind)
{
  return kind == ACC_KIND_U64 && value.i < 0 ? G_MAXINT64 : value.i;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpFrame, interp_frame_free)
