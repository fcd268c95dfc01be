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

static gboolean
get_small_constant (const AccKernel *kernel,
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
          if (instr->primitive == ACC_PRIM_MUL && get_small_constant (e->kernel, instr->args[1], &factor))
            return linear (sx * factor);
          if (instr->primitive == ACC_PRIM_MUL && get_small_constant (e->kernel, instr->args[0], &factor))
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

/* Variables made beside a while and set once, in its body, by all lanes that are left. Whether they are set to what is the same in
 * these is for the walk to find out. */
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

      switch ((int) instr->op)
        {
        case ACC_KOP_LOAD:
          fact->shape = e->facts[instr->args[1]].shape == SHAPE_UNIFORM ? SHAPE_UNIFORM : SHAPE_VARYING;
          break;

        case ACC_KOP_VAR:
          fact->depth = depth;
          join (walk, id, e->facts[instr->args[0]]);
          if (e->facts[instr->args[0]].shape != SHAPE_UNIFORM)
            lose_common (walk, id);
          break;

        case ACC_KOP_GET:
          fact->shape = e->facts[instr->args[0]].shape;
          fact->stride = e->facts[instr->args[0]].stride;
          if (is_common_at (e, instr->args[0], id))
            fact->shape = SHAPE_UNIFORM;
          read_in (&e->facts[instr->args[0]], while_beside (e->kernel, instr->args[0], id));
          break;

        case ACC_KOP_SET:
          if (e->facts[instr->args[1]].shape != SHAPE_UNIFORM)
            lose_common (walk, instr->args[0]);
          if (depth > e->facts[instr->args[0]].depth)
            join (walk, instr->args[0], (Fact) { .shape = SHAPE_VARYING });
          else
            join (walk, instr->args[0], e->facts[instr->args[1]]);
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
          break;

        case ACC_KOP_FOR:
        case ACC_KOP_FOREACH:
          {
            const Fact *begin = &e->facts[instr->args[0]], *end = &e->facts[instr->args[1]];

            set_masked (walk, id, begin->shape == SHAPE_VARYING || begin->shape != end->shape ||
                                  (begin->shape == SHAPE_LINEAR && begin->stride != end->stride));
            fact->shape = begin->shape;
            fact->stride = begin->stride;
            walk_block (walk, instr->blocks[0], depth + fact->masked);
          }
          break;

        case ACC_KOP_IF:
          set_masked (walk, id, e->facts[instr->args[0]].shape != SHAPE_UNIFORM);
          walk_block (walk, instr->blocks[0], depth + fact->masked);
          if (instr->blocks[1] != 0)
            walk_block (walk, instr->blocks[1], depth + fact->masked);
          break;

        case ACC_KOP_WHILE:
          walk_block (walk, instr->blocks[0], depth + fact->masked);
          break;

        case ACC_KOP_UNTIL:
          set_masked (walk, _acc_kernel_get_parent (e->kernel, id), e->facts[instr->args[0]].shape != SHAPE_UNIFORM);
          break;

        default:
          {
            const Assumption *assumption = emit_get_assumption (e, id);
            Fact found = assumption != NULL ? linear (assumption->stride) : shape_of_pure (e, instr);

            fact->shape = found.shape;
            fact->stride = found.stride;
          }
          break;
        }
    }
}

/* Loops nest seldom as deep as needs more. */
#define MOST_WALKS 16

/* From here on nothing is known of variables and blocks. */
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

/* --- how many lanes */

#define MAX_LOOPS      8
#define MIN_BY_LANE    16
#define MOST_REGISTERS 4
#define MANY_OPS       16

/* What is done as often as each other, by the size of what varies: 1, 2, 4, 8 bytes */
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

/* Of the widest, but for some few, which go in parts. */
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

/* Lanes that step far take one element after the other, or as many shuffles; those that step less take some shuffles. */
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

/* From where to where, in the order of instructions, a value is needed: all of a loop where that reads one from outside. */
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

/* Lanes that were asked for, or a part of them at a time where each step does much with what is wider than those who asked thought of. */
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

/* Wider than a register: LLVM splits, and what it splits into hides the latency of each other. Four registers' worth where
 * little is done, else two, counted in the innermost loop, where the time goes; and no more than two unless there are registers for all. Of two
 * some may go to memory and come back, which costs less than to wait for each result with nothing else to do.
 *
 * One where nothing differs from lane to lane, as where a row has one element. And one where half of what is done are accesses of lanes
 * that step, many of them far: vectors would only be put together and taken apart again, in code of many times the length, which takes LLVM
 * seconds. */
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

gboolean
emit_has_effects (Emitter *e,
                  guint32  block)
{
  GArray *items = block != 0 ? acc_kernel_block (e->kernel, block)->items : NULL;

  for (guint i = 0; items != NULL && i < items->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, g_array_index (items, guint32, i));

      if (_acc_kernel_op_is_access (instr->op) || instr->op == ACC_KOP_CHECK || _acc_kernel_op_is_loop (instr->op) ||
          emit_has_effects (e, instr->blocks[0]) || emit_has_effects (e, instr->blocks[1]))
        return TRUE;
    }

  return FALSE;
}

typedef struct {
  gboolean loaded, stored;
} Use;

/* @uses: of each parameter, what the body does with elements of it. FALSE: an instruction may not be repeated. */
static gboolean
find_uses (Emitter *e,
           guint32  block,
           Use     *uses)
{
  GArray *items = block != 0 ? acc_kernel_block (e->kernel, block)->items : NULL;

  for (guint i = 0; items != NULL && i < items->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, g_array_index (items, guint32, i));

      if (_acc_kernel_op_meets (instr->op) || _acc_kernel_op_orders_stores (instr->op) != (instr->op == ACC_KOP_UNTIL))
        return FALSE;
      if (instr->op == ACC_KOP_LOAD)
        uses[instr->args[0]].loaded = TRUE;
      if (instr->op == ACC_KOP_STORE)
        uses[instr->args[0]].stored = TRUE;
      if (!find_uses (e, instr->blocks[0], uses) || !find_uses (e, instr->blocks[1], uses))
        return FALSE;
    }

  return TRUE;
}

gboolean
emit_is_repeatable (Emitter *e,
                    guint32  foreach)
{
  g_autofree Use *uses = g_new0 (Use, e->kernel->params->len);

  if (!find_uses (e, acc_kernel_instr (e->kernel, foreach)->blocks[0], uses))
    return FALSE;
  for (guint i = 0; i < e->kernel->params->len; i++)
    if (uses[i].loaded && uses[i].stored)
      return FALSE;

  return TRUE;
}

static guint
cost_of (Emitter *e,
         guint32  block)
{
  GArray *items = block != 0 ? acc_kernel_block (e->kernel, block)->items : NULL;
  guint cost = 0;

  for (guint i = 0; items != NULL && i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

      if (instr->op == ACC_KOP_PRIM &&
          (acc_primitive_is (instr->primitive, ACC_FAMILY_TRANSCENDENTAL) ||
           (instr->primitive >= ACC_PRIM_QUOT && instr->primitive <= ACC_PRIM_MOD)))
        cost += 16;
      else if (e->facts[id].shape == SHAPE_VARYING)
        cost++;
      cost += cost_of (e, instr->blocks[0]) + cost_of (e, instr->blocks[1]);
    }

  return cost;
}

gboolean
emit_is_long (Emitter *e,
              guint32  block)
{
  return emit_has_effects (e, block) || cost_of (e, block) > 32;
}

gboolean
emit_is_costly (Emitter *e,
                guint32  block)
{
  return emit_has_effects (e, block) || cost_of (e, block) > 12;
}

/* --- loads that share wide loads */

/* @x is its result and *offset. */
static guint32
split_sum (const AccKernel *kernel,
           guint32          x,
           gint64          *offset)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, x);

  *offset = 0;

  return instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD && get_small_constant (kernel, instr->args[1], offset) ? instr->args[0] : x;
}

/* The index is both roots and *offset; the second root may be none. */
static void
split_index (const AccKernel *kernel,
             guint32          index,
             guint32          roots[2],
             gint64          *offset)
{
  const AccKernelInstr *instr;
  gint64 more = 0;

  roots[0] = split_sum (kernel, index, offset);
  roots[1] = 0;
  instr = acc_kernel_instr (kernel, roots[0]);
  if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD)
    {
      roots[0] = instr->args[0];
      roots[1] = split_sum (kernel, instr->args[1], &more);
    }
  *offset += more;
}

/* The loads of the same block that step alike and lie between each other's elements, as the channels of pixels do. Only for
 * buffers that nothing in the kernel writes. Returns the offset of @load in *offset. */
gboolean
emit_group_of (Emitter      *e,
               guint32       load,
               StridedGroup *group,
               gint64       *offset)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, load);
  const AccKernelParam *param = acc_kernel_param (e->kernel, instr->args[0]);
  GArray *items = acc_kernel_block (e->kernel, instr->block)->items;
  gint64 stride = ABS (e->facts[instr->args[1]].stride);
  gint64 lowest;

  split_index (e->kernel, instr->args[1], group->roots, offset);
  group->buffer = instr->args[0];
  group->first = group->last = *offset;
  if ((param->flags & ACC_BUFFER_WRITE) || !(param->flags & ACC_BUFFER_NO_ALIAS))
    return FALSE;

  lowest = *offset;
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < items->len; i++)
      {
        const AccKernelInstr *other = acc_kernel_instr (e->kernel, g_array_index (items, guint32, i));
        guint32 roots[2];
        gint64 at;

        if (other->op != ACC_KOP_LOAD || other->args[0] != instr->args[0])
          continue;
        split_index (e->kernel, other->args[1], roots, &at);
        if (memcmp (roots, group->roots, sizeof roots) != 0)
          continue;
        if (pass == 0)
          lowest = MIN (lowest, at);
        else if ((at - lowest) / stride == (*offset - lowest) / stride)
          {
            group->first = MIN (group->first, at);
            group->last = MAX (group->last, at);
          }
      }

  return TRUE;
}

/* Nothing between them may see that all are stored with the last, or change which lanes are. */
static gboolean
may_wait (const AccKernelInstr *instr,
          guint32               buffer)
{
  return instr->blocks[0] == 0 && instr->blocks[1] == 0 && !_acc_kernel_op_orders_stores (instr->op)
         && !(_acc_kernel_op_is_access (instr->op) && instr->op != ACC_KOP_STORE && instr->args[0] == buffer);
}

guint
emit_stores_of (Emitter *e,
                guint32  store,
                guint32 *stores,
                guint32 *last)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, store);
  const AccKernelParam *param = acc_kernel_buffer (e->kernel, instr->args[0]);
  GArray *items = acc_kernel_block (e->kernel, instr->block)->items;
  gint64 stride = e->facts[instr->args[1]].stride;
  guint32 roots[2];
  gint64 offset, most = 0;
  guint found = 0;

  if (stride < 2 || !(param->flags & ACC_BUFFER_NO_ALIAS))
    return 0;

  split_index (e->kernel, instr->args[1], roots, &offset);
  memset (stores, 0, ACC_MAX_LANES * sizeof *stores);
  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i), its_roots[2];
      const AccKernelInstr *other = acc_kernel_instr (e->kernel, id);
      gint64 at;

      if (other->op != ACC_KOP_STORE || other->args[0] != instr->args[0])
        continue;
      split_index (e->kernel, other->args[1], its_roots, &at);
      if (memcmp (its_roots, roots, sizeof roots) != 0 || at < 0 || at >= MIN (stride, ACC_MAX_LANES) || stores[at] != 0)
        return 0;
      stores[at] = id;
      *last = id;
      most = MAX (most, at);
      found++;
    }
  if (found < 2 || most != found - 1)
    return 0;
  for (guint i = 0, n = 0; n < found; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *other = acc_kernel_instr (e->kernel, id);

      if (other->op == ACC_KOP_STORE && other->args[0] == instr->args[0])
        n++;
      else if (n > 0 && !may_wait (other, instr->args[0]))
        return 0;
    }

  return found;
}
