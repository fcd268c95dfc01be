/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-expr-build-private.h"

/* Copies of expressions: of functions that read other arrays than they were built with, or that are applied to arguments. */

typedef struct {
  AccExpr *expr;
  guint    next;
} Frame;

static AccExpr *
get_copy (AccExprCopier *self,
          AccExpr       *expr)
{
  return self->reads_only && !expr->reads && !expr->keeps ? expr : g_hash_table_lookup (self->copies, expr);
}

AccExpr *
_acc_expr_copier_same (AccExprCopier *self,
                       AccExpr       *expr,
                       AccArray      *array)
{
  AccExpr *copy = _acc_expr_alloc (expr->kind, expr->type, expr->n_args);

  copy->floating = 0;
  copy->weak = expr->weak;
  copy->primitive = expr->primitive;
  copy->item = expr->item;
  copy->value = expr->value;
  if (array != NULL)
    copy->array = g_object_ref (array);
  for (guint i = 0; i < G_N_ELEMENTS (expr->functions); i++)
    if (expr->functions[i] != NULL)
      copy->functions[i] = self->copy_function (self, expr->functions[i]);
  for (guint i = 0; i < expr->n_args; i++)
    copy->args[i] = acc_expr_ref (get_copy (self, expr->args[i]));

  return _acc_expr_seal (copy);
}

AccExpr *
_acc_expr_copier_run (AccExprCopier *self,
                      AccExpr       *body)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));

  g_array_append_vals (stack, &(Frame) { body, 0 }, 1);
  while (stack->len > 0)
    {
      Frame *top = &g_array_index (stack, Frame, stack->len - 1);
      AccExpr *expr = top->expr;

      if (get_copy (self, expr) == NULL && top->next < expr->n_args)
        {
          g_array_append_vals (stack, &(Frame) { expr->args[top->next++], 0 }, 1);
          continue;
        }
      if (get_copy (self, expr) == NULL)
        g_hash_table_insert (self->copies, expr, self->copy (self, expr));
      g_array_set_size (stack, stack->len - 1);
    }

  return get_copy (self, body);
}

AccFunction *
_acc_expr_copier_function (AccExprCopier *self,
                           AccFunction   *function)
{
  AccFunction *copy = acc_function_new_open (function->params, function->n_params, _acc_expr_copier_run (self, function->body));

  copy->commutes = function->commutes;

  return copy;
}

/* --- other arrays: expressions that read none are shared, variables always are. Copies have no origin */

typedef struct {
  AccExprCopier base;
  GHashTable   *replaced;
} Replacement;

static AccExpr *
copy_reading (AccExprCopier *copier,
              AccExpr       *expr)
{
  Replacement *self = (Replacement *) copier;
  AccArray *other = expr->array != NULL ? g_hash_table_lookup (self->replaced, expr->array) : NULL;

  return _acc_expr_copier_same (copier, expr, other != NULL ? other : expr->array);
}

static AccFunction *
copy_inner (AccExprCopier *copier,
            AccFunction   *function)
{
  return acc_function_copy_replaced (function, ((Replacement *) copier)->replaced, copier->copies);
}

AccFunction *
acc_function_copy_replaced (AccFunction *self,
                            GHashTable  *replaced,
                            GHashTable  *copies)
{
  Replacement replacement = { { copies, TRUE, copy_reading, copy_inner }, replaced };
  gboolean reads = self->body->keeps;

  for (guint i = 0; i < self->arrays->len && !reads; i++)
    reads = g_hash_table_contains (replaced, g_ptr_array_index (self->arrays, i));

  return reads ? _acc_expr_copier_function (&replacement.base, self) : acc_function_ref (self);
}

/* --- applied */

static AccExpr *
copy_with_arguments (AccExprCopier *copier,
                     AccExpr       *expr)
{
  return expr->n_args > 0 || expr->functions[0] != NULL ? _acc_expr_copier_same (copier, expr, expr->array) : acc_expr_ref (expr);
}

AccExpr *
acc_function_apply (AccFunction *self,
                    AccExpr    **args)
{
  g_autoptr(GHashTable) copies = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) acc_expr_unref);
  AccExprCopier copier = { copies, FALSE, copy_with_arguments, _acc_expr_copier_function };

  for (guint i = 0; i < self->n_params; i++)
    g_hash_table_insert (copies, self->params[i], acc_expr_ref_sink (args[i]));

  return _acc_expr_float (acc_expr_ref (_acc_expr_copier_run (&copier, self->body)));
}

AccFunction *
acc_function_copy_exchanged (AccFunction *self,
                             GHashTable  *exprs)
{
  g_autoptr(GHashTable) copies = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) acc_expr_unref);
  AccExprCopier copier = { copies, FALSE, copy_with_arguments, _acc_expr_copier_function };
  GHashTableIter iter;
  gpointer expr, other;

  g_hash_table_iter_init (&iter, exprs);
  while (g_hash_table_iter_next (&iter, &expr, &other))
    g_hash_table_insert (copies, expr, acc_expr_ref (other));

  return _acc_expr_copier_function (&copier, self);
}
