/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>

/* Ratios of all integer types, against a plain loop; what numbers are as ratios. */

#define MAX_CASES 64

static AccExpr *
take_apart (AccExpr *a, AccExpr *b, gpointer data)
{
  g_autoptr(AccExpr) ratio = acc_expr_ref_sink (acc_expr_ratio (a, b));

  return acc_expr_tuple2 (acc_expr_numerator (ratio), acc_expr_denominator (ratio));
}

static AccExpr *
are_equal (AccExpr *a, AccExpr *b, gpointer data)
{
  g_autoptr(AccExpr) x = acc_expr_ref_sink (a), y = acc_expr_ref_sink (b);
  AccExpr *twice = acc_expr_ratio (acc_expr_mul (x, acc_expr_new_int (2)), acc_expr_mul (y, acc_expr_new_int (2)));

  return acc_expr_tuple2 (acc_expr_eq (acc_expr_ratio (x, y), twice), acc_expr_ne (acc_expr_ratio (x, y), acc_expr_ratio (y, x)));
}

static AccExpr *convert (AccExpr *a, gpointer data) { return acc_expr_to_ratio (a); }

static guint64
magnitude (gint64 value)
{
  return value < 0 ? -(guint64) value : (guint64) value;
}

/* By subtraction's big brother, on magnitudes. */
static guint64
common_divisor (guint64 a,
                guint64 b)
{
  while (b != 0)
    {
      guint64 rest = a % b;

      a = b;
      b = rest;
    }
  return a;
}

static void
expect_ratios (const char   *what,
               const char   *code,
               guint         n,
               const gint64 *a,
               const gint64 *b)
{
  gboolean is_signed = code[0] == 'i';
  gint64 above[MAX_CASES], below[MAX_CASES];
  g_autoptr(AccArray) x = conf_ints (code, (gint64[]) { n }, 1, a), y = conf_ints (code, (gint64[]) { n }, 1, b);
  g_autofree char *name = g_strdup_printf ("ratio/%s/%s", what, code), *shape = g_strdup_printf ("[%u]", n);

  for (guint i = 0; i < n; i++)
    {
      guint64 p = is_signed ? magnitude (a[i]) : (guint64) a[i], q = is_signed ? magnitude (b[i]) : (guint64) b[i];
      guint64 divisor = common_divisor (p, q);
      gboolean is_negative = is_signed && (a[i] < 0) != (b[i] < 0);

      above[i] = is_negative ? -(gint64) (p / divisor) : (gint64) (p / divisor);
      below[i] = q / divisor;
    }
  conf_expect_ints (name, acc_array_zip_with (x, y, take_apart, NULL), shape, 0, n, above);
  conf_expect_ints (name, acc_array_zip_with (x, y, take_apart, NULL), shape, 1, n, below);
}

static void
test_every_type (void)
{
  const gint64 a[] = { 6, -6, 6, -6, 0, 0, 1, -127, 127, 100, 64, 5 }, b[] = { 8, 8, -8, -8, 5, -5, 1, 127, -1, 75, -96, 5 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (AccElementKind kind = ACC_KIND_I8; kind <= ACC_KIND_U64; kind++)
    {
      const char *code = acc_element_kind_get_code (kind);
      guint bits = 8 * acc_element_kind_get_size (kind);
      gboolean is_signed = acc_element_kind_is_signed (kind);
      gint64 x[MAX_CASES], y[MAX_CASES];

      for (guint i = 0; i < G_N_ELEMENTS (a); i++)
        {
          x[i] = is_signed ? a[i] : ABS (a[i]);
          y[i] = is_signed ? b[i] : ABS (b[i]);
        }
      expect_ratios ("edges", code, G_N_ELEMENTS (a), x, y);

      for (guint i = 0; i < MAX_CASES; i++)
        {
          guint64 wide = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand),
            other = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
          guint drop = 64 - bits + is_signed + g_rand_int_range (rand, 0, bits - 2);

          x[i] = wide >> drop;
          y[i] = MAX (other >> drop, 1);
          if (is_signed && i % 3 == 1)
            x[i] = -x[i];
          if (is_signed && i % 4 == 2)
            y[i] = -y[i];
        }
      expect_ratios ("random", code, MAX_CASES, x, y);
    }
}

static void
test_least (void)
{
  g_autoptr(AccArray) a = CONF_INTS1 ("i1", -128, -128, -128, 0), b = CONF_INTS1 ("i1", 6, -128, 1, -128);

  CONF_EXPECT_INTS ("ratio/least", acc_array_zip_with (a, b, take_apart, NULL), "[4]", -64, 1, -128, 0);
  conf_expect_ints ("ratio/least", acc_array_zip_with (a, b, take_apart, NULL), "[4]", 1, 4, (gint64[]) { 3, 1, 1, 1 });
}

static void
test_equality (void)
{
  g_autoptr(AccArray) a = CONF_INTS1 ("i4", 6, -6, 10, 1), b = CONF_INTS1 ("i4", 8, 8, 5, 7);

  CONF_EXPECT_INTS ("ratio/equal", acc_array_zip_with (a, b, are_equal, NULL), "[4]", 1, 1, 1, 1);
}

static void
test_no_denominator (void)
{
  static const char * const codes[] = { "i1", "u4", "i8" };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr(AccArray) a = CONF_INTS1 (codes[i], 5, 0, 1), b = CONF_INTS1 (codes[i], 3, 0, 0);
      AccArray *ratios = acc_array_zip_with (a, b, take_apart, NULL);

      if (conf_checks_are_on ())
        CONF_EXPECT_ERROR ("ratio/by-zero", ratios, ACC_ERROR_ARITHMETIC, "zip_with");
      else
        CONF_EXPECT_INTS ("ratio/by-zero", ratios, "[3]", 5, 0, 0);
    }
}

static void
expect_conversion (const char   *name,
                   AccArray     *numbers,
                   guint         n,
                   const gint64 *above,
                   const gint64 *below)
{
  g_autofree char *shape = g_strdup_printf ("[%u]", n);
  g_autoptr(AccArray) array = numbers;

  conf_expect_ints (name, acc_array_map (array, convert, NULL), shape, 0, n, above);
  conf_expect_ints (name, acc_array_map (array, convert, NULL), shape, 1, n, below);
}

static void
test_conversion (void)
{
  static const char * const codes[] = { "f2", "f4", "f8" };
  const double small[] = { 0, -0.0, 1, -0.375, 0.5, 96, -2.75, 0x1p-10, NAN, INFINITY, -INFINITY };
  const gint64 above[] = { 0, 0, 1, -3, 1, 96, -11, 1, 0, G_MAXINT64, G_MININT64 }, below[] = { 1, 1, 1, 8, 2, 1, 4, 1024, 1, 1, 1 };
  /* The least subnormal half, a third, and what does not fit. */
  const double wide[] = { 1. / 3, 0x1p-62, 0x1.8p-62, -0x1p-63, 0x1p-1074, 0x1p62, 0x1p63, -0x1p100 };
  const gint64 wide_above[] = { 6004799503160661, 1, 1, 0, 0, (gint64) 1 << 62, G_MAXINT64, G_MININT64 };
  const gint64 wide_below[] = { (gint64) 1 << 54, (gint64) 1 << 62, (gint64) 1 << 61, 1, 1, 1, 1, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autofree char *name = g_strdup_printf ("to_ratio/%s", codes[i]);

      expect_conversion (name, conf_floats (codes[i], (gint64[]) { G_N_ELEMENTS (small) }, 1, small), G_N_ELEMENTS (small), above, below);
    }
  expect_conversion ("to_ratio/wide", conf_floats ("f8", (gint64[]) { G_N_ELEMENTS (wide) }, 1, wide), G_N_ELEMENTS (wide), wide_above,
                     wide_below);
  expect_conversion ("to_ratio/subnormal", CONF_FLOATS1 ("f2", 0x1p-24, 0x1.8p-23), 2, (gint64[]) { 1, 3 },
                     (gint64[]) { 1 << 24, 1 << 24 });

  for (AccElementKind kind = ACC_KIND_I8; kind <= ACC_KIND_U64; kind++)
    expect_conversion ("to_ratio/integers", CONF_INTS1 (acc_element_kind_get_code (kind), 0, 1, 100), 3, (gint64[]) { 0, 1, 100 },
                       (gint64[]) { 1, 1, 1 });
}

static AccExpr *above (AccExpr *a, gpointer data) { return acc_expr_numerator (a); }
static AccExpr *below (AccExpr *a, gpointer data) { return acc_expr_denominator (a); }
static AccExpr *itself (AccExpr *a, gpointer data) { return acc_expr_ratio (a, a); }

static void
test_mistakes (void)
{
  g_autoptr(AccArray) floats = CONF_FLOATS1 ("f4", 1), flags = CONF_INTS1 ("b1", 1), numbers = CONF_INTS1 ("i4", 1);
  g_autoptr(AccArray) pairs = acc_array_zip (numbers, floats);

  CONF_EXPECT_ERROR ("ratio/mistake", acc_array_map (floats, itself, NULL), ACC_ERROR_TYPE, "ratio");
  CONF_EXPECT_ERROR ("numerator/mistake", acc_array_map (pairs, above, NULL), ACC_ERROR_TYPE, "numerator");
  CONF_EXPECT_ERROR ("denominator/mistake", acc_array_map (numbers, below, NULL), ACC_ERROR_TYPE, "denominator");
  CONF_EXPECT_ERROR ("to_ratio/mistake", acc_array_map (flags, convert, NULL), ACC_ERROR_TYPE, "to_ratio");
}

int
main (int    argc,
      char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_func ("/ratios/every-type", test_every_type);
  g_test_add_func ("/ratios/least", test_least);
  g_test_add_func ("/ratios/equality", test_equality);
  g_test_add_func ("/ratios/no-denominator", test_no_denominator);
  g_test_add_func ("/ratios/conversion", test_conversion);
  g_test_add_func ("/ratios/mistakes", test_mistakes);
  return conf_run ();
}
