/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-error.h"
#include "acc-expr-build-private.h"

#include <string.h>

/**
 * acc_expr_tuple:
 * @items: (array length=n_items) (nullable): the items
 * @n_items: the number of items
 *
 * Creates a tuple from its items.
 *
 * Items may have different types. Where the type of the tuple would nest too deep or its code be too long, as in
 * acc_element_type_new_tuple(), the expression carries %ACC_ERROR_TYPE.
 *
 * ```c
 * // x = 1, y = 0.5
 * AccExpr *result = acc_expr_tuple ((AccExpr *[]) { x, y }, 2); // → (1, 0.5)
 * ```
 *
 * Returns: (transfer none): a tuple
 */
AccExpr *
acc_expr_tuple (AccExpr **items,
                guint     n_items)
{
  AccExpr *self = _acc_expr_alloc (ACC_EXPR_TUPLE, NULL, n_items);
  g_autofree AccElementType **types = g_new (AccElementType *, (gsize) n_items + 1);
  guint64 weight = 0;

  if (n_items > 0)
    memcpy (self->args, items, n_items * sizeof *items);

  AccExpr *error = _acc_expr_adopt ("tuple", self->args, n_items);
  if (error != NULL)
    {
      g_free (self);
      return error;
    }

  for (guint i = 0; i < n_items; i++)
    {
      types[i] = self->args[i]->type;
      weight += _acc_expr_get_weight (self->args[i]);
    }
  self->type = acc_element_type_new_tuple (types, n_items);
  self->weak = weight > 0;
  self->item = MIN (weight, G_MAXUINT);

  if (self->type == NULL)
    {
      acc_expr_ref_sink (self);
      return _acc_expr_keep (acc_expr_new_error_literal (ACC_ERROR_TYPE, "tuple: the type of the tuple is too deep or too long"), &self, 1);
    }
  return _acc_expr_seal (self);
}

/**
 * acc_expr_tuple2:
 * @a: the first item
 * @b: the second item
 *
 * Creates a tuple of two items.
 *
 * ```c
 * // x = 1, y = 0.5
 * AccExpr *result = acc_expr_tuple2 (x, y); // → (1, 0.5)
 * ```
 *
 * Returns: (transfer none): a pair
 */
AccExpr *
acc_expr_tuple2 (AccExpr *a,
                 AccExpr *b)
{
  return acc_expr_tuple ((AccExpr *[]) { a, b }, 2);
}

/**
 * acc_expr_tuple3:
 * @a: the first item
 * @b: the second item
 * @c: the third item
 *
 * Creates a tuple of three items.
 *
 * ```c
 * // x = 1, y = 0.5, z = true
 * AccExpr *result = acc_expr_tuple3 (x, y, z); // → (1, 0.5, true)
 * ```
 *
 * Returns: (transfer none): a triple
 */
AccExpr *
acc_expr_tuple3 (AccExpr *a,
                 AccExpr *b,
                 AccExpr *c)
{
  return acc_expr_tuple ((AccExpr *[]) { a, b, c }, 3);
}

/**
 * acc_expr_tuple4:
 * @a: the first item
 * @b: the second item
 * @c: the third item
 * @d: the fourth item
 *
 * Creates a tuple of four items.
 *
 * ```c
 * // x = 1, y = 2, z = 3, w = 4
 * AccExpr *result = acc_expr_tuple4 (x, y, z, w); // → (1, 2, 3, 4)
 * ```
 *
 * Returns: (transfer none): a tuple of four
 */
AccExpr *
acc_expr_tuple4 (AccExpr *a,
                 AccExpr *b,
                 AccExpr *c,
                 AccExpr *d)
{
  return acc_expr_tuple ((AccExpr *[]) { a, b, c, d }, 4);
}

/* Whether there are owners of @expr beside the caller. A floating one is the caller's alone, but its pointer may be used again: the result
 * has to keep it. */
static gboolean
is_shared (AccExpr *expr)
{
  return g_atomic_int_get (&expr->ref_count) > 1;
}

/* For weak nodes, whose identity does not matter. */
static AccExpr *
copy_node (AccExpr *expr)
{
  AccExpr *copy = _acc_expr_alloc (expr->kind, expr->type, expr->n_args);

  copy->weak = expr->weak;
  copy->item = expr->item;
  copy->value = expr->value;
  for (guint i = 0; i < expr->n_args; i++)
    copy->args[i] = acc_expr_ref (expr->args[i]);
  return _acc_expr_seal (copy);
}

/**
 * acc_expr_item:
 * @self: a tuple; a complex number, whose items are its real and imaginary part; a vector; or a scalar, whose item 0 is itself
 * @item: the position of the item
 *
 * Returns one item of a tuple, a complex number or a vector.
 *
 * An item that is not there gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // pair = (1, 0.5) of (i8,f8)
 * AccExpr *result = acc_expr_item (pair, 1); // → 0.5
 * ```
 *
 * Returns: (transfer none): the item
 */
AccExpr *
acc_expr_item (AccExpr *self,
               guint    item)
{
  AccExpr *args[] = { self };
  AccExpr *result = _acc_expr_adopt ("item", args, 1);

  if (result != NULL)
    return result;
  if (acc_element_type_is_scalar (self->type) && item == 0)
    return _acc_expr_float (self);

  if (item >= acc_element_type_get_n_items (self->type))
    {
      result = acc_expr_new_error_literal (ACC_ERROR_TYPE, "item: there is no item %u in %s", item, acc_element_type_get_code (self->type));
      return _acc_expr_keep (result, args, 1);
    }

  if (self->kind == ACC_EXPR_TUPLE && is_shared (self))
    {
      result = _acc_expr_float (acc_expr_ref (self->args[item]));
      acc_expr_unref (self);
      return result;
    }
  if (self->kind == ACC_EXPR_TUPLE && self->args[item]->weak)
    return _acc_expr_keep (copy_node (self->args[item]), args, 1);

  result = _acc_expr_alloc (ACC_EXPR_ITEM, acc_element_type_get_item (self->type, item), 1);
  result->item = item;
  result->args[0] = self;
  return _acc_expr_seal (result);
}

/**
 * acc_expr_get_n_items:
 * @self: an expression
 *
 * Returns the number of items of a value.
 *
 * Returns: the number of items of a tuple, a complex number or a vector; 1 for a scalar, 0 where it carries an error
 */
guint
acc_expr_get_n_items (AccExpr *self)
{
  if (self->type == NULL)
    return 0;
  return acc_element_type_is_scalar (self->type) ? 1 : acc_element_type_get_n_items (self->type);
}

/**
 * acc_expr_neighbour:
 * @self: the neighbourhood that a stencil's function got
 * @offsets: (array length=n_offsets): the distance from the centre in each dimension, outermost first
 * @n_offsets: the rank
 *
 * Returns one element of a stencil's neighbourhood, by its offset from the centre.
 *
 * An offset outside the stencil gives an expression with %ACC_ERROR_SHAPE.
 *
 * ```c
 * static AccExpr *shifted (AccExpr *n, gpointer data) { return acc_expr_neighbour (n, (gint64[]) { 0, 1 }, 2); }
 *
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccBoundary) edge = acc_boundary_new (ACC_BOUNDARY_CLAMP);
 * g_autoptr(AccArray) result = acc_array_stencil (xs, (gint64[]) { 1, 3 }, 2, edge, shifted, NULL); // → [[2, 3, 3], [5, 6, 6]]
 * ```
 *
 * Returns: (transfer none): the neighbour
 */
AccExpr *
acc_expr_neighbour (AccExpr      *self,
                    const gint64 *offsets,
                    guint         n_offsets)
{
  AccExpr *args[] = { self };
  AccExpr *error = _acc_expr_adopt ("neighbour", args, 1);

  if (error != NULL)
    return error;

  for (guint i = 0; i < n_offsets; i++)
    {
      guint n = acc_element_type_is_tuple (args[0]->type) ? acc_element_type_get_n_items (args[0]->type) : 1;
      gint64 radius = n / 2;

      if (n % 2 == 0 || offsets[i] < -radius || offsets[i] > radius)
        {
          g_autofree char *offset = g_strdup_printf ("%" G_GINT64_FORMAT, offsets[i]);
          error = acc_expr_new_error_literal (ACC_ERROR_SHAPE, "neighbour: the neighbourhood has %u elements in dimension %u: there is "
                                              "none at offset %s", n, i, offset);
          return _acc_expr_keep (error, args, 1);
        }

      args[0] = acc_expr_ref_sink (acc_expr_item (_acc_expr_float (args[0]), (guint) (offsets[i] + radius)));
    }
  return _acc_expr_float (args[0]);
}

/**
 * acc_expr_neighbour1:
 * @self: the neighbourhood that a stencil's function got, of rank 1
 * @dx: the distance from the centre
 *
 * Returns one element of the neighbourhood of a stencil of rank 1.
 *
 * An offset outside the stencil gives an expression with %ACC_ERROR_SHAPE.
 *
 * ```c
 * static AccExpr *shifted (AccExpr *n, gpointer data) { return acc_expr_neighbour1 (n, -1); }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccBoundary) edge = acc_boundary_new (ACC_BOUNDARY_CLAMP);
 * g_autoptr(AccArray) result = acc_array_stencil (xs, (gint64[]) { 3 }, 1, edge, shifted, NULL); // → [1, 1, 2]
 * ```
 *
 * Returns: (transfer none): the neighbour
 */
AccExpr *
acc_expr_neighbour1 (AccExpr *self,
                     gint64   dx)
{
  return acc_expr_neighbour (self, &dx, 1);
}

/**
 * acc_expr_neighbour2:
 * @self: the neighbourhood that a stencil's function got, of rank 2
 * @dy: the distance from the centre in the outer dimension
 * @dx: the distance in the inner dimension
 *
 * Returns one element of the neighbourhood of a stencil of rank 2.
 *
 * An offset outside the stencil gives an expression with %ACC_ERROR_SHAPE.
 *
 * ```c
 * static AccExpr *shifted (AccExpr *n, gpointer data) { return acc_expr_neighbour2 (n, 1, -1); }
 *
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccBoundary) edge = acc_boundary_new (ACC_BOUNDARY_CLAMP);
 * g_autoptr(AccArray) result = acc_array_stencil (xs, (gint64[]) { 3, 3 }, 2, edge, shifted, NULL); // → [[4, 4, 5], [4, 4, 5]]
 * ```
 *
 * Returns: (transfer none): the neighbour
 */
AccExpr *
acc_expr_neighbour2 (AccExpr *self,
                     gint64   dy,
                     gint64   dx)
{
  return acc_expr_neighbour (self, (gint64[]) { dy, dx }, 2);
}

/**
 * acc_expr_neighbour3:
 * @self: the neighbourhood that a stencil's function got, of rank 3
 * @dz: the distance from the centre in the outermost dimension
 * @dy: the distance in the middle dimension
 * @dx: the distance in the innermost dimension
 *
 * Returns one element of the neighbourhood of a stencil of rank 3.
 *
 * An offset outside the stencil gives an expression with %ACC_ERROR_SHAPE.
 *
 * ```c
 * static AccExpr *shifted (AccExpr *n, gpointer data) { return acc_expr_neighbour3 (n, 0, 0, 1); }
 *
 * // xs = [[[1, 2, 3]]]
 * g_autoptr(AccBoundary) edge = acc_boundary_new (ACC_BOUNDARY_CLAMP);
 * g_autoptr(AccArray) result = acc_array_stencil (xs, (gint64[]) { 1, 1, 3 }, 3, edge, shifted, NULL); // → [[[2, 3, 3]]]
 * ```
 *
 * Returns: (transfer none): the neighbour
 */
AccExpr *
acc_expr_neighbour3 (AccExpr *self,
                     gint64   dz,
                     gint64   dy,
                     gint64   dx)
{
  return acc_expr_neighbour (self, (gint64[]) { dz, dy, dx }, 3);
}

/* --- indices */

gboolean
_acc_expr_to_index (AccExpr **slot)
{
  AccElementType *i64 = acc_element_type_new (ACC_KIND_I64);

  if ((*slot)->weak)
    return _acc_expr_resolve_slot (slot, i64);
  if (!acc_element_kind_is_integer (acc_element_type_get_kind ((*slot)->type)))
    return FALSE;
  if ((*slot)->type != i64)
    {
      AccExpr *cast = acc_expr_ref_sink (acc_expr_cast (*slot, i64));
      acc_expr_unref (*slot);
      *slot = cast;
    }
  return TRUE;
}

gboolean
_acc_expr_to_multi_index (AccExpr **slot,
                          guint     rank)
{
  AccElementType *wanted = acc_index_type (rank);

  if (rank == 1)
    return _acc_expr_to_index (slot);
  if (wanted == NULL || !_acc_expr_resolve_slot (slot, wanted))
    return FALSE;
  if ((*slot)->type == wanted)
    return TRUE;
  if (!acc_element_type_is_tuple ((*slot)->type) || acc_element_type_get_n_items ((*slot)->type) != rank)
    return FALSE;

  g_autofree AccExpr **items = g_new0 (AccExpr *, rank);
  gboolean ok = TRUE;

  for (guint i = 0; i < rank; i++)
    {
      items[i] = acc_expr_ref_sink (acc_expr_item (*slot, i));
      ok = ok && _acc_expr_to_index (&items[i]);
    }
  if (ok)
    *slot = acc_expr_ref_sink (_acc_expr_keep (acc_expr_tuple (items, rank), slot, 1));
  _acc_expr_drop (items, rank);
  return ok;
}
