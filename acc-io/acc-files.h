/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sink.h"
#include "acc-source.h"

G_BEGIN_DECLS

/* Files. The format is found by content (sources) or name (sinks): .png, .npy; raw data needs a layout, and is written to .raw, .bin,
 * .dat. */
ACC_AVAILABLE_IN_1_0
AccSource *acc_source_open            (GFile *file, GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSource *acc_source_open_raw        (GFile *file, AccElementType *type, AccShape *shape, guint64 offset, GCancellable *cancellable,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A stream that cannot seek can be run once. */
ACC_AVAILABLE_IN_1_0
AccSource *acc_source_new_for_stream  (GInputStream *stream, GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSource *acc_source_new_raw_for_stream (GInputStream *stream, AccElementType *type, AccShape *shape,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSink   *acc_sink_create            (GFile *file, GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* @format: "png", "npy" or "raw". @stream is closed by commit. */
ACC_AVAILABLE_IN_1_0
AccSink   *acc_sink_new_for_stream    (GOutputStream *stream, const char *format, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
