/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-session-private.h"

/* What writing and its plans share. */

/* Whether there is a sink for each array, of a place of its own, and no array with an error. */
gboolean acc_write_check      (AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks, GError **error);
/* Whether any of them does. */
gboolean acc_write_reads_sources (GPtrArray *arrays);
/* Begins to run by rows what goes to the outputs of a session, perhaps with another session for other arrays of the same elements. Without
 * an error and a run where the arrays have to be computed whole. */
gboolean acc_write_begin_rows (AccSession **session, GPtrArray *arrays, GCancellable *cancellable, GError **error);
/* Decides all that must be known before a sink is started: layouts, and the plan. FALSE with @obstacle: stages may take it out of the
 * way. */
gboolean acc_write_plan_rows  (AccSession *session, gint64 chunk_rows, GError **obstacle);
/* Whether one walk writes all of @arrays within the memory that is free. */
gboolean acc_write_fits       (AccBackend *backend, AccArray **arrays, AccSink **sinks, guint n, gint64 chunk_rows);
/* Of an array that is computed whole. */
AccPlan *acc_write_plan_whole (AccSession *session, AccArray *array, gint64 chunk_rows, gboolean in_memory, const char *why);
