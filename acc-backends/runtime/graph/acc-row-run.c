/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-row-run-private.h"

#include <string.h>

void
acc_schedule_rows_free (AccRowRun *base)
{
  AccScheduleRows *self = (AccScheduleRows *) base;

  /* Steps behind the one that found no memory have none. */
  for (guint s = 0; self->scratch != NULL && s < base->n_steps; s++)
    {
      guint step = acc_row_program_get_step (&self->program, s)->step;

      for (guint i = 0; self->scratch[s] != NULL && i < self->prepared->schedule->steps[step].n_scratch; i++)
        g_clear_pointer (&self->scratch[s][i], self->run->klass->free_scratch);
      g_free (self->scratch[s]);
    }
  for (guint i = 0; self->values != NULL && i < base->n_values; i++)
    g_free (self->values[i].row_bytes);
  g_free (self->scratch);
  g_free (self->values);
  g_free (self->windows);
  acc_run_free (self->run);
  acc_row_program_clear (&self->program);
  acc_prepared_unref (self->prepared);
  g_ptr_array_unref (self->bound);
  g_clear_object (&self->owner);
  g_free (self);
}

/* --- before the first row */

static void
measure_values (AccScheduleRows *self)
{
  guint n_windows = self->prepared->n_buffers;

  for (guint i = 0; i < self->base.n_values; i++)
    n_windows += self->prepared->values[acc_row_program_get_value (&self->program, i)].n_buffers;
  self->windows = g_new0 (AccRunWindow, n_windows + 1);
  self->values = g_new0 (AccScheduleRowValue, self->base.n_values + 1);

  for (guint i = 0; i < self->base.n_values; i++)
    {
      guint number = acc_row_program_get_value (&self->program, i);
      const AccPreparedValue *prepared = &self->prepared->values[number];
      AccScheduleRowValue *value = &self->values[i];
      gboolean is_known = self->program.numbers[number] == i;

      n_windows -= prepared->n_buffers;
      value->n_buffers = prepared->n_buffers;
      value->row_bytes = g_new0 (gsize, prepared->n_buffers + 1);
      value->windows = self->windows + (is_known ? prepared->first_buffer : n_windows);
      for (guint k = 0; k < prepared->n_buffers; k++)
        {
          value->row_bytes[k] = (gsize) prepared->row_elements * self->prepared->element_bytes[prepared->first_buffer + k];
          value->windows[k].is_set = self->base.values[i].kind != ACC_ROW_VALUE_REDUCED;
        }
    }
}

static gboolean
run_independent (AccScheduleRows  *self,
                 GError          **error)
{
  for (guint s = 0; s < self->prepared->schedule->n_steps; s++)
    if (!self->program.layout.by_rows[s])
      {
        const AccPreparedStep *step = &self->prepared->steps[s];

        if (!acc_run_step (self->run, s, error))
          return FALSE;
        for (guint i = 0; i < step->n_freed; i++)
          if (!acc_row_program_is_kept (&self->program, step->freed[i]))
            acc_run_free_value (self->run, step->freed[i]);
      }

  return TRUE;
}

static gboolean
allocate_kept (AccScheduleRows  *self,
               GError          **error)
{
  const AccRunClass *klass = self->run->klass;

  self->scratch = g_new0 (gpointer *, self->base.n_steps + 1);
  for (guint s = 0; s < self->base.n_steps; s++)
    {
      guint number = acc_row_program_get_step (&self->program, s)->step;
      const AccScheduleStep *step;

      if (number == ACC_ROW_NONE)
        continue;
      step = &self->prepared->schedule->steps[number];
      self->scratch[s] = g_new0 (gpointer, step->n_scratch + 1);
      for (guint i = 0; i < step->n_scratch; i++)
        {
          self->scratch[s][i] = klass->allocate_scratch (self->run, step, i, &self->base.held, error);
          if (self->scratch[s][i] == NULL)
            return FALSE;
        }
      for (guint i = 0; i < step->n_writes && step->reduces; i++)
        if (!klass->keep (self->run, step->writes[i], error))
          return FALSE;
    }

  return TRUE;
}

AccRowRun *
acc_schedule_rows_new (const AccRowRunClass  *klass,
                       gsize                  size,
                       AccHost               *host,
                       AccPrepared           *prepared,
                       GPtrArray             *values,
                       AccGraph              *graph,
                       gpointer               owner,
                       GCancellable          *cancellable,
                       GError               **error)
{
  g_autoptr(AccRowRun) base = g_malloc0 (size);
  g_autofree AccBuffer **given = NULL;
  AccScheduleRows *self = (AccScheduleRows *) base;

  base->klass = klass;
  self->prepared = acc_prepared_ref (prepared);
  self->bound = values;
  self->owner = g_object_ref (owner);
  self->run = acc_run_new (host, prepared, cancellable);
  self->run->exact = TRUE;

  if (!acc_row_program_init (&self->program, prepared, graph, error) || !acc_run_bind (self->run, (AccArray **) values->pdata, TRUE, error))
    return NULL;

  acc_row_program_describe (&self->program, base);
  measure_values (self);

  given = g_memdup2 (self->run->buffers, prepared->n_buffers * sizeof *given);
  if (!run_independent (self, error) || !allocate_kept (self, error))
    return NULL;
  base->held += self->run->klass->count_held (self->run, given);

  return g_steal_pointer (&base);
}

/* --- the run */

gboolean
acc_schedule_rows_run_step (AccScheduleRows  *self,
                            guint             number,
                            gint64            begin,
                            gint64            end,
                            GCancellable     *cancellable,
                            GError          **error)
{
  self->run->cancellable = cancellable;

  return acc_run_rows (self->run, acc_row_program_get_step (&self->program, number)->step, begin, end, self->windows, self->scratch[number],
                       error);
}

AccArray *
acc_schedule_rows_dup_reduced (AccRowRun  *base,
                               guint       number,
                               GError    **error)
{
  g_return_val_if_fail (number < base->n_values && base->values[number].result >= 0, NULL);

  return acc_run_make_result (((AccScheduleRows *) base)->run, (guint) base->values[number].result);
}

/* --- rows in the host's memory */

static void
host_set_window (AccRowRun *base,
                 guint      number,
                 gpointer  *addresses,
                 gint64     first_row,
                 gint64     n_rows)
{
  AccScheduleRowValue *value = &((AccScheduleRows *) base)->values[number];

  for (guint k = 0; k < value->n_buffers; k++)
    value->windows[k].offset = (gint64) ((guint64) (guintptr) addresses[k] - (guint64) first_row * value->row_bytes[k]);
}

static void
copy_rows (const AccScheduleRowValue *to,
           const AccScheduleRowValue *from,
           gint64                     begin,
           gint64                     end)
{
  for (guint k = 0; k < to->n_buffers; k++)
    memcpy ((gpointer) (guintptr) ((guint64) to->windows[k].offset + (guint64) begin * to->row_bytes[k]),
            (gconstpointer) (guintptr) ((guint64) from->windows[k].offset + (guint64) begin * from->row_bytes[k]),
            (gsize) (end - begin) * to->row_bytes[k]);
}

static gboolean
host_run_step (AccRowRun     *base,
               guint          number,
               gint64         begin,
               gint64         end,
               GCancellable  *cancellable,
               GError       **error)
{
  AccScheduleRows *self = (AccScheduleRows *) base;
  const AccRowProgramStep *own = acc_row_program_get_step (&self->program, number);

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (own->step != ACC_ROW_NONE)
    return acc_schedule_rows_run_step (self, number, begin, end, cancellable, error);

  copy_rows (&self->values[own->to], &self->values[own->from], begin, end);

  return TRUE;
}

static const AccRowRunClass host_class = {
  .set_window = host_set_window,
  .run_step = host_run_step,
  .dup_reduced = acc_schedule_rows_dup_reduced,
  .free = acc_schedule_rows_free,
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
  return acc_schedule_rows_new (&host_class, sizeof (AccScheduleRows), host, prepared, values, graph, owner, cancellable, error);
}
