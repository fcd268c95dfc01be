/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-prepared.h"

#include "acc-waves.h"
#include "acc-backends/ir/acc-kernel-private.h"
#include "acc-source.h"

static char *
describe_value (const AccScheduleValue *value)
{
  const char *name = value->role == ACC_VALUE_SOURCE ? acc_source_get_name (acc_array_get_source (value->array)) : NULL;

  return name != NULL ? g_strdup_printf ("source “%s”", name) : acc_array_describe (value->array);
}

static gboolean
measure_values (AccPrepared  *self,
                GError      **error)
{
  AccSchedule *schedule = self->schedule;
  guint n_buffers = 0;

  self->values = g_new0 (AccPreparedValue, schedule->n_values);
  for (guint i = 0; i < schedule->n_values; i++)
    {
      self->values[i].name = describe_value (&schedule->values[i]);
      self->values[i].first_buffer = n_buffers;
      self->values[i].n_buffers = acc_element_type_get_n_buffers (schedule->values[i].type);
      n_buffers += self->values[i].n_buffers;
    }
  self->n_buffers = n_buffers;
  self->buffer_bytes = g_new0 (gsize, n_buffers);
  self->element_bytes = g_new0 (gsize, n_buffers);

  for (guint i = 0; i < schedule->n_values; i++)
    {
      const AccScheduleValue *value = &schedule->values[i];
      AccPreparedValue *prepared = &self->values[i];
      guint64 n = 1, row = 1;
      gboolean fits = TRUE, empty = FALSE;

      for (guint d = 0; d < value->rank; d++)
        empty |= value->extents[d] <= 0;
      for (guint d = 0; d < value->rank && !empty; d++)
        {
          fits = fits && g_uint64_checked_mul (&n, n, (guint64) value->extents[d]);
          if (d > 0)
            fits = fits && g_uint64_checked_mul (&row, row, (guint64) value->extents[d]);
        }
      /* Rows of an array without elements may have elements, and there may be rows without any. */
      if (empty)
        {
          n = 0;
          for (guint d = 1; d < value->rank; d++)
            if (value->extents[d] <= 0 || !g_uint64_checked_mul (&row, row, (guint64) value->extents[d]))
              row = 0;
        }

      for (guint k = 0; k < prepared->n_buffers; k++)
        {
          guint buffer = prepared->first_buffer + k;
          guint64 bytes;

          self->element_bytes[buffer] = acc_element_type_get_buffer_size (value->type, k);
          fits = fits && g_uint64_checked_mul (&bytes, n, self->element_bytes[buffer]) && bytes <= G_MAXINT64;
          if (fits)
            self->buffer_bytes[buffer] = bytes;
        }
      if (!fits || n > G_MAXINT64)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s: the array is larger than any memory", prepared->name);
          return FALSE;
        }
      prepared->n_elements = (gint64) n;
      prepared->row_elements = (gint64) MIN (row, (guint64) G_MAXINT64);
      prepared->n_rows = value->rank > 0 ? MAX (value->extents[0], 0) : 1;
    }

  return TRUE;
}

static void
list_freed (AccPrepared *self)
{
  AccSchedule *schedule = self->schedule;
  g_autofree int *last = g_new (int, schedule->n_values + 1);
  guint n = 0;

  for (guint i = 0; i < schedule->n_values; i++)
    last[i] = -1;
  for (guint s = 0; s < schedule->n_steps; s++)
    {
      const AccScheduleStep *step = &schedule->steps[s];

      for (guint i = 0; i < step->n_reads; i++)
        last[step->reads[i]] = (int) s;
      for (guint i = 0; i < step->n_writes; i++)
        last[step->writes[i]] = (int) s;
    }
  for (guint i = 0; i < schedule->n_results; i++)
    last[schedule->results[i]] = -1;

  /* Each value is freed once at most, so one array holds them all. */
  self->freed = g_new (guint, schedule->n_values + 1);
  for (guint i = 0; i < schedule->n_values; i++)
    if (last[i] >= 0 && schedule->values[i].role == ACC_VALUE_COMPUTED)
      self->steps[last[i]].n_freed++;
  for (guint s = 0; s < schedule->n_steps; s++)
    {
      self->steps[s].freed = self->freed + n;
      n += self->steps[s].n_freed;
      self->steps[s].n_freed = 0;
    }
  for (guint i = 0; i < schedule->n_values; i++)
    if (last[i] >= 0 && schedule->values[i].role == ACC_VALUE_COMPUTED)
      {
        AccPreparedStep *step = &self->steps[last[i]];

        step->freed[step->n_freed++] = i;
      }
}

/* What a step writes in all. */
static guint64
count_written (AccPrepared           *self,
               const AccScheduleStep *step)
{
  guint64 bytes = 0;

  for (guint i = 0; i < step->n_writes; i++)
    {
      const AccPreparedValue *value = &self->values[step->writes[i]];

      for (guint k = 0; k < value->n_buffers; k++)
        bytes += MIN (self->buffer_bytes[value->first_buffer + k], G_MAXINT64 / 64);
    }

  return bytes;
}

static gboolean
writes_once (AccKernel *kernel)
{
  for (guint i = 0; i < kernel->params->len; i++)
    if (acc_kernel_param (kernel, i)->is_buffer && (acc_kernel_param (kernel, i)->flags & ACC_BUFFER_ONCE))
      return TRUE;

  return FALSE;
}

/* For each launch, step by step. */
static GArray *
list_requests (AccPrepared *self,
               AccHost     *host,
               gboolean     by_rows,
               gboolean     may_be_baseline)
{
  AccSchedule *schedule = self->schedule;
  GArray *requests = g_array_sized_new (FALSE, TRUE, sizeof (AccCodeRequest), schedule->n_steps);

  for (guint s = 0; s < schedule->n_steps; s++)
    {
      const AccScheduleStep *step = &schedule->steps[s];
      gboolean can_stream = !by_rows && host->streaming_bytes > 0,
        streams = can_stream && count_written (self, step) >= host->streaming_bytes;

      for (guint i = 0; i < step->n_launches; i++)
        {
          AccCodeRequest request = { .kernel = step->launches[i].kernel, .variant = host->variant };

          if ((streams || (can_stream && step->launches[i].spreads)) && writes_once (request.kernel))
            request.variant |= host->streaming_variant;
          if (may_be_baseline)
            request.cost = by_rows
                           ? ACC_CODE_ENDLESS : MAX (acc_partition_estimate (&self->steps[s].launches[i].whole, &step->launches[i]), 1);
          g_array_append_val (requests, request);
        }
    }

  return requests;
}

static gboolean
get_code (AccPrepared   *self,
          AccHost       *host,
          gboolean       by_rows,
          gboolean       may_be_baseline,
          GCancellable  *cancellable,
          GError       **error)
{
  g_autoptr(GArray) requests = list_requests (self, host, by_rows, may_be_baseline);
  guint n = 0, runs_left = G_MAXUINT;

  if (requests->len > 0 && !acc_code_get (host->code, (AccCodeRequest *) requests->data, requests->len, cancellable, error))
    return FALSE;

  for (guint s = 0; s < self->schedule->n_steps; s++)
    for (guint i = 0; i < self->schedule->steps[s].n_launches; i++)
      {
        const AccCodeRequest *request = &g_array_index (requests, AccCodeRequest, n++);

        self->steps[s].launches[i].entry = request->entry;
        self->steps[s].launches[i].kernel = request->device_kernel;
        self->steps[s].launches[i].may_fail = _acc_kernel_may_fail (request->kernel);
        self->steps[s].launches[i].may_stop = acc_kernel_may_stop (request->kernel);
        runs_left = MIN (runs_left, request->runs_left);
      }
  self->is_baseline = runs_left < G_MAXUINT;
  self->runs_left = (gint) MIN (runs_left, G_MAXINT);

  return TRUE;
}

gboolean
acc_prepared_find_rows (const AccPreparedStep *self,
                        guint                  launch,
                        gint64                 begin,
                        gint64                 end,
                        guint                  n_threads,
                        AccPartition          *partition)
{
  const AccScheduleStep *step = self->step;

  *partition = self->launches[launch].whole;
  switch (step->launches[launch].rows)
    {
    case ACC_SPACE_FIRST:
      return begin == 0;
    case ACC_SPACE_WHOLE:
      return step->combine_per_band ? begin < end : end >= step->n_rows;
    case ACC_SPACE_OUTER_ROWS:
    case ACC_SPACE_INNER_ROWS:
      if (begin < end)
        acc_partition_init_rows (partition, &step->launches[launch], begin, end, n_threads);
      return begin < end;
    default:
      g_return_val_if_reached (FALSE);
    }
}

gsize
acc_prepared_get_scratch_bytes (const AccScheduleStep *step,
                                guint                  scratch,
                                guint                  n_threads,
                                gint64                 round_rows)
{
  const AccScratch *s = &step->scratch[scratch];

  return s->tile_bytes > 0 ? s->tile_bytes * n_threads : s->bytes - s->row_bytes * (gsize) (step->round_rows - round_rows);
}

static gboolean
has_own_scratch (const AccScheduleStep *step,
                 const AccLaunch       *launch)
{
  for (guint i = 0; i < launch->n_slots; i++)
    if (launch->slots[i].kind == ACC_SLOT_SCRATCH && step->scratch[launch->slots[i].scratch].tile_bytes > 0)
      return TRUE;

  return FALSE;
}

AccPrepared *
acc_prepared_new (AccHost       *host,
                  AccSchedule   *schedule,
                  gboolean       by_rows,
                  gboolean       may_be_baseline,
                  GCancellable  *cancellable,
                  GError       **error)
{
  g_autoptr(AccPrepared) self = g_new0 (AccPrepared, 1);
  guint n_threads = acc_workers_get_n_threads (host->workers);

  g_atomic_ref_count_init (&self->ref_count);
  self->schedule = schedule;
  self->steps = g_new0 (AccPreparedStep, schedule->n_steps);
  for (guint s = 0; s < schedule->n_steps; s++)
    {
      const AccScheduleStep *step = &schedule->steps[s];
      guint n_slots = 0;

      self->steps[s].step = step;
      self->max_scratch = MAX (self->max_scratch, step->n_scratch);
      self->steps[s].launches = g_new0 (AccPreparedLaunch, step->n_launches);
      for (guint i = 0; i < step->n_launches; i++)
        {
          self->steps[s].launches[i].launch = &step->launches[i];
          self->steps[s].launches[i].has_own = has_own_scratch (step, &step->launches[i]);
          n_slots += step->launches[i].n_slots;
          self->max_slots = MAX (self->max_slots, n_slots);
          if (!step->launches[i].sweeps)
            n_slots = 0;
          acc_partition_init_whole (&self->steps[s].launches[i].whole, &step->launches[i], n_threads);
        }
    }

  if (!measure_values (self, error) || !get_code (self, host, by_rows, may_be_baseline, cancellable, error))
    return NULL;
  list_freed (self);
  if (host->heap == NULL && host->planner == NULL && !by_rows)
    acc_waves_find (self, host);

  return g_steal_pointer (&self);
}

void
acc_prepared_begin_run (AccPrepared *self,
                        AccHost     *host)
{
  g_autoptr(GArray) requests = NULL;

  if (!__atomic_load_n (&self->is_baseline, __ATOMIC_RELAXED) || __atomic_sub_fetch (&self->runs_left, 1, __ATOMIC_RELAXED) >= 0 ||
      !__atomic_exchange_n (&self->is_baseline, FALSE, __ATOMIC_RELAXED))
    return;

  /* Streams of rows do not come here: none of theirs may run for less than it takes to optimise it. */
  requests = list_requests (self, host, FALSE, TRUE);
  acc_code_optimise (host->code, (const AccCodeRequest *) requests->data, requests->len);
}

AccPrepared *
acc_prepared_ref (AccPrepared *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_prepared_unref (AccPrepared *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  for (guint s = 0; s < self->schedule->n_steps; s++)
    g_free (self->steps[s].launches);
  for (guint i = 0; self->values != NULL && i < self->schedule->n_values; i++)
    g_free (self->values[i].name);
  g_free (self->steps);
  g_free (self->freed);
  acc_waves_free (self);
  g_free (self->values);
  g_free (self->buffer_bytes);
  g_free (self->element_bytes);
  acc_schedule_free (self->schedule);
  g_free (self);
}
