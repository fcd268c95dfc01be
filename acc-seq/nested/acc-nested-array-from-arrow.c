/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"
#include "acc-arrow-private.h"

#include "acc-core/array/acc-array-build-private.h"

#include <string.h>

/* Nested arrays of columns of others, by Arrow's C data interface. Nothing in them is trusted but what cannot be checked: that buffers are
 * as long as the lengths say. */

/* The column, kept for as long as its memory is used. */
typedef struct {
  gatomicrefcount   ref_count;
  struct ArrowArray array;
} Holder;

static Holder *
holder_ref (Holder *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

static void
holder_unref (Holder *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  self->array.release (&self->array);
  g_free (self);
}

GBytes *
acc_arrow_share (AccArrowImport *self,
                 gconstpointer   data,
                 gsize           size)
{
  return g_bytes_new_with_free_func (data, size, (GDestroyNotify) holder_unref, holder_ref (self->holder));
}

/* --- values */

static AccElementType *import_leaves (AccArrowImport *self, AccArrowColumn *column, const guint8 *valid, guint8 **all, GPtrArray *buffers);

/* Which entries are there, by @valid and by @column; they are taken from *@all, too. */
static gboolean
find_own_nulls (AccArrowImport *self,
                AccArrowColumn *column,
                const guint8   *valid,
                guint8        **all,
                guint8        **own)
{
  if (self->masks == NULL)
    return TRUE;
  if (!acc_arrow_find_nulls (self, column, valid, own))
    return FALSE;
  if (*own != NULL && *all == NULL)
    return acc_arrow_find_nulls (self, column, valid, all);
  for (gint64 i = 0; *own != NULL && i < column->length; i++)
    (*all)[i] &= (*own)[i];

  return TRUE;
}

/* The values of a column of @data; NULL: there is no memory. */
static GBytes *
take_values (AccArrowImport *self,
             AccArrowColumn *column,
             const guint8   *data,
             gsize           size)
{
  gint64 n = column->length, offset = column->array->offset;
  gboolean packed = column->schema->format[0] == 'b';
  guint8 *made;

  if (n == 0)
    return g_bytes_new (NULL, 0);
  if (!packed && column->places == NULL)
    return acc_arrow_share (self, data + (offset + column->begin) * size, n * size);

  made = g_try_malloc (n * size);
  for (gint64 i = 0; made != NULL && i < n; i++)
    {
      gint64 place = offset + acc_arrow_place (column, i);

      if (packed)
        made[i] = data[place / 8] >> (place % 8) & 1;
      else
        memcpy (made + i * size, data + place * size, size);
    }

  return made != NULL ? g_bytes_new_take (made, n * size) : NULL;
}

/* The fields of a struct. */
static AccElementType *
import_struct (AccArrowImport *self,
               AccArrowColumn *column,
               const guint8   *valid,
               guint8        **all,
               GPtrArray      *buffers)
{
  g_autoptr(GPtrArray) items = g_ptr_array_new ();
  g_autofree guint8 *own = NULL;
  AccElementType *type;

  if (column->depth > ACC_ARROW_MAX_DEPTH)
    return acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "structs are more than %d levels deep", ACC_ARROW_MAX_DEPTH), NULL;
  if (!acc_arrow_check_column (self, column, 1, -1) || !find_own_nulls (self, column, valid, all, &own))
    return NULL;
  for (gint64 i = 0; i < column->schema->n_children; i++)
    {
      AccArrowColumn child = acc_arrow_child_of (self, column, i, column->array->offset + column->begin, column->length);
      AccElementType *item;

      child.places = column->places;
      item = buffers->len < ACC_MAX_LEAVES ? import_leaves (self, &child, own, all, buffers) : NULL;
      if (item == NULL)
        return NULL;
      g_ptr_array_add (items, item);
    }
  type = acc_element_type_new_tuple ((AccElementType **) items->pdata, items->len);
  if (type == NULL)
    acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "a struct has too many fields");

  return type;
}

/* What the values of a column of @format are, or -1. Dates, times and durations are the integers that Arrow has for them. */
static int
find_kind (const char *format)
{
  static const char formats[] = "bcsilCSILefg";
  static const char *const narrow[] = { "tdD", "tts", "ttm", "tiM" }, *const wide[] = { "tdm", "ttu", "ttn", "tDs", "tDm", "tDu", "tDn" };
  static const char *const stamps[] = { "tss:", "tsm:", "tsu:", "tsn:" };

  if (format[0] != '\0' && format[1] == '\0')
    {
      const char *found = strchr (formats, format[0]);

      return found != NULL ? found - formats : -1;
    }
  for (guint i = 0; i < G_N_ELEMENTS (narrow); i++)
    if (g_str_equal (format, narrow[i]))
      return ACC_KIND_I32;
  for (guint i = 0; i < G_N_ELEMENTS (wide); i++)
    if (g_str_equal (format, wide[i]))
      return ACC_KIND_I64;
  for (guint i = 0; i < G_N_ELEMENTS (stamps); i++)
    if (g_str_has_prefix (format, stamps[i]))
      return ACC_KIND_I64;

  return -1;
}

/* Says what @format is, where it has a name that users know. */
static void
refuse_format (AccArrowImport *self,
               const char     *format)
{
  static const struct { const char *prefix, *text; } known[] = {
    { "d:", "holds decimals: cast it to a float type, or to integers, before" },
    { "vu", "holds views of texts: cast it to large_utf8 before" },
    { "vz", "holds views of bytes: cast it to large_binary before" },
    { "+m", "holds maps: cast it to a list of structs before" },
    { "+u", "holds unions" },
    { "+r", "is run-end encoded, and has to be decoded before" },
    { "ti", "holds intervals of several units" },
    { "n", "holds nulls alone" },
    { "u", "holds texts, which are lists, within a struct" },
    { "U", "holds texts, which are lists, within a struct" },
    { "+", "holds lists within a struct" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_prefix (format, known[i].prefix))
      {
        acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "there is no element type for a column of “%s”, which %s", format, known[i].text);
        return;
      }
  acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "there is no element type for a column of “%s”", format);
}

/* What is in @column, with a buffer for each leaf; NULL: the error is set. @valid: which entries are there, by what is around it; what is
 * not is 0. *@all becomes which values have all fields. */
static AccElementType *
import_leaves (AccArrowImport *self,
               AccArrowColumn *column,
               const guint8   *valid,
               guint8        **all,
               GPtrArray      *buffers)
{
  g_autofree guint8 *own = NULL;
  const char *format;
  int kind;
  GBytes *bytes;
  const guint8 *data;
  gsize size;

  if (!acc_arrow_decode (self, column))
    return NULL;
  format = column->schema->format;
  kind = find_kind (format);
  if (g_str_equal (format, "+s"))
    return import_struct (self, column, valid, all, buffers);

  if (kind < 0)
    return refuse_format (self, format), NULL;
  if (!acc_arrow_check_column (self, column, 2, 0) || !find_own_nulls (self, column, valid, all, &own))
    return NULL;
  data = column->array->buffers[1];
  if (data == NULL && column->length > 0)
    return acc_arrow_fail (self, ACC_ERROR_SHAPE, "a column of “%s” has no values", format), NULL;

  size = acc_element_kind_get_size (kind);
  bytes = take_values (self, column, data, size);
  if (bytes == NULL)
    return acc_arrow_fail (self, ACC_ERROR_OUT_OF_MEMORY, "no memory for %" G_GINT64_FORMAT " values", column->length), NULL;
  if (own != NULL && !acc_arrow_clear_nulls (self, &bytes, own, column->length, size))
    return NULL;
  g_ptr_array_add (buffers, bytes);

  return acc_element_type_new (kind);
}

/* Which values of @each are there, by *@valid and by the list that @column is. */
static gboolean
enter_nulls (AccArrowImport *self,
             AccArrowColumn *column,
             gint64          each,
             guint8        **valid)
{
  g_autofree guint8 *outer = g_steal_pointer (valid);

  return self->masks == NULL
         || (acc_arrow_find_nulls (self, column, outer, valid) && acc_arrow_repeat_nulls (self, valid, column->length, each));
}

/* Which entries of @column, a level of elements, are there. */
static gboolean
add_level_mask (AccArrowImport *self,
                AccArrowColumn *column)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (column->length);
  guint8 *valid = NULL;

  if (self->masks == NULL)
    return TRUE;
  if (!acc_arrow_find_nulls (self, column, NULL, &valid))
    return FALSE;
  acc_arrow_add_mask (self, valid, shape);

  return TRUE;
}

/* The same of elements of the same extents, whose values have a mask already. */
static gboolean
add_element_mask (AccArrowImport *self,
                  AccArrowColumn *column)
{
  if (self->masks == NULL || acc_arrow_get_fixed_size (column->schema->format) < 0)
    return TRUE;
  if (!add_level_mask (self, column))
    return FALSE;
  g_ptr_array_insert (self->masks, 0, g_ptr_array_steal_index (self->masks, self->masks->len - 1));

  return TRUE;
}

/* @column, which has no lists of different lengths. @extents: those of the result as far as they are known; the extents of fixed-size lists
 * are added; @flat: a vector of all values. */
static AccArray *
import_values (AccArrowImport *self,
               AccArrowColumn *column,
               gboolean        flat,
               GArray         *extents)
{
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr(AccArray) values = NULL;
  g_autoptr(AccShape) shape = NULL;
  g_autofree guint8 *valid = NULL, *all = NULL;
  AccArrowColumn own = *column;
  AccElementType *type;

  if (!acc_arrow_decode (self, &own))
    return NULL;
  for (gint64 each; (each = acc_arrow_get_fixed_size (own.schema->format)) >= 0;)
    {
      AccArrowColumn child;

      if (own.depth > ACC_ARROW_MAX_DEPTH)
        return acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "lists are more than %d levels deep", ACC_ARROW_MAX_DEPTH), NULL;
      if (!acc_arrow_enter_fixed (self, &own, &child) || !enter_nulls (self, &own, each, &valid))
        return NULL;
      g_array_append_val (extents, each);
      own = child;
      if (!acc_arrow_decode (self, &own))
        return NULL;
    }

  type = import_leaves (self, &own, valid, &all, buffers);
  if (type == NULL)
    {
      if (self->error != NULL && *self->error == NULL)
        acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "a struct has too many fields");
      return NULL;
    }
  shape = flat ? acc_shape_new_vector (own.length) : acc_shape_new ((gint64 *) extents->data, extents->len);
  values = acc_array_use_buffers (type, shape, (GBytes **) buffers->pdata, buffers->len);
  if (self->masks != NULL)
    acc_arrow_add_mask (self, g_steal_pointer (&all), shape);

  return acc_array_check (values, self->error) ? g_steal_pointer (&values) : NULL;
}

/* --- levels */

/* @offsets of elements that have @extents from the second on, for their values; and the extents of each. */
static AccNesting *
scale_offsets (AccArray *offsets,
               GArray   *extents)
{
  gint64 n = acc_shape_get_size (offsets->shape) - 1, each = 1;
  guint rank = extents->len;
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autofree AccElementType **items = g_new (AccElementType *, rank);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  gint64 *scaled = g_new (gint64, n + 1);

  for (guint d = 0; d < rank; d++)
    {
      gint64 *own = g_new (gint64, n + 1);

      for (gint64 k = 0; k < n; k++)
        own[k] = d > 0 ? g_array_index (extents, gint64, d) : acc_array_get_int (offsets, 0, k + 1) - acc_array_get_int (offsets, 0, k);
      if (d > 0)
        each *= g_array_index (extents, gint64, d);
      g_ptr_array_add (buffers, g_bytes_new_take (own, n * sizeof *own));
      items[d] = acc_element_type_new (ACC_KIND_I64);
    }
  for (gint64 k = 0; k <= n; k++)
    scaled[k] = acc_array_get_int (offsets, 0, k) * each;

  return acc_nesting_new (rank, acc_nested_array_use_numbers (scaled, n + 1),
                          acc_array_use_buffers (acc_element_type_new_tuple (items, rank), shape, (GBytes **) buffers->pdata, rank));
}

/* Offsets of @n elements of @each values. */
static AccArray *
make_regular_offsets (gint64 n,
                      gint64 each)
{
  gint64 *offsets = g_new (gint64, n + 1);

  for (gint64 k = 0; k <= n; k++)
    offsets[k] = k * each;

  return acc_nested_array_use_numbers (offsets, n + 1);
}

static AccNestedArray *
import_column (AccArrowImport *self,
               AccArrowColumn *column)
{
  g_autoptr(GArray) extents = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr(AccArray) offsets = NULL, values = NULL;
  AccNestedArray *inner;
  AccNesting *nesting;
  AccArrowColumn child;

  if (column->depth > ACC_ARROW_MAX_DEPTH)
    return acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "lists are more than %d levels deep", ACC_ARROW_MAX_DEPTH), NULL;

  if (!acc_arrow_decode (self, column))
    return NULL;

  if (!acc_arrow_contains_list (column->schema))
    {
      g_array_append_val (extents, column->length);
      values = import_values (self, column, FALSE, extents);
      if (values == NULL || !add_element_mask (self, column))
        return NULL;
      return acc_nested_array_new_for_lifted (acc_lifted_new_regular (g_object_ref (values)), g_object_ref (values));
    }

  if (acc_arrow_is_list (column->schema->format))
    offsets = acc_arrow_import_offsets (self, column, &child);
  else if (acc_arrow_enter_fixed (self, column, &child))
    offsets = make_regular_offsets (column->length, acc_arrow_get_fixed_size (column->schema->format));
  if (offsets == NULL || !add_level_mask (self, column))
    return NULL;

  if (acc_arrow_contains_list (child.schema))
    {
      inner = import_column (self, &child);
      return inner != NULL ? acc_nested_array_new_for_groups (inner, g_steal_pointer (&offsets)) : NULL;
    }

  /* The first extent is that of the list, which differs. */
  g_array_append_val (extents, child.length);
  values = import_values (self, &child, TRUE, extents);
  if (values == NULL)
    return NULL;
  nesting = extents->len == 1 ? acc_nesting_new (1, g_object_ref (offsets), NULL) : scale_offsets (offsets, extents);

  return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, g_steal_pointer (&values)),
                                          acc_nested_array_use_lengths (offsets));
}

/* @masks: NULL, or where to put which entries are there. */
static AccNestedArray *
import (gpointer    schema,
        gpointer    array,
        GPtrArray **masks,
        GError    **error)
{
  struct ArrowSchema *type = schema;
  struct ArrowArray *given = array;
  g_autoptr(GPtrArray) made_masks = masks != NULL ? g_ptr_array_new_with_free_func (g_object_unref) : NULL;
  g_autoptr(GError) own_error = NULL;
  AccNestedArray *made = NULL;
  Holder *holder;
  AccArrowImport self = { .masks = made_masks, .error = &own_error };
  AccArrowColumn column = { type, NULL, 0, 0, 0, NULL };

  if (type->release == NULL || given->release == NULL)
    acc_arrow_fail (&self, ACC_ERROR_SHAPE, "the column was released before");
  else if (type->format == NULL)
    acc_arrow_fail (&self, ACC_ERROR_SHAPE, "the column has no format");
  if (own_error != NULL)
    {
      if (given->release != NULL)
        given->release (given);
    }
  else
    {
      holder = self.holder = g_new0 (Holder, 1);
      g_atomic_ref_count_init (&holder->ref_count);
      holder->array = *given;
      given->release = NULL;
      self.levels = g_array_new (FALSE, FALSE, sizeof (AccArrowLevel));
      self.kept = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
      column.array = &holder->array;
      column.length = column.array->length;

      made = import_column (&self, &column);

      g_array_unref (self.levels);
      g_ptr_array_unref (self.kept);
      holder_unref (holder);
    }
  if (type->release != NULL)
    type->release (type);
  if (made == NULL)
    g_propagate_error (error, g_steal_pointer (&own_error));
  if (masks != NULL)
    *masks = made != NULL ? g_steal_pointer (&made_masks) : NULL;

  return made;
}

/**
 * acc_nested_array_new_from_arrow:
 * @schema: the `ArrowSchema` of a column, of Arrow's C data interface; it is released
 * @array: its `ArrowArray`, which is moved from there
 * @error: return location for an error
 *
 * Imports a column of Arrow. Entries of a `list` or `large_list` become elements of different lengths, those of a `fixed_size_list`
 * elements of the same extents, and lists of lists levels; `fixed_size_list`s within the last list are more dimensions of elements. Any
 * other column becomes elements of rank 0. Structs become tuples. List views are lists, and a dictionary is decoded. Texts and binaries
 * (`utf8`, `large_utf8`, `binary`, `large_binary`,
 * `fixed_size_binary`) are lists of their bytes, of u1.
 *
 * Dates, times and durations become the integers that Arrow has for them, in the unit of their type: `date32` days since 1970-01-01 as i4;
 * `date64` milliseconds since then, `timestamp` seconds, milli-, micro- or nanoseconds since then, in UTC where it has a time zone, as i8;
 * `time32` seconds or milliseconds since midnight as i4, `time64` micro- or nanoseconds as i8; `duration` as i8; intervals of months as i4.
 * Decimals, views of texts, maps, unions and other intervals are refused by a message that says what to cast them to.
 *
 * Values are not copied, except of booleans, which Arrow packs into bits, of dictionaries, of views that are not one after the other, and
 * where they are not aligned. The column is released when its
 * memory is not needed any more, from whichever thread, or at once where this fails.
 *
 * Takes time linear in the number of elements. Fails with %ACC_ERROR_UNSUPPORTED where an element is null, which the message names
 * ([ctor@NestedArray.new_from_arrow_with_nulls] takes these), or there is no element type for a column; with %ACC_ERROR_BOUNDS where
 * offsets do not ascend or are outside the values; and with
 * %ACC_ERROR_SHAPE where the structs contradict each other.
 *
 * Returns: (transfer full) (nullable): a manifest nested array, or %NULL with @error set
 */
AccNestedArray *
acc_nested_array_new_from_arrow (gpointer schema,
                                 gpointer array,
                                 GError **error)
{
  g_return_val_if_fail (schema != NULL && array != NULL, NULL);

  return import (schema, array, NULL, error);
}

/**
 * acc_nested_array_new_from_arrow_with_nulls:
 * @schema: the `ArrowSchema` of a column, of Arrow's C data interface; it is released
 * @array: its `ArrowArray`, which is moved from there
 * @masks: (out) (transfer container) (element-type AccArray): where to put which entries are there: b1, for the elements of each level, the
 *   outermost first, and last for the values
 * @error: return location for an error
 *
 * Imports a column of Arrow that may have nulls. A null that is a list becomes an element without values. A null value becomes 0, as do all
 * values of a `fixed_size_list` that is null, and all fields of a struct that is.
 *
 * A mask is a vector with an entry for each element of its level; that of the values has their shape. It is false for what is null: of a
 * struct where it is null or any of its fields. Elements of rank 0 are the values, and have one mask.
 *
 * Values are copied where there are nulls among them. Behaves otherwise as [ctor@NestedArray.new_from_arrow].
 *
 * Returns: (transfer full) (nullable): a manifest nested array, or %NULL with @error set
 */
AccNestedArray *
acc_nested_array_new_from_arrow_with_nulls (gpointer    schema,
                                            gpointer    array,
                                            GPtrArray **masks,
                                            GError    **error)
{
  g_return_val_if_fail (schema != NULL && array != NULL && masks != NULL, NULL);

  return import (schema, array, masks, error);
}
