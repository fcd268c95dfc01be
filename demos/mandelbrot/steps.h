/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mandelbrot.h"

#include <acc/acc.h>

/* How many steps each pixel takes to leave the circle of radius 2, at most the limit: [height,width] of i4. */
AccArray *mandelbrot_steps (const View *view);

/* The same of one row, whose number is in an array of rank 0: [width]. */
AccArray *mandelbrot_steps_of_row (const View *view, AccArray *row);
