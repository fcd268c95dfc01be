/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-passes.h"

/* What the compilers of devices get wrong, in other instructions.
 *
 * Most of it was found by a search of scalar code on devices (test-arithmetic.c). That values were wrong was seen, and what compilers do below
 * is inferred from them: as if integers of 8 and 16 bits did not overflow, a magnitude were not negative, which that of the minimum is, and
 * what is added to or multiplied by a zero could be dropped, whose sign and NaN matter. So in kernels for groups of threads
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
 *   integers of such            are of what is not seen through: compilers convert before they compare
 *   min (x, y), max (x, y)      of floats are comparisons and choices that compilers do not take for a minimum, which may be of either zero
 *
 * What stays is narrow in memory and where it is converted for it: loads, stores, compare-and-swap, parameters, and conversions of floats,
 * which saturate. */

typedef struct {
  const AccKernel  *from;
  AccKernelBuilder *b;
  guint32          *made;   /* by instruction of .from: the value or variable in .b */
  KValue            zero;   /* i64; 0: none is needed */
} Pass;

static gboolean
is_narrow (AccElementKind kind)
{
  return kind == ACC_KIND_I8 || kind == ACC_KIND_I16 || kind == ACC_KIND_U8 || kind == ACC_KIND_U16;
}

/* What values of the kind are held as. */
static AccElementKind
held_as (AccElementKind kind)
{
  if (!is_narrow (kind))
    return kind;

  return acc_element_kind_is_signed (kind) ? ACC_KIND_I32 : ACC_KIND_U32;
}

static guint
bits_of (AccElementKind kind)
{
  return acc_element_kind_get_size (kind) * 8;
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
    .op = ACC_KOP_EXTEND, .kind = held_as (kind), .n_args = 1, .args = { x.id }, .bits = bits_of (kind),
  });
}

/* What has the low bits of @x, without the rest being right. */
static KValue
low_of (Pass           *self,
        AccElementKind  kind,
        KValue          x)
{
  const AccKernelInstr *instr = instr_of (self, x);

  return instr->op == ACC_KOP_EXTEND && instr->bits >= bits_of (kind) ? (KValue) { instr->args[0] } : x;
}

static KValue
unsigned_bits (Pass           *self,
               AccElementKind  kind,
               KValue          x)
{
  if (!acc_element_kind_is_signed (kind))
    return x;
  x = kb_cast (self->b, ACC_KIND_U32, low_of (self, kind, x));

  return kb_and (self->b, x, kb_int (self->b, ACC_KIND_U32, (1 << bits_of (kind)) - 1));
}

/* As memory has it. */
static KValue
to_memory (Pass           *self,
           AccElementKind  kind,
           KValue          x)
{
  const AccKernelInstr *instr;

  if (!is_narrow (kind))
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

/* --- zeros that no compiler knows */

static gboolean
is_zero (const AccKernel *kernel,
         guint32          id)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);
  guint64 sign = 1ull << (bits_of (instr->kind) - 1);

  return instr->op == ACC_KOP_CONST && (instr->bits == 0 || (acc_element_kind_is_float (instr->kind) && instr->bits == sign));
}

static gboolean
is_minus_one (const AccKernel *kernel,
              guint32          id)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  return instr->op == ACC_KOP_CONST && ~instr->bits << (64 - bits_of (instr->kind)) == 0;
}

/* Of integers of 32 and 64 bits: 0: no; 1, 2: of the first or second operand. */
static guint
is_negation (const AccKernel      *kernel,
             const AccKernelInstr *instr)
{
  if (acc_element_kind_is_float (instr->kind) || acc_element_kind_get_size (instr->kind) < 4)
    return 0;
  if (instr->primitive == ACC_PRIM_NEG)
    return 1;
  if (instr->primitive == ACC_PRIM_SUB && is_zero (kernel, instr->args[0]))
    return 2;
  if (instr->primitive == ACC_PRIM_MUL)
    return is_minus_one (kernel, instr->args[1]) ? 1 : is_minus_one (kernel, instr->args[0]) ? 2 : 0;

  return 0;
}

#define MAX_DEPTH 5

static gboolean
keeps_integers (AccPrimitive primitive)
{
  switch ((int) primitive)
    {
    case ACC_PRIM_ADD:
    case ACC_PRIM_SUB:
    case ACC_PRIM_NEG:
    case ACC_PRIM_ABS:
    case ACC_PRIM_MIN:
    case ACC_PRIM_MAX:
    case ACC_PRIM_TRUNCATE:
    case ACC_PRIM_ROUND:
    case ACC_PRIM_FLOOR:
    case ACC_PRIM_CEILING:
      return TRUE;
    default:
      return FALSE;
    }
}

/* Whether floats at @id are a few whole numbers, as far as compilers can tell. */
static gboolean
is_of_integers (const AccKernel *kernel,
                guint32          id,
                guint            depth)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  if (depth == MAX_DEPTH || !acc_element_kind_is_float (instr->kind) || !_acc_kernel_op_is_pure (instr->op))
    return FALSE;
  if (instr->op == ACC_KOP_CAST && !acc_element_kind_is_float (acc_kernel_instr (kernel, instr->args[0])->kind))
    return TRUE;
  if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_SIGNUM)
    return TRUE;
  if (instr->op == ACC_KOP_PRIM && !keeps_integers (instr->primitive))
    return FALSE;
  if (instr->op != ACC_KOP_PRIM && instr->op != ACC_KOP_CAST && instr->op != ACC_KOP_SELECT)
    return FALSE;
  for (guint i = 0; i < instr->n_args; i++)
    if ((i > 0 && acc_kernel_instr (kernel, instr->args[i])->op == ACC_KOP_CONST && instr->op == ACC_KOP_SELECT)
        || is_of_integers (kernel, instr->args[i], depth + 1))
      return TRUE;

  return FALSE;
}

/* Whose zeros would lose their sign. */
static gboolean
is_hidden_negation (const AccKernel      *kernel,
                    const AccKernelInstr *instr)
{
  return instr->primitive == ACC_PRIM_NEG && !kernel->fast && acc_element_kind_is_float (instr->kind)
         && is_of_integers (kernel, instr->args[0], 0);
}

static gboolean
counts_narrow_bits (const AccKernel      *kernel,
                    const AccKernelInstr *instr)
{
  return (instr->primitive == ACC_PRIM_POPCOUNT || instr->primitive == ACC_PRIM_CLZ || instr->primitive == ACC_PRIM_CTZ)
         && is_narrow (acc_kernel_instr (kernel, instr->args[0])->kind);
}

/* With a constant of f32 other than zero the device's own is the same, and one instruction; that of f64 is not, for some NaN. */
static gboolean
is_extreme (const AccKernel      *kernel,
            const AccKernelInstr *instr)
{
  if (kernel->fast || !acc_element_kind_is_float (instr->kind) || (instr->primitive != ACC_PRIM_MIN && instr->primitive != ACC_PRIM_MAX))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (instr->kind == ACC_KIND_F32 && acc_kernel_instr (kernel, instr->args[i])->op == ACC_KOP_CONST && !is_zero (kernel, instr->args[i]))
      return FALSE;

  return TRUE;
}

static gboolean
is_magnitude (const AccKernelInstr *instr)
{
  return instr->primitive == ACC_PRIM_ABS && (instr->kind == ACC_KIND_I32 || instr->kind == ACC_KIND_I64);
}

/* Whether compilers cannot find out what it is: by itself, not by what it is made of. */
static gboolean
is_unknown (const AccKernel *kernel,
            guint32          id)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  return instr->op != ACC_KOP_CONST && instr->op != ACC_KOP_PRIM && instr->op != ACC_KOP_SELECT
         && (instr->op != ACC_KOP_CAST || is_unknown (kernel, instr->args[0]));
}

/* 0 of those without a sign, minimum and maximum. */
static gboolean
is_limit (const AccKernel *kernel,
          guint32          id)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);
  guint64 largest = G_MAXUINT64 >> (64 - bits_of (instr->kind));

  if (instr->op != ACC_KOP_CONST || acc_element_kind_is_float (instr->kind))
    return FALSE;
  if (acc_element_kind_is_signed (instr->kind))
    return instr->bits == largest >> 1 || instr->bits == ~(largest >> 1);

  return instr->kind == ACC_KIND_BOOL || instr->bits == 0 || instr->bits == largest;
}

/* Whether compilers may find out which way it goes. Those between what is read, or positions, and something else they do not. */
static gboolean
may_be_decided (const AccKernel *kernel,
                guint32          id,
                guint            depth)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  if (instr->op != ACC_KOP_PRIM)
    return !is_unknown (kernel, id);
  if (depth < MAX_DEPTH && instr->primitive == ACC_PRIM_BNOT)
    return may_be_decided (kernel, instr->args[0], depth + 1);
  if (depth < MAX_DEPTH && (instr->primitive == ACC_PRIM_BAND || instr->primitive == ACC_PRIM_BOR))
    return may_be_decided (kernel, instr->args[0], depth + 1) || may_be_decided (kernel, instr->args[1], depth + 1);
  if (!_acc_kernel_instr_is_comparison (instr))
    return TRUE;

  return instr->args[0] == instr->args[1] || is_limit (kernel, instr->args[0]) || is_limit (kernel, instr->args[1])
         || (!is_unknown (kernel, instr->args[0]) && !is_unknown (kernel, instr->args[1]));
}

/* Whether compilers may find out that the float at @id is a zero, which some then drop: what is chosen or converted of what they can reason
 * about, as the difference of what is the same. */
static gboolean
may_be_zero (const AccKernel *kernel,
             guint32          id,
             guint            depth)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  if (depth == MAX_DEPTH)
    return FALSE;
  switch ((int) instr->op)
    {
    case ACC_KOP_CONST:
      return is_zero (kernel, id);
    case ACC_KOP_CAST:
      if (acc_element_kind_is_float (acc_kernel_instr (kernel, instr->args[0])->kind))
        return may_be_zero (kernel, instr->args[0], depth + 1);
      return !is_unknown (kernel, instr->args[0]);
    case ACC_KOP_SELECT:
      return (may_be_zero (kernel, instr->args[1], depth + 1) || may_be_zero (kernel, instr->args[2], depth + 1))
             && may_be_decided (kernel, instr->args[0], 0);
    case ACC_KOP_PRIM:
      if (!acc_element_kind_is_float (acc_kernel_instr (kernel, instr->args[0])->kind))
        return FALSE;
      for (guint i = 0; i < instr->n_args; i++)
        if (!may_be_zero (kernel, instr->args[i], depth + 1))
          return FALSE;
      return TRUE;
    default:
      return FALSE;
    }
}

/* 1: compilers take the float at @id for one that is not negative, and -1: for one that is not positive, for which they take either zero;
 * 0: they cannot tell. */
static int
guess_sign (const AccKernel *kernel,
            guint32          id,
            guint            depth)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);
  AccElementKind from;
  int first, second;

  if (instr->op == ACC_KOP_CONST)
    return instr->bits >> (bits_of (instr->kind) - 1) == 0 ? 1 : -1;
  if (depth == MAX_DEPTH || (instr->op != ACC_KOP_CAST && instr->op != ACC_KOP_SELECT && instr->op != ACC_KOP_PRIM))
    return 0;
  from = acc_kernel_instr (kernel, instr->args[instr->op == ACC_KOP_SELECT ? 1 : 0])->kind;
  if (!acc_element_kind_is_float (from))
    return instr->op == ACC_KOP_CAST && !acc_element_kind_is_signed (from) ? 1 : 0;

  first = guess_sign (kernel, instr->args[instr->op == ACC_KOP_SELECT ? 1 : 0], depth + 1);
  second = instr->n_args > 1 ? guess_sign (kernel, instr->args[instr->n_args - 1], depth + 1) : 0;
  if (instr->op == ACC_KOP_CAST)
    return first;
  if (instr->op == ACC_KOP_SELECT)
    return first == second ? first : 0;

  switch ((int) instr->primitive)
    {
    /* The root of -0 is -0. */
    case ACC_PRIM_SQRT:
    case ACC_PRIM_ABS:
    case ACC_PRIM_EXP:
      return 1;
    case ACC_PRIM_SIGNUM:
    case ACC_PRIM_RECIP:
    case ACC_PRIM_ROUND:
    case ACC_PRIM_FLOOR:
    case ACC_PRIM_CEILING:
    case ACC_PRIM_TRUNCATE:
      return first;
    case ACC_PRIM_NEG:
      return -first;
    case ACC_PRIM_MUL:
      return instr->args[0] == instr->args[1] ? 1 : first * second;
    case ACC_PRIM_FDIV:
      return first * second;
    case ACC_PRIM_ADD:
      return first == second ? first : 0;
    case ACC_PRIM_SUB:
      return first == -second ? first : 0;
    case ACC_PRIM_MIN:
      return first == second || first < 0 || second < 0 ? MIN (first, second) : 0;
    case ACC_PRIM_MAX:
      return first == second || first > 0 || second > 0 ? MAX (first, second) : 0;
    default:
      return 0;
    }
}

/* x >= 0, x > -1 of what is not negative, or NaN. */
static gboolean
is_seemingly_true (const AccKernel      *kernel,
                   const AccKernelInstr *instr,
                   guint                 i)
{
  int sign = _acc_kernel_instr_is_comparison (instr) ? guess_sign (kernel, instr->args[i], 0) : 0;

  return sign != 0 && acc_kernel_instr (kernel, instr->args[i])->op != ACC_KOP_CONST
         && (is_zero (kernel, instr->args[1 - i]) || guess_sign (kernel, instr->args[1 - i], 0) == -sign);
}

/* An integer that is 0 or 1, as far as compilers can tell. */
static gboolean
is_bit (const AccKernel *kernel,
        guint32          id,
        guint            depth)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  if (instr->kind == ACC_KIND_BOOL)
    return TRUE;
  if (depth == MAX_DEPTH || acc_element_kind_is_float (instr->kind))
    return FALSE;
  if (instr->op == ACC_KOP_CONST)
    return instr->bits <= 1;
  if (instr->op == ACC_KOP_CAST || (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_SIGNUM))
    return is_bit (kernel, instr->args[0], depth + 1);

  return instr->op == ACC_KOP_SELECT && is_bit (kernel, instr->args[1], depth + 1) && is_bit (kernel, instr->args[2], depth + 1);
}

/* What is taken for a condition in x & flag. */
static gboolean
is_flag (const AccKernel *kernel,
         guint32          id)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  return instr->op == ACC_KOP_CONST ? instr->bits == 1 : is_bit (kernel, id, 0);
}

/* A signed integer whose upper bits repeat its sign. */
static gboolean
is_sign_extended (const AccKernel *kernel,
                  guint32          id,
                  guint            depth)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  if (depth == MAX_DEPTH || acc_element_kind_is_float (instr->kind) || !acc_element_kind_is_signed (instr->kind))
    return FALSE;
  if (instr->op == ACC_KOP_CAST)
    {
      AccElementKind from = acc_kernel_instr (kernel, instr->args[0])->kind;

      return acc_element_kind_is_integer (from) && acc_element_kind_is_signed (from)
             && acc_element_kind_get_size (from) < acc_element_kind_get_size (instr->kind);
    }
  if (instr->op == ACC_KOP_SELECT)
    return is_sign_extended (kernel, instr->args[1], depth + 1) || is_sign_extended (kernel, instr->args[2], depth + 1);

  return instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_SHR;
}

/* Quotients x / x are not 1 where x is 0, x & 1 in 64 bits is no condition, and rotations see bits as they are. */
static gboolean
hides_integer (const AccKernel      *kernel,
               const AccKernelInstr *instr,
               guint                 i)
{
  switch ((int) instr->primitive)
    {
    case ACC_PRIM_QUOT:
    case ACC_PRIM_REM:
    case ACC_PRIM_DIV:
    case ACC_PRIM_MOD:
      return i == 1 && instr->args[0] == instr->args[1];
    case ACC_PRIM_ROTL:
    case ACC_PRIM_ROTR:
      return i == 0 && is_sign_extended (kernel, instr->args[0], 0);
    case ACC_PRIM_BAND:
      return acc_element_kind_get_size (instr->kind) == 8 && is_flag (kernel, instr->args[i]);
    default:
      return FALSE;
    }
}

/* Whether compilers have to be kept from knowing the @i-th operand. x + -0 and x - 0 are x. */
static gboolean
hides_operand (const AccKernel      *kernel,
               const AccKernelInstr *instr,
               guint                 i)
{
  const AccKernelInstr *operand = acc_kernel_instr (kernel, instr->args[i]);
  gboolean is_constant = operand->op == ACC_KOP_CONST;

  if (!acc_element_kind_is_float (operand->kind))
    return hides_integer (kernel, instr, i);
  if (kernel->fast)
    return FALSE;
  if (!acc_element_kind_is_float (instr->kind))
    return is_seemingly_true (kernel, instr, i);
  switch ((int) instr->primitive)
    {
    case ACC_PRIM_ADD:
      return may_be_zero (kernel, instr->args[i], 0) && !(is_constant && operand->bits != 0);
    case ACC_PRIM_SUB:
      /* Of two that are the same one alone: both would be the same again. */
      if (instr->args[0] == instr->args[1])
        return i == 1;
      return may_be_zero (kernel, instr->args[i], 0) && !(i == 1 && is_constant && operand->bits == 0);
    case ACC_PRIM_ABS:
      return !is_constant && guess_sign (kernel, instr->args[0], 0) != 0;
    case ACC_PRIM_MUL:
    case ACC_PRIM_FDIV:
    case ACC_PRIM_RECIP:
      return may_be_zero (kernel, instr->args[i], 0);
    default:
      return FALSE;
    }
}

/* What it was before conversions. */
static guint32
before_casts (const AccKernel *kernel,
              guint32          id)
{
  while (acc_kernel_instr (kernel, id)->op == ACC_KOP_CAST)
    id = acc_kernel_instr (kernel, id)->args[0];

  return id;
}

static gboolean
is_constant (const AccKernel *kernel,
             guint32          id)
{
  return acc_kernel_instr (kernel, id)->op == ACC_KOP_CONST;
}

/* Which operand of a choice is to be hidden: -0, or that of two that were compared for it which is no constant; 0: none. Floats matter
 * where both may be zeros, and integers of 64 bits where they have no sign, of which one driver seems to take half, or are of floats. Others
 * are indices. */
static guint
find_hidden_choice (const AccKernel      *kernel,
                    const AccKernelInstr *instr)
{
  const AccKernelInstr *holds;
  gboolean is_float = acc_element_kind_is_float (instr->kind), of_floats;

  if (kernel->fast || instr->op != ACC_KOP_SELECT || (!is_float && instr->kind != ACC_KIND_I64 && instr->kind != ACC_KIND_U64))
    return 0;
  /* Compilers take c ? 1 : -0 for a converted bool. */
  for (guint i = 1; i <= 2 && is_float; i++)
    if (is_zero (kernel, instr->args[i]) && acc_kernel_instr (kernel, instr->args[i])->bits != 0)
      return i;
  holds = acc_kernel_instr (kernel, instr->args[0]);
  if (!_acc_kernel_instr_is_comparison (holds))
    return 0;
  /* What the comparison hides is another value than what is chosen, which would be the same one if it were hidden, too. */
  if (hides_operand (kernel, holds, 0) || hides_operand (kernel, holds, 1))
    return 0;
  of_floats = acc_element_kind_is_float (acc_kernel_instr (kernel, before_casts (kernel, holds->args[0]))->kind)
              || acc_element_kind_is_float (acc_kernel_instr (kernel, before_casts (kernel, holds->args[1]))->kind);
  if (is_float ? !of_floats : instr->kind == ACC_KIND_I64 && !of_floats)
    return 0;

  for (guint i = 1; i <= 2; i++)
    for (guint j = 0; j < 2; j++)
      {
        guint32 one = before_casts (kernel, instr->args[i]), other = before_casts (kernel, instr->args[3 - i]);
        guint32 limit = before_casts (kernel, holds->args[1 - j]);

        if (is_constant (kernel, one) || one != before_casts (kernel, holds->args[j]))
          continue;
        if (is_constant (kernel, limit) ? is_constant (kernel, other) && (!is_float || is_zero (kernel, limit)) : other == limit)
          return i;
      }

  return 0;
}

/* An integer of the lesser or larger of floats: one driver seems to convert both and to compare then, which loses NaN. */
static gboolean
is_of_extreme (const AccKernel      *kernel,
               const AccKernelInstr *cast)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, cast->args[0]);

  if (kernel->fast || cast->kind == ACC_KIND_BOOL || acc_element_kind_is_float (cast->kind) || !acc_element_kind_is_float (instr->kind))
    return FALSE;
  while (instr->op == ACC_KOP_CAST && acc_element_kind_is_float (acc_kernel_instr (kernel, instr->args[0])->kind))
    instr = acc_kernel_instr (kernel, instr->args[0]);
  if (instr->op == ACC_KOP_SELECT)
    return _acc_kernel_instr_is_comparison (acc_kernel_instr (kernel, instr->args[0]))
           && (is_constant (kernel, instr->args[1]) || is_constant (kernel, instr->args[2]));

  return instr->op == ACC_KOP_PRIM && (instr->primitive == ACC_PRIM_MIN || instr->primitive == ACC_PRIM_MAX)
         && (is_constant (kernel, instr->args[0]) || is_constant (kernel, instr->args[1]));
}

static gboolean
needs_zero (const AccKernel      *kernel,
            const AccKernelInstr *instr)
{
  if (instr->op == ACC_KOP_SELECT)
    return find_hidden_choice (kernel, instr) != 0;
  if (instr->op == ACC_KOP_CAST)
    return is_of_extreme (kernel, instr)
           || (instr->kind == ACC_KIND_U32 && acc_element_kind_is_signed (acc_kernel_instr (kernel, instr->args[0])->kind));
  if (instr->op != ACC_KOP_PRIM)
    return FALSE;
  if (instr->primitive == ACC_PRIM_NEG && is_narrow (instr->kind))
    return TRUE;
  if (is_negation (kernel, instr) != 0 || is_hidden_negation (kernel, instr) || is_magnitude (instr) || counts_narrow_bits (kernel, instr))
    return TRUE;
  for (guint i = 0; i < instr->n_args; i++)
    if (hides_operand (kernel, instr, i))
      return TRUE;

  return FALSE;
}

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

/* By its sign, spread over all bits: x ^ s - s. */
static KValue
magnitude (Pass   *self,
           KValue  x)
{
  AccElementKind kind = kb_kind (self->b, x);
  KValue sign = prim (self, ACC_PRIM_SHR, x, kb_i64 (self->b, bits_of (kind) - 1));

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
  /* What repeats every 8 or 16 bits is rotated as they are. */
  KValue bits = unsigned_bits (self, kind, x);

  bits = kb_mul (self->b, bits, kb_int (self->b, ACC_KIND_U32, bits_of (kind) == 8 ? 0x01010101 : 0x00010001));

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
  gboolean is_signed = acc_element_kind_is_signed (kind);
  guint bits = bits_of (kind);
  KValue result;

  switch ((int) instr->primitive)
    {
    case ACC_PRIM_ADD:
    case ACC_PRIM_SUB:
    case ACC_PRIM_MUL:
      return extend (self, kind, prim (self, instr->primitive, low_of (self, kind, x), low_of (self, kind, y)));
    case ACC_PRIM_NEG:
      return extend (self, kind, negate (self, low_of (self, kind, x)));
    case ACC_PRIM_ABS:
      return is_signed ? extend (self, kind, prim (self, ACC_PRIM_ABS, x, y)) : x;
    case ACC_PRIM_BNOT:
      result = prim (self, ACC_PRIM_BNOT, x, y);
      return is_signed ? result : extend (self, kind, result);
    /* Minimum by -1. */
    case ACC_PRIM_QUOT:
    case ACC_PRIM_DIV:
      result = prim (self, instr->primitive, x, y);
      return is_signed ? extend (self, kind, result) : result;
    case ACC_PRIM_SHL:
    case ACC_PRIM_SHR:
      return extend (self, kind, prim (self, instr->primitive, x, y));
    case ACC_PRIM_ROTL:
    case ACC_PRIM_ROTR:
      return narrow_rotation (self, kind, instr, x, y);
    case ACC_PRIM_POPCOUNT:
      return prim (self, ACC_PRIM_POPCOUNT, hide (self, unsigned_bits (self, kind, x)), y);
    case ACC_PRIM_CLZ:
      return kb_sub (b, prim (self, ACC_PRIM_CLZ, hide (self, unsigned_bits (self, kind, x)), y), kb_i64 (b, 32 - bits));
    case ACC_PRIM_CTZ:
      x = kb_or (b, kb_cast (b, ACC_KIND_U32, x), kb_int (b, ACC_KIND_U32, 1 << bits));
      return prim (self, ACC_PRIM_CTZ, hide (self, x), y);
    default:
      /* Of operands in range in range. */
      return prim (self, instr->primitive, x, y);
    }
}

/* With a sign, from fewer bits. */
static gboolean
is_extended (Pass   *self,
             KValue  x)
{
  const AccKernelInstr *instr = instr_of (self, x);

  if (instr->kind != ACC_KIND_I32)
    return FALSE;

  return instr->op == ACC_KOP_EXTEND || (instr->op == ACC_KOP_CAST && is_narrow (kb_kind (self->b, (KValue) { instr->args[0] })));
}

static KValue
cast (Pass           *self,
      AccElementKind  from,
      AccElementKind  to,
      KValue          x)
{
  gboolean widens = is_narrow (from) && acc_element_kind_get_size (from) <= acc_element_kind_get_size (to);

  if (to == ACC_KIND_U32 && is_extended (self, x))
    return hide (self, kb_cast (self->b, to, x));
  if (!is_narrow (to) || from == ACC_KIND_BOOL)
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
  if (is_narrow (from) && is_narrow (to))
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
  guint negated = is_negation (self->from, instr);

  if (is_narrow (kind) && instr->n_args == 2 && hides_operand (self->from, instr, 1))
    args[1] = hide (self, args[1]);
  if (is_narrow (kind))
    return narrow_primitive (self, kind, instr, args[0], args[1]);
  if (negated != 0)
    return negate (self, args[negated - 1]);
  if (is_magnitude (instr))
    return magnitude (self, args[0]);
  if (is_hidden_negation (self->from, instr))
    return prim (self, ACC_PRIM_NEG, hide (self, args[0]), (KValue) { 0 });
  if (is_extreme (self->from, instr))
    return extreme (self, instr, args[0], args[1]);
  for (guint i = 0; i < instr->n_args; i++)
    if (hides_operand (self->from, instr, i))
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

  return _acc_kernel_op_is_access (instr->op) && is_narrow (instr->kind) ? kb_cast (self->b, held_as (instr->kind), value) : value;
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

  switch ((int) instr->op)
    {
    case ACC_KOP_PRIM:
      return primitive (self, instr, args);
    case ACC_KOP_CAST:
      if (is_of_extreme (self->from, instr))
        args[0] = hide (self, args[0]);
      return cast (self, from, instr->kind, args[0]);
    case ACC_KOP_BITCAST:
      return bitcast (self, from, instr->kind, args[0]);
    case ACC_KOP_SELECT:
      hidden = find_hidden_choice (self->from, instr);
      if (hidden != 0)
        args[hidden] = hide (self, args[hidden]);
      return copy (self, instr, args);
    default:
      return copy (self, instr, args);
    }
}

static void walk (Pass *self, guint32 block);

static void
walk_inner (Pass    *self,
            guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (self->from, id);
  KValue first = instr->n_args > 0 ? value_of (self, instr->args[0]) : (KValue) { 0 };

  switch ((int) instr->op)
    {
    case ACC_KOP_FOR:
      self->made[id] = _kb_enter_for (self->b, first, value_of (self, instr->args[1]), instr->bits != 0).id;
      break;
    case ACC_KOP_IF:
      _kb_enter_if (self->b, first, instr->bits != 0);
      break;
    default:
      _kb_enter_while (self->b);
      break;
    }
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

          *zero = *zero || needs_zero (kernel, instr);
          matters = matters || (needs_zero (kernel, instr) && (instr->op != ACC_KOP_CAST || is_of_extreme (kernel, instr)));
          matters = matters || is_narrow (instr->kind) || (instr->op == ACC_KOP_PRIM && is_extreme (kernel, instr));
          for (guint j = _acc_kernel_first_id (instr); j < instr->n_args; j++)
            matters = matters || is_narrow (acc_kernel_instr (kernel, instr->args[j])->kind);
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

  made = kb_new (before->name);
  self = (Pass) { before, made, g_new0 (guint32, before->instrs->len), { 0 } };
  made->kernel->precise = before->precise;
  made->kernel->fast = before->fast;
  made->kernel->straight = before->straight;
  made->kernel->group_size = before->group_size;
  made->kernel->n_resident = before->n_resident;
  g_array_unref (made->kernel->params);
  g_array_unref (made->kernel->shared);
  made->kernel->params = g_array_ref (before->params);
  made->kernel->shared = g_array_ref (before->shared);

  /* No extent has as many elements, which nobody can tell from a word of the launch. */
  if (zero)
    self.zero = prim (&self, ACC_PRIM_SHR, kb_outer_end (made), kb_i64 (made, 62));
  walk (&self, ACC_KERNEL_BODY);
  g_free (self.made);

  b->kernel = g_steal_pointer (&made->kernel);
  if (made->error != NULL)
    g_propagate_error (&b->error, g_steal_pointer (&made->error));
  made->kernel = before;
  kb_discard (made);
}
