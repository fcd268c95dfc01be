/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/runtime/code/acc-kernel-cache.h"
#include "tests/count-warnings.h"
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
  g_autoptr(GDir) dir = g_dir_open (directory, 0, NULL);
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
  g_autoptr(AccKernelCache) cache = acc_kernel_cache_new (directory, 0);
  g_autoptr(AccKernelCache) other = acc_kernel_cache_new (directory, 0);

  for (guint i = 0; i < 20; i++)
    {
      g_autoptr(GBytes) code = make_code (i, i * i * 13);
      g_autofree char *hash = g_strdup_printf ("hash-%u", i);
      g_autoptr(GBytes) back = NULL;

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
  g_autoptr(AccKernelCache) cache = acc_kernel_cache_new (directory, 0);
  g_autoptr(GBytes) code = make_code (1, 500);
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
    g_autoptr(GBytes) back = NULL;

    acc_kernel_cache_store (cache, "hash", "target", code);
    back = acc_kernel_cache_lookup (cache, "hash", "target");
    g_assert_true (g_bytes_equal (back, code));
  }

  g_assert_cmpint (n_warnings, ==, 0);

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
  g_autoptr(AccKernelCache) cache = acc_kernel_cache_new (directory, 100 * 1000);
  g_autoptr(GBytes) code = make_code (1, 10 * 1000);
  guint64 bytes = 0;
  const char *name;
  g_autoptr(GDir) dir = NULL;

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
    g_autoptr(GBytes) large = make_code (1, 200 * 1000);

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
  g_autoptr(AccKernelCache) cache = NULL;
  g_autoptr(AccKernelCache) proc = acc_kernel_cache_new ("/proc/acc-no-such", 0);
  g_autoptr(GBytes) code = make_code (1, 100);

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
              g_autoptr(GBytes) code = make_code (k, 1000 + k * 50);
              g_autoptr(GBytes) back = acc_kernel_cache_lookup (cache, hash, "target");

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

/* --- whose files are run */

typedef struct {
  char           *top;
  char           *directory;
  char           *path;    /* of the kernel */
  AccKernelCache *cache;
  GBytes         *code;
} Trust;

/* A folder in a folder, with a kernel. */
static Trust
trust_set_up (void)
{
  Trust t = { .top = make_directory (), .code = make_code (1, 100) };
  AccKernelCache *before;

  t.directory = g_build_filename (t.top, "cache", NULL);
  before = acc_kernel_cache_new (t.directory, 0);
  t.path = acc_kernel_cache_dup_path (before, "hash", "target");
  acc_kernel_cache_store (before, "hash", "target", t.code);
  acc_kernel_cache_free (before);
  g_assert_true (g_file_test (t.path, G_FILE_TEST_IS_REGULAR));
  t.cache = acc_kernel_cache_new (t.directory, 0);
  n_warnings = 0;

  return t;
}

static void
trust_tear_down (Trust *t)
{
  acc_kernel_cache_free (t->cache);
  g_bytes_unref (t->code);
  remove_tree (t->top);
  g_free (t->path);
  g_free (t->directory);
  g_free (t->top);
}

static gboolean
is_hit (AccKernelCache *cache)
{
  g_autoptr(GBytes) back = acc_kernel_cache_lookup (cache, "hash", "target");

  return back != NULL;
}

/* The folder is not used at all: nothing is read nor written there. One warning. */
static void
assert_folder_refused (Trust *t)
{
  g_autofree char *other = acc_kernel_cache_dup_path (t->cache, "other", "target");

  g_assert_false (is_hit (t->cache));
  acc_kernel_cache_store (t->cache, "other", "target", t->code);
  g_assert_false (g_file_test (other, G_FILE_TEST_EXISTS));
  g_assert_false (is_hit (t->cache));
  g_assert_cmpint (n_warnings, ==, 1);
}

/* The file is not read, with a warning, and what is stored takes its place. */
static void
assert_file_refused (Trust *t)
{
  g_assert_false (is_hit (t->cache));
  g_assert_cmpint (n_warnings, ==, 1);
  acc_kernel_cache_store (t->cache, "hash", "target", t->code);
  g_assert_true (is_hit (t->cache));
  g_assert_false (g_file_test (t->path, G_FILE_TEST_IS_SYMLINK));
  g_assert_cmpint (n_warnings, ==, 1);
}

#define OTHERS 12345

static void
test_trust_modes (void)
{
  const struct { int directory, file, top; gboolean hit; } cases[] = {
    { 0700, 0600, 0755, TRUE },
    { 0755, 0644, 0555, TRUE },
    { 0500, 0400, 01777, TRUE },
    { 0702, 0600, 0755, FALSE },
    { 0777, 0600, 0755, FALSE },
    { 01777, 0600, 0755, FALSE },
    { 0700, 0602, 0755, FALSE },
    { 0700, 0666, 0755, FALSE },
    { 0700, 0600, 0777, FALSE },
    { 0700, 0600, 0702, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Trust t = trust_set_up ();

      g_assert_cmpint (g_chmod (t.path, cases[i].file), ==, 0);
      g_assert_cmpint (g_chmod (t.directory, cases[i].directory), ==, 0);
      g_assert_cmpint (g_chmod (t.top, cases[i].top), ==, 0);
      if (cases[i].hit)
        g_assert_true (is_hit (t.cache));
      else if (cases[i].file & 022)
        assert_file_refused (&t);
      else
        assert_folder_refused (&t);
      g_assert_cmpint (n_warnings, ==, cases[i].hit ? 0 : 1);
      g_assert_cmpint (g_chmod (t.top, 0700), ==, 0);
      g_assert_cmpint (g_chmod (t.directory, 0700), ==, 0);
      trust_tear_down (&t);
    }

  /* Opened up while it is in use */
  {
    Trust t = trust_set_up ();

    g_assert_true (is_hit (t.cache));
    g_assert_cmpint (g_chmod (t.directory, 0777), ==, 0);
    assert_folder_refused (&t);
    trust_tear_down (&t);
  }
}

static void
test_trust_kinds (void)
{
  for (guint i = 0; i < 4; i++)
    {
      Trust t = trust_set_up ();
      g_autofree char *aside = g_build_filename (t.top, "aside", NULL);

      g_assert_cmpint (g_rename (t.path, aside), ==, 0);
      if (i == 0)
        g_assert_cmpint (symlink (aside, t.path), ==, 0);
      else if (i == 1)
        g_assert_cmpint (symlink ("/nowhere", t.path), ==, 0);
      else if (i == 2)
        /* Who opens it for reading waits for a writer. */
        g_assert_cmpint (mkfifo (t.path, 0600), ==, 0);
      else
        g_assert_cmpint (symlink (".", t.path), ==, 0);
      assert_file_refused (&t);
      trust_tear_down (&t);
    }

  /* A link on the way is ours; a folder that is removed is made anew. */
  {
    Trust t = trust_set_up ();
    g_autofree char *link = g_build_filename (t.top, "link", NULL);
    AccKernelCache *by_link = acc_kernel_cache_new (link, 0);

    g_assert_cmpint (symlink ("cache", link), ==, 0);
    g_assert_true (is_hit (by_link));
    remove_tree (t.directory);
    g_assert_false (is_hit (by_link));
    g_assert_cmpint (g_mkdir (t.directory, 0700), ==, 0);
    acc_kernel_cache_store (by_link, "hash", "target", t.code);
    g_assert_true (is_hit (t.cache));
    remove_tree (t.directory);
    acc_kernel_cache_store (t.cache, "hash", "target", t.code);
    g_assert_true (is_hit (t.cache));
    g_assert_cmpint (n_warnings, ==, 0);
    acc_kernel_cache_free (by_link);
    trust_tear_down (&t);
  }
}

static void
test_trust_owners (void)
{
  if (geteuid () != 0)
    {
      g_test_skip ("only root can give files away");
      return;
    }

  /* The folder, what it lies in, a file, a link on the way, a group that may write */
  for (guint i = 0; i < 6; i++)
    {
      Trust t = trust_set_up ();
      g_autofree char *link = g_build_filename (t.top, "link", NULL);

      if (i == 0)
        g_assert_cmpint (chown (t.directory, OTHERS, OTHERS), ==, 0);
      else if (i == 1)
        g_assert_cmpint (chown (t.top, OTHERS, OTHERS), ==, 0);
      else if (i == 2)
        g_assert_cmpint (chown (t.path, OTHERS, 0), ==, 0);
      else if (i == 3)
        {
          g_assert_cmpint (symlink ("cache", link), ==, 0);
          g_assert_cmpint (lchown (link, OTHERS, OTHERS), ==, 0);
          acc_kernel_cache_free (t.cache);
          t.cache = acc_kernel_cache_new (link, 0);
        }
      else if (i == 4)
        {
          g_assert_cmpint (chown (t.directory, 0, OTHERS), ==, 0);
          g_assert_true (is_hit (t.cache));
          g_assert_cmpint (g_chmod (t.directory, 0770), ==, 0);
        }
      else
        {
          g_assert_cmpint (chown (t.path, 0, OTHERS), ==, 0);
          g_assert_cmpint (g_chmod (t.path, 0660), ==, 0);
        }

      if (i == 2 || i == 5)
        assert_file_refused (&t);
      else
        assert_folder_refused (&t);
      trust_tear_down (&t);
    }

  /* Nor does anybody take what is root's. */
  {
    Trust t = trust_set_up ();

    g_assert_cmpint (g_chmod (t.top, 0755), ==, 0);
    g_assert_cmpint (g_chmod (t.directory, 0755), ==, 0);
    g_assert_cmpint (g_chmod (t.path, 0644), ==, 0);
    g_assert_cmpint (seteuid (OTHERS), ==, 0);
    assert_folder_refused (&t);
    g_assert_cmpint (seteuid (0), ==, 0);
    trust_tear_down (&t);
  }
}

static void
test_speed (void)
{
  g_autofree char *directory = make_directory ();
  g_autoptr(AccKernelCache) cache = acc_kernel_cache_new (directory, 0);
  g_autoptr(GBytes) code = make_code (1, 20000);
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
  g_log_set_writer_func (count_warnings, NULL, NULL);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cache/round-trip", test_round_trip);
  g_test_add_func ("/cache/damage", test_damage);
  g_test_add_func ("/cache/bounded", test_bounded);
  g_test_add_func ("/cache/unwritable", test_unwritable);
  g_test_add_func ("/cache/processes", test_processes);
  g_test_add_func ("/cache/trust/modes", test_trust_modes);
  g_test_add_func ("/cache/trust/kinds", test_trust_kinds);
  g_test_add_func ("/cache/trust/owners", test_trust_owners);
  g_test_add_func ("/cache/speed", test_speed);

  return g_test_run ();
}
