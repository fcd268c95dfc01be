/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt.h"

/* Elements that a thread of a row takes, where there are enough. */
#define PER_THREAD 4

guint
acc_simt_get_group (AccStep *step)
{
  return step->fusion->target->group_size;
}

guint
acc_simt_choose_width (AccStep *step,
                       gint64   n)
{
  guint width = 1;

  while (width < acc_simt_get_group (step) && (gint64) width * PER_THREAD < n)
    width *= 2;

  return width;
}

AccLower *
acc_simt_begin (AccSimt    *self,
                AccStep    *step,
                const char *name,
                guint       width)
{
  const AccTarget *target = step->fusion->target;
  AccLower *l = low_new (step, name);

  *self = (AccSimt) { .l = l, .group = target->group_size, .width = width, .subgroup = MIN (target->subgroup_size, width) };
  kb_set_group_size (l->b, self->group);
  self->local = low_within (l, kb_local (l->b), 0, self->group - 1);
  self->thread = low_urem (l, self->local, width);
  self->row = low_udiv (l, self->local, width);

  return l;
}

KValue *
acc_simt_new_values (AccSimt *self,
                     AccFold *fold)
{
  return low_alloc (self->l, (fold->n_leaves + 1) * sizeof (KValue));
}

KBuffer *
acc_simt_new_shared (AccSimt *self,
                     AccFold *fold,
                     guint    n)
{
  KBuffer *shared = low_alloc (self->l, (fold->n_leaves + 1) * sizeof (KBuffer));

  for (guint i = 0; i < fold->n_leaves; i++)
    shared[i] = kb_shared (self->l->b, acc_fold_get_kind (fold, i), n, "values");

  return shared;
}

void
acc_simt_load (AccSimt       *self,
               AccFold       *fold,
               const KBuffer *shared,
               KValue         at,
               KValue        *result)
{
  for (guint i = 0; i < fold->n_leaves; i++)
    result[i] = kb_load (self->l->b, shared[i], at);
}

void
acc_simt_store (AccSimt       *self,
                AccFold       *fold,
                const KBuffer *shared,
                KValue         at,
                const KValue  *values)
{
  for (guint i = 0; i < fold->n_leaves; i++)
    kb_store (self->l->b, shared[i], at, values[i]);
}

/* vars = vars . other, where @condition holds. */
static void
combine_if (AccSimt      *self,
            AccFold      *fold,
            const KVar   *vars,
            KValue        condition,
            const KValue *other)
{
  AccLower *l = self->l;

  low_if (l, condition)
    {
      KValue *mine = acc_simt_new_values (self, fold), *sum = acc_simt_new_values (self, fold);

      acc_fold_get_vars (fold, l, vars, mine);
      acc_fold_combine (fold, l, mine, other, sum);
      acc_fold_set_vars (fold, l, vars, sum);
    }
}

static void
reduce_subgroups (AccSimt    *self,
                  AccFold    *fold,
                  const KVar *vars,
                  KValue      n_valid)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue lane = low_urem (l, self->local, self->subgroup);

  for (guint d = 1; d < self->subgroup; d *= 2)
    {
      KValue *other = acc_simt_new_values (self, fold);
      KValue there = kb_lt (b, kb_add (b, self->thread, low_const (l, d)), n_valid);

      for (guint i = 0; i < fold->n_leaves; i++)
        other[i] = kb_shuffle (b, KB_SHUFFLE_DOWN, kb_get (b, vars[i]), d);
      combine_if (self, fold, vars, kb_and (b, there, kb_lt (b, lane, low_const (l, self->subgroup - d))), other);
    }
}

/* The first thread of each subgroup has a part; the row's thread 0 takes them in order. */
static void
reduce_parts (AccSimt    *self,
              AccFold    *fold,
              const KVar *vars,
              KValue      n_valid)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  guint n_parts = self->width / self->subgroup;
  KBuffer *shared = acc_simt_new_shared (self, fold, self->group / self->subgroup);
  KValue part = low_udiv (l, self->local, self->subgroup);
  KValue zero = low_const (l, 0);

  low_if (l, kb_eq (b, low_urem (l, self->local, self->subgroup), zero))
    {
      KValue *mine = acc_simt_new_values (self, fold);

      acc_fold_get_vars (fold, l, vars, mine);
      acc_simt_store (self, fold, shared, part, mine);
    }
  kb_barrier (b);
  low_if (l, kb_eq (b, self->thread, zero))
    {
      low_for (l, k, low_const (l, 1), low_const (l, n_parts))
        {
          KValue *other = acc_simt_new_values (self, fold);

          acc_simt_load (self, fold, shared, kb_add (b, part, k), other);
          combine_if (self, fold, vars, kb_lt (b, kb_mul (b, k, low_const (l, self->subgroup)), n_valid), other);
        }
    }
  kb_barrier (b);
}

static void
reduce_shared (AccSimt    *self,
               AccFold    *fold,
               const KVar *vars,
               KValue      n_valid)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KBuffer *shared = acc_simt_new_shared (self, fold, self->group);

  for (guint d = 1; d < self->width; d *= 2)
    {
      KValue *mine = acc_simt_new_values (self, fold);
      KValue turn = kb_eq (b, low_urem (l, self->thread, 2 * d), low_const (l, 0));

      acc_fold_get_vars (fold, l, vars, mine);
      acc_simt_store (self, fold, shared, self->local, mine);
      kb_barrier (b);
      low_if (l, kb_and (b, turn, kb_lt (b, kb_add (b, self->thread, low_const (l, d)), n_valid)))
        {
          KValue *other = acc_simt_new_values (self, fold), *sum = acc_simt_new_values (self, fold);

          acc_simt_load (self, fold, shared, kb_add (b, self->local, low_const (l, d)), other);
          acc_fold_combine (fold, l, mine, other, sum);
          acc_fold_set_vars (fold, l, vars, sum);
        }
      kb_barrier (b);
    }
}

void
acc_simt_reduce (AccSimt    *self,
                 AccFold    *fold,
                 const KVar *vars,
                 KValue      n_valid)
{
  if (self->width == 1)
    return;

  if (self->subgroup == 1)
    {
      reduce_shared (self, fold, vars, n_valid);
      return;
    }
  reduce_subgroups (self, fold, vars, n_valid);
  if (self->width > self->subgroup)
    reduce_parts (self, fold, vars, n_valid);
}

/* Any thread may take any element. */
static KValue
fold_in_any_order (AccSimt        *self,
                   AccFold        *fold,
                   KValue          begin,
                   KValue          end,
                   AccSimtElement  element,
                   gpointer        data,
                   const KVar     *vars)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  gint64 window = (gint64) self->width * PER_THREAD;
  KValue n = kb_sub (b, end, begin), zero = low_const (l, 0), one = low_const (l, 1);
  KValue n_windows = kb_udiv (b, n, low_const (l, window));
  KValue full = kb_lt (b, zero, n_windows);
  KValue first = kb_add (b, begin, self->thread);
  KValue rest = kb_add (b, first, kb_mul (b, n_windows, low_const (l, window)));

  low_if (l, full)
    {
      KValue *sum = acc_simt_new_values (self, fold);
      KVar *running;

      element (fold, l, first, sum, data);
      for (guint j = 1; j < PER_THREAD; j++)
        {
          KValue *next = acc_simt_new_values (self, fold);

          element (fold, l, kb_add (b, first, low_const (l, (gint64) j * self->width)), next, data);
          acc_fold_combine (fold, l, sum, next, sum);
        }
      running = acc_fold_new_vars (fold, l, sum);
      low_for (l, k, one, n_windows)
        {
          KValue at = kb_add (b, first, kb_mul (b, k, low_const (l, window)));
          KValue *next[PER_THREAD];

          for (guint j = 0; j < PER_THREAD; j++)
            {
              next[j] = acc_simt_new_values (self, fold);
              element (fold, l, kb_add (b, at, low_const (l, (gint64) j * self->width)), next[j], data);
            }
          for (guint j = 1; j < PER_THREAD; j++)
            acc_fold_combine (fold, l, next[0], next[j], next[0]);
          acc_fold_get_vars (fold, l, running, sum);
          acc_fold_combine (fold, l, sum, next[0], sum);
          acc_fold_set_vars (fold, l, running, sum);
        }
      acc_fold_get_vars (fold, l, running, sum);
      acc_fold_set_vars (fold, l, vars, sum);
    }

  low_for (l, j, zero, low_const (l, PER_THREAD))
    {
      KValue at = kb_add (b, rest, kb_mul (b, j, low_const (l, self->width)));

      low_if (l, kb_lt (b, at, end))
        {
          KValue *next = acc_simt_new_values (self, fold);
          KValue going = kb_or (b, full, kb_lt (b, zero, j));

          element (fold, l, at, next, data);
          combine_if (self, fold, vars, going, next);
          low_if (l, kb_not (b, going))
            {
              acc_fold_set_vars (fold, l, vars, next);
            }
        }
    }

  return kb_min (b, n, low_const (l, self->width));
}

/* Each thread takes a run of its own. */
static KValue
fold_in_order (AccSimt        *self,
               AccFold        *fold,
               KValue          begin,
               KValue          end,
               AccSimtElement  element,
               gpointer        data,
               const KVar     *vars)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue n = kb_sub (b, end, begin), one = low_const (l, 1);
  KValue run = kb_udiv (b, kb_add (b, n, low_const (l, self->width - 1)), low_const (l, self->width));
  KValue first = kb_add (b, begin, kb_mul (b, self->thread, run));
  KValue last = kb_min (b, kb_add (b, first, run), end);

  low_if (l, kb_lt (b, first, last))
    {
      KValue *start = acc_simt_new_values (self, fold);

      element (fold, l, first, start, data);
      acc_fold_set_vars (fold, l, vars, start);
      low_for (l, at, kb_add (b, first, one), last)
        {
          KValue *sum = acc_simt_new_values (self, fold), *next = acc_simt_new_values (self, fold);

          element (fold, l, at, next, data);
          acc_fold_get_vars (fold, l, vars, sum);
          acc_fold_combine (fold, l, sum, next, sum);
          acc_fold_set_vars (fold, l, vars, sum);
        }
    }

  return kb_udiv (b, kb_add (b, n, kb_sub (b, run, one)), run);
}

void
acc_simt_fold (AccSimt        *self,
               AccFold        *fold,
               KValue          begin,
               KValue          end,
               AccSimtElement  element,
               gpointer        data,
               const KVar     *vars)
{
  KValue n_valid = fold->commutative ? fold_in_any_order (self, fold, begin, end, element, data, vars)
                                     : fold_in_order (self, fold, begin, end, element, data, vars);

  acc_simt_reduce (self, fold, vars, n_valid);
}
