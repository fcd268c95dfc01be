/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements that are written, each to a sink of its own, while the next steps are computed. */

#include "tests/nested/nested-backends.h"
#include "gate-producer.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"

#include <glib/gstdio.h>

/* --- sinks that are the application's: one at a time, in order */

#define TEST_TYPE_BASKET (test_basket_get_type ())
G_DECLARE_FINAL_TYPE (TestBasket, test_basket, TEST, BASKET, AccSink)

struct _TestBasket {
  AccSink parent_instance;

  gint64 number;
};

G_DEFINE_FINAL_TYPE (TestBasket, test_basket, ACC_TYPE_SINK)

static int in_baskets, n_baskets;
static GThread *bound_to;   /* NULL: baskets may be written by any thread */
static gint64 basket_fails_at = -1;

static gboolean
test_basket_start (AccSink *sink, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  g_assert_cmpint (g_atomic_int_add (&in_baskets, 1), ==, 0);
  g_assert_cmpint (g_atomic_int_add (&n_baskets, 1), ==, TEST_BASKET (sink)->number);

  return TRUE;
}

static gboolean
test_basket_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  gint64 number = TEST_BASKET (sink)->number;

  g_assert_true (bound_to == NULL || bound_to == g_thread_self ());
  g_usleep (500);
  g_assert_cmpint (*(const gint64 *) (gsize) acc_chunk_get_address (chunk, 0), ==, number * number);
  if (number == basket_fails_at)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the basket broke");

  return number != basket_fails_at;
}

static gboolean
test_basket_commit (AccSink *sink, GCancellable *cancellable, GError **error)
{
  g_atomic_int_add (&in_baskets, -1);

  return TRUE;
}

static void
test_basket_abort (AccSink *sink)
{
  g_atomic_int_add (&in_baskets, -1);
}

static void
test_basket_class_init (TestBasketClass *klass)
{
  AccSinkClass *sink_class = ACC_SINK_CLASS (klass);

  sink_class->start = test_basket_start;
  sink_class->write = test_basket_write;
  sink_class->commit = test_basket_commit;
  sink_class->abort = test_basket_abort;
}

static void
test_basket_init (TestBasket *self)
{
}

static AccSink *
make_basket (gint64 number, gpointer data)
{
  TestBasket *basket = g_object_new (TEST_TYPE_BASKET, "context-bound", bound_to != NULL, NULL);

  basket->number = number;
  g_assert_cmpint (g_atomic_int_get (&in_baskets), ==, 0);

  return ACC_SINK (basket);
}

static void
test_baskets (void)
{
  g_autoptr(TestGate) gate = gate_new (40, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autoptr(GError) error = NULL;

  n_baskets = 0;
  g_assert_true (acc_sequence_write_each (squares, backend, make_basket, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (n_baskets, ==, 40);

  n_baskets = 0;
  basket_fails_at = 11;
  g_assert_false (acc_sequence_write_each (squares, backend, make_basket, NULL, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  g_assert_true (g_str_has_prefix (error->message, "element 11: "));
  g_assert_cmpint (n_baskets, ==, 12);
  basket_fails_at = -1;
}

/* --- files: several at a time */

typedef struct {
  const char *folder;
  gint64      fails_at;    /* -1: none */
  gboolean    one;         /* all have the same name */
} Place;

static char *
name_file (const Place *place, gint64 number)
{
  /* No picture holds i8. */
  return g_strdup_printf ("%s/%d.%s", place->folder, place->one ? 0 : (int) number, number == place->fails_at ? "png" : "npy");
}

static AccSink *
make_file (gint64 number, gpointer data)
{
  g_autofree char *name = name_file (data, number);
  g_autoptr(GFile) file = g_file_new_for_path (name);
  g_autoptr(GError) error = NULL;
  AccSink *sink = acc_sink_create (file, NULL, &error);

  g_assert_no_error (error);

  return sink;
}

static gint64
read_file (const char *name)
{
  g_autoptr(GFile) file = g_file_new_for_path (name);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSource) source = acc_source_open (file, NULL, &error);
  g_autoptr(AccArray) array = NULL, held = NULL;

  g_assert_no_error (error);
  array = acc_array_new_from_source (source);
  held = run (judge, array);

  return get_first (held);
}

/* The folder is empty behind that. @least of the first are there, and nothing that is half of one. */
static void
expect_files (const Place *place, gint64 n, gint64 least)
{
  g_autoptr(GDir) dir = NULL;

  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *name = name_file (place, i);
      gboolean is_there = i != place->fails_at && g_file_test (name, G_FILE_TEST_EXISTS);

      g_assert_true (is_there || i >= least);
      if (is_there)
        g_assert_cmpint (read_file (name), ==, i * i);
      if (is_there)
        g_remove (name);
    }
  dir = g_dir_open (place->folder, 0, NULL);
  g_assert_null (g_dir_read_name (dir));
}

static void
test_files (void)
{
  g_autoptr(TestGate) gate = gate_new (40, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autofree char *folder = g_dir_make_tmp ("acc-ahead-XXXXXX", NULL), *name = NULL;
  Place place = { folder, -1, FALSE };
  AccBudget *budget = acc_backend_get_host_budget (backend);
  g_autoptr(GError) error = NULL;

  g_assert_true (acc_sequence_write_each (squares, backend, make_file, &place, NULL, &error));
  g_assert_no_error (error);
  expect_files (&place, 40, 40);

  /* One cannot be made. */
  place.fails_at = 23;
  g_assert_false (acc_sequence_write_each (squares, backend, make_file, &place, NULL, &error));
  g_assert_nonnull (error);
  g_assert_true (g_str_has_prefix (error->message, "element 23: "));
  g_clear_error (&error);
  expect_files (&place, 40, 23);

  /* The producer fails: all before that are written. */
  place.fails_at = -1;
  gate->fails_at = 31;
  g_assert_false (acc_sequence_write_each (squares, backend, make_file, &place, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  g_clear_error (&error);
  expect_files (&place, 31, 31);
  gate->fails_at = -1;

  /* The last stays where all have one name. */
  place.one = TRUE;
  g_assert_true (acc_sequence_write_each (squares, backend, make_file, &place, NULL, &error));
  g_assert_no_error (error);
  name = name_file (&place, 0);
  g_assert_cmpint (read_file (name), ==, 39 * 39);
  g_remove (name);
  place.one = FALSE;

  /* Refusals of memory: what cannot be written beside others is, alone. */
  for (guint k = 1; k < 60; k += 3)
    {
      gboolean written;

      acc_budget_fail_nth (budget, k);
      written = acc_sequence_write_each (squares, backend, make_file, &place, NULL, &error);
      acc_budget_fail_nth (budget, 0);
      if (!written)
        g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      g_clear_error (&error);
      expect_files (&place, 40, written ? 40 : 0);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Of a loop that chooses what it writes. */
static void
test_iterator (void)
{
  g_autoptr(TestGate) gate = gate_new (40, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autofree char *folder = g_dir_make_tmp ("acc-ahead-XXXXXX", NULL);
  Place place = { folder, -1, FALSE };
  g_autoptr(GError) error = NULL;

  for (guint turn = 0; turn < 3; turn++)
    {
      g_autoptr(AccSequenceIterator) iterator = acc_sequence_iterate (squares, backend);
      gboolean good = TRUE;

      place.fails_at = turn == 1 ? 20 : -1;
      g_assert_true (acc_sequence_iterator_finish_writes (iterator, &error));
      for (gint64 i = 0; good && i < (turn == 2 ? 5 : 40); i++)
        {
          g_autoptr(AccArray) element = acc_sequence_iterator_next (iterator, NULL, &error);
          g_autoptr(AccSink) sink = i % 2 == 0 ? make_file (i, &place) : NULL;

          g_assert_no_error (error);
          good = sink == NULL || acc_sequence_iterator_write (iterator, element, i, sink, &error);
        }
      if (turn < 2)
        good = good && acc_sequence_iterator_finish_writes (iterator, &error);
      acc_sequence_iterator_close (iterator);
      g_assert_cmpint (good, ==, turn != 1);
      if (turn == 1)
        g_assert_true (g_str_has_prefix (error->message, "element 20: "));
      g_clear_error (&error);
      for (gint64 i = 0; i < 40; i++)
        {
          g_autofree char *name = name_file (&place, i);
          gboolean is_there = g_file_test (name, G_FILE_TEST_EXISTS);

          g_assert_false (is_there && (i % 2 != 0 || i == place.fails_at));
          g_assert_true (is_there || i % 2 != 0 || turn == 2 || (turn == 1 && i >= 20));
          g_assert_true (!is_there || g_remove (name) == 0);
        }
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Sinks that one thread alone may call: of a walk on that, and of one on another thread. */
static void
test_bound (void)
{
  g_autoptr(TestGate) gate = gate_new (40, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autoptr(AccJob) job = NULL;
  g_autoptr(GError) error = NULL;

  bound_to = g_thread_self ();
  n_baskets = 0;
  g_assert_true (acc_sequence_write_each (squares, backend, make_basket, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (n_baskets, ==, 40);

  n_baskets = 0;
  job = acc_sequence_start_write_each (squares, backend, NULL, make_basket, NULL, NULL);
  while (acc_job_get_state (job) == ACC_JOB_RUNNING)
    g_main_context_iteration (NULL, FALSE);
  g_assert_true (acc_job_wait (job, &error));
  g_assert_no_error (error);
  g_assert_cmpint (n_baskets, ==, 40);
  bound_to = NULL;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  g_test_add_func ("/writes/baskets", test_baskets);
  g_test_add_func ("/writes/files", test_files);
  g_test_add_func ("/writes/iterator", test_iterator);
  g_test_add_func ("/writes/bound", test_bound);

  return run_tests ();
}
