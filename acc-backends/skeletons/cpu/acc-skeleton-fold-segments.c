/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-skeletons.h"

#include "acc-core/base/acc-ceil-div-private.h"

/* Folds of segments of rows, by workers. Elements and ends of segments are one sequence, in which an end comes behind the last
 * element of its segment; tiles are as long parts of it, however long segments are, and however many are empty (Merrill and Garland,
 * "Merge-Based Parallel Sparse Matrix-Vector Multiplication", 2016):
 *
 *   for s in segments of which the tile has elements or the end:
 *     sum = source[u, those of s in the tile] . ...
 *     roots[u, s] = seed . sum, or where the tile does not have all of s: head or tail of the tile = sum
 *
 * A second kernel goes over tiles in order and joins tails and heads. Many rows, and short ones, need no tiles: a worker does each as a
 * whole.
 *
 * Offsets that do not ascend are an error, which the kernel that reads them finds; here they cost nothing but a wrong result. */

#define TILE           32768
#define MANY_ROWS      16
#define BLOCK          256     /* segments of which lanes take the short ones, before the others are done */
#define MOST_SCALAR    32      /* rough operations of an element that are not worth lanes which would gather slowly */

/* Elements of arrays of so many bytes are prefetched. Lanes wait for several lines at once in any case: theirs must come from memory;
 * distance in elements, times lanes: about those of the next segments that they take. */
#define FAR_BYTES      (2 << 20)
#define LANE_FAR_BYTES (32 << 20)
#define LANE_AHEAD     16

/* The head and the tail of a tile: its part of a segment that began before it, and of one that ends after it. */
enum { HEAD, TAIL, N_ENDS };

/* What there is of a head or tail. */
enum { NOTHING, NO_ELEMENTS, ELEMENTS };

typedef struct {
  AccStep        *step;
  AccFold        *fold;
  AccFusionNode  *node, *offsets;
  const AccSpace *space;        /* of the elements */
  const AccSpace *results;
  gint64          n, n_segments, n_items;   /* of a row: elements, segments, both */
  gint64          n_tiles;
  gboolean        by_tiles;
  gboolean        by_lanes;     /* short segments */
  guint           n_lanes;
  guint           flags;        /* scratch of tiles: of a block */
  guint           states;       /* scratch: what there is of heads and tails */
  guint           ends;         /* scratch: the first segment that ends behind each tile */
} Segments;

static KValue
clamp (AccLower *l,
       KValue    x,
       gint64    most)
{
  return low_within (l, kb_min (l->b, kb_max (l->b, x, low_const (l, 0)), low_number (l, most)), 0, most);
}

static KValue
get_offset (Segments *self,
            AccLower *l,
            KValue    segment)
{
  return acc_skeleton_get_offset (l, self->offsets, self->node, segment, self->n);
}

/* How many segments end before place @place of the sequence: @least to @most. */
static KValue
count_ends (Segments *self,
            AccLower *l,
            KValue    place,
            KValue    least,
            KValue    most)
{
  AccKernelBuilder *b = l->b;
  KValue one = low_const (l, 1);
  KVar low = kb_var (b, least), high = kb_var (b, most);

  low_while (l)
    {
      KValue middle;

      kb_until (b, kb_le (b, kb_get (b, high), kb_get (b, low)));
      middle = low_within (l, kb_prim2 (b, ACC_PRIM_SHR, kb_add (b, kb_get (b, low), kb_get (b, high)), one), 0, self->n_segments - 1);
      low_if (l, kb_lt (b, kb_add (b, get_offset (self, l, kb_add (b, middle, one)), middle), place))
        {
          kb_set (b, low, kb_add (b, middle, one));
        }
      low_else (l)
        {
          kb_set (b, high, middle);
        }
    }

  return low_within (l, kb_get (b, low), 0, self->n_segments);
}

static void
store_known (Segments     *self,
             AccLower     *l,
             KValue        u,
             KValue        segment,
             const KValue *result)
{
  AccKernelBuilder *b = l->b;
  KValue place = self->space->outer == 1 ? segment : kb_add (b, kb_mul (b, u, low_number (l, self->n_segments)), segment);
  AccIndex *ix = low_index_of_linear (l, self->results, low_within (l, place, 0, MAX (self->node->size, 1) - 1));

  low_know (l, self->node, ix, result);
  low_store_roots (l, ix);
}

static void
store_result (Segments     *self,
              AccLower     *l,
              KValue        u,
              KValue        segment,
              KValue        has_elements,
              const KValue *sum)
{
  KValue *known = acc_fold_new_seed (self->fold, l, 0);

  if (known != NULL)
    {
      KVar *vars = acc_fold_new_vars (self->fold, l, known);

      low_if (l, has_elements)
        {
          acc_fold_append (self->fold, l, vars, sum);
        }
      acc_fold_get_vars (self->fold, l, vars, known);
    }
  store_known (self, l, u, segment, known != NULL ? known : sum);
}

static KValue
get_part (AccLower *l,
          KValue    tile,
          guint     end)
{
  return kb_add (l->b, kb_mul (l->b, tile, low_const (l, N_ENDS)), low_const (l, end));
}

static void
store_state (Segments *self,
             AccLower *l,
             KValue    part,
             KValue    state)
{
  kb_store (l->b, low_scratch (l, self->states, ACC_KIND_I64), part, state);
}

static KValue
get_tile (Segments *self,
          AccLower *l,
          KValue    u,
          KValue    tile)
{
  return kb_add (l->b, kb_mul (l->b, u, low_number (l, self->n_tiles)), tile);
}

static KValue
get_own_tile (Segments *self,
              AccLower *l,
              KValue    u)
{
  return get_tile (self, l, u, low_udiv (l, kb_inner_begin (l->b), TILE));
}

/* Where a tile begins or ends: segments that ended before, and elements. */
typedef struct {
  KValue segments, elements;
} Border;

static Border
find_border (Segments *self,
             AccLower *l,
             KValue    place,
             KValue    least,
             KValue    most)
{
  KValue segments = count_ends (self, l, place, least, most);

  return (Border) { segments, clamp (l, kb_sub (l->b, place, segments), self->n) };
}

/* A segment, and what the tile has of it. */
typedef struct {
  KValue s, first, behind, has_elements;
  KValue is_short;     /* and whole */
  KValue is_whole;     /* the tile has all of it */
} Segment;

static KValue
get_end (Segments *self,
         AccLower *l,
         KValue    s)
{
  return get_offset (self, l, low_add (l, low_within (l, s, 0, self->n_segments - 1), low_const (l, 1)));
}

static Segment
make_segment (Segments *self,
              AccLower *l,
              KValue    s,
              KValue    first,
              KValue    behind,
              KValue    is_whole)
{
  AccKernelBuilder *b = l->b;
  KValue few = kb_lt (b, kb_sub (b, behind, first), low_const (l, 2 * self->n_lanes));

  return (Segment) { s, first, behind, kb_lt (b, first, behind), kb_and (b, is_whole, few), is_whole };
}

/* One that the tile has all of. */
static Segment
make_inner_segment (Segments *self,
                    AccLower *l,
                    KValue    s,
                    KValue    begin,
                    KValue    end)
{
  return make_segment (self, l, s, begin, end, kb_int (l->b, ACC_KIND_BOOL, 1));
}

static Segment
get_segment (Segments *self,
             AccLower *l,
             KValue    s,
             Border    from,
             Border    to)
{
  AccKernelBuilder *b = l->b;
  KValue begin = get_offset (self, l, low_within (l, s, 0, self->n_segments - 1));

  if (!self->by_tiles)
    return make_inner_segment (self, l, s, begin, get_end (self, l, s));

  return make_segment (self, l, s, kb_max (b, begin, from.elements), kb_min (b, get_end (self, l, s), to.elements),
                       kb_and (b, kb_lt (b, s, to.segments), kb_le (b, from.elements, begin)));
}

static AccPlace
get_flag (Segments *self,
          AccLower *l,
          KValue    s,
          KValue    first)
{
  KValue flags = kb_mul (l->b, kb_tile (l->b), low_const (l, BLOCK + ACC_SKELETON_FALSE_SHARING));

  return (AccPlace) { low_scratch (l, self->flags, ACC_KIND_U8), kb_add (l->b, flags, kb_sub (l->b, s, first)) };
}

/* A segment that is short and whole, in order. */
static void
write_whole (Segments *self,
             AccLower *l,
             KValue    u,
             Segment   x)
{
  AccFold *fold = self->fold;
  KValue *sum = acc_fold_new_values (fold, l), *seed = acc_fold_new_seed (fold, l, 0);
  KVar *vars = acc_fold_new_vars (fold, l, seed);

  l->segment = x.s;
  low_if (l, x.has_elements)
    {
      acc_fold_write_in_order (fold, l, self->space, u, x.first, x.behind, sum);
      if (seed != NULL)
        acc_fold_combine (fold, l, seed, sum, sum);
      acc_fold_set_vars (fold, l, vars, sum);
    }
  l->segment = (KValue) { 0 };
  acc_fold_get_vars (fold, l, vars, sum);
  store_known (self, l, u, x.s, sum);
}

/* By lanes, each of which takes a segment. Flags tell which segments are left. */
static void
write_short (Segments *self,
             AccLower *l,
             KValue    u,
             KValue    begin,
             KValue    end,
             Border    from,
             Border    to)
{
  kb_set_lanes (l->b, self->n_lanes);
  low_foreach (l, s, begin, end)
    {
      Segment x = get_segment (self, l, s, from, to);

      low_store_place (l, get_flag (self, l, s, begin), kb_cast (l->b, ACC_KIND_U8, kb_not (l->b, x.is_short)));
      low_if (l, x.is_short)
        {
          write_whole (self, l, u, x);
        }
    }
  kb_set_lanes (l->b, 0);
}

static void
write_segment (Segments *self,
               AccLower *l,
               KValue    u,
               Segment   x,
               Border    to)
{
  AccKernelBuilder *b = l->b;
  AccFold *fold = self->fold;
  KValue *sum = acc_fold_new_values (fold, l);
  KVar *vars = acc_fold_new_vars (fold, l, NULL);

  l->segment = x.s;
  low_if (l, x.has_elements)
    {
      acc_fold_write_run (fold, l, self->space, u, x.first, x.behind, kb_tile (b), sum);
      acc_fold_set_vars (fold, l, vars, sum);
    }
  l->segment = (KValue) { 0 };
  acc_fold_get_vars (fold, l, vars, sum);
  if (!self->by_tiles)
    {
      store_result (self, l, u, x.s, x.has_elements, sum);
      return;
    }

  low_if (l, x.is_whole)
    {
      store_result (self, l, u, x.s, x.has_elements, sum);
    }
  low_else (l)
    {
      KValue tile = get_own_tile (self, l, u);
      KValue part = kb_select (b, kb_le (b, to.segments, x.s), get_part (l, tile, TAIL), get_part (l, tile, HEAD));

      acc_fold_store_part (fold, l, part, sum);
      store_state (self, l, part, kb_select (b, x.has_elements, low_const (l, ELEMENTS), low_const (l, NO_ELEMENTS)));
    }
}

static void
write_one (Segments *self,
           AccLower *l,
           KValue    u,
           Segment   x,
           Border    to)
{
  low_if (l, x.is_short)
    {
      write_whole (self, l, u, x);
    }
  low_else (l)
    {
      write_segment (self, l, u, x, to);
    }
}

/* One segment after the other, where gathers are slower than loads. Only the first and the last may be in part of other tiles. The end of a
 * segment is loaded while the one before is done: branch prediction fails at the ends of loops, and is corrected sooner. */
static void
write_each (Segments *self,
            AccLower *l,
            KValue    u,
            KValue    begin,
            KValue    end,
            Border    from,
            Border    to)
{
  AccKernelBuilder *b = l->b;
  KValue one = low_const (l, 1), last = kb_sub (b, end, one), inner = kb_add (b, begin, one);

  low_for (l, e, low_const (l, 0), kb_min (b, kb_sub (b, end, begin), low_const (l, 2)))
    {
      write_one (self, l, u, get_segment (self, l, kb_select (b, kb_lt (b, e, one), begin, last), from, to), to);
    }
  low_if (l, kb_lt (b, inner, last))
    {
      KVar at = kb_var (b, get_offset (self, l, inner)), end_of_next = kb_var (b, get_end (self, l, inner));

      low_for (l, s, inner, last)
        {
          Segment x = make_inner_segment (self, l, s, kb_get (b, at), kb_get (b, end_of_next));

          kb_set (b, at, x.behind);
          kb_set (b, end_of_next, get_end (self, l, low_add (l, s, one)));
          write_one (self, l, u, x, to);
        }
    }
}

static void
write_segments (Segments *self,
                AccLower *l,
                KValue    u,
                Border    from,
                Border    to)
{
  AccKernelBuilder *b = l->b;
  KValue n_segments = low_number (l, self->n_segments), block = low_const (l, BLOCK), n_blocks;
  KValue last = self->by_tiles ? kb_min (b, kb_add (b, to.segments, low_const (l, 1)), n_segments) : n_segments;

  if (!self->by_lanes)
    {
      write_each (self, l, u, from.segments, last, from, to);
      return;
    }

  n_blocks = low_udiv (l, kb_add (b, kb_sub (b, last, from.segments), low_const (l, BLOCK - 1)), BLOCK);
  low_for (l, k, low_const (l, 0), n_blocks)
    {
      KValue begin = kb_add (b, from.segments, kb_mul (b, k, block)), end = kb_min (b, kb_add (b, begin, block), last);

      write_short (self, l, u, begin, end, from, to);
      low_for (l, s, begin, end)
        {
          KValue flag = low_load_place (l, get_flag (self, l, s, begin));

          low_if (l, kb_lt (b, kb_int (b, ACC_KIND_U8, 0), flag))
            {
              write_segment (self, l, u, get_segment (self, l, s, from, to), to);
            }
        }
    }
}

/* --- kernels */

static AccLaunch
get_launch (Segments *self,
            gint64    inner)
{
  AccLaunch launch = acc_skeleton_launch (self->space, acc_skeleton_get_cost (self->step));

  launch.rows = ACC_SPACE_WHOLE;
  launch.inner = inner;

  return launch;
}

/* Scratch private to a worker while it does one of @n tiles. */
static void
add_own (Segments *self,
         gint64    n)
{
  acc_fold_add_lanes_of_tiles (self->fold, n);
  if (self->by_lanes)
    self->flags = acc_step_add_tile_scratch (self->step, ACC_KIND_U8, BLOCK + ACC_SKELETON_FALSE_SHARING, n);
}

static void
write_rows (Segments *self)
{
  AccLower *l = low_new (self->step, acc_skeleton_get_name (self->step));
  AccLaunch launch = get_launch (self, self->n_items);

  launch.tile_outer = MAX (TILE / self->n_items, 1);
  launch.tile_inner = self->n_items;
  l->is_brief = self->n_items <= TILE;
  add_own (self, acc_ceil_div (self->space->outer, launch.tile_outer));
  low_for_units (l, u, self->space)
    {
      Border begin = { low_const (l, 0), low_const (l, 0) }, end = { low_number (l, self->n_segments), low_number (l, self->n) };

      write_segments (self, l, u, begin, end);
    }
  low_finish (l, launch);
}

static void
write_tiles (Segments *self)
{
  AccLower *l = low_new (self->step, acc_skeleton_get_name (self->step));
  AccKernelBuilder *b = l->b;
  AccLaunch launch = get_launch (self, self->n_items);

  l->is_brief = TRUE;
  /* Also for one unit: if LLVM knows that it is one, it gives registers to values that loops over short segments do not need, and a sparse
   * matrix times a vector takes 1.07 of its time. */
  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      KValue tile = get_own_tile (self, l, low_within (l, u, 0, self->space->outer - 1));
      KValue n_segments = low_number (l, self->n_segments), n_items = kb_sub (b, kb_inner_end (b), kb_inner_begin (b));
      Border begin = find_border (self, l, kb_inner_begin (b), low_const (l, 0), n_segments);
      Border end = find_border (self, l, kb_inner_end (b), begin.segments, kb_min (b, kb_add (b, begin.segments, n_items), n_segments));

      for (guint i = 0; i < N_ENDS; i++)
        store_state (self, l, get_part (l, tile, i), low_const (l, NOTHING));
      kb_store (b, low_scratch (l, self->ends, ACC_KIND_I64), tile, end.segments);
      write_segments (self, l, u, begin, end);
    }

  launch.tile_outer = 1;
  launch.tile_inner = TILE;
  low_finish (l, launch);
}

/* vars = vars . part, or the part where nothing came before. */
static void
take_part (Segments   *self,
           AccLower   *l,
           KValue      part,
           const KVar *vars,
           KVar        has_elements)
{
  AccKernelBuilder *b = l->b;
  KValue state = kb_load (b, low_scratch (l, self->states, ACC_KIND_I64), part);

  low_if (l, kb_eq (b, state, low_const (l, ELEMENTS)))
    {
      KValue *sum = acc_fold_new_values (self->fold, l);

      acc_fold_load_part (self->fold, l, part, sum);
      acc_fold_append_or_start (self->fold, l, vars, has_elements, sum);
    }
}

static void
write_joints (Segments *self)
{
  AccLower *l = low_new (self->step, "fold_seg_join");
  AccKernelBuilder *b = l->b;
  AccFold *fold = self->fold;
  KValue zero = low_const (l, 0), none = kb_int (b, ACC_KIND_BOOL, 0);
  AccLaunch launch = get_launch (self, 1);

  low_for_units (l, u, self->space)
    {
      KVar *vars = acc_fold_new_vars (fold, l, NULL);
      KVar has_elements = kb_var (b, none), segment = kb_var (b, zero);

      low_for (l, t, zero, low_number (l, self->n_tiles))
        {
          KValue tile = get_tile (self, l, u, t), head = get_part (l, tile, HEAD);
          KValue behind = kb_load (b, low_scratch (l, self->ends, ACC_KIND_I64), tile);

          low_if (l, kb_lt (b, kb_get (b, segment), behind))
            {
              low_if (l, kb_lt (b, low_const (l, NOTHING), kb_load (b, low_scratch (l, self->states, ACC_KIND_I64), head)))
                {
                  KValue *sum = acc_fold_new_values (fold, l);

                  take_part (self, l, head, vars, has_elements);
                  acc_fold_get_vars (fold, l, vars, sum);
                  store_result (self, l, u, low_within (l, kb_get (b, segment), 0, self->n_segments - 1), kb_get (b, has_elements), sum);
                }
              kb_set (b, has_elements, none);
            }
          take_part (self, l, get_part (l, tile, TAIL), vars, has_elements);
          kb_set (b, segment, behind);
        }
    }

  low_finish (l, launch);
}

void
acc_skeleton_fold_segments (AccStep *step)
{
  AccFusionGraph *graph = step->fusion->graph;
  AccFusionNode *node = g_ptr_array_index (step->cluster->anchors, 0);
  g_autoptr(AccSpace) space = acc_space_new_for_consumed (graph, step->cluster, TRUE);
  g_autoptr(AccSpace) results = acc_space_new_for_roots (graph, step->cluster);
  g_autoptr(AccFold) fold = acc_fold_new (step);
  Segments self = {
    .step = step, .fold = fold, .node = node, .offsets = node->inputs[1], .space = space,
    .results = results, .n = space->inner, .n_segments = node->extents[node->rank - 1],
  };

  step->n_rows = space->n_rows;
  if (space->outer == 0 || self.n_segments == 0 || !acc_skeleton_has_leaves (step))
    return;

  fold->many_short_runs = fold->reads_all_rows = TRUE;
  self.n_lanes = MIN (fold->lanes / 4, 16);
  self.by_lanes = step->fusion->target->has_gathers || step->cluster->cost > MOST_SCALAR;
  if (self.by_lanes)
    acc_fold_set_prefetch (fold, LANE_AHEAD * self.n_lanes, LANE_FAR_BYTES);
  else
    acc_fold_set_prefetch (fold, ACC_SKELETON_AHEAD, FAR_BYTES);
  self.n_items = self.n + self.n_segments;
  self.n_tiles = acc_ceil_div (self.n_items, TILE);
  self.by_tiles = self.n_tiles > 1 && space->outer < MANY_ROWS;
  if (self.by_tiles)
    {
      self.states = acc_step_add_scratch (step, ACC_KIND_I64, space->outer * self.n_tiles * N_ENDS);
      self.ends = acc_step_add_scratch (step, ACC_KIND_I64, space->outer * self.n_tiles);
      add_own (&self, space->outer * self.n_tiles);
      acc_fold_add_parts (fold, space->outer * self.n_tiles * N_ENDS);
      write_tiles (&self);
      write_joints (&self);
    }
  else
    {
      write_rows (&self);
    }
}
