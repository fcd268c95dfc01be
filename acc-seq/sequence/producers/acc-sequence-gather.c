/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-gather-private.h"

#include "acc-error.h"

void
acc_sequence_gather_init (AccSequenceGather *self,
                          AccElementType    *type,
                          guint              rank,
                          AccShape          *shape)
{
  *self = (AccSequenceGather) { .type = type, .rank = rank, .shape = shape, .n_buffers = acc_element_type_get_n_buffers (type) };
  self->values = g_new0 (AccSequenceMemory, self->n_buffers + 1);
  self->extents = g_new0 (AccSequenceMemory, rank + 1);
}

void
acc_sequence_gather_clear (AccSequenceGather *self)
{
  for (guint b = 0; b < self->n_buffers; b++)
    acc_sequence_memory_clear (&self->values[b]);
  acc_sequence_memory_clear (&self->offsets);
  for (guint d = 0; d < self->rank; d++)
    acc_sequence_memory_clear (&self->extents[d]);
  g_clear_pointer (&self->values, g_free);
  g_clear_pointer (&self->extents, g_free);
}

static gsize
get_value_size (AccSequenceGather *self,
                guint              buffer)
{
  return acc_element_type_get_size (acc_element_type_get_buffer (self->type, buffer));
}

/* Appends to numbers, of which there are @n. */
static gboolean
append (AccSequenceMemory *numbers,
        gint64             n,
        gint64             number,
        GError           **error)
{
  if (!acc_sequence_memory_reserve (numbers, n * sizeof (gint64), (n + 1) * sizeof (gint64), error))
    return FALSE;

  ((gint64 *) numbers->data)[n] = number;

  return TRUE;
}

gboolean
acc_sequence_gather_add (AccSequenceGather *self,
                         const gint64      *extents,
                         guint8           **addresses,
                         GError           **error)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, self->rank);
  gint64 size = acc_shape_get_size (shape);

  if (size > G_MAXINT64 / 1024 - self->total)
    {
      g_autofree char *text = acc_shape_to_string (shape);

      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "an element of shape %s is too large", text);
      return FALSE;
    }

  for (guint b = 0; b < self->n_buffers; b++)
    {
      gsize bytes = get_value_size (self, b);

      if (!acc_sequence_memory_reserve (&self->values[b], self->total * bytes, (self->total + size) * bytes, error))
        return FALSE;
      addresses[b] = self->values[b].data + self->total * bytes;
    }
  for (guint d = 0; self->shape == NULL && self->rank != 1 && d < self->rank; d++)
    if (!append (&self->extents[d], self->n, extents[d], error))
      return FALSE;
  if (!append (&self->offsets, self->n, self->total, error) || !append (&self->offsets, self->n + 1, self->total + size, error))
    return FALSE;

  self->n++;
  self->total += size;

  return TRUE;
}

void
acc_sequence_gather_drop (AccSequenceGather *self)
{
  self->n--;
  self->total = ((const gint64 *) self->offsets.data)[self->n];
}

AccNestedArray *
acc_sequence_gather_finish (AccSequenceGather *self)
{
  g_autofree AccBuffer **values = g_new (AccBuffer *, self->n_buffers + 1), **extents = g_new (AccBuffer *, self->rank + 1);
  gsize n_bytes = self->n * sizeof (gint64);

  if (self->n == 0)
    return NULL;

  for (guint b = 0; b < self->n_buffers; b++)
    values[b] = acc_sequence_memory_steal (&self->values[b], self->total * get_value_size (self, b));
  if (self->shape != NULL)
    return acc_sequence_chunk_new_regular (self->type, self->shape, self->n, values);

  for (guint d = 0; self->rank != 1 && d < self->rank; d++)
    extents[d] = acc_sequence_memory_steal (&self->extents[d], n_bytes);

  return acc_sequence_chunk_new_irregular (self->type, self->rank, self->n, values,
                                           acc_sequence_memory_steal (&self->offsets, n_bytes + sizeof (gint64)), extents);
}
