/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"
#include "acc-backends/ir/math/acc-math.h"

#define B (e->builder)

/* Calls the C library for transcendental primitives, lane by lane, or CUDA's: for precise kernels. */

static LLVMValueRef
call (Emitter       *e,
      AccPrimitive   primitive,
      AccElementKind kind,
      LLVMValueRef   x,
      LLVMValueRef   y)
{
  static const char *const attributes[] = { "nounwind", "willreturn", "nobuiltin" };
  LLVMTypeRef type = emit_type (e, kind);
  g_autofree char *name = g_strconcat (e->kernel->group_size > 0 ? "__nv_" : "", acc_math_get_library (primitive),
                                       kind == ACC_KIND_F32 ? "f" : "", NULL);
  LLVMTypeRef function_type = LLVMFunctionType (type, (LLVMTypeRef[]) { type, type }, y != NULL ? 2 : 1, FALSE);
  LLVMValueRef function = LLVMGetNamedFunction (e->module, name);
  LLVMValueRef result;

  if (function == NULL)
    function = LLVMAddFunction (e->module, name, function_type);
  result = LLVMBuildCall2 (B, function_type, function, (LLVMValueRef[]) { x, y }, y != NULL ? 2 : 1, "");

  /* No builtin: LLVM would rewrite some calls, those with constants, and lanes would differ. */
  for (guint i = 0; i < G_N_ELEMENTS (attributes); i++)
    emit_set_call_attribute (e, result, attributes[i], 0);

  return result;
}

static LLVMValueRef
scalar_library (Emitter       *e,
                AccPrimitive   primitive,
                AccElementKind kind,
                LLVMValueRef   x,
                LLVMValueRef   y)
{
  if (primitive == ACC_PRIM_LOGBASE)
    return LLVMBuildFDiv (B, call (e, ACC_PRIM_LOG, kind, y, NULL), call (e, ACC_PRIM_LOG, kind, x, NULL), "");

  return call (e, primitive, kind, x, y);
}

typedef struct {
  AccPrimitive   primitive;
  AccElementKind kind;
} LibraryCall;

static LLVMValueRef
library_of_lane (Emitter     *e,
                 LLVMValueRef x,
                 LLVMValueRef y,
                 gpointer     data)
{
  LibraryCall *wanted = data;

  return scalar_library (e, wanted->primitive, wanted->kind, x, y);
}

LLVMValueRef
emit_library (Emitter       *e,
              AccPrimitive   primitive,
              AccElementKind kind,
              LLVMValueRef   x,
              LLVMValueRef   y)
{
  LibraryCall wanted = { primitive, kind };

  if (kind == ACC_KIND_F16)
    {
      LLVMTypeRef wide = emit_type_like (x, e->t_f32);
      LLVMValueRef result = emit_library (e, primitive, ACC_KIND_F32, LLVMBuildFPExt (B, x, wide, ""),
                                          y != NULL ? LLVMBuildFPExt (B, y, wide, "") : NULL);

      return LLVMBuildFPTrunc (B, result, LLVMTypeOf (x), "");
    }
  if (!emit_is_vector (x))
    return scalar_library (e, primitive, kind, x, y);

  return emit_by_lane (e, library_of_lane, &wanted, x, y);
}
