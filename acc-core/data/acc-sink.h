/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-chunk.h"
#include "acc-shape.h"

G_BEGIN_DECLS

#define ACC_TYPE_SINK (acc_sink_get_type ())

/* Where streamed rows go. One thread at a time, rows in order. A run calls start, write for every chunk, then commit,
 * or abort after an error or a cancellation: then nothing may be left behind. */
ACC_AVAILABLE_IN_1_0
G_DECLARE_DERIVABLE_TYPE (AccSink, acc_sink, ACC, SINK, GObject)

/**
 * AccSinkClass:
 * @start: begins a run, for an array of this type and shape; fails with %ACC_ERROR_UNSUPPORTED where the format cannot hold
 *   it
 * @write: writes the next rows
 * @commit: ends a run after its last row, and after complete: the output appears under its name
 * @abort: ends a run without output and leaves nothing behind; optional
 * @complete: does everything that may fail before the output appears, after the last row and before commit; optional
 * @get_resident_bytes: returns the number of bytes that the sink itself holds between start and commit, for an array of
 *   this type and shape; asked before start, and by plans; optional
 * @start_growing: begins a run whose number of rows is known when the last was written, for rows of this type and shape; fails with
 *   %ACC_ERROR_UNSUPPORTED where the format cannot hold such rows; optional
 * @can_grow: returns whether start_growing may be called; optional: every sink can that implements that
 *
 * Lists the virtual functions of a sink.
 */
struct _AccSinkClass
{
  GObjectClass parent_class;

  gboolean (*start)  (AccSink *self, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error);
  gboolean (*write)  (AccSink *self, AccChunk *chunk, GCancellable *cancellable, GError **error);
  gboolean (*commit) (AccSink *self, GCancellable *cancellable, GError **error);
  void     (*abort)  (AccSink *self);
  guint64  (*get_resident_bytes) (AccSink *self, AccElementType *type, AccShape *shape);
  gboolean (*complete) (AccSink *self, GCancellable *cancellable, GError **error);
  gboolean (*start_growing) (AccSink *self, AccElementType *type, AccShape *row_shape, GCancellable *cancellable, GError **error);
  gboolean (*can_grow) (AccSink *self);

  /*< private >*/
  gpointer padding[8];
};

/* Construct property "name". */
ACC_AVAILABLE_IN_1_0
const char *acc_sink_get_name (AccSink *self);
ACC_AVAILABLE_IN_1_0
gboolean    acc_sink_start    (AccSink *self, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error);
ACC_AVAILABLE_IN_1_0
gboolean    acc_sink_can_grow (AccSink *self);
/* In place of start */
ACC_AVAILABLE_IN_1_0
gboolean    acc_sink_start_growing (AccSink *self, AccElementType *type, AccShape *row_shape, GCancellable *cancellable, GError **error);
ACC_AVAILABLE_IN_1_0
gboolean    acc_sink_write    (AccSink *self, AccChunk *chunk, GCancellable *cancellable, GError **error);
/* Optional before commit, which does it else */
ACC_AVAILABLE_IN_1_0
gboolean    acc_sink_complete (AccSink *self, GCancellable *cancellable, GError **error);
ACC_AVAILABLE_IN_1_0
gboolean    acc_sink_commit   (AccSink *self, GCancellable *cancellable, GError **error);
ACC_AVAILABLE_IN_1_0
void        acc_sink_abort    (AccSink *self);
ACC_AVAILABLE_IN_1_0
guint64     acc_sink_get_resident_bytes (AccSink *self, AccElementType *type, AccShape *shape);

G_END_DECLS
