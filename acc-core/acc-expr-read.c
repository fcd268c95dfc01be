/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reading arrays. */

#include "acc-array-private.h"
#include "acc-error.h"
#include "acc-expr-build-private.h"

/* The error of an array as an expression, or NULL. */
static AccExpr *
find_error (const char *what,
            AccArray   *array)
{
  if (array == NULL)
    return acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "%s: the array is missing", what);
  return array->error ? acc_expr_new_error (g_error_copy (array->error)) : NULL;
}

gboolean
_acc_expr_to_index (AccExpr **slot)
{
  AccElementType *i64 = acc_element_type_new (ACC_KIND_I64);

  if ((*slot)->weak)
    return _acc_expr_settle_slot (slot, i64);
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
  if (wanted == NULL || !_acc_expr_settle_slot (slot, wanted))
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

static AccExpr *
index_error (const char *what,
             AccArray   *array,
             AccExpr    *index,
             guint       rank)
{
  g_autofree char *name = acc_array_describe (array);
  AccElementType *wanted = acc_index_type (rank);

  if (_acc_expr_is_error (index))
    return acc_expr_new_error_literal (index->error->code, "%s: %s", what, index->error->message);
  return acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: %s has rank %u and takes %s, not %s", what, name, array->rank,
                                     wanted ? acc_element_type_get_code (wanted) : "an index", acc_element_type_get_code (index->type));
}

static AccExpr *
read_element (AccExprKind  kind,
              const char  *what,
              AccArray    *array,
              AccExpr     *index)
{
  AccExpr *args[] = { index };
  AccExpr *error = _acc_expr_adopt (what, args, 1);

  if (error != NULL)
    return error;

  if ((error = find_error (what, array)) == NULL && !_acc_expr_to_multi_index (&args[0], kind == ACC_EXPR_INDEX ? array->rank : 1))
    error = index_error (what, array, args[0], kind == ACC_EXPR_INDEX ? array->rank : 1);
  if (error != NULL)
    return _acc_expr_keep (error, args, 1);

  AccExpr *result = _acc_expr_alloc (kind, array->type, 1);
  result->array = g_object_ref (array);
  result->args[0] = args[0];
  return _acc_expr_seal (result);
}

/**
 * acc_expr_index:
 * @array: an array
 * @index: an integer for rank 1, else a tuple of rank integers
 *
 * An element of an array. Out of range is %ACC_ERROR_BOUNDS when it is run.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * AccExpr *result = acc_expr_index (xs, acc_expr_tuple2 (acc_expr_new_int (1), acc_expr_new_int (0))); // → 4
 * ```
 *
 * Returns: (transfer none): the element
 */
AccExpr *
acc_expr_index (AccArray *array,
                AccExpr  *index)
{
  return read_element (ACC_EXPR_INDEX, "index", array, index);
}

/**
 * acc_expr_linear_index:
 * @array: an array
 * @index: a row-major position
 *
 * An element of an array. Out of range is %ACC_ERROR_BOUNDS when it is run.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * AccExpr *result = acc_expr_linear_index (xs, acc_expr_new_int (3)); // → 4
 * ```
 *
 * Returns: (transfer none): the element
 */
AccExpr *
acc_expr_linear_index (AccArray *array,
                       AccExpr  *index)
{
  return read_element (ACC_EXPR_LINEAR_INDEX, "linear_index", array, index);
}

/**
 * acc_expr_the:
 * @array: an array of rank 0
 *
 * ```c
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) sum = acc_array_sum (xs);
 * AccExpr *result = acc_expr_the (sum); // → 6
 * ```
 *
 * Returns: (transfer none): its element
 */
AccExpr *
acc_expr_the (AccArray *array)
{
  return read_element (ACC_EXPR_INDEX, "the", array, acc_expr_tuple (NULL, 0));
}

/**
 * acc_expr_extent:
 * @array: an array; its elements are not computed for this
 * @dimension: below the rank; 0 is the outermost
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * AccExpr *result = acc_expr_extent (xs, 1); // → 3
 * ```
 *
 * Returns: (transfer none): the extent, an i8
 */
AccExpr *
acc_expr_extent (AccArray *array,
                 guint     dimension)
{
  AccExpr *error = find_error ("extent", array);

  if (error != NULL)
    return error;
  if (dimension >= array->rank)
    return acc_expr_new_error_literal (ACC_ERROR_SHAPE, "extent: there is no dimension %u in an array of rank %u", dimension, array->rank);

  AccExpr *result = _acc_expr_alloc (ACC_EXPR_EXTENT, acc_element_type_new (ACC_KIND_I64), 0);
  result->array = g_object_ref (array);
  result->item = dimension;
  return _acc_expr_seal (result);
}

/**
 * acc_expr_shape:
 * @array: an array; its elements are not computed for this
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * AccExpr *result = acc_expr_shape (xs); // → (2, 3)
 * ```
 *
 * Returns: (transfer none): its extents, as an index of its rank
 */
AccExpr *
acc_expr_shape (AccArray *array)
{
  AccExpr *error = find_error ("shape", array);

  if (error != NULL)
    return error;
  if (array->rank == 1)
    return acc_expr_extent (array, 0);

  g_autofree AccExpr **items = g_new (AccExpr *, array->rank + 1);
  for (guint i = 0; i < array->rank; i++)
    items[i] = acc_expr_extent (array, i);
  return acc_expr_tuple (items, array->rank);
}
