/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-target.h"
#include "acc-kernel-private.h"

const AccTarget acc_target_cpu = { .model = ACC_MODEL_CPU, .register_bytes = 16, .n_registers = 16 };

static guint
get_param_kinds (GArray *params)
{
  guint kinds = 0;

  for (guint i = 0; i < params->len; i++)
    {
      const AccKernelParam *param = &g_array_index (params, AccKernelParam, i);

      if (param->is_buffer || param->n_elements > 0 || param->kind != ACC_KIND_BOOL)
        kinds |= 1u << param->kind;
    }

  return kinds;
}

/* Every device has conditions; what it may lack is memory of them. */
static guint
get_value_kinds (const AccKernel *kernel)
{
  guint kinds = 0;

  for (guint b = ACC_KERNEL_BODY; b < kernel->blocks->len; b++)
    {
      const AccKernelBlock *block = acc_kernel_block (kernel, b);

      for (guint i = 0; i < block->items->len; i++)
        {
          guint32 id = g_array_index (block->items, guint32, i);
          const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

          if (_acc_kernel_is_value (kernel, id) || instr->op == ACC_KOP_VAR)
            kinds |= 1u << instr->kind;
        }
    }

  return kinds & ~(1u << ACC_KIND_BOOL);
}

gboolean
acc_target_can_run (const AccTarget *target,
                    const AccKernel *kernel,
                    AccElementKind  *missing)
{
  guint kinds;

  if (target->model == ACC_MODEL_CPU)
    return TRUE;

  kinds = get_param_kinds (kernel->params) | get_param_kinds (kernel->shared) | get_value_kinds (kernel);
  kinds &= ~target->kinds;
  if (kinds == 0)
    return TRUE;

  *missing = g_bit_nth_msf (kinds, -1);

  return FALSE;
}
