/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-scan-private.h"

/* An operation on segments of rows: its arguments, checked, and the offsets of the segments. */
typedef struct {
  const char   *operation;
  AccArray     *array;
  gboolean      no_empty;   /* a segment without elements is a mistake */
  gboolean      is_checked; /* offsets ascend, and are of elements that rows have, where there are any */
  AccArray     *offsets;    /* owned: an i8 more than there are segments, ascending, of elements that rows have */
  AccArray     *total;      /* owned: the sum of all lengths, which rows have; NULL if offsets were given */
  AccExpr      *initial;    /* owned, of the element type; NULL: none */
  AccExprFunc2  combine;
  gpointer      data;
} AccSegments;

typedef enum {
  ACC_SEGMENTS_LENGTHS,
  ACC_SEGMENTS_OFFSETS,
} AccSegmentsForm;

/* @self: all but offsets, total and initial. A node with the mistake, or NULL: there is none, and the fields are set. Sinks @initial. */
AccArray *acc_segments_prepare (AccSegments *self, AccSegmentsForm form, AccArray *segments, AccSeed seed, AccExpr *initial);
void      acc_segments_clear   (AccSegments *self);
/* What folds are composed of: blocks of 2^7 elements, and of as many of these, on as many levels. */
#define ACC_SEGMENTS_BLOCK_BITS 7
#define ACC_SEGMENTS_LEVELS     3

/* Reduces each segment. @from_right: the initial value is behind the last element. */
AccArray *acc_segments_fold    (AccSegments *self, gboolean from_right);

/* Their partial reductions, one segment after the other. */
AccArray *acc_segments_scan    (AccSegments *self, gboolean from_right, AccSeed seed);

/* The number of its segment for each of the @total elements, i8; of @offsets that fit. */
AccArray *acc_segments_number  (AccArray *offsets, AccExpr *total);

/* Extents as those of @array but for the innermost. */
AccExpr  *acc_segments_extents (AccArray *array, AccExpr *innermost);
/* How many there are, and where number @segment begins; 1 more is where it ends. */
AccExpr  *acc_segments_count   (AccSegments *self);
AccExpr  *acc_segments_begin   (AccSegments *self, AccExpr *segment, guint more);
/* Where the first segment begins, and where the last one ends. */
AccExpr  *acc_segments_first   (AccSegments *self);
AccExpr  *acc_segments_last    (AccSegments *self);
