/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include <math.h>

/* Emits conversions between element kinds. */

#define B (e->builder)

/* The larger of x and a constant; the constant where x is NaN. */
static LLVMValueRef
at_least (Emitter     *e,
          LLVMValueRef x,
          double       bound)
{
  LLVMValueRef limit = emit_float (LLVMTypeOf (x), bound);

  return emit_select (e, LLVMBuildFCmp (B, LLVMRealOGT, x, limit, ""), x, limit);
}

static LLVMValueRef
at_most (Emitter     *e,
         LLVMValueRef x,
         double       bound)
{
  LLVMValueRef limit = emit_float (LLVMTypeOf (x), bound);

  return emit_select (e, LLVMBuildFCmp (B, LLVMRealOLT, x, limit, ""), x, limit);
}

/* f32 or f64 to an integer, saturating, NaN to 0. Where the float type holds the bounds, clamping does it; else the upper
 * bound, a power of two, is compared for. */
static LLVMValueRef
float_to_int (Emitter       *e,
              AccElementKind from,
              AccElementKind to,
              LLVMValueRef   x)
{
  gboolean is_signed = acc_element_kind_is_signed (to);
  guint width = acc_element_kind_get_size (to) * 8;
  guint precision = from == ACC_KIND_F32 ? 24 : 53;
  double past = ldexp (1, is_signed ? width - 1 : width);
  LLVMTypeRef type = emit_type_like (x, emit_type (e, to));
  LLVMTypeRef word = width < 32 ? emit_type_like (x, e->t_i32) : type;
  LLVMValueRef v = at_least (e, x, is_signed ? -past : 0), over = NULL, result;

  if (width <= precision)
    v = at_most (e, v, past - 1);
  else
    {
      over = LLVMBuildFCmp (B, LLVMRealOGE, x, emit_float (LLVMTypeOf (x), past), "");
      v = emit_select (e, over, emit_float (LLVMTypeOf (x), 0), v);
    }

  if (is_signed || width < 32)
    result = LLVMBuildFPToSI (B, v, word, "");
  else
    result = LLVMBuildFPToUI (B, v, word, "");
  result = LLVMBuildIntCast2 (B, result, type, TRUE, "");

  if (over != NULL)
    result = emit_select (e, over, is_signed ? emit_int (type, G_MAXINT64 >> (64 - width)) : LLVMConstAllOnes (type), result);
  if (is_signed)
    result = emit_select (e, LLVMBuildFCmp (B, LLVMRealUNO, x, x, ""), LLVMConstNull (type), result);

  return result;
}

static LLVMValueRef
int_to_float (Emitter       *e,
              AccElementKind from,
              AccElementKind to,
              LLVMValueRef   x)
{
  gboolean is_signed = acc_element_kind_is_signed (from);
  LLVMTypeRef type = emit_type_like (x, emit_type (e, to));

  /* Integers that f32 would round are beyond f16: no second rounding. */
  if (to == ACC_KIND_F16)
    return LLVMBuildFPTrunc (B, int_to_float (e, from, ACC_KIND_F32, x), type, "");

  if (acc_element_kind_get_size (from) < 4)
    {
      x = LLVMBuildIntCast2 (B, x, emit_type_like (x, e->t_i32), is_signed, "");
      is_signed = TRUE;
    }

  return is_signed ? LLVMBuildSIToFP (B, x, type, "") : LLVMBuildUIToFP (B, x, type, "");
}

/* f64 to f16 by way of f32 without a second rounding: the first one rounds to odd. */
static LLVMValueRef
double_to_half (Emitter     *e,
                LLVMValueRef x)
{
  LLVMTypeRef type = emit_type_like (x, e->t_f16), single = emit_type_like (x, e->t_f32);
  LLVMTypeRef word = emit_type_like (x, e->t_i32), wide = LLVMTypeOf (x);
  LLVMValueRef rounded, back, bits, is_larger, is_inexact, odd;

  if (e->target->has_half)
    return LLVMBuildFPTrunc (B, x, type, "");

  rounded = LLVMBuildFPTrunc (B, x, single, "");
  back = LLVMBuildFPExt (B, rounded, wide, "");
  bits = LLVMBuildBitCast (B, rounded, word, "");
  is_larger = LLVMBuildFCmp (B, LLVMRealOGT, emit_unary (e, "llvm.fabs", back), emit_unary (e, "llvm.fabs", x), "");
  is_inexact = LLVMBuildFCmp (B, LLVMRealONE, back, x, "");
  odd = LLVMBuildAdd (B, bits, LLVMBuildSExt (B, is_larger, word, ""), "");
  odd = LLVMBuildOr (B, odd, LLVMBuildZExt (B, is_inexact, word, ""), "");

  return LLVMBuildFPTrunc (B, LLVMBuildBitCast (B, odd, single, ""), type, "");
}

static LLVMValueRef
float_to_float (Emitter       *e,
                AccElementKind from,
                AccElementKind to,
                LLVMValueRef   x)
{
  LLVMTypeRef type = emit_type_like (x, emit_type (e, to));

  if (from == ACC_KIND_F64 && to == ACC_KIND_F16)
    return double_to_half (e, x);
  if (from == ACC_KIND_F16 && to == ACC_KIND_F64)
    x = LLVMBuildFPExt (B, x, emit_type_like (x, e->t_f32), "");
  if (to < from)
    return emit_fence (e, LLVMBuildFPTrunc (B, x, type, ""));

  return emit_fence (e, LLVMBuildFPExt (B, x, type, ""));
}

LLVMValueRef
emit_cast (Emitter       *e,
           AccElementKind from,
           AccElementKind to,
           LLVMValueRef   x)
{
  gboolean from_float = acc_element_kind_is_float (from), to_float = acc_element_kind_is_float (to);
  LLVMTypeRef type = emit_type_like (x, emit_type (e, to));

  if (from == to)
    return x;
  if (to == ACC_KIND_BOOL)
    {
      /* As other comparisons of halves are: NVIDIA's assembler was seen to take a half for other than 0 that is not. */
      if (from == ACC_KIND_F16 && !e->target->has_half)
        x = float_to_float (e, from, ACC_KIND_F32, x);
      if (from_float)
        return LLVMBuildFCmp (B, LLVMRealUNE, x, LLVMConstNull (LLVMTypeOf (x)), "");
      return LLVMBuildICmp (B, LLVMIntNE, x, LLVMConstNull (LLVMTypeOf (x)), "");
    }
  if (from == ACC_KIND_BOOL)
    {
      if (to_float)
        return emit_select (e, x, emit_float (type, 1), emit_float (type, 0));
      return LLVMBuildZExt (B, x, type, "");
    }
  if (from_float && to_float)
    return float_to_float (e, from, to, x);
  if (to_float)
    return int_to_float (e, from, to, x);
  if (from_float)
    {
      if (from != ACC_KIND_F16)
        return float_to_int (e, from, to, x);
      return float_to_int (e, ACC_KIND_F32, to, float_to_float (e, from, ACC_KIND_F32, x));
    }

  return LLVMBuildIntCast2 (B, x, type, acc_element_kind_is_signed (from), "");
}

LLVMValueRef
emit_bitcast (Emitter       *e,
              AccElementKind from,
              AccElementKind to,
              LLVMValueRef   x)
{
  LLVMTypeRef type = emit_type_like (x, emit_type (e, to));

  if (from == ACC_KIND_BOOL && to != ACC_KIND_BOOL)
    return LLVMBuildZExt (B, x, type, "");
  if (to == ACC_KIND_BOOL && from != ACC_KIND_BOOL)
    return LLVMBuildICmp (B, LLVMIntNE, x, LLVMConstNull (LLVMTypeOf (x)), "");

  return LLVMBuildBitCast (B, x, type, "");
}
