/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* exp and what is made of it. x = n ln 2 + r with |r| <= ln 2 / 2, ln 2 in two parts (Cody and Waite 1980);
 * exp r = 1 + r + r² q(r), q a Chebyshev fit. 2^n is applied in two halves, so that results down to the smallest
 * subnormal come out. */

#include "acc-math-private.h"

static const double exp_q_f32[] = { 0.5, 0.166665766661199283055, 0.0416665542129841503145, 0.00836323288368261820406,
                                    0.00139262508314976117178 };
static const double exp_q_f64[] = { 0.5, 0.166666666666666710297, 0.0416666666666666697825, 0.00833333333332608312019,
                                    0.00138888888888837111667, 0.000198412698750022787926, 0.0000248015873256774619003,
                                    0.00000275572551700008874376, 2.7557273478718580474e-7, 2.51053127296221017871e-8,
                                    2.09147553258932021999e-9 };

typedef struct {
  KValue r, low;   /* reduced argument, in two parts */
  KValue n;        /* as an integer of the kind's width */
} Reduced;

static Reduced
reduce (const AccMath *m, KValue x)
{
  gboolean wide = m->kind == ACC_KIND_F64;
  double shifter = wide ? 0x1.8p52 : 0x1.8p23f;
  KValue t = m_fma (m, x, m_const (m, wide ? 0x1.71547652b82fep+0 : 1.44269504f), m_const (m, shifter));
  KValue n = m_sub (m, t, m_const (m, shifter));
  KValue near = m_fma (m, n, m_const (m, wide ? -0x1.62e42fee00000p-1 : -0.693145751953125), x);
  KValue rest = m_const (m, wide ? -0x1.a39ef35793c76p-33 : -1.4285906217992305756e-6);
  KValue r = m_fma (m, n, rest, near);

  return (Reduced) { r, m_fma (m, n, rest, m_sub (m, near, r)), m_sub (m, m_to_bits (m, t), m_to_bits (m, m_const (m, shifter))) };
}

static KValue
power_of_two (const AccMath *m, KValue n)
{
  return m_from_bits (m, m_shl (m, m_add (m, n, m_int (m, m->bias)), m->mantissa));
}

/* x · 2^n for n that a product of two normal powers can express. */
static KValue
scale (const AccMath *m, KValue x, KValue n)
{
  KValue half = m_shr (m, n, 1);

  return m_mul (m, m_mul (m, x, power_of_two (m, half)), power_of_two (m, m_sub (m, n, half)));
}

/* From @least to where exp is infinity; NaN stays. */
static KValue
clamp_from (const AccMath *m, double least, KValue x)
{
  KValue high = m_const (m, m->kind == ACC_KIND_F64 ? 710 : 89), low = m_const (m, least);

  return m_select (m, m_gt (m, x, high), high, m_select (m, m_lt (m, x, low), low, x));
}

/* From where exp is 0 */
static KValue
clamp (const AccMath *m, KValue x)
{
  return clamp_from (m, m->kind == ACC_KIND_F64 ? -746 : -104, x);
}

/* By the device's 2^x, as libdevice does (NVIDIA): x log2 e = n + f with n of [-126, 126], beyond which f is as large as it takes. n
 * comes out, by rounding, as the exponent of 2^n in the lowest bits. */
static KValue
exp_by_estimate (const AccMath *m, KValue x)
{
  KValue one = m_const (m, 1), shifter = m_const (m, 0x1.8p23 + 1);
  KValue part = m_fma (m, x, m_const (m, 1 / (252 * G_LN2)), m_const (m, 0.5));
  KValue t = m_fma (m, kb_min (m->b, kb_max (m->b, part, m_const (m, 0)), one), m_const (m, 252), shifter);
  KValue f = m_fma (m, x, m_const (m, 0x1.715476p0), m_sub (m, m_const (m, 0x1.8p23 + 127), t));

  f = m_fma (m, x, m_const (m, 1.925963033500011079e-08), f);

  return m_mul (m, kb_estimate_exp2 (m->b, f), m_from_bits (m, m_shl (m, m_to_bits (m, t), 23)));
}

static KValue
exp_by_series (const AccMath *m, KValue x)
{
  KValue one = m_const (m, 1);
  Reduced a = reduce (m, clamp (m, x));
  KValue head = m_add (m, one, a.r);
  KValue tail = m_fma (m, m_mul (m, a.r, a.r), m_poly_of (m, a.r, exp_q), m_add (m, m_sub (m, one, head), a.r));

  return scale (m, m_add (m, head, tail), a.n);
}

KValue
acc_math_exp (const AccMath *m, KValue x)
{
  return m->kind == ACC_KIND_F32 && kb_is_straight (m->b) ? exp_by_estimate (m, x) : exp_by_series (m, x);
}

/* exp r = 1 + r + r²/2 + r³ q(r) */
static const double expm1_q_f32[] = { 0.166666666817, 0.0416665541904, 0.00833331084191, 0.00139262533314, 0.000198910827356 };

/* 2^n exp r - 1 = (2^n - 1) + 2^n (r + r²/2) + 2^n r³ q(r), of a half of which nothing overflows too soon */
KValue
acc_math_expm1 (const AccMath *m, KValue x)
{
  gboolean wide = m->kind == ACC_KIND_F64;
  Reduced a = reduce (m, clamp_from (m, wide ? -40 : -19, x));   /* there it is -1 */
  KValue power = power_of_two (m, m_sub (m, a.n, m_int (m, 1)));
  KValue half = m_mul (m, a.r, m_const (m, 0.5)), square = m_mul (m, a.r, half), square_low = m_fma (m, a.r, half, m_neg (m, square));
  KValue sum_low, sum = m_fast_sum (m, a.r, square, &sum_low);
  KValue q = m_poly (m, a.r, wide ? exp_q_f64 + 1 : expm1_q_f32, wide ? G_N_ELEMENTS (exp_q_f64) - 1 : G_N_ELEMENTS (expm1_q_f32));
  KValue tail = m_fma (m, square, m_mul (m, m_add (m, a.r, a.r), q), m_add (m, m_add (m, square_low, sum_low), a.low));
  KValue rest, lost, head = m_two_sum (m, power, m_const (m, -0.5), &lost);

  head = m_fast_sum (m, head, m_mul (m, power, sum), &rest);
  head = m_add (m, head, m_add (m, rest, m_fma (m, power, tail, lost)));

  return m_select (m, m_lt (m, m_abs (m, x), m_const (m, wide ? 0x1p-54 : 0x1p-25)), x, m_add (m, head, head));
}

/* exp x = 2^n (high + low), the first of them of full precision */
static KValue
exp_in_two (const AccMath *m, KValue x, KValue *low, KValue *n)
{
  KValue one = m_const (m, 1);
  Reduced a = reduce (m, x);
  KValue tail = m_fma (m, m_mul (m, a.r, a.r), m_poly_of (m, a.r, exp_q), a.low);
  KValue head_low, head = m_fast_sum (m, one, a.r, &head_low);

  *n = a.n;
  return m_fast_sum (m, head, m_add (m, head_low, tail), low);
}

/* exp (a) / 2, in two parts, and exp (-a) / 2, for a that is not negative: they overflow where their sum does. */
static KValue
halves_of_exp (const AccMath *m, KValue a, KValue *low, KValue *inverse)
{
  KValue limit = m_const (m, m->kind == ACC_KIND_F64 ? 712 : 91);
  KValue n, e = exp_in_two (m, m_select (m, m_gt (m, a, limit), limit, a), low, &n);

  n = m_sub (m, n, m_int (m, 1));
  *low = scale (m, *low, n);
  e = scale (m, e, n);
  *inverse = m_div (m, m_const (m, 0.25), e);

  return e;
}

/* The series of sinh a = a + a³ s (a²), for a up to 1 */
static const double sinh_s_f32[] = { 1 / 6.0, 1 / 120.0, 1 / 5040.0, 1 / 362880.0, 1 / 39916800.0 };
static const double sinh_s_f64[] = { 1 / 6.0, 1 / 120.0, 1 / 5040.0, 1 / 362880.0, 1 / 39916800.0, 1 / 6227020800.0, 1 / 1307674368000.0,
                                     1 / 355687428096000.0, 1 / 121645100408832000.0 };

KValue
acc_math_sinh (const AccMath *m, KValue x)
{
  KValue one = m_const (m, 1), a = m_abs (m, x), low, inverse, e = halves_of_exp (m, a, &low, &inverse);
  /* What is lost in e is lost in its inverse, too. */
  KValue large = m_add (m, e, m_fma (m, low, m_fma (m, m_mul (m, inverse, m_const (m, 4)), inverse, one), m_neg (m, inverse)));
  KValue z = m_mul (m, a, a);
  KValue small = m_add (m, a, m_mul (m, m_mul (m, a, z), m_poly_of (m, z, sinh_s)));
  KValue result = m_copysign (m, m_select (m, m_gt (m, a, one), large, small), x);

  return m_select (m, m_is_nan (m, x), x, result);
}

KValue
acc_math_cosh (const AccMath *m, KValue x)
{
  KValue low, inverse, e = halves_of_exp (m, m_abs (m, x), &low, &inverse);
  KValue kept = m_fma (m, m_mul (m, inverse, m_const (m, -4)), inverse, m_const (m, 1));
  KValue result = m_add (m, e, m_fma (m, low, kept, inverse));

  return m_select (m, m_is_nan (m, x), x, result);
}

/* The series of tanh a = a + a³ t (a²), for a up to 0.973 */
static const double tanh_t_f32[] = { -0.3333330452, 0.1333254576, -0.05389448255, 0.02153550647, -0.008027725853, 0.002368057612,
                                     -0.0003796531528 };
static const double tanh_t_f64[] = { -0.333333333333333333, 0.133333333333333202, -0.053968253968242734, 0.021869488535733371,
                                     -0.00886323552119469272, 0.00359212792490334874, -0.0014558334280220358, 0.000590021647707359954,
                                     -0.000239103668977258815, 0.0000968322770030813875, -0.0000390735591943671137,
                                     0.0000155350238410598178, -5.90211278927723563e-6, 2.01372974875894242e-6, -5.57613626771772688e-7,
                                     1.07012268471639605e-7, -1.03233936819227813e-8 };

/* From 3/4 on 1 - 2 / (exp 2a + 1), of whose roundings few bits are left then: 2a = n ln 2 + 2r */
KValue
acc_math_tanh (const AccMath *m, KValue x)
{
  gboolean wide = m->kind == ACC_KIND_F64;
  KValue one = m_const (m, 1), a = m_abs (m, x), limit = m_const (m, wide ? 20 : 10), shifter = m_const (m, wide ? 0x1.8p52 : 0x1.8p23);
  KValue capped = m_select (m, m_gt (m, a, limit), limit, a);
  KValue t = m_fma (m, capped, m_const (m, 2 / G_LN2), shifter);
  KValue n = m_sub (m, t, shifter), r = m_fma (m, n, m_const (m, -G_LN2 / 2), capped), twice = m_add (m, r, r);

  if (wide)
    twice = m_fma (m, n, m_const (m, -0x1.abc9e3b39803fp-56), twice);

  /* Of the bits of t those of n alone stay. */
  KValue power = m_from_bits (m, m_add (m, m_shl (m, m_to_bits (m, t), m->mantissa), m_to_bits (m, one)));
  KValue less_one = m_fma (m, m_mul (m, twice, twice), m_poly_of (m, twice, exp_q), twice);
  KValue large = m_sub (m, one, m_div (m, m_const (m, 2), m_fma (m, power, less_one, m_add (m, power, one))));
  KValue z = m_mul (m, a, a);
  KValue small = m_fma (m, a, m_mul (m, z, m_poly_of (m, z, tanh_t)), a);

  KValue result = m_copysign (m, m_select (m, m_gt (m, a, m_const (m, 0.973)), large, small), x);

  /* Devices flush the product of what is subnormal in f32, and NVIDIA's driver the sum with it. */
  return wide ? result : m_select (m, m_lt (m, a, m_const (m, 0x1p-13)), x, result);
}

/* --- powers: log x as an unevaluated sum of two, then exp of y times that */

static const double pow_r[] = { 0.400000000000000000013, 0.285714285714285645192, 0.222222222222284697159, 0.181818181796449906069,
                                0.153846157629081495093, 0.133332963979638333491, 0.117668190216295540085, 0.104561951104014915541,
                                0.107636215150112599435 };

/* log x = returned + *low, relative error below 2^-64; m is f64. s = f / (2 + f), log (1 + f) = 2 s + 2/3 s³ + s⁵ r(s²). */
static KValue
log_in_two (const AccMath *m, KValue x, KValue *low)
{
  KValue e, f = acc_math_split (m, x, FALSE, &e, NULL);
  KValue g = m_add (m, f, m_const (m, 2));
  KValue g_low = m_sub (m, f, m_sub (m, g, m_const (m, 2)));
  KValue s = m_div (m, f, g);
  KValue s_low = m_div (m, m_fma (m, m_neg (m, s), g_low, m_fma (m, m_neg (m, s), g, f)), g);
  KValue z = m_mul (m, s, s);
  KValue z_low = m_fma (m, s, s, m_neg (m, z));

  z_low = m_fma (m, m_mul (m, s, m_const (m, 2)), s_low, z_low);

  /* t = z (2/3 + z r): the head in two parts */
  KValue third = m_const (m, 0x1.5555555555555p-1);
  KValue r = m_poly (m, z, pow_r, G_N_ELEMENTS (pow_r));
  KValue c_low, c = m_two_sum (m, third, m_mul (m, z, r), &c_low);
  c_low = m_fma (m, z_low, r, m_add (m, c_low, m_const (m, 0x1.5555555555555p-55)));
  KValue t = m_mul (m, z, c);
  KValue t_low = m_fma (m, z, c, m_neg (m, t));
  t_low = m_add (m, t_low, m_fma (m, z, c_low, m_mul (m, z_low, c)));

  /* s (2 + t) */
  KValue h_low, h = m_two_sum (m, m_const (m, 2), t, &h_low);
  h_low = m_add (m, h_low, t_low);
  KValue p = m_mul (m, s, h);
  KValue p_low = m_fma (m, s, h, m_neg (m, p));
  p_low = m_add (m, p_low, m_fma (m, s, h_low, m_mul (m, s_low, h)));

  /* + e ln 2: the high part of ln 2 has 21 zero bits, so the product is exact */
  KValue high = m_mul (m, e, m_const (m, 0x1.62e42fee00000p-1));
  KValue sum_low, sum = m_two_sum (m, high, p, &sum_low);
  return m_two_sum (m, sum, m_add (m, sum_low, m_fma (m, e, m_const (m, 0x1.a39ef35793c76p-33), p_low)), low);
}

/* exp (a + b) for |b| much smaller than |a|; m is f64. What is rounded away before the last sum is some 2^-56 of the result. */
static KValue
exp_of_two (const AccMath *m, KValue a, KValue b)
{
  KValue one = m_const (m, 1), shifter = m_const (m, 0x1.8p52);
  KValue x = clamp (m, a);
  KValue t = m_fma (m, x, m_const (m, 0x1.71547652b82fep+0), shifter);
  KValue n = m_sub (m, t, shifter);
  /* The first difference is exact. */
  KValue near = m_fma (m, n, m_const (m, -0x1.62e42fee00000p-1), x);
  KValue rest = m_fma (m, n, m_const (m, -0x1.a39ef35793c76p-33), m_select (m, m_eq (m, x, a), b, m_const (m, 0)));
  KValue r_low, r = m_two_sum (m, near, rest, &r_low);
  KValue tail = m_fma (m, m_mul (m, r, r), m_poly_of (m, r, exp_q), m_fma (m, r_low, r, r_low));
  KValue head = m_add (m, one, r);

  tail = m_add (m, m_add (m, m_sub (m, one, head), r), tail);

  return scale (m, m_add (m, head, tail), m_sub (m, m_to_bits (m, t), m_to_bits (m, shifter)));
}

static KValue
power_f64 (const AccMath *m, KValue x, KValue y)
{
  KValue zero = m_const (m, 0), one = m_const (m, 1), infinity = m_const (m, INFINITY);
  KValue ax = m_abs (m, x), ay = m_abs (m, y);
  KValue usual = m_and (m, m_gt (m, ax, zero), m_not (m, m_is_inf (m, ax)));
  KValue low, high = log_in_two (m, m_select (m, usual, ax, one), &low);

  /* y log x in two parts; infinite or vast y only has to keep the sign. */
  KValue vast = m_gt (m, ay, m_const (m, 0x1p100));
  KValue finite_y = m_select (m, vast, m_copysign (m, m_const (m, 0x1p100), y), y);
  KValue p = m_mul (m, finite_y, high);
  KValue p_low = m_fma (m, finite_y, low, m_fma (m, finite_y, high, m_neg (m, p)));
  KValue magnitude = exp_of_two (m, p, p_low);

  /* Integers: all above 2^53 are even; otherwise adding and taking away 2^52 shows. */
  KValue whole = m_or (m, m_ge (m, ay, m_const (m, 0x1p52)), m_eq (m, kb_prim (m->b, ACC_PRIM_TRUNCATE, y), y));
  KValue half = m_mul (m, y, m_const (m, 0.5));
  KValue odd = m_and (m, m_and (m, whole, m_lt (m, ay, m_const (m, 0x1p53))), m_ne (m, kb_prim (m->b, ACC_PRIM_TRUNCATE, half), half));

  KValue positive_y = m_gt (m, y, zero);
  KValue at_zero = m_select (m, positive_y, zero, infinity);
  KValue at_infinity = m_select (m, positive_y, infinity, zero);
  KValue r = m_select (m, m_eq (m, ax, zero), at_zero, m_select (m, m_is_inf (m, ax), at_infinity, magnitude));
  KValue negative = m_lt (m, m_copysign (m, one, x), zero);
  r = m_select (m, m_and (m, negative, odd), m_neg (m, r), r);
  r = m_select (m, m_and (m, m_and (m, m_lt (m, x, zero), m_not (m, m_is_inf (m, x))), m_not (m, whole)), m_const (m, NAN), r);
  r = m_select (m, m_and (m, m_eq (m, ax, one), m_is_inf (m, y)), one, r);
  r = m_select (m, m_or (m, m_is_nan (m, x), m_is_nan (m, y)), m_add (m, x, y), r);
  return m_select (m, m_or (m, m_eq (m, y, zero), m_eq (m, x, one)), one, r);
}

KValue
acc_math_pow (const AccMath *m, KValue x, KValue y)
{
  if (m->kind == ACC_KIND_F64)
    return power_f64 (m, x, y);

  AccMath wide = acc_math_for (m->b, ACC_KIND_F64);
  KValue p = power_f64 (&wide, kb_cast (m->b, ACC_KIND_F64, x), kb_cast (m->b, ACC_KIND_F64, y));

  return kb_cast (m->b, ACC_KIND_F32, p);
}
