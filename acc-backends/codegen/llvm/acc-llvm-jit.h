/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-emit-llvm.h"

/* Object files made runnable. Counted; any thread. */

typedef struct _AccLlvmJit  AccLlvmJit;
typedef struct _AccLlvmCode AccLlvmCode;

AccLlvmJit    *acc_llvm_jit_new   (GError **error);
void           acc_llvm_jit_unref (AccLlvmJit *self);

/* Links @object; @symbol: NULL is ACC_EMIT_SYMBOL. Objects do not see each other, so that a symbol may be in several. */
AccLlvmCode   *acc_llvm_jit_add   (AccLlvmJit *self, GBytes *object, const char *symbol, GError **error);
/* The same, for as long as @self lives. */
AccKernelEntry acc_llvm_jit_add_object (AccLlvmJit *self, GBytes *object, const char *symbol, GError **error);

/* Linked code keeps its AccLlvmJit alive; freeing it unmaps the entry. */
AccKernelEntry acc_llvm_code_get_entry (AccLlvmCode *self);
void           acc_llvm_code_free      (AccLlvmCode *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccLlvmJit, acc_llvm_jit_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccLlvmCode, acc_llvm_code_free)
