/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-core/data/acc-sink-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

#define ACC_TYPE_EXTERNAL_SINK (acc_external_sink_get_type ())
G_DECLARE_FINAL_TYPE (AccExternalSink, acc_external_sink, ACC, EXTERNAL_SINK, AccSink)

struct _AccExternalSink
{
  AccSink                parent_instance;

  const AccExternalWalk *walk;
  gpointer               data;
};

G_DEFINE_FINAL_TYPE (AccExternalSink, acc_external_sink, ACC_TYPE_SINK)

static gboolean
acc_external_sink_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccExternalSink *self = ACC_EXTERNAL_SINK (sink);

  return self->walk->write (self->data, chunk, cancellable, error);
}

static gboolean
acc_external_sink_commit (AccSink *sink, GCancellable *cancellable, GError **error)
{
  AccExternalSink *self = ACC_EXTERNAL_SINK (sink);

  return self->walk->finish == NULL || self->walk->finish (self->data, cancellable, error);
}

static void
acc_external_sink_class_init (AccExternalSinkClass *klass)
{
  ACC_SINK_CLASS (klass)->write = acc_external_sink_write;
  ACC_SINK_CLASS (klass)->commit = acc_external_sink_commit;
}

static void
acc_external_sink_init (AccExternalSink *self)
{
}

AccSink *
acc_external_walk_new_sink (const AccExternalWalk *walk, gpointer data)
{
  AccExternalSink *sink = g_object_new (ACC_TYPE_EXTERNAL_SINK, "name", walk->name, NULL);

  sink->walk = walk;
  sink->data = data;
  if (walk->takes_elements)
    acc_sink_set_takes_elements (ACC_SINK (sink));

  return ACC_SINK (sink);
}

/* Takes over @sink. */
static gboolean
write_to (const AccExternalTask *task, AccArray *array, AccSink *sink, GError **error)
{
  g_autoptr(GPtrArray) arrays = g_ptr_array_new (), sinks = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (arrays, array);
  g_ptr_array_add (sinks, sink);

  return acc_external_write (task, arrays, sinks, error);
}

gboolean
acc_external_walk (const AccExternalTask *task, AccArray *array, const AccExternalWalk *walk, gpointer data, GError **error)
{
  return write_to (task, array, acc_external_walk_new_sink (walk, data), error);
}

/* --- stores */

gboolean
acc_external_fill_store (const AccExternalTask *task, AccArray *array, AccStore *store, GError **error)
{
  return write_to (task, array, acc_store_new_sink (store), error);
}

static gpointer
begin_file (const AccExternalTask *task, GError **error)
{
  return acc_external_new_store (task, task->node->type, task->node->shape, "a store", error);
}

static AccSink *
new_file_sink (gpointer store)
{
  return acc_store_new_sink (store);
}

static AccArray *
end_file (gpointer store, GError **error)
{
  return acc_store_dup_array (store, error);
}

static void
clear_file (gpointer store)
{
  acc_store_unref (store);
}

static AccArray *
dup_node (AccBackend *backend, AccArray *node)
{
  return g_object_ref (node);
}

const AccExternal acc_external_to_file = {
  .way = "a store",
  .leaves_store = TRUE,
  .measure_least = acc_external_measure_rows,
  .n_written = 1,
  .n_read = 1,
  .dup_read = dup_node,
  .begin = begin_file,
  .new_sink = new_file_sink,
  .end = end_file,
  .clear = clear_file,
};

typedef struct {
  AccStore *store;
  gint64    first;
} Place;

static gboolean
write_part (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  const Place *self = data;
  guint n_buffers = acc_element_type_get_n_buffers (acc_chunk_get_element_type (chunk));
  g_autofree gpointer *addresses = g_new0 (gpointer, n_buffers + 1);
  gint64 n = acc_chunk_get_row_elements (chunk);

  for (guint i = 0; i < n_buffers; i++)
    addresses[i] = (gpointer) (guintptr) acc_chunk_get_address (chunk, i);

  return acc_store_write (self->store, self->first + acc_chunk_get_first_row (chunk) * n, acc_chunk_get_n_rows (chunk) * n, addresses,
                          error);
}

static const AccExternalWalk to_part = { "part", write_part, NULL };

gboolean
acc_external_fill_part (const AccExternalTask *task, AccArray *array, AccStore *store, gint64 first, GError **error)
{
  if (array->rank == 0)
    {
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (task->backend, &array, 1, task->chunk_rows, task->cancellable, error);
      AccArray *result = results != NULL ? g_ptr_array_index (results, 0) : NULL;

      return result != NULL && acc_external_fetch (result, error)
             && acc_store_write_from (store, first, 1, acc_array_get_buffers (result), 0, error);
    }

  return acc_external_walk (task, array, &to_part, &(Place) { store, first }, error);
}

static char *
describe (const AccExternalTask *task, const char *what)
{
  g_autofree char *described = acc_array_describe (task->node);

  return g_strdup_printf ("%s of %s", what, described);
}

AccStore *
acc_external_new_store (const AccExternalTask *task, AccElementType *type, AccShape *shape, const char *what, GError **error)
{
  g_autofree char *full = describe (task, what);

  return acc_store_new (task->backend, type, shape, full, error);
}

AccStore *
acc_external_new_growing_store (const AccExternalTask *task, AccElementType *type, gint64 most, const char *what, GError **error)
{
  g_autofree char *full = describe (task, what);

  return acc_store_new_growing (task->backend, type, most, full, error);
}

AccArray *
acc_external_store (const AccExternalTask *task, AccArray *array, const char *what, GError **error)
{
  g_autoptr(AccStore) store = acc_external_new_store (task, array->type, array->shape, what, error);

  return store != NULL && acc_external_fill_store (task, array, store, error) ? acc_store_dup_array (store, error) : NULL;
}

AccArray *
acc_external_keep (const AccExternalTask *task, AccArray *array, const char *what, GError **error)
{
  return acc_array_is_manifest (array) ? g_object_ref (array) : acc_external_store (task, array, what, error);
}
