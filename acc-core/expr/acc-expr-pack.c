/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Complex numbers and vectors as wholes: making them, replacing items, and operations on one scalar at a time. */

#include "acc-error.h"
#include "acc-expr-pack-private.h"

#include <string.h>

gboolean
_acc_expr_is_packed (AccExpr *expr)
{
  return expr != NULL && expr->type != NULL && acc_element_type_is_packed (expr->type);
}

gboolean
_acc_expr_is_complex (AccExpr *expr)
{
  return expr != NULL && expr->type != NULL && acc_element_type_get_kind (expr->type) == ACC_KIND_COMPLEX;
}

AccExpr *
acc_expr_new_pack (AccElementType  *type,
                   AccExpr        **items)
{
  guint n = acc_element_type_get_n_items (type);
  AccElementType *component = acc_element_type_get_item (type, 0);
  AccExpr *self = _acc_expr_alloc (ACC_EXPR_TUPLE, type, n);
  AccExpr *error;

  memcpy (self->args, items, n * sizeof *items);
  error = _acc_expr_adopt ("pack", self->args, n);
  for (guint i = 0; i < n && error == NULL; i++)
    if (!_acc_expr_resolve_slot (&self->args[i], component))
      error = _acc_expr_fail (self->args[i], self->args, n);
    else if (self->args[i]->type != component)
      error = _acc_expr_keep (acc_expr_new_error_literal (ACC_ERROR_TYPE, "pack: an item of %s is %s", acc_element_type_get_code (type),
                                                          acc_element_type_get_code (self->args[i]->type)), self->args, n);
  if (error != NULL)
    {
      g_free (self);
      return error;
    }
  return _acc_expr_seal (self);
}

AccExpr *
_acc_expr_fill_pack (AccElementType *type,
                     AccExpr        *item)
{
  AccExpr *items[ACC_MAX_LANES];

  for (guint i = 0; i < acc_element_type_get_n_items (type); i++)
    items[i] = item;
  if (acc_element_type_get_kind (type) == ACC_KIND_COMPLEX)
    items[1] = acc_expr_new_typed_int (acc_element_type_get_item (type, 1), 0);
  return acc_expr_new_pack (type, items);
}

/* The type of the first of @items that has one; NULL: all are untyped. */
static AccElementType *
find_component (AccExpr **items,
                guint     n)
{
  for (guint i = 0; i < n; i++)
    if (!items[i]->weak)
      return items[i]->type;
  return NULL;
}

/* Of owned @items, which it drops. */
static AccExpr *
pack (const char     *name,
      AccElementKind  kind,
      AccExpr       **items,
      guint           n)
{
  AccElementType *component = find_component (items, n), *type;
  AccExpr *result;

  if (component == NULL)
    return _acc_expr_new_weak_pack (kind, items, n);

  for (guint i = 0; i < n; i++)
    if (!_acc_expr_resolve_slot (&items[i], component))
      return _acc_expr_fail (items[i], items, n);
    else if (items[i]->type != component)
      return _acc_expr_keep (acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: %s and %s differ; convert one with cast", name,
                             acc_element_type_get_code (component), acc_element_type_get_code (items[i]->type)), items, n);

  if (!acc_element_type_is_scalar (component))
    return _acc_expr_keep (_acc_expr_needs (name, "scalars", items[0]), items, n);
  if (kind == ACC_KIND_COMPLEX && !_acc_expr_is_float (items[0]))
    return _acc_expr_keep (_acc_expr_needs (name, "floats", items[0]), items, n);

  type = kind == ACC_KIND_COMPLEX ? acc_element_type_new_complex (acc_element_type_get_kind (component))
                                  : acc_element_type_new_vector (acc_element_type_get_kind (component), n);
  result = acc_expr_new_pack (type, items);
  return _acc_expr_keep (result, items, n);
}

/**
 * acc_expr_complex:
 * @re: the real part, a float
 * @im: the imaginary part, a float of the same type
 *
 * Creates a complex number from its real and its imaginary part: "c8" from two f4.
 *
 * Two untyped literals give an untyped complex number, which is a "c16" where no operand has a type.
 *
 * ```c
 * // re = 3.0, im = 4.0
 * AccExpr *z = acc_expr_complex (re, im); // → (3, 4)
 * ```
 *
 * Returns: (transfer none): the complex number
 */
AccExpr *
acc_expr_complex (AccExpr *re,
                  AccExpr *im)
{
  AccExpr *args[] = { re, im };
  AccExpr *error = _acc_expr_adopt ("complex", args, 2);

  return error != NULL ? error : pack ("complex", ACC_KIND_COMPLEX, args, 2);
}

/**
 * acc_expr_vec:
 * @items: (array length=n_items): scalars of one type
 * @n_items: the number of items, from 1 to %ACC_MAX_LANES
 *
 * Creates a vector from a few scalars, which lie side by side in memory: "4f4" from four f4.
 *
 * acc_expr_item() reads one of the scalars, acc_expr_with_item() replaces one. Arithmetic on vectors is done item by item, and an
 * untyped literal is broadcast to a vector. Comparisons are lexicographic, as those of tuples.
 *
 * ```c
 * // red = 0.5 of f4, green = 0.25 of f4, blue = 0.0 of f4, alpha = 1.0 of f4
 * AccExpr *pixel = acc_expr_vec ((AccExpr *[]) { red, green, blue, alpha }, 4); // → (0.5, 0.25, 0, 1)
 * ```
 *
 * Returns: (transfer none): the vector; an expression with %ACC_ERROR_TYPE where the types differ, or where @n_items is out of range
 */
AccExpr *
acc_expr_vec (AccExpr **items,
              guint     n_items)
{
  g_autofree AccExpr **args = g_new (AccExpr *, n_items + 1);
  AccExpr *error;

  if (n_items > 0)
    memcpy (args, items, n_items * sizeof *items);
  if ((error = _acc_expr_adopt ("vec", args, n_items)) != NULL)
    return error;
  if (n_items == 0 || n_items > ACC_MAX_LANES)
    return _acc_expr_keep (acc_expr_new_error_literal (ACC_ERROR_TYPE, "vec: a vector has 1 to %u scalars, not %u", ACC_MAX_LANES, n_items),
                           args, n_items);
  return pack ("vec", ACC_KIND_VECTOR, args, n_items);
}

/**
 * acc_expr_with_item:
 * @self: a tuple, a complex number or a vector; or a scalar, whose item 0 is itself
 * @item: the position of the item
 * @value: the new item, of the type of the old one
 *
 * Replaces one item of a tuple, a complex number or a vector.
 *
 * An item that is not there, or a value of another type, gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // pixel = (0.5, 0.25, 0.0, 0.0) of 4f4
 * AccExpr *opaque = acc_expr_with_item (pixel, 3, acc_expr_new_int (1)); // → (0.5, 0.25, 0, 1)
 * ```
 *
 * Returns: (transfer none): a value of the type of @self
 */
AccExpr *
acc_expr_with_item (AccExpr *self,
                    guint    item,
                    AccExpr *value)
{
  AccExpr *args[] = { self, value };
  AccExpr *items[2] = { NULL, }, **all = items;
  g_autofree AccExpr **many = NULL;
  AccElementType *wanted;
  AccExpr *result = _acc_expr_adopt ("with_item", args, 2);
  guint n;

  if (result != NULL)
    return result;
  if (!_acc_expr_resolve_slot (&args[0], NULL))
    return _acc_expr_fail (args[0], args, 2);

  n = acc_expr_get_n_items (args[0]);
  if (item >= n)
    return _acc_expr_keep (acc_expr_new_error_literal (ACC_ERROR_TYPE, "with_item: there is no item %u in %s", item,
                           acc_element_type_get_code (args[0]->type)), args, 2);

  wanted = acc_element_type_is_scalar (args[0]->type) ? args[0]->type : acc_element_type_get_item (args[0]->type, item);
  if (!_acc_expr_resolve_slot (&args[1], wanted))
    return _acc_expr_fail (args[1], args, 2);
  if (args[1]->type != wanted)
    return _acc_expr_keep (acc_expr_new_error_literal (ACC_ERROR_TYPE, "with_item: item %u of %s is not %s", item,
                           acc_element_type_get_code (args[0]->type), acc_element_type_get_code (args[1]->type)), args, 2);

  if (n > G_N_ELEMENTS (items))
    all = many = g_new (AccExpr *, n);
  for (guint i = 0; i < n; i++)
    all[i] = i == item ? args[1] : acc_expr_item (args[0], i);

  if (acc_element_type_is_scalar (args[0]->type))
    result = _acc_expr_float (acc_expr_ref (args[1]));
  else if (acc_element_type_is_packed (args[0]->type))
    result = acc_expr_new_pack (args[0]->type, all);
  else
    result = acc_expr_tuple (all, n);
  return _acc_expr_keep (result, args, 2);
}

/* --- one scalar at a time */

AccExpr *
_acc_expr_map_items (AccElementType  *type,
                     AccExpr        **args,
                     guint            n_args,
                     AccExprItem      function,
                     gpointer         data)
{
  AccExpr *items[ACC_MAX_LANES];
  guint n = acc_element_type_get_n_items (type);
  AccElementType *component;
  AccExpr *result;

  for (guint i = 0; i < n; i++)
    {
      AccExpr *of_args[2] = { NULL, };

      for (guint k = 0; k < n_args; k++)
        of_args[k] = _acc_expr_is_packed (args[k]) ? acc_expr_item (args[k], i) : args[k];
      items[i] = acc_expr_ref_sink (function (of_args, data));
    }

  component = items[0]->type;
  for (guint i = 0; i < n; i++)
    if (_acc_expr_is_error (items[i]))
      return _acc_expr_fail (items[i], items, n);

  if (acc_element_type_get_kind (type) == ACC_KIND_COMPLEX)
    type = acc_element_type_new_complex (acc_element_type_get_kind (component));
  else
    type = acc_element_type_new_vector (acc_element_type_get_kind (component), n);
  result = acc_expr_new_pack (type, items);
  return _acc_expr_keep (result, items, n);
}

static AccExpr *
apply_primitive (AccExpr  **args,
                 gpointer   data)
{
  return acc_expr_new_primitive (*(AccPrimitive *) data, args);
}

#define ACC_PRIMITIVE(ID, name, arity, operands, result, family, cost, value)                                  \
  static AccExpr *                                                                                             \
  vectors_##ID (AccExpr **args)                                                                                \
  {                                                                                                            \
    AccPrimitive primitive = ACC_PRIM_##ID;                                                                    \
    return _acc_expr_map_items (args[0]->type, args, arity, apply_primitive, &primitive);                      \
  }
#include "acc-primitives.inc"
#undef ACC_PRIMITIVE

static const AccExprBuild of_vectors[ACC_N_PRIMITIVES] = {
#define ACC_PRIMITIVE(ID, name, arity, operands, result, family, cost, value) [ACC_PRIM_##ID] = vectors_##ID,
#include "acc-primitives.inc"
#undef ACC_PRIMITIVE
};

AccExprBuild
_acc_expr_get_vector_build (AccPrimitive primitive)
{
  return of_vectors[primitive];
}
