/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake-device.h"

#include <acc/acc.h>

#include "acc-backends/runtime/graph/acc-device-backend.h"
#include "acc-backends/runtime/device/acc-device-stage.h"
#include "acc-core/array/acc-array-values-private.h"
#include "tests/remove-tree.h"

#include <string.h>

/* Where the bytes of arrays are when a device computes them: what is copied, kept, moved out and given back, and what comes of it
 * when a device fails. The device is a fake one, which ends the test where work is ordered wrongly. */

static GType fake_type;

static void
reset (gboolean unified)
{
  memset (&fake, 0, sizeof fake);
  fake.unified = unified;
  fake.max_delay = 300;
}

static AccBackend *
open_device (const char *device)
{
  g_autoptr(GError) error = NULL;
  AccBackend *backend = g_initable_new (fake_type, NULL, &error, "device", device, NULL);

  g_assert_no_error (error);

  return backend;
}

static AccBackend *
open_backend (guint64 limit)
{
  AccBackend *backend = open_device (NULL);

  acc_backend_set_memory_limit (backend, limit);

  return backend;
}

static AccArray *
use_count (gint64 n, gint64 first)
{
  gint64 *values = g_new (gint64, n + 1);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < n; i++)
    values[i] = first + i;
  bytes = g_bytes_new_take (values, n * sizeof (gint64));

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static void
assert_counts (AccArray *array, gint64 first, gint64 step)
{
  gint64 n = acc_shape_get_size (acc_array_get_shape (array));
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (array, 0, &error);
  const gint64 *values;

  g_assert_no_error (error);
  values = g_bytes_get_data (bytes, NULL);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpint (values[i], ==, first + step * i);
}

static AccExpr *
add_given (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_int (GPOINTER_TO_INT (data)));
}

static AccArray *
build_add (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], add_given, data);
}

static AccExecutable *
compile (AccBackend *backend, AccArrayFunc function, gpointer data, guint n_parameters)
{
  const char *signatures[] = { "i8[:]", n_parameters > 1 ? "i8[:]" : NULL, NULL };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = acc_program_new (signatures, function, data);
  AccExecutable *executable = acc_backend_compile (backend, program, NULL, &error);

  g_assert_no_error (error);

  return executable;
}

static AccArray *
run (AccExecutable *executable, AccArray *argument, GError **error)
{
  g_autoptr(GPtrArray) results = acc_executable_run (executable, &argument, 1, NULL, error);

  return results != NULL ? g_object_ref (g_ptr_array_index (results, 0)) : NULL;
}

static AccArray *
run_well (AccExecutable *executable, AccArray *argument)
{
  g_autoptr(GError) error = NULL;
  AccArray *result = run (executable, argument, &error);

  g_assert_no_error (error);

  return result;
}

static void
assert_all_gone (void)
{
  g_assert_cmpint (g_atomic_int_get (&fake.n_devices), ==, 0);
  g_assert_cmpuint (fake.held, ==, 0);
}

#define N    20000
#define SOME 600

static void
test_nothing_twice (gconstpointer unified)
{
  reset (GPOINTER_TO_INT (unified));
  {
    g_autoptr(AccBackend) backend = open_backend (0);
    g_autoptr(AccExecutable) add = compile (backend, build_add, GINT_TO_POINTER (5), 1);
    g_autoptr(AccArray) argument = use_count (N, 0);
    g_autoptr(AccArray) first = run_well (add, argument);
    g_autoptr(AccArray) second = run_well (add, argument);
    g_autoptr(AccArray) third = run_well (add, first);
    gint downloads;

    g_assert_cmpint (fake.n_uploads, ==, 1);
    g_assert_cmpint (fake.n_blocks, ==, 3);
    downloads = fake.n_downloads;
    g_assert_cmpint (downloads, ==, 0);   /* nor whether the runs failed, which had nothing to check */

    assert_counts (third, 10, 1);
    assert_counts (third, 10, 1);
    assert_counts (first, 5, 1);
    g_assert_cmpint (fake.n_downloads, ==, downloads + (fake.unified ? 0 : 2));
    g_clear_object (&third);
    third = run_well (add, first);
    assert_counts (third, 10, 1);
    g_assert_cmpint (fake.n_uploads, ==, 1);
    assert_counts (second, 5, 1);
  }
  assert_all_gone ();
}

/* Few bytes of many do not bring the others. */
static void
test_peek (gconstpointer unified)
{
  reset (GPOINTER_TO_INT (unified));
  {
    g_autoptr(AccBackend) backend = open_backend (0);
    g_autoptr(AccExecutable) add = compile (backend, build_add, GINT_TO_POINTER (5), 1);
    g_autoptr(AccArray) argument = use_count (N, 0);
    g_autoptr(AccArray) result = run_well (add, argument);
    AccBuffer *buffer = acc_array_get_buffers (result)[0];
    g_autoptr(GError) error = NULL;
    AccScalar value;

    for (gint64 i = 0; i < N; i += N - 1)
      {
        g_assert_true (acc_array_peek (result, 0, i, &value, &error));
        g_assert_no_error (error);
        g_assert_cmpint (value.i, ==, i + 5);
      }
    g_assert_false (acc_buffer_is_host (buffer));
    g_assert_cmpint (fake.n_downloads, ==, fake.unified ? 0 : 2);
    assert_counts (result, 5, 1);
    g_assert_true (acc_array_peek (result, 0, 7, &value, &error));
    g_assert_cmpint (value.i, ==, 12);
    g_assert_cmpint (fake.n_downloads, ==, fake.unified ? 0 : 3);
  }
  assert_all_gone ();
}

/* Code for any launch is made when one needs it, once, and whoever has the kernel has it. */
static void
test_general_code (void)
{
  g_autofree char *before = g_strdup (g_getenv ("ACC_CACHE_DIR")), *directory = g_dir_make_tmp ("acc-general-XXXXXX", NULL);

  reset (FALSE);
  /* Of which nothing is on disk. */
  g_setenv ("ACC_CACHE_DIR", directory, TRUE);
  {
    g_autoptr(AccBackend) backend = open_backend (0);
    g_autoptr(AccExecutable) add = compile (backend, build_add, GINT_TO_POINTER (5), 1), same = NULL;
    g_autoptr(AccArray) argument = use_count (N, 0);
    g_autoptr(AccArray) first = run_well (add, argument), second = NULL, third = NULL, fourth = NULL;

    g_assert_cmpint (fake.n_compiled, ==, 1);
    fake.wants_general = TRUE;
    second = run_well (add, argument);
    g_assert_cmpint (fake.n_compiled, ==, 2);
    third = run_well (add, argument);
    same = compile (backend, build_add, GINT_TO_POINTER (5), 1);
    fourth = run_well (same, argument);
    g_assert_cmpint (fake.n_compiled, ==, 2);
    assert_counts (second, 5, 1);
    assert_counts (fourth, 5, 1);
  }
  if (before != NULL)
    g_setenv ("ACC_CACHE_DIR", before, TRUE);
  else
    g_unsetenv ("ACC_CACHE_DIR");
  remove_tree (directory);
  assert_all_gone ();
}

static AccArray *
build_sorted (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) added = build_add (arrays, n, data);

  return acc_array_sort (data != NULL ? added : arrays[0], FALSE);
}

/* How many kernels had to be compiled to sort what @added, unless it is 0, was added to. */
static gint
count_to_sort (AccBackend *backend, gint added)
{
  g_autoptr(AccExecutable) sort = compile (backend, build_sorted, GINT_TO_POINTER (added), 1);
  g_autoptr(AccArray) argument = use_count (SOME, 0), result = NULL;
  gint before = fake.n_compiled;

  result = run_well (sort, argument);
  assert_counts (result, added, 1);

  return fake.n_compiled - before;
}

/* Kernels that know nothing of the functions of a program are there for the next one. Of a sort of few elements all passes have the same
 * three, and those that read what a function makes are two more. Another object of the device has them all from the disk. */
static void
test_shared_kernels (void)
{
  g_autofree char *before = g_strdup (g_getenv ("ACC_CACHE_DIR")), *directory = g_dir_make_tmp ("acc-shared-XXXXXX", NULL);

  reset (FALSE);
  fake.max_delay = 0;
  g_setenv ("ACC_CACHE_DIR", directory, TRUE);
  {
    g_autoptr(AccBackend) backend = open_device ("ballots"), other = NULL;

    g_assert_cmpint (count_to_sort (backend, 0), ==, 3);
    g_assert_cmpint (count_to_sort (backend, 0), ==, 0);
    g_assert_cmpint (count_to_sort (backend, 5), ==, 2);
    g_assert_cmpint (count_to_sort (backend, 6), ==, 2);
    other = open_device ("ballots");
    g_assert_cmpint (count_to_sort (other, 0) + count_to_sort (other, 5) + count_to_sort (other, 6), ==, 0);
  }
  if (before != NULL)
    g_setenv ("ACC_CACHE_DIR", before, TRUE);
  else
    g_unsetenv ("ACC_CACHE_DIR");
  remove_tree (directory);
  assert_all_gone ();
}

static void
test_shared_memory (void)
{
  reset (TRUE);
  {
    g_autoptr(AccBackend) backend = open_backend (0);
    g_autoptr(AccExecutable) add = compile (backend, build_add, GINT_TO_POINTER (5), 1);
    g_autoptr(GError) error = NULL;
    AccBuffer *buffer = acc_backend_allocate (backend, N * sizeof (gint64), "given", &error);
    g_autoptr(AccShape) shape = acc_shape_new_vector (N);
    g_autoptr(AccArray) argument = NULL, result = NULL;

    g_assert_no_error (error);
    for (gint64 i = 0; i < N; i++)
      ((gint64 *) buffer->data)[i] = i;
    argument = acc_array_new_manifest (acc_element_type_new (ACC_KIND_I64), shape, &buffer);
    result = run_well (add, argument);
    assert_counts (result, 5, 1);
    g_assert_cmpint (fake.n_uploads, ==, 0);
  }
  assert_all_gone ();
}

/* What the device can see where it is is not copied, and still counted while it is used. */
static void
test_import (void)
{
  reset (TRUE);
  fake.imports = TRUE;
  {
    const guint64 limit = 4 * N * sizeof (gint64) + 8192;
    g_autoptr(AccBackend) backend = open_backend (limit);
    g_autoptr(AccExecutable) add = compile (backend, build_add, GINT_TO_POINTER (5), 1);
    AccArray *arguments[10], *results[10];

    for (guint i = 0; i < 10; i++)
      arguments[i] = use_count (N, i);
    for (guint k = 0; k < 3; k++)
      {
        for (guint i = 0; i < 10; i++)
          results[i] = run_well (add, arguments[i]);
        g_assert_cmpint (fake.n_uploads, ==, 0);
        g_assert_cmpuint (acc_backend_get_memory_high_water (backend), <=, limit);
        for (guint i = 0; i < 10; i++)
          {
            assert_counts (results[i], 5 + i, 1);
            g_object_unref (results[i]);
          }
      }
    for (guint i = 0; i < 10; i++)
      g_object_unref (arguments[i]);
  }
  assert_all_gone ();
}

/* All arrays at once are ten times what the device may hold. */
static void
test_eviction (gconstpointer unified)
{
  enum { N_ARRAYS = 40 };

  reset (GPOINTER_TO_INT (unified));
  {
    const guint64 limit = 4 * N * sizeof (gint64) + 8192;
    g_autoptr(AccBackend) backend = open_backend (limit);
    g_autoptr(AccExecutable) add = compile (backend, build_add, GINT_TO_POINTER (1), 1);
    AccArray *arrays[N_ARRAYS];
    GRand *rand = g_rand_new_with_seed (7);

    arrays[0] = use_count (N, 0);
    for (guint i = 1; i < N_ARRAYS; i++)
      arrays[i] = run_well (add, arrays[i - 1]);
    g_assert_cmpuint (acc_backend_get_memory_high_water (backend), <=, limit);
    if (!fake.unified)
      g_assert_cmpuint (fake.most_held, <=, limit + 256);

    for (guint k = 0; k < 60; k++)
      {
        guint from = (guint) g_rand_int_range (rand, 0, N_ARRAYS - 1);
        g_autoptr(AccArray) again = run_well (add, arrays[from]);

        assert_counts (again, from + 1, 1);
      }
    for (guint i = 0; i < N_ARRAYS; i++)
      {
        assert_counts (arrays[i], i, 1);
        g_object_unref (arrays[i]);
      }
    g_assert_cmpuint (acc_backend_get_memory_high_water (backend), <=, limit);
    g_rand_free (rand);
  }
  assert_all_gone ();
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

/* Thirty arrays that live at once in one run: sums of the argument and numbers, none of which is fused away. */
static AccArray *
build_many (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(GPtrArray) scans = g_ptr_array_new_with_free_func (g_object_unref);
  AccArray *sum;

  for (guint i = 0; i < 30; i++)
    {
      g_autoptr(AccArray) added = acc_array_map (arrays[0], add_given, GUINT_TO_POINTER (i));

      g_ptr_array_add (scans, acc_array_scanl1 (added, plus, NULL));
    }

  sum = g_object_ref (g_ptr_array_index (scans, 0));
  for (guint i = 1; i < scans->len; i++)
    {
      g_autoptr(AccArray) before = sum;
      g_autoptr(AccArray) zipped = acc_array_zip_with (before, g_ptr_array_index (scans, i), plus, NULL);

      sum = acc_array_scanl1 (zipped, plus, NULL);
    }

  return sum;
}

static void
test_eviction_in_run (gconstpointer unified)
{
  reset (FALSE);
  {
    g_autoptr(AccBackend) judge = acc_backend_new_for_name ("interpreter", NULL);
    g_autoptr(AccExecutable) expected = compile (judge, build_many, NULL, 1);
    g_autoptr(AccArray) argument = use_count (3000, 3);
    g_autoptr(AccArray) right = run_well (expected, argument);
    g_autoptr(GBytes) wanted = acc_array_dup_bytes (right, 0, NULL);

    for (guint i = 0; i < 2; i++)
      {
        g_autoptr(AccBackend) backend = NULL;
        g_autoptr(AccExecutable) executable = NULL;
        g_autoptr(AccArray) result = NULL;
        g_autoptr(GBytes) bytes = NULL;

        reset (i == 1);
        backend = open_backend (130000);
        executable = compile (backend, build_many, NULL, 1);
        result = run_well (executable, argument);
        bytes = acc_array_dup_bytes (result, 0, NULL);
        g_assert_true (g_bytes_equal (bytes, wanted));
        g_assert_cmpuint (acc_backend_get_memory_high_water (backend), <=, 130000);
      }
  }
  assert_all_gone ();
}

static void
test_too_large (void)
{
  reset (FALSE);
  {
    g_autoptr(AccBackend) backend = open_backend (N * sizeof (gint64));
    g_autoptr(AccExecutable) add = compile (backend, build_add, GINT_TO_POINTER (1), 1);
    g_autoptr(AccArray) argument = use_count (N, 0);
    g_autoptr(AccArray) small = use_count (100, 0);
    g_autoptr(AccArray) by_rows = run_well (add, argument), result = NULL;
    g_autoptr(GError) error = NULL;

    assert_counts (by_rows, 1, 1);
    g_clear_object (&by_rows);
    /* The host has no room for the result either. */
    acc_backend_set_host_memory_limit (backend, N * sizeof (gint64) / 2);
    g_assert_null (run (add, argument, &error));
    g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, "map"));

    result = run_well (add, small);
    assert_counts (result, 1, 1);
  }
  assert_all_gone ();
}

/* The device has less than the limit says. */
static void
test_device_full (gconstpointer unified)
{
  reset (GPOINTER_TO_INT (unified));
  fake.memory = 5 * N * sizeof (gint64);
  {
    g_autoptr(AccBackend) backend = open_backend (0);
    g_autoptr(AccExecutable) add = compile (backend, build_add, GINT_TO_POINTER (1), 1);
    g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func (g_object_unref);
    guint failed = 0;

    g_ptr_array_add (kept, use_count (N, 0));
    for (guint i = 0; i < 20; i++)
      {
        g_autoptr(GError) error = NULL;
        AccArray *result = run (add, g_ptr_array_index (kept, kept->len - 1), &error);

        if (result != NULL)
          g_ptr_array_add (kept, result);
        else
          {
            g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
            failed++;
          }
      }
    /* Memory that both see has nowhere to go. */
    g_assert_true (failed == 0 || fake.unified);
    for (guint i = 0; i < kept->len; i++)
      assert_counts (g_ptr_array_index (kept, i), i, 1);
  }
  assert_all_gone ();
}

static void
test_failing_allocations (void)
{
  for (guint nth = 1; nth < 16; nth++)
    {
      reset (nth % 2);
      {
        g_autoptr(AccBackend) backend = open_backend (0);
        g_autoptr(AccExecutable) executable = compile (backend, build_many, NULL, 1);
        g_autoptr(AccArray) argument = use_count (500, 0);
        g_autoptr(GError) error = NULL;
        g_autoptr(AccArray) result = NULL, again = NULL;

        fake.fail_allocation = nth;
        result = run (executable, argument, &error);
        if (result == NULL)
          g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
        fake.fail_allocation = 0;
        again = run_well (executable, argument);
      }
      assert_all_gone ();
    }
}

static void
test_failing_reservations (void)
{
  for (guint nth = 1; nth < 40; nth += 3)
    {
      reset (FALSE);
      {
        g_autoptr(AccBackend) backend = open_backend (0);
        g_autoptr(AccExecutable) executable = compile (backend, build_many, NULL, 1);
        g_autoptr(AccArray) argument = use_count (500, 0);
        g_autoptr(GError) error = NULL;
        g_autoptr(AccArray) result = NULL;

        acc_budget_fail_nth (acc_backend_get_budget (backend), nth);
        result = run (executable, argument, &error);
        if (result == NULL)
          g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      }
      assert_all_gone ();
    }
}

static void
test_lost (void)
{
  for (guint at = 1; at < 40; at += 2)
    {
      g_autoptr(AccBackend) backend = NULL;
      g_autoptr(AccExecutable) add = NULL;
      g_autoptr(AccArray) argument = use_count (N, 0), kept = NULL, result = NULL;
      g_autoptr(GError) error = NULL, second = NULL, third = NULL;
      g_autoptr(GVariant) variant = NULL;

      reset (FALSE);
      backend = open_backend (4 * N * sizeof (gint64));
      add = compile (backend, build_add, GINT_TO_POINTER (1), 1);
      kept = run_well (add, argument);
      fake.lose_at = at;
      for (guint i = 0; i < 40 && error == NULL; i++)
        {
          g_clear_object (&result);
          result = run (add, argument, &error);
        }
      g_assert_error (error, ACC_ERROR, ACC_ERROR_DEVICE_LOST);
      g_assert_null (run (add, argument, &second));
      g_assert_error (second, ACC_ERROR, ACC_ERROR_DEVICE_LOST);

      /* What was not fetched is gone, and says so to each that asks. */
      g_assert_null (acc_array_dup_bytes (kept, 0, &third));
      g_assert_error (third, ACC_ERROR, ACC_ERROR_DEVICE_LOST);
      g_clear_error (&third);
      g_assert_null (acc_array_dup_value (kept, (const gint64[]) { 0 }, 1, &third));
      g_assert_error (third, ACC_ERROR, ACC_ERROR_DEVICE_LOST);
      g_assert_cmpuint (acc_array_get_address (kept, 0), ==, 0);
      g_clear_error (&third);
      {
        g_autoptr(AccArray) mapped = acc_array_map (kept, add_given, GINT_TO_POINTER (1));
        g_autoptr(AccProgram) program = acc_program_new_for_results (&mapped, 1);
        g_autofree char *text = acc_program_to_string (program);
        g_autoptr(AccBackend) other = acc_backend_new_for_name ("interpreter", NULL);
        g_autoptr(AccExecutable) executable = acc_backend_compile (other, program, NULL, &third);

        g_assert_nonnull (strstr (text, "\nerror "));
        g_assert_no_error (third);
        g_assert_null (acc_executable_run (executable, NULL, 0, NULL, &third));
        g_assert_error (third, ACC_ERROR, ACC_ERROR_DEVICE_LOST);
      }

      /* Another device goes on. */
      {
        g_autoptr(AccBackend) other = NULL;
        g_autoptr(AccExecutable) fresh = NULL;
        g_autoptr(AccArray) good = NULL;

        fake.lose_at = 0;
        other = open_backend (0);
        fresh = compile (other, build_add, GINT_TO_POINTER (1), 1);
        good = run_well (fresh, argument);
        assert_counts (good, 1, 1);
      }
    }
}

static void
test_hang (void)
{
  reset (FALSE);
  g_setenv ("ACC_DEVICE_TIMEOUT", "0.2", TRUE);
  {
    g_autoptr(AccBackend) backend = open_backend (0);
    g_autoptr(AccExecutable) add = compile (backend, build_add, GINT_TO_POINTER (1), 1);
    g_autoptr(AccArray) argument = use_count (N, 0);
    g_autoptr(AccArray) result = run_well (add, argument);
    g_autoptr(GError) error = NULL;

    assert_counts (result, 1, 1);
    g_atomic_int_set (&fake.hang, TRUE);
    g_assert_null (run (add, argument, &error));
    g_assert_error (error, ACC_ERROR, ACC_ERROR_DEVICE_LOST);
    g_assert_nonnull (strstr (error->message, "0.2 s"));
    assert_counts (result, 1, 1);
  }

  g_setenv ("ACC_DEVICE_TIMEOUT", "soon", TRUE);
  {
    g_autoptr(GError) error = NULL;

    g_assert_null (g_initable_new (fake_type, NULL, &error, NULL));
    g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  }
  g_unsetenv ("ACC_DEVICE_TIMEOUT");
}

static AccExpr *
read_far (AccExpr *index, gpointer data)
{
  return acc_expr_linear_index (data, acc_expr_add (index, acc_expr_new_int (7)));
}

static AccArray *
build_far (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_generate_expr (acc_expr_shape (arrays[0]), read_far, arrays[0]);
}

static void
test_failing_kernel (void)
{
  reset (FALSE);
  {
    g_autoptr(AccBackend) backend = open_backend (0);
    g_autoptr(AccExecutable) add = compile (backend, build_add, GINT_TO_POINTER (1), 1);
    g_autoptr(AccExecutable) far = compile (backend, build_far, NULL, 1);
    g_autoptr(AccArray) argument = use_count (100, 0);

    for (guint i = 0; i < 5; i++)
      {
        g_autoptr(GError) error = NULL;
        g_autoptr(AccArray) result = NULL;

        g_assert_null (run (far, argument, &error));
        g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
        result = run_well (add, argument);
        assert_counts (result, 1, 1);
      }
  }
  assert_all_gone ();
}

static AccExpr *
halve_exactly (AccExpr *x, gpointer data)
{
  return acc_expr_mul (acc_expr_cast (x, acc_element_type_new (ACC_KIND_F64)), acc_expr_new_float (0.5));
}

static AccExpr *
back_to_int (AccExpr *x, gpointer data)
{
  return acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64));
}

/* @data: whether the result is of doubles, or a kernel only comes by them. */
static AccArray *
build_halves (AccArray **arrays, guint n, gpointer data)
{
  AccArray *halves = acc_array_map (arrays[0], halve_exactly, NULL);
  AccArray *whole;

  acc_array_set_label (halves, "halves");
  if (data != NULL)
    return halves;

  whole = acc_array_map (halves, back_to_int, NULL);
  g_object_unref (halves);

  return whole;
}

/* A device without doubles says so before it runs anything, and goes on with what it can do. */
static void
test_missing_kind (void)
{
  static const char *const devices[] = { "simt", "plain" };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (devices); i++)
    {
      reset (FALSE);
      fake.lacks = 1u << ACC_KIND_F64;
      {
        g_autoptr(GError) error = NULL;
        g_autoptr(AccBackend) backend = g_initable_new (fake_type, NULL, &error, "device", devices[i / 2], NULL);
        g_autoptr(AccArray) argument = use_count (1000, 0);
        const char *signatures[] = { "i8[:]", NULL };
        g_autoptr(AccProgram) program = acc_program_new (signatures, build_halves, GUINT_TO_POINTER (i % 2));
        g_autoptr(AccExecutable) halves = NULL, add = NULL;
        g_autoptr(AccArray) result = NULL;

        g_assert_no_error (error);
        halves = acc_backend_compile (backend, program, NULL, &error);
        g_assert_true (halves == NULL || run (halves, argument, &error) == NULL);
        g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
        g_assert_nonnull (strstr (error->message, "map “halves”"));
        g_assert_nonnull (strstr (error->message, acc_element_kind_get_code (ACC_KIND_F64)));
        g_assert_cmpint (g_atomic_int_get (&fake.n_launches), ==, 0);

        add = compile (backend, build_add, GINT_TO_POINTER (1), 1);
        result = run_well (add, argument);
        assert_counts (result, 1, 1);
      }
      assert_all_gone ();
    }
}

static void
test_cancel (void)
{
  reset (FALSE);
  {
    g_autoptr(AccBackend) backend = open_backend (0);
    g_autoptr(AccExecutable) many = compile (backend, build_many, NULL, 1);
    g_autoptr(AccArray) argument = use_count (1000, 0);
    g_autoptr(GCancellable) cancellable = g_cancellable_new ();
    g_autoptr(GError) error = NULL;
    AccArray *arguments[] = { argument };

    g_cancellable_cancel (cancellable);
    g_assert_null (acc_executable_run (many, arguments, 1, cancellable, &error));
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  }
  assert_all_gone ();
}

static void
test_outlives_backend (gconstpointer unified)
{
  reset (GPOINTER_TO_INT (unified));
  {
    g_autoptr(AccArray) argument = use_count (N, 0);
    g_autoptr(AccArray) read = NULL, unread = NULL;

    {
      g_autoptr(AccBackend) backend = open_backend (0);
      g_autoptr(AccExecutable) add = compile (backend, build_add, GINT_TO_POINTER (1), 1);

      read = run_well (add, argument);
      unread = run_well (add, read);
    }
    assert_counts (read, 1, 1);
    {
      g_autoptr(AccBackend) other = open_backend (0);
      g_autoptr(AccExecutable) add = compile (other, build_add, GINT_TO_POINTER (1), 1);
      g_autoptr(AccArray) third = run_well (add, read);

      assert_counts (third, 2, 1);
    }
  }
  assert_all_gone ();
}

static AccArray *
is_small (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) sum = acc_array_sum_all (arrays[0]);
  g_autoptr(AccArray) limit = acc_array_unit (acc_expr_new_int (10000000));

  return acc_array_lt (sum, limit);
}

static AccArray *
twice (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_add (arrays[0], arrays[0]);
}

static AccArray *
build_loop (AccArray **arrays, guint n, gpointer data)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signatures, is_small, NULL);
  g_autoptr(AccProgram) step = acc_program_new (signatures, twice, NULL);

  return acc_array_while_loop (arrays[0], condition, step);
}

static void
test_loop (void)
{
  reset (FALSE);
  {
    g_autoptr(AccBackend) backend = open_backend (0);
    g_autoptr(AccExecutable) loop = compile (backend, build_loop, NULL, 1);
    g_autoptr(AccArray) argument = use_count (2000, 0);
    g_autoptr(AccArray) result = run_well (loop, argument);
    gint downloads = fake.n_downloads;

    assert_counts (result, 0, 8);
    g_assert_cmpint (fake.n_uploads, ==, 1);
    g_assert_cmpint (fake.n_downloads, <=, downloads + 1);
  }
  assert_all_gone ();
}

typedef struct {
  AccExecutable *add[2];
  AccArray      *shared;
  guint          seed;
} Worker;

static gpointer
work (gpointer data)
{
  Worker *self = data;
  g_autoptr(GRand) rand = g_rand_new_with_seed (self->seed);
  AccArray *kept[6];
  gint64 firsts[6] = { 0, };

  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    kept[i] = g_object_ref (self->shared);
  for (guint k = 0; k < 60; k++)
    {
      guint from = (guint) g_rand_int_range (rand, 0, G_N_ELEMENTS (kept));
      guint to = (guint) g_rand_int_range (rand, 0, G_N_ELEMENTS (kept));
      AccArray *result = run_well (self->add[g_rand_boolean (rand)], kept[from]);

      firsts[to] = firsts[from] + 1;
      g_object_unref (kept[to]);
      kept[to] = result;
      if (g_rand_int_range (rand, 0, 5) == 0)
        assert_counts (kept[to], firsts[to], 1);
    }
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      assert_counts (kept[i], firsts[i], 1);
      g_object_unref (kept[i]);
    }

  return NULL;
}

/* Two devices, four threads, too little memory, arrays that go to and fro. */
static void
test_threads (gconstpointer unified)
{
  reset (GPOINTER_TO_INT (unified));
  fake.max_delay = 60;
  {
    const guint64 limit = 14 * 3000 * sizeof (gint64);
    g_autoptr(AccBackend) first = open_backend (limit);
    g_autoptr(AccBackend) second = open_backend (limit);
    g_autoptr(AccExecutable) add_first = compile (first, build_add, GINT_TO_POINTER (1), 1);
    g_autoptr(AccExecutable) add_second = compile (second, build_add, GINT_TO_POINTER (1), 1);
    g_autoptr(AccArray) shared = use_count (3000, 0);
    Worker workers[4];
    GThread *threads[4];

    for (guint i = 0; i < 4; i++)
      {
        workers[i] = (Worker) { { add_first, add_second }, shared, i + 1 };
        threads[i] = g_thread_new ("work", work, &workers[i]);
      }
    for (guint i = 0; i < 4; i++)
      g_thread_join (threads[i]);
    g_assert_cmpuint (acc_backend_get_memory_high_water (first), <=, limit);
  }
  assert_all_gone ();
}

/* Small results come with the answer whether the run failed. */
static AccArray *
build_sum (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_sum_all (arrays[0]);
}

static void
test_small_result (void)
{
  reset (FALSE);
  {
    g_autoptr(AccBackend) backend = open_backend (0);
    g_autoptr(AccExecutable) sum = compile (backend, build_sum, NULL, 1);
    g_autoptr(AccArray) argument = use_count (1000, 0);
    g_autoptr(AccArray) result = run_well (sum, argument);
    gint blocks = fake.n_blocks;

    g_assert_cmpint (blocks, ==, 1);
    g_assert_cmpint (acc_array_get_int (result, 0, 0), ==, 499500);
    g_assert_cmpint (fake.n_blocks, ==, blocks);
  }
  assert_all_gone ();
}

/* --- transfers of many parts, by several threads of the host, one transfer after the other */

typedef struct {
  AccDeviceHeap  *heap;
  AccDeviceStage *stages[2];
  gsize           size;
  guint8          first;
  gboolean        ok;
  GError         *error;
} Trip;

/* Up and down again. */
static gpointer
make_trip (gpointer data)
{
  Trip *self = data;
  g_autofree guint8 *from = g_malloc (self->size), *to = g_malloc0 (self->size);
  g_autoptr(AccDeviceBlock) block = acc_device_heap_allocate (self->heap, self->size, ACC_QUEUE_UPLOAD, "trip", &self->error);

  for (gsize i = 0; i < self->size; i++)
    from[i] = (guint8) (self->first + i + i / 251 + i / 100003);
  self->ok = block != NULL
             && acc_device_stage_upload (self->stages[0], self->heap, block, from, self->size, &self->error)
             && acc_device_stage_download (self->stages[1], self->heap, to, block, self->size, &self->error);
  if (self->ok)
    g_assert_cmpmem (from, self->size, to, self->size);

  return NULL;
}

static void
test_large_transfers (void)
{
  static const gsize sizes[] = { 1 << 20, (2 << 20) + 1, 32 << 20, 77777777 };
  /* Not lost; while blocks are made, in the first ring, later, on the way down. */
  static const guint losses[] = { 0, 1, 3, 18, 30, 61, 90, 120, 150 };

  for (guint k = 0; k < G_N_ELEMENTS (losses); k++)
    for (guint s = losses[k] == 0 ? 0 : G_N_ELEMENTS (sizes) - 1; s < G_N_ELEMENTS (sizes); s++)
      {
        g_autoptr(AccBudget) budget = acc_budget_new (0), host = acc_budget_new (0);
        g_autoptr(GError) error = NULL;
        AccDevice *device;
        AccDeviceHeap *heap;
        AccDeviceStage *stages[2];
        Trip trips[2];
        GThread *threads[2];

        reset (FALSE);
        fake.max_delay = 20;
        device = fake_device_open ("0", &error);
        g_assert_no_error (error);
        heap = acc_device_heap_new (device, budget, host, &error);
        g_assert_no_error (error);
        stages[0] = acc_device_stage_new (ACC_QUEUE_UPLOAD);
        stages[1] = acc_device_stage_new (ACC_QUEUE_DOWNLOAD);
        fake.lose_at = losses[k];
        for (guint i = 0; i < 2; i++)
          {
            trips[i] = (Trip) { heap, { stages[0], stages[1] }, sizes[s] - i, (guint8) (i * 100), FALSE, NULL };
            threads[i] = g_thread_new ("trip", make_trip, &trips[i]);
          }
        for (guint i = 0; i < 2; i++)
          {
            g_thread_join (threads[i]);
            if (losses[k] == 0)
              g_assert_no_error (trips[i].error);
            else
              g_assert_error (trips[i].error, ACC_ERROR, ACC_ERROR_DEVICE_LOST);
            g_assert_true (trips[i].ok == (losses[k] == 0));
            g_clear_error (&trips[i].error);
          }
        acc_device_heap_drain (heap);
        for (guint i = 0; i < 2; i++)
          acc_device_stage_free (stages[i], losses[k] == 0 ? device : NULL);
        acc_device_heap_unref (heap);
        if (losses[k] == 0)
          assert_all_gone ();
      }
}

/* Pinned memory that nobody uses is given back to whoever wants memory of the host, on the way to make room for the device, too. */
static void
test_pinned (void)
{
  g_autoptr(AccBudget) budget = acc_budget_new (0), host = acc_budget_new (0);
  g_autoptr(GError) error = NULL;
  AccDeviceHeap *heap;
  AccDevice *device;

  reset (FALSE);
  device = fake_device_open ("0", &error);
  g_assert_no_error (error);
  heap = acc_device_heap_new (device, budget, host, &error);
  g_assert_no_error (error);
  acc_budget_set_limit (host, 1 << 20);
  for (guint is_held = 0; is_held < 2; is_held++)
    {
      AccBuffer *pinned = acc_device_heap_allocate_host (heap, 3 << 18, "some", &error);

      g_assert_no_error (error);
      g_assert_false (acc_budget_reserve (host, 1 << 19, "other", NULL));
      acc_buffer_unref (pinned);
      g_assert_cmpuint (acc_budget_get_used (host), ==, 3 << 18);
      if (is_held)
        acc_device_heap_lock (heap);
      g_assert_true (acc_budget_reserve (host, 1 << 19, "other", &error));
      if (is_held)
        acc_device_heap_unlock (heap);
      g_assert_no_error (error);
      g_assert_cmpuint (acc_budget_get_used (host), ==, 1 << 19);
      acc_budget_release (host, 1 << 19, "other");
    }
  acc_device_heap_unref (heap);
  assert_all_gone ();
}

static void
test_list (void)
{
  g_autoptr(GListModel) list = NULL;
  guint found = 0;

  reset (FALSE);
  list = acc_backend_list ();
  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr(AccBackendInfo) info = g_list_model_get_item (list, i);

      if (g_str_has_prefix (acc_backend_info_get_name (info), "fake"))
        {
          g_assert_null (acc_backend_info_get_reason (info));
          g_assert_cmpstr (acc_backend_info_get_name (info), ==, found == 0 ? "fake:0" : "fake:1");
          found++;
        }
    }
  g_assert_cmpuint (found, ==, 2);
  assert_all_gone ();
}

static void
add (const char *name, void (*test) (gconstpointer))
{
  g_autofree char *separate = g_strconcat ("/residency/", name, NULL);
  g_autofree char *shared = g_strconcat ("/residency/", name, "/unified", NULL);

  g_test_add_data_func (separate, NULL, test);
  g_test_add_data_func (shared, GINT_TO_POINTER (1), test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("ACC_MEMORY_LIMIT");

  g_type_ensure (ACC_TYPE_BACKEND);
  fake_type = acc_device_backend_register ("AccFake", "fake", fake_device_open, fake_device_list);
  g_assert_cmpuint (acc_device_backend_register ("AccFake", "fake", fake_device_open, fake_device_list), ==, fake_type);
  g_io_extension_point_implement (ACC_BACKEND_EXTENSION_POINT, fake_type, "fake", 0);

  add ("nothing-twice", test_nothing_twice);
  add ("peek", test_peek);
  g_test_add_func ("/residency/general-code", test_general_code);
  g_test_add_func ("/residency/shared-kernels", test_shared_kernels);
  g_test_add_func ("/residency/shared-memory", test_shared_memory);
  g_test_add_func ("/residency/import", test_import);
  add ("eviction", test_eviction);
  g_test_add_data_func ("/residency/eviction-in-run", NULL, test_eviction_in_run);
  g_test_add_func ("/residency/too-large", test_too_large);
  add ("device-full", test_device_full);
  g_test_add_func ("/residency/failing-allocations", test_failing_allocations);
  g_test_add_func ("/residency/failing-reservations", test_failing_reservations);
  g_test_add_func ("/residency/lost", test_lost);
  g_test_add_func ("/residency/hang", test_hang);
  g_test_add_func ("/residency/failing-kernel", test_failing_kernel);
  g_test_add_func ("/residency/missing-kind", test_missing_kind);
  g_test_add_func ("/residency/cancel", test_cancel);
  add ("outlives-backend", test_outlives_backend);
  g_test_add_func ("/residency/loop", test_loop);
  g_test_add_func ("/residency/small-result", test_small_result);
  add ("threads", test_threads);
  g_test_add_func ("/residency/large-transfers", test_large_transfers);
  g_test_add_func ("/residency/pinned", test_pinned);
  g_test_add_func ("/residency/list", test_list);

  return g_test_run ();
}
