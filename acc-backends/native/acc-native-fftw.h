/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/runtime/run/acc-host.h"

/* Fourier transforms by FFTW, which is loaded when the first transform is large enough: the foreign operations "acc-fft-…" of the host's
 * backend. */
void acc_native_fftw_add (AccHost *host);
