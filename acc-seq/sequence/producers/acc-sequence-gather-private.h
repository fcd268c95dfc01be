/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sequence-chunk-private.h"

/* Elements of one type and rank that are added one by one, into a chunk. */
typedef struct {
  AccElementType    *type;
  guint              rank;
  AccShape          *shape;      /* of all, borrowed; NULL: they differ */
  gint64             n;
  gint64             total;      /* values */
  guint              n_buffers;
  AccSequenceMemory *values;     /* for each buffer */
  AccSequenceMemory  offsets;
  AccSequenceMemory *extents;    /* for each dimension, unless there is one, or a shape */
} AccSequenceGather;

void            acc_sequence_gather_init   (AccSequenceGather *self, AccElementType *type, guint rank, AccShape *shape);
void            acc_sequence_gather_clear  (AccSequenceGather *self);
/* One more element; its values go to @addresses, one for each buffer. Where there is a shape, @extents are that. */
gboolean        acc_sequence_gather_add    (AccSequenceGather *self, const gint64 *extents, guint8 **addresses, GError **error);
/* Takes the last one out again. */
void            acc_sequence_gather_drop   (AccSequenceGather *self);
/* NULL where there are none. */
AccNestedArray *acc_sequence_gather_finish (AccSequenceGather *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccSequenceGather, acc_sequence_gather_clear)
