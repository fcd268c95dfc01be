/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stream-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/data/acc-sink-private.h"

/* Runs that begin in the middle: all that they need of rows before is the halo. */

/* Whether a row of each step depends on nearby rows alone: no reductions, and no prefixes of vectors, whose rows are elements. */
static gboolean
can_skip (AccStream *self)
{
  g_autoptr(GPtrArray) roots = g_ptr_array_new ();
  g_autoptr(GPtrArray) nodes = NULL;

  if (self->klass != &acc_stream_on_host)
    return FALSE;

  for (guint i = 0; i < self->run->n_steps; i++)
    if (self->run->steps[i].reduces)
      return FALSE;

  for (guint i = 0; i < self->run->n_values; i++)
    {
      if (self->run->values[i].kind == ACC_ROW_VALUE_REDUCED)
        return FALSE;
      if (self->run->values[i].array != NULL)
        g_ptr_array_add (roots, self->run->values[i].array);
    }

  nodes = acc_array_sort_known_nodes ((AccArray **) roots->pdata, roots->len);
  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);
      AccOperationFamily family = acc_operation_get_family (node->op);

      if (family != ACC_FAMILY_LEAF && family != ACC_FAMILY_ELEMENTS && family != ACC_FAMILY_ZIP && family != ACC_FAMILY_VIEW
          && family != ACC_FAMILY_GATHER && family != ACC_FAMILY_STENCIL && node->rank < 2)
        return FALSE;
    }

  return TRUE;
}

/* The first row of each value, and step, if sources begin at row @tick. */
static void
find_begins (AccStream *self, gint64 tick, gint64 *values, gint64 *steps)
{
  for (guint i = 0; i < self->run->n_values; i++)
    values[i] = MIN (tick, self->run->values[i].n_rows);

  for (guint i = 0; i < self->run->n_steps; i++)
    {
      const AccRowStep *step = &self->run->steps[i];

      steps[i] = step->n_reads == 0 ? MAX (tick - self->flow->steps[i].lag, 0) : 0;
      for (guint k = 0; k < step->n_reads && tick > 0; k++)
        if (values[step->reads[k].value] > 0)
          steps[i] = MAX (steps[i], acc_rows_add (values[step->reads[k].value], step->reads[k].above));
      steps[i] = MIN (steps[i], step->n_rows);
      for (guint k = 0; k < step->n_writes; k++)
        values[step->writes[k]] = steps[i];
    }
}

static gboolean
begins_before (AccStream *self, guint64 chunk, const gint64 *values, gint64 row)
{
  for (guint i = 0; i < self->n_inputs; i++)
    if (self->inputs[i].n_chunks <= chunk)
      return FALSE;

  for (guint i = 0; i < self->n_outputs; i++)
    if (values[self->outputs[i].value] > row)
      return FALSE;

  return TRUE;
}

static void
begin_at (AccStream *self, guint64 chunk, const gint64 *values, const gint64 *steps)
{
  gint64 tick = acc_stream_get_tick (self, chunk);

  self->first_chunk = chunk;
  self->ticked = tick;
  for (guint i = 0; i < self->run->n_steps; i++)
    self->done[i] = steps[i];

  for (guint i = 0; i < self->run->n_values; i++)
    if (acc_plan_get_part (self->plan, i)->place == ACC_PLACE_WINDOW)
      {
        self->windows[i].first_row = values[i];
        acc_stream_set_window (self, i, i, 0, values[i], MIN (self->windows[i].buffer->capacity, self->run->values[i].n_rows - values[i]));
      }

  for (guint i = 0; i < self->n_outputs; i++)
    {
      AccStreamOutput *output = &self->outputs[i];
      gint64 row = CLAMP (tick - self->flow->values[output->value].lag, 0, self->run->values[output->value].n_rows);

      for (guint k = 0; output->sinks != NULL && k < output->sinks->len; k++)
        acc_sink_skip_to (g_ptr_array_index (output->sinks, k), row);
    }
}

void
acc_stream_skip_to (AccStream *self, gint64 row)
{
  g_autofree gint64 *values = g_new0 (gint64, self->run->n_values + 1), *steps = g_new0 (gint64, self->run->n_steps + 1);
  guint64 chunk = MIN ((guint64) (MAX (row - self->plan->halo_above, 0) / self->plan->chunk_rows), self->plan->n_chunks);

  if (chunk == 0 || self->n_outputs == 0 || !can_skip (self))
    return;

  for (; chunk > 0; chunk--)
    {
      find_begins (self, acc_stream_get_tick (self, chunk), values, steps);
      if (begins_before (self, chunk, values, row))
        {
          begin_at (self, chunk, values, steps);
          return;
        }
    }
}
