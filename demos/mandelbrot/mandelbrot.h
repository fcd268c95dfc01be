/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

#define PALETTE_SIZE 256

/* What is looked at: pixel (row, column) stands for the number left + column · pixel + (top - row · pixel) i. */
typedef struct {
  int   height, width;
  int   limit;              /* steps until a number counts as one of the set */
  float left, top, pixel;
} View;

/* The picture [height,width,3] by plain loops. */
void mandelbrot_plain (const View *view, const uint8_t palette[][3], uint8_t *picture);
