/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-job-private.h"

typedef struct {
  GTask   *task;
  GSource *give_up;            /* nullable */
} Waiter;

void
acc_job_waiter_free (gpointer data)
{
  Waiter *waiter = data;

  if (waiter->give_up != NULL)
    {
      g_source_destroy (waiter->give_up);
      g_source_unref (waiter->give_up);
    }
  g_object_unref (waiter->task);
  g_free (waiter);
}

static void
return_end (AccJob *self, GTask *task)
{
  if (self->error != NULL)
    g_task_return_error (task, g_error_copy (self->error));
  else
    g_task_return_boolean (task, TRUE);
}

void
acc_job_waiter_return (AccJob *self, gpointer waiter)
{
  return_end (self, ((Waiter *) waiter)->task);
}

/**
 * acc_job_wait:
 * @self: a job
 * @error: return location for the job's error
 *
 * Waits until the job has ended. Does not iterate a main context: programs with a main loop call acc_job_wait_async().
 *
 * Fails with the error of the job: one of those of acc_backend_write(), or %G_IO_ERROR_CANCELLED after acc_job_cancel().
 *
 * Returns: %TRUE if everything is done, %FALSE with the job's error set
 */
gboolean
acc_job_wait (AccJob *self, GError **error)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  locker = g_mutex_locker_new (&self->lock);
  while (self->state == ACC_JOB_RUNNING)
    g_cond_wait (&self->cond, &self->lock);

  if (self->error != NULL && error != NULL)
    *error = g_error_copy (self->error);

  return self->error == NULL;
}

static gboolean
on_give_up (GCancellable *cancellable, gpointer data)
{
  GTask *task = data;
  AccJob *self = g_task_get_source_object (task);
  Waiter *found = NULL;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->waiters->len && found == NULL; i++)
    if (((Waiter *) g_ptr_array_index (self->waiters, i))->task == task)
      found = g_ptr_array_steal_index_fast (self->waiters, i);
  g_mutex_unlock (&self->lock);

  if (found != NULL)
    {
      g_task_return_error_if_cancelled (found->task);
      acc_job_waiter_free (found);
    }

  return G_SOURCE_REMOVE;
}

/**
 * acc_job_wait_async:
 * @self: a job
 * @cancellable: (nullable): ends the wait, not the job
 * @callback: (scope async) (closure user_data): called when the job, or the wait, has ended
 * @user_data: data for @callback
 *
 * Waits for the end of the job without blocking. Any number of callers may wait.
 */
void
acc_job_wait_async (AccJob *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = NULL;
  gboolean ended;

  g_return_if_fail (ACC_IS_JOB (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, acc_job_wait_async);

  g_mutex_lock (&self->lock);
  ended = self->state != ACC_JOB_RUNNING;
  if (!ended)
    {
      Waiter *waiter = g_new0 (Waiter, 1);

      waiter->task = g_object_ref (task);
      if (cancellable != NULL)
        {
          waiter->give_up = g_cancellable_source_new (cancellable);
          g_task_attach_source (task, waiter->give_up, G_SOURCE_FUNC (on_give_up));
        }
      g_ptr_array_add (self->waiters, waiter);
    }
  g_mutex_unlock (&self->lock);

  if (ended)
    return_end (self, task);
}

/**
 * acc_job_wait_finish:
 * @self: a job
 * @result: the result that the callback got
 * @error: return location for the job's error, or %G_IO_ERROR_CANCELLED where the wait was cancelled
 *
 * Returns whether the job that acc_job_wait_async() waited for did everything, or its error.
 *
 * Returns: %TRUE if everything is done, %FALSE with @error set
 */
gboolean
acc_job_wait_finish (AccJob *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ACC_IS_JOB (self), FALSE);
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return g_task_propagate_boolean (G_TASK (result), error);
}
