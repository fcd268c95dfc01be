/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-function-facts.h"

#include <string.h>

/* Whether f (x, y) and f (y, x) are equal, with zeros of either sign taken as equal. The body is compared with itself, with the parameters
 * exchanged. Operands of commutative primitives may match crosswise; factors of float products may also differ in sign in pairs, as (x - y)
 * · (x - y) and (x - y) · (n - m) do. Of two values in lexicographic order either is taken if they are equal: the smaller one of x and y is
 * that of y and x. (NaN has no place in that order; with it such a function is not associative either.) What is not recognised does not
 * commute. */

/* Pairs of expressions that are looked at before it is given up. */
#define MAX_PAIRS 512

typedef struct {
  AccFunction *function;
  GHashTable  *known;        /* Pair: a set */
  guint        n_left;
} Walk;

typedef struct {
  AccExpr *a, *b;
  gboolean negated;
  gboolean found;
} Pair;

static guint
hash_pair (gconstpointer data)
{
  const Pair *pair = data;

  return g_direct_hash (pair->a) * 31 + g_direct_hash (pair->b) * 2 + (guint) pair->negated;
}

static gboolean
is_equal_pair (gconstpointer x,
               gconstpointer y)
{
  const Pair *p = x, *q = y;

  return p->a == q->a && p->b == q->b && p->negated == q->negated;
}

static gboolean match (Walk *self, AccExpr *a, AccExpr *b, gboolean negated);

static gboolean
is_float (AccExpr *expr)
{
  return acc_element_kind_is_float (acc_element_type_get_kind (expr->type));
}

static gboolean
match_args (Walk    *self,
            AccExpr *a,
            AccExpr *b)
{
  for (guint i = 0; i < a->n_args; i++)
    if (!match (self, a->args[i], b->args[i], FALSE))
      return FALSE;

  return TRUE;
}

static gboolean
match_crosswise (Walk    *self,
                 AccExpr *a,
                 AccExpr *b)
{
  return match (self, a->args[0], b->args[1], FALSE) && match (self, a->args[1], b->args[0], FALSE);
}

static gboolean
match_product (Walk    *self,
               AccExpr *a,
               AccExpr *b,
               gboolean negated)
{
  for (guint k = 0; k < 2; k++)
    for (guint sign = 0; sign < 2; sign++)
      if (match (self, a->args[0], b->args[k], sign != 0) && match (self, a->args[1], b->args[1 - k], negated != (sign != 0)))
        return TRUE;

  return FALSE;
}

static gboolean
commutes (AccPrimitive primitive)
{
  return acc_primitive_is (primitive, ACC_FAMILY_REDUCTION) || primitive == ACC_PRIM_EQ || primitive == ACC_PRIM_NE;
}

static gboolean
match_primitives (Walk    *self,
                  AccExpr *a,
                  AccExpr *b,
                  gboolean negated)
{
  if (a->primitive == ACC_PRIM_MUL && is_float (a))
    return match_product (self, a, b, negated);
  if (a->primitive == ACC_PRIM_ABS && is_float (a) && !negated && match (self, a->args[0], b->args[0], TRUE))
    return TRUE;
  if (negated)
    return a->primitive == ACC_PRIM_SUB && is_float (a) && match_crosswise (self, a, b);

  return match_args (self, a, b) || (commutes (a->primitive) && match_crosswise (self, a, b));
}

/* --- the smaller or the larger one of tuples */

static gboolean
is_leaf (AccExpr *expr,
         AccExpr *whole,
         guint    leaf)
{
  guint first = 0;

  expr = acc_expr_resolve_leaf (expr, &first);
  whole = acc_expr_resolve_leaf (whole, &leaf);

  return expr == whole && first == leaf;
}

static gboolean
compares (AccExpr     *expr,
          AccPrimitive primitive,
          AccExpr     *x,
          AccExpr     *y,
          guint        leaf)
{
  return expr->kind == ACC_EXPR_PRIMITIVE && expr->primitive == primitive && is_leaf (expr->args[0], x, leaf)
         && is_leaf (expr->args[1], y, leaf);
}

/* Whether @expr says that all of @x is before all of @y, or equal: by the first leaf that differs. */
static gboolean
is_order (AccExpr     *expr,
          AccPrimitive strict,
          AccPrimitive loose,
          AccExpr     *x,
          AccExpr     *y)
{
  guint n = acc_element_type_get_n_leaves (x->type);

  for (guint leaf = 0; leaf + 1 < n; leaf++)
    {
      AccExpr *rest = expr->kind == ACC_EXPR_PRIMITIVE && expr->primitive == ACC_PRIM_BOR ? expr->args[1] : NULL;

      if (rest == NULL || !compares (expr->args[0], strict, x, y, leaf) ||
          rest->kind != ACC_EXPR_PRIMITIVE || rest->primitive != ACC_PRIM_BAND || !compares (rest->args[0], ACC_PRIM_EQ, x, y, leaf))
        return FALSE;
      expr = rest->args[1];
    }

  return n > 0 && (compares (expr, strict, x, y, n - 1) || compares (expr, loose, x, y, n - 1));
}

/* -1 where the choice @cond is the smaller one of its sides, 1 where it is the larger one, else 0. */
static int
get_extreme (AccExpr *cond)
{
  AccExpr *order = cond->args[0], *x = cond->args[1], *y = cond->args[2];

  if (is_order (order, ACC_PRIM_LT, ACC_PRIM_LE, x, y) || is_order (order, ACC_PRIM_GT, ACC_PRIM_GE, y, x))
    return -1;
  if (is_order (order, ACC_PRIM_GT, ACC_PRIM_GE, x, y) || is_order (order, ACC_PRIM_LT, ACC_PRIM_LE, y, x))
    return 1;

  return 0;
}

static gboolean
match_extreme (Walk    *self,
               AccExpr *a,
               AccExpr *b)
{
  int extreme = get_extreme (a);

  return extreme != 0 && extreme == get_extreme (b) &&
         match (self, a->args[1], b->args[2], FALSE) && match (self, a->args[2], b->args[1], FALSE);
}

static gboolean
find_match (Walk    *self,
            AccExpr *a,
            AccExpr *b,
            gboolean negated)
{
  AccExpr **params = self->function->params;

  if (a->kind != b->kind || a->type != b->type || a->n_args != b->n_args)
    return FALSE;

  switch (a->kind)
    {
    case ACC_EXPR_VARIABLE:
      return !negated && ((a == params[0] && b == params[1]) || (a == params[1] && b == params[0]));
    case ACC_EXPR_LITERAL:
      return !negated && memcmp (&a->value, &b->value, sizeof a->value) == 0;
    case ACC_EXPR_PRIMITIVE:
      return a->primitive == b->primitive && match_primitives (self, a, b, negated);
    case ACC_EXPR_ITEM:
      return !negated && a->item == b->item && match_args (self, a, b);
    case ACC_EXPR_CAST:
    case ACC_EXPR_BITCAST:
    case ACC_EXPR_TUPLE:
      return !negated && match_args (self, a, b);
    case ACC_EXPR_COND:
      return !negated && (match_args (self, a, b) || match_extreme (self, a, b));
    case ACC_EXPR_WHILE:
    case ACC_EXPR_INDEX:
    case ACC_EXPR_LINEAR_INDEX:
    case ACC_EXPR_EXTENT:
    case ACC_EXPR_ERROR:
      return FALSE;
    }

  return FALSE;
}

/* Whether @a, and @b with the parameters exchanged, are the same or, @negated, differ in sign. */
static gboolean
match (Walk    *self,
       AccExpr *a,
       AccExpr *b,
       gboolean negated)
{
  Pair pair = { a, b, negated, FALSE }, *known = g_hash_table_lookup (self->known, &pair);

  if (known == NULL)
    {
      if (self->n_left == 0)
        return FALSE;
      self->n_left--;
      pair.found = find_match (self, a, b, negated);
      known = g_memdup2 (&pair, sizeof pair);
      g_hash_table_add (self->known, known);
    }

  return known->found;
}

gboolean
acc_function_is_extreme (AccFunction *function)
{
  return function->body->kind == ACC_EXPR_COND && get_extreme (function->body) != 0 && acc_function_is_commutative (function);
}

gboolean
acc_function_is_commutative (AccFunction *function)
{
  g_autoptr(GHashTable) known = g_hash_table_new_full (hash_pair, is_equal_pair, g_free, NULL);
  Walk self = { function, known, MAX_PAIRS };

  return function->commutes ||
         (function->n_params == 2 && function->params[0]->type == function->params[1]->type
          && match (&self, function->body, function->body, FALSE));
}
