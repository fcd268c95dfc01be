/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include "acc-module-machine.h"

/* What blocks do, and what that costs. */

gboolean
emit_has_effects (Emitter *e,
                  guint32  block)
{
  GArray *items = block != 0 ? acc_kernel_block (e->kernel, block)->items : NULL;

  for (guint i = 0; items != NULL && i < items->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, g_array_index (items, guint32, i));

      if (_acc_kernel_op_is_access (instr->op) || instr->op == ACC_KOP_CHECK || _acc_kernel_op_is_loop (instr->op) ||
          emit_has_effects (e, instr->blocks[0]) || emit_has_effects (e, instr->blocks[1]))
        return TRUE;
    }

  return FALSE;
}

typedef struct {
  gboolean loaded, stored;
} Use;

/* @uses: per parameter, how the body uses its elements. FALSE: an instruction may not be repeated. */
static gboolean
find_uses (Emitter *e,
           guint32  block,
           Use     *uses)
{
  GArray *items = block != 0 ? acc_kernel_block (e->kernel, block)->items : NULL;

  for (guint i = 0; items != NULL && i < items->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, g_array_index (items, guint32, i));

      if (_acc_kernel_op_meets (instr->op) || _acc_kernel_op_orders_stores (instr->op) != (instr->op == ACC_KOP_UNTIL))
        return FALSE;
      if (instr->op == ACC_KOP_LOAD)
        uses[instr->args[0]].loaded = TRUE;
      if (instr->op == ACC_KOP_STORE)
        uses[instr->args[0]].stored = TRUE;
      if (!find_uses (e, instr->blocks[0], uses) || !find_uses (e, instr->blocks[1], uses))
        return FALSE;
    }

  return TRUE;
}

gboolean
emit_is_repeatable (Emitter *e,
                    guint32  foreach)
{
  g_autofree Use *uses = g_new0 (Use, e->kernel->params->len);

  if (!find_uses (e, acc_kernel_instr (e->kernel, foreach)->blocks[0], uses))
    return FALSE;
  for (guint i = 0; i < e->kernel->params->len; i++)
    if (uses[i].loaded && uses[i].stored)
      return FALSE;

  return TRUE;
}

static guint
cost_of (Emitter *e,
         guint32  block)
{
  GArray *items = block != 0 ? acc_kernel_block (e->kernel, block)->items : NULL;
  guint cost = 0;

  for (guint i = 0; items != NULL && i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

      if (instr->op == ACC_KOP_PRIM &&
          (acc_primitive_is (instr->primitive, ACC_FAMILY_TRANSCENDENTAL) ||
           acc_primitive_is (instr->primitive, ACC_FAMILY_DIVISION)))
        cost += 16;
      else if (e->facts[id].shape == SHAPE_VARYING)
        cost++;
      cost += cost_of (e, instr->blocks[0]) + cost_of (e, instr->blocks[1]);
    }

  return cost;
}

gboolean
emit_is_long (Emitter *e,
              guint32  block)
{
  return emit_has_effects (e, block) || cost_of (e, block) > 32;
}

gboolean
emit_is_costly (Emitter *e,
                guint32  block)
{
  return emit_has_effects (e, block) || cost_of (e, block) > 12;
}

#define LARGE_KERNEL 1024

gboolean
emit_is_large (const AccKernel *kernel)
{
  return kernel->group_size == 0 && kernel->instrs->len > LARGE_KERNEL;
}

#define LEAST_INSTRS 40

gboolean
emit_is_outlined (Emitter *e,
                  guint32  block)
{
  const AccKernel *kernel = e->kernel;
  const GArray *items = acc_kernel_block (kernel, block)->items;
  const AccKernelInstr *owner = acc_kernel_instr (kernel, acc_kernel_block (kernel, block)->parent);

  if ((acc_disable_get_flags () & ACC_DISABLE_OUTLINE) || kernel->group_size > 0 || owner->op != ACC_KOP_IF || owner->bits == 0
      || owner->blocks[1] != 0 || items->len < LEAST_INSTRS)
    return FALSE;
  for (guint i = 0; i < items->len; i++)
    {
      AccKernelOp op = acc_kernel_instr (kernel, g_array_index (items, guint32, i))->op;

      if (!_acc_kernel_op_is_pure (op) && op != ACC_KOP_SET)
        return FALSE;
    }

  return TRUE;
}
