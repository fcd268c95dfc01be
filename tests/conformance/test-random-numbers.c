/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>

/* Random numbers: the generator against its authors' known answers, and the arrays against the generator in C. */

typedef struct {
  guint32 w[4];
} Block;

static Block
philox (Block counter, guint32 key0, guint32 key1)
{
  guint32 *c = counter.w;

  for (guint round = 0; round < 10; round++)
    {
      guint64 x = G_GUINT64_CONSTANT (0xd2511f53) * c[0], y = G_GUINT64_CONSTANT (0xcd9e8d57) * c[2];

      counter = (Block) { { (guint32) (y >> 32) ^ c[1] ^ key0, (guint32) y, (guint32) (x >> 32) ^ c[3] ^ key1, (guint32) x } };
      key0 += 0x9e3779b9;
      key1 += 0xbb67ae85;
    }

  return counter;
}

static Block
nth_block (guint64 n, guint64 seed, guint64 stream)
{
  return philox ((Block) { { (guint32) n, (guint32) (n >> 32), (guint32) stream, (guint32) (stream >> 32) } }, (guint32) seed,
                 (guint32) (seed >> 32));
}

static guint64
nth_wide (guint64 n, guint64 seed, guint64 stream)
{
  Block block = nth_block (n / 2, seed, stream);

  return (guint64) block.w[n % 2 * 2 + 1] << 32 | block.w[n % 2 * 2];
}

static AccExpr *
word (guint32 value)
{
  return acc_expr_new_typed_uint (conf_type ("u4"), value);
}

typedef struct {
  guint32 counter[4], key[2], answer[4];
} Answer;

/* The vectors that come with Random123. */
static const Answer answers[] = {
  { { 0 }, { 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
  { { G_MAXUINT32, G_MAXUINT32, G_MAXUINT32, G_MAXUINT32 }, { G_MAXUINT32, G_MAXUINT32 },
    { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
  { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, { 0xa4093822, 0x299f31d0 }, { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
};

static void
test_answers (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    {
      const Answer *a = &answers[i];
      g_autoptr(AccExpr) bits = acc_expr_ref_sink (acc_expr_philox (acc_expr_tuple4 (word (a->counter[0]), word (a->counter[1]),
                                                                                     word (a->counter[2]), word (a->counter[3])),
                                                                    acc_expr_tuple2 (word (a->key[0]), word (a->key[1]))));
      g_autoptr(AccArray) array = acc_array_unit (bits);
      Block block = philox ((Block) { { a->counter[0], a->counter[1], a->counter[2], a->counter[3] } }, a->key[0], a->key[1]);

      for (guint leaf = 0; leaf < 4; leaf++)
        {
          g_autofree char *name = g_strdup_printf ("philox/%u/%u", i, leaf);

          g_assert_cmphex (block.w[leaf], ==, a->answer[leaf]);
          conf_expect_ints (name, g_object_ref (array), "[]", leaf, 1, (gint64[]) { a->answer[leaf] });
        }
    }
}

static const guint64 seeds[] = { 0, 42, G_GUINT64_CONSTANT (0xfedcba9876543210) },
  streams[] = { 0, 7, G_GUINT64_CONSTANT (0x0123456789abcdef) };
static const gint64 extents[][3] = { { 0 }, { 1 }, { 4099 }, { 3, 0 }, { 5, 7 }, { 2, 3, 70 } };
static const guint ranks[] = { 1, 1, 1, 2, 2, 3 };

static void
test_bits (void)
{
  static const struct { const char *code; guint bits; gboolean is_signed; } types[] =
    { { "u1", 8 }, { "i1", 8, TRUE }, { "u2", 16 }, { "i2", 16, TRUE }, { "u4", 32 }, { "i4", 32, TRUE }, { "i8", 64, TRUE } };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint s = 0; s < G_N_ELEMENTS (ranks); s++)
      {
        g_autoptr(AccShape) shape = acc_shape_new (extents[s], ranks[s]);
        gint64 size = acc_shape_get_size (shape);
        g_autofree gint64 *wanted = g_new (gint64, size + 1);
        g_autofree char *text = acc_shape_to_string (shape), *name = g_strdup_printf ("bits/%s%s", types[t].code, text);
        guint64 seed = seeds[s % 3], stream = streams[(s + t) % 3];

        if (!conf_is_thorough () && t % 2 == 1)
          continue;
        for (gint64 i = 0; i < size; i++)
          {
            guint64 bits = types[t].bits == 64 ? nth_wide (i, seed, stream) : nth_block (i / 4, seed, stream).w[i % 4];
            guint shift = 64 - types[t].bits;

            wanted[i] = types[t].is_signed ? (gint64) (bits << shift) >> shift : (gint64) (bits << shift >> shift);
          }
        conf_expect_ints (name, acc_array_random_bits (conf_type (types[t].code), shape, seed, stream), text, 0, size, wanted);
      }
}

static void
test_uniform (void)
{
  static const struct { const char *code; guint precision; } types[] = { { "f2", 11 }, { "f4", 24 }, { "f8", 53 } };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint s = 0; s < G_N_ELEMENTS (ranks); s++)
      {
        g_autoptr(AccShape) shape = acc_shape_new (extents[s], ranks[s]);
        gint64 size = acc_shape_get_size (shape);
        g_autofree double *wanted = g_new (double, size + 1);
        g_autofree char *text = acc_shape_to_string (shape), *name = g_strdup_printf ("uniform/%s%s", types[t].code, text);

        for (gint64 i = 0; i < size; i++)
          {
            guint64 bits = t == 2 ? nth_wide (i, seeds[s % 3], 1) : (guint64) nth_block (i / 4, seeds[s % 3], 1).w[i % 4] << 32;

            wanted[i] = ldexp ((double) (bits >> (64 - types[t].precision)), -(int) types[t].precision);
          }
        conf_expect_floats (name, acc_array_random_uniform (conf_type (types[t].code), shape, seeds[s % 3], 1), text, 0, size, wanted);
      }
}

static void
test_normal (void)
{
  static const char *const codes[] = { "f2", "f4", "f8" };
  const gint64 n = 40000;
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  for (guint t = 0; t < G_N_ELEMENTS (codes); t++)
    {
      g_autofree char *name = g_strdup_printf ("normal/%s", codes[t]);
      g_autoptr(AccArray) array = acc_array_random_normal (conf_type (codes[t]), shape, 42, t), result = NULL;
      double moments[5] = { 0 };

      conf_check_array (name, g_object_ref (array), (ConfTolerance) { 4, TRUE, t == 0 ? 0.01 : 1e-5 });
      result = acc_backend_run (conf_interpreter (), array, NULL, NULL);
      for (gint64 i = 0; i < n; i++)
        {
          double x = acc_array_get_double (result, 0, i);

          for (guint m = 1; m < 5; m++)
            moments[m] += pow (x, m) / (double) n;
          /* Neighbours come of the same two numbers. */
          if (i % 2 == 1)
            moments[0] += 2 * x * acc_array_get_double (result, 0, i - 1) / (double) n;
        }
      /* Five standard deviations of each. */
      g_assert_cmpfloat (fabs (moments[0]), <, 5 * sqrt (2.0 / n));
      g_assert_cmpfloat (fabs (moments[1]), <, 5 * sqrt (1.0 / n));
      g_assert_cmpfloat (fabs (moments[2] - 1), <, 5 * sqrt (2.0 / n));
      g_assert_cmpfloat (fabs (moments[3]), <, 5 * sqrt (15.0 / n));
      g_assert_cmpfloat (fabs (moments[4] - 3), <, 5 * sqrt (96.0 / n));
    }
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 Wide;

/* The upper 128 of the 192 bits of a block times @range, cut off at the point. */
static gint64
nth_integer (guint64 n, gint64 low, gint64 high, guint64 seed, guint64 stream)
{
  Block block = nth_block (n, seed, stream);
  guint64 range = (guint64) high - (guint64) low, lower = (guint64) block.w[1] << 32 | block.w[0],
    upper = (guint64) block.w[3] << 32 | block.w[2];
  Wide sum = (Wide) upper * range + (guint64) ((Wide) lower * range >> 64);

  return (gint64) ((guint64) low + (guint64) (sum >> 64));
}

static void
test_integers (void)
{
  static const struct { const char *code; gint64 low, high; } cases[] = {
    { "u1", 0, 256 }, { "u1", 3, 4 }, { "i1", -128, 128 }, { "i2", -3, 7 }, { "i4", G_MININT32, G_MAXINT32 },
    { "u4", 0, (gint64) G_MAXUINT32 + 1 }, { "i8", G_MININT64, G_MAXINT64 }, { "i8", -1, G_MAXINT64 }, { "u8", 1, 1000000007 },
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    for (guint s = 0; s < G_N_ELEMENTS (ranks); s++)
      {
        g_autoptr(AccShape) shape = acc_shape_new (extents[s], ranks[s]);
        gint64 size = acc_shape_get_size (shape), low = cases[c].low, high = cases[c].high;
        g_autofree gint64 *wanted = g_new (gint64, size + 1);
        g_autofree char *text = acc_shape_to_string (shape), *name = g_strdup_printf ("integers/%s/%u%s", cases[c].code, c, text);

        if (!conf_is_thorough () && c % 3 != 0)
          continue;
        for (gint64 i = 0; i < size; i++)
          {
            wanted[i] = nth_integer (i, low, high, seeds[s % 3], 3);
            g_assert_cmpint (wanted[i], >=, low);
            g_assert_cmpint (wanted[i], <, high);
          }
        conf_expect_ints (name, acc_array_random_integers (conf_type (cases[c].code), shape, low, high, seeds[s % 3], 3), text, 0, size,
                          wanted);
      }
}
#endif

static AccExpr *
bound (const char *code, gboolean is_highest)
{
  return is_highest ? acc_expr_new_maximum (conf_type (code)) : acc_expr_new_minimum (conf_type (code));
}

/* The whole of a type: of 64 bits the upper half of each block, after the least. */
static void
test_whole (void)
{
  static const char *const codes[] = { "u8", "i8", "u1", "i4" };
  g_autoptr(AccShape) shape = acc_shape_new_vector (1000);

  for (guint c = 0; c < G_N_ELEMENTS (codes); c++)
    {
      gboolean is_wide = codes[c][1] == '8', is_signed = codes[c][0] == 'i';
      guint bits = 8 * (guint) (codes[c][1] - '0');
      g_autofree gint64 *wanted = g_new (gint64, 1000);
      g_autofree char *name = g_strdup_printf ("whole/%s", codes[c]);

      for (guint64 i = 0; i < 1000; i++)
        {
          Block block = nth_block (i, 42, 3);

          wanted[i] = is_wide ? (gint64) (((guint64) block.w[3] << 32 | block.w[2]) + (is_signed ? (guint64) 1 << 63 : 0))
                              : (gint64) (block.w[3] >> (32 - bits)) - (is_signed ? (gint64) 1 << (bits - 1) : 0);
        }
      conf_expect_ints (name,
                        acc_array_random_integers_between (conf_type (codes[c]), shape, bound (codes[c], FALSE), bound (codes[c], TRUE), 42,
                                                           3), "[1000]", 0, 1000, wanted);
    }

  /* The same as with the one after the highest. */
  {
    g_autoptr(AccArray) dice = acc_array_random_integers (conf_type ("u2"), shape, 1, 7, 42, 0),
      result = acc_backend_run (conf_interpreter (), dice, NULL, NULL);
    g_autofree gint64 *wanted = g_new (gint64, 1000);

    for (guint i = 0; i < 1000; i++)
      wanted[i] = acc_array_get_int (result, 0, i);
    conf_expect_ints ("whole/dice",
                      acc_array_random_integers_between (conf_type ("u2"), shape, acc_expr_new_int (1), acc_expr_new_int (6), 42, 0),
                      "[1000]", 0, 1000, wanted);
    conf_expect_ints ("whole/one",
                      acc_array_random_integers_between (conf_type ("u8"), shape, bound ("u8", TRUE), bound ("u8", TRUE), 42, 0), "[1000]",
                      0, 1, (gint64[]) { -1 });
  }
}

static void
test_mistakes (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  AccArray *bad = acc_array_random_bits (conf_type ("f4"), shape, 0, 0);

  acc_array_set_label (bad, "noise");
  CONF_EXPECT_ERROR ("bits/floats", bad, ACC_ERROR_TYPE, "random_bits", "noise", "f4");
  CONF_EXPECT_ERROR ("bits/flags", acc_array_random_bits (conf_type ("b1"), shape, 0, 0), ACC_ERROR_TYPE, "random_bits", "b1");
  CONF_EXPECT_ERROR ("uniform/integers", acc_array_random_uniform (conf_type ("i4"), shape, 0, 0), ACC_ERROR_TYPE, "random_uniform", "i4");
  CONF_EXPECT_ERROR ("normal/pairs", acc_array_random_normal (conf_type ("(f4,f4)"), shape, 0, 0), ACC_ERROR_TYPE, "random_normal",
                     "(f4,f4)");
  CONF_EXPECT_ERROR ("integers/none", acc_array_random_integers (conf_type ("i4"), shape, 3, 3, 0, 0), ACC_ERROR_TYPE, "random_integers",
                     "3");
  CONF_EXPECT_ERROR ("integers/wide", acc_array_random_integers (conf_type ("u1"), shape, 0, 257, 0, 0), ACC_ERROR_TYPE, "random_integers",
                     "257", "u1");
  CONF_EXPECT_ERROR ("integers/negative", acc_array_random_integers (conf_type ("u8"), shape, -1, 3, 0, 0), ACC_ERROR_TYPE,
                     "random_integers", "-1");
  CONF_EXPECT_ERROR ("integers/floats", acc_array_random_integers (conf_type ("f8"), shape, 0, 3, 0, 0), ACC_ERROR_TYPE, "random_integers",
                     "f8");
  CONF_EXPECT_ERROR ("between/order",
                     acc_array_random_integers_between (conf_type ("u8"), shape, bound ("u8", TRUE), acc_expr_new_int (3), 0, 0),
                     ACC_ERROR_TYPE, "random_integers_between", "above");
  CONF_EXPECT_ERROR ("between/wide",
                     acc_array_random_integers_between (conf_type ("u1"), shape, acc_expr_new_int (0), acc_expr_new_int (256), 0, 0),
                     ACC_ERROR_TYPE, "random_integers_between", "256", "u1");
  CONF_EXPECT_ERROR ("between/type",
                     acc_array_random_integers_between (conf_type ("u1"), shape, bound ("u8", FALSE), acc_expr_new_int (3), 0, 0),
                     ACC_ERROR_TYPE, "random_integers_between", "literals of u1");
  CONF_EXPECT_ERROR ("between/none", acc_array_random_integers_between (conf_type ("u1"), shape, NULL, acc_expr_new_int (3), 0, 0),
                     ACC_ERROR_CALLBACK, "a bound");
  CONF_EXPECT_ERROR ("between/floats",
                     acc_array_random_integers_between (conf_type ("f4"), shape, acc_expr_new_int (0), acc_expr_new_int (3), 0, 0),
                     ACC_ERROR_TYPE, "random_integers_between", "f4");
  CONF_EXPECT_ERROR ("philox/counter", acc_array_unit (acc_expr_philox (word (1), acc_expr_tuple2 (word (1), word (2)))), ACC_ERROR_TYPE,
                     "philox", "counter");
  CONF_EXPECT_ERROR ("philox/key", acc_array_unit (acc_expr_philox (acc_expr_tuple4 (word (1), word (1), word (1), word (1)), word (1))),
                     ACC_ERROR_TYPE, "philox", "key");
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_func ("/random-numbers/answers", test_answers);
  g_test_add_func ("/random-numbers/bits", test_bits);
  g_test_add_func ("/random-numbers/uniform", test_uniform);
  g_test_add_func ("/random-numbers/normal", test_normal);
#ifdef __SIZEOF_INT128__
  g_test_add_func ("/random-numbers/integers", test_integers);
#endif
  g_test_add_func ("/random-numbers/mistakes", test_mistakes);
  g_test_add_func ("/random-numbers/whole", test_whole);
  return conf_run ();
}
