/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-permute-simt.h"

/* Threads go over the elements of the source. */

#define VECTOR_BYTES 16
#define MAX_COST 400   /* rough operations of V elements, which are written out one after the other */

/* Neighbours that a thread reads at once, of @vector elements in all: 16 bytes. */
static guint
choose_pack (AccPermute *self,
             guint       vector)
{
  guint widest = MAX (acc_simt_get_widest_read (self->step, self->source->size), 1);

  return CLAMP (VECTOR_BYTES / widest, 1, vector);
}

/* Elements of the source that a thread takes at a time: a pack, or @packs of them and @least elements, where threads do much with
 * them before they read on: then more is under way. */
guint
acc_permute_choose_vector (AccPermute *self,
                           guint       packs,
                           guint       least)
{
  guint vector = MAX (choose_pack (self, VECTOR_BYTES) * packs, least);

  /* What is read of an element that goes nowhere may not exist. */
  if (acc_element_type_get_n_leaves (self->targets->array->type) > self->node->rank)
    return 1;

  while (vector > 1 && ((double) vector * (self->step->cluster->cost + 4) > MAX_COST || (gint64) vector * 32 > self->space->inner))
    vector /= 2;

  return vector;
}

/* Calls @visit for the code of one element, @target being within the result. */
static void
visit_element (AccPermute     *self,
               AccSimt        *simt,
               const AccIndex *ix,
               KValue          linear,
               AccPermuteVisit visit,
               gpointer        data)
{
  AccLower *l = simt->l;

  low_if (l, acc_permute_get_wanted (self, l, ix))
    {
      KValue target, inside = acc_permute_get_target (self, l, ix, TRUE, &target);

      low_if (l, inside)
        {
          visit (self, simt, ix, linear, target, data);
        }
    }
}

KValue
acc_permute_get_linear (AccPermute *self,
                        AccLower   *l,
                        KValue      u,
                        KValue      x)
{
  return kb_add (l->b, kb_mul (l->b, u, low_number (l, self->space->inner)), x);
}

/* @vector elements, in packs of neighbours: those of a group side by side, one row of packs behind the other. */
typedef struct {
  guint vector, pack;
} Window;

/* Where element @j of the thread is that begins at @first. */
static KValue
get_element (AccSimt      *simt,
             const Window *window,
             KValue        first,
             guint         j)
{
  gint64 row = (gint64) simt->group * window->pack;

  return kb_add (simt->l->b, first, low_const (simt->l, j / window->pack * row + j % window->pack));
}

/* The thread's elements from @first on, which all exist: first all is read, then all is written, unless one goes nowhere or not
 * within the result. TRUE in @done: it was. */
static void
visit_vector (AccPermute     *self,
              AccSimt        *simt,
              KValue          u,
              KValue          first,
              const Window   *window,
              AccPermuteVisit visit,
              gpointer        data,
              KVar            done)
{
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  guint vector = window->vector;
  AccIndex **ix = low_alloc (l, vector * sizeof (AccIndex *));
  KValue *targets = low_alloc (l, vector * sizeof (KValue)), all = kb_int (b, ACC_KIND_BOOL, 1);

  for (guint j = 0; j < vector; j++)
    ix[j] = low_index_of_space (l, self->space, u, get_element (simt, window, first, j));
  for (guint j = 0; j < vector; j++)
    all = kb_and (b, all, acc_permute_get_target (self, l, ix[j], FALSE, &targets[j]));
  kb_set (b, done, all);
  low_if (l, all)
    {
      for (guint j = 0; j < vector; j++)
        visit (self, simt, ix[j], acc_permute_get_linear (self, l, u, get_element (simt, window, first, j)), targets[j], data);
    }
}

void
acc_permute_visit_all (AccPermute     *self,
                       AccSimt        *simt,
                       guint           vector,
                       AccPermuteVisit visit,
                       gpointer        data)
{
  const AccSpace *space = self->space;
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  guint pack = choose_pack (self, vector), n_packs = vector / pack;
  Window window = { vector, pack };
  gint64 row = (gint64) simt->group * pack;
  KValue begin = kb_inner_begin (b), end = kb_inner_end (b);
  KValue base = kb_udiv (b, begin, low_const (l, pack));
  KValue left = kb_sub (b, end, kb_mul (b, base, low_const (l, pack)));
  KValue n_windows = kb_udiv (b, kb_add (b, left, low_const (l, row * n_packs - 1)), low_const (l, row * n_packs));

  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      low_within (l, u, 0, space->outer - 1);
      low_for (l, k, low_const (l, 0), n_windows)
        {
          KValue at = kb_add (b, kb_add (b, base, kb_mul (b, k, low_const (l, (gint64) simt->group * n_packs))), simt->local);
          KValue first = kb_mul (b, at, low_const (l, pack));
          KValue last = get_element (simt, &window, first, vector - 1);
          KVar done = kb_var (b, kb_int (b, ACC_KIND_BOOL, 0));

          if (vector > 1)
            low_if (l, kb_and (b, kb_le (b, begin, first), kb_lt (b, last, end)))
              {
                visit_vector (self, simt, u, low_within (l, first, 0, space->inner - 1), &window, visit, data, done);
              }
          low_if (l, kb_not (b, kb_get (b, done)))
            {
              low_for (l, p, low_const (l, 0), low_const (l, n_packs))
                {
                  low_for (l, j, low_const (l, 0), low_const (l, pack))
                    {
                      KValue x = kb_add (b, kb_add (b, first, kb_mul (b, p, low_const (l, row))), j);

                      low_if (l, kb_and (b, kb_le (b, begin, x), kb_lt (b, x, end)))
                        {
                          low_within (l, x, 0, space->inner - 1);
                          visit_element (self, simt, low_index_of_space (l, space, u, x), acc_permute_get_linear (self, l, u, x), visit,
                                         data);
                        }
                    }
                }
            }
        }
    }
}

AccLaunch
acc_permute_get_launch (AccPermute *self,
                        AccSimt    *simt,
                        guint       vector,
                        gint64      per_thread)
{
  AccLaunch launch = acc_skeleton_launch (self->space, 2 + self->step->cluster->cost);
  gint64 n = simt->group * ((MAX (per_thread, vector) + vector - 1) / vector * vector);

  launch.tile_inner = MIN (self->space->inner, n);
  launch.tile_outer = MAX (n / launch.tile_inner, 1);

  return launch;
}

void
acc_permute_write_visits (AccPermute     *self,
                          const char     *name,
                          guint           vector,
                          AccPermuteVisit visit,
                          gpointer        data)
{
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, self->step, name, acc_simt_get_group (self->step));

  acc_permute_visit_all (self, &simt, vector, visit, data);
  low_finish (l, acc_permute_get_launch (self, &simt, vector, 4));
}
