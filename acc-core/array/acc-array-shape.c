/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"
#include "acc-core/expr/acc-numbering-private.h"

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

static gboolean
is_refused_element (gint64 extent)
{
  return extent >= ACC_REFUSED_ELEMENT && extent < G_MININT64 / 4;
}

/* What the label of a check says of an element, or of a size, that is refused; NULL: @self is no check. */
static char *
describe_refused (AccInference *self)
{
  gint64 extent = self->array->rank == 1 ? self->extents[0] : 0;
  gint64 number = is_refused_element (extent) ? extent - ACC_REFUSED_ELEMENTS : extent;

  return acc_array_refuse_number (self->array, number, extent != ACC_REFUSED_ELEMENT);
}

static gboolean
infer_reshape (AccInference *self)
{
  AccArray *input = self->array->inputs[0];
  const gint64 *extents;
  gint64 size, input_size;

  if (!acc_infer_given (self) || (extents = acc_inference_get_extents (self, 0)) == NULL)
    return FALSE;

  if ((self->array->rank == 1 && is_refused_element (self->extents[0])) ||
      !acc_extents_check_size (extents, input->rank, input->type, &input_size) ||
      !acc_extents_check_size (self->extents, self->array->rank, input->type, &size) ||
      size != input_size)
    {
      g_autoptr(AccShape) from = acc_shape_new (extents, input->rank);
      g_autoptr(AccShape) to = acc_shape_new (self->extents, self->array->rank);
      g_autofree char *from_text = acc_shape_to_string (from);
      g_autofree char *to_text = acc_shape_to_string (to);
      g_autofree char *refused = describe_refused (self);

      if (refused != NULL)
        return acc_inference_fail (self, ACC_ERROR_SHAPE, "%s", refused);
      return acc_inference_fail (self, ACC_ERROR_SHAPE, "%s does not have as many elements as %s", to_text, from_text);
    }

  return TRUE;
}

const AccOperationClass acc_class_reshape = { check_reshape, NULL, infer_reshape };
const AccOperationClass acc_class_backpermute = { check_reshape, backpermute_signature, acc_infer_given };

/**
 * acc_array_reshape:
 * @self: an array
 * @shape: the new extents, with as many elements
 *
 * Changes the extents of an array and keeps its elements in row-major order. This costs nothing on a manifest array.
 *
 * Takes constant time where the elements are in memory, else time at most linear in their number. The result carries
 * %ACC_ERROR_SHAPE where the numbers of elements differ. Where these are known only at run time, the run fails with that.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]], shape = (3, 2)
 * g_autoptr(AccArray) result = acc_array_reshape (xs, shape); // → [[1, 2], [3, 4], [5, 6]]
 * ```
 *
 * Returns: (transfer full): an array of @shape
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
 * Changes the extents of an array to a shape computed at run time. Works as [method@Array.reshape] does, but @shape may
 * depend on the extents and elements of arrays.
 *
 * Takes constant time where the elements are in memory, else time at most linear in their number. The result carries
 * %ACC_ERROR_TYPE where @shape is neither an i8 nor a tuple of them.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_reshape_expr (xs, acc_expr_tuple2 (acc_expr_extent (xs, 1), acc_expr_extent (xs, 0))); // → [[1, 2], [3, 4], [5, 6]]
 * ```
 *
 * Returns: (transfer full): an array whose rank is that of the index @shape
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
 * Flattens an array to a vector in row-major order.
 *
 * Takes constant time where the elements are in memory, else time at most linear in their number. No errors of its own.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_flatten (xs); // → [1, 2, 3, 4, 5, 6]
 * ```
 *
 * Returns: (transfer full): an array of rank 1
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
 * @function: (scope call) (closure user_data): computes an index into @self from an index of the result
 * @user_data: data for @function
 *
 * Gathers elements by index: the element at each index of the result is that of @self at @function of the index. An empty
 * result reads nothing.
 *
 * Takes time linear in the number of elements of the result, times the cost of @function. The result carries
 * %ACC_ERROR_TYPE where @function does not give an index into @self. A run fails with %ACC_ERROR_BOUNDS where an index is
 * outside @self.
 *
 * ```c
 * static AccExpr *twice (AccExpr *i, gpointer data) { return acc_expr_add (i, i); }
 *
 * // xs = [3, 1, 4, 1, 5], shape = (3,)
 * g_autoptr(AccArray) result = acc_array_backpermute (xs, shape, twice, NULL); // → [3, 4, 5]
 * ```
 *
 * Returns: (transfer full): an array of @shape
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
 * @function: (scope call) (closure user_data): computes an index into @self from an index of the result
 * @user_data: data for @function
 *
 * Gathers elements by index into a shape computed at run time. Works as [method@Array.backpermute] does, but @shape may
 * depend on the extents and elements of arrays.
 *
 * The result carries %ACC_ERROR_TYPE where @shape is neither an i8 nor a tuple of them.
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
 * Returns: (transfer full): an array whose rank is that of the index @shape
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
