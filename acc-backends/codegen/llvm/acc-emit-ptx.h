/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel.h"

/* From SIMT kernel IR to PTX, through LLVM.
 *
 * One entry, ACC_EMIT_SYMBOL, with 8-byte parameters: one per slot (a buffer's address, biased by its offset; a scalar's bits),
 * then the eight words of AccGroups with first = begin rounded down to a tile (begin, end, tile, first; outer and inner each,
 * outer first), then the address of an AccFailure. */

typedef enum {
  ACC_PTX_DEFAULT = 0,
  ACC_PTX_ALIGNED = 1 << 0,   /* every buffer's biased address is a multiple of 16: wide loads and stores */
} AccPtxFlags;

/* @compute: compute capability, 90 for 9.0. @isa: PTX version, 78 for 7.8. */
char *acc_emit_ptx (AccKernel *kernel, guint compute, guint isa, AccPtxFlags flags, GError **error);

/* The file of CUDA's mathematical library, libdevice, where the machine has one: then transcendental primitives may stay in
 * kernels. ACC_LIBDEVICE names it, or it is searched for where CUDA is installed, once. NULL: there is none. */
const char *acc_emit_ptx_get_library (void);
