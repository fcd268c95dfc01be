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
log_of_positive_f32 (const AccMath *m, KValue x)
{
  KValue f, e, p, t;
  acc_math_split (m, x, &f, &e);

  p = m_fma (m, f, m_poly (m, f, log_f_f32, G_N_ELEMENTS (log_f_f32)), m_const (m, -0.5));
  t = m_fma (m, f, m_mul (m, f, p), f);

  return m_fma (m, e, m_const (m, G_LN2), t);
}

static KValue
log_of_positive_f64 (const AccMath *m, KValue x)
{
  KValue f, e;
  acc_math_split (m, x, &f, &e);

  KValue half_square = m_mul (m, m_mul (m, f, f), m_const (m, 0.5));
  KValue s = m_div (m, f, m_add (m, f, m_const (m, 2)));
  KValue z = m_mul (m, s, s);
  KValue r = m_mul (m, z, m_poly (m, z, log_r_f64, G_N_ELEMENTS (log_r_f64)));
  KValue inner = m_fma (m, s, m_add (m, half_square, r), m_mul (m, e, m_const (m, 0x1.a39ef35793c76p-33)));

  return m_fma (m, e, m_const (m, 0x1.62e42fee00000p-1), m_sub (m, f, m_sub (m, half_square, inner)));
}

static KValue
log_of_positive (const AccMath *m, KValue x)
{
  return m->kind == ACC_KIND_F64 ? log_of_positive_f64 (m, x) : log_of_positive_f32 (m, x);
}

/* log (2^n x), @correction added, in two parts: the first is all but exact, of e ln 2 and f. */
static KValue
log_in_parts (const AccMath *m, KValue x, KValue n, KValue correction, KValue *tail)
{
  gboolean wide = m->kind == ACC_KIND_F64;
  KValue f, e, square, square_low, small;
  acc_math_split (m, x, &f, &e);
  e = m_add (m, e, n);

  /* ln 2 in two parts, of which the first has so few bits that its product is exact */
  KValue ln2 = m_const (m, wide ? 0x1.62e42fee00000p-1 : 0.693145751953125);
  KValue ln2_low = m_const (m, wide ? 0x1.a39ef35793c76p-33 : 1.4285906217992305756e-6);

  square = m_mul (m, m_mul (m, f, f), m_const (m, 0.5));
  square_low = m_fma (m, m_mul (m, f, m_const (m, 0.5)), f, m_neg (m, square));
  if (wide)
    {
      KValue s = m_div (m, f, m_add (m, f, m_const (m, 2)));
      KValue z = m_mul (m, s, s);

      small = m_mul (m, s, m_fma (m, z, m_poly (m, z, log_r_f64, G_N_ELEMENTS (log_r_f64)), square));
    }
  else
    {
      small = m_mul (m, m_mul (m, m_mul (m, f, f), f), m_poly (m, f, log_f_f32, G_N_ELEMENTS (log_f_f32)));
    }

  KValue first_low, first = m_two_sum (m, m_mul (m, e, ln2), f, &first_low);
  KValue second_low, second = m_two_sum (m, first, m_neg (m, square), &second_low);

  small = m_sub (m, m_add (m, small, m_fma (m, e, ln2_low, correction)), square_low);
  small = m_add (m, m_add (m, first_low, second_low), small);
  return m_fast_sum (m, second, small, tail);
}

/* log (1 + high + low): what is lost in the sum comes back as a correction (Kahan). The sum is of 2^n as much. */
static KValue
log1p_of_two (const AccMath *m, KValue high, KValue low, KValue n)
{
  KValue lost, u = m_two_sum (m, m_const (m, 1), high, &lost);
  KValue tail, head = log_in_parts (m, u, n, m_div (m, m_add (m, lost, low), u), &tail);

  return m_add (m, head, tail);
}

/* log x / log base; of what has no logarithm, or 0, as the quotient has it. */
KValue
acc_math_logbase (const AccMath *m, KValue base, KValue x)
{
  KValue zero = m_const (m, 0), one = m_const (m, 1), infinity = m_const (m, INFINITY);
  KValue usual = m_and (m, m_and (m, m_gt (m, x, zero), m_lt (m, x, infinity)), m_and (m, m_gt (m, base, zero), m_lt (m, base, infinity)));
  usual = m_and (m, usual, m_and (m, m_ne (m, x, one), m_ne (m, base, one)));
  KValue over_low, over = log_in_parts (m, m_select (m, usual, x, one), zero, zero, &over_low);
  KValue under_low, under = log_in_parts (m, m_select (m, usual, base, m_const (m, 2)), zero, zero, &under_low);
  KValue rest, q = m_div_in_two (m, over, over_low, under, under_low, &rest);

  return m_select (m, usual, m_add (m, q, rest), m_div (m, acc_math_log (m, x), acc_math_log (m, base)));
}

KValue
acc_math_log (const AccMath *m, KValue x)
{
  KValue zero = m_const (m, 0), infinity = m_const (m, INFINITY);
  KValue usual = m_and (m, m_gt (m, x, zero), m_lt (m, x, infinity));
  /* Itself of infinity, else NaN */
  KValue edge = m_select (m, m_eq (m, x, zero), m_const (m, -INFINITY), m_add (m, m_mul (m, x, infinity), infinity));

  return m_select (m, usual, log_of_positive (m, x), edge);
}

/* √(high + low), high not below 0, in two parts */
static KValue
root_in_two (const AccMath *m, KValue high, KValue low, KValue *rest)
{
  KValue root = m_sqrt (m, high), zero = m_const (m, 0);
  KValue lost = m_div (m, m_add (m, m_fma (m, m_neg (m, root), root, high), low), m_add (m, root, root));

  *rest = m_select (m, m_gt (m, root, zero), lost, zero);
  return root;
}

/* log (a + √(a² + 1)), of large ones log 2a */
KValue
acc_math_asinh (const AccMath *m, KValue x)
{
  gboolean wide = m->kind == ACC_KIND_F64;
  KValue zero = m_const (m, 0), one = m_const (m, 1), a = m_abs (m, x);
  KValue large = m_gt (m, a, m_const (m, wide ? 0x1p28 : 0x1p13)), finite = m_lt (m, a, m_const (m, INFINITY));
  KValue safe = m_select (m, large, one, a);
  KValue square = m_mul (m, safe, safe);
  KValue sum_low, sum = m_two_sum (m, square, one, &sum_low);
  KValue rest, root = root_in_two (m, sum, m_add (m, sum_low, m_fma (m, safe, safe, m_neg (m, square))), &rest);
  KValue low, t = m_two_sum (m, safe, m_sub (m, root, one), &low);

  /* log1p of a - 1, which only drops bits that do not matter */
  t = m_select (m, large, m_select (m, finite, m_sub (m, a, one), one), t);
  KValue r = log1p_of_two (m, t, m_select (m, large, zero, m_add (m, low, rest)), m_select (m, large, one, zero));
  KValue tiny = m_lt (m, a, m_const (m, wide ? 0x1p-28 : 0x1p-13));

  return m_select (m, m_or (m, m_or (m, tiny, m_not (m, finite)), m_is_nan (m, x)), x, m_copysign (m, r, x));
}

/* log (x + √(x² - 1)), of large ones log 2x */
KValue
acc_math_acosh (const AccMath *m, KValue x)
{
  KValue zero = m_const (m, 0), one = m_const (m, 1), infinity = m_const (m, INFINITY);
  KValue large = m_gt (m, x, m_const (m, m->kind == ACC_KIND_F64 ? 0x1p28 : 0x1p13));
  KValue usual = m_and (m, m_ge (m, x, one), m_lt (m, x, infinity));
  KValue t = m_sub (m, m_select (m, usual, x, one), one), safe = m_select (m, large, one, t);
  KValue square = m_mul (m, safe, safe);
  KValue sum_low, sum = m_two_sum (m, m_add (m, safe, safe), square, &sum_low);
  KValue rest, root = root_in_two (m, sum, m_add (m, sum_low, m_fma (m, safe, safe, m_neg (m, square))), &rest);
  KValue low, w = m_two_sum (m, safe, root, &low);
  KValue r = log1p_of_two (m, m_select (m, large, t, w), m_select (m, large, zero, m_add (m, low, rest)), m_select (m, large, one, zero));

  return m_select (m, usual, r, m_select (m, m_eq (m, x, infinity), infinity, m_const (m, NAN)));
}

/* log (1 + 2a / (1 - a)) / 2 */
KValue
acc_math_atanh (const AccMath *m, KValue x)
{
  KValue a = m_abs (m, x), one = m_const (m, 1), infinity = m_const (m, INFINITY);
  KValue inside = m_lt (m, a, one), safe = m_select (m, inside, a, m_const (m, 0));
  KValue under_low, under = m_fast_sum (m, one, m_neg (m, safe), &under_low);
  KValue rest, q = m_div_in_two (m, m_add (m, safe, safe), m_const (m, 0), under, under_low, &rest);
  KValue r = m_mul (m, m_const (m, 0.5), log1p_of_two (m, q, rest, m_const (m, 0)));
  KValue tiny = m_lt (m, a, m_const (m, m->kind == ACC_KIND_F64 ? 0x1p-28 : 0x1p-13));

  r = m_select (m, inside, r, m_select (m, m_eq (m, a, one), infinity, m_const (m, NAN)));
  return m_select (m, m_or (m, tiny, m_is_nan (m, x)), x, m_copysign (m, r, x));
}
