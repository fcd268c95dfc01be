/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include "acc-core/acc-array-private.h"
#include "acc-core/acc-backend-private.h"
#include "acc-core/acc-executable-private.h"

#include "tests/remove-tree.h"

#include <math.h>
#include <string.h>

/* What the native backend's runtime adds to what its kernels compute: results that share memory, control flow, failures,
 * cancellation, threads, limits, runs by rows, the kernel cache. */

static AccBackend *backend;

static AccArray *
use_ints (const gint64 *values,
          gint64        n)
{
  g_autoptr (AccShape) shape = acc_shape_new_vector (n);
  g_autoptr (GBytes) bytes = g_bytes_new (values, n * sizeof (gint64));

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static AccArray *
use_count (gint64 n)
{
  g_autofree gint64 *values = g_new (gint64, n + 1);

  for (gint64 i = 0; i < n; i++)
    values[i] = i;

  return use_ints (values, n);
}

static AccArray *
use_noise (gint64  rows,
           gint64  columns,
           guint32 seed)
{
  g_autoptr (AccShape) shape = acc_shape_new_matrix (rows, columns);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  float *values = g_new (float, rows * columns + 1);
  g_autoptr (GBytes) bytes = NULL;

  for (gint64 i = 0; i < rows * columns; i++)
    values[i] = (float) g_rand_double (rand);
  bytes = g_bytes_new_take (values, rows * columns * sizeof (float));

  return acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
}

static void
set_back (const char *variable,
          const char *before)
{
  if (before != NULL)
    g_setenv (variable, before, TRUE);
  else
    g_unsetenv (variable);
}

static AccArray *
run (AccArray *array)
{
  g_autoptr (AccProgram) program = acc_program_new_for_results (&array, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr (GPtrArray) results = NULL;

  g_assert_no_error (error);
  results = acc_executable_run (executable, NULL, 0, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (results->len, ==, 1);

  return g_object_ref (g_ptr_array_index (results, 0));
}

static GError *
run_failing (AccArray *array)
{
  g_autoptr (AccProgram) program = acc_program_new_for_results (&array, 1);
  GError *error = NULL;
  g_autoptr (AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);

  g_assert_no_error (error);
  g_assert_null (acc_executable_run (executable, NULL, 0, NULL, &error));
  g_assert_nonnull (error);

  return error;
}

static AccExpr *
times_two (AccExpr  *x,
           gpointer  data)
{
  return acc_expr_mul (x, acc_expr_new_int (2));
}

static AccExpr *
plus_one (AccExpr  *x,
          gpointer  data)
{
  return acc_expr_add (x, acc_expr_new_int (1));
}

static AccExpr *
half (AccExpr  *x,
      gpointer  data)
{
  return acc_expr_mul (x, acc_expr_new_float (0.5));
}

static AccExpr *
plus (AccExpr  *x,
      AccExpr  *y,
      gpointer  data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
largest (AccExpr  *x,
         AccExpr  *y,
         gpointer  data)
{
  return acc_expr_max (x, y);
}

static AccArray *
scale_and_sum (AccArray **arrays,
               guint      n_arrays,
               gpointer   data)
{
  g_autoptr (AccArray) scaled = acc_array_map (arrays[0], times_two, NULL);

  return acc_array_sum_all (scaled);
}

static void
test_run_again (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr (AccProgram) program = acc_program_new (signatures, scale_and_sum, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  static const gint64 sizes[] = { 0, 1, 2, 3, 7, 64, 1000, 100000, 64, 1000 };
  gint64 start;

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (AccArray) numbers = use_count (sizes[i]);
      g_autoptr (GPtrArray) results = acc_executable_run (executable, &numbers, 1, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (acc_array_get_int (g_ptr_array_index (results, 0), 0, 0), ==, sizes[i] * (sizes[i] - 1));
    }

  {
    g_autoptr (AccArray) numbers = use_count (1000);

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
  g_autoptr (AccArray) numbers = use_ints (values, 6);
  g_autoptr (AccShape) shape = acc_shape_new_matrix (2, 3);
  g_autoptr (AccArray) matrix = acc_array_reshape (numbers, shape);
  g_autoptr (AccArray) doubled = acc_array_map (numbers, times_two, NULL);
  g_autoptr (AccArray) flat = acc_array_reshape (doubled, shape);
  AccArray *wanted[] = { numbers, matrix, doubled, flat, doubled };
  g_autoptr (AccProgram) program = acc_program_new_for_results (wanted, G_N_ELEMENTS (wanted));
  g_autoptr (GError) error = NULL;
  g_autoptr (AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr (GPtrArray) results = acc_executable_run (executable, NULL, 0, NULL, &error);
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

/* --- control flow */

static AccExpr *
divide_by_zero (AccExpr  *x,
                gpointer  data)
{
  return acc_expr_quot (x, acc_expr_sub (x, x));
}

static void
test_cond (void)
{
  g_autoptr (AccArray) numbers = use_count (10);
  g_autoptr (AccArray) shorter = use_count (4);
  g_autoptr (AccArray) sum = acc_array_sum_all (numbers);
  g_autoptr (AccArray) bad = acc_array_map (numbers, divide_by_zero, NULL);
  g_autoptr (AccArray) good = acc_array_map (shorter, plus_one, NULL);

  for (gint64 limit = 44; limit <= 46; limit++)
    {
      g_autoptr (AccArray) other = acc_array_unit (acc_expr_new_int (limit));
      g_autoptr (AccArray) condition = acc_array_lt (sum, other);
      g_autoptr (AccArray) chosen = limit <= 45 ? acc_array_cond (condition, bad, good) : acc_array_cond (condition, good, bad);
      g_autoptr (AccArray) after = acc_array_map (chosen, times_two, NULL);
      g_autoptr (AccArray) result = run (after);

      g_assert_cmpint (acc_shape_get_extent (acc_array_get_shape (result), 0), ==, 4);
      for (gint64 i = 0; i < 4; i++)
        g_assert_cmpint (acc_array_get_int (result, 0, i), ==, 2 * (i + 1));
    }
}

static void
test_cond_in_cond (void)
{
  g_autoptr (AccArray) value = use_count (5);
  gint64 expected = 0;

  for (guint i = 0; i < 40; i++)
    {
      g_autoptr (AccArray) sum = acc_array_sum_all (value);
      g_autoptr (AccArray) limit = acc_array_unit (acc_expr_new_int (100));
      g_autoptr (AccArray) condition = acc_array_lt (sum, limit);
      g_autoptr (AccArray) more = acc_array_map (value, plus_one, NULL);
      g_autoptr (AccArray) next = acc_array_cond (condition, more, value);

      g_set_object (&value, next);
      if (10 + 5 * expected < 100)
        expected++;
    }

  {
    g_autoptr (AccArray) result = run (value);

    for (gint64 i = 0; i < 5; i++)
      g_assert_cmpint (acc_array_get_int (result, 0, i), ==, i + expected);
  }
}

static AccArray *
sum_below (AccArray **arrays,
           guint      n_arrays,
           gpointer   data)
{
  g_autoptr (AccArray) sum = acc_array_sum_all (arrays[0]);
  g_autoptr (AccArray) limit = acc_array_unit (acc_expr_new_int (GPOINTER_TO_INT (data)));

  return acc_array_lt (sum, limit);
}

static AccArray *
increment (AccArray **arrays,
           guint      n_arrays,
           gpointer   data)
{
  if (data != NULL)
    return acc_array_add (arrays[0], data);

  return acc_array_map (arrays[0], plus_one, NULL);
}

static void
test_while (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr (AccArray) start = use_count (10);
  g_autoptr (AccArray) begin = acc_array_map (start, times_two, NULL);
  g_autoptr (AccArray) twice = acc_array_map (start, times_two, NULL);
  g_autoptr (AccProgram) condition = acc_program_new (signatures, sum_below, GINT_TO_POINTER (10000));
  g_autoptr (AccProgram) step = acc_program_new (signatures, increment, NULL);
  g_autoptr (AccProgram) step_captures = acc_program_new (signatures, increment, twice);
  g_autoptr (AccProgram) never = acc_program_new (signatures, sum_below, GINT_TO_POINTER (0));
  g_autoptr (AccArray) loop = acc_array_while_loop (begin, condition, step);
  g_autoptr (AccArray) other = acc_array_while_loop (begin, condition, step_captures);
  g_autoptr (AccArray) nothing = acc_array_while_loop (begin, never, step);
  g_autoptr (AccArray) both = acc_array_sub (loop, nothing);
  g_autoptr (AccArray) a = run (loop);
  g_autoptr (AccArray) b = run (other);
  g_autoptr (AccArray) c = run (nothing);
  g_autoptr (AccArray) d = run (both);
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

static AccArray *
drop_first (AccArray **arrays,
            guint      n_arrays,
            gpointer   data);

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
  g_autoptr (AccShape) shape = acc_shape_new_scalar ();
  g_autoptr (AccArray) extent = acc_array_generate (shape, first_of, arrays[0]);
  g_autoptr (AccArray) three = acc_array_unit (acc_expr_new_int (3));

  return acc_array_gt (extent, three);
}

static void
test_while_changes_extents (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr (AccArray) start = use_count (60);
  g_autoptr (AccProgram) condition = acc_program_new (signatures, longer_than_three, NULL);
  g_autoptr (AccProgram) step = acc_program_new (signatures, drop_first, NULL);
  g_autoptr (AccArray) loop = acc_array_while_loop (start, condition, step);
  g_autoptr (AccArray) result = run (loop);

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
  g_autoptr (AccArray) doubled = acc_array_map (arrays[0], times_two, NULL);
  g_autoptr (AccProgram) condition = acc_program_new (signatures, sum_below, GINT_TO_POINTER (50));
  g_autoptr (AccProgram) step = acc_program_new (signatures, increment, doubled);
  g_autoptr (AccArray) loop = acc_array_while_loop (arrays[0], condition, step);

  return acc_array_map (loop, plus_one, NULL);
}

static void
test_while_in_while (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  static const gint64 values[] = { 1, 2, 3 };
  gint64 expected[] = { 1, 2, 3 };
  g_autoptr (AccArray) start = use_ints (values, 3);
  g_autoptr (AccProgram) condition = acc_program_new (signatures, sum_below, GINT_TO_POINTER (1000));
  g_autoptr (AccProgram) step = acc_program_new (signatures, inner_loop, NULL);
  g_autoptr (AccArray) loop = acc_array_while_loop (start, condition, step);
  g_autoptr (AccArray) result = run (loop);

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

static void
test_while_memory (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  guint64 limit = acc_backend_get_memory_limit (backend);
  gint64 n = 1 << 20;
  g_autoptr (AccArray) start = use_count (n);
  g_autoptr (AccProgram) condition = acc_program_new (signatures, sum_below, GINT_TO_POINTER (0x7fffffff));
  g_autoptr (AccProgram) step = acc_program_new (signatures, increment, NULL);
  g_autoptr (AccArray) negative = NULL;
  g_autoptr (AccArray) loop = NULL;
  g_autoptr (AccArray) result = NULL;
  gint64 offset = 522600;

  {
    g_autoptr (AccArray) amount = acc_array_unit (acc_expr_new_int (offset));
    g_autoptr (AccShape) shape = acc_shape_new_vector (n);
    g_autoptr (AccArray) many = acc_array_replicate (amount, &n, 1);

    negative = acc_array_sub (start, many);
  }
  loop = acc_array_while_loop (negative, condition, step);
  acc_backend_set_memory_limit (backend, acc_backend_get_memory_used (backend) + 3 * n * 8 + 65536);
  result = run (loop);
  acc_backend_set_memory_limit (backend, limit);
  g_assert_cmpint (acc_array_get_int (result, 0, 0), >, -offset);
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
  g_autoptr (AccArray) numbers = use_count (10);
  g_autoptr (AccArray) sum = acc_array_sum_all (numbers);
  g_autoptr (AccArray) generated = acc_array_generate_expr (acc_expr_the (sum), index_itself, NULL);
  g_autoptr (AccArray) sum_again = acc_array_sum_all (generated);
  g_autoptr (AccArray) second = acc_array_generate_expr (acc_expr_the (sum_again), index_itself, NULL);
  g_autoptr (AccArray) result = run (second);

  g_assert_cmpint (acc_shape_get_extent (acc_array_get_shape (result), 0), ==, 45 * 44 / 2);
  g_assert_cmpint (acc_array_get_int (result, 0, 500), ==, 500);
}

/* --- failures */

static AccExpr *
read_at (AccExpr  *i,
         gpointer  data)
{
  return acc_expr_index (data, acc_expr_add (i, acc_expr_new_int (3)));
}

static void
test_failures (void)
{
  g_autoptr (AccArray) numbers = use_count (10);
  g_autoptr (AccArray) bad = acc_array_map (numbers, divide_by_zero, NULL);
  g_autoptr (AccArray) outside = acc_array_map (numbers, read_at, numbers);
  g_autoptr (GError) division = NULL;
  g_autoptr (GError) bounds = NULL;

  acc_array_set_label (bad, "nought");
  acc_array_set_label (outside, "beyond");
  division = run_failing (bad);
  g_assert_error (division, ACC_ERROR, ACC_ERROR_ARITHMETIC);
  g_assert_nonnull (strstr (division->message, "map “nought”"));
  bounds = run_failing (outside);
  g_assert_error (bounds, ACC_ERROR, ACC_ERROR_BOUNDS);
  g_test_message ("%s; %s", division->message, bounds->message);
  g_assert_nonnull (strstr (bounds->message, "map “beyond”"));
  g_assert_nonnull (strstr (bounds->message, "is outside extent 10"));
}

/* Steps that are alike share a kernel, and fail by their own names. */
static void
test_failures_of_twins (void)
{
  for (guint failing = 0; failing < 3; failing++)
    {
      g_autoptr (GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);
      g_autoptr (AccProgram) program = NULL;
      g_autoptr (AccExecutable) executable = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *label = g_strdup_printf ("map “number %u”", failing);

      for (guint i = 0; i < 3; i++)
        {
          g_autofree char *name = g_strdup_printf ("number %u", i);
          g_autoptr (AccArray) table = use_count (10);
          g_autoptr (AccArray) indices = use_ints ((const gint64[]) { 1, 2, i == failing ? 7 : 6 }, 3);
          AccArray *map = acc_array_map (indices, read_at, table);

          acc_array_set_label (map, name);
          g_ptr_array_add (results, map);
        }
      program = acc_program_new_for_results ((AccArray **) results->pdata, results->len);
      executable = acc_backend_compile (backend, program, NULL, &error);
      g_assert_no_error (error);
      g_assert_null (acc_executable_run (executable, NULL, 0, NULL, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
      g_assert_nonnull (strstr (error->message, label));
    }
}

static gpointer
cancel_later (gpointer data)
{
  g_usleep (30000);
  g_cancellable_cancel (data);

  return NULL;
}

static AccArray *
always (AccArray **arrays,
        guint      n_arrays,
        gpointer   data)
{
  g_autoptr (AccArray) sum = acc_array_sum_all (arrays[0]);

  return acc_array_eq (sum, sum);
}

static void
test_cancel (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr (AccArray) start = use_count (100000);
  g_autoptr (AccProgram) condition = acc_program_new (signatures, always, NULL);
  g_autoptr (AccProgram) step = acc_program_new (signatures, increment, NULL);
  g_autoptr (AccArray) loop = acc_array_while_loop (start, condition, step);
  g_autoptr (AccProgram) program = acc_program_new_for_results (&loop, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GThread *thread = g_thread_new ("cancel", cancel_later, cancellable);

  g_assert_null (acc_executable_run (executable, NULL, 0, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
}

static AccExpr *
step_for_ever (AccExpr *x,
               gpointer data)
{
  return acc_expr_tuple2 (acc_expr_new_bool (TRUE), acc_expr_add (x, acc_expr_new_int (1)));
}

static AccExpr *
loop_for_ever (AccExpr *x,
               gpointer data)
{
  return acc_expr_while (x, step_for_ever, NULL);
}

static void
assert_cancelled (AccArray *array)
{
  g_autoptr (AccProgram) program = acc_program_new_for_results (&array, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GThread *thread = g_thread_new ("cancel", cancel_later, cancellable);

  g_assert_null (acc_executable_run (executable, NULL, 0, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
}

/* In one tile and many, of vectors and scalars, in ands, in what folds and scans combine by. */
static void
test_cancel_loops (void)
{
  static const guint lengths[] = { 1, 7, 1000, 300000 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autoptr (AccArray) some = use_count (lengths[i]);
      g_autoptr (AccArray) map = acc_array_map (some, loop_for_ever, NULL), sum = acc_array_sum_all (map), scan = acc_array_cumsum (map);
      g_autoptr (AccArray) sorted = acc_array_sort (map, FALSE);

      assert_cancelled (map);
      assert_cancelled (sum);
      assert_cancelled (scan);
      assert_cancelled (sorted);
    }
}

static AccExpr *
read_and_loop (AccExpr *x,
               gpointer table)
{
  return acc_expr_while (acc_expr_index (table, x), step_for_ever, NULL);
}

static AccProgram *
read_program (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  AccProgram *program = acc_program_new_from_bytes (bytes, &error);

  g_assert_no_error (error);

  return program;
}

static void
test_cancel_planning (void)
{
  g_autoptr (AccProgram) program = read_program ("acc program 1\n"
                                                 "a0 = parameter 0 i8[:]\n"
                                                 "a1 = fill\n"
                                                 "  e0 = literal i8 0\n"
                                                 "  e1 = index a0 e0\n"
                                                 "  e2 = variable i8\n"
                                                 "  e3 = le e0 e2\n"
                                                 "  e4 = while e1 predicate e2 e3 step e2 e2\n"
                                                 "  extents -> e4\n"
                                                 "  e5 = literal f4 1\n"
                                                 "  function -> e5\n"
                                                 "program a0 -> a1\n");
  g_autoptr (AccArray) some = use_count (3);
  g_autoptr (GError) error = NULL;
  g_autoptr (AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GThread *thread = g_thread_new ("cancel", cancel_later, cancellable);

  g_assert_null (acc_executable_run (executable, &some, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
}

/* --- functions that are large */

static void
assert_computes (GString *text,
                 gint64 (*expected) (gint64 x, guint n),
                 guint    n)
{
  g_autoptr (AccProgram) program = read_program (text->str);
  g_autoptr (AccArray) some = use_count (37);
  g_autoptr (GError) error = NULL;
  g_autoptr (AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
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
                                "  e%u = while e%u predicate e%u e%u step e%u e%u\n", id + 1, k % 100, id + 2, id + 3, id + 2, id + 1, id + 4, id + 2,
                                id + 5, y, id + 2, id + 3, id + 2, id + 4);
      g_string_append_printf (loops, "  function e0 -> e%u\nprogram a0 -> a1\n", y);
      assert_computes (loops, loop_often, n / 2);
    }
}

/* A run that has failed ends, whatever loops there are. */
static void
test_fail_before_loop (void)
{
  g_autoptr (AccArray) table = use_count (10), indices = use_ints ((const gint64[]) { 10 }, 1);
  g_autoptr (AccArray) map = acc_array_map (indices, read_and_loop, table);
  g_autoptr (AccProgram) program = acc_program_new_for_results (&map, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);

  g_assert_null (acc_executable_run (executable, NULL, 0, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
}

/* --- threads */

static void
test_same_bits_on_any_threads (void)
{
  static const char *threads[] = { "1", "2", "3", "8" };
  g_autoptr (AccArray) noise = use_noise (1500, 2111, 7);
  g_autoptr (AccArray) roots = acc_array_sqrt (noise);
  g_autoptr (AccArray) sum = acc_array_sum_all (roots);
  g_autoptr (AccArray) rows = acc_array_sum (roots);
  g_autofree char *before = g_strdup (g_getenv ("ACC_THREADS"));
  double all = 0;
  g_autoptr (GBytes) first_rows = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autoptr (AccBackend) kept = backend;
      g_autoptr (GError) error = NULL;

      g_setenv ("ACC_THREADS", threads[i], TRUE);
      backend = acc_backend_new_for_name ("native", &error);
      g_assert_no_error (error);
      g_assert_cmpint (acc_backend_get_n_threads (backend), ==, g_ascii_strtoll (threads[i], NULL, 10));
      {
        g_autoptr (AccArray) a = run (sum);
        g_autoptr (AccArray) b = run (rows);
        g_autoptr (GBytes) bytes = acc_array_get_bytes (b, 0, &error);

        if (i == 0)
          {
            all = acc_array_get_double (a, 0, 0);
            first_rows = g_bytes_ref (bytes);
          }
        g_assert_true (acc_array_get_double (a, 0, 0) == all);
        g_assert_true (g_bytes_equal (bytes, first_rows));
      }
      g_object_unref (backend);
      backend = g_steal_pointer (&kept);
    }
  set_back ("ACC_THREADS", before);
}

/* Layers of scans and sums that do not need each other: side by side where there are threads. */
static GPtrArray *
make_layers (AccArray *input)
{
  GPtrArray *layer = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < 9; i++)
    g_ptr_array_add (layer, acc_array_mul (input, input));
  for (guint depth = 0; depth < 4; depth++)
    {
      GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

      for (guint i = 0; i < layer->len; i++)
        {
          g_autoptr (AccArray) scan = acc_array_scanl1 (layer->pdata[i], plus, NULL);
          g_autoptr (AccArray) other = acc_array_scanl1 (layer->pdata[(i + 1) % layer->len], largest, NULL);
          g_autoptr (AccArray) halves = acc_array_map (other, half, NULL);

          g_ptr_array_add (next, acc_array_sub (scan, halves));
        }
      g_ptr_array_unref (layer);
      layer = next;
    }

  return layer;
}

static void
test_side_by_side (void)
{
  static const char *threads[] = { "1", "2", "3", "8" };
  g_autoptr (AccArray) noise = use_noise (3, 9000, 11);
  g_autoptr (GPtrArray) wanted = make_layers (noise);
  g_autoptr (AccProgram) program = acc_program_new_for_results ((AccArray **) wanted->pdata, wanted->len);
  g_autoptr (GPtrArray) first = NULL;
  g_autofree char *before = g_strdup (g_getenv ("ACC_THREADS"));

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AccBackend) own = NULL;
      g_autoptr (AccExecutable) executable = NULL;

      g_setenv ("ACC_THREADS", threads[i], TRUE);
      own = acc_backend_new_for_name ("native", &error);
      g_assert_no_error (error);
      executable = acc_backend_compile (own, program, NULL, &error);
      g_assert_no_error (error);
      for (guint again = 0; again < 5; again++)
        {
          g_autoptr (GPtrArray) results = acc_executable_run (executable, NULL, 0, NULL, &error);

          g_assert_no_error (error);
          if (first == NULL)
            first = g_ptr_array_ref (results);
          for (guint k = 0; k < results->len; k++)
            {
              g_autoptr (GBytes) is = acc_array_get_bytes (results->pdata[k], 0, &error);
              g_autoptr (GBytes) was = acc_array_get_bytes (first->pdata[k], 0, &error);

              g_assert_true (g_bytes_equal (is, was));
            }
        }
    }
  set_back ("ACC_THREADS", before);
}

static void
test_bad_threads (void)
{
  g_autofree char *before = g_strdup (g_getenv ("ACC_THREADS"));
  g_autoptr (GError) error = NULL;

  g_setenv ("ACC_THREADS", "many", TRUE);
  g_assert_null (acc_backend_new_for_name ("native", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  set_back ("ACC_THREADS", before);
}

static AccArray *
use_indices (gint64 n,
             gint64 below,
             gint64 wrong)
{
  g_autoptr (AccShape) shape = acc_shape_new_vector (n);
  guint32 *values = g_new (guint32, n + 1);
  g_autoptr (GBytes) bytes = NULL;

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
  g_autoptr (AccArray) table = use_count (n);
  g_autoptr (AccArray) doubled = acc_array_add (table, table);
  g_autoptr (AccArray) pairs = acc_array_zip (table, table);
  gint64 wrong[] = { 0, 99938, 99940, 100002 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (AccArray) indices = use_indices (sizes[i], n, -1);
      g_autoptr (AccArray) from_table = acc_array_gather (table, indices);
      g_autoptr (AccArray) of_pairs = acc_array_gather (pairs, indices);
      g_autoptr (AccArray) first = acc_array_unzip (of_pairs, 0);
      g_autoptr (AccArray) second = acc_array_unzip (of_pairs, 1);
      g_autoptr (AccArray) sum = acc_array_add (first, second);
      g_autoptr (AccArray) from_doubled = acc_array_gather (doubled, indices);
      AccArray *all[] = { from_table, sum, from_doubled };

      for (guint k = 0; k < G_N_ELEMENTS (all); k++)
        {
          g_autoptr (AccArray) result = run (all[k]);

          for (gint64 j = 0; j < sizes[i]; j++)
            g_assert_cmpint (acc_array_get_int (result, 0, j), ==, (k == 0 ? 1 : 2) * (j * G_GINT64_CONSTANT (2654435761) % n));
        }
    }

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (AccArray) indices = use_indices (100003, n, wrong[i]);
      g_autoptr (AccArray) gathered = acc_array_gather (table, indices);
      g_autoptr (GError) error = run_failing (gathered);

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

  return acc_expr_index (far->table, acc_expr_index (far->indices, acc_expr_quot (i, acc_expr_index (far->divisors, acc_expr_item (index, 0)))));
}

/* What is asked for ahead is found through what may be wrong: that is told where its turn comes. */
static void
test_far_mistakes (void)
{
  static const struct { AccExprFunc function; int code; } cases[] = {
    { behind_all, ACC_ERROR_BOUNDS }, { of_few, ACC_ERROR_BOUNDS }, { by_none, ACC_ERROR_ARITHMETIC },
  };
  const gint64 n = 1 << 20;
  g_autoptr (AccArray) table = use_count (n);
  g_autoptr (AccArray) few = use_count (1000);
  g_autoptr (AccArray) indices = use_indices (n, G_MAXINT32, 0);
  g_autoptr (AccArray) delayed = acc_array_sub (table, table);
  g_autoptr (AccArray) divisors = run (delayed);
  Far far = { table, few, indices, divisors };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint folded = 0; folded < 2; folded++)
      {
        g_autoptr (AccArray) elements = acc_array_generate (acc_array_get_shape (table), cases[i].function, &far);
        g_autoptr (AccArray) result = folded ? acc_array_fold1 (elements, largest, NULL) : g_object_ref (elements);
        g_autoptr (GError) error = run_failing (result);

        g_assert_error (error, ACC_ERROR, cases[i].code);
      }
}

/* Levels that the processor has give the same results as what it is. */
static void
test_levels (void)
{
  static const char *const levels[] = { "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v99" };
  g_autoptr (AccArray) noise = use_noise (150, 211, 7);
  g_autoptr (AccArray) roots = acc_array_sqrt (noise);
  g_autoptr (AccArray) expected = run (roots);
  g_autoptr (GBytes) expected_bytes = acc_array_get_bytes (expected, 0, NULL);
  g_autofree char *before = g_strdup (g_getenv ("ACC_CPU"));
  guint n_opened = 0;

  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    {
      AccBackend *kept = backend;
      g_autoptr (GError) error = NULL;

      g_setenv ("ACC_CPU", levels[i], TRUE);
      backend = acc_backend_new_for_name ("native", &error);
      if (backend != NULL)
        {
          g_autoptr (AccArray) result = run (roots);
          g_autoptr (GBytes) bytes = acc_array_get_bytes (result, 0, NULL);

          g_assert_true (g_bytes_equal (bytes, expected_bytes));
          g_object_unref (backend);
          n_opened++;
        }
      else
        {
          g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
          g_assert_nonnull (strstr (error->message, levels[i]));
        }
      backend = kept;
    }
#if defined (__x86_64__)
  g_assert_cmpuint (n_opened, >, 0);
#endif
  g_assert_cmpuint (n_opened, <, G_N_ELEMENTS (levels));
  set_back ("ACC_CPU", before);
}

static gpointer
run_often (gpointer data)
{
  for (gint64 i = 0; i < 200; i++)
    {
      gint64 n = 1 + i * 37 % 5000;
      g_autoptr (AccArray) numbers = use_count (n);
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) results = acc_executable_run (data, &numbers, 1, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (acc_array_get_int (g_ptr_array_index (results, 0), 0, 0), ==, n * (n - 1));
    }

  return NULL;
}

static void
test_many_users (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr (AccProgram) program = acc_program_new (signatures, scale_and_sum, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("user", run_often, executable);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* --- memory */

static AccExpr *
centre_of_nine (AccExpr  *x,
                gpointer  data)
{
  return acc_expr_add (acc_expr_neighbour2 (x, -1, 1),
                       acc_expr_mul (acc_expr_neighbour2 (x, 1, 0), acc_expr_new_float (0.5)));
}

static AccArray *
blur (AccArray *array)
{
  static const gint64 sizes[] = { 3, 3 };
  g_autoptr (AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (array, sizes, 2, boundary, centre_of_nine, NULL);
}

static void
test_each_reservation_fails (void)
{
  g_autoptr (AccArray) noise = use_noise (64, 200, 3);
  g_autoptr (AccArray) once = blur (noise);
  g_autoptr (AccArray) twice = blur (once);
  g_autoptr (AccArray) sum = acc_array_sum_all (twice);
  AccArray *wanted[] = { twice, sum };
  g_autoptr (AccProgram) program = acc_program_new_for_results (wanted, 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (AccBackend) own = acc_backend_new_for_name ("native", &error);
  g_autoptr (AccExecutable) executable = acc_backend_compile (own, program, NULL, &error);
  AccBudget *budget = acc_backend_get_budget (own);
  guint k;

  g_assert_no_error (error);
  for (k = 1; k < 100; k++)
    {
      g_autoptr (GPtrArray) results = NULL;
      guint64 before = acc_budget_get_used (budget);

      acc_budget_fail_nth (budget, k);
      results = acc_executable_run (executable, NULL, 0, NULL, &error);
      if (results != NULL)
        break;
      g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      g_clear_error (&error);
      g_assert_cmpuint (acc_budget_get_used (budget), ==, before);
    }
  acc_budget_fail_nth (budget, 0);
  g_assert_cmpint (k, >, 2);
  g_assert_cmpint (k, <, 100);
}

static void
test_too_large (void)
{
  g_autoptr (AccShape) shape = acc_shape_new_matrix (1 << 20, 1 << 20);
  g_autoptr (AccArray) huge = acc_array_fill (shape, acc_expr_new_int (1));
  g_autoptr (GError) error = run_failing (huge);

  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
}

static AccExpr *
scattered (AccExpr  *i,
           gpointer  n)
{
  return acc_expr_band (acc_expr_mul (i, acc_expr_new_int (7919)), acc_expr_new_int (GPOINTER_TO_INT (n) - 1));
}

static AccExpr *
new_one (AccExpr  *new_value,
         AccExpr  *old_value,
         gpointer  data)
{
  return new_value;
}

/* What is spread by parts of the result goes by as many elements at a time as there is memory for: here for the result, and less. */
static void
test_short_rounds (void)
{
  gint64 n = 1 << 21;
  guint64 limit = acc_backend_get_memory_limit (backend);
  g_autoptr (AccArray) xs = use_count (n);
  g_autoptr (AccArray) delayed = acc_array_map (xs, scattered, GINT_TO_POINTER (n));
  g_autoptr (AccArray) targets = run (delayed);
  g_autoptr (AccArray) zeros = acc_array_fill (acc_array_get_shape (xs), acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 0));
  g_autoptr (AccArray) permuted = acc_array_permute (xs, zeros, targets, new_one, NULL);
  g_autoptr (AccArray) result = NULL;

  acc_backend_set_memory_limit (backend, acc_backend_get_memory_used (backend) + n * 8 + (6 << 20));
  result = run (permuted);
  acc_backend_set_memory_limit (backend, limit);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpint (acc_array_get_int (result, 0, (i * 7919) & (n - 1)), ==, i);
}

/* --- by rows */

G_DECLARE_FINAL_TYPE (NoiseSource, noise_source, NOISE, SOURCE, AccSource)

struct _NoiseSource
{
  AccSource parent_instance;
};

G_DEFINE_FINAL_TYPE (NoiseSource, noise_source, ACC_TYPE_SOURCE)

static void
noise_source_class_init (NoiseSourceClass *klass)
{
}

static void
noise_source_init (NoiseSource *self)
{
}

static AccArray *
make_source (gint64 rows,
             gint64 columns)
{
  g_autoptr (AccShape) shape = acc_shape_new_matrix (rows, columns);
  g_autoptr (AccSource) source = g_object_new (noise_source_get_type (), "element-type", acc_element_type_new (ACC_KIND_F32),
                                               "shape", shape, "name", "noise", NULL);

  return acc_array_new_from_source (source);
}

static AccExpr *
add_mean (AccExpr  *x,
          gpointer  data)
{
  return acc_expr_add (x, acc_expr_the (data));
}

/* Results of @source by rows, or of the array it stands for. */
static void
make_results (AccArray  *source,
              AccArray  *table,
              AccArray **results)
{
  g_autoptr (AccArray) once = blur (source);
  g_autoptr (AccArray) twice = blur (once);
  g_autoptr (AccArray) mean = acc_array_sum_all (table);

  results[0] = acc_array_map (twice, add_mean, mean);
  results[1] = acc_array_sum_all (once);
  results[2] = acc_array_sum (source);
}

static void
run_by_rows (AccArray **arrays,
             guint      n_arrays,
             AccArray  *data,
             gint64     and,
             GBytes   **results)
{
  g_autoptr (AccProgram) program = acc_program_new_for_results (arrays, n_arrays);
  g_autoptr (GError) error = NULL;
  g_autoptr (AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr (AccRowRun) rows = acc_executable_begin_rows (executable, NULL, 0, NULL, &error);
  g_autofree guint8 **memory = NULL;

  g_assert_no_error (error);
  memory = g_new0 (guint8 *, rows->n_values + 1);
  for (guint i = 0; i < rows->n_values; i++)
    {
      const AccRowValue *value = &rows->values[i];
      gsize size = value->n_rows * value->row_elements * acc_element_type_get_size (value->type);
      gpointer leaf;

      if (value->kind == ACC_ROW_VALUE_REDUCED)
        continue;
      memory[i] = g_malloc0 (size + 64);
      leaf = memory[i];
      if (value->kind == ACC_ROW_VALUE_SOURCE)
        memcpy (leaf, (gpointer) (guintptr) acc_array_get_address (data, 0), size);
      /* Row 0 need not be in the window: nothing before the first row is read. */
      rows->klass->set_window (rows, i, &leaf, 0, value->n_rows);
    }
  for (guint s = 0; s < rows->n_steps; s++)
    for (gint64 begin = 0; begin < rows->steps[s].n_rows; begin += and)
      {
        gint64 end = MIN (begin + and, rows->steps[s].n_rows);

        /* Windows that begin later show whether addresses are biased right. */
        for (guint w = 0; w < rows->steps[s].n_writes; w++)
          {
            guint v = rows->steps[s].writes[w];
            const AccRowValue *value = &rows->values[v];
            gpointer leaf = memory[v] == NULL ? NULL
                            : memory[v] + begin * value->row_elements * acc_element_type_get_size (value->type);

            if (leaf != NULL)
              rows->klass->set_window (rows, v, &leaf, begin, end - begin);
          }
        g_assert_true (rows->klass->run_step (rows, s, begin, end, NULL, &error));
        g_assert_no_error (error);
        for (guint w = 0; w < rows->steps[s].n_writes; w++)
          {
            guint v = rows->steps[s].writes[w];
            gpointer leaf = memory[v];

            if (leaf != NULL)
              rows->klass->set_window (rows, v, &leaf, 0, rows->values[v].n_rows);
          }
      }
  for (guint i = 0; i < rows->n_values; i++)
    {
      const AccRowValue *value = &rows->values[i];

      if (value->result < 0)
        continue;
      g_assert_null (results[value->result]);
      if (value->kind == ACC_ROW_VALUE_REDUCED)
        {
          g_autoptr (AccArray) reduced = rows->klass->dup_reduced (rows, i, &error);

          g_assert_no_error (error);
          results[value->result] = acc_array_get_bytes (reduced, 0, &error);
        }
      else
        results[value->result] = g_bytes_new (memory[i], value->n_rows * value->row_elements
                                                         * acc_element_type_get_size (value->type));
    }
  for (guint i = 0; i < rows->n_values; i++)
    g_free (memory[i]);
}

static void
assert_floats_near (GBytes *a,
                    GBytes *b)
{
  gsize n_a, n_b;
  const float *x = g_bytes_get_data (a, &n_a);
  const float *y = g_bytes_get_data (b, &n_b);

  g_assert_cmpuint (n_a, ==, n_b);
  for (gsize i = 0; i < n_a / sizeof (float); i++)
    g_assert_cmpfloat (fabs (x[i] - y[i]), <=, 1e-4 * fabs (y[i]));
}

static void
test_by_rows (void)
{
  static const gint64 ands[] = { 1, 7, 64, 1000 };
  g_autoptr (AccArray) data = use_noise (150, 333, 11);
  g_autoptr (AccArray) table = use_noise (10, 10, 12);
  g_autoptr (AccArray) source = make_source (150, 333);
  AccArray *whole[3], *streamed[3];
  GBytes *expected[3];
  g_autoptr (GError) error = NULL;

  make_results (data, table, whole);
  make_results (source, table, streamed);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (AccArray) result = run (whole[i]);

      expected[i] = acc_array_get_bytes (result, 0, &error);
    }

  for (guint b = 0; b < G_N_ELEMENTS (ands); b++)
    {
      GBytes *results[3] = { NULL };
      GBytes *again[3] = { NULL };

      run_by_rows (streamed, 3, data, ands[b], results);
      g_assert_true (g_bytes_equal (results[0], expected[0]));
      assert_floats_near (results[1], expected[1]);
      g_assert_true (g_bytes_equal (results[2], expected[2]));

      /* Without a source, in memory */
      run_by_rows (whole, 1, data, ands[b], again);
      g_assert_true (g_bytes_equal (again[0], expected[0]));
      for (guint i = 0; i < 3; i++)
        g_clear_pointer (&results[i], g_bytes_unref);
      g_clear_pointer (&again[0], g_bytes_unref);
    }
  for (guint i = 0; i < 3; i++)
    {
      g_bytes_unref (expected[i]);
      g_object_unref (whole[i]);
      g_object_unref (streamed[i]);
    }
}

static void
test_copies_by_rows (void)
{
  g_autoptr (AccArray) data = use_noise (20, 30, 11);
  g_autoptr (AccArray) source = make_source (20, 30);
  g_autoptr (AccArray) blurred = blur (source);
  g_autoptr (AccArray) reference = blur (data);
  g_autoptr (AccArray) table = use_noise (3, 3, 1);
  AccArray *wanted[] = { source, blurred, blurred, table };
  GBytes *results[4] = { NULL };
  g_autoptr (AccArray) expected = run (reference);
  g_autoptr (GBytes) bytes = acc_array_get_bytes (expected, 0, NULL);
  g_autoptr (GBytes) data_bytes = acc_array_get_bytes (data, 0, NULL);
  g_autoptr (GBytes) table_bytes = acc_array_get_bytes (table, 0, NULL);

  run_by_rows (wanted, 4, data, 6, results);
  g_assert_true (g_bytes_equal (results[0], data_bytes));
  g_assert_true (g_bytes_equal (results[1], bytes));
  g_assert_true (g_bytes_equal (results[2], bytes));
  g_assert_true (g_bytes_equal (results[3], table_bytes));
  for (guint i = 0; i < 4; i++)
    g_bytes_unref (results[i]);
}

static AccExpr *
swap (AccExpr  *index,
      gpointer  data)
{
  return acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_item (index, 0));
}

static void
test_not_by_rows (void)
{
  g_autoptr (AccArray) source = make_source (20, 30);
  g_autoptr (AccShape) shape = acc_shape_new_matrix (30, 20);
  g_autoptr (AccArray) turned = acc_array_backpermute (source, shape, swap, NULL);
  g_autoptr (AccArray) sum = acc_array_sum_all (source);
  g_autoptr (AccArray) limit = acc_array_unit (acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 3));
  g_autoptr (AccArray) condition = acc_array_lt (sum, limit);
  g_autoptr (AccArray) chosen = acc_array_cond (condition, source, source);
  AccArray *bad[] = { turned, chosen };

  acc_array_set_label (turned, "turn");
  acc_array_set_label (chosen, "choice");
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (AccProgram) program = acc_program_new_for_results (&bad[i], 1);
      g_autoptr (GError) error = NULL;
      g_autoptr (AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);

      g_assert_no_error (error);
      g_assert_null (acc_executable_begin_rows (executable, NULL, 0, NULL, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, i == 0 ? "turn" : "choice"));
    }
}

/* --- the kernel cache, over processes */

static guint
count_kernels (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;

  return n;
}

static void
run_five (void)
{
  gint64 start = g_get_monotonic_time (), opened, done;
  g_autoptr (GError) error = NULL;
  g_autoptr (AccBackend) own = acc_backend_new_for_name ("native", &error);
  g_autoptr (AccArray) noise = use_noise (64, 64, 1);
  AccArray *wanted[4];
  g_autoptr (AccProgram) program = NULL;
  g_autoptr (AccExecutable) executable = NULL;
  g_autoptr (GPtrArray) results = NULL;

  g_assert_no_error (error);
  opened = g_get_monotonic_time ();
  make_results (noise, noise, wanted);
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
      g_autoptr (AccArray) noise = use_noise (300, 200, 1), halved = acc_array_map (noise, half, NULL);
      g_autoptr (AccArray) sum = acc_array_sum_all (halved), result = run (sum);

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
  g_autoptr (GError) error = NULL;
  int result;

  g_test_init (&argc, &argv, NULL);
  backend = acc_backend_new_for_name ("native", &error);
  g_assert_no_error (error);

  g_test_add_func ("/native/run-again", test_run_again);
  g_test_add_func ("/native/shared-results", test_shared_results);
  g_test_add_func ("/native/cond", test_cond);
  g_test_add_func ("/native/cond-in-cond", test_cond_in_cond);
  g_test_add_func ("/native/while", test_while);
  g_test_add_func ("/native/while-changes-extents", test_while_changes_extents);
  g_test_add_func ("/native/while-in-while", test_while_in_while);
  g_test_add_func ("/native/while-memory", test_while_memory);
  g_test_add_func ("/native/computed-extents", test_computed_extents);
  g_test_add_func ("/native/failures", test_failures);
  g_test_add_func ("/native/failures-of-twins", test_failures_of_twins);
  g_test_add_func ("/native/cancel", test_cancel);
  g_test_add_func ("/native/cancel-loops", test_cancel_loops);
  g_test_add_func ("/native/fail-before-loop", test_fail_before_loop);
  g_test_add_func ("/native/cancel-planning", test_cancel_planning);
  g_test_add_func ("/native/nested-loops", test_nested_loops);
  g_test_add_func ("/native/large-functions", test_large_functions);
  g_test_add_func ("/native/same-bits-on-any-threads", test_same_bits_on_any_threads);
  g_test_add_func ("/native/side-by-side", test_side_by_side);
  g_test_add_func ("/native/bad-threads", test_bad_threads);
  g_test_add_func ("/native/levels", test_levels);
  g_test_add_func ("/native/far-gather", test_far_gather);
  g_test_add_func ("/native/far-mistakes", test_far_mistakes);
  g_test_add_func ("/native/many-users", test_many_users);
  g_test_add_func ("/native/each-reservation-fails", test_each_reservation_fails);
  g_test_add_func ("/native/too-large", test_too_large);
  g_test_add_func ("/native/times", test_times);
  g_test_add_func ("/native/short-rounds", test_short_rounds);
  g_test_add_func ("/native/by-rows", test_by_rows);
  g_test_add_func ("/native/copies-by-rows", test_copies_by_rows);
  g_test_add_func ("/native/not-by-rows", test_not_by_rows);
  g_test_add_func ("/native/warm-start", test_warm_start);

  result = g_test_run ();
  g_object_unref (backend);

  return result;
}
