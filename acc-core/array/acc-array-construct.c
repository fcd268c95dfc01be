/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"
#include "acc-source.h"

#include <string.h>

static gboolean
check_nothing (AccArray *node)
{
  return TRUE;
}

AccBuffer **
acc_array_get_buffers (AccArray *self)
{
  return self->op == ACC_OP_USE ? self->payload : NULL;
}

static void
clear_data (AccArray *node)
{
  for (guint i = 0; i < acc_element_type_get_n_buffers (node->type); i++)
    acc_buffer_unref (acc_array_get_buffers (node)[i]);
}

static const AccPayloadClass data_payload = { ACC_PAYLOAD_DATA, 0, clear_data };

static void
clear_parameter (AccArray *node)
{
  g_free (acc_array_get_parameter (node)->declared);
}

static void
copy_parameter (AccArray *node,
                AccArray *from)
{
  AccParameterPayload *payload = acc_array_get_parameter (node);

  payload->declared = g_memdup2 (payload->declared, node->rank * sizeof (gint64));
}

static const AccPayloadClass parameter_payload = { ACC_PAYLOAD_PARAMETER, sizeof (AccParameterPayload), clear_parameter, copy_parameter };

static void
clear_object (AccArray *node)
{
  g_object_unref (g_steal_pointer (&node->payload));
}

static void
copy_object (AccArray *node,
             AccArray *from)
{
  node->payload = g_object_ref (from->payload);
}

static const AccPayloadClass source_payload = { ACC_PAYLOAD_SOURCE, 0, clear_object, copy_object };
static const AccPayloadClass deferred_payload = { ACC_PAYLOAD_DEFERRED, 0, clear_object, copy_object };

static void
keep_shape (AccArray *node)
{
}

static gboolean
infer_source (AccInference *self)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (acc_source_get_shape (acc_array_get_source (self->array)), &rank);

  /* One of rank 0 is a row. */
  self->extents[0] = 1;
  memcpy (self->extents, extents, rank * sizeof (gint64));
  return TRUE;
}

static gboolean
infer_parameter (AccInference *self)
{
  const gint64 *declared = acc_array_get_parameter (self->array)->declared;

  for (guint i = 0; i < self->array->rank; i++)
    {
      if (declared[i] < 0)
        return acc_inference_fail (self, ACC_ERROR_UNSUPPORTED, "it has no extents before a run");
      self->extents[i] = declared[i];
    }

  return TRUE;
}

const AccOperationClass acc_class_data = { check_nothing, NULL, NULL, &data_payload };
const AccOperationClass acc_class_source = { check_nothing, NULL, infer_source, &source_payload };
const AccOperationClass acc_class_deferred = { check_nothing, .payload = &deferred_payload, .set_shape = keep_shape };
const AccOperationClass acc_class_parameter = { check_nothing, NULL, infer_parameter, &parameter_payload };

static gboolean
check_extents (AccArray *node)
{
  return node->extents != NULL || acc_array_fail_argument (node, "a shape");
}

static void
generate_signature (AccArray     *node,
                    guint         function,
                    AccSignature *signature)
{
  signature->n_params = 1;
  signature->params[0] = acc_index_type (node->rank);
}

const AccOperationClass acc_class_generate = { check_extents, generate_signature, acc_infer_given };
const AccOperationClass acc_class_fill = { check_extents, NULL, acc_infer_given };

AccArray *
acc_array_new_parameter (AccElementType *type,
                         guint           rank,
                         const gint64   *declared,
                         guint           position)
{
  AccArray *node = acc_array_begin (ACC_OP_PARAMETER, NULL, 0);
  AccParameterPayload *payload = acc_array_get_parameter (node);

  node->type = type;
  node->rank = rank;
  payload->position = position;
  payload->declared = g_new (gint64, rank + 1);

  for (guint i = 0; i < rank; i++)
    payload->declared[i] = declared != NULL && declared[i] >= 0 ? declared[i] : -1;

  return acc_array_complete (node);
}

AccArray *
acc_array_new_deferred (gpointer        deferred,
                        AccElementType *type,
                        guint           rank,
                        AccShape       *shape)
{
  AccArray *node = acc_array_begin (ACC_OP_DEFERRED, NULL, 0);

  node->payload = g_object_ref (deferred);
  node->type = type;
  node->rank = rank;
  node->shape = shape != NULL ? acc_shape_ref (shape) : NULL;

  return acc_array_complete (node);
}

AccArray *
acc_array_new_from_rows (AccSource *source)
{
  AccArray *node = acc_array_begin (ACC_OP_SOURCE, NULL, 0);
  AccShape *shape;

  if (source == NULL || !ACC_IS_SOURCE (source))
    {
      acc_array_fail_argument (node, "a source");
      return acc_array_complete (node);
    }

  node->payload = g_object_ref (source);
  node->type = acc_source_get_element_type (source);
  shape = acc_source_get_shape (source);

  if (node->type == NULL || shape == NULL)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s does not say its type and shape", acc_source_get_name (source));
  else if ((node->rank = MAX (acc_shape_get_rank (shape), 1)) > ACC_MAX_LEAVES)
    acc_array_fail (node, ACC_ERROR_SHAPE, "rank %u is too high", node->rank);

  return acc_array_complete (node);
}

/**
 * acc_array_generate:
 * @shape: the extents
 * @function: (scope call) (closure user_data): computes the element at an index
 * @user_data: data for @function
 *
 * Creates an array whose element at each index is @function of that index. The index is an i8 for rank 1, else a tuple with
 * one i8 per dimension, outermost first; acc_expr_item() reads both. A shape of rank 0 gives one element; a shape without
 * elements gives an empty array. Negative extents count as 0.
 *
 * Takes time linear in the number of elements, times the cost of @function. The result carries %ACC_ERROR_CALLBACK where
 * @function returns %NULL.
 *
 * ```c
 * static AccExpr *
 * decimal (AccExpr *index, gpointer data)
 * {
 *   return acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), acc_expr_new_int (10)), acc_expr_item (index, 1));
 * }
 *
 * // shape = (2, 3)
 * g_autoptr(AccArray) result = acc_array_generate (shape, decimal, NULL); // → [[0, 1, 2], [10, 11, 12]]
 * ```
 *
 * Returns: (transfer full): an array of @shape, of the type that @function returns
 */
AccArray *
acc_array_generate (AccShape    *shape,
                    AccExprFunc  function,
                    gpointer     user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_GENERATE, NULL, 0);

  acc_array_set_extents (node, shape);
  acc_array_call1 (node, 0, function, user_data);

  return acc_array_complete (node);
}

/**
 * acc_array_generate_expr:
 * @shape: the extents: an i8 for rank 1, else a tuple of them, outermost first
 * @function: (scope call) (closure user_data): computes the element at an index
 * @user_data: data for @function
 *
 * Creates an array from a function of the index, with a shape computed at run time. Works as [func@Array.generate] does,
 * but @shape may depend on the extents and elements of other arrays. Negative extents count as 0.
 *
 * The result carries %ACC_ERROR_TYPE where @shape is neither an i8 nor a tuple of them.
 *
 * ```c
 * static AccExpr *squared (AccExpr *i, gpointer data) { return acc_expr_mul (i, i); }
 *
 * // xs = [7, 7, 7, 7]
 * g_autoptr(AccArray) result = acc_array_generate_expr (acc_expr_extent (xs, 0), squared, NULL); // → [0, 1, 4, 9]
 * ```
 *
 * Returns: (transfer full): an array of the type that @function returns
 */
AccArray *
acc_array_generate_expr (AccExpr     *shape,
                         AccExprFunc  function,
                         gpointer     user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_GENERATE, NULL, 0);

  acc_array_set_extents_expr (node, shape);
  acc_array_call1 (node, 0, function, user_data);

  return acc_array_complete (node);
}

/**
 * acc_array_fill:
 * @shape: the extents
 * @value: the element; may read other arrays
 *
 * Creates an array whose elements are all @value. Negative extents count as 0.
 *
 * Takes time linear in the number of elements. The result carries the error of @value where that has one, such as
 * %ACC_ERROR_TYPE.
 *
 * ```c
 * // shape = (2, 3)
 * g_autoptr(AccArray) result = acc_array_fill (shape, acc_expr_new_float (0.5)); // → [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]
 * ```
 *
 * Returns: (transfer full): an array of @shape
 */
AccArray *
acc_array_fill (AccShape *shape,
                AccExpr  *value)
{
  AccArray *node = acc_array_begin (ACC_OP_FILL, NULL, 0);

  acc_array_set_extents (node, shape);
  acc_array_close (node, 0, value);

  return acc_array_complete (node);
}

/**
 * acc_array_fill_expr:
 * @shape: the extents: an i8 for rank 1, else a tuple of them, outermost first
 * @value: the element; may read other arrays
 *
 * Creates an array whose elements are all @value, with a shape computed at run time. Works as [func@Array.fill] does, but
 * @shape may depend on the extents and elements of other arrays.
 *
 * The result carries %ACC_ERROR_TYPE where @shape is neither an i8 nor a tuple of them.
 *
 * ```c
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) result = acc_array_fill_expr (acc_expr_extent (xs, 0), acc_expr_new_int (9)); // → [9, 9, 9]
 * ```
 *
 * Returns: (transfer full): an array whose rank is that of the index @shape
 */
AccArray *
acc_array_fill_expr (AccExpr *shape,
                     AccExpr *value)
{
  AccArray *node = acc_array_begin (ACC_OP_FILL, NULL, 0);

  acc_array_set_extents_expr (node, shape);
  acc_array_close (node, 0, value);

  return acc_array_complete (node);
}

/**
 * acc_array_unit:
 * @value: the element; may read other arrays
 *
 * Creates an array of rank 0 from one value.
 *
 * Takes constant time. The result carries the error of @value where that has one, such as %ACC_ERROR_TYPE.
 *
 * ```c
 * g_autoptr(AccArray) result = acc_array_unit (acc_expr_new_int (42)); // → 42
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_unit (AccExpr *value)
{
  ACC_ARRAY_NAMED ("unit");
  g_autoptr(AccShape) shape = acc_shape_new_scalar ();

  return acc_array_fill (shape, value);
}
