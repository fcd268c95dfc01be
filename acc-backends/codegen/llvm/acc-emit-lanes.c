/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Vectors and masks by their lanes. */

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

LLVMValueRef
emit_concatenate (Emitter      *e,
                  LLVMValueRef *parts,
                  guint         n_parts)
{
  guint n = emit_lanes_of (parts[0]);
  g_autofree int *places = g_new (int, n * n_parts);

  for (guint i = 0; i < n * n_parts; i++)
    places[i] = i;
  while (n_parts > 1)
    {
      for (guint i = 0; i < n_parts / 2; i++)
        parts[i] = emit_shuffle (e, parts[2 * i], parts[2 * i + 1], places, 2 * n);
      n *= 2;
      n_parts /= 2;
    }

  return parts[0];
}

/* From so many lanes on masks are hidden from LLVM: below, blends cost nothing; a predicate register has as many bits. */
#define MIN_HIDDEN 8
#define MAX_HIDDEN 64

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

/* LLVM turns constant masks into blends and shuffles, where a predicate register would let the operation itself leave lanes out. */
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
emit_bits (Emitter     *e,
           LLVMValueRef mask)
{
  if (!emit_is_vector (mask))
    return mask;

  return LLVMBuildBitCast (e->builder, mask, LLVMIntTypeInContext (e->context, emit_lanes_of (mask)), "");
}

/* A mask of one register for @mask, whose lanes lie in several: 32 bits each, or less where they are more than one register has. */
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

LaneLoop
emit_enter_lanes (Emitter     *e,
                  LLVMValueRef mask)
{
  LaneLoop loop = { .head = emit_block (e, "lane"), .skip = emit_block (e, "lane.next") };
  LLVMBasicBlockRef before, body;
  LLVMValueRef flags = NULL;

  if (mask != NULL)
    {
      LLVMTypeRef type = emit_type_like (mask, e->t_i8);

      flags = emit_stack (e, type, 64);
      LLVMBuildStore (B, LLVMBuildZExt (B, mask, type, ""), flags);
    }
  before = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, loop.head);
  emit_enter (e, loop.head);
  loop.lane = LLVMBuildPhi (B, e->t_i64, "");
  LLVMAddIncoming (loop.lane, (LLVMValueRef[]) { LLVMConstNull (e->t_i64) }, &before, 1);
  loop.next = LLVMBuildAdd (B, loop.lane, LLVMConstInt (e->t_i64, 1, FALSE), "");
  if (flags != NULL)
    {
      LLVMValueRef flag = LLVMBuildLoad2 (B, e->t_i8, LLVMBuildGEP2 (B, e->t_i8, flags, &loop.lane, 1, ""), "");

      body = emit_block (e, "lane.active");
      LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntNE, flag, LLVMConstNull (e->t_i8), ""), body, loop.skip);
      emit_enter (e, body);
    }

  return loop;
}

void
emit_leave_lanes (Emitter  *e,
                  LaneLoop *loop,
                  guint     lanes)
{
  LLVMBasicBlockRef after = emit_block (e, "lane.end");

  LLVMBuildBr (B, loop->skip);
  emit_enter (e, loop->skip);
  LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntULT, loop->next, LLVMConstInt (e->t_i64, lanes, FALSE), ""),
                   loop->head, after);
  LLVMAddIncoming (loop->lane, &loop->next, &loop->skip, 1);
  emit_enter (e, after);
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
