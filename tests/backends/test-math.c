/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Accuracy of the transcendental functions against correctly rounded values, of few arguments. */

#include "math-functions.h"

#define SAMPLES 4000

static const double edges[] = {
  0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, INFINITY, -INFINITY, NAN, 1e-300, -1e-300, 1e300, -1e300, 1e-40, -1e-40, 1e38, -1e38,
  0x1p-1074, 0x1.6ac5b262ca1ffp+849, 0x1p-149, 0x1p-1022, 0x1p-126, 0x1.fffffffffffffp1023, 0x1.fffffep127, G_PI, G_PI_2, G_PI_4, 1e5, 1e6,
  1048576, 2e6, 1e9, 1e15, 1e22, 0x1p53, 0x1p52, 0x1p24, -0x1p53, 709.7, 709.9, -745.1, -745.2, -708.5, 88.7, 88.8, -103.9, -104.1, -87.4,
  0.99999999, 1.00000001, 4503599627370497.0, };

static double
sample (GRand              *random,
        const MathFunction *f,
        guint               i)
{
  if (i < G_N_ELEMENTS (edges))
    return edges[i];
  if (i % 4 == 0)
    return ldexp (g_rand_double_range (random, 1, 2),
                  g_rand_int_range (random, -60, 60)) * (g_rand_boolean (random) && f->low < 0 ? -1 : 1);
  if (i % 16 == 1)
    return ldexp (g_rand_double_range (random, 1, 2), g_rand_int_range (random, -1000, 1000)) * (g_rand_boolean (random) ? -1 : 1);
  return g_rand_double_range (random, f->low, f->high);
}

static double
worst_of (const MathFunction *f,
          AccElementKind      kind,
          AccBackend         *backend,
          gboolean            scalar)
{
  gsize size = acc_element_kind_get_size (kind);
  g_autofree guint8 *x = g_malloc (SAMPLES * size), *y = g_malloc (SAMPLES * size), *out = g_malloc0 (SAMPLES * size);
  g_autoptr(GRand) random = g_rand_new_with_seed (g_str_hash (f->name) + kind);
  gboolean pair = f->exact2 != NULL;
  double worst = 0;
  guint n_edges = G_N_ELEMENTS (edges);

  for (guint i = 0; i < SAMPLES; i++)
    {
      /* Two operands meet every pair of edges first. */
      double a = pair ? (i < n_edges * n_edges ? edges[i / n_edges] : sample (random, f, n_edges + i)) : sample (random, f, i);
      double b = i < n_edges * n_edges ? edges[i % n_edges] : sample (random, f, n_edges + i);

      if (kind == ACC_KIND_F32)
        ((float *) x)[i] = a, ((float *) y)[i] = b;
      else
        ((double *) x)[i] = a, ((double *) y)[i] = b;
    }

  math_function_compute (f, kind, backend, scalar, x, y, out, SAMPLES);
  for (guint i = 0; i < SAMPLES; i++)
    {
      double va = kind == ACC_KIND_F32 ? ((float *) x)[i] : ((double *) x)[i];
      double vb = kind == ACC_KIND_F32 ? ((float *) y)[i] : ((double *) y)[i];
      double got = kind == ACC_KIND_F32 ? ((float *) out)[i] : ((double *) out)[i];

      double ulp = math_function_get_error (f, kind, va, vb, got);
      if (f->primitive == ACC_PRIM_LOGBASE && !isfinite (ulp))
        continue;   /* edges follow from the quotient of two logarithms */
      if (ulp > worst)
        worst = ulp;
      if (ulp > f->limit)
        g_test_message ("%s of %a, %a is %a, off by %g ulp", f->name, va, vb, got, ulp);
    }
  return worst;
}

static void
test_function (gconstpointer data)
{
  const MathFunction *f = data;

  g_assert_cmpfloat (worst_of (f, ACC_KIND_F32, NULL, FALSE), <=, f->limit);
  g_assert_cmpfloat (worst_of (f, ACC_KIND_F64, NULL, FALSE), <=, f->limit);
  g_assert_cmpfloat (worst_of (f, ACC_KIND_F32, NULL, TRUE), <=, f->limit);
  g_assert_cmpfloat (worst_of (f, ACC_KIND_F64, NULL, TRUE), <=, f->limit);
}

typedef struct {
  const MathFunction *f;
  AccBackend         *backend;
} Case;

static void
test_on_device (gconstpointer data)
{
  const Case *c = data;

  g_assert_cmpfloat (worst_of (c->f, ACC_KIND_F32, c->backend, FALSE), <=, MATH_LIMIT_ON_DEVICES);
  g_assert_cmpfloat (worst_of (c->f, ACC_KIND_F64, c->backend, FALSE), <=, MATH_LIMIT_ON_DEVICES);
}

int
main (int argc, char **argv)
{
  const char *named = g_getenv ("ACC_TEST_BACKENDS");
  g_auto(GStrv) devices = g_strsplit (named != NULL && *named != '\0' ? named : "opencl,vulkan,cuda", ",", -1);
  g_autoptr(GPtrArray) backends = g_ptr_array_new_with_free_func (g_object_unref);

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < N_MATH_FUNCTIONS; i++)
    {
      g_autofree char *path = g_strconcat ("/math/", math_functions[i].name, NULL);
      g_test_add_data_func (path, &math_functions[i], test_function);
    }
  for (guint k = 0; devices[k] != NULL; k++)
    {
      AccBackend *backend = acc_backend_new_for_name (devices[k], NULL);

      if (backend == NULL)
        continue;
      g_ptr_array_add (backends, backend);
      for (guint i = 0; i < N_MATH_FUNCTIONS; i++)
        {
          g_autofree char *path = g_strdup_printf ("/math/%s/%s", devices[k], math_functions[i].name);
          Case *c = g_new (Case, 1);

          *c = (Case) { &math_functions[i], backend };
          g_test_add_data_func_full (path, c, test_on_device, g_free);
        }
    }
  return g_test_run ();
}
