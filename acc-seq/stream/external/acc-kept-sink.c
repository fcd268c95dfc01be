/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kept-sink-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-core/data/acc-sink-private.h"

#include <string.h>

struct _AccKeptSink
{
  AccSink         parent_instance;

  AccBackend     *backend;
  AccElementType *type;       /* borrowed */
  AccShape       *shape;
  guint           n_buffers;
  AccBuffer     **buffers;
};

G_DEFINE_FINAL_TYPE (AccKeptSink, acc_kept_sink, ACC_TYPE_SINK)

static void
acc_kept_sink_abort (AccSink *sink)
{
  AccKeptSink *self = ACC_KEPT_SINK (sink);

  g_clear_pointer (&self->buffers, acc_buffers_free);
  g_clear_pointer (&self->shape, acc_shape_unref);
}

static gboolean
acc_kept_sink_start (AccSink *sink, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  AccKeptSink *self = ACC_KEPT_SINK (sink);

  acc_kept_sink_abort (sink);
  self->type = type;
  self->shape = acc_shape_ref (shape);
  self->n_buffers = acc_element_type_get_n_buffers (type);
  self->buffers = acc_buffers_allocate (type, acc_shape_get_size (shape), acc_backend_get_host_budget (self->backend),
                                        acc_sink_get_name (sink), error);

  return self->buffers != NULL;
}

static gboolean
acc_kept_sink_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccKeptSink *self = ACC_KEPT_SINK (sink);
  gsize first = (gsize) (acc_chunk_get_first_row (chunk) * acc_chunk_get_row_elements (chunk));

  for (guint i = 0; i < self->n_buffers; i++)
    if (acc_chunk_get_size (chunk, i) > 0)
      memcpy ((guint8 *) self->buffers[i]->data + first * acc_element_type_get_buffer_size (self->type, i),
              (gconstpointer) (guintptr) acc_chunk_get_address (chunk, i), acc_chunk_get_size (chunk, i));

  return TRUE;
}

static void
acc_kept_sink_finalize (GObject *object)
{
  acc_kept_sink_abort (ACC_SINK (object));
  g_clear_object (&ACC_KEPT_SINK (object)->backend);

  G_OBJECT_CLASS (acc_kept_sink_parent_class)->finalize (object);
}

static void
acc_kept_sink_class_init (AccKeptSinkClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_kept_sink_finalize;
  ACC_SINK_CLASS (klass)->start = acc_kept_sink_start;
  ACC_SINK_CLASS (klass)->write = acc_kept_sink_write;
  ACC_SINK_CLASS (klass)->abort = acc_kept_sink_abort;
}

static void
acc_kept_sink_init (AccKeptSink *self)
{
  acc_sink_set_takes_elements (ACC_SINK (self));
}

AccKeptSink *
acc_kept_sink_new (AccBackend *backend)
{
  AccKeptSink *self = g_object_new (ACC_TYPE_KEPT_SINK, "name", "kept in memory", NULL);

  self->backend = g_object_ref (backend);

  return self;
}

AccArray *
acc_kept_sink_dup_array (AccKeptSink *self)
{
  g_autofree AccBuffer **buffers = g_new0 (AccBuffer *, self->n_buffers + 1);

  for (guint i = 0; i < self->n_buffers; i++)
    buffers[i] = acc_buffer_ref (self->buffers[i]);

  return acc_array_new_manifest (self->type, self->shape, buffers);
}
