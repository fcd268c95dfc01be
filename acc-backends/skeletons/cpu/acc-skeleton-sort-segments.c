/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-pieces.h"
#include "acc-radix-move.h"
#include "acc-sort-lanes.h"

/* Stable sorts of segments of a vector. A tile does those that begin in it (acc-pieces.h):
 *
 *   for each block of segments:
 *     for each class of lengths, up to MOST_SHORT:
 *       list those of the class; LANES of them at a time go through a sorting network in a cache, side by side
 *     a worker sorts each of the others by radix, up to MOST_MIDDLE
 *
 * All workers share those that are longer, of which at most one begins in a tile: they are cut into pieces, which are the tiles of a sort
 * by radix. */

#define LANES       ACC_SORT_LANES
#define BLOCK       1024
#define N_CLASSES   16
#define MOST_SHORT  ACC_SORT_LANES_MOST   /* of the last class */
#define MOST_MIDDLE (2 * ACC_PIECES_TILE)
#define PIECE       (2 * ACC_PIECES_TILE)

typedef struct {
  AccPieces      pieces;
  AccRadix      *radix;
  AccSortLanes   lanes;
  guint          list;          /* scratch of tiles: segments of a block, counted from its first one */
  AccRadix       middle;
  AccRadixMove   middle_move, long_move;
  gint64         n_pieces;      /* of long segments, at most */
  gint64         n_long;        /* segments, at most */
  guint          cuts;          /* scratch: first and last element of each piece, the latter excluded; without: both 0 */
  guint          parted;        /* scratch: first and last piece of each long segment, the latter excluded, and where its elements begin */
  guint          sums;
} Segments;

/* --- lists of segments of a block */

typedef struct {
  KValue begin, end;
} Block;

static AccPlace
get_listed (Segments *self,
            AccLower *l,
            KValue    number)
{
  KValue own = kb_mul (l->b, kb_tile (l->b), low_const (l, BLOCK + ACC_SKELETON_FALSE_SHARING));

  return (AccPlace) { low_scratch (l, self->list, ACC_KIND_I32), kb_add (l->b, own, number) };
}

static KValue
load_listed (Segments *self,
             AccLower *l,
             Block     block,
             KValue    number)
{
  KValue s = kb_cast (l->b, ACC_KIND_I64, low_load_place (l, get_listed (self, l, number)));

  return acc_pieces_clamp (l, kb_add (l->b, block.begin, s), self->pieces.n_segments - 1);
}

/* Those of more than @least elements, and at most @most. Returns how many. */
static KValue
list_segments (Segments *self,
               AccLower *l,
               Block     block,
               KValue    least,
               KValue    most)
{
  AccKernelBuilder *b = l->b;
  KVar count = kb_var (b, low_const (l, 0));
  KValue n_groups = low_udiv (l, kb_add (b, kb_sub (b, block.end, block.begin), low_const (l, LANES - 1)), LANES);

  low_for (l, group, low_const (l, 0), n_groups)
    {
      KValue first = kb_mul (b, group, low_const (l, LANES));

      kb_set_lanes (b, LANES);
      low_foreach (l, lane, low_const (l, 0), low_const (l, LANES))
        {
          KValue number = kb_add (b, first, lane), s = kb_add (b, block.begin, number), stays, n;
          AccPlace place = get_listed (self, l, kb_get (b, count)), end = get_listed (self, l, low_const (l, BLOCK));
          KVar is_one = kb_var (b, kb_int (b, ACC_KIND_BOOL, 0));

          low_if (l, kb_lt (b, s, block.end))
            {
              KValue length = kb_sub (b, acc_pieces_get_end (&self->pieces, l, s), acc_pieces_get_begin (&self->pieces, l, s));

              kb_set (b, is_one, kb_and (b, kb_lt (b, least, length), kb_le (b, length, most)));
            }
          stays = kb_get (b, is_one);
          n = kb_cast (b, ACC_KIND_I64, kb_prim (b, ACC_PRIM_POPCOUNT, kb_ballot (b, stays)));
          kb_pack (b, place.buffer, place.at, kb_cast (b, ACC_KIND_I32, number), stays, end.at);
          kb_set (b, count, kb_shuffle (b, KB_SHUFFLE_LAST, kb_add (b, kb_get (b, count), n), 0));
        }
      kb_set_lanes (b, 0);
    }

  return low_within (l, kb_get (b, count), 0, BLOCK);
}

/* What is done with a segment of a lane. */
typedef void (*LaneWork) (AccSortLanes *lanes, AccLower *l, KValue lane, KValue u, KValue first, KValue length);

static void
visit_lanes (Segments *self,
             AccLower *l,
             Block     block,
             KValue    begin,
             KValue    end,
             LaneWork  work)
{
  low_for (l, number, begin, end)
    {
      KValue s = load_listed (self, l, block, number), first = acc_pieces_get_begin (&self->pieces, l, s);

      work (&self->lanes, l, kb_sub (l->b, number, begin), low_const (l, 0), first,
            kb_sub (l->b, acc_pieces_get_end (&self->pieces, l, s), first));
    }
}

static void
sort_listed (Segments *self,
             AccLower *l,
             Block     block,
             KValue    count,
             KValue    most,
             KValue    n_rounds)
{
  AccKernelBuilder *b = l->b;
  KValue n_groups = low_udiv (l, kb_add (b, count, low_const (l, LANES - 1)), LANES);

  low_for (l, group, low_const (l, 0), n_groups)
    {
      KValue begin = kb_mul (b, group, low_const (l, LANES)), end = kb_min (b, kb_add (b, begin, low_const (l, LANES)), count);

      acc_sort_lanes_fill (&self->lanes, l, most);
      visit_lanes (self, l, block, begin, end, acc_sort_lanes_read);
      acc_sort_lanes_run (&self->lanes, l, most, n_rounds);
      visit_lanes (self, l, block, begin, end, acc_sort_lanes_write);
    }
}

/* Classes: up to 1, 2, 3, 4, 6, 8, 12 … elements. */
static void
sort_short (Segments *self,
            AccLower *l,
            Block     block)
{
  AccKernelBuilder *b = l->b;
  KVar least = kb_var (b, low_const (l, 0));

  low_for (l, class, low_const (l, 0), low_const (l, N_CLASSES))
    {
      KValue one = low_const (l, 1), half = kb_prim2 (b, ACC_PRIM_SHR, class, one), is_odd = kb_eq (b, kb_and (b, class, one), one);
      KValue odd = kb_prim2 (b, ACC_PRIM_SHL, low_const (l, 2), half);
      KValue even = kb_prim2 (b, ACC_PRIM_SHR, kb_prim2 (b, ACC_PRIM_SHL, low_const (l, 3), half), one);
      KValue most = low_within (l, kb_select (b, is_odd, odd, even), 1, MOST_SHORT);
      KValue count = list_segments (self, l, block, kb_get (b, least), most);

      sort_listed (self, l, block, count, most, kb_add (b, half, one));
      kb_set (b, least, most);
    }
}

/* --- the others */

static void
sort_middle (Segments *self,
             AccLower *l,
             KValue    u,
             KValue    first,
             KValue    behind)
{
  AccKernelBuilder *b = l->b;

  self->middle.shift = kb_sub (b, kb_mul (b, kb_tile (b), low_const (l, MOST_MIDDLE)), first);
  acc_radix_move_sort (&self->middle_move, l, u, first, behind, acc_pieces_get_own_tile (&self->pieces, l, u));
}

static KValue
get_long (AccLower *l,
          KValue    tile)
{
  return acc_pieces_get_part (l, tile, ACC_PIECES_FIRST);
}

static void
sort_others (Segments *self,
             AccLower *l,
             KValue    u,
             Block     block)
{
  AccKernelBuilder *b = l->b;
  KValue n = list_segments (self, l, block, low_const (l, MOST_SHORT), low_number (l, self->pieces.n));

  low_for (l, number, low_const (l, 0), n)
    {
      KValue s = load_listed (self, l, block, number);
      KValue first = acc_pieces_get_begin (&self->pieces, l, s), behind = acc_pieces_get_end (&self->pieces, l, s);
      KValue is_middle = kb_le (b, kb_sub (b, behind, first), low_const (l, MOST_MIDDLE));

      low_if (l, is_middle)
        {
          sort_middle (self, l, u, first, behind);
        }
      if (self->n_pieces > 0)
        low_if (l, kb_not (b, is_middle))
          {
            KValue tile = acc_pieces_get_own_tile (&self->pieces, l, u);

            acc_pieces_store_state (&self->pieces, l, get_long (l, tile), kb_add (b, s, low_const (l, 1)));
          }
    }
}

/* --- kernels */

static void
write_tiles (Segments *self)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = low_new (self->radix->step, "sort_seg");
  AccKernelBuilder *b = l->b;
  AccLaunch launch = acc_pieces_launch (pieces, pieces->n_items);

  l->is_brief = TRUE;
  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      KValue from = low_const (l, 0), to = low_number (l, pieces->n_segments), n_blocks, row = low_within (l, u, 0, 0);

      if (pieces->n_tiles > 1)
        acc_pieces_find_begun (pieces, l, &from, &to);
      if (self->n_pieces > 0)
        acc_pieces_store_state (pieces, l, get_long (l, acc_pieces_get_own_tile (pieces, l, row)), low_const (l, 0));
      n_blocks = low_udiv (l, kb_add (b, kb_sub (b, to, from), low_const (l, BLOCK - 1)), BLOCK);
      low_for (l, k, low_const (l, 0), n_blocks)
        {
          KValue begin = kb_add (b, from, kb_mul (b, k, low_const (l, BLOCK)));
          Block block = { begin, kb_min (b, kb_add (b, begin, low_const (l, BLOCK)), to) };

          sort_short (self, l, block);
          if (pieces->n > MOST_SHORT)
            sort_others (self, l, row, block);
        }
    }

  launch.tile_outer = 1;
  launch.tile_inner = pieces->n_tiles > 1 ? ACC_PIECES_TILE : pieces->n_items;
  launch.cost = 4 * self->radix->n_passes;
  low_finish (l, launch);
}

/* --- long ones, by all workers */

enum { CUT_FIRST, CUT_BEHIND, N_CUTS };
enum { PARTED_FIRST, PARTED_BEHIND, PARTED_ELEMENT, N_PARTED };

static AccPlace
get_number (AccLower *l,
            guint     scratch,
            KValue    number,
            guint     n,
            guint     which)
{
  AccKernelBuilder *b = l->b;

  return (AccPlace) { low_scratch (l, scratch, ACC_KIND_I64), kb_add (b, kb_mul (b, number, low_const (l, n)), low_const (l, which)) };
}

/* Cuts the segment into pieces, from number @piece on, and returns how many there are then. */
static KValue
cut_segment (Segments *self,
             AccLower *l,
             KValue    s,
             KValue    number,
             KValue    piece)
{
  AccKernelBuilder *b = l->b;
  KValue first = acc_pieces_get_begin (&self->pieces, l, s), behind = acc_pieces_get_end (&self->pieces, l, s);
  KValue n = low_udiv (l, kb_add (b, kb_sub (b, behind, first), low_const (l, PIECE - 1)), PIECE);
  KValue next = kb_min (b, kb_add (b, piece, n), low_number (l, self->n_pieces));

  low_store_place (l, get_number (l, self->parted, number, N_PARTED, PARTED_FIRST), piece);
  low_store_place (l, get_number (l, self->parted, number, N_PARTED, PARTED_BEHIND), next);
  low_store_place (l, get_number (l, self->parted, number, N_PARTED, PARTED_ELEMENT), first);
  low_for (l, k, piece, next)
    {
      KValue begin = kb_add (b, first, kb_mul (b, kb_sub (b, k, piece), low_const (l, PIECE)));

      low_store_place (l, get_number (l, self->cuts, k, N_CUTS, CUT_FIRST), begin);
      low_store_place (l, get_number (l, self->cuts, k, N_CUTS, CUT_BEHIND),
                       kb_min (b, kb_add (b, begin, low_const (l, PIECE)), behind));
    }

  return next;
}

static void
write_cuts (Segments *self)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = low_new (self->radix->step, "sort_seg_cut");
  AccKernelBuilder *b = l->b;
  AccLaunch launch = acc_pieces_launch (pieces, 1);
  KValue zero = low_const (l, 0), one = low_const (l, 1);
  KVar piece = kb_var (b, zero), number = kb_var (b, zero);

  low_for (l, t, zero, low_number (l, pieces->n_tiles))
    {
      KValue begun = acc_pieces_load_state (pieces, l, get_long (l, t));

      low_if (l, kb_and (b, kb_lt (b, zero, begun), kb_lt (b, kb_get (b, number), low_number (l, self->n_long))))
        {
          KValue s = acc_pieces_get_before (pieces, l, begun);

          kb_set (b, piece, cut_segment (self, l, s, kb_get (b, number), kb_get (b, piece)));
          kb_set (b, number, kb_add (b, kb_get (b, number), one));
        }
    }
  low_for (l, k, kb_get (b, piece), low_number (l, self->n_pieces))
    {
      for (guint i = 0; i < N_CUTS; i++)
        low_store_place (l, get_number (l, self->cuts, k, N_CUTS, i), zero);
    }
  low_for (l, k, kb_get (b, number), low_number (l, self->n_long))
    {
      for (guint i = 0; i < N_PARTED; i++)
        low_store_place (l, get_number (l, self->parted, k, N_PARTED, i), zero);
    }

  launch.serial = TRUE;
  low_finish (l, launch);
}

static void
write_pieces (Segments    *self,
              const char  *name,
              guint        pass,
              AccRadixWork work)
{
  AccLower *l = low_new (self->radix->step, name);
  AccLaunch launch = acc_pieces_launch (&self->pieces, self->n_pieces);

  l->is_brief = TRUE;
  low_for (l, piece, kb_inner_begin (l->b), kb_inner_end (l->b))
    {
      KValue begin = low_load_place (l, get_number (l, self->cuts, piece, N_CUTS, CUT_FIRST));
      KValue end = low_load_place (l, get_number (l, self->cuts, piece, N_CUTS, CUT_BEHIND));

      low_if (l, kb_lt (l->b, begin, end))
        {
          work (&self->long_move, l, pass, low_const (l, 0), acc_pieces_clamp (l, begin, self->pieces.n),
                acc_pieces_clamp (l, end, self->pieces.n), piece);
        }
    }

  launch.tile_outer = launch.tile_inner = 1;
  launch.cost = 2. * PIECE;
  launch.spreads = work == acc_radix_move_run;
  low_finish (l, launch);
}

static void
write_begins (Segments *self)
{
  AccLower *l = low_new (self->radix->step, "sort_seg_begins");
  AccLaunch launch = acc_pieces_launch (&self->pieces, 1);

  low_for (l, k, low_const (l, 0), low_number (l, self->n_long))
    {
      KValue first = low_load_place (l, get_number (l, self->parted, k, N_PARTED, PARTED_FIRST));
      KValue behind = low_load_place (l, get_number (l, self->parted, k, N_PARTED, PARTED_BEHIND));
      KValue element = low_load_place (l, get_number (l, self->parted, k, N_PARTED, PARTED_ELEMENT));

      low_if (l, kb_lt (l->b, first, behind))
        {
          acc_radix_move_find_places (&self->long_move, l, first, behind, self->sums, element);
        }
    }

  launch.serial = TRUE;
  low_finish (l, launch);
}

static void
write_long (Segments *self)
{
  AccRadix *radix = self->radix;

  acc_radix_move_init (&self->long_move, radix);
  acc_radix_spread_init (&self->long_move.spread, self->n_pieces, PIECE, self->pieces.n, 1);
  acc_radix_add_moved (radix, radix->node->size);
  self->sums = acc_step_add_scratch (radix->step, radix->count, ACC_RADIX_N_DIGITS + 1);
  self->cuts = acc_step_add_scratch (radix->step, ACC_KIND_I64, self->n_pieces * N_CUTS);
  self->parted = acc_step_add_scratch (radix->step, ACC_KIND_I64, self->n_long * N_PARTED);
  write_cuts (self);
  for (guint pass = 0; pass < radix->n_passes; pass++)
    {
      write_pieces (self, "sort_seg_count", pass, acc_radix_move_count);
      write_begins (self);
      write_pieces (self, "sort_seg_move", pass, acc_radix_move_run);
    }
  acc_radix_spread_clear (&self->long_move.spread);
}

void
acc_skeleton_sort_segments (AccRadix *radix)
{
  Segments self = { .radix = radix, .middle = *radix };
  AccPieces *pieces = &self.pieces;
  g_autofree AccRadixLeaf *leaves = g_memdup2 (radix->leaves, radix->n_leaves * sizeof (AccRadixLeaf));
  gint64 n_tiles;

  acc_pieces_init (pieces, radix->step, radix->space, ACC_PIECES_TILE);
  if (pieces->n_segments == 0)
    return;

  n_tiles = pieces->n_tiles;
  self.list = acc_step_add_tile_scratch (radix->step, ACC_KIND_I32, BLOCK + ACC_SKELETON_FALSE_SHARING, n_tiles);
  acc_sort_lanes_init (&self.lanes, radix, MOST_SHORT, n_tiles);
  self.middle.leaves = leaves;
  if (pieces->n > MOST_SHORT)
    {
      acc_radix_add_moved_of_tiles (&self.middle, MOST_MIDDLE, n_tiles);
      acc_radix_move_init (&self.middle_move, &self.middle);
      acc_radix_spread_init (&self.middle_move.spread, n_tiles, 0, MOST_MIDDLE, radix->n_passes);
    }
  if (pieces->n > MOST_MIDDLE)
    {
      acc_pieces_add_states (pieces);
      self.n_long = pieces->n / MOST_MIDDLE;
      self.n_pieces = pieces->n / PIECE + self.n_long;
    }
  write_tiles (&self);
  acc_radix_spread_clear (&self.middle_move.spread);
  if (self.n_pieces > 0)
    write_long (&self);
}
