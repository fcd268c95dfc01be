/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-iterator-private.h"
#include "acc-sequence-writers-private.h"

#include "acc-core/backend/acc-async-private.h"
#include "acc-walk-private.h"

/**
 * AccSequenceIterator:
 *
 * Walks over a sequence and hands out its elements, one after the other.
 *
 * Elements are computed some at a time, when the next is asked for and none is left; how many there are in all need not be known. From the
 * second time on, those that follow are computed on another thread while these are worked on, but where the sequence has a target for its
 * latency, where a producer is bound to a thread, and where the backend has foreign functions of the application's.
 * [method@SequenceIterator.next_async] computes on another thread and calls back on the main context.
 */

struct _AccSequenceIterator {
  GObject        parent_instance;

  AccSequence   *sequence;    /* owned */
  AccBackend    *backend;     /* owned */
  GMutex         lock;
  AccWalk       *walk;        /* NULL: nobody asked yet */
  AccWalkAhead  *ahead;       /* owned: has the walk, from its second step on; NULL: steps are those of calls */
  AccWalkOutlet *outlet;
  AccWalkPart   *part;        /* owned: elements that are there; NULL: none */
  gint64         next;        /* of these */
  AccJob        *job;         /* owned; NULL: nobody asked for it */
  AccJob        *outer;       /* borrowed: one that does more than the walk, and is told of it; NULL: none */
  AccSequenceWriters *writers;  /* owned; NULL: nothing was written */
  GCancellable  *stop;        /* owned: of these */
  gint64         chunk;       /* elements in a step; 0: as many as is best */
  gboolean       takes_all;   /* nobody ends the walk before the last element */
  gboolean       ended;       /* or failed, or closed */
  GError        *failure;     /* it ended with; NULL: behind the last element */
};

G_DEFINE_FINAL_TYPE (AccSequenceIterator, acc_sequence_iterator, G_TYPE_OBJECT)

/* Gives up what is walked over, so that it can be walked again. Takes over @error, the job's; NULL: there are no more elements. */
static void
end (AccSequenceIterator *self,
     GError              *error)
{
  if (self->ended)
    {
      g_clear_error (&error);
      return;
    }

  if (self->job != NULL)
    acc_job_finish (self->job, error != NULL ? g_error_copy (error) : NULL);
  self->failure = error;
  self->ended = TRUE;
  self->outlet = NULL;
  g_clear_pointer (&self->part, acc_walk_part_unref);
  if (self->ahead != NULL)
    self->walk = NULL;
  g_clear_pointer (&self->ahead, acc_walk_ahead_free);
  g_clear_pointer (&self->walk, acc_walk_free);
}

static void
end_writes (AccSequenceIterator *self)
{
  g_cancellable_cancel (self->stop);
  g_clear_pointer (&self->writers, acc_sequence_writers_free);
}

static GError *
new_cancelled (void)
{
  return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "The walk was ended before its last element");
}

static void
acc_sequence_iterator_finalize (GObject *object)
{
  AccSequenceIterator *self = ACC_SEQUENCE_ITERATOR (object);

  end_writes (self);
  end (self, new_cancelled ());
  g_clear_error (&self->failure);
  g_clear_object (&self->stop);
  g_clear_object (&self->job);
  g_clear_object (&self->sequence);
  g_clear_object (&self->backend);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (acc_sequence_iterator_parent_class)->finalize (object);
}

static void
acc_sequence_iterator_class_init (AccSequenceIteratorClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_sequence_iterator_finalize;
}

static void
acc_sequence_iterator_init (AccSequenceIterator *self)
{
  self->stop = g_cancellable_new ();
  g_mutex_init (&self->lock);
}

/**
 * acc_sequence_iterate:
 * @self: a sequence
 * @backend: what computes its elements
 *
 * Begins to walk over a sequence element by element. Nothing is read or computed before the first element is asked for.
 *
 * Returns: (transfer full): what hands out the elements
 */
AccSequenceIterator *
acc_sequence_iterate (AccSequence *self,
                      AccBackend  *backend)
{
  AccSequenceIterator *iterator;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (ACC_IS_BACKEND (backend), NULL);

  iterator = g_object_new (ACC_TYPE_SEQUENCE_ITERATOR, NULL);
  iterator->sequence = g_object_ref (self);
  iterator->backend = g_object_ref (backend);

  return iterator;
}

/**
 * acc_sequence_iterator:
 * @self: a sequence
 * @error: return location for an error
 *
 * Begins to walk over a sequence on the default backend. Works as [method@Sequence.iterate] does otherwise. Vala's foreach calls it.
 *
 * Fails as [func@Backend.get_default] does.
 *
 * Returns: (transfer full): what hands out the elements
 */
AccSequenceIterator *
acc_sequence_iterator (AccSequence *self,
                       GError     **error)
{
  AccBackend *backend;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  backend = acc_backend_get_default (error);

  return backend != NULL ? acc_sequence_iterate (self, backend) : NULL;
}

/* By its job. */
static gboolean
is_cancelled (AccSequenceIterator *self)
{
  return self->job != NULL && g_cancellable_is_cancelled (acc_job_get_cancellable (self->job));
}

AccBackend *
acc_sequence_iterator_get_backend (AccSequenceIterator *self)
{
  return self->backend;
}

void
acc_sequence_iterator_set_outer (AccSequenceIterator *self,
                                 AccJob              *job)
{
  self->outer = job;
}

void
acc_sequence_iterator_set_chunk (AccSequenceIterator *self,
                                 gint64               chunk)
{
  self->chunk = chunk;
}

void
acc_sequence_iterator_set_takes_all (AccSequenceIterator *self)
{
  self->takes_all = TRUE;
}

static gboolean
begin (AccSequenceIterator *self,
       GCancellable        *cancellable,
       GError             **error)
{
  if (self->walk != NULL)
    return TRUE;
  if (!acc_sequence_check (self->sequence, error))
    return FALSE;

  self->walk = acc_walk_new (self->backend, &self->sequence, 1, self->chunk, cancellable, error);
  if (self->walk == NULL)
    return FALSE;
  self->outlet = acc_walk_collector_new (acc_walk_find_stage (self->walk, self->sequence), self->sequence, ACC_SEQUENCE_RESULT_NESTED);
  acc_walk_set_job (self->walk, self->job != NULL ? self->job : self->outer);

  return acc_walk_check_largest (self->walk, self->takes_all ? G_MAXINT64 : 1, error);
}

/* Steps until there is an element or the end. A walk that comes to its second step goes ahead from then on. */
static gboolean
fill (AccSequenceIterator *self,
      GCancellable        *cancellable,
      GError             **error)
{
  gboolean goes_ahead;

  if (self->part != NULL && self->next < self->part->count)
    return TRUE;

  goes_ahead = self->ahead == NULL && self->part != NULL && !self->outlet->done && acc_walk_can_go_ahead (self->walk);
  /* Before another thread wants its memory. */
  g_clear_pointer (&self->part, acc_walk_part_unref);
  self->next = 0;
  if (goes_ahead)
    self->ahead = acc_walk_ahead_new (self->walk, self->outlet);
  if (self->ahead != NULL)
    {
      GError *local = NULL;

      self->part = acc_walk_ahead_take (self->ahead, cancellable, &local);
      if (local != NULL)
        g_propagate_error (error, local);
      return local == NULL;
    }
  if (!begin (self, cancellable, error))
    return FALSE;

  acc_walk_set_cancellable (self->walk, cancellable);
  while ((self->part = acc_walk_collector_pop (self->outlet)) == NULL && !self->outlet->done)
    if (!acc_walk_step_outlet (self->walk, self->outlet, error))
      return FALSE;

  return TRUE;
}

/* fill() under the job's cancellable, too, which may end the walk for good. */
static gboolean
fill_for_job (AccSequenceIterator *self,
              GCancellable        *cancellable,
              GError             **error)
{
  GCancellable *own = self->job != NULL ? acc_job_get_cancellable (self->job) : NULL;
  g_autoptr(GCancellable) both = NULL;
  AccUnderWay under_way, other;
  gboolean filled;

  if (own == NULL)
    return fill (self, cancellable, error);
  if (g_cancellable_set_error_if_cancelled (own, error))
    return FALSE;
  if (self->part != NULL && self->next < self->part->count)
    return TRUE;

  both = g_cancellable_new ();
  acc_under_way_begin (&under_way, g_thread_self (), self->backend, both, own);
  acc_under_way_begin (&other, g_thread_self (), self->backend, both, cancellable);
  filled = fill (self, both, error);
  acc_under_way_end (&other);
  acc_under_way_end (&under_way);

  return filled;
}

static void
name_sequence (AccSequenceIterator *self,
               GError             **error)
{
  const char *label = acc_sequence_find_label (self->sequence);

  if (label != NULL && self->sequence->mistake == NULL && !g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_prefix_error (error, "“%s”: ", label);
}

gpointer
acc_sequence_iterator_take (AccSequenceIterator *self,
                            gboolean             nested,
                            GCancellable        *cancellable,
                            GError             **error)
{
  g_autoptr(GError) local = NULL;
  gpointer element = NULL;

  if (self->sequence->mistake == NULL && nested != (self->sequence->depth > 1))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "sequence_iterator: elements are %s",
                   nested ? "arrays: next gives them" : "nested arrays: next_nested gives them");
      return NULL;
    }

  g_mutex_lock (&self->lock);
  if (!self->ended && fill_for_job (self, cancellable, &local) && self->part != NULL)
    {
      gint64 k = self->next++;

      element = nested ? (gpointer) acc_walk_part_dup_nested (self->part, k, &local) : acc_walk_part_dup_element (self->part, k, &local);
    }
  name_sequence (self, &local);
  if (element == NULL && (!g_error_matches (local, G_IO_ERROR, G_IO_ERROR_CANCELLED) || is_cancelled (self)))
    end (self, local != NULL ? g_error_copy (local) : NULL);
  g_mutex_unlock (&self->lock);

  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));

  return element;
}

/**
 * acc_sequence_iterator_next:
 * @self: an iterator
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Returns the next element, and computes it and some of those that follow where that was not done yet. Blocks meanwhile. Where the call is
 * cancelled, elements that were under way come with the next.
 *
 * Fails with the error that the sequence carries, with errors of what produces it, with those of runs, which name the element, and with
 * %G_IO_ERROR_CANCELLED. After an error there are no more elements, unless it was cancelled.
 *
 * Returns: (transfer full) (nullable): the element, a manifest array; %NULL with @error set, or without where there are no more
 */
AccArray *
acc_sequence_iterator_next (AccSequenceIterator *self,
                            GCancellable        *cancellable,
                            GError             **error)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE_ITERATOR (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return acc_sequence_iterator_take (self, FALSE, cancellable, error);
}

/**
 * acc_sequence_iterator_next_nested:
 * @self: an iterator over elements that are nested arrays
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Returns the next element, which is a nested array. Works as [method@SequenceIterator.next] does otherwise.
 *
 * Returns: (transfer full) (nullable): the element, a manifest nested array; %NULL with @error set, or without where there are no more
 */
AccNestedArray *
acc_sequence_iterator_next_nested (AccSequenceIterator *self,
                                   GCancellable        *cancellable,
                                   GError             **error)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE_ITERATOR (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return acc_sequence_iterator_take (self, TRUE, cancellable, error);
}

/**
 * acc_sequence_iterator_close:
 * @self: an iterator
 *
 * Ends the walk before the end of the sequence, so that what produces its elements can be walked again: there are no more elements.
 * Cancels what [method@SequenceIterator.write] has under way. Waits for a call on another thread. Does nothing to a walk that has ended,
 * as it does behind the last element and after an error.
 */
void
acc_sequence_iterator_close (AccSequenceIterator *self)
{
  g_return_if_fail (ACC_IS_SEQUENCE_ITERATOR (self));

  g_mutex_lock (&self->lock);
  end_writes (self);
  end (self, new_cancelled ());
  g_mutex_unlock (&self->lock);
}

/**
 * acc_sequence_iterator_write:
 * @self: an iterator
 * @element: an element, or an array that was made of one
 * @number: the number of the element, for messages
 * @sink: where it goes
 * @error: return location for an error
 *
 * Writes an array as [method@Sequence.write_each] does, while the next elements are taken: to a file that has no other to wait for it goes
 * beside others, and is under way when the call returns; a sink of another kind has it then. For loops that choose what they write, and
 * languages whose functions other threads must not call.
 *
 * Fails with errors of sinks, also of those that were under way, which name the first element that one failed for.
 *
 * Returns: %TRUE where none has failed so far
 */
gboolean
acc_sequence_iterator_write (AccSequenceIterator *self,
                             AccArray            *element,
                             gint64               number,
                             AccSink             *sink,
                             GError             **error)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_SEQUENCE_ITERATOR (self), FALSE);
  g_return_val_if_fail (ACC_IS_ARRAY (element), FALSE);
  g_return_val_if_fail (ACC_IS_SINK (sink), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  locker = g_mutex_locker_new (&self->lock);
  if (self->writers == NULL)
    self->writers = acc_sequence_writers_new (self->backend, self->stop);
  acc_sequence_writers_add (self->writers, g_object_ref (element), g_object_ref (sink), number);

  return acc_sequence_writers_await (self->writers, error);
}

/**
 * acc_sequence_iterator_finish_writes:
 * @self: an iterator
 * @error: return location for an error
 *
 * Waits until all that [method@SequenceIterator.write] was given is written. Fails as that does.
 *
 * Returns: %TRUE where none has failed
 */
gboolean
acc_sequence_iterator_finish_writes (AccSequenceIterator *self,
                                     GError             **error)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_SEQUENCE_ITERATOR (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  locker = g_mutex_locker_new (&self->lock);

  return self->writers == NULL || acc_sequence_writers_finish (self->writers, error);
}

/**
 * acc_sequence_iterator_get_job:
 * @self: an iterator
 *
 * Returns the job of the walk, for its progress: how many elements were worked on, of how many as far as that is known. It ends with the
 * walk: done behind the last element, failed with the error of an element, and cancelled where the iterator is closed before; so it is
 * where it is asked for later. Cancelling the job ends the walk by the next call.
 *
 * It notifies on the thread-default main context of the thread that asked for it first. Waits for a call on another thread.
 *
 * Returns: (transfer none): the job
 */
AccJob *
acc_sequence_iterator_get_job (AccSequenceIterator *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE_ITERATOR (self), NULL);

  g_mutex_lock (&self->lock);
  if (self->job == NULL)
    {
      self->job = acc_job_new (self->backend);
      acc_job_enter_walk (self->job);
      if (self->walk != NULL)
        acc_walk_set_job (self->walk, self->job);
      if (self->ended)
        acc_job_finish (self->job, self->failure != NULL ? g_error_copy (self->failure) : NULL);
    }
  g_mutex_unlock (&self->lock);

  return self->job;
}

/**
 * acc_sequence_iterator_next_value:
 * @self: an iterator
 * @error: return location for an error
 *
 * Returns the next element. Works as [method@SequenceIterator.next] does without a cancellable.
 *
 * Returns: (transfer full) (nullable): the element; %NULL with @error set, or without where there are no more
 */
AccArray *
acc_sequence_iterator_next_value (AccSequenceIterator *self,
                                  GError             **error)
{
  return acc_sequence_iterator_next (self, NULL, error);
}
