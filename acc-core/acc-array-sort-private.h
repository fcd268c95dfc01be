/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-build-private.h"

G_BEGIN_DECLS

/* What a byte can count: no tile has more lanes. */
#define ACC_SORT_TILE 128
#define ACC_SORT_DIGIT_BITS 4

/* A sort under construction. */
typedef struct {
  AccArray *array;         /* as it was given */
  gboolean  descending;
  gboolean  padded, is_short;
  AccArray *keys;          /* rows, tiles, lanes */
  AccArray *numbers;       /* the same: where in its row each was; or NULL */
  guint     shift;
  AccArray *amounts;       /* of the digits: eight bits times the digit */
  AccArray *sums;          /* per row and tile: two words of counters */
  AccArray *ranks;         /* how many of its digit there are up to each key, in its tile */
  AccArray *begins;        /* rows, digits, tiles */
  AccArray *orders;        /* of short rows: the keys as unsigned numbers */
} AccSort;

/* --- acc-array-sort-keys.c */

/* Unsigned numbers in the order of keys: all NaN are the largest one, and both zeros are one. */
AccExpr *acc_sort_order_key     (AccExpr *key, gboolean descending);
/* The key behind which none come. */
AccExpr *acc_sort_last_key      (AccElementType *type, gboolean descending);
/* Of the numbers above. */
guint    acc_sort_count_bits    (AccElementType *type);

/* --- acc-array-sort-passes.c */

/* Puts keys and numbers in the order of the digit at @self->shift; those of equal digits stay in order. */
void     acc_sort_by_digit      (AccSort *self);
/* Puts them in the order of the keys: of rows of one tile. */
void     acc_sort_by_comparison (AccSort *self);

G_END_DECLS
