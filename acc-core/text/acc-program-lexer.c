/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-program-lexer-private.h"
#include "acc-error.h"

#include <string.h>

static void
token_free (gpointer data)
{
  AccToken *token = data;

  g_free (token->text);
  g_free (token);
}

void
acc_lexer_init (AccLexer   *self,
                const char *text)
{
  self->next = text;
  self->line = 0;
  self->tokens = g_ptr_array_new_with_free_func (token_free);
}

void
acc_lexer_clear (AccLexer *self)
{
  g_clear_pointer (&self->tokens, g_ptr_array_unref);
}

gboolean
acc_lexer_fail (guint        line,
                guint        column,
                GError     **error,
                const char  *format,
                ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  g_set_error (error, ACC_ERROR, ACC_ERROR_PARSE, "line %u, column %u: %s", line, column, message);
  return FALSE;
}

static gboolean
is_space (char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* A string in double quotes, escaped as in C. */
static gboolean
read_quoted (AccLexer    *self,
             const char  *line,
             const char **position,
             const char  *end,
             GError     **error)
{
  const char *start = *position + 1;
  const char *p = start;
  AccToken *token;

  while (p < end && *p != '"')
    p += *p == '\\' && p + 1 < end ? 2 : 1;

  if (p >= end)
    return acc_lexer_fail (self->line, *position - line + 1, error, "a string does not end");

  token = g_new0 (AccToken, 1);
  token->quoted = TRUE;
  token->line = self->line;
  token->column = *position - line + 1;
  g_ptr_array_add (self->tokens, token);

  {
    g_autofree char *raw = g_strndup (start, p - start);

    token->text = g_strcompress (raw);
  }

  *position = p + 1;

  if (!g_utf8_validate (token->text, -1, NULL))
    return acc_lexer_fail (self->line, token->column, error, "a string is not UTF-8");

  return TRUE;
}

static gboolean
read_line (AccLexer    *self,
           const char  *line,
           const char  *end,
           GError     **error)
{
  const char *p = line;

  while (p < end)
    {
      const char *start;
      AccToken *token;

      if (is_space (*p))
        {
          p++;
          continue;
        }

      if (*p == '#')
        return TRUE;

      if (*p == '"')
        {
          if (!read_quoted (self, line, &p, end, error))
            return FALSE;
          continue;
        }

      start = p;
      while (p < end && !is_space (*p) && *p != '"')
        p++;

      token = g_new0 (AccToken, 1);
      token->text = g_strndup (start, p - start);
      token->line = self->line;
      token->column = start - line + 1;
      g_ptr_array_add (self->tokens, token);
    }

  return TRUE;
}

gboolean
acc_lexer_next (AccLexer  *self,
                gboolean  *at_end,
                GError   **error)
{
  *at_end = FALSE;
  g_ptr_array_set_size (self->tokens, 0);

  while (self->tokens->len == 0)
    {
      const char *line = self->next;
      const char *end = strchrnul (line, '\n');

      if (*line == 0)
        {
          *at_end = TRUE;
          return TRUE;
        }

      self->line++;
      self->next = *end != 0 ? end + 1 : end;

      if (!read_line (self, line, end, error))
        return FALSE;
    }

  return TRUE;
}

GPtrArray *
acc_lexer_take_tokens (AccLexer *self)
{
  GPtrArray *tokens = self->tokens;

  self->tokens = g_ptr_array_new_with_free_func (token_free);
  return tokens;
}
