/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fast mathematics: asked for, taken back, and still right where it counts. On every backend that there is. */

#include <acc/acc.h>
#include <math.h>
#include <string.h>

#define N 1000
#define N_FUNCTIONS 9

static AccArray *
use (AccElementKind kind, gpointer values, gint64 n, gsize size)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (values, n * size);

  return acc_array_use (acc_element_type_new (kind), shape, bytes);
}

static gpointer
run (AccBackend *backend, AccArray *array)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = acc_backend_run (backend, array, NULL, &error);
  g_autoptr(GBytes) bytes = NULL;

  g_assert_no_error (error);
  bytes = acc_array_dup_bytes (result, 0, &error);
  g_assert_no_error (error);

  return g_memdup2 (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static AccExpr *
times_minus (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data)
{
  return GPOINTER_TO_INT (data) ? acc_expr_sub (z, acc_expr_mul (x, y)) : acc_expr_sub (acc_expr_mul (x, y), z);
}

/* x y - z of numbers whose product is not exact: rounded once or twice makes all the difference. */
static void
test_contraction (gconstpointer data)
{
  AccBackend *backend = (AccBackend *) data;
  gboolean contracts = strcmp (acc_backend_get_name (backend), "interpreter") != 0;
  double x[N], y[N], z[N];

  for (guint i = 0; i < N; i++)
    {
      x[i] = 1 + i * 0x1p-40;
      y[i] = 1 - i * 0x1p-41;
      z[i] = x[i] * y[i];
    }
  for (guint turned = 0; turned < 2; turned++)
    for (guint round = 0; round < 3; round++)
      {
        g_autoptr(AccArray) xs = use (ACC_KIND_F64, x, N, sizeof *x), ys = use (ACC_KIND_F64, y, N, sizeof *y);
        g_autoptr(AccArray) zs = use (ACC_KIND_F64, z, N, sizeof *z);
        g_autoptr(AccArray) sum = acc_array_zip_with3 (xs, ys, zs, times_minus, GINT_TO_POINTER (turned));
        g_autofree double *result = NULL;

        acc_backend_set_fast_math (backend, round == 1);
        g_assert_cmpint (acc_backend_get_fast_math (backend), ==, round == 1);
        result = run (backend, sum);
        for (guint i = 0; i < N; i++)
          {
            double exact = fma (x[i], y[i], -z[i]);

            g_assert_cmpfloat (result[i], ==, round == 1 && contracts ? (turned ? -exact : exact) : 0.0);
          }
      }
}

static AccExpr *
functions (AccExpr *x, gpointer data)
{
  AccExpr *one = acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 1);
  AccExpr *cube = acc_expr_mul (x, acc_expr_sqrt (x));
  AccExpr *sum = acc_expr_add (acc_expr_mul (x, x), acc_expr_abs (x));

  return acc_expr_tuple ((AccExpr *[]) { acc_expr_fdiv (one, x), acc_expr_sqrt (x), acc_expr_exp (x), acc_expr_log (x),
                                         acc_expr_fdiv (one, acc_expr_sqrt (x)), acc_expr_recip (acc_expr_sqrt (x)),
                                         acc_expr_fdiv (x, acc_expr_sqrt (x)), acc_expr_fdiv (one, cube),
                                         acc_expr_fdiv (one, acc_expr_mul (sum, acc_expr_sqrt (sum))) }, N_FUNCTIONS);
}

static double
function_of (guint which, double x)
{
  double sum = x * x + fabs (x);

  switch (which)
    {
    case 0:
      return 1 / x;
    case 1:
      return sqrt (x);
    case 2:
      return exp (x);
    case 3:
      return log (x);
    case 6:
      return x / sqrt (x);
    case 7:
      return 1 / (x * sqrt (x));
    case 8:
      return 1 / (sum * sqrt (sum));
    default:
      return 1 / sqrt (x);
    }
}

static void
test_accuracy (gconstpointer data)
{
  AccBackend *backend = (AccBackend *) data;
  static const float special[] = { NAN, INFINITY, 0, -0.f, -1, -INFINITY, 1e-12, 1e12, 1e-20, 1e20 };
  float x[N];

  for (guint i = 0; i < N; i++)
    x[i] = i < G_N_ELEMENTS (special) ? special[i] : (i + 1) * 0.08f;

  {
    g_autoptr(AccArray) xs = use (ACC_KIND_F32, x, N, sizeof *x);
    g_autoptr(AccArray) all = acc_array_map (xs, functions, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(AccArray) result = NULL;

    acc_backend_set_fast_math (backend, TRUE);
    result = acc_backend_run (backend, all, NULL, &error);
    g_assert_no_error (error);
    acc_backend_set_fast_math (backend, FALSE);
    for (guint leaf = 0; leaf < N_FUNCTIONS; leaf++)
      {
        g_autoptr(GBytes) bytes = acc_array_dup_bytes (result, leaf, &error);
        const float *found = g_bytes_get_data (bytes, NULL);

        for (guint i = 0; i < N; i++)
          {
            double want = function_of (leaf, x[i]);

            double allowed = fabs (want) * 2e-5 + (leaf == 3 ? 1e-6 : 1e-30);
            gboolean right = isnan (want) ? isnan (found[i])
                             : isinf (want) ? found[i] == want
                             : want == 0 ? found[i] == 0 && !signbit (found[i]) == !signbit (want)
                                            : fabs (found[i] - want) <= allowed;

            if (!right)
              g_error ("function %u of %g is %g, and not %g", leaf, x[i], found[i], want);
          }
      }
  }
}

static void
on_notify (GObject *object, GParamSpec *pspec, gpointer count)
{
  ++*(guint *) count;
}

static void
test_property (gconstpointer data)
{
  AccBackend *backend = (AccBackend *) data;
  guint count = 0;
  gulong handler = g_signal_connect (backend, "notify::fast-math", G_CALLBACK (on_notify), &count);
  gboolean fast = TRUE;

  g_object_get (backend, "fast-math", &fast, NULL);
  g_assert_false (fast);
  g_object_set (backend, "fast-math", TRUE, NULL);
  acc_backend_set_fast_math (backend, 5);
  g_assert_cmpint (acc_backend_get_fast_math (backend), ==, TRUE);
  acc_backend_set_fast_math (backend, FALSE);
  g_assert_cmpuint (count, ==, 2);
  g_signal_handler_disconnect (backend, handler);
}

int
main (int argc, char **argv)
{
  const char *named = g_getenv ("ACC_TEST_BACKENDS");
  g_auto(GStrv) wanted = g_strsplit (named != NULL && *named != '\0' ? named : "interpreter,native,opencl,vulkan,cuda", ",", -1);
  g_autoptr(GPtrArray) backends = g_ptr_array_new_with_free_func (g_object_unref);
  static const struct { const char *name; GTestDataFunc func; } tests[] = {
    { "property", test_property }, { "contraction", test_contraction }, { "accuracy", test_accuracy },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; wanted[i] != NULL; i++)
    {
      AccBackend *backend = acc_backend_new_for_name (wanted[i], NULL);

      if (backend == NULL)
        continue;
      g_ptr_array_add (backends, backend);
      for (guint k = 0; k < G_N_ELEMENTS (tests); k++)
        {
          g_autofree char *path = g_strdup_printf ("/fast-math/%s/%s", wanted[i], tests[k].name);

          g_test_add_data_func (path, backend, tests[k].func);
        }
    }

  return g_test_run ();
}
