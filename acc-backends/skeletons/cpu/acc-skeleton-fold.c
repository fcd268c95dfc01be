/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-skeletons.h"

#include "acc-core/base/acc-ceil-div-private.h"

/* Folds of rows:
 *
 *   for u in rows:
 *     foreach r in lanes: lane[r] = source[u, r] . source[u, r + lanes] ...
 *     roots[u] = seed . lane[0] . lane[1] ...
 *
 * Where the operator does not commute, lanes would have to go along runs of their own, and be combined one by one. So of many
 * rows that are not long each has a lane, which goes along it in order:
 *
 *   foreach u in rows:
 *     roots[u] = seed . source[u, 0] . source[u, 1] ...
 *
 * Long rows are cut into parts, which are combined in order: by a second kernel where rows are few. Rows that are short are folded by
 * the map skeleton, a lane each. The number of lanes depends on the element type only, what is cut on the length of rows and on whether
 * operators commute, not on how many rows there are: floats are the same on every machine, whatever rows come together. */

#define TILE 65536
#define MANY_ROWS 16
#define MANY_PARTS 16     /* of few rows: workers share them */

/* A lane per row: from so many rows on, or where floats are among them, of at most so many elements. */
#define MIN_ROWS_ACROSS 16
#define MAX_ROW_ACROSS 512

static void
write_rows_across (AccStep        *step,
                   AccFold        *fold,
                   const AccSpace *space,
                   const AccSpace *results)
{
  AccLower *l = low_new (step, acc_skeleton_get_name (step));
  AccKernelBuilder *b = l->b;
  KValue *sum = acc_fold_new_values (fold, l);
  AccLaunch launch = acc_skeleton_launch (space, acc_skeleton_get_cost (step));

  low_foreach (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      AccIndex *ix;

      low_within (l, u, 0, space->outer - 1);
      acc_fold_write_in_order (fold, l, space, u, low_const (l, 0), low_number (l, space->inner), sum);
      ix = low_index_of_linear (l, results, u);
      acc_fold_know (fold, l, ix, sum);
      low_store_roots (l, ix);
    }

  launch.tile_outer = MAX (TILE / space->inner, 1);
  launch.tile_inner = space->inner;
  low_finish (l, launch);
}

static gint64
count_parts (const AccSpace *space)
{
  return acc_ceil_div (space->inner, ACC_SKELETON_FOLD_PART);
}

/* All of row @u, by parts if it is long. */
static void
fold_row (AccFold        *fold,
          AccLower       *l,
          const AccSpace *space,
          KValue          u,
          KValue         *sum)
{
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), end = low_number (l, space->inner), part = low_const (l, ACC_SKELETON_FOLD_PART);
  KVar *vars, started;

  if (space->inner <= ACC_SKELETON_FOLD_PART)
    {
      acc_fold_write_run (fold, l, space, u, zero, end, kb_tile (b), sum);
      return;
    }

  vars = acc_fold_new_vars (fold, l, NULL);
  started = kb_var (b, kb_int (b, ACC_KIND_BOOL, 0));
  low_for (l, t, zero, low_number (l, count_parts (space)))
    {
      KValue begin = low_within (l, kb_mul (b, t, part), 0, space->inner - 1);

      acc_fold_write_run (fold, l, space, u, begin, kb_min (b, kb_add (b, begin, part), end), kb_tile (b), sum);
      acc_fold_append_or_start (fold, l, vars, started, sum);
    }
  acc_fold_get_vars (fold, l, vars, sum);
}

static void
write_whole_rows (AccStep        *step,
                  AccFold        *fold,
                  const AccSpace *space,
                  const AccSpace *results)
{
  AccLower *l = low_new (step, acc_skeleton_get_name (step));
  gint64 tile = MAX (TILE / space->inner, 1);
  KValue *sum = acc_fold_new_values (fold, l);
  AccLaunch launch = acc_skeleton_launch (space, acc_skeleton_get_cost (step));

  acc_fold_add_lanes_of_tiles (fold, acc_ceil_div (space->outer, tile));
  low_for_units (l, u, space)
    {
      AccIndex *ix;

      fold_row (fold, l, space, u, sum);
      ix = low_index_of_linear (l, results, u);
      acc_fold_know (fold, l, ix, sum);
      low_store_roots (l, ix);
    }

  launch.tile_outer = tile;
  launch.tile_inner = space->inner;
  low_finish (l, launch);
}

static void
write_parts (AccStep        *step,
             AccFold        *fold,
             const AccSpace *space,
             gint64          n_parts)
{
  AccLower *l = low_new (step, acc_skeleton_get_name (step));
  AccKernelBuilder *b = l->b;
  KValue *sum = acc_fold_new_values (fold, l);
  AccLaunch launch = acc_skeleton_launch (space, acc_skeleton_get_cost (step));

  low_for_units (l, u, space)
    {
      KValue part = kb_add (b, kb_mul (b, u, low_number (l, n_parts)),
                            kb_udiv (b, kb_inner_begin (b), low_const (l, ACC_SKELETON_FOLD_PART)));

      acc_fold_write_run (fold, l, space, u, kb_inner_begin (b), kb_inner_end (b), part, sum);
      acc_fold_store_part (fold, l, part, sum);
    }

  launch.tile_outer = 1;
  launch.tile_inner = ACC_SKELETON_FOLD_PART;
  low_finish (l, launch);
}

static void
write_combination (AccStep        *step,
                   AccFold        *fold,
                   const AccSpace *space,
                   const AccSpace *results,
                   gint64          n_parts)
{
  AccLower *l = low_new (step, "combine");
  AccKernelBuilder *b = l->b;
  KValue *sum = acc_fold_new_values (fold, l);
  KValue *part = acc_fold_new_values (fold, l);
  AccLaunch launch = acc_skeleton_launch (space, n_parts);

  low_for_units (l, u, space)
    {
      KValue first = kb_mul (b, u, low_number (l, n_parts));
      AccIndex *ix;
      KVar *vars;

      acc_fold_load_part (fold, l, first, sum);
      vars = acc_fold_new_vars (fold, l, sum);
      low_for (l, t, low_const (l, 1), low_number (l, n_parts))
        {
          acc_fold_load_part (fold, l, kb_add (b, first, t), part);
          acc_fold_append (fold, l, vars, part);
        }
      acc_fold_get_vars (fold, l, vars, sum);
      ix = low_index_of_linear (l, results, u);
      acc_fold_know (fold, l, ix, sum);
      low_store_roots (l, ix);
    }

  launch.inner = 1;
  low_finish (l, launch);
}

/* Whether short rows are folded in order, by a lane each: if order matters, or combining lanes takes comparisons and selects of all leaves.
 * Values that are stored besides lie along rows. */
static gboolean
goes_in_order (AccFold *fold)
{
  return !fold->commutative || (fold->has_extremes && !acc_cluster_stores_beside (fold->step->cluster));
}

gboolean
acc_fold_goes_across (AccFold        *self,
                      const AccSpace *space)
{
  return goes_in_order (self) && (space->outer >= MIN_ROWS_ACROSS || self->rounds) && space->inner <= MAX_ROW_ACROSS;
}

void
acc_skeleton_fold (AccStep *step)
{
  g_autoptr(AccSpace) space = acc_space_new_for_consumed (step->fusion->graph, step->cluster, TRUE);
  g_autoptr(AccSpace) results = acc_space_new_for_roots (step->fusion->graph, step->cluster);
  g_autoptr(AccFold) fold = NULL;

  step->n_rows = space->n_rows;
  if (space->outer == 0 || !acc_skeleton_has_leaves (step))
    return;

  if (acc_skeleton_is_simt (step))
    {
      acc_skeleton_fold_simt (step, space, results);
      return;
    }

  fold = acc_fold_new (step);
  if (space->outer < MANY_ROWS && count_parts (space) >= MANY_PARTS)
    {
      gint64 n_parts = count_parts (space);

      acc_fold_add_lanes (fold, space->outer * n_parts);
      acc_fold_add_parts (fold, space->outer * n_parts);
      write_parts (step, fold, space, n_parts);
      write_combination (step, fold, space, results, n_parts);
    }
  else if (acc_fold_goes_across (fold, space))
    {
      write_rows_across (step, fold, space, results);
    }
  else
    {
      write_whole_rows (step, fold, space, results);
    }
}
