/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-graph-backend.h"

#include "acc-graph-run.h"

#include <stdlib.h>

typedef struct {
  const AccGraphBackendKind *kind;
  const char                *name;
  gpointer                   data;
  GType                      executable_type;
} Description;

typedef struct {
  AccBackendClass    parent_class;
  const Description *description;
} BackendClass;

/* --- executables */

static GPtrArray *
executable_run (AccExecutable  *executable,
                AccArray      **arguments,
                guint           n_arguments,
                GCancellable   *cancellable,
                GError        **error)
{
  return acc_graph_run (((AccGraphExecutable *) executable)->graph, arguments, cancellable, error);
}

static void
executable_finalize (GObject *object)
{
  g_clear_pointer (&((AccGraphExecutable *) object)->graph, acc_graph_free);

  G_OBJECT_CLASS (g_type_class_peek (ACC_TYPE_EXECUTABLE))->finalize (object);
}

static void
executable_class_init (gpointer klass,
                       gpointer data)
{
  const Description *description = data;

  G_OBJECT_CLASS (klass)->finalize = executable_finalize;
  ACC_EXECUTABLE_CLASS (klass)->run = executable_run;
  ACC_EXECUTABLE_CLASS (klass)->prefers_whole = TRUE;
  if (description->kind->init_executable_class != NULL)
    description->kind->init_executable_class (klass);
}

/* --- backends */

static const Description *
get_description (AccBackend *self)
{
  return G_TYPE_INSTANCE_GET_CLASS (self, 0, BackendClass)->description;
}

static AccExecutable *
backend_compile (AccBackend    *backend,
                 AccProgram    *program,
                 GCancellable  *cancellable,
                 GError       **error)
{
  AccGraphExecutable *executable;

  if (acc_debug_get_flags () & ACC_DEBUG_GRAPH)
    {
      g_autofree char *text = acc_program_to_string (program);

      g_message ("program:\n%s", text);
    }

  executable = g_object_new (get_description (backend)->executable_type, NULL);
  acc_executable_set_origin (ACC_EXECUTABLE (executable), backend, program);
  executable->graph = acc_graph_new (&((AccGraphBackend *) backend)->host, program, FALSE);

  return ACC_EXECUTABLE (executable);
}

static void
backend_class_init (gpointer klass,
                    gpointer data)
{
  const Description *description = data;

  ((BackendClass *) klass)->description = description;
  G_OBJECT_CLASS (klass)->finalize = description->kind->finalize;
  ACC_BACKEND_CLASS (klass)->compile = backend_compile;
  description->kind->init_class (klass);
}

static void
initable_init (gpointer interface,
               gpointer data)
{
  ((GInitableIface *) interface)->init = ((const AccGraphBackendKind *) data)->init;
}

gconstpointer
acc_graph_backend_get_data (AccBackendClass *klass)
{
  return ((BackendClass *) klass)->description->data;
}

char *
acc_graph_backend_dup_name (AccBackend *self)
{
  const char *name = get_description (self)->name, *device = acc_backend_get_device (self);

  return device != NULL ? g_strconcat (name, ":", device, NULL) : g_strdup (name);
}

GType
acc_graph_backend_register (const AccGraphBackendKind *kind,
                            const char                *type_prefix,
                            const char                *name,
                            gconstpointer              data,
                            gsize                      size)
{
  static GMutex lock;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&lock);
  g_autofree char *backend_name = g_strconcat (type_prefix, "Backend", NULL);
  g_autofree char *executable_name = g_strconcat (type_prefix, "Executable", NULL);
  GTypeInfo backend_info = { .class_size = sizeof (BackendClass), .class_init = backend_class_init };
  GTypeInfo executable_info = { .class_size = sizeof (AccExecutableClass), .class_init = executable_class_init,
                                .instance_size = sizeof (AccGraphExecutable) };
  const GInterfaceInfo initable_info = { .interface_init = initable_init, .interface_data = (gpointer) kind };
  GType type = g_type_from_name (backend_name);
  Description *description;

  if (type != G_TYPE_INVALID)
    return type;

  description = g_new0 (Description, 1);
  description->kind = kind;
  description->name = name;
  description->data = g_memdup2 (data, size);
  executable_info.class_data = backend_info.class_data = description;
  description->executable_type = g_type_register_static (ACC_TYPE_EXECUTABLE, executable_name, &executable_info, G_TYPE_FLAG_FINAL);
  backend_info.instance_size = (guint16) kind->instance_size;
  type = g_type_register_static (ACC_TYPE_BACKEND, backend_name, &backend_info, G_TYPE_FLAG_FINAL);
  g_type_add_interface_static (type, G_TYPE_INITABLE, &initable_info);

  return type;
}

void
acc_graph_backend_limit_memory (AccBackend *self,
                                guint64     bytes)
{
  const char *given = secure_getenv ("ACC_MEMORY_LIMIT");

  if (bytes > 0 && (given == NULL || *given == '\0'))
    acc_budget_set_limit (acc_backend_get_budget (self), bytes);
}
