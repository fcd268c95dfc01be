/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streams of scripted programs: what the executor and the planner promise, for any steps. */
#include "fake-backend.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

#include <string.h>

static void
assert_rows (Script *script, guint value, const gint32 *data, gsize size)
{
  g_autofree gint32 *expected = script_compute (script, value);
  gsize n = (gsize) (script->values[value].n_rows * script->values[value].row_elements);

  if (script->values[value].kind == ACC_ROW_VALUE_REDUCED)
    n = 1;

  g_assert_cmpuint (size, ==, n * 4);
  for (gsize i = 0; i < n; i++)
    if (data[i] != expected[i])
      g_error ("element %" G_GSIZE_FORMAT " of value %u is %d, not %d", i, value, data[i], expected[i]);
}

static void
assert_idle (AccBackend *backend, Script *script)
{
  g_assert_cmpuint (acc_backend_get_memory_used (backend), ==, 0);

  for (guint i = 0; i < script->n_values; i++)
    if (script->values[i].source != NULL)
      g_assert_cmpint (script->values[i].source->n_started, ==, script->values[i].source->n_finished);
}

static guint
find_result (Script *script, guint result)
{
  for (guint i = 0; i < script->n_values; i++)
    if (script->values[i].result == (int) result)
      return i;

  g_assert_not_reached ();
}

static void
check_write (Script *script, gint64 chunk_rows)
{
  g_autoptr(FakeBackend) backend = fake_backend_new (script);
  g_autoptr(AccArray) array = script_dup_result (script, 0);
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;
  guint value = find_result (script, 0);

  acc_evaluate_write_with_chunk_rows (ACC_BACKEND (backend), array, ACC_SINK (sink), chunk_rows, NULL, NULL, &error);
  g_assert_no_error (error);
  test_sink_assert_ended (sink, TRUE);
  assert_rows (script, value, (const gint32 *) sink->buffers[0]->data, sink->buffers[0]->len);
  assert_idle (ACC_BACKEND (backend), script);
}

static void
check_run (Script *script, gint64 chunk_rows)
{
  g_autoptr(FakeBackend) backend = fake_backend_new (script);
  g_autoptr(GPtrArray) arrays = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) results = NULL;
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < script->n_results; i++)
    g_ptr_array_add (arrays, script_dup_result (script, i));

  results = acc_evaluate_with_chunk_rows (ACC_BACKEND (backend), (AccArray **) arrays->pdata, arrays->len, chunk_rows, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (results->len, ==, script->n_results);
  g_assert_cmpuint (fake_backend_get_n_whole (backend), ==, 0);

  for (guint i = 0; i < results->len; i++)
    {
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (g_ptr_array_index (results, i), 0, &error);
      gsize size;
      const gint32 *data = g_bytes_get_data (bytes, &size);

      assert_rows (script, find_result (script, i), data, size);
    }

  g_clear_pointer (&results, g_ptr_array_unref);
  assert_idle (ACC_BACKEND (backend), script);
}

static const gint64 heights[] = { 1, 2, 7, 13, 1000, 0 };

static void
check_all (Script *script)
{
  for (guint i = 0; i < G_N_ELEMENTS (heights); i++)
    {
      check_write (script, heights[i]);
      check_run (script, heights[i]);
    }
}

static void
test_chain (void)
{
  static const gint64 rows[] = { 0, 1, 2, 3, 5, 50 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      Script script;
      guint value;

      script_init (&script);
      value = script_add_source (&script, rows[i], 9, 1);
      value = script_add_stage (&script, value, 2, 2);
      value = script_add_stage (&script, value, 0, 0);
      value = script_add_stage (&script, value, 1, 3);
      value = script_add_stage (&script, value, 4, 0);
      script_make_result (&script, value);
      check_all (&script);
      script_clear (&script);
    }
}

static void
test_columns (void)
{
  static const gint64 columns[] = { 0, 1, 17 };

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      Script script;

      script_init (&script);
      script_make_result (&script, script_add_stage (&script, script_add_source (&script, 20, columns[i], 1), 1, 1));
      check_all (&script);
      script_clear (&script);
    }
}

static void
test_identity (void)
{
  Script script;

  script_init (&script);
  script_make_result (&script, script_add_source (&script, 40, 5, 3));
  check_all (&script);
  script_clear (&script);
}

static void
test_fan (void)
{
  Script script;
  ScriptStep *step;
  guint source, left, right, joined;

  script_init (&script);
  source = script_add_source (&script, 60, 6, 2);
  left = script_add_stage (&script, source, 3, 5);
  right = script_add_stage (&script, script_add_stage (&script, source, 1, 0), 0, 1);
  step = script_add_step (&script, FALSE, 60);
  script_read (step, left, 0, 0);
  script_read (step, right, 2, 2);
  script_read (step, source, 1, 1);
  joined = script_add_value (&script, ACC_ROW_VALUE_ROWS, 60, 6);
  step->writes[step->n_writes++] = joined;
  script_make_result (&script, joined);
  check_all (&script);

  /* A result that others read as well. */
  script_make_result (&script, left);
  for (guint i = 0; i < G_N_ELEMENTS (heights); i++)
    check_run (&script, heights[i]);
  script.values[joined].result = -1;
  script.values[left].result = 0;
  script.n_results = 1;
  check_all (&script);
  script_clear (&script);
}

static void
test_several_sources (void)
{
  Script script;
  ScriptStep *step;
  guint a, b, value;

  script_init (&script);
  a = script_add_source (&script, 30, 4, 1);
  b = script_add_source (&script, 45, 4, 2);
  step = script_add_step (&script, FALSE, 30);
  script_read (step, a, 1, 1);
  script_read (step, b, 0, 7);
  value = script_add_value (&script, ACC_ROW_VALUE_ROWS, 30, 4);
  step->writes[step->n_writes++] = value;
  script_make_result (&script, value);
  check_all (&script);
  script_clear (&script);
}

/* One source, two nodes: read once. */
static void
test_shared_source (void)
{
  Script script;
  ScriptStep *step;
  guint a, b, value;

  script_init (&script);
  a = script_add_source (&script, 33, 4, 1);
  b = script_add_value (&script, ACC_ROW_VALUE_SOURCE, 33, 4);
  script.values[b].source = g_object_ref (script.values[a].source);
  step = script_add_step (&script, FALSE, 33);
  script_read (step, a, 0, 2);
  script_read (step, b, 5, 0);
  value = script_add_value (&script, ACC_ROW_VALUE_ROWS, 33, 4);
  step->writes[step->n_writes++] = value;
  script_make_result (&script, value);
  check_all (&script);
  g_assert_cmpint (script.values[a].source->n_started, ==, 2 * G_N_ELEMENTS (heights));
  script_clear (&script);
}

static void
test_reduction (void)
{
  static const gint64 rows[] = { 0, 1, 40 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      Script script;
      ScriptStep *step;
      guint value, reduced;

      script_init (&script);
      value = script_add_stage (&script, script_add_source (&script, rows[i], 5, 4), 1, 1);
      step = script_add_step (&script, TRUE, rows[i]);
      script_read (step, value, 0, 0);
      reduced = script_add_value (&script, ACC_ROW_VALUE_REDUCED, 1, 1);
      step->writes[step->n_writes++] = reduced;
      script_make_result (&script, reduced);
      check_all (&script);

      script_make_result (&script, value);
      for (guint j = 0; j < G_N_ELEMENTS (heights); j++)
        check_run (&script, heights[j]);
      script_clear (&script);
    }
}

/* A step that needs the result of a reduction of the rows that it reads itself: these are kept. */
static void
test_second_pass (void)
{
  Script script;
  ScriptStep *step;
  guint source, reduced, value;

  script_init (&script);
  source = script_add_source (&script, 40, 5, 4);
  step = script_add_step (&script, TRUE, 40);
  script_read (step, source, 0, 0);
  reduced = script_add_value (&script, ACC_ROW_VALUE_REDUCED, 1, 1);
  step->writes[step->n_writes++] = reduced;
  step = script_add_step (&script, FALSE, 40);
  script_read (step, source, 1, 1);
  script_read (step, reduced, 0, 0);
  value = script_add_value (&script, ACC_ROW_VALUE_ROWS, 40, 5);
  step->writes[step->n_writes++] = value;
  script_make_result (&script, script_add_stage (&script, value, 2, 2));
  check_all (&script);
  script_clear (&script);
}

static void
test_without_source (void)
{
  Script script;
  ScriptStep *step;
  guint value;

  script_init (&script);
  step = script_add_step (&script, FALSE, 100);
  value = script_add_value (&script, ACC_ROW_VALUE_ROWS, 100, 8);
  step->writes[step->n_writes++] = value;
  value = script_add_stage (&script, value, 2, 2);
  value = script_add_stage (&script, value, 1, 1);
  script_make_result (&script, value);

  for (guint i = 0; i + 1 < G_N_ELEMENTS (heights); i++)
    {
      check_write (&script, heights[i]);
      check_run (&script, heights[i]);
    }
  check_write (&script, 0);
  script_clear (&script);
}

/* Where rows are refused, arrays without sources are computed whole. */
static void
test_whole (void)
{
  g_autoptr(FakeBackend) backend = NULL;
  g_autoptr(AccArray) array = NULL;
  g_autoptr(AccArray) result = NULL;
  g_autoptr(AccPlan) plan = NULL;
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;
  ScriptStep *step;
  Script script;
  guint value;

  script_init (&script);
  script.refuses_rows = TRUE;
  step = script_add_step (&script, FALSE, 100);
  value = script_add_value (&script, ACC_ROW_VALUE_ROWS, 100, 8);
  step->writes[step->n_writes++] = value;
  script_make_result (&script, value);

  backend = fake_backend_new (&script);
  array = script_dup_result (&script, 0);
  result = acc_backend_run (ACC_BACKEND (backend), array, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (result);
  g_assert_cmpuint (fake_backend_get_n_whole (backend), ==, 1);

  acc_evaluate_write_with_chunk_rows (ACC_BACKEND (backend), array, ACC_SINK (sink), 30, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sink->n_chunks, ==, 4);
  assert_rows (&script, value, (const gint32 *) sink->buffers[0]->data, sink->buffers[0]->len);

  plan = acc_backend_plan (ACC_BACKEND (backend), array, ACC_SINK (sink), 30, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_plan_get_chunk_rows (plan), ==, 30);
  g_assert_cmpuint (acc_plan_get_n_chunks (plan), ==, 4);
  g_assert_cmpuint (acc_plan_get_bytes (plan), ==, 3200);
  script_clear (&script);
}

/* A backend that takes no rows gets arrays in memory. */
static void
test_refused (void)
{
  g_autoptr(FakeBackend) backend = NULL;
  g_autoptr(AccArray) array = NULL, result = NULL;
  g_autoptr(AccPlan) plan = NULL;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  Script script;
  guint value;

  script_init (&script);
  script.refuses_rows = TRUE;
  value = script_add_stage (&script, script_add_source (&script, 20, 4, 1), 1, 1);
  script_make_result (&script, value);
  backend = fake_backend_new (&script);
  array = script_dup_result (&script, 0);

  plan = acc_backend_plan (ACC_BACKEND (backend), array, NULL, 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_assert_nonnull (strstr (text, "\nstage 1  source is stored in memory, 320 bytes: "));
  g_assert_cmpint (script.values[0].source->n_started, ==, 0);

  acc_backend_write (ACC_BACKEND (backend), array, ACC_SINK (sink), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (fake_backend_get_n_whole (backend), ==, 1);
  test_sink_assert_ended (sink, TRUE);
  assert_rows (&script, value, (const gint32 *) sink->buffers[0]->data, sink->buffers[0]->len);

  result = acc_backend_run (ACC_BACKEND (backend), array, NULL, &error);
  g_assert_no_error (error);
  bytes = acc_array_dup_bytes (result, 0, &error);
  assert_rows (&script, value, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_assert_cmpint (script.values[0].source->n_started, ==, 2);
  g_clear_object (&result);
  assert_idle (ACC_BACKEND (backend), &script);
  script_clear (&script);
}

static void
test_manifest (void)
{
  Script script;
  g_autoptr(FakeBackend) backend = NULL;
  g_autoptr(AccShape) shape = acc_shape_new_matrix (10, 3);
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();
  g_autoptr(GBytes) bytes = g_bytes_new ("abcdefghijklmnopqrstuvwxyz0123", 30);
  g_autoptr(GBytes) byte = g_bytes_new ("x", 1);
  g_autoptr(AccArray) array = acc_array_use (acc_element_type_new (ACC_KIND_U8), shape, bytes);
  g_autoptr(AccArray) one = acc_array_use (acc_element_type_new (ACC_KIND_U8), scalar, byte);
  g_autoptr(AccArray) same = NULL;
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(TestSink) sink2 = test_sink_new ();
  g_autoptr(GError) error = NULL;

  script_init (&script);
  backend = fake_backend_new (&script);
  acc_evaluate_write_with_chunk_rows (ACC_BACKEND (backend), array, ACC_SINK (sink), 4, NULL, NULL, &error);
  g_assert_no_error (error);
  test_sink_assert_ended (sink, TRUE);
  g_assert_cmpuint (sink->n_chunks, ==, 3);
  g_assert_cmpmem (sink->buffers[0]->data, sink->buffers[0]->len, g_bytes_get_data (bytes, NULL), 30);

  acc_backend_write (ACC_BACKEND (backend), one, ACC_SINK (sink2), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sink2->buffers[0]->len, ==, 1);

  same = acc_backend_run (ACC_BACKEND (backend), array, NULL, &error);
  g_assert_true (same == array);
}

/* Random programs, random heights. */
static void
build_random (Script *script, GRand *rand, gboolean to_sink)
{
  gint64 n_rows = g_rand_int_range (rand, 0, 40);
  guint n_sources = (guint) g_rand_int_range (rand, 1, 4);
  guint n_steps = (guint) g_rand_int_range (rand, 1, 8);
  guint last = 0;

  script_init (script);
  for (guint i = 0; i < n_sources; i++)
    script_add_source (script, n_rows + g_rand_int_range (rand, 0, 9), g_rand_int_range (rand, 1, 6), i + 1);

  for (guint i = 0; i < n_steps; i++)
    {
      gboolean reduces = g_rand_int_range (rand, 0, 6) == 0 && i + 1 < n_steps;
      ScriptStep *step = script_add_step (script, reduces, n_rows + g_rand_int_range (rand, -2, 3));
      guint n_reads = (guint) g_rand_int_range (rand, 0, 4);
      guint n_writes = reduces ? 1 : (guint) g_rand_int_range (rand, 1, 3);
      guint n_known = script->n_values;

      step->n_rows = MAX (step->n_rows, 0);
      for (guint k = 0; k < n_reads; k++)
        {
          guint value = g_rand_boolean (rand) ? n_known - 1 : (guint) g_rand_int_range (rand, 0, (gint32) n_known);
          gint64 reach = g_rand_int_range (rand, 0, 10) == 0 ? 50 : 5;
          gboolean wide = !reduces && script->values[value].kind != ACC_ROW_VALUE_REDUCED;

          script_read (step, value, wide ? g_rand_int_range (rand, 0, (gint32) reach) : 0,
                       wide ? g_rand_int_range (rand, 0, (gint32) reach) : 0);
        }

      for (guint k = 0; k < n_writes; k++)
        {
          last = script_add_value (script, reduces ? ACC_ROW_VALUE_REDUCED : ACC_ROW_VALUE_ROWS,
                                   reduces ? 1 : step->n_rows, reduces ? 1 : g_rand_int_range (rand, 1, 6));
          step->writes[step->n_writes++] = last;
        }
    }

  script_make_result (script, last);
  for (guint i = 0; !to_sink && i < script->n_values; i++)
    if (i != last && g_rand_int_range (rand, 0, 3) == 0)
      script_make_result (script, i);
}

static void
test_random (void)
{
  guint32 seed = g_test_rand_int_range (0, G_MAXINT32);
  guint n = g_test_slow () ? 5000 : 400;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(GRand) rand = g_rand_new_with_seed (seed + i);
      gboolean to_sink = g_rand_boolean (rand);
      gint64 height = g_rand_int_range (rand, 0, 3) == 0 ? 0 : g_rand_int_range (rand, 1, 45);
      Script script;

      build_random (&script, rand, to_sink);
      g_test_message ("seed %u, height %d", seed + i, (int) height);
      if (to_sink)
        check_write (&script, height);
      else
        check_run (&script, height);
      script_clear (&script);
    }
}

/* Two different things about a source and the result of the run make it too large, or not. */
static void
test_random_limits (void)
{
  guint32 seed = g_test_rand_int_range (0, G_MAXINT32);
  guint n = g_test_slow () ? 5000 : 400;
  guint n_done = 0, n_refused = 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(GRand) rand = g_rand_new_with_seed (seed + i);
      g_autoptr(FakeBackend) backend = NULL;
      g_autoptr(AccArray) array = NULL;
      g_autoptr(AccPlan) plan = NULL;
      g_autoptr(TestSink) sink = test_sink_new ();
      g_autoptr(GError) error = NULL;
      guint64 limit = (guint64) g_rand_int_range (rand, 100, 20000);
      guint64 high;
      Script script;

      build_random (&script, rand, TRUE);
      backend = fake_backend_new (&script);
      acc_backend_set_memory_limit (ACC_BACKEND (backend), limit);
      array = script_dup_result (&script, 0);

      plan = acc_backend_plan (ACC_BACKEND (backend), array, ACC_SINK (sink), 0, NULL);
      acc_budget_reset_high_water (acc_backend_get_budget (ACC_BACKEND (backend)));
      acc_backend_write (ACC_BACKEND (backend), array, ACC_SINK (sink), NULL, &error);
      high = acc_backend_get_memory_high_water (ACC_BACKEND (backend));

      g_assert_cmpuint (high, <=, limit);
      if (plan != NULL)
        {
          g_assert_no_error (error);
          g_assert_cmpuint (acc_plan_get_bytes (plan), <=, limit);
          assert_rows (&script, find_result (&script, 0), (const gint32 *) sink->buffers[0]->data, sink->buffers[0]->len);
          n_done++;
        }
      else
        {
          g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
          n_refused++;
        }
      test_sink_assert_ended (sink, plan != NULL);
      assert_idle (ACC_BACKEND (backend), &script);
      script_clear (&script);
    }

  g_assert_cmpuint (n_done, >, 0);
  g_assert_cmpuint (n_refused, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stream/script/chain", test_chain);
  g_test_add_func ("/stream/script/columns", test_columns);
  g_test_add_func ("/stream/script/identity", test_identity);
  g_test_add_func ("/stream/script/fan", test_fan);
  g_test_add_func ("/stream/script/several-sources", test_several_sources);
  g_test_add_func ("/stream/script/shared-source", test_shared_source);
  g_test_add_func ("/stream/script/reduction", test_reduction);
  g_test_add_func ("/stream/script/second-pass", test_second_pass);
  g_test_add_func ("/stream/script/without-source", test_without_source);
  g_test_add_func ("/stream/script/whole", test_whole);
  g_test_add_func ("/stream/script/refused", test_refused);
  g_test_add_func ("/stream/script/manifest", test_manifest);
  g_test_add_func ("/stream/script/random", test_random);
  g_test_add_func ("/stream/script/random-limits", test_random_limits);

  return g_test_run ();
}
