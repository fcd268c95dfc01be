/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-error.h"
#include "acc-program-parser-private.h"
#include "acc-core/array/acc-program-private.h"

#include <string.h>

/* Limits of bytes of types and of steps of analysis for one text: far above what programs need. */
#define MAX_SPENT (G_GUINT64_CONSTANT (1) << 26)

gboolean
acc_parser_fail (AccParser      *self,
                 const AccToken *token,
                 const char     *format,
                 ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  if (*self->error == NULL)
    acc_lexer_fail (token->line, token->column, self->error, "%s", message);

  return FALSE;
}

gboolean
acc_parser_spend (AccParser      *self,
                  const AccToken *token,
                  guint64         amount)
{
  self->spent += MIN (amount, MAX_SPENT);

  return self->spent <= MAX_SPENT || acc_parser_fail (self, token, "the program is too large");
}

gboolean
acc_parser_get_type (AccParser       *self,
                     const AccToken  *token,
                     AccElementType **type)
{
  g_autoptr(GError) error = NULL;

  if (!acc_parser_spend (self, token, strlen (token->text)))
    return FALSE;

  if ((*type = acc_element_type_parse (token->text, &error)) == NULL)
    return acc_parser_fail (self, token, "%s", error->message);

  return TRUE;
}

gboolean
acc_parser_get_number (AccParser      *self,
                       const AccToken *token,
                       gint64          minimum,
                       gint64          maximum,
                       gint64         *number)
{
  if (!token->quoted && g_ascii_string_to_signed (token->text, 10, minimum, maximum, number, NULL))
    return TRUE;

  return acc_parser_fail (self, token, "“%s” is not a number that fits here", token->text);
}

AccArray *
acc_parser_get_array (AccParser      *self,
                      const AccToken *token)
{
  AccArray *array = g_hash_table_lookup (self->arrays, token->text);

  if (array == NULL)
    acc_parser_fail (self, token, "there is no array “%s”", token->text);

  return array;
}

AccExpr *
acc_parser_get_expr (AccParser      *self,
                     const AccToken *token)
{
  AccExpr *expr = g_hash_table_lookup (self->statement.exprs, token->text);

  if (expr == NULL)
    acc_parser_fail (self, token, "there is no expression “%s”", token->text);

  return expr;
}

static void
clear_statement (AccStatement *statement)
{
  g_clear_pointer (&statement->tokens, g_ptr_array_unref);
  g_hash_table_remove_all (statement->exprs);
  g_clear_pointer (&statement->extents, acc_function_unref);
  g_ptr_array_set_size (statement->buffers, 0);

  for (guint i = 0; i < 2; i++)
    {
      g_clear_pointer (&statement->functions[i], acc_function_unref);
      g_clear_pointer (&statement->boundaries[i], acc_boundary_unref);
    }

  statement->n_functions = 0;
  statement->n_boundaries = 0;
}

/* Completes the operation whose lines have been read, if there is one. */
static gboolean
end_statement (AccParser *self)
{
  AccToken *name;
  AccArray *array;

  if (self->statement.tokens == NULL)
    return TRUE;

  name = g_ptr_array_index (self->statement.tokens, 0);

  if ((array = acc_parser_build (self)) == NULL)
    return FALSE;

  g_hash_table_insert (self->arrays, g_strdup (name->text), array);
  clear_statement (&self->statement);
  return TRUE;
}

static gboolean
is_word (GPtrArray  *tokens,
         guint       n,
         const char *word)
{
  AccToken *token = n < tokens->len ? g_ptr_array_index (tokens, n) : NULL;

  return token != NULL && !token->quoted && strcmp (token->text, word) == 0;
}

static AccProgram *
read_program (AccParser *self,
              GPtrArray *tokens,
              guint      first)
{
  g_autoptr(GPtrArray) nodes = g_ptr_array_new ();
  AccToken *start = g_ptr_array_index (tokens, first - 1);
  guint n_parameters = 0;
  gboolean arrow = FALSE;

  for (guint i = first; i < tokens->len; i++)
    {
      AccToken *token = g_ptr_array_index (tokens, i);
      AccArray *array;

      if (is_word (tokens, i, "->") && !arrow)
        {
          arrow = TRUE;
          n_parameters = nodes->len;
          continue;
        }

      if ((array = acc_parser_get_array (self, token)) == NULL)
        return NULL;

      if (!arrow && (array->op != ACC_OP_PARAMETER || acc_array_get_parameter (array)->position != nodes->len ||
                     !g_hash_table_add (self->bound, array)))
        {
          acc_parser_fail (self, token, "“%s” is not parameter %u of this program alone", token->text, nodes->len);
          return NULL;
        }

      g_ptr_array_add (nodes, array);
    }

  if (!arrow)
    {
      acc_parser_fail (self, start, "“->” is missing");
      return NULL;
    }

  /* Its captures are looked for in all that it reaches. */
  if (!acc_parser_spend (self, start, g_hash_table_size (self->arrays)))
    return NULL;

  return acc_program_new_for_nodes ((AccArray **) nodes->pdata, n_parameters,
                                    (AccArray **) nodes->pdata + n_parameters, nodes->len - n_parameters);
}

static gboolean
read_named (AccParser *self,
            GPtrArray *tokens)
{
  AccToken *name = g_ptr_array_index (tokens, 0);
  AccProgram *program;

  if (name->quoted || tokens->len < 3)
    return acc_parser_fail (self, name, "this is no statement");

  if (name->text[0] == 'e')
    {
      if (self->statement.tokens == NULL)
        return acc_parser_fail (self, name, "an expression stands below an operation");

      return acc_parser_read_expr (self, tokens);
    }

  if (!end_statement (self))
    return FALSE;

  if (g_hash_table_contains (self->arrays, name->text) || g_hash_table_contains (self->programs, name->text))
    return acc_parser_fail (self, name, "“%s” is there already", name->text);

  if (name->text[0] == 'a')
    {
      self->statement.tokens = g_ptr_array_ref (tokens);
      return TRUE;
    }

  if (name->text[0] != 'p' || !is_word (tokens, 2, "program"))
    return acc_parser_fail (self, name, "names begin with “a” for arrays, “e” for expressions, “p” for programs");

  if ((program = read_program (self, tokens, 3)) == NULL)
    return FALSE;

  g_hash_table_insert (self->programs, g_strdup (name->text), program);
  return TRUE;
}

static gboolean
read_boundary (AccParser *self,
               GPtrArray *tokens)
{
  static const char *const kinds[] = { "clamp", "mirror", "wrap", "constant", "function" };
  AccStatement *statement = &self->statement;
  AccBoundary *boundary;
  guint kind = 0;

  while (kind < G_N_ELEMENTS (kinds) && !is_word (tokens, 1, kinds[kind]))
    kind++;

  if (kind == G_N_ELEMENTS (kinds) || (kind < ACC_BOUNDARY_CONSTANT && tokens->len != 2))
    return acc_parser_fail (self, g_ptr_array_index (tokens, 0),
                            "a boundary is clamp, mirror, wrap, constant -> EXPR or function VARIABLE -> EXPR");

  if (statement->n_boundaries == G_N_ELEMENTS (statement->boundaries))
    return acc_parser_fail (self, g_ptr_array_index (tokens, 0), "too many boundaries");

  boundary = g_new0 (AccBoundary, 1);
  g_atomic_ref_count_init (&boundary->ref_count);
  boundary->kind = kind;
  statement->boundaries[statement->n_boundaries++] = boundary;

  if (kind < ACC_BOUNDARY_CONSTANT)
    return TRUE;

  if ((boundary->function = acc_parser_read_function (self, tokens, 2)) == NULL)
    return FALSE;

  if (boundary->function->n_params != (kind == ACC_BOUNDARY_FUNCTION) ||
      (kind == ACC_BOUNDARY_FUNCTION &&
       !acc_index_type_get_rank (boundary->function->params[0]->type, &boundary->rank)))
    return acc_parser_fail (self, g_ptr_array_index (tokens, 1), "a boundary function takes one index, a constant nothing");

  return TRUE;
}

static gboolean
read_data (AccParser *self,
           GPtrArray *tokens)
{
  GPtrArray *buffers = self->statement.buffers;
  AccToken *token;
  g_autofree guchar *data = NULL;
  gsize size, length;

  if (tokens->len != 2 || buffers->len == 0)
    return acc_parser_fail (self, g_ptr_array_index (tokens, 0), "“data” has one word and stands below “leaf”");

  token = g_ptr_array_index (tokens, 1);
  length = strlen (token->text);
  data = g_base64_decode (token->text, &size);

  {
    g_autofree char *again = g_base64_encode (data, size);

    if (length == 0 || strcmp (again, token->text) != 0)
      return acc_parser_fail (self, token, "this is not base 64");
  }

  if (size > G_MAXUINT - 1 - ((GByteArray *) g_ptr_array_index (buffers, buffers->len - 1))->len)
    return acc_parser_fail (self, token, "too much data");

  g_byte_array_append (g_ptr_array_index (buffers, buffers->len - 1), data, size);
  return TRUE;
}

static gboolean
read_part (AccParser *self,
           GPtrArray *tokens)
{
  AccStatement *statement = &self->statement;
  AccToken *first = g_ptr_array_index (tokens, 0);

  if (statement->tokens == NULL)
    return acc_parser_fail (self, first, "“%s” belongs to no operation", first->text);

  if (is_word (tokens, 0, "extents"))
    {
      if (statement->extents != NULL)
        return acc_parser_fail (self, first, "extents are there already");

      statement->extents = acc_parser_read_function (self, tokens, 1);
      if (statement->extents == NULL)
        return FALSE;
      if (statement->extents->n_params != 0)
        return acc_parser_fail (self, first, "extents take no variables");
      return TRUE;
    }

  if (is_word (tokens, 0, "function"))
    {
      AccFunction *function;

      if (statement->n_functions == G_N_ELEMENTS (statement->functions))
        return acc_parser_fail (self, first, "too many functions");

      if ((function = acc_parser_read_function (self, tokens, 1)) == NULL)
        return FALSE;

      statement->functions[statement->n_functions++] = function;
      return TRUE;
    }

  if (is_word (tokens, 0, "boundary"))
    return read_boundary (self, tokens);

  if (is_word (tokens, 0, "leaf") && tokens->len == 1)
    {
      g_ptr_array_add (statement->buffers, g_byte_array_new ());
      return TRUE;
    }

  if (is_word (tokens, 0, "data"))
    return read_data (self, tokens);

  return acc_parser_fail (self, first, "“%s” means nothing here", first->text);
}

static gboolean
read_statement (AccParser *self,
                GPtrArray *tokens)
{
  AccToken *first = g_ptr_array_index (tokens, 0);

  if (self->result != NULL)
    return acc_parser_fail (self, first, "nothing follows the program");

  if (is_word (tokens, 0, "error"))
    return acc_parser_fail (self, first, "the program carries an error: %s",
                            tokens->len > 1 ? ((AccToken *) g_ptr_array_index (tokens, 1))->text : "");

  if (is_word (tokens, 1, "="))
    return read_named (self, tokens);

  if (!is_word (tokens, 0, "program"))
    return read_part (self, tokens);

  return end_statement (self) && (self->result = read_program (self, tokens, 1)) != NULL;
}

static gboolean
read_text (AccParser *self)
{
  gboolean at_end;

  if (!acc_lexer_next (&self->lexer, &at_end, self->error))
    return FALSE;

  if (at_end || self->lexer.tokens->len != 3 || !is_word (self->lexer.tokens, 0, "acc") ||
      !is_word (self->lexer.tokens, 1, "program") || !is_word (self->lexer.tokens, 2, "1"))
    return acc_lexer_fail (MAX (self->lexer.line, 1), 1, self->error, "a program begins with “acc program 1”");

  while (TRUE)
    {
      g_autoptr(GPtrArray) tokens = NULL;

      if (!acc_lexer_next (&self->lexer, &at_end, self->error))
        return FALSE;
      if (at_end)
        break;

      tokens = acc_lexer_take_tokens (&self->lexer);
      if (!read_statement (self, tokens))
        return FALSE;
    }

  if (self->result == NULL)
    return acc_lexer_fail (self->lexer.line, 1, self->error, "the last line “program …” is missing");

  return TRUE;
}

static gboolean
check_result (AccParser *self)
{
  g_autoptr(GError) error = NULL;

  if (acc_program_check_closed (self->result, &error))
    return TRUE;

  return acc_lexer_fail (self->lexer.line, 1, self->error, "%s", error->message);
}

static void
free_array (gpointer array)
{
  acc_array_release (array, g_object_unref);
}

/**
 * acc_program_parse: (constructor)
 * @text: a text from [method@Program.to_string]
 * @error: return location for an error
 *
 * Reads a program from its text form. Any text is safe to read. An array that was backed by a source cannot be read back.
 *
 * Fails with %ACC_ERROR_PARSE, with line and column (in bytes), where @text is not a program.
 *
 * Returns: (transfer full): the program, or %NULL with @error set
 */
AccProgram *
acc_program_parse (const char  *text,
                   GError     **error)
{
  g_autoptr(GError) own_error = NULL;
  AccParser parser = { 0, };
  gboolean good;

  g_return_val_if_fail (text != NULL, NULL);

  if (!g_utf8_validate (text, -1, NULL))
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_PARSE, "line 1, column 1: not UTF-8");
      return NULL;
    }

  parser.error = &own_error;
  parser.arrays = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_array);
  parser.programs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_array);
  parser.bound = g_hash_table_new (NULL, NULL);
  parser.statement.exprs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) acc_expr_unref);
  parser.statement.buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
  acc_lexer_init (&parser.lexer, text);

  good = read_text (&parser) && check_result (&parser);

  acc_lexer_clear (&parser.lexer);
  clear_statement (&parser.statement);
  g_hash_table_unref (parser.statement.exprs);
  g_ptr_array_unref (parser.statement.buffers);
  g_hash_table_unref (parser.bound);
  g_hash_table_unref (parser.programs);
  g_hash_table_unref (parser.arrays);

  if (good)
    return parser.result;

  g_clear_object (&parser.result);
  g_propagate_error (error, g_steal_pointer (&own_error));
  return NULL;
}
