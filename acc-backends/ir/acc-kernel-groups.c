/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What kernels for groups of threads have besides. */

#include "acc-kernel-builder-private.h"

#include "acc-error.h"

static void
fail (AccKernelBuilder *b,
      const char       *message)
{
  if (b->error == NULL)
    g_set_error (&b->error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: %s", b->kernel->name, message);
}

void
kb_set_group_size (AccKernelBuilder *b,
                   guint             threads)
{
  if (threads == 0 || threads > 1024 || (threads & (threads - 1)) != 0)
    fail (b, "the threads of a group are no power of two up to 1024");
  b->kernel->group_size = threads;
}

void
kb_set_resident (AccKernelBuilder *b,
                 guint             threads)
{
  b->kernel->n_resident = threads;
}

guint
acc_kernel_get_group_size (AccKernel *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->group_size;
}

KValue
kb_local (AccKernelBuilder *b)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_LOCAL, .kind = ACC_KIND_I64 });
}

static KBuffer
add_shared (AccKernelBuilder *b,
            AccElementKind    kind,
            AccBufferFlags    flags,
            guint             n,
            const char       *name)
{
  AccKernelParam param = { g_strdup (name), kind, TRUE, flags, n };

  if (n == 0 || kind >= ACC_KIND_TUPLE)
    fail (b, "an array of shared memory without elements");
  g_array_append_val (b->kernel->shared, param);

  return (KBuffer) { ((b->kernel->shared->len - 1) | ACC_KERNEL_SHARED) + 1 };
}

KBuffer
kb_shared (AccKernelBuilder *b,
           AccElementKind    kind,
           guint             n,
           const char       *name)
{
  return add_shared (b, kind, ACC_BUFFER_READ | ACC_BUFFER_WRITE, n, name);
}

KBuffer
kb_shared_wide (AccKernelBuilder *b,
                AccElementKind    kind,
                guint             n,
                const char       *name)
{
  if (acc_element_kind_get_size (kind) < 4)
    fail (b, "wide shared memory of small elements");

  return add_shared (b, kind, ACC_BUFFER_READ | ACC_BUFFER_WRITE | ACC_BUFFER_WIDE, n, name);
}

void
kb_barrier (AccKernelBuilder *b)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_BARRIER });
}

void
kb_subgroup_barrier (AccKernelBuilder *b)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_SUBGROUP_BARRIER });
}

void
kb_fence (AccKernelBuilder *b)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_FENCE });
}

KValue
kb_shuffle (AccKernelBuilder *b,
            KShuffle          how,
            KValue            x,
            guint             delta)
{
  return _kb_append (b, (AccKernelInstr) {
    .op = ACC_KOP_SHUFFLE, .kind = kb_kind (b, x), .n_args = 1, .args = { x.id }, .bits = (guint64) how << 32 | delta,
  });
}

KValue
kb_ballot (AccKernelBuilder *b,
           KValue            x)
{
  return _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_BALLOT, .kind = ACC_KIND_U32, .n_args = 1, .args = { x.id } });
}

KValue
kb_atomic (AccKernelBuilder *b,
           KAtomic           how,
           KBuffer           buffer,
           KValue            index,
           KValue            value)
{
  return _kb_append (b, (AccKernelInstr) {
    .op = ACC_KOP_ATOMIC, .kind = kb_kind (b, value), .n_args = 3, .args = { buffer.id - 1, index.id, value.id }, .bits = how,
  });
}

KValue
kb_atomic_cas (AccKernelBuilder *b,
               KBuffer           buffer,
               KValue            index,
               KValue            expected,
               KValue            desired)
{
  return _kb_append (b, (AccKernelInstr) {
    .op = ACC_KOP_CAS, .kind = kb_kind (b, desired), .n_args = 4,
    .args = { buffer.id - 1, index.id, expected.id, desired.id },
  });
}
