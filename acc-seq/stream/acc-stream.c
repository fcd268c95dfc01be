/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stream-private.h"

#include "acc-error.h"
#include "acc-core/array/acc-array-private.h"

/* --- stopping */

void
acc_stream_fail (AccStream *self, GError *error)
{
  gboolean first;

  if (g_cancellable_is_cancelled (self->user) && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_error_free (error);
      error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "The run was cancelled");
    }

  g_mutex_lock (&self->lock);
  first = self->error == NULL;
  if (first)
    self->error = g_steal_pointer (&error);
  self->stopped = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);

  g_clear_error (&error);

  if (first)
    g_cancellable_cancel (self->cancellable);
}

static void
on_cancelled (GCancellable *cancellable, gpointer data)
{
  acc_stream_fail (data, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "The run was cancelled"));
}

static gboolean
is_stopped (AccStream *self)
{
  gboolean stopped;

  g_mutex_lock (&self->lock);
  stopped = self->stopped;
  g_mutex_unlock (&self->lock);

  return stopped;
}

/* --- progress */

gint64
acc_stream_get_tick (AccStream *self, guint64 chunk)
{
  return (gint64) chunk * self->plan->chunk_rows;
}

void
acc_stream_advance (AccStream *self, guint64 chunks_done)
{
  guint64 bytes = 0;
  gint64 tick;

  if (self->job == NULL)
    return;

  tick = MIN (acc_stream_get_tick (self, chunks_done), self->flow->n_ticks);

  for (guint i = 0; i < self->n_inputs; i++)
    bytes += (guint64) MIN (tick, self->inputs[i].n_rows) * self->flow->values[self->inputs[i].value].row_bytes;

  if (self->n_inputs == 0 && self->n_outputs > 0)
    {
      const AccValueFlow *flow = &self->flow->values[self->outputs->value];

      bytes = (guint64) CLAMP (tick - flow->lag, 0, self->run->values[self->outputs->value].n_rows) * flow->row_bytes;
    }

  acc_job_advance (self->job, chunks_done, bytes);
}

/* --- windows */

/* Makes room for rows up to @end; what no reader needs any more is given up. */
static gboolean
slide_window (AccStream *self, guint value, gint64 begin, gint64 end, GError **error)
{
  AccStreamWindow *window = &self->windows[value];
  gint64 keep = begin;

  if (acc_plan_get_part (self->plan, value)->place != ACC_PLACE_WINDOW || end - window->first_row <= window->buffer->capacity)
    return TRUE;

  for (guint i = 0; i < self->run->n_steps; i++)
    for (guint k = 0; k < self->run->steps[i].n_reads; k++)
      if (self->run->steps[i].reads[k].value == value && self->done[i] < self->run->steps[i].n_rows)
        keep = MIN (keep, MAX (self->done[i] - self->run->steps[i].reads[k].above, 0));

  if (keep < window->first_row || end - keep > window->buffer->capacity)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM,
                   "%s: rows %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " do not fit the window planned for them",
                   acc_plan_get_part (self->plan, value)->name, keep, end);
      return FALSE;
    }

  if (!acc_row_buffer_copy (window->buffer, 0, window->buffer, keep - window->first_row, begin - keep, error))
    return FALSE;

  window->first_row = keep;
  acc_stream_set_window (self, value, value, 0, keep, MIN (window->buffer->capacity, self->run->values[value].n_rows - keep));

  return TRUE;
}

static void
set_source_windows (AccStream *self, guint64 chunk)
{
  gint64 first_row = acc_stream_get_tick (self, chunk);

  for (guint i = 0; i < self->n_inputs; i++)
    {
      AccStreamInput *input = &self->inputs[i];
      gint64 above = MIN (input->carry, first_row);

      if (chunk >= input->n_chunks || (input->whole && chunk > self->first_chunk))
        continue;

      self->windows[input->value].buffer = input->rows.seen[chunk % input->rows.n_seen];
      self->windows[input->value].first_row = input->whole ? 0 : first_row;

      for (guint j = input->value; j < self->run->n_values; j++)
        if (self->run->values[j].kind == ACC_ROW_VALUE_SOURCE && self->flow->values[j].owner == input->value)
          {
            if (input->whole)
              acc_stream_set_window (self, j, input->value, 0, 0, input->n_rows);
            else
              acc_stream_set_window (self, j, input->value, -above, first_row - above,
                          MIN (self->plan->chunk_rows, input->n_rows - first_row) + above);
          }
    }
}

/* --- kernels */

static gboolean
copy_rows (AccStream *self, guint value, gint64 begin, gint64 end, GError **error)
{
  guint to = acc_plan_get_part (self->plan, value)->copied_to;
  const AccStreamWindow *source = &self->windows[self->flow->values[value].owner];

  return to == 0 || end <= begin
         || acc_row_buffer_copy (self->windows[to].buffer, begin - self->windows[to].first_row,
                                 source->buffer, begin - source->first_row, end - begin, error);
}

static gboolean
run_step (AccStream *self, guint position, gint64 tick, GError **error)
{
  const AccRowStep *step = &self->run->steps[position];
  gint64 begin = self->done[position];
  gint64 end = CLAMP (tick - self->flow->steps[position].lag, 0, step->n_rows);
  gboolean finishes_nothing = step->reduces && step->n_rows == 0 && self->ticked == 0;

  if (end <= begin && !finishes_nothing)
    return TRUE;

  for (guint i = 0; i < step->n_writes; i++)
    if (!slide_window (self, step->writes[i], begin, end, error))
      return FALSE;

  if (!self->run->klass->run_step (self->run, position, begin, end, self->cancellable, error))
    return FALSE;

  self->done[position] = end;
  for (guint i = 0; i < step->n_writes; i++)
    if (!copy_rows (self, step->writes[i], begin, end, error))
      return FALSE;

  return TRUE;
}

/* All steps, for the rows that the driver's rows up to @tick allow. */
static gboolean
run_band (AccStream *self, gint64 tick, GError **error)
{
  for (guint i = 0; i < self->run->n_values; i++)
    if (self->run->values[i].kind == ACC_ROW_VALUE_SOURCE
        && !copy_rows (self, i, MIN (self->ticked, self->run->values[i].n_rows), MIN (tick, self->run->values[i].n_rows), error))
      return FALSE;

  for (guint i = 0; i < self->run->n_steps; i++)
    if (!run_step (self, i, tick, error))
      return FALSE;

  self->ticked = tick;

  return TRUE;
}

static void
add_seconds (AccStream *self, AccStage stage, gint64 *since)
{
  gint64 now = g_get_monotonic_time ();

  acc_job_add_seconds (self->job, stage, (now - *since) * 1e-6);
  *since = now;
}

static gint64
rows_of_output (AccStreamOutput *output, guint64 chunk)
{
  AccStream *self = output->stream;
  gint64 row = acc_stream_get_tick (self, chunk) - self->flow->values[output->value].lag;

  return CLAMP (row, 0, self->run->values[output->value].n_rows);
}

/* Where the chunk's rows of a result are computed. FALSE when the run stops. */
static gboolean
open_output (AccStreamOutput *output, guint64 chunk)
{
  AccStream *self = output->stream;
  gint64 first_row = rows_of_output (output, chunk);
  gint64 n_rows = rows_of_output (output, chunk + 1) - first_row;
  AccStreamWindow *window = &self->windows[output->part];

  if (n_rows == 0)
    return TRUE;

  window->buffer = self->klass->open (output, chunk);
  window->first_row = first_row;
  if (window->buffer == NULL)
    return FALSE;
  if (output->part == output->value)
    acc_stream_set_window (self, output->value, output->part, 0, first_row, n_rows);

  return TRUE;
}

static gboolean
close_output (AccStreamOutput *output, guint64 chunk, GError **error)
{
  gint64 first_row = rows_of_output (output, chunk);
  gint64 n_rows = rows_of_output (output, chunk + 1) - first_row;

  if (n_rows > 0)
    return output->stream->klass->submit (output, &(AccStreamSlot) { .chunk = chunk, .first_row = first_row, .n_rows = n_rows }, error);

  if (output == output->stream->outputs)
    acc_stream_advance (output->stream, chunk + 1);

  return TRUE;
}

static gboolean
begin_chunk (AccStream *self, guint64 chunk, GError **error)
{
  for (guint i = 0; i < self->n_inputs; i++)
    if (!acc_stream_input_acquire (&self->inputs[i], chunk))
      return FALSE;

  for (guint i = 0; i < self->n_inputs; i++)
    if (!self->klass->send (&self->inputs[i], chunk, error))
      return FALSE;

  set_source_windows (self, chunk);

  for (guint i = 0; i < self->n_outputs; i++)
    if (!open_output (&self->outputs[i], chunk))
      return FALSE;

  return TRUE;
}

static gboolean
end_chunk (AccStream *self, guint64 chunk, GError **error)
{
  for (guint i = 0; i < self->n_inputs; i++)
    if (!acc_stream_input_release (&self->inputs[i], chunk, error))
      return FALSE;

  if (!self->device->flush (self->run, error))
    return FALSE;

  for (guint i = 0; i < self->n_outputs; i++)
    if (!close_output (&self->outputs[i], chunk, error))
      return FALSE;

  if (self->n_outputs == 0)
    acc_stream_advance (self, chunk + 1);

  return TRUE;
}

static gboolean
run_chunk (AccStream *self, guint64 chunk, GError **error)
{
  gint64 end = MIN (acc_stream_get_tick (self, chunk + 1), self->flow->n_ticks);
  gint64 since = g_get_monotonic_time ();

  if (!begin_chunk (self, chunk, error))
    return FALSE;

  add_seconds (self, ACC_STAGE_WAITING, &since);

  while (self->ticked < end)
    {
      if (is_stopped (self))
        return FALSE;
      if (!run_band (self, MIN (self->ticked + self->plan->band_rows, end), error))
        {
          g_prefix_error (error, "chunk %" G_GUINT64_FORMAT ", row %" G_GINT64_FORMAT ": ", chunk, self->ticked);
          return FALSE;
        }
    }

  add_seconds (self, ACC_STAGE_COMPUTING, &since);

  if (!end_chunk (self, chunk, error))
    return FALSE;

  add_seconds (self, ACC_STAGE_WAITING, &since);

  return TRUE;
}

static gboolean
run_chunks (AccStream *self, GError **error)
{
  for (guint64 chunk = self->first_chunk; chunk < self->plan->n_chunks; chunk++)
    if (!run_chunk (self, chunk, error))
      return FALSE;

  /* Reductions of no rows have a result too. */
  return self->ticked > 0 || run_band (self, 0, error);
}

/* --- results */

AccShape *
acc_stream_dup_shape (const AccRowValue *value, GError **error)
{
  AccShape *shape = value->shape != NULL ? value->shape : value->array->shape;
  guint rank = value->array->rank;
  g_autofree char *what = NULL;

  if (shape != NULL)
    return acc_shape_ref (shape);

  if (rank == 0)
    return acc_shape_new_scalar ();
  if (rank == 1)
    return acc_shape_new_vector (value->n_rows);
  if (rank == 2)
    return acc_shape_new_matrix (value->n_rows, value->row_elements);

  what = acc_array_describe (value->array);
  g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s cannot run chunk by chunk: its shape depends on data", what);

  return NULL;
}

static gboolean
take_result (AccStream *self, guint value, AccArray **results, GError **error)
{
  const AccRowValue *row_value = &self->run->values[value];
  const AccPlanPart *part = acc_plan_get_part (self->plan, value);
  g_autoptr(AccShape) shape = NULL;
  guint from = part->copied_to > 0 ? part->copied_to : value;

  if (acc_plan_get_part (self->plan, from)->result > 0)
    from = acc_plan_get_part (self->plan, from)->result;

  if (row_value->kind == ACC_ROW_VALUE_REDUCED)
    {
      results[row_value->result] = self->run->klass->dup_reduced (self->run, value, error);
      return results[row_value->result] != NULL;
    }

  if (acc_plan_get_part (self->plan, from)->place != ACC_PLACE_RESULT)
    return TRUE;

  shape = acc_stream_dup_shape (row_value, error);
  if (shape == NULL)
    return FALSE;

  results[row_value->result] = acc_row_buffer_to_array (self->windows[from].buffer, row_value->type, shape);

  return TRUE;
}

/* --- the run */

static gboolean
start_stages (AccStream *self, GError **error)
{
  for (guint i = 0; i < self->n_inputs; i++)
    if (!acc_stream_input_start (&self->inputs[i], error))
      return FALSE;

  for (guint i = 0; i < self->n_outputs; i++)
    if (!acc_stream_output_start (&self->outputs[i], error))
      return FALSE;

  return TRUE;
}

/* In any case the memory of the run is not used any more. */
static void
join_stages (AccStream *self)
{
  GError *failure = NULL;

  for (guint i = 0; i < self->n_inputs; i++)
    acc_stream_input_join (&self->inputs[i]);
  for (guint i = 0; i < self->n_outputs; i++)
    acc_stream_output_join (&self->outputs[i]);

  /* Of rows that nobody waited for, as there are none. */
  for (guint i = 0; i < self->n_inputs; i++)
    if (self->inputs[i].failure != NULL)
      acc_stream_fail (self, g_steal_pointer (&self->inputs[i].failure));

  if (!self->device->finish (self->run, &failure))
    acc_stream_fail (self, failure);
}

static void
report_device (AccStream *self)
{
  guint64 busy, passed;

  if (self->device->get_busy == NULL || !self->device->get_busy (self->run, &busy, &passed) || passed == 0)
    return;

  acc_job_add_device_time (self->job, (double) busy * 1e-9, (double) passed * 1e-9);

  if ((acc_debug_get_flags () & ACC_DEBUG_PLAN) != 0)
    g_message ("device busy for %.3f s of %.3f s, idle for %.1f %%", (double) busy * 1e-9, (double) passed * 1e-9,
               100 - 100 * MIN ((double) busy / (double) passed, 1));
}

gboolean
acc_stream_execute (AccStream *self, GCancellable *cancellable, AccArray **results, GError **error)
{
  gulong handler = 0;
  GError *failure = NULL;
  gboolean done;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  self->user = cancellable;
  if (cancellable != NULL)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), self, NULL);

  done = start_stages (self, &failure) && run_chunks (self, &failure);

  if (!done && failure != NULL)
    acc_stream_fail (self, g_steal_pointer (&failure));

  join_stages (self);
  report_device (self);

  g_cancellable_disconnect (cancellable, handler);
  self->user = NULL;

  if (self->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->error));
      return FALSE;
    }

  for (guint i = 0; i < self->run->n_values; i++)
    if (self->run->values[i].result >= 0 && !take_result (self, i, results, error))
      return FALSE;

  return TRUE;
}
