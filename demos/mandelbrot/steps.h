/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mandelbrot.h"

#include <acc/acc.h>

/* How many steps each pixel takes to leave the circle of radius 2, at most the limit: [height,width] of i4. */
AccArray *mandelbrot_steps (const View *view);
