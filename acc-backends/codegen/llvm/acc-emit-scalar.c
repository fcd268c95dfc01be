/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

/* Emits scalar primitives, on scalars and on vectors alike. */

#define B (e->builder)

/* A number; @is_zero: nothing else. */
static gboolean
is_plain_constant (LLVMValueRef x,
                   gboolean     is_zero)
{
  LLVMBool loses;
  LLVMValueRef scalar = x;
  double value;

  if (!LLVMIsConstant (x))
    return FALSE;
  if (emit_is_vector (x))
    scalar = LLVMGetAggregateElement (x, 0);
  if (scalar == NULL || !LLVMIsAConstantFP (scalar))
    return FALSE;
  value = LLVMConstRealGetDouble (scalar, &loses);

  return is_zero ? value == 0 : value == value;
}

/* The smaller or larger of two floats; a NaN loses. @wide_x and @wide_y, which are compared, have the same values. The comparison and first
 * select are one instruction of x86. */
static LLVMValueRef
float_extreme (Emitter      *e,
               gboolean      is_min,
               LLVMValueRef  x,
               LLVMValueRef  y,
               LLVMValueRef  wide_x,
               LLVMValueRef  wide_y)
{
  LLVMValueRef result;

  /* Of equals the first, which only zeros tell. */
  if (is_plain_constant (y, TRUE))
    return emit_select (e, LLVMBuildFCmp (B, is_min ? LLVMRealOLE : LLVMRealOGE, wide_x, wide_y, ""), x, y);
  if (is_plain_constant (y, FALSE))
    return emit_select (e, LLVMBuildFCmp (B, is_min ? LLVMRealOLT : LLVMRealOGT, wide_x, wide_y, ""), x, y);

  result = emit_select (e, LLVMBuildFCmp (B, is_min ? LLVMRealOLT : LLVMRealOGT, wide_y, wide_x, ""), y, x);
  if (is_plain_constant (x, FALSE))
    return result;

  return emit_select (e, LLVMBuildFCmp (B, LLVMRealUNO, wide_x, wide_x, ""), y, result);
}

static LLVMValueRef
extreme (Emitter       *e,
         AccPrimitive   primitive,
         AccElementKind kind,
         LLVMValueRef   x,
         LLVMValueRef   y)
{
  gboolean is_min = primitive == ACC_PRIM_MIN;

  if (kind == ACC_KIND_BOOL)
    return is_min ? LLVMBuildAnd (B, x, y, "") : LLVMBuildOr (B, x, y, "");
  if (!acc_element_kind_is_float (kind))
    {
      if (acc_element_kind_is_signed (kind))
        return emit_binary (e, is_min ? "llvm.smin" : "llvm.smax", x, y);
      return emit_binary (e, is_min ? "llvm.umin" : "llvm.umax", x, y);
    }

  return float_extreme (e, is_min, x, y, x, y);
}

static LLVMValueRef
negate (Emitter       *e,
        AccPrimitive   primitive G_GNUC_UNUSED,
        AccElementKind kind,
        LLVMValueRef   x,
        LLVMValueRef   y G_GNUC_UNUSED)
{
  return acc_element_kind_is_float (kind) ? LLVMBuildFNeg (B, x, "") : LLVMBuildNeg (B, x, "");
}

static LLVMValueRef
complement (Emitter       *e,
            AccPrimitive   primitive G_GNUC_UNUSED,
            AccElementKind kind G_GNUC_UNUSED,
            LLVMValueRef   x,
            LLVMValueRef   y G_GNUC_UNUSED)
{
  return LLVMBuildNot (B, x, "");
}

static LLVMValueRef
absolute (Emitter       *e,
          AccPrimitive   primitive G_GNUC_UNUSED,
          AccElementKind kind,
          LLVMValueRef   x,
          LLVMValueRef   y G_GNUC_UNUSED)
{
  LLVMTypeRef type = LLVMTypeOf (x);

  if (!acc_element_kind_is_signed (kind))
    return x;

  return emit_call (e, "llvm.abs", &type, 1, (LLVMValueRef[]) { x, LLVMConstNull (e->t_i1) }, 2);
}

static LLVMValueRef
signum (Emitter       *e,
        AccPrimitive   primitive G_GNUC_UNUSED,
        AccElementKind kind,
        LLVMValueRef   x,
        LLVMValueRef   y G_GNUC_UNUSED)
{
  LLVMTypeRef type = LLVMTypeOf (x);
  LLVMValueRef positive, negative;

  if (acc_element_kind_is_float (kind))
    {
      LLVMValueRef zero = emit_float (type, 0);

      positive = LLVMBuildFCmp (B, LLVMRealOGT, x, zero, "");
      negative = LLVMBuildFCmp (B, LLVMRealOLT, x, zero, "");
      return emit_select (e, positive, emit_float (type, 1), emit_select (e, negative, emit_float (type, -1), x));
    }

  if (!acc_element_kind_is_signed (kind))
    return emit_binary (e, "llvm.umin", x, emit_int (type, 1));

  return emit_binary (e, "llvm.smax", emit_int (type, -1), emit_binary (e, "llvm.smin", x, emit_int (type, 1)));
}

/* Shifts by any amount: to the left where it is positive. */
static LLVMValueRef
shift (Emitter       *e,
       AccPrimitive   primitive,
       AccElementKind kind,
       LLVMValueRef   x,
       LLVMValueRef   amount)
{
  gboolean to_left = primitive == ACC_PRIM_SHL;
  LLVMTypeRef type = LLVMTypeOf (x);
  gint64 width = acc_element_kind_get_size (kind) * 8;
  gboolean is_signed = acc_element_kind_is_signed (kind);
  LLVMTypeRef narrow = emit_type (e, kind);
  LLVMTypeRef amount_type = LLVMTypeOf (amount);
  LLVMValueRef left_by, right_by, left, right, is_left, in_range;

  amount = emit_binary (e, "llvm.smax", amount, emit_int (amount_type, -width));
  amount = emit_binary (e, "llvm.smin", amount, emit_int (amount_type, width));
  amount = LLVMBuildIntCast2 (B, amount, emit_type_like (amount, narrow), TRUE, "");
  if (emit_is_vector (x) && !emit_is_vector (amount))
    amount = emit_splat (e, amount, emit_lanes_of (x));

  left_by = to_left ? amount : LLVMBuildNeg (B, amount, "");
  right_by = to_left ? LLVMBuildNeg (B, amount, "") : amount;
  is_left = LLVMBuildICmp (B, LLVMIntSGE, left_by, LLVMConstNull (type), "");

  in_range = LLVMBuildICmp (B, LLVMIntULT, left_by, emit_int (type, width), "");
  left = emit_select (e, in_range, LLVMBuildShl (B, x, left_by, ""), LLVMConstNull (type));
  if (is_signed)
    right = LLVMBuildAShr (B, x, emit_binary (e, "llvm.umin", right_by, emit_int (type, width - 1)), "");
  else
    {
      in_range = LLVMBuildICmp (B, LLVMIntULT, right_by, emit_int (type, width), "");
      right = emit_select (e, in_range, LLVMBuildLShr (B, x, right_by, ""), LLVMConstNull (type));
    }

  return emit_select (e, is_left, left, right);
}

static LLVMValueRef
rotate (Emitter       *e,
        AccPrimitive   primitive,
        AccElementKind kind,
        LLVMValueRef   x,
        LLVMValueRef   amount)
{
  LLVMTypeRef type = LLVMTypeOf (x);

  /* Widths are powers of two: the low bits of any amount are the amount modulo the width. */
  amount = LLVMBuildIntCast2 (B, amount, emit_type_like (amount, emit_type (e, kind)), TRUE, "");
  if (emit_is_vector (x) && !emit_is_vector (amount))
    amount = emit_splat (e, amount, emit_lanes_of (x));

  return emit_call (e, primitive == ACC_PRIM_ROTL ? "llvm.fshl" : "llvm.fshr", &type, 1, (LLVMValueRef[]) { x, x, amount }, 3);
}

static LLVMValueRef
count_bits (Emitter       *e,
            AccPrimitive   primitive,
            AccElementKind kind G_GNUC_UNUSED,
            LLVMValueRef   x,
            LLVMValueRef   y G_GNUC_UNUSED)
{
  LLVMTypeRef type = LLVMTypeOf (x);
  const char *intrinsic = primitive == ACC_PRIM_POPCOUNT ? "llvm.ctpop" : primitive == ACC_PRIM_CLZ ? "llvm.ctlz" : "llvm.cttz";
  guint n_args = primitive == ACC_PRIM_POPCOUNT ? 1 : 2;
  LLVMValueRef n = emit_call (e, intrinsic, &type, 1, (LLVMValueRef[]) { x, LLVMConstNull (e->t_i1) }, n_args);

  return LLVMBuildIntCast2 (B, n, emit_type_like (x, e->t_i64), FALSE, "");
}

static LLVMValueRef
reciprocal (Emitter       *e,
            AccPrimitive   primitive G_GNUC_UNUSED,
            AccElementKind kind G_GNUC_UNUSED,
            LLVMValueRef   x,
            LLVMValueRef   y G_GNUC_UNUSED)
{
  return LLVMBuildFDiv (B, emit_float (LLVMTypeOf (x), 1), x, "");
}

static LLVMValueRef
is_nan (Emitter       *e,
        AccPrimitive   primitive G_GNUC_UNUSED,
        AccElementKind kind G_GNUC_UNUSED,
        LLVMValueRef   x,
        LLVMValueRef   y G_GNUC_UNUSED)
{
  return LLVMBuildFCmp (B, LLVMRealUNO, x, x, "");
}

static LLVMValueRef
is_infinite (Emitter       *e,
             AccPrimitive   primitive G_GNUC_UNUSED,
             AccElementKind kind G_GNUC_UNUSED,
             LLVMValueRef   x,
             LLVMValueRef   y G_GNUC_UNUSED)
{
  LLVMTypeRef type = LLVMTypeOf (x);
  LLVMValueRef infinity = LLVMBuildFDiv (B, emit_float (type, 1), emit_float (type, 0), "");

  return LLVMBuildFCmp (B, LLVMRealOEQ, emit_unary (e, "llvm.fabs", x), infinity, "");
}

static LLVMValueRef
half_sign (Emitter     *e,
           AccPrimitive primitive,
           LLVMValueRef x)
{
  LLVMTypeRef type = emit_type_like (x, e->t_i16);
  LLVMValueRef bits = LLVMBuildBitCast (B, x, type, "");

  if (primitive == ACC_PRIM_NEG)
    bits = LLVMBuildXor (B, bits, emit_int (type, -0x8000), "");
  else
    bits = LLVMBuildAnd (B, bits, emit_int (type, 0x7fff), "");

  return LLVMBuildBitCast (B, bits, LLVMTypeOf (x), "");
}

/* One operation of f32, rounded to f16, is the operation of f16 rounded once: 24 bits are more than 2 * 11 + 1. */
static LLVMValueRef
half_primitive (Emitter     *e,
                AccPrimitive primitive,
                LLVMValueRef x,
                LLVMValueRef y)
{
  LLVMValueRef wide_x, wide_y, result;

  if (primitive == ACC_PRIM_NEG || primitive == ACC_PRIM_ABS)
    return half_sign (e, primitive, x);

  /* Comparisons of halves, which LLVM would make of those of floats, are done one by one. */
  wide_x = emit_cast (e, ACC_KIND_F16, ACC_KIND_F32, x);
  wide_y = y != NULL ? emit_cast (e, ACC_KIND_F16, ACC_KIND_F32, y) : NULL;
  /* Chosen as they are: LLVM loses signs of zeros on the way (see acc-emit-cast.c). */
  if (primitive == ACC_PRIM_MIN || primitive == ACC_PRIM_MAX)
    return float_extreme (e, primitive == ACC_PRIM_MIN, x, y, wide_x, wide_y);

  result = emit_primitive (e, primitive, ACC_KIND_F32, wide_x, wide_y);
  if (acc_primitive_result (primitive, ACC_KIND_F16) == ACC_KIND_F16)
    result = LLVMBuildFPTrunc (B, result, LLVMTypeOf (x), "");

  return result;
}

/* --- spellings */

typedef struct {
  LLVMOpcode       opcode;
  const char      *intrinsic;
  LLVMIntPredicate orders[2];       /* of signed, of unsigned integers */
  LLVMRealPredicate float_order;
  LLVMValueRef   (*emit) (Emitter *e, AccPrimitive primitive, AccElementKind kind, LLVMValueRef x, LLVMValueRef y);
} Spelling;

/* By primitive: of bool and integers, of floats. */
static const Spelling spellings[ACC_N_PRIMITIVES][2] = {
#define NONE                              { 0 }
#define OPCODE(op)                        { .opcode = LLVM##op }
#define CALL(name)                        { .intrinsic = "llvm." #name }
#define ORDER(of_signed, of_unsigned)     { .orders = { LLVMInt##of_signed, LLVMInt##of_unsigned } }
#define FLOAT_ORDER(order)                { .float_order = LLVMReal##order }
#define EMIT(function)                    { .emit = function }
#define ACC_SPELLING(ID, bool, integer, float, llvm_integer, llvm_float) [ACC_PRIM_##ID] = { llvm_integer, llvm_float },
#define ACC_FUNCTION(ID, name, operands, library)
#include "acc-backends/ir/acc-spellings.inc"
#undef ACC_SPELLING
#undef ACC_FUNCTION
};

/* @y of a shift or rotation may be a scalar where @x is a vector. */
LLVMValueRef
emit_primitive (Emitter       *e,
                AccPrimitive   primitive,
                AccElementKind kind,
                LLVMValueRef   x,
                LLVMValueRef   y)
{
  const Spelling *spelling = &spellings[primitive][acc_element_kind_is_float (kind)];

  if (e->kernel->fast && kind == ACC_KIND_F32)
    {
      LLVMValueRef quick = e->kernel->group_size > 0 ? emit_approximation (e, primitive, x, y) : emit_quick (e, primitive, x, y);

      if (quick != NULL)
        return quick;
    }
  if (acc_primitive_is (primitive, ACC_FAMILY_TRANSCENDENTAL))
    return emit_library (e, primitive, kind, x, y);
  if (kind == ACC_KIND_F16 && !e->target->has_half)
    return half_primitive (e, primitive, x, y);

  if (spelling->opcode != 0)
    return LLVMBuildBinOp (B, spelling->opcode, x, y, "");
  if (spelling->intrinsic != NULL)
    return y != NULL ? emit_binary (e, spelling->intrinsic, x, y) : emit_unary (e, spelling->intrinsic, x);
  if (spelling->float_order != 0)
    return LLVMBuildFCmp (B, spelling->float_order, x, y, "");
  if (spelling->orders[0] != 0)
    return LLVMBuildICmp (B, spelling->orders[!acc_element_kind_is_signed (kind)], x, y, "");
  g_return_val_if_fail (spelling->emit != NULL, x);

  return spelling->emit (e, primitive, kind, x, y);
}
