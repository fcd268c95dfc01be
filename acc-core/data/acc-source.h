/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-chunk.h"
#include "acc-shape.h"

G_BEGIN_DECLS

#define ACC_TYPE_SOURCE (acc_source_get_type ())

/* Where streamed rows come from. Rows are read in order, in chunks, by one thread at a time, which need not be the one
 * that made the source. A run calls start, read until the last row, finish; a later run starts again. */
ACC_AVAILABLE_IN_1_0
G_DECLARE_DERIVABLE_TYPE (AccSource, acc_source, ACC, SOURCE, GObject)

/**
 * AccSourceClass:
 * @start: begins a run at row 0; optional
 * @read: fills the chunk, whose rows follow those of the last call
 * @finish: ends a run that is over, or was given up; optional
 * @get_resident_bytes: returns the number of bytes that the source itself holds between start and finish (decoder state, an
 *   interlaced picture); counted against the memory limit; optional
 * @dup_identity: returns a text, which is another one when what is read has changed; NULL without an error where that cannot be told;
 *   optional
 *
 * Lists the virtual functions of a source.
 */
struct _AccSourceClass
{
  GObjectClass parent_class;

  gboolean (*start)  (AccSource *self, GCancellable *cancellable, GError **error);
  gboolean (*read)   (AccSource *self, AccChunk *chunk, GCancellable *cancellable, GError **error);
  void     (*finish) (AccSource *self);
  guint64  (*get_resident_bytes) (AccSource *self);
  char    *(*dup_identity) (AccSource *self, GError **error);

  /*< private >*/
  gpointer padding[11];
};

/* Construct properties "element-type" (AccElementType), "shape" (AccShape), "name" (for messages and plans);
 * GInitable implementations set them in init by acc_source_set_layout(). */
ACC_AVAILABLE_IN_1_0
AccElementType *acc_source_get_element_type (AccSource *self);
ACC_AVAILABLE_IN_1_0
AccShape       *acc_source_get_shape        (AccSource *self);
ACC_AVAILABLE_IN_1_0
const char     *acc_source_get_name         (AccSource *self);
ACC_AVAILABLE_IN_1_0
void            acc_source_set_layout       (AccSource *self, AccElementType *type, AccShape *shape);
ACC_AVAILABLE_IN_1_0
gboolean        acc_source_is_transposed    (AccSource *self);
ACC_AVAILABLE_IN_1_0
void            acc_source_set_transposed   (AccSource *self, gboolean transposed);
ACC_AVAILABLE_IN_1_0
gboolean        acc_source_start            (AccSource *self, GCancellable *cancellable, GError **error);
ACC_AVAILABLE_IN_1_0
gboolean        acc_source_read             (AccSource *self, AccChunk *chunk, GCancellable *cancellable, GError **error);
ACC_AVAILABLE_IN_1_0
void            acc_source_finish           (AccSource *self);
ACC_AVAILABLE_IN_1_0
guint64         acc_source_get_resident_bytes (AccSource *self);
/* Another text when what is read has changed */
ACC_AVAILABLE_IN_1_0
char           *acc_source_dup_identity     (AccSource *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
