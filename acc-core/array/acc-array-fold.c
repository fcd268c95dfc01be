/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"

#include <string.h>

static gboolean
check_fold (AccArray *node)
{
  AccArray *input = node->inputs[0];
  gboolean all = acc_operation_has_fact (node->op, ACC_FACT_FOLDS_ALL);

  if (!all && input->rank == 0)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "an array of rank 0 has no innermost dimension");

  node->type = input->type;
  node->rank = all ? 0 : input->rank - 1;
  return TRUE;
}

static gboolean
check_scan (AccArray *node)
{
  AccArray *input = node->inputs[0];

  if (input->rank == 0)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "an array of rank 0 has no innermost dimension");

  node->type = input->type;
  node->rank = input->rank;
  return TRUE;
}

static void
combine_signature (AccArray     *node,
                   guint         function,
                   AccSignature *signature)
{
  signature->result = node->inputs[0]->type;

  if (function == 0)
    {
      signature->n_params = 2;
      signature->params[0] = signature->params[1] = node->inputs[0]->type;
    }
}

static gboolean
infer_fold (AccInference *self)
{
  const AccOperationInfo *info = acc_operation_get_info (self->array->op);
  gboolean all = (info->facts & ACC_FACT_FOLDS_ALL) != 0, seeded = strlen (info->functions) > 1;
  AccArray *input = self->array->inputs[0];
  const gint64 *extents = acc_inference_get_extents (self, 0);

  if (extents == NULL)
    return FALSE;

  for (guint i = all ? 0 : input->rank - 1; !seeded && i < input->rank; i++)
    if (extents[i] <= 0)
      return acc_inference_fail (self, ACC_ERROR_SHAPE, "empty array: dimension %u has extent 0 and there is no initial value", i);

  if (self->array->rank > 0)
    memcpy (self->extents, extents, self->array->rank * sizeof (gint64));
  return TRUE;
}

static gboolean
infer_segments (AccInference *self)
{
  const gint64 *offsets = acc_inference_get_extents (self, 1);
  gint64 n;

  if (offsets == NULL)
    return FALSE;
  n = MAX (offsets[0] - 1, 0);
  if (!acc_infer_first (self))
    return FALSE;
  self->extents[self->array->rank - 1] = n;
  return TRUE;
}

const AccOperationClass acc_class_fold = { check_fold, combine_signature, infer_fold };
const AccOperationClass acc_class_scan = { check_scan, combine_signature, acc_infer_first };
/* Of offsets that fit: an i8 more than there are segments. */
const AccOperationClass acc_class_fold_seg = { check_scan, combine_signature, infer_segments };
/* The same offsets, from 0 to how many elements a row has. */
const AccOperationClass acc_class_scan_seg = { check_scan, combine_signature, acc_infer_first };

static gboolean
check_numbers (AccArray *node)
{
  node->type = acc_element_type_new (ACC_KIND_I64);
  node->rank = 1;
  return TRUE;
}

static gboolean
infer_numbers (AccInference *self)
{
  const gint64 *extents = acc_inference_get_extents (self, 1);

  if (extents != NULL)
    self->extents[0] = extents[0];
  return extents != NULL;
}

/* Of offsets that fit, and of something for each element, which is not read: the segment of each. */
const AccOperationClass acc_class_seg_numbers = { check_numbers, NULL, infer_numbers };

static AccArray *
reduce (AccArray     *self,
        AccOperation  op,
        AccExpr      *initial,
        AccExprFunc2  combine,
        gpointer      user_data)
{
  AccArray *node = acc_array_begin (op, &self, 1);

  acc_array_call2 (node, 0, combine, user_data);
  if (strlen (acc_operation_get_info (op)->functions) > 1)
    acc_array_close (node, 1, initial);

  return acc_array_complete (node);
}

/**
 * acc_array_fold:
 * @self: an array of rank 1 or more
 * @initial: the initial value of every row, of the element type; an untyped literal takes that type
 * @combine: (scope call) (closure user_data): takes the accumulated value and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Reduces each row, along the innermost dimension, with an associative operator. @combine must be associative and need not
 * be commutative. The reduction keeps the order of the elements but not their grouping, so that floats may differ in the
 * last bits from a sequential loop. It uses @initial exactly once per row, on the left; an empty row gives @initial.
 *
 * Takes time linear in the number of elements, times the cost of @combine. The result carries %ACC_ERROR_TYPE where
 * @combine gives another type than that of the elements or @initial does not fit it, %ACC_ERROR_SHAPE where the array has
 * rank 0 and so no innermost dimension.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_fold (xs, acc_expr_new_int (100), plus, NULL); // → [106, 115]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_fold (AccArray     *self,
                AccExpr      *initial,
                AccExprFunc2  combine,
                gpointer      user_data)
{
  return reduce (self, ACC_OP_FOLD, initial, combine, user_data);
}

/**
 * acc_array_fold1:
 * @self: an array of rank 1 or more
 * @combine: (scope call) (closure user_data): takes the accumulated value and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Reduces each non-empty row, along the innermost dimension, without an initial value. Works as [method@Array.fold] does
 * otherwise. An innermost dimension of extent 0 is %ACC_ERROR_SHAPE, also where there are no rows.
 *
 * ```c
 * static AccExpr *larger (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_max (x, y); }
 *
 * // xs = [[1, 5, 3], [9, 4, 6]]
 * g_autoptr(AccArray) result = acc_array_fold1 (xs, larger, NULL); // → [5, 9]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_fold1 (AccArray     *self,
                 AccExprFunc2  combine,
                 gpointer      user_data)
{
  return reduce (self, ACC_OP_FOLD1, NULL, combine, user_data);
}

/**
 * acc_array_fold_all:
 * @self: an array of any rank
 * @initial: the initial value, of the element type; an untyped literal takes that type
 * @combine: (scope call) (closure user_data): takes the accumulated value and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Reduces all elements, in row-major order, with an associative operator. Works as [method@Array.fold] does with a row;
 * @initial is the result of an empty array.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_fold_all (xs, acc_expr_new_int (100), plus, NULL); // → 121
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_fold_all (AccArray     *self,
                    AccExpr      *initial,
                    AccExprFunc2  combine,
                    gpointer      user_data)
{
  return reduce (self, ACC_OP_FOLD_ALL, initial, combine, user_data);
}

/**
 * acc_array_fold1_all:
 * @self: an array of any rank
 * @combine: (scope call) (closure user_data): takes the accumulated value and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Reduces all elements of a non-empty array, in row-major order, without an initial value. Works as [method@Array.fold_all]
 * does otherwise. An array without elements is %ACC_ERROR_SHAPE.
 *
 * ```c
 * static AccExpr *larger (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_max (x, y); }
 *
 * // xs = [[1, 5, 3], [9, 4, 6]]
 * g_autoptr(AccArray) result = acc_array_fold1_all (xs, larger, NULL); // → 9
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_fold1_all (AccArray     *self,
                     AccExprFunc2  combine,
                     gpointer      user_data)
{
  return reduce (self, ACC_OP_FOLD1_ALL, NULL, combine, user_data);
}

/**
 * acc_array_scanl1:
 * @self: an array of rank 1 or more
 * @combine: (scope call) (closure user_data): takes the accumulated value and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Computes the inclusive scan of each row, from left to right, with an associative operator. A row x0, x1, x2 gives x0,
 * x0·x1, x0·x1·x2. @combine must be associative and need not be commutative. An empty row stays empty.
 *
 * Takes time linear in the number of elements, times the cost of @combine. The result carries %ACC_ERROR_TYPE where
 * @combine gives another type than that of the elements, %ACC_ERROR_SHAPE where the array has rank 0.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) result = acc_array_scanl1 (xs, plus, NULL); // → [1, 3, 6]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self
 */
AccArray *
acc_array_scanl1 (AccArray     *self,
                  AccExprFunc2  combine,
                  gpointer      user_data)
{
  return reduce (self, ACC_OP_SCANL1, NULL, combine, user_data);
}
