/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-scalar.h"

#include <math.h>
#include <string.h>

/* Scalars with the exact semantics of the language, one function per primitive and kind. */

double
interp_half_to_double (guint16 bits)
{
  int exponent = (bits >> 10) & 31;
  int mantissa = bits & 1023;
  double value;

  if (exponent == 31)
    {
      guint64 pattern = G_GUINT64_CONSTANT (0x7ff) << 52 | (guint64) mantissa << 42;

      memcpy (&value, &pattern, sizeof value);
    }
  else if (exponent == 0)
    {
      value = mantissa * 0x1p-24;
    }
  else
    {
      guint64 pattern = (guint64) (exponent - 15 + 1023) << 52 | (guint64) mantissa << 42;

      memcpy (&value, &pattern, sizeof value);
    }
  return (bits & 0x8000) ? -value : value;
}

guint16
interp_half_from_double (double value)
{
  guint64 pattern;
  guint16 sign;
  int exponent;
  double magnitude;

  memcpy (&pattern, &value, sizeof pattern);
  sign = (pattern >> 48) & 0x8000;
  if (isnan (value))
    return sign | 0x7e00 | ((pattern >> 42) & 0x1ff);

  magnitude = fabs (value);
  if (magnitude >= 65520.0)
    return sign | 0x7c00;
  if (magnitude < 0x1p-14)
    return sign | (guint16) nearbyint (magnitude * 0x1p24);

  exponent = (int) ((pattern >> 52) & 0x7ff) - 1023;
  /* A mantissa that rounds up to 2048 carries into the exponent field, which is the next power of two. */
  return sign | (guint16) (((exponent + 15) << 10) + ((int) nearbyint (ldexp (magnitude, 10 - exponent)) - 1024));
}

InterpScalar
interp_scalar_from_literal (AccElementKind kind, AccScalar value)
{
  InterpScalar result = { .u = 0 };

  switch (kind)
    {
    case ACC_KIND_F16:
      result.h = interp_half_from_double (value.f);
      break;
    case ACC_KIND_F32:
      result.f = (float) value.f;
      break;
    case ACC_KIND_F64:
      result.d = value.f;
      break;
    case ACC_KIND_BOOL:
      result.u = value.i != 0;
      break;
    case ACC_KIND_I8:
      result.i = (gint8) value.i;
      break;
    case ACC_KIND_I16:
      result.i = (gint16) value.i;
      break;
    case ACC_KIND_I32:
      result.i = (gint32) value.i;
      break;
    case ACC_KIND_I64:
      result.i = value.i;
      break;
    case ACC_KIND_U8:
      result.u = (guint8) value.u;
      break;
    case ACC_KIND_U16:
      result.u = (guint16) value.u;
      break;
    case ACC_KIND_U32:
      result.u = (guint32) value.u;
      break;
    case ACC_KIND_U64:
      result.u = value.u;
      break;
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR:
      break;
    }
  return result;
}

/* name, C type, unsigned C type, width, minimum, maximum, member of InterpScalar */
#define SIGNED_KINDS(X) \
  X (i8,  gint8,  guint8,  8,  G_MININT8,  G_MAXINT8) \
  X (i16, gint16, guint16, 16, G_MININT16, G_MAXINT16) \
  X (i32, gint32, guint32, 32, G_MININT32, G_MAXINT32) \
  X (i64, gint64, guint64, 64, G_MININT64, G_MAXINT64)
#define UNSIGNED_KINDS(X) \
  X (u8,  guint8,  guint8,  8,  0, G_MAXUINT8) \
  X (u16, guint16, guint16, 16, 0, G_MAXUINT16) \
  X (u32, guint32, guint32, 32, 0, G_MAXUINT32) \
  X (u64, guint64, guint64, 64, 0, G_MAXUINT64)

/* Access to a register as the C type of a kind. GETD widens a float to double. */
#define GET_b1(v)  ((v).u)
#define GET_i8(v)  ((gint8) (v).i)
#define GET_i16(v) ((gint16) (v).i)
#define GET_i32(v) ((gint32) (v).i)
#define GET_i64(v) ((v).i)
#define GET_u8(v)  ((guint8) (v).u)
#define GET_u16(v) ((guint16) (v).u)
#define GET_u32(v) ((guint32) (v).u)
#define GET_u64(v) ((v).u)
#define GET_f16(v) (interp_half_to_double ((v).h))
#define GET_f32(v) ((v).f)
#define GET_f64(v) ((v).d)
#define GETD_f16(v) (interp_half_to_double ((v).h))
#define GETD_f32(v) ((double) (v).f)
#define GETD_f64(v) ((v).d)

#define SET_b1(v, x)  ((v).u = (x) ? 1 : 0)
#define SET_i8(v, x)  ((v).i = (gint8) (x))
#define SET_i16(v, x) ((v).i = (gint16) (x))
#define SET_i32(v, x) ((v).i = (gint32) (x))
#define SET_i64(v, x) ((v).i = (gint64) (x))
#define SET_u8(v, x)  ((v).u = (guint8) (x))
#define SET_u16(v, x) ((v).u = (guint16) (x))
#define SET_u32(v, x) ((v).u = (guint32) (x))
#define SET_u64(v, x) ((v).u = (guint64) (x))
#define SET_f16(v, x) ((v).u = interp_half_from_double (x))
#define SET_f32(v, x) ((v).f = (float) (x))
#define SET_f64(v, x) ((v).d = (double) (x))

#define FUNC(kind, name) static void name##_##kind (InterpScalar *r, const InterpInstruction *n)

/* --- integers */

static inline guint64
shift_left (guint64 bits, guint64 amount, guint width)
{
  return amount >= width ? 0 : bits << amount;
}

static inline guint64
shift_right_unsigned (guint64 bits, guint64 amount, guint width)
{
  return amount >= width ? 0 : bits >> amount;
}

static inline gint64
shift_right_signed (gint64 value, guint64 amount, guint width)
{
  if (amount >= width)
    return value < 0 ? -1 : 0;
  /* Without relying on what >> does to negative values. */
  return value < 0 ? ~(~value >> amount) : value >> amount;
}

#define MAGNITUDE(amount) ((amount) < 0 ? (guint64) 0 - (guint64) (amount) : (guint64) (amount))

static inline guint64
rotate_left (guint64 bits, gint64 amount, guint width)
{
  guint k = (guint) ((guint64) amount & (width - 1));

  return k == 0 ? bits : (bits << k) | (bits >> (width - k));
}

static inline gint64
count_leading_zeros (guint64 bits, guint width)
{
  return bits == 0 ? (gint64) width : (gint64) __builtin_clzll (bits) - (64 - (gint64) width);
}

static inline gint64
count_trailing_zeros (guint64 bits, guint width)
{
  return bits == 0 ? (gint64) width : (gint64) __builtin_ctzll (bits);
}

#define INTEGER_COMMON(k, T, U, W) \
  FUNC (k, add) { SET_##k (r[n->d], r[n->a].u + r[n->b].u); } \
  FUNC (k, sub) { SET_##k (r[n->d], r[n->a].u - r[n->b].u); } \
  FUNC (k, mul) { SET_##k (r[n->d], r[n->a].u * r[n->b].u); } \
  FUNC (k, neg) { SET_##k (r[n->d], (guint64) 0 - r[n->a].u); } \
  FUNC (k, band) { SET_##k (r[n->d], r[n->a].u & r[n->b].u); } \
  FUNC (k, bor)  { SET_##k (r[n->d], r[n->a].u | r[n->b].u); } \
  FUNC (k, bxor) { SET_##k (r[n->d], r[n->a].u ^ r[n->b].u); } \
  FUNC (k, bnot) { SET_##k (r[n->d], ~r[n->a].u); } \
  FUNC (k, rotl) { SET_##k (r[n->d], rotate_left ((U) r[n->a].u, r[n->b].i, W)); } \
  FUNC (k, rotr) { SET_##k (r[n->d], rotate_left ((U) r[n->a].u, (gint64) ((guint64) 0 - r[n->b].u), W)); } \
  FUNC (k, popcount) { SET_i64 (r[n->d], __builtin_popcountll ((U) r[n->a].u)); } \
  FUNC (k, clz) { SET_i64 (r[n->d], count_leading_zeros ((U) r[n->a].u, W)); } \
  FUNC (k, ctz) { SET_i64 (r[n->d], count_trailing_zeros ((U) r[n->a].u, W)); }

#define ORDERED(k) \
  FUNC (k, lt) { SET_b1 (r[n->d], GET_##k (r[n->a]) < GET_##k (r[n->b])); } \
  FUNC (k, gt) { SET_b1 (r[n->d], GET_##k (r[n->a]) > GET_##k (r[n->b])); } \
  FUNC (k, le) { SET_b1 (r[n->d], GET_##k (r[n->a]) <= GET_##k (r[n->b])); } \
  FUNC (k, ge) { SET_b1 (r[n->d], GET_##k (r[n->a]) >= GET_##k (r[n->b])); } \
  FUNC (k, eq) { SET_b1 (r[n->d], GET_##k (r[n->a]) == GET_##k (r[n->b])); } \
  FUNC (k, ne) { SET_b1 (r[n->d], GET_##k (r[n->a]) != GET_##k (r[n->b])); }

#define DISCRETE_MIN_MAX(k) \
  FUNC (k, min) { r[n->d] = GET_##k (r[n->b]) < GET_##k (r[n->a]) ? r[n->b] : r[n->a]; } \
  FUNC (k, max) { r[n->d] = GET_##k (r[n->b]) > GET_##k (r[n->a]) ? r[n->b] : r[n->a]; }

#define DIVISION(k, name) static gboolean name##_##k (InterpScalar *r, const InterpInstruction *n)

#define SIGNED(k, T, U, W, MINIMUM, MAXIMUM) \
  INTEGER_COMMON (k, T, U, W) \
  ORDERED (k) \
  DISCRETE_MIN_MAX (k) \
  FUNC (k, abs) { SET_##k (r[n->d], r[n->a].i < 0 ? (guint64) 0 - r[n->a].u : r[n->a].u); } \
  FUNC (k, signum) { SET_##k (r[n->d], (r[n->a].i > 0) - (r[n->a].i < 0)); } \
  FUNC (k, shl) \
  { \
    if (r[n->b].i >= 0) \
      SET_##k (r[n->d], shift_left (r[n->a].u, MAGNITUDE (r[n->b].i), W)); \
    else \
      SET_##k (r[n->d], shift_right_signed (r[n->a].i, MAGNITUDE (r[n->b].i), W)); \
  } \
  FUNC (k, shr) \
  { \
    if (r[n->b].i < 0) \
      SET_##k (r[n->d], shift_left (r[n->a].u, MAGNITUDE (r[n->b].i), W)); \
    else \
      SET_##k (r[n->d], shift_right_signed (r[n->a].i, MAGNITUDE (r[n->b].i), W)); \
  } \
  DIVISION (k, quot) \
  { \
    gint64 x = r[n->a].i, y = r[n->b].i; \
    if (y == 0 || (y == -1 && x == MINIMUM)) \
      { SET_##k (r[n->d], y == 0 ? 0 : x); return FALSE; } \
    SET_##k (r[n->d], x / y); \
    return TRUE; \
  } \
  DIVISION (k, rem) \
  { \
    gint64 x = r[n->a].i, y = r[n->b].i; \
    if (y == 0 || y == -1) \
      { SET_##k (r[n->d], 0); return y != 0; } \
    SET_##k (r[n->d], x % y); \
    return TRUE; \
  } \
  DIVISION (k, div) \
  { \
    gint64 x = r[n->a].i, y = r[n->b].i; \
    if (y == 0 || (y == -1 && x == MINIMUM)) \
      { SET_##k (r[n->d], y == 0 ? 0 : x); return FALSE; } \
    SET_##k (r[n->d], x / y - (x % y != 0 && (x % y < 0) != (y < 0))); \
    return TRUE; \
  } \
  DIVISION (k, mod) \
  { \
    gint64 x = r[n->a].i, y = r[n->b].i; \
    if (y == 0 || y == -1) \
      { SET_##k (r[n->d], 0); return y != 0; } \
    SET_##k (r[n->d], x % y + (x % y != 0 && (x % y < 0) != (y < 0) ? y : 0)); \
    return TRUE; \
  }

#define UNSIGNED_DIVISION(k, name, operator) \
  DIVISION (k, name) \
  { \
    if (r[n->b].u == 0) \
      { r[n->d].u = 0; return FALSE; } \
    r[n->d].u = r[n->a].u operator r[n->b].u; \
    return TRUE; \
  }

#define UNSIGNED(k, T, U, W, MINIMUM, MAXIMUM) \
  INTEGER_COMMON (k, T, U, W) \
  ORDERED (k) \
  DISCRETE_MIN_MAX (k) \
  FUNC (k, abs) { r[n->d] = r[n->a]; } \
  FUNC (k, signum) { r[n->d].u = r[n->a].u != 0; } \
  FUNC (k, shl) \
  { \
    if (r[n->b].i >= 0) \
      SET_##k (r[n->d], shift_left (r[n->a].u, MAGNITUDE (r[n->b].i), W)); \
    else \
      SET_##k (r[n->d], shift_right_unsigned (r[n->a].u, MAGNITUDE (r[n->b].i), W)); \
  } \
  FUNC (k, shr) \
  { \
    if (r[n->b].i < 0) \
      SET_##k (r[n->d], shift_left (r[n->a].u, MAGNITUDE (r[n->b].i), W)); \
    else \
      SET_##k (r[n->d], shift_right_unsigned (r[n->a].u, MAGNITUDE (r[n->b].i), W)); \
  } \
  UNSIGNED_DIVISION (k, quot, /) \
  UNSIGNED_DIVISION (k, rem, %) \
  UNSIGNED_DIVISION (k, div, /) \
  UNSIGNED_DIVISION (k, mod, %)

SIGNED_KINDS (SIGNED)
UNSIGNED_KINDS (UNSIGNED)

/* --- bool */

ORDERED (b1)
DISCRETE_MIN_MAX (b1)
FUNC (b1, band) { r[n->d].u = r[n->a].u & r[n->b].u; }
FUNC (b1, bor)  { r[n->d].u = r[n->a].u | r[n->b].u; }
FUNC (b1, bxor) { r[n->d].u = r[n->a].u ^ r[n->b].u; }
FUNC (b1, bnot) { r[n->d].u = r[n->a].u ^ 1; }

/* --- floats
 *
 * f16 works in double and rounds once: exact for the arithmetic, since 53 >= 2 * 11 + 2. Transcendental functions of f32
 * are those of double, rounded. */

static double
signum (double x)
{
  return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
}

#define UNARY_FLOAT(k, name, expression) \
  FUNC (k, name) { double x = GETD_##k (r[n->a]); SET_##k (r[n->d], expression); }
#define BINARY_FLOAT(k, name, expression) \
  FUNC (k, name) { double x = GETD_##k (r[n->a]), y = GETD_##k (r[n->b]); SET_##k (r[n->d], expression); }

#define FLOAT(k, SIGN_BIT) \
  ORDERED (k) \
  FUNC (k, add)  { SET_##k (r[n->d], GET_##k (r[n->a]) + GET_##k (r[n->b])); } \
  FUNC (k, sub)  { SET_##k (r[n->d], GET_##k (r[n->a]) - GET_##k (r[n->b])); } \
  FUNC (k, mul)  { SET_##k (r[n->d], GET_##k (r[n->a]) * GET_##k (r[n->b])); } \
  FUNC (k, fdiv) { SET_##k (r[n->d], GET_##k (r[n->a]) / GET_##k (r[n->b])); } \
  FUNC (k, neg)  { r[n->d].u = r[n->a].u ^ SIGN_BIT; } \
  FUNC (k, abs)  { r[n->d].u = r[n->a].u & ~SIGN_BIT; } \
  UNARY_FLOAT (k, signum, signum (x)) \
  UNARY_FLOAT (k, recip, 1.0 / x) \
  UNARY_FLOAT (k, sin, sin (x)) \
  UNARY_FLOAT (k, cos, cos (x)) \
  UNARY_FLOAT (k, tan, tan (x)) \
  UNARY_FLOAT (k, asin, asin (x)) \
  UNARY_FLOAT (k, acos, acos (x)) \
  UNARY_FLOAT (k, atan, atan (x)) \
  UNARY_FLOAT (k, sinh, sinh (x)) \
  UNARY_FLOAT (k, cosh, cosh (x)) \
  UNARY_FLOAT (k, tanh, tanh (x)) \
  UNARY_FLOAT (k, asinh, asinh (x)) \
  UNARY_FLOAT (k, acosh, acosh (x)) \
  UNARY_FLOAT (k, atanh, atanh (x)) \
  UNARY_FLOAT (k, exp, exp (x)) \
  UNARY_FLOAT (k, sqrt, sqrt (x)) \
  UNARY_FLOAT (k, log, log (x)) \
  BINARY_FLOAT (k, pow, pow (x, y)) \
  BINARY_FLOAT (k, logbase, log (y) / log (x)) \
  BINARY_FLOAT (k, atan2, atan2 (x, y)) \
  UNARY_FLOAT (k, truncate, trunc (x)) \
  UNARY_FLOAT (k, round, nearbyint (x)) \
  UNARY_FLOAT (k, floor, floor (x)) \
  UNARY_FLOAT (k, ceiling, ceil (x)) \
  FUNC (k, isnan) { SET_b1 (r[n->d], isnan (GETD_##k (r[n->a]))); } \
  FUNC (k, isinf) { SET_b1 (r[n->d], isinf (GETD_##k (r[n->a]))); } \
  BINARY_FLOAT (k, min, isnan (x) ? y : isnan (y) ? x : y < x ? y : x) \
  BINARY_FLOAT (k, max, isnan (x) ? y : isnan (y) ? x : y > x ? y : x)

FLOAT (f16, G_GUINT64_CONSTANT (0x8000))
FLOAT (f32, G_GUINT64_CONSTANT (0x80000000))
FLOAT (f64, G_GUINT64_CONSTANT (0x8000000000000000))

/* --- tables, in the order of AccElementKind: b1 i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 */

#define INT_ROW(name) \
  name##_i8, name##_i16, name##_i32, name##_i64, name##_u8, name##_u16, name##_u32, name##_u64
#define FLOAT_ROW(name) name##_f16, name##_f32, name##_f64
#define NO_INTS NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL

#define ROW_NUM(name)   { NULL, INT_ROW (name), FLOAT_ROW (name) }
#define ROW_INT(name)   { NULL, INT_ROW (name), NULL, NULL, NULL }
#define ROW_FLOAT(name) { NULL, NO_INTS, FLOAT_ROW (name) }
#define ROW_LOGIC(name) { name##_b1, INT_ROW (name), NULL, NULL, NULL }
#define ROW_ANY(name)   { name##_b1, INT_ROW (name), FLOAT_ROW (name) }

static const InterpScalarFunc primitives[ACC_N_PRIMITIVES][ACC_KIND_TUPLE] = {
  [ACC_PRIM_ADD] = ROW_NUM (add),
  [ACC_PRIM_SUB] = ROW_NUM (sub),
  [ACC_PRIM_MUL] = ROW_NUM (mul),
  [ACC_PRIM_NEG] = ROW_NUM (neg),
  [ACC_PRIM_ABS] = ROW_NUM (abs),
  [ACC_PRIM_SIGNUM] = ROW_NUM (signum),
  [ACC_PRIM_BAND] = ROW_LOGIC (band),
  [ACC_PRIM_BOR] = ROW_LOGIC (bor),
  [ACC_PRIM_BXOR] = ROW_LOGIC (bxor),
  [ACC_PRIM_BNOT] = ROW_LOGIC (bnot),
  [ACC_PRIM_SHL] = ROW_INT (shl),
  [ACC_PRIM_SHR] = ROW_INT (shr),
  [ACC_PRIM_ROTL] = ROW_INT (rotl),
  [ACC_PRIM_ROTR] = ROW_INT (rotr),
  [ACC_PRIM_POPCOUNT] = ROW_INT (popcount),
  [ACC_PRIM_CLZ] = ROW_INT (clz),
  [ACC_PRIM_CTZ] = ROW_INT (ctz),
  [ACC_PRIM_FDIV] = ROW_FLOAT (fdiv),
  [ACC_PRIM_RECIP] = ROW_FLOAT (recip),
  [ACC_PRIM_SIN] = ROW_FLOAT (sin),
  [ACC_PRIM_COS] = ROW_FLOAT (cos),
  [ACC_PRIM_TAN] = ROW_FLOAT (tan),
  [ACC_PRIM_ASIN] = ROW_FLOAT (asin),
  [ACC_PRIM_ACOS] = ROW_FLOAT (acos),
  [ACC_PRIM_ATAN] = ROW_FLOAT (atan),
  [ACC_PRIM_SINH] = ROW_FLOAT (sinh),
  [ACC_PRIM_COSH] = ROW_FLOAT (cosh),
  [ACC_PRIM_TANH] = ROW_FLOAT (tanh),
  [ACC_PRIM_ASINH] = ROW_FLOAT (asinh),
  [ACC_PRIM_ACOSH] = ROW_FLOAT (acosh),
  [ACC_PRIM_ATANH] = ROW_FLOAT (atanh),
  [ACC_PRIM_EXP] = ROW_FLOAT (exp),
  [ACC_PRIM_SQRT] = ROW_FLOAT (sqrt),
  [ACC_PRIM_LOG] = ROW_FLOAT (log),
  [ACC_PRIM_POW] = ROW_FLOAT (pow),
  [ACC_PRIM_LOGBASE] = ROW_FLOAT (logbase),
  [ACC_PRIM_ATAN2] = ROW_FLOAT (atan2),
  [ACC_PRIM_TRUNCATE] = ROW_FLOAT (truncate),
  [ACC_PRIM_ROUND] = ROW_FLOAT (round),
  [ACC_PRIM_FLOOR] = ROW_FLOAT (floor),
  [ACC_PRIM_CEILING] = ROW_FLOAT (ceiling),
  [ACC_PRIM_IS_NAN] = ROW_FLOAT (isnan),
  [ACC_PRIM_IS_INF] = ROW_FLOAT (isinf),
  [ACC_PRIM_LT] = ROW_ANY (lt),
  [ACC_PRIM_GT] = ROW_ANY (gt),
  [ACC_PRIM_LE] = ROW_ANY (le),
  [ACC_PRIM_GE] = ROW_ANY (ge),
  [ACC_PRIM_EQ] = ROW_ANY (eq),
  [ACC_PRIM_NE] = ROW_ANY (ne),
  [ACC_PRIM_MIN] = ROW_ANY (min),
  [ACC_PRIM_MAX] = ROW_ANY (max),
};

static const InterpDivideFunc divisions[][ACC_KIND_TUPLE] = {
  ROW_INT (quot), ROW_INT (rem), ROW_INT (div), ROW_INT (mod),
};
G_STATIC_ASSERT (ACC_PRIM_MOD - ACC_PRIM_QUOT == 3);

InterpScalarFunc
interp_scalar_get_primitive (AccPrimitive primitive, AccElementKind kind)
{
  return kind < ACC_KIND_TUPLE ? primitives[primitive][kind] : NULL;
}

InterpDivideFunc
interp_scalar_get_division (AccPrimitive primitive, AccElementKind kind)
{
  if (primitive < ACC_PRIM_QUOT || primitive > ACC_PRIM_MOD || kind >= ACC_KIND_TUPLE)
    return NULL;
  return divisions[primitive - ACC_PRIM_QUOT][kind];
}
