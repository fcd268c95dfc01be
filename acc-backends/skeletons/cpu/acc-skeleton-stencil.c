/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-skeletons.h"

/* Stencils, inside a map:
 *
 *   foreach x in the part of the inner run where no neighbour is outside:
 *     roots[u, x] = ...                          plain neighbours
 *   for x in the rest, at both ends:
 *     roots[u, x] = ...                          neighbours mapped along x
 *
 * Along the outer dimensions the indices of neighbours are the same for the whole run. Where a boundary needs a test per
 * neighbour (constant, function), units with all rows inside have a loop of their own. */

gboolean
acc_skeleton_has_stencil (AccStep *step)
{
  GPtrArray *anchors = step->cluster->anchors;

  return step->cluster->kind == ACC_CLUSTER_MAP && anchors->len > 0;
}

/* Elements of the inner run, from its ends, that have a neighbour outside. */
gint64
acc_skeleton_get_margin (AccStep        *step,
                         const AccSpace *space)
{
  GPtrArray *anchors = step->cluster->anchors;
  gint64 radius = 0;

  for (guint a = 0; a < anchors->len; a++)
    {
      AccFusionNode *stencil = g_ptr_array_index (anchors, a);

      for (guint i = 0; i < stencil->array->n_inputs; i++)
        radius = MAX (radius, acc_array_get_stencil (stencil->array)->sizes[i][space->first_inner] / 2);
    }

  return radius * acc_extents_multiply (space->extents, space->first_inner + 1, space->rank);
}

static gint64
get_radius (AccStep *step,
            guint    d)
{
  GPtrArray *anchors = step->cluster->anchors;
  gint64 radius = 0;

  for (guint a = 0; a < anchors->len; a++)
    {
      AccFusionNode *stencil = g_ptr_array_index (anchors, a);

      for (guint i = 0; i < stencil->array->n_inputs; i++)
        radius = MAX (radius, acc_array_get_stencil (stencil->array)->sizes[i][d] / 2);
    }

  return radius;
}

gint64
acc_skeleton_get_outer_radius (AccStep        *step,
                               const AccSpace *space)
{
  gint64 radius = 0;

  for (guint d = 0; d < space->first_inner; d++)
    radius += get_radius (step, d);

  return radius;
}

gboolean
acc_skeleton_tests_neighbours (AccStep *step)
{
  GPtrArray *anchors = step->cluster->anchors;

  for (guint a = 0; a < anchors->len; a++)
    {
      AccFusionNode *stencil = g_ptr_array_index (anchors, a);

      for (guint i = 0; i < stencil->array->n_inputs; i++)
        if (acc_array_get_stencil (stencil->array)->boundaries[i]->function != NULL)
          return TRUE;
    }

  return FALSE;
}

static void
write_element (AccLower       *l,
               const AccSpace *space,
               KValue          outer,
               KValue          x)
{
  low_store_roots (l, low_index_of_space (l, space, outer, x));
}

static void
write_run (AccLower       *l,
           const AccSpace *space,
           KValue          outer)
{
  AccKernelBuilder *b = l->b;
  gint64 margin = acc_skeleton_get_margin (l->step, space);
  KValue begin = kb_inner_begin (b), end = kb_inner_end (b);

  low_prepare_taps (l, low_index_of_space (l, space, outer, begin));

  if (space->inner > 2 * margin)
    {
      KValue first = kb_max (b, begin, low_number (l, margin));
      KValue last = kb_min (b, end, low_number (l, space->inner - margin));

      l->inner_inside = l->asks_for_rows = TRUE;
      low_foreach (l, x, margin > 0 ? first : begin, margin > 0 ? last : end)
        {
          low_within (l, x, margin, space->inner - margin - 1);
          write_element (l, space, outer, x);
        }
      l->inner_inside = l->asks_for_rows = FALSE;
    }

  if (margin > 0)
    {
      KValue zero = low_const (l, 0);
      KValue left_end = low_number (l, MIN (margin, space->inner));
      KValue right_begin = kb_max (b, begin, low_number (l, MAX (margin, space->inner - margin)));
      KValue n_left = kb_max (b, zero, kb_sub (b, kb_min (b, end, left_end), begin));
      KValue n_right = kb_max (b, zero, kb_sub (b, end, right_begin));

      low_for (l, i, zero, kb_add (b, n_left, n_right))
        {
          KValue x = kb_select (b, kb_lt (b, i, n_left), kb_add (b, begin, i), kb_add (b, right_begin, kb_sub (b, i, n_left)));

          write_element (l, space, outer, x);
        }
    }
}

KValue
acc_skeleton_get_outer_inside (AccLower       *l,
                               const AccSpace *space,
                               KValue          outer)
{
  AccKernelBuilder *b = l->b;
  AccIndex *ix = low_index_of_space (l, space, outer, low_const (l, 0));
  KValue inside = kb_int (b, ACC_KIND_BOOL, 1);

  for (guint d = 0; d < space->first_inner; d++)
    {
      gint64 radius = get_radius (l->step, d);
      KValue at;

      if (radius == 0)
        continue;
      at = low_index_component (l, ix, space->extents, d);
      inside = kb_and (b, inside, kb_le (b, low_const (l, radius), at));
      inside = kb_and (b, inside, kb_lt (b, at, low_number (l, space->extents[d] - radius)));
    }

  return inside;
}

void
acc_skeleton_stencil_run (AccLower       *l,
                          const AccSpace *space,
                          KValue          outer)
{
  gint64 outer_radius = acc_skeleton_get_outer_radius (l->step, space);

  l->outer_inside = outer_radius == 0;
  if (outer_radius == 0 || !acc_skeleton_tests_neighbours (l->step))
    {
      write_run (l, space, outer);
      return;
    }

  low_if (l, acc_skeleton_get_outer_inside (l, space, outer))
    {
      l->outer_inside = TRUE;
      write_run (l, space, outer);
      l->outer_inside = FALSE;
    }
  low_else (l)
    {
      write_run (l, space, outer);
    }
}
