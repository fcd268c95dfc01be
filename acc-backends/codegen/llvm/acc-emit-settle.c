/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-llvm.h"
#include "acc-backends/passes/acc-passes.h"

/* Optimised, with constants of a loop, it uses all of the tables that kernels were seen to use (tests/backends/test-emit-settle.c). */
static AccKernel *
make_kernel (void)
{
  AccKernelBuilder *b = kb_new ("settle");
  KBuffer x = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ, "x"), y = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_WRITE, "y");

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    kb_store (b, y, i, kb_prim (b, ACC_PRIM_EXP, kb_load (b, x, i)));

  return kb_finish (b, NULL);
}

void
acc_emit_settle (AccLlvmTarget *target)
{
  static gsize settled = 0;

  if (g_once_init_enter (&settled))
    {
      g_autoptr (AccKernel) kernel = make_kernel ();
      g_autoptr (GBytes) object = acc_emit_llvm (kernel, target, ACC_EMIT_SCALAR, NULL, NULL);

      g_once_init_leave (&settled, 1);
    }
}
