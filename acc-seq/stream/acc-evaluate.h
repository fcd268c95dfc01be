/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-executable.h"
#include "acc-nested-array.h"
#include "acc-job.h"
#include "acc-sink.h"
#include "acc-source.h"

G_BEGIN_DECLS

/* Running arrays on a backend. Graphs that read sources stream by themselves. */
ACC_AVAILABLE_IN_1_0
AccArray  *acc_backend_run             (AccBackend *self, AccArray *array, GCancellable *cancellable,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
void       acc_backend_run_async       (AccBackend *self, AccArray *array, GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
ACC_AVAILABLE_IN_1_0
AccArray  *acc_backend_run_finish      (AccBackend *self, GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* (transfer full) (element-type AccArray): shared work is done once */
ACC_AVAILABLE_IN_1_0
GPtrArray *acc_backend_run_many        (AccBackend *self, AccArray **arrays, guint n_arrays, GCancellable *cancellable,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_backend_run_nested (AccBackend *self, AccNestedArray *nested, GCancellable *cancellable,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
void       acc_backend_run_many_async  (AccBackend *self, AccArray **arrays, guint n_arrays, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer user_data);
ACC_AVAILABLE_IN_1_0
GPtrArray *acc_backend_run_many_finish (AccBackend *self, GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
gboolean   acc_backend_write           (AccBackend *self, AccArray *array, AccSink *sink, GCancellable *cancellable, GError **error);
ACC_AVAILABLE_IN_1_0
void       acc_backend_write_async     (AccBackend *self, AccArray *array, AccSink *sink, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer user_data);
ACC_AVAILABLE_IN_1_0
gboolean   acc_backend_write_finish    (AccBackend *self, GAsyncResult *result, GError **error);
/* The results of a program for any arguments that fit its parameters: (transfer container) (element-type AccArray) */
ACC_AVAILABLE_IN_1_0
GPtrArray *acc_executable_run          (AccExecutable *self, AccArray **arguments, guint n_arguments, GCancellable *cancellable,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
void       acc_executable_run_async    (AccExecutable *self, AccArray **arguments, guint n_arguments, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer user_data);
ACC_AVAILABLE_IN_1_0
GPtrArray *acc_executable_run_finish   (AccExecutable *self, GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Several arrays, each to its own sink, in one walk where that can be: all outputs appear, or none */
ACC_AVAILABLE_IN_1_0
gboolean   acc_backend_write_many       (AccBackend *self, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks,
                                         GCancellable *cancellable, GError **error);
ACC_AVAILABLE_IN_1_0
void       acc_backend_write_many_async (AccBackend *self, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks,
                                         GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
ACC_AVAILABLE_IN_1_0
gboolean   acc_backend_write_many_finish (AccBackend *self, GAsyncResult *result, GError **error);
/* Never NULL: a graph that cannot stream gives a job that has failed */
ACC_AVAILABLE_IN_1_0
AccJob    *acc_backend_start_run       (AccBackend *self, AccArray *array, GCancellable *cancellable) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccJob    *acc_backend_start_run_many  (AccBackend *self, AccArray **arrays, guint n_arrays,
                                        GCancellable *cancellable) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccJob    *acc_backend_start_run_nested (AccBackend *self, AccNestedArray *nested,
                                         GCancellable *cancellable) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccJob    *acc_backend_start_write     (AccBackend *self, AccArray *array, AccSink *sink,
                                        GCancellable *cancellable) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccJob    *acc_backend_start_write_many (AccBackend *self, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks,
                                         GCancellable *cancellable) G_GNUC_WARN_UNUSED_RESULT;
/* A run that ends in the middle is continued by the next one with the same ledger, a folder */
ACC_AVAILABLE_IN_1_0
gboolean   acc_backend_write_with_ledger (AccBackend *self, AccArray *array, AccSink *sink, GFile *ledger, GCancellable *cancellable,
                                          GError **error);
ACC_AVAILABLE_IN_1_0
AccJob    *acc_backend_start_write_with_ledger (AccBackend *self, AccArray *array, AccSink *sink, GFile *ledger,
                                                GCancellable *cancellable) G_GNUC_WARN_UNUSED_RESULT;
/* The plan of acc_backend_write(), without running it; @chunk_rows 0: the planner chooses */
ACC_AVAILABLE_IN_1_0
AccPlan   *acc_backend_plan            (AccBackend *self, AccArray *array, AccSink *sink, gint64 chunk_rows,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccPlan   *acc_backend_plan_many       (AccBackend *self, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
