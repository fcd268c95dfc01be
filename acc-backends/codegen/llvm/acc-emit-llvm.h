/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-target.h"

/* From kernel IR to an object file of the host, through LLVM. Nothing here touches LLVM's global options, and LLVM is never
 * shut down. */

typedef struct _AccLlvmTarget AccLlvmTarget;

typedef enum {
  ACC_EMIT_DEFAULT      = 0,
  ACC_EMIT_SCALAR       = 1 << 0,  /* one lane: foreach is for. What ACC_DISABLE=vectorise does */
  ACC_EMIT_NON_TEMPORAL = 1 << 1,  /* past the caches: contiguous stores into buffers that are written once */
  ACC_EMIT_CONTRACT     = 1 << 2,  /* a multiplication and an addition of f32 or f64 may round once */
  ACC_EMIT_BASELINE     = 1 << 3,  /* code in a tenth of the time, ten to forty times as slow: one lane, as it comes */
} AccEmitFlags;

#define ACC_EMIT_SYMBOL "acc_kernel"

/* The machine this runs on, with the features it has, or those of the level that ACC_CPU names. Counted; any thread. */
AccLlvmTarget *acc_llvm_target_new_host (GError **error);
/* Another processor of the host's architecture: for tests of what the emitter does where features are missing. */
AccLlvmTarget *acc_llvm_target_new      (const char *cpu, const char *features, GError **error);
AccLlvmTarget *acc_llvm_target_ref      (AccLlvmTarget *self);
void           acc_llvm_target_unref    (AccLlvmTarget *self);
/* Everything besides kernel, flags and symbol that an object depends on: triple, processor, features, versions of LLVM and
 * of the emitter. The device part of cache keys. */
const char    *acc_llvm_target_get_id   (AccLlvmTarget *self);
/* What skeletons may ask of it. */
AccTarget      acc_llvm_target_get_facts (AccLlvmTarget *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccLlvmTarget, acc_llvm_target_unref)

/* An object file that defines one function @symbol (NULL: ACC_EMIT_SYMBOL), an AccKernelEntry. It may refer to functions of
 * the C library that AccLlvmJit knows. Any thread; threads do not wait for each other. */
GBytes *acc_emit_llvm (AccKernel *kernel, AccLlvmTarget *target, AccEmitFlags flags, const char *symbol, GError **error);

/* Makes the tables that LLVM makes when it first needs them, and frees in exit handlers, which run in reverse order. An exit handler that
 * is registered after this can wait for threads that compile. Takes as long as compiling a small kernel, once. */
void    acc_emit_prepare_exit (AccLlvmTarget *target);
