/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-values-private.h"
#include "acc-core/base/acc-parallel-private.h"
#include "acc-core/data/acc-buffer-private.h"

#include <string.h>

/* Nested arrays in memory: what is made there is checked there, and parts share bytes. */

AccShape *
acc_nested_array_shape_rows (AccArray *array,
                             gint64    count)
{
  g_autofree gint64 *extents = g_memdup2 (acc_shape_get_extents (array->shape, NULL), array->rank * sizeof (gint64));

  extents[0] = count;

  return acc_shape_new (extents, array->rank);
}

static gboolean
copy_values (AccBuffer *target,
             AccArray **arrays,
             guint      n_arrays,
             guint      buffer,
             GError   **error)
{
  gsize size = acc_element_type_get_buffer_size (arrays[0]->type, buffer), position = 0;

  for (guint i = 0; i < n_arrays; i++)
    {
      const guint8 *data = acc_buffer_map (acc_array_get_buffers (arrays[i])[buffer], error);
      gsize bytes = (gsize) acc_shape_get_size (arrays[i]->shape) * size;

      if (data == NULL)
        return FALSE;
      if (bytes > 0)
        acc_parallel_copy ((guint8 *) target->data + position, data, bytes);
      position += bytes;
    }

  return TRUE;
}

AccArray *
acc_nested_array_join_values (AccArray **arrays,
                              guint      n_arrays,
                              AccShape  *shape,
                              AccBudget *budget,
                              GError   **error)
{
  guint n_buffers = acc_element_type_get_n_buffers (arrays[0]->type);
  AccBuffer **buffers = acc_buffers_allocate (arrays[0]->type, acc_shape_get_size (shape), budget, "elements of a sequence", error);
  AccArray *joined = NULL;
  gboolean copied = buffers != NULL;

  for (guint i = 0; i < n_buffers && copied; i++)
    copied = copy_values (buffers[i], arrays, n_arrays, i, error);
  if (!copied)
    {
      acc_buffers_free (buffers);
      return NULL;
    }
  joined = acc_array_new_manifest (arrays[0]->type, shape, buffers);
  g_free (buffers);

  return joined;
}

static gint64
values_in_row (AccArray *array)
{
  gint64 n = 1;

  for (guint i = 1; i < array->rank; i++)
    n *= acc_shape_get_extent (array->shape, i);

  return n;
}

AccArray *
acc_nested_array_share_rows (AccArray *array,
                             gint64    first,
                             gint64    count,
                             AccShape *shape,
                             GError  **error)
{
  g_autofree AccBuffer **buffers = NULL;
  g_autoptr(AccShape) rows = NULL;
  guint n_buffers = acc_element_type_get_n_buffers (array->type);

  if (shape == NULL && first == 0 && count == acc_shape_get_extent (array->shape, 0))
    return g_object_ref (array);

  rows = shape != NULL ? acc_shape_ref (shape) : acc_nested_array_shape_rows (array, count);
  buffers = g_new0 (AccBuffer *, n_buffers + 1);
  for (guint i = 0; i < n_buffers; i++)
    {
      AccBuffer *whole = acc_array_get_buffers (array)[i];
      gsize row = (gsize) values_in_row (array) * acc_element_type_get_buffer_size (array->type, i);
      guint8 *data;

      if (first == 0 && (gsize) count * row == whole->size)
        {
          buffers[i] = acc_buffer_ref (whole);
          continue;
        }
      data = acc_buffer_map (whole, error);
      if (data == NULL)
        {
          while (i-- > 0)
            acc_buffer_unref (buffers[i]);
          return NULL;
        }
      buffers[i] = acc_buffer_new (data + (gsize) first * row, (gsize) count * row, (GDestroyNotify) acc_buffer_unref,
                                   acc_buffer_ref (whole));
    }

  return acc_array_new_manifest (array->type, rows, buffers);
}

gboolean
acc_nested_array_read_extents (AccNestedArray *self,
                               gint64          k,
                               gint64         *extents,
                               GError        **error)
{
  AccLifted *lifted = acc_nested_array_get_lifted (self);
  AccNesting *nesting = lifted->nesting;
  const gint64 *numbers;

  for (guint d = 0; d < lifted->rank; d++)
    {
      if (nesting == NULL)
        {
          extents[d] = acc_shape_get_extent (lifted->values->shape, lifted->form == ACC_LIFTED_REGULAR ? d + 1 : d);
          continue;
        }
      numbers = acc_buffer_map (acc_array_get_buffers (nesting->extents != NULL ? nesting->extents : nesting->offsets)[d], error);
      if (numbers == NULL)
        return FALSE;
      extents[d] = nesting->extents != NULL ? numbers[k] : numbers[k + 1] - numbers[k];
    }

  return TRUE;
}

AccArray *
acc_nested_array_take_element (AccNestedArray *self,
                               gint64          k,
                               GError        **error)
{
  AccLifted *lifted = acc_nested_array_get_lifted (self);
  g_autofree gint64 *extents = g_new0 (gint64, lifted->rank + 1);
  g_autoptr(AccShape) shape = NULL;
  const gint64 *offsets;

  if (lifted->form == ACC_LIFTED_CONSTANT)
    return g_object_ref (lifted->values);
  if (!acc_nested_array_read_extents (self, k, extents, error))
    return NULL;

  shape = acc_shape_new (extents, lifted->rank);
  if (lifted->form == ACC_LIFTED_REGULAR)
    return acc_nested_array_share_rows (lifted->values, k, 1, shape, error);

  offsets = acc_buffer_map (acc_array_get_buffers (lifted->nesting->offsets)[0], error);

  return offsets != NULL ? acc_nested_array_share_rows (lifted->values, offsets[k], offsets[k + 1] - offsets[k], shape, error) : NULL;
}

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
