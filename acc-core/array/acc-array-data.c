/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"

#include <string.h>

static AccArray *
begin_manifest (AccElementType *type,
                AccShape       *shape)
{
  AccArray *node = acc_array_begin (ACC_OP_USE, NULL, 0);
  g_autofree gint64 *extents = NULL;
  const gint64 *given;
  gint64 size;

  if (type == NULL || shape == NULL)
    {
      acc_array_fail_argument (node, type == NULL ? "an element type" : "a shape");
      return node;
    }

  given = acc_shape_get_extents (shape, &node->rank);

  if (node->rank > ACC_MAX_LEAVES)
    {
      acc_array_fail (node, ACC_ERROR_SHAPE, "rank %u is too high", node->rank);
      return node;
    }

  extents = g_new (gint64, node->rank + 1);
  for (guint i = 0; i < node->rank; i++)
    extents[i] = MAX (given[i], 0);

  if (!acc_extents_check_size (extents, node->rank, type, &size))
    {
      g_autofree char *text = acc_shape_to_string (shape);

      acc_array_fail (node, ACC_ERROR_SHAPE, "%s of %s is more than can be addressed", text,
                      acc_element_type_get_code (type));
      return node;
    }

  node->type = type;
  node->shape = acc_shape_new (extents, node->rank);
  return node;
}

static AccArray *
complete_manifest (AccArray *node)
{
  if (node->error != NULL)
    {
      g_clear_pointer (&node->shape, acc_shape_unref);
      node->type = NULL;
      node->rank = 0;
    }

  return node;
}

static gsize
get_size (AccArray *node,
          guint     buffer)
{
  return acc_shape_get_size (node->shape) * acc_element_type_get_buffer_size (node->type, buffer);
}

AccArray *
acc_array_new_manifest (AccElementType  *type,
                        AccShape        *shape,
                        AccBuffer      **buffers)
{
  AccArray *node = begin_manifest (type, shape);
  guint n_buffers = acc_element_type_get_n_buffers (type);

  if (node->error == NULL)
    {
      node->payload = g_new (AccBuffer *, n_buffers + 1);
      memcpy (node->payload, buffers, n_buffers * sizeof (AccBuffer *));
    }
  else
    {
      for (guint i = 0; i < n_buffers; i++)
        acc_buffer_unref (buffers[i]);
    }

  return complete_manifest (node);
}

static gboolean
is_normal_bool (const guint8 *data,
                gsize         size)
{
  guint64 wrong = 0;
  gsize i = 0;

  for (; i + 8 <= size; i += 8)
    {
      guint64 word;

      memcpy (&word, data + i, 8);
      wrong |= word & ~G_GUINT64_CONSTANT (0x0101010101010101);
    }
  for (; i < size; i++)
    wrong |= data[i] & ~1u;

  return wrong == 0;
}

/* Returns @given itself if kernels can read it as it is, else an aligned, normalised copy. Takes @given. */
static AccBuffer *
adopt (AccArray       *node,
       guint           buffer,
       AccBuffer      *given,
       gsize           size)
{
  AccElementKind kind = acc_element_type_get_leaf (acc_element_type_get_buffer (node->type, buffer), 0);
  gboolean is_bool = kind == ACC_KIND_BOOL;
  gboolean aligned = size == 0 || (guintptr) given->data % acc_element_kind_get_size (kind) == 0;
  g_autoptr(GError) error = NULL;
  AccBuffer *copy;

  if (aligned && (!is_bool || is_normal_bool (given->data, size)))
    return given;

  copy = acc_buffer_allocate (size, NULL, "data given by the user", &error);

  if (copy == NULL)
    {
      acc_array_fail (node, error->code, "%s", error->message);
      return given;
    }

  if (is_bool)
    for (gsize i = 0; i < size; i++)
      ((guint8 *) copy->data)[i] = ((const guint8 *) given->data)[i] != 0;
  else
    memcpy (copy->data, given->data, size);

  acc_buffer_unref (given);
  return copy;
}

static gboolean
check_given (AccArray *node,
             guint     buffer,
             guint64   expected,
             guint64   given)
{
  g_autofree char *text = NULL;

  if (expected == given)
    return TRUE;

  text = acc_shape_to_string (node->shape);
  return acc_array_fail (node, ACC_ERROR_SHAPE,
                         "buffer %u of %s %s needs %" G_GUINT64_FORMAT " bytes, not %" G_GUINT64_FORMAT,
                         buffer, acc_element_type_get_code (node->type), text, expected, given);
}

/**
 * acc_array_use:
 * @type: the element type
 * @shape: the extents
 * @bytes: the elements, row-major and contiguous, in the machine's byte order; of tuples, all of the first buffer, then all
 *   of the second …
 *
 * Creates an array of elements that lie in memory. It keeps @bytes and does not copy them where they are aligned to the
 * elements. In a bool any byte but 0 counts as true.
 *
 * Takes constant time where the data is aligned to its elements and not of b1, else time linear in its size. The result
 * carries %ACC_ERROR_SHAPE where the number of bytes does not fit @type and @shape, %ACC_ERROR_OUT_OF_MEMORY where there is
 * no memory for a copy.
 *
 * ```c
 * static const float values[] = { 1, 2, 3, 4, 5, 6 };
 * g_autoptr(GBytes) bytes = g_bytes_new_static (values, sizeof values);
 * g_autoptr(AccShape) shape = acc_shape_new_matrix (2, 3);
 * g_autoptr(AccArray) matrix = acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes); // → [[1, 2, 3], [4, 5, 6]]
 * ```
 *
 * Returns: (transfer full): a manifest array
 */
AccArray *
acc_array_use (AccElementType *type,
               AccShape       *shape,
               GBytes         *bytes)
{
  g_autoptr(AccArray) node = begin_manifest (type, shape);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gsize offset = 0;
  guint n_buffers;

  if (node->error == NULL && bytes == NULL)
    acc_array_fail_argument (node, "data");

  if (node->error != NULL)
    return complete_manifest (g_steal_pointer (&node));

  n_buffers = acc_element_type_get_n_buffers (type);

  if (n_buffers != 1)
    {
      guint64 expected = acc_shape_get_size (node->shape) * acc_element_type_get_size (type);

      if (expected != g_bytes_get_size (bytes))
        {
          g_autofree char *text = acc_shape_to_string (node->shape);

          acc_array_fail (node, ACC_ERROR_SHAPE, "%s %s needs %" G_GUINT64_FORMAT " bytes, not %" G_GSIZE_FORMAT,
                          acc_element_type_get_code (type), text, expected, g_bytes_get_size (bytes));
          return complete_manifest (g_steal_pointer (&node));
        }
    }

  for (guint i = 0; i < n_buffers; i++)
    {
      gsize size = n_buffers == 1 ? g_bytes_get_size (bytes) : get_size (node, i);

      g_ptr_array_add (buffers, g_bytes_new_from_bytes (bytes, offset, size));
      offset += size;
    }

  return acc_array_use_buffers (type, shape, (GBytes **) buffers->pdata, n_buffers);
}

/**
 * acc_array_use_buffers:
 * @type: the element type
 * @shape: the extents
 * @buffers: (array length=n_buffers): the elements, row-major and contiguous: one run of bytes per buffer of @type, from
 *   left to right; see acc_element_type_get_buffer()
 * @n_buffers: the number of buffers
 *
 * Creates an array of elements that lie in memory, with the buffers of a tuple given separately. Works as [func@Array.use]
 * does otherwise.
 *
 * Takes constant time where the data is aligned to its elements and not of b1, else time linear in its size. The result
 * carries %ACC_ERROR_TYPE where @type has another number of buffers, %ACC_ERROR_SHAPE where the size of a buffer does not
 * fit @type and @shape.
 *
 * ```c
 * static const gint64 counts[] = { 1, 2 };
 * static const double weights[] = { 0.5, 0.25 };
 * g_autoptr(GBytes) first = g_bytes_new_static (counts, sizeof counts);
 * g_autoptr(GBytes) second = g_bytes_new_static (weights, sizeof weights);
 * g_autoptr(AccElementType) type = acc_element_type_parse ("(i8,f8)", NULL);
 * g_autoptr(AccShape) shape = acc_shape_new_vector (2);
 * g_autoptr(AccArray) pairs = acc_array_use_buffers (type, shape, (GBytes *[]) { first, second }, 2); // → [(1, 0.5), (2, 0.25)]
 * ```
 *
 * Returns: (transfer full): a manifest array
 */
AccArray *
acc_array_use_buffers (AccElementType  *type,
                       AccShape        *shape,
                       GBytes         **buffers,
                       guint            n_buffers)
{
  AccArray *node = begin_manifest (type, shape);
  AccBuffer **adopted;
  guint n_needed;

  if (node->error != NULL)
    return complete_manifest (node);

  n_needed = acc_element_type_get_n_buffers (type);

  if (buffers == NULL)
    n_buffers = 0;

  if (n_buffers != n_needed)
    {
      acc_array_fail (node, ACC_ERROR_TYPE, "%s has %u buffers, not %u", acc_element_type_get_code (type), n_needed, n_buffers);
      return complete_manifest (node);
    }

  for (guint i = 0; i < n_buffers; i++)
    if (buffers[i] == NULL)
      acc_array_fail_argument (node, "data");
    else
      check_given (node, i, get_size (node, i), g_bytes_get_size (buffers[i]));

  if (node->error != NULL)
    return complete_manifest (node);

  node->payload = adopted = g_new (AccBuffer *, n_buffers + 1);
  for (guint i = 0; i < n_buffers; i++)
    adopted[i] = acc_buffer_new_bytes (buffers[i]);
  for (guint i = 0; i < n_buffers; i++)
    adopted[i] = adopt (node, i, adopted[i], get_size (node, i));

  if (node->error != NULL)
    {
      for (guint i = 0; i < n_buffers; i++)
        acc_buffer_unref (adopted[i]);
      g_clear_pointer (&node->payload, g_free);
    }

  return complete_manifest (node);
}

/**
 * acc_array_use_address:
 * @type: an element type of one buffer, not a tuple
 * @shape: the extents
 * @address: the address of the elements, row-major and contiguous, in the machine's byte order
 * @size: the number of bytes there
 * @user_data: data for @notify
 * @notify: (nullable) (destroy user_data): called once, when the memory is not needed any more, from whichever thread
 *   releases it last; before this function returns where the array carries an error or the data had to be copied
 *
 * Creates an array of memory that the caller owns. It does not copy the memory where that is aligned to the elements. The
 * memory must not change before @notify is called.
 *
 * Takes constant time where the data is aligned to its elements and not of b1, else time linear in its size. The result
 * carries %ACC_ERROR_SHAPE where @size is not the number of bytes that @shape needs, %ACC_ERROR_TYPE where @type is a
 * tuple, %ACC_ERROR_OUT_OF_MEMORY where there is no memory for a copy.
 *
 * ```c
 * gint32 *values = g_new (gint32, 3);
 * g_autoptr(AccShape) shape = acc_shape_new_vector (3);
 *
 * for (int i = 0; i < 3; i++)
 *   values[i] = 10 * i;
 *
 * g_autoptr(AccArray) tens = acc_array_use_address (acc_element_type_new (ACC_KIND_I32), shape, (gsize) values, 3 * sizeof *values,
 *                                                   values, g_free); // → [0, 10, 20]
 * ```
 *
 * Returns: (transfer full): a manifest array
 */
AccArray *
acc_array_use_address (AccElementType *type,
                       AccShape       *shape,
                       guint64         address,
                       guint64         size,
                       gpointer        user_data,
                       GDestroyNotify  notify)
{
  AccArray *node = begin_manifest (type, shape);
  g_autoptr(AccBuffer) buffer = acc_buffer_new ((gpointer) (guintptr) address, size, notify, user_data);

  if (node->error == NULL && acc_element_type_is_tuple (type))
    acc_array_fail (node, ACC_ERROR_TYPE, "%s is a tuple type, whose memory is not in one piece", acc_element_type_get_code (type));

  if (node->error == NULL && check_given (node, 0, get_size (node, 0), size) && address == 0 && size > 0)
    acc_array_fail_argument (node, "data");

  if (node->error == NULL)
    {
      buffer = adopt (node, 0, g_steal_pointer (&buffer), size);

      if (node->error == NULL)
        {
          node->payload = g_new (AccBuffer *, 1);
          acc_array_get_buffers (node)[0] = g_steal_pointer (&buffer);
        }
    }

  return complete_manifest (node);
}

/**
 * acc_array_use_owned:
 * @type: an element type of one buffer, not a tuple
 * @shape: the extents
 * @address: the address of the elements, row-major and contiguous, in the machine's byte order
 * @size: the number of bytes there
 * @owner: the object that owns the memory; released, from whichever thread, when the memory is not needed any more
 *
 * Creates an array of memory that an object owns. It is acc_array_use_address() for languages whose memory belongs to
 * objects.
 *
 * Behaves otherwise as [func@Array.use_address].
 *
 * ```c
 * g_autoptr(GFile) owner = g_file_new_for_path ("/");    // any object that keeps the memory
 * static const gint32 values[] = { 1, 2, 3 };
 * g_autoptr(AccShape) shape = acc_shape_new_vector (3);
 * g_autoptr(AccArray) array = acc_array_use_owned (acc_element_type_new (ACC_KIND_I32), shape, (gsize) values, sizeof values,
 *                                                  G_OBJECT (owner)); // → [1, 2, 3]
 * ```
 *
 * Returns: (transfer full): a manifest array
 */
AccArray *
acc_array_use_owned (AccElementType *type,
                     AccShape       *shape,
                     guint64         address,
                     guint64         size,
                     GObject        *owner)
{
  return acc_array_use_address (type, shape, address, size, g_object_ref (owner), g_object_unref);
}

static gboolean
check_manifest (AccArray  *self,
                GError   **error)
{
  g_autofree char *description = NULL;

  if (!acc_array_check (self, error))
    return FALSE;
  if (acc_array_get_buffers (self) != NULL)
    return TRUE;

  description = acc_array_describe (self);
  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: its elements are not in memory: run it first", description);
  return FALSE;
}

static gboolean
check_number (AccArray  *self,
              guint      buffer,
              GError   **error)
{
  g_autofree char *description = NULL;

  if (buffer < acc_element_type_get_n_buffers (self->type))
    return TRUE;

  description = acc_array_describe (self);
  g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS, "%s: %s has no buffer %u", description,
               acc_element_type_get_code (self->type), buffer);
  return FALSE;
}

/**
 * acc_array_dup_bytes:
 * @self: a manifest array
 * @buffer: the number of a buffer of the element type; 0 unless it is a tuple
 * @error: return location for an error
 *
 * Returns the elements as bytes in memory, row-major and contiguous. It does not copy them; what a device computed is
 * fetched first.
 *
 * Fails with %ACC_ERROR_UNSUPPORTED where @self is not manifest, %ACC_ERROR_BOUNDS where the element type has no such
 * buffer, and with the error of the device where the elements cannot be fetched. An array that carries an error gives that.
 *
 * Returns: (transfer full) (nullable): the bytes, or %NULL with @error set
 */
GBytes *
acc_array_dup_bytes (AccArray  *self,
                     guint      buffer,
                     GError   **error)
{
  AccBuffer *memory;
  gpointer data;

  g_return_val_if_fail (ACC_IS_ARRAY (self), NULL);

  if (!check_manifest (self, error) || !check_number (self, buffer, error))
    return NULL;

  memory = acc_array_get_buffers (self)[buffer];
  data = acc_buffer_map (memory, error);
  if (data == NULL)
    return NULL;

  return g_bytes_new_with_free_func (data, get_size (self, buffer),
                                     (GDestroyNotify) acc_buffer_unref, acc_buffer_ref (memory));
}

/**
 * acc_array_get_address:
 * @self: a manifest array
 * @buffer: the number of a buffer of the element type; 0 unless it is a tuple
 *
 * Returns the address of the elements in memory, row-major and contiguous. The address is valid while @self lives. What a
 * device computed is fetched first.
 *
 * Returns: the address; 0 where there are no elements in memory, or the device has lost them: [method@Array.dup_bytes] says
 *   why
 */
guint64
acc_array_get_address (AccArray *self,
                       guint     buffer)
{
  g_return_val_if_fail (ACC_IS_ARRAY (self), 0);

  if (!check_manifest (self, NULL) || !check_number (self, buffer, NULL))
    return 0;

  if (get_size (self, buffer) == 0)
    return (guintptr) acc_array_get_buffers (self)[buffer]->data;

  return (guintptr) acc_buffer_map (acc_array_get_buffers (self)[buffer], NULL);
}
