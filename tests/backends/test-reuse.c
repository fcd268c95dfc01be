/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Graphs that are built anew for each run, and differ only in what their arrays hold: the third of a kind is planned no more, and comes to
 * what it would by itself. */

#include "tests/nested/nested-backends.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-seq/stream/acc-graph-cache-private.h"
#include "acc-seq/stream/acc-stages-private.h"

#include <string.h>

#define N 1000

static gboolean
is_reused (void)
{
  return (acc_disable_get_flags () & ACC_DISABLE_REUSE) == 0;
}

static guint64
count_hits (void)
{
  return acc_graph_cache_count_hits (acc_graph_cache_of (backend));
}

static AccArray *
use_floats (gint64 n,
            guint  seed)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  float *values = g_new (float, n + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < n; i++)
    values[i] = (float) ((i * 7 + seed * 13) % 101) / 8;
  bytes = g_bytes_new_take (values, n * sizeof (float));

  return acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
}

static AccArray *
use_ints (gint64 n,
          guint  seed)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  gint64 *values = g_new (gint64, n + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < n; i++)
    values[i] = (i * 5 + seed * 11) % 17;
  bytes = g_bytes_new_take (values, n * sizeof (gint64));

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static AccExpr *
square (AccExpr *x,
        gpointer unused)
{
  return acc_expr_mul (x, x);
}

static AccExpr *
sub (AccExpr *x,
     AccExpr *y,
     gpointer unused)
{
  return acc_expr_sub (x, y);
}

static AccExpr *
add (AccExpr *x,
     AccExpr *y,
     gpointer unused)
{
  return acc_expr_add (x, y);
}

/* Compares with the interpreter, and takes over @array. Sums are of few bits, so that they do not round. */
static void
check_run (AccArray *array)
{
  g_autoptr(AccArray) owned = array;
  g_autoptr(AccArray) given = run (backend, array), wanted = run (judge, array);
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) a = acc_array_dup_bytes (given, 0, &error), b = acc_array_dup_bytes (wanted, 0, &error);

  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (a, NULL), g_bytes_get_size (a), g_bytes_get_data (b, NULL), g_bytes_get_size (b));
}

/* Of both, and of one that comes twice. */
static AccArray *
combine (AccArray   *x,
         AccArray   *y,
         const char *label)
{
  g_autoptr(AccArray) squares = acc_array_map (x, square, NULL);
  g_autoptr(AccArray) differences = acc_array_zip_with (squares, y, sub, NULL);
  g_autoptr(AccArray) all = acc_array_zip_with (differences, x, sub, NULL);

  acc_array_set_label (differences, label);

  return acc_array_scanl1 (all, add, NULL);
}

static AccArray *
combine_new (guint       seed,
             gint64      n,
             const char *label)
{
  g_autoptr(AccArray) x = use_floats (n, seed), y = use_floats (n, seed + 5);

  return combine (x, y, label);
}

static void
test_same (void)
{
  guint64 before = count_hits ();

  for (guint i = 0; i < 5; i++)
    check_run (combine_new (i, N, NULL));
  if (is_reused ())
    g_assert_cmpuint (count_hits (), ==, before + 3);
}

/* What an operation of its own reads need not be what is left of its composition, part of which was computed before, as stages do. */
static void
test_direct (void)
{
  guint64 before = count_hits ();

  for (guint i = 0; i < 8; i++)
    {
      g_autoptr(AccArray) elements = use_floats (N, i), lengths = use_ints (N / 16, i), scan = NULL;
      g_autoptr(GHashTable) values = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
      g_autoptr(GPtrArray) others = g_ptr_array_new_with_free_func (g_object_unref);
      g_autoptr(GError) error = NULL;
      AccArray *flagged;

      scan = acc_array_scanl1_seg (elements, lengths, add, NULL);
      g_assert_nonnull (scan->direct);
      flagged = scan->inputs[0]->inputs[0];
      g_hash_table_insert (values, flagged, run (backend, flagged));
      /* Else its extents are read from lengths. */
      if (i % 2 == 1)
        g_hash_table_insert (values, scan->direct->inputs[0], run (backend, scan->direct->inputs[0]));
      g_ptr_array_add (others, g_object_ref (scan));
      g_assert_true (acc_stages_replace (values, others, &error));
      check_run (g_object_ref (g_ptr_array_index (others, 0)));
    }
  if (is_reused ())
    g_assert_cmpuint (count_hits (), >, before);
}

/* All that decides a plan tells graphs apart. */
static void
test_others (void)
{
  guint64 before;
  g_autoptr(AccArray) x = use_floats (N, 1), y = use_floats (N, 2);

  for (guint i = 0; i < 2; i++)
    check_run (combine_new (i, N, NULL));
  before = count_hits ();
  check_run (combine_new (1, N + 1, NULL));
  check_run (combine_new (1, 0, NULL));
  check_run (combine_new (1, N, "labelled"));
  check_run (combine (x, x, NULL));
  check_run (acc_array_scanl1 (x, add, NULL));
  check_run (acc_array_scanl1 (y, add, NULL));
  g_assert_cmpuint (count_hits (), ==, before);
  check_run (combine (y, x, NULL));
  if (is_reused ())
    g_assert_cmpuint (count_hits (), ==, before + 1);
}

/* --- what is read of data while planning */

static AccExpr *
is_odd (AccExpr *x,
        gpointer unused)
{
  return acc_expr_eq (acc_expr_band (x, acc_expr_new_int (1)), acc_expr_new_int (1));
}

static AccExpr *
halve (AccExpr *x,
       gpointer unused)
{
  return acc_expr_quot (x, acc_expr_new_int (2));
}

static AccExpr *
is_above (AccExpr *x,
          gpointer limit)
{
  return acc_expr_gt (x, acc_expr_linear_index (limit, acc_expr_new_int (0)));
}

/* As many as the data has of them. */
static void
test_filters (void)
{
  for (guint i = 0; i < 6; i++)
    {
      g_autoptr(AccArray) x = use_ints (N, i);
      g_autoptr(AccArray) odd = acc_array_filter (x, is_odd, NULL, NULL);
      g_autoptr(AccArray) sum = acc_array_sum (odd);

      check_run (acc_array_map (odd, halve, NULL));
      check_run (g_steal_pointer (&sum));
    }
}

static AccArray *
loop_condition (AccArray **state,
                guint      n_arrays,
                gpointer   limit)
{
  g_autoptr(AccArray) most = acc_array_maximum (state[0]);

  return acc_array_map (most, is_above, limit);
}

static AccArray *
loop_step (AccArray **state,
           guint      n_arrays,
           gpointer   unused)
{
  return acc_array_map (state[0], halve, NULL);
}

/* Rounds that the data decides, and a body that reads an array around it. */
static void
test_loops (void)
{
  guint64 before = count_hits ();

  for (guint i = 0; i < 6; i++)
    {
      g_autoptr(AccArray) x = use_ints (N, i), limit = use_ints (1, i);
      const char *signatures[] = { "i8[:]", NULL };
      g_autoptr(AccProgram) condition = acc_program_new (signatures, loop_condition, limit);
      g_autoptr(AccProgram) step = acc_program_new (signatures, loop_step, NULL);

      check_run (acc_array_while_loop (x, condition, step));
    }
  if (is_reused ())
    g_assert_cmpuint (count_hits (), ==, before + 4);
}

/* --- literals */

typedef struct {
  double number;
  gint64 integer;
} Numbers;

static AccExpr *
scale (AccExpr *x,
       gpointer data)
{
  const Numbers *numbers = data;
  AccExpr *scaled = acc_expr_add (acc_expr_mul (x, acc_expr_new_float (numbers->number)), acc_expr_new_float (0.5));

  return acc_expr_cond (acc_expr_gt (scaled, acc_expr_new_float (numbers->number * 8)), acc_expr_new_float (numbers->number), scaled);
}

static AccExpr *
shift (AccExpr *x,
       gpointer data)
{
  const Numbers *numbers = data;

  return acc_expr_add (x, acc_expr_new_int (numbers->integer));
}

static AccArray *
scale_all (AccArray **arrays,
           guint      n_arrays,
           gpointer   data)
{
  g_autoptr(AccArray) scaled = acc_array_map (arrays[0], scale, data);

  return acc_array_map (scaled, square, NULL);
}

/* Those that differ become parameters: graphs of other ones share an executable. */
static void
test_literals (void)
{
  guint64 before = count_hits ();

  for (guint i = 0; i < 8; i++)
    {
      Numbers numbers = { 1 + i / 4.0, (gint64) i * 3 };
      g_autoptr(AccArray) x = use_floats (N, i), k = use_ints (N, i);

      check_run (acc_array_map (x, scale, &numbers));
      check_run (acc_array_map (k, shift, &numbers));
    }
  if (is_reused ())
    g_assert_cmpuint (count_hits (), ==, before + 5);
}

static AccExpr *
shrink (AccExpr *x,
        gpointer data)
{
  const Numbers *numbers = data;

  return acc_expr_sub (x, acc_expr_new_float (numbers->number));
}

static AccArray *
shrink_all (AccArray **state,
            guint      n_arrays,
            gpointer   data)
{
  return acc_array_map (state[0], shrink, data);
}

/* In the body of a loop, and in a program that is applied. */
static void
test_literals_within (void)
{
  const char *signatures[] = { "f4[:]", NULL };
  guint64 before = count_hits ();

  for (guint i = 0; i < 8; i++)
    {
      Numbers numbers = { 1 + i / 4.0, 0 };
      g_autoptr(AccArray) x = use_floats (N, i), limit = use_floats (1, i);
      g_autoptr(AccProgram) condition = acc_program_new (signatures, loop_condition, limit);
      g_autoptr(AccProgram) step = acc_program_new (signatures, shrink_all, &numbers);
      g_autoptr(AccProgram) program = acc_program_new (signatures, scale_all, &numbers);
      g_autoptr(GPtrArray) applied = acc_program_apply (program, &x, 1, NULL);

      check_run (acc_array_while_loop (x, condition, step));
      check_run (g_object_ref (g_ptr_array_index (applied, 0)));
    }
  if (is_reused ())
    g_assert_cmpuint (count_hits (), ==, before + 10);
}

/* --- failures */

static AccExpr *
read_at (AccExpr *i,
         gpointer array)
{
  return acc_expr_linear_index (array, i);
}

static void
test_failures (void)
{
  static const char *labels[] = { "first", "first", "first", "second", "second", "second" };

  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    for (gint64 n = 17; n >= 16; n--)
      {
        g_autoptr(AccArray) numbers = use_ints (N, i), table = use_floats (n, i);
        g_autoptr(AccArray) read = acc_array_map (numbers, read_at, table);
        g_autoptr(AccArray) result = NULL;
        g_autoptr(GError) error = NULL;

        acc_array_set_label (read, labels[i]);
        result = acc_backend_run (backend, read, NULL, &error);
        if (n == 17)
          {
            g_assert_no_error (error);
            continue;
          }
        g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
        g_assert_nonnull (strstr (error->message, labels[i]));
      }
}

static void
test_cancelled (void)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();

  g_cancellable_cancel (cancellable);
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr(AccArray) array = combine_new (i, N + 2, NULL);
      g_autoptr(GError) error = NULL;

      g_autoptr(AccArray) result = acc_backend_run (backend, array, i % 2 == 0 ? NULL : cancellable, &error);

      g_assert_true ((result == NULL) == (i % 2 == 1));
      if (i % 2 == 1)
        g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    }
}

/* --- memory */

static void
forget (gpointer  gone,
        GObject  *where)
{
  ++*(guint *) gone;
}

static AccExpr *
first_of (AccExpr *i,
          gpointer arrays)
{
  AccArray **both = arrays;

  /* The second is dropped, but was part of what the function was made of. */
  return acc_expr_item (acc_expr_tuple2 (acc_expr_linear_index (both[0], i), acc_expr_linear_index (both[1], i)), 0);
}

static void
test_keeps_nothing (void)
{
  guint64 used = acc_backend_get_memory_used (backend);
  guint gone = 0;

  for (guint i = 0; i < 4; i++)
    {
      AccArray *both[] = { use_floats (N, i), use_floats (N, i + 1) };
      g_autoptr(AccShape) shape = acc_shape_new_vector (N);
      g_autoptr(AccArray) array = acc_array_generate (shape, first_of, both);

      g_object_weak_ref (G_OBJECT (both[0]), forget, &gone);
      g_object_weak_ref (G_OBJECT (both[1]), forget, &gone);
      g_object_weak_ref (G_OBJECT (array), forget, &gone);
      check_run (g_steal_pointer (&array));
      g_object_unref (both[0]);
      g_object_unref (both[1]);
      g_assert_cmpuint (gone, ==, 3 * (i + 1));
    }
  for (guint i = 0; i < 4; i++)
    {
      AccArray *numbers = use_ints (N, i);
      AccArray *odd = acc_array_filter (numbers, is_odd, NULL, NULL);

      g_object_weak_ref (G_OBJECT (numbers), forget, &gone);
      check_run (odd);
      g_object_unref (numbers);
      g_assert_cmpuint (gone, ==, 12 + i + 1);
    }
  g_assert_cmpuint (acc_backend_get_memory_used (backend), ==, used);
}

/* More kinds than are kept. Each is a kernel of its own for the compilers of some devices, which take long. */
static void
test_many (void)
{
  if (strcmp (acc_backend_get_name (backend), "native") != 0)
    {
      g_test_skip ("of the processor");
      return;
    }

  for (guint round = 0; round < 3; round++)
    for (gint64 n = 1; n <= 200; n++)
      {
        g_autoptr(AccArray) x = use_floats (n, round);

        check_run (acc_array_map (x, square, NULL));
      }
}

static void
test_backend_goes (void)
{
  g_autoptr(GError) error = NULL;
  AccBackend *own = acc_backend_new_for_name (acc_backend_get_name (backend), &error);

  g_assert_no_error (error);
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr(AccArray) array = combine_new (i, N, NULL);
      g_autoptr(AccArray) result = run (own, array);
    }
  g_object_add_weak_pointer (G_OBJECT (own), (gpointer *) &own);
  g_object_unref (own);
  g_assert_null (own);
}

static gpointer
run_some (gpointer seed)
{
  for (guint i = 0; i < 60; i++)
    check_run (combine_new (i + GPOINTER_TO_UINT (seed), N + 3 + i % 3, NULL));

  return NULL;
}

static void
test_threads (void)
{
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new (NULL, run_some, GUINT_TO_POINTER (i));
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  g_test_add_func ("/reuse/same", test_same);
  g_test_add_func ("/reuse/direct", test_direct);
  g_test_add_func ("/reuse/others", test_others);
  g_test_add_func ("/reuse/filters", test_filters);
  g_test_add_func ("/reuse/loops", test_loops);
  g_test_add_func ("/reuse/literals", test_literals);
  g_test_add_func ("/reuse/literals-within", test_literals_within);
  g_test_add_func ("/reuse/failures", test_failures);
  g_test_add_func ("/reuse/cancelled", test_cancelled);
  g_test_add_func ("/reuse/keeps-nothing", test_keeps_nothing);
  g_test_add_func ("/reuse/many", test_many);
  g_test_add_func ("/reuse/backend-goes", test_backend_goes);
  g_test_add_func ("/reuse/threads", test_threads);

  return run_tests ();
}
