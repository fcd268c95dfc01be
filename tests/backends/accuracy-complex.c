/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Complex numbers against those of C in long double: the distance from the right one, in units of the last place of its magnitude, and
 * how far off the worse of both parts is, in its own. */

#include "accuracy.h"
#include "accuracy-search.h"

#include <complex.h>
#include <float.h>
#include <math.h>

typedef long double complex Complex;

typedef struct {
  const char *name;
  AccExpr  *(*build1) (AccExpr *z);
  AccExpr  *(*build2) (AccExpr *z, AccExpr *w);
  Complex   (*exact1) (Complex z);
  Complex   (*exact2) (Complex z, Complex w);
  double      limit, part_limit;
} ComplexFunction;

static Complex product (Complex z, Complex w)  { return z * w; }
static Complex quotient (Complex z, Complex w) { return z / w; }
static Complex recip (Complex z)               { return 1 / z; }
static Complex magnitude (Complex z)           { return cabsl (z); }

#define ONE(name, limit, part_limit) { #name, acc_expr_##name, NULL, c##name##l, NULL, limit, part_limit }

static const ComplexFunction functions[] = {
  { "magnitude", acc_expr_magnitude, NULL, magnitude, NULL, 1.5, 1.5 },
  { "recip", acc_expr_recip, NULL, recip, NULL, 2.5, 3 },
  { "mul", NULL, acc_expr_mul, NULL, product, 2.25, INFINITY },
  { "fdiv", NULL, acc_expr_fdiv, NULL, quotient, 4, INFINITY },
  ONE (sqrt, 2.5, 3.5), ONE (exp, 2.5, 3), ONE (log, 5, INFINITY), ONE (sin, 4.5, 5), ONE (cos, 4.5, 5), ONE (tan, 7, INFINITY),
  ONE (sinh, 4.5, 5), ONE (cosh, 4.5, 5), ONE (tanh, 7, INFINITY), ONE (asin, 6, INFINITY), ONE (acos, 6, INFINITY),
  ONE (atan, 6, INFINITY), ONE (asinh, 6, INFINITY), ONE (acosh, 6, INFINITY), ONE (atanh, 6, INFINITY),
};

typedef struct {
  const ComplexFunction *f;
  gboolean               wide, by_part;
  AccExecutable         *executable;
} Case;

static AccExpr *
apply1 (AccExpr *z, gpointer f)
{
  return ((const ComplexFunction *) f)->build1 (z);
}

static AccExpr *
apply2 (AccExpr *z, AccExpr *w, gpointer f)
{
  return ((const ComplexFunction *) f)->build2 (z, w);
}

static AccArray *
apply (AccArray **arrays, guint n, gpointer f)
{
  return n == 2 ? acc_array_zip_with (arrays[0], arrays[1], apply2, f) : acc_array_map (arrays[0], apply1, f);
}

/* Once for all that is tried: some compilers take long. */
static AccExecutable *
compile (const ComplexFunction *f, gboolean wide, AccBackend *backend)
{
  const char *one = wide ? "c16[:]" : "c8[:]", *signatures[] = { one, f->build2 != NULL ? one : NULL, NULL };
  g_autoptr(AccProgram) program = acc_program_new (signatures, apply, (gpointer) f);
  g_autoptr(GError) error = NULL;
  AccExecutable *executable = acc_backend_compile (backend, program, NULL, &error);

  g_assert_no_error (error);

  return executable;
}

/* The numbers from @first on. */
static AccArray *
use (const Case *c, const Found *found, gsize n, guint first)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  gpointer parts = g_malloc (2 * n * sizeof (double));
  g_autoptr(GBytes) bytes = g_bytes_new_take (parts, 2 * n * (c->wide ? sizeof (double) : sizeof (float)));

  for (gsize i = 0; i < 2 * n; i++)
    if (c->wide)
      ((double *) parts)[i] = found[i / 2].at[first + i % 2];
    else
      ((float *) parts)[i] = found[i / 2].at[first + i % 2];

  return acc_array_use (acc_element_type_new_complex (c->wide ? ACC_KIND_F64 : ACC_KIND_F32), shape, bytes);
}

static double
unit_of (const Case *c, long double x)
{
  int exponent;

  frexpl (x, &exponent);
  return ldexp (1,
                c->wide
                ? MAX (exponent - DBL_MANT_DIG, DBL_MIN_EXP - DBL_MANT_DIG) : MAX (exponent - FLT_MANT_DIG, FLT_MIN_EXP - FLT_MANT_DIG));
}

/* What overflows, or comes near it, is left out; and what is so small that its parts have few bits. */
static double
error_of (const Case *c, const Found *found)
{
  Complex z = CMPLXL (found->at[0], found->at[1]), w = CMPLXL (found->at[2], found->at[3]);
  Complex right = c->f->exact1 != NULL ? c->f->exact1 (z) : c->f->exact2 (z, w);
  long double size = cabsl (right), most = c->wide ? DBL_MAX / 8 : FLT_MAX / 8, least = c->wide ? DBL_MIN * 0x1p60 : FLT_MIN * 0x1p30;
  double error = 0;

  if (!(size < most && size > least))
    return 0;
  if (!c->by_part)
    return (double) (cabsl (CMPLXL (found->got[0], found->got[1]) - right) / unit_of (c, size));
  for (guint i = 0; i < 2; i++)
    {
      long double part = i == 0 ? creall (right) : cimagl (right);

      if (fabsl (part) > least)
        error = MAX (error, (double) (fabsl (found->got[i] - part) / unit_of (c, part)));
    }
  return error;
}

static void
measure (Found *found, gsize n, gpointer data)
{
  const Case *c = data;
  gboolean is_pair = c->f->build2 != NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) z = use (c, found, n, 0), w = is_pair ? use (c, found, n, 2) : NULL;
  g_autoptr(GPtrArray) results = acc_executable_run (c->executable, (AccArray *[]) { z, w }, is_pair ? 2 : 1, NULL, &error);
  g_assert_no_error (error);
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (g_ptr_array_index (results, 0), 0, &error);
  g_assert_no_error (error);
  const double *doubles = g_bytes_get_data (bytes, NULL);
  const float *floats = g_bytes_get_data (bytes, NULL);
  guint n_parts = g_bytes_get_size (bytes) / n / (c->wide ? sizeof (double) : sizeof (float));

  for (gsize i = 0; i < n; i++)
    {
      for (guint k = 0; k < n_parts; k++)
        found[i].got[k] = c->wide ? doubles[i * n_parts + k] : floats[i * n_parts + k];
      found[i].error = error_of (c, &found[i]);
    }
}

static double
draw (GRand *random, gpointer data)
{
  double x = ldexp (g_rand_double_range (random, 1, 2), g_rand_int_range (random, -12, 8));

  if (g_rand_int_range (random, 0, 4) == 0)
    x = 1 + ldexp (g_rand_double_range (random, -1, 1), g_rand_int_range (random, -12, 0));

  return g_rand_boolean (random) ? -x : x;
}

gboolean
accuracy_complex (const AccuracyOptions *options)
{
  gboolean within = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      const ComplexFunction *f = &functions[i];
      double most[4] = { NAN, NAN, NAN, NAN };
      double limits[] = { options->of_xla ? INFINITY : f->limit, options->of_xla ? INFINITY : f->part_limit };

      if (!accuracy_is_wanted (options, f->name))
        continue;
      for (guint k = 0; k < 4 && !options->limits_only; k++)
        {
          g_autoptr(AccExecutable) executable = NULL;
          Case c = { f, k % 2, k / 2, NULL };
          Search s = { f->build2 != NULL ? 4 : 2, !c.wide, options->effort, k, draw, measure, &c };
          Worst worst = { 0 };

          if (!options->wanted[c.wide])
            continue;
          if (c.by_part && isinf (f->part_limit))
            {
              most[k] = INFINITY;
              continue;
            }
          c.executable = executable = compile (f, c.wide, accuracy_backend (options));
          search_run (&s, NULL, 0, &worst);
          most[k] = worst.found[0].error;
          if (options->tells_where)
            g_print ("  %s of %s %s %a, %a; %a, %a is %a, %a, off by %.4f\n", f->name, c.wide ? "c16" : "c8", c.by_part ? "part" : "",
                     worst.found[0].at[0], worst.found[0].at[1], worst.found[0].at[2], worst.found[0].at[3], worst.found[0].got[0],
                     worst.found[0].got[1], most[k]);
        }
      within &= accuracy_print_row (options, f->name, 4, most, 2, limits);
    }
  return within;
}
