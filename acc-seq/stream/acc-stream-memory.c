/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stream-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-outputs-private.h"

/* What a run by rows holds, all of it from its beginning to its end. */

void
acc_stream_set_window (AccStream *self, guint value, guint part, gint64 origin_row, gint64 first_row, gint64 n_rows)
{
  acc_row_buffer_set_window (self->windows[part].buffer, self->run, value, origin_row, first_row, n_rows, self->addresses);
}

/* Takes over @buffer, for the time of the run; may be NULL. */
static AccRowBuffer *
own (AccStream *self, AccRowBuffer *buffer)
{
  if (buffer != NULL)
    g_ptr_array_add (self->buffers, buffer);

  return buffer;
}

static AccRowBuffer *
new_buffer (AccStream *self, const AccPlanPart *part, GError **error)
{
  const AccRowValue *value = &self->run->values[part->value];

  if (part->on_device)
    return own (self, acc_row_buffer_new_on_device (self->run, part->value, part->headroom, part->capacity, part->name, error));
  if (part->place == ACC_PLACE_UPLOAD || part->place == ACC_PLACE_DOWNLOAD)
    return own (self, acc_row_buffer_new_staging (self->run, value->type, value->row_elements, part->capacity, part->name, error));

  return own (self,
              acc_row_buffer_new (self->backend, value->type, value->row_elements, part->headroom, part->capacity, part->name, error));
}

static AccRowBuffer **
new_buffers (AccStream *self, guint position, guint *n_buffers, GError **error)
{
  const AccPlanPart *part = acc_plan_get_part (self->plan, position);
  g_autofree AccRowBuffer **buffers = g_new0 (AccRowBuffer *, part->n_buffers);

  for (guint i = 0; i < part->n_buffers; i++)
    {
      buffers[i] = new_buffer (self, part, error);
      if (buffers[i] == NULL)
        return NULL;
    }
  *n_buffers = part->n_buffers;

  return g_steal_pointer (&buffers);
}

static gboolean
add_slots (AccStream *self, guint position, AccStreamSlots *slots, GError **error)
{
  guint staging = acc_plan_get_part (self->plan, position)->staging;

  slots->seen = new_buffers (self, position, &slots->n_seen, error);
  if (slots->seen == NULL)
    return FALSE;

  slots->n_buffers = slots->n_seen;
  slots->buffers = staging > 0 ? new_buffers (self, staging, &slots->n_buffers, error)
                               : g_memdup2 (slots->seen, slots->n_seen * sizeof *slots->seen);

  return slots->buffers != NULL;
}

static gboolean
add_input (AccStream *self, guint value, GError **error)
{
  const AccRowValue *row_value = &self->run->values[value];
  const AccPlanPart *part = acc_plan_get_part (self->plan, value);
  AccStreamInput *input = &self->inputs[self->n_inputs++];

  input->stream = self;
  input->source = acc_array_get_source (row_value->array);
  input->value = value;
  input->n_rows = row_value->n_rows;
  input->row_elements = row_value->row_elements;
  input->carry = part->headroom;
  input->whole = part->place == ACC_PLACE_READ_WHOLE;
  input->n_chunks = (guint64) ((input->n_rows + self->plan->chunk_rows - 1) / self->plan->chunk_rows);

  if (!add_slots (self, value, &input->rows, error))
    return FALSE;

  input->in_place = input->whole && part->staging == 0;
  input->uploaded = g_new0 (AccRowPoint, input->rows.n_buffers);
  self->windows[value].buffer = input->rows.seen[0];

  return TRUE;
}

/* Of a result. */
static GPtrArray *
list_sinks (GPtrArray *outputs, int result)
{
  GPtrArray *sinks = g_ptr_array_new ();

  for (guint i = 0; i < outputs->len; i++)
    {
      const AccOutput *output = g_ptr_array_index (outputs, i);

      if (output->result == (guint) result)
        g_ptr_array_add (sinks, output->sink);
    }

  return sinks;
}

static gboolean
add_output (AccStream *self, guint value, guint position, GPtrArray *outputs, GError **error)
{
  const AccRowValue *row_value = &self->run->values[value];
  const AccPlanPart *part = acc_plan_get_part (self->plan, position);
  AccStreamOutput *output = &self->outputs[self->n_outputs++];

  output->stream = self;
  output->sinks = outputs != NULL ? list_sinks (outputs, row_value->result) : NULL;
  output->value = value;
  output->part = position;
  output->row_elements = row_value->row_elements;
  if (!add_slots (self, position, &output->rows, error))
    return FALSE;

  output->slots = g_new0 (AccStreamSlot, output->rows.n_buffers);
  if (part->result > 0)
    {
      const AccPlanPart *result = acc_plan_get_part (self->plan, part->result);

      g_clear_pointer (&output->sinks, g_ptr_array_unref);
      output->result = own (self, acc_row_buffer_new_fetched (self->backend, row_value->type, row_value->row_elements, result->capacity,
                                                              result->name, error));
      self->windows[part->result].buffer = output->result;
    }

  return part->result == 0 || output->result != NULL;
}

static gboolean
add_part (AccStream *self, guint value, guint position, GPtrArray *outputs, GError **error)
{
  const AccRowValue *row_value = &self->run->values[value];
  const AccPlanPart *part = acc_plan_get_part (self->plan, position);
  AccStreamWindow *window = &self->windows[position];

  switch (part->place)
    {
    case ACC_PLACE_NONE:
      return TRUE;

    case ACC_PLACE_SLOTS:
    case ACC_PLACE_READ_WHOLE:
      return add_input (self, value, error);

    case ACC_PLACE_OUTPUT:
      return add_output (self, value, position, outputs, error);

    case ACC_PLACE_WINDOW:
    case ACC_PLACE_WHOLE:
      window->buffer = new_buffer (self, part, error);
      break;

    case ACC_PLACE_RESULT:
      window->buffer = own (self,
                            acc_row_buffer_new_result (self->backend, row_value->type, row_value->row_elements, part->capacity, part->name,
                                                       error));
      break;

    case ACC_PLACE_UPLOAD:
    case ACC_PLACE_DOWNLOAD:
    default:
      g_return_val_if_reached (FALSE);
    }

  if (window->buffer == NULL)
    return FALSE;

  if (position == value)
    acc_stream_set_window (self, value, value, 0, 0, part->capacity);

  return TRUE;
}

AccStream *
acc_stream_new (AccBackend *backend, AccRowFlow *flow, AccPlan *plan, GPtrArray *outputs, AccJob *job, GError **error)
{
  g_autoptr(AccStream) self = g_new0 (AccStream, 1);
  guint n_buffers = 0;

  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  self->cancellable = g_cancellable_new ();
  self->backend = backend;
  self->run = flow->run;
  self->device = flow->run->klass->device;
  self->klass = &acc_stream_on_device;
  if (self->device == NULL)
    {
      self->device = &acc_stream_host_device;
      self->klass = &acc_stream_on_host;
    }
  self->flow = flow;
  self->plan = plan;
  self->job = job;
  self->inputs = g_new0 (AccStreamInput, flow->n_sources);
  self->outputs = g_new0 (AccStreamOutput, flow->run->n_values);
  self->buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_row_buffer_free);
  self->windows = g_new0 (AccStreamWindow, plan->parts->len);
  self->done = g_new0 (gint64, flow->run->n_steps);

  for (guint i = 0; i < flow->run->n_values; i++)
    n_buffers = MAX (n_buffers, acc_element_type_get_n_buffers (flow->run->values[i].type));
  self->addresses = g_new0 (gpointer, n_buffers + 1);

  for (guint i = 0; i < flow->run->n_values; i++)
    {
      guint copied_to = acc_plan_get_part (plan, i)->copied_to;

      if (!add_part (self, i, i, outputs, error) || (copied_to > 0 && !add_part (self, i, copied_to, outputs, error)))
        return NULL;
    }

  return g_steal_pointer (&self);
}

void
acc_stream_free (AccStream *self)
{
  for (guint i = 0; i < self->n_inputs; i++)
    {
      g_free (self->inputs[i].rows.buffers);
      g_free (self->inputs[i].rows.seen);
      g_free (self->inputs[i].uploaded);
      g_clear_error (&self->inputs[i].failure);
    }

  for (guint i = 0; i < self->n_outputs; i++)
    {
      g_free (self->outputs[i].rows.buffers);
      g_free (self->outputs[i].rows.seen);
      g_free (self->outputs[i].slots);
      g_clear_pointer (&self->outputs[i].sinks, g_ptr_array_unref);
    }

  g_ptr_array_unref (self->buffers);
  g_free (self->inputs);
  g_free (self->outputs);
  g_free (self->windows);
  g_free (self->done);
  g_free (self->addresses);
  g_clear_error (&self->error);
  g_object_unref (self->cancellable);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_free (self);
}
