/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include "acc-module-machine.h"

#define B (e->builder)

/* Versions of a foreach body for uniform and divergent blocks. Many instructions vary from lane to lane in principle and are uniform in
 * nearly every block of lanes: a comparison of an index with a uniform bound (rotations, paddings), a quotient of an index. So the body is
 * emitted twice. The first version assumes that these instructions are uniform, or linear as the index is, and loads neighbours as such;
 * the second assumes nothing. A test in front of each block chooses.
 *
 * The test compares the first lane with the last: the operand ascends or descends from lane to lane. A sum that wraps around does not, but
 * wraps once in a block at most: then the last lane is on the other side of the first, and the test fails. */

#define MAX_TRACED     24   /* instructions that something is computed from */
#define MAX_ASSUMPTIONS 16
#define MIN_DIVISOR    64   /* blocks of fewer elements would never be uniform */

static const AccKernelInstr *
get (Emitter *e,
     guint32  id)
{
  return acc_kernel_instr (e->kernel, id);
}

static gboolean
is_quotient (const AccKernelInstr *instr)
{
  return instr->op == ACC_KOP_UDIV || (instr->op == ACC_KOP_PRIM && (instr->primitive == ACC_PRIM_QUOT || instr->primitive == ACC_PRIM_DIV));
}

static gboolean
is_remainder (const AccKernelInstr *instr)
{
  return instr->op == ACC_KOP_UREM || (instr->op == ACC_KOP_PRIM && (instr->primitive == ACC_PRIM_REM || instr->primitive == ACC_PRIM_MOD));
}

static gboolean
is_bound (const AccKernelInstr *instr)
{
  return instr->op == ACC_KOP_PRIM && (instr->primitive == ACC_PRIM_MIN || instr->primitive == ACC_PRIM_MAX);
}

/* --- values of one lane */

/* Whether it is made of the index and of what there is outside of the foreach. */
static gboolean
is_known_before (Emitter *e,
                 guint32  id,
                 guint32  foreach,
                 guint   *n)
{
  const AccKernelInstr *instr = get (e, id);

  if (id == foreach || !_acc_kernel_is_inside (e->kernel, id, foreach))
    return TRUE;
  if (*n == 0 || (instr->op != ACC_KOP_PRIM && instr->op != ACC_KOP_SELECT && instr->op != ACC_KOP_UDIV && instr->op != ACC_KOP_UREM) ||
      (instr->op == ACC_KOP_PRIM && acc_primitive_is (instr->primitive, ACC_FAMILY_TRANSCENDENTAL)))
    return FALSE;
  (*n)--;
  for (guint i = 0; i < instr->n_args; i++)
    if (!is_known_before (e, instr->args[i], foreach, n))
      return FALSE;

  return TRUE;
}

static LLVMValueRef
value_at (Emitter     *e,
          guint32      id,
          guint32      foreach,
          LLVMValueRef index)
{
  const AccKernelInstr *instr = get (e, id);
  LLVMValueRef x[3] = { NULL, NULL, NULL };

  if (id == foreach)
    return index;
  if (!_acc_kernel_is_inside (e->kernel, id, foreach))
    return emit_scalar (e, id);

  for (guint i = 0; i < instr->n_args; i++)
    x[i] = value_at (e, instr->args[i], foreach, index);
  if (instr->op == ACC_KOP_SELECT)
    return emit_select (e, x[0], x[1], x[2]);
  if (instr->op == ACC_KOP_UDIV)
    return emit_index_division (e, x[0], x[1]);
  if (instr->op == ACC_KOP_UREM)
    return emit_index_remainder (e, x[0], x[1]);

  return emit_primitive (e, instr->primitive, get (e, instr->args[0])->kind, x[0], x[1]);
}

LLVMValueRef
emit_at (Emitter     *e,
         guint32      id,
         guint32      foreach,
         LLVMValueRef index)
{
  guint n = MAX_TRACED;

  return is_known_before (e, id, foreach, &n) ? value_at (e, id, foreach, index) : NULL;
}

/* --- what may be assumed */

static gboolean
is_uniform (Emitter *e,
            guint32  id)
{
  return e->facts[id].shape == SHAPE_UNIFORM;
}

/* 1: ascends from lane to lane, or stays; -1: descends, or stays; 0: neither, or nobody knows. */
static int
get_direction (Emitter *e,
               guint32  id)
{
  const AccKernelInstr *instr = get (e, id);
  gboolean is_first;

  if (e->facts[id].shape == SHAPE_LINEAR)
    return e->facts[id].stride > 0 ? 1 : -1;
  if (_acc_kernel_first_id (instr) > 0)
    return 0;
  is_first = instr->n_args == 2 && !is_uniform (e, instr->args[0]);
  if (instr->kind != ACC_KIND_I64 || instr->n_args != 2 || is_uniform (e, instr->args[0]) == is_uniform (e, instr->args[1]))
    return 0;
  if (instr->op == ACC_KOP_UDIV || (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_SHR))
    return is_first ? get_direction (e, instr->args[0]) : 0;
  if (instr->op == ACC_KOP_PRIM && (instr->primitive == ACC_PRIM_ADD || is_bound (instr)))
    return get_direction (e, instr->args[is_first ? 0 : 1]);
  if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_SUB)
    return is_first ? get_direction (e, instr->args[0]) : -get_direction (e, instr->args[1]);

  return 0;
}

/* The operand that is not the same for all */
static guint32
get_subject (Emitter *e,
             guint32  id)
{
  const AccKernelInstr *instr = get (e, id);

  return instr->args[is_uniform (e, instr->args[0]) ? 1 : 0];
}

static gboolean
may_be_uniform (Emitter *e,
                guint32  id,
                guint32  foreach)
{
  const AccKernelInstr *instr = get (e, id), *other;
  guint n = MAX_TRACED;

  if (e->facts[id].shape != SHAPE_VARYING || instr->n_args != 2 || _acc_kernel_first_id (instr) > 0 ||
      get (e, instr->args[0])->kind != ACC_KIND_I64 ||
      is_uniform (e, instr->args[0]) == is_uniform (e, instr->args[1]) || !is_known_before (e, id, foreach, &n) ||
      get_direction (e, get_subject (e, id)) == 0)
    return FALSE;
  if (_acc_kernel_instr_is_comparison (instr))
    return TRUE;
  if (is_bound (instr))
    return e->facts[get_subject (e, id)].shape == SHAPE_LINEAR;

  other = get (e, instr->args[1]);
  return (is_quotient (instr) || is_remainder (instr)) && e->facts[instr->args[0]].shape == SHAPE_LINEAR &&
         is_uniform (e, instr->args[1]) && (other->op != ACC_KOP_CONST || (gint64) other->bits >= MIN_DIVISOR);
}

/* Whether being uniform gains something: the instruction decides an address, or a branch with effects, or is a division. */
static gboolean
matters (Emitter *e,
         guint32  id)
{
  g_autofree gboolean *depends = g_new0 (gboolean, e->kernel->instrs->len);

  if (is_quotient (get (e, id)) || is_remainder (get (e, id)))
    return TRUE;

  depends[id] = TRUE;
  for (guint32 next = id + 1; next < e->kernel->instrs->len; next++)
    {
      const AccKernelInstr *instr = get (e, next);

      if (instr->block == 0)
        continue;
      if (_acc_kernel_op_is_access (instr->op) && depends[instr->args[1]])
        return TRUE;
      if (instr->op == ACC_KOP_IF && depends[instr->args[0]] && (emit_has_effects (e, instr->blocks[0]) || emit_has_effects (e, instr->blocks[1])))
        return TRUE;
      for (guint i = 0; i < instr->n_args && _acc_kernel_op_is_pure (instr->op); i++)
        depends[next] |= depends[instr->args[i]];
    }

  return FALSE;
}

GArray *
emit_find_assumptions (Emitter *e,
                       guint32  foreach)
{
  GArray *found = g_array_new (FALSE, TRUE, sizeof (Assumption));
  gboolean is_single = get (e, foreach)->bits != 0;   /* one block, or a few: lanes of a fold */

  if (acc_disable_get_flags () & ACC_DISABLE_UNIFORM)
    return found;

  for (guint32 id = foreach + 1; id < e->kernel->instrs->len && found->len < MAX_ASSUMPTIONS && !is_single; id++)
    if (_acc_kernel_is_inside (e->kernel, id, foreach) && may_be_uniform (e, id, foreach) && matters (e, id))
      {
        Assumption assumption = { .id = id, .subject = get_subject (e, id) };

        assumption.ascends = get_direction (e, assumption.subject) > 0;
        if (is_remainder (get (e, id)) || is_bound (get (e, id)))
          assumption.stride = e->facts[assumption.subject].stride;
        g_array_append_val (found, assumption);
      }

  return found;
}

const Assumption *
emit_get_assumption (Emitter *e,
                     guint32  id)
{
  for (guint i = 0; e->assumptions != NULL && i < e->assumptions->len; i++)
    {
      const Assumption *assumption = &g_array_index (e->assumptions, Assumption, i);

      if (assumption->id == id)
        return assumption;
    }

  return NULL;
}

/* --- the test */

static LLVMValueRef
is_equal (Emitter     *e,
          LLVMValueRef x,
          LLVMValueRef y)
{
  return LLVMBuildICmp (B, LLVMIntEQ, x, y, "");
}

static LLVMValueRef
test_assumption (Emitter         *e,
                 const Assumption *assumption,
                 guint32          foreach,
                 LLVMValueRef     first,
                 LLVMValueRef     last)
{
  const AccKernelInstr *instr = get (e, assumption->id);
  LLVMValueRef x = value_at (e, assumption->subject, foreach, first), y = value_at (e, assumption->subject, foreach, last);
  LLVMValueRef value = value_at (e, assumption->id, foreach, first), last_value = value_at (e, assumption->id, foreach, last);
  LLVMValueRef is_in_order = LLVMBuildICmp (B, assumption->ascends ? LLVMIntSLE : LLVMIntSGE, x, y, ""), is_same;

  e->values[assumption->id] = (Value) {
    .v = value, .shape = assumption->stride != 0 ? SHAPE_LINEAR : SHAPE_UNIFORM, .stride = assumption->stride,
  };

  if (is_bound (instr))
    {
      is_same = LLVMBuildAnd (B, is_equal (e, value, x), is_equal (e, last_value, y), "");
    }
  else if (is_remainder (instr))
    {
      /* Those of one quotient are as far from each other as what is divided. */
      is_same = is_equal (e, LLVMBuildSub (B, last_value, value, ""), LLVMBuildSub (B, y, x, ""));
    }
  else if (_acc_kernel_instr_is_comparison (instr) && (instr->primitive == ACC_PRIM_EQ || instr->primitive == ACC_PRIM_NE))
    {
      LLVMValueRef other = value_at (e, instr->args[assumption->subject == instr->args[0] ? 1 : 0], foreach, first);

      is_same = LLVMBuildOr (B, LLVMBuildICmp (B, LLVMIntSLT, other, assumption->ascends ? x : y, ""),
                           LLVMBuildICmp (B, LLVMIntSGT, other, assumption->ascends ? y : x, ""), "");
    }
  else
    {
      is_same = is_equal (e, value, last_value);
    }

  return LLVMBuildAnd (B, is_in_order, is_same, "");
}

LLVMValueRef
emit_test_assumptions (Emitter      *e,
                       guint32       foreach,
                       LLVMValueRef  first)
{
  LLVMValueRef last = LLVMBuildAdd (B, first, LLVMConstInt (e->t_i64, e->lanes - 1, FALSE), ""), all = NULL;

  for (guint i = 0; i < e->assumptions->len; i++)
    {
      LLVMValueRef one = test_assumption (e, &g_array_index (e->assumptions, Assumption, i), foreach, first, last);

      all = all != NULL ? LLVMBuildAnd (B, all, one, "") : one;
    }

  return all;
}
