/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-expr-build-private.h"

/* Copies functions with the arrays that they read replaced. Expressions that read no array are shared, variables always are. */

typedef struct {
  AccExpr *expr;
  guint    next;
} Frame;

static AccExpr *
get_copy (AccExpr    *expr,
          GHashTable *copies)
{
  return expr->reads ? g_hash_table_lookup (copies, expr) : expr;
}

static AccExpr *
copy_expr (AccExpr    *expr,
           GHashTable *replaced,
           GHashTable *copies)
{
  AccExpr *copy = _acc_expr_alloc (expr->kind, expr->type, expr->n_args);

  copy->floating = 0;
  copy->weak = expr->weak;
  copy->primitive = expr->primitive;
  copy->item = expr->item;
  copy->value = expr->value;
  if (expr->array != NULL)
    {
      AccArray *other = g_hash_table_lookup (replaced, expr->array);

      copy->array = g_object_ref (other != NULL ? other : expr->array);
    }
  for (guint i = 0; i < G_N_ELEMENTS (expr->functions); i++)
    if (expr->functions[i] != NULL)
      copy->functions[i] = acc_function_copy_replaced (expr->functions[i], replaced, copies);
  for (guint i = 0; i < expr->n_args; i++)
    copy->args[i] = acc_expr_ref (get_copy (expr->args[i], copies));

  return _acc_expr_seal (copy);
}

static void
copy_all (AccExpr    *body,
          GHashTable *replaced,
          GHashTable *copies)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));

  if (get_copy (body, copies) == NULL)
    g_array_append_vals (stack, &(Frame) { body, 0 }, 1);

  while (stack->len > 0)
    {
      Frame *top = &g_array_index (stack, Frame, stack->len - 1);

      if (top->next < top->expr->n_args)
        {
          AccExpr *arg = top->expr->args[top->next++];

          if (get_copy (arg, copies) == NULL)
            g_array_append_vals (stack, &(Frame) { arg, 0 }, 1);
          continue;
        }
      if (get_copy (top->expr, copies) == NULL)
        g_hash_table_insert (copies, top->expr, copy_expr (top->expr, replaced, copies));
      g_array_set_size (stack, stack->len - 1);
    }
}

AccFunction *
acc_function_copy_replaced (AccFunction *self,
                            GHashTable  *replaced,
                            GHashTable  *copies)
{
  gboolean reads = FALSE;
  AccFunction *copy;

  for (guint i = 0; i < self->arrays->len && !reads; i++)
    reads = g_hash_table_contains (replaced, g_ptr_array_index (self->arrays, i));
  if (!reads)
    return acc_function_ref (self);

  copy_all (self->body, replaced, copies);

  copy = acc_function_new_open (self->params, self->n_params, get_copy (self->body, copies));
  copy->commutes = self->commutes;

  return copy;
}
