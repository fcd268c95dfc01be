/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-extremes-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-math.h"
#include "acc-error.h"

/* The smallest and the largest of elements, where they are, and how many are not 0. */

AccArray *
acc_array_refuse_scalar (AccArray   *self,
                         const char *operation)
{
  AccArray *node = acc_array_begin (ACC_OP_FOLD, &self, 1);

  if (node->error == NULL && self->rank == 0)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: an array of rank 0 has no rows", operation);
  if (node->error != NULL)
    return acc_array_complete (node);

  g_object_unref (node);
  return NULL;
}

static AccExpr *
with_place (AccExpr *index,
            AccExpr *x,
            gpointer data)
{
  return acc_expr_tuple2 (x, acc_expr_item (index, acc_expr_get_n_items (index) - 1));
}

/* Where @part has @best, or nowhere. NaN is the best where there is nothing else. */
static AccExpr *
place_of (AccExpr *part,
          AccExpr *best)
{
  AccExpr *is_best = acc_expr_eq (acc_expr_item (part, 0), best);

  if (acc_element_kind_is_float (acc_element_type_get_kind (acc_expr_get_element_type (best))))
    is_best = acc_expr_lor (is_best, acc_expr_is_nan (best));

  return acc_expr_cond (is_best, acc_expr_item (part, 1), acc_array_number (G_MAXINT64));
}

/* The first place of the @best of both, so that the order in which parts come does not matter. It does for tuples and vectors, in which
 * NaN compares with nothing: there @y, which is on the right, comes instead of @x only where it is @better. */
static AccExpr *
choose (AccExpr *x,
        AccExpr *y,
        AccExpr *(*best) (AccExpr *a, AccExpr *b),
        AccExpr *(*better) (AccExpr *a, AccExpr *b))
{
  AccExpr *left = acc_expr_item (x, 0), *right = acc_expr_item (y, 0);
  g_autoptr(AccExpr) chosen = NULL;

  if (!acc_element_type_is_scalar (acc_expr_get_element_type (left)))
    return acc_expr_cond (better (right, left), y, x);

  chosen = acc_expr_ref_sink (best (left, right));

  return acc_expr_tuple2 (chosen, acc_expr_min (place_of (x, chosen), place_of (y, chosen)));
}

static AccExpr *
smaller (AccExpr *x,
         AccExpr *y,
         gpointer data)
{
  return choose (x, y, acc_expr_min, acc_expr_lt);
}

static AccExpr *
larger (AccExpr *x,
        AccExpr *y,
        gpointer data)
{
  return choose (x, y, acc_expr_max, acc_expr_gt);
}

/* In row-major order. */
static AccExpr *
with_place_in_all (AccExpr *index,
                   AccExpr *x,
                   gpointer array)
{
  return acc_expr_tuple2 (x, acc_array_outer_place (array, index, acc_expr_get_n_items (index)));
}

static AccArray *
find_place_in_all (AccArray     *self,
                   AccArray   *(*of_rows) (AccArray *self),
                   AccExprFunc2  combine)
{
  g_autoptr(AccArray) flat = NULL, placed = NULL, best = NULL;

  if (self->error != NULL || self->rank < 2)
    {
      flat = acc_array_flatten (self);

      return of_rows (flat);
    }

  placed = acc_array_imap (self, with_place_in_all, self);
  best = acc_array_fold1_all (placed, combine, NULL);

  return acc_array_unzip (best, 1);
}

static AccArray *
find_place (AccArray     *self,
            const char   *operation,
            AccExprFunc2  combine)
{
  AccArray *refused = acc_array_refuse_scalar (self, operation);
  g_autoptr(AccArray) placed = NULL, best = NULL;

  if (refused != NULL)
    return refused;

  placed = acc_array_imap (self, with_place, NULL);
  best = acc_array_fold1 (placed, combine, NULL);

  return acc_array_unzip (best, 1);
}

static AccExpr *
twice (AccExpr *x,
       gpointer data)
{
  return acc_expr_tuple2 (x, x);
}

static AccExpr *
both_limits (AccExpr *x,
             AccExpr *y,
             gpointer data)
{
  return acc_expr_tuple2 (acc_expr_min (acc_expr_item (x, 0), acc_expr_item (y, 0)),
                          acc_expr_max (acc_expr_item (x, 1), acc_expr_item (y, 1)));
}

/**
 * acc_array_argmin:
 * @self: an array of rank 1 or more
 *
 * Returns the index of the smallest element in each row.
 *
 * Of equal elements the first one is taken. NaN counts only where all elements are NaN, as in [method@Array.minimum]: then the first one is
 * taken. Takes time linear in the size of @self. An empty row, and an array of rank 0, are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_argmin (xs); // → [1, 0]
 * ```
 *
 * Returns: (transfer full): an array of i8 of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_argmin (AccArray *self)
{
  ACC_ARRAY_NAMED ("argmin");
  return find_place (self, "argmin", smaller);
}

/**
 * acc_array_argmax:
 * @self: an array of rank 1 or more
 *
 * Returns the index of the largest element in each row.
 *
 * Of equal elements the first one is taken. NaN counts only where all elements are NaN, as in [method@Array.maximum]: then the first one is
 * taken. Takes time linear in the size of @self. An empty row, and an array of rank 0, are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_argmax (xs); // → [2, 2]
 * ```
 *
 * Returns: (transfer full): an array of i8 of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_argmax (AccArray *self)
{
  ACC_ARRAY_NAMED ("argmax");
  return find_place (self, "argmax", larger);
}

/**
 * acc_array_minmax:
 * @self: an array of scalars, of rank 1 or more
 *
 * Returns the smallest and the largest element of each row.
 *
 * Reads each element once. NaN is ignored: it is the result only where all elements are NaN. Takes time linear in the size of @self. An
 * empty row, and an array of rank 0, are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_minmax (xs); // → [(1, 4), (1, 9)]
 * ```
 *
 * Returns: (transfer full): an array of pairs (smallest, largest), of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_minmax (AccArray *self)
{
  ACC_ARRAY_NAMED ("minmax");
  g_autoptr(AccArray) pairs = acc_array_map (self, twice, NULL);

  return acc_array_fold1 (pairs, both_limits, NULL);
}

static AccExpr *
one_unless_zero (AccExpr  *x,
                 gpointer  user_data)
{
  AccElementType *type = acc_expr_get_element_type (x);
  gboolean is_complex = type != NULL && acc_element_type_get_kind (type) == ACC_KIND_COMPLEX;
  AccExpr *flag = is_complex ? acc_expr_ne (x, acc_expr_new_zero (type)) : acc_expr_cast (x, acc_element_type_new (ACC_KIND_BOOL));

  return acc_expr_cast (flag, acc_element_type_new (ACC_KIND_I64));
}

/**
 * acc_array_count_nonzero:
 * @self: an array of scalars or complex numbers, of rank 1 or more
 *
 * Counts the elements of each row that are not 0.
 *
 * NaN is counted. Of b1, true is counted. Takes time linear in the size of @self. An array of rank 0 is %ACC_ERROR_SHAPE, tuples are
 * %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[0, 1, 2], [0, 0, 3]]
 * g_autoptr(AccArray) result = acc_array_count_nonzero (xs); // → [2, 1]
 * ```
 *
 * Returns: (transfer full): an array of i8 of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_count_nonzero (AccArray *self)
{
  ACC_ARRAY_NAMED ("count_nonzero");
  g_autoptr(AccArray) ones = acc_array_map (self, one_unless_zero, NULL);

  return acc_array_sum (ones);
}

/**
 * acc_array_argmin_all:
 * @self: an array
 *
 * Returns the index of the smallest of all elements in row-major order.
 *
 * Of equal elements the first one is taken. NaN counts only where all elements are NaN, as in [method@Array.minimum]: then the first one is
 * taken. Takes time linear in the size of @self. An empty array is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_argmin_all (xs); // → 1
 * ```
 *
 * Returns: (transfer full): an array of i8 of rank 0
 */
AccArray *
acc_array_argmin_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("argmin_all");
  return find_place_in_all (self, acc_array_argmin, smaller);
}

/**
 * acc_array_argmax_all:
 * @self: an array
 *
 * Returns the index of the largest of all elements in row-major order.
 *
 * Of equal elements the first one is taken. NaN counts only where all elements are NaN, as in [method@Array.maximum]: then the first one is
 * taken. Takes time linear in the size of @self. An empty array is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_argmax_all (xs); // → 5
 * ```
 *
 * Returns: (transfer full): an array of i8 of rank 0
 */
AccArray *
acc_array_argmax_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("argmax_all");
  return find_place_in_all (self, acc_array_argmax, larger);
}

/**
 * acc_array_minmax_all:
 * @self: an array of scalars
 *
 * Returns the smallest and the largest of all elements.
 *
 * Reads each element once. NaN is ignored: it is the result only where all elements are NaN. Takes time linear in the size of @self. An
 * empty array is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_minmax_all (xs); // → (1, 9)
 * ```
 *
 * Returns: (transfer full): an array of rank 0 of a pair (smallest, largest)
 */
AccArray *
acc_array_minmax_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("minmax_all");
  g_autoptr(AccArray) pairs = acc_array_map (self, twice, NULL);

  return acc_array_fold1_all (pairs, both_limits, NULL);
}

/**
 * acc_array_count_nonzero_all:
 * @self: an array of scalars or complex numbers
 *
 * Counts all elements that are not 0.
 *
 * NaN is counted. Of b1, true is counted. Takes time linear in the size of @self. Tuples are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[0, 1, 2], [0, 0, 3]]
 * g_autoptr(AccArray) result = acc_array_count_nonzero_all (xs); // → 3
 * ```
 *
 * Returns: (transfer full): an array of i8 of rank 0
 */
AccArray *
acc_array_count_nonzero_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("count_nonzero_all");
  g_autoptr(AccArray) ones = acc_array_map (self, one_unless_zero, NULL);

  return acc_array_sum_all (ones);
}
