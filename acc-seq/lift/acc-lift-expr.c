/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/expr/acc-expr-build-private.h"

/* Scalar functions of a traced function, for one element: what they read of an array that depends on the element they read of the
 * element's part of it. */

typedef struct {
  AccExprCopier base;
  AccLift      *lift;
  AccExpr      *k;
} Rewrite;

static AccExpr *
rewrite (AccExprCopier *copier,
         AccExpr       *expr)
{
  Rewrite *self = (Rewrite *) copier;
  AccLifted *lifted = expr->array != NULL ? acc_lift_get (self->lift, expr->array) : NULL;
  AccExpr *argument = expr->n_args > 0 ? g_hash_table_lookup (copier->copies, expr->args[0]) : NULL;

  /* Those of functions inside stay what they are. */
  if (expr->kind == ACC_EXPR_VARIABLE)
    return acc_expr_ref (expr);
  if (lifted == NULL || (lifted->form == ACC_LIFTED_CONSTANT && lifted->values == expr->array))
    return _acc_expr_copier_same (copier, expr, expr->array);
  if (expr->kind == ACC_EXPR_EXTENT)
    return acc_expr_ref_sink (acc_lifted_extent (lifted, self->k, expr->item));
  if (expr->kind == ACC_EXPR_INDEX)
    return acc_expr_ref_sink (acc_lifted_read (lifted, self->k, argument));

  return acc_expr_ref_sink (acc_lifted_read_linear (lifted, self->k, argument));
}

AccExpr *
acc_lift_apply (AccLift     *self,
                AccFunction *function,
                AccExpr     *k,
                AccExpr    **args)
{
  g_autoptr(GHashTable) copies = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) acc_expr_unref);
  g_autoptr(AccExpr) owned = k != NULL ? acc_expr_ref_sink (k) : NULL;
  Rewrite state = { { copies, FALSE, rewrite, _acc_expr_copier_function }, self, owned };

  for (guint i = 0; i < function->n_params; i++)
    g_hash_table_insert (copies, function->params[i], acc_expr_ref_sink (args[i]));

  return _acc_expr_float (acc_expr_ref (_acc_expr_copier_run (&state.base, function->body)));
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
