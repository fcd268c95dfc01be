/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-step.h"

#include <string.h>

/* Operations that move elements and compute none: zip, unzip, reshape, slice, replicate, backpermute, and the copy. */

static void
copy_elements (InterpValue *to,
               guint        to_buffer,
               gint64       to_index,
               InterpValue *from,
               guint        from_buffer,
               gint64       from_index,
               gint64       n)
{
  gsize size = to->sizes[to_buffer];

  memcpy (to->bases[to_buffer] + (gsize) to_index * size, from->bases[from_buffer] + (gsize) from_index * size, (gsize) n * size);
}

/* Element i from element i. */
static gboolean
step_copy (InterpStep  *self,
           gint64       begin,
           gint64       end,
           GError     **error)
{
  InterpValue *to = self->result, *from = self->inputs[0];
  gint64 first = begin * to->row_elements, n = (end - begin) * to->row_elements;
  guint skip = self->op == ACC_OP_UNZIP ? acc_element_type_get_first_buffer (from->type, acc_array_get_item (self->node)) : 0;

  if (!interp_step_check_window (self, to, first, first + n, error) ||
      !interp_step_check_window (self, from, first, first + n, error))
    return FALSE;
  for (guint buffer = 0; buffer < to->n_buffers && n > 0; buffer++)
    copy_elements (to, buffer, first, from, buffer + skip, first, n);
  return TRUE;
}

static gboolean
run_zip (InterpStep  *self,
         gint64      *index,
         gint64       begin,
         gint64       end,
         GError     **error)
{
  guint buffer = 0;
  gint64 to;

  if (self->rank > 0)
    index[self->rank - 1] = begin;
  to = interp_value_linear (self->result, index);
  if (!interp_step_check_window (self, self->result, to, to + end - begin, error))
    return FALSE;
  for (guint i = 0; i < self->n_inputs; i++)
    {
      gint64 from = interp_value_linear (self->inputs[i], index);

      if (!interp_step_check_window (self, self->inputs[i], from, from + end - begin, error))
        return FALSE;
      for (guint k = 0; k < self->inputs[i]->n_buffers; k++)
        copy_elements (self->result, buffer++, to, self->inputs[i], k, from, end - begin);
    }
  return TRUE;
}

static gboolean
step_zip (InterpStep  *self,
          gint64       begin,
          gint64       end,
          GError     **error)
{
  return interp_step_each_run (self, begin, end, run_zip, error);
}

/* Where an element of the result comes from; the specification has an entry per dimension of the larger shape. */
static gint64
find_origin (const InterpStep *self,
             const gint64     *index)
{
  const AccSelectionPayload *selection = acc_array_get_selection (self->node);
  const InterpValue *from = self->inputs[0];
  gint64 linear = 0;
  guint kept = 0;

  for (guint i = 0; i < selection->n; i++)
    {
      gboolean all = selection->entries[i] == ACC_ALL;

      if (self->op == ACC_OP_SLICE)
        linear = linear * from->extents[i] + (all ? index[kept] : selection->entries[i]);
      else if (all)
        linear = linear * from->extents[kept] + index[i];
      kept += all;
    }
  return linear;
}

static gboolean
run_slice (InterpStep  *self,
           gint64      *index,
           gint64       begin,
           gint64       end,
           GError     **error)
{
  gint64 to;

  if (self->rank > 0)
    index[self->rank - 1] = begin;
  to = interp_value_linear (self->result, index);
  if (!interp_step_check_window (self, self->result, to, to + end - begin, error))
    return FALSE;
  for (gint64 j = begin; j < end; j++, to++)
    {
      gint64 from;

      if (self->rank > 0)
        index[self->rank - 1] = j;
      from = find_origin (self, index);
      if (!interp_step_check_window (self, self->inputs[0], from, from + 1, error))
        return FALSE;
      for (guint buffer = 0; buffer < self->result->n_buffers; buffer++)
        copy_elements (self->result, buffer, to, self->inputs[0], buffer, from, 1);
    }
  return TRUE;
}

static gboolean
step_slice (InterpStep  *self,
            gint64       begin,
            gint64       end,
            GError     **error)
{
  return interp_step_each_run (self, begin, end, run_slice, error);
}

static gboolean
run_backpermute (InterpStep  *self,
                 gint64      *index,
                 gint64       begin,
                 gint64       end,
                 GError     **error)
{
  InterpFrame *frame = self->frames[0];
  InterpValue *source = self->inputs[0];
  g_autofree gint64 *from = g_new0 (gint64, MAX (source->rank, 1));
  gint64 to;

  if (self->rank > 0)
    index[self->rank - 1] = begin;
  to = interp_value_linear (self->result, index);
  if (!interp_step_check_window (self, self->result, to, to + end - begin, error))
    return FALSE;
  for (gint64 j = begin; j < end; j++, to++)
    {
      gint64 linear;

      if (self->rank > 0)
        index[self->rank - 1] = j;
      interp_frame_set_index (frame, 0, index, self->rank);
      if (!interp_frame_run (frame, error))
        return FALSE;
      for (guint d = 0; d < source->rank; d++)
        from[d] = interp_scalar_to_index (frame->registers[frame->tape->results[d]], frame->tape->result_kinds[d]);
      for (guint d = 0; d < source->rank; d++)
        if (from[d] < 0 || from[d] >= source->extents[d])
          {
            interp_set_bounds_error (error, self->node, self->node->inputs[0], from, source->extents, source->rank);
            return FALSE;
          }
      linear = interp_value_linear (source, from);
      if (!interp_step_check_window (self, source, linear, linear + 1, error))
        return FALSE;
      for (guint buffer = 0; buffer < self->result->n_buffers; buffer++)
        copy_elements (self->result, buffer, to, source, buffer, linear, 1);
    }
  return TRUE;
}

static gboolean
step_backpermute (InterpStep  *self,
                  gint64       begin,
                  gint64       end,
                  GError     **error)
{
  return interp_step_each_run (self, begin, end, run_backpermute, error);
}

void
interp_step_prepare_copy (InterpStep *self)
{
  gboolean gathers = acc_operation_get_family (self->op) == ACC_FAMILY_GATHER;

  if (self->op == ACC_OP_BACKPERMUTE)
    self->run = step_backpermute;
  else if (self->op == ACC_OP_ZIP)
    self->run = step_zip;
  else
    self->run = gathers ? step_slice : step_copy;
}
