/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-prepared.h"

/* What the launches of one run share. */
typedef struct {
  AccHost      *host;
  AccPrepared  *prepared;
  GCancellable *cancellable;
} AccLaunchContext;

/* While it lasts, a cancellation ends the launches that have these failures. */
typedef struct {
  GCancellable *cancellable;   /* NULL: nothing does */
  gulong        handler;
  AccFailure   *failures;
  guint         n;
} AccLaunchStop;

void     acc_launch_stop_begin   (AccLaunchStop *self, GCancellable *cancellable, AccFailure *failures, guint n);
/* FALSE: it did. */
gboolean acc_launch_stop_end     (AccLaunchStop *self, GError **error);
gboolean acc_launch_may_stop     (const AccPreparedLaunch *launches, guint n);
/* Makes an error of the failure slot; @first_origin: of its launch. */
void     acc_failure_to_error    (const AccFailure *failure, AccPrepared *prepared, guint first_origin, GError **error);
void     acc_launch_context_init (AccLaunchContext *self, AccHost *host, AccPrepared *prepared, GCancellable *cancellable);
/* How many launches of @step sweep over tiles together, from number @first on; at least 1. */
guint    acc_launch_count_swept  (const AccScheduleStep *step, guint first);
/* Runs @n launches that sweep together, or one, over all tiles and waits. @partition: of the first. @slots: as their kernels take
 * them, of one after the other. Fails where the run was cancelled or a kernel met an index or a divisor that it must not. */
gboolean acc_launch_run          (AccLaunchContext *self, const AccPreparedLaunch *launches, guint n, const AccPartition *partition,
                                  const guint64 *slots, GError **error);
