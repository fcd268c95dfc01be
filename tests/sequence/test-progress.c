/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include <glib/gstdio.h>
#include <string.h>

#include "tests/nested/nested-backends.h"

/* How far walks are: jobs of runs, of writes, and of iterators. */

#define PATIENCE (60 * G_USEC_PER_SEC)

/* --- a producer that waits with each element until a job has seen the ones before those that are read ahead */

#define TEST_TYPE_STEPS (test_steps_get_type ())
G_DECLARE_FINAL_TYPE (TestSteps, test_steps, TEST, STEPS, AccSequenceProducer)

struct _TestSteps {
  AccSequenceProducer parent_instance;

  AccArray *element;
  gint64    next, n;
  AccJob   *job;         /* borrowed, atomic; NULL: it does not wait */
  gint64    fails_at;    /* -1: it does not */
  gboolean  tells;       /* how much was read */
  int       n_reads;     /* atomic */
  int       in_time;     /* atomic: elements before which the job was as far as it should be */
  double    last;        /* fraction of the job */
};

G_DEFINE_FINAL_TYPE (TestSteps, test_steps, ACC_TYPE_SEQUENCE_PRODUCER)

/* Whether the job has seen all elements before the last two. */
static gboolean
has_progress (TestSteps *self)
{
  AccJob *job = g_atomic_pointer_get (&self->job);
  double fraction = acc_job_get_fraction (job);

  if ((gint64) acc_job_get_elements_done (job) < self->next - 2)
    return FALSE;

  g_assert_cmpfloat (fraction, >=, self->last);
  g_assert_cmpfloat (fraction, <, 1);
  self->last = fraction;

  return TRUE;
}

static AccNestedArray *
test_steps_read (AccSequenceProducer *producer, gint64 max_elements, gint64 max_values, GCancellable *cancellable, GError **error)
{
  TestSteps *self = TEST_STEPS (producer);
  gint64 until = g_get_monotonic_time () + PATIENCE;

  g_atomic_int_inc (&self->n_reads);
  if (self->next == self->fails_at)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the stairs broke");
  if (self->next == self->n || self->next == self->fails_at)
    return NULL;

  if (self->next > 2 && g_atomic_pointer_get (&self->job) != NULL)
    {
      while (!has_progress (self) && g_get_monotonic_time () < until && !g_cancellable_is_cancelled (cancellable))
        g_usleep (500);
      g_atomic_int_add (&self->in_time, has_progress (self));
    }
  self->next++;
  if (self->tells)
    acc_sequence_producer_set_fraction (producer, (double) self->next / (double) self->n);

  return acc_nested_array_new_from_regular (self->element);
}

static gboolean
test_steps_rewind (AccSequenceProducer *producer, GError **error)
{
  TEST_STEPS (producer)->next = 0;

  return TRUE;
}

static void
test_steps_finalize (GObject *object)
{
  g_clear_object (&TEST_STEPS (object)->element);
  G_OBJECT_CLASS (test_steps_parent_class)->finalize (object);
}

static void
test_steps_class_init (TestStepsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_steps_finalize;
  ACC_SEQUENCE_PRODUCER_CLASS (klass)->read = test_steps_read;
  ACC_SEQUENCE_PRODUCER_CLASS (klass)->rewind = test_steps_rewind;
}

static void
test_steps_init (TestSteps *self)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (1, 3);
  g_autoptr(AccArray) row = acc_array_fill (shape, acc_expr_new_int (1));

  self->element = run (judge, row);
  self->fails_at = -1;
}

/* With @length, it says how many there are. */
static TestSteps *
steps_new (gint64 n, gboolean length)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  TestSteps *self = g_object_new (TEST_TYPE_STEPS, "element-type", acc_element_type_new (ACC_KIND_I64), "shape", shape, "length",
                                  length ? n : (gint64) -1, NULL);

  self->n = n;

  return self;
}

/* --- functions */

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccArray *
add_arrays (AccArray **arrays, guint n_arrays, gpointer data)
{
  return acc_array_zip_with (arrays[0], arrays[1], add, NULL);
}

static AccExpr *
is_odd (AccExpr *x, gpointer data)
{
  return acc_expr_eq (acc_expr_rem (x, acc_expr_new_int (2)), acc_expr_new_int (1));
}

static AccArray *
keep_odd (AccArray **arrays, guint n_arrays, gpointer data)
{
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();
  g_autoptr(AccArray) first = acc_array_take (arrays[0], 1);
  g_autoptr(AccArray) one = acc_array_reshape (first, scalar);

  return acc_array_map (one, is_odd, NULL);
}

typedef struct {
  gboolean ended;
  GError **error;
} Wait;

static void
on_ended (GObject *job, GAsyncResult *result, gpointer data)
{
  Wait *self = data;

  acc_job_wait_finish (ACC_JOB (job), result, self->error);
  self->ended = TRUE;
}

/* Iterates the main context until the job has ended, and what it notified last has come. */
static void
wait_for (AccJob *job, GError **error)
{
  Wait self = { FALSE, error };

  acc_job_wait_async (job, NULL, on_ended, &self);
  while (!self.ended)
    g_main_context_iteration (NULL, TRUE);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

/* --- runs */

typedef struct {
  gboolean length, tells, filtered;
  gint64   take;          /* 0: all */
  double   least;         /* fraction before the last element */
} Case;

static void
count_notification (AccJob *job, GParamSpec *pspec, gpointer n)
{
  g_assert_true (g_main_context_is_owner (NULL));
  ++*(guint *) n;
}

static void
test_run (gconstpointer data)
{
  const Case *self = data;
  const gint64 n = 20, done = self->take > 0 ? self->take : n;
  TestSteps *steps = steps_new (n, self->length);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (steps));
  g_autoptr(AccSequence) filtered = self->filtered ? acc_sequence_filter (all, keep_odd, NULL) : g_object_ref (all);
  g_autoptr(AccSequence) some = self->take > 0 ? acc_sequence_take (filtered, self->take) : g_object_ref (filtered);
  g_autoptr(AccArray) sum = acc_sequence_fold (some, NULL, add_arrays, NULL), count = acc_sequence_count (some);
  AccArray *arrays[] = { sum, count };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccJob) job = NULL;
  g_autofree char *report = NULL, *line = g_strdup_printf ("elements   %d of %d\n", (int) done, (int) done);
  guint n_notified = 0;

  steps->tells = self->tells;
  job = acc_backend_start_run_many (backend, arrays, 2, NULL);
  g_signal_connect (job, "notify::elements-done", G_CALLBACK (count_notification), &n_notified);
  g_atomic_pointer_set (&steps->job, job);
  wait_for (job, &error);
  g_assert_no_error (error);

  g_assert_cmpint (acc_job_get_state (job), ==, ACC_JOB_DONE);
  g_assert_cmpuint (acc_job_get_elements_done (job), ==, done);
  g_assert_cmpint (acc_job_get_n_elements (job), ==, done);
  g_assert_cmpfloat (acc_job_get_fraction (job), ==, 1);
  g_assert_cmpuint (n_notified, >, 0);
  /* The job may not have been told of when the first were read. */
  g_assert_cmpint (steps->in_time, >=, done - 5);
  g_assert_cmpfloat (steps->last, >=, self->least);
  g_assert_cmpuint (acc_job_get_results (job)->len, ==, 2);
  g_assert_cmpint (acc_array_get_int (g_ptr_array_index (acc_job_get_results (job), 0), 0, 2), ==, done);
  g_assert_cmpint (acc_array_get_int (g_ptr_array_index (acc_job_get_results (job), 1), 0, 0), ==, done);
  report = acc_job_dup_report (job);
  g_assert_nonnull (strstr (report, line));
  g_object_unref (steps);
}

/* The job tells an error, and what was done before it, and has no results. */
static void
test_failing (void)
{
  TestSteps *steps = steps_new (20, TRUE);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (steps));
  g_autoptr(AccArray) sum = acc_sequence_fold (all, NULL, add_arrays, NULL);
  g_autoptr(AccSequence) endless = acc_sequence_new_generate (-1, keep_odd, NULL);
  g_autoptr(AccArray) never = acc_sequence_count (endless);
  g_autoptr(GError) error = NULL, other = NULL;
  g_autoptr(AccJob) job = NULL, refused = NULL;

  steps->fails_at = 11;
  job = acc_backend_start_run (backend, sum, NULL);
  wait_for (job, &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  g_assert_cmpint (acc_job_get_state (job), ==, ACC_JOB_FAILED);
  g_assert_null (acc_job_get_results (job));
  g_assert_cmpuint (acc_job_get_elements_done (job), >, 0);
  g_assert_cmpuint (acc_job_get_elements_done (job), <=, 11);
  g_assert_cmpfloat (acc_job_get_fraction (job), <, 1);

  /* An array that carries an error. */
  refused = acc_backend_start_run (backend, never, NULL);
  wait_for (refused, &other);
  g_assert_nonnull (other);
  g_assert_cmpint (acc_job_get_state (refused), ==, ACC_JOB_FAILED);
  g_assert_cmpint (acc_job_get_n_elements (refused), ==, 0);
  g_object_unref (steps);
}

/* A walk without an end. */
static void
test_endless (void)
{
  TestSteps *steps = steps_new (G_MAXINT64, FALSE);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (steps));
  g_autoptr(AccArray) sum = acc_sequence_fold (all, NULL, add_arrays, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccJob) job = acc_backend_start_run (backend, sum, NULL);
  gint64 until = g_get_monotonic_time () + PATIENCE;

  while (acc_job_get_elements_done (job) < 3 && g_get_monotonic_time () < until)
    g_usleep (500);
  g_assert_cmpuint (acc_job_get_elements_done (job), >=, 3);
  g_assert_cmpint (acc_job_get_n_elements (job), ==, -1);
  g_assert_cmpfloat (acc_job_get_fraction (job), ==, 0);
  g_assert_cmpfloat (acc_job_get_eta (job), ==, -1);
  acc_job_cancel (job);
  wait_for (job, &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (acc_job_get_state (job), ==, ACC_JOB_CANCELLED);
  g_object_unref (steps);
}

/* A file tells how much of it was read. */
static void
test_lines (void)
{
  g_autofree char *path = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GString) text = g_string_new (NULL);
  g_autoptr(GFile) file = NULL;
  g_autoptr(AccSequence) lines = NULL;
  g_autoptr(AccSequenceIterator) iterator = NULL;
  AccJob *job;
  guint n_between = 0;
  int fd = g_file_open_tmp ("acc-XXXXXX", &path, &error);

  g_assert_no_error (error);
  g_close (fd, NULL);
  for (guint i = 0; i < 50000; i++)
    g_string_append (text, "a line\n");
  g_file_set_contents (path, text->str, (gssize) text->len, &error);
  g_assert_no_error (error);
  file = g_file_new_for_path (path);
  lines = acc_sequence_open_lines (file, NULL, &error);
  g_assert_no_error (error);

  iterator = acc_sequence_iterate (lines, backend);
  job = acc_sequence_iterator_get_job (iterator);
  for (guint i = 0; i < 50000; i++)
    {
      g_autoptr(AccArray) element = acc_sequence_iterator_next (iterator, NULL, &error);

      g_assert_no_error (error);
      g_assert_nonnull (element);
      n_between += acc_job_get_fraction (job) > 0.01 && acc_job_get_fraction (job) < 0.99;
      g_assert_cmpint (acc_job_get_state (job), ==, ACC_JOB_RUNNING);
    }
  g_assert_cmpuint (n_between, >, 0);
  g_assert_null (acc_sequence_iterator_next (iterator, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (acc_job_get_state (job), ==, ACC_JOB_DONE);
  g_assert_cmpuint (acc_job_get_elements_done (job), ==, 50000);
  g_remove (path);
}

/* --- iterators */

static void
test_iterator (void)
{
  TestSteps *steps = steps_new (40, TRUE);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (steps));
  g_autoptr(AccSequenceIterator) closed = acc_sequence_iterate (all, backend), cancelled = NULL, late = NULL;
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) first = NULL, again = NULL, none = NULL, other = NULL, end = NULL;
  g_autoptr(AccJob) job = g_object_ref (acc_sequence_iterator_get_job (closed));

  g_assert_true (job == acc_sequence_iterator_get_job (closed));
  g_assert_cmpint (acc_job_get_n_elements (job), ==, 0);
  first = acc_sequence_iterator_next (closed, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_job_get_n_elements (job), ==, 40);
  g_assert_cmpuint (acc_job_get_elements_done (job), ==, 1);
  g_assert_cmpfloat (acc_job_get_fraction (job), ==, 1 / 40.0);

  /* A call that is cancelled does not end the walk. */
  g_cancellable_cancel (cancellable);
  none = acc_sequence_iterator_next (closed, cancellable, &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_cmpint (acc_job_get_state (job), ==, ACC_JOB_RUNNING);
  again = acc_sequence_iterator_next (closed, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (again);
  acc_sequence_iterator_close (closed);
  g_assert_cmpint (acc_job_get_state (job), ==, ACC_JOB_CANCELLED);

  /* One whose job is, does. */
  cancelled = acc_sequence_iterate (all, backend);
  g_set_object (&job, acc_sequence_iterator_get_job (cancelled));
  other = acc_sequence_iterator_next (cancelled, NULL, &error);
  g_assert_no_error (error);
  acc_job_cancel (job);
  end = acc_sequence_iterator_next (cancelled, NULL, &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_null (end);
  g_assert_cmpint (acc_job_get_state (job), ==, ACC_JOB_CANCELLED);

  /* Asked for in the middle, it knows what was before. */
  late = acc_sequence_iterate (all, backend);
  for (guint i = 0; i < 40; i++)
    {
      g_autoptr(GError) local = NULL;
      g_autoptr(AccArray) element = acc_sequence_iterator_next (late, NULL, &local);

      g_assert_no_error (local);
      if (i >= 20)
        g_assert_cmpuint (acc_job_get_elements_done (acc_sequence_iterator_get_job (late)), >, i);
    }
  g_assert_null (acc_sequence_iterator_next (late, NULL, NULL));
  g_assert_cmpint (acc_job_get_state (acc_sequence_iterator_get_job (late)), ==, ACC_JOB_DONE);
  g_object_unref (steps);
}

/* A job that is asked for when the walk has ended tells how. */
static void
test_iterator_that_ended (void)
{
  TestSteps *steps = steps_new (40, TRUE);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (steps));
  g_autoptr(AccSequenceIterator) closed = acc_sequence_iterate (all, backend), failed = NULL, done = NULL;
  g_autoptr(GError) error = NULL, again = NULL;
  g_autoptr(AccArray) first = acc_sequence_iterator_next (closed, NULL, &error);
  guint n = 0;

  g_assert_no_error (error);
  acc_sequence_iterator_close (closed);
  g_assert_cmpint (acc_job_get_state (acc_sequence_iterator_get_job (closed)), ==, ACC_JOB_CANCELLED);

  steps->fails_at = 3;
  failed = acc_sequence_iterate (all, backend);
  while (error == NULL)
    {
      g_autoptr(AccArray) element = acc_sequence_iterator_next (failed, NULL, &error);

      g_assert_true (element != NULL || error != NULL);
    }
  acc_sequence_iterator_close (failed);
  g_assert_null (acc_sequence_iterator_next (failed, NULL, NULL));
  g_assert_cmpint (acc_job_get_state (acc_sequence_iterator_get_job (failed)), ==, ACC_JOB_FAILED);
  g_assert_false (acc_job_wait (acc_sequence_iterator_get_job (failed), &again));
  g_assert_error (again, error->domain, error->code);
  g_assert_cmpstr (again->message, ==, error->message);
  g_clear_error (&error);

  steps->fails_at = -1;
  done = acc_sequence_iterate (all, backend);
  for (gboolean more = TRUE; more;)
    {
      g_autoptr(AccArray) element = acc_sequence_iterator_next (done, NULL, &error);

      g_assert_no_error (error);
      more = element != NULL;
      n += more;
    }
  acc_sequence_iterator_close (done);
  g_assert_cmpuint (n, ==, 40);
  g_assert_cmpint (acc_job_get_state (acc_sequence_iterator_get_job (done)), ==, ACC_JOB_DONE);
  g_object_unref (steps);
}

/* What comes next is read while nobody asks for it, until that is there. */
static void
test_ahead (void)
{
  TestSteps *steps = steps_new (40, TRUE);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (steps));
  g_autoptr(AccSequenceIterator) iterator = acc_sequence_iterate (all, backend);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) first = acc_sequence_iterator_next (iterator, NULL, &error);
  gint64 until = g_get_monotonic_time () + PATIENCE;

  g_assert_no_error (error);
  while (g_atomic_int_get (&steps->n_reads) < 2 && g_get_monotonic_time () < until)
    g_usleep (500);
  g_assert_cmpint (g_atomic_int_get (&steps->n_reads), ==, 2);
  g_object_unref (steps);
}

/* --- writes */

static GThread *main_thread;

static AccSink *
make_sink (gint64 number, gpointer data)
{
  g_autofree char *name = g_strdup_printf ("%s/%d.npy", (const char *) data, (int) number);
  g_autoptr(GFile) file = g_file_new_for_path (name);
  g_autoptr(GError) error = NULL;
  AccSink *sink;

  g_assert_true (g_thread_self () == main_thread);
  if (number == 3)
    return NULL;
  sink = acc_sink_create (file, NULL, &error);
  g_assert_no_error (error);

  return sink;
}

static void
set_flag (gpointer flag)
{
  g_assert_true (g_thread_self () == main_thread);
  *(gboolean *) flag = TRUE;
}

static AccSink *
cancel_job (gint64 number, gpointer job)
{
  acc_job_cancel (*(AccJob **) job);

  return NULL;
}

static guint
remove_files (const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      n++;
      g_remove (path);
    }

  return n;
}

static AccSink *
forward (gint64 number, gpointer data)
{
  return make_sink (number, ((gpointer *) data)[0]);
}

static void
free_pair (gpointer data)
{
  set_flag (((gpointer *) data)[1]);
}

static void
test_write_each (void)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("acc-XXXXXX", &error);
  TestSteps *steps = steps_new (9, TRUE);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (steps));
  gboolean freed = FALSE;
  gpointer pair[] = { folder, &freed };
  g_autoptr(AccJob) job = NULL, broken = NULL;
  AccJob *cancelled;
  gint64 until = g_get_monotonic_time () + PATIENCE;

  main_thread = g_thread_self ();
  job = acc_sequence_start_write_each (all, backend, NULL, forward, pair, free_pair);
  wait_for (job, &error);
  g_assert_no_error (error);
  g_assert_true (freed);
  g_assert_cmpuint (acc_job_get_elements_done (job), ==, 9);
  g_assert_cmpint (acc_job_get_n_elements (job), ==, 9);
  g_assert_cmpfloat (acc_job_get_fraction (job), ==, 1);
  g_assert_cmpuint (remove_files (folder), ==, 8);

  /* What was written before an error stays. */
  steps->fails_at = 6;
  broken = acc_sequence_start_write_each (all, backend, NULL, make_sink, folder, NULL);
  wait_for (broken, &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  g_clear_error (&error);
  g_assert_cmpint (acc_job_get_state (broken), ==, ACC_JOB_FAILED);
  g_assert_cmpuint (remove_files (folder), ==, 5);

  /* Cancelled by the function; then while nobody iterates the context. */
  steps->fails_at = -1;
  cancelled = acc_sequence_start_write_each (all, backend, NULL, cancel_job, &cancelled, NULL);
  wait_for (cancelled, &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_object_unref (cancelled);
  cancelled = acc_sequence_start_write_each (all, backend, NULL, make_sink, folder, NULL);
  while (acc_job_get_elements_done (cancelled) == 0 && g_get_monotonic_time () < until)
    g_usleep (500);
  acc_job_cancel (cancelled);
  g_assert_false (acc_job_wait (cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (remove_files (folder), ==, 0);
  g_object_unref (cancelled);
  g_rmdir (folder);
  g_object_unref (steps);
}

int
main (int argc, char **argv)
{
  static const Case known = { .length = TRUE, .least = 0.8 }, unknown = { .length = FALSE },
                    told = { .tells = TRUE, .least = 0.8 }, taken = { .take = 12, .least = 0.7 },
                    taken_known = { .length = TRUE, .take = 12, .least = 0.7 },
                    filtered = { .length = TRUE, .filtered = TRUE, .least = 0.8 };

  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  g_test_add_data_func ("/progress/run/known", &known, test_run);
  g_test_add_data_func ("/progress/run/unknown", &unknown, test_run);
  g_test_add_data_func ("/progress/run/told", &told, test_run);
  g_test_add_data_func ("/progress/run/taken", &taken, test_run);
  g_test_add_data_func ("/progress/run/taken-known", &taken_known, test_run);
  g_test_add_data_func ("/progress/run/filtered", &filtered, test_run);
  g_test_add_func ("/progress/failing", test_failing);
  g_test_add_func ("/progress/endless", test_endless);
  g_test_add_func ("/progress/lines", test_lines);
  g_test_add_func ("/progress/iterator", test_iterator);
  g_test_add_func ("/progress/iterator-that-ended", test_iterator_that_ended);
  g_test_add_func ("/progress/ahead", test_ahead);
  g_test_add_func ("/progress/write-each", test_write_each);

  return run_tests ();
}
