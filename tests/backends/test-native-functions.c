/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "native-helpers.h"

/* Functions of scalars that are large, or deep, in the native backend. */

static void
assert_computes (GString *text,
                 gint64 (*expected) (gint64 x, guint n),
                 guint    n)
{
  g_autoptr (AccProgram) program = native_read_program (text->str);
  g_autoptr (AccArray) some = native_use_count (37);
  g_autoptr (GError) error = NULL;
  g_autoptr (AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);
  g_autoptr (GPtrArray) results = acc_executable_run (executable, &some, 1, NULL, &error);

  g_assert_no_error (error);
  for (gint64 i = 0; i < 37; i++)
    g_assert_cmpint (acc_array_get_int (results->pdata[0], 0, i), ==, expected (i, n));
}

static GString *
begin_map (void)
{
  return g_string_new ("acc program 1\na0 = parameter 0 i8[:]\na1 = map a0\n  e0 = variable i8\n  e1 = literal i8 1000\n");
}

static gint64
add_thousand (gint64 x,
              guint  n)
{
  return x + 1000;
}

/* One in the step of the other: what is found out about one must not be found out anew for each that is around it. */
static void
test_nested_loops (void)
{
  static const guint depths[] = { 1, 2, 40 };

  for (guint i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      g_autoptr (GString) text = begin_map ();
      guint n = depths[i], id = 2 + n;

      for (guint k = 0; k < n; k++)
        g_string_append_printf (text, "  e%u = variable i8\n", 2 + k);
      g_string_append_printf (text, "  e%u = add e%u e1\n", id, 1 + n);
      for (guint k = n; k-- > 0; id += 2)
        g_string_append_printf (text, "  e%u = lt e%u e1\n  e%u = while e%u predicate e%u e%u step e%u e%u\n", id + 1, 2 + k, id + 2,
                                k > 0 ? 1 + k : 0, 2 + k, id + 1, 2 + k, id);
      g_string_append_printf (text, "  function e0 -> e%u\nprogram a0 -> a1\n", id);
      assert_computes (text, add_thousand, n);
    }
}

static gint64
choose_often (gint64 x,
              guint  n)
{
  for (guint i = 0; i < n; i++)
    x = x < (gint64) i % 100 ? (3 * x + (gint64) i % 100) & 1000 : x - 1;

  return x;
}

static gint64
loop_often (gint64 x,
            guint  n)
{
  for (guint i = 0; i < n; i++)
    while (x < (gint64) i % 100)
      x += 1000;

  return x;
}

/* Optimised by passes of which none takes time by the square, or not at all. */
static void
test_large_functions (void)
{
  static const guint lengths[] = { 100, 1000, 4000 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autoptr (GString) choices = begin_map (), loops = begin_map ();
      guint n = lengths[i], x = 0, y = 0;

      g_string_append (choices, "  e2 = literal i8 3\n  e3 = literal i8 1\n");
      for (guint k = 0, id = 3; k < n; k++, id += 7, x = id)
        g_string_append_printf (choices, "  e%u = literal i8 %u\n  e%u = lt e%u e%u\n  e%u = mul e%u e2\n  e%u = add e%u e%u\n"
                                "  e%u = and e%u e1\n  e%u = sub e%u e3\n  e%u = cond e%u e%u e%u\n", id + 1, k % 100, id + 2, x, id + 1,
                                id + 3, x, id + 4, id + 3, id + 1, id + 5, id + 4, id + 6, x, id + 7, id + 2, id + 5, id + 6);
      g_string_append_printf (choices, "  function e0 -> e%u\nprogram a0 -> a1\n", x);
      assert_computes (choices, choose_often, n);

      for (guint k = 0, id = 1; k < n / 2; k++, id += 5, y = id)
        g_string_append_printf (loops, "  e%u = literal i8 %u\n  e%u = variable i8\n  e%u = lt e%u e%u\n  e%u = add e%u e1\n"
                                "  e%u = while e%u predicate e%u e%u step e%u e%u\n", id + 1, k % 100, id + 2, id + 3, id + 2, id + 1, id + 4,
                                id + 2, id + 5, y, id + 2, id + 3, id + 2, id + 4);
      g_string_append_printf (loops, "  function e0 -> e%u\nprogram a0 -> a1\n", y);
      assert_computes (loops, loop_often, n / 2);
    }
}

int
main (int    argc,
      char **argv)
{
  native_begin (&argc, &argv);

  g_test_add_func ("/native/nested-loops", test_nested_loops);
  g_test_add_func ("/native/large-functions", test_large_functions);

  return native_end ();
}
