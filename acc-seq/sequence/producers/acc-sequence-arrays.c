/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-arrays-private.h"

#include "acc-sequence-gather-private.h"

#include <string.h>

struct _AccSequenceArrays
{
  AccSequenceProducer parent_instance;

  GListModel *arrays;
  guint       next;
};

G_DEFINE_FINAL_TYPE (AccSequenceArrays, acc_sequence_arrays, ACC_TYPE_SEQUENCE_PRODUCER)

/* Array @i, owned, that is as it must be. */
static AccArray *
take_array (AccSequenceArrays *self,
            guint              i,
            GError           **error)
{
  AccSequenceProducer *producer = ACC_SEQUENCE_PRODUCER (self);
  AccElementType *type = acc_sequence_producer_get_element_type (producer);
  AccShape *shape = acc_sequence_producer_get_shape (producer);
  guint rank = acc_sequence_producer_get_rank (producer);
  g_autoptr(GObject) item = g_list_model_get_item (self->arrays, i);
  g_autoptr(GError) local = NULL;
  AccArray *array;

  if (item == NULL || !ACC_IS_ARRAY (item))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "item %u of a list of arrays is %s", i,
                   item != NULL ? G_OBJECT_TYPE_NAME (item) : "not there any more");
      return NULL;
    }

  array = ACC_ARRAY (item);
  if (!acc_array_check (array, &local))
    g_set_error (error, ACC_ERROR, local->code, "array %u of a list: %s", i, local->message);
  else if (array->type != type || array->rank != rank)
    g_set_error (error, ACC_ERROR, array->type != type ? ACC_ERROR_TYPE : ACC_ERROR_SHAPE,
                 "array %u of a list has %s and rank %u, not %s and rank %u", i, acc_element_type_get_code (array->type), array->rank,
                 acc_element_type_get_code (type), rank);
  else if (!acc_array_is_manifest (array))
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "array %u of a list is not in memory: run it first", i);
  else if (shape != NULL && !acc_shape_equal (array->shape, shape))
    g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "array %u of a list has another shape than it had", i);
  else
    return g_object_ref (array);

  return NULL;
}

AccArray *
acc_sequence_arrays_peek (AccSequenceArrays *self,
                          gint64             element)
{
  return element >= 0 && element < (gint64) g_list_model_get_n_items (self->arrays) ? take_array (self, (guint) element, NULL) : NULL;
}

/* The next arrays, owned, within the limits. */
static GPtrArray *
take_arrays (AccSequenceArrays *self,
             gint64             max_elements,
             gint64             max_values,
             GError           **error)
{
  g_autoptr(GPtrArray) arrays = g_ptr_array_new_with_free_func (g_object_unref);
  guint n = g_list_model_get_n_items (self->arrays);
  gint64 total = 0;

  while (arrays->len < max_elements && self->next + arrays->len < n)
    {
      g_autoptr(GError) local = NULL;
      g_autoptr(AccArray) array = take_array (self, self->next + arrays->len, &local);
      gint64 size;

      if (array == NULL && arrays->len == 0)
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return NULL;
        }
      if (array == NULL)
        break;

      size = acc_shape_get_size (array->shape);
      if (arrays->len > 0 && size > max_values - total)
        break;
      total += size;
      g_ptr_array_add (arrays, g_steal_pointer (&array));
    }

  return g_steal_pointer (&arrays);
}

/* The memory of a single array. */
static AccNestedArray *
share (AccArray *array)
{
  guint n_buffers = acc_element_type_get_n_buffers (array->type);
  g_autofree AccBuffer **buffers = g_new (AccBuffer *, n_buffers + 1);

  for (guint b = 0; b < n_buffers; b++)
    buffers[b] = acc_buffer_ref (acc_array_get_buffers (array)[b]);

  return acc_sequence_chunk_new_regular (array->type, array->shape, 1, buffers);
}

static gboolean
copy_array (AccArray          *array,
            AccSequenceGather *gather,
            GError           **error)
{
  g_autofree guint8 **addresses = g_new (guint8 *, gather->n_buffers + 1);
  guint rank;

  if (!acc_sequence_gather_add (gather, acc_shape_get_extents (array->shape, &rank), addresses, error))
    return FALSE;

  for (guint b = 0; b < gather->n_buffers; b++)
    {
      gconstpointer data = acc_buffer_map (acc_array_get_buffers (array)[b], error);

      if (data == NULL)
        return FALSE;
      memcpy (addresses[b], data,
              acc_shape_get_size (array->shape) * acc_element_type_get_size (acc_element_type_get_buffer (array->type, b)));
    }

  return TRUE;
}

static AccNestedArray *
acc_sequence_arrays_read (AccSequenceProducer *producer,
                          gint64               max_elements,
                          gint64               max_values,
                          GCancellable        *cancellable,
                          GError             **error)
{
  AccSequenceArrays *self = ACC_SEQUENCE_ARRAYS (producer);
  g_autoptr(GPtrArray) arrays = take_arrays (self, max_elements, max_values, error);
  g_auto(AccSequenceGather) gather = { 0 };

  if (arrays == NULL || arrays->len == 0)
    return NULL;

  self->next += arrays->len;
  if (arrays->len == 1)
    return share (arrays->pdata[0]);

  acc_sequence_gather_init (&gather, acc_sequence_producer_get_element_type (producer), acc_sequence_producer_get_rank (producer),
                            acc_sequence_producer_get_shape (producer));
  for (guint i = 0; i < arrays->len; i++)
    if (!copy_array (arrays->pdata[i], &gather, error))
      return NULL;

  return acc_sequence_gather_finish (&gather);
}

static gboolean
acc_sequence_arrays_rewind (AccSequenceProducer *producer,
                            GError             **error)
{
  ACC_SEQUENCE_ARRAYS (producer)->next = 0;

  return TRUE;
}

static char *
acc_sequence_arrays_describe (AccSequenceProducer *producer,
                              gint64               element)
{
  g_autoptr(GObject) item = element >= 0 && element <= G_MAXUINT
                            ? g_list_model_get_item (ACC_SEQUENCE_ARRAYS (producer)->arrays, (guint) element) : NULL;
  const char *label = item != NULL && ACC_IS_ARRAY (item) ? acc_array_get_label (ACC_ARRAY (item)) : NULL;

  return label != NULL ? g_strdup_printf ("array %" G_GINT64_FORMAT " of a list, “%s”", element, label)
                       : g_strdup_printf ("array %" G_GINT64_FORMAT " of a list", element);
}

static void
acc_sequence_arrays_finalize (GObject *object)
{
  g_clear_object (&ACC_SEQUENCE_ARRAYS (object)->arrays);

  G_OBJECT_CLASS (acc_sequence_arrays_parent_class)->finalize (object);
}

static void
acc_sequence_arrays_class_init (AccSequenceArraysClass *klass)
{
  AccSequenceProducerClass *producer_class = ACC_SEQUENCE_PRODUCER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = acc_sequence_arrays_finalize;
  producer_class->read = acc_sequence_arrays_read;
  producer_class->rewind = acc_sequence_arrays_rewind;
  producer_class->describe = acc_sequence_arrays_describe;
}

static void
acc_sequence_arrays_init (AccSequenceArrays *self)
{
}

/* The shape that all arrays have, owned; NULL where they differ. */
static AccShape *
find_shape (GListModel *arrays)
{
  g_autoptr(AccShape) shape = NULL;
  guint n = g_list_model_get_n_items (arrays);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(GObject) item = g_list_model_get_item (arrays, i);
      AccShape *own = item != NULL && ACC_IS_ARRAY (item) ? acc_array_get_shape (ACC_ARRAY (item)) : NULL;

      if (own == NULL || (shape != NULL && !acc_shape_equal (own, shape)))
        return NULL;
      if (shape == NULL)
        shape = acc_shape_ref (own);
    }

  return g_steal_pointer (&shape);
}

AccSequenceProducer *
acc_sequence_arrays_new (GListModel     *arrays,
                         AccElementType *type,
                         guint           rank,
                         GError        **error)
{
  g_autoptr(GObject) first = g_list_model_get_item (arrays, 0);
  g_autoptr(AccShape) shape = find_shape (arrays);
  AccSequenceArrays *self;

  if (type == NULL)
    {
      if (first == NULL || !ACC_IS_ARRAY (first))
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "a list of arrays without an array at its beginning has no element type");
          return NULL;
        }
      if (!acc_array_check (ACC_ARRAY (first), error))
        return NULL;
      type = ACC_ARRAY (first)->type;
      rank = ACC_ARRAY (first)->rank;
    }

  self = g_object_new (ACC_TYPE_SEQUENCE_ARRAYS, "element-type", type, "rank", rank,
                       "shape", shape != NULL && acc_shape_get_rank (shape) == rank ? shape : NULL,
                       "length", (gint64) g_list_model_get_n_items (arrays), NULL);
  self->arrays = g_object_ref (arrays);

  return ACC_SEQUENCE_PRODUCER (self);
}
