/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Black-Scholes as in demos/black-scholes: call and put of n options, with polynomials that the compiler can inline. */

#include "c-works.h"
#include "inputs.h"
#include "polynomials.h"
#include "stream.h"

#include <stdlib.h>

enum { BLOCK = 1024 };

typedef struct {
  gsize  n;
  float *spot, *strike, *years, *call, *put;
} Options;

/* Abramowitz and Stegun 26.2.17 */
static inline float
normal_cdf (float x)
{
  float k = 1 / (1 + 0.2316419f * fabsf (x));
  float p = ((((1.330274429f * k - 1.821255978f) * k + 1.781477937f) * k - 0.356563782f) * k + 0.319381530f) * k;
  float tail = 0.39894228f * fast_exp (-0.5f * x * x) * p;

  return x < 0 ? tail : 1 - tail;
}

static void
value_block (const Options *o, gsize first, gsize n, float *restrict call, float *restrict put)
{
  const float *restrict spot = o->spot + first, *restrict strike = o->strike + first, *restrict years = o->years + first;
  const float rate = OPTIONS_RATE, volatility = OPTIONS_VOLATILITY;

#pragma omp simd
  for (gsize i = 0; i < n; i++)
    {
      float spread = volatility * sqrtf (years[i]);
      float d1 = (fast_log (spot[i] / strike[i]) + (rate + volatility * volatility / 2) * years[i]) / spread;
      float above1 = normal_cdf (d1), above2 = normal_cdf (d1 - spread);
      float discounted = strike[i] * fast_exp (-rate * years[i]);

      call[i] = spot[i] * above1 - discounted * above2;
      put[i] = discounted * (1 - above2) - spot[i] * (1 - above1);
    }
}

static void
run (gpointer data)
{
  Options *o = data;
  gboolean past = o->n * sizeof (float) >= STREAM_MIN_BYTES;

#pragma omp parallel for schedule(static)
  for (gsize first = 0; first < o->n; first += BLOCK)
    {
      float call[BLOCK] __attribute__ ((aligned (64))), put[BLOCK] __attribute__ ((aligned (64)));
      gsize n = MIN (BLOCK, o->n - first);

      value_block (o, first, n, call, put);
      stream_copy ((char *) (o->call + first), (char *) call, n * sizeof (float), past);
      stream_copy ((char *) (o->put + first), (char *) put, n * sizeof (float), past);
      stream_fence ();
    }
}

/* --- works */

static gpointer
prepare (gsize n)
{
  Options *o = g_new (Options, 1);

  o->n = n;
  o->spot = contender_floats (n, 1, 5, 30);
  o->strike = contender_floats (n, 2, 1, 100);
  o->years = contender_floats (n, 3, 0.25, 10);
  o->call = contender_memory (n * sizeof (float));
  o->put = contender_memory (n * sizeof (float));
  return o;
}

static double
check (gpointer data)
{
  Options *o = data;

  return contender_digest_f4 (o->call, o->n) + contender_digest_f4 (o->put, o->n);
}

static void
options_free (gpointer data)
{
  Options *o = data;

  free (o->spot);
  free (o->strike);
  free (o->years);
  free (o->call);
  free (o->put);
  g_free (o);
}

const Work c_options[] = {
  { "black-scholes", prepare, run, check, options_free },
  { NULL },
};
