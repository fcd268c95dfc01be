/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-value.h"

#include "acc-error.h"

InterpValue *
interp_value_new (AccElementType *type,
                  guint           rank,
                  const gint64   *extents)
{
  InterpValue *self = g_new0 (InterpValue, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->type = type;
  self->rank = rank;
  self->extents = g_new0 (gint64, MAX (rank, 1));
  self->size = 1;
  for (guint i = 0; i < rank; i++)
    self->extents[i] = MAX (extents[i], 0);
  for (guint i = 0; i < rank; i++)
    if (self->extents[i] == 0)
      self->size = 0;
  for (guint i = 0; i < rank && self->size > 0; i++)
    if (__builtin_mul_overflow (self->size, self->extents[i], &self->size))
      self->size = G_MAXINT64;
  self->row_elements = rank == 0 ? 1 : self->size == 0 ? 0 : self->size / self->extents[0];

  self->n_leaves = acc_element_type_get_n_leaves (type);
  self->places = acc_element_type_locate (type, 0);

  self->n_buffers = acc_element_type_get_n_buffers (type);
  self->sizes = g_new0 (gsize, MAX (self->n_buffers, 1));
  self->bases = g_new0 (guint8 *, MAX (self->n_buffers, 1));
  self->buffers = g_new0 (AccBuffer *, MAX (self->n_buffers, 1));
  for (guint i = 0; i < self->n_buffers; i++)
    self->sizes[i] = acc_element_type_get_buffer_size (type, i);
  return self;
}

static void
take_all (InterpValue *self)
{
  self->first = 0;
  self->end = self->size;
}

InterpValue *
interp_value_new_manifest (AccArray  *array,
                           GError   **error)
{
  g_autoptr(InterpValue) self = interp_value_new (array->type, array->rank, acc_shape_get_extents (array->shape, NULL));

  for (guint i = 0; i < self->n_buffers; i++)
    {
      self->buffers[i] = acc_buffer_ref (acc_array_get_buffers (array)[i]);
      self->bases[i] = acc_buffer_map (acc_array_get_buffers (array)[i], error);
      if (self->bases[i] == NULL)
        return NULL;
    }
  take_all (self);
  return g_steal_pointer (&self);
}

gboolean
interp_value_allocate (InterpValue  *self,
                       AccBackend   *backend,
                       const char   *what,
                       GError      **error)
{
  for (guint i = 0; i < self->n_buffers; i++)
    {
      gsize bytes;

      if (self->buffers[i] != NULL)
        continue;
      if (self->size == G_MAXINT64 || !g_size_checked_mul (&bytes, (gsize) self->size, self->sizes[i]))
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s: more elements than memory can have", what);
          return FALSE;
        }
      self->buffers[i] = acc_backend_allocate (backend, bytes, what, error);
      if (self->buffers[i] == NULL)
        return FALSE;
      self->bases[i] = self->buffers[i]->data;
    }
  take_all (self);
  return TRUE;
}

void
interp_value_share (InterpValue *self,
                    guint        to,
                    InterpValue *source,
                    guint        first,
                    guint        n)
{
  for (guint i = 0; i < n; i++)
    {
      self->buffers[to + i] = acc_buffer_ref (source->buffers[first + i]);
      self->bases[to + i] = source->buffers[first + i]->data;
    }
  take_all (self);
}

void
interp_value_set_window (InterpValue *self,
                         gpointer    *addresses,
                         gint64       first_row,
                         gint64       n_rows)
{
  self->first = first_row * self->row_elements;
  self->end = self->first + n_rows * self->row_elements;
  /* By integers: the biased address may lie outside of any object. */
  for (guint i = 0; i < self->n_buffers; i++)
    self->bases[i] = (guint8 *) ((guintptr) addresses[i] - (guintptr) self->first * self->sizes[i]);
}

AccArray *
interp_value_to_array (InterpValue *self)
{
  g_autoptr(AccShape) shape = acc_shape_new (self->extents, self->rank);

  for (guint i = 0; i < self->n_buffers; i++)
    acc_buffer_ref (self->buffers[i]);
  return acc_array_new_manifest (self->type, shape, self->buffers);
}

InterpValue *
interp_value_ref (InterpValue *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
interp_value_unref (InterpValue *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  for (guint i = 0; i < self->n_buffers; i++)
    g_clear_pointer (&self->buffers[i], acc_buffer_unref);
  g_free (self->extents);
  g_free (self->sizes);
  g_free (self->bases);
  g_free (self->buffers);
  g_free (self);
}
