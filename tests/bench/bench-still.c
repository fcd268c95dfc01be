/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench-still.h"

struct _BenchStillSource
{
  AccSource parent_instance;
};

struct _BenchStillSink
{
  AccSink parent_instance;
};

G_DEFINE_FINAL_TYPE (BenchStillSource, bench_still_source, ACC_TYPE_SOURCE)
G_DEFINE_FINAL_TYPE (BenchStillSink, bench_still_sink, ACC_TYPE_SINK)

static gboolean
still_source_read (AccSource *self, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  return TRUE;
}

static void
bench_still_source_class_init (BenchStillSourceClass *klass)
{
  ACC_SOURCE_CLASS (klass)->read = still_source_read;
}

static void
bench_still_source_init (BenchStillSource *self)
{
}

static gboolean
still_sink_start (AccSink *self, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  return TRUE;
}

static gboolean
still_sink_write (AccSink *self, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  return TRUE;
}

static gboolean
still_sink_commit (AccSink *self, GCancellable *cancellable, GError **error)
{
  return TRUE;
}

static void
bench_still_sink_class_init (BenchStillSinkClass *klass)
{
  AccSinkClass *sink = ACC_SINK_CLASS (klass);

  sink->start = still_sink_start;
  sink->write = still_sink_write;
  sink->commit = still_sink_commit;
}

static void
bench_still_sink_init (BenchStillSink *self)
{
}

AccSource *
bench_still_source_new (AccElementType *type,
                        gint64          rows,
                        gint64          columns)
{
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { rows, columns }, 2);

  return g_object_new (BENCH_TYPE_STILL_SOURCE, "element-type", type, "shape", shape, "name", "nothing", NULL);
}

AccSink *
bench_still_sink_new (void)
{
  return g_object_new (BENCH_TYPE_STILL_SINK, "name", "nowhere", NULL);
}
