/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-split-private.h"

#include "acc-sequence-chunk-private.h"

#include <string.h>

/* Bytes go through a stage that stays in the cache: there the delimiters of a block are found, and from there what lies between them is
 * copied, without them, to where the elements of a chunk lie one after the other. */

#define STAGE (256 * 1024)
#define BLOCK 4096
/* Short elements are copied with what follows. */
#define SHORT 32
#define GROUP 4
#define MOST_EXPECTED (1024 * 1024)

struct _AccSequenceSplit
{
  AccSequenceProducer parent_instance;

  AccByteReader *reader;
  GBytes        *delimiter;
  gboolean       keep;
  gboolean       lines;      /* CR before a delimiter is part of it */
  AccSequenceSpare *values, *offsets;
  guint8        *stage;      /* NULL: nothing was read yet */
  gsize          begin, end; /* bytes in it that were not taken */
  gint64         position;   /* bytes that were read */
  gboolean       ended;
  GByteArray    *open;       /* the beginning of the next element, which is not in the stage any more */
  GError        *failure;    /* what comes after the elements that were read */
};

G_DEFINE_FINAL_TYPE (AccSequenceSplit, acc_sequence_split, ACC_TYPE_SEQUENCE_PRODUCER)

/* The elements of one read. */
typedef struct {
  AccSequenceMemory values;
  AccSequenceMemory offsets;
  gint64            n;
  gsize             total;   /* bytes of all that are complete */
  gsize             open;    /* bytes behind these, of one that is not */
  gint64            max_elements;
  gsize             max_values;
  gboolean          full;
} Output;

static void
output_clear (Output *self)
{
  acc_sequence_memory_clear (&self->values);
  acc_sequence_memory_clear (&self->offsets);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Output, output_clear)

/* For @bytes and @elements more. */
static gboolean
output_reserve (Output  *self,
                gsize    bytes,
                gsize    elements,
                GError **error)
{
  return acc_sequence_memory_reserve (&self->values, self->total + self->open, self->total + self->open + bytes + SHORT, error)
         && acc_sequence_memory_reserve (&self->offsets, (self->n + 1) * sizeof (gint64), (self->n + elements + 2) * sizeof (gint64),
                                         error);
}

/* The rest of an element; room was reserved. */
static inline void
output_end (Output       *self,
            const guint8 *bytes,
            gsize         n)
{
  guint8 *to = self->values.data + self->total + self->open;

  if (n <= SHORT)
    memcpy (to, bytes, SHORT);
  else
    memcpy (to, bytes, n);
  self->total += self->open + n;
  self->open = 0;
  ((gint64 *) self->offsets.data)[++self->n] = self->total;
  self->full = self->n == self->max_elements;
}

/* A bit for each of 8 bytes, which says whether it is that of @pattern. */
static inline guint64
compare_bytes (const guint8 *bytes,
               guint64       pattern)
{
  const guint64 low = G_GUINT64_CONSTANT (0x7f7f7f7f7f7f7f7f);
  guint64 word;

  memcpy (&word, bytes, 8);
  word = GUINT64_FROM_LE (word) ^ pattern;
  word = ~(((word & low) + low) | word | low) >> 7;

  return (word * G_GUINT64_CONSTANT (0x0102040810204080)) >> 56;
}

/* Where @byte is in the first @n bytes of a block, behind which there is room. @places has room for a few more than there may be. */
static guint
find_byte (const guint8 *block,
           guint         n,
           guint8        byte,
           guint16      *places)
{
  const guint64 pattern = byte * G_GUINT64_CONSTANT (0x0101010101010101);
  guint n_places = 0;

  for (guint i = 0; i < n; i += 64)
    {
      guint64 found = 0;
      guint k = n_places;

#pragma GCC unroll 8
      for (guint w = 0; w < 8; w++)
        found |= compare_bytes (block + i + 8 * w, pattern) << (8 * w);
      if (n - i < 64)
        found &= (G_GUINT64_CONSTANT (1) << (n - i)) - 1;

      /* In groups: how many there are is hard to predict. */
      for (; found != 0; k += GROUP)
#pragma GCC unroll 4
        for (guint g = 0; g < GROUP; g++, found &= found - 1)
          {
            places[k + g] = i + __builtin_ctzll (found | G_GUINT64_CONSTANT (1) << 63);
            n_places += found != 0;
          }
    }

  return n_places;
}

/* Where @delimiter begins in the first @n bytes of a block; its last bytes may lie behind these, in the first @available. */
static guint
find_delimiter (const guint8 *block,
                guint         n,
                gsize         available,
                const guint8 *delimiter,
                gsize         size,
                guint16      *places)
{
  const guint8 *from = block, *end = block + MIN (n + size - 1, available);
  guint n_places = 0;

  if (size == 1)
    return find_byte (block, n, *delimiter, places);
  while ((from = memmem (from, end - from, delimiter, size)) != NULL)
    {
      places[n_places++] = from - block;
      from += size;
    }

  return n_places;
}

/* Takes elements, and the beginning of the next one, from the first @n bytes of the stage. */
static gboolean
take_block (AccSequenceSplit *self,
            Output           *output,
            guint             n,
            GError          **error)
{
  gsize size, begin = 0;
  const guint8 *delimiter = g_bytes_get_data (self->delimiter, &size), *block = self->stage + self->begin;
  guint16 places[BLOCK + GROUP];
  guint n_places = find_delimiter (block, n, self->end - self->begin, delimiter, size, places);

  if (!output_reserve (output, n + size, n, error))
    return FALSE;

  for (guint i = 0; i < n_places && !output->full; i++)
    {
      gsize length = places[i] - begin, open = output->open;

      if (self->keep)
        length += size;
      else if (self->lines && length > 0 && block[places[i] - 1] == '\r')
        length--;
      else if (self->lines && length == 0 && open > 0 && output->values.data[output->total + open - 1] == '\r')
        open--;

      if (output->n > 0 && output->total + open + length > output->max_values)
        output->full = TRUE;
      else
        {
          output->open = open;
          output_end (output, block + begin, length);
          begin = places[i] + size;
        }
    }

  if (!output->full && begin < n)
    {
      memcpy (output->values.data + output->total + output->open, block + begin, n - begin);
      output->open += n - begin;
      output->full = output->n > 0 && output->total + output->open > output->max_values;
      begin = n;
    }
  self->begin += begin;

  return TRUE;
}

/* Reads more behind what is left in the stage. An error that comes after elements is kept for the next read. */
static gboolean
fill_stage (AccSequenceSplit *self,
            Output           *output,
            GCancellable     *cancellable,
            GError          **error)
{
  gsize left = self->end - self->begin, n = 0;
  g_autoptr(GError) local = NULL;

  if (self->failure != NULL && output->n == 0)
    {
      g_propagate_error (error, g_steal_pointer (&self->failure));
      return FALSE;
    }
  if (self->failure != NULL || (output->n > 0 && !acc_byte_reader_is_ready (self->reader)))
    {
      output->full = TRUE;
      return TRUE;
    }

  memmove (self->stage, self->stage + self->begin, left);
  self->begin = 0;
  if (!acc_byte_reader_read_ready (self->reader, self->stage + left, STAGE - left, &n, cancellable, &local))
    {
      if (g_error_matches (local, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
      self->failure = g_steal_pointer (&local);
    }
  else
    self->ended = n == 0;
  self->end = left + n;
  self->position += (gint64) n;

  return TRUE;
}

static gboolean
read_elements (AccSequenceSplit *self,
               Output           *output,
               GCancellable     *cancellable,
               GError          **error)
{
  gsize behind = g_bytes_get_size (self->delimiter) - 1;

  while (!output->full)
    {
      gsize held = self->end - self->begin;

      /* The last bytes may begin a delimiter. */
      if (held > behind || (self->ended && held > 0))
        {
          if (!take_block (self, output, MIN (held > behind ? held - behind : held, BLOCK), error))
            return FALSE;
        }
      else if (!self->ended)
        {
          if (!fill_stage (self, output, cancellable, error))
            return FALSE;
        }
      else
        {
          if (output->open > 0)
            output_end (output, self->stage, 0);
          return TRUE;
        }
    }

  return TRUE;
}

/* For all that may be read, where that is known, so that it need not be moved. */
static gboolean
reserve_all (AccSequenceSplit *self,
             Output           *output,
             GError          **error)
{
  gint64 size = acc_byte_reader_get_size (self->reader);
  gsize values = MIN (output->max_values, size >= 0 ? (gsize) size : STAGE) + 2 * BLOCK;
  gsize elements = MIN (MIN ((gsize) output->max_elements, values), MOST_EXPECTED);

  return output_reserve (output, self->open->len + values, elements, error);
}

static AccNestedArray *
acc_sequence_split_read (AccSequenceProducer *producer,
                         gint64               max_elements,
                         gint64               max_values,
                         GCancellable        *cancellable,
                         GError             **error)
{
  AccSequenceSplit *self = ACC_SEQUENCE_SPLIT (producer);
  g_auto(Output) output = { .values = { .spare = self->values }, .offsets = { .spare = self->offsets },
                            .max_elements = max_elements, .max_values = max_values };
  gint64 size = acc_byte_reader_get_size (self->reader);
  AccBuffer *values;

  if (self->stage == NULL)
    self->stage = g_malloc0 (STAGE + ACC_SEQUENCE_LONGEST_DELIMITER);
  if (!reserve_all (self, &output, error))
    return NULL;

  if (self->open->len > 0)
    memcpy (output.values.data, self->open->data, self->open->len);
  output.open = self->open->len;
  g_byte_array_set_size (self->open, 0);
  ((gint64 *) output.offsets.data)[0] = 0;

  if (!read_elements (self, &output, cancellable, error))
    return NULL;

  if (size > 0)
    acc_sequence_producer_set_fraction (producer, (double) (self->position - (gint64) (self->end - self->begin)) / (double) size);
  acc_sequence_spare_set_open (self->values, !self->ended);
  acc_sequence_spare_set_open (self->offsets, !self->ended);
  if (output.n == 0)
    return NULL;

  g_byte_array_append (self->open, output.values.data + output.total, output.open);
  values = acc_sequence_memory_steal (&output.values, output.total);

  return acc_sequence_chunk_new_irregular (acc_element_type_new (ACC_KIND_U8), 1, output.n, &values,
                                           acc_sequence_memory_steal (&output.offsets, (output.n + 1) * sizeof (gint64)), NULL);
}

static gboolean
acc_sequence_split_rewind (AccSequenceProducer *producer,
                           GError             **error)
{
  AccSequenceSplit *self = ACC_SEQUENCE_SPLIT (producer);

  if (!acc_byte_reader_seek (self->reader, 0, NULL, error))
    return FALSE;

  self->begin = self->end = 0;
  self->position = 0;
  self->ended = FALSE;
  g_byte_array_set_size (self->open, 0);
  g_clear_error (&self->failure);

  return TRUE;
}

static char *
acc_sequence_split_describe (AccSequenceProducer *producer,
                             gint64               element)
{
  AccSequenceSplit *self = ACC_SEQUENCE_SPLIT (producer);

  return g_strdup_printf ("%s %" G_GINT64_FORMAT " of %s", self->lines ? "line" : "record", element + 1,
                          acc_byte_reader_get_name (self->reader));
}

static void
acc_sequence_split_finalize (GObject *object)
{
  AccSequenceSplit *self = ACC_SEQUENCE_SPLIT (object);

  g_clear_pointer (&self->reader, acc_byte_reader_free);
  g_clear_pointer (&self->delimiter, g_bytes_unref);
  g_clear_pointer (&self->values, acc_sequence_spare_free);
  g_clear_pointer (&self->offsets, acc_sequence_spare_free);
  g_clear_pointer (&self->stage, g_free);
  g_clear_pointer (&self->open, g_byte_array_unref);
  g_clear_error (&self->failure);

  G_OBJECT_CLASS (acc_sequence_split_parent_class)->finalize (object);
}

static void
acc_sequence_split_class_init (AccSequenceSplitClass *klass)
{
  AccSequenceProducerClass *producer_class = ACC_SEQUENCE_PRODUCER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = acc_sequence_split_finalize;
  producer_class->read = acc_sequence_split_read;
  producer_class->rewind = acc_sequence_split_rewind;
  producer_class->describe = acc_sequence_split_describe;
}

static void
acc_sequence_split_init (AccSequenceSplit *self)
{
  self->open = g_byte_array_new ();
  self->values = acc_sequence_spare_new ();
  self->offsets = acc_sequence_spare_new ();
}

static AccSequenceProducer *
split_new (AccByteReader *reader,
           GBytes        *delimiter,
           gboolean       keep,
           gboolean       lines)
{
  AccSequenceSplit *self = g_object_new (ACC_TYPE_SEQUENCE_SPLIT, "element-type", acc_element_type_new (ACC_KIND_U8), "rank", 1, NULL);

  self->reader = reader;
  self->delimiter = delimiter;
  self->keep = keep;
  self->lines = lines;

  return ACC_SEQUENCE_PRODUCER (self);
}

AccSequenceProducer *
acc_sequence_split_new_lines (AccByteReader *reader,
                              gboolean       keep_ends)
{
  return split_new (reader, g_bytes_new_static ("\n", 1), keep_ends, TRUE);
}

AccSequenceProducer *
acc_sequence_split_new (AccByteReader *reader,
                        GBytes        *delimiter,
                        gboolean       keep_delimiters,
                        GError       **error)
{
  gsize size = g_bytes_get_size (delimiter);

  if (size >= 1 && size <= ACC_SEQUENCE_LONGEST_DELIMITER)
    return split_new (reader, g_bytes_ref (delimiter), keep_delimiters, FALSE);

  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "a delimiter has 1 to %d bytes, not %" G_GSIZE_FORMAT,
               ACC_SEQUENCE_LONGEST_DELIMITER, size);
  acc_byte_reader_free (reader);

  return NULL;
}
