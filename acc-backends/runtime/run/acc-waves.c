/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-waves.h"

#include "acc-bands.h"

typedef struct {
  double   nanoseconds;  /* on one thread, roughly */
  gboolean is_narrow;    /* most of it by fewer threads than there are */
  guint64  bytes;        /* written, and scratch */
} Estimate;

static Estimate
estimate (AccPrepared *self,
          AccHost     *host,
          guint        number)
{
  const AccPreparedStep *step = &self->steps[number];
  guint n_threads = acc_workers_get_n_threads (host->workers);
  Estimate all = { 0 };
  double narrow = 0;

  for (guint i = 0; i < step->step->n_launches; i++)
    {
      const AccPartition *partition = &step->launches[i].whole;
      double time = acc_partition_estimate (partition, step->launches[i].launch);

      all.nanoseconds += time;
      if ((partition->n_tiles - 1) / partition->claim + 1 < n_threads)
        narrow += time;
    }
  all.is_narrow = narrow * 2 > all.nanoseconds;

  for (guint i = 0; i < step->step->n_writes; i++)
    {
      const AccPreparedValue *value = &self->values[step->step->writes[i]];

      for (guint k = 0; k < value->n_buffers; k++)
        all.bytes += self->buffer_bytes[value->first_buffer + k];
    }
  for (guint i = 0; i < step->step->n_scratch; i++)
    all.bytes += acc_prepared_get_scratch_bytes (step->step, i, n_threads, step->step->round_rows);

  return all;
}

/* The end of a wave that begins with step @begin: @limit, or the first step that reads the result of one in it. */
static guint
find_end (AccPrepared *self,
          guint        begin,
          guint        limit,
          guint       *writers)
{
  const AccSchedule *schedule = self->schedule;
  guint s;

  for (s = begin; s < limit; s++)
    {
      const AccScheduleStep *step = &schedule->steps[s];

      for (guint i = 0; i < step->n_reads; i++)
        if (writers[step->reads[i]] > begin)
          return s;
      for (guint i = 0; i < step->n_writes; i++)
        writers[step->writes[i]] = s + 1;
    }

  return s;
}

static void
find_narrow (AccPrepared *self,
             AccHost     *host,
             AccWave     *wave)
{
  double nanoseconds = 0;

  for (guint s = wave->begin; s < wave->end; s++)
    {
      Estimate step = estimate (self, host, s);

      if (!step.is_narrow)
        continue;
      wave->narrow[wave->n_narrow++] = s;
      wave->bytes += MIN (step.bytes, G_MAXINT64 / self->schedule->n_steps);
      nanoseconds += step.nanoseconds;
    }
  wave->claim = acc_partition_choose_claim (wave->n_narrow, nanoseconds, acc_workers_get_n_threads (host->workers));
  if (wave->claim >= wave->n_narrow)
    wave->n_narrow = 0;
}

void
acc_waves_find (AccPrepared *self,
                AccHost     *host)
{
  guint n_steps = self->schedule->n_steps, n_bands = 0;
  gboolean alone = acc_workers_get_n_threads (host->workers) < 2 || (acc_disable_get_flags () & ACC_DISABLE_WAVES);
  g_autoptr(GPtrArray) bands = acc_bands_find (self, host);
  g_autoptr(GArray) waves = g_array_new (FALSE, FALSE, sizeof (AccWave));
  g_autofree guint *writers = g_new0 (guint, self->schedule->n_values + 1);   /* 1 + step; 0: none yet */
  g_autofree guint *narrow = g_new (guint, n_steps + 1);
  gboolean gains = bands->len > 0;

  if (n_steps < 2 || (alone && bands->len == 0))
    return;

  for (guint begin = 0; begin < n_steps;)
    {
      AccWave wave = { .begin = begin, .narrow = narrow + begin };
      AccBand *band = n_bands < bands->len ? g_ptr_array_index (bands, n_bands) : NULL;

      if (band != NULL && acc_band_get_begin (band) == begin)
        {
          wave.band = band;
          wave.end = acc_band_get_end (band);
          n_bands++;
        }
      else
        {
          wave.end = find_end (self, begin, band != NULL ? acc_band_get_begin (band) : n_steps, writers);
          if (!alone)
            find_narrow (self, host, &wave);
        }
      gains |= wave.n_narrow > 0;
      g_array_append_val (waves, wave);
      begin = wave.end;
    }

  if (gains)
    {
      self->n_waves = waves->len;
      self->waves = (AccWave *) g_array_free (g_steal_pointer (&waves), FALSE);
      self->narrow = g_steal_pointer (&narrow);
    }
}

void
acc_waves_free (AccPrepared *self)
{
  for (guint w = 0; w < self->n_waves; w++)
    g_clear_pointer (&self->waves[w].band, acc_band_free);
  g_free (self->waves);
  g_free (self->narrow);
}
