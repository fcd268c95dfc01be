/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-hlo-array.h"

/* An associative operator on tuples of tensors of @shape. @results: neither of the others. It cannot fail. */
typedef void (*AccHloCombine) (AccHlo *self, const AccHloValue *x, const AccHloValue *y, AccHloShape shape, AccHloValue *results,
                               gpointer data);

/* Replaces vectors of @n elements by their inclusive scan, without a loop: blocks of few elements are written out, their totals are scanned
 * in the same way, and what is before a block is combined with its elements. */
void acc_hlo_scan_tree (AccHlo *self, const AccElementKind *kinds, guint n_leaves, gint64 n, AccHloCombine combine, gpointer data,
                        AccHloValue *values);
