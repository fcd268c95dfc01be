/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-job.h"
#include "acc-core/backend/acc-backend-private.h"

typedef enum {
  ACC_STAGE_READING,
  ACC_STAGE_COMPUTING,
  ACC_STAGE_WRITING,
  ACC_STAGE_WAITING,    /* kernels, for a chunk to read or a buffer to write to */
  ACC_N_STAGES
} AccStage;

/* Progress from the run to the job: any thread; all functions accept NULL for a run without a job. */
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

/* What was notified. */
typedef struct {
  double  fraction;
  guint64 bytes_done, chunks_done, n_chunks;
  int     eta;
  AccJobState state;
  gboolean has_plan;
} AccJobSeen;

struct _AccJob
{
  GObject       parent_instance;

  GMainContext *context;
  GCancellable *cancellable;
  char         *device;
  AccBudget    *budget;
  gint64        began;

  /* All below: lock */
  GMutex        lock;
  GCond         cond;
  AccJobState   state;
  GError       *error;
  AccPlan      *plan;
  guint64       bytes_done, chunks_done, n_chunks;
  guint64       bytes_before, chunks_before;    /* of walks that are done */
  guint64       bytes_in, bytes_out, peak;
  double        seconds[ACC_N_STAGES];
  double        device_busy, device_passed;
  gint64        ended;
  GSource      *notifier;      /* attached and not yet dispatched */
  gint64        notified;
  AccJobSeen    seen;          /* what was notified last */
  GPtrArray    *waiters;       /* of acc-job-wait.c */
};

/* Those who wait for the end: frees one, and tells one once it has come. */
void          acc_job_waiter_free    (gpointer waiter);
void          acc_job_waiter_return  (AccJob *self, gpointer waiter);
