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

/* The operands of a primitive: their texts, and the instruction of the second. */
typedef struct {
  AccPrimitive          primitive;
  AccElementKind        kind;
  const char           *x, *y;
  const AccKernelInstr *second;
} Operation;

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
shift (CWriter         *w,
       const Operation *o)
{
  gboolean is_left = o->primitive == ACC_PRIM_SHL;
  g_autofree char *back = NULL;

  if (o->second->op == ACC_KOP_CONST)
    {
      gint64 by = CLAMP ((gint64) o->second->bits, -64, 64);

      return shift_by_constant (o->kind, o->x, is_left ? by : -by);
    }
  if (is_within_width (w, o->second))
    return is_left ? g_strdup_printf ("%s (%s (%s) << U32 (%s))", c_cast (o->kind), word_of (o->kind), o->x, o->y)
                   : g_strdup_printf ("%s (%s >> U32 (%s))", c_cast (o->kind), o->x, o->y);

  back = is_left ? NULL : g_strdup_printf ("%s > -64L ? -%s : 64L", o->y, o->y);
  return call (w, "shift", o->kind, o->x, is_left ? o->y : back);
}

static char *
rotate (CWriter         *w,
        const Operation *o)
{
  gboolean is_left = o->primitive == ACC_PRIM_ROTL;
  g_autofree char *back = NULL;

  if (o->second->op == ACC_KOP_CONST)
    {
      guint mask = width_of (o->kind) - 1, turn = o->second->bits & mask;

      return rotate_by_constant (o->kind, o->x, is_left ? turn : -turn & mask);
    }

  back = is_left ? NULL : g_strdup_printf ("0L - I64 (U32 (%s) & 63u)", o->y);
  return call (w, "rotate", o->kind, o->x, is_left ? o->y : back);
}

static char *
count_ones (CWriter         *w G_GNUC_UNUSED,
            const Operation *o)
{
  g_autofree char *bits = c_to_bits (o->kind, o->x);

  if (c_is_long (o->kind))
    return g_strdup_printf ("I64 (WIDE_U32 (U32 (POPCOUNT32 (LOW (%s)) + POPCOUNT32 (HIGH (%s)))))", bits, bits);

  return g_strdup_printf ("I64 (WIDE_U32 (U32 (POPCOUNT32 (%s))))", bits);
}

static char *
count_leading (CWriter         *w,
               const Operation *o)
{
  g_autofree char *bits = c_to_bits (o->kind, o->x);

  if (!c_is_long (o->kind))
    return g_strdup_printf ("I64 (WIDE_U32 (U32 (CLZ32 (%s))))", bits);
  c_need (w, "clz_u64");

  return g_strdup_printf ("I64 (WIDE_U32 (clz_u64 (%s)))", bits);
}

/* The bits below the lowest. */
static char *
count_trailing (CWriter         *w,
                const Operation *o)
{
  g_autofree char *bits = c_to_bits (o->kind, o->x);

  if (!c_is_long (o->kind))
    return g_strdup_printf ("I64 (WIDE_U32 (U32 (POPCOUNT32 (~%s & (%s - 1u)))))", bits, bits);
  c_need (w, "clz_u64");

  return g_strdup_printf ("I64 (WIDE_U32 (64u - clz_u64 (~%s & (%s - 1UL))))", bits, bits);
}

static char *
divide (CWriter         *w,
        const Operation *o)
{
  gboolean floors = acc_primitive_floors (o->primitive), wants_quotient = acc_primitive_wants_quotient (o->primitive);
  guint64 divisor = o->second->bits;

  if (o->second->op == ACC_KOP_CONST && !acc_element_kind_is_signed (o->kind) && divisor != 0 && (divisor & (divisor - 1)) == 0)
    {
      g_autofree char *mask = c_integer (o->kind, divisor - 1);

      if (!wants_quotient)
        return g_strdup_printf ("%s (%s & %s)", c_cast (o->kind), o->x, mask);
      return shift_by_constant (o->kind, o->x, -(gint64) g_bit_nth_lsf (divisor, -1));
    }
  if (!floors || !acc_element_kind_is_signed (o->kind))
    return call (w, wants_quotient ? "quot" : "rem", o->kind, o->x, o->y);

  return call (w, wants_quotient ? "div" : "mod", o->kind, o->x, o->y);
}

static char *
number (AccElementKind kind,
        int            value)
{
  return acc_element_kind_is_float (kind) ? c_float (kind, value) : c_integer (kind, (guint64) (gint64) value);
}

static char *
absolute (CWriter         *w G_GNUC_UNUSED,
          const Operation *o)
{
  const char *word = word_of (o->kind);
  g_autofree char *zero = number (o->kind, 0);

  if (acc_element_kind_is_float (o->kind))
    return g_strdup_printf (o->kind == ACC_KIND_F64 ? "ABS64 (%s)" : "ABS (%s)", o->x);
  if (!acc_element_kind_is_signed (o->kind))
    return g_strdup (o->x);

  return g_strdup_printf ("%s < %s ? %s (%s (0) - %s (%s)) : %s", o->x, zero, c_cast (o->kind), word, word, o->x, o->x);
}

/* Of a float zero, and of what is not a number, itself. */
static char *
signum (CWriter         *w G_GNUC_UNUSED,
        const Operation *o)
{
  gboolean is_float = acc_element_kind_is_float (o->kind);
  g_autofree char *zero = number (o->kind, 0), *one = number (o->kind, 1), *minus_one = NULL;

  if (!is_float && !acc_element_kind_is_signed (o->kind))
    return g_strdup_printf ("%s != %s ? %s : %s", o->x, zero, one, zero);

  minus_one = number (o->kind, -1);
  return g_strdup_printf ("%s > %s ? %s : %s < %s ? %s : %s", o->x, zero, one, o->x, zero, minus_one, is_float ? o->x : zero);
}

/* --- floats */

static char *
quotient_of (CWriter       *w,
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
quotient (CWriter         *w,
          const Operation *o)
{
  return quotient_of (w, o->kind, o->x, o->y);
}

static char *
reciprocal (CWriter         *w,
            const Operation *o)
{
  g_autofree char *one = c_float (o->kind, 1);

  return quotient_of (w, o->kind, one, o->x);
}

static char *
root (CWriter         *w,
      const Operation *o)
{
  if (o->kind == ACC_KIND_F32 && !w->dialect->has_exact_divide && !w->kernel->fast)
    return call (w, w->dialect->has_exact_fma ? "quick_root" : "root", o->kind, o->x, NULL);

  return g_strdup_printf ("sqrt (%s)", o->x);
}

static char *
truncation (CWriter         *w,
            const Operation *o)
{
  return o->kind == ACC_KIND_F64 && w->dialect->misrounds_doubles ? call (w, "trunc", o->kind, o->x, NULL)
                                                                  : g_strdup_printf ("trunc (%s)", o->x);
}

static char *
round_to_even (CWriter         *w,
               const Operation *o)
{
  return o->kind == ACC_KIND_F64 && w->dialect->misrounds_doubles ? call (w, "round", o->kind, o->x, NULL)
                                                                  : g_strdup_printf ("ROUND (%s)", o->x);
}

/* --- spellings */

typedef struct {
  const char *text;
  char     *(*own) (CWriter *w, const Operation *o);
} Spelling;

/* By primitive: of bool, of integers, of floats. */
static const Spelling spellings[ACC_N_PRIMITIVES][3] = {
#define NONE              { NULL, NULL }
#define TEXT(text)        { text, NULL }
#define OWN(own)          { NULL, own }
#define ACC_SPELLING(ID, bool, integer, float, llvm_integer, llvm_float) [ACC_PRIM_##ID] = { bool, integer, float },
#define ACC_FUNCTION(ID, name, operands, library)
#include "acc-backends/ir/acc-spellings.inc"
#undef ACC_SPELLING
#undef ACC_FUNCTION
};

static char *
fill_in (CWriter         *w,
         const char      *text,
         const Operation *o)
{
  GString *filled = g_string_new (NULL);

  while (*text != 0)
    {
      gsize n = strcspn (text, "$");
      g_autofree char *name = NULL;

      g_string_append_len (filled, text, n);
      text += n;
      if (*text == 0)
        break;
      text++;
      n = strspn (text, G_CSET_a_2_z G_CSET_A_2_Z "_");
      name = g_strndup (text, n);
      text += n;
      if (strcmp (name, "x") == 0 || strcmp (name, "y") == 0)
        g_string_append (filled, *name == 'x' ? o->x : o->y);
      else if (strcmp (name, "X") == 0 || strcmp (name, "Y") == 0)
        g_string_append_printf (filled, "%s (%s)", word_of (o->kind), *name == 'X' ? o->x : o->y);
      else if (strcmp (name, "t") == 0 || strcmp (name, "w") == 0)
        g_string_append (filled, *name == 't' ? c_cast (o->kind) : word_of (o->kind));
      else
        {
          c_need_of (w, name, o->kind);
          g_string_append_printf (filled, "%s_%s", name, c_type (o->kind));
        }
    }

  return g_string_free (filled, FALSE);
}

static char *
spell (CWriter         *w,
       const Operation *o)
{
  const Spelling *spelling = &spellings[o->primitive][o->kind == ACC_KIND_BOOL ? 0 : acc_element_kind_is_float (o->kind) ? 2 : 1];

  if (spelling->text != NULL)
    return fill_in (w, spelling->text, o);
  if (spelling->own != NULL)
    return spelling->own (w, o);

  c_fail (w, "%s of %s has no text", acc_primitive_get_info (o->primitive)->name, acc_element_kind_get_code (o->kind));
  return NULL;
}

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
float_primitive (CWriter         *w,
                 const Operation *o)
{
  if (w->kernel->fast && o->kind == ACC_KIND_F32 && (o->primitive == ACC_PRIM_EXP || o->primitive == ACC_PRIM_LOG))
    return w->syntax->approximate (w, o->primitive, o->x);

  return acc_primitive_is (o->primitive, ACC_FAMILY_TRANSCENDENTAL) ? library (w, o->primitive, o->x, o->y) : spell (w, o);
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
  result = float_primitive (w, &(Operation) { primitive, ACC_KIND_F32, wide_x, wide_y, NULL });
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
  return g_strdup_printf ("%s %s%s %s ? %s : %s", other, instr->primitive == ACC_PRIM_MIN ? "<" : ">", of_first ? "" : "=", limit, other,
                          limit);
}

char *
c_primitive (CWriter              *w,
             AccPrimitive          primitive,
             AccElementKind        kind,
             const char           *x,
             const char           *y,
             const AccKernelInstr *second)
{
  const Operation o = { primitive, kind, x, y, second };

  if (kind == ACC_KIND_F16)
    return half_primitive (w, primitive, x, y);

  return acc_element_kind_is_float (kind) ? float_primitive (w, &o) : spell (w, &o);
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

/* --- indices */

/* For 0 <= @x, 0 < @y; inactive threads may have 0 there. */
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
    return is_remainder
           ? g_strdup_printf ("%s & %d", x, (int) divisor->bits - 1) : g_strdup_printf ("%s >> %d", x, g_bit_nth_lsf (divisor->bits, -1));

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
