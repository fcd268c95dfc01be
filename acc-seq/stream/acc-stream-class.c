/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stream-private.h"

/* --- kernels see what readers fill and writers empty */

static gboolean
host_send (AccStreamInput *input, guint64 chunk, GError **error)
{
  return TRUE;
}

static void
host_release (AccStreamInput *input, guint64 chunk)
{
  acc_stream_input_give_back (input, chunk, &(AccRowPoint) { 0, });
}

static AccRowBuffer *
host_open (AccStreamOutput *output, guint64 chunk)
{
  return acc_stream_output_acquire (output);
}

static gboolean
host_submit (AccStreamOutput *output, AccStreamSlot *slot, GError **error)
{
  acc_stream_output_submit (output, slot);

  return TRUE;
}

const AccStreamClass acc_stream_on_host = {
  .send = host_send,
  .release = host_release,
  .open = host_open,
  .submit = host_submit,
};

static gboolean
host_flush (AccRowRun *run, GError **error)
{
  return TRUE;
}

static gboolean
host_wait (AccRowRun *run, const AccRowPoint *point, GError **error)
{
  return TRUE;
}

const AccRowDeviceClass acc_stream_host_device = {
  .flush = host_flush,
  .wait = host_wait,
  .finish = host_flush,
};

/* --- rows are staged on their way to a device and back */

/* Sends the chunk up, and its slot back to the reader. */
static gboolean
device_send (AccStreamInput *input, guint64 chunk, GError **error)
{
  AccStream *stream = input->stream;
  gint64 first_row = acc_stream_get_tick (stream, chunk);
  AccRowBuffer *to = input->rows.seen[chunk % input->rows.n_seen];
  AccRowPoint point;

  if (chunk >= input->n_chunks)
    return TRUE;

  acc_row_buffer_get_row (input->rows.buffers[chunk % input->rows.n_buffers], 0, stream->addresses);
  if (!stream->device->upload (stream->run, input->value, to->memory, input->whole ? first_row : 0, stream->addresses,
                               MIN (stream->plan->chunk_rows, input->n_rows - first_row), &point, error))
    return FALSE;

  acc_stream_input_give_back (input, chunk, &point);

  return TRUE;
}

static void
device_release (AccStreamInput *input, guint64 chunk)
{
}

static AccRowBuffer *
device_open (AccStreamOutput *output, guint64 chunk)
{
  return output->rows.seen[chunk % output->rows.n_seen];
}

/* Brings the chunk down into an empty slot, for which it waits. */
static gboolean
device_submit (AccStreamOutput *output, AccStreamSlot *slot, GError **error)
{
  AccStream *stream = output->stream;
  AccRowBuffer *buffer = acc_stream_output_acquire (output);

  if (buffer == NULL)
    return FALSE;

  acc_row_buffer_get_row (buffer, 0, stream->addresses);
  if (!stream->device->download (stream->run, output->value, stream->addresses, device_open (output, slot->chunk)->memory, 0,
                                 slot->n_rows, &slot->downloaded, error))
    return FALSE;

  acc_stream_output_submit (output, slot);

  return TRUE;
}

const AccStreamClass acc_stream_on_device = {
  .send = device_send,
  .release = device_release,
  .open = device_open,
  .submit = device_submit,
};
