/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"

static gboolean
check_reshape (AccArray *node)
{
  if (node->extents == NULL)
    return acc_array_fail_argument (node, "a shape");

  node->type = node->inputs[0]->type;
  return TRUE;
}

static void
backpermute_signature (AccArray     *node,
                       guint         function,
                       AccSignature *signature)
{
  signature->n_params = 1;
  signature->params[0] = acc_index_type (node->rank);
  signature->result = acc_index_type (node->inputs[0]->rank);
}

const AccArrayRule acc_rule_reshape = { check_reshape, NULL };
const AccArrayRule acc_rule_backpermute = { check_reshape, backpermute_signature };

/**
 * acc_array_reshape:
 * @self: an array
 * @shape: the new extents, of as many elements
 *
 * The same elements in the same row-major order, with other extents. Sizes that differ are %ACC_ERROR_SHAPE, while
 * building where they are known by then. Costs nothing on a manifest array.
 *
 * In constant time where the elements are in memory, else linear in their number at most.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]], shape = (3, 2)
 * g_autoptr(AccArray) result = acc_array_reshape (xs, shape); // → [[1, 2], [3, 4], [5, 6]]
 * ```
 *
 * Returns: (transfer full): an array of @shape
 *
 * Since: 1.0
 */
AccArray *
acc_array_reshape (AccArray *self,
                   AccShape *shape)
{
  AccArray *node = acc_array_begin (ACC_OP_RESHAPE, &self, 1);

  acc_array_set_extents (node, shape);

  return acc_array_complete (node);
}

/**
 * acc_array_reshape_expr:
 * @self: an array
 * @shape: the new extents: an i8 for rank 1, else a tuple of them, outermost first
 *
 * As [method@Array.reshape], to a shape that may depend on the extents and elements of arrays.
 *
 * In constant time where the elements are in memory, else linear in their number at most.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_reshape_expr (xs, acc_expr_tuple2 (acc_expr_extent (xs, 1), acc_expr_extent (xs, 0))); // → [[1, 2], [3, 4], [5, 6]]
 * ```
 *
 * Returns: (transfer full): the reshaped array
 *
 * Since: 1.0
 */
AccArray *
acc_array_reshape_expr (AccArray *self,
                        AccExpr  *shape)
{
  AccArray *node = acc_array_begin (ACC_OP_RESHAPE, &self, 1);

  acc_array_set_extents_expr (node, shape);

  return acc_array_complete (node);
}

static AccExpr *
get_size (AccArray *array)
{
  AccExpr *size = NULL;

  for (guint i = 0; i < array->rank; i++)
    {
      AccExpr *extent = acc_expr_extent (array, i);

      size = size != NULL ? acc_expr_mul (size, extent) : extent;
    }

  return size != NULL ? size : acc_array_number (1);
}

/**
 * acc_array_flatten:
 * @self: an array
 *
 * All elements as a vector, in row-major order.
 *
 * In constant time where the elements are in memory, else linear in their number at most. No errors of its own.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_flatten (xs); // → [1, 2, 3, 4, 5, 6]
 * ```
 *
 * Returns: (transfer full): an array of rank 1
 *
 * Since: 1.0
 */
AccArray *
acc_array_flatten (AccArray *self)
{
  ACC_ARRAY_NAMED ("flatten");
  AccArray *node = acc_array_begin (ACC_OP_RESHAPE, &self, 1);

  if (node->error == NULL)
    acc_array_set_extents_expr (node, get_size (self));

  return acc_array_complete (node);
}

/**
 * acc_array_backpermute:
 * @self: an array
 * @shape: the extents of the result
 * @function: (scope call) (closure user_data): from an index of the result to one of @self
 * @user_data: data for @function
 *
 * The array whose element at every index is that of @self at @function of the index. An index outside @self is
 * %ACC_ERROR_BOUNDS when run. An empty result reads nothing.
 *
 * Linear in the number of elements of the result, times what @function costs.
 *
 * ```c
 * static AccExpr *twice (AccExpr *i, gpointer data) { return acc_expr_add (i, i); }
 *
 * // xs = [3, 1, 4, 1, 5], shape = (3,)
 * g_autoptr(AccArray) result = acc_array_backpermute (xs, shape, twice, NULL); // → [3, 4, 5]
 * ```
 *
 * Returns: (transfer full): an array of @shape
 *
 * Since: 1.0
 */
AccArray *
acc_array_backpermute (AccArray    *self,
                       AccShape    *shape,
                       AccExprFunc  function,
                       gpointer     user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_BACKPERMUTE, &self, 1);

  acc_array_set_extents (node, shape);
  acc_array_call1 (node, 0, function, user_data);

  return acc_array_complete (node);
}

/**
 * acc_array_backpermute_expr:
 * @self: an array
 * @shape: the extents of the result: an i8 for rank 1, else a tuple of them, outermost first
 * @function: (scope call) (closure user_data): from an index of the result to one of @self
 * @user_data: data for @function
 *
 * As [method@Array.backpermute], to a shape that may depend on the extents and elements of arrays.
 *
 * ```c
 * static AccExpr *
 * from_end (AccExpr *i, gpointer xs)
 * {
 *   return acc_expr_sub (acc_expr_sub (acc_expr_extent (xs, 0), acc_expr_new_int (1)), i);
 * }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) result = acc_array_backpermute_expr (xs, acc_expr_extent (xs, 0), from_end, xs); // → [3, 2, 1]
 * ```
 *
 * Returns: (transfer full): the array
 *
 * Since: 1.0
 */
AccArray *
acc_array_backpermute_expr (AccArray    *self,
                            AccExpr     *shape,
                            AccExprFunc  function,
                            gpointer     user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_BACKPERMUTE, &self, 1);

  acc_array_set_extents_expr (node, shape);
  acc_array_call1 (node, 0, function, user_data);

  return acc_array_complete (node);
}
