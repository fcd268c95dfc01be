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
/* Elements follow the chunks of the job: the results are written. */
void          acc_job_set_writes      (AccJob *self);
/* Takes over @error; NULL: done. */
void          acc_job_finish          (AccJob *self, GError *error);
/* The same, with what was computed; takes over both. */
void          acc_job_finish_with     (AccJob *self, GPtrArray *results, GError *error);

/* What the results will be parts of. */
void          acc_job_set_nested      (AccJob *self, AccNestedArray *nested);

/* How far a walk over sequences is. */
typedef struct {
  gint64 done;        /* elements */
  gint64 total;       /* -1: not known */
  double fraction;    /* of the walk; 0 where it cannot be told */
} AccJobWalk;

/* Within a walk; what runs for its steps is no progress of the job by itself. */
void          acc_job_enter_walk      (AccJob *self);
void          acc_job_leave_walk      (AccJob *self);
/* One more walk counts: it told { 0, -1, 0 }. */
void          acc_job_add_walk        (AccJob *self);
/* *@last: what the walk told last, which becomes @now. */
void          acc_job_tell_walk       (AccJob *self, AccJobWalk *last, AccJobWalk now);
/* Of all walks, with the lock held; -1: not known. */
gint64        acc_job_count_elements  (AccJob *self);
/* The job that runs under @cancellable, which is its own; NULL: none. Borrowed. */
AccJob       *acc_job_find            (GCancellable *cancellable);
/* The same where the chunks of what runs are those of the job: it does not write, and is in no walk. */
AccJob       *acc_job_find_by_chunks  (GCancellable *cancellable);
/* Something that is notified has changed; with the lock held. */
void          acc_job_changed         (AccJob *self);

/* What was notified. */
typedef struct {
  double  fraction;
  guint64 bytes_done, chunks_done, n_chunks, elements_done;
  gint64  n_elements;
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
  guint64       elements_done;
  gint64        n_elements;    /* of walks whose end is known */
  guint         n_walks, n_open;                /* over sequences; those whose end is not known */
  double        walked;        /* fractions of these */
  guint         walking;       /* walks that are under way */
  gboolean      writes;
  GPtrArray    *results;
  AccNestedArray *nested;      /* owned: what these are parts of; NULL: nothing */
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
