/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"

#include "acc-core/array/acc-array-private.h"

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
