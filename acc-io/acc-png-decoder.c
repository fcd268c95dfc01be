/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-png-decoder-private.h"

#include "acc-error.h"
#include "acc-png-memory-private.h"

/* libpng jumps out of an error with longjmp(): every call of it that can fail is in one of the three small functions with
 * setjmp(), which own nothing and change no variable after it. */

struct _AccPngDecoder
{
  AccByteReader *reader;
  png_structp    png;
  png_infop      info;
  AccPngMemory   memory;
  AccPngLayout   layout;

  gint64         row;          /* the next one */
  GCancellable  *cancellable;  /* of the call under way */
  GError        *error;        /* of reading, or a cancellation */
};

/* libpng holds the last row and this one, each before and after what is done to them. */
#define ROW_FIXED(row_bytes) (4 * (row_bytes) + 1024)

static void
read_bytes (png_structp png, png_bytep data, size_t size)
{
  AccPngDecoder *self = png_get_io_ptr (png);
  gsize n;

  if (!acc_byte_reader_read (self->reader, data, size, &n, self->cancellable, &self->error))
    png_error (png, "cannot be read");

  if (n < size)
    png_error (png, "the file ends too early");
}

static gboolean
fail (AccPngDecoder *self, GError **error)
{
  return acc_png_memory_fail (&self->memory, acc_byte_reader_get_name (self->reader), self->row, &self->error, error);
}

/* Header and settings; what is not needed for the pixels is skipped, and damage in it is a warning. */
static gboolean
read_header (AccPngDecoder *self)
{
  png_structp png = self->png;

  if (setjmp (png_jmpbuf (png)))
    return FALSE;

  png_set_read_fn (png, self, read_bytes);
  png_set_crc_action (png, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
  png_set_user_limits (png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_malloc_max (png, 64 * 1024);
  png_set_chunk_cache_max (png, 16);
  png_set_keep_unknown_chunks (png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_read_info (png, self->info);

  return TRUE;
}

static gboolean
start_rows (AccPngDecoder *self)
{
  png_structp png = self->png;

  if (setjmp (png_jmpbuf (png)))
    return FALSE;

  png_set_expand (png);
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  if (self->layout.kind == ACC_KIND_U16)
    png_set_swap (png);
#endif
  if (self->layout.interlaced)
    png_set_interlace_handling (png);
  png_read_update_info (png, self->info);

  return png_get_rowbytes (png, self->info) == self->layout.row_bytes;
}

static gboolean
read_rows (AccPngDecoder *self, guint8 *rows, gint64 n_rows)
{
  png_structp png = self->png;

  if (setjmp (png_jmpbuf (png)))
    return FALSE;

  for (gint64 i = 0; i < n_rows; i++)
    {
      if (g_cancellable_set_error_if_cancelled (self->cancellable, &self->error))
        return FALSE;

      png_read_row (png, rows + i * self->layout.row_bytes, NULL);
      self->row++;
    }

  return TRUE;
}

static gboolean
read_end (AccPngDecoder *self)
{
  png_structp png = self->png;

  if (setjmp (png_jmpbuf (png)))
    return FALSE;

  png_read_end (png, NULL);

  return TRUE;
}

/* What png_set_expand() makes of the picture. */
static gboolean
find_layout (AccPngDecoder *self, GError **error)
{
  AccPngLayout *layout = &self->layout;
  guint color = png_get_color_type (self->png, self->info);
  gboolean transparent = png_get_valid (self->png, self->info, PNG_INFO_tRNS) != 0;
  gsize bytes;

  layout->width = png_get_image_width (self->png, self->info);
  layout->height = png_get_image_height (self->png, self->info);
  layout->interlaced = png_get_interlace_type (self->png, self->info) != PNG_INTERLACE_NONE;
  layout->kind = png_get_bit_depth (self->png, self->info) == 16 ? ACC_KIND_U16 : ACC_KIND_U8;
  layout->channels = color & PNG_COLOR_MASK_COLOR ? 3 : 1;
  if (color & PNG_COLOR_MASK_ALPHA || transparent)
    layout->channels++;

  layout->row_bytes = (gsize) layout->width * layout->channels * acc_element_kind_get_size (layout->kind);
  if (!g_size_checked_mul (&bytes, layout->row_bytes, layout->height) || bytes > G_MAXINT64)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED,
                   "%s: a picture of %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " pixels is too large",
                   acc_byte_reader_get_name (self->reader), layout->width, layout->height);
      return FALSE;
    }

  return TRUE;
}

AccPngDecoder *
acc_png_decoder_new (AccByteReader *reader, AccPngLayout *layout, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccPngDecoder) self = g_new0 (AccPngDecoder, 1);

  self->reader = reader;
  self->row = -1;
  self->memory.allowed = ACC_PNG_READ_FIXED;
  self->cancellable = cancellable;
  self->png = acc_png_memory_new_read (&self->memory);
  self->info = self->png != NULL ? png_create_info_struct (self->png) : NULL;

  if (self->info == NULL || !read_header (self))
    {
      fail (self, error);
      return NULL;
    }

  if (!find_layout (self, error))
    return NULL;

  *layout = self->layout;
  self->cancellable = NULL;

  return g_steal_pointer (&self);
}

void
acc_png_decoder_free (AccPngDecoder *self)
{
  if (self == NULL)
    return;

  if (self->png != NULL)
    png_destroy_read_struct (&self->png, &self->info, NULL);
  g_clear_error (&self->error);
  g_free (self);
}

/* libpng allocates its rows only now, so that a header alone cannot ask for much. */
static gboolean
ensure_started (AccPngDecoder *self, GError **error)
{
  if (self->row >= 0)
    return TRUE;

  self->memory.allowed = ACC_PNG_READ_FIXED + ROW_FIXED (self->layout.row_bytes);
  if (!start_rows (self))
    return fail (self, error);

  self->row = 0;

  return TRUE;
}

gboolean
acc_png_decoder_read_rows (AccPngDecoder *self, guint8 *rows, gint64 n_rows, GCancellable *cancellable, GError **error)
{
  gboolean done;

  if (!ensure_started (self, error))
    return FALSE;

  self->cancellable = cancellable;
  done = read_rows (self, rows, n_rows);
  self->cancellable = NULL;

  return done || fail (self, error);
}

gboolean
acc_png_decoder_read_all (AccPngDecoder *self, guint8 *rows, GCancellable *cancellable, GError **error)
{
  if (!ensure_started (self, error))
    return FALSE;

  for (guint pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++)
    {
      self->row = 0;
      if (!acc_png_decoder_read_rows (self, rows, self->layout.height, cancellable, error))
        {
          g_prefix_error (error, "pass %u of %u: ", pass + 1, PNG_INTERLACE_ADAM7_PASSES);
          return FALSE;
        }
    }

  return TRUE;
}

gboolean
acc_png_decoder_finish (AccPngDecoder *self, GCancellable *cancellable, GError **error)
{
  gboolean done;

  self->cancellable = cancellable;
  done = read_end (self);
  self->cancellable = NULL;

  if (done)
    return TRUE;
  if (self->error != NULL || self->memory.refused)
    return fail (self, error);

  /* All pixels are there, and their checksums were right. */
  if (*self->memory.warning == '\0')
    g_snprintf (self->memory.warning, sizeof self->memory.warning, "end: %.100s", self->memory.message);

  return TRUE;
}

const char *
acc_png_decoder_get_warning (AccPngDecoder *self)
{
  return *self->memory.warning != '\0' ? self->memory.warning : NULL;
}

guint64
acc_png_layout_get_resident_bytes (const AccPngLayout *layout)
{
  guint64 bytes = ACC_PNG_READ_FIXED + ROW_FIXED (layout->row_bytes);

  if (layout->interlaced)
    bytes += (guint64) layout->height * layout->row_bytes;

  return bytes;
}
