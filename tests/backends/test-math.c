/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Accuracy of the transcendental functions against correctly rounded values. With --table BACKEND… the
 * worst errors found are printed as the documentation shows them, f4 and f8 of each backend. */

#include "acc-backends/emit/acc-llvm-jit.h"
#include "acc-backends/kernel/math/acc-math.h"

#include <acc/acc.h>

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

#define SAMPLES 6000

typedef struct {
  AccPrimitive primitive;
  int        (*exact1) (mpfr_t, const mpfr_t, mpfr_rnd_t);
  int        (*exact2) (mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
  double       low, high;     /* where samples are dense */
  double       limit;         /* ulp */
  AccExpr   *(*build1) (AccExpr *);
  AccExpr   *(*build2) (AccExpr *, AccExpr *);
} Function;

static int
log_base (mpfr_t r, const mpfr_t base, const mpfr_t x, mpfr_rnd_t rounding)
{
  mpfr_t a, b;

  mpfr_inits2 (200, a, b, (mpfr_ptr) 0);
  mpfr_log (a, x, rounding);
  mpfr_log (b, base, rounding);
  int inexact = mpfr_div (r, a, b, rounding);
  mpfr_clears (a, b, (mpfr_ptr) 0);
  return inexact;
}

static const Function functions[] = {
  { ACC_PRIM_SIN, mpfr_sin, NULL, -20, 20, 1.5, acc_expr_sin },
  { ACC_PRIM_COS, mpfr_cos, NULL, -20, 20, 1.5, acc_expr_cos },
  { ACC_PRIM_TAN, mpfr_tan, NULL, -20, 20, 3.5, acc_expr_tan },
  { ACC_PRIM_ASIN, mpfr_asin, NULL, -1, 1, 2.5, acc_expr_asin },
  { ACC_PRIM_ACOS, mpfr_acos, NULL, -1, 1, 2, acc_expr_acos },
  { ACC_PRIM_ATAN, mpfr_atan, NULL, -10, 10, 2, acc_expr_atan },
  { ACC_PRIM_SINH, mpfr_sinh, NULL, -30, 30, 4, acc_expr_sinh },
  { ACC_PRIM_COSH, mpfr_cosh, NULL, -30, 30, 4, acc_expr_cosh },
  { ACC_PRIM_TANH, mpfr_tanh, NULL, -12, 12, 4, acc_expr_tanh },
  { ACC_PRIM_ASINH, mpfr_asinh, NULL, -30, 30, 4, acc_expr_asinh },
  { ACC_PRIM_ACOSH, mpfr_acosh, NULL, 1, 30, 4, acc_expr_acosh },
  { ACC_PRIM_ATANH, mpfr_atanh, NULL, -1, 1, 4, acc_expr_atanh },
  { ACC_PRIM_EXP, mpfr_exp, NULL, -90, 90, 1.5, acc_expr_exp },
  { ACC_PRIM_LOG, mpfr_log, NULL, 0, 100, 1.5, acc_expr_log },
  { ACC_PRIM_POW, NULL, mpfr_pow, -20, 20, 2, NULL, acc_expr_pow },
  { ACC_PRIM_LOGBASE, NULL, log_base, 0, 100, 4, NULL, acc_expr_logbase },
  { ACC_PRIM_ATAN2, NULL, mpfr_atan2, -10, 10, 3, NULL, acc_expr_atan2 },
};

static AccLlvmTarget *target;
static AccLlvmJit    *jit;

static AccKernelEntry
compile (AccPrimitive   primitive,
         AccElementKind kind,
         AccEmitFlags   flags)
{
  g_autoptr (GError) error = NULL;
  AccKernelBuilder *b = kb_new (acc_primitive_get_info (primitive)->name);
  KBuffer x = kb_param_buffer (b, kind, ACC_BUFFER_READ, "x"), y = kb_param_buffer (b, kind, ACC_BUFFER_READ, "y");
  KBuffer out = kb_param_buffer (b, kind, ACC_BUFFER_WRITE, "out");

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue a = kb_load (b, x, i);
      kb_store (b, out, i, acc_primitive_get_info (primitive)->arity == 1 ? kb_prim (b, primitive, a)
                                                                          : kb_prim2 (b, primitive, a, kb_load (b, y, i)));
    }

  g_autoptr (AccKernel) kernel = kb_finish (b, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) object = acc_emit_llvm (kernel, target, flags, NULL, &error);
  g_assert_no_error (error);
  AccKernelEntry entry = acc_llvm_jit_add_object (jit, object, NULL, &error);
  g_assert_no_error (error);
  return entry;
}

static AccExpr *
apply1 (AccExpr *x, gpointer f)
{
  return ((const Function *) f)->build1 (x);
}

static AccExpr *
apply2 (AccExpr *x, AccExpr *y, gpointer f)
{
  return ((const Function *) f)->build2 (x, y);
}

static AccArray *
use (AccElementKind kind,
     gconstpointer  data,
     guint          n)
{
  g_autoptr (AccShape) shape = acc_shape_new_vector (n);
  g_autoptr (GBytes) bytes = g_bytes_new (data, n * acc_element_kind_get_size (kind));

  return acc_array_use (acc_element_type_new (kind), shape, bytes);
}

/* By a backend, or else by the emitter alone. */
static void
evaluate (const Function *f,
          AccElementKind  kind,
          AccBackend     *backend,
          AccEmitFlags    flags,
          gpointer        x,
          gpointer        y,
          gpointer        out,
          guint           n)
{
  g_autoptr (GError) error = NULL;
  AccFailure failure = { 0 };

  if (backend == NULL)
    {
      compile (f->primitive, kind, flags) ((guint64[]) { (guintptr) x, (guintptr) y, (guintptr) out }, (gint64[]) { 0, 1, 0, n, 0 }, &failure);
      return;
    }

  g_autoptr (AccArray) xs = use (kind, x, n), ys = use (kind, y, n);
  g_autoptr (AccArray) mapped = f->build1 != NULL ? acc_array_map (xs, apply1, (gpointer) f) : acc_array_zip_with (xs, ys, apply2, (gpointer) f);
  g_autoptr (AccArray) result = acc_backend_run (backend, mapped, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) bytes = acc_array_get_bytes (result, 0, &error);
  g_assert_no_error (error);
  memcpy (out, g_bytes_get_data (bytes, NULL), n * acc_element_kind_get_size (kind));
}

static const double edges[] = {
  0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, INFINITY, -INFINITY, NAN, 1e-300, -1e-300, 1e300, -1e300, 1e-40, -1e-40, 1e38, -1e38,
  0x1p-1074, 0x1.6ac5b262ca1ffp+849, 0x1p-149, 0x1p-1022, 0x1p-126, 0x1.fffffffffffffp1023, 0x1.fffffep127, G_PI, G_PI_2, G_PI_4, 1e5, 1e6, 1048576, 2e6, 1e9, 1e15,
  1e22, 0x1p53, 0x1p52, 0x1p24, -0x1p53, 709.7, 709.9, -745.1, -745.2, -708.5, 88.7, 88.8, -103.9, -104.1, -87.4, 0.99999999, 1.00000001, 4503599627370497.0,
};

static double
sample (GRand          *random,
        const Function *f,
        guint           i)
{
  if (i < G_N_ELEMENTS (edges))
    return edges[i];
  if (i % 4 == 0)
    return ldexp (g_rand_double_range (random, 1, 2), g_rand_int_range (random, -60, 60)) * (g_rand_boolean (random) && f->low < 0 ? -1 : 1);
  if (i % 16 == 1)
    return ldexp (g_rand_double_range (random, 1, 2), g_rand_int_range (random, -1000, 1000)) * (g_rand_boolean (random) ? -1 : 1);
  return g_rand_double_range (random, f->low, f->high);
}

/* Distance of @got from the exact value in units of the last place of the correctly rounded one. */
static double
error_in_ulp (double         got,
              mpfr_t         exact,
              AccElementKind kind)
{
  double rounded = kind == ACC_KIND_F32 ? (double) mpfr_get_flt (exact, MPFR_RNDN) : mpfr_get_d (exact, MPFR_RNDN);

  if (isnan (rounded) || isnan (got))
    return isnan (rounded) && isnan (got) ? 0 : INFINITY;
  if (isinf (rounded) || isinf (got))
    {
      /* Next to overflow either is as near as makes no difference. */
      double most = kind == ACC_KIND_F32 ? 0x1.fffffep127 : G_MAXDOUBLE;
      return rounded == got ? 0 : isinf (rounded) && fabs (got) >= most * (1 - 1e-6) && !mpfr_inf_p (exact) ? 1 : INFINITY;
    }
  if (mpfr_zero_p (exact))
    return got == 0 && signbit (got) == (mpfr_signbit (exact) != 0) ? 0 : INFINITY;

  int digits = kind == ACC_KIND_F32 ? 24 : 53, least = kind == ACC_KIND_F32 ? -149 : -1074, exponent;
  frexp (rounded == 0 ? 0 : rounded, &exponent);
  double ulp = rounded == 0 ? ldexp (1, least) : ldexp (1, MAX (exponent - digits, least));

  mpfr_t difference;
  mpfr_init2 (difference, 200);
  mpfr_sub_d (difference, exact, got, MPFR_RNDN);
  double result = fabs (mpfr_get_d (difference, MPFR_RNDN)) / ulp;
  mpfr_clear (difference);
  return result;
}

static double
worst_of (const Function *f,
          AccElementKind  kind,
          AccBackend     *backend,
          AccEmitFlags    flags)
{
  gsize size = acc_element_kind_get_size (kind);
  g_autofree guint8 *x = g_malloc (SAMPLES * size), *y = g_malloc (SAMPLES * size), *out = g_malloc0 (SAMPLES * size);
  g_autoptr (GRand) random = g_rand_new_with_seed (f->primitive * 2 + kind);
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

  evaluate (f, kind, backend, flags, x, y, out, SAMPLES);

  mpfr_t a, b, r;
  mpfr_inits2 (60, a, b, (mpfr_ptr) 0);
  mpfr_init2 (r, 200);
  for (guint i = 0; i < SAMPLES; i++)
    {
      double va = kind == ACC_KIND_F32 ? ((float *) x)[i] : ((double *) x)[i];
      double vb = kind == ACC_KIND_F32 ? ((float *) y)[i] : ((double *) y)[i];
      double got = kind == ACC_KIND_F32 ? ((float *) out)[i] : ((double *) out)[i];

      mpfr_set_d (a, va, MPFR_RNDN);
      mpfr_set_d (b, vb, MPFR_RNDN);
      if (pair)
        f->exact2 (r, a, b, MPFR_RNDN);
      else
        f->exact1 (r, a, MPFR_RNDN);

      double ulp = error_in_ulp (got, r, kind);
      if (f->primitive == ACC_PRIM_LOGBASE && !isfinite (ulp))
        continue;   /* edges follow from the quotient of two logarithms */
      if (ulp > worst)
        worst = ulp;
      if (ulp > f->limit)
        g_test_message ("%s of %a, %a is %a, off by %g ulp", acc_primitive_get_info (f->primitive)->name, va, vb, got, ulp);
    }
  mpfr_clears (a, b, r, (mpfr_ptr) 0);
  return worst;
}

static void
test_function (gconstpointer data)
{
  const Function *f = data;

  g_assert_cmpfloat (worst_of (f, ACC_KIND_F32, NULL, ACC_EMIT_DEFAULT), <=, f->limit);
  g_assert_cmpfloat (worst_of (f, ACC_KIND_F64, NULL, ACC_EMIT_DEFAULT), <=, f->limit);
  g_assert_cmpfloat (worst_of (f, ACC_KIND_F64, NULL, ACC_EMIT_SCALAR), <=, f->limit);
}

typedef struct {
  const Function *f;
  AccBackend     *backend;
} Case;

/* Devices may have their own functions: 5 ulp are what all of them say to keep. */
static void
test_on_device (gconstpointer data)
{
  const Case *c = data;

  g_assert_cmpfloat (worst_of (c->f, ACC_KIND_F32, c->backend, ACC_EMIT_DEFAULT), <=, 5);
  g_assert_cmpfloat (worst_of (c->f, ACC_KIND_F64, c->backend, ACC_EMIT_DEFAULT), <=, 5);
}

static void
print_table (char **names)
{
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      printf ("| %s |", acc_primitive_get_info (functions[i].primitive)->name);
      for (guint k = 0; names[k] != NULL; k++)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (AccBackend) backend = acc_backend_new_for_name (names[k], &error);

          g_assert_no_error (error);
          printf (" %.2f | %.2f |", worst_of (&functions[i], ACC_KIND_F32, backend, ACC_EMIT_DEFAULT),
                  worst_of (&functions[i], ACC_KIND_F64, backend, ACC_EMIT_DEFAULT));
        }
      printf ("\n");
    }
}

int
main (int argc, char **argv)
{
  const char *named = g_getenv ("ACC_TEST_BACKENDS");
  g_auto (GStrv) devices = g_strsplit (named != NULL && *named != '\0' ? named : "opencl,vulkan,cuda", ",", -1);
  g_autoptr (GPtrArray) backends = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GError) error = NULL;

  if (argc > 1 && strcmp (argv[1], "--table") == 0)
    {
      print_table (argc > 2 ? argv + 2 : (char *[]) { "native", NULL });
      return 0;
    }

  target = acc_llvm_target_new_host (&error);
  g_assert_no_error (error);
  jit = acc_llvm_jit_new (&error);
  g_assert_no_error (error);

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autofree char *path = g_strconcat ("/math/", acc_primitive_get_info (functions[i].primitive)->name, NULL);
      g_test_add_data_func (path, &functions[i], test_function);
    }
  for (guint k = 0; devices[k] != NULL; k++)
    {
      AccBackend *backend = acc_backend_new_for_name (devices[k], NULL);

      if (backend == NULL)
        continue;
      g_ptr_array_add (backends, backend);
      for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
        {
          g_autofree char *path = g_strdup_printf ("/math/%s/%s", devices[k], acc_primitive_get_info (functions[i].primitive)->name);
          Case *c = g_new (Case, 1);

          *c = (Case) { &functions[i], backend };
          g_test_add_data_func_full (path, c, test_on_device, g_free);
        }
    }
  int status = g_test_run ();

  acc_llvm_jit_unref (jit);
  acc_llvm_target_unref (target);
  return status;
}
