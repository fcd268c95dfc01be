/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>
#include <string.h>

/* Vectors: scalars side by side in one buffer. Hand-worked values, and all backends against the interpreter. */

static const char * const codes[] = { "1f4", "2f4", "3u2", "4f4", "4u1", "7i4", "8f2", "8i8", "16u1", "16f8", "5b1" };

/* --- items */

static AccExpr *
exchange (AccExpr *x, gpointer data)
{
  guint n = acc_expr_get_n_items (x);

  return acc_expr_with_item (acc_expr_with_item (x, 0, acc_expr_item (x, n - 1)), n - 1, acc_expr_item (x, 0));
}

static AccExpr *
with_seven (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_with_item (x, 1, acc_expr_new_int (7)),
                          acc_expr_with_item (acc_expr_tuple2 (x, acc_expr_new_bool (TRUE)), 0, x));
}

static AccExpr *
in_another_order (AccExpr *x, gpointer data)
{
  return acc_expr_vec ((AccExpr *[]) { acc_expr_item (x, 2), acc_expr_new_int (9), acc_expr_item (x, 0) }, 3);
}

static AccArray *
threes (void)
{
  g_autoptr(AccArray) flat = CONF_INTS1 ("i4", 1, 2, 3, 4, 5, 6);
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (flat, 0, NULL);
  g_autoptr(AccShape) shape = acc_shape_new_vector (2);

  return acc_array_use (conf_type ("3i4"), shape, bytes);
}

static void
test_items (void)
{
  g_autoptr(AccArray) x = threes ();
  g_autoptr(AccArray) exchanged = acc_array_map (x, exchange, NULL), seven = acc_array_map (x, with_seven, NULL);
  g_autoptr(AccArray) ordered = acc_array_map (x, in_another_order, NULL);
  const gint64 wanted[][2] = { { 3, 6 }, { 2, 5 }, { 1, 4 } }, sevens[][2] = { { 1, 4 }, { 7, 7 }, { 3, 6 }, { 1, 4 } },
               other[][2] = { { 3, 6 }, { 9, 9 }, { 1, 4 } };

  for (guint leaf = 0; leaf < 3; leaf++)
    {
      conf_expect_ints ("vectors/exchange", g_object_ref (exchanged), "[2]", leaf, 2, wanted[leaf]);
      conf_expect_ints ("vectors/order", g_object_ref (ordered), "[2]", leaf, 2, other[leaf]);
    }
  for (guint leaf = 0; leaf < 4; leaf++)
    conf_expect_ints ("vectors/with-item", g_object_ref (seven), "[2]", leaf, 2, sevens[leaf]);
  g_assert_true (acc_array_get_element_type (seven) == conf_type ("(3i4,(3i4,b1))"));
}

/* --- arithmetic */

static AccExpr *
formula (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_new_int (10), x), acc_expr_neg (acc_expr_shl (x, acc_expr_new_int (1))));
}

static AccExpr *
orders (AccExpr *x, AccExpr *y, gpointer data)
{
  AccExpr *items[] = { acc_expr_lt (x, y), acc_expr_eq (x, y), acc_expr_ge (x, acc_expr_new_int (4)),
                       acc_expr_eq (acc_expr_max (x, y), y) };

  return acc_expr_tuple (items, G_N_ELEMENTS (items));
}

static AccExpr *
to_floats (AccExpr *x, gpointer data)
{
  return acc_expr_sqrt (acc_expr_cast (acc_expr_mul (x, x), conf_type ("3f4")));
}

static AccExpr *
spread (AccExpr *x, gpointer data)
{
  return acc_expr_cast (x, conf_type ("3f4"));
}

static void
test_arithmetic (void)
{
  g_autoptr(AccArray) x = threes (), reversed = acc_array_reverse (x);
  g_autoptr(AccArray) made = acc_array_map (x, formula, NULL), ordered = acc_array_zip_with (x, reversed, orders, NULL);
  g_autoptr(AccArray) floats = acc_array_map (x, to_floats, NULL), scalars = CONF_INTS1 ("i2", -3, 8);
  g_autoptr(AccArray) same = acc_array_map (scalars, spread, NULL);
  const gint64 wanted[][2] = { { 8, 32 }, { 16, 40 }, { 24, 48 } }, flags[][2] = { { 1, 0 }, { 0, 0 }, { 0, 1 }, { 1, 0 } };

  for (guint leaf = 0; leaf < 3; leaf++)
    {
      conf_expect_ints ("vectors/formula", g_object_ref (made), "[2]", leaf, 2, wanted[leaf]);
      conf_expect_floats ("vectors/floats", g_object_ref (floats), "[2]", leaf, 2, (const double[]) { leaf + 1, leaf + 4 });
      conf_expect_floats ("vectors/spread", g_object_ref (same), "[2]", leaf, 2, (const double[]) { -3, 8 });
    }
  for (guint leaf = 0; leaf < 4; leaf++)
    conf_expect_ints ("vectors/orders", g_object_ref (ordered), "[2]", leaf, 2, flags[leaf]);
}

/* --- the same bits */

static AccExpr *
bitcast_to (AccExpr *x, gpointer type)
{
  return acc_expr_bitcast (x, type);
}

/* What lies in memory stays as it is. */
static void
test_bitcast (void)
{
  static const char * const pairs[][2] = {
    { "u4", "4u1" }, { "4u1", "u4" }, { "f8", "2u4" }, { "2f4", "i8" }, { "c8", "u8" }, { "c8", "8u1" }, { "16u1", "c16" },
    { "4f4", "2u8" }, { "8f2", "4i4" }, { "3f4", "3u4" }, { "u2", "2i1" }, { "2i1", "f2" }, { "4b1", "u4" }, { "c4", "f4" },
    { "16u8", "16f8" }, { "1f4", "u4" }, };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *name = g_strdup_printf ("vectors/bitcast/%s/%s", pairs[i][0], pairs[i][1]);
      g_autoptr(AccArray) x = conf_array (conf_type (pairs[i][0]), (gint64[]) { 77 }, 1, rand, CONF_FINITE);
      g_autoptr(AccArray) made = acc_array_map (x, bitcast_to, conf_type (pairs[i][1]));
      g_autoptr(GBytes) wanted = acc_array_dup_bytes (x, 0, NULL);

      for (guint b = 0; b <= conf_n_backends (); b++)
        {
          AccBackend *backend = b == 0 ? conf_interpreter () : conf_backend (b - 1);
          g_autoptr(GError) error = NULL;
          g_autoptr(AccArray) got = acc_backend_run (backend, made, NULL, &error);
          g_autoptr(GBytes) bytes = got != NULL ? acc_array_dup_bytes (got, 0, &error) : NULL;

          if (bytes != NULL && g_bytes_equal (bytes, wanted))
            conf_pass (acc_backend_get_name (backend), name);
          else
            conf_fail (acc_backend_get_name (backend), name, "%s", error != NULL ? error->message : "other bits");
        }
    }
}

/* --- whole arrays */

static AccExpr *
target_of (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_ne (acc_expr_rem (acc_expr_item (index, 0), conf_i64 (7)), conf_i64 (3)),
                          acc_expr_rem (acc_expr_item (index, 0), conf_i64 (37)));
}

static AccExpr *
number_at (AccExpr *index, gpointer type)
{
  return conf_from_index (index, type);
}

/* Not leaf by leaf: the larger first item, with what belongs to it. */
static AccExpr *
greater (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_gt (acc_expr_item (x, 0), acc_expr_item (y, 0)), x, y);
}

static AccExpr *
neighbours (AccExpr *n, gpointer data)
{
  return conf_combine (acc_expr_neighbour2 (n, 0, -1), acc_expr_neighbour2 (n, 1, 1), NULL);
}

static AccExpr *
read_at (AccExpr *index, gpointer array)
{
  return acc_expr_tuple2 (acc_expr_linear_index (array, acc_expr_mul (acc_expr_item (index, 0), conf_i64 (2))), acc_expr_item (index, 0));
}

static AccExpr *
transposed (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_item (index, 0));
}

static void
check_arrays (const char *code, const gint64 *sides, GRand *rand)
{
  g_autofree char *name = g_strdup_printf ("vectors/arrays/%s/%d", code, (int) sides[0]);
  g_autoptr(AccArray) x = conf_array (conf_type (code), sides, 2, rand, CONF_SMALL),
    y = conf_array (conf_type (code), sides, 2, rand, CONF_SMALL);
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);
  g_autoptr(AccShape) few = acc_shape_new_vector (sides[0] * sides[1] / 2), turned = acc_shape_new_matrix (sides[1], sides[0]);
  g_autoptr(AccArray) pairs = acc_array_zip (x, y);

  conf_check_array (name, acc_array_map (x, conf_mix, NULL), CONF_EXACT);
  conf_check_array (name, acc_array_zip_with (x, y, conf_mix2, NULL), CONF_EXACT);
  conf_check_array (name, acc_array_map (x, exchange, NULL), CONF_EXACT);
  conf_check_array (name, acc_array_fold (x, conf_neutral (conf_type (code)), conf_combine, NULL), CONF_EXACT);
  conf_check_array (name, acc_array_fold_all (x, conf_neutral (conf_type (code)), conf_combine, NULL), CONF_EXACT);
  conf_check_array (name, acc_array_scanl1 (x, conf_combine, NULL), CONF_EXACT);
  conf_check_array (name, acc_array_stencil (x, (gint64[]) { 3, 3 }, 2, boundary, neighbours, NULL), CONF_EXACT);
  conf_check_array (name, acc_array_generate (few, read_at, x), CONF_EXACT);
  conf_check_array (name, acc_array_backpermute (x, turned, transposed, NULL), CONF_EXACT);
  conf_check_array (name, acc_array_unzip (pairs, 1), CONF_EXACT);
  conf_check_array (name, acc_array_concat (x, y), CONF_EXACT);
  if (sides[0] > 0 && g_getenv ("ACC_TEST_TEXT") == NULL)
    {
      g_autoptr(AccArray) streamed = conf_through_source (g_object_ref (x));

      conf_check_array (name, acc_array_stencil (streamed, (gint64[]) { 3, 3 }, 2, boundary, neighbours, NULL), CONF_EXACT);
      conf_check_array (name, acc_array_fold_all (streamed, conf_neutral (conf_type (code)), conf_combine, NULL), CONF_EXACT);
    }
}

static void
test_arrays (gconstpointer code)
{
  static const gint64 sides[][2] = { { 33, 70 }, { 0, 5 }, { 4, 0 }, { 1, 1 }, { 64, 64 } };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint s = 0; s < G_N_ELEMENTS (sides); s++)
    check_arrays (code, sides[s], rand);
}

static void
test_permutes (gconstpointer code)
{
  AccElementType *type = conf_type (code);
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  g_autoptr(AccShape) shape = acc_shape_new_vector (1500);
  g_autoptr(AccArray) x = acc_array_generate (shape, number_at, type), targets = acc_array_imap (x, target_of, NULL);
  g_autoptr(AccArray) defaults = conf_array (type, (gint64[]) { 37 }, 1, rand, CONF_SMALL);
  const AccExprFunc2 functions[] = { conf_combine, conf_first, greater };

  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    {
      g_autofree char *name = g_strdup_printf ("vectors/permute/%s/%u", (const char *) code, f);

      /* The larger first item is several elements' where few values fit. */
      if (f == 2 && (strstr (code, "1") != NULL && strcmp (code, "1f4") != 0))
        continue;
      conf_check_array (name, acc_array_permute (x, defaults, targets, functions[f], NULL), CONF_EXACT);
    }
}

static void
test_out_of_range (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (40);
  g_autoptr(AccArray) x = threes ();
  AccArray *outside = acc_array_generate (shape, read_at, x);

  acc_array_set_label (outside, "beyond");
  CONF_EXPECT_ERROR ("vectors/out-of-range", outside, ACC_ERROR_BOUNDS, "generate", "beyond");
}

/* Bytes are counted, not elements. */
static void
test_too_large (void)
{
  const gint64 extents[] = { G_GINT64_CONSTANT (1) << 56 };
  g_autoptr(AccShape) shape = acc_shape_new (extents, 1);
  g_autoptr(GBytes) none = g_bytes_new (NULL, 0);
  g_autoptr(AccArray) fine = acc_array_fill (shape, acc_expr_new_typed_int (conf_type ("8u1"), 1));
  g_autoptr(AccArray) filled = acc_array_fill (shape, acc_expr_new_typed_int (conf_type ("16f8"), 1));
  g_autoptr(AccArray) used = acc_array_use (conf_type ("16f8"), shape, none);
  g_autoptr(GError) error = NULL;

  g_assert_true (acc_array_check (fine, NULL));
  g_assert_false (acc_array_check (filled, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_assert_false (acc_array_check (used, NULL));
}

/* --- mistakes, and memory */

static AccExpr *
wrong (AccExpr *x, gpointer data)
{
  AccExpr *item = acc_expr_item (x, 0);
  AccExpr *many[17] = { item, item, item, item, item, item, item, item, item, item, item, item, item, item, item, item, item };

  switch (GPOINTER_TO_UINT (data))
    {
    case 0: return acc_expr_tuple2 (item, acc_expr_item (x, 3));
    case 1: return acc_expr_tuple2 (item, acc_expr_with_item (x, 3, acc_expr_new_int (0)));
    case 2: return acc_expr_tuple2 (item, acc_expr_with_item (x, 0, acc_expr_new_float (0.5)));
    case 3: return acc_expr_add (x, item);
    case 4: return acc_expr_vec (many, 17);
    case 5: return acc_expr_tuple2 (item, acc_expr_vec (NULL, 0));
    case 6: return acc_expr_vec ((AccExpr *[]) { item, acc_expr_cast (item, conf_type ("i8")) }, 2);
    case 7: return acc_expr_vec ((AccExpr *[]) { acc_expr_tuple2 (item, item), acc_expr_tuple2 (item, item) }, 2);
    case 8: return acc_expr_tuple2 (item, acc_expr_bitcast (x, conf_type ("u8")));
    case 9: return acc_expr_tuple2 (item, acc_expr_cast (x, conf_type ("2i4")));
    case 10: return acc_expr_tuple2 (item, acc_expr_cast (x, conf_type ("i4")));
    case 11: return acc_expr_tuple2 (item, acc_expr_sqrt (x));
    default: return acc_expr_shl (item, x);
    }
}

static void
test_mistakes (void)
{
  for (guint i = 0; i <= 12; i++)
    {
      g_autoptr(AccArray) x = threes (), made = acc_array_map (x, wrong, GUINT_TO_POINTER (i));
      g_autoptr(GError) error = NULL;

      g_assert_false (acc_array_check (made, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_TYPE);
    }
}

static void
test_layout (void)
{
  g_autoptr(AccArray) x = threes (), unzipped = acc_array_unzip (x, 0);
  g_autoptr(AccArray) bytes = CONF_INTS1 ("u1", 8, 9), pairs = acc_array_zip (x, bytes),
    whole = acc_backend_run (conf_interpreter (), pairs, NULL, NULL);
  g_autoptr(GBytes) first = acc_array_dup_bytes (whole, 0, NULL), second = acc_array_dup_bytes (whole, 1, NULL);
  g_autofree char *text = acc_array_to_string (x);
  const gint32 *memory = g_bytes_get_data (first, NULL);

  g_assert_cmpuint (g_bytes_get_size (first), ==, 24);
  g_assert_cmpuint (g_bytes_get_size (second), ==, 2);
  for (gint i = 0; i < 6; i++)
    g_assert_cmpint (memory[i], ==, i + 1);
  g_assert_cmpint (acc_array_get_int (whole, 2, 1), ==, 6);
  g_assert_cmpint (acc_array_get_int (whole, 3, 1), ==, 9);
  g_assert_null (acc_array_dup_bytes (whole, 2, NULL));
  g_assert_cmpstr (text, ==, "array([(1, 2, 3), (4, 5, 6)], dtype=3i4)");
  g_assert_false (acc_array_check (unzipped, NULL));
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_func ("/vectors/items", test_items);
  g_test_add_func ("/vectors/arithmetic", test_arithmetic);
  g_test_add_func ("/vectors/bitcast", test_bitcast);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autofree char *arrays = g_strdup_printf ("/vectors/arrays/%s", codes[i]),
        *permutes = g_strdup_printf ("/vectors/permutes/%s", codes[i]);

      if (!conf_is_thorough () && i % 4 != 2)
        continue;
      g_test_add_data_func (arrays, codes[i], test_arrays);
      g_test_add_data_func (permutes, codes[i], test_permutes);
    }
  g_test_add_func ("/vectors/out-of-range", test_out_of_range);
  g_test_add_func ("/vectors/too-large", test_too_large);
  g_test_add_func ("/vectors/mistakes", test_mistakes);
  g_test_add_func ("/vectors/layout", test_layout);
  return conf_run ();
}
