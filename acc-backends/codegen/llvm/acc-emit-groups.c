/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include <string.h>

#define B (e->builder)

/* What threads of a group do together, on NVIDIA's devices, and what lanes of a foreach do. */

static LLVMTypeRef
word_type (Emitter       *e,
           AccElementKind kind)
{
  return LLVMIntTypeInContext (e->context, acc_element_kind_get_size (kind) * 8);
}

/* As the integer of its size. */
static LLVMValueRef
to_word (Emitter       *e,
         AccElementKind kind,
         LLVMValueRef   x)
{
  return LLVMBuildBitCast (B, emit_to_memory (e, kind, x), word_type (e, kind), "");
}

static LLVMValueRef
from_word (Emitter       *e,
           AccElementKind kind,
           LLVMValueRef   x)
{
  return emit_from_memory (e, kind, LLVMBuildBitCast (B, x, emit_memory_type (e, kind), ""));
}

/* Orders what a thread does in the eyes of the whole device. */
static void
fence (Emitter *e)
{
  static const char text[] = "fence.acq_rel.gpu;", clobbers[] = "~{memory}";
  LLVMTypeRef type = LLVMFunctionType (e->t_void, NULL, 0, FALSE);
  LLVMValueRef code = LLVMGetInlineAsm (type, text, strlen (text), clobbers, strlen (clobbers), TRUE, FALSE, LLVMInlineAsmDialectATT,
                                        FALSE);

  LLVMBuildCall2 (B, type, code, NULL, 0, "");
}

static LLVMValueRef
shuffle_word (Emitter     *e,
              KShuffle     how,
              LLVMValueRef x,
              guint        delta)
{
  static const char *const intrinsics[] = { "llvm.nvvm.shfl.sync.down.i32", "llvm.nvvm.shfl.sync.up.i32", "llvm.nvvm.shfl.sync.bfly.i32" };
  LLVMValueRef args[] = {
    LLVMConstAllOnes (e->t_i32), x, LLVMConstInt (e->t_i32, delta, FALSE), LLVMConstInt (e->t_i32, how == KB_SHUFFLE_UP ? 0 : 31, FALSE),
  };

  return emit_call (e, intrinsics[how], NULL, 0, args, 4);
}

static LLVMValueRef
shuffle (Emitter       *e,
         KShuffle       how,
         AccElementKind kind,
         LLVMValueRef   x,
         guint          delta)
{
  LLVMValueRef word = to_word (e, kind, x), low, high, by;

  if (acc_element_kind_get_size (kind) < 8)
    {
      low = shuffle_word (e, how, LLVMBuildZExt (B, word, e->t_i32, ""), delta);
      return from_word (e, kind, LLVMBuildTrunc (B, low, word_type (e, kind), ""));
    }

  by = LLVMConstInt (e->t_i64, 32, FALSE);
  low = shuffle_word (e, how, LLVMBuildTrunc (B, word, e->t_i32, ""), delta);
  high = shuffle_word (e, how, LLVMBuildTrunc (B, LLVMBuildLShr (B, word, by, ""), e->t_i32, ""), delta);
  word = LLVMBuildOr (B, LLVMBuildZExt (B, low, e->t_i64, ""), LLVMBuildShl (B, LLVMBuildZExt (B, high, e->t_i64, ""), by, ""), "");

  return from_word (e, kind, word);
}

static LLVMAtomicRMWBinOp
atomic_op (KAtomic        how,
           AccElementKind kind)
{
  gboolean is_signed = acc_element_kind_is_signed (kind);

  switch (how)
    {
    case KB_ATOMIC_ADD:
      return acc_element_kind_is_float (kind) ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpAdd;
    case KB_ATOMIC_MIN:
      return is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
    case KB_ATOMIC_MAX:
      return is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
    case KB_ATOMIC_AND:
      return LLVMAtomicRMWBinOpAnd;
    case KB_ATOMIC_OR:
      return LLVMAtomicRMWBinOpOr;
    case KB_ATOMIC_XOR:
      return LLVMAtomicRMWBinOpXor;
    case KB_ATOMIC_EXCHANGE:
    default:
      return LLVMAtomicRMWBinOpXchg;
    }
}

static LLVMValueRef
atomic (Emitter       *e,
        KAtomic        how,
        AccElementKind kind,
        LLVMValueRef   place,
        LLVMValueRef   x)
{
  gboolean adds_floats = how == KB_ATOMIC_ADD && acc_element_kind_is_float (kind);
  LLVMValueRef old = LLVMBuildAtomicRMW (B, atomic_op (how, kind), place, adds_floats ? x : to_word (e, kind, x),
                                         LLVMAtomicOrderingMonotonic, FALSE);

  return adds_floats ? old : from_word (e, kind, old);
}

static LLVMValueRef
compare_and_swap (Emitter       *e,
                  AccElementKind kind,
                  LLVMValueRef   place,
                  LLVMValueRef   expected,
                  LLVMValueRef   desired)
{
  LLVMValueRef pair = LLVMBuildAtomicCmpXchg (B, place, to_word (e, kind, expected), to_word (e, kind, desired),
                                              LLVMAtomicOrderingMonotonic, LLVMAtomicOrderingMonotonic, FALSE);

  return from_word (e, kind, LLVMBuildExtractValue (B, pair, 0, ""));
}

static Value
shuffle_lanes (Emitter *e,
               guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint delta = instr->bits & G_MAXUINT32;
  LLVMValueRef v, *places;
  Value x = emit_value (e, instr->args[0]);

  if (x.shape == SHAPE_UNIFORM)
    return x;
  v = emit_as_vector (e, x);
  if (instr->bits >> 32 == KB_SHUFFLE_LAST)
    return (Value) { .v = LLVMBuildExtractElement (B, v, LLVMConstInt (e->t_i32, e->lanes - 1, FALSE), ""), .shape = SHAPE_UNIFORM };

  places = g_newa (LLVMValueRef, e->lanes);
  for (guint i = 0; i < e->lanes; i++)
    places[i] = LLVMConstInt (e->t_i32, i >= delta ? i - delta : i, FALSE);

  return (Value) { .v = LLVMBuildShuffleVector (B, v, LLVMGetPoison (LLVMTypeOf (v)), LLVMConstVector (places, e->lanes), ""),
                   .shape = SHAPE_VARYING };
}

static Value
ballot_of_lanes (Emitter *e,
                 guint32  id)
{
  LLVMValueRef bits = emit_bits (e, emit_vector (e, acc_kernel_instr (e->kernel, id)->args[0]));

  return (Value) { .v = LLVMBuildIntCast2 (B, bits, e->t_i32, FALSE, ""), .shape = SHAPE_UNIFORM };
}

Value
emit_groups (Emitter *e,
             guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  LLVMValueRef all = LLVMConstAllOnes (e->t_i32), place;
  Value result = { .shape = SHAPE_UNIFORM };

  if (instr->op == ACC_KOP_BARRIER)
    emit_call (e, "llvm.nvvm.barrier0", NULL, 0, NULL, 0);
  else if (instr->op == ACC_KOP_SUBGROUP_BARRIER)
    emit_call (e, "llvm.nvvm.bar.warp.sync", NULL, 0, &all, 1);
  else if (instr->op == ACC_KOP_FENCE)
    fence (e);
  else if (instr->op == ACC_KOP_SHUFFLE && e->lanes > 0)
    result = shuffle_lanes (e, id);
  else if (instr->op == ACC_KOP_SHUFFLE)
    result.v = shuffle (e, instr->bits >> 32, instr->kind, emit_scalar (e, instr->args[0]), instr->bits & G_MAXUINT32);
  else if (instr->op == ACC_KOP_BALLOT && e->lanes > 0)
    result = ballot_of_lanes (e, id);
  else if (instr->op == ACC_KOP_BALLOT)
    result.v = emit_call (e, "llvm.nvvm.vote.ballot.sync", NULL, 0, (LLVMValueRef[]) { all, emit_scalar (e, instr->args[0]) }, 2);
  else
    {
      place = emit_element (e, instr->args[0], emit_scalar (e, instr->args[1]));
      if (instr->op == ACC_KOP_ATOMIC)
        result.v = atomic (e, (KAtomic) instr->bits, instr->kind, place, emit_scalar (e, instr->args[2]));
      else
        result.v = compare_and_swap (e, instr->kind, place, emit_scalar (e, instr->args[2]), emit_scalar (e, instr->args[3]));
    }

  return result;
}
