/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-bound-private.h"

typedef struct {
  AccBoundFunc function;
  gpointer     data;
  GMutex       lock;
  GCond        changed;
  gboolean     done;
} Call;

void
acc_bound_init (AccBound *self)
{
  self->thread = g_thread_self ();
  self->context = g_main_context_ref_thread_default ();
}

void
acc_bound_clear (AccBound *self)
{
  g_clear_pointer (&self->context, g_main_context_unref);
  self->thread = NULL;
}

gboolean
acc_bound_is_here (const AccBound *self)
{
  return self->thread == g_thread_self ();
}

static gboolean
make_call (gpointer data)
{
  Call *call = data;

  call->function (call->data);

  g_mutex_lock (&call->lock);
  call->done = TRUE;
  g_cond_signal (&call->changed);
  g_mutex_unlock (&call->lock);

  return G_SOURCE_REMOVE;
}

void
acc_bound_call (const AccBound *self, AccBoundFunc function, gpointer data)
{
  Call call = { .function = function, .data = data };
  g_autoptr(GSource) source = NULL;

  if (self->thread == NULL || acc_bound_is_here (self))
    {
      function (data);
      return;
    }

  /* Not by g_main_context_invoke(), which calls here where nobody has the context at the moment. */
  source = g_idle_source_new ();
  g_mutex_init (&call.lock);
  g_cond_init (&call.changed);
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, make_call, &call, NULL);
  g_source_attach (source, self->context);

  g_mutex_lock (&call.lock);
  while (!call.done)
    g_cond_wait (&call.changed, &call.lock);
  g_mutex_unlock (&call.lock);
  g_mutex_clear (&call.lock);
  g_cond_clear (&call.changed);
}
