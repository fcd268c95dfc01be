/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-xla-backend.h"

#include "acc-xla-export.h"
#include "acc-xla-run.h"
#include "acc-backends/runtime/graph/acc-graph-backend.h"

typedef AccXlaEngine *(*Open) (const char *device, GError **error);

typedef struct {
  AccGraphBackend base;

  AccXlaPlanner   planner;
  AccXlaEngine   *engine;
} Backend;

static gpointer
backend_allocate (AccBackend  *backend,
                  gsize        size,
                  const char  *what,
                  GError     **error)
{
  return acc_pool_allocate_exact (((AccGraphBackend *) backend)->host.pool, size, what, error);
}

static gboolean
backend_init (GInitable     *initable,
              GCancellable  *cancellable,
              GError       **error)
{
  Backend *self = (Backend *) initable;
  AccBackend *backend = ACC_BACKEND (initable);
  AccHost *host = &self->base.host;
  const Open *open = acc_graph_backend_get_data (ACC_BACKEND_GET_CLASS (backend));
  g_autofree char *name = acc_graph_backend_dup_name (backend);

  self->engine = (*open) (acc_backend_get_device (backend), error);
  if (self->engine == NULL)
    return FALSE;

  if (!self->engine->is_host)
    {
      acc_backend_split_budget (backend);
      acc_graph_backend_limit_memory (backend, self->engine->memory);
    }
  self->engine->budget = acc_budget_ref (acc_backend_get_budget (backend));
  self->engine->host_budget = acc_budget_ref (acc_backend_get_host_budget (backend));
  acc_xla_planner_init (&self->planner, self->engine);
  host->backend = backend;
  host->planner = &self->planner.base;
  host->pool = acc_pool_new (acc_backend_get_host_budget (backend), 0);
  host->workers = acc_workers_new (1);
  acc_backend_set_identity (backend, name, self->engine->description, 1);

  return TRUE;
}

static void
backend_finalize (GObject *object)
{
  Backend *self = (Backend *) object;
  AccHost *host = &self->base.host;

  g_clear_pointer (&host->workers, acc_workers_free);
  if (host->pool != NULL)
    acc_pool_close (host->pool);
  g_clear_pointer (&host->pool, acc_pool_unref);
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
init_class (AccBackendClass *klass)
{
  klass->allocate = backend_allocate;
  klass->export_program = backend_export_program;
}

GType
acc_xla_backend_register (const char *type_prefix,
                          const char *name,
                          AccXlaEngine *(*open) (const char *device, GError **error))
{
  static const AccGraphBackendKind kind = { sizeof (Backend), init_class, NULL, backend_init, backend_finalize };

  return acc_graph_backend_register (&kind, type_prefix, name, &open, sizeof open);
}
