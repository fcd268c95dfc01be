/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include "acc-module-machine.h"

#define B (e->builder)

/* What lanes mostly agree on. A comparison of an index with what is the same for all has one outcome for all lanes of nearly every block,
 * where a rotation wraps or a padding ends in one; a quotient of an index is the same in most blocks; a bound is reached in few. So the
 * body of a foreach is emitted twice: for blocks whose lanes agree, in which what they agree on is a scalar, or linear as the index is,
 * and neighbours are loaded as such; and for the others.
 *
 * Lanes agree if the first and the last do, as what they look at ascends or descends from lane to lane. It does, but where the sum of an
 * index wraps around, once in a block: then the last is on the other side of the first. */

#define MAX_TRACED     24   /* instructions that something is computed from */
#define MAX_AGREEMENTS 16
#define MIN_DIVISOR    64   /* of blocks of fewer elements none would agree */

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
      (instr->op == ACC_KOP_PRIM && _acc_primitive_is_transcendental (instr->primitive)))
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

/* --- what lanes may agree on */

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
may_agree (Emitter *e,
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

/* Whether it decides where something is loaded or stored, or whether that, or a loop, comes to be; or saves a division. */
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
emit_find_agreements (Emitter *e,
                      guint32  foreach)
{
  GArray *found = g_array_new (FALSE, TRUE, sizeof (Agreement));
  gboolean is_single = get (e, foreach)->bits != 0;   /* one block, or some few: of lanes of a fold */

  if (acc_disable_get_flags () & ACC_DISABLE_UNIFORM)
    return found;

  for (guint32 id = foreach + 1; id < e->kernel->instrs->len && found->len < MAX_AGREEMENTS && !is_single; id++)
    if (_acc_kernel_is_inside (e->kernel, id, foreach) && may_agree (e, id, foreach) && matters (e, id))
      {
        Agreement agreement = { .id = id, .subject = get_subject (e, id) };

        agreement.ascends = get_direction (e, agreement.subject) > 0;
        if (is_remainder (get (e, id)) || is_bound (get (e, id)))
          agreement.stride = e->facts[agreement.subject].stride;
        g_array_append_val (found, agreement);
      }

  return found;
}

const Agreement *
emit_get_agreement (Emitter *e,
                    guint32  id)
{
  for (guint i = 0; e->agreements != NULL && i < e->agreements->len; i++)
    {
      const Agreement *agreement = &g_array_index (e->agreements, Agreement, i);

      if (agreement->id == id)
        return agreement;
    }

  return NULL;
}

/* --- whether they do */

static LLVMValueRef
is_equal (Emitter     *e,
          LLVMValueRef x,
          LLVMValueRef y)
{
  return LLVMBuildICmp (B, LLVMIntEQ, x, y, "");
}

static LLVMValueRef
agree_on (Emitter         *e,
          const Agreement *agreement,
          guint32          foreach,
          LLVMValueRef     first,
          LLVMValueRef     last)
{
  const AccKernelInstr *instr = get (e, agreement->id);
  LLVMValueRef x = value_at (e, agreement->subject, foreach, first), y = value_at (e, agreement->subject, foreach, last);
  LLVMValueRef value = value_at (e, agreement->id, foreach, first), last_value = value_at (e, agreement->id, foreach, last);
  LLVMValueRef is_in_order = LLVMBuildICmp (B, agreement->ascends ? LLVMIntSLE : LLVMIntSGE, x, y, ""), agree;

  e->values[agreement->id] = (Value) {
    .v = value, .shape = agreement->stride != 0 ? SHAPE_LINEAR : SHAPE_UNIFORM, .stride = agreement->stride,
  };

  if (is_bound (instr))
    {
      agree = LLVMBuildAnd (B, is_equal (e, value, x), is_equal (e, last_value, y), "");
    }
  else if (is_remainder (instr))
    {
      /* Those of one quotient are as far from each other as what is divided. */
      agree = is_equal (e, LLVMBuildSub (B, last_value, value, ""), LLVMBuildSub (B, y, x, ""));
    }
  else if (_acc_kernel_instr_is_comparison (instr) && (instr->primitive == ACC_PRIM_EQ || instr->primitive == ACC_PRIM_NE))
    {
      LLVMValueRef other = value_at (e, instr->args[agreement->subject == instr->args[0] ? 1 : 0], foreach, first);

      agree = LLVMBuildOr (B, LLVMBuildICmp (B, LLVMIntSLT, other, agreement->ascends ? x : y, ""),
                           LLVMBuildICmp (B, LLVMIntSGT, other, agreement->ascends ? y : x, ""), "");
    }
  else
    {
      agree = is_equal (e, value, last_value);
    }

  return LLVMBuildAnd (B, is_in_order, agree, "");
}

LLVMValueRef
emit_agree (Emitter      *e,
            guint32       foreach,
            LLVMValueRef  first)
{
  LLVMValueRef last = LLVMBuildAdd (B, first, LLVMConstInt (e->t_i64, e->lanes - 1, FALSE), ""), all = NULL;

  for (guint i = 0; i < e->agreements->len; i++)
    {
      LLVMValueRef one = agree_on (e, &g_array_index (e->agreements, Agreement, i), foreach, first, last);

      all = all != NULL ? LLVMBuildAnd (B, all, one, "") : one;
    }

  return all;
}
