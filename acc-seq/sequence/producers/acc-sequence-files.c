/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-files-private.h"

#include "acc-sequence-gather-private.h"

#include "acc-core/data/acc-chunk-private.h"
#include "acc-files.h"
#include "acc-io/acc-png-source-private.h"
#include "acc-io/acc-raw-source-private.h"

#include <string.h>

struct _AccSequenceFiles
{
  AccSequenceProducer parent_instance;

  GListModel *files;
  AccShape   *raw;        /* the shape of each, as it was given; NULL: its content says it */
  guint64     offset;
  guint       next;
  AccSource  *opened;     /* of the next file; NULL: not yet */
};

G_DEFINE_FINAL_TYPE (AccSequenceFiles, acc_sequence_files, ACC_TYPE_SEQUENCE_PRODUCER)

/* --- opening */

static GFile *
take_file (GListModel *files,
           guint       i,
           GError    **error)
{
  g_autoptr(GObject) item = g_list_model_get_item (files, i);

  if (item != NULL && G_IS_FILE (item))
    return G_FILE (g_steal_pointer (&item));

  g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "item %u of a list of files is %s", i,
               item != NULL ? G_OBJECT_TYPE_NAME (item) : "not there");

  return NULL;
}

/* The shape of a raw file whose size says how many rows it has. */
static AccShape *
fit_shape (AccSequenceFiles *self,
           AccByteReader    *reader,
           AccElementType   *type,
           GError          **error)
{
  guint rank;
  const gint64 *given = acc_shape_get_extents (self->raw, &rank);
  g_autofree gint64 *extents = g_new (gint64, rank + 1);
  g_autoptr(AccShape) row = NULL;
  gint64 size = acc_byte_reader_get_size (reader), bytes;

  if (rank == 0 || given[0] != -1)
    return acc_shape_ref (self->raw);

  row = acc_shape_new (given + 1, rank - 1);
  bytes = acc_shape_get_size (row) * (gint64) acc_element_type_get_size (type);
  if (size < 0 || (guint64) size < self->offset || bytes == 0 || (size - (gint64) self->offset) % bytes != 0)
    {
      g_set_error (error, ACC_ERROR, size < 0 ? ACC_ERROR_UNSUPPORTED : ACC_ERROR_IO,
                   "%s has %" G_GINT64_FORMAT " bytes, which are not whole rows of %" G_GINT64_FORMAT " behind the first %"
                   G_GUINT64_FORMAT,
                   acc_byte_reader_get_name (reader), size, bytes, self->offset);
      return NULL;
    }

  extents[0] = (size - (gint64) self->offset) / bytes;
  for (guint d = 1; d < rank; d++)
    extents[d] = given[d];

  return acc_shape_new (extents, rank);
}

static AccSource *
open_raw (AccSequenceFiles *self,
          GFile            *file,
          GCancellable     *cancellable,
          GError          **error)
{
  AccElementType *type = acc_sequence_producer_get_element_type (ACC_SEQUENCE_PRODUCER (self));
  g_autoptr(AccByteReader) reader = acc_byte_reader_new_for_file (file, cancellable, error);
  g_autoptr(AccShape) shape = reader != NULL ? fit_shape (self, reader, type, error) : NULL;

  return shape != NULL ? acc_raw_source_new (g_steal_pointer (&reader), type, shape, NULL, self->offset, error) : NULL;
}

/* The extents of the array, outermost first. A grey picture among others of channels has one. */
static AccShape *
get_array_shape (AccSequenceFiles *self,
                 AccSource        *source)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (acc_source_get_shape (source), &rank);
  g_autofree gint64 *reversed = g_new (gint64, rank + 1);

  if (ACC_IS_PNG_SOURCE (source) && rank == 2 && acc_sequence_producer_get_rank (ACC_SEQUENCE_PRODUCER (self)) == 3)
    return acc_shape_new ((gint64[]) { extents[0], extents[1], 1 }, 3);
  if (!acc_source_is_transposed (source))
    return acc_shape_ref (acc_source_get_shape (source));
  for (guint d = 0; d < rank; d++)
    reversed[d] = extents[rank - 1 - d];

  return acc_shape_new (reversed, rank);
}

static gboolean
check_source (AccSequenceFiles *self,
              AccSource        *source,
              GError          **error)
{
  AccSequenceProducer *producer = ACC_SEQUENCE_PRODUCER (self);
  AccElementType *type = acc_sequence_producer_get_element_type (producer), *own = acc_source_get_element_type (source);
  AccShape *shape = acc_sequence_producer_get_shape (producer);
  g_autoptr(AccShape) own_shape = get_array_shape (self, source);
  guint rank = acc_sequence_producer_get_rank (producer), own_rank = acc_shape_get_rank (own_shape);
  g_autofree char *text = acc_shape_to_string (own_shape), *wanted = shape != NULL ? acc_shape_to_string (shape) : NULL;
  const char *name = acc_source_get_name (source);

  if (own != type)
    g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "%s has elements of %s, not of %s as other files of the list", name,
                 acc_element_type_get_code (own), acc_element_type_get_code (type));
  else if (ACC_IS_PNG_SOURCE (source) && own_rank == 3 && rank == 2)
    g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE,
                 "%s has shape %s, and the first file of the list is no picture with channels: let one be "
                 "the first, and grey ones have one channel", name, text);
  else if (own_rank != rank)
    g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s has shape %s, whose rank is not %u as that of other files of the list", name, text,
                 rank);
  else if (shape != NULL && !acc_shape_equal (shape, own_shape))
    g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s has shape %s, not %s", name, text, wanted);
  else
    return TRUE;

  return FALSE;
}

/* Sets .opened, for the next file. */
static gboolean
open_next (AccSequenceFiles *self,
           GCancellable     *cancellable,
           GError          **error)
{
  g_autoptr(GFile) file = NULL;

  if (self->opened != NULL)
    return TRUE;

  file = take_file (self->files, self->next, error);
  if (file != NULL)
    self->opened = self->raw != NULL ? open_raw (self, file, cancellable, error) : acc_source_open (file, cancellable, error);
  if (self->opened != NULL && !check_source (self, self->opened, error))
    g_clear_object (&self->opened);

  return self->opened != NULL;
}

/* --- reading */

/* All rows of a source. */
static gboolean
read_rows (AccSource    *source,
           guint8      **addresses,
           GCancellable *cancellable,
           GError      **error)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (acc_source_get_shape (source), &rank);
  gint64 row_elements = 1;
  AccChunk *chunk;
  gboolean fine;

  for (guint d = 1; d < rank; d++)
    row_elements *= extents[d];
  if (!acc_source_start (source, cancellable, error))
    return FALSE;

  chunk = acc_chunk_new (acc_source_get_element_type (source), 0, rank > 0 ? extents[0] : 1, row_elements, (gpointer *) addresses);
  fine = acc_source_read (source, chunk, cancellable, error);
  acc_chunk_invalidate (chunk);
  acc_chunk_unref (chunk);
  acc_source_finish (source);

  return fine;
}

/* From an array whose dimensions are in reverse order, of @extents in the right one. */
static void
turn (const guint8 *from,
      guint8       *to,
      const gint64 *extents,
      guint         rank,
      gsize         size)
{
  g_autofree gint64 *index = g_new0 (gint64, rank + 1);

  for (;;)
    {
      gint64 place = 0;
      guint d = rank;

      for (guint i = rank; i-- > 0; )
        place = place * extents[i] + index[i];
      memcpy (to, from + place * size, size);
      to += size;

      for (;;)
        {
          if (d-- == 0)
            return;
          if (++index[d] < extents[d])
            break;
          index[d] = 0;
        }
    }
}

static gboolean
read_turned (AccSource    *source,
             AccShape     *shape,
             guint8      **addresses,
             GCancellable *cancellable,
             GError      **error)
{
  AccElementType *type = acc_source_get_element_type (source);
  AccSequenceGather turned;
  guint rank, n_buffers = acc_element_type_get_n_buffers (type);
  const gint64 *extents = acc_shape_get_extents (shape, &rank);
  g_autofree guint8 **columns = g_new (guint8 *, n_buffers + 1);
  gboolean fine;

  acc_sequence_gather_init (&turned, type, rank, shape);
  fine = acc_sequence_gather_add (&turned, extents, columns, error) && read_rows (source, columns, cancellable, error);
  for (guint b = 0; fine && turned.total > 0 && b < n_buffers; b++)
    turn (columns[b], addresses[b], extents, rank, acc_element_type_get_size (acc_element_type_get_buffer (type, b)));
  acc_sequence_gather_clear (&turned);

  return fine;
}

/* The next file, unless it is too large to be one more. */
static gboolean
read_next (AccSequenceFiles  *self,
           AccSequenceGather *gather,
           gint64             max_values,
           gboolean          *full,
           GCancellable      *cancellable,
           GError           **error)
{
  g_autofree guint8 **addresses = g_new (guint8 *, gather->n_buffers + 1);
  g_autoptr(AccShape) shape = NULL;
  guint rank;

  if (!open_next (self, cancellable, error))
    return FALSE;

  shape = get_array_shape (self, self->opened);
  *full = gather->n > 0 && acc_shape_get_size (shape) > max_values - gather->total;
  if (*full)
    return TRUE;

  if (!acc_sequence_gather_add (gather, acc_shape_get_extents (shape, &rank), addresses, error))
    return FALSE;
  if (!(acc_source_is_transposed (self->opened) ? read_turned (self->opened, shape, addresses, cancellable, error)
                                                : read_rows (self->opened, addresses, cancellable, error)))
    {
      acc_sequence_gather_drop (gather);
      g_clear_object (&self->opened);
      return FALSE;
    }
  g_clear_object (&self->opened);
  self->next++;

  return TRUE;
}

static AccNestedArray *
acc_sequence_files_read (AccSequenceProducer *producer,
                         gint64               max_elements,
                         gint64               max_values,
                         GCancellable        *cancellable,
                         GError             **error)
{
  AccSequenceFiles *self = ACC_SEQUENCE_FILES (producer);
  g_auto(AccSequenceGather) gather = { 0 };
  g_autoptr(GError) local = NULL;
  gboolean full = FALSE;

  acc_sequence_gather_init (&gather, acc_sequence_producer_get_element_type (producer), acc_sequence_producer_get_rank (producer),
                            acc_sequence_producer_get_shape (producer));
  while (!full && gather.n < max_elements && self->next < g_list_model_get_n_items (self->files))
    if (!read_next (self, &gather, max_values, &full, cancellable, &local))
      break;

  /* The next read comes to the same file, and its error. */
  if (local != NULL && (gather.n == 0 || g_error_matches (local, G_IO_ERROR, G_IO_ERROR_CANCELLED)))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }

  return acc_sequence_gather_finish (&gather);
}

static gboolean
acc_sequence_files_rewind (AccSequenceProducer *producer,
                           GError             **error)
{
  AccSequenceFiles *self = ACC_SEQUENCE_FILES (producer);

  g_clear_object (&self->opened);
  self->next = 0;

  return TRUE;
}

static char *
acc_sequence_files_describe (AccSequenceProducer *producer,
                             gint64               element)
{
  g_autoptr(GFile) file = element >= 0 && element <= G_MAXUINT
                          ? take_file (ACC_SEQUENCE_FILES (producer)->files, (guint) element, NULL) : NULL;

  return file != NULL ? g_file_get_parse_name (file) : NULL;
}

static void
acc_sequence_files_finalize (GObject *object)
{
  AccSequenceFiles *self = ACC_SEQUENCE_FILES (object);

  g_clear_object (&self->files);
  g_clear_object (&self->opened);
  g_clear_pointer (&self->raw, acc_shape_unref);

  G_OBJECT_CLASS (acc_sequence_files_parent_class)->finalize (object);
}

static void
acc_sequence_files_class_init (AccSequenceFilesClass *klass)
{
  AccSequenceProducerClass *producer_class = ACC_SEQUENCE_PRODUCER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = acc_sequence_files_finalize;
  producer_class->read = acc_sequence_files_read;
  producer_class->rewind = acc_sequence_files_rewind;
  producer_class->describe = acc_sequence_files_describe;
}

static void
acc_sequence_files_init (AccSequenceFiles *self)
{
}

static AccSequenceFiles *
files_new (GListModel     *files,
           AccElementType *type,
           guint           rank,
           AccShape       *shape)
{
  AccSequenceFiles *self = g_object_new (ACC_TYPE_SEQUENCE_FILES, "element-type", type, "rank", rank, "shape", shape,
                                         "length", (gint64) g_list_model_get_n_items (files), NULL);

  self->files = g_object_ref (files);

  return self;
}

AccSequenceProducer *
acc_sequence_files_new (GListModel   *files,
                        AccShape     *shape,
                        GCancellable *cancellable,
                        GError      **error)
{
  g_autoptr(GFile) first = take_file (files, 0, error);
  g_autoptr(AccSource) source = first != NULL ? acc_source_open (first, cancellable, error) : NULL;

  if (source == NULL)
    return NULL;

  return ACC_SEQUENCE_PRODUCER (files_new (files, acc_source_get_element_type (source),
                                           acc_shape_get_rank (acc_source_get_shape (source)), shape));
}

AccSequenceProducer *
acc_sequence_files_new_raw (GListModel     *files,
                            AccElementType *type,
                            AccShape       *shape,
                            guint64         offset,
                            GError        **error)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);
  gboolean fitted = rank > 0 && extents[0] == -1;
  AccSequenceFiles *self;

  for (guint d = fitted; d < rank; d++)
    if (extents[d] < 0)
      {
        g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "extent %" G_GINT64_FORMAT " of files in dimension %u", extents[d], d);
        return NULL;
      }

  self = files_new (files, type, rank, fitted ? NULL : shape);
  self->raw = acc_shape_ref (shape);
  self->offset = offset;

  return ACC_SEQUENCE_PRODUCER (self);
}
