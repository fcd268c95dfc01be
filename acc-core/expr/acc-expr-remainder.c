/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Remainders of floats, exact: what is subtracted is the divisor times a power of two and a quotient of so few bits that its products with
 * either half of the divisor, and both differences, fit the format. */

#include "acc-expr-derive-private.h"

#include <math.h>

static guint
bits_of_quotient (AccFloatFormat f)
{
  return (guint) (f.mantissa - 1) / 2;
}

/* @r less the multiple of @b that @whole makes of the quotient, for |r| below b · 2^bits and, but for multiples of 0 and 1, not below b. */
static AccExpr *
subtract_multiple (AccExpr *r,
                   AccExpr *b,
                   AccExpr *(*whole) (AccExpr *))
{
  AccFloatFormat f = _acc_float_get_format (b);
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
  guint n = bits_of_quotient (_acc_float_get_format (b));
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
  AccFloatFormat f = _acc_float_get_format (a);
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
  AccExpr *signs = acc_expr_band (acc_expr_bxor (acc_expr_bitcast (a, f.bits), acc_expr_bitcast (b, f.bits)), _acc_float_sign_mask (f));
  /* Where signs differ the remainder becomes negative, and the divisor is added to it. */
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
  AccExpr *limit = acc_expr_new_typed_float (a->type, (double) ((guint64) 1 << (_acc_float_get_format (a).mantissa + 1)));
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
DERIVED2_OF (_acc_expr_is_float, "floats", div_float,
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
 * The quotient is rounded down: the remainder is that of C's `fmod`, which is exact, plus @b, rounded once, where it does not have the sign
 * of @b. Zero has the sign of @b, too. The remainder is NaN where @a is infinite or @b is 0. Time grows with the logarithm of the quotient.
 *
 * ```c
 * // a = -7.5, b = 2.0
 * AccExpr *result = acc_expr_mod_float (a, b); // → 0.5
 * ```
 *
 * Returns: (transfer none): the remainder, of the type of @a, with the sign of @b
 */
DERIVED2_OF (_acc_expr_is_float, "floats", mod_float,
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
DERIVED2_OF (_acc_expr_is_float, "floats", div_mod_float,
  g_autoptr(AccExpr) rest = acc_expr_ref_sink (floored_remainder (a, b));
  return acc_expr_tuple2 (floored_quotient (a, b, rest), rest);
)
