/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-skeletons.h"

/* Folds of everything:
 *
 *   per tile:   part[tile] = elements of the tile, in order
 *   at the end: root = seed . part[0] . part[1] ...
 *
 * By rows a tile may come in pieces, where that leaves the same bits: what begins inside one goes on from the stored part. */

static void
write_parts (AccStep            *step,
             AccFold            *fold,
             const AccSpace     *space,
             const AccFoldTiles *tiles)
{
  AccLower *l = low_new (step, acc_skeleton_get_name (step));
  AccKernelBuilder *b = l->b;
  KValue *sum = acc_fold_new_values (fold, l);
  KValue *run = acc_fold_new_values (fold, l);
  AccLaunch launch = acc_skeleton_launch (space, acc_skeleton_get_cost (step));
  KValue goes_on, part = acc_fold_get_part (l, tiles, &goes_on);
  KVar *vars = acc_fold_new_vars (fold, l, NULL);
  KVar started = kb_var (b, goes_on);

  low_if (l, kb_get (b, started))
    {
      acc_fold_load_part (fold, l, part, sum);
      acc_fold_set_vars (fold, l, vars, sum);
    }

  low_for_units (l, u, space)
    {
      acc_fold_write_run (fold, l, space, u, kb_inner_begin (b), kb_inner_end (b), kb_tile (b), run);
      acc_fold_append_or_start (fold, l, vars, started, run);
    }
  acc_fold_store_vars (fold, l, fold->part_scratch, part, vars);

  launch.tile_outer = tiles->tile_outer;
  launch.tile_inner = tiles->tile_inner;
  low_finish (l, launch);
}

static void
write_end (AccStep *step,
           AccFold *fold,
           gint64   n_parts)
{
  AccLower *l = low_new (step, "combine");
  KValue *sum = acc_fold_new_values (fold, l);
  KValue *part = acc_fold_new_values (fold, l);
  AccIndex *ix = low_index_new (l, 0);
  KVar *vars;

  low_index_lose_rows (l, ix, g_ptr_array_index (step->cluster->anchors, 0), "is complete after the last row only");
  if (n_parts > 0)
    {
      acc_fold_load_part (fold, l, low_const (l, 0), sum);
      vars = acc_fold_new_vars (fold, l, sum);
      low_for (l, t, low_const (l, 1), low_number (l, n_parts))
        {
          acc_fold_load_part (fold, l, t, part);
          acc_fold_append (fold, l, vars, part);
        }
      acc_fold_get_vars (fold, l, vars, sum);
    }
  acc_fold_know (fold, l, ix, n_parts > 0 ? sum : NULL);
  low_store_roots (l, ix);

  low_finish (l, (AccLaunch) { .outer = 1, .inner = 1, .rows = ACC_SPACE_WHOLE, .units_per_row = 1,
                               .cost = n_parts, .serial = TRUE });
}

void
acc_skeleton_fold_all (AccStep *step)
{
  g_autoptr(AccSpace) space = acc_space_new_for_consumed (step->fusion->graph, step->cluster, FALSE);
  g_autoptr(AccFold) fold = acc_fold_new (step);
  AccFoldTiles tiles;

  step->reduces = TRUE;
  step->n_rows = space->n_rows;
  if (!acc_skeleton_has_leaves (step))
    return;

  if (acc_skeleton_is_simt (step))
    {
      acc_skeleton_fold_all_simt (step, space);
      return;
    }

  acc_fold_cut (fold, space, ACC_SKELETON_FOLD_PART, &tiles);
  if (tiles.n_parts > 0)
    {
      acc_fold_add_lanes_of_tiles (fold, tiles.n_parts);
      acc_fold_add_parts (fold, tiles.n_parts);
      write_parts (step, fold, space, &tiles);
    }
  write_end (step, fold, tiles.n_parts);
}
