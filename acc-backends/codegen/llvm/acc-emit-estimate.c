/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Quotients and roots of vectors of f32 by what x86 estimates of 1/x and 1/√x and one step of Newton's method: relative errors of
 * 2^-14 (AVX-512) or 1.5 2^-12 (AVX) are squared by it. A step from an estimate that is 0 or infinite is NaN; then the estimate
 * is the result. */

/* More than the distance to 1 of an inverse root squared times its number: twice the relative error of any estimate */
#define MOST_REST 0x1p-10

/* NULL: the processor has none for so many lanes. */
static LLVMValueRef
estimate (Emitter     *e,
          gboolean     of_root,
          LLVMValueRef x)
{
  static const char *const intrinsics[2][3] = {
    { "llvm.x86.avx.rcp.ps.256", "llvm.x86.avx512.rcp14.ps.256", "llvm.x86.avx512.rcp14.ps.512" },
    { "llvm.x86.avx.rsqrt.ps.256", "llvm.x86.avx512.rsqrt14.ps.256", "llvm.x86.avx512.rsqrt14.ps.512" },
  };
  guint lanes = emit_lanes_of (x), most = e->target->has_masks && e->target->register_bytes >= 64 ? 16 : 8;

  if (!e->target->has_fma || !(e->target->has_masks || e->target->has_masked_words) || lanes % 8 != 0)
    return NULL;

  if (lanes > most)
    {
      LLVMValueRef halves[2];

      for (guint i = 0; i < 2; i++)
        halves[i] = estimate (e, of_root, emit_part (e, x, i * (lanes / 2), lanes / 2));
      return halves[0] != NULL ? emit_concatenate (e, halves, 2) : NULL;
    }

  if (e->target->has_masks)
    {
      LLVMValueRef args[] = { x, LLVMGetUndef (LLVMTypeOf (x)), LLVMConstAllOnes (lanes == 16 ? e->t_i16 : e->t_i8) };

      return emit_call (e, intrinsics[of_root][lanes == 16 ? 2 : 1], NULL, 0, args, 3);
    }

  return emit_call (e, intrinsics[of_root][0], NULL, 0, &x, 1);
}

static LLVMValueRef
multiply_add (Emitter     *e,
              LLVMValueRef x,
              LLVMValueRef y,
              LLVMValueRef z)
{
  LLVMTypeRef type = LLVMTypeOf (x);

  return emit_call (e, "llvm.fma", &type, 1, (LLVMValueRef[]) { x, y, z }, 3);
}

static LLVMValueRef
is_nan (Emitter     *e,
        LLVMValueRef x)
{
  return LLVMBuildFCmp (B, LLVMRealUNO, x, x, "");
}

static LLVMValueRef
quotient (Emitter     *e,
          LLVMValueRef x,
          LLVMValueRef y)
{
  LLVMValueRef r = estimate (e, FALSE, y), q, step;

  if (r == NULL)
    return NULL;

  q = x != NULL ? LLVMBuildFMul (B, x, r, "") : r;
  x = x != NULL ? x : emit_float (LLVMTypeOf (y), 1);

  step = multiply_add (e, multiply_add (e, LLVMBuildFNeg (B, y, ""), q, x), r, q);

  return emit_select (e, is_nan (e, step), q, step);
}

LLVMValueRef
emit_quick_inverse_root (Emitter     *e,
                         LLVMValueRef x)
{
  LLVMTypeRef type = LLVMTypeOf (x);
  LLVMValueRef r = estimate (e, TRUE, x), rest, most;

  if (r == NULL)
    return NULL;

  rest = multiply_add (e, LLVMBuildFNeg (B, LLVMBuildFMul (B, x, r, ""), ""), r, emit_float (type, 1));
  /* NaN becomes the bound: with any positive number, a step from 0 or an infinity stays there. That is one instruction, and not one of the
   * multipliers. */
  most = emit_float (type, MOST_REST);
  rest = emit_select (e, LLVMBuildFCmp (B, LLVMRealOLT, rest, most, ""), rest, most);

  return multiply_add (e, rest, LLVMBuildFMul (B, r, emit_float (type, 0.5), ""), r);
}

static LLVMValueRef
root (Emitter     *e,
      LLVMValueRef x)
{
  LLVMTypeRef type = LLVMTypeOf (x);
  LLVMValueRef r = estimate (e, TRUE, x), s, rest, step, is_itself;

  if (r == NULL)
    return NULL;

  s = LLVMBuildFMul (B, x, r, "");
  rest = multiply_add (e, LLVMBuildFNeg (B, s, ""), s, x);
  step = multiply_add (e, rest, LLVMBuildFMul (B, r, emit_float (type, 0.5), ""), s);
  /* Zeros and infinity are their own roots. */
  is_itself = LLVMBuildAnd (B, is_nan (e, rest), LLVMBuildFCmp (B, LLVMRealOGE, x, emit_float (type, 0), ""), "");

  return emit_select (e, is_itself, x, step);
}

LLVMValueRef
emit_quick (Emitter     *e,
            AccPrimitive primitive,
            LLVMValueRef x,
            LLVMValueRef y)
{
  if (primitive == ACC_PRIM_FDIV)
    return quotient (e, x, y);
  if (primitive == ACC_PRIM_RECIP)
    return quotient (e, NULL, x);

  return primitive == ACC_PRIM_SQRT ? root (e, x) : NULL;
}
