/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-host.h"
#include "acc-partition.h"

/* A schedule with its kernels compiled and all that runs of it have in common worked out. Counted, immutable but for .is_baseline and
 * .runs_left, and for .general. */
typedef struct {
  const AccLaunch *launch;
  const AccKernelEntry *entry; /* one of the two; atomic */
  AccDeviceKernel *kernel;
  AccDeviceKernel *general;    /* atomic: code for any launch; NULL: none needed it yet */
  AccPartition     whole;
  gboolean         may_fail;   /* the kernel has checks */
  gboolean         may_stop;   /* it has loops that look out for ACC_FAILURE_STOP */
  gboolean         has_own;    /* scratch for each tile: workers have it, one each */
} AccPreparedLaunch;

/* May be better code the next time. */
static inline AccKernelEntry
acc_prepared_launch_get_entry (const AccPreparedLaunch *self)
{
  return __atomic_load_n (self->entry, __ATOMIC_ACQUIRE);
}

typedef struct {
  const AccScheduleStep *step;
  AccPreparedLaunch     *launches;
  guint                  n_freed;     /* values not needed once the step is done in a whole run */
  guint                 *freed;       /* part of that of the whole */
} AccPreparedStep;

typedef struct _AccBand AccBand;

/* Steps that do not need each other, or that run band by band. */
typedef struct {
  guint   begin, end;
  AccBand *band;                      /* NULL: one after the other, or side by side */
  guint   n_narrow;                   /* of those, the ones that run side by side, in order */
  guint  *narrow;                     /* part of that of the whole */
  guint   claim;                      /* steps that a worker takes at a time */
  guint64 bytes;                      /* that the narrow ones write or use, together */
} AccWave;

typedef struct {
  char   *name;                       /* "map “blur”" */
  guint   first_buffer;               /* place of its buffers among those of all values */
  guint   n_buffers;
  gint64  n_elements;
  gint64  n_rows;                     /* extent of the outermost dimension; 1 for rank 0 */
  gint64  row_elements;
} AccPreparedValue;

typedef struct {
  gatomicrefcount   ref_count;
  AccSchedule      *schedule;
  AccPreparedStep  *steps;
  guint            *freed;            /* step by step */
  guint             n_waves;          /* 0: steps run one by one */
  AccWave          *waves;
  guint            *narrow;           /* wave by wave */
  AccPreparedValue *values;
  guint             n_buffers;
  gsize            *buffer_bytes;     /* per buffer, whole */
  gsize            *element_bytes;    /* per buffer, of one element */
  guint             max_scratch;      /* of any step */
  guint             max_slots;        /* of any launch, or of those that sweep together */
  gboolean          is_baseline;      /* atomic: some kernels are baseline code, and */
  gint              runs_left;        /* atomic: runs to do before they are optimised */
} AccPrepared;

/* Takes over @schedule. @by_rows: what it writes goes on to the next step while it is in the caches. @may_be_baseline: the results are
 * the same whether kernels are optimised or not. */
AccPrepared *acc_prepared_new   (AccHost *host, AccSchedule *schedule, gboolean by_rows, gboolean may_be_baseline,
                                 GCancellable *cancellable, GError **error);
/* Before it runs once more. Any thread. */
void         acc_prepared_begin_run (AccPrepared *self, AccHost *host);
AccPrepared *acc_prepared_ref   (AccPrepared *self);
void         acc_prepared_unref (AccPrepared *self);
/* The part of launch number @launch that rows [begin, end) of the step take; FALSE: it has nothing to do with them. */
gboolean     acc_prepared_find_rows (const AccPreparedStep *self, guint launch, gint64 begin, gint64 end, guint n_threads,
                                     AccPartition *partition);
/* Of a scratch of @step on @n_threads workers, where its rounds have @round_rows. */
gsize        acc_prepared_get_scratch_bytes (const AccScheduleStep *step, guint scratch, guint n_threads, gint64 round_rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccPrepared, acc_prepared_unref)
