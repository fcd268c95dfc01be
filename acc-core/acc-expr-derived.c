/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scalar functions made of primitives: the same on every backend. */

#include "acc-error.h"
#include "acc-expr-build-private.h"

#define INT(value) acc_expr_new_int (value)

/* Calls @build with owned operands that have types, and drops them. @n <= 3. */
typedef AccExpr *(*Build) (AccExpr **args);

static AccExpr *
derive (const char *name,
        AccExpr   **operands,
        guint       n,
        gboolean    alike,
        Build       build)
{
  AccExpr *args[3] = { NULL };

  for (guint i = 0; i < n; i++)
    args[i] = operands[i];

  AccExpr *error = _acc_expr_adopt (args, n);
  if (error != NULL)
    return error;

  for (guint i = 0; i < n; i++)
    {
      AccElementType *type = alike && n == 2 && args[i]->weak && !args[1 - i]->weak ? args[1 - i]->type : NULL;
      if (!_acc_expr_settle_slot (&args[i], type))
        return _acc_expr_fail (args[i], args, n);
    }

  AccExpr *result;
  if (alike && n == 2 && args[0]->type != args[1]->type)
    result = acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s: %s and %s differ; convert one with cast", name,
                                         acc_element_type_get_code (args[0]->type), acc_element_type_get_code (args[1]->type));
  else
    result = build (args);
  _acc_expr_drop (args, n);
  return result;
}

#define DERIVED1(name, ...) \
  static AccExpr *build_##name (AccExpr **args) { AccExpr *a = args[0]; (void) a; __VA_ARGS__ } \
  AccExpr *acc_expr_##name (AccExpr *a) { return derive (#name, (AccExpr *[]) { a }, 1, FALSE, build_##name); }
#define DERIVED2(name, alike, ...) \
  static AccExpr *build_##name (AccExpr **args) { AccExpr *a = args[0], *b = args[1]; (void) a; (void) b; __VA_ARGS__ } \
  AccExpr *acc_expr_##name (AccExpr *a, AccExpr *b) { return derive (#name, (AccExpr *[]) { a, b }, 2, alike, build_##name); }

static AccExpr *
one_of (AccExpr *like)
{
  return acc_expr_new_typed_int (like->type, 1);
}

static AccExpr *
zero_of (AccExpr *like)
{
  return acc_expr_new_typed_int (like->type, 0);
}

static gboolean
is_kind (AccExpr  *expr,
         gboolean (*test) (AccElementKind kind))
{
  return !acc_element_type_is_tuple (expr->type) && test (acc_element_type_get_kind (expr->type));
}

static AccExpr *
needs (const char *name,
       const char *what,
       AccExpr    *given)
{
  return acc_expr_new_error_literal (ACC_ERROR_TYPE, "%s takes %s, not %s", name, what, acc_element_type_get_code (given->type));
}

/* --- logic */

/**
 * acc_expr_land:
 * @a: a b1
 * @b: a b1
 *
 * Both; both sides are evaluated. See also acc_expr_and_then().
 *
 * Returns: (transfer none): a b1
 */
DERIVED2 (land, TRUE,
  if (acc_element_type_get_kind (a->type) != ACC_KIND_BOOL)
    return needs ("land", "b1", a);
  return acc_expr_band (a, b);
)

/**
 * acc_expr_lor:
 * @a: a b1
 * @b: a b1
 *
 * Either; both sides are evaluated. See also acc_expr_or_else().
 *
 * Returns: (transfer none): a b1
 */
DERIVED2 (lor, TRUE,
  if (acc_element_type_get_kind (a->type) != ACC_KIND_BOOL)
    return needs ("lor", "b1", a);
  return acc_expr_bor (a, b);
)

/**
 * acc_expr_lnot:
 * @a: a b1
 *
 * Returns: (transfer none): whether @a does not hold
 */
DERIVED1 (lnot,
  if (acc_element_type_get_kind (a->type) != ACC_KIND_BOOL)
    return needs ("lnot", "b1", a);
  return acc_expr_bnot (a);
)

/* --- integers */

/**
 * acc_expr_succ:
 * @a: a number
 *
 * Returns: (transfer none): @a + 1; integers wrap
 */
DERIVED1 (succ, return acc_expr_add (a, INT (1)); )

/**
 * acc_expr_pred:
 * @a: a number
 *
 * Returns: (transfer none): @a - 1; integers wrap
 */
DERIVED1 (pred, return acc_expr_sub (a, INT (1)); )

/**
 * acc_expr_even:
 * @a: an integer
 *
 * Returns: (transfer none): whether it is even, a b1
 */
DERIVED1 (even, return acc_expr_eq (acc_expr_band (a, INT (1)), INT (0)); )

/**
 * acc_expr_odd:
 * @a: an integer
 *
 * Returns: (transfer none): whether it is odd, a b1
 */
DERIVED1 (odd, return acc_expr_ne (acc_expr_band (a, INT (1)), INT (0)); )

static AccExpr *
euclid (AccExpr *state,
        gpointer data)
{
  g_autoptr (AccExpr) x = acc_expr_ref_sink (acc_expr_item (state, 0));
  g_autoptr (AccExpr) y = acc_expr_ref_sink (acc_expr_item (state, 1));

  return acc_expr_tuple2 (acc_expr_ne (y, INT (0)), acc_expr_tuple2 (y, acc_expr_rem (x, y)));
}

/**
 * acc_expr_gcd:
 * @a: an integer
 * @b: an integer
 *
 * The greatest common divisor, not negative; 0 of 0 and 0. Wraps where it is the magnitude of the least integer. By
 * Euclid's algorithm, O(log min (a, b)) steps.
 *
 * Returns: (transfer none): the divisor
 */
DERIVED2 (gcd, TRUE,
  if (!is_kind (a, acc_element_kind_is_integer))
    return needs ("gcd", "integers", a);
  return acc_expr_item (acc_expr_while (acc_expr_tuple2 (acc_expr_abs (a), acc_expr_abs (b)), euclid, NULL), 0);
)

/**
 * acc_expr_lcm:
 * @a: an integer
 * @b: an integer
 *
 * The least common multiple, not negative; 0 where one is 0.
 *
 * Returns: (transfer none): the multiple; wraps
 */
DERIVED2 (lcm, TRUE,
  if (!is_kind (a, acc_element_kind_is_integer))
    return needs ("lcm", "integers", a);
  AccExpr *none = acc_expr_bor (acc_expr_eq (a, INT (0)), acc_expr_eq (b, INT (0)));
  return acc_expr_cond (none, zero_of (a), acc_expr_abs (acc_expr_mul (acc_expr_quot (a, acc_expr_gcd (a, b)), b)));
)

/* (result, base, exponent) */
static AccExpr *
square_and_multiply (AccExpr *state,
                     gpointer data)
{
  g_autoptr (AccExpr) result = acc_expr_ref_sink (acc_expr_item (state, 0));
  g_autoptr (AccExpr) base = acc_expr_ref_sink (acc_expr_item (state, 1));
  g_autoptr (AccExpr) k = acc_expr_ref_sink (acc_expr_item (state, 2));
  AccExpr *next = acc_expr_cond (acc_expr_odd (k), acc_expr_mul (result, base), result);

  return acc_expr_tuple2 (acc_expr_gt (k, INT (0)),
                          acc_expr_tuple3 (next, acc_expr_mul (base, base), acc_expr_shr (k, INT (1))));
}

/**
 * acc_expr_int_pow:
 * @a: a number
 * @b: an integer
 *
 * @a to the power of an integer, by squaring, O(log b) steps. Integers wrap. With a negative exponent: of floats the
 * reciprocal, of integers 1 for 1, ±1 for -1, and 0 otherwise.
 *
 * Returns: (transfer none): the power
 */
DERIVED2 (int_pow, FALSE,
  if (!is_kind (b, acc_element_kind_is_integer))
    return needs ("int_pow", "an integer exponent", b);
  if (!is_kind (a, acc_element_kind_is_integer) && !is_kind (a, acc_element_kind_is_float))
    return needs ("int_pow", "a number", a);
  gboolean is_float = is_kind (a, acc_element_kind_is_float);
  gboolean is_signed = acc_element_kind_is_signed (acc_element_type_get_kind (b->type));
  g_autoptr (AccExpr) k = is_signed && is_float ? acc_expr_ref_sink (acc_expr_abs (acc_expr_cast (b, acc_index_type (1)))) : acc_expr_ref (b);
  g_autoptr (AccExpr) power = acc_expr_ref_sink (acc_expr_item (acc_expr_while (acc_expr_tuple3 (one_of (a), a, k), square_and_multiply, NULL), 0));
  if (is_float && is_signed)
    return acc_expr_cond (acc_expr_lt (b, INT (0)), acc_expr_recip (power), power);
  if (!is_signed)
    return _acc_expr_float (acc_expr_ref (power), &power);
  AccExpr *minus_one = acc_element_kind_is_signed (acc_element_type_get_kind (a->type))
    ? acc_expr_cond (acc_expr_eq (a, INT (-1)), acc_expr_cond (acc_expr_odd (b), acc_expr_neg (one_of (a)), one_of (a)), zero_of (a))
    : zero_of (a);
  return acc_expr_cond (acc_expr_lt (b, INT (0)), acc_expr_cond (acc_expr_eq (a, INT (1)), one_of (a), minus_one), power);
)

static AccExpr *
bit_at (AccExpr *like,
        AccExpr *position)
{
  return acc_expr_shl (one_of (like), position);
}

/**
 * acc_expr_test_bit:
 * @a: an integer
 * @b: a position, 0 for the lowest
 *
 * Returns: (transfer none): whether the bit is set, a b1
 */
DERIVED2 (test_bit, FALSE, return acc_expr_ne (acc_expr_band (a, bit_at (a, b)), INT (0)); )

/**
 * acc_expr_set_bit:
 * @a: an integer
 * @b: a position, 0 for the lowest
 *
 * Returns: (transfer none): @a with the bit set
 */
DERIVED2 (set_bit, FALSE, return acc_expr_bor (a, bit_at (a, b)); )

/**
 * acc_expr_clear_bit:
 * @a: an integer
 * @b: a position, 0 for the lowest
 *
 * Returns: (transfer none): @a without the bit
 */
DERIVED2 (clear_bit, FALSE, return acc_expr_band (a, acc_expr_bnot (bit_at (a, b))); )

/**
 * acc_expr_complement_bit:
 * @a: an integer
 * @b: a position, 0 for the lowest
 *
 * Returns: (transfer none): @a with the bit changed
 */
DERIVED2 (complement_bit, FALSE, return acc_expr_bxor (a, bit_at (a, b)); )

/**
 * acc_expr_compare:
 * @a: a scalar or a tuple
 * @b: one of the same type
 *
 * Returns: (transfer none): -1, 0 or 1 as @a is less than, equal to or greater than @b, an i1; 0 where neither
 */
DERIVED2 (compare, TRUE,
  AccElementType *i1 = acc_element_type_new (ACC_KIND_I8);
  return acc_expr_cond (acc_expr_lt (a, b), acc_expr_new_typed_int (i1, -1),
                        acc_expr_cond (acc_expr_gt (a, b), acc_expr_new_typed_int (i1, 1), acc_expr_new_typed_int (i1, 0)));
)

/* --- floats */

/**
 * acc_expr_div_float:
 * @a: a float
 * @b: a float
 *
 * Returns: (transfer none): the quotient rounded down
 */
DERIVED2 (div_float, TRUE, return acc_expr_floor (acc_expr_fdiv (a, b)); )

/**
 * acc_expr_mod_float:
 * @a: a float
 * @b: a float
 *
 * Returns: (transfer none): @a less @b times acc_expr_div_float(): the remainder with the sign of @b
 */
DERIVED2 (mod_float, TRUE, return acc_expr_sub (a, acc_expr_mul (acc_expr_floor (acc_expr_fdiv (a, b)), b)); )

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
 * @b: a float
 *
 * Returns: (transfer none): the magnitude of @a with the sign of @b
 */
DERIVED2 (copy_sign, TRUE,
  if (!is_kind (a, acc_element_kind_is_float))
    return needs ("copy_sign", "floats", a);
  Format f = format_of (a);
  AccExpr *sign = acc_expr_band (acc_expr_bitcast (b, f.bits), sign_mask (f));
  return acc_expr_bitcast (acc_expr_bor (acc_expr_band (acc_expr_bitcast (a, f.bits), acc_expr_bnot (sign_mask (f))), sign), a->type);
)

/**
 * acc_expr_is_negative_zero:
 * @a: a float
 *
 * Returns: (transfer none): whether it is -0, a b1
 */
DERIVED1 (is_negative_zero,
  if (!is_kind (a, acc_element_kind_is_float))
    return needs ("is_negative_zero", "a float", a);
  Format f = format_of (a);
  return acc_expr_eq (acc_expr_bitcast (a, f.bits), sign_mask (f));
)

/**
 * acc_expr_is_denormalized:
 * @a: a float
 *
 * Returns: (transfer none): whether it is subnormal (not zero, below the least normal number), a b1
 */
DERIVED1 (is_denormalized,
  if (!is_kind (a, acc_element_kind_is_float))
    return needs ("is_denormalized", "a float", a);
  Format f = format_of (a);
  g_autoptr (AccExpr) bits = acc_expr_ref_sink (magnitude_bits (a, f));
  return acc_expr_band (acc_expr_gt (bits, INT (0)), acc_expr_lt (bits, INT ((gint64) 1 << f.mantissa)));
)

/**
 * acc_expr_decode_float:
 * @a: a float
 *
 * Mantissa m and exponent e with @a = m · 2^e and |m| filling all the bits of the format's precision, also for subnormal
 * numbers; (0, 0) for zero. Of infinity and NaN the bits are taken as they stand.
 *
 * Returns: (transfer none): (m, e), both i8
 */
DERIVED1 (decode_float,
  if (!is_kind (a, acc_element_kind_is_float))
    return needs ("decode_float", "a float", a);
  Format f = format_of (a);
  gint64 hidden = (gint64) 1 << f.mantissa;
  g_autoptr (AccExpr) bits = acc_expr_ref_sink (magnitude_bits (a, f));
  g_autoptr (AccExpr) stored = acc_expr_ref_sink (acc_expr_band (bits, INT (hidden - 1)));
  g_autoptr (AccExpr) field = acc_expr_ref_sink (acc_expr_shr (bits, INT (f.mantissa)));
  g_autoptr (AccExpr) subnormal = acc_expr_ref_sink (acc_expr_eq (field, INT (0)));
  g_autoptr (AccExpr) shift = acc_expr_ref_sink (acc_expr_sub (acc_expr_clz (stored), INT (63 - f.mantissa)));
  AccExpr *m = acc_expr_cond (subnormal, acc_expr_shl (stored, shift), acc_expr_bor (stored, INT (hidden)));
  AccExpr *e = acc_expr_sub (acc_expr_cond (subnormal, acc_expr_sub (INT (1), shift), field), INT (f.bias + f.mantissa));
  g_autoptr (AccExpr) mantissa = acc_expr_ref_sink (m);
  AccExpr *negative = acc_expr_ne (acc_expr_band (acc_expr_bitcast (a, f.bits), sign_mask (f)), INT (0));
  g_autoptr (AccExpr) zero = acc_expr_ref_sink (acc_expr_eq (bits, INT (0)));
  return acc_expr_tuple2 (acc_expr_cond (zero, INT (0), acc_expr_cond (negative, acc_expr_neg (mantissa), mantissa)),
                          acc_expr_cond (zero, INT (0), e));
)

/**
 * acc_expr_exponent:
 * @a: a float
 *
 * Returns: (transfer none): the least n with |@a| < 2^n, an i8; 0 for zero
 */
DERIVED1 (exponent,
  if (!is_kind (a, acc_element_kind_is_float))
    return needs ("exponent", "a float", a);
  Format f = format_of (a);
  AccExpr *e = acc_expr_item (acc_expr_decode_float (a), 1);
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

/* Scales in steps that stay exact until the last: up by 2^bias, down by a power that leaves room for the last rounding. */
static AccExpr *
build_scale_float (AccExpr **args)
{
  AccExpr *k = args[0], *a = args[1];

  if (!is_kind (k, acc_element_kind_is_integer))
    return needs ("scale_float", "an integer exponent", k);
  if (!is_kind (a, acc_element_kind_is_float))
    return needs ("scale_float", "a float", a);

  Format f = format_of (a);
  gint64 down = f.bias - 1 - f.mantissa - 1;
  g_autoptr (AccExpr) up_power = acc_expr_ref_sink (power_of_two (INT (f.bias), f, a->type));
  g_autoptr (AccExpr) down_power = acc_expr_ref_sink (power_of_two (INT (-down), f, a->type));
  g_autoptr (AccExpr) n = acc_expr_ref_sink (acc_expr_cast (k, acc_index_type (1)));
  g_autoptr (AccExpr) y = acc_expr_ref (a);
  guint steps = 2 * (f.bias + f.mantissa) / MAX (down, 1) + 1;

  for (guint i = 0; i < MAX (steps, 3); i++)
    {
      g_autoptr (AccExpr) over = acc_expr_ref_sink (acc_expr_gt (n, INT (f.bias)));
      g_autoptr (AccExpr) under = acc_expr_ref_sink (acc_expr_lt (n, INT (1 - f.bias)));
      AccExpr *y2 = acc_expr_cond (over, acc_expr_mul (y, up_power), acc_expr_cond (under, acc_expr_mul (y, down_power), y));
      AccExpr *n2 = acc_expr_cond (over, acc_expr_sub (n, INT (f.bias)), acc_expr_cond (under, acc_expr_add (n, INT (down)), n));

      acc_expr_ref_sink (y2);
      acc_expr_ref_sink (n2);
      acc_expr_unref (y);
      acc_expr_unref (n);
      y = y2;
      n = n2;
    }

  AccExpr *last = acc_expr_max (acc_expr_min (n, INT (f.bias)), INT (1 - f.bias));
  return acc_expr_mul (y, power_of_two (last, f, a->type));
}

/**
 * acc_expr_scale_float:
 * @k: an integer
 * @a: a float
 *
 * @a · 2^k, rounded once; zero, infinity and NaN stay.
 *
 * Returns: (transfer none): the product
 */
AccExpr *
acc_expr_scale_float (AccExpr *k,
                      AccExpr *a)
{
  return derive ("scale_float", (AccExpr *[]) { k, a }, 2, FALSE, build_scale_float);
}

/**
 * acc_expr_significand:
 * @a: a float
 *
 * Returns: (transfer none): @a scaled by a power of two so that its magnitude is in [0.5, 1); zero stays
 */
DERIVED1 (significand,
  if (!is_kind (a, acc_element_kind_is_float))
    return needs ("significand", "a float", a);
  return acc_expr_scale_float (acc_expr_neg (acc_expr_exponent (a)), a);
)

static AccExpr *
build_encode_float (AccExpr **args)
{
  return acc_expr_scale_float (args[1], acc_expr_cast (args[0], acc_element_type_new (ACC_KIND_F64)));
}

/**
 * acc_expr_encode_float:
 * @mantissa: an integer
 * @exponent: an integer
 *
 * @mantissa · 2^@exponent.
 *
 * Returns: (transfer none): an f8
 */
AccExpr *
acc_expr_encode_float (AccExpr *mantissa,
                       AccExpr *exponent)
{
  return derive ("encode_float", (AccExpr *[]) { mantissa, exponent }, 2, FALSE, build_encode_float);
}

/* --- indices */

static guint
rank_of (AccExpr *index)
{
  return acc_element_type_is_tuple (index->type) ? acc_element_type_get_n_items (index->type) : 1;
}

/**
 * acc_expr_to_linear:
 * @shape: extents, an index
 * @index: an index of the same rank
 *
 * Returns: (transfer none): the row-major position, an i8
 */
DERIVED2 (to_linear, TRUE,
  AccExpr *sum = INT (0);
  for (guint d = 0; d < rank_of (a); d++)
    sum = acc_expr_add (acc_expr_mul (sum, acc_expr_item (a, d)), acc_expr_item (b, d));
  return acc_expr_cast (sum, acc_index_type (1));
)

/**
 * acc_expr_from_linear:
 * @shape: extents, an index
 * @index: a row-major position
 *
 * The outermost item is not reduced: a position beyond the end gives an index out of range.
 *
 * Returns: (transfer none): the index
 */
DERIVED2 (from_linear, FALSE,
  guint rank = rank_of (a);
  if (rank <= 1)
    return rank == 1 ? acc_expr_cast (b, acc_index_type (1)) : acc_expr_tuple (NULL, 0);
  g_autofree AccExpr **items = g_new (AccExpr *, rank);
  g_autoptr (AccExpr) rest = acc_expr_ref (b);
  for (guint d = rank; d-- > 1;)
    {
      g_autoptr (AccExpr) before = g_steal_pointer (&rest);
      items[d] = acc_expr_rem (before, acc_expr_item (a, d));
      rest = acc_expr_ref_sink (acc_expr_quot (before, acc_expr_item (a, d)));
    }
  items[0] = rest;
  return acc_expr_tuple (items, rank);
)
