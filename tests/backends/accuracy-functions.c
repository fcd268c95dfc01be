/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of one f4: all arguments, or each stride-th. Of one f8 and of two numbers: a search. */

#include "accuracy.h"
#include "accuracy-search.h"
#include "math-functions.h"
#include "near-functions.h"

#include <string.h>

#define CHUNK 65536
#define BLOCK 256

typedef struct {
  const MathFunction    *f;
  AccElementKind         kind;
  const AccuracyOptions *options;
} Case;

static double
from_bits (guint64 bits)
{
  double x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

static float
from_bits32 (guint32 bits)
{
  float x;

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

static gboolean
is_denormal (AccElementKind kind, double x)
{
  return x != 0 && fabs (x) < (kind == ACC_KIND_F32 ? 0x1p-126 : 0x1p-1022);
}

/* Whether an argument or the result is a denormal, where these are 0. */
static gboolean
is_left_out (const Case *c, double x, double y)
{
  const MathFunction *f = c->f;

  if (!c->options->of_xla)
    return FALSE;
  if (is_denormal (c->kind, x) || is_denormal (c->kind, y))
    return TRUE;
  if (c->kind == ACC_KIND_F32)
    return is_denormal (c->kind, f->near1 != NULL ? f->near1 (x) : f->near2 (x, y));

  return is_denormal (c->kind, (double) (f->nearer1 != NULL ? f->nearer1 (x) : f->nearer2 (x, y)));
}

/* By what the C library has of more places; what is told in the end is told by MPFR. */
static double
estimate_error (const Case *c, double x, double y, double got)
{
  const MathFunction *f = c->f;
  AccElementKind kind = c->kind;
  int digits = kind == ACC_KIND_F32 ? 24 : 53, least = kind == ACC_KIND_F32 ? -149 : -1074, exponent;
  double most = kind == ACC_KIND_F32 ? 0x1.ffffffp127 : G_MAXDOUBLE;

  if (is_left_out (c, x, y))
    return 0;
  if (kind == ACC_KIND_F32)
    {
      double exact = f->near1 != NULL ? f->near1 (x) : f->near2 (x, y);

      if (isnan (exact) || fabs (exact) >= most || isnan (got) || isinf (got) || exact == 0)
        return isnan (exact) ? (isnan (got) ? 0 : INFINITY) : fabs (exact) >= most ? (isinf (got) ? 0 : INFINITY)
               : exact == 0 && got == 0 && signbit (got) == signbit (exact) ? 0 : INFINITY;
      double ulp = from_bits ((guint64) MAX ((int) (to_bits (exact) >> 52 & 0x7ff) - 23, least + 1023) << 52);
      return fabs (got - exact) / ulp;
    }

  long double exact = f->nearer1 != NULL ? f->nearer1 (x) : f->nearer2 (x, y);

  if (isnan (exact) || isnan (got))
    return isnan (exact) && isnan (got) ? 0 : INFINITY;
  if (fabsl (exact) > most || isinf (got))
    return isinf (got) || fabsl (exact) < 0x1p1024L ? 0 : INFINITY;
  frexpl (exact, &exponent);
  return (double) (fabsl (got - exact) / ldexp (1, MAX (exponent - digits, least)));
}

static void
measure (Found *found, gsize n, gpointer data)
{
  const Case *c = data;
  static double x[CHUNK], y[CHUNK], out[CHUNK];
  gboolean narrow = c->kind == ACC_KIND_F32;

  for (gsize i = 0; i < n; i++)
    if (narrow)
      ((float *) x)[i] = found[i].at[0], ((float *) y)[i] = found[i].at[1];
    else
      x[i] = found[i].at[0], y[i] = found[i].at[1];
  math_function_compute (c->f, c->kind, c->options->backend, c->options->scalar, x, y, out, n);
  for (gsize i = 0; i < n; i++)
    {
      found[i].got[0] = narrow ? ((float *) out)[i] : out[i];
      found[i].error = estimate_error (c, found[i].at[0], found[i].at[1], found[i].got[0]);
    }
}

/* Whether all of @n are within @most units; what is none, infinite or zero is so, and has the right sign. */
static gboolean
all_within (const double *exact, const float *got, gsize n, double most)
{
  int beyond = 0;

  for (gsize i = 0; i < n; i++)
    {
      gint64 bits = to_bits (exact[i]), field = bits >> 52 & 0x7ff;
      double ulp = from_bits ((guint64) MAX (field - 23, -149 + 1023) << 52), value = got[i];
      double nearest = fabs (exact[i]) < 0x1.ffffffp127 ? exact[i] : copysign (INFINITY, exact[i]);
      int close = fabs (value - exact[i]) <= most * ulp, same = to_bits (value) == to_bits (nearest);
      int is_number = exact[i] == exact[i], is_zero = exact[i] == 0;

      beyond |= !((close & !is_zero) | same | (!is_number & (value != value)));
    }
  return !beyond;
}

static void
search_all_f32 (const Case *c, Worst *worst)
{
  static float x[CHUNK], out[CHUNK];
  static double wide[CHUNK], exact[CHUNK];

  for (guint64 bits = 0, n = 0; bits < (guint64) 1 << 32; n = 0)
    {
      for (; n < CHUNK && bits < (guint64) 1 << 32; bits += c->options->stride)
        x[n++] = from_bits32 (bits);
      math_function_compute (c->f, ACC_KIND_F32, c->options->backend, c->options->scalar, x, x, out, n);
      for (gsize i = 0; i < n; i++)
        wide[i] = x[i];
      near_function (c->f->name, wide, exact, n);

      for (gsize from = 0; from < n; from += BLOCK)
        {
          gsize to = MIN (from + BLOCK, n);

          if (all_within (exact + from, out + from, to - from, worst->found[SEARCH_KEPT - 1].error - 1e-6))
            continue;
          for (gsize i = from; i < to; i++)
            search_note (worst, &(Found) { estimate_error (c, x[i], x[i], out[i]), { out[i] }, { x[i], x[i] } });
        }
    }
}

/* --- where to begin */

/* The double of each size that is nearest to a multiple of π/2, but for factors: denominators of the continued fraction of its unit in
 * quarters of turns. */
static void
add_near_multiples (GArray *first)
{
  mpfr_t turns, rest;

  mpfr_inits2 (1400, turns, rest, (mpfr_ptr) 0);
  for (int exponent = -40; exponent <= 971; exponent++)
    {
      double before = 0, q = 1;

      mpfr_const_pi (turns, MPFR_RNDN);
      mpfr_ui_div (turns, 2, turns, MPFR_RNDN);
      mpfr_mul_2si (turns, turns, exponent, MPFR_RNDN);
      mpfr_frac (rest, turns, MPFR_RNDN);
      for (;;)
        {
          mpfr_ui_div (turns, 1, rest, MPFR_RNDN);
          mpfr_frac (rest, turns, MPFR_RNDN);
          double next = mpfr_get_d (turns, MPFR_RNDZ);
          next = trunc (next) * q + before;
          if (!(next < 0x1p53))
            break;
          before = q;
          q = next;
        }
      for (double factor = floor (0x1p53 / q); factor >= 1 && factor * q >= 0x1p52; factor--)
        {
          double x = ldexp (factor * q, exponent);

          g_array_append_val (first, x);
          if (factor < floor (0x1p53 / q) - 4)
            break;
        }
    }
  mpfr_clears (turns, rest, (mpfr_ptr) 0);
}

/* Multiples of halves of π/2 and of ln 2, where arguments are reduced to either side; powers of two, and what is that far from 1. */
static GArray *
make_first (void)
{
  static const long double units[] = { 0.785398163397448309615660845819875721L, 0.346573590279972654708616060729088285L };
  GArray *first = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint u = 0; u < G_N_ELEMENTS (units); u++)
    for (guint k = 1; k < 1 << 21; k += k < 1 << 12 ? 1 : 13)
      {
        double x = units[u] * k, negative = -x;

        g_array_append_val (first, x);
        g_array_append_val (first, negative);
      }
  for (int exponent = -1074; exponent < 1024; exponent++)
    for (int sign = -1; sign <= 1; sign += 2)
      {
        double x = sign * ldexp (1, exponent), beside = 1 + x;

        g_array_append_val (first, x);
        g_array_append_val (first, beside);
      }
  add_near_multiples (first);

  return first;
}

static double
draw (GRand *random, gpointer data)
{
  const Case *c = data;
  const MathFunction *f = c->f;
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
      x = ldexp (g_rand_double_range (random, 1, 2),
                 c->kind == ACC_KIND_F64 ? g_rand_int_range (random, -1074, 1024) : g_rand_int_range (random, -149, 128));
    }

  return f->low < 0 && g_rand_boolean (random) ? -x : x;
}

/* --- all of it */

static double
search (const AccuracyOptions *options, const MathFunction *f, AccElementKind kind)
{
  Case c = { f, kind, options };
  gboolean narrow = kind == ACC_KIND_F32;
  Worst worst = { 0 };
  double most = 0;

  if (narrow && f->build1 != NULL)
    {
      search_all_f32 (&c, &worst);
    }
  else
    {
      g_autoptr(GArray) first = f->build1 != NULL ? make_first () : g_array_new (FALSE, FALSE, sizeof (double));
      Search s = { f->build1 != NULL ? 1 : 2, narrow, options->effort, g_str_hash (f->name) + kind, draw, measure, &c };

      search_run (&s, (double *) first->data, first->len, &worst);
    }

  for (guint i = 0; i < SEARCH_KEPT; i++)
    {
      const Found *found = &worst.found[i];
      double error = is_left_out (&c, found->at[0], found->at[1])
                     ? 0 : math_function_get_error (f, kind, found->at[0], found->at[1], found->got[0]);

      if (options->tells_where && (i < 2 || error > most))
        g_print ("  %s of %s %a, %a is %a, off by %.4f\n", f->name, narrow ? "f4" : "f8", found->at[0], found->at[1], found->got[0], error);
      most = MAX (most, error);
    }
  return most;
}

gboolean
accuracy_functions (const AccuracyOptions *options)
{
  gboolean within = TRUE;

  for (guint i = 0; i < N_MATH_FUNCTIONS; i++)
    {
      const MathFunction *f = &math_functions[i];
      double most[2] = { NAN, NAN }, limit = options->of_xla ? INFINITY : options->of_device ? MATH_LIMIT_ON_DEVICES : f->limit;

      if (!accuracy_is_wanted (options, f->name))
        continue;
      for (guint k = 0; k < 2; k++)
        if (options->wanted[k] && !options->limits_only)
          most[k] = search (options, f, k == 0 ? ACC_KIND_F32 : ACC_KIND_F64);
      within &= accuracy_print_row (options, f->name, 2, most, 1, &limit);
    }
  return within;
}
