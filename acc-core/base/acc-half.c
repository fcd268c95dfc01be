/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-half-private.h"

#include <math.h>
#include <string.h>

double
acc_half_to_double (guint16 bits)
{
  guint64 exponent = bits >> 10 & 31, mantissa = bits & 1023, pattern;
  double value;

  if (exponent == 0)
    return (bits & 0x8000 ? -1.0 : 1.0) * ((double) mantissa * 0x1p-24);

  pattern = (guint64) (bits >> 15) << 63 | (exponent == 31 ? 0x7ff : exponent - 15 + 1023) << 52 | mantissa << 42;
  memcpy (&value, &pattern, sizeof value);

  return value;
}

guint16
acc_half_from_double (double value)
{
  double magnitude = fabs (value);
  guint64 pattern;
  guint16 sign;
  int exponent;

  memcpy (&pattern, &value, sizeof pattern);
  sign = pattern >> 48 & 0x8000;
  if (isnan (value))
    return sign | 0x7e00 | (pattern >> 42 & 0x1ff);
  if (magnitude >= 65520)
    return sign | 0x7c00;
  if (magnitude < 0x1p-14)
    return sign | (guint16) nearbyint (magnitude * 0x1p24);

  exponent = (int) (pattern >> 52 & 0x7ff) - 1023;

  /* In units of the last place, at most 2^11: a carry goes into the exponent by itself. */
  return sign | (guint16) ((exponent + 14) * 1024 + (int) nearbyint (ldexp (magnitude, 10 - exponent)));
}
