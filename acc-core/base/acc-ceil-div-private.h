/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* How many parts of @y at most @x is cut into: both positive, or @x 0. */
static inline gint64
acc_ceil_div (gint64 x,
              gint64 y)
{
  return x / y + (x % y != 0);
}
