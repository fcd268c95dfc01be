/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A process with other rights than its user takes no folder, file or module from its environment. As root: runs a copy of this
 * program that takes root's rights, as another user. */

#include "acc-backends/ir/acc-kernel-private.h"
#include "acc-backends/runtime/code/acc-kernel-cache.h"
#include "tests/remove-tree.h"

#include "acc-core/backend/acc-backend-private.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHERS   12345
#define SKIPPED  77

/* Whether the variables were heeded: 0 or 1; what is between is told. */
static int
look (void)
{
  AccKernelCache *cache = acc_kernel_cache_new (NULL, 0);
  g_autoptr(GBytes) code = g_bytes_new_static ("code", 4);
  g_autoptr(GBytes) back = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("evil", &error);
  const char *dump = getenv ("ACC_DUMP_DIR");
  g_autofree char *dumped = g_build_filename (dump, "dumped", NULL);
  guint n = 0;

  acc_kernel_cache_store (cache, "hash", "target", code);
  back = acc_kernel_cache_lookup (cache, "hash", "target");
  n += back != NULL;
  acc_kernel_cache_free (cache);

  _acc_dump_file ("dumped", "text", 4);
  n += g_file_test (dumped, G_FILE_TEST_EXISTS);

  n += strstr (error->message, getenv ("ACC_BACKENDS_DIR")) != NULL;
  n += acc_debug_get_flags () != 0;
  n += acc_disable_get_flags () != 0;
  g_printerr ("%u of 5 variables heeded\n", n);

  return n == 0 ? 0 : n == 5 ? 1 : 2;
}

static int
run_copy (const char *copy,
          const char *folder)
{
  g_autofree char *cache = g_build_filename (folder, "cache", NULL);
  pid_t child = fork ();
  int status;

  if (child == 0)
    {
      const char *none[] = { copy, "look", NULL };
      g_auto(GStrv) environment = g_get_environ ();

      environment = g_environ_setenv (environment, "ACC_CACHE_DIR", cache, TRUE);
      environment = g_environ_setenv (environment, "XDG_CACHE_HOME", cache, TRUE);
      environment = g_environ_setenv (environment, "HOME", cache, TRUE);
      environment = g_environ_setenv (environment, "ACC_DUMP_DIR", folder, TRUE);
      environment = g_environ_setenv (environment, "ACC_BACKENDS_DIR", folder, TRUE);
      environment = g_environ_setenv (environment, "ACC_DEBUG", "cache", TRUE);
      environment = g_environ_setenv (environment, "ACC_DISABLE", "fusion", TRUE);
      if (setgid (OTHERS) != 0 || setuid (OTHERS) != 0)
        _exit (SKIPPED);
      execve (copy, (char **) none, environment);
      _exit (SKIPPED);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));

  return WEXITSTATUS (status);
}

static void
test_rights (void)
{
  const struct { int mode, owner, group, status; } cases[] = {
    { 0755, OTHERS, OTHERS, 1 },
    { 04755, 0, OTHERS, 0 },
    { 02755, OTHERS, 0, 0 },
  };

  if (geteuid () != 0)
    {
      g_test_skip ("only root can give rights away");
      return;
    }

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *folder = g_dir_make_tmp ("acc-secure-XXXXXX", NULL);
      g_autofree char *copy = g_build_filename (folder, "copy", NULL);
      g_autofree char *program = NULL;
      gsize size;
      int status;

      g_assert_true (g_file_get_contents ("/proc/self/exe", &program, &size, NULL));
      g_assert_true (g_file_set_contents (copy, program, size, NULL));
      g_assert_cmpint (chown (copy, cases[i].owner, cases[i].group), ==, 0);
      g_assert_cmpint (chmod (copy, cases[i].mode), ==, 0);
      g_assert_cmpint (chown (folder, OTHERS, OTHERS), ==, 0);
      status = run_copy (copy, folder);
      remove_tree (folder);
      /* The loader's, where it does not find the library */
      if (status == SKIPPED || status == 127)
        {
          g_test_skip ("another user cannot run this program, or with no other rights");
          return;
        }
      g_assert_cmpint (status, ==, cases[i].status);
    }
}

int
main (int    argc,
      char **argv)
{
  struct stat self;

  if (argc == 2 && strcmp (argv[1], "look") == 0)
    {
      gboolean other = stat ("/proc/self/exe", &self) == 0 && (self.st_mode & (S_ISUID | S_ISGID)) != 0;

      return (getauxval (AT_SECURE) != 0) == other ? look () : SKIPPED;
    }

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/secure/rights", test_rights);

  return g_test_run ();
}
