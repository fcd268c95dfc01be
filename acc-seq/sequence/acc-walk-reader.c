/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-walk-channel-private.h"

#include "acc-core/backend/acc-async-private.h"
#include "acc-seq/stream/acc-store-private.h"

/* Reading on a thread of its own: while a step computes, the elements of the next one are read. A walk that ends does not wait for a
 * producer that does not look at its cancellable: the thread keeps the producer then until its read returns. */

/* How long a wait lasts before it looks whether the walk was cancelled. */
#define PATIENCE (20 * G_TIME_SPAN_MILLISECOND)

typedef enum {
  READER_IDLE,
  READER_ASKED,
  READER_DONE,      /* .nested or .error is there, or neither at the end */
  READER_QUITS,
  READER_LEFT,      /* the walk is gone */
  READER_ENDED,     /* the thread is about to return */
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
  gboolean             sends;      /* what was read, to the device: the walk stays until that is done */
  gint64               position;   /* elements that were given */
  gint64               max_elements, max_values;
  AccNestedArray      *nested;
  GError              *error;
  AccUnderWay          left;       /* where the walk is gone */
};

/* Who has a producer: it is walked by one walk at a time. */
typedef enum {
  CLAIM_NONE,
  CLAIM_WALK,
  CLAIM_LEFT,      /* a thread whose walk is gone */
} Claim;

G_LOCK_DEFINE_STATIC (walked);
static GCond some_free;

static GQuark
claim_quark (void)
{
  return g_quark_from_static_string ("acc-walk-reader-claims");
}

static void
set_claim (AccSequenceProducer *producer,
           Claim                claim)
{
  G_LOCK (walked);
  g_object_set_qdata (G_OBJECT (producer), claim_quark (), GINT_TO_POINTER (claim));
  g_cond_broadcast (&some_free);
  G_UNLOCK (walked);
}

/* Waits for the read of a walk that is gone. */
static gboolean
claim (AccSequenceProducer *producer,
       GCancellable        *cancellable)
{
  Claim had;

  G_LOCK (walked);
  while ((had = GPOINTER_TO_INT (g_object_get_qdata (G_OBJECT (producer), claim_quark ()))) == CLAIM_LEFT
         && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait_until (&some_free, &G_LOCK_NAME (walked), g_get_monotonic_time () + PATIENCE);
  if (had == CLAIM_NONE)
    g_object_set_qdata (G_OBJECT (producer), claim_quark (), GINT_TO_POINTER (CLAIM_WALK));
  G_UNLOCK (walked);

  return had == CLAIM_NONE;
}

static gboolean
begin_producer (AccSequenceProducer *producer,
                GCancellable        *cancellable,
                GError             **error)
{
  if (!claim (producer, cancellable))
    {
      if (!g_cancellable_set_error_if_cancelled (cancellable, error))
        g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s is being walked already", G_OBJECT_TYPE_NAME (producer));
      return FALSE;
    }
  if (acc_sequence_producer_rewind (producer, error))
    return TRUE;

  set_claim (producer, CLAIM_NONE);

  return FALSE;
}

/* What windows are of, in memory, or else in a file that has no name. */
static AccArray *
compute_whole (AccArray *array,
               AccWalk  *walk,
               GError  **error)
{
  g_autoptr(GError) local = NULL;
  AccArray *computed = acc_backend_run (walk->backend, array, walk->cancellable, &local);
  g_autoptr(AccStore) store = NULL;
  g_autoptr(AccSink) sink = NULL;

  if (computed != NULL)
    return computed;
  if (array->shape == NULL || array->rank == 0 || !g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }

  store = acc_store_new (walk->backend, array->type, array->shape, "what windows are of", error);
  if (store == NULL)
    return NULL;
  sink = acc_store_new_sink (store);
  if (!acc_backend_write (walk->backend, array, sink, walk->cancellable, error))
    return NULL;

  return acc_store_dup_array (store, error);
}

static AccSequenceProducer *
make_producer (AccSequence *sequence,
               AccWalk     *walk,
               GError     **error)
{
  g_autoptr(AccArray) computed = NULL;

  if (sequence->producer == NULL)
    {
      computed = compute_whole (sequence->array, walk, error);
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
      && ((producer = make_producer (sequence, walk, error)) == NULL || !begin_producer (producer, walk->cancellable, error)))
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
release (AccWalkReader *self)
{
  g_clear_pointer (&self->channel, acc_walk_channel_free);
  if (self->producer != NULL)
    set_claim (self->producer, CLAIM_NONE);
  g_clear_object (&self->producer);
  g_clear_object (&self->own);
  g_clear_object (&self->nested);
  g_clear_error (&self->error);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

/* Whether the thread has ended, or else is left to do so. */
static gboolean
end_thread (AccWalkReader *self)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;
  GThread *thread = self->thread;
  gboolean ended;

  g_mutex_lock (&self->lock);
  self->state = READER_QUITS;
  g_cond_broadcast (&self->changed);
  while (self->state == READER_QUITS)
    if (self->sends)
      g_cond_wait (&self->changed, &self->lock);
    else if (!g_cond_wait_until (&self->changed, &self->lock, until))
      break;
  ended = self->state == READER_ENDED;
  if (!ended)
    {
      set_claim (self->producer, CLAIM_LEFT);
      acc_under_way_begin (&self->left, thread, self->walk->backend, self->own, NULL);
      self->state = READER_LEFT;
    }
  g_mutex_unlock (&self->lock);

  if (ended)
    g_thread_join (thread);
  else
    g_thread_unref (thread);

  return ended;
}

void
acc_walk_reader_free (AccWalkReader *self)
{
  g_cancellable_cancel (self->own);
  if (self->thread == NULL || end_thread (self))
    release (self);
}

double
acc_walk_reader_get_fraction (AccWalkReader *self)
{
  return self->producer != NULL ? acc_sequence_producer_get_fraction (self->producer) : -1;
}

gint64
acc_walk_reader_get_length (AccWalkReader *self)
{
  return self->producer != NULL ? acc_sequence_producer_get_length (self->producer) : -1;
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

/* With the lock. Uploads go on beside the step that is under way. */
static void
send_ahead (AccWalkReader  *self,
            AccNestedArray *nested)
{
  g_autoptr(GPtrArray) arrays = acc_walk_part_list_arrays (nested);

  self->sends = TRUE;
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < arrays->len; i++)
    acc_walk_send_ahead (self->walk->backend, g_ptr_array_index (arrays, i));
  g_mutex_lock (&self->lock);
  self->sends = FALSE;
}

static gpointer
read_ahead (gpointer data)
{
  AccWalkReader *self = data;
  gboolean left;

  g_mutex_lock (&self->lock);
  while (self->state < READER_QUITS)
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
      if (nested != NULL && self->state < READER_QUITS)
        send_ahead (self, nested);
      self->nested = nested;
      self->error = error;
      if (self->state < READER_QUITS)
        self->state = READER_DONE;
      g_cond_broadcast (&self->changed);
    }
  left = self->state == READER_LEFT;
  self->state = READER_ENDED;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);

  if (left)
    {
      acc_under_way_end (&self->left);
      release (self);
    }

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

  if (acc_sequence_producer_is_bound (self->producer))
    return acc_sequence_producer_read (self->producer, most, max_values, self->walk->cancellable, error);

  if (self->thread == NULL)
    self->thread = g_thread_new ("acc-sequence", read_ahead, self);
  if (is_idle (self))
    ask (self, most, max_values);
  nested = await (self, error);
  if (nested != NULL && ahead)
    ask (self, acc_walk_up_to_round (max_elements, round, self->position + acc_nested_array_get_known_count (nested)), max_values);

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
  g_autoptr(GPtrArray) arrays = NULL;

  if (self->channel != NULL)
    {
      g_autoptr(AccArray) rows = acc_walk_channel_read (self->channel, max_elements, self->walk->cancellable, error);

      return rows != NULL ? acc_walk_part_new_regular (rows) : NULL;
    }

  nested = read_producer (self, max_elements, round, max_values, ahead, error);
  if (nested == NULL)
    return NULL;

  self->position += acc_nested_array_get_known_count (nested);
  arrays = acc_walk_part_list_arrays (nested);

  return acc_walk_part_new_computed (nested, (AccArray **) arrays->pdata, acc_nested_array_get_known_count (nested));
}

AccWalkPart *
acc_walk_reader_store (AccWalkReader *self)
{
  g_autoptr(AccArray) rest = self->channel != NULL ? acc_walk_channel_store (self->channel, self->walk->cancellable) : NULL;

  return rest != NULL ? acc_walk_part_new_regular (rest) : NULL;
}
