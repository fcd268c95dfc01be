/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-job.h"

G_BEGIN_DECLS

typedef enum {
  ACC_STAGE_READING,
  ACC_STAGE_COMPUTING,
  ACC_STAGE_WRITING,
  ACC_STAGE_WAITING,    /* kernels, for a chunk to read or a buffer to write to */
  ACC_N_STAGES
} AccStage;

/* What the run tells the job: any thread; all of them accept NULL for a run that nobody watches. */
AccJob       *acc_job_new             (AccBackend *backend);
GCancellable *acc_job_get_cancellable (AccJob *self);
void          acc_job_set_plan        (AccJob *self, AccPlan *plan);
void          acc_job_add_seconds     (AccJob *self, AccStage stage, double seconds);
void          acc_job_add_device_time (AccJob *self, double busy, double passed);
void          acc_job_add_bytes       (AccJob *self, guint64 in, guint64 out);
/* @bytes_done: in all, of what fraction counts. */
void          acc_job_advance         (AccJob *self, guint64 chunks_done, guint64 bytes_done);
/* Takes over @error; NULL: done. */
void          acc_job_finish          (AccJob *self, GError *error);

G_END_DECLS
