/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-permute-spread-private.h"

#include "acc-core/base/acc-ceil-div-private.h"

/* Permutes by all workers. Elements and their targets are bucketed by parts of the result first, in the order of the source; then each part
 * is done by one worker, in that order, while it is in the worker's cache. So no thread waits for others, and the result is that of one
 * loop, to the bit.
 *
 * A part is several blocks that lie far from each other, so that clustered targets are shared by many workers. A source of many more
 * elements than the result goes in rounds of rows, so that buckets need no more memory than a few times the result. */

#define BLOCK_BITS    4          /* of blocks of a part */
#define LEAST_BLOCK   64         /* bytes, of the narrowest leaf: no line of the cache is part of two */
#define LEAST_ROUND   (1 << 20)  /* elements */
#define MAX_ROUNDS    4          /* of elements, that a row may have */
#define LEAST_TILE    16384      /* elements */

/* Rough nanoseconds of a loop on one thread, for an element that goes anywhere in so many bytes; and of what workers wait for each
 * other. */
static const struct { gint64 bytes; double cost; } loop_costs[] = { { 1 << 20, 1.3 }, { 8 << 20, 1.7 }, { 32 << 20, 5 },
                                                                    { G_MAXINT64, 8 } };
#define WAIT_COST     1e5

static gboolean
pays (AccPermute *permute,
      gboolean    is_orderly)
{
  gint64 bytes = permute->node->size * acc_permute_count_bytes (permute);
  double n_threads = CLAMP (permute->step->fusion->target->n_threads, 1, MAX (bytes / LEAST_BLOCK, 1)),
    cost = permute->step->cluster->cost * ACC_SPREAD_OPERATION_COST;
  guint i = 0;

  while (bytes > loop_costs[i].bytes)
    i++;

  /* Orderly targets are written as fast as memory allows: only an expensive source gains. */
  if (is_orderly && cost <= ACC_SPREAD_COST)
    return FALSE;

  return loop_costs[i].cost + cost
         > (ACC_SPREAD_COST + ACC_SPREAD_COMBINE_COST + cost) / n_threads + WAIT_COST / (double) permute->n_source;
}

/* FALSE: a row is too long to go by rounds. */
static gboolean
choose_rounds (AccPermuteSpread *self)
{
  AccPermute *permute = self->permute;
  const AccSpace *space = permute->space;
  gboolean streams = permute->source->from_source || permute->targets->from_source;
  gint64 wanted = streams ? LEAST_ROUND : MAX (permute->node->size, LEAST_ROUND);
  gint64 row = permute->n_source / space->n_rows, tile, units;

  self->round_rows = acc_ceil_div (space->n_rows, MAX (permute->n_source / wanted, 1));
  self->room = self->round_rows * row;
  if (self->room > MAX_ROUNDS * wanted)
    return FALSE;

  tile = MAX (acc_ceil_div (self->room, acc_radix_spread_count_regions (permute->step)), LEAST_TILE);
  self->tile_inner = MIN (tile, space->inner);
  self->tile_outer = self->tile_inner < space->inner ? 1 : CLAMP (tile / space->inner, 1, space->outer);
  self->stride = acc_ceil_div (space->inner, self->tile_inner);
  units = self->round_rows * space->units_per_row;
  if (space->first_inner == 0)
    self->n_regions = acc_ceil_div (units, self->tile_inner) + 1;
  else
    self->n_regions = acc_ceil_div (units, self->tile_outer) * self->stride + 1;

  return TRUE;
}

static void
choose_blocks (AccPermuteSpread *self)
{
  guint bits = 0, least = 0;
  gsize narrowest = 8;

  for (guint i = 0; i < self->permute->n_leaves; i++)
    narrowest = MIN (narrowest, acc_element_kind_get_size (acc_permute_get_kind (self->permute, i)));
  while (((gint64) 1 << bits) < self->permute->node->size)
    bits++;
  while ((narrowest << least) < LEAST_BLOCK)
    least++;
  self->shift = MAX ((int) bits - ACC_RADIX_BITS - BLOCK_BITS, (int) least);
}

static void
add_scratch (AccPermuteSpread *self)
{
  AccStep *step = self->permute->step;
  gint64 tile = self->tile_outer * self->tile_inner;

  acc_radix_spread_init (&self->spread, self->n_regions, tile, self->room, 1);
  self->sums = acc_step_add_scratch (step, self->spread.count, ACC_SPREAD_N_PARTS + 2);
  for (guint i = 0; i < self->spread.n_leaves; i++)
    {
      if (self->spread.wants (self, 0, i))
        self->moved[i] = acc_step_add_round_scratch (step, self->spread.get_kind (self, i), self->room / self->round_rows,
                                                     ACC_SPREAD_AHEAD);
      if (self->is_kept[i])
        self->kept[i] = acc_step_add_scratch (step, self->spread.get_kind (self, i), self->n_regions * tile);
    }
}

gboolean
acc_permute_spread (AccPermute *permute)
{
  guint n = permute->n_leaves + 1;
  g_autofree guint *moved = g_new0 (guint, n), *kept = g_new0 (guint, n);
  g_autofree gboolean *is_same = g_new0 (gboolean, n), *is_kept = g_new0 (gboolean, n);
  AccPermuteSpread self = {
    .permute = permute,
    .place = permute->node->size < G_MAXUINT32 ? ACC_KIND_U32 : ACC_KIND_I64,
    .moved = moved, .kept = kept, .is_same = is_same, .is_kept = is_kept,
  };

  if (permute->node->size == 0 || !pays (permute, FALSE) || !choose_rounds (&self))
    return FALSE;

  acc_permute_spread_look (&self);
  if (self.is_orderly && !pays (permute, TRUE))
    return FALSE;
  choose_blocks (&self);
  permute->step->round_rows = self.round_rows;
  permute->step->combine_per_band = TRUE;
  add_scratch (&self);

  acc_permute_spread_write (&self);
  acc_radix_spread_clear (&self.spread);

  return TRUE;
}
