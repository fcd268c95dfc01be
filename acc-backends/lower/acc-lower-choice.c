/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower-range.h"

/* Choices between numbers, whose ranges follow from what the condition says of them. */

static const AccPrimitive negated[ACC_N_PRIMITIVES] = {
  [ACC_PRIM_LT] = ACC_PRIM_GE, [ACC_PRIM_LE] = ACC_PRIM_GT, [ACC_PRIM_GT] = ACC_PRIM_LE,
  [ACC_PRIM_GE] = ACC_PRIM_LT, [ACC_PRIM_EQ] = ACC_PRIM_NE, [ACC_PRIM_NE] = ACC_PRIM_EQ,
};

static const AccPrimitive exchanged[ACC_N_PRIMITIVES] = {
  [ACC_PRIM_LT] = ACC_PRIM_GT, [ACC_PRIM_LE] = ACC_PRIM_GE, [ACC_PRIM_GT] = ACC_PRIM_LT,
  [ACC_PRIM_GE] = ACC_PRIM_LE, [ACC_PRIM_EQ] = ACC_PRIM_EQ, [ACC_PRIM_NE] = ACC_PRIM_NE,
};

/* The range of @x where it compares so with what lies in [@least, @most]; all of it where that cannot be. */
static void
get_compared_range (AccLower    *l,
                    KValue       x,
                    AccPrimitive comparison,
                    gint64       least,
                    gint64       most,
                    gint64      *lo,
                    gint64      *hi)
{
  gint64 a, b;

  low_get_range (l, x, lo, hi);
  a = *lo;
  b = *hi;
  if (comparison == ACC_PRIM_LT && most > G_MININT64)
    b = MIN (b, most - 1);
  if (comparison == ACC_PRIM_LE || comparison == ACC_PRIM_EQ)
    b = MIN (b, most);
  if (comparison == ACC_PRIM_GT && least < G_MAXINT64)
    a = MAX (a, least + 1);
  if (comparison == ACC_PRIM_GE || comparison == ACC_PRIM_EQ)
    a = MAX (a, least);
  if (comparison == ACC_PRIM_NE && least == most && a < b)
    {
      a += a == least;
      b -= b == most;
    }
  if (a <= b)
    {
      *lo = a;
      *hi = b;
    }
}

/* The range of @instr, if it is a sum or difference of @one, which lies in [@a, @b], and something else. FALSE: it is not, or may wrap. */
static gboolean
get_sum_range (AccLower             *l,
               const AccKernelInstr *instr,
               KValue                one,
               gint64                a,
               gint64                b,
               gint64               *lo,
               gint64               *hi)
{
  gboolean is_first = instr->args[0] == one.id;
  gint64 c, d, least, most;

  if (instr->op != ACC_KOP_PRIM || (instr->primitive != ACC_PRIM_ADD && instr->primitive != ACC_PRIM_SUB) ||
      (!is_first && instr->args[1] != one.id) || !low_range_get_limits (instr->kind, &least, &most))
    return FALSE;

  low_get_range (l, (KValue) { instr->args[is_first ? 1 : 0] }, &c, &d);
  if (is_first ? !low_range_combine (instr->primitive, a, b, c, d, lo, hi) : !low_range_combine (instr->primitive, c, d, a, b, lo, hi))
    return FALSE;

  return *lo >= least && *hi <= most;
}

/* The range of @x where @condition holds, or does not: @x may be compared there, or be a sum or difference of a compared value, such as an
 * index that wraps. */
static void
get_range_where (AccLower *l,
                 KValue    x,
                 KValue    condition,
                 gboolean  holds,
                 gint64   *lo,
                 gint64   *hi)
{
  const AccKernelInstr *compared = acc_kernel_instr (l->b->kernel, condition.id), *instr = acc_kernel_instr (l->b->kernel, x.id);

  low_get_range (l, x, lo, hi);
  if (compared->op != ACC_KOP_PRIM || compared->primitive < ACC_PRIM_LT || compared->primitive > ACC_PRIM_NE)
    return;

  for (guint i = 0; i < 2; i++)
    {
      KValue one = { compared->args[i] }, other = { compared->args[1 - i] };
      AccPrimitive primitive = holds ? compared->primitive : negated[compared->primitive];
      gint64 least, most, a, b;

      if (!low_range_is_known (l, one) || kb_kind (l->b, one) != kb_kind (l->b, x))
        continue;
      low_get_range (l, other, &least, &most);
      get_compared_range (l, one, i == 0 ? primitive : exchanged[primitive], least, most, &a, &b);
      if (one.id != x.id && !get_sum_range (l, instr, one, a, b, &a, &b))
        continue;
      *lo = MAX (*lo, a);
      *hi = MIN (*hi, b);
    }
}

KValue
low_select (AccLower *l,
            KValue    condition,
            KValue    x,
            KValue    y)
{
  KValue z = kb_select (l->b, condition, x, y);
  gint64 a, b, c, d;

  if (!low_range_is_known (l, x) || !low_range_is_known (l, y) || condition.id == 0 || z.id == x.id || z.id == y.id)
    return z;
  get_range_where (l, x, condition, TRUE, &a, &b);
  get_range_where (l, y, condition, FALSE, &c, &d);

  return low_range_keep (l, z, MIN (a, c), MAX (b, d));
}
