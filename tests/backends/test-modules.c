/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Many modules in one process, on backends that compile one for each extent: several threads make and run them, and how many threads the
 * process has does not grow with their number. */

#include "tests/nested/nested-backends.h"

#include <string.h>

#define N_THREADS 3
#define N_MODULES 100   /* of each thread */
/* Threads of compilers that may come, and more than a thread for each module would be. */
#define MOST_MORE 100

static AccExpr *
add_index (AccExpr *index, gpointer data)
{
  return acc_expr_add (index, acc_expr_extent (data, 0));
}

static AccArray *
make (gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autofree gint32 *values = g_new0 (gint32, n);
  g_autoptr(GBytes) bytes = g_bytes_new (values, n * sizeof *values);
  g_autoptr(AccArray) xs = acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, bytes);
  g_autoptr(AccArray) indices = acc_array_generate_expr (acc_expr_shape (xs), add_index, xs);

  return acc_array_sum_all (indices);
}

/* Those of lengths @data, @data + N_THREADS …; each a module of its own. */
static gpointer
run_modules (gpointer data)
{
  for (guint i = 0; i < N_MODULES; i++)
    {
      gint64 n = 2 + GPOINTER_TO_UINT (data) + i * N_THREADS;
      g_autoptr(AccArray) array = make (n), sum = run (backend, array);

      g_assert_cmpint (acc_array_get_int (sum, 0, 0), ==, n * (n - 1) / 2 + n * n);
    }

  return NULL;
}

static guint
count_threads (void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;
  line = strstr (text, "Threads:");

  return line != NULL ? (guint) g_ascii_strtoull (line + strlen ("Threads:"), NULL, 10) : 0;
}

static void
test_many (void)
{
  GThread *threads[N_THREADS];
  g_autoptr(AccArray) first = make (1), sum = run (backend, first);
  guint before = count_threads ();

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("modules", run_modules, GUINT_TO_POINTER (i));
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);

  g_assert_cmpuint (count_threads (), <=, before + MOST_MORE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;
  g_test_add_func ("/modules/many", test_many);

  return run_tests ();
}
