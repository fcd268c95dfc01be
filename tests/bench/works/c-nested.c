/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of parts of a vector: threads take some parts at a time, as many as make a tile. */

#include "c-works.h"
#include "inputs.h"
#include "stream.h"

#include <omp.h>
#include <stdlib.h>

typedef struct {
  gsize    n, n_parts;
  gint64  *offsets;
  float   *values, *sums;
  guint32 *keys, *sorted;
  gint64  *places;
} Parts;

static gpointer
prepare_parts (gsize n, gboolean skewed)
{
  Parts *self = g_new0 (Parts, 1);

  self->n = n;
  self->offsets = input_parts (n, skewed, &self->n_parts);
  return self;
}

static void
free_parts (gpointer data)
{
  Parts *self = data;

  free (self->offsets);
  free (self->values);
  free (self->sums);
  free (self->keys);
  free (self->sorted);
  free (self->places);
  g_free (self);
}

/* The first part that begins at @position or behind it. */
static gsize
find_part (const Parts *self, gint64 position)
{
  gsize low = 0, high = self->n_parts;

  while (low < high)
    {
      gsize middle = (low + high) / 2;

      if (self->offsets[middle] >= position)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

/* --- the largest of each: of the parts that begin in a tile */

static gpointer
prepare_largest (gsize n, gboolean skewed)
{
  Parts *self = prepare_parts (n, skewed);

  self->values = contender_floats (n, 1, 0, 1);
  self->places = contender_memory (self->n_parts * sizeof (gint64));
  return self;
}

static gpointer
prepare_largest_even (gsize n)
{
  return prepare_largest (n, FALSE);
}

static gpointer
prepare_largest_power (gsize n)
{
  return prepare_largest (n, TRUE);
}

/* First how large, which vectors find, then where; of few at once. */
static inline gint64
place_of_largest (const float *x, gint64 n)
{
  float largest = x[0];
  gint64 place = 0;

  if (n < 64)
    {
      for (gint64 i = 1; i < n; i++)
        {
          place = x[i] > largest ? i : place;
          largest = MAX (x[i], largest);
        }
      return place;
    }
  for (gint64 i = 1; i < n; i++)
    largest = MAX (x[i], largest);
  while (x[place] != largest)
    place++;
  return place;
}

static void
run_largest (gpointer data)
{
  Parts *self = data;

#pragma omp parallel for schedule(dynamic) if (self->n * sizeof (float) >= STREAM_MIN_PARALLEL)
  for (gsize begin = 0; begin < self->n; begin += STREAM_TILE)
    for (gsize p = find_part (self, begin); p < self->n_parts && self->offsets[p] < (gint64) (begin + STREAM_TILE); p++)
      self->places[p] = place_of_largest (self->values + self->offsets[p], self->offsets[p + 1] - self->offsets[p]);
}

static double
check_places (gpointer data)
{
  Parts *self = data;

  return contender_digest_i8 (self->places, self->n_parts);
}

/* --- sorts: by insertion, by quicksort, and from some length on by three digits of 11 bits, each part by one thread */

#define MOST_INSERTED 24
#define MOST_DIVIDED  1024
#define DIGIT_BITS    11
#define N_DIGITS      (1 << DIGIT_BITS)

static gpointer
prepare_sort (gsize n, gboolean skewed)
{
  Parts *self = prepare_parts (n, skewed);

  self->keys = contender_words (n, 1, 0);
  self->sorted = contender_memory (n * sizeof (guint32));
  return self;
}

static gpointer
prepare_sort_even (gsize n)
{
  return prepare_sort (n, FALSE);
}

static gpointer
prepare_sort_power (gsize n)
{
  return prepare_sort (n, TRUE);
}

static inline void
sort_by_insertion (guint32 *x, gsize n)
{
  for (gsize i = 1; i < n; i++)
    {
      guint32 key = x[i];
      gsize k = i;

      for (; k > 0 && x[k - 1] > key; k--)
        x[k] = x[k - 1];
      x[k] = key;
    }
}

static inline guint32
median (guint32 a, guint32 b, guint32 c)
{
  return MAX (MIN (a, b), MIN (MAX (a, b), c));
}

static void
sort_by_division (guint32 *x, gsize n)
{
  while (n > MOST_INSERTED)
    {
      guint32 pivot = median (x[0], x[n / 2], x[n - 1]);
      gsize i = 0, k = n - 1;

      for (;; i++, k--)
        {
          guint32 first;

          while (x[i] < pivot)
            i++;
          while (x[k] > pivot)
            k--;
          if (i >= k)
            break;
          first = x[i];
          x[i] = x[k];
          x[k] = first;
        }
      sort_by_division (x, k + 1 < n ? k + 1 : n - 1);
      x += k + 1 < n ? k + 1 : n - 1;
      n -= k + 1 < n ? k + 1 : n - 1;
    }
  sort_by_insertion (x, n);
}

static void
sort_by_digits (guint32 *x, guint32 *other, gsize n)
{
  gsize counts[3][N_DIGITS] = { 0 };

  for (gsize i = 0; i < n; i++)
    for (guint d = 0; d < 3; d++)
      counts[d][x[i] >> DIGIT_BITS * d & (N_DIGITS - 1)]++;
  for (guint d = 0; d < 3; d++)
    {
      guint32 *from = d % 2 == 0 ? x : other, *to = d % 2 == 0 ? other : x;
      gsize position = 0;

      for (guint k = 0; k < N_DIGITS; k++)
        {
          gsize counted = counts[d][k];

          counts[d][k] = position;
          position += counted;
        }
      for (gsize i = 0; i < n; i++)
        to[counts[d][from[i] >> DIGIT_BITS * d & (N_DIGITS - 1)]++] = from[i];
    }
  memcpy (x, other, n * sizeof *x);
}

static void
sort_part (guint32 *x, const guint32 *keys, gsize n)
{
  memcpy (x, keys, n * sizeof *x);
  if (n <= MOST_DIVIDED)
    {
      sort_by_division (x, n);
    }
  else
    {
      guint32 *other = malloc (n * sizeof *other);

      sort_by_digits (x, other, n);
      free (other);
    }
}

static void
run_sort (gpointer data)
{
  Parts *self = data;

#pragma omp parallel for schedule(dynamic) if (self->n * sizeof (float) >= STREAM_MIN_PARALLEL)
  for (gsize begin = 0; begin < self->n; begin += STREAM_TILE)
    for (gsize p = find_part (self, begin); p < self->n_parts && self->offsets[p] < (gint64) (begin + STREAM_TILE); p++)
      sort_part (self->sorted + self->offsets[p], self->keys + self->offsets[p], self->offsets[p + 1] - self->offsets[p]);
}

static double
check_sorted (gpointer data)
{
  Parts *self = data;

  return contender_digest_u4 (self->sorted, self->n);
}

/* --- quicksort of one vector: parts of it are tasks */

static gpointer
prepare_quicksort (gsize n)
{
  Parts *self = g_new0 (Parts, 1);

  self->n = n;
  self->keys = contender_words (n, 1, 0);
  self->sorted = contender_memory (n * sizeof (guint32));
  return self;
}

static void
sort_by_tasks (guint32 *x, gsize n)
{
  guint32 pivot;
  gsize i = 0, k = n - 1;

  if (n < STREAM_TILE)
    {
      sort_by_division (x, n);
      return;
    }
  pivot = median (x[0], x[n / 2], x[n - 1]);
  for (;; i++, k--)
    {
      guint32 first;

      while (x[i] < pivot)
        i++;
      while (x[k] > pivot)
        k--;
      if (i >= k)
        break;
      first = x[i];
      x[i] = x[k];
      x[k] = first;
    }
  k = MIN (k + 1, n - 1);
#pragma omp task
  sort_by_tasks (x, k);
  sort_by_tasks (x + k, n - k);
}

static void
run_quicksort (gpointer data)
{
  Parts *self = data;

  memcpy (self->sorted, self->keys, self->n * sizeof (guint32));
#pragma omp parallel if (self->n >= STREAM_TILE)
#pragma omp single
  sort_by_tasks (self->sorted, self->n);
}

/* --- pictures */

typedef struct {
  gsize   n;
  gint64 *rows, *columns, *begins, *shrunk_begins;
  float  *pixels, *shrunk;
} Pictures;

static gpointer
prepare_pictures (gsize n)
{
  Pictures *self = g_new0 (Pictures, 1);
  gsize size = input_picture_sizes (n, &self->rows, &self->columns);

  self->n = n;
  self->pixels = contender_floats (size, 1, 0, 1);
  self->begins = contender_memory ((n + 1) * sizeof (gint64));
  self->shrunk_begins = contender_memory ((n + 1) * sizeof (gint64));
  for (gsize p = 0; p < n; p++)
    {
      self->begins[p + 1] = self->begins[p] + self->rows[p] * self->columns[p];
      self->shrunk_begins[p + 1] = self->shrunk_begins[p] + (self->rows[p] / 2) * (self->columns[p] / 2);
    }
  self->shrunk = contender_memory (self->shrunk_begins[n] * sizeof (float));
  return self;
}

/* Sums of three rows, then of three columns of these; two rows of means at a time. */
static void
blur_and_shrink (const float *restrict from, gint64 rows, gint64 columns, float *restrict to)
{
  float sums[INPUT_MAX_SIDE + 2], means[2][INPUT_MAX_SIDE];

  for (gint64 y = 0; y < rows / 2; y++, to += columns / 2)
    {
      for (gint64 k = 0; k < 2; k++)
        {
          gint64 row = 2 * y + k;
          const float *above = from + MAX (row - 1, 0) * columns, *at = from + row * columns;
          const float *below = from + MIN (row + 1, rows - 1) * columns;

          for (gint64 x = 0; x < columns; x++)
            sums[x + 1] = above[x] + at[x] + below[x];
          sums[0] = sums[1];
          sums[columns + 1] = sums[columns];
          for (gint64 x = 0; x < columns; x++)
            means[k][x] = (sums[x] + sums[x + 1] + sums[x + 2]) * (1.f / 9);
        }
      for (gint64 x = 0; x < columns / 2; x++)
        to[x] = (means[0][2 * x] + means[0][2 * x + 1] + means[1][2 * x] + means[1][2 * x + 1]) * 0.25f;
    }
}

static void
run_pictures (gpointer data)
{
  Pictures *self = data;

#pragma omp parallel for schedule(dynamic, 256)
  for (gsize p = 0; p < self->n; p++)
    blur_and_shrink (self->pixels + self->begins[p], self->rows[p], self->columns[p], self->shrunk + self->shrunk_begins[p]);
}

static double
check_pictures (gpointer data)
{
  Pictures *self = data;

  return contender_digest_f4 (self->shrunk, self->shrunk_begins[self->n]);
}

static void
free_pictures (gpointer data)
{
  Pictures *self = data;

  free (self->rows);
  free (self->columns);
  free (self->begins);
  free (self->shrunk_begins);
  free (self->pixels);
  free (self->shrunk);
  g_free (self);
}

const Work c_nested[] = {
  { "nested-argmax-even", prepare_largest_even, run_largest, check_places, free_parts },
  { "nested-argmax-power", prepare_largest_power, run_largest, check_places, free_parts },
  { "nested-sort-even", prepare_sort_even, run_sort, check_sorted, free_parts },
  { "nested-sort-power", prepare_sort_power, run_sort, check_sorted, free_parts },
  { "nested-quicksort", prepare_quicksort, run_quicksort, check_sorted, free_parts },
  { "nested-pictures", prepare_pictures, run_pictures, check_pictures, free_pictures },
  { NULL }
};
