/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-async-private.h"

#include <stdlib.h>

/* How long a process that exits waits for work that was cancelled. */
#define PATIENCE (2 * G_TIME_SPAN_SECOND)

G_LOCK_DEFINE_STATIC (under_way);
static AccUnderWay *under_way;
static gboolean exiting;
static GCond some_ended;

static gboolean
is_work_of_others (void)
{
  for (AccUnderWay *work = under_way; work != NULL; work = work->next)
    if (work->thread != g_thread_self ())
      return TRUE;

  return FALSE;
}

static void
end_work (void)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func (g_object_unref);

  G_LOCK (under_way);
  exiting = TRUE;
  for (AccUnderWay *work = under_way; work != NULL; work = work->next)
    g_ptr_array_add (all, g_object_ref (work->own));
  G_UNLOCK (under_way);
  /* Work that is cancelled may be about to end. */
  for (guint i = 0; i < all->len; i++)
    g_cancellable_cancel (all->pdata[i]);

  G_LOCK (under_way);
  while (is_work_of_others ())
    if (!g_cond_wait_until (&some_ended, &G_LOCK_NAME (under_way), until))
      break;
  G_UNLOCK (under_way);
}

/**
 * acc_backend_end_work:
 *
 * Cancels asynchronous calls and jobs that are under way, on all backends, and those that begin later, and waits until they have ended, two
 * seconds at most.
 *
 * A process that exits does so by itself. A language whose functions acc calls, such as those of producers, does it before it shuts down:
 * Python's overrides call it at exit.
 */
void
acc_backend_end_work (void)
{
  end_work ();
}

/* Exit handlers run in reverse order: those of a device's driver were registered before this one, so this runs first. */
static void
end_before_driver (AccBackend *backend)
{
  static GQuark quark;
  gboolean known;

  G_LOCK (under_way);
  quark = g_quark_from_static_string ("acc-evaluate-flows-at-exit");
  known = g_object_get_qdata (G_OBJECT (backend), quark) != NULL;
  g_object_set_qdata (G_OBJECT (backend), quark, GINT_TO_POINTER (TRUE));
  G_UNLOCK (under_way);
  if (!known)
    atexit (end_work);
}

static void
on_cancelled (GCancellable *cancellable, gpointer own)
{
  g_cancellable_cancel (own);
}

void
acc_under_way_begin (AccUnderWay *self, GThread *thread, AccBackend *backend, GCancellable *own, GCancellable *others)
{
  gboolean late;

  end_before_driver (backend);
  *self = (AccUnderWay) { .thread = thread, .own = g_object_ref (own) };
  if (others != NULL)
    {
      self->others = g_object_ref (others);
      self->handler = g_cancellable_connect (others, G_CALLBACK (on_cancelled), g_object_ref (own), g_object_unref);
    }

  G_LOCK (under_way);
  self->next = under_way;
  under_way = self;
  late = exiting;
  G_UNLOCK (under_way);
  if (late)
    g_cancellable_cancel (own);
}

void
acc_under_way_end (AccUnderWay *self)
{
  AccUnderWay **link;

  if (self->others != NULL)
    g_cancellable_disconnect (self->others, self->handler);
  g_clear_object (&self->others);

  G_LOCK (under_way);
  for (link = &under_way; *link != self; link = &(*link)->next)
    ;
  *link = self->next;
  g_cond_broadcast (&some_ended);
  G_UNLOCK (under_way);
  g_clear_object (&self->own);
}

/* --- tasks */

typedef struct {
  GTask         *task;
  AccBackend    *backend;    /* which the task's source holds */
  AccAsyncFunc   func;
  GDestroyNotify free_result;
  gpointer       result;
  GError        *error;
} Call;

/* In the caller's context. */
static void
call_free (gpointer data)
{
  Call *self = data;

  if (self->result != NULL && self->free_result != NULL)
    self->free_result (self->result);
  g_clear_error (&self->error);
  g_object_unref (self->task);
  g_free (self);
}

static gboolean
return_to_caller (gpointer data)
{
  Call *self = data;

  if (self->result != NULL)
    g_task_return_pointer (self->task, g_steal_pointer (&self->result), self->free_result);
  else
    g_task_return_error (self->task, g_steal_pointer (&self->error));

  return G_SOURCE_REMOVE;
}

static void
work_in_thread (GTask *carrier, gpointer unused, gpointer data, GCancellable *none)
{
  Call *self = data;
  g_autoptr(GCancellable) own = g_cancellable_new ();
  g_autoptr(GSource) source = g_idle_source_new ();
  AccUnderWay work;

  acc_under_way_begin (&work, g_thread_self (), self->backend, own, g_task_get_cancellable (self->task));
  self->result = self->func (g_task_get_source_object (self->task), g_task_get_task_data (self->task), own, &self->error);
  acc_under_way_end (&work);

  g_source_set_priority (source, g_task_get_priority (self->task));
  g_source_set_static_name (source, "acc-return");
  g_source_set_callback (source, return_to_caller, self, call_free);
  g_source_attach (source, g_task_get_context (self->task));
  g_task_return_boolean (carrier, TRUE);
}

void
acc_async_run (GTask *task, AccBackend *backend, AccAsyncFunc func, GDestroyNotify free_result)
{
  g_autoptr(GTask) carrier = g_task_new (NULL, NULL, NULL, NULL);
  Call *call = g_new0 (Call, 1);

  call->task = g_object_ref (task);
  call->backend = backend;
  call->func = func;
  call->free_result = free_result;
  /* The thread hands the result on: the carrier, which the thread frees last, does not refer to it. */
  g_task_set_task_data (carrier, call, NULL);
  g_task_set_priority (carrier, g_task_get_priority (task));
  g_task_run_in_thread (carrier, work_in_thread);
}
