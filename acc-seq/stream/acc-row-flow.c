/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-row-flow-private.h"

#include "acc-error.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-source.h"

char *
acc_row_flow_describe_value (AccRowFlow *self, guint value)
{
  AccArray *array = self->run->values[value].array;

  if (array == NULL)
    return g_strdup_printf ("value %u", value);

  if (array->op == ACC_OP_SOURCE && acc_source_get_name (acc_array_get_source (array)) != NULL)
    return g_strdup_printf ("source “%s”", acc_source_get_name (acc_array_get_source (array)));

  return acc_array_describe (array);
}

static gboolean
describe_row (AccRowFlow *self, guint position, GError **error)
{
  const AccRowValue *value = &self->run->values[position];
  AccValueFlow *flow = &self->values[position];

  flow->writer = -1;
  flow->owner = position;

  if (value->n_rows < 0 || value->n_rows > ACC_ROWS_MAX || value->row_elements < 0
      || !g_uint64_checked_mul (&flow->row_bytes, (guint64) value->row_elements, acc_element_type_get_size (value->type))
      || flow->row_bytes > G_MAXINT64)
    {
      g_autofree char *name = acc_row_flow_describe_value (self, position);

      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s: its rows are too large", name);
      return FALSE;
    }

  if (value->kind != ACC_ROW_VALUE_SOURCE)
    return TRUE;

  for (guint i = 0; i < position; i++)
    if (self->run->values[i].kind == ACC_ROW_VALUE_SOURCE
        && acc_array_get_source (self->run->values[i].array) == acc_array_get_source (value->array))
      {
        flow->owner = i;
        return TRUE;
      }

  self->n_sources++;

  return TRUE;
}

static gboolean
connect_step (AccRowFlow *self, guint position, GError **error)
{
  const AccRowStep *step = &self->run->steps[position];

  for (guint i = 0; i < step->n_reads; i++)
    {
      const AccRowRead *read = &step->reads[i];

      if (read->value >= self->run->n_values || read->above < 0 || read->below < 0
          || (self->run->values[read->value].kind != ACC_ROW_VALUE_SOURCE && self->values[read->value].writer < 0))
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s reads rows that no step before it computes", step->name);
          return FALSE;
        }
      self->values[read->value].n_readers++;
    }

  for (guint i = 0; i < step->n_writes; i++)
    {
      guint written = step->writes[i];
      const AccRowValue *value;

      if (written >= self->run->n_values || self->values[written].writer >= 0
          || self->run->values[written].kind == ACC_ROW_VALUE_SOURCE)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s writes rows that are not its own", step->name);
          return FALSE;
        }

      value = &self->run->values[written];
      if (value->kind == ACC_ROW_VALUE_ROWS && (step->reduces || value->n_rows != step->n_rows))
        {
          g_autofree char *name = acc_row_flow_describe_value (self, written);

          g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM,
                       "%s goes over %" G_GINT64_FORMAT " rows but its result %s has %" G_GINT64_FORMAT
                       ": only results with as many rows can run chunk by chunk",
                       step->name, step->n_rows, name, value->n_rows);
          return FALSE;
        }
      self->values[written].writer = (int) position;
    }

  return TRUE;
}

static gint64
round_up (gint64 rows, gint64 quantum)
{
  gint64 rest = quantum > 1 ? rows % quantum : 0;

  return rest > 0 ? acc_rows_add (rows, quantum - rest) : rows;
}

/* As soon as its reads allow. */
static void
find_step_lag (AccRowFlow *self, guint position)
{
  const AccRowStep *step = &self->run->steps[position];
  AccStepFlow *flow = &self->steps[position];
  AccRowHalo halo = { 0, 0 };

  for (guint i = 0; i < step->n_reads; i++)
    {
      const AccRowRead *read = &step->reads[i];
      const AccRowValue *value = &self->run->values[read->value];
      const AccValueFlow *from = &self->values[read->value];

      flow->lag = MAX (flow->lag,
                       acc_rows_get_reader_lag (from->lag, value->kind == ACC_ROW_VALUE_REDUCED ? 0 : read->below, value->n_rows));
      flow->streamed |= value->kind == ACC_ROW_VALUE_SOURCE || self->steps[from->writer].streamed;

      if (value->kind != ACC_ROW_VALUE_REDUCED)
        acc_row_halo_extend (&halo, &from->halo, read->above, read->below);
    }
  flow->lag = round_up (flow->lag, step->quantum);

  for (guint i = 0; i < step->n_writes; i++)
    {
      AccValueFlow *to = &self->values[step->writes[i]];

      to->lag = flow->lag;
      to->halo = halo;
      if (self->run->values[step->writes[i]].kind == ACC_ROW_VALUE_REDUCED)
        to->lag = acc_rows_add (flow->lag, step->n_rows);
    }
}

/* Steps that depend on no source run as late as their readers allow, so that fewer of their rows are kept. */
static void
delay_step (AccRowFlow *self, guint position)
{
  const AccRowStep *step = &self->run->steps[position];
  AccStepFlow *flow = &self->steps[position];
  gint64 limit = G_MAXINT64;

  if (flow->streamed)
    return;

  for (guint i = 0; i < step->n_writes; i++)
    if (self->run->values[step->writes[i]].result >= 0)
      return;

  for (guint j = position + 1; j < self->run->n_steps; j++)
    for (guint k = 0; k < self->run->steps[j].n_reads; k++)
      {
        const AccRowRead *read = &self->run->steps[j].reads[k];
        const AccRowValue *value = &self->run->values[read->value];

        if (self->values[read->value].writer != (int) position)
          continue;

        limit = MIN (limit, value->kind == ACC_ROW_VALUE_REDUCED
                              ? acc_rows_get_writer_lag (self->steps[j].lag, step->n_rows, step->n_rows)
                              : acc_rows_get_writer_lag (self->steps[j].lag, read->below, value->n_rows));
      }

  if (limit == G_MAXINT64)
    return;

  if (step->quantum > 1)
    limit -= limit % step->quantum;
  flow->lag = MAX (flow->lag, limit);
  for (guint i = 0; i < step->n_writes; i++)
    self->values[step->writes[i]].lag = self->run->values[step->writes[i]].kind == ACC_ROW_VALUE_REDUCED
                                        ? acc_rows_add (flow->lag, step->n_rows)
                                        : flow->lag;
}

static void
find_carries (AccRowFlow *self)
{
  for (guint i = 0; i < self->run->n_steps; i++)
    {
      const AccRowStep *step = &self->run->steps[i];
      gboolean awaits = FALSE;

      for (guint k = 0; k < step->n_reads; k++)
        awaits |= self->run->values[step->reads[k].value].kind == ACC_ROW_VALUE_REDUCED;

      for (guint k = 0; k < step->n_reads; k++)
        {
          const AccRowRead *read = &step->reads[k];
          AccValueFlow *from = &self->values[self->values[read->value].owner];

          if (self->run->values[read->value].kind == ACC_ROW_VALUE_REDUCED)
            continue;

          from->carry = MAX (from->carry, acc_rows_get_carry (from->lag, self->steps[i].lag, read->above));
          from->awaited |= awaits;
        }
    }
}

/* FALSE where no number of rows suits all steps. */
static gboolean
find_quantum (AccRowFlow *self, GError **error)
{
  self->quantum = 1;
  for (guint i = 0; i < self->run->n_steps; i++)
    {
      gint64 quantum = MAX (self->run->steps[i].quantum, 1), a = self->quantum, b = quantum;

      while (b > 0)
        {
          gint64 rest = a % b;

          a = b;
          b = rest;
        }
      if (quantum / a > ACC_ROWS_MAX / self->quantum)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s takes rows by other numbers than the steps before it",
                       self->run->steps[i].name);
          return FALSE;
        }
      self->quantum *= quantum / a;
    }

  return TRUE;
}

gint64
acc_row_flow_round (AccRowFlow *self, gint64 rows)
{
  gint64 rounded = rows >= self->n_rows ? round_up (rows, self->quantum) : rows - rows % self->quantum;

  if (rows >= self->n_ticks)
    return rows;

  return MIN (MAX (rounded, self->quantum), self->n_ticks);
}

AccRowFlow *
acc_row_flow_new (AccRowRun *run, GError **error)
{
  g_autoptr(AccRowFlow) self = g_new0 (AccRowFlow, 1);

  self->run = run;
  self->values = g_new0 (AccValueFlow, run->n_values);
  self->steps = g_new0 (AccStepFlow, run->n_steps);

  for (guint i = 0; i < run->n_values; i++)
    if (!describe_row (self, i, error))
      return NULL;

  for (guint i = 0; i < run->n_steps; i++)
    if (!connect_step (self, i, error))
      return NULL;

  if (!find_quantum (self, error))
    return NULL;

  for (guint i = 0; i < run->n_steps; i++)
    find_step_lag (self, i);

  for (guint i = run->n_steps; i-- > 0; )
    delay_step (self, i);

  find_carries (self);

  for (guint i = 0; i < run->n_values; i++)
    if (run->values[i].kind != ACC_ROW_VALUE_REDUCED)
      {
        self->n_rows = MAX (self->n_rows, run->values[i].n_rows);
        self->n_ticks = MAX (self->n_ticks, acc_rows_add (self->values[i].lag, run->values[i].n_rows));
      }

  for (guint i = 0; i < run->n_steps; i++)
    {
      self->n_rows = MAX (self->n_rows, run->steps[i].n_rows);
      self->n_ticks = MAX (self->n_ticks, acc_rows_add (self->steps[i].lag, run->steps[i].n_rows));
    }

  return g_steal_pointer (&self);
}

void
acc_row_flow_free (AccRowFlow *self)
{
  g_free (self->values);
  g_free (self->steps);
  g_free (self);
}
