/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-builder-private.h"

#include <string.h>

#include "acc-error.h"

/* --- common subexpressions: ids, in a hash table of our own. Every instruction is looked up, and GLib's tables would need a copy of
 * each. */

#define LEAST_SLOTS 256

/* That a block has room for at first. */
#define FIRST_ITEMS 32

/* Where the id of an equal one is, or would be. */
static guint32 *
find_slot (AccKernelBuilder     *b,
           const AccKernelInstr *instr)
{
  guint at = (guint) (acc_kernel_hash_instr (0, instr) >> 32) & (b->n_slots - 1);

  while (b->slots[at] != 0 && !acc_kernel_equal_instrs (acc_kernel_instr (b->kernel, b->slots[at]), instr))
    at = (at + 1) & (b->n_slots - 1);

  return &b->slots[at];
}

static void
grow_slots (AccKernelBuilder *b)
{
  g_autofree guint32 *old = b->slots;
  guint n = b->n_slots;

  b->n_slots = MAX (2 * n, LEAST_SLOTS);
  b->slots = g_new0 (guint32, b->n_slots);
  for (guint i = 0; i < n; i++)
    if (old[i] != 0)
      *find_slot (b, acc_kernel_instr (b->kernel, old[i])) = old[i];
}

static void
set_known (AccKernelBuilder *b,
           guint32           id)
{
  guint32 *slot = find_slot (b, acc_kernel_instr (b->kernel, id));

  b->n_known += *slot == 0;
  *slot = id;
  if (b->n_known * 2 > b->n_slots)
    grow_slots (b);
}

void
_kb_set_error (AccKernelBuilder *b,
               const char       *message)
{
  if (b->error == NULL)
    g_set_error (&b->error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: %s", b->kernel->name, message);
}

guint32
_kb_current_block (AccKernelBuilder *b)
{
  return g_array_index (b->stack, guint32, b->stack->len - 1);
}

AccKernelBlock *
_kb_get_block (AccKernelBuilder *b,
               guint32           block)
{
  return &g_array_index (b->kernel->blocks, AccKernelBlock, block);
}

guint32
_kb_push_block (AccKernelBuilder *b,
                guint32           parent)
{
  AccKernelBlock block = { g_array_sized_new (FALSE, FALSE, sizeof (guint32), FIRST_ITEMS), parent, TRUE };
  guint32 id = b->kernel->blocks->len;

  g_array_append_val (b->kernel->blocks, block);
  g_array_append_val (b->stack, id);

  return id;
}

AccKernelBuilder *
kb_new (const char *name)
{
  AccKernelBuilder *b = g_new0 (AccKernelBuilder, 1);

  b->kernel = _acc_kernel_new (name);
  b->stack = g_array_new (FALSE, FALSE, sizeof (guint32));
  grow_slots (b);
  _kb_push_block (b, 0);

  return b;
}

AccKernelBuilder *
_kb_new_like (const AccKernel *kernel)
{
  AccKernelBuilder *b = kb_new (kernel->name);

  b->kernel->precise = kernel->precise;
  b->kernel->fast = kernel->fast;
  b->kernel->straight = kernel->straight;
  b->kernel->masks = kernel->masks;
  b->kernel->group_size = kernel->group_size;
  b->kernel->n_resident = kernel->n_resident;
  g_array_unref (b->kernel->params);
  g_array_unref (b->kernel->shared);
  b->kernel->params = g_array_ref (kernel->params);
  b->kernel->shared = g_array_ref (kernel->shared);

  return b;
}

void
_kb_take_over (AccKernelBuilder *b,
               AccKernelBuilder *made)
{
  AccKernel *before = b->kernel;

  b->kernel = g_steal_pointer (&made->kernel);
  if (made->error != NULL)
    g_propagate_error (&b->error, g_steal_pointer (&made->error));
  made->kernel = before;
  kb_discard (made);
}

void
kb_discard (AccKernelBuilder *b)
{
  g_return_if_fail (b != NULL);

  g_clear_pointer (&b->kernel, acc_kernel_unref);
  g_clear_error (&b->error);
  g_array_unref (b->stack);
  g_free (b->slots);
  g_free (b);
}

gboolean
_kb_is_whole (AccKernelBuilder *b)
{
  if (b->stack->len != 1)
    _kb_set_error (b, "a block was left open");

  return b->error == NULL;
}

/* --- instructions */

static gboolean
is_open (AccKernelBuilder *b,
         guint32           id)
{
  const AccKernelInstr *instr = acc_kernel_instr (b->kernel, id);

  return instr->block == 0 || _kb_get_block (b, instr->block)->open;
}

KValue
_kb_append (AccKernelBuilder *b,
            AccKernelInstr    instr)
{
  guint32 id = b->kernel->instrs->len;

  if (b->error != NULL)
    return (KValue) { 0 };
  if (!_acc_kernel_check_instr (b->kernel, &instr, &b->error))
    return (KValue) { 0 };
  for (guint i = _acc_kernel_first_id (&instr); i < instr.n_args; i++)
    {
      guint32 arg = instr.args[i];

      if (!is_open (b, arg) ||
          ((acc_kernel_instr (b->kernel, arg)->op == ACC_KOP_FOR || acc_kernel_instr (b->kernel, arg)->op == ACC_KOP_FOREACH) &&
           !_kb_get_block (b, acc_kernel_instr (b->kernel, arg)->blocks[0])->open))
        {
          _kb_set_error (b, "a value is used outside the block that made it");
          return (KValue) { 0 };
        }
    }

  if (!_acc_kernel_op_in_no_block (instr.op))
    {
      instr.block = _kb_current_block (b);
      g_array_append_val (_kb_get_block (b, instr.block)->items, id);
    }
  g_array_append_val (b->kernel->instrs, instr);

  return (KValue) { id };
}

KValue
_kb_pure (AccKernelBuilder *b,
          AccKernelInstr    instr)
{
  guint32 known;
  KValue value;

  if (b->error != NULL)
    return (KValue) { 0 };

  if (!_acc_kernel_op_in_no_block (instr.op))
    {
      guint32 folded;

      if (!_acc_kernel_check_instr (b->kernel, &instr, &b->error))
        return (KValue) { 0 };
      folded = _kb_fold (b, &instr);
      if (folded != 0 && is_open (b, folded))
        return (KValue) { folded };
      if (b->error != NULL)
        return (KValue) { 0 };
    }

  known = *find_slot (b, &instr);
  if (known != 0 && is_open (b, known))
    return (KValue) { known };

  value = _kb_append (b, instr);
  if (value.id != 0)
    set_known (b, value.id);

  return value;
}

void
_kb_keep (AccKernelBuilder *b,
          const KKept      *kept)
{
  b->kept[b->n_kept++ % KB_KEPT] = *kept;
}

const KKept *
_kb_find_kept (AccKernelBuilder *b,
               KValue            x,
               guint64           how)
{
  for (guint i = 0; i < MIN (b->n_kept, KB_KEPT) && b->error == NULL; i++)
    if (b->kept[i].of.id == x.id && b->kept[i].how == how && is_open (b, b->kept[i].parts[0].id))
      return &b->kept[i];

  return NULL;
}

KValue
_kb_const (AccKernelBuilder *b,
           AccElementKind    kind,
           guint64           bits)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_CONST, .kind = kind, .bits = bits });
}

static guint32
add_param (AccKernelBuilder *b,
           AccKernelParam    param)
{
  if (param.kind >= ACC_KIND_TUPLE)
    _kb_set_error (b, "a parameter that is no scalar");
  g_array_append_val (b->kernel->params, param);

  return b->kernel->params->len - 1;
}

KBuffer
kb_param_buffer (AccKernelBuilder *b,
                 AccElementKind    kind,
                 AccBufferFlags    flags,
                 const char       *name)
{
  return (KBuffer) { add_param (b, (AccKernelParam) { g_strdup (name), kind, TRUE, flags }) + 1 };
}

void
kb_set_n_elements (AccKernelBuilder *b,
                   KBuffer           buffer,
                   guint             n_elements)
{
  if (buffer.id == 0 || buffer.id > b->kernel->params->len)
    _kb_set_error (b, "elements of no parameter are counted");
  else
    g_array_index (b->kernel->params, AccKernelParam, buffer.id - 1).n_elements = n_elements;
}

KValue
kb_param_scalar (AccKernelBuilder *b,
                 AccElementKind    kind,
                 const char       *name)
{
  guint32 number = add_param (b, (AccKernelParam) { g_strdup (name), kind, FALSE, 0 });

  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_PARAM, .kind = kind, .n_args = 1, .args = { number } });
}

static KValue
range (AccKernelBuilder *b,
       guint             part)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_RANGE, .kind = ACC_KIND_I64, .n_args = 1, .args = { part } });
}

KValue
kb_outer_begin (AccKernelBuilder *b)
{
  return range (b, 0);
}

KValue
kb_outer_end (AccKernelBuilder *b)
{
  return range (b, 1);
}

KValue
kb_inner_begin (AccKernelBuilder *b)
{
  return range (b, 2);
}

KValue
kb_inner_end (AccKernelBuilder *b)
{
  return range (b, 3);
}

KValue
kb_tile (AccKernelBuilder *b)
{
  return range (b, 4);
}

AccElementKind
kb_kind (AccKernelBuilder *b,
         KValue            x)
{
  return x.id < b->kernel->instrs->len ? acc_kernel_instr (b->kernel, x.id)->kind : ACC_KIND_BOOL;
}
