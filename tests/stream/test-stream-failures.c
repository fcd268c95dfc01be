/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whatever goes wrong, and whenever: one clean error, nothing left behind. */
#include "fake-backend.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

#include <string.h>

typedef struct {
  Script       script;
  FakeBackend *backend;
  AccArray    *array;
  TestSource  *source;
  TestSink    *sink;
} Fixture;

/* Two stages, a fan, 64 rows: every kind of buffer. */
static void
set_up (Fixture *f, gconstpointer data)
{
  ScriptStep *step;
  guint source, value;

  script_init (&f->script);
  source = script_add_source (&f->script, 64, 32, 5);
  value = script_add_stage (&f->script, source, 2, 2);
  step = script_add_step (&f->script, FALSE, 64);
  script_read (step, value, 1, 1);
  script_read (step, source, 0, 0);
  value = script_add_value (&f->script, ACC_ROW_VALUE_ROWS, 64, 32);
  step->writes[step->n_writes++] = value;
  script_make_result (&f->script, value);

  f->source = f->script.values[source].source;
  f->backend = fake_backend_new (&f->script);
  f->array = script_dup_result (&f->script, 0);
  f->sink = test_sink_new ();
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_assert_finalize_object (f->sink);
  g_clear_object (&f->array);
  g_assert_finalize_object (f->backend);
  script_clear (&f->script);
}

static void
reset_sink (Fixture *f)
{
  g_object_unref (f->sink);
  f->sink = test_sink_new ();
}

static gboolean
write_rows (Fixture *f, gint64 chunk_rows, GCancellable *cancellable, GError **error)
{
  return acc_evaluate_write_with_chunk_rows (ACC_BACKEND (f->backend), f->array, ACC_SINK (f->sink), chunk_rows, NULL, cancellable, error);
}

static void
assert_nothing_left (Fixture *f)
{
  g_assert_cmpuint (acc_backend_get_memory_used (ACC_BACKEND (f->backend)), ==, 0);
  g_assert_cmpint (f->source->n_started, ==, f->source->n_finished);
}

static void
test_source_fails (Fixture *f, gconstpointer data)
{
  for (gint64 height = 1; height < 70; height = height * 3 + 1)
    for (gint64 row = 0; row < 64; row++)
      {
        g_autoptr(GError) error = NULL;

        f->source->fail_row = row;
        reset_sink (f);
        g_assert_false (write_rows (f, height, NULL, &error));
        g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
        g_assert_nonnull (strstr (error->message, "reading “tape 5”, chunk"));
        g_assert_nonnull (strstr (error->message, "bad row"));
        test_sink_assert_ended (f->sink, FALSE);
        assert_nothing_left (f);
      }
}

static void
test_source_fails_in_run (Fixture *f, gconstpointer data)
{
  for (gint64 row = 0; row < 64; row += 9)
    {
      g_autoptr(GError) error = NULL;

      f->source->fail_row = row;
      g_assert_null (acc_backend_run (ACC_BACKEND (f->backend), f->array, NULL, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
      assert_nothing_left (f);
    }
}

static void
test_source_does_not_start (Fixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  f->source->fail_start = TRUE;
  g_assert_false (write_rows (f, 4, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
  test_sink_assert_ended (f->sink, FALSE);
  assert_nothing_left (f);
}

/* Nobody waits for its rows, as there are none. */
static void
test_empty_source_does_not_start (Fixture *f, gconstpointer data)
{
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("interpreter", NULL);
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { 0, 32 }, 2, 1);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
  g_autoptr(GError) error = NULL;

  source->fail_start = TRUE;
  g_assert_false (acc_backend_write (backend, array, ACC_SINK (f->sink), NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
  test_sink_assert_ended (f->sink, FALSE);
}

static void
test_sink_fails (Fixture *f, gconstpointer data)
{
  for (gint64 height = 1; height < 70; height = height * 3 + 1)
    for (gint64 row = 0; row < 64; row++)
      {
        g_autoptr(GError) error = NULL;

        reset_sink (f);
        f->sink->fail_row = row;
        g_assert_false (write_rows (f, height, NULL, &error));
        g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
        g_assert_nonnull (strstr (error->message, "writing “drain”, chunk"));
        test_sink_assert_ended (f->sink, FALSE);
        assert_nothing_left (f);
      }
}

static void
test_sink_does_not_start (Fixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  f->sink->fail_start = TRUE;
  g_assert_false (write_rows (f, 4, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  test_sink_assert_ended (f->sink, FALSE);
  g_assert_cmpint (f->source->n_started, ==, 0);
  assert_nothing_left (f);
}

static void
test_sink_does_not_commit (Fixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  f->sink->fail_commit = TRUE;
  g_assert_false (write_rows (f, 4, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
  test_sink_assert_ended (f->sink, FALSE);
  assert_nothing_left (f);
}

static void
test_kernel_fails (Fixture *f, gconstpointer data)
{
  for (int step = 0; step < 2; step++)
    for (gint64 row = 0; row < 64; row += 7)
      {
        g_autoptr(GError) error = NULL;

        f->script.fail_step = step;
        f->script.fail_row = row;
        reset_sink (f);
        g_assert_false (write_rows (f, 5, NULL, &error));
        g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
        g_assert_nonnull (strstr (error->message, "chunk "));
        g_assert_nonnull (strstr (error->message, "index 9 of 8"));
        test_sink_assert_ended (f->sink, FALSE);
        assert_nothing_left (f);
      }
}

/* Two things fail at about the same time: the first one is told, and only one. */
static void
test_both_fail (Fixture *f, gconstpointer data)
{
  for (gint64 row = 0; row < 64; row++)
    {
      g_autoptr(GError) error = NULL;

      reset_sink (f);
      f->source->fail_row = MIN (row + 6, 63);
      f->sink->fail_row = row;
      g_assert_false (write_rows (f, 1, NULL, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
      test_sink_assert_ended (f->sink, FALSE);
      assert_nothing_left (f);
    }
}

/* --- memory */

static void
test_reservations (Fixture *f, gconstpointer data)
{
  AccBudget *budget = acc_backend_get_budget (ACC_BACKEND (f->backend));
  guint n_refused = 0;

  f->source->resident = 100;
  f->sink->resident = 50;

  for (guint k = 1; ; k++)
    {
      g_autoptr(GError) error = NULL;
      gboolean done;

      reset_sink (f);
      f->sink->resident = 50;
      acc_budget_fail_nth (budget, k);
      done = write_rows (f, 4, NULL, &error);

      test_sink_assert_ended (f->sink, done);
      assert_nothing_left (f);
      if (acc_budget_fail_nth (budget, 0) > 0)
        {
          g_assert_true (done);
          /* Files, slots in and out, one window at least. */
          g_assert_cmpuint (k, >, 1 + 1 + 2 + 2);
          break;
        }
      /* Done in another way, or refused. */
      if (!done)
        g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      n_refused += !done;
    }
  g_assert_cmpuint (n_refused, >, 1);

  for (guint k = 1; ; k++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) result = NULL;

      acc_budget_fail_nth (budget, k);
      result = acc_backend_run (ACC_BACKEND (f->backend), f->array, NULL, &error);
      acc_budget_fail_nth (budget, 0);

      if (result != NULL)
        {
          g_assert_cmpuint (k, >, 3);
          break;
        }
      g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      assert_nothing_left (f);
    }
}

/* Tighter and tighter: fewer rows, fewer buffers, then an error that says what would be needed. */
static void
test_limits (Fixture *f, gconstpointer data)
{
  guint64 least = 0;
  guint most_slots = 0, fewest_slots = G_MAXUINT;

  f->source->resident = 300;

  for (guint64 limit = 40000; limit > 500; limit -= 77)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccPlan) plan = NULL;
      AccBudget *budget = acc_backend_get_budget (ACC_BACKEND (f->backend));
      gboolean done;

      acc_backend_set_memory_limit (ACC_BACKEND (f->backend), limit);
      acc_budget_reset_high_water (budget);
      reset_sink (f);
      plan = acc_backend_plan (ACC_BACKEND (f->backend), f->array, NULL, 0, &error);
      g_assert_true ((plan != NULL) == (error == NULL));
      if (plan == NULL)
        g_assert_nonnull (strstr (error->message, "source “tape 5”"));
      g_clear_error (&error);

      done = write_rows (f, 0, NULL, &error);
      g_assert_true (done == (plan != NULL));
      g_assert_cmpuint (acc_budget_get_high_water (budget), <=, limit);
      test_sink_assert_ended (f->sink, done);
      assert_nothing_left (f);

      if (done)
        {
          g_assert_cmpuint (least, ==, 0);
          g_assert_cmpuint (acc_budget_get_high_water (budget), ==, acc_plan_get_bytes (plan));
          most_slots = MAX (most_slots, acc_plan_get_n_input_slots (plan));
          fewest_slots = MIN (fewest_slots, acc_plan_get_n_input_slots (plan));
        }
      else
        {
          g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
          least = MAX (least, limit);
        }
    }

  g_assert_cmpuint (least, >, 0);
  g_assert_cmpuint (fewest_slots, ==, 1);
}

/* A slow sink stops the reader after as many chunks as there are slots. */
static void
test_credits (Fixture *f, gconstpointer data)
{
  g_autoptr(AccPlan) plan = NULL;
  g_autoptr(GError) error = NULL;

  f->sink->delay_us = 3000;
  f->sink->watched = f->source;
  plan = acc_backend_plan (ACC_BACKEND (f->backend), f->array, ACC_SINK (f->sink), 2, &error);
  g_assert_no_error (error);
  g_assert_true (write_rows (f, 2, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (f->sink->most_ahead, >, 2);
  g_assert_cmpint (f->sink->most_ahead, <=,
                   2 * (acc_plan_get_n_input_slots (plan) + acc_plan_get_n_output_slots (plan) + 1) + acc_plan_get_halo_below (plan));
  g_assert_cmpuint (acc_backend_get_memory_high_water (ACC_BACKEND (f->backend)), ==, acc_plan_get_bytes (plan));
}

static void
test_slow (Fixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  f->source->delay_us = 1000;
  g_assert_true (write_rows (f, 5, NULL, &error));
  test_sink_assert_ended (f->sink, TRUE);
  f->source->delay_us = 0;
  f->script.delay_us = 500;
  reset_sink (f);
  g_assert_true (write_rows (f, 5, NULL, &error));
  test_sink_assert_ended (f->sink, TRUE);
  assert_nothing_left (f);
}

/* --- cancelling */

static void
test_cancelled_before (Fixture *f, gconstpointer data)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_false (write_rows (f, 5, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (f->source->n_started, ==, 0);
  test_sink_assert_ended (f->sink, FALSE);
  g_clear_error (&error);
  g_assert_null (acc_backend_run (ACC_BACKEND (f->backend), f->array, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* From inside the reader, at each row. */
static void
test_cancelled_by_source (Fixture *f, gconstpointer data)
{
  for (gint64 row = 0; row < 64; row++)
    {
      g_autoptr(GCancellable) cancellable = g_cancellable_new ();
      g_autoptr(GError) error = NULL;

      reset_sink (f);
      g_set_object (&f->source->cancels, cancellable);
      f->source->cancel_row = row;
      g_assert_false (write_rows (f, 3, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_cmpint (f->source->n_read, <=, row + 3);
      test_sink_assert_ended (f->sink, FALSE);
      assert_nothing_left (f);
    }
}

static gpointer
cancel_later (gpointer data)
{
  gpointer *context = data;

  g_usleep (GPOINTER_TO_UINT (context[1]));
  g_cancellable_cancel (context[0]);

  return NULL;
}

static void
test_cancelled_any_time (Fixture *f, gconstpointer data)
{
  f->script.delay_us = 200;

  for (guint i = 0; i < 60; i++)
    {
      g_autoptr(GCancellable) cancellable = g_cancellable_new ();
      g_autoptr(GError) error = NULL;
      gpointer context[2] = { cancellable, GUINT_TO_POINTER ((guint) g_test_rand_int_range (0, 9000)) };
      GThread *thread = g_thread_new ("cancel", cancel_later, context);
      gboolean done;

      reset_sink (f);
      done = write_rows (f, 3, cancellable, &error);
      if (!done)
        g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      test_sink_assert_ended (f->sink, done);
      assert_nothing_left (f);
      g_thread_join (thread);
    }
}

/* Threads that wait for something outside are woken. */
static void
test_cancelled_while_blocked (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(GCancellable) cancellable = g_cancellable_new ();
      g_autoptr(GError) error = NULL;
      gpointer context[2] = { cancellable, GUINT_TO_POINTER (30000) };
      GThread *thread;
      gint64 began = g_get_monotonic_time ();

      reset_sink (f);
      f->source->block = i == 0;
      f->sink->block = i == 1;
      thread = g_thread_new ("cancel", cancel_later, context);
      g_assert_false (write_rows (f, 3, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_cmpint (g_get_monotonic_time () - began, <, 5 * G_USEC_PER_SEC);
      test_sink_assert_ended (f->sink, FALSE);
      assert_nothing_left (f);
      g_thread_join (thread);
    }
}

/* An error elsewhere wakes a reader that is blocked. */
static void
test_error_wakes_reader (Fixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  ScriptStep *step;
  guint value;
  guint source;

  /* A second source that blocks, while the first one fails. */
  source = script_add_source (&f->script, 64, 32, 6);
  f->script.values[source].source->block = TRUE;
  step = script_add_step (&f->script, FALSE, 64);
  script_read (step, source, 0, 0);
  value = script_add_value (&f->script, ACC_ROW_VALUE_ROWS, 64, 32);
  step->writes[step->n_writes++] = value;

  f->source->fail_row = 0;
  f->source->delay_us = 20000;
  g_assert_false (write_rows (f, 3, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
  test_sink_assert_ended (f->sink, FALSE);
  assert_nothing_left (f);
}

/* --- files serve one run at a time */

static void
on_written (GObject *object, GAsyncResult *result, gpointer data)
{
  GError **error = data;

  acc_backend_write_finish (ACC_BACKEND (object), result, error);
  if (*error == NULL)
    *error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_EXISTS, "done");
}

static void
test_busy (Fixture *f, gconstpointer data)
{
  g_autoptr(TestSink) second = test_sink_new ();
  g_autoptr(GError) first_error = NULL;
  g_autoptr(GError) error = NULL;

  f->sink->delay_us = 30000;
  acc_backend_write_async (ACC_BACKEND (f->backend), f->array, ACC_SINK (f->sink), NULL, on_written, &first_error);
  while (g_atomic_int_get (&f->source->n_started) == 0)
    g_usleep (100);

  g_assert_false (acc_backend_write (ACC_BACKEND (f->backend), f->array, ACC_SINK (second), NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
  g_clear_error (&error);
  g_assert_false (acc_backend_write (ACC_BACKEND (f->backend), f->array, ACC_SINK (f->sink), NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);

  while (first_error == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_error (first_error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  test_sink_assert_ended (f->sink, TRUE);
  test_sink_assert_ended (second, FALSE);
  while (G_OBJECT (f->backend)->ref_count > 1)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (100);
    }
}

static void
test_bad_array (Fixture *f, gconstpointer data)
{
  g_autoptr(AccArray) bad = acc_array_slice (f->array, (gint64[]) { ACC_ALL }, 1);
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_backend_write (ACC_BACKEND (f->backend), bad, ACC_SINK (f->sink), NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  test_sink_assert_ended (f->sink, FALSE);
  g_clear_error (&error);
  g_assert_null (acc_backend_run (ACC_BACKEND (f->backend), bad, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_null (acc_backend_plan (ACC_BACKEND (f->backend), bad, NULL, 0, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
}

#define ADD(name, func) g_test_add ("/stream/failures/" name, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("source", test_source_fails);
  ADD ("source-in-run", test_source_fails_in_run);
  ADD ("source-start", test_source_does_not_start);
  ADD ("empty-source-start", test_empty_source_does_not_start);
  ADD ("sink", test_sink_fails);
  ADD ("sink-start", test_sink_does_not_start);
  ADD ("sink-commit", test_sink_does_not_commit);
  ADD ("kernel", test_kernel_fails);
  ADD ("both", test_both_fail);
  ADD ("reservations", test_reservations);
  ADD ("limits", test_limits);
  ADD ("credits", test_credits);
  ADD ("slow", test_slow);
  ADD ("cancelled-before", test_cancelled_before);
  ADD ("cancelled-by-source", test_cancelled_by_source);
  ADD ("cancelled-any-time", test_cancelled_any_time);
  ADD ("cancelled-while-blocked", test_cancelled_while_blocked);
  ADD ("error-wakes-reader", test_error_wakes_reader);
  ADD ("busy", test_busy);
  ADD ("bad-array", test_bad_array);

  return g_test_run ();
}
