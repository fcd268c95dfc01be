/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

#include <string.h>

/* Types, constants and values as text. */

static const struct {
  const char *type;
  const char *cast;
} kinds[] = {
  [ACC_KIND_BOOL] = { "bool", "bool" },
  [ACC_KIND_I8] = { "i8", "I8" },
  [ACC_KIND_I16] = { "i16", "I16" },
  [ACC_KIND_I32] = { "i32", "I32" },
  [ACC_KIND_I64] = { "i64", "I64" },
  [ACC_KIND_U8] = { "u8", "U8" },
  [ACC_KIND_U16] = { "u16", "U16" },
  [ACC_KIND_U32] = { "u32", "U32" },
  [ACC_KIND_U64] = { "u64", "U64" },
  [ACC_KIND_F16] = { "f16", "U16" },
  [ACC_KIND_F32] = { "f32", "F32" },
  [ACC_KIND_F64] = { "f64", "F64" },
};

const char *
c_type (AccElementKind kind)
{
  return kinds[kind].type;
}

const char *
c_cast (AccElementKind kind)
{
  return kinds[kind].cast;
}

gboolean
c_is_long (AccElementKind kind)
{
  return acc_element_kind_get_size (kind) == 8;
}

char *
c_integer (AccElementKind kind,
           guint64        bits)
{
  if (kind == ACC_KIND_BOOL)
    return g_strdup (bits != 0 ? "true" : "false");
  if (!acc_element_kind_is_signed (kind))
    return g_strdup_printf ("%" G_GUINT64_FORMAT "%s", bits, c_is_long (kind) ? "UL" : "u");
  if ((gint64) bits >= 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT "%s", (gint64) bits, c_is_long (kind) ? "L" : "");
  /* The minimum has no literal. */
  if (c_is_long (kind))
    return g_strdup_printf ("(-%" G_GINT64_FORMAT "L - 1L)", -((gint64) bits + 1));

  return g_strdup_printf ("(-%" G_GINT64_FORMAT " - 1)", -((gint64) bits + 1));
}

double
c_double_of (AccElementKind kind,
             guint64        bits)
{
  guint32 word = (guint32) bits;
  float single;
  double value;

  memcpy (&single, &word, sizeof single);
  memcpy (&value, &bits, sizeof value);

  return kind == ACC_KIND_F32 ? single : value;
}

static char *
constant (AccElementKind kind,
          guint64        bits)
{
  double value;

  if (!acc_element_kind_is_float (kind))
    return c_integer (kind, bits);
  if (kind == ACC_KIND_F16)
    return g_strdup_printf ("U16 (0x%04xu)", (guint) bits);
  value = c_double_of (kind, bits);

  /* Bits, but for the small integers that stand in formulas: not all compilers read decimals exactly. */
  if (value > -1000 && value < 1000 && value == (int) value && (value != 0 || bits == 0))
    return g_strdup_printf (kind == ACC_KIND_F32 ? "(%d.0f)" : "F64 (%d.0f)", (int) value);
  if (kind == ACC_KIND_F32)
    return g_strdup_printf ("FLOAT32 (0x%08xu)", (guint) bits);

  return g_strdup_printf ("FLOAT64 (0x%016" G_GINT64_MODIFIER "xUL)", bits);
}

char *
c_float (AccElementKind kind,
         double         value)
{
  guint64 bits = 0;

  if (kind == ACC_KIND_F32)
    {
      float single = value;

      memcpy (&bits, &single, sizeof single);
      bits = GUINT64_FROM_LE (bits);
    }
  else
    memcpy (&bits, &value, sizeof value);

  return constant (kind, bits);
}

gboolean
c_has_width (CWriter *w,
             guint32  id,
             guint8   width)
{
  return w->widths != NULL && (w->widths[id] & width) != 0;
}

char *
c_value (CWriter *w,
         guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);

  if (instr->op == ACC_KOP_CONST)
    return constant (instr->kind, instr->bits);
  if (c_has_width (w, id, C_NARROW))
    return g_strdup_printf ("WIDE (v%u)", id);

  return g_strdup_printf (instr->op == ACC_KOP_VAR ? "x%u" : "v%u", id);
}

char *
c_low (CWriter *w,
       guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);

  if (instr->op == ACC_KOP_CONST)
    return c_integer (ACC_KIND_I32, (guint64) (gint64) (gint32) (guint32) instr->bits);

  return g_strdup_printf (c_has_width (w, id, C_NARROW) ? "v%u" : "I32 (v%u)", id);
}

/* Constants are added in 64 bits: then they become offsets of the instruction that loads. */
char *
c_index (CWriter *w,
         guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);

  if (!c_has_width (w, id, C_NARROW))
    return c_value (w, id);
  for (guint i = 0; i < 2 && instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD; i++)
    {
      const AccKernelInstr *added = acc_kernel_instr (w->kernel, instr->args[i]);
      guint32 base = instr->args[1 - i];

      if (added->op == ACC_KOP_CONST && c_has_width (w, base, C_NARROW) && c_has_width (w, base, C_SMALL))
        return g_strdup_printf ("(WIDE (v%u) + %" G_GINT64_FORMAT "L)", base, (gint64) added->bits);
    }

  return g_strdup_printf ("PLACE (v%u)", id);
}

const char *
c_words (guint n)
{
  return n == 1 ? "u32" : n == 2 ? "words2" : "words4";
}

char *
c_to_bits (AccElementKind kind,
           const char    *x)
{
  if (kind == ACC_KIND_BOOL)
    return g_strdup_printf ("(%s ? 1u : 0u)", x);
  if (kind == ACC_KIND_F32)
    return g_strdup_printf ("BITS32 (%s)", x);
  if (kind == ACC_KIND_F64)
    return g_strdup_printf ("BITS64 (%s)", x);
  if (kind == ACC_KIND_I8)
    return g_strdup_printf ("(U32 (%s) & 0xffu)", x);
  if (kind == ACC_KIND_I16)
    return g_strdup_printf ("(U32 (%s) & 0xffffu)", x);

  return g_strdup_printf ("%s (%s)", c_is_long (kind) ? "U64" : "U32", x);
}

char *
c_from_bits (AccElementKind kind,
             const char    *x)
{
  if (kind == ACC_KIND_BOOL)
    return g_strdup_printf ("((%s & 0xffu) != 0u)", x);
  if (kind == ACC_KIND_F32)
    return g_strdup_printf ("FLOAT32 (%s)", x);
  if (kind == ACC_KIND_F64)
    return g_strdup_printf ("FLOAT64 (%s)", x);

  return g_strdup_printf ("%s (%s)", c_cast (kind), x);
}

void
c_assign (CWriter    *w,
          guint32     id,
          const char *expression)
{
  AccElementKind kind = c_has_width (w, id, C_NARROW) ? ACC_KIND_I32 : acc_kernel_instr (w->kernel, id)->kind;

  c_line (w, "%s%s v%u = %s;", acc_element_kind_is_float (kind) && kind != ACC_KIND_F16 ? "EXACT " : "", c_type (kind), id,
          expression);
}

void
c_set_bits (CWriter    *w,
            guint32     id,
            const char *bits)
{
  g_autofree char *value = c_from_bits (acc_kernel_instr (w->kernel, id)->kind, bits);

  c_line (w, "v%u = %s;", id, value);
}
