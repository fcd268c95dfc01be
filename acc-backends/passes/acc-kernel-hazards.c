/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-hazards.h"

/* What compilers of devices would get wrong as it is written. Nothing is changed here. */

static gboolean
is_zero (const AccKernel *kernel,
         guint32          id)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);
  guint64 sign = 1ull << (_acc_kind_get_bits (instr->kind) - 1);

  return instr->op == ACC_KOP_CONST && (instr->bits == 0 || (acc_element_kind_is_float (instr->kind) && instr->bits == sign));
}

static gboolean
is_minus_one (const AccKernel *kernel,
              guint32          id)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  return instr->op == ACC_KOP_CONST && ~instr->bits << (64 - _acc_kind_get_bits (instr->kind)) == 0;
}

/* Of integers of 32 and 64 bits: 0: no; 1, 2: of the first or second operand. */
guint
_acc_hazard_is_negation (const AccKernel      *kernel,
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

/* Primitives that make whole numbers of whole numbers */
static const gboolean keeps_integers[ACC_N_PRIMITIVES] = {
  [ACC_PRIM_ADD] = TRUE, [ACC_PRIM_SUB] = TRUE, [ACC_PRIM_NEG] = TRUE, [ACC_PRIM_ABS] = TRUE, [ACC_PRIM_MIN] = TRUE,
  [ACC_PRIM_MAX] = TRUE, [ACC_PRIM_TRUNCATE] = TRUE, [ACC_PRIM_ROUND] = TRUE, [ACC_PRIM_FLOOR] = TRUE, [ACC_PRIM_CEILING] = TRUE,
};

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
  if (instr->op == ACC_KOP_PRIM && !keeps_integers[instr->primitive])
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
gboolean
_acc_hazard_is_hidden_negation (const AccKernel      *kernel,
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
         && _acc_kind_is_narrow (acc_kernel_instr (kernel, instr->args[0])->kind);
}

/* With a constant of f32 other than zero the device's own operation gives the same, and is one instruction; that of f64 does not, for some
 * NaN. */
gboolean
_acc_hazard_is_extreme (const AccKernel      *kernel,
                        const AccKernelInstr *instr)
{
  if (kernel->fast || !acc_element_kind_is_float (instr->kind) || (instr->primitive != ACC_PRIM_MIN && instr->primitive != ACC_PRIM_MAX))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (instr->kind == ACC_KIND_F32 && acc_kernel_instr (kernel, instr->args[i])->op == ACC_KOP_CONST && !is_zero (kernel, instr->args[i]))
      return FALSE;

  return TRUE;
}

gboolean
_acc_hazard_is_magnitude (const AccKernelInstr *instr)
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
  guint64 largest = G_MAXUINT64 >> (64 - _acc_kind_get_bits (instr->kind));

  if (instr->op != ACC_KOP_CONST || acc_element_kind_is_float (instr->kind))
    return FALSE;
  if (acc_element_kind_is_signed (instr->kind))
    return instr->bits == largest >> 1 || instr->bits == ~(largest >> 1);

  return instr->kind == ACC_KIND_BOOL || instr->bits == 0 || instr->bits == largest;
}

/* Whether compilers may decide the comparison. They cannot decide one of loaded values, or positions, with something else. */
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

/* Whether compilers may find out that the float at @id is a zero, which some then drop: it is chosen or converted from values that they can
 * reason about, such as x - x. */
static gboolean
may_be_zero (const AccKernel *kernel,
             guint32          id,
             guint            depth)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  if (depth == MAX_DEPTH)
    return FALSE;
  if (instr->op == ACC_KOP_CONST)
    return is_zero (kernel, id);
  if (instr->op == ACC_KOP_SELECT)
    return (may_be_zero (kernel, instr->args[1], depth + 1) || may_be_zero (kernel, instr->args[2], depth + 1))
           && may_be_decided (kernel, instr->args[0], 0);
  if (instr->op != ACC_KOP_CAST && instr->op != ACC_KOP_PRIM)
    return FALSE;
  if (!acc_element_kind_is_float (acc_kernel_instr (kernel, instr->args[0])->kind))
    return instr->op == ACC_KOP_CAST && !is_unknown (kernel, instr->args[0]);
  for (guint i = 0; i < instr->n_args; i++)
    if (!may_be_zero (kernel, instr->args[i], depth + 1))
      return FALSE;

  return TRUE;
}

/* What compilers know of the sign of a result */
typedef enum {
  SIGN_UNKNOWN,
  SIGN_POSITIVE,     /* the root of -0 is -0, too */
  SIGN_OF_OPERAND,
  SIGN_NEGATED,
  SIGN_OF_PRODUCT,
  SIGN_OF_QUOTIENT,
  SIGN_OF_SUM,
  SIGN_OF_DIFFERENCE,
  SIGN_OF_MIN,
  SIGN_OF_MAX,
} SignRule;

static const SignRule sign_rules[ACC_N_PRIMITIVES] = {
  [ACC_PRIM_SQRT] = SIGN_POSITIVE, [ACC_PRIM_ABS] = SIGN_POSITIVE, [ACC_PRIM_EXP] = SIGN_POSITIVE,
  [ACC_PRIM_SIGNUM] = SIGN_OF_OPERAND, [ACC_PRIM_RECIP] = SIGN_OF_OPERAND, [ACC_PRIM_ROUND] = SIGN_OF_OPERAND,
  [ACC_PRIM_FLOOR] = SIGN_OF_OPERAND, [ACC_PRIM_CEILING] = SIGN_OF_OPERAND, [ACC_PRIM_TRUNCATE] = SIGN_OF_OPERAND,
  [ACC_PRIM_NEG] = SIGN_NEGATED, [ACC_PRIM_MUL] = SIGN_OF_PRODUCT, [ACC_PRIM_FDIV] = SIGN_OF_QUOTIENT, [ACC_PRIM_ADD] = SIGN_OF_SUM,
  [ACC_PRIM_SUB] = SIGN_OF_DIFFERENCE, [ACC_PRIM_MIN] = SIGN_OF_MIN, [ACC_PRIM_MAX] = SIGN_OF_MAX,
};

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
    return instr->bits >> (_acc_kind_get_bits (instr->kind) - 1) == 0 ? 1 : -1;
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

  switch (sign_rules[instr->primitive])
    {
    case SIGN_POSITIVE:
      return 1;
    case SIGN_OF_OPERAND:
      return first;
    case SIGN_NEGATED:
      return -first;
    case SIGN_OF_PRODUCT:
      return instr->args[0] == instr->args[1] ? 1 : first * second;
    case SIGN_OF_QUOTIENT:
      return first * second;
    case SIGN_OF_SUM:
      return first == second ? first : 0;
    case SIGN_OF_DIFFERENCE:
      return first == -second ? first : 0;
    case SIGN_OF_MIN:
      return first == second || first < 0 || second < 0 ? MIN (first, second) : 0;
    case SIGN_OF_MAX:
      return first == second || first > 0 || second > 0 ? MAX (first, second) : 0;
    case SIGN_UNKNOWN:
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

/* The operand that compilers take for a condition in x & flag. Signed literals are left: they belong to indices. */
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
  if (acc_primitive_is (instr->primitive, ACC_FAMILY_DIVISION))
    return i == 1 && instr->args[0] == instr->args[1];
  if (instr->primitive == ACC_PRIM_ROTL || instr->primitive == ACC_PRIM_ROTR)
    return i == 0 && is_sign_extended (kernel, instr->args[0], 0);

  return instr->primitive == ACC_PRIM_BAND && acc_element_kind_get_size (instr->kind) == 8 && is_flag (kernel, instr->args[i]);
}

/* Primitives of floats that compilers simplify where an operand is zero */
static const gboolean drops_zeros[ACC_N_PRIMITIVES] = {
  [ACC_PRIM_ADD] = TRUE, [ACC_PRIM_SUB] = TRUE, [ACC_PRIM_MUL] = TRUE, [ACC_PRIM_FDIV] = TRUE, [ACC_PRIM_RECIP] = TRUE,
};

/* Whether compilers have to be kept from knowing the @i-th operand. x + -0 and x - 0 are x. */
gboolean
_acc_hazard_is_operand (const AccKernel      *kernel,
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
  if (instr->primitive == ACC_PRIM_ABS)
    return !is_constant && guess_sign (kernel, instr->args[0], 0) != 0;
  /* Hide one of two equal operands only: if both were hidden they would be equal again. */
  if (instr->primitive == ACC_PRIM_SUB && instr->args[0] == instr->args[1])
    return i == 1;
  if (!drops_zeros[instr->primitive] || !may_be_zero (kernel, instr->args[i], 0))
    return FALSE;
  if (instr->primitive == ACC_PRIM_ADD)
    return !is_constant || operand->bits == 0;

  return instr->primitive != ACC_PRIM_SUB || i == 0 || !is_constant || operand->bits != 0;
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
 * where both may be zeros, and integers of 64 bits where they have no sign, of which one driver seems to take half, or are of floats.
 * Others are indices. */
guint
_acc_hazard_find_choice (const AccKernel      *kernel,
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
  /* The comparison hides its operand as a new value, unequal to the one that is chosen; the two would be equal if both were hidden. */
  if (_acc_hazard_is_operand (kernel, holds, 0) || _acc_hazard_is_operand (kernel, holds, 1))
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

/* An integer that is converted from a minimum or maximum of floats: one driver seems to convert both and compare the integers, which loses
 * NaN. */
gboolean
_acc_hazard_is_of_extreme (const AccKernel      *kernel,
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

gboolean
_acc_hazard_needs_zero (const AccKernel      *kernel,
                        const AccKernelInstr *instr)
{
  if (instr->op == ACC_KOP_SELECT)
    return _acc_hazard_find_choice (kernel, instr) != 0;
  if (instr->op == ACC_KOP_CAST)
    return _acc_hazard_is_of_extreme (kernel, instr)
           || (instr->kind == ACC_KIND_U32 && acc_element_kind_is_signed (acc_kernel_instr (kernel, instr->args[0])->kind));
  if (instr->op != ACC_KOP_PRIM)
    return FALSE;
  if (instr->primitive == ACC_PRIM_NEG && _acc_kind_is_narrow (instr->kind))
    return TRUE;
  if (_acc_hazard_is_negation (kernel, instr) != 0 || _acc_hazard_is_hidden_negation (kernel, instr) || _acc_hazard_is_magnitude (instr)
      || counts_narrow_bits (kernel, instr))
    return TRUE;
  for (guint i = 0; i < instr->n_args; i++)
    if (_acc_hazard_is_operand (kernel, instr, i))
      return TRUE;

  return FALSE;
}
