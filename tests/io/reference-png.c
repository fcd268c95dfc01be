/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference-png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct {
  gsize   width, height;
  guint   depth, color, interlace;
  guint8  palette[256][3];
  guint8  alpha[256];
  gsize   n_alpha;
  guint16 key[3];
  guint   channels_in;
} Header;

static guint32
get_u32 (const guint8 *p)
{
  return (guint32) p[0] << 24 | (guint32) p[1] << 16 | (guint32) p[2] << 8 | p[3];
}

static GByteArray *
collect (GBytes *file, Header *header)
{
  static const guint channels[] = { 1, 0, 3, 1, 2, 0, 4 };
  GByteArray *data = g_byte_array_new ();
  gsize size, at = 8;
  const guint8 *bytes = g_bytes_get_data (file, &size);

  while (at + 12 <= size)
    {
      gsize length = get_u32 (bytes + at);
      const guint8 *body = bytes + at + 8;

      g_assert_cmpuint (at + 12 + length, <=, size);
      if (memcmp (bytes + at + 4, "IHDR", 4) == 0)
        {
          header->width = get_u32 (body);
          header->height = get_u32 (body + 4);
          header->depth = body[8];
          header->color = body[9];
          header->interlace = body[12];
          header->channels_in = channels[header->color];
        }
      else if (memcmp (bytes + at + 4, "PLTE", 4) == 0)
        memcpy (header->palette, body, length);
      else if (memcmp (bytes + at + 4, "tRNS", 4) == 0)
        {
          header->n_alpha = length;
          if (header->color == 3)
            memcpy (header->alpha, body, length);
          else
            for (gsize i = 0; i < length / 2; i++)
              header->key[i] = body[2 * i] << 8 | body[2 * i + 1];
        }
      else if (memcmp (bytes + at + 4, "IDAT", 4) == 0)
        g_byte_array_append (data, body, length);
      at += length + 12;
    }

  return data;
}

static int
paeth (int a, int b, int c)
{
  int p = a + b - c, pa = abs (p - a), pb = abs (p - b), pc = abs (p - c);

  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* Undoes the filter of one row, in place; @above is NULL in the first row. */
static void
unfilter (guint filter, guint8 *row, const guint8 *above, gsize n, gsize step)
{
  for (gsize i = 0; i < n; i++)
    {
      int a = i >= step ? row[i - step] : 0;
      int b = above != NULL ? above[i] : 0;
      int c = above != NULL && i >= step ? above[i - step] : 0;
      int add[] = { 0, a, b, (a + b) / 2, paeth (a, b, c) };

      row[i] += add[filter];
    }
}

static guint
get_sample (const Header *header, const guint8 *row, gsize i)
{
  guint bits = header->depth;

  if (bits == 16)
    return row[2 * i] << 8 | row[2 * i + 1];

  return row[i * bits / 8] >> (8 - bits - i * bits % 8) & ((1u << bits) - 1);
}

static void
put_sample (const Header *header, guint8 *pixels, gsize i, guint value)
{
  if (header->depth == 16)
    ((guint16 *) (gpointer) pixels)[i] = value;
  else
    pixels[i] = value;
}

static void
put_pixel (const Header *header, guint channels, guint8 *pixels, gsize x, gsize y, const guint *samples)
{
  gsize at = (y * header->width + x) * channels;
  guint most = (1u << header->depth) - 1;
  gboolean keyed = TRUE;

  if (header->color == 3)
    {
      for (guint c = 0; c < 3; c++)
        put_sample (header, pixels, at + c, header->palette[samples[0]][c]);
      if (channels == 4)
        put_sample (header, pixels, at + 3, samples[0] < header->n_alpha ? header->alpha[samples[0]] : 255);
      return;
    }

  for (guint c = 0; c < header->channels_in; c++)
    {
      put_sample (header, pixels, at + c, header->depth < 8 ? samples[c] * 255 / most : samples[c]);
      keyed &= c < 3 && samples[c] == header->key[c];
    }
  if (channels > header->channels_in)
    put_sample (header, pixels, at + channels - 1, keyed ? 0 : most < 255 ? 255 : most);
}

static const guint8 *
decode_pass (const Header *header, guint channels, guint8 *pixels, guint8 *data,
             gsize x0, gsize y0, gsize dx, gsize dy)
{
  gsize w = header->width > x0 ? (header->width - x0 + dx - 1) / dx : 0;
  gsize h = header->height > y0 ? (header->height - y0 + dy - 1) / dy : 0;
  gsize bits = header->channels_in * header->depth;
  gsize n = (w * bits + 7) / 8;
  const guint8 *above = NULL;

  if (w == 0)
    return data;

  for (gsize y = 0; y < h; y++, data += n + 1)
    {
      unfilter (data[0], data + 1, above, n, MAX (bits / 8, 1));
      above = data + 1;
      for (gsize x = 0; x < w; x++)
        {
          guint samples[4] = { 0 };

          for (guint c = 0; c < header->channels_in; c++)
            samples[c] = get_sample (header, data + 1, x * header->channels_in + c);
          put_pixel (header, channels, pixels, x0 + x * dx, y0 + y * dy, samples);
        }
    }

  return data;
}

void
reference_png_read (GBytes *file, ReferencePicture *picture)
{
  static const guint8 passes[7][4] = {
    { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 }, { 0, 2, 2, 4 }, { 1, 0, 2, 2 }, { 0, 1, 1, 2 },
  };
  Header header = { 0 };
  g_autoptr(GByteArray) packed = collect (file, &header);
  gsize most = (header.width * header.channels_in * 2 + 16) * header.height * 2 + 1024;
  g_autofree guint8 *data = g_malloc0 (most);
  uLongf length = most;
  guint8 *pixels;
  gsize size;

  g_assert_cmpint (uncompress (data, &length, packed->data, packed->len), ==, Z_OK);

  picture->width = header.width;
  picture->height = header.height;
  picture->bits = header.depth == 16 ? 16 : 8;
  picture->channels = header.color == 3 ? 3 + (header.n_alpha > 0)
                                        : header.channels_in + (header.n_alpha > 0);
  size = header.width * header.height * picture->channels * picture->bits / 8;
  pixels = g_malloc0 (size);

  if (header.interlace == 0)
    decode_pass (&header, picture->channels, pixels, data, 0, 0, 1, 1);
  else
    {
      const guint8 *at = data;

      for (guint i = 0; i < 7; i++)
        at = decode_pass (&header, picture->channels, pixels, (guint8 *) at,
                          passes[i][0], passes[i][1], passes[i][2], passes[i][3]);
    }

  picture->pixels = g_bytes_new_take (pixels, size);
}

void
reference_png_clear (ReferencePicture *picture)
{
  g_clear_pointer (&picture->pixels, g_bytes_unref);
}
