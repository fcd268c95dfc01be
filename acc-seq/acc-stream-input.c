/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stream-private.h"

#include "acc-chunk-private.h"

static gboolean
read_chunk (AccStreamInput *self, guint64 position, GError **error)
{
  AccRowBuffer *buffer = self->whole ? self->buffers[0] : self->buffers[position % self->n_buffers];
  gint64 first_row = acc_stream_get_tick (self->stream, position);
  gint64 n_rows = MIN (self->stream->plan->chunk_rows, self->n_rows - first_row);
  AccElementType *type = self->stream->run->values[self->value].type;
  g_autofree gpointer *leaves = g_new0 (gpointer, buffer->n_leaves + 1);
  AccChunk *chunk;
  gint64 began = g_get_monotonic_time ();
  gboolean read;

  acc_row_buffer_get_row (buffer, self->whole ? first_row : 0, leaves);
  chunk = acc_chunk_new (type, first_row, n_rows, self->row_elements, leaves);
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

static gboolean
wait_for_slot (AccStreamInput *self, guint64 position)
{
  AccStream *stream = self->stream;
  gboolean goes_on;

  g_mutex_lock (&stream->lock);
  while (!stream->stopped && !self->whole && position - self->n_released >= self->n_buffers)
    g_cond_wait (&stream->cond, &stream->lock);
  goes_on = !stream->stopped;
  g_mutex_unlock (&stream->lock);

  return goes_on;
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
      acc_stream_fail (stream, error);
      return NULL;
    }

  for (guint64 position = 0; position < self->n_chunks && wait_for_slot (self, position); position++)
    {
      if (!read_chunk (self, position, &error))
        {
          acc_stream_fail (stream, error);
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
  self->thread = g_thread_try_new ("acc-reader", reader_thread, self, error);

  return self->thread != NULL;
}

gboolean
acc_stream_input_acquire (AccStreamInput *self, guint64 chunk)
{
  AccStream *stream = self->stream;
  gboolean goes_on;

  if (chunk >= self->n_chunks)
    return TRUE;

  g_mutex_lock (&stream->lock);
  while (!stream->stopped && self->n_filled <= chunk)
    g_cond_wait (&stream->cond, &stream->lock);
  goes_on = !stream->stopped;
  g_mutex_unlock (&stream->lock);

  return goes_on;
}

void
acc_stream_input_release (AccStreamInput *self, guint64 chunk)
{
  AccStream *stream = self->stream;

  /* The last slot stays: stages that trail behind still read it. */
  if (chunk + 1 >= self->n_chunks)
    return;

  if (!self->whole)
    {
      gint64 end = acc_stream_get_tick (stream, chunk + 1);
      gint64 kept = MIN (self->carry, end);

      acc_row_buffer_copy (self->buffers[(chunk + 1) % self->n_buffers], -kept,
                           self->buffers[chunk % self->n_buffers], stream->plan->chunk_rows - kept, kept);
    }

  g_mutex_lock (&stream->lock);
  self->n_released = chunk + 1;
  g_cond_broadcast (&stream->cond);
  g_mutex_unlock (&stream->lock);
}

void
acc_stream_input_join (AccStreamInput *self)
{
  g_clear_pointer (&self->thread, g_thread_join);
}
