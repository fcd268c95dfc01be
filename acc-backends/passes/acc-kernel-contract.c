/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-passes.h"

/* Contracts products and sums to fused multiply-adds, and quotients by roots, in kernels with fast mathematics. */

#define ONE_F32 0x3f800000u   /* the bits of 1 */

static gboolean
is_root (const AccKernel *kernel,
         guint32          id)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  return instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_SQRT && instr->kind == ACC_KIND_F32;
}

gboolean
_acc_kernel_is_inverse_root (const AccKernel *kernel,
                             guint32          id,
                             guint32         *x)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id), *one = acc_kernel_instr (kernel, instr->args[0]);
  guint32 root;

  if (!kernel->fast || instr->op != ACC_KOP_PRIM || instr->kind != ACC_KIND_F32)
    return FALSE;
  if (instr->primitive == ACC_PRIM_FDIV && one->op == ACC_KOP_CONST && one->bits == ONE_F32)
    root = instr->args[1];
  else if (instr->primitive == ACC_PRIM_RECIP)
    root = instr->args[0];
  else
    return FALSE;
  *x = acc_kernel_instr (kernel, root)->args[0];

  return is_root (kernel, root);
}

static gboolean
is_product (const AccKernel *kernel,
            const guint32   *n_uses,
            guint32          id,
            guint32          block)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  return instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_MUL && n_uses[id] == 1 && instr->block == block;
}

/* Appends @primitive of @x and @y (0: of @x alone) to @items, of the kind and in the block of @like. */
static guint32
append (AccKernel   *kernel,
        GArray      *items,
        AccPrimitive primitive,
        guint32      x,
        guint32      y,
        guint32      like)
{
  AccKernelInstr instr = *acc_kernel_instr (kernel, like);
  guint32 id = kernel->instrs->len;

  instr.primitive = primitive;
  instr.n_args = y != 0 ? 2 : 1;
  instr.args[0] = x;
  instr.args[1] = y;
  g_array_append_val (kernel->instrs, instr);
  g_array_append_val (items, id);

  return id;
}

/* How far up is looked at what a number is made of */
#define MAX_DEPTH 6

/* Squares, magnitudes, and sums of such: -0 is none. */
static gboolean
is_never_negative (const AccKernel *kernel,
                   guint32          id,
                   guint            depth)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);
  gboolean is_square = instr->args[0] == instr->args[1];

  if (depth == MAX_DEPTH)
    return FALSE;
  if (instr->op == ACC_KOP_FMA)
    return is_square && is_never_negative (kernel, instr->args[2], depth + 1);
  if (instr->op != ACC_KOP_PRIM)
    return FALSE;
  if (instr->primitive == ACC_PRIM_ADD)
    return is_never_negative (kernel, instr->args[0], depth + 1) && is_never_negative (kernel, instr->args[1], depth + 1);

  return instr->primitive == ACC_PRIM_ABS || (instr->primitive == ACC_PRIM_MUL && is_square);
}

/* A sum is -0 only if all of its terms are; one with a product that is rounded once may also come to it from a negative term. */
static gboolean
is_never_minus_zero (const AccKernel *kernel,
                     guint32          id,
                     guint            depth)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  if (instr->op != ACC_KOP_PRIM || instr->primitive != ACC_PRIM_ADD || depth == MAX_DEPTH)
    return is_never_negative (kernel, id, depth);

  return is_never_minus_zero (kernel, instr->args[0], depth + 1) || is_never_minus_zero (kernel, instr->args[1], depth + 1);
}

/* x / √y becomes x (1/√y), and x / (y √y) becomes x (1/√y)³: one estimate in place of a root and a division, and the same one for
 * several x. */
static void
divide_by_root (AccKernel *kernel,
                guint32    id,
                GArray    *items)
{
  guint32 x = acc_kernel_instr (kernel, id)->args[0], root = acc_kernel_instr (kernel, id)->args[1], inverse, unused;
  const AccKernelInstr *below = acc_kernel_instr (kernel, root);
  gboolean is_cube = FALSE;
  AccKernelInstr *made;

  for (guint i = 0; i < 2 && below->op == ACC_KOP_PRIM && below->primitive == ACC_PRIM_MUL && !is_cube; i++)
    if (is_root (kernel, below->args[i]) && acc_kernel_instr (kernel, below->args[i])->args[0] == below->args[1 - i])
      {
        root = below->args[i];
        is_cube = TRUE;
      }
  if (!is_root (kernel, root) || _acc_kernel_is_inverse_root (kernel, id, &unused))
    return;

  inverse = append (kernel, items, ACC_PRIM_RECIP, root, 0, id);
  if (is_cube)
    {
      x = append (kernel, items, ACC_PRIM_MUL, x, inverse, id);
      x = append (kernel, items, ACC_PRIM_MUL, x, inverse, id);
      /* -0 √-0 is 0. */
      if (!is_never_minus_zero (kernel, acc_kernel_instr (kernel, root)->args[0], 0))
        inverse = append (kernel, items, ACC_PRIM_ABS, inverse, 0, id);
    }

  made = &g_array_index (kernel->instrs, AccKernelInstr, id);
  made->primitive = ACC_PRIM_MUL;
  made->args[0] = x;
  made->args[1] = inverse;
}

static void
contract (AccKernel     *kernel,
          const guint32 *n_uses,
          guint32        id,
          GArray        *items)
{
  AccKernelInstr made = *acc_kernel_instr (kernel, id);
  gboolean subtracts = made.primitive == ACC_PRIM_SUB;
  guint which = is_product (kernel, n_uses, made.args[0], made.block) ? 0 : 1;
  guint32 other = made.args[1 - which], product = made.args[which];

  if (!is_product (kernel, n_uses, product, made.block))
    return;

  made.args[0] = acc_kernel_instr (kernel, product)->args[0];
  made.args[1] = acc_kernel_instr (kernel, product)->args[1];
  if (subtracts && which == 1)
    made.args[0] = append (kernel, items, ACC_PRIM_NEG, made.args[0], 0, id);
  made.args[2] = subtracts && which == 0 ? append (kernel, items, ACC_PRIM_NEG, other, 0, id) : other;
  made.op = ACC_KOP_FMA;
  made.primitive = 0;
  made.n_args = 3;
  g_array_index (kernel->instrs, AccKernelInstr, id) = made;
}

void
_acc_kernel_contract (AccKernelBuilder *b)
{
  AccKernel *kernel = b->kernel;
  g_autofree guint32 *n_uses = g_new0 (guint32, kernel->instrs->len);

  for (guint32 i = 1; i < kernel->instrs->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (kernel, i);

      for (guint j = _acc_kernel_first_id (instr); j < instr->n_args; j++)
        n_uses[instr->args[j]]++;
    }

  for (guint32 i = 1; i < kernel->blocks->len; i++)
    {
      AccKernelBlock *block = &g_array_index (kernel->blocks, AccKernelBlock, i);
      GArray *items = g_array_sized_new (FALSE, FALSE, sizeof (guint32), block->items->len);

      for (guint j = 0; j < block->items->len; j++)
        {
          guint32 id = g_array_index (block->items, guint32, j);
          const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

          if (instr->op == ACC_KOP_PRIM && (instr->kind == ACC_KIND_F32 || instr->kind == ACC_KIND_F64)
              && (instr->primitive == ACC_PRIM_ADD || instr->primitive == ACC_PRIM_SUB))
            contract (kernel, n_uses, id, items);
          else if (instr->op == ACC_KOP_PRIM && instr->kind == ACC_KIND_F32 && instr->primitive == ACC_PRIM_FDIV)
            divide_by_root (kernel, id, items);
          g_array_append_val (items, id);
        }
      g_array_unref (block->items);
      block->items = items;
    }
}
