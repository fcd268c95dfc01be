/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stream-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-core/data/acc-sink-private.h"

/* The writer threads of a streamed run: they pass chunks of the results to the sink. */

static gboolean
write_rows (AccSink *sink, AccElementType *type, gint64 row_elements, gpointer *addresses,
            const AccStreamSlot *slot, AccJob *job, GCancellable *cancellable, GError **error)
{
  AccChunk *chunk = acc_chunk_new (type, slot->first_row, slot->n_rows, row_elements, addresses);
  gint64 began = g_get_monotonic_time ();
  gboolean written = acc_sink_write (sink, chunk, cancellable, error);

  acc_chunk_invalidate (chunk);
  acc_chunk_unref (chunk);
  acc_job_add_seconds (job, ACC_STAGE_WRITING, (g_get_monotonic_time () - began) * 1e-6);

  if (!written)
    {
      g_prefix_error (error, "writing “%s”, chunk %" G_GUINT64_FORMAT ", row %" G_GINT64_FORMAT ": ",
                      acc_sink_get_name (sink), slot->chunk, slot->first_row);
      return FALSE;
    }

  acc_job_add_bytes (job, 0, (guint64) slot->n_rows * (guint64) row_elements * acc_element_type_get_size (type));

  return TRUE;
}

/* Where a device writes the slot, it must be done with it first. */
static gboolean
wait_for_device (AccStreamOutput *self, const AccStreamSlot *slot, GError **error)
{
  AccStream *stream = self->stream;

  if (stream->device->wait (stream->run, &slot->downloaded, error))
    return TRUE;

  g_prefix_error (error, "chunk %" G_GUINT64_FORMAT ", row %" G_GINT64_FORMAT ": ", slot->chunk, slot->first_row);

  return FALSE;
}

static gboolean
write_slot (AccStreamOutput *self, AccRowBuffer *buffer, const AccStreamSlot *slot, gpointer *addresses, GError **error)
{
  AccStream *stream = self->stream;

  if (self->sinks == NULL)
    return acc_row_buffer_copy (self->result, slot->first_row, buffer, 0, slot->n_rows, error);

  acc_row_buffer_get_row (buffer, 0, addresses);
  for (guint i = 0; i < self->sinks->len; i++)
    if (!write_rows (g_ptr_array_index (self->sinks, i), stream->run->values[self->value].type, self->row_elements, addresses, slot,
                     stream->job, stream->cancellable, error))
      return FALSE;

  return TRUE;
}

/* Whether the next slot, which is filled, was written. */
static gboolean
write_next (AccStreamOutput *self, const AccStreamSlot *slot)
{
  AccStream *stream = self->stream;
  guint64 position = self->n_written;
  g_autofree gpointer *addresses = g_new0 (gpointer, acc_element_type_get_n_buffers (stream->run->values[self->value].type) + 1);
  GError *error = NULL;

  if (!wait_for_device (self, slot, &error)
      || !write_slot (self, self->rows.buffers[position % self->rows.n_buffers], slot, addresses, &error))
    {
      acc_stream_fail (stream, error);
      return FALSE;
    }

  g_mutex_lock (&stream->lock);
  self->n_written = position + 1;
  g_cond_broadcast (&stream->cond);
  g_mutex_unlock (&stream->lock);

  if (self == stream->outputs)
    acc_stream_advance (stream, slot->chunk + 1);

  return TRUE;
}

static gpointer
writer_thread (gpointer data)
{
  AccStreamOutput *self = data;
  AccStream *stream = self->stream;
  gboolean goes_on = TRUE;

  while (goes_on)
    {
      AccStreamSlot slot;

      g_mutex_lock (&stream->lock);
      while (!stream->stopped && self->n_filled <= self->n_written && !self->closed)
        g_cond_wait (&stream->cond, &stream->lock);
      goes_on = !stream->stopped && self->n_filled > self->n_written;
      slot = self->slots[self->n_written % self->rows.n_buffers];
      g_mutex_unlock (&stream->lock);

      goes_on = goes_on && write_next (self, &slot);
    }

  return NULL;
}

static gboolean
is_bound_here (AccStreamOutput *self)
{
  for (guint i = 0; self->sinks != NULL && i < self->sinks->len; i++)
    if (acc_sink_is_bound_here (g_ptr_array_index (self->sinks, i)))
      return TRUE;

  return FALSE;
}

gboolean
acc_stream_output_start (AccStreamOutput *self, GError **error)
{
  self->writes_here = is_bound_here (self);
  if (self->writes_here)
    return TRUE;

  self->thread = g_thread_try_new ("acc-writer", writer_thread, self, error);

  return self->thread != NULL;
}

AccRowBuffer *
acc_stream_output_acquire (AccStreamOutput *self)
{
  AccStream *stream = self->stream;
  AccRowBuffer *buffer = NULL;

  g_mutex_lock (&stream->lock);
  while (!stream->stopped && self->n_filled - self->n_written >= self->rows.n_buffers)
    g_cond_wait (&stream->cond, &stream->lock);
  if (!stream->stopped)
    buffer = self->rows.buffers[self->n_filled % self->rows.n_buffers];
  g_mutex_unlock (&stream->lock);

  return buffer;
}

void
acc_stream_output_submit (AccStreamOutput *self, const AccStreamSlot *slot)
{
  AccStream *stream = self->stream;

  g_mutex_lock (&stream->lock);
  self->slots[self->n_filled % self->rows.n_buffers] = *slot;
  self->n_filled++;
  g_cond_broadcast (&stream->cond);
  g_mutex_unlock (&stream->lock);

  if (self->writes_here)
    write_next (self, slot);
}

void
acc_stream_output_join (AccStreamOutput *self)
{
  AccStream *stream = self->stream;

  if (self->thread == NULL)
    return;

  g_mutex_lock (&stream->lock);
  self->closed = TRUE;
  g_cond_broadcast (&stream->cond);
  g_mutex_unlock (&stream->lock);

  g_clear_pointer (&self->thread, g_thread_join);
}

gboolean
acc_stream_write_manifest (AccArray *array, AccSink *sink, gint64 chunk_rows, AccJob *job,
                           GCancellable *cancellable, GError **error)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (array->shape, &rank);
  gint64 n_rows = rank > 0 ? MAX (extents[0], 0) : 1;
  gint64 row_elements = n_rows > 0 ? acc_shape_get_size (array->shape) / n_rows : 0;
  guint n_buffers = acc_element_type_get_n_buffers (array->type);
  guint64 row_bytes = (guint64) row_elements * acc_element_type_get_size (array->type);
  g_autofree gpointer *addresses = g_new0 (gpointer, n_buffers + 1);
  g_autofree guint8 **elements = g_new0 (guint8 *, n_buffers + 1);
  AccStreamSlot slot = { 0, };

  for (guint i = 0; i < n_buffers; i++)
    {
      elements[i] = acc_buffer_map (acc_array_get_buffers (array)[i], error);
      if (elements[i] == NULL)
        return FALSE;
    }

  for (slot.first_row = 0; slot.first_row < n_rows; slot.first_row += slot.n_rows, slot.chunk++)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;

      slot.n_rows = MIN (chunk_rows, n_rows - slot.first_row);
      for (guint i = 0; i < n_buffers; i++)
        addresses[i] = elements[i]
                    + (gsize) slot.first_row * (gsize) row_elements * acc_element_type_get_buffer_size (array->type, i);

      if (!write_rows (sink, array->type, row_elements, addresses, &slot, job, cancellable, error))
        return FALSE;

      acc_job_advance (job, slot.chunk + 1, (guint64) (slot.first_row + slot.n_rows) * row_bytes);
    }

  return TRUE;
}
