/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Jobs: what they tell, to whom, and how often. */
#include "fake-backend.h"

#include "acc-core/backend/acc-backend-private.h"

#include <string.h>

typedef struct {
  Script       script;
  FakeBackend *backend;
  AccArray    *array;
  TestSource  *source;
  TestSink    *sink;
  GThread     *thread;
  guint        n_fraction, n_state, n_notify;
  double       fraction;
  gint64       last;
  gboolean     returned;
  gboolean     result;
  GError      *error;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  script_init (&f->script);
  script_make_result (&f->script, script_add_stage (&f->script, script_add_source (&f->script, 640, 256, 5), 2, 2));
  f->source = f->script.values[0].source;
  f->backend = fake_backend_new (&f->script);
  f->array = script_dup_result (&f->script, 0);
  f->sink = test_sink_new ();
  f->thread = g_thread_self ();
  f->last = -1;
  /* Chunks of few rows, so that there are many. */
  acc_backend_set_memory_limit (ACC_BACKEND (f->backend), 80000);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_clear_error (&f->error);
  g_assert_finalize_object (f->sink);
  g_clear_object (&f->array);
  g_assert_finalize_object (f->backend);
  script_clear (&f->script);
}

static void
on_notify (AccJob *job, GParamSpec *pspec, gpointer data)
{
  Fixture *f = data;

  g_assert_true (g_thread_self () == f->thread);
  f->n_notify++;

  if (g_str_equal (pspec->name, "fraction"))
    {
      double fraction = acc_job_get_fraction (job);

      g_assert_cmpfloat (fraction, >=, f->fraction);
      g_assert_cmpfloat (fraction, <=, 1);
      f->fraction = fraction;
      f->n_fraction++;
    }
  else if (g_str_equal (pspec->name, "state"))
    f->n_state++;
}

static void
on_awaited (GObject *object, GAsyncResult *result, gpointer data)
{
  Fixture *f = data;

  g_assert_true (g_thread_self () == f->thread);
  f->result = acc_job_wait_finish (ACC_JOB (object), result, &f->error);
  g_atomic_int_set (&f->returned, TRUE);
}

static void
wait_for (gboolean *flag, GMainContext *context)
{
  while (!g_atomic_int_get (flag))
    g_main_context_iteration (context, TRUE);
}

static void
check_progress (Fixture *f, GMainContext *context)
{
  g_autoptr(AccJob) job = NULL;
  g_autofree char *report = NULL;
  gint64 began = g_get_monotonic_time ();
  double seconds;

  f->source->delay_us = 4000;
  f->thread = g_thread_self ();
  job = acc_backend_start_write (ACC_BACKEND (f->backend), f->array, ACC_SINK (f->sink), NULL);
  g_signal_connect (job, "notify", G_CALLBACK (on_notify), f);
  acc_job_wait_async (job, NULL, on_awaited, f);
  g_assert_false (f->returned);
  wait_for (&f->returned, context);
  seconds = (g_get_monotonic_time () - began) * 1e-6;

  g_assert_no_error (f->error);
  g_assert_true (f->result);
  g_assert_cmpint (acc_job_get_state (job), ==, ACC_JOB_DONE);
  g_assert_cmpfloat (f->fraction, ==, 1);
  g_assert_cmpuint (f->n_state, ==, 1);
  g_assert_cmpuint (f->n_fraction, >, 2);
  g_assert_cmpfloat (f->n_fraction, <=, seconds * 30 + 3);
  g_assert_cmpfloat (acc_job_get_eta (job), ==, 0);
  g_assert_cmpuint (acc_job_get_bytes_done (job), ==, 640 * 256 * 4);
  g_assert_cmpuint (acc_job_get_chunks_done (job), ==, acc_job_get_n_chunks (job));
  g_assert_cmpuint (acc_job_get_n_chunks (job), ==, acc_plan_get_n_chunks (acc_job_get_plan (job)));
  g_assert_cmpuint (acc_job_get_n_chunks (job), >, 16);

  report = acc_job_dup_report (job);
  g_assert_nonnull (strstr (report, "fake: scripted steps"));
  g_assert_nonnull (strstr (report, "reading"));
  g_assert_nonnull (strstr (report, "MB/s"));
  test_sink_assert_ended (f->sink, TRUE);
}

static void
test_progress (Fixture *f, gconstpointer data)
{
  check_progress (f, NULL);
}

/* Whoever starts a job on a context of its own hears of it there. */
static gpointer
run_in_context (gpointer data)
{
  g_autoptr(GMainContext) context = g_main_context_new ();

  g_main_context_push_thread_default (context);
  check_progress (data, context);
  while (g_main_context_iteration (context, FALSE))
    ;
  g_main_context_pop_thread_default (context);

  return NULL;
}

static void
test_context (Fixture *f, gconstpointer data)
{
  GThread *thread = g_thread_new ("other", run_in_context, f);

  while (!g_atomic_int_get (&f->returned))
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (1000);
    }
  g_thread_join (thread);
}

static void
test_wait (Fixture *f, gconstpointer data)
{
  g_autoptr(AccJob) job = acc_backend_start_write (ACC_BACKEND (f->backend), f->array, ACC_SINK (f->sink), NULL);
  g_autoptr(GError) error = NULL;
  AccJobState state;
  double fraction;

  g_assert_true (acc_job_wait (job, &error));
  g_assert_no_error (error);
  g_assert_true (acc_job_wait (job, NULL));
  g_object_get (job, "state", &state, "fraction", &fraction, NULL);
  g_assert_cmpint (state, ==, ACC_JOB_DONE);
  g_assert_cmpfloat (fraction, ==, 1);
  test_sink_assert_ended (f->sink, TRUE);

  /* Too late to matter. */
  acc_job_cancel (job);
  g_assert_true (acc_job_wait (job, NULL));

  acc_job_wait_async (job, NULL, on_awaited, f);
  g_assert_false (f->returned);
  wait_for (&f->returned, NULL);
  g_assert_true (f->result);
}

static void
test_cancel (Fixture *f, gconstpointer data)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(AccJob) job = NULL;
  g_autoptr(GError) error = NULL;
  gboolean by_job = GPOINTER_TO_INT (data);

  f->source->delay_us = 2000;
  job = acc_backend_start_write (ACC_BACKEND (f->backend), f->array, ACC_SINK (f->sink), cancellable);
  g_signal_connect (job, "notify", G_CALLBACK (on_notify), f);
  g_usleep (10000);
  if (by_job)
    acc_job_cancel (job);
  else
    g_cancellable_cancel (cancellable);

  g_assert_false (acc_job_wait (job, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (acc_job_get_state (job), ==, ACC_JOB_CANCELLED);
  g_assert_cmpfloat (acc_job_get_fraction (job), <, 1);
  test_sink_assert_ended (f->sink, FALSE);
  while (f->n_state == 0)
    g_main_context_iteration (NULL, TRUE);
}

static void
test_failure (Fixture *f, gconstpointer data)
{
  g_autoptr(AccJob) job = NULL;
  g_autoptr(GError) error = NULL;

  f->source->fail_row = 600;
  job = acc_backend_start_write (ACC_BACKEND (f->backend), f->array, ACC_SINK (f->sink), NULL);
  acc_job_wait_async (job, NULL, on_awaited, f);
  wait_for (&f->returned, NULL);
  g_assert_false (f->result);
  g_assert_error (f->error, ACC_ERROR, ACC_ERROR_IO);
  g_assert_cmpint (acc_job_get_state (job), ==, ACC_JOB_FAILED);
  g_assert_false (acc_job_wait (job, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
  test_sink_assert_ended (f->sink, FALSE);
}

/* What cannot stream is computed whole. */
static void
test_not_by_rows (Fixture *f, gconstpointer data)
{
  g_autoptr(AccJob) job = NULL;
  g_autoptr(GError) error = NULL;

  f->script.refuses_rows = TRUE;
  job = acc_backend_start_write (ACC_BACKEND (f->backend), f->array, ACC_SINK (f->sink), NULL);
  g_assert_nonnull (job);
  acc_job_wait (job, &error);
  g_assert_no_error (error);
  g_assert_nonnull (acc_job_get_plan (job));
  test_sink_assert_ended (f->sink, TRUE);
}

/* A job that nobody holds goes on. */
static void
test_dropped (Fixture *f, gconstpointer data)
{
  AccJob *job = acc_backend_start_write (ACC_BACKEND (f->backend), f->array, ACC_SINK (f->sink), NULL);
  GWeakRef weak;

  g_weak_ref_init (&weak, job);
  g_object_unref (job);
  while ((job = g_weak_ref_get (&weak)) != NULL)
    {
      g_object_unref (job);
      g_main_context_iteration (NULL, FALSE);
      g_usleep (1000);
    }
  g_weak_ref_clear (&weak);
  test_sink_assert_ended (f->sink, TRUE);
}

/* Giving up the waiting is not giving up the job. */
static void
test_give_up (Fixture *f, gconstpointer data)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(AccJob) job = NULL;

  f->source->delay_us = 1000;
  job = acc_backend_start_write (ACC_BACKEND (f->backend), f->array, ACC_SINK (f->sink), NULL);
  acc_job_wait_async (job, cancellable, on_awaited, f);
  g_cancellable_cancel (cancellable);
  wait_for (&f->returned, NULL);
  g_assert_error (f->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&f->error);
  g_assert_true (acc_job_wait (job, &f->error));
  test_sink_assert_ended (f->sink, TRUE);
}

/* --- the other asynchronous runs */

static void
on_run (GObject *object, GAsyncResult *result, gpointer data)
{
  Fixture *f = data;
  g_autoptr(AccArray) array = acc_backend_run_finish (ACC_BACKEND (object), result, &f->error);

  g_assert_true (g_thread_self () == f->thread);
  f->result = array != NULL && acc_array_is_manifest (array);
  g_atomic_int_set (&f->returned, TRUE);
}

static void
on_run_many (GObject *object, GAsyncResult *result, gpointer data)
{
  Fixture *f = data;
  g_autoptr(GPtrArray) arrays = acc_backend_run_many_finish (ACC_BACKEND (object), result, &f->error);

  f->result = arrays != NULL && arrays->len == 2 && g_ptr_array_index (arrays, 0) == g_ptr_array_index (arrays, 1);
  g_atomic_int_set (&f->returned, TRUE);
}

static void
test_async (Fixture *f, gconstpointer data)
{
  AccArray *twice[2] = { f->array, f->array };
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();

  acc_backend_set_memory_limit (ACC_BACKEND (f->backend), 0);
  acc_backend_run_async (ACC_BACKEND (f->backend), f->array, NULL, on_run, f);
  wait_for (&f->returned, NULL);
  g_assert_no_error (f->error);
  g_assert_true (f->result);

  f->returned = f->result = FALSE;
  acc_backend_run_many_async (ACC_BACKEND (f->backend), twice, 2, NULL, on_run_many, f);
  wait_for (&f->returned, NULL);
  g_assert_no_error (f->error);
  g_assert_true (f->result);

  f->returned = f->result = FALSE;
  g_cancellable_cancel (cancellable);
  acc_backend_run_async (ACC_BACKEND (f->backend), f->array, cancellable, on_run, f);
  wait_for (&f->returned, NULL);
  g_assert_error (f->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  while (G_OBJECT (f->backend)->ref_count > 1)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (100);
    }
}

#define ADD(name, data, func) g_test_add ("/stream/job/" name, Fixture, data, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("progress", NULL, test_progress);
  ADD ("context", NULL, test_context);
  ADD ("wait", NULL, test_wait);
  ADD ("cancel", GINT_TO_POINTER (TRUE), test_cancel);
  ADD ("cancellable", GINT_TO_POINTER (FALSE), test_cancel);
  ADD ("failure", NULL, test_failure);
  ADD ("refused", NULL, test_not_by_rows);
  ADD ("dropped", NULL, test_dropped);
  ADD ("give-up", NULL, test_give_up);
  ADD ("async", NULL, test_async);

  return g_test_run ();
}
