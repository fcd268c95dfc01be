/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "io-helpers.h"
#include "remote-file.h"
#include "tests/remove-tree.h"

#include "acc-core/data/acc-chunk-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const gint64 extents[] = { 100, 64 };
static const char *names[] = { "x.png", "x.NPY", "x.dat", "x", "x.Raw", ".bin" };

/* --- in the place of the C library's */

static gboolean without_nameless;   /* as on a file system that has only files with names */
static gboolean killed_at_rename;

ACC_MODULE_API int openat64 (int folder, const char *path, int flags, ...);
ACC_MODULE_API int renameat (int old_folder, const char *old_path, int new_folder, const char *new_path);

int
openat64 (int folder, const char *path, int flags, ...)
{
  mode_t mode = 0;
  va_list arguments;

  va_start (arguments, flags);
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE)
    mode = va_arg (arguments, mode_t);
  va_end (arguments);

  if (without_nameless && (flags & O_TMPFILE) == O_TMPFILE)
    {
      errno = EOPNOTSUPP;
      return -1;
    }

  return syscall (SYS_openat, folder, path, flags, mode);
}

int
renameat (int old_folder, const char *old_path, int new_folder, const char *new_path)
{
  if (killed_at_rename)
    raise (SIGKILL);

  return syscall (SYS_renameat2, old_folder, old_path, new_folder, new_path, 0);
}

static gboolean
has_nameless (const char *folder)
{
  int fd = open (folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

  if (fd >= 0)
    close (fd);

  return fd >= 0 && !without_nameless;
}

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
      g_assert_cmpuint (io_count_files (folder), ==, has_nameless (folder) ? 0 : 1);
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

/* In another process, which @signal ends before the file is whole; 0: it becomes whole. */
static void
write_elsewhere (GFile *file, int signal)
{
  pid_t child = fork ();
  int status;

  if (child == 0)
    {
      g_autoptr(AccSink) sink = acc_sink_create (file, NULL, NULL);

      begin (sink, 100);
      /* Whoever started the tests may have told them to ignore it. */
      if (signal != 0 && signal != SIGKILL)
        sigaction (signal, &(struct sigaction) { .sa_handler = SIG_DFL }, NULL);
      if (signal != 0)
        raise (signal);
      _exit (acc_sink_commit (sink, NULL, NULL) ? 0 : 1);
    }

  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  if (signal != 0)
    g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == signal);
  else if (killed_at_rename)
    g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
  else
    g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
}

/* What a process leaves that is killed is gone at once, or with the next file that is written there. */
static void
test_killed (void)
{
  const int signals[] = { SIGKILL, SIGTERM, SIGHUP };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *folder = io_make_folder ();
      g_autoptr(GFile) file = io_file_in (folder, names[i]);
      g_autoptr(GFile) other = io_file_in (folder, "other.npy");
      g_autoptr(GFile) third = io_file_in (folder, "third.png");

      for (guint j = 0; j < G_N_ELEMENTS (signals); j++)
        write_elsewhere (file, signals[j]);
      g_assert_false (g_file_query_exists (file, NULL));
      g_assert_cmpuint (io_count_files (folder), ==, has_nameless (folder) ? 0 : 1);

      write_elsewhere (other, 0);
      g_assert_cmpuint (io_count_files (folder), ==, 1);

      /* Between its name of its own and its place */
      io_put (file, "old", 3);
      killed_at_rename = TRUE;
      write_elsewhere (file, 0);
      killed_at_rename = FALSE;
      assert_content (file, "old");
      g_assert_cmpuint (io_count_files (folder), ==, 3);
      write_elsewhere (third, 0);
      g_assert_cmpuint (io_count_files (folder), ==, 3);

      io_remove_folder (g_steal_pointer (&folder));
    }
}

/* What a process is still writing stays, and what is not known to be of this host. */
static void
test_in_use (void)
{
  g_autofree char *folder = io_make_folder ();
  g_autoptr(GFile) file = io_file_in (folder, "x.png");
  g_autoptr(GFile) other = io_file_in (folder, "y.npy");
  g_autoptr(AccSink) sink = acc_sink_create (file, NULL, NULL);
  g_autoptr(GError) error = NULL;
  const char *strange[] = { ".acc-zz.tmp", ".acc-0000000000000000000000zz.tmp", ".acc-000000000000000000000000.tmp2",
                            ".acc-0123456789abcdef01234567.tmp" };

  for (guint i = 0; i < G_N_ELEMENTS (strange); i++)
    {
      g_autoptr(GFile) foreign = io_file_in (folder, strange[i]);

      io_put (foreign, "", 0);
    }

  begin (sink, 100);
  write_elsewhere (other, 0);
  g_assert_cmpuint (io_count_files (folder), ==, G_N_ELEMENTS (strange) + (has_nameless (folder) ? 1 : 2));
  g_assert_true (acc_sink_commit (sink, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (io_count_files (folder), ==, G_N_ELEMENTS (strange) + 2);

  io_remove_folder (g_steal_pointer (&folder));
}

static void
with_names_only (gconstpointer test)
{
  without_nameless = TRUE;
  ((void (*) (void)) test) ();
  without_nameless = FALSE;
}

/* A link to nothing yet is followed, as it is for whoever opens it. */
static void
test_links (void)
{
  g_autofree char *folder = io_make_folder ();
  g_autofree char *inner = g_build_filename (folder, "inner", NULL);
  g_autofree char *absolute = g_build_filename (inner, "made", NULL);
  g_autoptr(GPtrArray) leaves = io_random_buffers ("u1", extents, 2, 1);
  const struct { const char *link, *target; gboolean good; } links[] = {
    { "relative", "inner/relative", TRUE },
    { "inner/up", "../inner/./up-made", TRUE },
    { "chain", "inner/chain-2", TRUE },
    { "inner/chain-2", "chain-3", FALSE },
    { "nowhere", "none/x", FALSE },
    { "loop", "loop", FALSE },
    { "loop-1", "loop-2", FALSE },
    { "loop-2", "loop-1", FALSE },
  };
  const char *made[] = { "inner/relative", "inner/up-made", "inner/chain-3", "inner/made" };

  g_assert_cmpint (g_mkdir (inner, 0700), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (links); i++)
    {
      g_autofree char *path = g_build_filename (folder, links[i].link, NULL);

      g_assert_cmpint (symlink (links[i].target, path), ==, 0);
    }
  {
    g_autofree char *path = g_build_filename (folder, "absolute", NULL);

    g_assert_cmpint (symlink (absolute, path), ==, 0);
  }

  for (guint i = 0; i <= G_N_ELEMENTS (links); i++)
    {
      const char *name = i < G_N_ELEMENTS (links) ? links[i].link : "absolute";
      gboolean good = i < G_N_ELEMENTS (links) ? links[i].good : TRUE;
      g_autoptr(GFile) file = io_file_in (folder, name);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccSink) sink = NULL;

      if (g_str_equal (name, "inner/chain-2"))
        continue;

      sink = acc_sink_create (file, NULL, &error);
      if (sink != NULL)
        io_write_all (sink, "u1", extents, 2, leaves, 7, NULL, &error);
      if (good)
        g_assert_no_error (error);
      else
        g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
      g_assert_true (g_file_test (g_file_peek_path (file), G_FILE_TEST_IS_SYMLINK));
    }

  for (guint i = 0; i < G_N_ELEMENTS (made); i++)
    {
      g_autofree char *path = g_build_filename (folder, made[i], NULL);

      g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
      g_assert_false (g_file_test (path, G_FILE_TEST_IS_SYMLINK));
    }

  remove_tree (folder);
}

/* In a folder for all, a link of somebody else is not followed where the kernel would not. */
static void
test_links_of_others (void)
{
  g_autofree char *folder = io_make_folder ();
  g_autofree char *shared = g_build_filename (folder, "shared", NULL);
  g_autoptr(GFile) precious = io_file_in (folder, "precious");
  g_autofree char *protected = NULL;
  const char *targets[] = { "../precious", "../new" };

  if (geteuid () != 0 || !g_file_get_contents ("/proc/sys/fs/protected_symlinks", &protected, NULL, NULL)
      || *protected == '0')
    {
      g_test_skip ("needs root and protected links");
      io_remove_folder (g_steal_pointer (&folder));
      return;
    }

  io_put (precious, "old", 3);
  g_assert_cmpint (g_mkdir (shared, 0777), ==, 0);
  g_assert_cmpint (g_chmod (shared, 01777), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      g_autofree char *path = g_build_filename (shared, "link", NULL);
      g_autoptr(GFile) file = g_file_new_for_path (path);
      g_autoptr(GPtrArray) leaves = io_random_buffers ("u1", extents, 2, 1);
      g_autoptr(AccSink) sink = NULL;

      g_assert_cmpint (symlink (targets[i], path), ==, 0);
      g_assert_cmpint (lchown (path, 65534, 65534), ==, 0);
      sink = acc_sink_create (file, NULL, NULL);
      io_assert_refused (io_write_all (sink, "u1", extents, 2, leaves, 7, NULL, error), ACC_ERROR, ACC_ERROR_IO);
      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_assert_cmpuint (io_count_files (folder), ==, 2);
  assert_content (precious, "old");

  remove_tree (folder);
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
  const char *unknown[] = { "x.jpg", "x.TIF", "x.txt", "x.npz", "x.png.gz", "x." };
  g_autoptr(GPtrArray) leaves = io_random_buffers ("u1", extents, 2, 1);
  g_autoptr(AccSink) sink = NULL;
  g_autoptr(GError) outer = NULL;

  io_assert_refused (acc_sink_create (nowhere, NULL, error), ACC_ERROR, ACC_ERROR_IO);
  io_assert_refused (acc_sink_create (directory, NULL, error), ACC_ERROR, ACC_ERROR_IO);

  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++)
    {
      g_autoptr(GFile) file = io_file_in (folder, unknown[i]);
      g_autoptr(GError) error = NULL;

      g_assert_null (acc_sink_create (file, NULL, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
      g_assert_nonnull (strstr (error->message, unknown[i]));
      g_assert_nonnull (strstr (error->message, ".png"));
      g_assert_nonnull (strstr (error->message, ".npy"));
      g_assert_nonnull (strstr (error->message, ".raw"));
    }
  g_assert_cmpuint (io_count_files (folder), ==, 0);

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

  /* First: nothing is to be known yet of the folders that they get. */
  g_test_add_func ("/io/output/killed", test_killed);
  g_test_add_data_func ("/io/output/killed-with-names", test_killed, with_names_only);
  g_test_add_func ("/io/output/atomic", test_atomic);
  g_test_add_data_func ("/io/output/atomic-with-names", test_atomic, with_names_only);
  g_test_add_func ("/io/output/in-use", test_in_use);
  g_test_add_data_func ("/io/output/in-use-with-names", test_in_use, with_names_only);
  g_test_add_func ("/io/output/links", test_links);
  g_test_add_func ("/io/output/links-of-others", test_links_of_others);
  g_test_add_func ("/io/output/permissions", test_permissions);
  g_test_add_func ("/io/output/places", test_places);
  g_test_add_func ("/io/output/onto-itself", test_onto_itself);
  g_test_add_func ("/io/output/cancelled", test_cancelled);
  g_test_add_func ("/io/output/remote", test_remote);
  g_test_add_func ("/io/output/streams", test_streams);

  return g_test_run ();
}
