/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower-range.h"

/* Ranges of integers: enough to see that most indices need no check. The lanes' values all lie within. */

gboolean
low_range_get_limits (AccElementKind kind,
                      gint64        *lo,
                      gint64        *hi)
{
  AccInterval all = acc_interval_of_kind (kind);

  if (all.known)
    *lo = all.lo, *hi = all.hi;

  return all.known;
}

KValue
low_within (AccLower *l,
            KValue    x,
            gint64    lo,
            gint64    hi)
{
  AccInterval *fact;

  if (x.id == 0)
    {
      l->failed = TRUE;
      return x;
    }
  if (x.id >= l->facts->len)
    g_array_set_size (l->facts, x.id + 1);
  fact = &g_array_index (l->facts, AccInterval, x.id);
  if (!fact->known)
    *fact = (AccInterval) { TRUE, lo, hi };
  else if (MAX (fact->lo, lo) <= MIN (fact->hi, hi))
    *fact = (AccInterval) { TRUE, MAX (fact->lo, lo), MIN (fact->hi, hi) };

  return x;
}

/* Returns the range of an i64 or narrower; if none is known, all values of its kind. Constants come from the builder as well, which
 * simplifies. */
void
low_get_range (AccLower *l,
               KValue    x,
               gint64   *lo,
               gint64   *hi)
{
  const AccKernelInstr *instr = x.id < l->b->kernel->instrs->len ? acc_kernel_instr (l->b->kernel, x.id) : NULL;

  if (instr != NULL && instr->op == ACC_KOP_CONST && low_range_get_limits (instr->kind, lo, hi))
    *lo = *hi = (gint64) instr->bits;
  else if (x.id < l->facts->len && g_array_index (l->facts, AccInterval, x.id).known)
    {
      *lo = g_array_index (l->facts, AccInterval, x.id).lo;
      *hi = g_array_index (l->facts, AccInterval, x.id).hi;
    }
  else if (!low_range_get_limits (kb_kind (l->b, x), lo, hi))
    {
      *lo = G_MININT64;
      *hi = G_MAXINT64;
    }
}

/* NULL: @x is no constant of that kind. */
static const AccKernelInstr *
get_constant (AccLower      *l,
              KValue         x,
              AccElementKind kind)
{
  const AccKernelInstr *instr = x.id < l->b->kernel->instrs->len ? acc_kernel_instr (l->b->kernel, x.id) : NULL;

  return instr != NULL && instr->op == ACC_KOP_CONST && instr->kind == kind ? instr : NULL;
}

gboolean
low_is_const (AccLower *l,
              KValue    x,
              gint64   *value)
{
  const AccKernelInstr *constant = get_constant (l, x, ACC_KIND_I64);

  if (constant != NULL)
    *value = (gint64) constant->bits;

  return constant != NULL;
}

gboolean
low_is_known (AccLower *l,
              KValue    condition,
              gboolean *holds)
{
  const AccKernelInstr *constant = get_constant (l, condition, ACC_KIND_BOOL);

  if (constant != NULL)
    *holds = constant->bits != 0;

  return constant != NULL;
}

gboolean
low_range_is_known (AccLower *l,
                    KValue    x)
{
  gint64 lo, hi;

  return x.id != 0 && low_range_get_limits (kb_kind (l->b, x), &lo, &hi);
}

KValue
low_range_keep (AccLower *l,
                KValue    x,
                gint64    lo,
                gint64    hi)
{
  gint64 least, most;

  if (x.id != 0 && low_range_get_limits (kb_kind (l->b, x), &least, &most) && lo >= least && hi <= most && lo <= hi)
    return low_within (l, x, lo, hi);
  if (x.id == 0)
    l->failed = TRUE;

  return x;
}

gboolean
low_range_combine (AccPrimitive primitive,
                   gint64       a,
                   gint64       b,
                   gint64       c,
                   gint64       d,
                   gint64      *lo,
                   gint64      *hi)
{
  AccInterval z = acc_interval_apply (primitive, (AccInterval) { TRUE, a, b }, (AccInterval) { TRUE, c, d });

  if (z.known)
    *lo = z.lo, *hi = z.hi;

  return z.known;
}
