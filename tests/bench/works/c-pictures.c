/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures of 8 bits, [side,side], edges clamped: rows stay in the nearest cache, stages are fused by hand. */

#include "c-works.h"
#include "inputs.h"

#include <stdint.h>
#include <stdlib.h>

/* Rows that a worker takes at once; what it reads above and below them is read twice. */
enum { BAND = 64, PAD = 16 };

static long
clamp (long i, long n)
{
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static long
smaller (long a, long b)
{
  return a < b ? a : b;
}

static void *
row_new (long side, long size)
{
  return (char *) aligned_alloc (64, ((side + 2 * PAD) * size + 63) / 64 * 64) + PAD * size;
}

static void
row_free (void *row, long size)
{
  free ((char *) row - PAD * size);
}

/* Repeats the first and the last element of a row by two. */
#define PAD_ROW(row, n) \
  ((row)[-1] = (row)[-2] = (row)[0], (row)[n] = (row)[(n) + 1] = (row)[(n) - 1])

static void
blur_row (const uint8_t *in, uint8_t *restrict out, uint16_t *restrict sums, long y, long side)
{
  const uint8_t *a = in + clamp (y - 2, side) * side, *b = in + clamp (y - 1, side) * side, *c = in + y * side,
                *d = in + clamp (y + 1, side) * side, *e = in + clamp (y + 2, side) * side;

  for (long x = 0; x < side; x++)
    sums[x] = (uint16_t) (a[x] + e[x]) + (uint16_t) ((b[x] + d[x]) * 4) + (uint16_t) (c[x] * 6);
  PAD_ROW (sums, side);
  for (long x = 0; x < side; x++)
    out[x] = (uint16_t) ((uint16_t) (sums[x - 2] + sums[x + 2]) + (uint16_t) ((uint16_t) (sums[x - 1] + sums[x + 1]) * 4)
                         + (uint16_t) (sums[x] * 6) + 128) >> 8;
}

static void
gauss (const uint8_t *in, uint8_t *out, long side)
{
#pragma omp parallel
  {
    uint16_t *sums = row_new (side, sizeof *sums);

#pragma omp for schedule(dynamic)
    for (long first = 0; first < side; first += BAND)
      for (long y = first; y < smaller (first + BAND, side); y++)
        blur_row (in, out + y * side, sums, y, side);

    row_free (sums, sizeof *sums);
  }
}

static void
sobel_row (const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *restrict out, int16_t *restrict sums,
           int16_t *restrict differences, long side)
{
  for (long x = 0; x < side; x++)
    {
      sums[x] = a[x] + 2 * b[x] + c[x];
      differences[x] = c[x] - a[x];
    }
  PAD_ROW (sums, side);
  PAD_ROW (differences, side);
  for (long x = 0; x < side; x++)
    {
      int16_t gx = sums[x + 1] - sums[x - 1];
      int16_t gy = differences[x - 1] + 2 * differences[x] + differences[x + 1];
      int16_t sum = (int16_t) abs (gx) + (int16_t) abs (gy);

      out[x] = sum > 255 ? 255 : sum;
    }
}

static void
sobel (const uint8_t *in, uint8_t *out, long side)
{
#pragma omp parallel
  {
    int16_t *sums = row_new (side, sizeof *sums), *differences = row_new (side, sizeof *differences);

#pragma omp for schedule(dynamic)
    for (long first = 0; first < side; first += BAND)
      for (long y = first; y < smaller (first + BAND, side); y++)
        sobel_row (in + clamp (y - 1, side) * side, in + y * side, in + clamp (y + 1, side) * side, out + y * side, sums,
                   differences, side);

    row_free (sums, sizeof *sums);
    row_free (differences, sizeof *differences);
  }
}

/* --- edges: what demos/edges does, of a picture without colours. Four stages, the last rows of each in a
 * ring. Squares are compared in place of magnitudes. */

/* The largest Sobel response to values from 0 to 255 */
#define LARGEST_GRADIENT 1442.5f

enum { RING = 4 };

typedef struct {
  float   *sums, *more;             /* of a row, before it is gone over from left to right */
  float   *blurred[RING], *square[RING];
  int     *direction[RING];
  uint8_t *thinned[RING], *largest;
} Rings;

static void
rings_init (Rings *r, long side)
{
  r->sums = row_new (side, sizeof (float));
  r->more = row_new (side, sizeof (float));
  r->largest = row_new (side, 1);
  for (int i = 0; i < RING; i++)
    {
      r->blurred[i] = row_new (side, sizeof (float));
      r->square[i] = row_new (side, sizeof (float));
      r->direction[i] = row_new (side, sizeof (int));
      r->thinned[i] = row_new (side, 1);
    }
}

static void
rings_clear (Rings *r)
{
  row_free (r->sums, sizeof (float));
  row_free (r->more, sizeof (float));
  row_free (r->largest, 1);
  for (int i = 0; i < RING; i++)
    {
      row_free (r->blurred[i], sizeof (float));
      row_free (r->square[i], sizeof (float));
      row_free (r->direction[i], sizeof (int));
      row_free (r->thinned[i], 1);
    }
}

static void
blur_row_float (const uint8_t *in, float *restrict out, float *restrict sums, long y, long side)
{
  const uint8_t *a = in + clamp (y - 2, side) * side, *b = in + clamp (y - 1, side) * side, *c = in + y * side,
                *d = in + clamp (y + 1, side) * side, *e = in + clamp (y + 2, side) * side;

  for (long x = 0; x < side; x++)
    sums[x] = (uint16_t) ((uint16_t) (a[x] + e[x]) + (uint16_t) ((b[x] + d[x]) * 4) + (uint16_t) (c[x] * 6));
  PAD_ROW (sums, side);
  for (long x = 0; x < side; x++)
    out[x] = (sums[x - 2] + sums[x + 2] + 4 * (sums[x - 1] + sums[x + 1]) + 6 * sums[x]) * (1 / 256.f);
}

/* Directions: 0 across, 1 rising, 2 down, 3 falling */
static void
gradient_row (const float *a, const float *b, const float *c, float *restrict square, int *restrict direction,
              float *restrict sums, float *restrict differences, long side)
{
  for (long x = 0; x < side; x++)
    {
      sums[x] = a[x] + 2 * b[x] + c[x];
      differences[x] = c[x] - a[x];
    }
  PAD_ROW (sums, side);
  PAD_ROW (differences, side);
  for (long x = 0; x < side; x++)
    {
      float gx = sums[x + 1] - sums[x - 1];
      float gy = differences[x - 1] + 2 * differences[x] + differences[x + 1];
      float ax = __builtin_fabsf (gx), ay = __builtin_fabsf (gy);
      int diagonal = gx * gy > 0 ? 3 : 1;
      int steep = ay >= ax * 2.41421356f ? 2 : diagonal;

      square[x] = gx * gx + gy * gy;
      direction[x] = ay <= ax * 0.41421356f ? 0 : steep;
    }
}

static void
thin_row (const float *a, const float *b, const float *c, const int *direction, uint8_t *restrict out, float low,
          float high, long side)
{
  for (long x = 0; x < side; x++)
    {
      /* Loaded whether needed or not, so that the compiler may choose without branches */
      float left = b[x - 1], right = b[x + 1], up = a[x], down = c[x];
      float up_left = a[x - 1], up_right = a[x + 1], down_left = c[x - 1], down_right = c[x + 1];
      int d = direction[x];
      float before = d == 0 ? right : d == 2 ? down : d == 3 ? down_right : up_right;
      float after = d == 0 ? left : d == 2 ? up : d == 3 ? up_left : down_left;
      int ridge = (b[x] >= before) & (b[x] > after);

      out[x] = ((b[x] >= low) + (b[x] >= high)) * ridge;
    }
}

static uint8_t
larger (uint8_t a, uint8_t b)
{
  return a > b ? a : b;
}

static void
connect_row (const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *restrict out, uint8_t *restrict largest, long side)
{
  for (long x = 0; x < side; x++)
    largest[x] = larger (a[x], larger (b[x], c[x]));
  PAD_ROW (largest, side);
  for (long x = 0; x < side; x++)
    out[x] = (b[x] >= 1) & (larger (largest[x - 1], larger (largest[x], largest[x + 1])) == 2) ? 255 : 0;
}

static void
edges_band (const uint8_t *in, uint8_t *out, long first, long end, long side, float low, float high, Rings *r)
{
#define ROW(ring, y) ((ring)[clamp (y, side) % RING])
  for (long y = first - 3; y < end + 3; y++)
    {
      long gradient = y - 1, thin = y - 2, connect = y - 3;

      if (y >= 0 && y < side)
        {
          blur_row_float (in, ROW (r->blurred, y), r->sums, y, side);
          PAD_ROW (ROW (r->blurred, y), side);
        }
      if (gradient >= first - 2 && gradient >= 0 && gradient < side)
        {
          gradient_row (ROW (r->blurred, gradient - 1), ROW (r->blurred, gradient), ROW (r->blurred, gradient + 1),
                        ROW (r->square, gradient), ROW (r->direction, gradient), r->sums, r->more, side);
          PAD_ROW (ROW (r->square, gradient), side);
        }
      if (thin >= first - 1 && thin >= 0 && thin < side)
        thin_row (ROW (r->square, thin - 1), ROW (r->square, thin), ROW (r->square, thin + 1), ROW (r->direction, thin),
                  ROW (r->thinned, thin), low * low, high * high, side);
      if (connect >= first)
        connect_row (ROW (r->thinned, connect - 1), ROW (r->thinned, connect), ROW (r->thinned, connect + 1),
                     out + connect * side, r->largest, side);
    }
#undef ROW
}

static void
edges (const uint8_t *in, uint8_t *out, long side, float low, float high)
{
#pragma omp parallel
  {
    Rings rings;

    rings_init (&rings, side);
#pragma omp for schedule(dynamic)
    for (long first = 0; first < side; first += BAND)
      edges_band (in, out, first, smaller (first + BAND, side), side, low, high, &rings);
    rings_clear (&rings);
  }
}

/* --- works */

typedef struct {
  long     side;
  uint8_t *in, *out;
} Picture;

static gpointer
prepare (gsize side)
{
  Picture *p = g_new (Picture, 1);

  p->side = side;
  p->in = input_picture (side);
  p->out = contender_memory (side * side);
  return p;
}

static void
run_gauss (gpointer data)
{
  Picture *p = data;

  gauss (p->in, p->out, p->side);
}

static void
run_sobel (gpointer data)
{
  Picture *p = data;

  sobel (p->in, p->out, p->side);
}

static void
run_edges (gpointer data)
{
  Picture *p = data;

  edges (p->in, p->out, p->side, EDGES_LOW * LARGEST_GRADIENT, EDGES_HIGH * LARGEST_GRADIENT);
}

static double
check (gpointer data)
{
  Picture *p = data;

  return contender_digest_u1 (p->out, p->side * p->side);
}

static void
picture_free (gpointer data)
{
  Picture *p = data;

  free (p->in);
  free (p->out);
  g_free (p);
}

const Work c_pictures[] = {
  { "gauss", prepare, run_gauss, check, picture_free },
  { "sobel", prepare, run_sobel, check, picture_free },
  { "edges", prepare, run_edges, check, picture_free },
  { NULL },
};
