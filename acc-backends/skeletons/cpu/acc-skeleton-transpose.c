/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-transposed.h"

/* Arrays that are read along another dimension than they are written, on processors: block by block. What was read waits in
 * scratch that the cache keeps, so that lines of memory are read and written whole, once.
 *
 *   for u and x in blocks of a matrix, the last two dimensions:
 *     for groups of x: foreach u:  scratch[u][x], scratch[u][x + 1], ... = read[u, x], read[u, x + 1], ...
 *     for u: foreach x:            result[u, x] = ... scratch[u][x] ...
 *
 * What a group stores lies side by side for each lane, so emitters turn squares in registers. Rows of scratch are a cache line longer
 * than a block, so that neighbours along u are not in the same set. */

#define MAX_BLOCK 256
#define MIN_BLOCK 16
#define GROUP 16           /* of x, at once: divides both */
#define FEW_BYTES 16384    /* of a block, that a first cache keeps */
#define MAX_BYTES 262144   /* where there are many, so that each page of memory is come back to less often: a second one */
#define MANY_BLOCKS 256
#define MANY_TURNS 4       /* rows of blocks of each thread */
#define LINE 64
#define MAX_TILES 256      /* each has its own scratch, however many threads there are, */
#define MIN_BLOCKS 32      /* which is small against what it moves */

typedef struct {
  AccLower       *l;
  const AccSpace *space;
  AccTransposed   transposed;
  gint64          block;     /* elements along both dimensions */
  gint64          row;       /* of scratch */
  gint64          n_rows;    /* of a matrix: its outer units */
  KBuffer        *scratch[ACC_TRANSPOSED_MAX];
  KValue          base;      /* in scratch */
  KValue          first;     /* outer unit of the matrix */
} Transpose;

static gint64
count_matrix_rows (const AccSpace *space)
{
  guint d = space->rank - 2;

  while (d > 0 && space->merged[d - 1])
    d--;

  return acc_extents_multiply (space->extents, d, space->rank - 1);
}

static gboolean
choose_block (Transpose *self,
              guint      n_threads)
{
  guint widest;
  gsize bytes = acc_transposed_get_bytes (&self->transposed, &widest);

  for (self->block = MAX_BLOCK; self->block > MIN_BLOCK; self->block /= 2)
    {
      gint64 n_blocks = (self->n_rows / self->block) * (self->space->inner / self->block);
      gboolean are_many = n_blocks >= MANY_BLOCKS && self->space->outer / self->block >= (gint64) MANY_TURNS * n_threads;

      if (self->block * self->block * (gint64) bytes <= (are_many ? MAX_BYTES : FEW_BYTES))
        break;
    }
  self->row = self->block + LINE / widest;

  return bytes > 0 && self->n_rows >= self->block && self->space->inner >= self->block;
}

/* Rows of blocks that a tile goes over. */
static gint64
choose_tile (Transpose *self)
{
  gint64 n_rows = (self->space->outer - 1) / self->block + 1, n_columns = (self->space->inner - 1) / self->block + 1;

  return MIN (MAX ((n_rows - 1) / MAX_TILES + 1, (MIN_BLOCKS - 1) / n_columns + 1), n_rows);
}

/* Rows are counted from the first one of the matrix: no lane divides. */
static AccIndex *
get_index (Transpose *self,
           KValue     u,
           KValue     x)
{
  AccIndex *ix = low_index_of_space (self->l, self->space, self->first, x);

  ix->at[self->space->rank - 2] = low_within (self->l, u, 0, self->n_rows - 1);

  return ix;
}

/* Of u and x, counted from where their block begins. */
static KValue
get_slot (Transpose *self,
          KValue     u,
          KValue     x)
{
  AccKernelBuilder *b = self->l->b;

  return kb_add (b, kb_add (b, self->base, kb_mul (b, u, low_const (self->l, self->row))), x);
}

/* @n elements from @x on, which belong into scratch from @slot on. */
static void
read_elements (Transpose *self,
               KValue     u,
               KValue     x,
               guint      n,
               KValue     slot)
{
  AccLower *l = self->l;
  AccIndex *ix[GROUP];
  KValue values[GROUP];

  for (guint k = 0; k < n; k++)
    ix[k] = get_index (self, u, kb_add (l->b, x, low_const (l, k)));
  for (guint i = 0; i < self->transposed.n_nodes; i++)
    for (guint leaf = 0; leaf < acc_transposed_count_leaves (&self->transposed, i); leaf++)
      {
        for (guint k = 0; k < n; k++)
          values[k] = acc_transposed_read (&self->transposed, l, i, ix[k], leaf);
        for (guint k = 0; k < n; k++)
          kb_store (l->b, self->scratch[i][leaf], kb_add (l->b, slot, low_const (l, k)), values[k]);
      }
}

static void
write_element (Transpose *self,
               AccIndex  *ix,
               KValue     slot)
{
  AccLower *l = self->l;

  for (guint i = 0; i < self->transposed.n_nodes; i++)
    {
      guint n_leaves = acc_transposed_count_leaves (&self->transposed, i);
      KValue *known = low_alloc (l, (n_leaves + 1) * sizeof (KValue));

      for (guint leaf = 0; leaf < n_leaves; leaf++)
        known[leaf] = kb_load (l->b, self->scratch[i][leaf], slot);
      low_know (l, self->transposed.nodes[i], ix, known);
    }
  low_store_roots (l, ix);
}

/* Block @n from @begin on, which @end may cut off. */
static void
get_block (Transpose *self,
           KValue     n,
           KValue     begin,
           KValue     end,
           KValue    *first,
           KValue    *last)
{
  AccKernelBuilder *b = self->l->b;

  *first = kb_add (b, begin, kb_mul (b, n, low_const (self->l, self->block)));
  *last = kb_min (b, kb_add (b, *first, low_const (self->l, self->block)), end);
}

static KValue
count_blocks (Transpose *self,
              KValue     begin,
              KValue     end)
{
  AccKernelBuilder *b = self->l->b;

  return kb_udiv (b, kb_add (b, kb_sub (b, end, begin), low_const (self->l, self->block - 1)), low_const (self->l, self->block));
}

static void
write_block (Transpose *self,
             KValue     u_begin,
             KValue     u_end,
             KValue     x_begin,
             KValue     x_end)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;

  KValue group = low_const (l, GROUP), n_groups = kb_udiv (b, kb_sub (b, x_end, x_begin), group);

  low_for (l, g, low_const (l, 0), n_groups)
    {
      KValue x = kb_mul (b, g, group);

      low_foreach (l, u, u_begin, u_end)
        {
          read_elements (self, u, kb_add (b, x_begin, x), GROUP, get_slot (self, kb_sub (b, u, u_begin), x));
        }
    }
  low_for (l, x, kb_add (b, x_begin, kb_mul (b, n_groups, group)), x_end)
    {
      low_foreach (l, u, u_begin, u_end)
        {
          read_elements (self, u, x, 1, get_slot (self, kb_sub (b, u, u_begin), kb_sub (b, x, x_begin)));
        }
    }
  low_for (l, u, u_begin, u_end)
    {
      low_foreach (l, x, x_begin, x_end)
        {
          write_element (self, get_index (self, u, x), get_slot (self, kb_sub (b, u, u_begin), kb_sub (b, x, x_begin)));
        }
    }
}

static void
write_blocks (Transpose *self,
              KValue     rows_begin,
              KValue     rows_end)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;

  low_for (l, i, low_const (l, 0), count_blocks (self, rows_begin, rows_end))
    {
      KValue u_begin, u_end;

      get_block (self, i, rows_begin, rows_end, &u_begin, &u_end);
      low_for (l, k, low_const (l, 0), count_blocks (self, kb_inner_begin (b), kb_inner_end (b)))
        {
          KValue x_begin, x_end;

          get_block (self, k, kb_inner_begin (b), kb_inner_end (b), &x_begin, &x_end);
          write_block (self, u_begin, u_end, x_begin, x_end);
        }
    }
}

static void
write_matrices (Transpose *self)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue one = low_const (l, 1);

  if (self->n_rows == self->space->outer)
    {
      self->first = low_const (l, 0);
      write_blocks (self, kb_outer_begin (b), kb_outer_end (b));
      return;
    }
  low_for (l, m, low_udiv (l, kb_outer_begin (b), self->n_rows),
           kb_add (b, low_udiv (l, kb_sub (b, kb_outer_end (b), one), self->n_rows), one))
    {
      KValue n_rows = low_number (l, self->n_rows);

      self->first = low_within (l, kb_mul (b, m, n_rows), 0, self->space->outer - 1);
      write_blocks (self, kb_sub (b, kb_max (b, kb_outer_begin (b), self->first), self->first),
                    kb_min (b, kb_sub (b, kb_outer_end (b), self->first), n_rows));
    }
}

gboolean
acc_skeleton_transpose (AccStep        *step,
                        const AccSpace *space)
{
  AccLaunch launch = acc_skeleton_launch (space, acc_skeleton_get_cost (step));
  Transpose self = { .space = space };
  gint64 n_tiles, n_slots;
  AccKernelBuilder *b;
  AccLower *l;

  if (space->rank < 2 || space->first_inner != space->rank - 1)
    return FALSE;
  self.n_rows = count_matrix_rows (space);
  acc_transposed_find (&self.transposed, step, space);
  if (self.transposed.n_nodes == 0 || !choose_block (&self, step->fusion->target->n_threads))
    return FALSE;

  launch.tile_inner = space->inner;
  launch.tile_outer = self.block * choose_tile (&self);
  n_tiles = (space->outer - 1) / launch.tile_outer + 1;
  n_slots = self.block * self.row;

  self.l = l = low_new (step, acc_skeleton_get_name (step));
  b = l->b;
  for (guint i = 0; i < self.transposed.n_nodes; i++)
    {
      AccElementType *type = self.transposed.nodes[i]->array->type;
      guint n_leaves = acc_transposed_count_leaves (&self.transposed, i);

      self.scratch[i] = low_alloc (l, (n_leaves + 1) * sizeof (KBuffer));
      for (guint leaf = 0; leaf < n_leaves; leaf++)
        {
          AccElementKind kind = acc_element_type_get_leaf (type, leaf);

          self.scratch[i][leaf] = low_scratch (l, acc_step_add_scratch (step, kind, n_tiles * n_slots), kind);
        }
    }
  self.base = kb_mul (b, kb_tile (b), low_const (l, n_slots));

  write_matrices (&self);
  low_finish (l, launch);

  return TRUE;
}
