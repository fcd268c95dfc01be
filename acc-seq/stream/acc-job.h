/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-nested-array.h"
#include "acc-plan.h"

G_BEGIN_DECLS

/**
 * AccJobState:
 * @ACC_JOB_RUNNING: under way
 * @ACC_JOB_DONE: complete
 * @ACC_JOB_FAILED: ended with an error
 * @ACC_JOB_CANCELLED: ended by acc_job_cancel() or by its cancellable
 *
 * Lists the states of a job.
 */
typedef enum {
  ACC_JOB_RUNNING,
  ACC_JOB_DONE,
  ACC_JOB_FAILED,
  ACC_JOB_CANCELLED,
} AccJobState;

#define ACC_TYPE_JOB (acc_job_get_type ())

/* Represents a long run. Properties fraction, bytes-done, chunks-done, n-chunks, elements-done, n-elements, eta (seconds, -1
 * unknown), state notify at most 30 times a
 * second, on the thread-default main context of the thread that started the job. */
ACC_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AccJob, acc_job, ACC, JOB, GObject)

ACC_AVAILABLE_IN_1_0
double      acc_job_get_fraction    (AccJob *self);
ACC_AVAILABLE_IN_1_0
guint64     acc_job_get_bytes_done  (AccJob *self);
ACC_AVAILABLE_IN_1_0
guint64     acc_job_get_chunks_done (AccJob *self);
ACC_AVAILABLE_IN_1_0
guint64     acc_job_get_n_chunks    (AccJob *self);
ACC_AVAILABLE_IN_1_0
guint64     acc_job_get_elements_done (AccJob *self);
ACC_AVAILABLE_IN_1_0
gint64      acc_job_get_n_elements  (AccJob *self);
ACC_AVAILABLE_IN_1_0
double      acc_job_get_eta         (AccJob *self);
ACC_AVAILABLE_IN_1_0
AccJobState acc_job_get_state       (AccJob *self);
ACC_AVAILABLE_IN_1_0
AccPlan    *acc_job_get_plan        (AccJob *self);
/* Of a job that computes arrays to keep in memory; NULL before it is done */
ACC_AVAILABLE_IN_1_0
GPtrArray  *acc_job_get_results     (AccJob *self);
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_job_dup_nested  (AccJob *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
void        acc_job_cancel          (AccJob *self);
/* Blocks; does not iterate a main context. FALSE with the job's error */
ACC_AVAILABLE_IN_1_0
gboolean    acc_job_wait            (AccJob *self, GError **error);
/* @cancellable gives up waiting, not the job */
ACC_AVAILABLE_IN_1_0
void        acc_job_wait_async     (AccJob *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
ACC_AVAILABLE_IN_1_0
gboolean    acc_job_wait_finish    (AccJob *self, GAsyncResult *result, GError **error);
/* A report: device, seconds per stage (reading, computing, writing, waiting), bytes, peak of the budget */
ACC_AVAILABLE_IN_1_0
char       *acc_job_dup_report      (AccJob *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
