/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-raw-source-private.h"

#include "acc-core/data/acc-source-private.h"
#include "acc-error.h"

struct _AccRawSource
{
  AccSource      parent_instance;

  AccByteReader *reader;
  AccRecord     *record;
  guint64        offset;
  guint64        row_elements;
  guint8        *stage;     /* during a run, unless the record is plain */
};

G_DEFINE_FINAL_TYPE (AccRawSource, acc_raw_source, ACC_TYPE_SOURCE)

static gboolean
acc_raw_source_start (AccSource *source, GCancellable *cancellable, GError **error)
{
  AccRawSource *self = ACC_RAW_SOURCE (source);

  if (!acc_byte_reader_seek (self->reader, self->offset, cancellable, error))
    return FALSE;

  if (!acc_record_is_plain (self->record))
    self->stage = g_malloc (acc_record_get_stage_size (self->record));

  return TRUE;
}

static gboolean
acc_raw_source_seek (AccSource *source, gint64 row, GCancellable *cancellable, GError **error)
{
  AccRawSource *self = ACC_RAW_SOURCE (source);

  return acc_byte_reader_seek (self->reader, self->offset + (guint64) row * self->row_elements * self->record->size, cancellable, error);
}

static gboolean
read_records (AccRawSource  *self,
              gpointer       records,
              guint64        first_element,
              gsize          n_elements,
              GCancellable  *cancellable,
              GError       **error)
{
  gsize size = n_elements * self->record->size;
  gsize n_read;

  if (!acc_byte_reader_read (self->reader, records, size, &n_read, cancellable, error))
    return FALSE;

  if (n_read < size)
    g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%s ends in row %" G_GUINT64_FORMAT,
                 acc_byte_reader_get_name (self->reader),
                 (first_element + n_read / self->record->size) / self->row_elements);

  return n_read == size;
}

static gboolean
acc_raw_source_read (AccSource *source, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccRawSource *self = ACC_RAW_SOURCE (source);
  guint64 first = (guint64) acc_chunk_get_first_row (chunk) * self->row_elements;
  gsize n = (gsize) acc_chunk_get_n_rows (chunk) * self->row_elements;
  guint n_buffers = self->record->fields->len;
  g_autofree guint8 **buffers = g_new0 (guint8 *, MAX (n_buffers, 1));
  gsize stage_elements = acc_record_get_stage_elements (self->record);

  for (guint i = 0; i < n_buffers; i++)
    buffers[i] = (guint8 *) (guintptr) acc_chunk_get_address (chunk, i);

  if (acc_record_is_plain (self->record))
    {
      if (!read_records (self, buffers[0], first, n, cancellable, error))
        return FALSE;
      acc_record_fix (self->record, buffers[0], n);
      return TRUE;
    }

  for (gsize done = 0; done < n && self->record->size > 0; )
    {
      gsize part = MIN (n - done, stage_elements);

      if (!read_records (self, self->stage, first + done, part, cancellable, error))
        return FALSE;
      acc_record_split (self->record, self->stage, part, buffers, done);
      done += part;
    }

  return TRUE;
}

static void
acc_raw_source_finish (AccSource *source)
{
  AccRawSource *self = ACC_RAW_SOURCE (source);

  g_clear_pointer (&self->stage, g_free);
  acc_byte_reader_rest (self->reader);
}

static guint64
acc_raw_source_get_resident_bytes (AccSource *source)
{
  AccRawSource *self = ACC_RAW_SOURCE (source);

  return ACC_BYTE_READER_BUFFER + acc_record_get_stage_size (self->record);
}

static void
acc_raw_source_finalize (GObject *object)
{
  AccRawSource *self = ACC_RAW_SOURCE (object);

  g_clear_pointer (&self->reader, acc_byte_reader_free);
  g_clear_pointer (&self->record, acc_record_free);
  g_free (self->stage);

  G_OBJECT_CLASS (acc_raw_source_parent_class)->finalize (object);
}

static char *
acc_raw_source_dup_identity (AccSource *source, GError **error)
{
  return acc_byte_reader_dup_identity (ACC_RAW_SOURCE (source)->reader, error);
}

static void
acc_raw_source_class_init (AccRawSourceClass *klass)
{
  AccSourceClass *source_class = ACC_SOURCE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = acc_raw_source_finalize;
  source_class->start = acc_raw_source_start;
  source_class->read = acc_raw_source_read;
  source_class->finish = acc_raw_source_finish;
  source_class->get_resident_bytes = acc_raw_source_get_resident_bytes;
  source_class->dup_identity = acc_raw_source_dup_identity;
}

static void
acc_raw_source_init (AccRawSource *self)
{
  acc_source_set_seek (ACC_SOURCE (self), acc_raw_source_seek);
}

static gboolean
check_size (AccRawSource *self, AccElementType *type, AccShape *shape, GError **error)
{
  g_autofree char *extents = acc_shape_to_string (shape);
  const char *name = acc_byte_reader_get_name (self->reader);
  gint64 elements = acc_shape_get_size (shape);
  gint64 size = acc_byte_reader_get_size (self->reader);
  gsize needed;

  if (elements == G_MAXINT64 || !g_size_checked_mul (&needed, elements, self->record->size)
      || !g_size_checked_add (&needed, needed, self->offset) || needed > G_MAXINT64)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s: %s%s is too large",
                   name, acc_element_type_get_code (type), extents);
      return FALSE;
    }

  if (size >= 0 && needed > (guint64) size)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_IO,
                   "%s has %" G_GINT64_FORMAT " bytes, but %s%s at byte %" G_GUINT64_FORMAT " needs %" G_GSIZE_FORMAT,
                   name, size, acc_element_type_get_code (type), extents, self->offset, needed);
      return FALSE;
    }

  return TRUE;
}

AccSource *
acc_raw_source_new (AccByteReader   *reader,
                    AccElementType  *type,
                    AccShape        *shape,
                    AccRecord       *record,
                    guint64          offset,
                    GError         **error)
{
  g_autoptr(AccRawSource) self = g_object_new (ACC_TYPE_RAW_SOURCE, "element-type", type, "shape", shape,
                                               "name", acc_byte_reader_get_name (reader), NULL);
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);

  self->reader = reader;
  self->record = record != NULL ? record : acc_record_new_packed (type);
  self->offset = offset;
  self->row_elements = 1;
  for (guint i = 1; i < rank; i++)
    self->row_elements *= (guint64) MAX (extents[i], 0);

  if (!check_size (self, type, shape, error))
    return NULL;
  acc_source_set_once (ACC_SOURCE (self), !acc_byte_reader_can_seek (reader));

  return ACC_SOURCE (g_steal_pointer (&self));
}
