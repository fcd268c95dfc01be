/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-source.h"

#include "acc-core/data/acc-buffer-private.h"

/* Consecutive rows of a source in memory, and if wanted its first ones. */
typedef struct _AccSequenceBand AccSequenceBand;

/* @source has a layout. At most @span rows are needed at once; the first @head ones are kept. */
AccSequenceBand *acc_sequence_band_new         (AccSource *source, gint64 span, gint64 head);
void             acc_sequence_band_free        (AccSequenceBand *self);
/* Reads on until rows before @end are in memory, of which those before @begin are not needed any more: both ascend. */
gboolean         acc_sequence_band_need        (AccSequenceBand *self, gint64 begin, gint64 end, GCancellable *cancellable, GError **error);
/* The same of rows that go to @addresses, one for each buffer, and are not kept. No row that was read is behind @begin. */
gboolean         acc_sequence_band_read_direct (AccSequenceBand *self, gint64 begin, gint64 end, gpointer *addresses,
                                                GCancellable *cancellable, GError **error);
/* How many rows are in memory at most. */
gint64           acc_sequence_band_get_capacity (AccSequenceBand *self);
/* The first row in memory. */
gint64           acc_sequence_band_get_first   (AccSequenceBand *self);
const guint8    *acc_sequence_band_get_rows    (AccSequenceBand *self, guint buffer);
const guint8    *acc_sequence_band_get_head    (AccSequenceBand *self, guint buffer);
/* Ends reading; the next one begins at row 0. */
void             acc_sequence_band_reset       (AccSequenceBand *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccSequenceBand, acc_sequence_band_free)
