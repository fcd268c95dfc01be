/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-tensorflow-session.h"

/* ConfigProto: graph_options { optimizer_options { opt_level: L0 } rewrite_options { disable_meta_optimizer: true } }: there is nothing to
 * optimise about one operation. */
static const guint8 config[] = {
  0x52, 0x12, 0x1a, 0x0b, 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x52, 0x03, 0x98, 0x01, 0x01,
};

/* Before another begins. Each has threads, ten in TensorFlow 2.21, so that one for each module would be too many for the system; none of
 * its modules goes before all do. */
#define MOST_MODULES 64

AccTensorflowSession *
acc_tensorflow_session_ref (AccTensorflowSession *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_tensorflow_session_unref (AccTensorflowSession *self)
{
  TfStatus *status;

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  status = self->api->NewStatus ();
  if (self->session != NULL)
    {
      self->api->CloseSession (self->session, status);
      self->api->DeleteSession (self->session, status);
    }
  self->api->DeleteGraph (self->graph);
  self->api->DeleteStatus (status);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccTensorflowSession, acc_tensorflow_session_unref)

static AccTensorflowSession *
session_new (const AccTensorflow  *api,
             const char           *what,
             GError              **error)
{
  g_autoptr(AccTensorflowSession) self = g_new0 (AccTensorflowSession, 1);
  TfStatus *status = api->NewStatus ();
  TfSessionOptions *options = api->NewSessionOptions ();
  gboolean ok;

  g_atomic_ref_count_init (&self->ref_count);
  self->api = api;
  self->graph = api->NewGraph ();
  api->SetConfig (options, config, sizeof config, status);
  if (api->GetCode (status) == TF_CODE_OK)
    self->session = api->NewSession (self->graph, options, status);
  ok = acc_tensorflow_check (api, status, what, error);
  api->DeleteSessionOptions (options);
  api->DeleteStatus (status);

  return ok ? g_steal_pointer (&self) : NULL;
}

/* --- those of an engine */

void
acc_tensorflow_sessions_init (AccTensorflowSessions *self)
{
  g_mutex_init (&self->lock);
}

void
acc_tensorflow_sessions_clear (AccTensorflowSessions *self)
{
  g_clear_pointer (&self->last, acc_tensorflow_session_unref);
  g_mutex_clear (&self->lock);
}

AccTensorflowSession *
acc_tensorflow_sessions_get (AccTensorflowSessions  *self,
                             const AccTensorflow    *api,
                             const char             *what,
                             guint                  *number,
                             GError                **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (self->last != NULL && self->last->n_modules == MOST_MODULES)
    g_clear_pointer (&self->last, acc_tensorflow_session_unref);
  if (self->last == NULL)
    self->last = session_new (api, what, error);
  if (self->last == NULL)
    return NULL;
  *number = self->last->n_modules++;

  return acc_tensorflow_session_ref (self->last);
}
