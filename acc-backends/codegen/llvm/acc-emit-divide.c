/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Integer division: never traps, x by 0 is 0, the minimum by -1 is itself with remainder 0.
 *
 * x86 divides integers one at a time and floats by the register. For |x|, |y| < 2^p the float quotient, truncated, is the
 * integer one where the significand has at least p bits: x / y falls short of the next integer by at least 1 / |y|, and
 * rounding moves it by at most (|x| / |y|) 2^-p, which is less. So 8 and 16 bits go by f32 (p = 24), 32 bits by f64 (p = 53);
 * so do indices, which are below 2^52, and of 64 bits what is not larger. */

static LLVMValueRef
divide_by_float (Emitter     *e,
                 LLVMValueRef x,
                 LLVMValueRef y,
                 gboolean     is_signed,
                 guint        width)
{
  LLVMTypeRef type = LLVMTypeOf (x);
  LLVMTypeRef real = emit_type_like (x, width <= 16 ? e->t_f32 : e->t_f64);
  LLVMTypeRef word = emit_type_like (x, e->t_i32);
  LLVMValueRef q;

  if (width < 32)
    {
      x = LLVMBuildIntCast2 (B, x, word, is_signed, "");
      y = LLVMBuildIntCast2 (B, y, word, is_signed, "");
      is_signed = TRUE;
    }
  if (is_signed)
    {
      q = LLVMBuildFDiv (B, LLVMBuildSIToFP (B, x, real, ""), LLVMBuildSIToFP (B, y, real, ""), "");
      q = LLVMBuildFPToSI (B, q, word, "");
    }
  else
    {
      q = LLVMBuildFDiv (B, LLVMBuildUIToFP (B, x, real, ""), LLVMBuildUIToFP (B, y, real, ""), "");
      q = LLVMBuildFPToUI (B, q, word, "");
    }

  return LLVMBuildIntCast2 (B, q, type, TRUE, "");
}

static gboolean
constant_value (LLVMValueRef x,
                gint64      *value)
{
  if (!LLVMIsConstant (x))
    return FALSE;
  if (emit_is_vector (x))
    {
      LLVMValueRef first = LLVMGetAggregateElement (x, 0);

      for (guint i = 1; i < emit_lanes_of (x); i++)
        if (LLVMGetAggregateElement (x, i) != first)
          return FALSE;
      x = first;
    }
  if (x == NULL || !LLVMIsAConstantInt (x))
    return FALSE;
  *value = LLVMConstIntGetSExtValue (x);

  return TRUE;
}

static LLVMValueRef
divide_lane (Emitter     *e,
             LLVMValueRef x,
             LLVMValueRef y,
             gpointer     is_signed)
{
  return is_signed ? LLVMBuildSDiv (B, x, y, "") : LLVMBuildUDiv (B, x, y, "");
}

/* 64 bits: where all lanes are within 2^52, as most are, by f64; else lane after lane. */
static LLVMValueRef
divide_long (Emitter     *e,
             LLVMValueRef x,
             LLVMValueRef y,
             gboolean     is_signed)
{
  LLVMTypeRef type = LLVMTypeOf (x), real = emit_type_like (x, e->t_f64);
  LLVMValueRef offset = emit_int (type, is_signed ? 1ll << 52 : 0), high, q[2], result;
  LLVMBasicBlockRef blocks[2], after;

  if (!e->target->has_masks)
    return emit_by_lane (e, divide_lane, GINT_TO_POINTER (is_signed), x, y);

  blocks[0] = emit_block (e, "divide.short");
  blocks[1] = emit_block (e, "divide.long");
  after = emit_block (e, "divide.end");
  high = LLVMBuildOr (B, LLVMBuildAdd (B, x, offset, ""), LLVMBuildAdd (B, y, offset, ""), "");
  high = LLVMBuildICmp (B, LLVMIntUGT, high, emit_int (type, (1ll << 53) - 1), "");
  LLVMBuildCondBr (B, emit_any (e, high), blocks[1], blocks[0]);

  emit_enter (e, blocks[0]);
  q[0] = LLVMBuildFDiv (B, LLVMBuildSIToFP (B, x, real, ""), LLVMBuildSIToFP (B, y, real, ""), "");
  q[0] = LLVMBuildFPToSI (B, q[0], type, "");
  blocks[0] = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, after);

  emit_enter (e, blocks[1]);
  q[1] = emit_by_lane (e, divide_lane, GINT_TO_POINTER (is_signed), x, y);
  blocks[1] = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, after);

  emit_enter (e, after);
  result = LLVMBuildPhi (B, type, "");
  LLVMAddIncoming (result, q, blocks, 2);

  return result;
}

LLVMValueRef
emit_divide (Emitter       *e,
             AccPrimitive   primitive,
             AccElementKind kind,
             LLVMValueRef   x,
             LLVMValueRef   y)
{
  gboolean is_signed = acc_element_kind_is_signed (kind);
  gboolean floors = is_signed && acc_primitive_floors (primitive), wants_quotient = acc_primitive_wants_quotient (primitive);
  guint width = acc_element_kind_get_size (kind) * 8;
  LLVMTypeRef type = LLVMTypeOf (x);
  LLVMValueRef zero = LLVMConstNull (type), is_zero = NULL, q, r;
  gint64 constant = 0;

  if (constant_value (y, &constant))
    {
      if (constant == 0)
        return zero;
      if (is_signed && constant == -1)
        return wants_quotient ? LLVMBuildNeg (B, x, "") : zero;
      if (emit_is_vector (x) && width == 64 && (constant < 0 || (constant & (constant - 1))))
        q = divide_long (e, x, y, is_signed);
      else
        q = is_signed ? LLVMBuildSDiv (B, x, y, "") : LLVMBuildUDiv (B, x, y, "");
    }
  else
    {
      LLVMValueRef bad;

      is_zero = bad = LLVMBuildICmp (B, LLVMIntEQ, y, zero, "");
      if (is_signed && !(emit_is_vector (x) && width < 32))
        {
          LLVMValueRef lowest = LLVMBuildICmp (B, LLVMIntEQ, x, emit_int (type, (gint64) (1ull << (width - 1))), "");
          LLVMValueRef minus_one = LLVMBuildICmp (B, LLVMIntEQ, y, emit_int (type, -1), "");

          bad = LLVMBuildOr (B, bad, LLVMBuildAnd (B, lowest, minus_one, ""), "");
        }
      y = emit_select (e, bad, emit_int (type, 1), y);

      if (emit_is_vector (x) && width <= 32)
        q = divide_by_float (e, x, y, is_signed, width);
      else if (emit_is_vector (x))
        q = divide_long (e, x, y, is_signed);
      else
        q = is_signed ? LLVMBuildSDiv (B, x, y, "") : LLVMBuildUDiv (B, x, y, "");
    }

  r = LLVMBuildSub (B, x, LLVMBuildMul (B, q, y, ""), "");
  if (floors)
    {
      LLVMValueRef inexact = LLVMBuildICmp (B, LLVMIntNE, r, zero, "");
      LLVMValueRef opposed = LLVMBuildICmp (B, LLVMIntSLT, LLVMBuildXor (B, r, y, ""), zero, "");
      LLVMValueRef adjust = LLVMBuildAnd (B, inexact, opposed, "");

      if (wants_quotient)
        q = emit_select (e, adjust, LLVMBuildSub (B, q, emit_int (type, 1), ""), q);
      else
        r = emit_select (e, adjust, LLVMBuildAdd (B, r, y, ""), r);
    }

  /* By 0 was by 1: its remainder is 0 already. */
  if (!wants_quotient)
    return r;

  return is_zero != NULL ? emit_select (e, is_zero, zero, q) : q;
}

/* i64 to f64 and back for 0 <= x < 2^52, where the machine has no instruction for it: the bits of 2^52 + x end in x. */
static LLVMValueRef
index_to_float (Emitter     *e,
                LLVMValueRef x)
{
  LLVMTypeRef type = LLVMTypeOf (x), real = emit_type_like (x, e->t_f64);
  LLVMValueRef bits;

  if (e->target->has_masks)
    return LLVMBuildSIToFP (B, x, real, "");
  bits = LLVMBuildOr (B, x, emit_int (type, 0x4330000000000000), "");

  return LLVMBuildFSub (B, LLVMBuildBitCast (B, bits, real, ""), emit_float (real, 0x1p52), "");
}

static LLVMValueRef
index_from_float (Emitter     *e,
                  LLVMValueRef x)
{
  LLVMTypeRef type = emit_type_like (x, e->t_i64), real = LLVMTypeOf (x);
  LLVMValueRef bits;

  /* Frozen: a lane that does not take part may hold what has no integer. */
  if (e->target->has_masks)
    return LLVMBuildFreeze (B, LLVMBuildFPToSI (B, x, type, ""), "");
  bits = LLVMBuildBitCast (B, LLVMBuildFAdd (B, emit_unary (e, "llvm.trunc", x), emit_float (real, 0x1p52), ""), type, "");

  return LLVMBuildAnd (B, bits, emit_int (type, 0xfffffffffffff), "");
}

/* Quotient of i64, 0 <= x < 2^52 and 0 < y. Inactive lanes may hold anything, zero too. */
LLVMValueRef
emit_index_division (Emitter     *e,
                     LLVMValueRef x,
                     LLVMValueRef y)
{
  LLVMTypeRef type = LLVMTypeOf (x);
  gint64 constant;

  if (constant_value (y, &constant) && constant > 0)
    {
      if (!(constant & (constant - 1)) || !emit_is_vector (x))
        return LLVMBuildUDiv (B, x, y, "");
    }
  else if (!emit_is_vector (x))
    return LLVMBuildUDiv (B, x, emit_binary (e, "llvm.umax", y, emit_int (type, 1)), "");
  else
    y = emit_binary (e, "llvm.umax", y, emit_int (type, 1));

  x = LLVMBuildAnd (B, x, emit_int (type, 0xfffffffffffff), "");
  y = LLVMBuildAnd (B, y, emit_int (type, 0xfffffffffffff), "");

  return index_from_float (e, LLVMBuildFDiv (B, index_to_float (e, x), index_to_float (e, y), ""));
}

LLVMValueRef
emit_index_remainder (Emitter     *e,
                      LLVMValueRef x,
                      LLVMValueRef y)
{
  return LLVMBuildSub (B, x, LLVMBuildMul (B, emit_index_division (e, x, y), y, ""), "");
}
