/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scalars with the exact semantics of the language: one function per primitive and kind, conversions, and the way to memory and back. */

#include "acc-module-expr.h"

#include <math.h>
#include <string.h>

#include "acc-core/base/acc-half-private.h"

/* Kind of registers, kind of C, width, minimum, maximum */
#define SIGNED_KINDS(X) \
  X (i8,  8,  G_MININT8,  G_MAXINT8)  \
  X (i16, 16, G_MININT16, G_MAXINT16) \
  X (i32, 32, G_MININT32, G_MAXINT32) \
  X (i64, 64, G_MININT64, G_MAXINT64)
#define UNSIGNED_KINDS(X) \
  X (u8,  8,  0, G_MAXUINT8)  \
  X (u16, 16, 0, G_MAXUINT16) \
  X (u32, 32, 0, G_MAXUINT32) \
  X (u64, 64, 0, G_MAXUINT64)

static inline double
f32_of (AccScalar x)
{
  guint32 word = (guint32) x.u;
  float value;

  memcpy (&value, &word, sizeof value);
  return value;
}

static inline AccScalar
of_f32 (float value)
{
  guint32 word;

  memcpy (&word, &value, sizeof word);
  return (AccScalar) { .u = word };
}

static inline double
f64_of (AccScalar x)
{
  double value;

  memcpy (&value, &x.u, sizeof value);
  return value;
}

static inline AccScalar
of_f64 (double value)
{
  AccScalar x;

  memcpy (&x.u, &value, sizeof x.u);
  return x;
}

/* A register as a number, integers of 64 bits. */
#define GET_b1(x)  ((x).u)
#define GET_i8(x)  ((x).i)
#define GET_i16(x) ((x).i)
#define GET_i32(x) ((x).i)
#define GET_i64(x) ((x).i)
#define GET_u8(x)  ((x).u)
#define GET_u16(x) ((x).u)
#define GET_u32(x) ((x).u)
#define GET_u64(x) ((x).u)
#define GET_f16(x) (acc_half_to_double ((guint16) (x).u))
#define GET_f32(x) (f32_of (x))
#define GET_f64(x) (f64_of (x))

/* What the kind has of a number: integers wrap, floats are rounded. */
#define SET_b1(value)  ((AccScalar) { .u = (value) ? 1 : 0 })
#define SET_i8(value)  ((AccScalar) { .i = (gint8) (value) })
#define SET_i16(value) ((AccScalar) { .i = (gint16) (value) })
#define SET_i32(value) ((AccScalar) { .i = (gint32) (value) })
#define SET_i64(value) ((AccScalar) { .i = (gint64) (value) })
#define SET_u8(value)  ((AccScalar) { .u = (guint8) (value) })
#define SET_u16(value) ((AccScalar) { .u = (guint16) (value) })
#define SET_u32(value) ((AccScalar) { .u = (guint32) (value) })
#define SET_u64(value) ((AccScalar) { .u = (guint64) (value) })
#define SET_f16(value) ((AccScalar) { .u = acc_half_from_double (value) })
#define SET_f32(value) (of_f32 ((float) (value)))
#define SET_f64(value) (of_f64 (value))

#define UNARY(ID, k)  static AccScalar ID##_##k (AccScalar x, AccScalar y G_GNUC_UNUSED)
#define BINARY(ID, k) static AccScalar ID##_##k (AccScalar x, AccScalar y)

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

static inline guint64
shift_right_signed (guint64 bits, guint64 amount, guint width)
{
  gint64 value = (gint64) bits;

  if (amount >= width)
    return value < 0 ? G_MAXUINT64 : 0;
  /* Without relying on what >> does to negative values. */
  return (guint64) (value < 0 ? ~(~value >> amount) : value >> amount);
}

#define MAGNITUDE(amount) ((amount) < 0 ? (guint64) 0 - (guint64) (amount) : (guint64) (amount))

static inline guint64
rotate_left (guint64 bits, guint64 amount, guint width)
{
  guint k = (guint) (amount & (width - 1));

  return k == 0 ? bits : (bits << k) | (bits >> (width - k));
}

#define BITS(x, width) ((x).u & (G_MAXUINT64 >> (64 - (width))))

#define ORDERED(k) \
  BINARY (LT, k) { return SET_b1 (GET_##k (x) < GET_##k (y)); } \
  BINARY (GT, k) { return SET_b1 (GET_##k (x) > GET_##k (y)); } \
  BINARY (LE, k) { return SET_b1 (GET_##k (x) <= GET_##k (y)); } \
  BINARY (GE, k) { return SET_b1 (GET_##k (x) >= GET_##k (y)); } \
  BINARY (EQ, k) { return SET_b1 (GET_##k (x) == GET_##k (y)); } \
  BINARY (NE, k) { return SET_b1 (GET_##k (x) != GET_##k (y)); }

#define DISCRETE(k) \
  ORDERED (k) \
  BINARY (MIN, k)  { return GET_##k (y) < GET_##k (x) ? y : x; } \
  BINARY (MAX, k)  { return GET_##k (y) > GET_##k (x) ? y : x; } \
  BINARY (BAND, k) { return SET_##k (x.u & y.u); } \
  BINARY (BOR, k)  { return SET_##k (x.u | y.u); } \
  BINARY (BXOR, k) { return SET_##k (x.u ^ y.u); }

#define INTEGER(k, width, shift_right) \
  DISCRETE (k) \
  BINARY (ADD, k)  { return SET_##k (x.u + y.u); } \
  BINARY (SUB, k)  { return SET_##k (x.u - y.u); } \
  BINARY (MUL, k)  { return SET_##k (x.u * y.u); } \
  UNARY (NEG, k)   { return SET_##k ((guint64) 0 - x.u); } \
  UNARY (BNOT, k)  { return SET_##k (~x.u); } \
  BINARY (SHL, k)  { return SET_##k (y.i >= 0 ? shift_left (x.u, y.u, width) : shift_right (x.u, MAGNITUDE (y.i), width)); } \
  BINARY (SHR, k)  { return SET_##k (y.i >= 0 ? shift_right (x.u, y.u, width) : shift_left (x.u, MAGNITUDE (y.i), width)); } \
  BINARY (ROTL, k) { return SET_##k (rotate_left (BITS (x, width), y.u, width)); } \
  BINARY (ROTR, k) { return SET_##k (rotate_left (BITS (x, width), (guint64) 0 - y.u, width)); } \
  UNARY (POPCOUNT, k) { return SET_i64 (__builtin_popcountll (BITS (x, width))); } \
  UNARY (CLZ, k)   { return SET_i64 (BITS (x, width) == 0 ? width : __builtin_clzll (BITS (x, width)) - (64 - width)); } \
  UNARY (CTZ, k)   { return SET_i64 (BITS (x, width) == 0 ? width : __builtin_ctzll (BITS (x, width))); }

#define SIGNED(k, width, minimum, maximum) \
  INTEGER (k, width, shift_right_signed) \
  UNARY (ABS, k)    { return SET_##k (x.i < 0 ? (guint64) 0 - x.u : x.u); } \
  UNARY (SIGNUM, k) { return SET_##k ((x.i > 0) - (x.i < 0)); } \
  BINARY (QUOT, k)  { return y.i == 0 ? y : y.i == -1 ? NEG_##k (x, x) : SET_##k (x.i / y.i); } \
  BINARY (REM, k)   { return y.i == 0 || y.i == -1 ? SET_##k (0) : SET_##k (x.i % y.i); } \
  BINARY (DIV, k)   { return SET_##k (QUOT_##k (x, y).i - (REM_##k (x, y).i != 0 && (x.i < 0) != (y.i < 0))); } \
  BINARY (MOD, k)   { return SET_##k (REM_##k (x, y).i + (REM_##k (x, y).i != 0 && (x.i < 0) != (y.i < 0) ? y.i : 0)); }

#define UNSIGNED(k, width, minimum, maximum) \
  INTEGER (k, width, shift_right_unsigned) \
  UNARY (ABS, k)    { return x; } \
  UNARY (SIGNUM, k) { return SET_##k (x.u != 0); } \
  BINARY (QUOT, k)  { return y.u == 0 ? y : SET_##k (x.u / y.u); } \
  BINARY (REM, k)   { return y.u == 0 ? y : SET_##k (x.u % y.u); } \
  BINARY (DIV, k)   { return QUOT_##k (x, y); } \
  BINARY (MOD, k)   { return REM_##k (x, y); }

DISCRETE (b1)
UNARY (BNOT, b1) { return SET_b1 (x.u == 0); }
SIGNED_KINDS (SIGNED)
UNSIGNED_KINDS (UNSIGNED)

gboolean
acc_primitive_fails (AccPrimitive   primitive,
                     AccElementKind kind,
                     AccScalar      x,
                     AccScalar      y)
{
  guint width = acc_element_kind_get_size (kind) * 8;

  if (!acc_primitive_is (primitive, ACC_FAMILY_DIVISION))
    return FALSE;

  return y.u == 0
         || (acc_primitive_wants_quotient (primitive) && acc_element_kind_is_signed (kind) && y.i == -1
             && x.i == G_MININT64 >> (64 - width));
}

/* --- floats
 *
 * All are computed in binary64 and rounded once: with 53 bits the arithmetic of binary32 and binary16 is that of their own, since
 * 53 >= 2 * 24 + 2. Transcendental functions of them are those of binary64, rounded. */

#define FLOATS(X) X (f16, 16) X (f32, 32) X (f64, 64)
#define SIGN(width) (G_GUINT64_CONSTANT (1) << ((width) - 1))

#define FLOAT(k, width) \
  ORDERED (k) \
  BINARY (ADD, k)  { return SET_##k (GET_##k (x) + GET_##k (y)); } \
  BINARY (SUB, k)  { return SET_##k (GET_##k (x) - GET_##k (y)); } \
  BINARY (MUL, k)  { return SET_##k (GET_##k (x) * GET_##k (y)); } \
  UNARY (NEG, k)   { return (AccScalar) { .u = x.u ^ SIGN (width) }; } \
  UNARY (ABS, k)   { return (AccScalar) { .u = x.u & ~SIGN (width) }; } \
  UNARY (SIGNUM, k) { return GET_##k (x) > 0 ? SET_##k (1.0) : GET_##k (x) < 0 ? SET_##k (-1.0) : x; } \
  BINARY (MIN, k)  { return isnan (GET_##k (x)) || GET_##k (y) < GET_##k (x) ? y : x; } \
  BINARY (MAX, k)  { return isnan (GET_##k (x)) || GET_##k (y) > GET_##k (x) ? y : x; }

FLOATS (FLOAT)

#define BY_VALUE(ID, k, set, value) \
  static AccScalar \
  ID##_##k (AccScalar x_bits, AccScalar y_bits) \
  { \
    G_GNUC_UNUSED double x = GET_##k (x_bits), y = GET_##k (y_bits); \
    return set (value); \
  }
#define SAME_OF(k) SET_##k
#define BOOL_OF(k) SET_b1
#define BY_VALUE_FLOAT(ID, result, value) \
  BY_VALUE (ID, f16, result##_OF (f16), value) \
  BY_VALUE (ID, f32, result##_OF (f32), value) \
  BY_VALUE (ID, f64, result##_OF (f64), value)
#define BY_VALUE_NUM(ID, result, value)
#define BY_VALUE_INT(ID, result, value)
#define BY_VALUE_LOGIC(ID, result, value)
#define BY_VALUE_SHIFT(ID, result, value)
#define BY_VALUE_ANY(ID, result, value)
#define ACC_PRIMITIVE(ID, name, arity, operands, result, family, cost, value) BY_VALUE_##operands (ID, result, value)
#include "acc-primitives.inc"
#undef ACC_PRIMITIVE

/* --- the table, in the order of AccElementKind */

#define INTS(ID)       ID##_i8, ID##_i16, ID##_i32, ID##_i64, ID##_u8, ID##_u16, ID##_u32, ID##_u64
#define NO_INTS        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
#define OF_NUM(ID)   { NULL, INTS (ID), ID##_f16, ID##_f32, ID##_f64 }
#define OF_INT(ID)   { NULL, INTS (ID), NULL, NULL, NULL }
#define OF_SHIFT(ID) { NULL, INTS (ID), NULL, NULL, NULL }
#define OF_FLOAT(ID) { NULL, NO_INTS, ID##_f16, ID##_f32, ID##_f64 }
#define OF_LOGIC(ID) { ID##_b1, INTS (ID), NULL, NULL, NULL }
#define OF_ANY(ID)   { ID##_b1, INTS (ID), ID##_f16, ID##_f32, ID##_f64 }

static const AccScalarFunc functions[ACC_N_PRIMITIVES][ACC_KIND_TUPLE] = {
#define ACC_PRIMITIVE(ID, name, arity, operands, result, family, cost, value) [ACC_PRIM_##ID] = OF_##operands (ID),
#include "acc-primitives.inc"
#undef ACC_PRIMITIVE
};

AccScalarFunc
acc_primitive_get_function (AccPrimitive   primitive,
                            AccElementKind kind)
{
  return kind < ACC_KIND_TUPLE ? functions[primitive][kind] : NULL;
}

/* --- conversions */

double
acc_scalar_to_double (AccElementKind kind,
                      AccScalar      x)
{
  if (!acc_element_kind_is_float (kind))
    return acc_element_kind_is_signed (kind) ? (double) x.i : (double) x.u;

  return kind == ACC_KIND_F16 ? GET_f16 (x) : kind == ACC_KIND_F32 ? GET_f32 (x) : GET_f64 (x);
}

AccScalar
acc_scalar_from_double (AccElementKind kind,
                        double         value)
{
  guint unused = 64 - acc_element_kind_get_size (kind) * 8;

  if (kind == ACC_KIND_F16)
    return SET_f16 (value);
  if (kind == ACC_KIND_F32)
    return SET_f32 (value);
  if (kind == ACC_KIND_F64)
    return SET_f64 (value);
  if (kind == ACC_KIND_BOOL)
    return SET_b1 (value != 0);
  if (isnan (value))
    return SET_u64 (0);

  /* Limits of which a double has no more bits are powers of two. */
  if (acc_element_kind_is_signed (kind))
    return value >= 0x1p63 / (double) (G_GUINT64_CONSTANT (1) << unused) ? SET_i64 (G_MAXINT64 >> unused)
           : value <= -0x1p63 / (double) (G_GUINT64_CONSTANT (1) << unused) ? SET_i64 (G_MININT64 >> unused) : SET_i64 (value);

  return value <= 0 ? SET_u64 (0) : value >= 0x1p64 / (double) (G_GUINT64_CONSTANT (1) << unused)
         ? SET_u64 (G_MAXUINT64 >> unused) : SET_u64 (value);
}

/* The low bits, as @kind extends them. */
static AccScalar
narrow (AccElementKind kind,
        guint64        bits)
{
  guint unused = 64 - acc_element_kind_get_size (kind) * 8;

  if (acc_element_kind_is_signed (kind))
    return (AccScalar) { .i = (gint64) (bits << unused) >> unused };

  return (AccScalar) { .u = bits << unused >> unused };
}

AccScalar
acc_scalar_cast (AccElementKind from,
                 AccElementKind to,
                 AccScalar      x)
{
  if (from == to)
    return x;
  if (acc_element_kind_is_float (from))
    return acc_scalar_from_double (to, acc_scalar_to_double (from, x));
  if (to == ACC_KIND_BOOL)
    return SET_b1 (x.u != 0);
  /* Rounded once; integers that a double does not hold are far beyond the largest half. */
  if (to == ACC_KIND_F32)
    return acc_element_kind_is_signed (from) ? of_f32 ((float) x.i) : of_f32 ((float) x.u);
  if (acc_element_kind_is_float (to))
    return acc_scalar_from_double (to, acc_scalar_to_double (from, x));

  return narrow (to, x.u);
}

AccScalar
acc_scalar_bitcast (AccElementKind to,
                    AccScalar      x)
{
  return to == ACC_KIND_BOOL ? SET_b1 (x.u != 0) : narrow (to, x.u);
}

/* --- memory */

#define LOAD(type, set) \
  G_STMT_START { \
    type value; \
    memcpy (&value, (const type *) data + index, sizeof value); \
    return set (value); \
  } G_STMT_END

AccScalar
acc_scalar_load (AccElementKind kind,
                 const void    *data,
                 gint64         index)
{
  switch (kind)
    {
    case ACC_KIND_BOOL: LOAD (guint8, SET_b1);
    case ACC_KIND_I8: LOAD (gint8, SET_i8);
    case ACC_KIND_I16: LOAD (gint16, SET_i16);
    case ACC_KIND_I32: LOAD (gint32, SET_i32);
    case ACC_KIND_U8: LOAD (guint8, SET_u8);
    case ACC_KIND_U16:
    case ACC_KIND_F16: LOAD (guint16, SET_u16);
    case ACC_KIND_U32:
    case ACC_KIND_F32: LOAD (guint32, SET_u32);
    case ACC_KIND_I64:
    case ACC_KIND_U64:
    case ACC_KIND_F64: LOAD (guint64, SET_u64);
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR: break;
    }

  g_return_val_if_reached (SET_u64 (0));
}

#define STORE(type) \
  G_STMT_START { \
    type value = (type) x.u; \
    memcpy ((type *) data + index, &value, sizeof value); \
  } G_STMT_END

void
acc_scalar_store (AccElementKind kind,
                  void          *data,
                  gint64         index,
                  AccScalar      x)
{
  switch (acc_element_kind_get_size (kind))
    {
    case 1: STORE (guint8); break;
    case 2: STORE (guint16); break;
    case 4: STORE (guint32); break;
    default: STORE (guint64); break;
    }
}
