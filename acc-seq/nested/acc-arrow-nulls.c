/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"
#include "acc-arrow-private.h"

#include "acc-core/array/acc-array-build-private.h"

#include <string.h>

/* Which entries of columns of Arrow are null. */

gboolean
acc_arrow_is_null (AccArrowColumn *column,
                   gint64          entry)
{
  const guint8 *bits = column->array->buffers[0];
  gint64 bit = column->array->offset + acc_arrow_place (column, entry);

  if (column->valid != NULL && !column->valid[entry])
    return TRUE;

  return bits != NULL && column->array->null_count != 0 && (bits[bit / 8] >> (bit % 8) & 1) == 0;
}

gint64
acc_arrow_find_null (AccArrowColumn *column)
{
  for (gint64 i = 0; i < column->length && (column->array->buffers[0] != NULL || column->valid != NULL); i++)
    if (acc_arrow_is_null (column, i))
      return i;

  return -1;
}

gboolean
acc_arrow_find_nulls (AccArrowImport *self,
                      AccArrowColumn *column,
                      const guint8   *outer,
                      guint8        **valid)
{
  *valid = NULL;
  if (outer == NULL && acc_arrow_find_null (column) < 0)
    return TRUE;

  *valid = g_try_malloc (column->length + 1);
  if (*valid == NULL)
    return acc_arrow_fail (self, ACC_ERROR_OUT_OF_MEMORY, "no memory for a mask of %" G_GINT64_FORMAT " entries", column->length);
  for (gint64 i = 0; i < column->length; i++)
    (*valid)[i] = (outer == NULL || outer[i]) && !acc_arrow_is_null (column, i);

  return TRUE;
}

gboolean
acc_arrow_repeat_nulls (AccArrowImport *self,
                        guint8        **valid,
                        gint64          n,
                        gint64          each)
{
  g_autofree guint8 *given = g_steal_pointer (valid);

  if (given == NULL)
    return TRUE;

  *valid = g_try_malloc (n * each + 1);
  if (*valid == NULL)
    return acc_arrow_fail (self, ACC_ERROR_OUT_OF_MEMORY, "no memory for a mask of %" G_GINT64_FORMAT " entries", n * each);
  for (gint64 i = 0; i < n * each; i++)
    (*valid)[i] = given[i / each];

  return TRUE;
}

gboolean
acc_arrow_clear_nulls (AccArrowImport *self,
                       GBytes        **bytes,
                       const guint8   *valid,
                       gint64          n,
                       gsize           size)
{
  g_autoptr(GBytes) given = *bytes;
  const guint8 *from = g_bytes_get_data (given, NULL);
  guint8 *data = g_try_malloc (n * size + 1);

  *bytes = NULL;
  if (data == NULL)
    return acc_arrow_fail (self, ACC_ERROR_OUT_OF_MEMORY, "no memory for %" G_GINT64_FORMAT " values", n);
  for (gint64 i = 0; i < n; i++)
    if (valid[i])
      memcpy (data + i * size, from + i * size, size);
    else
      memset (data + i * size, 0, size);
  *bytes = g_bytes_new_take (data, n * size);

  return TRUE;
}

void
acc_arrow_add_mask (AccArrowImport *self,
                    guint8         *valid,
                    AccShape       *shape)
{
  gint64 n = acc_shape_get_size (shape);
  g_autoptr(GBytes) bytes = valid != NULL ? g_bytes_new_take (valid, n) : NULL;

  g_ptr_array_add (self->masks, bytes != NULL ? acc_array_use (acc_element_type_new (ACC_KIND_BOOL), shape, bytes)
                                              : acc_array_fill (shape, acc_expr_new_bool (TRUE)));
}
