/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The same without acc and without blocks, to compare with: a whole row of weights at a time. */

#include "plain.h"

#include <math.h>

void
attention_plain (const float *q, const float *k, const float *v, gsize n, gsize d, double *result)
{
  g_autofree double *weights = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    {
      double largest = -INFINITY, sum = 0;

      for (gsize j = 0; j < n; j++)
        {
          double dot = 0;

          for (gsize c = 0; c < d; c++)
            dot += (double) q[i * d + c] * k[j * d + c];

          weights[j] = dot / sqrt (d);
          largest = MAX (largest, weights[j]);
        }

      for (gsize j = 0; j < n; j++)
        {
          weights[j] = exp (weights[j] - largest);
          sum += weights[j];
        }

      for (gsize c = 0; c < d; c++)
        {
          double total = 0;

          for (gsize j = 0; j < n; j++)
            total += weights[j] * v[j * d + c];

          result[i * d + c] = total / sum;
        }
    }
}
