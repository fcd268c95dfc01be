/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-ledger-private.h"

#include "acc-core/base/acc-shape-private.h"

#define ACC_TYPE_LEDGER_SINK (acc_ledger_sink_get_type ())
G_DECLARE_FINAL_TYPE (AccLedgerSink, acc_ledger_sink, ACC, LEDGER_SINK, AccSink)

struct _AccLedgerSink
{
  AccSink    parent_instance;

  AccLedger *ledger;
  AccSink   *output;
};

G_DEFINE_FINAL_TYPE (AccLedgerSink, acc_ledger_sink, ACC_TYPE_SINK)

static gboolean
acc_ledger_sink_start (AccSink *sink, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  return acc_ledger_set_layout (ACC_LEDGER_SINK (sink)->ledger, type, shape, FALSE, ACC_LEDGER_SINK (sink)->output, error);
}

static gboolean
acc_ledger_sink_start_growing (AccSink *sink, AccElementType *type, AccShape *row_shape, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccShape) shape = acc_shape_new_rows (G_MAXINT64, row_shape);

  return acc_ledger_set_layout (ACC_LEDGER_SINK (sink)->ledger, type, shape, TRUE, ACC_LEDGER_SINK (sink)->output, error);
}

static gboolean
acc_ledger_sink_complete (AccSink *sink, GCancellable *cancellable, GError **error)
{
  return acc_ledger_end (ACC_LEDGER_SINK (sink)->ledger, error);
}

static gboolean
acc_ledger_sink_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  return acc_ledger_add (ACC_LEDGER_SINK (sink)->ledger, chunk, error);
}

static void
acc_ledger_sink_class_init (AccLedgerSinkClass *klass)
{
  ACC_SINK_CLASS (klass)->start = acc_ledger_sink_start;
  ACC_SINK_CLASS (klass)->start_growing = acc_ledger_sink_start_growing;
  ACC_SINK_CLASS (klass)->write = acc_ledger_sink_write;
  ACC_SINK_CLASS (klass)->complete = acc_ledger_sink_complete;
}

static void
acc_ledger_sink_init (AccLedgerSink *self)
{
}

AccSink *
acc_ledger_new_sink (AccLedger *self, AccSink *output)
{
  AccLedgerSink *sink = g_object_new (ACC_TYPE_LEDGER_SINK, "name", acc_ledger_get_name (self), NULL);

  sink->ledger = self;
  sink->output = output;

  return ACC_SINK (sink);
}
