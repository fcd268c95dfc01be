/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-builder-private.h"

#include <math.h>

/* Operations on constants of floats, as the language has them: compilers of devices have been seen to fold them otherwise. What the
 * processor gives here is what it gives there: IEEE's nearest. f16 goes by f64, which holds what its operations give before they are rounded. */

static double
value_of (AccElementKind kind,
          guint64        bits)
{
  float single;
  double value;
  guint32 word = (guint32) bits;

  if (kind == ACC_KIND_F64)
    {
      memcpy (&value, &bits, sizeof value);
      return value;
    }
  if (kind == ACC_KIND_F32)
    {
      memcpy (&single, &word, sizeof single);
      return single;
    }

  if ((bits & 0x7c00) == 0x7c00)
    value = bits & 0x3ff ? NAN : INFINITY;
  else if ((bits & 0x7c00) == 0)
    value = ldexp (bits & 0x3ff, -24);
  else
    value = ldexp ((bits & 0x3ff) | 0x400, (int) (bits >> 10 & 31) - 25);

  return bits & 0x8000 ? -value : value;
}

static gboolean
get_float (AccKernelBuilder *b,
           guint32           id,
           double           *value)
{
  const AccKernelInstr *instr = acc_kernel_instr (b->kernel, id);

  if (instr->op != ACC_KOP_CONST || !acc_element_kind_is_float (instr->kind))
    return FALSE;
  *value = value_of (instr->kind, instr->bits);

  return TRUE;
}

static guint32
truth (AccKernelBuilder *b,
       gboolean          holds)
{
  return _kb_const (b, ACC_KIND_BOOL, holds).id;
}

/* Of f32, which a result of f64 would round a second time, its own. */
#define ROUNDED(kind, x, sign, y) ((kind) == ACC_KIND_F32 ? (double) ((float) (x) sign (float) (y)) : (x) sign (y))

static guint32
fold_two (AccKernelBuilder *b,
          AccPrimitive      primitive,
          AccElementKind    kind,
          double            x,
          double            y)
{
  switch ((int) primitive)
    {
    case ACC_PRIM_ADD:
      return kb_float (b, kind, ROUNDED (kind, x, +, y)).id;
    case ACC_PRIM_SUB:
      return kb_float (b, kind, ROUNDED (kind, x, -, y)).id;
    case ACC_PRIM_MUL:
      return kb_float (b, kind, ROUNDED (kind, x, *, y)).id;
    case ACC_PRIM_FDIV:
      return kb_float (b, kind, ROUNDED (kind, x, /, y)).id;
    case ACC_PRIM_MIN:
      return kb_float (b, kind, isnan (x) || y < x ? y : x).id;
    case ACC_PRIM_MAX:
      return kb_float (b, kind, isnan (x) || y > x ? y : x).id;
    case ACC_PRIM_LT:
      return truth (b, x < y);
    case ACC_PRIM_GT:
      return truth (b, x > y);
    case ACC_PRIM_LE:
      return truth (b, x <= y);
    case ACC_PRIM_GE:
      return truth (b, x >= y);
    case ACC_PRIM_EQ:
      return truth (b, x == y);
    case ACC_PRIM_NE:
      return truth (b, !(x == y));
    default:
      return 0;
    }
}

static guint32
fold_one (AccKernelBuilder *b,
          AccPrimitive      primitive,
          AccElementKind    kind,
          double            x)
{
  switch ((int) primitive)
    {
    case ACC_PRIM_NEG:
      return kb_float (b, kind, -x).id;
    case ACC_PRIM_ABS:
      return kb_float (b, kind, fabs (x)).id;
    case ACC_PRIM_SIGNUM:
      return kb_float (b, kind, x > 0 ? 1 : x < 0 ? -1 : x).id;
    case ACC_PRIM_RECIP:
      return kb_float (b, kind, ROUNDED (kind, 1, /, x)).id;
    case ACC_PRIM_SQRT:
      return kb_float (b, kind, kind == ACC_KIND_F32 ? (double) sqrtf ((float) x) : sqrt (x)).id;
    case ACC_PRIM_TRUNCATE:
      return kb_float (b, kind, trunc (x)).id;
    case ACC_PRIM_ROUND:
      return kb_float (b, kind, rint (x)).id;
    case ACC_PRIM_FLOOR:
      return kb_float (b, kind, floor (x)).id;
    case ACC_PRIM_CEILING:
      return kb_float (b, kind, ceil (x)).id;
    case ACC_PRIM_IS_NAN:
      return truth (b, isnan (x));
    case ACC_PRIM_IS_INF:
      return truth (b, isinf (x));
    default:
      return 0;
    }
}

/* A power of two whose inverse is one, too, both of them normal: dividing by it is to multiply by its inverse. Compilers do so, and
 * then may contract the product, which they may not do with one that was written. */
static gboolean
has_exact_inverse (AccElementKind kind,
                   double         x)
{
  static const int limits[] = { [ACC_KIND_F16] = 14, [ACC_KIND_F32] = 126, [ACC_KIND_F64] = 1022 };
  int exponent;

  return isfinite (x) && fabs (frexp (x, &exponent)) == 0.5 && ABS (exponent - 1) <= limits[kind];
}

guint32
_kb_fold_float (AccKernelBuilder     *b,
                const AccKernelInstr *instr)
{
  AccElementKind kind = acc_kernel_instr (b->kernel, instr->args[0])->kind;
  double x = 0, y = 0;
  gboolean kx = get_float (b, instr->args[0], &x), ky = instr->n_args == 2 && get_float (b, instr->args[1], &y);

  if (instr->n_args == 1)
    return kx ? fold_one (b, instr->primitive, kind, x) : 0;
  if (kx && ky)
    return fold_two (b, instr->primitive, kind, x, y);
  /* A NaN loses. */
  if ((instr->primitive == ACC_PRIM_MIN || instr->primitive == ACC_PRIM_MAX) && (isnan (x) || isnan (y)))
    return isnan (x) ? instr->args[1] : instr->args[0];
  if (instr->primitive == ACC_PRIM_FDIV && ky && has_exact_inverse (kind, y))
    return kb_mul (b, (KValue) { instr->args[0] }, kb_float (b, kind, 1 / y)).id;

  return 0;
}

guint32
_kb_fold_float_cast (AccKernelBuilder     *b,
                     const AccKernelInstr *instr)
{
  double x;

  if (!get_float (b, instr->args[0], &x))
    return 0;
  if (instr->kind == ACC_KIND_BOOL)
    return truth (b, !(x == 0));
  if (acc_element_kind_is_float (instr->kind))
    return kb_float (b, instr->kind, x).id;
  if (acc_element_kind_is_signed (instr->kind))
    {
      double past = ldexp (1, (int) acc_element_kind_get_size (instr->kind) * 8 - 1);
      gint64 most = G_MAXINT64 >> (64 - acc_element_kind_get_size (instr->kind) * 8);

      return _kb_const (b, instr->kind, (guint64) (isnan (x) ? 0 : x >= past ? most : x > -past ? (gint64) x : -most - 1)).id;
    }
  else
    {
      double past = ldexp (1, (int) acc_element_kind_get_size (instr->kind) * 8);
      guint64 most = G_MAXUINT64 >> (64 - acc_element_kind_get_size (instr->kind) * 8);

      return _kb_const (b, instr->kind, !(x > 0) ? 0 : x >= past ? most : (guint64) x).id;
    }
}
