/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Searches for the largest errors of the transcendental functions: of one f4 all arguments, or each @stride-th; of one f8 and of
 * two numbers first at random, every binade alike, and then around the worst that were found. */

#include "math-functions.h"

#include <string.h>

#define CHUNK 65536
#define KEPT  64

static int stride = 1, effort = 1;
static char **names, *backend_name;
static gboolean in_table, scalar;
static AccBackend *backend;

typedef struct {
  double error, x, y, got;
} Found;

/* The worst so far, the worst of them first. */
typedef struct {
  Found found[KEPT];
} Worst;

static void
note (Worst *worst, Found found)
{
  guint i = KEPT - 1;

  if (!(found.error > worst->found[i].error))
    return;
  for (; i > 0 && found.error > worst->found[i - 1].error; i--)
    worst->found[i] = worst->found[i - 1];
  worst->found[i] = found;
}

static double
from_bits (guint64 bits)
{
  double x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

static guint64
to_bits (double x)
{
  guint64 bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static float
from_bits32 (guint32 bits)
{
  float x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

/* By what the C library has of more places; what is told in the end is told by MPFR. */
static double
estimate_error (const MathFunction *f, AccElementKind kind, double x, double y, double got)
{
  int digits = kind == ACC_KIND_F32 ? 24 : 53, least = kind == ACC_KIND_F32 ? -149 : -1074, exponent;
  double most = kind == ACC_KIND_F32 ? 0x1.ffffffp127 : G_MAXDOUBLE;

  if (kind == ACC_KIND_F32)
    {
      double exact = f->near1 != NULL ? f->near1 (x) : f->near2 (x, y);

      if (isnan (exact) || fabs (exact) >= most || isnan (got) || isinf (got) || exact == 0)
        return isnan (exact) ? (isnan (got) ? 0 : INFINITY) : fabs (exact) >= most ? (isinf (got) ? 0 : INFINITY)
               : exact == 0 && got == 0 && signbit (got) == signbit (exact) ? 0 : INFINITY;
      guint64 field = to_bits (exact) >> 52 & 0x7ff;
      double ulp = from_bits ((guint64) MAX ((int) field - 23, least + 1023) << 52);
      return fabs (got - exact) / ulp;
    }

  long double exact = f->nearer1 != NULL ? f->nearer1 (x) : f->nearer2 (x, y);

  if (isnan (exact) || isnan (got))
    return isnan (exact) && isnan (got) ? 0 : INFINITY;
  if (fabsl (exact) > most || isinf (got))
    return isinf (got) || fabsl (exact) < 0x1p1024L ? 0 : INFINITY;
  frexpl (exact, &exponent);
  return (double) fabsl (got - exact) / ldexp (1, MAX (exponent - digits, least));
}

static void
measure (const MathFunction *f, AccElementKind kind, gconstpointer x, gconstpointer y, gsize n, Worst *worst)
{
  static double out[CHUNK];
  gboolean wide = kind == ACC_KIND_F64;

  math_function_compute (f, kind, backend, scalar, x, y, out, n);
  for (gsize i = 0; i < n; i++)
    {
      double a = wide ? ((double *) x)[i] : ((float *) x)[i], b = wide ? ((double *) y)[i] : ((float *) y)[i];
      double got = wide ? out[i] : ((float *) out)[i];

      note (worst, (Found) { estimate_error (f, kind, a, b, got), a, b, got });
    }
}

static void
search_all_f32 (const MathFunction *f, Worst *worst)
{
  static float x[CHUNK];
  gsize n = 0;

  for (guint64 bits = 0; bits < (guint64) 1 << 32; bits += stride)
    {
      x[n++] = from_bits32 (bits);
      if (n == CHUNK)
        {
          measure (f, ACC_KIND_F32, x, x, n, worst);
          n = 0;
        }
    }
  measure (f, ACC_KIND_F32, x, x, n, worst);
}

static double
random_number (const MathFunction *f, GRand *random, AccElementKind kind)
{
  double x;

  switch (g_rand_int_range (random, 0, 4))
    {
    case 0:
      x = g_rand_double_range (random, f->low, f->high);
      break;
    case 1:
      x = ldexp (g_rand_double_range (random, 1, 2), g_rand_int_range (random, -40, 20));
      break;
    case 2:
      x = 1 + ldexp (g_rand_double_range (random, -2, 2), g_rand_int_range (random, -30, 0));
      break;
    default:
      x = ldexp (g_rand_double_range (random, 1, 2), kind == ACC_KIND_F64 ? g_rand_int_range (random, -1070, 1023) : g_rand_int_range (random, -140, 127));
    }
  if (f->low < 0 && g_rand_boolean (random))
    x = -x;
  return kind == ACC_KIND_F32 ? (float) x : x;
}

/* Somewhere within 2^@width units of the last place. */
static double
neighbour (GRand *random, double x, int width, AccElementKind kind)
{
  gint64 distance = (gint64) ((guint64) g_rand_int (random) << 32 | g_rand_int (random)) >> (63 - width);
  double near = from_bits (to_bits (x) + (guint64) (kind == ACC_KIND_F32 ? distance * (1 << 29) : distance));

  return isfinite (near) ? near : x;
}

static void
search_directed (const MathFunction *f, AccElementKind kind, Worst *worst)
{
  static double x[CHUNK], y[CHUNK];
  g_autoptr (GRand) random = g_rand_new_with_seed (f->primitive * 2 + kind);
  gboolean narrow = kind == ACC_KIND_F32;

  for (int round = 0; round < 24 * effort; round++)
    {
      Worst seeds = *worst;

      for (guint i = 0; i < CHUNK; i++)
        {
          gboolean near = round % 8 >= 2;
          Found seed = seeds.found[g_rand_int_range (random, 0, round % 8 < 5 ? KEPT : 8)];
          int width = g_rand_int_range (random, 0, narrow ? 22 : 51);
          double a = near ? neighbour (random, seed.x, g_rand_boolean (random) ? width : 0, kind) : random_number (f, random, kind);
          double b = near ? neighbour (random, seed.y, g_rand_boolean (random) ? width : 0, kind) : random_number (f, random, kind);

          if (narrow)
            ((float *) x)[i] = a, ((float *) y)[i] = b;
          else
            x[i] = a, y[i] = b;
        }
      measure (f, kind, x, y, CHUNK, worst);
    }
}

static double
search (const MathFunction *f, AccElementKind kind)
{
  Worst worst = { 0 };
  double most = 0;

  if (kind == ACC_KIND_F32 && f->build1 != NULL)
    search_all_f32 (f, &worst);
  else
    search_directed (f, kind, &worst);

  for (guint i = 0; i < KEPT; i++)
    {
      Found *found = &worst.found[i];
      double error = math_function_get_error (f, kind, found->x, found->y, found->got);

      if (!in_table && (i < 2 || error > most))
        g_print ("  %s: %s (%a, %a) = %a, off by %.4f\n", kind == ACC_KIND_F32 ? "f4" : "f8", math_function_get_name (f), found->x, found->y,
                 found->got, error);
      /* The quotient of two logarithms, of which one is 0 or infinite. */
      if (isfinite (error) || f->primitive != ACC_PRIM_LOGBASE)
        most = MAX (most, error);
    }
  return most;
}

int
main (int argc, char **argv)
{
  char *kind_name = NULL;
  const GOptionEntry entries[] = {
    { "stride", 0, 0, G_OPTION_ARG_INT, &stride, "Of one f4, each N-th argument", "N" },
    { "effort", 0, 0, G_OPTION_ARG_INT, &effort, "N times the usual search elsewhere", "N" },
    { "backend", 0, 0, G_OPTION_ARG_STRING, &backend_name, "A backend, not the processor's code alone", "NAME" },
    { "kind", 0, 0, G_OPTION_ARG_STRING, &kind_name, "f4 or f8 alone", "KIND" },
    { "scalar", 0, 0, G_OPTION_ARG_NONE, &scalar, "Without vectors", NULL },
    { "table", 0, 0, G_OPTION_ARG_NONE, &in_table, "Print rows of a table", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &names, NULL, "FUNCTION…" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  gboolean within = TRUE;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    g_error ("%s", error->message);
  if (backend_name != NULL)
    backend = acc_backend_new_for_name (backend_name, &error);
  g_assert_no_error (error);

  for (guint i = 0; i < N_MATH_FUNCTIONS; i++)
    {
      const MathFunction *f = &math_functions[i];
      double most[2] = { 0 };

      if (names != NULL && !g_strv_contains ((const char *const *) names, math_function_get_name (f)))
        continue;
      for (guint k = 0; k < 2; k++)
        if (g_strcmp0 (kind_name, k == 0 ? "f8" : "f4") != 0)
          most[k] = search (f, k == 0 ? ACC_KIND_F32 : ACC_KIND_F64);
      g_print (in_table ? "| %s | %.2f | %.2f |\n" : "%s %.3f %.3f\n", math_function_get_name (f), most[0], most[1]);
      within &= most[0] <= f->limit && most[1] <= f->limit;
    }

  return within || in_table ? 0 : 1;
}
