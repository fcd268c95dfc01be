/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-native-executable.h"

#include "acc-backends/runtime/graph/acc-graph-run.h"
#include "acc-backends/runtime/graph/acc-row-run.h"

struct _AccNativeExecutable
{
  AccExecutable parent_instance;

  AccHost      *host;    /* the backend's */
  AccGraph     *graph;
};

G_DEFINE_FINAL_TYPE (AccNativeExecutable, acc_native_executable, ACC_TYPE_EXECUTABLE)

static GPtrArray *
acc_native_executable_run (AccExecutable  *executable,
                           AccArray      **arguments,
                           guint           n_arguments,
                           GCancellable   *cancellable,
                           GError        **error)
{
  AccNativeExecutable *self = ACC_NATIVE_EXECUTABLE (executable);
  GPtrArray *results = acc_graph_run (self->graph, arguments, cancellable, error);

  acc_code_prepare_exit (self->host->code);

  return results;
}

static AccRowRun *
acc_native_executable_begin_rows (AccExecutable  *executable,
                                  AccArray      **arguments,
                                  guint           n_arguments,
                                  GCancellable   *cancellable,
                                  GError        **error)
{
  AccNativeExecutable *self = ACC_NATIVE_EXECUTABLE (executable);
  g_autoptr(AccPrepared) prepared = NULL;
  GPtrArray *values = NULL;

  prepared = acc_graph_prepare (self->graph, arguments, TRUE, &values, cancellable, error);
  acc_code_prepare_exit (self->host->code);
  if (prepared == NULL)
    return NULL;

  return acc_row_run_new (self->host, prepared, values, self->graph, self, cancellable, error);
}

static void
acc_native_executable_finalize (GObject *object)
{
  AccNativeExecutable *self = ACC_NATIVE_EXECUTABLE (object);

  g_clear_pointer (&self->graph, acc_graph_free);

  G_OBJECT_CLASS (acc_native_executable_parent_class)->finalize (object);
}

static void
acc_native_executable_class_init (AccNativeExecutableClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_native_executable_finalize;
  ACC_EXECUTABLE_CLASS (klass)->run = acc_native_executable_run;
  ACC_EXECUTABLE_CLASS (klass)->begin_rows = acc_native_executable_begin_rows;
}

static void
acc_native_executable_init (AccNativeExecutable *self)
{
}

AccExecutable *
acc_native_executable_new (AccNativeBackend *backend,
                           AccProgram       *program)
{
  AccNativeExecutable *self = g_object_new (ACC_TYPE_NATIVE_EXECUTABLE, NULL);

  acc_executable_set_origin (ACC_EXECUTABLE (self), ACC_BACKEND (backend), program);
  self->host = acc_native_backend_get_host (backend);
  self->graph = acc_graph_new (self->host, program, FALSE);

  return ACC_EXECUTABLE (self);
}
