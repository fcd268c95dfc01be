/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inverse trigonometric functions. asin by its series in x² up to 1/2 and by asin x = π/2 - 2 asin √((1 - x)/2) beyond;
 * atan reduced at tan (π/8) and tan (3π/8). Polynomials are Chebyshev fits. */

#include "acc-math-private.h"

static const double asin_s_f32[] = { 0.166666663365404898478, 0.0750009476117290113288, 0.0445993191628711381259, 0.0311017278290671666672,
                                     0.0171437168192535685362, 0.033700726321365131584 };
static const double asin_s_f64[] = { 0.16666666666666666591, 0.0750000000000011845727, 0.0446428571425501850612, 0.0303819444756937048645,
                                     0.0223721574356238154141, 0.0173528167685464727237, 0.0139637757878481364247, 0.0115665118218909429501,
                                     0.00962140274734483033837, 0.0093221015010827738673, 0.00303500717272676240456,
                                     0.019579201619744684717, -0.019277545928584555356, 0.0296350262635485483458 };
static const double atan_t_f32[] = { -0.3333331645, 0.1999887675, -0.1426059008, 0.1084797755, -0.07644865662, 0.03414745256 };
static const double atan_t_f64[] = { -0.333333333333333245, 0.19999999999997235, -0.142857142854094729, 0.11111111094097165,
                                     -0.0909090852650766439, 0.0769229553515575626, -0.0666648723339574418, 0.0588047637886953519,
                                     -0.0524897169301014907, 0.0468363514930524176, -0.0403233935151091373, 0.0307690064757235456,
                                     -0.0176464184226203371, 0.00539599921280712438 };

static KValue
half_pi (const AccMath *m)
{
  return m_const (m, m->kind == ACC_KIND_F64 ? 0x1.921fb54442d18p+0 : 1.5707963705062866);
}

/* @whole, π/2 of the kind's precision or a multiple of that by a power of two, + @high, which is not larger where it is not 0, + @low:
 * what π/2 lacks is added. */
static KValue
add_to_angle (const AccMath *m, KValue whole, KValue high, KValue low)
{
  KValue lacking = m_const (m,
                            m->kind == ACC_KIND_F64
                            ? 0x1.1a62633145c07p-54 / 0x1.921fb54442d18p+0 : -4.371138828673793e-08 / 1.5707963705062866);
  KValue lost, sum = m_fast_sum (m, whole, high, &lost);

  return m_add (m, sum, m_fma (m, whole, lacking, m_add (m, lost, low)));
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
  KValue z_large = m_fma (m, a, m_const (m, -0.5), m_const (m, 0.5));
  KValue z = m_select (m, large, z_large, m_mul (m, a, a));
  KValue t = m_select (m, large, m_sqrt (m, z), a);
  KValue lost = m_mul (m, m_fma (m, m_neg (m, t), t, z), m_rough_quotient (m, -1, t));

  return (Arc) { t, m_fma (m, m_mul (m, t, z), m_poly_of (m, z, asin_s), m_select (m, large, lost, zero)), large };
}

/* asin a = π/2 - 2 arc of large ones */
KValue
acc_math_asin (const AccMath *m, KValue x)
{
  Arc a = arc (m, m_abs (m, x));
  KValue factor = m_select (m, a.large, m_const (m, -2), m_const (m, 1));
  KValue r = add_to_angle (m, m_select (m, a.large, half_pi (m), m_const (m, 0)), m_mul (m, a.core, factor), m_mul (m, a.tail, factor));

  return m_copysign (m, r, x);
}

/* acos x = 2 arc of large ones, or π - 2 arc where they are negative; π/2 - arc, or π/2 + arc, of small ones */
KValue
acc_math_acos (const AccMath *m, KValue x)
{
  KValue zero = m_const (m, 0);
  Arc a = arc (m, m_abs (m, x));
  KValue negative = m_lt (m, x, zero);
  KValue twice = m_select (m, negative, m_const (m, -2), m_const (m, 2)), once = m_select (m, negative, m_const (m, 1), m_const (m, -1));
  KValue factor = m_select (m, a.large, twice, once);
  KValue ends = m_select (m, negative, m_mul (m, half_pi (m), m_const (m, 2)), zero);

  return add_to_angle (m, m_select (m, a.large, ends, half_pi (m)), m_mul (m, a.core, factor), m_mul (m, a.tail, factor));
}

/* atan ((over + rest) / under) for the over, under and base of a ratio not below 0 */
typedef struct {
  KValue over, under, base;
} Ratio;

/* p, q >= 0. Differences, of quotients from @middle_from, not below 1/2, to 2, are exact. */
static Ratio
reduce_ratio (const AccMath *m, KValue p, KValue q, double middle_from)
{
  KValue steep = m_gt (m, p, m_mul (m, q, m_const (m, 2))), middle = m_gt (m, p, m_mul (m, q, m_const (m, middle_from)));
  KValue quarter = m_mul (m, half_pi (m), m_const (m, 0.5));

  return (Ratio) {
    m_select (m, steep, m_neg (m, q), m_select (m, middle, m_sub (m, p, q), p)),
    m_select (m, steep, p, m_select (m, middle, m_add (m, p, q), q)),
    m_select (m, steep, half_pi (m), m_select (m, middle, quarter, m_const (m, 0))),
  };
}

/* base + atan (t + rest), |t| no more than tan (1/2) */
static KValue
angle_of (const AccMath *m, KValue base, KValue t, KValue rest)
{
  KValue z = m_mul (m, t, t);

  return add_to_angle (m, base, t, m_fma (m, m_mul (m, t, z), m_poly_of (m, z, atan_t), rest));
}

KValue
acc_math_atan (const AccMath *m, KValue x)
{
  /* Above tan (1/2) results have the exponent of π/4. */
  Ratio r = reduce_ratio (m, m_abs (m, x), m_const (m, 1), 0.54631);

  return m_copysign (m, angle_of (m, r.base, m_div (m, r.over, r.under), m_const (m, -0.0)), x);
}

KValue
acc_math_atan2 (const AccMath *m, KValue y, KValue x)
{
  gboolean wide = m->kind == ACC_KIND_F64;
  KValue zero = m_const (m, 0), one = m_const (m, 1);
  KValue p = m_abs (m, y), q = m_abs (m, x);
  /* Two zeros are as 0 and 1, two infinities as 1 and 1. */
  KValue same = m_eq (m, p, q);
  /* Sums stay finite, inverses normal, and what a quotient leaves exact; where but one becomes subnormal it is nothing beside the other. */
  KValue size = m_add (m, p, q), vast = m_gt (m, size, m_const (m, wide ? 0x1p1000 : 0x1p100));
  KValue faint = m_lt (m, size, m_const (m, wide ? 0x1p-900 : 0x1p-90));
  KValue factor = m_select (m, vast, m_const (m, wide ? 0x1p-100 : 0x1p-30),
                            m_select (m, faint, m_const (m, wide ? 0x1p200 : 0x1p60), one));

  p = m_select (m, same, m_select (m, m_gt (m, p, zero), one, zero), m_mul (m, p, factor));
  q = m_select (m, same, one, m_mul (m, q, factor));

  Ratio ratio = reduce_ratio (m, p, q, 0.5);
  KValue t = m_div (m, ratio.over, ratio.under), left_out = m_fma (m, m_neg (m, t), ratio.under, ratio.over);
  /* Less than a normal number of it is not exact, and of infinities it is none. */
  KValue is_exact = m_ge (m, m_abs (m, left_out), m_const (m, wide ? 0x1p-1022 : 0x1p-126));
  KValue rest = m_select (m, is_exact, m_mul (m, left_out, m_rough_quotient (m, 0, ratio.under)), zero);
  KValue r = angle_of (m, ratio.base, t, rest);
  KValue left = m_lt (m, m_copysign (m, one, x), zero);
  KValue pi = m_mul (m, half_pi (m), m_const (m, 2)), pi_low = m_const (m, wide ? 0x1.1a62633145c07p-53 : -8.742277657347586e-08);

  r = m_select (m, left, m_sub (m, pi, m_sub (m, r, pi_low)), r);
  return m_copysign (m, r, y);
}
