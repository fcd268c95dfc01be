/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc.h>

static void
test_extents (void)
{
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 2, 3, 4 }, 3);
  g_autoptr(AccShape) same = acc_shape_new ((gint64[]) { 2, 3, 4 }, 3);
  g_autoptr(AccShape) other = acc_shape_new ((gint64[]) { 2, 4, 3 }, 3);
  g_autoptr(AccShape) matrix = acc_shape_new_matrix (2, 3);
  g_autoptr(AccShape) vector = acc_shape_new_vector (7);
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();
  g_autofree char *text = acc_shape_to_string (shape);
  g_autofree char *scalar_text = acc_shape_to_string (scalar);
  guint rank;

  g_assert_cmpuint (acc_shape_get_rank (shape), ==, 3);
  g_assert_cmpint (acc_shape_get_extent (shape, 1), ==, 3);
  g_assert_cmpint (acc_shape_get_extents (shape, &rank)[2], ==, 4);
  g_assert_cmpuint (rank, ==, 3);
  g_assert_nonnull (acc_shape_get_extents (scalar, NULL));
  g_assert_cmpint (acc_shape_get_size (shape), ==, 24);
  g_assert_cmpint (acc_shape_get_size (scalar), ==, 1);
  g_assert_true (acc_shape_equal (shape, same));
  g_assert_false (acc_shape_equal (shape, other));
  g_assert_false (acc_shape_equal (shape, matrix));
  g_assert_true (acc_shape_equal (scalar, scalar));
  g_assert_cmpint (acc_shape_get_extent (matrix, 1), ==, 3);
  g_assert_cmpint (acc_shape_get_extent (vector, 0), ==, 7);
  g_assert_cmpstr (text, ==, "[2,3,4]");
  g_assert_cmpstr (scalar_text, ==, "[]");
}

static void
test_size (void)
{
  static const struct {
    gint64 extents[3];
    gint64 size;
  } cases[] = {
    { { 0, 5, 5 }, 0 },
    { { 5, 5, 0 }, 0 },
    { { -1, -1, 5 }, 0 },
    { { G_MAXINT64, G_MAXINT64, 0 }, 0 },
    { { G_MAXINT64, G_MAXINT64, -3 }, 0 },
    { { G_MAXINT64, 1, 1 }, G_MAXINT64 },
    { { G_MAXINT64, 2, 1 }, G_MAXINT64 },
    { { (gint64) 1 << 31, (gint64) 1 << 31, 1 }, (gint64) 1 << 62 },
    { { (gint64) 1 << 32, (gint64) 1 << 31, 1 }, G_MAXINT64 },
    { { (gint64) 1 << 32, (gint64) 1 << 32, 1 }, G_MAXINT64 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(AccShape) shape = acc_shape_new (cases[i].extents, 3);

      g_assert_cmpint (acc_shape_get_size (shape), ==, cases[i].size);
    }
}

static void
test_boxed (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  g_auto(GValue) value = G_VALUE_INIT;

  g_value_init (&value, ACC_TYPE_SHAPE);
  g_value_set_boxed (&value, shape);
  g_assert_true (g_value_get_boxed (&value) == shape);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shape/extents", test_extents);
  g_test_add_func ("/shape/size", test_size);
  g_test_add_func ("/shape/boxed", test_boxed);
  return g_test_run ();
}
