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
get_leaf_size (AccArray *node,
               guint     leaf)
{
  return acc_shape_get_size (node->shape) * acc_element_kind_get_size (acc_element_type_get_leaf (node->type, leaf));
}

AccArray *
acc_array_new_manifest (AccElementType  *type,
                        AccShape        *shape,
                        AccBuffer      **leaves)
{
  AccArray *node = begin_manifest (type, shape);
  guint n_leaves = acc_element_type_get_n_leaves (type);

  if (node->error == NULL)
    {
      node->leaves = g_new (AccBuffer *, n_leaves + 1);
      memcpy (node->leaves, leaves, n_leaves * sizeof (AccBuffer *));
    }
  else
    {
      for (guint i = 0; i < n_leaves; i++)
        acc_buffer_unref (leaves[i]);
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

/* @given itself where kernels can read it as it is, else an aligned, normalised copy. Takes @given. */
static AccBuffer *
adopt (AccArray       *node,
       AccElementKind  kind,
       AccBuffer      *given,
       gsize           size)
{
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
             guint     leaf,
             guint64   expected,
             guint64   given)
{
  g_autofree char *text = NULL;

  if (expected == given)
    return TRUE;

  text = acc_shape_to_string (node->shape);
  return acc_array_fail (node, ACC_ERROR_SHAPE,
                         "scalar %u of %s %s needs %" G_GUINT64_FORMAT " bytes, not %" G_GUINT64_FORMAT,
                         leaf, acc_element_type_get_code (node->type), text, expected, given);
}

/**
 * acc_array_use:
 * @type: the element type
 * @shape: the extents
 * @bytes: the elements, row-major and dense, in the machine's byte order; of tuples, all of the first scalar, then all of
 *   the second …
 *
 * An array of data in memory. @bytes is kept, not copied, where it is aligned to its elements. In a bool any byte but 0
 * counts as true. A size that does not fit @type and @shape is %ACC_ERROR_SHAPE.
 *
 * In constant time where the data is aligned to its elements and not of b1, else linear in its size.
 *
 * Returns: (transfer full): a manifest array
 *
 * Since: 1.0
 */
AccArray *
acc_array_use (AccElementType *type,
               AccShape       *shape,
               GBytes         *bytes)
{
  g_autoptr(AccArray) node = begin_manifest (type, shape);
  g_autoptr(GPtrArray) leaves = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gsize offset = 0;
  guint n_leaves;

  if (node->error == NULL && bytes == NULL)
    acc_array_fail_argument (node, "data");

  if (node->error != NULL)
    return complete_manifest (g_steal_pointer (&node));

  n_leaves = acc_element_type_get_n_leaves (type);

  if (n_leaves != 1)
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

  for (guint i = 0; i < n_leaves; i++)
    {
      gsize size = n_leaves == 1 ? g_bytes_get_size (bytes) : get_leaf_size (node, i);

      g_ptr_array_add (leaves, g_bytes_new_from_bytes (bytes, offset, size));
      offset += size;
    }

  return acc_array_use_leaves (type, shape, (GBytes **) leaves->pdata, n_leaves);
}

/**
 * acc_array_use_leaves:
 * @type: the element type
 * @shape: the extents
 * @leaves: (array length=n_leaves): the elements, row-major and dense: one run of bytes per scalar of @type, from left to
 *   right, nested tuples flattened
 * @n_leaves: how many
 *
 * As [func@Array.use], with every scalar of a tuple apart.
 *
 * In constant time where the data is aligned to its elements and not of b1, else linear in its size.
 *
 * Returns: (transfer full): a manifest array
 *
 * Since: 1.0
 */
AccArray *
acc_array_use_leaves (AccElementType  *type,
                      AccShape        *shape,
                      GBytes         **leaves,
                      guint            n_leaves)
{
  AccArray *node = begin_manifest (type, shape);
  guint n_needed;

  if (node->error != NULL)
    return complete_manifest (node);

  n_needed = acc_element_type_get_n_leaves (type);

  if (leaves == NULL)
    n_leaves = 0;

  if (n_leaves != n_needed)
    {
      acc_array_fail (node, ACC_ERROR_TYPE, "%s has %u scalars, not %u", acc_element_type_get_code (type), n_needed, n_leaves);
      return complete_manifest (node);
    }

  for (guint i = 0; i < n_leaves; i++)
    if (leaves[i] == NULL)
      acc_array_fail_argument (node, "data");
    else
      check_given (node, i, get_leaf_size (node, i), g_bytes_get_size (leaves[i]));

  if (node->error != NULL)
    return complete_manifest (node);

  node->leaves = g_new (AccBuffer *, n_leaves + 1);
  for (guint i = 0; i < n_leaves; i++)
    node->leaves[i] = acc_buffer_new_bytes (leaves[i]);
  for (guint i = 0; i < n_leaves; i++)
    node->leaves[i] = adopt (node, acc_element_type_get_leaf (type, i), node->leaves[i], get_leaf_size (node, i));

  if (node->error != NULL)
    {
      for (guint i = 0; i < n_leaves; i++)
        acc_buffer_unref (node->leaves[i]);
      g_clear_pointer (&node->leaves, g_free);
    }

  return complete_manifest (node);
}

/**
 * acc_array_use_address:
 * @type: a scalar element type
 * @shape: the extents
 * @address: where the elements are, row-major and dense, in the machine's byte order
 * @size: how many bytes lie there
 * @user_data: data for @notify
 * @notify: (nullable) (destroy user_data): called once, when the memory is not needed any more, from whichever thread
 *   releases it last; before this function returns where the array carries an error or the data had to be copied
 *
 * An array of data in memory that somebody else owns, not copied where it is aligned to its elements. The memory must
 * stay as it is until @notify.
 *
 * In constant time where the data is aligned to its elements and not of b1, else linear in its size. A @size that @shape
 * does not need is %ACC_ERROR_SHAPE, a tuple %ACC_ERROR_TYPE.
 *
 * Returns: (transfer full): a manifest array
 *
 * Since: 1.0
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
    acc_array_fail (node, ACC_ERROR_TYPE, "%s is not a scalar type", acc_element_type_get_code (type));

  if (node->error == NULL && check_given (node, 0, get_leaf_size (node, 0), size) && address == 0 && size > 0)
    acc_array_fail_argument (node, "data");

  if (node->error == NULL)
    {
      buffer = adopt (node, acc_element_type_get_kind (type), g_steal_pointer (&buffer), size);

      if (node->error == NULL)
        {
          node->leaves = g_new (AccBuffer *, 1);
          node->leaves[0] = g_steal_pointer (&buffer);
        }
    }

  return complete_manifest (node);
}

/**
 * acc_array_use_owned:
 * @type: a scalar element type
 * @shape: the extents
 * @address: where the elements are, row-major and dense, in the machine's byte order
 * @size: how many bytes lie there
 * @owner: an object that keeps the memory; released, from whichever thread, when the memory is not needed any more
 *
 * acc_array_use_address() for languages whose memory belongs to objects.
 *
 * In constant time where the data is aligned to its elements and not of b1, else linear in its size. A @size that @shape
 * does not need is %ACC_ERROR_SHAPE, a tuple %ACC_ERROR_TYPE.
 *
 * Returns: (transfer full): a manifest array
 *
 * Since: 1.0
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
  if (self->leaves != NULL)
    return TRUE;

  description = acc_array_describe (self);
  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: its elements are not in memory: run it first", description);
  return FALSE;
}

static gboolean
check_leaf_number (AccArray  *self,
                   guint      leaf,
                   GError   **error)
{
  g_autofree char *description = NULL;

  if (leaf < acc_element_type_get_n_leaves (self->type))
    return TRUE;

  description = acc_array_describe (self);
  g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS, "%s: %s has no scalar %u", description,
               acc_element_type_get_code (self->type), leaf);
  return FALSE;
}

/**
 * acc_array_get_bytes:
 * @self: a manifest array
 * @leaf: which scalar of the element type, nested tuples flattened; 0 for a scalar type
 * @error: return location for an error
 *
 * The elements as they lie in memory, row-major and dense; not copied.
 *
 * Returns: (transfer full) (nullable): the bytes, or %NULL with @error set
 */
GBytes *
acc_array_get_bytes (AccArray  *self,
                     guint      leaf,
                     GError   **error)
{
  AccBuffer *buffer;
  gpointer data;

  g_return_val_if_fail (ACC_IS_ARRAY (self), NULL);

  if (!check_manifest (self, error) || !check_leaf_number (self, leaf, error))
    return NULL;

  buffer = self->leaves[leaf];
  data = acc_buffer_map (buffer, error);
  if (data == NULL)
    return NULL;

  return g_bytes_new_with_free_func (data, get_leaf_size (self, leaf),
                                     (GDestroyNotify) acc_buffer_unref, acc_buffer_ref (buffer));
}

/**
 * acc_array_get_address:
 * @self: a manifest array
 * @leaf: which scalar of the element type, nested tuples flattened; 0 for a scalar type
 *
 * Where the elements lie, row-major and dense. Valid while @self lives. What a device computed is fetched first.
 *
 * Returns: the address; 0 where there are no elements in memory, or the device has lost them: [method@Array.get_bytes] says why
 */
guint64
acc_array_get_address (AccArray *self,
                       guint     leaf)
{
  g_return_val_if_fail (ACC_IS_ARRAY (self), 0);

  if (!check_manifest (self, NULL) || !check_leaf_number (self, leaf, NULL))
    return 0;

  if (get_leaf_size (self, leaf) == 0)
    return (guintptr) self->leaves[leaf]->data;

  return (guintptr) acc_buffer_map (self->leaves[leaf], NULL);
}
