/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-raw-sink-private.h"

#include "acc-core/base/acc-shape-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-core/data/acc-sink-private.h"
#include "acc-npy-private.h"
#include "acc-record-private.h"

struct _AccRawSink
{
  AccSink        parent_instance;

  AccByteWriter *writer;
  gboolean       npy;
  AccRecord     *record;
  guint8        *stage;     /* during a run, unless the record is plain */
  AccElementType *type;     /* of a run that grows, as .row_shape; borrowed */
  AccShape      *row_shape;
  gint64         n_rows;
};

G_DEFINE_FINAL_TYPE (AccRawSink, acc_raw_sink, ACC_TYPE_SINK)

static gboolean
make_header (AccRawSink *self, AccElementType *type, AccShape *shape, gboolean grows, GBytes **header, GError **error)
{
  *header = self->npy ? acc_npy_header_write (type, shape, grows, error) : NULL;
  if (*header == NULL && self->npy)
    g_prefix_error (error, "%s: ", acc_byte_writer_get_name (self->writer));

  return *header != NULL || !self->npy;
}

static gboolean
open_writer (AccRawSink *self, AccElementType *type, AccShape *shape, gboolean grows, GCancellable *cancellable, GError **error)
{
  g_autoptr(GBytes) header = NULL;

  if (!make_header (self, type, shape, grows, &header, error))
    return FALSE;

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
acc_raw_sink_start (AccSink *sink, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  AccRawSink *self = ACC_RAW_SINK (sink);

  g_clear_pointer (&self->row_shape, acc_shape_unref);

  return open_writer (self, type, shape, FALSE, cancellable, error);
}

static gboolean
acc_raw_sink_start_growing (AccSink *sink, AccElementType *type, AccShape *row_shape, GCancellable *cancellable, GError **error)
{
  AccRawSink *self = ACC_RAW_SINK (sink);
  g_autoptr(AccShape) shape = acc_shape_new_rows (0, row_shape);

  g_clear_pointer (&self->row_shape, acc_shape_unref);
  self->row_shape = acc_shape_ref (row_shape);
  self->type = type;
  self->n_rows = 0;

  return open_writer (self, type, shape, TRUE, cancellable, error);
}

static gboolean
acc_raw_sink_can_grow (AccSink *sink)
{
  AccRawSink *self = ACC_RAW_SINK (sink);

  return !self->npy || acc_byte_writer_can_rewrite (self->writer);
}

static gboolean
acc_raw_sink_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccRawSink *self = ACC_RAW_SINK (sink);
  gsize n = (gsize) acc_chunk_get_n_rows (chunk) * (gsize) acc_chunk_get_row_elements (chunk);
  guint n_buffers = self->record->fields->len;
  g_autofree guint8 **buffers = g_new0 (guint8 *, MAX (n_buffers, 1));
  gsize stage_elements = acc_record_get_stage_elements (self->record);

  self->n_rows += acc_chunk_get_n_rows (chunk);
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

/* The first one told of no rows. */
static gboolean
rewrite_header (AccRawSink *self, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccShape) shape = acc_shape_new_rows (self->n_rows, self->row_shape);
  g_autoptr(GBytes) header = NULL;

  return make_header (self, self->type, shape, TRUE, &header, error)
         && (header == NULL
             || acc_byte_writer_rewrite (self->writer, g_bytes_get_data (header, NULL), g_bytes_get_size (header), cancellable, error));
}

static gboolean
acc_raw_sink_complete (AccSink *sink, GCancellable *cancellable, GError **error)
{
  AccRawSink *self = ACC_RAW_SINK (sink);

  return (self->row_shape == NULL || rewrite_header (self, cancellable, error))
         && acc_byte_writer_complete (self->writer, cancellable, error);
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

static GBytes *
acc_raw_sink_make_head (AccSink *sink, AccElementType *type, AccShape *shape, gboolean grows, GError **error)
{
  AccRawSink *self = ACC_RAW_SINK (sink);
  g_autoptr(AccRecord) record = acc_record_new_packed (type);
  GFile *file = acc_byte_writer_get_file (self->writer);
  GBytes *header;

  if (!acc_record_is_plain (record) || file == NULL || g_file_peek_path (file) == NULL
      || !make_header (self, type, shape, grows, &header, error))
    return NULL;

  return header != NULL ? header : g_bytes_new (NULL, 0);
}

static gboolean
acc_raw_sink_adopt (AccSink *sink, const char *path, GError **error)
{
  return acc_byte_writer_adopt (ACC_RAW_SINK (sink)->writer, path, error);
}

static void
acc_raw_sink_finalize (GObject *object)
{
  AccRawSink *self = ACC_RAW_SINK (object);

  g_clear_pointer (&self->writer, acc_byte_writer_free);
  g_clear_pointer (&self->record, acc_record_free);
  g_clear_pointer (&self->row_shape, acc_shape_unref);
  g_free (self->stage);

  G_OBJECT_CLASS (acc_raw_sink_parent_class)->finalize (object);
}

static void
acc_raw_sink_class_init (AccRawSinkClass *klass)
{
  AccSinkClass *sink_class = ACC_SINK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = acc_raw_sink_finalize;
  sink_class->start = acc_raw_sink_start;
  sink_class->start_growing = acc_raw_sink_start_growing;
  sink_class->can_grow = acc_raw_sink_can_grow;
  sink_class->write = acc_raw_sink_write;
  sink_class->complete = acc_raw_sink_complete;
  sink_class->commit = acc_raw_sink_commit;
  sink_class->abort = acc_raw_sink_abort;
  sink_class->get_resident_bytes = acc_raw_sink_get_resident_bytes;
}

static void
acc_raw_sink_init (AccRawSink *self)
{
  static const AccSinkPlain plain = { acc_raw_sink_make_head, acc_raw_sink_adopt };

  acc_sink_set_plain (ACC_SINK (self), &plain);
  acc_sink_set_takes_elements (ACC_SINK (self));
}

AccSink *
acc_raw_sink_new (AccByteWriter *writer, gboolean npy)
{
  AccRawSink *self = g_object_new (ACC_TYPE_RAW_SINK, "name", acc_byte_writer_get_name (writer), NULL);

  self->writer = writer;
  self->npy = npy;
  acc_sink_set_file (ACC_SINK (self), acc_byte_writer_get_file (writer));
  acc_sink_set_stream (ACC_SINK (self), acc_byte_writer_get_stream (writer));

  return ACC_SINK (self);
}
