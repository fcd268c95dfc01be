/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-llvm.h"
#include "acc-backends/passes/acc-passes.h"

/* LLVM makes tables when it first needs them, and frees them in exit handlers. This compiles one kernel that needs all of them
 * (tests/backends/test-emit-prepare-exit.c looks), so that handlers which are registered later run before the tables go. */
static AccKernel *
make_kernel (void)
{
  AccKernelBuilder *b = kb_new ("prepare_exit");
  KBuffer x = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ, "x"), y = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_WRITE, "y");

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    kb_store (b, y, i, kb_prim (b, ACC_PRIM_EXP, kb_load (b, x, i)));

  return kb_finish (b, NULL);
}

void
acc_emit_prepare_exit (AccLlvmTarget *target)
{
  static gsize prepared = 0;

  if (g_once_init_enter (&prepared))
    {
      g_autoptr(AccKernel) kernel = make_kernel ();
      g_autoptr(GBytes) object = acc_emit_llvm (kernel, target, ACC_EMIT_SCALAR, NULL, NULL);

      g_once_init_leave (&prepared, 1);
    }
}
