/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* softmax (Q Kᵀ / √d) V by an online softmax over blocks of keys (Dao et al., 2022), as in demos/flash-attention. Both
 * products are made of tiles whose sums stay in registers. */

#include "c-works.h"
#include "inputs.h"
#include "polynomials.h"
#include "stream.h"

#include <stdlib.h>

enum {
  DEPTH = ATTENTION_DEPTH,
  KEYS = 128,                           /* of a block: with their values they fit in the second cache */
  TILE_ROWS = 6,
  TILE_COLUMNS = 2 * STREAM_LANES,
  QUERIES = 16 * TILE_ROWS,             /* that go over a block at once */
};

typedef struct {
  gsize  n, n_queries, n_keys;          /* the latter two: rounded up */
  float *q, *k, *v, *output;
  float *columns;                       /* K, transposed in panels of TILE_COLUMNS keys */
} Attention;

typedef struct {
  float score[QUERIES][KEYS] __attribute__ ((aligned (64)));
  float output[QUERIES][DEPTH] __attribute__ ((aligned (64)));
  float largest[QUERIES], sum[QUERIES];
} Block;

/* TILE_ROWS × TILE_COLUMNS of C, plus A B if @add or else A B */
static inline void
multiply_tile (const float *a, gsize row_a, const float *b, gsize row_b, float *c, gsize row_c, int depth, gboolean add)
{
  StreamF4 left[TILE_ROWS], right[TILE_ROWS];

#pragma GCC unroll 6
  for (int r = 0; r < TILE_ROWS; r++)
    {
      left[r] = add ? stream_load (c + r * row_c) : (StreamF4) { 0 };
      right[r] = add ? stream_load (c + r * row_c + STREAM_LANES) : (StreamF4) { 0 };
    }

  for (int i = 0; i < depth; i++)
    {
      StreamF4 b_left = stream_load (b + i * row_b), b_right = stream_load (b + i * row_b + STREAM_LANES);

#pragma GCC unroll 6
      for (int r = 0; r < TILE_ROWS; r++)
        {
          left[r] += a[r * row_a + i] * b_left;
          right[r] += a[r * row_a + i] * b_right;
        }
    }

#pragma GCC unroll 6
  for (int r = 0; r < TILE_ROWS; r++)
    {
      memcpy (c + r * row_c, &left[r], sizeof left[r]);
      memcpy (c + r * row_c + STREAM_LANES, &right[r], sizeof right[r]);
    }
}

/* Scores of a row become weights; the sum and the output so far shrink as the largest score grows. */
static void
weigh (Block *block, int row, int n_keys)
{
  float *restrict score = block->score[row], *restrict output = block->output[row];
  float largest = block->largest[row], sum = 0, shrink;

#pragma omp simd reduction(max : largest)
  for (int j = 0; j < n_keys; j++)
    largest = score[j] > largest ? score[j] : largest;

  for (int j = n_keys; j < KEYS; j++)
    score[j] = -G_MAXFLOAT;

#pragma omp simd reduction(+ : sum)
  for (int j = 0; j < KEYS; j++)
    {
      score[j] = j < n_keys ? fast_exp (score[j] - largest) : 0;
      sum += score[j];
    }

  shrink = fast_exp (block->largest[row] - largest);
  block->sum[row] = block->sum[row] * shrink + sum;
  block->largest[row] = largest;
  if (shrink < 1)
    for (int c = 0; c < DEPTH; c++)
      output[c] *= shrink;
}

static void
attend (const Attention *a, gsize first_query, Block *block)
{
  for (int row = 0; row < QUERIES; row++)
    {
      block->largest[row] = -G_MAXFLOAT;
      block->sum[row] = 0;
      memset (block->output[row], 0, sizeof block->output[row]);
    }

  for (gsize first = 0; first < a->n_keys; first += KEYS)
    for (int row = 0; row < QUERIES; row += TILE_ROWS)
      {
        for (gsize key = 0; key < KEYS; key += TILE_COLUMNS)
          multiply_tile (a->q + (first_query + row) * DEPTH, DEPTH, a->columns + (first + key) * DEPTH, TILE_COLUMNS,
                         &block->score[row][key], KEYS, DEPTH, FALSE);
        for (int r = row; r < row + TILE_ROWS; r++)
          weigh (block, r, MIN (KEYS, a->n - first));
        for (int column = 0; column < DEPTH; column += TILE_COLUMNS)
          multiply_tile (block->score[row], KEYS, a->v + first * DEPTH + column, DEPTH, &block->output[row][column], DEPTH,
                         KEYS, TRUE);
      }

  for (gsize row = 0; row < QUERIES && first_query + row < a->n; row++)
    for (int c = 0; c < DEPTH; c++)
      a->output[(first_query + row) * DEPTH + c] = block->output[row][c] / block->sum[row];
}

static void
run (gpointer data)
{
  Attention *a = data;

#pragma omp parallel
  {
    Block *block = contender_memory (sizeof *block);

#pragma omp for schedule(static)
    for (gsize panel = 0; panel < a->n_keys / TILE_COLUMNS; panel++)
      for (int c = 0; c < DEPTH; c++)
        for (int key = 0; key < TILE_COLUMNS; key++)
          a->columns[(panel * DEPTH + c) * TILE_COLUMNS + key] = a->k[(panel * TILE_COLUMNS + key) * DEPTH + c];

#pragma omp for schedule(dynamic)
    for (gsize first = 0; first < a->n_queries; first += QUERIES)
      attend (a, first, block);

    free (block);
  }
}

/* --- works */

/* Rows behind the last are 0. */
static float *
matrix_new (gsize n, gsize n_rows, guint32 seed, float most)
{
  float *rows = contender_memory (n_rows * DEPTH * sizeof *rows), *numbers = contender_floats (n * DEPTH, seed, -most, most);

  memcpy (rows, numbers, n * DEPTH * sizeof *rows);
  free (numbers);
  return rows;
}

static gpointer
prepare (gsize n)
{
  Attention *a = g_new (Attention, 1);

  a->n = n;
  a->n_queries = (n + QUERIES - 1) / QUERIES * QUERIES;
  a->n_keys = (n + KEYS - 1) / KEYS * KEYS;
  a->q = matrix_new (n, a->n_queries, 1, 8);
  a->k = matrix_new (n, a->n_keys, 2, 1);
  a->v = matrix_new (n, a->n_keys, 3, 1);
  a->columns = contender_memory (a->n_keys * DEPTH * sizeof (float));
  a->output = contender_memory (n * DEPTH * sizeof (float));
  for (gsize i = 0; i < n * DEPTH; i++)
    a->q[i] /= sqrtf (DEPTH);
  return a;
}

static double
check (gpointer data)
{
  Attention *a = data;

  return input_digest_squares ((const float * const *) &a->output, 1, a->n * DEPTH);
}

static void
attention_free (gpointer data)
{
  Attention *a = data;

  free (a->q);
  free (a->k);
  free (a->v);
  free (a->columns);
  free (a->output);
  g_free (a);
}

const Work c_attention[] = {
  { "attention", prepare, run, check, attention_free },
  { NULL },
};
