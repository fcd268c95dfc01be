/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sin, cos, tan. x = n π/2 + r, |r| <= π/4 (Cody and Waite): of f64 π/2 in parts of 33, 53 and 53 bits, of which the first times n
 * is exact, to 2^20; of f32 all in f64, π/2 in two parts, to 2^30. Beyond, by many bits of 2/π (acc-math-reduce.c). Polynomials in
 * r² are Chebyshev fits in 64 bits, of the least largest relative error for 32. */

#include "acc-math-private.h"
#include "acc-backends/ir/acc-kernel-builder-private.h"

/* For f32, computed in f64: 2^-37 and 2^-34 off */
static const double sin_s_f32[] = { -0.166666666407955983, 0.00833332930451136338, -0.000198393121462620459, 2.71812040243591592e-6 };
static const double cos_c_f32[] = { -0.499999996944677603, 0.0416666203539016704, -0.00138866815184501459, 0.0000243835540672288546 };
static const double sin_s_f64[] = { -0.166666666666666666655, 0.00833333333333333148102, -0.000198412698412650410469,
                                    0.00000275573192193205797698, -2.50521062259944006938e-8, 1.60585305966459547122e-10,
                                    -7.58663688482515964918e-13 };
static const double cos_c_f64[] = { 0.041666666666666666666, -0.00138888888888888878592, 0.0000248015873015846331407,
                                    -2.7557319221392490652e-7, 2.08767557874926059483e-9, -1.14704603192095118423e-11,
                                    4.74583841253102296482e-14 };

/* How far arguments are reduced near 0, and at most */
typedef struct {
  gboolean has_low;     /* f64 */
  double   near, limit;
} Range;

static const Range range_f32 = { FALSE, 0x1p30, G_MAXFLOAT };
static const Range range_f64 = { TRUE, 0x1p20, G_MAXDOUBLE };

static AccReduced
reduce_near (const AccMath *m, KValue x, gboolean has_low)
{
  KValue shifter = m_const (m, 0x1.8p52);
  KValue t = m_fma (m, x, m_const (m, 0x1.45f306dc9c883p-1), shifter);
  KValue n = m_sub (m, t, shifter);

  if (!has_low)
    {
      KValue r = m_fma (m, n, m_const (m, -0x1.921fb54442d18p+0), x);

      return (AccReduced) { m_fma (m, n, m_const (m, -0x1.1a62633145c07p-54), r), m_const (m, 0), m_to_bits (m, t) };
    }

  KValue second = m_const (m, 0x1.0b4611a626331p-34), low, rest;
  KValue product = m_mul (m, n, second);
  KValue sum = m_two_sum (m, m_fma (m, n, m_const (m, -0x1.921fb54400000p+0), x), m_neg (m, product), &low);

  rest = m_sub (m, low, m_fma (m, n, m_const (m, 0x1.1701b839a2520p-88), m_fma (m, n, second, m_neg (m, product))));
  KValue r = m_add (m, sum, rest);

  return (AccReduced) { r, m_add (m, m_sub (m, sum, r), rest), m_to_bits (m, t) };
}

/* What is still to be added to the first part; sin (r + low) = sin r + low (1 - r²/2). */
static KValue
sine_of_reduced (const AccMath *m, KValue r, KValue low, KValue *tail)
{
  KValue z = m_mul (m, r, r);

  *tail = m_fma (m, m_mul (m, z, r), m_poly (m, z, sin_s_f64, G_N_ELEMENTS (sin_s_f64)),
                 m_fma (m, m_mul (m, z, m_const (m, -0.5)), low, low));
  return r;
}

static KValue
cosine_of_reduced (const AccMath *m, KValue r, KValue low, KValue *tail)
{
  KValue one = m_const (m, 1), half_of = m_const (m, -0.5);
  KValue z = m_mul (m, r, r);
  KValue head = m_fma (m, z, half_of, one);
  KValue lost = m_fma (m, z, half_of, m_sub (m, one, head));
  KValue series = m_mul (m, m_mul (m, z, z), m_poly (m, z, cos_c_f64, G_N_ELEMENTS (cos_c_f64)));

  lost = m_fma (m, m_fma (m, r, r, m_neg (m, z)), half_of, lost);
  *tail = m_add (m, m_fma (m, m_neg (m, r), low, lost), series);
  return head;
}

/* @x: f64. Sine and cosine of an angle have it in common. */
static AccReduced
reduce (const AccMath *m, KValue x, const Range *range)
{
  AccKernelBuilder *b = m->b;
  const KKept *kept = _kb_find_kept (b, x, (guint64) range->near);

  if (kept != NULL)
    return (AccReduced) { kept->parts[0], kept->parts[1], kept->parts[2] };

  KValue inside = m_le (m, m_abs (m, x), m_const (m, range->near));
  AccReduced a = reduce_near (m, m_select (m, inside, x, m_const (m, 0)), range->has_low);
  KVar r = kb_var (b, a.r), low = kb_var (b, a.low), n = kb_var (b, a.n);

  kb_if_unlikely (b, m_not (m, inside))
    {
      AccReduced far = acc_math_reduce (m, x, range->limit);

      kb_set (b, r, far.r);
      if (range->has_low)
        kb_set (b, low, far.low);
      kb_set (b, n, far.n);
    }

  a = (AccReduced) { kb_get (b, r), kb_get (b, low), kb_get (b, n) };
  _kb_keep (b, &(KKept) { x, (guint64) range->near, { a.r, a.low, a.n } });

  return a;
}

typedef enum { SIN, COS, TAN } Which;

static KValue
has_bit (AccKernelBuilder *b, KValue n, gint64 bit)
{
  return kb_prim2 (b, ACC_PRIM_NE, kb_and (b, n, kb_i64 (b, bit)), kb_i64 (b, 0));
}

static KValue
periodic_f32 (AccKernelBuilder *b, KValue x, Which which)
{
  AccMath wide = acc_math_for (b, ACC_KIND_F64), *m = &wide;
  AccReduced a = reduce (m, kb_cast (b, ACC_KIND_F64, x), &range_f32);
  KValue z = m_mul (m, a.r, a.r);
  KValue sine = m_fma (m, m_mul (m, a.r, z), m_poly (m, z, sin_s_f32, G_N_ELEMENTS (sin_s_f32)), a.r);
  KValue cosine = m_fma (m, z, m_poly (m, z, cos_c_f32, G_N_ELEMENTS (cos_c_f32)), m_const (m, 1));
  KValue quadrant = which == COS ? kb_add (b, a.n, kb_i64 (b, 1)) : a.n;
  KValue odd = has_bit (b, quadrant, 1), result;

  if (which == TAN)
    result = m_div (m, m_select (m, odd, m_neg (m, cosine), sine), m_select (m, odd, sine, cosine));
  else
    result = m_select (m, odd, cosine, sine);
  if (which != TAN)
    result = m_select (m, has_bit (b, quadrant, 2), m_neg (m, result), result);

  return kb_cast (b, ACC_KIND_F32, result);
}

static KValue
periodic_f64 (const AccMath *m, KValue x, Which which)
{
  AccKernelBuilder *b = m->b;
  AccReduced a = reduce (m, x, &range_f64);
  KValue sine_tail, sine = sine_of_reduced (m, a.r, a.low, &sine_tail);
  KValue cosine_tail, cosine = cosine_of_reduced (m, a.r, a.low, &cosine_tail);
  KValue quadrant = which == COS ? kb_add (b, a.n, kb_i64 (b, 1)) : a.n;
  KValue odd = has_bit (b, quadrant, 1);

  if (which != TAN)
    {
      KValue value = m_add (m, m_select (m, odd, cosine, sine), m_select (m, odd, cosine_tail, sine_tail));

      return m_select (m, has_bit (b, quadrant, 2), m_neg (m, value), value);
    }

  sine = m_fast_sum (m, sine, sine_tail, &sine_tail);
  cosine = m_fast_sum (m, cosine, cosine_tail, &cosine_tail);

  KValue over = m_select (m, odd, m_neg (m, cosine), sine), over_tail = m_select (m, odd, m_neg (m, cosine_tail), sine_tail);
  KValue rest, q = m_div_in_two (m, over, over_tail, m_select (m, odd, sine, cosine), m_select (m, odd, sine_tail, cosine_tail), &rest);

  return m_add (m, q, rest);
}

static KValue
periodic (const AccMath *m, KValue x, Which which)
{
  KValue result = m->kind == ACC_KIND_F32 ? periodic_f32 (m->b, x, which) : periodic_f64 (m, x, which);

  /* -0 stays -0, which the reduction turns into 0. */
  return which != COS ? m_select (m, m_eq (m, x, m_const (m, 0)), x, result) : result;
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
