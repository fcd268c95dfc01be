/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device-backend.h"

#include "acc-device-rows.h"
#include "acc-graph-backend.h"
#include "acc-graph-run.h"
#include "acc-backends/runtime/device/acc-device-heap-private.h"

#include <dlfcn.h>
#include <glib/gstdio.h>

typedef struct {
  AccDevice *(*open) (const char *device, GError **error);
  char     **(*list_devices) (void);
} Description;

typedef struct {
  AccGraphBackend base;

  AccDevice      *device;        /* the heap's */
  GPtrArray      *kernels;       /* under the lock of the kernel table */
} Backend;

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

static AccRowRun *
executable_begin_rows (AccExecutable  *executable,
                       AccArray      **arguments,
                       guint           n_arguments,
                       GCancellable   *cancellable,
                       GError        **error)
{
  AccGraph *graph = ((AccGraphExecutable *) executable)->graph;
  g_autoptr(AccPrepared) prepared = NULL;
  GPtrArray *values = NULL;

  prepared = acc_graph_prepare (graph, arguments, TRUE, &values, cancellable, error);
  if (prepared == NULL)
    return NULL;

  return acc_device_rows_new (graph->host, prepared, values, graph, executable, cancellable, error);
}

static void
init_executable_class (AccExecutableClass *klass)
{
  klass->begin_rows = executable_begin_rows;
}

/* --- the backend */

static gpointer
backend_allocate (AccBackend  *backend,
                  gsize        size,
                  const char  *what,
                  GError     **error)
{
  return acc_device_heap_allocate_host (((AccGraphBackend *) backend)->host.heap, size, what, error);
}

static void
backend_send_ahead (AccBackend *backend,
                    gpointer    buffer)
{
  acc_device_heap_send_ahead (((AccGraphBackend *) backend)->host.heap, buffer);
}

/* Three quarters of a memory of its own; of one that it shares, as much as other backends take. */
static void
choose_limit (Backend *self)
{
  const AccDevice *device = self->device;

  acc_graph_backend_limit_memory ((AccBackend *) self,
                                  device->unified ? MIN (device->memory, acc_machine_get_memory ()) / 4 : device->memory / 4 * 3);
}

static gboolean
backend_init (GInitable     *initable,
              GCancellable  *cancellable,
              GError       **error)
{
  Backend *self = (Backend *) initable;
  AccBackend *backend = ACC_BACKEND (initable);
  AccHost *host = &self->base.host;
  const Description *description = acc_graph_backend_get_data (ACC_BACKEND_GET_CLASS (backend));
  g_autofree char *name = acc_graph_backend_dup_name (backend);
  AccCodeMaker maker = { .dup_target = dup_target, .compile = compile_kernel, .load_device = load_kernel, .user_data = self };
  AccKernelCache *cache = NULL;

  self->device = description->open (acc_backend_get_device (backend), error);
  if (self->device == NULL)
    return FALSE;

  host->backend = backend;
  acc_backend_split_budget (backend);
  host->heap = acc_device_heap_new (self->device, acc_backend_get_budget (backend), acc_backend_get_host_budget (backend), error);
  if (host->heap == NULL)
    return FALSE;

  if (!(acc_disable_get_flags () & ACC_DISABLE_CACHE))
    cache = acc_kernel_cache_new (NULL, 0);
  self->kernels = g_ptr_array_new ();
  host->workers = acc_workers_new (CLAMP (acc_machine_get_n_processors (), 1, 64));
  host->code = acc_code_new (&maker, cache, host->workers);
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
  AccHost *host = &self->base.host;

  g_clear_pointer (&host->code, acc_code_free);
  g_clear_pointer (&host->workers, acc_workers_free);
  if (host->heap != NULL)
    {
      for (guint i = 0; i < self->kernels->len; i++)
        if (acc_device_heap_check (host->heap, NULL))
          self->device->klass->unload (self->device, g_ptr_array_index (self->kernels, i));
        else
          acc_device_abandon (g_ptr_array_index (self->kernels, i));
      acc_device_heap_close (host->heap);
    }
  g_clear_pointer (&host->heap, acc_device_heap_unref);
  g_clear_pointer (&self->kernels, g_ptr_array_unref);

  G_OBJECT_CLASS (g_type_class_peek (ACC_TYPE_BACKEND))->finalize (object);
}

static char **
backend_list_devices (AccBackendClass *klass)
{
  const Description *description = acc_graph_backend_get_data (klass);

  return description->list_devices != NULL ? description->list_devices () : NULL;
}

static void
init_class (AccBackendClass *klass)
{
  klass->keeps_plans = TRUE;
  klass->allocate = backend_allocate;
  klass->send_ahead = backend_send_ahead;
  klass->list_devices = backend_list_devices;
}

GType
acc_device_backend_register (const char  *type_prefix,
                             const char  *name,
                             AccDevice *(*open) (const char *device, GError **error),
                             char      **(*list_devices) (void))
{
  static const AccGraphBackendKind kind = { sizeof (Backend), init_class, init_executable_class, backend_init, backend_finalize };
  const Description description = { open, list_devices };

  return acc_graph_backend_register (&kind, type_prefix, name, &description, sizeof description);
}
