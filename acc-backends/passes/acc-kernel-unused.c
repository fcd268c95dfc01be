/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-passes.h"

/* Uses come after definitions, so one walk backwards finds all unused instructions. */
void
_acc_kernel_drop_unused (AccKernelBuilder *b)
{
  AccKernel *kernel = b->kernel;
  g_autofree guint32 *n_uses = g_new0 (guint32, kernel->instrs->len);
  g_autofree guint8 *dropped = g_new0 (guint8, kernel->instrs->len);

  for (guint32 i = 1; i < kernel->instrs->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (kernel, i);

      for (guint j = _acc_kernel_first_id (instr); j < instr->n_args; j++)
        n_uses[instr->args[j]]++;
    }

  for (guint32 i = kernel->instrs->len - 1; i > 0; i--)
    {
      const AccKernelInstr *instr = acc_kernel_instr (kernel, i);

      if (n_uses[i] > 0 || !(_acc_kernel_op_is_pure (instr->op) || instr->op == ACC_KOP_LOAD || instr->op == ACC_KOP_GET))
        continue;
      dropped[i] = 1;
      for (guint j = _acc_kernel_first_id (instr); j < instr->n_args; j++)
        n_uses[instr->args[j]]--;
    }

  for (guint32 i = 1; i < kernel->blocks->len; i++)
    {
      GArray *items = acc_kernel_block (kernel, i)->items;
      guint kept = 0;

      for (guint j = 0; j < items->len; j++)
        if (!dropped[g_array_index (items, guint32, j)])
          g_array_index (items, guint32, kept++) = g_array_index (items, guint32, j);
      g_array_set_size (items, kept);
    }
}
