/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-chunk-private.h"

#include <string.h>

/* What producers hand over: manifest nested arrays, made of buffers without a run. */

gboolean
acc_sequence_memory_reserve (AccSequenceMemory *self,
                             gsize              used,
                             gsize              size,
                             GError           **error)
{
  AccBuffer *buffer;

  if (size <= self->capacity && self->buffer != NULL)
    return TRUE;

  if (self->capacity < G_MAXSIZE / 2)
    size = MAX (size, 2 * self->capacity);
  buffer = acc_buffer_allocate (size, NULL, "elements that are read", error);
  if (buffer == NULL)
    return FALSE;

  if (self->data != NULL)
    memcpy (buffer->data, self->data, used);
  acc_sequence_memory_clear (self);
  *self = (AccSequenceMemory) { buffer, buffer->data, size };

  return TRUE;
}

void
acc_sequence_memory_clear (AccSequenceMemory *self)
{
  g_clear_pointer (&self->buffer, acc_buffer_unref);
  *self = (AccSequenceMemory) { 0 };
}

AccBuffer *
acc_sequence_memory_steal (AccSequenceMemory *self,
                           gsize              size)
{
  AccBuffer *part = acc_buffer_new (self->data, size, (GDestroyNotify) acc_buffer_unref, self->buffer);

  *self = (AccSequenceMemory) { 0 };

  return part;
}

static AccArray *
new_vector (AccElementType *type,
            gint64          n,
            AccBuffer     **buffers)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  return acc_array_new_manifest (type, shape, buffers);
}

AccNestedArray *
acc_sequence_chunk_new_regular (AccElementType *type,
                                AccShape       *shape,
                                gint64          n,
                                AccBuffer     **values)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);
  g_autofree gint64 *all = g_new (gint64, rank + 1);
  g_autoptr(AccShape) outer = NULL;
  g_autoptr(AccArray) array = NULL;

  all[0] = n;
  for (guint i = 0; i < rank; i++)
    all[i + 1] = extents[i];
  outer = acc_shape_new (all, rank + 1);
  array = acc_array_new_manifest (type, outer, values);

  return acc_nested_array_new_from_regular (array);
}

AccNestedArray *
acc_sequence_chunk_new_irregular (AccElementType *type,
                                  guint           rank,
                                  gint64          n,
                                  AccBuffer     **values,
                                  AccBuffer      *offsets,
                                  AccBuffer     **extents)
{
  AccElementType *i64 = acc_element_type_new (ACC_KIND_I64);
  gint64 total = ((const gint64 *) offsets->data)[n];
  AccBuffer *first = acc_buffer_ref (offsets);
  AccArray *ends = new_vector (i64, n + 1, &offsets), *all = NULL, *count = new_vector (i64, n, &first);

  if (rank != 1)
    all = new_vector (acc_index_type (rank), n, extents);

  return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (acc_nesting_new (rank, ends, all), new_vector (type, total, values)),
                                          count);
}

/* @n + 1 numbers: 0, step, 2 step … where @step; else @value, n times. */
static AccBuffer *
new_numbers (gint64   n,
             gint64   value,
             gboolean step,
             GError **error)
{
  AccBuffer *buffer = acc_buffer_allocate ((n + 1) * sizeof (gint64), NULL, "where elements lie", error);

  if (buffer == NULL)
    return NULL;
  for (gint64 i = 0; i <= n; i++)
    ((gint64 *) buffer->data)[i] = step ? i * value : value;

  return buffer;
}

AccNestedArray *
acc_sequence_chunk_make_irregular (AccNestedArray *regular,
                                   GError        **error)
{
  AccArray *array = acc_nested_array_get_values (regular);
  guint rank = array->rank - 1, n_buffers = acc_element_type_get_n_buffers (array->type), n_extents = 0;
  gint64 n = acc_shape_get_extent (array->shape, 0), size = n > 0 ? acc_shape_get_size (array->shape) / n : 0;
  g_autofree AccBuffer **values = g_new (AccBuffer *, n_buffers + 1), **extents = g_new (AccBuffer *, rank + 1);
  AccBuffer *offsets = new_numbers (n, size, TRUE, error);

  for (; offsets != NULL && rank != 1 && n_extents < rank; n_extents++)
    if ((extents[n_extents] = new_numbers (n, acc_shape_get_extent (array->shape, n_extents + 1), FALSE, error)) == NULL)
      {
        g_clear_pointer (&offsets, acc_buffer_unref);
        break;
      }
  if (offsets == NULL)
    {
      for (guint i = 0; i < n_extents; i++)
        acc_buffer_unref (extents[i]);
      return NULL;
    }

  for (guint i = 0; i < n_buffers; i++)
    values[i] = acc_buffer_ref (acc_array_get_buffers (array)[i]);

  return acc_sequence_chunk_new_irregular (array->type, rank, n, values, offsets, extents);
}
