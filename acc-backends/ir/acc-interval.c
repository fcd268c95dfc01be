/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interval.h"

AccInterval
acc_interval_of_kind (AccElementKind kind)
{
  guint more;

  if (kind == ACC_KIND_BOOL)
    return (AccInterval) { TRUE, 0, 1 };
  if (!acc_element_kind_is_integer (kind) || kind == ACC_KIND_U64)
    return (AccInterval) { 0 };

  more = 64 - 8 * acc_element_kind_get_size (kind);
  if (acc_element_kind_is_signed (kind))
    return (AccInterval) { TRUE, G_MININT64 >> more, G_MAXINT64 >> more };

  return (AccInterval) { TRUE, 0, G_MAXINT64 >> (more - 1) };
}

static AccInterval
multiply (AccInterval x,
          AccInterval y)
{
  gint64 p[4];

  if (__builtin_mul_overflow (x.lo, y.lo, &p[0]) || __builtin_mul_overflow (x.lo, y.hi, &p[1])
      || __builtin_mul_overflow (x.hi, y.lo, &p[2]) || __builtin_mul_overflow (x.hi, y.hi, &p[3]))
    return (AccInterval) { 0 };

  return (AccInterval) { TRUE, MIN (MIN (p[0], p[1]), MIN (p[2], p[3])), MAX (MAX (p[0], p[1]), MAX (p[2], p[3])) };
}

AccInterval
acc_interval_apply (AccPrimitive primitive,
                    AccInterval  x,
                    AccInterval  y)
{
  AccInterval z = { 0 };

  if (!x.known || !y.known)
    return z;
  if (primitive == ACC_PRIM_ADD)
    z.known = !__builtin_add_overflow (x.lo, y.lo, &z.lo) && !__builtin_add_overflow (x.hi, y.hi, &z.hi);
  else if (primitive == ACC_PRIM_SUB)
    z.known = !__builtin_sub_overflow (x.lo, y.hi, &z.lo) && !__builtin_sub_overflow (x.hi, y.lo, &z.hi);
  else if (primitive == ACC_PRIM_MUL)
    z = multiply (x, y);
  else if (primitive == ACC_PRIM_MIN)
    z = (AccInterval) { TRUE, MIN (x.lo, y.lo), MIN (x.hi, y.hi) };
  else if (primitive == ACC_PRIM_MAX)
    z = (AccInterval) { TRUE, MAX (x.lo, y.lo), MAX (x.hi, y.hi) };

  return z;
}
