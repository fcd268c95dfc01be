/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include <string.h>

LLVMTypeRef
emit_type (Emitter       *e,
           AccElementKind kind)
{
  switch (kind)
    {
    case ACC_KIND_BOOL:
      return e->t_i1;
    case ACC_KIND_I8:
    case ACC_KIND_U8:
      return e->t_i8;
    case ACC_KIND_I16:
    case ACC_KIND_U16:
      return e->t_i16;
    case ACC_KIND_I32:
    case ACC_KIND_U32:
      return e->t_i32;
    case ACC_KIND_I64:
    case ACC_KIND_U64:
      return e->t_i64;
    case ACC_KIND_F16:
      return e->t_f16;
    case ACC_KIND_F32:
      return e->t_f32;
    case ACC_KIND_F64:
      return e->t_f64;
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR:
    default:
      g_return_val_if_reached (e->t_i64);
    }
}

LLVMTypeRef
emit_memory_type (Emitter       *e,
                  AccElementKind kind)
{
  if (kind == ACC_KIND_BOOL)
    return e->t_i8;
  if (kind == ACC_KIND_F16)
    return e->t_i16;

  return emit_type (e, kind);
}

/* A scalar from the 8 bytes of its slot. */
LLVMValueRef
emit_from_slot (Emitter       *e,
                AccElementKind kind,
                LLVMValueRef   bits)
{
  guint width = acc_element_kind_get_size (kind) * 8;

  bits = LLVMBuildIntCast2 (e->builder, bits, LLVMIntTypeInContext (e->context, width), FALSE, "");
  if (kind == ACC_KIND_BOOL)
    return LLVMBuildICmp (e->builder, LLVMIntNE, bits, LLVMConstNull (e->t_i8), "");

  return LLVMBuildBitCast (e->builder, bits, emit_type (e, kind), "");
}

gboolean
emit_is_vector (LLVMValueRef x)
{
  return LLVMGetTypeKind (LLVMTypeOf (x)) == LLVMVectorTypeKind;
}

guint
emit_lanes_of (LLVMValueRef x)
{
  return emit_is_vector (x) ? LLVMGetVectorSize (LLVMTypeOf (x)) : 1;
}

LLVMTypeRef
emit_wide_type (LLVMTypeRef scalar,
                guint       lanes)
{
  return lanes > 1 ? LLVMVectorType (scalar, lanes) : scalar;
}

guint
emit_width_of (LLVMTypeRef scalar)
{
  LLVMTypeKind kind = LLVMGetTypeKind (scalar);

  if (kind == LLVMIntegerTypeKind)
    return LLVMGetIntTypeWidth (scalar);

  return kind == LLVMHalfTypeKind ? 16 : kind == LLVMFloatTypeKind ? 32 : 64;
}

LLVMTypeRef
emit_type_like (LLVMValueRef x,
                LLVMTypeRef  scalar)
{
  return emit_is_vector (x) ? LLVMVectorType (scalar, LLVMGetVectorSize (LLVMTypeOf (x))) : scalar;
}

static LLVMValueRef
constant_of_all (LLVMTypeRef  type,
                 LLVMValueRef constant)
{
  g_autofree LLVMValueRef *constants = NULL;
  guint n;

  if (LLVMGetTypeKind (type) != LLVMVectorTypeKind)
    return constant;

  n = LLVMGetVectorSize (type);
  constants = g_new (LLVMValueRef, n);
  for (guint i = 0; i < n; i++)
    constants[i] = constant;

  return LLVMConstVector (constants, n);
}

static LLVMTypeRef
scalar_of (LLVMTypeRef type)
{
  return LLVMGetTypeKind (type) == LLVMVectorTypeKind ? LLVMGetElementType (type) : type;
}

LLVMValueRef
emit_int (LLVMTypeRef type,
          gint64      value)
{
  return constant_of_all (type, LLVMConstInt (scalar_of (type), value, TRUE));
}

LLVMValueRef
emit_float (LLVMTypeRef type,
            double      value)
{
  return constant_of_all (type, LLVMConstReal (scalar_of (type), value));
}

LLVMValueRef
emit_all (Emitter *e,
          gboolean value)
{
  return emit_int (emit_wide_type (e->t_i1, e->lanes), value ? 1 : 0);
}

LLVMValueRef
emit_steps (Emitter    *e,
            LLVMTypeRef scalar,
            gint64      stride)
{
  g_autofree LLVMValueRef *constants = g_new (LLVMValueRef, e->lanes);

  for (guint i = 0; i < e->lanes; i++)
    constants[i] = LLVMConstInt (scalar, (guint64) stride * i, TRUE);

  return LLVMConstVector (constants, e->lanes);
}

LLVMValueRef
emit_splat (Emitter     *e,
            LLVMValueRef x,
            guint        lanes)
{
  LLVMTypeRef type = LLVMVectorType (LLVMTypeOf (x), lanes);
  LLVMValueRef first;

  if (lanes <= 1)
    return x;
  if (LLVMIsConstant (x))
    return constant_of_all (type, x);

  first = LLVMBuildInsertElement (e->builder, LLVMGetPoison (type), x, LLVMConstInt (e->t_i32, 0, FALSE), "");

  return LLVMBuildShuffleVector (e->builder, first, LLVMGetPoison (type),
                                 LLVMConstNull (LLVMVectorType (e->t_i32, lanes)), "");
}

LLVMValueRef
emit_call (Emitter      *e,
           const char   *intrinsic,
           LLVMTypeRef  *overloads,
           guint         n_overloads,
           LLVMValueRef *args,
           guint         n_args)
{
  guint id = LLVMLookupIntrinsicID (intrinsic, strlen (intrinsic));
  LLVMValueRef function = LLVMGetIntrinsicDeclaration (e->module, id, overloads, n_overloads);

  return LLVMBuildCall2 (e->builder, LLVMGlobalGetValueType (function), function, args, n_args, "");
}

/* Hides the float @x from LLVM, which takes a choice between a converted float and a number for a minimum of the unconverted, and then
 * loses the sign of its zeros: x < 0 ? 0 : (f8) x with x = -0. */
LLVMValueRef
emit_fence (Emitter     *e,
            LLVMValueRef x)
{
  return e->kernel->fast || LLVMIsConstant (x) ? x : emit_unary (e, "llvm.arithmetic.fence", x);
}

LLVMValueRef
emit_unary (Emitter     *e,
            const char  *intrinsic,
            LLVMValueRef x)
{
  LLVMTypeRef type = LLVMTypeOf (x);

  return emit_call (e, intrinsic, &type, 1, &x, 1);
}

LLVMValueRef
emit_binary (Emitter     *e,
             const char  *intrinsic,
             LLVMValueRef x,
             LLVMValueRef y)
{
  LLVMTypeRef type = LLVMTypeOf (x);

  return emit_call (e, intrinsic, &type, 1, (LLVMValueRef[]) { x, y }, 2);
}

LLVMValueRef
emit_stack (Emitter    *e,
            LLVMTypeRef type,
            guint       align)
{
  LLVMValueRef place = LLVMBuildAlloca (e->stack_builder, type, "");

  if (align > 0)
    LLVMSetAlignment (place, align);

  return place;
}

LLVMBasicBlockRef
emit_block (Emitter    *e,
            const char *name)
{
  return LLVMAppendBasicBlockInContext (e->context, e->function, name);
}

void
emit_enter (Emitter          *e,
            LLVMBasicBlockRef block)
{
  LLVMMoveBasicBlockAfter (block, LLVMGetLastBasicBlock (e->function));
  LLVMPositionBuilderAtEnd (e->builder, block);
}

void
emit_set_text (Emitter     *e,
               LLVMValueRef function,
               const char  *name,
               const char  *value)
{
  LLVMAddAttributeAtIndex (function, LLVMAttributeFunctionIndex,
                           LLVMCreateStringAttribute (e->context, name, strlen (name), value, strlen (value)));
}

void
emit_set_attribute (Emitter     *e,
                    LLVMValueRef function,
                    guint        index,
                    const char  *name,
                    guint64      value)
{
  LLVMAddAttributeAtIndex (function, index, LLVMCreateEnumAttribute (
                             e->context, LLVMGetEnumAttributeKindForName (name, strlen (name)), value));
}

void
emit_set_call_attribute (Emitter     *e,
                         LLVMValueRef call,
                         const char  *name,
                         guint64      value)
{
  LLVMAddCallSiteAttribute (call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute (
                              e->context, LLVMGetEnumAttributeKindForName (name, strlen (name)), value));
}

void
emit_expect_false (Emitter     *e,
                   LLVMValueRef branch)
{
  LLVMMetadataRef weights[] = {
    LLVMMDStringInContext2 (e->context, "branch_weights", strlen ("branch_weights")),
    LLVMValueAsMetadata (LLVMConstInt (e->t_i32, 1, FALSE)),
    LLVMValueAsMetadata (LLVMConstInt (e->t_i32, 1 << 20, FALSE)),
  };

  LLVMSetMetadata (branch, LLVMGetMDKindIDInContext (e->context, "prof", 4),
                   LLVMMetadataAsValue (e->context, LLVMMDNodeInContext2 (e->context, weights, 3)));
}
