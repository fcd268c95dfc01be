/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-expr.h"

#include "acc-hlo-primitive.h"
#include "acc-hlo-round.h"

#include <math.h>

/* Walks over functions: what they use, and whether they are simple enough for regions; and what regions are made of. */

typedef gboolean (*VisitFunc) (AccExpr *expr, gpointer data);

/* Each expression once, with those of nested functions; below one for which @visit returns FALSE it does not look. */
static void
walk (AccExpr   *root,
      VisitFunc  visit,
      gpointer   data)
{
  g_autoptr(GPtrArray) pending = g_ptr_array_new ();
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);

  g_ptr_array_add (pending, root);
  while (pending->len > 0)
    {
      AccExpr *expr = g_ptr_array_steal_index_fast (pending, pending->len - 1);

      if (!g_hash_table_add (seen, expr) || !visit (expr, data))
        continue;
      for (guint i = 0; i < expr->n_args; i++)
        g_ptr_array_add (pending, expr->args[i]);
      for (guint i = 0; i < 2; i++)
        if (expr->functions[i] != NULL)
          g_ptr_array_add (pending, expr->functions[i]->body);
    }
}

typedef struct {
  AccExpr  *variable;
  gboolean *used;
} Uses;

static gboolean
find_uses (AccExpr *expr,
           gpointer data)
{
  Uses *uses = data;
  AccExpr *base = expr;
  guint first = 0, n;

  while (base->kind == ACC_EXPR_ITEM)
    {
      first += acc_element_type_get_first_leaf (base->args[0]->type, base->item);
      base = base->args[0];
    }
  if (base != uses->variable)
    return TRUE;

  n = acc_element_type_get_n_leaves (expr->type);
  for (guint i = 0; i < n; i++)
    uses->used[first + i] = TRUE;

  return FALSE;
}

void
acc_hlo_mark_used (AccFunction *function,
                   guint        param,
                   gboolean    *used)
{
  Uses uses = { function->params[param], used };

  walk (function->body, find_uses, &uses);
}

typedef struct {
  gboolean fails, multiplies, adds, divides, has_literals, has_computed, narrows, combines, squares;
  AccHlo  *hlo;
} Facts;

gboolean
acc_hlo_casts_computed (AccExpr *cast)
{
  AccExpr *x = cast->args[0];

  return x->kind == ACC_EXPR_PRIMITIVE && acc_element_kind_is_float (acc_element_type_get_leaf (cast->type, 0))
         && !acc_element_kind_is_float (acc_element_type_get_leaf (x->type, 0));
}

static gboolean
find_facts (AccExpr *expr,
            gpointer data)
{
  Facts *facts = data;

  if (expr->kind == ACC_EXPR_WHILE || expr->kind == ACC_EXPR_INDEX || expr->kind == ACC_EXPR_LINEAR_INDEX || expr->kind == ACC_EXPR_ERROR)
    facts->fails = TRUE;
  /* It comes from outside. */
  if (expr->kind == ACC_EXPR_EXTENT)
    facts->fails |= acc_hlo_get_length (facts->hlo, acc_fusion_graph_get (facts->hlo->graph, expr->array)) != NULL;
  if (expr->kind == ACC_EXPR_LITERAL)
    facts->has_literals |= acc_element_kind_is_float (acc_element_type_get_leaf (expr->type, 0));
  if (expr->kind == ACC_EXPR_CAST)
    {
      facts->narrows |= acc_hlo_is_narrowing (acc_element_type_get_leaf (expr->args[0]->type, 0),
                                              acc_element_type_get_leaf (expr->type, 0));
      facts->has_computed |= acc_hlo_casts_computed (expr);
    }
  if (expr->kind != ACC_EXPR_PRIMITIVE)
    return TRUE;

  facts->combines |= expr->primitive == ACC_PRIM_BAND || expr->primitive == ACC_PRIM_BOR;
  if (acc_primitive_is (expr->primitive, ACC_FAMILY_DIVISION))
    facts->fails |= facts->hlo->has_checks;
  if (acc_element_kind_is_float (acc_element_type_get_leaf (expr->args[0]->type, 0)))
    {
      facts->multiplies |= expr->primitive == ACC_PRIM_MUL;
      facts->adds |= expr->primitive == ACC_PRIM_ADD || expr->primitive == ACC_PRIM_SUB;
      facts->divides |= expr->primitive == ACC_PRIM_FDIV || expr->primitive == ACC_PRIM_RECIP;
    }
  else
    facts->squares |= expr->primitive == ACC_PRIM_MUL && expr->args[0] == expr->args[1];

  return TRUE;
}

gboolean
acc_hlo_is_plain (AccHlo      *self,
                  AccFunction *function)
{
  Facts facts = { .hlo = self };

  walk (function->body, find_facts, &facts);

  /* Squares, narrowed integers and floats of computed ones need to be hidden; products and sums would be rounded once, quotients and
   * literals be joined, where they are not kept apart. */
  return !facts.fails && !facts.squares && !(facts.narrows && facts.combines)
         && (self->fast_math || !(facts.divides || ((facts.multiplies || facts.adds) && (facts.has_literals || facts.has_computed))
                                               || (facts.multiplies && facts.adds)));
}

void
acc_hlo_apply_plain (AccHlo            *self,
                     AccFunction       *function,
                     const AccHloParam *params,
                     AccHloValue       *results)
{
  AccHloValue zero = self->zero;
  gboolean has_checks = self->has_checks;

  self->zero = NULL;
  self->has_checks = FALSE;
  acc_hlo_apply (self, function, params, ACC_HLO_SCALAR, NULL, results);
  self->zero = zero;
  self->has_checks = has_checks;
}

AccHloValue
acc_hlo_primitive_plain (AccHlo         *self,
                         AccPrimitive    primitive,
                         AccHloValue     x,
                         AccHloValue     y,
                         AccElementKind  kind)
{
  AccHloValue zero = self->zero, value;

  self->zero = NULL;
  value = acc_hlo_primitive (self, primitive, x, y, ACC_HLO_SCALAR, kind);
  self->zero = zero;

  return value;
}

AccScalar
acc_hlo_get_neutral (AccPrimitive   primitive,
                     AccElementKind kind)
{
  gboolean is_float = acc_element_kind_is_float (kind), is_signed = acc_element_kind_is_signed (kind);
  guint unused = 64 - (guint) acc_element_kind_get_size (kind) * 8;

  if (primitive == ACC_PRIM_MUL)
    return acc_scalar_from_double (kind, 1);
  if (is_float)
    return acc_scalar_from_double (kind, primitive == ACC_PRIM_ADD ? -0.0 : NAN);
  if (kind == ACC_KIND_BOOL)
    return (AccScalar) { .u = primitive == ACC_PRIM_BAND || primitive == ACC_PRIM_MIN };
  if (primitive == ACC_PRIM_BAND)
    return is_signed ? (AccScalar) { .i = -1 } : (AccScalar) { .u = G_MAXUINT64 >> unused };
  if (primitive == ACC_PRIM_MIN)
    return is_signed ? (AccScalar) { .i = G_MAXINT64 >> unused } : (AccScalar) { .u = G_MAXUINT64 >> unused };
  if (primitive == ACC_PRIM_MAX && is_signed)
    return (AccScalar) { .i = G_MININT64 >> unused };

  return (AccScalar) { .u = 0 };
}
