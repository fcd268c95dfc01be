/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* log and what is made of it. x = 2^e (1 + f). In 64 bits, with s = f / (2 + f), log (1 + f) = 2 s + s z r(z), z = s², summed
 * as fdlibm does (Sun Microsystems 1993), small terms first; in 32 bits, where a division costs more than a longer polynomial,
 * log (1 + f) = f + f² (-1/2 + f r(f)). r are fits: Chebyshev's in 64 bits, of the least largest relative error in 32. */

#include "acc-math-private.h"

/* Of f from -1/3 to 1/3. */
static const double log_f_f32[] = { 0.33333215976049013, -0.24999797662332907, 0.20010406476401668, -0.1668048797613492, 0.1400585753748085,
                                    -0.12184250311003819, 0.1398450284067286, -0.1289173998915017 };
static const double log_r_f64[] = { 0.666666666666666664633, 0.40000000000000883236, 0.28571428570799785031, 0.222222223925810450972,
                                    0.181817955475211362347, 0.153862447376216666057, 0.13268638369266823879, 0.130880348509275538302 };

void
acc_math_split (const AccMath *m, KValue x, KValue *f, KValue *exponent)
{
  gboolean wide = m->kind == ACC_KIND_F64;
  KValue tiny = m_lt (m, x, m_const (m, wide ? 0x1p-1022 : 0x1p-126));
  KValue normal = m_select (m, tiny, m_mul (m, x, m_const (m, wide ? 0x1p54 : 0x1p25)), x);
  KValue lowest = m_to_bits (m, m_const (m, wide ? 0x1.6a09e667f3bcdp-1 : 0x1.555556p-1));
  KValue bits = m_to_bits (m, normal);
  KValue e = m_shr (m, m_sub (m, bits, lowest), m->mantissa);
  KValue mantissa = m_from_bits (m, m_sub (m, bits, m_shl (m, e, m->mantissa)));

  /* An integer of a few bits to a float: its distance from the exponent of 2^mantissa · 1.5. */
  double shifter = wide ? 0x1.8p52 : 0x1.8p23;
  KValue count = m_from_bits (m, m_add (m, e, m_to_bits (m, m_const (m, shifter))));

  *f = m_sub (m, mantissa, m_const (m, 1));
  *exponent = m_sub (m, count, m_select (m, tiny, m_const (m, shifter + (wide ? 54 : 25)), m_const (m, shifter)));
}

static KValue
log_of_positive_f32 (const AccMath *m, KValue x, KValue correction)
{
  KValue f, e, p, t;
  acc_math_split (m, x, &f, &e);

  p = m_fma (m, f, m_poly (m, f, log_f_f32, G_N_ELEMENTS (log_f_f32)), m_const (m, -0.5));
  t = m_mul (m, f, p);
  t = correction.id != 0 ? m_add (m, f, m_fma (m, f, t, correction)) : m_fma (m, f, t, f);

  return m_fma (m, e, m_const (m, G_LN2), t);
}

static KValue
log_of_positive_f64 (const AccMath *m, KValue x, KValue correction)
{
  KValue f, e;
  acc_math_split (m, x, &f, &e);

  KValue half_square = m_mul (m, m_mul (m, f, f), m_const (m, 0.5)), low = m_const (m, 0x1.a39ef35793c76p-33);
  KValue small = correction.id != 0 ? m_fma (m, e, low, correction) : m_mul (m, e, low);
  KValue s = m_div (m, f, m_add (m, f, m_const (m, 2)));
  KValue z = m_mul (m, s, s);
  KValue r = m_mul (m, z, m_poly (m, z, log_r_f64, G_N_ELEMENTS (log_r_f64)));
  KValue inner = m_fma (m, s, m_add (m, half_square, r), small);

  return m_fma (m, e, m_const (m, 0x1.62e42fee00000p-1), m_sub (m, f, m_sub (m, half_square, inner)));
}

/* @correction is added where it does not cancel; id 0: there is none. */
static KValue
log_of_positive (const AccMath *m, KValue x, KValue correction)
{
  return m->kind == ACC_KIND_F64 ? log_of_positive_f64 (m, x, correction) : log_of_positive_f32 (m, x, correction);
}

KValue
acc_math_log (const AccMath *m, KValue x)
{
  KValue zero = m_const (m, 0), infinity = m_const (m, INFINITY);
  KValue usual = m_and (m, m_gt (m, x, zero), m_lt (m, x, infinity));
  /* Itself of infinity, else NaN */
  KValue edge = m_select (m, m_eq (m, x, zero), m_const (m, -INFINITY), m_add (m, m_mul (m, x, infinity), infinity));

  return m_select (m, usual, log_of_positive (m, x, (KValue) { 0 }), edge);
}

/* log (1 + x): what is lost in 1 + x comes back as a correction (Kahan). */
KValue
acc_math_log1p (const AccMath *m, KValue x)
{
  KValue one = m_const (m, 1), infinity = m_const (m, INFINITY);
  KValue u = m_add (m, one, x);
  KValue large = m_gt (m, x, one);
  KValue lost = m_select (m, large, m_sub (m, one, m_sub (m, u, x)), m_sub (m, x, m_sub (m, u, one)));
  KValue usual = m_and (m, m_gt (m, u, m_const (m, 0)), m_lt (m, u, infinity));
  KValue safe = m_select (m, usual, u, one);
  KValue r = log_of_positive (m, safe, m_select (m, usual, m_div (m, lost, safe), m_const (m, 0)));
  KValue tiny = m_lt (m, m_abs (m, x), m_const (m, m->kind == ACC_KIND_F64 ? 0x1p-54 : 0x1p-25));

  return m_select (m, tiny, x, m_select (m, usual, r, acc_math_log (m, u)));
}

KValue
acc_math_asinh (const AccMath *m, KValue x)
{
  KValue one = m_const (m, 1), a = m_abs (m, x);
  KValue large = m_gt (m, a, m_const (m, m->kind == ACC_KIND_F64 ? 0x1p28 : 0x1p13));
  KValue safe = m_select (m, large, one, a);
  KValue square = m_mul (m, safe, safe);
  KValue root = m_sqrt (m, m_add (m, square, one));
  KValue small = acc_math_log1p (m, m_add (m, safe, m_div (m, square, m_add (m, one, root))));
  KValue big = m_add (m, acc_math_log (m, a), m_const (m, 0.69314718055994530942));
  KValue r = m_copysign (m, m_select (m, large, big, small), x);

  return m_select (m, m_is_nan (m, x), x, r);
}

KValue
acc_math_acosh (const AccMath *m, KValue x)
{
  KValue one = m_const (m, 1);
  KValue large = m_gt (m, x, m_const (m, m->kind == ACC_KIND_F64 ? 0x1p28 : 0x1p13));
  KValue t = m_sub (m, m_select (m, large, m_const (m, 2), x), one);
  KValue small = acc_math_log1p (m, m_add (m, t, m_sqrt (m, m_fma (m, t, t, m_add (m, t, t)))));
  KValue big = m_add (m, acc_math_log (m, x), m_const (m, 0.69314718055994530942));

  return m_select (m, m_lt (m, x, one), m_const (m, NAN), m_select (m, large, big, small));
}

KValue
acc_math_atanh (const AccMath *m, KValue x)
{
  KValue a = m_abs (m, x), one = m_const (m, 1);
  KValue argument = m_div (m, m_add (m, a, a), m_sub (m, one, a));
  KValue r = m_copysign (m, m_mul (m, m_const (m, 0.5), acc_math_log1p (m, argument)), x);
  KValue outside = m_gt (m, a, one);
  KValue infinity = m_const (m, INFINITY);

  r = m_select (m, m_eq (m, a, one), m_copysign (m, infinity, x), r);
  return m_select (m, m_is_nan (m, x), x, m_select (m, outside, m_sub (m, infinity, infinity), r));
}
