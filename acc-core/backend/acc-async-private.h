/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backend.h"

/* Work on threads of its own. */

/* Work that an exiting process must wait for: drivers shut down then, whoever is inside. */
typedef struct _AccUnderWay AccUnderWay;
struct _AccUnderWay {
  GThread      *thread;
  GCancellable *own;        /* cancelled at exit */
  GCancellable *others;     /* nullable: the caller's */
  gulong        handler;
  AccUnderWay  *next;
};

/* Registers work by @thread, which does it: @own is cancelled when @others is, and when the process exits, which then waits a while. */
void acc_under_way_begin (AccUnderWay *self, GThread *thread, AccBackend *backend, GCancellable *own, GCancellable *others);
void acc_under_way_end   (AccUnderWay *self);

/* Gives a result that is not NULL, or an error. */
typedef gpointer (*AccAsyncFunc) (gpointer source, gpointer data, GCancellable *cancellable, GError **error);

/* Like g_task_run_in_thread(), for registered work. When the callback is called, no other thread holds a reference of the call: objects
 * that it keeps, such as a device, are freed on the thread that drops the last reference, not beside a process that exits. */
void acc_async_run       (GTask *task, AccBackend *backend, AccAsyncFunc func, GDestroyNotify free_result);
