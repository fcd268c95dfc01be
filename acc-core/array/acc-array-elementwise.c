/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"

static gboolean
check_map (AccArray *node)
{
  node->rank = node->inputs[0]->rank;
  return TRUE;
}

static void
imap_signature (AccArray     *node,
                guint         function,
                AccSignature *signature)
{
  signature->n_params = 2;
  signature->params[0] = acc_index_type (node->rank);
  signature->params[1] = node->inputs[0]->type;
}

static gboolean
check_ranks (AccArray *node)
{
  if (node->n_inputs == 0)
    return acc_array_fail_argument (node, "an array");

  node->rank = node->inputs[0]->rank;

  for (guint i = 1; i < node->n_inputs; i++)
    if (node->inputs[i]->rank != node->rank)
      return acc_array_fail (node, ACC_ERROR_SHAPE, "array %u has rank %u where the first has rank %u",
                             i, node->inputs[i]->rank, node->rank);

  return TRUE;
}

void
acc_array_elements_signature (AccArray     *node,
                              guint         function,
                              AccSignature *signature)
{
  signature->n_params = node->n_inputs;
  for (guint i = 0; i < node->n_inputs; i++)
    signature->params[i] = node->inputs[i]->type;
}

static gboolean
check_zip (AccArray *node)
{
  g_autofree AccElementType **types = NULL;
  guint64 n_leaves = 0;

  if (!check_ranks (node))
    return FALSE;

  types = g_new (AccElementType *, node->n_inputs);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      types[i] = node->inputs[i]->type;
      n_leaves += acc_element_type_get_n_leaves (types[i]);
    }

  if (n_leaves > ACC_MAX_LEAVES || node->n_inputs > ACC_MAX_LEAVES)
    return acc_array_fail (node, ACC_ERROR_TYPE, "an element has more than %u scalars", ACC_MAX_LEAVES);

  node->type = acc_element_type_new_tuple (types, node->n_inputs);
  return node->type != NULL || acc_array_fail (node, ACC_ERROR_TYPE, "the type of the tuples is too deep or too long");
}

guint
acc_array_get_item (AccArray *self)
{
  return *(guint *) acc_array_get_payload (self, ACC_PAYLOAD_ITEM);
}

void
acc_array_set_item (AccArray *node,
                    guint     item)
{
  *(guint *) node->payload = item;
}

static void
list_item (AccArray *node,
           GArray   *numbers)
{
  g_array_append_vals (numbers, &(gint64) { acc_array_get_item (node) }, 1);
}

const AccPayloadClass acc_payload_item = { ACC_PAYLOAD_ITEM, sizeof (guint), .list = list_item };

static gboolean
check_unzip (AccArray *node)
{
  AccElementType *type = node->inputs[0]->type;
  guint item = acc_array_get_item (node);

  if (!acc_element_type_is_tuple (type))
    return acc_array_fail (node, ACC_ERROR_TYPE, "%s is not a tuple", acc_element_type_get_code (type));

  if (item >= acc_element_type_get_n_items (type))
    return acc_array_fail (node, ACC_ERROR_TYPE, "%s has no item %u", acc_element_type_get_code (type), item);

  node->rank = node->inputs[0]->rank;
  node->type = acc_element_type_get_item (type, item);
  return TRUE;
}

const AccOperationClass acc_class_map = { check_map, acc_array_elements_signature, acc_infer_first };
const AccOperationClass acc_class_imap = { check_map, imap_signature, acc_infer_first };
const AccOperationClass acc_class_zip_with = { check_ranks, acc_array_elements_signature, acc_infer_least };
const AccOperationClass acc_class_zip = { check_zip, NULL, acc_infer_least };
const AccOperationClass acc_class_unzip = { check_unzip, NULL, acc_infer_first, &acc_payload_item };

/**
 * acc_array_map:
 * @self: an array
 * @function: (scope call) (closure user_data): computes an element of the result from one of @self
 * @user_data: data for @function
 *
 * Applies @function to every element. Where @function returns an untyped literal, the elements have its default type.
 *
 * Takes time linear in the number of elements, times the cost of @function. The result carries %ACC_ERROR_CALLBACK where
 * @function returns %NULL, and the error of @function, such as %ACC_ERROR_TYPE, where it does not fit the type of the
 * elements.
 *
 * ```c
 * static AccExpr *squared (AccExpr *x, gpointer data) { return acc_expr_mul (x, x); }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) result = acc_array_map (xs, squared, NULL); // → [1, 4, 9]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self, of the type that @function returns
 */
AccArray *
acc_array_map (AccArray    *self,
               AccExprFunc  function,
               gpointer     user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_MAP, &self, 1);

  acc_array_call1 (node, 0, function, user_data);

  return acc_array_complete (node);
}

/**
 * acc_array_imap:
 * @self: an array
 * @function: (scope call) (closure user_data): computes an element of the result from an index and the element there
 * @user_data: data for @function
 *
 * Applies @function to every element and its index. The index is an i8 for rank 1, else a tuple with one i8 per dimension.
 *
 * Behaves otherwise as [method@Array.map].
 *
 * ```c
 * static AccExpr *times (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_mul (x, y); }
 *
 * // xs = [5, 6, 7]
 * g_autoptr(AccArray) result = acc_array_imap (xs, times, NULL); // → [0, 6, 14]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self, of the type that @function returns
 */
AccArray *
acc_array_imap (AccArray     *self,
                AccExprFunc2  function,
                gpointer      user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_IMAP, &self, 1);

  acc_array_call2 (node, 0, function, user_data);

  return acc_array_complete (node);
}

/**
 * acc_array_zip_with:
 * @self: an array
 * @other: an array of the same rank
 * @function: (scope call) (closure user_data): computes an element of the result from one of each array
 * @user_data: data for @function
 *
 * Applies @function to the elements of two arrays at the same index. Where their extents differ, the result has the smaller
 * extent in every dimension: the corner at index 0 that both have.
 *
 * Takes time linear in the number of elements of the result, times the cost of @function. The result carries
 * %ACC_ERROR_SHAPE where the ranks differ, %ACC_ERROR_CALLBACK where @function returns %NULL, and the error of @function,
 * such as %ACC_ERROR_TYPE, where it does not fit the type of the elements.
 *
 * ```c
 * static AccExpr *times (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_mul (x, y); }
 *
 * // xs = [1, 2, 3], ys = [10, 20, 30, 40]
 * g_autoptr(AccArray) result = acc_array_zip_with (xs, ys, times, NULL); // → [10, 40, 90]
 * ```
 *
 * Returns: (transfer full): an array of the type that @function returns
 */
AccArray *
acc_array_zip_with (AccArray     *self,
                    AccArray     *other,
                    AccExprFunc2  function,
                    gpointer      user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_ZIP_WITH, (AccArray *[]) { self, other }, 2);

  acc_array_call2 (node, 0, function, user_data);

  return acc_array_complete (node);
}

/**
 * acc_array_zip_with3:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @function: (scope call) (closure user_data): computes an element of the result from one of each array
 * @user_data: data for @function
 *
 * Applies @function to the elements of three arrays at the same index. Works as [method@Array.zip_with] does with two.
 * [method@Array.zip_with4] and its like take up to nine arrays; for more, map over [func@Array.zip_many].
 *
 * ```c
 * static AccExpr *
 * times_plus (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data)
 * {
 *   return acc_expr_add (acc_expr_mul (x, y), z);
 * }
 *
 * // xs = [1, 2, 3], ys = [10, 20, 30], zs = [5, 6, 7]
 * g_autoptr(AccArray) result = acc_array_zip_with3 (xs, ys, zs, times_plus, NULL); // → [15, 46, 97]
 * ```
 *
 * Returns: (transfer full): an array of the type that @function returns
 */
AccArray *
acc_array_zip_with3 (AccArray     *self,
                     AccArray     *second,
                     AccArray     *third,
                     AccExprFunc3  function,
                     gpointer      user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_ZIP_WITH3, (AccArray *[]) { self, second, third }, 3);

  acc_array_call3 (node, 0, function, user_data);

  return acc_array_complete (node);
}

/**
 * acc_array_zip:
 * @self: an array
 * @other: an array of the same rank
 *
 * Pairs the elements of two arrays at the same index. Where their extents differ, the result has the smaller extent in
 * every dimension.
 *
 * Takes time at most linear in the number of elements of the result. The result carries %ACC_ERROR_SHAPE where the ranks
 * differ.
 *
 * ```c
 * // xs = [1, 2, 3], ys = [0.5, 0.25]
 * g_autoptr(AccArray) result = acc_array_zip (xs, ys); // → [(1, 0.5), (2, 0.25)]
 * ```
 *
 * Returns: (transfer full): an array of pairs
 */
AccArray *
acc_array_zip (AccArray *self,
               AccArray *other)
{
  return acc_array_complete (acc_array_begin (ACC_OP_ZIP, (AccArray *[]) { self, other }, 2));
}

/**
 * acc_array_zip_many:
 * @arrays: (array length=n_arrays): arrays of the same rank
 * @n_arrays: the number of arrays, at least 1
 *
 * Combines the elements of several arrays at the same index into tuples. Where their extents differ, the result has the
 * smallest extent in every dimension.
 *
 * Takes time at most linear in the number of elements of the result. The result carries %ACC_ERROR_SHAPE where the ranks
 * differ, %ACC_ERROR_CALLBACK where there is no array, %ACC_ERROR_TYPE where a tuple would have more than 65536 scalars.
 *
 * ```c
 * // xs = [1, 2], ys = [3, 4], zs = [5, 6]
 * g_autoptr(AccArray) result = acc_array_zip_many ((AccArray *[]) { xs, ys, zs }, 3); // → [(1, 3, 5), (2, 4, 6)]
 * ```
 *
 * Returns: (transfer full): an array of tuples of @n_arrays items
 */
AccArray *
acc_array_zip_many (AccArray **arrays,
                    guint      n_arrays)
{
  return acc_array_complete (acc_array_begin (ACC_OP_ZIP, arrays, arrays != NULL ? n_arrays : 0));
}

/**
 * acc_array_unzip:
 * @self: an array of tuples
 * @item: the number of the item, from 0
 *
 * Extracts one item of every tuple. This costs nothing on a manifest array, which stores each item of its tuples
 * separately.
 *
 * Takes time at most linear in the number of elements. The result carries %ACC_ERROR_TYPE where the elements are not tuples
 * or have no such item.
 *
 * ```c
 * // pairs = [(1, 0.5), (2, 0.25)] of (i8,f8)
 * g_autoptr(AccArray) result = acc_array_unzip (pairs, 1); // → [0.5, 0.25]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self
 */
AccArray *
acc_array_unzip (AccArray *self,
                 guint     item)
{
  AccArray *node = acc_array_begin (ACC_OP_UNZIP, &self, 1);

  acc_array_set_item (node, item);

  return acc_array_complete (node);
}
