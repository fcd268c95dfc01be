/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-values-private.h"

#include <string.h>

/* Nested arrays as arrays of variants, and back. */

/* Elements from @begin to @end; @signature is that of all of them. */
static GVariant *
elements_to_variant (AccNestedArray  *self,
                     gint64           begin,
                     gint64           end,
                     const char      *signature,
                     GError         **error)
{
  g_autoptr(GPtrArray) children = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  g_autoptr(GVariantType) type = g_variant_type_new (signature + 1);
  AccNestedArray *inner = acc_nested_array_get_inner (self);
  AccArray *groups = acc_nested_array_get_groups (self);

  for (gint64 k = begin; k < end; k++)
    {
      g_autoptr(AccArray) element = NULL;
      GVariant *child;

      if (inner != NULL)
        child = elements_to_variant (inner, acc_array_read (groups, 0, k).i, acc_array_read (groups, 0, k + 1).i, signature + 1, error);
      else
        {
          element = acc_nested_array_take_element (self, k, error);
          child = element != NULL ? acc_array_to_variant (element, error) : NULL;
        }
      if (child == NULL)
        return NULL;
      g_ptr_array_add (children, child);
    }

  return g_variant_ref_sink (g_variant_new_array (type, (GVariant **) children->pdata, children->len));
}

/**
 * acc_nested_array_to_variant:
 * @self: a nested array that is manifest
 * @error: return location for an error
 *
 * Returns all elements as an array of variants, each a nested array of its own for its levels, and as from [method@Array.to_variant] for
 * its dimensions: `aad` of vectors of floats.
 *
 * Takes time linear in the number of values, and is meant for small arrays. Fails with %ACC_ERROR_UNSUPPORTED where @self is not manifest,
 * or has more levels than a variant can nest.
 *
 * Returns: (transfer full) (nullable): the elements, or %NULL with @error set
 */
GVariant *
acc_nested_array_to_variant (AccNestedArray  *self,
                             GError         **error)
{
  g_autoptr(GString) signature = NULL;
  AccLifted *lifted;
  AccArray *groups;
  guint n;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  if (!acc_nested_array_check (self, error))
    return NULL;
  if (!acc_nested_array_is_manifest (self))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "nested_array_to_variant: its elements are not in memory: run it first");
      return NULL;
    }

  lifted = acc_nested_array_get_lifted (self);
  signature = g_string_new (NULL);
  n = acc_nested_array_get_depth (self) + lifted->rank;
  for (guint i = 0; i < n && i < 256; i++)
    g_string_append_c (signature, 'a');
  acc_array_append_signature (signature, lifted->values->type);
  if (!g_variant_type_string_is_valid (signature->str))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "nested_array_to_variant: a variant cannot nest as deeply");
      return NULL;
    }

  groups = acc_nested_array_get_groups (self);

  return elements_to_variant (self, 0, groups != NULL ? acc_shape_get_size (groups->shape) - 1
                              : acc_shape_get_extent (acc_nested_array_get_count (self)->shape, 0), signature->str, error);
}

/* --- and back */

static gboolean
read_scalar (AccElementKind   kind,
             GVariant        *variant,
             AccScalar       *value,
             GError         **error)
{
  switch (kind)
    {
    case ACC_KIND_BOOL: value->u = g_variant_get_boolean (variant); return TRUE;
    case ACC_KIND_I8:
      value->i = g_variant_get_int16 (variant);
      if (value->i >= G_MININT8 && value->i <= G_MAXINT8)
        return TRUE;
      g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS, "nested_array_new_from_variant: %" G_GINT64_FORMAT " does not fit i1", value->i);
      return FALSE;
    case ACC_KIND_I16: value->i = g_variant_get_int16 (variant); return TRUE;
    case ACC_KIND_I32: value->i = g_variant_get_int32 (variant); return TRUE;
    case ACC_KIND_I64: value->i = g_variant_get_int64 (variant); return TRUE;
    case ACC_KIND_U8: value->u = g_variant_get_byte (variant); return TRUE;
    case ACC_KIND_U16: value->u = g_variant_get_uint16 (variant); return TRUE;
    case ACC_KIND_U32: value->u = g_variant_get_uint32 (variant); return TRUE;
    case ACC_KIND_U64: value->u = g_variant_get_uint64 (variant); return TRUE;
    case ACC_KIND_F16:
    case ACC_KIND_F32:
    case ACC_KIND_F64: *value = acc_scalar_from_double (kind, g_variant_get_double (variant)); return TRUE;
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR: break;
    }

  g_return_val_if_reached (FALSE);
}

/* The leaves of @part from @leaf on, which is counted up, into number @index of the buffers of @type. */
static gboolean
store_element (AccElementType  *type,
               GVariant        *part,
               guint           *leaf,
               guint8         **buffers,
               gint64           index,
               GError         **error)
{
  const AccLeafPlace *place;
  AccScalar value;

  if (g_variant_is_container (part))
    {
      gsize n = g_variant_n_children (part);

      for (gsize i = 0; i < n; i++)
        {
          g_autoptr(GVariant) item = g_variant_get_child_value (part, i);

          if (!store_element (type, item, leaf, buffers, index, error))
            return FALSE;
        }
      return TRUE;
    }

  place = acc_element_type_locate (type, (*leaf)++);
  if (!read_scalar (place->kind, part, &value, error))
    return FALSE;
  acc_scalar_store (place->kind, buffers[place->buffer], index * place->lanes + place->lane, value);

  return TRUE;
}

static AccArray *
use_elements (AccElementType  *type,
              GPtrArray       *elements,
              GError         **error)
{
  guint n_buffers = acc_element_type_get_n_buffers (type);
  g_autofree guint8 **buffers = g_new0 (guint8 *, n_buffers + 1);
  g_autoptr(GPtrArray) bytes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr(AccShape) shape = acc_shape_new_vector (elements->len);
  g_autoptr(AccArray) values = NULL;

  for (guint i = 0; i < n_buffers; i++)
    {
      gsize size = elements->len * acc_element_type_get_buffer_size (type, i);

      buffers[i] = g_malloc0 (size + 1);
      g_ptr_array_add (bytes, g_bytes_new_take (buffers[i], size));
    }
  for (guint i = 0; i < elements->len; i++)
    {
      guint leaf = 0;

      if (!store_element (type, g_ptr_array_index (elements, i), &leaf, buffers, i, error))
        return NULL;
    }
  values = acc_array_use_buffers (type, shape, (GBytes **) bytes->pdata, n_buffers);

  return acc_array_check (values, error) ? g_steal_pointer (&values) : NULL;
}

/* What is in the containers of @items, taken over, and where each begins. */
static GPtrArray *
enter (GPtrArray  *items,
       AccArray  **offsets)
{
  g_autoptr(GPtrArray) own = items;
  GPtrArray *children = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  gint64 *ends = g_new0 (gint64, own->len + 1);

  for (guint k = 0; k < own->len; k++)
    {
      gsize n = g_variant_n_children (g_ptr_array_index (own, k));

      for (gsize i = 0; i < n; i++)
        g_ptr_array_add (children, g_variant_get_child_value (g_ptr_array_index (own, k), i));
      ends[k + 1] = children->len;
    }
  *offsets = acc_nested_array_use_numbers (ends, own->len + 1);

  return children;
}

/**
 * acc_nested_array_new_from_variant:
 * @type: the element type
 * @variant: an array of scalars or tuples as from [method@Array.dup_value], or arrays of arrays of these
 * @error: return location for an error
 *
 * Reads a nested array from arrays of variants. Elements are vectors, with a level for each array around them; those of an array alone have
 * rank 0.
 *
 * Takes time linear in the number of values. Fails with %ACC_ERROR_TYPE where @variant is no array of what @type needs, and with
 * %ACC_ERROR_BOUNDS where a number does not fit @type.
 *
 * Returns: (transfer full) (nullable): a manifest nested array, or %NULL with @error set
 */
AccNestedArray *
acc_nested_array_new_from_variant (AccElementType  *type,
                                   GVariant        *variant,
                                   GError         **error)
{
  g_autoptr(GString) signature = NULL;
  g_autoptr(GPtrArray) items = NULL, levels = NULL;
  g_autoptr(AccArray) values = NULL;
  const char *given;
  AccNestedArray *made;
  AccArray *offsets;
  guint n;

  g_return_val_if_fail (type != NULL, NULL);
  g_return_val_if_fail (variant != NULL, NULL);

  given = g_variant_get_type_string (variant);
  signature = g_string_new (NULL);
  acc_array_append_signature (signature, type);
  n = strspn (given, "a");
  if (n == 0 || strcmp (given + n, signature->str) != 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "nested_array_new_from_variant: a variant of type “%s” is no array of “%s” for %s",
                   given, signature->str, acc_element_type_get_code (type));
      return NULL;
    }

  items = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  levels = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (items, g_variant_ref_sink (variant));
  for (guint i = 0; i < n; i++)
    {
      items = enter (g_steal_pointer (&items), &offsets);
      g_ptr_array_add (levels, offsets);
    }
  values = use_elements (type, items, error);
  if (values == NULL)
    return NULL;
  if (n == 1)
    return acc_nested_array_new_for_lifted (acc_lifted_new_regular (g_object_ref (values)), g_object_ref (values));

  offsets = g_ptr_array_index (levels, n - 1);
  made = acc_nested_array_new_for_lifted (acc_lifted_new_irregular (acc_nesting_new (1, g_object_ref (offsets), NULL),
                                                                    g_object_ref (values)),
                                          acc_nested_array_use_lengths (offsets));
  for (guint i = n - 2; i > 0; i--)
    made = acc_nested_array_new_for_groups (made, g_object_ref (g_ptr_array_index (levels, i)));

  return made;
}
