/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

/* 5×5 binomial Gaussian, then Sobel magnitude (|gx| + |gy|, saturated), 8 bits, edges clamped: fused by hand, a ring of
 * three blurred rows per thread, OpenMP. */
void peer_blur_sobel (const uint8_t *in, uint8_t *out, long width, long height);
