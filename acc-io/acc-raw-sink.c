/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-raw-sink-private.h"

#include "acc-core/data/acc-chunk-private.h"
#include "acc-npy-private.h"
#include "acc-record-private.h"

struct _AccRawSink
{
  AccSink        parent_instance;

  AccByteWriter *writer;
  gboolean       npy;
  AccRecord     *record;
  guint8        *stage;     /* during a run, unless the record is plain */
};

G_DEFINE_FINAL_TYPE (AccRawSink, acc_raw_sink, ACC_TYPE_SINK)

static gboolean
acc_raw_sink_start (AccSink *sink, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  AccRawSink *self = ACC_RAW_SINK (sink);
  g_autoptr(GBytes) header = NULL;

  if (self->npy)
    {
      header = acc_npy_header_write (type, shape, error);
      if (header == NULL)
        {
          g_prefix_error (error, "%s: ", acc_byte_writer_get_name (self->writer));
          return FALSE;
        }
    }

  g_clear_pointer (&self->record, acc_record_free);
  self->record = acc_record_new_packed (type);

  if (!acc_byte_writer_open (self->writer, cancellable, error))
    return FALSE;

  if (!acc_record_is_plain (self->record))
    self->stage = g_malloc0 (MAX (acc_record_get_stage_size (self->record), 1));

  return header == NULL
         || acc_byte_writer_write (self->writer, g_bytes_get_data (header, NULL), g_bytes_get_size (header),
                                   cancellable, error);
}

static gboolean
acc_raw_sink_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccRawSink *self = ACC_RAW_SINK (sink);
  gsize n = (gsize) acc_chunk_get_n_rows (chunk) * (gsize) acc_chunk_get_row_elements (chunk);
  guint n_buffers = self->record->fields->len;
  g_autofree guint8 **buffers = g_new0 (guint8 *, MAX (n_buffers, 1));
  gsize stage_elements = acc_record_get_stage_elements (self->record);

  for (guint i = 0; i < n_buffers; i++)
    buffers[i] = (guint8 *) (guintptr) acc_chunk_get_address (chunk, i);

  if (acc_record_is_plain (self->record))
    return acc_byte_writer_write (self->writer, buffers[0], n * self->record->size, cancellable, error);

  for (gsize done = 0; done < n && self->record->size > 0; )
    {
      gsize part = MIN (n - done, stage_elements);

      acc_record_join (self->record, self->stage, part, buffers, done);
      if (!acc_byte_writer_write (self->writer, self->stage, part * self->record->size, cancellable, error))
        return FALSE;
      done += part;
    }

  return TRUE;
}

static gboolean
acc_raw_sink_complete (AccSink *sink, GCancellable *cancellable, GError **error)
{
  return acc_byte_writer_complete (ACC_RAW_SINK (sink)->writer, cancellable, error);
}

static gboolean
acc_raw_sink_commit (AccSink *sink, GCancellable *cancellable, GError **error)
{
  AccRawSink *self = ACC_RAW_SINK (sink);

  if (!acc_byte_writer_commit (self->writer, cancellable, error))
    return FALSE;

  g_clear_pointer (&self->stage, g_free);

  return TRUE;
}

static void
acc_raw_sink_abort (AccSink *sink)
{
  AccRawSink *self = ACC_RAW_SINK (sink);

  acc_byte_writer_abort (self->writer);
  g_clear_pointer (&self->stage, g_free);
}

static guint64
acc_raw_sink_get_resident_bytes (AccSink *sink, AccElementType *type, AccShape *shape)
{
  g_autoptr(AccRecord) record = acc_record_new_packed (type);

  return ACC_BYTE_WRITER_BUFFER + acc_record_get_stage_size (record);
}

static void
acc_raw_sink_finalize (GObject *object)
{
  AccRawSink *self = ACC_RAW_SINK (object);

  g_clear_pointer (&self->writer, acc_byte_writer_free);
  g_clear_pointer (&self->record, acc_record_free);
  g_free (self->stage);

  G_OBJECT_CLASS (acc_raw_sink_parent_class)->finalize (object);
}

static void
acc_raw_sink_class_init (AccRawSinkClass *klass)
{
  AccSinkClass *sink_class = ACC_SINK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = acc_raw_sink_finalize;
  sink_class->start = acc_raw_sink_start;
  sink_class->write = acc_raw_sink_write;
  sink_class->complete = acc_raw_sink_complete;
  sink_class->commit = acc_raw_sink_commit;
  sink_class->abort = acc_raw_sink_abort;
  sink_class->get_resident_bytes = acc_raw_sink_get_resident_bytes;
}

static void
acc_raw_sink_init (AccRawSink *self)
{
}

AccSink *
acc_raw_sink_new (AccByteWriter *writer, gboolean npy)
{
  AccRawSink *self = g_object_new (ACC_TYPE_RAW_SINK, "name", acc_byte_writer_get_name (writer), NULL);

  self->writer = writer;
  self->npy = npy;

  return ACC_SINK (self);
}
