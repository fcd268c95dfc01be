/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Versions of a foreach body for uniform and divergent blocks. Many instructions vary from lane to lane in principle and are uniform in
 * nearly every block of lanes: a comparison of an index with a uniform bound (rotations, paddings), a quotient of an index. So the body is
 * emitted twice. The first version assumes that these instructions are uniform, or linear as the index is, and loads neighbours as such;
 * the second assumes nothing. A test in front of each block chooses.
 *
 * The test compares the first lane with the last: the operand ascends or descends from lane to lane. A sum that wraps around does not, but
 * wraps once in a block at most: then the last lane is on the other side of the first, and the test fails. */

static LLVMValueRef
value_at (Emitter     *e,
          guint32      id,
          guint32      foreach,
          LLVMValueRef index)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  LLVMValueRef x[3] = { NULL, NULL, NULL };

  if (id == foreach)
    return index;
  if (!_acc_kernel_is_inside (e->kernel, id, foreach))
    return emit_scalar (e, id);

  for (guint i = 0; i < instr->n_args; i++)
    x[i] = value_at (e, instr->args[i], foreach, index);
  if (instr->op == ACC_KOP_SELECT)
    return emit_select (e, x[0], x[1], x[2]);
  if (instr->op == ACC_KOP_UDIV)
    return emit_index_division (e, x[0], x[1]);
  if (instr->op == ACC_KOP_UREM)
    return emit_index_remainder (e, x[0], x[1]);

  return emit_primitive (e, instr->primitive, acc_kernel_instr (e->kernel, instr->args[0])->kind, x[0], x[1]);
}

LLVMValueRef
emit_at (Emitter     *e,
         guint32      id,
         guint32      foreach,
         LLVMValueRef index)
{
  return emit_is_known_before (e, id, foreach) ? value_at (e, id, foreach, index) : NULL;
}

static LLVMValueRef
is_equal (Emitter     *e,
          LLVMValueRef x,
          LLVMValueRef y)
{
  return LLVMBuildICmp (B, LLVMIntEQ, x, y, "");
}

static LLVMValueRef
test_assumption (Emitter          *e,
                 const Assumption *assumption,
                 guint32           foreach,
                 LLVMValueRef      first,
                 LLVMValueRef      last)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, assumption->id);
  LLVMValueRef x = value_at (e, assumption->subject, foreach, first), y = value_at (e, assumption->subject, foreach, last);
  LLVMValueRef value = value_at (e, assumption->id, foreach, first), last_value = value_at (e, assumption->id, foreach, last);
  LLVMValueRef is_in_order = LLVMBuildICmp (B, assumption->ascends ? LLVMIntSLE : LLVMIntSGE, x, y, ""), is_same, other;

  e->values[assumption->id] = (Value) {
    .v = value, .shape = assumption->stride != 0 ? SHAPE_LINEAR : SHAPE_UNIFORM, .stride = assumption->stride,
  };

  switch (assumption->rule)
    {
    case ASSUME_BOUND:
      is_same = LLVMBuildAnd (B, is_equal (e, value, x), is_equal (e, last_value, y), "");
      break;
    case ASSUME_REMAINDER:
      /* Those of one quotient are as far from each other as what is divided. */
      is_same = is_equal (e, LLVMBuildSub (B, last_value, value, ""), LLVMBuildSub (B, y, x, ""));
      break;
    case ASSUME_EQUALITY:
      other = value_at (e, instr->args[assumption->subject == instr->args[0] ? 1 : 0], foreach, first);
      is_same = LLVMBuildOr (B, LLVMBuildICmp (B, LLVMIntSLT, other, assumption->ascends ? x : y, ""),
                           LLVMBuildICmp (B, LLVMIntSGT, other, assumption->ascends ? y : x, ""), "");
      break;
    case ASSUME_MONOTONE:
    default:
      is_same = is_equal (e, value, last_value);
      break;
    }

  return LLVMBuildAnd (B, is_in_order, is_same, "");
}

LLVMValueRef
emit_test_assumptions (Emitter     *e,
                       guint32      foreach,
                       LLVMValueRef first)
{
  LLVMValueRef last = LLVMBuildAdd (B, first, LLVMConstInt (e->t_i64, e->lanes - 1, FALSE), ""), all = NULL;

  for (guint i = 0; i < e->assumptions->len; i++)
    {
      LLVMValueRef one = test_assumption (e, &g_array_index (e->assumptions, Assumption, i), foreach, first, last);

      all = all != NULL ? LLVMBuildAnd (B, all, one, "") : one;
    }

  return all;
}
