/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-host-rows-private.h"

/* Of the backends of the host that others have, and of executables for them. */
static GMutex lock;

/* With the lock held; NULL: nobody has asked for it yet. */
static AccBackend *
get_host (AccBackend *backend)
{
  return g_object_get_qdata (G_OBJECT (backend), g_quark_from_static_string ("acc-host-rows"));
}

static AccBackend *
ensure_host (AccBackend *backend, GError **error)
{
  AccBackend *host = get_host (backend);

  if (host != NULL)
    return host;

  host = acc_backend_new_host (backend, error);
  if (host == NULL)
    g_prefix_error (error, "%s does not run by rows: ", acc_backend_get_name (backend));
  else
    g_object_set_qdata_full (G_OBJECT (backend), g_quark_from_static_string ("acc-host-rows"), host, g_object_unref);

  return host;
}

AccExecutable *
acc_host_rows_compile (AccBackend *backend, AccProgram *program, AccExecutable **place, GCancellable *cancellable, GError **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&lock);
  AccBackend *host = ensure_host (backend, error);

  if (host == NULL)
    return NULL;
  acc_backend_set_fast_math (host, acc_backend_get_fast_math (backend));
  if (*place == NULL)
    *place = acc_backend_compile (host, program, cancellable, error);

  return *place;
}

AccBackend *
acc_backend_get_for_rows (AccBackend *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&lock);
  AccBackend *host = get_host (self);

  return host != NULL ? host : self;
}
