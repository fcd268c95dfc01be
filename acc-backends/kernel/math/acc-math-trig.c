/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sin, cos, tan. x = n π/2 + r, |r| <= π/4: π/2 in three parts of 53 bits with fused products (Cody and Waite), exact
 * enough to 2^20; f32 reduces in f64, to 2^30. Beyond, by many bits of 2/π (acc-math-reduce.c). Polynomials are
 * Chebyshev fits in r². */

#include "acc-math-private.h"
#include "../acc-kernel-builder-private.h"

static const double sin_s_f32[] = { -0.166666666638440494638, 0.00833333187034134850004, -0.000198400843764227034755, 0.00000272496200800753294957 };
static const double sin_s_f64[] = { -0.166666666666666666655, 0.00833333333333333148102, -0.000198412698412650410469, 0.00000275573192193205797698,
                                    -2.50521062259944006938e-8, 1.60585305966459547122e-10, -7.58663688482515964918e-13 };
static const double cos_c_f32[] = { 0.0416666666643118233639, -0.00138888876683706632387, 0.0000248005984083501209575, -2.73007040380866519832e-7 };
static const double cos_c_f64[] = { 0.041666666666666666666, -0.00138888888888888878592, 0.0000248015873015846331407, -2.7557319221392490652e-7,
                                    2.08767557874926059483e-9, -1.14704603192095118423e-11, 4.74583841253102296482e-14 };

static AccReduced
reduce_near (const AccMath *m, KValue x)
{
  KValue shifter = m_const (m, 0x1.8p52);
  KValue t = m_fma (m, x, m_const (m, 0x1.45f306dc9c883p-1), shifter);
  KValue n = m_sub (m, t, shifter);
  KValue p1 = m_mul (m, n, m_const (m, 0x1.921fb54442d18p+0));
  KValue p1_low = m_fma (m, n, m_const (m, 0x1.921fb54442d18p+0), m_neg (m, p1));
  KValue p2 = m_mul (m, n, m_const (m, 0x1.1a62633145c07p-54));
  KValue p2_low = m_fma (m, n, m_const (m, 0x1.1a62633145c07p-54), m_neg (m, p2));
  KValue e1, e2, s;

  s = m_two_sum (m, m_sub (m, x, p1), m_neg (m, p1_low), &e1);
  s = m_two_sum (m, s, m_neg (m, p2), &e2);
  KValue rest = m_sub (m, m_add (m, e1, e2), m_fma (m, n, m_const (m, -0x1.f1976b7ed8fbcp-110), p2_low));
  KValue r = m_add (m, s, rest);

  return (AccReduced) { r, m_add (m, m_sub (m, s, r), rest), m_to_bits (m, t) };
}

/* What is still to be added to the first part; sin (r + low) = sin r + low (1 - r²/2). */
static KValue
sine_of_reduced (const AccMath *m, KValue r, KValue low, KValue *tail)
{
  KValue z = m_mul (m, r, r);

  *tail = m_fma (m, m_mul (m, z, r), m_poly_of (m, z, sin_s), m_fma (m, m_mul (m, z, m_const (m, -0.5)), low, low));
  return r;
}

static KValue
cosine_of_reduced (const AccMath *m, KValue r, KValue low, KValue *tail)
{
  KValue one = m_const (m, 1), half_of = m_const (m, -0.5);
  KValue z = m_mul (m, r, r);
  KValue head = m_fma (m, z, half_of, one);
  KValue lost = m_fma (m, z, half_of, m_sub (m, one, head));
  KValue series = m_mul (m, m_mul (m, z, z), m_poly_of (m, z, cos_c));

  lost = m_fma (m, m_fma (m, r, r, m_neg (m, z)), half_of, lost);
  *tail = m_add (m, m_fma (m, m_neg (m, r), low, lost), series);
  return head;
}

typedef enum { SIN, COS, TAN } Which;

/* @x: f64; @limit: where it is far at most. Sine and cosine of an angle have it in common. */
static AccReduced
reduce (const AccMath *m, KValue x, double near, double limit)
{
  AccKernelBuilder *b = m->b;
  const KKept *kept = _kb_find_kept (b, x, (guint64) near);

  if (kept != NULL)
    return (AccReduced) { kept->parts[0], kept->parts[1], kept->parts[2] };

  KValue inside = m_le (m, m_abs (m, x), m_const (m, near));
  AccReduced a = reduce_near (m, m_select (m, inside, x, m_const (m, 0)));
  KVar r = kb_var (b, a.r), low = kb_var (b, a.low), n = kb_var (b, a.n);

  kb_if_seldom (b, m_not (m, inside))
    {
      AccReduced far = acc_math_reduce (m, x, limit);

      kb_set (b, r, far.r);
      kb_set (b, low, far.low);
      kb_set (b, n, far.n);
    }

  a = (AccReduced) { kb_get (b, r), kb_get (b, low), kb_get (b, n) };
  _kb_keep (b, &(KKept) { x, (guint64) near, { a.r, a.low, a.n } });

  return a;
}

static KValue
periodic (const AccMath *m, KValue x, Which which)
{
  AccKernelBuilder *b = m->b;
  AccMath wide = acc_math_for (b, ACC_KIND_F64);
  gboolean narrow = m->kind == ACC_KIND_F32;
  AccReduced a = reduce (&wide, narrow ? kb_cast (b, ACC_KIND_F64, x) : x, narrow ? 0x1p30 : 0x1p20, narrow ? G_MAXFLOAT : G_MAXDOUBLE);
  KValue r = narrow ? kb_cast (b, ACC_KIND_F32, a.r) : a.r;
  KValue low = narrow ? kb_cast (b, ACC_KIND_F32, m_sub (&wide, a.r, kb_cast (b, ACC_KIND_F64, r))) : a.low;
  KValue sine_tail, sine = sine_of_reduced (m, r, low, &sine_tail);
  KValue cosine_tail, cosine = cosine_of_reduced (m, r, low, &cosine_tail);
  KValue quadrant = which == COS ? kb_add (b, a.n, kb_i64 (b, 1)) : a.n;
  KValue odd = kb_prim2 (b, ACC_PRIM_NE, kb_and (b, quadrant, kb_i64 (b, 1)), kb_i64 (b, 0));
  KValue far = kb_prim2 (b, ACC_PRIM_NE, kb_and (b, quadrant, kb_i64 (b, 2)), kb_i64 (b, 0));
  KValue result;

  if (which == TAN)
    {
      sine = m_fast_sum (m, sine, sine_tail, &sine_tail);
      cosine = m_fast_sum (m, cosine, cosine_tail, &cosine_tail);

      KValue over = m_select (m, odd, m_neg (m, cosine), sine), over_tail = m_select (m, odd, m_neg (m, cosine_tail), sine_tail);
      KValue rest, q = m_div_in_two (m, over, over_tail, m_select (m, odd, sine, cosine), m_select (m, odd, sine_tail, cosine_tail), &rest);

      result = m_add (m, q, rest);
    }
  else
    {
      KValue value = m_add (m, m_select (m, odd, cosine, sine), m_select (m, odd, cosine_tail, sine_tail));
      result = m_select (m, far, m_neg (m, value), value);
    }

  /* -0 stays -0, which the reduction turns into 0. */
  if (which != COS)
    result = m_select (m, m_eq (m, x, m_const (m, 0)), x, result);

  return result;
}

KValue
acc_math_sin (const AccMath *m, KValue x)
{
  return periodic (m, x, SIN);
}

KValue
acc_math_cos (const AccMath *m, KValue x)
{
  return periodic (m, x, COS);
}

KValue
acc_math_tan (const AccMath *m, KValue x)
{
  return periodic (m, x, TAN);
}
