/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-step.h"

#include <string.h>

/* fold, fold1, fold_all, fold1_all, scanl1, permute. Folds nest to the left, in the order of the elements. */

static void
store_carry (InterpStep *self,
             gint64      linear)
{
  for (guint leaf = 0; leaf < self->result->n_leaves; leaf++)
    interp_value_store (self->result, leaf, linear, self->carry[leaf]);
}

/* carry = combine (carry, element), or the element where nothing came before. */
static gboolean
accumulate (InterpStep  *self,
            gint64       linear,
            GError     **error)
{
  InterpFrame *frame = self->frames[0];
  const InterpTape *tape = frame->tape;
  InterpValue *input = self->inputs[0];

  if (!self->started)
    {
      for (guint leaf = 0; leaf < input->n_leaves; leaf++)
        interp_value_load (input, leaf, linear, &self->carry[leaf]);
      self->started = TRUE;
      return TRUE;
    }

  memcpy (frame->registers + tape->param_first[0], self->carry, tape->param_leaves[0] * sizeof (AccScalar));
  interp_frame_load (frame, 1, input, linear);
  if (!interp_frame_run (frame, error))
    return FALSE;
  for (guint leaf = 0; leaf < tape->n_results; leaf++)
    self->carry[leaf] = frame->registers[tape->results[leaf]];
  return TRUE;
}

static void
restart (InterpStep *self)
{
  self->started = self->closed != NULL;
  if (self->started)
    memcpy (self->carry, self->closed, self->result->n_leaves * sizeof (AccScalar));
}

/* Each row of the innermost dimension to one element. */
static gboolean
run_fold (InterpStep  *self,
          gint64      *index,
          gint64       begin,
          gint64       end,
          GError     **error)
{
  InterpValue *input = self->inputs[0];
  gint64 n = input->extents[input->rank - 1];
  gint64 to;

  if (self->rank > 0)
    index[self->rank - 1] = begin;
  to = interp_value_linear (self->result, index);
  if (!interp_step_check_window (self, self->result, to, to + end - begin, error) ||
      !interp_step_check_window (self, input, to * n, (to + end - begin) * n, error))
    return FALSE;

  for (gint64 j = begin; j < end; j++, to++)
    {
      restart (self);
      for (gint64 k = 0; k < n; k++)
        if (!accumulate (self, to * n + k, error))
          return FALSE;
      store_carry (self, to);
    }
  return TRUE;
}

static gboolean
step_fold (InterpStep  *self,
           gint64       begin,
           gint64       end,
           GError     **error)
{
  return interp_step_each_run (self, begin, end, run_fold, error);
}

/* All elements to one: the rows are those of the input. */
static gboolean
step_fold_all (InterpStep  *self,
               gint64       begin,
               gint64       end,
               GError     **error)
{
  InterpValue *input = self->inputs[0];
  gint64 first = begin * input->row_elements, last = end * input->row_elements;

  if (!interp_step_check_window (self, input, first, last, error))
    return FALSE;
  for (gint64 i = first; i < last; i++)
    {
      if (i % 8192 == 0 && g_cancellable_set_error_if_cancelled (self->context->cancellable, error))
        return FALSE;
      if (!accumulate (self, i, error))
        return FALSE;
    }
  if (self->started)
    store_carry (self, 0);
  return TRUE;
}

static gboolean
run_scan (InterpStep  *self,
          gint64      *index,
          gint64       begin,
          gint64       end,
          GError     **error)
{
  gint64 base;

  index[self->rank - 1] = begin;
  base = interp_value_linear (self->result, index) - begin;
  if (!interp_step_check_window (self, self->result, base + begin, base + end, error) ||
      !interp_step_check_window (self, self->inputs[0], base + begin, base + end, error))
    return FALSE;

  if (begin == 0)
    self->started = FALSE;
  for (gint64 j = begin; j < end; j++)
    {
      if (!accumulate (self, base + j, error))
        return FALSE;
      store_carry (self, base + j);
    }
  return TRUE;
}

static gboolean
step_scan (InterpStep  *self,
           gint64       begin,
           gint64       end,
           GError     **error)
{
  return interp_step_each_run (self, begin, end, run_scan, error);
}

gboolean
interp_step_prepare_reduce (InterpStep            *self,
                            const InterpResolver  *resolver,
                            GError               **error)
{
  self->carry = g_new0 (AccScalar, MAX (self->result->n_leaves, 1));
  if (self->node->n_functions > 1)
    {
      self->closed = g_new0 (AccScalar, MAX (self->result->n_leaves, 1));
      if (!interp_evaluate_closed (self->context, self->node, self->node->functions[1], resolver, self->closed, error))
        return FALSE;
    }
  restart (self);

  if (self->op == ACC_OP_SCANL1)
    {
      self->run = step_scan;
      /* Along the rows: what came before decides. */
      self->reduces = self->rank == 1;
    }
  else if (self->reduces)
    {
      self->run = step_fold_all;
      /* Of no rows at all the seed remains. */
      if (self->started)
        store_carry (self, 0);
    }
  else
    {
      self->run = step_fold;
    }
  return TRUE;
}

/* --- permute */

static void
copy_defaults (InterpStep *self)
{
  InterpValue *defaults = self->inputs[1];

  for (guint i = 0; i < self->result->n_buffers; i++)
    if (self->result->size > 0)
      memcpy (self->result->bases[i], defaults->bases[i], (gsize) self->result->size * self->result->sizes[i]);
}

static gboolean
run_permute (InterpStep  *self,
             gint64      *index,
             gint64       begin,
             gint64       end,
             GError     **error)
{
  InterpFrame *frame = self->frames[0];
  InterpValue *source = self->inputs[0], *targets = self->inputs[2], *result = self->result;
  gboolean masked = targets->n_leaves == result->rank + 1;
  g_autofree gint64 *target = g_new0 (gint64, MAX (result->rank, 1));
  gint64 from, at;

  if (self->rank > 0)
    index[self->rank - 1] = begin;
  from = interp_value_linear (source, index);
  at = interp_value_linear (targets, index);
  if (!interp_step_check_window (self, source, from, from + end - begin, error) ||
      !interp_step_check_window (self, targets, at, at + end - begin, error))
    return FALSE;

  for (gint64 j = begin; j < end; j++, from++, at++)
    {
      gboolean outside = FALSE;
      gint64 to = 0;
      AccScalar value;

      if (masked)
        {
          interp_value_load (targets, 0, at, &value);
          if (!value.u)
            continue;
        }
      for (guint d = 0; d < result->rank; d++)
        {
          interp_value_load (targets, d + masked, at, &value);
          target[d] = interp_scalar_to_index (value, acc_element_type_get_leaf (targets->type, d + masked));
          outside = outside || target[d] < 0 || target[d] >= result->extents[d];
          to = outside ? 0 : to * result->extents[d] + target[d];
        }
      if (outside || result->size == 0)
        {
          interp_set_bounds_error (error, self->node, NULL, target, result->extents, result->rank);
          return FALSE;
        }
      interp_frame_load (frame, 0, source, from);
      interp_frame_load (frame, 1, result, to);
      if (!interp_frame_run (frame, error))
        return FALSE;
      interp_frame_store (frame, result, to);
    }
  return TRUE;
}

static gboolean
step_permute (InterpStep  *self,
              gint64       begin,
              gint64       end,
              GError     **error)
{
  return interp_step_each_run (self, begin, end, run_permute, error);
}

gboolean
interp_step_prepare_permute (InterpStep  *self,
                             GError     **error)
{
  copy_defaults (self);
  self->run = step_permute;
  return TRUE;
}
