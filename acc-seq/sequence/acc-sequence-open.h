/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-boundary.h"
#include "acc-sequence.h"

G_BEGIN_DECLS

/* Sequences of what streams, files and lists have, and of parts of arrays. */

ACC_AVAILABLE_IN_1_0
AccSequence *acc_sequence_new_lines       (GInputStream *stream) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence *acc_sequence_new_delimited   (GInputStream *stream, GBytes *delimiter) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence *acc_sequence_new_records     (GInputStream *stream, AccElementType *type, AccShape *shape) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence *acc_sequence_open_lines      (GFile *file, GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence *acc_sequence_open_delimited  (GFile *file, GBytes *delimiter, GCancellable *cancellable,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence *acc_sequence_open_records    (GFile *file, AccElementType *type, AccShape *shape, GCancellable *cancellable,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence *acc_sequence_new_from_arrays (GListModel *arrays) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence *acc_sequence_open_files      (GListModel *files, GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence *acc_sequence_open_raw_files  (GListModel *files, AccElementType *type, AccShape *shape, guint64 offset,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence *acc_sequence_new_windows     (AccArray *array, const gint64 *sizes, const gint64 *steps, guint n_dimensions,
                                           AccBoundary *boundary) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
