/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-row-program.h"

static void
row_step_clear (gpointer data)
{
  AccRowStep *step = data;

  g_free ((char *) step->name);
  g_free (step->reads);
  g_free (step->writes);
}

static guint
add_value (AccRowProgram   *self,
           guint            value,
           AccRowValueKind  kind,
           AccArray        *array)
{
  const AccPreparedValue *prepared = &self->prepared->values[value];
  AccRowValue row_value = { .kind = kind, .array = array, .type = self->prepared->schedule->values[value].type,
                            .n_rows = prepared->n_rows, .row_elements = prepared->row_elements, .result = -1 };

  g_array_append_val (self->row_values, row_value);
  g_array_append_val (self->values, value);

  return self->values->len - 1;
}

static void
add_step (AccRowProgram *self,
          guint          number)
{
  const AccScheduleStep *step = &self->prepared->schedule->steps[number];
  AccRowStep row_step = { .name = g_strdup (step->name), .reduces = step->reduces, .n_rows = step->n_rows,
                          .quantum = step->quantum, .reads = g_new0 (AccRowRead, step->n_reads + 1),
                          .writes = g_new0 (guint, step->n_writes + 1) };
  AccRowProgramStep own = { .step = number };

  for (guint i = 0; i < step->n_reads; i++)
    {
      guint value = self->numbers[step->reads[i]];

      if (value == ACC_ROW_NONE)
        continue;
      if (g_array_index (self->row_values, AccRowValue, value).kind == ACC_ROW_VALUE_REDUCED)
        row_step.reads[row_step.n_reads++] = (AccRowRead) { value, 0, 0 };
      else
        row_step.reads[row_step.n_reads++] = (AccRowRead) { value, step->row_reads[i].above, step->row_reads[i].below };
    }
  for (guint i = 0; i < step->n_writes; i++)
    row_step.writes[row_step.n_writes++] = self->numbers[step->writes[i]];

  g_array_append_val (self->row_steps, row_step);
  g_array_append_val (self->steps, own);
}

static guint
add_copy (AccRowProgram *self,
          guint          from,
          guint          value,
          AccArray      *array)
{
  guint to = add_value (self, value, ACC_ROW_VALUE_ROWS, array);
  AccRowStep row_step = { .name = g_strdup_printf ("copy of %s", self->prepared->values[value].name), .n_reads = 1,
                          .n_rows = self->prepared->values[value].n_rows, .n_writes = 1,
                          .reads = g_new0 (AccRowRead, 1), .writes = g_new0 (guint, 1) };
  AccRowProgramStep own = { .step = ACC_ROW_NONE, .from = from, .to = to };

  row_step.reads[0].value = from;
  row_step.writes[0] = to;
  g_array_append_val (self->row_steps, row_step);
  g_array_append_val (self->steps, own);

  return to;
}

static void
list_values (AccRowProgram *self)
{
  const AccSchedule *schedule = self->prepared->schedule;

  self->numbers = g_new (guint, schedule->n_values + 1);
  for (guint i = 0; i < schedule->n_values; i++)
    {
      AccArray *array = schedule->values[i].array;
      int writer = self->layout.writers[i];

      self->numbers[i] = ACC_ROW_NONE;
      if (schedule->values[i].role == ACC_VALUE_SOURCE)
        self->numbers[i] = add_value (self, i, ACC_ROW_VALUE_SOURCE, array);
      else if (self->layout.in_rows[i])
        self->numbers[i] = add_value (self, i, schedule->steps[writer].reduces ? ACC_ROW_VALUE_REDUCED : ACC_ROW_VALUE_ROWS, array);
    }
}

static gboolean
add_result (AccRowProgram  *self,
            guint           result,
            AccArray       *array,
            GError        **error)
{
  const AccSchedule *schedule = self->prepared->schedule;
  guint value = schedule->results[result];
  guint number = self->numbers[value];
  AccShape *shape = schedule->result_shapes[result];
  gint64 n_rows = acc_shape_get_rank (shape) > 0 ? acc_shape_get_extent (shape, 0) : 1;
  AccRowValue *row_value;

  if (number == ACC_ROW_NONE || g_array_index (self->row_values, AccRowValue, number).kind == ACC_ROW_VALUE_REDUCED)
    {
      /* Complete at the latest when the run is. */
      if (number == ACC_ROW_NONE || g_array_index (self->row_values, AccRowValue, number).result >= 0)
        number = add_value (self, value, ACC_ROW_VALUE_REDUCED, array);
    }
  else
    {
      if (n_rows != self->prepared->values[value].n_rows)
        {
          g_autofree char *what = acc_array_describe (array);

          g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM,
                       "%s makes %" G_GINT64_FORMAT " rows of %" G_GINT64_FORMAT ", which come one after the other",
                       what, n_rows, self->prepared->values[value].n_rows);
          return FALSE;
        }
      row_value = &g_array_index (self->row_values, AccRowValue, number);
      if (row_value->kind == ACC_ROW_VALUE_SOURCE || row_value->result >= 0)
        number = add_copy (self, number, value, array);
    }

  row_value = &g_array_index (self->row_values, AccRowValue, number);
  row_value->result = (int) result;
  row_value->array = array;
  row_value->shape = shape;

  return TRUE;
}

static void
report (AccRowProgram *self)
{
  AccTraffic traffic = acc_row_layout_count_traffic (&self->layout);
  g_autofree char *moved = acc_traffic_to_string (&traffic);
  g_autoptr(GString) values = g_string_new (NULL);

  for (guint i = 0; i < self->prepared->schedule->n_values; i++)
    if (acc_row_layout_is_cached (&self->layout, i))
      g_string_append_printf (values, "%sv%u", values->len > 0 ? ", " : "", i);
  g_printerr ("  by rows: in caches %s; in all %s\n", values->len > 0 ? values->str : "nothing", moved);
}

gboolean
acc_row_program_init (AccRowProgram  *self,
                      AccPrepared    *prepared,
                      AccGraph       *graph,
                      GError        **error)
{
  *self = (AccRowProgram) { .prepared = prepared };
  self->row_values = g_array_new (FALSE, TRUE, sizeof (AccRowValue));
  self->row_steps = g_array_new (FALSE, TRUE, sizeof (AccRowStep));
  self->values = g_array_new (FALSE, TRUE, sizeof (guint));
  self->steps = g_array_new (FALSE, TRUE, sizeof (AccRowProgramStep));
  g_array_set_clear_func (self->row_steps, row_step_clear);

  if (!acc_row_layout_init (&self->layout, prepared->schedule, graph->has_sources, error))
    return FALSE;

  if (acc_debug_get_flags () & ACC_DEBUG_FUSION)
    report (self);

  list_values (self);
  for (guint s = 0; s < prepared->schedule->n_steps; s++)
    if (self->layout.by_rows[s])
      add_step (self, s);
  for (guint r = 0; r < prepared->schedule->n_results; r++)
    if (!add_result (self, r, graph->results[r], error))
      return FALSE;

  return TRUE;
}

void
acc_row_program_clear (AccRowProgram *self)
{
  acc_row_layout_clear (&self->layout);
  g_clear_pointer (&self->steps, g_array_unref);
  g_clear_pointer (&self->values, g_array_unref);
  g_clear_pointer (&self->row_steps, g_array_unref);
  g_clear_pointer (&self->row_values, g_array_unref);
  g_clear_pointer (&self->numbers, g_free);
}

void
acc_row_program_describe (AccRowProgram *self,
                          AccRowRun     *run)
{
  run->n_values = self->row_values->len;
  run->values = (AccRowValue *) self->row_values->data;
  run->n_steps = self->row_steps->len;
  run->steps = (AccRowStep *) self->row_steps->data;
}

gboolean
acc_row_program_is_kept (AccRowProgram *self,
                         guint          value)
{
  const AccSchedule *schedule = self->prepared->schedule;

  for (guint r = 0; r < schedule->n_results; r++)
    if (schedule->results[r] == value)
      return TRUE;
  for (guint s = 0; s < schedule->n_steps; s++)
    for (guint i = 0; i < schedule->steps[s].n_reads && self->layout.by_rows[s]; i++)
      if (schedule->steps[s].reads[i] == value)
        return TRUE;

  return FALSE;
}
