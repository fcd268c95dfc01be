/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sink-call-private.h"

typedef struct {
  AccSink        *sink;
  AccElementType *type;
  AccShape       *shape;
  AccChunk       *chunk;
  GCancellable   *cancellable;
  GError        **error;
  gboolean        good;
  guint64         bytes;
} Call;

#define KLASS(call) ACC_SINK_GET_CLASS ((call)->sink)

static void
do_start (gpointer data)
{
  Call *call = data;

  call->good = KLASS (call)->start (call->sink, call->type, call->shape, call->cancellable, call->error);
}

static void
do_start_growing (gpointer data)
{
  Call *call = data;

  call->good = KLASS (call)->start_growing (call->sink, call->type, call->shape, call->cancellable, call->error);
}

static void
do_write (gpointer data)
{
  Call *call = data;

  call->good = KLASS (call)->write (call->sink, call->chunk, call->cancellable, call->error);
}

static void
do_complete (gpointer data)
{
  Call *call = data;

  call->good = KLASS (call)->complete (call->sink, call->cancellable, call->error);
}

static void
do_commit (gpointer data)
{
  Call *call = data;

  call->good = KLASS (call)->commit (call->sink, call->cancellable, call->error);
}

static void
do_can_grow (gpointer data)
{
  Call *call = data;

  call->good = KLASS (call)->can_grow (call->sink);
}

static void
do_abort_run (gpointer data)
{
  Call *call = data;

  KLASS (call)->abort (call->sink);
}

static void
do_get_resident_bytes (gpointer data)
{
  Call *call = data;

  call->bytes = KLASS (call)->get_resident_bytes (call->sink, call->type, call->shape);
}

static Call
call_at (const AccBound *bound, AccBoundFunc function, Call call)
{
  acc_bound_call (bound, function, &call);

  return call;
}

gboolean
acc_sink_call_start (const AccBound *bound, AccSink *sink, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  return call_at (bound, do_start, (Call) { sink, type, shape, NULL, cancellable, error, FALSE, 0 }).good;
}

gboolean
acc_sink_call_start_growing (const AccBound *bound, AccSink *sink, AccElementType *type, AccShape *row_shape, GCancellable *cancellable,
                             GError **error)
{
  return call_at (bound, do_start_growing, (Call) { sink, type, row_shape, NULL, cancellable, error, FALSE, 0 }).good;
}

gboolean
acc_sink_call_write (const AccBound *bound, AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  return call_at (bound, do_write, (Call) { sink, NULL, NULL, chunk, cancellable, error, FALSE, 0 }).good;
}

gboolean
acc_sink_call_complete (const AccBound *bound, AccSink *sink, GCancellable *cancellable, GError **error)
{
  return call_at (bound, do_complete, (Call) { sink, NULL, NULL, NULL, cancellable, error, FALSE, 0 }).good;
}

gboolean
acc_sink_call_commit (const AccBound *bound, AccSink *sink, GCancellable *cancellable, GError **error)
{
  return call_at (bound, do_commit, (Call) { sink, NULL, NULL, NULL, cancellable, error, FALSE, 0 }).good;
}

gboolean
acc_sink_call_can_grow (const AccBound *bound, AccSink *sink)
{
  return call_at (bound, do_can_grow, (Call) { .sink = sink }).good;
}

void
acc_sink_call_abort (const AccBound *bound, AccSink *sink)
{
  call_at (bound, do_abort_run, (Call) { .sink = sink });
}

guint64
acc_sink_call_get_resident_bytes (const AccBound *bound, AccSink *sink, AccElementType *type, AccShape *shape)
{
  return call_at (bound, do_get_resident_bytes, (Call) { .sink = sink, .type = type, .shape = shape }).bytes;
}
