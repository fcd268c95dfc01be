/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-cuda-private.h"

#include "acc-backends/runtime/run/acc-library.h"

/* Products by cuBLAS and transforms by cuFFT, which are loaded when the first product or transform is large enough: the foreign operations
 * "acc-matmul" and "acc-fft-…". Memory that the libraries keep on the device is not counted in its budget. */
void acc_cuda_blas_add (AccCudaDevice *device, AccBackend *backend);
void acc_cuda_fft_add  (AccCudaDevice *device, AccBackend *backend);
