/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-bands-private.h"

#include "acc-host-run.h"
#include "acc-launch.h"

#include <string.h>

typedef struct {
  AccRun        *run;
  const AccBand *band;
  guint8        *memory;    /* shared memory, then each worker's */
  AccFailure     failure;   /* of kernels that cannot fail: cancellation ends them */
} Job;

typedef struct {
  Job       *job;
  guint8    *memory;
  gint64    *done;        /* per step: the row that it comes to next */
  gint64    *origins;     /* per window: the row that is first in it */
  guint64   *slots;
} Worker;

/* Makes room in the windows that the step writes, for rows [begin, end). */
static void
advance (Worker *self,
         guint   step,
         gint64  begin,
         gint64  end)
{
  const AccBand *band = self->job->band;
  AccPrepared *prepared = self->job->run->prepared;

  for (guint i = 0; i < band->n_windows; i++)
    {
      const AccBandWindow *window = &band->windows[i];
      gint64 from;

      if (window->writer != step || end - self->origins[i] <= window->capacity)
        continue;
      from = MAX (begin - window->carry, self->origins[i]);
      for (guint k = 0; k < prepared->values[window->value].n_buffers; k++)
        {
          gsize row_bytes = acc_band_get_row_bytes (prepared, window->value, k);
          guint8 *rows = self->memory + window->offsets[k];

          memmove (rows, rows + (gsize) (from - self->origins[i]) * row_bytes, (gsize) (begin - from) * row_bytes);
        }
      self->origins[i] = from;
    }
}

static guint64
get_address (Worker        *self,
             guint          step,
             const AccSlot *slot)
{
  const AccBand *band = self->job->band;
  AccPrepared *prepared = self->job->run->prepared;
  const AccBandWindow *window;

  if (slot->kind == ACC_SLOT_LITERAL)
    return slot->bits;
  if (slot->kind == ACC_SLOT_SCRATCH)
    return (guintptr) ((prepared->schedule->steps[band->begin + step].scratch[slot->scratch].tile_bytes > 0
                        ? self->memory : self->job->memory)
                       + band->extras[step].scratch[slot->scratch]);

  window = acc_band_find_window (band, slot->value);
  if (window == NULL)
    return (guintptr) self->job->run->buffers[prepared->values[slot->value].first_buffer + slot->buffer]->data;

  return (guint64) (guintptr) (self->memory + window->offsets[slot->buffer])
         - (guint64) self->origins[window - band->windows] * acc_band_get_row_bytes (prepared, slot->value, slot->buffer);
}

/* The part @range of the launch, tile by tile where it has any. All are the worker's own first one. */
static void
run_tiles (Worker                  *self,
           const AccPreparedLaunch *prepared,
           const gint64             range[5])
{
  gint64 outer = prepared->launch->tile_outer > 0 ? prepared->launch->tile_outer : range[1] - range[0];
  gint64 inner = prepared->launch->tile_inner > 0 ? prepared->launch->tile_inner : MAX (range[3] - range[2], 1);

  for (gint64 u = range[0]; u < range[1]; u += outer)
    for (gint64 i = range[2]; i < MAX (range[3], 1); i += inner)
      {
        const gint64 part[5] = { u, MIN (u + outer, range[1]), i, MIN (i + inner, range[3]), 0 };

        acc_prepared_launch_get_entry (prepared) (self->slots, part, &self->job->failure);
      }
}

static void
run_rows (Worker *self,
          guint   step,
          gint64  begin,
          gint64  end)
{
  AccRun *run = self->job->run;
  const AccPreparedStep *prepared = &run->prepared->steps[self->job->band->begin + step];

  for (guint i = self->job->band->extras[step].n_first; i < prepared->step->n_launches; i++)
    {
      const AccLaunch *launch = &prepared->step->launches[i];
      gint64 range[5];

      for (guint k = 0; k < launch->n_slots; k++)
        self->slots[k] = get_address (self, step, &launch->slots[k]);
      acc_partition_get_rows (launch, begin, end, range);
      run_tiles (self, &prepared->launches[i], range);
    }
}

static gboolean
run_band (gint64   number,
          guint    worker,
          gpointer user_data)
{
  Job *job = user_data;
  const AccBand *band = job->band;
  guint n_steps = band->end - band->begin;
  gint64 begin = number * band->band_rows, end = MIN (begin + band->band_rows, band->n_rows);
  g_autofree gint64 *memory = g_new (gint64, n_steps + band->n_windows + job->run->prepared->max_slots + 1);
  Worker self = { .job = job, .memory = job->memory + band->common_bytes + worker * band->bytes, .done = memory,
                  .origins = memory + n_steps, .slots = (guint64 *) memory + n_steps + band->n_windows };

  for (guint s = 0; s < n_steps; s++)
    self.done[s] = MAX (begin - band->halos[s].above, 0);
  for (guint i = 0; i < band->n_windows; i++)
    self.origins[i] = self.done[band->windows[i].writer];

  for (gint64 t = begin - band->warm_up; t < end && !g_cancellable_is_cancelled (job->run->cancellable);)
    {
      t = MIN (t + band->strip_rows, end);
      for (guint s = 0; s < n_steps; s++)
        {
          gint64 to = MIN (t + band->halos[s].below, band->n_rows);

          if (to <= self.done[s])
            continue;
          advance (&self, s, self.done[s], to);
          run_rows (&self, s, self.done[s], to);
          self.done[s] = to;
        }
    }

  return !g_cancellable_is_cancelled (job->run->cancellable);
}

/* What comes before all rows. */
static gboolean
run_first (Job     *job,
           GError **error)
{
  const AccBand *band = job->band;

  for (guint s = 0; s < band->end - band->begin; s++)
    {
      guint n_scratch = job->run->prepared->schedule->steps[band->begin + s].n_scratch;

      for (guint i = 0; i < n_scratch; i++)
        ((AccHostRun *) job->run)->scratch[i] = job->memory + band->extras[s].scratch[i];
      if (!acc_host_run_launches ((AccHostRun *) job->run, band->begin + s, band->extras[s].n_first, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
may_stop (AccRun        *run,
          const AccBand *band)
{
  gboolean may = FALSE;

  for (guint s = band->begin; s < band->end; s++)
    may |= acc_launch_may_stop (run->prepared->steps[s].launches, run->prepared->steps[s].step->n_launches);

  return may;
}

gboolean
acc_band_run (AccRun         *run,
              const AccBand  *band,
              GError        **error)
{
  const AccSchedule *schedule = run->prepared->schedule;
  guint n_threads = acc_workers_get_n_threads (run->host->workers);
  gint64 n_bands = (band->n_rows - 1) / band->band_rows + 1;
  Job job = { .run = run, .band = band };
  AccLaunchStop stop;
  AccBuffer *memory;
  gboolean ok;

  for (guint s = band->begin; s < band->end; s++)
    for (guint i = 0; i < schedule->steps[s].n_writes; i++)
      if (acc_band_find_window (band, schedule->steps[s].writes[i]) == NULL && !acc_run_allocate (run, schedule->steps[s].writes[i], error))
        return FALSE;

  memory = acc_pool_allocate (run->host->pool, band->common_bytes + band->bytes * n_threads, schedule->steps[band->begin].name, error);
  if (memory == NULL)
    return FALSE;

  job.memory = memory->data;
  ok = run_first (&job, error);
  if (ok)
    {
      acc_launch_stop_begin (&stop, may_stop (run, band) ? run->cancellable : NULL, &job.failure, 1);
      acc_workers_run (run->host->workers, n_bands, 1, run_band, &job);
      ok = acc_launch_stop_end (&stop, error) && !g_cancellable_set_error_if_cancelled (run->cancellable, error);
    }
  acc_buffer_unref (memory);

  return ok;
}
