/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-array-private.h"
#include "acc-error.h"
#include "acc-expr-build-private.h"

#include <string.h>

/**
 * acc_expr_tuple:
 * @items: (array length=n_items) (nullable): the items
 * @n_items: how many
 *
 * Returns: (transfer none): a tuple
 */
AccExpr *
acc_expr_tuple (AccExpr **items,
                guint     n_items)
{
  AccExpr *self = _acc_expr_alloc (ACC_EXPR_TUPLE, NULL, n_items);
  g_autofree AccElementType **types = g_new (AccElementType *, n_items + 1);

  if (n_items > 0)
    memcpy (self->args, items, n_items * sizeof *items);

  AccExpr *error = _acc_expr_adopt (self->args, n_items);
  if (error != NULL)
    {
      g_free (self);
      return error;
    }

  for (guint i = 0; i < n_items; i++)
    {
      types[i] = self->args[i]->type;
      self->weak |= self->args[i]->weak;
    }
  self->type = acc_element_type_new_tuple (types, n_items);
  return self;
}

/**
 * acc_expr_tuple2:
 * @a: an item
 * @b: an item
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
 * @a: an item
 * @b: an item
 * @c: an item
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
 * @a: an item
 * @b: an item
 * @c: an item
 * @d: an item
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

/**
 * acc_expr_item:
 * @self: a tuple; or a scalar, whose item 0 is itself
 * @item: which
 *
 * Returns: (transfer none): an item
 */
AccExpr *
acc_expr_item (AccExpr *self,
               guint    item)
{
  if (self == NULL)
    return acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "an operand is missing");
  if (_acc_expr_is_error (self) || (!acc_element_type_is_tuple (self->type) && item == 0))
    return self;

  g_autoptr (AccExpr) tuple = acc_expr_ref_sink (self);

  if (item >= acc_element_type_get_n_items (tuple->type))
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "there is no item %u in %s", item, acc_element_type_get_code (tuple->type));

  if (tuple->kind == ACC_EXPR_TUPLE)
    return _acc_expr_float (acc_expr_ref (tuple->args[item]), &tuple);

  AccExpr *result = _acc_expr_alloc (ACC_EXPR_ITEM, acc_element_type_get_item (tuple->type, item), 1);
  result->item = item;
  result->args[0] = g_steal_pointer (&tuple);
  return result;
}

/**
 * acc_expr_get_n_items:
 * @self: an expression
 *
 * Returns: the number of items of a tuple; 1 for a scalar, 0 where it carries an error
 */
guint
acc_expr_get_n_items (AccExpr *self)
{
  if (self->type == NULL)
    return 0;
  return acc_element_type_is_tuple (self->type) ? acc_element_type_get_n_items (self->type) : 1;
}

/**
 * acc_expr_neighbour:
 * @self: what a stencil's function got
 * @offsets: (array length=n_offsets): distance from the centre in each dimension, outermost first
 * @n_offsets: the rank
 *
 * Returns: (transfer none): the neighbour
 */
AccExpr *
acc_expr_neighbour (AccExpr      *self,
                    const gint64 *offsets,
                    guint         n_offsets)
{
  AccExpr *at = self;

  if (self == NULL)
    return acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "an operand is missing");

  for (guint i = 0; i < n_offsets && at->type != NULL; i++)
    {
      guint n = acc_element_type_get_n_items (at->type);
      gint64 radius = n / 2;

      if (n % 2 == 0 || offsets[i] < -radius || offsets[i] > radius)
        {
          g_autofree char *where = g_strdup_printf ("%" G_GINT64_FORMAT " in dimension %u", offsets[i], i);
          g_autoptr (AccExpr) dropped = acc_expr_ref_sink (at);
          return acc_expr_new_error_literal (ACC_ERROR_SHAPE, "the neighbourhood does not reach to offset %s", where);
        }
      at = acc_expr_item (at, offsets[i] + radius);
    }
  return at;
}

/**
 * acc_expr_neighbour1:
 * @self: what a stencil's function got, of rank 1
 * @dx: distance from the centre
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
 * @self: what a stencil's function got, of rank 2
 * @dy: distance from the centre in the outer dimension
 * @dx: distance in the inner dimension
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
 * @self: what a stencil's function got, of rank 3
 * @dz: distance from the centre in the outermost dimension
 * @dy: distance in the middle dimension
 * @dx: distance in the innermost dimension
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

/**
 * acc_expr_cast:
 * @self: a scalar
 * @type: a scalar type
 *
 * Converts: between integers by wrapping, to floats by rounding to nearest, from floats towards zero and saturating, NaN
 * to 0; to b1 by comparing with 0.
 *
 * Returns: (transfer none): the converted value
 */
AccExpr *
acc_expr_cast (AccExpr        *self,
               AccElementType *type)
{
  if (self == NULL || type == NULL)
    return acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "cast: an operand is missing");
  if (_acc_expr_is_error (self) || (self->type == type && !self->weak))
    return self;

  g_autoptr (AccExpr) value = acc_expr_ref_sink (self);

  if (acc_element_type_is_tuple (value->type) || acc_element_type_is_tuple (type))
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "cast: from %s to %s: only scalars can be cast",
                                       acc_element_type_get_code (value->type), acc_element_type_get_code (type));

  if (value->weak)
    {
      AccExpr *settled = acc_expr_settle (value, type);

      if (!_acc_expr_is_error (settled))
        return settled;
      acc_expr_unref (acc_expr_ref_sink (settled));
      if (!_acc_expr_settle_slot (&value, NULL))
        return acc_expr_new_error (g_error_copy (value->error));
      if (value->type == type)
        return _acc_expr_float (acc_expr_ref (value), &value);
    }

  AccExpr *result = _acc_expr_alloc (ACC_EXPR_CAST, type, 1);
  result->args[0] = g_steal_pointer (&value);
  return result;
}

/**
 * acc_expr_bitcast:
 * @self: a scalar
 * @type: a scalar type of the same size
 *
 * The same bits as another type.
 *
 * Returns: (transfer none): the value
 */
AccExpr *
acc_expr_bitcast (AccExpr        *self,
                  AccElementType *type)
{
  AccExpr *args[] = { self };
  AccExpr *error = type ? _acc_expr_adopt (args, 1) : acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "bitcast: no type was given");

  if (error != NULL)
    return error;
  if (!_acc_expr_settle_slot (&args[0], NULL))
    return _acc_expr_fail (args[0], args, 1);

  AccElementType *from = args[0]->type;
  if (acc_element_type_is_tuple (from) || acc_element_type_is_tuple (type)
      || acc_element_type_get_size (from) != acc_element_type_get_size (type)
      || (acc_element_type_get_kind (type) == ACC_KIND_BOOL && from != type))
    {
      error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "bitcast: %s has not the bits of %s", acc_element_type_get_code (from),
                                          acc_element_type_get_code (type));
      _acc_expr_drop (args, 1);
      return error;
    }

  AccExpr *result = _acc_expr_alloc (ACC_EXPR_BITCAST, type, 1);
  result->args[0] = args[0];
  return result;
}

/* --- reading arrays */

/* The error of an array as an expression, or NULL. */
static AccExpr *
array_error (AccArray *array)
{
  if (array == NULL)
    return acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "an array is missing");
  return array->error ? acc_expr_new_error (g_error_copy (array->error)) : NULL;
}

/* Turns owned @*slot into an index of @rank dimensions. */
static gboolean
to_multi_index (AccExpr **slot,
                guint     rank)
{
  if (rank == 1)
    return _acc_expr_to_index (slot);

  AccElementType *wanted = acc_index_type (rank);
  if ((*slot)->weak && !_acc_expr_settle_slot (slot, wanted))
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
  AccExpr *tuple = ok ? acc_expr_ref_sink (acc_expr_tuple (items, rank)) : NULL;
  _acc_expr_drop (items, rank);
  if (!ok)
    return FALSE;

  acc_expr_unref (*slot);
  *slot = tuple;
  return TRUE;
}

static AccExpr *
reading (AccExprKind kind,
         AccArray   *array,
         AccExpr    *index)
{
  AccExpr *args[] = { index };
  AccExpr *error = _acc_expr_adopt (args, 1);

  if (error != NULL)
    return error;
  if ((error = array_error (array)) != NULL)
    {
      _acc_expr_drop (args, 1);
      return error;
    }

  if (kind == ACC_EXPR_INDEX ? !to_multi_index (&args[0], array->rank) : !_acc_expr_to_index (&args[0]))
    {
      g_autofree char *what = acc_array_describe (array);
      error = acc_expr_new_error_literal (ACC_ERROR_TYPE, "index: %s of rank %u takes %s, not %s", what, array->rank,
                                          acc_element_type_get_code (kind == ACC_EXPR_INDEX ? acc_index_type (array->rank) : acc_index_type (1)),
                                          args[0]->type ? acc_element_type_get_code (args[0]->type) : "this");
      _acc_expr_drop (args, 1);
      return error;
    }

  AccExpr *result = _acc_expr_alloc (kind, array->type, 1);
  result->array = g_object_ref (array);
  result->args[0] = args[0];
  return result;
}

/**
 * acc_expr_index:
 * @array: an array
 * @index: an integer for rank 1, else a tuple of rank integers
 *
 * An element of an array. Out of range is %ACC_ERROR_BOUNDS when it is run.
 *
 * Returns: (transfer none): the element
 */
AccExpr *
acc_expr_index (AccArray *array,
                AccExpr  *index)
{
  return reading (ACC_EXPR_INDEX, array, index);
}

/**
 * acc_expr_linear_index:
 * @array: an array
 * @index: a row-major position
 *
 * An element of an array. Out of range is %ACC_ERROR_BOUNDS when it is run.
 *
 * Returns: (transfer none): the element
 */
AccExpr *
acc_expr_linear_index (AccArray *array,
                       AccExpr  *index)
{
  return reading (ACC_EXPR_LINEAR_INDEX, array, index);
}

/**
 * acc_expr_the:
 * @array: an array of rank 0
 *
 * Returns: (transfer none): its element
 */
AccExpr *
acc_expr_the (AccArray *array)
{
  return acc_expr_index (array, acc_expr_tuple (NULL, 0));
}

/**
 * acc_expr_extent:
 * @array: an array; its elements are not computed for this
 * @dimension: below the rank; 0 is the outermost
 *
 * Returns: (transfer none): the extent, an i8
 */
AccExpr *
acc_expr_extent (AccArray *array,
                 guint     dimension)
{
  AccExpr *error = array_error (array);

  if (error != NULL)
    return error;
  if (dimension >= array->rank)
    return acc_expr_new_error_literal (ACC_ERROR_SHAPE, "extent: there is no dimension %u in an array of rank %u", dimension, array->rank);

  AccExpr *result = _acc_expr_alloc (ACC_EXPR_EXTENT, acc_element_type_new (ACC_KIND_I64), 0);
  result->array = g_object_ref (array);
  result->item = dimension;
  return result;
}

/**
 * acc_expr_shape:
 * @array: an array; its elements are not computed for this
 *
 * Returns: (transfer none): its extents, as an index of its rank
 */
AccExpr *
acc_expr_shape (AccArray *array)
{
  AccExpr *error = array_error (array);

  if (error != NULL)
    return error;
  if (array->rank == 1)
    return acc_expr_extent (array, 0);

  g_autofree AccExpr **items = g_new (AccExpr *, array->rank + 1);
  for (guint i = 0; i < array->rank; i++)
    items[i] = acc_expr_extent (array, i);
  return acc_expr_tuple (items, array->rank);
}
