/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "peer-picture.h"

#include <stdlib.h>
#include <string.h>

enum { BAND = 64 };

static long
clamp (long i, long n)
{
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Blurs row y into out; tmp has width + 4 entries. out has a clamped element on each side. */
static void
blur_row (const uint8_t *restrict in, uint8_t *restrict out, uint16_t *restrict tmp, long y, long width, long height)
{
  const uint8_t *a = in + clamp (y - 2, height) * width, *b = in + clamp (y - 1, height) * width, *c = in + y * width,
                *d = in + clamp (y + 1, height) * width, *e = in + clamp (y + 2, height) * width;

  for (long x = 0; x < width; x++)
    tmp[x + 2] = a[x] + 4 * b[x] + 6 * c[x] + 4 * d[x] + e[x];
  tmp[0] = tmp[1] = tmp[2];
  tmp[width + 2] = tmp[width + 3] = tmp[width + 1];
  for (long x = 0; x < width; x++)
    out[x + 1] = (tmp[x] + 4 * tmp[x + 1] + 6 * tmp[x + 2] + 4 * tmp[x + 3] + tmp[x + 4] + 128) >> 8;
  out[0] = out[1];
  out[width + 1] = out[width];
}

static void
sobel_row (const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c, uint8_t *restrict out, long width)
{
  for (long x = 0; x < width; x++)
    {
      int16_t gx = a[x + 2] + 2 * b[x + 2] + c[x + 2] - a[x] - 2 * b[x] - c[x];
      int16_t gy = c[x] + 2 * c[x + 1] + c[x + 2] - a[x] - 2 * a[x + 1] - a[x + 2];
      int16_t sum = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
      out[x] = sum > 255 ? 255 : sum;
    }
}

void
peer_blur_sobel (const uint8_t *in, uint8_t *out, long width, long height)
{
#pragma omp parallel
  {
    uint16_t *tmp = malloc ((width + 4) * sizeof *tmp);
    uint8_t *ring = malloc (3 * (width + 2));

#pragma omp for schedule(dynamic)
    for (long first = 0; first < height; first += BAND)
      {
        long end = first + BAND < height ? first + BAND : height;
        uint8_t *row[3] = { ring, ring + width + 2, ring + 2 * (width + 2) };

        blur_row (in, row[0], tmp, clamp (first - 1, height), width, height);
        blur_row (in, row[1], tmp, first, width, height);
        for (long y = first; y < end; y++)
          {
            uint8_t *oldest = row[0];

            blur_row (in, row[2], tmp, clamp (y + 1, height), width, height);
            sobel_row (row[0], row[1], row[2], out + y * width, width);
            row[0] = row[1], row[1] = row[2], row[2] = oldest;
          }
      }

    free (tmp);
    free (ring);
  }
}
