/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include <math.h>

#define B (e->builder)

/* Fused multiply-add for processors without the instruction, where the C library takes a third of a microsecond for each. f32 is computed
 * in f64, which holds products exactly; f64 by the exact product in two parts (Veltkamp, Dekker). The sum is rounded to odd first (S. Boldo
 * and G. Melquiond, "Emulation of a FMA and correctly rounded sums", 2008). It is a function over a register's lanes, since kernels call it
 * many times. */

static LLVMValueRef
two_sum (Emitter      *e,
         LLVMValueRef  a,
         LLVMValueRef  b,
         LLVMValueRef *low)
{
  LLVMValueRef sum = LLVMBuildFAdd (B, a, b, ""), back = LLVMBuildFSub (B, sum, a, "");

  *low = LLVMBuildFAdd (B, LLVMBuildFSub (B, a, LLVMBuildFSub (B, sum, back, ""), ""), LLVMBuildFSub (B, b, back, ""), "");
  return sum;
}

/* Of f64: what is no number of the type becomes that of its neighbours whose last bit is 1. */
static LLVMValueRef
add_to_odd (Emitter     *e,
            LLVMValueRef a,
            LLVMValueRef b)
{
  LLVMValueRef low, sum = two_sum (e, a, b, &low);
  LLVMTypeRef type = LLVMTypeOf (sum), bits_type = emit_type_like (sum, e->t_i64);
  LLVMValueRef bits = LLVMBuildBitCast (B, sum, bits_type, ""), one = emit_int (bits_type, 1);
  LLVMValueRef inexact = LLVMBuildFCmp (B, LLVMRealONE, low, LLVMConstNull (type), "");
  LLVMValueRef step = LLVMBuildAnd (B, LLVMBuildZExt (B, inexact, bits_type, ""), LLVMBuildXor (B, bits, one, ""), "");
  LLVMValueRef differ = LLVMBuildLShr (B, LLVMBuildXor (B, bits, LLVMBuildBitCast (B, low, bits_type, ""), ""), emit_int (bits_type, 63),
                                       "");
  LLVMValueRef twice = LLVMBuildShl (B, LLVMBuildAnd (B, step, differ, ""), one, "");

  return LLVMBuildBitCast (B, LLVMBuildSub (B, LLVMBuildAdd (B, bits, step, ""), twice, ""), type, "");
}

static LLVMValueRef
build_narrow (Emitter     *e,
              LLVMValueRef x,
              LLVMValueRef y,
              LLVMValueRef z)
{
  LLVMTypeRef wide = emit_type_like (x, e->t_f64);
  LLVMValueRef product = LLVMBuildFMul (B, LLVMBuildFPExt (B, x, wide, ""), LLVMBuildFPExt (B, y, wide, ""), "");

  return LLVMBuildFPTrunc (B, add_to_odd (e, product, LLVMBuildFPExt (B, z, wide, "")), LLVMTypeOf (x), "");
}

/* In two parts of no more than 26 bits */
static LLVMValueRef
split (Emitter      *e,
       LLVMValueRef  x,
       LLVMValueRef *low)
{
  LLVMValueRef more = LLVMBuildFMul (B, x, emit_float (LLVMTypeOf (x), 0x1p27 + 1), "");
  LLVMValueRef high = LLVMBuildFSub (B, more, LLVMBuildFSub (B, more, x, ""), "");

  *low = LLVMBuildFSub (B, x, high, "");
  return high;
}

static LLVMValueRef
is_below (Emitter     *e,
          LLVMValueRef x,
          double       limit)
{
  return LLVMBuildFCmp (B, LLVMRealOLT, emit_unary (e, "llvm.fabs", x), emit_float (LLVMTypeOf (x), limit), "");
}

/* Whether no part of the product is lost, also beside the sum, and none is too large. */
static LLVMValueRef
is_usual (Emitter     *e,
          LLVMValueRef x,
          LLVMValueRef y,
          LLVMValueRef z,
          LLVMValueRef product)
{
  LLVMValueRef zero = LLVMConstNull (LLVMTypeOf (x)), small, large;

  small = LLVMBuildAnd (B, is_below (e, product, 0x1p-900), is_below (e, z, 0x1p-800), "");
  small = LLVMBuildAnd (B, small, LLVMBuildFCmp (B, LLVMRealUNE, x, zero, ""), "");
  small = LLVMBuildAnd (B, small, LLVMBuildFCmp (B, LLVMRealUNE, y, zero, ""), "");
  large = LLVMBuildAnd (B, is_below (e, x, 0x1p990), is_below (e, y, 0x1p990), "");
  large = LLVMBuildAnd (B, large, LLVMBuildAnd (B, is_below (e, z, 0x1p1000), is_below (e, product, 0x1p1000), ""), "");

  return LLVMBuildAnd (B, large, LLVMBuildNot (B, small, ""), "");
}

/* Infinities and NaN decide the result by themselves: @z only if the product does not overflow. */
static LLVMValueRef
is_decided (Emitter     *e,
            LLVMValueRef x,
            LLVMValueRef y,
            LLVMValueRef z,
            LLVMValueRef product)
{
  LLVMValueRef of_factors = LLVMBuildFAdd (B, LLVMBuildFSub (B, x, x, ""), LLVMBuildFSub (B, y, y, ""), "");
  LLVMValueRef of_sum = LLVMBuildFSub (B, z, z, "");

  return LLVMBuildOr (B, LLVMBuildFCmp (B, LLVMRealUNO, of_factors, of_factors, ""),
                      LLVMBuildAnd (B, LLVMBuildFCmp (B, LLVMRealUNO, of_sum, of_sum, ""), is_below (e, product, INFINITY), ""), "");
}

static LLVMValueRef
by_library (Emitter     *e,
            LLVMValueRef args[3])
{
  LLVMTypeRef type = LLVMTypeOf (args[0]);
  LLVMValueRef result = args[0];

  if (!emit_is_vector (args[0]))
    return emit_call (e, "llvm.fma", &type, 1, args, 3);

  for (guint i = 0; i < emit_lanes_of (args[0]); i++)
    {
      LLVMValueRef lane = LLVMConstInt (e->t_i32, i, FALSE), of_lane[3];

      for (guint k = 0; k < 3; k++)
        of_lane[k] = LLVMBuildExtractElement (B, args[k], lane, "");
      result = LLVMBuildInsertElement (B, result, by_library (e, of_lane), lane, "");
    }

  return result;
}

static LLVMValueRef
build_wide (Emitter     *e,
            LLVMValueRef x,
            LLVMValueRef y,
            LLVMValueRef z)
{
  LLVMValueRef product = LLVMBuildFMul (B, x, y, ""), x_low, y_low, sum_low, high_low;
  LLVMValueRef x_high = split (e, x, &x_low), y_high = split (e, y, &y_low), rest, sum, high, result, usual, decided, plain;
  LLVMBasicBlockRef before, unlikely, after, unlikely_end;

  rest = LLVMBuildFSub (B, LLVMBuildFMul (B, x_high, y_high, ""), product, "");
  rest = LLVMBuildFAdd (B, rest, LLVMBuildFMul (B, x_high, y_low, ""), "");
  rest = LLVMBuildFAdd (B, rest, LLVMBuildFMul (B, x_low, y_high, ""), "");
  rest = LLVMBuildFAdd (B, rest, LLVMBuildFMul (B, x_low, y_low, ""), "");
  sum = two_sum (e, z, rest, &sum_low);
  high = two_sum (e, product, sum, &high_low);
  result = LLVMBuildFAdd (B, high, add_to_odd (e, sum_low, high_low), "");

  decided = is_decided (e, x, y, z, product);
  usual = is_usual (e, x, y, z, product);
  /* Of 0 the plain sum has the right sign. */
  plain = LLVMBuildOr (B, decided, LLVMBuildFCmp (B, LLVMRealOEQ, result, LLVMConstNull (LLVMTypeOf (x)), ""), "");
  result = emit_select (e, plain, LLVMBuildFAdd (B, product, z, ""), result);

  before = LLVMGetInsertBlock (B);
  unlikely = emit_block (e, "unlikely");
  after = emit_block (e, "after");
  emit_expect_false (e, LLVMBuildCondBr (B, emit_any (e, LLVMBuildNot (B, LLVMBuildOr (B, decided, usual, ""), "")), unlikely, after));
  emit_enter (e, unlikely);
  LLVMValueRef exact = by_library (e, (LLVMValueRef[]) { x, y, z });
  unlikely_end = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, after);
  emit_enter (e, after);

  LLVMValueRef either = LLVMBuildPhi (B, LLVMTypeOf (x), "");
  LLVMAddIncoming (either, (LLVMValueRef[]) { result, exact }, (LLVMBasicBlockRef[]) { before, unlikely_end }, 2);
  return either;
}

/* Of three numbers of @type */
static LLVMValueRef
get_function (Emitter    *e,
              LLVMTypeRef type,
              LLVMTypeRef function_type)
{
  gboolean is_wide = emit_width_of (LLVMGetTypeKind (type) == LLVMVectorTypeKind ? LLVMGetElementType (type) : type) == 64;
  guint lanes = LLVMGetTypeKind (type) == LLVMVectorTypeKind ? LLVMGetVectorSize (type) : 1;
  g_autofree char *name = g_strdup_printf ("fma.%s.%u", is_wide ? "f64" : "f32", lanes);
  LLVMValueRef function = LLVMGetNamedFunction (e->module, name), caller = e->function, args[3];
  LLVMBasicBlockRef here = LLVMGetInsertBlock (B);

  if (function != NULL)
    return function;

  function = LLVMAddFunction (e->module, name, function_type);
  LLVMSetLinkage (function, LLVMInternalLinkage);
  emit_set_attribute (e, function, LLVMAttributeFunctionIndex, "nounwind", 0);
  emit_set_attribute (e, function, LLVMAttributeFunctionIndex, "noinline", 0);
  for (guint i = 0; i < 3; i++)
    args[i] = LLVMGetParam (function, i);

  e->function = function;
  emit_enter (e, emit_block (e, ""));
  LLVMBuildRet (B, is_wide ? build_wide (e, args[0], args[1], args[2]) : build_narrow (e, args[0], args[1], args[2]));
  e->function = caller;
  LLVMPositionBuilderAtEnd (B, here);

  return function;
}

LLVMValueRef
emit_fma (Emitter     *e,
          LLVMValueRef x,
          LLVMValueRef y,
          LLVMValueRef z)
{
  LLVMValueRef args[] = { x, y, z }, parts[64];
  LLVMTypeRef type = LLVMTypeOf (x), part_type, function_type;
  guint lanes = emit_lanes_of (x), n = lanes, most;

  if (e->target->has_fma || e->kernel->group_size > 0)
    return emit_call (e, "llvm.fma", &type, 1, args, 3);

  most = e->target->register_bytes * 8 / emit_width_of (lanes > 1 ? LLVMGetElementType (type) : type);
  while (n > most && n % 2 == 0)
    n /= 2;
  part_type = lanes > 1 ? emit_wide_type (LLVMGetElementType (type), n) : type;
  function_type = LLVMFunctionType (part_type, (LLVMTypeRef[]) { part_type, part_type, part_type }, 3, FALSE);

  LLVMValueRef function = get_function (e, part_type, function_type);

  for (guint i = 0; i < lanes / n; i++)
    {
      LLVMValueRef of_part[3];

      for (guint k = 0; k < 3; k++)
        of_part[k] = n < lanes ? emit_part (e, args[k], i * n, n) : args[k];
      parts[i] = LLVMBuildCall2 (B, function_type, function, of_part, 3, "");
    }

  return emit_concatenate (e, parts, lanes / n);
}
