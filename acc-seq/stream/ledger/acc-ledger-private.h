/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"
#include "acc-sink.h"

/* A folder that keeps the rows of a result which are computed, with their checksums, and what they were computed from, so that another
 * process can go on after this one has ended at any point. Records follow the rows that they are of; what a record or its rows lack, is not
 * there. */
typedef struct _AccLedger AccLedger;

/* Begins one in @folder, which need not exist, or opens one that was begun for the same array of the same sources; ACC_ERROR_STREAM where
 * it was for others, or another process has it open. */
AccLedger *acc_ledger_open       (GFile *folder, AccArray *array, GCancellable *cancellable, GError **error);
/* Keeps the files, unless they were removed. */
void       acc_ledger_free       (AccLedger *self);
const char *acc_ledger_get_name  (AccLedger *self);
/* Rows from the first one on that are there. */
gint64     acc_ledger_get_n_rows (AccLedger *self);
gboolean   acc_ledger_is_complete (AccLedger *self);
/* What takes rows; those that are there it leaves out. Borrows both; @output: where they go at the end. */
AccSink   *acc_ledger_new_sink   (AccLedger *self, AccSink *output);
/* @grows: how many rows there are is known at the end; @shape has as many as can be counted. */
gboolean   acc_ledger_set_layout (AccLedger *self, AccElementType *type, AccShape *shape, gboolean grows, AccSink *output, GError **error);
gboolean   acc_ledger_add        (AccLedger *self, AccChunk *chunk, GError **error);
/* There are no more rows. */
gboolean   acc_ledger_end        (AccLedger *self, GError **error);
/* All rows are there: their file becomes that of @output, or it is written. */
gboolean   acc_ledger_give       (AccLedger *self, AccSink *output, GCancellable *cancellable, GError **error);
/* The folder, too, if nothing else is in it. */
void       acc_ledger_remove     (AccLedger *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccLedger, acc_ledger_free)
