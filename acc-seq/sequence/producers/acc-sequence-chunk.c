/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-chunk-private.h"

#include "acc-core/base/acc-shape-private.h"

#include <string.h>

/* What producers hand over: manifest nested arrays, made of buffers without a run. */

struct _AccSequenceSpare
{
  gatomicrefcount ref_count;  /* of its owner, and of all chunks */
  GMutex          lock;
  gboolean        open;
  AccBuffer      *buffer;
};

/* What a chunk has. */
typedef struct {
  AccSequenceSpare *spare;
  AccBuffer        *buffer;
} Lent;

AccSequenceSpare *
acc_sequence_spare_new (void)
{
  AccSequenceSpare *self = g_new0 (AccSequenceSpare, 1);

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  self->open = TRUE;

  return self;
}

static void
spare_unref (AccSequenceSpare *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_clear_pointer (&self->buffer, acc_buffer_unref);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Gives @buffer, and takes what is there; either may be NULL. */
static AccBuffer *
exchange (AccSequenceSpare *self,
          AccBuffer        *buffer)
{
  AccBuffer *before;

  g_mutex_lock (&self->lock);
  before = g_steal_pointer (&self->buffer);
  if (self->open)
    self->buffer = g_steal_pointer (&buffer);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&buffer, acc_buffer_unref);

  return before;
}

void
acc_sequence_spare_set_open (AccSequenceSpare *self,
                             gboolean          open)
{
  AccBuffer *buffer;

  g_mutex_lock (&self->lock);
  self->open = open;
  g_mutex_unlock (&self->lock);
  buffer = open ? NULL : exchange (self, NULL);
  g_clear_pointer (&buffer, acc_buffer_unref);
}

void
acc_sequence_spare_free (AccSequenceSpare *self)
{
  acc_sequence_spare_set_open (self, FALSE);
  spare_unref (self);
}

static void
give_back (gpointer data)
{
  Lent *lent = data;
  AccBuffer *before = exchange (lent->spare, lent->buffer);

  g_clear_pointer (&before, acc_buffer_unref);
  spare_unref (lent->spare);
  g_free (lent);
}

/* One of @size bytes; NULL: it has none, or one that is too small, or much larger. */
static AccBuffer *
take_spare (AccSequenceSpare *self,
            gsize             size)
{
  g_autoptr(AccBuffer) buffer = exchange (self, NULL);

  return buffer != NULL && buffer->size >= size && buffer->size / 2 <= size ? g_steal_pointer (&buffer) : NULL;
}

gboolean
acc_sequence_memory_reserve (AccSequenceMemory *self,
                             gsize              used,
                             gsize              size,
                             GError           **error)
{
  AccBuffer *buffer = NULL;

  if (size <= self->capacity && self->buffer != NULL)
    return TRUE;

  if (self->capacity < G_MAXSIZE / 2)
    size = MAX (size, 2 * self->capacity);
  if (self->spare != NULL)
    buffer = take_spare (self->spare, size);
  if (buffer == NULL)
    buffer = acc_buffer_allocate (size, NULL, "elements that are read", error);
  if (buffer == NULL)
    return FALSE;

  if (self->data != NULL)
    memcpy (buffer->data, self->data, used);
  acc_sequence_memory_clear (self);
  self->buffer = buffer;
  self->data = buffer->data;
  self->capacity = buffer->size;

  return TRUE;
}

void
acc_sequence_memory_clear (AccSequenceMemory *self)
{
  g_clear_pointer (&self->buffer, acc_buffer_unref);
  *self = (AccSequenceMemory) { .spare = self->spare };
}

AccBuffer *
acc_sequence_memory_steal (AccSequenceMemory *self,
                           gsize              size)
{
  AccBuffer *part;

  if (self->spare != NULL)
    {
      Lent *lent = g_new (Lent, 1);

      *lent = (Lent) { self->spare, self->buffer };
      g_atomic_ref_count_inc (&self->spare->ref_count);
      part = acc_buffer_new (self->data, size, give_back, lent);
    }
  else
    part = acc_buffer_new (self->data, size, (GDestroyNotify) acc_buffer_unref, self->buffer);
  *self = (AccSequenceMemory) { .spare = self->spare };

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
  g_autoptr(AccShape) outer = acc_shape_new_rows (n, shape);
  g_autoptr(AccArray) array = acc_array_new_manifest (type, outer, values);

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
  AccNestedArray *inner = acc_nested_array_get_inner (regular), *made;
  AccArray *array = acc_nested_array_get_values (regular);
  guint rank = array->rank - 1, n_buffers = acc_element_type_get_n_buffers (array->type), n_extents = 0;
  gint64 n = acc_shape_get_extent (array->shape, 0), size = n > 0 ? acc_shape_get_size (array->shape) / n : 0;
  g_autofree AccBuffer **values = g_new (AccBuffer *, n_buffers + 1), **extents = g_new (AccBuffer *, rank + 1);
  AccBuffer *offsets;

  if (inner != NULL)
    {
      made = acc_sequence_chunk_make_irregular (inner, error);
      return made != NULL ? acc_nested_array_new_for_groups (made, g_object_ref (acc_nested_array_get_groups (regular))) : NULL;
    }

  offsets = new_numbers (n, size, TRUE, error);
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

/* --- what subclasses return */

gint64
acc_sequence_chunk_refuse (AccSequenceProducer *self,
                           gint64               next,
                           GError             **error,
                           const char          *format,
                           ...)
{
  g_autofree char *problem = NULL;
  va_list args;

  va_start (args, format);
  problem = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, ACC_ERROR, ACC_ERROR_CALLBACK, "%s: element %" G_GINT64_FORMAT ": read %s", G_OBJECT_TYPE_NAME (self), next,
               problem);

  return 0;
}

static gboolean
check_extents (AccSequenceProducer *self,
               AccNestedArray      *chunk,
               gint64               next,
               GError             **error)
{
  AccShape *known = acc_sequence_producer_get_shape (self);
  AccNestedForm form = acc_nested_array_get_form (chunk);
  AccShape *shape = acc_nested_array_get_values (chunk)->shape;
  g_autofree char *text = NULL, *wanted = NULL;

  if (form == ACC_NESTED_FORM_CONSTANT)
    return acc_sequence_chunk_refuse (self, next, error, "returned one constant for all elements, not each of them");
  if (known == NULL)
    return TRUE;
  if (form == ACC_NESTED_FORM_IRREGULAR)
    return acc_sequence_chunk_refuse (self, next, error, "returned irregular elements where all have the same extents");

  for (guint i = 0; i < acc_shape_get_rank (known); i++)
    if (acc_shape_get_extent (shape, i + 1) != acc_shape_get_extent (known, i))
      {
        text = acc_shape_to_string (shape);
        wanted = acc_shape_to_string (known);
        return acc_sequence_chunk_refuse (self, next, error, "returned elements in an array of shape %s, which are not of shape %s", text,
                                          wanted);
      }

  return TRUE;
}

gint64
acc_sequence_chunk_check (AccSequenceProducer *self,
                          AccNestedArray      *chunk,
                          gint64               next,
                          gint64               max_elements,
                          gint64               max_values,
                          GError             **error)
{
  AccElementType *type = acc_sequence_producer_get_element_type (self);
  guint rank = acc_sequence_producer_get_rank (self), depth = acc_sequence_producer_get_depth (self);
  gint64 length = acc_sequence_producer_get_length (self), n, total;
  g_autoptr(GError) local = NULL;

  if (!acc_nested_array_check (chunk, &local))
    return acc_sequence_chunk_refuse (self, next, error, "returned elements with an error: %s", local->message);
  if (!acc_nested_array_is_manifest (chunk))
    return acc_sequence_chunk_refuse (self, next, error, "returned elements that are not in memory: run them first");
  if (acc_nested_array_get_element_type (chunk) != type)
    return acc_sequence_chunk_refuse (self, next, error, "returned elements of %s, not of %s",
                   acc_element_type_get_code (acc_nested_array_get_element_type (chunk)), acc_element_type_get_code (type));
  if (acc_nested_array_get_depth (chunk) != depth)
    return acc_sequence_chunk_refuse (self, next, error, "returned a nested array of %u levels, not %u", acc_nested_array_get_depth (chunk),
                                      depth);
  if (acc_nested_array_get_rank (chunk) != rank)
    return acc_sequence_chunk_refuse (self, next, error, "returned elements of rank %u, not %u", acc_nested_array_get_rank (chunk), rank);
  if (!check_extents (self, chunk, next, error))
    return 0;

  n = acc_nested_array_get_known_count (chunk);
  total = acc_shape_get_size (acc_nested_array_get_values (chunk)->shape);
  if (n < 1)
    return acc_sequence_chunk_refuse (self, next, error, "returned no elements; at the end it must return nothing");
  if (n > max_elements)
    return acc_sequence_chunk_refuse (self, next, error, "returned %" G_GINT64_FORMAT " elements where %" G_GINT64_FORMAT " were asked for",
                                      n, max_elements);
  if (n > 1 && total > max_values)
    return acc_sequence_chunk_refuse (self, next, error, "returned %" G_GINT64_FORMAT " values where %" G_GINT64_FORMAT " were asked for",
                                      total, max_values);
  if (length >= 0 && n > length - next)
    return acc_sequence_chunk_refuse (self, next, error,
                                      "returned %" G_GINT64_FORMAT " elements, but there are %" G_GINT64_FORMAT " in all", n, length);

  return n;
}
