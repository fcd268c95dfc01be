/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-outputs-private.h"
#include "acc-stream-private.h"

/* Everything that a run holds from beginning to end: the program compiled by rows, the files, and the memory of these. Cleaning up is one
 * call at any time. */
typedef struct {
  AccBackend    *backend;      /* owned */
  AccExecutable *executable;
  AccRowRun     *run;
  AccRowFlow    *flow;
  AccPlan       *plan;
  GPtrArray     *outputs;      /* borrowed: AccOutput that get the results; nullable */
  GPtrArray     *claimed;      /* sources: in use by this run */
  guint64        held;         /* of sources, reserved in the budget */
  guint64        resident;     /* with that of sinks */
  gboolean       by_rows;      /* even where the backend would run all of it at once, and has room for that */
} AccSession;

AccSession *acc_session_new          (AccBackend *backend, GPtrArray *outputs);
void        acc_session_free         (AccSession *self);
/* Once; nothing if it was done before. */
gboolean    acc_session_compile      (AccSession *self, AccArray **arrays, guint n_arrays, GCancellable *cancellable, GError **error);
/* Whether the backend computes no rows itself, and has room for the whole program with all that it reads. */
gboolean    acc_session_prefers_whole (AccSession *self, AccArray **arrays, guint n_arrays);
/* Whether there is no room for some step of a whole run, with an error that tells which. FALSE: as far as is known. */
gboolean    acc_session_lacks_room   (AccSession *self, AccArray **arrays, guint n_arrays, GError **error);
/* Compiles for rows. ACC_ERROR_STREAM where that cannot be, or should not. */
gboolean    acc_session_begin_rows   (AccSession *self, AccArray **arrays, guint n_arrays, GCancellable *cancellable, GError **error);
/* Files serve one run at a time: those of the run by rows. */
gboolean    acc_session_claim_sources (AccSession *self, GError **error);
/* The same for others, until @claimed, which gets them, goes: see acc_session_new_claims(). */
gboolean    acc_session_claim        (GPtrArray *claimed, gpointer file, const char *name, GError **error);
GPtrArray  *acc_session_new_claims   (void);
/* The memory of sources and sinks themselves, for the layouts of outputs that are known. Before a sink is started. */
gboolean    acc_session_hold_resident (AccSession *self, GError **error);
gboolean    acc_session_plan         (AccSession *self, gboolean to_sink, gint64 chunk_rows, GError **error);
/* The same of results in memory, and what sources hold. */
gboolean    acc_session_plan_results (AccSession *self, guint n_results, gint64 chunk_rows, GError **error);
/* The value that is a program's result. */
AccRowValue *acc_session_find_result (AccSession *self, guint result, GError **error);

/* --- what goes to outputs */

/* Whether any of the arrays reads a source. */
gboolean acc_session_reads_sources (GPtrArray *arrays);
/* Begins to run by rows what goes to the outputs of a session, perhaps with another session for other arrays of the same elements. Without
 * an error and a run where the arrays have to be computed whole. */
gboolean acc_session_begin_outputs (AccSession **session, GPtrArray *arrays, GCancellable *cancellable, GError **error);
/* Decides all that must be known before a sink is started: layouts, and the plan. FALSE with @obstacle: stages may take it out of the
 * way. */
gboolean acc_session_plan_outputs  (AccSession *session, gint64 chunk_rows, GError **obstacle);
/* Of an array that is computed whole. */
AccPlan *acc_session_plan_whole (AccSession *session, AccArray *array, gint64 chunk_rows, gboolean in_memory, const char *why);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccSession, acc_session_free)
