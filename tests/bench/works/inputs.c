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
