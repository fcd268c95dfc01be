/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "native-helpers.h"

/* Control flow in the native backend: choices, loops, extents that are computed. */

static AccExpr *
divide_by_zero (AccExpr  *x,
                gpointer  data)
{
  return acc_expr_quot (x, acc_expr_sub (x, x));
}

static void
test_cond (void)
{
  g_autoptr(AccArray) numbers = native_use_count (10);
  g_autoptr(AccArray) shorter = native_use_count (4);
  g_autoptr(AccArray) sum = acc_array_sum_all (numbers);
  g_autoptr(AccArray) bad = acc_array_map (numbers, divide_by_zero, NULL);
  g_autoptr(AccArray) good = acc_array_map (shorter, native_plus_one, NULL);

  for (gint64 limit = 44; limit <= 46; limit++)
    {
      g_autoptr(AccArray) other = acc_array_unit (acc_expr_new_int (limit));
      g_autoptr(AccArray) condition = acc_array_lt (sum, other);
      g_autoptr(AccArray) chosen = limit <= 45 ? acc_array_cond (condition, bad, good) : acc_array_cond (condition, good, bad);
      g_autoptr(AccArray) after = acc_array_map (chosen, native_times_two, NULL);
      g_autoptr(AccArray) result = native_run (after);

      g_assert_cmpint (acc_shape_get_extent (acc_array_get_shape (result), 0), ==, 4);
      for (gint64 i = 0; i < 4; i++)
        g_assert_cmpint (acc_array_get_int (result, 0, i), ==, 2 * (i + 1));
    }
}

static void
test_cond_in_cond (void)
{
  g_autoptr(AccArray) value = native_use_count (5);
  gint64 expected = 0;

  for (guint i = 0; i < 40; i++)
    {
      g_autoptr(AccArray) sum = acc_array_sum_all (value);
      g_autoptr(AccArray) limit = acc_array_unit (acc_expr_new_int (100));
      g_autoptr(AccArray) condition = acc_array_lt (sum, limit);
      g_autoptr(AccArray) more = acc_array_map (value, native_plus_one, NULL);
      g_autoptr(AccArray) next = acc_array_cond (condition, more, value);

      g_set_object (&value, next);
      if (10 + 5 * expected < 100)
        expected++;
    }

  {
    g_autoptr(AccArray) result = native_run (value);

    for (gint64 i = 0; i < 5; i++)
      g_assert_cmpint (acc_array_get_int (result, 0, i), ==, i + expected);
  }
}

static void
test_while (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccArray) start = native_use_count (10);
  g_autoptr(AccArray) begin = acc_array_map (start, native_times_two, NULL);
  g_autoptr(AccArray) twice = acc_array_map (start, native_times_two, NULL);
  g_autoptr(AccProgram) condition = acc_program_new (signatures, native_sum_below, GINT_TO_POINTER (10000));
  g_autoptr(AccProgram) step = acc_program_new (signatures, native_increment, NULL);
  g_autoptr(AccProgram) step_captures = acc_program_new (signatures, native_increment, twice);
  g_autoptr(AccProgram) never = acc_program_new (signatures, native_sum_below, GINT_TO_POINTER (0));
  g_autoptr(AccArray) loop = acc_array_while_loop (begin, condition, step);
  g_autoptr(AccArray) other = acc_array_while_loop (begin, condition, step_captures);
  g_autoptr(AccArray) nothing = acc_array_while_loop (begin, never, step);
  g_autoptr(AccArray) both = acc_array_sub (loop, nothing);
  g_autoptr(AccArray) a = native_run (loop);
  g_autoptr(AccArray) b = native_run (other);
  g_autoptr(AccArray) c = native_run (nothing);
  g_autoptr(AccArray) d = native_run (both);
  gint64 steps = (10000 - 90 + 9) / 10;

  for (gint64 i = 0; i < 10; i++)
    {
      g_assert_cmpint (acc_array_get_int (a, 0, i), ==, 2 * i + steps);
      g_assert_cmpint (acc_array_get_int (c, 0, i), ==, 2 * i);
      g_assert_cmpint (acc_array_get_int (d, 0, i), ==, steps);
      /* 90 n >= 10000 for n = 112 */
      g_assert_cmpint (acc_array_get_int (b, 0, i), ==, 2 * i * 112);
    }
}

static AccExpr *
next_index (AccExpr  *i,
            gpointer  data)
{
  return acc_expr_add (i, acc_expr_new_int (1));
}

static AccArray *
drop_first (AccArray **arrays,
            guint      n_arrays,
            gpointer   data)
{
  return acc_array_backpermute_expr (arrays[0], acc_expr_sub (acc_expr_extent (arrays[0], 0), acc_expr_new_int (1)),
                                     next_index, NULL);
}

static AccExpr *
first_of (AccExpr  *i,
          gpointer  data)
{
  return acc_expr_extent (data, 0);
}

static AccArray *
longer_than_three (AccArray **arrays,
                   guint      n_arrays,
                   gpointer   data)
{
  g_autoptr(AccShape) shape = acc_shape_new_scalar ();
  g_autoptr(AccArray) extent = acc_array_generate (shape, first_of, arrays[0]);
  g_autoptr(AccArray) three = acc_array_unit (acc_expr_new_int (3));

  return acc_array_gt (extent, three);
}

static void
test_while_changes_extents (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccArray) start = native_use_count (60);
  g_autoptr(AccProgram) condition = acc_program_new (signatures, longer_than_three, NULL);
  g_autoptr(AccProgram) step = acc_program_new (signatures, drop_first, NULL);
  g_autoptr(AccArray) loop = acc_array_while_loop (start, condition, step);
  g_autoptr(AccArray) result = native_run (loop);

  g_assert_cmpint (acc_shape_get_extent (acc_array_get_shape (result), 0), ==, 3);
  for (gint64 i = 0; i < 3; i++)
    g_assert_cmpint (acc_array_get_int (result, 0, i), ==, 57 + i);
}

static AccArray *
inner_loop (AccArray **arrays,
            guint      n_arrays,
            gpointer   data)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccArray) doubled = acc_array_map (arrays[0], native_times_two, NULL);
  g_autoptr(AccProgram) condition = acc_program_new (signatures, native_sum_below, GINT_TO_POINTER (50));
  g_autoptr(AccProgram) step = acc_program_new (signatures, native_increment, doubled);
  g_autoptr(AccArray) loop = acc_array_while_loop (arrays[0], condition, step);

  return acc_array_map (loop, native_plus_one, NULL);
}

static void
test_while_in_while (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  static const gint64 values[] = { 1, 2, 3 };
  gint64 expected[] = { 1, 2, 3 };
  g_autoptr(AccArray) start = native_use_ints (values, 3);
  g_autoptr(AccProgram) condition = acc_program_new (signatures, native_sum_below, GINT_TO_POINTER (1000));
  g_autoptr(AccProgram) step = acc_program_new (signatures, inner_loop, NULL);
  g_autoptr(AccArray) loop = acc_array_while_loop (start, condition, step);
  g_autoptr(AccArray) result = native_run (loop);

  while (expected[0] + expected[1] + expected[2] < 1000)
    {
      gint64 doubled[] = { 2 * expected[0], 2 * expected[1], 2 * expected[2] };

      while (expected[0] + expected[1] + expected[2] < 50)
        for (guint i = 0; i < 3; i++)
          expected[i] += doubled[i];
      for (guint i = 0; i < 3; i++)
        expected[i]++;
    }
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (acc_array_get_int (result, 0, i), ==, expected[i]);
}

static AccExpr *
index_itself (AccExpr  *i,
              gpointer  data)
{
  return i;
}

static void
test_computed_extents (void)
{
  g_autoptr(AccArray) numbers = native_use_count (10);
  g_autoptr(AccArray) sum = acc_array_sum_all (numbers);
  g_autoptr(AccArray) generated = acc_array_generate_expr (acc_expr_the (sum), index_itself, NULL);
  g_autoptr(AccArray) sum_again = acc_array_sum_all (generated);
  g_autoptr(AccArray) second = acc_array_generate_expr (acc_expr_the (sum_again), index_itself, NULL);
  g_autoptr(AccArray) result = native_run (second);

  g_assert_cmpint (acc_shape_get_extent (acc_array_get_shape (result), 0), ==, 45 * 44 / 2);
  g_assert_cmpint (acc_array_get_int (result, 0, 500), ==, 500);
}

int
main (int    argc,
      char **argv)
{
  native_begin (&argc, &argv);

  g_test_add_func ("/native/cond", test_cond);
  g_test_add_func ("/native/cond-in-cond", test_cond_in_cond);
  g_test_add_func ("/native/while", test_while);
  g_test_add_func ("/native/while-changes-extents", test_while_changes_extents);
  g_test_add_func ("/native/while-in-while", test_while_in_while);
  g_test_add_func ("/native/computed-extents", test_computed_extents);

  return native_end ();
}
