/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include "acc-core/backend/acc-backend-private.h"

#include <string.h>

/* What a judge must be besides right: it shares work, frees memory after the last use, keeps to its limit, can be stopped,
 * and is not afraid of long chains. */

#define MIB (1024 * 1024)

static AccBackend *
new_interpreter (void)
{
  g_autoptr(GError) error = NULL;
  AccBackend *backend = acc_backend_new_for_name ("interpreter", &error);

  g_assert_no_error (error);
  return backend;
}

static AccExpr *
as_float (AccExpr *i, gpointer data)
{
  return acc_expr_cast (i, conf_type ("f8"));
}

static AccExpr *
plus_one (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_float (1));
}

/* 0.0, 1.0, ... */
static AccArray *
numbers (gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  return acc_array_generate (shape, as_float, NULL);
}

static AccArray *
chain (AccArray *array, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      AccArray *next = acc_array_map (array, plus_one, NULL);

      g_object_unref (array);
      array = next;
    }
  return array;
}

static void
test_memory (void)
{
  g_autoptr(AccBackend) backend = new_interpreter ();
  g_autoptr(AccArray) array = chain (numbers (MIB), 10);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = acc_backend_run (backend, array, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpfloat (acc_array_get_double (result, 0, 5), ==, 15);
  /* Never more than a step's source and its result. */
  g_assert_cmpuint (acc_backend_get_memory_high_water (backend), <=, 2 * 8 * MIB + MIB);
  g_assert_cmpuint (acc_backend_get_memory_used (backend), <=, 8 * MIB + MIB / 2);
  g_clear_object (&result);
  g_assert_cmpuint (acc_backend_get_memory_used (backend), ==, 0);
}

static void
test_limit (void)
{
  g_autoptr(AccBackend) backend = new_interpreter ();
  g_autoptr(AccArray) array = chain (numbers (MIB), 2);
  g_autoptr(GError) error = NULL;
  AccArray *result;

  /* Room for the result, not for two arrays: by rows. */
  acc_backend_set_memory_limit (backend, 12 * MIB);
  result = acc_backend_run (backend, array, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (acc_array_get_double (result, 0, 5), ==, 7);
  g_assert_cmpuint (acc_backend_get_memory_high_water (backend), <=, 12 * MIB);
  g_clear_object (&result);

  acc_backend_set_memory_limit (backend, 6 * MIB);
  result = acc_backend_run (backend, array, NULL, &error);
  g_assert_null (result);
  g_assert_true (g_error_matches (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY));
  g_assert_nonnull (strstr (error->message, "generate needs 8388608 bytes"));
  g_assert_cmpuint (acc_backend_get_memory_used (backend), ==, 0);
}

/* Whichever reservation fails: it is told, or the run goes by rows, and nothing is kept. */
static void
test_reservations (void)
{
  g_autoptr(AccBackend) backend = new_interpreter ();
  g_autoptr(AccArray) first = numbers (1000);
  g_autoptr(AccArray) second = chain (numbers (1000), 3);
  g_autoptr(AccArray) array = acc_array_zip_with (first, second, conf_plus, NULL);

  for (guint k = 1; k <= 12; k++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) result = NULL;

      acc_budget_fail_nth (acc_backend_get_budget (backend), k);
      result = acc_backend_run (backend, array, NULL, &error);
      acc_budget_fail_nth (acc_backend_get_budget (backend), 0);
      if (result != NULL)
        g_assert_cmpfloat (acc_array_get_double (result, 0, 999), ==, 999 + 999 + 3);
      else
        g_assert_true (g_error_matches (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY));
      g_clear_object (&result);
      g_assert_cmpuint (acc_backend_get_memory_used (backend), ==, 0);
    }
}

/* --- loops */

static AccExpr *
below (AccExpr *x, gpointer limit)
{
  return acc_expr_lt (x, acc_expr_new_float (GPOINTER_TO_INT (limit)));
}

static AccArray *
first_is_below (AccArray **arrays, guint n, gpointer limit)
{
  g_autoptr(AccArray) first = acc_array_slice (arrays[0], (gint64[]) { 0 }, 1);

  return acc_array_map (first, below, limit);
}

static AccArray *
add_one (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], plus_one, NULL);
}

static AccArray *
count_to (AccArray *initial, gint limit)
{
  const char *signatures[] = { "f8[:]", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signatures, first_is_below, GINT_TO_POINTER (limit));
  g_autoptr(AccProgram) step = acc_program_new (signatures, add_one, NULL);

  return acc_array_while_loop (initial, condition, step);
}

static void
test_loop_memory (void)
{
  g_autoptr(AccBackend) backend = new_interpreter ();
  g_autoptr(AccArray) initial = numbers (MIB / 8);
  g_autoptr(AccArray) array = count_to (initial, 100);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = acc_backend_run (backend, array, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpfloat (acc_array_get_double (result, 0, 7), ==, 107);
  g_assert_cmpuint (acc_backend_get_memory_high_water (backend), <=, 2 * MIB + MIB / 4);
}

static AccArray *
sum_is_below (AccArray **arrays, guint n, gpointer limit)
{
  return acc_array_map (arrays[1], below, limit);
}

static GPtrArray *
add_both (AccArray **arrays, guint n, gpointer data)
{
  GPtrArray *next = g_ptr_array_new ();

  g_ptr_array_add (next, g_object_ref (arrays[1]));
  g_ptr_array_add (next, acc_array_add (arrays[0], arrays[1]));
  return next;
}

/* It begins when the last row of the source has been. */
static void
test_streamed_loop (void)
{
  const char *signatures[] = { "f8", "f8", NULL };
  g_autoptr(AccBackend) backend = new_interpreter ();
  g_autoptr(AccArray) stream = conf_through_source (CONF_FLOATS1 ("f8", 1, 2, 0, 2)), total = acc_array_sum_all (stream),
    first = acc_array_maximum_all (stream);
  g_autoptr(AccProgram) condition = acc_program_new (signatures, sum_is_below, GINT_TO_POINTER (100));
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, add_both, NULL);
  g_autoptr(GPtrArray) last = acc_array_while_loop_many ((AccArray *[]) { first, total }, 2, condition, step);
  g_autoptr(AccArray) sum = acc_array_add (last->pdata[1], total);
  g_autoptr(GError) error = NULL;
  AccArray *wanted[] = { last->pdata[0], last->pdata[1], sum };
  g_autoptr(GPtrArray) results = acc_backend_run_many (backend, wanted, 3, NULL, &error);

  /* 2 5 7 12 19 31 50 81 131 */
  g_assert_no_error (error);
  g_assert_cmpfloat (acc_array_get_double (results->pdata[0], 0, 0), ==, 81);
  g_assert_cmpfloat (acc_array_get_double (results->pdata[1], 0, 0), ==, 131);
  g_assert_cmpfloat (acc_array_get_double (results->pdata[2], 0, 0), ==, 136);
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (30000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

static void
assert_stops (AccArray *array)
{
  g_autoptr(AccBackend) backend = new_interpreter ();
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;
  GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);
  AccArray *result = acc_backend_run (backend, array, cancellable, &error);

  g_thread_join (thread);
  g_assert_null (result);
  g_assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED));
  g_assert_cmpuint (acc_backend_get_memory_used (backend), ==, 0);
}

static AccExpr *
forever_step (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_new_bool (TRUE), acc_expr_add (x, conf_i64 (1)));
}

static AccExpr *
forever (AccExpr *x, gpointer data)
{
  return acc_expr_while (acc_expr_cast (x, conf_type ("i8")), forever_step, NULL);
}

static void
test_cancel (void)
{
  g_autoptr(AccArray) initial = numbers (10);
  g_autoptr(AccArray) loop = count_to (initial, G_MAXINT);
  g_autoptr(AccArray) endless = acc_array_map (initial, forever, NULL);
  g_autoptr(AccArray) many = numbers (G_GINT64_CONSTANT (1) << 27);

  assert_stops (loop);
  assert_stops (endless);
  assert_stops (many);
}

/* --- long chains */

static void
test_long_graph (void)
{
  g_autoptr(AccBackend) backend = new_interpreter ();
  g_autoptr(AccArray) array = chain (numbers (3), 20000);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = acc_backend_run (backend, array, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpfloat (acc_array_get_double (result, 0, 2), ==, 20002);
}

static AccExpr *
long_sum (AccExpr *x, gpointer data)
{
  AccExpr *sum = x;

  for (guint i = 0; i < 50000; i++)
    sum = acc_expr_add (sum, acc_expr_new_float (1));
  return sum;
}

/* Each level is used by both sides of the next: alone by sharing is it finite. */
static AccExpr *
deep_sharing (AccExpr *x, gpointer data)
{
  AccExpr *value = x;

  for (guint i = 0; i < 200; i++)
    value = acc_expr_cond (acc_expr_lt (value, acc_expr_new_float (i)), acc_expr_add (value, acc_expr_new_float (1)),
                           acc_expr_sub (value, acc_expr_new_float (1)));
  return value;
}

static AccExpr *
deep_doubling (AccExpr *x, gpointer data)
{
  AccExpr *value = x;

  for (guint i = 0; i < 60; i++)
    value = acc_expr_add (value, value);
  return value;
}

static double
plain_sharing (double value)
{
  for (guint i = 0; i < 200; i++)
    value = value < i ? value + 1 : value - 1;
  return value;
}

static void
test_long_expressions (void)
{
  g_autoptr(AccBackend) backend = new_interpreter ();
  g_autoptr(AccArray) input = numbers (3);
  g_autoptr(AccArray) sum = acc_array_map (input, long_sum, NULL);
  g_autoptr(AccArray) shared = acc_array_map (input, deep_sharing, NULL);
  g_autoptr(AccArray) doubled = acc_array_map (input, deep_doubling, NULL);
  AccArray *arrays[] = { sum, shared, doubled };
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_backend_run_many (backend, arrays, 3, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpfloat (acc_array_get_double (results->pdata[0], 0, 2), ==, 50002);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (acc_array_get_double (results->pdata[1], 0, i), ==, plain_sharing (i));
  g_assert_cmpfloat (acc_array_get_double (results->pdata[2], 0, 1), ==, 0x1p60);
}

static void
test_shared_nodes (void)
{
  g_autoptr(AccBackend) backend = new_interpreter ();
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = NULL;
  AccArray *array = numbers (2);

  for (guint i = 0; i < 60; i++)
    {
      AccArray *next = acc_array_zip_with (array, array, conf_plus, NULL);

      g_object_unref (array);
      array = next;
    }
  result = acc_backend_run (backend, array, NULL, &error);
  g_object_unref (array);
  g_assert_no_error (error);
  g_assert_cmpfloat (acc_array_get_double (result, 0, 1), ==, 0x1p60);
}

/* --- threads */

static AccArray *
sum_all (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_fold_all (arrays[0], acc_expr_new_float (0), conf_plus, NULL);
}

static gpointer
run_often (gpointer executable)
{
  for (gint i = 1; i < 40; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autofree double *values = g_new (double, i);
      g_autoptr(AccArray) argument = NULL;
      g_autoptr(GPtrArray) results = NULL;

      for (gint k = 0; k < i; k++)
        values[k] = k;
      argument = conf_floats ("f8", (gint64[]) { i }, 1, values);
      results = acc_executable_run (executable, &argument, 1, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (acc_array_get_double (results->pdata[0], 0, 0), ==, i * (i - 1) / 2);
    }
  return NULL;
}

static void
test_threads (void)
{
  g_autoptr(AccBackend) backend = new_interpreter ();
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { "f8[:]", NULL }, sum_all, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  GThread *threads[4];

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("run", run_often, executable);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* A judge that is too slow sees few cases: the rate is printed, not asserted. */
static AccExpr *
busy_step (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, acc_expr_new_float (0.5)), acc_expr_new_float (1));
}

static AccExpr *
busy (AccExpr *x, gpointer data)
{
  return acc_expr_iterate (conf_i64 (100), x, busy_step, NULL);
}

static void
test_rate (void)
{
  g_autoptr(AccBackend) backend = new_interpreter ();
  g_autoptr(AccArray) input = numbers (20000);
  g_autoptr(AccArray) array = acc_array_map (input, busy, NULL);
  g_autoptr(GError) error = NULL;
  gint64 start = g_get_monotonic_time ();
  g_autoptr(AccArray) result = acc_backend_run (backend, array, NULL, &error);

  g_assert_no_error (error);
  /* Four per round: multiply, add, count, compare. */
  g_test_message ("%.0f million primitives a second", 20000.0 * 100 * 4 / (double) (g_get_monotonic_time () - start));
}

int
main (int argc, char **argv)
{
  g_setenv ("ACC_TEST_BACKENDS", "interpreter", TRUE);
  conf_init (&argc, &argv);
  g_test_add_func ("/interpreter/memory", test_memory);
  g_test_add_func ("/interpreter/limit", test_limit);
  g_test_add_func ("/interpreter/reservations", test_reservations);
  g_test_add_func ("/interpreter/loop-memory", test_loop_memory);
  g_test_add_func ("/interpreter/streamed-loop", test_streamed_loop);
  g_test_add_func ("/interpreter/cancel", test_cancel);
  g_test_add_func ("/interpreter/long-graph", test_long_graph);
  g_test_add_func ("/interpreter/long-expressions", test_long_expressions);
  g_test_add_func ("/interpreter/shared-nodes", test_shared_nodes);
  g_test_add_func ("/interpreter/threads", test_threads);
  g_test_add_func ("/interpreter/rate", test_rate);
  return conf_run ();
}
