/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-private.h"
#include "acc-module-index.h"

/* Expressions with more nodes than this say nothing. */
#define MOST_LOOKS 200

typedef struct {
  AccExpr      *parameter;
  AccExtentFunc get_extent;
  gpointer      data;
  guint         n_looks;
} Search;

AccExpr *
acc_expr_resolve_leaf (AccExpr *expr,
                       guint   *leaf)
{
  for (;;)
    {
      if (expr->kind == ACC_EXPR_TUPLE)
        {
          guint i = 0;

          while (i < expr->n_args && *leaf >= acc_element_type_get_n_leaves (expr->args[i]->type))
            *leaf -= acc_element_type_get_n_leaves (expr->args[i++]->type);
          expr = expr->args[i];
        }
      else if (expr->kind == ACC_EXPR_ITEM)
        {
          *leaf += acc_element_type_get_first_leaf (expr->args[0]->type, expr->item);
          expr = expr->args[0];
        }
      else
        {
          return expr;
        }
    }
}

static gboolean find (Search *self, AccExpr *expr, guint leaf, AccAffine *affine);

static gboolean
add (AccAffine  x,
     AccAffine  y,
     gboolean   subtracts,
     AccAffine *sum)
{
  if (x.step != 0 && y.step != 0 && x.dimension != y.dimension)
    return FALSE;
  sum->dimension = x.step != 0 ? x.dimension : y.dimension;

  return subtracts ? !__builtin_sub_overflow (x.step, y.step, &sum->step) && !__builtin_sub_overflow (x.offset, y.offset, &sum->offset)
                   : !__builtin_add_overflow (x.step, y.step, &sum->step) && !__builtin_add_overflow (x.offset, y.offset, &sum->offset);
}

static gboolean
multiply (AccAffine  x,
          AccAffine  y,
          AccAffine *product)
{
  const AccAffine *line = x.step != 0 ? &x : &y, *number = x.step != 0 ? &y : &x;

  if (number->step != 0)
    return FALSE;
  product->dimension = line->dimension;

  return !__builtin_mul_overflow (line->step, number->offset, &product->step)
         && !__builtin_mul_overflow (line->offset, number->offset, &product->offset);
}

/* What is no sum, difference or product is one of numbers. */
static gboolean
find_by_primitive (Search    *self,
                   AccExpr   *expr,
                   AccAffine *affine)
{
  guint arity = acc_primitive_get_info (expr->primitive)->arity;
  AccElementKind kind = acc_element_type_is_scalar (expr->args[0]->type) ? acc_element_type_get_kind (expr->args[0]->type) : ACC_KIND_F64;
  AccScalarFunc compute = acc_primitive_get_function (expr->primitive, kind);
  AccAffine x = { 0, 0, 0 }, y = { 0, 0, 0 };

  if ((kind != ACC_KIND_I64 && kind != ACC_KIND_BOOL) || arity > 2 || compute == NULL || !find (self, expr->args[0], 0, &x)
      || (arity > 1 && !find (self, expr->args[1], 0, &y)))
    return FALSE;
  if (expr->primitive == ACC_PRIM_ADD || expr->primitive == ACC_PRIM_SUB)
    return add (x, y, expr->primitive == ACC_PRIM_SUB, affine);
  if (expr->primitive == ACC_PRIM_MUL)
    return multiply (x, y, affine);
  if (x.step != 0 || y.step != 0
      || acc_primitive_fails (expr->primitive, kind, (AccScalar) { .i = x.offset }, (AccScalar) { .i = y.offset }))
    return FALSE;

  *affine = (AccAffine) { 0, 0, compute ((AccScalar) { .i = x.offset }, (AccScalar) { .i = y.offset }).i };

  return TRUE;
}

static gboolean
find (Search    *self,
      AccExpr   *expr,
      guint      leaf,
      AccAffine *affine)
{
  AccAffine condition;

  expr = acc_expr_resolve_leaf (expr, &leaf);
  if (self->n_looks++ > MOST_LOOKS)
    return FALSE;
  if (expr == self->parameter)
    {
      *affine = (AccAffine) { leaf, 1, 0 };
      return TRUE;
    }
  if (expr->kind == ACC_EXPR_LITERAL)
    {
      AccElementKind kind = acc_element_type_is_scalar (expr->type) ? acc_element_type_get_kind (expr->type) : ACC_KIND_F64;

      *affine = (AccAffine) { 0, 0, expr->value.i };
      return kind == ACC_KIND_I64 || kind == ACC_KIND_BOOL;
    }
  if (expr->kind == ACC_EXPR_EXTENT)
    {
      *affine = (AccAffine) { 0, 0, 0 };
      return self->get_extent != NULL && self->get_extent (expr->array, expr->item, &affine->offset, self->data);
    }
  if (expr->kind == ACC_EXPR_PRIMITIVE)
    return find_by_primitive (self, expr, affine);

  return expr->kind == ACC_EXPR_COND && find (self, expr->args[0], 0, &condition) && condition.step == 0
         && find (self, expr->args[condition.offset != 0 ? 1 : 2], leaf, affine);
}

gboolean
acc_expr_find_affine (AccExpr      *expr,
                      guint         leaf,
                      AccExpr      *parameter,
                      AccExtentFunc get_extent,
                      gpointer      data,
                      AccAffine    *affine)
{
  Search self = { parameter, get_extent, data, 0 };

  return find (&self, expr, leaf, affine);
}

gboolean
acc_function_find_row_shift (AccFunction *function,
                             guint        dimension,
                             gint64      *shift)
{
  AccAffine row;

  if (acc_element_type_get_n_leaves (function->body->type) == 0
      || !acc_expr_find_affine (function->body, 0, function->params[0], NULL, NULL, &row) || row.step != 1 || row.dimension != dimension
      || row.offset < -G_MAXINT32 || row.offset > G_MAXINT32)
    return FALSE;

  *shift = row.offset;

  return TRUE;
}
