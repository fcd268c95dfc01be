/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

#include "acc-backends/ir/acc-interval.h"

/* Decides which 64-bit integers are computed in 32 bits where the launch is small, since devices have no 64-bit instructions. Forwards by
 * intervals: values computed from bounds, scalars and thread numbers, all below 2^30, often stay below 2^31. Backwards by demanded bits: an
 * index of an element that exists is below 2^31, so only its low 32 bits matter, and the low bits of sums and products follow from the low
 * bits of their operands. */

#define SMALL ((gint64) 1 << 30)

static AccInterval
between (gint64 low,
         gint64 high)
{
  return (AccInterval) { TRUE, low, high };
}

static gboolean
fits (const AccInterval *x)
{
  return x->known && x->lo >= G_MININT32 && x->hi <= G_MAXINT32;
}

static AccInterval
interval_of_primitive (const AccKernelInstr *instr,
                       const AccInterval    *x,
                       const AccInterval    *y)
{
  if (instr->primitive == ACC_PRIM_BAND && ((y->known && y->lo >= 0) || (x->known && x->lo >= 0)))
    return between (0, y->known && y->lo >= 0 ? y->hi : x->hi);
  if (instr->primitive == ACC_PRIM_NEG && x->known && x->lo > G_MININT64)
    return between (-x->hi, -x->lo);

  return acc_interval_apply (instr->primitive, *x, *y);
}

/* Of instruction @id, of i64, from those before it. */
static AccInterval
find_interval (const AccKernel   *kernel,
               const AccInterval *intervals,
               guint32            id)
{
  static const AccInterval unknown = { 0 };
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);
  const AccInterval *args[ACC_KERNEL_MAX_ARGS] = { &unknown, &unknown, &unknown, &unknown, &unknown };

  for (guint i = _acc_kernel_first_id (instr); i < instr->n_args; i++)
    if (instr->args[i] < id)
      args[i] = &intervals[instr->args[i]];

  if (instr->op == ACC_KOP_CONST)
    return between ((gint64) instr->bits, (gint64) instr->bits);
  if (instr->op == ACC_KOP_PARAM)
    return between (-SMALL, SMALL);
  if (instr->op == ACC_KOP_RANGE)
    return between (0, SMALL);
  if (instr->op == ACC_KOP_LOCAL)
    return between (0, kernel->group_size - 1);
  if (instr->op == ACC_KOP_PRIM)
    return interval_of_primitive (instr, args[0], args[1]);
  if (instr->op == ACC_KOP_CAST)
    return acc_interval_of_kind (acc_kernel_instr (kernel, instr->args[0])->kind);
  if (instr->op == ACC_KOP_SELECT && args[1]->known && args[2]->known)
    return between (MIN (args[1]->lo, args[2]->lo), MAX (args[1]->hi, args[2]->hi));
  /* Neither is of negative numbers. */
  if (instr->op == ACC_KOP_UDIV && args[0]->known)
    return between (0, MAX (args[0]->hi, 0) / (args[1]->known && args[1]->lo > 0 ? args[1]->lo : 1));
  if (instr->op == ACC_KOP_UREM && args[1]->known)
    return between (0, MAX (args[1]->hi - 1, 0));
  if (instr->op == ACC_KOP_FOR && args[0]->known && args[1]->known)
    return between (args[0]->lo, MAX (args[0]->lo, args[1]->hi));

  return unknown;
}

/* Whether the low bits of the result come from the low bits of the operands. */
static gboolean
is_low (const AccKernelInstr *instr)
{
  if (instr->op == ACC_KOP_SELECT)
    return TRUE;
  if (instr->op != ACC_KOP_PRIM)
    return FALSE;

  return instr->primitive == ACC_PRIM_ADD || instr->primitive == ACC_PRIM_SUB || instr->primitive == ACC_PRIM_MUL
         || instr->primitive == ACC_PRIM_NEG || instr->primitive == ACC_PRIM_BAND || instr->primitive == ACC_PRIM_BOR
         || instr->primitive == ACC_PRIM_BXOR;
}

/* Whether the instruction, of i64, is computed in 32 bits. */
static gboolean
is_narrow (const AccKernel   *kernel,
           const AccInterval *intervals,
           gboolean           is_demanded,
           guint32            id)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);
  gboolean small = fits (&intervals[id]);

  if (is_low (instr))
    return small || !is_demanded;
  if (instr->op == ACC_KOP_PARAM || instr->op == ACC_KOP_RANGE || instr->op == ACC_KOP_LOCAL || instr->op == ACC_KOP_CAST)
    return small;
  if (instr->op != ACC_KOP_UDIV && instr->op != ACC_KOP_UREM && instr->op != ACC_KOP_FOR &&
      (instr->op != ACC_KOP_PRIM || (instr->primitive != ACC_PRIM_MIN && instr->primitive != ACC_PRIM_MAX)))
    return FALSE;

  return small && fits (&intervals[instr->args[0]]) && fits (&intervals[instr->args[1]]);
}

guint8 *
c_find_widths (const AccKernel *kernel)
{
  guint n = kernel->instrs->len;
  g_autofree AccInterval *intervals = g_new0 (AccInterval, n);
  g_autofree gboolean *demanded = g_new0 (gboolean, n);   /* more than the low bits */
  guint8 *widths = g_new0 (guint8, n);

  for (guint32 id = 1; id < n; id++)
    if (acc_kernel_instr (kernel, id)->kind == ACC_KIND_I64)
      intervals[id] = find_interval (kernel, intervals, id);

  /* What is used before it is made is not seen in time below. */
  for (guint32 id = 1; id < n; id++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

      for (guint i = _acc_kernel_first_id (instr); i < instr->n_args; i++)
        if (instr->args[i] > id)
          demanded[instr->args[i]] = TRUE;
    }
  for (guint32 id = n - 1; id > 0; id--)
    {
      const AccKernelInstr *instr = acc_kernel_instr (kernel, id);
      gboolean is_memory = _acc_kernel_op_is_access (instr->op);
      gboolean is_value = instr->kind == ACC_KIND_I64 && _acc_kernel_is_value (kernel, id);
      gboolean narrow = is_value && is_narrow (kernel, intervals, demanded[id], id);

      if (narrow)
        widths[id] |= C_NARROW;
      if (is_value && fits (&intervals[id]))
        widths[id] |= C_SMALL;
      if (is_value && intervals[id].known && intervals[id].lo >= 0 && intervals[id].hi < 32)
        widths[id] |= C_BELOW_32;
      for (guint i = _acc_kernel_first_id (instr); i < instr->n_args; i++)
        if (!(is_memory && i == 1) && !(narrow && is_low (instr)))
          demanded[instr->args[i]] = TRUE;
    }

  return widths;
}
