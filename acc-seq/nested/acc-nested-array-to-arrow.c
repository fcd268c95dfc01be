/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"
#include "acc-arrow-private.h"

#include <string.h>

/* Nested arrays for others, by Arrow's C data interface. What is filled in here can be released at any time. */

/* --- structs that own what they point to */

static void
release_schema (struct ArrowSchema *schema)
{
  for (gint64 i = 0; i < schema->n_children; i++)
    {
      if (schema->children[i]->release != NULL)
        schema->children[i]->release (schema->children[i]);
      g_free (schema->children[i]);
    }
  g_free (schema->children);
  g_free ((char *) schema->format);
  g_free ((char *) schema->name);
  schema->release = NULL;
}

/* Takes over @format. */
static void
fill_schema (struct ArrowSchema *schema,
             char               *format,
             const char         *name,
             guint               n_children)
{
  *schema = (struct ArrowSchema) { .format = format, .name = g_strdup (name), .n_children = n_children, .release = release_schema };
  schema->children = g_new (struct ArrowSchema *, n_children + 1);
  for (guint i = 0; i < n_children; i++)
    schema->children[i] = g_new0 (struct ArrowSchema, 1);
}

static void
release_array (struct ArrowArray *array)
{
  for (gint64 i = 0; i < array->n_children; i++)
    {
      if (array->children[i]->release != NULL)
        array->children[i]->release (array->children[i]);
      g_free (array->children[i]);
    }
  g_free (array->children);
  g_free (array->buffers);
  g_clear_pointer ((GBytes **) &array->private_data, g_bytes_unref);
  array->release = NULL;
}

/* Takes over @data; NULL: there is no buffer but that of nulls, which nothing has. */
static void
fill_array (struct ArrowArray *array,
            gint64             length,
            GBytes            *data,
            guint              n_children)
{
  static const guint64 nothing = 0;

  *array = (struct ArrowArray) { .length = length, .n_buffers = data != NULL ? 2 : 1, .n_children = n_children, .private_data = data,
                                 .release = release_array };
  array->buffers = g_new0 (const void *, 2);
  if (data != NULL)
    array->buffers[1] = g_bytes_get_size (data) > 0 ? g_bytes_get_data (data, NULL) : &nothing;
  array->children = g_new (struct ArrowArray *, n_children + 1);
  for (guint i = 0; i < n_children; i++)
    array->children[i] = g_new0 (struct ArrowArray, 1);
}

/* --- values */

/* Where the next column goes, and what it is of. */
typedef struct {
  struct ArrowSchema *schema;
  struct ArrowArray  *array;
  const char         *name;
} Place;

static Place
child_of (Place       place,
          guint       i,
          const char *name)
{
  return (Place) { place.schema->children[i], place.array->children[i], name };
}

static Place
add_fixed (Place  place,
           gint64 length,
           gint64 each)
{
  fill_schema (place.schema, g_strdup_printf ("+w:%" G_GINT64_FORMAT, each), place.name, 1);
  fill_array (place.array, length, NULL, 1);

  return child_of (place, 0, "item");
}

static Place
add_list (Place   place,
          gint64  length,
          GBytes *offsets)
{
  fill_schema (place.schema, g_strdup ("+L"), place.name, 1);
  fill_array (place.array, length, offsets, 1);

  return child_of (place, 0, "item");
}

static GBytes *
pack_bits (GBytes *bytes)
{
  gsize n;
  const guint8 *data = g_bytes_get_data (bytes, &n);
  guint8 *bits = g_malloc0 (n / 8 + 1);

  for (gsize i = 0; i < n; i++)
    bits[i / 8] |= (data[i] != 0) << (i % 8);
  g_bytes_unref (bytes);

  return g_bytes_new_take (bits, n / 8 + 1);
}

/* The leaves of @type from buffer @buffer of @values on, which is counted up. */
static gboolean
add_values (AccArray       *values,
            AccElementType *type,
            guint          *buffer,
            gint64          length,
            Place           place,
            GError        **error)
{
  static const char *const formats[] = { "b", "c", "s", "i", "l", "C", "S", "I", "L", "e", "f", "g" };
  AccElementKind kind;
  GBytes *bytes;

  if (acc_element_type_is_tuple (type))
    {
      guint n = acc_element_type_get_n_items (type);

      fill_schema (place.schema, g_strdup ("+s"), place.name, n);
      fill_array (place.array, length, NULL, n);
      for (guint i = 0; i < n; i++)
        {
          g_autofree char *name = g_strdup_printf ("f%u", i);

          if (!add_values (values, acc_element_type_get_item (type, i), buffer, length, child_of (place, i, name), error))
            return FALSE;
        }
      return TRUE;
    }
  if (acc_element_type_is_packed (type))
    {
      place = add_fixed (place, length, acc_element_type_get_n_items (type));
      length *= acc_element_type_get_n_items (type);
    }

  bytes = acc_array_dup_bytes (values, (*buffer)++, error);
  if (bytes == NULL)
    return FALSE;

  kind = acc_element_type_get_leaf (type, 0);
  fill_schema (place.schema, g_strdup (formats[kind]), place.name, 0);
  fill_array (place.array, length, kind == ACC_KIND_BOOL ? pack_bits (bytes) : bytes, 0);

  return TRUE;
}

/* --- levels */

/* @count times the one array that stands for all elements. */
static AccArray *
repeat_constant (AccArray *array,
                 gint64    count,
                 GError  **error)
{
  guint n_buffers = acc_element_type_get_n_buffers (array->type), rank;
  const gint64 *own = acc_shape_get_extents (array->shape, &rank);
  g_autofree gint64 *extents = g_new (gint64, rank + 1);
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr(AccArray) repeated = NULL;
  g_autoptr(AccShape) shape = NULL;

  for (guint i = 0; i < n_buffers; i++)
    {
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (array, i, error);
      gsize size = 0, total = 0;
      guint8 *all;

      if (bytes == NULL)
        return NULL;
      size = g_bytes_get_size (bytes);
      all = g_size_checked_mul (&total, size, count) ? g_try_malloc (total + 1) : NULL;
      if (all == NULL)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "nested_array_export_arrow: no memory for %" G_GINT64_FORMAT " copies",
                       count);
          return NULL;
        }
      for (gint64 k = 0; k < count && size > 0; k++)
        memcpy (all + k * size, g_bytes_get_data (bytes, NULL), size);
      g_ptr_array_add (parts, g_bytes_new_take (all, total));
    }

  extents[0] = count;
  memcpy (extents + 1, own, rank * sizeof *extents);
  shape = acc_shape_new (extents, rank + 1);
  repeated = acc_array_use_buffers (array->type, shape, (GBytes **) parts->pdata, n_buffers);

  return acc_array_check (repeated, error) ? g_steal_pointer (&repeated) : NULL;
}

static gboolean
add_regular (AccArray *values,
             Place     place,
             GError  **error)
{
  guint rank, buffer = 0;
  const gint64 *extents = acc_shape_get_extents (values->shape, &rank);
  gint64 length = extents[0];

  for (guint d = 1; d < rank; d++)
    {
      place = add_fixed (place, length, extents[d]);
      length *= extents[d];
    }

  return add_values (values, values->type, &buffer, length, place, error);
}

/* Elements of more dimensions are lists of lists, whose offsets follow from the extents. */
static Place
add_dimensions (AccLifted *lifted,
                gint64     count,
                Place      place)
{
  g_autoptr(GArray) repeats = g_array_new (FALSE, FALSE, sizeof (gint64));
  const gint64 one = 1;

  for (gint64 k = 0; k < count; k++)
    g_array_append_val (repeats, one);

  for (guint d = 0; d < lifted->rank; d++)
    {
      GArray *offsets = g_array_new (FALSE, FALSE, sizeof (gint64));
      gint64 end = 0, n;

      g_array_append_val (offsets, end);
      for (gint64 k = 0; k < count; k++)
        {
          gint64 extent = acc_array_get_int (lifted->nesting->extents, d, k), *repeat = &g_array_index (repeats, gint64, k);

          for (gint64 i = 0; i < *repeat; i++)
            {
              end += extent;
              g_array_append_val (offsets, end);
            }
          *repeat *= extent;
        }
      n = offsets->len - 1;
      place = add_list (place, n, g_bytes_new_take (g_array_free (offsets, FALSE), (n + 1) * sizeof (gint64)));
    }

  return place;
}

static gboolean
add_level (AccNestedArray *self,
           Place           place,
           GError        **error)
{
  AccNestedArray *inner = acc_nested_array_get_inner (self);
  AccLifted *lifted = acc_nested_array_get_lifted (self);
  gint64 count;
  guint buffer = 0;
  GBytes *offsets;

  if (inner != NULL)
    {
      AccArray *groups = acc_nested_array_get_groups (self);

      offsets = acc_array_dup_bytes (groups, 0, error);
      return offsets != NULL && add_level (inner, add_list (place, acc_shape_get_extent (groups->shape, 0) - 1, offsets), error);
    }

  count = acc_shape_get_extent (acc_nested_array_get_count (self)->shape, 0);
  if (lifted->form == ACC_LIFTED_CONSTANT)
    {
      g_autoptr(AccArray) repeated = repeat_constant (lifted->values, count, error);

      return repeated != NULL && add_regular (repeated, place, error);
    }
  if (lifted->form == ACC_LIFTED_REGULAR)
    return add_regular (lifted->values, place, error);
  if (lifted->rank > 1)
    place = add_dimensions (lifted, count, place);
  else
    {
      offsets = acc_array_dup_bytes (lifted->nesting->offsets, 0, error);
      if (offsets == NULL)
        return FALSE;
      place = add_list (place, count, offsets);
    }

  return add_values (lifted->values, lifted->values->type, &buffer, acc_shape_get_size (lifted->values->shape), place, error);
}

/**
 * acc_nested_array_export_arrow:
 * @self: a nested array that is manifest
 * @schema: where to write an `ArrowSchema` of Arrow's C data interface
 * @array: where to write its `ArrowArray`
 * @error: return location for an error
 *
 * Exports a nested array as a column of Arrow: elements of different lengths as a `large_list`, of the same extents as a
 * `fixed_size_list`, levels as lists of lists. Elements of more dimensions are lists of lists, too; tuples become structs with fields
 * “f0”, “f1” and so on, complex numbers and vectors `fixed_size_list`s.
 *
 * Values are not copied, except of b1, which Arrow packs into bits, and of constant elements. Whoever gets the structs calls the `release`
 * of each, once, or hands it on. Takes time linear in the number of elements. Fails with %ACC_ERROR_UNSUPPORTED where @self is not
 * manifest, and with the error of the device where values cannot be fetched; then both structs are released.
 *
 * Returns: %TRUE where both were written
 */
gboolean
acc_nested_array_export_arrow (AccNestedArray *self,
                               gpointer        schema,
                               gpointer        array,
                               GError        **error)
{
  Place place = { schema, array, "" };

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), FALSE);
  g_return_val_if_fail (schema != NULL && array != NULL, FALSE);

  memset (schema, 0, sizeof (struct ArrowSchema));
  memset (array, 0, sizeof (struct ArrowArray));
  if (!acc_nested_array_check (self, error))
    return FALSE;
  if (!acc_nested_array_is_manifest (self))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "nested_array_export_arrow: its elements are not in memory: run it first");
      return FALSE;
    }
  if (add_level (self, place, error))
    return TRUE;

  if (place.schema->release != NULL)
    place.schema->release (place.schema);
  if (place.array->release != NULL)
    place.array->release (place.array);

  return FALSE;
}
