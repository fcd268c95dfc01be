/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-evaluate-private.h"

#include "acc-core/backend/acc-async-private.h"
#include "acc-core/backend/acc-backend-private.h"

/**
 * acc_executable_run:
 * @self: an executable
 * @arguments: (array length=n_arguments) (nullable): arrays that fit the program's parameters
 * @n_arguments: number of @arguments
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Computes the results of the program for the given arguments.
 *
 * Element types and ranks of the arguments are those of the parameters, and so are the extents that the parameters declare. Where
 * all arguments are in memory, what was compiled runs. Others, such as arrays that read sources, are computed together with the
 * results, in one walk over their sources where that can be, as by [method@Acc.Backend.run_many] of what
 * [method@Acc.Program.apply] builds; that compiles for these arguments, unless the kernels are known already.
 *
 * Fails with %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where the arguments or their number do not fit, with %ACC_ERROR_BOUNDS or
 * %ACC_ERROR_ARITHMETIC where a kernel fails, with %ACC_ERROR_OUT_OF_MEMORY where the backend's memory limit does not suffice,
 * with %ACC_ERROR_STREAM where the program itself, rather than an argument, reads a source, with %ACC_ERROR_UNSUPPORTED where it
 * declares extents that an argument does not have before it is computed, and with %G_IO_ERROR_CANCELLED.
 *
 * Returns: (transfer container) (element-type AccArray): manifest results, in the program's order
 */
GPtrArray *
acc_executable_run (AccExecutable *self, AccArray **arguments, guint n_arguments, GCancellable *cancellable, GError **error)
{
  gboolean are_manifest = TRUE;
  g_autoptr(GPtrArray) results = NULL;

  g_return_val_if_fail (ACC_IS_EXECUTABLE (self), NULL);
  g_return_val_if_fail (arguments != NULL || n_arguments == 0, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  for (guint i = 0; i < n_arguments; i++)
    are_manifest &= !ACC_IS_ARRAY (arguments[i]) || acc_array_is_manifest (arguments[i]);
  if (are_manifest)
    {
      results = acc_executable_run_whole (self, arguments, n_arguments, cancellable, error);
      if (results == NULL && error != NULL)
        acc_evaluate_blame_program (self, arguments, n_arguments, cancellable, error);
      return g_steal_pointer (&results);
    }

  results = acc_program_apply (acc_executable_get_program (self), arguments, n_arguments, error);

  return results != NULL ? acc_evaluate_with_chunk_rows (acc_executable_get_backend (self), (AccArray **) results->pdata, results->len, 0,
                                                         cancellable, error)
                         : NULL;
}

static gpointer
run_in_thread (gpointer source, gpointer data, GCancellable *cancellable, GError **error)
{
  GPtrArray *arguments = data;

  return acc_executable_run (source, (AccArray **) arguments->pdata, arguments->len, cancellable, error);
}

/**
 * acc_executable_run_async:
 * @self: an executable
 * @arguments: (array length=n_arguments) (nullable): arrays that fit the program's parameters
 * @n_arguments: number of @arguments
 * @cancellable: (nullable): cancels the call
 * @callback: (nullable) (scope async): called when the call has ended
 * @user_data: data for @callback
 *
 * Computes the results as [method@Acc.Executable.run] does, on another thread.
 */
void
acc_executable_run_async (AccExecutable        *self,
                          AccArray            **arguments,
                          guint                 n_arguments,
                          GCancellable         *cancellable,
                          GAsyncReadyCallback   callback,
                          gpointer              user_data)
{
  g_autoptr(GTask) task = NULL;
  GPtrArray *copies;

  g_return_if_fail (ACC_IS_EXECUTABLE (self));
  g_return_if_fail (arguments != NULL || n_arguments == 0);

  copies = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_arguments; i++)
    g_ptr_array_add (copies, g_object_ref (arguments[i]));

  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, acc_executable_run_async);
  g_task_set_task_data (task, copies, (GDestroyNotify) g_ptr_array_unref);
  acc_async_run (task, acc_executable_get_backend (self), run_in_thread, (GDestroyNotify) g_ptr_array_unref);
}

/**
 * acc_executable_run_finish:
 * @self: an executable
 * @result: the result that the callback got
 * @error: return location for an error
 *
 * Returns the results of [method@Acc.Executable.run_async], or their error.
 *
 * Returns: (transfer container) (element-type AccArray): manifest results, in the program's order
 */
GPtrArray *
acc_executable_run_finish (AccExecutable *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
