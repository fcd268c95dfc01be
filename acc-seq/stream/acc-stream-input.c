/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stream-private.h"

#include "acc-core/data/acc-chunk-private.h"
#include "acc-core/data/acc-source-private.h"

/* The reader threads of a streamed run: they fill slots with chunks of the sources. */

static gboolean
read_chunk (AccStreamInput *self, guint64 position, GError **error)
{
  AccRowBuffer *buffer = self->rows.buffers[position % self->rows.n_buffers];
  gint64 first_row = acc_stream_get_tick (self->stream, position);
  gint64 n_rows = MIN (self->stream->plan->chunk_rows, self->n_rows - first_row);
  AccElementType *type = self->stream->run->values[self->value].type;
  g_autofree gpointer *addresses = g_new0 (gpointer, buffer->n_runs + 1);
  AccChunk *chunk;
  gint64 began = g_get_monotonic_time ();
  gboolean read;

  acc_row_buffer_get_row (buffer, self->in_place ? first_row : 0, addresses);
  chunk = acc_chunk_new (type, first_row, n_rows, self->row_elements, addresses);
  read = acc_source_read (self->source, chunk, self->stream->cancellable, error);
  acc_chunk_invalidate (chunk);
  acc_chunk_unref (chunk);

  acc_job_add_seconds (self->stream->job, ACC_STAGE_READING, (g_get_monotonic_time () - began) * 1e-6);

  if (!read)
    {
      g_prefix_error (error, "reading “%s”, chunk %" G_GUINT64_FORMAT ", row %" G_GINT64_FORMAT ": ",
                      acc_source_get_name (self->source), position, first_row);
      return FALSE;
    }

  acc_job_add_bytes (self->stream->job, (guint64) n_rows * self->stream->flow->values[self->value].row_bytes, 0);

  return TRUE;
}

/* The device may still read what the slot had last. */
static gboolean
wait_for_device (AccStreamInput *self, guint64 position, GError **error)
{
  AccStream *stream = self->stream;
  AccRowPoint point;

  if (position < self->rows.n_buffers)
    return TRUE;

  g_mutex_lock (&stream->lock);
  point = self->uploaded[position % self->rows.n_buffers];
  g_mutex_unlock (&stream->lock);

  return stream->device->wait (stream->run, &point, error);
}

static gboolean
wait_for_slot (AccStreamInput *self, guint64 position)
{
  AccStream *stream = self->stream;
  gboolean goes_on;

  g_mutex_lock (&stream->lock);
  while (!stream->stopped && !self->in_place && position - self->n_released >= self->rows.n_buffers)
    g_cond_wait (&stream->cond, &stream->lock);
  goes_on = !stream->stopped;
  g_mutex_unlock (&stream->lock);

  return goes_on;
}

/* The rows before it are computed and written: those who wait for the next ones tell of it. */
static void
fail (AccStreamInput *self, GError *error)
{
  AccStream *stream = self->stream;

  g_mutex_lock (&stream->lock);
  self->failure = error;
  g_cond_broadcast (&stream->cond);
  g_mutex_unlock (&stream->lock);
}

/* To the first chunk that is computed: what goes forwards only reads what nobody waits for, too. */
static gboolean
skip_chunks (AccStreamInput *self, GError **error)
{
  guint64 first = self->whole ? 0 : MIN (self->stream->first_chunk, self->n_chunks);

  if (first > 0 && acc_source_can_seek (self->source))
    {
      gint64 row = MIN (acc_stream_get_tick (self->stream, first), self->n_rows);

      if (acc_source_seek (self->source, row, self->stream->cancellable, error))
        return TRUE;
      g_prefix_error (error, "reading “%s”, row %" G_GINT64_FORMAT ": ", acc_source_get_name (self->source), row);
      return FALSE;
    }

  for (guint64 position = 0; position < first; position++)
    if (!read_chunk (self, position, error))
      return FALSE;

  return TRUE;
}

static gpointer
reader_thread (gpointer data)
{
  AccStreamInput *self = data;
  AccStream *stream = self->stream;
  GError *error = NULL;

  if (!acc_source_start (self->source, stream->cancellable, &error))
    {
      g_prefix_error (&error, "reading “%s”: ", acc_source_get_name (self->source));
      fail (self, error);
      return NULL;
    }

  if (!skip_chunks (self, &error))
    {
      fail (self, error);
      acc_source_finish (self->source);
      return NULL;
    }

  for (guint64 position = self->whole ? 0 : stream->first_chunk; position < self->n_chunks && wait_for_slot (self, position); position++)
    {
      if (!wait_for_device (self, position, &error) || !read_chunk (self, position, &error))
        {
          fail (self, error);
          break;
        }

      g_mutex_lock (&stream->lock);
      self->n_filled = position + 1;
      g_cond_broadcast (&stream->cond);
      g_mutex_unlock (&stream->lock);
    }

  acc_source_finish (self->source);

  return NULL;
}

gboolean
acc_stream_input_start (AccStreamInput *self, GError **error)
{
  if (!self->whole)
    self->n_filled = self->n_released = MIN (self->stream->first_chunk, self->n_chunks);

  self->thread = g_thread_try_new ("acc-reader", reader_thread, self, error);

  return self->thread != NULL;
}

/* Whose rows of @chunk do not come; NULL: there is none. */
static AccStreamInput *
find_failed (AccStream *stream, guint64 chunk)
{
  for (guint i = 0; i < stream->n_inputs; i++)
    if (stream->inputs[i].failure != NULL && stream->inputs[i].n_filled <= chunk)
      return &stream->inputs[i];

  return NULL;
}

static gboolean
is_writing (AccStream *stream)
{
  for (guint i = 0; i < stream->n_outputs; i++)
    if (stream->outputs[i].n_written < stream->outputs[i].n_filled)
      return TRUE;

  return FALSE;
}

gboolean
acc_stream_input_acquire (AccStreamInput *self, guint64 chunk)
{
  AccStream *stream = self->stream;
  AccStreamInput *failed = NULL;
  GError *failure = NULL;
  gboolean goes_on;

  if (chunk >= self->n_chunks)
    return TRUE;

  g_mutex_lock (&stream->lock);
  while (!stream->stopped && self->n_filled <= chunk && (failed = find_failed (stream, chunk)) == NULL)
    g_cond_wait (&stream->cond, &stream->lock);
  while (!stream->stopped && failed != NULL && is_writing (stream))
    g_cond_wait (&stream->cond, &stream->lock);
  goes_on = !stream->stopped && failed == NULL;
  if (!stream->stopped && failed != NULL)
    failure = g_steal_pointer (&failed->failure);
  g_mutex_unlock (&stream->lock);

  if (failure != NULL)
    acc_stream_fail (stream, failure);

  return goes_on;
}

void
acc_stream_input_give_back (AccStreamInput *self, guint64 chunk, const AccRowPoint *point)
{
  AccStream *stream = self->stream;

  g_mutex_lock (&stream->lock);
  self->uploaded[chunk % self->rows.n_buffers] = *point;
  self->n_released = chunk + 1;
  g_cond_broadcast (&stream->cond);
  g_mutex_unlock (&stream->lock);
}

gboolean
acc_stream_input_release (AccStreamInput *self, guint64 chunk, GError **error)
{
  AccStream *stream = self->stream;

  /* The last slot stays: stages that trail behind still read it. */
  if (chunk + 1 >= self->n_chunks)
    return TRUE;

  if (!self->whole)
    {
      gint64 end = acc_stream_get_tick (stream, chunk + 1);
      gint64 kept = MIN (self->carry, end);

      if (!acc_row_buffer_copy (self->rows.seen[(chunk + 1) % self->rows.n_seen], -kept,
                                self->rows.seen[chunk % self->rows.n_seen], stream->plan->chunk_rows - kept, kept, error))
        return FALSE;
    }

  stream->klass->release (self, chunk);

  return TRUE;
}

void
acc_stream_input_join (AccStreamInput *self)
{
  g_clear_pointer (&self->thread, g_thread_join);
}
