/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

/* Which values of a foreach are vectors, which blocks need masks.
 *
 * A variable varies if it is set to what varies, or under a mask narrower than where it was made. That depends on other
 * variables, so the walk is repeated until no variable and no block changes; both change in one direction only.
 *
 * A while that lanes leave one by one makes all that it sets vary, after it. In it, some hold the same in all lanes that are left, as
 * the number of a step: they are *common*, and scalars there. */

#define MAX_STRIDE G_GINT64_CONSTANT (0x40000000)

typedef struct {
  Emitter *e;
  gboolean changed;
} Walk;

static Fact
linear (gint64 stride)
{
  if (stride == 0)
    return (Fact) { .shape = SHAPE_UNIFORM };
  if (ABS (stride) > MAX_STRIDE)
    return (Fact) { .shape = SHAPE_VARYING };

  return (Fact) { .shape = SHAPE_LINEAR, .stride = stride };
}

gboolean
emit_get_small_constant (const AccKernel *kernel,
                         guint32          id,
                         gint64          *value)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  if (instr->op != ACC_KOP_CONST || instr->kind != ACC_KIND_I64 ||
      (gint64) instr->bits > MAX_STRIDE || (gint64) instr->bits < -MAX_STRIDE)
    return FALSE;
  *value = instr->bits;

  return TRUE;
}

static Fact
shape_of_pure (Emitter              *e,
               const AccKernelInstr *instr)
{
  const Fact *x = &e->facts[instr->args[0]];
  const Fact *y = instr->n_args > 1 ? &e->facts[instr->args[1]] : x;
  gint64 factor;

  if (instr->op == ACC_KOP_PRIM && instr->kind == ACC_KIND_I64 && x->shape != SHAPE_VARYING && y->shape != SHAPE_VARYING)
    {
      gint64 sx = x->shape == SHAPE_LINEAR ? x->stride : 0;
      gint64 sy = y->shape == SHAPE_LINEAR ? y->stride : 0;

      if (sx != 0 || sy != 0)
        {
          if (instr->primitive == ACC_PRIM_ADD)
            return linear (sx + sy);
          if (instr->primitive == ACC_PRIM_SUB)
            return linear (sx - sy);
          if (instr->primitive == ACC_PRIM_NEG)
            return linear (-sx);
          if (instr->primitive == ACC_PRIM_MUL && emit_get_small_constant (e->kernel, instr->args[1], &factor))
            return linear (sx * factor);
          if (instr->primitive == ACC_PRIM_MUL && emit_get_small_constant (e->kernel, instr->args[0], &factor))
            return linear (sy * factor);
        }
    }

  /* One of two that step alike, for all lanes */
  if (instr->op == ACC_KOP_SELECT && x->shape == SHAPE_UNIFORM && y->shape == SHAPE_LINEAR &&
      e->facts[instr->args[2]].shape == SHAPE_LINEAR && e->facts[instr->args[2]].stride == y->stride)
    return linear (y->stride);

  for (guint i = 0; i < instr->n_args; i++)
    if (e->facts[instr->args[i]].shape != SHAPE_UNIFORM)
      return (Fact) { .shape = SHAPE_VARYING };

  return (Fact) { .shape = SHAPE_UNIFORM };
}

static void
join (Walk    *walk,
      guint32  var,
      Fact     with)
{
  Fact *fact = &walk->e->facts[var];

  if (fact->shape == SHAPE_VARYING)
    return;
  if (!fact->known)
    {
      fact->shape = with.shape;
      fact->stride = with.stride;
      fact->known = TRUE;
      return;
    }
  if (fact->shape != with.shape || (with.shape == SHAPE_LINEAR && fact->stride != with.stride))
    {
      fact->shape = SHAPE_VARYING;
      walk->changed = TRUE;
    }
}

static void
set_masked (Walk    *walk,
            guint32  id,
            gboolean masked)
{
  if (masked && !walk->e->facts[id].masked)
    {
      walk->e->facts[id].masked = TRUE;
      walk->changed = TRUE;
    }
}

static gboolean
is_common_at (Emitter *e,
              guint32  var,
              guint32  at)
{
  return e->facts[var].common != 0 && _acc_kernel_is_inside (e->kernel, at, e->facts[var].common);
}

/* Variables made beside a while and set once, in its body, by all lanes that are left. The walk finds out whether their values are uniform
 * among these. */
static void
guess_common (Emitter *e)
{
  g_autofree guint *n_sets = g_new0 (guint, e->kernel->instrs->len);

  for (guint32 id = 1; id < e->kernel->instrs->len; id++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

      if (instr->op == ACC_KOP_SET)
        n_sets[instr->args[0]]++;
    }

  for (guint32 id = 1; id < e->kernel->instrs->len; id++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
      guint32 loop;

      if (instr->op != ACC_KOP_SET || n_sets[instr->args[0]] != 1)
        continue;
      loop = _acc_kernel_get_parent (e->kernel, id);
      if (acc_kernel_instr (e->kernel, loop)->op == ACC_KOP_WHILE &&
          acc_kernel_instr (e->kernel, loop)->block == acc_kernel_instr (e->kernel, instr->args[0])->block)
        e->facts[instr->args[0]].common = loop;
    }
}

/* The while beside @var that @id is in; 0: none */
static guint32
while_beside (const AccKernel *kernel,
              guint32          var,
              guint32          id)
{
  guint32 block = acc_kernel_instr (kernel, var)->block;

  while (id != 0 && acc_kernel_instr (kernel, id)->block != block)
    id = _acc_kernel_get_parent (kernel, id);

  return id != 0 && acc_kernel_instr (kernel, id)->op == ACC_KOP_WHILE ? id : 0;
}

static void
read_in (Fact    *var,
         guint32  loop)
{
  var->read_in = !var->is_read || var->read_in == loop ? loop : 0;
  var->is_read = TRUE;
}

static void
lose_common (Walk    *walk,
             guint32  var)
{
  if (walk->e->facts[var].common != 0)
    walk->changed = TRUE;
  walk->e->facts[var].common = 0;
}

static void
walk_variable (Walk   *walk,
               guint32 id,
               guint   depth)
{
  Emitter *e = walk->e;
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint32 var = instr->op == ACC_KOP_VAR ? id : instr->args[0], value = instr->args[instr->op == ACC_KOP_SET ? 1 : 0];
  Fact *fact = &e->facts[id];

  if (instr->op == ACC_KOP_GET)
    {
      fact->shape = is_common_at (e, var, id) ? SHAPE_UNIFORM : e->facts[var].shape;
      fact->stride = e->facts[var].stride;
      read_in (&e->facts[var], while_beside (e->kernel, var, id));
      return;
    }

  if (instr->op == ACC_KOP_VAR)
    fact->depth = depth;
  if (e->facts[value].shape != SHAPE_UNIFORM)
    lose_common (walk, var);
  if (depth > e->facts[var].depth)
    join (walk, var, (Fact) { .shape = SHAPE_VARYING });
  else
    join (walk, var, e->facts[value]);
}

static void
walk_loop (Walk   *walk,
           guint32 id)
{
  Emitter *e = walk->e;
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  const Fact *begin = &e->facts[instr->args[0]], *end = &e->facts[instr->args[1]];

  set_masked (walk, id, begin->shape == SHAPE_VARYING || begin->shape != end->shape ||
                        (begin->shape == SHAPE_LINEAR && begin->stride != end->stride));
  e->facts[id].shape = begin->shape;
  e->facts[id].stride = begin->stride;
}

static void
walk_pure (Emitter *e,
           guint32  id)
{
  const Assumption *assumption = emit_get_assumption (e, id);
  Fact found = assumption != NULL ? linear (assumption->stride) : shape_of_pure (e, acc_kernel_instr (e->kernel, id));

  e->facts[id].shape = found.shape;
  e->facts[id].stride = found.stride;
}

static void
walk_block (Walk   *walk,
            guint32 block,
            guint   depth)
{
  Emitter *e = walk->e;
  GArray *items = acc_kernel_block (e->kernel, block)->items;

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
      Fact *fact = &e->facts[id];

      switch (instr->op)
        {
        case ACC_KOP_LOAD:
          fact->shape = e->facts[instr->args[1]].shape == SHAPE_UNIFORM ? SHAPE_UNIFORM : SHAPE_VARYING;
          break;
        case ACC_KOP_VAR:
        case ACC_KOP_GET:
        case ACC_KOP_SET:
          walk_variable (walk, id, depth);
          break;
        case ACC_KOP_SHUFFLE:
          fact->shape = instr->bits >> 32 == KB_SHUFFLE_LAST || e->facts[instr->args[0]].shape == SHAPE_UNIFORM ? SHAPE_UNIFORM
                                                                                                               : SHAPE_VARYING;
          break;
        case ACC_KOP_BALLOT:
          fact->shape = SHAPE_UNIFORM;
          break;
        case ACC_KOP_STORE:
        case ACC_KOP_PACK:
        case ACC_KOP_PREFETCH:
        case ACC_KOP_CHECK:
        case ACC_KOP_WHILE:
          break;
        case ACC_KOP_FOR:
        case ACC_KOP_FOREACH:
          walk_loop (walk, id);
          break;
        case ACC_KOP_IF:
          set_masked (walk, id, e->facts[instr->args[0]].shape != SHAPE_UNIFORM);
          break;
        case ACC_KOP_UNTIL:
          set_masked (walk, _acc_kernel_get_parent (e->kernel, id), e->facts[instr->args[0]].shape != SHAPE_UNIFORM);
          break;
        case ACC_KOP_PRIM:
        case ACC_KOP_CAST:
        case ACC_KOP_BITCAST:
        case ACC_KOP_SELECT:
        case ACC_KOP_FMA:
        case ACC_KOP_ESTIMATE:
        case ACC_KOP_EXTEND:
        case ACC_KOP_OPAQUE:
        case ACC_KOP_UDIV:
        case ACC_KOP_UREM:
          walk_pure (e, id);
          break;
        case ACC_KOP_NONE:
        case ACC_KOP_CONST:
        case ACC_KOP_PARAM:
        case ACC_KOP_RANGE:
        case ACC_KOP_LOCAL:
        case ACC_KOP_BARRIER:
        case ACC_KOP_SUBGROUP_BARRIER:
        case ACC_KOP_FENCE:
        case ACC_KOP_ATOMIC:
        case ACC_KOP_CAS:
        default:
          g_return_if_reached ();
        }

      for (guint j = 0; j < 2; j++)
        if (instr->blocks[j] != 0)
          walk_block (walk, instr->blocks[j], depth + fact->masked);
    }
}

/* Loops rarely nest deeper. */
#define MOST_WALKS 16

/* Forgets all facts of variables and blocks from here on. */
static void
give_up (Emitter *e,
         guint32  foreach)
{
  for (guint32 id = foreach + 1; id < e->kernel->instrs->len; id++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
      Fact *fact = &e->facts[id];

      if (!_acc_kernel_is_inside (e->kernel, id, foreach))
        continue;
      fact->masked |= instr->op == ACC_KOP_IF || instr->op == ACC_KOP_WHILE || instr->op == ACC_KOP_FOR;
      if (instr->op != ACC_KOP_VAR)
        continue;
      fact->shape = SHAPE_VARYING;
      fact->known = TRUE;
      fact->common = 0;
    }
}

void
emit_analyse (Emitter *e,
              guint32  foreach)
{
  Walk walk = { e, TRUE };

  guess_common (e);
  e->facts[foreach].shape = SHAPE_LINEAR;
  e->facts[foreach].stride = 1;
  for (guint n = 0; walk.changed; n++)
    {
      if (n == MOST_WALKS)
        give_up (e, foreach);
      walk.changed = FALSE;
      walk_block (&walk, acc_kernel_instr (e->kernel, foreach)->blocks[0], 0);
    }
}
