/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* A source that leaves in its chunks what they hold, and a sink that takes no notice: what a stream does beside them is all
 * that takes time. */

#define BENCH_TYPE_STILL_SOURCE (bench_still_source_get_type ())
G_DECLARE_FINAL_TYPE (BenchStillSource, bench_still_source, BENCH, STILL_SOURCE, AccSource)

#define BENCH_TYPE_STILL_SINK (bench_still_sink_get_type ())
G_DECLARE_FINAL_TYPE (BenchStillSink, bench_still_sink, BENCH, STILL_SINK, AccSink)

AccSource *bench_still_source_new (AccElementType *type, gint64 rows, gint64 columns);
AccSink   *bench_still_sink_new   (void);
