/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

#include <math.h>
#include <string.h>

/* Where integers of the kind compute without a sign. */
static const char *
word_of (AccElementKind kind)
{
  return c_is_long (kind) ? "U64" : "U32";
}

static guint
width_of (AccElementKind kind)
{
  return acc_element_kind_get_size (kind) * 8;
}

static char *
call (CWriter       *w,
      const char    *name,
      AccElementKind kind,
      const char    *x,
      const char    *y)
{
  c_need_of (w, name, kind);

  return y != NULL ? g_strdup_printf ("%s_%s (%s, %s)", name, c_type (kind), x, y)
                   : g_strdup_printf ("%s_%s (%s)", name, c_type (kind), x);
}

static const char *
comparison (AccPrimitive primitive)
{
  static const char *const signs[] = { "<", ">", "<=", ">=", "==", "!=" };

  return signs[primitive - ACC_PRIM_LT];
}

G_STATIC_ASSERT (ACC_PRIM_NE - ACC_PRIM_LT == 5);

/* --- integers */

static char *
shift_by_constant (AccElementKind kind,
                   const char    *x,
                   gint64         left)
{
  gint64 width = width_of (kind);
  gboolean is_signed = acc_element_kind_is_signed (kind);

  if (left == 0)
    return g_strdup (x);
  if (left >= width || (left <= -width && !is_signed))
    return c_integer (kind, 0);
  if (left > 0)
    return g_strdup_printf ("%s (%s (%s) << %u)", c_cast (kind), word_of (kind), x, (guint) left);

  return g_strdup_printf ("%s (%s >> %u)", c_cast (kind), x, (guint) MIN (-left, width - 1));
}

static char *
rotate_by_constant (AccElementKind kind,
                    const char    *x,
                    guint          left)
{
  guint width = width_of (kind);
  g_autofree char *bits = c_to_bits (kind, x);

  if (left == 0)
    return g_strdup (x);

  return g_strdup_printf ("%s (%s << %u | %s >> %u)", c_cast (kind), bits, left, bits, width - left);
}

/* By an amount of bits that there are. */
static gboolean
is_within_width (CWriter              *w,
                 const AccKernelInstr *amount)
{
  return w->widths != NULL && (w->widths[amount - acc_kernel_instr (w->kernel, 0)] & C_BELOW_32) != 0;
}

static char *
shift (CWriter              *w,
       AccPrimitive          primitive,
       AccElementKind        kind,
       const char           *x,
       const char           *y,
       const AccKernelInstr *amount)
{
  gboolean is_constant = amount->op == ACC_KOP_CONST;
  gint64 by = is_constant ? CLAMP ((gint64) amount->bits, -64, 64) : 0;
  guint turn = is_constant ? amount->bits & (width_of (kind) - 1) : 0;
  g_autofree char *back = NULL;

  if (!is_constant && is_within_width (w, amount))
    {
      if (primitive == ACC_PRIM_SHL)
        return g_strdup_printf ("%s (%s (%s) << U32 (%s))", c_cast (kind), word_of (kind), x, y);
      if (primitive == ACC_PRIM_SHR)
        return g_strdup_printf ("%s (%s >> U32 (%s))", c_cast (kind), x, y);
    }
  switch ((int) primitive)
    {
    case ACC_PRIM_SHL:
      return is_constant ? shift_by_constant (kind, x, by) : call (w, "shift", kind, x, y);
    case ACC_PRIM_SHR:
      back = g_strdup_printf ("%s > -64L ? -%s : 64L", y, y);
      return is_constant ? shift_by_constant (kind, x, -by) : call (w, "shift", kind, x, back);
    case ACC_PRIM_ROTL:
      return is_constant ? rotate_by_constant (kind, x, turn) : call (w, "rotate", kind, x, y);
    default:
      back = g_strdup_printf ("0L - I64 (U32 (%s) & 63u)", y);
      return is_constant ? rotate_by_constant (kind, x, -turn & (width_of (kind) - 1)) : call (w, "rotate", kind, x, back);
    }
}

static char *
count_bits (AccPrimitive   primitive,
            AccElementKind kind,
            const char    *x)
{
  g_autofree char *bits = c_to_bits (kind, x);
  gboolean is_long = c_is_long (kind);

  switch ((int) primitive)
    {
    case ACC_PRIM_POPCOUNT:
      if (is_long)
        return g_strdup_printf ("I64 (WIDE_U32 (U32 (POPCOUNT32 (LOW (%s)) + POPCOUNT32 (HIGH (%s)))))", bits, bits);
      return g_strdup_printf ("I64 (WIDE_U32 (U32 (POPCOUNT32 (%s))))", bits);

    case ACC_PRIM_CLZ:
      return g_strdup_printf (is_long ? "I64 (WIDE_U32 (clz_u64 (%s)))" : "I64 (WIDE_U32 (U32 (CLZ32 (%s))))", bits);

    default:
      /* The bits below the lowest. */
      if (is_long)
        return g_strdup_printf ("I64 (WIDE_U32 (64u - clz_u64 (~%s & (%s - 1UL))))", bits, bits);
      return g_strdup_printf ("I64 (WIDE_U32 (U32 (POPCOUNT32 (~%s & (%s - 1u)))))", bits, bits);
    }
}

static char *
divide (CWriter              *w,
        AccPrimitive          primitive,
        AccElementKind        kind,
        const char           *x,
        const char           *y,
        const AccKernelInstr *divisor)
{
  gboolean floors = primitive == ACC_PRIM_DIV || primitive == ACC_PRIM_MOD;
  gboolean wants_quotient = primitive == ACC_PRIM_QUOT || primitive == ACC_PRIM_DIV;

  if (divisor->op == ACC_KOP_CONST && !acc_element_kind_is_signed (kind) && divisor->bits != 0 &&
      (divisor->bits & (divisor->bits - 1)) == 0)
    {
      g_autofree char *mask = c_integer (kind, divisor->bits - 1);

      if (!wants_quotient)
        return g_strdup_printf ("%s (%s & %s)", c_cast (kind), x, mask);
      return shift_by_constant (kind, x, -(gint64) g_bit_nth_lsf (divisor->bits, -1));
    }
  if (!floors || !acc_element_kind_is_signed (kind))
    return call (w, wants_quotient ? "quot" : "rem", kind, x, y);

  return call (w, wants_quotient ? "div" : "mod", kind, x, y);
}

static char *
integer_primitive (CWriter              *w,
                   AccPrimitive          primitive,
                   AccElementKind        kind,
                   const char           *x,
                   const char           *y,
                   const AccKernelInstr *second)
{
  const char *cast = c_cast (kind), *word = word_of (kind);
  gboolean is_signed = acc_element_kind_is_signed (kind);
  g_autofree char *zero = c_integer (kind, 0), *one = c_integer (kind, 1), *minus_one = NULL;
  const char *none = c_is_long (kind) ? "0UL" : "0u";

  switch ((int) primitive)
    {
    case ACC_PRIM_ADD:
    case ACC_PRIM_SUB:
    case ACC_PRIM_MUL:
      return g_strdup_printf ("%s (%s (%s) %c %s (%s))", cast, word, x,
                              primitive == ACC_PRIM_ADD ? '+' : primitive == ACC_PRIM_SUB ? '-' : '*', word, y);
    case ACC_PRIM_NEG:
      return g_strdup_printf ("%s (%s - %s (%s))", cast, none, word, x);
    case ACC_PRIM_ABS:
      return is_signed ? g_strdup_printf ("%s < %s ? %s (%s - %s (%s)) : %s", x, zero, cast, none, word, x, x) : g_strdup (x);
    case ACC_PRIM_SIGNUM:
      if (!is_signed)
        return g_strdup_printf ("%s != %s ? %s : %s", x, zero, one, zero);
      minus_one = c_integer (kind, G_MAXUINT64);
      return g_strdup_printf ("%s > %s ? %s : %s < %s ? %s : %s", x, zero, one, x, zero, minus_one, zero);

    case ACC_PRIM_QUOT:
    case ACC_PRIM_REM:
    case ACC_PRIM_DIV:
    case ACC_PRIM_MOD:
      return divide (w, primitive, kind, x, y, second);

    case ACC_PRIM_BAND:
    case ACC_PRIM_BOR:
    case ACC_PRIM_BXOR:
      return g_strdup_printf ("%s (%s %c %s)", cast, x,
                              primitive == ACC_PRIM_BAND ? '&' : primitive == ACC_PRIM_BOR ? '|' : '^', y);
    case ACC_PRIM_BNOT:
      return g_strdup_printf ("%s (~%s)", cast, x);

    case ACC_PRIM_SHL:
    case ACC_PRIM_SHR:
    case ACC_PRIM_ROTL:
    case ACC_PRIM_ROTR:
      return shift (w, primitive, kind, x, y, second);

    case ACC_PRIM_POPCOUNT:
    case ACC_PRIM_CLZ:
    case ACC_PRIM_CTZ:
      if (width_of (kind) == 64)
        c_need (w, "clz_u64");
      return count_bits (primitive, kind, x);

    case ACC_PRIM_LT:
    case ACC_PRIM_GT:
    case ACC_PRIM_LE:
    case ACC_PRIM_GE:
    case ACC_PRIM_EQ:
    case ACC_PRIM_NE:
      return g_strdup_printf ("%s %s %s", x, comparison (primitive), y);
    case ACC_PRIM_MIN:
      return g_strdup_printf ("%s < %s ? %s : %s", x, y, x, y);
    case ACC_PRIM_MAX:
      return g_strdup_printf ("%s < %s ? %s : %s", x, y, y, x);

    default:
      c_fail (w, "%s of %s has no text", acc_primitive_get_info (primitive)->name, acc_element_kind_get_code (kind));
      return NULL;
    }
}

static char *
bool_primitive (CWriter     *w,
                AccPrimitive primitive,
                const char  *x,
                const char  *y)
{
  switch ((int) primitive)
    {
    case ACC_PRIM_BAND:
    case ACC_PRIM_MIN:
      return g_strdup_printf ("%s && %s", x, y);
    case ACC_PRIM_BOR:
    case ACC_PRIM_MAX:
      return g_strdup_printf ("%s || %s", x, y);
    case ACC_PRIM_BXOR:
    case ACC_PRIM_NE:
      return g_strdup_printf ("%s != %s", x, y);
    case ACC_PRIM_EQ:
      return g_strdup_printf ("%s == %s", x, y);
    case ACC_PRIM_BNOT:
      return g_strdup_printf ("!%s", x);
    case ACC_PRIM_LT:
      return g_strdup_printf ("!%s && %s", x, y);
    case ACC_PRIM_GT:
      return g_strdup_printf ("%s && !%s", x, y);
    case ACC_PRIM_LE:
      return g_strdup_printf ("!%s || %s", x, y);
    case ACC_PRIM_GE:
      return g_strdup_printf ("%s || !%s", x, y);
    default:
      c_fail (w, "%s of bool has no text", acc_primitive_get_info (primitive)->name);
      return NULL;
    }
}

/* --- floats */

static char *
library (CWriter       *w,
         AccPrimitive   primitive,
         const char    *x,
         const char    *y)
{
  if (primitive == ACC_PRIM_LOGBASE)
    {
      g_autofree char *log_y = w->syntax->library (w, ACC_PRIM_LOG, y, NULL);
      g_autofree char *log_x = w->syntax->library (w, ACC_PRIM_LOG, x, NULL);

      return log_x != NULL && log_y != NULL ? g_strdup_printf ("%s / %s", log_y, log_x) : NULL;
    }

  return w->syntax->library (w, primitive, x, y);
}

static char *
quotient (CWriter       *w,
          AccElementKind kind,
          const char    *x,
          const char    *y)
{
  if (kind == ACC_KIND_F32 && !w->dialect->has_exact_divide && !w->kernel->fast)
    return call (w, w->dialect->has_exact_fma ? "quick_quot" : "quot", kind, x, y);
  if (w->dialect->guards_zeros)
    return call (w, "guarded_quot", kind, x, y);

  return g_strdup_printf ("%s / %s", x, y);
}

static char *
float_primitive (CWriter       *w,
                 AccPrimitive   primitive,
                 AccElementKind kind,
                 const char    *x,
                 const char    *y)
{
  g_autofree char *zero = c_float (kind, 0), *one = c_float (kind, 1), *minus_one = c_float (kind, -1);

  if (w->kernel->fast && kind == ACC_KIND_F32 && (primitive == ACC_PRIM_EXP || primitive == ACC_PRIM_LOG))
    return w->syntax->approximate (w, primitive, x);
  if (_acc_primitive_is_transcendental (primitive))
    return library (w, primitive, x, y);

  switch ((int) primitive)
    {
    case ACC_PRIM_ADD:
      return g_strdup_printf ("%s + %s", x, y);
    case ACC_PRIM_SUB:
      return g_strdup_printf ("%s - %s", x, y);
    case ACC_PRIM_MUL:
      return g_strdup_printf ("%s * %s", x, y);
    case ACC_PRIM_NEG:
      return g_strdup_printf ("-%s", x);
    case ACC_PRIM_ABS:
      return g_strdup_printf (kind == ACC_KIND_F64 ? "ABS64 (%s)" : "ABS (%s)", x);
    case ACC_PRIM_SIGNUM:
      return g_strdup_printf ("%s > %s ? %s : %s < %s ? %s : %s", x, zero, one, x, zero, minus_one, x);
    case ACC_PRIM_FDIV:
      return quotient (w, kind, x, y);
    case ACC_PRIM_RECIP:
      return quotient (w, kind, one, x);
    case ACC_PRIM_SQRT:
      if (kind == ACC_KIND_F32 && !w->dialect->has_exact_divide && !w->kernel->fast)
        return call (w, w->dialect->has_exact_fma ? "quick_root" : "root", kind, x, NULL);
      return g_strdup_printf ("sqrt (%s)", x);
    case ACC_PRIM_TRUNCATE:
      if (kind == ACC_KIND_F64 && w->dialect->misrounds_doubles)
        return call (w, "trunc", kind, x, NULL);
      return g_strdup_printf ("trunc (%s)", x);
    case ACC_PRIM_ROUND:
      if (kind == ACC_KIND_F64 && w->dialect->misrounds_doubles)
        return call (w, "round", kind, x, NULL);
      return g_strdup_printf ("ROUND (%s)", x);
    case ACC_PRIM_FLOOR:
      return g_strdup_printf ("floor (%s)", x);
    case ACC_PRIM_CEILING:
      return g_strdup_printf ("ceil (%s)", x);
    case ACC_PRIM_IS_NAN:
      return call (w, "is_nan", kind, x, NULL);
    case ACC_PRIM_IS_INF:
      return call (w, "is_inf", kind, x, NULL);
    case ACC_PRIM_NE:
      return g_strdup_printf ("!(%s == %s)", x, y);
    case ACC_PRIM_LT:
    case ACC_PRIM_GT:
    case ACC_PRIM_LE:
    case ACC_PRIM_GE:
    case ACC_PRIM_EQ:
      return g_strdup_printf ("%s %s %s", x, comparison (primitive), y);
    case ACC_PRIM_MIN:
      return call (w, "smaller", kind, x, y);
    case ACC_PRIM_MAX:
      return call (w, "larger", kind, x, y);
    default:
      c_fail (w, "%s of %s has no text", acc_primitive_get_info (primitive)->name, acc_element_kind_get_code (kind));
      return NULL;
    }
}

/* One operation of f32, rounded to f16, is the operation of f16 rounded once: 24 bits are more than 2 * 11 + 1. */
static char *
half_primitive (CWriter     *w,
                AccPrimitive primitive,
                const char  *x,
                const char  *y)
{
  g_autofree char *wide_x = NULL, *wide_y = NULL, *result = NULL;

  if (primitive == ACC_PRIM_NEG)
    return g_strdup_printf ("U16 (%s ^ 0x8000u)", x);
  if (primitive == ACC_PRIM_ABS)
    return g_strdup_printf ("U16 (%s & 0x7fffu)", x);

  wide_x = c_convert (w, ACC_KIND_F16, ACC_KIND_F32, x);
  wide_y = y != NULL ? c_convert (w, ACC_KIND_F16, ACC_KIND_F32, y) : NULL;
  result = float_primitive (w, primitive, ACC_KIND_F32, wide_x, wide_y);
  if (result == NULL || acc_primitive_result (primitive, ACC_KIND_F16) != ACC_KIND_F16)
    return g_steal_pointer (&result);

  return c_convert (w, ACC_KIND_F32, ACC_KIND_F16, result);
}

static gboolean
is_plain_constant (const AccKernelInstr *instr)
{
  return instr->op == ACC_KOP_CONST && (instr->kind == ACC_KIND_F32 || instr->kind == ACC_KIND_F64)
         && !isnan (c_double_of (instr->kind, instr->bits));
}

char *
c_limit (CWriter              *w,
         const AccKernelInstr *instr,
         const char           *x,
         const char           *y)
{
  gboolean of_first = instr->n_args == 2 && is_plain_constant (acc_kernel_instr (w->kernel, instr->args[0]));
  const char *limit = of_first ? x : y, *other = of_first ? y : x;

  if ((instr->primitive != ACC_PRIM_MIN && instr->primitive != ACC_PRIM_MAX)
      || !(of_first || is_plain_constant (acc_kernel_instr (w->kernel, instr->args[1]))))
    return NULL;

  /* Of equals the first. */
  return g_strdup_printf ("%s %s%s %s ? %s : %s", other, instr->primitive == ACC_PRIM_MIN ? "<" : ">", of_first ? "" : "=", limit, other, limit);
}

char *
c_primitive (CWriter              *w,
             AccPrimitive          primitive,
             AccElementKind        kind,
             const char           *x,
             const char           *y,
             const AccKernelInstr *second)
{
  if (kind == ACC_KIND_BOOL)
    return bool_primitive (w, primitive, x, y);
  if (kind == ACC_KIND_F16)
    return half_primitive (w, primitive, x, y);
  if (acc_element_kind_is_float (kind))
    return float_primitive (w, primitive, kind, x, y);

  return integer_primitive (w, primitive, kind, x, y, second);
}

char *
c_fma (CWriter       *w,
       AccElementKind kind,
       const char    *x,
       const char    *y,
       const char    *z)
{
  if (w->dialect->has_exact_fma)
    return g_strdup_printf ("fma (%s, %s, %s)", x, y, z);
  c_need_of (w, "fma", kind);

  return g_strdup_printf ("fma_%s (%s, %s, %s)", c_type (kind), x, y, z);
}

/* --- conversions */

/* Of y, which is in range. */
static char *
float_to_whole (CWriter       *w,
                AccElementKind from,
                AccElementKind to)
{
  const char *type = c_type (from);

  if (!w->syntax->splits_floats || !c_is_long (to))
    return g_strdup_printf ("%s (y)", c_cast (to));
  c_need_of (w, "whole", from);
  if (!acc_element_kind_is_signed (to))
    return g_strdup_printf ("whole_%s (y)", type);

  return g_strdup_printf ("y < %s (0.0f) ? I64 (0UL - whole_%s (-y)) : I64 (whole_%s (y))", c_cast (from), type, type);
}

static char *
float_to_int (CWriter       *w,
              AccElementKind from,
              AccElementKind to,
              const char    *x)
{
  g_autofree char *name = g_strdup_printf ("%s_of_%s", c_type (to), c_type (from));
  guint width = width_of (to);
  gboolean is_signed = acc_element_kind_is_signed (to);

  if (c_once (w, name))
    {
      g_autofree char *past = c_float (from, ldexp (1, is_signed ? width - 1 : width));
      g_autofree char *low = c_float (from, is_signed ? -ldexp (1, width - 1) : 0);
      g_autofree char *largest = c_integer (to, is_signed ? (1ull << (width - 1)) - 1 : G_MAXUINT64 >> (64 - width));
      g_autofree char *lowest = c_integer (to, is_signed ? (guint64) (G_MININT64 >> (64 - width)) : 0);
      g_autofree char *zero = c_integer (to, 0), *nothing = c_float (from, 0);
      g_autofree char *whole = float_to_whole (w, from, to);

      c_need_of (w, "is_nan", from);
      /* A sum, since Mesa 22 takes the integer of a float of an integer for that integer, which the float may have rounded. */
      g_string_append_printf (w->functions,
                              "%s %s (%s x)\n{\n  EXACT %s y = x + %s;\n"
                              "  return is_nan_%s (y) ? %s : y >= %s ? %s : y > %s ? %s : %s;\n}\n\n",
                              c_type (to), name, c_type (from), c_type (from), nothing, c_type (from), zero, past, largest, low,
                              whole, lowest);
    }

  return g_strdup_printf ("%s (%s)", name, x);
}

char *
c_convert (CWriter       *w,
           AccElementKind from,
           AccElementKind to,
           const char    *x)
{
  gboolean from_float = acc_element_kind_is_float (from), to_float = acc_element_kind_is_float (to);
  g_autofree char *zero = NULL, *one = NULL, *single = NULL;

  if (from == to)
    return g_strdup (x);
  if (from == ACC_KIND_BOOL)
    {
      if (to == ACC_KIND_F16)
        return g_strdup_printf ("U16 (%s ? 0x3c00u : 0u)", x);
      zero = to_float ? c_float (to, 0) : c_integer (to, 0);
      one = to_float ? c_float (to, 1) : c_integer (to, 1);
      return g_strdup_printf ("%s ? %s : %s", x, one, zero);
    }
  if (to == ACC_KIND_BOOL)
    {
      if (from == ACC_KIND_F16)
        return g_strdup_printf ("(%s & 0x7fffu) != 0u", x);
      zero = from_float ? c_float (from, 0) : c_integer (from, 0);
      return from_float ? g_strdup_printf ("!(%s == %s)", x, zero) : g_strdup_printf ("%s != %s", x, zero);
    }

  if (from == ACC_KIND_F16)
    {
      c_need (w, "float_of_half");
      single = g_strdup_printf ("float_of_half (%s)", x);
      return c_convert (w, ACC_KIND_F32, to, single);
    }
  if (to == ACC_KIND_F16)
    {
      if (from == ACC_KIND_F64)
        {
          c_need (w, "half_of_double");
          return g_strdup_printf ("half_of_double (%s)", x);
        }
      /* Integers that f32 would round are beyond f16: no second rounding. */
      single = c_convert (w, from, ACC_KIND_F32, x);
      c_need (w, "half_of_float");
      return g_strdup_printf ("half_of_float (%s)", single);
    }
  if (from_float && !to_float)
    return float_to_int (w, from, to, x);
  if (c_is_long (to) && !to_float && !c_is_long (from))
    return g_strdup_printf (acc_element_kind_is_signed (from) ? "%s (WIDE (%s))" : "%s (WIDE_U32 (%s))", c_cast (to), x);
  /* Not at once: of the integer of a float that was, with NVIDIA's compiler, the conversion to fewer bits. */
  if (c_is_long (from) && !to_float && !c_is_long (to))
    return g_strdup_printf ("%s (LOW (U64 (%s)))", c_cast (to), x);

  return g_strdup_printf ("%s (%s)", c_cast (to), x);
}

char *
c_bitcast (AccElementKind from,
           AccElementKind to,
           const char    *x)
{
  g_autofree char *bits = NULL;

  if (from == to)
    return g_strdup (x);
  bits = c_to_bits (from, x);

  return c_from_bits (to, bits);
}

char *
c_extension (CWriter       *w,
             AccElementKind kind,
             guint          bits,
             const char    *x)
{
  char *text = w->syntax->extend (w, kind, bits, x);

  if (text != NULL)
    return text;
  if (kind == ACC_KIND_U32)
    return g_strdup_printf ("%s & 0x%xu", x, (1u << bits) - 1);

  return g_strdup_printf ("I32 (U32 (%s) << %u) >> %u", x, 32 - bits, 32 - bits);
}

/* --- indices */

/* Of 0 <= @x, 0 < @y; what does not take part may have 0 there. */
char *
c_index_division (CWriter              *w,
                  const char           *x,
                  const char           *y,
                  const AccKernelInstr *divisor,
                  gboolean              is_remainder)
{
  g_autofree char *bits = NULL, *quotient = NULL;

  if (divisor->op == ACC_KOP_CONST && (gint64) divisor->bits > 0)
    {
      if ((divisor->bits & (divisor->bits - 1)) == 0)
        return is_remainder ? g_strdup_printf ("%s & %" G_GINT64_FORMAT "L", x, (gint64) divisor->bits - 1)
                            : g_strdup_printf ("%s >> %d", x, g_bit_nth_lsf (divisor->bits, -1));
      bits = g_strdup_printf ("%" G_GUINT64_FORMAT "UL", divisor->bits);
    }
  else
    bits = g_strdup_printf ("U64 (%s > 0L ? %s : 1L)", y, y);

  c_need (w, "divide_u64");
  quotient = g_strdup_printf ("divide_u64 (U64 (%s), %s)", x, bits);
  if (is_remainder)
    return g_strdup_printf ("I64 (U64 (%s) - %s * %s)", x, quotient, bits);

  return g_strdup_printf ("I64 (%s)", quotient);
}

/* The same of i32. */
char *
c_narrow_division (const char           *x,
                   const char           *y,
                   const AccKernelInstr *divisor,
                   gboolean              is_remainder)
{
  char sign = is_remainder ? '%' : '/';

  if (divisor->op != ACC_KOP_CONST || (gint64) divisor->bits <= 0)
    return g_strdup_printf ("I32 (U32 (%s) %c U32 (%s > 0 ? %s : 1))", x, sign, y, y);
  if ((divisor->bits & (divisor->bits - 1)) == 0)
    return is_remainder ? g_strdup_printf ("%s & %d", x, (int) divisor->bits - 1) : g_strdup_printf ("%s >> %d", x, g_bit_nth_lsf (divisor->bits, -1));

  return g_strdup_printf ("I32 (U32 (%s) %c %" G_GUINT64_FORMAT "u)", x, sign, divisor->bits);
}

gboolean
c_uses_kind (const AccKernel *kernel,
             AccElementKind   kind)
{
  for (guint i = 0; i < kernel->params->len; i++)
    if (acc_kernel_param (kernel, i)->kind == kind)
      return TRUE;
  for (guint i = 0; i < kernel->shared->len; i++)
    if (g_array_index (kernel->shared, AccKernelParam, i).kind == kind)
      return TRUE;
  for (guint32 i = 1; i < kernel->instrs->len; i++)
    if (_acc_kernel_is_value (kernel, i) && acc_kernel_instr (kernel, i)->kind == kind)
      return TRUE;

  return FALSE;
}
