/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-step.h"

#include <string.h>

#include "acc-core/array/acc-boundary-private.h"

/* stencil, stencil2: each source by its own boundary and its own extents. */

/* Registers of the neighbourhood's parameter for one cell. */
static gboolean
load_cell (InterpStep    *self,
           guint          input,
           guint          cell,
           const gint64  *index,
           gint64        *neighbour,
           GError       **error)
{
  InterpFrame *frame = self->frames[0];
  InterpValue *source = self->inputs[input];
  AccBoundary *boundary = acc_array_get_stencil (self->node)->boundaries[input];
  guint first = frame->tape->param_first[input] + cell * source->n_leaves;
  const gint64 *offsets = self->cells[input] + (gsize) cell * source->rank;
  gboolean outside = FALSE, used = FALSE;
  gint64 linear;

  for (guint leaf = 0; leaf < source->n_leaves; leaf++)
    used = used || frame->tape->param_used[first + leaf];
  if (!used)
    return TRUE;

  for (guint d = 0; d < source->rank; d++)
    {
      neighbour[d] = index[d] + offsets[d];
      outside = outside || neighbour[d] < 0 || neighbour[d] >= source->extents[d];
    }

  if (outside && boundary->kind == ACC_BOUNDARY_CONSTANT)
    {
      memcpy (frame->registers + first, self->constant[input], source->n_leaves * sizeof (AccScalar));
      return TRUE;
    }
  if (outside && boundary->kind == ACC_BOUNDARY_FUNCTION)
    {
      InterpFrame *edge = self->boundary[input];

      interp_frame_set_index (edge, 0, neighbour, source->rank);
      if (!interp_frame_run (edge, error))
        return FALSE;
      for (guint leaf = 0; leaf < source->n_leaves; leaf++)
        frame->registers[first + leaf] = edge->registers[edge->tape->results[leaf]];
      return TRUE;
    }
  if (outside)
    for (guint d = 0; d < source->rank; d++)
      neighbour[d] = acc_boundary_fold_inside (boundary->kind, neighbour[d], source->extents[d]);

  linear = interp_value_linear (source, neighbour);
  if (!interp_step_check_window (self, source, linear, linear + 1, error))
    return FALSE;
  for (guint leaf = 0; leaf < source->n_leaves; leaf++)
    if (frame->tape->param_used[first + leaf])
      interp_value_load (source, leaf, linear, &frame->registers[first + leaf]);
  return TRUE;
}

static gboolean
run_stencil (InterpStep  *self,
             gint64      *index,
             gint64       begin,
             gint64       end,
             GError     **error)
{
  g_autofree gint64 *neighbour = g_new (gint64, self->rank);
  gint64 to;

  index[self->rank - 1] = begin;
  to = interp_value_linear (self->result, index);
  if (!interp_step_check_window (self, self->result, to, to + end - begin, error))
    return FALSE;

  for (gint64 j = begin; j < end; j++, to++)
    {
      index[self->rank - 1] = j;
      for (guint input = 0; input < self->n_inputs; input++)
        for (guint cell = 0; cell < self->n_cells[input]; cell++)
          if (!load_cell (self, input, cell, index, neighbour, error))
            return FALSE;
      if (!interp_frame_run (self->frames[0], error))
        return FALSE;
      interp_frame_store (self->frames[0], self->result, to);
    }
  return TRUE;
}

static gboolean
step_stencil (InterpStep  *self,
              gint64       begin,
              gint64       end,
              GError     **error)
{
  return interp_step_each_run (self, begin, end, run_stencil, error);
}

static void
make_cells (InterpStep *self,
            guint       input)
{
  const gint64 *sizes = acc_array_get_stencil (self->node)->sizes[input];
  guint rank = self->rank;
  guint n = 1;

  for (guint d = 0; d < rank; d++)
    n *= (guint) sizes[d];
  self->n_cells[input] = n;
  self->cells[input] = g_new0 (gint64, (gsize) n * MAX (rank, 1));
  for (guint cell = 0; cell < n; cell++)
    {
      guint rest = cell;

      for (guint d = rank; d-- > 0; )
        {
          self->cells[input][(gsize) cell * rank + d] = rest % (guint) sizes[d] - (sizes[d] - 1) / 2;
          rest /= (guint) sizes[d];
        }
    }
}

gboolean
interp_step_prepare_stencil (InterpStep            *self,
                             const InterpResolver  *resolver,
                             GError               **error)
{
  self->run = step_stencil;
  for (guint input = 0; input < self->n_inputs; input++)
    {
      AccBoundary *boundary = acc_array_get_stencil (self->node)->boundaries[input];

      make_cells (self, input);
      if (boundary->kind == ACC_BOUNDARY_CONSTANT)
        {
          self->constant[input] = g_new0 (AccScalar, MAX (self->inputs[input]->n_leaves, 1));
          if (!interp_evaluate_closed (self->context, self->node, boundary->function, resolver, self->constant[input], error))
            return FALSE;
        }
      else if (boundary->kind == ACC_BOUNDARY_FUNCTION)
        {
          self->boundary[input] = interp_frame_bind (self->context, self->node, boundary->function, resolver, error);
          if (self->boundary[input] == NULL)
            return FALSE;
        }
    }
  return TRUE;
}
