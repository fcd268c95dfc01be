/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-half-private.h"

#include <math.h>

double
acc_half_to_double (guint16 bits)
{
  guint exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double value;

  if (exponent == 31)
    value = fraction != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    value = ldexp (fraction, -24);
  else
    value = ldexp (1024 + fraction, (int) exponent - 25);

  return bits >> 15 ? -value : value;
}

guint16
acc_half_from_double (double value)
{
  guint16 sign = signbit (value) ? 0x8000 : 0;
  double magnitude = fabs (value);
  int exponent;
  double units;

  if (isnan (value))
    return sign | 0x7e00;
  if (magnitude >= 65520.0)
    return sign | 0x7c00;
  if (magnitude == 0)
    return sign;

  frexp (magnitude, &exponent);
  exponent = MAX (exponent, -13);

  /* In units of the last place, at most 2^11: a carry goes into the exponent by itself. */
  units = rint (ldexp (magnitude, 11 - exponent));

  return sign | (guint16) ((guint) (exponent + 13) * 1024 + (guint) units);
}
