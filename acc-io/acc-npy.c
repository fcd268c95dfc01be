/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-npy-private.h"

#include "acc-error.h"
#include "acc-npy-descr-private.h"

#include <string.h>

#define LARGEST_HEADER (1 << 20)
#define ALIGNMENT      64
#define MOST_DIGITS    19

void
acc_npy_header_clear (AccNpyHeader *self)
{
  g_clear_pointer (&self->type, acc_element_type_unref);
  g_clear_pointer (&self->shape, acc_shape_unref);
  g_clear_pointer (&self->record, acc_record_free);
  g_clear_pointer (&self->note, g_free);
}

static gboolean
read_exactly (AccByteReader *reader, gpointer data, gsize size, GCancellable *cancellable, GError **error)
{
  gsize n;

  if (!acc_byte_reader_read (reader, data, size, &n, cancellable, error))
    return FALSE;

  if (n < size)
    g_set_error_literal (error, ACC_ERROR, ACC_ERROR_IO, "the file ends inside its header");

  return n == size;
}

/* The extents in the order in which the file's rows are read: a Fortran-order array is its transpose, row by row. */
static AccShape *
parse_shape (AccLiteral *literal, gboolean fortran, GError **error)
{
  g_autoptr(GArray) extents = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr(AccShape) shape = NULL;

  if (literal == NULL || literal->kind != ACC_LITERAL_TUPLE)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_IO, "the header has no shape");
      return NULL;
    }

  for (guint i = 0; i < literal->items->len; i++)
    {
      AccLiteral *item = acc_literal_get (literal, fortran ? literal->items->len - 1 - i : i);

      if (item->kind != ACC_LITERAL_INTEGER || item->integer < 0)
        {
          g_set_error_literal (error, ACC_ERROR, ACC_ERROR_IO, "the header's shape is wrong");
          return NULL;
        }

      g_array_append_val (extents, item->integer);
    }

  shape = acc_shape_new ((gint64 *) extents->data, extents->len);
  if (acc_shape_get_size (shape) == G_MAXINT64)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_IO, "the header's shape is too large");
      return NULL;
    }

  return g_steal_pointer (&shape);
}

static gboolean
parse_header (AccNpyHeader *self, const char *text, gsize length, GError **error)
{
  g_autoptr(AccLiteral) literal = acc_literal_parse (text, length, error);
  AccLiteral *descr, *fortran;

  if (literal == NULL)
    return FALSE;

  descr = acc_literal_lookup (literal, "descr");
  fortran = acc_literal_lookup (literal, "fortran_order");
  if (descr == NULL || fortran == NULL || fortran->kind != ACC_LITERAL_BOOL)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_IO, "the header does not say what the file holds");
      return FALSE;
    }

  self->record = acc_record_new ();
  self->transposed = fortran->integer;
  self->type = acc_npy_descr_parse (descr, self->record, &self->note, error);
  if (self->type == NULL)
    return FALSE;

  self->shape = parse_shape (acc_literal_lookup (literal, "shape"), fortran->integer, error);

  return self->shape != NULL;
}

gboolean
acc_npy_header_read (AccNpyHeader *self, AccByteReader *reader, GCancellable *cancellable, GError **error)
{
  guint8 prefix[ACC_NPY_MAGIC_SIZE + 2 + 4];
  g_autofree char *text = NULL;
  gsize length;

  if (!read_exactly (reader, prefix, ACC_NPY_MAGIC_SIZE + 2, cancellable, error))
    return FALSE;

  if (memcmp (prefix, ACC_NPY_MAGIC, ACC_NPY_MAGIC_SIZE) != 0
      || prefix[ACC_NPY_MAGIC_SIZE] < 1 || prefix[ACC_NPY_MAGIC_SIZE] > 3)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "not a .npy file of version 1, 2 or 3");
      return FALSE;
    }

  self->offset = ACC_NPY_MAGIC_SIZE + 2 + (prefix[ACC_NPY_MAGIC_SIZE] == 1 ? 2 : 4);
  if (!read_exactly (reader, prefix + ACC_NPY_MAGIC_SIZE + 2, self->offset - ACC_NPY_MAGIC_SIZE - 2,
                     cancellable, error))
    return FALSE;

  length = prefix[8] | prefix[9] << 8;
  if (prefix[ACC_NPY_MAGIC_SIZE] > 1)
    length |= (gsize) prefix[10] << 16 | (gsize) prefix[11] << 24;

  if (length > LARGEST_HEADER)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_IO, "the header is too long");
      return FALSE;
    }

  text = g_malloc (length + 1);
  if (!read_exactly (reader, text, length, cancellable, error))
    return FALSE;

  self->offset += length;

  return parse_header (self, text, length, error);
}

static char *
print_shape (AccShape *shape, guint lanes)
{
  GString *text = g_string_new ("(");
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);

  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", MAX (extents[i], 0));
  if (lanes > 0)
    g_string_append_printf (text, "%s%u", rank > 0 ? ", " : "", lanes);
  g_string_append (text, rank + (lanes > 0) == 1 ? ",)" : ")");

  return g_string_free (text, FALSE);
}

GBytes *
acc_npy_header_write (AccElementType *type, AccShape *shape, gboolean grows, GError **error)
{
  /* NumPy has no arrays of vectors: they are one more dimension. */
  gboolean vectors = acc_element_type_get_kind (type) == ACC_KIND_VECTOR;
  g_autofree char *descr = acc_npy_descr_print (vectors ? acc_element_type_get_item (type, 0) : type);
  g_autofree char *extents = print_shape (shape, vectors ? acc_element_type_get_n_items (type) : 0);
  GByteArray *bytes;
  g_autoptr(GString) text = g_string_new (NULL);
  guint8 prefix[ACC_NPY_MAGIC_SIZE + 2 + 4] = ACC_NPY_MAGIC;
  gsize prefix_size, length;

  if (acc_element_type_get_n_leaves (type) == 0)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "a .npy file cannot hold empty tuples");
      return NULL;
    }

  g_string_append_printf (text, "{'descr': %s, 'fortran_order': False, 'shape': %s, }", descr, extents);
  if (grows)
    {
      g_autofree char *rows = g_strdup_printf ("%" G_GINT64_FORMAT, acc_shape_get_extent (shape, 0));

      g_string_append_printf (text, "%*s", MAX (MOST_DIGITS - (int) strlen (rows), 0), "");
    }
  prefix[ACC_NPY_MAGIC_SIZE] = text->len + ALIGNMENT > G_MAXUINT16 ? 2 : 1;
  prefix_size = ACC_NPY_MAGIC_SIZE + 2 + (prefix[ACC_NPY_MAGIC_SIZE] == 1 ? 2 : 4);

  while ((prefix_size + text->len + 1) % ALIGNMENT != 0)
    g_string_append_c (text, ' ');
  g_string_append_c (text, '\n');

  length = text->len;
  for (gsize i = ACC_NPY_MAGIC_SIZE + 2; i < prefix_size; i++, length >>= 8)
    prefix[i] = length & 0xff;

  bytes = g_byte_array_new ();
  g_byte_array_append (bytes, prefix, prefix_size);
  g_byte_array_append (bytes, (const guint8 *) text->str, text->len);

  return g_byte_array_free_to_bytes (bytes);
}
