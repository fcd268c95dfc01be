/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-walk-channel-private.h"

/* Reading on a thread of its own: while a step computes, the elements of the next one are read. */

/* How long a wait lasts before it looks whether the walk was cancelled. */
#define PATIENCE (20 * G_TIME_SPAN_MILLISECOND)

typedef enum {
  READER_IDLE,
  READER_ASKED,
  READER_DONE,      /* .nested or .error is there, or neither at the end */
  READER_QUITS,
} State;

struct _AccWalkReader {
  AccSequenceProducer *producer;   /* owned; NULL: rows of an array */
  AccWalkChannel      *channel;    /* owned; NULL: a producer */
  AccWalk             *walk;
  GCancellable        *own;        /* of what the thread does */
  GThread             *thread;     /* NULL: nothing was read ahead yet */
  GMutex               lock;
  GCond                changed;
  State                state;
  gint64               position;   /* elements that were given */
  gint64               max_elements, max_values;
  AccNestedArray      *nested;
  GError              *error;
};

G_LOCK_DEFINE_STATIC (walked);

/* A producer is walked by one walk at a time. */
static gboolean
claim (AccSequenceProducer *producer,
       gboolean             claimed)
{
  GQuark quark = g_quark_from_static_string ("acc-walk-reader-claims");
  gboolean is_free;

  G_LOCK (walked);
  is_free = !claimed || g_object_get_qdata (G_OBJECT (producer), quark) == NULL;
  if (is_free)
    g_object_set_qdata (G_OBJECT (producer), quark, GINT_TO_POINTER (claimed));
  G_UNLOCK (walked);

  return is_free;
}

static gboolean
begin_producer (AccSequenceProducer *producer,
                GError             **error)
{
  if (!claim (producer, TRUE))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s is being walked already", G_OBJECT_TYPE_NAME (producer));
      return FALSE;
    }
  if (acc_sequence_producer_rewind (producer, error))
    return TRUE;

  claim (producer, FALSE);

  return FALSE;
}

static AccSequenceProducer *
make_producer (AccSequence *sequence,
               AccWalk     *walk,
               GError     **error)
{
  g_autoptr(AccArray) computed = NULL;

  if (sequence->producer == NULL)
    {
      computed = acc_backend_run (walk->backend, sequence->array, walk->cancellable, error);
      if (computed == NULL)
        return NULL;
    }

  return acc_sequence_dup_producer (sequence, computed, error);
}

AccWalkReader *
acc_walk_reader_new (AccSequence *sequence,
                     AccWalk     *walk,
                     GError     **error)
{
  g_autoptr(AccSequenceProducer) producer = NULL;
  AccWalkReader *self;

  if (sequence->kind == ACC_SEQUENCE_KIND_PRODUCER
      && ((producer = make_producer (sequence, walk, error)) == NULL || !begin_producer (producer, error)))
    return NULL;

  self = g_new0 (AccWalkReader, 1);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->own = g_cancellable_new ();
  self->walk = walk;
  if (producer != NULL)
    self->producer = g_steal_pointer (&producer);
  else
    self->channel = acc_walk_channel_new (walk->backend, sequence->array, walk->chunk);

  return self;
}

static void
set_state (AccWalkReader *self,
           State          state)
{
  g_mutex_lock (&self->lock);
  self->state = state;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

void
acc_walk_reader_free (AccWalkReader *self)
{
  g_cancellable_cancel (self->own);
  if (self->thread != NULL)
    {
      set_state (self, READER_QUITS);
      g_thread_join (self->thread);
    }
  g_clear_pointer (&self->channel, acc_walk_channel_free);
  if (self->producer != NULL)
    claim (self->producer, FALSE);
  g_clear_object (&self->producer);
  g_clear_object (&self->own);
  g_clear_object (&self->nested);
  g_clear_error (&self->error);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

static gboolean
is_idle (AccWalkReader *self)
{
  gboolean idle;

  g_mutex_lock (&self->lock);
  idle = self->state == READER_IDLE;
  g_mutex_unlock (&self->lock);

  return idle;
}

/* --- the thread */

static gpointer
read_ahead (gpointer data)
{
  AccWalkReader *self = data;

  g_mutex_lock (&self->lock);
  while (self->state != READER_QUITS)
    {
      AccNestedArray *nested;
      GError *error = NULL;

      if (self->state != READER_ASKED)
        {
          g_cond_wait (&self->changed, &self->lock);
          continue;
        }

      g_mutex_unlock (&self->lock);
      nested = acc_sequence_producer_read (self->producer, self->max_elements, self->max_values, self->own, &error);
      g_mutex_lock (&self->lock);
      self->nested = nested;
      self->error = error;
      if (self->state != READER_QUITS)
        self->state = READER_DONE;
      g_cond_broadcast (&self->changed);
    }
  g_mutex_unlock (&self->lock);

  return NULL;
}

static void
ask (AccWalkReader *self,
     gint64         max_elements,
     gint64         max_values)
{
  g_mutex_lock (&self->lock);
  self->max_elements = max_elements;
  self->max_values = max_values;
  self->state = READER_ASKED;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static AccNestedArray *
await (AccWalkReader *self,
       GError       **error)
{
  AccNestedArray *nested = NULL;

  g_mutex_lock (&self->lock);
  while (self->state == READER_ASKED && !g_cancellable_is_cancelled (self->walk->cancellable))
    g_cond_wait_until (&self->changed, &self->lock, g_get_monotonic_time () + PATIENCE);
  if (self->state == READER_DONE)
    {
      nested = g_steal_pointer (&self->nested);
      if (self->error != NULL)
        g_propagate_error (error, g_steal_pointer (&self->error));
      self->state = READER_IDLE;
    }
  else
    {
      g_cancellable_set_error_if_cancelled (self->walk->cancellable, error);
    }
  g_mutex_unlock (&self->lock);

  return nested;
}

/* --- reading */

static gint64
count_elements (AccNestedArray *nested)
{
  return acc_shape_get_extent (acc_nested_array_get_count (nested)->shape, 0);
}

static AccNestedArray *
read_producer (AccWalkReader *self,
               gint64         max_elements,
               gint64         round,
               gint64         max_values,
               gboolean       ahead,
               GError       **error)
{
  gint64 most = acc_walk_up_to_round (max_elements, round, self->position);
  AccNestedArray *nested;

  if (self->thread == NULL && (!ahead || acc_sequence_producer_is_bound (self->producer)))
    return acc_sequence_producer_read (self->producer, most, max_values, self->walk->cancellable, error);

  if (self->thread == NULL)
    self->thread = g_thread_new ("acc-sequence", read_ahead, self);
  if (is_idle (self))
    ask (self, most, max_values);
  nested = await (self, error);
  if (nested != NULL && ahead)
    ask (self, acc_walk_up_to_round (max_elements, round, self->position + count_elements (nested)), max_values);

  return nested;
}

AccWalkPart *
acc_walk_reader_read (AccWalkReader *self,
                      gint64         max_elements,
                      gint64         round,
                      gint64         max_values,
                      gboolean       ahead,
                      GError       **error)
{
  g_autoptr(AccNestedArray) nested = NULL;
  AccArray *arrays[3];

  if (self->channel != NULL)
    {
      g_autoptr(AccArray) rows = acc_walk_channel_read (self->channel, self->walk->cancellable, error);

      return rows != NULL ? acc_walk_part_new_regular (rows) : NULL;
    }

  nested = read_producer (self, max_elements, round, max_values, ahead, error);
  if (nested == NULL)
    return NULL;

  self->position += count_elements (nested);
  acc_walk_part_list_arrays (nested, arrays);

  return acc_walk_part_new_computed (nested, arrays, count_elements (nested));
}
