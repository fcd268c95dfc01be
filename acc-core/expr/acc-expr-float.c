/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decomposes and composes floats by their bits: the same on every backend. */

#include "acc-expr-derive-private.h"

/**
 * acc_expr_is_finite:
 * @a: a float or a complex number
 *
 * Tells whether a number is finite: neither NaN nor infinite; a complex number, whether both parts are.
 *
 * ```c
 * // a = inf of f8
 * AccExpr *result = acc_expr_is_finite (a); // → false
 * ```
 *
 * Returns: (transfer none): a b1, true where it is finite
 */
DERIVED1 (is_finite, return acc_expr_lnot (acc_expr_lor (acc_expr_is_nan (a), acc_expr_is_inf (a))); )

AccFloatFormat
_acc_float_get_format (AccExpr *a)
{
  AccElementKind kind = acc_element_type_get_kind (a->type);

  if (kind == ACC_KIND_F16)
    return (AccFloatFormat) { acc_element_type_new (ACC_KIND_U16), 10, 15 };
  if (kind == ACC_KIND_F32)
    return (AccFloatFormat) { acc_element_type_new (ACC_KIND_U32), 23, 127 };

  return (AccFloatFormat) { acc_element_type_new (ACC_KIND_U64), 52, 1023 };
}

AccExpr *
_acc_float_sign_mask (AccFloatFormat f)
{
  return acc_expr_new_typed_uint (f.bits, (guint64) 1 << (8 * acc_element_type_get_size (f.bits) - 1));
}

/* The bits as an i8 (64-bit), sign removed. */
static AccExpr *
magnitude_bits (AccExpr       *a,
                AccFloatFormat f)
{
  return acc_expr_cast (acc_expr_band (acc_expr_bitcast (a, f.bits), acc_expr_bnot (_acc_float_sign_mask (f))), acc_index_type (1));
}

/**
 * acc_expr_copy_sign:
 * @a: a float
 * @b: a float of the same type
 *
 * Combines the magnitude of one float with the sign of another.
 *
 * ```c
 * // a = 3.5, b = -0.0
 * AccExpr *result = acc_expr_copy_sign (a, b); // → -3.5
 * ```
 *
 * Returns: (transfer none): @a with the sign of @b
 */
DERIVED2_OF (_acc_expr_is_float, "floats", copy_sign,
  AccFloatFormat f = _acc_float_get_format (a);
  AccExpr *sign = acc_expr_band (acc_expr_bitcast (b, f.bits), _acc_float_sign_mask (f));
  return acc_expr_bitcast (acc_expr_bor (acc_expr_band (acc_expr_bitcast (a, f.bits), acc_expr_bnot (_acc_float_sign_mask (f))), sign),
                           a->type);
)

/**
 * acc_expr_proper_fraction:
 * @a: a float
 *
 * Splits a float into its integral part, as acc_expr_truncate() gives it, and its fractional part.
 *
 * Both have the sign of @a, so that -2 gives (-2, -0). The fractional part of an infinity is 0; of NaN both are NaN.
 *
 * ```c
 * // a = -2.75
 * AccExpr *result = acc_expr_proper_fraction (a); // → (-2, -0.75)
 * ```
 *
 * Returns: (transfer none): a pair of the type of @a: integral and fractional part
 */
DERIVED1_OF (_acc_expr_is_float, "a float", proper_fraction,
  g_autoptr(AccExpr) whole = acc_expr_ref_sink (acc_expr_truncate (a));
  AccExpr *rest = acc_expr_cond (acc_expr_is_inf (a), acc_expr_new_typed_int (a->type, 0), acc_expr_sub (a, whole));
  return acc_expr_tuple2 (whole, acc_expr_copy_sign (rest, a));
)

/**
 * acc_expr_float_radix:
 * @a: a float
 *
 * Returns the radix of a float's format.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_float_radix (a); // → 2
 * ```
 *
 * Returns: (transfer none): the radix, an i8: 2
 */
DERIVED1_OF (_acc_expr_is_float, "a float", float_radix,
  return acc_expr_new_typed_int (acc_index_type (1), 2);
)

/**
 * acc_expr_float_digits:
 * @a: a float
 *
 * Returns the number of significand bits of a float's format.
 *
 * ```c
 * // a = 1.0 of f4
 * AccExpr *result = acc_expr_float_digits (a); // → 24
 * ```
 *
 * Returns: (transfer none): the number, an i8: 11, 24 or 53
 */
DERIVED1_OF (_acc_expr_is_float, "a float", float_digits,
  return acc_expr_new_typed_int (acc_index_type (1), _acc_float_get_format (a).mantissa + 1);
)

/**
 * acc_expr_float_range:
 * @a: a float
 *
 * Returns the range of exponents of a float's format.
 *
 * Exponents are those of acc_expr_exponent().
 *
 * ```c
 * // a = 1.0 of f4
 * AccExpr *result = acc_expr_float_range (a); // → (-125, 128)
 * ```
 *
 * Returns: (transfer none): the least and the greatest exponent of normal numbers, both i8: (-13, 16), (-125, 128) or (-1021, 1024)
 */
DERIVED1_OF (_acc_expr_is_float, "a float", float_range,
  gint64 bias = _acc_float_get_format (a).bias;
  return acc_expr_tuple2 (acc_expr_new_typed_int (acc_index_type (1), 2 - bias), acc_expr_new_typed_int (acc_index_type (1), bias + 1));
)

/**
 * acc_expr_is_negative_zero:
 * @a: a float
 *
 * Tells whether a float is negative zero.
 *
 * ```c
 * // a = -0.0
 * AccExpr *result = acc_expr_is_negative_zero (a); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true for -0
 */
DERIVED1_OF (_acc_expr_is_float, "a float", is_negative_zero,
  AccFloatFormat f = _acc_float_get_format (a);
  return acc_expr_eq (acc_expr_bitcast (a, f.bits), _acc_float_sign_mask (f));
)

/**
 * acc_expr_is_denormalized:
 * @a: a float
 *
 * Tells whether a float is subnormal: not zero, and below the least normal number.
 *
 * ```c
 * // a = 1e-310
 * AccExpr *result = acc_expr_is_denormalized (a); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true where it is subnormal
 */
DERIVED1_OF (_acc_expr_is_float, "a float", is_denormalized,
  AccFloatFormat f = _acc_float_get_format (a);
  g_autoptr(AccExpr) bits = acc_expr_ref_sink (magnitude_bits (a, f));
  return acc_expr_band (acc_expr_gt (bits, INT (0)), acc_expr_lt (bits, INT ((gint64) 1 << f.mantissa)));
)

/**
 * acc_expr_decode_float:
 * @a: a float
 *
 * Splits a float into an integer mantissa m and an exponent e with @a = m · 2^e.
 *
 * |m| fills all the bits of the format's precision, for subnormal numbers, too; zero gives (0, 0). The bits of infinity and NaN are taken
 * as they stand.
 *
 * ```c
 * // a = 1.0 of f4
 * AccExpr *result = acc_expr_decode_float (a); // → (8388608, -23)
 * ```
 *
 * Returns: (transfer none): a pair of i8: mantissa and exponent
 */
DERIVED1_OF (_acc_expr_is_float, "a float", decode_float,
  AccFloatFormat f = _acc_float_get_format (a);
  gint64 hidden = (gint64) 1 << f.mantissa;
  g_autoptr(AccExpr) bits = acc_expr_ref_sink (magnitude_bits (a, f));
  g_autoptr(AccExpr) stored = acc_expr_ref_sink (acc_expr_band (bits, INT (hidden - 1)));
  g_autoptr(AccExpr) field = acc_expr_ref_sink (acc_expr_shr (bits, INT (f.mantissa)));
  g_autoptr(AccExpr) subnormal = acc_expr_ref_sink (acc_expr_eq (field, INT (0)));
  g_autoptr(AccExpr) shift = acc_expr_ref_sink (acc_expr_sub (acc_expr_clz (stored), INT (63 - f.mantissa)));
  AccExpr *m = acc_expr_cond (subnormal, acc_expr_shl (stored, shift), acc_expr_bor (stored, INT (hidden)));
  AccExpr *e = acc_expr_sub (acc_expr_cond (subnormal, acc_expr_sub (INT (1), shift), field), INT (f.bias + f.mantissa));
  g_autoptr(AccExpr) mantissa = acc_expr_ref_sink (m);
  AccExpr *negative = acc_expr_ne (acc_expr_band (acc_expr_bitcast (a, f.bits), _acc_float_sign_mask (f)), INT (0));
  g_autoptr(AccExpr) zero = acc_expr_ref_sink (acc_expr_eq (bits, INT (0)));
  return acc_expr_tuple2 (acc_expr_cond (zero, INT (0), acc_expr_cond (negative, acc_expr_neg (mantissa), mantissa)),
                          acc_expr_cond (zero, INT (0), e));
)

/**
 * acc_expr_exponent:
 * @a: a float
 *
 * Returns the exponent of a float: the least n with |@a| < 2^n.
 *
 * ```c
 * // a = 12.0
 * AccExpr *result = acc_expr_exponent (a); // → 4
 * ```
 *
 * Returns: (transfer none): the exponent, an i8; 0 for zero
 */
DERIVED1_OF (_acc_expr_is_float, "a float", exponent,
  AccFloatFormat f = _acc_float_get_format (a);
  g_autoptr(AccExpr) decoded = acc_expr_ref_sink (acc_expr_decode_float (a));
  AccExpr *e = acc_expr_item (decoded, 1);
  /* Not @a, which a device may take for 0 where it is subnormal. */
  AccExpr *zero = acc_expr_eq (acc_expr_item (decoded, 0), INT (0));
  return acc_expr_cond (zero, INT (0), acc_expr_add (e, INT (f.mantissa + 1)));
)

/* 2^n for n in the range of normal numbers */
static AccExpr *
power_of_two (AccExpr        *n,
              AccFloatFormat  f,
              AccElementType *type)
{
  AccExpr *bits = acc_expr_shl (acc_expr_add (n, INT (f.bias)), INT (f.mantissa));

  return acc_expr_bitcast (acc_expr_cast (bits, f.bits), type);
}

/* f4 and f8. Steps that stay exact until the last: up by the greatest power, down by one that leaves the bits which the last
 * step, the only one that may reach subnormal numbers, needs to round once. Two of either reach everything. */
static AccExpr *
scale (AccExpr *a,
       AccExpr *k)
{
  AccFloatFormat f = _acc_float_get_format (a);
  gint64 up = f.bias;
  gint64 down = f.bias - 1 - (f.mantissa + 1);
  AccExpr *up_power = power_of_two (INT (up), f, a->type);
  AccExpr *down_power = power_of_two (INT (-down), f, a->type);
  g_autoptr(AccExpr) up_factor = acc_expr_ref_sink (up_power);
  g_autoptr(AccExpr) down_factor = acc_expr_ref_sink (down_power);
  g_autoptr(AccExpr) n = acc_expr_ref (k);
  g_autoptr(AccExpr) y = acc_expr_ref (a);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(AccExpr) y0 = g_steal_pointer (&y);
      g_autoptr(AccExpr) n0 = g_steal_pointer (&n);
      g_autoptr(AccExpr) over = acc_expr_ref_sink (acc_expr_gt (n0, INT (up)));
      g_autoptr(AccExpr) under = acc_expr_ref_sink (acc_expr_lt (n0, INT (1 - f.bias)));

      y = acc_expr_ref_sink (acc_expr_cond (over, acc_expr_mul (y0, up_factor),
                                            acc_expr_cond (under, acc_expr_mul (y0, down_factor), y0)));
      n = acc_expr_ref_sink (acc_expr_cond (over, acc_expr_sub (n0, INT (up)),
                                            acc_expr_cond (under, acc_expr_add (n0, INT (down)), n0)));
    }

  return acc_expr_mul (y, power_of_two (acc_expr_max (acc_expr_min (n, INT (up)), INT (1 - f.bias)), f, a->type));
}

static AccExpr *
build_scale_float (AccExpr **args)
{
  AccExpr *k = args[0], *a = args[1];
  g_autoptr(AccExpr) n = NULL;

  if (!_acc_expr_is_integer (k))
    return _acc_expr_needs ("scale_float", "an integer exponent", k);
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("scale_float", "a float", a);

  /* Within i8 and so that no step of it overflows; u8 beyond the least i8 would wrap. */
  if (acc_element_type_get_kind (k->type) == ACC_KIND_U64)
    k = acc_expr_min (k, INT (10000));
  n = acc_expr_ref_sink (acc_expr_max (acc_expr_min (acc_expr_cast (k, acc_index_type (1)), INT (10000)), INT (-10000)));

  if (acc_element_type_get_kind (a->type) != ACC_KIND_F16)
    return scale (a, n);

  /* Binary32 holds all these products exactly: its conversion rounds once. */
  AccElementType *f32 = acc_element_type_new (ACC_KIND_F32);
  AccExpr *bounded = acc_expr_max (acc_expr_min (n, INT (64)), INT (-64));
  AccFloatFormat f = { acc_element_type_new (ACC_KIND_U32), 23, 127 };
  return acc_expr_cast (acc_expr_mul (acc_expr_cast (a, f32), power_of_two (bounded, f, f32)), a->type);
}

/**
 * acc_expr_scale_float:
 * @k: an integer: the exponent
 * @a: a float
 *
 * Multiplies a float by a power of two: @a · 2^@k.
 *
 * The product is rounded once, to infinity, subnormal numbers and zero, too; zero, infinity and NaN stay.
 *
 * ```c
 * // k = 3, a = 1.5
 * AccExpr *result = acc_expr_scale_float (k, a); // → 12
 * ```
 *
 * Returns: (transfer none): the product, of the type of @a
 */
AccExpr *
acc_expr_scale_float (AccExpr *k,
                      AccExpr *a)
{
  return _acc_expr_derive ("scale_float", k, a, 2, FALSE, build_scale_float);
}

/**
 * acc_expr_significand:
 * @a: a float
 *
 * Scales a float by a power of two so that its magnitude is in [0.5, 1).
 *
 * ```c
 * // a = 12.0
 * AccExpr *result = acc_expr_significand (a); // → 0.75
 * ```
 *
 * Returns: (transfer none): the significand, of the type of @a; zero stays
 */
DERIVED1_OF (_acc_expr_is_float, "a float", significand,
  AccFloatFormat f = _acc_float_get_format (a);
  g_autoptr(AccExpr) decoded = acc_expr_ref_sink (acc_expr_decode_float (a));
  g_autoptr(AccExpr) mantissa = acc_expr_ref_sink (acc_expr_item (decoded, 0));
  AccExpr *stored = acc_expr_band (acc_expr_abs (mantissa), INT (((gint64) 1 << f.mantissa) - 1));
  AccExpr *half = acc_expr_bor (stored, INT ((gint64) (f.bias - 1) << f.mantissa));
  AccExpr *sign = acc_expr_band (acc_expr_bitcast (a, f.bits), _acc_float_sign_mask (f));
  AccExpr *scaled = acc_expr_bitcast (acc_expr_bor (acc_expr_cast (half, f.bits), sign), a->type);
  /* By bits, as subnormal numbers have no product on some devices. */
  return acc_expr_cond (acc_expr_band (acc_expr_is_finite (a), acc_expr_ne (mantissa, INT (0))), scaled, a);
)

/* Of magnitude |m| < 2^63 + 1 as u8, and k: m · 2^k as a subnormal f8, whose bits are the product in units of 2^-1074. */
static AccExpr *
encode_subnormal (AccExpr *magnitude,
                  AccExpr *k)
{
  AccElementType *u64 = acc_element_type_new (ACC_KIND_U64);
  g_autoptr(AccExpr) shift = acc_expr_ref_sink (acc_expr_sub (INT (-1074), k));
  g_autoptr(AccExpr) quotient = acc_expr_ref_sink (acc_expr_shr (magnitude, shift));
  g_autoptr(AccExpr) rest = acc_expr_ref_sink (acc_expr_sub (magnitude, acc_expr_shl (quotient, shift)));
  g_autoptr(AccExpr) half = acc_expr_ref_sink (acc_expr_shl (acc_expr_new_typed_uint (u64, 1), acc_expr_sub (shift, INT (1))));
  g_autoptr(AccExpr) tie = acc_expr_ref_sink (acc_expr_band (acc_expr_eq (rest, half), acc_expr_odd (quotient)));
  AccExpr *up = acc_expr_band (acc_expr_le (shift, INT (64)), acc_expr_bor (acc_expr_gt (rest, half), tie));

  return acc_expr_bitcast (acc_expr_add (quotient, acc_expr_cast (up, u64)), acc_element_type_new (ACC_KIND_F64));
}

static AccExpr *
build_encode_float (AccExpr **args)
{
  AccElementType *f64 = acc_element_type_new (ACC_KIND_F64);
  AccElementType *i64 = acc_index_type (1);

  for (guint i = 0; i < 2; i++)
    if (args[i]->type != i64)
      return _acc_expr_needs ("encode_float", "mantissa and exponent of i8", args[i]);

  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_max (acc_expr_min (args[1], INT (10000)), INT (-10000)));
  g_autoptr(AccExpr) magnitude = acc_expr_ref_sink (acc_expr_cast (acc_expr_abs (args[0]), acc_element_type_new (ACC_KIND_U64)));
  g_autoptr(AccExpr) m = acc_expr_ref_sink (acc_expr_cast (args[0], f64));
  /* Below 2^-1022 a mantissa that has more bits than the result would be rounded twice. */
  AccExpr *top = acc_expr_add (k, acc_expr_sub (INT (64), acc_expr_clz (magnitude)));
  AccExpr *small = acc_expr_band (acc_expr_le (top, INT (-1022)), acc_expr_lt (k, INT (-1074)));

  return acc_expr_cond (small, acc_expr_copy_sign (encode_subnormal (magnitude, k), m), acc_expr_scale_float (k, m));
}

/**
 * acc_expr_encode_float:
 * @mantissa: an i8: the mantissa
 * @exponent: an i8: the exponent
 *
 * Computes the float @mantissa · 2^@exponent, rounded once to f8.
 *
 * It gives back the number that acc_expr_decode_float() took apart. For other float types cast the result.
 *
 * ```c
 * // mantissa = 3, exponent = 2
 * AccExpr *result = acc_expr_encode_float (mantissa, exponent); // → 12
 * ```
 *
 * Returns: (transfer none): an f8
 */
AccExpr *
acc_expr_encode_float (AccExpr *mantissa,
                       AccExpr *exponent)
{
  return _acc_expr_derive ("encode_float", mantissa, exponent, 2, FALSE, build_encode_float);
}
