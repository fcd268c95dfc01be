/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-product.h"
#include "acc-simt.h"
#include "acc-backends/skeletons/acc-transposed.h"

/* Products of matrices, by groups of threads, tile by tile of the result. A thread holds some rows times some columns of the tile
 * in registers; what they are sums of goes through shared memory, a few columns of the left factor and rows of the right one
 * at a time. There are two such windows: the next one is read while one is multiplied.
 *
 *   window[0] = factors of the first depths
 *   for windows of the depth:
 *     next = factors of the next window, by all threads
 *     for depths of the window:
 *       sums[row][column] += window[this].left[depth][row] * window[this].right[depth][column]
 *     window[other] = next
 *   roots[row, column] = ... sums ...
 *
 * Factors are computed as they are read. Sums go from the first product to the last, whatever the device. */

/* How large tiles are: what depends on the device. */
#define GROUP         256   /* threads, at most */
#define SUM_WORDS     64    /* registers of sums of a thread; on devices of small groups */
#define FEW_SUM_WORDS 32
#define RESIDENT      512   /* threads that a processor should hold: while some wait for memory, others multiply */
#define DEPTH         8     /* of a window; at most, where a thread would read less than one access of it */
#define MAX_DEPTH     16
#define ACCESS_BYTES  16    /* of neighbours, in memory of either kind */
#define PAD           1     /* such accesses between the rows of a window */
#define BLOCK         8     /* threads side by side, which share what they read of the right factor; and 4 above each other */
#define MAX_COST      4000  /* rough operations of what is made of a thread's results, one after the other */

/* One of the factors of a window: positions, which are rows or columns of the result, times depths. */
typedef struct {
  AccFusionNode *node;
  gboolean       is_left;
  gboolean       along_depth;   /* neighbours in memory have neighbouring depths, not positions */
  gint64         extent;        /* of positions */
  guint          n;             /* positions of a tile */
  guint          each;          /* of a thread */
  guint          vector;        /* neighbours that a thread reads at once */
  guint          n_chunks;      /* times so many */
  guint          stride;        /* elements from depth to depth */
  KBuffer        shared[ACC_PRODUCT_MAX_LEAVES];
  KValue         first;         /* position of the tile */
  KValue         matrix;
  KValue         own;           /* what this thread multiplies begins here, in the tile */
  KValue        *chunk_position, *chunk_depth;
  KValue        *next;          /* chunks, neighbours, leaves */
} Factor;

typedef struct {
  AccProduct *p;
  AccSimt     simt;
  gboolean    take_turns;       /* threads, which are quick where neighbours do the same to neighbours in memory */
  guint       threads_across, threads_down;
  guint       access;           /* elements of one access */
  guint       depth;            /* of a window */
  gint64      n_windows, n_whole;
  Factor      left, right;
  KVar       *sums;             /* rows, columns, leaves */
  KValue      matrix;
} Product;

static gint64
count_tiles (Product *self)
{
  return acc_ceil_div (self->left.extent, self->left.n) * acc_ceil_div (self->right.extent, self->right.n) * self->p->outer;
}

static void
set_each (Product *self,
          guint    rows,
          guint    columns)
{
  self->left.each = rows;
  self->right.each = columns;
  self->left.n = rows * self->threads_down;
  self->right.n = columns * self->threads_across;
}

/* As many sums as registers hold, unless there are fewer tiles than processors, or tiles hang over. */
static void
choose_tile (Product *self)
{
  const AccTarget *target = self->p->step->fusion->target;
  guint words = (guint) MAX (self->p->size * self->p->n_leaves / 4, 1), group = MIN (target->group_size, GROUP);
  guint most = (group < 128 ? FEW_SUM_WORDS : SUM_WORDS) / words;
  guint rows = self->take_turns ? 16 : 8, columns = self->take_turns ? 1 : 8;

  self->access = self->take_turns ? 1 : (guint) MAX (ACCESS_BYTES / self->p->size, 1);
  self->threads_across = self->take_turns ? group : group >= 128 ? 2 * BLOCK : BLOCK;
  self->threads_down = group / self->threads_across;
  while (rows * columns > 4 && (rows * columns > most || rows * columns * self->p->step->cluster->cost > MAX_COST))
    *(columns >= rows ? &columns : &rows) /= 2;
  while (columns > 2 && self->threads_across * columns / 2 >= self->p->n)
    columns /= 2;
  while (rows > 2 && self->threads_down * rows / 2 >= self->p->m)
    rows /= 2;
  set_each (self, rows, columns);
  while (rows * columns > 4 && count_tiles (self) < target->n_groups / ACC_PRODUCT_GROUPS_PER_PROCESSOR)
    {
      *(columns >= rows ? &columns : &rows) /= 2;
      set_each (self, rows, columns);
    }
}

static gsize
get_bytes (Product *self)
{
  return 2 * self->depth * (self->left.stride + self->right.stride) * self->p->size * self->p->n_leaves;
}

/* How the threads read a window of a factor. */
static void
share_out (Product *self,
           Factor  *factor)
{
  guint n_each = MAX (factor->n * self->depth / self->simt.group, 1);
  gint64 extent = factor->along_depth ? self->p->k : factor->extent;

  factor->vector = 1;
  while (factor->vector * 2 <= MIN (self->access, n_each) && extent % (factor->vector * 2) == 0)
    factor->vector *= 2;
  factor->n_chunks = n_each / factor->vector;
}

static void
choose_window (Product *self)
{
  guint group = self->threads_across * self->threads_down, smaller = MIN (self->left.n, self->right.n);
  gsize shared_bytes = self->p->step->fusion->target->shared_bytes;

  self->left.stride = self->left.n + PAD * self->access;
  self->right.stride = self->right.n + PAD * self->access;
  self->depth = DEPTH;
  while (self->depth < MAX_DEPTH && smaller * self->depth < self->access * group)
    self->depth *= 2;
  while (self->depth > 1 && get_bytes (self) > shared_bytes)
    self->depth /= 2;
  self->n_whole = self->p->k / self->depth;
  self->n_windows = acc_ceil_div (self->p->k, self->depth);
}

/* --- windows */

static KValue
get_sum (AccLower *l,
         KValue    x,
         guint     n)
{
  return n > 0 ? kb_add (l->b, x, low_const (l, n)) : x;
}

static void
begin_factor (Product *self,
              Factor  *factor)
{
  AccLower *l = self->simt.l;
  guint n_across = (factor->along_depth ? self->depth : factor->n) / factor->vector;

  factor->chunk_position = low_alloc (l, factor->n_chunks * sizeof (KValue));
  factor->chunk_depth = low_alloc (l, factor->n_chunks * sizeof (KValue));
  factor->next = low_alloc (l, factor->n_chunks * factor->vector * self->p->n_leaves * sizeof (KValue));
  for (guint leaf = 0; leaf < self->p->n_leaves; leaf++)
    factor->shared[leaf] = (self->p->size < 4 ? kb_shared : kb_shared_wide) (l->b, self->p->kind, 2 * self->depth * factor->stride,
                                                                             factor->is_left ? "left" : "right");
  for (guint c = 0; c < factor->n_chunks; c++)
    {
      KValue number = get_sum (l, low_urem (l, self->simt.local, factor->n * self->depth), c * self->simt.group);
      KValue across = kb_mul (l->b, low_urem (l, number, n_across), low_const (l, factor->vector)), along = low_udiv (l, number, n_across);

      factor->chunk_position[c] = factor->along_depth ? along : across;
      factor->chunk_depth[c] = factor->along_depth ? across : along;
    }
}

/* The first of @n neighbours from @x on, or of the last ones. */
static KValue
hold_inside (Product *self,
             KValue   x,
             guint    n,
             gint64   extent)
{
  AccLower *l = self->simt.l;

  return kb_min (l->b, x, low_stride (l, extent - n));
}

/* Reads what this thread does of the window. What is outside is never used: something else is read for it. */
static void
read_window (Product *self,
             Factor  *factor,
             KValue   window)
{
  AccLower *l = self->simt.l;
  KValue begin = kb_mul (l->b, window, low_const (l, self->depth));
  guint i = 0;

  for (guint c = 0; c < factor->n_chunks; c++)
    {
      KValue position = kb_add (l->b, factor->first, factor->chunk_position[c]), depth = kb_add (l->b, begin, factor->chunk_depth[c]);

      if (factor->extent % factor->n != 0)
        position = hold_inside (self, position, factor->along_depth ? 1 : factor->vector, factor->extent);
      if (self->p->k % self->depth != 0)
        depth = hold_inside (self, depth, factor->along_depth ? factor->vector : 1, self->p->k);
      for (guint v = 0; v < factor->vector; v++)
        {
          KValue x = factor->along_depth ? position : get_sum (l, position, v), d = factor->along_depth ? get_sum (l, depth, v) : depth;
          AccIndex *ix = acc_product_get_index (self->p, l, factor->node, factor->matrix, factor->is_left ? x : d, factor->is_left ? d : x);

          for (guint leaf = 0; leaf < self->p->n_leaves; leaf++)
            factor->next[i++] = low_cast (l, self->p->kind, low_read (l, factor->node, ix, leaf));
        }
    }
}

/* Where window number @window begins, of the two. */
static KValue
get_window (Product *self,
            Factor  *factor,
            KValue   window)
{
  AccLower *l = self->simt.l;

  return kb_mul (l->b, low_urem (l, window, 2), low_const (l, self->depth * factor->stride));
}

static void
store_window (Product *self,
              Factor  *factor,
              KValue   window)
{
  AccLower *l = self->simt.l;
  KValue begin = get_window (self, factor, window);
  guint i = 0;

  for (guint c = 0; c < factor->n_chunks; c++)
    {
      KValue row = kb_mul (l->b, factor->chunk_depth[c], low_const (l, factor->stride));
      KValue first = kb_add (l->b, begin, kb_add (l->b, row, factor->chunk_position[c]));

      for (guint v = 0; v < factor->vector; v++)
        for (guint leaf = 0; leaf < self->p->n_leaves; leaf++)
          kb_store (l->b, factor->shared[leaf], get_sum (l, first, factor->along_depth ? v * factor->stride : v), factor->next[i++]);
    }
}

/* Where there are more threads than elements, the first ones do. */
static void
keep_window (Product *self,
             Factor  *factor,
             KValue   window)
{
  AccLower *l = self->simt.l;
  guint n = factor->n * self->depth;

  if (n >= self->simt.group)
    store_window (self, factor, window);
  else
    low_if (l, kb_lt (l->b, self->simt.local, low_const (l, n)))
      {
        store_window (self, factor, window);
      }
}

/* --- sums */

/* The @i-th of a thread's positions: neighbours, as many as one access has, those of all threads side by side. */
static guint
get_offset (Product *self,
            Factor  *factor,
            guint    i)
{
  guint n = MIN (self->access, factor->each);

  return i / n * n * (factor->n / factor->each) + i % n;
}

/* All of a thread's factors of a depth, which begins at @at. */
static void
load_factor (Product *self,
             Factor  *factor,
             KValue   at,
             KValue  *values)
{
  AccLower *l = self->simt.l;

  for (guint i = 0; i < factor->each; i++)
    for (guint leaf = 0; leaf < self->p->n_leaves; leaf++)
      values[i * self->p->n_leaves + leaf] = kb_load (l->b, factor->shared[leaf], get_sum (l, at, get_offset (self, factor, i)));
}

/* Adds the products of @n depths from that on which begins at @left and @right. */
static void
add_products (Product *self,
              KValue   left,
              KValue   right,
              guint    n)
{
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  guint n_leaves = self->p->n_leaves, n_sums = self->left.each * self->right.each * n_leaves;
  KValue *x = low_alloc (l, self->left.each * n_leaves * sizeof (KValue)),
    *y = low_alloc (l, self->right.each * n_leaves * sizeof (KValue));
  KValue *sums = low_alloc (l, n_sums * sizeof (KValue));

  for (guint i = 0; i < n_sums; i++)
    sums[i] = kb_get (b, self->sums[i]);
  for (guint d = 0; d < n; d++)
    {
      load_factor (self, &self->left, get_sum (l, left, d * self->left.stride), x);
      load_factor (self, &self->right, get_sum (l, right, d * self->right.stride), y);
      for (guint i = 0; i < self->left.each; i++)
        for (guint j = 0; j < self->right.each; j++)
          acc_product_add (self->p, l, &x[i * n_leaves], &y[j * n_leaves], &sums[(i * self->right.each + j) * n_leaves]);
    }
  for (guint i = 0; i < n_sums; i++)
    kb_set (b, self->sums[i], sums[i]);
}

static KValue
get_own (Product *self,
         Factor  *factor,
         KValue   window)
{
  return kb_add (self->simt.l->b, get_window (self, factor, window), factor->own);
}

static void
multiply (Product *self)
{
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), one = low_const (l, 1);

  begin_factor (self, &self->left);
  begin_factor (self, &self->right);
  read_window (self, &self->left, zero);
  read_window (self, &self->right, zero);
  keep_window (self, &self->left, zero);
  keep_window (self, &self->right, zero);
  kb_barrier (b);
  low_for (l, window, zero, low_number (l, self->n_whole))
    {
      KValue next = kb_add (b, window, one), there = kb_min (b, next, low_number (l, self->n_windows - 1));

      read_window (self, &self->left, there);
      read_window (self, &self->right, there);
      add_products (self, get_own (self, &self->left, window), get_own (self, &self->right, window), self->depth);
      keep_window (self, &self->left, next);
      keep_window (self, &self->right, next);
      kb_barrier (b);
    }
  if (self->n_whole < self->n_windows)
    {
      KValue last = low_number (l, self->n_whole), left = get_own (self, &self->left, last), right = get_own (self, &self->right, last);

      low_for (l, d, zero, low_number (l, self->p->k % self->depth))
        {
          add_products (self, kb_add (b, left, kb_mul (b, d, low_const (l, self->left.stride))),
                        kb_add (b, right, kb_mul (b, d, low_const (l, self->right.stride))), 1);
        }
    }
}

/* --- results */

static void
store_result (Product *self,
              KValue   row,
              KValue   column,
              guint    i,
              guint    j)
{
  KValue sum[ACC_PRODUCT_MAX_LEAVES];

  for (guint leaf = 0; leaf < self->p->n_leaves; leaf++)
    sum[leaf] = kb_get (self->simt.l->b, self->sums[(i * self->right.each + j) * self->p->n_leaves + leaf]);
  acc_product_store (self->p, self->simt.l, self->matrix, row, column, sum);
}

static void
store_columns (Product *self,
               KValue   row,
               KValue   column,
               guint    i,
               guint    first,
               guint    n)
{
  for (guint j = 0; j < n; j++)
    store_result (self, row, get_sum (self->simt.l, column, j), i, first + j);
}

/* Columns of a row that are next to each other, where they are inside: together, or one by one. */
static void
store_neighbours (Product *self,
                  KValue   row,
                  guint    i,
                  guint    first,
                  guint    n)
{
  AccLower *l = self->simt.l;
  KValue column = get_sum (l, kb_add (l->b, self->right.first, self->right.own), get_offset (self, &self->right, first));
  guint step = self->p->n % n == 0 ? n : 1;

  for (guint j = 0; j < n; j += step)
    if (self->p->n % self->right.n == 0)
      store_columns (self, row, get_sum (l, column, j), i, first + j, step);
    else
      low_if (l, kb_lt (l->b, get_sum (l, column, j), low_number (l, self->p->n)))
        {
          store_columns (self, row, get_sum (l, column, j), i, first + j, step);
        }
}

static void
store_row (Product *self,
           KValue   row,
           guint    i)
{
  guint n = MIN (self->access, self->right.each);

  for (guint j = 0; j < self->right.each; j += n)
    store_neighbours (self, row, i, j, n);
}

static void
store_results (Product *self)
{
  AccLower *l = self->simt.l;
  KValue first = kb_add (l->b, self->left.first, self->left.own);

  for (guint i = 0; i < self->left.each; i++)
    {
      KValue row = get_sum (l, first, get_offset (self, &self->left, i));

      if (self->p->m % self->left.n == 0)
        store_row (self, row, i);
      else
        low_if (l, kb_lt (l->b, row, low_number (l, self->p->m)))
          {
            store_row (self, row, i);
          }
    }
}

/* --- the kernel */

/* Where a thread stands among those of a group. */
static void
place_thread (Product *self)
{
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  guint n_blocks = self->threads_across / BLOCK, n_down = MIN (self->threads_down, 4);

  if (self->threads_down == 1)
    {
      self->left.own = low_const (l, 0);
      self->right.own = kb_mul (b, self->simt.local, low_const (l, MIN (self->access, self->right.each)));
      return;
    }

  KValue across = low_urem (l, self->simt.local, BLOCK), rest = low_udiv (l, self->simt.local, BLOCK);
  KValue down = low_urem (l, rest, n_down), block = low_udiv (l, rest, n_down);

  across = kb_add (b, across, kb_mul (b, low_urem (l, block, n_blocks), low_const (l, BLOCK)));
  down = kb_add (b, down, kb_mul (b, low_udiv (l, block, n_blocks), low_const (l, n_down)));
  self->left.own = kb_mul (b, down, low_const (l, MIN (self->access, self->left.each)));
  self->right.own = kb_mul (b, across, low_const (l, MIN (self->access, self->right.each)));
}

static void
place_tile (Product *self)
{
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  gint64 n_down = acc_ceil_div (self->p->m, self->left.n);
  KValue unit = low_within (l, kb_outer_begin (b), 0, n_down * self->p->outer - 1), zero = low_const (l, 0);

  self->matrix = self->p->outer > 1 ? low_within (l, low_udiv (l, unit, n_down), 0, self->p->outer - 1) : zero;
  self->left.matrix = self->left.node->rank > 2 ? self->matrix : zero;
  self->right.matrix = self->right.node->rank > 2 ? self->matrix : zero;
  self->left.first = kb_mul (b, self->p->outer > 1 ? low_urem (l, unit, n_down) : unit, low_const (l, self->left.n));
  /* Seen to be a multiple of what tiles are wide. */
  self->right.first = kb_mul (b, low_udiv (l, low_within (l, kb_inner_begin (b), 0, self->p->n - 1), self->right.n),
                              low_const (l, self->right.n));
}

void
acc_skeleton_matmul_simt (AccProduct *product)
{
  const AccTarget *target = product->step->fusion->target;
  guint n_sums;
  Product self = {
    .p = product,
    .left = { .node = product->left, .is_left = TRUE, .extent = product->m },
    .right = { .node = product->right, .extent = product->n },
  };
  AccLaunch launch = { .inner = product->n, .rows = ACC_SPACE_WHOLE, .units_per_row = 1, .tile_outer = 1 };
  AccLower *l;

  self.left.along_depth = !acc_transposed_reads_across (product->left);
  self.right.along_depth = acc_transposed_reads_across (product->right);
  self.take_turns = target->subgroup_size == 1 && !target->merges_loads;
  choose_tile (&self);
  choose_window (&self);
  launch.outer = acc_ceil_div (product->m, self.left.n) * product->outer;
  launch.tile_inner = self.right.n;
  launch.cost = (acc_skeleton_get_cost (product->step) + 0.003 * product->size * product->n_leaves * product->k) * self.left.n;

  l = acc_simt_begin_sized (&self.simt, product->step, acc_skeleton_get_name (product->step), self.threads_across * self.threads_down, 1);
  kb_set_resident (l->b, RESIDENT);
  share_out (&self, &self.left);
  share_out (&self, &self.right);
  place_thread (&self);
  place_tile (&self);
  n_sums = self.left.each * self.right.each * product->n_leaves;
  self.sums = low_alloc (l, n_sums * sizeof (KVar));
  for (guint i = 0; i < n_sums; i++)
    self.sums[i] = kb_var (l->b, low_zero (l, product->kind));
  if (product->k > 0)
    multiply (&self);
  store_results (&self);
  low_finish (l, launch);
}
