/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-evaluate.h"
#include "acc-job-private.h"

#include "acc-seq/nested/acc-nested-array-private.h"

/* Running all that a nested array consists of. */

/**
 * acc_backend_run_nested:
 * @self: a backend
 * @nested: a nested array
 * @cancellable: (nullable): cancels the run
 * @error: return location for an error
 *
 * Computes a nested array: its values and where its elements lie on all levels, in one run. In everything else it is as acc_backend_run().
 *
 * Returns: (transfer full): a manifest nested array of the same form, or %NULL with @error set
 */
AccNestedArray *
acc_backend_run_nested (AccBackend     *self,
                        AccNestedArray *nested,
                        GCancellable   *cancellable,
                        GError        **error)
{
  g_autoptr(GPtrArray) arrays = NULL, results = NULL;

  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (nested), NULL);

  arrays = g_ptr_array_new ();
  acc_nested_array_collect (nested, arrays);
  results = acc_backend_run_many (self, (AccArray **) arrays->pdata, arrays->len, cancellable, error);
  if (results == NULL)
    return NULL;

  return acc_nested_array_new_manifest (nested, (AccArray **) results->pdata);
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
 * acc_job_dup_nested:
 * @self: a job
 *
 * Returns what a job of acc_backend_start_run_nested() has computed.
 *
 * Returns: (transfer full) (nullable): a manifest nested array of the same form; %NULL where the job is not done, and where it computes
 *   something else
 */
AccNestedArray *
acc_job_dup_nested (AccJob *self)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), NULL);

  locker = g_mutex_locker_new (&self->lock);
  if (self->nested == NULL || self->results == NULL)
    return NULL;

  return acc_nested_array_new_manifest (self->nested, (AccArray **) self->results->pdata);
}
