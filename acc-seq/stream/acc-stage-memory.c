/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stages-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-error.h"
#include "acc-memory-source-private.h"
#include "acc-plan-private.h"
#include "acc-seq/stream/external/acc-external-elements-private.h"
#include "acc-store-private.h"

/* Stores of stages that are in memory. They move to files where what follows needs the memory. */

static GQuark
get_quark (void)
{
  return g_quark_from_static_string ("acc-stage-memory");
}

void
acc_stages_set_in_memory (AccArray *store, gboolean in_memory)
{
  g_object_set_qdata (G_OBJECT (store), get_quark (), in_memory ? store : NULL);
}

/* That of a node, or of rows that a source has from there. */
static AccArray *
get_store (AccArray *node)
{
  AccArray *array = node->op == ACC_OP_SOURCE ? acc_memory_source_get_array (acc_array_get_source (node)) : node;

  return array != NULL && g_object_get_qdata (G_OBJECT (array), get_quark ()) != NULL ? array : NULL;
}

guint64
acc_stages_count_memory (GHashTable *counted, GPtrArray *added, AccArray **arrays, guint n_arrays)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (arrays, n_arrays);
  guint64 bytes = 0;

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i), *store = get_store (node);
      guint64 held = store != NULL ? acc_external_get_bytes (store) : 0;

      if (store == NULL && node->op == ACC_OP_SOURCE && acc_external_is_pretended (node, &held))
        store = node;
      if (store == NULL || !g_hash_table_add (counted, store))
        continue;
      g_ptr_array_add (added, store);
      bytes = acc_bytes_add (bytes, held);
    }

  return bytes;
}

void
acc_stages_uncount_memory (GHashTable *counted, GPtrArray *added)
{
  for (guint i = 0; i < added->len; i++)
    g_hash_table_remove (counted, g_ptr_array_index (added, i));
  g_ptr_array_set_size (added, 0);
}

AccArray *
acc_stages_find_in_memory (AccArray **arrays, guint n_arrays)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (arrays, n_arrays);
  AccArray *largest = NULL;

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *store = get_store (g_ptr_array_index (nodes, i));

      if (store != NULL && (largest == NULL || acc_external_get_bytes (store) > acc_external_get_bytes (largest)))
        largest = store;
    }

  return largest;
}

AccArray *
acc_stages_dup_in_file (AccBackend *backend, AccArray *array, const char *what, GError **error)
{
  g_autoptr(AccStore) store = acc_store_new (backend, array->type, array->shape, what, error);

  if (store == NULL || !acc_external_fetch (array, error)
      || !acc_store_write_from (store, 0, acc_shape_get_size (array->shape), acc_array_get_buffers (array), 0, error))
    return NULL;

  return acc_store_dup_array (store, error);
}

/* Nobody but this run has the array, which is the same afterwards. */
static gboolean
move (AccBackend *backend, AccArray *array)
{
  AccBuffer **buffers = acc_array_get_buffers (array), **others;
  g_autoptr(AccArray) moved = acc_stages_dup_in_file (backend, array, "a store", NULL);

  if (moved == NULL)
    return FALSE;

  others = acc_array_get_buffers (moved);
  for (guint i = 0; i < acc_element_type_get_n_buffers (array->type); i++)
    {
      AccBuffer *buffer = buffers[i];

      buffers[i] = acc_buffer_ref (others[i]);
      acc_buffer_unref (buffer);
    }

  return TRUE;
}

gboolean
acc_stages_make_room (AccBackend *backend, AccArray **arrays, guint n_arrays, const GError *reason)
{
  AccArray *largest = g_error_matches (reason, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) ? acc_stages_find_in_memory (arrays, n_arrays) : NULL;

  if (largest == NULL || !move (backend, largest))
    return FALSE;
  acc_stages_set_in_memory (largest, FALSE);

  return TRUE;
}
