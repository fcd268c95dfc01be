/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The same without acc, to compare with. */

#include "fluid.h"

#include <glib.h>
#include <math.h>

#define AT(field, y, x) (field)[((y) + n) % n * n + ((x) + n) % n]

static void
solve (float *x, const float *b, float neighbours, float centre, int rounds, int n)
{
  g_autofree float *next = g_new (float, n * n);

  for (int round = 0; round < rounds; round++)
    {
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          {
            float sum = AT (x, i - 1, j) + AT (x, i + 1, j) + (AT (x, i, j - 1) + AT (x, i, j + 1));

            AT (next, i, j) = (AT (b, i, j) + neighbours * sum) / centre;
          }
      for (int i = 0; i < n * n; i++)
        x[i] = next[i];
    }
}

static void
diffuse (float *field, int n)
{
  g_autofree float *before = g_memdup2 (field, n * n * sizeof *field);

  solve (field, before, TIME_STEP * VISCOSITY, 1 + 4 * TIME_STEP * VISCOSITY, DIFFUSION_ROUNDS, n);
}

static void
advect (float *field, const float *u, const float *v, int n)
{
  g_autofree float *before = g_memdup2 (field, n * n * sizeof *field);

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      {
        float y = i - TIME_STEP * AT (v, i, j), x = j - TIME_STEP * AT (u, i, j);
        int top = ((int) floorf (y) % n + n) % n, left = ((int) floorf (x) % n + n) % n;
        float down = y - floorf (y), right = x - floorf (x);

        AT (field, i, j) = (1 - down) * ((1 - right) * AT (before, top, left) + right * AT (before, top, left + 1))
                           + down * ((1 - right) * AT (before, top + 1, left) + right * AT (before, top + 1, left + 1));
      }
}

static void
project (float *u, float *v, int n)
{
  g_autofree float *sink = g_new (float, n * n);
  g_autofree float *pressure = g_new0 (float, n * n);

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      AT (sink, i, j) = -0.5f * (AT (u, i, j + 1) - AT (u, i, j - 1) + AT (v, i + 1, j) - AT (v, i - 1, j));

  solve (pressure, sink, 1, 4, PRESSURE_ROUNDS, n);

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      {
        AT (u, i, j) -= 0.5f * (AT (pressure, i, j + 1) - AT (pressure, i, j - 1));
        AT (v, i, j) -= 0.5f * (AT (pressure, i + 1, j) - AT (pressure, i - 1, j));
      }
}

void
fluid_step_plain (float *fields[N_FIELDS], int n)
{
  diffuse (fields[U], n);
  diffuse (fields[V], n);
  project (fields[U], fields[V], n);

  g_autofree float *u = g_memdup2 (fields[U], n * n * sizeof *u);
  g_autofree float *v = g_memdup2 (fields[V], n * n * sizeof *v);

  advect (fields[U], u, v, n);
  advect (fields[V], u, v, n);
  project (fields[U], fields[V], n);
  diffuse (fields[DYE], n);
  advect (fields[DYE], fields[U], fields[V], n);
}
