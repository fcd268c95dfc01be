/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reading arrays. */

#include "acc-array-private.h"
#include "acc-error.h"
#include "acc-core/expr/acc-expr-build-private.h"
#include "acc-core/expr/acc-trace-private.h"

/* The error of an array as an expression, or NULL. */
static AccExpr *
find_error (const char *what,
            AccArray   *array)
{
  if (array == NULL)
    return acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "%s: the array is missing", what);
  return array->error ? acc_expr_new_error (g_error_copy (array->error)) : NULL;
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
 * @index: an integer for rank 1, else a tuple with one integer per dimension
 *
 * Reads an element of an array at an index.
 *
 * The result carries the error of @array where that has one, and %ACC_ERROR_TYPE where @index does not fit its rank. A run
 * fails with %ACC_ERROR_BOUNDS where the index is out of range.
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
 * @index: a row-major index, an integer
 *
 * Reads an element of an array at its position in row-major order.
 *
 * The result carries the error of @array where that has one, and %ACC_ERROR_TYPE where @index is not an integer. A run
 * fails with %ACC_ERROR_BOUNDS where the index is out of range.
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
 * Reads the element of an array of rank 0.
 *
 * The result carries the error of @array where that has one, and %ACC_ERROR_TYPE where it has another rank.
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
 * @dimension: the dimension, less than the rank; 0 is the outermost
 *
 * Returns the extent of one dimension of an array.
 *
 * The result carries the error of @array where that has one, and %ACC_ERROR_SHAPE where it has no such dimension.
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
 * Returns the extents of an array as an index: an i8 for rank 1, else a tuple with one i8 per dimension. The result carries
 * the error of @array where that has one.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * AccExpr *result = acc_expr_shape (xs); // → (2, 3)
 * ```
 *
 * Returns: (transfer none): the extents, as an index of the rank of @array
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

/* --- folding a row */

typedef struct {
  AccArray    *array;
  AccExpr     *index;
  AccExprFunc2 function;
  gpointer     user_data;
} RowFold;

/* The state is (position, value). */
static AccExpr *
fold_step (AccExpr *state,
           gpointer data)
{
  RowFold *fold = data;
  guint outer = fold->array->rank - 1;
  g_autofree AccExpr **items = g_new (AccExpr *, fold->array->rank);
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_item (state, 0));
  g_autoptr(AccExpr) value = acc_expr_ref_sink (acc_expr_item (state, 1));
  g_autoptr(AccExpr) element = NULL;
  g_autoptr(AccExpr) next = NULL;

  for (guint d = 0; d < outer; d++)
    items[d] = acc_expr_item (fold->index, d);
  items[outer] = k;

  element = acc_expr_ref_sink (acc_expr_index (fold->array, outer == 0 ? k : acc_expr_tuple (items, outer + 1)));
  next = acc_expr_take_result (acc_call2 (fold->function, value, element, fold->user_data));

  if (!_acc_expr_resolve_slot (&next, value->type))
    return _acc_expr_float (g_steal_pointer (&next));
  if (next->type != value->type)
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "fold_row: the value is %s, but the function gives %s", _acc_expr_code (value),
                                       _acc_expr_code (next));

  return acc_expr_tuple2 (acc_expr_lt (k, acc_expr_extent (fold->array, outer)),
                          acc_expr_tuple2 (acc_expr_add (k, acc_expr_new_int (1)), next));
}

/* Resolves and checks owned operands of fold_row. Returns NULL or an error. */
static AccExpr *
check_fold (AccArray     *array,
            AccExpr     **index,
            AccExpr     **initial,
            AccExprFunc2  function)
{
  if (array == NULL)
    return acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "fold_row: the array is missing");
  if (function == NULL)
    return acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "fold_row: no function was given");
  if (array->error != NULL)
    return acc_expr_new_error (g_error_copy (array->error));
  if (array->rank == 0)
    return acc_expr_new_error_literal (ACC_ERROR_SHAPE, "fold_row: an array of rank 1 or more is needed");
  if (!_acc_expr_to_multi_index (index, array->rank - 1))
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "fold_row: a row of an array of rank %u has an index of %u integers", array->rank,
                                       array->rank - 1);
  if (!_acc_expr_resolve_slot (initial, array->type))
    return _acc_expr_fail (*initial, NULL, 0);
  return NULL;
}

/**
 * acc_expr_fold_row:
 * @array: an array of rank 1 or more
 * @index: the row: an index of the outer dimensions, "()" for rank 1
 * @initial: the initial value; an untyped literal takes the type of the elements
 * @function: (scope call) (closure user_data): computes the next value from the accumulated one and an element
 * @user_data: data for @function
 *
 * Folds one row of an array from left to right. Each element whose expression contains the fold computes it by itself, in
 * time linear in the length of the row. @function is called once, with variables.
 *
 * The result carries the error of @array where that has one, %ACC_ERROR_CALLBACK where @function is %NULL or returns %NULL,
 * %ACC_ERROR_SHAPE where @array has rank 0, %ACC_ERROR_TYPE where @index does not fit its outer dimensions, or @function
 * gives another type than that of @initial. A run fails with %ACC_ERROR_BOUNDS where the index is out of range, unless the
 * rows are empty.
 *
 * ```c
 * static AccExpr *horner (AccExpr *sum, AccExpr *x, gpointer data) { return acc_expr_add (acc_expr_mul (sum, acc_expr_new_int (2)), x); }
 *
 * // xs = [[1, 0, 1], [1, 1, 1]]
 * AccExpr *result = acc_expr_fold_row (xs, acc_expr_new_int (1), acc_expr_new_int (0), horner, NULL); // → 7
 * ```
 *
 * Returns: (transfer none): the result; @initial where the row is empty
 */
AccExpr *
acc_expr_fold_row (AccArray     *array,
                   AccExpr      *index,
                   AccExpr      *initial,
                   AccExprFunc2  function,
                   gpointer      user_data)
{
  AccExpr *args[] = { index, initial };
  AccExpr *result = _acc_expr_adopt ("fold_row", args, 2);

  if (result != NULL)
    return result;

  if ((result = check_fold (array, &args[0], &args[1], function)) == NULL)
    {
      RowFold fold = { array, args[0], function, user_data };
      result = acc_expr_item (acc_expr_while (acc_expr_tuple2 (acc_expr_new_int (0), args[1]), fold_step, &fold), 1);
    }

  return _acc_expr_keep (result, args, 2);
}
