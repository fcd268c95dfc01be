/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-run.h"

/* A run on the host's device. Steps are enqueued; one wait of the host, at the end. */
AccRun   *acc_device_run_new (AccHost *host, AccPrepared *prepared, GCancellable *cancellable);
/* Whether something is enqueued that was not waited for. */
gboolean  acc_device_run_is_dirty (AccRun *run);
/* Enqueues a read of the failure slot behind all launches so far; @point, of ACC_QUEUE_COMPUTE, is when it has arrived; check() after that
 * point. One read at a time. */
gboolean  acc_device_run_ask   (AccRun *run, guint64 *point, GError **error);
gboolean  acc_device_run_check (AccRun *run, GError **error);
