/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-png-sink.h"

#include "acc-enum-types.h"
#include "acc-error.h"
#include "acc-png-encoder-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-core/data/acc-sink-private.h"

/**
 * AccPngSink:
 *
 * Writes a PNG picture, row by row.
 *
 * It takes arrays of rank 2, rows and columns, and of rank 3 with a last extent of 1 (grey), 2 (grey and alpha), 3 (RGB) or 4
 * (RGBA). Elements are `u1`, `u2` (16 bits), or `b1` (grey only, one bit per pixel: true is white). A run that writes anything
 * else fails with %ACC_ERROR_UNSUPPORTED.
 *
 * The file appears under its name when it is complete.
 */
struct _AccPngSink
{
  AccSink        parent_instance;

  AccByteWriter *writer;
  guint          level;
  AccPngFilter   filter;

  AccPngSettings settings;   /* of the run */
  AccPngEncoder *encoder;
};

enum {
  PROP_0,
  PROP_COMPRESSION_LEVEL,
  PROP_FILTER,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_FINAL_TYPE (AccPngSink, acc_png_sink, ACC_TYPE_SINK)

static gboolean
find_settings (AccPngSink *self, AccElementType *type, AccShape *shape, AccPngSettings *settings, GError **error)
{
  g_autofree char *text = acc_shape_to_string (shape);
  const char *name = acc_byte_writer_get_name (self->writer);
  AccElementKind kind = acc_element_type_get_kind (type);
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);
  gint64 channels = rank == 3 ? extents[2] : 1;

  if (kind != ACC_KIND_U8 && kind != ACC_KIND_U16 && kind != ACC_KIND_BOOL)
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED,
                 "%s: a PNG picture holds elements of type u1, u2 or b1, not %s", name, acc_element_type_get_code (type));
  else if (rank < 2 || rank > 3 || channels < 1 || channels > 4)
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED,
                 "%s: a PNG picture has the shape [rows,columns] or [rows,columns,1 to 4], not %s", name, text);
  else if (kind == ACC_KIND_BOOL && channels > 1)
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED,
                 "%s: a PNG picture of booleans has one channel, not %" G_GINT64_FORMAT, name, channels);
  else if (extents[0] < 1 || extents[1] < 1 || extents[0] > G_MAXINT32 || extents[1] > G_MAXINT32)
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED,
                 "%s: a PNG picture has 1 to 2147483647 rows and columns, not %s", name, text);
  else
    {
      *settings = (AccPngSettings) {
        .width = extents[1],
        .height = extents[0],
        .channels = channels,
        .kind = kind,
        .row_bytes = (gsize) extents[1] * (gsize) channels * acc_element_kind_get_size (kind),
        .level = self->level,
        .filter = self->filter,
      };
      return TRUE;
    }

  return FALSE;
}

static gboolean
acc_png_sink_start (AccSink *sink, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  AccPngSink *self = ACC_PNG_SINK (sink);

  if (!find_settings (self, type, shape, &self->settings, error) || !acc_byte_writer_open (self->writer, cancellable, error))
    return FALSE;

  self->encoder = acc_png_encoder_new (self->writer, &self->settings, cancellable, error);

  return self->encoder != NULL;
}

/* Never: a picture begins with its height. */
static gboolean
acc_png_sink_start_growing (AccSink *sink, AccElementType *type, AccShape *row_shape, GCancellable *cancellable, GError **error)
{
  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED,
               "%s: a PNG picture has the shape [rows,columns] or [rows,columns,1 to 4], not a length "
               "that depends on the data", acc_byte_writer_get_name (ACC_PNG_SINK (sink)->writer));

  return FALSE;
}

static gboolean
acc_png_sink_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  return acc_png_encoder_write (ACC_PNG_SINK (sink)->encoder, (const guint8 *) (guintptr) acc_chunk_get_address (chunk, 0),
                                (gsize) acc_chunk_get_n_rows (chunk) * (gsize) acc_chunk_get_row_elements (chunk), cancellable, error);
}

static gboolean
acc_png_sink_complete (AccSink *sink, GCancellable *cancellable, GError **error)
{
  AccPngSink *self = ACC_PNG_SINK (sink);

  return acc_png_encoder_finish (self->encoder, cancellable, error) && acc_byte_writer_complete (self->writer, cancellable, error);
}

static gboolean
acc_png_sink_commit (AccSink *sink, GCancellable *cancellable, GError **error)
{
  AccPngSink *self = ACC_PNG_SINK (sink);

  if (!acc_byte_writer_commit (self->writer, cancellable, error))
    return FALSE;

  g_clear_pointer (&self->encoder, acc_png_encoder_free);

  return TRUE;
}

static void
acc_png_sink_abort (AccSink *sink)
{
  AccPngSink *self = ACC_PNG_SINK (sink);

  g_clear_pointer (&self->encoder, acc_png_encoder_free);
  acc_byte_writer_abort (self->writer);
}

static guint64
acc_png_sink_get_resident_bytes (AccSink *sink, AccElementType *type, AccShape *shape)
{
  AccPngSettings settings;

  /* What it cannot write it does not begin. */
  if (!find_settings (ACC_PNG_SINK (sink), type, shape, &settings, NULL))
    return 0;

  return ACC_BYTE_WRITER_BUFFER + acc_png_settings_get_resident_bytes (&settings);
}

static void
acc_png_sink_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AccPngSink *self = ACC_PNG_SINK (object);

  switch (id)
    {
    case PROP_COMPRESSION_LEVEL:
      g_value_set_uint (value, self->level);
      break;
    case PROP_FILTER:
      g_value_set_enum (value, self->filter);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_png_sink_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AccPngSink *self = ACC_PNG_SINK (object);

  switch (id)
    {
    case PROP_COMPRESSION_LEVEL:
      acc_png_sink_set_compression_level (self, g_value_get_uint (value));
      break;
    case PROP_FILTER:
      acc_png_sink_set_filter (self, g_value_get_enum (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_png_sink_finalize (GObject *object)
{
  AccPngSink *self = ACC_PNG_SINK (object);

  g_clear_pointer (&self->encoder, acc_png_encoder_free);
  g_clear_pointer (&self->writer, acc_byte_writer_free);

  G_OBJECT_CLASS (acc_png_sink_parent_class)->finalize (object);
}

static void
acc_png_sink_class_init (AccPngSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  AccSinkClass *sink_class = ACC_SINK_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = acc_png_sink_get_property;
  object_class->set_property = acc_png_sink_set_property;
  object_class->finalize = acc_png_sink_finalize;
  sink_class->start = acc_png_sink_start;
  sink_class->start_growing = acc_png_sink_start_growing;
  sink_class->write = acc_png_sink_write;
  sink_class->complete = acc_png_sink_complete;
  sink_class->commit = acc_png_sink_commit;
  sink_class->abort = acc_png_sink_abort;
  sink_class->get_resident_bytes = acc_png_sink_get_resident_bytes;

  /**
   * AccPngSink:compression-level:
   *
   * Sets how hard the picture is compressed, from 0 (none) to 9 (smallest). It starts as 1, which is the fastest.
   */
  properties[PROP_COMPRESSION_LEVEL] = g_param_spec_uint ("compression-level", NULL, NULL, 0, 9, 1, flags);

  /**
   * AccPngSink:filter:
   *
   * Selects the filter that prepares rows for compression.
   */
  properties[PROP_FILTER] =
    g_param_spec_enum ("filter", NULL, NULL, ACC_TYPE_PNG_FILTER, ACC_PNG_FILTER_FAST, flags);

  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
acc_png_sink_init (AccPngSink *self)
{
  self->level = 1;
  self->filter = ACC_PNG_FILTER_FAST;
  acc_sink_set_takes_elements (ACC_SINK (self));
}

static AccPngSink *
new_for_writer (AccByteWriter *writer)
{
  AccPngSink *self = g_object_new (ACC_TYPE_PNG_SINK, "name", acc_byte_writer_get_name (writer), NULL);

  self->writer = writer;
  acc_sink_set_file (ACC_SINK (self), acc_byte_writer_get_file (writer));
  acc_sink_set_stream (ACC_SINK (self), acc_byte_writer_get_stream (writer));

  return self;
}

/**
 * acc_png_sink_new:
 * @file: the file to write
 *
 * Creates a sink that writes a PNG picture into a file. Nothing is opened before a run starts.
 *
 * Returns: (transfer full): the sink
 */
AccPngSink *
acc_png_sink_new (GFile *file)
{
  g_return_val_if_fail (G_IS_FILE (file), NULL);

  return new_for_writer (acc_byte_writer_new_for_file (file));
}

/**
 * acc_png_sink_new_for_stream:
 * @stream: the stream to write
 *
 * Creates a sink that writes a PNG picture into a stream, for one run. A second run fails with %ACC_ERROR_STREAM.
 *
 * A complete picture closes the stream. After an error the stream is the caller's, to close or to drop.
 *
 * Returns: (transfer full): the sink
 */
AccPngSink *
acc_png_sink_new_for_stream (GOutputStream *stream)
{
  g_return_val_if_fail (G_IS_OUTPUT_STREAM (stream), NULL);

  return new_for_writer (acc_byte_writer_new_for_stream (stream));
}

/**
 * acc_png_sink_get_compression_level:
 * @self: a sink
 *
 * Returns how hard the picture is compressed.
 *
 * Returns: 0 (none) to 9 (smallest)
 */
guint
acc_png_sink_get_compression_level (AccPngSink *self)
{
  g_return_val_if_fail (ACC_IS_PNG_SINK (self), 0);

  return self->level;
}

/**
 * acc_png_sink_set_compression_level:
 * @self: a sink
 * @level: 0 (none) to 9 (smallest)
 *
 * Sets how hard the picture of the next run is compressed.
 */
void
acc_png_sink_set_compression_level (AccPngSink *self, guint level)
{
  g_return_if_fail (ACC_IS_PNG_SINK (self));
  g_return_if_fail (level <= 9);

  if (self->level == level)
    return;

  self->level = level;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_COMPRESSION_LEVEL]);
}

/**
 * acc_png_sink_get_filter:
 * @self: a sink
 *
 * Returns the filter that prepares rows for compression.
 *
 * Returns: the filter
 */
AccPngFilter
acc_png_sink_get_filter (AccPngSink *self)
{
  g_return_val_if_fail (ACC_IS_PNG_SINK (self), ACC_PNG_FILTER_FAST);

  return self->filter;
}

/**
 * acc_png_sink_set_filter:
 * @self: a sink
 * @filter: a filter
 *
 * Sets the filter that prepares the rows of the next run for compression.
 */
void
acc_png_sink_set_filter (AccPngSink *self, AccPngFilter filter)
{
  g_return_if_fail (ACC_IS_PNG_SINK (self));
  g_return_if_fail (filter <= ACC_PNG_FILTER_ADAPTIVE);

  if (self->filter == filter)
    return;

  self->filter = filter;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FILTER]);
}
