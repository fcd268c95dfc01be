/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "native-helpers.h"

#include "acc-core/array/acc-array-private.h"

#include "tests/remove-tree.h"

#include <string.h>

/* What the native backend computes, whatever else there is: results that share memory, levels of processors, elements that are asked
 * for ahead, the kernel cache. */

static void
test_run_again (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new (signatures, native_scale_and_sum, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);
  static const gint64 sizes[] = { 0, 1, 2, 3, 7, 64, 1000, 100000, 64, 1000 };
  gint64 start;

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr(AccArray) numbers = native_use_count (sizes[i]);
      g_autoptr(GPtrArray) results = acc_executable_run (executable, &numbers, 1, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (acc_array_get_int (g_ptr_array_index (results, 0), 0, 0), ==, sizes[i] * (sizes[i] - 1));
    }

  {
    g_autoptr(AccArray) numbers = native_use_count (1000);

    start = g_get_monotonic_time ();
    for (guint i = 0; i < 10000; i++)
      g_ptr_array_unref (acc_executable_run (executable, &numbers, 1, NULL, NULL));
    g_test_message ("a run of 1000 elements: %.2f us", (g_get_monotonic_time () - start) / 10000.0);
  }
}

static void
test_shared_results (void)
{
  static const gint64 values[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr(AccArray) numbers = native_use_ints (values, 6);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (2, 3);
  g_autoptr(AccArray) matrix = acc_array_reshape (numbers, shape);
  g_autoptr(AccArray) doubled = acc_array_map (numbers, native_times_two, NULL);
  g_autoptr(AccArray) flat = acc_array_reshape (doubled, shape);
  AccArray *wanted[] = { numbers, matrix, doubled, flat, doubled };
  g_autoptr(AccProgram) program = acc_program_new_for_results (wanted, G_N_ELEMENTS (wanted));
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);
  g_autoptr(GPtrArray) results = acc_executable_run (executable, NULL, 0, NULL, &error);
  guint64 addresses[G_N_ELEMENTS (wanted)];

  g_assert_no_error (error);
  g_assert_cmpint (results->len, ==, G_N_ELEMENTS (wanted));
  for (guint i = 0; i < results->len; i++)
    addresses[i] = acc_array_get_address (g_ptr_array_index (results, i), 0);
  g_assert_cmpuint (addresses[0], ==, acc_array_get_address (numbers, 0));
  g_assert_cmpuint (addresses[1], ==, addresses[0]);
  g_assert_cmpuint (addresses[3], ==, addresses[2]);
  g_assert_cmpuint (addresses[4], ==, addresses[2]);
  g_assert_cmpint (acc_array_get_rank (g_ptr_array_index (results, 1)), ==, 2);
  g_assert_cmpint (acc_array_get_rank (g_ptr_array_index (results, 3)), ==, 2);
  for (gint64 i = 0; i < 6; i++)
    g_assert_cmpint (acc_array_get_int (g_ptr_array_index (results, 3), 0, i), ==, 2 * values[i]);
}

/* Levels that the processor has give the same results as what it is. */
static void
test_levels (void)
{
  static const char *const levels[] = { "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v99" };
  g_autoptr(AccArray) noise = native_use_noise (150, 211, 7);
  g_autoptr(AccArray) roots = acc_array_sqrt (noise);
  g_autoptr(AccArray) expected = native_run (roots);
  g_autoptr(GBytes) expected_bytes = acc_array_dup_bytes (expected, 0, NULL);
  g_autofree char *before = g_strdup (g_getenv ("ACC_CPU"));
  guint n_opened = 0;

  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    {
      AccBackend *kept = native_backend;
      g_autoptr(GError) error = NULL;

      g_setenv ("ACC_CPU", levels[i], TRUE);
      native_backend = acc_backend_new_for_name ("native", &error);
      if (native_backend != NULL)
        {
          g_autoptr(AccArray) result = native_run (roots);
          g_autoptr(GBytes) bytes = acc_array_dup_bytes (result, 0, NULL);

          g_assert_true (g_bytes_equal (bytes, expected_bytes));
          g_object_unref (native_backend);
          n_opened++;
        }
      else
        {
          g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
          g_assert_nonnull (strstr (error->message, levels[i]));
        }
      native_backend = kept;
    }
#if defined (__x86_64__)
  g_assert_cmpuint (n_opened, >, 0);
#endif
  g_assert_cmpuint (n_opened, <, G_N_ELEMENTS (levels));
  native_set_back ("ACC_CPU", before);
}

static AccArray *
use_indices (gint64 n,
             gint64 below,
             gint64 wrong)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  guint32 *values = g_new (guint32, n + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < n; i++)
    values[i] = i == wrong ? (guint32) below : (guint32) (i * G_GINT64_CONSTANT (2654435761) % below);
  bytes = g_bytes_new_take (values, n * sizeof (guint32));

  return acc_array_use (acc_element_type_new (ACC_KIND_U32), shape, bytes);
}

/* From an array that is in no near cache, of which elements are asked for ahead: those that are beside and behind the last of which
 * that is so, elements of several leaves, functions of what is read, and an index that is outside. */
static void
test_far_gather (void)
{
  static const gint64 sizes[] = { 0, 1, 63, 64, 65, 256, 257, 1000, 100003 };
  const gint64 n = (1 << 20) + 12345;
  g_autoptr(AccArray) table = native_use_count (n);
  g_autoptr(AccArray) doubled = acc_array_add (table, table);
  g_autoptr(AccArray) pairs = acc_array_zip (table, table);
  gint64 wrong[] = { 0, 99938, 99940, 100002 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr(AccArray) indices = use_indices (sizes[i], n, -1);
      g_autoptr(AccArray) from_table = acc_array_gather (table, indices);
      g_autoptr(AccArray) of_pairs = acc_array_gather (pairs, indices);
      g_autoptr(AccArray) first = acc_array_unzip (of_pairs, 0);
      g_autoptr(AccArray) second = acc_array_unzip (of_pairs, 1);
      g_autoptr(AccArray) sum = acc_array_add (first, second);
      g_autoptr(AccArray) from_doubled = acc_array_gather (doubled, indices);
      AccArray *all[] = { from_table, sum, from_doubled };

      for (guint k = 0; k < G_N_ELEMENTS (all); k++)
        {
          g_autoptr(AccArray) result = native_run (all[k]);

          for (gint64 j = 0; j < sizes[i]; j++)
            g_assert_cmpint (acc_array_get_int (result, 0, j), ==, (k == 0 ? 1 : 2) * (j * G_GINT64_CONSTANT (2654435761) % n));
        }
    }

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr(AccArray) indices = use_indices (100003, n, wrong[i]);
      g_autoptr(AccArray) gathered = acc_array_gather (table, indices);
      g_autoptr(GError) error = native_run_failing (gathered);

      g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
    }
}

typedef struct {
  AccArray *table, *few, *indices, *divisors;
} Far;

static AccExpr *
behind_all (AccExpr  *index,
            gpointer  data)
{
  Far *far = data;
  AccExpr *place = acc_expr_add (acc_expr_item (index, 0), acc_expr_new_int (1 << 30));

  return acc_expr_index (far->table, acc_expr_index (far->indices, place));
}

static AccExpr *
of_few (AccExpr  *index,
        gpointer  data)
{
  Far *far = data;

  return acc_expr_index (far->table, acc_expr_index (far->few, acc_expr_index (far->indices, acc_expr_item (index, 0))));
}

static AccExpr *
by_none (AccExpr  *index,
         gpointer  data)
{
  Far *far = data;
  AccExpr *i = acc_expr_item (index, 0);
  return acc_expr_index (far->table, acc_expr_index (far->indices, acc_expr_quot (i, acc_expr_index (far->divisors, i))));
  return acc_expr_index (far->table, acc_expr_index (far->indices, acc_expr_quot (i, acc_expr_index (far->divisors, i))));
}

/* What is asked for ahead is found through what may be wrong: that is told where its turn comes. */
static void
test_far_mistakes (void)
{
  static const struct { AccExprFunc function; int code; } cases[] = {
    { behind_all, ACC_ERROR_BOUNDS }, { of_few, ACC_ERROR_BOUNDS }, { by_none, ACC_ERROR_ARITHMETIC },
  };
  const gint64 n = 1 << 20;
  g_autoptr(AccArray) table = native_use_count (n);
  g_autoptr(AccArray) few = native_use_count (1000);
  g_autoptr(AccArray) indices = use_indices (n, G_MAXINT32, 0);
  g_autoptr(AccArray) delayed = acc_array_sub (table, table);
  g_autoptr(AccArray) divisors = native_run (delayed);
  Far far = { table, few, indices, divisors };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint folded = 0; folded < 2; folded++)
      {
        g_autoptr(AccArray) elements = acc_array_generate (acc_array_get_shape (table), cases[i].function, &far);
        g_autoptr(AccArray) result = folded ? acc_array_fold1 (elements, native_largest, NULL) : g_object_ref (elements);
        g_autoptr(GError) error = native_run_failing (result);

        g_assert_error (error, ACC_ERROR, cases[i].code);
      }
}

static guint
count_kernels (const char *directory)
{
  g_autoptr(GDir) dir = g_dir_open (directory, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;

  return n;
}

static void
run_five (void)
{
  gint64 start = g_get_monotonic_time (), opened, done;
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) own = acc_backend_new_for_name ("native", &error);
  g_autoptr(AccArray) noise = native_use_noise (64, 64, 1);
  AccArray *wanted[4];
  g_autoptr(AccProgram) program = NULL;
  g_autoptr(AccExecutable) executable = NULL;
  g_autoptr(GPtrArray) results = NULL;

  g_assert_no_error (error);
  opened = g_get_monotonic_time ();
  native_make_results (noise, noise, wanted);
  wanted[3] = acc_array_exp (noise);
  program = acc_program_new_for_results (wanted, 4);
  executable = acc_backend_compile (own, program, NULL, &error);
  results = acc_executable_run (executable, NULL, 0, NULL, &error);
  g_assert_no_error (error);
  done = g_get_monotonic_time ();
  g_print ("# backend opened in %.2f ms, first run after %.2f ms\n", (opened - start) / 1e3, (done - opened) / 1e3);
  for (guint i = 0; i < 4; i++)
    g_object_unref (wanted[i]);
}

static void
test_warm_start (void)
{
  g_autofree char *directory = NULL;
  guint n = 0;

  if (g_test_subprocess ())
    {
      run_five ();
      return;
    }

  directory = g_dir_make_tmp ("acc-native-XXXXXX", NULL);
  g_setenv ("ACC_CACHE_DIR", directory, TRUE);
  for (guint i = 0; i < 3; i++)
    {
      g_test_trap_subprocess ("/native/warm-start", 0, G_TEST_SUBPROCESS_INHERIT_STDERR | G_TEST_SUBPROCESS_INHERIT_STDOUT);
      g_test_trap_assert_passed ();
      if (i == 0)
        n = count_kernels (directory);
      g_assert_cmpint (n, >=, 1);
      g_assert_cmpint (count_kernels (directory), ==, n);
    }
  g_unsetenv ("ACC_CACHE_DIR");

  remove_tree (directory);
}

/* What a step took is told, with its kernels. */
static void
test_times (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr(AccArray) noise = native_use_noise (300, 200, 1), halved = acc_array_map (noise, native_half, NULL);
      g_autoptr(AccArray) sum = acc_array_sum_all (halved), result = native_run (sum);

      return;
    }

  g_setenv ("ACC_DEBUG", "times", TRUE);
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*times:   fold_all*: *.??? ms\n*times: step *: *.??? ms, *.?? GB/s of 0.24? MB\n*");
  g_unsetenv ("ACC_DEBUG");
}

int
main (int    argc,
      char **argv)
{
  native_begin (&argc, &argv);

  g_test_add_func ("/native/run-again", test_run_again);
  g_test_add_func ("/native/shared-results", test_shared_results);
  g_test_add_func ("/native/levels", test_levels);
  g_test_add_func ("/native/far-gather", test_far_gather);
  g_test_add_func ("/native/far-mistakes", test_far_mistakes);
  g_test_add_func ("/native/times", test_times);
  g_test_add_func ("/native/warm-start", test_warm_start);

  return native_end ();
}
