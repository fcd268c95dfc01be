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

/* In two parts, of which the first has so few bits that its product with an exponent is exact */
static KValue
ln2 (const AccMath *m)
{
  return m_const (m, m->kind == ACC_KIND_F64 ? 0x1.62e42fee00000p-1 : 0.693145751953125);
}

static KValue
ln2_low (const AccMath *m)
{
  return m_const (m, m->kind == ACC_KIND_F64 ? 0x1.a39ef35793c76p-33 : 1.4285906217992305756e-6);
}

KValue
acc_math_split (const AccMath *m, KValue x, gboolean is_normal, KValue *exponent, KValue *inverse)
{
  gboolean wide = m->kind == ACC_KIND_F64;
  /* An integer of a few bits to a float: its distance from the exponent of 2^mantissa · 1.5. */
  double shifter = wide ? 0x1.8p52 : 0x1.8p23;
  KValue origin = m_const (m, shifter);

  if (!is_normal)
    {
      KValue tiny = m_lt (m, x, m_const (m, wide ? 0x1p-1022 : 0x1p-126));

      x = m_select (m, tiny, m_mul (m, x, m_const (m, wide ? 0x1p54 : 0x1p25)), x);
      origin = m_select (m, tiny, m_const (m, shifter + (wide ? 54 : 25)), origin);
    }

  KValue bits = m_to_bits (m, x), lowest = m_to_bits (m, m_const (m, wide ? 0x1.6a09e667f3bcdp-1 : 0x1.555556p-1));
  KValue e = m_shr (m, m_sub (m, bits, lowest), m->mantissa), shifted = m_shl (m, e, m->mantissa);

  *exponent = m_sub (m, m_from_bits (m, m_add (m, e, m_to_bits (m, m_const (m, shifter)))), origin);
  if (inverse != NULL)
    *inverse = m_from_bits (m, m_sub (m, m_to_bits (m, m_const (m, 1)), shifted));

  return m_sub (m, m_from_bits (m, m_sub (m, bits, shifted)), m_const (m, 1));
}

static KValue
log_of_positive_f32 (const AccMath *m, KValue x)
{
  KValue e, f = acc_math_split (m, x, FALSE, &e, NULL);
  KValue p = m_fma (m, f, m_poly (m, f, log_f_f32, G_N_ELEMENTS (log_f_f32)), m_const (m, -0.5));
  KValue t = m_fma (m, f, m_mul (m, f, p), f);

  return m_fma (m, e, m_const (m, G_LN2), t);
}

static KValue
log_of_positive_f64 (const AccMath *m, KValue x)
{
  KValue e, f = acc_math_split (m, x, FALSE, &e, NULL);
  KValue half_square = m_mul (m, m_mul (m, f, f), m_const (m, 0.5));
  KValue s = m_div (m, f, m_add (m, f, m_const (m, 2)));
  KValue z = m_mul (m, s, s);
  KValue r = m_mul (m, z, m_poly (m, z, log_r_f64, G_N_ELEMENTS (log_r_f64)));
  KValue inner = m_fma (m, s, m_add (m, half_square, r), m_mul (m, e, ln2_low (m)));

  return m_fma (m, e, ln2 (m), m_sub (m, f, m_sub (m, half_square, inner)));
}

static KValue
log_of_positive (const AccMath *m, KValue x)
{
  return m->kind == ACC_KIND_F64 ? log_of_positive_f64 (m, x) : log_of_positive_f32 (m, x);
}

/* log (2^n (x + lost)), in two parts; x is normal, and @lost none or, of x above 2^-100, some units of its last place. */
static KValue
log_in_parts (const AccMath *m, KValue x, KValue n, KValue lost, KValue *tail)
{
  KValue one = m_const (m, 1), e, inverse, f = acc_math_split (m, x, TRUE, &e, &inverse);
  KValue half = m_mul (m, f, m_const (m, 0.5)), more, rest, low;

  /* log (1 + f) = f - f²/2 + more */
  if (m->kind == ACC_KIND_F64)
    {
      KValue s = m_div (m, f, m_add (m, f, m_const (m, 2)));
      KValue z = m_mul (m, s, s);

      more = m_mul (m, s, m_fma (m, z, m_poly (m, z, log_r_f64, G_N_ELEMENTS (log_r_f64)), m_mul (m, half, f)));
    }
  else
    {
      more = m_mul (m, m_mul (m, f, f), m_mul (m, f, m_poly (m, f, log_f_f32, G_N_ELEMENTS (log_f_f32))));
    }

  e = m_add (m, e, n);
  low = m_mul (m, e, ln2_low (m));
  /* Of d / (1 + f) some bits are needed, and the fewer the larger f is. */
  if (lost.id != 0)
    low = m_fma (m, m_mul (m, lost, inverse), m_fma (m, f, m_fma (m, f, m_const (m, 0.85), m_neg (m, one)), one), low);

  KValue head = m_fast_sum (m, m_mul (m, e, ln2 (m)), f, &rest);

  *tail = m_fma (m, m_neg (m, half), f, m_add (m, more, m_add (m, rest, low)));
  return head;
}

/* log (1 + high + low), not below log (1/2): what is lost in the sum is put back. The sum is of 2^n as much. */
static KValue
log1p_of_two (const AccMath *m, KValue high, KValue low, KValue n)
{
  KValue lost, u = m_two_sum (m, m_const (m, 1), high, &lost);
  KValue tail, head = log_in_parts (m, u, n, m_add (m, lost, low), &tail);

  return m_add (m, head, tail);
}

static KValue
has_finite_log (const AccMath *m, KValue x)
{
  return m_and (m, m_gt (m, x, m_const (m, 0)), m_lt (m, x, m_const (m, INFINITY)));
}

/* Of 0, of infinity, and of what has none: NaN */
static KValue
log_at_edge (const AccMath *m, KValue x)
{
  KValue infinity = m_const (m, INFINITY);

  return m_select (m, m_eq (m, x, m_const (m, 0)), m_const (m, -INFINITY), m_add (m, m_mul (m, x, infinity), infinity));
}

KValue
acc_math_log (const AccMath *m, KValue x)
{
  return m_select (m, has_finite_log (m, x), log_of_positive (m, x), log_at_edge (m, x));
}

/* Of large ones log x */
KValue
acc_math_log1p (const AccMath *m, KValue x)
{
  gboolean wide = m->kind == ACC_KIND_F64;
  KValue zero = m_const (m, 0), one = m_const (m, 1), minus_one = m_const (m, -1);
  KValue usual = m_and (m, m_gt (m, x, minus_one), m_lt (m, x, m_const (m, INFINITY))), safe = m_select (m, usual, x, one);
  KValue large = m_gt (m, safe, m_const (m, wide ? 0x1p54 : 0x1p25)), tiny = m_lt (m, m_abs (m, x), m_const (m, wide ? 0x1p-54 : 0x1p-25));
  KValue t = m_select (m, large, m_fma (m, safe, m_const (m, 0.5), minus_one), safe);
  KValue r = log1p_of_two (m, t, zero, m_select (m, large, one, zero));

  return m_select (m, tiny, x, m_select (m, usual, r, log_at_edge (m, m_add (m, x, one))));
}

/* The quotient of the logarithms of normal numbers; where one is 0, what is left of the first quotient is not a number. */
static KValue
quotient_of_logs (const AccMath *m, KValue x, KValue n, KValue base, KValue base_n)
{
  KValue none = { 0 }, one = m_const (m, 1), over_low, over = log_in_parts (m, x, n, none, &over_low);
  KValue under_low, under = log_in_parts (m, base, base_n, none, &under_low);

  over = m_fast_sum (m, over, over_low, &over_low);
  under = m_fast_sum (m, under, under_low, &under_low);

  KValue inverse = m_div (m, one, under), q = m_mul (m, over, inverse);
  KValue left = m_add (m, m_fma (m, m_neg (m, q), under, over), m_fma (m, m_neg (m, q), under_low, over_low));

  return m_select (m, m_is_nan (m, left), q, m_fma (m, left, inverse, q));
}

static KValue
is_normal (const AccMath *m, KValue x)
{
  return m_and (m, m_ge (m, x, m_const (m, m->kind == ACC_KIND_F64 ? 0x1p-1022 : 0x1p-126)), m_lt (m, x, m_const (m, INFINITY)));
}

/* A subnormal one times 2^64, with -64 as @n; what has no logarithm is 1. */
static KValue
make_normal (const AccMath *m, KValue x, KValue *n)
{
  KValue zero = m_const (m, 0), normal = is_normal (m, x), positive = m_gt (m, x, zero), finite = m_lt (m, x, m_const (m, INFINITY));
  KValue subnormal = m_and (m, m_not (m, normal), m_and (m, positive, finite));

  *n = m_select (m, subnormal, m_const (m, -64), zero);
  return m_select (m, normal, x, m_select (m, subnormal, m_mul (m, x, m_const (m, 0x1p64)), m_const (m, 1)));
}

KValue
acc_math_logbase (const AccMath *m, KValue base, KValue x)
{
  AccKernelBuilder *b = m->b;
  KValue zero = m_const (m, 0);
  KVar result = kb_var (b, quotient_of_logs (m, x, zero, base, zero));

  kb_if_unlikely (b, m_not (m, m_and (m, is_normal (m, x), is_normal (m, base))))
    {
      KValue n, base_n, usual_x = make_normal (m, x, &n), usual_base = make_normal (m, base, &base_n);
      KValue has_logs = m_and (m, has_finite_log (m, x), has_finite_log (m, base));

      kb_set (b, result, m_select (m, has_logs, quotient_of_logs (m, usual_x, n, usual_base, base_n),
                                   m_div (m, acc_math_log (m, x), acc_math_log (m, base))));
    }

  return kb_get (b, result);
}

/* √(high + low), high not below 0, in two parts */
static KValue
root_in_two (const AccMath *m, KValue high, KValue low, KValue *rest)
{
  KValue root = m_sqrt (m, high);

  *rest = m_mul (m, m_add (m, m_fma (m, m_neg (m, root), root, high), low), m_rough_quotient (m, -1, root));
  return root;
}

/* 2^2 (1 + this) is 2x: log1p of it only drops bits that do not matter. */
static KValue
half_less_one (const AccMath *m, KValue x)
{
  return m_fma (m, x, m_const (m, 0.5), m_const (m, -1));
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

  t = m_select (m, large, half_less_one (m, m_select (m, finite, a, one)), t);
  KValue r = log1p_of_two (m, t, m_select (m, large, zero, m_add (m, low, rest)), m_select (m, large, m_const (m, 2), zero));
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
  KValue safe = m_select (m, usual, x, one), t = m_select (m, large, one, m_sub (m, safe, one));
  KValue square = m_mul (m, t, t);
  KValue sum_low, sum = m_two_sum (m, m_add (m, t, t), square, &sum_low);
  KValue rest, root = root_in_two (m, sum, m_add (m, sum_low, m_fma (m, t, t, m_neg (m, square))), &rest);
  KValue low, w = m_two_sum (m, t, root, &low);
  KValue r = log1p_of_two (m, m_select (m, large, half_less_one (m, safe), w), m_select (m, large, zero, m_add (m, low, rest)),
                           m_select (m, large, m_const (m, 2), zero));

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
