/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

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
/* All windows as a graph, with one more outermost dimension; NULL where they are not all inside an array in memory. */
AccArray            *acc_sequence_windows_dup_graph      (AccSequenceWindows *self);
