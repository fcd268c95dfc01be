/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sequence-producer.h"

#define ACC_TYPE_SEQUENCE_FILES (acc_sequence_files_get_type ())

/* Arrays in files, the whole of each: of one element type and rank. The list stays as it is while it is walked. A file that cannot be read,
 * or does not fit, is an error that comes after those before it. */
G_DECLARE_FINAL_TYPE (AccSequenceFiles, acc_sequence_files, ACC, SEQUENCE_FILES, AccSequenceProducer)

/* A list of GFile: PNG and NPY, as their content says; the first is opened to know type and rank. @shape, which may be NULL: that of
 * all. */
AccSequenceProducer *acc_sequence_files_new     (GListModel *files, AccShape *shape, GCancellable *cancellable, GError **error);
/* Bare elements behind the first @offset bytes. The outermost extent of @shape may be -1: as many as the file has. */
AccSequenceProducer *acc_sequence_files_new_raw (GListModel *files, AccElementType *type, AccShape *shape, guint64 offset, GError **error);
