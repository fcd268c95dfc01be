/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>
#include <string.h>

/* Cases that compilers of array languages got wrong: section 2.3 of the language, by the number of the report there. */

static AccExpr *
i64_of (AccExpr *x)
{
  return acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64));
}

/* (n · 17 + 5) mod 23, as an array of @shape in row-major order. */
static AccExpr *
scrambled (AccExpr *n, gpointer data)
{
  return acc_expr_rem (acc_expr_add (acc_expr_mul (n, conf_i64 (17)), conf_i64 (5)), conf_i64 (23));
}

static gint64
scramble (gint64 n)
{
  return (n * 17 + 5) % 23;
}

static AccArray *
scrambled_array (const gint64 *extents, guint rank)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  g_autoptr(AccArray) numbers = acc_array_enum_from_n (shape, conf_i64 (0));

  return acc_array_map (numbers, scrambled, NULL);
}

/* --- 93: the only cell, from itself */

static AccExpr *
old_twice (AccExpr *new, AccExpr *old, gpointer data)
{
  return acc_expr_add (acc_expr_mul (old, acc_expr_new_int (2)), new);
}

static AccExpr *
index_itself (AccExpr *index, AccExpr *x, gpointer data)
{
  return index;
}

static void
test_one_cell (void)
{
  g_autoptr(AccArray) one = CONF_INTS2 ("i4", 1, 1, 5), defaults = CONF_INTS2 ("i4", 1, 1, 20),
    places = acc_array_imap (one, index_itself, NULL);

  CONF_EXPECT_INTS ("93", acc_array_permute (one, defaults, places, old_twice, NULL), "[1,1]", 45);
}

/* --- 102: a transform by reshape, replicate and folds, over an array of rank 4 */

static void
test_transform (void)
{
  const gint64 square[] = { 2, 3 }, all[] = { 2, 3, 2, 3 };
  g_autoptr(AccArray) x = scrambled_array ((gint64[]) { 6 }, 1), weights = NULL;
  g_autoptr(AccShape) apart = acc_shape_new (square, 2), together = acc_shape_new_vector (6), four = acc_shape_new (all, 4);
  g_autoptr(AccArray) split = acc_array_reshape (x, apart),
    repeated = acc_array_replicate (split, (gint64[]) { 2, 3, ACC_ALL, ACC_ALL }, 4);
  g_autoptr(AccArray) products = NULL, rows = NULL, sums = NULL;
  gint64 values[6] = { 0, };

  weights = acc_array_generate (four, conf_decimal, NULL);
  products = acc_array_zip_with (repeated, weights, conf_times, NULL);
  rows = acc_array_fold (products, conf_i64 (0), conf_plus, NULL);
  sums = acc_array_fold (rows, conf_i64 (0), conf_plus, NULL);
  for (gint64 i = 0; i < 6; i++)
    for (gint64 k = 0; k < 6; k++)
      values[i] += scramble (k) * (((i / 3 * 10 + i % 3) * 10 + k / 3) * 10 + k % 3);
  conf_expect_ints ("102", acc_array_reshape (sums, together), "[6]", 0, 6, values);
}

/* --- 114: sums with their errors, which are exact in any order */

static AccExpr *
add_exactly (AccExpr *x, AccExpr *y, gpointer data)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_item (x, 0)), b = acc_expr_ref_sink (acc_expr_item (y, 0));
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (acc_expr_add (a, b)), part = acc_expr_ref_sink (acc_expr_sub (sum, a));
  AccExpr *error = acc_expr_add (acc_expr_sub (a, acc_expr_sub (sum, part)), acc_expr_sub (b, part));

  return acc_expr_tuple2 (sum, acc_expr_add (error, acc_expr_add (acc_expr_item (x, 1), acc_expr_item (y, 1))));
}

static AccExpr *
without_error (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, acc_expr_cast (acc_expr_new_int (0), conf_type ("f8")));
}

static AccExpr *
value_of (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_item (x, 0), acc_expr_item (x, 1));
}

static void
test_compensated_sums (void)
{
  static const gint64 parts[] = { G_GINT64_CONSTANT (1) << 54, 1, -(G_GINT64_CONSTANT (1) << 54), 3 };
  double given[100], sums[100];
  g_autoptr(AccArray) x = NULL, pairs = NULL, all = NULL, scanned = NULL;
  gint64 sum = 0;

  for (guint i = 0; i < 100; i++)
    {
      given[i] = (double) parts[i % 4];
      sum += parts[i % 4];
      sums[i] = (double) sum;
    }
  x = conf_floats ("f8", (gint64[]) { 100 }, 1, given);
  pairs = acc_array_map (x, without_error, NULL);
  all = acc_array_fold1 (pairs, add_exactly, NULL);
  scanned = acc_array_scanl1 (pairs, add_exactly, NULL);
  conf_expect_floats ("114/fold1", acc_array_map (all, value_of, NULL), "[]", 0, 1, &sums[99]);
  conf_expect_floats ("114/scanl1", acc_array_map (scanned, value_of, NULL), "[100]", 0, 100, sums);
}

/* --- 119: folds and scans of odd extents */

static void
check_matrix (gint64 rows, gint64 columns)
{
  g_autoptr(AccArray) x = scrambled_array ((gint64[]) { rows, columns }, 2);
  g_autofree gint64 *sums = g_new (gint64, rows), *scanned = g_new (gint64, rows * columns), *seeded = g_new (gint64, rows * (columns + 1));
  g_autofree char *name = g_strdup_printf ("119/%dx%d", (int) rows, (int) columns),
    *shape = g_strdup_printf ("[%d,%d]", (int) rows, (int) columns);
  g_autofree char *longer = g_strdup_printf ("[%d,%d]", (int) rows, (int) columns + 1), *outer = g_strdup_printf ("[%d]", (int) rows);
  gint64 total = 0;

  for (gint64 r = 0; r < rows; r++)
    {
      gint64 sum = 0;

      seeded[r * (columns + 1)] = 100;
      for (gint64 c = 0; c < columns; c++)
        {
          sum += scramble (r * columns + c);
          scanned[r * columns + c] = sum;
          seeded[r * (columns + 1) + c + 1] = sum + 100;
        }
      sums[r] = sum;
      total += sum;
    }
  conf_expect_ints (name, acc_array_fold (x, conf_i64 (0), conf_plus, NULL), outer, 0, (guint) rows, sums);
  conf_expect_ints (name, acc_array_fold_all (x, conf_i64 (0), conf_plus, NULL), "[]", 0, 1, &total);
  conf_expect_ints (name, acc_array_scanl1 (x, conf_plus, NULL), shape, 0, (guint) (rows * columns), scanned);
  conf_expect_ints (name, acc_array_scanl (x, conf_i64 (100), conf_plus, NULL), longer, 0, (guint) (rows * (columns + 1)), seeded);
}

static void
test_odd_extents (void)
{
  static const gint64 extents[][2] = { { 5, 28 }, { 28, 5 }, { 4, 34 }, { 27, 5 }, { 1, 130 }, { 1, 748 } };

  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    check_matrix (extents[i][0], extents[i][1]);
}

/* --- 123: as many ones as there are */

static void
test_ones (void)
{
  for (gint64 block = 32; block <= 2048; block *= 2)
    for (gint64 n = block - 1; n <= block + 1; n++)
      {
        g_autoptr(AccShape) vector = acc_shape_new_vector (n), matrix = acc_shape_new_matrix (3, n);
        g_autoptr(AccArray) ones = acc_array_fill (vector, conf_i64 (1)), rows = acc_array_fill (matrix, conf_i64 (1));
        g_autofree char *name = g_strdup_printf ("123/%d", (int) n);

        CONF_EXPECT_INTS (name, acc_array_fold (ones, conf_i64 (0), conf_plus, NULL), "[]", n);
        CONF_EXPECT_INTS (name, acc_array_fold (rows, conf_i64 (0), conf_plus, NULL), "[3]", n, n, n);
      }
}

/* --- 137: tuples arrive whole */

#define N_PAIRS 20000
#define N_KEYS  13

static AccExpr *
larger_pair (AccExpr *new, AccExpr *old, gpointer data)
{
  return acc_expr_cond (acc_expr_gt (acc_expr_item (new, 0), acc_expr_item (old, 0)), new, old);
}

static AccExpr *
with_mark (AccExpr *n, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_cast (acc_expr_rem (acc_expr_mul (n, conf_i64 (7919)), conf_i64 (N_PAIRS)), conf_type ("i4")),
                          acc_expr_neg (n));
}

static AccExpr *
key_of (AccExpr *n, gpointer data)
{
  return acc_expr_rem (n, conf_i64 (N_KEYS));
}

/* Whether the mark is that of the number. */
static AccExpr *
belongs (AccExpr *x, gpointer data)
{
  return acc_expr_eq (i64_of (acc_expr_item (x, 0)),
                      acc_expr_rem (acc_expr_mul (acc_expr_neg (acc_expr_item (x, 1)), conf_i64 (7919)), conf_i64 (N_PAIRS)));
}

static void
test_pairs (void)
{
  g_autoptr(AccShape) many = acc_shape_new_vector (N_PAIRS), few = acc_shape_new_vector (N_KEYS);
  g_autoptr(AccArray) numbers = acc_array_enum_from_n (many, conf_i64 (0)), pairs = acc_array_map (numbers, with_mark, NULL),
    keys = acc_array_map (numbers, key_of, NULL);
  g_autoptr(AccArray) none = acc_array_fill (few, acc_expr_tuple2 (acc_expr_new_typed_int (conf_type ("i4"), -1), conf_i64 (1)));
  g_autoptr(AccArray) any = acc_array_permute (pairs, none, keys, conf_first, NULL);
  gint64 best[N_KEYS], marks[N_KEYS], yes[N_KEYS];

  for (gint64 k = 0; k < N_KEYS; k++)
    {
      best[k] = -1;
      yes[k] = 1;
    }
  for (gint64 n = 0; n < N_PAIRS; n++)
    if (n * 7919 % N_PAIRS > best[n % N_KEYS])
      {
        best[n % N_KEYS] = n * 7919 % N_PAIRS;
        marks[n % N_KEYS] = -n;
      }
  conf_expect_ints ("137/best", acc_array_permute (pairs, none, keys, larger_pair, NULL), "[13]", 0, N_KEYS, best);
  conf_expect_ints ("137/mark", acc_array_permute (pairs, none, keys, larger_pair, NULL), "[13]", 1, N_KEYS, marks);
  conf_expect_ints ("137/any", acc_array_map (any, belongs, NULL), "[13]", 0, N_KEYS, yes);
}

/* --- 168: all items of a loop's state change at once */

static AccExpr *
rotate_six (AccExpr *x, gpointer data)
{
  AccExpr *items[6];

  for (guint i = 0; i < 5; i++)
    items[i] = acc_expr_item (x, i + 1);
  items[5] = acc_expr_add (acc_expr_item (x, 0), acc_expr_item (x, 5));
  return acc_expr_tuple (items, 6);
}

static AccExpr *
rotated (AccExpr *n, gpointer data)
{
  AccExpr *items[6];

  for (guint i = 0; i < 6; i++)
    items[i] = conf_i64 (i + 1);
  return acc_expr_iterate (n, acc_expr_tuple (items, 6), rotate_six, NULL);
}

static void
test_simultaneous (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (20);
  g_autoptr(AccArray) rounds = acc_array_enum_from_n (shape, conf_i64 (0)), results = acc_array_map (rounds, rotated, NULL);
  gint64 states[20][6], values[20];

  for (guint i = 0; i < 6; i++)
    states[0][i] = i + 1;
  for (guint n = 1; n < 20; n++)
    {
      memcpy (states[n], &states[n - 1][1], 5 * sizeof (gint64));
      states[n][5] = states[n - 1][0] + states[n - 1][5];
    }
  for (guint leaf = 0; leaf < 6; leaf++)
    {
      for (guint n = 0; n < 20; n++)
        values[n] = states[n][leaf];
      conf_expect_ints ("168", g_object_ref (results), "[20]", leaf, 20, values);
    }
}

/* --- 255: many dependent steps in little memory */

#define N_STEPS 500

static AccExpr *
one_more (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_int (1));
}

static void
check_steps (const char *name)
{
  gint64 n = conf_is_exhaustive () ? 20000000 : conf_is_thorough () ? 1 << 16 : 1 << 12;
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name (name, &error);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  AccArray *array = acc_array_fill (shape, acc_expr_new_typed_float (conf_type ("f8"), 0.25));
  g_autoptr(AccArray) result = NULL;
  guint64 high_water;

  g_assert_no_error (error);
  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autoptr(AccArray) next = acc_array_map (array, one_more, NULL);

      g_object_unref (array);
      array = acc_array_compute (next);
    }
  result = acc_backend_run (backend, array, NULL, &error);
  g_object_unref (array);
  g_assert_no_error (error);
  g_assert_cmpfloat (acc_array_get_double (result, 0, 0), ==, N_STEPS + 0.25);
  g_assert_cmpfloat (acc_array_get_double (result, 0, n - 1), ==, N_STEPS + 0.25);

  high_water = acc_backend_get_memory_high_water (backend);
  if (high_water > 6 * sizeof (double) * n)
    conf_fail (name, "255", "%" G_GUINT64_FORMAT " bytes were held at once, for arrays of %d numbers", high_water, (int) n);
  else
    conf_pass (name, "255");
}

static void
test_many_steps (void)
{
  /* It would take an hour. */
  if (!conf_is_exhaustive ())
    check_steps ("interpreter");
  for (guint i = 0; i < conf_n_backends (); i++)
    check_steps (acc_backend_get_name (conf_backend (i)));
}

/* --- 264, 288: what simplifies to itself */

static AccExpr *
not_not (AccExpr *x, gpointer data)
{
  return acc_expr_lnot (acc_expr_lnot (x));
}

static AccExpr *
not_and (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_eq (acc_expr_lnot (acc_expr_land (x, y)), acc_expr_lor (acc_expr_lnot (x), acc_expr_lnot (y)));
}

static AccExpr *
not_or (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_lnot (acc_expr_lor (acc_expr_lnot (x), acc_expr_lnot (y)));
}

static AccExpr *
neg_neg (AccExpr *x, gpointer data)
{
  return acc_expr_neg (acc_expr_neg (x));
}

static AccExpr *
recip_neg_neg (AccExpr *x, gpointer data)
{
  return acc_expr_recip (acc_expr_neg (acc_expr_neg (x)));
}

static AccExpr *
same_pair (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (x, 0), acc_expr_item (x, 1));
}

static AccExpr *
other_pair (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (x, 1), acc_expr_item (x, 0));
}

static void
test_identities (void)
{
  g_autoptr(AccArray) a = CONF_INTS1 ("b1", 0, 0, 1, 1), b = CONF_INTS1 ("b1", 0, 1, 0, 1),
    lowest = CONF_INTS1 ("i4", 0, 5, -7, G_MININT32);
  g_autoptr(AccArray) zeros = CONF_FLOATS1 ("f4", -0., 0, 2, -INFINITY), floats = CONF_FLOATS1 ("f4", 0.5, 1.5, 2.5, 3.5),
    pairs = acc_array_zip (lowest, floats);
  g_autoptr(AccArray) same = acc_array_map (pairs, same_pair, NULL), turned = acc_array_map (same, other_pair, NULL),
    back = acc_array_map (turned, other_pair, NULL);

  CONF_EXPECT_INTS ("264/not", acc_array_map (a, not_not, NULL), "[4]", 0, 0, 1, 1);
  CONF_EXPECT_INTS ("264/de-morgan", acc_array_zip_with (a, b, not_and, NULL), "[4]", 1, 1, 1, 1);
  CONF_EXPECT_INTS ("264/and", acc_array_zip_with (a, b, not_or, NULL), "[4]", 0, 0, 0, 1);
  CONF_EXPECT_INTS ("264/neg", acc_array_map (lowest, neg_neg, NULL), "[4]", 0, 5, -7, G_MININT32);
  CONF_EXPECT_FLOATS ("264/zeros", acc_array_map (zeros, recip_neg_neg, NULL), "[4]", -INFINITY, INFINITY, 0.5, -0.);
  conf_expect_ints ("288/first", g_object_ref (back), "[4]", 0, 4, (gint64[]) { 0, 5, -7, G_MININT32 });
  conf_expect_floats ("288/second", g_object_ref (back), "[4]", 1, 4, (double[]) { 0.5, 1.5, 2.5, 3.5 });
  conf_expect_floats ("288/turned", g_object_ref (turned), "[4]", 0, 4, (double[]) { 0.5, 1.5, 2.5, 3.5 });
}

/* --- 287, 362, 364: scans of tuples: maps of one factor and several summands, one after the other */

#define MOST_ITEMS 6

static AccExpr *
compose (AccExpr *x, AccExpr *y, gpointer data)
{
  guint n = acc_expr_get_n_items (x);
  AccExpr *items[MOST_ITEMS];

  items[0] = acc_expr_mul (acc_expr_item (x, 0), acc_expr_item (y, 0));
  for (guint i = 1; i < n; i++)
    items[i] = acc_expr_add (acc_expr_mul (acc_expr_item (x, i), acc_expr_item (y, 0)), acc_expr_item (y, i));
  return acc_expr_tuple (items, n);
}

static AccExpr *
map_at (AccExpr *n, gpointer n_items)
{
  AccExpr *items[MOST_ITEMS];

  for (guint i = 0; i < GPOINTER_TO_UINT (n_items); i++)
    items[i] = acc_expr_cast (acc_expr_add (acc_expr_rem (acc_expr_mul (n, conf_i64 (i + 3)), conf_i64 (i + 5)), conf_i64 (1)),
                              conf_type ("i4"));
  return acc_expr_tuple (items, GPOINTER_TO_UINT (n_items));
}

static void
compose_numbers (guint32 *x, const guint32 *y, guint n)
{
  for (guint i = 1; i < n; i++)
    x[i] = x[i] * y[0] + y[i];
  x[0] *= y[0];
}

static void
check_tuple_scan (guint n_items, gint64 n, gboolean from_right)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) numbers = acc_array_enum_from_n (shape, conf_i64 (0)),
    maps = acc_array_map (numbers, map_at, GUINT_TO_POINTER (n_items));
  g_autoptr(AccArray) scanned = from_right ? acc_array_scanr1 (maps, compose, NULL) : acc_array_scanl1 (maps, compose, NULL);
  g_autofree guint32 *results = g_new (guint32, n * n_items);
  g_autofree gint64 *values = g_new (gint64, n);
  g_autofree char *name = g_strdup_printf ("287/%s-%u/%d", from_right ? "right" : "left", n_items, (int) n),
    *text = g_strdup_printf ("[%d]", (int) n);

  for (gint64 k = 0; k < n; k++)
    {
      gint64 at = from_right ? n - 1 - k : k;
      guint32 *own = results + at * n_items, before[MOST_ITEMS];

      for (guint i = 0; i < n_items; i++)
        own[i] = (guint32) (at * (i + 3) % (i + 5) + 1);
      if (k == 0)
        continue;
      memcpy (before, own + (from_right ? n_items : -(gint64) n_items), n_items * sizeof *before);
      if (from_right)
        {
          compose_numbers (own, before, n_items);
        }
      else
        {
          compose_numbers (before, own, n_items);
          memcpy (own, before, n_items * sizeof *own);
        }
    }
  for (guint leaf = 0; leaf < n_items; leaf++)
    {
      for (gint64 k = 0; k < n; k++)
        values[k] = (gint32) results[k * n_items + leaf];
      conf_expect_ints (name, g_object_ref (scanned), text, leaf, (guint) n, values);
    }
}

static void
test_tuple_scans (void)
{
  for (guint n_items = 4; n_items <= MOST_ITEMS; n_items++)
    for (gint64 n = 64; n <= 65; n++)
      {
        check_tuple_scan (n_items, n, FALSE);
        check_tuple_scan (n_items, n, TRUE);
      }
  check_tuple_scan (5, 5000, FALSE);
}

/* --- 407, 409: what a simplifier must leave alone */

static AccExpr *
is_nan_of (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_is_nan (acc_expr_fdiv (x, y));
}

static AccExpr *
is_inf_of (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_is_inf (acc_expr_fdiv (x, y));
}

static AccExpr *
is_near (AccExpr *x, AccExpr *wanted, gpointer data)
{
  return acc_expr_lt (acc_expr_abs (acc_expr_sub (acc_expr_tanh (acc_expr_recip (x)), wanted)), acc_expr_new_float (1e-6));
}

static void
test_floats (void)
{
  static const char *const codes[] = { "f4", "f8" };
  double x[] = { 0.5, -2, 3, 100, -0.25, INFINITY, 0 }, wanted[G_N_ELEMENTS (x)];

  for (guint i = 0; i < G_N_ELEMENTS (x); i++)
    wanted[i] = tanh (1 / x[i]);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr(AccArray) above = CONF_FLOATS1 (codes[i], 0, -2, -0., 0.1, 1, 0.5, 5), below = CONF_FLOATS1 (codes[i], 0, 0, 0, 1, 0, 1, 0);
      g_autoptr(AccArray) given = conf_floats (codes[i], (gint64[]) { 7 }, 1, x),
        near = conf_floats (codes[i], (gint64[]) { 7 }, 1, wanted);

      CONF_EXPECT_INTS ("407/nan", acc_array_zip_with (above, below, is_nan_of, NULL), "[7]", 1, 0, 1, 0, 0, 0, 0);
      CONF_EXPECT_INTS ("407/inf", acc_array_zip_with (above, below, is_inf_of, NULL), "[7]", 0, 1, 0, 0, 1, 0, 1);
      CONF_EXPECT_INTS ("409", acc_array_zip_with (given, near, is_near, NULL), "[7]", 1, 1, 1, 1, 1, 1, 1);
    }
}

/* --- 427, 436: filters of rows, and after other operations */

static AccExpr *
is_chosen (AccExpr *x, gpointer data)
{
  AccExpr *sum = acc_expr_add (acc_expr_item (x, 2), acc_expr_add (acc_expr_item (x, 0), acc_expr_item (x, 1)));

  return acc_expr_lt (acc_expr_rem (sum, conf_i64 (5)), conf_i64 (2));
}

static AccExpr *
flat_triple (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_tuple3 (acc_expr_item (index, 0), acc_expr_item (index, 1), x);
}

static void
check_indexed_filter (gint64 rows, gint64 columns)
{
  g_autoptr(AccArray) x = scrambled_array ((gint64[]) { rows, columns }, 2), indexed = acc_array_imap (x, flat_triple, NULL), counts = NULL;
  g_autoptr(AccArray) kept = acc_array_filter (indexed, is_chosen, NULL, &counts);
  g_autofree gint64 *values = g_new (gint64, 3 * rows * columns), *each = g_new0 (gint64, rows);
  g_autofree char *name = g_strdup_printf ("427/%dx%d", (int) rows, (int) columns), *outer = g_strdup_printf ("[%d]", (int) rows),
    *text = NULL;
  gint64 size = rows * columns, n = 0;

  for (gint64 i = 0; i < size; i++)
    if ((scramble (i) + i / columns + i % columns) % 5 < 2)
      {
        values[n] = i / columns;
        values[size + n] = i % columns;
        values[2 * size + n++] = scramble (i);
        each[i / columns]++;
      }
  text = g_strdup_printf ("[%d]", (int) n);
  for (guint leaf = 0; leaf < 3; leaf++)
    conf_expect_ints (name, g_object_ref (kept), text, leaf, (guint) n, values + leaf * size);
  conf_expect_ints (name, g_object_ref (counts), outer, 0, (guint) rows, each);
}

static AccExpr *
is_small (AccExpr *x, gpointer data)
{
  return acc_expr_lt (x, conf_i64 (9));
}

static void
test_filters (void)
{
  static const gint64 extents[][2] = { { 1, 64 }, { 50, 64 }, { 129, 64 }, { 33, 8 }, { 1000, 8 }, { 77, 3 }, { 3, 1 }, { 2, 1000 } };
  g_autofree gint64 *values = g_new (gint64, 1500);
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    check_indexed_filter (extents[i][0], extents[i][1]);

  for (gint64 i = 0; i < 1500; i++)
    if (scramble (i) < 9)
      values[n++] = scramble (i);

  g_autoptr(AccArray) x = scrambled_array ((gint64[]) { 4000 }, 1), first = acc_array_take (x, 1500);
  g_autofree char *text = g_strdup_printf ("[%u]", n);

  conf_expect_ints ("436", acc_array_filter (first, is_small, NULL, NULL), text, 0, n, values);
}

/* --- 437: what lies on the host is not moved */

static void
test_no_transfer (void)
{
  g_autoptr(AccArray) x = CONF_INTS1 ("i4", 1, 2, 3);
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < conf_n_backends (); i++)
    {
      g_autoptr(AccArray) result = acc_backend_run (conf_backend (i), x, NULL, &error);

      g_assert_no_error (error);
      g_assert_true (acc_array_get_address (result, 0) == acc_array_get_address (x, 0));
    }
}

/* --- 439, 517: optional values, the last that is there */

static AccExpr *
last_there (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_item (y, 0), y, x);
}

static void
test_optional (void)
{
  g_autoptr(AccArray) flags = CONF_INTS1 ("b1", 0, 1, 0, 0, 1, 0), x = CONF_INTS1 ("i2", 1, 2, 3, 4, 5, 6),
    optional = acc_array_zip (flags, x);
  g_autoptr(AccArray) filled = acc_array_scanl1 (optional, last_there, NULL), last = acc_array_fold1 (optional, last_there, NULL);

  conf_expect_ints ("439/flags", g_object_ref (filled), "[6]", 0, 6, (gint64[]) { 0, 1, 1, 1, 1, 1 });
  conf_expect_ints ("439/values", g_object_ref (filled), "[6]", 1, 6, (gint64[]) { 1, 2, 2, 2, 5, 5 });
  conf_expect_ints ("517", g_object_ref (last), "[]", 1, 1, (gint64[]) { 5 });
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);

  g_test_add_func ("/cases/93", test_one_cell);
  g_test_add_func ("/cases/102", test_transform);
  g_test_add_func ("/cases/114", test_compensated_sums);
  g_test_add_func ("/cases/119", test_odd_extents);
  g_test_add_func ("/cases/123", test_ones);
  g_test_add_func ("/cases/137", test_pairs);
  g_test_add_func ("/cases/168", test_simultaneous);
  g_test_add_func ("/cases/255", test_many_steps);
  g_test_add_func ("/cases/264-288", test_identities);
  g_test_add_func ("/cases/287", test_tuple_scans);
  g_test_add_func ("/cases/407-409", test_floats);
  g_test_add_func ("/cases/427-436", test_filters);
  g_test_add_func ("/cases/437", test_no_transfer);
  g_test_add_func ("/cases/439-517", test_optional);

  return conf_run ();
}
