/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "native-helpers.h"

#include <string.h>

/* Runs of the native backend that end early: failures and cancellation. */

static AccExpr *
divide_by_zero (AccExpr  *x,
                gpointer  data)
{
  return acc_expr_quot (x, acc_expr_sub (x, x));
}

static AccExpr *
read_at (AccExpr  *i,
         gpointer  data)
{
  return acc_expr_index (data, acc_expr_add (i, acc_expr_new_int (3)));
}

static void
test_failures (void)
{
  g_autoptr(AccArray) numbers = native_use_count (10);
  g_autoptr(AccArray) bad = acc_array_map (numbers, divide_by_zero, NULL);
  g_autoptr(AccArray) outside = acc_array_map (numbers, read_at, numbers);
  g_autoptr(GError) division = NULL;
  g_autoptr(GError) bounds = NULL;

  acc_array_set_label (bad, "nought");
  acc_array_set_label (outside, "beyond");
  division = native_run_failing (bad);
  g_assert_error (division, ACC_ERROR, ACC_ERROR_ARITHMETIC);
  g_assert_nonnull (strstr (division->message, "map “nought”"));
  bounds = native_run_failing (outside);
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
      g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);
      g_autoptr(AccProgram) program = NULL;
      g_autoptr(AccExecutable) executable = NULL;
      g_autoptr(GError) error = NULL;
      g_autofree char *label = g_strdup_printf ("map “number %u”", failing);

      for (guint i = 0; i < 3; i++)
        {
          g_autofree char *name = g_strdup_printf ("number %u", i);
          g_autoptr(AccArray) table = native_use_count (10);
          g_autoptr(AccArray) indices = native_use_ints ((const gint64[]) { 1, 2, i == failing ? 7 : 6 }, 3);
          AccArray *map = acc_array_map (indices, read_at, table);

          acc_array_set_label (map, name);
          g_ptr_array_add (results, map);
        }
      program = acc_program_new_for_results ((AccArray **) results->pdata, results->len);
      executable = acc_backend_compile (native_backend, program, NULL, &error);
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
  g_autoptr(AccArray) sum = acc_array_sum_all (arrays[0]);

  return acc_array_eq (sum, sum);
}

static void
test_cancel (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccArray) start = native_use_count (100000);
  g_autoptr(AccProgram) condition = acc_program_new (signatures, always, NULL);
  g_autoptr(AccProgram) step = acc_program_new (signatures, native_increment, NULL);
  g_autoptr(AccArray) loop = acc_array_while_loop (start, condition, step);
  g_autoptr(AccProgram) program = acc_program_new_for_results (&loop, 1);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
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
  g_autoptr(AccProgram) program = acc_program_new_for_results (&array, 1);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  GThread *thread = g_thread_new ("cancel", cancel_later, cancellable);

  g_assert_null (acc_executable_run (executable, NULL, 0, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
}

/* In one tile and many, of vectors and scalars, in bands, in what folds and scans combine by. */
static void
test_cancel_loops (void)
{
  static const guint lengths[] = { 1, 7, 1000, 300000 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autoptr(AccArray) some = native_use_count (lengths[i]);
      g_autoptr(AccArray) map = acc_array_map (some, loop_for_ever, NULL), sum = acc_array_sum_all (map), scan = acc_array_cumsum (map);
      g_autoptr(AccArray) sorted = acc_array_sort (map, FALSE);

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

static void
test_cancel_planning (void)
{
  g_autoptr(AccProgram) program = native_read_program ("acc program 1\n"
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
  g_autoptr(AccArray) some = native_use_count (3);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  GThread *thread = g_thread_new ("cancel", cancel_later, cancellable);

  g_assert_null (acc_executable_run (executable, &some, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
}

/* A run that has failed ends, whatever loops there are. */
static void
test_fail_before_loop (void)
{
  g_autoptr(AccArray) table = native_use_count (10), indices = native_use_ints ((const gint64[]) { 10 }, 1);
  g_autoptr(AccArray) map = acc_array_map (indices, read_and_loop, table);
  g_autoptr(AccProgram) program = acc_program_new_for_results (&map, 1);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);

  g_assert_null (acc_executable_run (executable, NULL, 0, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
}

/* --- tiles that take long */

static AccExpr *
get_itself (AccExpr *i,
            gpointer data)
{
  return i;
}

static AccExpr *
get_column (AccExpr *i,
            gpointer data)
{
  return acc_expr_item (i, 1);
}

static AccExpr *
get_place (AccExpr *i,
           gpointer data)
{
  return acc_expr_band (acc_expr_mul (i, acc_expr_new_int (7919)), acc_expr_new_int (511));
}

/* Of more elements than there is time for, in few tiles, which would never end. */
static void
test_cancel_long_tiles (void)
{
  static const gint n_places[] = { 1000, 1 << 22, 1 << 25 };
  g_autoptr(AccShape) long_rows = acc_shape_new_matrix (20, G_GINT64_CONSTANT (1) << 45),
    vector = acc_shape_new_vector (G_GINT64_CONSTANT (1) << 50);
  g_autoptr(AccArray) numbers = acc_array_generate (vector, get_itself, NULL), targets = acc_array_generate (vector, get_place, NULL);

  /* The second time no compiler is waited for. */
  for (guint again = 0; again < 2; again++)
    {
      g_autoptr(AccArray) all = acc_array_generate (long_rows, get_column, NULL), sums = acc_array_sum (all);

      assert_cancelled (sums);
      for (guint i = 0; i < G_N_ELEMENTS (n_places); i++)
        {
          g_autoptr(AccShape) places = acc_shape_new_vector (n_places[i]);
          g_autoptr(AccArray) zeros = acc_array_fill (places, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 0));
          g_autoptr(AccArray) permuted = acc_array_permute (numbers, zeros, targets, native_plus, NULL);

          assert_cancelled (permuted);
        }
    }
}

int
main (int    argc,
      char **argv)
{
  native_begin (&argc, &argv);

  g_test_add_func ("/native/failures", test_failures);
  g_test_add_func ("/native/failures-of-twins", test_failures_of_twins);
  g_test_add_func ("/native/cancel", test_cancel);
  g_test_add_func ("/native/cancel-loops", test_cancel_loops);
  g_test_add_func ("/native/cancel-long-tiles", test_cancel_long_tiles);
  g_test_add_func ("/native/fail-before-loop", test_fail_before_loop);
  g_test_add_func ("/native/cancel-planning", test_cancel_planning);

  return native_end ();
}
