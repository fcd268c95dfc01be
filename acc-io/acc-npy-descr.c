/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-npy-descr-private.h"

#include "acc-error.h"

#include <string.h>

#define MOST_BUFFERS  1024
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
  char     **note;
  guint      n_types;   /* made so far, empty ones included: a short header may ask for very many */
} Parser;

static AccElementType *
set_unsupported (GError **error, const char *what)
{
  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "elements of type %s are not supported", what);

  return NULL;
}

/* NULL where NumPy's @code is of no scalar or complex type. */
static AccElementType *
find_type (const char *code)
{
  AccElementType *type;

  /* NumPy's one-letter name */
  if (g_str_equal (code, "?"))
    return acc_element_type_new (ACC_KIND_BOOL);

  type = g_ascii_isalpha (*code) ? acc_element_type_parse (code, NULL) : NULL;

  return type != NULL && g_str_equal (acc_element_type_get_code (type), code) ? type : NULL;
}

static const char *
skip_order (const char *text)
{
  return *text != '\0' && strchr ("<>|=", *text) != NULL ? text + 1 : text;
}

/* NumPy's kinds that are kept as integers, for which acc has no type: "M8[ns]", "m8[25s]", "U1" (UCS-4), "S1". */
static AccElementType *
find_stand_in (const char *code)
{
  if ((g_str_has_prefix (code, "M8") || g_str_has_prefix (code, "m8"))
      && (code[2] == '\0' || (code[2] == '[' && g_str_has_suffix (code, "]"))))
    return acc_element_type_new (ACC_KIND_I64);
  if (g_str_equal (code, "U1"))
    return acc_element_type_new (ACC_KIND_U32);
  if (g_str_equal (code, "S1"))
    return acc_element_type_new (ACC_KIND_U8);

  return NULL;
}

static AccElementType *
find_scalar (const char *text)
{
  AccElementType *type = find_type (skip_order (text));

  return type != NULL ? type : find_stand_in (skip_order (text));
}

static AccElementType *
parse_scalar (Parser *self, const char *text, guint n, GError **error)
{
  AccElementType *type = find_scalar (text);

  if (type == NULL)
    return set_unsupported (error, text);

  if (*self->note == NULL && find_type (skip_order (text)) == NULL)
    *self->note = g_strdup_printf ("elements of type %s are read as %s", text, acc_element_type_get_code (type));

  if (self->record->fields->len >= MOST_BUFFERS)
    return set_unsupported (error, "more than 1024 scalars");

  if (n > 0)
    type = acc_element_type_new_vector (acc_element_type_get_kind (type), n);
  acc_record_add (self->record, type, *text == OTHER);

  return type;
}

/* Whether ('x', @descr, @shape) is a vector, of @n scalars. */
static gboolean
is_vector (AccLiteral *descr, AccLiteral *shape, guint *n)
{
  AccLiteral *extent = shape->kind == ACC_LITERAL_TUPLE && shape->items->len == 1 ? acc_literal_get (shape, 0) : shape;
  AccElementType *type;

  if (descr->kind != ACC_LITERAL_STRING || extent->kind != ACC_LITERAL_INTEGER || extent->integer < 1 || extent->integer > ACC_MAX_LANES)
    return FALSE;

  *n = extent->integer;
  type = find_scalar (descr->string);

  return type != NULL && acc_element_type_is_scalar (type);
}

static AccElementType *parse_any (Parser *self, AccLiteral *descr, guint depth, GError **error);

/* Arrays inside an element that are no vectors: nested tuples, outermost dimension first. */
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

  if (extent->kind != ACC_LITERAL_INTEGER || extent->integer < 0 || extent->integer > MOST_BUFFERS
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
      guint n, lanes;

      n = field->kind == ACC_LITERAL_TUPLE ? field->items->len : 0;
      if (n < 2 || n > 3)
        return set_unsupported (error, "with malformed fields");

      if (take_padding (self->record, acc_literal_get (field, 0), acc_literal_get (field, 1), n))
        continue;

      if (n == 3 && is_vector (acc_literal_get (field, 1), acc_literal_get (field, 2), &lanes))
        item = parse_scalar (self, acc_literal_get (field, 1)->string, lanes, error);
      else if (n == 3)
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
    return parse_scalar (self, descr->string, 0, error);

  if (descr->kind == ACC_LITERAL_LIST)
    return parse_structure (self, descr, depth + 1, error);

  return set_unsupported (error, "that is neither a scalar nor a structure");
}

AccElementType *
acc_npy_descr_parse (AccLiteral *descr, AccRecord *record, char **note, GError **error)
{
  Parser parser = { record, note, 0 };

  return parse_any (&parser, descr, 0, error);
}

static void
print_type (GString *text, AccElementType *type)
{
  if (!acc_element_type_is_tuple (type))
    {
      AccElementType *scalar = acc_element_type_get_kind (type) == ACC_KIND_VECTOR ? acc_element_type_get_item (type, 0) : type;

      g_string_append_printf (text, "'%c%s'", acc_element_type_get_size (scalar) == 1 ? '|' : NATIVE,
                              acc_element_type_get_code (scalar));
      if (scalar != type)
        g_string_append_printf (text, ", (%u,)", acc_element_type_get_n_items (type));
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
