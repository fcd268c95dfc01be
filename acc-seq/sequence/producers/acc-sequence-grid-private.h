/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-boundary.h"
#include "acc-shape.h"

/* Windows in an array: where they begin, and how they are copied. Along a dimension they begin every step, from 0 on: as many as fit, or
 * with a boundary as many as it takes until all is covered, so that at most the last one hangs over. */
typedef struct {
  gint64 extent;    /* of the array */
  gint64 size;      /* of a window */
  gint64 step;
  gint64 count;     /* of windows */
  gint64 stride;    /* values of the array from one index to the next */
} AccSequenceGridDimension;

typedef struct {
  guint                     rank;
  AccSequenceGridDimension *dimensions;
  guint                     dense;     /* windows are as large as the array in all dimensions behind this one */
  gint64                    window;    /* values of one */
  gint64                    count;     /* of windows */
  gboolean                  bounded;   /* else only those that fit */
  AccBoundaryKind           boundary;
  gint64                    least;     /* the first index of dimension 0 that a mirror reads again; else its extent */
  gint64                    head;      /* how many from 0 on are read again by what is wrapped around */
} AccSequenceGrid;

/* Values of one buffer in memory: from number @first on at @data, and from 0 on, as far as a boundary asks for them, at @head. */
typedef struct {
  const guint8 *data;
  const guint8 *head;
  gint64        first;
  gsize         size;      /* bytes of a value */
  const guint8 *fill;      /* one value, of a constant boundary */
} AccSequenceValues;

/* Whether windows of @rank dimensions can be those of an array of @array_rank; the errors are those of a grid. */
gboolean         acc_sequence_grid_check     (guint array_rank, const gint64 *sizes, const gint64 *steps, guint rank, AccBoundary *boundary,
                                              GError **error);
/* %ACC_ERROR_SHAPE where @sizes or @steps are not positive, or do not fit @shape in number; %ACC_ERROR_UNSUPPORTED for a boundary that is a
 * function. @boundary may be NULL. */
AccSequenceGrid *acc_sequence_grid_new       (AccShape *shape, const gint64 *sizes, const gint64 *steps, guint rank, AccBoundary *boundary,
                                              GError **error);
void             acc_sequence_grid_free      (AccSequenceGrid *self);
/* Where window @k begins: rank numbers. */
void             acc_sequence_grid_locate    (const AccSequenceGrid *self, gint64 k, gint64 *starts);
/* Whether windows lie in memory one after the other, as those of the outermost dimension do. */
gboolean         acc_sequence_grid_is_dense  (const AccSequenceGrid *self);
void             acc_sequence_grid_copy      (const AccSequenceGrid *self, const gint64 *starts, const AccSequenceValues *values,
                                              guint8 *to);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccSequenceGrid, acc_sequence_grid_free)
