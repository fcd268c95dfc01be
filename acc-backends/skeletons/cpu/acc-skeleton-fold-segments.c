/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-pieces.h"

#include "acc-core/base/acc-ceil-div-private.h"

/* Folds of segments of rows, by workers and tiles of pieces (acc-pieces.h):
 *
 *   for s in segments that begin in the tile:
 *     sum = source[u, those of its first piece] . ...
 *     roots[u, s] = seed . sum, or where there are more pieces: part[tile, FIRST] = sum
 *   part[tile, NEXT] = the same of the piece of a segment that began before
 *
 * A second kernel goes over tiles in order and combines parts. Many rows, and short ones, need no tiles: a worker does each as a whole. */

#define MANY_ROWS      16
#define BLOCK          256     /* segments of which lanes take the short ones, before the others are done */
#define MOST_SCALAR    32      /* rough operations of an element that are not worth lanes which would gather slowly */

/* Elements of arrays of so many bytes are prefetched. Lanes wait for several lines at once in any case: theirs must come from memory;
 * distance in elements, times lanes: about those of the next segments that they take. */
#define FAR_BYTES      (2 << 20)
#define LANE_FAR_BYTES (32 << 20)
#define LANE_AHEAD     16

typedef struct {
  AccPieces       pieces;
  AccStep        *step;
  AccFold        *fold;
  const AccSpace *results;
  gboolean        by_tiles;
  gboolean        by_lanes;     /* short segments */
  guint           n_lanes;
  guint           flags;        /* scratch of tiles: of a block */
} Segments;

static void
store_result (Segments     *self,
              AccLower     *l,
              KValue        u,
              KValue        segment,
              KValue        has_elements,
              const KValue *sum)
{
  acc_pieces_store_result (&self->pieces, l, self->fold, self->results, u, segment, has_elements, sum);
}

typedef struct {
  KValue s, first, behind;
  KValue has_elements, is_short;
  gboolean may_be_long;      /* have more pieces, of which this is about the first */
} Segment;

static Segment
make_segment (Segments *self,
              AccLower *l,
              KValue    s,
              KValue    first,
              KValue    behind)
{
  AccKernelBuilder *b = l->b;

  return (Segment) { s, first, behind, kb_lt (b, first, behind),
                     kb_lt (b, kb_sub (b, behind, first), low_const (l, 2 * self->n_lanes)), self->by_tiles && self->pieces.has_more };
}

static Segment
get_segment (Segments *self,
             AccLower *l,
             KValue    s)
{
  return make_segment (self, l, s, acc_pieces_get_begin (&self->pieces, l, s), acc_pieces_get_end (&self->pieces, l, s));
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

/* A segment that is short, in order. */
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
      acc_fold_write_in_order (fold, l, self->pieces.space, u, x.first, x.behind, sum);
      if (seed != NULL)
        acc_fold_combine (fold, l, seed, sum, sum);
      acc_fold_set_vars (fold, l, vars, sum);
    }
  l->segment = (KValue) { 0 };
  acc_fold_get_vars (fold, l, vars, sum);
  acc_pieces_store_known (&self->pieces, l, self->results, u, x.s, sum);
}

/* By lanes, each of which takes a segment. Flags tell which segments are left. */
static void
write_short (Segments *self,
             AccLower *l,
             KValue    u,
             KValue    begin,
             KValue    end)
{
  kb_set_lanes (l->b, self->n_lanes);
  low_foreach (l, s, begin, end)
    {
      Segment x = get_segment (self, l, s);

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
               Segment   x)
{
  AccKernelBuilder *b = l->b;
  AccFold *fold = self->fold;
  KValue *sum = acc_fold_new_values (fold, l);
  KVar *vars = acc_fold_new_vars (fold, l, NULL);

  l->segment = x.s;
  low_if (l, x.has_elements)
    {
      KValue behind = x.may_be_long ? acc_pieces_end_piece (&self->pieces, l, x.first, x.behind) : x.behind;

      acc_fold_write_run (fold, l, self->pieces.space, u, x.first, behind, kb_tile (b), sum);
      acc_fold_set_vars (fold, l, vars, sum);
    }
  l->segment = (KValue) { 0 };
  acc_fold_get_vars (fold, l, vars, sum);
  if (!x.may_be_long)
    {
      store_result (self, l, u, x.s, x.has_elements, sum);
      return;
    }

  low_if (l, kb_le (b, kb_sub (b, x.behind, x.first), low_const (l, ACC_SKELETON_FOLD_PART)))
    {
      store_result (self, l, u, x.s, x.has_elements, sum);
    }
  low_else (l)
    {
      KValue part = acc_pieces_get_part (l, acc_pieces_get_own_tile (&self->pieces, l, u), ACC_PIECES_FIRST);

      acc_fold_store_part (fold, l, part, sum);
      acc_pieces_store_state (&self->pieces, l, part, kb_add (b, x.s, low_const (l, 1)));
    }
}

static void
write_one (Segments *self,
           AccLower *l,
           KValue    u,
           Segment   x)
{
  low_if (l, x.is_short)
    {
      write_whole (self, l, u, x);
    }
  low_else (l)
    {
      write_segment (self, l, u, x);
    }
}

/* One segment after the other, where gathers are slower than loads. The end of a segment is loaded while the one before is done: branch
 * prediction fails at the ends of loops, and is corrected sooner. Only the last may be long. */
static void
write_each (Segments *self,
            AccLower *l,
            KValue    u,
            KValue    begin,
            KValue    end)
{
  AccKernelBuilder *b = l->b;
  KValue one = low_const (l, 1), last = kb_sub (b, end, one);

  low_if (l, kb_lt (b, begin, last))
    {
      KVar at = kb_var (b, acc_pieces_get_begin (&self->pieces, l, begin)),
        end_of_next = kb_var (b, acc_pieces_get_end (&self->pieces, l, begin));

      low_for (l, s, begin, last)
        {
          Segment x = make_segment (self, l, s, kb_get (b, at), kb_get (b, end_of_next));

          x.may_be_long = FALSE;
          kb_set (b, at, x.behind);
          kb_set (b, end_of_next, acc_pieces_get_end (&self->pieces, l, low_add (l, s, one)));
          write_one (self, l, u, x);
        }
    }
  low_if (l, kb_lt (b, begin, end))
    {
      write_one (self, l, u, get_segment (self, l, kb_max (b, last, low_const (l, 0))));
    }
}

/* Those from @from to before @to; of each the first piece, by tiles. */
static void
write_segments (Segments *self,
                AccLower *l,
                KValue    u,
                KValue    from,
                KValue    to)
{
  AccKernelBuilder *b = l->b;
  KValue block = low_const (l, BLOCK), n_blocks;

  if (!self->by_lanes)
    {
      write_each (self, l, u, from, to);
      return;
    }

  n_blocks = low_udiv (l, kb_add (b, kb_sub (b, to, from), low_const (l, BLOCK - 1)), BLOCK);
  low_for (l, k, low_const (l, 0), n_blocks)
    {
      KValue begin = kb_add (b, from, kb_mul (b, k, block)), end = kb_min (b, kb_add (b, begin, block), to);

      write_short (self, l, u, begin, end);
      low_for (l, s, begin, end)
        {
          KValue flag = low_load_place (l, get_flag (self, l, s, begin));

          low_if (l, kb_lt (b, kb_int (b, ACC_KIND_U8, 0), flag))
            {
              write_segment (self, l, u, get_segment (self, l, s));
            }
        }
    }
}

/* The piece that begins in the tile of segment @s, which began before. */
static void
write_next_piece (Segments *self,
                  AccLower *l,
                  KValue    u,
                  KValue    s)
{
  AccPieces *pieces = &self->pieces;
  KValue first = acc_pieces_find_next (pieces, l, s), end = acc_pieces_get_end (pieces, l, s);

  low_if (l, kb_lt (l->b, first, end))
    {
      KValue part = acc_pieces_get_part (l, acc_pieces_get_own_tile (pieces, l, u), ACC_PIECES_NEXT);
      KValue *sum = acc_fold_new_values (self->fold, l);

      l->segment = s;
      /* The last piece of many elements is what it is of a row. */
      self->fold->many_short_runs = FALSE;
      acc_fold_write_run (self->fold, l, pieces->space, u, first, acc_pieces_end_piece (pieces, l, first, end), kb_tile (l->b),
                          sum);
      self->fold->many_short_runs = TRUE;
      l->segment = (KValue) { 0 };
      acc_fold_store_part (self->fold, l, part, sum);
      acc_pieces_store_state (pieces, l, part, acc_pieces_get_state (pieces, l, first, end));
    }
}

/* --- kernels */

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
  AccPieces *pieces = &self->pieces;
  AccLower *l = low_new (self->step, acc_skeleton_get_name (self->step));
  gint64 n_items = pieces->n_items;
  AccLaunch launch = acc_pieces_launch (pieces, n_items);

  launch.tile_outer = MAX (ACC_SKELETON_FOLD_PART / n_items, 1);
  launch.tile_inner = n_items;
  l->is_brief = n_items <= ACC_SKELETON_FOLD_PART;
  add_own (self, acc_ceil_div (pieces->space->outer, launch.tile_outer));
  low_for_units (l, u, pieces->space)
    {
      write_segments (self, l, u, low_const (l, 0), low_number (l, pieces->n_segments));
    }
  low_finish (l, launch);
}

static void
write_tiles (Segments *self)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = low_new (self->step, acc_skeleton_get_name (self->step));
  AccKernelBuilder *b = l->b;
  AccLaunch launch = acc_pieces_launch (pieces, pieces->n_items);

  l->is_brief = TRUE;
  /* Also for one unit: if LLVM knows that it is one, it gives registers to values that loops over short segments do not need, and a sparse
   * matrix times a vector takes 1.07 of its time. */
  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      KValue from, to;

      acc_pieces_find_begun (pieces, l, &from, &to);
      if (pieces->has_more)
        {
          KValue tile = acc_pieces_get_own_tile (pieces, l, low_within (l, u, 0, pieces->space->outer - 1));

          for (guint i = 0; i < ACC_PIECES_N_PARTS; i++)
            acc_pieces_store_state (pieces, l, acc_pieces_get_part (l, tile, i), low_const (l, ACC_PIECES_NOTHING));
          low_if (l, kb_lt (b, low_const (l, 0), from))
            {
              write_next_piece (self, l, u, acc_pieces_get_before (pieces, l, from));
            }
        }
      write_segments (self, l, u, from, to);
    }

  launch.tile_outer = 1;
  launch.tile_inner = ACC_SKELETON_FOLD_PART;
  low_finish (l, launch);
}

/* Combines the parts of segments that have several, in order. */
static void
write_joints (Segments *self)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = low_new (self->step, "fold_seg_join");
  AccKernelBuilder *b = l->b;
  AccFold *fold = self->fold;
  KValue nothing = low_const (l, ACC_PIECES_NOTHING), yes = kb_int (b, ACC_KIND_BOOL, 1);
  AccLaunch launch = acc_pieces_launch (pieces, 1);

  low_for_units (l, u, pieces->space)
    {
      KVar *vars = acc_fold_new_vars (fold, l, NULL);
      KVar segment = kb_var (b, low_const (l, 0));

      low_for (l, t, low_const (l, 0), low_number (l, pieces->n_tiles))
        {
          KValue tile = acc_pieces_get_tile (pieces, l, u, t), *sum = acc_fold_new_values (fold, l);
          KValue next = acc_pieces_get_part (l, tile, ACC_PIECES_NEXT), first = acc_pieces_get_part (l, tile, ACC_PIECES_FIRST);
          KValue state = acc_pieces_load_state (pieces, l, next), begun = acc_pieces_load_state (pieces, l, first);

          low_if (l, kb_lt (b, nothing, state))
            {
              acc_fold_load_part (fold, l, next, sum);
              acc_fold_append (fold, l, vars, sum);
            }
          low_if (l, kb_eq (b, state, low_const (l, ACC_PIECES_LAST)))
            {
              acc_fold_get_vars (fold, l, vars, sum);
              store_result (self, l, u, low_within (l, kb_get (b, segment), 0, pieces->n_segments - 1), yes, sum);
            }
          low_if (l, kb_lt (b, nothing, begun))
            {
              acc_fold_load_part (fold, l, first, sum);
              acc_fold_set_vars (fold, l, vars, sum);
              kb_set (b, segment, acc_pieces_get_before (pieces, l, begun));
            }
        }
    }

  low_finish (l, launch);
}

void
acc_skeleton_fold_segments (AccStep *step)
{
  AccFusionGraph *graph = step->fusion->graph;
  g_autoptr(AccSpace) space = acc_space_new_for_consumed (graph, step->cluster, TRUE);
  g_autoptr(AccSpace) results = acc_space_new_for_roots (graph, step->cluster);
  g_autoptr(AccFold) fold = acc_fold_new (step);
  Segments self = { .step = step, .fold = fold, .results = results };
  AccPieces *pieces = &self.pieces;

  if (acc_skeleton_is_simt (step))
    {
      acc_skeleton_fold_segments_simt (step, space, results);
      return;
    }
  acc_pieces_init (pieces, step, space, ACC_SKELETON_FOLD_PART);
  step->n_rows = space->n_rows;
  if (space->outer == 0 || pieces->n_segments == 0 || !acc_skeleton_has_leaves (step))
    return;

  fold->many_short_runs = fold->reads_all_rows = TRUE;
  self.n_lanes = MIN (fold->lanes / 4, 16);
  self.by_lanes = step->fusion->target->has_gathers || step->cluster->cost > MOST_SCALAR;
  if (self.by_lanes)
    acc_fold_set_prefetch (fold, LANE_AHEAD * self.n_lanes, LANE_FAR_BYTES);
  else
    acc_fold_set_prefetch (fold, ACC_SKELETON_AHEAD, FAR_BYTES);
  self.by_tiles = pieces->n_tiles > 1 && (space->outer < MANY_ROWS || pieces->has_more);
  if (self.by_tiles)
    {
      add_own (&self, space->outer * pieces->n_tiles);
      if (pieces->has_more)
        {
          acc_pieces_add_states (pieces);
          acc_fold_add_parts (fold, space->outer * pieces->n_tiles * ACC_PIECES_N_PARTS);
        }
      write_tiles (&self);
      if (pieces->has_more)
        write_joints (&self);
    }
  else
    {
      write_rows (&self);
    }
}
