/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sequence-iterator.h"

/* A job that does more than walk is told how far the walk is. Before the first element; @job has to stay as long as @self. */
void acc_sequence_iterator_set_outer (AccSequenceIterator *self, AccJob *job);
/* Elements in a step; 0: as many as is best. Before the first element; for tests. */
void acc_sequence_iterator_set_chunk (AccSequenceIterator *self, gint64 chunk);
/* All elements are wanted: a walk in which some has no room fails before the first. Before the first element. */
void acc_sequence_iterator_set_takes_all (AccSequenceIterator *self);

AccBackend *acc_sequence_iterator_get_backend (AccSequenceIterator *self);
/* The next element, which is @nested or an array; owned. NULL with an error, or without where there are no more. */
gpointer acc_sequence_iterator_take (AccSequenceIterator *self, gboolean nested, GCancellable *cancellable, GError **error);
