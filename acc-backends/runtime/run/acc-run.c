/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-run.h"

#include "acc-device-run.h"
#include "acc-host-run.h"
#include "acc-times.h"
#include "acc-waves.h"

gpointer
acc_run_construct (const AccRunClass *klass,
                   gsize              size,
                   gsize              n_pointers,
                   AccHost           *host,
                   AccPrepared       *prepared,
                   GCancellable      *cancellable)
{
  guint8 *memory = g_malloc0 (size + (prepared->n_buffers + n_pointers) * sizeof (gpointer));
  AccRun *self = (AccRun *) memory;

  *self = (AccRun) { .klass = klass, .host = host, .prepared = prepared, .cancellable = cancellable,
                     .buffers = (AccBuffer **) (memory + size) };

  return self;
}

AccRun *
acc_run_new (AccHost      *host,
             AccPrepared  *prepared,
             GCancellable *cancellable)
{
  if (host->planner != NULL)
    return host->planner->new_run (host, prepared, cancellable);

  return (host->heap != NULL ? acc_device_run_new : acc_host_run_new) (host, prepared, cancellable);
}

void
acc_run_free (AccRun *self)
{
  self->klass->clear (self);
  for (guint i = 0; i < self->prepared->schedule->n_values; i++)
    acc_run_free_value (self, i);
  g_free (self);
}

void
acc_run_free_value (AccRun *self,
                    guint   value)
{
  const AccPreparedValue *v = &self->prepared->values[value];

  if (self->prepared->schedule->values[value].role == ACC_VALUE_COMPUTED)
    for (guint k = 0; k < v->n_buffers; k++)
      g_clear_pointer (&self->buffers[v->first_buffer + k], acc_buffer_unref);
}

void
acc_run_free_after (AccRun *self,
                    guint   step)
{
  const AccPreparedStep *prepared = &self->prepared->steps[step];

  for (guint i = 0; i < prepared->n_freed; i++)
    acc_run_free_value (self, prepared->freed[i]);
}

gboolean
acc_run_allocate (AccRun  *self,
                  guint    value,
                  GError **error)
{
  const AccPreparedValue *v = &self->prepared->values[value];

  for (guint k = v->first_buffer; k < v->first_buffer + v->n_buffers; k++)
    if (self->buffers[k] == NULL)
      {
        self->buffers[k] = self->klass->allocate (self, self->prepared->buffer_bytes[k], v->name, error);
        if (self->buffers[k] == NULL)
          return FALSE;
      }

  return TRUE;
}

AccArray *
acc_run_make_result (AccRun *self,
                     guint   result)
{
  const AccSchedule *schedule = self->prepared->schedule;
  guint value = schedule->results[result];
  const AccPreparedValue *v = &self->prepared->values[value];
  AccBuffer *few[16];
  g_autofree AccBuffer **many = NULL;
  AccBuffer **owned = v->n_buffers <= G_N_ELEMENTS (few) ? few : (many = g_new (AccBuffer *, v->n_buffers));

  for (guint k = 0; k < v->n_buffers; k++)
    owned[k] = acc_buffer_ref (self->buffers[v->first_buffer + k]);

  return acc_array_new_manifest (schedule->values[value].type, schedule->result_shapes[result], owned);
}

gboolean
acc_run_bind (AccRun    *self,
              AccArray **arguments,
              gboolean   rows,
              GError   **error)
{
  const AccSchedule *schedule = self->prepared->schedule;

  for (guint i = 0; i < schedule->n_values; i++)
    {
      const AccPreparedValue *v = &self->prepared->values[i];
      AccBuffer **given = NULL;

      switch (schedule->values[i].role)
        {
        case ACC_VALUE_ARGUMENT:
          given = acc_array_get_buffers (arguments[schedule->values[i].position]);
          break;
        case ACC_VALUE_MANIFEST:
          given = acc_array_get_buffers (schedule->values[i].array);
          break;
        case ACC_VALUE_SOURCE:
          if (!rows)
            {
              g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s comes in rows, and all of it is needed at once", v->name);
              return FALSE;
            }
          break;
        case ACC_VALUE_COMPUTED:
          break;
        }
      for (guint k = 0; k < v->n_buffers && given != NULL; k++)
        {
          if (self->klass->map != NULL && !self->klass->map (self, given[k], error))
            {
              g_prefix_error (error, "%s: ", v->name);
              return FALSE;
            }
          self->buffers[v->first_buffer + k] = given[k];
        }
    }

  return TRUE;
}

gboolean
acc_run_may_take (AccRun *self,
                  guint   value)
{
  const AccSchedule *schedule = self->prepared->schedule;
  const AccPreparedValue *v = &self->prepared->values[value];
  guint position = schedule->values[value].position;
  GObject *array;

  if (self->spent == NULL || schedule->values[value].role != ACC_VALUE_ARGUMENT || !self->spent[position])
    return FALSE;
  for (guint r = 0; r < schedule->n_results; r++)
    if (schedule->results[r] == value)
      return FALSE;

  /* Only who has a reference can add one. */
  array = G_OBJECT (self->arguments[position]);
  if (g_atomic_int_get ((gint *) &array->ref_count) != 1)
    return FALSE;
  for (guint k = 0; k < v->n_buffers; k++)
    if (!g_atomic_ref_count_compare (&self->buffers[v->first_buffer + k]->ref_count, 1))
      return FALSE;

  return TRUE;
}

gboolean
acc_run_step (AccRun  *self,
              guint    step,
              GError **error)
{
  gint64 begin = acc_times_begin ();
  gboolean ok = self->klass->run_step (self, step, error);

  acc_times_end_steps (begin, self->prepared->schedule, step, step + 1, NULL);

  return ok;
}

gboolean
acc_run_rows (AccRun              *self,
              guint                step,
              gint64               begin,
              gint64               end,
              const AccRunWindow  *windows,
              gpointer            *scratch,
              GError             **error)
{
  return self->klass->run_rows (self, step, begin, end, windows, scratch, error);
}

gboolean
acc_run_finish (AccRun  *self,
                GError **error)
{
  return self->klass->finish == NULL || self->klass->finish (self, error);
}

gboolean
acc_run_whole (AccHost        *host,
               AccPrepared    *prepared,
               AccArray      **arguments,
               const gboolean *spent,
               AccArray      **results,
               GCancellable   *cancellable,
               GError        **error)
{
  const AccSchedule *schedule = prepared->schedule;
  AccRun *run = acc_run_new (host, prepared, cancellable);
  gboolean ok = acc_run_bind (run, arguments, FALSE, error) && !g_cancellable_set_error_if_cancelled (cancellable, error);

  run->arguments = arguments;
  run->spent = spent;

  for (guint w = 0; w < prepared->n_waves && ok; w++)
    ok = acc_wave_run (run, &prepared->waves[w], error);
  for (guint s = 0; s < schedule->n_steps && ok && prepared->n_waves == 0; s++)
    {
      ok = acc_run_step (run, s, error);
      acc_run_free_after (run, s);
    }
  ok = ok && acc_run_finish (run, error);
  for (guint r = 0; r < schedule->n_results; r++)
    results[r] = ok ? acc_run_make_result (run, r) : NULL;
  acc_run_free (run);

  return ok;
}
