/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/data/acc-buffer-private.h"
#include "acc-seq/nested/acc-nested-array-private.h"

G_BEGIN_DECLS

/* Nested arrays in memory, of what producers read. All take over the buffers that they are given. */

/* @n elements of extents @shape: a buffer of @values for each of @type. */
AccNestedArray *acc_sequence_chunk_new_regular    (AccElementType *type, AccShape *shape, gint64 n, AccBuffer **values);
/* @n elements of @rank: @offsets are n + 1 gint64 that begin with 0; @extents are as many buffers of n gint64 as @rank, where that is
 * not 1. @values may be longer than the last offset says. */
AccNestedArray *acc_sequence_chunk_new_irregular  (AccElementType *type, guint rank, gint64 n, AccBuffer **values, AccBuffer *offsets,
                                                   AccBuffer **extents);
/* The same elements as @regular, which is in memory, shares values with the result and is not taken over, as irregular ones. */
AccNestedArray *acc_sequence_chunk_make_irregular (AccNestedArray *regular, GError **error);

G_END_DECLS
