/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-element-type.h"

G_BEGIN_DECLS

#define ACC_TYPE_CHUNK (acc_chunk_get_type ())

/* Rows of a streamed array in borrowed memory: valid during the call that it was passed to. Dense, row-major, one run of bytes per buffer
 * of the element type. */
ACC_AVAILABLE_IN_1_0
GType           acc_chunk_get_type         (void) G_GNUC_CONST;
ACC_AVAILABLE_IN_1_0
AccChunk       *acc_chunk_ref              (AccChunk *self);
ACC_AVAILABLE_IN_1_0
void            acc_chunk_unref            (AccChunk *self);
ACC_AVAILABLE_IN_1_0
gint64          acc_chunk_get_first_row    (AccChunk *self);
ACC_AVAILABLE_IN_1_0
gint64          acc_chunk_get_n_rows       (AccChunk *self);
ACC_AVAILABLE_IN_1_0
AccElementType *acc_chunk_get_element_type (AccChunk *self);
/* Address of a buffer's first element */
ACC_AVAILABLE_IN_1_0
guint64         acc_chunk_get_address      (AccChunk *self, guint buffer);
/* Bytes of a buffer in this chunk */
ACC_AVAILABLE_IN_1_0
guint64         acc_chunk_get_size         (AccChunk *self, guint buffer);
/* Copies: for small chunks and simple subclasses */
ACC_AVAILABLE_IN_1_0
gboolean        acc_chunk_set_bytes        (AccChunk *self, guint buffer, GBytes *bytes, GError **error);
ACC_AVAILABLE_IN_1_0
GBytes         *acc_chunk_dup_bytes        (AccChunk *self, guint buffer) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccChunk, acc_chunk_unref)

G_END_DECLS
