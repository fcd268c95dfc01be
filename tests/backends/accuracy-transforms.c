/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fourier transforms of random rows against the same in long double. Units are of the last place of the type, times the norm of what is
 * transformed, scaled as the result: as large as its elements are, in the mean of their squares. */

#include "accuracy.h"

#include <complex.h>
#include <float.h>
#include <math.h>

typedef long double complex Complex;

/* Of powers of two, in place: Cooley and Tukey. */
static void
transform_power (Complex *x, gint64 n)
{
  g_autofree Complex *roots = g_new (Complex, n / 2 + 1);

  for (gint64 i = 0; i < n / 2; i++)
    roots[i] = CMPLXL (cosl (2 * M_PIl * i / n), -sinl (2 * M_PIl * i / n));
  for (gint64 i = 1, j = 0; i < n; i++)
    {
      for (gint64 bit = n / 2; (j ^= bit) < bit;)
        bit /= 2;
      if (i < j)
        {
          Complex z = x[i];

          x[i] = x[j];
          x[j] = z;
        }
    }
  for (gint64 half = 1; half < n; half *= 2)
    for (gint64 at = 0; at < n; at += 2 * half)
      for (gint64 i = 0; i < half; i++)
        {
          Complex even = x[at + i], odd = x[at + half + i] * roots[i * (n / 2 / half)];

          x[at + i] = even + odd;
          x[at + half + i] = even - odd;
        }
}

/* Of any length, as a product of polynomials: Bluestein. */
static void
transform (Complex *x, gint64 n)
{
  gint64 m = 1;

  if ((n & (n - 1)) == 0)
    {
      transform_power (x, n);
      return;
    }
  while (m < 2 * n - 1)
    m *= 2;

  g_autofree Complex *turns = g_new (Complex, n), *a = g_new0 (Complex, m), *b = g_new0 (Complex, m);

  for (gint64 i = 0; i < n; i++)
    {
      long double angle = M_PIl * (i * i % (2 * n)) / n;

      turns[i] = CMPLXL (cosl (angle), -sinl (angle));
      a[i] = x[i] * turns[i];
      b[i] = b[(m - i) % m] = conjl (turns[i]);
    }
  transform_power (a, m);
  transform_power (b, m);
  for (gint64 i = 0; i < m; i++)
    a[i] = conjl (a[i] * b[i]);
  transform_power (a, m);
  for (gint64 i = 0; i < n; i++)
    x[i] = conjl (a[i]) / m * turns[i];
}

/* --- rows */

typedef struct {
  const char *name;
  gboolean    of_real;   /* there, from floats, or back to them */
  gboolean    back;
} Form;

static const Form forms[] = { { "fft", FALSE, FALSE }, { "rfft", TRUE, FALSE }, { "irfft", TRUE, TRUE } };

static AccArray *
use (AccElementType *type, gboolean wide, const double *values, gsize n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n / (acc_element_type_get_n_leaves (type)));
  g_autofree float *floats = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    floats[i] = values[i];

  g_autoptr(GBytes) bytes = wide ? g_bytes_new (values, n * sizeof (double)) : g_bytes_new (floats, n * sizeof (float));
  return acc_array_use (type, shape, bytes);
}

/* The worst element, and the root of the mean of all squares */
static void
measure (const AccuracyOptions *options, const Form *form, gint64 n, gboolean wide, double *worst, double *mean)
{
  g_autoptr(GRand) random = g_rand_new_with_seed (n);
  AccElementKind kind = wide ? ACC_KIND_F64 : ACC_KIND_F32;
  gboolean takes_floats = form->of_real && !form->back, gives_floats = form->of_real && form->back;
  gint64 n_taken = gives_floats ? n / 2 + 1 : n, n_given = takes_floats ? n / 2 + 1 : n;
  guint parts = takes_floats ? 1 : 2;
  g_autofree double *values = g_new (double, n_taken * parts);
  g_autofree Complex *x = g_new (Complex, n);
  long double norm = 0, squares = 0, largest = 0, scale = form->back ? 1 / (long double) n : 1;
  g_autoptr(GError) error = NULL;

  for (gint64 i = 0; i < n_taken * parts; i++)
    values[i] = wide ? g_rand_double_range (random, -1, 1) : (float) g_rand_double_range (random, -1, 1);
  /* What has to be real is. */
  if (gives_floats)
    values[1] = 0;
  if (gives_floats && n % 2 == 0)
    values[n + 1] = 0;
  for (gint64 i = 0; i < n; i++)
    {
      x[i] = i >= n_taken ? conjl (x[n - i]) : parts == 1 ? values[i] : CMPLXL (values[2 * i], values[2 * i + 1]);
      norm += creall (x[i] * conjl (x[i]));
    }

  g_autoptr(AccArray) row = use (takes_floats ? acc_element_type_new (kind) : acc_element_type_new_complex (kind), wide, values,
                                 n_taken * parts);
  g_autoptr(AccArray) made = takes_floats ? acc_array_rfft (row) : gives_floats ? acc_array_irfft (row, n)
                              : acc_array_fft (row, form->back ? ACC_FFT_INVERSE : ACC_FFT_FORWARD);
  g_autoptr(AccArray) result = acc_backend_run (accuracy_backend (options), made, NULL, &error);
  g_assert_no_error (error);

  /* The other way round is that of the conjugate. */
  for (gint64 i = 0; i < n && form->back; i++)
    x[i] = conjl (x[i]);
  transform (x, n);
  for (gint64 i = 0; i < n_given; i++)
    {
      Complex right = (form->back ? conjl (x[i]) : x[i]) * scale;
      long double off = cabsl (CMPLXL (acc_array_get_double (result, 0, i),
                                       gives_floats ? 0 : acc_array_get_double (result, 1, i)) - right);

      largest = MAX (largest, off);
      squares += off * off;
    }

  long double unit = (wide ? DBL_EPSILON : FLT_EPSILON) * sqrtl (norm) * scale;
  *worst = largest / unit;
  *mean = sqrtl (squares / n_given) / unit;
}

gboolean
accuracy_transforms (const AccuracyOptions *options)
{
  static const gint64 lengths[] = { 1024, 1 << 20, 31, 4099, 100003 };
  gboolean within = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (guint f = 0; f < G_N_ELEMENTS (forms); f++)
      {
        g_autofree char *name = g_strdup_printf ("%s of %" G_GINT64_FORMAT, forms[f].name, lengths[i]);
        double found[4] = { NAN, NAN, NAN, NAN }, limit = 2 + log2 (lengths[i]);

        if (!accuracy_is_wanted (options, forms[f].name))
          continue;
        for (guint wide = 0; wide < 2 && !options->limits_only; wide++)
          if (options->wanted[wide])
            measure (options, &forms[f], lengths[i], wide, &found[wide], &found[2 + wide]);
        within &= accuracy_print_row (options, name, 4, found, 1, &limit);
      }
  return within;
}
