/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Complex numbers: parts, magnitudes, and arithmetic, made of primitives of their parts. */

#include "acc-expr-complex-private.h"

#include <float.h>
#include <math.h>

AccExprParts
_acc_expr_get_parts (AccExpr *z)
{
  return (AccExprParts) { OWN (acc_expr_item (z, 0)), OWN (acc_expr_item (z, 1)) };
}

void
_acc_expr_parts_clear (AccExprParts *parts)
{
  g_clear_pointer (&parts->re, acc_expr_unref);
  g_clear_pointer (&parts->im, acc_expr_unref);
}

gboolean
_acc_expr_is_double (AccExpr *x)
{
  return acc_element_type_get_leaf (x->type, 0) == ACC_KIND_F64;
}

/* @type with f2 for f4. */
static AccElementType *
narrow (AccElementType *type)
{
  if (acc_element_type_get_leaf (type, 0) != ACC_KIND_F32)
    return type;
  return acc_element_type_get_kind (type) == ACC_KIND_COMPLEX ? acc_element_type_new_complex (ACC_KIND_F16)
                                                              : acc_element_type_new (ACC_KIND_F16);
}

AccExpr *
_acc_expr_build_wide (AccExpr      **args,
                      guint          n,
                      AccExprBuild   build)
{
  AccElementType *c8 = acc_element_type_new_complex (ACC_KIND_F32);
  AccExpr *wide[2] = { NULL, };
  AccExpr *result;

  if (acc_element_type_get_leaf (args[0]->type, 0) != ACC_KIND_F16)
    return build (args);

  for (guint i = 0; i < n; i++)
    wide[i] = OWN (acc_expr_cast (args[i], c8));
  result = build (wide);
  if (!_acc_expr_is_error (result))
    result = acc_expr_cast (result, narrow (result->type));
  return _acc_expr_keep (result, wide, n);
}

/* By powers of two squares are kept in the range; that is all but exact, and the root halves what they and their sum round away. */
AccExpr *
_acc_expr_hypot (AccExpr *x,
                 AccExpr *y)
{
  gboolean f8 = _acc_expr_is_double (x);
  g_autoptr(AccExpr) a = OWN (acc_expr_abs (x));
  g_autoptr(AccExpr) b = OWN (acc_expr_abs (y));
  g_autoptr(AccExpr) size = OWN (acc_expr_max (a, b));
  g_autoptr(AccExpr) large = OWN (acc_expr_gt (size, NUM (f8 ? 0x1p500 : 0x1p60)));
  g_autoptr(AccExpr) small = OWN (acc_expr_lt (size, NUM (f8 ? 0x1p-400 : 0x1p-40)));
  g_autoptr(AccExpr) factor = OWN (CHOOSE (large, NUM (f8 ? 0x1p-600 : 0x1p-70), CHOOSE (small, NUM (f8 ? 0x1p600 : 0x1p100), NUM (1))));
  g_autoptr(AccExpr) p = OWN (MUL (a, factor));
  g_autoptr(AccExpr) q = OWN (MUL (b, factor));
  AccExpr *back = CHOOSE (large, NUM (f8 ? 0x1p600 : 0x1p70), CHOOSE (small, NUM (f8 ? 0x1p-600 : 0x1p-100), NUM (1)));
  AccExpr *length = MUL (acc_expr_sqrt (ADD (MUL (p, p), MUL (q, q))), acc_expr_cast (back, x->type));

  return CHOOSE (acc_expr_is_inf (size), NUM (INFINITY), length);
}

/* A public function of one complex number, a. */
#define OF_COMPLEX(name, ...) DERIVED1_OF (_acc_expr_is_complex, "a complex number", name, __VA_ARGS__)

/**
 * acc_expr_real:
 * @a: a complex number
 *
 * Returns the real part of a complex number.
 *
 * ```c
 * // z = (3.0, 4.0) of c16
 * AccExpr *result = acc_expr_real (z); // → 3
 * ```
 *
 * Returns: (transfer none): the real part, a float
 */
OF_COMPLEX (real, return acc_expr_item (a, 0); )

/**
 * acc_expr_imag:
 * @a: a complex number
 *
 * Returns the imaginary part of a complex number.
 *
 * ```c
 * // z = (3.0, 4.0) of c16
 * AccExpr *result = acc_expr_imag (z); // → 4
 * ```
 *
 * Returns: (transfer none): the imaginary part, a float
 */
OF_COMPLEX (imag, return acc_expr_item (a, 1); )

/**
 * acc_expr_conjugate:
 * @a: a complex number
 *
 * Computes the complex conjugate: the imaginary part changes its sign.
 *
 * ```c
 * // z = (3.0, 4.0) of c16
 * AccExpr *result = acc_expr_conjugate (z); // → (3, -4)
 * ```
 *
 * Returns: (transfer none): a complex number
 */
OF_COMPLEX (conjugate, return acc_expr_complex (acc_expr_item (a, 0), NEG (acc_expr_item (a, 1))); )

static AccExpr *
wide_magnitude (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);

  return _acc_expr_hypot (z.re, z.im);
}

/**
 * acc_expr_magnitude:
 * @a: a complex number
 *
 * Computes the magnitude of a complex number, its distance from 0.
 *
 * Scaling keeps intermediate results in range: nothing overflows or underflows unless the result does. The magnitude is infinite where a
 * part is infinite, even where the other is NaN. acc_expr_abs() gives the magnitude as a complex number.
 *
 * ```c
 * // z = (3.0, 4.0) of c16
 * AccExpr *result = acc_expr_magnitude (z); // → 5
 * ```
 *
 * Returns: (transfer none): the magnitude, a float
 */
OF_COMPLEX (magnitude, return _acc_expr_build_wide (args, 1, wide_magnitude); )

/**
 * acc_expr_magnitude_unscaled:
 * @a: a complex number
 *
 * Computes the magnitude of a complex number by the plain formula √(re² + im²).
 *
 * It is faster than acc_expr_magnitude(), but squares may overflow to infinity or underflow to 0.
 *
 * ```c
 * // z = (3.0, 4.0) of c16
 * AccExpr *result = acc_expr_magnitude_unscaled (z); // → 5
 * ```
 *
 * Returns: (transfer none): the magnitude, a float
 */
OF_COMPLEX (magnitude_unscaled,
  g_auto(AccExprParts) z = _acc_expr_get_parts (a);
  return acc_expr_sqrt (ADD (MUL (z.re, z.re), MUL (z.im, z.im)));
)

/**
 * acc_expr_phase:
 * @a: a complex number
 *
 * Computes the phase of a complex number: its angle to the positive real axis, from -π to π radians.
 *
 * Special cases are those of acc_expr_atan2(), except that the phase of 0, of either sign, is 0.
 *
 * ```c
 * // z = (3.0, 4.0) of c16
 * AccExpr *result = acc_expr_phase (z); // → 0.927295
 * ```
 *
 * Returns: (transfer none): the phase, a float
 */
OF_COMPLEX (phase,
  g_auto(AccExprParts) z = _acc_expr_get_parts (a);
  AccExpr *zero = BOTH (acc_expr_eq (z.re, NUM (0)), acc_expr_eq (z.im, NUM (0)));
  return CHOOSE (zero, NUM (0), acc_expr_atan2 (z.im, z.re));
)

/**
 * acc_expr_from_polar:
 * @magnitude: the magnitude, a float
 * @phase: the angle in radians, a float of the same type
 *
 * Converts polar coordinates to a complex number.
 *
 * ```c
 * // magnitude = 2.0, phase = 0.5
 * AccExpr *z = acc_expr_from_polar (magnitude, phase); // → (1.75517, 0.958851)
 * ```
 *
 * Returns: (transfer none): a complex number
 */
DERIVED2_OF (_acc_expr_is_float, "floats", from_polar, return acc_expr_complex (MUL (a, acc_expr_cos (b)), MUL (a, acc_expr_sin (b))); )

/**
 * acc_expr_cis:
 * @phase: the angle in radians, a float
 *
 * Computes the complex number of magnitude 1 at an angle: cos + i sin.
 *
 * ```c
 * // phase = 0.5
 * AccExpr *z = acc_expr_cis (phase); // → (0.877583, 0.479426)
 * ```
 *
 * Returns: (transfer none): a complex number
 */
DERIVED1_OF (_acc_expr_is_float, "a float", cis, return acc_expr_complex (acc_expr_cos (a), acc_expr_sin (a)); )

/**
 * acc_expr_to_polar:
 * @a: a complex number
 *
 * Converts a complex number to polar coordinates: magnitude and phase in radians.
 *
 * Values are those of acc_expr_magnitude() and acc_expr_phase().
 *
 * ```c
 * // z = (3.0, 4.0) of c16
 * AccExpr *result = acc_expr_to_polar (z); // → (5, 0.927295)
 * ```
 *
 * Returns: (transfer none): a pair of floats: magnitude and phase
 */
DERIVED1 (to_polar, return acc_expr_tuple2 (acc_expr_magnitude (a), acc_expr_phase (a)); )

/* --- arithmetic */

AccExpr *
_acc_expr_complex_mul (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);
  g_auto(AccExprParts) w = _acc_expr_get_parts (args[1]);

  return acc_expr_complex (SUB (MUL (z.re, w.re), MUL (z.im, w.im)), ADD (MUL (z.re, w.im), MUL (z.im, w.re)));
}

/* A power of two that brings numbers as large as @size away from both ends of the range. */
static AccExpr *
find_factor (AccExpr *size)
{
  double large = _acc_expr_is_double (size) ? DBL_MAX / 2 : FLT_MAX / 2;
  double small = _acc_expr_is_double (size) ? DBL_MIN * 0x1p54 : FLT_MIN * 0x1p25;

  AccExpr *factor = CHOOSE (acc_expr_ge (size, NUM (large)), NUM (0.5),
                            CHOOSE (acc_expr_le (size, NUM (small)), NUM (_acc_expr_is_double (size) ? 0x1p107 : 0x1p49), NUM (1)));

  return acc_expr_cast (factor, size->type);
}

/* @x / 0, not left to compilers that take 0 / y for 0. */
static AccExpr *
divide_by_zero (AccExpr *x)
{
  return CHOOSE (acc_expr_gt (acc_expr_abs (x), NUM (0)), acc_expr_copy_sign (acc_expr_new_typed_float (x->type, INFINITY), x), NUM (NAN));
}

/* Infinite parts become 1, others 0, of the same sign. */
static AccExpr *
box (AccExpr *x)
{
  return acc_expr_copy_sign (CHOOSE (acc_expr_is_inf (x), acc_expr_new_typed_int (x->type, 1), acc_expr_new_typed_int (x->type, 0)), x);
}

/* Smith's quotient, with what Baudin and Smith (2012) add: scaling, and another order of factors where the ratio underflows.
 * Infinite divisors are replaced by finite ones in their direction, and the quotient is multiplied by 0. */
AccExpr *
_acc_expr_complex_div (AccExpr **args)
{
  g_auto(AccExprParts) z = _acc_expr_get_parts (args[0]);
  g_auto(AccExprParts) w = _acc_expr_get_parts (args[1]);
  g_autoptr(AccExpr) infinite = OWN (EITHER (acc_expr_is_inf (w.re), acc_expr_is_inf (w.im)));
  g_autoptr(AccExpr) c0 = OWN (CHOOSE (infinite, box (w.re), w.re));
  g_autoptr(AccExpr) d0 = OWN (CHOOSE (infinite, box (w.im), w.im));
  g_autoptr(AccExpr) f = OWN (find_factor (acc_expr_max (acc_expr_abs (z.re), acc_expr_abs (z.im))));
  g_autoptr(AccExpr) g = OWN (find_factor (acc_expr_max (acc_expr_abs (c0), acc_expr_abs (d0))));
  g_autoptr(AccExpr) scale = OWN (CHOOSE (infinite, NUM (0), MUL (acc_expr_recip (f), g)));
  g_autoptr(AccExpr) a = OWN (MUL (z.re, f));
  g_autoptr(AccExpr) b = OWN (MUL (z.im, f));
  g_autoptr(AccExpr) c = OWN (MUL (c0, g));
  g_autoptr(AccExpr) d = OWN (MUL (d0, g));
  g_autoptr(AccExpr) swap = OWN (acc_expr_lt (acc_expr_abs (c), acc_expr_abs (d)));
  g_autoptr(AccExpr) p = OWN (CHOOSE (swap, d, c));
  g_autoptr(AccExpr) q = OWN (CHOOSE (swap, c, d));
  g_autoptr(AccExpr) u = OWN (CHOOSE (swap, b, a));
  g_autoptr(AccExpr) v = OWN (CHOOSE (swap, a, b));
  g_autoptr(AccExpr) r = OWN (DIV (q, p));
  g_autoptr(AccExpr) lost = OWN (acc_expr_eq (r, NUM (0)));
  g_autoptr(AccExpr) ur = OWN (CHOOSE (lost, MUL (q, DIV (u, p)), MUL (u, r)));
  g_autoptr(AccExpr) vr = OWN (CHOOSE (lost, MUL (q, DIV (v, p)), MUL (v, r)));
  g_autoptr(AccExpr) t = OWN (ADD (p, MUL (q, r)));
  g_autoptr(AccExpr) difference = OWN (SUB (v, ur));
  g_autoptr(AccExpr) by_zero = OWN (acc_expr_eq (p, NUM (0)));
  AccExpr *re = CHOOSE (by_zero, divide_by_zero (z.re), MUL (DIV (ADD (u, vr), t), scale));
  AccExpr *im = MUL (DIV (CHOOSE (swap, NEG (difference), difference), t), scale);

  return acc_expr_complex (re, CHOOSE (by_zero, divide_by_zero (z.im), im));
}

static AccExpr *
complex_mul (AccExpr **args)
{
  return _acc_expr_build_wide (args, 2, _acc_expr_complex_mul);
}

static AccExpr *
complex_div (AccExpr **args)
{
  return _acc_expr_build_wide (args, 2, _acc_expr_complex_div);
}

static AccExpr *
complex_recip (AccExpr **args)
{
  g_autoptr(AccExpr) one = OWN (acc_expr_new_typed_int (args[0]->type, 1));

  return complex_div ((AccExpr *[]) { one, args[0] });
}

static AccExpr *
complex_abs (AccExpr **args)
{
  return acc_expr_cast (acc_expr_magnitude (args[0]), args[0]->type);
}

static AccExpr *
complex_signum (AccExpr **args)
{
  g_autoptr(AccExpr) zero = OWN (acc_expr_new_typed_int (args[0]->type, 0));

  return CHOOSE (acc_expr_eq (args[0], zero), args[0], DIV (args[0], complex_abs (args)));
}

static AccExpr *
complex_is_nan (AccExpr **args)
{
  return EITHER (acc_expr_is_nan (acc_expr_item (args[0], 0)), acc_expr_is_nan (acc_expr_item (args[0], 1)));
}

static AccExpr *
complex_is_inf (AccExpr **args)
{
  return EITHER (acc_expr_is_inf (acc_expr_item (args[0], 0)), acc_expr_is_inf (acc_expr_item (args[0], 1)));
}

AccExprBuild
_acc_expr_get_complex_build (AccPrimitive primitive)
{
  static const AccExprBuild builds[ACC_N_PRIMITIVES] = {
    [ACC_PRIM_MUL] = complex_mul,       [ACC_PRIM_FDIV] = complex_div,      [ACC_PRIM_RECIP] = complex_recip,
    [ACC_PRIM_ABS] = complex_abs,       [ACC_PRIM_SIGNUM] = complex_signum, [ACC_PRIM_IS_NAN] = complex_is_nan,
    [ACC_PRIM_IS_INF] = complex_is_inf,
  };

  if (primitive == ACC_PRIM_ADD || primitive == ACC_PRIM_SUB || primitive == ACC_PRIM_NEG)
    return _acc_expr_get_vector_build (primitive);

  return builds[primitive] != NULL ? builds[primitive] : _acc_expr_get_complex_function (primitive);
}
