/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backend.h"
#include "acc-sink.h"

/* Elements that are written while others are computed: several at a time where each has a file of its own, else one after the other. */
typedef struct _AccSequenceWriters AccSequenceWriters;

/* Both are borrowed; @cancellable: nullable. */
AccSequenceWriters *acc_sequence_writers_new    (AccBackend *backend, GCancellable *cancellable);
/* Waits for what is under way. */
void                acc_sequence_writers_free   (AccSequenceWriters *self);
/* Waits until a sink may be made for the next element, unless one before failed: the error of the first of those. */
gboolean            acc_sequence_writers_await  (AccSequenceWriters *self, GError **error);
/* Takes over both. @number: of the element, in messages. */
void                acc_sequence_writers_add    (AccSequenceWriters *self, AccArray *element, AccSink *sink, gint64 number);
/* Waits for all. */
gboolean            acc_sequence_writers_finish (AccSequenceWriters *self, GError **error);
