/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scalars as literals hold them: signed kinds in i, unsigned ones and bool in u, floats in f, those of fewer bits rounded. */

#include "acc-scalar-private.h"

#include "acc-expr-build-private.h"
#include "acc-core/base/acc-half-private.h"

#include <math.h>
#include <string.h>

static guint
get_width (AccElementKind kind)
{
  return acc_element_kind_get_size (kind) * 8;
}

static AccScalar
wrap (AccElementKind kind,
      guint64        bits)
{
  guint unused = 64 - get_width (kind);
  AccScalar result;

  if (kind == ACC_KIND_BOOL)
    result.u = bits & 1;
  else if (acc_element_kind_is_signed (kind))
    result.i = (gint64) (bits << unused) >> unused;
  else
    result.u = bits << unused >> unused;

  return result;
}

static guint64
get_bits (AccElementKind kind,
          AccScalar      x)
{
  guint unused = 64 - get_width (kind);

  return x.u << unused >> unused;
}

static AccScalar
saturate (AccElementKind kind,
          double         x)
{
  guint bits = get_width (kind);
  AccScalar result = { 0 };

  if (isnan (x))
    return result;

  if (acc_element_kind_is_signed (kind))
    {
      double limit = ldexp (1, bits - 1);

      if (x >= limit)
        result.i = G_MAXINT64 >> (64 - bits);
      else if (x < -limit)
        result.i = G_MININT64 >> (64 - bits);
      else
        result.i = (gint64) x;
    }
  else if (x > 0)
    {
      result.u = x >= ldexp (1, bits) ? G_MAXUINT64 >> (64 - bits) : (guint64) x;
    }

  return result;
}

/* As cast does. */
AccScalar
_acc_scalar_cast (AccElementKind from,
                  AccElementKind to,
                  AccScalar      x)
{
  AccScalar result;

  if (acc_element_kind_is_float (from))
    {
      if (to == ACC_KIND_BOOL)
        result.u = x.f != 0;
      else if (acc_element_kind_is_float (to))
        result.f = _acc_round_to_kind (to, x.f);
      else
        result = saturate (to, x.f);

      return result;
    }

  if (to == ACC_KIND_BOOL)
    result.u = x.u != 0;
  else if (!acc_element_kind_is_float (to))
    result = wrap (to, x.u);
  else if (acc_element_kind_is_signed (from))
    result.f = to == ACC_KIND_F32 ? (float) x.i : _acc_round_to_kind (to, (double) x.i);
  else
    result.f = to == ACC_KIND_F32 ? (float) x.u : _acc_round_to_kind (to, (double) x.u);

  return result;
}

AccScalar
_acc_scalar_bitcast (AccElementKind from,
                     AccElementKind to,
                     AccScalar      x)
{
  float single = (float) x.f;
  guint64 bits = x.u;
  guint32 word;

  if (from == ACC_KIND_F32)
    {
      memcpy (&word, &single, sizeof word);
      bits = word;
    }
  else if (from == ACC_KIND_F16)
    {
      bits = acc_half_from_double (x.f);
    }

  if (to == ACC_KIND_F64)
    return (AccScalar) { .u = bits };
  if (to == ACC_KIND_F16)
    return (AccScalar) { .f = acc_half_to_double ((guint16) bits) };
  if (to == ACC_KIND_F32)
    {
      word = (guint32) bits;
      memcpy (&single, &word, sizeof single);
      return (AccScalar) { .f = single };
    }

  return wrap (to, bits);
}

static int
compare (AccElementKind kind,
         AccScalar      a,
         AccScalar      b)
{
  if (acc_element_kind_is_float (kind))
    return a.f < b.f ? -1 : a.f > b.f ? 1 : a.f == b.f ? 0 : 2;
  else if (acc_element_kind_is_signed (kind))
    return a.i < b.i ? -1 : a.i > b.i;
  else
    return a.u < b.u ? -1 : a.u > b.u;
}

static gboolean
divide (AccPrimitive    primitive,
        AccElementKind  kind,
        AccScalar       a,
        AccScalar       b,
        AccScalar      *result)
{
  gboolean floored = primitive == ACC_PRIM_DIV || primitive == ACC_PRIM_MOD;
  gint64 quotient, rest;

  if (b.u == 0)
    return FALSE;

  if (!acc_element_kind_is_signed (kind))
    {
      result->u = primitive == ACC_PRIM_QUOT || primitive == ACC_PRIM_DIV ? a.u / b.u : a.u % b.u;
      return TRUE;
    }

  if (b.i == -1)
    {
      /* The remainder is 0; the least integer has no quotient. */
      result->i = primitive == ACC_PRIM_REM || primitive == ACC_PRIM_MOD ? 0 : wrap (kind, -a.u).i;
      return result->i == 0 || result->i != a.i;
    }

  quotient = a.i / b.i;
  rest = a.i % b.i;

  if (floored && rest != 0 && (rest < 0) != (b.i < 0))
    {
      quotient--;
      rest += b.i;
    }

  result->i = primitive == ACC_PRIM_QUOT || primitive == ACC_PRIM_DIV ? quotient : rest;
  return TRUE;
}

static AccScalar
shift (AccElementKind kind,
       AccScalar      x,
       gint64         amount)
{
  gint64 width = get_width (kind);

  if (amount >= 0)
    return wrap (kind, amount >= width ? 0 : x.u << amount);

  amount = amount < -63 ? 63 : -amount;
  if (acc_element_kind_is_signed (kind))
    return wrap (kind, (guint64) (x.i >> amount));
  else
    return wrap (kind, amount >= width ? 0 : x.u >> amount);
}

static AccScalar
rotate (AccElementKind kind,
        AccScalar      x,
        gint64         amount)
{
  guint64 bits = get_bits (kind, x);
  guint width = get_width (kind);
  guint left = (guint64) amount & (width - 1);

  return wrap (kind, left == 0 ? bits : bits << left | bits >> (width - left));
}

static gint64
negate_amount (gint64 amount)
{
  return amount == G_MININT64 ? G_MAXINT64 : -amount;
}

static gboolean
compute_integer (AccPrimitive      primitive,
                 AccElementKind    kind,
                 const AccScalar  *x,
                 AccScalar        *result)
{
  AccScalar a = x[0], b = x[1];
  guint64 bits = get_bits (kind, a);
  guint width = get_width (kind);

  switch ((guint) primitive)
    {
    case ACC_PRIM_ADD: *result = wrap (kind, a.u + b.u); return TRUE;
    case ACC_PRIM_SUB: *result = wrap (kind, a.u - b.u); return TRUE;
    case ACC_PRIM_MUL: *result = wrap (kind, a.u * b.u); return TRUE;
    case ACC_PRIM_NEG: *result = wrap (kind, -a.u); return TRUE;
    case ACC_PRIM_ABS: *result = acc_element_kind_is_signed (kind) && a.i < 0 ? wrap (kind, -a.u) : a; return TRUE;
    case ACC_PRIM_SIGNUM: result->i = acc_element_kind_is_signed (kind) && a.i < 0 ? -1 : a.u != 0; return TRUE;

    case ACC_PRIM_QUOT:
    case ACC_PRIM_REM:
    case ACC_PRIM_DIV:
    case ACC_PRIM_MOD:
      return divide (primitive, kind, a, b, result);

    case ACC_PRIM_BAND: result->u = a.u & b.u; return TRUE;
    case ACC_PRIM_BOR: result->u = a.u | b.u; return TRUE;
    case ACC_PRIM_BXOR: result->u = a.u ^ b.u; return TRUE;
    case ACC_PRIM_BNOT: *result = wrap (kind, ~a.u); return TRUE;
    case ACC_PRIM_SHL: *result = shift (kind, a, b.i); return TRUE;
    case ACC_PRIM_SHR: *result = shift (kind, a, negate_amount (b.i)); return TRUE;
    case ACC_PRIM_ROTL: *result = rotate (kind, a, b.i); return TRUE;
    case ACC_PRIM_ROTR: *result = rotate (kind, a, -(guint64) b.i); return TRUE;
    case ACC_PRIM_POPCOUNT: result->i = __builtin_popcountll (bits); return TRUE;
    case ACC_PRIM_CLZ: result->i = bits == 0 ? width : width - 64 + __builtin_clzll (bits); return TRUE;
    case ACC_PRIM_CTZ: result->i = bits == 0 ? width : (guint) __builtin_ctzll (bits); return TRUE;
    default: g_return_val_if_reached (FALSE);
    }
}

static double
compute_float (AccPrimitive primitive,
               double       a,
               double       b)
{
  switch ((guint) primitive)
    {
    case ACC_PRIM_ADD: return a + b;
    case ACC_PRIM_SUB: return a - b;
    case ACC_PRIM_MUL: return a * b;
    case ACC_PRIM_NEG: return -a;
    case ACC_PRIM_ABS: return fabs (a);
    case ACC_PRIM_SIGNUM: return a > 0 ? 1 : a < 0 ? -1 : a;
    case ACC_PRIM_FDIV: return a / b;
    case ACC_PRIM_RECIP: return 1 / a;
    case ACC_PRIM_SIN: return sin (a);
    case ACC_PRIM_COS: return cos (a);
    case ACC_PRIM_TAN: return tan (a);
    case ACC_PRIM_ASIN: return asin (a);
    case ACC_PRIM_ACOS: return acos (a);
    case ACC_PRIM_ATAN: return atan (a);
    case ACC_PRIM_SINH: return sinh (a);
    case ACC_PRIM_COSH: return cosh (a);
    case ACC_PRIM_TANH: return tanh (a);
    case ACC_PRIM_ASINH: return asinh (a);
    case ACC_PRIM_ACOSH: return acosh (a);
    case ACC_PRIM_ATANH: return atanh (a);
    case ACC_PRIM_EXP: return exp (a);
    case ACC_PRIM_SQRT: return sqrt (a);
    case ACC_PRIM_LOG: return log (a);
    case ACC_PRIM_POW: return pow (a, b);
    case ACC_PRIM_LOGBASE: return log (b) / log (a);
    case ACC_PRIM_ATAN2: return atan2 (a, b);
    case ACC_PRIM_TRUNCATE: return trunc (a);
    case ACC_PRIM_ROUND: return nearbyint (a);
    case ACC_PRIM_FLOOR: return floor (a);
    case ACC_PRIM_CEILING: return ceil (a);
    case ACC_PRIM_MIN: return fmin (a, b);
    case ACC_PRIM_MAX: return fmax (a, b);
    default: g_return_val_if_reached (NAN);
    }
}

gboolean
acc_scalar_compute (AccPrimitive     primitive,
                     AccElementKind   kind,
                     const AccScalar *x,
                     AccScalar       *result)
{
  switch ((guint) primitive)
    {
    case ACC_PRIM_LT: result->u = compare (kind, x[0], x[1]) == -1; return TRUE;
    case ACC_PRIM_GT: result->u = compare (kind, x[0], x[1]) == 1; return TRUE;
    case ACC_PRIM_LE: result->u = compare (kind, x[0], x[1]) <= 0; return TRUE;
    case ACC_PRIM_GE: result->u = compare (kind, x[0], x[1]) == 0 || compare (kind, x[0], x[1]) == 1; return TRUE;
    case ACC_PRIM_EQ: result->u = compare (kind, x[0], x[1]) == 0; return TRUE;
    case ACC_PRIM_NE: result->u = compare (kind, x[0], x[1]) != 0; return TRUE;
    case ACC_PRIM_IS_NAN: result->u = isnan (x[0].f); return TRUE;
    case ACC_PRIM_IS_INF: result->u = isinf (x[0].f); return TRUE;
    default: break;
    }

  if (acc_element_kind_is_float (kind))
    {
      result->f = _acc_round_to_kind (kind, compute_float (primitive, x[0].f, x[1].f));
      return TRUE;
    }

  if (primitive == ACC_PRIM_MIN || primitive == ACC_PRIM_MAX)
    {
      *result = (compare (kind, x[0], x[1]) < 0) == (primitive == ACC_PRIM_MIN) ? x[0] : x[1];
      return TRUE;
    }

  return compute_integer (primitive, kind, x, result);
}
