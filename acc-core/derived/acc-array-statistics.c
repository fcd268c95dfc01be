/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-statistics.h"

#include <math.h>

#include "acc-array-extremes-private.h"
#include "acc-core/array/acc-array-build-private.h"
#include "acc-error.h"

/* Means, norms and variances. */

static AccElementType *
get_mean_type (AccElementType *type)
{
  return acc_element_kind_is_float (acc_element_type_get_kind (type)) ? type : acc_element_type_new (ACC_KIND_F64);
}

static AccArray *
refuse_moment (AccArray   *self,
               const char *operation,
               gboolean    of_all)
{
  AccArray *node = of_all ? NULL : acc_array_refuse_scalar (self, operation);

  if (node == NULL && (self->error != NULL || acc_element_type_is_tuple (self->type)))
    {
      node = acc_array_begin (ACC_OP_FOLD, &self, 1);
      if (node->error == NULL)
        acc_array_fail (node, ACC_ERROR_TYPE, "%s: elements are scalars, not %s", operation, acc_element_type_get_code (self->type));
      acc_array_complete (node);
    }

  return node;
}

static AccExpr *
as_sum_type (AccExpr *x)
{
  return acc_expr_cast (x, acc_array_float_type (acc_expr_get_element_type (x)));
}

static AccExpr *
summand (AccExpr *x,
         gpointer data)
{
  return as_sum_type (x);
}

static AccExpr *
square (AccExpr *x,
        gpointer data)
{
  g_autoptr(AccExpr) wide = acc_expr_ref_sink (as_sum_type (x));

  return acc_expr_mul (wide, wide);
}

/* What is folded: rows of an array, or all of it. */
typedef struct {
  AccArray *array;
  gboolean  of_all;
  guint     ddof;
  gboolean  is_deviation;
} Folded;

static AccExpr *
get_size (const Folded *folded)
{
  AccArray *array = folded->array;
  AccExpr *size = NULL;

  for (guint d = folded->of_all ? 0 : array->rank - 1; d < array->rank; d++)
    size = size != NULL ? acc_expr_mul (size, acc_expr_extent (array, d)) : acc_expr_extent (array, d);

  return size != NULL ? size : acc_array_number (1);
}

static AccArray *
fold (const Folded *folded,
      AccArray     *elements,
      AccExpr      *zero,
      AccExprFunc2  combine)
{
  return (folded->of_all ? acc_array_fold_all : acc_array_fold) (elements, zero, combine, NULL);
}

/* 0 / 0 is not left to the division: where @x is known to be 0 some compilers make 0 of it. */
static AccExpr *
divide (AccExpr *x,
        AccExpr *n)
{
  AccElementType *type = acc_expr_get_element_type (x);
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (n);
  AccExpr *of_nothing = acc_expr_land (acc_expr_eq (owned, acc_array_number (0)), acc_expr_eq (x, acc_expr_new_typed_float (type, 0)));

  return acc_expr_cond (of_nothing, acc_expr_new_typed_float (type, NAN), acc_expr_fdiv (x, acc_expr_cast (owned, type)));
}

static AccExpr *
divided_by_size (AccExpr *sum,
                 gpointer data)
{
  const Folded *folded = data;

  return acc_expr_cast (divide (sum, get_size (folded)), get_mean_type (folded->array->type));
}

static AccExpr *
root (AccExpr *sum,
      gpointer data)
{
  return acc_expr_cast (acc_expr_sqrt (sum), get_mean_type (((const Folded *) data)->array->type));
}

static AccExpr *get_real (AccExpr *z, gpointer data) { return acc_expr_real (z); }
static AccExpr *get_imaginary (AccExpr *z, gpointer data) { return acc_expr_imag (z); }
static AccExpr *make_complex (AccExpr *real, AccExpr *imaginary, gpointer data) { return acc_expr_complex (real, imaginary); }

static AccArray *
sum_up (AccArray    *self,
        const char  *operation,
        gboolean     of_all,
        AccExprFunc  each,
        AccExprFunc  finish)
{
  AccArray *refused = refuse_moment (self, operation, of_all);
  Folded folded = { self, of_all };
  g_autoptr(AccArray) summands = NULL, sums = NULL;

  if (refused != NULL)
    return refused;

  summands = acc_array_map (self, each, NULL);
  sums = fold (&folded, summands, acc_expr_new_int (0), acc_array_add_elements);

  return acc_array_map (sums, finish, &folded);
}

/* Moments: the count, one element, the distance of the mean from it, and the sum of squared deviations: means that are much larger than the
 * deviations lose nothing. Zeros are such that adding them is no operation. */
static AccExpr *
single (AccExpr *x,
        gpointer data)
{
  g_autoptr(AccExpr) wide = acc_expr_ref_sink (as_sum_type (x));
  g_autoptr(AccExpr) zero = acc_expr_ref_sink (acc_expr_new_typed_float (acc_expr_get_element_type (wide), -0.0));

  return acc_expr_tuple4 (acc_array_number (1), wide, zero, zero);
}

/* Chan, Golub and LeVeque 1979, from where @y begins, which is never nothing; means that are equal stay as they are. Where numbers of
 * elements are known, as in blocks of a fold, nine operations are left, and of single elements three. */
static AccExpr *
merge_moments (AccExpr *x,
               AccExpr *y,
               gpointer data)
{
  AccElementType *type = acc_element_type_get_item (acc_expr_get_element_type (x), 1);
  AccExpr *nx = acc_expr_item (x, 0), *ny = acc_expr_item (y, 0), *ox = acc_expr_item (x, 1), *oy = acc_expr_item (y, 1);
  AccExpr *mx = acc_expr_item (x, 2), *my = acc_expr_item (y, 2);
  g_autoptr(AccExpr) count = acc_expr_ref_sink (acc_expr_add (nx, ny));
  g_autoptr(AccExpr) share = acc_expr_ref_sink (acc_expr_mul (acc_expr_cast (nx, type), acc_expr_recip (acc_expr_cast (count, type))));
  g_autoptr(AccExpr) difference = acc_expr_ref_sink (acc_expr_sub (acc_expr_sub (ox, oy), acc_expr_sub (my, mx)));
  g_autoptr(AccExpr) step = acc_expr_ref_sink (acc_expr_mul (difference, share));
  AccExpr *between = acc_expr_mul (acc_expr_mul (difference, step), acc_expr_cast (ny, type));

  return acc_expr_tuple4 (count, oy, acc_expr_add (my, step),
                          acc_expr_add (acc_expr_add (acc_expr_item (x, 3), acc_expr_item (y, 3)), between));
}

static AccExpr *
spread_of (AccExpr *moments,
           gpointer data)
{
  const Folded *spread = data;
  AccExpr *freedom = acc_expr_max (acc_expr_sub (acc_expr_item (moments, 0), acc_array_number (spread->ddof)), acc_array_number (0));
  AccExpr *variance = divide (acc_expr_item (moments, 3), freedom);

  return acc_expr_cast (spread->is_deviation ? acc_expr_sqrt (variance) : variance, get_mean_type (spread->array->type));
}

static AccArray *
find_spread (AccArray   *self,
             const char *operation,
             gboolean    of_all,
             guint       ddof,
             gboolean    is_deviation)
{
  AccArray *refused = refuse_moment (self, operation, of_all);
  Folded spread = { self, of_all, ddof, is_deviation };
  g_autoptr(AccArray) singles = NULL, moments = NULL;
  AccExpr *zero;

  if (refused != NULL)
    return refused;

  zero = acc_expr_cast (acc_array_number (0), acc_array_float_type (self->type));
  singles = acc_array_map (self, single, NULL);
  moments = fold (&spread, singles, acc_expr_tuple4 (acc_array_number (0), zero, zero, zero), merge_moments);
  moments->functions[0]->commutes = TRUE;

  return acc_array_map (moments, spread_of, &spread);
}

static AccArray *
find_mean (AccArray   *self,
           const char *operation,
           gboolean    of_all)
{
  g_autoptr(AccArray) reals = NULL, imaginaries = NULL, real = NULL, imaginary = NULL;

  g_return_val_if_fail (ACC_IS_ARRAY (self), NULL);

  if (self->error != NULL || acc_element_type_get_kind (self->type) != ACC_KIND_COMPLEX)
    return sum_up (self, operation, of_all, summand, divided_by_size);

  reals = acc_array_map (self, get_real, NULL);
  imaginaries = acc_array_map (self, get_imaginary, NULL);
  real = sum_up (reals, operation, of_all, summand, divided_by_size);
  imaginary = sum_up (imaginaries, operation, of_all, summand, divided_by_size);

  return acc_array_zip_with (real, imaginary, make_complex, NULL);
}

/**
 * acc_array_norm:
 * @self: an array of scalars, of rank 1 or more
 *
 * Computes the Euclidean norm of each row: the square root of the sum of squares.
 *
 * Nothing is scaled: where the sum of squares is beyond the range of the type the norm is infinite, and squares below the range count as 0.
 * Where that can happen, divide by the largest magnitude before and multiply by it after. Floats keep their type, f2 is computed in f4;
 * integers and b1 give an f8.
 *
 * Takes time linear in the size of @self. An array of rank 0 is %ACC_ERROR_SHAPE, tuples are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[3.0, 4.0], [6.0, 8.0]]
 * g_autoptr(AccArray) result = acc_array_norm (xs); // → [5, 10]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_norm (AccArray *self)
{
  ACC_ARRAY_NAMED ("norm");
  return sum_up (self, "norm", FALSE, square, root);
}

/**
 * acc_array_mean:
 * @self: an array of scalars, of rank 1 or more
 *
 * Computes the mean of each row along the innermost dimension.
 *
 * The mean is the sum divided by the number of elements: it is infinite where the sum is beyond the range of the type. An empty row gives
 * NaN. Floats and complex numbers keep their type, f2 is computed in f4; integers and b1 give an f8. Takes time linear in the size of
 * @self. An array of rank 0 is %ACC_ERROR_SHAPE, tuples are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[3.0, 4.0], [6.0, 8.0]]
 * g_autoptr(AccArray) result = acc_array_mean (xs); // → [3.5, 7]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_mean (AccArray *self)
{
  ACC_ARRAY_NAMED ("mean");
  return find_mean (self, "mean", FALSE);
}

/**
 * acc_array_variance:
 * @self: an array of scalars, of rank 1 or more
 * @ddof: the number that is subtracted from the number of elements in the divisor: 1 for a sample, 0 for a whole population
 *
 * Computes the variance of each row along the innermost dimension.
 *
 * The variance is the sum of the squared differences from the mean, divided by the number of elements less @ddof, or by 0 where @ddof is
 * larger. 0 divided by 0 gives NaN, another sum divided by 0 gives infinity. The variance is computed in one pass, from parts that are
 * merged; a large mean costs no accuracy. The sum of the squares must be in the range of the type. Floats keep their type, f2 is computed
 * in f4; integers and b1 give an f8.
 *
 * Takes time linear in the size of @self. An array of rank 0 is %ACC_ERROR_SHAPE, tuples are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]]
 * g_autoptr(AccArray) result = acc_array_variance (xs, 1); // → [1, 0]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_variance (AccArray *self,
                    guint     ddof)
{
  ACC_ARRAY_NAMED ("variance");
  return find_spread (self, "variance", FALSE, ddof, FALSE);
}

/**
 * acc_array_standard_deviation:
 * @self: an array of scalars, of rank 1 or more
 * @ddof: the number that is subtracted from the number of elements in the divisor: 1 for a sample, 0 for a whole population
 *
 * Computes the standard deviation of each row, the square root of its variance.
 *
 * Behaves otherwise as [method@Array.variance].
 *
 * ```c
 * // xs = [[1.0, 3.0], [1.0, 5.0]]
 * g_autoptr(AccArray) result = acc_array_standard_deviation (xs, 0); // → [1, 2]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_standard_deviation (AccArray *self,
                              guint     ddof)
{
  ACC_ARRAY_NAMED ("standard_deviation");
  return find_spread (self, "standard_deviation", FALSE, ddof, TRUE);
}

/**
 * acc_array_norm_all:
 * @self: an array of scalars
 *
 * Computes the Euclidean norm of all elements: the square root of the sum of squares.
 *
 * The squares must be in the range of the type. Floats keep their type, f2 is computed in f4; integers and b1 give an f8. Takes time linear
 * in the size of @self. Tuples are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[1.0, 1.0], [1.0, 1.0]]
 * g_autoptr(AccArray) result = acc_array_norm_all (xs); // → 2
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_norm_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("norm_all");
  return sum_up (self, "norm_all", TRUE, square, root);
}

/**
 * acc_array_mean_all:
 * @self: an array of scalars
 *
 * Computes the mean of all elements.
 *
 * The mean is the sum divided by the number of elements: it is infinite where the sum is beyond the range of the type. An empty array gives
 * NaN. Floats and complex numbers keep their type, f2 is computed in f4; integers and b1 give an f8. Takes time linear in the size of
 * @self. Tuples are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[3.0, 4.0], [6.0, 8.0]]
 * g_autoptr(AccArray) result = acc_array_mean_all (xs); // → 5.25
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_mean_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("mean_all");
  return find_mean (self, "mean_all", TRUE);
}

/**
 * acc_array_variance_all:
 * @self: an array of scalars
 * @ddof: the number that is subtracted from the number of elements in the divisor: 1 for a sample, 0 for a whole population
 *
 * Computes the variance of all elements.
 *
 * The array may have rank 0. Behaves otherwise as [method@Array.variance].
 *
 * ```c
 * // xs = [[1.0, 3.0], [1.0, 3.0]]
 * g_autoptr(AccArray) result = acc_array_variance_all (xs, 0); // → 1
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_variance_all (AccArray *self,
                        guint     ddof)
{
  ACC_ARRAY_NAMED ("variance_all");
  return find_spread (self, "variance_all", TRUE, ddof, FALSE);
}

/**
 * acc_array_standard_deviation_all:
 * @self: an array of scalars
 * @ddof: the number that is subtracted from the number of elements in the divisor: 1 for a sample, 0 for a whole population
 *
 * Computes the standard deviation of all elements, the square root of their variance.
 *
 * Behaves otherwise as [method@Array.variance].
 *
 * ```c
 * // xs = [[1.0, 5.0], [1.0, 5.0]]
 * g_autoptr(AccArray) result = acc_array_standard_deviation_all (xs, 0); // → 2
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 */
AccArray *
acc_array_standard_deviation_all (AccArray *self,
                                  guint     ddof)
{
  ACC_ARRAY_NAMED ("standard_deviation_all");
  return find_spread (self, "standard_deviation_all", TRUE, ddof, TRUE);
}
