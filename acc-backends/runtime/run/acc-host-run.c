/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-host-run.h"

#include "acc-launch.h"
#include "acc-times.h"

/* Scratch up to here shares a buffer with others. */
#define SMALL_SCRATCH 16384
#define LINE          64

/* Into which a round is cut, where memory is short. */
#define MOST_ROUNDS 256
/* What a scratch of rounds may have of the memory limit in a run by rows, beside windows and results. */
#define ROUND_SHARE 16

gsize
acc_host_run_count_step_memory (AccPrepared *prepared)
{
  return 2 * (gsize) prepared->max_scratch + prepared->max_slots;
}

void
acc_host_run_set_step_memory (AccHostRun *self,
                              gpointer   *memory)
{
  G_STATIC_ASSERT (sizeof (gpointer) == sizeof (guint64));

  self->scratch = memory;
  self->held = (AccBuffer **) (memory + self->parent.prepared->max_scratch);
  self->slots = (guint64 *) (self->held + self->parent.prepared->max_scratch);
  self->small = NULL;
}

void
acc_host_run_clear_step_memory (AccHostRun *self)
{
  g_clear_pointer (&self->small, acc_buffer_unref);
}

static void
host_run_clear (AccRun *self)
{
  acc_host_run_clear_step_memory ((AccHostRun *) self);
}

/* --- memory */

static gboolean
host_run_map (AccRun     *self,
              AccBuffer  *given,
              GError    **error)
{
  return acc_buffer_map (given, error) != NULL;
}

static AccBuffer *
host_run_allocate (AccRun      *self,
                   gsize        bytes,
                   const char  *what,
                   GError     **error)
{
  return (self->exact ? acc_pool_allocate_exact : acc_pool_allocate) (self->host->pool, bytes, what, error);
}

static guint64
host_run_count_held (AccRun     *self,
                     AccBuffer **given)
{
  AccBuffer *small = ((AccHostRun *) self)->small;
  guint64 held = small != NULL ? small->size : 0;

  for (guint k = 0; k < self->prepared->n_buffers; k++)
    if (self->buffers[k] != NULL && self->buffers[k] != given[k])
      held += self->buffers[k]->size;

  return held;
}

/* Of rounds as long as the limit lets them be, whatever is held now: so plans find what runs do. */
static gpointer
host_run_allocate_scratch (AccRun                 *self,
                           const AccScheduleStep  *step,
                           guint                   scratch,
                           guint64                *held,
                           GError                **error)
{
  guint64 limit = acc_budget_get_limit (acc_pool_get_budget (self->host->pool));
  guint n_threads = acc_workers_get_n_threads (self->host->workers);
  gint64 rows = step->round_rows;
  AccBuffer *buffer;

  while (limit > 0 && step->scratch[scratch].row_bytes > 0 && rows / 2 > step->round_rows / MOST_ROUNDS &&
         acc_prepared_get_scratch_bytes (step, scratch, n_threads, rows) > limit / ROUND_SHARE)
    rows /= 2;
  buffer = acc_pool_allocate_exact (self->host->pool, acc_prepared_get_scratch_bytes (step, scratch, n_threads, rows), step->name, error);

  *held += buffer != NULL ? buffer->size : 0;

  return buffer;
}

static gboolean
allocate_scratch (AccHostRun             *self,
                  const AccScheduleStep  *step,
                  GError                **error)
{
  AccPool *pool = self->parent.host->pool;
  guint n_threads = acc_workers_get_n_threads (self->parent.host->workers);
  AccBuffer **held = self->held;
  gsize small = 0;
  guint8 *next = NULL;

  for (guint i = 0; i < step->n_scratch; i++)
    {
      gsize bytes = acc_prepared_get_scratch_bytes (step, i, n_threads, self->round_rows);

      small += bytes <= SMALL_SCRATCH ? (bytes + LINE - 1) / LINE * LINE : 0;
    }
  if (self->small != NULL && self->small->size < small)
    acc_host_run_clear_step_memory (self);
  if (self->small == NULL && small > 0)
    self->small = acc_pool_allocate (pool, small, step->name, error);
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
      *held = acc_pool_allocate (pool, bytes, step->name, error);
      if (*held == NULL)
        return FALSE;
      self->scratch[i] = (*held++)->data;
    }

  return TRUE;
}

static void
free_scratch (AccHostRun            *self,
              const AccScheduleStep *step)
{
  for (guint i = 0; i < step->n_scratch; i++)
    g_clear_pointer (&self->held[i], acc_buffer_unref);
}

/* Halves the rounds if there is no memory for long ones. */
static gboolean
take_scratch (AccHostRun             *self,
              const AccScheduleStep  *step,
              GError                **error)
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

/* --- launches */

static void
fill_slots (AccHostRun         *self,
            const AccLaunch    *launch,
            const AccRunWindow *windows,
            guint64            *slots)
{
  for (guint i = 0; i < launch->n_slots; i++)
    {
      const AccSlot *slot = &launch->slots[i];
      guint buffer;

      switch (slot->kind)
        {
        case ACC_SLOT_BUFFER:
          buffer = self->parent.prepared->values[slot->value].first_buffer + slot->buffer;
          if (windows != NULL && windows[buffer].is_set)
            slots[i] = (guint64) windows[buffer].offset;
          else
            slots[i] = (guintptr) self->parent.buffers[buffer]->data;
          break;
        case ACC_SLOT_LITERAL:
          slots[i] = slot->bits;
          break;
        case ACC_SLOT_SCRATCH:
          slots[i] = (guintptr) self->scratch[slot->scratch];
          break;
        case ACC_SLOT_N_WORKERS:
          slots[i] = acc_workers_get_n_threads (self->parent.host->workers);
          break;
        }
    }
}

/* Number @first and those that sweep along with it, @n in all. */
static gboolean
run_together (AccHostRun          *self,
              guint                number,
              guint                first,
              guint                n,
              const AccPartition  *partition,
              const AccRunWindow  *windows,
              GError             **error)
{
  AccLaunchContext context = { self->parent.host, self->parent.prepared, self->parent.cancellable };
  const AccPreparedStep *prepared = &self->parent.prepared->steps[number];
  guint64 *slots = self->slots;
  gint64 begin = acc_times_begin ();

  for (guint k = first; k < first + n; k++)
    {
      fill_slots (self, &prepared->step->launches[k], windows, slots);
      slots += prepared->step->launches[k].n_slots;
    }
  if (!acc_launch_run (&context, &prepared->launches[first], n, partition, self->slots, error))
    return FALSE;
  acc_times_end_launches (begin, prepared->step, first, n);

  return TRUE;
}

gboolean
acc_host_run_launches (AccHostRun  *self,
                       guint        number,
                       guint        n_launches,
                       GError     **error)
{
  const AccPreparedStep *prepared = &self->parent.prepared->steps[number];

  for (guint i = 0, n; i < n_launches; i += n)
    {
      n = acc_launch_count_swept (prepared->step, i);
      if (!run_together (self, number, i, n, &prepared->launches[i].whole, NULL, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
run_round (AccHostRun          *self,
           guint                number,
           gint64               begin,
           gint64               end,
           const AccRunWindow  *windows,
           GError             **error)
{
  const AccPreparedStep *prepared = &self->parent.prepared->steps[number];
  guint n_threads = acc_workers_get_n_threads (self->parent.host->workers);
  AccPartition partition;

  for (guint i = 0, n; i < prepared->step->n_launches; i += n)
    {
      n = acc_launch_count_swept (prepared->step, i);
      if (acc_prepared_find_rows (prepared, i, begin, end, n_threads, &partition)
          && !run_together (self, number, i, n, &partition, windows, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
run_rounds (AccHostRun          *self,
            guint                number,
            gint64               begin,
            gint64               end,
            const AccRunWindow  *windows,
            GError             **error)
{
  gint64 most = self->round_rows;

  while (most > 0 && end - begin > most)
    {
      if (!run_round (self, number, begin, begin + most, windows, error))
        return FALSE;
      begin += most;
    }

  return run_round (self, number, begin, end, windows, error);
}

/* Rows of a round for which all @scratch has room. */
static gint64
count_round_rows (const AccScheduleStep  *step,
                  gpointer               *scratch)
{
  gint64 rows = step->round_rows;

  for (guint i = 0; i < step->n_scratch; i++)
    {
      gsize row_bytes = step->scratch[i].row_bytes;
      gsize size = ((AccBuffer *) scratch[i])->size;

      if (row_bytes > 0)
        rows = MIN (rows, (gint64) ((size - acc_prepared_get_scratch_bytes (step, i, 1, 0)) / row_bytes));
    }

  return rows;
}

static gboolean
host_run_run_rows (AccRun              *run,
                   guint                number,
                   gint64               begin,
                   gint64               end,
                   const AccRunWindow  *windows,
                   gpointer            *scratch,
                   GError             **error)
{
  AccHostRun *self = (AccHostRun *) run;
  const AccScheduleStep *step = run->prepared->steps[number].step;

  for (guint i = 0; i < step->n_scratch; i++)
    self->scratch[i] = ((AccBuffer *) scratch[i])->data;
  self->round_rows = count_round_rows (step, scratch);

  return run_rounds (self, number, begin, end, windows, error);
}

static gboolean
host_run_run_step (AccRun  *run,
                   guint    number,
                   GError **error)
{
  AccHostRun *self = (AccHostRun *) run;
  const AccScheduleStep *step = run->prepared->steps[number].step;
  gboolean ok;

  for (guint i = 0; i < step->n_writes; i++)
    if (!acc_run_allocate (run, step->writes[i], error))
      return FALSE;

  ok = take_scratch (self, step, error) && (step->round_rows > 0 ? run_rounds (self, number, 0, step->n_rows, NULL, error)
                                                                 : acc_host_run_launches (self, number, step->n_launches, error));
  free_scratch (self, step);

  return ok;
}

static const AccRunClass host_run_class = {
  .map = host_run_map,
  .allocate = host_run_allocate,
  .run_step = host_run_run_step,
  .run_rows = host_run_run_rows,
  .allocate_scratch = host_run_allocate_scratch,
  .free_scratch = (void (*) (gpointer)) acc_buffer_unref,
  .keep = acc_run_allocate,
  .count_held = host_run_count_held,
  .clear = host_run_clear,
};

AccRun *
acc_host_run_new (AccHost      *host,
                  AccPrepared  *prepared,
                  GCancellable *cancellable)
{
  AccHostRun *self = acc_run_construct (&host_run_class, sizeof (AccHostRun), acc_host_run_count_step_memory (prepared), host, prepared,
                                        cancellable);

  acc_host_run_set_step_memory (self, acc_run_get_room (&self->parent));

  return &self->parent;
}
