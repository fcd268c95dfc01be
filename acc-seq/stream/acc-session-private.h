/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-stream-private.h"

/* Everything that a run holds from beginning to end: the program compiled by rows, the files, and the memory of these. Cleaning up is one
 * call at any time. */
typedef struct {
  AccBackend    *backend;      /* owned */
  AccExecutable *executable;
  AccRowRun     *run;
  AccRowFlow    *flow;
  AccPlan       *plan;
  AccSink       *sink;         /* owned; nullable */
  GPtrArray     *claimed;      /* sources and sink: in use by this run */
  gboolean       sink_started; /* or tried to */
  guint64        resident;     /* reserved in the budget */
} AccSession;

AccSession *acc_session_new          (AccBackend *backend, AccSink *sink);
/* Aborts a sink that was not committed. */
void        acc_session_free         (AccSession *self);
/* Once; nothing if it was done before. */
gboolean    acc_session_compile      (AccSession *self, AccArray **arrays, guint n_arrays, GCancellable *cancellable, GError **error);
/* Compiles for rows. ACC_ERROR_STREAM where that cannot be. */
gboolean    acc_session_begin_rows   (AccSession *self, AccArray **arrays, guint n_arrays, GCancellable *cancellable, GError **error);
/* Files serve one run at a time: the sink, and the sources of the run by rows. */
gboolean    acc_session_claim_files  (AccSession *self, GError **error);
gboolean    acc_session_start_sink   (AccSession *self, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error);
gboolean    acc_session_commit_sink  (AccSession *self, GCancellable *cancellable, GError **error);
/* The memory of sources and the sink themselves, for a result of such a layout; @shape NULL: not known. Before the sink is started. */
gboolean    acc_session_hold_resident (AccSession *self, AccElementType *type, AccShape *shape, GError **error);
gboolean    acc_session_plan         (AccSession *self, gboolean to_sink, gint64 chunk_rows, GError **error);
/* The value that is a program's result. */
AccRowValue *acc_session_find_result (AccSession *self, guint result, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccSession, acc_session_free)
