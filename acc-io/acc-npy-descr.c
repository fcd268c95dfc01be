/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-npy-descr-private.h"

#include "acc-error.h"

#include <string.h>

#define MOST_LEAVES  1024
#define MOST_PADDING (1 << 20)
#define MOST_TYPES   4096
#define DEEPEST      32

#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define NATIVE '<'
#define OTHER  '>'
#else
#define NATIVE '>'
#define OTHER  '<'
#endif

typedef struct {
  AccRecord *record;
  guint      n_types;   /* made so far, empty ones included: a short header may ask for very many */
} Parser;

static AccElementType *
set_unsupported (GError **error, const char *what)
{
  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "elements of type %s are not supported", what);

  return NULL;
}

static gboolean
find_kind (const char *code, AccElementKind *kind)
{
  for (guint i = ACC_KIND_BOOL; i < ACC_KIND_TUPLE; i++)
    if (g_str_equal (acc_element_kind_get_code (i), code))
      {
        *kind = i;
        return TRUE;
      }

  /* NumPy's one-letter name */
  if (g_str_equal (code, "?"))
    {
      *kind = ACC_KIND_BOOL;
      return TRUE;
    }

  return FALSE;
}

static AccElementType *
parse_scalar (Parser *self, const char *text, GError **error)
{
  AccRecord *record = self->record;
  AccRecordField field = { .offset = record->size };
  const char *code = text;
  gsize size;

  if (*code != '\0' && strchr ("<>|=", *code) != NULL)
    code++;

  if (!find_kind (code, &field.kind))
    return set_unsupported (error, text);

  size = acc_element_kind_get_size (field.kind);
  field.swap = *text == OTHER && size > 1;

  if (record->fields->len >= MOST_LEAVES)
    return set_unsupported (error, "more than 1024 scalars");

  g_array_append_val (record->fields, field);
  record->size += size;

  return acc_element_type_new (field.kind);
}

static AccElementType *parse_any (Parser *self, AccLiteral *descr, guint depth, GError **error);

/* Arrays inside an element: nested tuples, outermost dimension first. */
static AccElementType *
parse_subarray (Parser *self, AccLiteral *descr, AccLiteral *shape, guint dimension, guint depth, GError **error)
{
  g_autoptr(GPtrArray) items = g_ptr_array_new ();
  AccLiteral *extent = shape;

  if (shape->kind == ACC_LITERAL_TUPLE)
    {
      if (dimension == shape->items->len)
        return parse_any (self, descr, depth, error);
      extent = acc_literal_get (shape, dimension);
    }
  else if (dimension == 1)
    return parse_any (self, descr, depth, error);

  if (extent->kind != ACC_LITERAL_INTEGER || extent->integer < 0 || extent->integer > MOST_LEAVES
      || depth > DEEPEST || ++self->n_types > MOST_TYPES)
    return set_unsupported (error, "arrays inside elements");

  for (gint64 i = 0; i < extent->integer; i++)
    {
      AccElementType *item = parse_subarray (self, descr, shape, dimension + 1, depth + 1, error);

      if (item == NULL)
        return NULL;
      g_ptr_array_add (items, item);
    }

  return acc_element_type_new_tuple ((AccElementType **) items->pdata, items->len);
}

/* ('', '|V4') is padding. */
static gboolean
take_padding (AccRecord *record, AccLiteral *name, AccLiteral *descr, guint n)
{
  guint64 size;

  if (n != 2 || name->kind != ACC_LITERAL_STRING || *name->string != '\0'
      || descr->kind != ACC_LITERAL_STRING || !g_str_has_prefix (descr->string, "|V")
      || !g_ascii_string_to_unsigned (descr->string + 2, 10, 0, MOST_PADDING, &size, NULL)
      || record->size > MOST_PADDING)
    return FALSE;

  record->size += size;

  return TRUE;
}

static AccElementType *
parse_structure (Parser *self, AccLiteral *descr, guint depth, GError **error)
{
  g_autoptr(GPtrArray) items = g_ptr_array_new ();

  for (guint i = 0; i < descr->items->len; i++)
    {
      AccLiteral *field = acc_literal_get (descr, i);
      AccElementType *item;
      guint n;

      n = field->kind == ACC_LITERAL_TUPLE ? field->items->len : 0;
      if (n < 2 || n > 3)
        return set_unsupported (error, "with malformed fields");

      if (take_padding (self->record, acc_literal_get (field, 0), acc_literal_get (field, 1), n))
        continue;

      if (n == 3)
        item = parse_subarray (self, acc_literal_get (field, 1), acc_literal_get (field, 2), 0, depth, error);
      else
        item = parse_any (self, acc_literal_get (field, 1), depth, error);
      if (item == NULL)
        return NULL;
      g_ptr_array_add (items, item);
    }

  return acc_element_type_new_tuple ((AccElementType **) items->pdata, items->len);
}

static AccElementType *
parse_any (Parser *self, AccLiteral *descr, guint depth, GError **error)
{
  if (depth > DEEPEST || ++self->n_types > MOST_TYPES)
    return set_unsupported (error, "so complicated");

  if (descr->kind == ACC_LITERAL_STRING)
    return parse_scalar (self, descr->string, error);

  if (descr->kind == ACC_LITERAL_LIST)
    return parse_structure (self, descr, depth + 1, error);

  return set_unsupported (error, "that is neither a scalar nor a structure");
}

AccElementType *
acc_npy_descr_parse (AccLiteral *descr, AccRecord *record, GError **error)
{
  Parser parser = { record, 0 };

  return parse_any (&parser, descr, 0, error);
}

static void
print_type (GString *text, AccElementType *type)
{
  AccElementKind kind = acc_element_type_get_kind (type);

  if (kind != ACC_KIND_TUPLE)
    {
      g_string_append_printf (text, "'%c%s'", acc_element_kind_get_size (kind) == 1 ? '|' : NATIVE,
                              acc_element_kind_get_code (kind));
      return;
    }

  g_string_append_c (text, '[');
  for (guint i = 0; i < acc_element_type_get_n_items (type); i++)
    {
      g_string_append_printf (text, "%s('f%u', ", i > 0 ? ", " : "", i);
      print_type (text, acc_element_type_get_item (type, i));
      g_string_append_c (text, ')');
    }
  g_string_append_c (text, ']');
}

char *
acc_npy_descr_print (AccElementType *type)
{
  GString *text = g_string_new (NULL);

  print_type (text, type);

  return g_string_free (text, FALSE);
}
