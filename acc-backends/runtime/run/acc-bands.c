/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-bands-private.h"

#include "acc-backends/ir/acc-kernel-private.h"
#include "acc-core/base/acc-ceil-div-private.h"

#include <string.h>

/* Least rows of a band, for each row that is computed around it; bands that a worker should have, so that all end at the same time, and
 * must have. */
#define ROWS_PER_HALO          12
#define BANDS_PER_THREAD       16
#define LEAST_BANDS_PER_THREAD 4

/* Rows of a strip where all of them go through what is computed before the first, as products do through their right factor. */
#define ROWS_FOR_ALL 48

#define ALIGNMENT 64

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
          self->windows[self->n_windows++] = (AccBandWindow) { .value = value, .writer = s - self->begin };
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

/* Finds the halo of each step beyond the rows of a band, from the last step to the first. FALSE if bands would write, or wait for, rows of
 * other bands: of values with memory as a whole each band has its own rows only. */
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
        if (acc_band_find_window (self, step->writes[i]) == NULL && (halo->above > 0 || halo->below > 0))
          return FALSE;

      for (guint i = 0; i < step->n_reads; i++)
        {
          AccBandWindow *window = acc_band_find_window (self, step->reads[i]);
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
        AccBandWindow *window = acc_band_find_window (self, schedule->steps[s].reads[i]);

        if (window != NULL)
          window->carry = MAX (window->carry, acc_rows_get_carry (-self->halos[window->writer].below, -self->halos[s - self->begin].below,
                                                                  schedule->steps[s].row_reads[i].above));
      }
}

static guint64
count_row_bytes (AccPrepared *prepared,
                 guint        value)
{
  guint64 bytes = 0;

  for (guint k = 0; k < prepared->values[value].n_buffers; k++)
    bytes += acc_band_get_row_bytes (prepared, value, k);

  return bytes;
}

/* The largest private memory of a tile, of those steps that do something for all rows; 0: there is none. */
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

/* A window without carried rows is written from its beginning each time; others hold two strips, so that carried rows move every other
 * time. */
static guint
count_strips (const AccBandWindow *window)
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
        if (acc_band_find_window (self, schedule->steps[s].reads[i]) == NULL)
          strip += count_row_bytes (prepared, schedule->steps[s].reads[i]);
      for (guint i = 0; i < schedule->steps[s].n_writes; i++)
        if (acc_band_find_window (self, schedule->steps[s].writes[i]) == NULL)
          strip += count_row_bytes (prepared, schedule->steps[s].writes[i]);
    }

  if (all <= host->cache_bytes || carried + strip > room)
    return FALSE;

  self->band_rows = MAX (self->n_rows / (BANDS_PER_THREAD * (gint64) n_threads), ROWS_PER_HALO * self->warm_up);
  self->band_rows = MAX (self->band_rows, MIN (tile_rows, self->n_rows / (LEAST_BANDS_PER_THREAD * (gint64) n_threads)));
  self->band_rows = round_to_tiles (MAX (self->band_rows, MAX (least, 1)), tile_rows);
  if (n_threads > 1
      && self->n_rows / self->band_rows < (least > 0 ? LEAST_BANDS_PER_THREAD / 2 : LEAST_BANDS_PER_THREAD) * (gint64) n_threads)
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
      AccBandWindow *window = &self->windows[i];
      guint n_buffers = prepared->values[window->value].n_buffers;

      window->capacity = window->carry + count_strips (window) * self->strip_rows;
      window->offsets = g_new (gsize, n_buffers + 1);
      for (guint k = 0; k < n_buffers; k++)
        window->offsets[k] = take (&self->bytes, (gsize) window->capacity * acc_band_get_row_bytes (prepared, window->value, k));
    }

  for (guint s = self->begin; s < self->end; s++)
    {
      const AccScheduleStep *step = &prepared->schedule->steps[s];
      AccBandExtra *extra = &self->extras[s - self->begin];

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
  self->windows = g_new0 (AccBandWindow, n_writes + 1);

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

      band = band_new (prepared, host, begin, MIN (end, begin + ACC_BAND_MAX_STEPS));
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
  for (guint s = 0; s < ACC_BAND_MAX_STEPS; s++)
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
