/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-skeletons.h"

/* Element-wise steps:
 *
 *   for u in outer units:
 *     foreach x in inner elements:
 *       roots[u, x] = ...
 *
 * A space whose dimensions are all counted together has no loop over u. Segments (acc-skeleton-segments.c) are gone through one by one. */

#define MAX_SHORT_COST 96   /* operations of what is written out for a last dimension, all together */

/* Whether a short last dimension, such as channels of pixels, is unrolled: then the channel of an element is a constant, and lanes are
 * neighbours along the dimension before. */
static gboolean
writes_out (AccStep        *step,
            const AccSpace *space)
{
  return space->short_inner > 1 && space->short_inner * (step->cluster->cost + 2) <= MAX_SHORT_COST;
}

/* Tiles begin and end between its elements. */
static void
write_out (AccLower       *l,
           const AccSpace *space,
           KValue          outer)
{
  AccKernelBuilder *b = l->b;
  KValue n = low_const (l, space->short_inner);

  low_foreach (l, x, kb_udiv (b, kb_inner_begin (b), n), kb_udiv (b, kb_inner_end (b), n))
    {
      KValue first = kb_mul (b, low_within (l, x, 0, MAX (space->inner / space->short_inner, 1) - 1), n);

      for (gint64 c = 0; c < space->short_inner; c++)
        low_store_roots (l, low_index_of_space (l, space, outer, kb_add (b, first, low_const (l, c))));
    }
}

static void
write_run (AccLower       *l,
           const AccSpace *space,
           KValue          outer)
{
  AccKernelBuilder *b = l->b;
  KValue begin = kb_inner_begin (b), end = kb_inner_end (b), ahead = low_const (l, ACC_SKELETON_AHEAD);

  if (acc_skeleton_has_stencil (l->step))
    {
      acc_skeleton_stencil_run (l, space, outer);
      return;
    }
  if (l->step->cluster->offsets != NULL)
    {
      acc_skeleton_segments_run (l, space, begin, end);
      return;
    }

  if (space->inner >= 4 * ACC_SKELETON_AHEAD && acc_skeleton_prefetches (l->step, ACC_SKELETON_FAR_BYTES))
    {
      KValue until = kb_max (b, begin, kb_sub (b, end, ahead));

      low_foreach (l, x, begin, until)
        {
          low_prefetch (l, low_index_of_space (l, space, outer, low_within (l, kb_add (b, x, ahead), 0, space->inner - 1)),
                        ACC_SKELETON_FAR_BYTES);
          low_store_roots (l, low_index_of_space (l, space, outer, x));
        }
      begin = until;
    }
  else if (writes_out (l->step, space))
    {
      write_out (l, space, outer);
      return;
    }
  low_foreach (l, x, begin, end)
    {
      low_store_roots (l, low_index_of_space (l, space, outer, x));
    }
}

void
acc_skeleton_map (AccStep *step)
{
  g_autoptr(AccSpace) space = acc_space_new_for_roots (step->fusion->graph, step->cluster);
  AccKernelBuilder *b;
  AccLaunch launch;
  AccLower *l;

  step->n_rows = space->n_rows;
  if (space->outer == 0 || space->inner == 0 || !acc_skeleton_has_leaves (step))
    return;

  if (acc_skeleton_is_simt (step))
    {
      acc_skeleton_map_simt (step, space);
      return;
    }

  if (!acc_skeleton_has_stencil (step) && step->cluster->offsets == NULL && acc_skeleton_transpose (step, space))
    return;

  l = low_new (step, acc_skeleton_get_name (step));
  l->first_inner = space->first_inner;
  b = l->b;

  if (space->first_inner == 0)
    {
      write_run (l, space, kb_i64 (b, 0));
    }
  else
    {
      low_for_units (l, u, space)
        {
          write_run (l, space, u);
        }
    }

  launch = acc_skeleton_launch (space, acc_skeleton_get_cost (step));
  launch.multiple = step->cluster->offsets == NULL && writes_out (step, space) ? space->short_inner : 0;
  low_finish (l, launch);
}
