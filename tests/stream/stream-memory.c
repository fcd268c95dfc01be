/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream-memory.h"

#include "stream-files.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT    (16 << 20)
#define OVERHEAD (80 << 20)   /* docs/results/streams.md tells what it is made of */
#define REFUSED  3

#define GROUPS "/sys/fs/cgroup/memory"
#define PAUSE  500   /* microseconds */

/* Bytes of this process that no file stands behind. */
static guint64
get_anonymous (void)
{
  g_autofree char *text = NULL;
  const char *line;

  g_assert_true (g_file_get_contents ("/proc/self/status", &text, NULL, NULL));
  line = strstr (text, "RssAnon:");
  g_assert_nonnull (line);

  return g_ascii_strtoull (line + strlen ("RssAnon:"), NULL, 10) * 1024;
}

static GThread *watcher;
static gint is_watching;

static gpointer
watch (gpointer data)
{
  guint64 *most = data;

  do
    {
      *most = MAX (*most, get_anonymous ());
      g_usleep (PAUSE);
    }
  while (g_atomic_int_get (&is_watching));

  return most;
}

static void
begin_watch (void)
{
  g_atomic_int_set (&is_watching, 1);
  watcher = g_thread_new ("watch", watch, g_new0 (guint64, 1));
}

static guint64
end_watch (void)
{
  g_autofree guint64 *most = NULL;

  g_atomic_int_set (&is_watching, 0);
  most = g_thread_join (g_steal_pointer (&watcher));

  return *most;
}

/* NULL where none can be made: another version, or not the right to. */
static char *
make_group (guint64 bytes)
{
  g_autofree char *group = g_strdup_printf (GROUPS "/acc-test-%d", (int) getpid ()),
    *limit = g_build_filename (group, "memory.limit_in_bytes", NULL),
                  *text = g_strdup_printf ("%" G_GUINT64_FORMAT, bytes);
  FILE *file;
  gboolean done;

  if (g_mkdir (group, 0700) < 0)
    return NULL;
  file = fopen (limit, "w");
  done = file != NULL && fputs (text, file) >= 0;
  done = file != NULL && fclose (file) == 0 && done;
  if (done)
    return g_steal_pointer (&group);
  g_rmdir (group);

  return NULL;
}

static void
enter_group (gpointer path)
{
  FILE *file = path != NULL ? fopen (path, "w") : NULL;

  if (file != NULL)
    {
      fprintf (file, "%d", (int) getpid ());
      fclose (file);
    }
}

/* FALSE where the kernel had to end it; else its exit status. */
static gboolean
run_in_group (const char * const *arguments, guint64 bytes, char **output, int *status, gboolean *in_group)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL), *group = make_group (bytes),
                  *members = group != NULL ? g_build_filename (group, "cgroup.procs", NULL) : NULL;
  g_autoptr(GPtrArray) argv = g_ptr_array_new ();
  g_autoptr(GError) error = NULL;
  int waited;

  g_ptr_array_add (argv, self);
  for (guint i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer) arguments[i]);
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_DEFAULT, enter_group, members, output, NULL, &waited, &error);
  g_assert_no_error (error);

  *in_group = group != NULL;
  if (group != NULL)
    g_rmdir (group);
  *status = WIFEXITED (waited) ? WEXITSTATUS (waited) : -1;

  return WIFEXITED (waited);
}

/* --- programs */

static GFile *
get_file (const char *folder, const MemoryFile *data)
{
  g_autofree char *path = g_strdup_printf ("%s/%s-%u-%" G_GINT64_FORMAT ".raw", folder, data->code, data->rank, data->extents[0]);

  return g_file_new_for_path (path);
}

int
memory_run_child (MemoryBuildFunc build, const MemoryFile *const *files, guint n_files, const char *folder)
{
  g_autofree AccArray **sources = g_new0 (AccArray *, n_files + 1);
  g_autoptr(AccBackend) backend = NULL;
  guint64 begin = get_anonymous (), with_backend, most;
  g_autoptr(AccArray) array = NULL;
  g_autofree char *path = g_build_filename (folder, "out.raw", NULL);
  g_autoptr(GFile) output = g_file_new_for_path (path);
  g_autoptr(AccSink) sink = acc_sink_create (output, NULL, NULL);
  g_autoptr(GError) error = NULL;
  gboolean done;

  backend = acc_backend_new_for_name ("native", &error);
  g_assert_no_error (error);
  acc_backend_set_memory_limit (backend, LIMIT);
  with_backend = get_anonymous ();
  for (guint i = 0; i < n_files && files[i] != NULL; i++)
    {
      const MemoryFile *data = files[i];
      g_autoptr(GFile) file = get_file (folder, data);
      g_autoptr(AccElementType) type = acc_element_type_parse (data->code, NULL);
      g_autoptr(AccShape) shape = acc_shape_new (data->extents, data->rank);
      g_autoptr(AccSource) source = acc_source_open_raw (file, type, shape, 0, NULL, &error);

      g_assert_no_error (error);
      sources[i] = acc_array_new_from_source (source);
    }
  array = build (sources);
  begin_watch ();
  done = acc_backend_write (backend, array, sink, NULL, &error);
  most = end_watch ();
  for (guint i = 0; i < n_files; i++)
    g_clear_object (&sources[i]);
  if (!done && !g_error_matches (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    g_error ("%s", error->message);

  g_print ("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n", begin, with_backend, most,
           acc_backend_get_memory_high_water (backend));

  return done ? 0 : REFUSED;
}

static void
make_files (AccBackend *backend, const MemoryFile *const *files, guint n_files, MemoryContentsFunc contents, const char *folder)
{
  for (guint i = 0; i < n_files && files[i] != NULL; i++)
    {
      const MemoryFile *data = files[i];
      g_autoptr(GFile) file = get_file (folder, data);
      g_autoptr(TestSource) source = test_source_new (data->code, data->extents, data->rank, i + 1);
      g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), made = NULL;
      g_autoptr(AccSink) sink = acc_sink_create (file, NULL, NULL);
      g_autoptr(GError) error = NULL;

      if (g_file_query_exists (file, NULL))
        continue;
      made = contents (data, array);
      acc_backend_write (backend, made, sink, NULL, &error);
      g_assert_no_error (error);
    }
}

void
memory_test (AccBackend *backend, const char *name, const MemoryFile *const *files, guint n_files, MemoryContentsFunc contents,
             const char *folder, gboolean may_be_refused)
{
  g_autofree char *output = NULL;
  guint64 numbers[4] = { 0 };
  gboolean in_group;
  int status;

  make_files (backend, files, n_files, contents, folder);
  if (!run_in_group ((const char *[]) { "--child", name, folder, NULL }, LIMIT + OVERHEAD, &output, &status, &in_group))
    {
      g_test_fail_printf ("%s was ended in %d MiB", name, (LIMIT + OVERHEAD) >> 20);
      return;
    }
  g_assert_true (status == 0 || (status == REFUSED && may_be_refused));
  g_assert_cmpint (sscanf (output, "%" G_GINT64_MODIFIER "u %" G_GINT64_MODIFIER "u %" G_GINT64_MODIFIER "u %" G_GINT64_MODIFIER "u",
                           &numbers[0], &numbers[1], &numbers[2], &numbers[3]), ==, 4);
  g_test_message ("%s%s%s: %.1f MiB to begin with, %.1f with the backend, %.1f at most, of which the budget has %.1f", name,
                  status == REFUSED ? ", refused" : "", in_group ? ", in a cgroup" : "", (double) numbers[0] / (1 << 20),
                  (double) numbers[1] / (1 << 20), (double) numbers[2] / (1 << 20), (double) numbers[3] / (1 << 20));
  g_assert_cmpuint (numbers[2], <=, LIMIT + OVERHEAD);
  g_assert_cmpuint (numbers[3], <=, LIMIT);
}
