/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-private.h"
#include "acc-core/array/acc-module-index.h"

/* Facts about scalar functions for fusion, found by walks over their bodies that visit each expression once, without recursion. */

/* Adds the arrays whose elements are read, each once: not those that are only asked for an extent. */
void     acc_function_collect_reads (AccFunction *function, GHashTable *arrays);
/* Arrays whose elements decide the extents of @array, but those that are manifest, or in @bound, where that is not NULL; NULL for
 * none. */
GPtrArray *acc_array_list_extent_reads (AccArray *array, GHashTable *bound);
/* Rough machine operations per call. */
double   acc_function_get_cost    (AccFunction *function);
#define ACC_FUNCTION_MAX_TAP_RANK 16
/* Different neighbours that a function reads, and the number of the last. */
typedef struct {
  gint64 n, last;
} AccTaps;
/* Which elements of parameter @param, a neighbourhood of @sizes, the function reads: all, if it uses the parameter as a whole, or it has a
 * higher rank. */
AccTaps  acc_function_find_taps   (AccFunction *function, guint param, const gint64 *sizes, guint rank);
gboolean acc_function_uses_param  (AccFunction *function, guint param);
/* Returns TRUE if every leaf of the result is one primitive of the same leaf of both parameters, and all are reductions, which folds,
 * atomics and tables of counters have natively; writes the primitive of each leaf. */
gboolean acc_function_get_reductions (AccFunction *function, AccPrimitive *primitives);
/* TRUE where both parameters may be exchanged, as far as can be seen: zeros of either sign are one. */
gboolean acc_function_is_commutative (AccFunction *function);
/* TRUE where that is seen of a choice: the smaller or the larger one of two tuples. */
gboolean acc_function_is_extreme   (AccFunction *function);
