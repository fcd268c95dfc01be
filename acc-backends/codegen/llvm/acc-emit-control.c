/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* --- values */

static LLVMValueRef
constant (Emitter              *e,
          const AccKernelInstr *instr)
{
  LLVMTypeRef type = emit_type (e, instr->kind);

  if (instr->kind == ACC_KIND_F16 || instr->kind == ACC_KIND_F32 || instr->kind == ACC_KIND_F64)
    {
      LLVMTypeRef bits = LLVMIntTypeInContext (e->context, acc_element_kind_get_size (instr->kind) * 8);

      return LLVMConstBitCast (LLVMConstInt (bits, instr->bits, FALSE), type);
    }

  return LLVMConstInt (type, instr->bits, FALSE);
}

Value
emit_value (Emitter *e,
            guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

  if (instr->op == ACC_KOP_CONST)
    return (Value) { .v = constant (e, instr), .shape = SHAPE_UNIFORM };
  if (instr->op == ACC_KOP_PARAM)
    return (Value) { .v = e->params[instr->args[0]], .shape = SHAPE_UNIFORM };
  if (instr->op == ACC_KOP_RANGE)
    return (Value) { .v = e->range[instr->args[0]], .shape = SHAPE_UNIFORM };
  if (instr->op == ACC_KOP_LOCAL)
    return (Value) { .v = e->local, .shape = SHAPE_UNIFORM };

  return e->values[id];
}

LLVMValueRef
emit_scalar (Emitter *e,
             guint32  id)
{
  return emit_value (e, id).v;
}

LLVMValueRef
emit_as_vector (Emitter *e,
                Value    value)
{
  if (value.shape == SHAPE_VARYING)
    return value.v;
  if (value.shape == SHAPE_UNIFORM)
    return emit_splat (e, value.v, e->lanes);

  return LLVMBuildAdd (B, emit_splat (e, value.v, e->lanes), emit_steps (e, e->t_i64, value.stride), "");
}

LLVMValueRef
emit_vector (Emitter *e,
             guint32  id)
{
  return emit_as_vector (e, emit_value (e, id));
}

/* --- pure instructions */

static LLVMValueRef
contracted (Emitter     *e,
            LLVMValueRef x)
{
  if ((e->flags & ACC_EMIT_CONTRACT) && LLVMIsAInstruction (x) && LLVMCanValueUseFastMathFlags (x))
    LLVMSetFastMathFlags (x, LLVMFastMathAllowContract);

  return x;
}

/* A linear index as a narrower integer: wraps the same when made of narrower parts. */
static LLVMValueRef
narrow_linear (Emitter       *e,
               AccElementKind kind,
               Value          x)
{
  LLVMTypeRef type = emit_type (e, kind);
  LLVMValueRef base = emit_splat (e, LLVMBuildTrunc (B, x.v, type, ""), e->lanes);

  return LLVMBuildAdd (B, base, emit_steps (e, type, x.stride), "");
}

static LLVMValueRef
fits_word (Emitter     *e,
           LLVMValueRef x)
{
  return LLVMBuildICmp (B, LLVMIntEQ, x, LLVMBuildSExt (B, LLVMBuildTrunc (B, x, e->t_i32, ""), e->t_i64, ""), "");
}

/* A linear index as f32 or f64. Before AVX-512 there are conversions of 32 bits only, which are enough for most blocks: others go lane by
 * lane. */
static LLVMValueRef
float_linear (Emitter       *e,
              AccElementKind kind,
              Value          x)
{
  LLVMTypeRef type = emit_wide_type (emit_type (e, kind), e->lanes);
  LLVMValueRef last = LLVMBuildAdd (B, x.v, LLVMConstInt (e->t_i64, (guint64) x.stride * (e->lanes - 1), TRUE), "");
  LLVMBasicBlockRef words = emit_block (e, "words"), longs = emit_block (e, "longs"), after = emit_block (e, "float");
  LLVMValueRef results[2], result;

  LLVMBuildCondBr (B, LLVMBuildAnd (B, fits_word (e, x.v), fits_word (e, last), ""), words, longs);
  emit_enter (e, words);
  results[0] = LLVMBuildSIToFP (B, narrow_linear (e, ACC_KIND_I32, x), type, "");
  LLVMBuildBr (B, after);
  emit_enter (e, longs);
  results[1] = emit_cast (e, ACC_KIND_I64, kind, emit_as_vector (e, x));
  LLVMBuildBr (B, after);
  longs = LLVMGetInsertBlock (B);
  emit_enter (e, after);
  result = LLVMBuildPhi (B, type, "");
  LLVMAddIncoming (result, results, (LLVMBasicBlockRef[]) { words, longs }, 2);

  return result;
}

/* Of lanes that read the same element, 2^MAX_REPEATS: more are too few elements for a load of their own. */
#define MAX_REPEATS 3

/* By a comparison: LLVM takes one for a minimum, and two in a row for one of them, whatever NaN is. */
static gboolean
is_choice_of_floats (Emitter              *e,
                     const AccKernelInstr *instr)
{
  const AccKernelInstr *holds = acc_kernel_instr (e->kernel, instr->args[0]);

  return acc_element_kind_is_float (instr->kind) && _acc_kernel_instr_is_comparison (holds)
         && acc_element_kind_is_float (acc_kernel_instr (e->kernel, holds->args[0])->kind);
}

/* An index divided by 2, 4 or 8 where the index itself steps by 1, and what is so far from it everywhere */
static void
find_repeats (Emitter *e,
              guint32  id,
              Value   *result)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  Value x = emit_value (e, instr->args[0]), y, z;
  gint64 by = 0;

  if (instr->kind != ACC_KIND_I64 || instr->n_args < 2 || result->shape != SHAPE_VARYING)
    return;

  y = emit_value (e, instr->args[1]);
  if (instr->op == ACC_KOP_SELECT)
    {
      /* One of two that count alike, for all lanes */
      z = emit_value (e, instr->args[2]);
      if (x.shape == SHAPE_UNIFORM && y.repeats > 0 && z.repeats == y.repeats && z.phase == y.phase)
        {
          result->repeats = y.repeats;
          result->first = emit_select (e, x.v, y.first, z.first);
          result->phase = y.phase;
        }
      return;
    }
  if (x.shape == SHAPE_LINEAR && x.stride == 1 && acc_kernel_instr (e->kernel, instr->args[1])->op == ACC_KOP_CONST)
    {
      gint64 number = (gint64) acc_kernel_instr (e->kernel, instr->args[1])->bits;

      if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_SHR)
        by = number;
      else if (instr->op == ACC_KOP_UDIV && number > 0 && (number & (number - 1)) == 0)
        by = g_bit_nth_lsf (number, -1);
      if (by < 1 || by > MAX_REPEATS)
        return;
      result->repeats = by;
      result->first = LLVMBuildAShr (B, x.v, LLVMConstInt (e->t_i64, by, FALSE), "");
      result->phase = LLVMBuildAnd (B, x.v, LLVMConstInt (e->t_i64, (1 << by) - 1, FALSE), "");
    }
  else if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD && x.repeats + y.repeats > 0 &&
           (x.shape == SHAPE_UNIFORM || y.shape == SHAPE_UNIFORM))
    {
      const Value *slow = x.repeats > 0 ? &x : &y;

      result->repeats = slow->repeats;
      result->first = LLVMBuildAdd (B, slow->first, x.shape == SHAPE_UNIFORM ? x.v : y.v, "");
      result->phase = slow->phase;
    }
}

Value
emit_pure (Emitter *e,
           guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  const Fact *fact = &e->facts[id];
  gboolean varies = fact->shape == SHAPE_VARYING;
  AccElementKind kind = acc_kernel_instr (e->kernel, instr->args[0])->kind;
  Value first = emit_value (e, instr->args[0]);
  LLVMValueRef x[ACC_KERNEL_MAX_ARGS] = { NULL, NULL, NULL }, result = NULL;
  Value value;
  guint32 root;

  if (emit_get_assumption (e, id) != NULL)
    return e->values[id];
  if (varies && instr->op == ACC_KOP_CAST && first.shape == SHAPE_LINEAR && instr->kind != ACC_KIND_U64 &&
      acc_element_kind_is_integer (instr->kind) && instr->kind != ACC_KIND_BOOL)
    return (Value) { .v = narrow_linear (e, instr->kind, first), .shape = SHAPE_VARYING };
  if (varies && instr->op == ACC_KOP_CAST && first.shape == SHAPE_LINEAR && kind == ACC_KIND_I64 && !e->target->has_masks &&
      (instr->kind == ACC_KIND_F32 || instr->kind == ACC_KIND_F64))
    return (Value) { .v = float_linear (e, instr->kind, first), .shape = SHAPE_VARYING };

  for (guint i = 0; i < instr->n_args; i++)
    {
      gboolean stays_scalar = (i == 0 && instr->op == ACC_KOP_SELECT && first.shape == SHAPE_UNIFORM) ||
                              (i == 1 && instr->op == ACC_KOP_PRIM &&
                               acc_primitive_get_info (instr->primitive)->operands == ACC_OPERANDS_SHIFT &&
                               emit_value (e, instr->args[1]).shape == SHAPE_UNIFORM);

      x[i] = varies && !stays_scalar ? emit_vector (e, instr->args[i]) : emit_scalar (e, instr->args[i]);
    }

  switch ((int) instr->op)
    {
    case ACC_KOP_PRIM:
      if (_acc_kernel_is_inverse_root (e->kernel, id, &root))
        {
          if (e->kernel->group_size > 0)
            result = emit_inverse_root (e, emit_scalar (e, root));
          else if (varies)
            result = emit_quick_inverse_root (e, emit_vector (e, root));
        }
      if (result == NULL)
        result = contracted (e, emit_primitive (e, instr->primitive, kind, x[0], x[1]));
      break;
    case ACC_KOP_CAST:
      result = emit_cast (e, kind, instr->kind, x[0]);
      break;
    case ACC_KOP_BITCAST:
      result = emit_bitcast (e, kind, instr->kind, x[0]);
      break;
    case ACC_KOP_SELECT:
      result = emit_select (e, x[0], x[1], x[2]);
      if (is_choice_of_floats (e, instr))
        result = emit_fence (e, result);
      break;
    case ACC_KOP_FMA:
      result = emit_fma (e, x[0], x[1], x[2]);
      break;
    case ACC_KOP_ESTIMATE:
      result = emit_estimate (e, instr->primitive, x[0]);
      break;
    case ACC_KOP_EXTEND:
      result = emit_extend (e, instr->kind, instr->bits, x[0]);
      break;
    case ACC_KOP_OPAQUE:
      result = emit_opaque (e, instr->kind, x[0]);
      break;
    case ACC_KOP_UDIV:
      result = emit_index_division (e, x[0], x[1]);
      break;
    case ACC_KOP_UREM:
      result = emit_index_remainder (e, x[0], x[1]);
      break;
    default:
      g_return_val_if_reached (first);
    }

  value = (Value) { .v = result, .shape = fact->shape, .stride = fact->stride };
  find_repeats (e, id, &value);

  return value;
}

/* --- variables */

static LLVMTypeRef
scalar_type (Emitter *e,
             guint32  var)
{
  return emit_type (e, acc_kernel_instr (e->kernel, var)->kind);
}

static LLVMTypeRef
variable_type (Emitter *e,
               guint32  var)
{
  LLVMTypeRef type = scalar_type (e, var);

  return e->facts[var].shape == SHAPE_VARYING ? emit_wide_type (type, e->lanes) : type;
}

/* Held by all lanes in common in a loop that they leave one by one */
static gboolean
is_common (Emitter *e,
           guint32  var)
{
  return e->facts[var].common != 0 && e->facts[var].shape == SHAPE_VARYING;
}

static Value
get_variable (Emitter *e,
              guint32  id)
{
  guint32 var = acc_kernel_instr (e->kernel, id)->args[0];

  if (is_common (e, var) && e->facts[id].shape == SHAPE_UNIFORM)
    return (Value) { .v = LLVMBuildLoad2 (B, scalar_type (e, var), e->values[var].v, ""), .shape = SHAPE_UNIFORM };

  return (Value) {
    .v = LLVMBuildLoad2 (B, variable_type (e, var), e->variables[var], ""),
    .shape = e->facts[var].shape,
    .stride = e->facts[var].stride,
  };
}

/* A common count is kept in the lanes of one register as well: from there it comes to the lanes that are left by moves under their
 * masks, from a scalar by as many broadcasts, which take longer. How many lanes these are; 0: @var is no such count. */
static guint
lanes_of_count (Emitter *e,
                guint32  var)
{
  AccElementKind kind = acc_kernel_instr (e->kernel, var)->kind;

  if (!is_common (e, var) || e->facts[var].read_in == e->facts[var].common || !acc_element_kind_is_integer (kind) ||
      kind == ACC_KIND_BOOL)
    return 0;

  return MIN (e->lanes, e->target->register_bytes / acc_element_kind_get_size (kind));
}

static gboolean
is_get (Emitter *e,
        guint32  id,
        guint32  var)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

  return instr->op == ACC_KOP_GET && instr->args[0] == var;
}

/* What @var is set to, as a vector, where that is itself and something uniform; else NULL. */
static LLVMValueRef
count_on (Emitter *e,
          guint32  var,
          guint32  value)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, value);
  guint n = lanes_of_count (e, var), by;
  g_autofree int *places = NULL;
  LLVMValueRef count;

  if (n == 0 || instr->op != ACC_KOP_PRIM || instr->primitive != ACC_PRIM_ADD)
    return NULL;
  by = is_get (e, instr->args[0], var) ? 1 : 0;
  if (!is_get (e, instr->args[1 - by], var))
    return NULL;

  count = LLVMBuildLoad2 (B, emit_wide_type (scalar_type (e, var), n), e->values[var].first, "");
  count = LLVMBuildAdd (B, count, emit_splat (e, emit_scalar (e, instr->args[by]), n), "");
  LLVMBuildStore (B, count, e->values[var].first);

  places = g_new (int, e->lanes);
  for (guint i = 0; i < e->lanes; i++)
    places[i] = i % n;

  return emit_shuffle (e, count, NULL, places, e->lanes);
}

/* Whether lanes that do not take part keep what they hold in @var. Those that have left the only loop that reads it need not: then
 * the next step need not wait for the mask. That gains where a step is short; a long one hides the wait, and loses by it. Long
 * integers stay as small as they are, for division is quicker by those. */
static gboolean
is_set_under_mask (Emitter *e,
                   guint32  set,
                   guint32  var)
{
  const Fact *fact = &e->facts[var];
  AccElementKind kind = acc_kernel_instr (e->kernel, var)->kind;
  gboolean may_run_on = fact->read_in != 0 && e->facts[fact->read_in].masked && e->mask.depth == fact->depth + 1 &&
                        _acc_kernel_is_inside (e->kernel, set, fact->read_in) && kind != ACC_KIND_I64 && kind != ACC_KIND_U64 &&
                        !emit_is_long (e, acc_kernel_instr (e->kernel, fact->read_in)->blocks[0]);

  return e->mask.v != NULL && e->mask.depth > fact->depth && !may_run_on;
}

void
emit_set (Emitter *e,
          guint32  set)
{
  guint32 var = acc_kernel_instr (e->kernel, set)->args[0], value = acc_kernel_instr (e->kernel, set)->args[1];
  LLVMValueRef place = e->variables[var], x;

  if (is_common (e, var))
    {
      LLVMBuildStore (B, emit_scalar (e, value), e->values[var].v);
      if (e->facts[var].read_in == e->facts[var].common)
        return;
    }
  if (e->facts[var].shape != SHAPE_VARYING)
    {
      LLVMBuildStore (B, emit_scalar (e, value), place);
      return;
    }

  x = count_on (e, var, value);
  x = x != NULL ? x : emit_vector (e, value);
  if (is_set_under_mask (e, set, var))
    x = emit_select (e, e->mask.v, x, LLVMBuildLoad2 (B, variable_type (e, var), place, ""));
  LLVMBuildStore (B, x, place);
}

static void
make_variable (Emitter *e,
               guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint n = lanes_of_count (e, id);

  e->variables[id] = emit_stack (e, variable_type (e, id), 0);
  if (is_common (e, id))
    {
      e->values[id].v = emit_stack (e, scalar_type (e, id), 0);
      LLVMBuildStore (B, emit_scalar (e, instr->args[0]), e->values[id].v);
    }
  if (n > 0)
    {
      e->values[id].first = emit_stack (e, emit_wide_type (scalar_type (e, id), n), 0);
      LLVMBuildStore (B, emit_splat (e, emit_scalar (e, instr->args[0]), n), e->values[id].first);
    }
  if (e->facts[id].shape == SHAPE_VARYING)
    LLVMBuildStore (B, emit_vector (e, instr->args[0]), e->variables[id]);
  else
    LLVMBuildStore (B, emit_scalar (e, instr->args[0]), e->variables[id]);
}

/* --- blocks */

static void
emit_inner (Emitter *e,
            guint32  block,
            Mask     mask)
{
  Mask saved = e->mask;

  e->mask = mask;
  if (!emit_outline (e, block))
    emit_instrs (e, block);
  e->mask = saved;
}

static Mask
narrowed (Emitter     *e,
          LLVMValueRef mask)
{
  return (Mask) { .v = mask, .depth = e->mask.depth + 1 };
}

static void
emit_side (Emitter     *e,
           guint32      block,
           LLVMValueRef mask,
           gboolean     seldom)
{
  LLVMBasicBlockRef side, after;
  LLVMValueRef branch;

  if (!emit_is_costly (e, block))
    {
      emit_inner (e, block, narrowed (e, mask));
      return;
    }

  side = emit_block (e, "side");
  after = emit_block (e, "side.end");
  branch = LLVMBuildCondBr (B, emit_any (e, mask), side, after);
  if (seldom)
    emit_expect_false (e, branch);
  emit_enter (e, side);
  emit_inner (e, block, narrowed (e, mask));
  LLVMBuildBr (B, after);
  emit_enter (e, after);
}

static void
emit_if (Emitter *e,
         guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  LLVMBasicBlockRef then_block, else_block, after;
  LLVMValueRef branch;

  if (e->facts[id].masked)
    {
      LLVMValueRef condition = emit_vector (e, instr->args[0]);
      LLVMValueRef outer = e->mask.v;

      emit_side (e, instr->blocks[0], emit_mask_and (e, outer, condition), instr->bits != 0);
      if (instr->blocks[1] != 0)
        emit_side (e, instr->blocks[1], emit_mask_and (e, outer, LLVMBuildNot (B, condition, "")), FALSE);
      return;
    }

  then_block = emit_block (e, "then");
  else_block = instr->blocks[1] != 0 ? emit_block (e, "else") : NULL;
  after = emit_block (e, "if.end");
  branch = LLVMBuildCondBr (B, emit_scalar (e, instr->args[0]), then_block, else_block != NULL ? else_block : after);
  if (instr->bits != 0)
    emit_expect_false (e, branch);
  emit_enter (e, then_block);
  emit_inner (e, instr->blocks[0], e->mask);
  LLVMBuildBr (B, after);
  if (else_block != NULL)
    {
      emit_enter (e, else_block);
      emit_inner (e, instr->blocks[1], e->mask);
      LLVMBuildBr (B, after);
    }
  emit_enter (e, after);
}

static LLVMValueRef
plus_one (Emitter     *e,
          LLVMValueRef x)
{
  return LLVMBuildAdd (B, x, emit_int (LLVMTypeOf (x), 1), "");
}

void
emit_poll_in_loop (Emitter *e,
                   guint32  loop)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, loop);

  if (e->kernel->group_size == 0 && (instr->op == ACC_KOP_WHILE || _acc_kernel_block_is_long (e->kernel, instr->blocks[0])))
    emit_poll (e);
}

static gboolean
has_loop (Emitter *e,
          guint32  block)
{
  GArray *items = block != 0 ? acc_kernel_block (e->kernel, block)->items : NULL;

  for (guint i = 0; items != NULL && i < items->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, g_array_index (items, guint32, i));

      if (_acc_kernel_op_is_loop (instr->op) || has_loop (e, instr->blocks[0]) || has_loop (e, instr->blocks[1]))
        return TRUE;
    }

  return FALSE;
}

/* All lanes go through the loop as often: a real loop. @end is where it pauses, or ends. Gives the next index. */
static LLVMValueRef
emit_iterations (Emitter     *e,
                 guint32      id,
                 LLVMValueRef begin,
                 LLVMValueRef end)
{
  LLVMBasicBlockRef before = LLVMGetInsertBlock (B), body = emit_block (e, "for"), after = emit_block (e, "for.turned"), latch;
  LLVMValueRef index, next;

  LLVMBuildBr (B, body);
  emit_enter (e, body);
  index = LLVMBuildPhi (B, e->t_i64, "");
  LLVMAddIncoming (index, &begin, &before, 1);
  e->values[id] = (Value) { .v = index, .shape = e->facts[id].shape, .stride = e->facts[id].stride };
  emit_inner (e, acc_kernel_instr (e->kernel, id)->blocks[0], e->mask);
  emit_poll_in_loop (e, id);
  next = LLVMBuildNSWAdd (B, index, LLVMConstInt (e->t_i64, 1, FALSE), "");
  latch = LLVMGetInsertBlock (B);
  LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntSLT, next, end, ""), body, after);
  LLVMAddIncoming (index, &next, &latch, 1);
  emit_enter (e, after);

  return next;
}

/* Turns between two looks at whether the launch goes on, of loops that may have many, and of those that have loops in them. */
#define ITERATIONS_PER_LOOK      512
#define LONG_ITERATIONS_PER_LOOK 64

void
emit_plain_for (Emitter *e,
                guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  LLVMValueRef begin = emit_scalar (e, instr->args[0]), end = emit_scalar (e, instr->args[1]), first, left, next;
  LLVMBasicBlockRef before = LLVMGetInsertBlock (B), body = emit_block (e, "for.iterations"), after = emit_block (e, "for.end"), more;
  gboolean looks = e->kernel->group_size == 0 && instr->bits != 0 && !_acc_kernel_block_is_long (e->kernel, instr->blocks[0]);

  LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntSLT, begin, end, ""), body, after);
  emit_enter (e, body);
  if (!looks)
    {
      emit_iterations (e, id, begin, end);
      LLVMBuildBr (B, after);
      emit_enter (e, after);
      return;
    }

  first = LLVMBuildPhi (B, e->t_i64, "");
  LLVMAddIncoming (first, &begin, &before, 1);
  left = emit_binary (e, "llvm.smin", LLVMBuildNSWSub (B, end, first, ""),
                      LLVMConstInt (e->t_i64, has_loop (e, instr->blocks[0]) ? LONG_ITERATIONS_PER_LOOK : ITERATIONS_PER_LOOK, FALSE));
  next = emit_iterations (e, id, first, LLVMBuildNSWAdd (B, first, left, ""));
  more = emit_block (e, "for.more");
  LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntSLT, next, end, ""), more, after);
  emit_enter (e, more);
  emit_poll (e);
  before = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, body);
  LLVMAddIncoming (first, &next, &before, 1);
  emit_enter (e, after);
}

static void
emit_masked_for (Emitter *e,
                 guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  const Fact *fact = &e->facts[id];
  Value begin = emit_value (e, instr->args[0]);
  LLVMValueRef end = emit_vector (e, instr->args[1]), index, active, next;
  LLVMBasicBlockRef before, head = emit_block (e, "for"), body = emit_block (e, "for.body"), after = emit_block (e, "for.end");
  LLVMBasicBlockRef latch;

  before = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, head);
  emit_enter (e, head);
  index = LLVMBuildPhi (B, LLVMTypeOf (begin.v), "");
  LLVMAddIncoming (index, &begin.v, &before, 1);
  e->values[id] = (Value) { .v = index, .shape = fact->shape, .stride = fact->stride };
  active = LLVMBuildICmp (B, LLVMIntSLT, emit_as_vector (e, e->values[id]), end, "");
  active = emit_mask_and (e, e->mask.v, active);
  LLVMBuildCondBr (B, emit_any (e, active), body, after);
  emit_enter (e, body);
  emit_inner (e, instr->blocks[0], narrowed (e, active));
  if (instr->bits != 0)
    emit_poll (e);
  else
    emit_poll_in_loop (e, id);
  next = plus_one (e, index);
  latch = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, head);
  LLVMAddIncoming (index, &next, &latch, 1);
  emit_enter (e, after);
}

static void
emit_while (Emitter *e,
            guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  LLVMBasicBlockRef head = emit_block (e, "while"), saved_exit = e->while_exit;
  LLVMValueRef saved_mask = e->while_mask;
  Mask mask = e->mask;

  e->while_exit = emit_block (e, "while.end");
  if (e->facts[id].masked)
    {
      LLVMTypeRef type = emit_wide_type (e->t_i1, e->lanes);

      e->while_mask = emit_stack (e, type, 0);
      LLVMBuildStore (B, mask.v != NULL ? mask.v : emit_all (e, TRUE), e->while_mask);
      LLVMBuildBr (B, head);
      emit_enter (e, head);
      mask = narrowed (e, LLVMBuildLoad2 (B, type, e->while_mask, ""));
    }
  else
    {
      LLVMBuildBr (B, head);
      emit_enter (e, head);
    }

  emit_inner (e, instr->blocks[0], mask);
  emit_poll_in_loop (e, id);
  LLVMBuildBr (B, head);
  emit_enter (e, e->while_exit);
  e->while_exit = saved_exit;
  e->while_mask = saved_mask;
}

/* What a loop ends by, where one of several parts suffices: what lanes have in common is a branch, whatever else there is. */
typedef struct {
  guint32  id;
  gboolean stops;    /* where it is true, or where it is false */
} Part;

#define MAX_PARTS 8

static guint
split_condition (Emitter *e,
                 guint32  condition,
                 Part    *parts)
{
  guint n = 1;

  parts[0] = (Part) { condition, TRUE };
  for (guint i = 0; i < n;)
    {
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, parts[i].id);
      AccPrimitive either = parts[i].stops ? ACC_PRIM_BOR : ACC_PRIM_BAND;

      if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_BNOT)
        {
          parts[i] = (Part) { instr->args[0], !parts[i].stops };
        }
      else if (instr->op == ACC_KOP_PRIM && instr->primitive == either && n < MAX_PARTS)
        {
          parts[n++] = (Part) { instr->args[1], parts[i].stops };
          parts[i].id = instr->args[0];
        }
      else
        {
          i++;
        }
    }

  return n;
}

static void
leave_together (Emitter     *e,
                LLVMValueRef x,
                gboolean     stops)
{
  LLVMBasicBlockRef rest = emit_block (e, "while.rest");

  LLVMBuildCondBr (B, x, stops ? e->while_exit : rest, stops ? rest : e->while_exit);
  emit_enter (e, rest);
}

static void
emit_until (Emitter *e,
            guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint32 loop = _acc_kernel_get_parent (e->kernel, id);
  Part parts[MAX_PARTS];
  guint n;

  if (!e->facts[loop].masked)
    {
      leave_together (e, emit_scalar (e, instr->args[0]), TRUE);
      return;
    }

  n = split_condition (e, instr->args[0], parts);
  for (guint i = 0; i < n; i++)
    if (e->facts[parts[i].id].shape == SHAPE_UNIFORM)
      leave_together (e, emit_scalar (e, parts[i].id), parts[i].stops);
  for (guint i = 0; i < n; i++)
    if (e->facts[parts[i].id].shape != SHAPE_UNIFORM)
      {
        LLVMValueRef x = emit_vector (e, parts[i].id);

        e->mask.v = emit_mask_and (e, e->mask.v, parts[i].stops ? LLVMBuildNot (B, x, "") : x);
      }
  LLVMBuildStore (B, e->mask.v, e->while_mask);
  leave_together (e, emit_any (e, e->mask.v), FALSE);
  g_ptr_array_set_size (e->groups, 0);
}

static void
group_free (gpointer data)
{
  StridedGroup *group = data;

  g_free (group->parts);
  g_free (group);
}

static Value
shuffle_lanes (Emitter *e,
               guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint delta = instr->bits & G_MAXUINT32;
  LLVMValueRef v, *places;
  Value x = emit_value (e, instr->args[0]);

  if (x.shape == SHAPE_UNIFORM)
    return x;
  v = emit_as_vector (e, x);
  if (instr->bits >> 32 == KB_SHUFFLE_LAST)
    return (Value) { .v = LLVMBuildExtractElement (B, v, LLVMConstInt (e->t_i32, e->lanes - 1, FALSE), ""), .shape = SHAPE_UNIFORM };

  places = g_newa (LLVMValueRef, e->lanes);
  for (guint i = 0; i < e->lanes; i++)
    places[i] = LLVMConstInt (e->t_i32, i >= delta ? i - delta : i, FALSE);

  return (Value) { .v = LLVMBuildShuffleVector (B, v, LLVMGetPoison (LLVMTypeOf (v)), LLVMConstVector (places, e->lanes), ""),
                   .shape = SHAPE_VARYING };
}

static Value
ballot_of_lanes (Emitter *e,
                 guint32  id)
{
  LLVMValueRef bits = emit_bits (e, emit_vector (e, acc_kernel_instr (e->kernel, id)->args[0]));

  return (Value) { .v = LLVMBuildIntCast2 (B, bits, e->t_i32, FALSE, ""), .shape = SHAPE_UNIFORM };
}

/* LLVM selects instructions block by block, in time by the square of the longest. */
#define MOST_IN_LINE 192

void
emit_instrs (Emitter *e,
             guint32  block)
{
  GArray *items = acc_kernel_block (e->kernel, block)->items;
  GPtrArray *saved_groups = e->groups;
  gboolean is_large = emit_is_large (e->kernel);

  e->groups = g_ptr_array_new_with_free_func (group_free);
  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

      if (is_large && ++e->n_in_line > MOST_IN_LINE)
        emit_cut (e);

      switch ((int) instr->op)
        {
        case ACC_KOP_LOAD:
          e->values[id] = emit_load (e, id);
          break;
        case ACC_KOP_STORE:
          emit_store (e, id);
          break;
        case ACC_KOP_PACK:
          emit_pack (e, id);
          break;
        case ACC_KOP_PREFETCH:
          emit_prefetch (e, id);
          break;
        case ACC_KOP_VAR:
          make_variable (e, id);
          break;
        case ACC_KOP_GET:
          e->values[id] = get_variable (e, id);
          break;
        case ACC_KOP_SET:
          emit_set (e, id);
          break;
        case ACC_KOP_CHECK:
          emit_check (e, id);
          break;
        case ACC_KOP_FOREACH:
          if (e->lanes == 0 && instr->bits != 1 && (!(e->flags & ACC_EMIT_SCALAR) || _acc_kernel_is_lock_step (e->kernel, id)) &&
              emit_foreach (e, id))
            break;
          G_GNUC_FALLTHROUGH;
        case ACC_KOP_FOR:
          if (e->facts[id].masked)
            emit_masked_for (e, id);
          else
            emit_plain_for (e, id);
          break;
        case ACC_KOP_IF:
          emit_if (e, id);
          break;
        case ACC_KOP_WHILE:
          emit_while (e, id);
          break;
        case ACC_KOP_UNTIL:
          emit_until (e, id);
          break;
        case ACC_KOP_BARRIER:
        case ACC_KOP_SUBGROUP_BARRIER:
        case ACC_KOP_FENCE:
        case ACC_KOP_ATOMIC:
        case ACC_KOP_CAS:
          e->values[id] = emit_groups (e, id);
          break;
        case ACC_KOP_BALLOT:
          e->values[id] = e->lanes > 0 ? ballot_of_lanes (e, id) : emit_groups (e, id);
          break;
        case ACC_KOP_SHUFFLE:
          e->values[id] = e->lanes > 0 ? shuffle_lanes (e, id) : emit_groups (e, id);
          break;
        default:
          e->values[id] = emit_pure (e, id);
          break;
        }
    }
  g_ptr_array_unref (e->groups);
  e->groups = saved_groups;
}
