/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-skeletons.h"

/* Many elements into one, by lanes. */

/* Short runs are folded by a fourth of the lanes. */
#define SHORT_DIVISOR 4

#define TOGETHER_AHEAD_BYTES 2048  /* between blocks of these so much is done that processors do not look ahead to the next one but one */
#define MAX_TOGETHER_COST 128   /* rough operations of what is written out for each */

void
acc_fold_add_lanes (AccFold *self,
                    gint64   n_regions)
{
  g_free (self->lane_scratch);
  self->lane_scratch = acc_fold_add_scratch (self, n_regions * self->lanes);
}

/* The region of each is its tile. */
void
acc_fold_add_lanes_of_tiles (AccFold *self,
                             gint64   n_tiles)
{
  for (guint i = 0; i < self->n_leaves; i++)
    self->lane_scratch[i] = acc_step_add_tile_scratch (self->step, acc_fold_get_kind (self, i), self->lanes, n_tiles);
}

/* Whether elements are known in part, such as the ones of a count: they are combined with each other first, since the known part is known
 * of pairs, fours and eights as well, and the operator is cheaper for those than for any two values. */
gboolean
acc_fold_goes_together (AccFold      *self,
                        AccLower     *l,
                        const KValue *element)
{
  if (self->step->cluster->cost > MAX_TOGETHER_COST)
    return FALSE;

  for (guint i = 0; i < self->n_leaves; i++)
    if (kb_is_const (l->b, element[i]))
      return TRUE;

  return FALSE;
}

/* By halves: element @at, and those every @stride on, of @n. */
static void
combine_elements (AccFold        *self,
                  AccLower       *l,
                  const AccSpace *space,
                  KValue          outer,
                  KValue          at,
                  KValue          stride,
                  guint           n,
                  KValue         *result)
{
  KValue *more;

  if (n == 1)
    {
      acc_fold_element (self, l, space, outer, at, result);
      return;
    }
  more = acc_fold_new_values (self, l);
  combine_elements (self, l, space, outer, at, stride, n / 2, result);
  combine_elements (self, l, space, outer, kb_add (l->b, at, kb_mul (l->b, stride, low_const (l, n / 2))), stride, n / 2, more);
  acc_fold_combine (self, l, result, more, result);
}

/* Folds element @inner of a run, and prefetches a later one. */
static void
take_element (AccFold        *self,
              AccLower       *l,
              const AccSpace *space,
              KValue          outer,
              KValue          inner,
              KValue         *result)
{
  AccKernelBuilder *b = l->b;

  if (self->ahead > 0 && space->inner >= 4 * self->ahead)
    {
      KValue end = self->reads_all_rows ? low_number (l, space->inner) : kb_inner_end (b);
      KValue later = kb_min (b, kb_add (b, inner, low_const (l, self->ahead)), kb_sub (b, end, low_const (l, 1)));

      l->prefetch_bytes = self->far_bytes;
      acc_fold_read (self, l, space, outer, later, result);
      l->prefetch_bytes = 0;
    }
  acc_fold_element (self, l, space, outer, inner, result);
}

/* Each lane takes every lanes-th element where the order does not matter, and a run of its own where it does. */
static void
fold_lanes (AccFold        *self,
            AccLower       *l,
            guint           n_lanes,
            const AccSpace *space,
            KValue          outer,
            KValue          begin,
            KValue          n_steps,
            KValue          base)
{
  AccKernelBuilder *b = l->b;
  KValue lanes = low_const (l, n_lanes);
  KValue *element = acc_fold_new_values (self, l);

  kb_set_lanes (b, n_lanes);
  low_foreach (l, r, low_const (l, 0), lanes)
    {
      KValue stride = self->commutative ? lanes : low_const (l, 1), n_done = low_const (l, 1);
      KValue start = self->commutative ? kb_add (b, begin, r) : kb_add (b, begin, kb_mul (b, r, n_steps));
      KVar *vars;

      take_element (self, l, space, outer, start, element);
      vars = acc_fold_new_vars (self, l, element);
      if (acc_fold_goes_together (self, l, element))
        {
          KValue n_together = low_const (l, ACC_FOLD_TOGETHER), n_blocks = kb_udiv (b, kb_sub (b, n_steps, n_done), n_together);

          low_for (l, k, low_const (l, 0), n_blocks)
            {
              KValue first = kb_add (b, kb_mul (b, k, n_together), n_done);

              l->ahead = self->commutative ? TOGETHER_AHEAD_BYTES : 0;
              combine_elements (self, l, space, outer, kb_add (b, start, kb_mul (b, first, stride)), stride, ACC_FOLD_TOGETHER, element);
              l->ahead = 0;
              acc_fold_append (self, l, vars, element);
            }
          n_done = kb_add (b, kb_mul (b, n_blocks, n_together), n_done);
        }
      low_for (l, k, n_done, n_steps)
        {
          take_element (self, l, space, outer, kb_add (b, start, kb_mul (b, k, stride)), element);
          acc_fold_append (self, l, vars, element);
        }
      acc_fold_store_vars (self, l, self->lane_scratch, kb_add (b, base, r), vars);
    }
  kb_set_lanes (b, 0);
}

/* By halves where the order does not matter, else one after the other. */
static void
combine_lanes (AccFold    *self,
               AccLower   *l,
               guint       n,
               KValue      base,
               const KVar *vars)
{
  AccKernelBuilder *b = l->b;
  KValue *sum = acc_fold_new_values (self, l);
  KValue *element = acc_fold_new_values (self, l);

  while (self->commutative && n > 1)
    {
      n /= 2;
      kb_set_lanes (b, n);
      low_foreach (l, r, low_const (l, 0), low_const (l, n))
        {
          acc_fold_load (self, l, self->lane_scratch, kb_add (b, base, r), sum);
          acc_fold_load (self, l, self->lane_scratch, kb_add (b, kb_add (b, base, r), kb_i64 (b, n)), element);
          acc_fold_combine (self, l, sum, element, sum);
          acc_fold_store (self, l, self->lane_scratch, kb_add (b, base, r), sum);
        }
    }
  kb_set_lanes (b, 0);

  acc_fold_load (self, l, self->lane_scratch, base, sum);
  acc_fold_set_vars (self, l, vars, sum);
  if (n == 1)
    return;
  low_for (l, r, low_const (l, 1), low_const (l, n))
    {
      acc_fold_load (self, l, self->lane_scratch, kb_add (b, base, r), element);
      acc_fold_append (self, l, vars, element);
    }
}

static void
fold_rest (AccFold        *self,
           AccLower       *l,
           const AccSpace *space,
           KValue          outer,
           KValue          begin,
           KValue          end,
           const KVar     *vars)
{
  KValue *element = acc_fold_new_values (self, l);

  low_for (l, i, begin, end)
    {
      take_element (self, l, space, outer, i, element);
      acc_fold_append (self, l, vars, element);
    }
}

static void
fold_in_order (AccFold        *self,
               AccLower       *l,
               const AccSpace *space,
               KValue          outer,
               KValue          begin,
               KValue          end,
               const KVar     *vars)
{
  KValue *first = acc_fold_new_values (self, l);

  take_element (self, l, space, outer, begin, first);
  acc_fold_set_vars (self, l, vars, first);
  fold_rest (self, l, space, outer, kb_add (l->b, begin, low_const (l, 1)), end, vars);
}

void
acc_fold_write_in_order (AccFold        *self,
                         AccLower       *l,
                         const AccSpace *space,
                         KValue          outer,
                         KValue          begin,
                         KValue          end,
                         KValue         *result)
{
  KVar *vars = acc_fold_new_vars (self, l, NULL);

  fold_in_order (self, l, space, outer, begin, end, vars);
  acc_fold_get_vars (self, l, vars, result);
}

/* By @n_lanes lanes where there are elements for two rounds of them, else by fewer. */
static void
fold_run (AccFold        *self,
          AccLower       *l,
          guint           n_lanes,
          const AccSpace *space,
          KValue          outer,
          KValue          begin,
          KValue          end,
          KValue          base,
          const KVar     *vars)
{
  AccKernelBuilder *b = l->b;
  KValue count = kb_sub (b, end, begin), lanes = low_const (l, n_lanes);

  low_if (l, kb_le (b, low_const (l, 2 * n_lanes), count))
    {
      KValue n_steps = kb_udiv (b, count, lanes);

      fold_lanes (self, l, n_lanes, space, outer, begin, n_steps, base);
      combine_lanes (self, l, n_lanes, base, vars);
      fold_rest (self, l, space, outer, kb_add (b, begin, kb_mul (b, n_steps, lanes)), end, vars);
    }
  low_else (l)
    {
      if (self->many_short_runs && n_lanes == self->lanes)
        fold_run (self, l, n_lanes / SHORT_DIVISOR, space, outer, begin, end, base, vars);
      else
        fold_in_order (self, l, space, outer, begin, end, vars);
    }
}

void
acc_fold_write_run (AccFold        *self,
                    AccLower       *l,
                    const AccSpace *space,
                    KValue          outer,
                    KValue          begin,
                    KValue          end,
                    KValue          region,
                    KValue         *result)
{
  KVar *vars = acc_fold_new_vars (self, l, NULL);

  fold_run (self, l, self->lanes, space, outer, begin, end, kb_mul (l->b, region, low_const (l, self->lanes)), vars);
  acc_fold_get_vars (self, l, vars, result);
}
