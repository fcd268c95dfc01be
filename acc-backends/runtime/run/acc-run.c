/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-run.h"

#include "acc-device-run.h"
#include "acc-times.h"
#include "acc-waves.h"

/* Scratch up to here shares a buffer with others. */
#define SMALL_SCRATCH 16384
#define LINE          64

/* Into which a round is cut, where memory is short. */
#define MOST_ROUNDS 256

gsize
acc_run_count_step_memory (AccPrepared *prepared)
{
  return 2 * (gsize) prepared->max_scratch + prepared->max_slots;
}

void
acc_run_set_step_memory (AccRun   *self,
                         gpointer *memory)
{
  G_STATIC_ASSERT (sizeof (gpointer) == sizeof (guint64));

  self->scratch = memory;
  self->held = (AccBuffer **) (memory + self->prepared->max_scratch);
  self->slots = (guint64 *) (self->held + self->prepared->max_scratch);
  self->small = NULL;
}

void
acc_run_clear_step_memory (AccRun *self)
{
  g_clear_pointer (&self->small, acc_buffer_unref);
}

void
acc_run_init (AccRun       *self,
              AccHost      *host,
              AccPrepared  *prepared,
              GCancellable *cancellable)
{
  gpointer *memory = g_new0 (gpointer, prepared->n_buffers + acc_run_count_step_memory (prepared));

  *self = (AccRun) { .host = host, .prepared = prepared };
  self->buffers = (AccBuffer **) memory;
  acc_run_set_step_memory (self, memory + prepared->n_buffers);
  acc_launch_context_init (&self->launch, host, prepared, cancellable);
}

void
acc_run_clear (AccRun *self)
{
  for (guint i = 0; i < self->prepared->schedule->n_values; i++)
    acc_run_free_value (self, i);
  acc_run_clear_step_memory (self);
  g_clear_pointer (&self->buffers, g_free);
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
        self->buffers[k] = (self->exact ? acc_pool_allocate_exact : acc_pool_allocate) (self->host->pool, self->prepared->buffer_bytes[k],
                                                                                        v->name, error);
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
          given = arguments[schedule->values[i].position]->buffers;
          break;
        case ACC_VALUE_MANIFEST:
          given = schedule->values[i].array->buffers;
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
          if (acc_buffer_map (given[k], error) == NULL)
            {
              g_prefix_error (error, "%s: ", v->name);
              return FALSE;
            }
          self->buffers[v->first_buffer + k] = given[k];
        }
    }

  return TRUE;
}

static void
fill_slots (gpointer         data,
            const AccLaunch *launch,
            guint64         *slots)
{
  AccRun *self = data;

  for (guint i = 0; i < launch->n_slots; i++)
    {
      const AccSlot *slot = &launch->slots[i];

      switch (slot->kind)
        {
        case ACC_SLOT_BUFFER:
          slots[i] = (guintptr) self->buffers[self->prepared->values[slot->value].first_buffer + slot->buffer]->data;
          break;
        case ACC_SLOT_LITERAL:
          slots[i] = slot->bits;
          break;
        case ACC_SLOT_SCRATCH:
          slots[i] = (guintptr) self->scratch[slot->scratch];
          break;
        case ACC_SLOT_N_WORKERS:
          slots[i] = acc_workers_get_n_threads (self->host->workers);
          break;
        }
    }
}

static gboolean
allocate_scratch (AccRun                *self,
                  const AccScheduleStep *step,
                  GError               **error)
{
  guint n_threads = acc_workers_get_n_threads (self->host->workers);
  AccBuffer **held = self->held;
  gsize small = 0;
  guint8 *next = NULL;

  for (guint i = 0; i < step->n_scratch; i++)
    {
      gsize bytes = acc_prepared_get_scratch_bytes (step, i, n_threads, self->round_rows);

      small += bytes <= SMALL_SCRATCH ? (bytes + LINE - 1) / LINE * LINE : 0;
    }
  if (self->small != NULL && self->small->size < small)
    acc_run_clear_step_memory (self);
  if (self->small == NULL && small > 0)
    self->small = acc_pool_allocate (self->host->pool, small, step->name, error);
  if (small > 0)
    {
      if (self->small == NULL)
        return FALSE;
      next = self->small->data;
    }

  for (guint i = 0; i < step->n_scratch; i++)
    {
      gsize bytes = acc_prepared_get_scratch_bytes (step, i, n_threads, self->round_rows);

      if (bytes <= SMALL_SCRATCH)
        {
          self->scratch[i] = next;
          next += (bytes + LINE - 1) / LINE * LINE;
          continue;
        }
      *held = acc_pool_allocate (self->host->pool, bytes, step->name, error);
      if (*held == NULL)
        return FALSE;
      self->scratch[i] = (*held++)->data;
    }

  return TRUE;
}

static void
free_scratch (AccRun                *self,
              const AccScheduleStep *step)
{
  for (guint i = 0; i < step->n_scratch; i++)
    g_clear_pointer (&self->held[i], acc_buffer_unref);
}

/* By shorter rounds, where there is no memory for long ones. */
static gboolean
take_scratch (AccRun                *self,
              const AccScheduleStep *step,
              GError               **error)
{
  gint64 least = step->round_rows / MOST_ROUNDS;
  GError *failure = NULL;

  self->round_rows = step->round_rows;
  while (!allocate_scratch (self, step, &failure))
    {
      free_scratch (self, step);
      if (self->round_rows / 2 <= least || !g_error_matches (failure, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
      g_clear_error (&failure);
      self->round_rows /= 2;
    }

  return TRUE;
}

/* Number @first and those that sweep along with it, @n in all. */
static gboolean
run_together (AccRun              *self,
              guint                number,
              guint                first,
              guint                n,
              const AccPartition  *partition,
              AccRunFill           fill,
              gpointer             data,
              GError             **error)
{
  const AccPreparedStep *prepared = &self->prepared->steps[number];
  const AccScheduleStep *step = prepared->step;
  guint64 *slots = self->slots;
  gint64 begin = acc_times_begin ();

  for (guint k = first; k < first + n; k++)
    {
      fill (data, &step->launches[k], slots);
      slots += step->launches[k].n_slots;
    }
  if (!acc_launch_run (&self->launch, &prepared->launches[first], n, partition, self->slots, error))
    return FALSE;
  acc_times_end_launches (begin, step, first, n);

  return TRUE;
}

gboolean
acc_run_launches (AccRun  *self,
                  guint    number,
                  guint    n_launches,
                  GError **error)
{
  const AccPreparedStep *prepared = &self->prepared->steps[number];

  for (guint i = 0, n; i < n_launches; i += n)
    {
      n = acc_launch_count_swept (prepared->step, i);
      if (!run_together (self, number, i, n, &prepared->launches[i].whole, fill_slots, self, error))
        return FALSE;
    }

  return TRUE;
}

/* FALSE: the launch has nothing to do with rows [begin, end). */
static gboolean
find_partition (AccRun                *self,
                const AccPreparedStep *prepared,
                guint                  i,
                gint64                 begin,
                gint64                 end,
                AccPartition          *partition)
{
  const AccScheduleStep *step = prepared->step;

  switch (step->launches[i].rows)
    {
    case ACC_SPACE_FIRST:
      *partition = prepared->launches[i].whole;
      return begin == 0;
    case ACC_SPACE_WHOLE:
      *partition = prepared->launches[i].whole;
      return step->combine_per_band ? begin < end : end >= step->n_rows;
    case ACC_SPACE_OUTER_ROWS:
    case ACC_SPACE_INNER_ROWS:
    default:
      if (begin < end)
        acc_partition_init_rows (partition, &step->launches[i], begin, end, acc_workers_get_n_threads (self->host->workers));
      return begin < end;
    }
}

static gboolean
run_round (AccRun      *self,
           guint        number,
           gint64       begin,
           gint64       end,
           AccRunFill   fill,
           gpointer     data,
           GError     **error)
{
  const AccPreparedStep *prepared = &self->prepared->steps[number];
  AccPartition partition;

  for (guint i = 0, n; i < prepared->step->n_launches; i += n)
    {
      n = acc_launch_count_swept (prepared->step, i);
      if (find_partition (self, prepared, i, begin, end, &partition) && !run_together (self, number, i, n, &partition, fill, data, error))
        return FALSE;
    }

  return TRUE;
}

gboolean
acc_run_rows (AccRun      *self,
              guint        number,
              gint64       begin,
              gint64       end,
              AccRunFill   fill,
              gpointer     data,
              GError     **error)
{
  gint64 most = self->round_rows;

  while (most > 0 && end - begin > most)
    {
      if (!run_round (self, number, begin, begin + most, fill, data, error))
        return FALSE;
      begin += most;
    }

  return run_round (self, number, begin, end, fill, data, error);
}

gboolean
acc_run_step (AccRun  *self,
              guint    number,
              GError **error)
{
  const AccScheduleStep *step = self->prepared->steps[number].step;
  gint64 begin = acc_times_begin ();
  gboolean ok;

  for (guint i = 0; i < step->n_writes; i++)
    if (!acc_run_allocate (self, step->writes[i], error))
      return FALSE;

  ok = take_scratch (self, step, error) &&
       (step->round_rows > 0 ? acc_run_rows (self, number, 0, step->n_rows, fill_slots, self, error)
                             : acc_run_launches (self, number, step->n_launches, error));
  free_scratch (self, step);
  acc_times_end_steps (begin, self->prepared->schedule, number, number + 1, NULL);

  return ok;
}

gboolean
acc_run_whole (AccHost       *host,
               AccPrepared   *prepared,
               AccArray     **arguments,
               AccArray     **results,
               GCancellable  *cancellable,
               GError       **error)
{
  AccSchedule *schedule = prepared->schedule;
  AccRun run;
  gboolean ok;

  if (host->heap != NULL)
    return acc_device_run_whole (host, prepared, arguments, results, cancellable, error);

  acc_run_init (&run, host, prepared, cancellable);

  ok = acc_run_bind (&run, arguments, FALSE, error) && !g_cancellable_set_error_if_cancelled (cancellable, error);
  for (guint w = 0; w < prepared->n_waves && ok; w++)
    ok = acc_wave_run (&run, &prepared->waves[w], error);
  for (guint s = 0; s < schedule->n_steps && ok && prepared->n_waves == 0; s++)
    {
      ok = acc_run_step (&run, s, error);
      acc_run_free_after (&run, s);
    }
  for (guint r = 0; r < schedule->n_results; r++)
    results[r] = ok ? acc_run_make_result (&run, r) : NULL;
  acc_run_clear (&run);

  return ok;
}
