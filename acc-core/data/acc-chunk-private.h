/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-chunk.h"

/* @addresses: n_buffers addresses; @row_elements: elements per row */
AccChunk *acc_chunk_new        (AccElementType *type, gint64 first_row, gint64 n_rows, gint64 row_elements, gpointer *addresses);
/* The memory goes away: later calls on a kept reference give address 0 and size 0. */
void      acc_chunk_invalidate (AccChunk *self);
gint64    acc_chunk_get_row_elements (AccChunk *self);
