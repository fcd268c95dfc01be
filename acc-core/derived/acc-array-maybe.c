/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-maybe.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-filter.h"
#include "acc-error.h"
#include "acc-core/expr/acc-expr-sum-private.h"

typedef struct {
  const char *name;
  const char *what;
  gboolean  (*accepts)  (AccElementType *type);
  AccExpr  *(*is_there) (AccExpr *x);
  AccExpr  *(*value)    (AccExpr *x);
} Selection;

static AccExpr *
is_there (AccExpr *x,
          gpointer data)
{
  return ((const Selection *) data)->is_there (x);
}

static AccExpr *
value_of (AccExpr *x,
          gpointer data)
{
  return ((const Selection *) data)->value (x);
}

static AccArray *
select_values (AccArray   *self,
               Selection   selection,
               AccArray  **counts)
{
  g_autoptr(AccArray) node = acc_array_begin (ACC_OP_MAP, &self, 1);
  g_autoptr(AccArray) flags = NULL, values = NULL;

  if (node->error == NULL && self->rank == 0)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: an array of rank 0 has no rows", selection.name);
  if (node->error == NULL && !selection.accepts (self->type))
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: elements are %s, not %s", selection.name, acc_element_type_get_code (self->type),
                    selection.what);
  if (node->error != NULL)
    {
      node = acc_array_complete (g_steal_pointer (&node));
      return acc_array_compact (node, node, counts);
    }

  flags = acc_array_map (self, is_there, &selection);
  values = acc_array_map (self, value_of, &selection);
  return acc_array_compact (values, flags, counts);
}

/**
 * acc_array_filter_just:
 * @self: an array of rank 1 or more, of a type made by acc_element_type_new_maybe()
 * @counts: (out) (optional) (transfer full): how many values of each row are present: i8, of a rank one lower
 *
 * Returns the values that are present, in row-major order.
 *
 * For example, `[just 5, nothing, just 0]` gives `[5, 0]`. Takes time linear in the size of @self. Elements of another type are
 * %ACC_ERROR_TYPE, an array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [(1, 5), (0, 0), (1, 0)] of (u1,i8)
 * g_autoptr(AccArray) counts = NULL;
 * g_autoptr(AccArray) values = acc_array_filter_just (xs, &counts); // → [5, 0]
 * // counts → 2
 * ```
 *
 * Returns: (transfer full): a vector of the type of the values
 */
AccArray *
acc_array_filter_just (AccArray  *self,
                       AccArray **counts)
{
  ACC_ARRAY_NAMED ("filter_just");
  return select_values (self, (Selection) { "filter_just", "a value or none", _acc_type_is_maybe, acc_expr_is_just, acc_expr_from_just },
                        counts);
}

/**
 * acc_array_filter_left:
 * @self: an array of rank 1 or more, of a type made by acc_element_type_new_either()
 * @counts: (out) (optional) (transfer full): how many values of each row are left ones: i8, of a rank one lower
 *
 * Returns the left values, in row-major order.
 *
 * Takes time linear in the size of @self. Elements of another type are %ACC_ERROR_TYPE, an array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [(0, 5, 0.0), (1, 0, 0.5), (0, 7, 0.0)] of (u1,i8,f8)
 * g_autoptr(AccArray) counts = NULL;
 * g_autoptr(AccArray) values = acc_array_filter_left (xs, &counts); // → [5, 7]
 * // counts → 2
 * ```
 *
 * Returns: (transfer full): a vector of the type of the left values
 */
AccArray *
acc_array_filter_left (AccArray  *self,
                       AccArray **counts)
{
  ACC_ARRAY_NAMED ("filter_left");
  return select_values (self,
                        (Selection) { "filter_left", "one value or another", _acc_type_is_either, acc_expr_is_left, acc_expr_from_left },
                        counts);
}

/**
 * acc_array_filter_right:
 * @self: an array of rank 1 or more, of a type made by acc_element_type_new_either()
 * @counts: (out) (optional) (transfer full): how many values of each row are right ones: i8, of a rank one lower
 *
 * Returns the right values, in row-major order.
 *
 * Takes time linear in the size of @self. Elements of another type are %ACC_ERROR_TYPE, an array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [(0, 5, 0.0), (1, 0, 0.5), (0, 7, 0.0)] of (u1,i8,f8)
 * g_autoptr(AccArray) counts = NULL;
 * g_autoptr(AccArray) values = acc_array_filter_right (xs, &counts); // → [0.5]
 * // counts → 1
 * ```
 *
 * Returns: (transfer full): a vector of the type of the right values
 */
AccArray *
acc_array_filter_right (AccArray  *self,
                        AccArray **counts)
{
  ACC_ARRAY_NAMED ("filter_right");
  return select_values (self,
                        (Selection) { "filter_right", "one value or another", _acc_type_is_either, acc_expr_is_right, acc_expr_from_right },
                        counts);
}
