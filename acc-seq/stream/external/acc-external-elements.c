/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-error.h"

#include <string.h>

AccArray *
acc_external_new_view (AccElementType *type, AccBuffer **buffers, gint64 first, gint64 n)
{
  guint n_buffers = acc_element_type_get_n_buffers (type);
  g_autofree AccBuffer **views = g_new0 (AccBuffer *, n_buffers + 1);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  for (guint i = 0; i < n_buffers; i++)
    {
      gsize width = acc_element_type_get_buffer_size (type, i);

      views[i] = acc_buffer_new ((guint8 *) buffers[i]->data + (gsize) first * width, (gsize) n * width,
                                 (GDestroyNotify) acc_buffer_unref, acc_buffer_ref (buffers[i]));
    }

  return acc_array_new_manifest (type, shape, views);
}

gboolean
acc_external_fetch (AccArray *array, GError **error)
{
  for (guint i = 0; i < acc_element_type_get_n_buffers (array->type); i++)
    if (acc_buffer_map (acc_array_get_buffers (array)[i], error) == NULL)
      return FALSE;

  return TRUE;
}

/* An array of the same type and shape, which takes one element. */
static AccArray *
stand_in (AccArray *array)
{
  guint n_buffers = acc_element_type_get_n_buffers (array->type), rank;
  const gint64 *extents = acc_shape_get_extents (array->shape, &rank);
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr(AccArray) element = NULL;

  for (guint i = 0; i < n_buffers; i++)
    {
      gsize size = acc_element_type_get_buffer_size (array->type, i);

      g_ptr_array_add (buffers, g_bytes_new_take (g_malloc0 (size), size));
    }
  element = acc_array_use_buffers (array->type, scalar, (GBytes **) buffers->pdata, n_buffers);

  return acc_array_replicate (element, extents, rank);
}

AccFunction *
acc_external_dup_function (AccArray *node)
{
  g_autoptr(GHashTable) replaced = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref),
    copies = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) acc_expr_unref);

  for (guint i = 0; i < node->references->len; i++)
    {
      AccArray *array = g_ptr_array_index (node->references, i);

      if (!acc_array_is_manifest (array) && array->shape != NULL && !acc_array_reads_elements (node, array))
        g_hash_table_insert (replaced, array, stand_in (array));
    }

  return acc_function_copy_replaced (node->functions[0], replaced, copies);
}

AccExpr *
acc_external_apply (AccExpr *x, AccExpr *y, gpointer function)
{
  return acc_function_apply (function, (AccExpr *[]) { x, y });
}

void
acc_external_copy (AccElementType *type, AccBuffer **to, gint64 at, AccBuffer **from, gint64 first, gint64 n)
{
  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    {
      gsize width = acc_element_type_get_buffer_size (type, i);

      if (n > 0 && width > 0)
        memmove ((guint8 *) to[i]->data + (gsize) at * width, (guint8 *) from[i]->data + (gsize) first * width, (gsize) n * width);
    }
}

gboolean
acc_external_needs_arrays (AccArray *node)
{
  for (guint i = 0; i < node->references->len; i++)
    if (!acc_array_is_manifest (g_ptr_array_index (node->references, i)))
      return TRUE;

  return FALSE;
}

/* --- positions */

static void
append_index (GString *text, gint64 index, guint d)
{
  g_string_append_printf (text, "%s%" G_GINT64_FORMAT, d > 0 ? "," : "", index);
}

gboolean
acc_external_locate (gpointer *numbers, gint64 i, const gint64 *extents, guint rank, gint64 *position, GError **error)
{
  g_autoptr(GString) text = NULL;
  gboolean outside = FALSE;

  *position = 0;
  for (guint d = 0; d < rank; d++)
    {
      gint64 index = ((const gint64 *) numbers[d])[i];

      outside |= index < 0 || index >= extents[d];
      *position = outside ? 0 : *position * extents[d] + index;
    }
  if (!outside)
    return TRUE;

  text = g_string_new ("index [");
  for (guint d = 0; d < rank; d++)
    append_index (text, ((const gint64 *) numbers[d])[i], d);
  g_string_append (text, "] is outside the extents [");
  for (guint d = 0; d < rank; d++)
    append_index (text, extents[d], d);
  g_string_append_c (text, ']');
  g_set_error_literal (error, ACC_ERROR, ACC_ERROR_BOUNDS, text->str);

  return FALSE;
}

#define BRING(type) \
  for (gint64 i = 0; i < n; i++) \
    ((type *) to)[i] = ((const type *) from)[places[i]]

static void
bring (guint8 *to, const guint8 *from, const gint64 *places, gint64 n, gsize width)
{
  switch (width)
    {
    case 1:
      BRING (guint8);
      break;
    case 2:
      BRING (guint16);
      break;
    case 4:
      BRING (guint32);
      break;
    case 8:
      BRING (guint64);
      break;
    default:
      for (gint64 i = 0; i < n && width > 0; i++)
        memcpy (to + (gsize) i * width, from + (gsize) places[i] * width, width);
    }
}

void
acc_external_copy_places (AccElementType *type, AccBuffer **to, gint64 at, AccBuffer **from, const gint64 *places, gint64 n)
{
  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    {
      gsize width = acc_element_type_get_buffer_size (type, i);

      bring ((guint8 *) to[i]->data + (gsize) at * width, from[i]->data, places, n, width);
    }
}
