/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Untyped ("weak") literals take the type of what they meet. Tuples of them are weak, and so are choices between weak
 * scalars, up to a size: settling makes a tree of what may be shared. */

#include "acc-expr-build-private.h"

#define MAX_WEIGHT 256

guint
_acc_expr_get_weight (AccExpr *expr)
{
  if (!expr->weak)
    return 0;
  return expr->kind == ACC_EXPR_LITERAL ? 1 : expr->item;
}

/* A weak scalar as one of @type, which stays weak where @weak. */
static AccExpr *
convert (AccExpr        *expr,
         AccElementType *type,
         gboolean        weak)
{
  AccExpr *literal;

  if (expr->kind == ACC_EXPR_COND)
    return acc_expr_cond (expr->args[0], convert (expr->args[1], type, weak), convert (expr->args[2], type, weak));

  if (acc_element_type_get_kind (expr->type) == ACC_KIND_I64)
    literal = _acc_expr_integer_literal (type, expr->value.i);
  else
    literal = _acc_expr_float_literal (type, expr->value.f);
  literal->weak = weak && !_acc_expr_is_error (literal);
  return literal;
}

static AccExpr *
settle_items (AccExpr        *expr,
              AccElementType *type)
{
  gboolean fits = type != NULL && acc_element_type_get_n_items (type) == expr->n_args;
  g_autofree AccExpr **items = g_new (AccExpr *, expr->n_args);

  for (guint i = 0; i < expr->n_args; i++)
    items[i] = acc_expr_settle (expr->args[i], fits ? acc_element_type_get_item (type, i) : NULL);
  return acc_expr_tuple (items, expr->n_args);
}

/* @made stands for @expr, which the caller of a constructor may still hold. */
static AccExpr *
remember (AccExpr *made,
          AccExpr *expr)
{
  acc_expr_ref (expr);
  _acc_expr_remember (made, &expr, 1);
  return made;
}

AccExpr *
acc_expr_settle (AccExpr        *expr,
                 AccElementType *type)
{
  if (!expr->weak)
    return expr;
  if (expr->kind == ACC_EXPR_TUPLE)
    return remember (settle_items (expr, type), expr);
  return remember (convert (expr, type != NULL && !acc_element_type_is_tuple (type) ? type : expr->type, FALSE), expr);
}

gboolean
_acc_expr_settle_slot (AccExpr        **slot,
                       AccElementType  *type)
{
  AccExpr *settled = acc_expr_settle (*slot, type);

  if (settled != *slot)
    {
      acc_expr_ref_sink (settled);
      acc_expr_unref (*slot);
      *slot = settled;
    }
  return !_acc_expr_is_error (settled);
}

/* The type that both can have; NULL where their structures differ. */
static AccElementType *
common_type (AccExpr  *a,
             AccExpr  *b,
             gboolean  floats)
{
  AccElementKind kind;

  if (!a->weak)
    return a->type;
  if (!b->weak)
    return b->type;

  if (a->kind == ACC_EXPR_TUPLE && b->kind == ACC_EXPR_TUPLE)
    {
      g_autofree AccElementType **types = g_new (AccElementType *, a->n_args + 1);

      if (a->n_args != b->n_args)
        return NULL;
      for (guint i = 0; i < a->n_args; i++)
        if ((types[i] = common_type (a->args[i], b->args[i], floats)) == NULL)
          return NULL;
      return acc_element_type_new_tuple (types, a->n_args);
    }

  if (a->kind == ACC_EXPR_TUPLE || b->kind == ACC_EXPR_TUPLE)
    return NULL;

  kind = acc_element_type_get_kind (a->type);
  if (floats || acc_element_type_get_kind (b->type) != kind)
    kind = ACC_KIND_F64;
  return acc_element_type_new (kind);
}

void
_acc_expr_agree (AccExpr  **a,
                 AccExpr  **b,
                 gboolean   floats)
{
  AccElementType *type = common_type (*a, *b, floats);

  _acc_expr_settle_slot (a, type);
  _acc_expr_settle_slot (b, type);
}

void
_acc_expr_agree_sides (AccExpr **a,
                       AccExpr **b)
{
  if (!(*a)->weak || !(*b)->weak || (*a)->kind == ACC_EXPR_TUPLE || (*b)->kind == ACC_EXPR_TUPLE
      || _acc_expr_get_weight (*a) + _acc_expr_get_weight (*b) > MAX_WEIGHT)
    {
      _acc_expr_agree (a, b, FALSE);
      return;
    }

  AccElementType *type = common_type (*a, *b, FALSE);
  AccExpr **integer = (*a)->type != type ? a : b;

  if ((*integer)->type != type)
    {
      AccExpr *converted = acc_expr_ref_sink (remember (convert (*integer, type, TRUE), *integer));
      acc_expr_unref (*integer);
      *integer = converted;
    }
}
