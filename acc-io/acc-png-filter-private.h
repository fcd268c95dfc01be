/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The filters of PNG, of a piece of a row. */

/* The bytes of a pixel, at most: what lies before a piece. */
#define ACC_PNG_PIXEL 8

/* Numbers that rows begin with. */
typedef enum {
  ACC_PNG_NONE,
  ACC_PNG_SUB,
  ACC_PNG_UP,
  ACC_PNG_AVERAGE,
  ACC_PNG_PAETH,
  ACC_PNG_N_FILTERS,
} AccPngRowFilter;

/* @row and @above, the row above, have the last @pixel bytes before the piece in front, zeros where there are none. */
void    acc_png_filter      (AccPngRowFilter filter, const guint8 *row, const guint8 *above, gsize n, gsize pixel, guint8 *to);
/* The sum of what a filter makes of them, as signed numbers without their signs: the less, the better they compress, mostly. */
guint64 acc_png_filter_cost (AccPngRowFilter filter, const guint8 *row, const guint8 *above, gsize n, gsize pixel);
