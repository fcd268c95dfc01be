/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-evaluate.h"
#include "acc-job-private.h"

/* acc_backend_write() with options for jobs and tests: @chunk_rows 0: the planner chooses. */
gboolean   acc_evaluate_write_with_chunk_rows (AccBackend *backend, AccArray *array, AccSink *sink, gint64 chunk_rows,
                                               AccJob *job, GCancellable *cancellable, GError **error);
/* The same with as many sinks as arrays. */
gboolean   acc_evaluate_write_many            (AccBackend *backend, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks,
                                               gint64 chunk_rows, AccJob *job, GCancellable *cancellable, GError **error);
/* The same with as many sinks as arrays, without a look for elements that an error is of. */
gboolean   acc_evaluate_write_plain           (AccBackend *backend, AccArray **arrays, AccSink **sinks, guint n, gint64 chunk_rows,
                                               AccJob *job, GCancellable *cancellable, GError **error);
/* The same for a sink that has rows before @skip: it may get some of them again, or all. */
gboolean   acc_evaluate_write_rest            (AccBackend *backend, AccArray *array, AccSink *sink, gint64 skip, AccJob *job,
                                               GCancellable *cancellable, GError **error);
/* acc_backend_write_with_ledger() */
gboolean   acc_evaluate_write_with_ledger     (AccBackend *backend, AccArray *array, AccSink *sink, GFile *folder, AccJob *job,
                                               GCancellable *cancellable, GError **error);
/* acc_backend_run_many(). With @chunk_rows, arrays without sources run by bands too, where they can, whatever their size. */
GPtrArray *acc_evaluate_with_chunk_rows       (AccBackend *backend, AccArray **arrays, guint n_arrays, gint64 chunk_rows,
                                               GCancellable *cancellable, GError **error);
/* The same where a run of what was compiled of them has no room, for @reason, which is taken over: by ways that need less. */
GPtrArray *acc_evaluate_in_less               (AccBackend *backend, AccArray **arrays, guint n_arrays, GError *reason,
                                               GCancellable *cancellable, GError **error);
/* acc_executable_run() of what is in memory, by what was compiled alone. */
GPtrArray *acc_evaluate_program               (AccExecutable *executable, AccArray **arguments, guint n_arguments,
                                               GCancellable *cancellable, GError **error);
/* Whether there is room to compute @arrays into memory, by rows of the sources that they read, in as many stages as that takes; and by
 * bands of what is in memory. Nothing is read or computed. FALSE: ACC_ERROR_OUT_OF_MEMORY; TRUE where plans do not tell. */
gboolean   acc_evaluate_check_stages          (AccBackend *backend, AccArray **arrays, guint n_arrays, GError **error);
gboolean   acc_evaluate_check_bands           (AccBackend *backend, AccArray **arrays, guint n_arrays, GError **error);

/* acc_backend_run_many() whose errors do not look for elements. */
GPtrArray *acc_evaluate_plain                 (AccBackend *backend, AccArray **arrays, guint n_arrays, GCancellable *cancellable,
                                               GError **error);

/* acc_backend_run_many() of what a walk computes of elements: where that has no room whole, and groups floats by segments, there is no
 * way, since bands group otherwise. The walk has others. @to_host: whether results that have no room on a device may be written to the
 * host, by as many stages as that takes. */
GPtrArray *acc_evaluate_elements              (AccBackend *backend, AccArray **arrays, guint n_arrays, gboolean to_host,
                                               GCancellable *cancellable, GError **error);

/* Puts the number of the element of a nested array in front of *@error, that of @arrays, where it is one that an element alone has, too,
 * and what that says in its place. */
void       acc_evaluate_blame                 (AccBackend *backend, AccArray **arrays, guint n_arrays, GCancellable *cancellable,
                                               GError **error);
/* The same of a run of a program. */
void       acc_evaluate_blame_program         (AccExecutable *executable, AccArray **arguments, guint n_arguments,
                                               GCancellable *cancellable, GError **error);

/* Whether @count elements from @start on fail together. */
typedef gboolean (*AccEvaluateFailsFunc) (gint64 start, gint64 count, gpointer data);
/* The first of @count elements, of which some fail, that fails by itself; -1: none does. */
gint64     acc_evaluate_find_first            (gint64 count, AccEvaluateFailsFunc fails, gpointer data);
/* Puts the number of an element in front of *@error, and where it is from, nullable: “element 3: …”, or “element 3, 7: …” where the error
 * has the number of an element within it. */
void       acc_evaluate_prefix_element        (GError **error, gint64 number, const char *origin);
