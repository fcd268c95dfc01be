/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-bound-private.h"

static gboolean
make_call (gpointer data)
{
  AccBoundCall *call = data;
  AccSequenceProducerClass *klass = ACC_SEQUENCE_PRODUCER_GET_CLASS (call->self);

  if (call->max_elements > 0)
    call->nested = klass->read (call->self, call->max_elements, call->max_values, call->cancellable, &call->error);
  else
    call->rewound = klass->rewind (call->self, &call->error);

  g_mutex_lock (&call->lock);
  call->done = TRUE;
  g_cond_signal (&call->changed);
  g_mutex_unlock (&call->lock);

  return G_SOURCE_REMOVE;
}

/* Not by g_main_context_invoke(), which calls here where nobody has @context at the moment. */
static void
call_later (AccBoundCall *call,
            GMainContext *context)
{
  g_autoptr(GSource) source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, make_call, call, NULL);
  g_source_attach (source, context);
}

void
acc_bound_call (AccBoundCall *call,
                GMainContext *context,
                GError      **error)
{
  g_mutex_init (&call->lock);
  g_cond_init (&call->changed);
  if (context == NULL)
    make_call (call);
  else
    call_later (call, context);

  g_mutex_lock (&call->lock);
  while (!call->done)
    g_cond_wait (&call->changed, &call->lock);
  g_mutex_unlock (&call->lock);
  g_mutex_clear (&call->lock);
  g_cond_clear (&call->changed);
  if (call->error != NULL)
    g_propagate_error (error, g_steal_pointer (&call->error));
}
