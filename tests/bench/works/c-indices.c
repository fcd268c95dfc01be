/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "c-works.h"
#include "inputs.h"
#include "stream.h"

#include <omp.h>
#include <stdlib.h>

typedef struct {
  gsize    n, n_rows, n_bins;
  guint8  *bytes;
  guint32 *indices;
  float   *values, *vector, *out;
  gint64  *rows, *counts;
} Indexed;

static void
free_indexed (gpointer data)
{
  Indexed *self = data;

  free (self->bytes);
  free (self->indices);
  free (self->values);
  free (self->vector);
  free (self->out);
  free (self->rows);
  free (self->counts);
  g_free (self);
}

static double
check_floats (gpointer data)
{
  Indexed *self = data;

  return contender_digest_f4 (self->out, self->rows != NULL ? self->n_rows : self->n);
}

/* --- histograms: tables of a thread's own, of small counts; of bytes eight, for one that was just counted up is not read again
 *     before it is written */

static double
check_counts (gpointer data)
{
  Indexed *self = data;

  return contender_digest_i8 (self->counts, self->n_bins);
}

static gpointer
prepare_histogram_u1 (gsize n)
{
  Indexed *self = g_new0 (Indexed, 1);

  self->n = n;
  self->n_bins = 256;
  self->bytes = contender_bytes (n, 1);
  self->counts = contender_memory (self->n_bins * sizeof (gint64));
  return self;
}

#define BYTE_TABLES 8

static void
run_histogram_u1 (gpointer data)
{
  Indexed *self = data;

  memset (self->counts, 0, self->n_bins * sizeof *self->counts);
#pragma omp parallel if (self->n >= STREAM_MIN_PARALLEL)
  {
    guint32 tables[BYTE_TABLES][256] = { 0 };

#pragma omp for schedule(dynamic) nowait
    for (gsize begin = 0; begin < self->n; begin += STREAM_TILE_BYTES)
      {
        gsize end = MIN (begin + STREAM_TILE_BYTES, self->n), i = begin;

        for (; i + 8 <= end; i += 8)
          {
            guint64 eight;

            memcpy (&eight, self->bytes + i, 8);
            for (guint k = 0; k < BYTE_TABLES; k++)
              tables[k][eight >> 8 * k & 255]++;
          }
        for (; i < end; i++)
          tables[0][self->bytes[i]]++;
      }
#pragma omp critical
    for (guint b = 0; b < 256; b++)
      for (guint k = 0; k < BYTE_TABLES; k++)
        self->counts[b] += tables[k][b];
  }
}

static gpointer
prepare_histogram_u4 (gsize n)
{
  Indexed *self = g_new0 (Indexed, 1);

  self->n = n;
  self->n_bins = 1 << 16;
  self->indices = contender_words (n, 1, self->n_bins);
  self->counts = contender_memory (self->n_bins * sizeof (gint64));
  self->out = contender_memory (self->n_bins * sizeof (guint32) * omp_get_max_threads ());
  return self;
}

static void
run_histogram_u4 (gpointer data)
{
  Indexed *self = data;
  guint32 *tables = (guint32 *) self->out;
  gsize n_tables = 1;

#pragma omp parallel if (self->n * sizeof (guint32) >= STREAM_MIN_PARALLEL)
  {
    guint32 *own = tables + self->n_bins * omp_get_thread_num ();

    memset (own, 0, self->n_bins * sizeof *own);
#pragma omp single
    n_tables = omp_get_num_threads ();
#pragma omp for schedule(dynamic)
    for (gsize begin = 0; begin < self->n; begin += STREAM_TILE)
      {
        gsize end = MIN (begin + STREAM_TILE, self->n);

        for (gsize i = begin; i < end; i++)
          own[self->indices[i]]++;
      }
#pragma omp for schedule(static)
    for (gsize b = 0; b < self->n_bins; b++)
      {
        self->counts[b] = 0;
        for (gsize t = 0; t < n_tables; t++)
          self->counts[b] += tables[t * self->n_bins + b];
      }
  }
}

/* --- gather */

static gpointer
prepare_gather (gsize n)
{
  Indexed *self = g_new0 (Indexed, 1);

  self->n = n;
  self->values = contender_floats (n, 1, 0, 1);
  self->indices = contender_words (n, 2, n);
  self->out = contender_memory (n * sizeof (float));
  return self;
}

/* How far ahead lines are asked for. */
#define AHEAD 64

static void
run_gather (gpointer data)
{
  Indexed *self = data;
  const guint32 *restrict indices = self->indices;
  const float *restrict values = self->values;
  float *restrict out = self->out;
  gsize n = self->n;

#pragma omp parallel for schedule(dynamic) if (n * sizeof (float) >= STREAM_MIN_PARALLEL)
  for (gsize begin = 0; begin < n; begin += STREAM_TILE / 4)
    {
      gsize end = MIN (begin + STREAM_TILE / 4, n), i = begin;

      for (; i + AHEAD < end; i++)
        {
          __builtin_prefetch (values + indices[i + AHEAD]);
          out[i] = values[indices[i]];
        }
      for (; i < end; i++)
        out[i] = values[indices[i]];
    }
}

/* --- sparse matrix, by rows, times a vector */

static gpointer
prepare_sparse_product (gsize n_rows)
{
  Indexed *self = g_new0 (Indexed, 1);

  self->n_rows = n_rows;
  self->rows = contender_rows (n_rows);
  self->n = self->rows[n_rows];
  self->values = contender_floats (self->n, 1, 0, 1);
  self->indices = contender_words (self->n, 2, n_rows);
  self->vector = contender_floats (n_rows, 3, 0, 1);
  self->out = contender_memory (n_rows * sizeof (float));
  return self;
}

static void
run_sparse_product (gpointer data)
{
  Indexed *self = data;
  const gint64 *restrict rows = self->rows;
  const guint32 *restrict columns = self->indices;
  const float *restrict values = self->values, *restrict vector = self->vector;
  gsize last = self->n > AHEAD ? self->n - AHEAD : 0;

#pragma omp parallel for schedule(dynamic, 1024) if (self->n * sizeof (float) >= STREAM_MIN_PARALLEL)
  for (gsize r = 0; r < self->n_rows; r++)
    {
      float sum = 0;

      if (rows[r + 1] <= (gint64) last)
        for (gint64 i = rows[r]; i < rows[r + 1]; i++)
          {
            __builtin_prefetch (vector + columns[i + AHEAD]);
            sum += values[i] * vector[columns[i]];
          }
      else
        for (gint64 i = rows[r]; i < rows[r + 1]; i++)
          sum += values[i] * vector[columns[i]];
      self->out[r] = sum;
    }
}

/* --- PageRank: .values are ranks, .vector what each page gives to those that it links to */

static gpointer
prepare_pagerank (gsize n)
{
  Indexed *self = g_new0 (Indexed, 1);

  self->n_rows = n;
  self->rows = contender_rows (n);
  self->n = self->rows[n];
  self->indices = contender_words (self->n, 2, n);
  self->values = input_out_links (self->indices, self->n, n);
  self->vector = contender_memory (n * sizeof (float));
  self->out = contender_memory (n * sizeof (float));
  return self;
}

static void
run_pagerank (gpointer data)
{
  Indexed *self = data;
  const gint64 *restrict rows = self->rows;
  const guint32 *restrict sources = self->indices;
  float *restrict shares = self->vector, *restrict ranks = self->out;
  gsize last = self->n > AHEAD ? self->n - AHEAD : 0;

  for (gsize r = 0; r < self->n_rows; r++)
    ranks[r] = 1.f / (float) self->n_rows;
  for (guint round = 0; round < PAGERANK_ROUNDS; round++)
    {
#pragma omp parallel for if (self->n * sizeof (float) >= STREAM_MIN_PARALLEL)
      for (gsize r = 0; r < self->n_rows; r++)
        shares[r] = ranks[r] / self->values[r];

#pragma omp parallel for schedule(dynamic, 1024) if (self->n * sizeof (float) >= STREAM_MIN_PARALLEL)
      for (gsize r = 0; r < self->n_rows; r++)
        {
          float sum = 0;

          for (gint64 i = rows[r]; i < rows[r + 1]; i++)
            {
              if (i < (gint64) last)
                __builtin_prefetch (shares + sources[i + AHEAD]);
              sum += shares[sources[i]];
            }
          ranks[r] = sum * PAGERANK_DAMPING + (1 - PAGERANK_DAMPING) / (float) self->n_rows;
        }
    }
}

const Work c_indices[] = {
  { "histogram-u1", prepare_histogram_u1, run_histogram_u1, check_counts, free_indexed },
  { "histogram-u4", prepare_histogram_u4, run_histogram_u4, check_counts, free_indexed },
  { "gather", prepare_gather, run_gather, check_floats, free_indexed },
  { "sparse-product", prepare_sparse_product, run_sparse_product, check_floats, free_indexed },
  { "nested-sparse-product", prepare_sparse_product, run_sparse_product, check_floats, free_indexed },
  { "seq-sparse-product", prepare_sparse_product, run_sparse_product, check_floats, free_indexed },
  { "seq-pagerank", prepare_pagerank, run_pagerank, check_floats, free_indexed },
  { NULL }
};
