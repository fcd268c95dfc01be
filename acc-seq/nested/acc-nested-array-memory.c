/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-values-private.h"

/* Nested arrays that are in memory from the beginning, and are checked there. */

AccArray *
acc_nested_array_use_numbers (gint64 *numbers,
                              gint64  n)
{
  g_autoptr(GBytes) bytes = g_bytes_new_take (numbers, n * sizeof *numbers);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

AccArray *
acc_nested_array_use_lengths (AccArray *offsets)
{
  const gint64 *given = (const gint64 *) (gsize) acc_array_get_address (offsets, 0);
  gint64 n = acc_shape_get_size (offsets->shape) - 1, *lengths = g_new0 (gint64, n + 1);

  for (gint64 k = 0; given != NULL && k < n; k++)
    lengths[k] = given[k + 1] - given[k];

  return acc_nested_array_use_numbers (lengths, n);
}

gboolean
acc_nested_array_check_offsets (AccArray   *offsets,
                                gint64      total,
                                GError    **error)
{
  gint64 n = acc_shape_get_size (offsets->shape), last = 0;

  if (n == 0 || acc_array_read (offsets, 0, 0).i != 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS, "offsets do not begin at 0");
      return FALSE;
    }
  for (gint64 k = 0; k + 1 < n; k++)
    {
      gint64 end = acc_array_read (offsets, 0, k + 1).i;

      if (end < last || end > total)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS,
                       "element %" G_GINT64_FORMAT " is from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, k, last,
                       end, total);
          return FALSE;
        }
      last = end;
    }
  if (last == total)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "offsets end at %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, last, total);

  return FALSE;
}

AccArray *
acc_nested_array_use_extents (AccArray  *extents,
                              gint64     total,
                              GError   **error)
{
  gint64 n = acc_shape_get_size (extents->shape), *offsets = g_new0 (gint64, n + 1);
  guint rank = acc_element_type_get_n_leaves (extents->type);

  for (gint64 k = 0; k < n; k++)
    {
      gint64 size = 1;

      for (guint d = 0; d < rank; d++)
        {
          gint64 extent = acc_array_read (extents, d, k).i;

          size = extent < 0 || size < 0 || size > G_MAXINT64 / MAX (extent, 1) ? -1 : size * extent;
        }
      if (size < 0 || size > total - offsets[k])
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS,
                       "element %" G_GINT64_FORMAT " has extents that do not fit %" G_GINT64_FORMAT " values", k, total);
          g_free (offsets);
          return NULL;
        }
      offsets[k + 1] = offsets[k] + size;
    }
  if (offsets[n] == total)
    return acc_nested_array_use_numbers (offsets, n + 1);

  g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "elements have %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " values", offsets[n], total);
  g_free (offsets);

  return NULL;
}
