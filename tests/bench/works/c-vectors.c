/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "c-works.h"
#include "inputs.h"
#include "stream.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
  gsize   n, n_segments;
  float  *x, *y, *z;
  gint64 *offsets;
  double  number;
} Vectors;

static Vectors *
start (gsize n, float *x)
{
  Vectors *self = g_new0 (Vectors, 1);

  self->n = n;
  self->x = x;
  return self;
}

static double
check_floats (gpointer data)
{
  Vectors *self = data;

  return contender_digest_f4 (self->z, self->offsets != NULL ? self->n_segments : self->n);
}

static double
check_number (gpointer data)
{
  return ((Vectors *) data)->number;
}

static void
free_vectors (gpointer data)
{
  Vectors *self = data;

  free (self->x);
  free (self->y);
  free (self->z);
  free (self->offsets);
  g_free (self);
}

/* --- saxpy */

static gpointer
prepare_saxpy (gsize n)
{
  Vectors *self = start (n, contender_floats (n, 1, 0, 1));

  self->y = contender_floats (n, 2, 0, 1);
  self->z = contender_memory (n * sizeof (float));
  return self;
}

static void
run_saxpy (gpointer data)
{
  Vectors *self = data;
  const float *restrict x = self->x, *restrict y = self->y;
  float *restrict z = self->z;
  gsize n = self->n, past = n * sizeof (float) >= STREAM_MIN_BYTES ? n : 0;

#pragma omp parallel if (n * sizeof (float) >= STREAM_MIN_PARALLEL)
  {
#pragma omp for schedule(dynamic)
    for (gsize begin = 0; begin < n; begin += STREAM_TILE)
      {
        gsize end = MIN (begin + STREAM_TILE, n), i = begin;

        for (; i + STREAM_LANES <= MIN (end, past); i += STREAM_LANES)
          stream_store (z + i, 2.5f * stream_load (x + i) + stream_load (y + i));
        for (; i < end; i++)
          z[i] = 2.5f * x[i] + y[i];
      }
    stream_fence ();
  }
}

/* --- dot product and sum */

static gpointer
prepare_dot (gsize n)
{
  Vectors *self = start (n, contender_ones (n, 1));

  self->y = contender_ones (n, 2);
  return self;
}

static gpointer
prepare_sum (gsize n)
{
  return start (n, contender_ones (n, 1));
}

/* Enough sums at once that none waits for the one before. */
#define SUMS (8 * STREAM_LANES)

static void
run_dot (gpointer data)
{
  Vectors *self = data;
  double sum = 0;

#pragma omp parallel for schedule(dynamic) reduction(+ : sum) if (self->n * sizeof (float) >= STREAM_MIN_PARALLEL)
  for (gsize begin = 0; begin < self->n; begin += STREAM_TILE)
    {
      gsize end = MIN (begin + STREAM_TILE, self->n), i = begin;
      float sums[SUMS] = { 0 }, part = 0;

      for (; i + SUMS <= end; i += SUMS)
        for (gsize k = 0; k < SUMS; k++)
          sums[k] += self->x[i + k] * self->y[i + k];
      for (; i < end; i++)
        part += self->x[i] * self->y[i];
      for (gsize k = 0; k < SUMS; k++)
        part += sums[k];
      sum += part;
    }
  self->number = sum;
}

static float
sum_of (const float *x, gsize n)
{
  float sums[SUMS] = { 0 }, sum = 0;
  gsize i = 0;

  for (; i + SUMS <= n; i += SUMS)
    for (gsize k = 0; k < SUMS; k++)
      sums[k] += x[i + k];
  for (; i < n; i++)
    sum += x[i];
  for (gsize k = 0; k < SUMS; k++)
    sum += sums[k];
  return sum;
}

static void
run_sum (gpointer data)
{
  Vectors *self = data;
  double sum = 0;

#pragma omp parallel for schedule(dynamic) reduction(+ : sum) if (self->n * sizeof (float) >= STREAM_MIN_PARALLEL)
  for (gsize begin = 0; begin < self->n; begin += STREAM_TILE)
    sum += sum_of (self->x + begin, MIN (STREAM_TILE, self->n - begin));
  self->number = sum;
}

/* --- mean and variance in one pass: of parts about their own first element, merged in double */

static gpointer
prepare_moments (gsize n)
{
  return start (n, contender_floats (n, 1, 0, 1));
}

#define PART 4096

static void
merge (double *n, double *mean, double *squares, double n2, double mean2, double squares2)
{
  double difference = mean2 - *mean, total = *n + n2;

  if (n2 == 0)
    return;
  *mean += difference * n2 / total;
  *squares += squares2 + difference * difference * *n * n2 / total;
  *n = total;
}

static void
run_moments (gpointer data)
{
  Vectors *self = data;
  double n = 0, mean = 0, squares = 0;

#pragma omp parallel if (self->n * sizeof (float) >= STREAM_MIN_PARALLEL)
  {
    double own_n = 0, own_mean = 0, own_squares = 0;

#pragma omp for schedule(dynamic, 16)
    for (gsize begin = 0; begin < self->n; begin += PART)
      {
        gsize end = MIN (begin + PART, self->n), i = begin;
        float pivot = self->x[begin], sums[SUMS / 2] = { 0 }, squares_of[SUMS / 2] = { 0 }, sum = 0, square = 0;

        for (; i + SUMS / 2 <= end; i += SUMS / 2)
          for (gsize k = 0; k < SUMS / 2; k++)
            {
              float difference = self->x[i + k] - pivot;

              sums[k] += difference;
              squares_of[k] += difference * difference;
            }
        for (; i < end; i++)
          sum += self->x[i] - pivot, square += (self->x[i] - pivot) * (self->x[i] - pivot);
        for (gsize k = 0; k < SUMS / 2; k++)
          sum += sums[k], square += squares_of[k];
        merge (&own_n, &own_mean, &own_squares, end - begin, pivot + (double) sum / (end - begin),
               square - (double) sum * sum / (end - begin));
      }
#pragma omp critical
    merge (&n, &mean, &squares, own_n, own_mean, own_squares);
  }
  self->number = mean + 10 * squares / n;
}

/* --- prefix sum: a chained scan; tiles are claimed in order, so that the one before is always at work or done */

static gpointer
prepare_prefix_sum (gsize n)
{
  Vectors *self = start (n, contender_ones (n, 1));

  self->z = contender_memory (n * sizeof (float));
  return self;
}

/* Sums of the lanes up to each. */
static inline StreamF4
scan_lanes (StreamF4 v)
{
  static const StreamF4 zero = { 0 };

#if STREAM_BYTES == 64
  v += __builtin_shuffle (zero, v, (StreamI4) { 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30 });
  v += __builtin_shuffle (zero, v, (StreamI4) { 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29 });
  v += __builtin_shuffle (zero, v, (StreamI4) { 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27 });
  v += __builtin_shuffle (zero, v, (StreamI4) { 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23 });
#elif STREAM_BYTES == 32
  v += __builtin_shuffle (zero, v, (StreamI4) { 0, 8, 9, 10, 0, 12, 13, 14 });
  v += __builtin_shuffle (zero, v, (StreamI4) { 0, 0, 8, 9, 0, 0, 12, 13 });
  v += __builtin_shuffle (zero, v, (StreamI4) { 0, 0, 0, 0, 11, 11, 11, 11 });
#else
  v += __builtin_shuffle (zero, v, (StreamI4) { 0, 4, 5, 6 });
  v += __builtin_shuffle (zero, v, (StreamI4) { 0, 0, 4, 5 });
#endif
  return v;
}

static void
scan_tile (float *to, const float *from, gsize n, float before, gboolean past)
{
  StreamF4 carry = before - (StreamF4) { 0 };
  gsize i = 0;

  for (; i + STREAM_LANES <= n; i += STREAM_LANES)
    {
      StreamF4 v = scan_lanes (stream_load (from + i)), sums = v + carry;

      if (past)
        stream_store (to + i, sums);
      else
        memcpy (to + i, &sums, sizeof sums);
      carry += v[STREAM_LANES - 1];
    }
  before = carry[0];
  for (; i < n; i++)
    to[i] = before += from[i];
}

#define SCAN_TILE ((gsize) 32 << 10)

static void
run_prefix_sum (gpointer data)
{
  Vectors *self = data;
  gsize n_tiles = (self->n + SCAN_TILE - 1) / SCAN_TILE;
  gboolean past = self->n * sizeof (float) >= STREAM_MIN_BYTES;
  atomic_size_t next = 0;
  _Atomic gsize done = 0;
  float total = 0;             /* of the tiles that are done */

#pragma omp parallel if (self->n * sizeof (float) >= STREAM_MIN_PARALLEL)
  {
    for (gsize tile = atomic_fetch_add (&next, 1); tile < n_tiles; tile = atomic_fetch_add (&next, 1))
      {
        gsize begin = tile * SCAN_TILE, n = MIN (SCAN_TILE, self->n - begin);
        float own = sum_of (self->x + begin, n), before;

        while (atomic_load_explicit (&done, memory_order_acquire) != tile)
          ;
        before = total;
        total = before + own;
        atomic_store_explicit (&done, tile + 1, memory_order_release);
        scan_tile (self->z + begin, self->x + begin, n, before, past);
      }
    stream_fence ();
  }
}

/* --- segmented sum: every thread takes the segments that end in its tiles, and leaves what it has of the last one to the next */

static gpointer
prepare_sums (gsize n, gboolean skewed)
{
  Vectors *self = start (n, contender_floats (n, 1, 0, 1));

  self->offsets = input_parts (n, skewed, &self->n_segments);
  self->z = contender_memory (self->n_segments * sizeof (float));
  self->y = contender_memory ((n / STREAM_TILE + 1) * sizeof (float));
  return self;
}

static gpointer
prepare_segmented_sum (gsize n)
{
  return prepare_sums (n, TRUE);
}

static gpointer
prepare_even_sum (gsize n)
{
  return prepare_sums (n, FALSE);
}

/* The first segment that ends after @position. */
static gsize
find_segment (const Vectors *self, gint64 position)
{
  gsize low = 0, high = self->n_segments;

  while (low < high)
    {
      gsize middle = (low + high) / 2;

      if (self->offsets[middle + 1] > position)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

static float
sum_of_few (const float *x, gsize n)
{
  float sum = 0;

  if (n >= SUMS)
    return sum_of (x, n);
  for (gsize i = 0; i < n; i++)
    sum += x[i];
  return sum;
}

static void
run_segmented_sum (gpointer data)
{
  Vectors *self = data;
  const gint64 *offsets = self->offsets;

#pragma omp parallel for schedule(dynamic) if (self->n * sizeof (float) >= STREAM_MIN_PARALLEL)
  for (gsize begin = 0; begin < self->n; begin += STREAM_TILE)
    {
      gint64 position = begin, end = MIN (begin + STREAM_TILE, self->n);
      gsize s = find_segment (self, begin);

      for (; s < self->n_segments && offsets[s + 1] <= end; s++)
        {
          self->z[s] = sum_of_few (self->x + position, offsets[s + 1] - position);
          position = offsets[s + 1];
        }
      self->y[begin / STREAM_TILE] = sum_of_few (self->x + position, end - position);
    }

  /* What tiles before had of a segment. */
  for (gsize begin = STREAM_TILE; begin < self->n; begin += STREAM_TILE)
    {
      gsize s = find_segment (self, begin);

      if (offsets[s] >= (gint64) begin)
        continue;
      if (offsets[s + 1] <= (gint64) MIN (begin + STREAM_TILE, self->n))
        self->z[s] += self->y[begin / STREAM_TILE - 1];
      else
        self->y[begin / STREAM_TILE] += self->y[begin / STREAM_TILE - 1];
    }
}

const Work c_vectors[] = {
  { "saxpy", prepare_saxpy, run_saxpy, check_floats, free_vectors },
  { "dot", prepare_dot, run_dot, check_number, free_vectors },
  { "sum", prepare_sum, run_sum, check_number, free_vectors },
  { "moments", prepare_moments, run_moments, check_number, free_vectors },
  { "prefix-sum", prepare_prefix_sum, run_prefix_sum, check_floats, free_vectors },
  { "segmented-sum", prepare_segmented_sum, run_segmented_sum, check_floats, free_vectors },
  { "nested-sum-even", prepare_even_sum, run_segmented_sum, check_floats, free_vectors },
  { "nested-sum-power", prepare_segmented_sum, run_segmented_sum, check_floats, free_vectors },
  { NULL }
};
