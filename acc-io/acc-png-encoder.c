/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-png-encoder-private.h"

#include "acc-error.h"
#include "acc-png-filter-private.h"

#include <string.h>
#include <zlib.h>

/* Rows are filtered and compressed piece by piece, so that one row, or two, is all that is kept of them; libpng takes whole rows, and keeps
 * up to four. */

/* Bytes of a row that are filtered at once, and of compressed data in a chunk of the file. */
#define PIECE 4096
#define CHUNK (16 * 1024)
/* zlib's window and tables, and the above */
#define FIXED (320 * 1024)
/* Of rows that are longer the fast filter keeps nothing. */
#define LONG_ROW (128 * 1024)

#define N_CHUNK_HEAD 8

struct _AccPngEncoder
{
  AccByteWriter *writer;
  AccPngSettings settings;
  z_stream       stream;
  gboolean       deflates;     /* .stream was initialised */

  gsize          row_bytes;    /* in the file */
  gsize          pixel;        /* bytes from one to the next one there, at least 1 */
  int            filter;       /* of all rows; -1: of each the best */
  gsize          at;           /* bytes of the row that were filtered, or, to find the best one, kept */
  gsize          n_samples;    /* of the row that came */
  guint          bits;         /* of samples of one bit that fill no byte yet */

  guint8        *above;        /* behind ACC_PNG_PIXEL zeros, as .whole: the row above, up to .at this one; NULL: no filter reads it */
  guint8        *whole;        /* this row; NULL: it is filtered as it comes */
  guint8         row[ACC_PNG_PIXEL + PIECE], above_row[ACC_PNG_PIXEL + PIECE];
  guint8         made[PIECE];
  guint8         chunk[N_CHUNK_HEAD + CHUNK + 4];

  GCancellable  *cancellable;  /* of the call under way */
};

/* Compared at level 1: with the difference to the row above, edge pictures and photographs come out smaller and about as
 * fast as without a filter; the other filters cost more time than they save. Bits are best left alone. */
static int
find_filter (const AccPngSettings *settings)
{
  switch (settings->filter)
    {
    case ACC_PNG_FILTER_NONE:
      return ACC_PNG_NONE;
    case ACC_PNG_FILTER_SUB:
      return ACC_PNG_SUB;
    case ACC_PNG_FILTER_UP:
      return ACC_PNG_UP;
    case ACC_PNG_FILTER_AVERAGE:
      return ACC_PNG_AVERAGE;
    case ACC_PNG_FILTER_PAETH:
      return ACC_PNG_PAETH;
    case ACC_PNG_FILTER_ADAPTIVE:
      return -1;
    case ACC_PNG_FILTER_FAST:
    default:
      return settings->kind == ACC_KIND_BOOL ? ACC_PNG_NONE : settings->row_bytes > LONG_ROW ? ACC_PNG_SUB : ACC_PNG_UP;
    }
}

/* In the file. */
static gsize
measure_row (const AccPngSettings *settings)
{
  return settings->kind == ACC_KIND_BOOL ? settings->row_bytes / 8 + (settings->row_bytes % 8 != 0) : settings->row_bytes;
}

static guint
count_rows (const AccPngSettings *settings)
{
  int filter = find_filter (settings);

  return filter < 0 ? 2 : filter > ACC_PNG_SUB ? 1 : 0;
}

guint64
acc_png_settings_get_resident_bytes (const AccPngSettings *settings)
{
  return FIXED + count_rows (settings) * ((guint64) measure_row (settings) + ACC_PNG_PIXEL);
}

/* --- chunks of the file */

static void
put_number (guint8 *to, guint32 number)
{
  for (guint i = 0; i < 4; i++)
    to[i] = (guint8) (number >> (24 - 8 * i));
}

/* @chunk: room for the head, then @n bytes, then room for the checksum. */
static gboolean
write_chunk (AccPngEncoder *self, const char *type, guint8 *chunk, gsize n, GError **error)
{
  put_number (chunk, (guint32) n);
  memcpy (chunk + 4, type, 4);
  put_number (chunk + N_CHUNK_HEAD + n, (guint32) crc32 (0, chunk + 4, (uInt) n + 4));

  return acc_byte_writer_write (self->writer, chunk, N_CHUNK_HEAD + n + 4, self->cancellable, error);
}

static gboolean
write_header (AccPngEncoder *self, GError **error)
{
  static const guint8 colors[] = { 0, 4, 2, 6 }, signature[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  const AccPngSettings *settings = &self->settings;
  guint8 chunk[N_CHUNK_HEAD + 13 + 4] = { 0 }, *data = chunk + N_CHUNK_HEAD;

  put_number (data, (guint32) settings->width);
  put_number (data + 4, (guint32) settings->height);
  data[8] = settings->kind == ACC_KIND_BOOL ? 1 : settings->kind == ACC_KIND_U8 ? 8 : 16;
  data[9] = colors[settings->channels - 1];

  return acc_byte_writer_write (self->writer, signature, sizeof signature, self->cancellable, error)
         && write_chunk (self, "IHDR", chunk, 13, error);
}

/* --- compression */

static gboolean
flush_chunk (AccPngEncoder *self, GError **error)
{
  gsize n = CHUNK - self->stream.avail_out;

  self->stream.next_out = self->chunk + N_CHUNK_HEAD;
  self->stream.avail_out = CHUNK;

  return n == 0 || write_chunk (self, "IDAT", self->chunk, n, error);
}

static gboolean
compress_bytes (AccPngEncoder *self, guint8 *bytes, gsize n, gboolean is_last, GError **error)
{
  int status = Z_OK;

  self->stream.next_in = bytes;
  self->stream.avail_in = (uInt) n;
  while (status == Z_OK && (self->stream.avail_in > 0 || is_last))
    {
      status = deflate (&self->stream, is_last ? Z_FINISH : Z_NO_FLUSH);
      if ((self->stream.avail_out == 0 || status == Z_STREAM_END) && !flush_chunk (self, error))
        return FALSE;
    }
  g_assert (status == (is_last ? Z_STREAM_END : Z_OK));

  return TRUE;
}

/* --- rows */

/* @n bytes, which are in .row. */
static gboolean
filter_piece (AccPngEncoder *self, AccPngRowFilter filter, gsize n, GError **error)
{
  guint8 *row = self->row + ACC_PNG_PIXEL, *above = self->above_row + ACC_PNG_PIXEL;
  guint8 number = (guint8) filter;

  if (g_cancellable_set_error_if_cancelled (self->cancellable, error)
      || (self->at == 0 && !compress_bytes (self, &number, 1, FALSE, error)))
    return FALSE;
  if (self->above != NULL)
    {
      guint8 *kept = self->above + ACC_PNG_PIXEL + self->at;

      memcpy (above, kept, n);
      memcpy (kept, row, n);
    }
  acc_png_filter (filter, row, self->above != NULL ? above : NULL, n, self->pixel, self->made);
  self->at += n;
  /* What lies before the next piece, or row. */
  memmove (self->row, row + n - ACC_PNG_PIXEL, ACC_PNG_PIXEL);
  memmove (self->above_row, above + n - ACC_PNG_PIXEL, ACC_PNG_PIXEL);

  return compress_bytes (self, self->made, n, FALSE, error);
}

static void
begin_row (AccPngEncoder *self)
{
  self->at = self->n_samples = 0;
  self->bits = 0;
  memset (self->row, 0, ACC_PNG_PIXEL);
  memset (self->above_row, 0, ACC_PNG_PIXEL);
}

static AccPngRowFilter
find_best (const AccPngEncoder *self)
{
  AccPngRowFilter best = ACC_PNG_NONE;
  guint64 least = G_MAXUINT64;

  for (guint filter = 0; filter < ACC_PNG_N_FILTERS; filter++)
    {
      guint64 cost = acc_png_filter_cost (filter, self->whole + ACC_PNG_PIXEL, self->above + ACC_PNG_PIXEL, self->row_bytes, self->pixel);

      if (cost < least)
        {
          least = cost;
          best = filter;
        }
    }

  return best;
}

static gboolean
filter_whole (AccPngEncoder *self, GError **error)
{
  AccPngRowFilter filter = find_best (self);

  begin_row (self);
  while (self->at < self->row_bytes)
    {
      gsize n = MIN (self->row_bytes - self->at, PIECE);

      memcpy (self->row + ACC_PNG_PIXEL, self->whole + ACC_PNG_PIXEL + self->at, n);
      if (!filter_piece (self, filter, n, error))
        return FALSE;
    }

  return TRUE;
}

/* @n bytes, which are in .row. */
static gboolean
add_piece (AccPngEncoder *self, gsize n, GError **error)
{
  if (self->whole == NULL)
    return filter_piece (self, (AccPngRowFilter) self->filter, n, error);

  memcpy (self->whole + ACC_PNG_PIXEL + self->at, self->row + ACC_PNG_PIXEL, n);
  self->at += n;

  return self->at < self->row_bytes || filter_whole (self, error);
}

/* Some of @n samples as the file has them, into .row. Returns how many; *@n_bytes: those that are complete. */
static gsize
take_samples (AccPngEncoder *self, const guint8 *samples, gsize n, gsize *n_bytes)
{
  gsize width = acc_element_kind_get_size (self->settings.kind), all = self->settings.row_bytes / width;
  gboolean are_bits = self->settings.kind == ACC_KIND_BOOL;
  guint8 *to = self->row + ACC_PNG_PIXEL;

  n = MIN (MIN (n, all - self->n_samples), PIECE / width);
  *n_bytes = n * width;
  if (!are_bits && (width == 1 || G_BYTE_ORDER == G_BIG_ENDIAN))
    memcpy (to, samples, *n_bytes);
  for (gsize i = 0; width == 2 && G_BYTE_ORDER == G_LITTLE_ENDIAN && i < n; i++)
    to[2 * i] = samples[2 * i + 1], to[2 * i + 1] = samples[2 * i];
  if (are_bits)
    *n_bytes = 0;
  for (gsize i = 0; are_bits && i < n; i++)
    {
      gsize place = self->n_samples + i;

      self->bits |= (guint) (samples[i] != 0) << (7 - place % 8);
      if (place % 8 == 7 || place + 1 == all)
        {
          to[(*n_bytes)++] = (guint8) self->bits;
          self->bits = 0;
        }
    }
  self->n_samples += n;

  return n;
}

gboolean
acc_png_encoder_write (AccPngEncoder *self, const guint8 *samples, gsize n_samples, GCancellable *cancellable, GError **error)
{
  gsize width = acc_element_kind_get_size (self->settings.kind), n_bytes;
  gboolean done = TRUE;

  self->cancellable = cancellable;
  for (gsize taken = 0; taken < n_samples && done; )
    {
      taken += take_samples (self, samples + taken * width, n_samples - taken, &n_bytes);
      done = n_bytes == 0 || add_piece (self, n_bytes, error);
      if (done && self->at == self->row_bytes)
        begin_row (self);
    }
  self->cancellable = NULL;

  return done;
}

gboolean
acc_png_encoder_finish (AccPngEncoder *self, GCancellable *cancellable, GError **error)
{
  guint8 end[N_CHUNK_HEAD + 4];
  gboolean done;

  self->cancellable = cancellable;
  done = compress_bytes (self, NULL, 0, TRUE, error) && write_chunk (self, "IEND", end, 0, error);
  self->cancellable = NULL;

  return done;
}

/* --- an encoder */

static gboolean
allocate (AccPngEncoder *self)
{
  guint n_rows = count_rows (&self->settings);
  int strategy = self->filter == ACC_PNG_NONE ? Z_DEFAULT_STRATEGY : Z_FILTERED;

  self->above = n_rows > 0 ? g_try_malloc0 (self->row_bytes + ACC_PNG_PIXEL) : NULL;
  self->whole = n_rows > 1 ? g_try_malloc0 (self->row_bytes + ACC_PNG_PIXEL) : NULL;
  if ((n_rows > 0 && self->above == NULL) || (n_rows > 1 && self->whole == NULL))
    return FALSE;
  self->deflates = deflateInit2 (&self->stream, (int) self->settings.level, Z_DEFLATED, MAX_WBITS, 8, strategy) == Z_OK;

  return self->deflates;
}

AccPngEncoder *
acc_png_encoder_new (AccByteWriter         *writer,
                     const AccPngSettings  *settings,
                     GCancellable          *cancellable,
                     GError               **error)
{
  g_autoptr(AccPngEncoder) self = g_new0 (AccPngEncoder, 1);

  self->writer = writer;
  self->settings = *settings;
  self->row_bytes = measure_row (settings);
  self->pixel = settings->channels * acc_element_kind_get_size (settings->kind);
  self->filter = find_filter (settings);
  if (!allocate (self))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s: no memory for the encoder, which needs %" G_GUINT64_FORMAT " bytes",
                   acc_byte_writer_get_name (writer), acc_png_settings_get_resident_bytes (settings));
      return NULL;
    }
  begin_row (self);
  self->stream.next_out = self->chunk + N_CHUNK_HEAD;
  self->stream.avail_out = CHUNK;

  self->cancellable = cancellable;
  if (!write_header (self, error))
    return NULL;
  self->cancellable = NULL;

  return g_steal_pointer (&self);
}

void
acc_png_encoder_free (AccPngEncoder *self)
{
  if (self == NULL)
    return;

  if (self->deflates)
    deflateEnd (&self->stream);
  g_free (self->above);
  g_free (self->whole);
  g_free (self);
}
