/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include <string.h>

/* Lanes of masks that are hidden: below, blends cost nothing; a predicate register has as many bits. */
#define MIN_HIDDEN 8
#define MAX_HIDDEN 64

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
  switch ((int) LLVMGetTypeKind (scalar))
    {
    case LLVMIntegerTypeKind:
      return LLVMGetIntTypeWidth (scalar);
    case LLVMHalfTypeKind:
      return 16;
    case LLVMFloatTypeKind:
      return 32;
    default:
      return 64;
    }
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

/* Places: lanes of x, then of y; -1 for one that does not matter. */
LLVMValueRef
emit_shuffle (Emitter     *e,
              LLVMValueRef x,
              LLVMValueRef y,
              const int   *places,
              guint        n)
{
  g_autofree LLVMValueRef *constants = g_new (LLVMValueRef, n);

  for (guint i = 0; i < n; i++)
    constants[i] = places[i] < 0 ? LLVMGetPoison (e->t_i32) : LLVMConstInt (e->t_i32, places[i], FALSE);

  return LLVMBuildShuffleVector (e->builder, x, y != NULL ? y : LLVMGetPoison (LLVMTypeOf (x)),
                                 LLVMConstVector (constants, n), "");
}

LLVMValueRef
emit_part (Emitter     *e,
           LLVMValueRef x,
           guint        first,
           guint        n)
{
  g_autofree int *places = g_new (int, n);

  for (guint i = 0; i < n; i++)
    places[i] = (int) (first + i);

  return emit_shuffle (e, x, NULL, places, n);
}

LLVMValueRef
emit_resized (Emitter     *e,
              LLVMValueRef x,
              guint        lanes)
{
  guint n = emit_lanes_of (x);
  g_autofree int *places = g_new (int, lanes);

  if (n == lanes)
    return x;
  for (guint i = 0; i < lanes; i++)
    places[i] = (int) MIN (i, n);

  return emit_shuffle (e, x, LLVMConstNull (LLVMTypeOf (x)), places, lanes);
}

/* A mask that LLVM does not know, from the start of the function on. */
static LLVMValueRef
hide (Emitter     *e,
      LLVMValueRef mask)
{
  static const char constraints[] = "=r,0";
  guint n = emit_lanes_of (mask);
  LLVMTypeRef type = n > 32 ? e->t_i64 : e->t_i32, bits = LLVMIntTypeInContext (e->context, n);
  LLVMTypeRef code_type = LLVMFunctionType (type, &type, 1, FALSE);
  LLVMValueRef code = LLVMGetInlineAsm (code_type, "", 0, constraints, strlen (constraints), FALSE, FALSE, LLVMInlineAsmDialectATT, FALSE);
  LLVMValueRef x = LLVMBuildZExt (e->stack_builder, LLVMBuildBitCast (e->stack_builder, mask, bits, ""), type, "");

  x = LLVMBuildTrunc (e->stack_builder, LLVMBuildCall2 (e->stack_builder, code_type, code, &x, 1, ""), bits, "");

  return LLVMBuildBitCast (e->stack_builder, x, LLVMTypeOf (mask), "");
}

/* Of known masks LLVM makes blends and shuffles, where a predicate register would let the operation have both in one. */
static gboolean
had_better_hide (Emitter     *e,
                 LLVMValueRef mask,
                 LLVMValueRef x)
{
  guint n = emit_is_vector (mask) ? emit_lanes_of (mask) : 1;

  return e->target->has_masks && n >= MIN_HIDDEN && n <= MAX_HIDDEN && LLVMIsConstant (mask) && LLVMIsABinaryOperator (x) != NULL;
}

LLVMValueRef
emit_select (Emitter     *e,
             LLVMValueRef condition,
             LLVMValueRef x,
             LLVMValueRef y)
{
  if (had_better_hide (e, condition, x))
    condition = hide (e, condition);

  return LLVMBuildSelect (e->builder, condition, x, y, "");
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

/* @x, a float, as LLVM does not see through it. It takes a choice between a converted float and a number for a minimum of what was converted,
 * and then loses the sign of its zeros: x < 0 ? 0 : (f8) x with x = -0. */
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

LLVMValueRef
emit_bits (Emitter     *e,
           LLVMValueRef mask)
{
  if (!emit_is_vector (mask))
    return mask;

  return LLVMBuildBitCast (e->builder, mask, LLVMIntTypeInContext (e->context, emit_lanes_of (mask)), "");
}

/* A mask of one register that is set wherever @mask is, whose lanes lie in several: 32 bits each, or less where they are more than one
 * register has. */
static LLVMValueRef
join_registers (Emitter     *e,
                LLVMValueRef mask)
{
  guint lanes = emit_lanes_of (mask), most = e->target->register_bytes / 4;
  LLVMValueRef x;

  if (lanes <= most || (lanes & (lanes - 1)) != 0)
    return mask;

  x = LLVMBuildSExt (e->builder, mask, LLVMVectorType (e->t_i32, lanes), "");
  for (; lanes > most; lanes /= 2)
    {
      LLVMValueRef low = emit_part (e, x, 0, lanes / 2), high = emit_part (e, x, lanes / 2, lanes / 2);

      x = LLVMBuildOr (e->builder, low, high, "");
    }

  return LLVMBuildICmp (e->builder, LLVMIntSLT, x, LLVMConstNull (LLVMTypeOf (x)), "");
}

LLVMValueRef
emit_any (Emitter     *e,
          LLVMValueRef mask)
{
  LLVMValueRef bits;

  if (emit_is_vector (mask) && !e->target->has_masks)
    mask = join_registers (e, mask);
  bits = emit_bits (e, mask);

  return LLVMBuildICmp (e->builder, LLVMIntNE, bits, LLVMConstNull (LLVMTypeOf (bits)), "");
}

LLVMValueRef
emit_mask_and (Emitter     *e,
               LLVMValueRef mask,
               LLVMValueRef x)
{
  return mask != NULL ? LLVMBuildAnd (e->builder, mask, x, "") : x;
}

LLVMValueRef
emit_first_lanes (Emitter     *e,
                  LLVMValueRef count,
                  guint        lanes)
{
  LLVMValueRef wanted;
  guint saved = e->lanes;
  LLVMValueRef mask;

  if (e->target->has_masks && lanes <= 64)
    {
      /* A predicate register is an integer: -1 without its high bits. */
      LLVMTypeRef type = LLVMIntTypeInContext (e->context, lanes);
      LLVMValueRef shift = LLVMBuildSub (e->builder, LLVMConstInt (e->t_i64, 64, FALSE), count, "");
      LLVMValueRef ones = LLVMBuildLShr (e->builder, LLVMConstAllOnes (e->t_i64), shift, "");
      LLVMValueRef none = LLVMBuildICmp (e->builder, LLVMIntEQ, count, LLVMConstNull (e->t_i64), "");

      ones = LLVMBuildSelect (e->builder, none, LLVMConstNull (e->t_i64), ones, "");
      if (lanes < 64)
        ones = LLVMBuildTrunc (e->builder, ones, type, "");

      return LLVMBuildBitCast (e->builder, ones, LLVMVectorType (e->t_i1, lanes), "");
    }

  e->lanes = lanes;
  wanted = emit_splat (e, LLVMBuildTrunc (e->builder, count, e->t_i32, ""), lanes);
  mask = LLVMBuildICmp (e->builder, LLVMIntULT, emit_steps (e, e->t_i32, 1), wanted, "");
  e->lanes = saved;

  return mask;
}

LLVMValueRef
emit_first_lane (Emitter     *e,
                 LLVMValueRef bits)
{
  LLVMTypeRef type = LLVMTypeOf (bits);
  LLVMValueRef place = emit_call (e, "llvm.cttz", &type, 1, (LLVMValueRef[]) { bits, LLVMConstNull (e->t_i1) }, 2);

  return LLVMBuildIntCast2 (e->builder, place, e->t_i64, FALSE, "");
}

LLVMValueRef
emit_last_lane (Emitter     *e,
                LLVMValueRef bits)
{
  LLVMTypeRef type = LLVMTypeOf (bits);
  LLVMValueRef zeros = emit_call (e, "llvm.ctlz", &type, 1, (LLVMValueRef[]) { bits, LLVMConstNull (e->t_i1) }, 2);
  LLVMValueRef place = LLVMBuildSub (e->builder, LLVMConstInt (type, LLVMGetIntTypeWidth (type) - 1, FALSE), zeros, "");

  return LLVMBuildIntCast2 (e->builder, place, e->t_i64, FALSE, "");
}
