/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-core/expr/acc-expr-build-private.h"
#include "acc-program-parser-private.h"

#include <math.h>
#include <string.h>

/* Parses the scalar expressions of the text form. */

static AccToken *
nth (GPtrArray *tokens,
     guint      n)
{
  return g_ptr_array_index (tokens, n);
}

static gboolean
count (AccParser *self,
       GPtrArray *tokens,
       guint      n)
{
  if (tokens->len == n)
    return TRUE;

  return acc_parser_fail (self, nth (tokens, MIN (n, tokens->len - 1)), "%s here",
                          tokens->len < n ? "something is missing" : "too much");
}

static gboolean
parse_float (const char     *text,
             AccElementKind  kind,
             double         *value)
{
  char *end;

  if (g_str_has_prefix (text, "nan:0x"))
    {
      guint64 bits;

      if (!g_ascii_string_to_unsigned (text + 6, 16, 0, G_MAXUINT64, &bits, NULL))
        return FALSE;

      memcpy (value, &bits, sizeof bits);
      return isnan (*value);
    }

  if (strcmp (text, "nan") == 0)
    {
      guint64 bits = G_GUINT64_CONSTANT (0x7ff8000000000000);

      memcpy (value, &bits, sizeof bits);
      return TRUE;
    }

  if (g_str_has_prefix (text, "nan") || *text == 0)
    return FALSE;

  *value = g_ascii_strtod (text, &end);
  if (*end != 0 || isnan (*value))
    return FALSE;

  *value = _acc_round_to_kind (kind, *value);
  return !isinf (*value) || strcmp (text + (*value < 0), "inf") == 0;
}

static AccExpr *
read_literal (AccParser *self,
              GPtrArray *tokens)
{
  AccElementType *type;
  AccElementKind kind;
  const char *text;
  AccScalar value = { 0 };
  double number = 0;
  gboolean good;
  guint bits;

  if (!count (self, tokens, 5) || !acc_parser_get_type (self, nth (tokens, 3), &type))
    return NULL;

  kind = acc_element_type_get_kind (type);
  text = nth (tokens, 4)->text;

  if (kind >= ACC_KIND_TUPLE)
    {
      acc_parser_fail (self, nth (tokens, 3), "a literal is a scalar");
      return NULL;
    }

  bits = acc_element_kind_get_size (kind) * 8;

  if (kind == ACC_KIND_BOOL)
    {
      value.u = strcmp (text, "true") == 0;
      good = value.u || strcmp (text, "false") == 0;
    }
  else if (acc_element_kind_is_float (kind))
    {
      good = parse_float (text, kind, &number);
      value = acc_scalar_from_double (kind, number);
    }
  else if (acc_element_kind_is_signed (kind))
    {
      good = g_ascii_string_to_signed (text, 10, G_MININT64 >> (64 - bits), G_MAXINT64 >> (64 - bits), &value.i, NULL);
    }
  else
    {
      good = g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64 >> (64 - bits), &value.u, NULL);
    }

  if (good)
    return acc_expr_new_literal (type, value);

  acc_parser_fail (self, nth (tokens, 4), "“%s” is not a value of %s", text, acc_element_type_get_code (type));
  return NULL;
}

static AccExpr *
read_primitive (AccParser    *self,
                GPtrArray    *tokens,
                AccPrimitive  primitive)
{
  guint arity = acc_primitive_get_info (primitive)->arity;
  AccExpr *args[3];

  if (!count (self, tokens, 3 + arity))
    return NULL;

  for (guint i = 0; i < arity; i++)
    if ((args[i] = acc_parser_get_expr (self, nth (tokens, 3 + i))) == NULL)
      return NULL;

  return acc_expr_new_primitive (primitive, args);
}

static AccExpr *
read_conversion (AccParser *self,
                 GPtrArray *tokens,
                 gboolean   bits)
{
  AccElementType *type;
  AccExpr *arg;

  if (!count (self, tokens, 5) || (arg = acc_parser_get_expr (self, nth (tokens, 3))) == NULL ||
      !acc_parser_get_type (self, nth (tokens, 4), &type))
    return NULL;

  return bits ? acc_expr_bitcast (arg, type) : acc_expr_cast (arg, type);
}

static AccExpr *
read_tuple (AccParser *self,
            GPtrArray *tokens)
{
  guint n = tokens->len - 3;
  g_autofree AccExpr **items = g_new (AccExpr *, n + 1);
  guint64 n_leaves = 0, length = 2 + n;

  for (guint i = 0; i < n; i++)
    {
      if ((items[i] = acc_parser_get_expr (self, nth (tokens, 3 + i))) == NULL)
        return NULL;

      n_leaves += acc_element_type_get_n_leaves (items[i]->type);
      length += strlen (acc_element_type_get_code (items[i]->type));
    }

  if (n_leaves > ACC_MAX_LEAVES)
    {
      acc_parser_fail (self, nth (tokens, 2), "a tuple has more than %u scalars", ACC_MAX_LEAVES);
      return NULL;
    }

  if (!acc_parser_spend (self, nth (tokens, 2), length))
    return NULL;

  return acc_expr_tuple (items, n);
}

static AccExpr *
read_pack (AccParser *self,
           GPtrArray *tokens)
{
  AccExpr *items[ACC_MAX_LANES];
  AccElementType *type;
  guint n;

  if (tokens->len < 4)
    return count (self, tokens, 5), NULL;
  if (!acc_parser_get_type (self, nth (tokens, 3), &type))
    return NULL;
  if (!acc_element_type_is_packed (type))
    {
      acc_parser_fail (self, nth (tokens, 3), "%s is neither complex nor a vector", acc_element_type_get_code (type));
      return NULL;
    }

  n = acc_element_type_get_n_items (type);
  if (!count (self, tokens, 4 + n))
    return NULL;
  for (guint i = 0; i < n; i++)
    if ((items[i] = acc_parser_get_expr (self, nth (tokens, 4 + i))) == NULL)
      return NULL;

  return acc_expr_new_pack (type, items);
}

static AccExpr *
read_item (AccParser *self,
           GPtrArray *tokens)
{
  AccExpr *arg;
  gint64 item;

  if (!count (self, tokens, 5) || (arg = acc_parser_get_expr (self, nth (tokens, 3))) == NULL ||
      !acc_parser_get_number (self, nth (tokens, 4), 0, G_MAXUINT, &item))
    return NULL;

  return acc_expr_item (arg, item);
}

static AccExpr *
read_cond (AccParser *self,
           GPtrArray *tokens)
{
  AccExpr *args[3];

  if (!count (self, tokens, 6))
    return NULL;

  for (guint i = 0; i < 3; i++)
    if ((args[i] = acc_parser_get_expr (self, nth (tokens, 3 + i))) == NULL)
      return NULL;

  return acc_expr_cond (args[0], args[1], args[2]);
}

static AccFunction *
read_loop_function (AccParser  *self,
                    GPtrArray  *tokens,
                    guint       at,
                    const char *keyword)
{
  AccExpr *variable, *body;

  if (strcmp (nth (tokens, at)->text, keyword) != 0)
    {
      acc_parser_fail (self, nth (tokens, at), "“%s” is missing here", keyword);
      return NULL;
    }

  if ((variable = acc_parser_get_expr (self, nth (tokens, at + 1))) == NULL ||
      (body = acc_parser_get_expr (self, nth (tokens, at + 2))) == NULL)
    return NULL;

  if (variable->kind != ACC_EXPR_VARIABLE)
    {
      acc_parser_fail (self, nth (tokens, at + 1), "“%s” is not a variable", nth (tokens, at + 1)->text);
      return NULL;
    }

  return acc_function_new (&variable, 1, body);
}

static AccExpr *
read_while (AccParser *self,
            GPtrArray *tokens)
{
  g_autoptr(AccFunction) predicate = NULL;
  g_autoptr(AccFunction) step = NULL;
  AccExpr *initial;

  if (!count (self, tokens, 10) || (initial = acc_parser_get_expr (self, nth (tokens, 3))) == NULL ||
      (predicate = read_loop_function (self, tokens, 4, "predicate")) == NULL ||
      (step = read_loop_function (self, tokens, 7, "step")) == NULL)
    return NULL;

  return acc_expr_new_while (initial, predicate, step);
}

static AccExpr *
read_index (AccParser *self,
            GPtrArray *tokens,
            gboolean   linear)
{
  AccArray *array;
  AccExpr *index;

  if (!count (self, tokens, 5) || (array = acc_parser_get_array (self, nth (tokens, 3))) == NULL ||
      (index = acc_parser_get_expr (self, nth (tokens, 4))) == NULL)
    return NULL;

  return linear ? acc_expr_linear_index (array, index) : acc_expr_index (array, index);
}

static AccExpr *
read_extent (AccParser *self,
             GPtrArray *tokens)
{
  AccArray *array;
  gint64 dimension;

  if (!count (self, tokens, 5) || (array = acc_parser_get_array (self, nth (tokens, 3))) == NULL ||
      !acc_parser_get_number (self, nth (tokens, 4), 0, G_MAXUINT, &dimension))
    return NULL;

  return acc_expr_extent (array, dimension);
}

static AccExpr *
read_variable (AccParser *self,
               GPtrArray *tokens)
{
  AccElementType *type;

  if (!count (self, tokens, 4) || !acc_parser_get_type (self, nth (tokens, 3), &type))
    return NULL;

  return acc_expr_new_variable (type);
}

static AccExpr *
read_any (AccParser *self,
          GPtrArray *tokens)
{
  const char *word = nth (tokens, 2)->text;
  AccPrimitive primitive;

  if (acc_primitive_from_name (word, &primitive))
    return read_primitive (self, tokens, primitive);
  if (strcmp (word, "literal") == 0)
    return read_literal (self, tokens);
  if (strcmp (word, "variable") == 0)
    return read_variable (self, tokens);
  if (strcmp (word, "cast") == 0)
    return read_conversion (self, tokens, FALSE);
  if (strcmp (word, "bitcast") == 0)
    return read_conversion (self, tokens, TRUE);
  if (strcmp (word, "tuple") == 0)
    return read_tuple (self, tokens);
  if (strcmp (word, "pack") == 0)
    return read_pack (self, tokens);
  if (strcmp (word, "item") == 0)
    return read_item (self, tokens);
  if (strcmp (word, "cond") == 0)
    return read_cond (self, tokens);
  if (strcmp (word, "while") == 0)
    return read_while (self, tokens);
  if (strcmp (word, "index") == 0)
    return read_index (self, tokens, FALSE);
  if (strcmp (word, "linear_index") == 0)
    return read_index (self, tokens, TRUE);
  if (strcmp (word, "extent") == 0)
    return read_extent (self, tokens);

  acc_parser_fail (self, nth (tokens, 2), "there is no expression “%s”", word);
  return NULL;
}

gboolean
acc_parser_read_expr (AccParser *self,
                      GPtrArray *tokens)
{
  AccToken *name = nth (tokens, 0);
  g_autoptr(AccExpr) expr = NULL;

  if (g_hash_table_contains (self->statement.exprs, name->text))
    return acc_parser_fail (self, name, "“%s” is there already", name->text);

  if ((expr = read_any (self, tokens)) == NULL)
    return FALSE;

  acc_expr_ref_sink (expr);
  if (acc_expr_get_error (expr) != NULL)
    return acc_parser_fail (self, nth (tokens, 2), "%s", acc_expr_get_error (expr)->message);

  g_hash_table_insert (self->statement.exprs, g_strdup (name->text), g_steal_pointer (&expr));
  return TRUE;
}

AccFunction *
acc_parser_read_function (AccParser *self,
                          GPtrArray *tokens,
                          guint      first)
{
  AccExpr *params[3], *body;
  guint n = 0;

  for (guint i = first; i < tokens->len; i++)
    {
      AccToken *token = nth (tokens, i);

      if (strcmp (token->text, "->") == 0)
        {
          gboolean commutes = n == 2 && tokens->len == i + 3 && strcmp (nth (tokens, i + 2)->text, "commutes") == 0;
          AccFunction *function;

          if (!count (self, tokens, i + 2 + commutes) || (body = acc_parser_get_expr (self, nth (tokens, i + 1))) == NULL)
            return NULL;

          function = acc_function_new (params, n, body);
          function->commutes = commutes;

          return function;
        }

      if (n == G_N_ELEMENTS (params))
        {
          acc_parser_fail (self, token, "a function has at most %u parameters", n);
          return NULL;
        }

      if ((params[n] = acc_parser_get_expr (self, token)) == NULL)
        return NULL;

      for (guint k = 0; k < n; k++)
        if (params[k] == params[n])
          {
            acc_parser_fail (self, token, "a variable is twice a parameter");
            return NULL;
          }

      if (params[n++]->kind != ACC_EXPR_VARIABLE)
        {
          acc_parser_fail (self, token, "“%s” is not a variable", token->text);
          return NULL;
        }
    }

  acc_parser_fail (self, nth (tokens, tokens->len - 1), "“->” is missing");
  return NULL;
}
