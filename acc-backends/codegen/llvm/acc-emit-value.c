/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Operands, as scalars and as vectors. */

static LLVMValueRef
constant (Emitter              *e,
          const AccKernelInstr *instr)
{
  LLVMTypeRef type = emit_type (e, instr->kind);

  if (instr->kind == ACC_KIND_F16 || instr->kind == ACC_KIND_F32 || instr->kind == ACC_KIND_F64)
    {
      LLVMTypeRef bits = LLVMIntTypeInContext (e->context, acc_element_kind_get_size (instr->kind) * 8);

      return LLVMConstBitCast (LLVMConstInt (bits, instr->bits, FALSE), type);
    }

  return LLVMConstInt (type, instr->bits, FALSE);
}

Value
emit_value (Emitter *e,
            guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

  if (instr->op == ACC_KOP_CONST)
    return (Value) { .v = constant (e, instr), .shape = SHAPE_UNIFORM };
  if (instr->op == ACC_KOP_PARAM)
    return (Value) { .v = e->params[instr->args[0]], .shape = SHAPE_UNIFORM };
  if (instr->op == ACC_KOP_RANGE)
    return (Value) { .v = e->range[instr->args[0]], .shape = SHAPE_UNIFORM };
  if (instr->op == ACC_KOP_LOCAL)
    return (Value) { .v = e->local, .shape = SHAPE_UNIFORM };

  return e->values[id];
}

LLVMValueRef
emit_scalar (Emitter *e,
             guint32  id)
{
  return emit_value (e, id).v;
}

LLVMValueRef
emit_as_vector (Emitter *e,
                Value    value)
{
  if (value.shape == SHAPE_VARYING)
    return value.v;
  if (value.shape == SHAPE_UNIFORM)
    return emit_splat (e, value.v, e->lanes);

  return LLVMBuildAdd (B, emit_splat (e, value.v, e->lanes), emit_steps (e, e->t_i64, value.stride), "");
}

LLVMValueRef
emit_vector (Emitter *e,
             guint32  id)
{
  return emit_as_vector (e, emit_value (e, id));
}

LLVMValueRef
emit_lane_of (Emitter     *e,
              Value        value,
              LLVMValueRef lane)
{
  if (value.shape == SHAPE_UNIFORM)
    return value.v;
  if (value.shape == SHAPE_VARYING)
    return LLVMBuildExtractElement (B, value.v, lane, "");

  return LLVMBuildAdd (B, value.v, LLVMBuildMul (B, lane, LLVMConstInt (e->t_i64, value.stride, TRUE), ""), "");
}
