/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-core/array/acc-foreign-known-private.h"
#include "acc-core/array/acc-graph-words-private.h"
#include "acc-core/derived/acc-array-products.h"
#include "acc-core/derived/acc-array-scan-private.h"
#include "acc-program-parser-private.h"
#include "acc-core/array/acc-program-private.h"

#include <string.h>

/* In bytes; the names of known operations have less than half of it. */
#define MAX_OPERATION_NAME 64
/* More than what a product or a filter is composed of. */
#define COMPOSED_WORDS 4096

/* The tokens of an operation after its name and "=", read one after the other. */
typedef struct {
  AccParser *parser;
  GPtrArray *tokens;
  guint      next;
} Reader;

static AccToken *
peek (Reader *self)
{
  return self->next < self->tokens->len ? g_ptr_array_index (self->tokens, self->next) : NULL;
}

static gboolean
peek_word (Reader     *self,
           const char *word)
{
  AccToken *token = peek (self);

  return token != NULL && !token->quoted && strcmp (token->text, word) == 0;
}

/* What may follow the inputs and fields of any operation, in this order; no array has such a name. */
static gboolean
is_trailer (AccToken *token)
{
  static const char *const words[] = { "foreign", "direct", "for", "label", NULL };

  return !token->quoted && g_strv_contains (words, token->text);
}

static gboolean
at_trailer (Reader *self)
{
  AccToken *token = peek (self);

  return token == NULL || is_trailer (token);
}

static AccToken *
take (Reader     *self,
      const char *what)
{
  AccToken *token = peek (self);

  if (token == NULL)
    {
      acc_parser_fail (self->parser, g_ptr_array_index (self->tokens, self->tokens->len - 1), "%s is missing", what);
      return NULL;
    }

  self->next++;
  return token;
}

static gboolean
take_number (Reader     *self,
             const char *what,
             gint64      minimum,
             gint64      maximum,
             gint64     *number)
{
  AccToken *token = take (self, what);

  return token != NULL && acc_parser_get_number (self->parser, token, minimum, maximum, number);
}

static gboolean
take_arrays (Reader    *self,
             int        n_wanted,
             GPtrArray *arrays)
{
  while (n_wanted < 0 ? !at_trailer (self) : (int) arrays->len < n_wanted)
    {
      AccToken *token = take (self, "an array");
      AccArray *array = token != NULL ? acc_parser_get_array (self->parser, token) : NULL;

      if (array == NULL)
        return FALSE;

      g_ptr_array_add (arrays, array);
    }

  return TRUE;
}

/* How many arrays stand before the two programs of a loop. */
static int
count_states (Reader *self)
{
  guint end = self->next;

  while (end < self->tokens->len && !is_trailer (g_ptr_array_index (self->tokens, end)))
    end++;

  return (int) MAX (end - self->next, 2) - 2;
}

static gboolean
take_signature (Reader          *self,
                AccElementType **type,
                GArray          *extents)
{
  AccToken *token = take (self, "a type");
  g_autoptr(GError) error = NULL;

  if (token == NULL)
    return FALSE;

  if (!acc_parser_spend (self->parser, token, strlen (token->text)))
    return FALSE;

  if (acc_signature_parse (token->text, type, extents, &error))
    return TRUE;

  return acc_parser_fail (self->parser, token, "%s", error->message);
}

static AccArray *
read_parameter (Reader *self)
{
  g_autoptr(GArray) declared = g_array_new (FALSE, FALSE, sizeof (gint64));
  AccElementType *type;
  gint64 position;

  if (!take_number (self, "the position of the parameter", 0, G_MAXINT, &position) ||
      !take_signature (self, &type, declared))
    return NULL;

  return acc_array_new_parameter (type, declared->len, (gint64 *) declared->data, position);
}

static AccArray *
read_use (Reader *self)
{
  g_autoptr(GArray) extents = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  AccStatement *statement = &self->parser->statement;
  g_autoptr(AccShape) shape = NULL;
  AccElementType *type;
  AccToken *token = peek (self);

  if (!take_signature (self, &type, extents))
    return NULL;

  for (guint i = 0; i < extents->len; i++)
    if (g_array_index (extents, gint64, i) < 0)
      {
        acc_parser_fail (self->parser, token, "data has known extents");
        return NULL;
      }

  for (guint i = 0; i < statement->buffers->len; i++)
    g_ptr_array_add (buffers, g_byte_array_free_to_bytes (g_byte_array_ref (g_ptr_array_index (statement->buffers, i))));

  shape = acc_shape_new ((gint64 *) extents->data, extents->len);
  return acc_array_use_buffers (type, shape, (GBytes **) buffers->pdata, buffers->len);
}

static gboolean
read_selection (Reader   *self,
                AccArray *node)
{
  g_autoptr(GArray) entries = g_array_new (FALSE, FALSE, sizeof (gint64));

  while (!at_trailer (self))
    {
      gint64 entry = ACC_ALL;

      if (peek_word (self, "all"))
        self->next++;
      else if (!take_number (self, "an entry", G_MININT64 + 1, G_MAXINT64, &entry))
        return FALSE;

      g_array_append_val (entries, entry);
    }

  acc_array_set_selection (node, entries->len > 0 ? (gint64 *) entries->data : (gint64[1]) { 0 }, entries->len);
  return TRUE;
}

static gboolean
read_sizes (Reader   *self,
            AccArray *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      g_autoptr(GArray) sizes = g_array_new (FALSE, FALSE, sizeof (gint64));
      AccToken *token = take (self, "“sizes”");
      guint64 total = strlen (acc_element_type_get_code (node->inputs[i]->type)) + 1;

      if (token == NULL)
        return FALSE;
      if (strcmp (token->text, "sizes") != 0)
        return acc_parser_fail (self->parser, token, "“sizes” is missing here");

      for (guint d = 0; d < node->inputs[i]->rank; d++)
        {
          gint64 size;

          if (!take_number (self, "a size", 1, ACC_MAX_LEAVES, &size))
            return FALSE;

          g_array_append_val (sizes, size);
          total = total * size + 2;
          if (!acc_parser_spend (self->parser, token, total))
            return FALSE;
        }

      acc_array_set_sizes (node, i, sizes->len > 0 ? (gint64 *) sizes->data : (gint64[1]) { 0 }, sizes->len);
    }

  return TRUE;
}

/* Borrowed. */
static AccProgram *
take_program (Reader *self)
{
  AccToken *token = take (self, "a program");
  AccProgram *program;

  if (token == NULL)
    return NULL;

  if ((program = g_hash_table_lookup (self->parser->programs, token->text)) == NULL)
    acc_parser_fail (self->parser, token, "there is no program “%s”", token->text);

  return program;
}

static gboolean
read_programs (Reader   *self,
               AccArray *node)
{
  for (guint i = 0; i < 2; i++)
    {
      AccProgram *program = take_program (self);

      if (program == NULL)
        return FALSE;

      acc_array_set_program (node, i, program);
    }

  return TRUE;
}

static gboolean
take_name (Reader      *self,
           const char **name)
{
  AccToken *token = take (self, "a name");

  if (token == NULL)
    return FALSE;
  if (!token->quoted)
    return acc_parser_fail (self->parser, token, "a name in quotes is missing");

  *name = token->text;
  return TRUE;
}

/* Name and fallback come before the arrays, of which there are any number. Both borrowed. */
static gboolean
take_foreign (Reader      *self,
              const char **name,
              AccProgram **fallback)
{
  return take_name (self, name) && (*fallback = take_program (self)) != NULL;
}

static gboolean
read_offer (Reader   *self,
            AccArray *array)
{
  g_autoptr(GPtrArray) arrays = g_ptr_array_new ();
  AccToken *token = peek (self);
  const char *name = NULL, *problem;

  /* Data and parameters are not computed. */
  if (!peek_word (self, "foreign") || (array->n_inputs == 0 && array->references->len == 0))
    return TRUE;

  self->next++;
  if (!take_name (self, &name) || !take_arrays (self, -1, arrays))
    return FALSE;

  acc_array_offer (array, name, (AccArray **) arrays->pdata, arrays->len);
  if (array->error == NULL && (problem = acc_foreign_check_static (array)) != NULL)
    return acc_parser_fail (self->parser, token, "“%s” %s", name, problem);

  return TRUE;
}

/* Moves what the lines below gave into the node. */
static gboolean
take_parts (Reader    *self,
            AccArray  *node,
            AccToken  *token)
{
  AccStatement *statement = &self->parser->statement;
  guint n_functions = strlen (acc_operation_get_info (node->op)->functions);
  guint n_boundaries = acc_operation_get_payload (node->op) == ACC_PAYLOAD_STENCIL ? node->n_inputs : 0;
  gboolean has_extents = acc_operation_has_fact (node->op, ACC_FACT_HAS_EXTENTS);

  if (statement->n_functions != n_functions)
    return acc_parser_fail (self->parser, token, "%s has %u functions, not %u", token->text, n_functions,
                            statement->n_functions);

  if (statement->n_boundaries != n_boundaries)
    return acc_parser_fail (self->parser, token, "%s has %u boundaries, not %u", token->text, n_boundaries,
                            statement->n_boundaries);

  if ((statement->extents != NULL) != has_extents)
    return acc_parser_fail (self->parser, token, "%s %s", token->text, has_extents ? "needs extents" : "has no extents");

  if (statement->buffers->len > 0 && node->op != ACC_OP_USE)
    return acc_parser_fail (self->parser, token, "%s has no data", token->text);

  if (has_extents)
    acc_array_take_extents (node, g_steal_pointer (&statement->extents));
  for (guint i = 0; i < n_boundaries; i++)
    acc_array_set_boundary (node, i, statement->boundaries[i]);
  for (guint i = 0; i < n_functions; i++)
    acc_array_take_function (node, i, g_steal_pointer (&statement->functions[i]));

  return TRUE;
}

/* What stands behind the inputs. */
static gboolean
read_payload (Reader   *self,
              AccArray *node)
{
  gint64 item;

  switch (acc_operation_get_payload (node->op))
    {
    case ACC_PAYLOAD_ITEM:
      if (!take_number (self, "an item", 0, G_MAXINT, &item))
        return FALSE;
      acc_array_set_item (node, item);
      return TRUE;

    case ACC_PAYLOAD_SELECTION:
      return read_selection (self, node);

    case ACC_PAYLOAD_STENCIL:
      return read_sizes (self, node);

    case ACC_PAYLOAD_LOOP:
      return read_programs (self, node);

    case ACC_PAYLOAD_NONE:
    case ACC_PAYLOAD_DATA:
    case ACC_PAYLOAD_SOURCE:
    case ACC_PAYLOAD_DEFERRED:
    case ACC_PAYLOAD_PARAMETER:
    case ACC_PAYLOAD_PERMUTE:
    case ACC_PAYLOAD_TRANSFORM:
    case ACC_PAYLOAD_FOREIGN:
      return TRUE;
    }

  return TRUE;
}

static AccArray *
read_delayed (Reader       *self,
              AccOperation  op,
              AccToken     *token)
{
  g_autoptr(GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr(AccArray) node = NULL;
  const char *name = NULL;
  AccProgram *fallback = NULL;
  guint64 cost = 0;

  if (op == ACC_OP_FOREIGN && !take_foreign (self, &name, &fallback))
    return NULL;
  if (!take_arrays (self, op == ACC_OP_WHILE_LOOP ? count_states (self) : acc_operation_get_info (op)->n_inputs, inputs))
    return NULL;

  node = acc_array_begin (op, (AccArray **) inputs->pdata, inputs->len);
  if (op == ACC_OP_FOREIGN)
    {
      AccProgramsPayload *payload = acc_array_get_payload (node, ACC_PAYLOAD_FOREIGN);

      payload->name = g_strdup (name);
      acc_array_set_program (node, 0, fallback);
    }

  if (node->error == NULL && (!read_payload (self, node) || !take_parts (self, node, token)))
    return NULL;

  for (guint i = 0; i < node->n_inputs; i++)
    cost += op == ACC_OP_ZIP ? strlen (acc_element_type_get_code (node->inputs[i]->type)) + 1 : node->inputs[i]->rank;

  if (!acc_parser_spend (self->parser, token, cost + node->rank))
    return NULL;

  return acc_array_complete (g_steal_pointer (&node));
}

static AccArray *
read_operation (Reader   *self,
                AccToken *token)
{
  AccOperation op;

  if (!acc_operation_from_name (token->text, &op) || acc_operation_get_info (op)->since[0] == '\0')
    {
      acc_parser_fail (self->parser, token, "there is no operation “%s”", token->text);
      return NULL;
    }

  if (op == ACC_OP_PARAMETER)
    return read_parameter (self);
  if (op == ACC_OP_USE)
    return read_use (self);

  if (op == ACC_OP_SOURCE)
    {
      acc_parser_fail (self->parser, token, "an array backed by a source cannot be read back: make it a parameter");
      return NULL;
    }

  return read_delayed (self, op, token);
}

/* What an operation of its own is said to compute from some arrays. */
typedef struct {
  AccToken   *token;      /* NULL: nothing is said */
  const char *name;
  GPtrArray  *arrays;
} Direct;

static gboolean
read_direct (Reader *self,
             Direct *direct)
{
  if (!peek_word (self, "direct"))
    return TRUE;

  direct->token = take (self, "direct");
  return take_name (self, &direct->name) && take_arrays (self, -1, direct->arrays);
}

static gboolean
is_same (AccArray  *array,
         AccArray  *other,
         GPtrArray *inputs)
{
  AccGraphWriter a = { 0 }, b = { 0 };
  guint n = inputs->pdata[0] == inputs->pdata[1] ? 1 : 2;
  gboolean same = acc_graph_writer_write (&a, (AccArray **) inputs->pdata, n, &array, 1, COMPOSED_WORDS)
                  && acc_graph_writer_write (&b, (AccArray **) inputs->pdata, n, &other, 1, COMPOSED_WORDS)
                  && a.leaves->len == n
                  && acc_words_equal (acc_graph_writer_get_words (&a), acc_graph_writer_get_words (&b));

  acc_graph_writer_clear (&a);
  acc_graph_writer_clear (&b);

  return same;
}

/* Products, as acc has an operation for them. */
static void
derive_product (AccArray  *array,
                GPtrArray *factors)
{
  g_autoptr(AccArray) made = acc_array_matmul (g_ptr_array_index (factors, 0), g_ptr_array_index (factors, 1));
  g_autoptr(AccArray) product = g_steal_pointer (&made->direct);

  if (product != NULL && is_same (array, made, factors))
    array->direct = g_steal_pointer (&product);
}

/* Filters, of which no place is left free. */
static void
derive_filter (AccArray  *array,
               GPtrArray *inputs)
{
  AccArray *elements = g_ptr_array_index (inputs, 0), *flags = g_ptr_array_index (inputs, 1);
  g_autoptr(AccArray) made = NULL;

  if (array->op != ACC_OP_PERMUTE || elements->rank != 1 || flags->rank != 1 || flags->type != acc_element_type_new (ACC_KIND_BOOL))
    return;

  made = acc_array_new_filter (elements, flags);
  acc_array_get_permute (array)->fills = TRUE;
  acc_array_get_permute (array)->fills = is_same (array, made, inputs);
}

/* Any text can say that something is a product or a filter: it is, where it is composed as one. Other names are for those who know them. */
static gboolean
derive_direct (Reader       *self,
               AccArray     *array,
               const Direct *direct)
{
  static const struct { const char *name; void (*derive) (AccArray *array, GPtrArray *arrays); } known[] = {
    { "matmul", derive_product }, { "compact", derive_filter },
  };

  if (direct->token == NULL || direct->arrays->len != 2 || array->error != NULL)
    return TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (direct->name, known[i].name) == 0)
      {
        G_GNUC_UNUSED g_auto(AccNaming) none = acc_naming_begin (NULL), name = acc_naming_begin (array->made_by);

        if (!acc_parser_spend (self->parser, direct->token, COMPOSED_WORDS))
          return FALSE;
        known[i].derive (array, direct->arrays);
      }

  return TRUE;
}

/* The name of a composed operation. Texts may be untrusted, or of versions with more operations: an unknown name is kept, as a label is. */
static gboolean
read_made_by (Reader   *self,
              AccArray *array)
{
  AccToken *token;
  const char *name = NULL;

  if (!peek_word (self, "for"))
    return TRUE;

  self->next++;
  token = peek (self);
  if (!take_name (self, &name))
    return FALSE;
  if (strlen (name) == 0 || strlen (name) > MAX_OPERATION_NAME || strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen (name))
    return acc_parser_fail (self->parser, token, "“%s” is not the name of an operation", name);

  g_clear_pointer (&array->made_by, g_ref_string_release);
  array->made_by = g_ref_string_new (name);
  return TRUE;
}

static gboolean
read_label (Reader   *self,
            AccArray *array)
{
  AccToken *token;

  if (peek_word (self, "label"))
    {
      self->next++;
      if ((token = take (self, "the label")) == NULL)
        return FALSE;
      if (!token->quoted)
        return acc_parser_fail (self->parser, token, "a label stands in quotes");

      acc_array_set_label (array, token->text);
    }

  if ((token = peek (self)) != NULL)
    return acc_parser_fail (self->parser, token, "“%s” is too much here", token->text);

  return TRUE;
}

AccArray *
acc_parser_build (AccParser *self)
{
  Reader reader = { self, self->statement.tokens, 2 };
  g_autoptr(AccArray) array = NULL;
  g_autoptr(GPtrArray) arrays = g_ptr_array_new ();
  Direct direct = { NULL, NULL, arrays };
  AccToken *token;

  if ((token = take (&reader, "an operation")) == NULL || (array = read_operation (&reader, token)) == NULL
      || !read_offer (&reader, array) || !read_direct (&reader, &direct) || !read_made_by (&reader, array)
      || !derive_direct (&reader, array, &direct) || !read_label (&reader, array))
    return NULL;

  if (array->error != NULL)
    {
      g_autoptr(GError) error = acc_array_dup_error (array);

      acc_parser_fail (self, token, "%s", error->message);
      return NULL;
    }

  return g_steal_pointer (&array);
}
