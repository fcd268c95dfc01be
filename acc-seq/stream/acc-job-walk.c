/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-job-private.h"

#include "acc-seq/nested/acc-nested-array-private.h"

/* What walks over sequences tell their job, and what a job keeps in memory. */

void
acc_job_set_writes (AccJob *self)
{
  if (self == NULL)
    return;

  g_mutex_lock (&self->lock);
  self->writes = TRUE;
  g_mutex_unlock (&self->lock);
}

static void
add_walking (AccJob *self, int n)
{
  if (self == NULL)
    return;

  g_mutex_lock (&self->lock);
  self->walking += n;
  g_mutex_unlock (&self->lock);
}

void
acc_job_enter_walk (AccJob *self)
{
  add_walking (self, 1);
}

void
acc_job_leave_walk (AccJob *self)
{
  add_walking (self, -1);
}

AccJob *
acc_job_find_by_chunks (GCancellable *cancellable)
{
  AccJob *self = acc_job_find (cancellable);
  gboolean found;

  if (self == NULL)
    return NULL;

  g_mutex_lock (&self->lock);
  found = !self->writes && self->walking == 0;
  g_mutex_unlock (&self->lock);

  return found ? self : NULL;
}

void
acc_job_add_walk (AccJob *self)
{
  if (self == NULL)
    return;

  g_mutex_lock (&self->lock);
  self->n_walks++;
  self->n_open++;
  acc_job_changed (self);
  g_mutex_unlock (&self->lock);
}

void
acc_job_tell_walk (AccJob *self, AccJobWalk *last, AccJobWalk now)
{
  guint64 used;

  if (self == NULL)
    return;

  used = acc_budget_get_used (self->budget);

  g_mutex_lock (&self->lock);
  self->peak = MAX (self->peak, used);
  self->elements_done += (guint64) (now.done - last->done);
  self->n_open += (now.total < 0) - (last->total < 0);
  self->n_elements += MAX (now.total, 0) - MAX (last->total, 0);
  /* It does not go back where more elements come than were expected. */
  now.fraction = MAX (now.fraction, last->fraction);
  self->walked += now.fraction - last->fraction;
  *last = now;
  acc_job_changed (self);
  g_mutex_unlock (&self->lock);
}

gint64
acc_job_count_elements (AccJob *self)
{
  return self->n_open > 0 ? -1 : self->n_elements;
}

/**
 * acc_job_get_elements_done: (get-property elements-done)
 * @self: a job
 *
 * Returns the number of elements of sequences that walks have worked on: those that they begin with, before some are left out or put
 * together.
 *
 * Returns: number of elements
 */
guint64
acc_job_get_elements_done (AccJob *self)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), 0);

  locker = g_mutex_locker_new (&self->lock);

  return self->elements_done;
}

/**
 * acc_job_get_n_elements: (get-property n-elements)
 * @self: a job
 *
 * Returns the number of elements that walks over sequences will work on at most. A walk that ends early works on fewer, and that is the
 * number when it has ended.
 *
 * Returns: number of elements; -1 while that is not known, 0 where nothing is walked over
 */
gint64
acc_job_get_n_elements (AccJob *self)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), -1);

  locker = g_mutex_locker_new (&self->lock);

  return acc_job_count_elements (self);
}

/**
 * acc_job_get_results:
 * @self: a job
 *
 * Returns what a job of acc_backend_start_run() or acc_backend_start_run_many() has computed; of acc_backend_start_run_nested() the arrays
 * that the nested array consists of, which [method@Job.dup_nested] gives.
 *
 * Returns: (transfer none) (nullable) (element-type AccArray): manifest arrays, in the order of those that were asked for; %NULL where the
 *   job is not done, and where it writes
 */
GPtrArray *
acc_job_get_results (AccJob *self)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), NULL);

  locker = g_mutex_locker_new (&self->lock);

  return self->results;
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
