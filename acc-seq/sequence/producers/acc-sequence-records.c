/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-records-private.h"

#include "acc-sequence-chunk-private.h"

#include "acc-io/acc-record-private.h"

#include <string.h>

/* A record is one value, of which an element has as many as its shape says. Records of one buffer are read to where they stay; those of
 * several go through a stage. */

struct _AccSequenceRecords
{
  AccSequenceProducer parent_instance;

  AccByteReader *reader;
  AccRecord     *record;
  gsize          per_element;  /* records */
  GPtrArray     *spares;       /* AccSequenceSpare, one for each buffer */
  guint8        *stage;        /* NULL where records are plain */
  guint8        *part;         /* the beginning of a record */
  gsize          part_size;
  gint64         next;         /* the number of the next element */
  gboolean       ended;
  GError        *failure;      /* what comes after the elements that were read */
};

G_DEFINE_FINAL_TYPE (AccSequenceRecords, acc_sequence_records, ACC_TYPE_SEQUENCE_PRODUCER)

/* Records of one read: memory for each buffer. */
typedef struct {
  AccSequenceMemory *memory;
  guint              n;
} Memories;

static void
memories_clear (Memories *self)
{
  for (guint i = 0; i < self->n; i++)
    acc_sequence_memory_clear (&self->memory[i]);
  g_free (self->memory);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Memories, memories_clear)

static gsize
get_buffer_size (AccSequenceRecords *self,
                 guint               buffer)
{
  const AccRecordField *field = acc_record_get_field (self->record, buffer);

  return field->lanes * acc_element_kind_get_size (field->kind);
}

static gboolean
reserve (AccSequenceRecords *self,
         Memories           *memories,
         gsize               used,
         gsize               records,
         GError            **error)
{
  for (guint i = 0; i < memories->n; i++)
    {
      gsize size = get_buffer_size (self, i);

      if (!acc_sequence_memory_reserve (&memories->memory[i], used * size, records * size, error))
        return FALSE;
    }

  return TRUE;
}

/* Reads up to @wanted more records behind @done ones. *@n: how many. */
static gboolean
read_some (AccSequenceRecords *self,
           Memories           *memories,
           gsize               done,
           gsize               wanted,
           gsize              *n,
           GCancellable       *cancellable,
           GError            **error)
{
  gsize size = self->record->size, n_bytes = 0, held = self->part_size;
  guint8 *place = self->stage != NULL ? self->stage : memories->memory[0].data + done * size;
  gboolean fine;

  memcpy (place, self->part, held);
  fine = acc_byte_reader_read_ready (self->reader, place + held, wanted * size - held, &n_bytes, cancellable, error);
  self->ended = fine && n_bytes == 0;

  *n = (held + n_bytes) / size;
  self->part_size = (held + n_bytes) % size;
  memcpy (self->part, place + *n * size, self->part_size);

  if (self->stage == NULL)
    acc_record_fix (self->record, place, *n);
  else
    {
      g_autofree guint8 **buffers = g_new (guint8 *, memories->n + 1);

      for (guint i = 0; i < memories->n; i++)
        buffers[i] = memories->memory[i].data;
      acc_record_split (self->record, self->stage, *n, buffers, done);
    }

  return fine;
}

static void
fail_in_element (AccSequenceRecords *self,
                 gint64              element,
                 gsize               records)
{
  g_set_error (&self->failure, ACC_ERROR, ACC_ERROR_IO,
               "%s ends within record %" G_GINT64_FORMAT ", of which %" G_GSIZE_FORMAT " bytes are missing",
               acc_byte_reader_get_name (self->reader), element + 1,
               (self->per_element - records) * self->record->size - self->part_size);
}

/* Up to @wanted records, which are whole elements unless the stream ends or fails. */
static gboolean
read_records (AccSequenceRecords *self,
              Memories           *memories,
              gsize               wanted,
              gsize              *done,
              GCancellable       *cancellable,
              GError            **error)
{
  gsize step = self->stage != NULL ? acc_record_get_stage_elements (self->record) : G_MAXSIZE;
  gint64 size = acc_byte_reader_get_size (self->reader);
  gsize room = size >= 0 ? (gsize) size / self->record->size + 1 : ACC_RECORD_STAGE / self->record->size + 1;

  while (*done < wanted && !self->ended && self->failure == NULL)
    {
      gsize n = 0;

      if (*done > 0 && *done % self->per_element == 0 && !acc_byte_reader_is_ready (self->reader))
        break;
      if (!reserve (self, memories, *done, *done + MIN (MIN (step, room), wanted - *done), error))
        return FALSE;
      if (!read_some (self, memories, *done, MIN (MIN (step, room), wanted - *done), &n, cancellable, &self->failure)
          && g_error_matches (self->failure, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        {
          g_propagate_error (error, g_steal_pointer (&self->failure));
          return FALSE;
        }
      *done += n;
    }

  return TRUE;
}

static AccNestedArray *
acc_sequence_records_read (AccSequenceProducer *producer,
                           gint64               max_elements,
                           gint64               max_values,
                           GCancellable        *cancellable,
                           GError             **error)
{
  AccSequenceRecords *self = ACC_SEQUENCE_RECORDS (producer);
  AccElementType *type = acc_sequence_producer_get_element_type (producer);
  guint n_buffers = self->record->fields->len;
  gsize wanted = MIN ((gsize) max_elements, MAX ((gsize) max_values / self->per_element, 1)), done = 0, n;
  g_auto(Memories) memories = { g_new0 (AccSequenceMemory, n_buffers), n_buffers };
  g_autofree AccBuffer **buffers = g_new (AccBuffer *, n_buffers);

  for (guint i = 0; i < n_buffers; i++)
    memories.memory[i].spare = g_ptr_array_index (self->spares, i);
  wanted = MIN (wanted, G_MAXINT64 / self->record->size / self->per_element) * self->per_element;
  if (!read_records (self, &memories, wanted, &done, cancellable, error))
    return NULL;

  for (guint i = 0; i < n_buffers; i++)
    acc_sequence_spare_set_open (g_ptr_array_index (self->spares, i), !self->ended);
  n = done / self->per_element;
  if (self->ended && self->failure == NULL && (done % self->per_element > 0 || self->part_size > 0))
    fail_in_element (self, self->next + n, done % self->per_element);
  if (n == 0)
    {
      if (self->failure != NULL)
        g_propagate_error (error, g_steal_pointer (&self->failure));
      return NULL;
    }

  self->next += n;
  for (guint i = 0; i < n_buffers; i++)
    buffers[i] = acc_sequence_memory_steal (&memories.memory[i], n * self->per_element * get_buffer_size (self, i));

  return acc_sequence_chunk_new_regular (type, acc_sequence_producer_get_shape (producer), n, buffers);
}

static gboolean
acc_sequence_records_rewind (AccSequenceProducer *producer,
                             GError             **error)
{
  AccSequenceRecords *self = ACC_SEQUENCE_RECORDS (producer);

  if (!acc_byte_reader_seek (self->reader, 0, NULL, error))
    return FALSE;

  self->part_size = 0;
  self->next = 0;
  self->ended = FALSE;
  g_clear_error (&self->failure);

  return TRUE;
}

static char *
acc_sequence_records_describe (AccSequenceProducer *producer,
                               gint64               element)
{
  return g_strdup_printf ("record %" G_GINT64_FORMAT " of %s", element + 1,
                          acc_byte_reader_get_name (ACC_SEQUENCE_RECORDS (producer)->reader));
}

static void
acc_sequence_records_finalize (GObject *object)
{
  AccSequenceRecords *self = ACC_SEQUENCE_RECORDS (object);

  g_clear_pointer (&self->reader, acc_byte_reader_free);
  g_clear_pointer (&self->record, acc_record_free);
  g_clear_pointer (&self->spares, g_ptr_array_unref);
  g_clear_pointer (&self->stage, g_free);
  g_clear_pointer (&self->part, g_free);
  g_clear_error (&self->failure);

  G_OBJECT_CLASS (acc_sequence_records_parent_class)->finalize (object);
}

static void
acc_sequence_records_class_init (AccSequenceRecordsClass *klass)
{
  AccSequenceProducerClass *producer_class = ACC_SEQUENCE_PRODUCER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = acc_sequence_records_finalize;
  producer_class->read = acc_sequence_records_read;
  producer_class->rewind = acc_sequence_records_rewind;
  producer_class->describe = acc_sequence_records_describe;
}

static void
acc_sequence_records_init (AccSequenceRecords *self)
{
  self->spares = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_sequence_spare_free);
}

AccSequenceProducer *
acc_sequence_records_new (AccByteReader  *reader,
                          AccElementType *type,
                          AccShape       *shape,
                          GError        **error)
{
  AccSequenceRecords *self;
  gint64 per_element = acc_shape_get_size (shape), size = acc_byte_reader_get_size (reader);
  gsize bytes = acc_element_type_get_size (type);

  if (per_element < 1 || bytes < 1 || per_element > G_MAXINT64 / (gint64) bytes)
    {
      g_autofree char *text = acc_shape_to_string (shape);

      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s: records of %s of %s have no bytes, or too many",
                   acc_byte_reader_get_name (reader), text, acc_element_type_get_code (type));
      acc_byte_reader_free (reader);
      return NULL;
    }

  /* A file that ends within a record has one that cannot be read. */
  bytes *= per_element;
  self = g_object_new (ACC_TYPE_SEQUENCE_RECORDS, "element-type", type, "shape", shape,
                       "length", size < 0 || size % bytes != 0 ? (gint64) -1 : size / (gint64) bytes, NULL);
  self->reader = reader;
  self->record = acc_record_new_packed (type);
  self->per_element = per_element;
  self->part = g_malloc (self->record->size);
  for (guint i = 0; i < self->record->fields->len; i++)
    g_ptr_array_add (self->spares, acc_sequence_spare_new ());
  if (!acc_record_is_plain (self->record))
    self->stage = g_malloc (acc_record_get_stage_elements (self->record) * self->record->size);

  return ACC_SEQUENCE_PRODUCER (self);
}
