/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inputs.h"

#include <math.h>
#include <stdlib.h>

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
