/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"
#include "acc-arrow-private.h"

#include <string.h>

/* Where the entries of lists of Arrow are. */

static gboolean
is_wide (AccArrowColumn *column)
{
  const char *format = column->schema->format;

  return format[0] == '+' ? format[strlen (format) - 1] == 'L' : g_ascii_isupper (format[0]);
}

/* Number @place of what is in a buffer. */
static gint64
read_number (AccArrowColumn *column,
             guint           buffer,
             gint64          place)
{
  const guint8 *offsets = column->array->buffers[buffer];
  gint64 wide;
  gint32 narrow;

  if (is_wide (column))
    {
      memcpy (&wide, offsets + place * sizeof wide, sizeof wide);
      return wide;
    }
  memcpy (&narrow, offsets + place * sizeof narrow, sizeof narrow);

  return narrow;
}

gint64
acc_arrow_get_offset (AccArrowColumn *column,
                      gint64          place)
{
  return read_number (column, 1, place);
}

/* Where the values of entry @k begin, and in @end where they end. */
static inline gint64
range_of (AccArrowColumn *column,
          gint64          k,
          gint64         *end)
{
  gint64 place = column->array->offset + acc_arrow_place (column, k), begin = acc_arrow_get_offset (column, place);

  if (!acc_arrow_is_view (column->schema->format))
    *end = acc_arrow_get_offset (column, place + 1);
  /* Of views how many there are; what is negative is refused as any end before its beginning is. */
  else if (__builtin_add_overflow (begin, read_number (column, 2, place), end))
    *end = -1;

  return begin;
}

/* Whether offsets of @column ascend within its values. @apart: the values are not one after the other: those of a null, or what is between
 * entries, are left out. */
static gboolean
check_offsets (AccArrowImport *self,
               AccArrowColumn *column,
               gboolean       *apart)
{
  gint64 total = acc_arrow_count_values (column), last = 0;
  gboolean is_view = acc_arrow_is_view (column->schema->format);

  *apart = column->places != NULL;
  for (gint64 k = 0; k < column->length; k++)
    {
      gint64 end, begin = range_of (column, k, &end);

      if (G_UNLIKELY (begin < 0 || end < begin || end > total))
        {
          g_autofree char *name = acc_arrow_name_entry (self, k);

          return acc_arrow_fail (self, ACC_ERROR_BOUNDS,
                                 "element %s is from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " values", name,
                                 begin, end, total);
        }
      *apart |= (end > begin && acc_arrow_is_null (column, k)) || (is_view && k > 0 && begin != last);
      last = end;
    }

  return TRUE;
}

/* Offsets of entries whose values are not one after the other, and in @child where these are; NULL: the error is set. */
static GBytes *
gather_offsets (AccArrowImport *self,
                AccArrowColumn *column,
                AccArrowColumn *child)
{
  gint64 n = column->length, at = 0, begin, end, *places;
  gint64 *made = g_try_malloc0 ((n + 1) * sizeof *made);

  if (made == NULL)
    return acc_arrow_fail (self, ACC_ERROR_OUT_OF_MEMORY, "no memory for %" G_GINT64_FORMAT " offsets", n), NULL;
  for (gint64 k = 0; k < n; k++)
    {
      begin = range_of (column, k, &end);
      if (acc_arrow_is_null (column, k))
        end = begin;
      if (__builtin_add_overflow (made[k], end - begin, &made[k + 1]))
        made[k + 1] = G_MAXINT64;
    }
  places = acc_arrow_new_places (self, made[n]);
  for (gint64 k = 0; places != NULL && k < n; k++)
    {
      begin = range_of (column, k, &end);
      for (gint64 i = 0; i < made[k + 1] - made[k]; i++)
        places[at++] = begin + i;
    }
  *child = acc_arrow_child_of (self, column, 0, 0, made[n]);
  child->places = places;
  if (places != NULL)
    return g_bytes_new_take (made, (n + 1) * sizeof *made);
  g_free (made);

  return NULL;
}

/* Offsets of entries whose values are one after the other. Those that are as they have to be are not copied. */
static GBytes *
take_offsets (AccArrowImport *self,
              AccArrowColumn *column,
              AccArrowColumn *child)
{
  gint64 n = column->length, begin = column->array->offset + column->begin, first = 0, last = 0, end;
  const guint8 *given = column->array->buffers[1];
  gint64 *made;

  if (n > 0)
    {
      first = range_of (column, 0, &end);
      range_of (column, n - 1, &last);
    }
  *child = acc_arrow_child_of (self, column, 0, first, last - first);
  if (n > 0 && is_wide (column) && !acc_arrow_is_view (column->schema->format) && first == 0 && (gsize) given % sizeof (gint64) == 0)
    return acc_arrow_share (self, given + begin * sizeof (gint64), (n + 1) * sizeof (gint64));

  made = g_try_malloc0 ((n + 1) * sizeof *made);
  if (made == NULL)
    return acc_arrow_fail (self, ACC_ERROR_OUT_OF_MEMORY, "no memory for %" G_GINT64_FORMAT " offsets", n), NULL;
  for (gint64 k = 0; k < n; k++)
    {
      range_of (column, k, &end);
      made[k + 1] = end - first;
    }

  return g_bytes_new_take (made, (n + 1) * sizeof *made);
}

AccArray *
acc_arrow_import_offsets (AccArrowImport *self,
                          AccArrowColumn *column,
                          AccArrowColumn *child)
{
  gint64 n = column->length;
  g_autoptr(AccShape) shape = acc_shape_new_vector (n + 1);
  g_autoptr(GBytes) bytes = NULL;
  AccArrowLevel level = { NULL, n, 0 };
  gboolean bytes_within = acc_arrow_is_bytes (column->schema->format), is_view = acc_arrow_is_view (column->schema->format), apart;

  if (!acc_arrow_check_column (self, column, bytes_within || is_view ? 3 : 2, bytes_within ? 0 : 1))
    return NULL;
  if ((column->array->buffers[1] == NULL || (is_view && column->array->buffers[2] == NULL)) && n > 0)
    return acc_arrow_fail (self, ACC_ERROR_SHAPE, "a column of “%s” has no offsets", column->schema->format), NULL;
  if (!check_offsets (self, column, &apart))
    return NULL;

  bytes = apart ? gather_offsets (self, column, child) : take_offsets (self, column, child);
  if (bytes == NULL)
    return NULL;
  level.offsets = g_bytes_get_data (bytes, NULL);
  g_ptr_array_add (self->kept, g_bytes_ref (bytes));
  g_array_append_val (self->levels, level);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}
