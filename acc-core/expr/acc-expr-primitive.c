/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-error.h"
#include "acc-expr-pack-private.h"

static const char *
describe_operands (AccOperands operands)
{
  switch (operands)
    {
    case ACC_OPERANDS_NUM:
      return "numbers";
    case ACC_OPERANDS_INT:
    case ACC_OPERANDS_SHIFT:
      return "integers";
    case ACC_OPERANDS_FLOAT:
      return "floats";
    case ACC_OPERANDS_LOGIC:
      return "b1 and integers";
    case ACC_OPERANDS_ANY:
    default:
      return "scalars";
    }
}

/* The first of @args that carries an error, with the primitive's name before its message; or NULL. */
static AccExpr *
find_error (const char  *name,
            AccExpr    **args,
            guint        n)
{
  for (guint i = 0; i < n; i++)
    if (_acc_expr_is_error (args[i]))
      return acc_expr_new_error_literal (args[i]->error->code, "%s: %s", name, args[i]->error->message);
  return NULL;
}

/* Gives owned operands their types and checks them. NULL, or a floating error. */
static AccExpr *
resolve_operands (AccPrimitive   primitive,
                  AccExpr      **args)
{
  const AccPrimitiveInfo *info = acc_primitive_get_info (primitive);
  gboolean floats = info->operands == ACC_OPERANDS_FLOAT;
  AccExpr *error;

  if (info->operands == ACC_OPERANDS_SHIFT)
    {
      _acc_expr_resolve_slot (&args[0], NULL);
      if (!_acc_expr_to_index (&args[1]) && !_acc_expr_is_error (args[1]))
        return acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: the amount is %s, not an integer", info->name, _acc_expr_code (args[1]));
    }
  else if (info->arity == 2)
    _acc_expr_unify (&args[0], &args[1], floats);
  else
    _acc_expr_resolve_slot (&args[0], floats ? acc_element_type_new (ACC_KIND_F64) : NULL);

  if ((error = find_error (info->name, args, info->arity)) != NULL)
    return error;

  if (info->arity == 2 && info->operands != ACC_OPERANDS_SHIFT && args[0]->type != args[1]->type)
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: %s and %s differ; convert one with cast", info->name, _acc_expr_code (args[0]),
                                       _acc_expr_code (args[1]));
  if (primitive == ACC_PRIM_FDIV && _acc_expr_is_integer (args[0]))
    return acc_expr_new_error_literal (ACC_ERROR_TYPE,
                                       "fdiv takes floats, not %s: div and quot are of integers, and cast makes floats of them",
                                       _acc_expr_code (args[0]));
  if (!acc_primitive_accepts (primitive, acc_element_type_get_kind (args[0]->type)))
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s takes %s, not %s", info->name, describe_operands (info->operands),
                                       _acc_expr_code (args[0]));
  return NULL;
}

AccExpr *
acc_expr_new_primitive (AccPrimitive   primitive,
                        AccExpr      **operands)
{
  const AccPrimitiveInfo *info = acc_primitive_get_info (primitive);
  AccExpr *args[2] = { operands[0], info->arity > 1 ? operands[1] : NULL };
  AccExpr *error = _acc_expr_adopt (info->name, args, info->arity);

  if (error != NULL)
    return error;

  if ((error = resolve_operands (primitive, args)) != NULL)
    return _acc_expr_keep (error, args, info->arity);

  AccElementKind kind = acc_primitive_result (primitive, acc_element_type_get_kind (args[0]->type));
  AccExpr *result = _acc_expr_alloc (ACC_EXPR_PRIMITIVE, acc_element_type_new (kind), info->arity);

  result->primitive = primitive;
  for (guint i = 0; i < info->arity; i++)
    result->args[i] = args[i];
  return _acc_expr_seal (result);
}

/* Of complex numbers and vectors it is made of primitives of their scalars. NULL: not of these. */
static AccExprBuild
find_build (AccPrimitive  primitive,
            AccExpr      *a,
            AccExpr      *b)
{
  if (_acc_expr_is_complex (a) || _acc_expr_is_complex (b))
    return _acc_expr_get_complex_build (primitive);
  if (_acc_expr_is_packed (a) || (_acc_expr_is_packed (b) && acc_primitive_get_info (primitive)->operands != ACC_OPERANDS_SHIFT))
    return _acc_expr_get_vector_build (primitive);
  return NULL;
}

AccExpr *
_acc_expr_binary (AccPrimitive  primitive,
                  AccExpr      *a,
                  AccExpr      *b)
{
  const AccPrimitiveInfo *info = acc_primitive_get_info (primitive);
  AccExprBuild build = find_build (primitive, a, b);

  if (build != NULL)
    return _acc_expr_derive (info->name, a, b, 2, info->operands != ACC_OPERANDS_SHIFT, build);
  return acc_expr_new_primitive (primitive, (AccExpr *[]) { a, b });
}

AccExpr *
_acc_expr_unary (AccPrimitive  primitive,
                 AccExpr      *a)
{
  AccExprBuild build = find_build (primitive, a, NULL);

  if (build != NULL)
    return _acc_expr_derive (acc_primitive_get_info (primitive)->name, a, NULL, 1, FALSE, build);
  return acc_expr_new_primitive (primitive, (AccExpr *[]) { a });
}

/* --- tuples and vectors are compared lexicographically */

static gboolean
is_tuple (AccExpr *expr)
{
  return expr != NULL && expr->type != NULL && acc_element_type_is_tuple (expr->type);
}

/* Complex numbers, alone or in tuples, are equal or not, and have no other order. */
static gboolean
has_order (AccElementType *type)
{
  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    if (acc_element_type_get_kind (acc_element_type_get_buffer (type, i)) == ACC_KIND_COMPLEX)
      return FALSE;
  return TRUE;
}

/* Whether they are compared scalar by scalar. */
static gboolean
is_structured (AccExpr *a,
               AccExpr *b)
{
  return (is_tuple (a) && is_tuple (b)) || _acc_expr_is_packed (a) || _acc_expr_is_packed (b);
}

/* Scalars of @expr, which is owned by the caller, from left to right; owned. */
static void
collect_leaves (AccExpr   *expr,
                GPtrArray *leaves)
{
  if (acc_element_type_is_scalar (expr->type))
    {
      g_ptr_array_add (leaves, acc_expr_ref (expr));
      return;
    }

  for (guint i = 0; i < acc_element_type_get_n_items (expr->type); i++)
    {
      g_autoptr(AccExpr) item = acc_expr_ref_sink (acc_expr_item (expr, i));
      collect_leaves (item, leaves);
    }
}

/* Two owned values of one type. From the last scalar to the first: a strict order decides, equality leaves it to what
 * follows. */
static AccExpr *
compare_leaves (AccPrimitive  primitive,
                AccExpr      *a,
                AccExpr      *b)
{
  g_autoptr(GPtrArray) xs = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_expr_unref);
  g_autoptr(GPtrArray) ys = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_expr_unref);
  AccPrimitive strict = primitive == ACC_PRIM_LE ? ACC_PRIM_LT : primitive == ACC_PRIM_GE ? ACC_PRIM_GT : primitive;
  AccExpr *result;

  collect_leaves (a, xs);
  collect_leaves (b, ys);

  if (xs->len == 0)
    return acc_expr_new_bool (primitive == ACC_PRIM_EQ || primitive == ACC_PRIM_LE || primitive == ACC_PRIM_GE);

  result = _acc_expr_binary (primitive, xs->pdata[xs->len - 1], ys->pdata[xs->len - 1]);
  for (guint i = xs->len - 1; i-- > 0;)
    {
      AccExpr *first = _acc_expr_binary (strict, xs->pdata[i], ys->pdata[i]);

      if (primitive == ACC_PRIM_EQ)
        result = _acc_expr_binary (ACC_PRIM_BAND, first, result);
      else if (primitive == ACC_PRIM_NE)
        result = _acc_expr_binary (ACC_PRIM_BOR, first, result);
      else
        result = _acc_expr_binary (ACC_PRIM_BOR, first,
                                   _acc_expr_binary (ACC_PRIM_BAND, _acc_expr_binary (ACC_PRIM_EQ, xs->pdata[i], ys->pdata[i]), result));
    }
  return result;
}

/* Gives two owned values one type. NULL, or a floating error. */
static AccExpr *
unify (AccPrimitive   primitive,
       AccExpr      **args)
{
  const char *name = acc_primitive_get_info (primitive)->name;
  AccExpr *error;

  _acc_expr_unify (&args[0], &args[1], FALSE);

  if ((error = find_error (name, args, 2)) == NULL && args[0]->type != args[1]->type)
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: %s and %s differ; convert one with cast", name, _acc_expr_code (args[0]),
                                        _acc_expr_code (args[1]));
  if (error == NULL && primitive != ACC_PRIM_EQ && primitive != ACC_PRIM_NE && !has_order (args[0]->type))
    error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: %s has no order", name, _acc_expr_code (args[0]));
  return error;
}

AccExpr *
_acc_expr_compare (AccPrimitive  primitive,
                   AccExpr      *a,
                   AccExpr      *b)
{
  AccExpr *args[] = { a, b };
  AccExpr *result;

  if (!is_structured (a, b))
    return _acc_expr_binary (primitive, a, b);

  if ((result = _acc_expr_adopt (acc_primitive_get_info (primitive)->name, args, 2)) != NULL)
    return result;
  if ((result = unify (primitive, args)) == NULL)
    result = compare_leaves (primitive, args[0], args[1]);

  return _acc_expr_keep (result, args, 2);
}

AccExpr *
_acc_expr_choose (AccPrimitive  primitive,
                  AccExpr      *a,
                  AccExpr      *b)
{
  if (!is_structured (a, b))
    return _acc_expr_binary (primitive, a, b);

  AccExpr *args[] = { a, b };
  AccExpr *result;

  if ((result = _acc_expr_adopt (acc_primitive_get_info (primitive)->name, args, 2)) != NULL)
    return result;
  if ((result = unify (primitive, args)) == NULL)
    result = acc_expr_cond (compare_leaves (primitive == ACC_PRIM_MIN ? ACC_PRIM_LE : ACC_PRIM_GE, args[0], args[1]), args[0], args[1]);

  return _acc_expr_keep (result, args, 2);
}
