/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* acc: look at backends, files and programs, and run programs on files. */

#include <acc/acc.h>
#include <locale.h>
#include <string.h>

typedef struct {
  const char *name;
  const char *arguments;
  const char *help;
  int (*run) (int argc, char **argv, GError **error);
} Command;

static char *
format_bytes (guint64 bytes)
{
  return bytes ? g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS) : g_strdup ("-");
}

static int
list (int argc, char **argv, GError **error)
{
  g_autoptr(GListModel) backends = acc_backend_list ();

  for (guint i = 0; i < g_list_model_get_n_items (backends); i++)
    {
      g_autoptr(AccBackendInfo) info = g_list_model_get_item (backends, i);
      const char *reason = acc_backend_info_get_reason (info);

      if (reason != NULL)
        {
          g_print ("%-12s  absent: %s\n", acc_backend_info_get_name (info), reason);
          continue;
        }

      g_autofree char *memory = format_bytes (acc_backend_info_get_memory (info));
      g_print ("%-12s  memory limit %-10s  threads %-3u  %s\n", acc_backend_info_get_name (info), memory,
               acc_backend_info_get_n_threads (info), acc_backend_info_get_description (info));
    }

  return 0;
}

static AccSource *
open_source (const char *path, GError **error)
{
  g_autoptr(GFile) file = g_file_new_for_commandline_arg (path);

  return acc_source_open (file, NULL, error);
}

static int
inspect (int argc, char **argv, GError **error)
{
  for (int i = 0; i < argc; i++)
    {
      g_autoptr(AccSource) source = open_source (argv[i], error);
      if (source == NULL)
        return 1;

      g_autoptr(AccArray) file = acc_array_new_from_source (source);
      AccShape *extents = acc_array_get_shape (file);
      g_autofree char *shape = extents ? acc_shape_to_string (extents) : g_strdup ("?");
      g_print ("%s: %s %s\n", argv[i], acc_element_type_get_code (acc_source_get_element_type (source)), shape);
    }

  return 0;
}

static AccProgram *
load_program (const char *path, GError **error)
{
  g_autoptr(GFile) file = g_file_new_for_commandline_arg (path);
  g_autoptr(GBytes) bytes = g_file_load_bytes (file, NULL, NULL, error);

  return bytes ? acc_program_new_from_bytes (bytes, error) : NULL;
}

static int
check (int argc, char **argv, GError **error)
{
  g_autoptr(AccProgram) program = load_program (argv[0], error);
  if (program == NULL || !acc_program_check (program, error))
    return 1;

  g_autofree char *text = acc_program_to_string (program);
  g_print ("%s", text);
  return 0;
}

/* run PROGRAM OUTPUT [INPUT…]: inputs are read whole and become the program's arguments. */
static int
run (int argc, char **argv, GError **error)
{
  AccBackend *backend = acc_backend_get_default (error);
  g_autoptr(AccProgram) program = backend ? load_program (argv[0], error) : NULL;
  if (program == NULL)
    return 1;

  g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func (g_object_unref);
  for (int i = 2; i < argc; i++)
    {
      g_autoptr(AccSource) source = open_source (argv[i], error);
      if (source == NULL)
        return 1;

      g_autoptr(AccArray) file = acc_array_new_from_source (source);
      AccArray *data = acc_backend_run (backend, file, NULL, error);
      if (data == NULL)
        return 1;
      g_ptr_array_add (arguments, data);
    }

  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, error);
  if (executable == NULL)
    return 1;

  g_autoptr(GPtrArray) results = acc_executable_run (executable, (AccArray **) arguments->pdata, arguments->len, NULL, error);
  if (results == NULL)
    return 1;

  if (strcmp (argv[1], "-") == 0)
    {
      for (guint i = 0; i < results->len; i++)
        {
          g_autofree char *text = acc_array_to_string (results->pdata[i]);
          g_print ("%s\n", text);
        }
      return 0;
    }

  if (results->len != 1)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "the program has %u results; a file takes one (\"-\" prints all)",
                   results->len);
      return 1;
    }

  g_autoptr(GFile) output = g_file_new_for_commandline_arg (argv[1]);
  g_autoptr(AccSink) sink = acc_sink_create (output, NULL, error);

  return sink && acc_backend_write (backend, results->pdata[0], sink, NULL, error) ? 0 : 1;
}

static const Command commands[] = {
  { "list", "", "every backend: memory limit, threads, or why it is absent", list },
  { "inspect", "FILE…", "element type and shape of pictures and .npy files", inspect },
  { "check", "PROGRAM", "read a program's text form, check it and print it", check },
  { "run", "PROGRAM OUTPUT|- [INPUT…]", "run a program on files; \"-\" prints the results", run },
};

static int
usage (void)
{
  g_printerr ("usage: acc COMMAND …\n\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    g_printerr ("  %s %s\n      %s\n", commands[i].name, commands[i].arguments, commands[i].help);
  g_printerr ("  --version\n");
  return 2;
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;

  setlocale (LC_ALL, "");

  if (argc == 2 && strcmp (argv[1], "--version") == 0)
    {
      g_print ("acc %s\n", ACC_VERSION_S);
      return 0;
    }

  for (guint i = 0; argc > 1 && i < G_N_ELEMENTS (commands); i++)
    {
      if (strcmp (argv[1], commands[i].name) != 0)
        continue;

      int least = commands[i].run == list ? 0 : commands[i].run == run ? 2 : 1;
      if (argc - 2 < least)
        return usage ();

      int status = commands[i].run (argc - 2, argv + 2, &error);
      if (error != NULL)
        g_printerr ("acc %s: %s\n", argv[1], error->message);
      return status;
    }

  return usage ();
}
