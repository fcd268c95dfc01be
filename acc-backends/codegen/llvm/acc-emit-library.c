/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"
#include "acc-backends/ir/math/acc-math.h"

#define B (e->builder)

/* Transcendental primitives by the C library, lane after lane, or by CUDA's: what precise kernels ask for. */

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

/* A loop over the lanes of @x and @y; the results as a vector. */
LLVMValueRef
emit_by_lane (Emitter     *e,
              LaneFunc     func,
              gpointer     data,
              LLVMValueRef x,
              LLVMValueRef y)
{
  LLVMTypeRef type = LLVMTypeOf (x), element = LLVMGetElementType (type);
  LLVMValueRef xs = emit_stack (e, type, 64), ys = NULL, lane, next, place;
  LLVMBasicBlockRef before, body = emit_block (e, "lane"), after = emit_block (e, "lane.end"), latch;

  LLVMBuildStore (B, x, xs);
  if (y != NULL)
    {
      ys = emit_stack (e, type, 64);
      LLVMBuildStore (B, y, ys);
    }

  before = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, body);
  emit_enter (e, body);
  lane = LLVMBuildPhi (B, e->t_i64, "");
  place = LLVMBuildGEP2 (B, element, xs, &lane, 1, "");
  x = LLVMBuildLoad2 (B, element, place, "");
  if (ys != NULL)
    y = LLVMBuildLoad2 (B, element, LLVMBuildGEP2 (B, element, ys, &lane, 1, ""), "");
  LLVMBuildStore (B, func (e, x, y, data), place);
  next = LLVMBuildAdd (B, lane, LLVMConstInt (e->t_i64, 1, FALSE), "");
  latch = LLVMGetInsertBlock (B);
  LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntULT, next, LLVMConstInt (e->t_i64, LLVMGetVectorSize (type), FALSE), ""),
                   body, after);
  LLVMAddIncoming (lane, (LLVMValueRef[]) { LLVMConstNull (e->t_i64), next }, (LLVMBasicBlockRef[]) { before, latch }, 2);
  emit_enter (e, after);

  return LLVMBuildLoad2 (B, type, xs, "");
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
