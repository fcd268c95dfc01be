/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix-move.h"
#include "acc-sort-lanes.h"

#include "acc-core/base/acc-ceil-div-private.h"

/* Stable sorts of rows, by digits of eight bits from the least significant one on. Rows that go into lanes: by networks, side by side. Many
 * or short rows: each by one worker, all passes at once, after the digits of all have been counted. Few long rows: tiles of a row count
 * their digits; one worker finds where the elements of each tile and digit go; tiles move theirs there, by lines of the cache where there
 * are many. */

#define MANY_ROWS 8
#define LANE_ROWS_TILE 4096    /* elements of rows in lanes */

typedef struct {
  AccRadix     *radix;
  AccRadixMove  move;
  guint         sums;          /* scratch: a counter per digit, of all tiles, and one */
  gint64        n_regions;     /* in flight at most, give or take a tile per row */
  gint64        tile;
  gint64        n_tiles;       /* per row */
} Sort;

static void
write_rows (Sort *self)
{
  AccRadix *radix = self->radix;
  const AccSpace *space = radix->space;
  gint64 tile = acc_ceil_div (space->outer, self->n_regions);
  AccLower *l = low_new (radix->step, "sort");
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), n = low_number (l, space->inner), region = kb_udiv (b, kb_outer_begin (b), low_number (l, tile));

  acc_radix_spread_init (&self->move.spread, MIN (space->outer, self->n_regions), space->inner, space->inner, radix->n_passes);
  acc_radix_add_moved (radix, MIN (space->outer, self->n_regions) * space->inner);
  low_for_units (l, u, space)
    {
      radix->shift = kb_mul (b, kb_sub (b, region, u), n);
      acc_radix_move_sort (&self->move, l, u, zero, n, region);
    }

  low_finish (l, acc_radix_get_launch (radix, space->inner, tile, space->inner, 3 * radix->n_passes));
}

/* --- rows in lanes */

static gboolean
goes_to_lanes (AccStep        *step,
               const AccSpace *space)
{
  return !acc_skeleton_is_simt (step) && space->outer >= ACC_SORT_LANES && space->inner <= ACC_SORT_LANES_MOST;
}

static void
write_lanes (AccRadix *radix)
{
  const AccSpace *space = radix->space;
  gint64 groups = MAX (LANE_ROWS_TILE / (ACC_SORT_LANES * space->inner), 1), tile = groups * ACC_SORT_LANES;
  AccLower *l = low_new (radix->step, "sort");
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), n = low_const (l, space->inner), lanes = low_const (l, ACC_SORT_LANES);
  KValue from = kb_outer_begin (b), to = kb_outer_end (b);
  KValue n_groups = low_udiv (l, kb_add (b, kb_sub (b, to, from), low_const (l, ACC_SORT_LANES - 1)), ACC_SORT_LANES);
  AccSortLanes self;
  guint n_rounds = 0;

  while (((gint64) 1 << n_rounds) < space->inner)
    n_rounds++;
  acc_sort_lanes_init (&self, radix, space->inner, acc_ceil_div (space->outer, tile));
  low_for (l, group, zero, n_groups)
    {
      KValue begin = kb_add (b, from, kb_mul (b, group, lanes)), end = kb_min (b, kb_add (b, begin, lanes), to);

      acc_sort_lanes_fill (&self, l, n);
      low_for (l, u, begin, end)
        {
          acc_sort_lanes_read (&self, l, kb_sub (b, u, begin), low_within (l, u, 0, space->outer - 1), zero, n);
        }
      acc_sort_lanes_run (&self, l, n, low_const (l, n_rounds));
      low_for (l, u, begin, end)
        {
          acc_sort_lanes_write (&self, l, kb_sub (b, u, begin), low_within (l, u, 0, space->outer - 1), zero, n);
        }
    }

  low_finish (l, acc_radix_get_launch (radix, space->inner, tile, space->inner, 1 + n_rounds));
}

/* --- long rows */

static KValue
get_region (Sort     *self,
            AccLower *l,
            KValue    u)
{
  AccKernelBuilder *b = l->b;

  return kb_add (b, kb_mul (b, u, low_number (l, self->n_tiles)), low_udiv (l, kb_inner_begin (b), self->tile));
}

static void
write_tile_work (Sort        *self,
                 const char  *name,
                 guint        pass,
                 AccRadixWork work)
{
  AccRadix *radix = self->radix;
  AccLaunch launch = acc_radix_get_launch (radix, radix->space->inner, 1, self->tile, 2);
  AccLower *l = low_new (radix->step, name);

  low_for_units (l, u, radix->space)
    {
      work (&self->move, l, pass, u, kb_inner_begin (l->b), kb_inner_end (l->b), get_region (self, l, u));
    }
  launch.spreads = work == acc_radix_move_run;
  low_finish (l, launch);
}

static void
write_begins (Sort *self)
{
  AccRadix *radix = self->radix;
  AccLaunch launch = acc_radix_get_launch (radix, 1, 0, 0, 1);
  AccLower *l = low_new (radix->step, "sort_begins");

  low_for_units (l, u, radix->space)
    {
      KValue n_tiles = low_number (l, self->n_tiles), first;

      first = kb_mul (l->b, u, n_tiles);
      acc_radix_move_find_places (&self->move, l, first, kb_add (l->b, first, n_tiles), self->sums,
                                  acc_radix_get_linear (radix, l, u, low_const (l, 0)));
    }
  launch.serial = TRUE;
  low_finish (l, launch);
}

static void
write_tiles (Sort *self)
{
  AccRadix *radix = self->radix;

  radix->written = ACC_BUFFER_ONCE;
  acc_radix_spread_init (&self->move.spread, radix->space->outer * self->n_tiles, self->tile, radix->space->inner, 1);
  self->sums = acc_step_add_scratch (radix->step, radix->count, ACC_RADIX_N_DIGITS + 1);
  acc_radix_add_moved (radix, radix->node->size);
  for (guint pass = 0; pass < radix->n_passes; pass++)
    {
      write_tile_work (self, "sort_count", pass, acc_radix_move_count);
      write_begins (self);
      write_tile_work (self, "sort_move", pass, acc_radix_move_run);
    }
}

/* The roots are the sort, or parts of its elements. */
static AccRadixLeaf *
find_leaves (AccCluster    *cluster,
             AccFusionNode *node,
             guint          n_leaves)
{
  AccRadixLeaf *leaves = g_new0 (AccRadixLeaf, n_leaves + 1);

  for (guint i = 0; i < cluster->roots->len; i++)
    {
      const AccRoot *root = &g_array_index (cluster->roots, AccRoot, i);
      guint first = root->node == node ? 0 : acc_element_type_get_first_leaf (node->array->type, acc_array_get_item (root->node->array));

      for (guint k = 0; k < acc_element_type_get_n_leaves (root->node->array->type); k++)
        {
          leaves[first + k].root = root;
          leaves[first + k].leaf = k;
        }
    }

  return leaves;
}

void
acc_skeleton_sort (AccStep *step)
{
  AccFusionNode *node = g_ptr_array_index (step->cluster->anchors, 0);
  AccArray *array = node->array;
  g_autoptr(AccSpace) space = acc_space_new_for_consumed (step->fusion->graph, step->cluster, TRUE);
  guint n_leaves = acc_element_type_get_n_leaves (array->type);
  g_autofree AccRadixLeaf *leaves = find_leaves (step->cluster, node, n_leaves);
  AccElementKind key = acc_element_type_get_kind (array->functions[0]->body->type);
  AccRadix radix = {
    .step = step, .node = node, .input = node->inputs[0], .space = space, .leaves = leaves,
    .n_leaves = n_leaves, .key = key, .n_passes = acc_element_kind_get_size (key),
    .count = node->size < G_MAXINT32 ? ACC_KIND_I32 : ACC_KIND_I64,
  };
  Sort self = {
    .radix = &radix,
    .n_regions = acc_radix_spread_count_regions (step),
  };
  gboolean streams = array->rank > 1 && radix.input->from_source;

  step->n_rows = space->n_rows;
  if (space->outer == 0 || space->inner == 0 || n_leaves == 0)
    return;

  if (array->op == ACC_OP_SORT_SEG)
    {
      acc_skeleton_sort_segments (&radix);
      return;
    }
  if (goes_to_lanes (step, space))
    {
      radix.by_rows = array->rank > 1;
      write_lanes (&radix);
      return;
    }
  acc_radix_move_init (&self.move, &radix);
  self.n_tiles = CLAMP (acc_ceil_div (space->inner, ACC_RADIX_TILE), 1, MAX (self.n_regions / space->outer, 1));
  self.tile = acc_ceil_div (acc_ceil_div (space->inner, self.n_tiles), ACC_RADIX_LINE) * ACC_RADIX_LINE;
  self.n_tiles = acc_ceil_div (space->inner, self.tile);

  if (acc_skeleton_is_simt (step))
    {
      acc_skeleton_sort_simt (&radix);
    }
  else if (space->outer < MANY_ROWS && self.n_tiles > 1 && !streams)
    {
      write_tiles (&self);
    }
  else
    {
      radix.by_rows = array->rank > 1;
      write_rows (&self);
    }
  acc_radix_spread_clear (&self.move.spread);
}
