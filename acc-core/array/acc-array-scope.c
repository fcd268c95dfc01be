/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"

/* Free variables of every expression under a function, bottom up, each expression once. The sets are small: the variables
 * of the functions around. */

typedef struct {
  AccExpr *expr;
  guint    next;
} Frame;

static guint
count_children (AccExpr *expr)
{
  return expr->n_args + (expr->functions[0] != NULL) + (expr->functions[1] != NULL);
}

static AccExpr *
get_child (AccExpr *expr,
           guint    n)
{
  return n < expr->n_args ? expr->args[n] : expr->functions[n - expr->n_args]->body;
}

static gboolean
is_bound (AccFunction *function,
          AccExpr     *variable)
{
  for (guint i = 0; function != NULL && i < function->n_params; i++)
    if (function->params[i] == variable)
      return TRUE;

  return FALSE;
}

static void
add_free (GPtrArray  **set,
          GPtrArray   *more,
          AccFunction *binder)
{
  for (guint i = 0; more != NULL && i < more->len; i++)
    {
      AccExpr *variable = g_ptr_array_index (more, i);

      if (is_bound (binder, variable))
        continue;
      if (*set == NULL)
        *set = g_ptr_array_new ();
      if (!g_ptr_array_find (*set, variable, NULL))
        g_ptr_array_add (*set, variable);
    }
}

static void
free_set (gpointer set)
{
  if (set != NULL)
    g_ptr_array_unref (set);
}

static GPtrArray *
find_free (AccExpr    *expr,
           GHashTable *sets)
{
  GPtrArray *set = NULL;

  if (expr->kind == ACC_EXPR_VARIABLE)
    {
      set = g_ptr_array_new ();
      g_ptr_array_add (set, expr);
      return set;
    }

  for (guint i = 0; i < count_children (expr); i++)
    add_free (&set, g_hash_table_lookup (sets, get_child (expr, i)),
              i < expr->n_args ? NULL : expr->functions[i - expr->n_args]);

  return set;
}

AccExpr *
acc_function_find_free_variable (AccFunction *function)
{
  g_autoptr(GHashTable) sets = g_hash_table_new_full (NULL, NULL, NULL, free_set);
  g_autoptr(GHashTable) entered = g_hash_table_new (NULL, NULL);
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  GPtrArray *free_variables;

  g_hash_table_add (entered, function->body);
  g_array_append_vals (stack, &(Frame) { function->body, 0 }, 1);

  while (stack->len > 0)
    {
      Frame *top = &g_array_index (stack, Frame, stack->len - 1);

      if (top->next < count_children (top->expr))
        {
          AccExpr *child = get_child (top->expr, top->next++);

          if (g_hash_table_add (entered, child))
            g_array_append_vals (stack, &(Frame) { child, 0 }, 1);
        }
      else
        {
          g_hash_table_insert (sets, top->expr, find_free (top->expr, sets));
          g_array_set_size (stack, stack->len - 1);
        }
    }

  free_variables = g_hash_table_lookup (sets, function->body);

  for (guint i = 0; free_variables != NULL && i < free_variables->len; i++)
    if (!is_bound (function, g_ptr_array_index (free_variables, i)))
      return acc_expr_ref (g_ptr_array_index (free_variables, i));

  return NULL;
}
