/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-png-filter-private.h"

#include <stdlib.h>
#include <string.h>

/* What is filtered at once to be counted. */
#define PIECE 512

/* The one of the three next to left + above - corner. */
static guint8
predict (int left, int above, int corner)
{
  int by_left = abs (above - corner), by_above = abs (left - corner), by_corner = abs (left + above - 2 * corner);

  return (guint8) (by_left <= by_above && by_left <= by_corner ? left : by_above <= by_corner ? above : corner);
}

void
acc_png_filter (AccPngRowFilter filter, const guint8 *row, const guint8 *above, gsize n, gsize pixel, guint8 *restrict to)
{
  const guint8 *left = row - pixel, *corner = above != NULL ? above - pixel : NULL;

  switch (filter)
    {
    case ACC_PNG_SUB:
      for (gsize i = 0; i < n; i++)
        to[i] = (guint8) (row[i] - left[i]);
      break;
    case ACC_PNG_UP:
      for (gsize i = 0; i < n; i++)
        to[i] = (guint8) (row[i] - above[i]);
      break;
    case ACC_PNG_AVERAGE:
      for (gsize i = 0; i < n; i++)
        to[i] = (guint8) (row[i] - (left[i] + above[i]) / 2);
      break;
    case ACC_PNG_PAETH:
      for (gsize i = 0; i < n; i++)
        to[i] = (guint8) (row[i] - predict (left[i], above[i], corner[i]));
      break;
    case ACC_PNG_NONE:
    case ACC_PNG_N_FILTERS:
    default:
      memcpy (to, row, n);
    }
}

guint64
acc_png_filter_cost (AccPngRowFilter filter, const guint8 *row, const guint8 *above, gsize n, gsize pixel)
{
  guint8 made[PIECE];
  guint64 cost = 0;

  for (gsize at = 0, m; at < n; at += m)
    {
      guint sum = 0;

      m = MIN (n - at, PIECE);
      acc_png_filter (filter, row + at, above + at, m, pixel, made);
      for (gsize i = 0; i < m; i++)
        sum += made[i] < 128 ? made[i] : 256u - made[i];
      cost += sum;
    }

  return cost;
}
