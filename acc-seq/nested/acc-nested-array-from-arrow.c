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

/* --- offsets */

/* Number @place of offsets of 4 or of 8 bytes, which need not be aligned. */
static inline gint64
offset_at (const guint8 *offsets,
           gboolean      wide,
           gint64        place)
{
  gint64 own;
  gint32 narrow;

  if (wide)
    {
      memcpy (&own, offsets + place * sizeof own, sizeof own);
      return own;
    }
  memcpy (&narrow, offsets + place * sizeof narrow, sizeof narrow);

  return narrow;
}

/* Whether offsets of @column from number @begin on ascend within its values. */
static gboolean
check_offsets (AccArrowImport *self,
               AccArrowColumn *column,
               const guint8   *offsets,
               gboolean        wide,
               gint64          begin)
{
  gint64 total = column->array->children[0]->length, before = offset_at (offsets, wide, begin);

  for (gint64 k = 0; k < column->length; k++)
    {
      gint64 own = offset_at (offsets, wide, begin + k + 1);

      if (G_UNLIKELY (before < 0 || own < before || own > total))
        {
          g_autofree char *name = acc_arrow_name_entry (self, k);

          return acc_arrow_fail (self, ACC_ERROR_BOUNDS,
                                 "element %s is from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " values", name,
                                 before, own, total);
        }
      before = own;
    }

  return TRUE;
}

/* From 0, one more than there are entries; the values of all are @child. Those that are as they have to be are not copied. */
static AccArray *
import_offsets (AccArrowImport *self,
                AccArrowColumn *column,
                AccArrowColumn *child)
{
  gboolean wide = g_str_equal (column->schema->format, "+L");
  gint64 n = column->length, begin, first = 0;
  gsize size = (n + 1) * sizeof (gint64);
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccShape) shape = acc_shape_new_vector (n + 1);
  const guint8 *given;
  AccArrowLevel level = { NULL, n, 0 };

  if (!acc_arrow_check_column (self, column, 2, 1))
    return NULL;
  given = column->array->buffers[1];
  if (given == NULL && n > 0)
    return acc_arrow_fail (self, ACC_ERROR_SHAPE, "a column of “%s” has no offsets", column->schema->format), NULL;

  begin = column->array->offset + column->begin;
  if (n > 0 && !check_offsets (self, column, given, wide, begin))
    return NULL;
  if (n > 0)
    first = offset_at (given, wide, begin);

  if (n > 0 && wide && first == 0 && (gsize) given % sizeof (gint64) == 0)
    bytes = g_bytes_new_with_free_func (given + begin * sizeof (gint64), size, (GDestroyNotify) holder_unref, holder_ref (self->holder));
  else
    {
      gint64 *made = g_try_malloc0 (size);

      if (made == NULL)
        return acc_arrow_fail (self, ACC_ERROR_OUT_OF_MEMORY, "no memory for %" G_GINT64_FORMAT " offsets", n), NULL;
      for (gint64 k = 1; k <= n; k++)
        made[k] = offset_at (given, wide, begin + k) - first;
      bytes = g_bytes_new_take (made, size);
    }

  level.offsets = g_bytes_get_data (bytes, NULL);
  g_ptr_array_add (self->kept, g_bytes_ref (bytes));
  g_array_append_val (self->levels, level);
  *child = acc_arrow_child_of (column, 0, first, level.offsets[n]);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

/* --- values */

static GBytes *
unpack_bits (const guint8 *bits,
             gint64        begin,
             gint64        n)
{
  guint8 *data = g_try_malloc (n + 1);

  for (gint64 i = 0; data != NULL && i < n; i++)
    data[i] = bits[(begin + i) / 8] >> ((begin + i) % 8) & 1;

  return data != NULL ? g_bytes_new_take (data, n) : NULL;
}

/* What is in @column, with a buffer for each leaf; NULL: the error is set. */
static AccElementType *
import_leaves (AccArrowImport *self,
               AccArrowColumn *column,
               GPtrArray      *buffers)
{
  static const char formats[] = "bcsilCSILefg";
  const char *format = column->schema->format, *found;
  gint64 begin;
  GBytes *bytes = NULL;
  const guint8 *data;
  gsize size;

  if (g_str_equal (format, "+s"))
    {
      g_autoptr(GPtrArray) items = g_ptr_array_new ();
      AccElementType *type;

      if (column->depth > ACC_ARROW_MAX_DEPTH)
        return acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "structs are more than %d levels deep", ACC_ARROW_MAX_DEPTH), NULL;
      if (!acc_arrow_check_column (self, column, 1, -1))
        return NULL;
      for (gint64 i = 0; i < column->schema->n_children; i++)
        {
          AccArrowColumn child = acc_arrow_child_of (column, i, column->array->offset + column->begin, column->length);
          AccElementType *item = buffers->len < ACC_MAX_LEAVES ? import_leaves (self, &child, buffers) : NULL;

          if (item == NULL)
            return NULL;
          g_ptr_array_add (items, item);
        }
      type = acc_element_type_new_tuple ((AccElementType **) items->pdata, items->len);
      if (type == NULL)
        acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "a struct has too many fields");
      return type;
    }

  found = format[0] != '\0' && format[1] == '\0' ? strchr (formats, format[0]) : NULL;
  if (found == NULL)
    return acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "there is no element type for a column of “%s”", format), NULL;
  if (!acc_arrow_check_column (self, column, 2, 0))
    return NULL;
  data = column->array->buffers[1];
  if (data == NULL && column->length > 0)
    return acc_arrow_fail (self, ACC_ERROR_SHAPE, "a column of “%s” has no values", format), NULL;

  size = acc_element_kind_get_size (found - formats);
  begin = column->array->offset + column->begin;
  if (column->length == 0)
    bytes = g_bytes_new (NULL, 0);
  else if (*found == 'b')
    bytes = unpack_bits (data, begin, column->length);
  else
    bytes = g_bytes_new_with_free_func (data + begin * size, column->length * size, (GDestroyNotify) holder_unref,
                                        holder_ref (self->holder));
  if (bytes == NULL)
    return acc_arrow_fail (self, ACC_ERROR_OUT_OF_MEMORY, "no memory for %" G_GINT64_FORMAT " values", column->length), NULL;
  g_ptr_array_add (buffers, bytes);

  return acc_element_type_new (found - formats);
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
  AccArrowColumn own = *column;
  AccElementType *type;

  for (gint64 each; (each = acc_arrow_get_fixed_size (own.schema->format)) >= 0;)
    {
      AccArrowColumn child;

      if (own.depth > ACC_ARROW_MAX_DEPTH)
        return acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "lists are more than %d levels deep", ACC_ARROW_MAX_DEPTH), NULL;
      if (!acc_arrow_enter_fixed (self, &own, &child))
        return NULL;
      g_array_append_val (extents, each);
      own = child;
    }

  type = import_leaves (self, &own, buffers);
  if (type == NULL)
    {
      if (self->error != NULL && *self->error == NULL)
        acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "a struct has too many fields");
      return NULL;
    }
  shape = flat ? acc_shape_new_vector (own.length) : acc_shape_new ((gint64 *) extents->data, extents->len);
  values = acc_array_use_buffers (type, shape, (GBytes **) buffers->pdata, buffers->len);

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

  if (!acc_arrow_contains_list (column->schema))
    {
      g_array_append_val (extents, column->length);
      values = import_values (self, column, FALSE, extents);
      if (values == NULL)
        return NULL;
      return acc_nested_array_new_for_lifted (acc_lifted_new_regular (g_object_ref (values)), g_object_ref (values));
    }

  if (acc_arrow_is_list (column->schema->format))
    offsets = import_offsets (self, column, &child);
  else if (acc_arrow_enter_fixed (self, column, &child))
    offsets = make_regular_offsets (column->length, acc_arrow_get_fixed_size (column->schema->format));
  if (offsets == NULL)
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

/**
 * acc_nested_array_new_from_arrow:
 * @schema: the `ArrowSchema` of a column, of Arrow's C data interface; it is released
 * @array: its `ArrowArray`, which is moved from there
 * @error: return location for an error
 *
 * Imports a column of Arrow. Entries of a `list` or `large_list` become elements of different lengths, those of a `fixed_size_list`
 * elements of the same extents, and lists of lists levels; `fixed_size_list`s within the last list are more dimensions of elements. Any
 * other column becomes elements of rank 0. Structs become tuples.
 *
 * Values are not copied, except of booleans, which Arrow packs into bits, and where they are not aligned. The column is released when its
 * memory is not needed any more, from whichever thread, or at once where this fails.
 *
 * Takes time linear in the number of elements. Fails with %ACC_ERROR_UNSUPPORTED where an element is null, which the message names, or
 * there is no element type for a column; with %ACC_ERROR_BOUNDS where offsets do not ascend or are outside the values; and with
 * %ACC_ERROR_SHAPE where the structs contradict each other.
 *
 * Returns: (transfer full) (nullable): a manifest nested array, or %NULL with @error set
 */
AccNestedArray *
acc_nested_array_new_from_arrow (gpointer   schema,
                                 gpointer   array,
                                 GError   **error)
{
  struct ArrowSchema *type = schema;
  struct ArrowArray *given = array;
  g_autoptr(GError) own_error = NULL;
  AccNestedArray *made = NULL;
  Holder *holder;
  AccArrowImport self = { .error = &own_error };
  AccArrowColumn column = { type, NULL, 0, 0, 0 };

  g_return_val_if_fail (schema != NULL && array != NULL, NULL);

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

  return made;
}
