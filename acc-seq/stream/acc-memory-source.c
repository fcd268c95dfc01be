/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-memory-source-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-parallel-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-plan-private.h"

/* What is smaller than that, or than a part of the memory limit, stays in memory. */
#define SMALL_BYTES (64 * 1024)
#define SMALL_PART  8

struct _AccMemorySource
{
  AccSource parent_instance;

  AccArray *array;
  gint64    first;    /* element */
};

G_DEFINE_FINAL_TYPE (AccMemorySource, acc_memory_source, ACC_TYPE_SOURCE)

static gboolean
acc_memory_source_read (AccSource *source, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccMemorySource *self = ACC_MEMORY_SOURCE (source);
  AccElementType *type = self->array->type;
  gint64 n_rows = acc_chunk_get_n_rows (chunk);

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    {
      const guint8 *data = acc_buffer_map (acc_array_get_buffers (self->array)[i], error);
      guint64 bytes = acc_chunk_get_size (chunk, i);

      if (data == NULL)
        return FALSE;
      if (bytes > 0)
        acc_parallel_copy ((gpointer) (guintptr) acc_chunk_get_address (chunk, i),
                           data + (guint64) self->first * acc_element_type_get_buffer_size (type, i)
                             + bytes / (guint64) n_rows * (guint64) acc_chunk_get_first_row (chunk), bytes);
    }

  return TRUE;
}

static void
acc_memory_source_finalize (GObject *object)
{
  g_clear_object (&ACC_MEMORY_SOURCE (object)->array);

  G_OBJECT_CLASS (acc_memory_source_parent_class)->finalize (object);
}

static void
acc_memory_source_class_init (AccMemorySourceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_memory_source_finalize;
  ACC_SOURCE_CLASS (klass)->read = acc_memory_source_read;
}

static void
acc_memory_source_init (AccMemorySource *self)
{
}

AccMemorySource *
acc_memory_source_new (AccArray *array)
{
  return acc_memory_source_new_part (array, 0, array->shape);
}

AccMemorySource *
acc_memory_source_new_part (AccArray *array, gint64 first, AccShape *shape)
{
  g_autofree char *name = acc_array_describe (array);
  AccMemorySource *self = g_object_new (ACC_TYPE_MEMORY_SOURCE, "name", name, NULL);

  self->array = g_object_ref (array);
  self->first = first;
  acc_source_set_layout (ACC_SOURCE (self), array->type, shape);

  return self;
}

AccArray *
acc_memory_source_new_rows (AccArray *array)
{
  g_autoptr(AccMemorySource) source = acc_memory_source_new (array);

  return acc_array_new_from_rows (ACC_SOURCE (source));
}

AccArray *
acc_memory_source_get_array (AccSource *source)
{
  return ACC_IS_MEMORY_SOURCE (source) ? ACC_MEMORY_SOURCE (source)->array : NULL;
}

static guint64
get_bytes (AccArray *array)
{
  return acc_bytes_multiply ((guint64) acc_shape_get_size (array->shape), acc_element_type_get_size (array->type));
}

static gboolean
should_replace (AccArray *node, guint64 limit)
{
  return node->op == ACC_OP_USE && node->error == NULL && node->rank > 0
         && get_bytes (node) > MIN (SMALL_BYTES, limit / SMALL_PART);
}

/* What functions of elements read elements of. */
static GHashTable *
list_references (GPtrArray *nodes)
{
  GHashTable *references = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      for (guint k = 0; k < node->references->len; k++)
        if (acc_array_reads_elements (node, g_ptr_array_index (node->references, k)))
          g_hash_table_add (references, g_ptr_array_index (node->references, k));
    }

  return references;
}

GPtrArray *
acc_memory_source_replace (AccBackend *backend, AccArray **arrays, guint n_arrays, gboolean with_references, guint64 *bytes)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (arrays, n_arrays);
  g_autoptr(GHashTable) replaced = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  g_autoptr(GHashTable) kept = with_references ? g_hash_table_new (NULL, NULL) : list_references (nodes);
  g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);
  guint64 total = 0, limit = acc_budget_get_limit (acc_backend_get_budget (backend));

  if (limit == 0)
    limit = G_MAXUINT64;

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);
      AccArray *other = NULL;

      if (should_replace (node, limit) && !g_hash_table_contains (kept, node))
        {
          g_autoptr(AccMemorySource) source = acc_memory_source_new (node);

          other = acc_array_new_from_source (ACC_SOURCE (source));
          total = acc_bytes_add (total, get_bytes (node));
        }
      else if (node->error == NULL && node->op != ACC_OP_USE)
        other = acc_array_copy_same (node, replaced);

      if (other != NULL)
        g_hash_table_insert (replaced, node, other);
    }

  if (bytes != NULL)
    *bytes = total;
  if (total == 0)
    return NULL;

  for (guint i = 0; i < n_arrays; i++)
    {
      AccArray *other = g_hash_table_lookup (replaced, arrays[i]);

      g_ptr_array_add (results, g_object_ref (other != NULL ? other : arrays[i]));
    }

  return g_steal_pointer (&results);
}
