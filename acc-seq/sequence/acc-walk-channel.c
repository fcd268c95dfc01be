/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-channel-private.h"

#include "acc-walk-private.h"

#include "acc-sink.h"
#include "acc-core/base/acc-parallel-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-store-private.h"
#include "acc-seq/stream/external/acc-external-elements-private.h"
#include "acc-seq/stream/external/acc-external-private.h"

/* Chunks that lie in the channel. */
#define MOST_CHUNKS 2
/* Reading leaves the steps of a walk three quarters of what there is, where it can do with the fourth. */
#define HALVINGS 2
/* How long a wait lasts before it looks whether it was cancelled. */
#define PATIENCE (20 * G_TIME_SPAN_MILLISECOND)

/* --- the sink, which is one end */

#define ACC_TYPE_WALK_SINK (acc_walk_sink_get_type ())
G_DECLARE_FINAL_TYPE (AccWalkSink, acc_walk_sink, ACC, WALK_SINK, AccSink)

struct _AccWalkSink {
  AccSink    parent_instance;

  AccBackend *backend;    /* borrowed of the channel, which joins the thread that writes */
  AccBudget *budget;      /* owned */
  AccShape  *shape;       /* owned: of the whole array */
  GMutex     lock;
  GCond      changed;
  GQueue     chunks;      /* AccArray, owned */
  gint64     n_read;      /* rows of those that were taken */
  AccStore  *rest;        /* for all others, behind n_rest rows that are there; NULL: they wait in memory */
  gint64     n_rest;
  gint64     most;        /* rows that a step takes at once */
  gboolean   ended;
};

G_DEFINE_FINAL_TYPE (AccWalkSink, acc_walk_sink, ACC_TYPE_SINK)

static gboolean
acc_walk_sink_start (AccSink        *sink,
                     AccElementType *type,
                     AccShape       *shape,
                     GCancellable   *cancellable,
                     GError        **error)
{
  AccWalkSink *self = ACC_WALK_SINK (sink);

  g_clear_pointer (&self->shape, acc_shape_unref);
  self->shape = acc_shape_ref (shape);

  return TRUE;
}

static AccArray *
copy_chunk (AccWalkSink *self,
            AccChunk    *chunk,
            AccShape    *shape,
            GError     **error)
{
  AccElementType *type = acc_chunk_get_element_type (chunk);
  guint n_buffers = acc_element_type_get_n_buffers (type);
  g_autofree AccBuffer **buffers = g_new0 (AccBuffer *, n_buffers + 1);

  for (guint i = 0; i < n_buffers; i++)
    {
      gsize size = acc_chunk_get_size (chunk, i);

      buffers[i] = acc_buffer_allocate (size, self->budget, "rows of a sequence", error);
      if (buffers[i] == NULL)
        {
          while (i-- > 0)
            acc_buffer_unref (buffers[i]);
          return NULL;
        }
      if (size > 0)
        acc_parallel_copy (buffers[i]->data, (gconstpointer) (gsize) acc_chunk_get_address (chunk, i), size);
    }

  return acc_array_new_manifest (type, shape, buffers);
}

/* The same in a temporary file. */
static AccArray *
store_chunk (AccWalkSink *self,
             AccChunk    *chunk,
             AccShape    *shape,
             GError     **error)
{
  AccElementType *type = acc_chunk_get_element_type (chunk);
  guint n_buffers = acc_element_type_get_n_buffers (type);
  g_autofree gpointer *addresses = g_new (gpointer, n_buffers + 1);
  g_autoptr(AccStore) store = acc_store_new (self->backend, type, shape, "rows of a sequence", error);

  for (guint i = 0; i < n_buffers; i++)
    addresses[i] = (gpointer) (gsize) acc_chunk_get_address (chunk, i);

  return store != NULL && acc_store_write (store, 0, acc_shape_get_size (shape), addresses, error) ? acc_store_dup_array (store, error)
                                                                                                    : NULL;
}

/* Of @n_rows. */
static AccShape *
new_shape (AccWalkSink *self,
           gint64       n_rows)
{
  guint rank;
  const gint64 *whole = acc_shape_get_extents (self->shape, &rank);
  g_autofree gint64 *extents = g_memdup2 (whole, rank * sizeof (gint64));

  extents[0] = n_rows;

  return acc_shape_new (extents, rank);
}

/* Where memory has no room for rows they are in a file: one may be larger than the limit. */
static AccArray *
keep_chunk (AccWalkSink *self,
            AccChunk    *chunk,
            GError     **error)
{
  g_autoptr(AccShape) shape = new_shape (self, acc_chunk_get_n_rows (chunk));
  GError *local = NULL;
  AccArray *rows = copy_chunk (self, chunk, shape, &local);

  if (!g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    {
      if (local != NULL)
        g_propagate_error (error, local);
      return rows;
    }
  g_clear_error (&local);

  return store_chunk (self, chunk, shape, error);
}

/* With the lock. Behind those of the rest that are there. */
static gboolean
add_to_rest (AccWalkSink *self,
             AccArray    *rows,
             GError     **error)
{
  gint64 n = acc_shape_get_size (rows->shape), n_rows = acc_shape_get_extent (rows->shape, 0);

  if (!acc_store_write_from (self->rest, self->n_rest * (n / MAX (n_rows, 1)), n, acc_array_get_buffers (rows), 0, error))
    return FALSE;
  self->n_rest += n_rows;

  return TRUE;
}

static gboolean
acc_walk_sink_write (AccSink      *sink,
                     AccChunk     *chunk,
                     GCancellable *cancellable,
                     GError      **error)
{
  AccWalkSink *self = ACC_WALK_SINK (sink);
  AccArray *rows;
  gint64 most;
  gboolean done = TRUE;

  g_mutex_lock (&self->lock);
  while (self->chunks.length >= MOST_CHUNKS && self->rest == NULL && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait_until (&self->changed, &self->lock, g_get_monotonic_time () + PATIENCE);
  most = self->most;
  g_mutex_unlock (&self->lock);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  rows = keep_chunk (self, chunk, error);
  if (rows == NULL)
    return FALSE;
  /* Of what is cut each part is sent by itself. */
  if (acc_chunk_get_n_rows (chunk) <= most)
    acc_walk_send_ahead (self->backend, rows);
  g_mutex_lock (&self->lock);
  if (self->rest != NULL)
    {
      done = add_to_rest (self, rows, error);
      g_object_unref (rows);
    }
  else
    {
      g_queue_push_tail (&self->chunks, rows);
    }
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);

  return done;
}

static gboolean
acc_walk_sink_commit (AccSink      *sink,
                      GCancellable *cancellable,
                      GError      **error)
{
  return TRUE;
}

static void
acc_walk_sink_finalize (GObject *object)
{
  AccWalkSink *self = ACC_WALK_SINK (object);

  g_queue_clear_full (&self->chunks, g_object_unref);
  g_clear_pointer (&self->rest, acc_store_unref);
  g_clear_pointer (&self->shape, acc_shape_unref);
  g_clear_pointer (&self->budget, acc_budget_unref);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);

  G_OBJECT_CLASS (acc_walk_sink_parent_class)->finalize (object);
}

static void
acc_walk_sink_class_init (AccWalkSinkClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_walk_sink_finalize;
  ACC_SINK_CLASS (klass)->start = acc_walk_sink_start;
  ACC_SINK_CLASS (klass)->write = acc_walk_sink_write;
  ACC_SINK_CLASS (klass)->commit = acc_walk_sink_commit;
}

static void
acc_walk_sink_init (AccWalkSink *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  g_queue_init (&self->chunks);
}

/* --- the channel */

struct _AccWalkChannel {
  AccBackend   *backend;
  AccArray     *array;
  gint64        chunk;
  AccWalkSink  *sink;
  GCancellable *own;
  GThread      *thread;   /* NULL: nothing was asked for yet */
  GError       *error;    /* of that */
  GError       *rest_error;
};

AccWalkChannel *
acc_walk_channel_new (AccBackend *backend,
                      AccArray   *array,
                      gint64      chunk)
{
  AccWalkChannel *self = g_new0 (AccWalkChannel, 1);

  self->backend = g_object_ref (backend);
  self->array = g_object_ref (array);
  self->chunk = chunk;
  self->own = g_cancellable_new ();
  self->sink = g_object_new (ACC_TYPE_WALK_SINK, "name", "a sequence", NULL);
  self->sink->backend = backend;
  self->sink->budget = acc_budget_ref (acc_backend_get_host_budget (backend));

  return self;
}

void
acc_walk_channel_free (AccWalkChannel *self)
{
  g_cancellable_cancel (self->own);
  if (self->thread != NULL)
    g_thread_join (self->thread);
  g_clear_error (&self->error);
  g_clear_error (&self->rest_error);
  g_object_unref (self->sink);
  g_object_unref (self->own);
  g_object_unref (self->array);
  g_object_unref (self->backend);
  g_free (self);
}

static gpointer
write_rows (gpointer data)
{
  AccWalkChannel *self = data;

  /* The steps of the walk take the rest, unless reading needs it. */
  for (guint n = acc_external_can_repeat (&self->array, 1) ? HALVINGS : 0; ; n--)
    {
      g_clear_error (&self->error);
      acc_external_set_share (n);
      if (acc_evaluate_write_with_chunk_rows (self->backend, self->array, ACC_SINK (self->sink), self->chunk, NULL, self->own, &self->error)
          || n == 0 || self->sink->shape != NULL || !g_error_matches (self->error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
        break;
    }

  g_mutex_lock (&self->sink->lock);
  self->sink->ended = TRUE;
  g_cond_broadcast (&self->sink->changed);
  g_mutex_unlock (&self->sink->lock);

  return NULL;
}

AccArray *
acc_walk_channel_read (AccWalkChannel *self,
                       gint64          most,
                       GCancellable   *cancellable,
                       GError        **error)
{
  AccArray *rows;

  g_mutex_lock (&self->sink->lock);
  self->sink->most = most;
  if (self->thread == NULL)
    self->thread = g_thread_new ("acc-sequence", write_rows, self);
  while (g_queue_is_empty (&self->sink->chunks) && !self->sink->ended && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait_until (&self->sink->changed, &self->sink->lock, g_get_monotonic_time () + PATIENCE);
  rows = g_queue_pop_head (&self->sink->chunks);
  self->sink->n_read += rows != NULL ? acc_shape_get_extent (rows->shape, 0) : 0;
  g_cond_broadcast (&self->sink->changed);
  g_mutex_unlock (&self->sink->lock);

  if (rows != NULL || g_cancellable_set_error_if_cancelled (cancellable, error))
    return rows;
  if (self->rest_error != NULL)
    g_propagate_error (error, g_steal_pointer (&self->rest_error));
  else if (self->error != NULL)
    g_propagate_error (error, g_steal_pointer (&self->error));

  return NULL;
}

/* With the lock. What waits in memory goes to the rest, and so does what comes. */
static gboolean
begin_rest (AccWalkChannel *self)
{
  AccWalkSink *sink = self->sink;
  g_autoptr(AccShape) shape = NULL;
  AccArray *rows;

  if (sink->shape == NULL || sink->rest != NULL || (sink->ended && g_queue_is_empty (&sink->chunks)))
    return FALSE;
  shape = new_shape (sink, acc_shape_get_extent (sink->shape, 0) - sink->n_read);
  sink->rest = acc_store_new (self->backend, self->array->type, shape, "rows of a sequence", NULL);
  if (sink->rest == NULL)
    return FALSE;

  while ((rows = g_queue_pop_head (&sink->chunks)) != NULL)
    {
      g_autoptr(AccArray) waiting = rows;

      if (self->rest_error == NULL
          && !(acc_external_fetch (waiting, &self->rest_error) && add_to_rest (sink, waiting, &self->rest_error)))
        g_cancellable_cancel (self->own);
    }
  g_cond_broadcast (&sink->changed);

  return TRUE;
}

AccArray *
acc_walk_channel_store (AccWalkChannel *self,
                        GCancellable   *cancellable)
{
  AccWalkSink *sink = self->sink;
  AccArray *rest = NULL;

  g_mutex_lock (&sink->lock);
  if (begin_rest (self))
    {
      while (!sink->ended && !g_cancellable_is_cancelled (cancellable))
        g_cond_wait_until (&sink->changed, &sink->lock, g_get_monotonic_time () + PATIENCE);
      if (sink->ended && self->error == NULL && self->rest_error == NULL)
        rest = acc_store_dup_array (sink->rest, &self->rest_error);
    }
  g_mutex_unlock (&sink->lock);

  return rest;
}
