/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "large-functions.h"
#include "native-helpers.h"

#include "../remove-tree.h"

#include <stdlib.h>
#include <string.h>

/* Runs of many kinds, each cancelled after a time by chance: while it is planned, compiled, or runs, or when it is done. Either it has a
 * result then or it was cancelled; nothing else. How long that took is told, not judged. ACC_TEST_CANCELS: how many. */

static char *folder;

/* --- graphs that no table of kernels knows: @n goes into them. */

static AccExpr *
mix (AccExpr *x,
     gpointer n)
{
  return acc_expr_bxor (acc_expr_mul (x, acc_expr_new_int (GPOINTER_TO_INT (n))), acc_expr_new_int (GPOINTER_TO_INT (n) + 1));
}

static AccExpr *
count_down (AccExpr *x,
            gpointer n)
{
  return acc_expr_tuple2 (acc_expr_gt (x, acc_expr_new_int (GPOINTER_TO_INT (n) % 1000)), acc_expr_sub (x, acc_expr_new_int (1)));
}

static AccExpr *
loop_long (AccExpr *x,
           gpointer n)
{
  return acc_expr_while (acc_expr_mul (x, acc_expr_new_int (100)), count_down, n);
}

static AccExpr *
get_float (AccExpr *x,
           gpointer n)
{
  return acc_expr_cast (mix (x, n), acc_element_type_new (ACC_KIND_F32));
}

static AccArray *
generate (gint64        size,
          AccExprFunc   function,
          guint         n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (size);

  return acc_array_generate (shape, function, GINT_TO_POINTER (n));
}

static AccProgram *
take_result (AccArray *array)
{
  AccProgram *program = acc_program_new_for_results (&array, 1);

  g_object_unref (array);

  return program;
}

static AccProgram *
make_fold (guint n)
{
  g_autoptr(AccArray) numbers = generate (30000000, mix, n);

  return take_result (acc_array_sum_all (numbers));
}

static AccProgram *
make_scan (guint n)
{
  g_autoptr(AccArray) numbers = generate (3000000, mix, n);

  return take_result (acc_array_cumsum (numbers));
}

static AccProgram *
make_loops (guint n)
{
  return take_result (generate (3000, loop_long, n));
}

static AccProgram *
make_sort (guint n)
{
  g_autoptr(AccArray) numbers = generate (2000000, mix, n);

  return take_result (acc_array_sort (numbers, FALSE));
}

static AccProgram *
make_transform (guint n)
{
  g_autoptr(AccArray) numbers = generate ((1 << 20) + 2 * (n % 1000), get_float, n);

  return take_result (acc_array_fft (numbers, ACC_FFT_FORWARD));
}

static AccProgram *
make_function (guint n)
{
  static GString *(* const makes[]) (guint n) = { large_choices, large_loops, large_sums, large_nested_loops, large_nested_choices };
  static const guint most[] = { 8000, 2000, 8000, 400, 400 };
  guint kind = n % G_N_ELEMENTS (makes);
  g_autoptr(GString) text = makes[kind] (1 + n % most[kind]);
  g_autofree char *literal = g_strdup_printf ("literal i8 %u", n);

  g_string_replace (text, "literal i8 1000", literal, 1);

  return large_read (text);
}

/* --- ways to run them */

static gboolean
run (AccProgram   *program,
     GCancellable *cancellable,
     GError      **error)
{
  g_autoptr(AccArray) some = native_use_count (1000);
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, cancellable, error);
  g_autoptr(GPtrArray) results = NULL;

  if (executable != NULL)
    results = acc_executable_run (executable, &some, acc_program_get_n_parameters (program), cancellable, error);

  return results != NULL;
}

static void
on_done (GObject      *object,
         GAsyncResult *result,
         gpointer      data)
{
  *(GAsyncResult **) data = g_object_ref (result);
}

static gboolean
run_async (AccProgram   *program,
           GCancellable *cancellable,
           GError      **error)
{
  g_autoptr(AccArray) some = native_use_count (1000);
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, cancellable, error);
  g_autoptr(GPtrArray) results = NULL;
  g_autoptr(GAsyncResult) result = NULL;

  if (executable == NULL)
    return FALSE;
  acc_executable_run_async (executable, &some, acc_program_get_n_parameters (program), cancellable, on_done, &result);
  while (result == NULL)
    g_main_context_iteration (NULL, TRUE);
  results = acc_executable_run_finish (executable, result, error);

  return results != NULL;
}

static gboolean
write_file (AccProgram   *program,
            GCancellable *cancellable,
            GError      **error)
{
  g_autofree char *path = g_build_filename (folder, "result.npy", NULL);
  g_autoptr(GFile) file = g_file_new_for_path (path);
  g_autoptr(AccSink) sink = acc_sink_create (file, NULL, error);
  gboolean is_written = acc_backend_write (native_backend, acc_program_get_result (program, 0), sink, cancellable, error);

  g_assert_true (is_written == g_file_test (path, G_FILE_TEST_EXISTS));
  g_remove (path);

  return is_written;
}

/* --- cancelled */

typedef struct {
  GCancellable *cancellable;
  gulong        delay;
  gint64        at;
} Later;

static gpointer
cancel_later (gpointer data)
{
  Later *later = data;

  g_usleep (later->delay);
  later->at = g_get_monotonic_time ();
  g_cancellable_cancel (later->cancellable);

  return NULL;
}

static int
compare (gconstpointer x,
         gconstpointer y)
{
  return *(const gint64 *) x < *(const gint64 *) y ? -1 : *(const gint64 *) x > *(const gint64 *) y;
}

typedef struct {
  const char *name;
  AccProgram *(*make) (guint n);
  gboolean    (*run) (AccProgram *program, GCancellable *cancellable, GError **error);
  gint64      most_delay;     /* 0: what the quickest run took. Functions are of any size, and take as long to compile. */
} Kind;

static const Kind kinds[] = {
  { "function", make_function, run, 50 * G_TIME_SPAN_MILLISECOND },
  { "function-async", make_function, run_async, 50 * G_TIME_SPAN_MILLISECOND },
  { "fold", make_fold, run },
  { "scan", make_scan, run },
  { "loops", make_loops, run },
  { "loops-async", make_loops, run_async },
  { "sort", make_sort, run },
  { "transform", make_transform, run },
  { "written-scan", make_scan, write_file },
  { "written-loops", make_loops, write_file },
};

static void
assert_is_empty (void)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);

  g_assert_null (g_dir_read_name (dir));
}

static void
test_cancels (gconstpointer data)
{
  const Kind *kind = data;
  const char *asked = g_getenv ("ACC_TEST_CANCELS");
  guint n = (asked != NULL ? atoi (asked) : 30) / G_N_ELEMENTS (kinds), n_cancelled = 0;
  g_autoptr(GArray) waits = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 whole = kind->most_delay;

  for (guint i = 0; i <= n; i++)
    {
      g_autoptr(AccProgram) program = kind->make (1000 + g_test_rand_int_range (0, 1 << 20));
      g_autoptr(GCancellable) cancellable = g_cancellable_new ();
      g_autoptr(GError) error = NULL;
      Later later = { cancellable, g_test_rand_double () * whole, 0 };
      gint64 begin = g_get_monotonic_time (), end;
      GThread *thread = i > 0 ? g_thread_new ("cancel", cancel_later, &later) : NULL;
      gboolean is_done = kind->run (program, cancellable, &error);

      end = g_get_monotonic_time ();
      if (thread != NULL)
        g_thread_join (thread);
      if (is_done)
        whole = kind->most_delay > 0 ? whole : i == 0 ? end - begin : MIN (whole, end - begin);
      else
        {
          gint64 wait = end - later.at;

          g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
          g_array_append_val (waits, wait);
          n_cancelled++;
        }
      g_assert_true (is_done || i > 0);
      assert_is_empty ();
    }

  g_array_sort (waits, compare);
  g_test_message ("%s: %u of %u cancelled, of %.1f ms; heard within %.1f ms (99 of 100: %.1f, half: %.1f)", kind->name, n_cancelled, n,
                  whole / 1e3, n_cancelled > 0 ? g_array_index (waits, gint64, n_cancelled - 1) / 1e3 : 0,
                  n_cancelled > 0 ? g_array_index (waits, gint64, (n_cancelled * 99 - 1) / 100) / 1e3 : 0,
                  n_cancelled > 0 ? g_array_index (waits, gint64, n_cancelled / 2) / 1e3 : 0);
}

/* What is compiled is for nobody then. */
static void
test_exit (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr(GString) text = large_choices (8000);
      g_autoptr(AccProgram) program = large_read (text);
      g_autoptr(AccArray) some = native_use_count (1000);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);
      GCancellable *cancellable = g_cancellable_new ();
      Later later = { cancellable, g_test_rand_int_range (0, 1000000), 0 };
      GThread *thread = g_thread_new ("cancel", cancel_later, &later);
      g_autoptr(GPtrArray) results = acc_executable_run (executable, &some, 1, cancellable, &error);

      g_thread_join (thread);
      remove_tree (folder);
      g_print ("end %" G_GINT64_FORMAT "\n", g_get_monotonic_time ());
      exit (0);
    }

  for (guint i = 0; i < 2; i++)
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
      g_test_trap_assert_passed ();
    }
}

int
main (int    argc,
      char **argv)
{
  int result;

  native_begin (&argc, &argv);
  folder = g_dir_make_tmp ("acc-cancels-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = g_strdup_printf ("/cancels/%s", kinds[i].name);

      g_test_add_data_func (path, &kinds[i], test_cancels);
    }
  g_test_add_func ("/cancels/exit", test_exit);

  result = native_end ();
  remove_tree (folder);
  g_free (folder);

  return result;
}
