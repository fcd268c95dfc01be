/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* foreach: whole blocks of lanes without a mask, then the remainder.
 *
 * The remainder is done under a mask, or, if computing elements twice does not show, by a last block that overlaps the one before: masks
 * are slow on processors without predicates, and for narrow elements. Only a range shorter than a block needs a mask then, or goes element
 * by element where a mask would be of no use.
 *
 * Non-temporal stores want aligned addresses: then so many lanes come first, in a block of their own, that the second block is aligned. */

/* Peeling costs a block: only for ranges of at least so many. */
#define MIN_PEELED_BLOCKS 8

static gboolean
count_is_constant (Emitter              *e,
                   const AccKernelInstr *instr,
                   gint64               *n)
{
  const AccKernelInstr *begin = acc_kernel_instr (e->kernel, instr->args[0]);
  const AccKernelInstr *end = acc_kernel_instr (e->kernel, instr->args[1]);

  if (begin->op == ACC_KOP_CONST && end->op == ACC_KOP_CONST)
    {
      *n = (gint64) end->bits - (gint64) begin->bits;
      return TRUE;
    }
  if (end->op == ACC_KOP_PRIM && end->primitive == ACC_PRIM_ADD && end->args[0] == instr->args[0] &&
      acc_kernel_instr (e->kernel, end->args[1])->op == ACC_KOP_CONST)
    {
      *n = acc_kernel_instr (e->kernel, end->args[1])->bits;
      return TRUE;
    }

  return FALSE;
}

typedef struct {
  Fact        *facts;         /* of any block */
  Fact        *uniform;       /* of blocks for which the assumptions hold */
  GArray      *assumptions;   /* Assumption; may be empty */
  LLVMValueRef streamed_from; /* blocks whose lines no other writes to, by their first index; NULL: all */
  LLVMValueRef streamed_to;
} Body;

static void
emit_body (Emitter *e,
           guint32  id,
           Mask     mask)
{
  e->mask = mask;
  emit_instrs (e, acc_kernel_instr (e->kernel, id)->blocks[0]);
  e->mask = (Mask) { NULL, NULL, 0 };
}

/* The body once, for the lanes from @index on. */
static void
emit_lanes (Emitter         *e,
            guint32          id,
            const Body      *own,
            LLVMValueRef     index,
            Mask             mask)
{
  LLVMBasicBlockRef uniform, divergent, after;

  e->values[id] = (Value) { .v = index, .shape = SHAPE_LINEAR, .stride = 1 };
  if (own->assumptions->len == 0 || mask.v != NULL)
    {
      emit_body (e, id, mask);
      return;
    }

  uniform = emit_block (e, "uniform");
  divergent = emit_block (e, "divergent");
  after = emit_block (e, "lanes.end");
  e->assumptions = own->assumptions;
  LLVMBuildCondBr (B, emit_test_assumptions (e, id, index), uniform, divergent);
  emit_enter (e, uniform);
  e->facts = own->uniform;
  emit_body (e, id, mask);
  e->assumptions = NULL;
  e->facts = own->facts;
  LLVMBuildBr (B, after);
  emit_enter (e, divergent);
  emit_body (e, id, mask);
  LLVMBuildBr (B, after);
  emit_enter (e, after);
}

static void
emit_whole_blocks (Emitter         *e,
                   guint32          id,
                   const Body      *own,
                   LLVMValueRef     begin,
                   LLVMValueRef     end)
{
  LLVMBasicBlockRef before = LLVMGetInsertBlock (B), body = emit_block (e, "foreach"), after = emit_block (e, "foreach.end");
  LLVMBasicBlockRef latch;
  LLVMValueRef index, next;

  LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntSLT, begin, end, ""), body, after);
  emit_enter (e, body);
  index = LLVMBuildPhi (B, e->t_i64, "");
  LLVMAddIncoming (index, &begin, &before, 1);
  if (e->streaming && own->streamed_from != NULL)
    e->streams = LLVMBuildAnd (B, LLVMBuildICmp (B, LLVMIntSGE, index, own->streamed_from, ""),
                               LLVMBuildICmp (B, LLVMIntSLT, index, own->streamed_to, ""), "");
  emit_lanes (e, id, own, index, (Mask) { NULL, NULL, 0 });
  e->streams = NULL;
  emit_poll_in_loop (e, id);
  next = LLVMBuildNSWAdd (B, index, LLVMConstInt (e->t_i64, e->lanes, FALSE), "");
  latch = LLVMGetInsertBlock (B);
  LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntSLT, next, end, ""), body, after);
  LLVMAddIncoming (index, &next, &latch, 1);
  emit_enter (e, after);
}

static void
emit_tail (Emitter         *e,
           guint32          id,
           const Body      *own,
           LLVMValueRef     begin,
           LLVMValueRef     end)
{
  LLVMBasicBlockRef body = emit_block (e, "tail"), after = emit_block (e, "tail.end");
  LLVMValueRef count;

  LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntSLT, begin, end, ""), body, after);
  emit_enter (e, body);
  count = LLVMBuildSub (B, end, begin, "");
  emit_lanes (e, id, own, begin, (Mask) { emit_first_lanes (e, count, e->lanes), count, 0 });
  LLVMBuildBr (B, after);
  emit_enter (e, after);
}

/* --- past the caches */

/* The first store of the body that may go past the caches; 0: none. */
static guint32
find_streamed (Emitter *e,
               guint32  block)
{
  GArray *items = acc_kernel_block (e->kernel, block)->items;

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

      if (instr->op == ACC_KOP_STORE && e->facts[instr->args[1]].shape == SHAPE_LINEAR &&
          e->facts[instr->args[1]].stride == 1 && (acc_kernel_param (e->kernel, instr->args[0])->flags & ACC_BUFFER_ONCE))
        return id;
    }

  return 0;
}

/* How many lanes come before the first aligned one; NULL: nothing to align. */
static LLVMValueRef
lanes_to_peel (Emitter     *e,
               guint32      id,
               LLVMValueRef begin,
               LLVMValueRef end)
{
  guint32 store = find_streamed (e, acc_kernel_instr (e->kernel, id)->blocks[0]);
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, store);
  guint size, shift;
  LLVMValueRef first, address, bytes, n, is_long;

  if (store == 0)
    return NULL;
  first = emit_at (e, instr->args[1], id, begin);
  if (first == NULL)
    return NULL;

  size = acc_element_kind_get_size (acc_kernel_param (e->kernel, instr->args[0])->kind);
  shift = g_bit_nth_lsf (size, -1);
  if (size * e->lanes < EMIT_CACHE_LINE)
    return NULL;
  address = LLVMBuildPtrToInt (B, emit_element (e, instr->args[0], first), e->t_i64, "");
  bytes = LLVMBuildAnd (B, LLVMBuildNeg (B, address, ""), LLVMConstInt (e->t_i64, EMIT_CACHE_LINE - 1, FALSE), "");
  n = LLVMBuildLShr (B, bytes, LLVMConstInt (e->t_i64, shift, FALSE), "");
  is_long = LLVMBuildICmp (B, LLVMIntSGE, LLVMBuildSub (B, end, begin, ""),
                           LLVMConstInt (e->t_i64, MIN_PEELED_BLOCKS * e->lanes, FALSE), "");

  return emit_select (e, is_long, n, LLVMConstNull (e->t_i64));
}

static void
emit_blocks_and_tail (Emitter         *e,
                      guint32          id,
                      const Body      *own,
                      LLVMValueRef     begin,
                      LLVMValueRef     end)
{
  LLVMValueRef n = emit_binary (e, "llvm.smax", LLVMBuildSub (B, end, begin, ""), LLVMConstNull (e->t_i64));
  LLVMValueRef rest = LLVMBuildURem (B, n, LLVMConstInt (e->t_i64, e->lanes, FALSE), "");
  LLVMValueRef whole_end = LLVMBuildAdd (B, begin, LLVMBuildSub (B, n, rest, ""), "");

  emit_whole_blocks (e, id, own, begin, whole_end);
  emit_tail (e, id, own, whole_end, end);
}

static void
forget (Emitter *e,
        guint32  id,
        Fact    *facts)
{
  for (guint32 other = id; other < e->kernel->instrs->len; other++)
    if (_acc_kernel_is_inside (e->kernel, other, id))
      facts[other] = (Fact) { 0, };
}

/* Less than a block. */
static void
emit_short (Emitter      *e,
            guint32       id,
            const Body   *own,
            LLVMValueRef  begin,
            LLVMValueRef  end)
{
  g_autofree Fact *scalars = NULL;
  guint lanes = e->lanes;
  gboolean streaming = e->streaming;

  if (!emit_goes_by_lane (e, id))
    {
      emit_tail (e, id, own, begin, end);
      return;
    }

  scalars = g_memdup2 (own->facts, e->kernel->instrs->len * sizeof *scalars);
  forget (e, id, scalars);
  e->facts = scalars;
  e->lanes = 0;
  e->streaming = FALSE;
  emit_plain_for (e, id);
  e->facts = own->facts;
  e->lanes = lanes;
  e->streaming = streaming;
}

/* Whole blocks, all by the same code: the one that begins with the first index, if @peeled is not 0; those from @peeled on; and the one
 * that ends with the last index, if there is a remainder. @peeled: NULL: 0. Blocks that share lines with the first or the last have no
 * non-temporal stores: Intel's processors take long for a line that is in a cache. */
static void
emit_rounds (Emitter         *e,
             guint32          id,
             Body            *own,
             LLVMValueRef     begin,
             LLVMValueRef     end,
             LLVMValueRef     peeled)
{
  LLVMBasicBlockRef first = emit_block (e, "blocks"), round = emit_block (e, "round"), next = emit_block (e, "round.next");
  LLVMBasicBlockRef remainder = emit_block (e, "remainder"), after = emit_block (e, "foreach.end");
  LLVMValueRef lanes = LLVMConstInt (e->t_i64, e->lanes, FALSE), start = begin, whole_end, round_begin, round_end, is_first;
  LLVMValueRef next_begin, next_end;

  LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntSGE, LLVMBuildSub (B, end, begin, ""), lanes, ""), first, remainder);
  emit_enter (e, first);
  if (peeled != NULL)
    start = LLVMBuildAdd (B, begin, peeled, "");
  whole_end = LLVMBuildSub (B, end, LLVMBuildURem (B, LLVMBuildSub (B, end, start, ""), lanes, ""), "");
  is_first = LLVMBuildICmp (B, LLVMIntSLT, begin, start, "");
  next_end = emit_select (e, is_first, LLVMBuildAdd (B, begin, lanes, ""), whole_end);
  own->streamed_from = emit_select (e, is_first, LLVMBuildAdd (B, start, lanes, ""), begin);
  own->streamed_to = emit_select (e, LLVMBuildICmp (B, LLVMIntSLT, whole_end, end, ""), LLVMBuildSub (B, whole_end, lanes, ""), end);
  LLVMBuildBr (B, round);

  emit_enter (e, round);
  round_begin = LLVMBuildPhi (B, e->t_i64, "");
  round_end = LLVMBuildPhi (B, e->t_i64, "");
  LLVMAddIncoming (round_begin, &begin, &first, 1);
  LLVMAddIncoming (round_end, &next_end, &first, 1);
  emit_whole_blocks (e, id, own, round_begin, round_end);
  LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntSLT, round_end, end, ""), next, after);

  emit_enter (e, next);
  is_first = LLVMBuildICmp (B, LLVMIntSLT, round_begin, start, "");
  next_begin = emit_select (e, is_first, start, LLVMBuildSub (B, end, lanes, ""));
  next_end = emit_select (e, is_first, whole_end, end);
  LLVMAddIncoming (round_begin, &next_begin, &next, 1);
  LLVMAddIncoming (round_end, &next_end, &next, 1);
  LLVMBuildBr (B, round);

  emit_enter (e, remainder);
  emit_short (e, id, own, begin, end);
  LLVMBuildBr (B, after);
  emit_enter (e, after);
}

/* Facts of the foreach under the assumptions. They decide the number of lanes, since the assumptions hold for nearly all blocks. */
static Fact *
analyse_uniform (Emitter *e,
                 guint32  id,
                 GArray  *assumptions)
{
  Fact *facts = e->facts, *uniform = g_memdup2 (facts, e->kernel->instrs->len * sizeof *facts);

  forget (e, id, uniform);
  e->facts = uniform;
  e->assumptions = assumptions;
  emit_analyse (e, id);
  e->lanes = emit_choose_lanes (e, id);
  e->assumptions = NULL;
  e->facts = facts;

  return uniform;
}

gboolean
emit_foreach (Emitter *e,
              guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  LLVMValueRef begin, end;
  gboolean is_repeatable = emit_is_repeatable (e, id);
  g_autoptr(GArray) assumptions = NULL;
  g_autofree Fact *uniform = NULL;
  Body body, *own = &body;
  gint64 n;

  emit_analyse (e, id);
  e->mask = (Mask) { NULL, NULL, 0 };
  assumptions = emit_find_assumptions (e, id);
  if (assumptions->len > 0)
    uniform = analyse_uniform (e, id, assumptions);
  else
    e->lanes = emit_choose_lanes (e, id);
  if (e->lanes == 1)
    {
      forget (e, id, e->facts);
      e->lanes = 0;
      return FALSE;
    }
  e->streaming = (e->flags & ACC_EMIT_NON_TEMPORAL) && e->target->has_streaming;
  begin = emit_scalar (e, instr->args[0]);
  end = emit_scalar (e, instr->args[1]);
  body = (Body) { e->facts, uniform, assumptions, NULL, NULL };

  if (count_is_constant (e, instr, &n) && (n <= e->lanes || n % e->lanes == 0 || !is_repeatable))
    {
      gint64 rest = n > 0 ? n % e->lanes : 0;
      LLVMValueRef whole_end = LLVMBuildAdd (B, begin, LLVMConstInt (e->t_i64, n - rest, TRUE), "");

      /* The lanes of a single block are known if it begins at a constant. */
      if (n - rest == e->lanes)
        emit_lanes (e, id, own, begin, (Mask) { NULL, NULL, 0 });
      else if (n > rest)
        emit_whole_blocks (e, id, own, begin, whole_end);
      if (rest > 0)
        emit_tail (e, id, own, whole_end, end);
    }
  else if (is_repeatable)
    {
      emit_rounds (e, id, own, begin, end, e->streaming ? lanes_to_peel (e, id, begin, end) : NULL);
    }
  else
    {
      emit_blocks_and_tail (e, id, own, begin, end);
    }

  e->streaming = FALSE;
  e->lanes = 0;

  return TRUE;
}
