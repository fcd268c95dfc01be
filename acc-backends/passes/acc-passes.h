/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel-builder-private.h"

/* From what a skeleton built to a kernel: the list of passes is in acc-passes.c. */

/* Runs the passes over what @b built and frees @b. Returns NULL with @error set if a block was left open, or the verifier finds a mistake:
 * ACC_ERROR_COMPILE, a bug of the skeleton. */
AccKernel *kb_finish                (AccKernelBuilder *b, GError **error);

/* --- the passes, one per file */

/* Products that only an addition uses become one fused product with it. */
void       _acc_kernel_contract     (AccKernelBuilder *b);
/* Drops instructions without effects whose values are unused. */
void       _acc_kernel_drop_unused  (AccKernelBuilder *b);
/* Splits loops of lanes that divide their index into rows, in which the quotient is the same. */
void       _acc_kernel_split_rows   (AccKernelBuilder *b);
/* Makes quotients and roots of f32 by estimates, without branches, in blocks that only compute and store. */
void       _acc_kernel_straighten   (AccKernelBuilder *b);
/* Writes what compilers of devices get wrong in other instructions. */
void       _acc_kernel_legalise     (AccKernelBuilder *b);
/* Narrows the flags of buffers to what is done with them. */
void       _acc_kernel_find_access  (AccKernelBuilder *b);

/* --- deduplication */

/* Returns a new reference to a remembered kernel that equals @draft in everything, names included; NULL: there is none. Any thread. */
AccKernel *_acc_kernel_find_known   (AccKernel *draft);
/* Remembers @kernel, which is finished. */
void       _acc_kernel_remember     (AccKernel *kernel);
