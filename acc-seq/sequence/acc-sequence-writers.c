/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-writers-private.h"

#include "acc-core/base/acc-machine-private.h"
#include "acc-core/data/acc-sink-private.h"
#include "acc-error.h"
#include "acc-evaluate.h"

/* Writing takes a processor for each element, where it compresses, or a disk: more at a time are of no use, and each holds memory. */
#define MOST 8

typedef struct {
  AccSequenceWriters *writers;
  AccArray           *element;   /* owned */
  AccSink            *sink;      /* owned; NULL: that is done */
  gint64              number;
} Writing;

struct _AccSequenceWriters {
  AccBackend   *backend;
  GCancellable *cancellable;
  guint         most;       /* at a time */
  GPtrArray    *threads;    /* GThread, as many as were needed */
  GMutex        lock;
  GCond         changed;
  GPtrArray    *under_way;  /* Writing */
  GQueue        waiting;    /* of these: for a thread */
  guint         n_idle;     /* threads */
  gboolean      quits;
  guint         n_short;    /* of these wait until the others are done: memory did not suffice beside them */
  gboolean      is_alone;   /* one of those has its turn */
  gboolean      in_order;   /* the last is of a sink that may have something in common with the next */
  GError       *error;
  gint64        failed;     /* the number of its element */
};

static gboolean
write_once (Writing *writing,
            GError **error)
{
  return acc_backend_write (writing->writers->backend, writing->element, writing->sink, writing->writers->cancellable, error);
}

/* Once more, when nothing else is written; with the lock held. */
static gboolean
write_alone (Writing *writing,
             GError **error)
{
  AccSequenceWriters *self = writing->writers;
  gboolean written;

  self->n_short++;
  g_cond_broadcast (&self->changed);
  while (self->is_alone || self->under_way->len > self->n_short)
    g_cond_wait (&self->changed, &self->lock);
  self->is_alone = TRUE;
  g_mutex_unlock (&self->lock);
  written = write_once (writing, error);
  g_mutex_lock (&self->lock);
  self->is_alone = FALSE;
  self->n_short--;

  return written;
}

static void
write_element (AccSequenceWriters *self,
               Writing            *writing)
{
  AccSink *sink;
  GError *error = NULL;
  gboolean written = write_once (writing, &error);

  g_mutex_lock (&self->lock);
  if (g_error_matches (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) && acc_sink_is_separate (writing->sink) && self->under_way->len > 1)
    {
      g_clear_error (&error);
      written = write_alone (writing, &error);
    }
  if (!written && (self->error == NULL || writing->number < self->failed))
    {
      g_clear_error (&self->error);
      self->error = g_steal_pointer (&error);
      self->failed = writing->number;
      g_prefix_error (&self->error, "element %" G_GINT64_FORMAT ": ", writing->number);
    }
  g_clear_error (&error);
  sink = g_steal_pointer (&writing->sink);
  g_mutex_unlock (&self->lock);

  /* What the application made of its class is called once more. */
  g_object_unref (writing->element);
  g_object_unref (sink);

  g_mutex_lock (&self->lock);
  g_ptr_array_remove_fast (self->under_way, writing);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  g_free (writing);
}

static gpointer
write_elements (gpointer data)
{
  AccSequenceWriters *self = data;

  g_mutex_lock (&self->lock);
  while (!self->quits || !g_queue_is_empty (&self->waiting))
    {
      Writing *writing = g_queue_pop_head (&self->waiting);

      if (writing == NULL)
        {
          self->n_idle++;
          g_cond_wait (&self->changed, &self->lock);
          self->n_idle--;
          continue;
        }
      g_mutex_unlock (&self->lock);
      write_element (self, writing);
      g_mutex_lock (&self->lock);
    }
  g_mutex_unlock (&self->lock);

  return NULL;
}

AccSequenceWriters *
acc_sequence_writers_new (AccBackend   *backend,
                          GCancellable *cancellable)
{
  AccSequenceWriters *self = g_new0 (AccSequenceWriters, 1);

  self->backend = backend;
  self->cancellable = cancellable;
  self->most = (acc_disable_get_flags () & ACC_DISABLE_AHEAD) == 0 ? CLAMP (g_get_num_processors (), 2, MOST) : 1;
  self->threads = g_ptr_array_new ();
  self->under_way = g_ptr_array_new ();
  g_queue_init (&self->waiting);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);

  return self;
}

void
acc_sequence_writers_free (AccSequenceWriters *self)
{
  g_mutex_lock (&self->lock);
  self->quits = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < self->threads->len; i++)
    g_thread_join (g_ptr_array_index (self->threads, i));
  g_ptr_array_unref (self->threads);
  g_ptr_array_unref (self->under_way);
  g_clear_error (&self->error);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

/* Until no more than @most are under way; FALSE: one failed. With the lock held. */
static gboolean
wait_for (AccSequenceWriters *self,
          guint               most)
{
  while (self->under_way->len > most || (most > 0 && self->n_short > 0))
    g_cond_wait (&self->changed, &self->lock);

  return self->error == NULL;
}

static gboolean
tell (AccSequenceWriters *self,
      guint               most,
      GError            **error)
{
  gboolean good;

  g_mutex_lock (&self->lock);
  good = wait_for (self, most);
  /* Some before it may fail, too. */
  if (!good)
    wait_for (self, 0);
  if (!good)
    g_propagate_error (error, g_steal_pointer (&self->error));
  g_mutex_unlock (&self->lock);

  return good;
}

gboolean
acc_sequence_writers_await (AccSequenceWriters *self,
                            GError            **error)
{
  return tell (self, self->in_order ? 0 : self->most - 1, error);
}

gboolean
acc_sequence_writers_finish (AccSequenceWriters *self,
                             GError            **error)
{
  return tell (self, 0, error);
}

static gboolean
has_name (AccSequenceWriters *self,
          const char         *name)
{
  for (guint i = 0; i < self->under_way->len; i++)
    {
      AccSink *sink = ((Writing *) g_ptr_array_index (self->under_way, i))->sink;

      if (sink != NULL && g_str_equal (acc_sink_get_name (sink), name))
        return TRUE;
    }

  return FALSE;
}

void
acc_sequence_writers_add (AccSequenceWriters *self,
                          AccArray           *element,
                          AccSink            *sink,
                          gint64              number)
{
  Writing *writing = g_new0 (Writing, 1);

  *writing = (Writing) { self, element, sink, number };
  g_mutex_lock (&self->lock);
  self->in_order = !acc_sink_is_separate (sink);
  /* The last of those that are written to one file stays there. */
  if (self->in_order || has_name (self, acc_sink_get_name (sink)))
    wait_for (self, 0);
  g_ptr_array_add (self->under_way, writing);
  if (acc_sink_is_bound_here (sink))
    {
      g_mutex_unlock (&self->lock);
      write_element (self, writing);
      return;
    }
  g_queue_push_tail (&self->waiting, writing);
  if (self->n_idle < self->waiting.length && self->threads->len < self->most)
    g_ptr_array_add (self->threads, g_thread_new ("acc-write", write_elements, self));
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}
