/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/**
 * AccFftMode:
 * @ACC_FFT_FORWARD: sums of x[j] · exp (-2πi j k / n)
 * @ACC_FFT_REVERSE: sums of x[j] · exp (2πi j k / n): the inverse of the forward transform, times n
 * @ACC_FFT_INVERSE: the reverse transform, divided by n
 *
 * Lists the directions of a Fourier transform.
 */
typedef enum {
  ACC_FFT_FORWARD,
  ACC_FFT_REVERSE,
  ACC_FFT_INVERSE,
} AccFftMode;

/* Of rows; along @dimension, 0 the outermost, -1 the innermost; along the innermost two and three */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fft    (AccArray *self, AccFftMode mode) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fft_on (AccArray *self, gint dimension, AccFftMode mode) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fft2   (AccArray *self, AccFftMode mode) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fft3   (AccArray *self, AccFftMode mode) G_GNUC_WARN_UNUSED_RESULT;
/* Of rows of real numbers, and back to @n in a row */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_rfft   (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_irfft  (AccArray *self, gint64 n) G_GNUC_WARN_UNUSED_RESULT;
/* The zero frequency to the middle, and back */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fftshift  (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_ifftshift (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
