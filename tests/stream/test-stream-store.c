/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stores in temporary files: what is in them, what they take, what is left. */
#include "stream-files.h"
#include "stream-flow.h"

#include "acc-core/backend/acc-backend-private.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct {
  AccBackend *backend;
  char       *folder;
  guint64     before;    /* bytes held */
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  f->backend = acc_backend_new_for_name ("interpreter", &error);
  g_assert_no_error (error);
  f->folder = g_dir_make_tmp ("acc-store-XXXXXX", &error);
  g_assert_no_error (error);
  acc_backend_set_temporary_folder (f->backend, f->folder);
  f->before = acc_budget_get_used (acc_backend_get_budget (f->backend));
}

static guint
count_files (Fixture *f)
{
  g_autoptr(GDir) dir = g_dir_open (f->folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;

  return n;
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_assert_cmpuint (acc_backend_get_temporary_used (f->backend), ==, 0);
  g_assert_cmpuint (count_files (f), ==, 0);
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->folder);
  g_object_unref (f->backend);
}

static AccArray *
upside_down (TestSource *source)
{
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
  AccArray *result = acc_array_reverse_on (array, 0);

  acc_array_set_label (result, "flip");

  return result;
}

/* Row @row of the array of @source, from the bottom, is row @row of what was written. */
static void
assert_turned (TestSource *source, TestSink *sink)
{
  AccElementType *type = acc_source_get_element_type (ACC_SOURCE (source));
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("interpreter", NULL);
  g_autoptr(AccArray) straight = acc_backend_run (backend, array, NULL, NULL);
  gint64 n_rows = acc_shape_get_extent (acc_array_get_shape (straight), 0);

  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    {
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (straight, i, NULL);
      gsize size, row_bytes;
      const guint8 *data = g_bytes_get_data (bytes, &size);

      row_bytes = n_rows > 0 ? size / (gsize) n_rows : 0;
      g_assert_cmpuint (sink->buffers[i]->len, ==, size);
      for (gsize row = 0; row < (gsize) n_rows && row_bytes > 0; row++)
        g_assert_cmpmem (sink->buffers[i]->data + row * row_bytes, row_bytes, data + (n_rows - 1 - row) * row_bytes, row_bytes);
    }
}

/* Every element type, several buffers, no elements; within a limit that leaves no room for the store. */
static void
test_contents (Fixture *f, gconstpointer data)
{
  static const struct { const char *code; gint64 extents[3]; guint rank; } cases[] = {
    { "b1", { 400, 700 }, 2 }, { "u1", { 900, 700 }, 2 }, { "i2", { 300, 700 }, 2 }, { "f4", { 400, 500 }, 2 }, { "f8", { 900, 50, 3 }, 3 },
    { "i8", { 90000 }, 1 }, { "(u1,(f8,i2))", { 200, 300 }, 2 }, { "f2", { 0, 700 }, 2 }, { "i4", { 700, 0 }, 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(TestSource) source = test_source_new (cases[i].code, cases[i].extents, cases[i].rank, 1);
      g_autoptr(AccArray) array = upside_down (source);
      g_autoptr(TestSink) sink = test_sink_new ();
      g_autoptr(GError) error = NULL;

      acc_backend_set_memory_limit (f->backend, f->before + 160000);
      acc_backend_write (f->backend, array, ACC_SINK (sink), NULL, &error);
      g_assert_no_error (error);
      test_sink_assert_ended (sink, TRUE);
      assert_turned (source, sink);
      g_assert_cmpuint (acc_backend_get_temporary_used (f->backend), ==, 0);
      g_assert_cmpuint (count_files (f), ==, 0);
    }
}

/* A result that is made of stores keeps none. */
static void
test_gone (Fixture *f, gconstpointer data)
{
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { 300, 200 }, 2, 1);
  g_autoptr(AccArray) array = upside_down (source), sums = acc_array_sum_all (array), result = NULL;
  g_autoptr(GError) error = NULL;

  acc_backend_set_memory_limit (f->backend, f->before + 300000);
  result = acc_backend_run (f->backend, sums, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (acc_backend_get_temporary_used (f->backend), ==, 0);
}

static void
expect_failure (Fixture *f, TestSource *source, GQuark domain, int code, const char *first, const char *second)
{
  g_autoptr(AccArray) array = upside_down (source);
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;

  acc_backend_set_memory_limit (f->backend, f->before + 160000);
  g_assert_false (acc_backend_write (f->backend, array, ACC_SINK (sink), NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, domain, code);
  g_assert_nonnull (strstr (error->message, first));
  g_assert_nonnull (strstr (error->message, second));
  g_assert_cmpint (source->n_started, ==, source->n_finished);
  test_sink_assert_ended (sink, FALSE);
  g_assert_cmpuint (acc_backend_get_temporary_used (f->backend), ==, 0);
}

static void
test_failures (Fixture *f, gconstpointer data)
{
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { 300, 200 }, 2, 1);
  g_autofree char *absent = g_build_filename (f->folder, "absent", NULL), *folder = NULL;

  /* 240000 bytes, and what is aligned. */
  acc_backend_set_temporary_quota (f->backend, 200000);
  g_assert_cmpuint (acc_backend_get_temporary_quota (f->backend), ==, 200000);
  expect_failure (f, source, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "reverse_on “flip” reads rows in another order", "needs 262144 bytes");
  expect_failure (f, source, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, " of temporary files", "of 200000 allowed");
  g_assert_cmpint (source->n_started, ==, 0);
  acc_backend_set_temporary_quota (f->backend, 0);

  acc_backend_set_temporary_folder (f->backend, absent);
  folder = acc_backend_dup_temporary_folder (f->backend);
  g_assert_cmpstr (folder, ==, absent);
  expect_failure (f, source, ACC_ERROR, ACC_ERROR_IO, "reverse_on “flip”", "262144 bytes");
  expect_failure (f, source, ACC_ERROR, ACC_ERROR_IO, absent, "ACC_TMPDIR");
  g_assert_cmpint (source->n_started, ==, 0);
  acc_backend_set_temporary_folder (f->backend, f->folder);

  source->fail_row = 250;
  expect_failure (f, source, ACC_ERROR, ACC_ERROR_IO, "reverse_on “flip”", "bad row 250");
}

/* The run stops in its first stage. */
static void
test_cancelled (Fixture *f, gconstpointer data)
{
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { 300, 200 }, 2, 1);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(AccArray) array = upside_down (source);
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;

  source->cancels = g_object_ref (cancellable);
  source->cancel_row = 100;
  acc_backend_set_memory_limit (f->backend, f->before + 160000);
  g_assert_false (acc_backend_write (f->backend, array, ACC_SINK (sink), cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  test_sink_assert_ended (sink, FALSE);
  g_assert_cmpint (source->n_started, ==, source->n_finished);
}

/* Plans read nothing, and tell of stores in memory and in files. */
static void
test_plan (Fixture *f, gconstpointer data)
{
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { 300, 200 }, 2, 1);
  g_autoptr(AccArray) array = upside_down (source);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autofree char *text = NULL;
      g_autoptr(AccPlan) plan = NULL;

      acc_backend_set_memory_limit (f->backend, f->before + (i == 0 ? 160000 : 1600000));
      plan = acc_backend_plan (f->backend, array, NULL, 0, &error);
      g_assert_no_error (error);
      text = acc_plan_to_string (plan);
      g_test_message ("%s", text);
      g_assert_nonnull (strstr (text, "\nstage 1  source is stored in "));
      g_assert_nonnull (strstr (text, i == 0 ? "in a temporary file" : "in memory"));
      g_assert_nonnull (strstr (text, "reverse_on “flip” reads rows in another order"));
    }
  g_assert_cmpint (source->n_started, ==, 0);
}

/* A choice reads only the side that is taken, and what both sides need once. */
static void
test_stages_of_choices (Fixture *f, gconstpointer data)
{
  g_autoptr(TestSource) one = test_source_new ("i4", (gint64[]) { 30, 20 }, 2, 1),
    other = test_source_new ("i4", (gint64[]) { 30, 20 }, 2, 2);
  g_autoptr(AccArray) left = upside_down (one), right = upside_down (other), zero = acc_array_unit (acc_expr_new_typed_int (
    acc_element_type_new (ACC_KIND_I32), 0)), most = acc_array_maximum_all (left), condition = acc_array_gt (most, zero),
    chosen = acc_array_cond (condition, left, right);
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;

  acc_backend_write (f->backend, chosen, ACC_SINK (sink), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (other->n_started, ==, 0);
  g_assert_cmpint (one->n_started, <=, 2);
  assert_turned (one, sink);
}

/* What reads a store in any order needs none of its own: plans name those that the run makes, and there is room for one. */
static void
test_plan_of_what_follows (Fixture *f, gconstpointer data)
{
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { 300, 200 }, 2, 1);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), flat = acc_array_flatten (array),
    result = acc_array_reverse_on (flat, 0);
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;
  g_autoptr(AccPlan) plan = NULL;
  g_autofree char *text = NULL;

  acc_backend_set_memory_limit (f->backend, f->before + 160000);
  acc_backend_set_temporary_quota (f->backend, 300000);
  plan = acc_backend_plan (f->backend, result, NULL, 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "\nstage 1  source is stored in a temporary file"));
  g_assert_null (strstr (text, "\nstage 2 "));
  g_assert_cmpint (source->n_started, ==, 0);

  acc_backend_write (f->backend, result, ACC_SINK (sink), NULL, &error);
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/stream/store/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("contents", test_contents);
  ADD ("gone", test_gone);
  ADD ("failures", test_failures);
  ADD ("cancelled", test_cancelled);
  ADD ("plan", test_plan);
  ADD ("plan/what-follows", test_plan_of_what_follows);
  ADD ("choices", test_stages_of_choices);
#undef ADD

  return g_test_run ();
}
