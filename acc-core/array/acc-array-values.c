/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-values-private.h"
#include "acc-error.h"

#include <math.h>
#include <string.h>

AccArray *
acc_array_see_as (AccArray *self, AccShape *shape)
{
  guint n_buffers = acc_element_type_get_n_buffers (self->type);
  g_autofree AccBuffer **buffers = g_new0 (AccBuffer *, n_buffers + 1);

  for (guint i = 0; i < n_buffers; i++)
    buffers[i] = acc_buffer_ref (acc_array_get_buffers (self)[i]);

  return acc_array_new_manifest (self->type, shape, buffers);
}

AccScalar
acc_array_read (AccArray *self,
                guint     leaf,
                gint64    index)
{
  const AccLeafPlace *place = acc_element_type_locate (self->type, leaf);
  const guint8 *data = acc_buffer_map (acc_array_get_buffers (self)[place->buffer], NULL);

  if (data == NULL)
    return (AccScalar) { .u = 0 };

  return acc_scalar_load (place->kind, data, index * place->lanes + place->lane);
}

gboolean
acc_array_peek (AccArray  *self,
                guint      leaf,
                gint64     index,
                AccScalar *value,
                GError   **error)
{
  const AccLeafPlace *place = acc_element_type_locate (self->type, leaf);
  gsize size = acc_element_kind_get_size (place->kind);
  guint64 bytes[2];

  if (!acc_buffer_peek (acc_array_get_buffers (self)[place->buffer], (gsize) (index * place->lanes + place->lane) * size, size, bytes,
                        error))
    return FALSE;
  *value = acc_scalar_load (place->kind, bytes, 0);

  return TRUE;
}

static gboolean
is_inside (AccArray *self,
           guint     leaf,
           gint64    index)
{
  AccBuffer **buffers = acc_array_get_buffers (self);

  return buffers != NULL && leaf < acc_element_type_get_n_leaves (self->type) &&
         index >= 0 && index < acc_shape_get_size (self->shape)
         && acc_buffer_map (buffers[acc_element_type_locate (self->type, leaf)->buffer], NULL) != NULL;
}

/**
 * acc_array_get_double:
 * @self: a manifest array
 * @leaf: the number of a scalar of the element type, nested tuples flattened; of complex numbers 0 is the real part
 * @linear_index: the row-major index of an element
 *
 * Returns one scalar of an element as a double. Takes constant time; what a device computed is fetched first.
 *
 * Returns: the value; NaN where @self is not manifest or has no such scalar
 */
double
acc_array_get_double (AccArray *self,
                      guint     leaf,
                      gint64    linear_index)
{
  AccElementKind kind;
  AccScalar value;

  g_return_val_if_fail (ACC_IS_ARRAY (self), NAN);

  if (!is_inside (self, leaf, linear_index))
    return NAN;

  kind = acc_element_type_get_leaf (self->type, leaf);
  value = acc_array_read (self, leaf, linear_index);

  return acc_scalar_to_double (kind, value);
}

/**
 * acc_array_get_int:
 * @self: a manifest array
 * @leaf: the number of a scalar of the element type, nested tuples flattened; of complex numbers 0 is the real part
 * @linear_index: the row-major index of an element
 *
 * Returns one scalar of an element as an integer. Floats are truncated toward 0, and values out of range become the nearest
 * integer in range (NaN: 0). Takes constant time; what a device computed is fetched first.
 *
 * Returns: the value; 0 where @self is not manifest or has no such scalar
 */
gint64
acc_array_get_int (AccArray *self,
                   guint     leaf,
                   gint64    linear_index)
{
  AccElementKind kind;
  AccScalar value;

  g_return_val_if_fail (ACC_IS_ARRAY (self), 0);

  if (!is_inside (self, leaf, linear_index))
    return 0;

  kind = acc_element_type_get_leaf (self->type, leaf);
  value = acc_array_read (self, leaf, linear_index);

  if (acc_element_kind_is_float (kind))
    return acc_scalar_cast (kind, ACC_KIND_I64, value).i;

  return acc_element_kind_is_signed (kind) || value.u <= G_MAXINT64 ? value.i : G_MAXINT64;
}

static GVariant *
scalar_to_variant (AccElementKind kind,
                   AccScalar      value)
{
  switch (kind)
    {
    case ACC_KIND_BOOL: return g_variant_new_boolean (value.u != 0);
    case ACC_KIND_I8:
    case ACC_KIND_I16: return g_variant_new_int16 (value.i);
    case ACC_KIND_I32: return g_variant_new_int32 (value.i);
    case ACC_KIND_I64: return g_variant_new_int64 (value.i);
    case ACC_KIND_U8: return g_variant_new_byte (value.u);
    case ACC_KIND_U16: return g_variant_new_uint16 (value.u);
    case ACC_KIND_U32: return g_variant_new_uint32 (value.u);
    case ACC_KIND_U64: return g_variant_new_uint64 (value.u);
    case ACC_KIND_F16:
    case ACC_KIND_F32:
    case ACC_KIND_F64: return g_variant_new_double (acc_scalar_to_double (kind, value));
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR: break;
    }

  g_return_val_if_reached (NULL);
}

void
acc_array_append_signature (GString        *text,
                            AccElementType *type)
{
  static const char codes[] = { 'b', 'n', 'n', 'i', 'x', 'y', 'q', 'u', 't', 'd', 'd', 'd' };

  if (acc_element_type_is_scalar (type))
    {
      g_string_append_c (text, codes[acc_element_type_get_kind (type)]);
      return;
    }

  g_string_append_c (text, '(');
  for (guint i = 0; i < acc_element_type_get_n_items (type); i++)
    acc_array_append_signature (text, acc_element_type_get_item (type, i));
  g_string_append_c (text, ')');
}

static GVariant *
element_to_variant (AccArray       *self,
                    AccElementType *type,
                    guint          *leaf,
                    gint64          index)
{
  g_autofree GVariant **items = NULL;
  guint n_items;

  if (acc_element_type_is_scalar (type))
    {
      guint number = (*leaf)++;

      return scalar_to_variant (acc_element_type_get_kind (type), acc_array_read (self, number, index));
    }

  n_items = acc_element_type_get_n_items (type);
  items = g_new (GVariant *, n_items + 1);
  for (guint i = 0; i < n_items; i++)
    items[i] = element_to_variant (self, acc_element_type_get_item (type, i), leaf, index);

  return g_variant_new_tuple (items, n_items);
}

static gboolean
check_values (AccArray  *self,
              GError   **error)
{
  g_autofree char *description = NULL;

  if (!acc_array_check (self, error))
    return FALSE;

  description = acc_array_describe (self);
  if (acc_array_get_buffers (self) == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: its elements are not in memory: run it first", description);
      return FALSE;
    }

  for (guint i = 0; i < acc_element_type_get_n_buffers (self->type); i++)
    if (acc_buffer_map (acc_array_get_buffers (self)[i], error) == NULL)
      {
        g_prefix_error (error, "%s: ", description);
        return FALSE;
      }

  return TRUE;
}

/**
 * acc_array_dup_value:
 * @self: a manifest array
 * @index: (array length=n_index) (nullable): the index, outermost first
 * @n_index: the rank of @self
 * @error: return location for an error
 *
 * Returns one element as a variant. Scalars become the variant types b (bool), n (i1, i2), i (i4), x (i8), y (u1), q (u2),
 * u (u4), t (u8) and d (all floats); tuples, complex numbers and vectors become tuples of these.
 *
 * Fails with %ACC_ERROR_UNSUPPORTED where @self is not manifest, %ACC_ERROR_SHAPE where @n_index is not its rank,
 * %ACC_ERROR_BOUNDS where the index is outside. Takes constant time.
 *
 * Returns: (transfer full) (nullable): the element, or %NULL with @error set
 */
GVariant *
acc_array_dup_value (AccArray      *self,
                     const gint64  *index,
                     guint          n_index,
                     GError       **error)
{
  g_autofree char *description = NULL;
  gint64 linear = 0;
  guint leaf = 0;

  g_return_val_if_fail (ACC_IS_ARRAY (self), NULL);
  g_return_val_if_fail (index != NULL || n_index == 0, NULL);

  if (!check_values (self, error))
    return NULL;

  description = acc_array_describe (self);

  if (n_index != self->rank)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s: an index of %u entries does not fit an array of rank %u",
                   description, n_index, self->rank);
      return NULL;
    }

  for (guint i = 0; i < n_index; i++)
    {
      gint64 extent = acc_shape_get_extent (self->shape, i);

      if (index[i] < 0 || index[i] >= extent)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS,
                       "%s: index %" G_GINT64_FORMAT " is outside dimension %u of extent %" G_GINT64_FORMAT,
                       description, index[i], i, extent);
          return NULL;
        }
    }

  if (acc_shape_get_size (self->shape) == 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS, "%s: it has no elements", description);
      return NULL;
    }

  for (guint i = 0; i < n_index; i++)
    linear = linear * acc_shape_get_extent (self->shape, i) + index[i];

  return g_variant_ref_sink (element_to_variant (self, self->type, &leaf, linear));
}

static GVariant *
rows_to_variant (AccArray *self,
                 guint     dimension,
                 gint64    offset,
                 gint64    size,
                 GString  *signature)
{
  g_autoptr(GVariantType) child = NULL;
  g_autofree GVariant **children = NULL;
  GVariant *result;
  guint leaf = 0;
  gint64 extent, step;

  if (dimension == self->rank)
    return element_to_variant (self, self->type, &leaf, offset);

  extent = size > 0 ? acc_shape_get_extent (self->shape, dimension) : 0;
  step = size / MAX (extent, 1);
  children = g_new (GVariant *, extent + 1);

  for (gint64 i = 0; i < extent; i++)
    children[i] = rows_to_variant (self, dimension + 1, offset + i * step, step, signature);

  child = g_variant_type_new (signature->str + dimension + 1);
  result = g_variant_new_array (child, children, extent);

  return result;
}

/**
 * acc_array_to_variant:
 * @self: a manifest array
 * @error: return location for an error
 *
 * Returns all elements as nested arrays of variants, one level per dimension, each element as from
 * [method@Array.dup_value]. An array of rank 0 gives its element alone; one without elements gives an empty outermost
 * array.
 *
 * Takes time linear in the number of elements, and is meant for small arrays: it copies every element, where
 * [method@Array.dup_bytes] does not. Fails with %ACC_ERROR_UNSUPPORTED where @self is not manifest, or has more levels than
 * a variant can nest.
 *
 * Returns: (transfer full) (nullable): the elements, or %NULL with @error set
 */
GVariant *
acc_array_to_variant (AccArray  *self,
                      GError   **error)
{
  g_autoptr(GString) signature = g_string_new (NULL);

  g_return_val_if_fail (ACC_IS_ARRAY (self), NULL);

  if (!check_values (self, error))
    return NULL;

  for (guint i = 0; i < self->rank; i++)
    g_string_append_c (signature, 'a');
  acc_array_append_signature (signature, self->type);

  if (!g_variant_type_string_is_valid (signature->str))
    {
      g_autofree char *description = acc_array_describe (self);

      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: a variant cannot nest as deeply", description);
      return NULL;
    }

  return g_variant_ref_sink (rows_to_variant (self, 0, 0, acc_shape_get_size (self->shape), signature));
}
