/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-row-run.h"

#include "acc-row-layout.h"
#include "acc-run.h"

#include <string.h>

#define NONE G_MAXUINT

typedef struct {
  guint       step;      /* of the schedule; NONE: copies rows */
  guint       from, to;  /* row values: of a copy */
  AccBuffer **scratch;   /* kept for the whole run */
} Step;

typedef struct {
  guint   value;         /* of the schedule; NONE: a copy of another */
  guint64 *bases;        /* per leaf: where row 0 is, or would be */
  gsize   *row_bytes;    /* per leaf */
} Value;

typedef struct {
  AccRowRun    base;
  AccRun       run;
  AccRowLayout layout;
  AccPrepared *prepared;
  GPtrArray   *bound;
  GObject     *owner;
  GArray      *row_values;   /* AccRowValue */
  GArray      *row_steps;    /* AccRowStep */
  GArray      *values;       /* Value */
  GArray      *steps;        /* Step */
  guint       *numbers;      /* per value of the schedule: row value, or NONE */
} Run;

static void
value_clear (gpointer data)
{
  Value *value = data;

  g_free (value->bases);
  g_free (value->row_bytes);
}

static void
row_step_clear (gpointer data)
{
  AccRowStep *step = data;

  g_free ((char *) step->name);
  g_free (step->reads);
  g_free (step->writes);
}

static void
row_run_free (AccRowRun *base)
{
  Run *self = (Run *) base;

  for (guint s = 0; s < self->steps->len; s++)
    {
      Step *step = &g_array_index (self->steps, Step, s);

      if (step->step != NONE && step->scratch != NULL)
        for (guint i = 0; i < self->prepared->schedule->steps[step->step].n_scratch; i++)
          g_clear_pointer (&step->scratch[i], acc_buffer_unref);
      g_free (step->scratch);
    }
  acc_run_clear (&self->run);
  acc_row_layout_clear (&self->layout);
  g_array_unref (self->steps);
  g_array_unref (self->values);
  g_array_unref (self->row_steps);
  g_array_unref (self->row_values);
  g_free (self->numbers);
  acc_prepared_unref (self->prepared);
  g_ptr_array_unref (self->bound);
  g_clear_object (&self->owner);
  g_free (self);
}

/* --- what the caller sees */

static guint
add_value (Run            *self,
           guint           value,
           AccRowValueKind kind,
           AccArray       *array)
{
  const AccSchedule *schedule = self->prepared->schedule;
  const AccPreparedValue *prepared = &self->prepared->values[value];
  AccRowValue row_value = { .kind = kind, .array = array, .type = schedule->values[value].type, .n_rows = prepared->n_rows,
                            .row_elements = prepared->row_elements, .result = -1 };
  Value own = { value, g_new0 (guint64, prepared->n_leaves + 1), g_new0 (gsize, prepared->n_leaves + 1) };

  for (guint k = 0; k < prepared->n_leaves; k++)
    own.row_bytes[k] = (gsize) prepared->row_elements * self->prepared->element_bytes[prepared->first_leaf + k];
  g_array_append_val (self->row_values, row_value);
  g_array_append_val (self->values, own);

  return self->values->len - 1;
}

static void
add_step (Run   *self,
          guint  number)
{
  const AccScheduleStep *step = &self->prepared->schedule->steps[number];
  AccRowStep row_step = { .name = g_strdup (step->name), .reduces = step->reduces, .n_rows = step->n_rows,
                          .reads = g_new0 (AccRowRead, step->n_reads + 1), .writes = g_new0 (guint, step->n_writes + 1) };
  Step own = { .step = number, .scratch = g_new0 (AccBuffer *, step->n_scratch + 1) };

  for (guint i = 0; i < step->n_reads; i++)
    {
      guint value = self->numbers[step->reads[i]];

      if (value == NONE)
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
add_copy (Run      *self,
          guint     from,
          guint     value,
          AccArray *array)
{
  guint to = add_value (self, value, ACC_ROW_VALUE_ROWS, array);
  AccRowStep row_step = { .name = g_strdup_printf ("copy of %s", self->prepared->values[value].name), .n_reads = 1,
                          .n_rows = self->prepared->values[value].n_rows, .n_writes = 1,
                          .reads = g_new0 (AccRowRead, 1), .writes = g_new0 (guint, 1) };
  Step own = { .step = NONE, .from = from, .to = to };

  row_step.reads[0].value = from;
  row_step.writes[0] = to;
  g_array_append_val (self->row_steps, row_step);
  g_array_append_val (self->steps, own);

  return to;
}

static void
list_values (Run *self)
{
  const AccSchedule *schedule = self->prepared->schedule;

  self->numbers = g_new (guint, schedule->n_values + 1);
  for (guint i = 0; i < schedule->n_values; i++)
    {
      AccArray *array = schedule->values[i].array;
      int writer = self->layout.writers[i];

      self->numbers[i] = NONE;
      if (schedule->values[i].role == ACC_VALUE_SOURCE)
        self->numbers[i] = add_value (self, i, ACC_ROW_VALUE_SOURCE, array);
      else if (self->layout.in_rows[i])
        self->numbers[i] = add_value (self, i, schedule->steps[writer].reduces ? ACC_ROW_VALUE_REDUCED : ACC_ROW_VALUE_ROWS, array);
    }
}

static gboolean
add_result (Run       *self,
            guint      result,
            AccArray  *array,
            GError   **error)
{
  const AccSchedule *schedule = self->prepared->schedule;
  guint value = schedule->results[result];
  guint number = self->numbers[value];
  AccShape *shape = schedule->result_shapes[result];
  gint64 n_rows = acc_shape_get_rank (shape) > 0 ? acc_shape_get_extent (shape, 0) : 1;
  AccRowValue *row_value;

  if (number == NONE || g_array_index (self->row_values, AccRowValue, number).kind == ACC_ROW_VALUE_REDUCED)
    {
      /* Complete at the latest when the run is. */
      if (number == NONE || g_array_index (self->row_values, AccRowValue, number).result >= 0)
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

  return TRUE;
}

/* --- before the first row */

static gboolean
is_needed_by_rows (Run   *self,
                   guint  value)
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

static gboolean
run_independent (Run     *self,
                 GError **error)
{
  const AccSchedule *schedule = self->prepared->schedule;

  for (guint s = 0; s < schedule->n_steps; s++)
    if (!self->layout.by_rows[s])
      {
        if (!acc_run_step (&self->run, s, error))
          return FALSE;
        for (guint i = 0; i < self->prepared->steps[s].n_freed; i++)
          if (!is_needed_by_rows (self, self->prepared->steps[s].freed[i]))
            acc_run_free_value (&self->run, self->prepared->steps[s].freed[i]);
      }

  return TRUE;
}

static gboolean
allocate_kept (Run     *self,
               GError **error)
{
  for (guint s = 0; s < self->steps->len; s++)
    {
      Step *own = &g_array_index (self->steps, Step, s);
      const AccScheduleStep *step;

      if (own->step == NONE)
        continue;
      step = &self->prepared->schedule->steps[own->step];
      for (guint i = 0; i < step->n_scratch; i++)
        {
          own->scratch[i] = acc_pool_allocate (self->run.host->pool, step->scratch[i], step->name, error);
          if (own->scratch[i] == NULL)
            return FALSE;
        }
      for (guint i = 0; i < step->n_writes && step->reduces; i++)
        if (!acc_run_allocate (&self->run, step->writes[i], error))
          return FALSE;
    }

  return TRUE;
}

/* --- the run */

static void
row_run_set_window (AccRowRun *base,
                    guint      number,
                    gpointer  *leaves,
                    gint64     first_row,
                    gint64     n_rows)
{
  Run *self = (Run *) base;
  Value *value = &g_array_index (self->values, Value, number);
  guint n_leaves = self->prepared->values[value->value].n_leaves;

  for (guint k = 0; k < n_leaves; k++)
    value->bases[k] = (guint64) (guintptr) leaves[k] - (guint64) first_row * value->row_bytes[k];
}

static void
fill_slots (Run             *self,
            const Step      *step,
            const AccLaunch *launch)
{
  for (guint i = 0; i < launch->n_slots; i++)
    {
      const AccSlot *slot = &launch->slots[i];
      guint number;

      switch (slot->kind)
        {
        case ACC_SLOT_LEAF:
          number = self->numbers[slot->value];
          if (number == NONE || self->base.values[number].kind == ACC_ROW_VALUE_REDUCED)
            self->run.slots[i] = (guintptr) self->run.leaves[self->prepared->values[slot->value].first_leaf + slot->leaf]->data;
          else
            self->run.slots[i] = g_array_index (self->values, Value, number).bases[slot->leaf];
          break;
        case ACC_SLOT_LITERAL:
          self->run.slots[i] = slot->bits;
          break;
        case ACC_SLOT_SCRATCH:
          self->run.slots[i] = (guintptr) step->scratch[slot->scratch]->data;
          break;
        }
    }
}

static void
copy_rows (Run        *self,
           const Step *step,
           gint64      begin,
           gint64      end)
{
  const Value *from = &g_array_index (self->values, Value, step->from);
  const Value *to = &g_array_index (self->values, Value, step->to);

  for (guint k = 0; k < self->prepared->values[to->value].n_leaves; k++)
    memcpy ((gpointer) (guintptr) (to->bases[k] + (guint64) begin * to->row_bytes[k]),
            (gconstpointer) (guintptr) (from->bases[k] + (guint64) begin * from->row_bytes[k]),
            (gsize) (end - begin) * to->row_bytes[k]);
}

static gboolean
row_run_run_step (AccRowRun     *base,
                  guint          number,
                  gint64         begin,
                  gint64         end,
                  GCancellable  *cancellable,
                  GError       **error)
{
  Run *self = (Run *) base;
  const Step *own = &g_array_index (self->steps, Step, number);
  const AccPreparedStep *prepared;
  const AccScheduleStep *step;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (own->step == NONE)
    {
      copy_rows (self, own, begin, end);
      return TRUE;
    }

  prepared = &self->prepared->steps[own->step];
  step = prepared->step;
  self->run.launch.cancellable = cancellable;
  for (guint i = 0; i < step->n_launches; i++)
    {
      AccPartition partition;

      if (step->launches[i].rows != ACC_SPACE_WHOLE)
        {
          if (begin >= end)
            continue;
          acc_partition_init_rows (&partition, &step->launches[i], begin, end);
        }
      else if (end >= step->n_rows || step->combine_per_band)
        partition = prepared->launches[i].whole;
      else
        continue;

      fill_slots (self, own, &step->launches[i]);
      if (!acc_launch_run (&self->run.launch, &prepared->launches[i], &partition, self->run.slots, error))
        return FALSE;
    }

  return TRUE;
}

static AccArray *
row_run_dup_reduced (AccRowRun  *base,
                     guint       number,
                     GError    **error)
{
  Run *self = (Run *) base;

  g_return_val_if_fail (number < base->n_values && base->values[number].result >= 0, NULL);

  return acc_run_make_result (&self->run, (guint) base->values[number].result);
}

static const AccRowRunClass row_run_class = {
  .set_window = row_run_set_window,
  .run_step = row_run_run_step,
  .dup_reduced = row_run_dup_reduced,
  .free = row_run_free,
};

AccRowRun *
acc_row_run_new (AccHost       *host,
                 AccPrepared   *prepared,
                 GPtrArray     *values,
                 AccGraph      *graph,
                 gpointer       owner,
                 GCancellable  *cancellable,
                 GError       **error)
{
  g_autoptr (AccRowRun) base = NULL;
  Run *self = g_new0 (Run, 1);

  base = &self->base;
  base->klass = &row_run_class;
  self->prepared = acc_prepared_ref (prepared);
  self->bound = values;
  self->owner = g_object_ref (owner);
  self->row_values = g_array_new (FALSE, TRUE, sizeof (AccRowValue));
  self->row_steps = g_array_new (FALSE, TRUE, sizeof (AccRowStep));
  self->values = g_array_new (FALSE, TRUE, sizeof (Value));
  self->steps = g_array_new (FALSE, TRUE, sizeof (Step));
  g_array_set_clear_func (self->row_steps, row_step_clear);
  g_array_set_clear_func (self->values, value_clear);
  acc_run_init (&self->run, host, prepared, cancellable);

  if (!acc_row_layout_init (&self->layout, prepared, graph->has_sources, error)
      || !acc_run_bind (&self->run, (AccArray **) values->pdata, TRUE, error))
    return NULL;

  list_values (self);
  for (guint s = 0; s < prepared->schedule->n_steps; s++)
    if (self->layout.by_rows[s])
      add_step (self, s);
  for (guint r = 0; r < prepared->schedule->n_results; r++)
    if (!add_result (self, r, graph->results[r], error))
      return NULL;

  base->n_values = self->row_values->len;
  base->values = (AccRowValue *) self->row_values->data;
  base->n_steps = self->row_steps->len;
  base->steps = (AccRowStep *) self->row_steps->data;

  if (!run_independent (self, error) || !allocate_kept (self, error))
    return NULL;

  return g_steal_pointer (&base);
}
