/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/data/acc-buffer-private.h"
#include "acc-seq/nested/acc-nested-array-private.h"
#include "acc-sequence-producer.h"

/* Memory that chunks had, for those that are read next: the system clears what it gives, which takes about as long as to read a file. It
 * has that of one chunk, so that there is never more than as many chunks had at a time. Any thread. */
typedef struct _AccSequenceSpare AccSequenceSpare;

AccSequenceSpare *acc_sequence_spare_new      (void);
/* Whether more is to be read; if not, it has no memory, and frees what chunks have as soon as they are. */
void              acc_sequence_spare_set_open (AccSequenceSpare *self, gboolean open);
void              acc_sequence_spare_free     (AccSequenceSpare *self);

/* Memory for what is read; all 0 is none yet. Of what is much larger than needed only what is written takes memory. */
typedef struct {
  AccBuffer        *buffer;
  guint8           *data;
  gsize             capacity;
  AccSequenceSpare *spare;       /* borrowed; NULL: all memory is new */
} AccSequenceMemory;

/* Room for @size bytes at least; keeps the first @used ones. %ACC_ERROR_OUT_OF_MEMORY */
gboolean   acc_sequence_memory_reserve (AccSequenceMemory *self, gsize used, gsize size, GError **error);
void       acc_sequence_memory_clear   (AccSequenceMemory *self);
/* The first @size bytes; there was a reserve. Leaves @self empty, with its spare. */
AccBuffer *acc_sequence_memory_steal   (AccSequenceMemory *self, gsize size);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccSequenceMemory, acc_sequence_memory_clear)

/* Nested arrays in memory, of what producers read. All take over the buffers that they are given. */

/* @n elements of extents @shape: a buffer of @values for each of @type. */
AccNestedArray *acc_sequence_chunk_new_regular    (AccElementType *type, AccShape *shape, gint64 n, AccBuffer **values);
/* @n elements of @rank: @offsets are n + 1 gint64 that begin with 0; @extents are as many buffers of n gint64 as @rank, where that is
 * not 1. @values may be longer than the last offset says. */
AccNestedArray *acc_sequence_chunk_new_irregular  (AccElementType *type, guint rank, gint64 n, AccBuffer **values, AccBuffer *offsets,
                                                   AccBuffer **extents);
/* The same elements as @regular, which is in memory, shares values with the result and is not taken over, as irregular ones; of several
 * levels the innermost. */
AccNestedArray *acc_sequence_chunk_make_irregular (AccNestedArray *regular, GError **error);

/* How many elements @chunk has, which @self read; 0: an error, which names element @next, the first of them. */
gint64          acc_sequence_chunk_check  (AccSequenceProducer *self, AccNestedArray *chunk, gint64 next, gint64 max_elements,
                                           gint64 max_values, GError **error);
/* Returns 0. */
gint64          acc_sequence_chunk_refuse (AccSequenceProducer *self, gint64 next, GError **error, const char *format, ...)
  G_GNUC_PRINTF (4, 5);
