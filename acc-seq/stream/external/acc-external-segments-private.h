/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-external-blocks-private.h"
#include "acc-program.h"

/* Folds and scans of segments, of vectors and of each row. */

/* Whether @direct, which may be NULL, is one that can be run by itself. */
gboolean       acc_external_is_of_segments    (AccArray *direct);
/* The same of other elements and lengths; @direct: AccArray. */
AccArray      *acc_external_build_segments    (AccArray **inputs, guint n_inputs, gpointer direct);
/* Folds of segments by the function of @direct: of sums of pieces, or of pieces. */
AccArray      *acc_external_build_joints      (AccArray **inputs, guint n_inputs, gpointer direct);
/* What @build makes of a vector, or of rows as a matrix where the node has rows, and of lengths. */
AccExecutable *acc_external_compile_segments  (const AccExternalTask *task, AccArrayFunc build, GError **error);

/* The scan of a segment that is too long to be computed at once. */
typedef struct {
  const AccExternalTask *task;
  AccArray      *direct, *elements;   /* the scan of segments; all elements, in memory or in a store */
  AccExecutable *scan;                /* of segments */
  gint64         begin, n, turn;      /* elements: of the segment, those that the backend may get at once */
  AccStore      *result;
  gint64         at;                  /* of it */
} AccExternalLongScan;

/* On a device. */
gboolean       acc_external_scan_long         (const AccExternalLongScan *scan, GError **error);

/* @n elements of a segment of floats, from number @first of @elements on, to be folded from left to right: where the backend composes
 * folds of segments, blocks take the place of most. Owned. */
AccArray      *acc_external_fold_blocks       (const AccExternalTask *task, AccArray *direct, AccArray *elements, gint64 first, gint64 n,
                                               GError **error);
