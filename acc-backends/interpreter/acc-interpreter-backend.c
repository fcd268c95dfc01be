/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-backend.h"

#include "acc-error.h"

/* The judge: evaluates graphs directly, node by node, element by element, on one thread. Shares nothing with the compiler. */

struct _InterpBackend
{
  AccBackend parent_instance;
};

static gboolean
interp_backend_initable_init (GInitable     *initable,
                              GCancellable  *cancellable,
                              GError       **error)
{
  AccBackend *self = ACC_BACKEND (initable);
  const char *device = acc_backend_get_device (self);

  if (device != NULL && g_strcmp0 (device, "0") != 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "the interpreter has no device “%s”", device);
      return FALSE;
    }
  acc_backend_set_identity (self, "interpreter", "evaluates the graph directly, for reference", 1);
  return TRUE;
}

static void
interp_backend_initable_iface_init (GInitableIface *iface)
{
  iface->init = interp_backend_initable_init;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (InterpBackend, interp_backend, ACC_TYPE_BACKEND,
  G_IMPLEMENT_INTERFACE (G_TYPE_INITABLE, interp_backend_initable_iface_init))

static AccExecutable *
interp_backend_compile (AccBackend    *backend,
                        AccProgram    *program,
                        GCancellable  *cancellable,
                        GError       **error)
{
  return interp_executable_new (backend, program, error);
}

static void
interp_backend_class_init (InterpBackendClass *klass)
{
  ACC_BACKEND_CLASS (klass)->compile = interp_backend_compile;
  ACC_BACKEND_CLASS (klass)->composes_segments = 1;
}

static void
interp_backend_init (InterpBackend *self)
{
}

__attribute__ ((constructor)) static void
register_interpreter (void)
{
  acc_backend_register_builtin ("interpreter", interp_backend_get_type);
}
