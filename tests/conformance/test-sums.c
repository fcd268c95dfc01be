/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>

/* Sum types, as tagged tuples: values that may be missing, one value or another, and choices by a tag. */

static gint64
element_type_seed (const char *code)
{
  return conf_seed () + g_str_hash (code);
}

/* --- values that may be missing */

static AccExpr *
square_root (AccExpr *x, gpointer data)
{
  return acc_expr_cond (acc_expr_lt (x, acc_expr_new_int (0)), acc_expr_nothing (acc_expr_get_element_type (x)),
                        acc_expr_just (acc_expr_sqrt (x)));
}

static AccExpr *
twice (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, x);
}

static AccExpr *
ask (AccExpr *m, gpointer data)
{
  AccExpr *items[] = { acc_expr_is_just (m), acc_expr_is_nothing (m), acc_expr_from_just (m),
                       acc_expr_from_maybe (m, acc_expr_new_int (-1)), acc_expr_maybe (m, acc_expr_new_float (0.5), twice, NULL) };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

static void
test_maybe (void)
{
  static const char * const codes[] = { "f2", "f4", "f8" };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr(AccArray) x = CONF_FLOATS1 (codes[i], 4, -4, 0, -0.25, INFINITY);
      g_autoptr(AccArray) roots = acc_array_map (x, square_root, NULL);
      g_autoptr(AccArray) asked = acc_array_map (roots, ask, NULL);

      conf_expect_ints ("maybe/tag", g_object_ref (roots), "[5]", 0, 5, (gint64[]) { 1, 0, 1, 0, 1 });
      conf_expect_floats ("maybe/zero-where-nothing", g_object_ref (roots), "[5]", 1, 5, (double[]) { 2, 0, 0, 0, INFINITY });
      conf_expect_ints ("is_just", g_object_ref (asked), "[5]", 0, 5, (gint64[]) { 1, 0, 1, 0, 1 });
      conf_expect_ints ("is_nothing", g_object_ref (asked), "[5]", 1, 5, (gint64[]) { 0, 1, 0, 1, 0 });
      conf_expect_floats ("from_just", g_object_ref (asked), "[5]", 2, 5, (double[]) { 2, 0, 0, 0, INFINITY });
      conf_expect_floats ("from_maybe", g_object_ref (asked), "[5]", 3, 5, (double[]) { 2, -1, 0, -1, INFINITY });
      conf_expect_floats ("maybe", g_object_ref (asked), "[5]", 4, 5, (double[]) { 4, 0.5, 0, 0.5, INFINITY });
    }
}

/* An index, where it is inside. */
static AccExpr *
find (AccExpr *i, gpointer array)
{
  AccExpr *inside = acc_expr_and_then (acc_expr_ge (i, acc_expr_new_int (0)), acc_expr_lt (i, acc_expr_extent (array, 0)));

  return acc_expr_cond (inside, acc_expr_just (i), acc_expr_nothing (acc_element_type_new (ACC_KIND_I64)));
}

static AccExpr *
read_at (AccExpr *i, gpointer array)
{
  return acc_expr_index (array, i);
}

static AccExpr *
read_if_there (AccExpr *i, gpointer array)
{
  g_autoptr(AccExpr) found = acc_expr_ref_sink (find (i, array));

  return acc_expr_maybe (found, acc_expr_new_int (-7), read_at, array);
}

/* Outside, where something is there. */
static AccExpr *
default_if_missing (AccExpr *i, gpointer array)
{
  g_autoptr(AccExpr) found = acc_expr_ref_sink (find (i, array));

  return acc_expr_from_maybe (found,
                              acc_expr_cast (acc_expr_index (array, acc_expr_mul (acc_expr_from_just (found), acc_expr_new_int (100))),
                                             acc_element_type_new (ACC_KIND_I64)));
}

/* Only the side that is taken is evaluated: the other one would read outside. */
static void
test_taken_sides (void)
{
  g_autoptr(AccArray) values = CONF_INTS1 ("i2", 10, 20, 30);
  g_autoptr(AccArray) indices = CONF_INTS1 ("i8", 0, -1, 2, 3, 1, G_MAXINT64);

  CONF_EXPECT_INTS ("maybe/guards", acc_array_map (indices, read_if_there, values), "[6]", 10, -7, 30, -7, 20, -7);
  CONF_EXPECT_INTS ("from_maybe/guards", acc_array_map (indices, default_if_missing, values), "[6]", 0, 10, 2, 10, 1, 10);
}

static AccExpr *
maybe_of (AccExpr *flag, AccExpr *x, gpointer data)
{
  return acc_expr_cond (flag, acc_expr_just (x), acc_expr_nothing (acc_expr_get_element_type (x)));
}

static AccExpr *
either_of (AccExpr *flag, AccExpr *x, gpointer data)
{
  g_autoptr(AccExpr) value = acc_expr_ref_sink (x);
  AccExpr *pair = acc_expr_tuple2 (value, acc_expr_new_float (1));
  AccElementType *type = acc_expr_get_element_type (value);
  g_autoptr(AccElementType) pairs = acc_element_type_new_tuple ((AccElementType *[]) { type, acc_element_type_new (ACC_KIND_F64) }, 2);

  return acc_expr_cond (flag, acc_expr_right (pair, type), acc_expr_left (value, pairs));
}

static AccExpr *
with_one (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, acc_expr_new_float (1));
}

static AccExpr *
inverted (AccExpr *flag, gpointer data)
{
  return acc_expr_lnot (flag);
}

static void
check_selection (const char *code, const gint64 *extents, guint rank, gboolean counted, GRand *rand)
{
  g_autofree char *name = g_strdup_printf ("selection/%s/rank-%u", code, rank);
  g_autoptr(AccArray) x = conf_array (conf_type (code), extents, rank, rand, CONF_FULL);
  g_autoptr(AccArray) flags = conf_array (conf_type ("b1"), extents, rank, rand, CONF_FULL);
  g_autoptr(AccArray) others = acc_array_map (flags, inverted, NULL);
  g_autoptr(AccArray) maybes = acc_array_zip_with (flags, x, maybe_of, NULL);
  g_autoptr(AccArray) eithers = acc_array_zip_with (flags, x, either_of, NULL);
  g_autoptr(AccArray) pairs = acc_array_map (x, with_one, NULL);
  AccArray *counts[6] = { NULL };

  conf_expect_array (name, acc_array_filter_just (maybes, &counts[0]), acc_array_compact (x, flags, &counts[3]));
  conf_expect_array (name, acc_array_filter_left (eithers, &counts[1]), acc_array_compact (x, others, &counts[4]));
  conf_expect_array (name, acc_array_filter_right (eithers, &counts[2]), acc_array_compact (pairs, flags, &counts[5]));
  for (guint i = 0; i < 3; i++)
    if (counted)
      {
        conf_expect_array (name, counts[i], counts[i + 3]);
      }
    else
      {
        g_object_unref (counts[i]);
        g_object_unref (counts[i + 3]);
      }
}

static void
test_selection (void)
{
  static const gint64 extents[][5] = { { 700 }, { 5, 130 }, { 3, 0, 4 }, { 2, 3, 1, 40 }, { 2, 1, 3, 2, 17 }, { 0 } };
  static const guint ranks[] = { 1, 2, 3, 4, 5, 1 };

  for (guint t = 0; t < conf_n_types (); t++)
    {
      g_autoptr(GRand) rand = g_rand_new_with_seed ((guint32) element_type_seed (conf_types[t]));

      /* Each type at two ranks, each rank with several types. */
      for (guint i = t % 3; i < G_N_ELEMENTS (ranks); i += 3)
        check_selection (conf_types[t], extents[i], ranks[i], t < 3, rand);
    }
}

static void
test_selection_by_hand (void)
{
  g_autoptr(AccArray) flags = CONF_INTS2 ("b1", 2, 3, 1, 0, 1, 0, 0, 1);
  g_autoptr(AccArray) x = CONF_INTS2 ("i4", 2, 3, 5, 6, 0, 8, 9, 10);
  g_autoptr(AccArray) maybes = acc_array_zip_with (flags, x, maybe_of, NULL);
  g_autoptr(AccArray) eithers = acc_array_zip_with (flags, x, either_of, NULL);
  AccArray *justs, *lefts, *rights, *counts[3];

  justs = acc_array_filter_just (maybes, &counts[0]);
  lefts = acc_array_filter_left (eithers, &counts[1]);
  rights = acc_array_filter_right (eithers, &counts[2]);
  CONF_EXPECT_INTS ("filter_just", justs, "[3]", 5, 0, 10);
  CONF_EXPECT_INTS ("filter_just/counts", counts[0], "[2]", 2, 1);
  CONF_EXPECT_INTS ("filter_left", lefts, "[3]", 6, 8, 9);
  CONF_EXPECT_INTS ("filter_left/counts", counts[1], "[2]", 1, 2);
  CONF_EXPECT_INTS ("filter_right", rights, "[3]", 5, 0, 10);
  CONF_EXPECT_INTS ("filter_right/counts", counts[2], "[2]", 2, 1);
  CONF_EXPECT_INTS ("justs/without-counts", acc_array_filter_just (maybes, NULL), "[3]", 5, 0, 10);
}

static void
test_mistakes (void)
{
  g_autoptr(AccArray) numbers = CONF_INTS1 ("u1", 1, 2);
  g_autoptr(AccArray) one = conf_ints ("b1", NULL, 0, (gint64[]) { 1 });
  g_autoptr(AccArray) value = conf_ints ("i4", NULL, 0, (gint64[]) { 1 });
  g_autoptr(AccArray) maybe = acc_array_zip_with (one, value, maybe_of, NULL);
  AccArray *counts;

  CONF_EXPECT_ERROR ("justs/type", acc_array_filter_just (numbers, NULL), ACC_ERROR_TYPE, "filter_just", "u1");
  CONF_EXPECT_ERROR ("lefts/type", acc_array_filter_left (maybe, NULL), ACC_ERROR_SHAPE, "filter_left", "rank 0");
  CONF_EXPECT_ERROR ("rights/type", acc_array_filter_right (numbers, &counts), ACC_ERROR_TYPE, "filter_right", "u1");
  CONF_EXPECT_ERROR ("filter_right/counts", counts, ACC_ERROR_TYPE, "filter_right", "u1");
  CONF_EXPECT_ERROR ("justs/rank-0", acc_array_filter_just (maybe, NULL), ACC_ERROR_SHAPE, "filter_just", "rank 0");
}

/* --- order: nothing before all values, left ones before right ones */

static AccExpr *
orders (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple3 (acc_expr_compare (x, y), acc_expr_eq (x, y), acc_expr_min (x, y));
}

static void
test_order (void)
{
  g_autoptr(AccArray) flags = CONF_INTS1 ("b1", 0, 0, 1, 1, 1), others = CONF_INTS1 ("b1", 0, 1, 0, 1, 1);
  g_autoptr(AccArray) x = CONF_INTS1 ("i4", 5, 9, -3, 4, 4), y = CONF_INTS1 ("i4", 6, -9, 3, 5, 4);
  g_autoptr(AccArray) a = acc_array_zip_with (flags, x, maybe_of, NULL), b = acc_array_zip_with (others, y, maybe_of, NULL);
  g_autoptr(AccArray) c = acc_array_zip_with (flags, x, either_of, NULL), d = acc_array_zip_with (others, y, either_of, NULL);
  g_autoptr(AccArray) maybes = acc_array_zip_with (a, b, orders, NULL), eithers = acc_array_zip_with (c, d, orders, NULL);

  conf_expect_ints ("maybe/compare", g_object_ref (maybes), "[5]", 0, 5, (gint64[]) { 0, -1, 1, -1, 0 });
  conf_expect_ints ("maybe/eq", g_object_ref (maybes), "[5]", 1, 5, (gint64[]) { 1, 0, 0, 0, 1 });
  conf_expect_ints ("maybe/min", g_object_ref (maybes), "[5]", 3, 5, (gint64[]) { 0, 0, 0, 4, 4 });
  conf_expect_ints ("either/compare", g_object_ref (eithers), "[5]", 0, 5, (gint64[]) { -1, -1, 1, -1, 0 });
  conf_expect_ints ("either/eq", g_object_ref (eithers), "[5]", 1, 5, (gint64[]) { 0, 0, 0, 0, 1 });
}

/* --- one value or another */

static AccExpr *
ask_either (AccExpr *e, gpointer data)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (e);
  AccExpr *right = acc_expr_item (acc_expr_from_right (a), 1);
  AccExpr *items[] = { acc_expr_is_left (a), acc_expr_is_right (a), acc_expr_from_left (a), acc_expr_item (acc_expr_from_right (a), 0),
                       acc_expr_either (a, acc_expr_cast (acc_expr_from_left (a), acc_element_type_new (ACC_KIND_F64)), right) };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

static void
test_either (void)
{
  g_autoptr(AccArray) flags = CONF_INTS1 ("b1", 0, 1, 1, 0);
  g_autoptr(AccArray) x = CONF_INTS1 ("u2", 5, 6, 7, 65535);
  g_autoptr(AccArray) eithers = acc_array_zip_with (flags, x, either_of, NULL);
  g_autoptr(AccArray) asked = acc_array_map (eithers, ask_either, NULL);

  conf_expect_ints ("either/left-or-zero", g_object_ref (eithers), "[4]", 1, 4, (gint64[]) { 5, 0, 0, 65535 });
  conf_expect_ints ("either/right-or-zero", g_object_ref (eithers), "[4]", 2, 4, (gint64[]) { 0, 6, 7, 0 });
  conf_expect_floats ("either/right-or-zero", g_object_ref (eithers), "[4]", 3, 4, (double[]) { 0, 1, 1, 0 });
  conf_expect_ints ("is_left", g_object_ref (asked), "[4]", 0, 4, (gint64[]) { 1, 0, 0, 1 });
  conf_expect_ints ("is_right", g_object_ref (asked), "[4]", 1, 4, (gint64[]) { 0, 1, 1, 0 });
  conf_expect_ints ("from_left", g_object_ref (asked), "[4]", 2, 4, (gint64[]) { 5, 0, 0, 65535 });
  conf_expect_ints ("from_right", g_object_ref (asked), "[4]", 3, 4, (gint64[]) { 0, 6, 7, 0 });
  conf_expect_floats ("either", g_object_ref (asked), "[4]", 4, 4, (double[]) { 5, 1, 1, 65535 });
}

/* --- sums of sums: what is in the inner one shows only where the outer one is that */

static AccElementType *
pair_type (void)
{
  return acc_element_type_new_tuple ((AccElementType *[]) { conf_type ("i8"), conf_type ("i8") }, 2);
}

/* By the remainder of @k: left nothing, left @k, right (@k, its negative). */
static AccExpr *
nest (AccExpr *k, gpointer data)
{
  g_autoptr(AccElementType) pairs = pair_type ();
  g_autoptr(AccExpr) just = acc_expr_ref_sink (acc_expr_just (k));
  AccExpr *alternatives[] = { acc_expr_left (acc_expr_nothing (conf_type ("i8")), pairs), acc_expr_left (just, pairs) };

  return acc_expr_switch (acc_expr_rem (k, conf_i64 (3)), alternatives, 2,
                          acc_expr_right (acc_expr_tuple2 (k, acc_expr_neg (k)), acc_expr_get_element_type (just)));
}

static AccExpr *
match_just (AccExpr *x, gpointer table)
{
  return acc_expr_index (table, acc_expr_sub (x, conf_i64 (1)));
}

/* Reads the table only where there is a number that was made for it. */
static AccExpr *
match_nested (AccExpr *e, gpointer table)
{
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (e), optional = acc_expr_ref_sink (acc_expr_from_left (sum)),
    pair = acc_expr_ref_sink (acc_expr_from_right (sum));

  return acc_expr_either (sum, acc_expr_maybe (optional, conf_i64 (-1), match_just, table),
                          acc_expr_sub (acc_expr_item (pair, 0), acc_expr_item (pair, 1)));
}

static void
test_nested (void)
{
  g_autoptr(AccArray) numbers = CONF_INTS1 ("i8", 0, 1, 2, 3, 4, 5, 300, 302), table = CONF_INTS1 ("i8", 10, -1, -1, 40);
  g_autoptr(AccArray) sums = acc_array_map (numbers, nest, NULL), other = acc_array_compute (sums);

  CONF_EXPECT_INTS ("nested/match", acc_array_map (sums, match_nested, table), "[8]", -1, 10, 4, -1, 40, 10, -1, 604);
  CONF_EXPECT_INTS ("nested/computed", acc_array_map (other, match_nested, table), "[8]", -1, 10, 4, -1, 40, 10, -1, 604);
}

/* --- algebra: (a + b) c is a c + b c; a + b is b + a; 1 + a may be missing */

static AccExpr *
exchange_sides (AccExpr *e, gpointer data)
{
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (e), left = acc_expr_ref_sink (acc_expr_from_left (sum)),
    right = acc_expr_ref_sink (acc_expr_from_right (sum));

  return acc_expr_either (sum, acc_expr_right (left, acc_expr_get_element_type (right)),
                          acc_expr_left (right, acc_expr_get_element_type (left)));
}

/* To a sum of products. */
static AccExpr *
distribute (AccExpr *e, AccExpr *c, gpointer data)
{
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (e), factor = acc_expr_ref_sink (c);
  g_autoptr(AccExpr) left = acc_expr_ref_sink (acc_expr_tuple2 (acc_expr_from_left (sum), factor));
  g_autoptr(AccExpr) right = acc_expr_ref_sink (acc_expr_tuple2 (acc_expr_from_right (sum), factor));

  return acc_expr_either (sum, acc_expr_left (left, acc_expr_get_element_type (right)),
                          acc_expr_right (right, acc_expr_get_element_type (left)));
}

/* Back to a product of the sum, its first factor, and what it was multiplied by. */
static AccExpr *
factor_out (AccExpr *e, gpointer data)
{
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (e), left = acc_expr_ref_sink (acc_expr_from_left (sum)),
    right = acc_expr_ref_sink (acc_expr_from_right (sum));
  g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_item (left, 0)), b = acc_expr_ref_sink (acc_expr_item (right, 0));

  return acc_expr_tuple2 (acc_expr_either (sum, acc_expr_left (a, acc_expr_get_element_type (b)),
                                           acc_expr_right (b, acc_expr_get_element_type (a))),
                          acc_expr_either (sum, acc_expr_item (left, 1), acc_expr_item (right, 1)));
}

static AccExpr *
as_optional (AccExpr *e, gpointer data)
{
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (e), right = acc_expr_ref_sink (acc_expr_from_right (sum));

  return acc_expr_either (sum, acc_expr_nothing (acc_expr_get_element_type (right)), acc_expr_just (right));
}

static AccExpr *
maybe_with_one (AccExpr *flag, AccExpr *x, gpointer data)
{
  g_autoptr(AccExpr) pair = acc_expr_ref_sink (with_one (x, NULL));

  return acc_expr_cond (flag, acc_expr_just (pair), acc_expr_nothing (acc_expr_get_element_type (pair)));
}

static void
test_algebra (void)
{
  static const char * const codes[] = { "u1", "i4", "f2", "f8", "c8" };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  const gint64 n = 70;

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr(AccArray) flags = conf_array (conf_type ("b1"), &n, 1, rand, CONF_FULL),
        x = conf_array (conf_type (codes[i]), &n, 1, rand, CONF_SMALL);
      g_autoptr(AccArray) factors = conf_array (conf_type ("i2"), &n, 1, rand, CONF_FULL),
        sums = acc_array_zip_with (flags, x, either_of, NULL);
      g_autoptr(AccArray) exchanged = acc_array_map (sums, exchange_sides, NULL),
        products = acc_array_zip_with (sums, factors, distribute, NULL);
      g_autofree char *name = g_strconcat ("algebra/", codes[i], NULL);

      conf_expect_array (name, acc_array_map (exchanged, exchange_sides, NULL), g_object_ref (sums));
      conf_expect_array (name, acc_array_map (products, factor_out, NULL), acc_array_zip (sums, factors));
      conf_expect_array (name, acc_array_map (sums, as_optional, NULL), acc_array_zip_with (flags, x, maybe_with_one, NULL));
    }
}

/* Where both are there, one after the other: functions x · a + b. Nothing is neutral. */
static AccExpr *
compose_optional (AccExpr *m, AccExpr *n, gpointer data)
{
  g_autoptr(AccExpr) first = acc_expr_ref_sink (acc_expr_from_just (m)), second = acc_expr_ref_sink (acc_expr_from_just (n));
  AccExpr *both = acc_expr_tuple2 (acc_expr_mul (acc_expr_item (first, 0), acc_expr_item (second, 0)),
                                   acc_expr_add (acc_expr_mul (acc_expr_item (first, 1), acc_expr_item (second, 0)),
                                                 acc_expr_item (second, 1)));

  return acc_expr_cond (acc_expr_is_nothing (m), n, acc_expr_cond (acc_expr_is_nothing (n), m, acc_expr_just (both)));
}

static AccExpr *
optional_line (AccExpr *flag, AccExpr *x, gpointer data)
{
  AccExpr *line = acc_expr_tuple2 (acc_expr_add (acc_expr_mul (x, conf_i64 (2)), conf_i64 (1)), x);
  g_autoptr(AccElementType) pairs = pair_type ();

  return acc_expr_cond (flag, acc_expr_just (line), acc_expr_nothing (pairs));
}

static void
test_semigroup (void)
{
  static const gint64 sizes[] = { 1, 2, 63, 64, 65, 129, 1000, 5000 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      gint64 n = sizes[s];
      g_autofree gint64 *flags = g_new (gint64, n), *numbers = g_new (gint64, n), *there = g_new (gint64, n), *factors = g_new (gint64, n),
        *summands = g_new (gint64, n);
      g_autofree char *name = g_strdup_printf ("semigroup/%d", (int) n), *shape = g_strdup_printf ("[%d]", (int) n);
      g_autoptr(AccArray) optional = NULL, scanned = NULL, f = NULL, x = NULL, all = NULL;
      gboolean any = FALSE;
      guint64 a = 0, b = 0;

      for (gint64 i = 0; i < n; i++)
        {
          flags[i] = i * 7 % 5 < 2 && i > 0;
          numbers[i] = i * 31 % 17 - 8;
          if (flags[i])
            {
              guint64 factor = 2 * (guint64) numbers[i] + 1;

              b = any ? b * factor + (guint64) numbers[i] : (guint64) numbers[i];
              a = any ? a * factor : factor;
              any = TRUE;
            }
          there[i] = any;
          factors[i] = (gint64) a;
          summands[i] = (gint64) b;
        }
      f = conf_ints ("b1", &n, 1, flags);
      x = conf_ints ("i8", &n, 1, numbers);
      optional = acc_array_zip_with (f, x, optional_line, NULL);
      scanned = acc_array_scanl1 (optional, compose_optional, NULL);
      all = acc_array_fold1 (optional, compose_optional, NULL);
      conf_expect_ints (name, g_object_ref (scanned), shape, 0, n, there);
      conf_expect_ints (name, g_object_ref (scanned), shape, 1, n, factors);
      conf_expect_ints (name, g_object_ref (scanned), shape, 2, n, summands);
      conf_expect_ints (name, g_object_ref (all), "[]", 0, 1, &there[n - 1]);
      conf_expect_ints (name, g_object_ref (all), "[]", 2, 1, &summands[n - 1]);
    }
}

/* --- choices by a tag */

typedef struct {
  AccArray *values;
  guint     n;
  gboolean  complete;
} Choice;

/* Alternative k reads element 10 k + i, which is outside unless i is k. */
static AccExpr *
choose (AccExpr *i, gpointer data)
{
  const Choice *choice = data;
  g_autoptr(AccExpr) index = acc_expr_ref_sink (i);
  g_autoptr(AccExpr) wide = acc_expr_ref_sink (acc_expr_cast (index, acc_element_type_new (ACC_KIND_I64)));
  AccExpr *alternatives[9];

  for (guint k = 0; k + choice->complete < choice->n; k++)
    {
      AccExpr *far = acc_expr_mul (acc_expr_sub (wide, acc_expr_new_int (k)), acc_expr_new_int (1000));

      alternatives[k] = acc_expr_add (acc_expr_index (choice->values, acc_expr_add (far, acc_expr_new_int (k))), acc_expr_new_int (10 * k));
    }
  if (choice->complete)
    alternatives[choice->n - 1] = acc_expr_new_int (-5);
  return acc_expr_switch (index, alternatives, choice->n, choice->complete ? NULL : acc_expr_new_int (-1));
}

static void
check_switch (AccArray *indices, gint64 n, const gint64 *values, guint n_alternatives, gboolean complete)
{
  g_autofree char *name = g_strdup_printf ("switch/%u/%s", n_alternatives, complete ? "complete" : "otherwise");
  g_autoptr(AccArray) numbers = CONF_INTS1 ("i8", 1, 2, 3, 4, 5, 6, 7, 8, 9);
  Choice choice = { numbers, n_alternatives, complete };
  g_autofree char *shape = g_strdup_printf ("[%d]", (int) n);
  g_autofree gint64 *expected = g_new (gint64, n);

  for (gint64 i = 0; i < n; i++)
    {
      gboolean inside = values[i] >= 0 && values[i] < n_alternatives - complete;

      expected[i] = inside ? 11 * values[i] + 1 : complete ? -5 : -1;
    }
  conf_expect_ints (name, acc_array_map (indices, choose, &choice), shape, 0, (guint) n, expected);
}

static void
test_switch (void)
{
  const gint64 values[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -1, G_MAXINT64, G_MININT64 };
  const gint64 n = G_N_ELEMENTS (values);

  for (guint k = 0; k < 10; k++)
    {
      /* The last two of u8 are beyond what i8 holds. */
      g_autoptr(AccArray) indices = conf_ints (k % 2 ? "u8" : "i8", &n, 1, values);

      check_switch (indices, n, values, k, FALSE);
      if (k > 0)
        check_switch (indices, n, values, k, TRUE);
    }
}

static AccExpr *
constants (AccExpr *tag, gpointer data)
{
  AccExpr *alternatives[] = { acc_expr_new_int (3), acc_expr_new_float (2.5), acc_expr_new_int (-1) };

  return acc_expr_switch (tag, alternatives, 3, acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F16), 0.25));
}

static AccExpr *
tuples (AccExpr *tag, gpointer data)
{
  AccExpr *alternatives[] = { acc_expr_just (acc_expr_new_int (3)), acc_expr_nothing (acc_element_type_new (ACC_KIND_I16)) };

  return acc_expr_switch (tag, alternatives, 2, acc_expr_just (acc_expr_new_int (9)));
}

static void
test_switch_types (void)
{
  g_autoptr(AccArray) tags = CONF_INTS1 ("u1", 0, 1, 2, 3, 255);
  g_autoptr(AccArray) sums = acc_array_map (tags, tuples, NULL);

  CONF_EXPECT_FLOATS ("switch/literals", acc_array_map (tags, constants, NULL), "[5]", 3, 2.5, -1, 0.25, 0.25);
  conf_expect_ints ("switch/tuples", g_object_ref (sums), "[5]", 0, 5, (gint64[]) { 1, 0, 1, 1, 1 });
  conf_expect_ints ("switch/tuples", g_object_ref (sums), "[5]", 1, 5, (gint64[]) { 3, 0, 9, 9, 9 });
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_func ("/sums/maybe", test_maybe);
  g_test_add_func ("/sums/taken-sides", test_taken_sides);
  g_test_add_func ("/sums/either", test_either);
  g_test_add_func ("/sums/nested", test_nested);
  g_test_add_func ("/sums/algebra", test_algebra);
  g_test_add_func ("/sums/semigroup", test_semigroup);
  g_test_add_func ("/sums/order", test_order);
  g_test_add_func ("/sums/selection", test_selection);
  g_test_add_func ("/sums/selection-by-hand", test_selection_by_hand);
  g_test_add_func ("/sums/mistakes", test_mistakes);
  g_test_add_func ("/sums/switch", test_switch);
  g_test_add_func ("/sums/switch-types", test_switch_types);
  return conf_run ();
}
