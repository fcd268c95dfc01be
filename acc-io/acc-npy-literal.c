/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-npy-literal-private.h"

#include "acc-error.h"

#include <string.h>

#define DEEPEST 32

typedef struct {
  const char *text;
  gsize       length;
  gsize       at;
  guint       depth;
} Parser;

static AccLiteral *parse_value (Parser *self);

static AccLiteral *
literal_new (AccLiteralKind kind)
{
  AccLiteral *self = g_new0 (AccLiteral, 1);

  self->kind = kind;

  return self;
}

void
acc_literal_free (AccLiteral *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->items, g_ptr_array_unref);
  g_free (self->string);
  g_free (self);
}

AccLiteral *
acc_literal_get (AccLiteral *self, guint item)
{
  return g_ptr_array_index (self->items, item);
}

AccLiteral *
acc_literal_lookup (AccLiteral *self, const char *key)
{
  if (self->kind != ACC_LITERAL_DICT)
    return NULL;

  for (guint i = 0; i + 1 < self->items->len; i += 2)
    {
      AccLiteral *candidate = acc_literal_get (self, i);

      if (candidate->kind == ACC_LITERAL_STRING && g_str_equal (candidate->string, key))
        return acc_literal_get (self, i + 1);
    }

  return NULL;
}

static char
peek (Parser *self)
{
  while (self->at < self->length && g_ascii_isspace (self->text[self->at]))
    self->at++;

  return self->at < self->length ? self->text[self->at] : '\0';
}

static gboolean
take (Parser *self, char c)
{
  if (peek (self) != c || c == '\0')
    return FALSE;

  self->at++;

  return TRUE;
}

static gboolean
take_word (Parser *self, const char *word)
{
  gsize n = strlen (word);

  if (self->length - self->at < n || memcmp (self->text + self->at, word, n) != 0)
    return FALSE;

  self->at += n;

  return TRUE;
}

/* Field names may hold anything; only that they end at the right quote matters to us. */
static AccLiteral *
parse_string (Parser *self)
{
  char quote = self->text[self->at++];
  g_autoptr(GString) string = g_string_new (NULL);
  AccLiteral *literal;

  for (;;)
    {
      char c;

      if (self->at >= self->length)
        return NULL;

      c = self->text[self->at++];
      if (c == quote)
        break;

      if (c == '\\')
        {
          if (self->at >= self->length)
            return NULL;
          c = self->text[self->at++];
        }

      if (c == '\0')
        return NULL;
      g_string_append_c (string, c);
    }

  literal = literal_new (ACC_LITERAL_STRING);
  literal->string = g_string_free (g_steal_pointer (&string), FALSE);

  return literal;
}

static AccLiteral *
parse_integer (Parser *self)
{
  gboolean negative = take (self, '-');
  gint64 value = 0;
  gsize begin = self->at;
  AccLiteral *literal;

  for (; self->at < self->length && g_ascii_isdigit (self->text[self->at]); self->at++)
    if (__builtin_mul_overflow (value, 10, &value)
        || __builtin_add_overflow (value, self->text[self->at] - '0', &value))
      return NULL;

  if (self->at == begin)
    return NULL;

  /* Written by Python 2 */
  if (self->at < self->length && self->text[self->at] == 'L')
    self->at++;

  literal = literal_new (ACC_LITERAL_INTEGER);
  literal->integer = negative ? -value : value;

  return literal;
}

static gboolean
parse_item (Parser *self, AccLiteral *container)
{
  AccLiteral *item = parse_value (self);

  if (item == NULL)
    return FALSE;

  g_ptr_array_add (container->items, item);

  return TRUE;
}

static AccLiteral *
parse_container (Parser *self, AccLiteralKind kind, char close)
{
  g_autoptr(AccLiteral) literal = literal_new (kind);
  gboolean comma = TRUE;

  literal->items = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_literal_free);
  self->at++;
  if (++self->depth > DEEPEST)
    return NULL;

  while (!take (self, close))
    {
      if (!comma || !parse_item (self, literal))
        return NULL;
      if (kind == ACC_LITERAL_DICT && (!take (self, ':') || !parse_item (self, literal)))
        return NULL;
      comma = take (self, ',');
    }

  self->depth--;

  /* Parentheses alone make no tuple. */
  if (kind == ACC_LITERAL_TUPLE && literal->items->len == 1 && !comma)
    return g_ptr_array_steal_index (literal->items, 0);

  return g_steal_pointer (&literal);
}

static AccLiteral *
parse_value (Parser *self)
{
  AccLiteral *literal;

  switch (peek (self))
    {
    case '{':
      return parse_container (self, ACC_LITERAL_DICT, '}');
    case '[':
      return parse_container (self, ACC_LITERAL_LIST, ']');
    case '(':
      return parse_container (self, ACC_LITERAL_TUPLE, ')');
    case '\'':
    case '"':
      return parse_string (self);
    default:
      break;
    }

  if (take_word (self, "None"))
    return literal_new (ACC_LITERAL_NONE);

  if (take_word (self, "False"))
    return literal_new (ACC_LITERAL_BOOL);

  if (take_word (self, "True"))
    {
      literal = literal_new (ACC_LITERAL_BOOL);
      literal->integer = TRUE;
      return literal;
    }

  return parse_integer (self);
}

AccLiteral *
acc_literal_parse (const char *text, gsize length, GError **error)
{
  Parser parser = { text, length, 0, 0 };
  g_autoptr(AccLiteral) literal = parse_value (&parser);

  if (literal == NULL || peek (&parser) != '\0' || parser.at < length)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "the header is wrong at byte %" G_GSIZE_FORMAT, parser.at);
      return NULL;
    }

  return g_steal_pointer (&literal);
}
