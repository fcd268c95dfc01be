/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>

/* Hand-worked cases of scalar expressions, sections 1.15 and 1.16 of the language. */

static AccArray *
map1 (AccArray *x, ConfUnary function)
{
  g_autoptr(AccArray) owned = x;

  return acc_array_map (x, conf_call1, function);
}

static AccArray *
map2 (AccArray *x, AccArray *y, ConfBinary function)
{
  g_autoptr(AccArray) a = x;
  g_autoptr(AccArray) b = y;

  return acc_array_zip_with (x, y, conf_call2, function);
}

/* --- integers */

static void
test_integers (void)
{
  CONF_EXPECT_INTS ("add/wraps", map2 (CONF_INTS1 ("i1", 127, -128, 100), CONF_INTS1 ("i1", 1, -1, 100), acc_expr_add), "[3]", -128, 127,
                    -56);
  CONF_EXPECT_INTS ("sub/wraps", map2 (CONF_INTS1 ("u2", 0, 5), CONF_INTS1 ("u2", 1, 7), acc_expr_sub), "[2]", 65535, 65534);
  CONF_EXPECT_INTS ("mul/wraps", map2 (CONF_INTS1 ("i4", 65536, -3), CONF_INTS1 ("i4", 65536, 5), acc_expr_mul), "[2]", 0, -15);
  CONF_EXPECT_INTS ("neg", map1 (CONF_INTS1 ("i1", -128, 5, 0), acc_expr_neg), "[3]", -128, -5, 0);
  CONF_EXPECT_INTS ("neg/unsigned", map1 (CONF_INTS1 ("u1", 1, 0, 255), acc_expr_neg), "[3]", 255, 0, 1);
  CONF_EXPECT_INTS ("abs", map1 (CONF_INTS1 ("i2", -32768, -5, 5), acc_expr_abs), "[3]", -32768, 5, 5);
  CONF_EXPECT_INTS ("signum", map1 (CONF_INTS1 ("i2", -32768, 0, 5), acc_expr_signum), "[3]", -1, 0, 1);
  CONF_EXPECT_INTS ("signum/unsigned", map1 (CONF_INTS1 ("u2", 0, 65535), acc_expr_signum), "[2]", 0, 1);
  CONF_EXPECT_INTS ("quot", map2 (CONF_INTS1 ("i8", 7, -7, 7, -7), CONF_INTS1 ("i8", 2, 2, -2, -2), acc_expr_quot), "[4]", 3, -3, -3, 3);
  CONF_EXPECT_INTS ("rem", map2 (CONF_INTS1 ("i8", 7, -7, 7, -7), CONF_INTS1 ("i8", 2, 2, -2, -2), acc_expr_rem), "[4]", 1, -1, 1, -1);
  CONF_EXPECT_INTS ("div", map2 (CONF_INTS1 ("i8", 7, -7, 7, -7), CONF_INTS1 ("i8", 2, 2, -2, -2), acc_expr_div), "[4]", 3, -4, -4, 3);
  CONF_EXPECT_INTS ("mod", map2 (CONF_INTS1 ("i8", 7, -7, 7, -7), CONF_INTS1 ("i8", 2, 2, -2, -2), acc_expr_mod), "[4]", 1, 1, -1, -1);
  CONF_EXPECT_INTS ("mod/exact", map2 (CONF_INTS1 ("i1", -8, 8, 0), CONF_INTS1 ("i1", 4, -4, -3), acc_expr_mod), "[3]", 0, 0, 0);
  CONF_EXPECT_INTS ("div/unsigned", map2 (CONF_INTS1 ("u1", 255, 200), CONF_INTS1 ("u1", 2, 255), acc_expr_div), "[2]", 127, 0);
}

static void
test_division_errors (void)
{
  AccArray *bad = map2 (CONF_INTS1 ("i4", 1, 2), CONF_INTS1 ("i4", 1, 0), acc_expr_quot);

  if (!conf_checks_are_on ())
    {
      gint64 m = G_MININT32;

      g_object_unref (bad);
      CONF_EXPECT_INTS ("quot/unchecked", map2 (CONF_INTS1 ("i4", 5, m), CONF_INTS1 ("i4", 0, -1), acc_expr_quot), "[2]", 0, m);
      CONF_EXPECT_INTS ("div/unchecked", map2 (CONF_INTS1 ("i4", 5, m), CONF_INTS1 ("i4", 0, -1), acc_expr_div), "[2]", 0, m);
      CONF_EXPECT_INTS ("rem/unchecked", map2 (CONF_INTS1 ("i4", 5), CONF_INTS1 ("i4", 0), acc_expr_rem), "[1]", 0);
      CONF_EXPECT_INTS ("rem/unchecked-minimum", map2 (CONF_INTS1 ("i4", m), CONF_INTS1 ("i4", -1), acc_expr_rem), "[1]", 0);
      CONF_EXPECT_INTS ("mod/unchecked", map2 (CONF_INTS1 ("u8", 5), CONF_INTS1 ("u8", 0), acc_expr_mod), "[1]", 0);
      return;
    }

  acc_array_set_label (bad, "ratio");
  CONF_EXPECT_ERROR ("quot/by-zero", bad, ACC_ERROR_ARITHMETIC, "zip_with", "ratio");
  CONF_EXPECT_ERROR ("rem/by-zero", map2 (CONF_INTS1 ("u1", 1), CONF_INTS1 ("u1", 0), acc_expr_rem), ACC_ERROR_ARITHMETIC, "zip_with");
  CONF_EXPECT_ERROR ("div/minimum", map2 (CONF_INTS1 ("i8", G_MININT64), CONF_INTS1 ("i8", -1), acc_expr_div), ACC_ERROR_ARITHMETIC,
                     "zip_with");
  CONF_EXPECT_INTS ("rem/minimum", map2 (CONF_INTS1 ("i1", -128), CONF_INTS1 ("i1", -1), acc_expr_rem), "[1]", 0);
  CONF_EXPECT_INTS ("mod/minimum", map2 (CONF_INTS1 ("i4", G_MININT32), CONF_INTS1 ("i4", -1), acc_expr_mod), "[1]", 0);
  CONF_EXPECT_ERROR ("mod/by-zero", map2 (CONF_INTS1 ("i2", 1), CONF_INTS1 ("i2", 0), acc_expr_mod), ACC_ERROR_ARITHMETIC, "zip_with");
}

static void
test_bits (void)
{
  CONF_EXPECT_INTS ("shl", map2 (CONF_INTS1 ("i1", 1, 1, 1, -1), CONF_INTS1 ("i8", 3, 7, 8, 4), acc_expr_shl), "[4]", 8, -128, 0, -16);
  CONF_EXPECT_INTS ("shl/negative", map2 (CONF_INTS1 ("i1", -8, 64, -1), CONF_INTS1 ("i8", -1, -100, G_MININT64), acc_expr_shl), "[3]", -4,
                    0, -1);
  CONF_EXPECT_INTS ("shr", map2 (CONF_INTS1 ("i4", -8, -8, 8, 8), CONF_INTS1 ("i8", 1, 40, 2, 32), acc_expr_shr), "[4]", -4, -1, 2, 0);
  CONF_EXPECT_INTS ("shr/unsigned", map2 (CONF_INTS1 ("u1", 128, 255, 255), CONF_INTS1 ("i8", 7, 8, -4), acc_expr_shr), "[3]", 1, 0, 240);
  CONF_EXPECT_INTS ("rotl", map2 (CONF_INTS1 ("u1", 129, 129, 129, 3), CONF_INTS1 ("i8", 1, 8, -1, 9), acc_expr_rotl), "[4]", 3, 129, 192,
                    6);
  CONF_EXPECT_INTS ("rotr", map2 (CONF_INTS1 ("i1", 1, 1, -127), CONF_INTS1 ("i8", 1, 0, -1), acc_expr_rotr), "[3]", -128, 1, 3);
  CONF_EXPECT_INTS ("popcount", map1 (CONF_INTS1 ("i1", -1, 0, 5), acc_expr_popcount), "[3]", 8, 0, 2);
  CONF_EXPECT_INTS ("clz", map1 (CONF_INTS1 ("u2", 0, 1, 65535, 255), acc_expr_clz), "[4]", 16, 15, 0, 8);
  CONF_EXPECT_INTS ("clz/signed", map1 (CONF_INTS1 ("i8", 0, -1, 1), acc_expr_clz), "[3]", 64, 0, 63);
  CONF_EXPECT_INTS ("ctz", map1 (CONF_INTS1 ("i4", 0, -8, 1), acc_expr_ctz), "[3]", 32, 3, 0);
  CONF_EXPECT_INTS ("and", map2 (CONF_INTS1 ("b1", 0, 1, 0, 1), CONF_INTS1 ("b1", 0, 0, 1, 1), acc_expr_band), "[4]", 0, 0, 0, 1);
  CONF_EXPECT_INTS ("xor", map2 (CONF_INTS1 ("b1", 0, 1, 0, 1), CONF_INTS1 ("b1", 0, 0, 1, 1), acc_expr_bxor), "[4]", 0, 1, 1, 0);
  CONF_EXPECT_INTS ("not", map1 (CONF_INTS1 ("b1", 0, 1), acc_expr_bnot), "[2]", 1, 0);
  CONF_EXPECT_INTS ("not/bits", map1 (CONF_INTS1 ("u1", 0, 0xa5), acc_expr_bnot), "[2]", 255, 0x5a);
  CONF_EXPECT_INTS ("test_bit", map2 (CONF_INTS1 ("u1", 4, 4), CONF_INTS1 ("i8", 2, 1), acc_expr_test_bit), "[2]", 1, 0);
  CONF_EXPECT_INTS ("set_bit", map2 (CONF_INTS1 ("i1", 0, 1), CONF_INTS1 ("i8", 7, 0), acc_expr_set_bit), "[2]", -128, 1);
  CONF_EXPECT_INTS ("clear_bit", map2 (CONF_INTS1 ("i1", -1, 1), CONF_INTS1 ("i8", 7, 0), acc_expr_clear_bit), "[2]", 127, 0);
  CONF_EXPECT_INTS ("complement_bit", map2 (CONF_INTS1 ("u1", 5, 5), CONF_INTS1 ("i8", 0, 1), acc_expr_complement_bit), "[2]", 4, 7);
}

static void
test_number_theory (void)
{
  CONF_EXPECT_INTS ("gcd", map2 (CONF_INTS1 ("i4", 12, -12, 0, 0), CONF_INTS1 ("i4", 18, 18, 5, 0), acc_expr_gcd), "[4]", 6, 6, 5, 0);
  CONF_EXPECT_INTS ("lcm", map2 (CONF_INTS1 ("i4", 4, 0, -4), CONF_INTS1 ("i4", 6, 3, 6), acc_expr_lcm), "[3]", 12, 0, 12);
  CONF_EXPECT_INTS ("int_pow", map2 (CONF_INTS1 ("i4", 3, 2, -2, 7), CONF_INTS1 ("i4", 4, 0, 3, 1), acc_expr_int_pow), "[4]", 81, 1, -8, 7);
  CONF_EXPECT_INTS ("succ", map1 (CONF_INTS1 ("u1", 255, 1), acc_expr_succ), "[2]", 0, 2);
  CONF_EXPECT_INTS ("pred", map1 (CONF_INTS1 ("i1", -128, 1), acc_expr_pred), "[2]", 127, 0);
  CONF_EXPECT_INTS ("even", map1 (CONF_INTS1 ("i1", -3, -2, 0, 7), acc_expr_even), "[4]", 0, 1, 1, 0);
  CONF_EXPECT_INTS ("odd", map1 (CONF_INTS1 ("i1", -3, -2, 0, 7), acc_expr_odd), "[4]", 1, 0, 0, 1);
  CONF_EXPECT_INTS ("compare", map2 (CONF_INTS1 ("i4", 1, 2, 3), CONF_INTS1 ("i4", 2, 2, 2), acc_expr_compare), "[3]", -1, 0, 1);
}

/* --- floats */

static void
test_floats (void)
{
  CONF_EXPECT_FLOATS ("round", map1 (CONF_FLOATS1 ("f4", 0.5, 1.5, 2.5, -0.5, -1.5, 2.4), acc_expr_round), "[6]", 0, 2, 2, -0.0, -2, 2);
  CONF_EXPECT_FLOATS ("truncate", map1 (CONF_FLOATS1 ("f8", 1.9, -1.9, -0.1), acc_expr_truncate), "[3]", 1, -1, -0.0);
  CONF_EXPECT_FLOATS ("floor", map1 (CONF_FLOATS1 ("f8", 1.9, -1.1), acc_expr_floor), "[2]", 1, -2);
  CONF_EXPECT_FLOATS ("ceiling", map1 (CONF_FLOATS1 ("f4", 1.1, -1.9), acc_expr_ceiling), "[2]", 2, -1);
  CONF_EXPECT_FLOATS ("signum/float", map1 (CONF_FLOATS1 ("f4", -3, -0.0, 0, NAN, INFINITY), acc_expr_signum), "[5]", -1, -0.0, 0, NAN, 1);
  CONF_EXPECT_FLOATS ("min", map2 (CONF_FLOATS1 ("f8", 1, NAN, 2, NAN), CONF_FLOATS1 ("f8", NAN, 1, 3, NAN), acc_expr_min), "[4]", 1, 1, 2,
                      NAN);
  CONF_EXPECT_FLOATS ("max", map2 (CONF_FLOATS1 ("f4", 1, NAN, 2, NAN), CONF_FLOATS1 ("f4", NAN, 1, 3, NAN), acc_expr_max), "[4]", 1, 1, 3,
                      NAN);
  CONF_EXPECT_INTS ("lt/nan", map2 (CONF_FLOATS1 ("f8", NAN, 1, 1), CONF_FLOATS1 ("f8", 1, NAN, 2), acc_expr_lt), "[3]", 0, 0, 1);
  CONF_EXPECT_INTS ("ge/nan", map2 (CONF_FLOATS1 ("f8", NAN, 1, 2), CONF_FLOATS1 ("f8", 1, NAN, 2), acc_expr_ge), "[3]", 0, 0, 1);
  CONF_EXPECT_INTS ("ne/nan", map2 (CONF_FLOATS1 ("f4", NAN, 1), CONF_FLOATS1 ("f4", NAN, 1), acc_expr_ne), "[2]", 1, 0);
  CONF_EXPECT_INTS ("eq/zeros", map2 (CONF_FLOATS1 ("f2", 0.0, NAN), CONF_FLOATS1 ("f2", -0.0, NAN), acc_expr_eq), "[2]", 1, 0);
  CONF_EXPECT_INTS ("is_nan", map1 (CONF_FLOATS1 ("f8", NAN, INFINITY, 0.1, -0.0), acc_expr_is_nan), "[4]", 1, 0, 0, 0);
  CONF_EXPECT_INTS ("is_inf", map1 (CONF_FLOATS1 ("f2", NAN, INFINITY, -INFINITY, 65504), acc_expr_is_inf), "[4]", 0, 1, 1, 0);
  CONF_EXPECT_FLOATS ("fdiv", map2 (CONF_FLOATS1 ("f8", 1, -2, 0, -0.0), CONF_FLOATS1 ("f8", 0, 0, 0, 5), acc_expr_fdiv), "[4]", INFINITY,
                      -INFINITY, NAN, -0.0);
  CONF_EXPECT_FLOATS ("half/rounds-each",
                      map2 (CONF_FLOATS1 ("f2", 2048, 1, 65504), CONF_FLOATS1 ("f2", 1, 0.00048828125, 65504), acc_expr_add), "[3]", 2048,
                      1, INFINITY);
  CONF_EXPECT_FLOATS ("half/mul", map2 (CONF_FLOATS1 ("f2", 0.1, 300), CONF_FLOATS1 ("f2", 0.1, 300), acc_expr_mul), "[2]",
                      0.00999450683593750, INFINITY);
  CONF_EXPECT_FLOATS ("mod_float", map2 (CONF_FLOATS1 ("f8", 7.5, -7.5, 7.5), CONF_FLOATS1 ("f8", 2, 2, -2), acc_expr_mod_float), "[3]",
                      1.5, 0.5, -0.5);
  CONF_EXPECT_FLOATS ("div_float", map2 (CONF_FLOATS1 ("f8", 7.5, -7.5), CONF_FLOATS1 ("f8", 2, 2), acc_expr_div_float), "[2]", 3, -4);
  CONF_EXPECT_FLOATS ("copy_sign", map2 (CONF_FLOATS1 ("f4", 3, -3), CONF_FLOATS1 ("f4", -0.0, 1), acc_expr_copy_sign), "[2]", -3, 3);
  CONF_EXPECT_FLOATS ("logbase", map2 (CONF_FLOATS1 ("f8", 2, 10), CONF_FLOATS1 ("f8", 8, 1), acc_expr_logbase), "[2]", 3, 0);
  CONF_EXPECT_FLOATS ("sqrt", map1 (CONF_FLOATS1 ("f8", 4, -1, -0.0, INFINITY), acc_expr_sqrt), "[4]", 2, NAN, -0.0, INFINITY);
}

static void
test_float_parts (void)
{
  double tiny = 0x1p-1074;
  AccArray *decoded;

  CONF_EXPECT_INTS ("is_denormalized", map1 (CONF_FLOATS1 ("f8", 1, tiny, 0x1p-1022, 0, NAN), acc_expr_is_denormalized), "[5]", 0, 1, 0, 0,
                    0);
  CONF_EXPECT_INTS ("is_negative_zero", map1 (CONF_FLOATS1 ("f4", 0, -0.0, -1), acc_expr_is_negative_zero), "[3]", 0, 1, 0);
  CONF_EXPECT_FLOATS ("significand", map1 (CONF_FLOATS1 ("f8", 12, -0.1875, 0), acc_expr_significand), "[3]", 0.75, -0.75, 0);
  CONF_EXPECT_INTS ("exponent", map1 (CONF_FLOATS1 ("f8", 12, 0.5, 0), acc_expr_exponent), "[3]", 4, 0, 0);
  decoded = map1 (CONF_FLOATS1 ("f4", 1, 0, -0.15625), acc_expr_decode_float);
  conf_expect_ints ("decode_float/mantissa", g_object_ref (decoded), "[3]", 0, 3, (gint64[]) { 8388608, 0, -10485760 });
  conf_expect_ints ("decode_float/exponent", decoded, "[3]", 1, 3, (gint64[]) { -23, 0, -26 });
  decoded = map1 (CONF_FLOATS1 ("f8", tiny), acc_expr_decode_float);
  conf_expect_ints ("decode_float/subnormal", g_object_ref (decoded), "[1]", 0, 1, (gint64[]) { G_GINT64_CONSTANT (1) << 52 });
  conf_expect_ints ("decode_float/subnormal-exponent", decoded, "[1]", 1, 1, (gint64[]) { -1126 });
}

/* --- tuples */

static AccArray *
pairs (const gint64 *first, const gint64 *second, gint64 n)
{
  g_autoptr(AccArray) a = conf_ints ("i4", &n, 1, first);
  g_autoptr(AccArray) b = conf_ints ("u1", &n, 1, second);

  return acc_array_zip (a, b);
}

static void
test_tuple_order (void)
{
  const gint64 a0[] = { 1, 1, 2, -1 }, a1[] = { 5, 5, 0, 9 };
  const gint64 b0[] = { 1, 1, 1, 0 }, b1[] = { 5, 6, 9, 0 };

  CONF_EXPECT_INTS ("tuple/lt", map2 (pairs (a0, a1, 4), pairs (b0, b1, 4), acc_expr_lt), "[4]", 0, 1, 0, 1);
  CONF_EXPECT_INTS ("tuple/le", map2 (pairs (a0, a1, 4), pairs (b0, b1, 4), acc_expr_le), "[4]", 1, 1, 0, 1);
  CONF_EXPECT_INTS ("tuple/gt", map2 (pairs (a0, a1, 4), pairs (b0, b1, 4), acc_expr_gt), "[4]", 0, 0, 1, 0);
  CONF_EXPECT_INTS ("tuple/ge", map2 (pairs (a0, a1, 4), pairs (b0, b1, 4), acc_expr_ge), "[4]", 1, 0, 1, 0);
  CONF_EXPECT_INTS ("tuple/eq", map2 (pairs (a0, a1, 4), pairs (b0, b1, 4), acc_expr_eq), "[4]", 1, 0, 0, 0);
  CONF_EXPECT_INTS ("tuple/min", map2 (pairs (a0, a1, 4), pairs (b0, b1, 4), acc_expr_min), "[4]", 1, 1, 1, -1);
}

/* --- 1.15 */

static AccExpr *
guarded (AccExpr *i, gpointer array)
{
  return acc_expr_cond (acc_expr_lt (i, acc_expr_extent (array, 0)), acc_expr_index (array, i), acc_expr_new_int (-1));
}

/* The read is outside, but nobody asks for it. */
static AccExpr *
guarded_shared (AccExpr *i, gpointer array)
{
  AccExpr *read = acc_expr_index (array, i);
  AccExpr *inside = acc_expr_lt (i, acc_expr_extent (array, 0));
  AccExpr *small = acc_expr_lt (i, conf_i64 (1));

  return acc_expr_cond (inside,
                        acc_expr_cond (small, acc_expr_add (read, acc_expr_new_int (100)), acc_expr_mul (read, read)),
                        acc_expr_new_int (-1));
}

static AccExpr *
guarded_logic (AccExpr *i, gpointer array)
{
  AccExpr *and = acc_expr_and_then (acc_expr_lt (i, acc_expr_extent (array, 0)),
                                    acc_expr_gt (acc_expr_index (array, i), acc_expr_new_int (6)));
  AccExpr *or = acc_expr_or_else (acc_expr_ge (i, acc_expr_extent (array, 0)),
                                  acc_expr_lt (acc_expr_index (array, i), acc_expr_new_int (6)));

  return acc_expr_tuple2 (and, or);
}

static AccExpr *
halve_step (AccExpr *state, gpointer data)
{
  AccExpr *n = acc_expr_item (state, 0);

  return acc_expr_tuple2 (acc_expr_gt (n, conf_i64 (0)),
                          acc_expr_tuple2 (acc_expr_shr (n, conf_i64 (1)), acc_expr_add (acc_expr_item (state, 1), conf_i64 (1))));
}

static AccExpr *
count_bits (AccExpr *x, gpointer data)
{
  return acc_expr_item (acc_expr_while (acc_expr_tuple2 (x, conf_i64 (0)), halve_step, NULL), 1);
}

/* Both items change at once: (a, b) becomes (b, a + b). */
static AccExpr *
fibonacci_step (AccExpr *state, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (state, 1), acc_expr_add (acc_expr_item (state, 0), acc_expr_item (state, 1)));
}

static AccExpr *
fibonacci (AccExpr *n, gpointer data)
{
  return acc_expr_item (acc_expr_iterate (n, acc_expr_tuple2 (conf_i64 (0), conf_i64 (1)), fibonacci_step, NULL), 0);
}

static AccExpr *
add_inner (AccExpr *x, gpointer outer)
{
  return acc_expr_add (x, outer);
}

static AccExpr *
outer_step (AccExpr *x, gpointer n)
{
  return acc_expr_iterate (n, x, add_inner, x);
}

/* A loop in a loop that reads the outer one's state: x becomes x * (n + 1), n times. */
static AccExpr *
nested_loops (AccExpr *n, gpointer data)
{
  return acc_expr_iterate (n, conf_i64 (1), outer_step, n);
}

static AccExpr *
weigh (AccExpr *sum, AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_mul (sum, acc_expr_new_int (10)), x);
}

static AccExpr *
fold_row (AccExpr *i, gpointer array)
{
  return acc_expr_fold_row (array, i, acc_expr_new_int (0), weigh, NULL);
}

static void
test_flow (void)
{
  g_autoptr(AccArray) v = CONF_INTS1 ("i4", 5, 6, 7);
  g_autoptr(AccArray) n = CONF_INTS1 ("i8", 0, 1, 2, 10, -3);
  g_autoptr(AccArray) few = CONF_INTS1 ("i8", 0, 1, 2, 3);
  g_autoptr(AccArray) bits = CONF_INTS1 ("i8", 0, 1, 255, 256);
  g_autoptr(AccArray) matrix = CONF_INTS2 ("i4", 2, 3, 1, 2, 3, 4, 5, 6);
  g_autoptr(AccShape) five = acc_shape_new_vector (5);
  g_autoptr(AccShape) two = acc_shape_new_vector (2);
  AccArray *logic;

  CONF_EXPECT_INTS ("cond/guards", acc_array_generate (five, guarded, v), "[5]", 5, 6, 7, -1, -1);
  CONF_EXPECT_INTS ("cond/shared", acc_array_generate (five, guarded_shared, v), "[5]", 105, 36, 49, -1, -1);
  logic = acc_array_generate (five, guarded_logic, v);
  conf_expect_ints ("and_then", g_object_ref (logic), "[5]", 0, 5, (gint64[]) { 0, 0, 1, 0, 0 });
  conf_expect_ints ("or_else", logic, "[5]", 1, 5, (gint64[]) { 1, 0, 0, 1, 1 });
  CONF_EXPECT_INTS ("while", acc_array_map (bits, count_bits, NULL), "[4]", 0, 1, 8, 9);
  CONF_EXPECT_INTS ("iterate", acc_array_map (n, fibonacci, NULL), "[5]", 0, 1, 1, 55, 0);
  CONF_EXPECT_INTS ("iterate/nested", acc_array_map (few, nested_loops, NULL), "[4]", 1, 2, 9, 64);
  CONF_EXPECT_INTS ("fold_row", acc_array_generate (two, fold_row, matrix), "[2]", 123, 456);
}

/* --- conversions */

static AccExpr *
cast_to (AccExpr *x, gpointer type)
{
  return acc_expr_cast (x, type);
}

static AccExpr *
bitcast_to (AccExpr *x, gpointer type)
{
  return acc_expr_bitcast (x, type);
}

static AccArray *
cast (AccArray *x, const char *code)
{
  g_autoptr(AccArray) owned = x;

  return acc_array_map (x, cast_to, conf_type (code));
}

static AccArray *
bitcast (AccArray *x, const char *code)
{
  g_autoptr(AccArray) owned = x;

  return acc_array_map (x, bitcast_to, conf_type (code));
}

static void
test_conversions (void)
{
  CONF_EXPECT_INTS ("cast/narrow", cast (CONF_INTS1 ("i4", 300, -1, 128), "i1"), "[3]", 44, -1, -128);
  CONF_EXPECT_INTS ("cast/widen-signed", cast (CONF_INTS1 ("i1", -1, 127), "u4"), "[2]", 4294967295, 127);
  CONF_EXPECT_INTS ("cast/widen-unsigned", cast (CONF_INTS1 ("u1", 255), "i2"), "[1]", 255);
  CONF_EXPECT_INTS ("cast/saturates", cast (CONF_FLOATS1 ("f4", 300, -300, NAN, INFINITY, -INFINITY, 1.9, -1.9), "i1"), "[7]", 127, -128, 0,
                    127, -128, 1, -1);
  CONF_EXPECT_INTS ("cast/saturates-unsigned", cast (CONF_FLOATS1 ("f8", 300, -0.5, NAN, INFINITY, -INFINITY, 255.9), "u1"), "[6]", 255, 0,
                    0, 255, 0, 255);
  CONF_EXPECT_INTS ("cast/saturates-wide", cast (CONF_FLOATS1 ("f8", 1e19, -1e19), "i8"), "[2]", G_MAXINT64, G_MININT64);
  CONF_EXPECT_INTS ("cast/to-bool", cast (CONF_FLOATS1 ("f8", 0, -0.0, 0.1, NAN), "b1"), "[4]", 0, 0, 1, 1);
  CONF_EXPECT_INTS ("cast/integer-to-bool", cast (CONF_INTS1 ("i4", 0, 256, -1), "b1"), "[3]", 0, 1, 1);
  CONF_EXPECT_FLOATS ("cast/from-bool", cast (CONF_INTS1 ("b1", 0, 1), "f2"), "[2]", 0, 1);
  CONF_EXPECT_FLOATS ("cast/nearest", cast (CONF_INTS1 ("i4", 16777217, 16777219, -16777217), "f4"), "[3]", 16777216, 16777220, -16777216);
  CONF_EXPECT_FLOATS ("cast/to-half", cast (CONF_INTS1 ("i4", 2049, 2051, 65519, 65520, -70000), "f2"), "[5]", 2048, 2052, 65504, INFINITY,
                      -INFINITY);
  CONF_EXPECT_FLOATS ("cast/half-subnormal", cast (CONF_FLOATS1 ("f8", 0x1p-24, 0x1.8p-25, 0x1p-25, -0x1p-26), "f2"), "[4]", 0x1p-24,
                      0x1p-24, 0, -0.0);
  /* Once, not through f4: just above a tie of the half. */
  CONF_EXPECT_FLOATS ("cast/half-once", cast (CONF_FLOATS1 ("f8", 1.00048828125000022), "f2"), "[1]", 1.0009765625);
  CONF_EXPECT_INTS ("bitcast", bitcast (CONF_FLOATS1 ("f4", 1, -0.0), "i4"), "[2]", 0x3f800000, G_MININT32);
  CONF_EXPECT_FLOATS ("bitcast/back", bitcast (CONF_INTS1 ("u8", 0x3ff0000000000000), "f8"), "[1]", 1);
  CONF_EXPECT_INTS ("bitcast/half", bitcast (CONF_FLOATS1 ("f2", -1.5), "u2"), "[1]", 0xbe00);
}

/* Results of several operations are rounded after each of them: compilers that join literals, quotients, roots or a product and a sum
 * give other bits. */
static AccExpr *
many_roundings (AccExpr *x, AccExpr *y, gpointer type)
{
  AccExpr *a = acc_expr_new_typed_float (type, 7.1), *b = acc_expr_new_typed_float (type, 3.3);
  AccExpr *x_squared = acc_expr_mul (x, x), *quotient = acc_expr_fdiv (x, y);
  AccExpr *items[] = {
    acc_expr_add (acc_expr_add (x, a), b), acc_expr_sub (acc_expr_sub (x, a), b), acc_expr_mul (acc_expr_mul (x, a), b),
    acc_expr_fdiv (x, b), acc_expr_fdiv (acc_expr_fdiv (x, a), b), acc_expr_fdiv (x, acc_expr_sqrt (y)), acc_expr_fdiv (quotient, b),
    acc_expr_fdiv (quotient, x_squared), acc_expr_fdiv (a, quotient), acc_expr_mul (x, acc_expr_recip (y)),
    acc_expr_sub (x_squared, acc_expr_mul (y, y)), acc_expr_add (acc_expr_mul (x, y), a),
  };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

static AccExpr *
plus_zero (AccExpr *x)
{
  return acc_expr_add (x, acc_expr_new_float (0));
}

static void
test_roundings (void)
{
  static const char *const codes[] = { "f2", "f4", "f8" };
  const gint64 n = 300;

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      GRand *rand = g_rand_new_with_seed (conf_seed () + i);
      AccElementType *type = conf_type (codes[i]);
      g_autoptr(AccArray) x = conf_array (type, &n, 1, rand, CONF_FINITE), y = conf_array (type, &n, 1, rand, CONF_FINITE);
      g_autoptr(AccArray) sizes = acc_array_abs (y);
      g_autofree char *name = g_strdup_printf ("roundings/%s", codes[i]);

      conf_check_array (name, acc_array_zip_with (x, sizes, many_roundings, type), CONF_EXACT);
      g_rand_free (rand);
    }
  CONF_EXPECT_FLOATS ("roundings/zero", map1 (CONF_FLOATS1 ("f4", -0.0), plus_zero), "[1]", 0.0);
}

/* --- what compilers like to simplify */

/* Signs of squares that overflow, and of the least integer's absolute value. */
static AccExpr *
signs (AccExpr *x, gpointer data)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (x), square = acc_expr_ref_sink (acc_expr_mul (x, x)),
    size = acc_expr_ref_sink (acc_expr_abs (x));
  AccExpr *items[] = { acc_expr_abs (square), acc_expr_signum (square), acc_expr_div (square, acc_expr_new_int (3)),
                       acc_expr_div (size, acc_expr_new_int (3)), acc_expr_lt (square, acc_expr_new_int (0)),
                       acc_expr_lt (size, acc_expr_new_int (0)) };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

/* Bits of what loses its upper half. */
static AccExpr *
halves (AccExpr *x, AccExpr *y, gpointer kind)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (x), other = acc_expr_ref_sink (y);
  AccElementType *type = acc_element_type_new ((AccElementKind) GPOINTER_TO_UINT (kind));
  g_autoptr(AccExpr) half = acc_expr_ref_sink (acc_expr_cast (x, type));
  AccExpr *items[] = { acc_expr_band (half, y), acc_expr_bor (y, half), acc_expr_bxor (half, y),
                       acc_expr_band (acc_expr_cast (acc_expr_mul (x, x), type), half) };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

/* 0 and 1 times what has a sign or is not finite. */
static AccExpr *
masked (AccExpr *holds, AccExpr *x, gpointer kind)
{
  return acc_expr_mul (acc_expr_cast (holds, acc_element_type_new ((AccElementKind) GPOINTER_TO_UINT (kind))), x);
}

static AccExpr *
zero_of (AccExpr *holds, gpointer kind)
{
  AccElementType *type = acc_element_type_new ((AccElementKind) GPOINTER_TO_UINT (kind));

  return acc_expr_cond (holds, acc_expr_new_typed_float (type, -0.0), acc_expr_new_typed_float (type, 0));
}

/* What is found to be 0, added to what may be -0, which it becomes 0 with. */
static AccExpr *
zeros (AccExpr *x, AccExpr *n, gpointer data)
{
  AccElementType *type = acc_expr_get_element_type (x);
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (x), number = acc_expr_ref_sink (n);
  AccExpr *items[] = { acc_expr_add (x, acc_expr_cast (acc_expr_bxor (n, n), type)),
                       acc_expr_add (acc_expr_cast (acc_expr_sub (n, n), type), x),
                       acc_expr_add (x, acc_expr_cast (acc_expr_ne (n, n), type)),
                       acc_expr_sub (acc_expr_cast (acc_expr_lt (n, n), type), x),
                       acc_expr_add (acc_expr_neg (x), acc_expr_cast (acc_expr_band (n, acc_expr_new_int (0)), type)) };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

static void
test_simplified (void)
{
  static const AccElementKind wide[] = { ACC_KIND_I16, ACC_KIND_I32, ACC_KIND_I64, ACC_KIND_U16, ACC_KIND_U32, ACC_KIND_U64 };
  static const AccElementKind narrow[] = { ACC_KIND_I8, ACC_KIND_I16, ACC_KIND_I32, ACC_KIND_U8, ACC_KIND_U16, ACC_KIND_U32 };
  static const AccElementKind floats[] = { ACC_KIND_F16, ACC_KIND_F32, ACC_KIND_F64 };
  static const gint64 extents[] = { 700 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  g_autoptr(AccArray) bools = conf_array (acc_element_type_new (ACC_KIND_BOOL), extents, 1, rand, CONF_FULL);
  g_autoptr(AccArray) numbers = conf_array (acc_element_type_new (ACC_KIND_I32), extents, 1, rand, CONF_FULL);

  for (guint i = 0; i < G_N_ELEMENTS (wide); i++)
    {
      g_autoptr(AccArray) x = conf_array (acc_element_type_new (wide[i]), extents, 1, rand, CONF_FULL);
      g_autoptr(AccArray) y = conf_array (acc_element_type_new (narrow[i]), extents, 1, rand, CONF_FULL);
      const char *code = acc_element_kind_get_code (wide[i]);
      g_autofree char *of_signs = g_strdup_printf ("simplified/signs/%s", code),
        *of_halves = g_strdup_printf ("simplified/halves/%s", code);

      if (acc_element_kind_is_signed (wide[i]))
        conf_check_array (of_signs, acc_array_map (x, signs, NULL), CONF_EXACT);
      conf_check_array (of_halves, acc_array_zip_with (x, y, halves, GUINT_TO_POINTER (narrow[i])), CONF_EXACT);
    }
  for (guint i = 0; i < G_N_ELEMENTS (floats); i++)
    {
      g_autoptr(AccArray) x = conf_array (acc_element_type_new (floats[i]), extents, 1, rand, CONF_NORMAL);
      g_autoptr(AccArray) signed_zeros = acc_array_map (bools, zero_of, GUINT_TO_POINTER (floats[i]));
      const char *code = acc_element_kind_get_code (floats[i]);
      g_autofree char *name = g_strdup_printf ("simplified/masked/%s", code), *of_zeros = g_strdup_printf ("simplified/zeros/%s", code);

      conf_check_array (name, acc_array_zip_with (bools, x, masked, GUINT_TO_POINTER (floats[i])), CONF_EXACT);
      conf_check_array (of_zeros, acc_array_zip_with (signed_zeros, numbers, zeros, NULL), CONF_EXACT);
    }
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_func ("/expressions/integers", test_integers);
  g_test_add_func ("/expressions/division-errors", test_division_errors);
  g_test_add_func ("/expressions/bits", test_bits);
  g_test_add_func ("/expressions/number-theory", test_number_theory);
  g_test_add_func ("/expressions/floats", test_floats);
  g_test_add_func ("/expressions/float-parts", test_float_parts);
  g_test_add_func ("/expressions/tuple-order", test_tuple_order);
  g_test_add_func ("/expressions/flow", test_flow);
  g_test_add_func ("/expressions/conversions", test_conversions);
  g_test_add_func ("/expressions/roundings", test_roundings);
  g_test_add_func ("/expressions/simplified", test_simplified);
  return conf_run ();
}
