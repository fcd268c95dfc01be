/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-xla-backend.h"

#include "acc-xla-export.h"
#include "acc-xla-run.h"
#include "acc-backends/runtime/graph/acc-graph-run.h"

/* The types are registered by name at run time, since several modules carry this code in one process. */

typedef struct {
  const char *name;
  AccXlaEngine *(*open) (const char *device, GError **error);
  GType       executable_type;
} Description;

typedef struct {
  AccBackendClass    parent_class;
  const Description *description;
} BackendClass;

typedef struct {
  AccBackend     parent_instance;

  AccHost        host;
  AccXlaPlanner  planner;
  AccXlaEngine  *engine;
} Backend;

typedef struct {
  AccExecutable  parent_instance;

  AccGraph      *graph;
} Executable;

/* --- programs */

static GPtrArray *
executable_run (AccExecutable  *executable,
                AccArray      **arguments,
                guint           n_arguments,
                GCancellable   *cancellable,
                GError        **error)
{
  return acc_graph_run (((Executable *) executable)->graph, arguments, cancellable, error);
}

static void
executable_finalize (GObject *object)
{
  g_clear_pointer (&((Executable *) object)->graph, acc_graph_free);

  G_OBJECT_CLASS (g_type_class_peek (ACC_TYPE_EXECUTABLE))->finalize (object);
}

static void
executable_class_init (gpointer klass,
                       gpointer data)
{
  G_OBJECT_CLASS (klass)->finalize = executable_finalize;
  ACC_EXECUTABLE_CLASS (klass)->run = executable_run;
  ACC_EXECUTABLE_CLASS (klass)->prefers_whole = TRUE;
}

/* --- the backend */

static const Description *
get_description (gpointer backend)
{
  return G_TYPE_INSTANCE_GET_CLASS (backend, 0, BackendClass)->description;
}

static AccExecutable *
backend_compile (AccBackend    *backend,
                 AccProgram    *program,
                 GCancellable  *cancellable,
                 GError       **error)
{
  Executable *executable = g_object_new (get_description (backend)->executable_type, NULL);

  acc_executable_set_origin (ACC_EXECUTABLE (executable), backend, program);
  executable->graph = acc_graph_new (&((Backend *) backend)->host, program, FALSE);

  return ACC_EXECUTABLE (executable);
}

static gpointer
backend_allocate (AccBackend  *backend,
                  gsize        size,
                  const char  *what,
                  GError     **error)
{
  return acc_pool_allocate_exact (((Backend *) backend)->host.pool, size, what, error);
}

static gboolean
backend_init (GInitable     *initable,
              GCancellable  *cancellable,
              GError       **error)
{
  Backend *self = (Backend *) initable;
  AccBackend *backend = ACC_BACKEND (initable);
  const Description *description = get_description (backend);
  const char *device = acc_backend_get_device (backend);
  g_autofree char *name = device != NULL ? g_strconcat (description->name, ":", device, NULL) : g_strdup (description->name);

  self->engine = description->open (device, error);
  if (self->engine == NULL)
    return FALSE;

  if (!self->engine->is_host)
    acc_backend_split_budget (backend);
  self->engine->budget = acc_budget_ref (acc_backend_get_budget (backend));
  self->engine->host_budget = acc_budget_ref (acc_backend_get_host_budget (backend));
  acc_xla_planner_init (&self->planner, self->engine);
  self->host.backend = backend;
  self->host.planner = &self->planner.base;
  self->host.pool = acc_pool_new (acc_backend_get_host_budget (backend), 0);
  self->host.workers = acc_workers_new (1);
  acc_backend_set_identity (backend, name, self->engine->description, 1);

  return TRUE;
}

static void
backend_finalize (GObject *object)
{
  Backend *self = (Backend *) object;

  g_clear_pointer (&self->host.workers, acc_workers_free);
  if (self->host.pool != NULL)
    acc_pool_close (self->host.pool);
  g_clear_pointer (&self->host.pool, acc_pool_unref);
  acc_xla_planner_clear (&self->planner);
  if (self->engine != NULL)
    self->engine->klass->unref (self->engine);

  G_OBJECT_CLASS (g_type_class_peek (ACC_TYPE_BACKEND))->finalize (object);
}

static GBytes *
backend_export_program (AccBackendClass *klass,
                        AccProgram      *program,
                        AccProgram      *other,
                        guint            form,
                        gboolean         fast_math,
                        GError         **error)
{
  return acc_xla_export (program, other, (AccExportForm) form, fast_math, error);
}

static void
backend_class_init (gpointer klass,
                    gpointer data)
{
  G_OBJECT_CLASS (klass)->finalize = backend_finalize;
  ACC_BACKEND_CLASS (klass)->compile = backend_compile;
  ACC_BACKEND_CLASS (klass)->allocate = backend_allocate;
  ACC_BACKEND_CLASS (klass)->export_program = backend_export_program;
  ((BackendClass *) klass)->description = data;
}

static void
initable_init (gpointer interface,
               gpointer data)
{
  ((GInitableIface *) interface)->init = backend_init;
}

GType
acc_xla_backend_register (const char *type_prefix,
                          const char *name,
                          AccXlaEngine *(*open) (const char *device, GError **error))
{
  static GMutex lock;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&lock);
  g_autofree char *backend_name = g_strconcat (type_prefix, "Backend", NULL);
  g_autofree char *executable_name = g_strconcat (type_prefix, "Executable", NULL);
  GTypeInfo backend_info = { .class_size = sizeof (BackendClass), .class_init = backend_class_init, .instance_size = sizeof (Backend) };
  const GTypeInfo executable_info = { .class_size = sizeof (AccExecutableClass), .class_init = executable_class_init,
                                      .instance_size = sizeof (Executable) };
  const GInterfaceInfo initable_info = { .interface_init = initable_init };
  GType type = g_type_from_name (backend_name);
  Description *description;

  if (type != G_TYPE_INVALID)
    return type;

  description = g_new0 (Description, 1);
  description->name = name;
  description->open = open;
  description->executable_type = g_type_register_static (ACC_TYPE_EXECUTABLE, executable_name, &executable_info, G_TYPE_FLAG_FINAL);
  backend_info.class_data = description;
  type = g_type_register_static (ACC_TYPE_BACKEND, backend_name, &backend_info, G_TYPE_FLAG_FINAL);
  g_type_add_interface_static (type, G_TYPE_INITABLE, &initable_info);

  return type;
}
