/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-builder-private.h"

/* Memory, variables and blocks. */

KValue
kb_load (AccKernelBuilder *b,
         KBuffer           buffer,
         KValue            index)
{
  guint32 number = buffer.id - 1;
  AccKernelInstr instr = { .op = ACC_KOP_LOAD, .n_args = 2, .args = { number, index.id } };

  if (number & ACC_KERNEL_SHARED ? (number & ~ACC_KERNEL_SHARED) < b->kernel->shared->len : number < b->kernel->params->len)
    {
      const AccKernelParam *param = acc_kernel_buffer (b->kernel, number);

      instr.kind = param->kind;
      if ((param->flags & ACC_BUFFER_NO_ALIAS) && !(param->flags & ACC_BUFFER_WRITE))
        return _kb_pure (b, instr);
    }

  return _kb_append (b, instr);
}

void
kb_store (AccKernelBuilder *b,
          KBuffer           buffer,
          KValue            index,
          KValue            value)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_STORE, .n_args = 3, .args = { buffer.id - 1, index.id, value.id } });
}

void
kb_pack (AccKernelBuilder *b,
         KBuffer           buffer,
         KValue            first,
         KValue            value,
         KValue            stays,
         KValue            end)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_PACK, .n_args = 5, .args = { buffer.id - 1, first.id, value.id, stays.id, end.id } });
}

void
kb_prefetch (AccKernelBuilder *b,
             KBuffer           buffer,
             KValue            index)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_PREFETCH, .n_args = 2, .args = { buffer.id - 1, index.id } });
}

KVar
kb_var (AccKernelBuilder *b,
        KValue            initial)
{
  return (KVar) {
    _kb_append (b, (AccKernelInstr) {
      .op = ACC_KOP_VAR, .kind = kb_kind (b, initial), .n_args = 1, .args = { initial.id },
    }).id
  };
}

KValue
kb_get (AccKernelBuilder *b,
        KVar              var)
{
  return _kb_append (b, (AccKernelInstr) {
    .op = ACC_KOP_GET, .kind = kb_kind (b, (KValue) { var.id }), .n_args = 1, .args = { var.id },
  });
}

void
kb_set (AccKernelBuilder *b,
        KVar              var,
        KValue            value)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_SET, .n_args = 2, .args = { var.id, value.id } });
}

void
kb_check (AccKernelBuilder *b,
          KValue            ok,
          guint             kind,
          guint             origin,
          KValue            index,
          KValue            extent)
{
  const AccKernelInstr *instr = ok.id < b->kernel->instrs->len ? acc_kernel_instr (b->kernel, ok.id) : NULL;

  if (instr != NULL && instr->op == ACC_KOP_CONST && instr->kind == ACC_KIND_BOOL && instr->bits != 0)
    return;

  _kb_append (b, (AccKernelInstr) {
    .op = ACC_KOP_CHECK, .n_args = 3, .args = { ok.id, index.id, extent.id }, .bits = (guint64) origin << 32 | kind,
  });
}

static KValue
enter (AccKernelBuilder *b,
       AccKernelInstr    instr)
{
  KValue value = _kb_append (b, instr);
  guint32 block = _kb_push_block (b, value.id);

  if (value.id != 0)
    g_array_index (b->kernel->instrs, AccKernelInstr, value.id).blocks[0] = block;

  return value;
}

KValue
_kb_enter_for (AccKernelBuilder *b,
               KValue            begin,
               KValue            end,
               gboolean          is_long)
{
  return enter (b, (AccKernelInstr) {
    .op = ACC_KOP_FOR, .kind = ACC_KIND_I64, .n_args = 2, .args = { begin.id, end.id }, .bits = is_long,
  });
}

KValue
_kb_enter_foreach (AccKernelBuilder *b,
                   KValue            begin,
                   KValue            end)
{
  return enter (b, (AccKernelInstr) {
    .op = ACC_KOP_FOREACH, .kind = ACC_KIND_I64, .n_args = 2, .args = { begin.id, end.id }, .bits = b->lanes,
  });
}

void
_kb_enter_if (AccKernelBuilder *b,
              KValue            condition,
              gboolean          seldom)
{
  enter (b, (AccKernelInstr) { .op = ACC_KOP_IF, .n_args = 1, .args = { condition.id }, .bits = seldom });
}

void
_kb_enter_else (AccKernelBuilder *b)
{
  GArray *items = _kb_get_block (b, _kb_current_block (b))->items;
  guint32 id = items->len > 0 ? g_array_index (items, guint32, items->len - 1) : 0;
  AccKernelInstr *instr = &g_array_index (b->kernel->instrs, AccKernelInstr, id);
  guint32 block;

  if (b->error == NULL && (instr->op != ACC_KOP_IF || instr->blocks[1] != 0))
    _kb_set_error (b, "an else without its if");
  block = _kb_push_block (b, id);
  if (b->error == NULL)
    instr->blocks[1] = block;
}

void
_kb_enter_while (AccKernelBuilder *b)
{
  enter (b, (AccKernelInstr) { .op = ACC_KOP_WHILE });
}

void
kb_until (AccKernelBuilder *b,
          KValue            done)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_UNTIL, .n_args = 1, .args = { done.id } });
}

void
_kb_leave (AccKernelBuilder *b)
{
  if (b->stack->len <= 1)
    {
      _kb_set_error (b, "a block was left twice");
      return;
    }

  _kb_get_block (b, _kb_current_block (b))->open = FALSE;
  g_array_set_size (b->stack, b->stack->len - 1);
}

void
kb_set_lanes (AccKernelBuilder *b,
              guint             lanes)
{
  if (lanes > 256)
    _kb_set_error (b, "more than 256 lanes");
  b->lanes = lanes;
}

void
kb_set_precise (AccKernelBuilder *b,
                gboolean          precise)
{
  b->kernel->precise = precise;
}

void
kb_set_fast (AccKernelBuilder *b,
             gboolean          fast)
{
  b->kernel->fast = fast;
}

void
kb_set_straight (AccKernelBuilder *b,
                 gboolean          straight)
{
  b->kernel->straight = straight;
}

void
kb_set_masks (AccKernelBuilder *b,
              gboolean          masks)
{
  b->kernel->masks = masks;
}

gboolean
kb_is_straight (AccKernelBuilder *b)
{
  return b->kernel->straight;
}

void
kb_set_approximate (AccKernelBuilder *b,
                    gboolean          approximate)
{
  b->approximate = approximate;
}
