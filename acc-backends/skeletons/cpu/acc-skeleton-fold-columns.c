/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-skeletons.h"

#include "acc-core/base/acc-ceil-div-private.h"

/* Folds of columns, of which a row comes after the other:
 *
 *   for i in rows:
 *     foreach u in columns: lane[i][u] = lane[i][u] . source[i, u]
 *   at the end: foreach u: roots[u] = seed . lane[0][u] . lane[1][u] ...
 *
 * Elements of a column are grouped as acc_skeleton_fold() groups those of a row, so that floats are the same: by parts, in which lanes take
 * every lanes-th element, or, where the order matters, runs one after the other, of which one is there at a time. What is exact has one
 * lane. */

/* Columns of a tile: what their lanes take should be in the second cache. */
#define TILE_BYTES    (256 << 10)
#define FEWEST_COLUMNS 64
#define MOST_COLUMNS  2048

/* Blocks of what is combined with each other first are combined by halves: ones, twos and fours wait. */
enum { ONES = 1, TWOS, FOURS, N_LEVELS };

typedef struct {
  AccFold        *fold;
  AccLower       *l;
  const AccSpace *space;
  guint           n_lanes;    /* 1: in order */
  guint           n_slots;    /* lanes that are there at a time */
  gboolean        together;
  guint          *lanes;      /* scratch per leaf: [levels, slots, columns], then [columns] of what parts before this one leave */
  KValue          n_steps;    /* elements of a lane in this part */
  KValue          at, n, n_main; /* in the part: the row, how many there are, those that lanes take */
  KValue          slot, step; /* of the row */
} Columns;

static gint64
count_slots (const Columns *self)
{
  return (gint64) self->n_slots * (self->together ? N_LEVELS : 1);
}

static KValue
get_place (Columns *self,
           KValue   slot,
           KValue   u)
{
  return kb_add (self->l->b, kb_mul (self->l->b, slot, low_number (self->l, self->space->outer)), u);
}

static KValue
get_level (Columns *self,
           guint    level)
{
  return kb_add (self->l->b, self->slot, low_const (self->l, level * self->n_slots));
}

/* A part of a column has so many lanes where there are elements for two rounds of them. */
static void
find_place (Columns *self,
            KValue   i)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue part = kb_mul (b, low_udiv (l, i, ACC_SKELETON_FOLD_PART), low_const (l, ACC_SKELETON_FOLD_PART)), has_lanes,
    zero = low_const (l, 0);

  self->at = kb_sub (b, i, part);
  self->n = kb_min (b, low_const (l, ACC_SKELETON_FOLD_PART), kb_sub (b, low_number (l, self->space->inner), part));
  if (self->n_lanes == 1)
    {
      self->n_main = self->n_steps = self->n;
      self->slot = zero;
      self->step = self->at;
      return;
    }

  has_lanes = kb_le (b, low_const (l, 2 * self->n_lanes), self->n);
  self->n_steps = kb_select (b, has_lanes, low_udiv (l, self->n, self->n_lanes), self->n);
  self->n_main = kb_select (b, has_lanes, kb_mul (b, self->n_steps, low_const (l, self->n_lanes)), self->n);
  if (self->fold->commutative)
    {
      self->slot = kb_select (b, has_lanes, low_urem (l, self->at, self->n_lanes), zero);
      self->step = kb_select (b, has_lanes, low_udiv (l, self->at, self->n_lanes), self->at);
    }
  else
    {
      self->slot = kb_min (b, kb_udiv (b, self->at, self->n_steps), low_const (l, 1));
      self->step = kb_urem (b, self->at, self->n_steps);
    }
  /* What is left goes behind all lanes, which are one then. */
  self->slot = kb_select (b, kb_lt (b, self->at, self->n_main), self->slot, zero);
}

/* lane = lane[levels[0]] . (... lane[levels[n - 1]] . element), of the row. */
static void
write_row (Columns     *self,
           KValue       i,
           const guint *levels,
           guint        n_levels,
           guint        to)
{
  AccLower *l = self->l;
  KValue *element = acc_fold_new_values (self->fold, l), *before = acc_fold_new_values (self->fold, l);

  low_foreach (l, u, kb_outer_begin (l->b), kb_outer_end (l->b))
    {
      low_within (l, u, 0, self->space->outer - 1);
      acc_fold_read (self->fold, l, self->space, u, i, element);
      for (guint k = n_levels; k-- > 0;)
        {
          acc_fold_load (self->fold, l, self->lanes, get_place (self, get_level (self, levels[k]), u), before);
          acc_fold_combine (self->fold, l, before, element, element);
        }
      acc_fold_store (self->fold, l, self->lanes, get_place (self, get_level (self, to), u), element);
    }
}

/* The row as one of eight, by its place among them. */
static void
write_together (Columns *self,
                KValue   i)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue number = low_urem (l, kb_sub (b, self->step, low_const (l, 1)), ACC_FOLD_TOGETHER);

  low_if (l, kb_eq (b, low_urem (l, number, 2), low_const (l, 0)))
    {
      write_row (self, i, NULL, 0, ONES);
    }
  low_else (l)
    {
      low_if (l, kb_eq (b, low_urem (l, number, 4), low_const (l, 1)))
        {
          write_row (self, i, (guint[]) { ONES }, 1, TWOS);
        }
      low_else (l)
        {
          low_if (l, kb_eq (b, number, low_const (l, 3)))
            {
              write_row (self, i, (guint[]) { TWOS, ONES }, 2, FOURS);
            }
          low_else (l)
            {
              write_row (self, i, (guint[]) { 0, FOURS, TWOS, ONES }, 4, 0);
            }
        }
    }
}

static void
append_row (Columns *self,
            KValue   i)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue n_together, is_together;

  if (!self->together)
    {
      write_row (self, i, (guint[]) { 0 }, 1, 0);
      return;
    }

  n_together = kb_mul (b, low_udiv (l, kb_sub (b, self->n_steps, low_const (l, 1)), ACC_FOLD_TOGETHER), low_const (l, ACC_FOLD_TOGETHER));
  is_together = kb_and (b, kb_lt (b, self->at, self->n_main), kb_le (b, self->step, n_together));
  is_together = kb_and (b, is_together, kb_lt (b, self->n_steps, self->n));
  low_if (l, is_together)
    {
      write_together (self, i);
    }
  low_else (l)
    {
      write_row (self, i, (guint[]) { 0 }, 1, 0);
    }
}

/* lane[to] = lane[to] . lane[from] */
static void
combine (Columns     *self,
         const guint *to_scratch,
         KValue       to,
         KValue       from)
{
  AccLower *l = self->l;
  KValue *x = acc_fold_new_values (self->fold, l), *y = acc_fold_new_values (self->fold, l);

  low_foreach (l, u, kb_outer_begin (l->b), kb_outer_end (l->b))
    {
      acc_fold_load (self->fold, l, to_scratch, get_place (self, to, u), x);
      acc_fold_load (self->fold, l, self->lanes, get_place (self, from, u), y);
      acc_fold_combine (self->fold, l, x, y, x);
      acc_fold_store (self->fold, l, to_scratch, get_place (self, to, u), x);
    }
}

/* What the last row that lanes take leaves: by halves where the order does not matter, else when a lane ends. */
static void
combine_lanes (Columns *self)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), next = kb_add (b, self->at, low_const (l, 1));

  if (self->n_lanes == 1)
    return;
  if (!self->fold->commutative)
    {
      KValue ends = kb_eq (b, kb_add (b, self->step, low_const (l, 1)), self->n_steps);

      low_if (l, kb_and (b, ends, kb_lt (b, zero, self->slot)))
        {
          combine (self, self->lanes, zero, low_const (l, 1));
        }
      return;
    }

  low_if (l, kb_and (b, kb_eq (b, next, self->n_main), kb_lt (b, self->n_steps, self->n)))
    {
      for (guint n = self->n_lanes / 2; n > 0; n /= 2)
        low_for (l, r, zero, low_const (l, n))
          combine (self, self->lanes, r, kb_add (b, r, low_const (l, n)));
    }
}

/* After the last row of a part. */
static void
combine_parts (Columns *self,
               KValue   i)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), *sum = acc_fold_new_values (self->fold, l);

  low_if (l, kb_eq (b, kb_add (b, self->at, low_const (l, 1)), self->n))
    {
      low_if (l, kb_lt (b, i, low_const (l, ACC_SKELETON_FOLD_PART)))
        {
          low_foreach (l, u, kb_outer_begin (b), kb_outer_end (b))
            {
              acc_fold_load (self->fold, l, self->lanes, u, sum);
              acc_fold_store_part (self->fold, l, u, sum);
            }
        }
      low_else (l)
        {
          combine (self, self->fold->part_scratch, zero, zero);
        }
    }
}

static void
write_rows (Columns *self)
{
  AccStep *step = self->fold->step;
  AccLower *l = self->l = low_new (step, acc_skeleton_get_name (step));
  AccKernelBuilder *b = l->b;
  AccLaunch launch = acc_skeleton_launch (self->space, acc_skeleton_get_cost (step));
  gint64 bytes = 0;

  low_for (l, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue starts;

      low_within (l, i, 0, self->space->inner - 1);
      find_place (self, i);
      starts = kb_and (b, kb_eq (b, self->step, low_const (l, 0)), kb_lt (b, self->at, self->n_main));
      low_if (l, starts)
        {
          write_row (self, i, NULL, 0, 0);
        }
      low_else (l)
        {
          append_row (self, i);
        }
      combine_lanes (self);
      combine_parts (self, i);
    }

  for (guint i = 0; i < self->fold->n_leaves; i++)
    bytes += (gint64) acc_element_kind_get_size (acc_fold_get_kind (self->fold, i));
  launch.rows = ACC_SPACE_INNER_ROWS;
  launch.units_per_row = 1;
  launch.tile_outer = CLAMP (TILE_BYTES / (bytes * count_slots (self)), FEWEST_COLUMNS, MOST_COLUMNS);
  launch.tile_inner = self->space->inner;
  low_finish (l, launch);
}

static void
write_end (AccStep        *step,
           AccFold        *fold,
           const AccSpace *space,
           const AccSpace *results)
{
  AccLower *l = low_new (step, "end of columns");
  AccKernelBuilder *b = l->b;
  KValue *sum = acc_fold_new_values (fold, l);
  AccLaunch launch = acc_skeleton_launch (space, acc_skeleton_get_cost (step));

  low_foreach (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      AccIndex *ix;

      low_within (l, u, 0, space->outer - 1);
      acc_fold_load_part (fold, l, u, sum);
      ix = low_index_of_linear (l, results, u);
      low_index_lose_rows (l, ix, g_ptr_array_index (fold->anchors, 0), "is complete after the last row only");
      acc_fold_know (fold, l, ix, sum);
      low_store_roots (l, ix);
    }

  launch.rows = ACC_SPACE_WHOLE;
  launch.inner = 1;
  low_finish (l, launch);
}

/* What elements are like is known when one has been read. */
static gboolean
goes_together (AccFold        *fold,
               const AccSpace *space)
{
  AccLower *l = low_new (fold->step, "column");
  KValue *element = acc_fold_new_values (fold, l), zero = low_const (l, 0);
  gboolean together;

  acc_fold_read (fold, l, space, zero, zero, element);
  together = acc_fold_goes_together (fold, l, element);
  low_abandon (l);

  return together;
}

void
acc_skeleton_fold_columns (AccStep *step)
{
  g_autoptr(AccSpace) space = acc_space_new_for_consumed (step->fusion->graph, step->cluster, TRUE);
  g_autoptr(AccSpace) results = acc_space_new_for_roots (step->fusion->graph, step->cluster);
  g_autoptr(AccFold) fold = acc_fold_new (step);
  g_autofree guint *lanes = NULL;
  Columns self = { .fold = fold, .space = space, .n_lanes = 1, .n_slots = 1 };

  step->n_rows = space->inner;
  step->reduces = TRUE;
  if (!acc_skeleton_has_leaves (step))
    return;

  fold->by_columns = TRUE;
  if (fold->rounds && !acc_fold_goes_across (fold, space))
    {
      self.n_lanes = fold->lanes;
      self.n_slots = fold->commutative ? fold->lanes : 2;
      self.together = goes_together (fold, space);
    }
  lanes = acc_fold_add_scratch (fold, count_slots (&self) * space->outer);
  self.lanes = lanes;
  acc_fold_add_parts (fold, space->outer);
  write_rows (&self);
  write_end (step, fold, space, results);
}
