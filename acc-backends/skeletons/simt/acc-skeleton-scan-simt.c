/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt.h"

/* Inclusive scans of rows, by groups of threads. Rows that are short, or many, are scanned by the threads of a row, window by
 * window. Few long rows are cut into tiles. If groups may wait for others, each finds its tile's prefix by look-back. Else one
 * kernel folds each tile, one adds up the prefixes of tiles, one scans each tile from its prefix. By rows a vector is scanned piece by
 * piece: the sum so far is carried over. */

#define TILE 8192
#define MANY_ROWS 512
/* Threads of groups that wait for others: many small ones hold more in shared memory. */
#define HOLDING_GROUP 128
#define WAITING_GROUP 512
/* Threads that add up the prefixes of the tiles of floats */
#define SUMS_GROUP 8

typedef struct {
  AccStep        *step;
  AccFold        *fold;
  const AccSpace *space;
  const AccSpace *results;
  gint64          tile;
  gint64          n_tiles;     /* per row */
  gboolean        by_windows;    /* floats: sums of tiles are added up by windows, as many tiles as those have, and rows are as vectors */
  gboolean        is_small;      /* elements in all: full tiles have no code of their own */
  guint          *carry;       /* scratch per leaf, per row */
  guint          *before;      /* scratch per leaf: sum of all before each tile */
  AccLookBack    *look_back;   /* NULL: none */
  KValue          u;           /* the row that a kernel is at */
  guint           group;       /* of a kernel that looks back */
  AccSimt        *simt;
  KValue          n;           /* its tile's number */
} Scan;

static void
read_element (AccFold  *fold,
              AccLower *l,
              KValue    at,
              KValue   *result,
              gpointer  data)
{
  Scan *self = data;

  acc_fold_element (fold, l, self->space, self->u, low_within (l, at, 0, self->space->inner - 1), result);
}

static void
store_element (AccFold      *fold,
               AccLower     *l,
               KValue        at,
               const KValue *sum,
               gpointer      data)
{
  Scan *self = data;
  KValue linear = self->space->outer == 1 ? at : kb_add (l->b, kb_mul (l->b, self->u, low_number (l, self->space->inner)), at);
  AccIndex *ix = low_index_of_linear (l, self->results, linear);

  acc_fold_know (fold, l, ix, sum);
  low_store_roots (l, ix);
}

static void
read_part (AccFold  *fold,
           AccLower *l,
           KValue    at,
           KValue   *result,
           gpointer  data)
{
  acc_fold_load_part (fold, l, at, result);
}

static KValue
get_tile (Scan     *self,
          AccLower *l,
          KValue    u,
          KValue    x)
{
  return kb_add (l->b, kb_mul (l->b, u, low_number (l, self->n_tiles)), low_udiv (l, x, self->tile));
}

/* A bool variable and the values that go with it: what was before. */
static KVar *
new_carry (Scan        *self,
           AccLower    *l,
           KValue       there,
           const guint *scratch,
           KValue       at,
           KVar        *started)
{
  KVar *vars = acc_fold_new_vars (self->fold, l, NULL);

  *started = kb_var (l->b, there);
  if (scratch != NULL)
    low_if (l, there)
      {
        KValue *values = acc_fold_new_values (self->fold, l);

        acc_fold_load (self->fold, l, scratch, at, values);
        acc_fold_set_vars (self->fold, l, vars, values);
      }

  return vars;
}

static void
write_rows (Scan *self)
{
  AccLaunch launch = acc_skeleton_launch (self->space, 1 + self->step->cluster->cost);
  guint width = acc_simt_choose_width (self->step, self->space->inner);
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, self->step, "scan", width);
  AccKernelBuilder *b = l->b;
  AccSimtScan scan = { read_element, store_element, NULL, self };
  KValue wanted = kb_add (b, kb_outer_begin (b), simt.row);
  KVar started, *carry;

  self->u = low_within (l, kb_min (b, wanted, kb_sub (b, kb_outer_end (b), low_const (l, 1))), 0, self->space->outer - 1);
  carry = new_carry (self, l, kb_int (b, ACC_KIND_BOOL, 0), NULL, self->u, &started);
  acc_simt_scan (&simt, self->fold, &scan, low_const (l, 0), low_number (l, self->space->inner),
                 kb_lt (b, wanted, kb_outer_end (b)), carry, started);

  launch.tile_outer = simt.group / width;
  launch.tile_inner = self->space->inner;
  low_finish (l, launch);
}

static void
write_tile_sums (Scan *self)
{
  AccLaunch launch = acc_skeleton_launch (self->space, acc_skeleton_get_cost (self->step));
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, self->step, "scan_sums", acc_simt_get_group (self->step));
  AccKernelBuilder *b = l->b;
  KVar *vars = acc_fold_new_vars (self->fold, l, NULL);

  self->u = low_within (l, kb_outer_begin (b), 0, self->space->outer - 1);
  acc_simt_fold (&simt, self->fold, kb_inner_begin (b), kb_inner_end (b), 1, read_element, self, vars);
  low_if (l, kb_eq (b, simt.thread, low_const (l, 0)))
    {
      acc_fold_store_vars (self->fold, l, self->fold->part_scratch, get_tile (self, l, self->u, kb_inner_begin (b)), vars);
    }

  launch.tile_outer = 1;
  launch.tile_inner = self->tile;
  low_finish (l, launch);
}

static void
store_before (AccFold      *fold,
              AccLower     *l,
              KValue        at,
              const KValue *sum,
              gpointer      data)
{
  Scan *self = data;

  /* The sum of all up to a tile is what the next one begins with. */
  acc_fold_store (self->fold, l, self->before, kb_add (l->b, at, kb_add (l->b, self->u, low_const (l, 1))), sum);
}

/* Windows of tiles from the one that tile @first, @n of its row, is in. A window that goes on behind @end is begun again by the next piece:
 * what is before it stays in .carry. */
static void
scan_windows (Scan     *self,
              AccSimt  *simt,
              guint     group,
              KValue    n,
              KValue    first,
              KValue    end)
{
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  AccSimtScan scan = { read_part, store_before, NULL, self };
  KValue zero = low_const (l, 0), one = low_const (l, 1), size = low_const (l, (gint64) group * ACC_SIMT_PER_THREAD);
  KValue back = kb_urem (b, n, size), start = kb_sub (b, first, back), is_first = kb_eq (b, simt->thread, zero);
  KValue n_windows = kb_udiv (b, kb_add (b, kb_sub (b, end, start), kb_sub (b, size, one)), size);
  KVar started, *carry = new_carry (self, l, kb_lt (b, back, n), self->carry, self->u, &started);

  low_for (l, k, zero, n_windows)
    {
      KValue at = kb_add (b, start, kb_mul (b, k, size));

      low_if (l, kb_and (b, is_first, kb_lt (b, zero, k)))
        {
          acc_fold_store_vars (self->fold, l, self->carry, self->u, carry);
        }
      acc_simt_scan_part (simt, self->fold, &scan, at, kb_min (b, kb_add (b, at, size), end), kb_int (b, ACC_KIND_BOOL, 1), carry, started);
    }
  low_if (l, kb_and (b, is_first, kb_eq (b, kb_urem (b, kb_sub (b, end, start), size), zero)))
    {
      acc_fold_store_vars (self->fold, l, self->carry, self->u, carry);
    }
}

/* What is before the first tile comes first. */
static void
scan_sums (Scan    *self,
           AccSimt *simt,
           KValue   first,
           KValue   end)
{
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  AccSimtScan scan = { read_part, store_before, NULL, self };
  KValue zero = low_const (l, 0);
  KVar started, *carry = new_carry (self, l, kb_lt (b, zero, kb_inner_begin (b)), self->carry, self->u, &started);

  low_if (l, kb_and (b, kb_get (b, started), kb_eq (b, simt->thread, zero)))
    {
      acc_fold_store_vars (self->fold, l, self->before, kb_add (b, first, self->u), carry);
    }
  acc_simt_scan (simt, self->fold, &scan, first, end, kb_int (b, ACC_KIND_BOOL, 1), carry, started);
  low_if (l, kb_eq (b, simt->thread, zero))
    {
      acc_fold_store_vars (self->fold, l, self->carry, self->u, carry);
    }
}

/* One group: a row's tiles in windows, row after row. Rows have a place more in .before than they have tiles. */
static void
write_sums_before (Scan *self)
{
  AccLaunch launch = acc_skeleton_launch (self->space, 0.001);
  AccSimt simt;
  guint group = acc_simt_get_group (self->step);
  AccLower *l;
  AccKernelBuilder *b;

  if (self->by_windows)
    group = MIN (group, SUMS_GROUP);
  l = acc_simt_begin_sized (&simt, self->step, "scan_before", group, group);
  b = l->b;

  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      KValue first, end;

      low_within (l, u, 0, self->space->outer - 1);
      self->u = u;
      first = get_tile (self, l, u, kb_inner_begin (b));
      end = kb_add (b, get_tile (self, l, u, kb_sub (b, kb_inner_end (b), low_const (l, 1))), low_const (l, 1));
      if (self->by_windows)
        scan_windows (self, &simt, group, low_udiv (l, kb_inner_begin (b), self->tile), first, end);
      else
        scan_sums (self, &simt, first, end);
    }

  launch.serial = TRUE;
  launch.tile_outer = MAX (self->space->outer, 1);
  launch.tile_inner = MAX (self->space->inner, 1);
  low_finish (l, launch);
}

static void
write_tile_scans (Scan *self)
{
  AccLaunch launch = acc_skeleton_launch (self->space, 1 + self->step->cluster->cost);
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, self->step, "scan_tiles", acc_simt_get_group (self->step));
  AccKernelBuilder *b = l->b;
  AccSimtScan scan = { read_element, store_element, NULL, self };
  KValue begin = kb_inner_begin (b);
  KVar started, *carry;

  self->u = self->space->outer == 1 ? low_const (l, 0) : low_within (l, kb_outer_begin (b), 0, self->space->outer - 1);
  carry = new_carry (self, l, kb_lt (b, low_const (l, 0), begin), self->before,
                     kb_add (b, get_tile (self, l, self->u, begin), self->u), &started);
  acc_simt_scan (&simt, self->fold, &scan, begin, kb_inner_end (b), kb_int (b, ACC_KIND_BOOL, 1), carry, started);

  launch.tile_outer = 1;
  launch.tile_inner = self->tile;
  low_finish (l, launch);
}

static void
look_back (AccFold    *fold,
           AccLower   *l,
           const KVar *total,
           const KVar *before,
           gpointer    data)
{
  Scan *self = data;

  acc_look_back_find (self->look_back, self->simt, self->u, self->n, kb_int (l->b, ACC_KIND_BOOL, 1), total, before);
}

/* A tile that ends with the row, or where a piece does. What came of it before is in .carry. */
static void
write_part_of_tile (Scan        *self,
                    AccLower    *l,
                    AccSimt     *simt,
                    const KVar  *carry,
                    KVar         started)
{
  AccKernelBuilder *b = l->b;
  AccSimtScan scan = { read_element, store_element, NULL, self };
  KValue begin = kb_inner_begin (b), end = kb_inner_end (b), first = kb_eq (b, simt->thread, low_const (l, 0));
  KValue start = kb_mul (b, self->n, low_const (l, self->tile));
  KValue goes_on = kb_lt (b, start, begin);
  KValue complete = kb_eq (b, kb_sub (b, end, start), low_const (l, self->tile));
  KVar *total = acc_fold_new_vars (self->fold, l, NULL), *so_far = acc_fold_new_vars (self->fold, l, NULL);
  KBuffer *shared = acc_simt_new_shared (simt, self->fold, 1);
  KValue *prior = acc_fold_new_values (self->fold, l), *before = acc_fold_new_values (self->fold, l);

  acc_simt_fold (simt, self->fold, begin, end, 1, read_element, self, total);
  low_if (l, goes_on)
    {
      acc_fold_load (self->fold, l, self->carry, self->u, prior);
      acc_fold_set_vars (self->fold, l, so_far, prior);
    }
  prior = acc_fold_new_values (self->fold, l);
  acc_fold_get_vars (self->fold, l, so_far, prior);
  acc_fold_prepend_if (self->fold, l, total, kb_and (b, first, goes_on), prior);

  low_if (l, kb_lt (b, simt->thread, low_const (l, simt->subgroup)))
    {
      KVar *found = acc_fold_new_vars (self->fold, l, NULL);

      acc_look_back_find (self->look_back, simt, self->u, self->n, complete, total, found);
      low_if (l, first)
        {
          acc_simt_store_vars (simt, self->fold, shared, low_const (l, 0), found);
        }
    }
  kb_barrier (b);
  /* The carry of this piece has been read by all groups: they were waited for. */
  low_if (l, kb_and (b, first, kb_not (b, complete)))
    {
      acc_fold_store_vars (self->fold, l, self->carry, self->u, total);
    }

  acc_simt_load (simt, self->fold, shared, low_const (l, 0), before);
  acc_fold_set_vars (self->fold, l, carry, before);
  low_if (l, goes_on)
    {
      acc_fold_set_vars (self->fold, l, carry, prior);
      acc_fold_prepend_if (self->fold, l, carry, kb_get (b, started), before);
      kb_set (b, started, kb_int (b, ACC_KIND_BOOL, 1));
    }
  acc_simt_scan_part (simt, self->fold, &scan, begin, end, kb_int (b, ACC_KIND_BOOL, 1), carry, started);
}

static void
write_single_pass (Scan                *self,
                   const AccScanWindow *window)
{
  AccLaunch launch = acc_skeleton_launch (self->space, 1 + self->step->cluster->cost);
  AccSimt simt;
  AccLower *l = acc_simt_begin_sized (&simt, self->step, "scan", self->group, self->group);
  AccKernelBuilder *b = l->b;
  AccSimtScan scan = { read_element, store_element, look_back, self };
  KValue begin = kb_inner_begin (b);
  KVar started, *carry;

  self->simt = &simt;
  self->u = self->space->outer == 1 ? low_const (l, 0) : low_within (l, kb_outer_begin (b), 0, self->space->outer - 1);
  self->n = low_udiv (l, begin, self->tile);
  carry = new_carry (self, l, kb_lt (b, low_const (l, 0), self->n), NULL, self->u, &started);

  if (self->is_small)
    {
      write_part_of_tile (self, l, &simt, carry, started);
    }
  else
    {
      low_if (l, kb_eq (b, kb_sub (b, kb_inner_end (b), begin), low_const (l, self->tile)))
        {
          /* That it lies on a multiple is plain to see from its number. */
          acc_simt_scan_window (&simt, self->fold, &scan, window, kb_mul (b, self->n, low_const (l, self->tile)),
                                kb_int (b, ACC_KIND_BOOL, 1), carry, started);
        }
      low_else (l)
        {
          write_part_of_tile (self, l, &simt, carry, started);
        }
    }

  launch.tile_outer = 1;
  launch.tile_inner = self->tile;
  low_finish (l, launch);
}

void
acc_skeleton_scan_simt (AccStep        *step,
                        const AccSpace *space,
                        const AccSpace *results)
{
  g_autoptr(AccFold) fold = acc_fold_new (step);
  gboolean single_pass = acc_look_back_can (step);
  const AccTarget *target = step->fusion->target;
  gboolean holds = target->held_bytes > 0;
  guint group = acc_simt_bound_group (step, MIN (target->max_group_size, holds ? HOLDING_GROUP : WAITING_GROUP),
                                      target->shared_bytes / 4 * (holds ? 1 : 3));
  /* How floats are grouped does not show how many rows there are. */
  gint64 n = fold->rounds ? space->inner : space->outer * space->inner, n_rows = fold->rounds ? 1 : space->outer;
  AccScanWindow window = acc_simt_choose_window (step, fold, group, n, TRUE);
  Scan self = { .step = step, .fold = fold, .space = space, .results = results, .tile = TILE, .group = group };

  self.is_small = n < target->few;
  if (single_pass)
    self.tile = window.size;
  self.n_tiles = (space->inner + self.tile - 1) / self.tile;
  self.by_windows = fold->rounds;
  if (self.by_windows && step->cluster->consumed->rank <= 1)
    step->quantum = self.tile;
  /* A vector may come in pieces, whatever its length. */
  if (step->cluster->consumed->rank > 1 && (self.n_tiles <= 1 || n_rows >= MANY_ROWS))
    {
      write_rows (&self);
    }
  else if (single_pass)
    {
      g_autoptr(AccLookBack) sums = acc_look_back_new (step, fold, space->outer, self.n_tiles);

      self.carry = acc_fold_add_scratch (fold, space->outer);
      self.look_back = sums;
      write_single_pass (&self, &window);
    }
  else
    {
      acc_fold_add_parts (fold, space->outer * self.n_tiles);
      self.carry = acc_fold_add_scratch (fold, space->outer);
      self.before = acc_fold_add_scratch (fold, space->outer * (self.n_tiles + 1));
      write_tile_sums (&self);
      write_sums_before (&self);
      write_tile_scans (&self);
    }

  g_free (self.before);
  g_free (self.carry);
}
