/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

/* Emits instructions one by one: variables, branches under masks, for and while loops. */

#define B (e->builder)

/* Blocks, branches and loops: what everything else is emitted from. */

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

/* All lanes have the same number of iterations: a scalar loop. @end is where it pauses, or ends. Returns the next index. */
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

/* Iterations between two looks at whether the launch goes on, of loops that may have many, and of those that contain loops. */
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
  emit_open_windows (e, id);
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

  emit_turn_windows (e, id);
  emit_inner (e, instr->blocks[0], mask);
  emit_poll_in_loop (e, id);
  LLVMBuildBr (B, head);
  emit_enter (e, e->while_exit);
  emit_close_windows (e, id);
  e->while_exit = saved_exit;
  e->while_mask = saved_mask;
}

/* The condition that ends a loop, taken apart into terms of which one suffices: uniform terms become branches. */
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

static void
emit_loop (Emitter *e,
           guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

  if (instr->op == ACC_KOP_FOREACH && e->lanes == 0 && instr->bits != 1 &&
      (!(e->flags & ACC_EMIT_SCALAR) || _acc_kernel_is_lock_step (e->kernel, id)) && emit_foreach (e, id))
    return;
  if (e->facts[id].masked)
    emit_masked_for (e, id);
  else
    emit_plain_for (e, id);
}

static void
emit_instr (Emitter *e,
            guint32  id)
{
  switch (acc_kernel_instr (e->kernel, id)->op)
    {
    case ACC_KOP_PRIM:
    case ACC_KOP_CAST:
    case ACC_KOP_BITCAST:
    case ACC_KOP_SELECT:
    case ACC_KOP_FMA:
    case ACC_KOP_ESTIMATE:
    case ACC_KOP_EXTEND:
    case ACC_KOP_OPAQUE:
    case ACC_KOP_UDIV:
    case ACC_KOP_UREM:
      e->values[id] = emit_pure (e, id);
      return;
    case ACC_KOP_LOAD:
      e->values[id] = emit_load (e, id);
      return;
    case ACC_KOP_STORE:
      emit_store (e, id);
      return;
    case ACC_KOP_PACK:
      emit_pack (e, id);
      return;
    case ACC_KOP_PREFETCH:
      emit_prefetch (e, id);
      return;
    case ACC_KOP_VAR:
      emit_variable (e, id);
      return;
    case ACC_KOP_GET:
      e->values[id] = emit_get (e, id);
      return;
    case ACC_KOP_SET:
      emit_set (e, id);
      return;
    case ACC_KOP_CHECK:
      emit_check (e, id);
      return;
    case ACC_KOP_FOR:
    case ACC_KOP_FOREACH:
      emit_loop (e, id);
      return;
    case ACC_KOP_IF:
      emit_if (e, id);
      return;
    case ACC_KOP_WHILE:
      emit_while (e, id);
      return;
    case ACC_KOP_UNTIL:
      emit_until (e, id);
      return;
    case ACC_KOP_BARRIER:
    case ACC_KOP_SUBGROUP_BARRIER:
    case ACC_KOP_FENCE:
    case ACC_KOP_SHUFFLE:
    case ACC_KOP_BALLOT:
    case ACC_KOP_ATOMIC:
    case ACC_KOP_CAS:
      e->values[id] = emit_groups (e, id);
      return;
    case ACC_KOP_NONE:
    case ACC_KOP_CONST:
    case ACC_KOP_PARAM:
    case ACC_KOP_RANGE:
    case ACC_KOP_LOCAL:
    default:
      g_return_if_reached ();
    }
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
      if (is_large && ++e->n_in_line > MOST_IN_LINE)
        emit_cut (e);
      emit_instr (e, g_array_index (items, guint32, i));
    }
  g_ptr_array_unref (e->groups);
  e->groups = saved_groups;
}
