/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt.h"

#include <string.h>

/* Elements that a thread of a row takes, where there are enough. */
#define PER_THREAD 4
#define ZEROS_PER_THREAD 16
#define VECTOR_BYTES 16
#define MAX_COST 200   /* rough operations of what is written out one after the other */

/* Elements that each thread may have in shared memory: of those that it folds or scans, in its turn. */
#define SHARED_EACH 4

/* Bytes of an element of all that is folded or scanned. */
static gsize
count_bytes (AccStep *step)
{
  const AccCluster *cluster = step->cluster;
  gsize bytes = 0;

  for (guint i = 0; i < cluster->anchors->len && cluster->kind != ACC_CLUSTER_MAP; i++)
    bytes += acc_element_type_get_size (((AccFusionNode *) g_ptr_array_index (cluster->anchors, i))->array->type);

  return bytes;
}

guint
acc_simt_bound_group (AccStep *step,
                      guint    group,
                      gsize    room)
{
  gsize bytes = count_bytes (step);

  while (group > step->fusion->target->subgroup_size && group > 1 && SHARED_EACH * group * bytes > room)
    group /= 2;

  return group;
}

guint
acc_simt_get_group (AccStep *step)
{
  const AccTarget *target = step->fusion->target;

  return acc_simt_bound_group (step, target->group_size, target->shared_bytes / 4 * 3);
}

gsize
acc_simt_get_room (AccStep *step,
                   guint    group)
{
  gsize all = step->fusion->target->shared_bytes, taken = (SHARED_EACH * group + 2) * count_bytes (step);

  return MIN (all / 4 * 3, all - MIN (all, taken));
}

guint
acc_simt_choose_width (AccStep *step,
                       gint64   n)
{
  guint width = 1, subgroup = step->fusion->target->subgroup_size, each = acc_simt_choose_vector (step, n);

  while (width < acc_simt_get_group (step) && (gint64) width * MAX (each, PER_THREAD) < n)
    width *= 2;
  /* Work within a subgroup, without barriers, pays unless its threads would have much to do. */
  if (width > subgroup && subgroup > 1 && n <= (gint64) subgroup * MAX (each, PER_THREAD) * 16)
    width = subgroup;

  return width;
}

guint
acc_simt_get_widest_read (AccStep *step,
                          gint64   size)
{
  guint widest = 0;

  for (guint i = 0; i < step->cluster->reads->len; i++)
    {
      const AccFusionNode *node = g_ptr_array_index (step->cluster->reads, i);

      if (node->size == size && acc_element_type_get_n_buffers (node->array->type) > 0)
        widest = MAX (widest, acc_element_type_get_widest (node->array->type));
    }

  return widest;
}

guint
acc_simt_choose_vector (AccStep *step,
                        gint64   n)
{
  AccFusionNode *consumed = step->cluster->consumed;
  guint widest = consumed != NULL ? acc_simt_get_widest_read (step, consumed->size) : 0, vector;

  if (widest == 0)
    return 1;

  vector = MAX (VECTOR_BYTES / widest, 1);
  while (vector > 1 && (n % vector != 0 || vector * (step->cluster->cost + 2) > MAX_COST))
    vector /= 2;

  return vector;
}

AccLower *
acc_simt_begin (AccSimt    *self,
                AccStep    *step,
                const char *name,
                guint       width)
{
  return acc_simt_begin_sized (self, step, name, acc_simt_get_group (step), width);
}

AccLower *
acc_simt_begin_sized (AccSimt    *self,
                      AccStep    *step,
                      const char *name,
                      guint       group,
                      guint       width)
{
  const AccTarget *target = step->fusion->target;
  AccLower *l = low_new (step, name);

  *self = (AccSimt) { .l = l, .group = group, .width = width, .subgroup = MIN (target->subgroup_size, width) };
  kb_set_group_size (l->b, self->group);
  self->local = low_within (l, kb_local (l->b), 0, self->group - 1);
  self->thread = low_urem (l, self->local, width);
  self->row = low_udiv (l, self->local, width);

  return l;
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
acc_simt_store_vars (AccSimt       *self,
                     AccFold       *fold,
                     const KBuffer *shared,
                     KValue         at,
                     const KVar    *vars)
{
  for (guint i = 0; i < fold->n_leaves; i++)
    kb_store (self->l->b, shared[i], at, kb_get (self->l->b, vars[i]));
}

void
acc_simt_write_zeros (AccStep       *step,
                      const char    *name,
                      guint          scratch,
                      AccElementKind kind,
                      gint64         n)
{
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, step, name, acc_simt_get_group (step));
  AccKernelBuilder *b = l->b;

  low_for (l, k, low_const (l, 0), low_const (l, ZEROS_PER_THREAD))
    {
      KValue x = kb_add (b, kb_add (b, kb_inner_begin (b), kb_mul (b, k, low_const (l, simt.group))), simt.local);

      low_if (l, kb_lt (b, x, kb_inner_end (b)))
        {
          kb_store (b, low_scratch (l, scratch, kind), x, kb_int (b, kind, 0));
        }
    }
  low_finish (l, (AccLaunch) { .outer = 1, .inner = n, .rows = ACC_SPACE_FIRST, .units_per_row = 1, .tile_outer = 1,
                               .tile_inner = (gint64) simt.group * ZEROS_PER_THREAD, .cost = 1 });
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
      acc_fold_append (fold, l, vars, other);
    }
}

void
acc_simt_reduce_subgroup (AccSimt    *self,
                          AccFold    *fold,
                          const KVar *vars,
                          KValue      n_valid)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue lane = low_urem (l, self->local, self->subgroup);

  for (guint d = 1; d < self->subgroup; d *= 2)
    {
      KValue *other = acc_fold_new_values (fold, l);
      KValue there = kb_lt (b, kb_add (b, self->thread, low_const (l, d)), n_valid);

      for (guint i = 0; i < fold->n_leaves; i++)
        other[i] = kb_shuffle (b, KB_SHUFFLE_DOWN, kb_get (b, vars[i]), d);
      combine_if (self, fold, vars, kb_and (b, there, kb_lt (b, lane, low_const (l, self->subgroup - d))), other);
    }
}

/* The same if all threads have a value and order does not matter: all get the result. */
static void
reduce_full_subgroups (AccSimt    *self,
                       AccFold    *fold,
                       const KVar *vars)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;

  for (guint d = self->subgroup / 2; d > 0; d /= 2)
    {
      KValue *mine = acc_fold_new_values (fold, l), *other = acc_fold_new_values (fold, l);

      acc_fold_get_vars (fold, l, vars, mine);
      for (guint i = 0; i < fold->n_leaves; i++)
        other[i] = kb_shuffle (b, KB_SHUFFLE_XOR, mine[i], d);
      acc_fold_combine (fold, l, mine, other, mine);
      acc_fold_set_vars (fold, l, vars, mine);
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
      acc_simt_store_vars (self, fold, shared, part, vars);
    }
  kb_barrier (b);
  low_if (l, kb_eq (b, self->thread, zero))
    {
      low_for (l, k, low_const (l, 1), low_const (l, n_parts))
        {
          KValue *other = acc_fold_new_values (fold, l);

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
      KValue turn = kb_eq (b, low_urem (l, self->thread, 2 * d), low_const (l, 0));

      acc_simt_store_vars (self, fold, shared, self->local, vars);
      kb_barrier (b);
      low_if (l, kb_and (b, turn, kb_lt (b, kb_add (b, self->thread, low_const (l, d)), n_valid)))
        {
          KValue *other = acc_fold_new_values (fold, l);

          acc_simt_load (self, fold, shared, kb_add (b, self->local, low_const (l, d)), other);
          acc_fold_append (fold, l, vars, other);
        }
      kb_barrier (b);
    }
}

/* @n_valid: of the row's threads, those that have a value; @full: all have. */
static void
reduce (AccSimt    *self,
        AccFold    *fold,
        const KVar *vars,
        KValue      n_valid,
        gboolean    full)
{
  if (self->width == 1)
    return;

  if (self->subgroup == 1)
    {
      reduce_shared (self, fold, vars, n_valid);
      return;
    }
  if (full && fold->commutative)
    reduce_full_subgroups (self, fold, vars);
  else
    acc_simt_reduce_subgroup (self, fold, vars, n_valid);
  if (self->width > self->subgroup)
    reduce_parts (self, fold, vars, n_valid);
}

/* The elements at @at + offsets of all rows, in one block, so that what is loaded together is. @sums = those before . these; where
 * @first there are none before. */
static void
fold_window (AccSimt           *self,
             AccFold           *fold,
             const AccFoldRows *rows,
             KValue             at,
             AccSimtElement     element,
             KValue           **sums,
             gboolean           first)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  guint n = rows->vector * rows->unroll;
  KValue **next = low_alloc (l, n * rows->n * sizeof (KValue *));

  for (guint k = 0; k < n; k++)
    {
      KValue place = kb_add (b, at, low_const (l, (gint64) (k / rows->vector) * self->width * rows->vector + k % rows->vector));

      for (guint r = 0; r < rows->n; r++)
        {
          next[k * rows->n + r] = acc_fold_new_values (fold, l);
          element (fold, l, place, next[k * rows->n + r], rows->data[r]);
        }
    }
  for (guint r = 0; r < rows->n; r++)
    {
      for (guint k = 1; k < n; k++)
        acc_fold_combine (fold, l, next[r], next[k * rows->n + r], next[r]);
      if (first)
        memcpy (sums[r], next[r], fold->n_leaves * sizeof (KValue));
      else
        acc_fold_combine (fold, l, sums[r], next[r], sums[r]);
    }
}

static void
set_all (AccFold     *fold,
         AccLower    *l,
         guint        n,
         KVar       **vars,
         KValue     **values)
{
  for (guint r = 0; r < n; r++)
    acc_fold_set_vars (fold, l, vars[r], values[r]);
}

/* All whole windows, at least one. */
static void
fold_windows (AccSimt           *self,
              AccFold           *fold,
              const AccFoldRows *rows,
              KValue             first,
              KValue             n_windows,
              AccSimtElement     element)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  gint64 window = (gint64) self->width * rows->vector * rows->unroll;
  KValue **sums = low_alloc (l, rows->n * sizeof (KValue *));
  KVar **running = low_alloc (l, rows->n * sizeof (KVar *));

  for (guint r = 0; r < rows->n; r++)
    sums[r] = acc_fold_new_values (fold, l);
  fold_window (self, fold, rows, first, element, sums, TRUE);
  if (rows->size >= 0 && rows->size < 2 * window)
    {
      set_all (fold, l, rows->n, rows->vars, sums);
      return;
    }

  for (guint r = 0; r < rows->n; r++)
    running[r] = acc_fold_new_vars (fold, l, sums[r]);
  low_for (l, k, low_const (l, 1), n_windows)
    {
      for (guint r = 0; r < rows->n; r++)
        acc_fold_get_vars (fold, l, running[r], sums[r]);
      fold_window (self, fold, rows, kb_add (b, first, kb_mul (b, k, low_const (l, window))), element, sums, FALSE);
      set_all (fold, l, rows->n, running, sums);
    }
  for (guint r = 0; r < rows->n; r++)
    acc_fold_get_vars (fold, l, running[r], sums[r]);
  set_all (fold, l, rows->n, rows->vars, sums);
}

/* Any thread may take any element. */
static KValue
fold_in_any_order (AccSimt           *self,
                   AccFold           *fold,
                   const AccFoldRows *rows,
                   KValue             begin,
                   KValue             end,
                   AccSimtElement     element)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  guint n_each = rows->vector * rows->unroll;
  gint64 window = (gint64) self->width * n_each;
  KValue n = kb_sub (b, end, begin), zero = low_const (l, 0);
  KValue n_windows = kb_udiv (b, n, low_const (l, window));
  KValue full = kb_lt (b, zero, n_windows);
  KValue first = kb_add (b, begin, kb_mul (b, self->thread, low_const (l, rows->vector)));
  KValue rest = kb_add (b, kb_add (b, begin, self->thread), kb_mul (b, n_windows, low_const (l, window)));

  if (rows->size >= window)
    fold_windows (self, fold, rows, first, n_windows, element);
  else if (rows->size < 0)
    low_if (l, full)
      {
        fold_windows (self, fold, rows, first, n_windows, element);
      }

  if (rows->size < 0 || rows->size % window != 0)
    low_for (l, j, zero, low_const (l, n_each))
      {
        KValue at = kb_add (b, rest, kb_mul (b, j, low_const (l, self->width)));

        low_if (l, kb_lt (b, at, end))
          {
            for (guint r = 0; r < rows->n; r++)
              {
                KValue *next = acc_fold_new_values (fold, l);
                KValue going = kb_or (b, full, kb_lt (b, zero, j));

                element (fold, l, at, next, rows->data[r]);
                combine_if (self, fold, rows->vars[r], going, next);
                low_if (l, kb_not (b, going))
                  {
                    acc_fold_set_vars (fold, l, rows->vars[r], next);
                  }
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
      KValue *start = acc_fold_new_values (fold, l);

      element (fold, l, first, start, data);
      acc_fold_set_vars (fold, l, vars, start);
      low_for (l, at, kb_add (b, first, one), last)
        {
          KValue *next = acc_fold_new_values (fold, l);

          element (fold, l, at, next, data);
          acc_fold_append (fold, l, vars, next);
        }
    }

  return kb_udiv (b, kb_add (b, n, kb_sub (b, run, one)), run);
}

void
acc_simt_fold_rows (AccSimt           *self,
                    AccFold           *fold,
                    const AccFoldRows *rows,
                    KValue             begin,
                    KValue             end,
                    AccSimtElement     element)
{
  KValue n_valid = { 0 };

  if (fold->commutative)
    n_valid = fold_in_any_order (self, fold, rows, begin, end, element);
  else
    for (guint r = 0; r < rows->n; r++)
      n_valid = fold_in_order (self, fold, begin, end, element, rows->data[r], rows->vars[r]);

  for (guint r = 0; r < rows->n; r++)
    reduce (self, fold, rows->vars[r], n_valid, fold->commutative && rows->size >= self->width);
}

void
acc_simt_fold (AccSimt        *self,
               AccFold        *fold,
               KValue          begin,
               KValue          end,
               guint           vector,
               AccSimtElement  element,
               gpointer        data,
               const KVar     *vars)
{
  AccFoldRows rows = {
    .n = 1, .size = -1, .vector = vector, .unroll = MAX (PER_THREAD / vector, 1), .data = &data, .vars = (KVar **) &vars,
  };

  acc_simt_fold_rows (self, fold, &rows, begin, end, element);
}
