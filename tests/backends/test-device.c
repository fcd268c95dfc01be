/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Real devices that fail: what they cannot do comes back as an error, and the process goes on running right programs on them.
 * ACC_TEST_BACKENDS names them; those that the machine lacks are left out. */

#include <acc/acc.h>
#include <string.h>

#define N 10000

static AccElementType *
int32_type (void)
{
  return acc_element_type_new (ACC_KIND_I32);
}

static AccExpr *
int32 (gint value)
{
  return acc_expr_new_typed_int (int32_type (), value);
}

static AccBackend *
open_backend (const char *name)
{
  g_autoptr(GError) error = NULL;
  AccBackend *backend = acc_backend_new_for_name (name, &error);

  g_assert_no_error (error);

  return backend;
}

static AccArray *
use_count (gint64 n)
{
  gint32 *values = g_new (gint32, n);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new_take (values, n * sizeof *values);

  for (gint64 i = 0; i < n; i++)
    values[i] = (gint32) i;

  return acc_array_use (int32_type (), shape, bytes);
}

static AccExpr *
add_one (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, int32 (1));
}

static AccArray *
build_add (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], add_one, NULL);
}

static AccExpr *
read_far (AccExpr *index, gpointer data)
{
  return acc_expr_linear_index (data, acc_expr_add (index, acc_expr_new_int (7)));
}

static AccArray *
build_far (AccArray **arrays, guint n, gpointer data)
{
  AccArray *far = acc_array_generate_expr (acc_expr_shape (arrays[0]), read_far, arrays[0]);

  acc_array_set_label (far, "far");

  return far;
}

static AccArray *
run (AccBackend *backend, AccArrayFunc function, gpointer data, AccArray *argument, GError **error)
{
  const char *signatures[] = { "i4[:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new (signatures, function, data);
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, error);
  g_autoptr(GPtrArray) results = NULL;

  if (executable == NULL)
    return NULL;
  results = acc_executable_run (executable, &argument, 1, NULL, error);

  return results != NULL ? g_object_ref (g_ptr_array_index (results, 0)) : NULL;
}

static void
assert_works (AccBackend *backend)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) argument = use_count (N);
  g_autoptr(AccArray) result = run (backend, build_add, NULL, argument, &error);

  g_assert_no_error (error);
  for (gint64 i = 0; i < N; i += 7)
    g_assert_cmpint (acc_array_get_int (result, 0, i), ==, i + 1);
}

/* An index outside of an array. */
static void
test_bounds (gconstpointer name)
{
  g_autoptr(AccBackend) backend = open_backend (name);
  g_autoptr(AccArray) argument = use_count (N);

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_null (run (backend, build_far, NULL, argument, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
      g_assert_nonnull (strstr (error->message, "far"));
      assert_works (backend);
    }
}

/* Less memory than one array takes: rows of it come one after the other, to the host, unless that has no room either. */
static void
test_memory (gconstpointer name)
{
  g_autoptr(AccBackend) backend = open_backend (name);
  g_autoptr(AccArray) argument = use_count (100 * N);

  acc_backend_set_memory_limit (backend, 2 * N * sizeof (gint32) + 65536);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) result = run (backend, build_add, NULL, argument, &error);

      g_assert_no_error (error);
      g_assert_cmpint (acc_array_get_int (result, 0, 100 * N - 1), ==, 100 * N);
      g_clear_object (&result);
      acc_backend_set_host_memory_limit (backend, 2 * N * sizeof (gint32) + 65536);
      g_assert_null (run (backend, build_add, NULL, argument, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      assert_works (backend);
      acc_backend_set_host_memory_limit (backend, 0);
    }
}

/* More than any device has. */
static AccArray *
build_huge (AccArray **arrays, guint n, gpointer data)
{
  gint64 extent = (gint64) 1 << 46;
  g_autoptr(AccShape) shape = acc_shape_new (&extent, 1);

  return acc_array_fill (shape, int32 (3));
}

static void
test_huge (gconstpointer name)
{
  g_autoptr(AccBackend) backend = open_backend (name);
  g_autoptr(AccArray) argument = use_count (N);

  /* Once the limit says so, once the driver. */
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(GError) error = NULL;

      if (i == 1)
        acc_backend_set_memory_limit (backend, G_MAXINT64);
      g_assert_null (run (backend, build_huge, NULL, argument, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      assert_works (backend);
    }
}

/* What the driver's compiler refuses. */
static void
test_compiler (gconstpointer name)
{
  g_autoptr(AccArray) argument = use_count (N);

  if (strcmp (name, "opencl") != 0)
    {
      g_test_skip ("its compiler takes no options");
      return;
    }

  g_setenv ("ACC_OPENCL_OPTIONS", "--no-such-option", TRUE);
  {
    g_autoptr(AccBackend) backend = open_backend (name);
    g_autoptr(GError) error = NULL;

    g_assert_null (run (backend, build_far, NULL, argument, &error));
    g_assert_error (error, ACC_ERROR, ACC_ERROR_COMPILE);
  }
  g_unsetenv ("ACC_OPENCL_OPTIONS");
  {
    g_autoptr(AccBackend) backend = open_backend (name);

    assert_works (backend);
  }
}

static AccExpr *
turn (AccExpr *state, gpointer data)
{
  AccExpr *left = acc_expr_sub (acc_expr_item (state, 0), acc_expr_new_int (1));
  AccExpr *x = acc_expr_bxor (acc_expr_mul (acc_expr_item (state, 1), int32 (5)), acc_expr_cast (acc_expr_item (state, 0), int32_type ()));

  return acc_expr_tuple2 (acc_expr_gt (acc_expr_item (state, 0), acc_expr_new_int (0)), acc_expr_tuple2 (left, x));
}

/* Seconds, on whatever computes it. */
static AccExpr *
dawdle (AccExpr *x, gpointer data)
{
  AccExpr *state = acc_expr_tuple2 (acc_expr_new_int ((gint64) 1 << 31), x);

  return acc_expr_item (acc_expr_while (state, turn, NULL), 1);
}

static AccArray *
build_slow (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], dawdle, NULL);
}

/* A kernel that takes longer than it may. What is made anew afterwards works, even while the kernel still runs. */
static void
test_timeout (gconstpointer name)
{
  g_autoptr(AccArray) argument = use_count (1);

  g_setenv ("ACC_DEVICE_TIMEOUT", "0.5", TRUE);
  {
    g_autoptr(AccBackend) backend = open_backend (name);
    g_autoptr(GError) error = NULL, again = NULL;
    g_autoptr(AccArray) slow = NULL;

    slow = run (backend, build_slow, NULL, argument, &error);
    g_assert_null (slow);
    if (g_error_matches (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED))
      {
        /* Mesa's software device leaves loops after 65535 turns: that is told, and nothing is lost. */
        g_assert_nonnull (strstr (error->message, "loop"));
        g_unsetenv ("ACC_DEVICE_TIMEOUT");
        assert_works (backend);
        return;
      }
    g_assert_error (error, ACC_ERROR, ACC_ERROR_DEVICE_LOST);
    g_assert_null (run (backend, build_add, NULL, argument, &again));
    g_assert_error (again, ACC_ERROR, ACC_ERROR_DEVICE_LOST);
  }
  g_unsetenv ("ACC_DEVICE_TIMEOUT");
  {
    g_autoptr(AccBackend) backend = open_backend (name);

    assert_works (backend);
  }
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void      (*test) (gconstpointer);
  } tests[] = {
    { "bounds", test_bounds },
    { "memory", test_memory },
    { "huge", test_huge },
    { "compiler", test_compiler },
    { "timeout", test_timeout },
  };
  const char *named = g_getenv ("ACC_TEST_BACKENDS");
  g_auto(GStrv) names = g_strsplit (named != NULL && *named != '\0' ? named : "opencl,vulkan,cuda", ",", -1);
  guint n = 0;

  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("ACC_MEMORY_LIMIT");
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr(AccBackend) backend = acc_backend_new_for_name (names[i], NULL);

      for (guint k = 0; k < G_N_ELEMENTS (tests) && backend != NULL; k++, n++)
        {
          g_autofree char *path = g_strdup_printf ("/device/%s/%s", names[i], tests[k].name);

          g_test_add_data_func (path, names[i], tests[k].test);
        }
    }
  if (n == 0)
    {
      g_print ("1..0 # SKIP none of the devices is there\n");
      return 0;
    }

  return g_test_run ();
}
