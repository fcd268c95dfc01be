/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-function-facts.h"

#include "acc-core/base/acc-numbers-private.h"

/* Calls @visit for every expression of the body, those of nested functions too, in no particular order. */
static void
visit_exprs (AccFunction *function,
             void       (*visit) (AccExpr *expr, gpointer user_data),
             gpointer     user_data)
{
  g_autoptr(GPtrArray) stack = g_ptr_array_sized_new (32);
  AccNumbers seen = { 0 };
  guint number;

  g_ptr_array_add (stack, function->body);
  while (stack->len > 0)
    {
      AccExpr *expr = g_ptr_array_steal_index (stack, stack->len - 1);

      if (!acc_numbers_add (&seen, expr, &number))
        continue;
      visit (expr, user_data);
      for (guint i = 0; i < expr->n_args; i++)
        g_ptr_array_add (stack, expr->args[i]);
      for (guint i = 0; i < 2; i++)
        if (expr->functions[i] != NULL)
          g_ptr_array_add (stack, expr->functions[i]->body);
    }
  acc_numbers_free (&seen);
}

static void
visit_read (AccExpr *expr,
            gpointer user_data)
{
  if (expr->kind == ACC_EXPR_INDEX || expr->kind == ACC_EXPR_LINEAR_INDEX)
    g_hash_table_add (user_data, expr->array);
}

void
acc_function_collect_reads (AccFunction *function,
                            GHashTable  *arrays)
{
  if (function->arrays != NULL && function->arrays->len > 0)
    visit_exprs (function, visit_read, arrays);
}

GPtrArray *
acc_array_list_extent_reads (AccArray   *array,
                             GHashTable *bound)
{
  g_autoptr(GHashTable) reads = NULL;
  g_autoptr(GPtrArray) list = NULL;
  GHashTableIter iter;
  gpointer read;

  if (array->extents == NULL || array->extents->arrays->len == 0)
    return NULL;

  reads = g_hash_table_new (NULL, NULL);
  list = g_ptr_array_new ();
  acc_function_collect_reads (array->extents, reads);
  g_hash_table_iter_init (&iter, reads);
  while (g_hash_table_iter_next (&iter, &read, NULL))
    if (((AccArray *) read)->op != ACC_OP_USE && (bound == NULL || !g_hash_table_contains (bound, read)))
      g_ptr_array_add (list, read);

  return list->len > 0 ? g_steal_pointer (&list) : NULL;
}

static double
get_own_cost (const AccExpr *expr)
{
  switch (expr->kind)
    {
    case ACC_EXPR_PRIMITIVE:
      return acc_primitive_get_info (expr->primitive)->cost;
    case ACC_EXPR_CAST:
    case ACC_EXPR_COND:
      return 1;
    case ACC_EXPR_INDEX:
    case ACC_EXPR_LINEAR_INDEX:
      return 3;
    case ACC_EXPR_WHILE:
    case ACC_EXPR_LITERAL:
    case ACC_EXPR_VARIABLE:
    case ACC_EXPR_BITCAST:
    case ACC_EXPR_TUPLE:
    case ACC_EXPR_ITEM:
    case ACC_EXPR_EXTENT:
    case ACC_EXPR_ERROR:
    default:
      return 0;
    }
}

/* Turns of a loop, if one had to guess, and as many as are told from none at all. */
#define ITERATIONS      17
#define MOST_ITERATIONS 1e30

typedef struct {
  AccExpr *expr;
  double   iterations;
} Visit;

double
acc_function_get_cost (AccFunction *function)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Visit));
  AccNumbers seen = { 0 };
  double cost = 0;
  guint number;

  g_array_append_vals (stack, &(Visit) { function->body, 1 }, 1);
  while (stack->len > 0)
    {
      Visit visit = g_array_index (stack, Visit, stack->len - 1);

      g_array_set_size (stack, stack->len - 1);
      if (!acc_numbers_add (&seen, visit.expr, &number))
        continue;
      cost += visit.iterations * get_own_cost (visit.expr);
      for (guint i = 0; i < visit.expr->n_args; i++)
        g_array_append_vals (stack, &(Visit) { visit.expr->args[i], visit.iterations }, 1);
      for (guint i = 0; i < 2; i++)
        if (visit.expr->functions[i] != NULL)
          g_array_append_vals (stack, &(Visit) { visit.expr->functions[i]->body, MIN (visit.iterations * ITERATIONS, MOST_ITERATIONS) }, 1);
    }
  acc_numbers_free (&seen);

  return cost;
}

typedef struct {
  AccExpr *param;
  gboolean found;
} Search;

static void
visit_param (AccExpr *expr,
             gpointer user_data)
{
  Search *search = user_data;

  search->found |= expr == search->param;
}

gboolean
acc_function_uses_param (AccFunction *function,
                         guint        param)
{
  Search search = { function->params[param], FALSE };

  visit_exprs (function, visit_param, &search);

  return search.found;
}

typedef struct {
  AccExpr      *param;
  const gint64 *sizes;
  guint         rank;
  GHashTable   *taps;       /* number → */
  guint         last;
  gboolean      whole;
} Taps;

/* How many items deep into the neighbourhood @expr is, and the number of it there; -1: it is elsewhere. */
static int
find_tap (Taps    *self,
          AccExpr *expr,
          guint   *number)
{
  guint items[ACC_FUNCTION_MAX_TAP_RANK], depth = 0;

  while (expr->kind == ACC_EXPR_ITEM && depth < self->rank)
    {
      items[depth++] = expr->item;
      expr = expr->args[0];
    }
  if (expr != self->param)
    return -1;

  *number = 0;
  for (guint d = 0; d < depth; d++)
    *number = *number * (guint) self->sizes[d] + items[depth - 1 - d];

  return (int) depth;
}

static void
visit_tap (AccExpr *expr,
           gpointer user_data)
{
  Taps *self = user_data;
  guint number;

  if (expr->kind == ACC_EXPR_ITEM && find_tap (self, expr, &number) >= 0)
    {
      if (find_tap (self, expr, &number) == (int) self->rank)
        {
          g_hash_table_add (self->taps, GUINT_TO_POINTER (number + 1));
          self->last = MAX (self->last, number);
        }
      return;
    }
  for (guint i = 0; i < expr->n_args; i++)
    {
      int depth = find_tap (self, expr->args[i], &number);

      self->whole |= depth >= 0 && depth < (int) self->rank;
    }
}

AccTaps
acc_function_find_taps (AccFunction  *function,
                        guint         param,
                        const gint64 *sizes,
                        guint         rank)
{
  g_autoptr(GHashTable) taps = g_hash_table_new (NULL, NULL);
  Taps self = { function->params[param], sizes, rank, taps, 0, FALSE };
  AccTaps all = { 1, 0 };

  for (guint d = 0; d < rank; d++)
    all.n *= sizes[d];
  all.last = all.n - 1;
  if (rank > ACC_FUNCTION_MAX_TAP_RANK)
    return all;

  visit_exprs (function, visit_tap, &self);
  self.whole |= function->body == self.param;

  return self.whole ? all : (AccTaps) { MAX (g_hash_table_size (taps), 1), self.last };
}

/* Whether every leaf of the result is one primitive of the same leaf of both parameters: writes it per leaf. */
static gboolean
get_leafwise (AccFunction  *function,
              AccPrimitive *primitives)
{
  guint n = acc_element_type_get_n_leaves (function->body->type);

  if (function->n_params != 2 || function->params[0]->type != function->body->type ||
      function->params[1]->type != function->body->type)
    return FALSE;

  for (guint i = 0; i < n; i++)
    {
      guint leaf = i, x_leaf = 0, y_leaf = 0;
      AccExpr *expr = acc_expr_resolve_leaf (function->body, &leaf), *x, *y;

      if (expr->kind != ACC_EXPR_PRIMITIVE || expr->n_args != 2)
        return FALSE;
      x = acc_expr_resolve_leaf (expr->args[0], &x_leaf);
      y = acc_expr_resolve_leaf (expr->args[1], &y_leaf);
      if (x_leaf != i || y_leaf != i)
        return FALSE;
      if (!(x == function->params[0] && y == function->params[1]) &&
          !(x == function->params[1] && y == function->params[0]))
        return FALSE;
      primitives[i] = expr->primitive;
    }

  return TRUE;
}

gboolean
acc_function_get_reductions (AccFunction  *function,
                             AccPrimitive *primitives)
{
  guint n = acc_element_type_get_n_leaves (function->body->type);

  if (!get_leafwise (function, primitives))
    return FALSE;

  for (guint i = 0; i < n; i++)
    if (!acc_primitive_is (primitives[i], ACC_FAMILY_REDUCTION))
      return FALSE;

  return TRUE;
}
