/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-passes.h"

/* Deduplicates kernels. A program whose extents follow from its data is planned anew for each of them, and writes mostly kernels that were
 * finished before: looking one up takes a small part of the time of verifying and hashing it. */

/* The most instructions of all together, some 56 bytes each: 7 MiB. Then the table is cleared. */
#define MAX_WEIGHT (1 << 17)

static GMutex      lock;
static GHashTable *kernels;      /* AccKernel */
static guint       weight;       /* of all of them */

/* Instructions, and what else there is to each kernel, and room that its lists have to spare. */
static guint
weigh (const AccKernel *kernel)
{
  return kernel->instrs->len + 128;
}

static guint
hash_kernel (gconstpointer data)
{
  const AccKernel *kernel = data;
  guint64 hash = acc_hash_mix (kernel->params->len, kernel->blocks->len);

  for (guint i = 1; i < kernel->instrs->len; i++)
    hash = acc_hash_mix (acc_kernel_hash_instr (hash, acc_kernel_instr (kernel, i)), acc_kernel_instr (kernel, i)->block);

  return (guint) (hash >> 32);
}

static gboolean
are_same_instrs (const AccKernelInstr *x,
                 const AccKernelInstr *y)
{
  return acc_kernel_equal_instrs (x, y) && x->block == y->block && memcmp (x->blocks, y->blocks, sizeof x->blocks) == 0;
}

/* But for what is found of the instructions at last. */
static AccBufferFlags
get_flags (const AccKernelParam *param)
{
  return param->is_buffer && !(param->flags & ACC_BUFFER_COHERENT) ? param->flags & ~(ACC_BUFFER_READ | ACC_BUFFER_WRITE) : param->flags;
}

static gboolean
are_same_params (const GArray *x,
                 const GArray *y)
{
  if (x->len != y->len)
    return FALSE;

  for (guint i = 0; i < x->len; i++)
    {
      const AccKernelParam *a = &g_array_index (x, AccKernelParam, i), *b = &g_array_index (y, AccKernelParam, i);

      if (a->kind != b->kind || a->is_buffer != b->is_buffer || get_flags (a) != get_flags (b) || a->n_elements != b->n_elements ||
          g_strcmp0 (a->name, b->name) != 0)
        return FALSE;
    }

  return TRUE;
}

static gboolean
are_same (gconstpointer a,
          gconstpointer b)
{
  const AccKernel *x = a, *y = b;

  if (x->instrs->len != y->instrs->len || x->blocks->len != y->blocks->len || x->precise != y->precise || x->fast != y->fast ||
      x->straight != y->straight || x->group_size != y->group_size || x->n_resident != y->n_resident || strcmp (x->name, y->name) != 0 ||
      !are_same_params (x->params, y->params) || !are_same_params (x->shared, y->shared))
    return FALSE;

  for (guint i = 1; i < x->instrs->len; i++)
    if (!are_same_instrs (acc_kernel_instr (x, i), acc_kernel_instr (y, i)))
      return FALSE;
  for (guint i = 1; i < x->blocks->len; i++)
    {
      const GArray *items = acc_kernel_block (x, i)->items, *others = acc_kernel_block (y, i)->items;

      if (items->len != others->len || memcmp (items->data, others->data, items->len * sizeof (guint32)) != 0)
        return FALSE;
    }

  return TRUE;
}

AccKernel *
_acc_kernel_find_known (AccKernel *draft)
{
  AccKernel *known;

  g_mutex_lock (&lock);
  known = kernels != NULL ? g_hash_table_lookup (kernels, draft) : NULL;
  if (known != NULL)
    acc_kernel_ref (known);
  g_mutex_unlock (&lock);

  return known;
}

void
_acc_kernel_remember (AccKernel *kernel)
{
  guint more = weigh (kernel);

  if (more > MAX_WEIGHT / 4)
    return;

  g_mutex_lock (&lock);
  if (kernels == NULL)
    kernels = g_hash_table_new_full (hash_kernel, are_same, (GDestroyNotify) acc_kernel_unref, NULL);
  if (weight + more > MAX_WEIGHT)
    {
      g_hash_table_remove_all (kernels);
      weight = 0;
    }
  if (g_hash_table_add (kernels, acc_kernel_ref (kernel)))
    weight += more;
  g_mutex_unlock (&lock);
}
