/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-passes.h"

/* Narrows the flags of buffers to what a kernel does with them, which may be less than they were declared for: buffers that are only read
 * may be cached, and those that are only written need not be read. Coherent ones are shared with other groups. */
void
_acc_kernel_find_access (AccKernelBuilder *b)
{
  AccKernel *kernel = b->kernel;
  g_autofree AccBufferFlags *access = g_new0 (AccBufferFlags, kernel->params->len + 1);

  for (guint32 i = 1; i < kernel->blocks->len; i++)
    {
      const GArray *items = acc_kernel_block (kernel, i)->items;

      for (guint j = 0; j < items->len; j++)
        {
          const AccKernelInstr *instr = acc_kernel_instr (kernel, g_array_index (items, guint32, j));

          if (_acc_kernel_op_is_access (instr->op) && !(instr->args[0] & ACC_KERNEL_SHARED))
            access[instr->args[0]] |= instr->op == ACC_KOP_LOAD ? ACC_BUFFER_READ : ACC_BUFFER_WRITE;
        }
    }
  for (guint i = 0; i < kernel->params->len; i++)
    {
      AccKernelParam *param = &g_array_index (kernel->params, AccKernelParam, i);

      if (param->is_buffer && !(param->flags & ACC_BUFFER_COHERENT))
        param->flags &= ~(ACC_BUFFER_READ | ACC_BUFFER_WRITE) | access[i];
    }
}
