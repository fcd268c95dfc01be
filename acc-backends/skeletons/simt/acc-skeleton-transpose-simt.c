/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt.h"
#include "acc-backends/skeletons/acc-transposed.h"

/* Element-wise steps that read arrays along another dimension than they write, tile by tile: threads are neighbours along what
 * the arrays have together when they read, and along the results when they write. What was read waits in shared memory, in
 * rows that are one element longer, so that they begin in different banks.
 *
 *   shared[x][u] = read[u, x]   threads along u
 *   result[u, x] = ... shared[x][u] ...   threads along x */

#define MAX_TILE 64
#define MIN_TILE 32
#define MAX_COST 400   /* rough operations of what is written out one after the other */

typedef struct {
  AccStep        *step;
  const AccSpace *space;
  AccTransposed   transposed;
  KBuffer        *shared[ACC_TRANSPOSED_MAX];
  guint           tile;      /* elements along both dimensions */
  guint           n_each;    /* of a tile, per thread */
  AccSimt         simt;
} Transpose;

static gboolean
choose_tile (Transpose *self)
{
  const AccTarget *target = self->step->fusion->target;
  guint widest;
  gsize bytes = acc_transposed_get_bytes (&self->transposed, &widest);

  /* Large tiles keep more of the memory busy, where they leave room for other groups. */
  self->tile = MAX_TILE;
  while (self->tile > MIN_TILE && (widest > 4 || bytes * self->tile * (self->tile + 1) > target->shared_bytes / 2))
    self->tile /= 2;
  if (self->tile > target->group_size || bytes * self->tile * (self->tile + 1) > target->shared_bytes / 2)
    return FALSE;
  self->n_each = self->tile * self->tile / target->group_size;

  return self->space->outer >= self->tile / 2 && self->space->inner >= self->tile / 2;
}

/* The @k-th element of a thread: @along goes from thread to thread. */
static void
place (Transpose *self,
       KValue     k,
       KValue    *along,
       KValue    *across)
{
  AccLower *l = self->simt.l;
  KValue part = low_udiv (l, self->simt.local, self->tile);

  *along = low_urem (l, self->simt.local, self->tile);
  *across = kb_add (l->b, part, kb_mul (l->b, k, low_const (l, self->simt.group / self->tile)));
}

static KValue
get_slot (Transpose *self,
          KValue     x,
          KValue     u)
{
  AccLower *l = self->simt.l;

  return kb_add (l->b, kb_mul (l->b, x, low_const (l, self->tile + 1)), u);
}

static AccIndex *
get_index (Transpose *self,
           KValue     u,
           KValue     x)
{
  AccLower *l = self->simt.l;
  KValue outer = kb_add (l->b, kb_outer_begin (l->b), u), inner = kb_add (l->b, kb_inner_begin (l->b), x);

  return low_index_of_space (l, self->space, low_within (l, outer, 0, self->space->outer - 1),
                             low_within (l, inner, 0, self->space->inner - 1));
}

static void
read_some (Transpose *self,
           guint      n,
           KValue     first)
{
  AccLower *l = self->simt.l;
  KValue **values = low_alloc (l, n * ACC_TRANSPOSED_MAX * sizeof (KValue *));
  KValue *u = low_alloc (l, n * sizeof (KValue)), *x = low_alloc (l, n * sizeof (KValue));

  for (guint k = 0; k < n; k++)
    {
      AccIndex *ix;

      place (self, kb_add (l->b, first, low_const (l, k)), &u[k], &x[k]);
      ix = get_index (self, u[k], x[k]);
      for (guint i = 0; i < self->transposed.n_nodes; i++)
        {
          guint n_leaves = acc_transposed_count_leaves (&self->transposed, i);

          values[k * ACC_TRANSPOSED_MAX + i] = low_alloc (l, (n_leaves + 1) * sizeof (KValue));
          for (guint leaf = 0; leaf < n_leaves; leaf++)
            values[k * ACC_TRANSPOSED_MAX + i][leaf] = acc_transposed_read (&self->transposed, l, i, ix, leaf);
        }
    }
  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < self->transposed.n_nodes; i++)
      for (guint leaf = 0; leaf < acc_transposed_count_leaves (&self->transposed, i); leaf++)
        kb_store (l->b, self->shared[i][leaf], get_slot (self, x[k], u[k]), values[k * ACC_TRANSPOSED_MAX + i][leaf]);
}

static void
write_some (Transpose *self,
            guint      n,
            KValue     first)
{
  AccLower *l = self->simt.l;

  for (guint k = 0; k < n; k++)
    {
      KValue x, u;
      AccIndex *ix;

      place (self, kb_add (l->b, first, low_const (l, k)), &x, &u);
      ix = get_index (self, u, x);
      for (guint i = 0; i < self->transposed.n_nodes; i++)
        {
          guint n_leaves = acc_transposed_count_leaves (&self->transposed, i);
          KValue *known = low_alloc (l, (n_leaves + 1) * sizeof (KValue));

          for (guint leaf = 0; leaf < n_leaves; leaf++)
            known[leaf] = kb_load (l->b, self->shared[i][leaf], get_slot (self, x, u));
          low_know (l, self->transposed.nodes[i], ix, known);
        }
      low_store_roots (l, ix);
    }
}

/* All of a thread's elements, at once where the tile is whole, else one by one. */
static void
over_tile (Transpose *self,
           void     (*func) (Transpose *self, guint n, KValue first),
           gboolean   reads)
{
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  KValue rows = kb_sub (b, kb_outer_end (b), kb_outer_begin (b)), columns = kb_sub (b, kb_inner_end (b), kb_inner_begin (b));
  KValue tile = low_const (l, self->tile), zero = low_const (l, 0);
  guint n = self->n_each * (self->step->cluster->cost + 2) <= MAX_COST ? self->n_each : 1;

  low_if (l, kb_and (b, kb_eq (b, rows, tile), kb_eq (b, columns, tile)))
    {
      if (n == self->n_each)
        {
          func (self, n, zero);
        }
      else
        {
          low_for (l, k, zero, low_const (l, self->n_each))
            {
              func (self, 1, k);
            }
        }
    }
  low_else (l)
    {
      low_for (l, k, zero, low_const (l, self->n_each))
        {
          KValue along, across;

          place (self, k, &along, &across);
          low_if (l, kb_and (b, kb_lt (b, along, reads ? rows : columns), kb_lt (b, across, reads ? columns : rows)))
            {
              func (self, 1, k);
            }
        }
    }
}

gboolean
acc_skeleton_transpose_simt (AccStep        *step,
                             const AccSpace *space)
{
  AccLaunch launch = acc_skeleton_launch (space, acc_skeleton_get_cost (step));
  Transpose self = { .step = step, .space = space };
  AccLower *l;

  if (space->rank < 2 || space->first_inner != space->rank - 1)
    return FALSE;
  acc_transposed_find (&self.transposed, step, space);
  if (self.transposed.n_nodes == 0 || !choose_tile (&self))
    return FALSE;

  l = acc_simt_begin (&self.simt, step, acc_skeleton_get_name (step), acc_simt_get_group (step));
  for (guint i = 0; i < self.transposed.n_nodes; i++)
    {
      AccElementType *type = self.transposed.nodes[i]->array->type;
      guint n_leaves = acc_transposed_count_leaves (&self.transposed, i);

      self.shared[i] = low_alloc (l, (n_leaves + 1) * sizeof (KBuffer));
      for (guint leaf = 0; leaf < n_leaves; leaf++)
        self.shared[i][leaf] = kb_shared (l->b, acc_element_type_get_leaf (type, leaf), self.tile * (self.tile + 1), "tile");
    }
  over_tile (&self, read_some, TRUE);
  kb_barrier (l->b);
  over_tile (&self, write_some, FALSE);

  launch.tile_outer = self.tile;
  launch.tile_inner = self.tile;
  low_finish (l, launch);

  return TRUE;
}
