/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Foreign operations over what does not fit in memory: functions of the backend get stores, and fall-backs run by stages of their own. */
#include "stream-files.h"
#include "stream-flow.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-foreign.h"

#include <string.h>

#define ROWS    900
#define COLUMNS 200
/* A sixth of an input. */
#define LIMIT   120000

static const gint64 extents[] = { ROWS, COLUMNS };

/* What it computes: columns from the last to the first, and a table beside. */
static AccArray *
fall_back (AccArray **inputs, guint n, gpointer data)
{
  g_autoptr(AccArray) turned = acc_array_reverse_on (inputs[0], 0);

  return acc_array_zip_with (turned, inputs[1], flow_mix, NULL);
}

typedef struct {
  guint    n_calls;
  gboolean fails, is_short;
} Calls;

static AccArray *
compute (AccArray **inputs, guint n, gpointer data, GError **error)
{
  Calls *calls = data;
  const gint32 *a = (const gint32 *) (guintptr) acc_array_get_address (inputs[0], 0);
  const gint32 *b = (const gint32 *) (guintptr) acc_array_get_address (inputs[1], 0);
  g_autoptr(AccElementType) type = acc_element_type_new (ACC_KIND_I32);
  gint64 n_rows = calls->is_short ? ROWS - 1 : ROWS;
  g_autoptr(AccShape) shape = acc_shape_new_matrix (n_rows, COLUMNS);
  g_autoptr(GBytes) bytes = NULL;
  gint32 *result;

  g_assert_true (a != NULL && b != NULL);
  calls->n_calls++;
  if (calls->fails)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "out of paper");
      return NULL;
    }
  result = g_new (gint32, ROWS * COLUMNS);
  for (gint64 r = 0; r < ROWS; r++)
    for (gint64 c = 0; c < COLUMNS; c++)
      result[r * COLUMNS + c] = a[(ROWS - 1 - r) * COLUMNS + c] - b[r * COLUMNS + c];
  bytes = g_bytes_new_take (result, sizeof (gint32) * ROWS * COLUMNS);

  return acc_array_use (type, shape, bytes);
}

static AccExpr *minus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_sub (x, y); }

static AccArray *
compute_by_graph (AccArray **inputs, guint n, gpointer data)
{
  g_autoptr(AccArray) turned = acc_array_reverse_on (inputs[0], 0);

  return acc_array_zip_with (turned, inputs[1], minus, NULL);
}

typedef struct {
  AccProgram *fallback;
  gboolean    maps;       /* an input that is computed, too */
} Build;

static guint
build (AccArray *array, gpointer data, AccArray **results)
{
  const Build *how = data;
  g_autoptr(AccArray) other = acc_array_map (array, flow_affine, NULL), called = NULL;

  called = acc_array_foreign ("test-turn-columns", (AccArray *[]) { array, how->maps ? other : array }, 2, how->fallback);
  acc_array_set_label (called, "turn");
  results[0] = acc_array_map (called, flow_affine, NULL);
  results[1] = acc_array_sum (called);

  return 2;
}

static void
check (TestPair *f, AccArrayFunc fallback)
{
  const char *signature[] = { "i4[:,:]", "i4[:,:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new (signature, fallback, NULL);
  g_autoptr(AccArray) memory = test_pair_new_array (f, extents, 2);

  for (int maps = 0; maps < 2; maps++)
    {
      g_autoptr(GPtrArray) sinks = g_ptr_array_new_with_free_func (g_object_unref), expected = NULL;

      expected = test_pair_write (f, memory, LIMIT, build, &(Build) { program, maps }, sinks, NULL);
      for (guint i = 0; i < sinks->len; i++)
        test_sink_assert_same (g_ptr_array_index (sinks, i), g_ptr_array_index (expected, i));
    }
}

static void
test_fallback (TestPair *f, gconstpointer name)
{
  check (f, fall_back);
}

/* The one without a limit has no function: what the function computes is what is expected. */
static void
test_function (TestPair *f, gconstpointer name)
{
  Calls calls = { 0, };

  acc_backend_set_foreign (f->backend, "test-turn-columns", compute, &calls, NULL);
  check (f, compute_by_graph);
  g_assert_cmpuint (calls.n_calls, >=, 2);
}

static void
test_failure (TestPair *f, gconstpointer name)
{
  const char *signature[] = { "i4[:,:]", "i4[:,:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new (signature, compute_by_graph, NULL);

  for (guint i = 0; i < 2; i++)
    {
      Calls calls = { 0, i == 0, i == 1 };
      g_autoptr(TestSource) source = test_source_new ("i4", extents, 2, 3);
      g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
      AccArray *results[2];
      g_autoptr(TestSink) sink = test_sink_new ();
      g_autoptr(GError) error = NULL;

      acc_backend_set_foreign (f->backend, "test-turn-columns", compute, &calls, NULL);
      build (array, &(Build) { program, TRUE }, results);
      g_assert_false (test_write_within (f->backend, results[0], sink, LIMIT, &error));
      g_test_message ("%s", error->message);
      if (i == 0)
        g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
      else
        g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
      g_assert_nonnull (strstr (error->message, "turn"));
      g_assert_cmpuint (calls.n_calls, ==, 1);
      test_sink_assert_ended (sink, FALSE);
      g_assert_cmpuint (acc_backend_get_temporary_used (f->backend), ==, 0);
      g_object_unref (results[0]);
      g_object_unref (results[1]);
      acc_backend_set_foreign (f->backend, "test-turn-columns", NULL, NULL, NULL);
    }
}

/* With a function and without; LIMIT is less than the inputs take. */
static void
test_plan (TestPair *f, gconstpointer name)
{
  const char *signature[] = { "i4[:,:]", "i4[:,:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new (signature, fall_back, NULL);
  static const char *const ways[] = { "what it falls back to takes its place", "its inputs are stored in temporary files" };
  Calls calls = { 0, };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autoptr(TestSource) source = test_source_new ("i4", extents, 2, 3);
      g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
      AccArray *results[2];
      g_autoptr(AccPlan) plan = NULL;
      g_autofree char *text = NULL;
      g_autoptr(GError) error = NULL;

      if (i == 1)
        acc_backend_set_foreign (f->backend, "test-turn-columns", compute, &calls, NULL);
      build (array, &(Build) { program, TRUE }, results);
      acc_backend_set_memory_limit (f->backend, f->before + LIMIT);
      plan = acc_backend_plan (f->backend, results[0], NULL, 0, &error);
      g_object_unref (results[0]);
      g_object_unref (results[1]);
      g_assert_no_error (error);
      text = acc_plan_to_string (plan);
      g_test_message ("%s", text);
      g_assert_nonnull (strstr (text, ways[i]));
    }
  g_assert_cmpuint (calls.n_calls, ==, 0);
  acc_backend_set_foreign (f->backend, "test-turn-columns", NULL, NULL, NULL);
}

static const TestPairCase cases[] = {
  { "fallback", test_fallback }, { "function", test_function }, { "failure", test_failure }, { "plan", test_plan },
};

static void
add_tests (const char *name, AccBackend *backend)
{
  test_pair_add ("foreign", name, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native", add_tests);

  return g_test_run ();
}
