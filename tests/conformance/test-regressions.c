/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* Programs that some backend once got wrong, in their text form: regressions/NAME.txt. */

static void
test_program (gconstpointer data)
{
  const char *path = data;
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(ConfProgram) checked = NULL;
  AccProgram *program;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  program = acc_program_parse (text, &error);
  g_assert_no_error (error);
  checked = conf_program_new (name, program);
  conf_program_check (checked, NULL, 0, (ConfTolerance) { .zeros_equal = TRUE });
}

int
main (int argc, char **argv)
{
  const char *folder = g_getenv ("ACC_TEST_EXPECTED");
  g_autofree char *programs = g_build_filename (folder != NULL ? folder : ".", "regressions", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GDir) dir = NULL;
  const char *name;

  conf_init (&argc, &argv);
  dir = g_dir_open (programs, 0, &error);
  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *test = g_strdup_printf ("/regressions/%s", name);

      g_test_add_data_func_full (test, g_build_filename (programs, name, NULL), test_program, g_free);
    }
  return conf_run ();
}
