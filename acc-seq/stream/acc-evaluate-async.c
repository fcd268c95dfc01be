/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-evaluate-private.h"
#include "acc-job-private.h"

#include "acc-core/backend/acc-async-private.h"
#include "acc-seq/nested/acc-nested-array-private.h"

/* What an asynchronous run works on. */
typedef struct {
  AccArray **arrays;
  guint      n_arrays;
  AccSink  **sinks;
  guint      n_sinks;
  GFile     *ledger;     /* nullable */
} Work;

static Work *
work_new (AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks)
{
  Work *self = g_new0 (Work, 1);

  self->arrays = g_new0 (AccArray *, n_arrays + 1);
  self->n_arrays = n_arrays;
  for (guint i = 0; i < n_arrays; i++)
    self->arrays[i] = g_object_ref (arrays[i]);
  self->sinks = g_new0 (AccSink *, n_sinks + 1);
  self->n_sinks = n_sinks;
  for (guint i = 0; i < n_sinks; i++)
    self->sinks[i] = g_object_ref (sinks[i]);

  return self;
}

static void
work_free (gpointer data)
{
  Work *self = data;

  for (guint i = 0; i < self->n_arrays; i++)
    g_object_unref (self->arrays[i]);
  for (guint i = 0; i < self->n_sinks; i++)
    g_object_unref (self->sinks[i]);
  g_clear_object (&self->ledger);
  g_free (self->arrays);
  g_free (self->sinks);
  g_free (self);
}

static gpointer
run_in_thread (gpointer source, gpointer data, GCancellable *cancellable, GError **error)
{
  Work *work = data;

  return acc_backend_run (source, work->arrays[0], cancellable, error);
}

/**
 * acc_backend_run_async:
 * @self: a backend
 * @array: the array to compute
 * @cancellable: (nullable): cancels the run
 * @callback: (scope async) (closure user_data): called on the caller's thread-default main context
 * @user_data: data for @callback
 *
 * Computes an array as acc_backend_run() does, without blocking.
 *
 * A process that exits while an asynchronous call or a job is under way cancels it, and waits until it has ended, for two
 * seconds at most.
 */
void
acc_backend_run_async (AccBackend *self, AccArray *array, GCancellable *cancellable,
                       GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = NULL;

  g_return_if_fail (ACC_IS_BACKEND (self));
  g_return_if_fail (ACC_IS_ARRAY (array));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, acc_backend_run_async);
  g_task_set_task_data (task, work_new (&array, 1, NULL, 0), work_free);
  acc_async_run (task, self, run_in_thread, g_object_unref);
}

/**
 * acc_backend_run_finish:
 * @self: a backend
 * @result: the result that the callback got
 * @error: return location for an error
 *
 * Returns the array of acc_backend_run_async(), or its error.
 *
 * Returns: (transfer full): a manifest array
 */
AccArray *
acc_backend_run_finish (AccBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

static gpointer
run_many_in_thread (gpointer source, gpointer data, GCancellable *cancellable, GError **error)
{
  Work *work = data;

  return acc_backend_run_many (source, work->arrays, work->n_arrays, cancellable, error);
}

/**
 * acc_backend_run_many_async:
 * @self: a backend
 * @arrays: (array length=n_arrays): the arrays to compute
 * @n_arrays: number of @arrays
 * @cancellable: (nullable): cancels the run
 * @callback: (scope async) (closure user_data): called on the caller's thread-default main context
 * @user_data: data for @callback
 *
 * Computes several arrays as acc_backend_run_many() does, without blocking.
 */
void
acc_backend_run_many_async (AccBackend *self, AccArray **arrays, guint n_arrays, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = NULL;

  g_return_if_fail (ACC_IS_BACKEND (self));
  g_return_if_fail (arrays != NULL || n_arrays == 0);
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, acc_backend_run_many_async);
  g_task_set_task_data (task, work_new (arrays, n_arrays, NULL, 0), work_free);
  acc_async_run (task, self, run_many_in_thread, (GDestroyNotify) g_ptr_array_unref);
}

/**
 * acc_backend_run_many_finish:
 * @self: a backend
 * @result: the result that the callback got
 * @error: return location for an error
 *
 * Returns the arrays of acc_backend_run_many_async(), or their error.
 *
 * Returns: (transfer container) (element-type AccArray): manifest arrays, in the order of the call
 */
GPtrArray *
acc_backend_run_many_finish (AccBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

static gpointer
write_in_thread (gpointer source, gpointer data, GCancellable *cancellable, GError **error)
{
  Work *work = data;

  return acc_evaluate_write_many (source, work->arrays, work->n_arrays, work->sinks, work->n_sinks, 0, NULL, cancellable, error)
         ? work : NULL;
}

static void
write_async (AccBackend *self, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks, GCancellable *cancellable, gpointer tag,
             GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, tag);
  /* Complete output is there, whatever was cancelled a moment later. */
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, work_new (arrays, n_arrays, sinks, n_sinks), work_free);
  acc_async_run (task, self, write_in_thread, NULL);
}

/**
 * acc_backend_write_async:
 * @self: a backend
 * @array: the array to compute
 * @sink: the sink that takes the elements
 * @cancellable: (nullable): cancels the run
 * @callback: (scope async) (closure user_data): called on the caller's thread-default main context
 * @user_data: data for @callback
 *
 * Computes an array and writes it as acc_backend_write() does, without blocking. acc_backend_start_write() reports progress as
 * well.
 */
void
acc_backend_write_async (AccBackend *self, AccArray *array, AccSink *sink, GCancellable *cancellable,
                         GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (ACC_IS_BACKEND (self));
  g_return_if_fail (ACC_IS_ARRAY (array));
  g_return_if_fail (ACC_IS_SINK (sink));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  write_async (self, &array, 1, &sink, 1, cancellable, acc_backend_write_async, callback, user_data);
}

/**
 * acc_backend_write_finish:
 * @self: a backend
 * @result: the result that the callback got
 * @error: return location for an error
 *
 * Returns whether acc_backend_write_async() wrote everything, or its error.
 *
 * Returns: %TRUE if all was written, %FALSE with @error set
 */
gboolean
acc_backend_write_finish (AccBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), FALSE);
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return g_task_propagate_pointer (G_TASK (result), error) != NULL;
}

/**
 * acc_backend_write_many_async:
 * @self: a backend
 * @arrays: (array length=n_arrays): the arrays to compute
 * @n_arrays: number of @arrays
 * @sinks: (array length=n_sinks): the sink of each array
 * @n_sinks: number of @sinks, the same
 * @cancellable: (nullable): cancels the run
 * @callback: (scope async) (closure user_data): called on the caller's thread-default main context
 * @user_data: data for @callback
 *
 * Computes several arrays and writes each to its own sink as acc_backend_write_many() does, without blocking.
 */
void
acc_backend_write_many_async (AccBackend *self, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks,
                              GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (ACC_IS_BACKEND (self));
  g_return_if_fail ((arrays != NULL || n_arrays == 0) && (sinks != NULL || n_sinks == 0));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  write_async (self, arrays, n_arrays, sinks, n_sinks, cancellable, acc_backend_write_many_async, callback, user_data);
}

/**
 * acc_backend_write_many_finish:
 * @self: a backend
 * @result: the result that the callback got
 * @error: return location for an error
 *
 * Returns whether acc_backend_write_many_async() wrote everything, or its error.
 *
 * Returns: %TRUE if all was written, %FALSE with @error set
 */
gboolean
acc_backend_write_many_finish (AccBackend *self, GAsyncResult *result, GError **error)
{
  return acc_backend_write_finish (self, result, error);
}

/* --- jobs */

typedef struct {
  AccBackend   *backend;
  AccJob       *job;
  Work         *work;
  GCancellable *cancellable;   /* nullable: the caller's */
} JobThread;

static gpointer
job_thread (gpointer data)
{
  JobThread *self = data;
  GCancellable *own = acc_job_get_cancellable (self->job);
  AccUnderWay under_way;
  GPtrArray *results = NULL;
  GError *error = NULL;

  acc_under_way_begin (&under_way, g_thread_self (), self->backend, own, self->cancellable);
  if (self->work->n_sinks == 0)
    results = acc_backend_run_many (self->backend, self->work->arrays, self->work->n_arrays, own, &error);
  else if (self->work->ledger != NULL)
    acc_evaluate_write_with_ledger (self->backend, self->work->arrays[0], self->work->sinks[0], self->work->ledger, self->job, own, &error);
  else
    acc_evaluate_write_many (self->backend, self->work->arrays, self->work->n_arrays, self->work->sinks, self->work->n_sinks, 0, self->job,
                             own, &error);

  g_clear_pointer (&self->work, work_free);
  g_clear_object (&self->backend);
  acc_under_way_end (&under_way);
  g_clear_object (&self->cancellable);

  acc_job_finish_with (self->job, results, error);
  g_object_unref (self->job);
  g_free (self);

  return NULL;
}

static AccJob *
start_job (AccBackend *self, Work *work, GCancellable *cancellable)
{
  AccJob *job = acc_job_new (self);
  JobThread *thread = g_new0 (JobThread, 1);
  GThread *started;
  GError *error = NULL;

  if (work->n_sinks > 0)
    acc_job_set_writes (job);
  thread->backend = g_object_ref (self);
  thread->job = g_object_ref (job);
  thread->work = work;
  thread->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;

  started = g_thread_try_new ("acc-job", job_thread, thread, &error);
  if (started != NULL)
    {
      g_thread_unref (started);
      return job;
    }

  acc_job_finish (job, error);
  g_clear_object (&thread->cancellable);
  work_free (thread->work);
  g_object_unref (thread->backend);
  g_object_unref (thread->job);
  g_free (thread);

  return job;
}

/**
 * acc_backend_start_run:
 * @self: a backend
 * @array: the array to compute
 * @cancellable: (nullable): cancels the job
 *
 * Starts to compute an array as acc_backend_run() does, as a job that reports progress: over the rows of sources, and over the elements of
 * sequences. [method@Job.get_results] has the array when the job is done.
 *
 * All work runs on other threads, including compilation. There are no errors of the call itself: an array that carries an
 * error gives a job that fails.
 *
 * Returns: (transfer full): the running job
 */
AccJob *
acc_backend_start_run (AccBackend *self, AccArray *array, GCancellable *cancellable)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (array), NULL);
  g_return_val_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable), NULL);

  return start_job (self, work_new (&array, 1, NULL, 0), cancellable);
}

/**
 * acc_backend_start_run_many:
 * @self: a backend
 * @arrays: (array length=n_arrays): the arrays to compute
 * @n_arrays: number of @arrays
 * @cancellable: (nullable): cancels the job
 *
 * Starts to compute several arrays as acc_backend_run_many() does, as a job that reports progress. It is as acc_backend_start_run() in
 * everything else.
 *
 * Returns: (transfer full): the running job
 */
AccJob *
acc_backend_start_run_many (AccBackend *self, AccArray **arrays, guint n_arrays, GCancellable *cancellable)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (arrays != NULL || n_arrays == 0, NULL);
  g_return_val_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable), NULL);

  return start_job (self, work_new (arrays, n_arrays, NULL, 0), cancellable);
}

/**
 * acc_backend_start_run_nested:
 * @self: a backend
 * @nested: the nested array to compute
 * @cancellable: (nullable): cancels the job
 *
 * Starts to compute a nested array as acc_backend_run_nested() does, as a job that reports progress: over the elements of the sequence that
 * it comes from, or the rows of sources. [method@Job.dup_nested] has it when the job is done. It is as acc_backend_start_run() in
 * everything else.
 *
 * Returns: (transfer full): the running job
 */
AccJob *
acc_backend_start_run_nested (AccBackend     *self,
                              AccNestedArray *nested,
                              GCancellable   *cancellable)
{
  g_autoptr(GPtrArray) arrays = NULL;
  AccJob *job;

  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (nested), NULL);

  arrays = g_ptr_array_new ();
  acc_nested_array_collect (nested, arrays);
  job = acc_backend_start_run_many (self, (AccArray **) arrays->pdata, arrays->len, cancellable);
  acc_job_set_nested (job, nested);

  return job;
}

/**
 * acc_backend_start_write:
 * @self: a backend
 * @array: the array to compute
 * @sink: the sink that takes the elements
 * @cancellable: (nullable): cancels the job
 *
 * Starts to compute and write an array as acc_backend_write() does, as a job that reports progress.
 *
 * All work runs on other threads, including compilation. There are no errors of the call itself: an array that carries an
 * error, or that cannot be written, gives a job that fails.
 *
 * Returns: (transfer full): the running job
 */
AccJob *
acc_backend_start_write (AccBackend *self, AccArray *array, AccSink *sink, GCancellable *cancellable)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (array), NULL);
  g_return_val_if_fail (ACC_IS_SINK (sink), NULL);
  g_return_val_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable), NULL);

  return start_job (self, work_new (&array, 1, &sink, 1), cancellable);
}

/**
 * acc_backend_start_write_many:
 * @self: a backend
 * @arrays: (array length=n_arrays): the arrays to compute
 * @n_arrays: number of @arrays
 * @sinks: (array length=n_sinks): the sink of each array
 * @n_sinks: number of @sinks, the same
 * @cancellable: (nullable): cancels the job
 *
 * Starts to compute several arrays and to write each to its own sink as acc_backend_write_many() does, as a job that reports progress.
 *
 * It is as acc_backend_start_write() in everything else. Where there is a walk for each array, the job counts the chunks of a walk when
 * that begins.
 *
 * Returns: (transfer full): the running job
 */
AccJob *
acc_backend_start_write_many (AccBackend *self, AccArray **arrays, guint n_arrays, AccSink **sinks, guint n_sinks,
                              GCancellable *cancellable)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail ((arrays != NULL || n_arrays == 0) && (sinks != NULL || n_sinks == 0), NULL);
  g_return_val_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable), NULL);

  return start_job (self, work_new (arrays, n_arrays, sinks, n_sinks), cancellable);
}

/**
 * acc_backend_start_write_with_ledger:
 * @self: a backend
 * @array: the array to compute
 * @sink: the sink that takes the elements
 * @ledger: a local folder, which is made where there is none
 * @cancellable: (nullable): cancels the job
 *
 * Starts to compute and write an array as acc_backend_write_with_ledger() does, as a job that reports progress.
 *
 * It is as acc_backend_start_write() in everything else.
 *
 * Returns: (transfer full): the running job
 */
AccJob *
acc_backend_start_write_with_ledger (AccBackend *self, AccArray *array, AccSink *sink, GFile *ledger, GCancellable *cancellable)
{
  Work *work;

  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_ARRAY (array), NULL);
  g_return_val_if_fail (ACC_IS_SINK (sink), NULL);
  g_return_val_if_fail (G_IS_FILE (ledger), NULL);
  g_return_val_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable), NULL);

  work = work_new (&array, 1, &sink, 1);
  work->ledger = g_object_ref (ledger);

  return start_job (self, work, cancellable);
}
