/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inputs.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

guint8 *
input_picture (gsize side)
{
  guint8 *picture = contender_memory (side * side);

  for (gsize y = 0; y < side; y++)
    for (gsize x = 0; x < side; x++)
      {
        guint square = ((y >> 5) ^ (x >> 5)) * 37 & 127;

        picture[y * side + x] = square + (contender_hash (y * side + x, 1) >> 27) * 2;
      }
  return picture;
}

guint8 *
input_speckles (gsize side)
{
  guint8 *speckles = contender_memory (side * side);

  for (gsize i = 0; i < side * side; i++)
    speckles[i] = contender_hash (i, 1) < 2546915606u;
  return speckles;
}

double
input_digest_squares (const float * const *parts, guint n_parts, gsize n)
{
  g_autofree float *sums = g_new0 (float, n);

  for (guint part = 0; part < n_parts; part++)
    for (gsize i = 0; i < n; i++)
      sums[i] += parts[part][i] * parts[part][i];
  return contender_digest_f4 (sums, n);
}

float *
input_first_ranks (gsize n)
{
  float *ranks = contender_memory (n * sizeof *ranks);

  for (gsize i = 0; i < n; i++)
    ranks[i] = 1.f / (float) n;
  return ranks;
}

float *
input_out_links (const guint32 *sources, gsize n_links, gsize n)
{
  float *links = contender_memory (n * sizeof *links);

  for (gsize i = 0; i < n; i++)
    links[i] = 0;
  for (gsize i = 0; i < n_links; i++)
    links[sources[i]]++;
  for (gsize i = 0; i < n; i++)
    links[i] = MAX (links[i], 1);
  return links;
}

float *
input_disc (gsize n)
{
  float *points = contender_memory (2 * n * sizeof *points);
  float *x = contender_floats (n, 1, -1, 1), *y = contender_floats (n, 2, -1, 1);

  for (gsize i = 0; i < n; i++)
    {
      double a = x[i], b = y[i], length = sqrt (a * a + b * b), factor = length > 0 ? MAX (fabs (a), fabs (b)) / length : 0;

      points[2 * i] = a * factor;
      points[2 * i + 1] = b * factor;
    }
  free (x);
  free (y);
  return points;
}

gint64 *
input_parts (gsize n, gboolean skewed, gsize *n_parts)
{
  gint64 *offsets;
  gsize p = 0;

  if (skewed)
    return contender_skewed (n, n_parts);
  offsets = contender_memory ((n + 1) * sizeof *offsets);
  for (; offsets[p] < (gint64) n; p++)
    offsets[p + 1] = MIN (offsets[p] + 1 + contender_hash (p, 0x5E6) % 32, (gint64) n);
  *n_parts = p;
  return offsets;
}

gint64 *
input_parts_of (gsize n, gsize length, gboolean skewed, gsize *n_parts)
{
  gint64 *offsets = contender_memory ((n + 1) * sizeof *offsets);
  gsize p = 0;

  for (; offsets[p] < (gint64) n; p++)
    {
      guint32 h = contender_hash (p, 0x5E6);
      gint64 own = skewed ? (gint64) pow (length, h * 0x1p-32) : 1 + h % (2 * length - 1);

      offsets[p + 1] = MIN (offsets[p] + own, (gint64) n);
    }
  *n_parts = p;
  return offsets;
}

gsize
input_picture_sizes (gsize n, gint64 **rows, gint64 **columns)
{
  gsize size = 0;

  *rows = contender_memory (n * sizeof **rows);
  *columns = contender_memory (n * sizeof **columns);
  for (gsize p = 0; p < n; p++)
    {
      guint32 h = contender_hash (p, 0x5E6);

      (*rows)[p] = 4 + h % (INPUT_MAX_SIDE - 3);
      (*columns)[p] = 4 + (h >> 8) % (INPUT_MAX_SIDE - 3);
      size += (*rows)[p] * (*columns)[p];
    }
  return size;
}

gint64 *
input_clouds (gsize n)
{
  gint64 *offsets = contender_memory ((n + 1) * sizeof *offsets);

  for (gsize c = 0; c < n; c++)
    offsets[c + 1] = offsets[c] + 16 + contender_hash (c, 0x5E6) % 97;
  return offsets;
}

/* --- files of lines */

#define FILE_BLOCK (1 << 20)

/* @write: writes line @number behind @text. */
static char *
write_lines (gsize n, void (*write_line) (gsize number, GString *text))
{
  g_autoptr(GString) text = g_string_sized_new (FILE_BLOCK + 256);
  g_autofree char *name = NULL;
  g_autoptr(GError) error = NULL;
  int file = g_file_open_tmp ("acc-bench-XXXXXX", &name, &error);

  if (file < 0)
    g_error ("%s", error->message);
  g_unlink (name);
  for (gsize k = 0; k < n; k++)
    {
      write_line (k, text);
      if (text->len < FILE_BLOCK && k + 1 < n)
        continue;
      for (gsize done = 0; done < text->len;)
        {
          gssize written = write (file, text->str + done, text->len - done);

          if (written < 0)
            g_error ("%s: %s", name, g_strerror (errno));
          done += written;
        }
      g_string_truncate (text, 0);
    }
  return g_strdup_printf ("/proc/self/fd/%d", file);
}

static void
write_answer (gsize k, GString *text)
{
  static const guint statuses[] = { 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 301, 304, 304, 404, 500 };
  guint32 where = contender_hash (k, 1), what = contender_hash (k, 2), size = contender_hash (k, 3);

  g_string_append_printf (text, "10.%u.%u.%u - - [28/Nov/2026:%02u:%02u:%02u +0000] \"GET /pages/%u HTTP/1.1\" %u %u\n",
                          where & 255, where >> 8 & 255, where >> 16 & 255, (guint) (k / 360000 % 24), (guint) (k / 6000 % 60),
                          (guint) (k / 100 % 60), (what >> 4) % 100000, statuses[what & 15], size % 1000000);
}

char *
input_log (gsize n)
{
  return write_lines (n, write_answer);
}

gsize
input_word (gsize number, char *letters)
{
  gsize length = 4 + contender_hash (number, 1) % (INPUT_LONGEST_WORD - 3);

  for (gsize i = 0; i < length; i++)
    letters[i] = 'a' + contender_hash (number * INPUT_LONGEST_WORD + i, 2) % 26;
  return length;
}

static void
write_word (gsize k, GString *text)
{
  char letters[INPUT_LONGEST_WORD];

  g_string_append_len (text, letters, input_word (k, letters));
  g_string_append_c (text, '\n');
}

char *
input_words (gsize n)
{
  return write_lines (n, write_word);
}

/* --- MD5, and windows */

void
input_md5_wanted (gsize n, guint32 wanted[MD5_WANTED][4])
{
  for (guint k = 0; k < MD5_WANTED; k++)
    {
      g_autoptr(GChecksum) sum = g_checksum_new (G_CHECKSUM_MD5);
      char letters[INPUT_LONGEST_WORD];
      guint8 digest[16];
      gsize length = input_word ((2 * k + 1) * n / (2 * MD5_WANTED), letters), size = sizeof digest;

      g_checksum_update (sum, (guchar *) letters, length);
      g_checksum_get_digest (sum, digest, &size);
      for (guint i = 0; i < 4; i++)
        wanted[k][i] = digest[4 * i] | digest[4 * i + 1] << 8 | digest[4 * i + 2] << 16 | (guint32) digest[4 * i + 3] << 24;
    }
}

guint32
input_md5_sine (guint step)
{
  return (guint32) floor (fabs (sin (step + 1.)) * 0x1p32);
}

guint
input_md5_turn (guint step)
{
  static const guint8 turns[4][4] = { { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 } };

  return turns[step / 16][step % 4];
}

float *
input_window (void)
{
  float *weights = contender_memory (WINDOW_SIZE * sizeof *weights);

  for (guint i = 0; i < WINDOW_SIZE; i++)
    weights[i] = 0.5 - 0.5 * cos (2 * G_PI * i / WINDOW_SIZE);
  return weights;
}
