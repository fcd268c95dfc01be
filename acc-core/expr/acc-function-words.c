/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-function-words-private.h"

/* An expression that was met before, in place of its kind. */
#define MET_BEFORE 0xff
/* And a literal whose value is not told. */
#define ANY_LITERAL 0xfe

/* Set in a pointer on the stack to such a literal. */
#define MAY_BE_READ 1

static void
push (AccFunctionWriter *self,
      AccExpr           *expr,
      gboolean           may_be_read)
{
  __builtin_prefetch (expr);
  g_ptr_array_add (self->stack, (gpointer) ((gsize) expr | (may_be_read ? MAY_BE_READ : 0)));
}

/* Where nothing is known of it that makes other code: not i8 and b1, which indices and choices are made of. */
static gboolean
may_be_read (AccExpr *user,
             AccExpr *literal)
{
  AccElementKind kind;

  if (literal->kind != ACC_EXPR_LITERAL)
    return FALSE;
  kind = acc_element_type_get_kind (literal->type);
  if (kind == ACC_KIND_BOOL || kind == ACC_KIND_I64)
    return FALSE;
  if (user->kind != ACC_EXPR_PRIMITIVE)
    return user->kind == ACC_EXPR_TUPLE || user->kind == ACC_EXPR_COND;

  return user->primitive == ACC_PRIM_SUB || user->primitive == ACC_PRIM_FDIV || acc_primitive_is (user->primitive, ACC_FAMILY_REDUCTION)
         || acc_primitive_is (user->primitive, ACC_FAMILY_COMPARISON);
}

/* The body goes on the stack. */
static void
put_head (AccFunctionWriter *self,
          AccFunction       *function)
{
  guint number;

  acc_words_put (&self->words, (guint64) function->n_params | (guint64) function->commutes << 32);
  for (guint i = 0; i < function->n_params; i++)
    {
      acc_numbers_add (&self->exprs, function->params[i], &number);
      acc_words_put (&self->words, GPOINTER_TO_SIZE (function->params[i]->type));
    }
  self->keeps |= function->body->keeps;
  push (self, function->body, FALSE);
}

static void
put_expr (AccFunctionWriter *self,
          gsize              tagged)
{
  AccExpr *expr = (AccExpr *) (tagged & ~(gsize) MAY_BE_READ);
  guint number;

  if (!acc_numbers_add (&self->exprs, expr, &number))
    {
      acc_words_put (&self->words, MET_BEFORE | (guint64) number << 32);
      return;
    }

  if (tagged & MAY_BE_READ)
    {
      acc_words_put (&self->words, ANY_LITERAL);
      acc_words_put (&self->words, GPOINTER_TO_SIZE (expr->type));
      g_ptr_array_add (self->literals, expr);
      return;
    }

  acc_words_put (&self->words, (guint64) expr->kind | (guint64) expr->primitive << 8 | (guint64) expr->n_args << 32);
  acc_words_put (&self->words, GPOINTER_TO_SIZE (expr->type));
  if (expr->kind == ACC_EXPR_LITERAL)
    acc_words_put (&self->words, expr->value.u);
  else if (expr->kind == ACC_EXPR_ITEM || expr->kind == ACC_EXPR_EXTENT)
    acc_words_put (&self->words, expr->item);
  if (expr->array != NULL)
    {
      acc_numbers_add (&self->arrays, expr->array, &number);
      acc_words_put (&self->words, number);
    }
  for (guint i = 0; i < expr->n_args; i++)
    push (self, expr->args[i], self->literals != NULL && may_be_read (expr, expr->args[i]));
  for (guint i = 0; i < G_N_ELEMENTS (expr->functions); i++)
    if (expr->functions[i] != NULL)
      put_head (self, expr->functions[i]);
}

void
acc_function_writer_put (AccFunctionWriter *self,
                         AccFunction       *function)
{
  if (self->stack == NULL)
    self->stack = g_ptr_array_new ();
  acc_numbers_clear (&self->exprs);

  put_head (self, function);
  while (self->stack->len > 0)
    put_expr (self, (gsize) g_ptr_array_steal_index_fast (self->stack, self->stack->len - 1));
}

void
acc_function_writer_clear (AccFunctionWriter *self)
{
  g_clear_pointer (&self->words.words, g_free);
  acc_numbers_free (&self->exprs);
  acc_numbers_free (&self->arrays);
  g_clear_pointer (&self->stack, g_ptr_array_unref);
}
