/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* peer-raw blur|sobel INPUT OUTPUT WIDTH HEIGHT [OFFSET]: what a programmer writes by hand: RGB rows of a raw file through a fused
 * kernel, chunk by chunk, one chunk per thread. blur: separable Gaussian of radius 4 in 16-bit fixed point; sobel:
 * |gx| + |gy| per channel, saturated. Edges are clamped. */

#include <fcntl.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 64, RADIUS = 4 };

static const uint16_t weights[2 * RADIUS + 1] = { 7, 17, 31, 46, 54, 46, 31, 17, 7 };

static long offset;

static void
read_rows (int fd, uint8_t *to, long first, long n, long row)
{
  for (long at = 0; at < n * row;)
    {
      ssize_t got = pread (fd, to + at, n * row - at, offset + first * row + at);
      if (got <= 0)
        exit (3);
      at += got;
    }
}

static void
write_rows (int fd, const uint8_t *from, long first, long n, long row)
{
  for (long at = 0; at < n * row;)
    {
      ssize_t put = pwrite (fd, from + at, n * row - at, first * row + at);
      if (put <= 0)
        exit (4);
      at += put;
    }
}

static long
clamp (long i, long n)
{
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static void
blur_row (const uint8_t *const *restrict in, uint8_t *restrict out, uint8_t *restrict tmp, long row)
{
  uint8_t *centre = tmp + 3 * RADIUS;

  for (long i = 0; i < row; i++)
    {
      unsigned sum = 128;
      for (int k = 0; k < 2 * RADIUS + 1; k++)
        sum += weights[k] * in[k][i];
      centre[i] = sum >> 8;
    }
  for (int k = 0; k < RADIUS; k++)
    {
      memcpy (tmp + 3 * k, centre, 3);
      memcpy (centre + row + 3 * k, centre + row - 3, 3);
    }
  for (long i = 0; i < row; i++)
    {
      unsigned sum = 128;
      for (int k = 0; k < 2 * RADIUS + 1; k++)
        sum += weights[k] * tmp[i + 3 * k];
      out[i] = sum >> 8;
    }
}

static void
sobel_row (const uint8_t *const *restrict in, uint8_t *restrict out, long row)
{
  const uint8_t *a = in[0], *b = in[1], *c = in[2];

  for (long i = 3; i < row - 3; i++)
    {
      int gx = a[i + 3] + 2 * b[i + 3] + c[i + 3] - a[i - 3] - 2 * b[i - 3] - c[i - 3];
      int gy = c[i - 3] + 2 * c[i] + c[i + 3] - a[i - 3] - 2 * a[i] - a[i + 3];
      int sum = abs (gx) + abs (gy);
      out[i] = sum > 255 ? 255 : sum;
    }
  for (long j = 0; j < 6; j++)
    {
      long i = j < 3 ? j : row - 6 + j, l = j < 3 ? i : i - 3, r = j < 3 ? i + 3 : i;
      int gx = a[r] + 2 * b[r] + c[r] - a[l] - 2 * b[l] - c[l];
      int gy = c[l] + 2 * c[i] + c[r] - a[l] - 2 * a[i] - a[r];
      int sum = abs (gx) + abs (gy);
      out[i] = sum > 255 ? 255 : sum;
    }
}

int
main (int argc, char **argv)
{
  if (argc != 6 && argc != 7)
    return 2;
  offset = argc == 7 ? atol (argv[6]) : 0;

  int blur = strcmp (argv[1], "blur") == 0, radius = blur ? RADIUS : 1;
  long row = atol (argv[4]) * 3, height = atol (argv[5]);
  int in = open (argv[2], O_RDONLY), out = open (argv[3], O_RDWR | O_CREAT | O_TRUNC, 0644);

  if (in < 0 || out < 0 || ftruncate (out, row * height) != 0)
    return 3;

#pragma omp parallel
  {
    uint8_t *rows = malloc ((ROWS + 2 * RADIUS) * row), *result = malloc (ROWS * row), *tmp = malloc (row + 6 * RADIUS);

#pragma omp for schedule(dynamic)
    for (long first = 0; first < height; first += ROWS)
      {
        long n = height - first < ROWS ? height - first : ROWS;
        long begin = first - radius < 0 ? 0 : first - radius;
        long end = first + n + radius > height ? height : first + n + radius;

        read_rows (in, rows, begin, end - begin, row);
        for (long y = first; y < first + n; y++)
          {
            const uint8_t *near[2 * RADIUS + 1];

            for (int k = -radius; k <= radius; k++)
              near[k + radius] = rows + (clamp (y + k, height) - begin) * row;
            if (blur)
              blur_row (near, result + (y - first) * row, tmp, row);
            else
              sobel_row (near, result + (y - first) * row, row);
          }
        write_rows (out, result, first, n, row);
      }

    free (rows);
    free (result);
    free (tmp);
  }

  return close (out) != 0;
}
