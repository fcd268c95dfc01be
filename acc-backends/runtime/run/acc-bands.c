/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-bands.h"

#include "acc-host-run.h"
#include "acc-launch.h"

#include "acc-backends/ir/acc-kernel-private.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/backend/acc-row-halo-private.h"
#include "acc-core/base/acc-ceil-div-private.h"

#include <string.h>

#define MAX_STEPS 8

/* Rows of a band, for each that is computed around it; bands that a worker should have, so that all end at the same time, and must. */
#define ROWS_PER_HALO          12
#define BANDS_PER_THREAD       16
#define LEAST_BANDS_PER_THREAD 4

/* Rows of a strip where all of them go through what is computed before the first, as products do through their right factor. */
#define ROWS_FOR_ALL 48

#define ALIGNMENT 64

/* Rows of a value that are there only for the steps of a band. */
typedef struct {
  guint  value;
  guint  writer;          /* among the steps of the band */
  gint64 carry;           /* rows before those of a strip that are still read */
  gint64 capacity;
  gsize *offsets;         /* per buffer: in a worker's memory */
} Window;

/* What a step does besides. */
typedef struct {
  guint  n_first;         /* launches, before all rows */
  gsize *scratch;         /* where each is: among what is there for all, or in a worker's memory where a tile has it for itself */
} Extra;

struct _AccBand {
  guint   begin, end;     /* steps */
  gint64  n_rows;
  gint64  band_rows;      /* of the results, that a worker takes at a time */
  gint64  strip_rows;     /* of each step, that it runs at a time */
  gint64  warm_up;        /* rows that the first step begins before the band */
  AccRowHalo halos[MAX_STEPS]; /* rows beyond those of a band */
  Extra   extras[MAX_STEPS];
  guint   n_windows;
  Window *windows;
  gsize   bytes;          /* of a worker */
  gsize   common_bytes;   /* for all */
};

/* NULL: the value has memory as a whole. */
static Window *
find_window (const AccBand *self,
             guint          value)
{
  for (guint i = 0; i < self->n_windows; i++)
    if (self->windows[i].value == value)
      return &self->windows[i];

  return NULL;
}

/* --- finding them */

static guint
count_first (const AccScheduleStep *step)
{
  guint n = 0;

  while (n < step->n_launches && step->launches[n].rows == ACC_SPACE_FIRST)
    n++;

  return n;
}

/* Whether others read what tiles write into scratch. */
static gboolean
writes_shared_scratch (const AccScheduleStep *step,
                       const AccLaunch       *launch)
{
  for (guint i = 0; i < launch->n_slots; i++)
    if (launch->slots[i].kind == ACC_SLOT_SCRATCH && step->scratch[launch->slots[i].scratch].tile_bytes == 0
        && (acc_kernel_param (launch->kernel, i)->flags & ACC_BUFFER_WRITE))
      return TRUE;

  return FALSE;
}

static gboolean
goes_by_rows (const AccPreparedStep *prepared)
{
  const AccScheduleStep *step = prepared->step;
  guint n_first = count_first (step);

  if (step->row_error != NULL || step->reduces || n_first == step->n_launches)
    return FALSE;

  for (guint i = 0; i < step->n_launches; i++)
    {
      const AccLaunch *launch = &step->launches[i];

      if (launch->sweeps || (i < n_first && prepared->launches[i].has_own))
        return FALSE;
      if (i < n_first)
        continue;
      /* Failures are told in the order of steps, which is not that of bands. */
      if (launch->serial || writes_shared_scratch (step, launch) || prepared->launches[i].may_fail
          || (launch->rows != ACC_SPACE_OUTER_ROWS && launch->rows != ACC_SPACE_INNER_ROWS))
        return FALSE;
      if ((launch->tile_outer > 0 || launch->tile_inner > 0) && launch->rows != ACC_SPACE_OUTER_ROWS)
        return FALSE;
    }

  return TRUE;
}

/* The end of the steps from @begin on that go by the same rows. */
static guint
find_end (AccPrepared *prepared,
          guint        begin)
{
  const AccSchedule *schedule = prepared->schedule;
  guint s;

  for (s = begin; s < schedule->n_steps; s++)
    {
      const AccScheduleStep *step = &schedule->steps[s];

      if (!goes_by_rows (&prepared->steps[s]) || step->n_rows != schedule->steps[begin].n_rows)
        break;
      for (guint i = 0; i < step->n_writes; i++)
        if (schedule->values[step->writes[i]].rank == 0 || prepared->values[step->writes[i]].n_rows != step->n_rows)
          return s;
    }

  return s;
}

/* Whether only steps of the band need the value: those after it do not, and it is no result. */
static gboolean
is_inside (AccBand     *self,
           AccPrepared *prepared,
           guint        value)
{
  for (guint s = self->begin; s < self->end; s++)
    for (guint i = 0; i < prepared->steps[s].n_freed; i++)
      if (prepared->steps[s].freed[i] == value)
        return TRUE;

  return FALSE;
}

static void
add_windows (AccBand     *self,
             AccPrepared *prepared)
{
  const AccSchedule *schedule = prepared->schedule;

  for (guint s = self->begin; s < self->end; s++)
    for (guint i = 0; i < schedule->steps[s].n_writes; i++)
      {
        guint value = schedule->steps[s].writes[i];

        if (is_inside (self, prepared, value))
          self->windows[self->n_windows++] = (Window) { .value = value, .writer = s - self->begin };
      }
}

static gboolean
is_written (AccBand     *self,
            AccPrepared *prepared,
            guint        value)
{
  const AccSchedule *schedule = prepared->schedule;

  for (guint s = self->begin; s < self->end; s++)
    for (guint i = 0; i < schedule->steps[s].n_writes; i++)
      if (schedule->steps[s].writes[i] == value)
        return TRUE;

  return FALSE;
}

/* Whether what runs before all rows needs, or writes, what the steps compute. */
static gboolean
waits_for_rows (AccBand     *self,
                AccPrepared *prepared)
{
  const AccSchedule *schedule = prepared->schedule;

  for (guint s = self->begin; s < self->end; s++)
    for (guint i = 0; i < self->extras[s - self->begin].n_first; i++)
      {
        const AccLaunch *launch = &schedule->steps[s].launches[i];

        for (guint k = 0; k < launch->n_slots; k++)
          if (launch->slots[k].kind == ACC_SLOT_BUFFER && is_written (self, prepared, launch->slots[k].value))
            return TRUE;
      }

  return FALSE;
}

/* What each step computes beyond the rows of a band, from the last one to the first. FALSE where bands would write, or wait for,
 * rows of others: of what has memory as a whole each has its own rows only. */
static gboolean
find_halos (AccBand     *self,
            AccPrepared *prepared)
{
  const AccSchedule *schedule = prepared->schedule;

  for (guint s = self->end; s-- > self->begin;)
    {
      const AccScheduleStep *step = &schedule->steps[s];
      const AccRowHalo *halo = &self->halos[s - self->begin];
      gint64 limit = self->n_rows / ROWS_PER_HALO;

      for (guint i = 0; i < step->n_writes; i++)
        if (find_window (self, step->writes[i]) == NULL && (halo->above > 0 || halo->below > 0))
          return FALSE;

      for (guint i = 0; i < step->n_reads; i++)
        {
          Window *window = find_window (self, step->reads[i]);
          gboolean around = halo->above > 0 || halo->below > 0 || step->row_reads[i].above > 0 || step->row_reads[i].below > 0;
          if (window == NULL && around && is_written (self, prepared, step->reads[i]))
            return FALSE;
          if (window == NULL)
            continue;
          if (step->row_reads[i].above > limit || step->row_reads[i].below > limit)
            return FALSE;
          acc_row_halo_extend (&self->halos[window->writer], halo, step->row_reads[i].above, step->row_reads[i].below);
        }
      self->warm_up = MAX (self->warm_up, halo->above + halo->below);
    }

  return TRUE;
}

/* A step is ahead of the results by the rows below that they need: that is its lag, less than 0. */
static void
find_carries (AccBand     *self,
              AccPrepared *prepared)
{
  const AccSchedule *schedule = prepared->schedule;

  for (guint s = self->begin; s < self->end; s++)
    for (guint i = 0; i < schedule->steps[s].n_reads; i++)
      {
        Window *window = find_window (self, schedule->steps[s].reads[i]);

        if (window != NULL)
          window->carry = MAX (window->carry, acc_rows_get_carry (-self->halos[window->writer].below, -self->halos[s - self->begin].below,
                                                                  schedule->steps[s].row_reads[i].above));
      }
}

static gsize
get_row_bytes (AccPrepared *prepared,
               guint        value,
               guint        k)
{
  return (gsize) prepared->values[value].row_elements * prepared->element_bytes[prepared->values[value].first_buffer + k];
}

static guint64
count_row_bytes (AccPrepared *prepared,
                 guint        value)
{
  guint64 bytes = 0;

  for (guint k = 0; k < prepared->values[value].n_buffers; k++)
    bytes += get_row_bytes (prepared, value, k);

  return bytes;
}

/* Of a tile of those steps that have something for all rows, the most; 0: there is none. */
static gint64
get_tile_rows (AccBand     *self,
               AccPrepared *prepared)
{
  gint64 rows = 0;

  for (guint s = self->begin; s < self->end; s++)
    {
      const AccScheduleStep *step = &prepared->schedule->steps[s];

      for (guint i = self->extras[s - self->begin].n_first; i > 0 && i < step->n_launches; i++)
        if (step->launches[i].tile_outer > 0)
          rows = MAX (rows, acc_ceil_div (step->launches[i].tile_outer, step->launches[i].units_per_row));
    }

  return MIN (rows, self->n_rows);
}

static guint64
count_tile_scratch (AccBand     *self,
                    AccPrepared *prepared)
{
  guint64 bytes = 0;

  for (guint s = self->begin; s < self->end; s++)
    for (guint i = 0; i < prepared->schedule->steps[s].n_scratch; i++)
      bytes += prepared->schedule->steps[s].scratch[i].tile_bytes;

  return bytes;
}

/* A window of which nothing is carried is written from its beginning each time; others hold two strips, so that what is carried
 * moves every other time. */
static guint
count_strips (const Window *window)
{
  return window->carry > 0 ? 2 : 1;
}

/* Tiles that begin where bands and strips do are whole. */
static gint64
round_to_tiles (gint64 n_rows,
                gint64 tile_rows)
{
  return tile_rows > 0 && n_rows > tile_rows ? n_rows - n_rows % tile_rows : n_rows;
}

/* Strips that fill most of a worker's cache; FALSE where one row is too much, or bands would be too few. */
static gboolean
choose_rows (AccBand     *self,
             AccPrepared *prepared,
             AccHost     *host)
{
  const AccSchedule *schedule = prepared->schedule;
  guint n_threads = acc_workers_get_n_threads (host->workers);
  guint64 all = 0, carried = count_tile_scratch (self, prepared), strip = 0, room = host->cache_bytes / 4 * 3;
  gint64 tile_rows = get_tile_rows (self, prepared), least = MIN (tile_rows, ROWS_FOR_ALL);

  for (guint i = 0; i < self->n_windows; i++)
    {
      guint64 row = count_row_bytes (prepared, self->windows[i].value);

      all += row * (guint64) self->n_rows;
      carried += row * (guint64) self->windows[i].carry;
      strip += count_strips (&self->windows[i]) * row;
    }
  for (guint s = self->begin; s < self->end; s++)
    {
      for (guint i = 0; i < schedule->steps[s].n_reads; i++)
        if (find_window (self, schedule->steps[s].reads[i]) == NULL)
          strip += count_row_bytes (prepared, schedule->steps[s].reads[i]);
      for (guint i = 0; i < schedule->steps[s].n_writes; i++)
        if (find_window (self, schedule->steps[s].writes[i]) == NULL)
          strip += count_row_bytes (prepared, schedule->steps[s].writes[i]);
    }

  if (all <= host->cache_bytes || carried + strip > room)
    return FALSE;

  self->band_rows = MAX (self->n_rows / (BANDS_PER_THREAD * (gint64) n_threads), ROWS_PER_HALO * self->warm_up);
  self->band_rows = MAX (self->band_rows, MIN (tile_rows, self->n_rows / (LEAST_BANDS_PER_THREAD * (gint64) n_threads)));
  self->band_rows = round_to_tiles (MAX (self->band_rows, MAX (least, 1)), tile_rows);
  if (n_threads > 1 && self->n_rows / self->band_rows < (least > 0 ? LEAST_BANDS_PER_THREAD / 2 : LEAST_BANDS_PER_THREAD) * (gint64) n_threads)
    return FALSE;
  self->strip_rows = round_to_tiles ((gint64) CLAMP ((room - carried) / MAX (strip, 1), 1, (guint64) self->band_rows), tile_rows);

  return self->strip_rows >= least;
}

/* The place of @bytes behind the first @all. */
static gsize
take (gsize *all,
      gsize  bytes)
{
  gsize place = *all;

  *all += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

  return place;
}

static void
lay_out (AccBand     *self,
         AccPrepared *prepared)
{
  for (guint i = 0; i < self->n_windows; i++)
    {
      Window *window = &self->windows[i];
      guint n_buffers = prepared->values[window->value].n_buffers;

      window->capacity = window->carry + count_strips (window) * self->strip_rows;
      window->offsets = g_new (gsize, n_buffers + 1);
      for (guint k = 0; k < n_buffers; k++)
        window->offsets[k] = take (&self->bytes, (gsize) window->capacity * get_row_bytes (prepared, window->value, k));
    }

  for (guint s = self->begin; s < self->end; s++)
    {
      const AccScheduleStep *step = &prepared->schedule->steps[s];
      Extra *extra = &self->extras[s - self->begin];

      extra->scratch = g_new (gsize, step->n_scratch + 1);
      for (guint i = 0; i < step->n_scratch; i++)
        extra->scratch[i] = step->scratch[i].tile_bytes > 0 ? take (&self->bytes, step->scratch[i].tile_bytes)
                                                      : take (&self->common_bytes, step->scratch[i].bytes);
    }
}

static gboolean
try (AccBand     *self,
     AccPrepared *prepared,
     AccHost     *host)
{
  memset (self->halos, 0, sizeof self->halos);
  self->n_windows = 0;
  self->warm_up = 0;

  add_windows (self, prepared);
  if (self->n_windows == 0 || waits_for_rows (self, prepared) || !find_halos (self, prepared))
    return FALSE;
  find_carries (self, prepared);

  return choose_rows (self, prepared, host);
}

/* The longest band that begins with step @begin and ends at @end or before; NULL: none is worth it. */
static AccBand *
band_new (AccPrepared *prepared,
          AccHost     *host,
          guint        begin,
          guint        end)
{
  const AccSchedule *schedule = prepared->schedule;
  AccBand *self = g_new0 (AccBand, 1);
  guint n_writes = 0;

  self->begin = begin;
  self->n_rows = schedule->steps[begin].n_rows;
  for (guint s = begin; s < end; s++)
    {
      n_writes += schedule->steps[s].n_writes;
      self->extras[s - begin].n_first = count_first (&schedule->steps[s]);
    }
  self->windows = g_new0 (Window, n_writes + 1);

  for (self->end = end; self->end >= begin + 2; self->end--)
    if (try (self, prepared, host))
      {
        lay_out (self, prepared);
        return self;
      }
  acc_band_free (self);

  return NULL;
}

GPtrArray *
acc_bands_find (AccPrepared *prepared,
                AccHost     *host)
{
  guint n_steps = prepared->schedule->n_steps;
  GPtrArray *bands = g_ptr_array_new ();

  if (host->cache_bytes == 0 || (acc_disable_get_flags () & ACC_DISABLE_CHUNKING))
    return bands;

  for (guint begin = 0, end = 0; begin < n_steps; begin++)
    {
      AccBand *band;

      if (end <= begin)
        end = find_end (prepared, begin);
      if (end < begin + 2)
        continue;

      band = band_new (prepared, host, begin, MIN (end, begin + MAX_STEPS));
      if (band == NULL)
        continue;
      if (acc_debug_get_flags () & ACC_DEBUG_PLAN)
        g_printerr ("steps %u to %u by bands of %" G_GINT64_FORMAT " rows, %" G_GINT64_FORMAT " at a time, in %" G_GSIZE_FORMAT
                    " bytes of each worker and %" G_GSIZE_FORMAT " of all\n",
                    band->begin, band->end - 1, band->band_rows, band->strip_rows, band->bytes, band->common_bytes);
      g_ptr_array_add (bands, band);
      begin = band->end - 1;
    }

  return bands;
}

void
acc_band_free (AccBand *self)
{
  for (guint i = 0; i < self->n_windows; i++)
    g_free (self->windows[i].offsets);
  for (guint s = 0; s < MAX_STEPS; s++)
    g_free (self->extras[s].scratch);
  g_free (self->windows);
  g_free (self);
}

guint
acc_band_get_begin (const AccBand *self)
{
  return self->begin;
}

guint
acc_band_get_end (const AccBand *self)
{
  return self->end;
}

gboolean *
acc_band_list_cached (const AccBand *self,
                      AccPrepared   *prepared)
{
  gboolean *cached = g_new0 (gboolean, prepared->schedule->n_values);

  for (guint i = 0; i < self->n_windows; i++)
    cached[self->windows[i].value] = TRUE;

  return cached;
}

/* --- running them */

typedef struct {
  AccRun        *run;
  const AccBand *band;
  guint8        *memory;    /* what is there for all, then each worker's */
  AccFailure     failure;   /* of kernels that cannot fail: cancellation ends them */
} Job;

typedef struct {
  Job *job;
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
      const Window *window = &band->windows[i];
      gint64 from;

      if (window->writer != step || end - self->origins[i] <= window->capacity)
        continue;
      from = MAX (begin - window->carry, self->origins[i]);
      for (guint k = 0; k < prepared->values[window->value].n_buffers; k++)
        {
          gsize row_bytes = get_row_bytes (prepared, window->value, k);
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
  const Window *window;

  if (slot->kind == ACC_SLOT_LITERAL)
    return slot->bits;
  if (slot->kind == ACC_SLOT_SCRATCH)
    return (guintptr) ((prepared->schedule->steps[band->begin + step].scratch[slot->scratch].tile_bytes > 0 ? self->memory : self->job->memory)
                       + band->extras[step].scratch[slot->scratch]);

  window = find_window (band, slot->value);
  if (window == NULL)
    return (guintptr) self->job->run->buffers[prepared->values[slot->value].first_buffer + slot->buffer]->data;

  return (guint64) (guintptr) (self->memory + window->offsets[slot->buffer])
         - (guint64) self->origins[window - band->windows] * get_row_bytes (prepared, slot->value, slot->buffer);
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
  Worker self = { .job = job, .memory = job->memory + band->common_bytes + worker * band->bytes, .done = memory, .origins = memory + n_steps,
                  .slots = (guint64 *) memory + n_steps + band->n_windows };

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
      if (find_window (band, schedule->steps[s].writes[i]) == NULL && !acc_run_allocate (run, schedule->steps[s].writes[i], error))
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
