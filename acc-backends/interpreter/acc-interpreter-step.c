/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-step.h"

#include <string.h>

#include "acc-error.h"

#define CHUNK 8192

InterpFrame *
interp_frame_bind (InterpContext         *context,
                   AccArray              *origin,
                   AccFunction           *function,
                   const InterpResolver  *resolver,
                   GError               **error)
{
  InterpTape *tape = g_hash_table_lookup (context->tapes, function);
  g_autoptr(InterpFrame) frame = NULL;

  g_return_val_if_fail (tape != NULL, NULL);

  frame = interp_frame_new (tape, origin, context->checks, &context->cancellable);
  for (guint i = 0; i < function->arrays->len; i++)
    {
      AccArray *array = g_ptr_array_index (function->arrays, i);

      if (tape->reads_data[i])
        {
          frame->arrays[i] = resolver->get_value (array, resolver->user_data, error);
          if (frame->arrays[i] == NULL)
            return NULL;
          frame->extents[i] = frame->arrays[i]->extents;
        }
      else
        {
          frame->extents[i] = resolver->get_extents (array, resolver->user_data, error);
          if (frame->extents[i] == NULL)
            return NULL;
        }
    }
  return g_steal_pointer (&frame);
}

gboolean
interp_evaluate_closed (InterpContext        *context,
                        AccArray             *origin,
                        AccFunction          *function,
                        const InterpResolver *resolver,
                        AccScalar            *values,
                        GError              **error)
{
  g_autoptr(InterpFrame) frame = interp_frame_bind (context, origin, function, resolver, error);

  if (frame == NULL || !interp_frame_run (frame, error))
    return FALSE;
  for (guint i = 0; i < frame->tape->n_results; i++)
    values[i] = frame->registers[frame->tape->results[i]];
  return TRUE;
}

gboolean
interp_step_check_window (InterpStep   *self,
                          InterpValue  *value,
                          gint64        first,
                          gint64        end,
                          GError      **error)
{
  g_autofree char *where = NULL;

  if (first >= end || (first >= value->first && end <= value->end))
    return TRUE;
  where = acc_array_describe (self->node);
  g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM,
               "%s: elements [%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ") are not in the window [%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ")",
               where, first, end, value->first, value->end);
  return FALSE;
}

gboolean
interp_step_each_run (InterpStep     *self,
                      gint64          begin,
                      gint64          end,
                      InterpRunFunc   function,
                      GError        **error)
{
  g_autofree gint64 *index = NULL;
  gint64 since_check = 0;

  if (begin >= end)
    return TRUE;
  for (guint i = 1; i < self->rank; i++)
    if (self->extents[i] == 0)
      return TRUE;

  index = g_new0 (gint64, MAX (self->rank, 1));
  if (self->rank <= 1)
    {
      for (gint64 at = begin; at < end; at += CHUNK)
        if (g_cancellable_set_error_if_cancelled (self->context->cancellable, error) ||
            !function (self, index, at, MIN (end, at + CHUNK), error))
          return FALSE;
      return TRUE;
    }

  index[0] = begin;
  while (index[0] < end)
    {
      gint64 n = self->extents[self->rank - 1];

      since_check += n;
      if (since_check >= CHUNK)
        {
          since_check = 0;
          if (g_cancellable_set_error_if_cancelled (self->context->cancellable, error))
            return FALSE;
        }
      if (!function (self, index, 0, n, error))
        return FALSE;

      for (guint d = self->rank - 1; d-- > 0; )
        {
          index[d]++;
          if (d == 0 || index[d] < self->extents[d])
            break;
          index[d] = 0;
        }
    }
  return TRUE;
}

/* Linear number of the first element of the run at index, in an array of the step's rank. */
static gint64
run_base (const InterpStep  *self,
          const InterpValue *value,
          const gint64      *index)
{
  gint64 linear = 0;

  for (guint i = 0; i + 1 < value->rank; i++)
    linear = linear * value->extents[i] + index[i];
  return value->rank == 0 ? 0 : linear * value->extents[value->rank - 1];
}

/* --- generate, map, imap, zip_with, zip_with3: a function of the index or of elements */

static gboolean
run_elements (InterpStep  *self,
              gint64      *index,
              gint64       begin,
              gint64       end,
              GError     **error)
{
  InterpFrame *frame = self->frames[0];
  gboolean indexed = acc_operation_has_fact (self->op, ACC_FACT_TAKES_INDEX);
  gint64 bases[3] = { 0, 0, 0 };
  gint64 to = run_base (self, self->result, index);

  if (!interp_step_check_window (self, self->result, to + begin, to + end, error))
    return FALSE;
  for (guint i = 0; i < self->n_inputs; i++)
    {
      bases[i] = run_base (self, self->inputs[i], index);
      if (!interp_step_check_window (self, self->inputs[i], bases[i] + begin, bases[i] + end, error))
        return FALSE;
    }

  for (gint64 j = begin; j < end; j++)
    {
      if (indexed)
        {
          if (self->rank > 0)
            index[self->rank - 1] = j;
          interp_frame_set_index (frame, 0, index, self->rank);
        }
      for (guint i = 0; i < self->n_inputs; i++)
        interp_frame_load (frame, i + indexed, self->inputs[i], bases[i] + j);
      if (!interp_frame_run (frame, error))
        return FALSE;
      interp_frame_store (frame, self->result, to + j);
    }
  return TRUE;
}

static gboolean
step_elements (InterpStep  *self,
               gint64       begin,
               gint64       end,
               GError     **error)
{
  return interp_step_each_run (self, begin, end, run_elements, error);
}

/* --- fill */

static gboolean
step_fill (InterpStep  *self,
           gint64       begin,
           gint64       end,
           GError     **error)
{
  InterpValue *result = self->result;
  gint64 first = begin * result->row_elements, last = end * result->row_elements;

  if (!interp_step_check_window (self, result, first, last, error))
    return FALSE;
  for (guint leaf = 0; leaf < result->n_leaves; leaf++)
    for (gint64 i = first; i < last; i++)
      interp_value_store (result, leaf, i, self->closed[leaf]);
  return !g_cancellable_set_error_if_cancelled (self->context->cancellable, error);
}

/* --- */

static void
set_space (InterpStep        *self,
           const InterpValue *value)
{
  self->rank = value->rank;
  self->extents = g_memdup2 (value->extents, MAX (value->rank, 1) * sizeof (gint64));
  self->n_rows = interp_value_n_rows (value);
}

static gboolean
prepare (InterpStep            *self,
         const InterpResolver  *resolver,
         GError               **error)
{
  g_autofree char *where = NULL;

  switch (acc_operation_get_family (self->op))
    {
    case ACC_FAMILY_ELEMENTS:
      self->run = self->op == ACC_OP_FILL ? step_fill : step_elements;
      if (self->op != ACC_OP_FILL)
        return TRUE;
      self->closed = g_new0 (AccScalar, MAX (self->result->n_leaves, 1));
      return interp_evaluate_closed (self->context, self->node, self->node->functions[0], resolver, self->closed, error);

    case ACC_FAMILY_FOLD:
    case ACC_FAMILY_SCAN:
      return interp_step_prepare_reduce (self, resolver, error);

    case ACC_FAMILY_PERMUTE:
      return interp_step_prepare_permute (self, error);

    case ACC_FAMILY_SORT:
      return interp_step_prepare_sort (self, error);

    case ACC_FAMILY_STENCIL:
      return interp_step_prepare_stencil (self, resolver, error);

    case ACC_FAMILY_ZIP:
    case ACC_FAMILY_VIEW:
    case ACC_FAMILY_GATHER:
      interp_step_prepare_copy (self);
      return TRUE;

    case ACC_FAMILY_LEAF:
    case ACC_FAMILY_FLOW:
    case ACC_FAMILY_FOLD_SEG:
    case ACC_FAMILY_SCAN_SEG:
    case ACC_FAMILY_MATMUL:
    case ACC_FAMILY_FFT:
      break;
    }

  where = acc_array_describe (self->node);
  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: the interpreter has no such operation yet", where);
  return FALSE;
}

InterpStep *
interp_step_new (InterpContext         *context,
                 AccArray              *node,
                 AccOperation           op,
                 InterpValue           *result,
                 InterpValue          **inputs,
                 guint                  n_inputs,
                 const InterpResolver  *resolver,
                 GError               **error)
{
  g_autoptr(InterpStep) self = g_new0 (InterpStep, 1);

  self->context = context;
  self->node = node;
  self->op = op;
  self->result = interp_value_ref (result);
  self->n_inputs = n_inputs;
  self->inputs = g_new0 (InterpValue *, MAX (n_inputs, 1));
  for (guint i = 0; i < n_inputs; i++)
    self->inputs[i] = interp_value_ref (inputs[i]);

  self->reduces = acc_operation_reduces_rows (op, n_inputs > 0 ? inputs[0]->rank : 0);
  set_space (self, self->reduces ? inputs[0] : result);
  /* Sources and targets of a permutation meet in the smaller of both. */
  for (guint i = 0; op == ACC_OP_PERMUTE && i < self->rank; i++)
    self->extents[i] = MIN (self->extents[i], inputs[2]->extents[i]);
  if (op == ACC_OP_PERMUTE && self->rank > 0)
    self->n_rows = self->extents[0];

  if (op != ACC_OP_COMPUTE)
    for (guint i = 0; i < node->n_functions; i++)
      {
        /* Closed ones are evaluated, once, where they are needed. */
        if (node->functions[i] == NULL || node->functions[i]->n_params == 0)
          continue;
        self->frames[i] = interp_frame_bind (context, node, node->functions[i], resolver, error);
        if (self->frames[i] == NULL)
          return NULL;
      }

  if (!prepare (self, resolver, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
interp_step_free (InterpStep *self)
{
  for (guint i = 0; i < self->n_inputs; i++)
    interp_value_unref (self->inputs[i]);
  g_free (self->inputs);
  for (guint i = 0; i < 2; i++)
    {
      g_clear_pointer (&self->frames[i], interp_frame_free);
      g_clear_pointer (&self->boundary[i], interp_frame_free);
      g_free (self->constant[i]);
      g_free (self->cells[i]);
    }
  g_clear_pointer (&self->result, interp_value_unref);
  g_free (self->extents);
  g_free (self->carry);
  g_free (self->closed);
  g_free (self);
}

gboolean
interp_step_run (InterpStep  *self,
                 gint64       begin,
                 gint64       end,
                 GError     **error)
{
  begin = MAX (begin, 0);
  end = MIN (end, self->n_rows);
  if (self->reduces && begin != self->next && begin < end)
    {
      g_autofree char *where = acc_array_describe (self->node);

      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s: row %" G_GINT64_FORMAT " came where row %" G_GINT64_FORMAT " was due",
                   where, begin, self->next);
      return FALSE;
    }
  if (g_cancellable_set_error_if_cancelled (self->context->cancellable, error))
    return FALSE;
  if (!self->run (self, begin, end, error))
    return FALSE;
  self->next = MAX (self->next, end);
  return TRUE;
}
