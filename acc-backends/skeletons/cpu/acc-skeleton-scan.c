/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-scan.h"

/* Inclusive scans from the left, of each row:
 *
 *   for u in rows:
 *     sum = source[u, 0]; roots[u, 0] = sum
 *     for x from 1: sum = sum . source[u, x]; roots[u, x] = sum
 *
 * Few long rows, and all of floats, are cut into tiles: one kernel folds each tile, one adds up the prefixes of tiles in order, one scans
 * each tile from its prefix. All three process a tile before a worker takes the next, so that it comes from memory once. By rows a
 * vector is scanned piece by piece: the sum so far is carried over. */

#define TILE 32768
#define MANY_ROWS 8
#define MANY_TILES 4
#define LANES 16
#define MAX_LANES_COST 64      /* rough operations of what is done in them */

AccScanSum
acc_scan_begin_sum (AccScan  *self,
                    AccLower *l,
                    KValue    is_there)
{
  KValue *neutral = acc_fold_new_neutral (self->fold, l);
  AccScanSum sum = { acc_fold_new_vars (self->fold, l, neutral), neutral != NULL };

  if (neutral == NULL)
    sum.is_there = kb_var (l->b, is_there);

  return sum;
}

void
acc_scan_load_sum (AccScan          *self,
                   AccLower         *l,
                   const AccScanSum *sum,
                   KValue            is_there,
                   const guint      *scratch,
                   KValue            at)
{
  low_if (l, is_there)
    {
      KValue *values = acc_fold_new_values (self->fold, l);

      acc_fold_load (self->fold, l, scratch, at, values);
      acc_fold_set_vars (self->fold, l, sum->vars, values);
    }
}

static void
store_element (AccScan      *self,
               AccLower     *l,
               KValue        u,
               KValue        x,
               const KValue *sum)
{
  AccIndex *ix = low_index_of_linear (l, self->results, kb_add (l->b, kb_mul (l->b, u, low_number (l, self->space->inner)), x));

  acc_fold_know (self->fold, l, ix, sum);
  if (self->permute != NULL)
    acc_permute_write_element (self->permute, l, ix, low_const (l, 0));
  else
    low_store_roots (l, ix);
}

/* Whether elements are scanned LANES at a time: not if two elements may have one target. */
static gboolean
has_lanes (AccScan *self)
{
  gboolean in_order = self->vector && self->before == NULL && self->permute != NULL;

  return !in_order && self->step->cluster->cost <= MAX_LANES_COST;
}

static void
prepend_sum (AccScan          *self,
             AccLower         *l,
             const AccScanSum *sum,
             KValue            is_there,
             const KVar       *vars)
{
  KValue *values = acc_fold_new_values (self->fold, l);

  acc_fold_get_vars (self->fold, l, sum->vars, values);
  if (sum->is_neutral_at_first)
    acc_fold_prepend (self->fold, l, vars, values);
  else
    acc_fold_prepend_if (self->fold, l, vars, is_there, values);
}

/* Scans LANES elements from @begin on, after @before, by doubled distances (W. D. Hillis and G. L. Steele, 1986). A block waits for no more
 * of the one before than one addition of its sum. */
static void
scan_block (AccScan          *self,
            AccLower         *l,
            KValue            u,
            KValue            begin,
            const AccScanSum *before)
{
  AccKernelBuilder *b = l->b;
  guint n_leaves = self->fold->n_leaves;
  KVar *own = acc_fold_new_vars (self->fold, l, NULL);
  KValue *next = acc_fold_new_values (self->fold, l),
    is_there = before->is_neutral_at_first ? (KValue) { 0 } : kb_get (b, before->is_there);

  kb_set_lanes (b, LANES);
  low_foreach (l, lane, low_const (l, 0), low_const (l, LANES))
    {
      KValue x = low_within (l, kb_add (b, begin, lane), 0, self->space->inner - 1);
      KValue *values = acc_fold_new_values (self->fold, l);
      KVar *sum;

      acc_fold_element (self->fold, l, self->space, u, x, values);
      sum = acc_fold_new_vars (self->fold, l, values);
      for (guint d = 1; d < LANES; d *= 2)
        {
          KValue *other = acc_fold_new_values (self->fold, l);

          for (guint i = 0; i < n_leaves; i++)
            other[i] = kb_shuffle (b, KB_SHUFFLE_UP, kb_get (b, sum[i]), d);
          acc_fold_prepend_if (self->fold, l, sum, kb_le (b, low_const (l, d), lane), other);
        }
      for (guint i = 0; i < n_leaves; i++)
        kb_set (b, own[i], kb_shuffle (b, KB_SHUFFLE_LAST, kb_get (b, sum[i]), 0));
      prepend_sum (self, l, before, is_there, sum);
      values = acc_fold_new_values (self->fold, l);
      acc_fold_get_vars (self->fold, l, sum, values);
      store_element (self, l, u, x, values);
    }
  kb_set_lanes (b, 0);

  prepend_sum (self, l, before, is_there, own);
  acc_fold_get_vars (self->fold, l, own, next);
  acc_fold_set_vars (self->fold, l, before->vars, next);
}

/* LANES elements from @begin on, of which @count stayed before, and @end do in the end. */
static void
pack_block (AccScan  *self,
            AccLower *l,
            KValue    begin,
            KVar      count,
            KValue    end)
{
  AccKernelBuilder *b = l->b;

  kb_set_lanes (b, LANES);
  low_foreach (l, lane, low_const (l, 0), low_const (l, LANES))
    {
      KValue x = low_within (l, kb_add (b, begin, lane), 0, self->space->inner - 1);
      KValue next = acc_permute_pack (self->permute, l, low_index_of_linear (l, self->results, x), kb_get (b, count), end);

      kb_set (b, count, kb_shuffle (b, KB_SHUFFLE_LAST, next, 0));
    }
  kb_set_lanes (b, 0);
}

/* Whether lanes write what stays side by side. */
static gboolean
packs (AccScan *self)
{
  return self->permute != NULL && acc_permute_packs (self->permute, self->fold);
}

void
acc_scan_run (AccScan          *self,
              AccLower         *l,
              KValue            u,
              KValue            begin,
              KValue            end,
              KValue            n_stay,
              const AccScanSum *before)
{
  AccKernelBuilder *b = l->b;
  KValue *sum = acc_fold_new_values (self->fold, l), *element = acc_fold_new_values (self->fold, l);
  KVar from = kb_var (b, begin);

  if (packs (self) || has_lanes (self))
    {
      KValue n = low_const (l, LANES), n_blocks = kb_udiv (b, kb_sub (b, end, begin), n);

      low_for (l, k, low_const (l, 0), n_blocks)
        {
          KValue first = kb_add (b, begin, kb_mul (b, k, n));

          if (packs (self))
            pack_block (self, l, first, before->vars[0], n_stay);
          else
            scan_block (self, l, u, first, before);
          if (!before->is_neutral_at_first)
            kb_set (b, before->is_there, kb_int (b, ACC_KIND_BOOL, 1));
        }
      kb_set (b, from, kb_add (b, begin, kb_mul (b, n_blocks, n)));
    }
  if (!before->is_neutral_at_first)
    low_if (l, kb_and (b, kb_not (b, kb_get (b, before->is_there)), kb_lt (b, kb_get (b, from), end)))
      {
        KValue first = low_within (l, kb_get (b, from), 0, self->space->inner - 1);

        acc_fold_element (self->fold, l, self->space, u, first, sum);
        acc_fold_set_vars (self->fold, l, before->vars, sum);
        store_element (self, l, u, first, sum);
        kb_set (b, from, kb_add (b, first, low_const (l, 1)));
      }
  low_for (l, x, kb_get (b, from), end)
    {
      low_within (l, x, 0, self->space->inner - 1);
      acc_fold_element (self->fold, l, self->space, u, x, element);
      acc_fold_append (self->fold, l, before->vars, element);
      acc_fold_get_vars (self->fold, l, before->vars, sum);
      store_element (self, l, u, x, sum);
    }
}

static void
write_rows (AccScan *self)
{
  AccLower *l = low_new (self->step, "scan");
  AccLaunch launch = acc_skeleton_launch (self->space, 1 + self->step->cluster->cost);

  low_for_units (l, u, self->space)
    {
      AccScanSum sum = acc_scan_begin_sum (self, l, kb_int (l->b, ACC_KIND_BOOL, 0));

      acc_scan_run (self, l, u, low_const (l, 0), low_number (l, self->space->inner), (KValue) { 0 }, &sum);
    }

  launch.tile_outer = MAX (TILE / self->space->inner, 1);
  launch.tile_inner = self->space->inner;
  low_finish (l, launch);
}

/* One thread, carrying the sum from one call to the next. */
static void
write_vector (AccScan *self)
{
  AccLower *l = low_new (self->step, "scan");
  AccKernelBuilder *b = l->b;
  AccLaunch launch = acc_skeleton_launch (self->space, 1 + self->step->cluster->cost);
  KValue zero = low_const (l, 0), begin = kb_inner_begin (b), is_there = kb_lt (b, zero, begin);
  KValue n_stay = packs (self) ? low_number (l, self->permute->node->size) : (KValue) { 0 };
  AccScanSum sum = acc_scan_begin_sum (self, l, is_there);

  self->carry = acc_fold_add_scratch (self->fold, 1);
  acc_scan_load_sum (self, l, &sum, is_there, self->carry, zero);
  acc_scan_run (self, l, zero, begin, kb_inner_end (b), n_stay, &sum);
  acc_fold_store_vars (self->fold, l, self->carry, zero, sum.vars);

  launch.serial = TRUE;
  low_finish (l, launch);
}

static KValue
get_tile (AccScan  *self,
          AccLower *l,
          KValue    u,
          KValue    x)
{
  AccKernelBuilder *b = l->b;

  return kb_add (b, kb_mul (b, u, low_number (l, self->n_tiles)), kb_udiv (b, x, low_const (l, TILE)));
}

static void
write_tile_sums (AccScan *self)
{
  AccLower *l = low_new (self->step, "scan_sums");
  AccKernelBuilder *b = l->b;
  AccLaunch launch = acc_skeleton_launch (self->space, acc_skeleton_get_cost (self->step));
  KValue *sum = acc_fold_new_values (self->fold, l);

  low_for_units (l, u, self->space)
    {
      KValue tile = get_tile (self, l, u, kb_inner_begin (b));

      acc_fold_write_run (self->fold, l, self->space, u, kb_inner_begin (b), kb_inner_end (b), kb_tile (b), sum);
      acc_fold_store_part (self->fold, l, tile, sum);
    }

  launch.tile_outer = 1;
  launch.tile_inner = TILE;
  launch.sweeps = TRUE;
  low_finish (l, launch);
}

static void
append_part (AccScan          *self,
             AccLower         *l,
             const AccScanSum *sum,
             const KValue     *part)
{
  if (sum->is_neutral_at_first)
    {
      acc_fold_append (self->fold, l, sum->vars, part);
      return;
    }

  acc_fold_append_or_start (self->fold, l, sum->vars, sum->is_there, part);
}

static void
write_sums_before (AccScan *self)
{
  AccLower *l = low_new (self->step, "scan_before");
  AccKernelBuilder *b = l->b;
  AccLaunch launch = acc_skeleton_launch (self->space, 0.001);
  KValue *part = acc_fold_new_values (self->fold, l);
  KValue zero = low_const (l, 0), one = low_const (l, 1), is_there = kb_lt (b, zero, kb_inner_begin (b));

  low_for_units (l, u, self->space)
    {
      KValue first = get_tile (self, l, u, kb_inner_begin (b));
      KValue end = kb_add (b, get_tile (self, l, u, kb_sub (b, kb_inner_end (b), one)), one);
      AccScanSum sum = acc_scan_begin_sum (self, l, is_there);

      acc_scan_load_sum (self, l, &sum, is_there, self->carry, u);
      low_for (l, t, first, end)
        {
          acc_fold_store_vars (self->fold, l, self->before, t, sum.vars);
          acc_fold_load_part (self->fold, l, t, part);
          append_part (self, l, &sum, part);
        }
      acc_fold_store_vars (self->fold, l, self->carry, u, sum.vars);
    }

  launch.serial = launch.sweeps = TRUE;
  low_finish (l, launch);
}

static void
write_tile_scans (AccScan *self)
{
  AccLower *l = low_new (self->step, "scan_tiles");
  AccKernelBuilder *b = l->b;
  AccLaunch launch = acc_skeleton_launch (self->space, 1 + self->step->cluster->cost);

  low_for_units (l, u, self->space)
    {
      KValue begin = kb_inner_begin (b), is_there = kb_lt (b, low_const (l, 0), begin), tile = get_tile (self, l, u, begin);
      KValue *own = acc_fold_new_values (self->fold, l), n_stay = { 0 };
      AccScanSum sum = acc_scan_begin_sum (self, l, is_there);

      acc_scan_load_sum (self, l, &sum, is_there, self->before, tile);
      if (packs (self))
        {
          acc_fold_load_part (self->fold, l, tile, own);
          n_stay = kb_add (b, kb_get (b, sum.vars[0]), own[0]);
        }
      acc_scan_run (self, l, u, begin, kb_inner_end (b), n_stay, &sum);
    }

  launch.tile_outer = 1;
  launch.tile_inner = TILE;
  low_finish (l, launch);
}

/* Those of floats do not show how many rows there are, nor whether a row is one, or a segment. */
static gboolean
has_tiles (AccScan *self)
{
  return self->fold->rounds ? self->n_tiles > 1 : self->space->outer < MANY_ROWS && self->n_tiles >= MANY_TILES;
}

static void
write_tiles (AccScan *self)
{
  gint64 n = self->space->outer * self->n_tiles;

  acc_fold_add_lanes_of_tiles (self->fold, n);
  acc_fold_add_parts (self->fold, n);
  self->before = acc_fold_add_scratch (self->fold, n);
  self->carry = acc_fold_add_scratch (self->fold, self->space->outer);
  write_tile_sums (self);
  write_sums_before (self);
  write_tile_scans (self);
}

static void
scan_clear (AccScan *self)
{
  g_free (self->before);
  g_free (self->carry);
}

/* One thread, since elements go in order, unless no two have one target. */
void
acc_skeleton_scan_permute (AccPermute *permute)
{
  g_autoptr(AccSpace) space = acc_space_new_for_consumed (permute->step->fusion->graph, permute->step->cluster, TRUE);
  g_autoptr(AccFold) fold = acc_fold_new (permute->step);
  AccScan self = { permute->step, fold, space, space, .vector = TRUE, .permute = permute };

  self.n_tiles = (space->inner + TILE - 1) / TILE;
  if (acc_array_get_permute (permute->node->array)->fills && has_tiles (&self))
    write_tiles (&self);
  else
    write_vector (&self);
  scan_clear (&self);
}

void
acc_skeleton_scan (AccStep *step)
{
  AccFusionNode *consumed = step->cluster->consumed;
  g_autoptr(AccSpace) space = acc_space_new_for_consumed (step->fusion->graph, step->cluster, TRUE);
  g_autoptr(AccSpace) results = acc_space_new_for_roots (step->fusion->graph, step->cluster);
  g_autoptr(AccFold) fold = acc_fold_new (step);
  AccScan self = { step, fold, space, results };

  step->n_rows = space->n_rows;
  if (space->outer == 0 || space->inner == 0 || !acc_skeleton_has_leaves (step))
    return;

  if (acc_skeleton_is_simt (step))
    {
      acc_skeleton_scan_simt (step, space, results);
      return;
    }

  self.vector = consumed->rank <= 1;
  self.n_tiles = (space->inner + TILE - 1) / TILE;
  if (has_tiles (&self))
    write_tiles (&self);
  else if (self.vector)
    write_vector (&self);
  else
    write_rows (&self);
  if (self.vector && fold->rounds)
    step->quantum = has_tiles (&self) ? TILE : LANES;
  scan_clear (&self);
}
