/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-builder-private.h"

/* What is simplified while a kernel is built: constants of integers and bools, and the identities that index arithmetic
 * is full of. Emitters rely on sums of an index and a constant having one form, x + c. */

static gboolean
get_const (AccKernelBuilder *b,
           guint32           id,
           guint64          *bits)
{
  const AccKernelInstr *instr = acc_kernel_instr (b->kernel, id);

  if (instr->op != ACC_KOP_CONST)
    return FALSE;
  *bits = instr->bits;

  return TRUE;
}

static guint64
normalise (AccElementKind kind,
           guint64        bits)
{
  guint n_bits = kind == ACC_KIND_BOOL ? 1 : acc_element_kind_get_size (kind) * 8;

  if (n_bits == 64)
    return bits;
  if (acc_element_kind_is_signed (kind))
    return (guint64) ((gint64) (bits << (64 - n_bits)) >> (64 - n_bits));

  return bits & ((1ull << n_bits) - 1);
}

/* The dropped term is sought in an earlier sum: (x + c) + d is x + (c + d). */
static guint32
add_const (AccKernelBuilder *b,
           AccElementKind    kind,
           guint32           x,
           guint64           c)
{
  const AccKernelInstr *instr = acc_kernel_instr (b->kernel, x);
  guint64 d;

  if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD && get_const (b, instr->args[1], &d))
    {
      x = instr->args[0];
      c += d;
    }
  c = normalise (kind, c);
  if (c == 0)
    return x;

  return _kb_pure (b, (AccKernelInstr) {
    .op = ACC_KOP_PRIM, .primitive = ACC_PRIM_ADD, .kind = kind, .n_args = 2,
    .args = { x, _kb_const (b, kind, c).id },
  }).id;
}

static guint32
fold_prim2 (AccKernelBuilder     *b,
            const AccKernelInstr *instr)
{
  AccElementKind kind = acc_kernel_instr (b->kernel, instr->args[0])->kind;
  guint32 x = instr->args[0], y = instr->args[1];
  guint64 cx = 0, cy = 0;
  gboolean kx = get_const (b, x, &cx), ky = get_const (b, y, &cy);

  if (acc_kernel_instr (b->kernel, y)->kind != kind)
    return 0;

  switch ((int) instr->primitive)
    {
    case ACC_PRIM_ADD:
      if (kx)
        return add_const (b, kind, y, cx);
      if (ky && (cy == 0 || acc_kernel_instr (b->kernel, x)->op == ACC_KOP_PRIM))
        {
          guint64 d;
          const AccKernelInstr *left = acc_kernel_instr (b->kernel, x);

          if (cy == 0 || (left->primitive == ACC_PRIM_ADD && get_const (b, left->args[1], &d)))
            return add_const (b, kind, x, cy);
        }
      return 0;

    case ACC_PRIM_SUB:
      if (ky)
        return add_const (b, kind, x, 0 - cy);
      if (x == y)
        return _kb_const (b, kind, 0).id;
      return 0;

    case ACC_PRIM_MUL:
      if ((kx && cx == 0) || (ky && cy == 1))
        return x;
      if ((ky && cy == 0) || (kx && cx == 1))
        return y;
      return 0;

    case ACC_PRIM_BAND:
      if (kind == ACC_KIND_BOOL && (kx || ky))
        return kx ? (cx ? y : x) : (cy ? x : y);
      if ((kx && cx == 0) || (ky && cy == 0))
        return kx && cx == 0 ? x : y;
      return x == y ? x : 0;

    case ACC_PRIM_BOR:
      if (kind == ACC_KIND_BOOL && (kx || ky))
        return kx ? (cx ? x : y) : (cy ? y : x);
      if ((kx && cx == 0) || (ky && cy == 0))
        return kx && cx == 0 ? y : x;
      return x == y ? x : 0;

    /* Compilers of devices know that it is 0, and then what a float does that it becomes: see acc-kernel-legalise.c. */
    case ACC_PRIM_BXOR:
      if (x == y)
        return _kb_const (b, kind, 0).id;
      if ((kx && cx == 0) || (ky && cy == 0))
        return kx && cx == 0 ? y : x;
      return 0;

    case ACC_PRIM_LT:
    case ACC_PRIM_GT:
    case ACC_PRIM_LE:
    case ACC_PRIM_GE:
    case ACC_PRIM_EQ:
    case ACC_PRIM_NE:
      if (x != y)
        return 0;
      return _kb_const (b, ACC_KIND_BOOL, instr->primitive == ACC_PRIM_LE || instr->primitive == ACC_PRIM_GE
                                          || instr->primitive == ACC_PRIM_EQ).id;

    case ACC_PRIM_MIN:
    case ACC_PRIM_MAX:
      return x == y ? x : 0;

    default:
      return 0;
    }
}

/* Of constants alone; divisions by zero are left. */
static guint32
fold_constants (AccKernelBuilder     *b,
                const AccKernelInstr *instr)
{
  AccScalar operands[2] = { 0 }, result = { 0 };

  for (guint i = 0; i < instr->n_args; i++)
    if (!get_const (b, instr->args[i], &operands[i].u))
      return 0;
  if (!acc_scalar_compute (instr->primitive, acc_kernel_instr (b->kernel, instr->args[0])->kind, operands, &result))
    return 0;

  return _kb_const (b, instr->kind, result.u).id;
}

static guint32
fold_cast (AccKernelBuilder     *b,
           const AccKernelInstr *instr)
{
  AccElementKind from = acc_kernel_instr (b->kernel, instr->args[0])->kind;
  guint64 bits;

  if (from == instr->kind)
    return instr->args[0];
  if (acc_element_kind_is_float (from))
    return _kb_fold_float_cast (b, instr);
  if (!get_const (b, instr->args[0], &bits))
    return 0;

  if (instr->kind == ACC_KIND_F32 || instr->kind == ACC_KIND_F64)
    {
      /* Rounded once, where f64 would be the first of two. */
      float single = acc_element_kind_is_signed (from) ? (float) (gint64) bits : (float) bits;
      double twofold = acc_element_kind_is_signed (from) ? (double) (gint64) bits : (double) bits;

      return kb_float (b, instr->kind, instr->kind == ACC_KIND_F32 ? single : twofold).id;
    }
  /* Rounded here: glslang cuts off what does not fit a half where it knows the value. */
  if (instr->kind == ACC_KIND_F16)
    return kb_float (b, ACC_KIND_F16, acc_element_kind_is_signed (from) ? (double) (gint64) bits : (double) bits).id;
  if (instr->kind == ACC_KIND_BOOL)
    return _kb_const (b, ACC_KIND_BOOL, bits != 0).id;

  return _kb_const (b, instr->kind, normalise (instr->kind, bits)).id;
}

/* --- selects between what is computed alike: one operation of operands that are selected, as cmp (x, a ? b : c) for
 * a ? cmp (x, b) : cmp (x, c), is the same in all lanes, and less */

#define ALIKE_DEPTH 4

/* Operands that are constants are worth keeping in others, and sums of indices have a form that emitters look for. */
static gboolean
may_be_shared (const AccKernelInstr *instr,
               AccElementKind        kind)
{
  switch ((int) instr->primitive)
    {
    case ACC_PRIM_ADD:
    case ACC_PRIM_SUB:
    case ACC_PRIM_MUL:
      return kind != ACC_KIND_I64;
    case ACC_PRIM_MIN:
    case ACC_PRIM_MAX:
    case ACC_PRIM_BAND:
    case ACC_PRIM_BOR:
    case ACC_PRIM_BXOR:
      return TRUE;
    default:
      /* a comparison */
      return instr->kind == ACC_KIND_BOOL;
    }
}

/* Both by the same operation, here: what an outer block has computed is there already. */
static gboolean
are_alike (AccKernelBuilder *b,
           guint32           x,
           guint32           y)
{
  const AccKernelInstr *one = acc_kernel_instr (b->kernel, x), *other = acc_kernel_instr (b->kernel, y);
  guint32 here = g_array_index (b->stack, guint32, b->stack->len - 1);
  AccElementKind kind;

  if (one->op != ACC_KOP_PRIM || other->op != ACC_KOP_PRIM || one->primitive != other->primitive || one->n_args != 2
      || one->block != here || other->block != here)
    return FALSE;
  kind = acc_kernel_instr (b->kernel, one->args[0])->kind;

  return kind == acc_kernel_instr (b->kernel, other->args[0])->kind && may_be_shared (one, kind);
}

/* Selects that it takes to choose between @x and @y, less the operations that are saved. */
static int
weigh_select (AccKernelBuilder *b,
              guint32           x,
              guint32           y,
              guint             depth)
{
  const AccKernelInstr *one = acc_kernel_instr (b->kernel, x), *other = acc_kernel_instr (b->kernel, y);

  if (x == y)
    return 0;
  if (depth == 0 || !are_alike (b, x, y))
    return 1;

  return MIN (1, weigh_select (b, one->args[0], other->args[0], depth - 1) + weigh_select (b, one->args[1], other->args[1], depth - 1) - 1);
}

static guint32
fold_select (AccKernelBuilder     *b,
             const AccKernelInstr *instr)
{
  guint32 condition = instr->args[0], x = instr->args[1], y = instr->args[2];
  AccKernelInstr one, other;
  KValue operands[2];
  guint64 bits;

  if (get_const (b, condition, &bits))
    return bits ? x : y;
  if (x == y)
    return x;
  if (weigh_select (b, x, y, ALIKE_DEPTH) >= 1)
    return 0;

  one = *acc_kernel_instr (b->kernel, x);
  other = *acc_kernel_instr (b->kernel, y);
  for (guint i = 0; i < 2; i++)
    operands[i] = kb_select (b, (KValue) { condition }, (KValue) { one.args[i] }, (KValue) { other.args[i] });

  return kb_prim2 (b, one.primitive, operands[0], operands[1]).id;
}

guint32
_kb_fold (AccKernelBuilder     *b,
          const AccKernelInstr *instr)
{
  guint64 bits;
  guint32 folded;

  switch ((int) instr->op)
    {
    case ACC_KOP_PRIM:
      if (acc_element_kind_is_float (acc_kernel_instr (b->kernel, instr->args[0])->kind))
        return _kb_fold_float (b, instr);
      folded = fold_constants (b, instr);
      if (folded != 0 || instr->n_args == 2)
        return folded != 0 ? folded : fold_prim2 (b, instr);
      if (instr->primitive == ACC_PRIM_BNOT && instr->kind == ACC_KIND_BOOL)
        {
          const AccKernelInstr *x = acc_kernel_instr (b->kernel, instr->args[0]);

          if (x->op == ACC_KOP_PRIM && x->primitive == ACC_PRIM_BNOT)
            return x->args[0];
        }
      return 0;

    case ACC_KOP_CAST:
      return fold_cast (b, instr);

    case ACC_KOP_EXTEND:
      if (!get_const (b, instr->args[0], &bits))
        return 0;
      if (instr->kind == ACC_KIND_I32)
        return _kb_const (b, instr->kind, normalise (instr->bits == 8 ? ACC_KIND_I8 : ACC_KIND_I16, bits)).id;
      return _kb_const (b, instr->kind, normalise (instr->bits == 8 ? ACC_KIND_U8 : ACC_KIND_U16, bits)).id;

    case ACC_KOP_BITCAST:
      return acc_kernel_instr (b->kernel, instr->args[0])->kind == instr->kind ? instr->args[0] : 0;

    case ACC_KOP_SELECT:
      return fold_select (b, instr);

    case ACC_KOP_UDIV:
      return get_const (b, instr->args[1], &bits) && bits == 1 ? instr->args[0] : 0;

    case ACC_KOP_UREM:
      return get_const (b, instr->args[1], &bits) && bits == 1 ? _kb_const (b, ACC_KIND_I64, 0).id : 0;

    default:
      return 0;
    }
}
