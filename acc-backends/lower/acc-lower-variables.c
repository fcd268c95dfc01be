/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower.h"

#include "acc-backends/ir/acc-kernel-builder-private.h"

/* Narrows variables when a kernel is complete. A fold along a row that keeps a position, such as that of the first minimum, holds an
 * earlier index than the current one, and one that fits 4 bytes. */

typedef struct {
  AccLower  *l;
  AccKernel *kernel;
} Pass;

static const AccKernelInstr *
get_instr (Pass   *self,
           guint32 id)
{
  return acc_kernel_instr (self->kernel, id);
}

static gboolean
is_i64 (Pass                 *self,
        const AccKernelInstr *instr,
        AccPrimitive          primitive)
{
  return instr->op == ACC_KOP_PRIM && instr->primitive == primitive && instr->kind == ACC_KIND_I64;
}

/* All instructions are looked at for each variable. */
#define MOST_SIMPLIFIED 4096

/* Choices within choices that are looked into: what they are made of may be used several times. */
#define MAX_DEPTH 6

/* --- comparisons with earlier indices */

/* A value that grows with each iteration of a loop and never wraps, as its range tells. */
typedef struct {
  guint32 id;
  guint32 loop;
  guint32 base;      /* it is base + a multiple of the loop's index; 0: it is the index */
} Growing;

static guint32
find_multiple (Pass   *self,
               guint32 id)
{
  const AccKernelInstr *instr = get_instr (self, id);
  gint64 factor;

  if (instr->op == ACC_KOP_FOR)
    return id;
  if (is_i64 (self, instr, ACC_PRIM_MUL) && get_instr (self, instr->args[0])->op == ACC_KOP_FOR &&
      low_is_const (self->l, (KValue) { instr->args[1] }, &factor) && factor > 0)
    return instr->args[0];

  return 0;
}

static gboolean
find_growing (Pass    *self,
              guint32  id,
              Growing *growing)
{
  const AccKernelInstr *instr = get_instr (self, id);

  *growing = (Growing) { id, id, 0 };
  if (instr->op == ACC_KOP_FOR)
    return TRUE;
  if (!is_i64 (self, instr, ACC_PRIM_ADD) || id >= self->l->facts->len || !g_array_index (self->l->facts, AccInterval, id).known)
    return FALSE;

  for (guint i = 0; i < 2; i++)
    {
      gint64 lo, hi;

      growing->loop = find_multiple (self, instr->args[i]);
      growing->base = instr->args[1 - i];
      if (growing->loop == 0 || _acc_kernel_is_inside (self->kernel, growing->base, growing->loop))
        continue;
      low_get_range (self->l, (KValue) { growing->loop }, &lo, &hi);
      if (lo >= 0)
        return TRUE;
    }

  return FALSE;
}

static gboolean
is_never_after (Pass          *self,
                guint32        id,
                guint32        var,
                const Growing *growing,
                guint          depth)
{
  const AccKernelInstr *instr = get_instr (self, id);
  gint64 a, b, c, d;

  if (id == growing->id || id == growing->base || (instr->op == ACC_KOP_GET && instr->args[0] == var))
    return TRUE;
  if (instr->op == ACC_KOP_SELECT && depth < MAX_DEPTH)
    return is_never_after (self, instr->args[1], var, growing, depth + 1) &&
           is_never_after (self, instr->args[2], var, growing, depth + 1);
  low_get_range (self->l, (KValue) { id }, &a, &b);
  low_get_range (self->l, (KValue) { growing->id }, &c, &d);

  return b <= c;
}

/* Whether what @get reads is at most @id, wherever both are known */
static gboolean
holds_earlier (Pass   *self,
               guint32 get,
               guint32 id)
{
  guint32 var = get_instr (self, get)->args[0];
  Growing growing;

  if (get_instr (self, get)->op != ACC_KOP_GET || !find_growing (self, id, &growing) ||
      !_acc_kernel_is_inside (self->kernel, get, growing.loop) ||
      get_instr (self, var)->block != get_instr (self, growing.loop)->block ||
      !is_never_after (self, get_instr (self, var)->args[0], var, &growing, 0))
    return FALSE;

  for (guint32 i = 1; i < self->kernel->instrs->len; i++)
    {
      const AccKernelInstr *set = get_instr (self, i);

      /* What comes after the loop does not matter in it. */
      if (set->op == ACC_KOP_SET && set->args[0] == var && (i < growing.loop || _acc_kernel_is_inside (self->kernel, i, growing.loop)) &&
          !is_never_after (self, set->args[1], var, &growing, 0))
        return FALSE;
    }

  return TRUE;
}

/* 0: not known. */
static guint32
compare (Pass                 *self,
         const AccKernelInstr *instr)
{
  AccKernelBuilder *b = self->l->b;

  if (instr->op != ACC_KOP_PRIM || instr->n_args != 2 || get_instr (self, instr->args[0])->kind != ACC_KIND_I64)
    return 0;
  if ((instr->primitive == ACC_PRIM_LE || instr->primitive == ACC_PRIM_GT) && holds_earlier (self, instr->args[0], instr->args[1]))
    return _kb_const (b, ACC_KIND_BOOL, instr->primitive == ACC_PRIM_LE).id;
  if ((instr->primitive == ACC_PRIM_GE || instr->primitive == ACC_PRIM_LT) && holds_earlier (self, instr->args[1], instr->args[0]))
    return _kb_const (b, ACC_KIND_BOOL, instr->primitive == ACC_PRIM_GE).id;

  return 0;
}

static void
drop_comparisons (Pass *self)
{
  guint n = self->kernel->instrs->len;
  g_autofree guint32 *instead = g_new0 (guint32, n);
  gboolean any = FALSE;

  for (guint32 id = 1; id < n; id++)
    {
      AccKernelInstr instr = *get_instr (self, id);
      gboolean changed = FALSE;

      for (guint i = _acc_kernel_first_id (&instr); any && i < instr.n_args; i++)
        if (instr.args[i] < n && instead[instr.args[i]] != 0)
          {
            instr.args[i] = instead[instr.args[i]];
            changed = TRUE;
          }
      if (changed)
        {
          g_array_index (self->kernel->instrs, AccKernelInstr, id) = instr;
          if (instr.op == ACC_KOP_SELECT || instr.kind == ACC_KIND_BOOL)
            instead[id] = _kb_fold (self->l->b, &instr);
        }
      else
        {
          instead[id] = compare (self, &instr);
        }
      any = any || instead[id] != 0;
    }
}

/* --- indices of 4 bytes */

static gboolean
fits (Pass   *self,
      guint32 id,
      guint32 var,
      guint   depth)
{
  const AccKernelInstr *instr = get_instr (self, id);
  gint64 lo, hi;

  if (instr->op == ACC_KOP_GET && instr->args[0] == var)
    return TRUE;
  if (instr->op == ACC_KOP_SELECT && depth < MAX_DEPTH)
    return fits (self, instr->args[1], var, depth + 1) && fits (self, instr->args[2], var, depth + 1);
  if (instr->op == ACC_KOP_CONST)
    return (gint64) instr->bits == (gint32) instr->bits;
  low_get_range (self->l, (KValue) { id }, &lo, &hi);

  return lo >= G_MININT32 && hi <= G_MAXINT32;
}

static gboolean
is_in_foreach (Pass   *self,
               guint32 id)
{
  for (guint32 at = _acc_kernel_get_parent (self->kernel, id); at != 0; at = _acc_kernel_get_parent (self->kernel, at))
    if (get_instr (self, at)->op == ACC_KOP_FOREACH)
      return TRUE;

  return FALSE;
}

static guint32
insert_before (Pass          *self,
               guint32        at,
               AccKernelInstr instr)
{
  GArray *items;
  guint32 id = self->kernel->instrs->len;

  instr.block = get_instr (self, at)->block;
  items = acc_kernel_block (self->kernel, instr.block)->items;
  for (guint i = 0; i < items->len; i++)
    if (g_array_index (items, guint32, i) == at)
      {
        g_array_insert_val (items, i, id);
        break;
      }
  g_array_append_val (self->kernel->instrs, instr);

  return id;
}

static guint32
narrow (Pass   *self,
        guint32 id,
        guint32 var,
        guint32 at)
{
  AccKernelInstr instr = *get_instr (self, id);

  if (instr.op == ACC_KOP_CONST)
    return _kb_const (self->l->b, ACC_KIND_I32, instr.bits).id;
  if (instr.op == ACC_KOP_CAST && get_instr (self, instr.args[0])->op == ACC_KOP_GET && get_instr (self, instr.args[0])->args[0] == var)
    return instr.args[0];
  if (instr.op == ACC_KOP_SELECT)
    {
      guint32 x = narrow (self, instr.args[1], var, at), y = narrow (self, instr.args[2], var, at);

      return insert_before (self, at, (AccKernelInstr) {
        .op = ACC_KOP_SELECT, .kind = ACC_KIND_I32, .n_args = 3, .args = { instr.args[0], x, y },
      });
    }

  return insert_before (self, at, (AccKernelInstr) { .op = ACC_KOP_CAST, .kind = ACC_KIND_I32, .n_args = 1, .args = { id } });
}

static void
narrow_variable (Pass   *self,
                 guint32 var)
{
  guint n = self->kernel->instrs->len;
  guint32 first = narrow (self, get_instr (self, var)->args[0], var, var);

  g_array_index (self->kernel->instrs, AccKernelInstr, var).args[0] = first;
  g_array_index (self->kernel->instrs, AccKernelInstr, var).kind = ACC_KIND_I32;

  for (guint32 id = 1; id < n; id++)
    {
      AccKernelInstr instr = *get_instr (self, id);

      if (instr.args[0] != var)
        continue;
      if (instr.op == ACC_KOP_GET)
        {
          AccKernelInstr get = instr;

          get.kind = ACC_KIND_I32;
          instr.op = ACC_KOP_CAST;
          instr.args[0] = insert_before (self, id, get);
          g_array_index (self->kernel->instrs, AccKernelInstr, id) = instr;
        }
      else if (instr.op == ACC_KOP_SET)
        {
          guint32 value = narrow (self, instr.args[1], var, id);

          g_array_index (self->kernel->instrs, AccKernelInstr, id).args[1] = value;
        }
    }
}

static void
narrow_variables (Pass *self)
{
  guint n = self->kernel->instrs->len;

  for (guint32 var = 1; var < n; var++)
    {
      const AccKernelInstr *instr = get_instr (self, var);
      gboolean is_small = instr->op == ACC_KOP_VAR && instr->kind == ACC_KIND_I64 && is_in_foreach (self, var) &&
                          fits (self, instr->args[0], var, 0);

      for (guint32 id = 1; is_small && id < n; id++)
        if (get_instr (self, id)->op == ACC_KOP_SET && get_instr (self, id)->args[0] == var)
          is_small = fits (self, get_instr (self, id)->args[1], var, 0);
      if (is_small)
        narrow_variable (self, var);
    }
}

void
low_simplify_variables (AccLower *l)
{
  Pass self = { l, l->b->kernel };

  if (l->b->error != NULL || l->b->kernel->instrs->len > MOST_SIMPLIFIED)
    return;
  drop_comparisons (&self);
  narrow_variables (&self);
}
