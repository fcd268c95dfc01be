/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-row-layout.h"

/* Up to this size, values that do not depend on a source are computed whole, at once. */
#define SMALL_BYTES (64 * 1024)

static gint64
count_rows (AccRowLayout *self,
            guint         value)
{
  const AccScheduleValue *v = &self->schedule->values[value];

  return v->rank > 0 ? v->extents[0] : 1;
}

/* Whether a step needs only some rows of read number @read around each of its own. */
static gboolean
is_windowed (AccRowLayout *self,
             guint         step,
             guint         read)
{
  const AccScheduleStep *s = &self->schedule->steps[step];
  gint64 n_rows = count_rows (self, s->reads[read]);

  return s->row_reads != NULL && s->row_reads[read].above >= 0 && s->row_reads[read].below >= 0
         && (n_rows <= 1 || (s->row_reads[read].above < n_rows && s->row_reads[read].below < n_rows));
}

static void
find_streamed (AccRowLayout *self)
{
  const AccSchedule *schedule = self->schedule;

  for (guint i = 0; i < schedule->n_values; i++)
    {
      self->writers[i] = -1;
      self->streamed[i] = schedule->values[i].role == ACC_VALUE_SOURCE;
      self->has_sources |= self->streamed[i];
    }

  for (guint s = 0; s < schedule->n_steps; s++)
    {
      const AccScheduleStep *step = &schedule->steps[s];
      gboolean streamed = FALSE;

      for (guint i = 0; i < step->n_reads; i++)
        streamed |= self->streamed[step->reads[i]];
      for (guint i = 0; i < step->n_writes; i++)
        {
          self->streamed[step->writes[i]] |= streamed;
          self->writers[step->writes[i]] = (int) s;
        }
      self->by_rows[s] = streamed;
    }
}

static gboolean
is_result (AccRowLayout *self,
           guint         value)
{
  for (guint i = 0; i < self->schedule->n_results; i++)
    if (self->schedule->results[i] == value)
      return TRUE;

  return FALSE;
}

/* Whether all who read the value, which are decided on, read some of its rows at a time. */
static gboolean
is_read_by_rows (AccRowLayout *self,
                 guint         value,
                 guint        *n_readers)
{
  const AccSchedule *schedule = self->schedule;

  for (guint s = 0; s < schedule->n_steps; s++)
    for (guint i = 0; i < schedule->steps[s].n_reads; i++)
      if (schedule->steps[s].reads[i] == value)
        {
          if (!self->by_rows[s] || !is_windowed (self, s, i))
            return FALSE;
          ++*n_readers;
        }

  return TRUE;
}

/* For a step that depends on no source. */
static gboolean
should_run_by_rows (AccRowLayout *self,
                    guint         number)
{
  const AccScheduleStep *step = &self->schedule->steps[number];
  gboolean needed = FALSE, computed = FALSE;

  if (step->row_error != NULL || (step->reduces && self->has_sources))
    return FALSE;

  for (guint i = 0; i < step->n_reads; i++)
    computed |= self->writers[step->reads[i]] >= 0 && is_windowed (self, number, i);
  if (step->reduces && !computed)
    return FALSE;

  for (guint i = 0; i < step->n_writes; i++)
    {
      guint value = step->writes[i], n_readers = 0;
      gboolean wanted = is_result (self, value);

      if (!is_read_by_rows (self, value, &n_readers) || (step->reduces && n_readers > 0))
        return FALSE;
      if (!step->reduces && count_rows (self, value) != step->n_rows)
        return FALSE;
      needed |= wanted && !self->has_sources;
      needed |= (wanted || n_readers > 0) && acc_schedule_get_bytes (self->schedule, value) > SMALL_BYTES;
    }

  return needed;
}

static gboolean
check (AccRowLayout  *self,
       GError       **error)
{
  const AccSchedule *schedule = self->schedule;

  for (guint s = 0; s < schedule->n_steps; s++)
    {
      const AccScheduleStep *step = &schedule->steps[s];

      if (self->by_rows[s] && step->row_error != NULL)
        {
          g_set_error_literal (error, ACC_ERROR, ACC_ERROR_STREAM, step->row_error);
          return FALSE;
        }
    }

  /* Without sources no step must go by rows: the caller wants the results that way. */
  for (guint r = 0; r < schedule->n_results && !self->has_sources; r++)
    {
      guint value = schedule->results[r];
      int writer = self->writers[value];

      if (writer < 0 || !self->by_rows[writer])
        {
          const char *why = writer >= 0 ? schedule->steps[writer].row_error : NULL;

          if (why != NULL)
            g_set_error_literal (error, ACC_ERROR, ACC_ERROR_STREAM, why);
          else
            {
              g_autofree char *name = acc_array_describe (schedule->values[value].array);

              g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s is not computed by rows", name);
            }
          return FALSE;
        }
    }

  return TRUE;
}

gboolean
acc_row_layout_init (AccRowLayout  *self,
                     AccSchedule   *schedule,
                     gboolean       has_sources,
                     GError       **error)
{
  *self = (AccRowLayout) { .schedule = schedule, .has_sources = has_sources };
  self->streamed = g_new0 (gboolean, schedule->n_values + 1);
  self->in_rows = g_new0 (gboolean, schedule->n_values + 1);
  self->writers = g_new0 (int, schedule->n_values + 1);
  self->by_rows = g_new0 (gboolean, schedule->n_steps + 1);

  find_streamed (self);
  for (guint s = schedule->n_steps; s-- > 0;)
    if (!self->by_rows[s])
      self->by_rows[s] = should_run_by_rows (self, s);
  for (guint i = 0; i < schedule->n_values; i++)
    self->in_rows[i] = schedule->values[i].role == ACC_VALUE_SOURCE || (self->writers[i] >= 0 && self->by_rows[self->writers[i]]);

  return check (self, error);
}

void
acc_row_layout_clear (AccRowLayout *self)
{
  g_clear_pointer (&self->streamed, g_free);
  g_clear_pointer (&self->in_rows, g_free);
  g_clear_pointer (&self->writers, g_free);
  g_clear_pointer (&self->by_rows, g_free);
}

gboolean
acc_row_layout_is_cached (AccRowLayout *self,
                          guint         value)
{
  return self->in_rows[value] && self->schedule->values[value].role == ACC_VALUE_COMPUTED && !is_result (self, value);
}

AccTraffic
acc_row_layout_count_traffic (AccRowLayout *self)
{
  g_autofree gboolean *cached = g_new0 (gboolean, self->schedule->n_values + 1);

  for (guint i = 0; i < self->schedule->n_values; i++)
    cached[i] = acc_row_layout_is_cached (self, i);

  return acc_schedule_count_traffic (self->schedule, cached);
}
