/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* x = n π/2 + r for any x, by enough bits of 2/π (M. Payne and R. Hanek, "Radian reduction for trigonometric functions", 1983).
 *
 * |x| = m 2^e with m of 53 bits. Of the product m 2^e · 2/π whole multiples of 4 do not matter, so that the bits of 2/π
 * whose weight times 2^e is 4 or more are left out; 192 bits from there on give the product modulo 4 to 2^-137, and no double
 * is nearer than 2^-62 to a multiple of π/2. Limbs have 32 bits, so that 64 hold a product and what is carried. */

#include "acc-math-private.h"

#define LIMBS 6

/* 2/π after the binary point, with 64 bits 0 before it. */
static const guint64 two_over_pi[] = {
  0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
  0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
  0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
  0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
  0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};

static KValue
word (const AccMath *m, guint64 value)
{
  return kb_int (m->b, ACC_KIND_U64, (gint64) value);
}

static KValue
low_half (const AccMath *m, KValue x)
{
  return m_and (m, x, word (m, G_MAXUINT32));
}

static KValue
shift_left (const AccMath *m, KValue x, KValue amount)
{
  return kb_prim2 (m->b, ACC_PRIM_SHL, x, amount);
}

static KValue
shift_right (const AccMath *m, KValue x, KValue amount)
{
  return kb_prim2 (m->b, ACC_PRIM_SHR, x, amount);
}

/* 192 bits of the table from bit @first on, the highest limb last. */
static void
window (const AccMath *m, KValue first, guint last_word, KValue limbs[LIMBS])
{
  AccKernelBuilder *b = m->b;
  KValue place = kb_prim2 (b, ACC_PRIM_SHR, first, kb_i64 (b, 6));
  KValue shift = m_and (m, first, kb_i64 (b, 63));
  KValue rest = m_sub (m, kb_i64 (b, 64), shift);
  KValue words[4];

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    words[i] = word (m, two_over_pi[i]);
  for (guint k = 1; k <= last_word; k++)
    {
      KValue here = kb_eq (b, place, kb_i64 (b, k));

      for (guint i = 0; i < G_N_ELEMENTS (words); i++)
        words[i] = kb_select (b, here, word (m, two_over_pi[k + i]), words[i]);
    }

  for (guint i = 0; i < 3; i++)
    {
      /* A shift by 64 gives 0. */
      KValue bits = m_or (m, shift_left (m, words[i], shift), shift_right (m, words[i + 1], rest));

      limbs[5 - 2 * i] = m_shr (m, bits, 32);
      limbs[4 - 2 * i] = low_half (m, bits);
    }
}

/* limbs · factor, factor below 2^53, without what does not fit. */
static void
multiply (const AccMath *m, const KValue limbs[LIMBS], KValue factor, KValue product[LIMBS])
{
  KValue low = low_half (m, factor), high = m_shr (m, factor, 32);
  KValue carry_low = word (m, 0), carry_high = word (m, 0), carry = word (m, 0), above = word (m, 0);

  for (guint i = 0; i < LIMBS; i++)
    {
      KValue a = m_add (m, m_mul (m, limbs[i], low), carry_low);
      KValue sum = m_add (m, m_add (m, low_half (m, a), above), carry);

      product[i] = low_half (m, sum);
      carry = m_shr (m, sum, 32);
      carry_low = m_shr (m, a, 32);

      KValue c = m_add (m, m_mul (m, limbs[i], high), carry_high);
      above = low_half (m, c);
      carry_high = m_shr (m, c, 32);
    }
}

static KValue
to_float (const AccMath *m, KValue x, double scale)
{
  return m_mul (m, kb_cast (m->b, ACC_KIND_F64, x), m_const (m, scale));
}

AccReduced
acc_math_reduce (const AccMath *m, KValue x, double limit)
{
  AccKernelBuilder *b = m->b;
  KValue bits = m_and (m, m_to_bits (m, x), m_int (m, G_MAXINT64));
  KValue exponent = kb_prim2 (b, ACC_PRIM_SHR, bits, kb_i64 (b, 52));
  KValue mantissa = m_or (m, m_and (m, bits, m_int (m, ((gint64) 1 << 52) - 1)), m_int (m, (gint64) 1 << 52));
  int top = 1 + (int) MIN (ilogb (limit), 1023);
  guint last_word = (guint) (top - 52 + 62) >> 6;
  KValue limbs[LIMBS], product[LIMBS];

  /* e + 62, e = exponent - 1075 */
  window (m, m_sub (m, exponent, kb_i64 (b, 1075 - 62)), MIN (last_word, G_N_ELEMENTS (two_over_pi) - 4), limbs);
  multiply (m, limbs, kb_cast (b, ACC_KIND_U64, mantissa), product);

  /* Two bits are whole quadrants, those after them the fraction, which is taken nearest to 0. */
  KValue high = m_or (m, m_shl (m, product[5], 32), product[4]);
  KValue middle = m_or (m, m_shl (m, product[3], 32), product[2]);
  KValue low = m_or (m, m_shl (m, product[1], 32), product[0]);
  KValue fraction = kb_cast (b, ACC_KIND_I64, m_or (m, m_shl (m, high, 2), m_shr (m, middle, 62)));
  KValue tail = m_or (m, m_shl (m, middle, 2), m_shr (m, low, 62));
  KValue up = kb_prim2 (b, ACC_PRIM_SHR, fraction, kb_i64 (b, 63));
  KValue n = m_sub (m, kb_cast (b, ACC_KIND_I64, m_shr (m, high, 62)), up);

  KValue second, third;
  KValue first = m_two_sum (m, to_float (m, kb_prim2 (b, ACC_PRIM_SHR, fraction, kb_i64 (b, 32)), 0x1p-32),
                            to_float (m, m_and (m, fraction, kb_i64 (b, G_MAXUINT32)), 0x1p-64), &second);
  second = m_two_sum (m, second, to_float (m, m_shr (m, tail, 32), 0x1p-96), &third);
  third = m_add (m, third, to_float (m, low_half (m, tail), 0x1p-128));
  first = m_two_sum (m, first, second, &second);
  second = m_add (m, second, third);

  KValue half_pi = m_const (m, 0x1.921fb54442d18p+0);
  KValue r = m_mul (m, first, half_pi);
  KValue error = m_fma (m, first, half_pi, m_neg (m, r));
  KValue rest = m_fma (m, first, m_const (m, 0x1.1a62633145c07p-54), m_fma (m, second, half_pi, error));
  KValue sum = m_add (m, r, rest);
  KValue left = m_add (m, m_sub (m, r, sum), rest);
  KValue negative = m_lt (m, x, m_const (m, 0));
  /* An infinity has no angle, and NaN stays. */
  KValue finite = m_lt (m, m_abs (m, x), m_const (m, INFINITY));
  KValue nan = m_const (m, NAN);

  return (AccReduced) {
    m_select (m, finite, m_select (m, negative, m_neg (m, sum), sum), nan),
    m_select (m, finite, m_select (m, negative, m_neg (m, left), left), nan),
    m_select (m, negative, kb_prim (b, ACC_PRIM_NEG, n), n),
  };
}
