/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-fft-simt.h"

#include <math.h>

/* Transforms of a few elements, in place, without loops. */

/* What numbers are of. */
typedef struct {
  AccLower      *l;
  AccElementKind kind;
} Field;

static KValue
multiply_add (const Field *self,
              KValue       x,
              double       factor,
              KValue       sum)
{
  AccKernelBuilder *b = self->l->b;
  KValue constant = kb_float (b, self->kind, factor);

  return self->l->fusion->target->has_fma ? kb_fma (b, x, constant, sum) : kb_add (b, sum, kb_mul (b, x, constant));
}

static KValue
scale (const Field *self,
       KValue       x,
       double       factor)
{
  return kb_mul (self->l->b, x, kb_float (self->l->b, self->kind, factor));
}

static KValue
negate (const Field *self,
        KValue       x)
{
  return kb_prim (self->l->b, ACC_PRIM_NEG, x);
}

static AccFftNumber
add (const Field *self,
     AccFftNumber x,
     AccFftNumber y)
{
  AccKernelBuilder *b = self->l->b;

  return (AccFftNumber) { { kb_add (b, x.part[0], y.part[0]), kb_add (b, x.part[1], y.part[1]) } };
}

static AccFftNumber
subtract (const Field *self,
          AccFftNumber x,
          AccFftNumber y)
{
  AccKernelBuilder *b = self->l->b;

  return (AccFftNumber) { { kb_sub (b, x.part[0], y.part[0]), kb_sub (b, x.part[1], y.part[1]) } };
}

/* x - i y */
static AccFftNumber
subtract_turned (const Field *self,
                 AccFftNumber x,
                 AccFftNumber y)
{
  AccKernelBuilder *b = self->l->b;

  return (AccFftNumber) { { kb_add (b, x.part[0], y.part[1]), kb_sub (b, x.part[1], y.part[0]) } };
}

/* x + i y */
static AccFftNumber
add_turned (const Field *self,
            AccFftNumber x,
            AccFftNumber y)
{
  AccKernelBuilder *b = self->l->b;

  return (AccFftNumber) { { kb_sub (b, x.part[0], y.part[1]), kb_add (b, x.part[1], y.part[0]) } };
}

/* Cosine (0) or sine of a part of a whole turn. */
static double
get_root (guint turns,
          guint n,
          guint part)
{
  long double angle = 2 * acosl (-1) * (turns % n) / n;

  return (double) (part == 0 ? cosl (angle) : sinl (angle));
}

/* x exp (-2πi turns / n) */
static AccFftNumber
turn (const Field *self,
      AccFftNumber x,
      guint        turns,
      guint        n)
{
  AccKernelBuilder *b = self->l->b;
  KValue re = x.part[0], im = x.part[1];
  double cosine = get_root (turns, n, 0), sine = get_root (turns, n, 1);

  if (turns * 8 % n != 0)
    return (AccFftNumber) { { multiply_add (self, im, sine, scale (self, re, cosine)),
                              multiply_add (self, re, -sine, scale (self, im, cosine)) } };

  switch (turns * 8 / n % 8)
    {
    case 0: return x;
    case 1: return (AccFftNumber) { { scale (self, kb_add (b, re, im), G_SQRT2 / 2), scale (self, kb_sub (b, im, re), G_SQRT2 / 2) } };
    case 2: return (AccFftNumber) { { im, negate (self, re) } };
    case 3: return (AccFftNumber) { { scale (self, kb_sub (b, im, re), G_SQRT2 / 2), scale (self, kb_add (b, re, im), -G_SQRT2 / 2) } };
    case 4: return (AccFftNumber) { { negate (self, re), negate (self, im) } };
    case 5: return (AccFftNumber) { { scale (self, kb_add (b, re, im), -G_SQRT2 / 2), scale (self, kb_sub (b, re, im), G_SQRT2 / 2) } };
    case 6: return (AccFftNumber) { { negate (self, im), re } };
    default: return (AccFftNumber) { { scale (self, kb_sub (b, re, im), G_SQRT2 / 2), scale (self, kb_add (b, re, im), G_SQRT2 / 2) } };
    }
}

static void
transform_four (const Field  *self,
                AccFftNumber *x)
{
  AccFftNumber even = add (self, x[0], x[2]), odd = add (self, x[1], x[3]), rest = subtract (self, x[0], x[2]),
    turned = subtract (self, x[1], x[3]);

  x[0] = add (self, even, odd);
  x[1] = subtract_turned (self, rest, turned);
  x[2] = subtract (self, even, odd);
  x[3] = add_turned (self, rest, turned);
}

/* Elements k and n - k take the same products, of sums and of differences of elements j and n - j. */
static void
transform_odd (const Field  *self,
               AccFftNumber *x,
               guint         n)
{
  AccFftNumber sums[ACC_FFT_MAX_RADIX / 2], differences[ACC_FFT_MAX_RADIX / 2], first = x[0];

  for (guint j = 1; j <= n / 2; j++)
    {
      sums[j - 1] = add (self, x[j], x[n - j]);
      differences[j - 1] = subtract (self, x[j], x[n - j]);
      x[0] = add (self, x[0], sums[j - 1]);
    }
  for (guint k = 1; k <= n / 2; k++)
    {
      AccFftNumber even = first, odd;

      for (guint part = 0; part < 2; part++)
        for (guint j = 1; j <= n / 2; j++)
          {
            even.part[part] = multiply_add (self, sums[j - 1].part[part], get_root (j * k, n, 0), even.part[part]);
            odd.part[part] = j == 1 ? scale (self, differences[0].part[part], get_root (k, n, 1))
                                    : multiply_add (self, differences[j - 1].part[part], get_root (j * k, n, 1), odd.part[part]);
          }
      x[k] = subtract_turned (self, even, odd);
      x[n - k] = add_turned (self, even, odd);
    }
}

static void
transform_few (const Field  *self,
               AccFftNumber *x,
               guint         n)
{
  guint rows = n > 4 && n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 3, columns = n / rows;
  AccFftNumber made[ACC_FFT_MAX_RADIX], column[ACC_FFT_MAX_RADIX];

  if (n == 2)
    {
      AccFftNumber sum = add (self, x[0], x[1]);

      x[1] = subtract (self, x[0], x[1]);
      x[0] = sum;
      return;
    }
  if (n == 4)
    {
      transform_four (self, x);
      return;
    }
  if (n % rows != 0 || n == 3)
    {
      transform_odd (self, x, n);
      return;
    }

  for (guint j = 0; j < columns; j++)
    {
      for (guint i = 0; i < rows; i++)
        column[i] = x[i * columns + j];
      transform_few (self, column, rows);
      for (guint i = 0; i < rows; i++)
        made[i * columns + j] = turn (self, column[i], i * j, n);
    }
  for (guint i = 0; i < rows; i++)
    {
      transform_few (self, &made[i * columns], columns);
      for (guint j = 0; j < columns; j++)
        x[i + rows * j] = made[i * columns + j];
    }
}

void
acc_fft_transform_few (AccLower      *l,
                       AccElementKind kind,
                       AccFftNumber  *values,
                       guint          n)
{
  const Field field = { l, kind };

  transform_few (&field, values, n);
}
