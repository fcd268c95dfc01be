/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Searches for the largest errors, and prints them as rows of the tables in docs/accuracy.md, which docs/update-accuracy.py puts there.
 * Ends with 1 where one is beyond what the page says. */

#include "accuracy.h"

#include <math.h>
#include <stdio.h>

static const struct {
  const char *name, *head;
  gboolean  (*run) (const AccuracyOptions *options);
} parts[] = {
  { "functions", "| function | f4 | f8 | limit |\n|---|---|---|---|", accuracy_functions },
  { "complex", "| function | c8 | c16 | parts of c8 | parts of c16 | limit | of parts |\n|---|---|---|---|---|---|---|", accuracy_complex },
  { "transforms", "| row | worst of c8 | of c16 | mean of c8 | of c16 | limit |\n|---|---|---|---|---|---|", accuracy_transforms },
};

gboolean
accuracy_is_wanted (const AccuracyOptions *options, const char *name)
{
  return options->names == NULL || g_strv_contains ((const char *const *) options->names, name);
}

AccBackend *
accuracy_backend (const AccuracyOptions *options)
{
  static AccBackend *native;
  g_autoptr(GError) error = NULL;

  if (options->backend != NULL)
    return options->backend;
  if (native == NULL)
    native = acc_backend_new_for_name ("native", &error);
  g_assert_no_error (error);

  return native;
}

static char *
format (double value)
{
  return isnan (value) ? g_strdup ("") : isinf (value) ? g_strdup ("any") : g_strdup_printf ("%.2f", value);
}

gboolean
accuracy_print_row (const AccuracyOptions *options, const char *name, guint n, const double *values, guint n_limits, const double *limits)
{
  gboolean within = TRUE;

  g_print ("| %s |", name);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = format (values[i]);

      g_print (" %s |", text);
      within &= isnan (values[i]) || values[i] <= limits[i * n_limits / n];
    }
  for (guint i = 0; i < n_limits; i++)
    {
      g_autofree char *text = format (limits[i]);

      g_print (" %s |", text);
    }
  g_print ("\n");
  fflush (stdout);

  return within;
}

int
main (int argc, char **argv)
{
  AccuracyOptions options = { .wanted = { TRUE, TRUE }, .stride = 1, .effort = 1 };
  g_autofree char *part = NULL, *kind = NULL, *backend = NULL;
  const GOptionEntry entries[] = {
    { "part", 0, 0, G_OPTION_ARG_STRING, &part, "functions, complex or transforms alone", "PART" },
    { "stride", 0, 0, G_OPTION_ARG_INT, &options.stride, "Of functions of one f4, each N-th argument", "N" },
    { "effort", 0, 0, G_OPTION_ARG_INT, &options.effort, "N times the usual search elsewhere", "N" },
    { "backend", 0, 0, G_OPTION_ARG_STRING, &backend, "A backend, not the processor's code alone", "NAME" },
    { "kind", 0, 0, G_OPTION_ARG_STRING, &kind, "f4 or f8 alone, and complex numbers of them", "KIND" },
    { "scalar", 0, 0, G_OPTION_ARG_NONE, &options.scalar, "Without vectors", NULL },
    { "where", 0, 0, G_OPTION_ARG_NONE, &options.tells_where, "Tell the worst arguments, too", NULL },
    { "limits", 0, 0, G_OPTION_ARG_NONE, &options.limits_only, "Tell the limits alone", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.names, NULL, "NAME…" },
    { NULL },
  };
  g_autoptr(GOptionContext) context = g_option_context_new (NULL);
  g_autoptr(GError) error = NULL;
  gboolean within = TRUE;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    g_error ("%s", error->message);
  options.of_device = backend != NULL && !g_str_equal (backend, "native");
  options.of_xla = g_strcmp0 (backend, "pjrt") == 0 || g_strcmp0 (backend, "tensorflow") == 0;
  if (backend != NULL && !options.limits_only)
    options.backend = acc_backend_new_for_name (backend, &error);
  g_assert_no_error (error);
  options.wanted[0] = g_strcmp0 (kind, "f8") != 0;
  options.wanted[1] = g_strcmp0 (kind, "f4") != 0;

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (part == NULL || g_str_equal (part, parts[i].name))
      {
        g_print ("%s\n", parts[i].head);
        within &= parts[i].run (&options);
      }
  g_clear_object (&options.backend);
  g_strfreev (options.names);

  return within ? 0 : 1;
}
