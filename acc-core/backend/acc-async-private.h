/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backend.h"

G_BEGIN_DECLS

/* Work on threads of its own. */

/* Work that a process which exits must not leave alone: drivers take themselves down then, whoever is inside. */
typedef struct _AccUnderWay AccUnderWay;
struct _AccUnderWay {
  GThread      *thread;
  GCancellable *own;        /* cancelled at exit */
  GCancellable *others;     /* nullable: the caller's */
  gulong        handler;
  AccUnderWay  *next;
};

/* From here to its end, by the thread that works: @own is cancelled when @others is, and when the process exits, which then
 * waits a while. */
void acc_under_way_begin (AccUnderWay *self, AccBackend *backend, GCancellable *own, GCancellable *others);
void acc_under_way_end   (AccUnderWay *self);

/* Gives a result that is not NULL, or an error. */
typedef gpointer (*AccAsyncFunc) (gpointer source, gpointer data, GCancellable *cancellable, GError **error);

/* As g_task_run_in_thread(), of work under way. When the callback is called, no other thread holds anything of the call: what
 * ends with its last reference, a device among it, ends on the thread that lets go of it, not beside a process that exits. */
void acc_async_run       (GTask *task, AccBackend *backend, AccAsyncFunc func, GDestroyNotify free_result);

G_END_DECLS
