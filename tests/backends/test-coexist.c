/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Several backends in one process, in several threads, each with a compiler of its own: whichever comes first, all give what
 * the interpreter gives. ACC_TEST_BACKENDS names them; those that the machine lacks are left out. */

#include <acc/acc.h>
#include <string.h>

#define N 40000
#define ROUNDS 3

static GPtrArray *names;

static AccExpr *
mix (AccExpr *x, gpointer data)
{
  AccExpr *a = acc_expr_mul (x, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), GPOINTER_TO_INT (data)));

  return acc_expr_bxor (a, acc_expr_add (x, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 17)));
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

/* Prefix sums and their total, of @factor's mixture. */
static AccArray *
build (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) mixed = acc_array_map (arrays[0], mix, data);
  g_autoptr(AccArray) sums = acc_array_scanl1 (mixed, plus, NULL);

  return acc_array_fold (sums, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 0), plus, NULL);
}

static AccArray *
make_argument (void)
{
  gint32 *data = g_new (gint32, N);
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccShape) shape = acc_shape_new_vector (N);

  for (gint i = 0; i < N; i++)
    data[i] = i * 2654435761u;
  bytes = g_bytes_new_take (data, N * sizeof *data);

  return acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, bytes);
}

static gint64
run (AccBackend *backend, AccArray *argument, gint factor)
{
  const char *signatures[] = { "i4[:]", NULL };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = acc_program_new (signatures, build, GINT_TO_POINTER (factor));
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr(GPtrArray) results = NULL;

  g_assert_no_error (error);
  results = acc_executable_run (executable, &argument, 1, NULL, &error);
  g_assert_no_error (error);

  return acc_array_get_int (results->pdata[0], 0, 0);
}

static gint64
judge (AccArray *argument, gint factor)
{
  g_autoptr(AccBackend) interpreter = acc_backend_new_for_name ("interpreter", NULL);

  return run (interpreter, argument, factor);
}

/* One after the other, in the order of the names turned by @data. */
static void
test_order (gconstpointer data)
{
  guint turn = GPOINTER_TO_UINT (data);
  g_autoptr(AccArray) argument = make_argument ();

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, (i + turn) % names->len);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccBackend) backend = acc_backend_new_for_name (name, &error);

      g_assert_no_error (error);
      g_assert_cmpint (run (backend, argument, 3 + (gint) turn), ==, judge (argument, 3 + (gint) turn));
    }
}

typedef struct {
  const char *name;
  AccBackend *backend;    /* NULL: one of its own */
  AccArray   *argument;
  gint64      expected[ROUNDS];
} Worker;

static gpointer
work (gpointer data)
{
  Worker *self = data;
  g_autoptr(AccBackend) backend = self->backend != NULL ? g_object_ref (self->backend) : acc_backend_new_for_name (self->name, NULL);

  g_assert_nonnull (backend);
  for (gint i = 0; i < ROUNDS; i++)
    g_assert_cmpint (run (backend, self->argument, 5 + i), ==, self->expected[i]);

  return NULL;
}

static void
run_threads (guint per_backend, gboolean shared)
{
  g_autoptr(AccArray) argument = make_argument ();
  g_autofree Worker *workers = g_new0 (Worker, names->len * per_backend);
  g_autofree GThread **threads = g_new0 (GThread *, names->len * per_backend);
  gint64 expected[ROUNDS];

  for (gint i = 0; i < ROUNDS; i++)
    expected[i] = judge (argument, 5 + i);
  for (guint i = 0; i < names->len * per_backend; i++)
    {
      const char *name = g_ptr_array_index (names, i % names->len);

      workers[i] = (Worker) { .name = name, .argument = argument };
      memcpy (workers[i].expected, expected, sizeof expected);
      if (shared)
        workers[i].backend = i < names->len ? acc_backend_new_for_name (name, NULL) : workers[i % names->len].backend;
    }
  for (guint i = 0; i < names->len * per_backend; i++)
    threads[i] = g_thread_new (workers[i].name, work, &workers[i]);
  for (guint i = 0; i < names->len * per_backend; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < names->len && shared; i++)
    g_object_unref (workers[i].backend);
}

static void
test_threads (void)
{
  run_threads (2, FALSE);
}

static void
test_shared (void)
{
  run_threads (3, TRUE);
}

/* What one backend computed, another reads. */
static void
test_relay (void)
{
  g_autoptr(AccArray) array = make_argument ();
  g_autoptr(AccArray) expected = make_argument ();
  g_autoptr(AccBackend) interpreter = acc_backend_new_for_name ("interpreter", NULL);

  for (guint i = 0; i < 2 * names->len; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccBackend) backend = acc_backend_new_for_name (g_ptr_array_index (names, i % names->len), &error);
      g_autoptr(AccArray) step = acc_array_map (array, mix, GINT_TO_POINTER (7));
      g_autoptr(AccArray) judged = acc_array_map (expected, mix, GINT_TO_POINTER (7));
      AccArray *next = acc_backend_run (backend, step, NULL, &error);

      g_assert_no_error (error);
      g_object_unref (array);
      array = next;
      next = acc_backend_run (interpreter, judged, NULL, &error);
      g_assert_no_error (error);
      g_object_unref (expected);
      expected = next;
    }
  for (guint i = 0; i < N; i += 97)
    g_assert_cmpint (acc_array_get_int (array, 0, i), ==, acc_array_get_int (expected, 0, i));
}

int
main (int argc, char **argv)
{
  const char *named = g_getenv ("ACC_TEST_BACKENDS");
  g_auto(GStrv) wanted = g_strsplit (named != NULL ? named : "native,opencl,vulkan,pjrt,tensorflow", ",", -1);
  int status;

  g_test_init (&argc, &argv, NULL);
  names = g_ptr_array_new ();
  for (guint i = 0; wanted[i] != NULL; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GListModel) backends = acc_backend_list ();

      for (guint k = 0; k < g_list_model_get_n_items (backends); k++)
        {
          g_autoptr(AccBackendInfo) info = g_list_model_get_item (backends, k);

          if (g_strcmp0 (acc_backend_info_get_name (info), wanted[i]) == 0 && acc_backend_info_get_reason (info) == NULL)
            g_ptr_array_add (names, wanted[i]);
        }
    }
  if (names->len == 0)
    {
      g_print ("1..0 # SKIP none of the backends is there\n");
      return 0;
    }

  for (guint turn = 0; turn < names->len; turn++)
    {
      g_autofree char *path = g_strdup_printf ("/coexist/order/%s-first", (char *) g_ptr_array_index (names, turn));

      g_test_add_data_func (path, GUINT_TO_POINTER (turn), test_order);
    }
  g_test_add_func ("/coexist/threads", test_threads);
  g_test_add_func ("/coexist/shared", test_shared);
  g_test_add_func ("/coexist/relay", test_relay);
  status = g_test_run ();
  g_ptr_array_unref (names);

  return status;
}
