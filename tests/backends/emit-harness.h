/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/codegen/llvm/acc-llvm-jit.h"
#include "kernel-eval.h"

/* Kernels compiled for this machine and for lesser ones of its kind, with vectors and without, run on buffers between
 * pages that must not be touched, and compared with kernel-eval.c. */

#define MAX_VARIANTS 8

typedef struct {
  const char     *name;
  AccLlvmTarget  *target;
  AccEmitFlags    flags;
} Variant;

typedef struct {
  AccKernel      *kernel;
  AccLlvmCode    *code[MAX_VARIANTS];
  AccKernelEntry  entry[MAX_VARIANTS];
  gsize           bytes[MAX_VARIANTS];   /* of the object */
} Compiled;

/* One parameter's argument: elements of a buffer, or one scalar's bits. */
typedef struct {
  gsize    n;
  guint64 *elements;
} Argument;

extern Variant harness_variants[MAX_VARIANTS];
extern guint   harness_n_variants;

void      harness_init    (void);
void      harness_clear   (void);
Compiled *harness_compile (AccKernelBuilder *b);
void      harness_free    (Compiled *compiled);
Argument  harness_random  (AccElementKind kind, gsize n, GRand *rand);
Argument  harness_fill    (gsize n, guint64 value);
Argument  harness_scalar  (guint64 bits);
/* Runs everything on copies of @arguments and frees them. @what: for messages. */
void      harness_check   (Compiled *compiled, Argument *arguments, const gint64 range[5], const char *what);
