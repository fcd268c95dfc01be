/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-host-rows-private.h"

/* Of the backends of the host that others have, and of executables for them. */
static GMutex lock;

/* That one, and the same where it has computed rows. */
#define HOST      "acc-host"
#define HOST_ROWS "acc-host-rows"

/* With the lock held; NULL: there is none yet. */
static AccBackend *
get_host (AccBackend *backend, const char *key)
{
  return g_object_get_qdata (G_OBJECT (backend), g_quark_from_string (key));
}

/* With the lock held. */
static AccBackend *
ensure_host (AccBackend *backend, GError **error)
{
  AccBackend *host = get_host (backend, HOST);

  if (host == NULL)
    host = acc_backend_new_host (backend, error);
  if (host == NULL)
    return NULL;
  if (get_host (backend, HOST) == NULL)
    g_object_set_qdata_full (G_OBJECT (backend), g_quark_from_static_string (HOST), host, g_object_unref);
  acc_backend_set_fast_math (host, acc_backend_get_fast_math (backend));

  return host;
}

AccBackend *
acc_backend_get_host (AccBackend *self, GError **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&lock);

  return ensure_host (self, error);
}

AccExecutable *
acc_host_rows_compile (AccBackend *backend, AccProgram *program, AccExecutable **place, GCancellable *cancellable, GError **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&lock);
  AccBackend *host = ensure_host (backend, error);

  if (host == NULL)
    {
      g_prefix_error (error, "%s does not run by rows: ", acc_backend_get_name (backend));
      return NULL;
    }
  g_object_set_qdata (G_OBJECT (backend), g_quark_from_static_string (HOST_ROWS), host);
  if (*place == NULL)
    *place = acc_backend_compile (host, program, cancellable, error);

  return *place;
}

AccBackend *
acc_backend_get_for_rows (AccBackend *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&lock);
  AccBackend *host = get_host (self, HOST_ROWS);

  return host != NULL ? host : self;
}
