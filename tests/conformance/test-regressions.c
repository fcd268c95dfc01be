/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* Programs that some backend once got wrong, in their text form: regressions/NAME.txt; those that must not be read are in
 * regressions/refused. */

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

static void
test_refused (gconstpointer data)
{
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = NULL;

  g_file_get_contents (data, &text, NULL, &error);
  g_assert_no_error (error);
  program = acc_program_parse (text, &error);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
  g_assert_null (program);
}

static void
add_all (const char *prefix, const char *folder, GTestDataFunc function)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GDir) dir = g_dir_open (folder, 0, &error);
  const char *name;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".txt"))
      {
        g_autofree char *test = g_strconcat (prefix, name, NULL);

        g_test_add_data_func_full (test, g_build_filename (folder, name, NULL), function, g_free);
      }
}

int
main (int argc, char **argv)
{
  const char *folder = g_getenv ("ACC_TEST_EXPECTED");
  g_autofree char *programs = g_build_filename (folder != NULL ? folder : ".", "regressions", NULL);
  g_autofree char *refused = g_build_filename (programs, "refused", NULL);

  conf_init (&argc, &argv);
  add_all ("/regressions/", programs, test_program);
  add_all ("/regressions/refused/", refused, test_refused);
  return conf_run ();
}
