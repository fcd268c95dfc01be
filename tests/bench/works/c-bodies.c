/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How all bodies pull at each other, as in demos/n-body but in float: vectors of bodies against one other after the other. */

#include "c-works.h"
#include "inputs.h"
#include "lanes.h"
#include "n-body.h"

#include <stdlib.h>

enum { AT_ONCE = 2 };

typedef struct {
  gsize  n, padded;
  float *position[3], *mass, *pull[3];
} Cloud;

static void
pull (Cloud *c, gsize first)
{
  StreamF4 at[3][AT_ONCE], sum[3][AT_ONCE];

  for (int d = 0; d < 3; d++)
    for (int k = 0; k < AT_ONCE; k++)
      {
        at[d][k] = stream_load (c->position[d] + first + k * STREAM_LANES);
        sum[d][k] = (StreamF4) { 0 };
      }

  for (gsize j = 0; j < c->n; j++)
#pragma GCC unroll 4
    for (int k = 0; k < AT_ONCE; k++)
      {
        StreamF4 x = c->position[0][j] - at[0][k], y = c->position[1][j] - at[1][k], z = c->position[2][j] - at[2][k];
        StreamF4 inverse = lanes_reciprocal_root (x * x + (y * y + (z * z + (float) (SOFTENING * SOFTENING))));
        StreamF4 strength = (c->mass[j] * inverse) * (inverse * inverse);

        sum[0][k] += x * strength;
        sum[1][k] += y * strength;
        sum[2][k] += z * strength;
      }

  for (int d = 0; d < 3; d++)
    memcpy (c->pull[d] + first, sum[d], sizeof sum[d]);
}

static void
run (gpointer data)
{
  Cloud *c = data;

#pragma omp parallel for schedule(dynamic)
  for (gsize first = 0; first < c->n; first += AT_ONCE * STREAM_LANES)
    pull (c, first);
}

/* --- works */

static float *
padded (float *values, gsize n, gsize n_padded)
{
  float *copy = contender_memory (n_padded * sizeof *copy);

  memcpy (copy, values, n * sizeof *copy);
  free (values);
  return copy;
}

static gpointer
prepare (gsize n)
{
  Cloud *c = g_new (Cloud, 1);

  c->n = n;
  c->padded = (n + AT_ONCE * STREAM_LANES - 1) / (AT_ONCE * STREAM_LANES) * (AT_ONCE * STREAM_LANES);
  for (int d = 0; d < 3; d++)
    {
      c->position[d] = padded (contender_floats (n, d + 1, -1, 1), n, c->padded);
      c->pull[d] = contender_memory (c->padded * sizeof (float));
    }
  c->mass = contender_floats (n, 4, 0.5 / n, 1.5 / n);
  return c;
}

static double
check (gpointer data)
{
  Cloud *c = data;

  return input_digest_squares ((const float * const *) c->pull, 3, c->n);
}

static void
cloud_free (gpointer data)
{
  Cloud *c = data;

  for (int d = 0; d < 3; d++)
    {
      free (c->position[d]);
      free (c->pull[d]);
    }
  free (c->mass);
  g_free (c);
}

const Work c_bodies[] = {
  { "n-body", prepare, run, check, cloud_free },
  { "seq-n-body", prepare, run, check, cloud_free },
  { NULL },
};
