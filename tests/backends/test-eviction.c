/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Programs whose arrays are ten times what a backend may hold, on every device there is: results are right, and the limit holds.
 * Then all devices at once, in several threads, handing arrays to each other. ACC_TEST_BACKENDS names them. */

#include <acc/acc.h>

#define N       60000
#define BYTES   (N * sizeof (gint32))
#define N_KEPT  40
#define N_LIVE  30

static GPtrArray *names;

static AccBackend *
open_backend (const char *name, guint64 limit)
{
  g_autoptr(GError) error = NULL;
  AccBackend *backend = acc_backend_new_for_name (name, &error);

  g_assert_no_error (error);
  acc_backend_set_memory_limit (backend, limit);

  return backend;
}

static AccArray *
use_count (gint32 first)
{
  gint32 *values = g_new (gint32, N);
  g_autoptr(AccShape) shape = acc_shape_new_vector (N);
  g_autoptr(GBytes) bytes = g_bytes_new_take (values, BYTES);

  for (gint32 i = 0; i < N; i++)
    values[i] = first + i;

  return acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, bytes);
}

static void
assert_count (AccArray *array, gint32 first)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (array, 0, &error);
  const gint32 *values;

  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, BYTES);
  values = g_bytes_get_data (bytes, NULL);
  for (gint32 i = 0; i < N; i++)
    g_assert_cmpint (values[i], ==, first + i);
}

static AccExpr *
int32 (int value)
{
  return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), value);
}

static AccExpr *
add_given (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, int32 (GPOINTER_TO_INT (data)));
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccArray *
build_add (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], add_given, GINT_TO_POINTER (1));
}

/* Prefix sums that are all needed again at the end: none can be given up early. They add one of three numbers: kernels of equal steps are
 * compiled once. */
static AccArray *
build_many (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(GPtrArray) scans = g_ptr_array_new_with_free_func (g_object_unref);
  AccArray *sum;

  for (guint i = 0; i < N_LIVE; i++)
    {
      AccArray *before = i == 0 ? arrays[0] : g_ptr_array_index (scans, i - 1);
      g_autoptr(AccArray) added = acc_array_map (before, add_given, GUINT_TO_POINTER (i % 3));

      g_ptr_array_add (scans, acc_array_scanl1 (added, plus, NULL));
    }

  sum = g_object_ref (g_ptr_array_index (scans, N_LIVE - 1));
  for (guint i = N_LIVE - 1; i-- > 0; )
    {
      g_autoptr(AccArray) before = sum;
      g_autoptr(AccArray) zipped = acc_array_zip_with (before, g_ptr_array_index (scans, i), plus, NULL);

      sum = acc_array_scanl1 (zipped, plus, NULL);
    }

  return sum;
}

static AccExecutable *
compile (AccBackend *backend, AccArrayFunc function)
{
  const char *signatures[] = { "i4[:]", NULL };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = acc_program_new (signatures, function, NULL);
  AccExecutable *executable = acc_backend_compile (backend, program, NULL, &error);

  g_assert_no_error (error);

  return executable;
}

static AccArray *
run (AccExecutable *executable, AccArray *argument)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_executable_run (executable, &argument, 1, NULL, &error);

  g_assert_no_error (error);

  return g_object_ref (g_ptr_array_index (results, 0));
}

static void
test_kept (gconstpointer name)
{
  const guint64 limit = N_KEPT * BYTES / 10 + 16384;
  g_autoptr(AccBackend) backend = open_backend (name, limit);
  g_autoptr(AccExecutable) add = compile (backend, build_add);
  g_autoptr(GRand) rand = g_rand_new_with_seed (11);
  AccArray *arrays[N_KEPT];

  arrays[0] = use_count (0);
  for (guint i = 1; i < N_KEPT; i++)
    arrays[i] = run (add, arrays[i - 1]);
  for (guint k = 0; k < 2 * N_KEPT; k++)
    {
      gint from = g_rand_int_range (rand, 0, N_KEPT);
      g_autoptr(AccArray) again = run (add, arrays[from]);

      assert_count (again, from + 1);
    }
  for (guint i = 0; i < N_KEPT; i++)
    {
      assert_count (arrays[i], (gint32) i);
      g_object_unref (arrays[i]);
    }
  g_assert_cmpuint (acc_backend_get_memory_high_water (backend), <=, limit);
}

static void
test_in_one_run (gconstpointer name)
{
  const guint64 limit = (2 * N_LIVE + 1) * BYTES / 10;
  g_autoptr(AccBackend) backend = open_backend (name, limit);
  g_autoptr(AccBackend) interpreter = open_backend ("interpreter", 0);
  g_autoptr(AccExecutable) many = compile (backend, build_many);
  g_autoptr(AccExecutable) judge = compile (interpreter, build_many);
  g_autoptr(AccArray) argument = use_count (3);
  g_autoptr(AccArray) expected = run (judge, argument);
  g_autoptr(GBytes) wanted = acc_array_dup_bytes (expected, 0, NULL);

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr(AccArray) result = run (many, argument);
      g_autoptr(GBytes) got = acc_array_dup_bytes (result, 0, NULL);

      g_assert_true (g_bytes_equal (wanted, got));
    }
  g_assert_cmpuint (acc_backend_get_memory_high_water (backend), <=, limit);
}

typedef struct {
  AccExecutable **add;
  guint           n_add;
  guint           seed;
  AccArray       *shared;
} Worker;

static gpointer
work (gpointer data)
{
  Worker *self = data;
  g_autoptr(GRand) rand = g_rand_new_with_seed (self->seed);
  AccArray *kept[8];
  gint32 firsts[8] = { 0, };

  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    kept[i] = g_object_ref (self->shared);
  for (guint k = 0; k < 80; k++)
    {
      gint from = g_rand_int_range (rand, 0, G_N_ELEMENTS (kept));
      gint to = g_rand_int_range (rand, 0, G_N_ELEMENTS (kept));
      AccArray *result = run (self->add[g_rand_int_range (rand, 0, (gint32) self->n_add)], kept[from]);

      firsts[to] = firsts[from] + 1;
      g_object_unref (kept[to]);
      kept[to] = result;
    }
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      assert_count (kept[i], firsts[i]);
      g_object_unref (kept[i]);
    }

  return NULL;
}

static void
test_together (void)
{
  const guint64 limit = 12 * BYTES;
  g_autoptr(GPtrArray) backends = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) adds = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) shared = use_count (0);
  Worker workers[4];
  GThread *threads[4];

  g_ptr_array_add (backends, open_backend ("interpreter", 0));
  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add (backends, open_backend (g_ptr_array_index (names, i), limit));
  for (guint i = 0; i < backends->len; i++)
    g_ptr_array_add (adds, compile (g_ptr_array_index (backends, i), build_add));

  for (guint i = 0; i < G_N_ELEMENTS (workers); i++)
    {
      workers[i] = (Worker) { (AccExecutable **) adds->pdata, adds->len, i + 1, shared };
      threads[i] = g_thread_new ("worker", work, &workers[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (workers); i++)
    g_thread_join (threads[i]);
  for (guint i = 1; i < backends->len; i++)
    g_assert_cmpuint (acc_backend_get_memory_high_water (g_ptr_array_index (backends, i)), <=, limit);
}

int
main (int argc, char **argv)
{
  const char *named = g_getenv ("ACC_TEST_BACKENDS");
  g_auto(GStrv) wanted = g_strsplit (named != NULL && *named != '\0' ? named : "opencl,vulkan,cuda", ",", -1);
  int status;

  g_test_init (&argc, &argv, NULL);
  names = g_ptr_array_new ();
  for (guint i = 0; wanted[i] != NULL; i++)
    {
      g_autoptr(AccBackend) backend = acc_backend_new_for_name (wanted[i], NULL);

      if (backend != NULL)
        g_ptr_array_add (names, wanted[i]);
    }
  if (names->len == 0)
    {
      g_print ("1..0 # SKIP none of the devices is there\n");
      return 0;
    }

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      g_autofree char *kept = g_strdup_printf ("/eviction/%s/kept", name);
      g_autofree char *in_one_run = g_strdup_printf ("/eviction/%s/in-one-run", name);

      g_test_add_data_func (kept, name, test_kept);
      g_test_add_data_func (in_one_run, name, test_in_one_run);
    }
  g_test_add_func ("/eviction/together", test_together);
  status = g_test_run ();
  g_ptr_array_unref (names);

  return status;
}
