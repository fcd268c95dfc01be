/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-build-private.h"

/* --- acc-array-sort-keys.c */

/* Unsigned numbers in the order of keys, which are scalars: all NaN are the largest one, and both zeros are one. */
AccExpr  *acc_sort_order_key     (AccExpr *key, gboolean descending);

/* --- acc-array-sort-short.c */

/* Whether rows are known to be so short that every key is compared with every other. */
gboolean  acc_sort_is_short      (AccArray *array);
/* Where among all elements each goes, by @orders of short rows. */
AccArray *acc_sort_short_targets (AccArray *orders);
/* @array, of scalars, with its elements at @targets. */
AccArray *acc_sort_move          (AccArray *array, AccArray *targets);
