/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Radix sort of keys, and of keys with values: from the least digit on, out of place. Threads take parts, count their digits and
 * write where they belong; what belongs to one line of the cache is collected and written as a line.
 *
 * Sums by keys: one such pass by the highest digit, after which a thread takes the keys of one and sums what goes there in its cache. */

#include "c-works.h"
#include "stream.h"

#include <omp.h>
#include <stdlib.h>

#define DIGIT_BITS 8
#define N_DIGITS (1 << DIGIT_BITS)
#define N_PASSES (32 / DIGIT_BITS)
#define LINE 16                       /* keys in a line of the cache */
#define MAX_PARTS 64

typedef struct {
  guint32 lines[N_DIGITS][LINE] __attribute__ ((aligned (64)));
  guint32 values[N_DIGITS][LINE] __attribute__ ((aligned (64)));
  gsize   ends[N_DIGITS];
} Buckets;

typedef struct {
  gsize    n;
  guint32 *keys, *values;             /* what is given; @values: or NULL */
  guint32 *sorted[2], *sorted_values[2];
  gsize  (*starts)[N_DIGITS];         /* per part; first how many there are */
  Buckets *buckets;                   /* per thread */
  float   *sums;
  gsize    n_sums;
} Sort;

static gpointer
prepare (gsize n, gboolean pairs)
{
  Sort *self = g_new0 (Sort, 1);

  self->n = n;
  self->keys = contender_words (n, 1, 0);
  self->values = pairs ? contender_words (n, 2, 0) : NULL;
  for (guint k = 0; k < 2; k++)
    {
      self->sorted[k] = contender_memory (n * sizeof (guint32));
      self->sorted_values[k] = pairs ? contender_memory (n * sizeof (guint32)) : NULL;
    }
  self->starts = contender_memory (MAX_PARTS * sizeof *self->starts);
  self->buckets = contender_memory (omp_get_max_threads () * sizeof (Buckets));
  return self;
}

static gpointer
prepare_sort (gsize n)
{
  return prepare (n, FALSE);
}

static gpointer
prepare_sort_pairs (gsize n)
{
  return prepare (n, TRUE);
}

static inline void
write_line (guint32 *to, const guint32 *line)
{
  for (guint k = 0; k < LINE; k += STREAM_LANES)
    stream_store (to + k, stream_load ((const float *) (line + k)));
}

/* The line before @position; what of it belongs to others is left. */
static inline void
flush (guint32 *to, const guint32 *line, gsize position, gsize start)
{
  gsize first = (position - 1) / LINE * LINE;

  if (position - first == LINE && first >= start)
    write_line (to + first, line);
  else
    for (gsize i = MAX (first, start); i < position; i++)
      to[i] = line[i % LINE];
}

static void
count (gsize *counts, const guint32 *keys, gsize n, guint shift)
{
  gsize tables[4][N_DIGITS] = { 0 }, i = 0;

  for (; i + 4 <= n; i += 4)
    for (guint k = 0; k < 4; k++)
      tables[k][keys[i + k] >> shift & (N_DIGITS - 1)]++;
  for (; i < n; i++)
    tables[0][keys[i] >> shift & (N_DIGITS - 1)]++;
  for (guint d = 0; d < N_DIGITS; d++)
    counts[d] = tables[0][d] + tables[1][d] + tables[2][d] + tables[3][d];
}

static inline void
scatter (Buckets *b, const gsize *starts, const guint32 *keys, const guint32 *values, gsize n, guint shift, guint32 *to, guint32 *to_values)
{
  memcpy (b->ends, starts, sizeof b->ends);
  for (gsize i = 0; i < n; i++)
    {
      guint32 digit = keys[i] >> shift & (N_DIGITS - 1);
      gsize position = b->ends[digit]++;

      b->lines[digit][position % LINE] = keys[i];
      if (values != NULL)
        b->values[digit][position % LINE] = values[i];
      if (position % LINE == LINE - 1)
        {
          flush (to, b->lines[digit], position + 1, starts[digit]);
          if (values != NULL)
            flush (to_values, b->values[digit], position + 1, starts[digit]);
        }
    }
  for (guint d = 0; d < N_DIGITS; d++)
    if (b->ends[d] % LINE != 0 && b->ends[d] > starts[d])
      {
        flush (to, b->lines[d], b->ends[d], starts[d]);
        if (values != NULL)
          flush (to_values, b->values[d], b->ends[d], starts[d]);
      }
  stream_fence ();
}

/* By all threads together. */
static void
run_pass (Sort *self, gsize n_parts, const guint32 *from, const guint32 *from_values, guint shift, guint32 *to, guint32 *to_values)
{
  gsize part = (self->n + n_parts - 1) / n_parts;

#pragma omp for schedule(dynamic)
  for (gsize p = 0; p < n_parts; p++)
    count (self->starts[p], from + p * part, MIN (part, self->n - p * part), shift);
#pragma omp single
  {
    gsize position = 0;

    for (guint d = 0; d < N_DIGITS; d++)
      for (gsize p = 0; p < n_parts; p++)
        {
          gsize counted = self->starts[p][d];

          self->starts[p][d] = position;
          position += counted;
        }
  }
#pragma omp for schedule(dynamic)
  for (gsize p = 0; p < n_parts; p++)
    if (from_values != NULL)
      scatter (self->buckets + omp_get_thread_num (), self->starts[p], from + p * part, from_values + p * part,
               MIN (part, self->n - p * part), shift, to, to_values);
    else
      scatter (self->buckets + omp_get_thread_num (), self->starts[p], from + p * part, NULL, MIN (part, self->n - p * part), shift, to,
               NULL);
}

static gsize
count_parts (const Sort *self)
{
  return self->n >= 1 << 14 ? MIN (4 * omp_get_max_threads (), MAX_PARTS) : 1;
}

static void
run (gpointer data)
{
  Sort *self = data;
  gsize n_parts = count_parts (self);

#pragma omp parallel if (n_parts > 1)
  for (guint pass = 0; pass < N_PASSES; pass++)
    run_pass (self, n_parts, pass == 0 ? self->keys : self->sorted[(pass + 1) % 2],
              pass == 0 ? self->values : self->sorted_values[(pass + 1) % 2], pass * DIGIT_BITS, self->sorted[pass % 2],
              self->sorted_values[pass % 2]);
}

static double
check (gpointer data)
{
  Sort *self = data;
  guint last = (N_PASSES - 1) % 2;
  double digest = contender_digest_u4 (self->sorted[last], self->n);

  return self->values != NULL ? digest + contender_digest_u4 (self->sorted_values[last], self->n) : digest;
}

static void
free_sort (gpointer data)
{
  Sort *self = data;

  free (self->keys);
  free (self->values);
  for (guint k = 0; k < 2; k++)
    {
      free (self->sorted[k]);
      free (self->sorted_values[k]);
    }
  free (self->starts);
  free (self->buckets);
  free (self->sums);
  g_free (self);
}

/* --- sums by keys below n */

static gpointer
prepare_sum_by_keys (gsize n)
{
  Sort *self = g_new0 (Sort, 1);

  self->n = n;
  self->keys = contender_words (n, 2, n);
  self->values = (guint32 *) contender_floats (n, 1, 0, 1);
  self->sorted[0] = contender_memory (n * sizeof (guint32));
  self->sorted_values[0] = contender_memory (n * sizeof (guint32));
  self->starts = contender_memory (MAX_PARTS * sizeof *self->starts);
  self->buckets = contender_memory (omp_get_max_threads () * sizeof (Buckets));
  self->sums = contender_memory (n * sizeof (float));
  return self;
}

static inline void
sum_up (float *sums, const guint32 *keys, const float *values, gsize n)
{
  for (gsize i = 0; i < n; i++)
    sums[keys[i]] += values[i];
}

/* What the caches keep one thread sums up as quickly as a few can spread it. */
#define LEAST_SPREAD      (1 << 22)
#define LEAST_BY_MANY     (1 << 16)
#define MANY_THREADS      4

static void
run_sum_by_keys (gpointer data)
{
  Sort *self = data;
  gsize n = self->n, n_parts = count_parts (self);
  guint shift = 0;

  if (n < (omp_get_max_threads () >= MANY_THREADS ? LEAST_BY_MANY : LEAST_SPREAD))
    {
      memset (self->sums, 0, n * sizeof (float));
      sum_up (self->sums, self->keys, (const float *) self->values, n);
      return;
    }

  while ((n - 1) >> shift >= N_DIGITS)
    shift++;
#pragma omp parallel
  {
    run_pass (self, n_parts, self->keys, self->values, shift, self->sorted[0], self->sorted_values[0]);
#pragma omp for schedule(dynamic)
    for (gsize d = 0; d < N_DIGITS; d++)
      {
        gsize begin = MIN (d << shift, n), end = MIN ((d + 1) << shift, n), first = self->starts[0][d];
        gsize last = d + 1 < N_DIGITS ? self->starts[0][d + 1] : n;

        memset (self->sums + begin, 0, (end - begin) * sizeof (float));
        sum_up (self->sums, self->sorted[0] + first, (const float *) self->sorted_values[0] + first, last - first);
      }
  }
}

static double
check_sums (gpointer data)
{
  Sort *self = data;

  return contender_digest_f4 (self->sums, self->n);
}

/* --- groups by key: sorted pairs, sums of runs; every thread those that begin in its share */

static gpointer
prepare_group_sums (gsize n)
{
  Sort *self = prepare (n, TRUE);
  float *values = contender_floats (n, 2, 0, 1);

  free (self->keys);
  free (self->values);
  self->keys = contender_words (n, 1, MAX (n / 16, 1));
  self->values = (guint32 *) values;
  self->sums = contender_memory (n * sizeof (float));
  return self;
}

static void
sum_runs (Sort *self, gsize begin, gsize end, gsize group)
{
  const guint32 *keys = self->sorted[(N_PASSES - 1) % 2];
  const float *values = (const float *) self->sorted_values[(N_PASSES - 1) % 2];

  while (begin > 0 && begin < self->n && keys[begin] == keys[begin - 1])
    begin++;
  while (begin < end)
    {
      float sum = 0;
      guint32 key = keys[begin];

      for (; begin < self->n && keys[begin] == key; begin++)
        sum += values[begin];
      self->sums[group++] = sum;
    }
}

static void
run_group_sums (gpointer data)
{
  Sort *self = data;
  const guint32 *keys = self->sorted[(N_PASSES - 1) % 2];
  gsize begun[MAX_PARTS + 1] = { 0 }, n_parts = count_parts (self), part = (self->n + n_parts - 1) / n_parts;

  run (self);
#pragma omp parallel if (n_parts > 1)
  {
#pragma omp for
    for (gsize p = 0; p < n_parts; p++)
      for (gsize i = p * part; i < MIN ((p + 1) * part, self->n); i++)
        begun[p + 1] += i == 0 || keys[i] != keys[i - 1];
#pragma omp single
    for (gsize p = 0; p < n_parts; p++)
      begun[p + 1] += begun[p];
#pragma omp for
    for (gsize p = 0; p < n_parts; p++)
      sum_runs (self, MIN (p * part, self->n), MIN ((p + 1) * part, self->n), begun[p]);
  }
  self->n_sums = begun[n_parts];
}

static double
check_group_sums (gpointer data)
{
  Sort *self = data;

  return contender_digest_f4 (self->sums, self->n_sums);
}

const Work c_sorts[] = {
  { "nested-group-sums", prepare_group_sums, run_group_sums, check_group_sums, free_sort },
  { "sum-by-keys", prepare_sum_by_keys, run_sum_by_keys, check_sums, free_sort },
  { "sort", prepare_sort, run, check, free_sort },
  { "sort-pairs", prepare_sort_pairs, run, check, free_sort },
  { NULL }
};
