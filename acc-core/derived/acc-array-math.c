/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-math.h"
#include "acc-core/array/acc-array-build-private.h"

/* Callbacks of the ready-made operations. */

#define BINARY(name, function)                                   \
  static AccExpr *                                               \
  name##_elements (AccExpr *x, AccExpr *y, gpointer user_data)   \
  {                                                              \
    return function (x, y);                                      \
  }

#define UNARY(name, function)                                    \
  static AccExpr *                                               \
  name##_element (AccExpr *x, gpointer user_data)                \
  {                                                              \
    return function (x);                                         \
  }

static AccExpr *
divide_elements (AccExpr *x,
                 AccExpr *y)
{
  AccElementType *type = acc_expr_get_element_type (x);
  gboolean is_float = type != NULL && !acc_element_type_is_tuple (type) && acc_element_kind_is_float (acc_element_type_get_leaf (type, 0));

  return is_float ? acc_expr_fdiv (x, y) : acc_expr_quot (x, y);
}

BINARY (sub, acc_expr_sub)
BINARY (div, divide_elements)
BINARY (pow, acc_expr_pow)
BINARY (lt, acc_expr_lt)
BINARY (le, acc_expr_le)
BINARY (gt, acc_expr_gt)
BINARY (ge, acc_expr_ge)
BINARY (eq, acc_expr_eq)
BINARY (ne, acc_expr_ne)
BINARY (land, acc_expr_land)
BINARY (lor, acc_expr_lor)

UNARY (neg, acc_expr_neg)
UNARY (abs, acc_expr_abs)
UNARY (sqrt, acc_expr_sqrt)
UNARY (exp, acc_expr_exp)
UNARY (log, acc_expr_log)
UNARY (sin, acc_expr_sin)
UNARY (cos, acc_expr_cos)
UNARY (tanh, acc_expr_tanh)
UNARY (real, acc_expr_real)
UNARY (imag, acc_expr_imag)
UNARY (conjugate, acc_expr_conjugate)
UNARY (magnitude, acc_expr_magnitude)
UNARY (phase, acc_expr_phase)

static AccExpr *
cast_element (AccExpr  *x,
              gpointer  type)
{
  return type != NULL ? acc_expr_cast (x, type) : NULL;
}

/**
 * acc_array_add:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Adds two arrays element by element.
 *
 * Integers wrap. Works over the extents that both arrays have: the smaller extent in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types, or that are not numbers, are %ACC_ERROR_TYPE,
 * different ranks are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_add (xs, ys); // → [9, 3, 6]
 * ```
 *
 * Returns: (transfer full): sums, of the element type; integers wrap
 *
 * Since: 1.0
 */
AccArray *
acc_array_add (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("add");
  return acc_array_zip_with (self, other, acc_array_add_elements, NULL);
}

/**
 * acc_array_sub:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Subtracts @other from @self element by element.
 *
 * Integers wrap. Works over the extents that both arrays have: the smaller extent in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types, or that are not numbers, are %ACC_ERROR_TYPE,
 * different ranks are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_sub (xs, ys); // → [5, -7, 0]
 * ```
 *
 * Returns: (transfer full): differences, of the element type; integers wrap
 *
 * Since: 1.0
 */
AccArray *
acc_array_sub (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("sub");
  return acc_array_zip_with (self, other, sub_elements, NULL);
}

/**
 * acc_array_mul:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Multiplies two arrays element by element.
 *
 * Integers wrap. Works over the extents that both arrays have: the smaller extent in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types, or that are not numbers, are %ACC_ERROR_TYPE,
 * different ranks are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_mul (xs, ys); // → [14, -10, 9]
 * ```
 *
 * Returns: (transfer full): products, of the element type; integers wrap
 *
 * Since: 1.0
 */
AccArray *
acc_array_mul (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("mul");
  return acc_array_zip_with (self, other, acc_array_mul_elements, NULL);
}

/**
 * acc_array_div:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Divides @self by @other element by element.
 *
 * Quotients of floats are exactly rounded, quotients of integers are truncated toward 0. Division of an integer by 0 is
 * %ACC_ERROR_ARITHMETIC when run, and so is division of the smallest signed integer by -1. Works over the extents that both arrays have:
 * the smaller extent in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types, or that are not numbers, are %ACC_ERROR_TYPE,
 * different ranks are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_div (xs, ys); // → [3, 0, 1]
 * ```
 *
 * Returns: (transfer full): quotients, of the element type
 *
 * Since: 1.0
 */
AccArray *
acc_array_div (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("div");
  return acc_array_zip_with (self, other, div_elements, NULL);
}

/**
 * acc_array_pow:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Raises @self to the power @other element by element.
 *
 * Takes floats only. Works over the extents that both arrays have: the smaller extent in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types, or that are not floats, are %ACC_ERROR_TYPE,
 * different ranks are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [2.0, 9.0], ys = [10.0, 0.5]
 * g_autoptr(AccArray) result = acc_array_pow (xs, ys); // → [1024, 3]
 * ```
 *
 * Returns: (transfer full): powers, of the element type
 *
 * Since: 1.0
 */
AccArray *
acc_array_pow (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("pow");
  return acc_array_zip_with (self, other, pow_elements, NULL);
}

/**
 * acc_array_min:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Returns the element-wise minimum of two arrays.
 *
 * Where one of two elements is NaN, the result is the other (IEEE minNum); tuples are compared lexicographically. Works over the extents
 * that both arrays have: the smaller extent in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types are %ACC_ERROR_TYPE, different ranks are
 * %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_min (xs, ys); // → [2, -2, 3]
 * ```
 *
 * Returns: (transfer full): minima, of the element type
 *
 * Since: 1.0
 */
AccArray *
acc_array_min (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("min");
  return acc_array_zip_with (self, other, acc_array_min_elements, NULL);
}

/**
 * acc_array_max:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Returns the element-wise maximum of two arrays.
 *
 * Where one of two elements is NaN, the result is the other (IEEE maxNum); tuples are compared lexicographically. Works over the extents
 * that both arrays have: the smaller extent in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types are %ACC_ERROR_TYPE, different ranks are
 * %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_max (xs, ys); // → [7, 5, 3]
 * ```
 *
 * Returns: (transfer full): maxima, of the element type
 *
 * Since: 1.0
 */
AccArray *
acc_array_max (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("max");
  return acc_array_zip_with (self, other, acc_array_max_elements, NULL);
}

/**
 * acc_array_lt:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Tests, element by element, whether @self is less than @other.
 *
 * Tuples are compared lexicographically. A comparison with NaN is false. Works over the extents that both arrays have: the smaller extent
 * in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types are %ACC_ERROR_TYPE, and so are complex numbers,
 * which have no order; different ranks are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_lt (xs, ys); // → [false, true, false]
 * ```
 *
 * Returns: (transfer full): an array of b1
 *
 * Since: 1.0
 */
AccArray *
acc_array_lt (AccArray *self,
              AccArray *other)
{
  ACC_ARRAY_NAMED ("lt");
  return acc_array_zip_with (self, other, lt_elements, NULL);
}

/**
 * acc_array_le:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Tests, element by element, whether @self is at most @other.
 *
 * Tuples are compared lexicographically. A comparison with NaN is false. Works over the extents that both arrays have: the smaller extent
 * in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types are %ACC_ERROR_TYPE, and so are complex numbers,
 * which have no order; different ranks are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_le (xs, ys); // → [false, true, true]
 * ```
 *
 * Returns: (transfer full): an array of b1
 *
 * Since: 1.0
 */
AccArray *
acc_array_le (AccArray *self,
              AccArray *other)
{
  ACC_ARRAY_NAMED ("le");
  return acc_array_zip_with (self, other, le_elements, NULL);
}

/**
 * acc_array_gt:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Tests, element by element, whether @self is greater than @other.
 *
 * Tuples are compared lexicographically. A comparison with NaN is false. Works over the extents that both arrays have: the smaller extent
 * in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types are %ACC_ERROR_TYPE, and so are complex numbers,
 * which have no order; different ranks are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_gt (xs, ys); // → [true, false, false]
 * ```
 *
 * Returns: (transfer full): an array of b1
 *
 * Since: 1.0
 */
AccArray *
acc_array_gt (AccArray *self,
              AccArray *other)
{
  ACC_ARRAY_NAMED ("gt");
  return acc_array_zip_with (self, other, gt_elements, NULL);
}

/**
 * acc_array_ge:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Tests, element by element, whether @self is at least @other.
 *
 * Tuples are compared lexicographically. A comparison with NaN is false. Works over the extents that both arrays have: the smaller extent
 * in every dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types are %ACC_ERROR_TYPE, and so are complex numbers,
 * which have no order; different ranks are %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_ge (xs, ys); // → [true, false, true]
 * ```
 *
 * Returns: (transfer full): an array of b1
 *
 * Since: 1.0
 */
AccArray *
acc_array_ge (AccArray *self,
              AccArray *other)
{
  ACC_ARRAY_NAMED ("ge");
  return acc_array_zip_with (self, other, ge_elements, NULL);
}

/**
 * acc_array_eq:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Tests, element by element, whether @self equals @other.
 *
 * Tuples are compared as wholes. A comparison with NaN is false. Works over the extents that both arrays have: the smaller extent in every
 * dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types are %ACC_ERROR_TYPE, different ranks are
 * %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_eq (xs, ys); // → [false, false, true]
 * ```
 *
 * Returns: (transfer full): an array of b1
 *
 * Since: 1.0
 */
AccArray *
acc_array_eq (AccArray *self,
              AccArray *other)
{
  ACC_ARRAY_NAMED ("eq");
  return acc_array_zip_with (self, other, eq_elements, NULL);
}

/**
 * acc_array_ne:
 * @self: an array
 * @other: an array of the same type and rank
 *
 * Tests, element by element, whether @self differs from @other.
 *
 * Tuples are compared as wholes. A comparison with NaN is true. Works over the extents that both arrays have: the smaller extent in every
 * dimension.
 *
 * Takes time linear in the number of elements of the result. Elements of different types are %ACC_ERROR_TYPE, different ranks are
 * %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [7, -2, 3], ys = [2, 5, 3]
 * g_autoptr(AccArray) result = acc_array_ne (xs, ys); // → [true, true, false]
 * ```
 *
 * Returns: (transfer full): an array of b1
 *
 * Since: 1.0
 */
AccArray *
acc_array_ne (AccArray *self,
              AccArray *other)
{
  ACC_ARRAY_NAMED ("ne");
  return acc_array_zip_with (self, other, ne_elements, NULL);
}

/**
 * acc_array_neg:
 * @self: an array of numbers
 *
 * Negates every element.
 *
 * Integers wrap. Takes time linear in the size of @self. Elements that are not numbers are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [1, -2, 0]
 * g_autoptr(AccArray) result = acc_array_neg (xs); // → [-1, 2, 0]
 * ```
 *
 * Returns: (transfer full): an array of the shape and type of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_neg (AccArray *self)
{
  ACC_ARRAY_NAMED ("neg");
  return acc_array_map (self, neg_element, NULL);
}

/**
 * acc_array_abs:
 * @self: an array of numbers
 *
 * Returns the absolute value of every element.
 *
 * The smallest signed integer stays as it is. Takes time linear in the size of @self. Elements that are not numbers are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [1, -2, 0]
 * g_autoptr(AccArray) result = acc_array_abs (xs); // → [1, 2, 0]
 * ```
 *
 * Returns: (transfer full): an array of the shape and type of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_abs (AccArray *self)
{
  ACC_ARRAY_NAMED ("abs");
  return acc_array_map (self, abs_element, NULL);
}

/**
 * acc_array_sqrt:
 * @self: an array of floats
 *
 * Returns the square root of every element.
 *
 * An element below 0 gives NaN. Takes time linear in the size of @self. Elements that are not floats are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [4.0, 2.25]
 * g_autoptr(AccArray) result = acc_array_sqrt (xs); // → [2, 1.5]
 * ```
 *
 * Returns: (transfer full): an array of the shape and type of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_sqrt (AccArray *self)
{
  ACC_ARRAY_NAMED ("sqrt");
  return acc_array_map (self, sqrt_element, NULL);
}

/**
 * acc_array_exp:
 * @self: an array of floats
 *
 * Returns the exponential of every element.
 *
 * Takes time linear in the size of @self. Elements that are not floats are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [0.0, 1.0]
 * g_autoptr(AccArray) result = acc_array_exp (xs); // → [1, 2.71828]
 * ```
 *
 * Returns: (transfer full): an array of the shape and type of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_exp (AccArray *self)
{
  ACC_ARRAY_NAMED ("exp");
  return acc_array_map (self, exp_element, NULL);
}

/**
 * acc_array_log:
 * @self: an array of floats
 *
 * Returns the natural logarithm of every element.
 *
 * An element below 0 gives NaN. Takes time linear in the size of @self. Elements that are not floats are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [1.0, 10.0]
 * g_autoptr(AccArray) result = acc_array_log (xs); // → [0, 2.30259]
 * ```
 *
 * Returns: (transfer full): an array of the shape and type of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_log (AccArray *self)
{
  ACC_ARRAY_NAMED ("log");
  return acc_array_map (self, log_element, NULL);
}

/**
 * acc_array_sin:
 * @self: an array of floats
 *
 * Returns the sine of every element.
 *
 * Angles are in radians. Takes time linear in the size of @self. Elements that are not floats are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [0.0, 1.0]
 * g_autoptr(AccArray) result = acc_array_sin (xs); // → [0, 0.841471]
 * ```
 *
 * Returns: (transfer full): an array of the shape and type of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_sin (AccArray *self)
{
  ACC_ARRAY_NAMED ("sin");
  return acc_array_map (self, sin_element, NULL);
}

/**
 * acc_array_cos:
 * @self: an array of floats
 *
 * Returns the cosine of every element.
 *
 * Angles are in radians. Takes time linear in the size of @self. Elements that are not floats are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [0.0, 1.0]
 * g_autoptr(AccArray) result = acc_array_cos (xs); // → [1, 0.540302]
 * ```
 *
 * Returns: (transfer full): an array of the shape and type of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_cos (AccArray *self)
{
  ACC_ARRAY_NAMED ("cos");
  return acc_array_map (self, cos_element, NULL);
}

/**
 * acc_array_tanh:
 * @self: an array of floats
 *
 * Returns the hyperbolic tangent of every element.
 *
 * Takes time linear in the size of @self. Elements that are not floats are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [0.0, 1.0]
 * g_autoptr(AccArray) result = acc_array_tanh (xs); // → [0, 0.761594]
 * ```
 *
 * Returns: (transfer full): an array of the shape and type of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_tanh (AccArray *self)
{
  ACC_ARRAY_NAMED ("tanh");
  return acc_array_map (self, tanh_element, NULL);
}

/**
 * acc_array_real:
 * @self: an array of complex numbers
 *
 * Returns the real part of every element.
 *
 * Uses acc_expr_real() for each. Takes time linear in the size of @self. Elements that are not complex are %ACC_ERROR_TYPE.
 *
 * ```c
 * // zs = [(3.0, 4.0), (0.0, -1.0)] of c16
 * g_autoptr(AccArray) result = acc_array_real (zs); // → [3, 0]
 * ```
 *
 * Returns: (transfer full): an array of floats, of the shape of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_real (AccArray *self)
{
  ACC_ARRAY_NAMED ("real");
  return acc_array_map (self, real_element, NULL);
}

/**
 * acc_array_imag:
 * @self: an array of complex numbers
 *
 * Returns the imaginary part of every element.
 *
 * Uses acc_expr_imag() for each. Takes time linear in the size of @self. Elements that are not complex are %ACC_ERROR_TYPE.
 *
 * ```c
 * // zs = [(3.0, 4.0), (0.0, -1.0)] of c16
 * g_autoptr(AccArray) result = acc_array_imag (zs); // → [4, -1]
 * ```
 *
 * Returns: (transfer full): an array of floats, of the shape of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_imag (AccArray *self)
{
  ACC_ARRAY_NAMED ("imag");
  return acc_array_map (self, imag_element, NULL);
}

/**
 * acc_array_conjugate:
 * @self: an array of complex numbers
 *
 * Returns the complex conjugate of every element.
 *
 * Uses acc_expr_conjugate() for each. Takes time linear in the size of @self. Elements that are not complex are %ACC_ERROR_TYPE.
 *
 * ```c
 * // zs = [(3.0, 4.0), (0.0, -1.0)] of c16
 * g_autoptr(AccArray) result = acc_array_conjugate (zs); // → [(3, -4), (0, 1)]
 * ```
 *
 * Returns: (transfer full): an array of complex numbers, of the shape of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_conjugate (AccArray *self)
{
  ACC_ARRAY_NAMED ("conjugate");
  return acc_array_map (self, conjugate_element, NULL);
}

/**
 * acc_array_magnitude:
 * @self: an array of complex numbers
 *
 * Returns the magnitude of every element, which is its distance from 0.
 *
 * Uses acc_expr_magnitude() for each. Takes time linear in the size of @self. Elements that are not complex are %ACC_ERROR_TYPE.
 *
 * ```c
 * // zs = [(3.0, 4.0), (0.0, -1.0)] of c16
 * g_autoptr(AccArray) result = acc_array_magnitude (zs); // → [5, 1]
 * ```
 *
 * Returns: (transfer full): an array of floats, of the shape of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_magnitude (AccArray *self)
{
  ACC_ARRAY_NAMED ("magnitude");
  return acc_array_map (self, magnitude_element, NULL);
}

/**
 * acc_array_phase:
 * @self: an array of complex numbers
 *
 * Returns the phase of every element, which is its angle to the positive real axis, from -π to π.
 *
 * Uses acc_expr_phase() for each. Takes time linear in the size of @self. Elements that are not complex are %ACC_ERROR_TYPE.
 *
 * ```c
 * // zs = [(3.0, 4.0), (0.0, -1.0)] of c16
 * g_autoptr(AccArray) result = acc_array_phase (zs); // → [0.927295, -1.5708]
 * ```
 *
 * Returns: (transfer full): an array of floats, of the shape of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_phase (AccArray *self)
{
  ACC_ARRAY_NAMED ("phase");
  return acc_array_map (self, phase_element, NULL);
}

/**
 * acc_array_cast:
 * @self: an array of scalars
 * @type: a scalar type: that of the result
 *
 * Converts every element to another type.
 *
 * An integer that does not fit @type wraps. A float that does not fit an integer type becomes the nearest value that does. NaN gives 0, as
 * an integer. A b1 is true where the value is not 0. Takes time linear in the size of @self. Tuples are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [1.75, -300.0]
 * g_autoptr(AccArray) result = acc_array_cast (xs, acc_element_type_new (ACC_KIND_I8)); // → [1, -128]
 * ```
 *
 * Returns: (transfer full): an array of @type, of the shape of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_cast (AccArray       *self,
                AccElementType *type)
{
  ACC_ARRAY_NAMED ("cast");
  return acc_array_map (self, cast_element, type);
}

/**
 * acc_array_sum:
 * @self: an array of rank 1 or more
 *
 * Sums each row along the innermost dimension.
 *
 * An empty row gives 0. Integers wrap; floats may differ in the last bits from those of a plain loop. Takes time linear in the size of
 * @self. Elements that are not numbers are %ACC_ERROR_TYPE, an array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_sum (xs); // → [8, 15]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 *
 * Since: 1.0
 */
AccArray *
acc_array_sum (AccArray *self)
{
  ACC_ARRAY_NAMED ("sum");
  return acc_array_fold (self, acc_expr_new_int (0), acc_array_add_elements, NULL);
}

/**
 * acc_array_product:
 * @self: an array of rank 1 or more
 *
 * Multiplies the elements of each row along the innermost dimension.
 *
 * An empty row gives 1. Integers wrap. Takes time linear in the size of @self. Elements that are not numbers are %ACC_ERROR_TYPE, an array
 * of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_product (xs); // → [12, 45]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 *
 * Since: 1.0
 */
AccArray *
acc_array_product (AccArray *self)
{
  ACC_ARRAY_NAMED ("product");
  return acc_array_fold (self, acc_expr_new_int (1), acc_array_mul_elements, NULL);
}

/**
 * acc_array_minimum:
 * @self: an array of rank 1 or more
 *
 * Returns the smallest element of each row along the innermost dimension.
 *
 * An empty row is %ACC_ERROR_SHAPE. NaN is ignored: it is the result only where all elements are NaN. Takes time linear in the size of
 * @self. An array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_minimum (xs); // → [1, 1]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 *
 * Since: 1.0
 */
AccArray *
acc_array_minimum (AccArray *self)
{
  ACC_ARRAY_NAMED ("minimum");
  return acc_array_fold1 (self, acc_array_min_elements, NULL);
}

/**
 * acc_array_maximum:
 * @self: an array of rank 1 or more
 *
 * Returns the largest element of each row along the innermost dimension.
 *
 * An empty row is %ACC_ERROR_SHAPE. NaN is ignored: it is the result only where all elements are NaN. Takes time linear in the size of
 * @self. An array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_maximum (xs); // → [4, 9]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 *
 * Since: 1.0
 */
AccArray *
acc_array_maximum (AccArray *self)
{
  ACC_ARRAY_NAMED ("maximum");
  return acc_array_fold1 (self, acc_array_max_elements, NULL);
}

/**
 * acc_array_all:
 * @self: an array of b1 of rank 1 or more
 *
 * Tests whether all elements of each row along the innermost dimension are true.
 *
 * An empty row gives true. Takes time linear in the size of @self. Elements that are not b1 are %ACC_ERROR_TYPE, an array of rank 0 is
 * %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[true, true], [false, true], [false, false]]
 * g_autoptr(AccArray) result = acc_array_all (xs); // → [true, false, false]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 *
 * Since: 1.0
 */
AccArray *
acc_array_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("all");
  return acc_array_fold (self, acc_expr_new_bool (TRUE), land_elements, NULL);
}

/**
 * acc_array_any:
 * @self: an array of b1 of rank 1 or more
 *
 * Tests whether any element of each row along the innermost dimension is true.
 *
 * An empty row gives false. Takes time linear in the size of @self. Elements that are not b1 are %ACC_ERROR_TYPE, an array of rank 0 is
 * %ACC_ERROR_SHAPE.
 *
 * ```c
 * // xs = [[true, true], [false, true], [false, false]]
 * g_autoptr(AccArray) result = acc_array_any (xs); // → [true, true, false]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 *
 * Since: 1.0
 */
AccArray *
acc_array_any (AccArray *self)
{
  ACC_ARRAY_NAMED ("any");
  return acc_array_fold (self, acc_expr_new_bool (FALSE), lor_elements, NULL);
}

/**
 * acc_array_sum_all:
 * @self: an array
 *
 * Sums all elements of an array.
 *
 * An empty array gives 0. Integers wrap; floats may differ in the last bits from those of a plain loop. Takes time linear in the size of
 * @self. Elements that are not numbers are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_sum_all (xs); // → 23
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 *
 * Since: 1.0
 */
AccArray *
acc_array_sum_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("sum_all");
  return acc_array_fold_all (self, acc_expr_new_int (0), acc_array_add_elements, NULL);
}

/**
 * acc_array_product_all:
 * @self: an array
 *
 * Multiplies all elements of an array.
 *
 * An empty array gives 1. Integers wrap. Takes time linear in the size of @self. Elements that are not numbers are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_product_all (xs); // → 540
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 *
 * Since: 1.0
 */
AccArray *
acc_array_product_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("product_all");
  return acc_array_fold_all (self, acc_expr_new_int (1), acc_array_mul_elements, NULL);
}

/**
 * acc_array_minimum_all:
 * @self: an array
 *
 * Returns the smallest element of an array.
 *
 * An empty array is %ACC_ERROR_SHAPE. NaN is ignored: it is the result only where all elements are NaN. Takes time linear in the size of
 * @self.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_minimum_all (xs); // → 1
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 *
 * Since: 1.0
 */
AccArray *
acc_array_minimum_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("minimum_all");
  return acc_array_fold1_all (self, acc_array_min_elements, NULL);
}

/**
 * acc_array_maximum_all:
 * @self: an array
 *
 * Returns the largest element of an array.
 *
 * An empty array is %ACC_ERROR_SHAPE. NaN is ignored: it is the result only where all elements are NaN. Takes time linear in the size of
 * @self.
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_maximum_all (xs); // → 9
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 *
 * Since: 1.0
 */
AccArray *
acc_array_maximum_all (AccArray *self)
{
  ACC_ARRAY_NAMED ("maximum_all");
  return acc_array_fold1_all (self, acc_array_max_elements, NULL);
}

/**
 * acc_array_all_true:
 * @self: an array of b1
 *
 * Tests whether all elements of an array are true.
 *
 * An empty array gives true. Takes time linear in the size of @self. Elements that are not b1 are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[true, true], [false, true], [false, false]]
 * g_autoptr(AccArray) result = acc_array_all_true (xs); // → false
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 *
 * Since: 1.0
 */
AccArray *
acc_array_all_true (AccArray *self)
{
  ACC_ARRAY_NAMED ("all_true");
  return acc_array_fold_all (self, acc_expr_new_bool (TRUE), land_elements, NULL);
}

/**
 * acc_array_any_true:
 * @self: an array of b1
 *
 * Tests whether any element of an array is true.
 *
 * An empty array gives false. Takes time linear in the size of @self. Elements that are not b1 are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[true, true], [false, true], [false, false]]
 * g_autoptr(AccArray) result = acc_array_any_true (xs); // → true
 * ```
 *
 * Returns: (transfer full): an array of rank 0
 *
 * Since: 1.0
 */
AccArray *
acc_array_any_true (AccArray *self)
{
  ACC_ARRAY_NAMED ("any_true");
  return acc_array_fold_all (self, acc_expr_new_bool (FALSE), lor_elements, NULL);
}
