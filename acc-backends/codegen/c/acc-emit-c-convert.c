/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

#include <math.h>

/* Conversions. */

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
  guint width = (guint) acc_element_kind_get_size (to) * 8;
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
  /* In two steps: NVIDIA's compiler takes the integer of a rounded float for the conversion to fewer bits. */
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
