/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-function-forms.h"

#include "acc-numbers.h"
#include "acc-signature.h"

#include <string.h>

/* An expression that was met before, in place of its kind. */
#define MET_BEFORE 0xff

/* The parameter whose taps were counted last. */
typedef struct {
  AccTaps found;    /* .n 0: nowhere */
  guint   rank;
  gint64  sizes[ACC_FUNCTION_MAX_TAP_RANK];
} Taps;

typedef struct {
  AccSignature words;
  guint    number;
  double   cost;
  gboolean *reads;  /* per array: whether elements are read */
  Taps    *taps;    /* per parameter; NULL: none asked for */
} Form;

struct _AccFunctionForms {
  GHashTable *known;      /* AccFunction → Form */
  GHashTable *forms;      /* Form, owned */

  /* The function at hand. */
  AccSignature words;
  AccNumbers  exprs;
  AccNumbers  arrays;
  GPtrArray  *stack;      /* AccExpr */
};

static void
form_free (gpointer data)
{
  Form *self = data;

  g_free (self->words.words);
  g_free (self->reads);
  g_free (self->taps);
  g_free (self);
}

AccFunctionForms *
acc_function_forms_new (void)
{
  AccFunctionForms *self = g_new0 (AccFunctionForms, 1);

  self->known = g_hash_table_new (NULL, NULL);
  self->forms = g_hash_table_new_full (acc_signature_hash, acc_signature_equal, form_free, NULL);
  self->stack = g_ptr_array_new ();

  return self;
}

void
acc_function_forms_free (AccFunctionForms *self)
{
  g_hash_table_unref (self->known);
  g_hash_table_unref (self->forms);
  g_free (self->words.words);
  acc_numbers_free (&self->exprs);
  acc_numbers_free (&self->arrays);
  g_ptr_array_unref (self->stack);
  g_free (self);
}

static void
push (AccFunctionForms *self,
      AccExpr          *expr)
{
  __builtin_prefetch (expr);
  g_ptr_array_add (self->stack, expr);
}

/* The body goes on the stack. */
static void
put_function (AccFunctionForms *self,
              AccFunction      *function)
{
  guint number;

  acc_signature_put (&self->words, (guint64) function->n_params | (guint64) function->commutes << 32);
  for (guint i = 0; i < function->n_params; i++)
    {
      acc_numbers_add (&self->exprs, function->params[i], &number);
      acc_signature_put (&self->words, GPOINTER_TO_SIZE (function->params[i]->type));
    }
  push (self, function->body);
}

static void
put_expr (AccFunctionForms *self,
          AccExpr          *expr)
{
  guint number;

  if (!acc_numbers_add (&self->exprs, expr, &number))
    {
      acc_signature_put (&self->words, MET_BEFORE | (guint64) number << 32);
      return;
    }

  acc_signature_put (&self->words, (guint64) expr->kind | (guint64) expr->primitive << 8 | (guint64) expr->n_args << 32);
  acc_signature_put (&self->words, GPOINTER_TO_SIZE (expr->type));
  if (expr->kind == ACC_EXPR_LITERAL)
    acc_signature_put (&self->words, expr->value.u);
  else if (expr->kind == ACC_EXPR_ITEM || expr->kind == ACC_EXPR_EXTENT)
    acc_signature_put (&self->words, expr->item);
  if (expr->array != NULL)
    {
      acc_numbers_add (&self->arrays, expr->array, &number);
      acc_signature_put (&self->words, number);
    }
  for (guint i = 0; i < expr->n_args; i++)
    push (self, expr->args[i]);
  for (guint i = 0; i < G_N_ELEMENTS (expr->functions); i++)
    if (expr->functions[i] != NULL)
      put_function (self, expr->functions[i]);
}

static void
write_form (AccFunctionForms *self,
            AccFunction      *function)
{
  guint number;

  self->words.n = 0;
  acc_numbers_clear (&self->exprs);
  acc_numbers_clear (&self->arrays);
  for (guint i = 0; i < function->arrays->len; i++)
    acc_numbers_add (&self->arrays, g_ptr_array_index (function->arrays, i), &number);

  put_function (self, function);
  while (self->stack->len > 0)
    put_expr (self, g_ptr_array_steal_index_fast (self->stack, self->stack->len - 1));
  acc_signature_close (&self->words);
}

static gboolean *
list_reads (AccFunction *function)
{
  g_autoptr(GHashTable) reads = g_hash_table_new (NULL, NULL);
  gboolean *list = g_new (gboolean, function->arrays->len);

  acc_function_collect_reads (function, reads);
  for (guint i = 0; i < function->arrays->len; i++)
    list[i] = g_hash_table_contains (reads, g_ptr_array_index (function->arrays, i));

  return list;
}

static Form *
get_form (AccFunctionForms *self,
          AccFunction      *function)
{
  Form *form = g_hash_table_lookup (self->known, function);

  if (form != NULL)
    return form;

  write_form (self, function);
  form = g_hash_table_lookup (self->forms, &self->words);
  if (form == NULL)
    {
      form = g_new0 (Form, 1);
      form->words = acc_signature_dup (&self->words);
      form->number = g_hash_table_size (self->forms);
      form->cost = acc_function_get_cost (function);
      form->reads = list_reads (function);
      g_hash_table_add (self->forms, form);
    }
  g_hash_table_insert (self->known, function, form);

  return form;
}

guint
acc_function_forms_get_number (AccFunctionForms *self,
                               AccFunction      *function)
{
  return get_form (self, function)->number;
}

gboolean
acc_function_forms_reads (AccFunctionForms *self,
                          AccFunction      *function,
                          guint             array)
{
  return get_form (self, function)->reads[array];
}

double
acc_function_forms_get_cost (AccFunctionForms *self,
                             AccFunction      *function)
{
  return get_form (self, function)->cost;
}

AccTaps
acc_function_forms_find_taps (AccFunctionForms *self,
                              AccFunction      *function,
                              guint             param,
                              const gint64     *sizes,
                              guint             rank)
{
  Form *form = get_form (self, function);
  Taps *taps;

  if (rank > ACC_FUNCTION_MAX_TAP_RANK)
    return acc_function_find_taps (function, param, sizes, rank);

  if (form->taps == NULL)
    form->taps = g_new0 (Taps, function->n_params);
  taps = &form->taps[param];
  if (taps->found.n == 0 || taps->rank != rank || memcmp (taps->sizes, sizes, rank * sizeof (gint64)) != 0)
    {
      taps->found = acc_function_find_taps (function, param, sizes, rank);
      taps->rank = rank;
      memcpy (taps->sizes, sizes, rank * sizeof (gint64));
    }

  return taps->found;
}
