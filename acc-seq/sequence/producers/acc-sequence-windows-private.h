/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sequence-grid-private.h"
#include "acc-seq/sequence/acc-sequence-private.h"
#include "acc-sequence-producer.h"
#include "acc-source.h"

#define ACC_TYPE_SEQUENCE_WINDOWS (acc_sequence_windows_get_type ())

/* Parts of equal extents of an array or a source, in row-major order of where they begin: tiles, frames, overlapping windows. Along each
 * dimension they begin every step, from 0 on: without a boundary as many as fit, else as many as it takes until all is covered. */
G_DECLARE_FINAL_TYPE (AccSequenceWindows, acc_sequence_windows, ACC, SEQUENCE_WINDOWS, AccSequenceProducer)

/* @sizes and @steps: for each dimension. @boundary: nullable, no function. %ACC_ERROR_SHAPE, UNSUPPORTED for an array that is not in memory
 * or a source whose rows are columns, TYPE or the error of the value of a constant boundary. */
AccSequenceProducer *acc_sequence_windows_new_for_array  (AccArray *array, const gint64 *sizes, const gint64 *steps, guint rank,
                                                          AccBoundary *boundary, GError **error);
/* Has the rows in memory that windows are read from. */
AccSequenceProducer *acc_sequence_windows_new_for_source (AccSource *source, const gint64 *sizes, const gint64 *steps, guint rank,
                                                          AccBoundary *boundary, GError **error);
/* Windows of an array in memory, or that a walk computes first, as a function of their number. NULL: @error, owned. */
AccSequenceFunction *acc_sequence_windows_trace          (AccArray *array, const AccSequenceGrid *grid, AccBoundary *boundary,
                                                          AccArray **error);
/* The element of @array at @at, for each dimension, where @boundary applies behind @ends; NULL, in @ends: nothing is behind that. What both
 * have is used up. Floating. */
AccExpr             *acc_sequence_windows_read_at        (AccArray *array, AccBoundary *boundary, AccExpr **at, AccExpr **ends);
/* Borrowed; NULL: a source. */
AccArray            *acc_sequence_windows_get_array      (AccSequenceProducer *producer);
