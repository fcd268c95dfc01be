/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/math/acc-math.h"

#include <acc/acc.h>

#include <math.h>
#include <mpfr.h>

/* The transcendental functions, what they are exactly, and ways to have them computed. */

typedef struct {
  const char  *name;
  AccPrimitive primitive;   /* ACC_N_PRIMITIVES: made of several */
  int        (*exact1) (mpfr_t, const mpfr_t, mpfr_rnd_t);
  int        (*exact2) (mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
  double       low, high;     /* where samples are dense */
  double       limit;         /* ulp, on the processor */
  AccExpr   *(*build1) (AccExpr *);
  AccExpr   *(*build2) (AccExpr *, AccExpr *);
  double     (*near1) (double);
  double     (*near2) (double, double);
  long double (*nearer1) (long double);
  long double (*nearer2) (long double, long double);
} MathFunction;

#define N_MATH_FUNCTIONS 20
/* Devices may have their own functions: what all of them say to keep, in ulp */
#define MATH_LIMIT_ON_DEVICES 5

extern const MathFunction math_functions[N_MATH_FUNCTIONS];

/* One by one, without vectors, where @scalar; by @backend, or else by code of the processor: by the native backend where it is no
 * primitive. */
void        math_function_compute  (const MathFunction *f, AccElementKind kind, AccBackend *backend, gboolean scalar,
                                    gconstpointer x, gconstpointer y, gpointer out, gsize n);
/* The distance of @got from the exact value at (@x, @y) in units of the last place of the correctly rounded one; infinite where one
 * is not a number, or has no size, or a zero has another sign, and the other is otherwise. */
double      math_function_get_error (const MathFunction *f, AccElementKind kind, double x, double y, double got);
