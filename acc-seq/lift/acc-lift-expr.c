/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/expr/acc-expr-build-private.h"

/* Scalar functions of a traced function, for one element: what they read of an array that depends on the element they read of the
 * element's part of it. */

typedef struct {
  AccLift    *lift;
  AccExpr    *k;
  GHashTable *made;   /* AccExpr → AccExpr, owned */
} Rewrite;

typedef struct {
  AccExpr *expr;
  guint    next;
} Frame;

static AccExpr *rewrite (Rewrite *self, AccExpr *body);

static AccFunction *
rewrite_function (Rewrite     *self,
                  AccFunction *function)
{
  AccFunction *made = acc_function_new (function->params, function->n_params, rewrite (self, function->body));

  made->commutes = function->commutes;

  return made;
}

static AccExpr *
copy (Rewrite *self,
      AccExpr *expr)
{
  AccExpr *made = _acc_expr_alloc (expr->kind, expr->type, expr->n_args);

  made->floating = 0;
  made->weak = expr->weak;
  made->primitive = expr->primitive;
  made->item = expr->item;
  made->value = expr->value;
  if (expr->array != NULL)
    made->array = g_object_ref (expr->array);
  for (guint i = 0; i < G_N_ELEMENTS (expr->functions); i++)
    if (expr->functions[i] != NULL)
      made->functions[i] = rewrite_function (self, expr->functions[i]);
  for (guint i = 0; i < expr->n_args; i++)
    made->args[i] = acc_expr_ref (g_hash_table_lookup (self->made, expr->args[i]));

  return _acc_expr_seal (made);
}

static AccExpr *
make (Rewrite *self,
      AccExpr *expr)
{
  AccLifted *lifted = expr->array != NULL ? acc_lift_get (self->lift, expr->array) : NULL;
  AccExpr *argument = expr->n_args > 0 ? g_hash_table_lookup (self->made, expr->args[0]) : NULL;

  if (lifted == NULL || (lifted->form == ACC_LIFTED_CONSTANT && lifted->values == expr->array))
    return copy (self, expr);
  if (expr->kind == ACC_EXPR_EXTENT)
    return acc_expr_ref_sink (acc_lifted_extent (lifted, self->k, expr->item));
  if (expr->kind == ACC_EXPR_INDEX)
    return acc_expr_ref_sink (acc_lifted_read (lifted, self->k, argument));

  return acc_expr_ref_sink (acc_lifted_read_linear (lifted, self->k, argument));
}

static AccExpr *
rewrite (Rewrite *self,
         AccExpr *body)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));

  g_array_append_vals (stack, &(Frame) { body, 0 }, 1);
  while (stack->len > 0)
    {
      Frame *top = &g_array_index (stack, Frame, stack->len - 1);
      AccExpr *expr = top->expr;

      if (g_hash_table_contains (self->made, expr))
        {
          g_array_set_size (stack, stack->len - 1);
          continue;
        }
      if (top->next < expr->n_args)
        {
          g_array_append_vals (stack, &(Frame) { expr->args[top->next++], 0 }, 1);
          continue;
        }
      /* Variables of functions inside stay what they are. */
      g_hash_table_insert (self->made, expr, expr->kind == ACC_EXPR_VARIABLE ? acc_expr_ref (expr) : make (self, expr));
      g_array_set_size (stack, stack->len - 1);
    }

  return g_hash_table_lookup (self->made, body);
}

AccExpr *
acc_lift_apply (AccLift     *self,
                AccFunction *function,
                AccExpr     *k,
                AccExpr    **args)
{
  g_autoptr(GHashTable) made = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) acc_expr_unref);
  g_autoptr(AccExpr) owned = k != NULL ? acc_expr_ref_sink (k) : NULL;
  Rewrite state = { self, owned, made };

  for (guint i = 0; i < function->n_params; i++)
    g_hash_table_insert (made, function->params[i], acc_expr_ref_sink (args[i]));

  return _acc_expr_float (acc_expr_ref (rewrite (&state, function->body)));
}

gboolean
acc_lift_depends (AccLift     *self,
                  AccFunction *function)
{
  for (guint i = 0; function != NULL && i < function->arrays->len; i++)
    if (acc_lift_get (self, g_ptr_array_index (function->arrays, i))->form != ACC_LIFTED_CONSTANT)
      return TRUE;

  return FALSE;
}

/* Whether all that is asked of arrays that depend on the element are extents, which all elements have alike. */
static gboolean
asks_for_extents (AccLift    *self,
                  AccExpr    *expr,
                  GHashTable *seen)
{
  if (!expr->reads || !g_hash_table_add (seen, expr))
    return TRUE;
  if (expr->array != NULL && expr->kind != ACC_EXPR_EXTENT && acc_lift_get (self, expr->array)->form != ACC_LIFTED_CONSTANT)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (expr->functions); i++)
    if (expr->functions[i] != NULL && !asks_for_extents (self, expr->functions[i]->body, seen))
      return FALSE;
  for (guint i = 0; i < expr->n_args; i++)
    if (!asks_for_extents (self, expr->args[i], seen))
      return FALSE;

  return TRUE;
}

gboolean
acc_lift_is_uniform (AccLift     *self,
                     AccFunction *function)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);

  if (function == NULL)
    return TRUE;
  for (guint i = 0; i < function->arrays->len; i++)
    if (acc_lift_get (self, g_ptr_array_index (function->arrays, i))->form == ACC_LIFTED_IRREGULAR)
      return FALSE;

  return asks_for_extents (self, function->body, seen);
}
