/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-pieces.h"
#include "acc-scan.h"

#include "acc-core/base/acc-ceil-div-private.h"

/* Scans of segments of rows, by workers and tiles of pieces (acc-pieces.h):
 *
 *   for s in segments that begin in the tile: scan those of its first piece
 *   scan those of the piece of a segment that began before, after the sum of all its pieces before
 *
 * Where segments may have more than one piece, two kernels before add these up: one folds those that are followed by others, one goes over
 * tiles in order. */

typedef struct {
  AccPieces pieces;
  AccScan   scan;
} Segments;

static AccLaunch
get_launch (Segments *self,
            double    cost)
{
  AccLaunch launch = acc_pieces_launch (&self->pieces, self->pieces.n_items);

  launch.cost = cost;
  launch.tile_outer = 1;
  launch.tile_inner = ACC_PIECES_TILE;

  return launch;
}

static double
get_scan_cost (Segments *self)
{
  return 1 + self->scan.step->cluster->cost;
}

static void
sum_piece (Segments *self,
           AccLower *l,
           KValue    u,
           KValue    first,
           KValue    end,
           KValue    part)
{
  AccFold *fold = self->scan.fold;
  KValue *sum = acc_fold_new_values (fold, l);

  acc_fold_write_run (fold, l, self->scan.space, u, first, acc_pieces_end_piece (&self->pieces, l, first, end), kb_tile (l->b), sum);
  acc_fold_store_part (fold, l, part, sum);
}

/* Sums of pieces that others follow. */
static void
write_sums (Segments *self)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = low_new (self->scan.step, "scan_seg_sums");
  AccKernelBuilder *b = l->b;

  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      KValue tile = acc_pieces_get_own_tile (pieces, l, low_within (l, u, 0, self->scan.space->outer - 1)), from, to;
      KValue next = acc_pieces_get_part (l, tile, ACC_PIECES_NEXT), begun = acc_pieces_get_part (l, tile, ACC_PIECES_FIRST);

      acc_pieces_find_begun (pieces, l, &from, &to);
      acc_pieces_store_state (pieces, l, next, low_const (l, ACC_PIECES_NOTHING));
      acc_pieces_store_state (pieces, l, begun, low_const (l, 0));
      low_if (l, kb_lt (b, low_const (l, 0), from))
        {
          KValue s = acc_pieces_get_before (pieces, l, from);
          KValue first = acc_pieces_find_next (pieces, l, s), end = acc_pieces_get_end (pieces, l, s);

          low_if (l, kb_lt (b, first, end))
            {
              KValue state = acc_pieces_get_state (pieces, l, first, end);

              acc_pieces_store_state (pieces, l, next, state);
              low_if (l, kb_eq (b, state, low_const (l, ACC_PIECES_SOME)))
                {
                  sum_piece (self, l, u, first, end, next);
                }
            }
        }
      low_if (l, kb_lt (b, from, to))
        {
          KValue s = acc_pieces_get_before (pieces, l, to), first = acc_pieces_get_begin (pieces, l, s),
            end = acc_pieces_get_end (pieces, l, s);

          low_if (l, kb_lt (b, low_const (l, ACC_PIECES_TILE), kb_sub (b, end, first)))
            {
              sum_piece (self, l, u, first, end, begun);
              acc_pieces_store_state (pieces, l, begun, kb_add (b, s, low_const (l, 1)));
            }
        }
    }

  low_finish (l, get_launch (self, acc_skeleton_get_cost (self->scan.step)));
}

/* What comes before the next piece of each tile. */
static void
write_sums_before (Segments *self)
{
  AccPieces *pieces = &self->pieces;
  AccFold *fold = self->scan.fold;
  AccLower *l = low_new (self->scan.step, "scan_seg_before");
  AccKernelBuilder *b = l->b;

  low_for_units (l, u, self->scan.space)
    {
      KVar *vars = acc_fold_new_vars (fold, l, NULL);

      low_for (l, t, low_const (l, 0), low_number (l, pieces->n_tiles))
        {
          KValue tile = acc_pieces_get_tile (pieces, l, u, t), *sum = acc_fold_new_values (fold, l);
          KValue next = acc_pieces_get_part (l, tile, ACC_PIECES_NEXT), begun = acc_pieces_get_part (l, tile, ACC_PIECES_FIRST);

          acc_fold_store_vars (fold, l, self->scan.before, tile, vars);
          low_if (l, kb_eq (b, acc_pieces_load_state (pieces, l, next), low_const (l, ACC_PIECES_SOME)))
            {
              acc_fold_load_part (fold, l, next, sum);
              acc_fold_append (fold, l, vars, sum);
            }
          low_if (l, kb_lt (b, low_const (l, 0), acc_pieces_load_state (pieces, l, begun)))
            {
              acc_fold_load_part (fold, l, begun, sum);
              acc_fold_set_vars (fold, l, vars, sum);
            }
        }
    }

  low_finish (l, acc_pieces_launch (pieces, 1));
}

/* The piece of a segment that began before. */
static void
scan_next_piece (Segments *self,
                 AccLower *l,
                 KValue    u,
                 KValue    s)
{
  AccKernelBuilder *b = l->b;
  KValue first = acc_pieces_find_next (&self->pieces, l, s), end = acc_pieces_get_end (&self->pieces, l, s);

  low_if (l, kb_lt (b, first, end))
    {
      KValue is_there = kb_int (b, ACC_KIND_BOOL, 1), tile = acc_pieces_get_own_tile (&self->pieces, l, u);
      AccScanSum sum = acc_scan_begin_sum (&self->scan, l, is_there);

      acc_scan_load_sum (&self->scan, l, &sum, is_there, self->scan.before, tile);
      acc_scan_run (&self->scan, l, u, first, acc_pieces_end_piece (&self->pieces, l, first, end), (KValue) { 0 }, &sum);
    }
}

/* Segments from @from to before @to; of each the first piece. */
static void
scan_segments (Segments *self,
               AccLower *l,
               KValue    u,
               KValue    from,
               KValue    to)
{
  AccKernelBuilder *b = l->b;

  low_for (l, s, from, to)
    {
      KValue first = acc_pieces_get_begin (&self->pieces, l, s), end = acc_pieces_get_end (&self->pieces, l, s);

      low_if (l, kb_lt (b, first, end))
        {
          AccScanSum sum = acc_scan_begin_sum (&self->scan, l, kb_int (b, ACC_KIND_BOOL, 0));

          acc_scan_run (&self->scan, l, u, first, self->pieces.has_more ? acc_pieces_end_piece (&self->pieces, l, first, end) : end,
                        (KValue) { 0 }, &sum);
        }
    }
}

static void
write_scans (Segments *self)
{
  AccLower *l = low_new (self->scan.step, "scan_seg");
  AccKernelBuilder *b = l->b;

  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      KValue from, to;

      low_within (l, u, 0, self->scan.space->outer - 1);
      acc_pieces_find_begun (&self->pieces, l, &from, &to);
      if (self->pieces.has_more)
        low_if (l, kb_lt (b, low_const (l, 0), from))
          {
            scan_next_piece (self, l, u, acc_pieces_get_before (&self->pieces, l, from));
          }
      scan_segments (self, l, u, from, to);
    }

  low_finish (l, get_launch (self, get_scan_cost (self)));
}

/* A worker does each row as a whole: short ones. */
static void
write_rows (Segments *self)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = low_new (self->scan.step, "scan_seg");
  AccLaunch launch = get_launch (self, get_scan_cost (self));

  low_for_units (l, u, self->scan.space)
    {
      scan_segments (self, l, u, low_const (l, 0), low_number (l, pieces->n_segments));
    }

  launch.tile_outer = MAX (ACC_PIECES_TILE / pieces->n_items, 1);
  launch.tile_inner = pieces->n_items;
  low_finish (l, launch);
}

void
acc_skeleton_scan_segments (AccStep *step)
{
  g_autoptr(AccSpace) space = acc_space_new_for_consumed (step->fusion->graph, step->cluster, TRUE);
  g_autoptr(AccSpace) results = acc_space_new_for_roots (step->fusion->graph, step->cluster);
  g_autoptr(AccFold) fold = acc_fold_new (step);
  Segments self = { .scan = { step, fold, space, results } };
  gint64 n_tiles;

  if (acc_skeleton_is_simt (step))
    {
      acc_skeleton_scan_segments_simt (step, space, results);
      return;
    }
  step->n_rows = space->n_rows;
  acc_pieces_init (&self.pieces, step, space, ACC_PIECES_TILE);
  if (space->outer == 0 || space->inner == 0 || self.pieces.n_segments == 0 || !acc_skeleton_has_leaves (step))
    return;

  fold->reads_all_rows = TRUE;
  n_tiles = space->outer * self.pieces.n_tiles;
  if (self.pieces.n_tiles == 1)
    {
      write_rows (&self);
      return;
    }
  if (self.pieces.has_more)
    {
      acc_fold_add_lanes_of_tiles (fold, n_tiles);
      acc_fold_add_parts (fold, n_tiles * ACC_PIECES_N_PARTS);
      self.scan.before = acc_fold_add_scratch (fold, n_tiles);
      acc_pieces_add_states (&self.pieces);
      write_sums (&self);
      write_sums_before (&self);
    }
  write_scans (&self);
  g_free (self.scan.before);
}
