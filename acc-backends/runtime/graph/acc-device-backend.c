/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device-backend.h"

#include "acc-device-rows.h"
#include "acc-backends/runtime/device/acc-device-heap-private.h"
#include "acc-graph-run.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <stdlib.h>

/* The types are registered by name at run time, since several modules carry this code in one process. */

typedef struct {
  const char *name;
  AccDevice *(*open) (const char *device, GError **error);
  char     **(*list_devices) (void);
  GType       executable_type;
} Description;

typedef struct {
  AccBackendClass    parent_class;
  const Description *description;
} BackendClass;

typedef struct {
  AccBackend  parent_instance;

  AccHost     host;
  AccDevice  *device;        /* the heap's */
  GPtrArray  *kernels;       /* under the lock of the kernel table */
} Backend;

typedef struct {
  AccExecutable parent_instance;

  Backend      *backend;
  AccGraph     *graph;
} Executable;

/* --- kernels */

static char *
dup_target (gpointer   user_data,
            GError   **error)
{
  Backend *self = user_data;
  Dl_info info;
  GStatBuf status;

  if (dladdr ((gpointer) acc_device_backend_register, &info) == 0 || info.dli_fname == NULL || g_stat (info.dli_fname, &status) != 0)
    return g_strdup_printf ("acc " ACC_VERSION_S " %s %s", self->device->klass->name, self->device->id);

  return g_strdup_printf ("acc " ACC_VERSION_S " %" G_GINT64_FORMAT ".%09ld %" G_GINT64_FORMAT " %s %s", (gint64) status.st_mtim.tv_sec,
                          status.st_mtim.tv_nsec, (gint64) status.st_size, self->device->klass->name, self->device->id);
}

static GBytes *
compile_kernel (AccKernel *kernel,
                guint      variant,
                gpointer   user_data,
                GError   **error)
{
  Backend *self = user_data;

  return self->device->klass->compile (self->device, kernel, (variant & ACC_CODE_GENERAL) != 0, error);
}

static AccDeviceKernel *
load_kernel (AccKernel *kernel,
             GBytes    *code,
             gpointer   user_data,
             GError   **error)
{
  Backend *self = user_data;
  AccDeviceKernel *loaded = self->device->klass->load (self->device, kernel, code, error);

  if (loaded != NULL)
    g_ptr_array_add (self->kernels, loaded);

  return loaded;
}

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

static AccRowRun *
executable_begin_rows (AccExecutable  *executable,
                       AccArray      **arguments,
                       guint           n_arguments,
                       GCancellable   *cancellable,
                       GError        **error)
{
  Executable *self = (Executable *) executable;
  g_autoptr(AccPrepared) prepared = NULL;
  GPtrArray *values = NULL;

  prepared = acc_graph_prepare (self->graph, arguments, TRUE, &values, cancellable, error);
  if (prepared == NULL)
    return NULL;

  return acc_device_rows_new (&self->backend->host, prepared, values, self->graph, self, cancellable, error);
}

static void
executable_finalize (GObject *object)
{
  Executable *self = (Executable *) object;

  g_clear_pointer (&self->graph, acc_graph_free);

  G_OBJECT_CLASS (g_type_class_peek (ACC_TYPE_EXECUTABLE))->finalize (object);
}

static void
executable_class_init (gpointer klass,
                       gpointer data)
{
  G_OBJECT_CLASS (klass)->finalize = executable_finalize;
  ACC_EXECUTABLE_CLASS (klass)->run = executable_run;
  ACC_EXECUTABLE_CLASS (klass)->begin_rows = executable_begin_rows;
  ACC_EXECUTABLE_CLASS (klass)->prefers_whole = TRUE;
}

static AccExecutable *
backend_compile (AccBackend    *backend,
                 AccProgram    *program,
                 GCancellable  *cancellable,
                 GError       **error)
{
  const Description *description = G_TYPE_INSTANCE_GET_CLASS (backend, 0, BackendClass)->description;
  Executable *executable;

  if (acc_debug_get_flags () & ACC_DEBUG_GRAPH)
    {
      g_autofree char *text = acc_program_to_string (program);

      g_message ("program:\n%s", text);
    }

  executable = g_object_new (description->executable_type, NULL);
  acc_executable_set_origin (ACC_EXECUTABLE (executable), backend, program);
  executable->backend = (Backend *) backend;
  executable->graph = acc_graph_new (&executable->backend->host, program, FALSE);

  return ACC_EXECUTABLE (executable);
}

/* --- the backend */

static gpointer
backend_allocate (AccBackend  *backend,
                  gsize        size,
                  const char  *what,
                  GError     **error)
{
  return acc_device_heap_allocate_host (((Backend *) backend)->host.heap, size, what, error);
}

/* Three quarters of a memory of its own; of one that it shares, as much as other backends take. */
static void
choose_limit (Backend *self)
{
  const char *given = secure_getenv ("ACC_MEMORY_LIMIT");

  if ((given != NULL && *given != '\0') || self->device->memory == 0)
    return;

  acc_budget_set_limit (acc_backend_get_budget ((AccBackend *) self),
                        self->device->unified ? MIN (self->device->memory, acc_machine_get_memory ()) / 4 : self->device->memory / 4 * 3);
}

static gboolean
backend_init (GInitable     *initable,
              GCancellable  *cancellable,
              GError       **error)
{
  Backend *self = (Backend *) initable;
  AccBackend *backend = ACC_BACKEND (initable);
  const Description *description = G_TYPE_INSTANCE_GET_CLASS (self, 0, BackendClass)->description;
  const char *number = acc_backend_get_device (backend);
  g_autofree char *name = number != NULL ? g_strconcat (description->name, ":", number, NULL) : g_strdup (description->name);
  AccCodeMaker maker = { .dup_target = dup_target, .compile = compile_kernel, .load_device = load_kernel, .user_data = self };
  AccKernelCache *cache = NULL;

  self->device = description->open (number, error);
  if (self->device == NULL)
    return FALSE;

  self->host.backend = backend;
  acc_backend_split_budget (backend);
  self->host.heap = acc_device_heap_new (self->device, acc_backend_get_budget (backend), acc_backend_get_host_budget (backend), error);
  if (self->host.heap == NULL)
    return FALSE;

  if (!(acc_disable_get_flags () & ACC_DISABLE_CACHE))
    cache = acc_kernel_cache_new (NULL, 0);
  self->kernels = g_ptr_array_new ();
  self->host.workers = acc_workers_new (CLAMP (acc_machine_get_n_processors (), 1, 64));
  self->host.code = acc_code_new (&maker, cache, self->host.workers);
  choose_limit (self);
  if (self->device->klass->add_routines != NULL && !(acc_disable_get_flags () & ACC_DISABLE_LIBRARIES))
    self->device->klass->add_routines (self->device, backend);
  acc_backend_set_identity (backend, name, self->device->description, MAX (self->device->target.n_groups, 1));

  return TRUE;
}

static void
backend_finalize (GObject *object)
{
  Backend *self = (Backend *) object;

  g_clear_pointer (&self->host.code, acc_code_free);
  g_clear_pointer (&self->host.workers, acc_workers_free);
  if (self->host.heap != NULL)
    {
      for (guint i = 0; i < self->kernels->len; i++)
        if (acc_device_heap_check (self->host.heap, NULL))
          self->device->klass->unload (self->device, g_ptr_array_index (self->kernels, i));
        else
          acc_device_abandon (g_ptr_array_index (self->kernels, i));
      acc_device_heap_close (self->host.heap);
    }
  g_clear_pointer (&self->host.heap, acc_device_heap_unref);
  g_clear_pointer (&self->kernels, g_ptr_array_unref);

  G_OBJECT_CLASS (g_type_class_peek (ACC_TYPE_BACKEND))->finalize (object);
}

static char **
backend_list_devices (AccBackendClass *klass)
{
  const Description *description = ((BackendClass *) klass)->description;

  return description->list_devices != NULL ? description->list_devices () : NULL;
}

static void
backend_class_init (gpointer klass,
                    gpointer data)
{
  G_OBJECT_CLASS (klass)->finalize = backend_finalize;
  ACC_BACKEND_CLASS (klass)->compile = backend_compile;
  ACC_BACKEND_CLASS (klass)->keeps_plans = TRUE;
  ACC_BACKEND_CLASS (klass)->allocate = backend_allocate;
  ACC_BACKEND_CLASS (klass)->list_devices = backend_list_devices;
  ((BackendClass *) klass)->description = data;
}

static void
initable_init (gpointer interface,
               gpointer data)
{
  ((GInitableIface *) interface)->init = backend_init;
}

GType
acc_device_backend_register (const char  *type_prefix,
                             const char  *name,
                             AccDevice *(*open) (const char *device, GError **error),
                             char      **(*list_devices) (void))
{
  static GMutex lock;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&lock);
  g_autofree char *backend_name = g_strconcat (type_prefix, "Backend", NULL);
  g_autofree char *executable_name = g_strconcat (type_prefix, "Executable", NULL);
  GTypeInfo backend_info = { .class_size = sizeof (BackendClass), .class_init = backend_class_init,
                             .instance_size = sizeof (Backend) };
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
  description->list_devices = list_devices;
  description->executable_type = g_type_register_static (ACC_TYPE_EXECUTABLE, executable_name, &executable_info, G_TYPE_FLAG_FINAL);
  backend_info.class_data = description;
  type = g_type_register_static (ACC_TYPE_BACKEND, backend_name, &backend_info, G_TYPE_FLAG_FINAL);
  g_type_add_interface_static (type, G_TYPE_INITABLE, &initable_info);

  return type;
}
