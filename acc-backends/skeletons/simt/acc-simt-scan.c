/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt.h"

/* By doubled distances (W. D. Hillis and G. L. Steele, 1986) within subgroups, and from one subgroup to the next in turn. */
void
acc_simt_scan_threads (AccSimt       *self,
                       AccFold       *fold,
                       const KVar    *vars,
                       const KBuffer *shared,
                       KValue         exists)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  guint subgroup = self->subgroup > 1 ? self->subgroup : self->width;
  KValue lane = low_urem (l, self->thread, subgroup);

  for (guint d = 1; d < subgroup; d *= 2)
    {
      KValue *other = acc_fold_new_values (fold, l);
      KValue there = kb_and (b, exists, kb_le (b, low_const (l, d), lane));

      if (self->subgroup > 1)
        {
          for (guint i = 0; i < fold->n_leaves; i++)
            other[i] = kb_shuffle (b, KB_SHUFFLE_UP, kb_get (b, vars[i]), d);
          acc_fold_prepend_if (fold, l, vars, there, other);
        }
      else
        {
          acc_simt_store_vars (self, fold, shared, self->local, vars);
          kb_barrier (b);
          low_if (l, there)
            {
              acc_simt_load (self, fold, shared, kb_sub (b, self->local, low_const (l, d)), other);
              acc_fold_prepend (fold, l, vars, other);
            }
          kb_barrier (b);
        }
    }
  if (subgroup == self->width)
    return;

  low_if (l, kb_eq (b, lane, low_const (l, subgroup - 1)))
    {
      acc_simt_store_vars (self, fold, shared, low_udiv (l, self->local, subgroup), vars);
    }
  kb_barrier (b);
  {
    KValue first = kb_mul (b, self->row, low_const (l, self->width / subgroup));
    KValue own = low_udiv (l, self->thread, subgroup);

    /* From the nearest to the farthest. */
    low_for (l, k, low_const (l, 0), own)
      {
        KValue *other = acc_fold_new_values (fold, l);
        KValue at = kb_add (b, first, kb_sub (b, kb_sub (b, own, low_const (l, 1)), k));

        acc_simt_load (self, fold, shared, at, other);
        acc_fold_prepend_if (fold, l, vars, exists, other);
      }
  }
  kb_barrier (b);
}

/* Exclusive scan over the threads: @vars of each becomes the sum of @carry and of the threads before; returns whether there is one. @carry
 * gets the sum of all. */
static KValue
find_before (AccSimt       *self,
             AccFold       *fold,
             const KVar    *vars,
             const KBuffer *shared,
             KValue         n_valid,
             const KVar    *carry,
             KVar           started)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue *total = acc_fold_new_values (fold, l);
  KValue zero = low_const (l, 0), one = low_const (l, 1);
  KValue row = kb_mul (b, self->row, low_const (l, self->width));
  KValue exists = kb_lt (b, self->thread, n_valid);
  KValue going, later = kb_lt (b, zero, self->thread);
  KValue *before = acc_fold_new_values (fold, l);

  acc_simt_store_vars (self, fold, shared, self->local, vars);
  kb_barrier (b);
  acc_simt_load (self, fold, shared, kb_add (b, row, kb_sub (b, n_valid, one)), total);
  going = kb_get (b, started);
  acc_fold_get_vars (fold, l, carry, before);
  low_if (l, later)
    {
      KValue *previous = acc_fold_new_values (fold, l);

      acc_simt_load (self, fold, shared, kb_sub (b, self->local, one), previous);
      acc_fold_set_vars (fold, l, vars, previous);
      acc_fold_prepend_if (fold, l, vars, kb_and (b, going, exists), before);
    }
  low_else (l)
    {
      acc_fold_set_vars (fold, l, vars, before);
    }
  kb_barrier (b);

  low_if (l, going)
    {
      KValue *sum = acc_fold_new_values (fold, l);

      acc_fold_combine (fold, l, before, total, sum);
      acc_fold_set_vars (fold, l, carry, sum);
    }
  low_else (l)
    {
      acc_fold_set_vars (fold, l, carry, total);
    }
  kb_set (b, started, kb_int (b, ACC_KIND_BOOL, 1));

  return kb_or (b, going, later);
}

/* Scans the remainder, less than a window, or all if windows are not aligned: one element at a time. */
void
acc_simt_scan_part (AccSimt           *self,
                    AccFold           *fold,
                    const AccSimtScan *scan,
                    KValue             begin,
                    KValue             end,
                    KValue             valid,
                    const KVar        *carry,
                    KVar               started)
{
  KBuffer *shared = acc_simt_new_shared (self, fold, self->group);
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue each = low_const (l, ACC_SIMT_PER_THREAD), one = low_const (l, 1);
  KValue window = low_const (l, (gint64) self->width * ACC_SIMT_PER_THREAD);
  KValue n_windows = kb_udiv (b, kb_add (b, kb_sub (b, end, begin), kb_sub (b, window, one)), window);

  low_for (l, k, low_const (l, 0), n_windows)
    {
      KValue from = kb_add (b, begin, kb_mul (b, k, window));
      KValue first = kb_add (b, from, kb_mul (b, self->thread, each));
      KValue last = kb_min (b, kb_add (b, first, each), end);
      KValue n_left = kb_min (b, kb_sub (b, end, from), window);
      KValue n_valid = kb_udiv (b, kb_add (b, n_left, kb_sub (b, each, one)), each);
      KVar *vars = acc_fold_new_vars (fold, l, NULL);
      KValue before;
      KVar going;

      low_if (l, kb_lt (b, first, last))
        {
          KValue *start = acc_fold_new_values (fold, l);

          scan->element (fold, l, first, start, scan->data);
          acc_fold_set_vars (fold, l, vars, start);
          low_for (l, at, kb_add (b, first, one), last)
            {
              KValue *next = acc_fold_new_values (fold, l);

              scan->element (fold, l, at, next, scan->data);
              acc_fold_append (fold, l, vars, next);
            }
        }

      acc_simt_scan_threads (self, fold, vars, shared, kb_lt (b, self->thread, n_valid));
      before = find_before (self, fold, vars, shared, n_valid, carry, started);
      going = kb_var (b, before);

      low_if (l, kb_and (b, valid, kb_lt (b, first, last)))
        {
          low_for (l, at, first, last)
            {
              KValue *running = acc_fold_new_values (fold, l), *next = acc_fold_new_values (fold, l);

              scan->element (fold, l, at, next, scan->data);
              acc_fold_append_or_start (fold, l, vars, going, next);
              acc_fold_get_vars (fold, l, vars, running);
              scan->sum (fold, l, at, running, scan->data);
            }
        }
    }
}

void
acc_simt_scan (AccSimt           *self,
               AccFold           *fold,
               const AccSimtScan *scan,
               KValue             begin,
               KValue             end,
               KValue             valid,
               const KVar        *carry,
               KVar               started)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  AccScanWindow window = acc_simt_choose_window (l->step, fold, self->width, G_MAXINT64, FALSE);
  KValue vector = low_const (l, window.vector), size = low_const (l, window.size), zero = low_const (l, 0);
  KValue base = kb_udiv (b, begin, vector);
  /* Windows lie on multiples of what a thread takes at once; or there is none. */
  KValue aligned = kb_eq (b, kb_urem (b, begin, vector), zero);
  KValue n_whole = kb_select (b, aligned, kb_udiv (b, kb_sub (b, end, begin), size), zero);

  low_for (l, k, zero, n_whole)
    {
      KValue at = kb_add (b, base, kb_mul (b, k, low_const (l, window.size / window.vector)));

      acc_simt_scan_window (self, fold, scan, &window, kb_mul (b, at, vector), valid, carry, started);
    }
  acc_simt_scan_part (self, fold, scan, kb_add (b, begin, kb_mul (b, n_whole, size)), end, valid, carry, started);
}
