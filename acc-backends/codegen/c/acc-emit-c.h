/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel.h"

/* From SIMT kernel IR to source text of the C family: one writer, two dialects.
 *
 * OpenCL C: kernel ACC_EMIT_C_SYMBOL. Arguments: per slot, a buffer is a __global pointer and a long (elements from the pointer
 * to element 0), a scalar is one ulong of bits; then eight longs of AccGroups (begin, end, tile, first = begin rounded down to
 * a tile; outer and inner each, outer first); then a __global pointer to an AccFailure. Group (x, y): get_group_id (0), (1).
 *
 * GLSL: compute shader, main(). The words of the launch in the order above (a buffer is one word: its address where
 * .has_addresses, else elements from the binding's start to element 0, its binding being its number among the buffers, in set
 * 0; the failure is the last word, or the binding after the last buffer's) are push constants where they fit .push_bytes, else
 * a storage block: of its address in the only push constant, or the binding after the failure's. */

typedef struct {
  guint    push_bytes;       /* GLSL: push constants that there are */
  gboolean has_addresses;    /* GLSL: buffer_reference */
  gboolean has_half;         /* conversions of f16 by the device: half; GLSL: float16_t, which rounds to nearest and keeps
                              * subnormals. Else by integers. Arithmetic is that of f32, rounded each time */
  gboolean has_exact_fma;    /* fma() of f32 and f64 rounds once; denormals may be zero to it */
  gboolean has_exact_divide; /* division and square root of f32 are rounded correctly as written */
  gboolean has_subgroups;    /* KB_SHUFFLE by the dialect's extension */
  gboolean has_ballots;      /* ballots and barriers of subgroups, likewise */
  gboolean has_nvidia_asm;   /* OpenCL: PTX within asm */
  gboolean has_atomic_64;    /* of buffers and shared memory, as the next two */
  gboolean has_atomic_add_f32; /* OpenCL: only with .has_nvidia_asm; else a loop of compare-and-swap */
  gboolean has_atomic_add_f64;
  gboolean has_quick;        /* OpenCL: no processor: quick code is quicker, and so are native functions */
  gboolean guards_zeros;     /* the compiler divides wrongly by a zero that it knows */
  gboolean leaves_loops;     /* the device leaves loops that take many iterations: such a kernel fails */
  gboolean misrounds_doubles; /* GLSL: trunc() and roundEven() of f64 give other values on some processors */
  gboolean misdivides_words; /* GLSL: the compiler divides i64 that were put together of words wrongly */
  gboolean keeps_denormals;  /* GLSL: SPIR-V's DenormPreserve for f32 can be asked for */
  gboolean keeps_nans;       /* GLSL: SPIR-V's SignedZeroInfNanPreserve for f32, and for f64 where it is used */
} AccCDialect;

/* Quick code is for small launches: buffers whose elements 0 begin at multiples of 16 bytes and that have fewer than 2^31 elements, i64
 * scalars of at most 2^30, and groups with such bounds. It packs loads and stores of neighbours, and computes in 32 bits where values
 * fit. */
char *acc_emit_opencl (AccKernel *kernel, const AccCDialect *dialect, gboolean quick, GError **error);
char *acc_emit_glsl   (AccKernel *kernel, const AccCDialect *dialect, gboolean quick, GError **error);

/* How many bytes of words a launch of the GLSL form has: one per parameter, eight, and one that is the failure's address or,
 * without addresses, anything. They are push constants where this is not above .push_bytes. */
guint acc_emit_glsl_count_bytes (AccKernel *kernel);

/* Where OpenCL finds the entry. */
#define ACC_EMIT_C_SYMBOL "acc_kernel"
