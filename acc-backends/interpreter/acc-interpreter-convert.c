/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-scalar.h"

#include <math.h>
#include <string.h>

/* Conversions between kinds, and between registers and memory. */

/* The common currency of a conversion: what the source is, exactly. */
typedef struct {
  enum { WIDE_SIGNED, WIDE_UNSIGNED, WIDE_FLOAT } form;
  gint64  i;
  guint64 u;
  double  d;
} Wide;

static inline Wide
widen (AccElementKind kind, InterpScalar value)
{
  switch (kind)
    {
    case ACC_KIND_I8:
    case ACC_KIND_I16:
    case ACC_KIND_I32:
    case ACC_KIND_I64:
      return (Wide) { .form = WIDE_SIGNED, .i = value.i };
    case ACC_KIND_F16:
      return (Wide) { .form = WIDE_FLOAT, .d = interp_half_to_double (value.h) };
    case ACC_KIND_F32:
      return (Wide) { .form = WIDE_FLOAT, .d = value.f };
    case ACC_KIND_F64:
      return (Wide) { .form = WIDE_FLOAT, .d = value.d };
    case ACC_KIND_BOOL:
    case ACC_KIND_U8:
    case ACC_KIND_U16:
    case ACC_KIND_U32:
    case ACC_KIND_U64:
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR:
      break;
    }
  return (Wide) { .form = WIDE_UNSIGNED, .u = value.u };
}

static inline gint64
saturate_signed (double value, gint64 minimum, gint64 maximum)
{
  if (isnan (value))
    return 0;
  /* The bounds are powers of two, or one less: -minimum is exact in double and one more than maximum. */
  if (value >= -(double) minimum)
    return maximum;
  if (value <= (double) minimum)
    return minimum;
  return (gint64) value;
}

static inline guint64
saturate_unsigned (double value, guint64 maximum)
{
  if (isnan (value) || value <= 0)
    return 0;
  if (value >= 2.0 * (double) (maximum / 2 + 1))
    return maximum;
  return (guint64) value;
}

static inline InterpScalar
narrow_signed (Wide wide, gint64 minimum, gint64 maximum, guint width)
{
  InterpScalar result;

  if (wide.form == WIDE_FLOAT)
    {
      result.i = saturate_signed (wide.d, minimum, maximum);
      return result;
    }
  result.u = wide.form == WIDE_SIGNED ? (guint64) wide.i : wide.u;
  if (width < 64)
    {
      guint64 sign = G_GUINT64_CONSTANT (1) << (width - 1);

      result.u &= (sign << 1) - 1;
      result.u = (result.u ^ sign) - sign;
    }
  return result;
}

static inline InterpScalar
narrow_unsigned (Wide wide, guint64 maximum)
{
  InterpScalar result;

  if (wide.form == WIDE_FLOAT)
    result.u = saturate_unsigned (wide.d, maximum);
  else
    result.u = (wide.form == WIDE_SIGNED ? (guint64) wide.i : wide.u) & maximum;
  return result;
}

static InterpScalar
narrow (AccElementKind kind, Wide wide)
{
  InterpScalar result = { .u = 0 };

  switch (kind)
    {
    case ACC_KIND_BOOL:
      if (wide.form == WIDE_FLOAT)
        result.u = wide.d != 0;
      else
        result.u = wide.i != 0 || wide.u != 0;
      break;
    case ACC_KIND_I8:
      return narrow_signed (wide, G_MININT8, G_MAXINT8, 8);
    case ACC_KIND_I16:
      return narrow_signed (wide, G_MININT16, G_MAXINT16, 16);
    case ACC_KIND_I32:
      return narrow_signed (wide, G_MININT32, G_MAXINT32, 32);
    case ACC_KIND_I64:
      return narrow_signed (wide, G_MININT64, G_MAXINT64, 64);
    case ACC_KIND_U8:
      return narrow_unsigned (wide, G_MAXUINT8);
    case ACC_KIND_U16:
      return narrow_unsigned (wide, G_MAXUINT16);
    case ACC_KIND_U32:
      return narrow_unsigned (wide, G_MAXUINT32);
    case ACC_KIND_U64:
      return narrow_unsigned (wide, G_MAXUINT64);
    case ACC_KIND_F16:
      /* Integers that double does not hold exactly are far beyond the largest half. */
      result.h = interp_half_from_double (wide.form == WIDE_SIGNED ? (double) wide.i
                                          : wide.form == WIDE_UNSIGNED ? (double) wide.u : wide.d);
      break;
    case ACC_KIND_F32:
      result.f = wide.form == WIDE_SIGNED ? (float) wide.i : wide.form == WIDE_UNSIGNED ? (float) wide.u : (float) wide.d;
      break;
    case ACC_KIND_F64:
      result.d = wide.form == WIDE_SIGNED ? (double) wide.i : wide.form == WIDE_UNSIGNED ? (double) wide.u : wide.d;
      break;
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR:
      break;
    }
  return result;
}

static guint64
bits_of (AccElementKind kind, InterpScalar value)
{
  switch (acc_element_kind_get_size (kind))
    {
    case 1:
      return value.u & 0xff;
    case 2:
      return value.u & 0xffff;
    case 4:
      return value.u & 0xffffffff;
    default:
      return value.u;
    }
}

#define CONVERSIONS_TO(f, F) \
  X (f, F, b1, BOOL) X (f, F, i8, I8) X (f, F, i16, I16) X (f, F, i32, I32) X (f, F, i64, I64) \
  X (f, F, u8, U8) X (f, F, u16, U16) X (f, F, u32, U32) X (f, F, u64, U64) \
  X (f, F, f16, F16) X (f, F, f32, F32) X (f, F, f64, F64)

#define ALL_CONVERSIONS \
  CONVERSIONS_TO (b1, BOOL) \
  CONVERSIONS_TO (i8, I8) CONVERSIONS_TO (i16, I16) CONVERSIONS_TO (i32, I32) CONVERSIONS_TO (i64, I64) \
  CONVERSIONS_TO (u8, U8) CONVERSIONS_TO (u16, U16) CONVERSIONS_TO (u32, U32) CONVERSIONS_TO (u64, U64) \
  CONVERSIONS_TO (f16, F16) CONVERSIONS_TO (f32, F32) CONVERSIONS_TO (f64, F64)

#define X(f, F, t, T) \
  static void \
  cast_##f##_##t (InterpScalar *r, const InterpInstruction *n) \
  { \
    r[n->d] = narrow (ACC_KIND_##T, widen (ACC_KIND_##F, r[n->a])); \
  } \
  static void \
  bitcast_##f##_##t (InterpScalar *r, const InterpInstruction *n) \
  { \
    guint64 bits = bits_of (ACC_KIND_##F, r[n->a]); \
  \
    if (acc_element_kind_is_float (ACC_KIND_##T)) \
      r[n->d].u = bits; \
    else \
      r[n->d] = narrow (ACC_KIND_##T, (Wide) { .form = WIDE_UNSIGNED, .u = bits }); \
  }
ALL_CONVERSIONS
#undef X

static const InterpScalarFunc casts[ACC_KIND_TUPLE][ACC_KIND_TUPLE] = {
#define X(f, F, t, T) [ACC_KIND_##F][ACC_KIND_##T] = cast_##f##_##t,
ALL_CONVERSIONS
#undef X
};

static const InterpScalarFunc bitcasts[ACC_KIND_TUPLE][ACC_KIND_TUPLE] = {
#define X(f, F, t, T) [ACC_KIND_##F][ACC_KIND_##T] = bitcast_##f##_##t,
ALL_CONVERSIONS
#undef X
};

InterpScalarFunc
interp_scalar_get_cast (AccElementKind from, AccElementKind to)
{
  return from < ACC_KIND_TUPLE && to < ACC_KIND_TUPLE ? casts[from][to] : NULL;
}

InterpScalarFunc
interp_scalar_get_bitcast (AccElementKind from, AccElementKind to)
{
  if (from >= ACC_KIND_TUPLE || to >= ACC_KIND_TUPLE || acc_element_kind_get_size (from) != acc_element_kind_get_size (to))
    return NULL;
  return bitcasts[from][to];
}

#define MEMORY(k, T, member) \
  static void load_##k (InterpScalar *value, const void *base, gint64 index) { value->member = ((const T *) base)[index]; } \
  static void store_##k (InterpScalar value, void *base, gint64 index) { ((T *) base)[index] = (T) value.member; }

static void
load_b1 (InterpScalar *value, const void *base, gint64 index)
{
  value->u = ((const guint8 *) base)[index] != 0;
}

static void
load_f16 (InterpScalar *value, const void *base, gint64 index)
{
  value->u = ((const guint16 *) base)[index];
}

MEMORY (i8, gint8, i)
MEMORY (i16, gint16, i)
MEMORY (i32, gint32, i)
MEMORY (i64, gint64, i)
MEMORY (u8, guint8, u)
MEMORY (u16, guint16, u)
MEMORY (u32, guint32, u)
MEMORY (u64, guint64, u)
MEMORY (f32, float, f)
MEMORY (f64, double, d)

InterpLoadFunc
interp_scalar_get_load (AccElementKind kind)
{
  static const InterpLoadFunc loads[ACC_KIND_TUPLE] = {
    load_b1, load_i8, load_i16, load_i32, load_i64, load_u8, load_u16, load_u32, load_u64, load_f16, load_f32, load_f64,
  };

  return kind < ACC_KIND_TUPLE ? loads[kind] : NULL;
}

InterpStoreFunc
interp_scalar_get_store (AccElementKind kind)
{
  static const InterpStoreFunc stores[ACC_KIND_TUPLE] = {
    store_u8, store_i8, store_i16, store_i32, store_i64, store_u8, store_u16, store_u32, store_u64, store_u16, store_f32, store_f64,
  };

  return kind < ACC_KIND_TUPLE ? stores[kind] : NULL;
}
