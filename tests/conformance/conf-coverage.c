/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf-coverage.h"
#include "conformance.h"

#include <glib/gstdio.h>
#include <string.h>

/* What became of the cases of functions, by backend: a case counts for every function that its test, one path of GLib's test
 * framework, called before the case was judged. */

typedef struct {
  guint passed, failed;
} Outcomes;

typedef struct {
  char     *name;
  char     *description;
  Outcomes  cases;          /* of the test that runs */
} Backend;

static GPtrArray  *judged;        /* Backend */
static GHashTable *used;          /* function of the test that runs, to Outcomes for each backend when it was first called */
static GHashTable *total;         /* function to Outcomes for each backend */
static char       *running;       /* path of the test */

static void
free_backend (gpointer data)
{
  Backend *backend = data;

  g_free (backend->name);
  g_free (backend->description);
  g_free (backend);
}

static gboolean
is_wanted (void)
{
  const char *path = g_getenv ("ACC_TEST_RESULTS");

  return path != NULL && *path != '\0';
}

/* A test is over: what its cases came to is added up. */
static void
add_up (void)
{
  GHashTableIter iter;
  gpointer function, before;

  g_hash_table_iter_init (&iter, used);
  while (g_hash_table_iter_next (&iter, &function, &before))
    {
      Outcomes *sum = g_hash_table_lookup (total, function);

      if (sum == NULL)
        g_hash_table_insert (total, g_strdup (function), sum = g_new0 (Outcomes, judged->len));
      for (guint i = 0; i < judged->len; i++)
        {
          const Backend *backend = g_ptr_array_index (judged, i);

          sum[i].passed += backend->cases.passed - ((Outcomes *) before)[i].passed;
          sum[i].failed += backend->cases.failed - ((Outcomes *) before)[i].failed;
        }
    }
  g_hash_table_remove_all (used);
}

static void
notice_test (void)
{
  const char *path = g_test_get_path ();

  if (g_strcmp0 (path, running) == 0)
    return;
  add_up ();
  g_free (running);
  running = g_strdup (path);
}

void
conf_coverage_begin (void)
{
  if (!is_wanted ())
    return;

  judged = g_ptr_array_new_with_free_func (free_backend);
  used = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  total = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i <= conf_n_backends (); i++)
    {
      AccBackend *object = i == 0 ? conf_interpreter () : conf_backend (i - 1);
      Backend *backend = g_new0 (Backend, 1);

      backend->name = g_strdup (acc_backend_get_name (object));
      backend->description = g_strdup (acc_backend_get_description (object));
      g_ptr_array_add (judged, backend);
    }
}

void
conf_use (const char *function)
{
  Outcomes *before;

  if (judged == NULL)
    return;
  notice_test ();
  if (g_hash_table_contains (used, function))
    return;

  before = g_new (Outcomes, judged->len);
  for (guint i = 0; i < judged->len; i++)
    before[i] = ((Backend *) g_ptr_array_index (judged, i))->cases;
  g_hash_table_insert (used, g_strdup (function), before);
}

void
conf_coverage_count (const char *name,
                     gboolean    passed)
{
  if (judged == NULL)
    return;
  notice_test ();
  for (guint i = 0; i < judged->len; i++)
    {
      Backend *backend = g_ptr_array_index (judged, i);

      if (g_strcmp0 (backend->name, name) == 0)
        *(passed ? &backend->cases.passed : &backend->cases.failed) += 1;
    }
}

/* Lines: "test NAME", "backend NAME: DESCRIPTION", and "FUNCTION BACKEND PASSED FAILED" */
void
conf_coverage_end (void)
{
  g_autoptr(GString) text = g_string_new (NULL);
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = NULL, *program = NULL;
  const char *name;
  GHashTableIter iter;
  gpointer function, sums;

  if (judged == NULL)
    return;

  add_up ();
  program = g_path_get_basename (g_get_prgname ());
  name = program;
  if (g_str_has_prefix (program, "test-conformance-"))
    name += strlen ("test-conformance-");
  g_string_append_printf (text, "test %s\n", name);
  for (guint i = 0; i < judged->len; i++)
    {
      const Backend *backend = g_ptr_array_index (judged, i);

      g_string_append_printf (text, "backend %s: %s\n", backend->name, backend->description);
    }
  g_hash_table_iter_init (&iter, total);
  while (g_hash_table_iter_next (&iter, &function, &sums))
    for (guint i = 0; i < judged->len; i++)
      {
        const Outcomes *sum = (Outcomes *) sums + i;

        if (sum->passed + sum->failed > 0)
          g_string_append_printf (text, "%s %s %u %u\n", (char *) function, ((Backend *) g_ptr_array_index (judged, i))->name, sum->passed,
                                  sum->failed);
      }

  folder = g_path_get_dirname (g_getenv ("ACC_TEST_RESULTS"));
  g_mkdir_with_parents (folder, 0777);
  if (!g_file_set_contents (g_getenv ("ACC_TEST_RESULTS"), text->str, -1, &error))
    g_printerr ("# %s\n", error->message);

  g_clear_pointer (&judged, g_ptr_array_unref);
  g_clear_pointer (&used, g_hash_table_unref);
  g_clear_pointer (&total, g_hash_table_unref);
  g_clear_pointer (&running, g_free);
}
