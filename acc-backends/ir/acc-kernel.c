/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-private.h"

/* Few kernels have less, and all are built one instruction after the other. */
#define FIRST_INSTRS 128

static void
param_clear (gpointer data)
{
  AccKernelParam *param = data;

  g_free (param->name);
}

static void
block_clear (gpointer data)
{
  AccKernelBlock *block = data;

  g_clear_pointer (&block->items, g_array_unref);
}

AccKernel *
_acc_kernel_new (const char *name)
{
  AccKernel *self = g_new0 (AccKernel, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->name = g_strdup (name != NULL && *name != '\0' ? name : "kernel");
  self->params = g_array_new (FALSE, TRUE, sizeof (AccKernelParam));
  g_array_set_clear_func (self->params, param_clear);
  self->shared = g_array_new (FALSE, TRUE, sizeof (AccKernelParam));
  g_array_set_clear_func (self->shared, param_clear);
  self->instrs = g_array_sized_new (FALSE, TRUE, sizeof (AccKernelInstr), FIRST_INSTRS);
  g_array_set_size (self->instrs, 1);
  self->blocks = g_array_new (FALSE, TRUE, sizeof (AccKernelBlock));
  g_array_set_clear_func (self->blocks, block_clear);
  g_array_set_size (self->blocks, 1);

  return self;
}

AccKernel *
acc_kernel_ref (AccKernel *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_kernel_unref (AccKernel *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_array_unref (self->blocks);
  g_array_unref (self->instrs);
  g_array_unref (self->params);
  g_array_unref (self->shared);
  g_free (self->hash);
  g_free (self->name);
  g_free (self);
}

const char *
acc_kernel_get_name (AccKernel *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->name;
}

guint
acc_kernel_get_length (AccKernel *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->instrs->len;
}

guint
acc_kernel_get_n_params (AccKernel *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->params->len;
}

const char *
acc_kernel_get_hash (AccKernel *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->hash;
}

char *
acc_kernel_to_string (AccKernel *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return _acc_kernel_print (self, TRUE);
}

static gboolean
has_op (const AccKernel *kernel,
        AccKernelOp      op)
{
  for (guint i = 1; i < kernel->instrs->len; i++)
    if (acc_kernel_instr (kernel, i)->op == op)
      return TRUE;

  return FALSE;
}

gboolean
_acc_kernel_may_fail (const AccKernel *kernel)
{
  return has_op (kernel, ACC_KOP_CHECK);
}

gboolean
acc_kernel_has_while (AccKernel *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return has_op (self, ACC_KOP_WHILE);
}

/* Instructions whose time passes unnoticed, however many lanes each of them is for. */
#define MANY_INSTRS 256

/* @left: how many more may come. */
static gboolean
has_more (const AccKernel *kernel,
          guint32          block,
          guint           *left)
{
  const GArray *items = acc_kernel_block (kernel, block)->items;

  if (items->len > *left)
    return TRUE;
  *left -= items->len;
  for (guint i = 0; i < items->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (kernel, g_array_index (items, guint32, i));

      for (guint j = 0; j < G_N_ELEMENTS (instr->blocks); j++)
        if (instr->blocks[j] != 0 && has_more (kernel, instr->blocks[j], left))
          return TRUE;
    }

  return FALSE;
}

gboolean
_acc_kernel_block_is_long (const AccKernel *kernel,
                           guint32          block)
{
  guint left = MANY_INSTRS;

  return has_more (kernel, block, &left);
}

gboolean
acc_kernel_may_stop (AccKernel *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  if (self->group_size > 0)
    return FALSE;
  if (self->instrs->len > MANY_INSTRS)
    return TRUE;
  for (guint32 id = 1; id < self->instrs->len; id++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (self, id);

      if (instr->op == ACC_KOP_WHILE || (instr->op == ACC_KOP_FOR && instr->bits != 0))
        return TRUE;
    }

  return FALSE;
}

gboolean
_acc_kernel_op_in_no_block (AccKernelOp op)
{
  return op == ACC_KOP_CONST || op == ACC_KOP_PARAM || op == ACC_KOP_RANGE || op == ACC_KOP_LOCAL;
}

gboolean
_acc_kernel_op_is_loop (AccKernelOp op)
{
  return op == ACC_KOP_FOR || op == ACC_KOP_FOREACH || op == ACC_KOP_WHILE;
}

gboolean
_acc_kernel_op_is_access (AccKernelOp op)
{
  return op == ACC_KOP_LOAD || op == ACC_KOP_STORE || op == ACC_KOP_PACK || op == ACC_KOP_ATOMIC || op == ACC_KOP_CAS;
}

gboolean
_acc_kernel_op_meets (AccKernelOp op)
{
  return op == ACC_KOP_SHUFFLE || op == ACC_KOP_BALLOT || op == ACC_KOP_PACK;
}

gboolean
_acc_kernel_op_is_pure (AccKernelOp op)
{
  return op >= ACC_KOP_CONST && op <= ACC_KOP_UREM;
}

gboolean
_acc_kernel_is_lock_step (const AccKernel *kernel,
                          guint32          foreach)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, foreach);
  const AccKernelInstr *begin, *end;

  if (instr->op != ACC_KOP_FOREACH || instr->bits < 2)
    return FALSE;

  begin = acc_kernel_instr (kernel, instr->args[0]);
  end = acc_kernel_instr (kernel, instr->args[1]);

  return begin->op == ACC_KOP_CONST && begin->bits == 0 && end->op == ACC_KOP_CONST && end->bits == instr->bits;
}

guint32
_acc_kernel_get_parent (const AccKernel *kernel,
                        guint32          id)
{
  guint32 block = acc_kernel_instr (kernel, id)->block;

  return block != 0 ? acc_kernel_block (kernel, block)->parent : 0;
}

gboolean
_acc_kernel_is_inside (const AccKernel *kernel,
                       guint32          id,
                       guint32          around)
{
  for (guint32 at = id; at != 0; at = _acc_kernel_get_parent (kernel, at))
    if (at == around)
      return TRUE;

  return FALSE;
}

gboolean
_acc_kernel_op_orders_stores (AccKernelOp op)
{
  return op == ACC_KOP_UNTIL || (op >= ACC_KOP_BARRIER && op <= ACC_KOP_FENCE) || op == ACC_KOP_ATOMIC || op == ACC_KOP_CAS;
}

gboolean
_acc_kernel_is_value (const AccKernel *kernel,
                      guint32          id)
{
  AccKernelOp op;

  if (id == 0 || id >= kernel->instrs->len)
    return FALSE;

  op = acc_kernel_instr (kernel, id)->op;

  return (op >= ACC_KOP_CONST && op <= ACC_KOP_LOAD) || op == ACC_KOP_GET || op == ACC_KOP_FOR || op == ACC_KOP_FOREACH
         || (op >= ACC_KOP_SHUFFLE && op <= ACC_KOP_CAS);
}

guint
_acc_kernel_first_id (const AccKernelInstr *instr)
{
  if (instr->op == ACC_KOP_PARAM || instr->op == ACC_KOP_RANGE || instr->op == ACC_KOP_PREFETCH || _acc_kernel_op_is_access (instr->op))
    return 1;

  return 0;
}
