/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-scatter.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-error.h"
#include "acc-core/expr/acc-trace-private.h"

/* Permutations that keep the new element, over the extents that elements, targets and mask have in common. */

static gboolean
check_ranks (AccArray   *node,
             const char *operation,
             const char *name,
             AccArray   *array,
             AccArray   *other)
{
  if (node->error == NULL && array->rank != other->rank)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: the %s have rank %u where %u is needed", operation, name, array->rank, other->rank);

  return node->error == NULL;
}

/* @array over the extents that it has in common with @other. */
static AccArray *
cut (AccArray *array,
     AccArray *other)
{
  if (array->shape != NULL && other->shape != NULL && acc_shape_equal (array->shape, other->shape))
    return g_object_ref (array);

  return acc_array_zip_with (array, other, acc_array_first_element, NULL);
}

/**
 * acc_array_scatter:
 * @self: an array
 * @defaults: an array of the same element type, of any rank: the values where nothing is written
 * @targets: an array of the rank of @self: the index that each element is written to, as in [method@Array.permute]
 *
 * Writes each element of @self to its target index in a copy of @defaults (scatter).
 *
 * Works over the indices that @self and @targets have in common. Where several elements have the same target, one of them is written; which
 * one is unspecified.
 *
 * Takes time linear in the sizes of @defaults and @targets. Targets of another rank than that of @self are %ACC_ERROR_SHAPE; targets of
 * another type than [method@Array.permute] takes, and defaults of another type than that of @self, are %ACC_ERROR_TYPE. A target outside
 * @defaults is %ACC_ERROR_BOUNDS when run.
 *
 * ```c
 * // values = [5, 6], zeros = [0, 0, 0, 0], places = [3, 1]
 * g_autoptr(AccArray) result = acc_array_scatter (values, zeros, places); // → [0, 6, 0, 5]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @defaults
 */
AccArray *
acc_array_scatter (AccArray *self,
                   AccArray *defaults,
                   AccArray *targets)
{
  ACC_ARRAY_NAMED ("scatter");
  AccArray *inputs[] = { self, defaults, targets };
  AccArray *node = acc_array_begin (ACC_OP_PERMUTE, inputs, 3);

  if (node->error != NULL || !check_ranks (node, "scatter", "targets", targets, self))
    return acc_array_complete (node);
  g_object_unref (node);

  g_autoptr(AccArray) sent = cut (self, targets), places = cut (targets, self);

  return acc_array_permute (sent, defaults, places, acc_array_first_element, NULL);
}

typedef struct {
  const char  *operation;
  AccExprFunc  predicate;
  gpointer     data;
  AccArray    *source;     /* of gather_if */
} Choice;

static AccExpr *
ask (const Choice *choice,
     AccExpr      *mask)
{
  AccExpr *flag = acc_call1 (choice->predicate, mask, choice->data);
  AccElementType *type = flag != NULL ? acc_expr_get_element_type (flag) : NULL;

  if (type == NULL || type == acc_element_type_new (ACC_KIND_BOOL))
    return flag;

  acc_expr_unref (acc_expr_ref_sink (flag));
  return acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: the predicate gives %s, not b1", choice->operation,
                                     acc_element_type_get_code (type));
}

static AccExpr *
masked_target (AccExpr *target,
               AccExpr *mask,
               gpointer data)
{
  AccExpr *flag = ask (data, mask);

  if (flag == NULL)
    return NULL;
  if (acc_array_is_optional (acc_expr_get_element_type (target)))
    return acc_expr_tuple2 (acc_expr_and_then (flag, acc_expr_item (target, 0)), acc_expr_item (target, 1));

  return acc_expr_tuple2 (flag, target);
}

/**
 * acc_array_scatter_if:
 * @self: an array
 * @defaults: an array of the same element type, of any rank: the values where nothing is written
 * @targets: an array of the rank of @self: the index that each element is written to, as in [method@Array.permute]
 * @mask: an array of the rank of @self, of any element type
 * @predicate: (scope call) (closure user_data): takes an element of @mask, gives whether the element of @self is written: a b1
 * @user_data: data for @predicate
 *
 * Writes those elements of @self whose element of @mask satisfies a predicate to their target indices in a copy of @defaults.
 *
 * Works over the indices that @self, @targets and @mask have in common. The targets of the other elements are not checked. A mask of
 * another rank is %ACC_ERROR_SHAPE, a @predicate that does not give a b1 is %ACC_ERROR_TYPE. Behaves otherwise as [method@Array.scatter].
 *
 * ```c
 * static AccExpr *is_positive (AccExpr *x, gpointer data) { return acc_expr_gt (x, acc_expr_new_int (0)); }
 *
 * // values = [5, 6, 7], zeros = [0, 0, 0, 0], places = [3, 1, 0], mask = [1, 0, 1]
 * g_autoptr(AccArray) result = acc_array_scatter_if (values, zeros, places, mask, is_positive, NULL); // → [7, 0, 0, 5]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @defaults
 */
AccArray *
acc_array_scatter_if (AccArray    *self,
                      AccArray    *defaults,
                      AccArray    *targets,
                      AccArray    *mask,
                      AccExprFunc  predicate,
                      gpointer     user_data)
{
  ACC_ARRAY_NAMED ("scatter_if");
  AccArray *inputs[] = { self, targets, mask };
  AccArray *node = acc_array_begin (ACC_OP_ZIP, inputs, 3);
  Choice choice = { "scatter_if", predicate, user_data, NULL };

  if (node->error == NULL && predicate == NULL)
    acc_array_fail_argument (node, "a function");
  if (node->error != NULL || !check_ranks (node, "scatter_if", "targets", targets, self) ||
      !check_ranks (node, "scatter_if", "elements of the mask", mask, self))
    return acc_array_complete (node);
  g_object_unref (node);

  g_autoptr(AccArray) places = acc_array_zip_with (targets, mask, masked_target, &choice);

  return acc_array_scatter (self, defaults, places);
}

static AccExpr *
gathered_or_default (AccExpr *index,
                     AccExpr *otherwise,
                     AccExpr *mask,
                     gpointer data)
{
  const Choice *choice = data;
  AccExpr *flag = ask (choice, mask);

  return flag != NULL ? acc_expr_cond (flag, acc_expr_linear_index (choice->source, index), otherwise) : NULL;
}

/**
 * acc_array_gather_if:
 * @self: an array
 * @indices: an array of integers, of any rank: positions in the row-major order of @self
 * @defaults: an array of the element type of @self and the rank of @indices
 * @mask: an array of the rank of @indices, of any element type
 * @predicate: (scope call) (closure user_data): takes an element of @mask, gives whether to read the element of @self: a b1
 * @user_data: data for @predicate
 *
 * Reads the elements at @indices where an element of @mask satisfies a predicate, and takes those of @defaults elsewhere.
 *
 * Works over the indices that @indices, @defaults and @mask have in common.
 *
 * Takes time linear in the number of elements of the result. Defaults of another type than that of @self, and a @predicate that does not
 * give a b1, are %ACC_ERROR_TYPE; defaults or a mask of another rank than that of @indices are %ACC_ERROR_SHAPE. An index outside @self is
 * %ACC_ERROR_BOUNDS when run, unless the default is taken there.
 *
 * ```c
 * static AccExpr *is_positive (AccExpr *x, gpointer data) { return acc_expr_gt (x, acc_expr_new_int (0)); }
 *
 * // xs = [10, 20, 30], indices = [2, 0, 9], defaults = [-1, -2, -3], mask = [1, 1, 0]
 * g_autoptr(AccArray) result = acc_array_gather_if (xs, indices, defaults, mask, is_positive, NULL); // → [30, 10, -3]
 * ```
 *
 * Returns: (transfer full): an array of the extents that @indices, @defaults and @mask have in common
 */
AccArray *
acc_array_gather_if (AccArray    *self,
                     AccArray    *indices,
                     AccArray    *defaults,
                     AccArray    *mask,
                     AccExprFunc  predicate,
                     gpointer     user_data)
{
  ACC_ARRAY_NAMED ("gather_if");
  AccArray *inputs[] = { self, indices, defaults, mask };
  AccArray *node = acc_array_begin (ACC_OP_ZIP, inputs, 4);
  Choice choice = { "gather_if", predicate, user_data, self };

  if (node->error == NULL && predicate == NULL)
    acc_array_fail_argument (node, "a function");
  if (node->error == NULL && defaults->type != self->type)
    acc_array_fail (node, ACC_ERROR_TYPE, "gather_if: the defaults are %s where the elements are %s",
                    acc_element_type_get_code (defaults->type), acc_element_type_get_code (self->type));
  if (node->error != NULL || !check_ranks (node, "gather_if", "defaults", defaults, indices) ||
      !check_ranks (node, "gather_if", "elements of the mask", mask, indices))
    return acc_array_complete (node);
  g_object_unref (node);

  return acc_array_zip_with3 (indices, defaults, mask, gathered_or_default, &choice);
}
