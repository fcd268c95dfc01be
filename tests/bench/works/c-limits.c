/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the machine can do: a copy of memory and multiplications with additions, in the same rounds as the contenders. Their
 * check is what one run moves (bytes read and written) or computes (flops). */

#include "c-works.h"
#include "stream.h"

#include <omp.h>
#include <stdlib.h>

typedef struct {
  gsize size;
  char *from, *to;
} Copy;

static gpointer
prepare_copy (gsize size)
{
  Copy *self = g_new (Copy, 1);

  self->size = size;
  self->from = contender_memory (self->size);
  self->to = contender_memory (self->size);
  return self;
}

static void
run_copy (gpointer data)
{
  Copy *self = data;
  gboolean past = self->size >= STREAM_MIN_BYTES;

#pragma omp parallel if (self->size >= STREAM_MIN_PARALLEL)
  {
#pragma omp for schedule(dynamic)
    for (gsize i = 0; i < self->size; i += STREAM_TILE_BYTES)
      stream_copy (self->to + i, self->from + i, MIN (STREAM_TILE_BYTES, self->size - i), past);
    stream_fence ();
  }
}

static double
check_copy (gpointer data)
{
  return 2. * ((Copy *) data)->size;
}

static void
free_copy (gpointer data)
{
  Copy *self = data;

  free (self->from);
  free (self->to);
  g_free (self);
}

/* --- flops in float: more chains than a processor has of them in flight */

#define CHAINS 12
#define STEPS 200000

typedef float Lanes __attribute__ ((vector_size (STREAM_BYTES)));

typedef struct {
  int    n_threads;
  double sum;
} Fma;

static gpointer
prepare_fma (gsize size)
{
  Fma *self = g_new0 (Fma, 1);

  self->n_threads = omp_get_max_threads ();
  return self;
}

static void
run_fma (gpointer data)
{
  Fma *self = data;
  double sum = 0;

#pragma omp parallel reduction(+ : sum)
  {
    Lanes chains[CHAINS], factor, term;

    /* They tend to a number from 1 on: smaller ones become denormal, which some processors take ten times as long for. */
    for (guint k = 0; k < sizeof (Lanes) / sizeof (float); k++)
      factor[k] = 0.999f + 1e-6f * omp_get_thread_num (), term[k] = 1e-3f * (k + 1);
    for (guint c = 0; c < CHAINS; c++)
      chains[c] = factor * (float) c;
    for (guint i = 0; i < STEPS; i++)
#pragma GCC unroll 12
      for (guint c = 0; c < CHAINS; c++)
        chains[c] = chains[c] * factor + term;
    for (guint c = 0; c < CHAINS; c++)
      sum += chains[c][0];
  }
  self->sum = sum;
}

static double
check_fma (gpointer data)
{
  return 2. * CHAINS * STEPS * (sizeof (Lanes) / sizeof (float)) * ((Fma *) data)->n_threads;
}

const Work c_limits[] = {
  { "copy", prepare_copy, run_copy, check_copy, free_copy },
  { "fma", prepare_fma, run_fma, check_fma, g_free },
  { NULL }
};
