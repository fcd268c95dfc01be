/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-product.h"

/* Products of matrices, by workers (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008).
 *
 * The right factor is copied so that the columns of a panel lie side by side, a lane each; that kernel goes over panels. Then:
 *
 *   for blocks of rows, tiles of columns:
 *     for blocks of the depth:
 *       packed[row][depth] = left[row, depth]
 *       for panels:
 *         for groups of rows, as many as registers hold the sums of:
 *           foreach lane:
 *             sums = of the depth before, or 0
 *             for depth: sums[row] += packed[row][depth] * panel[depth][lane]
 *             roots[row, column] = ... sums ..., or where there is more to come, kept
 *
 * The second cache keeps the packed rows and a panel, and the next one is asked for while that is used. Factors are computed as they
 * are copied. Sums go from the first product to the last whatever the blocks are, so the registers of
 * the machine change no bits; whether products are rounded before they are added does. */

#define DEPTH_BYTES 2048    /* of a row in a block */
#define LINE        64
#define MIN_LANES   4
#define MAX_TILES   256     /* each has its own packed rows, however many threads there are */
#define TILE        75e3    /* ns: shorter tiles share the packed rows with others */
#define MAX_ROWS    16

typedef struct {
  AccProduct     p;
  guint          lanes, rows;     /* of a group */
  gint64         n_panels, n_groups;
  gint64         block;           /* groups of a block */
  gint64         n_blocks;
  gboolean       by_rows;         /* tiles are of rows, blocks begin where they do; or of the blocks of several matrices */
  gint64         tile_columns;
  gint64         depth, n_depths; /* of blocks, their number */
  gint64         row;             /* elements from a packed row to the next */
  guint          panels[ACC_PRODUCT_MAX_LEAVES], packed[ACC_PRODUCT_MAX_LEAVES], sums[ACC_PRODUCT_MAX_LEAVES];   /* scratch */
} Product;

/* As many sums as registers hold, beside an operand for each of them. */
static void
choose_group (Product *self)
{
  const AccTarget *target = self->p.step->fusion->target;
  gint64 one = target->register_bytes / self->p.size;
  guint n_vectors;

  self->lanes = MIN_LANES;
  while (self->lanes < 2 * one && self->lanes < self->p.n)
    self->lanes *= 2;
  n_vectors = (guint) acc_ceil_div (self->lanes, one) * self->p.n_leaves;
  self->rows = CLAMP ((target->n_registers - n_vectors - self->p.n_leaves) / n_vectors, 1, MAX_ROWS);
  /* Few rows are shared out evenly. */
  if (self->p.m <= 4 * self->rows)
    self->rows = (guint) acc_ceil_div (self->p.m, acc_ceil_div (self->p.m, self->rows));
}

static void
choose_blocks (Product *self)
{
  self->n_panels = acc_ceil_div (self->p.n, self->lanes);
  self->n_groups = acc_ceil_div (self->p.m, self->rows);
  self->block = CLAMP (self->n_groups * self->p.outer / ACC_PRODUCT_BLOCKS_WANTED, acc_ceil_div (ACC_PRODUCT_LEAST_ROWS, self->rows),
                       acc_ceil_div (ACC_PRODUCT_MOST_ROWS, self->rows));
  self->block = MIN (self->block, self->n_groups);
  self->n_blocks = acc_ceil_div (self->n_groups, self->block);
  self->block = acc_ceil_div (self->n_groups, self->n_blocks);
  self->by_rows = self->p.outer == 1;
  self->depth = DEPTH_BYTES / self->p.size;
  self->n_depths = MAX (acc_ceil_div (self->p.k, self->depth), 1);
  if (self->n_depths == 1)
    for (self->row = 1; self->row < self->p.k; self->row *= 2)
      ;
  self->row = (self->n_depths == 1 ? MIN (self->row, self->depth) : self->depth) + LINE / self->p.size;
}

static KValue
get_scratch_element (AccLower *l,
                     Product  *self,
                     guint    *scratch,
                     guint     leaf,
                     KValue    place)
{
  return kb_load (l->b, low_scratch (l, scratch[leaf], self->p.kind), place);
}

static void
set_scratch_element (AccLower *l,
                     Product  *self,
                     guint    *scratch,
                     guint     leaf,
                     KValue    place,
                     KValue    value)
{
  kb_store (l->b, low_scratch (l, scratch[leaf], self->p.kind), place, value);
}

/* --- panels of the right factor */

static KValue
get_panel_place (AccLower *l,
                 Product  *self,
                 KValue    panel,
                 KValue    depth,
                 KValue    lane)
{
  AccKernelBuilder *b = l->b;
  KValue row = kb_add (b, kb_mul (b, panel, low_number (l, self->p.k)), depth);

  return kb_add (b, kb_mul (b, row, low_const (l, self->lanes)), lane);
}

static void
write_panels (Product *self)
{
  AccLower *l = low_new (self->p.step, "matmul_panels");
  AccKernelBuilder *b = l->b;
  gint64 outer = self->p.right->rank > 2 ? self->p.outer : 1;
  KValue zero = low_const (l, 0), lanes = low_const (l, self->lanes);

  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      KValue matrix = outer > 1 ? low_udiv (l, u, self->n_panels) : zero;
      KValue first = kb_mul (b, outer > 1 ? low_urem (l, u, self->n_panels) : u, lanes);
      KValue there = self->p.n % self->lanes == 0 ? lanes : kb_min (b, lanes, kb_sub (b, low_number (l, self->p.n), first));

      low_within (l, matrix, 0, outer - 1);
      low_for (l, d, kb_inner_begin (b), kb_inner_end (b))
        {
          low_foreach (l, lane, zero, there)
            {
              AccIndex *ix = acc_product_get_index (&self->p, l, self->p.right, matrix, d, kb_add (b, first, lane));

              for (guint leaf = 0; leaf < self->p.n_leaves; leaf++)
                set_scratch_element (l, self, self->panels, leaf, get_panel_place (l, self, u, d, lane),
                                     low_cast (l, self->p.kind, low_read (l, self->p.right, ix, leaf)));
            }
          if (self->p.n % self->lanes != 0)
            low_foreach (l, lane, there, lanes)
              {
                for (guint leaf = 0; leaf < self->p.n_leaves; leaf++)
                  set_scratch_element (l, self, self->panels, leaf, get_panel_place (l, self, u, d, lane), low_zero (l, self->p.kind));
              }
        }
    }
  low_finish (l, (AccLaunch) { .outer = outer * self->n_panels, .inner = self->p.k, .rows = ACC_SPACE_FIRST, .units_per_row = 1,
                               .cost = acc_skeleton_get_cost (self->p.step) * self->lanes });
}

/* --- products */

/* What the loops around are at. */
typedef struct {
  AccLower *l;
  Product  *product;
  KValue    matrix;        /* of the result */
  KValue    panels;        /* the first of the matrix */
  KValue    first_row;     /* of the block */
  KValue    end_row;       /* behind its last */
  KValue    n_groups;      /* of the block */
  KValue    packed;        /* where its rows are */
  KValue    block;         /* of the depth */
  KValue    begin, depth;  /* of that: its first, how many */
} Place;

static void
pack_rows (Place *place)
{
  AccLower *l = place->l;
  AccKernelBuilder *b = l->b;
  Product *self = place->product;
  KValue rows = low_const (l, self->rows), zero = low_const (l, 0);

  low_for (l, r, zero, kb_mul (b, place->n_groups, rows))
    {
      /* Behind the last row stands the last one again. */
      KValue row = kb_min (b, kb_add (b, place->first_row, r), kb_sub (b, place->end_row, low_const (l, 1)));
      KValue to = kb_add (b, place->packed, kb_mul (b, r, low_const (l, self->row)));

      low_foreach (l, d, zero, place->depth)
        {
          AccIndex *ix = acc_product_get_index (&self->p, l, self->p.left, place->matrix, row, kb_add (b, place->begin, d));

          for (guint leaf = 0; leaf < self->p.n_leaves; leaf++)
            set_scratch_element (l, self, self->packed, leaf, kb_add (b, to, d),
                                 low_cast (l, self->p.kind, low_read (l, self->p.left, ix, leaf)));
        }
    }
}

/* The place of an element's sum until the next block of the depth. */
static KValue
get_sum_place (Place *place,
               KValue row,
               KValue column)
{
  AccLower *l = place->l;
  AccKernelBuilder *b = l->b;
  Product *self = place->product;
  KValue line = kb_add (b, kb_mul (b, kb_tile (b), low_number (l, self->block * self->rows)), kb_sub (b, row, place->first_row));

  return kb_add (b, kb_mul (b, line, low_number (l, self->tile_columns)), kb_sub (b, column, kb_inner_begin (b)));
}

typedef struct {
  Place  *place;
  KVar   *vars;            /* rows, leaves */
  KValue  row, column;     /* the first, that of the lane */
} Group;

/* One row of a group, if it is there. */
static void
leave_row (Group *group,
           guint  r)
{
  Place *place = group->place;
  AccLower *l = place->l;
  AccKernelBuilder *b = l->b;
  Product *self = place->product;
  KValue row = kb_add (b, group->row, low_const (l, r)), sum[ACC_PRODUCT_MAX_LEAVES];

  for (guint leaf = 0; leaf < self->p.n_leaves; leaf++)
    sum[leaf] = kb_get (b, group->vars[r * self->p.n_leaves + leaf]);
  if (self->n_depths == 1)
    {
      acc_product_store (&self->p, l, place->matrix, row, group->column, sum);
      return;
    }
  low_if (l, kb_lt (b, place->block, low_number (l, self->n_depths - 1)))
    {
      for (guint leaf = 0; leaf < self->p.n_leaves; leaf++)
        set_scratch_element (l, self, self->sums, leaf, get_sum_place (place, row, group->column), sum[leaf]);
    }
  low_else (l)
    {
      acc_product_store (&self->p, l, place->matrix, row, group->column, sum);
    }
}

static void
take_row (Group *group,
          guint  r)
{
  Place *place = group->place;
  AccKernelBuilder *b = place->l->b;
  Product *self = place->product;
  KValue row = kb_add (b, group->row, low_const (place->l, r));

  for (guint leaf = 0; leaf < self->p.n_leaves; leaf++)
    kb_set (b, group->vars[r * self->p.n_leaves + leaf],
            get_scratch_element (place->l, self, self->sums, leaf, get_sum_place (place, row, group->column)));
}

static void
for_rows (Group *group,
          void (*each) (Group *group, guint r))
{
  AccLower *l = group->place->l;
  AccKernelBuilder *b = l->b;
  Product *self = group->place->product;

  for (guint r = 0; r < self->rows; r++)
    if (!self->by_rows && self->p.m % self->rows == 0)
      each (group, r);
    else
      low_if (l, kb_lt (b, kb_add (b, group->row, low_const (l, r)), group->place->end_row))
        {
          each (group, r);
        }
}

/* The same of the lanes that are there. */
static void
for_elements (Group *group,
              void (*each) (Group *group, guint r))
{
  AccLower *l = group->place->l;
  Product *self = group->place->product;

  if (self->p.n % self->lanes == 0)
    for_rows (group, each);
  else
    low_if (l, kb_lt (l->b, group->column, low_number (l, self->p.n)))
      {
        for_rows (group, each);
      }
}

/* Each group prefetches the whole next panel: only the first one finds it missing. */
static void
prefetch_panel (Place *place,
                KValue panel,
                KValue depth)
{
  AccLower *l = place->l;
  AccKernelBuilder *b = l->b;
  Product *self = place->product;
  KValue at = get_panel_place (l, self, kb_add (b, place->panels, panel), kb_add (b, place->begin, depth), low_const (l, 0));

  for (guint leaf = 0; leaf < self->p.n_leaves; leaf++)
    for (guint i = 0; i < self->lanes; i += LINE / self->p.size)
      kb_prefetch (b, low_scratch (l, self->panels[leaf], self->p.kind), kb_add (b, at, low_const (l, i)));
}

static void
multiply_group (Place *place,
                KValue panel,
                KValue number)
{
  AccLower *l = place->l;
  AccKernelBuilder *b = l->b;
  Product *self = place->product;
  KValue zero = low_const (l, 0), rows = low_const (l, self->rows);
  KValue from = kb_add (b, place->packed, kb_mul (b, kb_mul (b, number, rows), low_const (l, self->row)));

  kb_set_lanes (b, self->lanes);
  low_foreach (l, lane, zero, low_const (l, self->lanes))
    {
      Group group = { place, low_alloc (l, self->rows * self->p.n_leaves * sizeof (KVar)) };
      KVar *vars = group.vars;

      kb_set_lanes (b, 0);
      group.row = kb_add (b, place->first_row, kb_mul (b, number, rows));
      group.column = kb_add (b, kb_mul (b, panel, low_const (l, self->lanes)), lane);
      for (guint i = 0; i < self->rows * self->p.n_leaves; i++)
        vars[i] = kb_var (b, low_zero (l, self->p.kind));
      if (self->n_depths > 1)
        low_if (l, kb_lt (b, zero, place->block))
          {
            for_elements (&group, take_row);
          }

      low_for (l, d, zero, place->depth)
        {
          KValue x[ACC_PRODUCT_MAX_LEAVES], y[ACC_PRODUCT_MAX_LEAVES], sum[ACC_PRODUCT_MAX_LEAVES];

          for (guint leaf = 0; leaf < self->p.n_leaves; leaf++)
            y[leaf] = get_scratch_element (l, self, self->panels, leaf,
                                           get_panel_place (l, self, kb_add (b, place->panels, panel), kb_add (b, place->begin, d), lane));
          prefetch_panel (place, kb_add (b, panel, low_const (l, 1)), d);
          for (guint r = 0; r < self->rows; r++)
            {
              KValue at = kb_add (b, kb_add (b, from, d), low_const (l, r * self->row));

              for (guint leaf = 0; leaf < self->p.n_leaves; leaf++)
                {
                  x[leaf] = get_scratch_element (l, self, self->packed, leaf, at);
                  sum[leaf] = kb_get (b, vars[r * self->p.n_leaves + leaf]);
                }
              acc_product_add (&self->p, l, x, y, sum);
              for (guint leaf = 0; leaf < self->p.n_leaves; leaf++)
                kb_set (b, vars[r * self->p.n_leaves + leaf], sum[leaf]);
            }
        }
      for_elements (&group, leave_row);
    }
}

static void
multiply_depths (Place *place)
{
  AccLower *l = place->l;
  AccKernelBuilder *b = l->b;
  Product *self = place->product;
  KValue lanes = low_const (l, self->lanes), less = low_const (l, self->lanes - 1);

  pack_rows (place);
  low_for (l, panel, kb_udiv (b, kb_inner_begin (b), lanes), kb_udiv (b, kb_add (b, kb_inner_end (b), less), lanes))
    {
      low_within (l, panel, 0, self->n_panels - 1);
      low_for (l, group, low_const (l, 0), place->n_groups)
        {
          multiply_group (place, panel, group);
        }
    }
}

static void
multiply_block (Place *place)
{
  AccLower *l = place->l;
  AccKernelBuilder *b = l->b;
  Product *self = place->product;
  KValue zero = low_const (l, 0);

  place->n_groups = kb_udiv (b, kb_add (b, kb_sub (b, place->end_row, place->first_row), low_const (l, self->rows - 1)),
                             low_const (l, self->rows));
  if (self->n_depths == 1)
    {
      place->begin = place->block = zero;
      place->depth = low_number (l, self->p.k);
      multiply_depths (place);
      return;
    }
  low_for (l, i, zero, low_number (l, self->n_depths))
    {
      KValue depth = low_const (l, self->depth);

      place->block = i;
      place->begin = kb_mul (b, i, depth);
      place->depth = kb_min (b, depth, kb_sub (b, low_number (l, self->p.k), place->begin));
      multiply_depths (place);
    }
}

/* Those of some rows of a matrix. */
static void
multiply_rows (Place *place)
{
  AccLower *l = place->l;
  AccKernelBuilder *b = l->b;
  Product *self = place->product;
  KValue rows = low_number (l, self->block * self->rows), begin = kb_outer_begin (b), end = kb_outer_end (b);
  KValue n = kb_udiv (b, kb_add (b, kb_sub (b, end, begin), low_number (l, self->block * self->rows - 1)), rows);

  place->matrix = place->panels = low_const (l, 0);
  low_for (l, i, low_const (l, 0), n)
    {
      place->first_row = low_within (l, kb_add (b, begin, kb_mul (b, i, rows)), 0, self->p.m - 1);
      place->end_row = kb_min (b, kb_add (b, place->first_row, rows), end);
      multiply_block (place);
    }
}

/* Those of some blocks of several matrices. */
static void
multiply_matrices (Place *place)
{
  AccLower *l = place->l;
  AccKernelBuilder *b = l->b;
  Product *self = place->product;
  KValue rows = low_number (l, self->block * self->rows);

  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      place->matrix = low_within (l, low_udiv (l, u, self->n_blocks), 0, self->p.outer - 1);
      place->panels = self->p.right->rank > 2 ? kb_mul (b, place->matrix, low_number (l, self->n_panels)) : low_const (l, 0);
      place->first_row = kb_mul (b, low_urem (l, u, self->n_blocks), rows);
      place->end_row = kb_min (b, kb_add (b, place->first_row, rows), low_number (l, self->p.m));
      multiply_block (place);
    }
}

static void
write_products (Product *self)
{
  AccLower *l;
  gint64 block_rows = self->block * self->rows, n_units = self->p.outer * self->n_blocks, n_tiles;
  AccLaunch launch = { .outer = n_units, .inner = self->p.n, .rows = ACC_SPACE_OUTER_ROWS };
  Place place = { .product = self };

  launch.cost = acc_skeleton_get_cost (self->p.step) * block_rows + 0.003 * self->p.size * self->p.n_leaves * block_rows * self->p.k;
  launch.tile_outer = MAX (acc_ceil_div (n_units, MAX_TILES),
                           (gint64) MIN (TILE / (launch.cost * self->p.n), n_units / ACC_PRODUCT_BLOCKS_WANTED));
  launch.tile_inner = acc_ceil_div (self->n_panels, acc_fusion_node_count_parts (self->p.node)) * self->lanes;
  if (self->by_rows)
    {
      launch.outer = self->p.m;
      launch.cost /= block_rows;
      launch.tile_outer *= block_rows;
    }
  launch.units_per_row = launch.outer / self->p.node->extents[0];
  n_tiles = acc_ceil_div (launch.outer, launch.tile_outer) * acc_ceil_div (self->p.n, launch.tile_inner);
  self->tile_columns = launch.tile_inner;
  for (guint leaf = 0; leaf < self->p.n_leaves; leaf++)
    {
      self->packed[leaf] = acc_step_add_tile_scratch (self->p.step, self->p.kind, block_rows * self->row, n_tiles);
      if (self->n_depths > 1)
        self->sums[leaf] = acc_step_add_tile_scratch (self->p.step, self->p.kind, block_rows * self->tile_columns, n_tiles);
    }

  place.l = l = low_new (self->p.step, acc_skeleton_get_name (self->p.step));
  place.packed = kb_mul (l->b, kb_tile (l->b), kb_mul (l->b, low_number (l, self->block), low_const (l, self->rows * self->row)));
  if (self->by_rows)
    multiply_rows (&place);
  else
    multiply_matrices (&place);
  low_finish (l, launch);
}

void
acc_skeleton_matmul (AccStep *step)
{
  Product self = { 0 };

  if (!acc_product_init (&self.p, step))
    return;
  if (acc_skeleton_is_simt (step))
    {
      acc_skeleton_matmul_simt (&self.p);
      return;
    }

  choose_group (&self);
  choose_blocks (&self);
  for (guint leaf = 0; leaf < self.p.n_leaves; leaf++)
    self.panels[leaf] = acc_step_add_scratch (step, self.p.kind,
                                              (self.p.right->rank > 2 ? self.p.outer : 1) * self.n_panels * self.p.k * self.lanes);
  write_panels (&self);
  write_products (&self);
}
