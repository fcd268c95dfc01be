/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Steps until z² + c leaves the circle of radius 2, as in demos/mandelbrot: vectors of pixels, as many at once as there are
 * registers for. */

#include "c-works.h"
#include "inputs.h"
#include "lanes.h"

#include <stdlib.h>

#if defined (__AVX512F__)
# define AT_ONCE 4
#else
# define AT_ONCE 3
#endif

/* Between two looks at whether all have left */
#define STEPS 8

typedef struct {
  gsize   side;
  gint32 *steps;
} Mandelbrot;

static void
count (float left, float pixel, float b, gint32 *steps)
{
  StreamF4 a[AT_ONCE], x[AT_ONCE], y[AT_ONCE];
  StreamI4 inside[AT_ONCE], n[AT_ONCE], all;

  for (int k = 0; k < AT_ONCE; k++)
    {
      float numbers[STREAM_LANES];

      for (gsize i = 0; i < STREAM_LANES; i++)
        numbers[i] = left + (k * STREAM_LANES + i) * pixel;
      a[k] = stream_load (numbers);
      x[k] = y[k] = (StreamF4) { 0 };
      n[k] = (StreamI4) { 0 };
      inside[k] = ~n[k];
    }

  for (int i = 0; i < MANDELBROT_LIMIT; i += STEPS)
    {
#pragma GCC unroll 8
      for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 4
        for (int k = 0; k < AT_ONCE; k++)
          {
            StreamF4 xx = x[k] * x[k], yy = y[k] * y[k];

            /* Who has left stays away: what becomes of z then does not matter. */
            inside[k] &= xx + yy < 4;
            n[k] -= inside[k];
            y[k] = (x[k] + x[k]) * y[k] + b;
            x[k] = xx - yy + a[k];
          }

      all = inside[0];
      for (int k = 1; k < AT_ONCE; k++)
        all |= inside[k];
      if (!lanes_any (all))
        break;
    }

  memcpy (steps, n, sizeof n);
}

static gpointer
prepare (gsize side)
{
  Mandelbrot *m = g_new (Mandelbrot, 1);

  m->side = side;
  m->steps = contender_memory (side * side * sizeof *m->steps);
  return m;
}

static void
run (gpointer data)
{
  Mandelbrot *m = data;
  const float pixel = MANDELBROT_ACROSS / m->side;
  const gsize at_once = AT_ONCE * STREAM_LANES;

#pragma omp parallel for schedule(dynamic, 4)
  for (gsize row = 0; row < m->side; row++)
    for (gsize column = 0; column < m->side; column += at_once)
      {
        gint32 steps[AT_ONCE * STREAM_LANES];

        count (MANDELBROT_LEFT + column * pixel, pixel, MANDELBROT_TOP - row * pixel, steps);
        memcpy (m->steps + row * m->side + column, steps, MIN (at_once, m->side - column) * sizeof *steps);
      }
}

static double
check (gpointer data)
{
  Mandelbrot *m = data;

  return contender_digest_u4 ((guint32 *) m->steps, m->side * m->side);
}

static void
mandelbrot_free (gpointer data)
{
  Mandelbrot *m = data;

  free (m->steps);
  g_free (m);
}

const Work c_mandelbrot[] = {
  { "mandelbrot", prepare, run, check, mandelbrot_free },
  { "seq-mandelbrot", prepare, run, check, mandelbrot_free },
  { NULL },
};
