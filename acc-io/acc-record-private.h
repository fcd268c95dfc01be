/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-element-type.h"

/* The layout of an element in a file: the elements of its buffers side by side, perhaps with padding, perhaps in the other byte order. In
 * memory each buffer is a run of its own. */
typedef struct {
  AccElementKind kind;
  guint          lanes;   /* scalars of this kind */
  gsize          offset;
  gboolean       swap;
} AccRecordField;

typedef struct {
  gsize   size;
  GArray *fields;     /* AccRecordField, one per buffer */
} AccRecord;

/* Records are staged in memory of this size at most, or one record. */
#define ACC_RECORD_STAGE (256 * 1024)

AccRecord *acc_record_new        (void);
AccRecord *acc_record_new_packed (AccElementType *type);
/* One more buffer of @type, a scalar or packed one. @swap: in the other byte order. */
void       acc_record_add        (AccRecord *self, AccElementType *type, gboolean swap);
void       acc_record_free       (AccRecord *self);
AccRecordField *acc_record_get_field (const AccRecord *self, guint buffer);
/* A single field that fills the record: file and memory are the same but for the byte order. */
gboolean   acc_record_is_plain   (const AccRecord *self);
/* Records that fit the stage */
gsize      acc_record_get_stage_elements (const AccRecord *self);
/* Bytes of them; 0 for a plain record, which is not staged. */
gsize      acc_record_get_stage_size     (const AccRecord *self);
/* From a file to memory: elements [first, first + n) of the buffers; bools become 0 or 1. */
void       acc_record_split      (const AccRecord *self, const guint8 *records, gsize n, guint8 **buffers, gsize first);
/* The same in place, for a plain record. */
void       acc_record_fix        (const AccRecord *self, guint8 *elements, gsize n);
/* From memory to a file; padding becomes 0. */
void       acc_record_join       (const AccRecord *self, guint8 *records, gsize n, guint8 * const *buffers, gsize first);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccRecord, acc_record_free)
