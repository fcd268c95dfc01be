/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-row-layout.h"

/* What does not depend on a source is computed whole, at once, up to this size. */
#define SMALL_BYTES (64 * 1024)

gboolean
acc_row_layout_is_windowed (AccRowLayout *self,
                            guint         step,
                            guint         read)
{
  const AccScheduleStep *s = &self->prepared->schedule->steps[step];
  gint64 n_rows = self->prepared->values[s->reads[read]].n_rows;

  return s->row_reads != NULL && s->row_reads[read].above >= 0 && s->row_reads[read].below >= 0
         && (n_rows <= 1 || (s->row_reads[read].above < n_rows && s->row_reads[read].below < n_rows));
}

static void
find_streamed (AccRowLayout *self)
{
  const AccSchedule *schedule = self->prepared->schedule;

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
  for (guint i = 0; i < self->prepared->schedule->n_results; i++)
    if (self->prepared->schedule->results[i] == value)
      return TRUE;

  return FALSE;
}

static guint64
get_bytes (AccRowLayout *self,
           guint         value)
{
  const AccPreparedValue *v = &self->prepared->values[value];
  guint64 bytes = 0;

  for (guint k = 0; k < v->n_buffers; k++)
    bytes += self->prepared->buffer_bytes[v->first_buffer + k];

  return bytes;
}

/* Whether all who read the value, which are decided on, read some of its rows at a time. */
static gboolean
is_read_by_rows (AccRowLayout *self,
                 guint         value,
                 guint        *n_readers)
{
  const AccSchedule *schedule = self->prepared->schedule;

  for (guint s = 0; s < schedule->n_steps; s++)
    for (guint i = 0; i < schedule->steps[s].n_reads; i++)
      if (schedule->steps[s].reads[i] == value)
        {
          if (!self->by_rows[s] || !acc_row_layout_is_windowed (self, s, i))
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
  const AccScheduleStep *step = &self->prepared->schedule->steps[number];
  gboolean needed = FALSE, computed = FALSE;

  if (step->row_error != NULL || (step->reduces && self->has_sources))
    return FALSE;

  for (guint i = 0; i < step->n_reads; i++)
    computed |= self->writers[step->reads[i]] >= 0 && acc_row_layout_is_windowed (self, number, i);
  if (step->reduces && !computed)
    return FALSE;

  for (guint i = 0; i < step->n_writes; i++)
    {
      guint value = step->writes[i], n_readers = 0;
      gboolean wanted = is_result (self, value);

      if (!is_read_by_rows (self, value, &n_readers) || (step->reduces && n_readers > 0))
        return FALSE;
      if (!step->reduces && self->prepared->values[value].n_rows != step->n_rows)
        return FALSE;
      needed |= wanted && !self->has_sources;
      needed |= (wanted || n_readers > 0) && get_bytes (self, value) > SMALL_BYTES;
    }

  return needed;
}

static gboolean
check (AccRowLayout  *self,
       GError       **error)
{
  const AccSchedule *schedule = self->prepared->schedule;

  for (guint s = 0; s < schedule->n_steps; s++)
    {
      const AccScheduleStep *step = &schedule->steps[s];

      if (self->by_rows[s] && step->row_error != NULL)
        {
          g_set_error_literal (error, ACC_ERROR, ACC_ERROR_STREAM, step->row_error);
          return FALSE;
        }
    }

  /* Without sources nobody must go by rows, so that who asks wants the results that way. */
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
            g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s is not computed by rows", self->prepared->values[value].name);
          return FALSE;
        }
    }

  return TRUE;
}

gboolean
acc_row_layout_init (AccRowLayout  *self,
                     AccPrepared   *prepared,
                     gboolean       has_sources,
                     GError       **error)
{
  const AccSchedule *schedule = prepared->schedule;

  *self = (AccRowLayout) { .prepared = prepared, .has_sources = has_sources };
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
