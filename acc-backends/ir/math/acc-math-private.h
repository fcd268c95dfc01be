/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-math.h"

#include <math.h>

/* A builder with the float kind of the function under construction, so that formulas read as formulas. */
typedef struct {
  AccKernelBuilder *b;
  AccElementKind    kind;     /* f32 or f64 */
  AccElementKind    bits;     /* i32 or i64 */
  int               mantissa; /* 23 or 52 */
  int               bias;     /* 127 or 1023 */
} AccMath;

static inline AccMath
acc_math_for (AccKernelBuilder *b, AccElementKind kind)
{
  return kind == ACC_KIND_F64 ? (AccMath) { b, kind, ACC_KIND_I64, 52, 1023 } : (AccMath) { b, kind, ACC_KIND_I32, 23, 127 };
}

#define DEFINE_BINARY(name, ID) \
  static inline KValue m_##name (const AccMath *m, KValue x, KValue y) { return kb_prim2 (m->b, ACC_PRIM_##ID, x, y); }
#define DEFINE_UNARY(name, ID) \
  static inline KValue m_##name (const AccMath *m, KValue x) { return kb_prim (m->b, ACC_PRIM_##ID, x); }

DEFINE_BINARY (add, ADD)
DEFINE_BINARY (sub, SUB)
DEFINE_BINARY (mul, MUL)
DEFINE_BINARY (div, FDIV)
DEFINE_BINARY (lt, LT)
DEFINE_BINARY (le, LE)
DEFINE_BINARY (gt, GT)
DEFINE_BINARY (ge, GE)
DEFINE_BINARY (eq, EQ)
DEFINE_BINARY (ne, NE)
DEFINE_BINARY (and, BAND)
DEFINE_BINARY (or, BOR)
DEFINE_BINARY (xor, BXOR)
DEFINE_UNARY (neg, NEG)
DEFINE_UNARY (abs, ABS)
DEFINE_UNARY (sqrt, SQRT)
DEFINE_UNARY (not, BNOT)
DEFINE_UNARY (is_nan, IS_NAN)
DEFINE_UNARY (is_inf, IS_INF)
#undef DEFINE_BINARY
#undef DEFINE_UNARY

static inline KValue
m_const (const AccMath *m, double value)
{
  return kb_float (m->b, m->kind, value);
}

static inline KValue
m_int (const AccMath *m, gint64 value)
{
  return kb_int (m->b, m->bits, value);
}

static inline KValue
m_fma (const AccMath *m, KValue x, KValue y, KValue z)
{
  return kb_fma (m->b, x, y, z);
}

static inline KValue
m_select (const AccMath *m, KValue condition, KValue x, KValue y)
{
  return kb_select (m->b, condition, x, y);
}

static inline KValue
m_shl (const AccMath *m, KValue x, int amount)
{
  return kb_prim2 (m->b, ACC_PRIM_SHL, x, kb_i64 (m->b, amount));
}

static inline KValue
m_shr (const AccMath *m, KValue x, int amount)
{
  return kb_prim2 (m->b, ACC_PRIM_SHR, x, kb_i64 (m->b, amount));
}

static inline KValue
m_to_bits (const AccMath *m, KValue x)
{
  return kb_bitcast (m->b, m->bits, x);
}

static inline KValue
m_from_bits (const AccMath *m, KValue x)
{
  return kb_bitcast (m->b, m->kind, x);
}

/* The sign bit of @sign on the magnitude of @x. */
static inline KValue
m_copysign (const AccMath *m, KValue x, KValue sign)
{
  gint64 top = m->kind == ACC_KIND_F64 ? G_MININT64 : G_MININT32;
  KValue s = m_and (m, m_to_bits (m, sign), m_int (m, top));

  return m_from_bits (m, m_or (m, m_to_bits (m, m_abs (m, x)), s));
}

/* a + b = returned + *low, exactly (Knuth) */
static inline KValue
m_two_sum (const AccMath *m, KValue a, KValue b, KValue *low)
{
  KValue sum = m_add (m, a, b);
  KValue back = m_sub (m, sum, a);

  *low = m_add (m, m_sub (m, a, m_sub (m, sum, back)), m_sub (m, b, back));
  return sum;
}

/* The same where |a| is not below |b|, or a is 0 */
static inline KValue
m_fast_sum (const AccMath *m, KValue a, KValue b, KValue *low)
{
  KValue sum = m_add (m, a, b);

  *low = m_add (m, m_sub (m, a, sum), b);
  return sum;
}

/* 2^exponent / x or up to an eighth more, near powers of two the less the nearer, for x that is not negative where that is no more than
 * 2^127 or 2^1023: exponents are subtracted, and mantissas with them. */
static inline KValue
m_rough_quotient (const AccMath *m, int exponent, KValue x)
{
  return m_from_bits (m, m_sub (m, m_int (m, (gint64) (2 * m->bias + exponent) << m->mantissa), m_to_bits (m, x)));
}

/* (high + low) / (over + under), the last step alone rounded by more than a little */
static inline KValue
m_div_in_two (const AccMath *m, KValue high, KValue low, KValue over, KValue under, KValue *rest)
{
  KValue inverse = m_div (m, m_const (m, 1), over);
  KValue q = m_mul (m, high, inverse);
  KValue left = m_fma (m, m_neg (m, q), over, high);

  *rest = m_mul (m, m_add (m, left, m_fma (m, m_neg (m, q), under, low)), inverse);
  return q;
}

/* c[0] + x (c[1] + x (c[2] + …)) */
static inline KValue
m_poly (const AccMath *m, KValue x, const double *c, guint n)
{
  KValue sum = m_const (m, c[n - 1]);

  for (guint i = n - 1; i-- > 0;)
    sum = m_fma (m, sum, x, m_const (m, c[i]));
  return sum;
}

#define m_poly_of(m, x, name) \
  ((m)->kind == ACC_KIND_F64 ? m_poly (m, x, name##_f64, G_N_ELEMENTS (name##_f64)) \
                             : m_poly (m, x, name##_f32, G_N_ELEMENTS (name##_f32)))

#define UNARY(name)  KValue name (const AccMath *m, KValue x);
#define BINARY(name) KValue name (const AccMath *m, KValue x, KValue y);
#define ACC_FUNCTION(ID, name, operands, library) operands (acc_math_##name)
#define ACC_SPELLING(ID, bool, integer, float, llvm_integer, llvm_float)
#include "acc-backends/ir/acc-spellings.inc"
#undef UNARY
#undef BINARY
#undef ACC_FUNCTION
#undef ACC_SPELLING

/* f of a positive finite x = 2^exponent (1 + f), from √½ - 1 to √2 - 1, or of f32 from -1/3 to 1/3; exponent as a float. @is_normal: that
 * x is known to be normal. @inverse: NULL, or 2^-exponent, where that is a normal number, too */
KValue acc_math_split  (const AccMath *m, KValue x, gboolean is_normal, KValue *exponent, KValue *inverse);

/* An argument reduced by multiples of π/2, all in f64. */
typedef struct {
  KValue r, low;   /* in two parts */
  KValue n;        /* quadrant: an i64 whose two low bits count */
} AccReduced;

/* @x: f64, 2^20 to @limit in size, or not finite: then NaN. */
AccReduced acc_math_reduce (const AccMath *m, KValue x, double limit);
