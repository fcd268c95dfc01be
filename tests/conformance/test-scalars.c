/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>

/* Section 1.16 of the language and its open choices (section 7), on all element types: edge cases that are worked by hand, or
 * by plain loops that share nothing with the library. Several results of one type are items of one tuple: a kernel each. */

#define MAX_PARTS 12

typedef struct {
  const char *name;
  ConfBinary  function;
} Part;

static AccExpr *
apply_parts (AccExpr *x, AccExpr *y, gpointer data)
{
  const Part *parts = data;
  g_autoptr(AccExpr) a = acc_expr_ref_sink (x);
  g_autoptr(AccExpr) b = acc_expr_ref_sink (y);
  AccExpr *items[MAX_PARTS];
  guint n = 0;

  for (; parts[n].name != NULL; n++)
    items[n] = parts[n].function (a, b);
  return acc_expr_tuple (items, n);
}

/* The values of leaf @leaf in turn, for what @parts make of two columns. */
static void
expect_leaf (const char *what, const char *code, const char *leaf_name, AccArray *array, guint leaf, gint64 n, const gint64 *values)
{
  g_autofree char *name = g_strdup_printf ("%s/%s/%s", what, leaf_name, code);
  g_autofree char *shape = g_strdup_printf ("[%d]", (int) n);

  conf_expect_ints (name, g_object_ref (array), shape, leaf, (guint) n, values);
}

static void
expect_float_leaf (const char *what, const char *code, const char *leaf_name, AccArray *array, guint leaf, gint64 n, const double *values)
{
  g_autofree char *name = g_strdup_printf ("%s/%s/%s", what, leaf_name, code);
  g_autofree char *shape = g_strdup_printf ("[%d]", (int) n);

  conf_expect_floats (name, g_object_ref (array), shape, leaf, (guint) n, values);
}

static AccArray *
combine_parts (const char *code, const char *second_code, gint64 n, const gint64 *x, const gint64 *y, const Part *parts)
{
  g_autoptr(AccArray) a = conf_ints (code, &n, 1, x);
  g_autoptr(AccArray) b = conf_ints (second_code, &n, 1, y);

  return acc_array_zip_with (a, b, apply_parts, (gpointer) parts);
}

static AccArray *
combine_float_parts (const char *code, gint64 n, const double *x, const double *y, const Part *parts)
{
  g_autoptr(AccArray) a = conf_floats (code, &n, 1, x);
  g_autoptr(AccArray) b = conf_floats (code, &n, 1, y);

  return acc_array_zip_with (a, b, apply_parts, (gpointer) parts);
}

/* An integer of @kind: the low bits, with its sign. */
static gint64
wrap (AccElementKind kind, guint64 value)
{
  guint bits = 8 * acc_element_kind_get_size (kind);

  if (bits == 64)
    return (gint64) value;
  value &= ((guint64) 1 << bits) - 1;
  if (acc_element_kind_is_signed (kind) && value >> (bits - 1))
    value -= (guint64) 1 << bits;
  return (gint64) value;
}

static gint64
least_of (AccElementKind kind)
{
  return acc_element_kind_is_signed (kind) ? wrap (kind, (guint64) 1 << (8 * acc_element_kind_get_size (kind) - 1)) : 0;
}

#define FOR_EACH_INTEGER(kind) for (AccElementKind kind = ACC_KIND_I8; kind <= ACC_KIND_U64; kind++)
#define FOR_EACH_FLOAT(kind)   for (AccElementKind kind = ACC_KIND_F16; kind <= ACC_KIND_F64; kind++)

/* --- division */

static AccExpr *
first_of_quot_rem (AccExpr *x, AccExpr *y)
{
  return acc_expr_tuple2 (acc_expr_quot_rem (x, y), acc_expr_div_mod (x, y));
}

static const Part divisions[] = { { "quot", acc_expr_quot }, { "rem", acc_expr_rem }, { "div", acc_expr_div }, { "mod", acc_expr_mod },
                                  { "both", first_of_quot_rem }, { NULL, NULL } };
static const char * const division_names[] = { "quot", "rem", "div", "mod", "quot_rem/0", "quot_rem/1", "div_mod/0", "div_mod/1" };

static void
expect_divisions (const char *what, const char *code, gint64 n, const gint64 *x, const gint64 *y, const gint64 *quot, const gint64 *rem,
                  const gint64 *div, const gint64 *mod)
{
  const gint64 *expected[] = { quot, rem, div, mod, quot, rem, div, mod };
  g_autoptr(AccArray) array = combine_parts (code, code, n, x, y, divisions);

  for (guint leaf = 0; leaf < G_N_ELEMENTS (expected); leaf++)
    expect_leaf (what, code, division_names[leaf], array, leaf, n, expected[leaf]);
}

static AccExpr *
by_minus_one (AccExpr *x, AccExpr *y)
{
  AccExpr *minus_one = acc_expr_new_typed_int (x->type, -1);

  return acc_expr_tuple2 (acc_expr_rem (x, minus_one), acc_expr_mod (x, minus_one));
}

static const Part remainders[] = { { "rem", acc_expr_rem }, { "mod", acc_expr_mod }, { "literal", by_minus_one }, { NULL, NULL } };

/* Of the least integer by -1, whose quotient does not fit: of variables, literals, and beside others in a vector. */
static void
expect_remainders (const char *code, gint64 least)
{
  gint64 x[40], y[40], zeros[40] = { 0 };

  for (guint i = 0; i < 40; i++)
    {
      x[i] = i % 3 != 0 ? least : least + i;
      y[i] = -1;
    }

  g_autoptr(AccArray) array = combine_parts (code, code, 40, x, y, remainders);
  for (guint leaf = 0; leaf < 4; leaf++)
    expect_leaf ("division/remainder", code, leaf % 2 ? "mod" : "rem", array, leaf, 40, zeros);
}

static void
test_division (void)
{
  const gint64 x[] = { 7, -7, 7, -7, 6, -6, 0, 1, -1 }, y[] = { 2, 2, -2, -2, -3, 3, -5, -8, 8 };
  const gint64 quot[] = { 3, -3, -3, 3, -2, -2, 0, 0, 0 }, rem[] = { 1, -1, 1, -1, 0, 0, 0, 1, -1 };
  const gint64 div[] = { 3, -4, -4, 3, -2, -2, 0, -1, -1 }, mod[] = { 1, 1, -1, -1, 0, 0, 0, -7, 7 };

  FOR_EACH_INTEGER (kind)
    {
      const char *code = acc_element_kind_get_code (kind);
      gint64 top = wrap (kind, (guint64) -1), least = least_of (kind);

      if (acc_element_kind_is_signed (kind))
        {
          gint64 a[] = { least, least, least, least + 1 }, b[] = { 1, least, 2, -1 };
          gint64 q[] = { least, 1, least / 2, -(least + 1) }, r[] = { 0, 0, 0, 0 };

          expect_divisions ("division", code, G_N_ELEMENTS (x), x, y, quot, rem, div, mod);
          expect_divisions ("division/least", code, 4, a, b, q, r, q, r);
          expect_remainders (code, least);
        }
      else
        {
          gint64 a[] = { top, top, 7, 0, top }, b[] = { 1, top, 2, top, top - 1 };
          gint64 q[] = { top, 1, 3, 0, 1 }, r[] = { 0, 0, 1, 0, 1 };

          expect_divisions ("division", code, 5, a, b, q, r, q, r);
        }
    }
}

static void
expect_refused (const char *code, gint64 x, gint64 y)
{
  for (guint i = 0; i < 4; i++)
    {
      /* The remainder by -1 is 0 always. */
      if (y == -1 && i % 2 == 1)
        continue;

      const Part one[] = { divisions[i], { NULL, NULL } };
      g_autofree char *name = g_strdup_printf ("division/refused/%s/%s/%d", divisions[i].name, code, (int) y);

      CONF_EXPECT_ERROR (name, combine_parts (code, code, 1, &x, &y, one), ACC_ERROR_ARITHMETIC, "zip_with");
    }
}

/* By zero, and the least integer by -1: an error where checks are on, else 0 and the dividend. */
static void
test_undefined_division (void)
{
  FOR_EACH_INTEGER (kind)
    {
      const char *code = acc_element_kind_get_code (kind);
      gint64 least = least_of (kind), top = wrap (kind, G_MAXINT64);
      gboolean is_signed = acc_element_kind_is_signed (kind);
      gint64 x[] = { 5, 0, top, least }, y[] = { 0, 0, 0, is_signed ? -1 : 0 };
      gint64 q[] = { 0, 0, 0, is_signed ? least : 0 }, zeros[] = { 0, 0, 0, 0 };

      if (!conf_checks_are_on ())
        expect_divisions ("division/unchecked", code, 4, x, y, q, zeros, q, zeros);
      else if (kind == ACC_KIND_I8 || kind == ACC_KIND_U16 || kind == ACC_KIND_I64)
        {
          expect_refused (code, 5, 0);
          if (is_signed)
            expect_refused (code, least, -1);
        }
    }
}

/* --- number theory */

static AccExpr *
integer_signs (AccExpr *x, AccExpr *y)
{
  return acc_expr_tuple3 (acc_expr_signum (x), acc_expr_abs (x), acc_expr_neg (x));
}

static AccExpr *
neighbours (AccExpr *x, AccExpr *y)
{
  return acc_expr_tuple4 (acc_expr_succ (x), acc_expr_pred (x), acc_expr_even (x), acc_expr_odd (x));
}

static const Part arithmetic[] = { { "gcd", acc_expr_gcd }, { "lcm", acc_expr_lcm }, { "subtract", acc_expr_subtract },
                                   { "signs", integer_signs }, { "neighbours", neighbours }, { NULL, NULL } };
static const char * const arithmetic_names[] = { "gcd", "lcm", "subtract", "signum", "abs", "neg", "succ", "pred", "even", "odd" };

static guint64
magnitude_of (gint64 x, gboolean is_signed)
{
  return is_signed && x < 0 ? -(guint64) x : (guint64) x;
}

static void
test_number_theory (void)
{
  FOR_EACH_INTEGER (kind)
    {
      const char *code = acc_element_kind_get_code (kind);
      gboolean is_signed = acc_element_kind_is_signed (kind);
      gint64 least = least_of (kind), top = is_signed ? -(least + 1) : wrap (kind, (guint64) -1);
      gint64 minus_one = wrap (kind, (guint64) -1);
      gint64 xs[] = { 12, 18, 0, 5, 0, 7, wrap (kind, (guint64) -12), least, least, top, least, minus_one, least, 1 };
      gint64 ys[] = { 18, 12, 5, 0, 0, 7, 18, 0, least, 1, 3, least, minus_one, top };
      gint64 expected[10][G_N_ELEMENTS (xs)];
      g_autoptr(AccArray) array = combine_parts (code, code, G_N_ELEMENTS (xs), xs, ys, arithmetic);

      for (guint i = 0; i < G_N_ELEMENTS (xs); i++)
        {
          guint64 a = magnitude_of (xs[i], is_signed), b = magnitude_of (ys[i], is_signed);
          guint64 x = a, y = b;

          for (guint64 rest; y != 0; x = y, y = rest)
            rest = x % y;
          expected[0][i] = wrap (kind, x);
          /* What wraps has the sign taken off again. */
          expected[1][i] = a == 0 || b == 0 ? 0 : wrap (kind, a / x * b);
          if (is_signed && expected[1][i] < 0)
            expected[1][i] = wrap (kind, -(guint64) expected[1][i]);
          expected[2][i] = wrap (kind, (guint64) ys[i] - (guint64) xs[i]);
          expected[3][i] = xs[i] == 0 ? 0 : is_signed && xs[i] < 0 ? -1 : 1;
          expected[4][i] = wrap (kind, a);
          expected[5][i] = wrap (kind, -(guint64) xs[i]);
          expected[6][i] = wrap (kind, (guint64) xs[i] + 1);
          expected[7][i] = wrap (kind, (guint64) xs[i] - 1);
          expected[8][i] = (xs[i] & 1) == 0;
          expected[9][i] = (xs[i] & 1) != 0;
        }
      for (guint leaf = 0; leaf < G_N_ELEMENTS (expected); leaf++)
        expect_leaf ("numbers", code, arithmetic_names[leaf], array, leaf, G_N_ELEMENTS (xs), expected[leaf]);
    }
}

/* FALSE: a backend of the test takes it for 0. */
static gboolean
can_be_told (AccElementKind kind, double x)
{
  double normal = kind == ACC_KIND_F64 ? 0x1p-1022 : 0x1p-126;

  return kind == ACC_KIND_F16 || x == 0 || !(fabs (x) < normal) || conf_keeps_subnormals ();
}

static const Part powers[] = { { "int_pow", acc_expr_int_pow }, { NULL, NULL } };

static void
test_powers (void)
{
  FOR_EACH_INTEGER (kind)
    {
      const char *code = acc_element_kind_get_code (kind);
      gint64 minus_one = wrap (kind, (guint64) -1);
      gint64 x[] = { 0, 0, 3, 2, 2, minus_one, minus_one, 1, 2, minus_one, minus_one, 0, 3 };
      gint64 k[] = { 0, 5, 4, 7, 200, 3, 4, -9, -1, -3, -4, -1, G_MININT64 };
      gint64 expected[G_N_ELEMENTS (x)] = { 1, 0, 81, wrap (kind, 128), 0, minus_one, 1, 1, 0, minus_one, 1, 0, 0 };
      g_autoptr(AccArray) array = combine_parts (code, "i8", G_N_ELEMENTS (x), x, k, powers);

      /* Of unsigned types only 1 has a reciprocal. */
      if (!acc_element_kind_is_signed (kind))
        expected[9] = expected[10] = 0;
      expect_leaf ("powers", code, "int_pow", array, 0, G_N_ELEMENTS (x), expected);
    }

  FOR_EACH_FLOAT (kind)
    {
      const char *code = acc_element_kind_get_code (kind);
      const gint64 n = 8;
      const double x[] = { 2, 2, -2, 0, -0.0, INFINITY, NAN, 0.5 };
      const gint64 k[] = { 10, -2, 3, 0, -3, -1, 0, -128 };
      const double expected[] = { 1024, 0.25, -8, 1, -INFINITY, 0, 1, kind == ACC_KIND_F16 ? INFINITY : 0x1p128 };
      const double single[] = { 1024, 0.25, -8, 1, -INFINITY, 0, 1, INFINITY };
      g_autoptr(AccArray) a = conf_floats (code, &n, 1, x);
      g_autoptr(AccArray) b = conf_ints ("i1", &n, 1, k);
      g_autoptr(AccArray) array = acc_array_zip_with (a, b, apply_parts, (gpointer) powers);

      expect_float_leaf ("powers", code, "int_pow", array, 0, n, kind == ACC_KIND_F64 ? expected : single);

      if (kind != ACC_KIND_F16 && !conf_keeps_subnormals ())
        continue;

      /* Reciprocals that are subnormal, of powers that are not finite, and the other way around. */
      static const gint64 deepest[] = { 24, 149, 1074 };
      gint64 deep = deepest[kind - ACC_KIND_F16], m = 6;
      const double bases[] = { 2, -2, 4, 0.5, 2, 8 };
      const gint64 far[] = { -deep, -deep + 1, -deep / 2, deep, -deep - 1, -deep / 3 };
      const double reached[] = { ldexp (1, (int) -deep), ldexp (deep % 2 ? 1 : -1, (int) -deep + 1), ldexp (1, (int) (-deep / 2 * 2)),
                                 ldexp (1, (int) -deep), 0, ldexp (1, (int) (-deep / 3 * 3)) };
      g_autoptr(AccArray) c = conf_floats (code, &m, 1, bases), d = conf_ints ("i2", &m, 1, far);
      g_autoptr(AccArray) subnormal = acc_array_zip_with (c, d, apply_parts, (gpointer) powers);

      expect_float_leaf ("powers/subnormal", code, "int_pow", subnormal, 0, m, reached);
    }
}

static const Part float_powers[] = { { "pow", acc_expr_pow }, { NULL, NULL } };

/* Of floats to the power of floats: exact where a number of the format is. */
static void
test_exact_powers (void)
{
  static const int precisions[] = { 11, 24, 53 }, deepest[] = { -24, -149, -1074 }, highest[] = { 15, 127, 1023 };

  FOR_EACH_FLOAT (kind)
    {
      const char *code = acc_element_kind_get_code (kind);
      guint f = kind - ACC_KIND_F16;
      double limit = ldexp (1, precisions[f]);
      g_autoptr(GArray) x = g_array_new (FALSE, FALSE, sizeof (double)), y = g_array_new (FALSE, FALSE, sizeof (double));
      g_autoptr(GArray) expected = g_array_new (FALSE, FALSE, sizeof (double));

      for (int k = deepest[f]; k <= highest[f]; k++)
        for (int base = 2; base <= 8 && k % g_bit_nth_lsf (base, -1) == 0; base *= 2)
          {
            double exact = ldexp (1, k), a = base, b = k / g_bit_nth_lsf (base, -1);

            if (!can_be_told (kind, exact))
              continue;
            g_array_append_val (x, a);
            g_array_append_val (y, b);
            g_array_append_val (expected, exact);
          }
      for (guint base = 3; base < MIN (limit, 2000); base += 2)
        {
          double a = base, exact = a;

          for (double b = 1; exact < limit; b++, exact *= a)
            {
              double square = a * a, half = b / 2;

              g_array_append_val (x, a);
              g_array_append_val (y, b);
              g_array_append_val (expected, exact);
              if (square >= limit)
                continue;
              g_array_append_val (x, square);
              g_array_append_val (y, half);
              g_array_append_val (expected, exact);
            }
        }

      g_autoptr(AccArray) array = combine_float_parts (code, x->len, (double *) x->data, (double *) y->data, float_powers);
      expect_float_leaf ("powers/exact", code, "pow", array, 0, x->len, (double *) expected->data);
    }
}

/* --- extents, which no kernel computes: those of numbers that are read, with halves, bits, loops and all kinds of division */

static AccExpr *
double_once (AccExpr *state, gpointer data)
{
  g_autoptr(AccExpr) n = acc_expr_ref_sink (state);

  return acc_expr_tuple2 (acc_expr_lt (n, acc_expr_new_int (1000)), acc_expr_mul (n, acc_expr_new_int (2)));
}

static void
test_extents (void)
{
  AccElementType *i64 = conf_type ("i8"), *f16 = conf_type ("f2"), *f32 = conf_type ("f4");
  g_autoptr(AccArray) number = conf_ints ("i8", NULL, 0, (gint64[]) { 2049 });
  g_autoptr(AccArray) least = conf_ints ("i1", NULL, 0, (gint64[]) { -128 });

  /* 2049 is between two halves. */
  AccExpr *rounded = acc_expr_cast (acc_expr_cast (acc_expr_the (number), f16), i64);
  CONF_EXPECT_INTS ("extents/half", acc_array_fill_expr (rounded, acc_expr_new_typed_int (i64, 7)), "[2048]", 7);
  AccExpr *sum = acc_expr_add (acc_expr_cast (acc_expr_new_int (2048), f16),
                               acc_expr_cast (acc_expr_sub (acc_expr_the (number), acc_expr_new_int (2048)), f16));
  CONF_EXPECT_INTS ("extents/sum-of-halves", acc_array_fill_expr (acc_expr_cast (sum, i64), acc_expr_new_typed_int (i64, 7)), "[2048]", 7);
  AccExpr *bits = acc_expr_bitcast (acc_expr_cast (acc_expr_new_int (1), f16), conf_type ("u2"));
  AccExpr *both = acc_expr_cast (acc_expr_sub (acc_expr_cast (bits, i64), acc_expr_the (number)), i64);
  CONF_EXPECT_INTS ("extents/bits", acc_array_fill_expr (both, acc_expr_new_typed_int (i64, 7)), "[13311]", 7);
  AccExpr *single = acc_expr_bitcast (acc_expr_cast (acc_expr_mul (acc_expr_the (number), acc_expr_new_int (0)), f32), conf_type ("i4"));
  CONF_EXPECT_INTS ("extents/no-bits",
                    acc_array_fill_expr (acc_expr_add (acc_expr_cast (single, i64), acc_expr_new_int (3)), acc_expr_new_typed_int (i64, 7)),
                    "[3]", 7, 7, 7);
  AccExpr *grown = acc_expr_while (acc_expr_rem (acc_expr_the (number), acc_expr_new_int (3)), double_once, NULL);
  grown = acc_expr_cond (acc_expr_eq (acc_expr_the (number), acc_expr_new_int (2049)),
                         acc_expr_while (acc_expr_sub (acc_expr_the (number), acc_expr_new_int (2046)), double_once, NULL), grown);
  CONF_EXPECT_INTS ("extents/loop", acc_array_fill_expr (grown, acc_expr_new_typed_int (i64, 7)), "[1536]", 7);
  AccExpr *rest = acc_expr_rem (acc_expr_the (least), acc_expr_new_typed_int (conf_type ("i1"), -1));
  CONF_EXPECT_INTS ("extents/remainder",
                    acc_array_fill_expr (acc_expr_add (acc_expr_cast (rest, i64), acc_expr_new_int (2)), acc_expr_new_typed_int (i64, 7)),
                    "[2]", 7, 7);
  AccExpr *floored = acc_expr_mod_float (acc_expr_cast (acc_expr_the (number), conf_type ("f8")),
                                         acc_expr_new_typed_float (conf_type ("f8"), INFINITY));
  CONF_EXPECT_INTS ("extents/floored", acc_array_fill_expr (acc_expr_cast (floored, i64), acc_expr_new_typed_int (i64, 7)), "[2049]", 7);
}

/* --- bits */

static AccExpr *
single_bits (AccExpr *x, AccExpr *k)
{
  return acc_expr_tuple4 (acc_expr_test_bit (x, k), acc_expr_set_bit (x, k), acc_expr_clear_bit (x, k), acc_expr_complement_bit (x, k));
}

static AccExpr *
counted_bits (AccExpr *x, AccExpr *k)
{
  return acc_expr_tuple4 (acc_expr_popcount (x), acc_expr_clz (x), acc_expr_ctz (x), acc_expr_bit_size (x));
}

static const Part shifts[] = { { "shl", acc_expr_shl }, { "shr", acc_expr_shr }, { "rotl", acc_expr_rotl }, { "rotr", acc_expr_rotr },
                               { "single", single_bits }, { "counted", counted_bits }, { NULL, NULL } };
static const char * const shift_names[] = { "shl", "shr", "rotl", "rotr", "test_bit", "set_bit", "clear_bit", "complement_bit", "popcount",
                                            "clz", "ctz", "bit_size" };

/* Bit @place of @value, whose sign goes on for ever and which has zeros below. */
static guint64
bit_of (AccElementKind kind, gint64 value, gint64 place)
{
  guint bits = 8 * acc_element_kind_get_size (kind);

  if (place < 0)
    return 0;
  if (place >= bits)
    return acc_element_kind_is_signed (kind) && value < 0;
  return ((guint64) value >> place) & 1;
}

/* Written with one bit at a time. */
static void
expect_bits (AccElementKind kind, gint64 value, gint64 amount, gint64 *expected)
{
  gint64 bits = 8 * acc_element_kind_get_size (kind);
  gint64 clamped = CLAMP (amount, -200, 200);
  guint64 results[4] = { 0, 0, 0, 0 };
  guint64 single = amount >= 0 && amount < bits ? (guint64) 1 << amount : 0;
  gint64 ones = 0, above = 0, below = 0;

  for (gint64 i = 0; i < bits; i++)
    {
      gint64 turn = (amount % bits + bits) % bits;

      results[0] |= bit_of (kind, value, i - clamped) << i;
      results[1] |= bit_of (kind, value, i + clamped) << i;
      results[2] |= bit_of (kind, value, (i - turn + bits) % bits) << i;
      results[3] |= bit_of (kind, value, (i + turn) % bits) << i;
      ones += bit_of (kind, value, i);
    }
  while (above < bits && !bit_of (kind, value, bits - 1 - above))
    above++;
  while (below < bits && !bit_of (kind, value, below))
    below++;

  for (guint i = 0; i < 4; i++)
    expected[i] = wrap (kind, results[i]);
  expected[4] = (value & single) != 0;
  expected[5] = wrap (kind, (guint64) value | single);
  expected[6] = wrap (kind, (guint64) value & ~single);
  expected[7] = wrap (kind, (guint64) value ^ single);
  expected[8] = ones;
  expected[9] = above;
  expected[10] = below;
  expected[11] = bits;
}

static void
test_bits (void)
{
  FOR_EACH_INTEGER (kind)
    {
      const char *code = acc_element_kind_get_code (kind);
      gint64 bits = 8 * acc_element_kind_get_size (kind);
      const gint64 amounts[] = { 0, 1, bits - 1, bits, bits + 1, 3 * bits + 2, -1, -(bits - 1), -bits, -bits - 1, G_MAXINT64, G_MININT64 };
      const gint64 values[] = { 0, 1, wrap (kind, (guint64) -1), least_of (kind), wrap (kind, 0x5aa5c3960ff0e1d2), 6 };
      gint64 n = G_N_ELEMENTS (amounts) * G_N_ELEMENTS (values);
      g_autofree gint64 *x = g_new (gint64, n);
      g_autofree gint64 *k = g_new (gint64, n);
      g_autofree gint64 *expected = g_new (gint64, 12 * n);
      g_autoptr(AccArray) array = NULL;

      for (gint64 i = 0; i < n; i++)
        {
          gint64 leaves[12];

          x[i] = values[i / G_N_ELEMENTS (amounts)];
          k[i] = amounts[i % G_N_ELEMENTS (amounts)];
          expect_bits (kind, x[i], k[i], leaves);
          /* A negative position is a shift to the other side: of 1 nothing remains. */
          for (guint leaf = 0; leaf < 12; leaf++)
            expected[leaf * n + i] = leaves[leaf];
        }
      array = combine_parts (code, "i8", n, x, k, shifts);
      for (guint leaf = 0; leaf < 12; leaf++)
        expect_leaf ("bits", code, shift_names[leaf], array, leaf, n, expected + leaf * n);
    }
}

/* The upper half of u8 amounts is far to the same side. */
static void
test_unsigned_amounts (void)
{
  const gint64 x[] = { -1, -1, 5, 5 }, k[] = { -1, 2, G_MININT64, 63 };
  const Part both[] = { { "shl", acc_expr_shl }, { "shr", acc_expr_shr }, { "rotl", acc_expr_rotl }, { NULL, NULL } };
  g_autoptr(AccArray) array = combine_parts ("i4", "u8", 4, x, k, both);

  expect_leaf ("bits/unsigned-amount", "i4", "shl", array, 0, 4, (gint64[]) { 0, -4, 0, 0 });
  expect_leaf ("bits/unsigned-amount", "i4", "shr", array, 1, 4, (gint64[]) { -1, -1, 0, 0 });
  expect_leaf ("bits/unsigned-amount", "i4", "rotl", array, 2, 4, (gint64[]) { -1, -1, 5, G_MININT32 + 2 });
}

static void
test_bits_of_bool (void)
{
  const gint64 x[] = { 0, 1, 0, 1, 0, 1 }, k[] = { 0, 0, 1, 1, -1, -1 };
  const gint64 expected[12][6] = {
    { 0, 1, 0, 0, 0, 0 }, { 0, 1, 0, 0, 0, 0 }, { 0, 1, 0, 1, 0, 1 }, { 0, 1, 0, 1, 0, 1 },
    { 0, 1, 0, 0, 0, 0 }, { 1, 1, 0, 1, 0, 1 }, { 0, 0, 0, 1, 0, 1 }, { 1, 0, 0, 1, 0, 1 },
    { 0, 1, 0, 1, 0, 1 }, { 1, 0, 1, 0, 1, 0 }, { 1, 0, 1, 0, 1, 0 }, { 1, 1, 1, 1, 1, 1 },
  };
  g_autoptr(AccArray) array = combine_parts ("b1", "i8", 6, x, k, shifts);

  for (guint leaf = 0; leaf < 12; leaf++)
    expect_leaf ("bits", "b1", shift_names[leaf], array, leaf, 6, expected[leaf]);
}

/* --- floats */

static AccExpr *
roundings (AccExpr *x, AccExpr *y)
{
  return acc_expr_tuple4 (acc_expr_round (x), acc_expr_truncate (x), acc_expr_floor (x), acc_expr_ceiling (x));
}

static AccExpr *
fraction (AccExpr *x, AccExpr *y)
{
  return acc_expr_tuple2 (acc_expr_proper_fraction (x), acc_expr_signum (x));
}

static const Part rounded[] = { { "roundings", roundings }, { "fraction", fraction }, { NULL, NULL } };

static void
test_rounding (void)
{
  /* All exact in f2. */
  const double x[] = { 0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, 1.25, -1.75, 0, -0.0, -2, 1025, INFINITY, -INFINITY, NAN };
  const double expected[7][16] = {
    { 0, 2, 2, 4, -0.0, -2, -2, 1, -2, 0, -0.0, -2, 1025, INFINITY, -INFINITY, NAN },
    { 0, 1, 2, 3, -0.0, -1, -2, 1, -1, 0, -0.0, -2, 1025, INFINITY, -INFINITY, NAN },
    { 0, 1, 2, 3, -1, -2, -3, 1, -2, 0, -0.0, -2, 1025, INFINITY, -INFINITY, NAN },
    { 1, 2, 3, 4, -0.0, -1, -2, 2, -1, 0, -0.0, -2, 1025, INFINITY, -INFINITY, NAN },
    { 0, 1, 2, 3, -0.0, -1, -2, 1, -1, 0, -0.0, -2, 1025, INFINITY, -INFINITY, NAN },
    { 0.5, 0.5, 0.5, 0.5, -0.5, -0.5, -0.5, 0.25, -0.75, 0, -0.0, -0.0, 0, 0, -0.0, NAN },
    { 1, 1, 1, 1, -1, -1, -1, 1, -1, 0, -0.0, -1, 1, 1, -1, NAN },
  };
  static const char * const names[] = { "round", "truncate", "floor", "ceiling", "proper_fraction/0", "proper_fraction/1", "signum" };

  FOR_EACH_FLOAT (kind)
    {
      const char *code = acc_element_kind_get_code (kind);
      g_autoptr(AccArray) array = combine_float_parts (code, 16, x, x, rounded);

      for (guint leaf = 0; leaf < G_N_ELEMENTS (names); leaf++)
        expect_float_leaf ("rounding", code, names[leaf], array, leaf, 16, expected[leaf]);
    }
}

static AccExpr *
orders (AccExpr *x, AccExpr *y)
{
  AccExpr *less[] = { acc_expr_lt (x, y), acc_expr_le (x, y), acc_expr_gt (x, y), acc_expr_ge (x, y), acc_expr_eq (x, y),
                      acc_expr_ne (x, y), acc_expr_compare (x, y) };

  return acc_expr_tuple (less, G_N_ELEMENTS (less));
}

static const char * const order_names[] = { "lt", "le", "gt", "ge", "eq", "ne", "compare" };
static const Part ordered[] = { { "orders", orders }, { "min", acc_expr_min }, { "max", acc_expr_max }, { NULL, NULL } };

static void
test_float_order (void)
{
  const double x[] = { 1, 2, 1, NAN, 1, NAN, INFINITY, -INFINITY, 0.0, NAN }, y[] = { 2, 1, 1, 1, NAN, NAN, 1, -1, -0.0, -INFINITY };
  const gint64 expected[7][10] = {
    { 1, 0, 0, 0, 0, 0, 0, 1, 0, 0 }, { 1, 0, 1, 0, 0, 0, 0, 1, 1, 0 }, { 0, 1, 0, 0, 0, 0, 1, 0, 0, 0 }, { 0, 1, 1, 0, 0, 0, 1, 0, 1, 0 },
    { 0, 0, 1, 0, 0, 0, 0, 0, 1, 0 }, { 1, 1, 0, 1, 1, 1, 1, 1, 0, 1 }, { -1, 1, 0, 0, 0, 0, 1, -1, 0, 0 },
  };
  const double least[] = { 1, 1, 1, 1, 1, NAN, 1, -INFINITY }, most[] = { 2, 2, 1, 1, 1, NAN, INFINITY, -1 };

  FOR_EACH_FLOAT (kind)
    {
      const char *code = acc_element_kind_get_code (kind);
      g_autoptr(AccArray) array = combine_float_parts (code, 10, x, y, ordered);
      g_autoptr(AccArray) eight = combine_float_parts (code, 8, x, y, ordered);

      for (guint leaf = 0; leaf < G_N_ELEMENTS (expected); leaf++)
        expect_leaf ("order", code, order_names[leaf], array, leaf, 10, expected[leaf]);
      /* Of two zeros either. */
      expect_float_leaf ("order", code, "min", eight, 7, 8, least);
      expect_float_leaf ("order", code, "max", eight, 8, 8, most);
    }
}

static AccExpr *
classes (AccExpr *x, AccExpr *y)
{
  AccExpr *items[] = { acc_expr_is_nan (x), acc_expr_is_inf (x), acc_expr_is_finite (x), acc_expr_is_denormalized (x),
                       acc_expr_is_negative_zero (x) };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

static AccExpr *
format (AccExpr *x, AccExpr *y)
{
  return acc_expr_tuple3 (acc_expr_float_radix (x), acc_expr_float_digits (x), acc_expr_float_range (x));
}

static AccExpr *
taken_apart (AccExpr *x, AccExpr *y)
{
  g_autoptr(AccExpr) decoded = acc_expr_ref_sink (acc_expr_decode_float (x));
  AccExpr *again = acc_expr_encode_float (acc_expr_item (decoded, 0), acc_expr_item (decoded, 1));

  return acc_expr_tuple4 (decoded, acc_expr_exponent (x), acc_expr_significand (x), again);
}

static const Part parts_of_floats[] = { { "classes", classes }, { "format", format }, { "parts", taken_apart }, { NULL, NULL } };

static void
test_float_parts (void)
{
  static const char * const class_names[] = { "is_nan", "is_inf", "is_finite", "is_denormalized", "is_negative_zero", "radix", "digits",
                                              "least", "greatest" };

  FOR_EACH_FLOAT (kind)
    {
      const char *code = acc_element_kind_get_code (kind);
      int digits = kind == ACC_KIND_F16 ? 11 : kind == ACC_KIND_F32 ? 24 : 53;
      int least = kind == ACC_KIND_F16 ? -13 : kind == ACC_KIND_F32 ? -125 : -1021;
      int greatest = 3 - least;
      double tiny = ldexp (1, least - digits), normal = ldexp (1, least - 1), next = normal - tiny;
      double largest = ldexp (ldexp (1, digits) - 1, greatest - digits);
      double x[] = { 1, -0.15625, tiny, -tiny, 3 * tiny, next, normal, -normal, 0, -0.0, largest, -largest, 12, 0.5 };
      double special[] = { NAN, INFINITY, -INFINITY, 0, -0.0, tiny, next, normal, largest, 1 };
      const gint64 class[5][10] = {
        { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, { 0, 1, 1, 0, 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 },
        { 0, 0, 0, 0, 0, 1, 1, 0, 0, 0 }, { 0, 0, 0, 0, 1, 0, 0, 0, 0, 0 },
      };
      const gint64 constants[] = { 2, digits, least, greatest };
      gint64 mantissas[G_N_ELEMENTS (x)], exponents[G_N_ELEMENTS (x)], powers_of_two[G_N_ELEMENTS (x)];
      double significands[G_N_ELEMENTS (x)];
      g_autoptr(AccArray) decoded = combine_float_parts (code, G_N_ELEMENTS (x), x, x, parts_of_floats);
      g_autoptr(AccArray) classified = combine_float_parts (code, 10, special, special, parts_of_floats);

      for (guint i = 0; i < G_N_ELEMENTS (x); i++)
        {
          int exponent;

          significands[i] = frexp (x[i], &exponent);
          mantissas[i] = (gint64) ldexp (significands[i], digits);
          powers_of_two[i] = exponent;
          exponents[i] = x[i] == 0 ? 0 : exponent - digits;
        }
      for (guint leaf = 0; leaf < 5; leaf++)
        expect_leaf ("classes", code, class_names[leaf], classified, leaf, 10, class[leaf]);
      for (guint leaf = 0; leaf < 4; leaf++)
        {
          gint64 same[10];

          for (guint i = 0; i < 10; i++)
            same[i] = constants[leaf];
          expect_leaf ("format", code, class_names[leaf + 5], classified, leaf + 5, 10, same);
        }
      expect_leaf ("decode", code, "mantissa", decoded, 9, G_N_ELEMENTS (x), mantissas);
      expect_leaf ("decode", code, "exponent", decoded, 10, G_N_ELEMENTS (x), exponents);
      expect_leaf ("decode", code, "power", decoded, 11, G_N_ELEMENTS (x), powers_of_two);
      expect_float_leaf ("decode", code, "significand", decoded, 12, G_N_ELEMENTS (x), significands);
      /* There is no -0 among mantissas. */
      x[9] = 0;
      expect_float_leaf ("decode", code, "again", decoded, 13, G_N_ELEMENTS (x), x);
    }
}

static AccExpr *
float_division (AccExpr *x, AccExpr *y)
{
  return acc_expr_tuple4 (acc_expr_div_float (x, y), acc_expr_mod_float (x, y), acc_expr_div_mod_float (x, y), acc_expr_subtract (x, y));
}

static const Part float_divisions[] = { { "division", float_division }, { NULL, NULL } };
static const Part float_remainders[] = { { "remainders", acc_expr_mod_float }, { NULL, NULL } };

static double
round_to (AccElementKind kind, double x)
{
  if (kind == ACC_KIND_F32)
    return (float) x;
  if (kind == ACC_KIND_F64 || x == 0 || !isfinite (x))
    return x;

  double quantum = ldexp (1, MAX (ilogb (x), -14) - 10), rounded = rint (x / quantum) * quantum;
  return fabs (rounded) > 65504 ? copysign (INFINITY, x) : rounded;
}

/* By C's fmod; the product of a quotient and the divisor is exact in long double but for its last places, which rint takes away.
 * FALSE: beyond the format's integers a last place may differ. */
static gboolean
divide_floored (AccElementKind kind, double x, double y, double *quotient, double *rest)
{
  double r = fmod (x, y);
  gboolean apart = r != 0 && (r < 0) != (y < 0);
  long double q = rintl (((long double) x - r) / y) - apart;

  *rest = r == 0 ? copysign (0, y) : apart ? round_to (kind, r + y) : r;
  *quotient = !isfinite (x) || isnan (y) ? NAN : y == 0 ? x / y : isinf (y) ? (apart ? -1 : x / y) : q == 0
              ? copysign (0, x / y) : round_to (kind, (double) q);
  return !isfinite (x) || !isfinite (y) || y == 0 || fabsl (q) < ldexpl (1, kind == ACC_KIND_F16 ? 11 : kind == ACC_KIND_F32 ? 24 : 53);
}

static void
test_float_division (void)
{
  static const double most[] = { 65504, 0x1.fffffep127, G_MAXDOUBLE }, least[] = { 0x1p-24, 0x1p-149, 0x1p-1074 };
  static const double normal[] = { 0x1p-14, 0x1p-126, 0x1p-1022 };
  static const char * const names[] = { "div", "mod", "div_mod/0", "div_mod/1", "subtract" };

  FOR_EACH_FLOAT (kind)
    {
      const char *code = acc_element_kind_get_code (kind);
      guint f = kind - ACC_KIND_F16, n = 0, n_all = 0;
      double third = round_to (kind, 1 / 3.0);
      const double edges[] = { 0, 1, 2, 3, 5, 7.5, 0.1875, third, 2047, 1024, most[f], most[f] / 1024, least[f], 3 * least[f], normal[f],
                               5 * normal[f], normal[f] - least[f], third * normal[f] * 1024, round_to (kind, third * 60000), INFINITY,
                               NAN };
      enum { N = G_N_ELEMENTS (edges) };
      g_autofree double *x = g_new (double, 4 * N * N), *y = g_new (double, 4 * N * N);
      g_autofree double *all_x = g_new (double, 4 * N * N), *all_y = g_new (double, 4 * N * N), *all_rests = g_new (double, 4 * N * N);
      g_autofree double *expected = g_new (double, 5 * 4 * N * N);

      for (guint i = 0; i < 4 * N * N; i++)
        {
          double quotient, rest;

          x[n] = edges[i / 4 / N] * (i % 2 ? -1 : 1);
          y[n] = edges[i / 4 % N] * (i & 2 ? -1 : 1);
          gboolean is_exact = divide_floored (kind, x[n], y[n], &quotient, &rest);
          if (!can_be_told (kind, x[n]) || !can_be_told (kind, y[n]) || !can_be_told (kind, rest))
            continue;
          /* Long divisions cut the divisor in two, and multiply either half. */
          if (is_exact || can_be_told (kind, y[n] * 0x1p-53))
            {
              all_x[n_all] = x[n];
              all_y[n_all] = y[n];
              all_rests[n_all++] = rest;
            }
          if (!is_exact || !can_be_told (kind, quotient) || !can_be_told (kind, y[n] - x[n]))
            continue;
          expected[n] = expected[2 * 4 * N * N + n] = quotient;
          expected[4 * N * N + n] = expected[3 * 4 * N * N + n] = rest;
          expected[4 * 4 * N * N + n] = round_to (kind, y[n] - x[n]);
          n++;
        }

      g_autoptr(AccArray) array = combine_float_parts (code, n, x, y, float_divisions);
      for (guint leaf = 0; leaf < G_N_ELEMENTS (names); leaf++)
        expect_float_leaf ("float-division", code, names[leaf], array, leaf, n, expected + leaf * 4 * N * N);

      g_autoptr(AccArray) rests = combine_float_parts (code, n_all, all_x, all_y, float_remainders);
      expect_float_leaf ("float-division", code, "mod/all", rests, 0, n_all, all_rests);
    }
}

static const Part signs_of[] = { { "copy_sign", acc_expr_copy_sign }, { NULL, NULL } };

static void
test_copy_sign (void)
{
  const double x[] = { 7.5, -7.5, 6, -0.0, 0 }, y[] = { 2, -0.0, -3, 1, -5 }, expected[] = { 7.5, -7.5, -6, 0, -0.0 };

  FOR_EACH_FLOAT (kind)
    {
      const char *code = acc_element_kind_get_code (kind);
      g_autoptr(AccArray) array = combine_float_parts (code, 5, x, y, signs_of);

      expect_float_leaf ("copy-sign", code, "copy_sign", array, 0, 5, expected);
    }
}

/* --- conversions of floats to every integer type: towards zero, saturating, NaN to 0 */

static AccExpr *
cast_to_all (AccExpr *x, AccExpr *y)
{
  AccExpr *items[8];

  for (guint i = 0; i < 8; i++)
    items[i] = acc_expr_cast (x, acc_element_type_new (ACC_KIND_I8 + i));
  return acc_expr_tuple (items, 8);
}

static const Part casts[] = { { "casts", cast_to_all }, { NULL, NULL } };

static void
test_saturation (void)
{
  FOR_EACH_FLOAT (from)
    {
      const char *code = acc_element_kind_get_code (from);
      double large = from == ACC_KIND_F16 ? 65504 : from == ACC_KIND_F32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
      double x[] = { NAN, INFINITY, -INFINITY, large, -large, 0, -0.0, 0.75, -0.75, 1.5, -1.5, 127, 128, 129, -128, -129, 255, 256, -255,
                     32736, 32768, -32768, -32800, 65504, 0x1p16, 0x1p31, -0x1p31, 0x1p32, 0x1p63, -0x1p63, 0x1p64, 0x1.fffp62,
                     0x1.fffp63 };
      gint64 n = from == ACC_KIND_F16 ? 24 : G_N_ELEMENTS (x);
      g_autoptr(AccArray) array = combine_float_parts (code, n, x, x, casts);

      FOR_EACH_INTEGER (to)
        {
          gint64 expected[G_N_ELEMENTS (x)];
          int bits = 8 * (int) acc_element_kind_get_size (to) - acc_element_kind_is_signed (to);

          for (guint i = 0; i < G_N_ELEMENTS (x); i++)
            {
              double whole = trunc (x[i]), top = ldexp (1, bits), bottom = acc_element_kind_is_signed (to) ? -top : 0;

              if (isnan (whole))
                expected[i] = 0;
              else if (whole >= top)
                expected[i] = (gint64) (bits == 64 ? G_MAXUINT64 : ((guint64) 1 << bits) - 1);
              else if (whole <= bottom)
                expected[i] = least_of (to);
              else
                expected[i] = whole < 0 ? (gint64) whole : (gint64) (guint64) whole;
            }
          expect_leaf ("saturation", code, acc_element_kind_get_code (to), array, to - ACC_KIND_I8, n, expected);
        }
    }
}

/* --- order of scalars and tuples */

static void
test_integer_order (void)
{
  for (AccElementKind kind = ACC_KIND_BOOL; kind <= ACC_KIND_U64; kind++)
    {
      const char *code = acc_element_kind_get_code (kind);
      gint64 low = kind == ACC_KIND_BOOL ? 0 : least_of (kind),
        high = kind == ACC_KIND_BOOL ? 1 : acc_element_kind_is_signed (kind) ? -(low + 1) : -1;
      gint64 x[] = { low, high, low, high }, y[] = { high, low, low, high };
      const gint64 expected[9][4] = {
        { 1, 0, 0, 0 }, { 1, 0, 1, 1 }, { 0, 1, 0, 0 }, { 0, 1, 1, 1 }, { 0, 0, 1, 1 }, { 1, 1, 0, 0 }, { -1, 1, 0, 0 },
        { low, low, low, wrap (kind, high) }, { wrap (kind, high), wrap (kind, high), low, wrap (kind, high) },
      };
      g_autoptr(AccArray) array = NULL;

      if (kind != ACC_KIND_BOOL)
        for (guint i = 0; i < 4; i++)
          x[i] = wrap (kind, x[i]), y[i] = wrap (kind, y[i]);
      array = combine_parts (code, code, 4, x, y, ordered);
      for (guint leaf = 0; leaf < 9; leaf++)
        expect_leaf ("order", code, leaf < 7 ? order_names[leaf] : leaf == 7 ? "min" : "max", array, leaf, 4,
                     expected[leaf]);
    }
}

/* ((f2, b1), i4) of three columns each. */
static AccArray *
nested (gint64 n, const double *a, const gint64 *b, const gint64 *c)
{
  g_autoptr(AccArray) first = conf_floats ("f2", &n, 1, a);
  g_autoptr(AccArray) second = conf_ints ("b1", &n, 1, b);
  g_autoptr(AccArray) third = conf_ints ("i4", &n, 1, c);
  g_autoptr(AccArray) inner = acc_array_zip (first, second);

  return acc_array_zip (inner, third);
}

static void
test_tuple_order (void)
{
  const double a0[] = { 1, 1, 1, 2, 1, NAN, 0.0, 1, NAN }, b0[] = { 1, 1, 1, 1, 1, 1, -0.0, NAN, NAN };
  const gint64 a1[] = { 0, 0, 1, 0, 1, 0, 1, 1, 1 }, b1[] = { 0, 1, 0, 1, 1, 0, 1, 0, 1 };
  const gint64 a2[] = { 5, 9, 0, 0, -7, 0, 3, 0, 1 }, b2[] = { 5, 0, 9, 9, 7, 0, 3, 0, 1 };
  const gint64 expected[7][9] = {
    { 0, 1, 0, 0, 1, 0, 0, 0, 0 }, { 1, 1, 0, 0, 1, 0, 1, 0, 0 }, { 0, 0, 1, 1, 0, 0, 0, 0, 0 }, { 1, 0, 1, 1, 0, 0, 1, 0, 0 },
    { 1, 0, 0, 0, 0, 0, 1, 0, 0 }, { 0, 1, 1, 1, 1, 1, 0, 1, 1 }, { 0, -1, 1, 1, -1, 0, 0, 0, 0 },
  };
  g_autoptr(AccArray) x = nested (9, a0, a1, a2);
  g_autoptr(AccArray) y = nested (9, b0, b1, b2);
  g_autoptr(AccArray) array = acc_array_zip_with (x, y, apply_parts, (gpointer) ordered);

  for (guint leaf = 0; leaf < 7; leaf++)
    expect_leaf ("order", "((f2,b1),i4)", order_names[leaf], array, leaf, 9, expected[leaf]);
  /* Whole tuples: the third item tells which. Where there is no order, the second. */
  expect_leaf ("order", "((f2,b1),i4)", "min", array, 9, 9, (gint64[]) { 5, 9, 9, 9, -7, 0, 3, 0, 1 });
  expect_leaf ("order", "((f2,b1),i4)", "max", array, 12, 9, (gint64[]) { 5, 0, 0, 0, 7, 0, 3, 0, 1 });
}

static AccExpr *
compare_units (AccExpr *x, AccExpr *y)
{
  g_autoptr(AccExpr) unit = acc_expr_ref_sink (acc_expr_tuple (NULL, 0));
  AccExpr *items[] = { acc_expr_lt (unit, unit), acc_expr_le (unit, unit), acc_expr_eq (unit, unit), acc_expr_ne (unit, unit),
                       acc_expr_compare (unit, unit), x };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

static void
test_unit_order (void)
{
  const Part units[] = { { "units", compare_units }, { NULL, NULL } };
  const gint64 zero = 0, one = 1;
  g_autoptr(AccArray) array = combine_parts ("i4", "i4", 1, &zero, &zero, units);

  for (guint leaf = 0; leaf < 5; leaf++)
    expect_leaf ("order", "()", order_names[leaf], array, leaf, 1, leaf == 1 || leaf == 2 ? &one : &zero);
}

/* --- shapes and indices */

static AccExpr *
shape_parts (AccExpr *x, AccExpr *y)
{
  AccExpr *items[] = { acc_expr_intersect (x, y), acc_expr_union (x, y), acc_expr_index_head (x), acc_expr_index_tail (x),
                       acc_expr_shape_size (x) };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

static const Part shape_functions[] = { { "shapes", shape_parts }, { NULL, NULL } };

static AccExpr *
append (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple3 (acc_expr_item (x, 0), acc_expr_item (x, 1), y);
}

static AccArray *
triples (const gint64 *a, const gint64 *b, const gint64 *c)
{
  gint64 n = 3;
  g_autoptr(AccArray) x = conf_ints ("i8", &n, 1, a);
  g_autoptr(AccArray) y = conf_ints ("i4", &n, 1, b);
  g_autoptr(AccArray) z = conf_ints ("i8", &n, 1, c);
  g_autoptr(AccArray) pairs = acc_array_zip (x, y);

  return acc_array_zip_with (pairs, z, append, NULL);
}

static void
test_shapes (void)
{
  const gint64 a0[] = { 2, 0, 4 }, a1[] = { 3, 5, -1 }, a2[] = { 4, 6, 7 };
  const gint64 b0[] = { 1, 1, 9 }, b1[] = { 7, 4, -3 }, b2[] = { 4, 0, 8 };
  const gint64 expected[10][3] = {
    { 1, 0, 4 }, { 3, 4, -3 }, { 4, 0, 7 }, { 2, 1, 9 }, { 7, 5, -1 }, { 4, 6, 8 }, { 4, 6, 7 }, { 2, 0, 4 }, { 3, 5, -1 }, { 24, 0, 0 },
  };
  g_autoptr(AccArray) x = triples (a0, a1, a2);
  g_autoptr(AccArray) y = triples (b0, b1, b2);
  g_autoptr(AccArray) array = acc_array_zip_with (x, y, apply_parts, (gpointer) shape_functions);
  g_autoptr(AccArray) vectors = combine_parts ("u1", "u1", 3, a2, b2, shape_functions);

  for (guint leaf = 0; leaf < 10; leaf++)
    expect_leaf ("shapes", "rank-3", leaf < 3 ? "intersect" : leaf < 6 ? "union" : leaf < 9 ? "head-tail" : "size", array, leaf, 3,
                 expected[leaf]);
  expect_leaf ("shapes", "rank-1", "intersect", vectors, 0, 3, expected[2]);
  expect_leaf ("shapes", "rank-1", "union", vectors, 1, 3, expected[5]);
  expect_leaf ("shapes", "rank-1", "head", vectors, 2, 3, a2);
  expect_leaf ("shapes", "rank-1", "size", vectors, 3, 3, a2);
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_func ("/scalars/division", test_division);
  g_test_add_func ("/scalars/undefined-division", test_undefined_division);
  g_test_add_func ("/scalars/number-theory", test_number_theory);
  g_test_add_func ("/scalars/powers", test_powers);
  g_test_add_func ("/scalars/exact-powers", test_exact_powers);
  g_test_add_func ("/scalars/extents", test_extents);
  g_test_add_func ("/scalars/bits", test_bits);
  g_test_add_func ("/scalars/unsigned-amounts", test_unsigned_amounts);
  g_test_add_func ("/scalars/bits-of-bool", test_bits_of_bool);
  g_test_add_func ("/scalars/rounding", test_rounding);
  g_test_add_func ("/scalars/float-order", test_float_order);
  g_test_add_func ("/scalars/float-parts", test_float_parts);
  g_test_add_func ("/scalars/float-division", test_float_division);
  g_test_add_func ("/scalars/copy-sign", test_copy_sign);
  g_test_add_func ("/scalars/saturation", test_saturation);
  g_test_add_func ("/scalars/integer-order", test_integer_order);
  g_test_add_func ("/scalars/tuple-order", test_tuple_order);
  g_test_add_func ("/scalars/unit-order", test_unit_order);
  g_test_add_func ("/scalars/shapes", test_shapes);
  return conf_run ();
}
