/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "c-works.h"
#include "stream.h"

#include <stdlib.h>

typedef struct {
  gsize  side;
  float *a, *b, *c;
} Matrices;

static double
check (gpointer data)
{
  Matrices *self = data;

  return contender_digest_f4 (self->c, self->side * self->side);
}

static void
free_matrices (gpointer data)
{
  Matrices *self = data;

  free (self->a);
  free (self->b);
  free (self->c);
  g_free (self);
}

/* --- transposition: squares that fill whole lines of the cache on both sides are turned in a small one, and go past the caches */

#define SQUARE 16

static gpointer
prepare_transpose (gsize side)
{
  Matrices *self = g_new0 (Matrices, 1);

  self->side = side;
  self->a = contender_floats (side * side, 1, 0, 1);
  self->c = contender_memory (side * side * sizeof (float));
  return self;
}

#if defined (__AVX__)
/* 8 × 8, rows @from_stride and @to_stride apart. */
static inline void
turn8 (const float *from, gsize from_stride, float *to, gsize to_stride)
{
  __m256 r[8], s[8];

  for (guint k = 0; k < 8; k++)
    r[k] = _mm256_loadu_ps (from + k * from_stride);
  for (guint k = 0; k < 8; k += 2)
    {
      s[k] = _mm256_unpacklo_ps (r[k], r[k + 1]);
      s[k + 1] = _mm256_unpackhi_ps (r[k], r[k + 1]);
    }
  for (guint k = 0; k < 8; k += 4)
    {
      r[k] = _mm256_shuffle_ps (s[k], s[k + 2], 0x44);
      r[k + 1] = _mm256_shuffle_ps (s[k], s[k + 2], 0xEE);
      r[k + 2] = _mm256_shuffle_ps (s[k + 1], s[k + 3], 0x44);
      r[k + 3] = _mm256_shuffle_ps (s[k + 1], s[k + 3], 0xEE);
    }
  for (guint k = 0; k < 4; k++)
    {
      _mm256_store_ps (to + k * to_stride, _mm256_permute2f128_ps (r[k], r[k + 4], 0x20));
      _mm256_store_ps (to + (k + 4) * to_stride, _mm256_permute2f128_ps (r[k], r[k + 4], 0x31));
    }
}

static inline void
turn_square (const float *from, float *to, gsize side)
{
  float square[SQUARE][SQUARE] __attribute__ ((aligned (64)));

  for (guint y = 0; y < SQUARE; y += 8)
    for (guint x = 0; x < SQUARE; x += 8)
      turn8 (from + y * side + x, side, &square[x][y], SQUARE);
  for (guint y = 0; y < SQUARE; y++)
    for (guint x = 0; x < SQUARE; x += STREAM_LANES)
      stream_store (to + y * side + x, stream_load (&square[y][x]));
}
#else
static inline void
turn_square (const float *from, float *to, gsize side)
{
  for (guint y = 0; y < SQUARE; y++)
    for (guint x = 0; x < SQUARE; x++)
      to[y * side + x] = from[x * side + y];
}
#endif

/* Squares of squares, so that pages are left only when much of them is done. */
#define BLOCK 128

static void
run_transpose (gpointer data)
{
  Matrices *self = data;
  gsize side = self->side, n_blocks = (side + BLOCK - 1) / BLOCK;
  gboolean whole = side % SQUARE == 0;

#pragma omp parallel if (side * side * sizeof (float) >= STREAM_MIN_PARALLEL)
  {
#pragma omp for schedule(dynamic)
    for (gsize block = 0; block < n_blocks * n_blocks; block++)
      {
        gsize y0 = block / n_blocks * BLOCK, x0 = block % n_blocks * BLOCK;
        gsize y1 = MIN (y0 + BLOCK, side), x1 = MIN (x0 + BLOCK, side);

        /* @y, @x: of the result */
        if (whole)
          for (gsize y = y0; y < y1; y += SQUARE)
            for (gsize x = x0; x < x1; x += SQUARE)
              turn_square (self->a + x * side + y, self->c + y * side + x, side);
        else
          for (gsize y = y0; y < y1; y++)
            for (gsize x = x0; x < x1; x++)
              self->c[y * side + x] = self->a[x * side + y];
      }
    stream_fence ();
  }
}

/* --- product: blocks of both are packed into panels; a panel of rows stays in the second cache, a strip of columns in the first,
 *     ROWS × COLUMNS sums in registers */

#define ROWS 6
#define STRIP (2 * STREAM_LANES)
#define DEPTH ((gsize) 256)
#define PANEL ((gsize) 16 * ROWS)

static gpointer
prepare_product (gsize side)
{
  Matrices *self = g_new0 (Matrices, 1);

  self->side = side;
  self->a = contender_floats (side * side, 1, 0, 1);
  self->b = contender_floats (side * side, 2, 0, 1);
  self->c = contender_memory (side * side * sizeof (float));
  return self;
}

/* ROWS rows of @a by a strip of @b, both packed, added to @c. */
static inline void
multiply_strip (const float *a, const float *b, gsize depth, float *c, gsize stride, gsize n_rows, gsize n_columns)
{
  StreamF4 sums[ROWS][2] = { 0 };

  for (gsize k = 0; k < depth; k++)
    {
      StreamF4 left = *(const StreamF4 *) (b + k * STRIP), right = *(const StreamF4 *) (b + k * STRIP + STREAM_LANES);

#pragma GCC unroll 6
      for (guint r = 0; r < ROWS; r++)
        {
          sums[r][0] += a[k * ROWS + r] * left;
          sums[r][1] += a[k * ROWS + r] * right;
        }
    }
  for (gsize r = 0; r < n_rows; r++)
    for (gsize x = 0; x < n_columns; x++)
      c[r * stride + x] += sums[r][x / STREAM_LANES][x % STREAM_LANES];
}

static void
run_product (gpointer data)
{
  Matrices *self = data;
  gsize side = self->side, n_strips = (side + STRIP - 1) / STRIP;
  float *strips = aligned_alloc (64, n_strips * STRIP * DEPTH * sizeof (float));

#pragma omp parallel if (side >= 64)
  {
    float panel[PANEL * DEPTH] __attribute__ ((aligned (64)));

#pragma omp for schedule(static)
    for (gsize y = 0; y < side; y++)
      memset (self->c + y * side, 0, side * sizeof (float));

    for (gsize k0 = 0; k0 < side; k0 += DEPTH)
      {
        gsize depth = MIN (DEPTH, side - k0);

#pragma omp for schedule(dynamic, 8)
        for (gsize s = 0; s < n_strips; s++)
          for (gsize k = 0; k < depth; k++)
            for (gsize x = 0; x < STRIP; x++)
              strips[(s * DEPTH + k) * STRIP + x] = s * STRIP + x < side ? self->b[(k0 + k) * side + s * STRIP + x] : 0;

#pragma omp for schedule(dynamic)
        for (gsize y0 = 0; y0 < side; y0 += PANEL)
          {
            gsize n_rows = MIN (PANEL, side - y0);

            for (gsize r0 = 0; r0 < n_rows; r0 += ROWS)
              for (gsize r = 0; r < ROWS; r++)
                for (gsize k = 0; k < depth; k++)
                  panel[r0 * DEPTH + k * ROWS + r] = r0 + r < n_rows ? self->a[(y0 + r0 + r) * side + k0 + k] : 0;
            for (gsize s = 0; s < n_strips; s++)
              for (gsize r0 = 0; r0 < n_rows; r0 += ROWS)
                multiply_strip (panel + r0 * DEPTH, strips + s * DEPTH * STRIP, depth, self->c + (y0 + r0) * side + s * STRIP, side,
                                MIN (ROWS, n_rows - r0), MIN (STRIP, side - s * STRIP));
          }
      }
  }
  free (strips);
}

const Work c_matrices[] = {
  { "transpose", prepare_transpose, run_transpose, check, free_matrices },
  { "matrix-product", prepare_product, run_product, check, free_matrices },
  { NULL }
};
