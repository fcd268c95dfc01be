/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Arrays whose lengths change from run to run, on backends that compile for extents: many lengths share one module, and come to what the
 * interpreter says. */

#include "tests/nested/nested-backends.h"
#include "tests/remove-tree.h"

#define N    1000
#define MANY 100000

static AccArray *
use_ints (const gint64 *values, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (values, n * sizeof *values);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static AccExpr *
integer (gint64 value)
{
  return acc_expr_new_int (value);
}

/* --- what is done with them; all that may fail would do so for 0, which lies behind the end of what is rounded up */

static AccExpr *
is_wanted (AccExpr *x, gpointer data)
{
  return acc_expr_gt (x, integer (0));
}

static AccExpr *
divide (AccExpr *x, gpointer data)
{
  return acc_expr_div (integer (1000000), x);
}

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

/* The larger one; it fails for 0. */
static AccExpr *
larger (AccExpr *x, AccExpr *y, gpointer data)
{
  g_autoptr(AccExpr) first = acc_expr_ref_sink (x), second = acc_expr_ref_sink (y);
  AccExpr *none = acc_expr_sub (acc_expr_div (second, second), integer (1));

  return acc_expr_add (acc_expr_max (first, second), none);
}

/* Of pairs of a factor and a summand: functions one after the other, which do not commute. */
static AccExpr *
compose (AccExpr *x, AccExpr *y, gpointer data)
{
  g_autoptr(AccExpr) first = acc_expr_ref_sink (x), second = acc_expr_ref_sink (y);

  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (first, 0), acc_expr_item (second, 0)),
                          acc_expr_add (acc_expr_mul (acc_expr_item (first, 1), acc_expr_item (second, 0)), acc_expr_item (second, 1)));
}

static AccExpr *
pair_with_one (AccExpr *x, gpointer data)
{
  g_autoptr(AccExpr) value = acc_expr_ref_sink (x);

  return acc_expr_tuple2 (acc_expr_add (acc_expr_mod (value, integer (5)), integer (1)), value);
}

/* Bits of x, by a loop that does not end for 0 */
static AccExpr *
halve (AccExpr *state, gpointer data)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (state), value = acc_expr_ref_sink (acc_expr_item (owned, 0));
  AccExpr *next = acc_expr_tuple2 (acc_expr_div (value, integer (2)), acc_expr_add (acc_expr_item (owned, 1), integer (1)));

  return acc_expr_tuple2 (acc_expr_ne (value, integer (1)), next);
}

static AccExpr *
count_bits (AccExpr *x, gpointer data)
{
  return acc_expr_item (acc_expr_while (acc_expr_tuple2 (x, integer (1)), halve, NULL), 1);
}

static AccExpr *
read_next (AccExpr *index, gpointer data)
{
  AccExpr *next = acc_expr_add (index, integer (1));

  return acc_expr_linear_index (data, acc_expr_mod (next, acc_expr_extent (data, 0)));
}

static AccExpr *
to_bin (AccExpr *x, gpointer data)
{
  return acc_expr_mod (x, integer (7));
}

static AccExpr *
sum_of_three (AccExpr *cells, gpointer data)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (cells);

  return acc_expr_add (acc_expr_add (acc_expr_item (owned, 0), acc_expr_item (owned, 1)), acc_expr_item (owned, 2));
}

static AccArray *
add_rows (AccArray *xs)
{
  g_autoptr(AccArray) table = acc_array_replicate (xs, (gint64[]) { ACC_ALL, 3 }, 2), sums = acc_array_scanl1 (table, larger, NULL);
  g_autoptr(AccArray) flat = acc_array_flatten (sums), rows = acc_array_fold (table, integer (1), add, NULL);
  g_autoptr(AccArray) total = acc_array_fold_all (flat, integer (5), add, NULL);
  g_autoptr(AccArray) some = acc_array_take_on (flat, 0, acc_expr_min (acc_expr_the (total), integer (4)));

  return acc_array_zip_with (rows, some, add, NULL);
}

static AccArray *
count_bins (AccArray *xs)
{
  g_autoptr(AccArray) targets = acc_array_map (xs, to_bin, NULL), none = NULL;
  g_autoptr(AccShape) shape = acc_shape_new_vector (7);

  none = acc_array_fill (shape, integer (0));

  return acc_array_permute (xs, none, targets, add, NULL);
}

static AccArray *
blur (AccArray *xs)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);

  return acc_array_stencil (xs, (gint64[]) { 3 }, 1, boundary, sum_of_three, NULL);
}

/* Lengths of segments, and sums of them */
static AccArray *
add_segments (AccArray *xs)
{
  g_autoptr(AccArray) lengths = acc_array_map (xs, to_bin, NULL), total = acc_array_sum_all (lengths);
  g_autoptr(AccArray) values = acc_array_generate_expr (acc_expr_the (total), read_next, xs);

  return acc_array_fold_seg (values, integer (3), lengths, add, NULL);
}

static GPtrArray *
build (AccArray **arrays, guint n, gpointer data)
{
  AccArray *xs = arrays[0];
  g_autoptr(AccArray) pairs = acc_array_map (xs, pair_with_one, NULL);
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (results, acc_array_map (xs, divide, NULL));
  g_ptr_array_add (results, acc_array_map (xs, count_bits, NULL));
  g_ptr_array_add (results, acc_array_fold (xs, integer (7), add, NULL));
  g_ptr_array_add (results, acc_array_fold (xs, integer (1), larger, NULL));
  g_ptr_array_add (results, acc_array_fold (pairs, acc_expr_tuple2 (integer (1), integer (0)), compose, NULL));
  g_ptr_array_add (results, acc_array_scanl1 (xs, add, NULL));
  g_ptr_array_add (results, acc_array_scanl1 (xs, larger, NULL));
  g_ptr_array_add (results, acc_array_scanr1 (pairs, compose, NULL));
  g_ptr_array_add (results, acc_array_sort (xs, FALSE));
  g_ptr_array_add (results, acc_array_sort (xs, TRUE));
  g_ptr_array_add (results, acc_array_reverse (xs));
  g_ptr_array_add (results, acc_array_tail (xs));
  g_ptr_array_add (results, acc_array_generate_expr (acc_expr_shape (xs), read_next, xs));
  g_ptr_array_add (results, add_rows (xs));
  g_ptr_array_add (results, count_bins (xs));
  g_ptr_array_add (results, add_segments (xs));

  return results;
}

/* Of what is positive */
static GPtrArray *
build_filtered (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) kept = acc_array_filter (arrays[0], is_wanted, NULL, NULL);
  GPtrArray *results = build (&kept, 1, data);

  g_ptr_array_add (results, g_object_ref (kept));

  return results;
}

/* --- runs */

static AccExecutable *
compile (AccBackend *where, AccProgram *program)
{
  g_autoptr(GError) error = NULL;
  AccExecutable *executable = acc_backend_compile (where, program, NULL, &error);

  g_assert_no_error (error);

  return executable;
}

static void
check_same (AccArray *given, AccArray *wanted, gint64 n, guint result)
{
  for (guint leaf = 0; leaf < acc_element_type_get_n_leaves (acc_array_get_element_type (given)); leaf++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GBytes) a = acc_array_dup_bytes (given, leaf, &error), b = acc_array_dup_bytes (wanted, leaf, &error);

      g_assert_no_error (error);
      if (!g_bytes_equal (a, b))
        g_error ("result %u of %" G_GINT64_FORMAT " elements is another", result, n);
    }
}

static void
check_run (AccExecutable *executable, AccExecutable *judged, AccArray *argument, gint64 n)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) given = acc_executable_run (executable, &argument, 1, NULL, &error), wanted = NULL;

  g_assert_no_error (error);
  wanted = acc_executable_run (judged, &argument, 1, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < given->len; i++)
    check_same (g_ptr_array_index (given, i), g_ptr_array_index (wanted, i), n, i);
}

/* @n positive numbers among 0 and less */
static AccArray *
make_vector (gint64 n, gint64 all)
{
  g_autofree gint64 *values = g_new (gint64, all + 1);
  gint64 left = n;

  for (gint64 i = 0; i < all; i++)
    {
      gboolean is_positive = left > 0 && (all - i <= left || (i * 7 + n) % 3 != 0);

      values[i] = is_positive ? 1 + (i * 7919 + n) % 997 : -(i % 5);
      left -= is_positive;
    }

  return use_ints (values, all);
}

static const gint64 lengths[] = { 5, 6, 100, 0, 1, 7 };

static void
test_data (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new_many (signatures, build_filtered, NULL);
  g_autoptr(AccExecutable) executable = compile (backend, program), judged = compile (judge, program);

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autoptr(AccArray) argument = make_vector (lengths[i], N);

      check_run (executable, judged, argument, lengths[i]);
    }
}

static void
test_arguments (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new_many (signatures, build, NULL);
  g_autoptr(AccExecutable) executable = compile (backend, program), judged = compile (judge, program);

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autoptr(AccArray) argument = make_vector (lengths[i], lengths[i]);

      check_run (executable, judged, argument, lengths[i]);
    }
}

static AccArray *
build_blurred (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) kept = acc_array_filter (arrays[0], is_wanted, NULL, NULL), blurred = blur (kept);

  return acc_array_add (blurred, kept);
}

/* Their ends show. */
static void
test_stencils (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new (signatures, build_blurred, NULL);
  g_autoptr(AccExecutable) executable = compile (backend, program), judged = compile (judge, program);

  for (gint64 n = 0; n < 8; n++)
    {
      g_autoptr(AccArray) argument = make_vector (n, N);

      check_run (executable, judged, argument, n);
    }
}

/* What fails in an array that is rounded up names the true extent. */
static AccExpr *
read_behind (AccExpr *index, gpointer data)
{
  return acc_expr_linear_index (data, acc_expr_extent (data, 0));
}

static AccArray *
build_behind (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) kept = acc_array_filter (arrays[0], is_wanted, NULL, NULL);

  return acc_array_generate_expr (acc_expr_shape (kept), read_behind, kept);
}

static void
test_failure (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new (signatures, build_behind, NULL);
  g_autoptr(AccExecutable) executable = compile (backend, program);

  for (gint64 n = 5; n < 8; n++)
    {
      g_autoptr(AccArray) argument = make_vector (n, N);
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_executable_run (executable, &argument, 1, NULL, &error);
      g_autofree char *wanted = g_strdup_printf ("index %" G_GINT64_FORMAT " is outside extent %" G_GINT64_FORMAT, n, n);

      g_assert_null (results);
      g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
      g_assert_true (g_str_has_suffix (error->message, wanted));
    }
}

/* --- how much is compiled */

static guint
count_files (const char *path)
{
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      n += g_file_test (inner, G_FILE_TEST_IS_DIR) ? count_files (inner) : 1;
    }

  return n;
}

static AccArray *
build_short (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) kept = acc_array_filter (arrays[0], is_wanted, NULL, NULL), all = acc_array_scanl1 (kept, add, NULL);

  return acc_array_reverse (all);
}

/* A module for the flags and their number, one for each power of two up to 1024 of those that are kept, one for none: PJRT keeps each on
 * disk, and a file with their names. */
static void
test_count (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new (signatures, build_short, NULL);
  g_autoptr(AccExecutable) executable = compile (backend, program), judged = compile (judge, program);
  const char *folder = g_getenv ("ACC_CACHE_DIR"), *round = g_getenv ("ACC_XLA_ROUND");
  guint before = count_files (folder);

  for (gint64 n = 0; n <= N; n++)
    {
      g_autoptr(AccArray) argument = make_vector (n, N);

      check_run (executable, judged, argument, n);
    }
  if (g_str_has_prefix (acc_backend_get_name (backend), "pjrt") && round == NULL)
    {
      g_assert_cmpuint (count_files (folder) - before, >, 2);
      g_assert_cmpuint (count_files (folder) - before, <=, 14);
    }
}

/* --- how much is copied */

/* Which takes no memory besides. */
static AccArray *
build_second (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_generate_expr (integer (1), read_next, arrays[0]);
}

static AccArray *
build_kept (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_filter (arrays[0], is_wanted, NULL, NULL);
}

/* Within a limit that has no room for another @array. */
static void
run_within (AccExecutable *executable, AccArray *array)
{
  guint64 limit = acc_backend_get_memory_limit (backend), used = acc_backend_get_memory_used (backend);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = NULL;

  acc_backend_set_memory_limit (backend, used + MANY);
  results = acc_executable_run (executable, &array, 1, NULL, &error);
  acc_backend_set_memory_limit (backend, limit);
  g_assert_no_error (error);
}

/* Arrays whose length is rounded up are copied once, those that a module made not at all. */
static void
test_copies (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccProgram) second = acc_program_new (signatures, build_second, NULL), kept = acc_program_new (signatures, build_kept, NULL);
  g_autoptr(AccExecutable) executable = compile (backend, second), judged = compile (judge, second), filter = compile (backend, kept);
  g_autoptr(AccArray) given = make_vector (MANY - 3, MANY - 3), mixed = make_vector (MANY - 4, MANY);
  g_autoptr(GPtrArray) made = NULL;
  g_autoptr(GError) error = NULL;

  for (gint64 n = 5; n < 9; n++)
    {
      g_autoptr(AccArray) argument = make_vector (n, n);

      check_run (executable, judged, argument, n);
    }

  check_run (executable, judged, given, MANY - 3);
  run_within (executable, given);
  made = acc_executable_run (filter, &mixed, 1, NULL, &error);
  g_assert_no_error (error);
  run_within (executable, g_ptr_array_index (made, 0));
  check_run (executable, judged, g_ptr_array_index (made, 0), MANY - 4);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("acc-rounded-XXXXXX", NULL);
  int status;

  g_test_init (&argc, &argv, NULL);
  g_assert_nonnull (folder);
  g_setenv ("ACC_CACHE_DIR", folder, TRUE);
  if (!open_backends ("native"))
    {
      remove_tree (folder);
      return 0;
    }
  g_test_add_func ("/rounded/data", test_data);
  g_test_add_func ("/rounded/arguments", test_arguments);
  g_test_add_func ("/rounded/stencils", test_stencils);
  g_test_add_func ("/rounded/failure", test_failure);
  g_test_add_func ("/rounded/count", test_count);
  g_test_add_func ("/rounded/copies", test_copies);
  status = run_tests ();
  remove_tree (folder);

  return status;
}
