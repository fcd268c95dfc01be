/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#define TIME_STEP 1.0f
#define VISCOSITY 0.002f     /* of the velocity and of the dye, in cells² a step */
#define DIFFUSION_ROUNDS 8
#define PRESSURE_ROUNDS 160

/* What flows, [n,n] each: velocity along x (columns) and y (rows) in cells a step, and dye */
enum {
  U,
  V,
  DYE,
  N_FIELDS,
};

/* One step by plain loops, in place. */
void fluid_step_plain (float *fields[N_FIELDS], int n);
