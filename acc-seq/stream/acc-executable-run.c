/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-evaluate-private.h"

#include "acc-error.h"

#include "acc-core/backend/acc-async-private.h"
#include "acc-core/backend/acc-backend-private.h"

GPtrArray *
acc_evaluate_program (AccExecutable *executable, AccArray **arguments, guint n_arguments, GCancellable *cancellable, GError **error)
{
  GPtrArray *results = acc_executable_run_whole (executable, arguments, n_arguments, cancellable, error);

  if (results == NULL && error != NULL)
    acc_evaluate_blame_program (executable, arguments, n_arguments, cancellable, error);

  return results;
}

/* @reason: why what was compiled does not run, which is taken over; NULL: not all of @arguments are in memory. */
static GPtrArray *
run_applied (AccExecutable *self, AccArray **arguments, guint n_arguments, GError *reason, GCancellable *cancellable, GError **error)
{
  g_autoptr(GPtrArray) arrays = acc_program_apply (acc_executable_get_program (self), arguments, n_arguments, error);
  AccBackend *backend = acc_executable_get_backend (self);

  if (arrays == NULL)
    {
      g_clear_error (&reason);
      return NULL;
    }

  return reason != NULL ? acc_evaluate_in_less (backend, (AccArray **) arrays->pdata, arrays->len, reason, cancellable, error)
                        : acc_evaluate_with_chunk_rows (backend, (AccArray **) arrays->pdata, arrays->len, 0, cancellable, error);
}

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
 * all arguments are in memory, what was compiled runs, unless it takes more memory than there is. Then, and where other arguments are
 * to be computed, such as arrays that read sources, results are those of [method@Acc.Backend.run_many] of what
 * [method@Acc.Program.apply] builds: in one walk over sources where that can be, by bands, or in stages; that compiles for these
 * arguments, unless the kernels are known already.
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
  GError *local = NULL;
  GPtrArray *results;

  g_return_val_if_fail (ACC_IS_EXECUTABLE (self), NULL);
  g_return_val_if_fail (arguments != NULL || n_arguments == 0, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  for (guint i = 0; i < n_arguments; i++)
    are_manifest &= !ACC_IS_ARRAY (arguments[i]) || acc_array_is_manifest (arguments[i]);
  if (!are_manifest)
    return run_applied (self, arguments, n_arguments, NULL, cancellable, error);

  results = acc_evaluate_program (self, arguments, n_arguments, cancellable, &local);
  if (g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    return run_applied (self, arguments, n_arguments, local, cancellable, error);
  if (local != NULL)
    g_propagate_error (error, local);

  return results;
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
