/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device-run.h"

#include "acc-backends/runtime/device/acc-device-heap-private.h"
#include "acc-launch.h"
#include "acc-times.h"

#include "acc-core/base/acc-ceil-div-private.h"

/* Results up to here come back with the answer of whether kernels failed. */
#define SMALL_RESULT 256

typedef struct {
  AccRun            parent;
  AccDeviceHeap    *heap;
  AccDeviceBlock  **blocks;     /* per buffer: while a step is enqueued */
  AccDeviceBlock  **used;       /* of a step, n_used */
  guint             n_used;
  AccDeviceSlot    *slots;
  AccDeviceReport  *report;     /* how kernels failed */
  GPtrArray        *kept;       /* AccBuffer, pinned: what steps add to band by band, so that no copy of it elsewhere grows old */
  guint64           kept_bytes;
  gboolean          may_fail;   /* something is enqueued that has checks: they are asked for */
  gboolean          is_dirty;   /* something is enqueued that was not waited for */
} AccDeviceRun;

static void
unpin_kept (AccDeviceRun *self)
{
  for (guint i = 0; self->kept != NULL && i < self->kept->len; i++)
    acc_device_heap_unpin (self->heap, g_ptr_array_index (self->kept, i));
  g_clear_pointer (&self->kept, g_ptr_array_unref);
}

static void
device_run_clear (AccRun *run)
{
  AccDeviceRun *self = (AccDeviceRun *) run;

  if (self->is_dirty)
    acc_device_heap_drain (self->heap);
  unpin_kept (self);
  if (self->report != NULL)
    acc_device_heap_give_report (self->heap, self->report, !self->is_dirty);
  g_free (self->slots);
}

/* --- the blocks of a step: those in .blocks are pinned */

static void
unpin_all (AccDeviceRun *self)
{
  for (guint i = 0; i < self->parent.prepared->n_buffers; i++)
    if (self->blocks[i] != NULL)
      {
        acc_device_heap_unpin (self->heap, self->parent.buffers[i]);
        self->blocks[i] = NULL;
      }
  self->n_used = 0;
}

static gboolean
pin_buffer (AccDeviceRun  *self,
            guint          value,
            guint          buffer,
            GError       **error)
{
  const AccPreparedValue *v = &self->parent.prepared->values[value];
  guint i = v->first_buffer + buffer;
  gboolean is_new = self->parent.buffers[i] == NULL;

  if (self->blocks[i] != NULL)
    return TRUE;

  if (is_new)
    self->parent.buffers[i] = acc_device_heap_new_buffer (self->heap, self->parent.prepared->buffer_bytes[i], FALSE, v->name, error);
  if (self->parent.buffers[i] == NULL)
    return FALSE;

  self->blocks[i] = acc_device_heap_pin (self->heap, self->parent.buffers[i], v->name, error);
  if (is_new)
    acc_device_heap_unpin (self->heap, self->parent.buffers[i]);

  return self->blocks[i] != NULL;
}

static AccBuffer *
device_run_allocate (AccRun      *run,
                     gsize        bytes,
                     const char  *what,
                     GError     **error)
{
  AccDeviceRun *self = (AccDeviceRun *) run;
  AccBuffer *buffer = acc_device_heap_new_buffer (self->heap, bytes, TRUE, what, error);

  if (buffer != NULL)
    acc_device_heap_unpin (self->heap, buffer);

  return buffer;
}

static gboolean
device_run_keep (AccRun  *run,
                 guint    value,
                 GError **error)
{
  AccDeviceRun *self = (AccDeviceRun *) run;
  const AccPreparedValue *v = &run->prepared->values[value];

  if (!acc_run_allocate (run, value, error))
    return FALSE;

  if (self->kept == NULL)
    self->kept = g_ptr_array_new ();
  for (guint k = v->first_buffer; k < v->first_buffer + v->n_buffers; k++)
    {
      AccDeviceBlock *block = acc_device_heap_pin (self->heap, run->buffers[k], v->name, error);

      if (block == NULL)
        return FALSE;
      self->kept_bytes += block->memory.size;
      g_ptr_array_add (self->kept, run->buffers[k]);
    }

  return TRUE;
}

static guint64
device_run_count_held (AccRun     *run,
                       AccBuffer **given)
{
  return ((AccDeviceRun *) run)->kept_bytes;
}

static gpointer
device_run_allocate_scratch (AccRun                 *run,
                             const AccScheduleStep  *step,
                             guint                   scratch,
                             guint64                *held,
                             GError                **error)
{
  AccDeviceBlock *block = acc_device_heap_allocate_exact (run->host->heap, step->scratch[scratch].bytes, ACC_QUEUE_COMPUTE, step->name,
                                                          error);

  *held += block != NULL ? block->memory.size : 0;

  return block;
}

/* All that launches of the step touch; uploads begin here. */
static gboolean
gather (AccDeviceRun           *self,
        const AccScheduleStep  *step,
        const AccRunWindow     *windows,
        GError                **error)
{
  for (guint w = 0; w < step->n_writes; w++)
    {
      const AccPreparedValue *v = &self->parent.prepared->values[step->writes[w]];

      for (guint k = 0; k < v->n_buffers; k++)
        if ((windows == NULL || windows[v->first_buffer + k].block == NULL) && !pin_buffer (self, step->writes[w], k, error))
          return FALSE;
    }

  for (guint l = 0; l < step->n_launches; l++)
    for (guint i = 0; i < step->launches[l].n_slots; i++)
      {
        const AccSlot *slot = &step->launches[l].slots[i];

        if (slot->kind == ACC_SLOT_BUFFER
            && (windows == NULL || windows[self->parent.prepared->values[slot->value].first_buffer + slot->buffer].block == NULL)
            && !pin_buffer (self, slot->value, slot->buffer, error))
          return FALSE;
      }

  return TRUE;
}

static void
list_used (AccDeviceRun          *self,
           const AccScheduleStep *step,
           const AccRunWindow    *windows,
           gpointer              *scratch)
{
  self->n_used = 0;
  for (guint l = 0; l < step->n_launches; l++)
    for (guint i = 0; i < step->launches[l].n_slots; i++)
      {
        const AccSlot *slot = &step->launches[l].slots[i];
        AccDeviceBlock *block = NULL;
        gboolean is_known = FALSE;

        if (slot->kind == ACC_SLOT_SCRATCH)
          block = scratch[slot->scratch];
        else if (slot->kind == ACC_SLOT_BUFFER)
          {
            guint buffer = self->parent.prepared->values[slot->value].first_buffer + slot->buffer;

            block = windows != NULL && windows[buffer].block != NULL ? windows[buffer].block : self->blocks[buffer];
          }
        for (guint k = 0; k < self->n_used && !is_known; k++)
          is_known = self->used[k] == block;
        if (block != NULL && !is_known)
          self->used[self->n_used++] = block;
      }
}

/* --- launches */

static void
fill_slots (AccDeviceRun       *self,
            const AccLaunch    *launch,
            const AccRunWindow *windows,
            gpointer           *scratch)
{
  for (guint i = 0; i < launch->n_slots; i++)
    {
      const AccSlot *slot = &launch->slots[i];
      guint buffer;

      self->slots[i] = (AccDeviceSlot) { NULL, 0, 0 };
      switch (slot->kind)
        {
        case ACC_SLOT_BUFFER:
          buffer = self->parent.prepared->values[slot->value].first_buffer + slot->buffer;
          if (windows != NULL && windows[buffer].block != NULL)
            self->slots[i] = (AccDeviceSlot) { &windows[buffer].block->memory, windows[buffer].offset, 0 };
          else
            self->slots[i].memory = &self->blocks[buffer]->memory;
          break;
        case ACC_SLOT_LITERAL:
          self->slots[i].bits = slot->bits;
          break;
        case ACC_SLOT_SCRATCH:
          self->slots[i].memory = &((AccDeviceBlock *) scratch[slot->scratch])->memory;
          break;
        case ACC_SLOT_N_WORKERS:
          g_assert_not_reached ();
        }
    }
}

/* Limits the groups to those that run at once, or fewer, if @launch asks for that. */
static void
enlarge_tiles (AccDevice       *device,
               AccDeviceKernel *kernel,
               const AccLaunch *launch,
               AccGroups       *groups)
{
  gint64 unit = launch->unit, outer = groups->end[0] - groups->begin[0], inner = groups->end[1] - groups->begin[1], size;
  guint n;

  if (unit == 0 || device->klass->count_resident == NULL || outer <= 0 || inner <= 0
      || (n = device->klass->count_resident (device, kernel)) == 0)
    return;

  size = acc_ceil_div (acc_ceil_div (outer * inner, n), unit) * unit;
  groups->tile[1] = MIN (size, launch->inner);
  groups->tile[0] = MAX (size / groups->tile[1], 1);
}

/* Code that a launch may have; what few need is not made before. */
static AccDeviceKernel *
choose_code (AccDeviceRun       *self,
             AccPreparedLaunch  *prepared,
             const AccGroups    *groups,
             GError            **error)
{
  AccDevice *device = acc_device_heap_get_device (self->heap);
  AccCodeRequest request = { .kernel = prepared->launch->kernel, .variant = self->parent.host->variant | ACC_CODE_GENERAL };
  AccDeviceKernel *general = __atomic_load_n (&prepared->general, __ATOMIC_ACQUIRE);

  if (device->klass->needs_general == NULL ||
      !device->klass->needs_general (device, prepared->kernel, self->slots, prepared->launch->n_slots, groups))
    return prepared->kernel;
  if (general != NULL)
    return general;
  if (!acc_code_get (self->parent.host->code, &request, 1, self->parent.cancellable, error))
    return NULL;

  __atomic_store_n (&prepared->general, request.device_kernel, __ATOMIC_RELEASE);

  return request.device_kernel;
}

static gboolean
launch (AccDeviceRun        *self,
        AccPreparedLaunch   *prepared,
        const AccPartition  *partition,
        const AccRunWindow  *windows,
        gpointer            *scratch,
        GError             **error)
{
  AccDevice *device = acc_device_heap_get_device (self->heap);
  AccDeviceKernel *kernel;
  AccGroups groups;
  GError *problem = NULL;

  if (partition->n_tiles <= 0)
    return TRUE;
  if (g_cancellable_set_error_if_cancelled (self->parent.cancellable, error))
    return FALSE;

  for (guint d = 0; d < 2; d++)
    {
      groups.begin[d] = partition->begin[d];
      groups.end[d] = partition->end[d];
      groups.tile[d] = partition->tile[d];
    }
  self->may_fail |= prepared->may_fail || device->may_fail;
  fill_slots (self, prepared->launch, windows, scratch);
  kernel = choose_code (self, prepared, &groups, error);
  if (kernel == NULL)
    return FALSE;
  enlarge_tiles (device, kernel, prepared->launch, &groups);
  if (device->klass->launch (device, kernel, self->slots, prepared->launch->n_slots, &groups, &self->report->memory, &problem))
    return TRUE;

  acc_device_heap_note_error (self->heap, problem);
  g_propagate_prefixed_error (error, problem, "kernel “%s”: ", acc_kernel_get_name (prepared->launch->kernel));

  return FALSE;
}

/* With ACC_DEBUG=times nothing else is under way. */
static gint64
begin_alone (AccDeviceRun *self)
{
  if (acc_times_begin () != 0)
    acc_device_heap_drain (self->heap);

  return acc_times_begin ();
}

/* The launches of one step, in order on one queue. @rows: begin and end; NULL: all. */
static gboolean
launch_all (AccDeviceRun           *self,
            const AccPreparedStep  *prepared,
            const gint64           *rows,
            const AccRunWindow     *windows,
            gpointer               *scratch,
            GError                **error)
{
  const AccScheduleStep *step = prepared->step;
  gint64 begin;
  gboolean ok;

  if (self->report == NULL)
    self->report = acc_device_heap_take_report (self->heap, error);
  if (self->report == NULL)
    return FALSE;

  self->is_dirty = TRUE;
  if (!gather (self, step, windows, error))
    return FALSE;

  list_used (self, step, windows, scratch);
  ok = acc_device_heap_begin (self->heap, ACC_QUEUE_COMPUTE, self->used, self->n_used, error);
  for (guint i = 0; i < step->n_launches && ok; i++)
    {
      AccPartition partition = prepared->launches[i].whole;

      if (rows != NULL && !acc_prepared_find_rows (prepared, i, rows[0], rows[1], 1, &partition))
        continue;
      begin = begin_alone (self);
      ok = launch (self, &prepared->launches[i], &partition, windows, scratch, error);
      if (begin != 0)
        acc_device_heap_drain (self->heap);
      acc_times_end_launches (begin, step, i, 1);
    }
  acc_device_heap_end (self->heap, ACC_QUEUE_COMPUTE, self->used, self->n_used);

  return ok;
}

static gboolean
device_run_run_rows (AccRun              *run,
                     guint                step,
                     gint64               begin,
                     gint64               end,
                     const AccRunWindow  *windows,
                     gpointer            *scratch,
                     GError             **error)
{
  AccDeviceRun *self = (AccDeviceRun *) run;
  gint64 rows[] = { begin, end };
  gboolean ok = launch_all (self, &run->prepared->steps[step], rows, windows, scratch, error);

  unpin_all (self);

  return ok;
}

static gboolean
device_run_run_step (AccRun  *run,
                     guint    number,
                     GError **error)
{
  AccDeviceRun *self = (AccDeviceRun *) run;
  const AccPreparedStep *prepared = &run->prepared->steps[number];
  const AccScheduleStep *step = prepared->step;
  gpointer few[16] = { NULL, };
  g_autofree gpointer *many = NULL;
  gpointer *scratch = step->n_scratch <= G_N_ELEMENTS (few) ? few : (many = g_new0 (gpointer, step->n_scratch));
  gboolean ok = TRUE;

  for (guint i = 0; i < step->n_scratch && ok; i++)
    {
      scratch[i] = acc_device_heap_allocate (self->heap, step->scratch[i].bytes, ACC_QUEUE_COMPUTE, step->name, error);
      ok = scratch[i] != NULL;
    }

  ok = ok && launch_all (self, prepared, NULL, NULL, scratch, error);

  unpin_all (self);
  for (guint i = 0; i < step->n_scratch; i++)
    if (scratch[i] != NULL)
      acc_device_block_free (scratch[i]);

  return ok;
}

/* --- how it went */

static gboolean
fetch_report (AccDeviceRun  *self,
              GError       **error)
{
  AccDevice *device = acc_device_heap_get_device (self->heap);
  GError *problem = NULL;

  self->report->filled = sizeof (AccFailure);
  if (!self->may_fail)
    return TRUE;
  if (device->klass->download (device, ACC_QUEUE_COMPUTE, self->report->host, &self->report->memory, 0, sizeof (AccFailure), &problem))
    return TRUE;

  acc_device_heap_note_error (self->heap, problem);
  g_propagate_error (error, problem);

  return FALSE;
}

gboolean
acc_device_run_ask (AccRun   *run,
                    guint64  *point,
                    GError  **error)
{
  AccDeviceRun *self = (AccDeviceRun *) run;

  *point = 0;

  return (self->report == NULL || fetch_report (self, error))
         && acc_device_heap_mark (self->heap, ACC_QUEUE_COMPUTE, point, error);
}

gboolean
acc_device_run_check (AccRun  *run,
                      GError **error)
{
  AccDeviceRun *self = (AccDeviceRun *) run;
  AccFailure failure;

  if (self->report == NULL || !self->may_fail)
    return TRUE;

  memcpy (&failure, self->report->host, sizeof failure);
  if (failure.state == 0)
    return TRUE;

  acc_failure_to_error (&failure, self->parent.prepared, 0, error);

  return FALSE;
}

typedef struct {
  guint buffer;
  gsize at;
} Small;

/* Small results that only the device has, on their way to the report. */
static gboolean
ask_for_small (AccDeviceRun  *self,
               GArray        *list,
               GError       **error)
{
  const AccSchedule *schedule = self->parent.prepared->schedule;

  for (guint r = 0; r < schedule->n_results; r++)
    {
      const AccPreparedValue *v = &self->parent.prepared->values[schedule->results[r]];

      for (guint k = v->first_buffer; k < v->first_buffer + v->n_buffers; k++)
        {
          AccBuffer *buffer = self->parent.buffers[k];
          Small small = { k, self->report->filled };
          AccDeviceBlock *block;
          gboolean is_listed = FALSE;

          if (buffer == NULL || acc_buffer_is_host (buffer) || buffer->size == 0 || buffer->size > SMALL_RESULT
              || small.at + buffer->size > ACC_REPORT_BYTES)
            continue;
          for (guint i = 0; i < list->len && !is_listed; i++)
            is_listed = self->parent.buffers[g_array_index (list, Small, i).buffer] == buffer;
          if (is_listed)
            continue;

          block = acc_device_heap_pin (self->heap, buffer, v->name, error);
          if (block == NULL)
            return FALSE;
          g_array_append_val (list, small);
          if (!acc_device_heap_download (self->heap, ACC_QUEUE_COMPUTE, self->report->host + small.at, block, 0, buffer->size, error))
            return FALSE;
          self->report->filled = (small.at + buffer->size + 7) / 8 * 8;
        }
    }

  return TRUE;
}

static void
take_small (AccDeviceRun *self,
            GArray       *list,
            gboolean      ok)
{
  for (guint i = 0; i < list->len; i++)
    {
      const Small *small = &g_array_index (list, Small, i);
      AccBuffer *buffer = self->parent.buffers[small->buffer];

      acc_device_heap_unpin_filled (self->heap, buffer, ok ? self->report->host + small->at : NULL);
    }
}

static gboolean
wait (AccDeviceRun  *self,
      GError       **error)
{
  g_autoptr(GArray) small = g_array_new (FALSE, FALSE, sizeof (Small));
  guint64 point;
  gboolean ok = fetch_report (self, error)
                && (acc_device_heap_get_device (self->heap)->unified || ask_for_small (self, small, error))
                && acc_device_heap_mark (self->heap, ACC_QUEUE_COMPUTE, &point, error)
                && acc_device_heap_block (self->heap, ACC_QUEUE_COMPUTE, point, error);

  take_small (self, small, ok);

  return ok && acc_device_run_check (&self->parent, error);
}

static gboolean
device_run_finish (AccRun  *run,
                   GError **error)
{
  AccDeviceRun *self = (AccDeviceRun *) run;

  if (self->is_dirty && !wait (self, error))
    return FALSE;

  self->is_dirty = FALSE;
  unpin_kept (self);

  return TRUE;
}

gboolean
acc_device_run_is_dirty (AccRun *run)
{
  return ((AccDeviceRun *) run)->is_dirty;
}

static const AccRunClass device_run_class = {
  .allocate = device_run_allocate,
  .run_step = device_run_run_step,
  .run_rows = device_run_run_rows,
  .allocate_scratch = device_run_allocate_scratch,
  .free_scratch = (void (*) (gpointer)) acc_device_block_free,
  .keep = device_run_keep,
  .count_held = device_run_count_held,
  .finish = device_run_finish,
  .clear = device_run_clear,
};

AccRun *
acc_device_run_new (AccHost      *host,
                    AccPrepared  *prepared,
                    GCancellable *cancellable)
{
  AccDeviceRun *self = acc_run_construct (&device_run_class, sizeof (AccDeviceRun), 2 * (gsize) prepared->n_buffers + prepared->max_scratch,
                                          host, prepared, cancellable);

  self->heap = host->heap;
  self->blocks = (AccDeviceBlock **) acc_run_get_room (&self->parent);
  self->used = self->blocks + prepared->n_buffers;
  self->slots = g_new0 (AccDeviceSlot, prepared->max_slots + 1);

  return &self->parent;
}
