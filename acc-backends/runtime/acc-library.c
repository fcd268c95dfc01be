/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-library.h"

#include <gmodule.h>

static gboolean
look_up_all (GModule                *module,
             const AccLibrarySymbol *symbols)
{
  for (; symbols->name != NULL; symbols++)
    if (!g_module_symbol (module, symbols->name, symbols->function))
      return FALSE;

  return TRUE;
}

gboolean
acc_library_open (const char *const      *names,
                  const AccLibrarySymbol *symbols)
{
  for (; *names != NULL; names++)
    {
      GModule *module = g_module_open (*names, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);

      if (module == NULL)
        continue;
      if (look_up_all (module, symbols))
        {
          /* It may have threads of its own. */
          g_module_make_resident (module);
          return TRUE;
        }
      g_module_close (module);
    }

  return FALSE;
}

AccArray *
acc_library_new_array (AccHost         *host,
                       AccElementType  *type,
                       const gint64    *extents,
                       guint            rank,
                       const char      *what,
                       gpointer        *data,
                       GError         **error)
{
  g_autoptr (AccShape) shape = acc_shape_new (extents, rank);
  gsize bytes = acc_element_type_get_size (type);
  AccBuffer *buffer;

  for (guint i = 0; i < rank; i++)
    if (!g_size_checked_mul (&bytes, bytes, (gsize) extents[i]) || bytes > G_MAXINT64)
      {
        g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s: the array has too many elements", what);
        return NULL;
      }

  buffer = acc_pool_allocate (host->pool, bytes, what, error);
  if (buffer == NULL)
    return NULL;
  *data = buffer->data;

  return acc_array_new_manifest (type, shape, &buffer);
}
