/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-row-run.h"

#include "acc-row-program.h"
#include "acc-backends/runtime/run/acc-run.h"

#include <string.h>

typedef struct {
  guint64 *bases;        /* per buffer: where row 0 is, or would be */
  gsize   *row_bytes;    /* per buffer */
} Value;

typedef struct {
  AccRowRun      base;
  AccRun         run;
  AccRowProgram  program;
  AccPrepared   *prepared;
  GPtrArray     *bound;
  GObject       *owner;
  Value         *values;     /* per row value */
  AccBuffer   ***scratch;    /* per row step: kept for the whole run */
} Run;

static void
row_run_free (AccRowRun *base)
{
  Run *self = (Run *) base;

  for (guint s = 0; self->scratch != NULL && s < base->n_steps; s++)
    {
      guint step = acc_row_program_get_step (&self->program, s)->step;

      for (guint i = 0; step != ACC_ROW_NONE && i < self->prepared->schedule->steps[step].n_scratch; i++)
        g_clear_pointer (&self->scratch[s][i], acc_buffer_unref);
      g_free (self->scratch[s]);
    }
  for (guint i = 0; self->values != NULL && i < base->n_values; i++)
    {
      g_free (self->values[i].bases);
      g_free (self->values[i].row_bytes);
    }
  g_free (self->scratch);
  g_free (self->values);
  acc_run_clear (&self->run);
  acc_row_program_clear (&self->program);
  acc_prepared_unref (self->prepared);
  g_ptr_array_unref (self->bound);
  g_clear_object (&self->owner);
  g_free (self);
}

/* --- before the first row */

static void
measure_values (Run *self)
{
  self->values = g_new0 (Value, self->base.n_values + 1);
  for (guint i = 0; i < self->base.n_values; i++)
    {
      const AccPreparedValue *prepared = &self->prepared->values[acc_row_program_get_value (&self->program, i)];

      self->values[i].bases = g_new0 (guint64, prepared->n_buffers + 1);
      self->values[i].row_bytes = g_new0 (gsize, prepared->n_buffers + 1);
      for (guint k = 0; k < prepared->n_buffers; k++)
        self->values[i].row_bytes[k] = (gsize) prepared->row_elements * self->prepared->element_bytes[prepared->first_buffer + k];
    }
}

static gboolean
run_independent (Run     *self,
                 GError **error)
{
  const AccSchedule *schedule = self->prepared->schedule;

  for (guint s = 0; s < schedule->n_steps; s++)
    if (!self->program.layout.by_rows[s])
      {
        if (!acc_run_step (&self->run, s, error))
          return FALSE;
        for (guint i = 0; i < self->prepared->steps[s].n_freed; i++)
          if (!acc_row_program_is_kept (&self->program, self->prepared->steps[s].freed[i]))
            acc_run_free_value (&self->run, self->prepared->steps[s].freed[i]);
      }

  return TRUE;
}

static gboolean
allocate_kept (Run     *self,
               GError **error)
{
  guint n_threads = acc_workers_get_n_threads (self->run.host->workers);

  self->scratch = g_new0 (AccBuffer **, self->base.n_steps + 1);
  for (guint s = 0; s < self->base.n_steps; s++)
    {
      guint number = acc_row_program_get_step (&self->program, s)->step;
      const AccScheduleStep *step;

      if (number == ACC_ROW_NONE)
        continue;
      step = &self->prepared->schedule->steps[number];
      self->scratch[s] = g_new0 (AccBuffer *, step->n_scratch + 1);
      for (guint i = 0; i < step->n_scratch; i++)
        {
          self->scratch[s][i] = acc_pool_allocate_exact (self->run.host->pool, acc_prepared_get_scratch_bytes (step, i, n_threads, step->round_rows), step->name, error);
          if (self->scratch[s][i] == NULL)
            return FALSE;
          self->base.held += self->scratch[s][i]->size;
        }
      for (guint i = 0; i < step->n_writes && step->reduces; i++)
        if (!acc_run_allocate (&self->run, step->writes[i], error))
          return FALSE;
    }

  return TRUE;
}

/* What was computed before the first row, and where reductions gather; not what was @given. */
static void
count_computed (Run        *self,
                AccBuffer **given)
{
  for (guint k = 0; k < self->prepared->n_buffers; k++)
    if (self->run.buffers[k] != NULL && self->run.buffers[k] != given[k])
      self->base.held += self->run.buffers[k]->size;
  if (self->run.small != NULL)
    self->base.held += self->run.small->size;
}

/* --- the run */

static void
row_run_set_window (AccRowRun *base,
                    guint      number,
                    gpointer  *addresses,
                    gint64     first_row,
                    gint64     n_rows)
{
  Run *self = (Run *) base;
  Value *value = &self->values[number];
  guint n_buffers = self->prepared->values[acc_row_program_get_value (&self->program, number)].n_buffers;

  for (guint k = 0; k < n_buffers; k++)
    value->bases[k] = (guint64) (guintptr) addresses[k] - (guint64) first_row * value->row_bytes[k];
}

/* A row step that is under way. */
typedef struct {
  Run   *run;
  guint  number;
} Going;

static void
fill_slots (gpointer         data,
            const AccLaunch *launch,
            guint64         *slots)
{
  Run *self = ((Going *) data)->run;
  AccBuffer **scratch = self->scratch[((Going *) data)->number];

  for (guint i = 0; i < launch->n_slots; i++)
    {
      const AccSlot *slot = &launch->slots[i];
      guint number;

      switch (slot->kind)
        {
        case ACC_SLOT_BUFFER:
          number = self->program.numbers[slot->value];
          if (number == ACC_ROW_NONE || self->base.values[number].kind == ACC_ROW_VALUE_REDUCED)
            slots[i] = (guintptr) self->run.buffers[self->prepared->values[slot->value].first_buffer + slot->buffer]->data;
          else
            slots[i] = self->values[number].bases[slot->buffer];
          break;
        case ACC_SLOT_LITERAL:
          slots[i] = slot->bits;
          break;
        case ACC_SLOT_SCRATCH:
          slots[i] = (guintptr) scratch[slot->scratch]->data;
          break;
        case ACC_SLOT_N_WORKERS:
          slots[i] = acc_workers_get_n_threads (self->run.host->workers);
          break;
        }
    }
}

static void
copy_rows (Run                     *self,
           const AccRowProgramStep *step,
           gint64                   begin,
           gint64                   end)
{
  const Value *from = &self->values[step->from];
  const Value *to = &self->values[step->to];

  for (guint k = 0; k < self->prepared->values[acc_row_program_get_value (&self->program, step->to)].n_buffers; k++)
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
  const AccRowProgramStep *own = acc_row_program_get_step (&self->program, number);

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (own->step == ACC_ROW_NONE)
    {
      copy_rows (self, own, begin, end);
      return TRUE;
    }

  self->run.launch.cancellable = cancellable;
  self->run.round_rows = self->prepared->steps[own->step].step->round_rows;

  return acc_run_rows (&self->run, own->step, begin, end, fill_slots, &(Going) { self, number }, error);
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
  g_autofree AccBuffer **given = NULL;
  Run *self = g_new0 (Run, 1);

  base = &self->base;
  base->klass = &row_run_class;
  self->prepared = acc_prepared_ref (prepared);
  self->bound = values;
  self->owner = g_object_ref (owner);
  acc_run_init (&self->run, host, prepared, cancellable);
  self->run.exact = TRUE;

  if (!acc_row_program_init (&self->program, prepared, graph, error)
      || !acc_run_bind (&self->run, (AccArray **) values->pdata, TRUE, error))
    return NULL;

  acc_row_program_describe (&self->program, base);
  measure_values (self);

  given = g_memdup2 (self->run.buffers, prepared->n_buffers * sizeof *given);
  if (!run_independent (self, error) || !allocate_kept (self, error))
    return NULL;
  count_computed (self, given);

  return g_steal_pointer (&base);
}
