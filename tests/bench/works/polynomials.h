/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Functions of floats that the compiler can put into a loop and make vectors of, which it cannot with those of the C library. */

static inline float
from_bits (int32_t bits)
{
  float x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

static inline int32_t
to_bits (float x)
{
  int32_t bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

/* exp x for x in [-87,88], to 2 units in the last place: 2^n e^r, |r| <= ln 2 / 2 */
static inline float
fast_exp (float x)
{
  x = x < -87 ? -87 : x;

  float n = rintf (x * 1.44269504f);
  float r = x - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;

  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  return (p * (r * r) + r + 1) * from_bits (((int32_t) n + 127) << 23);
}

/* log x of normal numbers: n ln 2 + log m, m in [sqrt 1/2,sqrt 2) */
static inline float
fast_log (float x)
{
  int32_t bits = to_bits (x) - 0x3f3504f3;
  float n = bits >> 23;
  float m = from_bits ((bits & 0x7fffff) + 0x3f3504f3) - 1;
  float square = m * m;
  float p = 7.0376836292e-2f;

  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  return p * m * square - n * 2.12194440e-4f - 0.5f * square + m + n * 0.693359375f;
}
