/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sink.h"

G_BEGIN_DECLS

/**
 * AccPngFilter:
 * @ACC_PNG_FILTER_FAST: the fastest to write: no filter for booleans, the difference to the pixel above for the rest, or, in rows of more
 *   than 128 KiB, of which nothing is kept then, to the pixel on the left
 * @ACC_PNG_FILTER_NONE: bytes as they are
 * @ACC_PNG_FILTER_SUB: difference to the pixel on the left
 * @ACC_PNG_FILTER_UP: difference to the pixel above
 * @ACC_PNG_FILTER_AVERAGE: difference to the average of both
 * @ACC_PNG_FILTER_PAETH: difference to the best of three neighbours
 * @ACC_PNG_FILTER_ADAPTIVE: the most promising filter, chosen for each row: small and slow
 *
 * Lists the filters that prepare rows of a PNG picture for compression.
 */
typedef enum {
  ACC_PNG_FILTER_FAST,
  ACC_PNG_FILTER_NONE,
  ACC_PNG_FILTER_SUB,
  ACC_PNG_FILTER_UP,
  ACC_PNG_FILTER_AVERAGE,
  ACC_PNG_FILTER_PAETH,
  ACC_PNG_FILTER_ADAPTIVE,
} AccPngFilter;

#define ACC_TYPE_PNG_SINK (acc_png_sink_get_type ())

ACC_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AccPngSink, acc_png_sink, ACC, PNG_SINK, AccSink)

ACC_AVAILABLE_IN_1_0
AccPngSink  *acc_png_sink_new                   (GFile *file) G_GNUC_WARN_UNUSED_RESULT;
/* @stream is closed by commit. */
ACC_AVAILABLE_IN_1_0
AccPngSink  *acc_png_sink_new_for_stream        (GOutputStream *stream) G_GNUC_WARN_UNUSED_RESULT;
/* 0 (none) to 9 (smallest); 1 unless set */
ACC_AVAILABLE_IN_1_0
guint        acc_png_sink_get_compression_level (AccPngSink *self);
ACC_AVAILABLE_IN_1_0
void         acc_png_sink_set_compression_level (AccPngSink *self, guint level);
ACC_AVAILABLE_IN_1_0
AccPngFilter acc_png_sink_get_filter            (AccPngSink *self);
ACC_AVAILABLE_IN_1_0
void         acc_png_sink_set_filter            (AccPngSink *self, AccPngFilter filter);

G_END_DECLS
