/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel-private.h"

/* Kernels evaluated one instruction and one lane at a time, in plain C: the judge of emitters. A value is 64 bits:
 * signed integers extended by their sign, all else by zeros. */

guint64  eval_prim     (AccPrimitive primitive, AccElementKind kind, guint64 x, guint64 y);
guint64  eval_cast     (AccElementKind from, AccElementKind to, guint64 x);
void     eval_kernel   (AccKernel *kernel, const guint64 *slots, const gint64 *range, AccFailure *failure);
/* A group of threads, of which @subgroup at a time shuffle; in an order of its own each time. Ends the test where threads meet at
 * different barriers, or touch shared memory that another writes between the same barriers. */
void     eval_group    (AccKernel *kernel, guint subgroup, GRand *rand, const guint64 *slots, const gint64 *range, AccFailure *failure);
/* The same bits, or both not a number. */
gboolean eval_equal    (AccElementKind kind, guint64 x, guint64 y);
guint64  eval_read     (AccElementKind kind, gconstpointer address);
void     eval_write    (AccElementKind kind, gpointer address, guint64 x);
/* A value that finds mistakes: limits, signs, not a number, small and large ones. */
guint64  eval_random   (AccElementKind kind, GRand *rand);
double   eval_to_double   (AccElementKind kind, guint64 x);
guint64  eval_from_double (AccElementKind kind, double x);
