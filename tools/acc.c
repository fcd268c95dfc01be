/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* acc: look at backends, files and programs, and run programs on files. */

#include <acc/acc.h>
#include <locale.h>
#include <string.h>

typedef struct {
  const char *name;
  const char *arguments;
  const char *help;
  int         least;   /* arguments */
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

/* What is run or planned: the results of a program for inputs, and where they go. */
typedef struct {
  AccBackend *backend;
  GPtrArray *results;           /* AccArray */
  GPtrArray *sinks;             /* AccSink, one for each result; empty: they are printed */
} Work;

static void
work_clear (Work *work)
{
  g_clear_pointer (&work->results, g_ptr_array_unref);
  g_clear_pointer (&work->sinks, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

/* PROGRAM OUTPUT… [INPUT…]: the program says how many inputs there are. Nothing is read yet. */
static gboolean
open_work (Work *work, int argc, char **argv, GError **error)
{
  work->backend = acc_backend_get_default (error);
  g_autoptr(AccProgram) program = work->backend ? load_program (argv[0], error) : NULL;
  if (program == NULL)
    return FALSE;

  int n_inputs = (int) acc_program_get_n_parameters (program);
  int n_results = (int) acc_program_get_n_results (program);
  int n_outputs = argc - 1 - n_inputs;
  gboolean prints = n_outputs == 1 && strcmp (argv[1], "-") == 0;

  if (!prints && n_outputs != n_results)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE,
                   "“%s” has %d results and %d parameters: it takes %d files, outputs first (one “-” prints all results), not %d", argv[0],
                   n_results, n_inputs, n_results + n_inputs, argc - 1);
      return FALSE;
    }

  g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func (g_object_unref);
  for (int i = 0; i < n_inputs; i++)
    {
      g_autoptr(AccSource) source = open_source (argv[1 + n_outputs + i], error);
      if (source == NULL)
        return FALSE;
      g_ptr_array_add (inputs, acc_array_new_from_source (source));
    }

  work->results = acc_program_apply (program, (AccArray **) inputs->pdata, inputs->len, error);
  if (work->results == NULL)
    return FALSE;

  work->sinks = g_ptr_array_new_with_free_func (g_object_unref);
  for (int i = 0; !prints && i < n_outputs; i++)
    {
      g_autoptr(GFile) file = g_file_new_for_commandline_arg (argv[1 + i]);
      AccSink *sink = acc_sink_create (file, NULL, error);
      if (sink == NULL)
        return FALSE;
      g_ptr_array_add (work->sinks, sink);
    }

  return TRUE;
}

/* Rows go from inputs to outputs, as many at once as the memory limit allows. */
static int
run (int argc, char **argv, GError **error)
{
  g_auto(Work) work = { 0 };

  if (!open_work (&work, argc, argv, error))
    return 1;

  AccArray **arrays = (AccArray **) work.results->pdata;
  guint n = work.results->len;
  if (work.sinks->len > 0)
    return acc_backend_write_many (work.backend, arrays, n, (AccSink **) work.sinks->pdata, n, NULL, error) ? 0 : 1;

  g_autoptr(GPtrArray) values = acc_backend_run_many (work.backend, arrays, n, NULL, error);
  for (guint i = 0; values != NULL && i < n; i++)
    {
      g_autofree char *text = acc_array_to_string (values->pdata[i]);
      g_print ("%s\n", text);
    }

  return values ? 0 : 1;
}

static int
plan (int argc, char **argv, GError **error)
{
  g_auto(Work) work = { 0 };

  if (!open_work (&work, argc, argv, error))
    return 1;
  if (work.sinks->len == 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "results that are printed are kept in memory: name a file for each");
      return 1;
    }

  g_autoptr(AccPlan) planned = acc_backend_plan_many (work.backend, (AccArray **) work.results->pdata, work.results->len,
                                                      (AccSink **) work.sinks->pdata, work.sinks->len, error);
  if (planned == NULL)
    return 1;

  g_autofree char *text = acc_plan_to_string (planned);
  g_print ("%s%s", text, g_str_has_suffix (text, "\n") ? "" : "\n");
  return 0;
}

/* "8,3", ":,3", or "" for a single element, in brackets or without */
static AccShape *
parse_shape (const char *text, GError **error)
{
  g_autofree char *inside = g_strdup (*text == '[' ? text + 1 : text);
  g_auto(GStrv) parts = NULL;
  gint64 extents[64];
  guint rank;

  if (g_str_has_suffix (inside, "]"))
    inside[strlen (inside) - 1] = '\0';
  parts = g_strsplit (inside, ",", -1);
  rank = g_strv_length (parts);
  for (guint i = 0; i < rank; i++)
    {
      if (i < G_N_ELEMENTS (extents) && strcmp (parts[i], ":") == 0)
        extents[i] = -1;
      else if (i >= G_N_ELEMENTS (extents) || !g_ascii_string_to_signed (parts[i], 10, 0, G_MAXINT64, &extents[i], NULL))
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_PARSE, "“%s” is no shape: extents with commas between them", text);
          return NULL;
        }
    }

  return acc_shape_new (extents, rank);
}

/* The text itself, to standard output or a file. */
static gboolean
write_text (const char *path, const char *text, GError **error)
{
  if (strcmp (path, "-") != 0)
    return g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0666, error);

  g_print ("%s", text);
  return TRUE;
}

/* export --stablehlo FILE|- or --saved-model FOLDER, PROGRAM [SHAPE…] */
static int
export (int argc, char **argv, GError **error)
{
  g_autofree char *text_path = NULL, *folder_path = NULL;
  gboolean fast_math = FALSE;
  const GOptionEntry entries[] = {
    { "stablehlo", 0, 0, G_OPTION_ARG_FILENAME, &text_path, NULL, NULL },
    { "saved-model", 0, 0, G_OPTION_ARG_FILENAME, &folder_path, NULL, NULL },
    { "fast-math", 0, 0, G_OPTION_ARG_NONE, &fast_math, NULL, NULL },
    { NULL },
  };
  g_autoptr(GOptionContext) context = g_option_context_new (NULL);
  g_autoptr(GPtrArray) shapes = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_shape_unref);
  int n = argc + 1;
  g_autofree char **arguments = g_new0 (char *, n + 1);
  AccExportFlags flags;

  arguments[0] = (char *) "export";
  memcpy (arguments + 1, argv, (gsize) argc * sizeof *argv);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_help_enabled (context, FALSE);
  if (!g_option_context_parse (context, &n, &arguments, error))
    return 1;
  if (n < 2 || (text_path == NULL && folder_path == NULL))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_PARSE, "--stablehlo FILE or --saved-model FOLDER is needed, and a program");
      return 2;
    }

  g_autoptr(AccProgram) program = load_program (arguments[1], error);
  if (program == NULL)
    return 1;

  for (int i = 2; i < n; i++)
    {
      AccShape *shape = parse_shape (arguments[i], error);
      if (shape == NULL)
        return 1;
      g_ptr_array_add (shapes, shape);
    }

  flags = fast_math ? ACC_EXPORT_FAST_MATH : ACC_EXPORT_DEFAULT;
  if (text_path != NULL)
    {
      g_autofree char *text = acc_program_export_stablehlo (program, (AccShape **) shapes->pdata, shapes->len, flags, error);
      if (text == NULL || !write_text (text_path, text, error))
        return 1;
    }
  if (folder_path != NULL)
    {
      g_autoptr(GFile) folder = g_file_new_for_commandline_arg (folder_path);
      if (!acc_program_export_saved_model (program, (AccShape **) shapes->pdata, shapes->len, flags, folder, NULL, error))
        return 1;
    }

  return 0;
}

static const Command commands[] = {
  { "list", "", "every backend: memory limit, threads, or why it is absent", 0, list },
  { "inspect", "FILE…", "element type and shape of pictures and .npy files", 1, inspect },
  { "check", "PROGRAM", "read a program's text form, check it and print it", 1, check },
  { "run", "PROGRAM OUTPUT… [INPUT…]", "run a program on files of any size, within ACC_MEMORY_LIMIT; \"-\" in place of outputs prints them",
    2, run },
  { "plan", "PROGRAM OUTPUT… [INPUT…]", "say how that will run: stages, memory, temporary files; nothing is read or written", 2, plan },
  { "export", "--stablehlo FILE|- | --saved-model FOLDER [--fast-math] PROGRAM [SHAPE…]",
    "write a program for XLA or TensorFlow; shapes of its parameters as 8,3, with \":\" for an outermost extent that is open", 1, export },
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

      if (argc - 2 < commands[i].least)
        return usage ();

      int status = commands[i].run (argc - 2, argv + 2, &error);
      if (error != NULL)
        g_printerr ("acc %s: %s\n", argv[1], error->message);
      return status;
    }

  return usage ();
}
