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

/* --- edges: what demos/edges does, of a picture without colours. Three stages, the last rows of each in a ring; then weak edges are
 * followed from strong ones with a stack. Squares are compared in place of magnitudes. */

/* The largest Sobel response to values from 0 to 255 */
#define LARGEST_GRADIENT 1442.5

enum { RING = 4 };

typedef struct {
  uint16_t *sums;                   /* of a row, before it is gone over from left to right */
  int16_t  *weighted, *differences;
  uint8_t  *blurred[RING];
  int32_t  *square[RING], *direction[RING];
} Rings;

static void
rings_init (Rings *r, long side)
{
  r->sums = row_new (side, sizeof (uint16_t));
  r->weighted = row_new (side, sizeof (int16_t));
  r->differences = row_new (side, sizeof (int16_t));
  for (int i = 0; i < RING; i++)
    {
      r->blurred[i] = row_new (side, 1);
      r->square[i] = row_new (side, sizeof (int32_t));
      r->direction[i] = row_new (side, sizeof (int32_t));
    }
}

static void
rings_clear (Rings *r)
{
  row_free (r->sums, sizeof (uint16_t));
  row_free (r->weighted, sizeof (int16_t));
  row_free (r->differences, sizeof (int16_t));
  for (int i = 0; i < RING; i++)
    {
      row_free (r->blurred[i], 1);
      row_free (r->square[i], sizeof (int32_t));
      row_free (r->direction[i], sizeof (int32_t));
    }
}

/* Directions: 0 across, 1 rising, 2 down, 3 falling */
static void
gradient_row (const uint8_t *a, const uint8_t *b, const uint8_t *c, int32_t *restrict square, int32_t *restrict direction,
              int16_t *restrict sums, int16_t *restrict differences, long side)
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
      int32_t gx = sums[x + 1] - sums[x - 1];
      int32_t gy = differences[x - 1] + 2 * differences[x] + differences[x + 1];
      int32_t ax = abs (gx), ay = abs (gy) * 32768;
      int32_t diagonal = gx * gy > 0 ? 3 : 1;
      int32_t steep = ay > ax * (13573 + 65536) ? 2 : diagonal;

      square[x] = gx * gx + gy * gy;
      direction[x] = ay < ax * 13573 ? 0 : steep;
    }
  /* There is nothing outside. */
  square[-1] = square[side] = 0;
}

/* 0: no edge, 1: weak, 2: strong */
static void
thin_row (const int32_t *a, const int32_t *b, const int32_t *c, const int32_t *direction, uint8_t *restrict out, int32_t low,
          int32_t high, long side)
{
  for (long x = 0; x < side; x++)
    {
      /* Loaded whether needed or not, so that the compiler may choose without branches */
      int32_t left = b[x - 1], right = b[x + 1], up = a[x], down = c[x];
      int32_t up_left = a[x - 1], up_right = a[x + 1], down_left = c[x - 1], down_right = c[x + 1];
      int32_t d = direction[x];
      int32_t before = d == 0 ? left : d == 2 ? up : d == 3 ? up_left : up_right;
      int32_t behind = d == 0 ? right : d == 2 ? down : d == 3 ? down_right : down_left;
      int32_t ridge = (b[x] > before) & (b[x] > behind - !(d & 1));

      out[x] = ((b[x] > low) + (b[x] > high)) * ridge;
    }
}

static void
thin_band (const uint8_t *in, uint8_t *out, long first, long end, long side, int32_t low, int32_t high, const int32_t *nothing, Rings *r)
{
#define ROW(ring, y) ((ring)[clamp (y, side) % RING])
#define SQUARE(y) ((y) < 0 || (y) >= side ? nothing : r->square[(y) % RING])
  for (long y = first - 2; y < end + 2; y++)
    {
      long gradient = y - 1, thin = y - 2;

      if (y >= 0 && y < side)
        {
          blur_row (in, ROW (r->blurred, y), r->sums, y, side);
          PAD_ROW (ROW (r->blurred, y), side);
        }
      if (gradient >= first - 1 && gradient >= 0 && gradient < side)
        gradient_row (ROW (r->blurred, gradient - 1), ROW (r->blurred, gradient), ROW (r->blurred, gradient + 1),
                      ROW (r->square, gradient), ROW (r->direction, gradient), r->weighted, r->differences, side);
      if (thin >= first)
        thin_row (SQUARE (thin - 1), SQUARE (thin), SQUARE (thin + 1), ROW (r->direction, thin), out + thin * side, low, high, side);
    }
#undef ROW
#undef SQUARE
}

/* From strong pixels to weak ones beside them; what was reached is 3. */
static void
follow (uint8_t *grades, long side)
{
  long *stack = malloc ((side * side + 1) * sizeof *stack), n = 0;

  for (long i = 0; i < side * side; i++)
    if (grades[i] == 2)
      {
        grades[i] = 3;
        stack[n++] = i;
        while (n > 0)
          {
            long place = stack[--n], row = place / side, column = place % side;

            for (long y = clamp (row - 1, side); y <= clamp (row + 1, side); y++)
              for (long x = clamp (column - 1, side); x <= clamp (column + 1, side); x++)
                if (grades[y * side + x] == 1 || grades[y * side + x] == 2)
                  {
                    grades[y * side + x] = 3;
                    stack[n++] = y * side + x;
                  }
          }
      }
  free (stack);
}

static void
edges (const uint8_t *in, uint8_t *out, long side, double low, double high)
{
  int32_t *nothing = row_new (side, sizeof *nothing);

  for (long x = -1; x <= side; x++)
    nothing[x] = 0;
#pragma omp parallel
  {
    Rings rings;

    rings_init (&rings, side);
#pragma omp for schedule(dynamic)
    for (long first = 0; first < side; first += BAND)
      thin_band (in, out, first, smaller (first + BAND, side), side, (int32_t) (low * low), (int32_t) (high * high), nothing, &rings);
    rings_clear (&rings);
  }
  follow (out, side);
#pragma omp parallel for
  for (long i = 0; i < side * side; i++)
    out[i] = out[i] == 3 ? 255 : 0;
  row_free (nothing, sizeof *nothing);
}

/* --- connected components of 4 neighbours: union and find, bands side by side, then where they meet. A pixel without a neighbour before it
 * has a new number; the least of a component is that of its first pixel. */

static int32_t
find_root (int32_t *parents, int32_t i)
{
  while (parents[i] != i)
    i = parents[i] = parents[parents[i]];
  return i;
}

static int32_t
join (int32_t *parents, int32_t i, int32_t k)
{
  int32_t a = find_root (parents, i), b = find_root (parents, k);

  return parents[a > b ? a : b] = a < b ? a : b;
}

/* Numbers of a band begin at @number; returns the one behind the last. */
static int32_t
label_band (const uint8_t *in, int32_t *labels, int32_t *parents, long first, long end, long side, int32_t number)
{
  for (long y = first; y < end; y++)
    for (long x = 0; x < side; x++)
      {
        long i = y * side + x;
        int32_t left = x > 0 ? labels[i - 1] : 0, up = y > first ? labels[i - side] : 0;

        if (!in[i])
          labels[i] = 0;
        else if (left && up)
          labels[i] = left == up ? up : join (parents, left, up);
        else if (left || up)
          labels[i] = left ? left : up;
        else
          {
            parents[number] = number;
            labels[i] = number++;
          }
      }
  return number;
}

static void
label (const uint8_t *in, int32_t *labels, int32_t *parents, long side)
{
  /* Every other pixel at most has a new number. */
  long room = BAND * ((side + 1) / 2), n_bands = (side + BAND - 1) / BAND;
  int32_t *ends = malloc ((n_bands + 1) * sizeof *ends), count = 0;

#pragma omp parallel for schedule(dynamic)
  for (long band = 0; band < n_bands; band++)
    ends[band] = label_band (in, labels, parents, band * BAND, smaller ((band + 1) * BAND, side), side, (int32_t) (band * room + 1));
  for (long y = BAND; y < side; y += BAND)
    for (long x = 0; x < side; x++)
      if (in[y * side + x] && in[(y - 1) * side + x])
        join (parents, labels[y * side + x], labels[(y - 1) * side + x]);
  /* The parent is less than the label, and has its number already. */
  for (long band = 0; band < n_bands; band++)
    for (int32_t i = (int32_t) (band * room + 1); i < ends[band]; i++)
      parents[i] = parents[i] == i ? ++count : parents[parents[i]];
  parents[0] = 0;
#pragma omp parallel for
  for (long i = 0; i < side * side; i++)
    labels[i] = parents[labels[i]];
  free (ends);
}

/* --- works */

typedef struct {
  long     side;
  uint8_t *in, *out;
  int32_t *labels, *parents;        /* of "label" */
} Picture;

static gpointer
prepare (gsize side)
{
  Picture *p = g_new0 (Picture, 1);

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

static gpointer
prepare_label (gsize side)
{
  Picture *p = g_new0 (Picture, 1);

  p->side = side;
  p->in = input_speckles (side);
  p->labels = contender_memory (side * side * sizeof *p->labels);
  p->parents = contender_memory ((side + BAND) * (side + 1) / 2 * sizeof *p->parents + 64);
  return p;
}

static void
run_label (gpointer data)
{
  Picture *p = data;

  label (p->in, p->labels, p->parents, p->side);
}

static double
check_label (gpointer data)
{
  Picture *p = data;

  return contender_digest_u4 ((const guint32 *) p->labels, p->side * p->side);
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
  free (p->labels);
  free (p->parents);
  g_free (p);
}

const Work c_pictures[] = {
  { "gauss", prepare, run_gauss, check, picture_free },
  { "sobel", prepare, run_sobel, check, picture_free },
  { "edges", prepare, run_edges, check, picture_free },
  { "label", prepare_label, run_label, check_label, picture_free },
  { NULL },
};
