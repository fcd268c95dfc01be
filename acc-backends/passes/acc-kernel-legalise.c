/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-hazards.h"
#include "acc-passes.h"

/* Legalises kernels for groups of threads: writes what compilers of devices get wrong in other instructions.
 *
 * Most cases were found by a search of scalar code on devices (test-arithmetic.c). The wrong values were seen; what compilers do is
 * inferred from them: they assume that integers of 8 and 16 bits do not overflow, that a magnitude is not negative (that of the minimum
 * is), and that zeros may be dropped from sums and products (their sign and NaN matter). So
 *
 *   integers of 1 and 2 bytes   are i32 and u32 outside memory; ACC_KOP_EXTEND wraps them, which is opaque to compilers where it has to be
 *   -x, |x|                     of integers are made with a zero that no compiler knows
 *   u4 of what was narrow and signed, and bits that are counted of what was narrow   likewise: compilers take the extension for part of
 *                               what is done next
 *   x + 0, x - -0, 0 - x, x * 0, 0 / x, x - x, |√x|   of floats likewise, as no compiler may simplify them; 0 is what it may find to be 0
 *   rotations                   of signed integers that were narrow: compilers extend the sign once more
 *   |x| >= 0, x / x, x & 1      likewise: compilers forget NaN, that 0 / 0 is not 1, and that 2 & 1 is not 1, whatever it is that is 0 or 1
 *   -x                          of floats that come of integers: compilers negate those
 *   a < b ? a : b               of floats, converted or not: compilers take it for a minimum, which may be of either zero; of u8, too
 *   integers of such            are of opaque operands: compilers convert before they compare
 *   min (x, y), max (x, y)      of floats are comparisons and choices that compilers do not take for a minimum, which may be of either zero
 *
 * Narrow kinds remain in memory and at its border: loads, stores, compare-and-swap, parameters, and conversions of floats, which
 * saturate. */

typedef struct {
  const AccKernel  *from;
  AccKernelBuilder *b;
  guint32          *made;   /* by instruction of .from: the value or variable in .b */
  KValue            zero;   /* i64; 0: none is needed */
} Pass;

/* What values of the kind are held as. */
static AccElementKind
held_as (AccElementKind kind)
{
  if (!_acc_kind_is_narrow (kind))
    return kind;

  return acc_element_kind_is_signed (kind) ? ACC_KIND_I32 : ACC_KIND_U32;
}

static const AccKernelInstr *
instr_of (Pass   *self,
          KValue  x)
{
  return acc_kernel_instr (self->b->kernel, x.id);
}

static KValue
prim (Pass         *self,
      AccPrimitive  primitive,
      KValue        x,
      KValue        y)
{
  return kb_prim_platform (self->b, primitive, x, y);
}

static KValue
extend (Pass           *self,
        AccElementKind  kind,
        KValue          x)
{
  return _kb_pure (self->b, (AccKernelInstr) {
    .op = ACC_KOP_EXTEND, .kind = held_as (kind), .n_args = 1, .args = { x.id }, .bits = _acc_kind_get_bits (kind),
  });
}

/* A value with the low bits of @x; its other bits may be wrong. */
static KValue
low_of (Pass           *self,
        AccElementKind  kind,
        KValue          x)
{
  const AccKernelInstr *instr = instr_of (self, x);

  return instr->op == ACC_KOP_EXTEND && instr->bits >= _acc_kind_get_bits (kind) ? (KValue) { instr->args[0] } : x;
}

static KValue
unsigned_bits (Pass           *self,
               AccElementKind  kind,
               KValue          x)
{
  if (!acc_element_kind_is_signed (kind))
    return x;
  x = kb_cast (self->b, ACC_KIND_U32, low_of (self, kind, x));

  return kb_and (self->b, x, kb_int (self->b, ACC_KIND_U32, (1 << _acc_kind_get_bits (kind)) - 1));
}

/* As memory has it. */
static KValue
to_memory (Pass           *self,
           AccElementKind  kind,
           KValue          x)
{
  const AccKernelInstr *instr;

  if (!_acc_kind_is_narrow (kind))
    return x;
  x = low_of (self, kind, x);
  instr = instr_of (self, x);
  if (instr->op == ACC_KOP_CAST && kb_kind (self->b, (KValue) { instr->args[0] }) == kind)
    return (KValue) { instr->args[0] };

  return kb_cast (self->b, kind, x);
}

static KValue
value_of (Pass    *self,
          guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (self->from, id);

  if (instr->op == ACC_KOP_CONST)
    return _kb_const (self->b, held_as (instr->kind), instr->bits);
  if (_acc_kernel_op_in_no_block (instr->op))
    return kb_cast (self->b, held_as (instr->kind), _kb_pure (self->b, *instr));

  return (KValue) { self->made[id] };
}

/* --- what no compiler sees through */

/* @x, exclusive or the zero; its bits are not seen through. Halves go by floats, which hold them: LLVM 15, which lavapipe compiles with,
 * fails on bits of a half that comes of an integer. */
static KValue
hide (Pass   *self,
      KValue  x)
{
  AccElementKind kind = kb_kind (self->b, x);
  AccElementKind word = acc_element_kind_get_size (kind) == 8 ? ACC_KIND_U64 : ACC_KIND_U32;

  if (kind == ACC_KIND_F16)
    return kb_cast (self->b, kind, hide (self, kb_cast (self->b, ACC_KIND_F32, x)));

  return kb_bitcast (self->b, kind, prim (self, ACC_PRIM_BXOR, kb_bitcast (self->b, word, x), kb_cast (self->b, word, self->zero)));
}

static KValue
negate (Pass   *self,
        KValue  x)
{
  return kb_sub (self->b, kb_cast (self->b, kb_kind (self->b, x), self->zero), x);
}

/* Through the sign, spread over all bits: x ^ s - s. */
static KValue
magnitude (Pass   *self,
           KValue  x)
{
  AccElementKind kind = kb_kind (self->b, x);
  KValue sign = prim (self, ACC_PRIM_SHR, x, kb_i64 (self->b, _acc_kind_get_bits (kind) - 1));

  sign = prim (self, ACC_PRIM_BXOR, sign, kb_cast (self->b, kind, self->zero));

  return kb_sub (self->b, prim (self, ACC_PRIM_BXOR, x, sign), sign);
}

/* Of equals the first; a NaN loses. */
static KValue
extreme (Pass                 *self,
         const AccKernelInstr *instr,
         KValue                x,
         KValue                y)
{
  AccKernelBuilder *b = self->b;
  gboolean is_min = instr->primitive == ACC_PRIM_MIN;
  KValue opaque = _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_OPAQUE, .kind = instr->kind, .n_args = 1, .args = { y.id } }), first;

  if (kb_is_const (b, y))
    return kb_select (b, prim (self, is_min ? ACC_PRIM_LE : ACC_PRIM_GE, x, opaque), x, opaque);

  first = kb_select (b, prim (self, is_min ? ACC_PRIM_LT : ACC_PRIM_GT, y, x), opaque, x);
  if (kb_is_const (b, x))
    return first;

  return kb_select (b, prim (self, ACC_PRIM_IS_NAN, x, (KValue) { 0 }), y, first);
}

/* --- integers of 8 and 16 bits */

static KValue
narrow_rotation (Pass                 *self,
                 AccElementKind        kind,
                 const AccKernelInstr *instr,
                 KValue                x,
                 KValue                amount)
{
  /* Values that repeat every 8 or 16 bits are rotated as they are. */
  KValue bits = unsigned_bits (self, kind, x);

  bits = kb_mul (self->b, bits, kb_int (self->b, ACC_KIND_U32, _acc_kind_get_bits (kind) == 8 ? 0x01010101 : 0x00010001));

  return extend (self, kind, kb_cast (self->b, held_as (kind), prim (self, instr->primitive, bits, amount)));
}

static KValue
narrow_primitive (Pass                 *self,
                  AccElementKind        kind,
                  const AccKernelInstr *instr,
                  KValue                x,
                  KValue                y)
{
  AccKernelBuilder *b = self->b;
  AccPrimitive primitive = instr->primitive;
  gboolean is_signed = acc_element_kind_is_signed (kind);
  guint bits = _acc_kind_get_bits (kind);
  KValue result;

  if (primitive == ACC_PRIM_ADD || primitive == ACC_PRIM_SUB || primitive == ACC_PRIM_MUL)
    return extend (self, kind, prim (self, primitive, low_of (self, kind, x), low_of (self, kind, y)));
  if (primitive == ACC_PRIM_NEG)
    return extend (self, kind, negate (self, low_of (self, kind, x)));
  if (primitive == ACC_PRIM_ABS && !is_signed)
    return x;
  if (primitive == ACC_PRIM_ROTL || primitive == ACC_PRIM_ROTR)
    return narrow_rotation (self, kind, instr, x, y);
  if (primitive == ACC_PRIM_POPCOUNT || primitive == ACC_PRIM_CLZ)
    x = hide (self, unsigned_bits (self, kind, x));
  if (primitive == ACC_PRIM_CTZ)
    x = hide (self, kb_or (b, kb_cast (b, ACC_KIND_U32, x), kb_int (b, ACC_KIND_U32, 1 << bits)));
  if (primitive == ACC_PRIM_CLZ)
    return kb_sub (b, prim (self, primitive, x, y), kb_i64 (b, 32 - bits));

  result = prim (self, primitive, x, y);
  if (primitive == ACC_PRIM_SHL || primitive == ACC_PRIM_SHR)
    return extend (self, kind, result);
  /* Quotients: of the minimum by -1. */
  if (primitive == ACC_PRIM_ABS || primitive == ACC_PRIM_QUOT || primitive == ACC_PRIM_DIV)
    return is_signed ? extend (self, kind, result) : result;
  if (primitive == ACC_PRIM_BNOT && !is_signed)
    return extend (self, kind, result);

  /* Of operands in range in range. */
  return result;
}

/* With a sign, from fewer bits. */
static gboolean
is_extended (Pass   *self,
             KValue  x)
{
  const AccKernelInstr *instr = instr_of (self, x);

  if (instr->kind != ACC_KIND_I32)
    return FALSE;

  return instr->op == ACC_KOP_EXTEND || (instr->op == ACC_KOP_CAST && _acc_kind_is_narrow (kb_kind (self->b, (KValue) { instr->args[0] })));
}

static KValue
cast (Pass           *self,
      AccElementKind  from,
      AccElementKind  to,
      KValue          x)
{
  gboolean widens = _acc_kind_is_narrow (from) && acc_element_kind_get_size (from) <= acc_element_kind_get_size (to);

  if (to == ACC_KIND_U32 && is_extended (self, x))
    return hide (self, kb_cast (self->b, to, x));
  if (!_acc_kind_is_narrow (to) || from == ACC_KIND_BOOL)
    return kb_cast (self->b, held_as (to), x);
  /* These saturate. */
  if (acc_element_kind_is_float (from))
    return kb_cast (self->b, held_as (to), kb_cast (self->b, to, x));
  if (widens && acc_element_kind_is_signed (from) == acc_element_kind_is_signed (to))
    return x;

  x = kb_cast (self->b, held_as (to), low_of (self, to, x));
  if (widens && !acc_element_kind_is_signed (from) && acc_element_kind_get_size (from) < acc_element_kind_get_size (to))
    return x;

  return extend (self, to, x);
}

static KValue
bitcast (Pass           *self,
         AccElementKind  from,
         AccElementKind  to,
         KValue          x)
{
  if (_acc_kind_is_narrow (from) && _acc_kind_is_narrow (to))
    return cast (self, from, to, x);

  return kb_cast (self->b, held_as (to), kb_bitcast (self->b, to, to_memory (self, from, x)));
}

/* --- the walk */

static KValue
primitive (Pass                 *self,
           const AccKernelInstr *instr,
           KValue               *args)
{
  AccElementKind kind = acc_kernel_instr (self->from, instr->args[0])->kind;
  guint negated = _acc_hazard_is_negation (self->from, instr);

  if (_acc_kind_is_narrow (kind) && instr->n_args == 2 && _acc_hazard_is_operand (self->from, instr, 1))
    args[1] = hide (self, args[1]);
  if (_acc_kind_is_narrow (kind))
    return narrow_primitive (self, kind, instr, args[0], args[1]);
  if (negated != 0)
    return negate (self, args[negated - 1]);
  if (_acc_hazard_is_magnitude (instr))
    return magnitude (self, args[0]);
  if (_acc_hazard_is_hidden_negation (self->from, instr))
    return prim (self, ACC_PRIM_NEG, hide (self, args[0]), (KValue) { 0 });
  if (_acc_hazard_is_extreme (self->from, instr))
    return extreme (self, instr, args[0], args[1]);
  for (guint i = 0; i < instr->n_args; i++)
    if (_acc_hazard_is_operand (self->from, instr, i))
      args[i] = hide (self, args[i]);

  return prim (self, instr->primitive, args[0], args[1]);
}

static KValue
copy (Pass                 *self,
      const AccKernelInstr *instr,
      KValue               *args)
{
  AccKernelInstr copied = *instr;
  KValue value;

  for (guint i = _acc_kernel_first_id (instr); i < instr->n_args; i++)
    copied.args[i] = args[i].id;
  if (instr->op == ACC_KOP_STORE)
    copied.args[2] = to_memory (self, acc_kernel_buffer (self->from, instr->args[0])->kind, args[2]).id;
  if (instr->op == ACC_KOP_CAS)
    for (guint i = 2; i < 4; i++)
      copied.args[i] = to_memory (self, instr->kind, args[i]).id;
  if (!_acc_kernel_op_is_access (instr->op))
    copied.kind = held_as (instr->kind);
  copied.blocks[0] = copied.blocks[1] = 0;
  if (_acc_kernel_op_is_pure (instr->op))
    return _kb_pure (self->b, copied);

  value = _kb_append (self->b, copied);

  return _acc_kernel_op_is_access (instr->op) && _acc_kind_is_narrow (instr->kind)
         ? kb_cast (self->b, held_as (instr->kind), value) : value;
}

static KValue
rewrite (Pass    *self,
         guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (self->from, id);
  AccElementKind from = ACC_KIND_BOOL;
  KValue args[ACC_KERNEL_MAX_ARGS] = { 0 };
  guint hidden;

  for (guint i = _acc_kernel_first_id (instr); i < instr->n_args; i++)
    args[i] = value_of (self, instr->args[i]);
  if (instr->n_args > 0 && _acc_kernel_first_id (instr) == 0)
    from = acc_kernel_instr (self->from, instr->args[0])->kind;

  if (instr->op == ACC_KOP_PRIM)
    return primitive (self, instr, args);
  if (instr->op == ACC_KOP_BITCAST)
    return bitcast (self, from, instr->kind, args[0]);
  if (instr->op == ACC_KOP_CAST)
    return cast (self, from, instr->kind, _acc_hazard_is_of_extreme (self->from, instr) ? hide (self, args[0]) : args[0]);
  hidden = _acc_hazard_find_choice (self->from, instr);
  if (hidden != 0)
    args[hidden] = hide (self, args[hidden]);

  return copy (self, instr, args);
}

static void walk (Pass *self, guint32 block);

static void
walk_inner (Pass    *self,
            guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (self->from, id);
  KValue first = instr->n_args > 0 ? value_of (self, instr->args[0]) : (KValue) { 0 };

  if (instr->op == ACC_KOP_FOR)
    self->made[id] = _kb_enter_for (self->b, first, value_of (self, instr->args[1]), instr->bits != 0).id;
  else if (instr->op == ACC_KOP_IF)
    _kb_enter_if (self->b, first, instr->bits != 0);
  else
    _kb_enter_while (self->b);
  walk (self, instr->blocks[0]);
  _kb_leave (self->b);
  if (instr->blocks[1] == 0)
    return;
  _kb_enter_else (self->b);
  walk (self, instr->blocks[1]);
  _kb_leave (self->b);
}

static void
walk (Pass    *self,
      guint32  block)
{
  const GArray *items = acc_kernel_block (self->from, block)->items;

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);

      if (acc_kernel_instr (self->from, id)->blocks[0] != 0)
        walk_inner (self, id);
      else
        self->made[id] = rewrite (self, id).id;
    }
}

/* Whether anything is to be done; @zero: perhaps with a zero. */
static gboolean
look_over (const AccKernel *kernel,
           gboolean        *zero)
{
  gboolean matters = FALSE;

  for (guint32 block = ACC_KERNEL_BODY; block < kernel->blocks->len; block++)
    {
      const GArray *items = acc_kernel_block (kernel, block)->items;

      for (guint i = 0; i < items->len; i++)
        {
          const AccKernelInstr *instr = acc_kernel_instr (kernel, g_array_index (items, guint32, i));

          *zero = *zero || _acc_hazard_needs_zero (kernel, instr);
          matters = matters
                    || (_acc_hazard_needs_zero (kernel, instr) && (instr->op != ACC_KOP_CAST || _acc_hazard_is_of_extreme (kernel, instr)));
          matters = matters || _acc_kind_is_narrow (instr->kind) || (instr->op == ACC_KOP_PRIM && _acc_hazard_is_extreme (kernel, instr));
          for (guint j = _acc_kernel_first_id (instr); j < instr->n_args; j++)
            matters = matters || _acc_kind_is_narrow (acc_kernel_instr (kernel, instr->args[j])->kind);
        }
    }

  return matters;
}

void
_acc_kernel_legalise (AccKernelBuilder *b)
{
  AccKernelBuilder *made;
  AccKernel *before = b->kernel;
  gboolean zero = FALSE;
  Pass self;

  if (!look_over (before, &zero))
    return;

  made = _kb_new_like (before);
  self = (Pass) { before, made, g_new0 (guint32, before->instrs->len), { 0 } };

  /* No extent has as many elements, which nobody can tell from a word of the launch. */
  if (zero)
    self.zero = prim (&self, ACC_PRIM_SHR, kb_outer_end (made), kb_i64 (made, 62));
  walk (&self, ACC_KERNEL_BODY);
  g_free (self.made);

  _kb_take_over (b, made);
}
