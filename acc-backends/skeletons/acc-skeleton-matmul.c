/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-skeletons.h"

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

#define MOST_ROWS   96
#define DEPTH_BYTES 2048    /* of a row in a block */
#define LINE        64
#define MIN_LANES   4
#define MAX_TILES   256     /* each has its own packed rows, however many threads there are */
#define TILE        75e3    /* ns: shorter tiles share the packed rows with others */
#define MAX_LEAVES  2
#define MAX_ROWS    16

typedef struct {
  AccStep       *step;
  AccFusionNode *node, *left, *right;
  guint          n_leaves;
  AccElementKind kind;            /* of sums */
  gsize          size;
  gint64         m, n, k, outer;
  guint          lanes, rows;     /* of a group */
  gint64         n_panels, n_groups;
  gint64         block;           /* groups of a block */
  gint64         n_blocks;
  gint64         depth, n_depths; /* of blocks, their number */
  gint64         row;             /* elements from a packed row to the next */
  guint          panels[MAX_LEAVES], packed[MAX_LEAVES], sums[MAX_LEAVES];   /* scratch */
} Product;

static gint64
ceil_div (gint64 x,
          gint64 y)
{
  return x / y + (x % y != 0);
}

/* As many sums as registers hold, beside an operand for each of them. */
static void
choose_group (Product *self)
{
  const AccTarget *target = self->step->fusion->target;
  gint64 one = target->register_bytes / self->size;
  guint n_vectors;

  self->lanes = MIN_LANES;
  while (self->lanes < 2 * one && self->lanes < self->n)
    self->lanes *= 2;
  n_vectors = (guint) ceil_div (self->lanes, one) * self->n_leaves;
  self->rows = CLAMP ((target->n_registers - n_vectors - self->n_leaves) / n_vectors, 1, MAX_ROWS);
  /* Few rows are shared out evenly. */
  if (self->m <= 4 * self->rows)
    self->rows = (guint) ceil_div (self->m, ceil_div (self->m, self->rows));
}

static void
choose_blocks (Product *self)
{
  self->n_panels = ceil_div (self->n, self->lanes);
  self->n_groups = ceil_div (self->m, self->rows);
  self->block = CLAMP (self->n_groups * self->outer / ACC_PRODUCT_BLOCKS_WANTED, ceil_div (ACC_PRODUCT_LEAST_ROWS, self->rows),
                       ceil_div (MOST_ROWS, self->rows));
  self->block = MIN (self->block, self->n_groups);
  self->n_blocks = ceil_div (self->n_groups, self->block);
  self->block = ceil_div (self->n_groups, self->n_blocks);
  self->depth = DEPTH_BYTES / self->size;
  self->n_depths = MAX (ceil_div (self->k, self->depth), 1);
  if (self->n_depths == 1)
    for (self->row = 1; self->row < self->k; self->row *= 2)
      ;
  self->row = (self->n_depths == 1 ? MIN (self->row, self->depth) : self->depth) + LINE / self->size;
}

static KValue
get_scratch_element (AccLower *l,
                     Product  *self,
                     guint    *scratch,
                     guint     leaf,
                     KValue    place)
{
  return kb_load (l->b, low_scratch (l, scratch[leaf], self->kind), place);
}

static void
set_scratch_element (AccLower *l,
                     Product  *self,
                     guint    *scratch,
                     guint     leaf,
                     KValue    place,
                     KValue    value)
{
  kb_store (l->b, low_scratch (l, scratch[leaf], self->kind), place, value);
}

/* The index of a matrix, of the @outer-th where there are several. */
static AccIndex *
get_index (AccLower      *l,
           Product       *self,
           AccFusionNode *node,
           KValue         outer,
           KValue         row,
           KValue         column)
{
  AccIndex *ix = low_index_new (l, node->rank);

  if (node->rank > 2)
    ix->at[node->rank - 3] = outer;
  ix->at[node->rank - 2] = low_within (l, row, 0, MAX (node->extents[node->rank - 2], 1) - 1);
  ix->at[node->rank - 1] = low_within (l, column, 0, MAX (node->extents[node->rank - 1], 1) - 1);
  low_index_lose_rows (l, ix, self->node, "needs all of its rows");

  return ix;
}

static AccLaunch
get_launch (Product *self,
            gint64   outer,
            gint64   inner,
            double   cost)
{
  return (AccLaunch) { .outer = outer, .inner = inner, .rows = ACC_SPACE_WHOLE, .units_per_row = 1, .cost = cost };
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
  KValue row = kb_add (b, kb_mul (b, panel, low_number (l, self->k)), depth);

  return kb_add (b, kb_mul (b, row, low_const (l, self->lanes)), lane);
}

static void
write_panels (Product *self)
{
  AccLower *l = low_new (self->step, "matmul_panels");
  AccKernelBuilder *b = l->b;
  gint64 outer = self->right->rank > 2 ? self->outer : 1;
  KValue zero = low_const (l, 0), lanes = low_const (l, self->lanes);

  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      KValue matrix = outer > 1 ? low_udiv (l, u, self->n_panels) : zero;
      KValue first = kb_mul (b, outer > 1 ? low_urem (l, u, self->n_panels) : u, lanes);
      KValue there = self->n % self->lanes == 0 ? lanes : kb_min (b, lanes, kb_sub (b, low_number (l, self->n), first));

      low_within (l, matrix, 0, outer - 1);
      low_for (l, d, kb_inner_begin (b), kb_inner_end (b))
        {
          low_foreach (l, lane, zero, there)
            {
              AccIndex *ix = get_index (l, self, self->right, matrix, d, kb_add (b, first, lane));

              for (guint leaf = 0; leaf < self->n_leaves; leaf++)
                set_scratch_element (l, self, self->panels, leaf, get_panel_place (l, self, u, d, lane),
                                     low_cast (l, self->kind, low_read (l, self->right, ix, leaf)));
            }
          if (self->n % self->lanes != 0)
            low_foreach (l, lane, there, lanes)
              {
                for (guint leaf = 0; leaf < self->n_leaves; leaf++)
                  set_scratch_element (l, self, self->panels, leaf, get_panel_place (l, self, u, d, lane), low_zero (l, self->kind));
              }
        }
    }
  low_finish (l, get_launch (self, outer * self->n_panels, self->k, acc_skeleton_get_cost (self->step) * self->lanes));
}

/* --- products */

/* What the loops around are at. */
typedef struct {
  AccLower *l;
  Product  *product;
  KValue    matrix;        /* of the result */
  KValue    panels;        /* the first of the matrix */
  KValue    first_row;     /* of the block */
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
      KValue row = kb_min (b, kb_add (b, place->first_row, r), low_number (l, self->m - 1));
      KValue to = kb_add (b, place->packed, kb_mul (b, r, low_const (l, self->row)));

      low_foreach (l, d, zero, place->depth)
        {
          AccIndex *ix = get_index (l, self, self->left, place->matrix, row, kb_add (b, place->begin, d));

          for (guint leaf = 0; leaf < self->n_leaves; leaf++)
            set_scratch_element (l, self, self->packed, leaf, kb_add (b, to, d), low_cast (l, self->kind, low_read (l, self->left, ix, leaf)));
        }
    }
}

static KValue
multiply_add (AccLower *l,
              Product  *self,
              KValue    x,
              KValue    y,
              KValue    sum)
{
  gboolean fused = l->fusion->target->has_fma && (self->kind == ACC_KIND_F32 || self->kind == ACC_KIND_F64);

  return fused ? kb_fma (l->b, x, y, sum) : kb_add (l->b, sum, kb_mul (l->b, x, y));
}

/* @x, @y, @sum: of a row and lane */
static void
add_product (AccLower     *l,
             Product      *self,
             const KValue *x,
             const KValue *y,
             KValue       *sum)
{
  if (self->n_leaves == 1)
    {
      sum[0] = multiply_add (l, self, x[0], y[0], sum[0]);
      return;
    }
  sum[0] = multiply_add (l, self, x[0], y[0], sum[0]);
  sum[0] = multiply_add (l, self, kb_prim (l->b, ACC_PRIM_NEG, x[1]), y[1], sum[0]);
  sum[1] = multiply_add (l, self, x[0], y[1], sum[1]);
  sum[1] = multiply_add (l, self, x[1], y[0], sum[1]);
}

/* Where the sum of an element of the result waits for the next block of the depth. */
static KValue
get_sum_place (Place *place,
               KValue row,
               KValue column)
{
  AccLower *l = place->l;
  AccKernelBuilder *b = l->b;
  Product *self = place->product;
  KValue line = kb_add (b, kb_mul (b, place->matrix, low_number (l, self->m)), row);

  return kb_add (b, kb_mul (b, line, low_number (l, self->n)), column);
}

static void
store_result (Place        *place,
              KValue        row,
              KValue        column,
              const KValue *sum)
{
  AccLower *l = place->l;
  Product *self = place->product;
  AccIndex *ix = get_index (l, self, self->node, place->matrix, row, column);
  KValue *known = low_alloc (l, MAX_LEAVES * sizeof (KValue));

  for (guint leaf = 0; leaf < self->n_leaves; leaf++)
    known[leaf] = low_cast (l, acc_element_type_get_leaf (self->node->array->type, leaf), sum[leaf]);
  low_know (l, self->node, ix, known);
  low_store_roots (l, ix);
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
  KValue row = kb_add (b, group->row, low_const (l, r)), sum[MAX_LEAVES];

  for (guint leaf = 0; leaf < self->n_leaves; leaf++)
    sum[leaf] = kb_get (b, group->vars[r * self->n_leaves + leaf]);
  if (self->n_depths == 1)
    {
      store_result (place, row, group->column, sum);
      return;
    }
  low_if (l, kb_lt (b, place->block, low_number (l, self->n_depths - 1)))
    {
      for (guint leaf = 0; leaf < self->n_leaves; leaf++)
        set_scratch_element (l, self, self->sums, leaf, get_sum_place (place, row, group->column), sum[leaf]);
    }
  low_else (l)
    {
      store_result (place, row, group->column, sum);
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

  for (guint leaf = 0; leaf < self->n_leaves; leaf++)
    kb_set (b, group->vars[r * self->n_leaves + leaf],
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
    if (self->m % self->rows == 0)
      each (group, r);
    else
      low_if (l, kb_lt (b, kb_add (b, group->row, low_const (l, r)), low_number (l, self->m)))
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

  if (self->n % self->lanes == 0)
    for_rows (group, each);
  else
    low_if (l, kb_lt (l->b, group->column, low_number (l, self->n)))
      {
        for_rows (group, each);
      }
}

/* Each group asks for all of the panel that comes next: only the first one finds it missing. */
static void
prefetch_panel (Place *place,
                KValue panel,
                KValue depth)
{
  AccLower *l = place->l;
  AccKernelBuilder *b = l->b;
  Product *self = place->product;
  KValue at = get_panel_place (l, self, kb_add (b, place->panels, panel), kb_add (b, place->begin, depth), low_const (l, 0));

  for (guint leaf = 0; leaf < self->n_leaves; leaf++)
    for (guint i = 0; i < self->lanes; i += LINE / self->size)
      kb_prefetch (b, low_scratch (l, self->panels[leaf], self->kind), kb_add (b, at, low_const (l, i)));
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
      Group group = { place, low_alloc (l, self->rows * self->n_leaves * sizeof (KVar)) };
      KVar *vars = group.vars;

      kb_set_lanes (b, 0);
      group.row = kb_add (b, place->first_row, kb_mul (b, number, rows));
      group.column = kb_add (b, kb_mul (b, panel, low_const (l, self->lanes)), lane);
      for (guint i = 0; i < self->rows * self->n_leaves; i++)
        vars[i] = kb_var (b, low_zero (l, self->kind));
      if (self->n_depths > 1)
        low_if (l, kb_lt (b, zero, place->block))
          {
            for_elements (&group, take_row);
          }

      low_for (l, d, zero, place->depth)
        {
          KValue x[MAX_LEAVES], y[MAX_LEAVES], sum[MAX_LEAVES];

          for (guint leaf = 0; leaf < self->n_leaves; leaf++)
            y[leaf] = get_scratch_element (l, self, self->panels, leaf,
                                           get_panel_place (l, self, kb_add (b, place->panels, panel), kb_add (b, place->begin, d), lane));
          prefetch_panel (place, kb_add (b, panel, low_const (l, 1)), d);
          for (guint r = 0; r < self->rows; r++)
            {
              KValue at = kb_add (b, kb_add (b, from, d), low_const (l, r * self->row));

              for (guint leaf = 0; leaf < self->n_leaves; leaf++)
                {
                  x[leaf] = get_scratch_element (l, self, self->packed, leaf, at);
                  sum[leaf] = kb_get (b, vars[r * self->n_leaves + leaf]);
                }
              add_product (l, self, x, y, sum);
              for (guint leaf = 0; leaf < self->n_leaves; leaf++)
                kb_set (b, vars[r * self->n_leaves + leaf], sum[leaf]);
            }
        }
      for_elements (&group, leave_row);
    }
}

static void
multiply_block (Place *place)
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
write_products (Product *self)
{
  AccLower *l;
  AccKernelBuilder *b;
  gint64 n_units = self->outer * self->n_blocks, n_tiles;
  AccLaunch launch = get_launch (self, n_units, self->n, 0);
  Place place = { .product = self };
  KValue zero, block;

  launch.cost = acc_skeleton_get_cost (self->step) * self->rows * self->block + 0.003 * self->size * self->n_leaves * self->rows * self->block * self->k;
  launch.tile_outer = MAX (ceil_div (n_units, MAX_TILES), (gint64) MIN (TILE / (launch.cost * self->n), n_units / ACC_PRODUCT_BLOCKS_WANTED));
  launch.tile_inner = ceil_div (self->n_panels, acc_fusion_node_count_parts (self->node)) * self->lanes;
  n_tiles = ceil_div (n_units, launch.tile_outer) * ceil_div (self->n, launch.tile_inner);
  for (guint leaf = 0; leaf < self->n_leaves; leaf++)
    {
      self->packed[leaf] = acc_step_add_scratch (self->step, self->kind, n_tiles * self->block * self->rows * self->row);
      if (self->n_depths > 1)
        self->sums[leaf] = acc_step_add_scratch (self->step, self->kind, self->outer * self->m * self->n);
    }

  place.l = l = low_new (self->step, acc_skeleton_get_name (self->step));
  b = l->b;
  zero = low_const (l, 0);
  block = low_number (l, self->block);
  place.packed = kb_mul (b, kb_tile (b), kb_mul (b, block, low_const (l, self->rows * self->row)));
  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      KValue first;

      place.matrix = self->outer > 1 ? low_udiv (l, u, self->n_blocks) : zero;
      low_within (l, place.matrix, 0, self->outer - 1);
      place.panels = self->right->rank > 2 ? kb_mul (b, place.matrix, low_number (l, self->n_panels)) : zero;
      first = kb_mul (b, self->outer > 1 ? low_urem (l, u, self->n_blocks) : u, block);
      place.n_groups = kb_min (b, block, kb_sub (b, low_number (l, self->n_groups), first));
      place.first_row = kb_mul (b, first, low_const (l, self->rows));
      if (self->n_depths == 1)
        {
          place.begin = place.block = zero;
          place.depth = low_number (l, self->k);
          multiply_block (&place);
        }
      else
        {
          low_for (l, i, zero, low_number (l, self->n_depths))
            {
              KValue depth = low_const (l, self->depth);

              place.block = i;
              place.begin = kb_mul (b, i, depth);
              place.depth = kb_min (b, depth, kb_sub (b, low_number (l, self->k), place.begin));
              multiply_block (&place);
            }
        }
    }
  low_finish (l, launch);
}

void
acc_skeleton_matmul (AccStep *step)
{
  AccFusionGraph *graph = step->fusion->graph;
  AccFusionNode *node = g_ptr_array_index (step->cluster->anchors, 0);
  AccElementType *type = node->array->type;
  Product self = { .step = step, .node = node, .left = acc_fusion_graph_get (graph, node->array->inputs[0]),
                   .right = acc_fusion_graph_get (graph, node->array->inputs[1]) };

  step->n_rows = node->extents[0];
  if (node->size == 0 || !acc_skeleton_has_leaves (step))
    return;

  self.n_leaves = acc_element_type_get_n_leaves (type);
  self.kind = acc_element_type_get_leaf (type, 0);
  if (self.kind == ACC_KIND_F16 && self.n_leaves == 1)
    self.kind = ACC_KIND_F32;
  self.size = acc_element_kind_get_size (self.kind);
  self.m = node->extents[node->rank - 2];
  self.n = node->extents[node->rank - 1];
  self.k = self.left->extents[self.left->rank - 1];
  self.outer = node->size / (self.m * self.n);
  choose_group (&self);
  choose_blocks (&self);

  for (guint leaf = 0; leaf < self.n_leaves; leaf++)
    self.panels[leaf] = acc_step_add_scratch (step, self.kind, (self.right->rank > 2 ? self.outer : 1) * self.n_panels * self.k * self.lanes);
  write_panels (&self);
  write_products (&self);
}
