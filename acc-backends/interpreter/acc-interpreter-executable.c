/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-backend.h"
#include "acc-interpreter-graph.h"

struct _InterpExecutable
{
  AccExecutable parent_instance;

  GHashTable *tapes;   /* AccFunction to InterpTape; not changed after construction */
};

G_DEFINE_FINAL_TYPE (InterpExecutable, interp_executable, ACC_TYPE_EXECUTABLE)

static GPtrArray *
interp_executable_run (AccExecutable  *executable,
                       AccArray      **arguments,
                       guint           n_arguments,
                       GCancellable   *cancellable,
                       GError        **error)
{
  AccProgram *program = acc_executable_get_program (executable);
  InterpContext context = {
    .backend = acc_executable_get_backend (executable),
    .tapes = INTERP_EXECUTABLE (executable)->tapes,
    .checks = (acc_disable_get_flags () & ACC_DISABLE_CHECKS) == 0,
    .cancellable = cancellable,
  };
  g_autoptr(InterpGraph) graph = interp_graph_new (&context, NULL);
  g_autoptr(GPtrArray) arrays = g_ptr_array_new_with_free_func (g_object_unref);
  AccArray **parameters, **results;
  guint n_parameters, n_results;

  parameters = acc_program_get_parameter_nodes (program, &n_parameters);
  for (guint i = 0; i < n_parameters; i++)
    {
      g_autoptr(InterpValue) value = interp_value_new_manifest (arguments[i], error);

      if (value == NULL)
        return NULL;
      interp_graph_bind (graph, parameters[i], value);
    }

  results = acc_program_get_result_nodes (program, &n_results);
  interp_graph_prepare (graph, results, n_results);
  for (guint i = 0; i < n_results; i++)
    {
      InterpValue *value = interp_graph_demand (graph, results[i], error);

      if (value == NULL)
        return NULL;
      g_ptr_array_add (arrays, interp_value_to_array (value));
    }
  return g_steal_pointer (&arrays);
}

static AccRowRun *
interp_executable_begin_rows (AccExecutable  *executable,
                              AccArray      **arguments,
                              guint           n_arguments,
                              GCancellable   *cancellable,
                              GError        **error)
{
  return interp_rows_new (executable, INTERP_EXECUTABLE (executable)->tapes, arguments, n_arguments, cancellable, error);
}

static void
interp_executable_finalize (GObject *object)
{
  g_clear_pointer (&INTERP_EXECUTABLE (object)->tapes, g_hash_table_unref);
  G_OBJECT_CLASS (interp_executable_parent_class)->finalize (object);
}

static void
interp_executable_class_init (InterpExecutableClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_executable_finalize;
  ACC_EXECUTABLE_CLASS (klass)->run = interp_executable_run;
  ACC_EXECUTABLE_CLASS (klass)->begin_rows = interp_executable_begin_rows;
}

static void
interp_executable_init (InterpExecutable *self)
{
}

AccExecutable *
interp_executable_new (AccBackend  *backend,
                       AccProgram  *program,
                       GError     **error)
{
  g_autoptr(GHashTable) tapes = interp_compile_functions (program, error);
  InterpExecutable *self;

  if (tapes == NULL)
    return NULL;
  self = g_object_new (INTERP_TYPE_EXECUTABLE, NULL);
  self->tapes = g_steal_pointer (&tapes);
  acc_executable_set_origin (ACC_EXECUTABLE (self), backend, program);
  return ACC_EXECUTABLE (self);
}
