/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decomposes and composes floats by their bits: the same on every backend. */

#include "acc-expr-derive-private.h"

#include <math.h>

/**
 * acc_expr_is_finite:
 * @a: a float or a complex number
 *
 * Tells whether a number is finite: neither NaN nor infinite; a complex number, whether both parts are.
 *
 * An operand of another type gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = inf of f8
 * AccExpr *result = acc_expr_is_finite (a); // → false
 * ```
 *
 * Returns: (transfer none): a b1, true where it is finite
 */
DERIVED1 (is_finite, return acc_expr_lnot (acc_expr_lor (acc_expr_is_nan (a), acc_expr_is_inf (a))); )

typedef struct {
  AccElementType *bits;      /* unsigned integer of the same size */
  int             mantissa;  /* stored bits */
  int             bias;
} Format;

static Format
format_of (AccExpr *a)
{
  switch (acc_element_type_get_kind (a->type))
    {
    case ACC_KIND_F16:
      return (Format) { acc_element_type_new (ACC_KIND_U16), 10, 15 };
    case ACC_KIND_F32:
      return (Format) { acc_element_type_new (ACC_KIND_U32), 23, 127 };
    case ACC_KIND_BOOL:
    case ACC_KIND_I8:
    case ACC_KIND_I16:
    case ACC_KIND_I32:
    case ACC_KIND_I64:
    case ACC_KIND_U8:
    case ACC_KIND_U16:
    case ACC_KIND_U32:
    case ACC_KIND_U64:
    case ACC_KIND_F64:
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR:
    default:
      return (Format) { acc_element_type_new (ACC_KIND_U64), 52, 1023 };
    }
}

static AccExpr *
sign_mask (Format f)
{
  return acc_expr_new_typed_uint (f.bits, (guint64) 1 << (8 * acc_element_type_get_size (f.bits) - 1));
}

/* The bits as an i8 (64-bit), sign removed. */
static AccExpr *
magnitude_bits (AccExpr *a,
                Format   f)
{
  return acc_expr_cast (acc_expr_band (acc_expr_bitcast (a, f.bits), acc_expr_bnot (sign_mask (f))), acc_index_type (1));
}

/**
 * acc_expr_copy_sign:
 * @a: a float
 * @b: a float of the same type
 *
 * Combines the magnitude of one float with the sign of another.
 *
 * Operands of other types, or of two different types, give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 3.5, b = -0.0
 * AccExpr *result = acc_expr_copy_sign (a, b); // → -3.5
 * ```
 *
 * Returns: (transfer none): @a with the sign of @b
 */
DERIVED2 (copy_sign, TRUE,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("copy_sign", "floats", a);
  Format f = format_of (a);
  AccExpr *sign = acc_expr_band (acc_expr_bitcast (b, f.bits), sign_mask (f));
  return acc_expr_bitcast (acc_expr_bor (acc_expr_band (acc_expr_bitcast (a, f.bits), acc_expr_bnot (sign_mask (f))), sign), a->type);
)

/**
 * acc_expr_proper_fraction:
 * @a: a float
 *
 * Splits a float into its integral part, as acc_expr_truncate() gives it, and its fractional part.
 *
 * Both have the sign of @a, so that -2 gives (-2, -0). The fractional part of an infinity is 0; of NaN both are NaN. An operand of
 * another type gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = -2.75
 * AccExpr *result = acc_expr_proper_fraction (a); // → (-2, -0.75)
 * ```
 *
 * Returns: (transfer none): a pair of the type of @a: integral and fractional part
 */
DERIVED1 (proper_fraction,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("proper_fraction", "a float", a);
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
 * An operand of another type gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 1.0
 * AccExpr *result = acc_expr_float_radix (a); // → 2
 * ```
 *
 * Returns: (transfer none): the radix, an i8: 2
 */
DERIVED1 (float_radix,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("float_radix", "a float", a);
  return acc_expr_new_typed_int (acc_index_type (1), 2);
)

/**
 * acc_expr_float_digits:
 * @a: a float
 *
 * Returns the number of significand bits of a float's format.
 *
 * An operand of another type gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 1.0 of f4
 * AccExpr *result = acc_expr_float_digits (a); // → 24
 * ```
 *
 * Returns: (transfer none): the number, an i8: 11, 24 or 53
 */
DERIVED1 (float_digits,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("float_digits", "a float", a);
  return acc_expr_new_typed_int (acc_index_type (1), format_of (a).mantissa + 1);
)

/**
 * acc_expr_float_range:
 * @a: a float
 *
 * Returns the range of exponents of a float's format.
 *
 * Exponents are those of acc_expr_exponent(). An operand of another type gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 1.0 of f4
 * AccExpr *result = acc_expr_float_range (a); // → (-125, 128)
 * ```
 *
 * Returns: (transfer none): the least and the greatest exponent of normal numbers, both i8: (-13, 16), (-125, 128) or (-1021, 1024)
 */
DERIVED1 (float_range,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("float_range", "a float", a);
  gint64 bias = format_of (a).bias;
  return acc_expr_tuple2 (acc_expr_new_typed_int (acc_index_type (1), 2 - bias), acc_expr_new_typed_int (acc_index_type (1), bias + 1));
)

/**
 * acc_expr_is_negative_zero:
 * @a: a float
 *
 * Tells whether a float is negative zero.
 *
 * An operand of another type gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = -0.0
 * AccExpr *result = acc_expr_is_negative_zero (a); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true for -0
 */
DERIVED1 (is_negative_zero,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("is_negative_zero", "a float", a);
  Format f = format_of (a);
  return acc_expr_eq (acc_expr_bitcast (a, f.bits), sign_mask (f));
)

/**
 * acc_expr_is_denormalized:
 * @a: a float
 *
 * Tells whether a float is subnormal: not zero, and below the least normal number.
 *
 * An operand of another type gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 1e-310
 * AccExpr *result = acc_expr_is_denormalized (a); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true where it is subnormal
 */
DERIVED1 (is_denormalized,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("is_denormalized", "a float", a);
  Format f = format_of (a);
  g_autoptr(AccExpr) bits = acc_expr_ref_sink (magnitude_bits (a, f));
  return acc_expr_band (acc_expr_gt (bits, INT (0)), acc_expr_lt (bits, INT ((gint64) 1 << f.mantissa)));
)

/**
 * acc_expr_decode_float:
 * @a: a float
 *
 * Splits a float into an integer mantissa m and an exponent e with @a = m · 2^e.
 *
 * |m| fills all the bits of the format's precision, for subnormal numbers, too; zero gives (0, 0). The bits of infinity and NaN are
 * taken as they stand. An operand of another type gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 1.0 of f4
 * AccExpr *result = acc_expr_decode_float (a); // → (8388608, -23)
 * ```
 *
 * Returns: (transfer none): a pair of i8: mantissa and exponent
 */
DERIVED1 (decode_float,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("decode_float", "a float", a);
  Format f = format_of (a);
  gint64 hidden = (gint64) 1 << f.mantissa;
  g_autoptr(AccExpr) bits = acc_expr_ref_sink (magnitude_bits (a, f));
  g_autoptr(AccExpr) stored = acc_expr_ref_sink (acc_expr_band (bits, INT (hidden - 1)));
  g_autoptr(AccExpr) field = acc_expr_ref_sink (acc_expr_shr (bits, INT (f.mantissa)));
  g_autoptr(AccExpr) subnormal = acc_expr_ref_sink (acc_expr_eq (field, INT (0)));
  g_autoptr(AccExpr) shift = acc_expr_ref_sink (acc_expr_sub (acc_expr_clz (stored), INT (63 - f.mantissa)));
  AccExpr *m = acc_expr_cond (subnormal, acc_expr_shl (stored, shift), acc_expr_bor (stored, INT (hidden)));
  AccExpr *e = acc_expr_sub (acc_expr_cond (subnormal, acc_expr_sub (INT (1), shift), field), INT (f.bias + f.mantissa));
  g_autoptr(AccExpr) mantissa = acc_expr_ref_sink (m);
  AccExpr *negative = acc_expr_ne (acc_expr_band (acc_expr_bitcast (a, f.bits), sign_mask (f)), INT (0));
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
 * An operand of another type gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 12.0
 * AccExpr *result = acc_expr_exponent (a); // → 4
 * ```
 *
 * Returns: (transfer none): the exponent, an i8; 0 for zero
 */
DERIVED1 (exponent,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("exponent", "a float", a);
  Format f = format_of (a);
  g_autoptr(AccExpr) decoded = acc_expr_ref_sink (acc_expr_decode_float (a));
  AccExpr *e = acc_expr_item (decoded, 1);
  return acc_expr_cond (acc_expr_eq (a, INT (0)), INT (0), acc_expr_add (e, INT (f.mantissa + 1)));
)

/* 2^n for n in the range of normal numbers */
static AccExpr *
power_of_two (AccExpr        *n,
              Format          f,
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
  Format f = format_of (a);
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
  Format f = { acc_element_type_new (ACC_KIND_U32), 23, 127 };
  return acc_expr_cast (acc_expr_mul (acc_expr_cast (a, f32), power_of_two (bounded, f, f32)), a->type);
}

/**
 * acc_expr_scale_float:
 * @k: an integer: the exponent
 * @a: a float
 *
 * Multiplies a float by a power of two: @a · 2^@k.
 *
 * The product is rounded once, to infinity, subnormal numbers and zero, too; zero, infinity and NaN stay. Operands of other types give
 * an expression with %ACC_ERROR_TYPE.
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
 * An operand of another type gives an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 12.0
 * AccExpr *result = acc_expr_significand (a); // → 0.75
 * ```
 *
 * Returns: (transfer none): the significand, of the type of @a; zero stays
 */
DERIVED1 (significand,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("significand", "a float", a);
  return acc_expr_scale_float (acc_expr_neg (acc_expr_exponent (a)), a);
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
 * It gives back the number that acc_expr_decode_float() took apart. For other float types cast the result. Operands of other types
 * give an expression with %ACC_ERROR_TYPE.
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

/* --- remainders, exact: what is subtracted is the divisor times a power of two and a quotient of so few bits that its products
 * with either half of the divisor, and both differences, fit the format */

static guint
bits_of_quotient (Format f)
{
  return (guint) (f.mantissa - 1) / 2;
}

/* @r less the multiple of @b that @whole makes of the quotient, for |r| below b · 2^bits and, but for multiples of 0 and 1, not below b. */
static AccExpr *
subtract_multiple (AccExpr *r,
                   AccExpr *b,
                   AccExpr *(*whole) (AccExpr *))
{
  Format f = format_of (b);
  guint64 low_bits = ((guint64) 1 << bits_of_quotient (f)) - 1;
  AccExpr *high_bits = acc_expr_band (acc_expr_bitcast (b, f.bits), acc_expr_bnot (acc_expr_new_typed_uint (f.bits, low_bits)));
  g_autoptr(AccExpr) high = acc_expr_ref_sink (acc_expr_bitcast (high_bits, b->type));
  g_autoptr(AccExpr) q = acc_expr_ref_sink (whole (acc_expr_fdiv (r, b)));

  return acc_expr_sub (acc_expr_sub (r, acc_expr_mul (q, high)), acc_expr_mul (q, acc_expr_sub (b, high)));
}

/* A state is a remainder; beyond what one step takes, multiples of @data times a power of two go first: none that is larger than the
 * remainder, which may be the largest number. */
static AccExpr *
come_nearer (AccExpr *r,
             gpointer data)
{
  AccExpr *b = data;
  guint n = bits_of_quotient (format_of (b));
  AccExpr *limit = acc_expr_mul (b, acc_expr_new_typed_float (b->type, (double) ((guint64) 1 << n)));
  AccExpr *apart = acc_expr_sub (acc_expr_exponent (r), acc_expr_exponent (b));
  g_autoptr(AccExpr) scaled = acc_expr_ref_sink (acc_expr_scale_float (acc_expr_sub (apart, INT (n - 1)), b));

  return acc_expr_tuple2 (acc_expr_ge (acc_expr_abs (r), limit), subtract_multiple (r, scaled, acc_expr_truncate));
}

/* The magnitude of the remainder that has the sign of @b. */
static AccExpr *
floored_magnitude (AccExpr *a,
                   AccExpr *b)
{
  Format f = format_of (a);
  AccExpr *infinity = acc_expr_new_typed_float (a->type, INFINITY), *one = acc_expr_new_typed_int (a->type, 1);
  g_autoptr(AccExpr) p = acc_expr_ref_sink (acc_expr_abs (a)), q = acc_expr_ref_sink (acc_expr_abs (b));
  g_autoptr(AccExpr) finite = acc_expr_ref_sink (acc_expr_lt (p, infinity));
  AccExpr *usual_divisor = acc_expr_band (acc_expr_gt (q, acc_expr_new_typed_int (a->type, 0)), acc_expr_lt (q, infinity));
  g_autoptr(AccExpr) usual = acc_expr_ref_sink (acc_expr_band (finite, usual_divisor));
  g_autoptr(AccExpr) dividend = acc_expr_ref_sink (acc_expr_cond (usual, p, acc_expr_new_typed_int (a->type, 0)));
  g_autoptr(AccExpr) divisor = acc_expr_ref_sink (acc_expr_cond (usual, q, one));
  g_autoptr(AccExpr) near = acc_expr_ref_sink (acc_expr_while (dividend, come_nearer, divisor));
  /* Below b; of an infinite divisor the dividend. */
  AccExpr *other = acc_expr_cond (acc_expr_band (finite, acc_expr_eq (q, infinity)), p, acc_expr_new_typed_float (a->type, NAN));
  AccExpr *rest = acc_expr_cond (usual, subtract_multiple (near, divisor, acc_expr_truncate), other);
  AccExpr *signs = acc_expr_band (acc_expr_bxor (acc_expr_bitcast (a, f.bits), acc_expr_bitcast (b, f.bits)), sign_mask (f));
  /* Where signs differ, what is left of the negative. */
  AccExpr *turned = acc_expr_bitcast (acc_expr_bxor (acc_expr_bitcast (rest, f.bits), signs), a->type);
  g_autoptr(AccExpr) r = acc_expr_ref_sink (turned);

  return acc_expr_abs (acc_expr_cond (acc_expr_lt (r, acc_expr_new_typed_int (a->type, 0)), acc_expr_add (r, q), r));
}

/* In f4 for f2: a difference of two f2, rounded to f4, rounds to the same f2. */
static AccExpr *
floored_remainder (AccExpr *a,
                   AccExpr *b)
{
  AccElementType *wide = acc_element_type_new (ACC_KIND_F32);

  if (acc_element_type_get_kind (a->type) != ACC_KIND_F16)
    return acc_expr_copy_sign (floored_magnitude (a, b), b);

  g_autoptr(AccExpr) p = acc_expr_ref_sink (acc_expr_cast (a, wide)), q = acc_expr_ref_sink (acc_expr_cast (b, wide));
  return acc_expr_copy_sign (acc_expr_cast (floored_magnitude (p, q), a->type), b);
}

/* The quotient may have been rounded up to an integer: then nearly all of the divisor remains. Beyond what holds every integer it
 * stays as it was rounded. */
static AccExpr *
floored_quotient (AccExpr *a,
                  AccExpr *b,
                  AccExpr *rest)
{
  g_autoptr(AccExpr) quotient = acc_expr_ref_sink (acc_expr_fdiv (a, b));
  g_autoptr(AccExpr) below = acc_expr_ref_sink (acc_expr_floor (quotient));
  g_autoptr(AccExpr) r = acc_expr_ref_sink (acc_expr_abs (rest)), q = acc_expr_ref_sink (acc_expr_abs (b));
  AccExpr *most = acc_expr_bor (acc_expr_gt (acc_expr_add (r, r), q), acc_expr_eq (r, q));
  AccExpr *limit = acc_expr_new_typed_float (a->type, (double) ((guint64) 1 << (format_of (a).mantissa + 1)));
  AccExpr *whole = acc_expr_band (acc_expr_eq (below, quotient), acc_expr_le (acc_expr_abs (below), limit));
  AccExpr *next = acc_expr_sub (below, acc_expr_new_typed_int (a->type, 1));
  AccExpr *finite = acc_expr_cond (acc_expr_band (most, whole), next, below);

  return acc_expr_cond (acc_expr_is_inf (a), acc_expr_new_typed_float (a->type, NAN), finite);
}

/**
 * acc_expr_div_float:
 * @a: a float
 * @b: a float of the same type
 *
 * Divides two floats and rounds the quotient down.
 *
 * The quotient is exact below 2^11, 2^24 or 2^53, by format, and within one unit in the last place beyond. Division by zero gives what
 * acc_expr_fdiv() gives; an infinite dividend gives NaN; an infinite divisor gives 0, or -1 where the signs differ. Operands of other
 * types, or of two different types, give an expression with %ACC_ERROR_TYPE. Takes as long as acc_expr_mod_float().
 *
 * ```c
 * // a = -7.5, b = 2.0
 * AccExpr *result = acc_expr_div_float (a, b); // → -4
 * ```
 *
 * Returns: (transfer none): the quotient, of the type of @a
 */
DERIVED2 (div_float, TRUE,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("div_float", "floats", a);
  g_autoptr(AccExpr) rest = acc_expr_ref_sink (floored_remainder (a, b));
  return floored_quotient (a, b, rest);
)

/**
 * acc_expr_mod_float:
 * @a: a float
 * @b: a float of the same type
 *
 * Computes the remainder of two floats with the sign of the divisor.
 *
 * The quotient is rounded down: the remainder is that of C's `fmod`, which is exact, plus @b, rounded once, where it does not have the
 * sign of @b. Zero has the sign of @b, too. The remainder is NaN where @a is infinite or @b is 0. Operands of other types, or of two
 * different types, give an expression with %ACC_ERROR_TYPE. Time grows with the logarithm of the quotient.
 *
 * ```c
 * // a = -7.5, b = 2.0
 * AccExpr *result = acc_expr_mod_float (a, b); // → 0.5
 * ```
 *
 * Returns: (transfer none): the remainder, of the type of @a, with the sign of @b
 */
DERIVED2 (mod_float, TRUE,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("mod_float", "floats", a);
  return floored_remainder (a, b);
)

/**
 * acc_expr_div_mod_float:
 * @a: a float
 * @b: one of the same type
 *
 * Computes acc_expr_div_float() and acc_expr_mod_float() at once: (-4, 0.5) for -7.5 and 2.
 *
 * Operands other than two floats of one type give an expression with %ACC_ERROR_TYPE. Takes as long as acc_expr_mod_float().
 *
 * ```c
 * // a = -7.5, b = 2.0
 * AccExpr *result = acc_expr_div_mod_float (a, b); // → (-4, 0.5)
 * ```
 *
 * Returns: (transfer none): a pair of the type of @a: quotient and remainder
 */
DERIVED2 (div_mod_float, TRUE,
  if (!_acc_expr_is_float (a))
    return _acc_expr_needs ("div_mod_float", "floats", a);
  g_autoptr(AccExpr) rest = acc_expr_ref_sink (floored_remainder (a, b));
  return acc_expr_tuple2 (floored_quotient (a, b, rest), rest);
)
