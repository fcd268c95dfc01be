/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"
#include "acc-arrow-private.h"

#include <string.h>

/* What columns of Arrow claim, and whether that holds together. */

gboolean
acc_arrow_fail (AccArrowImport *self,
                AccError        code,
                const char     *format,
                ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (self->error, ACC_ERROR, code, "nested_array_new_from_arrow: %s", text);

  return FALSE;
}

char *
acc_arrow_name_entry (AccArrowImport *self,
                      gint64          entry)
{
  g_autoptr(GString) name = g_string_new (NULL);
  g_autofree char *first = NULL;

  for (guint i = self->levels->len; i-- > 0;)
    {
      AccArrowLevel *level = &g_array_index (self->levels, AccArrowLevel, i);
      g_autofree char *own = NULL;
      gint64 k = 0;

      if (level->offsets == NULL)
        k = entry / MAX (level->each, 1);
      else
        while (k + 1 < level->n && level->offsets[k + 1] <= entry)
          k++;
      own = g_strdup_printf ("[%" G_GINT64_FORMAT "]", entry - (level->offsets == NULL ? k * level->each : level->offsets[k]));
      g_string_prepend (name, own);
      entry = k;
    }
  first = g_strdup_printf ("[%" G_GINT64_FORMAT "]", entry);
  g_string_prepend (name, first);

  return g_string_free (g_steal_pointer (&name), FALSE);
}

/* --- columns */

/* What dictionaries are read by, in the order of AccElementKind. */
static const char integers[] = "csilCSIL";

static gboolean
check_nulls (AccArrowImport *self,
             AccArrowColumn *column)
{
  struct ArrowArray *array = column->array;
  g_autofree char *name = NULL;
  gint64 null;

  if (array->null_count > 0 && array->buffers[0] == NULL)
    return acc_arrow_fail (self, ACC_ERROR_SHAPE, "a column has nulls, but no buffer that says where");
  if (self->masks != NULL || (null = acc_arrow_find_null (column)) < 0)
    return TRUE;

  name = acc_arrow_name_entry (self, null);

  return acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "element %s is null: what takes nulls, too, gives masks of them", name);
}

/* The first entry that is not in the column, or -1. */
static gint64
find_outside (AccArrowColumn *column)
{
  gint64 there = column->array->length;

  if (column->places == NULL)
    return column->begin > there || column->length > there - column->begin ? MAX (there - column->begin, 0) : -1;
  for (gint64 i = 0; i < column->length; i++)
    if (acc_arrow_place (column, i) >= there)
      return i;

  return -1;
}

gboolean
acc_arrow_check_column (AccArrowImport *self,
                        AccArrowColumn *column,
                        gint64          n_buffers,
                        gint64          n_children)
{
  struct ArrowSchema *schema = column->schema;
  struct ArrowArray *array = column->array;
  const char *format = schema->format;
  gint64 outside;

  if (schema->dictionary != NULL || array->dictionary != NULL)
    return acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "a column of “%s” has a dictionary, which its type does not have", format);
  if (array->length < 0 || array->offset < 0 || array->length > G_MAXINT64 / 64 || array->offset > G_MAXINT64 / 64)
    return acc_arrow_fail (self, ACC_ERROR_SHAPE, "a column of “%s” has length %" G_GINT64_FORMAT " and offset %" G_GINT64_FORMAT, format,
                 (gint64) array->length, (gint64) array->offset);
  outside = find_outside (column);
  if (outside >= 0)
    {
      g_autofree char *name = acc_arrow_name_entry (self, outside);

      return acc_arrow_fail (self, ACC_ERROR_BOUNDS, "element %s is outside a column of “%s” with length %" G_GINT64_FORMAT, name, format,
                   (gint64) array->length);
    }
  if (array->n_buffers != n_buffers || array->buffers == NULL)
    return acc_arrow_fail (self, ACC_ERROR_SHAPE, "a column of “%s” has %" G_GINT64_FORMAT " buffers, not %" G_GINT64_FORMAT, format,
                 (gint64) (array->buffers != NULL ? array->n_buffers : 0), n_buffers);
  if (schema->n_children != array->n_children || schema->n_children < 0 || (n_children >= 0 && schema->n_children != n_children)
      || (schema->n_children > 0 && (schema->children == NULL || array->children == NULL)))
    return acc_arrow_fail (self, ACC_ERROR_SHAPE, "a column of “%s” has %" G_GINT64_FORMAT " children, its type %" G_GINT64_FORMAT, format,
                 (gint64) array->n_children, (gint64) schema->n_children);

  for (gint64 i = 0; i < schema->n_children; i++)
    if (schema->children[i] == NULL || array->children[i] == NULL || schema->children[i]->format == NULL)
      return acc_arrow_fail (self, ACC_ERROR_SHAPE, "child %" G_GINT64_FORMAT " of a column of “%s” is missing", i, format);

  return check_nulls (self, column);
}

gint64 *
acc_arrow_new_places (AccArrowImport *self,
                      gint64          n)
{
  gint64 *places = n < G_MAXINT64 / 16 ? g_try_malloc0 ((n + 1) * sizeof *places) : NULL;

  if (places == NULL)
    return acc_arrow_fail (self, ACC_ERROR_OUT_OF_MEMORY, "no memory for the places of %" G_GINT64_FORMAT " entries", n), NULL;
  g_ptr_array_add (self->kept, g_bytes_new_take (places, n * sizeof *places));

  return places;
}

/* Number @place of integers of @format; -1: it is too large. */
static gint64
read_number (const guint8 *data,
             char          format,
             gint64        place)
{
  gsize size = acc_element_kind_get_size (strchr (integers, format) - integers + ACC_KIND_I8);
  guint64 bits = 0;
  guint spare = 64 - 8 * (guint) size;

  memcpy (&bits, data + (gsize) place * size, size);
  if (G_BYTE_ORDER == G_BIG_ENDIAN)
    bits >>= spare;
  if (g_ascii_islower (format))
    return (gint64) (bits << spare) >> spare;

  return bits <= G_MAXINT64 ? (gint64) bits : -1;
}

gboolean
acc_arrow_decode (AccArrowImport *self,
                  AccArrowColumn *column)
{
  struct ArrowSchema schema = *column->schema;
  struct ArrowArray array = *column->array;
  AccArrowColumn numbers = *column, made = { schema.dictionary, array.dictionary, 0, column->length, column->depth + 1 };
  guint8 *valid = NULL;
  gint64 *places;

  if (made.schema == NULL && made.array == NULL)
    return TRUE;
  if (made.schema == NULL || made.array == NULL || made.schema->format == NULL)
    return acc_arrow_fail (self, ACC_ERROR_SHAPE, "a column of “%s” has a dictionary in its type alone, or in its values", schema.format);
  if (column->depth > ACC_ARROW_MAX_DEPTH)
    return acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "dictionaries are more than %d levels deep", ACC_ARROW_MAX_DEPTH);
  if (schema.format[0] == '\0' || strchr (integers, schema.format[0]) == NULL || schema.format[1] != '\0')
    return acc_arrow_fail (self, ACC_ERROR_UNSUPPORTED, "a column of “%s” has a dictionary, which is for integers", schema.format);

  schema.dictionary = NULL;
  array.dictionary = NULL;
  numbers.schema = &schema;
  numbers.array = &array;
  if (!acc_arrow_check_column (self, &numbers, 2, 0))
    return FALSE;
  if (array.buffers[1] == NULL && column->length > 0)
    return acc_arrow_fail (self, ACC_ERROR_SHAPE, "a column of “%s” has no values", schema.format);
  if (self->masks != NULL && !acc_arrow_find_nulls (self, &numbers, NULL, &valid))
    return FALSE;
  if (valid != NULL)
    g_ptr_array_add (self->kept, g_bytes_new_take (valid, column->length));
  made.valid = valid;
  made.places = places = acc_arrow_new_places (self, column->length);
  if (places == NULL)
    return FALSE;

  for (gint64 i = 0; i < column->length; i++)
    {
      if (valid == NULL || valid[i])
        places[i] = read_number (array.buffers[1], schema.format[0], array.offset + acc_arrow_place (column, i));
      if (places[i] < 0)
        {
          g_autofree char *name = acc_arrow_name_entry (self, i);

          return acc_arrow_fail (self, ACC_ERROR_BOUNDS, "element %s is outside its dictionary", name);
        }
    }
  *column = made;

  /* It may have one itself. */
  return acc_arrow_decode (self, column);
}

/* What is in texts: a column of its own, which Arrow leaves out. */
typedef struct {
  struct ArrowSchema schema;
  struct ArrowArray  array;
  const void        *buffers[2];
} Bytes;

/* The last buffer of @column has @length bytes. */
static Bytes *
new_bytes (AccArrowImport *self,
           AccArrowColumn *column,
           gint64          length)
{
  Bytes *bytes = g_new0 (Bytes, 1);

  bytes->buffers[1] = column->array->buffers[column->array->n_buffers - 1];
  bytes->schema.format = "C";
  bytes->array = (struct ArrowArray) { .length = length, .n_buffers = 2, .buffers = bytes->buffers };
  g_ptr_array_add (self->kept, g_bytes_new_take (bytes, sizeof *bytes));

  return bytes;
}

AccArrowColumn
acc_arrow_child_of (AccArrowImport *self,
                    AccArrowColumn *column,
                    gint64          i,
                    gint64          begin,
                    gint64          length)
{
  AccArrowColumn child = { NULL, NULL, begin, length, column->depth + 1, NULL };

  if (acc_arrow_is_bytes (column->schema->format))
    {
      Bytes *bytes = new_bytes (self, column, acc_arrow_count_values (column));

      child.schema = &bytes->schema;
      child.array = &bytes->array;
    }
  else
    {
      child.schema = column->schema->children[i];
      child.array = column->array->children[i];
    }

  return child;
}

gboolean
acc_arrow_is_bytes (const char *format)
{
  return (strchr ("uUzZ", format[0]) != NULL && format[0] != '\0' && format[1] == '\0') || g_str_has_prefix (format, "w:");
}

gboolean
acc_arrow_is_view (const char *format)
{
  return g_str_equal (format, "+vl") || g_str_equal (format, "+vL");
}

gboolean
acc_arrow_is_list (const char *format)
{
  return g_str_equal (format, "+l") || g_str_equal (format, "+L") || acc_arrow_is_view (format)
         || (acc_arrow_is_bytes (format) && format[0] != 'w');
}

gint64
acc_arrow_count_values (AccArrowColumn *column)
{
  struct ArrowArray *array = column->array;
  const char *format = column->schema->format;

  if (!acc_arrow_is_bytes (format))
    return array->children[0]->length;
  if (format[0] == 'w')
    return (array->offset + array->length) * acc_arrow_get_fixed_size (format);

  return array->length > 0 ? acc_arrow_get_offset (column, array->offset + array->length) : 0;
}

gint64
acc_arrow_get_fixed_size (const char *format)
{
  const char *digits = format + (format[0] == '+');
  char *end;
  gint64 size;

  if (!g_str_has_prefix (digits, "w:") || !g_ascii_isdigit (digits[2]))
    return -1;
  size = g_ascii_strtoll (digits + 2, &end, 10);

  return *end == '\0' && size <= G_MAXINT32 ? size : -1;
}

gboolean
acc_arrow_contains_list (struct ArrowSchema *schema)
{
  for (guint depth = 0; depth < ACC_ARROW_MAX_DEPTH; depth++)
    {
      if (schema->dictionary != NULL)
        {
          schema = schema->dictionary;
          if (schema->format == NULL)
            return FALSE;
          continue;
        }
      if (acc_arrow_is_list (schema->format))
        return TRUE;
      if (acc_arrow_get_fixed_size (schema->format) < 0 || schema->n_children != 1 || schema->children == NULL
          || schema->children[0] == NULL
          || schema->children[0]->format == NULL)
        return FALSE;
      schema = schema->children[0];
    }

  return FALSE;
}

gboolean
acc_arrow_enter_fixed (AccArrowImport *self,
                       AccArrowColumn *column,
                       AccArrowColumn *child)
{
  gint64 each = acc_arrow_get_fixed_size (column->schema->format), first;
  AccArrowLevel level = { NULL, 0, each };
  gboolean bytes = acc_arrow_is_bytes (column->schema->format);

  if (!acc_arrow_check_column (self, column, bytes ? 2 : 1, bytes ? 0 : 1))
    return FALSE;
  first = column->array->offset + column->begin;
  if (each > 0 && MAX (first + column->length, column->array->offset + column->array->length) > G_MAXINT64 / 64 / each)
    return acc_arrow_fail (self, ACC_ERROR_SHAPE, "a column of “%s” has more values than can be addressed", column->schema->format);

  *child = acc_arrow_child_of (self, column, 0, first * each, column->length * each);
  if (column->places != NULL && (child->places = acc_arrow_new_places (self, child->length)) == NULL)
    return FALSE;
  for (gint64 i = 0; column->places != NULL && i < child->length; i++)
    ((gint64 *) child->places)[i] = column->places[i / each] * each + i % each;
  g_array_append_val (self->levels, level);

  return TRUE;
}
