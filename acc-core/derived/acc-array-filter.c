/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-filter.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-math.h"
#include "acc-array-rearrange.h"
#include "acc-array-scan-private.h"
#include "acc-error.h"

/* Every element that stays goes to the place that an inclusive scan of the flags, in row-major order, gives (Blelloch 1990, "pack"). An
 * exclusive scan would read the flags one place apart, and they would have to be stored. */

static AccExpr *
target (AccExpr *flag,
        AccExpr *count,
        gpointer data)
{
  return acc_expr_tuple2 (flag, acc_expr_sub (count, acc_array_number (1)));
}

static AccArray *
pack (AccArray *self,
      AccArray *flags,
      AccArray *ones,
      AccExpr  *count)
{
  g_autoptr(AccArray) so_far = acc_array_scanl1 (ones, acc_array_add_elements, NULL);
  g_autoptr(AccArray) targets = acc_array_zip_with (flags, so_far, target, NULL);
  g_autoptr(AccArray) room = acc_array_take_on (self, 0, count);
  AccArray *packed = acc_array_permute (self, room, targets, acc_array_first_element, NULL);

  acc_array_get_permute (packed)->fills = TRUE;

  return packed;
}

AccArray *
acc_array_pack (AccArray *self,
                AccArray *flags,
                AccExpr  *count)
{
  g_autoptr(AccArray) ones = acc_array_cast (flags, acc_element_type_new (ACC_KIND_I64));

  return pack (self, flags, ones, count);
}

gboolean
acc_array_is_filter (AccArray *node)
{
  return node->op == ACC_OP_PERMUTE && acc_array_get_permute (node)->fills && node->rank == 1 && node->inputs[0]->rank == 1
         && acc_array_is_optional (node->inputs[2]->type);
}

AccArray *
acc_array_get_filter_flags (AccArray *filter)
{
  AccArray *targets = filter->inputs[2];
  AccFunction *function = targets->op == ACC_OP_ZIP_WITH ? targets->functions[0] : NULL;

  return function != NULL && function->body->kind == ACC_EXPR_TUPLE && function->body->args[0] == function->params[0] ? targets->inputs[0]
                                                                                                                      : NULL;
}

AccArray *
acc_array_new_filter (AccArray *self,
                      AccArray *flags)
{
  g_autoptr(AccArray) ones = acc_array_cast (flags, acc_element_type_new (ACC_KIND_I64));
  g_autoptr(AccArray) total = acc_array_sum_all (ones);

  return pack (self, flags, ones, acc_expr_the (total));
}

/* @flags: of the extents of @self */
static AccArray *
pack_all (AccArray  *self,
          AccArray  *flags,
          AccArray **counts)
{
  g_autoptr(AccArray) flat = acc_array_flatten (self), flat_flags = acc_array_flatten (flags);

  if (counts != NULL)
    {
      g_autoptr(AccArray) each = acc_array_cast (flags, acc_element_type_new (ACC_KIND_I64));

      *counts = acc_array_sum (each);
    }

  return acc_array_new_filter (flat, flat_flags);
}

/**
 * acc_array_filter:
 * @self: an array of rank 1 or more
 * @predicate: (scope call) (closure user_data): takes an element, gives whether to keep it: a b1
 * @user_data: data for @predicate
 * @counts: (out) (optional) (transfer full): how many elements of each row are kept: i8, of a rank one lower
 *
 * Returns the elements that satisfy a predicate, in row-major order.
 *
 * Takes time linear in the size of @self. A @predicate that does not give a b1 is %ACC_ERROR_TYPE, an array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * static AccExpr *is_positive (AccExpr *x, gpointer data) { return acc_expr_gt (x, acc_expr_new_int (0)); }
 *
 * // xs = [[3, -1], [0, 4], [-5, -9]]
 * g_autoptr(AccArray) counts = NULL;
 * g_autoptr(AccArray) kept = acc_array_filter (xs, is_positive, NULL, &counts); // → [3, 4]
 * // counts → [1, 1, 0]
 * ```
 *
 * Returns: (transfer full): a vector of the element type of @self
 */
AccArray *
acc_array_filter (AccArray     *self,
                  AccExprFunc   predicate,
                  gpointer      user_data,
                  AccArray    **counts)
{
  ACC_ARRAY_NAMED ("filter");
  g_autoptr(AccArray) flags = acc_array_map (self, predicate, user_data);

  return acc_array_compact (self, flags, counts);
}

static gboolean
check_flags (AccArray *node,
             AccArray *self,
             AccArray *flags)
{
  if (self->rank == 0)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "compact: an array of rank 0 has no rows");
  if (flags->type != acc_element_type_new (ACC_KIND_BOOL))
    return acc_array_fail (node, ACC_ERROR_TYPE, "compact: flags are b1, not %s", acc_element_type_get_code (flags->type));

  return acc_array_check_extents (node, "compact: flags", self, flags);
}

/**
 * acc_array_compact:
 * @self: an array of rank 1 or more
 * @flags: which elements to keep: b1, of the same extents
 * @counts: (out) (optional) (transfer full): how many elements of each row are kept: i8, of a rank one lower
 *
 * Returns the elements whose flag is true, in row-major order.
 *
 * Takes time linear in the size of @self. Flags that are not b1 are %ACC_ERROR_TYPE, an array of rank 0 is %ACC_ERROR_SHAPE. Flags of other
 * extents are %ACC_ERROR_SHAPE while building, or %ACC_ERROR_BOUNDS when run, where the extents are known only then.
 *
 * ```c
 * // xs = [[3, 1], [4, 1]], flags = [[true, false], [true, true]]
 * g_autoptr(AccArray) counts = NULL;
 * g_autoptr(AccArray) kept = acc_array_compact (xs, flags, &counts); // → [3, 4, 1]
 * // counts → [1, 2]
 * ```
 *
 * Returns: (transfer full): a vector of the element type of @self
 */
AccArray *
acc_array_compact (AccArray  *self,
                   AccArray  *flags,
                   AccArray **counts)
{
  ACC_ARRAY_NAMED ("compact");
  AccArray *inputs[] = { self, flags };
  AccArray *node = acc_array_begin (ACC_OP_BACKPERMUTE, inputs, 2);
  g_autoptr(AccArray) checked = NULL;

  if (node->error != NULL || !check_flags (node, self, flags))
    return acc_array_refuse (node, counts);
  g_object_unref (node);
  checked = acc_array_match_extents (self, flags);

  return pack_all (self, checked, counts);
}
