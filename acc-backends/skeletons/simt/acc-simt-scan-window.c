/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt.h"

/* Scans windows: as many elements as a group can hold, in registers or in shared memory. Each is read once, 16 bytes of neighbours at a
 * time. Subgroups, if there are any, take runs of several times what their lanes take. */

#define VECTOR_BYTES 16
#define MAX_EACH 16
#define MAX_HELD_EACH 32    /* of windows that are held until what is in front is known, which then are fewer */
#define MAX_HELD_BYTES 128
#define MAX_COST 200        /* rough operations of what is written out one after the other */

typedef struct {
  AccSimt             *simt;
  AccFold             *fold;
  const AccSimtScan   *scan;
  const AccScanWindow *window;
  guint                lanes;     /* of a subgroup, or 1 */
  guint                n_parts;   /* subgroups of a row */
  guint                n_totals;  /* of a row: an element's is iteration * n_parts * unroll + part * unroll + run */
  KValue               first, lane, part;
  KBuffer             *totals;    /* sums of runs, in order; then of all up to there */
  KBuffer             *front;     /* what is before the window, where that is found */
  KBuffer             *held;      /* sums within runs; NULL: in registers */
  KVar               **sums;      /* of one iteration: runs times vector */
} Window;

AccScanWindow
acc_simt_choose_window (AccStep *step,
                        AccFold *fold,
                        guint    width,
                        gint64   n,
                        gboolean hold)
{
  const AccTarget *target = step->fusion->target;
  AccScanWindow window = { .vector = 1, .unroll = 1, .n_iterations = 1 };
  guint widest = 1, bytes = 0, max_each, subgroup = MIN (target->subgroup_size, width), n_parts = width / subgroup;
  gsize room = hold ? MIN (target->held_bytes, acc_simt_get_room (step, width)) : 0;

  for (guint i = 0; i < fold->n_leaves; i++)
    {
      guint size = acc_element_kind_get_size (acc_fold_get_kind (fold, i));

      widest = MAX (widest, size);
      bytes += size;
    }
  max_each = hold && MAX_HELD_EACH * bytes <= MAX_HELD_BYTES ? MAX_HELD_EACH : MAX_EACH;
  while (max_each > 1 && (max_each * (step->cluster->cost + 2) > MAX_COST || max_each * fold->n_leaves > 2 * MAX_EACH))
    max_each /= 2;
  window.vector = MIN (max_each, VECTOR_BYTES / widest);
  if (n < target->few)
    max_each = window.vector;
  if (target->merges_loads && subgroup > 1)
    while (window.vector * window.unroll * 2 <= max_each && n_parts * window.unroll * 2 <= width)
      window.unroll *= 2;
  window.size = (gint64) width * window.vector * window.unroll;
  while (n >= target->few && (gsize) window.size * 2 * bytes <= room && n_parts * window.unroll * window.n_iterations * 2 <= width)
    {
      window.n_iterations *= 2;
      window.size *= 2;
    }

  return window;
}

/* Run @s of iteration @k, of this thread's part. */
static KValue
get_run (Window *self,
         KValue  k,
         guint   s)
{
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;
  KValue part = kb_add (b, kb_mul (b, k, low_const (l, self->n_parts)), self->part);

  return kb_add (b, kb_mul (b, part, low_const (l, self->window->unroll)), low_const (l, s));
}

/* Element @j of what this thread takes of a run. */
static KValue
get_place (Window *self,
           KValue  run,
           guint   j)
{
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;
  KValue vector = kb_add (b, kb_mul (b, run, low_const (l, self->lanes)), self->lane);

  return kb_add (b, kb_add (b, self->first, kb_mul (b, vector, low_const (l, self->window->vector))), low_const (l, j));
}

/* Where this thread holds it. */
static KValue
get_held_place (Window *self,
                KValue  k,
                guint   s,
                guint   j)
{
  AccLower *l = self->simt->l;
  AccKernelBuilder *b = l->b;
  KValue iteration = kb_add (b, kb_mul (b, k, low_const (l, self->window->unroll)), low_const (l, s));
  KValue at = kb_add (b, kb_mul (b, iteration, low_const (l, self->simt->group)), self->simt->local);

  return kb_add (b, kb_mul (b, at, low_const (l, self->window->vector)), low_const (l, j));
}

static KValue
get_total_place (Window *self,
                 KValue  run)
{
  AccLower *l = self->simt->l;

  return kb_add (l->b, kb_mul (l->b, self->simt->row, low_const (l, self->n_totals)), run);
}

/* Reads the elements of iteration @k, and sums them up within their runs. */
static void
take_iteration (Window *self,
                KValue  k)
{
  AccSimt *simt = self->simt, narrow = *simt;
  AccFold *fold = self->fold;
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  guint vector = self->window->vector, unroll = self->window->unroll;
  KValue **values = low_alloc (l, vector * unroll * sizeof (KValue *));

  narrow.width = self->lanes;
  for (guint s = 0; s < unroll; s++)
    for (guint j = 0; j < vector; j++)
      {
        values[s * vector + j] = acc_fold_new_values (fold, l);
        self->scan->element (fold, l, get_place (self, get_run (self, k, s), j), values[s * vector + j], self->scan->data);
      }

  for (guint s = 0; s < unroll; s++)
    {
      KValue **of_run = values + s * vector, *front = acc_fold_new_values (fold, l);
      KVar *iteration;

      for (guint j = 1; j < vector; j++)
        acc_fold_combine (fold, l, of_run[j - 1], of_run[j], of_run[j]);
      iteration = acc_fold_new_vars (fold, l, of_run[vector - 1]);
      if (self->lanes > 1)
        {
          acc_simt_scan_threads (&narrow, fold, iteration, NULL, kb_int (b, ACC_KIND_BOOL, 1));
          for (guint i = 0; i < fold->n_leaves; i++)
            front[i] = kb_shuffle (b, KB_SHUFFLE_UP, kb_get (b, iteration[i]), 1);
        }
      low_if (l, kb_eq (b, self->lane, low_const (l, self->lanes - 1)))
        {
          acc_simt_store_vars (self->simt, self->fold, self->totals, get_total_place (self, get_run (self, k, s)), iteration);
        }

      for (guint j = 0; j < vector; j++)
        {
          KVar *sum = self->held != NULL ? acc_fold_new_vars (fold, l, of_run[j]) : self->sums[s * vector + j];

          if (self->held == NULL)
            acc_fold_set_vars (fold, l, sum, of_run[j]);
          if (self->lanes > 1)
            acc_fold_prepend_if (fold, l, sum, kb_lt (b, low_const (l, 0), self->lane), front);
          if (self->held != NULL)
            acc_simt_store_vars (self->simt, self->fold, self->held, get_held_place (self, k, s, j), sum);
        }
    }
}

/* All totals up to each, by as many threads as there are totals. */
static void
scan_totals (Window *self)
{
  AccSimt *simt = self->simt;
  AccFold *fold = self->fold;
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  KValue at = get_total_place (self, simt->thread), takes = kb_lt (b, simt->thread, low_const (l, self->n_totals));
  KVar *sum = acc_fold_new_vars (fold, l, NULL);

  low_if (l, takes)
    {
      KValue *values = acc_fold_new_values (fold, l);

      acc_simt_load (simt, fold, self->totals, at, values);
      acc_fold_set_vars (fold, l, sum, values);
    }
  if (self->n_totals > simt->subgroup)
    {
      acc_simt_scan_threads (simt, fold, sum, acc_simt_new_shared (simt, fold, simt->group), takes);
    }
  else
    {
      AccSimt narrow = *simt;

      narrow.width = simt->subgroup;
      acc_simt_scan_threads (&narrow, fold, sum, NULL, takes);
    }
  low_if (l, takes)
    {
      acc_simt_store_vars (self->simt, self->fold, self->totals, at, sum);
    }
  kb_barrier (b);
}

static void
find_front (Window *self)
{
  AccSimt *simt = self->simt;
  AccFold *fold = self->fold;
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;

  low_if (l, kb_lt (b, simt->thread, low_const (l, simt->subgroup)))
    {
      KValue *values = acc_fold_new_values (fold, l);
      KVar *before = acc_fold_new_vars (fold, l, NULL);

      acc_simt_load (simt, fold, self->totals, low_const (l, self->n_totals - 1), values);
      self->scan->before (fold, l, acc_fold_new_vars (fold, l, values), before, self->scan->data);
      low_if (l, kb_eq (b, simt->thread, low_const (l, 0)))
        {
          acc_simt_store_vars (self->simt, self->fold, self->front, low_const (l, 0), before);
        }
    }
  kb_barrier (b);
}

static void
store_iteration (Window       *self,
                 KValue        k,
                 KValue        valid,
                 const KValue *front,
                 KValue        going)
{
  AccSimt *simt = self->simt;
  AccFold *fold = self->fold;
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), one = low_const (l, 1);
  guint vector = self->window->vector;

  for (guint s = 0; s < self->window->unroll; s++)
    {
      KValue run = get_run (self, k, s), inner = kb_lt (b, zero, run), there = kb_or (b, going, inner);
      KVar *before = acc_fold_new_vars (fold, l, front);
      KValue *values = acc_fold_new_values (fold, l);

      low_if (l, inner)
        {
          acc_simt_load (simt, fold, self->totals, kb_sub (b, get_total_place (self, run), one), values);
          acc_fold_set_vars (fold, l, before, values);
          acc_fold_prepend_if (fold, l, before, going, front);
        }
      values = acc_fold_new_values (fold, l);
      acc_fold_get_vars (fold, l, before, values);
      for (guint j = 0; self->held != NULL && j < vector; j++)
        {
          KValue *held = acc_fold_new_values (fold, l);

          acc_simt_load (simt, fold, self->held, get_held_place (self, k, s, j), held);
          acc_fold_set_vars (fold, l, self->sums[s * vector + j], held);
        }
      for (guint j = 0; j < vector; j++)
        acc_fold_prepend_if (fold, l, self->sums[s * vector + j], there, values);
      low_if (l, valid)
        {
          for (guint j = 0; j < vector; j++)
            {
              KValue *sum = acc_fold_new_values (fold, l);

              acc_fold_get_vars (fold, l, self->sums[s * vector + j], sum);
              self->scan->sum (fold, l, get_place (self, run, j), sum, self->scan->data);
            }
        }
    }
}

void
acc_simt_scan_window (AccSimt             *simt,
                      AccFold             *fold,
                      const AccSimtScan   *scan,
                      const AccScanWindow *window,
                      KValue               first,
                      KValue               valid,
                      const KVar          *carry,
                      KVar                 started)
{
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  guint lanes = simt->subgroup, n_parts = simt->width / lanes, n_sums = window->vector * window->unroll;
  KValue *front = acc_fold_new_values (fold, l), *total = acc_fold_new_values (fold, l);
  KValue zero = low_const (l, 0), n_iterations = low_const (l, window->n_iterations), going;
  Window self = {
    .simt = simt, .fold = fold, .scan = scan, .window = window, .lanes = lanes, .n_parts = n_parts,
    .n_totals = window->n_iterations * n_parts * window->unroll, .first = first, .lane = low_urem (l, simt->thread, lanes),
    .part = low_udiv (l, simt->thread, lanes),
  };

  self.totals = acc_simt_new_shared (simt, fold, simt->group / simt->width * self.n_totals);
  self.sums = low_alloc (l, n_sums * sizeof (KVar *));
  for (guint i = 0; i < n_sums; i++)
    self.sums[i] = acc_fold_new_vars (fold, l, NULL);

  if (window->n_iterations > 1)
    {
      self.held = acc_simt_new_shared (simt, fold, simt->group * n_sums * window->n_iterations);
      low_for (l, k, zero, n_iterations)
        {
          take_iteration (&self, k);
        }
    }
  else
    {
      take_iteration (&self, zero);
    }
  kb_barrier (b);
  scan_totals (&self);
  if (scan->before != NULL)
    {
      self.front = acc_simt_new_shared (simt, fold, 1);
      find_front (&self);
      acc_simt_load (simt, fold, self.front, zero, front);
    }
  else
    {
      acc_fold_get_vars (fold, l, carry, front);
    }

  going = kb_get (b, started);
  if (window->n_iterations > 1)
    {
      low_for (l, k, zero, n_iterations)
        {
          store_iteration (&self, k, valid, front, going);
        }
    }
  else
    {
      store_iteration (&self, zero, valid, front, going);
    }

  acc_simt_load (simt, fold, self.totals, get_total_place (&self, low_const (l, self.n_totals - 1)), total);
  acc_fold_set_vars (fold, l, carry, total);
  acc_fold_prepend_if (fold, l, carry, going, front);
  kb_set (b, started, kb_int (b, ACC_KIND_BOOL, 1));
  kb_barrier (b);
}
