/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include "acc-module-machine.h"

/* What the uniform version of a foreach assumes: acc-emit-uniform.c. */

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
  return instr->op == ACC_KOP_UDIV
         || (instr->op == ACC_KOP_PRIM && (instr->primitive == ACC_PRIM_QUOT || instr->primitive == ACC_PRIM_DIV));
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

static gboolean
is_made_before (Emitter *e,
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
    if (!is_made_before (e, instr->args[i], foreach, n))
      return FALSE;

  return TRUE;
}

gboolean
emit_is_known_before (Emitter *e,
                      guint32  id,
                      guint32  foreach)
{
  guint n = MAX_TRACED;

  return is_made_before (e, id, foreach, &n);
}

static gboolean
is_uniform (Emitter *e,
            guint32  id)
{
  return e->facts[id].shape == SHAPE_UNIFORM;
}

/* 1: ascends from lane to lane, or stays; -1: descends, or stays; 0: neither, or unknown. */
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

  if (e->facts[id].shape != SHAPE_VARYING || instr->n_args != 2 || _acc_kernel_first_id (instr) > 0 ||
      get (e, instr->args[0])->kind != ACC_KIND_I64 ||
      is_uniform (e, instr->args[0]) == is_uniform (e, instr->args[1]) || !emit_is_known_before (e, id, foreach) ||
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
      if (instr->op == ACC_KOP_IF && depends[instr->args[0]]
          && (emit_has_effects (e, instr->blocks[0]) || emit_has_effects (e, instr->blocks[1])))
        return TRUE;
      for (guint i = 0; i < instr->n_args && _acc_kernel_op_is_pure (instr->op); i++)
        depends[next] |= depends[instr->args[i]];
    }

  return FALSE;
}

static AssumptionRule
get_rule (const AccKernelInstr *instr)
{
  if (is_bound (instr))
    return ASSUME_BOUND;
  if (is_remainder (instr))
    return ASSUME_REMAINDER;
  if (_acc_kernel_instr_is_comparison (instr) && (instr->primitive == ACC_PRIM_EQ || instr->primitive == ACC_PRIM_NE))
    return ASSUME_EQUALITY;

  return ASSUME_MONOTONE;
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
        Assumption assumption = { .id = id, .subject = get_subject (e, id), .rule = get_rule (get (e, id)) };

        assumption.ascends = get_direction (e, assumption.subject) > 0;
        if (assumption.rule == ASSUME_REMAINDER || assumption.rule == ASSUME_BOUND)
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
