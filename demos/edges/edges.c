/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* edges [OPTION…] INPUT.png OUTPUT.png: the edges of a picture of any size, in a fixed amount of memory. */

#include "canny.h"

#include <glib-unix.h>
#include <locale.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct {
  GMainLoop *loop;
  AccJob    *job;
  GError    *error;
  gint64     started;
  gboolean   done;
} Run;

static void
show_progress (AccJob *job, GParamSpec *pspec, gpointer data)
{
  Run *run = data;
  double seconds = (g_get_monotonic_time () - run->started) / 1e6;
  double fraction = acc_job_get_fraction (job);
  double eta = acc_job_get_eta (job);
  double rate = seconds > 0 ? acc_job_get_bytes_done (job) / seconds / 1e6 : 0;
  char bar[31];

  if (run->done || !isatty (STDERR_FILENO))
    return;

  for (int i = 0; i < 30; i++)
    bar[i] = i < (int) (fraction * 30) ? '#' : '.';
  bar[30] = '\0';

  if (eta >= 0)
    g_printerr ("\r[%s] %5.1f %%  %7.1f MB/s  %3.0f s left ", bar, fraction * 100, rate, eta);
  else
    g_printerr ("\r[%s] %5.1f %%  %7.1f MB/s            ", bar, fraction * 100, rate);
}

static void
on_written (GObject *object, GAsyncResult *result, gpointer data)
{
  Run *run = data;

  acc_job_wait_finish (ACC_JOB (object), result, &run->error);
  show_progress (ACC_JOB (object), NULL, run);
  run->done = TRUE;
  g_main_loop_quit (run->loop);
}

static gboolean
on_interrupt (gpointer data)
{
  acc_job_cancel (((Run *) data)->job);
  return G_SOURCE_CONTINUE;
}

static gboolean
edges (const char *from, const char *to, double low, double high, gboolean near, guint64 memory_limit, GError **error)
{
  g_autoptr(GFile) input = g_file_new_for_commandline_arg (from);
  g_autoptr(GFile) output = g_file_new_for_commandline_arg (to);
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  acc_backend_set_memory_limit (backend, memory_limit);

  g_autoptr(AccSource) source = acc_source_open (input, NULL, error);
  if (source == NULL)
    return FALSE;

  g_autoptr(AccSink) sink = acc_sink_create (output, NULL, error);
  if (sink == NULL)
    return FALSE;

  g_autoptr(AccArray) picture = acc_array_new_from_source (source);
  g_autoptr(AccArray) grades = picture_thin (picture, low, high);
  g_autoptr(AccArray) result = near ? picture_follow_near (grades) : picture_follow (grades);
  g_autoptr(AccPlan) plan = acc_backend_plan (backend, result, sink, 0, error);
  if (plan == NULL)
    return FALSE;

  g_autofree char *text = acc_plan_to_string (plan);
  g_print ("%s\n", text);

  Run run = { .loop = g_main_loop_new (NULL, FALSE), .started = g_get_monotonic_time () };
  run.job = acc_backend_start_write (backend, result, sink, NULL);
  guint interrupt = g_unix_signal_add (SIGINT, on_interrupt, &run);
  g_signal_connect (run.job, "notify::fraction", G_CALLBACK (show_progress), &run);
  acc_job_wait_async (run.job, NULL, on_written, &run);
  g_main_loop_run (run.loop);
  g_source_remove (interrupt);

  if (isatty (STDERR_FILENO))
    g_printerr ("\n");

  gboolean ok = run.error == NULL;
  if (ok)
    {
      struct rusage usage;
      g_autofree char *report = acc_job_dup_report (run.job);

      getrusage (RUSAGE_SELF, &usage);
      g_print ("%s\n", report);
      g_print ("wall time %.2f s, peak resident memory %.1f MiB, on %s (%s)\n",
               (g_get_monotonic_time () - run.started) / 1e6, usage.ru_maxrss / 1024.,
               acc_backend_get_name (backend), acc_backend_get_description (backend));
    }
  else
    g_propagate_error (error, run.error);

  g_clear_object (&run.job);
  g_main_loop_unref (run.loop);
  return ok;
}

int
main (int argc, char **argv)
{
  double low = 0.05, high = 0.15;
  int megabytes = 64;
  gboolean near = FALSE;
  const GOptionEntry entries[] = {
    { "low", 'l', 0, G_OPTION_ARG_DOUBLE, &low, "Lower threshold (0.05)", "FRACTION" },
    { "high", 'u', 0, G_OPTION_ARG_DOUBLE, &high, "Upper threshold (0.15)", "FRACTION" },
    { "near", 'n', 0, G_OPTION_ARG_NONE, &near, "Follow weak edges to the next pixel only, by one walk", NULL },
    { "memory", 'm', 0, G_OPTION_ARG_INT, &megabytes, "Memory for array data (64)", "MiB" },
    { NULL }
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new ("INPUT.png OUTPUT.png - find the edges of a picture");

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc != 3 || megabytes < 0)
    {
      g_printerr ("%s\n", error ? error->message : "an input and an output are needed; see --help");
      return 2;
    }

  if (!edges (argv[1], argv[2], low, high, near, (guint64) megabytes << 20, &error))
    {
      g_printerr ("edges: %s\n", error->message);
      return 1;
    }

  return 0;
}
