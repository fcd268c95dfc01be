/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/runtime/acc-kernel-cache.h"
#include "tests/remove-tree.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

static char *
make_directory (void)
{
  return g_dir_make_tmp ("acc-cache-XXXXXX", NULL);
}

static guint
count_files (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;

  return n;
}

static GBytes *
make_code (guint  seed,
           gsize  size)
{
  guint8 *data = g_malloc (size + 1);

  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) (seed + i * 7);

  return g_bytes_new_take (data, size);
}

static void
test_round_trip (void)
{
  g_autofree char *top = make_directory ();
  g_autofree char *parent = g_build_filename (top, "not", NULL);
  g_autofree char *directory = g_build_filename (parent, "yet", NULL);
  g_autoptr (AccKernelCache) cache = acc_kernel_cache_new (directory, 0);
  g_autoptr (AccKernelCache) other = acc_kernel_cache_new (directory, 0);

  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (GBytes) code = make_code (i, i * i * 13);
      g_autofree char *hash = g_strdup_printf ("hash-%u", i);
      g_autoptr (GBytes) back = NULL;

      g_assert_null (acc_kernel_cache_lookup (cache, hash, "target"));
      acc_kernel_cache_store (cache, hash, "target", code);
      g_assert_null (acc_kernel_cache_lookup (cache, hash, "another target"));
      back = acc_kernel_cache_lookup (other, hash, "target");
      g_assert_nonnull (back);
      g_assert_true (g_bytes_equal (back, code));
    }
  g_assert_cmpint (count_files (directory), ==, 20);
  remove_tree (directory);
  g_rmdir (parent);
  g_rmdir (top);
}

static void
test_damage (void)
{
  g_autofree char *directory = make_directory ();
  g_autoptr (AccKernelCache) cache = acc_kernel_cache_new (directory, 0);
  g_autoptr (GBytes) code = make_code (1, 500);
  g_autofree char *path = acc_kernel_cache_dup_path (cache, "hash", "target");
  g_autofree char *contents = NULL;
  gsize length;

  acc_kernel_cache_store (cache, "hash", "target", code);
  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));

  for (gsize i = 0; i < length; i++)
    {
      g_autofree char *bad = g_memdup2 (contents, length);

      bad[i] ^= 0x10;
      g_assert_true (g_file_set_contents (path, bad, length, NULL));
      g_assert_null (acc_kernel_cache_lookup (cache, "hash", "target"));
      g_assert_true (g_file_set_contents (path, contents, i, NULL));
      g_assert_null (acc_kernel_cache_lookup (cache, "hash", "target"));
    }

  {
    g_autoptr (GBytes) back = NULL;

    acc_kernel_cache_store (cache, "hash", "target", code);
    back = acc_kernel_cache_lookup (cache, "hash", "target");
    g_assert_true (g_bytes_equal (back, code));
  }

  /* A directory in the place of a file */
  g_unlink (path);
  g_mkdir (path, 0700);
  g_assert_null (acc_kernel_cache_lookup (cache, "hash", "target"));
  acc_kernel_cache_store (cache, "hash", "target", code);
  g_rmdir (path);
  remove_tree (directory);
}

static void
test_bounded (void)
{
  g_autofree char *directory = make_directory ();
  g_autoptr (AccKernelCache) cache = acc_kernel_cache_new (directory, 100 * 1000);
  g_autoptr (GBytes) code = make_code (1, 10 * 1000);
  guint64 bytes = 0;
  const char *name;
  g_autoptr (GDir) dir = NULL;

  for (guint i = 0; i < 60; i++)
    {
      g_autofree char *hash = g_strdup_printf ("hash-%u", i);
      g_autofree char *path = acc_kernel_cache_dup_path (cache, hash, "target");
      g_autofree char *kept = acc_kernel_cache_dup_path (cache, "hash-0", "target");
      struct utimbuf times = { 1000000 + i, 1000000 + i };

      acc_kernel_cache_store (cache, hash, "target", code);
      utime (path, &times);
      /* Used: looked up, and thereby touched. */
      g_bytes_unref (acc_kernel_cache_lookup (cache, "hash-0", "target"));
      g_assert_true (g_file_test (kept, G_FILE_TEST_EXISTS));
    }

  dir = g_dir_open (directory, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);
      GStatBuf status;

      g_stat (path, &status);
      bytes += status.st_size;
    }
  g_assert_cmpuint (bytes, <=, 100 * 1000);
  g_assert_cmpuint (bytes, >=, 50 * 1000);

  /* More than everything is not kept at all. */
  {
    g_autoptr (GBytes) large = make_code (1, 200 * 1000);

    acc_kernel_cache_store (cache, "large", "target", large);
    g_assert_null (acc_kernel_cache_lookup (cache, "large", "target"));
  }
  remove_tree (directory);
}

static void
test_unwritable (void)
{
  g_autofree char *top = make_directory ();
  g_autofree char *file = g_build_filename (top, "file", NULL);
  g_autofree char *inside = g_build_filename (file, "cache", NULL);
  g_autoptr (AccKernelCache) cache = NULL;
  g_autoptr (AccKernelCache) proc = acc_kernel_cache_new ("/proc/acc-no-such", 0);
  g_autoptr (GBytes) code = make_code (1, 100);

  g_assert_true (g_file_set_contents (file, "x", 1, NULL));
  cache = acc_kernel_cache_new (inside, 0);
  for (guint i = 0; i < 3; i++)
    {
      acc_kernel_cache_store (cache, "hash", "target", code);
      g_assert_null (acc_kernel_cache_lookup (cache, "hash", "target"));
      acc_kernel_cache_store (proc, "hash", "target", code);
      g_assert_null (acc_kernel_cache_lookup (proc, "hash", "target"));
    }
  remove_tree (top);
}

static void
test_processes (void)
{
  g_autofree char *directory = make_directory ();
  GPid children[4];

  for (guint c = 0; c < G_N_ELEMENTS (children); c++)
    {
      children[c] = fork ();
      if (children[c] == 0)
        {
          AccKernelCache *cache = acc_kernel_cache_new (directory, 40 * 1000);

          for (guint i = 0; i < 400; i++)
            {
              guint k = (i * 7 + c) % 30;
              g_autofree char *hash = g_strdup_printf ("hash-%u", k);
              g_autoptr (GBytes) code = make_code (k, 1000 + k * 50);
              g_autoptr (GBytes) back = acc_kernel_cache_lookup (cache, hash, "target");

              if (back != NULL && !g_bytes_equal (back, code))
                _exit (1);
              if (back == NULL)
                acc_kernel_cache_store (cache, hash, "target", code);
            }
          _exit (0);
        }
    }
  for (guint c = 0; c < G_N_ELEMENTS (children); c++)
    {
      int status;

      g_assert_cmpint (waitpid (children[c], &status, 0), ==, children[c]);
      g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
    }
  remove_tree (directory);
}

static void
test_speed (void)
{
  g_autofree char *directory = make_directory ();
  g_autoptr (AccKernelCache) cache = acc_kernel_cache_new (directory, 0);
  g_autoptr (GBytes) code = make_code (1, 20000);
  gint64 start;

  acc_kernel_cache_store (cache, "hash", "target", code);
  start = g_get_monotonic_time ();
  for (guint i = 0; i < 100; i++)
    g_bytes_unref (acc_kernel_cache_lookup (cache, "hash", "target"));
  g_test_message ("a hit of 20 kB: %.1f us", (g_get_monotonic_time () - start) / 100.0);
  remove_tree (directory);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cache/round-trip", test_round_trip);
  g_test_add_func ("/cache/damage", test_damage);
  g_test_add_func ("/cache/bounded", test_bounded);
  g_test_add_func ("/cache/unwritable", test_unwritable);
  g_test_add_func ("/cache/processes", test_processes);
  g_test_add_func ("/cache/speed", test_speed);

  return g_test_run ();
}
