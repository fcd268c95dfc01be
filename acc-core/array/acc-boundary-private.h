/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-boundary.h"

/* Where index @i of @n is found, of a boundary that maps to indices inside. */
static inline gint64
acc_boundary_fold_inside (AccBoundaryKind kind,
                          gint64          i,
                          gint64          n)
{
  gint64 period;

  if (kind == ACC_BOUNDARY_CLAMP || n == 1)
    return CLAMP (i, 0, n - 1);

  period = kind == ACC_BOUNDARY_WRAP ? n : 2 * n - 2;
  i %= period;
  if (i < 0)
    i += period;

  return i < n ? i : period - i;
}
