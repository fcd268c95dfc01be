/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-histogram.h"

#include <math.h>

#include "acc-core/array/acc-array-build-private.h"
#include "acc-error.h"

/* Permutes of ones, which add up where they meet. */

static AccExpr *
one_of (AccExpr *x,
        gpointer data)
{
  return acc_array_number (1);
}

/* @node: sound, or with what is wrong with the arguments. @bin: as targets of a permute are. */
static AccArray *
count (AccArray    *node,
       AccArray    *self,
       gint64       n_bins,
       AccExprFunc  bin,
       gpointer     data)
{
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(AccArray) none = NULL, ones = NULL, bins = NULL;

  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  shape = acc_shape_new_vector (n_bins);
  none = acc_array_fill (shape, acc_array_number (0));
  ones = acc_array_map (self, one_of, NULL);
  bins = acc_array_map (self, bin, data);

  return acc_array_permute (ones, none, bins, acc_array_add_elements, NULL);
}

static AccArray *
begin_count (AccArray   *self,
             const char *operation,
             gint64      n_bins,
             gboolean    floats)
{
  AccArray *node = acc_array_begin (ACC_OP_PERMUTE, &self, 1);

  if (node->error == NULL && n_bins < 0)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: %" G_GINT64_FORMAT " bins", operation, n_bins);
  if (node->error == NULL &&
      (acc_element_type_is_tuple (self->type) || (!floats && acc_element_kind_is_float (acc_element_type_get_kind (self->type)))))
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: elements are %s, not %s", operation, floats ? "numbers" : "integers",
                    acc_element_type_get_code (self->type));

  return node;
}

static AccExpr *
bin_of_integer (AccExpr *x,
                gpointer n_bins)
{
  g_autoptr(AccExpr) bin = acc_expr_ref_sink (acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64)));
  AccExpr *inside = acc_expr_land (acc_expr_ge (bin, acc_array_number (0)), acc_expr_lt (bin, acc_array_number (*(gint64 *) n_bins)));

  return acc_expr_tuple2 (inside, bin);
}

/**
 * acc_array_bincount:
 * @self: an array of integers or b1
 * @n_bins: the number of bins: one for each integer from 0 on
 *
 * Counts how often each integer from 0 to @n_bins - 1 occurs.
 *
 * Other integers are not counted. Takes time linear in the size of @self. Floats and tuples are %ACC_ERROR_TYPE, a negative @n_bins is
 * %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [1, 3, 1, 0, 9]
 * g_autoptr(AccArray) result = acc_array_bincount (xs, 4); // → [1, 2, 0, 1]
 * ```
 *
 * Returns: (transfer full): the counts: a vector of @n_bins i8
 */
AccArray *
acc_array_bincount (AccArray *self,
                    gint64    n_bins)
{
  ACC_ARRAY_NAMED ("bincount");
  return count (begin_count (self, "bincount", n_bins, FALSE), self, n_bins, bin_of_integer, &n_bins);
}

typedef struct {
  gint64 n_bins;
  double low, high;
} Bins;

static AccExpr *
edge (const Bins     *bins,
      AccElementType *type,
      AccExpr        *bin)
{
  AccExpr *step = acc_expr_new_typed_float (type, (bins->high - bins->low) / (double) bins->n_bins);

  return acc_expr_add (acc_expr_mul (acc_expr_cast (bin, type), step), acc_expr_new_typed_float (type, bins->low));
}

/* What is near an edge may come out on its wrong side: the edges decide. */
static AccExpr *
bin_of_number (AccExpr *x,
               gpointer data)
{
  const Bins *bins = data;
  AccElementType *type = acc_array_float_type (acc_expr_get_element_type (x));
  AccElementType *index = acc_element_type_new (ACC_KIND_I64);
  g_autoptr(AccExpr) value = acc_expr_ref_sink (acc_expr_cast (x, type)), last = acc_expr_ref_sink (acc_array_number (bins->n_bins - 1));
  AccExpr *low = acc_expr_new_typed_float (type, bins->low),
    *scale = acc_expr_new_typed_float (type, (double) bins->n_bins / (bins->high - bins->low));
  AccExpr *high = acc_expr_new_typed_float (type, bins->high), *inside;
  g_autoptr(AccExpr) guess = NULL, lower = NULL;

  inside = acc_expr_land (acc_expr_ge (value, low), acc_expr_le (value, high));
  guess = acc_expr_min (acc_expr_cast (acc_expr_mul (acc_expr_sub (value, low), scale), index), last);
  guess = acc_expr_ref_sink (guess);
  lower = acc_expr_ref_sink (acc_expr_sub (guess, acc_expr_cast (acc_expr_lt (value, edge (bins, type, guess)), index)));

  return acc_expr_tuple2 (inside, acc_expr_add (lower, acc_expr_cast (acc_expr_land (
    acc_expr_ge (value, edge (bins, type, acc_expr_add (lower, acc_array_number (1)))), acc_expr_lt (lower, last)), index)));
}

/**
 * acc_array_histogram:
 * @self: an array of numbers
 * @n_bins: the number of bins, 1 or more
 * @low: the lower edge of the first bin
 * @high: the upper edge of the last bin: more than @low; where it equals @low, the bins reach from @low - 0.5 to @low + 0.5
 *
 * Counts the numbers that fall into each of @n_bins bins of equal width.
 *
 * A number on an edge belongs to the bin that begins there, @high to the last bin. Numbers below @low and above @high, and NaN, are not
 * counted. f2 and f4 are compared with edges in f4, other types with edges in f8.
 *
 * Takes time linear in the size of @self. Tuples are %ACC_ERROR_TYPE. Less than one bin is %ACC_ERROR_SHAPE, and so are edges that are not
 * finite or not in order.
 *
 * ```c
 * // xs = [0.1, 0.4, 0.5, 0.9, 1.0, 7.0]
 * g_autoptr(AccArray) result = acc_array_histogram (xs, 2, 0, 1); // → [2, 3]
 * ```
 *
 * Returns: (transfer full): the counts: a vector of @n_bins i8
 */
AccArray *
acc_array_histogram (AccArray *self,
                     gint64    n_bins,
                     double    low,
                     double    high)
{
  ACC_ARRAY_NAMED ("histogram");
  AccArray *node = begin_count (self, "histogram", n_bins, TRUE);
  Bins bins = { n_bins, low == high ? low - 0.5 : low, low == high ? high + 0.5 : high };

  if (node->error == NULL && n_bins < 1)
    acc_array_fail (node, ACC_ERROR_SHAPE, "histogram: there are no bins");
  if (node->error == NULL && !(isfinite (low) && isfinite (high) && isfinite (high - low) && low <= high))
    acc_array_fail (node, ACC_ERROR_SHAPE, "histogram: bins from %g to %g", low, high);

  return count (node, self, n_bins, bin_of_number, &bins);
}
