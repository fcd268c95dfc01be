/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel-private.h"

/* Of 8 or 16 bits, but no bool */
static inline gboolean
_acc_kind_is_narrow (AccElementKind kind)
{
  return kind == ACC_KIND_I8 || kind == ACC_KIND_I16 || kind == ACC_KIND_U8 || kind == ACC_KIND_U16;
}

static inline guint
_acc_kind_get_bits (AccElementKind kind)
{
  return acc_element_kind_get_size (kind) * 8;
}

/* Of integers of 32 and 64 bits: 0: no; 1, 2: of the first or second operand. */
guint    _acc_hazard_is_negation        (const AccKernel *kernel, const AccKernelInstr *instr);
/* Of floats, whose zeros would lose their sign */
gboolean _acc_hazard_is_hidden_negation (const AccKernel *kernel, const AccKernelInstr *instr);
gboolean _acc_hazard_is_magnitude       (const AccKernelInstr *instr);
/* A minimum or maximum of floats */
gboolean _acc_hazard_is_extreme         (const AccKernel *kernel, const AccKernelInstr *instr);
/* An integer of such */
gboolean _acc_hazard_is_of_extreme      (const AccKernel *kernel, const AccKernelInstr *cast);
/* Whether compilers have to be kept from knowing the @i-th operand */
gboolean _acc_hazard_is_operand         (const AccKernel *kernel, const AccKernelInstr *instr, guint i);
/* Which operand of a choice is to be hidden; 0: none */
guint    _acc_hazard_find_choice        (const AccKernel *kernel, const AccKernelInstr *instr);
/* Whether a zero that no compiler knows is needed for any of these. */
gboolean _acc_hazard_needs_zero         (const AccKernel *kernel, const AccKernelInstr *instr);
