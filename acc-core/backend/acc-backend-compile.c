/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-async-private.h"
#include "acc-deferred-private.h"
#include "acc-error.h"
#include "acc-executable.h"

/**
 * acc_backend_compile:
 * @self: a backend
 * @program: a program
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Compiles a program for repeated runs. Backends may compile a kernel only when the extents of the first run are known.
 *
 * Fails with the error that a node of the program carries, with %ACC_ERROR_UNSUPPORTED where the backend lacks something that
 * the program uses, with %ACC_ERROR_COMPILE where a kernel does not compile, and with %G_IO_ERROR_CANCELLED.
 *
 * Returns: (transfer full): the executable
 */
AccExecutable *
acc_backend_compile (AccBackend *self, AccProgram *program, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccProgram) closed = NULL;
  AccExecutable *executable;

  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_PROGRAM (program), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (g_cancellable_set_error_if_cancelled (cancellable, error) || !acc_program_check (program, error))
    return NULL;

  if (ACC_BACKEND_GET_CLASS (self)->compile == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s does not compile", acc_backend_get_name (self));
      return NULL;
    }

  closed = acc_deferred_evaluate_program (self, program, cancellable, error);
  if (closed == NULL)
    return NULL;

  executable = ACC_BACKEND_GET_CLASS (self)->compile (self, closed, cancellable, error);
  g_assert (executable != NULL || error == NULL || *error != NULL);

  return executable;
}

static gpointer
compile_in_thread (gpointer source, gpointer data, GCancellable *cancellable, GError **error)
{
  return acc_backend_compile (source, data, cancellable, error);
}

/**
 * acc_backend_compile_async:
 * @self: a backend
 * @program: a program
 * @cancellable: (nullable): cancels the call
 * @callback: (nullable) (scope async): called when the call has ended
 * @user_data: data for @callback
 *
 * Compiles a program as [method@Acc.Backend.compile] does, on another thread.
 */
void
acc_backend_compile_async (AccBackend          *self,
                           AccProgram          *program,
                           GCancellable        *cancellable,
                           GAsyncReadyCallback  callback,
                           gpointer             user_data)
{
  g_autoptr(GTask) task = NULL;

  g_return_if_fail (ACC_IS_BACKEND (self));
  g_return_if_fail (ACC_IS_PROGRAM (program));

  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, acc_backend_compile_async);
  g_task_set_task_data (task, g_object_ref (program), g_object_unref);
  acc_async_run (task, self, compile_in_thread, g_object_unref);
}

/**
 * acc_backend_compile_finish:
 * @self: a backend
 * @result: the result that the callback got
 * @error: return location for an error
 *
 * Returns the executable of [method@Acc.Backend.compile_async], or its error.
 *
 * Returns: (transfer full): the executable
 */
AccExecutable *
acc_backend_compile_finish (AccBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
