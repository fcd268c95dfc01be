/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "acc-emit-llvm.h"

struct _AccLlvmTarget {
  gatomicrefcount ref_count;
  LLVMTargetRef   target;
  char           *triple;
  char           *cpu;
  char           *features;
  char           *id;

  /* What the emitter chooses by. */
  guint           register_bytes;
  guint           n_registers;      /* of vectors */
  gboolean        has_fma;
  gboolean        has_gathers;
  gboolean        has_masks;        /* AVX-512 F, VL, DQ: predicate registers, gather, scatter */
  gboolean        has_narrow_masks; /* AVX-512 BW: also of 8 and 16 bits */
  gboolean        has_masked_words; /* AVX: masked loads and stores of 32 and 64 bits */
  gboolean        has_lane_moves;   /* AVX2: words of a register of 32 bytes, each from anywhere in it */
  gboolean        has_half;         /* arithmetic of f16 */
  gboolean        has_streaming;    /* non-temporal stores and their fence */

  GMutex          lock;
  GPtrArray      *machines[LLVMCodeGenLevelAggressive];   /* by level; LLVMTargetMachineRef not in use: one per thread that compiles */
};

/* NVIDIA's devices: compute capability 90 is 9.0, version 78 of PTX is 7.8. */
AccLlvmTarget       *_acc_llvm_target_get_ptx      (guint compute, guint isa, GError **error);
/* @level: None, Less, which does nothing that takes time by the square of a block, or Default. */
LLVMTargetMachineRef _acc_llvm_target_take_machine (AccLlvmTarget *self, LLVMCodeGenOptLevel level, GError **error);
void                 _acc_llvm_target_give_machine (AccLlvmTarget *self, LLVMCodeGenOptLevel level, LLVMTargetMachineRef machine);
