/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The same without acc, to compare with; and the energy, which no step should change. */

#include "n-body.h"

#include <math.h>

static void
drift (Bodies *bodies, double time)
{
  for (int d = 0; d < 3; d++)
    for (int i = 0; i < bodies->n; i++)
      bodies->position[d][i] += bodies->velocity[d][i] * time;
}

static double
softened_square (const Bodies *bodies, int i, int j)
{
  double sum = SOFTENING * SOFTENING;

  for (int d = 0; d < 3; d++)
    {
      double apart = bodies->position[d][j] - bodies->position[d][i];
      sum += apart * apart;
    }

  return sum;
}

void
bodies_step_plain (Bodies *bodies, double dt)
{
  drift (bodies, dt / 2);

  for (int i = 0; i < bodies->n; i++)
    {
      double pull[3] = { 0 };

      for (int j = 0; j < bodies->n; j++)
        {
          double square = softened_square (bodies, i, j);
          double strength = bodies->mass[j] / (square * sqrt (square));

          for (int d = 0; d < 3; d++)
            pull[d] += (bodies->position[d][j] - bodies->position[d][i]) * strength;
        }

      for (int d = 0; d < 3; d++)
        bodies->velocity[d][i] += pull[d] * dt;
    }

  drift (bodies, dt / 2);
}

double
bodies_get_energy (const Bodies *bodies)
{
  double energy = 0;

  for (int i = 0; i < bodies->n; i++)
    {
      for (int d = 0; d < 3; d++)
        energy += bodies->mass[i] * bodies->velocity[d][i] * bodies->velocity[d][i] / 2;
      for (int j = 0; j < i; j++)
        energy -= bodies->mass[i] * bodies->mass[j] / sqrt (softened_square (bodies, i, j));
    }

  return energy;
}
