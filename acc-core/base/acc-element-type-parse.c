/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-element-type-private.h"

#include "acc-error.h"

#include <string.h>

static void
skip_space (const char **at)
{
  while (g_ascii_isspace (**at))
    (*at)++;
}

/* A scalar, a complex number or a vector. */
static AccElementType *
parse_buffer (const char **at)
{
  static const AccElementKind floats[] = { ACC_KIND_F64, ACC_KIND_F32, ACC_KIND_F16 };   /* "c16" before what it begins with */
  AccElementType *self = NULL;
  const char *p = *at;
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (floats) && self == NULL; i++)
    {
      AccElementType *type = acc_element_type_new_complex (floats[i]);

      if (g_str_has_prefix (p, acc_element_type_get_code (type)))
        {
          self = type;
          p += strlen (acc_element_type_get_code (type));
        }
    }

  for (; self == NULL && *p >= (n > 0 ? '0' : '1') && *p <= '9' && n <= ACC_MAX_LANES; p++)
    n = 10 * n + (*p - '0');
  for (guint kind = 0; kind < ACC_KIND_TUPLE && self == NULL && n <= ACC_MAX_LANES; kind++)
    if (strncmp (p, acc_element_kind_get_code (kind), 2) == 0)
      {
        self = n > 0 ? acc_element_type_new_vector (kind, n) : acc_element_type_new (kind);
        p += 2;
      }

  if (self != NULL)
    {
      *at = p;
      skip_space (at);
    }
  return self;
}

static AccElementType *
parse (const char **at,
       guint        depth)
{
  skip_space (at);

  if (**at != '(')
    return parse_buffer (at);

  g_autoptr(GPtrArray) items = g_ptr_array_new ();

  if (depth >= ACC_ELEMENT_TYPE_MAX_DEPTH)
    return NULL;
  (*at)++;
  skip_space (at);
  while (**at != ')')
    {
      AccElementType *item = parse (at, depth + 1);

      if (item == NULL)
        return NULL;
      g_ptr_array_add (items, item);
      if (**at == ',')
        (*at)++;
      else if (**at != ')' || items->len == 1)
        return NULL;
      skip_space (at);
    }
  (*at)++;
  skip_space (at);

  return acc_element_type_new_tuple ((AccElementType **) items->pdata, items->len);
}

/**
 * acc_element_type_parse:
 * @code: the code of a type: "f4", "c8", "4f4", "(f4,f4,u1)", "((c8,u1),i8)", "(f4,)", "()"; spaces are skipped
 * @error: a return location
 *
 * Parses the code of an element type.
 *
 * Fails with %ACC_ERROR_PARSE where the text is not the code of a type, or where acc_element_type_new_tuple() refuses the type.
 *
 * Returns: (transfer full): the type, or %NULL with @error set
 */
AccElementType *
acc_element_type_parse (const char  *code,
                        GError     **error)
{
  const char *at = code;
  AccElementType *self;

  g_return_val_if_fail (code != NULL, NULL);

  self = parse (&at, 0);
  if (self == NULL || *at != '\0')
    {
      g_autofree char *start = g_strndup (code, 64);
      g_autofree char *text = g_utf8_make_valid (start, -1);

      g_set_error (error, ACC_ERROR, ACC_ERROR_PARSE, "“%s” is not an element type: wrong at byte %" G_GSIZE_FORMAT, text,
                   (gsize) (at - code) + 1);
      return NULL;
    }
  return self;
}
