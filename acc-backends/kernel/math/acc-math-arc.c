/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inverse trigonometric functions. asin by its series in x² up to 1/2 and by asin x = π/2 - 2 asin √((1 - x)/2) beyond;
 * atan reduced at tan (π/8) and tan (3π/8). Polynomials are Chebyshev fits. */

#include "acc-math-private.h"

static const double asin_s_f32[] = { 0.166666663365404898478, 0.0750009476117290113288, 0.0445993191628711381259, 0.0311017278290671666672,
                                     0.0171437168192535685362, 0.033700726321365131584 };
static const double asin_s_f64[] = { 0.16666666666666666591, 0.0750000000000011845727, 0.0446428571425501850612, 0.0303819444756937048645,
                                     0.0223721574356238154141, 0.0173528167685464727237, 0.0139637757878481364247, 0.0115665118218909429501,
                                     0.00962140274734483033837, 0.0093221015010827738673, 0.00303500717272676240456, 0.019579201619744684717,
                                     -0.019277545928584555356, 0.0296350262635485483458 };
static const double atan_t_f32[] = { -0.333333317538169689078, 0.199995387947719214646, -0.142638971125986754623, 0.107430996676745702643,
                                     -0.0644983522459149591799 };
static const double atan_t_f64[] = { -0.33333333333333333329, 0.199999999999999914481, -0.142857142857114905998, 0.111111111107514810393,
                                     -0.090909090668160809014, 0.0769230672919489680021, -0.0666664186913118267267, 0.0588192305611402256224,
                                     -0.0525802027265675833912, 0.0471925918824209238041, -0.0410388754686268719643, 0.0306229955537355146734,
                                     -0.013905374533113233897 };

/* π/2 and π/4 in two parts of the kind's precision */
static KValue
half_pi (const AccMath *m)
{
  return m_const (m, m->kind == ACC_KIND_F64 ? 0x1.921fb54442d18p+0 : 1.5707963705062866);
}

static KValue
half_pi_low (const AccMath *m)
{
  return m_const (m, m->kind == ACC_KIND_F64 ? 0x1.1a62633145c07p-54 : -4.371138828673793e-08);
}

typedef struct {
  KValue core, tail;  /* asin |x|, or asin √((1 - |x|)/2), in two parts */
  KValue large;       /* which */
} Arc;

static Arc
arc (const AccMath *m, KValue a)
{
  KValue zero = m_const (m, 0);
  KValue large = m_gt (m, a, m_const (m, 0.5));
  KValue z_large = m_mul (m, m_sub (m, m_const (m, 1), a), m_const (m, 0.5));
  KValue z = m_select (m, large, z_large, m_mul (m, a, a));
  KValue t = m_select (m, large, m_sqrt (m, z), a);
  KValue lost = m_div (m, m_fma (m, m_neg (m, t), t, z), m_add (m, t, t));
  KValue in_root = m_and (m, large, m_gt (m, z, zero));

  return (Arc) { t, m_fma (m, m_mul (m, t, z), m_poly_of (m, z, asin_s), m_select (m, in_root, lost, zero)), large };
}

/* @whole, of which @whole_low is the rest, less @part, which is not larger, less @tail */
static KValue
take_from (const AccMath *m, KValue whole, KValue whole_low, KValue part, KValue tail)
{
  KValue low, rest = m_fast_sum (m, whole, m_neg (m, part), &low);

  return m_add (m, rest, m_add (m, low, m_sub (m, whole_low, tail)));
}

KValue
acc_math_asin (const AccMath *m, KValue x)
{
  Arc a = arc (m, m_abs (m, x));
  KValue big = take_from (m, half_pi (m), half_pi_low (m), m_add (m, a.core, a.core), m_add (m, a.tail, a.tail));

  return m_copysign (m, m_select (m, a.large, big, m_add (m, a.core, a.tail)), x);
}

KValue
acc_math_acos (const AccMath *m, KValue x)
{
  Arc a = arc (m, m_abs (m, x));
  KValue negative = m_lt (m, x, m_const (m, 0));
  KValue twice = m_add (m, a.core, a.core), twice_tail = m_add (m, a.tail, a.tail);
  KValue pi = m_mul (m, half_pi (m), m_const (m, 2)), pi_low = m_mul (m, half_pi_low (m), m_const (m, 2));
  KValue big = m_select (m, negative, take_from (m, pi, pi_low, twice, twice_tail), m_add (m, twice, twice_tail));
  KValue core = m_select (m, negative, m_neg (m, a.core), a.core), tail = m_select (m, negative, m_neg (m, a.tail), a.tail);

  return m_select (m, a.large, big, take_from (m, half_pi (m), half_pi_low (m), core, tail));
}

/* atan (p / q) for p, q >= 0, not both 0, neither infinite */
static KValue
atan_of_ratio (const AccMath *m, KValue p, KValue q)
{
  KValue steep = m_gt (m, p, m_mul (m, q, m_const (m, 2.414213562373095)));
  KValue middle = m_gt (m, p, m_mul (m, q, m_const (m, 0.41421356237309503)));
  KValue zero = m_const (m, 0);
  KValue difference_low, difference = m_two_sum (m, p, m_neg (m, q), &difference_low);
  KValue sum_low, sum = m_two_sum (m, p, q, &sum_low);
  KValue between = m_and (m, middle, m_not (m, steep));
  KValue over = m_select (m, steep, m_neg (m, q), m_select (m, middle, difference, p));
  KValue under = m_select (m, steep, p, m_select (m, middle, sum, q));
  KValue rest, t = m_div_in_two (m, over, m_select (m, between, difference_low, zero), under, m_select (m, between, sum_low, zero), &rest);
  KValue z = m_mul (m, t, t);
  KValue quarter = m_mul (m, half_pi (m), m_const (m, 0.5)), quarter_low = m_mul (m, half_pi_low (m), m_const (m, 0.5));
  KValue base = m_select (m, steep, half_pi (m), m_select (m, middle, quarter, zero));
  KValue base_low = m_select (m, steep, half_pi_low (m), m_select (m, middle, quarter_low, zero));
  KValue series = m_fma (m, m_mul (m, t, z), m_poly_of (m, z, atan_t), base_low);
  KValue low, head = m_fast_sum (m, base, t, &low);

  return m_add (m, head, m_add (m, low, m_add (m, series, rest)));
}

KValue
acc_math_atan (const AccMath *m, KValue x)
{
  KValue a = m_abs (m, x);
  KValue infinite = m_is_inf (m, a);
  KValue p = m_select (m, infinite, m_const (m, 1), a), q = m_select (m, infinite, m_const (m, 0), m_const (m, 1));
  KValue r = m_copysign (m, atan_of_ratio (m, p, q), x);

  /* Below √smallest, x³ would be subnormal and worthless anyway. */
  KValue tiny = m_lt (m, a, m_const (m, m->kind == ACC_KIND_F64 ? 0x1p-28 : 0x1p-14));
  return m_select (m, m_or (m, tiny, m_is_nan (m, x)), x, r);
}

KValue
acc_math_atan2 (const AccMath *m, KValue y, KValue x)
{
  KValue zero = m_const (m, 0), one = m_const (m, 1);
  KValue p = m_abs (m, y), q = m_abs (m, x);
  KValue both_zero = m_and (m, m_eq (m, p, zero), m_eq (m, q, zero));
  KValue p_infinite = m_is_inf (m, p), q_infinite = m_is_inf (m, q);
  KValue any_infinite = m_or (m, p_infinite, q_infinite);

  p = m_select (m, any_infinite, m_select (m, p_infinite, one, zero), p);
  q = m_select (m, any_infinite, m_select (m, q_infinite, one, zero), m_select (m, both_zero, one, q));

  /* Near the ends of the range p + q could overflow, and p / q and what is left of it lose bits: powers of two move both. */
  gboolean wide = m->kind == ACC_KIND_F64;
  KValue vast = m_or (m, m_gt (m, p, m_const (m, wide ? 0x1p1000 : 0x1p100)), m_gt (m, q, m_const (m, wide ? 0x1p1000 : 0x1p100)));
  KValue least = m_const (m, wide ? 0x1p-900 : 0x1p-90), most = m_const (m, wide ? 0x1p700 : 0x1p30);
  KValue faint = m_and (m, m_or (m, m_lt (m, p, least), m_lt (m, q, least)), m_and (m, m_lt (m, p, most), m_lt (m, q, most)));
  KValue factor = m_select (m, vast, m_const (m, wide ? 0x1p-100 : 0x1p-30), m_select (m, faint, m_const (m, wide ? 0x1p200 : 0x1p60), one));
  p = m_mul (m, p, factor);
  q = m_mul (m, q, factor);

  KValue r = atan_of_ratio (m, p, q);
  KValue left = m_lt (m, m_copysign (m, one, x), zero);
  KValue pi = m_mul (m, half_pi (m), m_const (m, 2)), pi_low = m_mul (m, half_pi_low (m), m_const (m, 2));

  r = m_select (m, left, m_sub (m, pi, m_sub (m, r, pi_low)), r);
  r = m_copysign (m, r, y);
  return m_select (m, m_or (m, m_is_nan (m, x), m_is_nan (m, y)), m_add (m, x, y), r);
}
