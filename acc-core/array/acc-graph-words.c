/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-graph-words-private.h"

#include <string.h>

/* In place of how many arrays a function reads. */
#define NO_FUNCTION G_MAXUINT64

static void
put (AccGraphWriter *self,
     guint64         word)
{
  acc_words_put (&self->functions.words, word);
}

static void
put_text (AccGraphWriter *self,
          const char     *text)
{
  gsize size = text != NULL ? strlen (text) + 1 : 0;

  put (self, size);
  for (gsize at = 0; at < size; at += sizeof (guint64))
    {
      guint64 word = 0;

      memcpy (&word, text + at, MIN (size - at, sizeof word));
      put (self, word);
    }
}

static void
put_numbers (AccGraphWriter *self,
             const gint64   *numbers,
             guint           n)
{
  put (self, n);
  for (guint i = 0; i < n; i++)
    put (self, (guint64) numbers[i]);
}

/* Nodes that functions read get their numbers while those are written. */
static void
put_node (AccGraphWriter *self,
          AccArray       *node)
{
  guint number;

  if (acc_numbers_add (&self->functions.arrays, node, &number))
    g_ptr_array_add (self->nodes, node);
  put (self, number);
}

static void
put_function (AccGraphWriter *self,
              AccFunction    *function)
{
  if (function == NULL)
    {
      put (self, NO_FUNCTION);
      return;
    }
  put (self, function->arrays->len);
  for (guint i = 0; i < function->arrays->len; i++)
    put_node (self, g_ptr_array_index (function->arrays, i));
  acc_function_writer_put (&self->functions, function);
}

/* Functions of elements, which may read any array. */
static gboolean
has_literals (AccGraphWriter *self,
              AccArray       *node)
{
  return self->generalises && acc_operation_get_family (node->op) == ACC_FAMILY_ELEMENTS && node->op != ACC_OP_FILL;
}

/* The first one. */
static void
put_element_function (AccGraphWriter *self,
                      AccArray       *node,
                      AccFunction    *function)
{
  self->functions.literals = has_literals (self, node) ? self->literals : NULL;
  put_function (self, function);
  self->functions.literals = NULL;
  while (self->owners->len < self->literals->len)
    g_ptr_array_add (self->owners, node);
}

/* NULL: of something that is computed, they are not known. */
static const gint64 *
get_leaf_extents (AccArray *leaf)
{
  if (leaf->op == ACC_OP_PARAMETER)
    return acc_array_get_parameter (leaf)->declared;

  return leaf->shape != NULL ? acc_shape_get_extents (leaf->shape, NULL) : NULL;
}

static void
put_leaf (AccGraphWriter *self,
          AccArray       *node)
{
  const gint64 *extents = get_leaf_extents (node);

  put (self, ACC_OP_USE);
  put (self, GPOINTER_TO_SIZE (node->type));
  put_numbers (self, extents, extents != NULL ? node->rank : 0);
  put_text (self, node->label);
}

static void
put_programs (AccGraphWriter *self,
              AccArray       *node)
{
  AccProgram **programs = acc_array_get_programs (node);

  for (guint i = 0; programs != NULL && i < 2 && programs[i] != NULL; i++)
    {
      guint n_parameters, n_results;
      AccArray **parameters = acc_program_get_parameter_nodes (programs[i], &n_parameters);
      AccArray **results = acc_program_get_result_nodes (programs[i], &n_results);

      put (self, (guint64) n_parameters << 32 | n_results);
      for (guint j = 0; j < n_parameters; j++)
        put_node (self, parameters[j]);
      for (guint j = 0; j < n_results; j++)
        put_node (self, results[j]);
    }
  if (node->op == ACC_OP_FOREIGN)
    put_text (self, acc_foreign_get_name (node));
}

static void
put_operation (AccGraphWriter *self,
               AccArray       *node)
{
  AccFunction *function;

  put (self, (guint64) node->n_functions | (guint64) node->n_inputs << 32);
  for (guint i = 0; i < node->n_inputs; i++)
    put_node (self, node->inputs[i]);
  for (guint i = 0; (function = acc_array_nth_function (node, i)) != NULL; i++)
    if (i == 0)
      put_element_function (self, node, function);
    else
      put_function (self, function);
  put_function (self, node->extents);
  put (self, node->references->len);
  for (guint i = 0; i < node->references->len; i++)
    put_node (self, g_ptr_array_index (node->references, i));
  put_programs (self, node);
}

static void
put_alternatives (AccGraphWriter *self,
                  AccArray       *node)
{
  put (self, (guint64) (node->offer != NULL) | (guint64) (node->direct != NULL) << 1);
  if (node->offer != NULL)
    {
      put_text (self, node->offer->name);
      for (guint i = 0; i < node->offer->n_inputs; i++)
        put_node (self, node->offer->inputs[i]);
    }
  if (node->direct != NULL)
    put_node (self, node->direct);
}

/* What an offer is worked out to follows from its name. */
static gboolean
is_pending (AccArray *node)
{
  return node->offer != NULL && g_atomic_pointer_get (&node->offer->expansion) != NULL;
}

/* FALSE: it has no words. */
static gboolean
put_description (AccGraphWriter *self,
                 AccArray       *node)
{
  gboolean pending = is_pending (node);

  if (node->error != NULL || node->op == ACC_OP_SOURCE || node->op == ACC_OP_DEFERRED)
    return FALSE;
  if (node->op == ACC_OP_USE)
    {
      g_ptr_array_add (self->leaves, node);
      put_leaf (self, node);
      return TRUE;
    }

  put (self, (guint64) node->op | (guint64) node->rank << 16 | (guint64) (node->shape != NULL) << 32 | (guint64) pending << 33);
  put (self, GPOINTER_TO_SIZE (node->type));
  if (node->shape != NULL)
    put_numbers (self, acc_shape_get_extents (node->shape, NULL), node->rank);
  put_text (self, node->label);
  put_text (self, node->made_by);
  if (node->op == ACC_OP_PARAMETER)
    {
      put (self, acc_array_get_parameter (node)->position);
      put_numbers (self, acc_array_get_parameter (node)->declared, node->rank);
      return TRUE;
    }

  g_array_set_size (self->numbers, 0);
  acc_array_list_payload (node, self->numbers);
  put_numbers (self, (const gint64 *) self->numbers->data, self->numbers->len);
  if (!pending)
    put_operation (self, node);
  put_alternatives (self, node);

  return TRUE;
}

static void
begin (AccGraphWriter *self)
{
  if (self->nodes == NULL)
    {
      self->nodes = g_ptr_array_new ();
      self->leaves = g_ptr_array_new ();
      self->literals = g_ptr_array_new ();
      self->owners = g_ptr_array_new ();
      self->numbers = g_array_new (FALSE, FALSE, sizeof (gint64));
    }
  g_ptr_array_set_size (self->nodes, 0);
  g_ptr_array_set_size (self->leaves, 0);
  g_ptr_array_set_size (self->literals, 0);
  g_ptr_array_set_size (self->owners, 0);
  acc_numbers_clear (&self->functions.arrays);
  self->functions.words.n = 0;
  self->functions.keeps = FALSE;
}

gboolean
acc_graph_writer_write (AccGraphWriter *self,
                        AccArray      **parameters,
                        guint           n_parameters,
                        AccArray      **results,
                        guint           n_results,
                        guint           most)
{
  gboolean ok = TRUE;

  begin (self);
  put (self, (guint64) n_parameters << 32 | n_results);
  for (guint i = 0; i < n_parameters; i++)
    {
      put_node (self, parameters[i]);
      g_ptr_array_add (self->leaves, parameters[i]);
      put_leaf (self, parameters[i]);
    }
  for (guint i = 0; i < n_results; i++)
    put_node (self, results[i]);

  /* The list grows. */
  for (guint i = n_parameters; i < self->nodes->len && ok; i++)
    ok = put_description (self, g_ptr_array_index (self->nodes, i)) && self->functions.words.n <= most;
  acc_words_close (&self->functions.words);

  return ok;
}

void
acc_graph_writer_clear (AccGraphWriter *self)
{
  acc_function_writer_clear (&self->functions);
  g_clear_pointer (&self->nodes, g_ptr_array_unref);
  g_clear_pointer (&self->leaves, g_ptr_array_unref);
  g_clear_pointer (&self->literals, g_ptr_array_unref);
  g_clear_pointer (&self->owners, g_ptr_array_unref);
  g_clear_pointer (&self->numbers, g_array_unref);
}

/* --- the same graph of parameters */

/* All that a node is made of: NULL after the last. */
static AccArray *
nth_part (AccArray *node,
          guint     n)
{
  AccProgram **programs = acc_array_get_programs (node);
  AccArray *dependence = acc_array_nth_known_dependence (node, n);
  guint n_dependences = node->n_inputs + node->references->len;

  if (dependence != NULL || n < n_dependences || is_pending (node))
    return dependence;
  n -= n_dependences;
  if (node->offer != NULL)
    {
      if (n < node->offer->n_inputs)
        return node->offer->inputs[n];
      n -= node->offer->n_inputs;
    }
  if (node->direct != NULL && n-- == 0)
    return node->direct;
  for (guint i = 0; programs != NULL && i < 2 && programs[i] != NULL; i++)
    {
      guint n_results;
      AccArray **results = acc_program_get_result_nodes (programs[i], &n_results);

      if (n < n_results)
        return results[n];
      n -= n_results;
    }

  return NULL;
}

static GHashTable *
make_parameters (GPtrArray *leaves,
                 GPtrArray *parameters)
{
  GHashTable *replaced = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);

  for (guint i = 0; i < leaves->len; i++)
    {
      AccArray *leaf = g_ptr_array_index (leaves, i);
      AccArray *parameter = acc_array_new_parameter (leaf->type, leaf->rank, get_leaf_extents (leaf), i);

      acc_array_set_label (parameter, leaf->label);
      g_ptr_array_add (parameters, parameter);
      g_hash_table_insert (replaced, leaf, g_object_ref (parameter));
    }

  return replaced;
}

/* Copies all nodes, and puts those of @results into @others. @literals: tables of expressions in place of those of first functions, by the
 * array; or NULL. */
static void
copy_all (AccArray  **results,
          guint       n_results,
          GHashTable *replaced,
          GHashTable *literals,
          AccArray  **others)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_by (results, n_results, nth_part);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      /* Parameters are those of programs within; arrays those of an offer that another thread works out. */
      if (node->op != ACC_OP_PARAMETER && node->op != ACC_OP_USE && !g_hash_table_contains (replaced, node))
        g_hash_table_insert (replaced, node,
                             acc_array_copy_anew (node, replaced, literals != NULL ? g_hash_table_lookup (literals, node) : NULL));
    }
  for (guint i = 0; i < n_results; i++)
    {
      others[i] = g_hash_table_lookup (replaced, results[i]);
      if (others[i] == NULL)
        others[i] = results[i];
    }
}

/* Whether the graph of parameters has all that the other one has, and no more. */
static gboolean
is_same (GPtrArray *leaves,
         AccArray **results,
         GPtrArray *parameters,
         AccArray **others,
         guint      n_results)
{
  AccGraphWriter writer = { 0 }, other = { 0 };
  gboolean same = acc_graph_writer_write (&writer, (AccArray **) leaves->pdata, leaves->len, results, n_results, G_MAXUINT)
                  && acc_graph_writer_write (&other, (AccArray **) parameters->pdata, parameters->len, others, n_results, G_MAXUINT)
                  && acc_words_equal (acc_graph_writer_get_words (&writer), acc_graph_writer_get_words (&other))
                  && other.leaves->len == leaves->len && !other.functions.keeps;

  acc_graph_writer_clear (&writer);
  acc_graph_writer_clear (&other);

  return same;
}

AccProgram *
acc_graph_generalise (GPtrArray *leaves,
                      AccArray **results,
                      guint      n_results)
{
  g_autoptr(GPtrArray) parameters = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GHashTable) replaced = make_parameters (leaves, parameters);
  g_autofree AccArray **others = g_new (AccArray *, n_results + 1);
  g_autoptr(AccProgram) program = NULL;

  copy_all (results, n_results, replaced, NULL, others);
  program = acc_program_new_for_nodes ((AccArray **) parameters->pdata, parameters->len, others, n_results);

  return is_same (leaves, results, parameters, others, n_results) ? g_steal_pointer (&program) : NULL;
}

/* In the first function of @owner. Takes over @expr. */
static void
add_literal (GHashTable *literals,
             AccArray   *owner,
             AccExpr    *literal,
             AccExpr    *expr)
{
  GHashTable *table = g_hash_table_lookup (literals, owner);

  if (table == NULL)
    {
      table = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) acc_expr_unref);
      g_hash_table_insert (literals, owner, table);
    }
  g_hash_table_insert (table, literal, expr);
}

AccProgram *
acc_graph_generalise_literals (AccProgram     *program,
                               const gboolean *is_parameter)
{
  guint n_parameters, n_results;
  AccArray **before = acc_program_get_parameter_nodes (program, &n_parameters);
  AccArray **results = acc_program_get_result_nodes (program, &n_results);
  g_autoptr(GHashTable) literals = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_hash_table_unref);
  g_autoptr(GHashTable) replaced = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  g_autoptr(GPtrArray) parameters = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree AccArray **others = g_new (AccArray *, n_results + 1);
  AccGraphWriter writer = { .generalises = TRUE };

  for (guint i = 0; i < n_parameters; i++)
    g_ptr_array_add (parameters, g_object_ref (before[i]));
  acc_graph_writer_write (&writer, before, n_parameters, results, n_results, G_MAXUINT);
  for (guint i = 0; i < writer.literals->len; i++)
    if (is_parameter[i])
      {
        AccExpr *literal = g_ptr_array_index (writer.literals, i);
        AccArray *parameter = acc_array_new_parameter (literal->type, 0, NULL, parameters->len);

        g_ptr_array_add (parameters, parameter);
        add_literal (literals, g_ptr_array_index (writer.owners, i), literal, acc_expr_ref_sink (acc_expr_the (parameter)));
      }
  acc_graph_writer_clear (&writer);
  copy_all (results, n_results, replaced, literals, others);

  return acc_program_new_for_nodes ((AccArray **) parameters->pdata, parameters->len, others, n_results);
}
