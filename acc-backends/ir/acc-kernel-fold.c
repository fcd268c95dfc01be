/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-builder-private.h"

#include <math.h>

/* Simplifies instructions while a kernel is built: constants of integers and bools, and the identities that index arithmetic is full of.
 * Emitters rely on sums of an index and a constant having one form, x + c. */

static gboolean
get_const (AccKernelBuilder *b,
           guint32           id,
           AccScalar        *value)
{
  const AccKernelInstr *instr = acc_kernel_instr (b->kernel, id);

  if (instr->op != ACC_KOP_CONST)
    return FALSE;
  value->u = instr->bits;

  return TRUE;
}

/* Transcendental functions are left to those that compute them for what is not constant. */
static guint32
fold_constants (AccKernelBuilder     *b,
                const AccKernelInstr *instr,
                AccElementKind        kind)
{
  AccScalar x[2] = { 0, };

  if (acc_primitive_is (instr->primitive, ACC_FAMILY_TRANSCENDENTAL))
    return 0;
  for (guint i = 0; i < instr->n_args; i++)
    if (!get_const (b, instr->args[i], &x[i]))
      return 0;
  if (acc_primitive_fails (instr->primitive, kind, x[0], x[1]))
    return 0;

  return _kb_const (b, instr->kind, acc_primitive_get_function (instr->primitive, kind) (x[0], x[1]).u).id;
}

/* --- identities: operands of one kind, of which not both are constants; 0: nothing simpler is known */

typedef struct {
  AccPrimitive   primitive;
  AccElementKind kind;
  guint32        x, y;
  AccScalar      cx, cy;
  gboolean       kx, ky;    /* that it is a constant, cx or cy */
} Operands;

/* The dropped term is sought in an earlier sum: (x + c) + d is x + (c + d). */
static guint32
add_const (AccKernelBuilder *b,
           AccElementKind    kind,
           guint32           x,
           guint64           c)
{
  const AccKernelInstr *instr = acc_kernel_instr (b->kernel, x);
  AccScalar d;

  if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD && get_const (b, instr->args[1], &d))
    {
      x = instr->args[0];
      c += d.u;
    }
  c = acc_scalar_bitcast (kind, (AccScalar) { .u = c }).u;
  if (c == 0)
    return x;

  return _kb_pure (b, (AccKernelInstr) {
    .op = ACC_KOP_PRIM, .primitive = ACC_PRIM_ADD, .kind = kind, .n_args = 2,
    .args = { x, _kb_const (b, kind, c).id },
  }).id;
}

static guint32
fold_add (AccKernelBuilder *b,
          const Operands   *o)
{
  const AccKernelInstr *left = acc_kernel_instr (b->kernel, o->x);
  AccScalar d;

  if (o->kx)
    return add_const (b, o->kind, o->y, o->cx.u);
  if (o->ky && (o->cy.u == 0 || (left->op == ACC_KOP_PRIM && left->primitive == ACC_PRIM_ADD && get_const (b, left->args[1], &d))))
    return add_const (b, o->kind, o->x, o->cy.u);

  return 0;
}

static guint32
fold_sub (AccKernelBuilder *b,
          const Operands   *o)
{
  if (o->ky)
    return add_const (b, o->kind, o->x, 0 - o->cy.u);

  return o->x == o->y ? _kb_const (b, o->kind, 0).id : 0;
}

static guint32
fold_mul (AccKernelBuilder *b G_GNUC_UNUSED,
          const Operands   *o)
{
  if ((o->kx && o->cx.u == 0) || (o->ky && o->cy.u == 1))
    return o->x;
  if ((o->ky && o->cy.u == 0) || (o->kx && o->cx.u == 1))
    return o->y;

  return 0;
}

static guint32
fold_and (AccKernelBuilder *b G_GNUC_UNUSED,
          const Operands   *o)
{
  if (o->kind == ACC_KIND_BOOL && (o->kx || o->ky))
    return o->kx ? (o->cx.u ? o->y : o->x) : (o->cy.u ? o->x : o->y);
  if ((o->kx && o->cx.u == 0) || (o->ky && o->cy.u == 0))
    return o->kx ? o->x : o->y;

  return o->x == o->y ? o->x : 0;
}

static guint32
fold_or (AccKernelBuilder *b G_GNUC_UNUSED,
         const Operands   *o)
{
  if (o->kind == ACC_KIND_BOOL && (o->kx || o->ky))
    return o->kx ? (o->cx.u ? o->x : o->y) : (o->cy.u ? o->y : o->x);
  if ((o->kx && o->cx.u == 0) || (o->ky && o->cy.u == 0))
    return o->kx ? o->y : o->x;

  return o->x == o->y ? o->x : 0;
}

/* Compilers of devices know that x ^ x is 0, and then what a float does that it becomes: see acc-kernel-legalise.c. */
static guint32
fold_xor (AccKernelBuilder *b,
          const Operands   *o)
{
  if (o->x == o->y)
    return _kb_const (b, o->kind, 0).id;
  if ((o->kx && o->cx.u == 0) || (o->ky && o->cy.u == 0))
    return o->kx ? o->y : o->x;

  return 0;
}

static guint32
fold_not (AccKernelBuilder *b,
          const Operands   *o)
{
  const AccKernelInstr *x = acc_kernel_instr (b->kernel, o->x);

  return o->kind == ACC_KIND_BOOL && x->op == ACC_KOP_PRIM && x->primitive == ACC_PRIM_BNOT ? x->args[0] : 0;
}

static guint32
fold_comparison (AccKernelBuilder *b,
                 const Operands   *o)
{
  AccScalar same = { 0 };

  return o->x == o->y ? _kb_const (b, ACC_KIND_BOOL, acc_primitive_get_function (o->primitive, o->kind) (same, same).u).id : 0;
}

static guint32
fold_extreme (AccKernelBuilder *b G_GNUC_UNUSED,
              const Operands   *o)
{
  return o->x == o->y ? o->x : 0;
}

typedef guint32 (*Fold) (AccKernelBuilder *b, const Operands *o);

static const Fold integer_folds[ACC_N_PRIMITIVES] = {
  [ACC_PRIM_ADD] = fold_add,        [ACC_PRIM_SUB] = fold_sub,        [ACC_PRIM_MUL] = fold_mul,
  [ACC_PRIM_BAND] = fold_and,       [ACC_PRIM_BOR] = fold_or,         [ACC_PRIM_BXOR] = fold_xor,
  [ACC_PRIM_BNOT] = fold_not,       [ACC_PRIM_MIN] = fold_extreme,    [ACC_PRIM_MAX] = fold_extreme,
  [ACC_PRIM_LT] = fold_comparison,  [ACC_PRIM_GT] = fold_comparison,  [ACC_PRIM_LE] = fold_comparison,
  [ACC_PRIM_GE] = fold_comparison,  [ACC_PRIM_EQ] = fold_comparison,  [ACC_PRIM_NE] = fold_comparison,
};

/* A NaN loses. */
static guint32
fold_float_extreme (AccKernelBuilder *b G_GNUC_UNUSED,
                    const Operands   *o)
{
  if (o->kx && isnan (acc_scalar_to_double (o->kind, o->cx)))
    return o->y;

  return o->ky && isnan (acc_scalar_to_double (o->kind, o->cy)) ? o->x : 0;
}

/* By a power of two whose inverse is one, too, both of them normal: that is to multiply by the inverse. Compilers do so, and then may
 * contract the product, which they may not do with one that was written. */
static guint32
fold_quotient (AccKernelBuilder *b,
               const Operands   *o)
{
  static const int limits[] = { [ACC_KIND_F16] = 14, [ACC_KIND_F32] = 126, [ACC_KIND_F64] = 1022 };
  double divisor = acc_scalar_to_double (o->kind, o->cy);
  int exponent;

  if (!o->ky || !isfinite (divisor) || fabs (frexp (divisor, &exponent)) != 0.5 || ABS (exponent - 1) > limits[o->kind])
    return 0;

  return kb_mul (b, (KValue) { o->x }, kb_float (b, o->kind, 1 / divisor)).id;
}

static const Fold float_folds[ACC_N_PRIMITIVES] = {
  [ACC_PRIM_MIN] = fold_float_extreme, [ACC_PRIM_MAX] = fold_float_extreme, [ACC_PRIM_FDIV] = fold_quotient,
};

static guint32
fold_primitive (AccKernelBuilder     *b,
                const AccKernelInstr *instr)
{
  AccElementKind kind = acc_kernel_instr (b->kernel, instr->args[0])->kind;
  Fold fold = (acc_element_kind_is_float (kind) ? float_folds : integer_folds)[instr->primitive];
  guint32 constant = fold_constants (b, instr, kind);
  Operands o = { instr->primitive, kind, instr->args[0], instr->args[1] };

  if (constant != 0 || fold == NULL)
    return constant;
  o.kx = get_const (b, o.x, &o.cx);
  o.ky = instr->n_args == 2 && get_const (b, o.y, &o.cy);

  return fold (b, &o);
}

static guint32
fold_cast (AccKernelBuilder     *b,
           const AccKernelInstr *instr)
{
  AccElementKind from = acc_kernel_instr (b->kernel, instr->args[0])->kind;
  AccScalar x;

  if (from == instr->kind)
    return instr->args[0];

  return get_const (b, instr->args[0], &x) ? _kb_const (b, instr->kind, acc_scalar_cast (from, instr->kind, x).u).id : 0;
}

static guint32
fold_extension (AccKernelBuilder     *b,
                const AccKernelInstr *instr)
{
  gboolean is_signed = instr->kind == ACC_KIND_I32;
  AccScalar x;

  if (!get_const (b, instr->args[0], &x))
    return 0;
  if (instr->bits == 8)
    x = acc_scalar_cast (instr->kind, is_signed ? ACC_KIND_I8 : ACC_KIND_U8, x);
  else
    x = acc_scalar_cast (instr->kind, is_signed ? ACC_KIND_I16 : ACC_KIND_U16, x);

  return _kb_const (b, instr->kind, x.u).id;
}

/* --- selects between equal operations become one operation of selected operands: cmp (x, a ? b : c) for a ? cmp (x, b) : cmp (x, c) */

#define ALIKE_DEPTH 4

/* Operands that are constants are worth keeping in others, and sums of indices have a form that emitters look for. */
static gboolean
may_be_shared (const AccKernelInstr *instr,
               AccElementKind        kind)
{
  if (instr->primitive == ACC_PRIM_ADD || instr->primitive == ACC_PRIM_SUB || instr->primitive == ACC_PRIM_MUL)
    return kind != ACC_KIND_I64;

  return acc_primitive_is (instr->primitive, ACC_FAMILY_REDUCTION) || instr->kind == ACC_KIND_BOOL;
}

/* Both by the same operation in this block: one of an outer block is computed already. */
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
  AccScalar value;

  if (get_const (b, condition, &value))
    return value.u ? x : y;
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
  AccScalar divisor;

  if (instr->op == ACC_KOP_PRIM)
    return fold_primitive (b, instr);
  if (instr->op == ACC_KOP_CAST)
    return fold_cast (b, instr);
  if (instr->op == ACC_KOP_EXTEND)
    return fold_extension (b, instr);
  if (instr->op == ACC_KOP_SELECT)
    return fold_select (b, instr);
  if (instr->op == ACC_KOP_BITCAST)
    return acc_kernel_instr (b->kernel, instr->args[0])->kind == instr->kind ? instr->args[0] : 0;
  if ((instr->op == ACC_KOP_UDIV || instr->op == ACC_KOP_UREM) && get_const (b, instr->args[1], &divisor) && divisor.u == 1)
    return instr->op == ACC_KOP_UDIV ? instr->args[0] : _kb_const (b, ACC_KIND_I64, 0).id;

  return 0;
}
