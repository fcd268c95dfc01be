/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pjrt-backend.h"

#include "acc-pjrt-run.h"
#include "acc-backends/runtime/graph/acc-graph-run.h"

/* --- programs */

#define ACC_TYPE_PJRT_EXECUTABLE (acc_pjrt_program_get_type ())
G_DECLARE_FINAL_TYPE (AccPjrtProgram, acc_pjrt_program, ACC, PJRT_PROGRAM, AccExecutable)

struct _AccPjrtProgram
{
  AccExecutable parent_instance;

  AccGraph     *graph;
};

G_DEFINE_FINAL_TYPE (AccPjrtProgram, acc_pjrt_program, ACC_TYPE_EXECUTABLE)

static GPtrArray *
acc_pjrt_program_run (AccExecutable  *executable,
                      AccArray      **arguments,
                      guint           n_arguments,
                      GCancellable   *cancellable,
                      GError        **error)
{
  return acc_graph_run (ACC_PJRT_PROGRAM (executable)->graph, arguments, cancellable, error);
}

static void
acc_pjrt_program_finalize (GObject *object)
{
  g_clear_pointer (&ACC_PJRT_PROGRAM (object)->graph, acc_graph_free);

  G_OBJECT_CLASS (acc_pjrt_program_parent_class)->finalize (object);
}

static void
acc_pjrt_program_class_init (AccPjrtProgramClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_pjrt_program_finalize;
  ACC_EXECUTABLE_CLASS (klass)->run = acc_pjrt_program_run;
  ACC_EXECUTABLE_CLASS (klass)->prefers_whole = TRUE;
}

static void
acc_pjrt_program_init (AccPjrtProgram *self)
{
}

/* --- the backend */

struct _AccPjrtBackend
{
  AccBackend      parent_instance;

  AccHost         host;
  AccPjrtPlanner  planner;
  AccPjrtClient  *client;
};

static void acc_pjrt_backend_initable_iface_init (GInitableIface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AccPjrtBackend, acc_pjrt_backend, ACC_TYPE_BACKEND,
                               G_IMPLEMENT_INTERFACE (G_TYPE_INITABLE, acc_pjrt_backend_initable_iface_init))

static AccExecutable *
acc_pjrt_backend_compile (AccBackend    *backend,
                          AccProgram    *program,
                          GCancellable  *cancellable,
                          GError       **error)
{
  AccPjrtProgram *executable = g_object_new (ACC_TYPE_PJRT_EXECUTABLE, NULL);

  acc_executable_set_origin (ACC_EXECUTABLE (executable), backend, program);
  executable->graph = acc_graph_new (&ACC_PJRT_BACKEND (backend)->host, program, FALSE);

  return ACC_EXECUTABLE (executable);
}

static gpointer
acc_pjrt_backend_allocate (AccBackend  *backend,
                           gsize        size,
                           const char  *what,
                           GError     **error)
{
  return acc_pool_allocate_exact (ACC_PJRT_BACKEND (backend)->host.pool, size, what, error);
}

static gboolean
acc_pjrt_backend_initable_init (GInitable     *initable,
                                GCancellable  *cancellable,
                                GError       **error)
{
  AccPjrtBackend *self = ACC_PJRT_BACKEND (initable);
  AccBackend *backend = ACC_BACKEND (self);
  const char *device = acc_backend_get_device (backend);
  g_autofree char *name = device != NULL ? g_strconcat ("pjrt:", device, NULL) : g_strdup ("pjrt");

  self->client = acc_pjrt_client_new (device, error);
  if (self->client == NULL)
    return FALSE;

  if (!self->client->is_host)
    acc_backend_split_budget (backend);
  self->client->budget = acc_budget_ref (acc_backend_get_budget (backend));
  self->client->host_budget = acc_budget_ref (acc_backend_get_host_budget (backend));
  acc_pjrt_planner_init (&self->planner, self->client);
  self->host.backend = backend;
  self->host.planner = &self->planner.base;
  self->host.pool = acc_pool_new (acc_backend_get_host_budget (backend), 0);
  self->host.workers = acc_workers_new (1);
  acc_backend_set_identity (backend, name, self->client->description, 1);

  return TRUE;
}

static void
acc_pjrt_backend_finalize (GObject *object)
{
  AccPjrtBackend *self = ACC_PJRT_BACKEND (object);

  g_clear_pointer (&self->host.workers, acc_workers_free);
  if (self->host.pool != NULL)
    acc_pool_close (self->host.pool);
  g_clear_pointer (&self->host.pool, acc_pool_unref);
  g_clear_pointer (&self->client, acc_pjrt_client_unref);

  G_OBJECT_CLASS (acc_pjrt_backend_parent_class)->finalize (object);
}

static void
acc_pjrt_backend_initable_iface_init (GInitableIface *iface)
{
  iface->init = acc_pjrt_backend_initable_init;
}

static void
acc_pjrt_backend_class_init (AccPjrtBackendClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_pjrt_backend_finalize;
  ACC_BACKEND_CLASS (klass)->compile = acc_pjrt_backend_compile;
  ACC_BACKEND_CLASS (klass)->allocate = acc_pjrt_backend_allocate;
}

static void
acc_pjrt_backend_init (AccPjrtBackend *self)
{
}
