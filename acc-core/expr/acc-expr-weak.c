/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Untyped ("weak") literals take the type of what they meet. Tuples of them are weak, and so are choices between weak scalars, up to a
 * size: resolving their type turns shared expressions into a tree. */

#include "acc-expr-pack-private.h"

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
    literal = _acc_expr_float_literal (type, acc_scalar_to_double (ACC_KIND_F64, expr->value));
  literal->weak = weak && !_acc_expr_is_error (literal);
  return literal;
}

static AccExpr *
resolve_items (AccExpr        *expr,
               AccElementType *type)
{
  AccElementKind kind = acc_element_type_get_kind (expr->type);
  gboolean packed = acc_element_type_is_packed (expr->type);
  gboolean fits = type != NULL && acc_element_type_get_n_items (type) == expr->n_args
                  && (acc_element_type_get_kind (type) == kind || !packed);
  g_autofree AccExpr **items = g_new (AccExpr *, expr->n_args);

  if (packed && !fits)
    {
      type = expr->type;
      fits = TRUE;
    }
  for (guint i = 0; i < expr->n_args; i++)
    items[i] = acc_expr_resolve (expr->args[i], fits ? acc_element_type_get_item (type, i) : NULL);
  return packed ? acc_expr_new_pack (type, items) : acc_expr_tuple (items, expr->n_args);
}

/* @made replaces @expr, which the caller of a constructor may still hold. */
static AccExpr *
remember (AccExpr *made,
          AccExpr *expr)
{
  acc_expr_ref (expr);
  _acc_expr_remember (made, &expr, 1);
  return made;
}

AccExpr *
acc_expr_resolve (AccExpr        *expr,
                  AccElementType *type)
{
  if (!expr->weak)
    return expr;
  if (expr->kind == ACC_EXPR_TUPLE)
    return remember (resolve_items (expr, type), expr);
  return remember (convert (expr, type != NULL && !acc_element_type_is_tuple (type) ? type : expr->type, FALSE), expr);
}

AccExpr *
_acc_expr_new_weak_pack (AccElementKind   kind,
                         AccExpr        **items,
                         guint            n)
{
  AccElementKind component = kind == ACC_KIND_COMPLEX ? ACC_KIND_F64 : ACC_KIND_I64;
  AccElementType *type;
  guint64 weight = 0;
  AccExpr *self;

  for (guint i = 0; i < n; i++)
    {
      if (!acc_element_type_is_scalar (items[i]->type))
        return _acc_expr_keep (_acc_expr_needs ("vec", "scalars", items[i]), items, n);
      weight += _acc_expr_get_weight (items[i]);
      if (acc_element_type_get_kind (items[i]->type) == ACC_KIND_F64)
        component = ACC_KIND_F64;
    }

  type = acc_element_type_new (component);
  for (guint i = 0; i < n; i++)
    if (items[i]->type != type)
      {
        AccExpr *converted = acc_expr_ref_sink (remember (convert (items[i], type, TRUE), items[i]));

        acc_expr_unref (items[i]);
        items[i] = converted;
      }

  self = _acc_expr_alloc (ACC_EXPR_TUPLE, kind == ACC_KIND_COMPLEX ? acc_element_type_new_complex (component)
                                                                   : acc_element_type_new_vector (component, n), n);
  for (guint i = 0; i < n; i++)
    self->args[i] = items[i];
  self->weak = TRUE;
  self->item = MIN (weight, G_MAXUINT);
  return _acc_expr_seal (self);
}

gboolean
_acc_expr_resolve_slot (AccExpr        **slot,
                        AccElementType  *type)
{
  AccExpr *resolved = acc_expr_resolve (*slot, type);

  if (resolved != *slot)
    {
      acc_expr_ref_sink (resolved);
      acc_expr_unref (*slot);
      *slot = resolved;
    }
  return !_acc_expr_is_error (resolved);
}

/* The same where one is packed, and the other is or is a scalar. */
static AccElementType *
common_pack (AccExpr  *a,
             AccExpr  *b,
             gboolean  floats)
{
  AccElementType *packed = acc_element_type_is_packed (a->type) ? a->type : b->type;
  AccElementKind kind = acc_element_type_get_leaf (a->type, 0);

  if (acc_element_type_is_tuple (a->type) || acc_element_type_is_tuple (b->type)
      || (acc_element_type_is_packed (a->type) && acc_element_type_is_packed (b->type)
          && (acc_element_type_get_kind (a->type) != acc_element_type_get_kind (b->type)
              || acc_element_type_get_n_items (a->type) != acc_element_type_get_n_items (b->type))))
    return NULL;

  if (acc_element_type_get_kind (packed) == ACC_KIND_COMPLEX)
    return packed;
  if (floats || acc_element_type_get_leaf (b->type, 0) != kind)
    kind = ACC_KIND_F64;
  return acc_element_type_new_vector (kind, acc_element_type_get_n_items (packed));
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

  if (_acc_expr_is_packed (a) || _acc_expr_is_packed (b))
    return common_pack (a, b, floats);

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
_acc_expr_unify (AccExpr  **a,
                 AccExpr  **b,
                 gboolean   floats)
{
  AccElementType *type = common_type (*a, *b, floats);

  _acc_expr_resolve_slot (a, type);
  _acc_expr_resolve_slot (b, type);
}

void
_acc_expr_unify_sides (AccExpr **a,
                       AccExpr **b)
{
  if (!(*a)->weak || !(*b)->weak || (*a)->kind == ACC_EXPR_TUPLE || (*b)->kind == ACC_EXPR_TUPLE
      || _acc_expr_get_weight (*a) + _acc_expr_get_weight (*b) > MAX_WEIGHT)
    {
      _acc_expr_unify (a, b, FALSE);
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
