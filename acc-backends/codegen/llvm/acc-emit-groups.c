/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include <string.h>

#define B (e->builder)

/* What the threads of a group do together, for NVIDIA's devices. */

/* PTX without effects, of f32, or of one operand of another type. */
static LLVMValueRef
assembly (Emitter      *e,
          const char   *text,
          LLVMValueRef  x,
          LLVMValueRef  y)
{
  LLVMTypeRef operand = LLVMTypeOf (x), type = LLVMFunctionType (operand, (LLVMTypeRef[]) { operand, operand }, y != NULL ? 2 : 1, FALSE);
  const char *operands = operand == e->t_i32 ? "=r,r" : operand == e->t_i16 ? "=h,h" : operand == e->t_f64 ? "=d,d"
                         : y != NULL ? "=f,f,f" : "=f,f";
  LLVMValueRef code = LLVMGetInlineAsm (type, text, strlen (text), operands, strlen (operands), FALSE, FALSE,
                                        LLVMInlineAsmDialectATT, FALSE);
  LLVMValueRef result = LLVMBuildCall2 (B, type, code, (LLVMValueRef[]) { x, y }, y != NULL ? 2 : 1, "");

  emit_set_call_attribute (e, result, "memory", 0);
  emit_set_call_attribute (e, result, "nounwind", 0);
  emit_set_call_attribute (e, result, "willreturn", 0);

  return result;
}

/* By assembly, which LLVM does not see through: it would compute in 16 bits what is written in 32. */
LLVMValueRef
emit_extend (Emitter       *e,
             AccElementKind kind,
             guint          bits,
             LLVMValueRef   x)
{
  g_autofree char *text = g_strdup_printf ("bfe.%s $0, $1, 0, %u;", kind == ACC_KIND_I32 ? "s32" : "u32", bits);

  return assembly (e, text, x, NULL);
}

/* LLVM takes a comparison and a choice of the same two for their minimum or maximum, which leaves it open which of two zeros it is. */
LLVMValueRef
emit_opaque (Emitter       *e,
             AccElementKind kind,
             LLVMValueRef   x)
{
  if (kind == ACC_KIND_F16)
    return LLVMBuildBitCast (B, assembly (e, "mov.b16 $0, $1;", LLVMBuildBitCast (B, x, e->t_i16, ""), NULL), LLVMTypeOf (x), "");

  return assembly (e, kind == ACC_KIND_F64 ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;", x, NULL);
}

LLVMValueRef
emit_approximation (Emitter     *e,
                    AccPrimitive primitive,
                    LLVMValueRef x,
                    LLVMValueRef y)
{
  switch ((int) primitive)
    {
    case ACC_PRIM_FDIV:
      return assembly (e, "div.full.f32 $0, $1, $2;", x, y);
    case ACC_PRIM_RECIP:
      return assembly (e, "rcp.approx.f32 $0, $1;", x, NULL);
    case ACC_PRIM_SQRT:
      return assembly (e, "sqrt.approx.f32 $0, $1;", x, NULL);
    case ACC_PRIM_EXP:
      return assembly (e, "ex2.approx.f32 $0, $1;", LLVMBuildFMul (B, x, emit_float (e->t_f32, 1 / G_LN2), ""), NULL);
    case ACC_PRIM_LOG:
      return LLVMBuildFMul (B, assembly (e, "lg2.approx.f32 $0, $1;", x, NULL), emit_float (e->t_f32, G_LN2), "");
    default:
      return NULL;
    }
}

LLVMValueRef
emit_estimate (Emitter     *e,
               AccPrimitive of,
               LLVMValueRef x)
{
  switch ((int) of)
    {
    case ACC_PRIM_SQRT:
      return assembly (e, "rsqrt.approx.ftz.f32 $0, $1;", x, NULL);
    case ACC_PRIM_EXP:
      return assembly (e, "ex2.approx.ftz.f32 $0, $1;", x, NULL);
    default:
      return assembly (e, "rcp.approx.ftz.f32 $0, $1;", x, NULL);
    }
}

LLVMValueRef
emit_inverse_root (Emitter     *e,
                   LLVMValueRef x)
{
  return assembly (e, "rsqrt.approx.f32 $0, $1;", x, NULL);
}

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
  LLVMValueRef code = LLVMGetInlineAsm (type, text, strlen (text), clobbers, strlen (clobbers), TRUE, FALSE, LLVMInlineAsmDialectATT, FALSE);

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

Value
emit_groups (Emitter *e,
             guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  LLVMValueRef all = LLVMConstAllOnes (e->t_i32);
  Value result = { .shape = SHAPE_UNIFORM };

  switch ((int) instr->op)
    {
    case ACC_KOP_BARRIER:
      emit_call (e, "llvm.nvvm.barrier0", NULL, 0, NULL, 0);
      break;
    case ACC_KOP_SUBGROUP_BARRIER:
      emit_call (e, "llvm.nvvm.bar.warp.sync", NULL, 0, &all, 1);
      break;
    case ACC_KOP_FENCE:
      fence (e);
      break;
    case ACC_KOP_SHUFFLE:
      result.v = shuffle (e, instr->bits >> 32, instr->kind, emit_scalar (e, instr->args[0]), instr->bits & G_MAXUINT32);
      break;
    case ACC_KOP_BALLOT:
      result.v = emit_call (e, "llvm.nvvm.vote.ballot.sync", NULL, 0, (LLVMValueRef[]) { all, emit_scalar (e, instr->args[0]) }, 2);
      break;
    case ACC_KOP_ATOMIC:
      result.v = atomic (e, (KAtomic) instr->bits, instr->kind, emit_element (e, instr->args[0], emit_scalar (e, instr->args[1])),
                         emit_scalar (e, instr->args[2]));
      break;
    case ACC_KOP_CAS:
      result.v = compare_and_swap (e, instr->kind, emit_element (e, instr->args[0], emit_scalar (e, instr->args[1])),
                                   emit_scalar (e, instr->args[2]), emit_scalar (e, instr->args[3]));
      break;
    default:
      g_return_val_if_reached (result);
    }

  return result;
}
