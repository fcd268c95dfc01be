/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "large-functions.h"
#include "native-helpers.h"

#include <string.h>

/* Functions of scalars that are large, or deep, in the native backend. */

static void
assert_computes (GString *(*make) (guint n),
                 gint64   (*expected) (gint64 x, guint n),
                 guint      n)
{
  g_autoptr(GString) text = make (n);
  g_autoptr(AccProgram) program = large_read (text);
  g_autoptr(AccArray) some = native_use_count (37);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);
  g_autoptr(GPtrArray) results = acc_executable_run (executable, &some, 1, NULL, &error);

  g_assert_no_error (error);
  for (gint64 i = 0; i < 37; i++)
    g_assert_cmpint (acc_array_get_int (results->pdata[0], 0, i), ==, expected (i, n));
}

/* One in the other: what is found out about one must not be found out anew for each that is around it, and few are optimised. */
static void
test_nested (void)
{
  static const guint depths[] = { 1, 2, 40, 400 };

  for (guint i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      assert_computes (large_nested_loops, large_nested_loops_of, depths[i]);
      assert_computes (large_nested_choices, large_nested_choices_of, depths[i]);
    }
}

/* Optimised by passes of which none takes time by the square, or not at all. */
static void
test_large (void)
{
  static const guint lengths[] = { 100, 250, 4000 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      assert_computes (large_choices, large_choices_of, lengths[i]);
      assert_computes (large_loops, large_loops_of, lengths[i] / 2);
      assert_computes (large_sums, large_sums_of, lengths[i]);
    }
}

/* Not before the program is planned; however deep and large it is, whoever reads it, checks it, writes it or frees it has stack enough. */
static void
assert_refused (GString *(*make) (guint n),
                guint       n,
                const char *why)
{
  g_autoptr(GString) text = make (n);
  g_autoptr(AccProgram) program = NULL;
  g_autoptr(AccArray) some = native_use_count (37);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = NULL;
  g_autofree char *again = NULL;

  g_string_replace (text, "a1 = map a0", "a1 = map a0 label \"too much\"", 1);
  program = large_read (text);
  again = acc_program_to_string (program);
  g_assert_nonnull (strstr (again, "too much"));
  executable = acc_backend_compile (native_backend, program, NULL, &error);
  if (executable != NULL)
    g_assert_null (acc_executable_run (executable, &some, 1, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, "map “too much”: "));
  g_assert_nonnull (strstr (error->message, why));
}

static void
test_refused (void)
{
  static const guint depths[] = { 1100, 5000 };

  for (guint i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      assert_refused (large_nested_loops, depths[i], "more than 1000 deep");
      assert_refused (large_nested_choices, depths[i], "more than 1000 deep");
    }
  assert_refused (large_sums, 140000, "more than 400000 instructions");
}

int
main (int    argc,
      char **argv)
{
  native_begin (&argc, &argv);

  g_test_add_func ("/native/nested-functions", test_nested);
  g_test_add_func ("/native/large-functions", test_large);
  g_test_add_func ("/native/refused-functions", test_refused);

  return native_end ();
}
