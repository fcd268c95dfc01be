/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "math-functions.h"
#include "acc-backends/passes/acc-passes.h"

#include "acc-backends/codegen/llvm/acc-llvm-jit.h"

#include <string.h>

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

static double      near_log_base (double base, double x)             { return log (x) / log (base); }
static long double nearer_log_base (long double base, long double x) { return logl (x) / logl (base); }

/* With the sign of @y, zero as well. */
static int
floored_remainder (mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rounding)
{
  int inexact = mpfr_fmod (r, x, y, rounding);

  if (!mpfr_zero_p (r) && mpfr_signbit (r) != mpfr_signbit (y))
    inexact = mpfr_add (r, r, y, rounding);
  else
    mpfr_copysign (r, r, y, rounding);
  return inexact;
}

static double
near_remainder (double x, double y)
{
  double r = fmod (x, y);

  return r != 0 && signbit (r) != signbit (y) ? r + y : copysign (r, y);
}

static long double
nearer_remainder (long double x, long double y)
{
  long double r = fmodl (x, y);

  return r != 0 && signbit (r) != signbit (y) ? r + y : copysignl (r, y);
}

#define ONE(ID, name, low, high) \
  { #name, ACC_PRIM_##ID, mpfr_##name, NULL, low, high, 1, acc_expr_##name, NULL, name, NULL, name##l, NULL }
#define TWO(ID, name, low, high, limit) \
  { #name, ACC_PRIM_##ID, NULL, mpfr_##name, low, high, limit, NULL, acc_expr_##name, NULL, name, NULL, name##l }

const MathFunction math_functions[N_MATH_FUNCTIONS] = {
  ONE (SIN, sin, -20, 20),
  ONE (COS, cos, -20, 20),
  ONE (TAN, tan, -20, 20),
  ONE (ASIN, asin, -1, 1),
  ONE (ACOS, acos, -1, 1),
  ONE (ATAN, atan, -10, 10),
  ONE (SINH, sinh, -30, 30),
  ONE (COSH, cosh, -30, 30),
  ONE (TANH, tanh, -12, 12),
  ONE (ASINH, asinh, -30, 30),
  ONE (ACOSH, acosh, 1, 30),
  ONE (ATANH, atanh, -1, 1),
  ONE (EXP, exp, -90, 90),
  ONE (EXPM1, expm1, -90, 90),
  ONE (LOG, log, 0, 100),
  ONE (LOG1P, log1p, -1, 100),
  TWO (POW, pow, -20, 20, 1.001),
  TWO (ATAN2, atan2, -10, 10, 1.5),
  { "logbase", ACC_PRIM_LOGBASE, NULL, log_base, 0, 100, 1.5, NULL, acc_expr_logbase, NULL, near_log_base, NULL, nearer_log_base },
  { "mod_float", ACC_N_PRIMITIVES, NULL, floored_remainder, -10, 10, 0.501, NULL, acc_expr_mod_float, NULL, near_remainder, NULL,
    nearer_remainder },
};

static AccKernelEntry
compile (AccPrimitive   primitive,
         AccElementKind kind,
         AccEmitFlags   flags)
{
  static AccLlvmTarget *target;
  static AccLlvmJit *jit;
  g_autoptr(GError) error = NULL;
  AccKernelBuilder *b = kb_new (acc_primitive_get_info (primitive)->name);
  KBuffer x = kb_param_buffer (b, kind, ACC_BUFFER_READ, "x"), y = kb_param_buffer (b, kind, ACC_BUFFER_READ, "y");
  KBuffer out = kb_param_buffer (b, kind, ACC_BUFFER_WRITE, "out");

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue a = kb_load (b, x, i);
      kb_store (b, out, i, acc_primitive_get_info (primitive)->arity == 1 ? kb_prim (b, primitive, a)
                                                                          : kb_prim2 (b, primitive, a, kb_load (b, y, i)));
    }
  if (jit == NULL)
    {
      target = acc_llvm_target_new_host (&error);
      g_assert_no_error (error);
      jit = acc_llvm_jit_new (&error);
      g_assert_no_error (error);
    }

  g_autoptr(AccKernel) kernel = kb_finish (b, &error);
  g_assert_no_error (error);
  g_autoptr(GBytes) object = acc_emit_llvm (kernel, target, flags, NULL, &error);
  g_assert_no_error (error);
  AccKernelEntry entry = acc_llvm_jit_add_object (jit, object, NULL, &error);
  g_assert_no_error (error);
  return entry;
}

static AccExpr *
apply1 (AccExpr *x, gpointer f)
{
  return ((const MathFunction *) f)->build1 (x);
}

static AccExpr *
apply2 (AccExpr *x, AccExpr *y, gpointer f)
{
  return ((const MathFunction *) f)->build2 (x, y);
}

static AccArray *
use (AccElementKind kind,
     gconstpointer  data,
     gsize          n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (data, n * acc_element_kind_get_size (kind));

  return acc_array_use (acc_element_type_new (kind), shape, bytes);
}

void
math_function_compute (const MathFunction *f,
                       AccElementKind      kind,
                       AccBackend         *backend,
                       gboolean            scalar,
                       gconstpointer       x,
                       gconstpointer       y,
                       gpointer            out,
                       gsize               n)
{
  static AccKernelEntry entries[ACC_N_PRIMITIVES][2][2];
  static AccBackend *native;
  g_autoptr(GError) error = NULL;

  if (backend == NULL && f->primitive == ACC_N_PRIMITIVES)
    {
      if (native == NULL)
        native = acc_backend_new_for_name ("native", &error);
      g_assert_no_error (error);
      backend = native;
    }
  if (backend == NULL)
    {
      AccKernelEntry *entry = &entries[f->primitive][kind == ACC_KIND_F64][scalar];
      AccFailure failure = { 0 };

      if (*entry == NULL)
        *entry = compile (f->primitive, kind, scalar ? ACC_EMIT_SCALAR : ACC_EMIT_DEFAULT);
      (*entry) ((guint64[]) { (guintptr) x, (guintptr) y, (guintptr) out }, (gint64[]) { 0, 1, 0, (gint64) n, 0 }, &failure);
      return;
    }

  g_autoptr(AccArray) xs = use (kind, x, n), ys = use (kind, y, n);
  g_autoptr(AccArray) mapped = f->build1 != NULL
                               ? acc_array_map (xs, apply1, (gpointer) f) : acc_array_zip_with (xs, ys, apply2, (gpointer) f);
  g_autoptr(AccArray) result = acc_backend_run (backend, mapped, NULL, &error);
  g_assert_no_error (error);
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (result, 0, &error);
  g_assert_no_error (error);
  memcpy (out, g_bytes_get_data (bytes, NULL), n * acc_element_kind_get_size (kind));
}

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

  int digits = kind == ACC_KIND_F32 ? 24 : 53, least = kind == ACC_KIND_F32 ? -149 : -1074, exponent = 0;
  frexp (rounded, &exponent);

  mpfr_t difference;
  mpfr_init2 (difference, 200);
  mpfr_sub_d (difference, exact, got, MPFR_RNDN);
  mpfr_mul_2si (difference, difference, -(rounded == 0 ? least : MAX (exponent - digits, least)), MPFR_RNDN);
  double result = fabs (mpfr_get_d (difference, MPFR_RNDN));
  mpfr_clear (difference);
  return result;
}

double
math_function_get_error (const MathFunction *f,
                         AccElementKind      kind,
                         double              x,
                         double              y,
                         double              got)
{
  mpfr_t a, b, r;

  mpfr_inits2 (60, a, b, (mpfr_ptr) 0);
  mpfr_init2 (r, 200);
  mpfr_set_d (a, x, MPFR_RNDN);
  mpfr_set_d (b, y, MPFR_RNDN);
  if (f->exact2 != NULL)
    f->exact2 (r, a, b, MPFR_RNDN);
  else
    f->exact1 (r, a, MPFR_RNDN);

  double error = error_in_ulp (got, r, kind);
  mpfr_clears (a, b, r, (mpfr_ptr) 0);
  return error;
}
