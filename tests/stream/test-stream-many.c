/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Several arrays into several sinks: the same elements as in memory, sources read once where that can be, all outputs or none. */
#include "stream-files.h"
#include "stream-flow.h"

#include "acc-core/backend/acc-backend-private.h"

#include <glib/gstdio.h>
#include <string.h>

#define ROWS    400
#define COLUMNS 100

typedef struct {
  AccBackend *backend;
  TestSource *source;
  AccArray   *array;
  TestSink   *sinks[4];
  guint64     before;    /* bytes held */
} Fixture;

static void
set_up (Fixture *f, gconstpointer name)
{
  g_autoptr(GError) error = NULL;

  f->backend = acc_backend_new_for_name (name, &error);
  g_assert_no_error (error);
  f->source = test_source_new ("i4", (gint64[]) { ROWS, COLUMNS }, 2, 7);
  f->array = acc_array_new_from_source (ACC_SOURCE (f->source));
  for (guint i = 0; i < G_N_ELEMENTS (f->sinks); i++)
    f->sinks[i] = test_sink_new ();
  f->before = acc_budget_get_used (acc_backend_get_budget (f->backend));
}

static void
tear_down (Fixture *f, gconstpointer name)
{
  for (guint i = 0; i < G_N_ELEMENTS (f->sinks); i++)
    g_object_unref (f->sinks[i]);
  g_object_unref (f->array);
  g_assert_cmpint (f->source->n_started, ==, f->source->n_finished);
  g_object_unref (f->source);
  g_object_unref (f->backend);
}

/* --- programs */

/* As many rows above and below as @data. */
static AccExpr *
outermost (AccExpr *n, gpointer data)
{
  gint64 reach = GPOINTER_TO_INT (data);

  return acc_expr_sub (acc_expr_neighbour2 (n, -reach, 0), acc_expr_neighbour2 (n, reach, 1));
}

static AccArray *
stretch (AccArray *array, gint64 reach)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (array, (gint64[]) { 2 * reach + 1, 3 }, 2, boundary, outermost, GINT_TO_POINTER ((int) reach));
}

static AccExpr *
over_largest (AccExpr *x, gpointer largest)
{
  return acc_expr_fdiv (acc_expr_cast (x, acc_element_type_new (ACC_KIND_F64)),
                        acc_expr_cast (acc_expr_the (largest), acc_element_type_new (ACC_KIND_F64)));
}

/* Of nothing but its extents. */
static AccArray *
make_numbers (gint64 n_rows, gint64 n_columns)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (n_rows, n_columns);

  return acc_array_enum_from_step_n (shape, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 3), acc_expr_new_int (2));
}

/* --- what is checked */

static void
check_sink (Fixture *f, AccArray *array, TestSink *sink)
{
  g_autoptr(AccBackend) judge = acc_backend_new_for_name ("interpreter", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) expected = acc_backend_run (judge, array, NULL, &error);

  g_assert_no_error (error);
  test_sink_assert_ended (sink, TRUE);
  test_sink_assert_same (sink, expected);
}

static void
check_none (TestSink **sinks, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (sinks[i]->n_committed, ==, 0);
      g_assert_cmpint (sinks[i]->n_started, ==, sinks[i]->n_aborted);
    }
}

/* Writes and checks all; returns how often the source was read. */
static int
write_all (Fixture *f, AccArray **arrays, guint n)
{
  g_autoptr(GError) error = NULL;
  int before = f->source->n_started, reads;

  acc_backend_write_many (f->backend, arrays, n, (AccSink **) f->sinks, n, NULL, &error);
  g_assert_no_error (error);
  reads = f->source->n_started - before;
  acc_backend_set_memory_limit (f->backend, 0);
  for (guint i = 0; i < n; i++)
    check_sink (f, arrays[i], f->sinks[i]);

  return reads;
}

/* Maps, stencils of different heights, reductions: one walk. */
static void
test_one_walk (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) map = acc_array_map (f->array, flow_affine, NULL), blur = stretch (f->array, 5);
  g_autoptr(AccArray) both = acc_array_zip_with (map, blur, flow_plus, NULL), sums = acc_array_sum_all (blur);
  AccArray *arrays[] = { map, blur, both, sums };

  g_assert_cmpint (write_all (f, arrays, 4), ==, 1);
  g_assert_cmpint (f->sinks[0]->n_chunks, >, 0);
}

/* The same array twice, and the source as it is. */
static void
test_same (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) map = acc_array_map (f->array, flow_affine, NULL);
  AccArray *arrays[] = { map, f->array, map, f->array };

  g_assert_cmpint (write_all (f, arrays, 4), ==, 1);
}

/* In memory, made of nothing, of a source. */
static void
test_mixed (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) map = acc_array_map (f->array, flow_affine, NULL);
  g_autoptr(AccArray) made = make_numbers (90, 20);
  g_autoptr(AccArray) sorted = acc_array_sort (made, TRUE), there = acc_backend_run (f->backend, made, NULL, NULL);
  AccArray *arrays[] = { there, map, sorted, made };

  g_assert_cmpint (write_all (f, arrays, 4), ==, 1);
}

/* What needs a store has it once; the limit leaves no room for it in memory. */
static void
test_stored (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) turned = acc_array_transpose (f->array), back = acc_array_reverse_on (f->array, 0);
  AccArray *arrays[] = { turned, back, f->array };

  acc_backend_set_memory_limit (f->backend, f->before + ROWS * COLUMNS * 3);
  g_assert_cmpint (write_all (f, arrays, 3), <=, 2);
}

/* A statistic, what is made with it, and something else: two walks where the rows cannot wait. */
static void
test_statistic (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) largest = acc_array_maximum_all (f->array), ratio = acc_array_map (f->array, over_largest, largest);
  g_autoptr(AccArray) map = acc_array_map (f->array, flow_affine, NULL);
  AccArray *arrays[] = { ratio, map, largest };

  acc_backend_set_memory_limit (f->backend, f->before + ROWS * COLUMNS);
  g_assert_cmpint (write_all (f, arrays, 3), ==, 2);
}

/* The least limit that @plan does within. */
static guint64
find_limit (Fixture *f, AccArray **arrays, guint n)
{
  guint64 low = 0, high = 1 << 24;

  while (low + 1 < high)
    {
      guint64 middle = (low + high) / 2;
      g_autoptr(AccPlan) plan = NULL;

      acc_backend_set_memory_limit (f->backend, f->before + middle);
      plan = acc_backend_plan_many (f->backend, arrays, n, (AccSink **) f->sinks, n, NULL);
      if (plan != NULL)
        high = middle;
      else
        low = middle;
    }

  return f->before + high;
}

/* Too little memory for one walk is enough for one walk after the other, and the plan tells what that reads again. */
static void
test_walks (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) high = stretch (f->array, 40), higher = stretch (f->array, 50), other = acc_array_map (higher, flow_affine, NULL);
  AccArray *arrays[] = { high, other };
  guint64 limit = MAX (find_limit (f, &arrays[0], 1), find_limit (f, &arrays[1], 1));
  g_autoptr(AccPlan) plan = NULL, roomy = NULL;
  g_autofree char *text = NULL, *one = NULL;
  g_autoptr(GError) error = NULL;

  acc_backend_set_memory_limit (f->backend, limit);
  plan = acc_backend_plan_many (f->backend, arrays, 2, (AccSink **) f->sinks, 2, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_assert_nonnull (strstr (text, "walk 2, reads "));
  g_assert_nonnull (strstr (text, "again: "));
  g_assert_cmpint (write_all (f, arrays, 2), ==, 2);

  roomy = acc_backend_plan_many (f->backend, arrays, 2, (AccSink **) f->sinks, 2, &error);
  g_assert_no_error (error);
  one = acc_plan_to_string (roomy);
  g_assert_null (strstr (one, "walk 2"));
}

static char *
list_folder (const char *path)
{
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  GString *names = g_string_new (NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    g_string_append_printf (names, "%s ", name);

  return g_string_free (names, FALSE);
}

/* Whatever fails, of whichever sink: the message names it, and no file appears. */
static void
test_all_or_nothing (Fixture *f, gconstpointer name)
{
  g_autofree char *folder = g_dir_make_tmp ("acc-many-XXXXXX", NULL), *path = g_build_filename (folder, "a.raw", NULL);
  g_autoptr(AccArray) map = acc_array_map (f->array, flow_affine, NULL), blur = stretch (f->array, 3);

  for (guint i = 0; i < 5; i++)
    {
      g_autoptr(TestSink) bad = g_object_new (TEST_TYPE_SINK, "name", "bad one", NULL), good = test_sink_new ();
      g_autoptr(GFile) file = g_file_new_for_path (path);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccSink) raw = acc_sink_create (file, NULL, &error);
      g_autofree char *left = NULL;
      AccSink *sinks[] = { raw, ACC_SINK (good), ACC_SINK (bad) };

      g_assert_no_error (error);
      bad->fail_row = i == 1 ? 0 : i == 2 ? ROWS - 1 : -1;
      bad->fail_start = i == 0;
      bad->fail_commit = i == 3;
      f->source->fail_row = i == 4 ? ROWS / 2 : -1;
      g_assert_false (acc_backend_write_many (f->backend, (AccArray *[]) { map, map, blur }, 3, sinks, 3, NULL, &error));
      g_assert_nonnull (error);
      if (i < 4)
        g_assert_nonnull (strstr (error->message, "“bad one”"));
      check_none ((TestSink *[]) { bad }, 1);
      /* One that cannot tell beforehand may have ended before. */
      if (i != 3)
        check_none ((TestSink *[]) { good }, 1);
      left = list_folder (folder);
      g_assert_cmpstr (left, ==, "");
    }
  f->source->fail_row = -1;

  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_files (Fixture *f, gconstpointer name)
{
  g_autofree char *folder = g_dir_make_tmp ("acc-many-XXXXXX", NULL), *first = g_build_filename (folder, "a.npy", NULL),
    *second = g_build_filename (folder, "b.npy", NULL), *left = NULL;
  g_autoptr(GFile) first_file = g_file_new_for_path (first), second_file = g_file_new_for_path (second);
  GFile *files[] = { first_file, second_file };
  g_autoptr(AccArray) map = acc_array_map (f->array, flow_affine, NULL), blur = stretch (f->array, 3);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSink) a = acc_sink_create (files[0], NULL, &error), b = acc_sink_create (files[1], NULL, &error);

  g_assert_true (acc_backend_write_many (f->backend, (AccArray *[]) { map, blur }, 2, (AccSink *[]) { a, b }, 2, NULL, &error));
  g_assert_no_error (error);
  left = list_folder (folder);
  g_assert_true (strcmp (left, "a.npy b.npy ") == 0 || strcmp (left, "b.npy a.npy ") == 0);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(AccSource) source = acc_source_open (files[i], NULL, &error);
      g_autoptr(AccArray) read = acc_array_new_from_source (source), wrong = NULL, any = NULL, value = NULL;
      g_autoptr(GBytes) bytes = NULL;

      g_assert_no_error (error);
      wrong = acc_array_ne (read, i == 0 ? map : blur);
      any = acc_array_any_true (wrong);
      value = acc_backend_run (f->backend, any, NULL, &error);
      g_assert_no_error (error);
      bytes = acc_array_dup_bytes (value, 0, NULL);
      g_assert_cmpint (*(const guint8 *) g_bytes_get_data (bytes, NULL), ==, 0);
      g_assert_true (g_file_delete (files[i], NULL, NULL));
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* A sink is for one array; nothing is begun. No arrays are fine. */
static void
test_refused (Fixture *f, gconstpointer name)
{
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_backend_write_many (f->backend, (AccArray *[]) { f->array, f->array }, 2,
                                          (AccSink *[]) { ACC_SINK (f->sinks[0]), ACC_SINK (f->sinks[0]) }, 2, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
  g_assert_nonnull (strstr (error->message, "given twice"));
  g_clear_error (&error);
  g_assert_false (acc_backend_write_many (f->backend, (AccArray *[]) { f->array }, 1, (AccSink **) f->sinks, 2, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_assert_cmpint (f->sinks[0]->n_started, ==, 0);
  g_clear_error (&error);
  g_assert_true (acc_backend_write_many (f->backend, NULL, 0, NULL, 0, NULL, &error));
  g_assert_no_error (error);
}

/* Two sinks of one file, which has names by links, too: refused before the source is asked for a row, by plans as well. Devices keep
 * nothing, and take several. */
static void
test_same_file (Fixture *f, gconstpointer name)
{
  static const char *const pairs[][2] = { { "a.npy", "a.npy" }, { "a.npy", "link/a.npy" }, { "a.npy", "other.npy" },
                                          { "a.png", "./link/../a.png" }, { "there.raw", "link/there.raw" } };
  g_autofree char *folder = g_dir_make_tmp ("acc-many-XXXXXX", NULL), *link = g_build_filename (folder, "link", NULL),
    *other = g_build_filename (folder, "other.npy", NULL), *there = g_build_filename (folder, "there.raw", NULL), *left = NULL;
  g_autoptr(GFile) link_file = g_file_new_for_path (link), other_file = g_file_new_for_path (other),
    null = g_file_new_for_path ("/dev/null");
  g_autoptr(AccArray) map = acc_array_map (f->array, flow_affine, NULL);
  AccArray *arrays[] = { map, f->array };
  g_autoptr(AccSink) first = NULL, second = NULL;
  g_autoptr(GError) error = NULL;
  int before = f->source->n_started;

  g_assert_true (g_file_make_symbolic_link (link_file, ".", NULL, &error));
  g_assert_true (g_file_make_symbolic_link (other_file, "a.npy", NULL, &error));
  g_assert_true (g_file_set_contents (there, "old", 3, &error));
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autoptr(GFile) a = g_file_new_build_filename (folder, pairs[i][0], NULL), b = g_file_new_build_filename (folder, pairs[i][1], NULL);
      g_autoptr(AccSink) one = acc_sink_create (a, NULL, &error), two = acc_sink_create (b, NULL, &error);
      g_autoptr(AccPlan) plan = NULL;
      AccSink *sinks[] = { one, two };

      g_assert_no_error (error);
      g_assert_false (acc_backend_write_many (f->backend, arrays, 2, sinks, 2, NULL, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
      g_assert_nonnull (strstr (error->message, pairs[i][0]));
      g_clear_error (&error);
      plan = acc_backend_plan_many (f->backend, arrays, 2, sinks, 2, &error);
      g_assert_null (plan);
      g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
      g_clear_error (&error);
    }
  g_assert_cmpint (f->source->n_started, ==, before);

  first = acc_sink_create (null, NULL, &error);
  second = acc_sink_create (null, NULL, &error);
  g_assert_true (acc_backend_write_many (f->backend, arrays, 2, (AccSink *[]) { first, second }, 2, NULL, &error));
  g_assert_no_error (error);

  g_assert_cmpint (g_unlink (link) + g_unlink (other) + g_unlink (there), ==, 0);
  left = list_folder (folder);
  g_assert_cmpstr (left, ==, "");
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Two sinks of one stream: refused before anything is read or written, by plans as well. */
static void
test_same_stream (Fixture *f, gconstpointer name)
{
  static const char *const formats[][2] = { { "npy", "npy" }, { "raw", "png" }, { "png", "npy" } };
  g_autoptr(AccArray) map = acc_array_map (f->array, flow_affine, NULL);
  AccArray *arrays[] = { map, f->array };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr(GOutputStream) stream = g_memory_output_stream_new_resizable (), other = g_memory_output_stream_new_resizable ();
      g_autoptr(GError) error = NULL;
      g_autoptr(AccSink) one = acc_sink_new_for_stream (stream, formats[i][0], &error);
      g_autoptr(AccSink) two = acc_sink_new_for_stream (stream, formats[i][1], &error);
      g_autoptr(AccSink) apart = acc_sink_new_for_stream (other, "npy", &error);
      g_autoptr(AccPlan) plan = acc_backend_plan_many (f->backend, arrays, 2, (AccSink *[]) { one, two }, 2, &error);
      int before = f->source->n_started;

      g_assert_null (plan);
      g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
      g_clear_error (&error);
      g_assert_false (acc_backend_write_many (f->backend, arrays, 2, (AccSink *[]) { one, two }, 2, NULL, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
      g_assert_nonnull (strstr (error->message, "same stream"));
      g_clear_error (&error);
      g_assert_cmpint (f->source->n_started, ==, before);
      g_assert_cmpuint (g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (stream)), ==, 0);
      if (i > 0)
        continue;
      g_assert_true (acc_backend_write_many (f->backend, arrays, 2, (AccSink *[]) { one, apart }, 2, NULL, &error));
      g_assert_no_error (error);
    }
}

static void
test_cancelled (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) map = acc_array_map (f->array, flow_affine, NULL), blur = stretch (f->array, 3);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;

  f->source->cancels = cancellable;
  f->source->cancel_row = ROWS / 2;
  g_assert_false (acc_backend_write_many (f->backend, (AccArray *[]) { map, blur }, 2, (AccSink **) f->sinks, 2, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  check_none (f->sinks, 2);
  f->source->cancels = NULL;
}

static void
on_written (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;

  g_assert_true (acc_backend_write_many_finish (ACC_BACKEND (object), result, &error));
  g_assert_no_error (error);
  *(gboolean *) data = TRUE;
}

static void
test_async (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) map = acc_array_map (f->array, flow_affine, NULL), blur = stretch (f->array, 3);
  AccArray *arrays[] = { map, blur };
  gboolean done = FALSE;

  acc_backend_write_many_async (f->backend, arrays, 2, (AccSink **) f->sinks, 2, NULL, on_written, &done);
  while (!done)
    g_main_context_iteration (NULL, TRUE);
  for (guint i = 0; i < 2; i++)
    check_sink (f, arrays[i], f->sinks[i]);
}

static void
test_job (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) map = acc_array_map (f->array, flow_affine, NULL), high = stretch (f->array, 40), higher = stretch (f->array, 50);
  AccArray *arrays[] = { high, higher, map };
  guint64 limit = MAX (find_limit (f, &arrays[0], 1), find_limit (f, &arrays[1], 1));
  g_autoptr(GError) error = NULL;
  g_autoptr(AccJob) job = NULL;

  acc_backend_set_memory_limit (f->backend, limit);
  job = acc_backend_start_write_many (f->backend, arrays, 3, (AccSink **) f->sinks, 3, NULL);
  g_assert_true (acc_job_wait (job, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (acc_job_get_fraction (job), ==, 1);
  g_assert_cmpuint (acc_job_get_chunks_done (job), ==, acc_job_get_n_chunks (job));
  acc_backend_set_memory_limit (f->backend, 0);
  for (guint i = 0; i < 3; i++)
    check_sink (f, arrays[i], f->sinks[i]);
}

/* --- compiled programs */

static GPtrArray *
make_two (AccArray **arrays, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) blur = stretch (arrays[0], 2);

  g_ptr_array_add (results, acc_array_zip_with (blur, arrays[1], flow_mix, NULL));
  g_ptr_array_add (results, acc_array_sum_all (arrays[0]));

  return results;
}

/* A source and an array in memory as arguments; results in memory by one walk, or written by one. */
static void
test_program (Fixture *f, gconstpointer name)
{
  static const char *signatures[] = { "i4[:,:]", "i4[:,100]", NULL };
  g_autoptr(AccProgram) program = acc_program_new_many (signatures, make_two, NULL);
  g_autoptr(AccArray) made = make_numbers (ROWS, COLUMNS);
  g_autoptr(AccArray) memory = NULL, there = NULL;
  g_autoptr(GPtrArray) results = NULL, expected = NULL, applied = NULL;
  g_autoptr(AccExecutable) executable = NULL;
  g_autoptr(GError) error = NULL;
  int before;

  executable = acc_backend_compile (f->backend, program, NULL, &error);
  g_assert_no_error (error);
  memory = acc_backend_run (f->backend, f->array, NULL, &error);
  there = acc_backend_run (f->backend, made, NULL, &error);
  expected = acc_executable_run (executable, (AccArray *[]) { memory, there }, 2, NULL, &error);
  g_assert_no_error (error);

  before = f->source->n_started;
  results = acc_executable_run (executable, (AccArray *[]) { f->array, made }, 2, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (f->source->n_started, ==, before + 1);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(GBytes) wanted = acc_array_dup_bytes (g_ptr_array_index (expected, i), 0, NULL);
      g_autoptr(GBytes) got = acc_array_dup_bytes (g_ptr_array_index (results, i), 0, NULL);

      g_assert_true (g_bytes_equal (wanted, got));
    }

  applied = acc_program_apply (program, (AccArray *[]) { f->array, made }, 2, &error);
  g_assert_no_error (error);
  g_assert_cmpint (write_all (f, (AccArray **) applied->pdata, 2), ==, 1);

  g_assert_null (acc_program_apply (program, (AccArray *[]) { made, f->sinks[0] != NULL ? f->array : NULL, made }, 3, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);
  g_clear_object (&memory);
  memory = acc_array_transpose (f->array);   /* 100 rows */
  g_assert_null (acc_executable_run (executable, (AccArray *[]) { f->array, memory }, 2, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
}

static const struct { const char *name; void (*test) (Fixture *f, gconstpointer name); } tests[] = {
  { "one-walk", test_one_walk }, { "same", test_same }, { "mixed", test_mixed }, { "stored", test_stored },
  { "statistic", test_statistic }, { "walks", test_walks }, { "all-or-nothing", test_all_or_nothing }, { "files", test_files },
  { "refused", test_refused }, { "same-file", test_same_file }, { "same-stream", test_same_stream },
  { "cancelled", test_cancelled }, { "async", test_async }, { "job", test_job }, { "program", test_program },
};

static void
add_tests (const char *name, AccBackend *backend)
{
  for (guint t = 0; t < G_N_ELEMENTS (tests); t++)
    {
      g_autofree char *path = g_strdup_printf ("/stream/many/%s/%s", name, tests[t].name);

      g_test_add (path, Fixture, name, set_up, tests[t].test, tear_down);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("interpreter,native", add_tests);

  return g_test_run ();
}
