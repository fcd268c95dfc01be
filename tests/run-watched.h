/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* Runs that may take too long: a thread cancels what is not done in time. */

typedef struct {
  GMutex        lock;
  GCond         changed;
  gboolean      is_done;
  gint64        end;          /* monotonic time */
  GCancellable *cancellable;
  GThread      *thread;
} Watch;

static inline gpointer
watch_wait (gpointer data)
{
  Watch *self = data;

  g_mutex_lock (&self->lock);
  while (!self->is_done && g_cond_wait_until (&self->changed, &self->lock, self->end))
    ;
  if (!self->is_done)
    g_cancellable_cancel (self->cancellable);
  g_mutex_unlock (&self->lock);

  return NULL;
}

/* @self: zeros. The run takes .cancellable. */
static inline void
watch_begin (Watch *self, guint seconds)
{
  self->cancellable = g_cancellable_new ();
  self->end = g_get_monotonic_time () + seconds * G_TIME_SPAN_SECOND;
  self->thread = g_thread_new ("watch", watch_wait, self);
}

static inline void
watch_end (Watch *self)
{
  g_mutex_lock (&self->lock);
  self->is_done = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  g_object_unref (self->cancellable);
}
