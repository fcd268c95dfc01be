/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

/* How many lanes a foreach has. */

#define MAX_LOOPS      8
#define MIN_BY_LANE    16
#define MOST_REGISTERS 4
#define MANY_OPS       16

/* Work in the same loop, by the size of varying values: 1, 2, 4, 8 bytes */
typedef struct {
  guint n_ops[4];
} Level;

typedef struct {
  Level    levels[MAX_LOOPS];    /* by how many loops are around it */
  guint    n_by_lane;            /* accesses of lanes that step: one by one */
  guint    n_shuffled;           /* or together */
  guint    n_gathered;           /* of lanes that go anywhere */
  gboolean varies;               /* something does */
  gboolean meets;                /* lanes look at each other */
  gboolean has_gather;
  gboolean has_calls;
} Census;

static void
count_op (Level *level,
          guint  size)
{
  level->n_ops[g_bit_nth_lsf (size, -1)]++;
}

static guint
get_n_ops (const Level *level)
{
  return level->n_ops[0] + level->n_ops[1] + level->n_ops[2] + level->n_ops[3];
}

static guint
count_ops (const Census *census)
{
  guint n = 0;

  for (guint i = 0; i < MAX_LOOPS; i++)
    n += get_n_ops (&census->levels[i]);

  return n;
}

/* By the widest values, except for a few, which go in parts. */
static guint
get_size (const Level *level)
{
  guint n = 0, n_ops = get_n_ops (level);

  for (guint i = 3; i > 0; i--)
    {
      n += level->n_ops[i];
      if (n * 8 >= n_ops)
        return 1u << i;
    }

  return 1;
}

/* Accesses with a large stride take one element after the other, or as many shuffles; those with a small stride take a few shuffles. */
static void
count_steps (Emitter *e,
             guint32  id,
             Census  *census)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  const Fact *index = &e->facts[instr->args[1]];
  guint32 stores[ACC_MAX_LANES], last;

  if (e->target->has_masks || index->shape != SHAPE_LINEAR || ABS (index->stride) < 2)
    return;

  if (instr->op == ACC_KOP_LOAD ? ABS (index->stride) > 4 : emit_stores_of (e, id, stores, &last) == 0)
    census->n_by_lane++;
  else
    census->n_shuffled++;
}

static void
take_census (Emitter *e,
             guint32  block,
             guint    n_loops,
             Census  *census)
{
  GArray *items = acc_kernel_block (e->kernel, block)->items;
  Level *level = &census->levels[MIN (n_loops, MAX_LOOPS - 1)];

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
      const Fact *fact = &e->facts[id];

      census->meets |= _acc_kernel_op_meets (instr->op);
      if (_acc_kernel_op_is_access (instr->op))
        {
          const Fact *index = &e->facts[instr->args[1]];
          gboolean looks_up = instr->op == ACC_KOP_LOAD && emit_is_table (e, instr->args[0]);

          count_op (level, acc_element_kind_get_size (acc_kernel_param (e->kernel, instr->args[0])->kind));
          census->varies |= index->shape != SHAPE_UNIFORM;
          census->n_gathered += index->shape == SHAPE_VARYING && !looks_up;
          if ((index->shape == SHAPE_VARYING && !looks_up) || (index->shape == SHAPE_LINEAR && ABS (index->stride) > 8) ||
              (index->shape == SHAPE_LINEAR && ABS (index->stride) > 1 && instr->op == ACC_KOP_STORE))
            census->has_gather = TRUE;
          count_steps (e, id, census);
        }
      else if (fact->shape == SHAPE_VARYING && instr->op != ACC_KOP_SET && instr->op != ACC_KOP_GET)
        {
          guint size = acc_element_kind_get_size (instr->kind);

          census->varies = TRUE;
          if (instr->op == ACC_KOP_PRIM && acc_primitive_is (instr->primitive, ACC_FAMILY_TRANSCENDENTAL))
            census->has_calls = TRUE;
          /* Indices as vectors, but for a moment only where they are converted. */
          for (guint j = 0; j < instr->n_args; j++)
            if (instr->op != ACC_KOP_CAST && e->facts[instr->args[j]].shape == SHAPE_LINEAR)
              size = 8;
          count_op (level, size);
        }

      for (guint j = 0; j < 2; j++)
        if (instr->blocks[j] != 0 && !emit_is_outlined (e, instr->blocks[j]))
          take_census (e, instr->blocks[j], n_loops + _acc_kernel_op_is_loop (instr->op), census);
    }
}

/* Liveness: the live range of a value, in the order of instructions. A loop that reads a value from outside is part of its range as a
 * whole. */
typedef struct {
  guint first, last;
} Life;

static void
measure_lives (Emitter *e,
               guint32  block,
               guint   *now,
               Life    *lives)
{
  GArray *items = acc_kernel_block (e->kernel, block)->items;

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
      guint start = ++*now;

      lives[id] = (Life) { start, start };
      for (guint j = _acc_kernel_first_id (instr); j < instr->n_args; j++)
        lives[instr->args[j]].last = start;
      for (guint j = 0; j < 2; j++)
        if (instr->blocks[j] != 0 && !emit_is_outlined (e, instr->blocks[j]))
          measure_lives (e, instr->blocks[j], now, lives);
      if (_acc_kernel_op_is_loop (instr->op))
        for (guint32 other = 1; other < e->kernel->instrs->len; other++)
          if (lives[other].first > 0 && lives[other].first < start && lives[other].last > start)
            lives[other].last = *now;
    }
}

/* Registers that the value takes with so many lanes */
static guint
count_registers (Emitter *e,
                 guint32  id,
                 guint    lanes)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint bytes;

  if (e->facts[id].shape != SHAPE_VARYING || instr->op == ACC_KOP_GET || instr->op == ACC_KOP_SET ||
      (instr->kind == ACC_KIND_BOOL && e->target->has_masks))
    return 0;
  bytes = lanes * (instr->kind == ACC_KIND_BOOL ? 4 : acc_element_kind_get_size (instr->kind));

  return (bytes + e->target->register_bytes - 1) / e->target->register_bytes;
}

/* How many are needed at a time at most */
static guint
count_most_registers (Emitter    *e,
                      const Life *lives,
                      guint       n_steps,
                      guint       lanes)
{
  g_autofree gint *changes = g_new0 (gint, n_steps + 1);
  guint most = 0;

  for (guint32 id = 1; id < e->kernel->instrs->len; id++)
    if (lives[id].first > 0)
      {
        guint n = count_registers (e, id, lanes);

        changes[lives[id].first] += n;
        changes[lives[id].last] -= n;
      }
  for (guint i = 0, alive = 0; i <= n_steps; i++)
    {
      alive += changes[i];
      most = MAX (most, alive);
    }

  return most;
}

/* The lanes that were asked for, or a part of them at a time if the body does much with values wider than was thought of. */
static guint
limit_lanes (Emitter     *e,
             const Level *level,
             guint        lanes)
{
  guint most = MOST_REGISTERS * e->target->register_bytes / get_size (level);

  if (get_n_ops (level) >= MANY_OPS)
    while (lanes > most && lanes % 2 == 0)
      lanes /= 2;

  return lanes;
}

/* Chooses the number of lanes. Vectors wider than a register are split by LLVM, and the parts hide each other's latency. Four registers'
 * worth if little is done, else two, counted in the innermost loop, where the time goes; no more than two unless there are registers for
 * all. With two some may spill, which costs less than to wait for each result with nothing else to do.
 *
 * One lane if nothing varies, as where a row has one element, and if half of the work are strided accesses with large strides: vectors
 * would only be put together and taken apart again, in code many times as long, which takes LLVM seconds. */
guint
emit_choose_lanes (Emitter *e,
                   guint32  foreach)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, foreach);
  g_autofree Life *lives = NULL;
  Census census = { 0, };
  guint level = MAX_LOOPS - 1, n_steps = 0, two, lanes;

  take_census (e, instr->blocks[0], 0, &census);
  while (level > 0 && get_n_ops (&census.levels[level]) == 0)
    level--;
  if (instr->bits != 0)
    return census.meets ? instr->bits : limit_lanes (e, &census.levels[level], instr->bits);
  if (!census.varies && !census.meets)
    return 1;
  if (census.n_by_lane >= MIN_BY_LANE && 2 * (census.n_by_lane + census.n_shuffled) >= count_ops (&census))
    return 1;
  two = 2 * e->target->register_bytes / get_size (&census.levels[level]);
  lanes = get_n_ops (&census.levels[level]) <= 24 ? 2 * two : two;

  if (emit_is_large (e->kernel))
    return CLAMP (two / 2, 4, 128);

  lives = g_new0 (Life, e->kernel->instrs->len);
  measure_lives (e, instr->blocks[0], &n_steps, lives);
  if (lanes > two && count_most_registers (e, lives, n_steps, lanes) > e->target->n_registers)
    lanes = two;
  if (census.has_gather || census.has_calls)
    lanes = MIN (lanes, 16);

  return CLAMP (lanes, 4, 128);
}

gboolean
emit_goes_by_lane (Emitter *e,
                   guint32  foreach)
{
  Census census = { 0, };

  if (e->target->has_masks)
    return FALSE;
  take_census (e, acc_kernel_instr (e->kernel, foreach)->blocks[0], 0, &census);

  return 4 * (census.n_by_lane + census.n_shuffled + census.n_gathered) >= count_ops (&census);
}
