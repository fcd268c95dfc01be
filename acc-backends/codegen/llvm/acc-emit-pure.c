/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Instructions without effects. */

static LLVMValueRef
contracted (Emitter     *e,
            LLVMValueRef x)
{
  if ((e->flags & ACC_EMIT_CONTRACT) && LLVMIsAInstruction (x) && LLVMCanValueUseFastMathFlags (x))
    LLVMSetFastMathFlags (x, LLVMFastMathAllowContract);

  return x;
}

/* A linear index as a narrower integer: wraps the same when made of narrower parts. */
static LLVMValueRef
narrow_linear (Emitter       *e,
               AccElementKind kind,
               Value          x)
{
  LLVMTypeRef type = emit_type (e, kind);
  LLVMValueRef base = emit_splat (e, LLVMBuildTrunc (B, x.v, type, ""), e->lanes);

  return LLVMBuildAdd (B, base, emit_steps (e, type, x.stride), "");
}

static LLVMValueRef
fits_word (Emitter     *e,
           LLVMValueRef x)
{
  return LLVMBuildICmp (B, LLVMIntEQ, x, LLVMBuildSExt (B, LLVMBuildTrunc (B, x, e->t_i32, ""), e->t_i64, ""), "");
}

/* A linear index as f32 or f64. Before AVX-512 there are conversions of 32 bits only, which are enough for most blocks: others go lane by
 * lane. */
static LLVMValueRef
float_linear (Emitter       *e,
              AccElementKind kind,
              Value          x)
{
  LLVMTypeRef type = emit_wide_type (emit_type (e, kind), e->lanes);
  LLVMValueRef last = LLVMBuildAdd (B, x.v, LLVMConstInt (e->t_i64, (guint64) x.stride * (e->lanes - 1), TRUE), "");
  LLVMBasicBlockRef words = emit_block (e, "words"), longs = emit_block (e, "longs"), after = emit_block (e, "float");
  LLVMValueRef results[2], result;

  LLVMBuildCondBr (B, LLVMBuildAnd (B, fits_word (e, x.v), fits_word (e, last), ""), words, longs);
  emit_enter (e, words);
  results[0] = LLVMBuildSIToFP (B, narrow_linear (e, ACC_KIND_I32, x), type, "");
  LLVMBuildBr (B, after);
  emit_enter (e, longs);
  results[1] = emit_cast (e, ACC_KIND_I64, kind, emit_as_vector (e, x));
  LLVMBuildBr (B, after);
  longs = LLVMGetInsertBlock (B);
  emit_enter (e, after);
  result = LLVMBuildPhi (B, type, "");
  LLVMAddIncoming (result, results, (LLVMBasicBlockRef[]) { words, longs }, 2);

  return result;
}

/* By comparisons, hidden from LLVM: it takes one for a minimum, and two in a row for one of them, whatever NaN is. */
static gboolean
is_choice_of_floats (Emitter              *e,
                     const AccKernelInstr *instr)
{
  const AccKernelInstr *holds = acc_kernel_instr (e->kernel, instr->args[0]);

  return acc_element_kind_is_float (instr->kind) && _acc_kernel_instr_is_comparison (holds)
         && acc_element_kind_is_float (acc_kernel_instr (e->kernel, holds->args[0])->kind);
}

/* Up to 2^MAX_REPEATS lanes that read the same element: more are too few elements for a load of their own. */
#define MAX_REPEATS 3

/* An index divided by 2, 4 or 8 where the index itself steps by 1, and what is so far from it everywhere */
static void
find_repeats (Emitter *e,
              guint32  id,
              Value   *result)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  Value x = emit_value (e, instr->args[0]), y, z;
  gint64 by = 0;

  if (instr->kind != ACC_KIND_I64 || instr->n_args < 2 || result->shape != SHAPE_VARYING)
    return;

  y = emit_value (e, instr->args[1]);
  if (instr->op == ACC_KOP_SELECT)
    {
      /* One of two that count alike, for all lanes */
      z = emit_value (e, instr->args[2]);
      if (x.shape == SHAPE_UNIFORM && y.repeats > 0 && z.repeats == y.repeats && z.phase == y.phase)
        {
          result->repeats = y.repeats;
          result->first = emit_select (e, x.v, y.first, z.first);
          result->phase = y.phase;
        }
      return;
    }
  if (x.shape == SHAPE_LINEAR && x.stride == 1 && acc_kernel_instr (e->kernel, instr->args[1])->op == ACC_KOP_CONST)
    {
      gint64 number = (gint64) acc_kernel_instr (e->kernel, instr->args[1])->bits;

      if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_SHR)
        by = number;
      else if (instr->op == ACC_KOP_UDIV && number > 0 && (number & (number - 1)) == 0)
        by = g_bit_nth_lsf (number, -1);
      if (by < 1 || by > MAX_REPEATS)
        return;
      result->repeats = by;
      result->first = LLVMBuildAShr (B, x.v, LLVMConstInt (e->t_i64, by, FALSE), "");
      result->phase = LLVMBuildAnd (B, x.v, LLVMConstInt (e->t_i64, (1 << by) - 1, FALSE), "");
    }
  else if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD && x.repeats + y.repeats > 0 &&
           (x.shape == SHAPE_UNIFORM || y.shape == SHAPE_UNIFORM))
    {
      const Value *slow = x.repeats > 0 ? &x : &y;

      result->repeats = slow->repeats;
      result->first = LLVMBuildAdd (B, slow->first, x.shape == SHAPE_UNIFORM ? x.v : y.v, "");
      result->phase = slow->phase;
    }
}

static LLVMValueRef
build_primitive (Emitter       *e,
                 guint32        id,
                 AccElementKind kind,
                 LLVMValueRef   x,
                 LLVMValueRef   y)
{
  LLVMValueRef result = NULL;
  guint32 root;

  if (_acc_kernel_is_inverse_root (e->kernel, id, &root))
    {
      if (e->kernel->group_size > 0)
        result = emit_inverse_root (e, emit_scalar (e, root));
      else if (e->facts[id].shape == SHAPE_VARYING)
        result = emit_quick_inverse_root (e, emit_vector (e, root));
    }

  return result != NULL ? result : contracted (e, emit_primitive (e, acc_kernel_instr (e->kernel, id)->primitive, kind, x, y));
}

/* @kind: of the first operand */
static LLVMValueRef
build (Emitter       *e,
       guint32        id,
       AccElementKind kind,
       LLVMValueRef  *x)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  LLVMValueRef result;

  if (instr->op == ACC_KOP_PRIM)
    return build_primitive (e, id, kind, x[0], x[1]);
  if (instr->op == ACC_KOP_CAST)
    return emit_cast (e, kind, instr->kind, x[0]);
  if (instr->op == ACC_KOP_BITCAST)
    return emit_bitcast (e, kind, instr->kind, x[0]);
  if (instr->op == ACC_KOP_FMA)
    return emit_fma (e, x[0], x[1], x[2]);
  if (instr->op == ACC_KOP_ESTIMATE)
    return emit_estimate (e, instr->primitive, x[0]);
  if (instr->op == ACC_KOP_EXTEND)
    return emit_extend (e, instr->kind, instr->bits, x[0]);
  if (instr->op == ACC_KOP_OPAQUE)
    return emit_opaque (e, instr->kind, x[0]);
  if (instr->op == ACC_KOP_UDIV)
    return emit_index_division (e, x[0], x[1]);
  if (instr->op == ACC_KOP_UREM)
    return emit_index_remainder (e, x[0], x[1]);

  g_return_val_if_fail (instr->op == ACC_KOP_SELECT, x[0]);
  result = emit_select (e, x[0], x[1], x[2]);

  return is_choice_of_floats (e, instr) ? emit_fence (e, result) : result;
}

Value
emit_pure (Emitter *e,
           guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  const Fact *fact = &e->facts[id];
  gboolean varies = fact->shape == SHAPE_VARYING;
  AccElementKind kind = acc_kernel_instr (e->kernel, instr->args[0])->kind;
  Value first = emit_value (e, instr->args[0]);
  LLVMValueRef x[ACC_KERNEL_MAX_ARGS] = { NULL, NULL, NULL }, result;
  Value value;

  if (emit_get_assumption (e, id) != NULL)
    return e->values[id];
  if (varies && instr->op == ACC_KOP_CAST && first.shape == SHAPE_LINEAR && instr->kind != ACC_KIND_U64 &&
      acc_element_kind_is_integer (instr->kind) && instr->kind != ACC_KIND_BOOL)
    return (Value) { .v = narrow_linear (e, instr->kind, first), .shape = SHAPE_VARYING };
  if (varies && instr->op == ACC_KOP_CAST && first.shape == SHAPE_LINEAR && kind == ACC_KIND_I64 && !e->target->has_masks &&
      (instr->kind == ACC_KIND_F32 || instr->kind == ACC_KIND_F64))
    return (Value) { .v = float_linear (e, instr->kind, first), .shape = SHAPE_VARYING };

  for (guint i = 0; i < instr->n_args; i++)
    {
      gboolean stays_scalar = (i == 0 && instr->op == ACC_KOP_SELECT && first.shape == SHAPE_UNIFORM) ||
                              (i == 1 && instr->op == ACC_KOP_PRIM &&
                               acc_primitive_get_info (instr->primitive)->operands == ACC_OPERANDS_SHIFT &&
                               emit_value (e, instr->args[1]).shape == SHAPE_UNIFORM);

      x[i] = varies && !stays_scalar ? emit_vector (e, instr->args[i]) : emit_scalar (e, instr->args[i]);
    }

  result = build (e, id, kind, x);
  value = (Value) { .v = result, .shape = fact->shape, .stride = fact->stride };
  find_repeats (e, id, &value);

  return value;
}
