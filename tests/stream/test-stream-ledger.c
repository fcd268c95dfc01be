/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs that end in the middle, by an error or a signal that nobody can catch: the next one with the same ledger goes on, and gives the same
 * bytes. */
#include "stream-files.h"
#include "stream-flow.h"

#include "acc-core/data/acc-source-private.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/remove-tree.h"

#define ROWS    900
#define COLUMNS 64
#define LIMIT   140000     /* chunks of few rows */

typedef struct {
  AccBackend *backend;
  char       *folder;
  GFile      *ledger, *output;
  TestSource *source;
  AccArray   *array;
} Fixture;

static void
set_up (Fixture *f, gconstpointer name)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *ledger = NULL, *output = NULL;

  f->backend = acc_backend_new_for_name (name, &error);
  g_assert_no_error (error);
  f->folder = g_dir_make_tmp ("acc-ledger-XXXXXX", &error);
  g_assert_no_error (error);
  ledger = g_build_filename (f->folder, "ledger", NULL);
  output = g_build_filename (f->folder, "output.npy", NULL);
  f->ledger = g_file_new_for_path (ledger);
  f->output = g_file_new_for_path (output);
  f->source = test_source_new ("i4", (gint64[]) { ROWS, COLUMNS }, 2, 7);
  f->source->identity = "the first";
  f->array = acc_array_new_from_source (ACC_SOURCE (f->source));
  acc_backend_set_memory_limit (f->backend, acc_backend_get_memory_used (f->backend) + LIMIT);
}

static void
tear_down (Fixture *f, gconstpointer name)
{
  g_assert_false (g_file_query_exists (f->ledger, NULL));
  g_object_unref (f->array);
  g_object_unref (f->source);
  g_object_unref (f->ledger);
  g_object_unref (f->output);
  remove_tree (f->folder);
  g_free (f->folder);
  g_object_unref (f->backend);
}

/* --- programs */

static AccExpr *
around (AccExpr *n, gpointer data)
{
  return acc_expr_sub (acc_expr_neighbour2 (n, -2, 0), acc_expr_neighbour2 (n, 1, 1));
}

static AccArray *
blur (AccArray *array)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);

  return acc_array_stencil (array, (gint64[]) { 5, 3 }, 2, boundary, around, NULL);
}

static AccArray *
blurs (AccArray *array)
{
  g_autoptr(AccArray) first = blur (array), second = blur (first), mixed = acc_array_zip_with (second, array, flow_mix, NULL);

  return blur (mixed);
}

static AccArray *affine (AccArray *array) { return acc_array_map (array, flow_affine, NULL); }
static AccArray *sums (AccArray *array) { return acc_array_sum_all (array); }
static AccArray *row_sums (AccArray *array) { return acc_array_sum (array); }
static AccArray *turned (AccArray *array) { return acc_array_reverse_on (array, 0); }
static AccArray *transposed (AccArray *array) { return acc_array_transpose (array); }
/* No other rows are read. */
#define TAKEN 500
static AccArray *taken (AccArray *array) { return acc_array_take_on (array, 0, acc_expr_new_int (TAKEN)); }

static AccArray *
prefixes (AccArray *array)
{
  g_autoptr(AccArray) flat = acc_array_flatten (array);

  return acc_array_scanl1 (flat, flow_plus, NULL);
}

static AccArray *
pairs (AccArray *array)
{
  g_autoptr(AccArray) other = blur (array);

  return acc_array_zip (array, other);
}

static AccExpr *is_odd (AccExpr *x, gpointer data) { return acc_expr_ne (acc_expr_band (x, acc_expr_new_int (1)), acc_expr_new_int (0)); }

/* How many rows there are is known at the end. */
static AccArray *
kept (AccArray *array)
{
  g_autoptr(AccArray) odd = acc_array_filter (array, is_odd, NULL, NULL);

  return acc_array_map (odd, flow_affine, NULL);
}

static AccArray *(*const programs[]) (AccArray *array) = {
  affine, blurs, sums, row_sums, turned, transposed, taken, prefixes, pairs, kept,
};

/* --- what is checked */

static void
check_output (Fixture *f, AccArray *(*build) (AccArray *array))
{
  g_autoptr(AccBackend) judge = acc_backend_new_for_name ("interpreter", NULL);
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { ROWS, COLUMNS }, 2, 7);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), wanted = build (array), read = NULL, got = NULL,
    expected = NULL;
  g_autoptr(AccSource) written = NULL;
  g_autoptr(GError) error = NULL;

  expected = acc_backend_run (judge, wanted, NULL, &error);
  g_assert_no_error (error);
  written = acc_source_open (f->output, NULL, &error);
  g_assert_no_error (error);
  read = acc_array_new_from_source (written);
  got = acc_backend_run (judge, read, NULL, &error);
  g_assert_no_error (error);

  for (guint i = 0; i < acc_element_type_get_n_buffers (acc_array_get_element_type (expected)); i++)
    {
      g_autoptr(GBytes) a = acc_array_dup_bytes (expected, i, NULL), b = acc_array_dup_bytes (got, i, NULL);

      g_assert_true (g_bytes_equal (a, b));
    }
  g_file_delete (f->output, NULL, NULL);
}

static gboolean
write_array (Fixture *f, AccArray *array, GError **error)
{
  g_autoptr(AccSink) sink = acc_sink_create (f->output, NULL, NULL);

  return acc_backend_write_with_ledger (f->backend, array, sink, f->ledger, NULL, error);
}

/* Every program fails somewhere, twice, and goes on. */
static void
test_failures (Fixture *f, gconstpointer name)
{
  static const gint64 rows[] = { 0, 3, 100, 457, ROWS - 1 };

  for (guint p = 0; p < G_N_ELEMENTS (programs); p++)
    {
      g_autoptr(AccArray) result = programs[p] (f->array);

      for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
        {
          g_autoptr(GError) error = NULL;

          for (guint k = 0; k < 2; k++)
            {
              f->source->fail_row = MIN (rows[i] + k * 100, (programs[p] == taken ? TAKEN : ROWS) - 1);
              g_assert_false (write_array (f, result, &error));
              g_assert_nonnull (strstr (error->message, "bad row"));
              g_clear_error (&error);
              g_assert_true (g_file_query_exists (f->ledger, NULL));
              g_assert_false (g_file_query_exists (f->output, NULL));
            }
          f->source->fail_row = -1;
          g_assert_true (write_array (f, result, &error));
          g_assert_no_error (error);
          check_output (f, programs[p]);
          g_assert_false (g_file_query_exists (f->ledger, NULL));
        }
    }
}

/* Rows that are there are not computed again: the source has others by now, and does not say so. */
static void
test_not_again (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) result = blurs (f->array);
  g_autoptr(AccSource) written = NULL;
  g_autoptr(AccArray) read = NULL, got = NULL;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(GError) error = NULL;
  const gint32 *elements;

  f->source->fail_row = 600;
  g_assert_false (write_array (f, result, NULL));
  f->source->fail_row = -1;
  f->source->seed = 8;
  g_assert_true (write_array (f, result, &error));
  g_assert_no_error (error);

  acc_backend_set_memory_limit (f->backend, 0);
  written = acc_source_open (f->output, NULL, &error);
  g_assert_no_error (error);
  read = acc_array_new_from_source (written);
  got = acc_backend_run (f->backend, read, NULL, &error);
  g_assert_no_error (error);
  bytes = acc_array_dup_bytes (got, 0, NULL);
  elements = g_bytes_get_data (bytes, NULL);
  g_clear_object (&got);
  for (guint seed = 7; seed <= 8; seed++)
    {
      g_autoptr(AccBackend) judge = acc_backend_new_for_name ("interpreter", NULL);
      g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { ROWS, COLUMNS }, 2, seed);
      g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), wanted = blurs (array);
      g_autoptr(AccArray) expected = acc_backend_run (judge, wanted, NULL, &error);
      g_autoptr(GBytes) there = acc_array_dup_bytes (expected, 0, NULL);
      const gint32 *other = g_bytes_get_data (there, NULL);
      guint first = seed == 7 ? 0 : 620, last = seed == 7 ? 400 : ROWS;

      g_assert_cmpmem (elements + first * COLUMNS, (last - first) * COLUMNS * sizeof (gint32), other + first * COLUMNS,
                       (last - first) * COLUMNS * sizeof (gint32));
    }
  g_file_delete (f->output, NULL, NULL);
}

static gboolean
seek (AccSource *source, gint64 row, GCancellable *cancellable, GError **error)
{
  return TRUE;
}

/* A source that can seek is read from the rows on that the first missing row needs. */
static void
test_seek (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) result = blurs (f->array);
  g_autoptr(GError) error = NULL;

  acc_source_set_seek (ACC_SOURCE (f->source), seek);
  f->source->fail_row = 600;
  g_assert_false (write_array (f, result, NULL));
  f->source->fail_row = -1;
  g_assert_true (write_array (f, result, &error));
  g_assert_no_error (error);
  g_assert_cmpint (f->source->n_read, <, 600);
  g_assert_cmpint (f->source->n_read, >, ROWS - 600);
  check_output (f, blurs);
}

/* What a ledger is not for is an error, which leaves it. */
static void
test_changed (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) result = blurs (f->array), other = affine (f->array);
  g_autoptr(GError) error = NULL;

  f->source->fail_row = 600;
  g_assert_false (write_array (f, result, NULL));
  f->source->fail_row = -1;

  g_assert_false (write_array (f, other, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
  g_assert_nonnull (strstr (error->message, "another program"));
  g_clear_error (&error);

  f->source->identity = "the second";
  g_assert_false (write_array (f, result, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
  g_assert_nonnull (strstr (error->message, "a source has changed"));
  g_clear_error (&error);

  f->source->identity = NULL;
  g_assert_false (write_array (f, result, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  g_clear_error (&error);

  f->source->identity = "the first";
  g_assert_true (write_array (f, result, &error));
  g_assert_no_error (error);
  check_output (f, blurs);
}

/* Rows or records that did not get to the disk, or were damaged. */
static void
test_damaged (Fixture *f, gconstpointer name)
{
  static const char *files[] = { "ledger", "rows" };
  g_autoptr(AccArray) result = blurs (f->array);
  g_autoptr(GRand) rand = g_rand_new_with_seed (3);

  for (guint i = 0; i < 40; i++)
    {
      g_autoptr(GFile) file = g_file_get_child (f->ledger, files[i % 2]);
      g_autofree char *contents = NULL;
      g_autoptr(GError) error = NULL;
      gsize length, at;

      f->source->fail_row = 700;
      g_assert_false (write_array (f, result, NULL));
      f->source->fail_row = -1;

      g_assert_true (g_file_load_contents (file, NULL, &contents, &length, NULL, NULL));
      /* Not what is computed, at the beginning. */
      at = (gsize) g_rand_int_range (rand, i % 2 == 0 ? 260 : 0, (gint32) length);
      if (i % 4 < 2)
        length = at;
      else
        contents[at] ^= 0x41;
      g_assert_true (g_file_replace_contents (file, contents, length, NULL, FALSE, G_FILE_CREATE_NONE, NULL, NULL, NULL));
      g_assert_true (write_array (f, result, &error));
      g_assert_no_error (error);
      check_output (f, blurs);
    }
}

static guint64
get_inode (GFile *file)
{
  g_autoptr(GFileInfo) info = g_file_query_info (file, G_FILE_ATTRIBUTE_UNIX_INODE, G_FILE_QUERY_INFO_NONE, NULL, NULL);

  g_assert_nonnull (info);

  return g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_UNIX_INODE);
}

/* The file of rows becomes the output, and is not written again, but for tuples. */
static void
test_given (Fixture *f, gconstpointer name)
{
  static AccArray *(*const some[]) (AccArray *array) = { blurs, kept, row_sums, pairs };
  g_autoptr(GFile) rows = g_file_get_child (f->ledger, "rows");

  for (guint i = 0; i < G_N_ELEMENTS (some); i++)
    {
      g_autoptr(AccArray) result = some[i] (f->array);
      g_autoptr(GError) error = NULL;
      g_autofree char *path = g_file_get_path (f->output);
      guint64 inode;
      GStatBuf info;

      f->source->fail_row = 600;
      g_assert_false (write_array (f, result, NULL));
      f->source->fail_row = -1;
      inode = get_inode (rows);
      /* What is replaced keeps its permissions. */
      g_assert_true (g_file_set_contents (path, "old", -1, NULL));
      g_assert_cmpint (g_chmod (path, 0640), ==, 0);
      g_assert_true (write_array (f, result, &error));
      g_assert_no_error (error);
      g_assert_cmpint (get_inode (f->output) == inode, ==, some[i] != pairs);
      g_assert_cmpint (g_stat (path, &info), ==, 0);
      g_assert_cmpint (info.st_mode & 07777, ==, 0640);
      check_output (f, some[i]);
    }
}

/* Begun for a file, ended in another. */
static void
test_other_output (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) result = blurs (f->array);

  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *place = g_build_filename (f->folder, "other.raw", NULL), *contents = NULL, *wanted = NULL;
      g_autoptr(GFile) other = g_file_new_for_path (place);
      g_autoptr(GError) error = NULL;
      gsize length, all;

      for (guint k = 0; k < 2; k++)
        {
          g_autoptr(AccSink) sink = acc_sink_create ((i == k) ? other : f->output, NULL, NULL);

          f->source->fail_row = k == 0 ? 600 : -1;
          g_assert_cmpint (acc_backend_write_with_ledger (f->backend, result, sink, f->ledger, NULL, &error), ==, k);
          if (k == 1)
            g_assert_no_error (error);
          g_clear_error (&error);
        }
      if (i == 0)
        {
          check_output (f, blurs);
          continue;
        }
      g_assert_true (write_array (f, result, &error));
      g_assert_true (g_file_load_contents (other, NULL, &contents, &length, NULL, NULL));
      g_assert_true (g_file_load_contents (f->output, NULL, &wanted, &all, NULL, NULL));
      g_assert_cmpmem (contents, length, wanted + (all - length), length);
      check_output (f, blurs);
    }
}

/* As a job; cancelled, and gone on. */
static void
test_job (Fixture *f, gconstpointer name)
{
  g_autoptr(AccArray) result = blurs (f->array);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(AccSink) sink = acc_sink_create (f->output, NULL, NULL);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccJob) job = NULL;

      f->source->cancels = i == 0 ? cancellable : NULL;
      f->source->cancel_row = 400;
      job = acc_backend_start_write_with_ledger (f->backend, result, sink, f->ledger, i == 0 ? cancellable : NULL);
      if (i == 0)
        {
          g_assert_false (acc_job_wait (job, &error));
          g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
          continue;
        }
      g_assert_true (acc_job_wait (job, &error));
      g_assert_no_error (error);
      g_assert_cmpfloat (acc_job_get_fraction (job), ==, 1);
    }
  check_output (f, blurs);
}

/* --- killed */

/* Of another process, which may be killed: a file, a blur, a picture. */
static int
run_child (const char *folder, const char *file)
{
  g_autofree char *in = g_build_filename (folder, "in.npy", NULL), *out = g_build_filename (folder, file, NULL),
    *ledger = g_build_filename (folder, "ledger", NULL);
  g_autoptr(GFile) input = g_file_new_for_path (in), output = g_file_new_for_path (out), kept = g_file_new_for_path (ledger);
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("interpreter", NULL);
  g_autoptr(AccSource) source = acc_source_open (input, NULL, NULL);
  g_autoptr(AccArray) array = acc_array_new_from_source (source), result = blurs (array), few = NULL;
  g_autoptr(AccSink) sink = acc_sink_create (output, NULL, NULL);
  g_autoptr(GError) error = NULL;

  few = acc_array_cast (result, acc_element_type_new (ACC_KIND_U8));
  acc_backend_set_memory_limit (backend, 16384 + LIMIT / 2);   /* what the source holds, and chunks of few rows */
  if (acc_backend_write_with_ledger (backend, few, sink, kept, NULL, &error))
    return 0;
  g_printerr ("%s\n", error->message);

  return 1;
}

static GPid
start_child (const char *folder, const char *file)
{
  char *argv[] = { (char *) "/proc/self/exe", (char *) "--child", (char *) folder, (char *) file, NULL };
  g_autoptr(GError) error = NULL;
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  GPid pid;

  argv[0] = self;
  g_spawn_async (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, &error);
  g_assert_no_error (error);

  return pid;
}

static void
check_killed (Fixture *f, const char *file, guint most)
{
  g_autofree char *in = g_build_filename (f->folder, "in.npy", NULL), *out = g_build_filename (f->folder, file, NULL), *wanted = NULL;
  g_autoptr(GFile) input = g_file_new_for_path (in);
  g_autoptr(AccSink) sink = acc_sink_create (input, NULL, NULL);
  g_autoptr(GRand) rand = g_rand_new_with_seed (11);
  g_autoptr(GError) error = NULL;
  gsize size = 0;
  guint kills = 0, finished = 0;
  gint64 began, whole;
  int status;

  acc_backend_set_memory_limit (f->backend, 0);
  acc_backend_write (f->backend, f->array, sink, NULL, &error);
  g_assert_no_error (error);

  began = g_get_monotonic_time ();
  waitpid (start_child (f->folder, file), &status, 0);
  whole = g_get_monotonic_time () - began;
  g_assert_cmpint (status, ==, 0);
  g_assert_true (g_file_get_contents (out, &wanted, &size, NULL));
  g_unlink (out);

  while (kills < most || finished < 3)
    {
      GPid child = start_child (f->folder, file);

      if (kills < most || g_rand_boolean (rand))
        {
          g_usleep ((gulong) g_rand_int_range (rand, 0, (gint32) MAX (whole * 6 / 10, 2)));
          kill (child, SIGKILL);
        }
      waitpid (child, &status, 0);
      kills += WIFSIGNALED (status);
      g_assert_true (WIFSIGNALED (status) || WEXITSTATUS (status) == 0);
      if (g_file_test (out, G_FILE_TEST_EXISTS))
        {
          g_autofree char *got = NULL;
          gsize length;

          g_assert_true (g_file_get_contents (out, &got, &length, NULL));
          g_assert_cmpmem (got, length, wanted, size);
          g_unlink (out);
          finished++;
        }
    }
  g_test_message ("killed %u times, finished %u times", kills, finished);
  waitpid (start_child (f->folder, file), &status, 0);
  g_assert_cmpint (status, ==, 0);
}

/* Rows that are copied, and rows whose file becomes the output. */
static void
test_killed (Fixture *f, gconstpointer name)
{
  check_killed (f, "out.png", 50);
}

static void
test_killed_file (Fixture *f, gconstpointer name)
{
  check_killed (f, "out.npy", 50);
}

static const struct { const char *name; void (*test) (Fixture *f, gconstpointer name); } tests[] = {
  { "failures", test_failures }, { "not-again", test_not_again }, { "seek", test_seek }, { "changed", test_changed },
  { "damaged", test_damaged }, { "given", test_given }, { "other-output", test_other_output }, { "job", test_job },
  { "killed", test_killed }, { "killed-file", test_killed_file },
};

static void
add_tests (const char *name, AccBackend *backend)
{
  for (guint t = 0; t < G_N_ELEMENTS (tests); t++)
    {
      g_autofree char *path = g_strdup_printf ("/stream/ledger/%s/%s", name, tests[t].name);

      g_test_add (path, Fixture, name, set_up, tests[t].test, tear_down);
    }
}

int
main (int argc, char **argv)
{
  if (argc == 4 && strcmp (argv[1], "--child") == 0)
    return run_child (argv[2], argv[3]);

  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native", add_tests);

  return g_test_run ();
}
