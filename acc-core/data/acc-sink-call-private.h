/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sink.h"

#include "acc-core/base/acc-bound-private.h"

/* The virtual functions of a sink, called where that is bound to. */
gboolean acc_sink_call_start              (const AccBound *bound, AccSink *sink, AccElementType *type, AccShape *shape,
                                           GCancellable *cancellable, GError **error);
gboolean acc_sink_call_start_growing      (const AccBound *bound, AccSink *sink, AccElementType *type, AccShape *row_shape,
                                           GCancellable *cancellable, GError **error);
gboolean acc_sink_call_write              (const AccBound *bound, AccSink *sink, AccChunk *chunk, GCancellable *cancellable,
                                           GError **error);
gboolean acc_sink_call_complete           (const AccBound *bound, AccSink *sink, GCancellable *cancellable, GError **error);
gboolean acc_sink_call_commit             (const AccBound *bound, AccSink *sink, GCancellable *cancellable, GError **error);
gboolean acc_sink_call_can_grow           (const AccBound *bound, AccSink *sink);
void     acc_sink_call_abort              (const AccBound *bound, AccSink *sink);
guint64  acc_sink_call_get_resident_bytes (const AccBound *bound, AccSink *sink, AccElementType *type, AccShape *shape);
