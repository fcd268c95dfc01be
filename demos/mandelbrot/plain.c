/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The same picture without acc, to compare with. */

#include "mandelbrot.h"

#include <string.h>

static int
count_steps (float a, float b, int limit)
{
  float x = 0, y = 0;
  int steps = 0;

  while (steps < limit && x * x + y * y < 4)
    {
      float next = x * x - y * y + a;

      y = 2 * x * y + b;
      x = next;
      steps++;
    }

  return steps;
}

void
mandelbrot_plain (const View *view, const uint8_t palette[][3], uint8_t *picture)
{
  for (int row = 0; row < view->height; row++)
    for (int column = 0; column < view->width; column++, picture += 3)
      {
        int steps = count_steps (view->left + column * view->pixel, view->top - row * view->pixel, view->limit);

        if (steps == view->limit)
          memset (picture, 0, 3);
        else
          memcpy (picture, palette[steps % PALETTE_SIZE], 3);
      }
}
