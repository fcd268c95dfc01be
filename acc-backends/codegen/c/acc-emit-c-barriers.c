/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

/* Finds the barriers at which threads of a group must see what the others stored to buffers, and not to shared memory alone: those between
 * two uses of a buffer, one of which stores. All other barriers need not wait for memory. */

typedef struct {
  const AccKernel *kernel;
  guint32         *places;    /* by instruction: where it comes */
  guint32          n_places;
  GArray          *accesses;  /* guint32: instructions */
  GArray          *barriers;
} Search;

static void
visit (Search *self,
       guint32 block)
{
  GArray *items = acc_kernel_block (self->kernel, block)->items;

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (self->kernel, id);

      self->places[id] = self->n_places++;
      if (instr->op == ACC_KOP_BARRIER)
        g_array_append_val (self->barriers, id);
      if (_acc_kernel_op_is_access (instr->op)
          && !(instr->args[0] & ACC_KERNEL_SHARED) && (acc_kernel_param (self->kernel, instr->args[0])->flags & ACC_BUFFER_WRITE) != 0)
        g_array_append_val (self->accesses, id);
      for (guint k = 0; k < 2; k++)
        if (instr->blocks[k] != 0)
          visit (self, instr->blocks[k]);
    }
}

/* Whether @x may be run before @y, and after it. */
static void
find_order (Search   *self,
            guint32   x,
            guint32   y,
            gboolean *before,
            gboolean *after)
{
  gboolean excludes = FALSE;

  for (guint32 in = y, at; (at = _acc_kernel_get_parent (self->kernel, in)) != 0; in = at)
    {
      const AccKernelInstr *around = acc_kernel_instr (self->kernel, at);

      if (!_acc_kernel_is_inside (self->kernel, x, at))
        continue;
      if (_acc_kernel_op_is_loop (around->op))
        {
          *before = *after = TRUE;
          return;
        }
      if (around->op == ACC_KOP_IF && around->blocks[1] != 0 && !excludes)
        {
          guint32 other = x;

          while (_acc_kernel_get_parent (self->kernel, other) != at)
            other = _acc_kernel_get_parent (self->kernel, other);
          excludes = acc_kernel_instr (self->kernel, other)->block != acc_kernel_instr (self->kernel, in)->block;
        }
    }
  *before = !excludes && self->places[x] < self->places[y];
  *after = !excludes && self->places[x] > self->places[y];
}

/* Buffers that may be one have one number. */
static guint
get_memory (const AccKernel      *kernel,
            const AccKernelInstr *access)
{
  return (acc_kernel_param (kernel, access->args[0])->flags & ACC_BUFFER_NO_ALIAS) != 0 ? access->args[0] + 1 : 0;
}

static gboolean
needs_flush (Search  *self,
             guint32  barrier,
             guint8  *seen)
{
  enum { USED_BEFORE = 1, STORED_BEFORE = 2, USED_AFTER = 4, STORED_AFTER = 8 };

  memset (seen, 0, self->kernel->params->len + 1);
  for (guint i = 0; i < self->accesses->len; i++)
    {
      guint32 id = g_array_index (self->accesses, guint32, i);
      const AccKernelInstr *access = acc_kernel_instr (self->kernel, id);
      guint8 *memory = &seen[get_memory (self->kernel, access)];
      gboolean before, after, stores = access->op != ACC_KOP_LOAD;

      find_order (self, id, barrier, &before, &after);
      *memory |= (before ? USED_BEFORE : 0) | (after ? USED_AFTER : 0);
      *memory |= stores ? (before ? STORED_BEFORE : 0) | (after ? STORED_AFTER : 0) : 0;
      if (((*memory & STORED_BEFORE) != 0 && (*memory & USED_AFTER) != 0)
          || ((*memory & USED_BEFORE) != 0 && (*memory & STORED_AFTER) != 0))
        return TRUE;
    }

  return FALSE;
}

guint8 *
c_find_flushes (const AccKernel *kernel)
{
  g_autofree guint32 *places = g_new0 (guint32, kernel->instrs->len);
  g_autofree guint8 *seen = g_new0 (guint8, kernel->params->len + 1), *flushes = g_new0 (guint8, kernel->instrs->len);
  g_autoptr(GArray) accesses = g_array_new (FALSE, FALSE, sizeof (guint32)), barriers = g_array_new (FALSE, FALSE, sizeof (guint32));
  Search self = { .kernel = kernel, .places = places, .accesses = accesses, .barriers = barriers };
  gboolean any = FALSE;

  visit (&self, ACC_KERNEL_BODY);
  for (guint i = 0; i < barriers->len; i++)
    {
      guint32 id = g_array_index (barriers, guint32, i);

      flushes[id] = needs_flush (&self, id, seen);
      any |= flushes[id];
    }

  return any ? g_steal_pointer (&flushes) : NULL;
}
