/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Keeps bodies that meet from being thrown out: distances are at least so long. Units: G = 1 */
#define SOFTENING 0.05

/* One array for each coordinate, as acc keeps them */
typedef struct {
  int     n;
  double *position[3], *velocity[3];
  double *mass;
} Bodies;

void   bodies_step_plain (Bodies *bodies, double dt);
double bodies_get_energy (const Bodies *bodies);
