/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compiled with fast mathematics, by which GCC takes the C library's vectors: a few units of the last place of doubles off, which are none
 * of floats. */

#include "near-functions.h"

#include <math.h>
#include <string.h>

#if defined (__x86_64__) && defined (__GNUC__) && !defined (__clang__)
#define FOR_VECTORS __attribute__ ((target_clones ("avx512f", "avx2", "default")))
#else
#define FOR_VECTORS
#endif

#define NEAR(name)                                                       \
  FOR_VECTORS static void                                                \
  near_##name (const double *restrict x, double *restrict y, gsize n)    \
  {                                                                      \
    for (gsize i = 0; i < n; i++)                                        \
      y[i] = name (x[i]);                                                \
  }

NEAR (sin) NEAR (cos) NEAR (tan) NEAR (asin) NEAR (acos) NEAR (atan) NEAR (sinh) NEAR (cosh) NEAR (tanh) NEAR (asinh) NEAR (acosh) NEAR (atanh)
NEAR (exp) NEAR (expm1) NEAR (log) NEAR (log1p)

static const struct {
  const char *name;
  void      (*function) (const double *x, double *y, gsize n);
} functions[] = {
  { "sin", near_sin }, { "cos", near_cos }, { "tan", near_tan }, { "asin", near_asin }, { "acos", near_acos }, { "atan", near_atan },
  { "sinh", near_sinh }, { "cosh", near_cosh }, { "tanh", near_tanh }, { "asinh", near_asinh }, { "acosh", near_acosh },
  { "atanh", near_atanh }, { "exp", near_exp }, { "expm1", near_expm1 }, { "log", near_log }, { "log1p", near_log1p },
};

void
near_function (const char *name, const double *x, double *y, gsize n)
{
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (strcmp (functions[i].name, name) == 0)
      functions[i].function (x, y, n);
}
