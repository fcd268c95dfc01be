/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-png-source-private.h"

#include "acc-core/data/acc-buffer-private.h"
#include "acc-core/data/acc-source-private.h"
#include "acc-error.h"
#include "acc-png-decoder-private.h"

#include <string.h>

struct _AccPngSource
{
  AccSource      parent_instance;

  AccByteReader *reader;
  AccPngLayout   layout;
  AccPngDecoder *decoder;   /* during a run; from the beginning where the reader cannot go back */
  AccBuffer     *picture;   /* of an interlaced one, during a run that takes some rows at a time */
  gint64         row;
  gboolean       warned;
};

G_DEFINE_FINAL_TYPE (AccPngSource, acc_png_source, ACC_TYPE_SOURCE)

static void
tell_warning (AccPngSource *self)
{
  const char *warning = acc_png_decoder_get_warning (self->decoder);

  if (warning == NULL || self->warned)
    return;

  g_message ("%s is damaged, but its pixels can be read: %s", acc_byte_reader_get_name (self->reader), warning);
  self->warned = TRUE;
}

/* After the last row, or pass */
static gboolean
end_picture (AccPngSource *self, GCancellable *cancellable, GError **error)
{
  gboolean done = acc_png_decoder_finish (self->decoder, cancellable, error);

  tell_warning (self);

  return done;
}

/* Interlaced: to @rows, all of them, or into memory of the source. */
static gboolean
decode_picture (AccPngSource *self, guint8 *rows, gint64 n_rows, GCancellable *cancellable, GError **error)
{
  gsize size = self->layout.row_bytes * (gsize) self->layout.height;

  if (n_rows == self->layout.height)
    return acc_png_decoder_read_all (self->decoder, rows, cancellable, error) && end_picture (self, cancellable, error);

  self->picture = acc_buffer_allocate (size, NULL, "interlaced picture", error);
  if (self->picture == NULL)
    {
      g_prefix_error (error, "%s: ", acc_byte_reader_get_name (self->reader));
      return FALSE;
    }

  return acc_png_decoder_read_all (self->decoder, self->picture->data, cancellable, error)
         && end_picture (self, cancellable, error);
}

static void
acc_png_source_finish (AccSource *source)
{
  AccPngSource *self = ACC_PNG_SOURCE (source);

  g_clear_pointer (&self->decoder, acc_png_decoder_free);
  g_clear_pointer (&self->picture, acc_buffer_unref);
  acc_byte_reader_rest (self->reader);
}

static gboolean
acc_png_source_start (AccSource *source, GCancellable *cancellable, GError **error)
{
  AccPngSource *self = ACC_PNG_SOURCE (source);
  AccPngLayout layout;

  if (self->decoder == NULL)
    {
      if (!acc_byte_reader_seek (self->reader, 0, cancellable, error))
        return FALSE;

      self->decoder = acc_png_decoder_new (self->reader, &layout, cancellable, error);
      if (self->decoder == NULL)
        return FALSE;

      if (layout.row_bytes != self->layout.row_bytes || layout.height != self->layout.height
          || layout.channels != self->layout.channels || layout.kind != self->layout.kind)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%s is another picture now",
                       acc_byte_reader_get_name (self->reader));
          acc_png_source_finish (source);
          return FALSE;
        }
      self->layout.interlaced = layout.interlaced;
    }

  self->row = 0;

  return TRUE;
}

static gboolean
acc_png_source_read (AccSource *source, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccPngSource *self = ACC_PNG_SOURCE (source);
  guint8 *rows = (guint8 *) (guintptr) acc_chunk_get_address (chunk, 0);
  gint64 n = acc_chunk_get_n_rows (chunk);

  if (self->layout.interlaced && self->row == 0 && !decode_picture (self, rows, n, cancellable, error))
    return FALSE;
  if (self->picture != NULL)
    memcpy (rows, (guint8 *) self->picture->data + self->row * self->layout.row_bytes,
            n * self->layout.row_bytes);
  else if (!self->layout.interlaced && !acc_png_decoder_read_rows (self->decoder, rows, n, cancellable, error))
    return FALSE;

  self->row += n;

  return self->layout.interlaced || self->row < self->layout.height
         || end_picture (self, cancellable, error);
}

static guint64
acc_png_source_get_resident_bytes (AccSource *source)
{
  return ACC_BYTE_READER_BUFFER + acc_png_layout_get_resident_bytes (&ACC_PNG_SOURCE (source)->layout);
}

static void
acc_png_source_finalize (GObject *object)
{
  AccPngSource *self = ACC_PNG_SOURCE (object);

  g_clear_pointer (&self->decoder, acc_png_decoder_free);
  g_clear_pointer (&self->picture, acc_buffer_unref);
  g_clear_pointer (&self->reader, acc_byte_reader_free);

  G_OBJECT_CLASS (acc_png_source_parent_class)->finalize (object);
}

static char *
acc_png_source_dup_identity (AccSource *source, GError **error)
{
  return acc_byte_reader_dup_identity (ACC_PNG_SOURCE (source)->reader, error);
}

static void
acc_png_source_class_init (AccPngSourceClass *klass)
{
  AccSourceClass *source_class = ACC_SOURCE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = acc_png_source_finalize;
  source_class->start = acc_png_source_start;
  source_class->read = acc_png_source_read;
  source_class->finish = acc_png_source_finish;
  source_class->get_resident_bytes = acc_png_source_get_resident_bytes;
  source_class->dup_identity = acc_png_source_dup_identity;
}

static void
acc_png_source_init (AccPngSource *self)
{
}

AccSource *
acc_png_source_new (AccByteReader *reader, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccPngSource) self = g_object_new (ACC_TYPE_PNG_SOURCE, "name", acc_byte_reader_get_name (reader), NULL);
  g_autoptr(AccElementType) type = NULL;
  g_autoptr(AccShape) shape = NULL;
  gint64 extents[3];

  self->reader = reader;
  self->decoder = acc_png_decoder_new (reader, &self->layout, cancellable, error);
  if (self->decoder == NULL)
    return NULL;

  tell_warning (self);
  if (acc_byte_reader_can_seek (reader))
    {
      g_clear_pointer (&self->decoder, acc_png_decoder_free);
      acc_byte_reader_rest (reader);
    }

  extents[0] = self->layout.height;
  extents[1] = self->layout.width;
  extents[2] = self->layout.channels;
  type = acc_element_type_new (self->layout.kind);
  shape = acc_shape_new (extents, self->layout.channels > 1 ? 3 : 2);
  acc_source_set_layout (ACC_SOURCE (self), type, shape);
  acc_source_set_once (ACC_SOURCE (self), !acc_byte_reader_can_seek (reader));
  acc_source_set_comes_whole (ACC_SOURCE (self), self->layout.interlaced);

  return ACC_SOURCE (g_steal_pointer (&self));
}
