/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loops over states larger than the memory limit: the states of memory, after exactly as many steps. */
#include "stream-files.h"

#include <string.h>

#define ROWS    1000
#define COLUMNS 600

/* --- steps */

static AccExpr *
mean (AccExpr *n, gpointer data)
{
  AccExpr *sum = acc_expr_add (acc_expr_add (acc_expr_neighbour2 (n, -1, 0), acc_expr_neighbour2 (n, 1, 0)),
                               acc_expr_add (acc_expr_neighbour2 (n, 0, -1), acc_expr_neighbour2 (n, 0, 1)));

  return acc_expr_mul (sum, acc_expr_new_float (0.25));
}

/* Game of life */
static AccExpr *
live (AccExpr *n, gpointer data)
{
  AccExpr *sum = acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_U8), 0);
  g_autoptr(AccExpr) around = NULL;

  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++)
      if (y != 0 || x != 0)
        sum = acc_expr_add (sum, acc_expr_neighbour2 (n, y, x));
  around = acc_expr_ref_sink (sum);

  return acc_expr_cast (acc_expr_lor (acc_expr_eq (around, acc_expr_new_int (3)),
                                      acc_expr_land (acc_expr_eq (around, acc_expr_new_int (2)),
                                                     acc_expr_ne (acc_expr_neighbour2 (n, 0, 0), acc_expr_new_int (0)))),
                        acc_element_type_new (ACC_KIND_U8));
}

static AccExpr *one_more (AccExpr *x, gpointer data) { return acc_expr_add (x, acc_expr_new_int (1)); }
static AccExpr *is_less (AccExpr *x, gpointer n) { return acc_expr_lt (x, acc_expr_new_int (GPOINTER_TO_INT (n))); }
static AccExpr *is_above (AccExpr *x, gpointer n) { return acc_expr_gt (x, acc_expr_new_float (GPOINTER_TO_INT (n) / 100.)); }

static AccArray *
stencil (AccArray *board)
{
  gboolean is_board = acc_array_get_element_type (board) == acc_element_type_new (ACC_KIND_U8);
  AccExpr *nothing = is_board ? acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_U8), 0) : NULL;
  g_autoptr(AccBoundary) boundary = is_board ? acc_boundary_new_constant (nothing) : acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (board, (gint64[]) { 3, 3 }, 2, boundary, is_board ? live : mean, NULL);
}

static AccArray *
counter_is_less (AccArray **states, guint n, gpointer data)
{
  return acc_array_map (states[1], is_less, data);
}

static GPtrArray *
step_and_count (AccArray **states, guint n, gpointer data)
{
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (next, stencil (states[0]));
  g_ptr_array_add (next, acc_array_map (states[1], one_more, NULL));

  return next;
}

/* @n_steps steps, as a loop of two states */
static guint
count_steps (AccArray *board, gpointer n_steps, AccArray **results)
{
  g_autofree char *signature = g_strdup_printf ("%s[:,:]", acc_element_type_get_code (acc_array_get_element_type (board)));
  const char *signatures[] = { signature, "i8[]", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signatures, counter_is_less, n_steps);
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, step_and_count, NULL);
  g_autoptr(AccArray) zero = acc_array_unit (acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 0));
  g_autoptr(GPtrArray) last = acc_array_while_loop_many ((AccArray *[]) { board, zero }, 2, condition, step);

  results[0] = g_object_ref (g_ptr_array_index (last, 0));
  results[1] = g_object_ref (g_ptr_array_index (last, 1));

  return 2;
}

static GPtrArray *
step_several_and_count (AccArray **states, guint n, gpointer data)
{
  GPtrArray *next = step_and_count (states, n, data);

  for (guint i = 2; i < n; i++)
    g_ptr_array_add (next, stencil (states[i]));

  return next;
}

/* Three boards, each of which is small. */
static guint
count_steps_of_several (AccArray *board, gpointer n_steps, AccArray **results)
{
  static const char *signatures[] = { "f4[:,:]", "i8[]", "f4[:,:]", "f4[:,:]", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signatures, counter_is_less, n_steps);
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, step_several_and_count, NULL);
  g_autoptr(AccArray) zero = acc_array_unit (acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 0));
  g_autoptr(AccArray) other = acc_array_reverse_on (board, 1), third = acc_array_reverse_on (board, 0);
  g_autoptr(GPtrArray) last = acc_array_while_loop_many ((AccArray *[]) { board, zero, other, third }, 4, condition, step);

  for (guint i = 0; i < 4; i++)
    results[i] = g_object_ref (g_ptr_array_index (last, i));

  return 4;
}

static AccArray *
spreads (AccArray **states, guint n, gpointer data)
{
  g_autoptr(AccArray) least = acc_array_minimum_all (states[0]), most = acc_array_maximum_all (states[0]);
  g_autoptr(AccArray) spread = acc_array_sub (most, least);

  return acc_array_map (spread, is_above, data);
}

static AccArray *
step_alone (AccArray **states, guint n, gpointer data)
{
  return stencil (states[0]);
}

static AccExpr *tenfold (AccExpr *x, gpointer data) { return acc_expr_mul (x, acc_expr_new_float (10)); }

/* Until the difference of extremes is small, and something after it. */
static guint
until_flat (AccArray *board, gpointer percent, AccArray **results)
{
  static const char *signatures[] = { "f4[:,:]", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signatures, spreads, percent);
  g_autoptr(AccProgram) step = acc_program_new (signatures, step_alone, NULL);
  g_autoptr(AccArray) last = acc_array_while_loop (board, condition, step);

  results[0] = acc_array_map (last, tenfold, NULL);
  results[1] = acc_array_sum_all (last);

  return 2;
}

static AccArray *
turn_and_step (AccArray **states, guint n, gpointer data)
{
  g_autoptr(AccArray) turned = acc_array_reverse_on (states[0], 0);

  return stencil (turned);
}

/* A step that reads rows in another order. */
static guint
until_flat_turned (AccArray *board, gpointer percent, AccArray **results)
{
  static const char *signatures[] = { "f4[:,:]", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signatures, spreads, percent);
  g_autoptr(AccProgram) step = acc_program_new (signatures, turn_and_step, NULL);

  results[0] = acc_array_while_loop (board, condition, step);

  return 1;
}

/* --- what is checked */

static AccArray *
make_rows (const char *code, gint64 rows, guint32 seed)
{
  AccElementType *type = acc_element_type_parse (code, NULL);
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, COLUMNS);
  gsize width = acc_element_type_get_size (type);
  gsize n = (gsize) rows * COLUMNS;
  g_autofree guint8 *data = g_malloc0 (n * width);
  g_autoptr(GBytes) bytes = NULL;

  for (gsize i = 0; i < n; i++)
    if (width == 4)
      ((float *) data)[i] = (float) g_rand_double (rand);
    else
      data[i] = (guint8) g_rand_int_range (rand, 0, 2);
  bytes = g_bytes_new_take (g_steal_pointer (&data), n * width);

  return acc_array_use (type, shape, bytes);
}

static AccArray *
make (const char *code, guint32 seed)
{
  return make_rows (code, ROWS, seed);
}

/* From a source, within an eighth of the board; compares with memory. Returns how often the source was read. */
static int
check (TestPair *f, AccArray *array, TestBuildFunc build, gpointer data)
{
  guint64 bytes = ROWS * COLUMNS * acc_element_type_get_size (acc_array_get_element_type (array));
  g_autoptr(GPtrArray) sinks = g_ptr_array_new_with_free_func (g_object_unref), expected = NULL;
  int n_reads;

  expected = test_pair_write (f, array, MAX (bytes / 8, 200000), build, data, sinks, &n_reads);
  for (guint i = 0; i < expected->len; i++)
    {
      AccArray *wanted = g_ptr_array_index (expected, i);
      TestSink *sink = g_ptr_array_index (sinks, i);

      test_sink_assert_ended (sink, TRUE);
      /* Sums of floats depend on where rows are cut. */
      if (i == 0 || acc_array_get_element_type (wanted) != acc_element_type_new (ACC_KIND_F32))
        test_sink_assert_same (sink, wanted);
    }

  return n_reads;
}

/* None, one, a part of a walk, several walks and a part: the source is read for the first walk alone. */
static void
test_known (TestPair *f, gconstpointer name)
{
  static const int steps[] = { 0, 1, 3, 16, 37 };
  g_autoptr(AccArray) heat = make ("f4", 1), board = make ("u1", 2);

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_assert_cmpint (check (f, heat, count_steps, GINT_TO_POINTER (steps[i])), ==, 1);
      g_assert_cmpint (check (f, board, count_steps, GINT_TO_POINTER (steps[i])), ==, 1);
    }
}

/* States of which none is large, and together they do not fit: within limits from where the loop is refused to where it fits whole. */
static void
test_small (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) heat = make_rows ("f4", 25, 3), from_source = NULL, wanted = NULL;
  g_autoptr(TestSource) source = test_source_new_for_array (heat);
  g_autoptr(GError) error = NULL;
  AccArray *results[2][4];
  guint n_done = 0, n_refused = 0;

  from_source = acc_array_new_from_source (ACC_SOURCE (source));
  count_steps_of_several (heat, GINT_TO_POINTER (21), results[0]);
  count_steps_of_several (from_source, GINT_TO_POINTER (21), results[1]);
  wanted = acc_backend_run (f->roomy, results[0][0], NULL, &error);
  g_assert_no_error (error);
  for (guint64 limit = 120000; limit < 600000; limit += 20000)
    {
      g_autoptr(TestSink) sink = test_sink_new ();
      g_autoptr(GError) failed = NULL;

      if (test_write_within (f->backend, results[1][0], sink, limit, &failed))
        test_sink_assert_same (sink, wanted);
      else
        g_assert_error (failed, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      n_done += failed == NULL;
      n_refused += failed != NULL;
    }
  g_assert_cmpuint (MIN (n_done, n_refused), >, 0);
  for (guint i = 0; i < 8; i++)
    g_object_unref (results[i / 4][i % 4]);
}

static void
test_unknown (TestPair *f, gconstpointer name)
{
  static const int percents[] = { 200, 60, 30 };
  g_autoptr(AccArray) heat = make ("f4", 1);

  for (guint i = 0; i < G_N_ELEMENTS (percents); i++)
    check (f, heat, until_flat, GINT_TO_POINTER (percents[i]));
}

static void
test_turned (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) heat = make ("f4", 1);

  check (f, heat, until_flat_turned, GINT_TO_POINTER (60));
}

static void
test_plan (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) heat = make ("f4", 1), from_source = NULL;
  g_autoptr(TestSource) source = test_source_new_for_array (heat);
  AccArray *results[2] = { NULL, }, *others[2] = { NULL, };
  g_autoptr(AccPlan) plan = NULL, other = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL, *other_text = NULL;

  from_source = acc_array_new_from_source (ACC_SOURCE (source));
  count_steps (from_source, GINT_TO_POINTER (100), results);
  until_flat (from_source, GINT_TO_POINTER (60), others);
  acc_backend_set_memory_limit (f->backend, f->before + 600000);
  plan = acc_backend_plan (f->backend, results[0], NULL, 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "16 steps a walk"));
  other = acc_backend_plan (f->backend, others[0], NULL, 0, &error);
  g_assert_no_error (error);
  other_text = acc_plan_to_string (other);
  g_assert_nonnull (strstr (other_text, "one step a walk"));
  for (guint i = 0; i < 2; i++)
    {
      g_object_unref (results[i]);
      g_object_unref (others[i]);
    }
}

static void
test_cancelled (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) heat = make ("f4", 1), from_source = NULL;
  g_autoptr(TestSource) source = test_source_new_for_array (heat);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(TestSink) sink = test_sink_new ();
  AccArray *results[2] = { NULL, };
  g_autoptr(GError) error = NULL;

  from_source = acc_array_new_from_source (ACC_SOURCE (source));
  count_steps (from_source, GINT_TO_POINTER (100), results);
  source->cancels = cancellable;
  source->cancel_row = 600;
  acc_backend_set_memory_limit (f->backend, f->before + 600000);
  g_assert_false (acc_backend_write (f->backend, results[0], ACC_SINK (sink), cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (sink->n_committed, ==, 0);
  source->cancels = NULL;
  g_object_unref (results[0]);
  g_object_unref (results[1]);
}

static const TestPairCase cases[] = {
  { "known", test_known }, { "small", test_small }, { "unknown", test_unknown }, { "turned", test_turned }, { "plan", test_plan },
  { "cancelled", test_cancelled }, };

static void
add_tests (const char *name, AccBackend *backend)
{
  test_pair_add ("loops", name, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native", add_tests);

  return g_test_run ();
}
