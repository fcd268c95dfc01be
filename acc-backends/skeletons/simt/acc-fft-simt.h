/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-simt.h"

/* A complex number */
typedef struct {
  KValue part[2];
} AccFftNumber;

/* The transform of @n values, at most ACC_FFT_MAX_RADIX, in their place. */
void acc_fft_transform_few (AccLower *l, AccElementKind kind, AccFftNumber *values, guint n);
