/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <string.h>

/* A source over an array: its rows, as a file would give them. */

#define CONF_TYPE_SOURCE (conf_source_get_type ())
G_DECLARE_FINAL_TYPE (ConfSource, conf_source, CONF, SOURCE, AccSource)

struct _ConfSource {
  AccSource parent_instance;
  AccArray *array;
  gint64    next;
};

G_DEFINE_FINAL_TYPE (ConfSource, conf_source, ACC_TYPE_SOURCE)

static gboolean
conf_source_start (AccSource     *source,
                   GCancellable  *cancellable,
                   GError       **error)
{
  CONF_SOURCE (source)->next = 0;
  return TRUE;
}

static gboolean
conf_source_read (AccSource     *source,
                  AccChunk      *chunk,
                  GCancellable  *cancellable,
                  GError       **error)
{
  ConfSource *self = CONF_SOURCE (source);
  AccArray *array = self->array;
  gint64 n_rows = acc_chunk_get_n_rows (chunk);
  gint64 size = acc_shape_get_size (array->shape), rows = acc_shape_get_extent (array->shape, 0);

  /* Rows come in order, each once. */
  g_assert_cmpint (acc_chunk_get_first_row (chunk), ==, self->next);
  for (guint buffer = 0; buffer < acc_element_type_get_n_buffers (array->type) && size > 0; buffer++)
    {
      gsize row = (gsize) (size / rows) * acc_element_type_get_size (acc_element_type_get_buffer (array->type, buffer));

      memcpy ((gpointer) (guintptr) acc_chunk_get_address (chunk, buffer),
              (guint8 *) (guintptr) acc_array_get_address (array, buffer) + (gsize) self->next * row, (gsize) n_rows * row);
    }
  self->next += n_rows;
  return TRUE;
}

static void
conf_source_finalize (GObject *object)
{
  g_clear_object (&CONF_SOURCE (object)->array);
  G_OBJECT_CLASS (conf_source_parent_class)->finalize (object);
}

static void
conf_source_class_init (ConfSourceClass *klass)
{
  ACC_SOURCE_CLASS (klass)->start = conf_source_start;
  ACC_SOURCE_CLASS (klass)->read = conf_source_read;
  G_OBJECT_CLASS (klass)->finalize = conf_source_finalize;
}

static void
conf_source_init (ConfSource *self)
{
}

AccArray *
conf_through_source (AccArray *array)
{
  ConfSource *self = g_object_new (CONF_TYPE_SOURCE, NULL);
  AccArray *result;

  self->array = acc_backend_run (conf_interpreter (), array, NULL, NULL);
  g_assert_nonnull (self->array);
  g_object_unref (array);
  acc_source_set_layout (ACC_SOURCE (self), self->array->type, self->array->shape);
  result = acc_array_new_from_source (ACC_SOURCE (self));
  g_object_unref (self);
  return result;
}
