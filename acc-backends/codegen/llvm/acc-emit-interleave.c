/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

/* Loads that share wide loads, and stores that share wide stores. */

/* @x is its result and *offset. */
static guint32
split_sum (const AccKernel *kernel,
           guint32          x,
           gint64          *offset)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, x);

  *offset = 0;

  return instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD && emit_get_small_constant (kernel, instr->args[1], offset)
         ? instr->args[0] : x;
}

/* The index is both roots and *offset; the second root may be none. */
static void
split_index (const AccKernel *kernel,
             guint32          index,
             guint32          roots[2],
             gint64          *offset)
{
  const AccKernelInstr *instr;
  gint64 more = 0;

  roots[0] = split_sum (kernel, index, offset);
  roots[1] = 0;
  instr = acc_kernel_instr (kernel, roots[0]);
  if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD)
    {
      roots[0] = instr->args[0];
      roots[1] = split_sum (kernel, instr->args[1], &more);
    }
  *offset += more;
}

/* The loads of the same block with the same stride whose elements interleave, as the channels of pixels do. Only for buffers that nothing
 * in the kernel writes. Returns the offset of @load in *offset. */
gboolean
emit_group_of (Emitter      *e,
               guint32       load,
               StridedGroup *group,
               gint64       *offset)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, load);
  const AccKernelParam *param = acc_kernel_param (e->kernel, instr->args[0]);
  GArray *items = acc_kernel_block (e->kernel, instr->block)->items;
  gint64 stride = ABS (e->facts[instr->args[1]].stride);
  gint64 lowest;

  split_index (e->kernel, instr->args[1], group->roots, offset);
  group->buffer = instr->args[0];
  group->first = group->last = *offset;
  if ((param->flags & ACC_BUFFER_WRITE) || !(param->flags & ACC_BUFFER_NO_ALIAS))
    return FALSE;

  lowest = *offset;
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < items->len; i++)
      {
        const AccKernelInstr *other = acc_kernel_instr (e->kernel, g_array_index (items, guint32, i));
        guint32 roots[2];
        gint64 at;

        if (other->op != ACC_KOP_LOAD || other->args[0] != instr->args[0])
          continue;
        split_index (e->kernel, other->args[1], roots, &at);
        if (memcmp (roots, group->roots, sizeof roots) != 0)
          continue;
        if (pass == 0)
          lowest = MIN (lowest, at);
        else if ((at - lowest) / stride == (*offset - lowest) / stride)
          {
            group->first = MIN (group->first, at);
            group->last = MAX (group->last, at);
          }
      }

  return TRUE;
}

/* Stores are done together with the last one, so nothing between them may read them, or change which lanes are active. */
static gboolean
may_wait (const AccKernelInstr *instr,
          guint32               buffer)
{
  return instr->blocks[0] == 0 && instr->blocks[1] == 0 && !_acc_kernel_op_orders_stores (instr->op)
         && !(_acc_kernel_op_is_access (instr->op) && instr->op != ACC_KOP_STORE && instr->args[0] == buffer);
}

guint
emit_stores_of (Emitter *e,
                guint32  store,
                guint32 *stores,
                guint32 *last)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, store);
  const AccKernelParam *param = acc_kernel_buffer (e->kernel, instr->args[0]);
  GArray *items = acc_kernel_block (e->kernel, instr->block)->items;
  gint64 stride = e->facts[instr->args[1]].stride;
  guint32 roots[2];
  gint64 offset, most = 0;
  guint found = 0;

  if (stride < 2 || !(param->flags & ACC_BUFFER_NO_ALIAS))
    return 0;

  split_index (e->kernel, instr->args[1], roots, &offset);
  memset (stores, 0, ACC_MAX_LANES * sizeof *stores);
  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i), its_roots[2];
      const AccKernelInstr *other = acc_kernel_instr (e->kernel, id);
      gint64 at;

      if (other->op != ACC_KOP_STORE || other->args[0] != instr->args[0])
        continue;
      split_index (e->kernel, other->args[1], its_roots, &at);
      if (memcmp (its_roots, roots, sizeof roots) != 0 || at < 0 || at >= MIN (stride, ACC_MAX_LANES) || stores[at] != 0)
        return 0;
      stores[at] = id;
      *last = id;
      most = MAX (most, at);
      found++;
    }
  if (found < 2 || most != found - 1)
    return 0;
  for (guint i = 0, n = 0; n < found; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *other = acc_kernel_instr (e->kernel, id);

      if (other->op == ACC_KOP_STORE && other->args[0] == instr->args[0])
        n++;
      else if (n > 0 && !may_wait (other, instr->args[0]))
        return 0;
    }

  return found;
}
