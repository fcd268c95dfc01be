/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include <string.h>

#define B (e->builder)

/* Instructions of NVIDIA's devices that LLVM has no intrinsic for. */

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

/* By inline assembly, which is opaque to LLVM: it would compute in 16 bits what is written in 32. */
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
  static const char *const texts[ACC_N_PRIMITIVES] = {
    [ACC_PRIM_FDIV] = "div.full.f32 $0, $1, $2;", [ACC_PRIM_RECIP] = "rcp.approx.f32 $0, $1;", [ACC_PRIM_SQRT] = "sqrt.approx.f32 $0, $1;",
    [ACC_PRIM_EXP] = "ex2.approx.f32 $0, $1;", [ACC_PRIM_LOG] = "lg2.approx.f32 $0, $1;",
  };
  LLVMValueRef result;

  if (texts[primitive] == NULL)
    return NULL;
  if (primitive == ACC_PRIM_EXP)
    x = LLVMBuildFMul (B, x, emit_float (e->t_f32, 1 / G_LN2), "");
  result = assembly (e, texts[primitive], x, primitive == ACC_PRIM_FDIV ? y : NULL);

  return primitive == ACC_PRIM_LOG ? LLVMBuildFMul (B, result, emit_float (e->t_f32, G_LN2), "") : result;
}

LLVMValueRef
emit_estimate (Emitter     *e,
               AccPrimitive of,
               LLVMValueRef x)
{
  const char *text = of == ACC_PRIM_SQRT ? "rsqrt.approx.ftz.f32 $0, $1;" : of == ACC_PRIM_EXP ? "ex2.approx.ftz.f32 $0, $1;"
                     : "rcp.approx.ftz.f32 $0, $1;";

  return assembly (e, text, x, NULL);
}

LLVMValueRef
emit_inverse_root (Emitter     *e,
                   LLVMValueRef x)
{
  return assembly (e, "rsqrt.approx.f32 $0, $1;", x, NULL);
}
