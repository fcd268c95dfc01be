/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "io-helpers.h"
#include "remote-file.h"

#include "acc-chunk-private.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static const gint64 extents[] = { 100, 64 };
static const char *names[] = { "x.png", "x.NPY", "x.dat", "x" };

static void
assert_content (GFile *file, const char *content)
{
  g_autoptr(GBytes) bytes = io_get (file);

  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), content, strlen (content));
}

/* Starts a run and writes its first rows. */
static void
begin (AccSink *sink, gint64 rows)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccElementType) type = acc_element_type_parse ("u1", NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, 2);
  g_autofree guint8 *data = g_malloc0 (rows * extents[1] + 1);
  gpointer leaf = data;
  g_autoptr(AccChunk) chunk = acc_chunk_new (type, 0, rows, extents[1], &leaf);

  g_assert_true (acc_sink_start (sink, type, shape, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (acc_sink_write (sink, chunk, NULL, &error));
  g_assert_no_error (error);
}

static void
test_atomic (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *folder = io_make_folder ();
      g_autoptr(GFile) file = io_file_in (folder, names[i]);
      g_autoptr(GPtrArray) leaves = io_random_buffers ("u1", extents, 2, 1);
      g_autoptr(GError) outer = NULL;
      g_autoptr(AccSink) sink = acc_sink_create (file, NULL, &outer);
      g_autoptr(GBytes) bytes = NULL;

      g_assert_no_error (outer);
      g_assert_cmpuint (io_count_files (folder), ==, 0);

      /* Given up */
      begin (sink, 99);
      g_assert_cmpuint (io_count_files (folder), ==, 1);
      g_assert_false (g_file_query_exists (file, NULL));
      acc_sink_abort (sink);
      acc_sink_abort (sink);
      g_assert_cmpuint (io_count_files (folder), ==, 0);

      /* Incomplete */
      begin (sink, 50);
      io_assert_refused (acc_sink_commit (sink, NULL, error), ACC_ERROR, ACC_ERROR_STREAM);
      acc_sink_abort (sink);
      g_assert_cmpuint (io_count_files (folder), ==, 0);

      /* Dropped */
      begin (sink, 1);
      g_clear_object (&sink);
      g_assert_cmpuint (io_count_files (folder), ==, 0);

      /* Complete, in the place of another */
      io_put (file, "old", 3);
      sink = acc_sink_create (file, NULL, &outer);
      begin (sink, 100);
      assert_content (file, "old");
      acc_sink_abort (sink);
      assert_content (file, "old");
      g_assert_true (io_write_all (sink, "u1", extents, 2, leaves, 7, NULL, &outer));
      g_assert_no_error (outer);
      g_assert_cmpuint (io_count_files (folder), ==, 1);
      bytes = io_get (file);
      g_assert_cmpuint (g_bytes_get_size (bytes), >, 100);

      io_remove_folder (g_steal_pointer (&folder));
    }
}

static void
test_permissions (void)
{
  g_autofree char *folder = io_make_folder ();
  g_autoptr(GFile) file = io_file_in (folder, "data");
  g_autofree char *link_path = g_build_filename (folder, "link", NULL);
  g_autoptr(GFile) by_link = g_file_new_for_path (link_path);
  g_autoptr(GPtrArray) leaves = io_random_buffers ("u1", extents, 2, 1);
  g_autoptr(AccSink) sink = acc_sink_create (file, NULL, NULL);
  g_autoptr(AccSink) link_sink = NULL;
  g_autoptr(GBytes) bytes = NULL;
  mode_t mask = umask (027);
  GStatBuf info;

  g_assert_true (io_write_all (sink, "u1", extents, 2, leaves, 7, NULL, NULL));
  g_assert_cmpint (g_stat (g_file_peek_path (file), &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0640);

  g_assert_cmpint (g_chmod (g_file_peek_path (file), 0604), ==, 0);
  g_assert_true (io_write_all (sink, "u1", extents, 2, leaves, 7, NULL, NULL));
  g_assert_cmpint (g_stat (g_file_peek_path (file), &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0604);
  umask (mask);

  /* A link stays a link. */
  g_assert_cmpint (symlink ("data", link_path), ==, 0);
  io_put (file, "old", 3);
  link_sink = acc_sink_create (by_link, NULL, NULL);
  g_assert_true (io_write_all (link_sink, "u1", extents, 2, leaves, 7, NULL, NULL));
  g_assert_true (g_file_test (link_path, G_FILE_TEST_IS_SYMLINK));
  bytes = io_get (file);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 6400);

  if (geteuid () != 0)
    {
      g_autoptr(AccElementType) type = acc_element_type_parse ("u1", NULL);
      g_autoptr(AccShape) shape = acc_shape_new (extents, 2);

      g_assert_cmpint (g_chmod (g_file_peek_path (file), 0400), ==, 0);
      io_assert_refused (acc_sink_start (sink, type, shape, NULL, error), ACC_ERROR, ACC_ERROR_IO);
      acc_sink_abort (sink);
    }

  io_remove_folder (g_steal_pointer (&folder));
}

static void
test_places (void)
{
  g_autofree char *folder = io_make_folder ();
  g_autofree char *nowhere_path = g_build_filename (folder, "none", "x.png", NULL);
  g_autoptr(GFile) nowhere = g_file_new_for_path (nowhere_path);
  g_autoptr(GFile) directory = g_file_new_for_path (folder);
  g_autoptr(GFile) null = g_file_new_for_path ("/dev/null");
  g_autoptr(GFile) full = g_file_new_for_path ("/dev/full");
  g_autoptr(GPtrArray) leaves = io_random_buffers ("u1", extents, 2, 1);
  g_autoptr(AccSink) sink = NULL;
  g_autoptr(GError) outer = NULL;

  io_assert_refused (acc_sink_create (nowhere, NULL, error), ACC_ERROR, ACC_ERROR_IO);
  io_assert_refused (acc_sink_create (directory, NULL, error), ACC_ERROR, ACC_ERROR_IO);

  sink = acc_sink_create (null, NULL, NULL);
  g_assert_true (io_write_all (sink, "u1", extents, 2, leaves, 7, NULL, &outer));
  g_assert_true (g_file_query_file_type (null, 0, NULL) == G_FILE_TYPE_SPECIAL);
  g_clear_object (&sink);

  if (g_file_query_exists (full, NULL))
    {
      sink = acc_sink_create (full, NULL, NULL);
      g_assert_false (io_write_all (sink, "u1", extents, 2, leaves, 7, NULL, &outer));
      g_assert_error (outer, ACC_ERROR, ACC_ERROR_IO);
      g_assert_nonnull (strstr (outer->message, "/dev/full"));
    }

  io_remove_folder (g_steal_pointer (&folder));
}

/* Row by row from a file into itself */
static void
test_onto_itself (void)
{
  g_autofree char *folder = io_make_folder ();

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(GFile) file = io_file_in (folder, names[i]);
      g_autoptr(GPtrArray) leaves = io_random_buffers ("u1", extents, 2, 1);
      g_autoptr(AccSink) sink = acc_sink_create (file, NULL, NULL);
      g_autoptr(AccSource) source = NULL;
      g_autoptr(AccSource) again = NULL;
      g_autoptr(GPtrArray) result = NULL;
      g_autoptr(GPtrArray) half = NULL;
      g_autoptr(GError) error = NULL;

      g_assert_true (io_write_all (sink, "u1", extents, 2, leaves, 7, NULL, NULL));
      source = acc_source_open (file, NULL, &error);
      g_assert_no_error (error);

      /* The source keeps the file that it was opened on. */
      half = io_random_buffers ("u1", extents, 2, 2);
      g_assert_true (io_write_all (sink, "u1", extents, 2, half, 1, NULL, &error));
      result = io_read_all (source, 3, NULL, &error);
      g_assert_no_error (error);
      io_assert_same (result, leaves);

      again = acc_source_open (file, NULL, &error);
      g_clear_pointer (&result, g_ptr_array_unref);
      result = io_read_all (again, 3, NULL, &error);
      io_assert_same (result, half);
    }

  io_remove_folder (g_steal_pointer (&folder));
}

static void
test_cancelled (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *folder = io_make_folder ();
      g_autoptr(GFile) file = io_file_in (folder, names[i]);
      g_autoptr(AccSink) sink = acc_sink_create (file, NULL, NULL);
      g_autoptr(GCancellable) cancellable = g_cancellable_new ();

      begin (sink, 100);
      g_cancellable_cancel (cancellable);
      io_assert_refused (acc_sink_commit (sink, cancellable, error), G_IO_ERROR, G_IO_ERROR_CANCELLED);
      acc_sink_abort (sink);
      g_assert_cmpuint (io_count_files (folder), ==, 0);
      io_assert_refused (acc_sink_create (file, cancellable, error), G_IO_ERROR, G_IO_ERROR_CANCELLED);
      io_remove_folder (g_steal_pointer (&folder));
    }
}

static void
test_remote (void)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *folder = io_make_folder ();
      g_autoptr(GFile) local = io_file_in (folder, names[i]);
      g_autoptr(GFile) file = remote_file_new (local);
      g_autoptr(GPtrArray) leaves = io_random_buffers ("u1", extents, 2, 1);
      g_autoptr(GError) outer = NULL;
      g_autoptr(AccSink) sink = acc_sink_create (file, NULL, &outer);
      g_autoptr(AccSource) source = NULL;

      g_assert_no_error (outer);
      g_assert_cmpstr (acc_sink_get_name (sink), ==, i == 0 ? "remote:///x.png" : "remote:///x.NPY");
      io_assert_refused (acc_source_open (file, NULL, error), ACC_ERROR, ACC_ERROR_IO);

      io_put (local, "old", 3);
      begin (sink, 60);
      acc_sink_abort (sink);
      assert_content (local, "old");
      g_assert_cmpuint (io_count_files (folder), ==, 1);

      g_assert_true (io_write_all (sink, "u1", extents, 2, leaves, 9, NULL, &outer));
      g_assert_no_error (outer);
      g_assert_cmpuint (io_count_files (folder), ==, 1);

      source = acc_source_open (file, NULL, &outer);
      g_assert_no_error (outer);
      for (guint run = 0; run < 2; run++)
        {
          g_autoptr(GPtrArray) result = io_read_all (source, 6, NULL, &outer);

          g_assert_no_error (outer);
          io_assert_same (result, leaves);
        }

      io_remove_folder (g_steal_pointer (&folder));
    }
}

/* A stream is closed by commit only. */
static void
test_streams (void)
{
  g_autoptr(GOutputStream) output = g_memory_output_stream_new_resizable ();
  g_autoptr(GPtrArray) leaves = io_random_buffers ("u1", extents, 2, 1);
  g_autoptr(AccSink) sink = acc_sink_new_for_stream (output, "png", NULL);
  g_autoptr(AccSink) second = acc_sink_new_for_stream (output, "npy", NULL);
  guint8 small[100];
  g_autoptr(GOutputStream) fixed = g_memory_output_stream_new (small, sizeof small, NULL, NULL);
  g_autoptr(AccSink) third = acc_sink_new_for_stream (fixed, "raw", NULL);
  g_autoptr(GError) error = NULL;

  begin (sink, 30);
  acc_sink_abort (sink);
  g_assert_false (g_output_stream_is_closed (output));
  g_assert_true (io_write_all (second, "u1", extents, 2, leaves, 9, NULL, NULL));
  g_assert_true (g_output_stream_is_closed (output));

  g_assert_false (io_write_all (third, "u1", extents, 2, leaves, 9, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/io/output/atomic", test_atomic);
  g_test_add_func ("/io/output/permissions", test_permissions);
  g_test_add_func ("/io/output/places", test_places);
  g_test_add_func ("/io/output/onto-itself", test_onto_itself);
  g_test_add_func ("/io/output/cancelled", test_cancelled);
  g_test_add_func ("/io/output/remote", test_remote);
  g_test_add_func ("/io/output/streams", test_streams);

  return g_test_run ();
}
