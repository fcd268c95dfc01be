/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-iterator-private.h"
#include "acc-sequence-private.h"
#include "acc-sequence-writers-private.h"

#include "acc-core/backend/acc-async-private.h"
#include "acc-evaluate.h"
#include "acc-seq/stream/acc-job-private.h"

/* Elements to sinks, each to its own. */

/* Takes elements of @iterator over @sequence until there are no more. */
static gboolean
write_all (AccSequence         *sequence,
           AccSequenceIterator *iterator,
           AccBackend          *backend,
           AccSinkFunc          function,
           gpointer             user_data,
           GCancellable        *cancellable,
           GError             **error)
{
  g_autoptr(AccSequence) refused = acc_sequence_refuse_nested ("sequence_write_each", sequence, "map_nested makes arrays of them");
  g_autoptr(GError) failed = NULL, local = NULL;
  AccSequenceWriters *writers;

  if (refused != NULL)
    return acc_sequence_check (refused, error);

  writers = acc_sequence_writers_new (backend, cancellable);
  acc_sequence_iterator_set_takes_all (iterator);
  for (gint64 number = 0;; number++)
    {
      g_autoptr(AccArray) element = acc_sequence_iterator_next (iterator, cancellable, &local);
      AccSink *sink;

      if (element == NULL || !acc_sequence_writers_await (writers, &failed))
        break;
      sink = function (number, user_data);
      if (sink != NULL)
        acc_sequence_writers_add (writers, g_steal_pointer (&element), sink, number);
    }
  /* What was to be written before the walk failed comes first. */
  if (failed == NULL)
    acc_sequence_writers_finish (writers, &failed);
  acc_sequence_writers_free (writers);
  if (failed == NULL)
    failed = g_steal_pointer (&local);
  if (failed == NULL)
    return TRUE;

  g_propagate_error (error, g_steal_pointer (&failed));

  return FALSE;
}

/**
 * acc_sequence_write_each:
 * @self: a sequence
 * @backend: what computes its elements
 * @function: (scope call) (closure user_data): makes the sink for the element of a number
 * @user_data: data for @function
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Writes every element to a sink of its own, such as numbered files. The next elements are computed meanwhile. Several files are written at
 * a time; all other sinks one after the other, in the order of the elements. @function is called on the caller's thread, for one element
 * after the other.
 *
 * Fails as acc_sequence_iterator_next() does, and with errors of sinks, which name the first element that one failed for. All elements
 * before it are written, and files of the next ones may be; a sink that fails leaves nothing behind.
 *
 * Returns: %TRUE if all were written
 */
gboolean
acc_sequence_write_each (AccSequence  *self,
                         AccBackend   *backend,
                         AccSinkFunc   function,
                         gpointer      user_data,
                         GCancellable *cancellable,
                         GError      **error)
{
  g_autoptr(AccSequenceIterator) iterator = NULL;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), FALSE);
  g_return_val_if_fail (ACC_IS_BACKEND (backend), FALSE);
  g_return_val_if_fail (function != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  iterator = acc_sequence_iterate (self, backend);

  return write_all (self, iterator, backend, function, user_data, cancellable, error);
}

/* --- as a job */

/* How long a wait lasts before it looks whether the job was cancelled. */
#define PATIENCE (20 * G_TIME_SPAN_MILLISECOND)

typedef struct {
  AccSequence   *sequence;
  AccBackend    *backend;
  AccJob        *job;
  GCancellable  *cancellable;  /* nullable: the caller's */
  GMainContext  *context;      /* that calls the function */
  AccSinkFunc    function;
  gpointer       user_data;
  GDestroyNotify destroy;
} Job;

/* A sink that the main context is asked for. */
typedef struct {
  gatomicrefcount ref_count;
  const Job      *job;         /* until it is given up */
  gint64          number;
  GMutex          lock;
  GCond           changed;
  AccSink        *sink;
  gboolean        done, given_up;
} Question;

static void
question_unref (gpointer data)
{
  Question *self = data;

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_clear_object (&self->sink);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

/* The lock is held while the function runs: the job does not end meanwhile. */
static gboolean
answer (gpointer data)
{
  Question *self = data;

  g_mutex_lock (&self->lock);
  if (!self->given_up)
    self->sink = self->job->function (self->number, self->job->user_data);
  self->done = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);

  return G_SOURCE_REMOVE;
}

static AccSink *
ask_context (gint64   number,
             gpointer data)
{
  const Job *job = data;
  GCancellable *own = acc_job_get_cancellable (job->job);
  Question *question = g_new0 (Question, 1);
  g_autoptr(GSource) source = g_idle_source_new ();
  AccSink *sink;

  g_atomic_ref_count_init (&question->ref_count);
  g_mutex_init (&question->lock);
  g_cond_init (&question->changed);
  question->job = job;
  question->number = number;
  g_atomic_ref_count_inc (&question->ref_count);
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, answer, question, question_unref);
  g_source_attach (source, job->context);

  g_mutex_lock (&question->lock);
  while (!question->done && !g_cancellable_is_cancelled (own))
    g_cond_wait_until (&question->changed, &question->lock, g_get_monotonic_time () + PATIENCE);
  question->given_up = TRUE;
  sink = g_steal_pointer (&question->sink);
  g_mutex_unlock (&question->lock);
  question_unref (question);

  return sink;
}

static gboolean
on_destroy (gpointer data)
{
  Job *self = data;

  if (self->destroy != NULL)
    self->destroy (self->user_data);
  g_main_context_unref (self->context);
  g_free (self);

  return G_SOURCE_REMOVE;
}

/* Data of the function goes where that was called. */
static void
job_free (Job *self)
{
  g_autoptr(GSource) source = g_idle_source_new ();

  g_clear_object (&self->sequence);
  g_clear_object (&self->backend);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->job);
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, on_destroy, self, NULL);
  g_source_attach (source, self->context);
}

static gpointer
job_thread (gpointer data)
{
  Job *self = data;
  g_autoptr(AccJob) job = g_object_ref (self->job);
  g_autoptr(AccSequenceIterator) iterator = acc_sequence_iterate (self->sequence, self->backend);
  GCancellable *own = acc_job_get_cancellable (job);
  AccUnderWay under_way;
  GError *error = NULL;

  acc_under_way_begin (&under_way, g_thread_self (), self->backend, own, self->cancellable);
  acc_job_enter_walk (job);
  acc_sequence_iterator_set_outer (iterator, job);
  write_all (self->sequence, iterator, self->backend, ask_context, self, own, &error);
  g_clear_object (&iterator);
  job_free (self);
  acc_under_way_end (&under_way);
  acc_job_finish (job, error);

  return NULL;
}

/**
 * acc_sequence_start_write_each:
 * @self: a sequence
 * @backend: what computes its elements
 * @cancellable: (nullable): cancels the job
 * @function: (scope notified) (closure user_data) (destroy destroy): makes the sink for the element of a number
 * @user_data: data for @function
 * @destroy: frees @user_data
 *
 * Starts to write every element to a sink of its own as acc_sequence_write_each() does, as a job that reports progress.
 *
 * All work runs on other threads, but for @function, which the thread-default main context of the caller calls: it has to run meanwhile.
 * There are no errors of the call itself: a sequence that carries an error gives a job that fails.
 *
 * Returns: (transfer full): the running job
 */
AccJob *
acc_sequence_start_write_each (AccSequence   *self,
                               AccBackend    *backend,
                               GCancellable  *cancellable,
                               AccSinkFunc    function,
                               gpointer       user_data,
                               GDestroyNotify destroy)
{
  g_autoptr(AccJob) job = NULL;
  GThread *thread;
  GError *error = NULL;
  Job *work;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (ACC_IS_BACKEND (backend), NULL);
  g_return_val_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable), NULL);
  g_return_val_if_fail (function != NULL, NULL);

  job = acc_job_new (backend);
  work = g_new0 (Job, 1);
  work->sequence = g_object_ref (self);
  work->backend = g_object_ref (backend);
  work->job = g_object_ref (job);
  work->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  work->context = g_main_context_ref_thread_default ();
  work->function = function;
  work->user_data = user_data;
  work->destroy = destroy;

  thread = g_thread_try_new ("acc-job", job_thread, work, &error);
  if (thread == NULL)
    {
      job_free (work);
      acc_job_finish (job, error);
    }
  g_clear_pointer (&thread, g_thread_unref);

  return g_steal_pointer (&job);
}
