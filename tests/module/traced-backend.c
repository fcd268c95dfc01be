/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A backend in a module of its own, built against an installed acc: "traced:NAME" runs everything on backend NAME (without a
 * name: the interpreter), and says on standard error what ran and for how long. */

#include <acc/acc-module.h>

/* --- an executable */

typedef struct {
  AccExecutable  parent_instance;
  AccExecutable *inner;
} TracedExecutable;

typedef struct {
  AccExecutableClass parent_class;
} TracedExecutableClass;

static GType traced_executable_get_type (void);
G_DEFINE_TYPE (TracedExecutable, traced_executable, ACC_TYPE_EXECUTABLE)

static GPtrArray *
traced_executable_run (AccExecutable  *executable,
                       AccArray      **arguments,
                       guint           n_arguments,
                       GCancellable   *cancellable,
                       GError        **error)
{
  TracedExecutable *self = (TracedExecutable *) executable;
  gint64 begin = g_get_monotonic_time ();
  GPtrArray *results = acc_executable_run (self->inner, arguments, n_arguments, cancellable, error);

  g_printerr ("traced: run of %u arguments took %" G_GINT64_FORMAT " µs: %s\n", n_arguments,
              g_get_monotonic_time () - begin, results != NULL ? "done" : "failed");

  return results;
}

static AccRowRun *
traced_executable_begin_rows (AccExecutable  *executable,
                              AccArray      **arguments,
                              guint           n_arguments,
                              GCancellable   *cancellable,
                              GError        **error)
{
  g_printerr ("traced: run by rows\n");

  return acc_executable_begin_rows (((TracedExecutable *) executable)->inner, arguments, n_arguments, cancellable, error);
}

static void
traced_executable_finalize (GObject *object)
{
  g_clear_object (&((TracedExecutable *) object)->inner);
  G_OBJECT_CLASS (traced_executable_parent_class)->finalize (object);
}

static void
traced_executable_class_init (TracedExecutableClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = traced_executable_finalize;
  ACC_EXECUTABLE_CLASS (klass)->run = traced_executable_run;
  ACC_EXECUTABLE_CLASS (klass)->begin_rows = traced_executable_begin_rows;
}

static void
traced_executable_init (TracedExecutable *self)
{
}

/* --- the backend */

typedef struct {
  AccBackend  parent_instance;
  AccBackend *inner;
} TracedBackend;

typedef struct {
  AccBackendClass parent_class;
} TracedBackendClass;

static GType traced_backend_get_type (void);
static void  traced_backend_initable_init (GInitableIface *iface);
G_DEFINE_TYPE_WITH_CODE (TracedBackend, traced_backend, ACC_TYPE_BACKEND,
                         G_IMPLEMENT_INTERFACE (G_TYPE_INITABLE, traced_backend_initable_init))

static gboolean
traced_backend_init_device (GInitable     *initable,
                            GCancellable  *cancellable,
                            GError       **error)
{
  TracedBackend *self = (TracedBackend *) initable;
  const char *device = acc_backend_get_device (ACC_BACKEND (self));
  g_autofree char *description = NULL;

  self->inner = acc_backend_new_for_name (device != NULL ? device : "interpreter", error);
  if (self->inner == NULL)
    return FALSE;

  description = g_strdup_printf ("traces %s", acc_backend_get_name (self->inner));
  acc_backend_set_identity (ACC_BACKEND (self), "traced", description, acc_backend_get_n_threads (self->inner));

  return TRUE;
}

static AccExecutable *
traced_backend_compile (AccBackend    *backend,
                        AccProgram    *program,
                        GCancellable  *cancellable,
                        GError       **error)
{
  AccExecutable *inner = acc_backend_compile (((TracedBackend *) backend)->inner, program, cancellable, error);
  TracedExecutable *self;

  if (inner == NULL)
    return NULL;

  self = g_object_new (traced_executable_get_type (), NULL);
  self->inner = inner;
  acc_executable_set_origin (ACC_EXECUTABLE (self), backend, program);

  return ACC_EXECUTABLE (self);
}

static gpointer
traced_backend_allocate (AccBackend  *backend,
                         gsize        size,
                         const char  *what,
                         GError     **error)
{
  return acc_backend_allocate (((TracedBackend *) backend)->inner, size, what, error);
}

static void
traced_backend_finalize (GObject *object)
{
  g_clear_object (&((TracedBackend *) object)->inner);
  G_OBJECT_CLASS (traced_backend_parent_class)->finalize (object);
}

static void
traced_backend_initable_init (GInitableIface *iface)
{
  iface->init = traced_backend_init_device;
}

static void
traced_backend_class_init (TracedBackendClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = traced_backend_finalize;
  ACC_BACKEND_CLASS (klass)->compile = traced_backend_compile;
  ACC_BACKEND_CLASS (klass)->allocate = traced_backend_allocate;
}

static void
traced_backend_init (TracedBackend *self)
{
}

ACC_DEFINE_BACKEND_MODULE_ABI

GType
acc_backend_module_get_type (void)
{
  return traced_backend_get_type ();
}
