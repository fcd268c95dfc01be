/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-math.h"
#include "acc-core/array/acc-array-build-private.h"

/* Functions of each element. */

#define UNARY(name, function)                                    \
  static AccExpr *                                               \
  name##_element (AccExpr *x, gpointer user_data)                \
  {                                                              \
    return function (x);                                         \
  }

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
 */
AccArray *
acc_array_cast (AccArray       *self,
                AccElementType *type)
{
  ACC_ARRAY_NAMED ("cast");
  return acc_array_map (self, cast_element, type);
}
